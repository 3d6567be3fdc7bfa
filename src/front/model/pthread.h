#ifndef __ASIF_PTHREAD_H
#define __ASIF_PTHREAD_H
#include <errno.h>
#include <sched.h>
#include <stddef.h>
__asif_header(pthread)
typedef __asif_mutex pthread_mutex_t;
typedef __asif_spinlock pthread_spinlock_t;
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
struct timespec;

/* Attributes of a mutex are the value that it begins with. */
typedef int pthread_mutexattr_t;
enum {
  PTHREAD_MUTEX_NORMAL = 0,
  PTHREAD_MUTEX_DEFAULT = 0,
  PTHREAD_MUTEX_TIMED_NP = 0,
  PTHREAD_MUTEX_RECURSIVE = 1,
  PTHREAD_MUTEX_RECURSIVE_NP = 1,
  PTHREAD_MUTEX_ERRORCHECK = 2,
  PTHREAD_MUTEX_ERRORCHECK_NP = 2,
  PTHREAD_MUTEX_ADAPTIVE_NP = 3
};
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {PTHREAD_MUTEX_RECURSIVE_NP}
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP {PTHREAD_MUTEX_ERRORCHECK_NP}
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP {0}
static inline int pthread_mutexattr_init(pthread_mutexattr_t *a) { return *a = 0; }
static inline int pthread_mutexattr_destroy(pthread_mutexattr_t *a) { return (void)a, 0; }
static inline int pthread_mutexattr_settype(pthread_mutexattr_t *a, int kind) {
  if (kind < 0 || kind > 3) return EINVAL;
  *a = kind == 1 || kind == 2 ? kind + 1 : 0;
  return 0;
}
static inline int pthread_mutexattr_gettype(const pthread_mutexattr_t *a, int *kind) {
  *kind = *a ? *a - 1 : 0;
  return 0;
}
static inline int pthread_mutexattr_setpshared(pthread_mutexattr_t *a, int shared) { return (void)a, (void)shared, 0; }
/* Where the lock is taken it may always time out. */
static inline int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until) {
  int error;
  (void)until;
  __asif_atomic {
    if (__asif_choose(2))
      error = pthread_mutex_trylock(m) ? ETIMEDOUT : 0;
    else
      error = pthread_mutex_lock(m);
  }
  return error;
}

/* Condition variables: who waits sleeps at the address. Waiters do not wake without a signal. */
typedef struct { int __asif_unused; } __attribute__((aligned(8), __asif_size(48))) pthread_cond_t;
typedef int pthread_condattr_t;
#define PTHREAD_COND_INITIALIZER {0}
static inline int pthread_condattr_init(pthread_condattr_t *a) { return *a = 0; }
static inline int pthread_condattr_destroy(pthread_condattr_t *a) { return (void)a, 0; }
static inline int pthread_condattr_setclock(pthread_condattr_t *a, int clock) { return (void)a, (void)clock, 0; }
static inline int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) {
  (void)a;
  return c->__asif_unused = 0;
}
static inline int pthread_cond_destroy(pthread_cond_t *c) { return (void)c, 0; }
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  int error;
  __asif_atomic {
    error = pthread_mutex_unlock(m);
    if (!error) __asif_sleep(c);
  }
  if (error) return error;
  __asif_atomic { __asif_await(!__asif_sleeps()); }
  return pthread_mutex_lock(m);
}
static inline int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
  int error, late = 0;
  (void)until;
  __asif_atomic {
    error = pthread_mutex_unlock(m);
    if (!error) __asif_sleep(c);
  }
  if (error) return error;
  __asif_atomic {
    if (__asif_choose(2)) {
      late = __asif_sleeps() != 0;
      __asif_sleep(NULL);
    } else {
      __asif_await(!__asif_sleeps());
    }
  }
  error = pthread_mutex_lock(m);
  return error ? error : late ? ETIMEDOUT : 0;
}
static inline int pthread_cond_signal(pthread_cond_t *c) {
  __asif_atomic { __asif_wake(c); }
  return 0;
}
static inline int pthread_cond_broadcast(pthread_cond_t *c) {
  __asif_atomic { __asif_wake_all(c); }
  return 0;
}

