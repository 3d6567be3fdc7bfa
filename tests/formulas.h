/* Formulas and countings, as the tests of both need them. */
#ifndef ASIF_TESTS_FORMULAS_H
#define ASIF_TESTS_FORMULAS_H

#include "approx/formula.h"
#include "approx/monitor.h"
#include "history/history.h"
#include "spec/spec.h"

long histories(long usual); /* random ones: ASIF_TEST_HISTORIES, or as many as usual */
struct spec spec_of(struct mem *, const char *name);
struct formula *formula_of(struct mem *, const char *text);
struct formula *bound(struct mem *, const char *text, const struct spec *);
void prints_as_itself(struct mem *, const char *text);
struct counting *count_history(struct mem *, const struct history *, unsigned k,
                               uint32_t events); /* of its first events */

#endif
