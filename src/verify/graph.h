/* The reachable state graph of a system, without any specification: what liveness is decided on.
 *
 * A node is a packed state together with the call each thread has open, so that the operation of a RETURN is known.
 * Nodes are numbered breadth first from the start, which is 0: a node's parent comes before it, and following parents
 * is a shortest way back. What of an edge matters (who moves, and its events) is a label, shared by all edges that have
 * the same; how the thread chose is not stored: graph_path finds it again by making the moves.
 *
 * The graph is built part by part. Nodes before `expanded` have all their edges; what is true of runs among them is
 * true. */
#ifndef ASIF_VERIFY_GRAPH_H
#define ASIF_VERIFY_GRAPH_H

#include "verify/search.h"

enum { NOT_OPEN = UINT16_MAX };

struct graph_label {
  uint8_t thread;
  uint8_t count;                    /* of the events */
  struct event events[EVENTS_MOST]; /* CALL and RETURN only, in order; a RETURN has the number of its call */
};

struct graph_edge {
  uint32_t to, label;
};

struct edges {
  struct graph_edge *at;
  size_t count, room;
};

struct graph {
  struct mem *mem;
  struct system *system;
  uint32_t count, expanded; /* nodes: packed states ... */
  VEC(unsigned char) bytes; /* ... node i is at[i] to at[i+1]: the open calls, then the state */
  VEC(size_t) at;
  struct edges edges; /* of node i: first[i] to first[i+1]; no two are equal */
  VEC(size_t) first;
  VEC(uint32_t) parent;  /* of node i > 0 */
  VEC(uint16_t) open;    /* threads inside an operation: a bit each */
  VEC(uint16_t) enabled; /* threads that can move */
  VEC(uint16_t) waits;   /* threads that cannot move now: a lock is taken */
  VEC(uint16_t) held;    /* ... a condition does not hold, and they are inside an operation */
  VEC(struct graph_label) labels;
  uint32_t *label_table, label_mask; /* label + 1; open addressing */
  uint32_t *table, mask;             /* node + 1; open addressing */
  /* The first move that faulted: building ends with it. fault_node is UINT32_MAX if there was none. */
  uint32_t fault_node;
  struct path_move fault;
};

/* The start alone. Owned by mem, whose guard is jumped to when a limit is reached: count and edges then say how far it
 * came. */
void graph_open(struct graph *, struct mem *, struct system *);
/* Expands nodes until so many are expanded, or all, or a move faults. */
void graph_extend(struct graph *, uint32_t expanded);
static inline bool graph_complete(const struct graph *g) { return g->expanded == g->count; }

/* The number of the call a thread has open in a node, or NOT_OPEN. */
uint16_t graph_call(const struct graph *, uint32_t node, unsigned thread);

/* Does a label have an event of this kind, of this thread (-1: of any)? */
bool label_has(const struct graph_label *, enum event_kind, int thread);

/* The moves along edges that follow each other from the start, as the system makes them; and, if asked for, the one
 * that faulted. Owned by mem. NULL if the system does not make them: it is not a function of its packed states. */
struct path_move *graph_path(struct graph *, struct mem *, const struct graph_edge *, size_t count, bool fault);

#endif
