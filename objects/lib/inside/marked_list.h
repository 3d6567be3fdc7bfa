/* Michael's list: sorted, without locks, a node being deleted when its own link is marked; not installed.
 *
 * M. M. Michael, High Performance Dynamic Lock-Free Hash Tables and List-Based Sets (2002), after T. L. Harris, A Pragmatic
 * Implementation of Non-Blocking Linked-Lists (2001), with hazard pointers: a node that is found deleted is unlinked before one
 * goes on, so that what a link that is not marked leads to is in the list.
 *
 * NO_MARK_CHECK is for harness/bugs/. */
#ifndef ASIF_OBJECTS_MARKED_LIST_H
#define ASIF_OBJECTS_MARKED_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "../hazard.h"

struct node {
  struct hazard_node retired;
  long key;
  atomic_long count;     /* of the multiset */
  atomic_uintptr_t next; /* and 1: this node is deleted */
};
struct list {
  atomic_uintptr_t first;
  struct hazard *hazard;
};
/* Where a key is, or would be. Its node and the one before are protected. */
struct place {
  atomic_uintptr_t *link; /* leads to node, and is not marked */
  struct node *node;      /* the first that is not less; or NULL */
  uintptr_t next;         /* its link, not marked */
  bool found;
};

static inline void list_open(struct list *l, struct hazard *hazard) {
  atomic_init(&l->first, 0);
  l->hazard = hazard;
}

static inline void list_close(struct list *l) {
  for (struct node *n = (struct node *)atomic_load(&l->first), *next; n; n = next) {
    next = (struct node *)(atomic_load(&n->next) & ~(uintptr_t)1);
    free(n);
  }
}

static inline bool list_try_find(struct list *l, struct hazard_record *r, long key, struct place *at) {
  at->link = &l->first;
  uintptr_t link = atomic_load(at->link);
  for (unsigned i = 0;; link = at->next) {
    at->node = (struct node *)link;
    at->found = false;
    if (!at->node) return true;
    hazard_set(r, i, at->node);
    if (atomic_load(at->link) != link) return false;
    at->next = atomic_load(&at->node->next);
#ifdef NO_MARK_CHECK
    if (at->node->key >= key) at->next &= ~(uintptr_t)1;
#endif
    if (at->next & 1) {
      at->next &= ~(uintptr_t)1;
      if (!atomic_compare_exchange_strong(at->link, &link, at->next)) return false;
      hazard_retire(r, &at->node->retired, free);
    } else if (at->node->key >= key) {
      at->found = at->node->key == key;
      return true;
    } else {
      at->link = &at->node->next;
      i = !i;
    }
  }
}

static inline void list_find(struct list *l, struct hazard_record *r, long key, struct place *at) {
  while (!list_try_find(l, r, key, at))
    ;
}

/* Puts the node where its key was not found; false: something has changed there. */
static inline bool list_insert(struct place *at, struct node *n) {
  atomic_init(&n->next, (uintptr_t)at->node);
  uintptr_t link = (uintptr_t)at->node;
  return atomic_compare_exchange_strong(at->link, &link, (uintptr_t)n);
}

/* Unlinks a node that was marked. Where that fails, a search does it. */
static inline void list_unlink(struct list *l, struct hazard_record *r, struct place *at) {
  uintptr_t link = (uintptr_t)at->node;
  long key = at->node->key;
  if (atomic_compare_exchange_strong(at->link, &link, at->next))
    hazard_retire(r, &at->node->retired, free);
  else
    list_find(l, r, key, at);
}

#endif
