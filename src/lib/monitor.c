/* Monitoring a running program: what the tapes say, in the order it happened, to a monitor of A_k (approx/monitor.h).
 *
 * Values are 64 bits on the tapes and 31 in monitors. A larger one is hashed, and nothing of it is kept but for the
 * report. Two values may become one: for collections that only pass values on that is a renaming, under which what is
 * linearizable stays so, and what is not may at worst be missed. Where values are compared (priorities, keys), larger
 * ones are refused. */
#include <errno.h>
#include <stdlib.h>

#include "approx/monitor.h"
#include "base/hash.h"
#include "evidence/evidence.h"
#include "lib/deck.h"
#include "lib/lib.h"
#include "spec/c_values.h"

enum { WIDE = 1 << 12 };

struct wide {
  value v;
  int64_t number;
};

/* An operation of the specification; quick: nothing has to be looked at to bind its arguments and results. */
struct watched {
  uint8_t args, most;
  bool quick_call, quick_return, none;
  uint32_t number; /* that asif_monitor_operation gives */
};

struct asif_monitor {
  struct deck deck;
  struct mem mem;
  struct spec spec;
  struct values *values;
  struct binder *binder;
  struct monitor *monitor;
  struct watched *operations;
  bool renames;
  asif_monitor_options options;

  /* The taker's. */
  bool over; /* violated, or failed: nothing is looked at any more */
  struct wide *wide;
  struct bound_call *bound; /* a lane: its call, where it was not quick */
  uint32_t bound_room;
  _Atomic uint64_t events;

  _Atomic bool violated, told;
  asif_answer *answer;
  const char *said;
};

/* Values. */

/* A number that does not fit: its hash, which is remembered as long as no other takes its place. */
static value wide_value(asif_monitor *m, int64_t number) {
  if (!m->renames) {
    deck_fail(&m->deck, ASIF_BAD_INPUT, "%lld: a %s compares its values, and the monitor's are of 31 bits: %d to %d",
              (long long)number, m->spec.name, VALUE_SMALL_MIN, VALUE_SMALL_MAX);
    m->over = true;
    return V_NIL;
  }
  uint64_t hash = hash_mix((uint64_t)number);
  value v = value_of_small((int32_t)(hash >> 33) + VALUE_SMALL_MIN);
  if (!m->wide) m->wide = mem_zero(&m->mem, WIDE, sizeof *m->wide);
  m->wide[v >> 1 & (WIDE - 1)] = (struct wide){v, number};
  return v;
}

static inline value value_of(asif_monitor *m, int64_t number) {
  if (__builtin_expect(number >= VALUE_SMALL_MIN && number <= VALUE_SMALL_MAX, 1))
    return value_of_small((int32_t)number);
  value special;
  return c_special(number, &special) ? special : wide_value(m, number);
}

static inline value argument_of(asif_monitor *m, int64_t number) {
  const char *result = c_only_result(number);
  if (__builtin_expect(result != NULL, 0)) {
    deck_fail(&m->deck, ASIF_BAD_INPUT, "%s is a result, not an argument", result);
    m->over = true;
    return V_NIL;
  }
  return value_of(m, number);
}

/* The number that a value stands for, as far as it is known. */
static value widened(asif_monitor *m, value v) {
  if (!m->wide || !value_is_small(v) || m->wide[v >> 1 & (WIDE - 1)].v != v) return v;
  return value_int(m->values, m->wide[v >> 1 & (WIDE - 1)].number);
}

/* Violations. */

/* With the numbers that were called, which the exact checker confirms once more. */
static bool widen(asif_monitor *m, asif_answer *a, struct problem *why) {
  for (size_t i = 0; i < a->history->ops.count; i++) {
    struct op *o = &a->history->ops.at[i];
    for (int j = 0; j < OP_ARGS; j++) o->arg[j] = widened(m, o->arg[j]);
    o->result = widened(m, o->result);
  }
  return monitor_confirm(&a->mem, a->history, &a->spec, &a->result, why);
}

