/* The lock-free queue of liburcu whose nodes are reclaimed by RCU (liburcu-dev, urcu/rculfqueue.h), unmodified, with its inline assembly. No grace
 * period ends while the operations run: nothing is freed. -DEAGER: a dequeue frees at once what it should free after a grace period. */
#include <asif.h>
#include <stdlib.h>

#define _LGPL_SOURCE /* the functions themselves, not calls of the library */
#include <urcu/call-rcu.h>
#include <urcu/rculfqueue.h>

struct item {
  struct cds_lfq_node_rcu node; /* first: a node is its item */
  int value;
};
static struct cds_lfq_queue_rcu queue;

static void after_grace_period(struct rcu_head *head, void (*f)(struct rcu_head *)) {
#ifdef EAGER
  f(head);
#else
  (void)head, (void)f;
#endif
}

static void start(void) { cds_lfq_init_rcu(&queue, after_grace_period); }
static void enq(int v) {
  struct item *i = malloc(sizeof *i);
  i->value = v;
  cds_lfq_node_init_rcu(&i->node);
  cds_lfq_enqueue_rcu(&queue, &i->node);
}
static int deq(void) {
  struct item *i = (struct item *)cds_lfq_dequeue_rcu(&queue);
  if (!i) return ASIF_EMPTY;
  int v = i->value;
#ifdef EAGER
  free(i);
#endif
  return v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
