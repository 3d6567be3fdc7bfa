/* Concurrency Kit's ring (libck-dev), unmodified, with its inline assembly. KIND: mpmc, spmc, mpsc, spsc. A ring of 4 holds 3.
 * -DROLES: one thread enqueues and one dequeues. */
#include <asif.h>
#include <ck_ring.h>

#ifndef KIND
#define KIND mpmc
#endif
#define CALL_(name, kind) ck_ring_##name##_##kind
#define CALL(name, kind)  CALL_(name, kind)

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];

static void start(void) {
  ck_ring_init(&ring, 4);
  CALL(enqueue, KIND)(&ring, buffer, (void *)7);
  CALL(enqueue, KIND)(&ring, buffer, (void *)8);
}
static bool enq(int v) { return CALL(enqueue, KIND)(&ring, buffer, (void *)(long)v); }
static int deq(void) {
  void *v;
  return CALL(dequeue, KIND)(&ring, buffer, &v) ? (int)(long)v : ASIF_EMPTY;
}

#include "ring_spec.h"
ASIF_OBJECT(ring)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
#ifdef ROLES
ASIF_SPSC(enq, deq)
#endif
