/* A register whose value is a block of its own. One thread reads, another writes. The reader publishes the block in a
 * hazard pointer before it reads it; the writer frees a block that it has replaced once the hazard pointer is another.
 *
 * The reader has to see whether the block is still current after it has published it, and the writer whether it is
 * published after it has replaced it: each stores, then loads what the other stores. Release and acquire do not order
 * that. With -DFENCES it is right: docs/weak-memory.md. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

struct block {
  int number;
};
static _Atomic(struct block *) current, hazard;

static void store_to_load_fence(void) {
#ifdef FENCES
  atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void set_up(void) {
  struct block *first = calloc(1, sizeof *first);
  atomic_init(&current, first);
}

static int read(void) {
  struct block *b;
  do {
    b = atomic_load_explicit(&current, memory_order_acquire);
    atomic_store_explicit(&hazard, b, memory_order_release);
    store_to_load_fence();
  } while (b != atomic_load_explicit(&current, memory_order_acquire));
  int number = b->number;
  atomic_store_explicit(&hazard, NULL, memory_order_release);
  return number;
}

static void write(int number) {
  struct block *b = malloc(sizeof *b);
  b->number = number;
  struct block *old = atomic_exchange_explicit(&current, b, memory_order_acq_rel);
  store_to_load_fence();
  while (old == atomic_load_explicit(&hazard, memory_order_acquire)) {}
  free(old);
}

ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_INIT(set_up)
ASIF_ROLE(reader, 1, read)
ASIF_ROLE(writer, 1, write)
