/* What is found and what is not: NAME_0, NAME_1, ... are threads. */
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int data, other, pair[2];
char letters[8];
atomic_int flag, second;
volatile int shown;
_Atomic(int *) place;
void *keep, *keep2;
uintptr_t kept_word;
static _Thread_local void *own;
size_t four = 4;

/* Races. */
#define LOAD(x, order)     atomic_load_explicit(&x, memory_order_##order)
#define STORE(x, v, order) atomic_store_explicit(&x, v, memory_order_##order)
#define SCENE(name, n)     long name##_##n(void)

SCENE(race_plain, 0) { data = 1; return 0; }
SCENE(race_plain, 1) { return data; }
SCENE(race_writes, 0) { data = 1; return 0; }
SCENE(race_writes, 1) { data = 2; return 0; }
SCENE(ok_reads, 0) { return data; }
SCENE(ok_reads, 1) { return data; }
SCENE(ok_bytes, 0) { letters[0] = 1; pair[0] = 1; return 0; }
SCENE(ok_bytes, 1) { letters[1] = 1; pair[1] = 1; return 0; }
SCENE(race_bytes, 0) { letters[1] = 1; return 0; }
SCENE(race_bytes, 1) { return *(short *)letters; }
SCENE(ok_publish, 0) { data = 1; STORE(flag, 1, release); return 0; }
SCENE(ok_publish, 1) { return LOAD(flag, acquire) ? data : 0; }
SCENE(ok_seq_cst, 0) { data = 1; flag = 1; return 0; }
SCENE(ok_seq_cst, 1) { return flag ? data : 0; }
SCENE(race_store_relaxed, 0) { data = 1; STORE(flag, 1, relaxed); return 0; }
SCENE(race_store_relaxed, 1) { return LOAD(flag, acquire) ? data : 0; }
SCENE(race_load_relaxed, 0) { data = 1; STORE(flag, 1, release); return 0; }
SCENE(race_load_relaxed, 1) { return LOAD(flag, relaxed) ? data : 0; }
SCENE(race_after_release, 0) { STORE(flag, 1, release); data = 1; return 0; }
SCENE(race_after_release, 1) { return LOAD(flag, acquire) ? data : 0; }
SCENE(ok_sequence, 0) { data = 1; STORE(flag, 1, release); return 0; }
SCENE(ok_sequence, 1) { atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); return 0; }
SCENE(ok_sequence, 2) { return LOAD(flag, acquire) == 2 ? data : 0; }
SCENE(race_sequence_ended, 0) { data = 1; STORE(flag, 1, release); return 0; }
SCENE(race_sequence_ended, 1) { if (LOAD(flag, relaxed) == 1) STORE(flag, 2, relaxed); return 0; }
SCENE(race_sequence_ended, 2) { return LOAD(flag, acquire) == 2 ? data : 0; }
SCENE(ok_sequence_own, 0) { data = 1; STORE(flag, 1, release); STORE(flag, 2, relaxed); return 0; }
SCENE(ok_sequence_own, 1) { return LOAD(flag, acquire) == 2 ? data : 0; }
SCENE(ok_fences, 0) { data = 1; atomic_thread_fence(memory_order_release); STORE(flag, 1, relaxed); return 0; }
SCENE(ok_fences, 1) { if (!LOAD(flag, relaxed)) return 0; atomic_thread_fence(memory_order_acquire); return data; }
SCENE(ok_fence_seq_cst, 0) { data = 1; atomic_thread_fence(memory_order_seq_cst); STORE(flag, 1, relaxed); return 0; }
SCENE(ok_fence_seq_cst, 1) { if (!LOAD(flag, relaxed)) return 0; atomic_thread_fence(memory_order_seq_cst); return data; }
SCENE(race_fence_late, 0) { data = 1; STORE(flag, 1, relaxed); atomic_thread_fence(memory_order_release); return 0; }
SCENE(race_fence_late, 1) { if (!LOAD(flag, relaxed)) return 0; atomic_thread_fence(memory_order_acquire); return data; }
SCENE(race_fence_alone, 0) { data = 1; atomic_thread_fence(memory_order_release); STORE(flag, 1, relaxed); return 0; }
SCENE(race_fence_alone, 1) { return LOAD(flag, relaxed) ? data : 0; }
SCENE(ok_exchange, 0) { int no = 0; if (atomic_compare_exchange_strong(&flag, &no, 1)) { data++; flag = 2; } return 0; }
SCENE(ok_exchange, 1) { int two = 2; if (atomic_compare_exchange_strong(&flag, &two, 3)) data++; return 0; }
SCENE(race_failed_exchange, 0) { data = 1; flag = 1; return 0; }
SCENE(race_failed_exchange, 1) {
  int five = 5;
  atomic_compare_exchange_strong_explicit(&flag, &five, 6, memory_order_seq_cst, memory_order_relaxed);
  return five == 1 ? data : 0;
}
SCENE(race_mixed, 0) { flag = 1; return 0; }
SCENE(race_mixed, 1) { return *(int *)&flag; }
SCENE(race_mixed_write, 0) { return flag; }
SCENE(race_mixed_write, 1) { *(int *)&flag = 1; return 0; }
SCENE(ok_mixed, 0) { *(int *)&second = 5; STORE(flag, 1, release); return 0; }
SCENE(ok_mixed, 1) { return LOAD(flag, acquire) ? second++ : 0; }
SCENE(ok_volatile, 0) { shown = 1; return 0; }
SCENE(ok_volatile, 1) { return shown; }
SCENE(race_volatile, 0) { data = 1; shown = 1; return 0; }
SCENE(race_volatile, 1) { return shown ? data : 0; }
SCENE(ok_block, 0) { ASIF_ATOMIC { data++; } return 0; }
SCENE(ok_block, 1) { ASIF_ATOMIC { data++; } return 0; }
SCENE(race_block, 0) { ASIF_ATOMIC { data++; } return 0; }
SCENE(race_block, 1) { return data; }
SCENE(race_copy, 0) { memset(letters, 1, four); return 0; }
SCENE(race_copy, 1) { char to[8]; memcpy(to, letters + 3, four); return to[0]; }
char many[200];
SCENE(race_copy_long, 0) { memset(many, 1, four * 18); return 0; }
SCENE(race_copy_long, 1) { return many[70]; }
SCENE(ok_copy_long, 0) { memset(many, 1, four * 18); return 0; }
SCENE(ok_copy_long, 1) { return many[72]; }
SCENE(ok_copy, 0) { memset(letters, 1, four); return 0; }
SCENE(ok_copy, 1) { char to[8]; memcpy(to, letters + 4, four); return to[0]; }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
SCENE(ok_mutex, 0) { pthread_mutex_lock(&lock); data++; pthread_mutex_unlock(&lock); return 0; }
SCENE(ok_mutex, 1) { pthread_mutex_lock(&lock); data++; pthread_mutex_unlock(&lock); return 0; }
SCENE(race_mutex, 0) { pthread_mutex_lock(&lock); data++; pthread_mutex_unlock(&lock); return 0; }
SCENE(race_mutex, 1) { pthread_mutex_lock(&lock); other++; pthread_mutex_unlock(&lock); return data; }
static void *writes(void *at) { *(int *)at = 1; return NULL; }
SCENE(ok_join, 0) { pthread_t t; data = 1; pthread_create(&t, NULL, writes, &data); pthread_join(t, NULL); return data; }
SCENE(race_join, 0) { pthread_t t; pthread_create(&t, NULL, writes, &data); int v = data; pthread_join(t, NULL); return v; }
SCENE(ok_init, 0) { return data; }
SCENE(ok_init, 1) { return data; }
void ok_init_init(void) { data = 1; }

