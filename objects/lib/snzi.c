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

#include "inside/common.h"

struct root {
  uint32_t state; /* twice the count, and 1: the indicator may still have to be set */
  uint32_t version;
};
static uint32_t root_count(struct root r) { return r.state / 2; }
static bool announces(struct root r) { return r.state % 2; }

/* So many may have arrived at a node. Those who pass through it on their way from its children come in addition, two at a time
 * for each thread at most, so that a count of 31 bits does not overflow. */
enum { ARRIVED_MOST = 1 << 29 };

struct node {
  uint32_t count, version; /* count: twice the arrivals, or 1 */
};
struct indicator {
  uint32_t set, writes;
};
struct snzi {
  unsigned nodes;
  _Atomic(struct indicator) indicator;
  _Atomic(struct root) root;
  _Atomic(struct node) node[]; /* 0 is not used */
};

struct snzi *snzi_create(unsigned nodes) {
  struct snzi *s = alloc_array(sizeof *s, nodes, sizeof s->node[0]);
  if (!s) return NULL;
  s->nodes = nodes;
  atomic_init(&s->indicator, ((struct indicator){0, 0}));
  atomic_init(&s->root, ((struct root){0, 0}));
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

/* False if `most` have arrived. */
static bool root_arrive(struct snzi *s, uint32_t most) {
  struct root seen = atomic_load(&s->root), next;
  do {
    if (root_count(seen) >= most) return false;
    next = seen;
    next.state += 2;
    if (root_count(seen) == 0) {
      next.state = 2 | 1;
      next.version++;
    }
  } while (!atomic_compare_exchange_strong(&s->root, &seen, next));
  if (!announces(next)) return true;
  set_indicator(s);
  struct root done = next;
  done.state--;
  atomic_compare_exchange_strong(&s->root, &next, done);
  return true;
}

static void root_depart(struct snzi *s) {
  struct root seen = atomic_load(&s->root), next;
  do {
    next = seen;
    next.state = 2 * (root_count(seen) - 1);
  } while (!atomic_compare_exchange_strong(&s->root, &seen, next));
  if (root_count(next) > 0) return;
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

/* False if `most` have arrived at the node. */
static bool node_arrive(struct snzi *s, unsigned node, uint32_t most) {
  if (node == 0) return root_arrive(s, most);
  unsigned undo = 0;
  bool arrived = false;
  while (!arrived) {
    struct node seen = atomic_load(&s->node[node]), next = seen;
    if (seen.count / 2 >= most) break;
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
    node_arrive(s, (node - 1) / 2, UINT32_MAX);
    if (!atomic_compare_exchange_strong(&s->node[node], &half, next)) undo++;
  }
#ifdef NO_UNDO
  undo = 0;
#endif
  for (; undo > 0; undo--) snzi_depart(s, (node - 1) / 2);
  return arrived;
}

bool snzi_arrive(struct snzi *s, unsigned node) { return node < s->nodes && node_arrive(s, node, ARRIVED_MOST); }

bool snzi_query(struct snzi *s) {
  struct indicator now = atomic_load(&s->indicator);
  return now.set == 1;
}
