/* After an execution no thread moves, and operations wait for a signal. Should they? A `deq` that waits for an element
 * should, where none is left. One that has missed its signal should not.
 *
 * What the object does one operation at a time tells. The operations that returned are run one after the other, in
 * every order that the execution allows and that gives the same results; then those that wait are called. If one of
 * them returns then, in whatever order they are called, it has missed a signal. If each of them waits there too, it
 * waits by design. Anything else is undecided: no such order, or operations that wait only for each other.
 *
 * Where calls happen with an operation's first access (machine.h), a thread that would call and wait at once has not
 * called; but it may. */
#include <string.h>

#include "verify/verify.h"

enum { OPS_MOST = 32, MOVES_MOST = 512 };

struct made_op {
  uint8_t thread;
  const struct client_call *call;
  value result;
  bool returned;
  uint32_t after; /* operations that had returned when it was called, a bit each */
};

struct asleep {
  struct mem *mem;
  const struct subject *subject;
  struct system *system; /* runs one operation at a time */
  struct client_thread client[THREADS_MOST];
  struct client_call call[THREADS_MOST];
  struct made_op ops[OPS_MOST];
  unsigned op_count;
  uint32_t done, waiting; /* operations that returned, and that wait */
  uint64_t states;        /* that may still be gone through */
  bool explained;         /* some order gives the results */
  bool undecided;         /* there was too much, or something failed */
  bool by_design;         /* in some order all of them wait */
  bool returns;           /* in some order one of them returns, though called alone */
};

static value value_of(void *self, const struct program_op *op, word result) { return result_value(self, op, result); }

static const struct client_call *call_of(const struct subject *s, unsigned thread, uint16_t number) {
  const struct client_thread *c = &s->client[thread];
  for (unsigned i = 0; i < c->call_count; i++)
    if (c->calls[i].number == number) return &c->calls[i];
  return NULL;
}

static bool begin_op(struct asleep *k, unsigned thread, uint16_t number) {
  if (k->op_count == OPS_MOST) return false;
  struct made_op *o = &k->ops[k->op_count];
  *o = (struct made_op){.thread = (uint8_t)thread, .call = call_of(k->subject, thread, number), .after = k->done};
  k->waiting |= UINT32_C(1) << k->op_count++;
  return o->call != NULL;
}

static void end_op(struct asleep *k, const struct event *e) {
  for (unsigned i = k->op_count; i-- > 0;) {
    struct made_op *o = &k->ops[i];
    if (o->thread != e->thread || o->returned) continue;
    o->returned = true;
    o->result = e->result;
    k->done |= UINT32_C(1) << i;
    k->waiting &= ~(UINT32_C(1) << i);
    return;
  }
}

static bool take_events(struct asleep *k, const struct move *move) {
  for (unsigned i = 0; i < move->event_count; i++) {
    const struct event *e = &move->events[i];
    if (e->kind == EVENT_CALL && !begin_op(k, e->thread, (uint16_t)e->call)) return false;
    if (e->kind == EVENT_RETURN) end_op(k, e);
  }
  return true;
}

/* The operations of the execution, on the machine that was searched, and those that threads would call and wait. */
static bool find_ops(struct asleep *k, struct system *m, const struct path_move *path, size_t count,
                     const uint32_t *calls) {
  void *here = mem_zero(k->mem, 1, m->work), *there = mem_zero(k->mem, 1, m->work);
  m->start(m, here);
  for (size_t i = 0; i < count; i++) {
    struct choices choices = path[i].choices;
    struct move move;
    choices.depth = 0;
    if (m->again(m, here, path[i].thread, &choices, path[i].move.length, there, &move) != MOVED) return false;
    if (!take_events(k, &move)) return false;
    memcpy(here, there, m->work);
  }
  for (unsigned t = 0; t < m->threads; t++)
    if (calls[t] && !begin_op(k, t, (uint16_t)(calls[t] - 1))) return false;
  return k->waiting;
}

/* One operation at a time. */

enum came { CAME_BACK, CAME_TO_WAIT };
typedef void asleep_next(struct asleep *, void *state, enum came, value result, uint32_t mask, unsigned op);

