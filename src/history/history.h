/* Histories: what happened, as a sequence of events.
 *
 * An operation is a call and, unless it is pending, a return. Events are numbered 0, 1, 2, ... in the order
 * they happened; an operation may take effect in any *gap* g, between event g and event g+1, with
 * call <= g < ret. Where a format gives times, intervals are closed: see intervals.h.
 *
 * Wing and Gong 1993, section 2.1. */
#ifndef ASIF_HISTORY_HISTORY_H
#define ASIF_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/text.h"
#include "history/time.h"
#include "history/value.h"

#define OP_ARGS   3
#define NO_RETURN UINT32_MAX /* ret of a pending operation */

struct op {
  uint32_t call, ret; /* event numbers */
  uint32_t process;   /* index into history.processes */
  uint32_t object;    /* index into history.objects */
  value arg[OP_ARGS]; /* V_NONE where absent */
  value result;       /* V_NONE for Ok(), V_UNKNOWN if pending or not observed */
  uint32_t line;      /* line of the call in the source, 0 if none */
  uint16_t method;    /* index into history.methods; once bound to a spec, into spec.ops */
};

static inline bool op_pending(const struct op *o) { return o->ret == NO_RETURN; }

struct names; /* dense indices for names */
struct follower;
struct input;

struct history {
  struct mem *mem;
  struct values *values;
  VEC(struct op) ops; /* by call, once finished */
  uint32_t events;    /* number of events, once finished */
  struct names *processes, *objects, *methods;
  int64_t *call_time, *ret_time; /* an operation each, where the format has times; else NULL */
  const char *source;            /* file name for messages */
  const char *format;            /* name of the format it was read from, or NULL */
  const char *object_type;       /* "atomic-stack" from `# @object`, or NULL */
  bool lanes;                    /* the format has no processes: those here say who overlaps, and no more */
  bool in_turn;                  /* intervals of a process that touch do not overlap (intervals.h) */
  bool touches, tied;            /* some do touch; those of several processes do at one moment */
  bool echoes;                   /* Jepsen: a completion repeats the call's value; a failed operation did not happen */
  uint64_t failed, skipped, retired; /* dropped :fail, foreign processes, :info operations */
  uint64_t late;           /* events that came after one with a later time: all were put in the order of their times */
  struct builder *builder; /* while it is being built */
  const char **written;    /* what operations are called where they were called from: an operation each, in the order of
                              their calls; or NULL */
  struct follower *follower; /* who takes the events instead: no operation is kept; or NULL */
};

/* Name tables (history/names.c): dense indices for process, object and method names. */
uint32_t names_intern(struct names *, const char *, size_t len);
const char *names_at(const struct names *, uint32_t);
uint32_t names_count(const struct names *);
struct names *names_new(struct mem *);

/* Building (history/build.c). Each returns NULL, or what is wrong ("returns, but has not called"), to be
 * prefixed with the place by the reader. */
struct history *history_new(struct mem *, const char *source);
const char *history_call(struct history *, uint32_t process, uint32_t object, uint32_t method, const value *args,
                         int count, uint32_t line);
const char *history_return(struct history *, uint32_t process, uint32_t object,
                           value result);                     /* took effect, returned */
const char *history_fail(struct history *, uint32_t process); /* did not happen: dropped */
const char *history_info(struct history *, uint32_t process); /* outcome unknown: stays open, process retires */
/* For event formats with times: the time of the event that `process` has next, NULL if it has none. Either all events
 * have one or none has, and those of a process do not go back; otherwise what is wrong is returned, a whole sentence
 * that is valid until the next call. Where times go back from one process to another history_finish puts the events in
 * their order, those at one time in the order they came. A follower takes events as they come: there, times never go
 * back. */
const char *history_time(struct history *, uint32_t process, const struct event_time *, uint64_t line);
/* One whole operation of a format with times; end == INT64_MAX for a pending one. */
const char *history_interval(struct history *, uint32_t process, uint32_t object, uint32_t method, const value *args,
                             int count, value result, int64_t start, int64_t end, uint32_t line);
void history_finish(struct history *); /* orders and numbers the events, drops failed operations */
bool history_busy(const struct history *, uint32_t process);

/* Who takes a history's events as they are read: histories of any length, in memory for the tables of names and values
 * only. Each function returns NULL, or what is wrong, which ends the reading. slot: a number that no other operation
 * has from its call to its return. line: of the event in the source, 0 if none. */
struct follower {
  const struct input *input; /* while it is read */
  const char *(*call)(struct follower *, const struct op *, uint32_t slot,
                      uint64_t line); /* its process, object, method, arguments */
  const char *(*ret)(struct follower *, uint32_t slot, value result, uint64_t line);
  const char *(*fail)(struct follower *, uint32_t slot, uint64_t line); /* did not happen */
  const char *(*info)(struct follower *, uint32_t slot, uint64_t line); /* outcome unknown: pending for ever */
};
/* Gives the events of a finished history to its follower, for formats that are read whole: those with times. NULL, or
 * what is wrong. */
const char *history_retell(struct history *);

/* The events in order: entry e is (operation << 1) | is_return. 4 bytes an event; the caller frees it. */
uint32_t *history_events(const struct history *, struct mem *);

/* The sub-history of the given operations, same tables, events renumbered. */
struct history *history_restrict(const struct history *, struct mem *, const uint32_t *ops, size_t count);

#endif
