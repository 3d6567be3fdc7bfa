/* A register whose read does not look whether a write has begun meanwhile, and returns parts of two.
 *
 * Expected: assertion failure. */
#define READS_ONCE
#include "../lamport_register.c"
