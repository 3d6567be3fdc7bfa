/* The lock-free stack of liburcu (liburcu-dev), unmodified, with its inline assembly: pushes are lock-free, pops take a mutex. Without it
 * (-DUNLOCKED), and with nodes that are freed at once, a pop may read a node that is no more: the documentation asks for a grace period. */
#include <asif.h>
#include <stdlib.h>

#define _LGPL_SOURCE /* the functions themselves, not calls of the library */
#include <urcu/lfstack.h>

struct item {
  struct cds_lfs_node node; /* first: a node is its item */
  int value;
};
static struct cds_lfs_stack stack;

static void start(void) { cds_lfs_init(&stack); }
static void push(int v) {
  struct item *i = malloc(sizeof *i);
  i->value = v;
  cds_lfs_node_init(&i->node);
  cds_lfs_push(&stack, &i->node);
}
static int pop(void) {
#ifdef UNLOCKED
  struct item *i = (struct item *)__cds_lfs_pop(&stack);
#else
  struct item *i = (struct item *)cds_lfs_pop_blocking(&stack);
#endif
  if (!i) return ASIF_EMPTY;
  int v = i->value;
  free(i);
  return v;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_INIT(start)
