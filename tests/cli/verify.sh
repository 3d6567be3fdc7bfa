#!/bin/bash
# asif verify: what it says of objects that are right and wrong, of files it cannot read, and at its limits; what it leaves behind.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
cp -r "$root/objects" "$root/tests/against" . || exit 1
json_good() { ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null 2>json_error || fail "$1 is no JSON: $(cat json_error)"; }
verify() { # STATUS ARGUMENT...
  status=$1
  shift
  run "$status" "$asif" verify --races no "$@" --time-limit 300 # verify_races.sh looks for them
}

# One that is right.
verify 0 objects/treiber_stack.c -n 3; silent
says 'objects/treiber_stack.c: stack; 3 threads, 1 operation each, at most 3 elements: push(1..2), pop()'
says 'verdict: linearizable (3 threads, 1 operation each, at most 3 elements; stack, '
verify 0 objects/treiber_stack.c --quiet; [ "$(wc -l <out)" = 1 ] || fail "--quiet prints more: $out"
verify 0 objects/register.c --json; json_good out; says '"verdict":"holds","reason":null,"violation":null,"object":"objects/register.c"'

# One that is not: the sentence, the history, the schedule.
verify 1 objects/bugs/b1_head.c -n 3 -j 1; silent
says '1 was dequeued twice, but enqueued only once'; says '|--Deq() -> '; says 'verdict: not linearizable (3 threads'
says 'two_lock_queue.c:54  lock tail_lock'; says 'two_lock_queue.c:53    store n->next = null'; says 'load head_locked -> false'
verify 1 objects/bugs/b4.c -n 3 -o 2; says 'cas top: null -> &node '; says ' ok'; says 'cas top: expected null, found &node '; says ': fails'
verify 1 objects/buggy_queue.c -n 3; says '{val 0, ref 0} -> {val '; says 'deq returns empty'
verify 1 objects/bugs/b6.c -n 3; says 'twice, and nothing can have'
verify 1 objects/treiber_stack_free.c -o 2
says 'Undefined behaviour: objects/treiber_stack_free.c:36:13: freed memory is used'; says '    next = t->next;
              ^'; says 'freed in step '; says 'verdict: violated: undefined behaviour ('
verify 1 objects/bugs/b1_head.c -n 3 --json; json_good out
for field in schema command verdict reason violation object spec method reduce threads operations states transitions depth spec_sets \
  bytes_per_state seconds cpu_seconds search_cpu_seconds compiler_cpu_seconds peak_rss_kb evidence history path; do
  says "\"$field\":"
done
says '"violation":"not linearizable"'; says '"text":"lock tail_lock"'

# Files.
verify 1 objects/bugs/b3_push.c -o 2 --html page.html --svg picture.svg --junit report.xml --history wrong.txt --quiet
grep -q 'failures="1"' report.xml && grep -q '</svg>' picture.svg && grep -q '</html>' page.html || fail 'something was not written'
run 1 "$asif" check wrong.txt --spec stack --quiet
verify 1 objects/bugs/b3_push.c -o 2 --history wrong.edn --quiet; grep -q ':invoke' wrong.edn || fail "$(cat wrong.edn)"
verify 1 objects/bugs/b3_push.c -o 2 --html /nowhere/x; warns /nowhere/x
verify 1 objects/bugs/b3_push.c -o 2 --evidence /nowhere/x; warns /nowhere/x

# Other faults.
object() { { printf '#include <asif.h>\n#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n'; cat; } >o.c; }
object <<'END'
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void write(int v) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x = v;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
}
static int read(void) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  int v = x;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return v;
}
ASIF_OBJECT(register(0))
ASIF_OP(write)
ASIF_OP(read)
END
verify 1 o.c --evidence dead; says 'verdict: violated: deadlock'; says 'waits for a'; says 'waits for b'
run 0 "$asif" replay dead; says 'no thread can move'; says 'the evidence stands'
verify 1 o.c --evidence dead --reduce none --quiet
run 0 "$asif" replay dead; says 'the evidence stands'
object <<'END'
static atomic_int x;
static void write(int v) { x = v; }
static int read(void) { int v = x; assert(v < 2); return v; }
ASIF_OBJECT(register(0))
ASIF_OP(write)
ASIF_OP(read)
END
verify 1 o.c --evidence asserted; says 'an assertion fails: v < 2'; says 'verdict: violated: assertion'
run 0 "$asif" replay asserted; says 'an assertion fails'
object <<'END'
static int *p;
static int x;
static void init(void) { x = *p; }
static int read(void) { return x; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_INIT(init)
END
verify 1 o.c --evidence initial; says 'Undefined behaviour: o.c:8:30: a null pointer is used'
run 0 "$asif" replay initial; says 'before the threads start'
object <<'END'
static int x;
static int down(int n) { return n ? down(n - 1) : x; }
static int read(void) { return down(20); }
ASIF_OBJECT(register(0))
ASIF_OP(read)
END
verify 3 o.c; says 'verdict: unknown: o.c:7:'; says '--recursion'

# What was assumed is said.
verify 0 objects/treiber_stack.c -n 4; says 'note: calls that would bring more than 3 elements inside were not made'
sed 's/atomic_compare_exchange_strong/atomic_compare_exchange_weak/; s/atomic_load(&top)/atomic_load_explicit(\&top, memory_order_relaxed)/' \
  objects/treiber_stack.c >weak.c
verify 0 weak.c; says 'note: atomic_compare_exchange_weak fails only when'; says 'note: memory is taken as sequentially consistent, though'
verify 0 weak.c --weak; case $out in *_weak*) fail "$out" ;; esac

