/* A Treiber stack of GSList nodes with GLib's g_atomic_pointer_* (Debian's glib2.0), which are macros over the compiler's atomics. Popped nodes
 * are freed only with -DFREE: then a pop may read a node that another has freed. */
#include <asif.h>
#include <glib.h>
#include <stdlib.h>

static GSList *top;

static void push(int v) {
  GSList *node = malloc(sizeof *node);
  node->data = GINT_TO_POINTER(v);
  do node->next = g_atomic_pointer_get(&top);
  while (!g_atomic_pointer_compare_and_exchange(&top, node->next, node));
}
static int pop(void) {
  GSList *node;
  do {
    node = g_atomic_pointer_get(&top);
    if (!node) return ASIF_EMPTY;
  } while (!g_atomic_pointer_compare_and_exchange(&top, node, node->next));
  int v = GPOINTER_TO_INT(node->data);
#ifdef FREE
  free(node);
#endif
  return v;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
