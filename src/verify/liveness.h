/* What deciding progress conditions and formulas have in common: the graph, limits, faults, and the answer in moves and words. */
#ifndef ASIF_VERIFY_LIVENESS_H
#define ASIF_VERIFY_LIVENESS_H

#include "verify/lasso.h"

struct liveness {
  struct mem *mem;    /* of the result */
  struct mem scratch; /* of everything else */
  struct system *system;
  const struct ltl_names *names;
  struct limits *limits;
  struct liveness_result *result;
  struct problem *problem;
  struct graph graph;
  /* What is asked. */
  enum progress progress;
  const char *formula;
  enum fairness fairness;
  struct product *product; /* LTL: product.c's own */
};

typedef bool liveness_part(struct liveness *); /* false with the problem */

/* Prepares (or NULL), builds the graph and, unless a move faults, decides. Limits become VERDICT_UNKNOWN here. What is asked, and
 * the first members but scratch, are filled in. */
bool liveness_decide(struct liveness *, liveness_part *prepare, liveness_part *decide);

/* The question about the system's graph itself, all edges kept. Labels' threads are owned by scratch. */
struct question liveness_question(struct liveness *);

/* Violated, on a run along these edges of the system's graph. False with the problem if the system does not make these moves. */
bool liveness_violated(struct liveness *, const struct edges *stem, const struct edges *loop);
/* Violated, on a shortest run to a node, which ends there. */
bool liveness_violated_in(struct liveness *, uint32_t node);

/* Adds "thread A is in push(3), thread B is in pop()": the threads of a bit set, in a node. */
void liveness_print_threads(struct liveness *, uint32_t node, uint16_t threads, struct text *);

/* The lowest thread of a bit set. */
static inline int first_thread(uint16_t threads) {
  int t = 0;
  while (!(threads >> t & 1)) t++;
  return t;
}

#endif