# Evidence.
run 1 "$asif" verify objects/bugs/b1_head.c -n 3 -j 1 --evidence e --quiet --races no
run 0 "$asif" replay e; says 'have no legal order'; says 'verdict: the evidence stands'; silent
# refused STATUS WHY SED
refused() {
  sed -E "$3" e >changed
  cmp -s e changed && fail "nothing is changed by $3"
  run "$1" "$asif" replay changed
  if [ "$1" = 1 ]; then says "$2"; says 'verdict: the evidence does not stand'; else warns "$2"; fi
}
first=$(($(grep -n '^moves' e | cut -d: -f1) + 1))
refused 1 'cannot be made' "${first}s/ 0\/3/ 7\/9/"     # a call that there is not
refused 1 'another history' "${first}s/ 0\/3/ 1\/3/;${first}s/ 1\/3/ 0\/3/;${first}s/ 1 0/ 1 1/;${first}s/ 1 2\/3/ 1 0\/3/"
refused 1 'another history' "s/^moves .*/moves 1/;$((first + 1)),/^history/{/^history/!d}"
refused 1 'another history' '$s/1/2/'
refused 1 'cannot be made' 's/^threads 3/threads 4/;s/^operations 1/operations 1/;/^moves/,/^history/s/^2 /3 /;s/^3 ([0-9]+) 1 .*/3 \1 1 9\/9/'
refused 2 'thread, length' "${first}s/^./3/"
refused 2 'thread, length' "${first}s/\$/ x/"
refused 2 'a line for each move' "${first}q"
refused 2 'expected threads' 's/^threads.*/threads 99/'
refused 2 'expected reduce' 's/^reduce.*/reduce nonsense/'
refused 2 'No such file' 's/^source .*/source missing.c/'
sed 's/^hash.*/&\nargument -fplugin=x.so/' e >changed # not an argument for our own preprocessor, and no compiler is run with it
run 3 "$asif" replay changed; says 'verdict: unknown: a compiler has to preprocess the source (--run)'
run 3 "$asif" replay --run changed; says 'arguments: -fplugin=x.so'; says 'verdict: unknown: an argument for the compiler is not trusted'
refused 2 'a command that is known' 's/^command.*/command nonsense/'
refused 1 'does not stand' 's/^source .*/source objects\/two_lock_queue.c/'
run 1 "$asif" verify objects/treiber_stack_free.c -o 2 --evidence e --quiet
run 0 "$asif" replay e; says 'freed memory is used'
refused 1 'the fault is another one' 's/freed in step [0-9]*/freed in step 77/'
first=$(($(grep -n '^moves' e | cut -d: -f1) + 1))
refused 1 'another history' "s/^moves .*/moves 1/;$((first + 1)),/^history/{/^history/!d}"
refused 1 'there is no fault' "s/^moves .*/moves 1/;$((first + 1)),/^history/{/^history/!d};/^history/{n;q}"
cp objects/treiber_stack_free.c kept.c
echo '/* changed */' >>objects/treiber_stack_free.c
run 0 "$asif" replay e; says 'has changed since'; says 'the evidence stands'
cp objects/treiber_stack.c objects/treiber_stack_free.c
run 1 "$asif" replay e; says 'has changed since'
cp kept.c objects/treiber_stack_free.c
run 0 "$asif" verify objects/treiber_stack.c -n 3 --evidence e --quiet -- -DSIZE=2
run 3 "$asif" replay e; says 'asif verify objects/treiber_stack.c --threads 3 --ops 1 --bound 2 -- -DSIZE=2'; says 'verdict: unknown'
object <<'END' # a violation whose history is of two keys
static atomic_bool in[3];
static _Bool add(int v) {
  _Bool was = atomic_exchange(&in[v], 1);
  if (v == 2) atomic_store(&in[1], 0);
  return !was;
}
static _Bool contains(int v) { return atomic_load(&in[v]); }
ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
END
verify 1 o.c -o 2 --evidence e --quiet
grep -q 'add(2)' e && grep -q 'add(1)' e || fail "the history is of one key: $(cat e)"
run 0 "$asif" replay e; says 'have no legal order'; says 'the evidence stands'
replayed=0
for file in objects/bugs/*.c objects/harness/bugs/*.c; do # every counterexample can be made again
  for how in '-n 3' '-o 3'; do
    grep -q '^ASIF_SPEC' "$file" && how="$how --spec $file"
    "$asif" verify "$file" $how --evidence e --quiet --states-limit 200k >out 2>err
    [ $? = 1 ] || continue
    run 0 "$asif" replay --run e; says 'the evidence stands'
    replayed=$((replayed + 1))
  done
done
[ $replayed -gt 20 ] || fail "only $replayed violations were replayed"
for how in none sym1 sym por both tau; do
  run 1 "$asif" verify objects/bugs/b3_pop.c -n 3 --reduce $how --evidence e --quiet
  run 0 "$asif" replay e; says 'the evidence stands'
done
run 1 "$asif" verify objects/bugs/b3_pop.c -n 3 --steps statement --evidence e --quiet
run 0 "$asif" replay e; says 'the evidence stands'
run 1 "$asif" verify objects/bugs/b1_tail.c --against against/locked_queue.c -o 2 --evidence e --quiet
run 0 "$asif" replay e; says 'has no such history'; says 'the evidence stands'
refused 1 'has this history' 's/against.locked_queue.c/objects\/bugs\/b1_tail.c/'

# What cannot be read.
object <<'END'
static long double x;
static int read(void) { return (int)x; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
END
verify 2 o.c; warns 'o.c:7:'; warns 'outside the C that verify reads'
verify 2 objects/counter.c --spec queue; warns 'push takes 0 arguments, but push of queue takes 1'
verify 2 objects/snzi.c --spec queue; warns 'is no operation of queue, which has enq, deq'
verify 2 objects/treiber_stack.c --spec nonsense; warns nonsense
verify 2 objects/treiber_stack.c --points; warns 'no linearization point is marked'
verify 2 objects/mailbox.c -n 1; warns thread
echo 'static int x; int f(void) { return x; }' >o.c
verify 2 o.c; warns 'no specification'
verify 2 o.c --spec queue; warns 'no operations'; warns 'enq, deq'
object <<'END'
static int x;
ASIF_OBJECT(register(0))
ASIF_OP(missing)
END
verify 2 o.c; warns 'missing'
echo 'int f(void) {' >o.c
verify 2 o.c --spec queue; warns 'o.c:'
verify 2 nowhere.c; warns 'nowhere.c'
verify 2 .; warns .
: >empty.c
verify 2 empty.c --spec queue; warns 'no operations'
run 2 env CC=/nonexistent "$asif" verify objects/treiber_stack.c; warns '/nonexistent'
verify 2; warns 'FILE.c'
verify 2 objects/treiber_stack.c objects/counter.c; warns 'a second ASIF_OBJECT'
verify 2 objects/treiber_stack.c -n 0; warns 'a whole number from 1'
verify 2 objects/treiber_stack.c --reduce fast; warns best

object <<'END'
static long x;
static long f(long a) { x = a; return x; }
ASIF_OP(f, ASIF_IN(9223372036854775806, 9223372036854775807))
END
verify 2 o.c --spec self; warns 'beyond what verify models'
object <<'END'
static int f(int a) { return a; }
static int g(int a) { return a + 1; }
ASIF_OP_AS(x, f)
ASIF_OP_AS(x, g)
END
verify 2 o.c --spec self; warns 'a second operation called x'
object <<'END'
static int x;
static int f(void) { ASIF_ATOMIC { while (!x) ; } return 1; }
static int g(void) { x = 1; return 0; }
ASIF_OP(f)
ASIF_OP(g)
END
verify 1 o.c --spec self; says '... and so on'; says 'a loop without end'

# A linearization point that is missing, and one whose result is wrong.
object <<'END'
static atomic_int c;
static void inc(void) {
  int old = atomic_fetch_add(&c, 1);
  if (old < 1) ASIF_LIN();
}
static int read(void) {
  int r = c;
  ASIF_LIN();
  return r;
}
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
END
verify 1 o.c --points; says 'an operation returns without a linearization point'
sed 's/if (old < 1) //; s/return r;/return r + (r == 2);/' o.c >p.c
verify 1 p.c --points -o 2; says "an operation's result is not the one"

# The operation, not the function that specifies it, is what the picture names.
object <<'END'
static atomic_int c;
static int inc(void) { return c++; }
struct number { int n; };
static int spec_inc(struct number *s) { return s->n; }
ASIF_OP(inc)
ASIF_SPEC(odd, struct number)
ASIF_SPEC_OP(spec_inc, "inc")
END
verify 1 o.c -o 2 --spec o.c; says '|--Inc() -> '
case $out in *pec_inc*) fail "the picture names a function: $out" ;; esac

# The same counterexample, however many search; counts that depend on that are said to.
verify 1 objects/herlihy_wing_queue.c -o forever -j 1; sed 's/, [0-9.]* s, .*//' out >alone
for jobs in 2 3; do
  verify 1 objects/herlihy_wing_queue.c -o forever -j $jobs; sed 's/, [0-9.]* s, .*//' out >together
  cmp -s alone together || fail "-j $jobs shows another execution: $(diff alone together)"
