/* Linked with the object for `asif test --stress`: what its asif.h calls, and hooks that make threads stumble.
 *
 * In the perturbed build the compiler's hooks (-fsanitize=thread) come here. Each does the access it stands for, and now and then
 * waits a little before it: real threads on real cores, preempted at shared accesses far more often than a machine would. */
#include <linux/futex.h>
#include <sched.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default"), used))
#define HIDDEN   __attribute__((visibility("hidden"), used))

static _Thread_local struct {
  uint64_t random;
  unsigned number, threads, chance, depth, waits;
  jmp_buf escape;
} self;

EXPORTED void asif_stress_thread(unsigned number, unsigned threads, uint64_t seed, unsigned chance);
void asif_stress_thread(unsigned number, unsigned threads, uint64_t seed, unsigned chance) {
  self.number = number;
  self.random = seed * 0x9e3779b97f4a7c15u + number + 1;
  self.threads = threads;
  self.chance = number < 64 ? chance : 0;
}
EXPORTED void *asif_stress_escape(void);
void *asif_stress_escape(void) { return &self.escape; }

/* The lines of the harness, for a program that cannot look into the file. */
extern const void *const __start_asif_harness[] __attribute__((weak, visibility("hidden")));
extern const void *const __stop_asif_harness[] __attribute__((weak, visibility("hidden")));
EXPORTED const void *const *asif_stress_entries(size_t *count);
const void *const *asif_stress_entries(size_t *count) {
  *count = __start_asif_harness ? (size_t)(__stop_asif_harness - __start_asif_harness) : 0;
  return __start_asif_harness;
}

/* --- getting ahead of each other --- */

/* How many hooks each thread has passed; and whom it waits for: it sleeps until all others together have passed so many. */
enum { THREADS = 64, SLEEP_NS = 300000, WAITS_MOST = 64 }; /* of a thread, in a round */
static struct {
  _Alignas(64) uint64_t hooks;
  uint64_t until;
  int sleeps;
} passed[THREADS];
static int waiting;

static uint64_t all_passed(void) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < self.threads; i++) sum += __atomic_load_n(&passed[i].hooks, __ATOMIC_RELAXED);
  return sum;
}

/* Sleeps until the others have passed n hooks: that lets them get ahead however busy the machine is. Not for long, since they may
 * wait for this one, or be done; and not if all the others sleep. */
static void let_others_pass(unsigned n) {
  int *sleeps = &passed[self.number].sleeps;
  struct timespec most = {0, SLEEP_NS};
  passed[self.number].until = all_passed() - passed[self.number].hooks + n;
  if (__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED) < (int)self.threads) {
    __atomic_store_n(sleeps, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, sleeps, FUTEX_WAIT_PRIVATE, 1, &most, NULL, 0);
  }
  __atomic_store_n(sleeps, 0, __ATOMIC_RELAXED);
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
}

