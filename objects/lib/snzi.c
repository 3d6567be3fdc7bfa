/* A scalable non-zero indicator (snzi.h).
 *
 * The paper's halves are doubled: a node's count is 2 for each arrival, 1 while the first is on its way to the parent. Its
 * load-linked and store-conditional on the indicator are a compare-and-exchange of the indicator with a count of the writes to
 * it.
 *
 * NO_UNDO, where an arrival at the parent that was not needed stays, is for harness/bugs/. */
#include "snzi.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct root {
  uint16_t count, announce; /* announce: the indicator may still have to be set */
  uint32_t version;
};
struct node {
  uint32_t count, version;
};
struct indicator {
  uint32_t set, writes;
};
struct snzi {
  _Atomic(struct indicator) indicator;
  _Atomic(struct root) root;
  _Atomic(struct node) node[]; /* 0 is not used */
};

struct snzi *snzi_create(unsigned nodes) {
  struct snzi *s = malloc(sizeof *s + nodes * sizeof s->node[0]);
  if (!s) return NULL;
  atomic_init(&s->indicator, ((struct indicator){0, 0}));
  atomic_init(&s->root, ((struct root){0, 0, 0}));
  for (unsigned i = 0; i < nodes; i++) atomic_init(&s->node[i], ((struct node){0, 0}));
  return s;
}

void snzi_destroy(struct snzi *s) { free(s); }

static void set_indicator(struct snzi *s) {
  struct indicator seen = atomic_load(&s->indicator), set;
  do {
    set.set = 1;
    set.writes = seen.writes + 1;
  } while (!atomic_compare_exchange_strong(&s->indicator, &seen, set));
}

static void root_arrive(struct snzi *s) {
  struct root seen = atomic_load(&s->root), next;
  do {
    next = seen;
    next.count++;
    if (seen.count == 0) {
      next.announce = 1;
      next.version++;
    }
  } while (!atomic_compare_exchange_strong(&s->root, &seen, next));
  if (!next.announce) return;
  set_indicator(s);
  struct root done = next;
  done.announce = 0;
  atomic_compare_exchange_strong(&s->root, &next, done);
}

static void root_depart(struct snzi *s) {
  struct root seen = atomic_load(&s->root), next;
  do {
    next = seen;
    next.count--;
    next.announce = 0;
  } while (!atomic_compare_exchange_strong(&s->root, &seen, next));
  if (next.count > 0) return;
  for (;;) {
    struct indicator linked = atomic_load(&s->indicator);
    struct root now = atomic_load(&s->root);
    if (now.version != next.version) return;
    struct indicator cleared = {0, linked.writes + 1};
    if (atomic_compare_exchange_strong(&s->indicator, &linked, cleared)) return;
  }
}

void snzi_depart(struct snzi *s, unsigned node) {
  for (; node > 0; node = (node - 1) / 2) {
    struct node seen = atomic_load(&s->node[node]), next;
    do {
      next = seen;
      next.count -= 2;
    } while (!atomic_compare_exchange_strong(&s->node[node], &seen, next));
    if (seen.count > 2) return;
  }
  root_depart(s);
}

void snzi_arrive(struct snzi *s, unsigned node) {
  if (node == 0) {
    root_arrive(s);
    return;
  }
  unsigned undo = 0;
  bool arrived = false;
  while (!arrived) {
    struct node seen = atomic_load(&s->node[node]), next = seen;
    if (seen.count >= 2) {
      next.count += 2;
      arrived = atomic_compare_exchange_strong(&s->node[node], &seen, next);
      continue;
    }
    if (seen.count == 0) {
      next.count = 1;
      next.version++;
      if (!atomic_compare_exchange_strong(&s->node[node], &seen, next)) continue;
      arrived = true;
    }
    /* The count is 1, by this thread or another: whoever sees it arrives at the parent, and the first to say so stays there. */
    struct node half = next;
    next.count = 2;
    snzi_arrive(s, (node - 1) / 2);
    if (!atomic_compare_exchange_strong(&s->node[node], &half, next)) undo++;
  }
#ifdef NO_UNDO
  undo = 0;
#endif
  for (; undo > 0; undo--) snzi_depart(s, (node - 1) / 2);
}

bool snzi_query(struct snzi *s) {
  struct indicator now = atomic_load(&s->indicator);
  return now.set == 1;
}
