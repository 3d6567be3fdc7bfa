/* From a history to a verdict. */
#ifndef ASIF_CHECK_CHECK_H
#define ASIF_CHECK_CHECK_H

#include "base/limits.h"
#include "evidence/result.h"
#include "spec/spec.h"

enum method { METHOD_AUTO, METHOD_WING_GONG, METHOD_SEARCH, METHOD_FAST };

struct check_options {
  enum method method;
  int jobs;     /* threads for independent parts */
  bool explain; /* look for the smallest wrong part and the sentence why (default) */
};

/* Decides a finished, bound history. Results are owned by mem. Never prints, never exits. Limits reached in deciding
 * give VERDICT_UNKNOWN. The verdict's evidence has been re-validated (evidence/); false with the problem only for an
 * internal error or a method that does not apply (--method fast on repeated values is a problem, not a verdict). */
bool check_history(struct mem *mem, const struct history *, const struct spec *, const struct check_options *,
                   struct limits *, struct check_result *, struct problem *);

/* The same for a history that may be tied (history/intervals.h): there an answer holds for everything its times allow.
 * It is of a history with the same operations and with other event numbers, which *history then is. */
bool check_touching(struct mem *mem, struct history **history, const struct spec *, const struct check_options *,
                    struct limits *, struct check_result *, struct problem *);

/* Decides operations of one object, with events numbered 0 .. events-1, by call: the verdict alone, for engines that
 * ask about many small histories and confirm what they show. */
enum verdict check_ops(struct mem *, const struct spec *, const struct op *, uint32_t count, uint32_t events);

#endif
