/* A set as a sorted list without locks: a node is removed by marking its next, in the lowest bit, and taken out by whoever comes by.
 *
 * T. L. Harris, A Pragmatic Implementation of Non-Blocking Linked-Lists (2001); M. M. Michael, High Performance Dynamic Lock-Free Hash
 * Tables and List-Based Sets (2002). Memory is collected. The ends are nodes of the least and the greatest int, which are in no set.
 *
 * Linearization points: add, the exchange that links the node; remove, the exchange that marks it; of what does not change the set,
 * the read of a next, which is known only after the search. */
#include <asif.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef VALUES
#define VALUES 2
#endif

struct node {
  int val;
  atomic_uintptr_t next; /* an address; 1 is added where this node is removed */
};
static struct node *head;

static struct node *new_node(int v, uintptr_t next) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  atomic_init(&n->next, next);
  return n;
}

static void set_up(void) { head = new_node(INT_MIN, (uintptr_t)new_node(INT_MAX, 0)); }

/* The first node that is not less than v and not removed; *before was the one before it. Removed ones on the way are taken out. */
static struct node *find(int v, struct node **before) {
again:;
  struct node *prev = head, *curr = (struct node *)atomic_load(&prev->next);
  for (;;) {
    uintptr_t next = atomic_load(&curr->next);
    if (next & 1) {
      uintptr_t expected = (uintptr_t)curr;
      if (!atomic_compare_exchange_strong(&prev->next, &expected, next & ~(uintptr_t)1)) goto again;
      curr = (struct node *)(next & ~(uintptr_t)1);
    } else {
      if (curr->val >= v) break;
      prev = curr;
      curr = (struct node *)next;
    }
  }
  *before = prev;
  return curr;
}

static bool add(int v) {
  struct node *n = new_node(v, 0);
  for (;;) {
    struct node *prev, *curr = find(v, &prev);
    if (curr->val == v) return false;
    uintptr_t expected = (uintptr_t)curr;
    atomic_store_explicit(&n->next, (uintptr_t)curr, memory_order_relaxed);
    if (atomic_compare_exchange_strong(&prev->next, &expected, (uintptr_t)n)) return true;
  }
}

static bool remove(int v) {
  for (;;) {
    struct node *prev, *curr = find(v, &prev);
    if (curr->val != v) return false;
    uintptr_t next = atomic_load(&curr->next);
    if (next & 1 || !atomic_compare_exchange_strong(&curr->next, &next, next | 1)) continue;
    uintptr_t expected = (uintptr_t)curr;
    atomic_compare_exchange_strong(&prev->next, &expected, next); /* or others do it */
    return true;
  }
}

static bool contains(int v) {
  struct node *prev, *curr = find(v, &prev);
  return curr->val == v;
}

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP(remove, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)
