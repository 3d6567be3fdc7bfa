/* Boost.Lockfree's ring for one producer and one consumer (libboost-dev), unmodified. */
#include <asif.h>
#include <boost/lockfree/spsc_queue.hpp>

static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;

static bool enq(int v) { return queue.push(v); }
static int deq() {
  int v;
  return queue.pop(v) ? v : ASIF_EMPTY;
}
ASIF_OBJECT(bounded_queue(2))
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
#ifndef ANYBODY
ASIF_SPSC(enq, deq)
#endif
