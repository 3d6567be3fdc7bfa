/* What `asif test` is asked, and what came of it: between its run (test.c) and its answer (test_answer.c). */
#ifndef ASIF_CMD_TEST_JOB_H
#define ASIF_CMD_TEST_JOB_H

#include "cmd/cmd.h"
#include "report/report.h"
#include "test/compile.h"
#include "test/coverage.h"
#include "test/sites.h"
#include "test/tell.h"

/* What the child is doing, for when it dies. SAID: the verdict is printed, the files asked for are being written. */
enum test_phase { PHASE_COMPILE, PHASE_LOAD, PHASE_PREPARE, PHASE_RUN, PHASE_TELL, PHASE_SAID, PHASE_DONE };

/* A finding that is listed. */
struct test_other {
  const struct finding *finding;
  struct spec spec;
  struct schedule schedule;
  const char *token;
};

struct test_job {
  const struct args *args;
  char **inputs, **flags, **program; /* program: what main is called with, or NULL */
  const char *directory;
  volatile int *phase, *status; /* shared with the parent; the exit status, from PHASE_SAID on */
  struct client_options size;
  bool sized;   /* the user said how large clients are, or which */
  bool limited; /* ... or how long it may take */
  bool anytime; /* clients that are larger than `size` are tried, too */
  struct search_options options;
  const char *leaks;
  sentences suppressions; /* what there is to say about them */
  double seconds, cpu;
  double begun; /* when, by the clock: limits have clocks of their own */
  size_t bytes;
  struct limits limits;
  struct compiled compiled;
  struct image *image;
  struct object object;
  struct client_source clients;
  struct searched answer;
  struct unreached *unreached; /* code that no client reached */
  size_t unreached_count;
  bool covered; /* ... is known */
  struct schedule schedule;
  struct spec spec;          /* bound to the history found */
  struct mem *mem;           /* of the search, while there is one */
  struct mem own;            /* what is made of a finding: without limits, since they may just have been reached */
  const char *token;         /* repeats the finding */
  struct test_other *others; /* with --keep-going */
  size_t other_count;
  uint64_t repeats;       /* how often */
  bool changed;           /* the token is of other code */
  bool told_consistently; /* what was found under C11 memory is told as it is where memory is sequentially consistent */
  double fix_seconds;     /* for looking for what repairs a violation; 0: it is not looked for */
  struct fix *fix;        /* what was found; or NULL */
  bool relax;             /* what could be weaker is asked for: */
  struct relaxed *relaxed;
  const struct sites *sites; /* of both */
  const char *sc_because; /* why memory is sequentially consistent though nobody says so, whatever the code asks for; or
                           * NULL */
  const char *because; /* why the verdict is unknown: what is added to the limit, or, without one, all of it; or NULL */
};

/* What is wrong, in words. */
static inline const char *reason_of(const struct finding *f) {
  return f->found == FOUND_HISTORY ? f->result.reason : f->shown ? f->shown : f->said;
}
/* Memory orders (test_orders.c): of a violation, what repairs it; of clients that are right, what could be weaker. */
void look_for_fix(struct test_job *);
void look_for_weaker(struct test_job *);
char *fix_words(const struct test_job *, struct mem *);           /* whole lines; NULL: there is nothing to say */
const char *relaxed_words(const struct test_job *, struct mem *); /* the same */
void orders_json(const struct test_job *, struct text *);
/* Writes the answer, to stdout and into the files asked for; the exit status. */
int test_answer(struct test_job *);

#endif
