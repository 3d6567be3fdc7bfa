/* A ring that thinks there is room for one more than there is: the oldest value is overwritten.
 *
 * Expected: not linearizable or data race. */
#define OFF_BY_ONE
#include "../spsc_ring.c"
