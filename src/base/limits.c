/* Limits: see limits.h. */
#include "base/limits.h"

#include <sys/resource.h>
#include <time.h>

double clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_children_cpu_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

long peak_rss_kb(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss;
}

void limits_start(struct limits *l, double seconds, size_t bytes) {
  *l = (struct limits){.started = clock_seconds(), .seconds = seconds, .bytes = bytes};
}

void limits_time(struct limits *l, double seconds) {
  l->started = clock_seconds();
  l->seconds = seconds;
}

double limits_elapsed(const struct limits *l) { return clock_seconds() - l->started; }

bool limits_poll(struct limits *l) {
  int reached = atomic_load_explicit(&l->reached, memory_order_relaxed);
  if (!reached && l->seconds > 0 && limits_elapsed(l) >= l->seconds) reached = LIMIT_TIME;
  if (!reached && l->interrupted && *l->interrupted) reached = LIMIT_INTERRUPT;
  if (!reached) return false;
  limits_reach(l, (enum limit)reached);
  return true;
}

void limits_reach(struct limits *l, enum limit limit) {
  int none = LIMIT_NONE;
  atomic_compare_exchange_strong(&l->reached, &none, (int)limit);
}

const char *limit_told(enum limit limit) {
  switch (limit) {
  case LIMIT_TIME: return "the time limit was reached";
  case LIMIT_MEMORY: return "the memory limit was reached";
  case LIMIT_INTERRUPT: return "it was interrupted";
  case LIMIT_STATES: return "the limit of states was reached";
  case LIMIT_NO_MEMORY: return "the machine's memory was used up";
  case LIMIT_SCHEDULES: return "the limit of schedules was reached";
  default: return "no limit was reached";
  }
}
