/* Evidence of `asif test`: the files, what was found, and the schedule that shows it. */
#ifndef ASIF_TEST_EVIDENCE_H
#define ASIF_TEST_EVIDENCE_H

#include "evidence/evidence.h"

struct object; /* test/test.h, run/run.h, history/schedule.h */
struct run_options;
struct searched;
struct schedule;

struct test_evidence {
  char *const *inputs, *const *flags, *const *program; /* as of compile_options */
  const char *spec;                                    /* what --spec said, or NULL */
  const char *asked;                                   /* the command that does it all again */
  const char *verdict;                                 /* of what was searched where nothing was found */
  const struct object *object;
  const struct run_options *run;
  const char *suppressions; /* a file of them, or NULL */
  const char *larger;       /* which larger clients were tried besides, in words; or NULL */
  const char *unreached;    /* what was never executed, or NULL */
  const struct searched *searched;
  const struct spec *bound; /* to the history of the finding */
  const struct schedule *schedule;
  const char *token;
};
bool test_evidence_write(const char *path, const struct test_evidence *, struct problem *);
/* What follows the line `command test`. For struct evidence_of. */
bool test_evidence_replay(struct replaying *, struct evidence_lines *);

#endif
