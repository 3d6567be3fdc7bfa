/* Data races without clocks, where it is simple what comes before what.
 *
 * Most runs have no race, and most accesses are atomic. So of these nothing is kept but the order they were made with,
 * beside the step. When a plain access meets one of another fiber, the steps are gone through backwards for a reason
 * why that comes before: a step that acquires reads what a step of another released, and so on, until a step of that
 * fiber after its access. What is found is one of the reasons that the clocks have (races.c); where none is found, or
 * anything happens that is not as simple as this, the clocks are set up by going through everything from the beginning,
 * and from then on it is theirs to decide. Nobody but the clocks says that there is a race.
 *
 * The steps of a run that goes on from a kept state are those of the run before: only plain accesses have to be
 * forgotten. */
#include <stdlib.h>
#include <string.h>

#include "run/runtime.h"

enum {
  PLACES_LOG = 12, /* of 8 bytes each with plain accesses; half of them are used */
  PLAINS_MOST = 1 << 14,
  CHAIN_MOST = 32,  /* accesses of one place that are looked at */
  WANTED_MOST = 16, /* locations whose last write is looked for */
  RECENT = 16       /* steps in which a reason is looked for first */
};

/* A plain access, or an atomic one of a place that has plain ones. */
struct plain {
  uintptr_t address, pc;
  uint32_t at;            /* steps that had been taken; it comes after its fiber's */
  uint32_t before, place; /* before: the one before it at its place; 0: none */
  uint8_t mask, fiber;    /* mask: which of the 8 bytes */
  bool write, atomic;
};

bool order_simple;
uint64_t *order_notes;
uint8_t order_map[1 << ORDER_MAP_LOG];
uint32_t order_wrote[1 << ORDER_MAP_LOG];
static struct {
  uint64_t keys[1 << PLACES_LOG]; /* address / 8; 0: none. They stay from run to run */
  uint32_t last[1 << PLACES_LOG]; /* the last access; 0: none */
  unsigned used;
  struct plain *plains; /* from 1 on */
  uint32_t count;
} order;

static void forget_after(uint32_t count) {
  for (; order.count > count; order.count--)
    order.last[order.plains[order.count].place] = order.plains[order.count].before;
}

bool order_open(bool simple, size_t steps) {
  order_simple = false;
  if (!simple) return true;
  if (!order.plains) order.plains = malloc((PLAINS_MOST + 1) * sizeof *order.plains);
  uint64_t *notes = realloc(order_notes, steps * sizeof *notes);
  if (notes) order_notes = notes;
  if (!notes || !order.plains) return false;
  memset(order_map, 0, sizeof order_map);
  memset(order.keys, 0, sizeof order.keys);
  memset(order.last, 0, sizeof order.last);
  order.used = order.count = 0;
  order_simple = true;
  return true;
}

void order_reset(void) { forget_after(0); }

/* Kept states. */
bool order_put(struct kept_bytes *s) { return kept_put(s, &order.count, sizeof order.count); }
void order_get(const char **from) {
  uint32_t count;
  kept_get(from, &count, sizeof count);
  forget_after(count);
}

/* What comes before. */

static inline bool is_atomic(const struct step *s) { return s->kind <= POINT_UPDATE; }

static inline int order_of(size_t step) { return (int)(order_notes[step] >> 56); }

/* A step's fiber, kind and flags at once. */
enum { WHO = 0xff, KIND = 0xff << 16, KIND_READS = POINT_READ | POINT_UPDATE };
_Static_assert(!(KIND_READS & POINT_WRITE) && KIND_READS <= 2, "a kind reads if it has no bit but these");
static inline uint32_t about(const struct step *s) {
  uint32_t word;
  memcpy(&word, &s->fiber, sizeof word);
  return word;
}

/* Has the fiber just read what the other one released after its access? That is how pointers are handed over. The last
 * write of a location is the one in order_wrote, if that is one in this run: each is put there when it happens. */
