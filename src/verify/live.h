/* Liveness of an object in C: its operations as formulas call them, and the system that progress is decided on. */
#ifndef ASIF_VERIFY_LIVE_H
#define ASIF_VERIFY_LIVE_H

#include "verify/progress.h"
#include "verify/verify.h"

/* A machine of its own: calls are moves of their own, so that who waits has called; clients keep within the bound, if there is
 * one. */
struct system *live_system(struct subject *);

/* Operations by the name of the C function, or by the specification's names. Values: numbers, and true false nil empty full ok. */
struct ltl_names live_names(struct subject *);

#endif
