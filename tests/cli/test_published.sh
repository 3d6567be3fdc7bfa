#!/bin/bash
# A container of relaxed accesses is linearizable, and still of no use for pointers: what was written before a value was put in
# may not be seen by who takes it out. A register promises nothing of the kind.
. tests/cli/common
cat > bag.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static _Atomic long slots[8];
static _Atomic unsigned count;
static void put(long v) {
  unsigned n = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  atomic_store_explicit(&slots[n], v, PUT);
}
static long take(void) {
  for (unsigned i = 0; i < 8; i++) {
    long v = atomic_exchange_explicit(&slots[i], 0, TAKE);
    if (v) return v;
  }
  return ASIF_EMPTY;
}
ASIF_OBJECT(bag)
ASIF_OP(put, ASIF_IN(1, 2))
ASIF_OP(take)
END
relaxed='-DPUT=memory_order_relaxed -DTAKE=memory_order_relaxed'
released='-DPUT=memory_order_release -DTAKE=memory_order_relaxed'
acquired='-DPUT=memory_order_relaxed -DTAKE=memory_order_acquire'
both='-DPUT=memory_order_release -DTAKE=memory_order_acquire'
for orders in "$relaxed" "$released" "$acquired"; do
  run 1 "$asif" test bag.c --memory c11 --threads 2 --ops 1 --fix no -- $orders
  says "Not published: A's put(1) does not happen before B's take() returns its value"
  says 'verdict: not published'
  run 0 "$asif" test bag.c --memory c11 --threads 2 --ops 1 --published no -- $orders
  says 'verdict: linearizable (every execution'
  for model in sc tso; do # x86 publishes
    run 0 "$asif" test bag.c --memory $model --threads 2 --ops 1 -- $orders
  done
done
run 0 "$asif" test bag.c --memory c11 --threads 2 --ops 1 -- $both
says 'verdict: linearizable (every execution'

# What repairs it, and its evidence.
run 1 "$asif" test bag.c --memory c11 --threads 2 --ops 1 --evidence e -- $relaxed
says 'fix: bag.c:7: the store with release instead of relaxed; and bag.c:11: the update with acquire instead of relaxed: then every execution of this client is linearizable'
run 0 "$asif" replay e --run --trust-arguments
says 'does not happen before'

# Who takes out what it has put in itself needs no order, nor does a client that has ordered its operations otherwise.
run 0 "$asif" test bag.c --memory c11 --client 'put(1) take() | take()' --published no -- $relaxed
run 1 "$asif" test bag.c --memory c11 --client 'put(1) take() | take()' -- $relaxed
run 0 "$asif" test bag.c --memory c11 --client 'put(1) take()' -- $relaxed
# Of two that put in the same, one is enough.
run 0 "$asif" test bag.c --memory c11 --client 'put(1) take() | put(1)' --published no -- $relaxed

cat > cell.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static _Atomic long cell;
static void write(long v) { atomic_store_explicit(&cell, v, memory_order_relaxed); }
static long read(void) { return atomic_load_explicit(&cell, memory_order_relaxed); }
ASIF_OBJECT(register(0))
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_OP(read)
END
run 0 "$asif" test cell.c --memory c11 --threads 2 --ops 2
