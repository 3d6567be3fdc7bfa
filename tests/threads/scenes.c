/* Scenes for tests/test_threads.c: each is run under all schedules. NAME_0, NAME_1, ... are the threads. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Not static: so that they have names at run time. */
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
atomic_int flag;
static atomic_int count;
static int plain;

/* Mutexes. */

static void *add(void *n) {
  pthread_mutex_lock(&a);
  int old = plain;
  plain = old + (int)(intptr_t)n;
  pthread_mutex_unlock(&a);
  return NULL;
}
long mutex_0(void) { return add((void *)1), 0; }
long mutex_1(void) { return add((void *)2), 0; }
long mutex_2(void) { return add((void *)4), 0; }

long two_locks_0(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
long two_locks_1(void) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}

long relock(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&a);
  return 0;
}

long kept_0(void) { return pthread_mutex_lock(&a); }
long kept_1(void) { return pthread_mutex_lock(&a); }

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
long recursive_0(void) {
  assert(!pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&recursive) && !pthread_mutex_trylock(&recursive));
  plain++;
  assert(!pthread_mutex_unlock(&recursive) && !pthread_mutex_unlock(&recursive));
  plain++;
  assert(!pthread_mutex_unlock(&recursive));
  assert(pthread_mutex_unlock(&recursive) == EPERM);
  return 0;
}
long recursive_1(void) { return recursive_0(); }

long checked_0(void) {
  assert(pthread_mutex_unlock(&checked) == EPERM);
  assert(!pthread_mutex_lock(&checked));
  assert(pthread_mutex_lock(&checked) == EDEADLK && pthread_mutex_trylock(&checked) == EBUSY);
  return pthread_mutex_unlock(&checked);
}
long checked_1(void) { return checked_0(); }

static pthread_mutex_t *made;
void made_init(void) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
  made = malloc(sizeof *made);
  pthread_mutex_init(made, &how);
}
long made_0(void) {
  pthread_mutex_lock(made);
  pthread_mutex_lock(made);
  plain++;
  pthread_mutex_unlock(made);
  return pthread_mutex_unlock(made);
}
long made_1(void) { return made_0(); }

long try_0(void) {
  if (pthread_mutex_trylock(&a)) return 1;
  plain++;
  pthread_mutex_unlock(&a);
  return 0;
}
long try_1(void) { return try_0(); }

long timed_lock_0(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += 5;
  int error = pthread_mutex_timedlock(&a, &t);
  if (error) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(error == ETIMEDOUT && now.tv_sec >= t.tv_sec);
    return 1;
  }
  pthread_mutex_unlock(&a);
  return 0;
}
long timed_lock_1(void) { return two_locks_0(); }

/* Misuse. */

long unlocks_other_0(void) { return pthread_mutex_lock(&a); }
long unlocks_other_1(void) {
  if (pthread_mutex_trylock(&a)) pthread_mutex_unlock(&a);
  return 0;
}
long unlocks_free(void) { return pthread_mutex_unlock(&a); }
long destroys_held_0(void) {
  pthread_mutex_lock(&a);
  return pthread_mutex_unlock(&a);
}
long destroys_held_1(void) { return pthread_mutex_destroy(&a); }
long uses_destroyed(void) {
  pthread_mutex_destroy(&a);
  return pthread_mutex_lock(&a);
}
long uses_freed(void) {
  pthread_mutex_t *m = malloc(sizeof *m);
  pthread_mutex_init(m, NULL);
  free(m);
  return pthread_mutex_lock(m);
}
long waits_unlocked(void) { return pthread_cond_wait(&cond, &a); }
long joins_twice(void) {
  pthread_t t;
  pthread_create(&t, NULL, add, NULL);
  pthread_join(t, NULL);
  return pthread_join(t, NULL);
}
long cancels(void) { return pthread_cancel(pthread_self()); }

/* Condition variables. */

/* The flag is looked at without the mutex: the signal may be sent before the wait. */
long lost_wakeup_0(void) {
  if (atomic_load(&flag)) return 0;
  pthread_mutex_lock(&a);
  pthread_cond_wait(&cond, &a);
  pthread_mutex_unlock(&a);
  return 0;
}
long lost_wakeup_1(void) {
  atomic_store(&flag, 1);
  pthread_mutex_lock(&a);
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&a);
  return 0;
}

