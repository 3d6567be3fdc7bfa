/* B4 of Bouajjani et al. (2015): a misplaced brace in the elimination stack, in pop. A pop that finds no offer to take returns as if it
 * had taken one: what its variable began with, a value that was never pushed. */
#define MISPLACED_BRACE_IN_POP
#include "../elimination_stack.c"
