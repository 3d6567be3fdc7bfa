#!/bin/bash
# Another object as the specification: asif verify --against.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
objects=$root/objects here=$root/tests/against

verify() { # STATUS FILE ARGUMENT...
  status=$1 file=$2
  shift 2
  run "$status" "$asif" verify "$file" --time-limit 300 "$@"
}

# Everything refines itself, also what is not linearizable.
verify 1 $here/pending.c --spec self; says 'verdict: not linearizable'
verify 0 $here/pending.c --against $here/pending.c; says 'verdict: refines'

# An operation alone with 2^40 orders of evaluation: a limit ends that too.
cat >orders.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int a, b;
static int touch(atomic_int *x) { return atomic_exchange(x, 1); }
static void both(void) {
  for (int i = 0; i < 40; i++) (void)(touch(&a) + touch(&b));
}
ASIF_OBJECT(pair)
ASIF_OP(both)
END
run 3 timeout -s KILL 60 "$asif" verify orders.c --spec self --threads 1 --time-limit 0.2; says 'the time limit was reached'
verify 0 $here/locked_queue.c --against $here/locked_queue.c -o 3
verify 0 $here/locked_queue.c --against $here/locked_queue.c -n 3 -o 1 -r none

# With --malloc-fails also the other object's allocations set errno, and its realloc leaves the old block.
cat >fails.c <<'END'
#include <asif.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int failed;
static int put(void) {
  int *p = malloc(sizeof *p);
  if (p) { free(p); return 0; }
  return errno;
}
static int again(void) {
  int *p = malloc(sizeof *p), *q;
  if (!p) return -1;
  *p = 7;
  q = realloc(p, 16);
  int r = q ? *q : *p + 1;
  free(q ? q : p);
  return r + failed;
}
ASIF_OBJECT(cell)
ASIF_OP(put)
ASIF_OP(again)
END
verify 0 fails.c --against fails.c --malloc-fails; says 'verdict: refines'

# Michael and Scott's queue and one with a lock have the same histories; what is wrong has others.
verify 0 $objects/ms_queue.c --against $here/locked_queue.c -o 2; says 'verdict: refines'
verify 0 $objects/ms_queue.c --against $here/locked_queue.c -n 3
verify 0 $here/locked_queue.c --against $objects/ms_queue.c -o 2
verify 0 $here/locked_queue.c --against $objects/ms_queue.c -n 3
verify 1 $objects/bugs/b1_tail.c --against $here/locked_queue.c -o 2
says 'verdict: does not refine'; says 'has no such history: not with the last result'
says 'Deq() -> empty'; says 'deq returns empty'
verify 0 $here/locked_queue.c --against $objects/bugs/b1_tail.c -o 2 # which has more histories, not fewer
verify 0 $objects/bugs/b1_tail.c --against $objects/bugs/b1_tail.c -o 2

# By all methods, and by several workers, the same.
for how in none sym1 sym por both tau best; do
  verify 0 $objects/two_lock_queue.c --against $here/locked_queue.c -o 2 -r $how
  verify 1 $objects/bugs/b1_head.c --against $here/locked_queue.c -n 3 -r $how -j 2
done

# atomic FILE OPERATION...: the object with each operation in one step, in one.c. An operation is RESULT:NAME:FUNCTION[:ARGUMENT].
atomic() {
  grep -vE '^ASIF_(OP|OP_AS|ROLE|SPEC|SPEC_OP|BOUND)\(' "$objects/$1" >one.c
  shift
  for op; do
    IFS=: read -r result name function arg <<<"$op"
    echo "static $result one_$name(${arg:-void}${arg:+ v}) {"
    if [ "$result" = void ]; then
      echo "ASIF_ATOMIC { $function(${arg:+v}); } }"
    else
      echo "$result r; ASIF_ATOMIC { r = $function(${arg:+v}); } return r; }"
    fi
    echo "ASIF_OP_AS($name, one_$name${arg:+, ASIF_IN(1, 2)})"
  done >>one.c
}
# same FILE ARGUMENT...: against one.c it is what it is against itself, one operation at a time.
same() {
  file=$objects/$1
  shift
  "$asif" verify "$file" --spec self --time-limit 300 "$@" >self 2>&1
  by_self=$?
  [ $by_self -le 1 ] || fail "--spec self of $file ended with $by_self: $(cat self)"
  verify $by_self "$file" --against one.c "$@"
}

queue='void:enq:enq:int int:deq:deq' stack='void:push:push:int int:pop:pop'
atomic ms_queue.c $queue; same ms_queue.c -o 2; same ms_queue.c -n 3
atomic doherty_queue.c $queue; same doherty_queue.c -o 2; same doherty_queue.c -n 3
atomic two_lock_queue.c $queue; same two_lock_queue.c -o 2; same bugs/b1_tail.c -o 2; same bugs/b1_head.c -n 3
atomic treiber_stack.c $stack; same treiber_stack.c -o 2; same treiber_stack.c -n 3; same bugs/b3_pop.c -n 3
atomic dcas_stack.c $stack; same dcas_stack.c -o 2; same dcas_stack.c -n 3
atomic elimination_stack.c $stack; same elimination_stack.c -o 2; same elimination_stack.c -n 3
atomic counter.c int:push:push int:pop:pop; same counter.c -o forever; same counter.c -n 3 -o forever
atomic register.c void:write:write:int int:read:read; same register.c -o 2 -- -DK=3; same register.c -n 3 -- -DK=3
atomic lock_coupling_set.c bool:add:add:int bool:remove:remove:int bool:contains:contains:int
same lock_coupling_set.c -o 2; same bugs/b6.c -n 3

# What does not fit.
cat >other.c <<'END'
#include <asif.h>
static int x;
static void enq(void) { x = 1; }
ASIF_OP(enq)
END
verify 2 $objects/treiber_stack.c --against $here/locked_queue.c; warns 'locked_queue.c has no operation push'
verify 2 $objects/ms_queue.c --against other.c; warns 'enq takes 1 argument, but enq of other.c takes 0'
sed 's/void enq(void)/int enq(int v)/; s/x = 1;/return x = v;/' other.c >another.c
verify 2 $objects/ms_queue.c --against another.c; warns 'enq returns nothing, but enq of another.c returns a value'
cat >wrong.c <<'END'
#include <asif.h>
static int x;
static int deq(void) { return x; }
static void enq(int v) { x = v / x; }
END
verify 2 $objects/ms_queue.c --against wrong.c; warns 'wrong.c:4:'; warns 'in the reference, a division by zero'
echo 'int main(void) { return 0; }' >none.c
verify 2 $objects/ms_queue.c --against none.c; warns 'none.c: no operations'
verify 2 $objects/ms_queue.c --against missing.c
verify 2 $objects/ms_queue.c --against $here/locked_queue.c --spec queue; warns 'exclude each other'
exit 0
