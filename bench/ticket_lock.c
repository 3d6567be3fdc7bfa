/* A counter under a ticket lock. */
#include <asif.h>
#include <stdatomic.h>

static atomic_uint next, serving;
static int count;

static unsigned lock(void) {
  unsigned mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != mine)
    ;
  return mine;
}

static void inc(void) {
  unsigned mine = lock();
  count++;
  atomic_store(&serving, mine + 1);
}

static int read(void) {
  unsigned mine = lock();
  int now = count;
  atomic_store(&serving, mine + 1);
  return now;
}

ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
