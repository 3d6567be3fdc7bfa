/* A B-link tree in which nobody follows the links to the right: a key that a split has moved is not found.
 *
 * Expected: not linearizable, with insert(1) insert(3) insert(2) | lookup(3). */
#define NO_MOVE_RIGHT
#include "../blink_tree.c"
