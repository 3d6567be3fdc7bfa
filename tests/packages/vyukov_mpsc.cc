/* Vyukov's intrusive queue of many producers and one consumer, written for this. A producer exchanges the back and then
 * links the node before it; the consumer keeps a stub in the queue, so that it never takes the last node. A null next
 * says that a node is the last only if it is the back: else a producer has not linked yet.
 *
 * With HASTY the consumer does not ask, as stdexec's queue had it until e81bceb: it puts the stub in while that is
 * still inside, behind a node that is not linked, and what follows the stub is lost. */
#include <asif.h>
#include <atomic>

struct node {
  std::atomic<node *> next;
  int value;
};
static node stub;
static std::atomic<node *> back{&stub};
static node *front = &stub;

static void put(node *n) {
  n->next.store(nullptr, std::memory_order_relaxed);
  node *before = back.exchange(n, std::memory_order_acq_rel);
  before->next.store(n, std::memory_order_release);
}
static node *take() {
  node *first = front, *next = first->next.load(std::memory_order_acquire);
  if (first == &stub) {
    if (!next) return nullptr;
    front = first = next;
    next = first->next.load(std::memory_order_acquire);
  }
  if (!next) {
#ifdef HASTY
    put(&stub);
    while (!(next = first->next.load(std::memory_order_acquire))) continue;
#else
    if (first != back.load(std::memory_order_acquire)) return nullptr;
    put(&stub);
    next = first->next.load(std::memory_order_acquire);
    if (!next) return nullptr;
#endif
  }
  front = next;
  return first;
}

static void enq(int v) {
  node *n = new node;
  n->value = v;
  put(n);
}
static int deq() {
  node *n;
  while (!(n = take())) continue;
  int v = n->value;
  delete n;
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_MPSC(enq, deq)
