/* B7 of Bouajjani et al. (2015): predetermined capacity exceeded, in a queue over a pool as in the LFDS library. The pool has
 * room for one value; an enq that finds no node gives up and does not say so. Clients do not keep to the capacity. */
#define CAPACITY 1
#define SPARE 0
#define BOUND 2
#define EXCEEDED return
#include "../pool_queue.c"
