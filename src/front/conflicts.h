/* Expressions whose operands were found to conflict when the program ran.
 *
 * Where nobody else runs in between, the order of two operands matters only if one writes what the other uses. Which
 * memory that is often shows when the program runs and not before: such operands are evaluated in one order, with what
 * each accesses written down (lower_checked.c, verify/unordered.c). Where two do conflict after all the place goes into
 * this list, the program is lowered anew, and that expression is evaluated in every order. Workers share the list. */
#ifndef ASIF_FRONT_CONFLICTS_H
#define ASIF_FRONT_CONFLICTS_H

#include "front/ast.h"

enum { CONFLICTS_MOST = 24 }; /* beyond that every expression is evaluated in every order */

struct conflicts *conflicts_new(struct mem *);
void conflicts_add(struct conflicts *, struct place);
/* Is the expression at this place to be evaluated in every order? */
bool conflicts_has(struct conflicts *, struct place);
/* A line for each, "file line column", in the order they were found; "every" where every place counts. Gives how many
 * there are, and CONFLICTS_MOST + 1 for every place. */
unsigned conflicts_print(struct conflicts *, struct text *);
/* Adds those of such a text. False if it is not one. */
bool conflicts_read(struct conflicts *, const char *text);

#endif
