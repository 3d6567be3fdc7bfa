#!/bin/bash
# Of the library, objects for which each thread puts something into one of two and looks into the other. Both may find nothing
# where the last store of `put` is a release, which may be late: on x86 too, but for those that lock or exchange something in
# every operation. As they are shipped none allows that.
. tests/cli/common
replays=no
client='put(0) get(1) | put(1) get(0)'
cp -r "$root/objects/lib" lib && cp "$root/tests/objects/pairs.c" . && sed -i 's|../../objects/lib|lib|' pairs.c || fail 'no copy'
for kind in 0 1 2 3 4 5 6; do
  for model in tso c11; do
    run 0 "$asif" test pairs.c --spec self --leaks no --memory $model --client "$client" -- -DKIND=$kind -I"$root/include"
    says 'every execution under'
  done
done
sed -i 's/atomic_store(\(&[^,]*\), \(.*\));/atomic_store_explicit(\1, \2, memory_order_release);/; s/atomic_store(&(n)->next, to)/atomic_store_explicit(\&(n)->next, to, memory_order_release)/' \
  lib/spsc_ring.c lib/chase_lev_deque.c lib/two_lock_queue.c lib/lamport_register.c
for kind in 0 1 2 3; do
  for model in tso c11; do
    wrong=1
    [ $kind -lt 2 ] || [ $model != tso ] || wrong=0
    run $wrong "$asif" test pairs.c --spec self --leaks no --memory $model --client "$client" -- -DKIND=$kind -I"$root/include"
    [ $wrong = 0 ] || says 'no order of the operations explains their results'
  done
done
