#!/bin/bash
# asif verify: what threads wait for: kinds of mutexes, condition variables, locks for readers, semaphores, barriers, what happens once.
. tests/cli/common
has verify || exit 77
shopt -u patsub_replacement 2>/dev/null # & is itself where it replaces something
export ASIF_INCLUDE=$root/include
object() {
  { printf '#define _GNU_SOURCE\n#include <asif.h>\n#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <threads.h>\n'; cat; } >o.c
}
register='ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))'
all() { # STATUS ARGUMENT...
  status=$1
  shift
  for reduce in best none sym both; do run "$status" "$asif" verify o.c --reduce $reduce "$@"; done
  run "$status" "$asif" verify o.c "$@"
}
decided() { case $out in *'not decided'*) fail "it was decided: $out" ;; esac; }
as_test() { ! has test || { run "$1" "$asif" test o.c -n 2 -o 1; }; }

# A recursive mutex is locked by its owner again; a plain one deadlocks; one that checks says so.
kinds="
static pthread_mutex_t m = INITIALIZER;
static int s;
static int locked(int v) { int e = pthread_mutex_lock(&m); if (e) return e; if (v) s = v; pthread_mutex_unlock(&m); return 0; }
static void write(int v) { pthread_mutex_lock(&m); int e = locked(v); if (e) s = e == EDEADLK ? v : 7; if (pthread_mutex_unlock(&m)) s = 9; }
static int read(void) { pthread_mutex_lock(&m); int v = s; pthread_mutex_unlock(&m); return v; }
$register"
object <<<"${kinds/INITIALIZER/PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP}"; all 0 -n 3; as_test 0
object <<<"${kinds/INITIALIZER/PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP}"; all 0; as_test 0
object <<<"${kinds/INITIALIZER/PTHREAD_MUTEX_INITIALIZER}"; all 1; says 'deadlock'; as_test 1
object <<END_OF_C
static pthread_mutex_t m;
static int s;
static void start(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, KIND);
  pthread_mutex_init(&m, &a);
}
ASIF_INIT(start)
static void write(int v) { int e = pthread_mutex_unlock(&m); pthread_mutex_lock(&m); s = e == EPERM ? v : 7; pthread_mutex_unlock(&m); }
static int read(void) { int v = -1; if (!pthread_mutex_lock(&m)) v = s; pthread_mutex_unlock(&m); return v; }
$register
END_OF_C
sed 's/KIND/PTHREAD_MUTEX_ERRORCHECK/' o.c >e.c; sed 's/KIND/PTHREAD_MUTEX_NORMAL/' o.c >n.c
mv e.c o.c; all 0; as_test 0
mv n.c o.c; run 1 "$asif" verify o.c; says 'unlocked that is not locked'
object <<END_OF_C
static mtx_t m;
static int s;
static void start(void) { mtx_init(&m, mtx_plain | mtx_recursive); }
ASIF_INIT(start)
static void write(int v) { mtx_lock(&m); if (mtx_trylock(&m) == thrd_success) { s = v; mtx_unlock(&m); } mtx_unlock(&m); }
static int read(void) { mtx_lock(&m); int v = s; mtx_unlock(&m); return v; }
$register
END_OF_C
all 0; as_test 0
sed -i 's/mtx_plain | mtx_recursive/mtx_plain/' o.c; run 1 "$asif" verify o.c; says 'not linearizable'

# Trying for a time: it may be late, but not where the lock is free, and it is never stuck.
object <<END_OF_C
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int s, left;
static void write(int v) { if (pthread_mutex_timedlock(&m, NULL)) return; s = v; pthread_mutex_unlock(&m); }
static int read(void) { pthread_mutex_lock(&m); int v = s; pthread_mutex_unlock(&m); return v; }
$register
END_OF_C
run 1 "$asif" verify o.c -o 2; says 'not linearizable'; run 0 "$asif" verify o.c -n 1 -o 2
sed -i 's/if (pthread_mutex_timedlock(&m, NULL)) return;/while (pthread_mutex_timedlock(\&m, NULL)) {}/' o.c; all 0
# A thread that has not called yet, and waits with the call's first access, waits for ever only if it does not time out.
gives_up='
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static void start(void) { sem_init(&s, 0, 0); }
ASIF_INIT(start)
static void get(void) { pthread_mutex_lock(&m); sem_wait(&s); pthread_mutex_unlock(&m); }
static struct timespec past;
static void put(void) { if (TRY) sem_post(&s); else pthread_mutex_unlock(&m); }
static void got(int *n) { *n = 0; }
static void given(int *n) { *n = 0; }
ASIF_SPEC(two, int)
ASIF_SPEC_OP(got, "get")
ASIF_SPEC_OP(given, "put")
ASIF_OBJECT(two)
ASIF_ROLE(getter, 1, get)
ASIF_ROLE(putter, 1, put)
ASIF_OP(get)
ASIF_OP(put)'
object <<<"${gives_up/TRY/pthread_mutex_timedlock(&m, &past)}"; all 0; as_test 0
object <<<"${gives_up/TRY/pthread_mutex_lock(&m)}"; all 1; says deadlock
object <<<"${gives_up/TRY/asif_choose(2) || pthread_mutex_lock(&m)}"; run 1 "$asif" verify o.c; says 'would call put, and wait'
object <<END_OF_C
static atomic_int s;
static void write(int v) { mtx_t m; mtx_init(&m, mtx_timed); mtx_lock(&m); s = mtx_timedlock(&m, NULL) == thrd_timedout ? v : 9; mtx_unlock(&m); }
static int read(void) { return s; }
$register
END_OF_C
all 0

