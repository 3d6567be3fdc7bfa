/* The queue of objects/lib, for tests under real threads. */
#include "../objects/lib/hazard.c"
#include "../objects/lib/ms_queue.c"
