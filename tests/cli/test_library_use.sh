#!/bin/bash
# The threads libraries of C and C++ under asif test: of each thing a right use, where nothing is found, and a wrong one, which is.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
compilers=$(command -v gcc >/dev/null && echo gcc || echo cc)
[ -z "${ASIF_LONG-}" ] || ! command -v clang >/dev/null || compilers="$compilers clang"

# use STATUS-WORDS OPERATION OPERATION: the two, concurrently.
use() {
  out=$("$asif" test uses.o --client "run_$2() | run_$3()" ${options-} 2>err); got=$? err=$(cat err)
  case $out in *"$1"*) ;; *) fail "$compiler: $2 and $3: stdout lacks '$1': $out $err" ;; esac
  silent
}
right() { use 'verdict: linearizable' "$@"; }

cat >uses.h <<'END'
#include <asif.h>
#define OP(name) \
  static int run_##name(void) { return name() == 12345 ? 5 : ASIF_OK; } \
  ASIF_OP_AS(increment, run_##name)
ASIF_OBJECT(counter)
END
cat >uses.c <<'END'
#include "uses.h"
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int data, sums[2];
static pthread_barrier_t barrier;
static sem_t semaphore, guard;
static pthread_key_t right_key, wrong_key;
int ended_plain;
static _Atomic int ended, word;
static void end_right(void *p) { ended++; free(p); }
static void end_wrong(void *p) { ended_plain++; free(p); }
static void start(void) {
  pthread_barrier_init(&barrier, 0, 2);
  sem_init(&semaphore, 0, 0);
  sem_init(&guard, 0, 1);
  pthread_key_create(&right_key, end_right);
  pthread_key_create(&wrong_key, end_wrong);
}
ASIF_INIT(start)

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int read_right(void) { pthread_rwlock_rdlock(&lock); int v = data; pthread_rwlock_unlock(&lock); return v; }
static int read_wrong(void) { pthread_rwlock_rdlock(&lock); int v = data++; pthread_rwlock_unlock(&lock); return v; }
static int write_right(void) { pthread_rwlock_wrlock(&lock); int v = data++; pthread_rwlock_unlock(&lock); return v; }
static int upgrade(void) { pthread_rwlock_rdlock(&lock); pthread_rwlock_wrlock(&lock); pthread_rwlock_unlock(&lock); pthread_rwlock_unlock(&lock); return 0; }
static int try_write(void) { if (pthread_rwlock_trywrlock(&lock)) return 0; int v = data++; pthread_rwlock_unlock(&lock); return v; }
OP(read_right) OP(read_wrong) OP(write_right) OP(upgrade) OP(try_write)

static int meet(void) { int t = asif_thread(); sums[t] = 1; pthread_barrier_wait(&barrier); assert(sums[0] + sums[1] == 2); return 0; }
static int meet_late(void) { pthread_barrier_wait(&barrier); sums[0] = 1; return 0; }
static int meet_not(void) { data = 1; return 0; }
OP(meet) OP(meet_late) OP(meet_not)

static int down(void) { sem_wait(&semaphore); return data; }
static int up(void) { data = 1; sem_post(&semaphore); return 0; }
static int up_early(void) { sem_post(&semaphore); data = 1; return 0; }
static int up_not(void) { return 0; }
static int guarded(void) { sem_wait(&guard); int v = data++; sem_post(&guard); return v; }
static int tried(void) { if (sem_trywait(&guard)) return 0; int v = data++; sem_post(&guard); return v; }
static int tried_wrong(void) { sem_trywait(&guard); int v = data++; sem_post(&guard); return v; }
OP(down) OP(up) OP(up_early) OP(up_not) OP(guarded) OP(tried) OP(tried_wrong)

static int own_right(void) { pthread_setspecific(right_key, malloc(1)); return 0; }
static int own_wrong(void) { pthread_setspecific(wrong_key, malloc(1)); return 0; }
OP(own_right) OP(own_wrong)

static int futex(int op, int value) { return (int)syscall(SYS_futex, &word, op, value, 0, 0, 0); }
static int sleep_right(void) { while (!word) futex(FUTEX_WAIT_PRIVATE, 0); return data; }
static int wake_right(void) { data = 1; word = 1; futex(FUTEX_WAKE_PRIVATE, INT_MAX); return 0; }
static int wake_before(void) { data = 1; futex(FUTEX_WAKE_PRIVATE, INT_MAX); word = 1; return 0; }
static int wake_late(void) { word = 1; futex(FUTEX_WAKE_PRIVATE, INT_MAX); data = 1; return 0; }
OP(sleep_right) OP(wake_right) OP(wake_before) OP(wake_late)

static void *body(void *p) { data++; return p; }
static int joined(void) { pthread_t t; pthread_create(&t, 0, body, 0); pthread_join(t, 0); return 0; }
static int not_joined(void) { pthread_t t; pthread_create(&t, 0, body, 0); int v = data; pthread_join(t, 0); return v; }
OP(joined) OP(not_joined) OP(nothing)
END
sed -i 's/^OP(joined)/static int nothing(void) { return 0; }\nOP(joined)/' uses.c
for compiler in $compilers; do
  ASIF_CC=$compiler "$asif" cc -I"$root/include" -c uses.c -o uses.o || fail "uses.c does not compile"
  right read_right read_right; right read_right write_right; right read_right try_write
  use 'data race' read_wrong read_right; use deadlock upgrade upgrade
  right meet meet; use 'data race' meet meet_late; use 'operations wait for ever' meet meet_not
  right down up; use 'data race' down up_early; use 'operations wait for ever' down up_not; right guarded tried; use 'data race' guarded tried_wrong
  right own_right own_right; use 'data race' own_wrong own_wrong
  right sleep_right wake_right; use deadlock sleep_right wake_before; use 'data race' sleep_right wake_late
  right joined nothing; use 'data race' not_joined nothing
done

cat >uses.cc <<'END'
#include "uses.h"
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stdexcept>

// Thread-local objects: their destructors run when the thread ends.
static std::atomic<int> ended;
int ended_plain;
struct right_end { int v = 0; ~right_end() { ended++; } };
struct wrong_end { int v = 0; ~wrong_end() { ended_plain++; } };
static int local_right() { static thread_local right_end own; return own.v++; }
static int local_wrong() { static thread_local wrong_end own; return own.v++; }
OP(local_right) OP(local_wrong)

// Exceptions: a guard unlocks on the way; one that leaves the operation ends the program.
static std::mutex mutex;
int guarded;
static int throw_right() {
  try {
    std::lock_guard<std::mutex> held(mutex);
    guarded++;
    throw std::runtime_error("on purpose");
  } catch (const std::exception &) { return 1; }
}
static int throw_wrong() {
  try {
    mutex.lock();
    guarded++;
    throw std::runtime_error("on purpose");
  } catch (const std::exception &) { return 1; }
}
static int throw_out() { std::lock_guard<std::mutex> held(mutex); throw std::runtime_error("on purpose"); }
OP(throw_right) OP(throw_wrong) OP(throw_out)

// call_once, also where the first try fails.
static std::once_flag once, again;
int made, tries;
bool made_plain;
static int once_right() { std::call_once(once, [] { made = 7; }); return made; }
static int once_wrong() { if (!made_plain) made = 7, made_plain = true; return made; }
static int once_throws() {
  try { std::call_once(again, [] { if (++tries == 1) throw 1; }); } catch (int) {}
  return 0;
}
OP(once_right) OP(once_wrong) OP(once_throws)

// shared_ptr: copies are independent of each other, one pointer for several threads is not.
static std::shared_ptr<int> shared = std::make_shared<int>(1);
static int shared_right() { std::shared_ptr<int> own = shared; return *own; }
static int shared_wrong() { shared = std::make_shared<int>(2); return 1; }
OP(shared_right) OP(shared_wrong)
#ifdef __cpp_lib_atomic_shared_ptr
static std::atomic<std::shared_ptr<int>> atomic_shared{std::make_shared<int>(1)};
static int atomic_load() { std::shared_ptr<int> own = atomic_shared.load(); return *own; }
static int atomic_store() { atomic_shared.store(std::make_shared<int>(2)); return 1; }
static int atomic_wrong() { return ++*atomic_shared.load(); }
OP(atomic_load) OP(atomic_store) OP(atomic_wrong)
#endif

// Waiting for an atomic variable.
static std::atomic<int> word;
int waited;
static int wait_for() { word.wait(0); return waited; }
static int wake_right() { waited = 1; word = 1; word.notify_all(); return 1; }
static int wake_not() { waited = 1; word = 1; return 1; }
static int wake_late() { word = 1; word.notify_all(); waited = 1; return 1; }
OP(wait_for) OP(wake_right) OP(wake_not) OP(wake_late)

// Semaphores, latches, barriers.
static std::counting_semaphore<2> semaphore{0};
int behind, arrivals[2], phases[2];
static int acquire() { semaphore.acquire(); return behind; }
static int release_right() { behind = 1; semaphore.release(); return 1; }
static int release_early() { semaphore.release(); behind = 1; return 1; }
static std::latch latch{2};
static int arrive() { arrivals[asif_thread()] = 1; latch.arrive_and_wait(); assert(arrivals[0] + arrivals[1] == 2); return 0; }
static int arrive_late() { latch.count_down(); arrivals[0] = 1; return 1; }
static int arrive_not() { return 1; }
static std::barrier<> barrier{2};
static int phase() { phases[asif_thread()] = 1; barrier.arrive_and_wait(); assert(phases[0] + phases[1] == 2); return 0; }
static int phase_late() { (void)barrier.arrive(); phases[0] = 1; return 1; }
OP(acquire) OP(release_right) OP(release_early) OP(arrive) OP(arrive_late) OP(arrive_not) OP(phase) OP(phase_late)
END
echo 'race:std::_Sp_atomic' >known.txt
for compiler in $compilers; do
  [ $compiler != clang ] || compiler=clang++
  [ $compiler = clang++ ] || compiler=c++
  ASIF_CXX=$compiler "$asif" c++ -std=c++20 -I"$root/include" -c uses.cc -o uses.o 2>said || { echo "skipped: $compiler does not compile C++20: $(head -3 said)"; continue; }
  export CXX=$compiler
  right local_right local_right; use 'data race' local_wrong local_wrong
  right throw_right throw_right; use deadlock throw_wrong throw_right; use 'throws std::runtime_error, and nobody catches it' throw_out throw_right
  right once_right once_right; use 'data race' once_right once_wrong; right once_throws once_throws
  right shared_right shared_right; use 'data race' shared_right shared_wrong
  if grep -q run_atomic_load uses.o; then
    # GCC 12's unlocks with a relaxed store in load(): a race by the letter, which later releases tell the thread sanitizer not to report.
    options='--suppressions known.txt' right atomic_load atomic_store
    options='--suppressions known.txt' use 'data race' atomic_load atomic_wrong
  fi
  right wait_for wake_right; use deadlock wait_for wake_not; use 'data race' wait_for wake_late
  right acquire release_right; use 'data race' acquire release_early
  right arrive arrive; use 'data race' arrive arrive_late; use 'operations wait for ever' arrive arrive_not
  right phase phase; use 'data race' phase phase_late
done
