/* Concurrency Kit's fifo for one producer and one consumer (libck-dev), unmodified, with its inline assembly. */
#include <asif.h>
#include <ck_fifo.h>
#include <stdlib.h>

static ck_fifo_spsc_t fifo;

static void start(void) { ck_fifo_spsc_init(&fifo, malloc(sizeof(ck_fifo_spsc_entry_t))); }
static void enq(int v) {
  ck_fifo_spsc_entry_t *e = ck_fifo_spsc_recycle(&fifo);
  ck_fifo_spsc_enqueue(&fifo, e ? e : malloc(sizeof *e), (void *)(long)v);
}
static int deq(void) {
  void *v;
  return ck_fifo_spsc_dequeue(&fifo, &v) ? (int)(long)v : ASIF_EMPTY;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 3))
ASIF_OP(deq)
ASIF_INIT(start)
#ifdef ROLES /* one thread enqueues and one dequeues */
ASIF_SPSC(enq, deq)
#endif
