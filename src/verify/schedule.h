/* What a verdict of `asif verify` rests on, as a file, and the code that makes the execution again from it. */
#ifndef ASIF_VERIFY_SCHEDULE_H
#define ASIF_VERIFY_SCHEDULE_H

#include "evidence/evidence.h"
#include "verify/verify.h"

bool schedule_write(const char *path, const struct subject *, const struct verified *, struct problem *);
/* Reads on after the line `command verify`. For struct evidence_of. */
bool schedule_replay(struct replaying *, struct evidence_lines *);

#endif
