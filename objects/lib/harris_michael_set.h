/* A set as a sorted list without locks: a node is deleted by a mark in its link, and unlinked by whoever comes by.
 *
 * M. M. Michael, High Performance Dynamic Lock-Free Hash Tables and List-Based Sets (2002), after T. L. Harris, A Pragmatic
 * Implementation of Non-Blocking Linked-Lists (2001). Linearizable; any number of threads. Keys are any long.
 *
 * progress   lock-free
 * memory     a node for each key, freed through hazard pointers
 * time       as many steps as there are smaller keys inside */
#ifndef ASIF_OBJECTS_HARRIS_MICHAEL_SET_H
#define ASIF_OBJECTS_HARRIS_MICHAEL_SET_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct harris_michael_set;

struct harris_michael_set *harris_michael_set_create(struct hazard *); /* NULL if there is no memory */
void harris_michael_set_destroy(struct harris_michael_set *);          /* NULL, or nobody uses it any more */
/* *added: it was not inside before. False: there is no memory; nothing happened. */
bool harris_michael_set_add(struct harris_michael_set *, long key, bool *added);
bool harris_michael_set_remove(struct harris_michael_set *, long key); /* was it inside? */
bool harris_michael_set_contains(struct harris_michael_set *, long key);

#ifdef __cplusplus
}
#endif
#endif
