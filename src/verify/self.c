/* --spec self: the object is its own specification. What its operations do one at a time is what they must do
 * concurrently.
 *
 * A state is the packed state of a machine whose threads are between operations; an operation happens by running it to
 * its end, alone. One that waits cannot happen; one that fails has no outcome. Where nothing asks which thread it is
 * there is only one. */
#include <pthread.h>
#include <string.h>

#include "spec/c_values.h"
#include "verify/machine_parts.h"
#include "verify/verify.h"

struct self {
  struct mem *mem;
  const struct program *program;
  struct system *machine;
  struct client_thread client[THREADS_MOST];
  struct client_call call;
  machine_result *result;
  void *result_self;
  void *from, *to;
  unsigned char *packed, *mark;
  size_t mark_size;
  const char *beyond;   /* what an operation came to that is not modelled, or NULL */
  pthread_mutex_t lock; /* workers take turns */
};

static value self_result(void *self, const struct program_op *op, word w) {
  struct self *s = self;
  return s->result(s->result_self, op, w);
}

static void add_state(struct self *s, const void *work, value result, struct outcomes *out) {
  size_t size = s->machine->pack(s->machine, work, NULL, s->packed, NULL);
  memcpy(outcomes_add(out, result, (uint32_t)size), s->packed, size);
}

static void self_init(const struct spec *spec, struct outcomes *out) {
  struct self *s = spec->user;
  pthread_mutex_lock(&s->lock);
  s->machine->start(s->machine, s->to);
  add_state(s, s->to, V_NONE, out);
  pthread_mutex_unlock(&s->lock);
}

/* Has the operation come back to where it was? Compared with the state after 1, 2, 4, ... moves: one of these repeats.
 */
static bool goes_round(struct self *s, uint64_t moves) {
  size_t size = s->machine->pack(s->machine, s->to, NULL, s->packed, NULL);
  if (moves > 1 && size == s->mark_size && !memcmp(s->packed, s->mark, size)) return true;
  if (moves & (moves - 1)) return false;
  memcpy(s->mark, s->packed, size);
  s->mark_size = size;
  return false;
}

/* Runs the operation move by move: only this thread moves. One that never ends has no outcome. */
static bool run_alone(struct self *s, unsigned thread, struct choices *choices, value *result) {
  struct system *m = s->machine;
  struct move move;
  for (uint64_t n = 1;; n++) {
    enum moved moved = m->move(m, s->from, thread, choices, s->to, &move);
    if (moved == FAULTED && move.fault == FAULT_RANGE) s->beyond = move.text;
    if (moved == FAULTED && move.fault == FAULT_NUMBERS) s->beyond = "the number of an address";
    if (moved != MOVED) return false;
    for (unsigned i = 0; i < move.event_count; i++) {
      if (move.events[i].kind != EVENT_RETURN) continue;
      *result = move.events[i].result;
      return true;
    }
    if (goes_round(s, n)) return false;
    machine_copy_state((const struct machine *)m, s->to, s->from);
  }
}

static void self_step(const struct spec *spec, struct state state, const struct op *o, struct outcomes *out) {
  struct self *s = spec->user;
  struct choices choices;
  choices_begin(&choices);
  bool more;
  do { /* the lock is given up between two: there may be very many, and a limit may end them */
    value result;
    mem_poll(out->mem);
    pthread_mutex_lock(&s->lock);
    s->call.op = o->method;
    for (unsigned a = 0; a < s->program->ops[o->method].params && a < OP_ARGS; a++)
      s->call.args[a] =
          value_is_small(o->arg[a]) ? value_small(o->arg[a]) : (word)value_integer(spec->values, o->arg[a]);
    s->machine->unpack(s->machine, state.at, state.size, s->from);
    if (run_alone(s, spec->by_process ? o->process : 0, &choices, &result) && result_matches(o, result))
      add_state(s, s->to, result, out);
    more = choices_next(&choices);
    pthread_mutex_unlock(&s->lock);
  } while (more);
}

static void self_print(const struct spec *spec, struct state state, struct text *t) {
  (void)spec;
  text_printf(t, "a state of %u bytes", state.size);
}

const char *spec_of_object_limit(const struct spec *spec) {
  const struct self *s = spec->step == self_step ? spec->user : NULL;
  return s ? s->beyond : NULL;
}

bool spec_of_object(struct mem *mem, const struct program *p, unsigned threads, const struct machine_options *options,
                    machine_result *result, void *self, struct spec *out, struct problem *why) {
  (void)why;
  struct self *s = mem_zero(mem, 1, sizeof *s);
  struct machine_options m = *options;
  m.ops = OPS_FOREVER;
  m.fuse_events = m.fuse_private = true;
  m.steps = STEPS_SHARED;
  m.points = m.weak_fails = m.races = m.guesses = false;
  s->mem = mem;
  s->program = p;
  s->result = result;
  s->result_self = self;
  for (unsigned t = 0; t < THREADS_MOST; t++) s->client[t] = (struct client_thread){.calls = &s->call, .call_count = 1};
  s->machine = machine_new(mem, p, s->client, program_by_thread(p) ? threads : 1, &m, self_result, s);
  s->from = mem_zero(mem, 1, s->machine->work);
  s->to = mem_zero(mem, 1, s->machine->work);
  s->packed = mem_alloc(mem, s->machine->packed_most);
  s->mark = mem_alloc(mem, s->machine->packed_most);
  pthread_mutex_init(&s->lock, NULL);
  struct spec_op *ops = mem_zero(mem, p->op_count, sizeof *ops);
  for (uint32_t i = 0; i < p->op_count; i++) {
    ops[i] = (struct spec_op){.names = p->ops[i].name,
                              .args = (uint8_t)p->ops[i].params,
                              .args_most = (uint8_t)p->ops[i].params,
                              .result = (uint8_t)c_result_kind((enum c_type)p->ops[i].result),
                              .echo = V_UNKNOWN};
  }
  *out = (struct spec){.name = "self",
                       .aliases = "",
                       .summary = "the object, one operation at a time",
                       .ops = ops,
                       .op_count = p->op_count,
                       .by_process = program_by_thread(p),
                       .user = s,
                       .init = self_init,
                       .step = self_step,
                       .print = self_print};
  return true;
}
