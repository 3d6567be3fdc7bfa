/* On-line monitors of A_k: an execution's calls and returns go in; at the first return after which the approximation
 * A_k of its history is not one of the specification's, the monitor says so. It never says so of a linearizable
 * history; it may miss violations that only show in intervals longer than k (Bouajjani et al. 2015, sections 6.2 and
 * 7).
 *
 * Three kinds, behind one interface:
 *   elements.c  collections (queue, stack, ...): complete for intervals up to k (section 7.2), in constant time an
 * event; formula.c   a formula of operation counting logic: one of the families of Figure 4, or the user's own;
 *   grammar.c   objects whose sequential executions are a context-free language (section 8): locks, semaphores, bounded
 * buffers. */
#ifndef ASIF_APPROX_MONITOR_H
#define ASIF_APPROX_MONITOR_H

#include "approx/count.h"
#include "check/check.h"
#include "spec/spec.h"

/* What shows the violation: operations with the intervals A_k knows of them. Their history alone is not linearizable,
 * which the exact checker has confirmed. */
struct violation {
  struct history *history;    /* bound; its times are 2 * from and 2 * to + 1 of the intervals */
  struct check_result result; /* the exact checker's, on this history */
  char *said;                 /* one sentence: which family, which values */
  unsigned k;
  uint64_t events; /* at which event of the execution, from 1 */
  /* The monitor only counts: no order of the operations is allowed, whichever processes and values they had. */
  bool counted;
  bool blamed; /* there is none: the user's formula is wrong, which the problem says; bad input, no internal error */
};

struct monitor;
struct monitor_type {
  const char *name; /* "elements", "formula", "grammar" */
  void (*call)(struct monitor *, uint32_t slot, uint16_t method, const value arg[OP_ARGS]);
  bool (*ret)(struct monitor *, uint32_t slot, value result); /* false: violated, now */
  void (*drop)(struct monitor *, uint32_t slot);
  void (*retire)(struct monitor *, uint32_t slot);
  /* After ret was false: the operations that show it. Each is added with monitor_show. Its sentence goes to `said`. */
  void (*show)(struct monitor *, struct text *said);
  size_t (*bytes)(const struct monitor *);
  uint64_t (*held)(const struct monitor *); /* values in flight, or labels: what its memory goes by; or NULL */
  /* Or NULL. Forgets all events, but not what it has found out about the specification. */
  void (*reset)(struct monitor *);
  /* Or NULL. Adds what it does not look at, or could not tell so far, a sentence a line; adds nothing if it has looked
   * at all that A_k says. */
  void (*blind)(const struct monitor *, struct text *);
  /* It counts operations, and shows them with processes and values that it makes up. */
  bool counts;
  /* Or NULL. The exact checker accepts what was shown: is there more to show? Then show is asked again. */
  bool (*more)(struct monitor *);
  /* Or NULL. It accepts all there is: who is wrong, if that is not the monitor (a formula of the user's); false if it
   * is. */
  bool (*blame)(struct monitor *, struct problem *);
};
/* Each kind has its own struct, which begins with this one. */
struct monitor {
  const struct monitor_type *type;
  struct mem *mem;
  struct spec spec; /* copied; its values are those of the events */
  unsigned k;
  uint64_t events;
  bool violated;
  struct history *shown; /* being built by show */
};

/* The best monitor there is for the specification, which is bound (spec.values set). NULL with the problem where there
 * is none: it says which specifications have one, and that a formula or grammar of one's own can be given. */
struct monitor *monitor_new(struct mem *, const struct spec *, unsigned k, struct problem *);
void monitor_blind(const struct monitor *, struct text *); /* as monitor_type.blind */
bool monitor_exists(const struct spec *);                  /* has the specification one of its own? */
/* A collection's, that says exactly what A_k says of executions in which every value is pushed once? (As long as what
 * is pending leaves not too many ways to have gone.) Its operations with an argument are those that push it. */
bool monitor_complete(const struct spec *);
struct monitor *monitor_of_formula(struct mem *, const struct spec *, unsigned k, const char *path, struct problem *);
struct monitor *monitor_of_grammar(struct mem *, const struct spec *, unsigned k, const char *path, struct problem *);

/* For the next of many executions, whose values are these: as if new, but what was found out about the specification is
 * still known. False where this kind cannot: make a new one. */
bool monitor_reset(struct monitor *, const struct values *);

/* Events, in their order. slot: the process, or any small number that no other open operation has. Arguments and
 * results are canonical (spec_bind_call, spec_bind_return). After a violation further events are ignored, and
 * monitor_return stays false. */
static inline void monitor_call(struct monitor *m, uint32_t slot, uint16_t method, const value arg[OP_ARGS]) {
  if (m->violated) return;
  m->events++;
  m->type->call(m, slot, method, arg);
}
static inline bool monitor_return(struct monitor *m, uint32_t slot, value result) {
  if (m->violated) return false;
  m->events++;
  m->violated = !m->type->ret(m, slot, result);
  return !m->violated;
}
static inline void monitor_drop(struct monitor *m, uint32_t slot) {
  if (!m->violated) m->type->drop(m, slot);
} /* did not happen */
static inline void monitor_retire(struct monitor *m, uint32_t slot) {
  if (!m->violated) m->type->retire(m, slot);
} /* pending for ever */

/* Within show: an operation with its interval; to == k and pending: it has not returned. */
void monitor_show(struct monitor *, uint16_t method, const value arg[OP_ARGS], value result, bool pending,
                  unsigned from, unsigned to);
/* The same of a given process, where the specification is by_process: slots are processes then. */
void monitor_show_as(struct monitor *, uint32_t process, uint16_t method, const value arg[OP_ARGS], value result,
                     bool pending, unsigned from, unsigned to);
/* An empty history that is bound to the specification already, for what is shown. */
struct history *monitor_history(struct mem *, const struct spec *);
/* Does the exact checker say that this history is not linearizable, with evidence that holds? False with the problem if
 * not. */
bool monitor_confirm(struct mem *, const struct history *, const struct spec *, struct check_result *,
                     struct problem *);
/* Makes all operations part of the core that may matter. */
void monitor_show_all(struct mem *, const struct history *, struct check_result *);
/* After a violation: what shows it, confirmed by the exact checker. False with the problem: an internal error (it was
 * not confirmed), or the user's formula is wrong (violation.blamed). */
bool monitor_violation(struct mem *, struct monitor *, struct violation *, struct problem *);

#endif
