/* A non-zero indicator in which an arrival at the parent that was not needed is not taken back: it stays set.
 *
 * Expected: not linearizable, with arrive(1) depart(1) | arrive(1) depart(1) query(). */
#define NO_UNDO
#include "../snzi.c"