static asif_status explain(asif_monitor *m, asif_answer *a, struct problem *why) {
  struct violation v;
  if (MEM_GUARD(&a->mem)) {
    problem_set(why, "out of memory");
    return ASIF_NO_MEMORY;
  }
  if (!monitor_violation(&a->mem, m->monitor, &v, why)) return v.blamed ? ASIF_BAD_INPUT : ASIF_INTERNAL;
  a->history = v.history;
  a->spec = m->monitor->spec;
  a->spec.processes = v.history->processes;
  a->result = v.result;
  m->said = v.said;
  if (!m->wide) return ASIF_DONE;
  if (!widen(m, a, why)) return ASIF_INTERNAL;
  m->said = a->result.reason;
  return ASIF_DONE;
}

static void on_violation(asif_monitor *m) {
  struct problem why = {.text = "out of memory"};
  m->over = true;
  if (atomic_load(&m->deck.failed)) return; /* an operation before this one may be on no tape: see deck_fail */
  locale_t ours, before = locale_enter(&ours);
  asif_answer *a = calloc(1, sizeof *a);
  if (a) mem_open(&a->mem, NULL);
  asif_status status = a ? explain(m, a, &why) : ASIF_NO_MEMORY;
  if (status == ASIF_DONE) {
    m->answer = a;
    atomic_store(&m->violated, true);
  } else {
    deck_fail(&m->deck, status, "%s", why.text);
    asif_answer_free(a);
  }
  locale_leave(ours, before);
}

/* The sink. */

static void refuse(asif_monitor *m, const struct problem *why) {
  deck_fail(&m->deck, ASIF_BAD_INPUT, "%s", why->text);
  m->over = true;
}

static struct bound_call *bound_of(asif_monitor *m, uint32_t slot) {
  if (slot >= m->bound_room) {
    m->bound = mem_resize(&m->mem, m->bound, (slot + 16) * sizeof *m->bound);
    m->bound_room = slot + 16;
  }
  return &m->bound[slot];
}

static void slow_call(asif_monitor *m, uint32_t slot, uint16_t method, value arg[OP_ARGS]) {
  struct problem why;
  struct bound_call *b = bound_of(m, slot);
  if (spec_bind_call(m->binder, method, arg, 0, b, &why))
    monitor_call(m->monitor, slot, b->method, b->arg);
  else
    refuse(m, &why);
}

static void slow_return(asif_monitor *m, uint32_t slot, uint16_t method, unsigned args, value result) {
  struct problem why;
  const struct watched *w = &m->operations[method];
  struct bound_call quick = {.method = method, .arg = {V_NONE, V_NONE, V_NONE}, .told = V_NONE, .called = V_NONE},
                    *b = w->quick_call && args == w->args ? &quick : bound_of(m, slot);
  if (!spec_bind_return(m->binder, b, &result, 0, &why))
    refuse(m, &why);
  else if (!monitor_return(m->monitor, slot, result))
    on_violation(m);
}

