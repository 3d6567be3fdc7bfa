/* A B-link tree: a B-tree in which each node also has a link to its right neighbour, so that a search needs no locks.
 *
 * P. L. Lehman and S. B. Yao, Efficient Locking for Concurrent Operations on B-Trees (1981). A set of keys, any long but
 * LONG_MAX; linearizable (specification: set); any number of threads. As theirs it does not shrink: nodes stay when their keys
 * are gone.
 *
 * progress   lookup is lock-free; insert and remove lock at most three nodes at a time, from the leaf to the root
 * memory     nodes of up to `order` keys, which stay; the contents of a node are copied where they change (see blink_tree.c), and
 *            the old ones freed through hazard pointers
 * time       logarithmic in the number of keys; of insert and remove in proportion to order as well */
#ifndef ASIF_OBJECTS_BLINK_TREE_H
#define ASIF_OBJECTS_BLINK_TREE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct blink_tree;

struct blink_tree *blink_tree_create(struct hazard *, unsigned order); /* order 2 or more; else, or without memory, NULL */
void blink_tree_destroy(struct blink_tree *);                          /* NULL, or nobody uses it any more */
/* *inserted: it was not inside before. False: there is no memory, or the key is LONG_MAX; nothing happened. */
bool blink_tree_insert(struct blink_tree *, long key, bool *inserted);
/* *removed: it was inside before. False: there is no memory; nothing happened. */
bool blink_tree_remove(struct blink_tree *, long key, bool *removed);
bool blink_tree_lookup(struct blink_tree *, long key);

#ifdef __cplusplus
}
#endif
#endif
