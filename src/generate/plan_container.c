/* Violations of containers: a few operations, one after the other, on values that nothing else ever touches. Whatever
 * else happens at the same time, no order of these can be right. */
#include <string.h>

#include "generate/subject.h"

#define BAG_KINDS \
  {"duplicate", "a value is taken out more often than it was put in"}, { \
    "phantom", "a value that was never put in is taken out" \
  }
#define ORDER_KINDS \
  {"reorder", "values are taken out in the wrong order"}, {"lost", "a value that should have come out never does"}, \
      BAG_KINDS
#define EMPTY_KIND \
  { "empty", "a removal finds nothing although values are inside all the while" }

const struct bad_kind container_kinds[] = {ORDER_KINDS, EMPTY_KIND, {NULL, NULL}};
const struct bad_kind weak_kinds[] = {ORDER_KINDS, {NULL, NULL}};
#define OVERFLOW_KIND \
  { "overflow", "more values are inside at once than there is room for" }
const struct bad_kind bounded_kinds[] = {ORDER_KINDS, EMPTY_KIND, OVERFLOW_KIND, {NULL, NULL}};
const struct bad_kind weak_bounded_kinds[] = {ORDER_KINDS, OVERFLOW_KIND, {NULL, NULL}};
const struct bad_kind bag_kinds[] = {BAG_KINDS, EMPTY_KIND, {NULL, NULL}};
const struct bad_kind weak_bag_kinds[] = {BAG_KINDS, {NULL, NULL}};

static void insert(struct generator *g, const struct container_plan *p, value v) {
  generate_plan(g, p->insert, v, V_NONE, V_NONE);
}

static void removes(struct generator *g, const struct container_plan *p, value v) {
  generate_plan(g, p->remove, V_NONE, V_NONE, v);
}

/* The value of a run of unheard ones that is `i` from the first. */
static value from(value first, uint32_t i) { return value_of_small(value_small(first) + (int32_t)i); }

static value insert_run(struct generator *g, const struct container_plan *p, uint32_t count) {
  value first = generate_unheard(g);
  insert(g, p, first);
  for (uint32_t i = 1; i < count; i++) insert(g, p, generate_unheard(g));
  return first;
}

/* All of them are inside, so the one that leaves first should have been among the last. */
static void reorder(struct generator *g, const struct container_plan *p) {
  uint32_t n = p->window + 1;
  value first = insert_run(g, p, n);
  if (!p->last_first) removes(g, p, from(first, n - 1));
  for (uint32_t i = 0; i + 1 < n; i++) removes(g, p, from(first, i));
  if (p->last_first) removes(g, p, from(first, n - 1));
}

/* Of those that should leave earlier, each pending removal may have taken one; the rest is still inside. */
static void lose(struct generator *g, const struct container_plan *p) {
  uint32_t n = p->window + g->options->pending;
  value first = insert_run(g, p, n + 1);
  removes(g, p, p->last_first ? first : from(first, n));
}

void plan_container(struct generator *g, const char *kind, const struct container_plan *p) {
  if (!strcmp(kind, "reorder")) {
    reorder(g, p);
  } else if (!strcmp(kind, "lost")) {
    lose(g, p);
  } else if (!strcmp(kind, "duplicate")) {
    value v = insert_run(g, p, 1);
    for (uint32_t i = 0; i <= p->times; i++) removes(g, p, v);
  } else if (!strcmp(kind, "phantom")) {
    removes(g, p, generate_unheard(g));
  } else if (!strcmp(kind, "empty")) {
    insert_run(g, p, 1 + g->options->pending);
    removes(g, p, V_EMPTY);
  } else { /* overflow */
    value first = insert_run(g, p, p->capacity + 1);
    for (uint32_t i = 0; i <= p->capacity; i++) removes(g, p, from(first, i));
  }
}
