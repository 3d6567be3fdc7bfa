/* Maps that return what was there before, latches and what happens once: few states, run by the specification's own
 * step. */
#include <string.h>

#include "generate/subject.h"

struct mapped {
  struct stepper object;
  uint32_t keys;
};

static struct mapped *open_stepper(struct generator *g) {
  struct mapped *s = g->state = mem_zero(g->mem, 1, sizeof *s);
  stepper_open(g, &s->object);
  return s;
}

static bool apply(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct mapped *s = g->state;
  return stepper_apply(g, &s->object, o, result);
}

/* Maps: any operation on any of a few keys. */

enum { KEYS = 6 };

static void open_map(struct generator *g) { open_stepper(g)->keys = g->options->keys ? g->options->keys : KEYS; }

static bool choose_map(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  const struct mapped *s = g->state;
  o->method = (uint16_t)random_below(g, g->spec->op_count);
  for (int i = 0; i < g->spec->ops[o->method].args; i++)
    o->arg[i] = i ? generate_value(g) : value_of_small((int32_t)(1 + random_below(g, s->keys)));
  return true;
}

#define MAP_KINDS \
  {"lost", "a content is put at a key, and then not found there"}, \
      {"phantom", "a content that was never put at a key is found there"}, { \
    "duplicate", "a content that was put once is removed twice" \
  }
static const struct bad_kind hash_kinds[] = {MAP_KINDS, {NULL, NULL}};
static const struct bad_kind ordered_kinds[] = {
    MAP_KINDS, {"order", "a key is said to be the greatest although a greater one is there"}, {NULL, NULL}};

static void plan_map(struct generator *g, const char *kind) {
  value key = generate_unheard(g), content = generate_unheard(g), greater = generate_unheard(g);
  uint16_t put = generate_method(g, "put"), get = generate_method(g, "get"), take = generate_method(g, "remove");
  if (!strcmp(kind, "phantom")) {
    generate_plan(g, get, key, V_NONE, content);
    return;
  }
  generate_plan(g, put, key, content, V_NIL);
  if (!strcmp(kind, "lost")) {
    generate_plan(g, get, key, V_NONE, V_NIL);
  } else if (!strcmp(kind, "duplicate")) {
    generate_plan(g, take, key, V_NONE, content);
    generate_plan(g, take, key, V_NONE, content);
  } else { /* a pending removal of the greatest may take some of those that are put */
    for (uint32_t i = 0; i <= g->options->pending; i++) {
      generate_plan(g, put, greater, content, V_NIL);
      greater = generate_unheard(g);
    }
    generate_plan(g, generate_method(g, "max"), V_NONE, V_NONE, key);
  }
}

/* A latch: nobody waits before it is open, so that nobody waits for ever. */

static bool choose_latch(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct mapped *s = g->state;
  int64_t count;
  memcpy(&count, outcomes_state(&s->object.now, 0).at, sizeof count);
  static const char *const names[] = {"count-down", "try-wait", "count", "wait"};
  o->method = generate_method(g, names[random_below(g, count ? 3 : 4)]);
  return true;
}

static const struct bad_kind latch_kinds[] = {{"stuck", "it is said not to be open although it was counted down to 0"},
                                              {"wrong", "the count is said to be more than it was at first"},
                                              {NULL, NULL}};

static void plan_latch(struct generator *g, const char *kind) {
  if (!strcmp(kind, "wrong")) {
    generate_plan(g, generate_method(g, "count"), V_NONE, V_NONE, value_of_small((int32_t)g->spec->k + 1));
    return;
  }
  uint32_t most = g->options->operations < g->spec->k ? g->options->operations : g->spec->k; /* else it is refused */
  for (uint32_t i = 0; i < most; i++) generate_plan(g, generate_method(g, "count-down"), V_NONE, V_NONE, V_NONE);
  generate_plan(g, generate_method(g, "try-wait"), V_NONE, V_NONE, V_FALSE);
}

/* Once. */

static bool choose_once(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  o->method = (uint16_t)random_below(g, g->spec->op_count);
  if (g->spec->ops[o->method].args) o->arg[0] = generate_value(g);
  return true;
}

static const struct bad_kind once_kinds[] = {
    {"twice", "two calls return different values"}, {"phantom", "a value is there that nobody gave"}, {NULL, NULL}};

static void plan_once(struct generator *g, const char *kind) {
  value v = generate_unheard(g), w = generate_unheard(g);
  if (!strcmp(kind, "phantom")) {
    generate_plan(g, generate_method(g, "get"), V_NONE, V_NONE, v);
    return;
  }
  generate_plan(g, generate_method(g, "call"), v, V_NONE, v);
  generate_plan(g, generate_method(g, "call"), w, V_NONE, w);
}

static void open_plain(struct generator *g) { open_stepper(g); }

const struct subject subject_hash_map = {.families = 1u << FAMILY_HASH_MAP,
                                         .kinds = hash_kinds,
                                         .open = open_map,
                                         .choose = choose_map,
                                         .apply = apply,
                                         .plan = plan_map};
const struct subject subject_ordered_map = {.families = 1u << FAMILY_ORDERED_MAP,
                                            .kinds = ordered_kinds,
                                            .open = open_map,
                                            .choose = choose_map,
                                            .apply = apply,
                                            .plan = plan_map};
const struct subject subject_latch = {.families = 1u << FAMILY_LATCH,
                                      .kinds = latch_kinds,
                                      .open = open_plain,
                                      .choose = choose_latch,
                                      .apply = apply,
                                      .plan = plan_latch};
const struct subject subject_once = {.families = 1u << FAMILY_ONCE,
                                     .kinds = once_kinds,
                                     .open = open_plain,
                                     .choose = choose_once,
                                     .apply = apply,
                                     .plan = plan_once};
