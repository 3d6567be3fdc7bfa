/* The ring as Vyukov published it: a deq that comes to a place that is being filled says empty, though a later enq may be done.
 *
 * Expected: not linearizable. */
#define AS_PUBLISHED
#define SIZE 2
#include "../mpmc_ring.c"
