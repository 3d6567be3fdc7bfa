#!/bin/bash
# The same counterexample whatever --jobs: of all clients, and of one whose schedules are divided among the processes.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/objects/harness" || exit 1

# same FILE ARGUMENT...: -j 1 to 4 say the same but for counts of clients and schedules, and what was measured.
same() {
  for j in 1 2 3 4; do
    "$asif" test "$@" -j $j >"$scratch/out" 2>&1 </dev/null
    got=$?
    [ $got = 1 ] || fail "asif test $* -j $j ended with $got: $(cat "$scratch/out")"
    sed '/^verdict: /s/, [0-9]* \(schedule\|run\).*//' "$scratch/out" >"$scratch/j$j"
    cmp -s "$scratch/j1" "$scratch/j$j" || fail "asif test $* -j $j: $(diff "$scratch/j1" "$scratch/j$j")"
  done
}
CC=${CC:-cc} "$asif" cc -c -g bugs/harris_unmarked.c -o "$scratch/harris.o" || fail 'asif cc'
one='add(1) add(2) | add(2) remove_key(2)'
same "$scratch/harris.o" -n 2 -o 2
same "$scratch/harris.o" --client "$one"
same "$scratch/harris.o" --client "$one" --bound 4
same "$scratch/harris.o" --client "$one" --bound 4 --cache yes
same "$scratch/harris.o" --client "$one" --bound 3 --bound-by preemption
same "$scratch/harris.o" --client "$one" --random pct:3
same "$scratch/harris.o" --client "$one" --random uniform --seed 3
same "$scratch/harris.o" --client "$one" --keep-going --bound 3
same bugs/snzi_no_undo.c --client 'arrive(1) depart(1) | arrive(1) depart(1) query()'
same bugs/ms_unprotected.c --client 'enq(1) enq(2) deq() deq() | deq()' --bound 3
same bugs/treiber_leak.c --client 'push(1) push(1) | pop() pop()'
exit 0
