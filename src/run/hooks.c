/* The hooks: what the compiler calls with -fsanitize=thread before every access that is not atomic, and in place of
 * every one that is. Compilers that have no instruction for an atomic access call libatomic instead: those calls are
 * here too.
 *
 * An atomic access is a point; then it is made, by ordinary instructions, since nothing else runs. A weak
 * compare-and-exchange never fails without a reason. Accesses that are not atomic are points only where races are not
 * looked for, and never on the fiber's own stack. A volatile access is taken for a relaxed atomic one: that is what
 * code that has it means. */
#include <string.h>

#include "run/heap_parts.h"
#include "run/weak.h"

__extension__ typedef unsigned __int128 u128;

/* The functions below are parts of the hooks themselves, inlined: `pc` is the hook's return address, `slot` where that
 * is. */
#define PART static inline __attribute__((always_inline))
/* Those that do all that may have to be done. */
#define LONG_WAY static __attribute__((noinline))

PART void atomic_begin(enum point_kind kind, const volatile void *at, uint32_t size, uintptr_t pc) {
  struct fiber *f = current;
  if (UNLIKELY(!f)) return;
  if (UNLIKELY(recording != NULL)) record_late();
  point(kind, (uintptr_t)at, size);
  f->pc = pc;
  if (heap_owns((uintptr_t)at) && UNLIKELY(!heap_live((uintptr_t)at, size)))
    heap_access((uintptr_t)at, size, kind != POINT_READ, true, pc);
}

/* A compare-and-exchange that failed reads what one that puts the same value back does, but the code goes on elsewhere:
 * for loops that wait they are two things. */
PART uint64_t failed_read(uint64_t value) { return ~value; }

LONG_WAY void pure_access(struct fiber *f, uintptr_t at, uint32_t size, int order, uint64_t old, uint64_t old_high,
                          enum effect effect) {
  if (effect != READ_ONLY) pure_wrote(order);
  if (effect != CHANGED) pure_read(f, at, size, old, old_high);
}
/* A compare-and-exchange that fails writes what it expected; on the stack that is seen anyway. */
PART void pure_expected(const void *expected, uint32_t size) {
  if (UNLIKELY(pure_on) && current && (uintptr_t)expected - (uintptr_t)current->stack >= STACK_SIZE)
    pure_plain(current, (uintptr_t)expected, size, true);
}

/* A word that the code has read, or compares with what it reads. */
#define SIGHT(word) (UNLIKELY(heap_sights) && (word) >= HEAP_WORDS ? heap_sight(word) : (void)0)
#define SIGHT_OLD(old) \
  do { \
    if (sizeof(old) >= 8) SIGHT((uint64_t)(old)); \
    if (sizeof(old) > 8) SIGHT(HIGH(old)); \
  } while (0)

#define ERASED(word) (UNLIKELY(heap_sights) && (word) >= HEAP_WORDS ? heap_erased(word) : (void)0)
#define ERASED_OLD(old) \
  do { \
    if (sizeof(old) >= 8) ERASED((uint64_t)(old)); \
    if (sizeof(old) > 8) ERASED(HIGH(old)); \
  } while (0)

PART void atomic_end(enum point_kind kind, const volatile void *at, uint32_t size, int order, uintptr_t pc, void **slot,
                     uint64_t old, uint64_t now, uint64_t old_high, uint64_t now_high, enum effect effect) {
  struct fiber *f = current;
  if (UNLIKELY(!f)) return;
  if (kind != POINT_WRITE && size >= 8) SIGHT(old);
  if (kind != POINT_WRITE && size > 8) SIGHT(old_high);
  if (UNLIKELY(footprint_open) && effect != READ_ONLY) footprint_wrote();
  if (races_wanted() && !weak_here())
    races_step((uintptr_t)at, size, effect == READ_ONLY ? POINT_READ : kind, order & 0xff, pc);
  if (UNLIKELY(pure_on)) pure_access(f, (uintptr_t)at, size, order & 0xff, old, old_high, effect);
  if (effect == CHANGED) {
    if (size >= 8) ERASED(old);
    if (size > 8) ERASED(old_high);
    step_wrote();
    spin_wrote(f);
  } else {
    if (effect == WROTE_SAME) step_wrote_same();
    spin_read_at(f, pc, (uintptr_t)at, kind == POINT_UPDATE && effect == READ_ONLY ? failed_read(old) : old, slot);
  }
  if (UNLIKELY(recording != NULL))
    record(kind, true, true, kind == POINT_UPDATE && effect == READ_ONLY, (uintptr_t)at, size, pc,
           (struct accessed_value){old, old_high}, (struct accessed_value){now, now_high});
  if (UNLIKELY(scheduler.watched)) spin_land(pc, old, slot);
}

void access_begin(enum point_kind kind, uintptr_t at, uint32_t size, uintptr_t pc) {
  if (weak_here()) weak_cannot("inline assembly that accesses memory", pc);
  atomic_begin(kind, (const volatile void *)at, size, pc);
}
void access_end(enum point_kind kind, uintptr_t at, uint32_t size, int order, uintptr_t pc, void **slot,
                struct accessed_value old, struct accessed_value now, enum effect effect) {
  atomic_end(kind, (const volatile void *)at, size, order, pc, slot, old.low, now.low, old.high, now.high, effect);
}

