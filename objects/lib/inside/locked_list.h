/* What the optimistic and the lazy set have in common: a sorted list with a lock in each node that is searched without locks; not
 * installed. The ends are nodes of the least and the greatest long, which are in no set. */
#ifndef ASIF_OBJECTS_LOCKED_LIST_H
#define ASIF_OBJECTS_LOCKED_LIST_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../hazard.h"

struct node {
  struct hazard_node retired;
  pthread_mutex_t lock;
  long key;
  _Atomic(struct node *) next;
  atomic_bool removed; /* set under the lock, before the node is unlinked */
};
struct list {
  struct node *head;
  struct hazard *hazard;
};
/* Two nodes next to each other; curr is the first that is not less than the key. Both are protected by hazard pointers 0 and 1.
 */
struct place {
  struct node *prev, *curr;
};

/* The keys of the ends are in no set. */
static inline bool is_key(long key) { return key != LONG_MIN && key != LONG_MAX; }

static inline struct node *new_node(long key, struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (!n) return NULL;
  pthread_mutex_init(&n->lock, NULL);
  n->key = key;
  atomic_init(&n->next, next);
  atomic_init(&n->removed, false);
  return n;
}

static inline void free_node(void *node) {
  struct node *n = node;
  if (n) pthread_mutex_destroy(&n->lock);
  free(n);
}

static inline bool list_open(struct list *l, struct hazard *hazard) {
  if (!hazard) return false;
  struct node *last = new_node(LONG_MAX, NULL);
  l->head = new_node(LONG_MIN, last);
  l->hazard = hazard;
  if (l->head && last) return true;
  free_node(l->head);
  free_node(last);
  return false;
}

static inline void list_close(struct list *l) {
  for (struct node *n = l->head, *next; n; n = next) {
    next = atomic_load(&n->next);
    free_node(n);
  }
}

/* The node after n, protected by hazard pointer i; NULL if n was removed, so that what it leads to may be gone. */
static inline struct node *next_protected(struct node *n, struct hazard_record *r, unsigned i) {
  for (;;) {
    struct node *next = atomic_load(&n->next);
    hazard_set(r, i, next);
    if (atomic_load(&n->removed)) return NULL;
    if (next == atomic_load(&n->next)) return next;
  }
}

static inline void list_find(struct list *l, struct hazard_record *r, long key, struct place *at) {
again:
  at->prev = l->head;
  for (unsigned i = 0;; i = !i) {
    at->curr = next_protected(at->prev, r, i);
    if (!at->curr) goto again;
    if (at->curr->key >= key) return;
    at->prev = at->curr;
  }
}

static inline void lock_both(struct place *at) {
  pthread_mutex_lock(&at->prev->lock);
  pthread_mutex_lock(&at->curr->lock);
}

static inline void unlock_both(struct place *at) {
  pthread_mutex_unlock(&at->curr->lock);
  pthread_mutex_unlock(&at->prev->lock);
}

/* Of two nodes that are locked and next to each other. The hazard pointers of others keep it until they have gone on. */
static inline void unlink_current(struct place *at) {
  atomic_store(&at->curr->removed, true);
  atomic_store(&at->prev->next, atomic_load(&at->curr->next));
}

#endif
