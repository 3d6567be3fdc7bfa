/* B1 (tail) of Bouajjani et al. (2015): the tail lock of the two-lock queue is taken in two steps. Two enqs may both find it
 * free and link their nodes at the same place: one value is lost. tail may also be left at a node that has been freed: here nothing
 * is freed. */
#include <stdatomic.h>

static atomic_bool tail_locked;
#define LOCK_TAIL() \
  do { \
    while (atomic_load(&tail_locked)) ; \
    atomic_store(&tail_locked, 1); \
  } while (0)
#define UNLOCK_TAIL() atomic_store(&tail_locked, 0)
#define COLLECTED
#include "../two_lock_queue.c"
