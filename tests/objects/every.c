/* Every macro of the harness, in what is both C and C++; see tests/cli/harness.sh. */
#include <asif.h>

#define K 4

static long total;
static void put(int v) { total += v; }
static int take(void) { return ASIF_EMPTY; }
static bool all(long a, int b, long c) {
  ASIF_ATOMIC {
    if (a && b && c) return true;
    ASIF_ATOMIC { total++; }
  }
  return false;
}
static long twice(long a) {
  ASIF_LIN();
  ASIF_LIN_FOR(put);
  asif_yield();
  return 2 * a + asif_thread();
}
static void set_up(void) { total = 0; }

ASIF_OBJECT(bounded_queue(K - 1))
ASIF_OP(put, ASIF_IN(1, K))
ASIF_OP_AS(deq, take)
ASIF_OP(all, ASIF_IN(0, 1), ASIF_IN(-3, 4), ASIF_IN(5, 5))
ASIF_OP(twice, ASIF_IN(0, 1))
ASIF_INIT(set_up)
ASIF_ROLE(producer, 1, put)
ASIF_ROLE(consumer, ASIF_REST, take, all, twice)
ASIF_BOUND(K)
ASIF_TYPE_STABLE()
