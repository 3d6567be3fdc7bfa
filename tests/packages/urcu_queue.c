/* The wait-free concurrent queue of liburcu (liburcu-dev), unmodified, with its inline assembly: enqueues are wait-free, dequeues take a
 * mutex. */
#include <asif.h>
#include <stdlib.h>

#define _LGPL_SOURCE /* the functions themselves, not calls of the library */
#include <urcu/wfcqueue.h>

#ifdef NO_SLEEP /* for asif verify: a wait of some milliseconds in a loop */
#include <poll.h>
int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  (void)files, (void)count, (void)milliseconds;
  return 0;
}
#endif

struct item {
  struct cds_wfcq_node node; /* first: a node is its item */
  int value;
};
static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

static void start(void) { cds_wfcq_init(&head, &tail); }

static void enq(int v) {
  struct item *i = malloc(sizeof *i);
  i->value = v;
  cds_wfcq_node_init(&i->node);
  cds_wfcq_enqueue(&head, &tail, &i->node);
}

static int deq(void) {
#ifdef UNLOCKED /* wrong: dequeues without the mutex */
  struct item *i = (struct item *)__cds_wfcq_dequeue_blocking(&head, &tail);
#else
  struct item *i = (struct item *)cds_wfcq_dequeue_blocking(&head, &tail);
#endif
  if (!i) return ASIF_EMPTY;
  int v = i->value;
  free(i);
  return v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
