#!/bin/bash
# asif check --approx: what it says, from files and pipes, and how it ends.
. tests/cli/common
has check || exit 77
k2() { "$asif" check --approx 2 "$@"; }
last() { case $(tail -1 out) in "$1"*) ;; *) fail "the last line is $(tail -1 out), not $1" ;; esac; }

# Good and bad. Never "linearizable".
run 0 k2 "$root/examples/queue-good.txt"; silent; last 'verdict: no violation seen at k = 2 (9 operations, '
case $out in *inearizable*) fail "it says linearizable: $out" ;; esac
run 1 k2 "$root/examples/queue-bad.txt"; silent; last 'verdict: not linearizable (6 operations, k = 2, '
says '[1,1]  line  8  A  Enq(3)'; says 'on line 13'; says 'B  |--Enq(2)--|'
run 0 "$asif" check --approx 1 "$root/examples/queue-bad.txt" --quiet; [ "$(wc -l <out)" = 1 ] || fail "more than a line: $out"
run 1 k2 "$root/examples/queue-good.txt" "$root/examples/queue-bad.txt" # the gravest of several

# Every kind of bad queue and stack is found or not, but never a right one said to be bad.
for spec in queue stack; do
  for seed in 1 2 3 4 5; do
    "$asif" gen $spec -n 3000 -t 5 --seed $seed --pending 4 -o right.txt || fail "gen $spec"
    run 0 k2 right.txt --spec $spec --quiet
    "$asif" gen $spec -n 3000 -t 5 --seed $seed --bad any -o wrong.txt || fail "gen $spec"
    k2 wrong.txt --spec $spec --quiet >out 2>err
    [ $? -le 1 ] && [ ! -s err ] || fail "$spec, seed $seed: $(cat out err)"
  done
done

# What is not looked at is said, in text and JSON.
printf 'q insert(1) A\nq Ok() A\nq insert(2) A\nq Ok() A\nq deq() A\nq Ok(2) A\n' >priority
run 0 k2 priority --spec priority-queue; says 'note: priorities are not looked at'
run 0 k2 priority --spec priority-queue --json; says '"notes":["priorities are not looked at'
run 1 "$asif" check priority --spec priority-queue --quiet
printf 'q enq(1) A\nq Ok() A\nq enq(2) A\nq Ok() A\n' >overfull
run 0 k2 overfull --spec 'bounded-queue(1)'; says 'note: whether the queue was full'
run 1 k2 overfull --spec 'bounded-queue(1)' --grammar bounded-queue; says 'line 3  A  Enq(2)'
run 1 k2 overfull --spec 'bounded-priority-queue(1)' --grammar bounded-priority-queue # enq is another name of insert

# A grammar's violation: by lines and processes of the input, and all of the operations that have no order.
printf 'q enq(1) A\nq Ok() A\nq enq(2) B\nq enq(4) C\nq Full() C\nq enq(3) A\nq Full() B\n' >full
run 1 k2 full --spec 'bounded-queue(2)' --grammar bounded-queue --evidence why
says 'line 1  A  Enq(1)'; says 'line 4  C  Enq(4) -> full'; says 'have no order'
run 0 "$asif" replay why
printf 'l acquire() A\nl Ok() A\nl release() A\nl Ok() A\nl release() B\nl Ok() B\n' >released
run 1 k2 released --spec lock; says 'line 5  B  Release()'
case $out in *'whatever the others did'*) fail "an operation that another may excuse: $out" ;; esac

# What a smaller k shows is seen with a greater one, where the equations are too many to solve.
printf '%s\n' 'x read-unlock() A' 'x write-lock() B' 'x try-read() C' 'x read-lock() D' 'x Ok() B' 'x read-unlock() B' \
  'x Ok(true) C' 'x read-unlock() C' 'x Ok() A' 'x read-lock() A' 'x Ok() C' 'x Ok() D' 'x Ok() B' >readers
for k in 1 2 3; do
  run 1 "$asif" check --approx $k readers --spec rw-lock
  grep -q 'line  *2  B  Write-lock()' out || fail "k = $k: $out"
done

# Pending, failed, unknown.
printf 'q enq(1) A\nq deq() B\nq Ok(1) B\n' >pending
run 0 k2 pending; says '1 operation has not returned'
printf 'q deq() B\nq Ok(1) B\nq enq(1) A\n' >early
run 1 k2 early
printf '%s\n' '{:process 0, :type :invoke, :f :enqueue, :value 1}' '{:process 0, :type :fail, :f :enqueue, :value 1}' \
  '{:process 1, :type :invoke, :f :dequeue, :value nil}' '{:process 1, :type :ok, :f :dequeue, :value 1}' \
  '{:process :nemesis, :type :info, :f :start}' >failed.edn
run 1 k2 failed.edn; says '1 operation that failed is taken not to have happened'
sed 's/:fail/:info/' failed.edn >unknown.edn
run 0 k2 unknown.edn; says '1 event of foreign processes was skipped'
run 0 k2 /dev/stdin --spec queue --format wing-gong </dev/null; last 'verdict: no violation seen at k = 2 (0 operations'

