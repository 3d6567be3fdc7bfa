/* The array queue of Shann, Huang and Chen, repaired: see buggy_queue.c.
 *
 * An operation looks at the other end before it reads its slot. deq has then seen that rear was past the slot before it read
 * it, so that an empty one was emptied by a deq; and enq that front was past the slot's last round, so that a full one was
 * filled by an enq. */
#define FIXED
#include "buggy_queue.c"
