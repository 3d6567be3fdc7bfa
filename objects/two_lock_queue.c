/* Michael and Scott's two-lock queue: one lock for the head, one for the tail, and a dummy node between them.
 *
 * M. M. Michael and M. L. Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms (1996). deq
 * frees the old dummy. next is atomic: in an empty queue both ends meet at the dummy, under different locks.
 *
 * Linearization points: enq, where the node is linked; deq, where head is set; of a deq that returns empty, the read of next.
 *
 * With -DPOINTS they are marked. LOCK_HEAD to UNLOCK_TAIL and COLLECTED are for bugs/b1_head.c and bugs/b1_tail.c. */
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif
#ifndef VALUES
#define VALUES 2
#endif
#ifdef POINTS
#define POINT() ASIF_LIN()
#else
#define POINT() ((void)0)
#endif

#ifndef LOCK_HEAD
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK_HEAD() pthread_mutex_lock(&head_lock)
#define UNLOCK_HEAD() pthread_mutex_unlock(&head_lock)
#endif
#ifndef LOCK_TAIL
static pthread_mutex_t tail_lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK_TAIL() pthread_mutex_lock(&tail_lock)
#define UNLOCK_TAIL() pthread_mutex_unlock(&tail_lock)
#endif

struct node {
  int val;
  _Atomic(struct node *) next;
};
static struct node *head, *tail;

static void set_up(void) {
  head = malloc(sizeof *head);
  head->val = 0;
  atomic_init(&head->next, NULL);
  tail = head;
}

static void enq(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  atomic_init(&n->next, NULL);
  LOCK_TAIL();
  struct node *last = tail;
  atomic_store(&last->next, n);
  POINT();
  tail = n;
  UNLOCK_TAIL();
}

static int deq(void) {
  LOCK_HEAD();
  struct node *dummy = head;
  struct node *next = atomic_load(&dummy->next);
  if (!next) {
    POINT();
    UNLOCK_HEAD();
    return ASIF_EMPTY;
  }
  int v = next->val;
  head = next;
  POINT();
  UNLOCK_HEAD();
#ifndef COLLECTED
  free(dummy);
#endif
  return v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(SIZE)
