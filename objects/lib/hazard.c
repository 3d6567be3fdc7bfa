/* Hazard pointers (hazard.h).
 *
 * Michael's threads keep their records; here a record is taken for an operation, by one exchange on a word that is mostly the
 * thread's own (inside/common.h: thread_hint). With it the thread takes over what the record's last holder retired, so that his
 * HelpScan, which looks after what threads leave behind, is not needed. */
#include "hazard.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "inside/common.h"

struct hazard_record {
  _Alignas(CACHE_LINE) atomic_bool held;
  _Atomic(const void *) pointer[HAZARD_POINTERS];
  struct hazard *domain;
  struct hazard_record *next; /* among those made later */
  struct hazard_node *retired; /* the holder's: a list */
  unsigned count;              /* of it */
};
struct hazard {
  struct hazard_record *records; /* those there were at first */
  unsigned count, batch;
  _Atomic(struct hazard_record *) more;
};

static void record_init(struct hazard_record *r, struct hazard *domain, bool held) {
  atomic_init(&r->held, held);
  for (int i = 0; i < HAZARD_POINTERS; i++) atomic_init(&r->pointer[i], NULL);
  r->domain = domain;
  r->next = NULL;
  r->retired = NULL;
  r->count = 0;
}

struct hazard *hazard_create(unsigned records, unsigned batch) {
  struct hazard *d = malloc(sizeof *d);
  if (!d) return NULL;
  d->count = records ? records : 64;
  unsigned most = UINT_MAX / (2 * HAZARD_POINTERS);
  d->batch = batch ? batch : 2 * HAZARD_POINTERS * (d->count < most ? d->count : most);
  atomic_init(&d->more, NULL);
  d->records = alloc_aligned(0, d->count, sizeof *d->records);
  if (!d->records) {
    free(d);
    return NULL;
  }
  for (unsigned i = 0; i < d->count; i++) record_init(&d->records[i], d, false);
  return d;
}

static void reclaim_all(struct hazard_node *list) {
  for (struct hazard_node *next; list; list = next) {
    next = list->next;
    list->reclaim(list);
  }
}

void hazard_destroy(struct hazard *d) {
  if (!d) return;
  for (unsigned i = 0; i < d->count; i++) reclaim_all(d->records[i].retired);
  for (struct hazard_record *r = atomic_load(&d->more), *next; r; r = next) {
    next = r->next;
    reclaim_all(r->retired);
    free(r);
  }
  free(d->records);
  free(d);
}

static bool record_take(struct hazard_record *r) { return !atomic_exchange(&r->held, true); }

struct hazard_record *hazard_enter(struct hazard *d) {
  unsigned home = thread_hint() % d->count;
  for (;;) {
    for (unsigned i = 0; i < d->count; i++) {
      struct hazard_record *r = &d->records[home + i < d->count ? home + i : home + i - d->count];
      if (record_take(r)) return r;
    }
    for (struct hazard_record *r = atomic_load(&d->more); r; r = r->next)
      if (record_take(r)) return r;
    struct hazard_record *made = alloc_aligned(0, 1, sizeof *made);
    if (!made) {
      wait_a_moment();
      continue;
    }
    record_init(made, d, true);
    made->next = atomic_load(&d->more);
    while (!atomic_compare_exchange_weak(&d->more, &made->next, made))
      ;
    return made;
  }
}

/* What the pointers say stays there: it counts only while the record is held, and the next holder replaces it. */
void hazard_leave(struct hazard_record *r) { atomic_store_explicit(&r->held, false, memory_order_release); }

void hazard_set(struct hazard_record *r, unsigned i, const void *node) { atomic_store(&r->pointer[i], node); }

/* The nodes that a scan has to keep, and the others. */
struct scan {
  struct hazard_node *kept, *rest;
  unsigned kept_count;
};

/* Moves the nodes that the record points to from `rest` to `kept`. A record that is not held points to nothing: whoever takes it
 * later, and publishes a pointer, finds on reading again that the node is gone. */
static void scan_record(struct scan *s, struct hazard_record *other) {
  if (!atomic_load(&other->held)) return;
  for (int p = 0; p < HAZARD_POINTERS && s->rest; p++) {
    const void *node = atomic_load(&other->pointer[p]);
    if (!node) continue;
    for (struct hazard_node **link = &s->rest; *link; link = &(*link)->next) {
      struct hazard_node *found = *link;
      if (found != node) continue;
      *link = found->next;
      found->next = s->kept;
      s->kept = found;
      s->kept_count++;
      break;
    }
  }
}

/* Frees what no hazard pointer points to (Michael's Scan). The caller's own operation is past following pointers to what it
 * retired. */
static void record_scan(struct hazard_record *r) {
  struct hazard *d = r->domain;
  struct scan s = {.rest = r->retired};
  for (unsigned i = 0; i < d->count; i++)
    if (&d->records[i] != r) scan_record(&s, &d->records[i]);
  for (struct hazard_record *other = atomic_load(&d->more); other; other = other->next)
    if (other != r) scan_record(&s, other);
  r->retired = s.kept;
  r->count = s.kept_count;
  reclaim_all(s.rest);
}

void hazard_retire(struct hazard_record *r, struct hazard_node *node, void (*reclaim)(void *)) {
  node->reclaim = reclaim;
  node->next = r->retired;
  r->retired = node;
  if (++r->count >= r->domain->batch) record_scan(r);
}
