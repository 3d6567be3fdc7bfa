/* oneTBB's concurrent_bounded_queue (libtbb-dev), unmodified. */
#include <asif.h>
#include <oneapi/tbb/concurrent_queue.h>

static tbb::concurrent_bounded_queue<int> *queue;

static void start() {
  queue = new tbb::concurrent_bounded_queue<int>;
  queue->set_capacity(1);
}
static bool enq(int v) { return queue->try_push(v); }
static int deq() {
  int v;
  return queue->try_pop(v) ? v : ASIF_EMPTY;
}
ASIF_OBJECT(bounded_queue(1))
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
