/* What C functions take and return, as values of a specification: the one conversion, for objects and specifications
 * written in C (verify, test, user_run.c), for histories built by the library, and for what is proved.
 *
 * asif.h gives results that are not numbers (ASIF_EMPTY, ...) the least ints. Each kind of result has one form for what
 * says the same, and spec_bind leaves that form as it is, so that a history written to a file and read back is the
 * same history:
 *
 *   result            ASIF_OK   NIL     TRUE   FALSE  EMPTY   FULL    a number     a bool function
 *   RESULT_NONE       none      none    none   none   none    none    none         none
 *   RESULT_BOOL       true      false   true   false  false   false   n != 0       true, false
 *   RESULT_VALUE      empty     empty   true   false  empty   full    n            1, 0
 *   RESULT_CONTENT    nil       nil     true   false  nil     full    n            1, 0
 *   RESULT_INT        n         n       n      n      n       n       n            1, 0
 *   RESULT_NONE_FULL  none      none    none   full   none    full    none         none, full
 *   RESULT_VALUE_ABORT  empty   empty   true   false  empty   full    n            1, 0      false is abort
 *   RESULT_OLD        unknown   nil     true   false  nil     full    n            refused
 *   RESULT_ANY        none      empty   true   false  empty   full    n            true, false
 *
 * A function without a result returns none, whatever the kind; of RESULT_OLD it is unknown what it would have. */
#ifndef ASIF_SPEC_C_VALUES_H
#define ASIF_SPEC_C_VALUES_H

#include "asif.h"
#include "spec/spec.h"

enum c_type { C_VOID, C_BOOL, C_NUMBER }; /* what a function returns; C_NUMBER: int or long */

/* Of asif.h's signatures, where int and long are apart. */
static inline enum c_type c_type_of(int signature) {
  unsigned t = (unsigned)signature & 3;
  return t > C_NUMBER ? C_NUMBER : (enum c_type)t;
}

enum { C_SPECIALS = ASIF_FULL - ASIF_OK + 1 }; /* those that a function may return */

/* True if the number is one of ASIF_OK .. ASIF_ANY, which lie in the order of the V_... . */
static inline bool c_special(int64_t n, value *v) {
  if (n < ASIF_OK || n > ASIF_ANY) return false;
  *v = (value)(n - ASIF_OK) << 1 | 1;
  return true;
}

/* The name of a number that says something as a result and nothing as an argument; NULL for all others. */
static inline const char *c_only_result(int64_t n) {
  return n == ASIF_OK ? "ASIF_OK" : n == ASIF_ANY ? "ASIF_ANY" : NULL;
}

/* Texts of a history are ints too, from ASIF_OK on: user_run.c. */
enum { C_TEXTS = 1 << 29 };

/* A result. True: *v; false: it is the number *n. `data` has bit i if the number ASIF_OK + i is an argument of some
 * operation: as an element it is that number. */
bool c_result(unsigned result_kind, enum c_type, unsigned data, int64_t *n, value *v);
/* The numbers low .. high as arguments, for `data`. */
unsigned c_data(int64_t low, int64_t high);
/* True if an argument in low .. high could not be told from a result that says something else; *what is its name. */
bool c_clash(const struct spec *, int64_t low, int64_t high, const char **what);

/* What a function of this type returns, if an operation with this kind of result cannot be one; else NULL. */
const char *c_misfit(unsigned result_kind, enum c_type);
/* The kind of result that a function of this type has, where nothing else is known about it. */
enum result_kind c_result_kind(enum c_type);
/* The object's function for operation m has this type. Where the specification says no more of the result than that it
 * is a number (RESULT_ANY), it is what such a function can return: true and false, or nothing. */
void c_result_is(struct mem *, struct spec *, unsigned m, enum c_type);

#endif
