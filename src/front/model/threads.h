#ifndef __ASIF_THREADS_H
#define __ASIF_THREADS_H
#include <pthread.h>
__asif_header(threads)
typedef __asif_mutex mtx_t;
enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };
enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_nomem = 3, thrd_timedout = 4 };
#define thread_local _Thread_local
static inline int mtx_init(mtx_t *m, int type) { return __asif_mutex_init(m, type & mtx_recursive ? 2 : 0); }
static inline int mtx_timedlock(mtx_t *m, const struct timespec *until) {
  return pthread_mutex_timedlock(m, until) ? thrd_timedout : thrd_success;
}
typedef pthread_cond_t cnd_t;
static inline int cnd_init(cnd_t *c) { return pthread_cond_init(c, NULL); }
static inline void cnd_destroy(cnd_t *c) { pthread_cond_destroy(c); }
static inline int cnd_wait(cnd_t *c, mtx_t *m) { return pthread_cond_wait(c, m) ? thrd_error : thrd_success; }
static inline int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until) {
  return pthread_cond_timedwait(c, m, until) ? thrd_timedout : thrd_success;
}
static inline int cnd_signal(cnd_t *c) { return pthread_cond_signal(c); }
static inline int cnd_broadcast(cnd_t *c) { return pthread_cond_broadcast(c); }
typedef pthread_once_t once_flag;
#define ONCE_FLAG_INIT 0
static inline void call_once(once_flag *once, void (*routine)(void)) { pthread_once(once, routine); }
typedef pthread_key_t tss_t;
typedef void (*tss_dtor_t)(void *);
#define TSS_DTOR_ITERATIONS 4
static inline int tss_create(tss_t *key, tss_dtor_t destructor) { return pthread_key_create(key, destructor); }
static inline void tss_delete(tss_t key) { pthread_key_delete(key); }
static inline void *tss_get(tss_t key) { return pthread_getspecific(key); }
static inline int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) ? thrd_error : thrd_success; }
typedef pthread_t thrd_t;
static inline thrd_t thrd_current(void) { return pthread_self(); }
static inline int thrd_equal(thrd_t a, thrd_t b) { return pthread_equal(a, b); }
#endif
