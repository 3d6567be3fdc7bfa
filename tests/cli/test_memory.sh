#!/bin/bash
# asif test --memory: what each model allows, how it is told and replayed, and what it does not go with.
. tests/cli/common

cat >cells.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#ifndef STORE
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif
static atomic_long cell[2];
static void put(long i) { atomic_store_explicit(&cell[i], 1, STORE); }
static long get(long i) { return atomic_load_explicit(&cell[i], LOAD); }
ASIF_OBJECT(self)
ASIF_OP(put, ASIF_IN(0, 1))
ASIF_OP(get, ASIF_IN(0, 1))
C
both='put(0) get(1) | put(1) get(0)'
seq_cst='-DSTORE=memory_order_seq_cst -DLOAD=memory_order_seq_cst'
releases='-DSTORE=memory_order_release -DLOAD=memory_order_acquire'

# Two registers that are relaxed, or acquire and release: both gets may miss both puts, though each alone is linearizable.
run 0 "$asif" test cells.c --spec self --client "$both" --memory sc; says 'memory is sequentially consistent'
for model in tso c11; do
  run 1 "$asif" test cells.c --spec self --client "$both" --memory $model
  says 'no order of the operations explains their results'
  token=${out#*--replay } token=${token%%[[:space:]]*}
  run 1 "$asif" test cells.c --spec self --replay "$token"; says 'no order of the operations explains their results'
  run 1 "$asif" test cells.c --spec self --client "$both" --memory $model -- $releases
  run 0 "$asif" test cells.c --spec self --client "$both" --memory $model -- $seq_cst; says 'every execution under'
  run 0 "$asif" test cells.c --spec self --client 'put(0) get(0) | get(0) get(0)' --memory $model
done
says 'C11 memory'
run 0 "$asif" test cells.c --spec self --client "$both" --memory c11 --json -- $seq_cst; says '"memory":"c11"'
[ "$(grep -o '"memory"' out | wc -l)" = 1 ] || fail "not one memory: $out"

# Message passing: C11 needs release and acquire, x86 does not.
cat >message.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void send(void) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, SEND);
}
static void receive(void) {
  if (atomic_load_explicit(&flag, RECEIVE)) assert(atomic_load_explicit(&data, memory_order_relaxed));
}
ASIF_OBJECT(self)
ASIF_OP(send)
ASIF_OP(receive)
C
relaxed='-DSEND=memory_order_relaxed -DRECEIVE=memory_order_relaxed'
run 0 "$asif" test message.c --spec self --client 'send() | receive()' --memory tso -- $relaxed
run 1 "$asif" test message.c --spec self --client 'send() | receive()' --memory c11 -- $relaxed; says 'assertion failure'
run 0 "$asif" test message.c --spec self --client 'send() | receive()' --memory c11 -- -DSEND=memory_order_release -DRECEIVE=memory_order_acquire

# A thread that waits for a flag reads it in the end: no livelock. One that nobody sets is one.
cat >waits.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int flag;
static void set(void) { atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void wait(void) { while (!atomic_load_explicit(&flag, memory_order_relaxed)) ; }
ASIF_OBJECT(self)
ASIF_OP(set)
ASIF_OP(wait)
C
run 0 "$asif" test waits.c --spec self --client 'set() | wait()' --memory c11
run 0 "$asif" test waits.c --spec self --client 'set() | wait() | wait()' --memory c11

# What is read before a thread is created, or by one that is joined, orders nothing if it is relaxed: the other may be stale.
cat >threads.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void *write_both(void *x) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return x;
}
static void *read_data(void *x) {
  assert(atomic_load_explicit(&data, memory_order_relaxed));
  return x;
}
static void *read_flag(void *x) { return atomic_load_explicit(&flag, memory_order_relaxed) ? &flag : x; }
ASIF_TEST(created) {
  pthread_t a, b;
  pthread_create(&a, NULL, write_both, NULL);
  if (atomic_load_explicit(&flag, memory_order_relaxed)) {
    pthread_create(&b, NULL, read_data, NULL);
    pthread_join(b, NULL);
  }
  pthread_join(a, NULL);
}
ASIF_TEST(joined) {
  pthread_t a, b;
  void *seen;
  pthread_create(&a, NULL, write_both, NULL);
  pthread_create(&b, NULL, read_flag, NULL);
  pthread_join(b, &seen);
  if (seen) read_data(NULL);
  pthread_join(a, NULL);
}
C
for name in created joined; do
  sed -n "1,/^static void \*read_flag/p; /^ASIF_TEST($name)/,/^}/p" threads.c >$name.c
  run 0 "$asif" test $name.c --memory sc
  run 0 "$asif" test $name.c --memory tso
  run 1 "$asif" test $name.c --memory c11; says 'assertion failure'
