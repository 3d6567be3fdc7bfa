/* A non-zero indicator in which an arrival at the parent that was not needed is not taken back: it stays set.
 *
 * Expected: not linearizable. */
#define NO_UNDO
#include "../snzi.c"
