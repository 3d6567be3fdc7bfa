/* B6 of Bouajjani et al. (2015): a misplaced lock in the lock-coupling set. The first node after the head is read before the
 * head is locked, and may meanwhile have been removed: it is removed again. Nothing is freed, so that what is wrong is what
 * remove returns. */
#define MISPLACED_LOCK
#define COLLECTED
#include "../lock_coupling_set.c"
