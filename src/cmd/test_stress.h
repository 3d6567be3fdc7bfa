/* asif test --stress: what of `asif test` is only its. */
#ifndef ASIF_CMD_TEST_STRESS_H
#define ASIF_CMD_TEST_STRESS_H

#include "cmd/cmd.h"

/* The options, for the table of the command: those that no other way of testing has. Beside them it takes spec,
 * threads, ops, seed, json, html, junit, svg, evidence, time-limit, memory-limit, quiet. */
#define STRESS_OPTIONS \
  {"stress", 0, NULL, NULL, \
   "real threads on real cores: random calls, recorded with real times and checked, round after round"}, \
      {"time", 0, "TIME", NULL, "stress: how long each thread makes calls in a round, instead of --ops: 0.01"}, \
      {"history", 0, "FILE", "@files", "stress: make the calls of this history, each process on a thread of its own"}, \
      {"repeat", 0, "N", NULL, \
       "stress: that many rounds (default: with --history 1, otherwise until the time limit, 10 s); with --replay: " \
       "that many runs"}, \
      {"output", 0, "FILE", "@files", \
       "stress: write the rounds in Wing and Gong's format; without --history and --repeat, the last one only; -: to " \
       "standard output"}, \
      {"no-perturb", 0, NULL, NULL, \
       "stress: only the code as it ships; by default, threads pause at shared accesses in two rounds of three"}, \
      {"sanitize", 0, "WHAT", "thread|address", "stress: compiled with this sanitizer"}, \
      {"hang", 0, "TIME", NULL, "stress: operations hang if none has returned for this long (default: 5)"}, { \
    "throughput", 0, NULL, NULL, "stress: measure throughput and latency, for 1, 2, ... threads" \
  }

/* --monitor approx:K, which both have. False: it is another, and that was said. */
bool read_monitor(const struct args *, bool *approx, unsigned *k);
bool stress_options_fit(
    const struct args *); /* none of them without --stress, and none that is only for the others with it */
/* flags: for the compiler, NULL-terminated; so are the inputs. */
int test_stress(const struct args *, char *const *inputs, char *const *flags);

/* The answer where it was over before the first run: the verdict line, or the JSON object; the exit status. */
int not_tested(const struct args *, const char *file, const char *why);

#endif
