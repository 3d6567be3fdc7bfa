/* Bounded, weak and relaxed containers: few enough are inside that the specification's own step runs them. */
#include <string.h>

#include "generate/subject.h"

enum { INSERT, REMOVE };

struct stepped {
  struct stepper object;
  struct tide tide;
  uint32_t count; /* values inside */
};

static bool named(const struct generator *g, const char *begins) {
  return !strncmp(g->spec->name, begins, strlen(begins));
}

static void open(struct generator *g) {
  struct stepped *s = g->state = mem_zero(g->mem, 1, sizeof *s);
  uint32_t size = generate_size(g);
  if (named(g, "bounded") && !g->options->size) size = g->spec->k - g->spec->k / 4;
  if (!g->options->size) size = size > 20 ? 20 : size < 2 ? 2 : size;
  s->tide.size = size;
  stepper_open(g, &s->object);
}

static bool choose(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct stepped *s = g->state;
  o->method = tide_insert(g, &s->tide, s->count) ? INSERT : REMOVE;
  if (o->method == INSERT) o->arg[0] = strstr(g->spec->name, "priority") ? generate_unordered(g) : generate_value(g);
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
  bool wide = named(g, "semiqueue") || named(g, "k-fifo");
  struct container_plan how = {.insert = INSERT,
                               .remove = REMOVE,
                               .last_first = named(g, "weak-stack"),
                               .window = wide ? g->spec->k : 1,
                               .times = named(g, "stuttering") ? g->spec->k : 1,
                               .capacity = named(g, "bounded") ? g->spec->k : 0};
  plan_container(g, kind, &how);
}

const struct subject subject_stepped = {.specs = "semiqueue k-fifo stuttering-queue producer-fifo",
                                        .kinds = container_kinds,
                                        .open = open,
                                        .choose = choose,
                                        .apply = apply,
                                        .plan = plan};
const struct subject subject_bounded = {.specs = "bounded-queue bounded-priority-queue",
                                        .kinds = bounded_kinds,
                                        .open = open,
                                        .choose = choose,
                                        .apply = apply,
                                        .plan = plan};
const struct subject subject_weak = {.specs = "weak-queue weak-stack",
                                     .kinds = weak_kinds,
                                     .open = open,
                                     .choose = choose,
                                     .apply = apply,
                                     .plan = plan};
