#!/bin/bash
# asif verify: operations that can never return are a violation; operations that wait for others to be called are not.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
object() { { printf '#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n'; cat; } >o.c; }
verify() { # STATUS ARGUMENT...
  status=$1
  shift
  run "$status" "$asif" verify o.c "$@" --states-limit 1M
}
ways() { # STATUS ARGUMENT...: the same by every reduction and number of workers
  for how in best none sym1 sym por both '-j1' '-j3' '--search depth'; do
    case $how in -*) verify "$@" $how --quiet ;; *) verify "$@" -r $how --quiet ;; esac
  done
}

# A spin lock that is not always released.
object <<'END'
static atomic_int taken, c;
static void inc(void) {
  while (atomic_exchange(&taken, 1))
    ;
  c = c + 1;
  if (c != 2) taken = 0;
}
static int read(void) { return c; }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
END
for client in '-o 2' '-n 3' '-o forever'; do
  ways 1 $client; says 'verdict: violated: no return ('
  verify 1 $client --evidence e; silent; says 'can never return, however threads are scheduled'; says 'o.c:6  here, inc never returns'
  run 0 "$asif" replay e; says 'none of the open operations can return'; says 'the evidence stands'
  verify 0 $client --no-deadlock
done
says 'verdict: linearizable'
verify 1 -o 2 --spec self; says 'no return'
verify 0 # two calls of inc return
verify 1 -o 2 --json; says '"verdict":"violated"'; says '"violation":"no return"'; says '"reason":"the operation of thread '
verify 1 -o 2 --junit j --quiet; grep -q 'failures="1"' j && grep -q 'can never return' j || fail "$(cat j)"
# Evidence that was changed: a move less, and an operation can return.
moves=$(sed -n 's/^moves //p' e)
awk -v n="$moves" '/^moves /{print "moves " n - 3; take = NR + n - 3; next} /^history/{take = 0; h = 1} h || !take || NR <= take' e >fewer
run 1 "$asif" replay fewer; says 'the evidence does not stand'

# One that is, and a ticket lock.
sed 's/if (c != 2) //' o.c >right.c && cp right.c o.c
for client in '-o 2' '-n 3'; do ways 0 $client; done
object <<'END'
static atomic_uint next, serving;
static int c;
static void inc(void) {
  unsigned t = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != t)
    ;
  c = c + 1;
  atomic_store(&serving, t + 1);
}
static int read(void) {
  unsigned t = next++;
  while (serving != t)
    ;
  int r = c;
  serving = serving + 1;
  return r;
}
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
END
for client in '-o 2' '-n 3'; do ways 0 $client; done
sed 's/serving = serving + 1;/serving = serving + (r != 1);/' o.c >wrong.c && cp wrong.c o.c # a turn that comes only if tickets wrap around
for client in '-o 2' '-n 3'; do verify 0 $client; says 'it was not decided whether an operation can return'; done

# Operations that wait for so many others: with as many threads they return, though one more than there are is too few.
gathers() {
  object <<END
static atomic_int inside;
static void inc(void) {
  atomic_fetch_add(&inside, 1);
  while (inside < $1)
    ;
}
ASIF_OBJECT(counter)
ASIF_OP(inc)
END
}
undecided() { says 'it was not decided whether an operation can return from every state: more threads may do what it waits for'; }
gathers 4
for n in 1 2; do verify 0 -n $n; undecided; done
verify 0 -n 3; case $out in *'not decided'*) fail "the fourth is the one that is added: $out" ;; esac
gathers 16
verify 0 -n 15; says 'from every state: there is no room for one more thread, which may do what it waits for'
object <<'END'
static atomic_int inside, go; /* what is waited for is not what one more changes */
static void inc(void) {
  if (atomic_fetch_add(&inside, 1) == 3) go = 1;
  while (!go)
    ;
}
ASIF_OBJECT(counter)
ASIF_OP(inc)
END
ways 0; verify 0; undecided

# Many states that are undecided, and before them one that is not.
object <<'END'
static atomic_int taken, inside, x;
static void write(int v) {
  while (taken)
    ;
  x = v;
  atomic_fetch_add(&inside, 1);
  while (inside < 9)
    ;
}
static int read(void) {
  while (atomic_exchange(&taken, 1))
    ;
  return x;
}
ASIF_OBJECT(register(0))
ASIF_OP(write, ASIF_IN(1, 6))
ASIF_OP(read)
END
ways 1; says 'verdict: violated: no return ('
# More calls that go wrong.
object <<'END'
static atomic_int inside;
static int small[2];
static void inc(void) {
  int i = atomic_fetch_add(&inside, 1);
  small[i] = 1;
  while (inside < 9)
    ;
}
ASIF_OBJECT(counter)
ASIF_OP(inc)
END
verify 0; says 'from every state: more calls may lead to a fault'

