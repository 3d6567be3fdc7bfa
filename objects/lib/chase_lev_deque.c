/* A work-stealing deque (chase_lev_deque.h). top and bottom count, and never wrap around.
 *
 * Le et al. order the accesses to top and bottom by fences; here the accesses themselves are sequentially consistent where theirs
 * are next to a fence, which says the same, and which race detectors understand.
 *
 * NO_LAST_RACE, where pop takes the last value as it takes any other, is for harness/bugs/. */
#include "chase_lev_deque.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "inside/common.h"

struct array {
  long size;
  struct array *before; /* the one it has replaced */
  atomic_long item[];
};
struct chase_lev_deque {
  _Alignas(CACHE_LINE) atomic_long top;
  _Alignas(CACHE_LINE) atomic_long bottom;
  _Atomic(struct array *) array;
};

static struct array *new_array(long size, struct array *before) {
  struct array *a = alloc_array(sizeof *a, (size_t)size, sizeof a->item[0]);
  if (!a) return NULL;
  a->size = size;
  a->before = before;
  for (long i = 0; i < size; i++) atomic_init(&a->item[i], 0);
  return a;
}

static long get(struct array *a, long i) { return atomic_load_explicit(&a->item[i % a->size], memory_order_relaxed); }
static void put(struct array *a, long i, long value) {
  atomic_store_explicit(&a->item[i % a->size], value, memory_order_relaxed);
}

struct chase_lev_deque *chase_lev_deque_create(size_t size) {
  if (size > LONG_MAX / 2) return NULL;
  struct chase_lev_deque *d = alloc_aligned(0, 1, sizeof *d);
  struct array *a = new_array((long)size, NULL);
  if (!d || !a) {
    free(d);
    free(a);
    return NULL;
  }
  atomic_init(&d->top, 0);
  atomic_init(&d->bottom, 0);
  atomic_init(&d->array, a);
  return d;
}

void chase_lev_deque_destroy(struct chase_lev_deque *d) {
  if (!d) return;
  for (struct array *a = atomic_load(&d->array), *before; a; a = before) {
    before = a->before;
    free(a);
  }
  free(d);
}

static struct array *grow(struct chase_lev_deque *d, struct array *a, long top, long bottom) {
  struct array *twice = a->size <= LONG_MAX / 4 ? new_array(2 * a->size, a) : NULL;
  if (!twice) return NULL;
  for (long i = top; i < bottom; i++) put(twice, i, get(a, i));
  atomic_store_explicit(&d->array, twice, memory_order_release);
  return twice;
}

bool chase_lev_deque_push(struct chase_lev_deque *d, long value) {
  long bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed), top = atomic_load_explicit(&d->top, memory_order_acquire);
  struct array *a = atomic_load_explicit(&d->array, memory_order_relaxed);
  if (bottom - top == a->size && !(a = grow(d, a, top, bottom))) return false;
  put(a, bottom, value);
  atomic_store(&d->bottom, bottom + 1); /* seen by all before push returns */
  return true;
}

bool chase_lev_deque_pop(struct chase_lev_deque *d, long *value) {
  long bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
  struct array *a = atomic_load_explicit(&d->array, memory_order_relaxed);
  atomic_store(&d->bottom, bottom); /* before the read of top: thieves see it, or it sees them */
  long top = atomic_load(&d->top);
  if (top > bottom) {
    atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
    return false;
  }
  long item = get(a, bottom);
#ifdef NO_LAST_RACE
  *value = item;
  return true;
#else
  if (top < bottom) {
    *value = item;
    return true;
  }
  /* The last one: whoever moves top has it. */
  bool taken = atomic_compare_exchange_strong(&d->top, &top, top + 1);
  atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
  if (taken) *value = item;
  return taken;
#endif
}

bool chase_lev_deque_steal(struct chase_lev_deque *d, long *value) {
  for (;;) {
    long top = atomic_load(&d->top), bottom = atomic_load(&d->bottom);
    if (top >= bottom) return false;
    struct array *a = atomic_load_explicit(&d->array, memory_order_acquire);
    long item = get(a, top);
    if (!atomic_compare_exchange_strong(&d->top, &top, top + 1)) continue;
    *value = item;
    return true;
  }
}