# Condition variables: a queue of one cell. A signal that comes before the wait is lost.
cell="
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int value;
static void enq(int v) {
  pthread_mutex_lock(&m);
  while (value) pthread_cond_wait(&empty, &m);
  value = v;
  pthread_mutex_unlock(&m);
  pthread_cond_signal(&full);
}
static int deq(void) {
  pthread_mutex_lock(&m);
  while (!value) WAIT;
  int v = value;
  value = 0;
  pthread_mutex_unlock(&m);
  pthread_cond_signal(&empty);
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)"
object <<<"${cell/WAIT/pthread_cond_wait(&full, &m)}"
all 0 -n 2 -o 2; as_test 0
decided
sed 's/while (!value)/if (!value)/' o.c >if.c; sed 's/  pthread_cond_signal(&full);//' o.c >lost.c
mv if.c o.c; run 1 "$asif" verify o.c -n 3 -o 2; says 'not linearizable'
mv lost.c o.c; all 1; says 'Deadlock: an operation waits for a signal, and nobody is left to send one'; as_test 1

# The wait gives the mutex up and sleeps at once: unlocking first would lose the wake-up. Broadcast wakes all.
gate="
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int open;
static void set(void) { pthread_mutex_lock(&m); open = 1; WAKE(&c); pthread_mutex_unlock(&m); }
static int wait(void) { pthread_mutex_lock(&m); while (!open) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 1; }
ASIF_OBJECT(self)
ASIF_OP(set)
ASIF_OP(wait)
ASIF_ROLE(one, 1, set)
ASIF_ROLE(all, ASIF_REST, wait)"
object <<<"${gate/WAKE/pthread_cond_broadcast}"; all 0 -n 3; all 0 -n 4
object <<<"${gate/WAKE/pthread_cond_signal}"; run 0 "$asif" verify o.c -n 2
all 1 -n 3; says 'deadlock' # set may be called again, but need not be
as_test_of() { ! has test || { run "$1" "$asif" test o.c "${@:2}"; }; }
as_test_of 1 -n 3 -o 1

