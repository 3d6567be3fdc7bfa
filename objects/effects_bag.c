/* A bag: take returns any of the values inside. It is a queue with two locks, whose order nobody is promised.
 *
 * Linearization points: put, where the node is linked; take, where head is set; of a take that returns empty, the read of next.
 *
 * With -DTWICE a take does not wait for the others, and some of the values are taken twice. */
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int val;
  _Atomic(struct node *) next;
};
static struct node *head, *tail;
static pthread_mutex_t tail_lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef TWICE
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK_HEAD() pthread_mutex_lock(&head_lock)
#define UNLOCK_HEAD() pthread_mutex_unlock(&head_lock)
#else
#define LOCK_HEAD() ((void)0)
#define UNLOCK_HEAD() ((void)0)
#endif

static void set_up(void) {
  head = malloc(sizeof *head);
  head->val = 0;
  atomic_init(&head->next, NULL);
  tail = head;
}

static void put(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  atomic_init(&n->next, NULL);
  pthread_mutex_lock(&tail_lock);
  struct node *last = tail;
  atomic_store(&last->next, n);
  tail = n;
  pthread_mutex_unlock(&tail_lock);
}

static int take(void) {
  LOCK_HEAD();
  struct node *next = atomic_load(&head->next);
  if (!next) {
    UNLOCK_HEAD();
    return ASIF_EMPTY;
  }
  int v = next->val;
  head = next;
  UNLOCK_HEAD();
  return v;
}

ASIF_OBJECT(any_bag)
ASIF_EFFECT(put(v), "A => {v} + A")
ASIF_EFFECT(take, "{e} + A => A, returns e")
ASIF_EFFECT(take, "{} => {}, returns empty")
ASIF_OP(put, ASIF_IN(1, 2))
ASIF_OP(take)
ASIF_INIT(set_up)
ASIF_BOUND(3)
