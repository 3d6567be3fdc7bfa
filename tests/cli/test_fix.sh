#!/bin/bash
# test --memory: the line `fix:`, the smallest set of memory orders and fences that repairs a violation, and what other models say.
. tests/cli/common
export ASIF_INCLUDE=$root/include

cat >passing.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void writes(void) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, FLAG);
}
static void reads(void) {
  if (!atomic_load_explicit(&flag, READ)) return;
  assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
}
ASIF_OP(writes)
ASIF_OP(reads)
C
passing() { # FLAG READ
  run 1 "$asif" test passing.c --spec self --client 'writes() | reads()' --memory c11 -- -DFLAG=memory_order_$1 -DREAD=memory_order_$2
}
passing relaxed relaxed
says 'fix: passing.c:7: the store with release instead of relaxed; and passing.c:10: the load with acquire instead of relaxed: then every execution of this client is linearizable (2 executions)'
says 'this client under other models: sc: right; tso: right'
passing release relaxed
says 'fix: passing.c:10: the load with acquire instead of relaxed: then'
passing relaxed acquire
says 'fix: passing.c:7: the store with release instead of relaxed: then'

# Where nobody says how memory is: a race is told without weak memory, and repaired with it.
cat >handed.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static int cell;
static atomic_int up;
static void writes(void) {
  cell = 1;
  atomic_store_explicit(&up, 1, memory_order_relaxed);
}
static int reads(void) { return atomic_load_explicit(&up, memory_order_acquire) ? cell : 0; }
ASIF_OP(writes)
ASIF_OP(reads)
C
run 1 "$asif" test handed.c --spec self --client 'writes() | reads()'
says 'fix, under C11 memory: handed.c:7: the store with release instead of relaxed: then every execution of this client is linearizable (2 executions)'
says 'this client under other models: tso: the same, data race'
run 1 "$asif" test handed.c --spec self --client 'writes() | reads()' --memory sc
case $out in *fix*) fail "with --memory sc: $out" ;; esac

# The evidence of such a violation is of the code as it is.
run 1 "$asif" test passing.c --spec self --client 'writes() | reads()' --memory c11 --evidence wrong -- -DFLAG=memory_order_relaxed -DREAD=memory_order_relaxed
run 0 "$asif" replay --run --trust-arguments wrong

# Two threads that each store, then load. The code of both is the same line, inlined; or two lines.
cat >inlined.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag[2];
static int alone[2];
static inline __attribute__((always_inline)) void side(int me) {
  atomic_store_explicit(&flag[me], 1, STORE);
  FENCE(0);
  alone[me] = !atomic_load_explicit(&flag[1 - me], memory_order_acquire);
}
static void *left(void *u) { return side(0), u; }
static void *right(void *u) { return side(1), u; }
ASIF_TEST(both) {
  pthread_t t;
  pthread_create(&t, NULL, left, NULL);
  right(NULL);
  pthread_join(t, NULL);
  assert(!alone[0] || !alone[1]);
}
C
inlined() { # MODEL STORE [FENCE]
  run 1 "$asif" test inlined.c --memory $1 -- -DSTORE=memory_order_$2 "-DFENCE(x)=${3-(void)(x)}"
}
inlined c11 release
says 'fix: inlined.c:8: a seq_cst fence after the store: then every execution of this test is right (3 executions)'
says 'other models: sc: right; tso: the same, assertion failure'
inlined tso release
says 'fix: inlined.c:8: the store with seq_cst instead of release: then'
says 'other models: sc: right; c11: the same, assertion failure'
inlined c11 seq_cst # of which the load is not
says 'fix: inlined.c:10: the load with seq_cst instead of acquire: then'
inlined c11 release 'atomic_thread_fence(memory_order_acq_rel)'
says 'fix: inlined.c:9: the fence with seq_cst instead of acq_rel: then'

sed 's/^static inline .*/#define side(me) /; /^  atomic_store/,/^}/d' inlined.c >two.c
for side in left right; do
  me=$([ $side = left ] && echo 0 || echo 1)
  sed -i "s/^static void \*$side.*/static void *$side(void *u) {\n  atomic_store_explicit(\&flag[$me], 1, memory_order_relaxed);\n  alone[$me] = !atomic_load_explicit(\&flag[1 - $me], memory_order_relaxed);\n  return u;\n}/" two.c