# A thread spins for ever while it holds a mutex that another one waits for.
object <<'END'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, ready;
static void write(int v) {
  pthread_mutex_lock(&m);
  x = v;
  while (v == 2 && !ready)
    ;
  pthread_mutex_unlock(&m);
}
static int read(void) {
  pthread_mutex_lock(&m);
  int v = x;
  if (v == 9) ready = 1;
  pthread_mutex_unlock(&m);
  return v;
}
ASIF_OBJECT(register(0))
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_OP(read)
END
ways 1 -o 2; says 'no return'
verify 1 -o forever; says 'no return'; says 'never returns'

# Operations that wait for another one to be called: in a client that calls none, nothing is wrong.
object <<'END'
static atomic_int item[8], back;
static void enq(int v) {
  int i = atomic_fetch_add(&back, 1);
  item[i] = v;
}
static int deq(void) {
  for (;;)
    for (int i = 0, n = back; i < n; i++) {
      int v = atomic_exchange(&item[i], 0);
      if (v) return v;
    }
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
END
ways 0 -o 2; ways 0 -n 3
object <<'END'
static atomic_int full;
static void put(int v) {
  asif_require(!full);
  full = v;
}
static int take(void) {
  int v = full;
  asif_require(v != 0);
  full = 0;
  return v;
}
ASIF_OBJECT(bag)
ASIF_OP_AS(insert, put, ASIF_IN(1, 1))
ASIF_OP_AS(remove, take)
END
"$asif" verify o.c -o 2 --quiet >out 2>err
! grep -q 'no return' out || fail "$(cat out)"
object <<'END'
static atomic_int taken;
static void acquire(void) {
  while (atomic_exchange(&taken, 1))
    ;
}
static void release(void) {
  asif_require(taken);
  taken = 0;
}
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)
END
"$asif" verify o.c -o 2 --quiet >out 2>err
! grep -q 'no return' out || fail "a lock that is taken: $(cat out)"
# Nor if evidence says so: made of a counter that has the same moves.
object <<'END'
static atomic_int taken;
static void take(void) {
  while (atomic_exchange(&taken, 1))
    ;
}
#ifdef LOCK
ASIF_OBJECT(lock)
ASIF_OP_AS(acquire, take)
#else
ASIF_OBJECT(counter)
ASIF_OP_AS(inc, take)
#endif
END
verify 1 --evidence e; says 'no return'
run 0 "$asif" replay e
sed 's/^hash.*/&\nargument -DLOCK/; s/^counter inc/lock acquire/; s/^counter/lock/' e >locked
run 1 "$asif" replay locked; says 'the specification lets every operation wait'
# Partial order reduction: a state within a path that is infinite, and is not stored.
cat >por.c <<'END'
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int waits(void) {
  int r = 0, s = 0;
  if (atomic_compare_exchange_strong(&b, &s, 1)) r = atomic_fetch_add(&a, 1);
  while (atomic_load(&a) == 1) ;
  return r;
}
static int twice(void) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  atomic_store(&b, 0);
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(waits)
ASIF_OP(twice)
ASIF_ROLE(one, 1, waits)
ASIF_ROLE(others, ASIF_REST, twice)
END
for how in best none sym por both; do
  run 1 "$asif" verify por.c -n 3 -o 1 -r $how --evidence e; says 'violated: no return'
  run 0 "$asif" replay e; says 'the evidence stands'
done
run 0 "$asif" verify por.c -n 3 -o 1 -r tau; says 'it was not decided whether an operation can return from every state: --reduce tau looks'

# A thread that waits for a lock with its first access makes no move that is stored, and could call something else
# instead: that it has called and waits is a state all the same.
cat >held.c <<'END'
#include <asif.h>
#include <pthread.h>
static int c, x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void wr(int v) {
  int e = 1;
  pthread_mutex_lock(&m);
  while (!__atomic_compare_exchange_n(&c, &e, 0, 0, 5, 5)) e = 1;
  pthread_mutex_unlock(&m);
  __atomic_store_n(&x, v, 5);
}
static int rd(void) { return __atomic_load_n(&x, 5); }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, wr)
ASIF_OP_AS(read, rd)
END
for how in best none both; do
  run 1 "$asif" verify held.c -n 2 -o forever -r $how --evidence e; says 'violated: no return'
  run 0 "$asif" replay e; says 'the evidence stands'
done
exit 0
