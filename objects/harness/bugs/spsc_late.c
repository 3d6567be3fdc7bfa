/* A ring whose producer says that a value is there before it has stored it.
 *
 * Expected: data race. */
#define STORES_LATE
#include "../spsc_ring.c"
