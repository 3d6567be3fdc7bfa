/* Coverage: what of the object no client ever reached (coverage.c). */
#ifndef ASIF_TEST_COVERAGE_H
#define ASIF_TEST_COVERAGE_H

#include "test/test.h"

struct coverage;
/* Finds the blocks of the code that the clients' operations can come to. program: the test is main. NULL: it cannot be
 * done. */
struct coverage *coverage_open(struct mem *, const struct compiled *, struct image *, const struct client_source *,
                               bool program);
/* In a process that runs the code, after run_open: notes what it reaches. Several processes note in one. */
void coverage_watch(const struct coverage *);
/* Between searches: of each place that was met for the first time since this was last asked, the number of the first
 * client that did. */
void coverage_news(struct coverage *, void (*tell)(void *self, uint32_t number), void *self);
bool coverage_full(const struct coverage *);  /* was everything met? */
bool coverage_known(const struct coverage *); /* afterwards: was it possible? */
/* Lines that were not executed, or of which a branch was not; the most important first. */
struct unreached {
  const char *file;
  const char *function; /* all of it was not executed; or NULL */
  uint32_t first, last; /* lines */
  bool branch;          /* only a part of the line was not */
};
size_t coverage_unreached(struct coverage *, struct unreached **);
void coverage_close(struct coverage *);

#endif
