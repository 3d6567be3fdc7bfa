/* Example 5.1 of Bouajjani et al., Tractable Refinement Checking for Concurrent Objects (2015): m returns only while an m2 is
 * pending, and m2 never returns. It refines itself, as everything does; but one at a time its operations cannot happen at all. */
#include <asif.h>
#include <stdatomic.h>

static atomic_int begun, never;

static int m(void) {
  asif_require(atomic_load(&begun));
  return 7;
}

static void m2(void) {
  atomic_store(&begun, 1);
  asif_require(atomic_exchange(&never, 0));
}

ASIF_OP(m)
ASIF_OP(m2)
