/* moodycamel's ConcurrentQueue (libconcurrentqueue-dev), unmodified, as a queue; with BAG, as a bag; with ONE_PRODUCER,
 * as a queue of one producer whose deq may return empty at any time. */
#include <asif.h>
#include <concurrentqueue/concurrentqueue.h>

static moodycamel::ConcurrentQueue<int> *queue;

static void start() { queue = new moodycamel::ConcurrentQueue<int>(2); }
static void enq(int v) { queue->enqueue(v); }
static int deq() {
  int v;
  return queue->try_dequeue(v) ? v : ASIF_EMPTY;
}
#if defined BAG
ASIF_OBJECT(bag)
ASIF_OP_AS(put, enq, ASIF_IN(1, 2))
ASIF_OP_AS(take, deq)
#else
#ifdef ONE_PRODUCER
ASIF_OBJECT(weak_queue)
ASIF_SPMC(enq, deq)
#else
ASIF_OBJECT(queue)
#endif
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
#endif
ASIF_INIT(start)