static int items[4], in, out;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static void put(int v) {
  pthread_mutex_lock(&a);
  while (in - out == 1) pthread_cond_wait(&emptied, &a);
  items[in++ % 4] = v;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&a);
}
static int take(void) {
  pthread_mutex_lock(&a);
  while (in == out) pthread_cond_wait(&filled, &a);
  int v = items[out++ % 4];
  pthread_cond_signal(&emptied);
  pthread_mutex_unlock(&a);
  return v;
}
long queue_0(void) { return put(1), put(2), 0; }
long queue_1(void) { return take() * 10 + take(); }

/* Who is woken first? */
static long wait_in_line(void) {
  pthread_mutex_lock(&a);
  atomic_fetch_add(&count, 1);
  pthread_cond_wait(&cond, &a);
  long place = ++plain;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&a);
  return place;
}
long which_0(void) { return wait_in_line(); }
long which_1(void) { return wait_in_line(); }
long which_2(void) {
  while (atomic_load(&count) < 2) ;
  pthread_mutex_lock(&a); /* both wait now */
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&a);
  return 0;
}

/* Only those that wait when it is sent can take a signal. */
long late_0(void) {
  pthread_mutex_lock(&a);
  atomic_store(&flag, 1);
  pthread_cond_wait(&cond, &a);
  pthread_mutex_unlock(&a);
  return 0;
}
long late_1(void) {
  while (!atomic_load(&flag)) ;
  pthread_mutex_lock(&a);
  pthread_cond_signal(&cond);
  pthread_cond_wait(&cond, &a); /* its own signal is not for itself */
  pthread_mutex_unlock(&a);
  return 0;
}

static long wait_for_all(void) {
  pthread_mutex_lock(&a);
  while (!plain) pthread_cond_wait(&cond, &a);
  pthread_mutex_unlock(&a);
  return 0;
}
long all_0(void) { return wait_for_all(); }
long all_1(void) { return wait_for_all(); }
long all_2(void) {
  pthread_mutex_lock(&a);
  plain = 1;
  pthread_cond_broadcast(&cond);
  pthread_mutex_unlock(&a);
  return 0;
}

static struct timespec in_seconds(clockid_t clock, int seconds) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += seconds;
  return t;
}
long timed_wait_0(void) {
  struct timespec t = in_seconds(CLOCK_MONOTONIC, 3);
  long result = 0;
  pthread_mutex_lock(&a);
  while (!plain && !result) result = pthread_cond_clockwait(&cond, &a, CLOCK_MONOTONIC, &t);
  result = plain ? 1 : 2;
  pthread_mutex_unlock(&a);
  return result;
}
long timed_wait_1(void) { return all_2(); }
long timed_loop_0(void) {
  long rounds = 0;
  pthread_mutex_lock(&a);
  for (; !plain; rounds++) {
    struct timespec t = in_seconds(CLOCK_MONOTONIC, 1);
    pthread_cond_clockwait(&cond, &a, CLOCK_MONOTONIC, &t);
  }
  pthread_mutex_unlock(&a);
  return rounds > 4;
}
long timed_loop_1(void) { return all_2(); }
long timed_out(void) {
  struct timespec t = in_seconds(CLOCK_REALTIME, 3), now;
  pthread_mutex_lock(&a);
  int error = pthread_cond_timedwait(&cond, &a, &t);
  pthread_mutex_unlock(&a);
  clock_gettime(CLOCK_REALTIME, &now);
  assert(now.tv_sec >= t.tv_sec);
  return error == ETIMEDOUT;
}

long destroys_waited_0(void) {
  pthread_mutex_lock(&a);
  atomic_store(&flag, 1);
  return pthread_cond_wait(&cond, &a);
}
long destroys_waited_1(void) {
  while (!atomic_load(&flag)) ;
  pthread_mutex_lock(&a);
  return pthread_cond_destroy(&cond);
}

/* Loops that wait. */

long spin_0(void) {
  while (!atomic_load(&flag)) ;
  return plain;
}
long spin_1(void) {
  plain = 7;
  atomic_store(&flag, 1);
  return 0;
}

static volatile int old_flag;
long spin_volatile_0(void) {
  while (!old_flag) ;
  return 0;
}
long spin_volatile_1(void) { return old_flag = 1; }