static __attribute__((noinline)) bool handed_over(const struct plain *p, unsigned me) {
  size_t at = p->at, count = run.count, most = count > at + RECENT ? RECENT : count - at;
  const struct step *steps = scheduler.steps, *s = &steps[count];
  for (; most; most--) {
    s--;
    if ((about(s) ^ me) & (WHO | (KIND & ~(KIND_READS << 16)))) continue; /* not its own, or it reads nothing */
    size_t wrote = order_wrote[order_place(s->address)], i = (size_t)(s - steps);
    if (wrote - at >= i - at) continue;
    const struct step *w = &steps[wrote];
    if (w->fiber != p->fiber || w->address != s->address || !is_atomic(w) || !(w->flags & STEP_WROTE)) continue;
    if (order_acquires(order_of(i)) && order_releases(order_of(wrote))) return true;
  }
  return false;
}

/* Does the access come before what this fiber does now? Goes backwards through the steps: `known` is up to where the
 * steps of each fiber come before, and `wanted` are the locations that were read by those that acquire, and whose last
 * write has not been met. */
static bool comes_before(const struct plain *p, unsigned me) {
  uint32_t known[FIBERS_MOST];
  uintptr_t wanted[WANTED_MOST];
  unsigned count = 0;
  memset(known, 0, run.fibers * sizeof *known);
  known[me] = (uint32_t)run.count;
  for (size_t i = run.count; i-- > p->at;) {
    const struct step *s = &scheduler.steps[i];
    int how = is_atomic(s) ? order_of(i) : __ATOMIC_RELAXED;
    for (unsigned w = 0; s->flags & STEP_WROTE && w < count; w++) {
      if (wanted[w] != s->address) continue;
      wanted[w] = wanted[--count];
      if (order_releases(how) && known[s->fiber] <= i) known[s->fiber] = (uint32_t)i + 1;
      break;
    }
    if (i >= known[s->fiber]) continue;
    if (s->fiber == p->fiber) return true;
    if (s->kind == POINT_WRITE || !order_acquires(how)) continue;
    unsigned w = 0;
    while (w < count && wanted[w] != s->address) w++;
    if (w == WANTED_MOST) return false;
    wanted[w] = s->address;
    if (w == count) count++;
  }
  return false;
}

/* Does every access that conflicts with the other conflict with this one as well? */
static inline bool covers(const struct plain *p, const struct plain *other) {
  return !(other->mask & ~p->mask) && (!p->atomic || other->atomic);
}

/* Is it known that what conflicts with the access comes before it? What was found for an earlier one of the same fiber,
 * or for a write that comes before, need not be looked for again. */
static bool all_before(const struct plain *now) {
  unsigned seen = 0;
  const struct plain *p;
  for (uint32_t i = now->before; i; i = p->before) {
    p = &order.plains[i];
    if (p->fiber == now->fiber) {
      if (p->write >= now->write && covers(p, now)) return true;
      continue;
    }
    if (!(p->write | now->write) || !(p->mask & now->mask) || (p->atomic && now->atomic)) continue;
    if (++seen > CHAIN_MOST || !(handed_over(p, now->fiber) || comes_before(p, now->fiber))) return false;
    if (p->write && !p->atomic && covers(p, now)) return true;
  }
  return true;
}

/* The place of an address; 0: there is none, or there are too many. */
static uint32_t place_of(uintptr_t address, bool add) {
  uint64_t key = address >> 3;
  if (!key) return 0;
  uint32_t i = (uint32_t)(order_place(address) >> (ORDER_MAP_LOG - PLACES_LOG));
  for (;; i++) {
    i &= (1 << PLACES_LOG) - 1;
    if (order.keys[i] == key) return i;
    if (!order.keys[i] && i) break;
  }
  if (!add || order.used >= 1 << (PLACES_LOG - 1)) return 0;
  order.used++;
  order.keys[i] = key;
  return i;
}

static bool was_atomic(uintptr_t address) {
  for (size_t i = run.count; i-- > 0;)
    if (is_atomic(&scheduler.steps[i]) && scheduler.steps[i].address >> 3 == address >> 3) return true;
  return false;
}

static inline uint8_t mask_of(uintptr_t address, uint32_t size) {
  return (uint8_t)((0xFFu >> (8 - size)) << (address & 7));
}