done

# What no model but sc can do ends as unknown, with the place; what it does not go with is refused.
cat >volatile.c <<'C'
#include <asif.h>
static volatile int v;
static void set(void) { v = 1; }
static int get(void) { return v; }
ASIF_OBJECT(self)
ASIF_OP(set)
ASIF_OP(get)
C
run 3 "$asif" test volatile.c --spec self --client 'set() | get()' --memory c11; says 'a volatile access: not under --memory c11'
run 2 "$asif" test cells.c --memory sea; warns 'sc|tso|c11'
run 2 "$asif" test cells.c --memory c11 --stress; warns 'memory is as the machine has it'
run 2 "$asif" test cells.c --memory c11 --races no; warns 'what a plain access reads is not known'
run 2 "$asif" test cells.c --memory tso --monitor approx:2; warns 'is no part of an execution'
run 2 "$asif" test cells.c --memory tso --reuse held; warns 'an old value that is read may be the address'
run 2 "$asif" test cells.c --memory c11 --replay 1:r:a0:A:0; warns 'the token says'

# Tests with threads of their own, and whole programs.
cat >dekker.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
static void *left(void *p) {
  atomic_store_explicit(&x, 1, STORE);
  a = atomic_load_explicit(&y, memory_order_seq_cst);
  return p;
}
static void *right(void *p) {
  atomic_store_explicit(&y, 1, STORE);
  b = atomic_load_explicit(&x, memory_order_seq_cst);
  return p;
}
static int one_sees(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, left, NULL);
  pthread_create(&t[1], NULL, right, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return a || b;
}
#ifdef MAIN
int main(void) { return !one_sees(); }
#else
ASIF_TEST(dekker) { assert(one_sees()); }
ASIF_TEST(other) { one_sees(); }
#endif
C

