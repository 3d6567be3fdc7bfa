/* A stack under a lock that frees its nodes: which of them is allocated again is a choice. */
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int val;
  struct node *next;
};
static struct node *top;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int pushes;

static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  pthread_mutex_lock(&lock);
  n->next = top;
  top = n;
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&pushes, 1);
}

static int pop(void) {
  pthread_mutex_lock(&lock);
  struct node *n = top;
  if (n) top = n->next;
  pthread_mutex_unlock(&lock);
  if (!n) return ASIF_EMPTY;
  int v = n->val;
  free(n);
  return v;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
