/* Concurrency Kit's fifo for many producers and consumers (libck-dev), unmodified, with its inline assembly. Entries that a dequeue gives back
 * are used again at once: the generations are there for that. */
#include <asif.h>
#include <ck_fifo.h>
#include <stdlib.h>

static ck_fifo_mpmc_t fifo __attribute__((aligned(16)));

static ck_fifo_mpmc_entry_t *entry(void) { return aligned_alloc(16, sizeof(ck_fifo_mpmc_entry_t)); }

static void start(void) { ck_fifo_mpmc_init(&fifo, entry()); }
static void enq(int v) { ck_fifo_mpmc_enqueue(&fifo, entry(), (void *)(long)v); }
static int deq(void) {
  ck_fifo_mpmc_entry_t *garbage;
  void *v;
  if (!ck_fifo_mpmc_dequeue(&fifo, &v, &garbage)) return ASIF_EMPTY;
  free(garbage);
  return (int)(long)v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
ASIF_TYPE_STABLE()
