/* The two-lock queue with its linearization points, but for deqs that return empty, and its actions for asif prove. See two_lock_queue.c.
 *
 * What a lock is for changes only while it is held. The old dummy leaves the shared memory, since it is freed. */
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

static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tail_lock = PTHREAD_MUTEX_INITIALIZER;

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
  pthread_mutex_lock(&tail_lock);
  struct node *last = tail;
  atomic_store(&last->next, n);
  ASIF_LIN();
  tail = n;
  pthread_mutex_unlock(&tail_lock);
}

static int deq(void) {
  pthread_mutex_lock(&head_lock);
  struct node *dummy = head;
  struct node *next = atomic_load(&dummy->next);
  if (!next) {
    pthread_mutex_unlock(&head_lock);
    return ASIF_EMPTY;
  }
  int v = next->val;
  head = next;
  ASIF_LIN();
  pthread_mutex_unlock(&head_lock);
  free(dummy);
  return v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(SIZE)

ASIF_ACTION(lock_head, "head_lock: free => head_lock: held")
ASIF_ACTION(unlock_head, "head_lock: held => head_lock: free")
ASIF_ACTION(lock_tail, "tail_lock: free => tail_lock: held")
ASIF_ACTION(unlock_tail, "tail_lock: held => tail_lock: free")
ASIF_ACTION(link, "tail_lock: held, tail: t | t{next: NULL}, A => t{next: n}, n{val: e, next: NULL}, A . <e>")
ASIF_ACTION(swing, "tail_lock: held, t{next: n} | tail: t => tail: n")
ASIF_ACTION(swing_past, "tail_lock: held | tail: _ => tail: n") /* the node that tail was at has been freed */
ASIF_ACTION(deq, "head_lock: held, n{val: e} | head: h, h{next: n}, <e> . A => head: n, A")
