/* The set with a lock in each node, with its points marked and its actions for asif prove. See lock_coupling_set.c.
 *
 * What follows a node changes only while it is locked, and a node leaves only while both it and the one before it are. */
#define POINTS
#include "lock_coupling_set.c"

ASIF_ACTION(lock, "x{lock: free} => x{lock: held}")
ASIF_ACTION(unlock, "x{lock: held} => x{lock: free}")
ASIF_ACTION(insert, "p{lock: held, val: v}, c{val: w}, v < k, k < w | p{next: c}, A => p{next: n}, n{lock: free, val: k, next: c}, {k} + A")
ASIF_ACTION(delete, "p{lock: held} | p{next: c}, c{lock: held, val: k, next: n}, {k} + A => p{next: n}, A")
