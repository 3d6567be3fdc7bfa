/* Queues, stacks, deques and priority queues: what goes in comes out, in an order of its own. */
#include <string.h>

#include "generate/subject.h"

/* A ring for the first three, a heap in the same place for the last; room is a power of two. */
struct container {
  value *at;
  uint32_t head, count, room;
  struct tide tide;
  int sign; /* of a heap: 1 least first, -1 greatest first */
  uint16_t insert[2], remove[2];
};

static value *slot(struct container *c, uint32_t i) { return &c->at[(c->head + i) & (c->room - 1)]; }

static void make_room(struct generator *g, struct container *c) {
  if (c->count < c->room) return;
  uint32_t room = c->room ? c->room * 2 : 64;
  value *at = mem_alloc(g->mem, room * sizeof *at);
  for (uint32_t i = 0; i < c->count; i++) at[i] = *slot(c, i);
  mem_free(g->mem, c->at);
  c->at = at;
  c->head = 0;
  c->room = room;
}

static void push_back(struct generator *g, struct container *c, value v) {
  make_room(g, c);
  *slot(c, c->count++) = v;
}

static void push_front(struct generator *g, struct container *c, value v) {
  make_room(g, c);
  c->head = (c->head - 1) & (c->room - 1);
  c->count++;
  *slot(c, 0) = v;
}

static value pop_front(struct container *c) {
  if (!c->count) return V_EMPTY;
  value v = *slot(c, 0);
  c->head = (c->head + 1) & (c->room - 1);
  c->count--;
  return v;
}

static value pop_back(struct container *c) { return c->count ? *slot(c, --c->count) : (value)V_EMPTY; }

static bool before(const struct container *c, value a, value b) {
  return c->sign > 0 ? value_small(a) < value_small(b) : value_small(a) > value_small(b);
}

static void heap_insert(struct generator *g, struct container *c, value v) {
  make_room(g, c);
  uint32_t i = c->count++;
  for (; i && before(c, v, c->at[(i - 1) / 2]); i = (i - 1) / 2) c->at[i] = c->at[(i - 1) / 2];
  c->at[i] = v;
}

static value heap_remove(struct container *c) {
  if (!c->count) return V_EMPTY;
  value top = c->at[0], v = c->at[--c->count];
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < c->count; i = child) {
    if (child + 1 < c->count && before(c, c->at[child + 1], c->at[child])) child++;
    if (!before(c, c->at[child], v)) break;
    c->at[i] = c->at[child];
  }
  c->at[i] = v;
  return top;
}

static struct container *open_container(struct generator *g) {
  struct container *c = mem_zero(g->mem, 1, sizeof *c);
  c->tide.size = generate_size(g);
  c->insert[0] = c->insert[1] = 0;
  c->remove[0] = c->remove[1] = 1;
  return g->state = c;
}

static void open_simple(struct generator *g) { open_container(g); }

static void open_priority(struct generator *g) { open_container(g)->sign = g->spec->greatest_first ? -1 : 1; }

static void open_deque(struct generator *g) {
  struct container *c = open_container(g);
  c->insert[0] = generate_method(g, "push-front");
  c->insert[1] = generate_method(g, "push-back");
  c->remove[0] = generate_method(g, "pop-front");
  c->remove[1] = generate_method(g, "pop-back");
}

static bool choose(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct container *c = g->state;
  uint32_t end = c->insert[0] == c->insert[1] ? 0 : random_below(g, 2);
  bool insert = tide_insert(g, &c->tide, c->count);
  o->method = insert ? c->insert[end] : c->remove[end];
  if (insert) o->arg[0] = c->sign ? generate_unordered(g) : generate_value(g);
  return true;
}

static bool apply_one(struct generator *g, const struct op *o, value *result,
                      void (*insert)(struct generator *, struct container *, value),
                      value (*take)(struct container *)) {
  struct container *c = g->state;
  *result = V_NONE;
  if (o->method == c->insert[0])
    insert(g, c, o->arg[0]);
  else
    *result = take(c);
  return true;
}

static bool apply_queue(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  return apply_one(g, o, result, push_back, pop_front);
}

static bool apply_stack(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  return apply_one(g, o, result, push_back, pop_back);
}

static bool apply_priority(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  return apply_one(g, o, result, heap_insert, heap_remove);
}

static bool apply_deque(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct container *c = g->state;
  *result = V_NONE;
  if (o->method == c->insert[0])
    push_front(g, c, o->arg[0]);
  else if (o->method == c->insert[1])
    push_back(g, c, o->arg[0]);
  else
    *result = o->method == c->remove[0] ? pop_front(c) : pop_back(c);
  return true;
}

static void plan(struct generator *g, const char *kind) {
  struct container *c = g->state;
  struct container_plan how = {.insert = c->insert[1],
                               .remove = c->remove[0],
                               .window = 1,
                               .times = 1,
                               .last_first = g->subject == &subject_stack || c->sign < 0};
  plan_container(g, kind, &how);
}

const struct subject subject_queue = {.families = 1u << FAMILY_QUEUE,
                                      .kinds = container_kinds,
                                      .open = open_simple,
                                      .choose = choose,
                                      .apply = apply_queue,
                                      .plan = plan};
const struct subject subject_stack = {.families = 1u << FAMILY_STACK,
                                      .kinds = container_kinds,
                                      .open = open_simple,
                                      .choose = choose,
                                      .apply = apply_stack,
                                      .plan = plan};
const struct subject subject_priority_queue = {.families = 1u << FAMILY_PRIORITY_QUEUE,
                                               .kinds = container_kinds,
                                               .open = open_priority,
                                               .choose = choose,
                                               .apply = apply_priority,
                                               .plan = plan};
const struct subject subject_deque = {.families = 1u << FAMILY_DEQUE,
                                      .kinds = container_kinds,
                                      .open = open_deque,
                                      .choose = choose,
                                      .apply = apply_deque,
                                      .plan = plan};
