/* Evidence of `asif prove`: a proof as a file, and checking it again. */
#ifndef ASIF_PROVE_EVIDENCE_H
#define ASIF_PROVE_EVIDENCE_H

#include "evidence/evidence.h"
#include "prove/prove.h"

/* Of what is proved. */
bool prove_evidence_write(const char *path, const struct prove_options *, const struct proved *, struct problem *);
/* From the line after `command prove` on: evidence_of (evidence/evidence.h). */
bool prove_evidence_replay(struct replaying *, struct evidence_lines *);

#endif
