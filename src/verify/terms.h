/* Numbers that a program makes of an address that is not known: what of it decides them.
 *
 * A term is an expression of constants and one address: (a >> 4) * 0x9e3779b9 >> 28. Equal terms have equal numbers,
 * and all copies of a machine share the table. */
#ifndef ASIF_VERIFY_TERMS_H
#define ASIF_VERIFY_TERMS_H

#include "base/mem.h"
#include "front/program.h"

struct terms;
enum { TERM_NONE = 0, TERMS_MOST = 1 << 15, TERM_VALUES_MOST = 128 };
enum { TERM_DIGITS = 40 }; /* times as much room as packed states without terms have */

struct terms *terms_new(struct mem *);
/* Each gives TERM_NONE if there is no such term: C does not define the operation, or it is too large to be kept. */
uint32_t term_address(struct terms *, int64_t byte,
                      uint32_t align); /* byte `byte` of an object at a multiple of align */
uint32_t term_number(struct terms *, int64_t);
uint32_t term_binary(struct terms *, unsigned op, struct scalar, uint32_t a, uint32_t b);
uint32_t term_unary(struct terms *, unsigned op, struct scalar, uint32_t a);
uint32_t term_cast(struct terms *, struct scalar, uint32_t a);

/* How many values it may have at most, or 0: more than TERM_VALUES_MOST. They are term_nth of 0, 1, ... */
unsigned term_values(const struct terms *, uint32_t);
int64_t term_nth(const struct terms *, uint32_t, unsigned i);
/* True if it is seen to have each of these values, wherever in memory the address is and whatever its low bits. */
bool term_takes_all(struct terms *, uint32_t);
/* The bits of the object's address that decide it. */
uint64_t term_support(const struct terms *, uint32_t);
/* Its value where the object is at this address. */
int64_t term_value(const struct terms *, uint32_t, uint64_t address);

/* As digits (digits.h), the same in every process. */
unsigned char *term_put(const struct terms *, uint32_t, unsigned char *);
const unsigned char *term_get(struct terms *, const unsigned char *, uint32_t *);

#endif
