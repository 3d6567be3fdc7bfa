#!/bin/bash
# asif prove: what it proves, what it refuses and with which execution, what it cannot follow, bad input, limits, and what it leaves behind.
. tests/cli/common
has prove || exit 77
export ASIF_INCLUDE=$root/include
cp -r "$root/objects" . || exit 1
json_good() { ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null 2>json_error || fail "$1 is no JSON: $(cat json_error)"; }
prove() { # STATUS ARGUMENT...
  status=$1
  shift
  run "$status" "$asif" prove "$@" --time-limit 120
}
lacks() { case $out in *"$1"*) fail "stdout has '$1': $out" ;; esac; }

# The six algorithms of the paper's Table 1, from plain C, at its three levels.
for object in treiber_stack ms_queue doherty_queue two_lock_queue dcas_stack lock_coupling_set; do
  prove 0 objects/$object.c --quiet; silent; says 'verdict: linearizable (any number of threads; '
  [ "$(wc -l <out)" = 1 ] || fail "--quiet prints more: $out"
  prove 0 objects/$object.c --quiet --level nu; says 'verdict: linearizable at level nu (any number'
  prove 0 objects/$object.c --quiet --level ms; says 'verdict: memory safe (any number'
done
# ... and by the points that are marked.
prove 0 objects/treiber_stack_points.c; says 'as they are marked'
prove 0 objects/ms_queue_points.c --points marked --quiet
prove 0 objects/ms_queue_points.c --points found; lacks 'as they are marked'

# Points in other threads: a node stands for an operation. The proof is checked again, and not if what a node stands for is changed in it.
prove 0 objects/elimination_stack_slot.c --evidence helped; says 'point for thread pusher'; says 'slot -> [v0, who v1] (for a push)'
run 0 "$asif" replay helped; says 'the evidence stands'
for script in '0,/waiting:0/s//nothing:0/' '/waiting:0/d' 's/ carried$//'; do
  sed "$script" helped >spoilt
  run 1 "$asif" replay spoilt; says 'does not stand'
done
[ -z "${ASIF_LONG-}" ] || prove 0 objects/combining_stack.c --quiet

# What is told of a proof.
prove 0 objects/treiber_stack.c; silent
says 'objects/treiber_stack.c: stack; any number of threads'
says 'push  objects/treiber_stack.c:35:11  cas top'; says 'pop   objects/treiber_stack.c:43:13  cas top'
says 'top: t -> next; contents: t->val.A -> A'; says 'top -> [v0] -> [S0].. -> 0   contents v0.S0'
says 'note: memory is sequentially consistent, and malloc succeeds'; says 'note: memory is collected'
prove 0 objects/lock_coupling_set.c; says 'contains  changes nothing'; says 'strictly between INT_MIN and INT_MAX'; lacks 'memory is collected'
says 'prev->next: curr -> n0; curr is taken out, to be freed; contents: A -> A - curr->val'
prove 0 objects/treiber_stack.c --level ms; lacks 'Linearization points'; lacks 'contents:'

# Wrong: where the proof fails, and an execution.
prove 1 objects/bugs/b3_pop.c; silent
says 'Not proved: objects/bugs/../treiber_stack.c:44:3: pop may return another result'; says '    return t->val;
    ^'
