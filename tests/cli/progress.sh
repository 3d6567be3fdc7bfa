#!/bin/bash
# asif verify --progress and --ltl: which conditions the objects meet, and the runs that show they do not meet the others.
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

# meets CONDITIONS FILE ARGUMENT...: of d(eadlock) o(bstruction) l(ock) w(ait) those given, and no others. Every run found is made again.
meets() {
  holds=$1 file=objects/$2.c
  shift 2
  for condition in deadlock-free obstruction-free lock-free wait-free; do
    case $holds in
    *${condition:0:1}*)
      verify 0 "$file" --progress $condition --quiet "$@"; says "verdict: $condition ("
      ;;
    *)
      verify 1 "$file" --progress $condition --quiet --evidence e "$@"; says "verdict: not $condition ("
      run 0 "$asif" replay e; says "not $condition"; says 'verdict: the evidence stands'
      ;;
    esac
  done
}
meets dol treiber_stack --bound 2
meets dol elimination_stack --bound 1
meets dol dcas_stack --bound 1
meets dol counter
meets dol ms_queue --bound 1
meets dolw register
meets dolw mailbox --ops 2
meets d two_lock_queue --bound 1
meets d lock_coupling_set
verify 0 objects/ms_queue.c --progress lock-free --bound 2 --quiet; says 'any number of operations, at most 2 elements'

# What is printed: the question, the sentence, stem and loop.
verify 1 objects/treiber_stack.c --progress wait-free; silent
says 'objects/treiber_stack.c: is it wait-free? 2 threads, any number of operations, at most 3 elements: push(1..2), pop()'
says 'Not wait-free: thread A is in push(1) for ever while others return'; says 'It happens like this (indented'
says '
and then again and again:
'; says ': fails'; says 'note: calls that would bring more than 3 elements inside were not made'
verify 1 objects/two_lock_queue.c --progress lock-free; says 'and waits, for ever if the others have stopped'; says 'waits for head_lock'
case $out in *'again and again'*) fail "a run that ends has no loop: $out" ;; esac
verify 0 objects/treiber_stack.c --progress wait-free --ops 2; says 'note: clients that stop after 2 operations cannot overtake'
verify 1 objects/treiber_stack.c --progress wait-free --json --bound 1; json_good out
for field in schema command verdict reason violation object spec method threads operations states transitions schedules seconds cpu_seconds \
  peak_rss_kb evidence progress formula fairness stem loop; do
  says "\"$field\":"
done
says '"verdict":"violated"'; says '"violation":"not wait-free"'; says '"operations":null'; says '"loop":[{"step":'
verify 0 objects/register.c --progress wait-free --json; json_good out; says '"progress":"wait-free"'; says '"stem":[],"loop":[]'
verify 1 objects/counter.c --progress wait-free --junit report.xml --html page.html --quiet
grep -q 'failures="1"' report.xml || fail "$(cat report.xml)"
grep -q 'again and again' page.html && grep -q '</html>' page.html || fail 'the page lacks the loop'

# Formulas.
reads='[](call(read) -> <>return(read))'
verify 0 objects/register.c --ltl "$reads" --fair weak; says "objects/register.c: $reads under weak fairness; 2 threads"
says 'verdict: holds (2 threads, any number of operations; '
verify 1 objects/register.c --ltl "$reads" --evidence e; says 'thread B is in read() for ever'; says 'and then again and again:'
says 'verdict: violated (2 threads'
run 0 "$asif" replay e; says 'the formula is false of that'; says 'the evidence stands'
verify 0 objects/register.c --ltl "$reads" --fair strong --evidence e --quiet
run 3 "$asif" replay e; says "--ltl '$reads' --fair strong --threads 2 --ops forever"
verify 0 objects/register.c --ltl '[](return(read)@B -> X[](call(read)@B -> F return(read, 3) || true))' --quiet
verify 1 objects/two_lock_queue.c --ltl '[](call(deq)@A -> <>return(deq)@A)' --fair weak --bound 1 --quiet
verify 0 objects/two_lock_queue.c --ltl '[](call(deq)@A -> <>return(deq)@A)' --fair strong --bound 1 --quiet
verify 0 objects/treiber_stack.c --ltl '!return(pop, 1) W call(push, 1)' --bound 1 --quiet
verify 1 objects/treiber_stack.c --ltl '!return(pop, empty) U call(push, 1)' --bound 1 --ops 1; says 'nothing after step 3 matters'
verify 1 objects/treiber_stack.c --ltl '<>call(push, 1)' --bound 1 --ops 1; says 'where all threads have stopped'
verify 0 objects/treiber_stack.c --ltl '[]!call(push, 7)' --bound 1; says 'note: '; says 'call(push, 7)'
verify 2 objects/register.c --ltl '[](call(reed) -> <>return(read))'; warns "formula:1:9: no operation is called 'reed'"; warns 'write, read'
verify 2 objects/register.c --ltl '[](call(read)'; warns 'formula:1:14:'
verify 2 objects/register.c --ltl ''; warns 'formula:1:1: '
verify 2 objects/register.c --ltl 'call(read)@C'; warns 'formula:1:'
verify 2 objects/register.c --ltl 'call(write, many)'; warns "'many' is no value"

# No specification is needed; and garbage that is needed after all is not forgotten.
cat >walk.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int val;
  struct node *next;
};
static _Atomic(struct node *) top;

