#!/bin/bash
# asif test: what it says of code that is right and wrong, of files it cannot use, and at its limits; what it leaves behind.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp && cp -r "$root/objects" . || exit 1
json_good() { ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null 2>json_error || fail "$1 is no JSON: $(cat json_error)"; }
try() { # STATUS ARGUMENT...
  status=$1
  shift
  run "$status" "$asif" test "$@"
  [ -z "$(ls tmp)" ] || fail "asif test $* leaves $(ls tmp)"
}
small='-n 2 -o 2 --time-limit 300'

# Code that is right.
try 0 objects/treiber_stack.c $small; silent
says 'objects/treiber_stack.c: stack; every schedule of 80 clients, up to 2 threads, 2 operations each, at most 3 elements: push(1..2), pop()'
says 'verdict: linearizable (every schedule of 80 clients, up to 2 threads, 2 operations each, at most 3 elements; stack, '
try 0 objects/treiber_stack.c $small --quiet; [ "$(wc -l <out)" = 1 ] || fail "--quiet prints more: $out"
try 0 objects/treiber_stack.c $small --json; json_good out; says '"verdict":"holds","reason":null,"violation":null,"object":"objects/treiber_stack.c"'
for field in schema command spec method threads operations schedules histories clients complete notes replay; do says "\"$field\":"; done
try 0 objects/counter.c $small # its own specification is in the file
try 0 objects/register.c -n 2 -o 1 --time-limit 300; says 'register(3)'
try 0 objects/mailbox.c $small # roles, asif_require
try 0 objects/herlihy_wing_queue.c -n 2 -o 1 --time-limit 300; says 'operations wait for ever, as they do with nothing concurrent: no violation'

# Code that is not: the sentence, the client, the history, the steps.
try 1 objects/bugs/b3_pop.c $small; silent
says 'Not linearizable: 1 was popped twice, but pushed only once'; says 'push(1) pop() | pop()'; says 'B                 |--pop() -> 1'
says 'pop returns 1'; says 'verdict: not linearizable ('
try 1 objects/bugs/b3_pop.c $small --json; json_good out; says '"violation":"not linearizable"'; says '"client":"push(1) pop() | pop()"'
try 1 objects/bugs/b1_tail.c $small; says 'verdict: violated: data race ('
try 1 objects/bugs/b3_push.c $small --html page.html --svg picture.svg --junit report.xml --quiet
grep -q 'failures="1"' report.xml && grep -q '</svg>' picture.svg && grep -q '</html>' page.html || fail 'something was not written'
try 1 objects/bugs/b3_push.c $small --html /nowhere/x; warns /nowhere/x