long spin_yield_0(void) {
  while (!atomic_load(&flag)) sched_yield();
  return 0;
}
long spin_yield_1(void) { return spin_1(); }
long spin_sleep_0(void) {
  struct timespec t = {0, 1000};
  while (!atomic_load(&flag)) {
    usleep(10);
    nanosleep(&t, NULL);
  }
  return 0;
}
long spin_sleep_1(void) { return spin_1(); }

/* Two places are read in each round. */
static atomic_int other;
long spin_both_0(void) {
  while (!atomic_load(&flag) || !atomic_load(&other)) ;
  return 0;
}
long spin_both_1(void) {
  atomic_store(&other, 1);
  atomic_store(&flag, 1);
  return 0;
}
long spin_sum_0(void) {
  while (atomic_load(&flag) + atomic_load(&other) < 2) ;
  return 0;
}
long spin_sum_1(void) { return atomic_store(&flag, 1), 0; }
long spin_sum_2(void) { return atomic_store(&other, 1), 0; }

/* A local toggle: the loop is of two rounds. */
long spin_toggle_0(void) {
  for (int i = 0;; i = !i)
    if (atomic_load(i ? &flag : &other)) return i;
}
long spin_toggle_1(void) { return atomic_store(&flag, 1), 0; }

static void spin_lock(void) {
  while (atomic_exchange(&flag, 1)) ;
}
static void spin_unlock(void) { atomic_store(&flag, 0); }
long test_and_set_0(void) {
  spin_lock();
  plain++;
  spin_unlock();
  return 0;
}
long test_and_set_1(void) { return test_and_set_0(); }
long test_and_set_2(void) { return test_and_set_0(); }

static atomic_uint next, serving;
long ticket_0(void) {
  unsigned mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != mine) sched_yield();
  plain++;
  atomic_store(&serving, mine + 1);
  return 0;
}
long ticket_1(void) { return ticket_0(); }

long exchange_loop_0(void) {
  int expected = 0;
  while (!atomic_compare_exchange_weak(&flag, &expected, 1)) expected = 0;
  plain++;
  atomic_store(&flag, 0);
  return 0;
}
long exchange_loop_1(void) { return exchange_loop_0(); }

long try_loop_0(void) {
  while (pthread_mutex_trylock(&a)) sched_yield();
  plain++;
  pthread_mutex_unlock(&a);
  return 0;
}
long try_loop_1(void) { return try_loop_0(); }

static pthread_spinlock_t spinlock;
void spinlock_init(void) { pthread_spin_init(&spinlock, 0); }
long spinlock_0(void) {
  pthread_spin_lock(&spinlock);
  plain++;
  pthread_spin_unlock(&spinlock);
  return 0;
}
long spinlock_1(void) {
  while (pthread_spin_trylock(&spinlock)) ;
  plain++;
  pthread_spin_unlock(&spinlock);
  return 0;
}

/* It counts its tries: that is no waiting for ever, however it is compiled. */
long counts_0(void) {
  for (int i = 0; i < 6; i++)
    if (atomic_load(&flag)) return 1;
  return 2;
}
long counts_1(void) { return spin_1(); }
static int tries;
long counts_global(void) {
  while (!atomic_load(&flag))
    if (++tries == 40) return tries;
  return 0;
}
long counts_alone(void) {
  volatile int n = 0;
  while (!atomic_load(&flag))
    if (++n == 40) return n;
  return 0;
}
long counts_time(void) {
  struct timespec t = in_seconds(CLOCK_MONOTONIC, 0), now = t;
  while (!atomic_load(&flag) && now.tv_nsec < t.tv_nsec + 20000) clock_gettime(CLOCK_MONOTONIC, &now);
  return 1;
}
long counts_random(void) {
  while (!atomic_load(&flag) && rand() % 16) ;
  return 1;
}
/* A backoff that grows up to a limit: then it waits. */
long backoff_0(void) {
  for (int pause = 1; !atomic_load(&flag); pause = pause < 8 ? 2 * pause : 8)
    for (int i = 0; i < pause; i++) __asm__ volatile("");
  return 0;
}
long backoff_1(void) { return spin_1(); }

/* Livelocks. */

long never_set_0(void) { return spin_0(); }
long never_set_1(void) { return atomic_load(&flag); }
long spin_and_lock_0(void) {
  pthread_mutex_lock(&a);
  spin_0();
  return pthread_mutex_unlock(&a);
}
long spin_and_lock_1(void) {
  pthread_mutex_lock(&a);
  atomic_store(&flag, 1);
  return pthread_mutex_unlock(&a);
}

