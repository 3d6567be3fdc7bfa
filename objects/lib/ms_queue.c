/* Michael and Scott's queue (ms_queue.h). The first node is a dummy; tail is the last node or the one before it.
 *
 * NO_CHECK and UNPROTECTED are for harness/bugs/. */
#include "ms_queue.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "hazard.h"

struct node {
  struct hazard_node retired;
  long value;
  _Atomic(struct node *) next;
};
struct ms_queue {
  _Atomic(struct node *) head, tail;
  struct hazard *hazard;
};

static struct node *new_node(long value) {
  struct node *n = malloc(sizeof *n);
  if (!n) return NULL;
  n->value = value;
  atomic_init(&n->next, NULL);
  return n;
}

struct ms_queue *ms_queue_create(struct hazard *hazard) {
  if (!hazard) return NULL;
  struct ms_queue *q = malloc(sizeof *q);
  struct node *dummy = new_node(0);
  if (!q || !dummy) {
    free(q);
    free(dummy);
    return NULL;
  }
  atomic_init(&q->head, dummy);
  atomic_init(&q->tail, dummy);
  q->hazard = hazard;
  return q;
}

void ms_queue_destroy(struct ms_queue *q) {
  if (!q) return;
  for (struct node *n = atomic_load(&q->head), *next; n; n = next) {
    next = atomic_load(&n->next);
    free(n);
  }
  free(q);
}

bool ms_queue_enq(struct ms_queue *q, long value) {
  struct node *n = new_node(value), *t;
  if (!n) return false;
  struct hazard_record *r = hazard_enter(q->hazard);
  for (;;) {
    t = atomic_load(&q->tail);
    hazard_set(r, 0, t);
    if (t != atomic_load(&q->tail)) continue;
    struct node *next = atomic_load(&t->next);
    if (next) {
      atomic_compare_exchange_strong(&q->tail, &t, next);
    } else if (atomic_compare_exchange_strong(&t->next, &next, n)) {
      break;
    }
  }
  atomic_compare_exchange_strong(&q->tail, &t, n);
  hazard_leave(r);
  return true;
}

/* The node that was the dummy, or NULL if the queue is empty. */
static struct node *take(struct ms_queue *q, struct hazard_record *r, long *value) {
  for (;;) {
    struct node *h = atomic_load(&q->head);
    hazard_set(r, 0, h);
    if (h != atomic_load(&q->head)) continue;
    struct node *t = atomic_load(&q->tail), *next = atomic_load(&h->next);
#ifndef UNPROTECTED
    hazard_set(r, 1, next);
#endif
#ifndef NO_CHECK
    if (h != atomic_load(&q->head)) continue; /* else next may be gone, or the queue not empty */
#endif
    if (!next) return NULL;
    if (h == t) {
      atomic_compare_exchange_strong(&q->tail, &t, next);
      continue;
    }
    long item = next->value;
    if (!atomic_compare_exchange_strong(&q->head, &h, next)) continue;
    *value = item;
    return h;
  }
}

bool ms_queue_deq(struct ms_queue *q, long *value) {
  struct hazard_record *r = hazard_enter(q->hazard);
  struct node *h = take(q, r, value);
  if (h) hazard_retire(r, &h->retired, free);
  hazard_leave(r);
  return h != NULL;
}
