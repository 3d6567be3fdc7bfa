/* DPDK's ring (libdpdk-dev), unmodified, with its inline assembly. Only rte_ring_init is in the library:
 * the ring is laid out here as that does it. A ring of 4 holds 3.
 *
 * Its head and tail are volatile and its barriers are for the compiler, as x86 allows: C11 has data races there. */
#include <asif.h>
#include <rte_ring.h>
#include <string.h>

static struct {
  struct rte_ring ring;
  void *slots[4];
} memory __attribute__((aligned(128)));

static void start(void) {
  struct rte_ring *r = &memory.ring;
  r->size = 4;
  r->mask = r->capacity = 3;
  r->prod.sync_type = r->cons.sync_type = RTE_RING_SYNC_MT;
#ifdef ONE_PRODUCER /* wrong: the object is called by any thread */
  r->prod.sync_type = RTE_RING_SYNC_ST;
#endif
  rte_ring_mp_enqueue(r, (void *)7);
  rte_ring_mp_enqueue(r, (void *)8);
}
static bool enq(int v) { return !rte_ring_enqueue(&memory.ring, (void *)(long)v); }
static int deq(void) {
  void *v;
  return rte_ring_dequeue(&memory.ring, &v) ? ASIF_EMPTY : (int)(long)v;
}

#include "ring_spec.h"
ASIF_OBJECT(ring)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
