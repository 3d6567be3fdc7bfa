/* Harris and Michael's set (harris_michael_set.h); its list is inside/marked_list.h. */
#include "harris_michael_set.h"

#include "inside/marked_list.h"

struct harris_michael_set {
  struct list list;
};

struct harris_michael_set *harris_michael_set_create(struct hazard *hazard) {
  struct harris_michael_set *s = hazard ? malloc(sizeof *s) : NULL;
  if (s) list_open(&s->list, hazard);
  return s;
}

void harris_michael_set_destroy(struct harris_michael_set *s) {
  if (!s) return;
  list_close(&s->list);
  free(s);
}

bool harris_michael_set_add(struct harris_michael_set *s, long key, bool *added) {
  struct node *n = malloc(sizeof *n);
  if (!n) return false;
  n->key = key;
  atomic_init(&n->count, 1);
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  do list_find(&s->list, r, key, &at);
  while (!at.found && !list_insert(&at, n));
  hazard_leave(r);
  if (at.found) free(n);
  *added = !at.found;
  return true;
}

bool harris_michael_set_remove(struct harris_michael_set *s, long key) {
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  bool removed = false;
  for (;;) {
    list_find(&s->list, r, key, &at);
    if (!at.found) break;
    uintptr_t next = at.next;
    removed = atomic_compare_exchange_strong(&at.node->next, &next, next | 1);
    if (removed) break;
  }
  if (removed) list_unlink(&s->list, r, &at);
  hazard_leave(r);
  return removed;
}

bool harris_michael_set_contains(struct harris_michael_set *s, long key) {
  struct hazard_record *r = hazard_enter(s->list.hazard);
  struct place at;
  list_find(&s->list, r, key, &at);
  hazard_leave(r);
  return at.found;
}
