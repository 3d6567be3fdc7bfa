/* Evidence: what a verdict rests on, and the code that re-validates it.
 *
 * Shares nothing with the deciders but history and spec. */
#ifndef ASIF_EVIDENCE_EVIDENCE_H
#define ASIF_EVIDENCE_EVIDENCE_H

#include "check/check.h"
#include "history/input.h"

/* holds: the order is a legal sequential history and keeps real time (Wing and Gong, section 2.2). */
bool evidence_check_order(struct mem *, const struct history *, const struct spec *, const uint32_t *order, const uint32_t *gap,
                          size_t count, struct problem *);
/* violated: no order of the core is legal, tried by plain enumeration with a memo. VERDICT_UNKNOWN: too large to tell. */
enum verdict evidence_check_core(struct mem *, const struct history *, const struct spec *, const struct check_result *,
                                 struct problem *);

bool evidence_write(const char *path, const struct history *, const struct spec *, const struct check_result *, struct problem *);
/* Evidence of another command, which has the line `command NAME` after the first: who re-validates what follows. */
struct evidence_of {
  const char *command; /* NULL ends the list */
  bool (*replay)(struct mem *, struct input *, enum verdict *, struct text *said, struct problem *);
};
/* asif replay: reads an evidence file and re-validates it. The verdict is that on the evidence: HOLDS, it stands. */
bool evidence_replay(struct mem *, const char *path, const struct evidence_of *, enum verdict *, struct text *said,
                     struct problem *);

#endif