/* Locks for readers and a writer: how many read, or -1. None is preferred. */
typedef struct { int __asif_readers; } __attribute__((aligned(8), __asif_size(56))) pthread_rwlock_t;
typedef int pthread_rwlockattr_t;
#define PTHREAD_RWLOCK_INITIALIZER {0}
static inline int pthread_rwlockattr_init(pthread_rwlockattr_t *a) { return *a = 0; }
static inline int pthread_rwlockattr_destroy(pthread_rwlockattr_t *a) { return (void)a, 0; }
static inline int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) {
  (void)a;
  return l->__asif_readers = 0;
}
static inline int pthread_rwlock_destroy(pthread_rwlock_t *l) { return (void)l, 0; }
static inline int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
  __asif_atomic {
    __asif_await_lock(l->__asif_readers >= 0);
    l->__asif_readers++;
  }
  return 0;
}
static inline int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
  __asif_atomic {
    __asif_await_lock(l->__asif_readers == 0);
    l->__asif_readers = -1;
  }
  return 0;
}
static inline int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
  int error = 0;
  __asif_atomic {
    if (l->__asif_readers >= 0)
      l->__asif_readers++;
    else
      error = EBUSY;
  }
  return error;
}
static inline int pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
  int error = 0;
  __asif_atomic {
    if (l->__asif_readers == 0)
      l->__asif_readers = -1;
    else
      error = EBUSY;
  }
  return error;
}
static inline int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until) {
  int error;
  (void)until;
  __asif_atomic {
    if (__asif_choose(2))
      error = pthread_rwlock_tryrdlock(l) ? ETIMEDOUT : 0;
    else
      error = pthread_rwlock_rdlock(l);
  }
  return error;
}
static inline int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until) {
  int error;
  (void)until;
  __asif_atomic {
    if (__asif_choose(2))
      error = pthread_rwlock_trywrlock(l) ? ETIMEDOUT : 0;
    else
      error = pthread_rwlock_wrlock(l);
  }
  return error;
}
static inline int pthread_rwlock_unlock(pthread_rwlock_t *l) {
  __asif_atomic {
    if (l->__asif_readers == 0) __asif_misuse("a lock for readers and writers is unlocked that is not locked");
    if (l->__asif_readers > 0)
      l->__asif_readers--;
    else
      l->__asif_readers = 0;
  }
  return 0;
}

/* What happens once: 0, 1 while it does, 2. */
typedef int pthread_once_t;
#define PTHREAD_ONCE_INIT 0
static inline int pthread_once(pthread_once_t *once, void (*routine)(void)) {
  _Bool first;
  __asif_atomic {
    __asif_await_lock(*once != 1);
    first = *once == 0;
    if (first) *once = 1;
  }
  if (first) {
    routine();
    __asif_atomic { *once = 2; }
  }
  return 0;
}

/* Barriers: the last to come wakes those that sleep there. */
typedef struct { unsigned __asif_count, __asif_inside; } __attribute__((aligned(8), __asif_size(32))) pthread_barrier_t;
typedef int pthread_barrierattr_t;
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
static inline int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned count) {
  (void)a;
  if (!count) return EINVAL;
  b->__asif_count = count;
  b->__asif_inside = 0;
  return 0;
}
static inline int pthread_barrier_destroy(pthread_barrier_t *b) { return (void)b, 0; }
static inline int pthread_barrier_wait(pthread_barrier_t *b) {
  _Bool last;
  __asif_atomic {
    last = ++b->__asif_inside == b->__asif_count;
    if (last) {
      b->__asif_inside = 0;
      __asif_wake_all(b);
    } else {
      __asif_sleep(b);
    }
  }
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  __asif_atomic { __asif_await(!__asif_sleeps()); }
  return 0;
}

/* A thread is known by an address of its own. */
typedef __asif_uintptr pthread_t;
static inline pthread_t pthread_self(void) { return __asif_self(); }
static inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

/* Thread-specific values. Destructors run when a thread ends, and then no operation is left to see it. */
typedef unsigned pthread_key_t;
enum { __asif_keys_most = 4 };
unsigned __asif_keys;
_Thread_local void *__asif_specific[__asif_keys_most];
static inline int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  (void)destructor;
  __asif_atomic {
    if (__asif_keys == __asif_keys_most) __asif_limit("more than four keys of thread-specific values");
    *key = __asif_keys++;
  }
  return 0;
}
static inline void *pthread_getspecific(pthread_key_t key) {
  return key < __asif_keys_most ? __asif_specific[key] : NULL;
}
static inline int pthread_setspecific(pthread_key_t key, const void *value) {
  if (key >= __asif_keys_most) return EINVAL;
  __asif_specific[key] = (void *)value;
  return 0;
}
static inline int pthread_key_delete(pthread_key_t key) { return key < __asif_keys_most ? 0 : EINVAL; }
#endif