static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;
}
static int pop(void) {
  struct node *t = atomic_load(&top);
  do
    if (!t) return ASIF_EMPTY;
  while (!atomic_compare_exchange_strong(&top, &t, t->next));
  return t->val;
}
static int last(void) {
  int v = ASIF_EMPTY;
  for (struct node *t = atomic_load(&top); t; t = t->next) v = t->val;
  return v;
}
ASIF_OP(push, ASIF_IN(1, 1))
ASIF_OP(pop)
ASIF_OP(last)
END
verify 0 walk.c --progress lock-free --ops 3; says 'verdict: lock-free'
verify 1 walk.c --ltl '[]!return(last, 1)' --ops 3 --quiet --evidence e
run 0 "$asif" replay e; says 'the evidence stands'

# Faults, limits.
sed 's/return t->val;/return t->next->val;/' walk.c >fault.c
verify 1 fault.c --progress lock-free --evidence e; says 'Undefined behaviour: fault.c:'; says 'verdict: violated: undefined behaviour'
run 0 "$asif" replay e; says 'a null pointer is used'; says 'the evidence stands'
run 3 "$asif" verify objects/ms_queue.c -n 3 --progress lock-free --states-limit 10k; says 'verdict: unknown: the limit of states was reached after'; says ', with 1000'
run 3 "$asif" verify objects/ms_queue.c -n 3 --ltl 'true' --memory-limit 8M --json; json_good out; says '"verdict":"unknown"'
verify 3 objects/bugs/b3_pop.c --progress lock-free; says 'not linearizable' # the clients do not know what they may call

# What is told of a formula that is false whatever follows: its beginning, and no loop.
cat >order.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int x;
static void write(int v) { x = v; }
static int read(void) { return x; }
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_OP(read)
END
verify 1 order.c --ltl '[]!return(read, 2)' --evidence e
says 'it is false of every execution that begins like this: nothing after step'; says 'read returns 2'
case $out in *'for ever'* | *loop*) fail "a loop is told that has nothing to do with it: $out" ;; esac
[ "$(grep -c 'read returns' out)" = 1 ] || fail "more is told than the beginning: $out"
run 0 "$asif" replay e; says 'the evidence stands'
verify 1 order.c --ltl '[]!return(read, 2)' --json; says '"loop":[]'; says 'nothing after step'
verify 1 order.c --ltl '[](call(read) -> <>return(read))'; says 'for ever'
case $out in *'nothing after'*) fail "$out" ;; esac
verify 1 order.c --ltl '(!return(read, 1)) U return(read, 2)'; says 'return'

# Operations of which nothing was seen.
cat >never.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int x, y;
static int get(void) { return x; }
static int take(void) { asif_require(y == 1); return x; }
ASIF_OP(get)
ASIF_OP(take)
END
verify 0 never.c --progress wait-free; says 'note: take is never called in any execution'
sed -i 's/{ return x; }/{ y = 0; return x; }/' never.c
verify 0 never.c --progress wait-free; says 'note: no call of take ever returns: what it requires (asif_require) never holds'
verify 0 never.c --progress wait-free --json; says 'no call of take ever returns'
verify 0 never.c --spec self; says 'note: take is never called in any execution'

# Failures without a reason that go on for ever.
cat >weak.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int x;
static void inc(void) {
  int v = x;
  while (!atomic_compare_exchange_weak(&x, &v, (v + 1) & 1)) ;
}
ASIF_OP(inc)
END
verify 0 weak.c --progress lock-free; says 'verdict: lock-free'
verify 1 weak.c --progress lock-free --weak; says 'note: with --weak, atomic_compare_exchange_weak may fail without a reason for ever'

# Evidence that was changed.
verify 1 objects/treiber_stack.c --progress wait-free --bound 1 --evidence e --quiet
refused() { # STATUS WHY SED
  sed -E "$3" e >changed
  cmp -s e changed && fail "nothing is changed by $3"
  run "$1" "$asif" replay changed
  if [ "$1" = 1 ]; then says "$2"; says 'verdict: the evidence does not stand'; else warns "$2"; fi
}
loop=$(sed -n 's/^loop //p' e)
refused 1 'differ' 's/^progress .*/progress lock-free/'
refused 1 'an operation returns in the loop' 's/wait-free$/lock-free/'
refused 1 'more than one thread moves' 's/wait-free$/obstruction-free/'
refused 1 'not what it was before' "s/^loop .*/loop $((loop - 1))/"
refused 1 'no thread waits' 's/^loop .*/loop 0/'
refused 2 'moves' 's/^loop .*/loop 1000/'
refused 2 'expected loop' '/^loop/d'
refused 2 'expected progress' 's/^progress .*/progress fast/'
verify 1 objects/register.c --ltl "$reads" --evidence e --quiet
refused 1 'the run is not fair' 's/^fair .*/fair weak/'
refused 1 'the formula is true of the run' 's/^formula .*/formula true/'
refused 1 'no operation is called' 's/^formula .*/formula [] call(reed)/'
refused 2 'expected fair' 's/^fair .*/fair quite/'

# What does not go together.
verify 2 objects/register.c --progress lockfree; warns 'did you mean lock-free?'
verify 2 objects/register.c --progress lock-free --ltl true; warns '--progress and --ltl exclude each other'
verify 2 objects/register.c --progress lock-free --fair weak; warns '--fair is for --ltl'
verify 2 objects/register.c --fair weak; warns '--fair is for --ltl'
for option in --points '--reduce none' '--against o.c' '--search depth' --no-deadlock '--checkpoint c' '--resume c' '--dump steps' \
  '--svg s' '--history h'; do
  verify 2 objects/register.c --ltl true $option; warns "--ltl and ${option%% *} exclude each other"
done
exit 0
