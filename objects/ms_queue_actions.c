/* Michael and Scott's non-blocking queue with its points marked, but for that of a deq that returns empty, and its actions for asif prove. See
 * ms_queue.c. */
#define POINTS
#include "ms_queue.c"

ASIF_ACTION(link, "tail: t | t{next: NULL}, A => t{next: n}, n{val: e, next: NULL}, A . <e>")
ASIF_ACTION(swing, "t{next: n} | tail: t, n != NULL => tail: n")
ASIF_ACTION(deq, "tail: t, h{next: n}, n{val: e}, h != t | head: h, <e> . A => head: n, A")
