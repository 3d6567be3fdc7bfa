/* --spec self: the object is its own specification. What its operations do one at a time is what they must do
 * concurrently.
 *
 * A state is a sequence of calls, a node of a tree that grows as it is needed: an operation happens in it by running
 * the whole sequence, and then the operation, in one thread after the other without anything concurrent. Results are
 * remembered. */
#include <string.h>

#include "test/test.h"

struct node {
  uint32_t parent, sibling, child; /* 0: none; node 0 is the empty sequence */
  uint32_t depth;
  struct call call;
  uint8_t thread;
  bool ends; /* it returns: what waits for ever, or goes wrong, cannot happen */
  long result;
};

struct self {
  struct mem *mem;
  const struct object *object;
  VEC(struct node) nodes;
  bool unsupported; /* one could not be run: what it does is not known */
  /* A sequence being run. */
  VEC(struct call) calls;
  VEC(uint8_t) threads;
  VEC(long) results;
};

static void add_state(struct outcomes *out, uint32_t node, value result) {
  memcpy(outcomes_add(out, result, sizeof node), &node, sizeof node);
}

static void self_init(const struct spec *spec, struct outcomes *out) {
  (void)spec;
  add_state(out, 0, V_NONE);
}

static void run_node(struct self *s, uint32_t n) {
  struct node *node = &s->nodes.at[n];
  size_t count = node->depth;
  enum found found;
  vec_reserve(s->mem, &s->calls, count);
  vec_reserve(s->mem, &s->threads, count);
  vec_reserve(s->mem, &s->results, count);
  for (uint32_t i = n; i; i = s->nodes.at[i].parent) {
    s->calls.at[s->nodes.at[i].depth - 1] = s->nodes.at[i].call;
    s->threads.at[s->nodes.at[i].depth - 1] = s->nodes.at[i].thread;
  }
  node->ends = run_sequential(s->calls.at, s->threads.at, count, s->results.at, &found) || found == FOUND_LEAK;
  if (node->ends) node->result = s->results.at[count - 1];
  s->unsupported |= found == FOUND_UNSUPPORTED;
}

static bool same_call(const struct node *n, const struct call *call, uint8_t thread) {
  return n->call.op == call->op && n->thread == thread && !memcmp(n->call.arg, call->arg, sizeof call->arg);
}

static uint32_t child_of(struct self *s, uint32_t parent, const struct call *call, uint8_t thread) {
  uint32_t n = s->nodes.at[parent].child;
  while (n && !same_call(&s->nodes.at[n], call, thread)) n = s->nodes.at[n].sibling;
  if (n) return n;
  n = (uint32_t)s->nodes.count;
  struct node node = {.parent = parent,
                      .sibling = s->nodes.at[parent].child,
                      .depth = s->nodes.at[parent].depth + 1,
                      .call = *call,
                      .thread = thread};
  vec_push(s->mem, &s->nodes, node);
  s->nodes.at[parent].child = n;
  run_node(s, n);
  return n;
}

static void self_step(const struct spec *spec, struct state state, const struct op *o, struct outcomes *out) {
  struct self *s = spec->user;
  struct call call = {.op = o->method};
  uint32_t parent;
  memcpy(&parent, state.at, sizeof parent);
  for (unsigned a = 0; a < s->object->ops[o->method].arg_count; a++)
    call.arg[a] = (long)value_integer(spec->values, o->arg[a]);
  uint32_t n = child_of(s, parent, &call, spec->by_process ? (uint8_t)o->process : 0);
  if (!s->nodes.at[n].ends) return;
  value result = object_result(spec, &s->object->ops[o->method], (struct values *)spec->values, s->nodes.at[n].result);
  if (result_matches(o, result)) add_state(out, n, result);
}

const char *self_fault(const struct spec *spec) {
  const struct self *s = spec->user;
  return spec->step == self_step && s->unsupported ? "operations do what cannot be run under a scheduler, with nothing "
                                                     "concurrent too: so the object cannot be its own specification"
                                                   : NULL;
}

static void self_print(const struct spec *spec, struct state state, struct text *t) {
  const struct self *s = spec->user;
  uint32_t n;
  memcpy(&n, state.at, sizeof n);
  text_printf(t, "as after %u operations one at a time", s->nodes.at[n].depth);
}

void self_spec(struct mem *m, const struct object *o, struct spec *out) {
  struct self *s = mem_zero(m, 1, sizeof *s);
  s->mem = m;
  s->object = o;
  vec_push(m, &s->nodes, (struct node){0});
  *out = o->spec;
  out->user = s;
  out->init = self_init;
  out->step = self_step;
  out->print = self_print;
}
