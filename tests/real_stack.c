/* The stack of objects/lib, for tests under real threads. */
#include "../objects/lib/treiber_stack.c"
