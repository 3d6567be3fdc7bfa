#ifndef __ASIF_PTHREAD_H
#define __ASIF_PTHREAD_H
#include <errno.h>
#include <sched.h>
#include <stddef.h>
__asif_header(pthread)
typedef __asif_mutex pthread_mutex_t;
typedef __asif_spinlock pthread_spinlock_t;
typedef int pthread_mutexattr_t;
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1

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
