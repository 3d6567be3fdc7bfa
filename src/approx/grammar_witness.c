/* See grammar_witness.h. */
#include "approx/grammar_witness.h"

#include <string.h>

enum { HELPERS_MOST = 2, OPEN_MOST = 200, FIND_MOST = 120 };

struct open {
  struct op op;
  uint64_t interval; /* it was called in */
  value result;      /* in the order */
  uint32_t at;       /* in the list of open ones */
  bool open, done;   /* done: it is in the order */
};
struct witness {
  struct mem *mem, *scratch;
  const struct spec *spec;
  bool have;
  VEC(struct open) slots;
  VEC(uint32_t) list; /* slots that are open */
  unsigned char *state;
  uint32_t size, room;
  unsigned char *start; /* the initial state */
  uint32_t start_size;
  uint32_t done; /* how many open ones are in the order */
  struct outcomes out[HELPERS_MOST + 1];
};

static struct state state_of(const struct witness *w) { return (struct state){w->state, w->size}; }

/* The state may lie in outcomes. */
static void set_state(struct witness *w, struct state s) {
  if (s.size > w->room || !w->state) {
    mem_free(w->mem, w->state);
    w->room = s.size * 2 + 64;
    w->state = mem_alloc(w->mem, w->room);
  }
  if (s.size) memcpy(w->state, s.at, s.size);
  w->size = s.size;
}

struct witness *witness_new(struct mem *m, const struct spec *spec) {
  struct witness *w = mem_zero(m, 1, sizeof *w);
  w->mem = m;
  w->scratch = mem_child(m);
  w->spec = spec;
  for (int i = 0; i <= HELPERS_MOST; i++) outcomes_open(&w->out[i], m);
  spec->init(spec, &w->out[0]);
  w->have = w->out[0].list.count > 0;
  if (!w->have) return w;
  struct state first = outcomes_state(&w->out[0], 0);
  set_state(w, first);
  w->start = mem_alloc(m, first.size + 1);
  w->start_size = first.size;
  if (first.size) memcpy(w->start, first.at, first.size);
  return w;
}

bool witness_at_start(const struct witness *w) {
  return w->have && !w->done && w->size == w->start_size && (!w->size || !memcmp(w->state, w->start, w->size));
}

void witness_call(struct witness *w, uint32_t slot, const struct op *op, uint64_t interval) {
  while (slot >= w->slots.count) vec_push(w->mem, &w->slots, (struct open){0});
  w->slots.at[slot] = (struct open){.op = *op, .interval = interval, .at = (uint32_t)w->list.count, .open = true};
  vec_push(w->mem, &w->list, slot);
}

static void close_slot(struct witness *w, uint32_t slot) {
  uint32_t last = w->list.at[--w->list.count];
  w->list.at[w->slots.at[slot].at] = last;
  w->slots.at[last].at = w->slots.at[slot].at;
  w->slots.at[slot].open = false;
  w->done -= w->slots.at[slot].done;
}

/* The operation at the end of the order, after up to so many of the open ones. */
static bool put_last(struct witness *w, struct state from, const struct op *op, unsigned helpers) {
  struct outcomes *out = &w->out[helpers];
  outcomes_clear(out);
  w->spec->step(w->spec, from, op, out);
  if (out->list.count) {
    set_state(w, outcomes_state(out, 0));
    return true;
  }
  for (size_t i = 0; helpers && i < w->list.count; i++) {
    struct open *o = &w->slots.at[w->list.at[i]];
    if (o->done) continue;
    outcomes_clear(out);
    w->spec->step(w->spec, from, &o->op, out);
    o->done = true;
    w->done++;
    for (size_t j = 0; j < out->list.count; j++) {
      o->result = out->list.at[j].result;
      if (put_last(w, outcomes_state(out, j), op, helpers - 1)) return true;
    }
    o->done = false;
    w->done--;
  }
  return false;
}

bool witness_return(struct witness *w, uint32_t slot, value result) {
  struct open *o = &w->slots.at[slot];
  close_slot(w, slot);
  if (!w->have) return false;
  if (o->done) return w->have = result == V_UNKNOWN || o->result == result;
  struct op op = o->op;
  op.result = result;
  return w->have = put_last(w, state_of(w), &op, w->list.count <= OPEN_MOST ? HELPERS_MOST : 0);
}

void witness_drop(struct witness *w, uint32_t slot) {
  close_slot(w, slot);
  if (w->slots.at[slot].done) w->have = false;
}

void witness_retire(struct witness *w, uint32_t slot) { close_slot(w, slot); }

/* Finding one: the exact checker's order of the operations as A_k tells them. */

static void add_op(struct history *h, const struct op *o, unsigned from, int64_t end) {
  history_interval(h, 0, 0, o->method, o->arg, OP_ARGS, o->result, 2 * (int64_t)from, end, 0);
}

/* Runs the order; the open operations in it are done. Operations of the history are marked by line: the slot of an open
 * one, one more. */
static bool adopt(struct witness *w, const struct history *h, const struct check_result *r) {
  struct outcomes now;
  outcomes_open(&now, w->scratch);
  w->spec->init(w->spec, &now);
  if (!now.list.count) return false;
  set_state(w, outcomes_state(&now, 0));
  for (size_t i = 0; i < w->list.count; i++) w->slots.at[w->list.at[i]].done = false;
  w->done = 0;
  for (size_t i = 0; i < r->order_count; i++) {
    const struct op *o = &h->ops.at[r->order[i]];
    outcomes_clear(&now);
    w->spec->step(w->spec, state_of(w), o, &now);
    if (!now.list.count) return false;
    if (o->line) {
      w->slots.at[o->line - 1].done = true;
      w->done++;
      w->slots.at[o->line - 1].result = now.list.at[0].result;
    }
    set_state(w, outcomes_state(&now, 0));
  }
  return true;
}

bool witness_find(struct witness *w, const struct witness_op *ops, size_t count, uint64_t forgotten) {
  uint64_t total = w->list.count;
  struct limits limits;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  struct check_result r;
  struct problem why;
  for (size_t i = 0; i < count; i++) total += ops[i].count;
  if (total > FIND_MOST) return false;
  struct history *h = monitor_history(w->scratch, w->spec);
  names_intern(h->processes, "1", 1);
  for (size_t i = 0; i < count; i++)
    for (uint32_t n = 0; n < ops[i].count; n++) add_op(h, &ops[i].op, ops[i].from, 2 * (int64_t)ops[i].to + 1);
  for (size_t i = 0; i < w->list.count; i++) {
    const struct open *o = &w->slots.at[w->list.at[i]];
    add_op(h, &o->op, o->interval > forgotten ? (unsigned)(o->interval - forgotten) : 0, INT64_MAX);
    h->ops.at[h->ops.count - 1].line = w->list.at[i] + 1;
  }
  history_finish(h);
  limits_start(&limits, 1, 0);
  w->have = check_history(w->scratch, h, w->spec, &options, &limits, &r, &why) && r.verdict == VERDICT_HOLDS &&
            adopt(w, h, &r);
  mem_close(w->scratch);
  return w->have;
}