says 'What is known there:'; says 'another thread  objects/bugs/../treiber_stack.c:35:11  push: cas top'; says 'hint: '; says 'There is an execution that is wrong'
says '|--Pop() -> empty--|'; says 'store *at = null'; says 'verdict: not linearizable (2 threads, 2 operations each'
prove 1 objects/treiber_stack_free.c; says 'freed memory may be accessed here'; says 'verdict: violated: undefined behaviour'
for bug in b1_head b2_treiber b3_push b4_pop b7; do prove 1 objects/bugs/$bug.c --quiet; says 'verdict: not linearizable ('; done
prove 3 objects/bugs/b3_pop.c --no-confirm; says 'verdict: unknown: pop may return'; lacks 'It happens like this'
prove 0 objects/bugs/b3_pop.c --level ms --quiet
# wrong STATUS SAYS FILE SED: an object with one change.
wrong() {
  sed -E "$4" "$3" >w.c
  cmp -s w.c "$3" && fail "nothing is changed by $4"
  prove "$1" w.c
  says "$2"
}
wrong 0 'verdict: linearizable' objects/ms_queue.c 's/if \(h != atomic_load\(&head\)\) continue;//' # needed only where memory is used again
wrong 1 'verdict: not linearizable' objects/ms_queue.c 's/if \(atomic_compare_exchange_strong\(&head, &h, next\)\)/atomic_store(\&head, next); if (1)/'
wrong 1 'freed' objects/dcas_stack.c 's/^(.*)free\(t\);/\1free(t); free(t);/'
wrong 1 'verdict: violated' objects/lock_coupling_set.c 's/^  pthread_mutex_unlock\(&prev->lock\);$/&\n&/'
wrong 1 'verdict: violated: points' objects/treiber_stack_points.c '0,/ASIF_LIN\(\);/s///'
wrong 1 'verdict: violated: points' objects/treiber_stack_points.c 's/ASIF_LIN\(\);/ASIF_LIN(); ASIF_LIN();/'

# Right, but outside what is followed: unknown, with the place.
prove 3 objects/herlihy_wing_queue.c; silent
says 'Not proved: objects/herlihy_wing_queue.c:27:11: read-modify-write of numbers is outside what'
says 'verify: 2 threads, 1 operation each: no violation; 2 threads, 2 operations each:'; says 'verdict: unknown: read-modify-write'
object() { { printf '#include <asif.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n'; cat; } >o.c; }
object <<'END'
static _Atomic(int) item[20];
static void push(int v) { item[v] = v; }
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 1))
END
prove 3 o.c --no-confirm; says 'more than 16 cells'; says 'outside what prove follows'
# What is required of the environment is trusted, and said.
object <<'END'
struct node { int val; struct node *next; };
static _Atomic(struct node *) top;
static void push(int v) {
  asif_require(v > 0);
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = top;
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
END
prove 0 o.c; says 'note: asif_require at o.c:7:3 is trusted'

# Bad input: said what, and status 2.
bad() { # WORDS ARGUMENT...: the program is in o.c, or named
  words=$1
  shift
  prove 2 "$@"
  warns "$words"
  [ -z "$out" ] || fail "something on standard output: $out"
}
bad 'No such file' missing.c
bad 'is no specification that prove knows: stack, queue, set' objects/register.c
bad "is a specification of the file's own" objects/counter.c
bad 'spec' objects/treiber_stack.c --spec nonsense
bad 'a second ASIF_OBJECT' objects/treiber_stack.c objects/ms_queue.c
bad 'no linearization points are marked' objects/treiber_stack.c --points marked
bad 'level' objects/treiber_stack.c --level best
object <<'END'
static int x;
static void push(int v) { x = v; }
END
bad 'no specification' o.c
object <<'END'
static int x;
static void frob(int v) { x = v; }
END
bad 'no operations' o.c --spec stack
object <<'END'
static int x;
static void push(void) { x = 1; }
ASIF_OBJECT(stack)
ASIF_OP(push)
END
bad 'o.c:5:' o.c; warns 'takes 0 arguments'
object <<'END'
static float x;
static void push(int v) { x = v; }
ASIF_OBJECT(stack)
ASIF_OP(push)
END
prove 3 o.c; says 'unknown: o.c:5:31: arithmetic on floating point numbers is outside what prove follows (any number'
sed -i 's/static float/static long double/' o.c
bad 'o.c:5:' o.c
: >o.c
bad 'no specification' o.c
printf 'int f( {' >o.c
bad 'o.c:1:' o.c --spec stack

# Limits, and Ctrl-C.
run 3 "$asif" prove objects/bugs/b6.c --time-limit 0.3 --no-confirm; silent; says 'verdict: unknown: the time limit was reached (any number of threads; set, '
run 3 "$asif" prove objects/lock_coupling_set.c --memory-limit 600K --json; json_good out; says '"reason":"the memory limit was reached"'
"$asif" prove objects/bugs/b6.c --no-confirm >out 2>err &
pid=$!
listens $pid; sleep 1
kill -INT $pid
wait $pid
status=$?
[ $status = 3 ] && grep -q '^verdict: unknown: it was interrupted (' out || fail "Ctrl-C ended with $status: $(cat out err)"
# One that would take long, but is wrong: found in between.
prove 1 objects/bugs/b6.c --quiet; says 'verdict: not linearizable'

# Output.
prove 0 objects/ms_queue.c --json; json_good out
for field in schema command verdict reason violation object spec method threads operations states transitions schedules seconds cpu_seconds peak_rss_kb \
  evidence notes level marked views interference points actions memory failure confirming; do
  says "\"$field\":"
done
says '"verdict":"holds","reason":null'; says '"text":"cas t->next (next -> n)","changes":["t->next: 0 -> n'
prove 3 objects/herlihy_wing_queue.c --json; json_good out; says '"verdict":"unknown","reason":"read-modify-write'; says '"failure":{"file":"objects/herlihy_wing_queue.c","line":27'
prove 1 objects/bugs/b3_pop.c --json; json_good out
says '"command":"prove","verdict":"violated"'; says '"violation":"not linearizable"'; says '"path":['; says '"sentence":"pop may return another'
prove 0 objects/lock_coupling_set.c --quiet --html page.html --junit report.xml
grep -q 'failures="0" errors="0"' report.xml && grep -q '</html>' page.html && grep -q 'class="heap"' page.html || fail 'something was not written'
grep -q '<script' page.html && fail 'the page has a script'
prove 3 objects/herlihy_wing_queue.c --quiet --html page.html --junit report.xml; grep -q 'errors="1"' report.xml && grep -q 'Not proved' page.html || fail 'unknown'
prove 1 objects/bugs/b3_pop.c --quiet --html page.html --junit report.xml; grep -q 'failures="1"' report.xml && grep -q '</html>' page.html || fail 'violated'
! command -v xmllint >/dev/null || xmllint --noout report.xml || fail 'the JUnit report is no XML'
prove 2 objects/treiber_stack.c --html /nowhere/x; warns /nowhere/x
(trap '' PIPE; "$asif" prove objects/treiber_stack.c; echo $? >status) 2>err | true
case $(cat status) in 0 | 2) ;; *) fail "a closed pipe ended with $(cat status)" ;; esac
[ -s err ] && fail "a closed pipe is complained about: $(cat err)"
[ ! -w /dev/full ] || { "$asif" prove objects/treiber_stack.c >/dev/full 2>err; [ $? = 2 ] || fail 'a full disk is no failure'; }