# Cut off, and wrong in other ways: status 2, and where.
head -c 40 "$root/examples/queue-bad.txt" | cat - <(printf '\nq Enq(') >cut
run 2 k2 cut; [ -z "$out" ] || fail "a verdict all the same: $out"
"$asif" gen queue -n 1000 -o long.txt.gz && head -c 2000 long.txt.gz >cut.gz
run 2 k2 cut.gz; warns 'ends too early'
printf 'q enq(1) A\nq Ok() A\nq foo() A\n' >foo
run 2 k2 foo; warns "foo:3: operation 'foo' is not one of queue's"
printf 'q enq(1) A\nq Ok() B\n' >unasked
run 2 k2 unasked; warns 'unasked:2:8: process B returns, but has not called'
run 2 k2 missing; warns 'missing: cannot be opened'
: >empty
run 2 k2 empty; warns 'holds no history'

# Usage.
run 2 "$asif" check --approx 9 early; warns 'from 0 to 8'
run 2 "$asif" check --approx x early; warns 'from 0 to 8'
run 2 "$asif" check --approx -1 early; warns 'from 0 to 8'
run 2 k2 early --witness w; warns '--witness does not go with --approx'
run 2 k2 early --method fast; warns '--method does not go with --approx'
run 2 "$asif" check early --formula queue; warns 'goes with --approx'
run 2 k2 early --formula a --grammar b; warns 'one of them'
run 2 k2 early --formula nowhere.formula; warns 'nowhere.formula'
run 2 k2 early --grammar nowhere.grammar; warns 'nowhere.grammar'
run 2 k2 early --spec nonsense; warns 'nonsense'
run 2 k2 "$root/examples/register-jepsen.edn" --spec cas-register; warns "no monitor of the specification 'cas-register'"; warns queue
warns formula; warns grammar

# Every format, plain and compressed, from files and from pipes, the specification given or guessed.
"$asif" gen queue -n 2000 -t 4 -o good.txt && "$asif" gen queue -n 200 -t 4 --size 1 --bad reorder -o bad.txt || fail gen
wrong=$("$asif" check --approx 3 bad.txt --quiet >/dev/null; echo $?)
for to in a.txt a.edn a.json a.hist a.txt.gz a.edn.zst; do
  "$asif" convert good.txt $to && "$asif" convert bad.txt bad.$to || fail "convert $to"
  run 0 "$asif" check --approx 3 $to --quiet
  run "$wrong" "$asif" check --approx 3 bad.$to --quiet
  cat $to | "$asif" check --approx 3 - --quiet --spec queue >out || fail "$to through a pipe: $(cat out)"
done
for to in a.columns a.pcolumns; do
  "$asif" convert good.txt $to || fail "convert $to"
  run 0 k2 $to --spec queue --quiet
done
[ "$wrong" = 1 ] || fail "a queue that is reordered is not seen at k = 3"

# A violation ends the reading, of an endless pipe too; the specification and the format are known by then.
{ printf 'q enq(1) A\nq Ok() A\nq deq() A\nq Ok(2) A\n'; while printf 'q enq(1) A\nq Ok() A\n'; do :; done 2>/dev/null; } |
  timeout 60 "$asif" check --approx 0 - >out; [ $? = 1 ] || fail "it does not end: $(cat out)"
mkfifo pipe
(exec 3>pipe; printf 'q enq(1) A\nq Ok() A\nq deq() A\nq Ok(2) A\n' >&3; sleep 300) & writer=$! # open for longer than anybody waits
timeout 120 "$asif" check --approx 0 pipe --quiet >out; status=$?
kill $writer; wait $writer 2>/dev/null
[ $status = 1 ] || fail "a pipe that stays open: status $status"
last 'verdict: not linearizable (2 operations, k = 0'

# Limits: what was read so far was without violation. A quiet pipe too.
ended() { # WHY COMMAND: how `check` of a pipe that stays open ends; a busy machine may need longer than the first time
  local why=$1; shift
  for seconds in 0.5 5 20 50; do
    (exec 3>pipe; printf 'q enq(1) A\nq Ok() A\nq deq() A\nq Ok(1) A\n' >&3; sleep 300) & writer=$!
    "$@" $seconds >out; status=$?
    kill $writer; wait $writer 2>/dev/null
    grep -q '^verdict: unknown (2 op' out && break
  done
  out=$(cat out); last 'verdict: unknown (2 operations, no violation seen at k = 1, '; says "$why"
}
limited() { timeout 120 "$asif" check --approx 1 pipe --time-limit "$1"; }
ended 'the time limit was reached' limited
[ $status = 3 ] || fail "the time limit: status $status"
interrupted() { timeout -s INT "$1" "$asif" check --approx 1 pipe; }
ended interrupt interrupted
# One that nobody ever writes to.
timeout 60 "$asif" check --approx 1 pipe --time-limit 0.2 >out; [ $? = 3 ] || fail "no writer: $(cat out)"
run 3 "$asif" check --approx 2 good.txt --memory-limit 100k; last 'verdict: unknown'

