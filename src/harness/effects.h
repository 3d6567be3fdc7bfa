/* The specification that a file gives by its ASIF_EFFECT lines: what joins the front end, which has the lines, and the
 * specifications, which read them. */
#ifndef ASIF_HARNESS_EFFECTS_H
#define ASIF_HARNESS_EFFECTS_H

#include "front/ast.h"
#include "spec/effects.h"

/* Has it one, and is it what is asked for? name: of --spec, or NULL. */
bool unit_has_effects(const struct unit *, const char *name);
bool unit_effects(struct mem *, const struct unit *, struct effects *out, struct problem *);

#endif
