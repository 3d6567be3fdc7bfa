/* A register of K values made of K bits: the bit of the value is set, and no lower one.
 *
 * One thread writes, the others read. Attiya and Welch, Distributed Computing, section 10.2.1; Algorithm 3.2 of Liu et al.,
 * Verifying Linearizability via Optimized Refinement Checking (2013). As there, it starts as K-1.
 *
 * Linearization points: none that are fixed. A write takes effect when the lowest bit set becomes its own; a read where it
 * last saw a bit set on its way down, which it knows only at the end. */
#include <asif.h>
#include <stdatomic.h>

#ifndef K
#define K 4
#endif

static atomic_int bit[K];

static void set_up(void) { atomic_store(&bit[K - 1], 1); }

static void write(int v) {
  atomic_store(&bit[v], 1);
  for (int i = v - 1; i >= 0; i--) atomic_store(&bit[i], 0);
}

static int read(void) {
  int up = 0;
  while (atomic_load(&bit[up]) == 0) up++;
  int v = up;
  for (int i = up - 1; i >= 0; i--)
    if (atomic_load(&bit[i]) == 1) v = i;
  return v;
}

ASIF_OBJECT(register(K - 1))
ASIF_OP(write, ASIF_IN(0, K - 1))
ASIF_OP(read)
ASIF_INIT(set_up)
ASIF_ROLE(writer, 1, write)
ASIF_ROLE(reader, ASIF_REST, read)
