/* Queues, stacks, deques and priority queues: what goes in comes out, in an order of its own. */
#include <string.h>

#include "history/subject.h"

/* A ring for the first three, a heap in the same place for the last; room is a power of two. */
struct container {
  value *at;
  uint32_t head, count, room;
  struct tide tide;
  int sign;                  /* of a heap: 1 least first, -1 greatest first */
  uint16_t insert[2], remove[2];
  bool ends;                 /* a deque: insert and remove at either end */
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

static void open_priority(struct generator *g) {
  open_container(g)->sign = strncmp(g->spec->name, "max", 3) ? 1 : -1;
}

static void open_deque(struct generator *g) {
  struct container *c = open_container(g);
  c->insert[0] = generate_method(g, "push-front");
  c->insert[1] = generate_method(g, "push-back");
  c->remove[0] = generate_method(g, "pop-front");
  c->remove[1] = generate_method(g, "pop-back");
}

static void choose(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct container *c = g->state;
  uint32_t end = c->insert[0] == c->insert[1] ? 0 : random_below(g, 2);
  bool insert = tide_insert(g, &c->tide, c->count);
  o->method = insert ? c->insert[end] : c->remove[end];
  if (insert) o->arg[0] = c->sign ? generate_unordered(g) : generate_value(g);
}

static bool apply_queue(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct container *c = g->state;
  *result = V_NONE;
  if (o->method == c->insert[0]) push_back(g, c, o->arg[0]);
  else *result = pop_front(c);
  return true;
}

static bool apply_stack(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct container *c = g->state;
  *result = V_NONE;
  if (o->method == c->insert[0]) push_back(g, c, o->arg[0]);
  else *result = pop_back(c);
  return true;
}

static bool apply_priority(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct container *c = g->state;
  *result = V_NONE;
  if (o->method == c->insert[0]) heap_insert(g, c, o->arg[0]);
  else *result = heap_remove(c);
  return true;
}

static bool apply_deque(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct container *c = g->state;
  *result = V_NONE;
  if (o->method == c->insert[0]) push_front(g, c, o->arg[0]);
  else if (o->method == c->insert[1]) push_back(g, c, o->arg[0]);
  else *result = o->method == c->remove[0] ? pop_front(c) : pop_back(c);
  return true;
}

static const struct bad_kind kinds[] = {
    {"reorder", "two values are taken out in the wrong order"},
    {"lost", "a value that should have come out first never does"},
    {"duplicate", "a value put in once is taken out twice"},
    {"phantom", "a value that was never put in is taken out"},
    {"empty", "a removal finds nothing although values are inside all the while"},
    {NULL, NULL},
};

static void insert(struct generator *g, value v) {
  struct container *c = g->state;
  generate_plan(g, c->insert[1], v, V_NONE, V_NONE);
}

static void removes(struct generator *g, value v) {
  struct container *c = g->state;
  generate_plan(g, c->remove[0], V_NONE, V_NONE, v);
}

/* `first` should leave before `second`. Values unheard of grow, so the later one is the greater. */
static void plan(struct generator *g, const char *kind) {
  struct container *c = g->state;
  bool last_first = g->subject == &subject_stack || c->sign < 0;
  uint32_t spare = g->options->pending; /* each pending removal may have taken one */
  if (!strcmp(kind, "reorder")) {
    value a = generate_unheard(g), b = generate_unheard(g);
    insert(g, a), insert(g, b);
    removes(g, last_first ? a : b), removes(g, last_first ? b : a);
  } else if (!strcmp(kind, "lost")) {
    value out = generate_unheard(g);
    if (last_first) insert(g, out);
    for (uint32_t i = 0; i <= spare; i++) insert(g, generate_unheard(g));
    if (!last_first) insert(g, out = generate_unheard(g));
    removes(g, out);
  } else if (!strcmp(kind, "duplicate")) {
    value a = generate_unheard(g);
    insert(g, a);
    removes(g, a), removes(g, a);
  } else if (!strcmp(kind, "phantom")) {
    removes(g, generate_unheard(g));
  } else {
    for (uint32_t i = 0; i <= spare; i++) insert(g, generate_unheard(g));
    removes(g, V_EMPTY);
  }
}

const struct subject subject_queue = {"queue", kinds, open_simple, choose, apply_queue, plan};
const struct subject subject_stack = {"stack", kinds, open_simple, choose, apply_stack, plan};
const struct subject subject_priority_queue = {"priority-queue max-priority-queue", kinds, open_priority, choose, apply_priority, plan};
const struct subject subject_deque = {"deque", kinds, open_deque, choose, apply_deque, plan};