/* The short way: where the fiber is known to go on, nobody wants to know of the access, and the memory is there, the
 * step is taken at once, and true. False: nothing is done. */
PART bool quick_step(enum point_kind kind, unsigned flags, const volatile void *where, uint32_t size, uintptr_t pc) {
  size_t i = run.count;
  uintptr_t at = (uintptr_t)where;
  if (UNLIKELY(i >= scheduler.silent)) return false;
  struct fiber *f = current;
  if (UNLIKELY(f->spin.pc == pc)) return false;
  if (heap_owns(at) && UNLIKELY(!heap_live(at, size))) return false;
  step_put(&scheduler.steps[i], scheduler.alive, at, f->goes_on | STEP_WORD(kind, flags, size));
  run.count = i + 1;
  f->pc = pc;
  return true;
}
/* Then: what is noted for races. False: there is more to be done, by quick_races. */
PART bool quick_note(enum point_kind kind, const volatile void *at, uint32_t size, int order, uintptr_t pc) {
  if ((order & 0xff) != __ATOMIC_SEQ_CST) run.weaker = true;
  return !order_simple || order_note((uintptr_t)at, size, kind, order & 0xff, pc);
}
PART void quick_races(enum point_kind kind, const volatile void *at, uint32_t size, int order, uintptr_t pc) {
  races_atomic((uintptr_t)at, size, kind, order & 0xff, pc);
}
PART void quick_read(uintptr_t pc, const volatile void *at, uint64_t value) {
  struct fiber *f = current;
  if (UNLIKELY(++f->spin.reads >= f->spin.next)) spin_candidate(f, pc, (uintptr_t)at, value);
}
PART void quick_changed(void) {
  scheduler.writes++;
  spin_wrote(current);
}

/* The same where the step is not taken at once: what is done with nothing concurrent is not looked at. */
PART void note_order(int order) {
  if ((order & 0xff) != __ATOMIC_SEQ_CST && current && current->id != FIBER_MAIN && !in_sequence) run.weaker = true;
}

/* The upper half of 16 bytes. */
#define HIGH(v) (sizeof(v) > 8 ? (uint64_t)((u128)(v) >> 64) : 0)
/* Memory as a T, wherever it lies. */
#define GET(v, at) __builtin_memcpy(&(v), (const void *)(uintptr_t)(at), sizeof(v))
#define PUT(at, v) __builtin_memcpy((void *)(uintptr_t)(at), &(v), sizeof(v))
/* The same under a weak memory model, where which value is read is a choice, and what is written need not come last. */
#define VALUE(v) ((struct accessed_value){(uint64_t)(v), HIGH(v)})
#define OF(T, a) ((T)(sizeof(T) > 8 ? (u128)(a).high << 64 | (a).low : (a).low))
#define READ_ANY(T, v, at, order, pc) \
  do { \
    if (weak_here()) \
      v = OF(T, weak_read((uintptr_t)(at), sizeof(v), (order)&0xff, pc)); \
    else \
      GET(v, at); \
  } while (0)
#define UPDATE_ANY(T, v, at, order, failed, expected, pc) \
  do { \
    if (weak_here()) \
      v = OF(T, weak_update((uintptr_t)(at), sizeof(v), (order)&0xff, (failed)&0xff, expected, pc)); \
    else \
      GET(v, at); \
  } while (0)
#define PUT_UPDATE(at, v) (weak_here() ? weak_updates(VALUE(v)) : (void)PUT(at, v))

/* The order of an access may be another than the code says (sites.c). */
#define SITE_BEGIN(kind, order, failed, pc) \
  struct site_orders site = {order, failed, __ATOMIC_RELAXED}; \
  if (UNLIKELY(sites_on)) site = site_begin(kind, order, failed, pc)
#define SITE_END() (UNLIKELY(site.fence) ? site_end(site) : (void)0)

/* The operations of one width: inline functions first, then the names the compilers call them by. What heap_sights asks
 * for is the last call of each: so the short way has no registers to keep. */
