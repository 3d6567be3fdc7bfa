/* A history monitored while it is read: of any length, in memory that does not grow with it.
 *
 * Each event goes from the reader (history/history.h, struct follower) through the binding to the monitor of its
 * object, and is then forgotten, but for the last few thousand operations: they tell where in the input the operations
 * stand that show a violation. */
#ifndef ASIF_APPROX_STREAM_H
#define ASIF_APPROX_STREAM_H

#include "approx/monitor.h"
#include "history/format.h"

struct stream_options {
  const struct spec *spec; /* NULL: guessed from how the history begins */
  unsigned k;
  const char *formula, *grammar; /* in the place of the specification's own monitor; or NULL */
};

struct stream_object;
struct stream_open;
struct waiting;
struct recent;

struct stream {
  struct follower follower; /* first */
  struct mem *mem;
  struct history *history; /* the tables of what is read */
  struct stream_options options;
  struct spec spec; /* name NULL while it is not known */
  struct binder *binder;
  bool echoes;
  VEC(int32_t) methods; /* of the history: of the specification, -1 if not asked for yet */
  VEC(struct stream_object) objects;
  VEC(struct stream_open) open; /* by slot */
  struct monitor *first;        /* made before anything was read, for the first object */
  VEC(struct waiting) waiting;  /* events, while the specification is not known */
  struct recent *recent;        /* a ring */
  uint64_t recent_count;        /* all that ever came into it */

  uint64_t operations, events; /* taken so far; operations that failed are not counted */
  uint32_t pending;            /* called, not returned */
  uint64_t line;               /* of the last event */
  const char *stopped;         /* why the reading ends; or NULL */
  struct problem problem;      /* where something is wrong with an event */
  struct monitor *violated;    /* the monitor that says so; or NULL */
  uint32_t object;             /* its object */
};

/* False with the problem: the specification has no monitor, or its formula or grammar is not one. The name is for
 * messages. */
bool stream_open(struct stream *, struct mem *, const struct stream_options *, const char *name, struct problem *);
/* Reads to the end, or to the first violation (stream.violated), and closes the input. False with the problem. Limits
 * that are reached jump to the guard of mem; what was reached by then stays in the struct. */
bool stream_read(struct stream *, struct input *, const struct format *, struct problem *);
/* What shows the violation, with the lines and processes of its operations where they are recent. As monitor_violation.
 */
bool stream_violation(struct stream *, struct mem *, struct violation *, struct problem *);
/* What the monitors do not look at, or could not tell: a sentence a line (monitor_blind). */
void stream_blind(const struct stream *, struct text *);
const char *stream_kind(const struct stream *); /* of its monitors: "elements"; NULL while there are none */
size_t stream_bytes(const struct stream *);     /* that the monitors hold */
uint64_t stream_held(const struct stream *);    /* values in flight, or labels */
uint64_t stream_length(const struct stream *);  /* intervals begun, in all objects together */

#endif
