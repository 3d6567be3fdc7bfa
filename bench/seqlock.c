/* A sequence lock: a writer makes the number odd, writes, and makes it even again; a reader tries until the number was
 * even and the same before and after. */
#include <asif.h>
#include <stdatomic.h>

static atomic_uint seq;
static atomic_int a, b;

static void write(int v) {
  unsigned s;
  do s = atomic_load(&seq) & ~1u;
  while (!atomic_compare_exchange_strong(&seq, &s, s + 1));
  atomic_store(&a, v);
  atomic_store(&b, v);
  atomic_store(&seq, s + 2);
}

static int read(void) {
  for (;;) {
    unsigned s = atomic_load(&seq);
    if (s & 1) continue;
    int x = atomic_load(&a), y = atomic_load(&b);
    if (atomic_load(&seq) == s) return x == y ? x : -1;
  }
}

ASIF_OBJECT(register(0))
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_OP(read)
