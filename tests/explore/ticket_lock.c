/* A ticket lock: its two counters are in one word of memory, and accesses of the one do not conflict with the other's. */
#include <asif.h>
#include <stdatomic.h>

static struct { atomic_uint next, serving; } lock;
static int count;

static int inc(void) {
  unsigned mine = atomic_fetch_add(&lock.next, 1);
  while (atomic_load(&lock.serving) != mine) ;
  int was = count++;
  atomic_store(&lock.serving, mine + 1);
  return was;
}

ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
