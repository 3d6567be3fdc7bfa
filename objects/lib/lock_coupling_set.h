/* A set as a sorted list with a lock in each node: a thread goes along it holding the lock of one node until it has the next.
 *
 * R. Bayer and M. Schkolnick, Concurrency of Operations on B-Trees (1977); the list is in section 9.5 of Herlihy and Shavit, The
 * Art of Multiprocessor Programming. Linearizable; any number of threads. Keys are any long but LONG_MIN and LONG_MAX.
 *
 * progress   blocking; starvation-free where locks are
 * memory     a node for each key, freed at once: nobody can be at it
 * time       as many steps as there are smaller keys inside */
#ifndef ASIF_OBJECTS_LOCK_COUPLING_SET_H
#define ASIF_OBJECTS_LOCK_COUPLING_SET_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lock_coupling_set;

struct lock_coupling_set *lock_coupling_set_create(void);   /* NULL if there is no memory */
void lock_coupling_set_destroy(struct lock_coupling_set *); /* NULL, or nobody uses it any more */
/* *added: it was not inside before. False: there is no memory, or the key is LONG_MIN or LONG_MAX; nothing happened. */
bool lock_coupling_set_add(struct lock_coupling_set *, long key, bool *added);
bool lock_coupling_set_remove(struct lock_coupling_set *, long key); /* was it inside? */
bool lock_coupling_set_contains(struct lock_coupling_set *, long key);

#ifdef __cplusplus
}
#endif
#endif
