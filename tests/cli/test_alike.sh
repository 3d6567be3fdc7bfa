#!/bin/bash
# Threads that make the same calls are not told apart, unless the code does so: by what addresses they have, too.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include

cat >numbers.c <<'END'
#include <asif.h>
#include <stdint.h>
#include <stdlib.h>
static int next, slots[2];
__attribute__((noinline)) static unsigned of_stack(void) {
  volatile char here = 0;
  (void)here;
  return (unsigned)((uintptr_t)&here >> 16);
}
static unsigned of_block(void) {
  char *p = malloc(8);
  if (!p) abort();
  return (unsigned)((uintptr_t)p >> 32);
}
static int take(void) { /* which of them comes first matters */
  unsigned number = NUMBER;
  if (!__atomic_fetch_add(&next, 1, 5) && number & 1) abort();
  return 0;
}
static int slot(void) { /* no write of the same place */
  __atomic_store_n(&slots[NUMBER & 1], 1, 5);
  if (__atomic_load_n(&slots[1], 5) && !__atomic_load_n(&slots[0], 5)) abort();
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(take)
ASIF_OP(slot)
END
for number in 'of_stack()' 'of_block()'; do
  for op in take slot; do
    for jobs in 1 2; do
      run 1 "$asif" test numbers.c --dpor --leaks no -j $jobs --client "$op() | $op()" -- "-DNUMBER=$number"
      says 'verdict: violated: crash'
    done
  done
done

# Blocks of their own, at other addresses, do not tell them apart.
cat >own.c <<'END'
#include <asif.h>
#include <stdlib.h>
static int x;
static int get(void) {
  int *p = malloc(64);
  if (!p) abort();
  __atomic_store_n(p, __atomic_load_n(&x, 5), 5);
  int v = __atomic_load_n(p, 5);
  free(p);
  return v;
}
static void set(int v) { __atomic_store_n(&x, v, 5); }
ASIF_OBJECT(register(0))
ASIF_OP_AS(read, get)
ASIF_OP_AS(write, set)
END
for jobs in 1 2; do
  run 0 "$asif" test own.c --dpor -j $jobs --client 'read() | read() | write(1)' --json
  case $(cat out) in *'"traces":3,'*) ;; *) fail "not 3 traces: $(cat out)" ;; esac
done

# Code that asks which thread it runs on is called by each of them: the same calls by other threads are another client.
cat >asks.c <<'END'
#include <asif.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static _Atomic uintptr_t owner;
static void own(void) { uintptr_t none = 0; __atomic_compare_exchange_n((uintptr_t *)&owner, &none, (uintptr_t)pthread_self(), 0, 5, 5); }
static void pass(void) { if (owner && (uintptr_t)pthread_self() WHOSE owner) abort(); }
ASIF_OBJECT(self)
ASIF_OP(own)
ASIF_OP(pass)
END
run 1 "$asif" test asks.c --threads 2 --ops 1 -- '-DWHOSE=<'; says 'verdict: violated: crash'
run 1 "$asif" test asks.c --threads 2 --ops 1 -- '-DWHOSE=>'; says 'verdict: violated: crash'
