#!/bin/bash
# Specifications that real containers have, held against objects: the right ones stand, the wrong ones do not, for
# `asif test` and for `asif verify`.
. tests/cli/common
replays=no # most are compiled with arguments, which replay does not take from a file

# A ring whose slots are claimed before they are filled: deq may say empty although something is inside. WRONG: enq does
# not look whether the slot is free.
cat >ring.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#define SIZE 2
static struct { atomic_uint turn; int value; } slot[SIZE];
static atomic_uint tail, head;
static int enq(int v) {
  for (;;) {
    unsigned t = atomic_load(&tail);
    unsigned turn = atomic_load(&slot[t % SIZE].turn);
#ifndef WRONG
    if (turn != t / SIZE * 2) {
      if (t != atomic_load(&tail)) continue;
      return ASIF_FULL;
    }
#endif
    if (!atomic_compare_exchange_strong(&tail, &t, t + 1)) continue;
    slot[t % SIZE].value = v;
    atomic_store(&slot[t % SIZE].turn, turn + 1);
    return ASIF_OK;
  }
}
static int deq(void) {
  for (;;) {
    unsigned h = atomic_load(&head);
    if (atomic_load(&slot[h % SIZE].turn) != h / SIZE * 2 + 1) {
      if (h != atomic_load(&head)) continue;
      return ASIF_EMPTY;
    }
    if (!atomic_compare_exchange_strong(&head, &h, h + 1)) continue;
    int v = slot[h % SIZE].value;
    atomic_store(&slot[h % SIZE].turn, h / SIZE * 2 + 2);
    return v;
  }
}
ASIF_OBJECT(SPEC(SIZE))
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
C
client='enq(1) | enq(2) deq()' # shrinking tries other arguments: states are then resumed for another copy of the client
run 1 "$asif" test ring.c --client "$client" -- -DSPEC=bounded_queue; says 'returned empty'
run 0 "$asif" test ring.c --client "$client" -- -DSPEC=weak_bounded_queue; says 'verdict: linearizable'
run 0 "$asif" test ring.c --threads 2 --ops 2 -- -DSPEC=weak_bounded_queue; says 'verdict: linearizable'
run 1 "$asif" test ring.c --client 'enq(1) enq(2) enq(1)' -- -DSPEC=weak_bounded_queue -DWRONG; says 'Not linearizable'
run 0 "$asif" verify ring.c --threads 2 --ops 2 -- -DSPEC=weak_bounded_queue
run 1 "$asif" verify ring.c --threads 2 --ops 2 -- -DSPEC=bounded_queue

# One producer, one consumer: a ring that needs it. With roles it is right, with two producers it is not.
cat >one.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static int slot[2];
static atomic_uint tail, head;
static int put(int v) {
  unsigned t = atomic_load(&tail);
  if (t - atomic_load(&head) == 2) return ASIF_FULL;
  slot[t % 2] = v;
  atomic_store(&tail, t + 1);
  return ASIF_OK;
}
static int take(void) {
  unsigned h = atomic_load(&head);
  if (h == atomic_load(&tail)) return ASIF_EMPTY;
  int v = slot[h % 2];
  atomic_store(&head, h + 1);
  return v;
}
ASIF_OBJECT(bounded_queue(2))
ASIF_OP(put, ASIF_IN(1, 2))
ASIF_OP(take)
ROLES(put, take)
C
run 0 "$asif" test one.c --threads 2 --ops 3 -- -DROLES=ASIF_SPSC; says 'verdict: linearizable'
run 0 "$asif" test one.c -- -DROLES=ASIF_SPSC
run 0 "$asif" verify one.c --threads 2 --ops 3 -- -DROLES=ASIF_SPSC
run 1 "$asif" test one.c --races no -- -DROLES=ASIF_MPSC
case $out in *'put(1) | put('*) ;; *) fail "the producers are not two: $out" ;; esac
run 1 "$asif" test one.c --races no -- -DROLES=ASIF_SPMC
case $out in *'put('*'| take() | take()'* | *'take() | take()'*) ;; *) fail "the consumers are not two: $out" ;; esac
run 1 "$asif" verify one.c --threads 3 --ops 2 -- -DROLES=ASIF_MPSC

