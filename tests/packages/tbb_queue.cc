/* oneTBB's concurrent_queue (libtbb-dev), unmodified: its header calls functions of its library. */
#include <asif.h>
#include <oneapi/tbb/concurrent_queue.h>

static tbb::concurrent_queue<int> *queue;

static void start() { queue = new tbb::concurrent_queue<int>; }
static void enq(int v) { queue->push(v); }
static int deq() {
  int v;
  return queue->try_pop(v) ? v : ASIF_EMPTY;
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
