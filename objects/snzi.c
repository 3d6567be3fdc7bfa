/* A scalable non-zero indicator: a tree of NODES nodes, of which node 0 is the root and (i - 1) / 2 the parent of node i.
 *
 * F. Ellen, Y. Lev, V. Luchangco and M. Moir, SNZI: Scalable NonZero Indicators (2007). A thread arrives at any node, and later
 * one departs from the same node; a node passes on to its parent only whether it is in use. The paper's halves are doubled:
 * a node's count is 2 for each arrival, 1 while the first is on its way to the parent. Its load-linked and store-conditional
 * on the indicator are a compare-and-exchange of the indicator with a count of the writes to it.
 *
 * The specification that comes with Asif (snzi) does not know of nodes, and a client of it could depart where nobody has
 * arrived. The one at the end counts them at each node.
 *
 * Linearization points: query, its read. arrive and depart: where the surplus becomes or ceases to be 0, the write of the
 * indicator, by whichever thread; else the successful exchange at the node. */
#include <asif.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef NODES
#define NODES 2
#endif

struct root {
  short count, announce; /* announce: the indicator may still have to be set */
  int version;
};
struct node {
  int count, version;
};
struct indicator {
  int set, writes;
};
static _Atomic(struct root) root;
static _Atomic(struct node) nodes[NODES]; /* but not 0 */
static _Atomic(struct indicator) indicator;

static void indicator_set(void) {
  struct indicator seen = atomic_load(&indicator), set;
  do {
    set.set = 1;
    set.writes = seen.writes + 1;
  } while (!atomic_compare_exchange_strong(&indicator, &seen, set));
}

static void root_arrive(void) {
  struct root seen = atomic_load(&root), next;
  do {
    next = seen;
    next.count++;
    if (seen.count == 0) {
      next.announce = 1;
      next.version++;
    }
  } while (!atomic_compare_exchange_strong(&root, &seen, next));
  if (next.announce) {
    indicator_set();
    struct root done = next;
    done.announce = 0;
    atomic_compare_exchange_strong(&root, &next, done);
  }
}

static void root_depart(void) {
  struct root seen = atomic_load(&root), next;
  do {
    next = seen;
    next.count--;
    next.announce = 0;
  } while (!atomic_compare_exchange_strong(&root, &seen, next));
  if (next.count > 0) return;
  for (;;) {
    struct indicator linked = atomic_load(&indicator);
    struct root now = atomic_load(&root);
    if (now.version != next.version) return;
    struct indicator cleared = {0, linked.writes + 1};
    if (atomic_compare_exchange_strong(&indicator, &linked, cleared)) return;
  }
}

static void depart(int node) {
  if (node == 0) {
    root_depart();
    return;
  }
  struct node seen = atomic_load(&nodes[node]), next;
  do {
    next = seen;
    next.count -= 2;
  } while (!atomic_compare_exchange_strong(&nodes[node], &seen, next));
  if (seen.count == 2) depart((node - 1) / 2);
}

static void arrive(int node) {
  if (node == 0) {
    root_arrive();
    return;
  }
  int undo = 0;
  bool arrived = false;
  while (!arrived) {
    struct node seen = atomic_load(&nodes[node]), next = seen;
    if (seen.count >= 2) {
      next.count += 2;
      arrived = atomic_compare_exchange_strong(&nodes[node], &seen, next);
      continue;
    }
    if (seen.count == 0) {
      next.count = 1;
      next.version++;
      if (!atomic_compare_exchange_strong(&nodes[node], &seen, next)) continue;
      arrived = true;
    }
    /* The count is 1, by this thread or another: whoever sees it arrives at the parent, and the first to say so stays there. */
    struct node half = next;
    next.count = 2;
    arrive((node - 1) / 2);
    if (!atomic_compare_exchange_strong(&nodes[node], &half, next)) undo++;
  }
  for (; undo > 0; undo--) depart((node - 1) / 2);
}

static bool query(void) {
  struct indicator seen = atomic_load(&indicator);
  return seen.set == 1;
}

/* What a client may do: depart from a node where somebody has arrived. */
static int arrived[NODES];

static void arrive_at(int node) {
  arrive(node);
  ASIF_ATOMIC { arrived[node]++; }
}

static void depart_from(int node) {
  ASIF_ATOMIC {
    asif_require(arrived[node] > 0);
    arrived[node]--;
  }
  depart(node);
}

struct state {
  int at[NODES];
};
static void spec_arrive(struct state *s, int node) { s->at[node]++; }
static void spec_depart(struct state *s, int node) {
  asif_require(s->at[node] > 0);
  s->at[node]--;
}
static bool spec_query(const struct state *s) {
  for (int i = 0; i < NODES; i++)
    if (s->at[i] > 0) return true;
  return false;
}

ASIF_SPEC(snzi_tree, struct state)
ASIF_SPEC_OP(spec_arrive, "arrive")
ASIF_SPEC_OP(spec_depart, "depart")
ASIF_SPEC_OP(spec_query, "query")

ASIF_OBJECT(snzi_tree)
ASIF_OP_AS(arrive, arrive_at, ASIF_IN(0, NODES - 1))
ASIF_OP_AS(depart, depart_from, ASIF_IN(0, NODES - 1))
ASIF_OP(query)
