/* Herlihy and Wing's queue: enq takes the next place of an array and then fills it; deq swaps each place with empty until it
 * gets something.
 *
 * M. P. Herlihy and J. M. Wing, Linearizability: A Correctness Condition for Concurrent Objects (1990), section 4.2; it is also
 * the queue of Wing and Gong, Testing and Verifying Concurrent Objects (1993). deq waits on an empty queue. Places are not used
 * again, so that a client may make at most LENGTH enqs.
 *
 * Linearization points: of enq there is none: the order of two enqs may be decided by a later deq. deq: the swap that got
 * something. (READS_BACK_AGAIN is for bugs/wg_deq.c.) */
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>

#if defined ASIF_HOSTED && !defined LENGTH
#define LENGTH 32 /* asif test goes on to larger clients */
#elif !defined LENGTH
#define LENGTH 8
#endif
#ifndef VALUES
#define VALUES 2
#endif

static atomic_int back;
static atomic_int item[LENGTH]; /* 0: nothing */

static void enq(int v) {
  int i = atomic_fetch_add(&back, 1);
  assert(i < LENGTH);
  atomic_store(&item[i], v);
}

static int deq(void) {
  for (;;) {
    int range = atomic_load(&back);
    for (int i = 0; i < range; i++) {
      int v = atomic_exchange(&item[i], 0);
      if (v != 0) return v;
#ifdef READS_BACK_AGAIN
      range = atomic_load(&back);
#endif
    }
    asif_yield();
  }
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
