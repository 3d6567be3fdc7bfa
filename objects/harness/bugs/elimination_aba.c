/* A push that offers its node in a slot without protecting it: a pop takes the node and frees it, another push gets the same
 * memory and offers it in the same slot, and the first takes it back as its own. One value is then in the stack twice.
 *
 * Expected: not linearizable, or memory freed twice or used after. */
#define OFFERS_UNPROTECTED
#include "../elimination_stack.c"