# Several objects: a monitor each.
printf 'p enq(1) A\nr enq(1) B\np Ok() A\nr Ok() B\nr deq() B\np deq() A\nr Ok(1) B\np Ok(1) A\n' >two
run 0 k2 two; says 'on 2 objects'
printf 'p enq(1) A\np Ok() A\nr deq() A\nr Ok(1) A\n' >two
run 1 k2 two --evidence two.evidence; says 'This operation on r is not linearizable'
run 0 "$asif" replay two.evidence; says 'the evidence stands'

# Evidence is re-validated by other code; what was changed in it is noticed; and it is whole or not there.
run 1 k2 "$root/examples/queue-bad.txt" --evidence ev; says 'evidence: ev'
run 0 "$asif" replay ev; says 'the evidence stands'
sed 's/Ok(3)/Ok(2)/' ev >changed
run 1 "$asif" replay changed; says 'the evidence does not stand'
run 0 k2 "$root/examples/queue-good.txt" --evidence none; [ ! -e none ] || fail 'evidence of nothing'
if [ -w /dev/full ]; then
  run 1 k2 "$root/examples/queue-bad.txt" --evidence /dev/full; warns 'No space left'
  "$asif" check --approx 2 "$root/examples/queue-bad.txt" >/dev/full 2>err; [ $? = 1 ] || fail 'a full disk is no success'
fi
run 1 k2 "$root/examples/queue-bad.txt" --evidence no/such/folder/ev
{ k2 "$root/examples/queue-bad.txt"; echo $? >status; } 2>err | true
[ "$(cat status)" -le 2 ] && [ ! -s err ] || fail "a closed pipe: $(cat status err)"

# So many pending operations that the exact checker would not come to an end: a grammar that comes with Asif knows how many can matter,
# and of one's own the limits are kept.
{ seq -f 'l acquire() P%g' 3000; printf 'l acquire() X\nl Ok() X\nl acquire() Y\nl Ok() Y\n'; } >pending
run 1 k2 pending --spec lock --time-limit 300; says '3000 acquire pending in [0,2]'; says 'These 2 operations are left'
printf 'Free -> acquire Held | try => true Held | empty;\nHeld -> release Free | try => false Held | empty;\n' >own.grammar
run 3 k2 pending --spec lock --grammar own.grammar --time-limit 2; last 'verdict: unknown (3002 operations, a violation seen at k = 2 is not confirmed, '
{ printf 'violation: 1 = 1'; yes ' and 1 = 1' | head -2000 | tr -d '\n'; } >long.formula
run 2 k2 "$root/examples/queue-bad.txt" --formula ./long.formula; warns "more than 1000 formulas with 'and' between them"
run 2 k2 "$root/examples/queue-bad.txt" --formula /dev/zero; warns 'a formula of more than 1048576 bytes'
run 2 k2 "$root/examples/queue-bad.txt" --grammar lock; warns "'try' is no operation of 'queue' (enq, deq)"

# Code of the user's that crashes while a violation is confirmed says nothing.
cat >crashes.c <<'END'
#include <asif.h>
#include <stdlib.h>
struct cell { int now; };
static void put(struct cell *c, int v) { if (c->now == 1) abort(); c->now = v; }
static int see(const struct cell *c) { return c->now; }
ASIF_SPEC(crashes, struct cell)
ASIF_SPEC_OP(put, "write")
ASIF_SPEC_OP(see, "read")
END
sed '/^for register/d' "$root/examples/stale.formula" >stale.formula
ASIF_INCLUDE=$root/include run 2 k2 "$root/examples/register-stale.txt" --spec ./crashes.c --formula stale.formula; warns 'crashes.c'
case $out in *verdict*) fail "a verdict: $out" ;; esac
sed -i 's/if (c->now == 1) abort();//' crashes.c
ASIF_INCLUDE=$root/include run 1 k2 "$root/examples/register-stale.txt" --spec ./crashes.c --formula stale.formula; says 'See() -> 1'

# The other reports.
run 1 k2 "$root/examples/queue-bad.txt" --json --html a.html --svg a.svg --junit a.xml
says '"verdict":"violated"'; says '"k":2'; says '"events":11'; says '"bytes":'; says '"held":'; says '"line":13'
grep -q '<failure type="not linearizable"' a.xml && grep -q 'Enq(3)' a.svg && grep -q '"monitored":{"k":2,' a.html || fail 'the reports'
run 0 k2 "$root/examples/queue-good.txt" --json --html a.html --svg a.svg --junit a.xml
says '"verdict":"no violation seen"'
grep -q 'failures="0"' a.xml && grep -q 'no violation seen at k = 2' a.svg && grep -q 'no violation seen at k = 2' a.html || fail 'the reports'
exit 0
