#!/bin/bash
# asif test --stress: what real threads find, what they do not, given calls, crashes and hangs, how fast it is.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
object() { { printf '#include <asif.h>\n#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n'; cat; } >"$1"; }
stress() { # STATUS ARGUMENT...
  status=$1
  shift
  run "$status" "$asif" test --stress "$@"
}

# The wrong Deq of Wing and Gong, section 3.2.2; with -DRIGHT the right one; with -DSTAYS one that removes nothing, which shows whatever the
# threads do. It waits while the queue is empty.
object deq.c <<'END_OF_C'
static atomic_int back, item[100000];
static void enq(int v) {
  int i = atomic_fetch_add(&back, 1);
  assert(i < 100000);
  atomic_store(&item[i], v);
}
static int deq(void) {
  for (;;) {
#ifdef RIGHT
    int range = atomic_load(&back);
    for (int i = 0; i < range; i++) {
#else
    for (int i = 0; i < atomic_load(&back); i++) {
#endif
#ifdef STAYS
      int v = atomic_load(&item[i]);
#else
      int v = atomic_exchange(&item[i], 0);
#endif
      if (v != 0) return v;
    }
    asif_yield();
  }
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 9))
ASIF_OP(deq)
END_OF_C
stress 1 deq.c --repeat 1000 --output wrong.txt --evidence why.txt --html page.html --junit report.xml -- -DRIGHT -DSTAYS; silent
says 'Not linearizable: '; says 'verdict: not linearizable ('; says 'stress: round '; says 'evidence: why.txt'
grep -q '^/\* This is simulation number ' wrong.txt && grep -q '^/\* This history is not linearizable! \*/' wrong.txt || fail "$(cat wrong.txt)"
run 1 "$asif" check wrong.txt --spec queue --quiet
run 0 "$asif" replay why.txt
grep -q 'failures="1"' report.xml && grep -q '</html>' page.html || fail 'something was not written'
"$asif" test --stress deq.c --time-limit 60 --quiet >out 2>err # whether it shows is up to the machine
case $? in
1) grep -q '^verdict: not linearizable (' out || fail "$(cat out err)" ;;
0) echo 'skipped: in 60 s the threads never met as the wrong Deq needs it' ;;
*) fail "$(cat out err)" ;;
esac
stress 0 deq.c --repeat 50 --threads 3 --ops 5 --json -- -DRIGHT
says '"command":"test","verdict":"no violation found"'; says '"rounds":'; says '"perturbed_rounds":'

# Given calls, printed as they print them.
printf 'q Enq(5) A\nq Deq() B\nq Ok() A\nq Ok(5) B\nq Enq(7) A\nq Ok() A\n' >calls.txt
stress 0 deq.c --no-perturb --history calls.txt --repeat 3 --output - -- -DRIGHT
says '/* This is simulation number 3 */'; says 'queue enq(7) P1'; says 'queue Ok(5) P2'; says '/* This history is linearizable! */'
says 'verdict: no violation found (stress: 2 real threads; queue, 3 rounds, 9 operations, '
printf 'q Enq(x) A\n' >calls.txt; stress 2 deq.c --no-perturb --history calls.txt; warns "calls.txt:1: the object's operations take numbers"

# Crashes, assertions, operations that hang; what is not called.
object bad.c <<'END_OF_C'
static atomic_int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void write(int v) {
  int n = atomic_fetch_add(&count, 1);
#ifdef ASSERTS
  assert(n < 3);
#elif defined(HANGS)
  pthread_mutex_lock(&lock);
  if (n < 2) pthread_mutex_unlock(&lock);
#else
  asif_require(v == 1);
  if (n == 3) *(volatile int *)8 = 1;
#endif
}
ASIF_OBJECT(register)
ASIF_OP(write, ASIF_IN(1, 2))
END_OF_C
stress 1 bad.c --no-perturb -n 2 -o 9; says 'Crash: signal 11 (Segmentation fault) ended the process; P'; says ' was in Write(1)'; says 'verdict: violated: crash (stress: '
stress 1 bad.c --no-perturb -n 2 -o 9 -- -DASSERTS; says "n < 3' failed"; says 'verdict: violated: assertion failure ('
stress 1 bad.c --no-perturb -n 2 -o 9 --hang 1 -- -DHANGS; says 'nothing moved for 1 s, and Write('; says 'verdict: violated: deadlock ('

# How fast it is.
stress 0 "$root/objects/treiber_stack.c" --no-perturb --threads 2 --repeat 1 --throughput
says 'calls a second'; says 'that taking the times costs a call'
grep -q '^ *2  pop ' out || fail "$out"

# With a sanitizer, where there is one.
if echo 'int main(void) { return 0; }' | ${CC:-cc} -x c -fsanitize=address - -o sanitized 2>/dev/null && ./sanitized; then
  object freed.c <<'END_OF_C'
static int *cell;
static atomic_int writes;
static void init(void) { cell = malloc(sizeof *cell); }
static void write(int v) { *cell = v; if (atomic_fetch_add(&writes, 1) == 2) free(cell); }
ASIF_INIT(init)
ASIF_OBJECT(register)
ASIF_OP(write)
END_OF_C
  stress 1 freed.c --sanitize address -n 2; says 'AddressSanitizer: heap-use-after-free'; says 'verdict: violated: use after free ('
fi

# Usage.
run 2 "$asif" test deq.c --repeat 3; warns '--repeat needs --stress'
stress 2 deq.c --dpor; warns '--stress and --dpor exclude each other'
stress 2 deq.c --schedules-limit 10; warns '--stress and --schedules-limit exclude each other'
stress 2 deq.c --time 1 --ops 3; warns '--time and --ops exclude each other'
exit 0