/* After you: each withdraws when it sees the other. */
static atomic_int wants[2];
static long polite(int me) {
  for (;;) {
    atomic_store(&wants[me], 1);
    if (!atomic_load(&wants[!me])) break;
    atomic_store(&wants[me], 0);
  }
  atomic_store(&wants[me], 0);
  return 0;
}
long polite_0(void) { return polite(0); }
long polite_1(void) { return polite(1); }

/* It does something, and undoes it. */
long undoes(void) {
  for (;;) {
    atomic_fetch_add(&count, 1);
    atomic_fetch_sub(&count, 1);
  }
}

/* It looks with the mutex held, again and again. */
long polls_0(void) {
  for (;;) {
    pthread_mutex_lock(&a);
    int seen = plain;
    pthread_mutex_unlock(&a);
    if (seen) return 0;
    sched_yield();
  }
}
long polls_1(void) {
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  return 0;
}
long polls_set_0(void) { return polls_0(); }
long polls_set_1(void) { return add((void *)1), 0; }

long polls_many_0(void) { return polls_0(); }
long polls_many_1(void) { return polls_0(); }
long polls_many_2(void) { return add((void *)1), 0; }
/* What it waits for is atomic, and it has two mutexes. */
long polls_two_0(void) {
  for (int seen = 0; !seen;) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    seen = atomic_load(&flag);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
  }
  return 0;
}
long polls_two_1(void) {
  pthread_mutex_lock(&b);
  atomic_store(&flag, 1);
  return pthread_mutex_unlock(&b);
}
/* It writes, if not always with the mutex. */
long polls_counts(void) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    tries++;
  }
  while (tries < 40) {
    pthread_mutex_lock(&a);
    tries++;
    pthread_mutex_unlock(&a);
  }
  return tries;
}
/* Nobody waits with the mutex that another needs, or for one that is free. */
long polls_try_0(void) {
  for (;;) {
    pthread_mutex_lock(&a);
    int seen = plain;
    atomic_load(&flag);
    pthread_mutex_unlock(&a);
    if (seen) return 0;
  }
}
long polls_try_1(void) {
  while (pthread_mutex_trylock(&a)) ;
  plain = 1;
  return pthread_mutex_unlock(&a);
}

/* A counter that goes round is no state that comes again: it ends. */
long rounds(void) {
  for (int i = 0; i < 3000; i++) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
  }
  return 1;
}
/* The same, where what counts is in memory. */
long rounds_memory(void) {
  static int *at;
  at = malloc(sizeof *at);
  for (*at = 0; *at < 3000; ++*at) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
  }
  return 1;
}

/* Once. */

static pthread_once_t control = PTHREAD_ONCE_INIT;
static once_flag c11_control = ONCE_FLAG_INIT;
static void initialise(void) {
  plain++;
  atomic_fetch_add(&count, 1);
}
long once_0(void) {
  pthread_once(&control, initialise);
  return plain;
}
long once_1(void) { return once_0(); }
long once_c11_0(void) {
  call_once(&c11_control, initialise);
  return plain;
}
long once_c11_1(void) { return once_c11_0(); }
static void again(void) { pthread_once(&control, again); }
long once_again(void) { return pthread_once(&control, again); }

/* Barriers, read-write locks, semaphores. */

