/* A multiset (multiset.h); its list is inside/marked_list.h.
 *
 * Linearization points: the exchange of the count, or its read; of a key that comes, the exchange that links its node; of one
 * that is not there, the read that shows it.
 *
 * REVIVES, where a count goes up from 0 again, is for harness/bugs/. */
#include "multiset.h"

#include "inside/marked_list.h"

struct multiset {
  struct list list;
};

struct multiset *multiset_create(struct hazard *hazard) {
  struct multiset *s = hazard ? malloc(sizeof *s) : NULL;
  if (s) list_open(&s->list, hazard);
  return s;
}

void multiset_destroy(struct multiset *s) {
  if (!s) return;
  list_close(&s->list);
  free(s);
}

/* Adds to a count that is not 0; the count before. */
static long change(struct node *n, long by) {
  long count = atomic_load(&n->count);
#ifdef REVIVES
  while ((count > 0 || by > 0) && !atomic_compare_exchange_weak(&n->count, &count, count + by))
    ;
  return by > 0 ? 1 : count;
#else
  while (count > 0 && !atomic_compare_exchange_weak(&n->count, &count, count + by))
    ;
  return count;
#endif
}

/* Takes a node whose count is 0 out of the list, whoever brought it there. */
static void bury(struct multiset *s, struct hazard_record *r, struct place *at) {
  if (!(atomic_fetch_or(&at->node->next, 1) & 1)) {
    long key = at->node->key;
    list_find(&s->list, r, key, at);
  }
}

bool multiset_add(struct multiset *s, long key) {
  struct node *n = malloc(sizeof *n);
  if (!n) return false;
  n->key = key;
  atomic_init(&n->count, 1);
  struct hazard_record *r = hazard_enter(s->list.hazard);
  for (;;) {
    struct place at;
    list_find(&s->list, r, key, &at);
    if (!at.found) {
      if (list_insert(&at, n)) break;
    } else if (change(at.node, 1) > 0) {
      free(n);
      break;
    } else {
      bury(s, r, &at);
    }
  }
  hazard_leave(r);
  return true;
}

bool multiset_remove(struct multiset *s, long key) {
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  list_find(&s->list, r, key, &at);
  long before = at.found ? change(at.node, -1) : 0;
  if (before == 1) bury(s, r, &at);
  hazard_leave(r);
  return before > 0;
}

long multiset_count(struct multiset *s, long key) {
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  list_find(&s->list, r, key, &at);
  long count = at.found ? atomic_load(&at.node->count) : 0;
  hazard_leave(r);
  return count;
}

bool multiset_contains(struct multiset *s, long key) { return multiset_count(s, key) > 0; }