/* Goes on with the thread's operation in every way, until it returns or waits. */
static void go_on(struct asleep *k, const void *state, unsigned moves, uint32_t mask, unsigned op, asleep_next *next) {
  struct choices choices;
  void *to = mem_alloc(k->mem, k->system->work);
  choices_begin(&choices);
  do {
    struct move move;
    mem_poll(k->mem);
    if (k->undecided || !k->states || moves == MOVES_MOST) {
      k->undecided = true;
      break;
    }
    k->states--;
    enum moved moved = k->system->move(k->system, state, k->ops[op].thread, &choices, to, &move);
    const struct event *last = move.event_count ? &move.events[move.event_count - 1] : NULL;
    if (moved == WAITS) {
      memcpy(to, state, k->system->work);
      next(k, to, CAME_TO_WAIT, V_NONE, mask, op);
    } else if (moved != MOVED) {
      k->undecided = true;
    } else if (last && last->kind == EVENT_RETURN) {
      next(k, to, CAME_BACK, last->result, mask, op);
    } else {
      go_on(k, to, moves + 1, mask, op, next);
    }
  } while (choices_next(&choices));
  mem_free(k->mem, to);
}

static void run_op(struct asleep *k, const void *state, uint32_t mask, unsigned op, asleep_next *next) {
  k->call[k->ops[op].thread] = *k->ops[op].call;
  go_on(k, state, 0, mask, op, next);
}

static void waits_alone(struct asleep *k, void *state, enum came came, value result, uint32_t mask, unsigned op) {
  (void)state, (void)result, (void)mask, (void)op;
  k->returns |= came == CAME_BACK;
}

static void call_waiting(struct asleep *, void *state, uint32_t left);

static void waits_after(struct asleep *k, void *state, enum came came, value result, uint32_t left, unsigned op) {
  (void)result;
  if (came == CAME_TO_WAIT) call_waiting(k, state, left & ~(UINT32_C(1) << op));
}

/* Those left are called, in every order, as long as all wait. */
static void call_waiting(struct asleep *k, void *state, uint32_t left) {
  if (!left) k->by_design = true;
  for (unsigned i = 0; left && i < k->op_count && !k->undecided; i++)
    if (left >> i & 1) run_op(k, state, left, i, waits_after);
}

static void run_returned(struct asleep *, void *state, uint32_t ran);

static void ran_op(struct asleep *k, void *state, enum came came, value result, uint32_t ran, unsigned op) {
  if (came == CAME_BACK && result == k->ops[op].result) run_returned(k, state, ran | UINT32_C(1) << op);
}

/* Those that returned and have not run yet, in every order that the execution allows. */
static void run_returned(struct asleep *k, void *state, uint32_t ran) {
  if (ran == k->done) {
    k->explained = true;
    for (unsigned i = 0; i < k->op_count && !k->undecided; i++)
      if (k->waiting >> i & 1) run_op(k, state, 0, i, waits_alone);
    call_waiting(k, state, k->waiting);
    return;
  }
  for (unsigned i = 0; i < k->op_count && !k->undecided; i++)
    if ((k->done & ~ran) >> i & 1 && !(k->ops[i].after & ~ran)) run_op(k, state, ran, i, ran_op);
}

enum verdict subject_asleep(struct mem *mem, const struct subject *s, const struct path_move *path, size_t count,
                            struct stuck_asked *asked) {
  struct asleep *k = mem_zero(mem, 1, sizeof *k);
  struct machine_options options = s->machine_options;
  k->mem = mem;
  k->subject = s;
  k->states = asked->states;
  options.forget = options.races = false; /* a path that comes here has no race */
  if (!find_ops(k, machine_new(mem, s->program, s->client, s->threads, &options, value_of, (void *)s), path, count,
                asked->calls))
    return VERDICT_HOLDS;
  options.ops = OPS_FOREVER;
  options.fuse_events = options.fuse_private = true;
  options.apart = options.points = options.weak_fails = options.signals_as_locks = options.guesses = false;
  options.steps = STEPS_SHARED;
  for (unsigned t = 0; t < s->threads; t++)
    k->client[t] = (struct client_thread){.calls = &k->call[t], .call_count = 1, .group = (uint8_t)t};
  k->system = machine_new(mem, s->program, k->client, s->threads, &options, value_of, (void *)s);
  void *start = mem_zero(mem, 1, k->system->work);
  k->system->start(k->system, start);
  run_returned(k, start, 0);
  asked->states = k->states;
  asked->undecided = "a thread may sleep until another call wakes it, and it is not known whether it should";
  if (k->undecided || !k->explained) return VERDICT_UNKNOWN;
  if (!k->by_design) return VERDICT_VIOLATED;
  return k->returns ? VERDICT_UNKNOWN : VERDICT_HOLDS;
}