DECK_INLINE void on_call(void *to, struct lane *l, const struct asif_record_ *r, const struct asif_record_ *more) {
  asif_monitor *m = to;
  uint16_t method = (uint16_t)r->what;
  unsigned args = record_args(r->what), number = record_operation(r->what);
  value arg[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
  if (m->over) return;
  if (__builtin_expect(method >= m->spec.op_count || (number > UINT16_MAX && number != m->operations[method].number),
                       0)) {
    deck_fail(&m->deck, ASIF_BAD_INPUT, "thread %u calls operation %u, which asif_monitor_operation has not given",
              (unsigned)l->tape->number, number);
    m->over = true;
    return;
  }
  if (args) arg[0] = argument_of(m, r->arg);
  if (args > 1) arg[1] = argument_of(m, more->arg);
  if (args > 2) arg[2] = argument_of(m, more->result);
  const struct watched *w = &m->operations[method];
  if (w->quick_call && args == w->args && (!args || value_is_small(arg[0])))
    monitor_call(m->monitor, l->tape->number, method, arg);
  else if (!m->over)
    slow_call(m, l->tape->number, method, arg);
}

DECK_INLINE void on_return(void *to, struct lane *l, const struct asif_record_ *r) {
  asif_monitor *m = to;
  uint16_t method = (uint16_t)r->what;
  if (m->over) return;
  if (__builtin_expect(r->what & (ASIF_FAILED_ | ASIF_LOST_), 0)) {
    (r->what & ASIF_FAILED_ ? monitor_drop : monitor_retire)(m->monitor, l->tape->number);
    return;
  }
  const struct watched *w = &m->operations[method];
  unsigned args = record_args(r->what);
  value result = w->none ? V_NONE : value_of(m, r->result);
  bool quick = w->none || (w->quick_return && (value_is_small(result) || result == V_EMPTY));
  if (quick && args <= w->most) { /* with more, the result may be the last of them: see bind.c */
    if (!monitor_return(m->monitor, l->tape->number, result)) on_violation(m);
  } else if (!m->over) {
    slow_return(m, l->tape->number, method, args, result);
  }
}

DECK_INLINE void on_drop(void *to, struct lane *l) {
  asif_monitor *m = to;
  if (!m->over) monitor_drop(m->monitor, l->tape->number);
}

static const struct sink sink = {on_call, on_return, on_drop};

static void give(struct deck *d) {
  asif_monitor *m = (asif_monitor *)d;
  if (MEM_GUARD(&m->mem)) {
    deck_fail(d, ASIF_NO_MEMORY, "out of memory");
    m->over = true;
  }
  if (atomic_load(&d->failed)) m->over = true;
  if (!m->over) deck_give(d, &sink, m);
  if (m->over) deck_discard(d);
  if (m->monitor) atomic_store_explicit(&m->events, m->monitor->events, memory_order_relaxed);
}

static void after(struct deck *d) {
  asif_monitor *m = (asif_monitor *)d;
  if (m->options.violated && atomic_load(&m->violated) && !atomic_exchange(&m->told, true))
    m->options.violated(m, m->options.user);
}

/* The handle. */

/* Collections that pass values on, and do not look at them. */
static bool passes_on(const struct spec *spec) {
  switch (spec->family) {
  case FAMILY_QUEUE:
  case FAMILY_STACK:
  case FAMILY_DEQUE:
  case FAMILY_SEMIQUEUE:
  case FAMILY_K_FIFO: return true;
  default: return false;
  }
}

/* What asif_monitor_operation gives for it. */
static int number_of(const struct spec_op *o, unsigned op) {
  return (int)op | (o->args == 1 ? ASIF_IN_ : 0) | (o->args_most == 0 && o->result == RESULT_VALUE ? ASIF_OUT_ : 0);
}

static struct watched watch(const struct spec_op *o, unsigned op) {
  return (struct watched){.args = o->args,
                          .most = o->args_most,
                          .number = (uint32_t)number_of(o, op),
                          .quick_call = o->args == o->args_most && o->args < 2 && o->arg_kind == ARG_ANY,
                          .quick_return = o->result == RESULT_VALUE,
                          .none = o->result == RESULT_NONE};
}

static bool prepare(asif_monitor *m, const char *spec, int k, struct problem *why) {
  if (!spec || strchr(spec, '/'))
    return problem_set(why, "a monitor is of a specification that Asif has: `asif specs` lists them"), false;
  if (m->options.one_in < 0) return problem_set(why, "one_in is %d: a number, or 0", m->options.one_in), false;
  if (k < 0 || k > APPROX_K_MOST)
    return problem_set(why, "k is %d; monitors have a k of 0 to %d", k, APPROX_K_MOST), false;
  if (!spec_named(spec, &m->spec, why)) return false;
  m->renames = passes_on(&m->spec);
  if (m->options.one_in > 1 && !(m->renames && m->spec.data_independent))
    return problem_set(why, "one_in is %d, but all values of a %s must be followed", m->options.one_in, m->spec.name),
           false;
  m->values = values_new(&m->mem);
  m->binder = spec_binder(&m->mem, &m->spec, m->values, false, "monitor");
  m->operations = mem_zero(&m->mem, m->spec.op_count + 1, sizeof *m->operations);
  for (unsigned i = 0; i < m->spec.op_count; i++) m->operations[i] = watch(&m->spec.ops[i], i);
  m->monitor = monitor_new(&m->mem, &m->spec, (unsigned)k, why);
  return m->monitor != NULL;
}

static void prepare_guarded(asif_monitor *m, const char *spec, int k) {
  struct problem why;
  locale_t ours, before = locale_enter(&ours);
  if (MEM_GUARD(&m->mem))
    deck_fail(&m->deck, ASIF_NO_MEMORY, "out of memory");
  else if (!prepare(m, spec, k, &why))
    deck_fail(&m->deck, ASIF_BAD_INPUT, "%s", why.text);
  m->over = atomic_load(&m->deck.failed);
  locale_leave(ours, before);
}

asif_monitor *asif_monitor_new(const char *spec, int k, const asif_monitor_options *options) {
  asif_monitor *m = aligned_alloc(DECK_LINE, sizeof *m);
  if (!m) return NULL;
  memset(m, 0, sizeof *m);
  if (options) m->options = *options;
  mem_open(&m->mem, NULL);
  const struct deck_options deck = {.bytes = m->options.bytes,
                                    .milliseconds = m->options.milliseconds,
                                    .taker = m->options.taker,
                                    .polled = true,
                                    .one_in = m->options.one_in > 1 ? (uint32_t)m->options.one_in : 0};
  bool good = deck_open(&m->deck, &deck);
  m->deck.round = give;
  m->deck.after = after;
  if (good) prepare_guarded(m, spec, k);
  if (good && m->options.taker == ASIF_BACKGROUND) good = deck_start(&m->deck);
  if (good) return m;
  deck_free(&m->deck);
  mem_close(&m->mem);
  free(m);
  return NULL;
}

int asif_monitor_operation(asif_monitor *m, const char *operation) {
  if (!m || !m->monitor || !operation) return -1;
  int found = spec_op_find(&m->spec, operation, strlen(operation));
  return found < 0 ? -1 : number_of(&m->spec.ops[found], (unsigned)found);
}

asif_tape *asif_monitor_thread(asif_monitor *m) { return m ? deck_tape(&m->deck, NULL) : NULL; }

asif_verdict asif_monitor_verdict(const asif_monitor *m) {
  return m && atomic_load(&m->violated) ? ASIF_VIOLATED : ASIF_UNKNOWN;
}

asif_verdict asif_monitor_poll(asif_monitor *m) {
  if (m && !deck_forked(&m->deck)) deck_take(&m->deck, true);
  return asif_monitor_verdict(m);
}

uint64_t asif_monitor_events(asif_monitor *m) { return m ? atomic_load(&m->events) : 0; }

asif_status asif_monitor_status(asif_monitor *m) {
  if (!m) return ASIF_NO_MEMORY;
  return deck_status(&m->deck);
}

const char *asif_monitor_error(asif_monitor *m) {
  return !m ? "out of memory" : asif_monitor_status(m) ? m->deck.error.text : "";
}

const char *asif_monitor_said(const asif_monitor *m) { return asif_monitor_verdict(m) == ASIF_VIOLATED ? m->said : ""; }

const asif_answer *asif_monitor_answer(const asif_monitor *m) {
  return asif_monitor_verdict(m) == ASIF_VIOLATED ? m->answer : NULL;
}

asif_status asif_monitor_interval(const asif_monitor *m, uint32_t operation, int *from, int *to) {
  const asif_answer *a = asif_monitor_answer(m);
  if (!a || operation >= a->history->ops.count || !a->history->call_time) return ASIF_BAD_INPUT;
  if (from) *from = (int)(a->history->call_time[operation] / 2);
  if (to)
    *to = op_pending(&a->history->ops.at[operation]) ? (int)m->monitor->k : (int)(a->history->ret_time[operation] / 2);
  return ASIF_DONE;
}

asif_status asif_monitor_evidence(asif_monitor *m, const char *path) {
  const asif_answer *a = asif_monitor_answer(m);
  struct problem why;
  if (!a || !path) return ASIF_BAD_INPUT;
  locale_t ours, before = locale_enter(&ours);
  bool good = evidence_write(path, a->history, &a->spec, &a->result, &why);
  locale_leave(ours, before);
  if (!good) deck_fail(&m->deck, ASIF_BAD_INPUT, "%s", why.text);
  return good ? ASIF_DONE : ASIF_BAD_INPUT;
}

void asif_monitor_free(asif_monitor *m) {
  if (!m) return;
  if (!deck_forked(&m->deck)) deck_stop(&m->deck);
  asif_answer_free(m->answer);
  deck_free(&m->deck);
  mem_close(&m->mem);
  free(m);
}