/* The heap. */
static void *made(size_t size) { /* and the compiler does not know what became of it */
  void *p = malloc(size);
  __asm__ volatile("" : "+r"(p));
  return p;
}
SCENE(uaf_own, 0) { int *p = malloc(sizeof *p); *p = 1; free(p); return *(volatile int *)p; }
SCENE(uaf_plain, 0) { keep = malloc(8); free(keep); return *(int *)keep; }
SCENE(uaf_other, 0) { int *p = malloc(16); *p = 1; place = p; free(p); STORE(flag, 1, release); return 0; }
SCENE(uaf_other, 1) { return LOAD(flag, acquire) ? *place : 0; }
SCENE(race_free, 0) { int *p = malloc(16); *p = 1; place = p; place = NULL; free(p); return 0; }
SCENE(race_free, 1) { int *p = place; return p ? *p : 0; }
SCENE(ok_free, 0) { int *p = malloc(16); *p = 1; place = p; while (!flag) ; free(p); return 0; }
SCENE(ok_free, 1) { int *p = place; if (p) other = *p; flag = 1; return 0; }
SCENE(double_free, 0) { int *p = malloc(4); keep = p; free(p); free(keep); return 0; }
SCENE(double_free_two, 0) { free(keep); return 0; }
SCENE(double_free_two, 1) { free(keep); return 0; }
void double_free_two_init(void) { keep = malloc(4); }
SCENE(bad_free_inside, 0) { char *p = malloc(64); keep = p + 16; free(keep); return 0; }
SCENE(bad_free_global, 0) { keep = &data; free(keep); return 0; }
SCENE(bad_free_stack, 0) { int local; keep = &local; free(keep); return 0; }
SCENE(bounds_after, 0) { keep = malloc(12); return ((int *)keep)[3]; }
SCENE(bounds_slack, 0) { keep = malloc(5); ((char *)keep)[5] = 1; return 0; }
SCENE(bounds_before, 0) { keep = malloc(8); ((int *)keep)[-1] = 1; return 0; }
SCENE(bounds_far, 0) { keep = malloc(8); return ((int *)keep)[1000000]; }
SCENE(bounds_half, 0) { keep = malloc(12); return *(long *)((char *)keep + 8); }
SCENE(bounds_copy, 0) { keep = malloc(8); memset(keep, 0, four * 3); return 0; }
SCENE(bounds_string, 0) { keep = malloc(8); strcpy(keep, four == 4 ? "12345678" : ""); return 0; }
SCENE(bounds_zero, 0) { keep = malloc(0); return *(char *)keep; }
SCENE(ok_bounds, 0) {
  char *p = keep = malloc(8);
  strcpy(p, four == 4 ? "1234567" : "");
  p[7] = 1;
  memset(p + 8, 0, four - 4);
  free(p);
  free(NULL);
  p = realloc(NULL, 3);
  p[2] = 7;
  p = realloc(p, 300);
  assert(p[2] == 7);
  p[299] = 0;
  assert(!realloc(p, 0));
  int *zeros = calloc(10, sizeof *zeros);
  for (int i = 0; i < 10; i++) assert(!zeros[i]);
  free(zeros);
  assert(!made((size_t)1 << 60));
  void *aligned = NULL;
  assert(!posix_memalign(&aligned, 256, 10) && (uintptr_t)aligned % 256 == 0);
  free(aligned);
  aligned = aligned_alloc(64, 64);
  assert((uintptr_t)aligned % 64 == 0);
  free(aligned);
  for (int i = 1; i < 100; i++) {
    aligned = malloc((size_t)i);
    assert((uintptr_t)aligned % 16 == 0);
    memset(aligned, 1, (size_t)i);
  }
  keep = strdup("abc");
  return strlen(keep) - 3;
}
SCENE(uaf_realloc, 0) { int *p = malloc(8); p[0] = 1; keep = realloc(p, 16); kept_word = (uintptr_t)p; return *(int *)kept_word; }
SCENE(reused, 0) { void *p = made(24); free(p); kept_word = (uintptr_t)p; return kept_word == (uintptr_t)made(20); }
SCENE(fresh_same, 0) { keep = malloc(40); return (long)keep ^ *(unsigned char *)keep; }