static void wake_others(void) {
  uint64_t all = all_passed();
  for (unsigned i = 0; i < self.threads; i++) {
    if (i == self.number || !__atomic_load_n(&passed[i].sleeps, __ATOMIC_ACQUIRE) || all - passed[i].hooks < passed[i].until) continue;
    __atomic_store_n(&passed[i].sleeps, 0, __ATOMIC_RELAXED);
    syscall(SYS_futex, &passed[i].sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static __attribute__((noinline)) uint64_t pass_hook(void) {
  uint64_t x = self.random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  self.random = x;
  __atomic_store_n(&passed[self.number].hooks, passed[self.number].hooks + 1, __ATOMIC_RELAXED);
  if (__atomic_load_n(&waiting, __ATOMIC_RELAXED)) wake_others();
  return x;
}

/* --- asif.h --- */

HIDDEN void asif_host_lin(const char *operation);
void asif_host_lin(const char *operation) { (void)operation; }
HIDDEN int asif_host_thread(void);
int asif_host_thread(void) { return (int)self.number; }
HIDDEN void asif_host_yield(void);
void asif_host_yield(void) {
  if (self.chance)
    pass_hook(), let_others_pass(3);
  else
    sched_yield();
}

static int block_held;
HIDDEN void asif_host_atomic(int enter);
void asif_host_atomic(int enter) {
  if (!enter) {
    if (!--self.depth) __atomic_store_n(&block_held, 0, __ATOMIC_RELEASE);
  } else if (!self.depth++) {
    while (__atomic_exchange_n(&block_held, 1, __ATOMIC_ACQUIRE)) sched_yield();
  }
}

HIDDEN _Noreturn void asif_host_cannot(void);
void asif_host_cannot(void) {
  if (self.depth) __atomic_store_n(&block_held, 0, __ATOMIC_RELEASE);
  self.depth = 0;
  longjmp(self.escape, 1);
}

#ifdef ASIF_STRESS_HOOKS
/* --- the hooks --- */

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch" /* gcc knows them with pointers to void */
#endif

static void wait_a_little(uint64_t x) {
  if (x >> 46 & 3)
    let_others_pass(1 + (x >> 40 & (x >> 36 & 1 ? 7 : 63)));
  else
    for (unsigned n = x >> 48 & 1023; n; n--) __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void stumble(void) {
  if (!self.chance || self.depth) return;
  uint64_t x = pass_hook();
  if ((uint32_t)x % self.chance == 0 && self.waits < WAITS_MOST) self.waits++, wait_a_little(x);
}

#define PLAIN(name) \
  HIDDEN void __tsan_##name(void *); \
  void __tsan_##name(void *address) { (void)address, stumble(); }
#define PLAINS(n) \
  PLAIN(read##n) PLAIN(write##n) PLAIN(volatile_read##n) PLAIN(volatile_write##n) PLAIN(unaligned_read##n) \
  PLAIN(unaligned_write##n) PLAIN(unaligned_volatile_read##n) PLAIN(unaligned_volatile_write##n) PLAIN(read_write##n) \
  PLAIN(unaligned_read_write##n)
PLAINS(1) PLAINS(2) PLAINS(4) PLAINS(8) PLAINS(16)
PLAIN(func_entry)
PLAIN(vptr_read)
HIDDEN void __tsan_func_exit(void);
void __tsan_func_exit(void) {}
HIDDEN void __tsan_init(void);
void __tsan_init(void) {}
HIDDEN void __tsan_vptr_update(void **, void *);
void __tsan_vptr_update(void **at, void *to) { (void)at, (void)to, stumble(); }
HIDDEN void __tsan_read_range(void *, size_t);
void __tsan_read_range(void *at, size_t n) { (void)at, (void)n, stumble(); }
HIDDEN void __tsan_write_range(void *, size_t);
void __tsan_write_range(void *at, size_t n) { (void)at, (void)n, stumble(); }
HIDDEN void *__tsan_memcpy(void *, const void *, size_t);
void *__tsan_memcpy(void *to, const void *from, size_t n) { return stumble(), memcpy(to, from, n); }
HIDDEN void *__tsan_memmove(void *, const void *, size_t);
void *__tsan_memmove(void *to, const void *from, size_t n) { return stumble(), memmove(to, from, n); }
HIDDEN void *__tsan_memset(void *, int, size_t);
void *__tsan_memset(void *at, int byte, size_t n) { return stumble(), memset(at, byte, n); }

/* Orders as the code says where the machine knows a difference: a store that is not sequentially consistent stays a plain one. */
#define UPDATE(bits, type, name, builtin) \
  HIDDEN type __tsan_atomic##bits##_##name(volatile type *, type, int); \
  type __tsan_atomic##bits##_##name(volatile type *a, type v, int order) { \
    (void)order, stumble(); \
    return builtin(a, v, __ATOMIC_SEQ_CST); \
  }
#define ATOMICS(bits, type) \
  HIDDEN type __tsan_atomic##bits##_load(const volatile type *, int); \
  type __tsan_atomic##bits##_load(const volatile type *a, int order) { \
    (void)order, stumble(); \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST); \
  } \
  HIDDEN void __tsan_atomic##bits##_store(volatile type *, type, int); \
  void __tsan_atomic##bits##_store(volatile type *a, type v, int order) { \
    stumble(); \
    if (order == __ATOMIC_SEQ_CST) \
      __atomic_store_n(a, v, __ATOMIC_SEQ_CST); \
    else \
      __atomic_store_n(a, v, __ATOMIC_RELEASE); \
  } \
  UPDATE(bits, type, exchange, __atomic_exchange_n) UPDATE(bits, type, fetch_add, __atomic_fetch_add) \
  UPDATE(bits, type, fetch_sub, __atomic_fetch_sub) UPDATE(bits, type, fetch_and, __atomic_fetch_and) \
  UPDATE(bits, type, fetch_or, __atomic_fetch_or) UPDATE(bits, type, fetch_xor, __atomic_fetch_xor) \
  UPDATE(bits, type, fetch_nand, __atomic_fetch_nand) \
  HIDDEN int __tsan_atomic##bits##_compare_exchange_strong(volatile type *, type *, type, int, int); \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *expected, type v, int order, int failure) { \
    (void)order, (void)failure, stumble(); \
    return __atomic_compare_exchange_n(a, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  } \
  HIDDEN int __tsan_atomic##bits##_compare_exchange_weak(volatile type *, type *, type, int, int); \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *expected, type v, int order, int failure) { \
    return __tsan_atomic##bits##_compare_exchange_strong(a, expected, v, order, failure); \
  } \
  HIDDEN type __tsan_atomic##bits##_compare_exchange_val(volatile type *, type, type, int, int); \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type v, int order, int failure) { \
    __tsan_atomic##bits##_compare_exchange_strong(a, &expected, v, order, failure); \
    return expected; \
  }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

HIDDEN void __tsan_atomic_thread_fence(int);
void __tsan_atomic_thread_fence(int order) {
  stumble();
  if (order == __ATOMIC_SEQ_CST)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}
HIDDEN void __tsan_atomic_signal_fence(int);
void __tsan_atomic_signal_fence(int order) { (void)order, __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#ifdef __x86_64__
typedef unsigned __int128 wide;
#define WIDE __attribute__((target("cx16")))
WIDE static wide wide_exchange_if(volatile wide *a, wide expected, wide v) { return __sync_val_compare_and_swap(a, expected, v); }

HIDDEN wide __tsan_atomic128_load(const volatile wide *, int);
wide __tsan_atomic128_load(const volatile wide *a, int order) {
  (void)order, stumble();
  return wide_exchange_if((volatile wide *)a, 0, 0);
}
HIDDEN int __tsan_atomic128_compare_exchange_strong(volatile wide *, wide *, wide, int, int);
int __tsan_atomic128_compare_exchange_strong(volatile wide *a, wide *expected, wide v, int order, int failure) {
  (void)order, (void)failure, stumble();
  wide was = wide_exchange_if(a, *expected, v);
  int equal = was == *expected;
  *expected = was;
  return equal;
}
HIDDEN int __tsan_atomic128_compare_exchange_weak(volatile wide *, wide *, wide, int, int);
int __tsan_atomic128_compare_exchange_weak(volatile wide *a, wide *expected, wide v, int order, int failure) {
  return __tsan_atomic128_compare_exchange_strong(a, expected, v, order, failure);
}
HIDDEN wide __tsan_atomic128_compare_exchange_val(volatile wide *, wide, wide, int, int);
wide __tsan_atomic128_compare_exchange_val(volatile wide *a, wide expected, wide v, int order, int failure) {
  __tsan_atomic128_compare_exchange_strong(a, &expected, v, order, failure);
  return expected;
}
#define WIDE_UPDATE(name, new_value) \
  HIDDEN wide __tsan_atomic128_##name(volatile wide *, wide, int); \
  wide __tsan_atomic128_##name(volatile wide *a, wide v, int order) { \
    wide was = __tsan_atomic128_load(a, order); \
    while (!__tsan_atomic128_compare_exchange_strong(a, &was, new_value, order, order)) {} \
    return was; \
  }
WIDE_UPDATE(exchange, v) WIDE_UPDATE(fetch_add, was + v) WIDE_UPDATE(fetch_sub, was - v) WIDE_UPDATE(fetch_and, (was & v))
WIDE_UPDATE(fetch_or, (was | v)) WIDE_UPDATE(fetch_xor, (was ^ v)) WIDE_UPDATE(fetch_nand, (~(was & v)))
HIDDEN void __tsan_atomic128_store(volatile wide *, wide, int);
void __tsan_atomic128_store(volatile wide *a, wide v, int order) { __tsan_atomic128_exchange(a, v, order); }
#endif
#endif

/* --- what code says to the thread sanitizer: nothing here, but it is there. Weak: the code may have its own --- */

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifndef __SANITIZE_THREAD__
#define SAYS(name, ...) \
  __attribute__((weak)) HIDDEN void name(__VA_ARGS__); \
  void name(__VA_ARGS__) {}
#pragma GCC diagnostic ignored "-Wunused-parameter"
SAYS(__tsan_acquire, void *a)
SAYS(__tsan_release, void *a)
SAYS(__tsan_mutex_create, void *a, unsigned f)
SAYS(__tsan_mutex_destroy, void *a, unsigned f)
SAYS(__tsan_mutex_pre_lock, void *a, unsigned f)
SAYS(__tsan_mutex_post_lock, void *a, unsigned f, int n)
SAYS(__tsan_mutex_post_unlock, void *a, unsigned f)
SAYS(__tsan_mutex_pre_signal, void *a, unsigned f)
SAYS(__tsan_mutex_post_signal, void *a, unsigned f)
SAYS(__tsan_mutex_pre_divert, void *a, unsigned f)
SAYS(__tsan_mutex_post_divert, void *a, unsigned f)
__attribute__((weak)) HIDDEN int __tsan_mutex_pre_unlock(void *, unsigned);
int __tsan_mutex_pre_unlock(void *a, unsigned f) { return 1; }
SAYS(__tsan_ignore_thread_begin, void)
SAYS(__tsan_ignore_thread_end, void)
__attribute__((weak)) HIDDEN void *__tsan_get_current_fiber(void);
void *__tsan_get_current_fiber(void) { return &self; }
__attribute__((weak)) HIDDEN void *__tsan_create_fiber(unsigned);
void *__tsan_create_fiber(unsigned flags) { return &self; }
SAYS(__tsan_destroy_fiber, void *f)
SAYS(__tsan_switch_to_fiber, void *f, unsigned flags)
SAYS(__tsan_set_fiber_name, void *f, const char *n)
#define SAYS_PC(n) SAYS(__tsan_read##n##_pc, void *a, void *pc) SAYS(__tsan_write##n##_pc, void *a, void *pc)
SAYS_PC(1) SAYS_PC(2) SAYS_PC(4) SAYS_PC(8) SAYS_PC(16)
SAYS(__tsan_read_range_pc, void *a, size_t n, void *pc)
SAYS(__tsan_write_range_pc, void *a, size_t n, void *pc)
__attribute__((weak)) HIDDEN void *__tsan_external_register_tag(const char *);
void *__tsan_external_register_tag(const char *name) { return &self; }
SAYS(__tsan_external_register_header, void *t, const char *h)
SAYS(__tsan_external_assign_tag, void *a, void *t)
SAYS(__tsan_external_read, void *a, void *pc, void *t)
SAYS(__tsan_external_write, void *a, void *pc, void *t)
SAYS(__tsan_flush_memory, void)
#define SAYS_AT(name) SAYS(Annotate##name, const char *file, int line, const volatile void *a)
SAYS_AT(HappensBefore) SAYS_AT(HappensAfter) SAYS_AT(RWLockCreate) SAYS_AT(RWLockCreateStatic) SAYS_AT(RWLockDestroy)
SAYS_AT(CondVarSignal) SAYS_AT(CondVarSignalAll) SAYS_AT(MutexIsNotPHB) SAYS_AT(MutexIsUsedAsCondVar) SAYS_AT(PCQCreate)
SAYS_AT(PCQDestroy) SAYS_AT(PCQPut) SAYS_AT(PCQGet) SAYS_AT(TraceMemory) SAYS_AT(NoOp) SAYS_AT(ThreadName)
SAYS(WTFAnnotateHappensBefore, const char *file, int line, const volatile void *a)
SAYS(WTFAnnotateHappensAfter, const char *file, int line, const volatile void *a)
SAYS(WTFAnnotateBenignRaceSized, const char *file, int line, const volatile void *a, long n, const char *why)
SAYS(AnnotateRWLockAcquired, const char *file, int line, const volatile void *a, long w)
SAYS(AnnotateRWLockReleased, const char *file, int line, const volatile void *a, long w)
SAYS(AnnotateBenignRace, const char *file, int line, const volatile void *a, const char *why)
SAYS(AnnotateBenignRaceSized, const char *file, int line, const volatile void *a, long n, const char *why)
SAYS(AnnotateExpectRace, const char *file, int line, const volatile void *a, const char *why)
SAYS(AnnotateCondVarWait, const char *file, int line, const volatile void *c, const volatile void *m)
#define SAYS_RANGE(name) SAYS(Annotate##name, const char *file, int line, const volatile void *a, size_t n)
SAYS_RANGE(PublishMemoryRange) SAYS_RANGE(UnpublishMemoryRange) SAYS_RANGE(NewMemory) SAYS_RANGE(MemoryIsInitialized)
SAYS_RANGE(MemoryIsUninitialized)
#define SAYS_ALONE(name) SAYS(Annotate##name, const char *file, int line)
SAYS_ALONE(IgnoreReadsBegin) SAYS_ALONE(IgnoreReadsEnd) SAYS_ALONE(IgnoreWritesBegin) SAYS_ALONE(IgnoreWritesEnd)
SAYS_ALONE(IgnoreSyncBegin) SAYS_ALONE(IgnoreSyncEnd) SAYS_ALONE(FlushExpectedRaces) SAYS_ALONE(FlushState)
SAYS(AnnotateEnableRaceDetection, const char *file, int line, int enable)
__attribute__((weak)) HIDDEN int RunningOnValgrind(void);
int RunningOnValgrind(void) { return 0; }
__attribute__((weak)) HIDDEN double ValgrindSlowdown(void);
double ValgrindSlowdown(void) { return 10; }
__attribute__((weak)) HIDDEN const char *ThreadSanitizerQuery(const char *);
const char *ThreadSanitizerQuery(const char *query) { return strcmp(query, "pure_happens_before") ? "0" : "1"; }

/* What the compiler calls with -fsanitize=bounds: the first that it gives is where. */
struct place {
  const char *file;
  uint32_t line, column;
};
HIDDEN void __ubsan_handle_out_of_bounds_abort(const struct place *, uintptr_t);
void __ubsan_handle_out_of_bounds_abort(const struct place *at, uintptr_t index) {
  fprintf(stderr, "%s:%u: an index is beyond the end of an array\n", at->file, (unsigned)at->line);
  abort();
}
#endif
