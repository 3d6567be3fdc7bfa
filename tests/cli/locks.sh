#!/bin/bash
# Objects that are locks, and mutexes that are not given back: verify and test say the same of them. A client does not release what it has not
# acquired; an operation that waits where the specification has it wait is no deadlock; one that waits where it does not is one.
. tests/cli/common
has verify || exit 77
has test || exit 77
export ASIF_INCLUDE=$root/include
object() { { printf '#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n'; cat; } >o.c; }
both() { # STATUS SENTENCE: by every reduction, and by test
  for how in best none sym1 sym por both '-j3'; do
    case $how in -*) run "$1" "$asif" verify o.c -o 2 $how --quiet ;; *) run "$1" "$asif" verify o.c -o 2 -r $how --quiet ;; esac
    says "$2"
  done
  run "$1" "$asif" test o.c -n 2 -o 2 --quiet; says "$2"
}
misuse='note: calls that release what their thread has not acquired, or wait for what it holds itself, were not made'

# A spin lock, and a mutex.
object <<'END'
static atomic_int taken;
static void acquire(void) { while (atomic_exchange(&taken, 1)) ; }
static void release(void) { atomic_store(&taken, 0); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)
END
both 0 'verdict: linearizable ('
run 0 "$asif" verify o.c; says "$misuse"
run 2 "$asif" verify o.c --approx 2; warns '--approx does not follow who holds a lock'
run 0 "$asif" verify o.c --progress deadlock-free; says "$misuse"; says 'verdict: deadlock-free'
object <<'END'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void acquire(void) { pthread_mutex_lock(&m); }
static void release(void) { pthread_mutex_unlock(&m); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)
END
both 0 'verdict: linearizable ('
grep -v 'OP(release)' o.c >p.c; mv p.c o.c # what waits then waits as the lock does
both 0 'verdict: linearizable ('

