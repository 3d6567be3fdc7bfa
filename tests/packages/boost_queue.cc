/* Boost.Lockfree's queue (libboost-dev). Its nodes come from a list of free nodes of its own, or, with FIXED, from an
 * array. With SUPPRESSED its data races are not reported, as projects that use it under a thread sanitizer have it. */
#include <asif.h>
#include <boost/lockfree/queue.hpp>

#ifdef FIXED
static boost::lockfree::queue<int, boost::lockfree::capacity<4>> *queue;
static void start() { queue = new boost::lockfree::queue<int, boost::lockfree::capacity<4>>; }
#else
static boost::lockfree::queue<int> *queue;
static void start() { queue = new boost::lockfree::queue<int>(4); }
#endif
#ifdef SUPPRESSED
extern "C" const char *__tsan_default_suppressions() { return "race:boost/lockfree\n"; }
#endif

static void enq(int v) { queue->push(v); }
static int deq() {
  int v;
  return queue->pop(v) ? v : ASIF_EMPTY;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
