/* Values: what operations are called with and return.
 *
 * A value is 32 bits, and two values of one table are equal iff their bits are. An even value is a small
 * integer in place (31 bits); an odd one names an entry of the table: a large integer, a text, or a list.
 * The first entries are the same in every table and have names (V_...). */
#ifndef ASIF_HISTORY_VALUE_H
#define ASIF_HISTORY_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/text.h"

typedef uint32_t value;

enum {
  V_NONE = 1,    /* no value: an absent argument, a result that is no value (Ok()) */
  V_NIL = 3,     /* nil, null */
  V_TRUE = 5,    /* true */
  V_FALSE = 7,   /* false */
  V_EMPTY = 9,   /* the container was empty */
  V_FULL = 11,   /* the container was full */
  V_UNKNOWN = 13 /* a result that was not observed: any is possible */
};

enum value_kind { VALUE_SPECIAL, VALUE_INT, VALUE_TEXT, VALUE_LIST };

struct values;

struct values *values_new(struct mem *); /* owned, entry by entry, by the struct mem */

#define VALUE_SMALL_MAX 1073741823
#define VALUE_SMALL_MIN (-1073741824)
static inline bool value_is_small(value v) { return !(v & 1); }
static inline int32_t value_small(value v) { return (int32_t)v >> 1; }
static inline value value_of_small(int32_t i) { return (value)((uint32_t)i << 1); }

value value_int(struct values *, int64_t);
value value_text(struct values *, const char *, size_t len);
value value_list(struct values *, const value *, size_t count);

enum value_kind value_kind(const struct values *, value);
int64_t value_integer(const struct values *, value);                   /* of VALUE_INT */
const char *value_chars(const struct values *, value, size_t *len);    /* of VALUE_TEXT; NUL-terminated */
const value *value_items(const struct values *, value, size_t *count); /* of VALUE_LIST */
int value_compare(const struct values *, value, value);                /* total: specials, integers, texts, lists */
void value_print(const struct values *, value,
                 struct text *);            /* as Wing–Gong lines write it: 5, foo, "a b", [1 2], empty */
size_t values_count(const struct values *); /* table entries, for v>>1 indexed arrays */

#endif
