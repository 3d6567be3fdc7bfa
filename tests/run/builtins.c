/* Everything atomic that compilers know of, in every width: what hooks do they call? */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
__extension__ typedef unsigned __int128 u128;
#define ALL(T, n) \
  T n##_load(T *a) { return __atomic_load_n(a, __ATOMIC_ACQUIRE); } \
  void n##_store(T *a, T v) { __atomic_store_n(a, v, __ATOMIC_RELEASE); } \
  T n##_exchange(T *a, T v) { return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); } \
  bool n##_strong(T *a, T *e, T v) { return __atomic_compare_exchange_n(a, e, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); } \
  bool n##_weak(T *a, T *e, T v) { return __atomic_compare_exchange_n(a, e, v, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); } \
  bool n##_var(T *a, T *e, T v, bool w, int o, int p) { return __atomic_compare_exchange_n(a, e, v, w, o, p); } \
  T n##_loadv(T *a, int o) { return __atomic_load_n(a, o); } \
  T n##_sync_val(T *a, T e, T v) { return __sync_val_compare_and_swap(a, e, v); } \
  bool n##_sync_bool(T *a, T e, T v) { return __sync_bool_compare_and_swap(a, e, v); } \
  T n##_tas(T *a, T v) { return __sync_lock_test_and_set(a, v); } \
  void n##_release(T *a) { __sync_lock_release(a); } \
  T n##_read(T *a) { return *a; } \
  void n##_write(T *a, T v) { *a = v; } \
  void n##_rw(T *a) { (*a)++; } \
  T n##_vread(volatile T *a) { return *a; } \
  void n##_vwrite(volatile T *a, T v) { *a = v; } \
  struct __attribute__((packed)) n##_packed { char c; T v; volatile T w; }; \
  T n##_uread(struct n##_packed *a) { return a->v; } \
  void n##_uwrite(struct n##_packed *a, T v) { a->v = v; } \
  void n##_urw(struct n##_packed *a) { a->v++; } \
  T n##_uvread(struct n##_packed *a) { return a->w; } \
  void n##_uvwrite(struct n##_packed *a, T v) { a->w = v; } \
  FETCH(T, n, add) FETCH(T, n, sub) FETCH(T, n, and) FETCH(T, n, or) FETCH(T, n, xor) FETCH(T, n, nand)
#define FETCH(T, n, op) \
  T n##_fetch_##op(T *a, T v) { return __atomic_fetch_##op(a, v, __ATOMIC_SEQ_CST); } \
  T n##_##op##_fetch(T *a, T v) { return __atomic_##op##_fetch(a, v, __ATOMIC_SEQ_CST); } \
  T n##_sync_fetch_##op(T *a, T v) { return __sync_fetch_and_##op(a, v); } \
  T n##_sync_##op##_fetch(T *a, T v) { return __sync_##op##_and_fetch(a, v); }
ALL(uint8_t, u8) ALL(uint16_t, u16) ALL(uint32_t, u32) ALL(uint64_t, u64) ALL(u128, u128_)
#define SIZED(n) \
  struct s##n { char c[n]; }; \
  void sized_load_##n(struct s##n *a, struct s##n *r) { __atomic_load(a, r, __ATOMIC_SEQ_CST); } \
  void sized_store_##n(struct s##n *a, struct s##n *r) { __atomic_store(a, r, __ATOMIC_SEQ_CST); } \
  void sized_exchange_##n(struct s##n *a, struct s##n *b, struct s##n *r) { __atomic_exchange(a, b, r, __ATOMIC_SEQ_CST); } \
  bool sized_cas_##n(struct s##n *a, struct s##n *b, struct s##n *r) { return __atomic_compare_exchange(a, b, r, 0, 5, 5); }
SIZED(1) SIZED(2) SIZED(3) SIZED(4) SIZED(8) SIZED(16) SIZED(24)
bool flag_set(bool *f) { return __atomic_test_and_set(f, __ATOMIC_ACQUIRE); }
void flag_clear(bool *f) { __atomic_clear(f, __ATOMIC_RELEASE); }
void fences(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); __atomic_signal_fence(__ATOMIC_ACQUIRE); __sync_synchronize(); }
bool lock_free(size_t n, void *p) { return __atomic_is_lock_free(n, p); }
struct big { char c[100]; };
void copies(struct big *a, struct big *b, char *c, char *d, size_t n) { *a = *b; memcpy(c, d, n); memmove(c, d, n + 1); memset(c, 0, n); }
struct field { int a : 3, b : 13; long c : 40; };
int field_of(struct field *p) { p->a = 2; p->c = 7; return p->b; }
double reals(double *a, float *b, long double *c) { *c = *a + *b; return *a; }
typedef float vec __attribute__((vector_size(32)));
void vectors(vec *a, vec *b) { *a = *b; }
