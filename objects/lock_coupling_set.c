/* A set as a sorted list with a lock in each node: a thread goes along it holding the lock of one node until it has the next.
 *
 * R. Bayer and M. Schkolnick, Concurrency of Operations on B-Trees (1977); the list is in section 9.5 of Herlihy and Shavit, The
 * Art of Multiprocessor Programming. The ends are nodes of the least and the greatest int, which are in no set.
 *
 * Linearization points: of what changes the set, the write of prev->next; of what does not, the read of curr->val that ended
 * the search.
 *
 * With -DPOINTS they are marked. MISPLACED_LOCK and COLLECTED are for bugs/b6.c. */
#include <asif.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef VALUES
#define VALUES 2
#endif

#ifdef POINTS
#define POINT() ASIF_LIN()
#else
#define POINT() ((void)0)
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
#ifdef MISPLACED_LOCK
  curr = prev->next;
  pthread_mutex_lock(&prev->lock);
#else
  pthread_mutex_lock(&prev->lock);
  curr = prev->next;
#endif
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
  if (absent) prev->next = new_node(v, curr);
  POINT();
  pthread_mutex_unlock(&prev->lock);
  return absent;
}

static bool remove(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool present = curr->val == v;
  if (present) {
    pthread_mutex_lock(&curr->lock);
    prev->next = curr->next;
    POINT();
    pthread_mutex_unlock(&curr->lock);
  } else {
    POINT();
  }
  pthread_mutex_unlock(&prev->lock);
#ifndef COLLECTED
  if (present) {
    pthread_mutex_destroy(&curr->lock);
    free(curr);
  }
#endif
  return present;
}

static bool contains(int v) {
  struct node *prev, *curr = find(v, &prev);
  bool present = curr->val == v;
  POINT();
  pthread_mutex_unlock(&prev->lock);
  return present;
}

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP(remove, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)
