/* moodycamel's ReaderWriterQueue (libreaderwriterqueue-dev), unmodified: one producer and one consumer. */
#include <asif.h>
#include <readerwriterqueue.h>

static moodycamel::ReaderWriterQueue<int> *queue;

static void start() { queue = new moodycamel::ReaderWriterQueue<int>(1); }
static bool enq(int v) { return queue->enqueue(v); }
static int deq() {
  int v;
  return queue->try_dequeue(v) ? v : ASIF_EMPTY;
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_SPSC(enq, deq)
ASIF_INIT(start)
