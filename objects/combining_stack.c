/* A stack whose operations are done by whoever has the lock: flat combining with one place for requests, with its linearization points marked.
 *
 * After D. Hendler, I. Incze, N. Shavit and M. Tzafrir, Flat Combining and the Synchronization-Parallelism Tradeoff (2010), where each
 * thread has a place of its own. An operation puts its request into the place when that is free, and waits until it is gone; whoever waits, for the
 * place or for its request, does the request that is there if nobody else does. The request of a push is the node that is put on the stack; that of a pop gets the result. Memory is
 * collected.
 *
 * Linearization points: all are steps of the thread that has the lock, which may be another one than that of the operation
 * (ASIF_LIN_FOR). */
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

enum kind { PUSH, POP };
struct node {
  int val, kind, who;
  struct node *next;
};
static struct node *top;
static _Atomic(struct node *) place;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void combine(void) {
  if (pthread_mutex_trylock(&lock)) return;
  struct node *r = atomic_load(&place);
  if (r) {
    int who = r->who;
    (void)who; /* where the marks are nothing */
    struct node *t = top;
    if (r->kind == PUSH) {
      r->next = t;
      top = r;
      ASIF_LIN_FOR(who);
    } else if (t) {
      r->val = t->val;
      top = t->next;
      ASIF_LIN_FOR(who);
    } else {
      r->val = ASIF_EMPTY;
      ASIF_LIN_FOR(who);
    }
    atomic_store(&place, NULL);
  }
  pthread_mutex_unlock(&lock);
}

static struct node *request(enum kind kind, int v) {
  struct node *r = malloc(sizeof *r), *none = NULL;
  r->val = v;
  r->kind = kind;
  r->who = asif_thread();
  while (!atomic_compare_exchange_strong(&place, &none, r)) {
    combine();
    none = NULL;
  }
  while (atomic_load(&place) == r) combine();
  return r;
}

static void push(int v) { request(PUSH, v); }
static int pop(void) { return request(POP, 0)->val; }

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_BOUND(SIZE)
