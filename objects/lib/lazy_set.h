/* A set as a sorted list that is searched without locks; a node is marked before it is unlinked.
 *
 * S. Heller, M. Herlihy, V. Luchangco, M. Moir, W. N. Scherer and N. Shavit, A Lazy Concurrent List-Based Set Algorithm (2005).
 * Linearizable; any number of threads. Keys are any long but LONG_MIN and LONG_MAX.
 *
 * progress   add and remove block; contains is lock-free (theirs is wait-free, for memory that is collected)
 * memory     a node for each key, freed through hazard pointers
 * time       as many steps as there are smaller keys inside */
#ifndef ASIF_OBJECTS_LAZY_SET_H
#define ASIF_OBJECTS_LAZY_SET_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct lazy_set;

struct lazy_set *lazy_set_create(struct hazard *); /* NULL if there is no memory */
void lazy_set_destroy(struct lazy_set *);          /* NULL, or nobody uses it any more */
/* *added: it was not inside before. False: there is no memory, or the key is LONG_MIN or LONG_MAX; nothing happened. */
bool lazy_set_add(struct lazy_set *, long key, bool *added);
bool lazy_set_remove(struct lazy_set *, long key); /* was it inside? */
bool lazy_set_contains(struct lazy_set *, long key);

#ifdef __cplusplus
}
#endif
#endif
