/* Evidence: what a verdict rests on, and the code that re-validates it.
 *
 * Shares nothing with the deciders but history and spec. */
#ifndef ASIF_EVIDENCE_EVIDENCE_H
#define ASIF_EVIDENCE_EVIDENCE_H

#include "check/check.h"
#include "history/input.h"
#include "history/output.h"

/* holds: the order is a legal sequential history and keeps real time (Wing and Gong, section 2.2). */
bool evidence_check_order(struct mem *, const struct history *, const struct spec *, const uint32_t *order,
                          const uint32_t *gap, size_t count, struct problem *);
/* violated: no order of the core is legal, tried by plain enumeration with a memo. VERDICT_UNKNOWN: too large to tell.
 */
enum verdict evidence_check_core(struct mem *, const struct history *, const struct spec *, const struct check_result *,
                                 struct problem *);

bool evidence_write(const char *path, const struct history *, const struct spec *, const struct check_result *,
                    struct problem *);
/* The part of a file from the line `verdict` on: a verdict on a history, and what it rests on. Evidence of other
 * commands may end with one. */
struct history_evidence {
  bool holds;
  const char *spec; /* its name, or the path of a C file */
  struct check_result result;
  struct history *history; /* not bound yet */
};
bool evidence_put(struct mem *, struct output *, const struct history *, const struct spec *,
                  const struct check_result *, struct problem *);
bool evidence_read(struct mem *, struct input *, struct history_evidence *, struct problem *);
/* Re-validates it with the specification it names. The verdict is that on the evidence: HOLDS, it stands. */
bool evidence_judge(struct mem *, const struct history_evidence *, struct spec *, enum verdict *, struct text *said,
                    struct problem *);

/* Evidence of another command, which has the line `command NAME` after the first: who re-validates what follows. */
struct evidence_of {
  const char *command; /* NULL ends the list */
  bool (*replay)(struct mem *, struct input *, enum verdict *, struct text *said, struct problem *);
};
/* asif replay: reads an evidence file and re-validates it. The verdict is that on the evidence: HOLDS, it stands. */
bool evidence_replay(struct mem *, const char *path, const struct evidence_of *, enum verdict *, struct text *said,
                     struct problem *);

#endif