# Where nobody says what memory is, it is C11's if an access asks for less than seq_cst, ...
run 1 "$asif" test cells.c --spec self --client "$both"; says 'C11 memory'; says 'stale:'
run 1 "$asif" test cells.c --spec self --client "$both" -- -DSTORE=memory_order_seq_cst -DLOAD=memory_order_acquire; says 'C11 memory'
run 0 "$asif" test cells.c --spec self --client 'put(0) get(0)'; says 'every execution under C11 memory'
run 0 "$asif" test cells.c --spec self --client "$both" --json -- $seq_cst; says '"memory":"sc"'
run 0 "$asif" test cells.c --spec self --client "$both" -- $seq_cst; says 'linearizable (every schedule of put(0) get(1) | put(1) get(0);'; says 'memory is sequentially consistent'
run 1 "$asif" test --main dekker.c -- -- -DMAIN -DSTORE=memory_order_release; says 'stale:'
run 0 "$asif" test --main dekker.c -- -- -DMAIN -DSTORE=memory_order_seq_cst; says 'holds (every schedule of 1 test;'
# ... in whatever run that is seen, not in what is done with nothing concurrent, ...
cat >seldom.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int x, y;
static void start(void) { atomic_store_explicit(&x, 0, memory_order_relaxed); }
static int left(void) {
  atomic_store(&x, 1);
  return ORDERED(y) & 0;
}
static int right(void) {
  atomic_store(&y, 1);
  return ORDERED(x) & 0;
}
static int both(void) { return left() + right(); }
ASIF_INIT(start)
ASIF_OBJECT(self)
ASIF_OP(left)
ASIF_OP(right)
ASIF_OP(both)
C
run 0 "$asif" test seldom.c --spec self -- '-DORDERED(a)=atomic_load(&a)'; says 'memory is sequentially consistent'
run 0 "$asif" test seldom.c --spec self --client 'left() | left()' -- '-DORDERED(a)=(a > 1 ? atomic_load_explicit(&a, memory_order_relaxed) : a)'
says 'memory is sequentially consistent'
# ... what happens where memory is sequentially consistent, too, is told so, ...
cat >lost.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
static int fetch_add(void) {
  int was = atomic_load_explicit(&n, memory_order_relaxed);
  atomic_store_explicit(&n, was + 1, memory_order_relaxed);
  return was;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
run 1 "$asif" test lost.c; says 'Not linearizable: '; says 'memory is sequentially consistent'; says '--replay 1:r:'
run 1 "$asif" test lost.c --memory c11; says 'Not linearizable in any order: '; says '--replay 1:rbc:'
# ... and where C11 memory cannot be, it stays sequentially consistent, and a note says why.
cat >mixed.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static volatile long v;
static _Atomic long n;
static void set(void) { atomic_store_explicit(&n, 1, memory_order_release); OTHER; }
static long get(void) { return atomic_load_explicit(&n, memory_order_acquire); }
ASIF_OBJECT(self)
ASIF_OP(set)
ASIF_OP(get)
EXTRA
C
stays_sc() { # OTHER EXTRA WHY
  run 0 "$asif" test mixed.c -n 2 -- "-DOTHER=$1" "-DEXTRA=$2"
  says 'linearizable (every schedule of'
  says 'memory is sequentially consistent'
  says "all memory orders were taken for seq_cst, and some are weaker: because of $3"
}
stays_sc 'v = 1' '' 'mixed.c:5: a volatile access: not under --memory c11'
stays_sc 'ASIF_ATOMIC { atomic_load_explicit(&n, memory_order_relaxed); }' '' 'mixed.c:5: an atomic access within ASIF_ATOMIC'
stays_sc '__atomic_store_n((char *)&n, 1, __ATOMIC_RELEASE)' '' 'mixed.c:5: atomic accesses of different sizes overlap'
stays_sc '' 'ASIF_TYPE_STABLE()' 'ASIF_TYPE_STABLE'
run 0 "$asif" test mixed.c --client "$(printf 'get() %.0s' {1..26})" -- -DOTHER= -DEXTRA=; says 'because of more than 24 operations: not under --memory c11'
long='for (int i = 0; i < 5000; i++) atomic_store_explicit(&n, 1, memory_order_release)'
run 0 "$asif" test mixed.c --client 'set()' -- "-DOTHER=$long" -DEXTRA=; says 'because of a run with more than 4096 atomic accesses'
says 'linearizable (every schedule of set();'
run 3 "$asif" test mixed.c --schedules-limit 2000 -- '-DOTHER=v = 1' -DEXTRA=; says 'larger clients'; says 'mixed.c:5: a volatile access'
run 0 "$asif" test mixed.c -n 2 --races no -- -DOTHER= -DEXTRA=; says 'because of --races no'
run 0 "$asif" test mixed.c -n 2 --reuse held -- -DOTHER= -DEXTRA=; says 'because of --reuse held'
run 0 "$asif" test mixed.c -n 2 -- -DOTHER= -DEXTRA=; says 'every execution under C11 memory'
run 0 "$asif" test mixed.c -n 2 --memory sc -- -DOTHER= -DEXTRA=; case $out in *weaker*) fail "asked for, and told: $out" ;; esac
run 3 "$asif" test mixed.c -n 2 --memory tso -- -DOTHER= '-DEXTRA=ASIF_TYPE_STABLE()'; warns 'ASIF_TYPE_STABLE: not under --memory tso'

