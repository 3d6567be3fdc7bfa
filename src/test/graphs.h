/* Linearizability under weak memory (graphs.c). */
#ifndef ASIF_TEST_GRAPHS_H
#define ASIF_TEST_GRAPHS_H

#include "run/graph.h"
#include "test/explore.h"
#include "test/test.h"

/* Executions that differ in what is not asked for here have one answer. */
struct known_orders {
  struct hashes *explained; /* of those that orders explain; NULL: none is known */
  struct hash results;      /* of the client and its results */
};
/* Of the last run: does an order of its operations explain all results, whatever edges from returns to calls the model
 * allows to synchronise besides (else FOUND_ORDERS)? And of a container, is what was done before a value was put in
 * ordered before what is done with it when it was taken out (else FOUND_UNPUBLISHED)? Else `said` is a sentence that
 * says of which there is none; made of `m`. */
enum found graph_linearizable(struct mem *m, struct linear *, const struct object *, const struct run *,
                              const struct known_orders *, const char **said);
/* The order with no such edges; its operations are numbered in the order of their calls. False: there is none. */
bool graph_some_order(struct mem *m, struct linear *, const struct run *, uint32_t *order, size_t *count);

#endif