# Many delays of many threads; schedules that are like others count.
cat >add.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int x;
static int add(void) { return atomic_fetch_add(&x, 1); }
ASIF_OBJECT(self)
ASIF_OP(add)
END
nine='add() | add() | add() | add() | add() | add() | add() | add() | add()'
for skip in yes no; do try 0 add.c --spec self --client "$nine" --bound 8 -j 1 --skip $skip; says ', 8095 schedules'; done
# A variable on a stack that another thread writes to is looked at as any other is. Without races what its owner does with it is not
# seen, which is said; and nothing is skipped.
cat >stack.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stddef.h>
static int *_Atomic p;
static atomic_int x, y;
static int look(void) {
  int local = 0;
  atomic_store(&p, &local);
  atomic_load(&x);
  int v = local;
  atomic_load(&y);
  atomic_store(&p, NULL);
  return v;
}
static int poke(void) {
  int *q = atomic_load(&p);
  if (q) *q = 1;
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(look)
ASIF_OP(poke)
END
for skip in yes no; do
  try 1 stack.c --spec self --client 'look() | poke()' --bound 2 -j 1 --races no --skip $skip; says 'not linearizable'
  try 1 stack.c --spec self --client 'look() | poke()' --bound 2 -j 1 --skip $skip; says 'data race'
done
try 1 stack.c --spec self --client 'look() | poke()' --dpor; says 'data race'; says ' of thread A'; says 'replay: --replay 1:rs:'
# The operations one at a time do not race, even where calls of several threads are not ordered.
cat >own.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int gate, n;
static _Thread_local int mine;
static int pass(void) {
  mine++;
  atomic_fetch_add(&gate, 1);
  return atomic_fetch_add(&n, 1);
}
static int look(void) {
  int seen = *(int *)&gate;
  return atomic_fetch_add(&n, 1 + 0 * seen);
}
ASIF_OBJECT(self)
ASIF_OP(pass)
ASIF_OP(look)
END
try 1 own.c --client 'pass() | pass() look()' -- -O0; says 'verdict: violated: data race'
sed 's/\*q = 1/atomic_fetch_add(\&y, *q)/' stack.c >quiet.c
try 0 quiet.c --spec self --client 'look() | poke()' --races no; says "on each other's stacks"; says 'no violation found'

# A loop whose rounds matter: when it is seen to wait depends on all that is written, and nothing is skipped that this would change.
cat >rounds.c <<'END'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_long flag, other;
static int await(void) {
  int odd = 0, before = 0, after = 0;
  for (;;) {
    long o = atomic_load(&other);
    if (atomic_load(&flag)) break;
    if (o) after = 1;
    else if (before < 6) before++;
    odd ^= 1;
  }
  assert(!(after && before == 3 && odd));
  return 0;
}
static int set(void) {
  atomic_store(&other, 1);
  atomic_store(&flag, 1);
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(await)
ASIF_OP(set)
END
for skip in yes no; do try 1 rounds.c --client 'await() | set()' --bound 2 -j 1 --skip $skip; says 'assertion failure'; done
# A sleep begins at some time: who reads the clock before it matters.
cat >clock.c <<'END'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static atomic_int x;
static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}
static int rest(void) {
  long before = now();
  atomic_load(&x);
  usleep(1);
  assert(now() - before != 3000); /* it was, if another looked at the clock after this one did, and before it slept */
  return 0;
}
static int look(void) { return now() < 0; }
ASIF_OBJECT(self)
ASIF_OP(rest)
ASIF_OP(look)
END
for way in --dpor --all '--bound 1 --skip yes' '--bound 1 --skip no' '--all --cache no'; do try 1 clock.c --client 'rest() | look()' $way; says 'assertion failure'; done
says 'load the clock -> 2000'; says 'update the clock: 2000 -> 4000'

# Ways to explore agree.
for way in --dpor '--bound 4' '--bound 2 --bound-by preemption' '--bound 4 --cache no' --all '--random pct:3 --runs 2000' '--random uniform --runs 2000 --seed 7'; do
  try 1 objects/bugs/b3_pop.c $small $way; says 'verdict: not linearizable'
  try 0 objects/treiber_stack.c $small $way
done
says 'verdict: no violation found (uniformly random schedules of 80 clients'
try 0 objects/treiber_stack.c $small --bound 2; says 'verdict: no violation found (schedules of up to 2 delays of 80 clients'
try 0 objects/treiber_stack.c $small --races no; says 'verdict: linearizable'
# What the initialisation writes at once nobody sees in between; what an operation does, others may.
cat >"$scratch/fills.c" <<'END'
#include <asif.h>
#include <string.h>
static char filled[64];
static int n;
static void start(void) { memset(filled, 0, sizeof filled); }
static int fetch_add(void) {
#ifdef FILLS
  memset(filled, 1, sizeof filled);
#endif
  return __atomic_fetch_add(&n, 1 + filled[0] / 2, __ATOMIC_SEQ_CST);
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_INIT(start)
END
try 0 "$scratch/fills.c" --threads 2 --ops 1 --races no; says 'verdict: linearizable'
try 0 "$scratch/fills.c" --threads 2 --ops 1 --races no -- -DFILLS; says 'more than 8 bytes'; says 'verdict: no violation found'

# One client.
try 1 objects/bugs/b3_pop.c --client 'push(1) push(2) | pop() | pop()'; says 'verdict: not linearizable'
try 0 objects/bugs/b3_pop.c --client 'push(1) pop()'; says 'verdict: linearizable (every schedule of push(1) pop(); stack, 1 schedule'
for bad in 'foo()' 'push()' 'push(1' 'push(x)' 'push(1) |' '' 'push(99999999999)' 'push 1'; do
  try 2 objects/treiber_stack.c --client "$bad"; warns "as 'push(1) pop() | pop()'"
done

# Without a harness; against itself.
sed '/^ASIF_/d' objects/treiber_stack.c >plain.c
try 0 plain.c --spec stack $small; says 'plain.c: stack; every schedule of 90 clients'
try 2 plain.c; warns 'plain.c: no specification: --spec NAME, or ASIF_OBJECT(NAME) in the file'
try 2 plain.c --spec lock; warns 'plain.c: no operations: mark them with ASIF_OP(f), or name functions after the specification'
try 2 plain.c --spec nonsense; warns "no specification is called 'nonsense'"
try 0 objects/treiber_stack.c --spec self $small; says '; self, '
try 1 objects/bugs/b3_pop.c --spec self $small; says 'verdict: not linearizable'
cat >weaker.c <<'END'
#include <asif.h>
struct state { int inside; };
static void push(struct state *s, int v) { (void)v; s->inside++; }
static int pop(struct state *s) { if (!s->inside) return ASIF_EMPTY; s->inside--; return 1 + asif_choose(2); }
ASIF_SPEC(weaker, struct state)
ASIF_SPEC_OP(push)
ASIF_SPEC_OP(pop)
END
try 0 objects/treiber_stack.c --spec weaker.c $small; says '; weaker, '
sed 's/s->inside++/*(volatile int *)8 = 1/' weaker.c >crashes.c
try 2 objects/treiber_stack.c --spec crashes.c $small; warns 'push crashed (segmentation fault) in state'

# Code that cannot be tested.
object() { { printf '#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n'; cat; } >o.c; }
echo 'int f( {' >o.c
try 2 o.c; warns 'o.c:1:8: error:'; warns 'asif: o.c does not compile'
object <<<'static void push(float v) { (void)v; }
ASIF_OBJECT(stack)
ASIF_OP(push)'
try 2 o.c; warns 'push: an operation takes up to three int or long'
object <<<'static int f(int v) { return v; }
int g(void) { return f(1); }
ASIF_OBJECT(stack)'
try 2 o.c; warns 'o.c: no operations: mark them with ASIF_OP(f), or name functions after the specification'
object <<<'static void pop(void) {}
ASIF_OBJECT(stack)
ASIF_OP(pop)'
try 2 o.c; warns 'o.c:7: pop returns nothing, but pop of stack returns a value'
object <<<'static void push(int v, int w) { (void)v, (void)w; }
ASIF_OBJECT(stack)
ASIF_OP(push)'
try 2 o.c; warns 'o.c:7: push takes 2 arguments, but push of stack takes 1'
object <<<'static void insert(int v) { (void)v; }
ASIF_OBJECT(stack)
ASIF_OP(insert, ASIF_IN(3, 1))'
try 2 o.c; warns 'o.c:7: ASIF_IN(3, 1) has no values'
object <<<'static void enqueue(int v) { (void)v; }
ASIF_OBJECT(stakc)
ASIF_OP(enqueue)'
try 2 o.c; warns "o.c:6: no specification is called 'stakc'; did you mean: stack"
object <<<'static void enqueue(int v) { (void)v; }
ASIF_OBJECT(set)
ASIF_OP(enqueue)'
try 2 o.c; warns 'o.c:7: enqueue is no operation of set, which has '
object <<<'enum { SIZE = 2 };
static void enq(int v) { (void)v; }
ASIF_OBJECT(bounded_queue(SIZE))
ASIF_OP(enq)'
try 2 o.c; warns 'the parameter of the specification bounded_queue(SIZE) is no number'
object <<<'static void push(int v) { (void)v; }
ASIF_OBJECT(stack)
ASIF_OBJECT(stack)
ASIF_OP(push)'
try 2 o.c; warns 'o.c:7: a second ASIF_OBJECT; a file is about one object'
object <<<'void missing(int);
static void push(int v) { missing(v); }
ASIF_OBJECT(stack)
ASIF_OP(push)'
try 2 o.c; warns 'o.c: missing is not defined: give the file that has it too'
object <<<'static void push(int v) { (void)v; }
__attribute__((constructor)) static void begin(void) { abort(); }
ASIF_OBJECT(stack)
ASIF_OP(push)'
try 2 o.c; warns 'o.c: the code ended while it was loaded'
object <<<'static void w(int v) { (void)v; }
static int r(void) { return 0; }
ASIF_OBJECT(register)
ASIF_OP_AS(write, w)
ASIF_OP_AS(read, r)
ASIF_ROLE(writer, 1, w)
ASIF_ROLE(reader, 2, r)'
try 2 o.c -n 2; warns 'o.c:10: the roles are for 3 threads, but there are 2: --threads 3'
try 2 nothing.c; warns 'nothing.c: No such file'
echo text >some.txt
try 2 some.txt; warns 'neither a source'
CC=no-such-compiler try 2 objects/treiber_stack.c; warns 'the compiler no-such-compiler cannot be run: No such file or directory; CC names another'
try 2 objects/treiber_stack.c -- -o x; warns '-o cannot be given to the compiler'
try 2 objects/treiber_stack.c -- -DVALUES=; warns 'does not compile'
try 0 objects/treiber_stack.c -n 2 -o 1 -- -O2 -DVALUES=3 -DSIZE=1; says 'at most 1 element: push(1..3), pop()'

# Options that contradict each other or say nothing.
for bad in '--dpor --bound 2' '--random uniform --all' '--bound-by rounds' '--cache no' '--seed 3' '--random pct' '--random pct:0' '--client x -n 2' '-n 0' \
  '-n 63' '--runs 5' '--bound 2 --loops block' '--all --loops explore' '--loops no'; do
  try 2 objects/treiber_stack.c $bad; warns "Try 'asif test --help'."
done
try 2 -- -O2; warns 'no file to test'

# A deadlock; one that waits by design; an assertion.
object <<<'static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void write(int v) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); x = v; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); }
static int read(void) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); int v = x; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return v; }
ASIF_OBJECT(register(0))
ASIF_OP(write)
ASIF_OP(read)'
try 1 o.c $small; says 'verdict: violated: deadlock ('; says 'write(1) | read()'
object <<<'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void acquire(void) { pthread_mutex_lock(&m); }
static void release(void) { pthread_mutex_unlock(&m); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)'
try 0 o.c $small; says 'operations wait for ever, as they do with nothing concurrent'
object <<<'#include <assert.h>
static atomic_int x;
static int inc(void) { int v = ++x; assert(v < 2); return v; }
ASIF_OBJECT(self)
ASIF_OP(inc)'
try 1 o.c $small; says 'verdict: violated: assertion failure ('; says 'inc() inc()'

