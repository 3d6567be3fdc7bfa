/* An object compiled and run under all schedules, as `asif test` does it; in words of neither engine, since their
 * headers do not go together. */
#ifndef ASIF_TESTS_COMPILED_H
#define ASIF_TESTS_COMPILED_H

#include "base/text.h"
#include "history/value.h"

enum { COMPILED_CALLS = 8, COMPILED_THREADS = 4 };

/* Thread t makes the calls first[t] .. first[t + 1] - 1. */
struct compiled_client {
  unsigned threads;
  uint32_t first[COMPILED_THREADS + 1];
  struct {
    const char *function;
    long arg[3];
  } calls[COMPILED_CALLS];
};

struct compiled_event {
  uint8_t thread;
  bool is_return;
  value result;
};

enum compiled_end {
  COMPILED_WHOLE,
  COMPILED_WAITING,
  COMPILED_FAULT,
  COMPILED_LONG,
  COMPILED_RACE,
  COMPILED_CANNOT /* be run */
};
enum compiled_fault {
  NO_FAULT,
  USE_AFTER_FREE,
  DOUBLE_FREE,
  BAD_FREE,
  OUT_OF_BOUNDS,
  ASSERTION,
  CRASH,
  MISUSE,
  OTHER_FAULT
};
struct compiled_run {
  enum compiled_end end;
  enum compiled_fault fault;
  const char *said;
  const struct compiled_event *events;
  size_t count;
  bool linearizable; /* of a whole one */
};

/* BY_FEW_DELAYS: not complete; SKIPPING: without those that are like others.
 * BY_RACES: as `asif test` does it where nothing else is said: plain accesses are not interleaved, but races are a
 * finding. */
enum compiled_way {
  BY_DPOR,
  BY_ALL,
  BY_ALL_CACHED,
  BY_DELAYS,
  BY_PREEMPTIONS,
  BY_RACES,
  BY_FEW_DELAYS,
  BY_FEW_DELAYS_SKIPPING,
  COMPILED_WAYS
};
extern const char *const compiled_ways[];

struct compiled_object;
/* So that all plain accesses are those of the source; as `asif test` compiles it; or as the first, and integer
 * arithmetic that C leaves undefined is a trap, a crash. */
enum compiled_how { COMPILED_PLAIN, COMPILED_OPTIMISED, COMPILED_TRAPPING };
struct compiled_object *compiled_open(struct mem *, const char *source, enum compiled_how, struct problem *);
void compiled_close(struct compiled_object *);
/* Allocations may get every freed block, and not only those whose address somebody may have. */
void compiled_reuse_all(struct compiled_object *);
/* Every schedule; results are in the values. False with the problem: an internal error. *complete: nothing was left
 * out. The visitor's false ends it. */
bool compiled_explore(struct compiled_object *, const struct compiled_client *, enum compiled_way, struct values *,
                      bool (*visit)(void *, const struct compiled_run *), void *context, bool *complete,
                      uint64_t *schedules, struct problem *);

#endif
