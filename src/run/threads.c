/* Threads the code creates: until they are here, there is nothing to reset. */
#include "run/runtime.h"

void threads_reset(void) {}
void threads_ended(struct fiber *f) { (void)f; }
