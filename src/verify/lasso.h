/* Lassos: infinite runs of a finite graph, as a stem and a loop that is repeated for ever.
 *
 * A question asks for a loop of kept edges that has every mark, is fair, and in which a thread of interest moves. Such
 * a loop lies in a strongly connected component, and a component has one exactly if its edges together have what is
 * asked (weak fairness, marks), or for strong fairness if a part of it has: Lichtenstein and Pnueli 1985, Emerson and
 * Lei 1987. Components are Tarjan's (1972), found without recursion. */
#ifndef ASIF_VERIFY_LASSO_H
#define ASIF_VERIFY_LASSO_H

#include "verify/graph.h"
#include "verify/progress.h"

enum { NO_THREAD = UINT8_MAX };

struct question {
  /* The graph: as in graph.h, but it may be a product with its own labels. */
  uint32_t count; /* nodes; edges that lead to others are not there */
  const size_t *first;
  const struct graph_edge *edges;
  const uint32_t *parent;
  const uint32_t *state; /* a node's node in the system's graph; NULL: itself */
  /* Of labels. */
  const uint8_t *thread; /* who moves, or NO_THREAD */
  const bool *keep;      /* edges to use; NULL: all */
  const uint64_t *marks; /* NULL: none */
  /* What is asked of the loop. */
  uint64_t all; /* marks */
  enum fairness fairness;
  const uint16_t *enabled; /* by state: for fairness */
  const uint16_t
      *interest; /* by state, the same in a whole component: threads, not none; one of them moves. NULL: not asked */
  bool idle;     /* ... none of them need move */
  const uint16_t
      *held; /* by state: no thread is so in all states of the loop; with interest, one of it is not. Or NULL */
};

struct lasso {
  bool found;
  struct edges stem, loop; /* of the graph asked about, from node 0 */
  uint32_t from;           /* the loop's first node */
};

/* The lasso with the shortest stem to a component that has one. Owned by mem. */
void lasso_find(struct mem *, const struct question *, struct lasso *);

/* Appends the edges of a shortest way from node 0 to a node. */
void lasso_stem(struct mem *, const struct question *, uint32_t node, struct edges *);

#endif
