#!/bin/bash
# Loops that never end in asif test: of plain reads, of nothing at all, in the initialisation, at a lock of the code's own that nobody releases.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
object() { { printf '#include <asif.h>\n#include <stdatomic.h>\n'; cat; } >o.c; }
loop() { # BODY OF inc: there are also c, which it counts, and x, which is not atomic
  object <<END
static atomic_int c;
static int x, y;
static int never;
static void inc(void) { $1 }
static int read(void) { return atomic_load(&c); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
END
}

# The compiler may read x once: then the loop touches nothing. With a barrier it reads x each time. Nobody may change x meanwhile.
for wait in 'while (x + y) ;' 'while (x + y) __asm__("" ::: "memory");'; do
  loop "$wait atomic_fetch_add(&c, 1); x = 1;"
  run 1 "$asif" test o.c --client 'inc() inc()'; says 'verdict: violated: livelock'
  token=$(sed -n 's/^replay: --replay //p' out)
  run 1 "$asif" test o.c --replay "$token"; says 'verdict: violated: livelock'
  run 1 "$asif" test o.c --client 'inc() | inc()'; says 'verdict: violated: data race'
  # Before its first step, while the other thread, which ends the loop, has not begun.
  object <<END
static int x = 1, y;
static int get(void) { $wait return 0; }
static int set(void) { x = 0; return 0; }
ASIF_OBJECT(self)
ASIF_OP(get)
ASIF_OP(set)
END
  run 1 "$asif" test o.c --client 'get() | set()'; says 'verdict: violated: data race'
  run 0 "$asif" test o.c --client 'set() get()'
done
says 'verdict: linearizable'
loop 'if (atomic_load(&c)) { x = 1; while (x) __asm__("" ::: "memory"); } atomic_fetch_add(&c, 1);'
run 1 "$asif" test o.c --client 'inc() inc()'; says 'reads x again and again, and nobody is left to change it'
loop 'if (atomic_fetch_add(&c, 1)) for (;;) __asm__("");'
run 1 "$asif" test o.c --client 'inc() inc()'; says 'goes round a loop that touches nothing and never ends'; says 'o.c:6  runs on here'
loop 'volatile double d = 1; if (atomic_fetch_add(&c, 1)) for (;;) d = d;'
run 1 "$asif" test o.c --client 'inc() inc()'; says 'goes round a loop that touches nothing'
# A loop that may end some day, and one that does.
loop 'volatile long n = 1; atomic_fetch_add(&c, 1); while (n > 0) n += 2;'
run 3 "$asif" test o.c --client 'inc()'; says 'verdict: unknown'; says 'whether it ever ends is not known'; says 'o.c:6'
loop 'volatile long n = 150000000; atomic_fetch_add(&c, 1); while (n > 0) n--;'
run 0 "$asif" test o.c --client 'inc()'
loop 'for (int i = 0; i < 30000000; i++) { y = x; __asm__("" ::: "memory"); } atomic_fetch_add(&c, 1);'
run 0 "$asif" test o.c --client 'inc()'

# The initialisation, and ASIF_ATOMIC: nobody else runs.
for wait in 'while (x) ;' 'while (__atomic_load_n(&x, 5)) ;'; do
  object <<END
static int x = 1;
static int read(void) { return 0; }
static void begin(void) { $wait }
ASIF_INIT(begin)
ASIF_OBJECT(counter)
ASIF_OP(read)
END
  run 1 "$asif" test o.c; says 'verdict: violated: livelock'; says 'the initialisation'
  loop "x = 1; ASIF_ATOMIC { $wait } atomic_fetch_add(&c, 1);"
  run 1 "$asif" test o.c --client 'inc()'; says 'verdict: violated: livelock'
done

# A lock of the code's own that is not always released: no operation can ever return, whatever is called.
locked() { # TAKE
  loop "$1 atomic_fetch_add(&c, 1); if (atomic_load(&c) != 2) atomic_store(&y, 0);"
  sed -i 's/static int x, y;/static atomic_int y;/; s/^static int never;$//' o.c
}
for take in 'while (atomic_exchange(&y, 1)) ;' 'int z = 0; while (!atomic_compare_exchange_weak(&y, &z, 1)) z = 0;' \
            'for (int z = 0; atomic_load(&y) || !atomic_compare_exchange_strong(&y, &z, 1); z = 0) ;'; do
  locked "$take"
  run 1 "$asif" test o.c -n 2 -o 2; says 'verdict: violated: livelock'; says 'reads y again and again, and nobody is left to change it'
  sed -i 's/if (atomic_load(&c) != 2) //' o.c
  run 0 "$asif" test o.c -n 2 -o 2; says 'verdict: linearizable'
done
locked 'while (atomic_exchange(&y, 1)) ;'
run 1 "$asif" test o.c -n 1 -o 3; says 'verdict: violated: livelock'
run 1 "$asif" test o.c -n 2 -o 2 --bound 2 --evidence e; says 'verdict: violated: livelock'
run 0 "$asif" replay --run e; says 'the evidence stands'
# What another call ends is waited for by design; so is what the specification does not let happen.
object <<'END'
static atomic_int n;
static void enq(int v) { (void)v; atomic_store(&n, v); }
static int deq(void) { int v; while (!(v = atomic_load(&n)) || !atomic_compare_exchange_strong(&n, &v, 0)) ; return v; }
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_BOUND(1)
END
run 0 "$asif" test o.c -n 2 -o 1; says 'wait for ever, as they do with nothing concurrent: no violation'
object <<'END'
static atomic_int l;
static void acquire(void) { int z = 0; while (!atomic_compare_exchange_weak(&l, &z, 1)) z = 0; }
static int try(void) { int z = 0; return atomic_compare_exchange_strong(&l, &z, 1); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(try)
END
run 0 "$asif" test o.c -n 2 -o 2; says 'wait for ever, as they do with nothing concurrent: no violation'

# Iterations that changed nothing are not explored: a ticket lock has few schedules then, and the same answers.
object <<'END'
static atomic_uint next, serving;
static int c;
static int inc(void) {
  unsigned t = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != t) ;
  int v = c++;
  if (t != NEVER) atomic_store(&serving, t + 1);
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
END
client='inc() inc() | inc() inc() | inc()'
run 0 "$asif" test o.c --client "$client" --schedules-limit 20000 -- -DNEVER=9; says 'verdict: linearizable'
run 3 "$asif" test o.c --client "$client" --loops explore --schedules-limit 20000 -- -DNEVER=9
for how in block explore; do
  run 0 "$asif" test o.c --client 'inc() | inc() | inc()' --loops $how -- -DNEVER=0; says 'wait for ever'
done

# Each thread has a signal mask of its own.
object <<'END'
#include <signal.h>
static atomic_int c;
static void inc(void) {
  sigset_t all, before, now;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) || sigismember(&before, SIGUSR1)) __builtin_trap();
  atomic_fetch_add(&c, 1);
  pthread_sigmask(SIG_SETMASK, 0, &now);
  if (!sigismember(&now, SIGUSR1) || sigismember(&now, SIGKILL)) __builtin_trap();
  pthread_sigmask(SIG_SETMASK, &before, 0);
  SENDS
}
static int read(void) { return atomic_load(&c); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
END
run 0 "$asif" test o.c -n 2 -o 2 -- -DSENDS=
run 1 "$asif" test o.c -n 2 -o 1 -- '-DSENDS=raise(SIGUSR1);'; says 'sends its own process SIGUSR1, which ends it'
sed -i 's/^  atomic_fetch_add/  raise(SIGUSR1);\n&/' o.c
run 3 "$asif" test o.c -n 2 -o 1 -- -DSENDS=; says 'sends SIGUSR1, which it has blocked'
sed -i 's/  raise(SIGUSR1);/  sigwait(\&all, \&(int){0});/' o.c
run 3 "$asif" test o.c -n 2 -o 1 -- -DSENDS=; says 'sigwait'

# Operations that wait for a call of another: those that go on then may come to a call that is refused.
object <<'END'
static atomic_int sent, have;
static void enq(int v) {
  asif_require(atomic_fetch_add(&sent, 1) < 3);
  atomic_fetch_add(&have, v);
}
static int deq(void) {
  int n;
  do n = have;
  while (!n || !atomic_compare_exchange_strong(&have, &n, n - 1));
  return 1;
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 1))
ASIF_OP(deq)
END
run 0 "$asif" test o.c --client 'deq() deq() enq(1) enq(1) | enq(1) deq() enq(1)'; says 'verdict: linearizable'

