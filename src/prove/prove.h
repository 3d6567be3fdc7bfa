/* Proving an object linearizable for any number of threads (Vafeiadis 2009).
 *
 *   read (front/) -> the views of a thread, closed under its steps and those of others -> proved, or the step that
 * fails */
#ifndef ASIF_PROVE_PROVE_H
#define ASIF_PROVE_PROVE_H

#include "base/limits.h"
#include "base/text.h"
#include "check/check.h"
#include "front/program.h"
#include "prove/proof.h"
#include "spec/spec.h"

/* The columns of the paper's Table 1: memory safety; and results and abstract value; and exactly one linearization
 * point. */
enum prove_level { LEVEL_MS, LEVEL_NU, LEVEL_FULL };
enum prove_points { POINTS_AUTO /* marked ones, if there are any */, POINTS_MARKED, POINTS_FOUND };

struct prove_options {
  const char *path;
  const char *spec;     /* --spec; NULL: what the file says */
  char *const *cc_args; /* for the preprocessor, NULL-terminated; or NULL */
  enum prove_level level;
  enum prove_points points;
  unsigned recursion;
  bool only_read; /* compile and load nothing: a source that needs a compiler, or a specification in C, is a problem */
};

struct prove_failure {
  char said[240];
  uint32_t pc;    /* in the step that begins at which instruction; 0: at the start */
  uint32_t at;    /* ... at which one of it */
  uint32_t view;  /* in which of the views; 0: none */
  bool limit;     /* the prover could not go on: nothing is known to be wrong */
  bool own_point; /* with other linearization points of this operation it may go well */
};

struct prover;
struct proved {
  enum verdict verdict;   /* VERDICT_HOLDS: proved; VERDICT_UNKNOWN */
  enum prove_level level; /* the last that was tried: where memory safety is not proved, nothing else is */
  struct spec spec;
  const struct unit *unit;
  const struct program *program;
  struct prover *prover; /* views, actions and points of the proof, or of the try that came furthest */
  struct prove_failure failure;
  unsigned tries; /* sets of linearization points */
};

/* False with the problem where the file cannot be read, or has no specification that prove knows. Limits go to the
 * mem's guard. */
bool prove(struct mem *, const struct prove_options *, struct proved *, struct problem *);

/* In words, into the mem; of views beside those between operations only if `all`, with pictures. Also of what a limit
 * cut short. */
void prove_tell(const struct proved *, const struct prove_options *, bool all, struct mem *, struct proof *);
struct prove_counts {
  uint64_t views, actions, steps, compositions;
};
struct prove_counts prove_counts(const struct proved *);

#endif
