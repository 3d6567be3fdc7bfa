/* An unbounded priority queue (priority_queue.h).
 *
 * A node is deleted when the link to it is marked. The deleted ones are at the beginning, since only the first that is not is
 * deleted next, and nothing can be put before a deleted one: its link is marked, and the exchange that inserts fails. So the mark
 * takes out the least value there is at that moment. The deleted ones are cut off together, all but the last, by moving `first`;
 * nodes leave the list in no other way, so that a pointer is safe if it was published and `first` is still the same node.
 *
 * MARKS_NODES, after Lotan and Shavit (2000), where a node carries its own mark and values can be put behind a deleted one, is
 * for harness/bugs/. */
#include "priority_queue.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "hazard.h"

#ifndef LONGEST_PREFIX
#define LONGEST_PREFIX 16 /* how many deleted nodes may stay at the beginning */
#endif

struct node {
  struct hazard_node retired;
  long value;
  atomic_uintptr_t next; /* of the node, and 1: that one is deleted */
#ifdef MARKS_NODES
  atomic_bool deleted;
#endif
};
struct priority_queue {
  atomic_uintptr_t first; /* as next */
  struct hazard *hazard;
};

static struct node *node_of(uintptr_t link) { return (struct node *)(link & ~(uintptr_t)1); }
static bool marked(uintptr_t link) { return link & 1; }

struct priority_queue *priority_queue_create(struct hazard *hazard) {
  struct priority_queue *q = hazard ? malloc(sizeof *q) : NULL;
  if (!q) return NULL;
  atomic_init(&q->first, 0);
  q->hazard = hazard;
  return q;
}

void priority_queue_destroy(struct priority_queue *q) {
  if (!q) return;
  for (struct node *n = node_of(atomic_load(&q->first)), *next; n; n = next) {
    next = node_of(atomic_load(&n->next));
    free(n);
  }
  free(q);
}

/* A way along the list. */
struct walk {
  struct hazard_record *record;
  struct node *first;     /* of the list when it began */
  atomic_uintptr_t *from; /* the link that was followed last */
  uintptr_t link;         /* what it said: the node it leads to is protected */
  unsigned passed;        /* nodes before `from` */
};

/* Protects the node that `from` leads to; false if the walk must begin again. */
static bool look(struct priority_queue *q, struct walk *w) {
  w->link = atomic_load(w->from);
  if (!node_of(w->link)) return true;
#ifdef MARKS_NODES
  return true; /* nothing is freed */
#endif
  hazard_set(w->record, w->passed == 0 ? 0 : 1 + w->passed % 2, node_of(w->link));
  if (w->passed == 0) w->first = node_of(w->link);
  return node_of(atomic_load(&q->first)) == w->first;
}

static bool begin(struct priority_queue *q, struct walk *w) {
  w->from = &q->first;
  w->passed = 0;
  return look(q, w);
}

static bool go_on(struct priority_queue *q, struct walk *w) {
  w->from = &node_of(w->link)->next;
  w->passed++;
  return look(q, w);
}

static bool is_deleted(uintptr_t link) {
#ifdef MARKS_NODES
  return atomic_load(&node_of(link)->deleted);
#else
  return marked(link);
#endif
}

bool priority_queue_insert(struct priority_queue *q, long value) {
  struct node *n = malloc(sizeof *n);
  if (!n) return false;
  n->value = value;
#ifdef MARKS_NODES
  atomic_init(&n->deleted, false);
#endif
  struct walk w = {.record = hazard_enter(q->hazard)};
  for (;;) {
    bool good = begin(q, &w);
    while (good && node_of(w.link) && (marked(w.link) || node_of(w.link)->value <= value)) good = go_on(q, &w);
    if (!good) continue;
    atomic_init(&n->next, w.link);
    if (atomic_compare_exchange_strong(w.from, &w.link, (uintptr_t)n)) break;
  }
  hazard_leave(w.record);
  return true;
}

/* The last node deleted is `last`; those before it are cut off, if nobody else does. */
static void cut(struct priority_queue *q, struct walk *w, struct node *last) {
  uintptr_t first = (uintptr_t)w->first | 1;
  if (!atomic_compare_exchange_strong(&q->first, &first, (uintptr_t)last | 1)) return;
  for (struct node *n = w->first, *next; n != last; n = next) {
    next = node_of(atomic_load(&n->next));
    hazard_retire(w->record, &n->retired, free);
  }
}

static bool mark(struct walk *w) {
#ifdef MARKS_NODES
  return !atomic_exchange(&node_of(w->link)->deleted, true);
#else
  return atomic_compare_exchange_strong(w->from, &w->link, w->link | 1);
#endif
}

static bool take(struct priority_queue *q, struct walk *w, long *value) {
  for (;;) {
    bool good = begin(q, w);
    while (good && node_of(w->link) && is_deleted(w->link)) good = go_on(q, w);
    if (!good) continue;
    if (!node_of(w->link)) return false;
    struct node *least = node_of(w->link);
    long item = least->value;
    if (!mark(w)) continue;
    *value = item;
#ifndef MARKS_NODES
    if (w->passed >= LONGEST_PREFIX) cut(q, w, least);
#else
    (void)least, (void)cut;
#endif
    return true;
  }
}

bool priority_queue_deq(struct priority_queue *q, long *value) {
  struct walk w = {.record = hazard_enter(q->hazard)};
  bool taken = take(q, &w, value);
  hazard_leave(w.record);
  return taken;
}
