#ifndef __ASIF_UNISTD_H
#define __ASIF_UNISTD_H
#include <stddef.h>
__asif_header(unistd)
#include_next <unistd.h>

/* syscall(SYS_futex, ...): who waits sleeps at the address, if the word there is what is expected. It wakes when it is
 * woken, or, with a time limit, whenever that is; never without a reason. */
#ifdef __aarch64__
#define __asif_nr_futex 98
#else
#define __asif_nr_futex 202
#endif
_Thread_local int __asif_errno;
static inline int __asif_futex_wakes(long __number, int __op, int __bits) {
  if (__number != __asif_nr_futex) __asif_limit("a system call other than futex");
  __op &= ~(128 | 256); /* FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME */
  if (__op == 9 || __op == 10) { /* FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET */
    if (__bits != -1) __asif_limit("a futex with a bit set other than FUTEX_BITSET_MATCH_ANY");
    __op -= 9;
  }
  if (__op != 0 && __op != 1) __asif_limit("a futex operation other than FUTEX_WAIT and FUTEX_WAKE");
  return __op;
}
static inline long __asif_futex_wake(const volatile void *__at, int __count) {
  long __woken = 0;
  __asif_atomic {
    while (__asif_wake((void *)__at))
      if (++__woken >= __count) break;
  }
  return __woken;
}
static inline long __asif_futex_slept(_Bool __slept, _Bool __timed) {
  int __late = 0;
  if (__slept) {
    __asif_atomic {
      if (__timed && __asif_choose(2)) {
        __late = __asif_sleeps() != 0;
        __asif_sleep(NULL);
      } else {
        __asif_await(!__asif_sleeps());
      }
    }
    if (!__late) return 0;
  }
  __asif_errno = __slept ? 110 : 11; /* ETIMEDOUT, EAGAIN */
  return -1;
}
#define syscall(...) __asif_syscall(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define __asif_syscall(__number, __address, __op, __value, __time, __other, __bits, ...) \
  __extension__({ \
    __typeof__(__address) __futex = (__address); \
    __typeof__(__asif_futex_word(__futex)) __asif_expected = (__typeof__(__asif_expected))(__value); \
    long __asif_result; \
    if (__asif_futex_wakes((__number), (__op), (int)(__bits))) { \
      __asif_result = __asif_futex_wake((void *)__futex, (int)__asif_expected); \
    } else { \
      _Bool __asif_same, __asif_timed = (__time) != 0; \
      __asif_atomic { \
        __asif_same = __asif_futex_word(__futex) == __asif_expected; \
        if (__asif_same) __asif_sleep((void *)__futex); \
      } \
      __asif_result = __asif_futex_slept(__asif_same, __asif_timed); \
    } \
    __asif_result; \
  })
#endif
