/* B5 of Bouajjani et al. (2015): a forgotten assignment in the elimination stack. A pop that took an offer returns what its
 * variable began with, which is empty. */
#define FORGOTTEN_ASSIGNMENT
#include "../elimination_stack.c"
