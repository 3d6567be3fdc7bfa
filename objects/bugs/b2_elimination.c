/* B2 of Bouajjani et al. (2015) in the elimination stack: the ABA problem, where popped nodes are freed and used again. Reading
 * a freed node is taken as harmless: see b2_treiber.c. */
#define FREES
#include "../elimination_stack.c"
ASIF_TYPE_STABLE()
