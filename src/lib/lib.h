/* The handles of the public API for histories and answers, from inside: see asif.h for what they promise. */
#ifndef ASIF_LIB_LIB_H
#define ASIF_LIB_LIB_H

#include <locale.h>

#include "asif.h"
#include "check/check.h"
#include "history/history.h"
#include "spec/spec.h"

/* What an asif_history has been given so far: formats of building do not mix. */
enum content { CONTENT_NONE, CONTENT_EVENTS, CONTENT_INTERVALS, CONTENT_FINISHED };

struct process {
  uint32_t index;  /* in history.processes */
  uint32_t object; /* of its open operation */
};

struct asif_history {
  struct mem mem;
  struct history *history;
  enum content content;
  struct names *numbers;         /* the processes' numbers, as bytes ... */
  VEC(struct process) processes; /* ... and what belongs to each */
  asif_status broken;            /* not ASIF_DONE: an event was refused, and nothing is answered any more */
  struct problem error;
};

struct asif_answer {
  struct mem mem;
  struct history *history; /* bound to spec */
  struct spec spec;
  struct check_result result;
  bool decided;         /* there is a verdict */
  const char *evidence; /* the file written */
  double seconds, cpu_seconds;
  long peak_rss_kb;
};

/* A deep copy of a finished history, in memory of its own: binding to a specification works in place. */
struct history *history_copy(const struct history *, struct mem *);

/* Numbers are read and written as in C whatever the program's locale is, between these two. */
static inline locale_t locale_enter(locale_t *ours) {
  *ours = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return uselocale(*ours);
}
static inline void locale_leave(locale_t ours, locale_t before) {
  uselocale(before);
  if (ours) freelocale(ours);
}

#endif
