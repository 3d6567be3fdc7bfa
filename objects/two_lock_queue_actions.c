/* The two-lock queue with its points marked and its actions for asif prove. See two_lock_queue.c.
 *
 * What a lock is for changes only while it is held. The old dummy leaves the shared memory, since it is freed. */
#define POINTS
#include "two_lock_queue.c"

ASIF_ACTION(lock_head, "head_lock: free => head_lock: held")
ASIF_ACTION(unlock_head, "head_lock: held => head_lock: free")
ASIF_ACTION(lock_tail, "tail_lock: free => tail_lock: held")
ASIF_ACTION(unlock_tail, "tail_lock: held => tail_lock: free")
ASIF_ACTION(link, "tail_lock: held, tail: t | t{next: NULL}, A => t{next: n}, n{val: e, next: NULL}, A . <e>")
ASIF_ACTION(swing, "tail_lock: held, t{next: n} | tail: t => tail: n")
ASIF_ACTION(swing_past, "tail_lock: held | tail: _ => tail: n") /* the node that tail was at has been freed */
ASIF_ACTION(deq, "head_lock: held, n{val: e} | head: h, h{next: n}, <e> . A => head: n, A")
