/* Stress, in the process that runs the object: threads that make the planned calls and record when each began and
 * returned (Wing and Gong 1993, section 3.1: *test*).
 *
 * What is recorded must contain what happened, or a correct object would look wrong. The time of the beginning is read
 * before anything of the operation is done; that of the end after all its stores have become visible to others (hence
 * the fences). Every thread reads the same clock: the processor's counter where the kernel itself keeps time by it,
 * which it does only if the counters of all cores agree; else CLOCK_MONOTONIC.
 *
 * With a sanitizer this file is compiled with the object's compiler and becomes a program of its own, which loads the
 * object: sanitizers must be there from the start. So it includes nothing of Asif but the shared area. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test/stress_area.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static int64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t time_before(bool ticks) {
#if defined(__x86_64__)
  if (ticks) {
    int64_t t = (int64_t)__rdtsc();
    _mm_lfence(); /* nothing of what follows begins before */
    return t;
  }
#endif
  (void)ticks;
  int64_t t = nanoseconds();
  atomic_thread_fence(memory_order_seq_cst);
  return t;
}

static inline int64_t time_after(bool ticks) {
#if defined(__x86_64__)
  if (ticks) {
    _mm_mfence(); /* stores are visible */
    _mm_lfence(); /* and only then is the time read */
    return (int64_t)__rdtsc();
  }
#endif
  (void)ticks;
  atomic_thread_fence(memory_order_seq_cst);
  return nanoseconds();
}

/* Arguments go in registers, an int in the lower half of one: a callee that takes ints finds them (x86-64, arm64). What
 * is above a smaller result is not the callee's, and is cut off. */
static inline long call_function(void (*f)(void), int signature, const long *a) {
  typedef long any(long, long, long);
  long r = ((any *)f)(a[0], a[1], a[2]);
  switch (signature & 3) {
  case 0: return 0;
  case 1: return (unsigned char)r != 0;
  case 2: return (int)r;
  default: return r;
  }
}

struct worker {
  struct stress_area *area;
  const struct stress_code *code;
  uint32_t number;
  pthread_t thread;
};

static void pin(const struct stress_area *a, uint32_t number) {
  cpu_set_t all, one;
  if (a->pin == STRESS_FREE || sched_getaffinity(0, sizeof all, &all)) return;
  int cores = CPU_COUNT(&all);
  int want = a->pin == STRESS_ONE_CORE ? (int)(a->seed % (unsigned)cores) : (int)(number % (unsigned)cores);
  for (int c = 0; c < CPU_SETSIZE; c++) {
    if (!CPU_ISSET(c, &all) || want--) continue;
    CPU_ZERO(&one);
    CPU_SET(c, &one);
    sched_setaffinity(0, sizeof one, &one); /* if it cannot be, it need not be */
    return;
  }
}

/* All threads have arrived n times. One looks for it a while, so that all go on at once; then one sleeps, since on a
 * busy machine others need the core. */
