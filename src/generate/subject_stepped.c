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
const struct subject subject_bounded = {.families =
                                            1u << FAMILY_QUEUE | 1u << FAMILY_PRIORITY_QUEUE | 1u << FAMILY_STACK,
                                        .variant = VARIANT_BOUNDED,
                                        .kinds = bounded_kinds,
                                        .open = open,
                                        .choose = choose,
                                        .apply = apply,
                                        .plan = plan};
const struct subject subject_weak = {.families = 1u << FAMILY_QUEUE | 1u << FAMILY_STACK | 1u << FAMILY_PRODUCER_FIFO,
                                     .variant = VARIANT_WEAK,
                                     .kinds = weak_kinds,
                                     .open = open,
                                     .choose = choose,
                                     .apply = apply,
                                     .plan = plan};
const struct subject subject_weak_bounded = {.families = 1u << FAMILY_QUEUE,
                                             .variant = VARIANT_WEAK_BOUNDED,
                                             .kinds = weak_bounded_kinds,
                                             .open = open,
                                             .choose = choose,
                                             .apply = apply,
                                             .plan = plan};
const struct subject subject_bag = {.families = 1u << FAMILY_BAG,
                                    .variant = VARIANT_PLAIN,
                                    .kinds = bag_kinds,
                                    .open = open,
                                    .choose = choose,
                                    .apply = apply,
                                    .plan = plan};
const struct subject subject_weak_bag = {.families = 1u << FAMILY_BAG,
                                         .variant = VARIANT_WEAK,
                                         .kinds = weak_bag_kinds,
                                         .open = open,
                                         .choose = choose,
                                         .apply = apply,
                                         .plan = plan};

/* A work-stealing deque: the first thread owns it, the others steal; a single thread does all. Its plan is of the
 * owner's operations. */

enum { STEAL = 2 };

static bool choose_stealing(struct generator *g, uint32_t thread, struct op *o) {
  if (g->options->threads == 1 ? !random_below(g, 4) : thread) {
    o->method = STEAL;
    return true;
  }
  return choose(g, thread, o);
}

static void plan_stealing(struct generator *g, const char *kind) {
  struct container_plan how = {.insert = INSERT, .remove = REMOVE, .last_first = true, .window = 1, .times = 1};
  plan_container(g, kind, &how);
}

const struct subject subject_stealing = {.families = 1u << FAMILY_WORK_STEALING,
                                         .variant = VARIANT_PLAIN,
                                         .kinds = container_kinds,
                                         .open = open,
                                         .choose = choose_stealing,
                                         .apply = apply,
                                         .plan = plan_stealing};
const struct subject subject_weak_stealing = {.families = 1u << FAMILY_WORK_STEALING,
                                              .variant = VARIANT_WEAK,
                                              .kinds = container_kinds,
                                              .open = open,
                                              .choose = choose_stealing,
                                              .apply = apply,
                                              .plan = plan_stealing};
