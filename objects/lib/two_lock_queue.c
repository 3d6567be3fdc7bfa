/* The two-lock queue (two_lock_queue.h). The first node is a dummy. An enq and a deq meet at its next, when the queue is empty:
 * that is atomic.
 *
 * PLAIN_NEXT, where it is not, and LOCKS_BOTH, where each end also takes the other's lock, are for harness/bugs/. */
#include "two_lock_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  long value;
#ifdef PLAIN_NEXT
  struct node *next;
#else
  _Atomic(struct node *) next;
#endif
};
struct two_lock_queue {
  pthread_mutex_t head_lock, tail_lock;
  struct node *head, *tail;
};

#ifdef PLAIN_NEXT
#define GET_NEXT(n)     ((n)->next)
#define SET_NEXT(n, to) ((n)->next = (to))
#else
#define GET_NEXT(n)     atomic_load(&(n)->next)
#define SET_NEXT(n, to) atomic_store(&(n)->next, to)
#endif

static struct node *new_node(long value) {
  struct node *n = malloc(sizeof *n);
  if (!n) return NULL;
  n->value = value;
  SET_NEXT(n, NULL);
  return n;
}

struct two_lock_queue *two_lock_queue_create(void) {
  struct two_lock_queue *q = malloc(sizeof *q);
  struct node *dummy = new_node(0);
  if (!q || !dummy) {
    free(q);
    free(dummy);
    return NULL;
  }
  pthread_mutex_init(&q->head_lock, NULL);
  pthread_mutex_init(&q->tail_lock, NULL);
  q->head = q->tail = dummy;
  return q;
}

void two_lock_queue_destroy(struct two_lock_queue *q) {
  if (!q) return;
  for (struct node *n = q->head, *next; n; n = next) {
    next = GET_NEXT(n);
    free(n);
  }
  pthread_mutex_destroy(&q->head_lock);
  pthread_mutex_destroy(&q->tail_lock);
  free(q);
}

bool two_lock_queue_enq(struct two_lock_queue *q, long value) {
  struct node *n = new_node(value);
  if (!n) return false;
  pthread_mutex_lock(&q->tail_lock);
#ifdef LOCKS_BOTH
  pthread_mutex_lock(&q->head_lock);
  pthread_mutex_unlock(&q->head_lock);
#endif
  SET_NEXT(q->tail, n);
  q->tail = n;
  pthread_mutex_unlock(&q->tail_lock);
  return true;
}

bool two_lock_queue_deq(struct two_lock_queue *q, long *value) {
  pthread_mutex_lock(&q->head_lock);
#ifdef LOCKS_BOTH
  pthread_mutex_lock(&q->tail_lock);
  pthread_mutex_unlock(&q->tail_lock);
#endif
  struct node *h = q->head, *next = GET_NEXT(h);
  if (next) {
    *value = next->value;
    q->head = next;
  }
  pthread_mutex_unlock(&q->head_lock);
  if (next) free(h);
  return next != NULL;
}
