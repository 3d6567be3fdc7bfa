/* std::queue, of a std::deque, under a std::mutex; with UNLOCKED, without. */
#include <asif.h>
#include <mutex>
#include <queue>

static std::queue<int> queue;
static std::mutex mutex;
#ifdef UNLOCKED
#define LOCK
#else
#define LOCK std::lock_guard<std::mutex> held(mutex)
#endif

static void enq(int v) {
  LOCK;
  queue.push(v);
}
static int deq() {
  LOCK;
  if (queue.empty()) return ASIF_EMPTY;
  int v = queue.front();
  queue.pop();
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