# Threads that try to lock a second mutex, and unlock the first where they cannot, as std::lock does: that it is free again is seen, and that they
# could hinder each other for ever by taking their steps by turns is no livelock. KEEPS: that nobody unlocks one is a deadlock.
cat >backs_off.c <<'E'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static int add(int one) {
  pthread_mutex_t *first = one ? &a : &b, *second = one ? &b : &a;
  for (;;) {
    pthread_mutex_lock(first);
    if (pthread_mutex_trylock(second) == 0) break;
    pthread_mutex_unlock(first);
  }
  int v = n++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return v;
}
static int get(void) {
  pthread_mutex_lock(&a);
  int v = n;
  pthread_mutex_unlock(&a);
  return v;
}
ASIF_OBJECT(self)
ASIF_OP(add, ASIF_IN(0, 1))
ASIF_OP(get)
E
for client in 'add(0) | get()' 'add(0) | add(1)' 'add(0) | add(1) | get()'; do
  run 0 "$asif" test backs_off.c --client "$client"
  says "verdict: linearizable (every schedule of $client;"
done
cat >scoped.cpp <<'E'
#include <asif.h>
#include <cassert>
#include <mutex>
#include <thread>
ASIF_TEST(both_orders) {
  std::mutex a, b;
  int n = 0;
  std::thread t([&] { std::scoped_lock both(a, b); n++; });
  { std::scoped_lock both(b, a); n++; }
  t.join();
#ifdef KEEPS
  a.lock();
  std::thread u([&] { std::scoped_lock both(b, a); });
  u.join();
#endif
  assert(n == 2);
}
E
run 0 "$asif" test scoped.cpp -- -std=c++17
says 'verdict: holds (every schedule of 1 test;'
run 1 "$asif" test scoped.cpp -- -std=c++17 -DKEEPS
says 'verdict: violated: '

