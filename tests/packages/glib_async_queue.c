/* GLib's asynchronous queue (Debian's glib2.0, its library built with asif-cc), unmodified: a GQueue under a GMutex, and a GCond.
 * -DUNLOCKED: the functions for callers who hold the queue's lock, without it. */
#include <asif.h>
#include <glib.h>

#ifdef UNLOCKED
#define CALL(name) g_async_queue_##name##_unlocked
#else
#define CALL(name) g_async_queue_##name
#endif

static GAsyncQueue *queue;

static void start(void) { queue = g_async_queue_new(); }
static void enq(int v) { CALL(push)(queue, GINT_TO_POINTER(v)); }
static int deq(void) {
  gpointer v = CALL(try_pop)(queue);
  return v ? GPOINTER_TO_INT(v) : ASIF_EMPTY;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
