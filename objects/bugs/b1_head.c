/* B1 (head) of Bouajjani et al. (2015): the head lock of the two-lock queue is taken in two steps. Two deqs may both find it
 * free and take the same node. They would also free the same dummy: here nothing is freed. */
#include <stdatomic.h>

static atomic_bool head_locked;
#define LOCK_HEAD() \
  do { \
    while (atomic_load(&head_locked)) ; \
    atomic_store(&head_locked, 1); \
  } while (0)
#define UNLOCK_HEAD() atomic_store(&head_locked, 0)
#define COLLECTED
#include "../two_lock_queue.c"