# A proof does not exclude data races: two threads are searched for one.
racy() { sed 's/_Atomic//g; s/atomic_load(&top)/top/' <<'END_OF_C'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *_Atomic top;
static void push(int v) {
  struct node *n = malloc(sizeof *n), *t = atomic_load(&top);
  n->value = v;
  do n->next = t;
  while (!CAS(&top, &t, n));
}
static int pop(void) {
  struct node *t = atomic_load(&top);
  do
    if (!t) return ASIF_EMPTY;
  while (!CAS(&top, &t, t->next));
  return t->value;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_BOUND(3)
END_OF_C
}
racy >racy.c
cas='-DCAS(p,e,n)=__atomic_compare_exchange_n(p,e,n,0,5,5)'
run 1 "$asif" prove racy.c --evidence racy.evidence -- "$cas"; says 'violated: data race'; says 'load top'
run 0 "$asif" replay racy.evidence; says 'the evidence stands'
run 1 "$asif" verify racy.c -- "$cas"; says 'data race'
run 0 "$asif" prove racy.c --races no -- "$cas"; says 'note: data races were not looked for'
run 0 "$asif" verify racy.c --races no -- "$cas"
run 0 "$asif" prove racy.c --no-confirm -- "$cas"; says 'note: data races were not looked for'
sed 's/= top;/= __atomic_load_n(\&top, 5);/; s/, \*t = top;/, *t = __atomic_load_n(\&top, 5);/' racy.c >whole.c
run 0 "$asif" prove whole.c -- "$cas"; says 'note: data races were looked for with 2 threads, up to 2 operations each'
run 0 "$asif" verify whole.c -- "$cas"
run 2 "$asif" prove racy.c --races maybe; warns 'races'
