/* Hazard pointers (hazard.h).
 *
 * Michael's threads keep their records; here a record is taken for an operation, by one exchange on a word that is mostly the
 * thread's own (inside/common.h: thread_hint). With it the thread takes over what the record's last holder retired, so that his
 * HelpScan, which looks after what threads leave behind, is not needed. */
#include "hazard.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "inside/common.h"

struct retired {
  void *node;
  void (*reclaim)(void *);
};
struct hazard_record {
  _Alignas(CACHE_LINE) atomic_bool held;
  _Atomic(const void *) pointer[HAZARD_POINTERS];
  struct hazard *domain;
  struct hazard_record *next; /* among those made later */
  struct retired *retired;    /* the holder's */
  unsigned count, room;
};
struct hazard {
  struct hazard_record *records; /* those there were at first */
  unsigned count, batch;
  _Atomic(struct hazard_record *) more;
};

static bool record_make_room(struct hazard_record *r) {
  unsigned room = r->room ? 2 * r->room : 8;
  struct retired *more = realloc(r->retired, room * sizeof *more);
  if (!more) return false;
  r->retired = more;
  r->room = room;
  return true;
}

static void record_init(struct hazard_record *r, struct hazard *domain, bool held) {
  atomic_init(&r->held, held);
  for (int i = 0; i < HAZARD_POINTERS; i++) atomic_init(&r->pointer[i], NULL);
  r->domain = domain;
  r->next = NULL;
  r->retired = NULL;
  r->count = r->room = 0;
}

struct hazard *hazard_create(unsigned records, unsigned batch) {
  struct hazard *d = malloc(sizeof *d);
  if (!d) return NULL;
  d->count = records ? records : 64;
  d->batch = batch ? batch : 2 * HAZARD_POINTERS * d->count;
  atomic_init(&d->more, NULL);
  d->records = aligned_alloc(CACHE_LINE, d->count * sizeof *d->records);
  if (!d->records) {
    free(d);
    return NULL;
  }
  for (unsigned i = 0; i < d->count; i++) record_init(&d->records[i], d, false);
  return d;
}

static void record_reclaim(struct hazard_record *r) {
  for (unsigned i = 0; i < r->count; i++) r->retired[i].reclaim(r->retired[i].node);
  free(r->retired);
}

void hazard_destroy(struct hazard *d) {
  if (!d) return;
  for (unsigned i = 0; i < d->count; i++) record_reclaim(&d->records[i]);
  for (struct hazard_record *r = atomic_load(&d->more), *next; r; r = next) {
    next = r->next;
    record_reclaim(r);
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
    struct hazard_record *made = aligned_alloc(CACHE_LINE, sizeof *made);
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

/* Moves the nodes the record points to among the first `kept` of those the caller has retired; how many there are then. A record
 * that is not held points to nothing: who takes it later, and publishes a pointer, finds on reading again that the node is gone.
 */
static unsigned record_keep(struct hazard_record *mine, struct hazard_record *other, unsigned kept) {
  if (other == mine || !atomic_load(&other->held)) return kept;
  for (int p = 0; p < HAZARD_POINTERS && kept < mine->count; p++) {
    const void *node = atomic_load(&other->pointer[p]);
    if (!node) continue;
    for (unsigned i = kept; i < mine->count; i++) {
      if (mine->retired[i].node != node) continue;
      struct retired found = mine->retired[i];
      mine->retired[i] = mine->retired[kept];
      mine->retired[kept++] = found;
      break;
    }
  }
  return kept;
}

/* Frees what no hazard pointer points to (Michael's Scan). The caller's own operation is past following pointers to what it
 * retired. */
static void record_scan(struct hazard_record *r) {
  struct hazard *d = r->domain;
  unsigned kept = 0;
  for (unsigned i = 0; i < d->count; i++) kept = record_keep(r, &d->records[i], kept);
  for (struct hazard_record *other = atomic_load(&d->more); other; other = other->next) kept = record_keep(r, other, kept);
  for (unsigned i = kept; i < r->count; i++) r->retired[i].reclaim(r->retired[i].node);
  r->count = kept;
}

void hazard_retire(struct hazard_record *r, void *node, void (*reclaim)(void *)) {
  while (r->count == r->room && !record_make_room(r)) {
    record_scan(r);
    if (r->count == r->room) wait_a_moment();
  }
  r->retired[r->count++] = (struct retired){node, reclaim};
  if (r->count >= r->domain->batch) record_scan(r);
}
