/* The lazy set (lazy_set.h).
 *
 * NOT_VALIDATED is for harness/bugs/. */
#include "lazy_set.h"

#include "inside/locked_list.h"

struct lazy_set {
  struct list list;
};

struct lazy_set *lazy_set_create(struct hazard *hazard) {
  struct lazy_set *s = malloc(sizeof *s);
  if (s && list_open(&s->list, hazard)) return s;
  free(s);
  return NULL;
}

void lazy_set_destroy(struct lazy_set *s) {
  if (!s) return;
  list_close(&s->list);
  free(s);
}

/* The two are in the list, and next to each other: they are locked, so that this stays so. */
static bool is_valid(struct lazy_set *s, struct hazard_record *r, struct place *at) {
  (void)s, (void)r;
#ifdef NOT_VALIDATED
  (void)at;
  return true;
#else
  return !atomic_load(&at->prev->removed) && !atomic_load(&at->curr->removed) && atomic_load(&at->prev->next) == at->curr;
#endif
}

/* Finds the place of the key and locks it. */
static void lock_place(struct lazy_set *s, struct hazard_record *r, long key, struct place *at) {
  for (;;) {
    list_find(&s->list, r, key, at);
    lock_both(at);
    if (is_valid(s, r, at)) return;
    unlock_both(at);
  }
}

bool lazy_set_add(struct lazy_set *s, long key, bool *added) {
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

bool lazy_set_remove(struct lazy_set *s, long key) {
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

bool lazy_set_contains(struct lazy_set *s, long key) {
  if (!is_key(key)) return false;
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  list_find(&s->list, r, key, &at);
  bool present = at.curr->key == key && !atomic_load(&at.curr->removed);
  hazard_leave(r);
  return present;
}