static inline void append(const struct plain *now) { order.last[now->place] = ++order.count; }

static bool add(uint32_t place, uintptr_t address, uint32_t size, bool write, bool atomic, uintptr_t pc) {
  struct plain *last = &order.plains[order.last[place]], *now = &order.plains[order.count + 1];
  if (order.count == PLAINS_MOST) return false;
  *now = (struct plain){.address = address,
                        .pc = pc,
                        .at = (uint32_t)run.count,
                        .before = order.last[place],
                        .place = place,
                        .mask = mask_of(address, size),
                        .fiber = current->id,
                        .write = write,
                        .atomic = atomic};
  if (!all_before(now)) return false;
  if (now->before && last->fiber == now->fiber && last->at == now->at && last->mask == now->mask &&
      last->atomic == atomic && last->write >= write) {
    if (last->write == write) last->pc = pc; /* as good as the same */
    return true;
  }
  append(now);
  return true;
}

/* The short way of a read: the last access of the place is a plain write of another, which handed it over. False:
 * nothing is done. */
static inline bool read_handed(uintptr_t address, uint32_t size, uintptr_t pc) {
  uint32_t place = (uint32_t)(order_place(address) >> (ORDER_MAP_LOG - PLACES_LOG)), before = order.last[place];
  if (order_map[order_place(address)] != ORDER_PLAIN || order.keys[place] != address >> 3 || !before ||
      order.count == PLAINS_MOST)
    return false;
  struct plain *p = &order.plains[before], *now = &order.plains[order.count + 1];
  unsigned me = current->id;
  uint8_t mask = mask_of(address, size);
  if (!p->write || p->atomic || p->fiber == me || mask & ~p->mask) return false;
  *now = (struct plain){.address = address,
                        .pc = pc,
                        .at = (uint32_t)run.count,
                        .before = before,
                        .place = place,
                        .mask = mask,
                        .fiber = (uint8_t)me};
  if (!handed_over(p, me)) return false;
  append(&order.plains[order.count + 1]);
  return true;
}

static __attribute__((noinline)) bool access_slowly(uintptr_t address, uint32_t size, bool write, uintptr_t pc) {
  if (run_in_stack(address)) return true; /* as with the clocks */
  uint8_t *map = &order_map[order_place(address)];
  if (*map & ORDER_ATOMIC && was_atomic(address)) return false;
  *map |= ORDER_PLAIN;
  uint32_t place = place_of(address, true);
  return place && add(place, address, size, write, false, pc);
}

bool order_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc) {
  if (!size || size > 8 - (address & 7)) return run_in_stack(address);
  return (!write && read_handed(address, size, pc)) || access_slowly(address, size, write, pc);
}

/* The step is the last one. */
bool order_atomic(uintptr_t address, uint32_t size, bool write, uintptr_t pc) {
  uint8_t *map = &order_map[order_place(address)];
  *map |= ORDER_ATOMIC;
  if (!(*map & ORDER_PLAIN)) return true;
  uint32_t place = place_of(address, false);
  return !place || !order.last[place] || add(place, address, size, write, true, pc);
}

/* Setting up the clocks. */

static void again(const struct plain *p) {
  current = &fibers[p->fiber];
  if (!p->atomic) clocks_access(p->address, (uint32_t)__builtin_popcount(p->mask), p->write, p->pc);
}

void order_end(size_t steps) {
  struct fiber *now = current;
  uint32_t next = 1;
  order_simple = false;
  for (size_t i = 0;; i++) {
    for (; next <= order.count && order.plains[next].at <= i; next++) again(&order.plains[next]);
    if (i == steps) break;
    const struct step *s = &scheduler.steps[i];
    if (!is_atomic(s)) continue;
    current = &fibers[s->fiber];
    enum point_kind kind = s->flags & STEP_WROTE ? (enum point_kind)s->kind : POINT_READ;
    clocks_atomic(s->address, s->size, kind, order_of(i), order_notes[i] & (((uint64_t)1 << 56) - 1));
  }
  current = now;
}