pthread_barrier_t barrier;
static int each[3];
void barrier_init(void) { pthread_barrier_init(&barrier, NULL, 2); }
static long meet(int me) {
  each[me] = 1;
  int first = pthread_barrier_wait(&barrier);
  assert(each[!me] == 1);
  int second = pthread_barrier_wait(&barrier);
  each[!me] = 2;
  return (first == PTHREAD_BARRIER_SERIAL_THREAD) * 2 + (second == PTHREAD_BARRIER_SERIAL_THREAD);
}
long barrier_0(void) { return meet(0); }
long barrier_1(void) { return meet(1); }
void lonely_init(void) { barrier_init(); }
long lonely(void) { return pthread_barrier_wait(&barrier); }

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long reads(void) {
  pthread_rwlock_rdlock(&rwlock);
  int first = plain;
  int inside = atomic_fetch_add(&count, 1);
  int second = plain;
  atomic_fetch_sub(&count, 1);
  pthread_rwlock_unlock(&rwlock);
  assert(first == second);
  return inside;
}
long readers_0(void) { return reads(); }
long readers_1(void) { return reads(); }
long readers_2(void) {
  pthread_rwlock_wrlock(&rwlock);
  plain++;
  assert(!atomic_load(&count));
  pthread_rwlock_unlock(&rwlock);
  return 0;
}
long rw_try_0(void) {
  if (pthread_rwlock_trywrlock(&rwlock)) return 1;
  assert(pthread_rwlock_rdlock(&rwlock) == EDEADLK);
  plain++;
  return pthread_rwlock_unlock(&rwlock);
}
long rw_try_1(void) {
  if (pthread_rwlock_tryrdlock(&rwlock)) return 1;
  assert(!pthread_rwlock_rdlock(&rwlock));
  pthread_rwlock_unlock(&rwlock);
  int v = plain;
  return v * 0 + pthread_rwlock_unlock(&rwlock);
}
long rw_upgrade(void) {
  pthread_rwlock_rdlock(&rwlock);
  return pthread_rwlock_wrlock(&rwlock);
}
long rw_misuse_0(void) { return pthread_rwlock_wrlock(&rwlock); }
long rw_misuse_1(void) { return pthread_rwlock_unlock(&rwlock); }

static sem_t semaphore;
sem_t back;
void semaphore_init(void) {
  sem_init(&semaphore, 0, 0);
  sem_init(&back, 0, 0);
}
long semaphore_0(void) {
  plain = 1;
  sem_post(&semaphore);
  sem_wait(&back);
  return plain;
}
long semaphore_1(void) {
  sem_wait(&semaphore);
  plain++;
  sem_post(&back);
  return sem_trywait(&semaphore) ? errno : 0;
}
void sem_lost_init(void) { semaphore_init(); }
long sem_lost_0(void) {
  if (sem_trywait(&semaphore)) sem_wait(&back);
  return 0;
}
long sem_lost_1(void) { return sem_post(&semaphore); }

/* Threads. */

static void *started(void *n) {
  plain += (int)(intptr_t)n;
  return (void *)((intptr_t)n + 1);
}
long create(void) {
  pthread_t t, u;
  void *result;
  plain = 1;
  pthread_create(&t, NULL, started, (void *)4);
  assert(!pthread_equal(t, pthread_self()));
  pthread_join(t, &result);
  pthread_create(&u, NULL, started, (void *)8);
  assert(!pthread_equal(t, u));
  pthread_join(u, NULL);
  return plain * 100 + (long)(intptr_t)result;
}
static void *adds(void *n) {
  atomic_fetch_add(&count, (int)(intptr_t)n);
  return NULL;
}
long create_two(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, adds, (void *)1);
  pthread_create(&u, NULL, adds, (void *)2);
  int seen = atomic_load(&count);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  assert(atomic_load(&count) == 3);
  return seen;
}
long join_each_0(void) { return create_two() * 0; }
long join_each_1(void) {
  pthread_t t;
  pthread_create(&t, NULL, add, (void *)1);
  return pthread_detach(t);
}
static _Noreturn void leave(long n) { pthread_exit((void *)n); }
static void cleanup(void *n) { atomic_fetch_add(&count, (int)(intptr_t)n); }
static void *leaves(void *n) {
  pthread_cleanup_push(cleanup, (void *)10);
  pthread_cleanup_push(cleanup, (void *)20);
  leave((long)(intptr_t)n);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}
long exits(void) {
  pthread_t t;
  void *result;
  pthread_create(&t, NULL, leaves, (void *)5);
  pthread_join(t, &result);
  return (long)(intptr_t)result + atomic_load(&count);
}
static void *never(void *n) {
  pthread_mutex_lock(&a);
  for (;;) pthread_cond_wait(&cond, &a);
}
/* A thread in the background that waits for work is no deadlock. */
void background_init(void) {
  pthread_t t;
  pthread_create(&t, NULL, never, NULL);
}
long background(void) {
  pthread_mutex_lock(&a);
  pthread_cond_signal(&cond);
  return pthread_mutex_unlock(&a);
}
long join_stuck(void) {
  pthread_t t;
  pthread_create(&t, NULL, never, NULL);
  return pthread_join(t, NULL);
}

