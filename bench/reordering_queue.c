/* A queue that reorders: for Figure 6 of bench-approx. After the k-FIFO queue of C. M. Kirsch, M. Lippautz and H. Payer
 * (2013): segments of K slots; enq puts its value into a slot of the last segment, which one depends on the value, and
 * deq takes the first it finds in the first segment. So a value may be overtaken by the others of its segment: it is
 * not a queue. */
#include <asif.h>
#include <stdatomic.h>

#ifndef K
#define K 2
#endif
#ifndef VALUES
#define VALUES 4
#endif
enum { SEGMENTS = VALUES + 2, NONE = 0, TAKEN = -1 };

static atomic_int slots[SEGMENTS][K], first, last;

static void enq(int v) {
  for (;;) {
    int s = atomic_load(&last);
    for (int i = 0; i < K; i++) {
      int none = NONE;
      if (atomic_compare_exchange_strong(&slots[s][(K - v % K + i) % K], &none, v)) return;
    }
    atomic_compare_exchange_strong(&last, &s, s + 1);
  }
}

static int deq(void) {
  for (;;) {
    int s = atomic_load(&first);
    for (int i = 0; i < K; i++) {
      int v = atomic_load(&slots[s][i]);
      if (v > 0 && atomic_compare_exchange_strong(&slots[s][i], &v, TAKEN)) return v;
    }
    if (s == atomic_load(&last)) return ASIF_EMPTY;
    atomic_compare_exchange_strong(&first, &s, s + 1);
  }
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
