/* The bounded queue of libcds (libcds-dev), unmodified. */
#include <asif.h>
#include <cds/container/vyukov_mpmc_cycle_queue.h>

static cds::container::VyukovMPMCCycleQueue<int> *queue;

static void init() { queue = new cds::container::VyukovMPMCCycleQueue<int>(2); }
static bool enq(int v) { return queue->enqueue(v); }
static int deq() {
  int v;
  return queue->dequeue(v) ? v : ASIF_EMPTY;
}
ASIF_OBJECT(bounded_queue(2))
ASIF_INIT(init)
ASIF_OP(enq)
ASIF_OP(deq)
