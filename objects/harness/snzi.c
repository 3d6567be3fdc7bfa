/* lib/snzi.h. Clients depart only from a node where they have arrived: a thread arrives and departs itself. */
#include "harness.h"
#include "../lib/snzi.c"

#ifndef NODES
#define NODES 2
#endif

static struct snzi *x;
static _Thread_local int arrived[NODES];

static void set_up(void) { x = snzi_create(NODES); }
static void arrive(int node) {
  if (snzi_arrive(x, (unsigned)node)) arrived[node]++;
}
static void depart(int node) {
  asif_require(arrived[node] > 0);
  arrived[node]--;
  snzi_depart(x, (unsigned)node);
}
static bool query(void) { return snzi_query(x); }

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
ASIF_OP(arrive, ASIF_IN(0, NODES - 1))
ASIF_OP(depart, ASIF_IN(0, NODES - 1))
ASIF_OP(query)
ASIF_INIT(set_up)