done
run 1 "$asif" test two.c --memory c11
says 'fix: two.c:9: a seq_cst fence after the store; and two.c:14: a seq_cst fence after the store: then'
run 1 "$asif" test two.c --memory tso
says 'fix: two.c:9: the store with seq_cst instead of relaxed; and two.c:14: the store with seq_cst instead of relaxed: then'
run 1 "$asif" test two.c --memory c11 --json
says '"fix":{"outcome":"found","changes":[{"file":"two.c","line":9,"column":'
says ',"access":"store","change":"a seq_cst fence after the store"},{"file":"two.c","line":14,"column":'
says '"other_models":{"sc":"holds","tso":"assertion failure"}'
run 1 "$asif" test two.c --memory c11 --html page
grep -q 'fix: two.c:9: a seq_cst fence after the store' page || fail 'the page lacks the fix'
for how in '--fix no' --quiet '--memory sc'; do
  run "$([ "$how" = '--memory sc' ] && echo 0 || echo 1)" "$asif" test two.c --memory c11 $how
  case $out in *fix:*) fail "with $how: $out" ;; esac
done
run 2 "$asif" test two.c --memory c11 --fix soon
warns '--fix soon'

# Two accesses of a kind in one line are two sites, where the debug information has columns.
if has_libdw; then
  sed 's/^  if (!atomic_load.*/  int up = atomic_load_explicit(\&flag, READ), is = atomic_load_explicit(\&data, memory_order_relaxed);/; s/^  assert.*/  assert(!up || is == 1);/' passing.c >line.c
  run 1 "$asif" test line.c --spec self --client 'writes() | reads()' --memory c11 -- -DFLAG=memory_order_release -DREAD=memory_order_relaxed
  says 'fix: line.c:10: the first load with acquire instead of relaxed: then'
fi

# What orders cannot repair.
cat >counter.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
static int inc(void) {
  int v = atomic_load_explicit(&n, memory_order_relaxed);
  atomic_store_explicit(&n, v + 1, memory_order_relaxed);
  return v;
}
ASIF_OP(inc)
C
run 1 "$asif" test counter.c --spec self --threads 2 --memory c11
says 'fix: none: the same happens under sequential consistency: not a matter of memory orders'
says 'other models: sc: the same, not linearizable; tso: the same'
cat >race.c <<'C'
#include <asif.h>
int n;
static void set(void) { n = 1; }
ASIF_OP(set)
C
run 1 "$asif" test race.c --spec self --threads 2 --memory c11
says 'fix: none: the same happens under sequential consistency'

# A sequence lock, of which the data are relaxed: weak fences do.
cat >seqlock.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int version, low, high;
static void writes(void) {
  atomic_store_explicit(&version, 1, memory_order_relaxed);
  atomic_store_explicit(&low, 1, memory_order_relaxed);
  atomic_store_explicit(&high, 1, memory_order_relaxed);
  atomic_store_explicit(&version, 2, memory_order_release);
}
static void reads(void) {
  int before = atomic_load_explicit(&version, memory_order_acquire);
  int one = atomic_load_explicit(&low, memory_order_relaxed);
  int other = atomic_load_explicit(&high, memory_order_relaxed);
  int after = atomic_load_explicit(&version, memory_order_relaxed);
  assert(before % 2 || before != after || one == other);
}
ASIF_OP(writes)
ASIF_OP(reads)
C
run 1 "$asif" test seqlock.c --spec self --client 'writes() | reads()' --memory c11
says 'fix: seqlock.c:6: a release fence after the store; and seqlock.c:15: an acquire fence before the load: then every execution of this client is linearizable ('
says 'other models: sc: right; tso: right'

# Where three do not suffice, a set of which nothing can be left out.
cat >chain.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag[3];
static void first(void) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag[0], 1, memory_order_relaxed);
}
static void second(void) {
  if (!atomic_load_explicit(&flag[0], memory_order_relaxed)) return;
  atomic_store_explicit(&flag[1], 1, memory_order_relaxed);
}
static void third(void) {
  if (!atomic_load_explicit(&flag[1], memory_order_relaxed)) return;
  atomic_store_explicit(&flag[2], 1, memory_order_relaxed);
}
static void last(void) {
  if (!atomic_load_explicit(&flag[2], memory_order_relaxed)) return;
  assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
}
ASIF_OP(first)
ASIF_OP(second)
ASIF_OP(third)
ASIF_OP(last)
C
run 1 "$asif" test chain.c --spec self --client 'first() | second() | third() | last()' --memory c11
says 'fix: chain.c:7: a release fence before the store; chain.c:11: an acq_rel fence before the store; chain.c:15: an acq_rel fence before the store; and chain.c:19: an acquire fence before the load: then every execution of this client is linearizable ('
says '); none of these can be left out'

