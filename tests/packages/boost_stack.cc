/* Boost.Lockfree's stack (libboost-dev), unmodified. Its nodes come from a list of free nodes of its own, or, with
 * FIXED, from an array. */
#include <asif.h>
#include <boost/lockfree/stack.hpp>

#ifdef FIXED
static boost::lockfree::stack<int, boost::lockfree::capacity<4>> *stack;
static void start() { stack = new boost::lockfree::stack<int, boost::lockfree::capacity<4>>; }
#else
static boost::lockfree::stack<int> *stack;
static void start() { stack = new boost::lockfree::stack<int>(4); }
#endif

static void push(int v) { stack->push(v); }
static int pop() {
  int v;
  return stack->pop(v) ? v : ASIF_EMPTY;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_INIT(start)