done
grep -q ' [3-9][0-9][0-9][0-9][0-9] states' alone || fail "not a search for several workers: $(tail -1 alone)"
verify 0 objects/ms_queue.c -n 3 -o 2 -j 2; says ', about '; verify 0 objects/ms_queue.c -n 3 -o 2 -j 2 --json; says '"exact":false'
verify 0 objects/ms_queue.c -n 2 -j 2; says 'queue, 2'; verify 0 objects/ms_queue.c -n 2 -j 2 --json; says '"exact":true'

# Limits, and output that cannot be delivered.
run 3 "$asif" verify objects/ms_queue.c -n 3 -o 4 --time-limit 0.000001
says 'verdict: unknown: the object could not be read within the limits'; silent
run 3 "$asif" verify objects/ms_queue.c -n 3 -o 4 -j 1 --states-limit 5k
says 'verdict: unknown: the limit of states was reached at depth'; says 'objects/ms_queue.c: queue; 3 threads'; says ', 500'; silent
run 3 "$asif" verify objects/ms_queue.c -n 3 -o 4 -j 2 --states-limit 5k --search depth; says 'the limit of states was reached'
run 2 "$asif" verify objects/ms_queue.c --states-limit 0; warns 'a whole number from 1'
verify 0 objects/treiber_stack.c -n 2 --states-limit 1M; silent
run 3 "$asif" verify objects/ms_queue.c -n 3 -o 4 --memory-limit 8M; says 'verdict: unknown: the memory limit was reached'
run 3 "$asif" verify objects/ms_queue.c --memory-limit 10K; says 'verdict: unknown: '
run 3 "$asif" verify objects/ms_queue.c -n 3 -o 4 --states-limit 1k --json; json_good out; says '"verdict":"unknown"'
"$asif" verify objects/bugs/b1_head.c -n 3 2>err | :
[ "${PIPESTATUS[0]}" = 2 ] || [ "${PIPESTATUS[0]}" = 1 ] || fail 'a closed pipe'
[ ! -s err ] || fail "a closed pipe is worth no message: $(cat err)"
[ ! -e /dev/full ] || { run 2 sh -c "'$asif' verify objects/treiber_stack.c >/dev/full"; warns 'No space left'; }
exit 0
