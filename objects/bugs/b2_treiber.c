/* B2 of Bouajjani et al. (2015): the ABA problem of Treiber's stack where popped nodes are freed and used again. Reading a freed
 * node is taken as harmless here, as it is in most allocators, so that what is wrong is what the stack returns. */
#include "../treiber_stack_free.c"
ASIF_TYPE_STABLE()