/* Leaks. */
SCENE(leak, 0) { made(10); return 0; }
SCENE(leak_chain, 0) { void **p = made(16); p[0] = made(8); p[1] = NULL; return 0; }
SCENE(kept_global, 0) { keep = malloc(10); return 0; }
SCENE(kept_low, 0) { kept_word = (uintptr_t)malloc(10) | 3; return 0; }
SCENE(kept_high, 0) { kept_word = (uintptr_t)malloc(10) | (uintptr_t)0xABCD << 48; return 0; }
SCENE(kept_shifted, 0) { kept_word = (uintptr_t)malloc(10) << 16 | 7; return 0; }
SCENE(kept_inside, 0) { keep = (char *)malloc(100) + 50; return 0; }
SCENE(kept_chain, 0) { void **p = malloc(16); p[0] = malloc(8); p[1] = NULL; keep = p; return 0; }
SCENE(kept_own, 0) { own = malloc(10); return 0; }
SCENE(kept_result, 0) { return (long)malloc(10); }
SCENE(kept_not, 0) { free(malloc(10)); return 0; }

/* What is allocated while the image is loaded. */
static int *early;
__attribute__((constructor)) static void load(void) {
  early = malloc(16);
  early[0] = 5;
}
SCENE(early, 0) {
  int was = early[0];
  early[0]++;
  free(early);
  int *again = malloc(16);
  again[0] = 77;
  free(again);
  return was;
}
SCENE(early_twice, 0) { free(early); return early[0]; }

/* Freed memory that may be used. */
SCENE(stable, 0) { int *p = malloc(16); *p = 1; place = p; place = NULL; free(p); int *q = malloc(16); *q = 2; return 0; }
SCENE(stable, 1) { int *p = place; return p ? *p : 0; }
