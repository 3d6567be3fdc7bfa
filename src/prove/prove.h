/* Proving an object linearizable for any number of threads (Vafeiadis 2009).
 *
 *   read (front/) -> the views of a thread, closed under its steps and those of others -> proved, or the step that
 * fails */
#ifndef ASIF_PROVE_PROVE_H
#define ASIF_PROVE_PROVE_H

#include "base/limits.h"
#include "base/proof.h"
#include "base/text.h"
#include "check/check.h"
#include "front/program.h"
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

/* What a failure is about. */
enum prove_fail {
  FAIL_NOTHING,
  FAIL_NULL,         /* null is followed */
  FAIL_FREED,        /* freed memory is accessed */
  FAIL_FREED_TWICE,  /* ... or freed */
  FAIL_FREES_SHARED, /* memory is freed that others reach */
  FAIL_LOST,         /* nobody can free it */
  FAIL_BOUNDS,       /* an access beyond an object */
  FAIL_POINTER,      /* a pointer of which nothing is known */
  FAIL_UNSET,        /* a value that was never set */
  FAIL_UNDEFINED,    /* arithmetic that C does not define */
  FAIL_ASSERT,
  FAIL_TRAP, /* abort, a missing return value */
  FAIL_RELOCK,
  FAIL_UNLOCK,
  FAIL_DESTROY,   /* a mutex that is locked, or not initialised, is destroyed */
  FAIL_CONSTANT,  /* a constant is written */
  FAIL_TWICE,     /* linearizes twice */
  FAIL_NO_POINT,  /* returns without having linearized */
  FAIL_RESULT,    /* returns another result */
  FAIL_POINT,     /* marked points: where, or whose */
  FAIL_TAKES_OUT, /* which value is taken out is not known */
  FAIL_CONTENTS,  /* what the contents are */
  FAIL_ACTION,    /* none of the given actions */
  FAIL_ORDER,     /* an order of evaluation that C leaves open */
  FAIL_ENDLESS,
  FAIL_OUTSIDE, /* what prove does not follow */
  FAIL_TOO_LARGE,
  FAILS
};
bool prove_fail_blames_points(enum prove_fail); /* with other linearization points it may go well */

struct prove_failure {
  enum prove_fail kind;
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
 * cut short. `wrong`: an execution was found that is. */
void prove_tell(const struct proved *, const struct prove_options *, bool all, bool wrong, struct mem *,
                struct proof *);
struct prove_counts {
  uint64_t views, actions, steps, compositions;
};
struct prove_counts prove_counts(const struct proved *);

#endif
