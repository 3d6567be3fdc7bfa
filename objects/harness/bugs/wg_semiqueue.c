/* A semiqueue whose deq goes on as far as there are slots, and may take a value that many others are before.
 *
 * Expected: not linearizable, with enq(1) enq(1) enq(2) | deq(). */
#define NO_LIMIT
#include "../semiqueue.c"