static void wait_for_all(struct stress_area *a, uint32_t n) {
  enum { LOOKS = 2000 };
  uint32_t all = n * a->threads, now = atomic_fetch_add(&a->arrived, 1) + 1;
  if (now == all && atomic_load(&a->sleepers)) syscall(SYS_futex, &a->arrived, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  for (uint32_t i = 0; i < LOOKS && (now = atomic_load_explicit(&a->arrived, memory_order_acquire)) < all; i++) {}
  if (now >= all) return;
  atomic_fetch_add(&a->sleepers, 1);
  while ((now = atomic_load(&a->arrived)) < all) syscall(SYS_futex, &a->arrived, FUTEX_WAIT, now, NULL, NULL, 0);
  atomic_fetch_sub(&a->sleepers, 1);
}

static void before_call(struct stress_area *a, const struct stress_call *c, uint32_t *meetings) {
  if (c->together) wait_for_all(a, ++*meetings);
  if (c->yields) sched_yield();
  for (volatile uint32_t n = c->pause; n; n = n - 1) {}
}

static enum stress_result result_kind(const struct stress_op *op, long r) {
  if ((op->signature & 3) == 0) return STRESS_OTHER;
  if ((op->signature & 3) == 1 || (op->truth && r == 0)) return r ? STRESS_OTHER : STRESS_FALSE;
  return r == (long)INT_MIN + 3   ? STRESS_FALSE
         : r == (long)INT_MIN + 4 ? STRESS_EMPTY
         : r == (long)INT_MIN + 5 ? STRESS_FULL
                                  : STRESS_OTHER;
}

/* One call, recorded. */
static void record_call(struct worker *w, struct stress_thread *t, const struct stress_call *c, struct stress_record *r,
                        uint32_t i) {
  struct stress_area *a = w->area;
  const struct stress_op *op = &a->op[c->op];
  bool skipped = t->skip > 0;
  t->skip -= skipped;
  if (skipped || op->grows > t->room_inside) {
    r->end = STRESS_SKIPPED;
    atomic_store_explicit(&t->begun, i + 1, memory_order_release);
    atomic_store_explicit(&t->done, i + 1, memory_order_release);
    return;
  }
  if (setjmp(*(jmp_buf *)w->code->escape())) { /* asif_require: it was as if not called */
    r->end = STRESS_SKIPPED;
    atomic_store_explicit(&t->done, i + 1, memory_order_release);
    return;
  }
  r->start = time_before(a->ticks);
  atomic_store_explicit(&t->begun, i + 1, memory_order_release);
  r->result = call_function(w->code->function[c->op], op->signature, c->arg);
  r->end = time_after(a->ticks);
  t->room_inside -= op->change[result_kind(op, r->result)];
  if (result_kind(op, r->result) == STRESS_FALSE) t->skip = c->skips;
  atomic_store_explicit(&t->done, i + 1, memory_order_release);
}

static void record(struct worker *w) {
  struct stress_area *a = w->area;
  struct stress_thread *t = &a->thread[w->number];
  const struct stress_call *calls = stress_calls(a, w->number);
  struct stress_record *records = stress_records(a, w->number);
  uint32_t meetings = 0, most = a->lasts ? a->room : t->planned;
  int64_t until = 0;
  wait_for_all(a, ++meetings);
  if (a->lasts) until = nanoseconds() + a->lasts;
  for (uint32_t i = 0; i < most && t->planned; i++) {
    const struct stress_call *c = &calls[i % t->planned];
    if (until && nanoseconds() >= until) break;
    if (i < t->planned)
      before_call(a, c, &meetings); /* the second time around they do not wait for each other: some may be done */
    record_call(w, t, c, &records[i], i);
  }
}

/* --- measuring --- */

static unsigned bucket_of(uint64_t t) {
  if (t < 16) return (unsigned)t;
  unsigned power = 63 - (unsigned)__builtin_clzll(t), b = (power - 3) * 16 + (unsigned)(t >> (power - 4) & 15);
  return b < STRESS_BUCKETS ? b : STRESS_BUCKETS - 1;
}

static void add_latency(struct stress_latency *l, uint64_t t) {
  l->bucket[bucket_of(t)]++;
  l->count++;
  if (t > l->most) l->most = t;
}

/* How long nothing takes: the least of many times, since anything else was something. */
static void measure_recording(struct stress_area *a) {
  int64_t least = INT64_MAX;
  for (int i = 0; i < 1000; i++) {
    int64_t start = time_before(a->ticks), t = time_after(a->ticks) - start;
    if (t < least) least = t;
  }
  a->recording = least;
}

static void measure_call(struct worker *w, struct stress_thread *t, const struct stress_call *c, bool latency) {
  struct stress_area *a = w->area;
  const struct stress_op *op = &a->op[c->op];
  if (t->skip) {
    t->skip--;
    return;
  }
  if (op->grows > t->room_inside || setjmp(*(jmp_buf *)w->code->escape())) return;
  int64_t start = latency ? time_before(a->ticks) : 0;
  long r = call_function(w->code->function[c->op], op->signature, c->arg);
  if (latency) add_latency(&a->latency[w->number][c->op], (uint64_t)(time_after(a->ticks) - start));
  t->room_inside -= op->change[result_kind(op, r)];
  if (result_kind(op, r) == STRESS_FALSE) t->skip = c->skips;
  t->calls[c->op]++;
}

/* Calls one after the other, until one of the threads sees that the time is over. */
static void measure(struct worker *w) {
  struct stress_area *a = w->area;
  struct stress_thread *t = &a->thread[w->number];
  const struct stress_call *calls = stress_calls(a, w->number);
  bool latency = a->kind == STRESS_LATENCY;
  if (latency && !w->number) measure_recording(a);
  wait_for_all(a, 1);
  int64_t now = nanoseconds(), until = now + a->lasts, none = 0;
  atomic_compare_exchange_strong(&a->began, &none, now);
  while (!atomic_load_explicit(&a->over, memory_order_relaxed)) {
    for (uint32_t i = 0; i < t->planned; i++) measure_call(w, t, &calls[i], latency);
    if ((now = nanoseconds()) >= until) atomic_store(&a->over, true);
  }
  int64_t last = atomic_load(&a->ended);
  while (now > last && !atomic_compare_exchange_weak(&a->ended, &last, now)) {}
}

static void *work(void *self) {
  struct worker *w = self;
  struct stress_area *a = w->area;
  pin(a, w->number);
  w->code->thread(w->number, a->threads, a->seed, a->chance);
  if (a->kind == STRESS_RECORD)
    record(w);
  else
    measure(w);
  return NULL;
}

void stress_run(struct stress_area *a, const struct stress_code *code) {
  struct worker workers[STRESS_THREADS];
  code->thread(0, a->threads, a->seed, 0);
  if (code->init) code->init();
  for (uint32_t i = 0; i < a->threads; i++) {
    workers[i] = (struct worker){.area = a, .code = code, .number = i};
    if (!pthread_create(&workers[i].thread, NULL, work, &workers[i])) continue;
    snprintf(a->failed, sizeof a->failed, "thread %u of %u could not be created", (unsigned)i + 1,
             (unsigned)a->threads);
    _exit(3);
  }
  for (uint32_t i = 0; i < a->threads; i++) pthread_join(workers[i].thread, NULL);
}

#ifdef ASIF_STRESS_PROGRAM
/* --- the program of its own: program FILE, the area being the open file FILE --- */
#include <asif.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

static int failed(struct stress_area *a, const char *what, const char *why) {
  snprintf(a->failed, sizeof a->failed, "%s: %s", what, why ? why : "it is not there");
  return 3;
}

/* The function of an operation, or of the initialisation. */
static void (*find(void *loaded, enum asif_entry_kind kind, const struct stress_op *o))(void) {
  const struct asif_entry *const *(*entries)(size_t *);
  size_t count = 0;
  *(void **)&entries = dlsym(loaded, "asif_stress_entries");
  const struct asif_entry *const *e = entries ? entries(&count) : NULL;
  for (size_t i = 0; i < count; i++)
    if (e[i]->kind == kind && (!o || (!strcmp(e[i]->name, o->name) && !strcmp(e[i]->written, o->written))))
      return e[i]->function;
  return NULL;
}

int main(int argc, char **argv) {
  struct stat s;
  int fd = argc == 2 ? atoi(argv[1]) : -1;
  if (fd < 0 || fstat(fd, &s)) return 4;
  struct stress_area *a = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (a == MAP_FAILED) return 4;
  void *loaded = dlopen(a->image, RTLD_NOW | RTLD_LOCAL);
  if (!loaded) return failed(a, "the object cannot be loaded", dlerror());
  static struct stress_code code;
  *(void **)&code.thread = dlsym(loaded, "asif_stress_thread");
  *(void **)&code.escape = dlsym(loaded, "asif_stress_escape");
  if (!code.thread || !code.escape) return failed(a, "the support of the object", NULL);
  for (uint32_t i = 0; i < a->ops; i++) {
    code.function[i] = find(loaded, ASIF_ENTRY_OP, &a->op[i]);
    if (!code.function[i]) return failed(a, a->op[i].written, NULL);
  }
  code.init = find(loaded, ASIF_ENTRY_INIT, NULL);
  stress_run(a, &code);
  _exit(0);
}
#endif
