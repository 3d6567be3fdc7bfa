#!/bin/bash
# asif verify --approx and asif test --monitor: what A_k sees, what it says, and that it never sees what is not there.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
cp -r "$root/objects" . || exit 1
json_good() { ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null 2>json_error || fail "$1 is no JSON: $(cat json_error)"; }
verify() { # STATUS ARGUMENT...
  status=$1
  shift
  run "$status" "$asif" verify "$@" --time-limit 300
}
lacks() { case $out in *"$1"*) fail "stdout has '$1': $out" ;; esac; }

# sees K FILE ARGUMENT...: the violation is seen from K on, and what shows it can be made again.
sees() {
  least=$1 file=objects/$2.c
  shift 2
  [ "$least" = 0 ] || { verify 0 "$file" "$@" --approx $((least - 1)) --quiet; says "verdict: no violation seen at k = $((least - 1)) ("; }
  for k in $least $((least + 1)) 6; do
    verify 1 "$file" "$@" --approx "$k" --quiet --evidence e; says 'verdict: not linearizable ('
    run 0 "$asif" replay e; says 'verdict: the evidence stands'
  done
}
sees 0 bugs/b1_head -n 4
sees 1 bugs/b1_tail -o 2
sees 0 bugs/b3_pop -n 3
sees 0 bugs/b6 -n 3
sees 1 bugs/b7 -n 3
sees 1 bugs/b2_treiber -o 3

# Objects that are right are never reported, and never said to be linearizable.
for file in treiber_stack two_lock_queue ms_queue register counter lock_coupling_set mailbox; do
  for k in 0 1 2 4; do
    verify 0 objects/$file.c --approx $k; silent; says "verdict: no violation seen at k = $k ("; lacks 'verdict: linearizable'
    run 0 "$asif" test objects/$file.c -n 2 -o 2 --monitor approx:$k; says "verdict: no violation seen at k = $k ("; lacks 'verdict: linearizable'
  done
done
verify 0 objects/treiber_stack.c --approx 1 --ops forever --bound 2; says 'any number of operations'
verify 0 objects/treiber_stack.c --approx 1 --evidence e --quiet
run 3 "$asif" replay e; says 'no violation that the approximation shows'; says '--approx 1'
for how in none sym1 sym por both; do
  verify 0 objects/bugs/b7.c -n 3 --approx 0 --reduce $how --quiet; verify 1 objects/bugs/b7.c -n 3 --approx 1 --reduce $how --quiet
done
verify 1 objects/bugs/b7.c -n 3 --approx 1 --json; json_good out; says '"k":1'; says '"verdict":"violated"'
verify 0 objects/bugs/b7.c -n 3 --approx 0 --json; json_good out; says '"k":0'; says '"verdict":"no violation seen"'

# What cannot be is refused.
for other in '--points' '--checkpoint x' '--resume x' '--against objects/ms_queue.c' '--progress lock-free' '--reduce tau'; do
  # shellcheck disable=SC2086
  verify 2 objects/ms_queue.c --approx 1 $other; warns 'exclude each other'
done
verify 2 objects/ms_queue.c --approx 101; verify 2 objects/ms_queue.c --approx x
verify 2 objects/register.c --approx 1 --ops forever; warns 'with --ops N it comes to an end'

# asif test: the same violations as the exact check finds, shrunk and told as usual.
test_() { # STATUS ARGUMENT...
  status=$1
  shift
  run "$status" "$asif" test "$@" --time-limit 300
}
test_ 0 objects/bugs/b3_push.c -n 2 -o 2 --monitor approx:0 --evidence e; says 'verdict: no violation seen at k = 0 ('
run 3 "$asif" replay e; says 'no violation seen: '; lacks ' 0 histories'
test_ 0 objects/bugs/b3_push.c -n 2 -o 2 --monitor approx:0 --json; json_good out; says '"verdict":"no violation seen"'; lacks '"histories":0'
for k in 1 2 8; do
  test_ 1 objects/bugs/b3_push.c -n 2 -o 2 --monitor approx:$k --json; json_good out
  says "\"k\":$k"; says '"violation":"not linearizable"'; says "monitored by A_$k"; says '"replay":"'
done
test_ 1 objects/bugs/b1_tail.c -n 3 -o 1 --monitor approx:1 --evidence e; says 'It happens like this'; says '--replay '
run 0 "$asif" replay --run e; says 'verdict: the evidence stands'
test_ 1 objects/bugs/wg_deq.c -c 'enq(1) | enq(2) | deq() deq()' --bound 3 --monitor approx:3
test_ 0 objects/mailbox.c -n 2 -o 1 --spec self --monitor approx:2; says 'verdict: no violation seen at k = 2 ('
test_ 2 objects/ms_queue.c --monitor approx; warns 'approx:K with a K from 0 to 8'
test_ 2 objects/ms_queue.c --monitor approx:9; warns 'approx:K with a K from 0 to 8'
test_ 2 objects/ms_queue.c --monitor approx:1 --replay x; warns 'exclude each other'
run 0 "$asif" test --stress objects/two_lock_queue.c --monitor approx:2 --repeat 20; says 'verdict: no violation seen at k = 2 ('
run 2 "$asif" test --stress objects/register.c --monitor approx:2 --repeat 2; warns 'there is no monitor of long histories'
cat >twice.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int cell[64], tail, head;
void enq(int v) { int i = tail; atomic_store(&cell[i & 63], v); tail = i + 1; }
int deq(void) { /* every third is given twice, whoever runs beside it */
  static atomic_int calls;
  int i = head;
  if (i == tail) return ASIF_EMPTY;
  if (++calls % 3) head = i + 1;
  return atomic_load(&cell[i & 63]);
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 1000000))
ASIF_OP(deq)
END
run 1 "$asif" test --stress twice.c --monitor approx:2 --threads 1 --repeat 1000; says 'verdict: not linearizable'; says 'monitored by A_2'
