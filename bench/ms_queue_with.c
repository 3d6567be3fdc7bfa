/* Michael and Scott's queue, and something in every operation that a runtime pays for:
 *
 *   -DTHREAD_LOCAL  a variable of each thread's own is counted up before every load
 *   -DGLOBALS       a megabyte of globals, and every enq writes to a page of its thread's own */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef THREAD_LOCAL
_Thread_local int loads;
#undef atomic_load
#define atomic_load(at) (loads++, atomic_load_explicit(at, memory_order_seq_cst))
#endif

#ifdef GLOBALS
enum { PAGE = 4096, PAGES = 256 };
char globals[PAGES * PAGE];
static void *allocate(size_t size) {
  globals[asif_thread() % PAGES * PAGE] = 1;
  return malloc(size);
}
#define malloc(size) allocate(size)
#endif

#include "../objects/ms_queue.c"