# In C11, and no longer in C++20, a later store of the same thread continues a release sequence.
cat >sequence.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static int data;
static atomic_int y;
static int put(void) {
  data = 1;
  atomic_store_explicit(&y, 1, memory_order_release);
  atomic_store_explicit(&y, 2, memory_order_relaxed);
  return 0;
}
static int get(void) {
  if (atomic_load_explicit(&y, memory_order_acquire) == TAKEN) assert(data == 1);
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(put)
ASIF_OP(get)
C
run 1 "$asif" test sequence.c --client 'put() | get()' -- -DTAKEN=2; says "data race"; says "C++20's release sequences"
run 0 "$asif" test sequence.c --client 'put() | get()' --c11-release-sequences -- -DTAKEN=2; says "C11's, with its release sequences"
run 0 "$asif" test sequence.c --client 'put() | get()' --memory c11 -- -DTAKEN=1
run 1 "$asif" test sequence.c --client 'put() | get()' --c11-release-sequences --memory c11 -- -DTAKEN=0; says 'data race'; says '--replay 1:rbcq:'
token=${out#*--replay } token=${token%%[[:space:]]*}
run 1 "$asif" test sequence.c --replay "$token" -- -DTAKEN=0; says "with its release sequences"
run 2 "$asif" test sequence.c --memory tso --c11-release-sequences; warns 'is for --memory c11'

# Delays, or preemptions, are counted with stale loads and early stores: none of the latter is no violation, one is. All say what was run.
one="$asif test cells.c --spec self --memory c11 --quiet --client"
run 0 $one "$both" --bound 0; says 'no violation found (executions of up to 0 delays, stale loads and early stores under C11 memory of put(0) get(1) | put(1) get(0);'
run 1 $one "$both" --bound 1
run 1 $one "$both" --bound 1 --bound-by preemption
run 0 $one "$both" --bound 1 --bound-by preemption -- $seq_cst; says 'executions of up to 1 preemption, stale loads and early stores under C11 memory of'
run 0 $one "$both" --bound 30 -- $seq_cst; says 'linearizable (every execution under C11 memory of'
run 1 $one "$both" --bound 2 --bound-by rounds
run 0 $one "$both" --bound 1 --bound-by rounds -- $seq_cst; says 'executions of up to 1 round under C11 memory of'
for how in pct:2 uniform; do
  run 1 "$asif" test cells.c --spec self --client "$both" --memory tso --random $how; says 'stale:'
  token=${out#*--replay } token=${token%%[[:space:]]*}
  run 1 "$asif" test cells.c --spec self --replay "$token"; says 'stale:'
  run 0 $one "$both" --random $how --runs 100 -- $seq_cst; says 'random schedules under C11 memory of'
done
for cache in yes no; do
  run 1 $one "$both" --all --cache $cache
  run 0 $one "$both" --all --cache $cache -- $seq_cst; says 'every execution under C11 memory of'
done
run 3 $one "$(printf 'get(0) %.0s' {1..26})"; says 'unknown: more than 24 operations: not under --memory c11 (executions under C11 memory, as far as they can be run, of get(0)'

# All ways to search an object to the end come to the same executions, and a random one, after enough runs, too.
steals='push(1) pop() | steal()'
for model in tso:9 c11:10; do
  for how in --dpor '--bound 1000' '--bound 1000 --skip no' '--bound 1000 --cache yes' '--bound 1000 --bound-by preemption' --all '--random uniform --runs 30000'; do
    run 0 "$asif" test "$root/objects/harness/chase_lev_deque.c" --quiet --client "$steals" --memory ${model%:*} $how
    says " ${model#*:} distinct executions"
  done
done

# Clients that are larger than those searched in full. What takes seven calls to be wrong is found in one of them.
cat >third.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_long count, bad;
static long step(void) {
  long was = atomic_load_explicit(&count, memory_order_relaxed);
  if (was == 6 && !atomic_load_explicit(&bad, memory_order_acquire)) __builtin_trap();
  if (was == 5) atomic_store_explicit(&bad, 1, memory_order_relaxed);
  atomic_store_explicit(&count, was + 1, memory_order_relaxed);
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(step)
C
run 0 "$asif" test third.c --spec self --memory c11 -n 2 -o 1; says 'every execution under C11 memory of 2 clients'
run 1 "$asif" test third.c --spec self --memory c11; says 'and larger clients'; says 'stale: '
run 3 "$asif" test third.c --spec self --memory tso --schedules-limit 4000; says 'larger clients, up to'; says 'every execution of'

for model in tso c11; do
  run 1 "$asif" test dekker.c --memory $model -- -DSTORE=memory_order_release; says 'stale:'
  run 0 "$asif" test dekker.c --memory $model -- -DSTORE=memory_order_seq_cst; says 'holds (every execution under'
  run 1 "$asif" test --main dekker.c --memory $model -- -- -DMAIN -DSTORE=memory_order_release; says 'main returns 1'
  run 0 "$asif" test --main dekker.c --memory $model -- -- -DMAIN -DSTORE=memory_order_seq_cst; says 'holds (every execution under'
done
