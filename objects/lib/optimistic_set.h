/* A set as a sorted list that is searched without locks: a thread locks the two nodes it has found and then looks whether they
 * can be reached still.
 *
 * M. Herlihy and N. Shavit, The Art of Multiprocessor Programming, section 9.6. Linearizable; any number of threads. Keys are any
 * long but LONG_MIN and LONG_MAX. Each operation goes along the list twice, contains too.
 *
 * progress   blocking
 * memory     a node for each key, freed through hazard pointers
 * time       as many steps as there are smaller keys inside */
#ifndef ASIF_OBJECTS_OPTIMISTIC_SET_H
#define ASIF_OBJECTS_OPTIMISTIC_SET_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct optimistic_set;

struct optimistic_set *optimistic_set_create(struct hazard *); /* NULL if there is no memory */
void optimistic_set_destroy(struct optimistic_set *);          /* NULL, or nobody uses it any more */
/* *added: it was not inside before. False: there is no memory, or the key is LONG_MIN or LONG_MAX; nothing happened. */
bool optimistic_set_add(struct optimistic_set *, long key, bool *added);
bool optimistic_set_remove(struct optimistic_set *, long key); /* was it inside? */
bool optimistic_set_contains(struct optimistic_set *, long key);

#ifdef __cplusplus
}
#endif
#endif