#define OPERATIONS(N, T) \
  LONG_WAY T load_long_##N(const volatile void *at, int order, uintptr_t pc, void **slot) { \
    T v; \
    note_order(order); \
    SITE_BEGIN(SITE_LOAD, order, order, pc); \
    atomic_begin(POINT_READ, at, sizeof v, pc); \
    READ_ANY(T, v, at, site.order, pc); \
    atomic_end(POINT_READ, at, sizeof v, site.order, pc, slot, (uint64_t)v, 0, HIGH(v), 0, READ_ONLY); \
    SITE_END(); \
    return v; \
  } \
  LONG_WAY T load_seen_##N(T v) { \
    SIGHT_OLD(v); \
    return v; \
  } \
  PART T load_end_##N(const volatile void *at, uintptr_t pc) { \
    T v; \
    GET(v, at); \
    quick_read(pc, at, (uint64_t)v); \
    return UNLIKELY(heap_sights) ? load_seen_##N(v) : v; \
  } \
  LONG_WAY T load_races_##N(const volatile void *at, int order, uintptr_t pc) { \
    quick_races(POINT_READ, at, N, order, pc); \
    return load_end_##N(at, pc); \
  } \
  PART T load_##N(const volatile void *at, int order, uintptr_t pc) { \
    if (UNLIKELY(!quick_step(POINT_READ, 0, at, N, pc))) return load_long_##N(at, order, pc, SPIN_SLOT); \
    return LIKELY(quick_note(POINT_READ, at, N, order, pc)) ? load_end_##N(at, pc) : load_races_##N(at, order, pc); \
  } \
  LONG_WAY void store_long_##N(volatile void *at, T v, int order, uintptr_t pc, void **slot) { \
    T old; \
    note_order(order); \
    SITE_BEGIN(SITE_STORE, order, order, pc); \
    atomic_begin(POINT_WRITE, at, sizeof v, pc); \
    GET(old, at); \
    if (weak_here()) \
      weak_write((uintptr_t)at, sizeof v, VALUE(v), site.order & 0xff, pc); \
    else \
      PUT(at, v); \
    atomic_end(POINT_WRITE, at, sizeof v, site.order, pc, slot, (uint64_t)old, (uint64_t)v, HIGH(old), HIGH(v), \
               old == v ? WROTE_SAME : CHANGED); \
    SITE_END(); \
  } \
  PART void store_##N(volatile void *at, T v, int order, uintptr_t pc) { \
    T old; \
    if (UNLIKELY(!quick_step(POINT_WRITE, STEP_WROTE, at, sizeof v, pc))) { \
      store_long_##N(at, v, order, pc, SPIN_SLOT); \
      return; \
    } \
    if (UNLIKELY(!quick_note(POINT_WRITE, at, sizeof v, order, pc))) \
      quick_races(POINT_WRITE, at, sizeof v, order, pc); \
    GET(old, at); \
    PUT(at, v); \
    if (old != v) { \
      quick_changed(); \
      ERASED_OLD(old); \
    } else { \
      quick_read(pc, at, (uint64_t)old); \
    } \
  } \
  LONG_WAY bool exchange_if_long_##N(volatile void *at, T *expected, T v, int order, int failed, uintptr_t pc, \
                                     void **slot) { \
    T old; \
    SITE_BEGIN(SITE_EXCHANGE, order, failed, pc); \
    atomic_begin(POINT_UPDATE, at, sizeof v, pc); \
    UPDATE_ANY(T, old, at, site.order, site.failed, &VALUE(*expected), pc); \
    note_order(old == *expected ? order : failed); \
    if (old == *expected) { \
      PUT_UPDATE(at, v); \
      atomic_end(POINT_UPDATE, at, sizeof v, site.order, pc, slot, (uint64_t)old, (uint64_t)v, HIGH(old), HIGH(v), \
                 old == v ? WROTE_SAME : CHANGED); \
      SITE_END(); \
      return true; \
    } \
    if (UNLIKELY(sites_on)) site_failed(pc); \
    pure_expected(expected, sizeof v); \
    SIGHT_OLD(*expected); \
    *expected = old; \
    atomic_end(POINT_UPDATE, at, sizeof v, site.failed, pc, slot, (uint64_t)old, 0, HIGH(old), 0, READ_ONLY); \
    SITE_END(); \
    return false; \
  } \
  PART bool exchange_if_end_##N(volatile void *at, T *expected, T v, T old, uintptr_t pc, bool sights) { \
    T was = *expected; \
    bool same = old == was; \
    if (same) { \
      PUT(at, v); \
      step_wrote_same(); \
    } else { \
      *expected = old; \
    } \
    if (sights) { \
      if (!same) SIGHT_OLD(was); \
      SIGHT_OLD(old); \
      if (same && old != v) ERASED_OLD(old); \
    } \
    if (same && old != v) \
      quick_changed(); \
    else \
      quick_read(pc, at, same ? (uint64_t)old : failed_read((uint64_t)old)); \
    return same; \
  } \
  LONG_WAY bool exchange_if_seen_##N(volatile void *at, T *expected, T v, T old, uintptr_t pc) { \
    return exchange_if_end_##N(at, expected, v, old, pc, true); \
  } \
  LONG_WAY bool exchange_if_races_##N(volatile void *at, T *expected, T v, int order, uintptr_t pc) { \
    T old; \
    GET(old, at); \
    quick_races(old == *expected ? POINT_UPDATE : POINT_READ, at, sizeof v, order, pc); \
    return exchange_if_end_##N(at, expected, v, old, pc, true); \
  } \
  PART bool exchange_if_##N(volatile void *at, T *expected, T v, int order, int failed, uintptr_t pc) { \
    T old; \
    if (UNLIKELY(!quick_step(POINT_UPDATE, 0, at, sizeof v, pc))) \
      return exchange_if_long_##N(at, expected, v, order, failed, pc, SPIN_SLOT); \
    GET(old, at); \
    bool same = old == *expected; \
    if (!same) order = failed; \
    if (UNLIKELY(!quick_note(same ? POINT_UPDATE : POINT_READ, at, sizeof v, order, pc))) \
      return exchange_if_races_##N(at, expected, v, order, pc); \
    return UNLIKELY(heap_sights) ? exchange_if_seen_##N(at, expected, v, old, pc) \
                                 : exchange_if_end_##N(at, expected, v, old, pc, false); \
  }
