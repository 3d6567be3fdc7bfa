/* Doherty, Groves, Luchangco and Moir's queue with its points marked and its actions for asif prove. Head may pass tail. See
 * doherty_queue.c. */
#define POINTS
#include "doherty_queue.c"

ASIF_ACTION(link, "tail: t | t{next: NULL}, A => t{next: n}, n{val: e, next: NULL}, A . <e>")
ASIF_ACTION(swing, "t{next: n} | tail: t, n != NULL => tail: n")
ASIF_ACTION(deq, "h{next: n}, n{val: e} | head: h, <e> . A => head: n, A")
