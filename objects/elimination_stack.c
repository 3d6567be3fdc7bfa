/* A stack with elimination: where a push and a pop get into each other's way at the top, they meet elsewhere, and both are done.
 *
 * D. Hendler, N. Shavit and L. Yerushalmi, A Scalable Lock-Free Stack Algorithm (2004). In the paper either side may wait for
 * the other, and threads are known by number; here it is the push that waits. A push that lost the race for the top offers its
 * node in one of SLOTS slots for a moment; a pop that lost it takes a node that is offered. Memory is collected.
 *
 * Linearization points: the exchange of top that succeeds; of a pop that returns empty, the read of top; of a push and a pop
 * that meet, the exchange by which the pop takes the node, first the push and then the pop.
 *
 * MISPLACED_BRACE, MISPLACED_BRACE_IN_POP, FORGOTTEN_ASSIGNMENT, FREES and POOL are for bugs/b4.c, bugs/b4_pop.c, bugs/b5.c,
 * bugs/b2_elimination.c and bugs/b2_elimination_pool.c. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef SIZE
#define SIZE 3
#endif
#ifndef VALUES
#define VALUES 2
#endif

/* What the variable for the result begins with. */
#ifdef MISPLACED_BRACE_IN_POP
#define NOTHING 0
#else
#define NOTHING ASIF_EMPTY
#endif

struct node {
  int val;
#ifdef POOL
  int place;
#endif
  struct node *next;
};
static _Atomic(struct node *) top, slots[SLOTS];

#ifdef POOL
/* Nodes that were popped are used again. Giving one back twice does nothing more. */
static struct node pool[POOL];
static int used[POOL];
static struct node *new_node(void) {
  struct node *n = NULL;
  ASIF_ATOMIC {
    for (int i = 0; i < POOL && !n; i++) {
      if (used[i]) continue;
      used[i] = 1;
      n = &pool[i];
      n->place = i;
    }
  }
  if (n) return n;
  n = malloc(sizeof *n);
  n->place = -1;
  return n;
}
static void give_back(struct node *n) {
  ASIF_ATOMIC {
    if (n->place >= 0) used[n->place] = 0;
  }
}
#else
static struct node *new_node(void) { return malloc(sizeof(struct node)); }
#ifdef FREES
static void give_back(struct node *n) { free(n); }
#else
static void give_back(struct node *n) { (void)n; } /* collected */
#endif
#endif

static void push(int v) {
  struct node *n = new_node();
  n->val = v;
  for (;;) {
    struct node *t = atomic_load(&top);
    n->next = t;
    if (atomic_compare_exchange_strong(&top, &t, n)) return;
    for (int i = 0; i < SLOTS; i++) {
      struct node *none = NULL, *offered = n;
      if (atomic_compare_exchange_strong(&slots[i], &none, n)) {
        asif_yield();
        if (atomic_compare_exchange_strong(&slots[i], &offered, NULL)) continue; /* nobody came */
#ifdef MISPLACED_BRACE
      }
      return;
#else
        return;
      }
#endif
    }
  }
}

/* What is in a node that is this pop's now. */
static int take(struct node *n) {
  int v = n->val;
  give_back(n);
  return v;
}

static int pop(void) {
  int v = NOTHING;
  for (;;) {
    struct node *t = atomic_load(&top);
    if (!t) return ASIF_EMPTY;
    struct node *next = t->next;
    if (atomic_compare_exchange_strong(&top, &t, next)) return take(t);
    for (int i = 0; i < SLOTS; i++) {
      struct node *offered = atomic_load(&slots[i]);
      if (offered && atomic_compare_exchange_strong(&slots[i], &offered, NULL)) {
#ifndef FORGOTTEN_ASSIGNMENT
        v = take(offered);
#endif
#ifdef MISPLACED_BRACE_IN_POP
      }
      return v;
#else
        return v;
      }
#endif
    }
  }
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_BOUND(SIZE)
