/* GLib's GQueue under its GMutex (Debian's glib2.0, its library built with asif-cc), unmodified. Links are allocated here: GLib's own allocator of
 * links has 126 critical sections where a thread ends. -DUNLOCKED: a dequeue without the mutex. */
#include <asif.h>
#include <glib.h>
#include <stdlib.h>

static GMutex mutex;
static GQueue queue = G_QUEUE_INIT;

static void enq(int v) {
  GList *link = calloc(1, sizeof *link);
  link->data = GINT_TO_POINTER(v);
  g_mutex_lock(&mutex);
  g_queue_push_tail_link(&queue, link);
  g_mutex_unlock(&mutex);
}
static int deq(void) {
#ifdef UNLOCKED
  GList *link = g_queue_pop_head_link(&queue);
#else
  g_mutex_lock(&mutex);
  GList *link = g_queue_pop_head_link(&queue);
  g_mutex_unlock(&mutex);
#endif
  if (!link) return ASIF_EMPTY;
  int v = GPOINTER_TO_INT(link->data);
  free(link);
  return v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