# A work-stealing deque whose thieves give up when they lose the race. EMPTY: they say that it was empty.
cat >steal.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#ifndef LOST
#define LOST ASIF_ABORT
#endif
static atomic_int slot[4];
static atomic_int top, bottom;
static void push(int v) {
  int b = atomic_load(&bottom);
  asif_require(b < 4);
  atomic_store(&slot[b], v);
  atomic_store(&bottom, b + 1);
}
static int pop(void) {
  int b = atomic_load(&bottom) - 1;
  atomic_store(&bottom, b);
  int t = atomic_load(&top);
  if (t > b) {
    atomic_store(&bottom, b + 1);
    return ASIF_EMPTY;
  }
  int v = atomic_load(&slot[b]);
  if (t < b) return v;
#ifndef NO_RACE
  if (!atomic_compare_exchange_strong(&top, &t, t + 1)) v = ASIF_EMPTY;
  atomic_store(&bottom, b + 1);
#endif
  return v;
}
static int steal(void) {
  int t = atomic_load(&top), b = atomic_load(&bottom);
  if (t >= b) return ASIF_EMPTY;
  int v = atomic_load(&slot[t]);
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? v : LOST;
}
#ifndef SPEC
#define SPEC work_stealing_deque
#endif
ASIF_OBJECT(SPEC)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_OP(steal)
ASIF_ROLE(owner, 1, push, pop)
ASIF_ROLE(thief, ASIF_REST, steal)
C
run 0 "$asif" test steal.c --threads 2 --ops 3; says 'verdict: linearizable'
run 0 "$asif" verify steal.c --threads 2 --ops 3
thieves='push(1) push(2) | steal() | steal()'
run 0 "$asif" test steal.c --client "$thieves"; says 'verdict: linearizable'
run 1 "$asif" test steal.c --client "$thieves" -- -DLOST=ASIF_EMPTY; says 'returned empty'
run 0 "$asif" test steal.c --client "$thieves" -- -DLOST=ASIF_EMPTY -DSPEC=weak_work_stealing_deque; says 'verdict: linearizable'
run 1 "$asif" test steal.c --threads 2 --ops 3 -- -DNO_RACE; says 'taken twice'
run 1 "$asif" verify steal.c --threads 2 --ops 3 -- -DNO_RACE

# What a hash map's put and remove return is looked at; a function without a result says nothing.
cat >map.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int at[3];
static R put(int k, int v) {
#ifdef WRONG
  int old = atomic_load(&at[k]);
  atomic_store(&at[k], v);
#else
  int old = atomic_exchange(&at[k], v);
#endif
  (void)old;
  RETURN
}
static int get(int k) { int v = atomic_load(&at[k]); return v ? v : ASIF_NIL; }
static int take(int k) { int v = atomic_exchange(&at[k], 0); return v ? v : ASIF_NIL; }
static bool contains(int k) { return atomic_load(&at[k]) != 0; }
ASIF_OBJECT(hash_map)
ASIF_OP(put, ASIF_IN(1, 2), ASIF_IN(1, 2))
ASIF_OP(get)
ASIF_OP_AS(remove, take)
ASIF_OP(contains)
C
run 0 "$asif" test map.c --client 'put(1, 1) get(1) | put(1, 2) take(1)' -- "-DR=int" "-DRETURN=return old?old:ASIF_NIL;"; says 'verdict: linearizable'
run 1 "$asif" test map.c --client 'put(1, 1) | put(1, 2)' -- "-DR=int" "-DRETURN=return old?old:ASIF_NIL;" -DWRONG
run 0 "$asif" test map.c --client 'put(1, 1) | put(1, 2)' -- -DR=void -DRETURN= -DWRONG
run 2 "$asif" test map.c -- -DR=bool "-DRETURN=return old;"; warns 'put returns true or false, but put of hash-map returns a value'
run 2 "$asif" verify map.c -- -DR=bool "-DRETURN=return old;"; warns 'put returns true or false, but put of hash-map returns a value'