# A value that is not published.
cat >bag.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int cells[4], back;
static void put(int v) {
  int i = atomic_fetch_add_explicit(&back, 1, memory_order_relaxed);
  atomic_store_explicit(&cells[i], v, memory_order_relaxed);
}
static int take(void) {
  for (int i = 0; i < atomic_load_explicit(&back, memory_order_relaxed); i++) {
    int v = atomic_exchange_explicit(&cells[i], 0, memory_order_relaxed);
    if (v) return v;
  }
  return ASIF_EMPTY;
}
ASIF_OBJECT(weak-bag)
ASIF_OP_AS(add, put, ASIF_IN(1, 2))
ASIF_OP_AS(remove, take)
C
run 1 "$asif" test bag.c -n 2 -o 1 --memory c11
says 'fix: bag.c:5: the update with release instead of relaxed; and bag.c:9: the load with acquire instead of relaxed: then every execution of this client is linearizable ('
says 'other models: sc: right; tso: right'

# An order that is computed is left as it is, and so are accesses that are the last thing a function does under -O2.
cat >computed.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag;
static __attribute__((noinline)) void set(atomic_int *at, int order) {
  __atomic_store_n((int *)at, 1, order);
  __asm__ volatile("");
}
static void writes(void) {
  set(&data, __ATOMIC_RELAXED);
  set(&flag, __ATOMIC_RELAXED);
  set(&data, __ATOMIC_RELEASE);
}
static void reads(void) {
  if (!atomic_load_explicit(&flag, memory_order_acquire)) return;
  assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
}
ASIF_OP(writes)
ASIF_OP(reads)
C
run 1 "$asif" test computed.c --spec self --client 'writes() | reads()' --memory c11
says 'fix: computed.c:6: a release fence after the store: then'

# With the fix for one client another one is still wrong: then both are repaired.
cat >more.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag, other;
static void writes(void) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_release);
  atomic_store_explicit(&other, 1, memory_order_relaxed);
}
static void reads(void) {
  if (!atomic_load_explicit(&flag, memory_order_relaxed)) return;
  assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
}
static void waits(void) {
  if (!atomic_load_explicit(&other, memory_order_acquire)) return;
  assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
}
ASIF_OP(writes)
ASIF_OP(reads)
ASIF_OP(waits)
C
run 1 "$asif" test more.c --spec self --threads 2 --ops 1 --memory c11
says 'more.c:8: the store with release instead of relaxed; and more.c:11: the load with acquire instead of relaxed: then every execution of this client is linearizable'
says 'of all 9 clients ('

# C++: the accesses are in headers of the language, and told where they are used.
if command -v c++ >/dev/null; then
  cat >publish.cpp <<'C'
#include <asif.h>
#include <atomic>
#include <cassert>
static std::atomic<int *> pointer;
static int cell;
extern "C" int writes() {
  cell = 1;
  pointer.store(&cell, std::memory_order_relaxed);
  return 0;
}
extern "C" int reads() {
  int *p = pointer.load(std::memory_order_relaxed);
  FENCE;
  if (p) assert(*p == 1);
  return 0;
}
ASIF_OP(writes)
ASIF_OP(reads)
C
  publish() { # OPTIMISATION [FENCE]
    run 1 "$asif" test publish.cpp --spec self --client 'writes() | reads()' --memory c11 -- $1 "-DFENCE=${2-}"
  }
  publish -O1
  says 'fix: publish.cpp:8: the store with release instead of relaxed; and publish.cpp:12: the load with acquire instead of relaxed: then'
  says 'other models: sc: the same, data race; tso: the same, data race'
  publish -O2
  says 'fix: publish.cpp:8: the store with release'
  publish -O1 'std::atomic_thread_fence(std::memory_order_acquire)'
  says 'fix: publish.cpp:8: the store with release instead of relaxed: then'
  cat >fences.cpp <<'C'
#include <asif.h>
#include <atomic>
#include <cassert>
#include <thread>
template <class T> struct door {
  std::atomic<T> up[2];
  void order() { std::atomic_thread_fence(std::memory_order_acq_rel); }
  bool alone(int me) {
    up[me].store(1, std::memory_order_relaxed);
    order();
    return !up[1 - me].load(std::memory_order_relaxed);
  }
};
static door<int> one;
static door<short> other;
template <class D> static void both(D &d) {
  bool first = false;
  std::thread t([&] { first = d.alone(0); });
  bool second = d.alone(1);
  t.join();
  assert(!first || !second);
}
ASIF_TEST(doors) { both(one), both(other); }
C
  run 1 "$asif" test fences.cpp --memory c11
  says 'fix: fences.cpp:7: the fence with seq_cst instead of acq_rel: then every execution of this test is right ('
  publish -O0 # one function for all loads: it cannot be told which
  says 'fix: no fix of up to 3 sites found; not tried were accesses that the compiled code does not tell apart'
fi
exit 0
