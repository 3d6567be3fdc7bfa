/* Random systems of a few states, for the tests of liveness, and runs of them. */
#ifndef ASIF_TESTS_RANDOM_SYSTEM_H
#define ASIF_TESTS_RANDOM_SYSTEM_H

#include "verify/progress.h"

enum { RANDOM_STATES = 8, RANDOM_THREADS = 3, RANDOM_CLOSED = 255, RUN_MOST = 20000 };

struct random_edge {
  uint8_t to;
  unsigned event_count;
  struct event events[EVENTS_MOST]; /* a RETURN has the number of its call here; the system does not say it */
};

struct random_system {
  struct system system;
  unsigned states;
  uint8_t open[RANDOM_STATES][RANDOM_THREADS]; /* the call, or RANDOM_CLOSED */
  struct {
    unsigned count;
    struct random_edge edges[2];
    enum moved without; /* what a thread without moves does */
    bool locked;        /* ... and if it WAITS, for a lock */
  } moves[RANDOM_STATES][RANDOM_THREADS];
};

/* Calls are those of toy_names. */
void random_system_make(struct random_system *, uint64_t *seed, unsigned states, unsigned threads);
/* Is a thread inside an operation in this state, and waits for a condition? */
bool random_held(const struct random_system *, unsigned state, unsigned thread);
bool random_conditions(const struct random_system *); /* ... in any state: then there may be no run at all */
/* One with a single run: a line of states, each with one move, the last of which goes back to some state. */
void random_line_make(struct random_system *, uint64_t *seed, unsigned states);

/* Makes the moves of a result's stem and loop again and checks that they are what it says, and that the loop is one. Of
 * a random system: puts the state before each move, and the last, into states, and the moves into edges, unless they
 * are NULL. */
void run_replay(struct system *, const struct liveness_result *, uint8_t *states, const struct random_edge **edges);
/* Is repeating these moves, from these states, fair? A run that has ended (no moves) is. */
bool run_fair(const struct random_system *, const uint8_t *states, const struct path_move *, size_t count,
              enum fairness);

/* The threads that wait for a condition in all of these states, or in the last of a run that has ended: a bit each. */
unsigned run_held(const struct random_system *, const uint8_t *states, size_t count);

unsigned random_below(uint64_t *seed, unsigned n);

#endif
