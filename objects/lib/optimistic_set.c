/* The optimistic set (optimistic_set.h).
 *
 * The mark of a removed node is for memory only: whoever searches must not follow its link, which may lead to what was freed.
 * That the two nodes are in the set is found by going along the list a second time.
 *
 * NOT_VALIDATED is for harness/bugs/. */
#include "optimistic_set.h"

#include "inside/locked_list.h"

struct optimistic_set {
  struct list list;
};

struct optimistic_set *optimistic_set_create(struct hazard *hazard) {
  struct optimistic_set *s = malloc(sizeof *s);
  if (s && list_open(&s->list, hazard)) return s;
  free(s);
  return NULL;
}

void optimistic_set_destroy(struct optimistic_set *s) {
  if (!s) return;
  list_close(&s->list);
  free(s);
}

/* The two are in the list, and next to each other: they are locked, so that this stays so. */
static bool is_valid(struct optimistic_set *s, struct hazard_record *r, struct place *at) {
#ifdef NOT_VALIDATED
  (void)s, (void)r, (void)at;
  return true;
#else
  struct node *n = s->list.head;
  for (unsigned i = 2; n && n->key <= at->prev->key; i = 5 - i) {
    if (n == at->prev) return atomic_load(&n->next) == at->curr;
    n = next_protected(n, r, i);
  }
  return false;
#endif
}

/* Finds the place of the key and locks it. */
static void lock_place(struct optimistic_set *s, struct hazard_record *r, long key, struct place *at) {
  for (;;) {
    list_find(&s->list, r, key, at);
    lock_both(at);
    if (is_valid(s, r, at)) return;
    unlock_both(at);
  }
}

bool optimistic_set_add(struct optimistic_set *s, long key, bool *added) {
  if (!is_key(key)) return false;
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  struct node *n = NULL;
  lock_place(s, r, key, &at);
  bool absent = at.curr->key != key;
  if (absent && (n = new_node(key, at.curr))) atomic_store(&at.prev->next, n);
  unlock_both(&at);
  hazard_leave(r);
  if (absent && !n) return false;
  *added = absent;
  return true;
}

bool optimistic_set_remove(struct optimistic_set *s, long key) {
  if (!is_key(key)) return false;
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  lock_place(s, r, key, &at);
  bool present = at.curr->key == key;
  if (present) unlink_current(&at);
  unlock_both(&at);
  if (present) hazard_retire(r, &at.curr->retired, free_node);
  hazard_leave(r);
  return present;
}

bool optimistic_set_contains(struct optimistic_set *s, long key) {
  if (!is_key(key)) return false;
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  lock_place(s, r, key, &at);
  bool present = at.curr->key == key;
  unlock_both(&at);
  hazard_leave(r);
  return present;
}
