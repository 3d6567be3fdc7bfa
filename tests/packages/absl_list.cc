/* A std::list under abseil's Mutex (Debian's abseil, whose sources are compiled too), unmodified. -DREADER: an enqueue holds the mutex as a reader does. */
#include <absl/synchronization/mutex.h>
#include <asif.h>
#include <list>

static absl::Mutex mutex;
static std::list<int> *queue;

static void init() { queue = new std::list<int>; }
static void enq(int v) {
#ifdef READER
  absl::ReaderMutexLock held(&mutex);
#else
  absl::MutexLock held(&mutex);
#endif
  queue->push_back(v);
}
static int deq() {
  absl::MutexLock held(&mutex);
  if (queue->empty()) return ASIF_EMPTY;
  int v = queue->front();
  queue->pop_front();
  return v;
}
ASIF_OBJECT(queue)
ASIF_INIT(init)
ASIF_OP(enq)
ASIF_OP(deq)