# A thread that has not called may call what waits by design, and may call what has missed its signal.
latch="
static sem_t never, done;
static atomic_int n;
static void start(void) { sem_init(&never, 0, 0); sem_init(&done, 0, 0); }
static void idle(void) { FIRST sem_wait(&never); }
static void await(void) { FIRST sem_wait(&done); }
static void down(void) { int k = DOWN; if (k + 1 == 2) sem_post(&done); }
struct st { int n; };
static void s_idle(struct st *s) { (void)s; asif_require(0); }
static void s_await(struct st *s) { asif_require(s->n >= 2); }
static void s_down(struct st *s) { s->n++; }
ASIF_INIT(start)
ASIF_OP(idle)
ASIF_OP(await)
ASIF_OP(down)
ASIF_SPEC(latch, struct st)
ASIF_SPEC_OP(s_idle, \"idle\")
ASIF_SPEC_OP(s_await, \"await\")
ASIF_SPEC_OP(s_down, \"down\")
ASIF_OBJECT(latch)
ASIF_ROLE(others, ASIF_REST, down)"
lost='atomic_load(&n); atomic_store(&n, k + 1)'
for waiter in 'idle, await' 'await, idle' await; do
  for first in '' 'atomic_load(&n);'; do
    two=$latch$'\n'"ASIF_ROLE(waiter, 1, $waiter)"
    two=${two//FIRST/$first}
    object <<<"${two/DOWN/$lost}"; all 1 -n 3 -o 1; says 'deadlock'; as_test_of 1 -n 3 -o 1; says 'deadlock'
    object <<<"${two/DOWN/atomic_fetch_add(&n, 1)}"; all 0 -n 3 -o 1; as_test_of 0 -n 3 -o 1
  done
done
object <<<"$(sed "s/FIRST//; s/DOWN/$(sed 's/&/\\&/g' <<<"$lost")/" <<<"$latch"; echo 'ASIF_ROLE(waiter, 1, idle, await)')"
run 1 "$asif" verify o.c -n 3 -o 1 --evidence way.evidence; says 'would call idle or await, and wait'
run 0 "$asif" replay way.evidence; says 'one waits for a signal'

# Who waits for what another operation may bring waits by design, also behind others that wait.
run 1 "$asif" verify "$root/objects/harness/bugs/lost_wakeup.c" --evidence lost.evidence; says 'deadlock'
run 0 "$asif" replay lost.evidence; says 'one waits for a signal'
preferred="
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int readers, writers, writes;
static void read_lock(void) { pthread_mutex_lock(&m); while (writes || writers) pthread_cond_wait(&c, &m); readers++; pthread_mutex_unlock(&m); }
static void read_unlock(void) { pthread_mutex_lock(&m); if (!--readers) pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); }
static void write_lock(void) { pthread_mutex_lock(&m); writers++; while (writes || readers) pthread_cond_wait(&c, &m); writers--; writes = 1; pthread_mutex_unlock(&m); }
static void write_unlock(void) { pthread_mutex_lock(&m); writes = 0; WAKE; pthread_mutex_unlock(&m); }
ASIF_OBJECT(rw_lock)
ASIF_OP_AS(read_lock, read_lock)
ASIF_OP_AS(read_unlock, read_unlock)
ASIF_OP_AS(write_lock, write_lock)
ASIF_OP_AS(write_unlock, write_unlock)"
object <<<"${preferred/WAKE/pthread_cond_broadcast(&c)}"; run 0 "$asif" verify o.c -n 3 -o 2
object <<<"${preferred/WAKE/}"; run 1 "$asif" verify o.c -n 2 -o 2; says 'deadlock'

# A token that is not given back: the next call waits at once.
token="
static sem_t free_;
static int s;
static void start(void) { sem_init(&free_, 0, 1); }
ASIF_INIT(start)
static void write(int v) { sem_wait(&free_); int same = s == v; s = v; if (GIVES) sem_post(&free_); }
static int read(void) { sem_wait(&free_); int v = s; sem_post(&free_); return v; }
$register"
object <<<"${token/GIVES/1 || same}"; all 0 -n 3; decided; as_test 0
object <<<"${token/GIVES/!same}"; all 1 -o 2; says "no return"

# Locks for readers and writers.
rw="
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;
static void write(int v) { pthread_rwlock_wrlock(&l); a = v; b = v; pthread_rwlock_unlock(&l); }
static int read(void) { pthread_rwlock_rdlock(&l); int v = a == b ? a : 7; pthread_rwlock_unlock(&l); return v; }
$register"
object <<<"$rw"; all 0 -n 3; as_test 0
object <<<"${rw/wrlock/rdlock}"; run 1 "$asif" verify o.c; says 'data race'; as_test 1
object <<<"${rw/a = v; b = v; pthread_rwlock_unlock/a = v; b = v; pthread_rwlock_wrlock}"; all 1; says 'deadlock'
object <<<"${rw/int v = a == b/pthread_rwlock_unlock(&l); int v = a == b}"
run 1 "$asif" verify o.c -n 1

# Semaphores, barriers, once.
object <<END_OF_C
static sem_t items;
static atomic_int next;
static void start(void) { sem_init(&items, 0, 0); }
ASIF_INIT(start)
static void enq(int v) { int none = 0; while (!atomic_compare_exchange_strong(&next, &none, v)) none = 0; sem_post(&items); }
static int deq(void) { if (sem_wait(&items)) return 7; return atomic_exchange(&next, 0); }
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
END_OF_C
all 0 -o 2 -n 2
sed -i 's/if (sem_wait(&items)) return 7;/if (sem_trywait(\&items)) return errno == EAGAIN ? ASIF_EMPTY : 7;/' o.c; all 0
sed -i 's/sem_post(&items);//' o.c; run 1 "$asif" verify o.c -o 2; says 'not linearizable'
object <<END_OF_C
static pthread_barrier_t b;
static atomic_int came;
static void start(void) { pthread_barrier_init(&b, NULL, 2); }
ASIF_INIT(start)
static int meet(void) { came++; pthread_barrier_wait(&b); return came >= 2; }
static int always(int *s) { return *s == 0; }
ASIF_SPEC(met, int)
ASIF_SPEC_OP(always, "meet")
ASIF_OBJECT(met)
ASIF_OP(meet)
END_OF_C
run 0 "$asif" verify o.c -n 2 -o 2
sed -i 's/pthread_barrier_wait(&b);//' o.c; run 1 "$asif" verify o.c -n 2
once="
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int ready;
static atomic_int s;
static void make(void) { ready++; }
static void write(int v) { pthread_once(&o, make); s = ready == 1 ? v : 7; }
static int read(void) { pthread_once(&o, make); return ready == 1 ? s : 8; }
$register"
object <<<"$once"; all 0 -n 3 -o 2; as_test 0
object <<<"${once/ready++;/ready++; pthread_once(&o, make);}"
run 1 "$asif" verify o.c --recursion 2; says 'deadlock'
object <<<"${once/pthread_once(&o, make); s/make(); s}"; run 1 "$asif" verify o.c