# A latch, once, and an upgradable lock.
cat >latch.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int left = 2;
static void count_down(void) {
  int n = atomic_load(&left);
#ifdef WRONG
  if (n) atomic_store(&left, n - 1);
#else
  while (n && !atomic_compare_exchange_weak(&left, &n, n - 1)) ;
#endif
}
static void wait(void) { while (atomic_load(&left)) asif_yield(); }
static bool try_wait(void) { return !atomic_load(&left); }
ASIF_OBJECT(latch(2))
ASIF_OP(count_down)
ASIF_OP(wait)
ASIF_OP(try_wait)
C
run 0 "$asif" test latch.c --threads 2 --ops 2; says 'verdict: linearizable'
run 1 "$asif" test latch.c --client 'count_down() try_wait() | count_down() try_wait()' -- -DWRONG
cat >once.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int value;
static int call(int v) {
  int none = 0;
#ifdef WRONG
  if (atomic_load(&value) == none) atomic_store(&value, v);
  return atomic_load(&value);
#else
  return atomic_compare_exchange_strong(&value, &none, v) ? v : none;
#endif
}
static int get(void) { int v = atomic_load(&value); return v ? v : ASIF_NIL; }
ASIF_OBJECT(once)
ASIF_OP(call)
ASIF_OP(get)
C
run 0 "$asif" test once.c --threads 2 --ops 2; says 'verdict: linearizable'
run 1 "$asif" test once.c --threads 2 --ops 2 -- -DWRONG
cat >upgrade.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int state; /* readers; 100: upgradable too; -1: written */
static void read_lock(void) {
  for (int s = atomic_load(&state);;) {
    if (s < 0) { asif_yield(); s = atomic_load(&state); }
    else if (atomic_compare_exchange_strong(&state, &s, s + 1)) return;
  }
}
static void read_unlock(void) { atomic_fetch_sub(&state, 1); }
static bool try_upgradable(void) {
  int s = atomic_load(&state);
  while (s >= 0 && s < 100)
    if (atomic_compare_exchange_strong(&state, &s, s + 100)) return true;
  return false;
}
static bool try_upgrade(void) {
  int alone = 100;
#ifdef WRONG
  int s = atomic_load(&state);
  if (s == alone) atomic_store(&state, -1);
  return s == alone;
#else
  return atomic_compare_exchange_strong(&state, &alone, -1);
#endif
}
static void unlock(void) { if (atomic_load(&state) < 0) atomic_store(&state, 0); else atomic_fetch_sub(&state, 100); }
ASIF_OBJECT(upgradable_rw_lock)
ASIF_OP(read_lock)
ASIF_OP(read_unlock)
ASIF_OP(try_upgradable)
ASIF_OP(try_upgrade)
ASIF_OP(unlock)
C
upgrades='try_upgradable() try_upgrade() unlock() | read_lock() read_unlock()'
run 0 "$asif" test upgrade.c --client "$upgrades"; says 'verdict: linearizable'
run 1 "$asif" test upgrade.c --client "$upgrades" -- -DWRONG

# A violation that a weaker specification allows, and a refusal that the specification does not have, are noted.
cat >small.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_int value, taken;
static bool push(int v) {
  if (atomic_exchange(&taken, 1)) return false;
  atomic_store(&value, v);
  return true;
}
static int pop(void) {
  int v = atomic_exchange(&value, 0);
  if (!v) return ASIF_EMPTY;
  atomic_store(&taken, 0);
  return v;
}
ASIF_OBJECT(SPEC)
ASIF_OP_AS(PUT, push, ASIF_IN(1, 2))
ASIF_OP_AS(GET, pop)
C
run 1 "$asif" test small.c -- -DSPEC='bounded_queue(1)' -DPUT=enq -DGET=deq; says 'note: this history is linearizable for weak-bounded-queue(1) ('
run 0 "$asif" test small.c -n 2 -- -DSPEC='weak_bounded_queue(1)' -DPUT=enq -DGET=deq
run 1 "$asif" test small.c --client 'push(1) push(2) pop() pop()' -- -DSPEC=queue -DPUT=enq -DGET=deq
says 'note: push returns false, but queue has no such result: the call counts as done.'

# Of an object that is its own specification each thread has its own thread-local variables, one operation at a time too.
cat >own_local.c <<'C'
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_int a;
static pthread_key_t key;
static _Thread_local int local;
static void setup(void) { pthread_key_create(&key, NULL); }
static int own(int k) {
#ifdef KEY
  intptr_t sum = (intptr_t)pthread_getspecific(key) + k;
  pthread_setspecific(key, (void *)sum);
  return (int)sum;
#else
  return local += k;
#endif
}
static int shared(void) {
#ifdef LOSES
  int v = a;
  a = v + 1;
  return v;
#else
  return atomic_fetch_add(&a, 1);
#endif
}
ASIF_INIT(setup)
ASIF_OBJECT(self)
ASIF_OP(own, ASIF_IN(0, 1))
ASIF_OP(shared)
C
for how in '' -DKEY; do
  run 0 "$asif" test own_local.c -n 2 -o 2 -- $how
  run 0 "$asif" verify own_local.c -n 2 -o 2 -- $how
  run 1 "$asif" test own_local.c -n 2 -o 2 -- $how -DLOSES; says 'not linearizable'
done
