/* A queue in a list, with one lock for everything. */
#include <asif.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
  int val;
  struct node *next;
};
static struct node *first, *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enq(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = NULL;
  pthread_mutex_lock(&lock);
  if (last)
    last->next = n;
  else
    first = n;
  last = n;
  pthread_mutex_unlock(&lock);
}

static int deq(void) {
  int v = ASIF_EMPTY;
  pthread_mutex_lock(&lock);
  if (first) {
    v = first->val;
    first = first->next;
    if (!first) last = NULL;
  }
  pthread_mutex_unlock(&lock);
  return v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
