/* What a verdict of `asif verify` rests on, as a file, and the code that makes the execution again from it. */
#ifndef ASIF_VERIFY_SCHEDULE_H
#define ASIF_VERIFY_SCHEDULE_H

#include "history/input.h"
#include "verify/verify.h"

bool schedule_write(const char *path, const struct subject *, const struct verified *, struct problem *);
/* Reads on after the line `command verify`. HOLDS: the evidence stands. */
bool schedule_replay(struct mem *, struct input *, enum verdict *, struct text *said, struct problem *);

#endif