static pthread_key_t key;
static void ended(void *n) { atomic_fetch_add(&count, (int)(intptr_t)n); }
void keys_init(void) { pthread_key_create(&key, ended); }
static void *sets(void *n) {
  assert(!pthread_getspecific(key));
  pthread_setspecific(key, n);
  sched_yield();
  assert(pthread_getspecific(key) == n);
  return NULL;
}
long keys(void) {
  pthread_t t, u;
  pthread_setspecific(key, (void *)100);
  pthread_create(&t, NULL, sets, (void *)1);
  pthread_create(&u, NULL, sets, (void *)2);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  assert(pthread_getspecific(key) == (void *)100);
  return atomic_load(&count);
}

static _Thread_local int own = 5;
static void *changes(void *n) {
  own += (int)(intptr_t)n;
  errno = (int)(intptr_t)n;
  sched_yield();
  assert(errno == (int)(intptr_t)n);
  return (void *)(intptr_t)own;
}
long locals(void) {
  pthread_t t, u;
  void *first, *second;
  pthread_create(&t, NULL, changes, (void *)1);
  pthread_create(&u, NULL, changes, (void *)2);
  pthread_join(t, &first);
  pthread_join(u, &second);
  return own * 100 + (long)(intptr_t)first * 10 + (long)(intptr_t)second;
}

/* C11. */

static mtx_t mtx;
static cnd_t cnd;
static tss_t tss;
static int c11_thread(void *n) {
  mtx_lock(&mtx);
  plain += *(int *)n;
  tss_set(tss, n);
  cnd_signal(&cnd);
  mtx_unlock(&mtx);
  assert(tss_get(tss) == n);
  thrd_yield();
  return -plain * 0 - 3;
}
static void tss_ended(void *n) { atomic_fetch_add(&count, *(int *)n); }
long c11(void) {
  thrd_t t;
  int n = 6, result;
  mtx_init(&mtx, mtx_plain);
  cnd_init(&cnd);
  tss_create(&tss, tss_ended);
  mtx_lock(&mtx);
  assert(thrd_create(&t, c11_thread, &n) == thrd_success);
  assert(!thrd_equal(t, thrd_current()));
  while (!plain) cnd_wait(&cnd, &mtx);
  assert(mtx_trylock(&mtx) == thrd_busy);
  mtx_unlock(&mtx);
  assert(thrd_join(t, &result) == thrd_success && result == -3);
  cnd_destroy(&cnd);
  mtx_destroy(&mtx);
  tss_delete(tss);
  return plain * 10 + atomic_load(&count);
}

/* Futexes. */

atomic_uint word;
static long futex(int what, unsigned value) { return syscall(SYS_futex, &word, what, value, NULL, NULL, 0); }
long futex_0(void) {
  while (!atomic_load(&word)) {
    long r = futex(FUTEX_WAIT_PRIVATE, 0);
    assert(!r || errno == EAGAIN);
  }
  return plain;
}
long futex_1(void) {
  plain = 3;
  atomic_store(&word, 1);
  return futex(FUTEX_WAKE_PRIVATE, 1) * 0;
}
long futex_lost_0(void) { return futex(FUTEX_WAIT, 0) * 0; }
long futex_lost_1(void) { return futex(FUTEX_WAKE, INT_MAX); }

/* Time. */

long time_passes(void) {
  struct timespec first, second;
  struct timeval of_day;
  clock_gettime(CLOCK_REALTIME, &first);
  sleep(2);
  usleep(500000);
  clock_gettime(CLOCK_REALTIME, &second);
  gettimeofday(&of_day, NULL);
  long passed = (second.tv_sec - first.tv_sec) * 1000 + (second.tv_nsec - first.tv_nsec) / 1000000;
  assert(of_day.tv_sec == second.tv_sec && time(NULL) == of_day.tv_sec);
  return passed;
}
/* What was read first is earlier. */
static _Atomic long stamps[2];
long stamps_0(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  atomic_store(&stamps[0], t.tv_sec * 1000000000 + t.tv_nsec);
  return 0;
}
long stamps_1(void) {
  long before = atomic_load(&stamps[0]);
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  assert(t.tv_sec * 1000000000 + t.tv_nsec > before);
  return before != 0;
}
long random_0(void) { return rand() ^ random(); }
long random_1(void) { return rand() ^ random(); }
