/* The specification that a file gives by its ASIF_EFFECT lines. */
#ifndef ASIF_FRONT_EFFECTS_H
#define ASIF_FRONT_EFFECTS_H

#include "front/ast.h"
#include "spec/effects.h"

/* Has it one, and is it what is asked for? name: of --spec, or NULL. */
bool unit_has_effects(const struct unit *, const char *name);
bool unit_effects(struct mem *, const struct unit *, struct effects *out, struct problem *);

#endif
