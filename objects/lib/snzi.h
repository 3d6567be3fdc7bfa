/* A scalable non-zero indicator: have more arrived than departed?
 *
 * F. Ellen, Y. Lev, V. Luchangco and M. Moir, SNZI: Scalable NonZero Indicators (2007): a tree of nodes, of which 0 is the root
 * and (i - 1) / 2 the parent of node i. A thread arrives at any node, and later departs, or lets another depart, from the same; a
 * node passes on to its parent only whether it is in use. Linearizable (specification: snzi); any number of threads.
 *
 * progress   query is wait-free; arrive and depart are lock-free
 * memory     a word a node
 * time       query constant; arrive and depart as deep as the node, and mostly constant where others have arrived at it */
#ifndef ASIF_OBJECTS_SNZI_H
#define ASIF_OBJECTS_SNZI_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct snzi;

struct snzi *snzi_create(unsigned nodes); /* 1 or more; else, or without memory, NULL */
void snzi_destroy(struct snzi *);         /* NULL, or nobody uses it any more */
bool snzi_arrive(struct snzi *, unsigned node); /* false: there is no such node, or 2^29 have arrived at it; nothing happened */
void snzi_depart(struct snzi *, unsigned node); /* where one has arrived, and not departed */
bool snzi_query(struct snzi *);

#ifdef __cplusplus
}
#endif
#endif
