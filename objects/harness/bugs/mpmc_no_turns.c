/* A ring for many threads that counts, but does not look whether a place was filled, or emptied.
 *
 * Expected: data race. */
#define NO_TURNS
#include "../mpmc_ring.c"