#define UPDATE(N, T, name, expression) \
  LONG_WAY T name##_long_##N(volatile void *at, T v, int order, uintptr_t pc, void **slot) { \
    T old; \
    note_order(order); \
    SITE_BEGIN(SITE_UPDATE, order, order, pc); \
    atomic_begin(POINT_UPDATE, at, sizeof v, pc); \
    UPDATE_ANY(T, old, at, site.order, site.order, NULL, pc); \
    T now = (T)(expression); \
    PUT_UPDATE(at, now); \
    atomic_end(POINT_UPDATE, at, sizeof v, site.order, pc, slot, (uint64_t)old, (uint64_t)now, HIGH(old), HIGH(now), \
               old == now ? WROTE_SAME : CHANGED); \
    SITE_END(); \
    return old; \
  } \
  PART T name##_##N(volatile void *at, T v, int order, uintptr_t pc) { \
    T old; \
    if (UNLIKELY(!quick_step(POINT_UPDATE, STEP_WROTE, at, sizeof v, pc))) \
      return name##_long_##N(at, v, order, pc, SPIN_SLOT); \
    if (UNLIKELY(!quick_note(POINT_UPDATE, at, sizeof v, order, pc))) \
      quick_races(POINT_UPDATE, at, sizeof v, order, pc); \
    GET(old, at); \
    T now = (T)(expression); \
    PUT(at, now); \
    if (old != now) \
      quick_changed(); \
    else \
      quick_read(pc, at, (uint64_t)old); \
    return UNLIKELY(heap_sights) ? updated_seen_##N(old, now) : old; \
  }
#define UPDATES(N, T) \
  LONG_WAY T updated_seen_##N(T old, T now) { \
    SIGHT_OLD(old); \
    if (old != now) ERASED_OLD(old); \
    return old; \
  } \
  UPDATE(N, T, exchange, v) \
  UPDATE(N, T, fetch_add, old + v) \
  UPDATE(N, T, fetch_sub, old - v) \
  UPDATE(N, T, fetch_and, old &v) \
  UPDATE(N, T, fetch_or, old | v) \
  UPDATE(N, T, fetch_xor, old ^ v) \
  UPDATE(N, T, fetch_nand, ~(old & v))

