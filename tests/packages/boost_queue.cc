/* Boost.Lockfree's queue (libboost-dev), unmodified. Its nodes come from a list of free nodes of its own. */
#include <asif.h>
#include <boost/lockfree/queue.hpp>

static boost::lockfree::queue<int> *queue;

static void start() { queue = new boost::lockfree::queue<int>(2); }
static void enq(int v) { queue->push(v); }
static int deq() {
  int v;
  return queue->pop(v) ? v : ASIF_EMPTY;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