# The same with other locks, and with what is given back without a lock: a schedule in which they hinder each other for ever is not a livelock, since
# each comes through alone. Not every schedule can be run, and the verdict says so.
backs_off() { # DECLARATIONS TAKE TRY GIVE
  object <<END
#include <pthread.h>
#include <semaphore.h>
$1
static int n;
static int add(int one) {
  void *x = one ? (void *)&a : (void *)&b, *y = one ? (void *)&b : (void *)&a;
  for (;;) {
    $2;
    if ($3) break;
    $4(x);
  }
  int v = n++;
  $4(&a);
  $4(&b);
  return v;
}
ASIF_OBJECT(self)
ASIF_OP(add, ASIF_IN(0, 1))
END
}
tried=0
while IFS='|' read -r declared take try give; do
  backs_off "$declared" "$take" "$try" "$give"
  run 3 "$asif" test o.c --client 'add(0) | add(1)' --bound 4 --schedules-limit 3000 --jobs 1
  says 'verdict: unknown'
  grep -q -i livelock out && fail "a livelock"
  tried=$((tried + 1))
done <<'END'
static pthread_rwlock_t a, b;|pthread_rwlock_wrlock(x)|!pthread_rwlock_trywrlock(y)|pthread_rwlock_unlock
static sem_t a, b; static void begin(void) { sem_init(&a, 0, 1); sem_init(&b, 0, 1); } ASIF_INIT(begin)|sem_wait(x)|!sem_trywait(y)|sem_post
static atomic_flag a, b;|while (atomic_flag_test_and_set((atomic_flag *)x)) {}|!atomic_flag_test_and_set((atomic_flag *)y)|atomic_flag_clear
END
[ $tried = 3 ] || fail "$tried were tried"
# Two that are in at once write for ever, and neither can leave: a livelock.
object <<'END'
static atomic_int in, flips;
static int add(void) {
  int v = atomic_fetch_add(&in, 1);
  while (atomic_load(&in) == 2) atomic_fetch_xor(&flips, 1);
  return v;
}
ASIF_OBJECT(self)
ASIF_OP(add)
END
run 1 "$asif" test o.c --client 'add() | add()'; says 'verdict: violated: livelock'; says 'everything is as it was'
token=$(sed -n 's/^replay: --replay //p' out)
run 1 "$asif" test o.c --replay "$token"; says 'verdict: violated: livelock'

# A thread that tries to lock a mutex may find it taken by one that locks it in a loop, however often that has gone round: waits is the loop.
for waits in 'if (!pthread_mutex_trylock(&a)) break; pthread_mutex_unlock(&b);' 'int v = x; pthread_mutex_unlock(&b); if (v) return 0;'; do
  object <<END
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int loops(void) {
  for (;;) {
    pthread_mutex_lock(&b);
    $waits
  }
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
static int tries(void) {
  int taken = 0;
  pthread_mutex_lock(&a);
  for (int i = 0; i < 5; i++) {
    if (pthread_mutex_trylock(&b)) taken++, pthread_mutex_lock(&b);
    if (i == 4) x = 1;
    pthread_mutex_unlock(&b);
  }
  pthread_mutex_unlock(&a);
  assert(taken != 5);
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(loops)
ASIF_OP(tries)
END
  run 1 "$asif" test o.c --client 'loops() | tries()'; says 'assertion taken != 5 fails'
done
exit 0
