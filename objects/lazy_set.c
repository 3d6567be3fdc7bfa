/* A set as a sorted list that is searched without locks, and whose nodes are marked before they are taken out: contains takes no lock
 * and never waits.
 *
 * S. Heller, M. Herlihy, V. Luchangco, M. Moir, W. N. Scherer III and N. Shavit, A Lazy Concurrent List-Based Set Algorithm (2005). Memory
 * is collected. The ends are nodes of the least and the greatest int, which are in no set.
 *
 * Linearization points: add, the write of prev->next; remove, the mark; of what does not change the set, the reads of marks that ended
 * the search. A contains that is at a node taken out meanwhile and finds nothing has its point in the past: before the value was added
 * anew. */
#include <asif.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef VALUES
#define VALUES 2
#endif

struct node {
  pthread_mutex_t lock;
  int val;
  atomic_bool marked;
  _Atomic(struct node *) next;
};
static struct node *head;

static struct node *new_node(int v, struct node *next) {
  struct node *n = malloc(sizeof *n);
  pthread_mutex_init(&n->lock, NULL);
  n->val = v;
  atomic_init(&n->marked, false);
  atomic_init(&n->next, next);
  return n;
}

static void set_up(void) { head = new_node(INT_MIN, new_node(INT_MAX, NULL)); }

static void unlock_both(struct node *prev, struct node *curr) {
  pthread_mutex_unlock(&curr->lock);
  pthread_mutex_unlock(&prev->lock);
}

/* The first node that is not less than v; *before is the one before it. Both are locked, in the list, and next to each other. */
static struct node *find(int v, struct node **before) {
  for (;;) {
    struct node *prev = head, *curr = atomic_load(&prev->next);
    while (curr->val < v) {
      prev = curr;
      curr = atomic_load(&curr->next);
    }
    pthread_mutex_lock(&prev->lock);
    pthread_mutex_lock(&curr->lock);
    *before = prev;
    if (!atomic_load(&prev->marked) && !atomic_load(&curr->marked) && atomic_load(&prev->next) == curr) return curr;
    unlock_both(prev, curr);
  }
}

static bool add(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool absent = curr->val != v;
  if (absent) atomic_store(&prev->next, new_node(v, curr));
  unlock_both(prev, curr);
  return absent;
}

static bool remove(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool present = curr->val == v;
  if (present) {
    atomic_store(&curr->marked, true);
    atomic_store(&prev->next, atomic_load(&curr->next));
  }
  unlock_both(prev, curr);
  return present;
}

static bool contains(int v) {
  struct node *curr = head;
  while (curr->val < v) curr = atomic_load(&curr->next);
  return curr->val == v && !atomic_load(&curr->marked);
}

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP(remove, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)
