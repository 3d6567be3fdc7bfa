/* Expressions as C, for schedules and messages. */
#ifndef ASIF_FRONT_DUMP_H
#define ASIF_FRONT_DUMP_H

#include "front/ast.h"

void expr_print(const struct expr *, struct text *); /* "t->next", "x == 1" */

#endif
