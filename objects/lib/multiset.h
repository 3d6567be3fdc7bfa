/* A multiset: how often each key is inside.
 *
 * A sorted list as in harris_michael_set.h, with a count in each node; a node whose count has come to 0 stays so, is no longer
 * part of the multiset, and is unlinked. Linearizable; any number of threads. Keys are any long.
 *
 * progress   lock-free
 * memory     a node for each different key, freed through hazard pointers
 * time       as many steps as there are smaller keys inside */
#ifndef ASIF_OBJECTS_MULTISET_H
#define ASIF_OBJECTS_MULTISET_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct multiset;

struct multiset *multiset_create(struct hazard *); /* NULL if there is no memory */
void multiset_destroy(struct multiset *);          /* NULL, or nobody uses it any more */
bool multiset_add(struct multiset *, long key);    /* once more; false: there is no memory, and nothing happened */
bool multiset_remove(struct multiset *, long key); /* once less; false: it was not inside */
bool multiset_contains(struct multiset *, long key);
long multiset_count(struct multiset *, long key);

#ifdef __cplusplus
}
#endif
#endif
