/* B2 of Bouajjani et al. (2015) in the elimination stack: the ABA problem, where nodes are of a pool, and those that were popped are used
 * again. Nothing is freed, so that what is wrong is what the stack returns: a value that was pushed once is popped twice. */
#define POOL 3
#include "../elimination_stack.c"