# A try may fail: what follows it does not release.
object <<'END'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void acquire(void) { pthread_mutex_lock(&m); }
static bool try(void) { return pthread_mutex_trylock(&m) == 0; }
static void release(void) { pthread_mutex_unlock(&m); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(try)
ASIF_OP(release)
END
both 0 'verdict: linearizable ('
run 0 "$asif" test o.c --stress -n 3 -o 40 --repeat 30; says 'verdict: no violation found ('
sed -i 's/== 0;/>= 0;/' o.c
both 1 'verdict: not linearizable ('

# Wrong ones: it does not exclude; it is not given back.
object <<'END'
static atomic_int taken;
static void acquire(void) { while (atomic_load(&taken)) ; atomic_store(&taken, 1); }
static void release(void) { atomic_store(&taken, 0); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)
END
both 1 'verdict: not linearizable ('
object <<'END'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int times;
static void acquire(void) { pthread_mutex_lock(&m); }
static void release(void) { if (atomic_fetch_add(&times, 1) == 0) return; pthread_mutex_unlock(&m); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)
END
run 1 "$asif" verify o.c -n 2 -o 3 --evidence e; says 'verdict: violated: deadlock'
run 0 "$asif" replay e; says 'the evidence stands'
run 1 "$asif" test o.c -n 2 -o 3; says 'verdict: violated: deadlock'

# Readers and a writer; upgrading.
object <<'END'
static atomic_int state; /* readers, or -1 */
static void read_lock(void) { int n; do { n = atomic_load(&state); } while (n < 0 || !atomic_compare_exchange_strong(&state, &n, n + 1)); }
static void read_unlock(void) { atomic_fetch_sub(&state, 1); }
static void write_lock(void) { int n; do { n = 0; } while (!atomic_compare_exchange_strong(&state, &n, -1)); }
static void write_unlock(void) { atomic_store(&state, 0); }
ASIF_OBJECT(rw_lock)
ASIF_OP(read_lock)
ASIF_OP(read_unlock)
ASIF_OP(write_lock)
ASIF_OP(write_unlock)
END
both 0 'verdict: linearizable ('
run 0 "$asif" verify o.c -o 3 --bound 2; says 'calls that would bring more than 2 elements inside, or that release what their thread has not acquired'
sed -i 's/n = 0; } while/n = atomic_load(\&state) > 1 ? 0 : atomic_load(\&state); } while/' o.c
both 1 'verdict: not linearizable ('
object <<'END'
static atomic_int state; /* 1 a writer, 2 an upgradable reader */
static void write_lock(void) { int n; do { n = 0; } while (!atomic_compare_exchange_strong(&state, &n, 1)); }
static void write_unlock(void) { atomic_store(&state, 0); }
static void upgradable_lock(void) { int n; do { n = 0; } while (!atomic_compare_exchange_strong(&state, &n, 2)); }
static void upgrade(void) { atomic_store(&state, 1); }
static void downgrade_upgradable(void) { atomic_store(&state, 2); }
ASIF_OBJECT(upgradable_rw_lock)
ASIF_OP(write_lock)
ASIF_OP(write_unlock)
ASIF_OP(upgradable_lock)
ASIF_OP(upgrade)
ASIF_OP(downgrade_upgradable)
END
both 0 'verdict: linearizable ('

# A mutex that one way out does not give back, of an object with a specification of its own: in C, and by effects.
object <<'END'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static int get(void) {
  pthread_mutex_lock(&m);
  int v = n;
  pthread_mutex_unlock(&m);
  return v;
}
static bool set(int v) {
  pthread_mutex_lock(&m);
  if (n == v) return false;
  n = v;
  pthread_mutex_unlock(&m);
  return true;
}
struct state { int n; };
static int spec_get(const struct state *s) { return s->n; }
static bool spec_set(struct state *s, int v) { return s->n != v ? s->n = v, true : false; }
ASIF_SPEC(cell, struct state)
ASIF_SPEC_OP(spec_get, "get")
ASIF_SPEC_OP(spec_set, "set")
ASIF_OBJECT(cell)
ASIF_OP(get)
ASIF_OP(set)
END
both 1 'verdict: violated: deadlock ('
object <<'END'
static atomic_int taken, n;
static bool put(int v) {
  while (atomic_exchange(&taken, 1)) ;
  if (n) return false;
  n = v;
  taken = 0;
  return true;
}
ASIF_OBJECT(cell)
ASIF_EFFECT(put(v), "<> => <v>, returns true")
ASIF_EFFECT(put(v), "<e> . A => <e> . A, returns false")
ASIF_OP(put)
END
run 1 "$asif" verify o.c -o 2; says 'verdict: violated: no return ('
run 1 "$asif" test o.c -n 2 -o 2; says 'verdict: violated: livelock ('

# A lock with a specification of its own, which has acquire wait.
object <<'END'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void acquire(void) { pthread_mutex_lock(&m); }
struct state { int held; };
static void spec_acquire(struct state *s) { asif_require(!s->held); s->held = 1; }
ASIF_SPEC(gate, struct state)
ASIF_SPEC_OP(spec_acquire, "acquire")
ASIF_OBJECT(gate)
ASIF_OP(acquire)
END
both 0 'verdict: linearizable ('

# Clients by hand: what no specification of a lock allows is refused, and not called a fault of the object.
object <<'END'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void acquire(void) { pthread_mutex_lock(&m); }
static void release(void) { pthread_mutex_unlock(&m); }
static bool attempt(void) { return !pthread_mutex_trylock(&m); }
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)
ASIF_OP_AS(try, attempt)
END
run 2 "$asif" test o.c --client 'attempt() release() | acquire()'
warns "where attempt fails, thread A calls release without having acquired anything"
run 2 "$asif" test o.c --client 'acquire() release() | acquire() release() release()'; warns 'thread B calls release without having acquired anything'
run 0 "$asif" test o.c --client 'attempt() release()'; says 'verdict: linearizable'
run 0 "$asif" test o.c --client 'acquire() release() | attempt() acquire()'; says 'verdict: linearizable'
run 0 "$asif" test o.c --client 'acquire() acquire() | attempt()'; says 'wait for ever'
exit 0
