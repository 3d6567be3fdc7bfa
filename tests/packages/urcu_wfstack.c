/* The wait-free stack of liburcu (liburcu-dev), unmodified, with its inline assembly: pushes are wait-free, pops take a mutex and wait for
 * pushes that are under way. */
#include <asif.h>
#include <stdlib.h>

#define _LGPL_SOURCE /* the functions themselves, not calls of the library */
#include <urcu/wfstack.h>

#ifdef NO_SLEEP /* for asif verify: a wait of some milliseconds in a loop */
#include <poll.h>
int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  (void)files, (void)count, (void)milliseconds;
  return 0;
}
#endif

struct item {
  struct cds_wfs_node node; /* first: a node is its item */
  int value;
};
static struct cds_wfs_stack stack;

static void start(void) { cds_wfs_init(&stack); }
static void push(int v) {
  struct item *i = malloc(sizeof *i);
  i->value = v;
  cds_wfs_node_init(&i->node);
  cds_wfs_push(&stack, &i->node);
}
static int pop(void) {
#ifdef UNLOCKED /* wrong: pops without the mutex */
  struct item *i = (struct item *)__cds_wfs_pop_blocking(&stack);
#else
  struct item *i = (struct item *)cds_wfs_pop_blocking(&stack);
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
