/* What a volatile access of an aligned word is taken for: --volatile of `asif test` and `asif verify`. */
#ifndef ASIF_BASE_VOLATILE_ORDER_H
#define ASIF_BASE_VOLATILE_ORDER_H

#include <string.h>

enum volatile_order {
  VOLATILE_UNSAID, /* as relaxed; and where two race, that is noted */
  VOLATILE_RELAXED,
  VOLATILE_ACQUIRE_RELEASE, /* a read acquires, a write releases */
  VOLATILE_SEQ_CST          /* the same, since memory is sequentially consistent anyway */
};
#define VOLATILE_ORDERS "relaxed|acquire-release|seq-cst"

static inline const char *volatile_order_name(enum volatile_order o) {
  return o == VOLATILE_RELAXED ? "relaxed" : o == VOLATILE_ACQUIRE_RELEASE ? "acquire-release" : "seq-cst";
}
/* One of VOLATILE_ORDERS, or NULL. */
static inline enum volatile_order volatile_order_read(const char *said) {
  return !said                      ? VOLATILE_UNSAID
         : !strcmp(said, "relaxed") ? VOLATILE_RELAXED
         : !strcmp(said, "seq-cst") ? VOLATILE_SEQ_CST
                                    : VOLATILE_ACQUIRE_RELEASE;
}

#endif
