/* B4 of Bouajjani et al. (2015): a misplaced brace in the elimination stack. A push that finds the slot taken by another push
 * returns as if a pop had taken its own offer: the value is lost. */
#define MISPLACED_BRACE
#include "../elimination_stack.c"
