/* A set as a sorted list whose threads search without locks: the two nodes found are locked, and then it is looked up once more that
 * they are in the list and next to each other.
 *
 * Section 9.6 of Herlihy and Shavit, The Art of Multiprocessor Programming. Memory is collected: a thread may be at a node that was taken out.
 * The ends are nodes of the least and the greatest int, which are in no set.
 *
 * Linearization points: of what changes the set, the write of prev->next; of what does not, the read of prev->next that ended the second
 * search. */
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
  _Atomic(struct node *) next;
};
static struct node *head;

static struct node *new_node(int v, struct node *next) {
  struct node *n = malloc(sizeof *n);
  pthread_mutex_init(&n->lock, NULL);
  n->val = v;
  atomic_init(&n->next, next);
  return n;
}

static void set_up(void) { head = new_node(INT_MIN, new_node(INT_MAX, NULL)); }

/* Is prev in the list, and curr after it? Both are locked, so that this stays so. */
static bool is_valid(struct node *prev, struct node *curr) {
  struct node *n = head;
  while (n->val < prev->val) n = atomic_load(&n->next);
  return n == prev && atomic_load(&prev->next) == curr;
}

/* The first node that is not less than v; *before is the one before it. Both are locked. */
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
    if (is_valid(prev, curr)) return curr;
    pthread_mutex_unlock(&curr->lock);
    pthread_mutex_unlock(&prev->lock);
  }
}

static void unlock_both(struct node *prev, struct node *curr) {
  pthread_mutex_unlock(&curr->lock);
  pthread_mutex_unlock(&prev->lock);
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
  if (present) atomic_store(&prev->next, atomic_load(&curr->next));
  unlock_both(prev, curr);
  return present;
}

static bool contains(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool present = curr->val == v;
  unlock_both(prev, curr);
  return present;
}

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP(remove, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)
