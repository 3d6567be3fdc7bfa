/* Bounded, weak and relaxed containers: few enough are inside that the specification's own step runs them. */
#include <string.h>

#include "generate/subject.h"

enum { INSERT, REMOVE };

struct stepped {
  struct stepper object;
  struct tide tide;
  uint32_t count; /* values inside */
};

static void open(struct generator *g) {
  struct stepped *s = g->state = mem_zero(g->mem, 1, sizeof *s);
  uint32_t size = generate_size(g);
  if (g->spec->bounded && !g->options->size) size = g->spec->k - g->spec->k / 4;
  if (!g->options->size) size = size > 20 ? 20 : size < 2 ? 2 : size;
  s->tide.size = size;
  stepper_open(g, &s->object);
}

static bool choose(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct stepped *s = g->state;
  o->method = tide_insert(g, &s->tide, s->count) ? INSERT : REMOVE;
  if (o->method == INSERT)
    o->arg[0] = g->spec->family == FAMILY_PRIORITY_QUEUE ? generate_unordered(g) : generate_value(g);
  return true;
}

static bool apply(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct stepped *s = g->state;
  uint32_t before = stepper_size(&s->object);
  bool possible = stepper_apply(g, &s->object, o, result);
  s->count += stepper_size(&s->object) > before;
  s->count -= stepper_size(&s->object) < before;
  return possible;
}

static void plan(struct generator *g, const char *kind) {
  bool wide = g->spec->family == FAMILY_SEMIQUEUE || g->spec->family == FAMILY_K_FIFO;
  struct container_plan how = {.insert = INSERT,
                               .remove = REMOVE,
                               .last_first = g->spec->family == FAMILY_STACK,
                               .window = wide ? g->spec->k : 1,
                               .times = spec_times(g->spec),
                               .capacity = g->spec->bounded ? g->spec->k : 0};
  plan_container(g, kind, &how);
}

const struct subject subject_stepped = {.families = 1u << FAMILY_SEMIQUEUE | 1u << FAMILY_K_FIFO |
                                                    1u << FAMILY_STUTTERING_QUEUE | 1u << FAMILY_PRODUCER_FIFO,
                                        .kinds = container_kinds,
                                        .open = open,
                                        .choose = choose,
                                        .apply = apply,
                                        .plan = plan};
const struct subject subject_bounded = {.families = 1u << FAMILY_QUEUE | 1u << FAMILY_PRIORITY_QUEUE,
                                        .variant = VARIANT_BOUNDED,
                                        .kinds = bounded_kinds,
                                        .open = open,
                                        .choose = choose,
                                        .apply = apply,
                                        .plan = plan};
const struct subject subject_weak = {.families = 1u << FAMILY_QUEUE | 1u << FAMILY_STACK,
                                     .variant = VARIANT_WEAK,
                                     .kinds = weak_kinds,
                                     .open = open,
                                     .choose = choose,
                                     .apply = apply,
                                     .plan = plan};