/* __tsan_atomic32_load and so on. */
#define HOOK_UPDATE(B, N, T, name) \
  WRAPPED T WRAP(__tsan_atomic##B##_##name)(volatile T *, T, int); \
  T WRAP(__tsan_atomic##B##_##name)(volatile T * at, T v, int order) { return name##_##N(at, v, order, CALLER); }
#define HOOKS(B, N, T) \
  WRAPPED T WRAP(__tsan_atomic##B##_load)(const volatile T *, int); \
  T WRAP(__tsan_atomic##B##_load)(const volatile T *at, int order) { return load_##N(at, order, CALLER); } \
  WRAPPED void WRAP(__tsan_atomic##B##_store)(volatile T *, T, int); \
  void WRAP(__tsan_atomic##B##_store)(volatile T * at, T v, int order) { store_##N(at, v, order, CALLER); } \
  HOOK_UPDATE(B, N, T, exchange) \
  HOOK_UPDATE(B, N, T, fetch_add) \
  HOOK_UPDATE(B, N, T, fetch_sub) \
  HOOK_UPDATE(B, N, T, fetch_and) \
  HOOK_UPDATE(B, N, T, fetch_or) \
  HOOK_UPDATE(B, N, T, fetch_xor) \
  HOOK_UPDATE(B, N, T, fetch_nand) \
  WRAPPED int WRAP(__tsan_atomic##B##_compare_exchange_strong)(volatile T *, T *, T, int, int); \
  int WRAP(__tsan_atomic##B##_compare_exchange_strong)(volatile T * at, T * expected, T v, int order, int failed) { \
    return exchange_if_##N(at, expected, v, order, failed, CALLER); \
  } \
  WRAPPED int WRAP(__tsan_atomic##B##_compare_exchange_weak)(volatile T *, T *, T, int, int); \
  int WRAP(__tsan_atomic##B##_compare_exchange_weak)(volatile T * at, T * expected, T v, int order, int failed) { \
    return exchange_if_##N(at, expected, v, order, failed, CALLER); \
  } \
  WRAPPED T WRAP(__tsan_atomic##B##_compare_exchange_val)(volatile T *, T, T, int, int); \
  T WRAP(__tsan_atomic##B##_compare_exchange_val)(volatile T * at, T expected, T v, int order, int failed) { \
    exchange_if_##N(at, &expected, v, order, failed, CALLER); \
    return expected; \
  }

/* libatomic's: __atomic_load_4 and so on. */
#define LIBATOMIC_UPDATE(N, T, name, after) \
  WRAPPED T WRAP(__atomic_fetch_##name##_##N)(volatile void *, T, int); \
  T WRAP(__atomic_fetch_##name##_##N)(volatile void *at, T v, int order) { \
    return fetch_##name##_##N(at, v, order, CALLER); \
  } \
  WRAPPED T WRAP(__atomic_##name##_fetch_##N)(volatile void *, T, int); \
  T WRAP(__atomic_##name##_fetch_##N)(volatile void *at, T v, int order) { \
    T old = fetch_##name##_##N(at, v, order, CALLER); \
    return (T)(after); \
  }
#define LIBATOMIC(N, T) \
  WRAPPED T WRAP(__atomic_load_##N)(const volatile void *, int); \
  T WRAP(__atomic_load_##N)(const volatile void *at, int order) { return load_##N(at, order, CALLER); } \
  WRAPPED void WRAP(__atomic_store_##N)(volatile void *, T, int); \
  void WRAP(__atomic_store_##N)(volatile void *at, T v, int order) { store_##N(at, v, order, CALLER); } \
  WRAPPED T WRAP(__atomic_exchange_##N)(volatile void *, T, int); \
  T WRAP(__atomic_exchange_##N)(volatile void *at, T v, int order) { return exchange_##N(at, v, order, CALLER); } \
  WRAPPED bool WRAP(__atomic_compare_exchange_##N)(volatile void *, void *, T, int, int); \
  bool WRAP(__atomic_compare_exchange_##N)(volatile void *at, void *expected, T v, int order, int failed) { \
    T was; \
    GET(was, expected); \
    bool done = exchange_if_##N(at, &was, v, order, failed, CALLER); \
    if (!done) pure_expected(expected, N); \
    PUT(expected, was); \
    return done; \
  } \
  LIBATOMIC_UPDATE(N, T, add, old + v) \
  LIBATOMIC_UPDATE(N, T, sub, old - v) \
  LIBATOMIC_UPDATE(N, T, and, old &v) \
  LIBATOMIC_UPDATE(N, T, or, old | v) \
  LIBATOMIC_UPDATE(N, T, xor, old ^ v) \
  LIBATOMIC_UPDATE(N, T, nand, ~(old & v))

#define WIDTH(B, N, T) OPERATIONS(N, T) UPDATES(N, T) HOOKS(B, N, T) LIBATOMIC(N, T)
WIDTH(8, 1, uint8_t)
WIDTH(16, 2, uint16_t)
WIDTH(32, 4, uint32_t)
WIDTH(64, 8, uint64_t)
WIDTH(128, 16, u128)

/* libatomic's for any size. */
/* These are not supported under weak memory models. */
PART void any_size_begin(enum point_kind kind, const volatile void *at, size_t size, int order, uintptr_t pc) {
  note_order(order);
  if (weak_here()) weak_cannot("an atomic access by libatomic's functions for any size", pc);
  atomic_begin(kind, at, (uint32_t)size, pc);
}
static inline uint64_t low_half(const volatile void *at, size_t size) {
  uint64_t v = 0;
  memcpy(&v, (const void *)(uintptr_t)at, size < sizeof v ? size : sizeof v);
  return v;
}
static inline uint64_t high_half(const volatile void *at, size_t size) {
  return size > 8 ? low_half((const volatile char *)at + 8, size - 8) : 0;
}

WRAPPED void WRAP(__atomic_load)(size_t, const volatile void *, void *, int);
void WRAP(__atomic_load)(size_t size, const volatile void *at, void *to, int order) {
  any_size_begin(POINT_READ, at, size, order, CALLER);
  memcpy(to, (const void *)(uintptr_t)at, size);
  atomic_end(POINT_READ, at, (uint32_t)size, order, CALLER, SPIN_SLOT, low_half(at, size), 0, high_half(at, size), 0,
             READ_ONLY);
}

WRAPPED void WRAP(__atomic_store)(size_t, volatile void *, const void *, int);
void WRAP(__atomic_store)(size_t size, volatile void *at, const void *from, int order) {
  any_size_begin(POINT_WRITE, at, size, order, CALLER);
  uint64_t old = low_half(at, size), old_high = high_half(at, size);
  bool same = !memcmp((const void *)(uintptr_t)at, from, size);
  memcpy((void *)(uintptr_t)at, from, size);
  atomic_end(POINT_WRITE, at, (uint32_t)size, order, CALLER, SPIN_SLOT, old, low_half(at, size), old_high,
             high_half(at, size), same ? WROTE_SAME : CHANGED);
}

WRAPPED void WRAP(__atomic_exchange)(size_t, volatile void *, const void *, void *, int);
void WRAP(__atomic_exchange)(size_t size, volatile void *at, const void *from, void *to, int order) {
  any_size_begin(POINT_UPDATE, at, size, order, CALLER);
  uint64_t old = low_half(at, size), old_high = high_half(at, size);
  bool same = !memcmp((const void *)(uintptr_t)at, from, size);
  char *place = (char *)(uintptr_t)at;
  for (size_t i = 0; i < size; i++) { /* from and to may be the same */
    char v = ((const char *)from)[i];
    ((char *)to)[i] = place[i];
    place[i] = v;
  }
  atomic_end(POINT_UPDATE, at, (uint32_t)size, order, CALLER, SPIN_SLOT, old, low_half(at, size), old_high,
             high_half(at, size), same ? WROTE_SAME : CHANGED);
}

WRAPPED bool WRAP(__atomic_compare_exchange)(size_t, volatile void *, void *, const void *, int, int);
bool WRAP(__atomic_compare_exchange)(size_t size, volatile void *at, void *expected, const void *from, int order,
                                     int failed) {
  any_size_begin(POINT_UPDATE, at, size, order, CALLER);
  uint64_t old = low_half(at, size), old_high = high_half(at, size);
  if (!memcmp((const void *)(uintptr_t)at, expected, size)) {
    bool same = !memcmp((const void *)(uintptr_t)at, from, size);
    memcpy((void *)(uintptr_t)at, from, size);
    atomic_end(POINT_UPDATE, at, (uint32_t)size, order, CALLER, SPIN_SLOT, old, low_half(at, size), old_high,
               high_half(at, size), same ? WROTE_SAME : CHANGED);
    return true;
  }
  pure_expected(expected, (uint32_t)size);
  memcpy(expected, (const void *)(uintptr_t)at, size);
  atomic_end(POINT_UPDATE, at, (uint32_t)size, failed, CALLER, SPIN_SLOT, old, 0, old_high, 0, READ_ONLY);
  return false;
}

WRAPPED bool WRAP(__atomic_is_lock_free)(size_t, const volatile void *);
bool WRAP(__atomic_is_lock_free)(size_t size, const volatile void *at) {
  (void)at;
  return size <= 16 && !(size & (size - 1));
}

WRAPPED void WRAP(__tsan_atomic_thread_fence)(int);
void WRAP(__tsan_atomic_thread_fence)(int order) {
  if (!races_wanted()) return;
  SITE_BEGIN(SITE_FENCE, order, order, CALLER);
  if (site.order != order && site.order == __ATOMIC_RELAXED) return; /* it is left out */
  races_fence(site.order & 0xffff);
  if (!weak_here()) return;
  weak_fence(site.order & 0xffff);
  struct accessed_value none = {0, 0};
  if (UNLIKELY(recording != NULL)) record(TOLD_FENCE, true, false, false, 0, 1, CALLER, none, none);
}
WRAPPED void WRAP(__tsan_atomic_signal_fence)(int);
void WRAP(__tsan_atomic_signal_fence)(int order) { (void)order; }

/* Accesses that are not atomic. */

static void record_read(bool atomic, bool is_point, uintptr_t at, uint32_t size, uintptr_t pc) {
  const volatile void *where = (const volatile void *)at;
  record(POINT_READ, atomic, is_point, false, at, size, pc,
         (struct accessed_value){low_half(where, size), high_half(where, size)}, (struct accessed_value){0, 0});
}

/* More than the machine accesses at once, or across two words: others may come in between, and a hook, which is called
 * before all of it, cannot let them. */
LONG_WAY void volatile_in_parts(uintptr_t at, uint32_t size, bool write, uintptr_t pc) {
  const struct fiber *f = current;
  if (!f || scheduler.mode == MODE_QUIET || at - (uintptr_t)f->stack < STACK_SIZE || run.fibers < 2) return;
  if (size <= 8 && (at & 7) + size <= 8) return;
  found_at(pc, at, f, write ? "the write" : "the read");
  run_found(FOUND_UNSUPPORTED,
            "%s %s %u bytes that are volatile, not atomic: the machine takes several accesses for them", fiber_name(f),
            write ? "writes" : "reads", (unsigned)size);
}

/* As what the user says it is. Where nothing is said, the clocks are asked whether two of them race, until one is known
 * that does. */
LONG_WAY void volatile_order(uintptr_t at, uint32_t size, enum point_kind kind, uintptr_t pc) {
  int order = options.volatiles < VOLATILE_ACQUIRE_RELEASE ? __ATOMIC_RELAXED
              : kind == POINT_READ                         ? __ATOMIC_ACQUIRE
                                                           : __ATOMIC_RELEASE;
  bool asks = options.volatiles == VOLATILE_UNSAID && !run.volatile_race[0] && !run_in_stack(at);
  if (!run_in_stack(at)) run.volatiles = true;
  if (asks) races_use_clocks_before();
  races_step(at, size, kind, order, asks ? pc | PC_VOLATILE : pc);
}

PART void volatile_access(uintptr_t at, uint32_t size, bool write, uintptr_t pc) {
  struct fiber *f = current;
  if (!f) return;
  enum point_kind kind = write ? POINT_WRITE : POINT_READ;
  if (weak_here() && at - (uintptr_t)f->stack >= STACK_SIZE) weak_cannot("a volatile access", pc);
  atomic_begin(kind, (const volatile void *)at, size, pc);
  if (races_wanted()) volatile_order(at, size, kind, pc);
  uint64_t value = low_half((const volatile void *)at, size);
  if (UNLIKELY(pure_on)) pure_access(f, at, size, __ATOMIC_RELAXED, value, 0, write ? CHANGED : READ_ONLY);
  if (write) {
    if (UNLIKELY(heap_sights)) heap_erased_range(at, size);
    step_wrote();
    spin_wrote(f);
    if (UNLIKELY(recording != NULL)) record_write(true, true, at, size, pc);
  } else {
    if (size >= 8) SIGHT(value);
    spin_read(f, pc, at, value);
    if (UNLIKELY(recording != NULL)) record_read(true, true, at, size, pc);
  }
  SPIN_LAND(pc, value);
}

/* Where races are not looked for it is a point; and where pointers to freed memory may be used, since those race with
 * nobody. */
static inline bool plain_is_point(uintptr_t at) { return !options.races || (options.type_stable && heap_owns(at)); }

static void plain_point(struct fiber *f, uintptr_t at, uint32_t size, bool write, uintptr_t pc, void **slot) {
  point(write ? POINT_WRITE : POINT_READ, at, size);
  f->pc = pc;
  if (heap_owns(at)) heap_access(at, size, write, false, pc);
  if (write) {
    step_wrote();
    spin_wrote(f);
  } else {
    spin_read_at(f, pc, at, low_half((const volatile void *)at, size), slot);
  }
  if (UNLIKELY(scheduler.watched)) spin_land(pc, low_half((const volatile void *)at, size), slot);
}

/* Another's stack: it must not have returned from there. */
LONG_WAY void check_stack(const struct fiber *f, uintptr_t at, uint32_t size, bool write, uintptr_t pc) {
  for (unsigned i = 0; i < run.fibers; i++) {
    const struct fiber *owner = &fibers[i];
    if (owner == f || at - (uintptr_t)owner->stack >= STACK_SIZE) continue;
    if (!owner->ended && at + size > (uintptr_t)owner->sp) return;
    found_at(pc, at, f, write ? "the write" : "the read");
    run_found(FOUND_USE_AFTER_FREE, "%s %s %u byte%s on the stack of %s, which has %s", fiber_name(f),
              write ? "writes" : "reads", (unsigned)size, size == 1 ? "" : "s", fiber_name(owner),
              owner->ended ? "ended" : "returned from there");
  }
}

/* No point, and not on the fiber's stack, which is part of its state. */
PART void plain_noted(struct fiber *f, uintptr_t at, uint32_t size, bool write, uintptr_t pc, void **slot) {
  uintptr_t was = f->spin.pc;
  if (write) spin_wrote(f);
  if (UNLIKELY(pure_on)) {
    if (was && write) f->spin.pc = 1; /* see pure.c */
    pure_plain(f, at, size, write);
  }
  if (UNLIKELY(plain_watched)) spin_plain(f, pc, at, size, write, slot);
}

LONG_WAY void plain_elsewhere(struct fiber *f, uintptr_t at, uint32_t size, bool write, uintptr_t pc, void **slot) {
  if (UNLIKELY(at == scheduler.error_at)) return; /* errno: each fiber has its own, if at the same place */
  if (UNLIKELY(options.stacks) && run_in_stack(at)) check_stack(f, at, size, write, pc);
  bool forgiven = UNLIKELY(forgiving) && races_wanted() && is_forgiven(f, at, size, pc);
  bool is_point = forgiven || plain_is_point(at);
  if (UNLIKELY(footprint_open)) footprint_plain(at, size, write);
  if (weak_here() && write) weak_forget(at, size);
  if (is_point) {
    if (UNLIKELY(size > 8 || (at & 7) + size > 8) && f->id != FIBER_MAIN) run.wide = true; /* init is alone */
    plain_point(f, at, size, write, pc, slot);
  } else {
    f->pc = pc;
    if (heap_owns(at) && UNLIKELY(!heap_live(at, size))) heap_access(at, size, write, false, pc);
    if (at - (uintptr_t)f->stack >= STACK_SIZE) plain_noted(f, at, size, write, pc, slot);
  }
  if (UNLIKELY(heap_sights)) write ? heap_erased_range(at, size) : heap_sight_range(at, size);
  if (forgiven)
    races_step(at, size, write ? POINT_WRITE : POINT_READ, __ATOMIC_RELAXED, pc | PC_FORGIVEN);
  else if (options.races && f->id != FIBER_MAIN)
    races_access(at, size, write, pc);
  if (LIKELY(!recording)) return;
  if (write) {
    record_write(false, is_point, at, size, pc);
  } else {
    record_read(false, is_point, at, size, pc);
  }
}

/* The short way: nobody but the order wants to know of it, and the memory is there. */
PART bool quick_plain(struct fiber *f, uintptr_t at, uint32_t size, bool write, uintptr_t pc) {
  if (UNLIKELY(!order_simple || plain_long || f->id == FIBER_MAIN)) return false;
  if (heap_owns(at) ? !heap_live(at, size) : at == scheduler.error_at || run_in_stack(at)) return false;
  if (UNLIKELY(!order_access(at, size, write, pc))) return false;
  f->pc = pc;
  if (UNLIKELY(heap_sights) && size >= 8) write ? heap_erased_range(at, size) : heap_sight_range(at, size);
  if (write) spin_wrote(f);
  return true;
}

PART void plain_outside(struct fiber *f, const void *where, size_t size, bool write, uintptr_t pc, void **slot) {
  if (quick_plain(f, (uintptr_t)where, (uint32_t)size, write, pc)) return;
  if (UNLIKELY(run_in_stack((uintptr_t)where)) && !options.stacks) run.shares_stacks = true;
  if (options.races || UNLIKELY(size > 8) ||
      !quick_step(write ? POINT_WRITE : POINT_READ, write ? STEP_WROTE : 0, where, (uint32_t)size, pc)) {
    plain_elsewhere(f, (uintptr_t)where, (uint32_t)size, write, pc, slot);
  } else if (write) {
    if (UNLIKELY(heap_sights)) heap_erased_range((uintptr_t)where, size);
    quick_changed();
  } else {
    quick_read(pc, where, low_half(where, size));
    if (size == 8) SIGHT(low_half(where, 8));
  }
}
LONG_WAY void read_outside(struct fiber *f, const void *at, size_t size, uintptr_t pc, void **slot) {
  plain_outside(f, at, size, false, pc, slot);
}
LONG_WAY void write_outside(struct fiber *f, const void *at, size_t size, uintptr_t pc, void **slot) {
  plain_outside(f, at, size, true, pc, slot);
}

/* Most of them are to the own stack, and near: there is nothing else so close above the place of the return address. */
enum { NEAR = 2048 };
_Static_assert(NEAR < STACK_GUARD, "what is above a stack is nobody's");
/* What is not looked at, from there on; 0 where threads share their stacks (run_options.stacks). */
static uintptr_t near_stack = NEAR, own_stack = STACK_SIZE;
void hooks_open(void) {
  near_stack = options.stacks || weak_on ? 0 : NEAR;
  own_stack = options.stacks ? 0 : STACK_SIZE;
}
PART void plain(const void *where, size_t size, bool write, uintptr_t pc) {
  if (LIKELY((uintptr_t)where - (uintptr_t)SPIN_SLOT < near_stack)) return;
  struct fiber *f = current;
  if (!f || (uintptr_t)where - (uintptr_t)f->stack < own_stack) {
    if (f && write && weak_here()) weak_forget((uintptr_t)where, size);
    return;
  }
  if (write)
    write_outside(f, where, size, pc, SPIN_SLOT);
  else
    read_outside(f, where, size, pc, SPIN_SLOT);
}

#define PLAIN(name, N, write) \
  WRAPPED void WRAP(__tsan_##name##N)(void *); \
  void WRAP(__tsan_##name##N)(void *at) { plain(at, N, write, CALLER); }
#define VOLATILE(name, N, write) \
  WRAPPED void WRAP(__tsan_##name##N)(void *); \
  void WRAP(__tsan_##name##N)(void *at) { volatile_access((uintptr_t)at, N, write, CALLER); }
#define IN_PARTS(name, N, write) \
  WRAPPED void WRAP(__tsan_##name##N)(void *); \
  void WRAP(__tsan_##name##N)(void *at) { \
    volatile_in_parts((uintptr_t)at, N, write, CALLER); \
    volatile_access((uintptr_t)at, N, write, CALLER); \
  }
#define READ_WRITE(name, N) \
  WRAPPED void WRAP(__tsan_##name##N)(void *); \
  void WRAP(__tsan_##name##N)(void *at) { \
    plain(at, N, false, CALLER); \
    plain(at, N, true, CALLER); \
  }
#define ALIGNED(N) \
  PLAIN(read, N, false) \
  PLAIN(write, N, true) READ_WRITE(read_write, N)
#define ALIGNED_VOLATILE(N) ALIGNED(N) VOLATILE(volatile_read, N, false) VOLATILE(volatile_write, N, true)
#define UNALIGNED(N) \
  PLAIN(unaligned_read, N, false) \
  PLAIN(unaligned_write, N, true) \
  READ_WRITE(unaligned_read_write, N) \
  IN_PARTS(unaligned_volatile_read, N, false) IN_PARTS(unaligned_volatile_write, N, true)
ALIGNED_VOLATILE(1)
ALIGNED_VOLATILE(2)
ALIGNED_VOLATILE(4)
ALIGNED_VOLATILE(8)
ALIGNED(16)
IN_PARTS(volatile_read, 16, false)
IN_PARTS(volatile_write, 16, true)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

WRAPPED void WRAP(__tsan_read_range)(void *, size_t);
void WRAP(__tsan_read_range)(void *at, size_t size) {
  if (size) plain(at, size, false, CALLER);
}
WRAPPED void WRAP(__tsan_write_range)(void *, size_t);
void WRAP(__tsan_write_range)(void *at, size_t size) {
  if (size) plain(at, size, true, CALLER);
}

/* A constructor or destructor sets the object's class: most often to what it is. */
WRAPPED void WRAP(__tsan_vptr_update)(void **, void *);
void WRAP(__tsan_vptr_update)(void **at, void *now) { plain(at, sizeof *at, *at != now, CALLER); }
WRAPPED void WRAP(__tsan_vptr_read)(void **);
void WRAP(__tsan_vptr_read)(void **at) { plain(at, sizeof *at, false, CALLER); }

void plain_access(const void *where, size_t size, bool write, uintptr_t pc, void **slot) {
  struct fiber *f = current;
  uintptr_t at = (uintptr_t)where;
  if (size && f && write && weak_here()) weak_forget(at, size);
  if (!size || !f || at - (uintptr_t)f->stack < own_stack) return;
  if (UNLIKELY(run_in_stack(at)) && !options.stacks) run.shares_stacks = true;
  plain_elsewhere(f, at, (uint32_t)size, write, pc, slot);
}

WRAPPED void WRAP(__tsan_init)(void);
void WRAP(__tsan_init)(void) {}
WRAPPED void WRAP(__tsan_func_entry)(void *);
void WRAP(__tsan_func_entry)(void *caller) { (void)caller; }
WRAPPED void WRAP(__tsan_func_exit)(void);
void WRAP(__tsan_func_exit)(void) {}
