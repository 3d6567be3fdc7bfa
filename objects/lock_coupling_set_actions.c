/* The set with a lock in each node, with the linearization points of what changes it, and its actions for asif prove. See
 * lock_coupling_set.c.
 *
 * What follows a node changes only while it is locked, and a node leaves only while both it and the one before it are. */
#include <asif.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef VALUES
#define VALUES 2
#endif

struct node {
  pthread_mutex_t lock;
  int val;
  struct node *next;
};
static struct node *head;

static struct node *new_node(int v, struct node *next) {
  struct node *n = malloc(sizeof *n);
  pthread_mutex_init(&n->lock, NULL);
  n->val = v;
  n->next = next;
  return n;
}

static void set_up(void) { head = new_node(INT_MIN, new_node(INT_MAX, NULL)); }

/* The first node that is not less than v; *before is the one before it, locked, so that neither can leave. */
static struct node *find(int v, struct node **before) {
  struct node *prev = head, *curr;
  pthread_mutex_lock(&prev->lock);
  curr = prev->next;
  while (curr->val < v) {
    pthread_mutex_lock(&curr->lock);
    pthread_mutex_unlock(&prev->lock);
    prev = curr;
    curr = prev->next;
  }
  *before = prev;
  return curr;
}

static bool add(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool absent = curr->val != v;
  if (absent) {
    prev->next = new_node(v, curr);
    ASIF_LIN();
  }
  pthread_mutex_unlock(&prev->lock);
  return absent;
}

static bool remove(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool present = curr->val == v;
  if (present) {
    pthread_mutex_lock(&curr->lock);
    prev->next = curr->next;
    ASIF_LIN();
    pthread_mutex_unlock(&curr->lock);
  }
  pthread_mutex_unlock(&prev->lock);
  if (present) {
    pthread_mutex_destroy(&curr->lock);
    free(curr);
  }
  return present;
}

static bool contains(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool present = curr->val == v;
  pthread_mutex_unlock(&prev->lock);
  return present;
}

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP(remove, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)

ASIF_ACTION(lock, "x{lock: free} => x{lock: held}")
ASIF_ACTION(unlock, "x{lock: held} => x{lock: free}")
ASIF_ACTION(insert, "p{lock: held, val: v}, c{val: w}, v < k, k < w | p{next: c}, A => p{next: n}, n{lock: free, val: k, next: c}, {k} + A")
ASIF_ACTION(delete, "p{lock: held} | p{next: c}, c{lock: held, val: k, next: n}, {k} + A => p{next: n}, A")
