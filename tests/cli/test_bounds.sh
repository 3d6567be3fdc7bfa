#!/bin/bash
# Indexes beyond an array whose length the compiler knows: they are what is wrong, and not what is overwritten.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
cd "$scratch" || exit 1

# A queue in an array of three, with a mutex after it. What is written past the array would be the mutex.
cat >three.c <<'C'
#include <asif.h>
#include <pthread.h>
static struct { int items[3]; pthread_mutex_t lock; } q = {{0}, PTHREAD_MUTEX_INITIALIZER};
static int head, tail;
static void enq(int v) {
  pthread_mutex_lock(&q.lock);
  q.items[tail++] = v;
  pthread_mutex_unlock(&q.lock);
}
static int deq(void) {
  pthread_mutex_lock(&q.lock);
  int v = head == tail ? ASIF_EMPTY : q.items[head++];
  pthread_mutex_unlock(&q.lock);
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq)
ASIF_OP(deq)
C
for c in cc clang; do
  command -v $c >/dev/null || continue
  export CC=$c
  run 1 "$asif" test three.c
  says 'verdict: violated: out of bounds'
  says "accesses element 3 of an array 'int"
  says 'three.c:7:'
  # Nothing is said of branches that the compiler has added.
  run 0 "$asif" test three.c --client 'enq(1) enq(2) | deq() deq()'
  says 'verdict: linearizable'
  case $out in *'never executed'*) fail "a branch of the compiler's is named: $out" ;; esac
done
unset CC

# A negative index; an array that ends a struct and is as long as its block; one past the end, which is only pointed to.
cat >others.c <<'C'
#include <asif.h>
#include <stdlib.h>
struct tail { int count, items[1]; };
static struct tail *all;
static int two[2], at;
static void init(void) { all = calloc(1, sizeof *all + 9 * sizeof(int)); }
static void write(int v) {
  int *end = &two[2];
  all->items[v + 5] = v;
#ifdef NEGATIVE
  two[at - v] = 1;
#endif
  __atomic_store_n(end - 1, v, __ATOMIC_SEQ_CST);
}
static int read(void) { return __atomic_load_n(&two[1], __ATOMIC_SEQ_CST); }
ASIF_OBJECT(register(0))
ASIF_INIT(init)
ASIF_OP(write)
ASIF_OP(read)
C
run 0 "$asif" test others.c --client 'write(1) | read()'; says 'verdict: linearizable'
run 1 "$asif" test others.c --client 'write(1) | read()' -- -DNEGATIVE; says "accesses element -1 of an array 'int"
run 1 "$asif" test --stress others.c --repeat 2 -- -DNEGATIVE; says 'verdict: violated: crash'; says 'others.c:11: an index is beyond the end of an array'
exit 0