# What the hooks cannot see.
object <<<'static int x;
static void add(int v) { __asm__ volatile("fildl %1; fistpl %0" : "=m"(v) : "m"(x)); x += v; }
ASIF_OBJECT(counter)
ASIF_OP(add)'
case $(uname -m) in x86_64)
  if command -v objdump >/dev/null; then
    try 3 o.c -n 1 -o 1; says 'note: o.c:6: fildl x(%rip): is assembly that accesses memory without hooks'
    try 3 o.c -n 1 -o 1 --json; json_good out; says '"notes":["o.c:6: fildl'
  fi ;;
esac

# Limits: unknown, and how far it came.
try 3 objects/ms_queue.c -n 3 -o 2 --memory sc --schedules-limit 3000; says 'verdict: unknown: the limit of schedules was reached (every schedule of '
try 3 objects/ms_queue.c --client 'enq(1) | deq() | enq(2) | deq() | enq(1) | deq()' --bound 9 --memory sc --schedules-limit 3000; says 'the limit of schedules was reached (schedules of up to 9 delays, not all, of enq(1)'
"$asif" test objects/ms_queue.c -n 4 -o 3 >out 2>err &
listens $!; kill -TERM $!; wait $!; got=$?; out=$(cat out); [ "$got" = 3 ] || fail "ended with $got after SIGTERM: $out $(cat err)"
says 'verdict: unknown'; [ -z "$(ls tmp)" ] || fail "leaves $(ls tmp)"
echo 'asif test: good and bad input'
