/* What deciding progress conditions and formulas have in common: the graph, limits, faults, and the answer in moves and
 * words. */
#ifndef ASIF_VERIFY_LIVENESS_H
#define ASIF_VERIFY_LIVENESS_H

#include "verify/lasso.h"

struct liveness {
  struct mem *mem;    /* of the result */
  struct mem scratch; /* of everything else ... */
  struct mem *part;   /* ... but what is for deciding on one part of the graph */
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
  struct asked *asked; /* LTL: product.c's own */
};

typedef bool liveness_step(struct liveness *); /* false with the problem */

/* Prepares (or NULL), builds the graph and, unless a move faults, decides: first on parts of the graph, since a
 * violation on a part is one. Limits become VERDICT_UNKNOWN here. What is asked, and the first members but scratch and
 * part, are filled in. */
bool liveness_decide(struct liveness *, liveness_step *prepare, liveness_step *decide);

/* The question about the system's graph itself, all edges kept. */
struct question liveness_question(struct liveness *);

/* Violated, on a run along these edges of the system's graph; at its end is the move that faulted, if one did. False
 * with the problem if the system does not make these moves. */
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
