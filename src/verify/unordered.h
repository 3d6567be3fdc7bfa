/* Operands that C evaluates in no order, evaluated one after the other: does one write what another uses? */
#ifndef ASIF_VERIFY_UNORDERED_H
#define ASIF_VERIFY_UNORDERED_H

#include "verify/machine_parts.h"

struct unordered *unordered_new(struct mem *);
void unordered_reset(struct unordered *); /* a step begins */
/* Whether some operand is being evaluated. */
bool unordered_open(const struct unordered *);
/* I_UNORDERED. */
enum ended unordered_mark(struct run *, const struct inst *);
/* Cells or bytes of an object are accessed. */
enum ended unordered_access(struct run *, const struct inst *, uint32_t object, int64_t from, int64_t to, bool wrote);
/* A new object has this number: what was accessed under it before was another. */
void unordered_born(struct unordered *, uint32_t object);
/* What cannot be compared, as a lock that is waited for, is done within an operand. */
enum ended unordered_other(struct run *, const struct inst *);

#endif
