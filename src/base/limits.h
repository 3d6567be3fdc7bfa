/* Limits on one run: wall time, memory, and the user's Ctrl-C.
 *
 * One struct limits is shared by everything that works on a run, threads included. Work polls it; whoever
 * sees a limit reached gives up through its struct mem (mem.h), and the command answers `unknown`. */
#ifndef ASIF_BASE_LIMITS_H
#define ASIF_BASE_LIMITS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum limit { LIMIT_NONE, LIMIT_TIME, LIMIT_MEMORY, LIMIT_INTERRUPT, LIMIT_NO_MEMORY, LIMIT_STATES, LIMIT_SCHEDULES };

struct limits {
  double started;                           /* monotonic seconds at limits_start */
  double seconds;                           /* allowed wall time, 0 for none */
  size_t bytes;                             /* allowed memory, 0 for none */
  unsigned long long states;                /* a search may store, 0 for any number; the search counts them */
  _Atomic size_t used;                      /* bytes held by every struct mem of this run */
  _Atomic int reached;                      /* first enum limit reached */
  const volatile sig_atomic_t *interrupted; /* set by a signal handler, or NULL */
};

void limits_start(struct limits *, double seconds, size_t bytes);
void limits_time(struct limits *, double seconds); /* the clock begins again, with this limit */
double limits_elapsed(const struct limits *);
bool limits_poll(
    struct limits *); /* true once any limit is reached; reads the clock, so poll every few hundred steps */
void limits_reach(struct limits *, enum limit); /* this one is: unless another was before */
const char *limit_told(enum limit);             /* "the time limit was reached" */

double clock_seconds(void);              /* monotonic wall clock */
double clock_cpu_seconds(void);          /* CPU time of the process, all threads */
double clock_children_cpu_seconds(void); /* of processes it started, that have ended */
long peak_rss_kb(void);

#endif
