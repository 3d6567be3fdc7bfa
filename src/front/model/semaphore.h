#ifndef __ASIF_SEMAPHORE_H
#define __ASIF_SEMAPHORE_H
#include <errno.h>
#include <limits.h>
#include <stddef.h>
struct timespec;
typedef struct { unsigned __asif_value; } __attribute__((aligned(8), __asif_size(32))) sem_t;
#define SEM_VALUE_MAX INT_MAX
static inline int sem_init(sem_t *s, int shared, unsigned value) {
  (void)shared;
  s->__asif_value = value;
  return 0;
}
static inline int sem_destroy(sem_t *s) { return (void)s, 0; }
static inline int sem_wait(sem_t *s) {
  __asif_atomic {
    __asif_await(s->__asif_value > 0);
    s->__asif_value--;
  }
  return 0;
}
static inline int __asif_sem_take(sem_t *s, int otherwise) {
  int error = 0;
  __asif_atomic {
    if (s->__asif_value > 0)
      s->__asif_value--;
    else
      error = otherwise;
  }
  if (!error) return 0;
  errno = error;
  return -1;
}
static inline int sem_trywait(sem_t *s) { return __asif_sem_take(s, EAGAIN); }
static inline int sem_timedwait(sem_t *s, const struct timespec *until) {
  _Bool late;
  (void)until;
  __asif_atomic {
    late = __asif_choose(2) && s->__asif_value == 0;
    if (!late) {
      __asif_await(s->__asif_value > 0);
      s->__asif_value--;
    }
  }
  if (!late) return 0;
  errno = ETIMEDOUT;
  return -1;
}
static inline int sem_post(sem_t *s) {
  __asif_atomic { s->__asif_value++; }
  return 0;
}
static inline int sem_getvalue(sem_t *s, int *value) {
  __asif_atomic { *value = (int)s->__asif_value; }
  return 0;
}
#endif
