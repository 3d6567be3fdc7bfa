/* Data races without clocks, where it is simple what comes before what.
 *
 * Most runs have no race, and most accesses are atomic. So of these nothing is kept but the order they were made with, beside the step. When a plain
 * access meets one of another fiber, the steps are gone through backwards for a reason why that comes before: a step that acquires reads
 * what a step of another released, and so on, until a step of that fiber after its access. What is found is one of the reasons that the
 * clocks have (races.c); where none is found, or anything happens that is not as simple as this, the clocks are set up by going
 * through everything from the beginning, and from then on it is theirs to decide. Nobody but the clocks says that there is a race.
 *
 * The steps of a run that goes on from a kept state are those of the run before: only plain accesses have to be forgotten. */
#include <stdlib.h>
#include <string.h>

#include "run/runtime.h"

enum {
  PLACES_LOG = 12, /* of 8 bytes each with plain accesses; half of them are used */
  PLAINS_MOST = 1 << 14,
  CHAIN_MOST = 32, /* accesses of one place that are looked at */
  WANTED_MOST = 16, /* locations whose last write is looked for */
  RECENT = 16      /* steps in which a reason is looked for first */
};

/* A plain access, or an atomic one of a place that has plain ones. */
struct plain {
  uintptr_t address, pc;
  uint32_t at;            /* steps that had been taken; it comes after its fiber's */
  uint32_t before, place; /* before: the one before it at its place; 0: none */
  uint8_t size, mask, fiber;
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
  for (; order.count > count; order.count--) order.last[order.plains[order.count].place] = order.plains[order.count].before;
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

/* Has the fiber just read what the other one released after its access? That is how pointers are handed over. The last write of a
 * location is the one in order_wrote, if that is one in this run: each is put there when it happens. */
static bool handed_over(const struct plain *p, unsigned me) {
  size_t first = run.count > p->at + RECENT ? run.count - RECENT : p->at;
  for (size_t i = run.count; i-- > first;) {
    const struct step *s = &scheduler.steps[i];
    if (s->fiber != me || !is_atomic(s) || s->kind == POINT_WRITE || !order_acquires((int)(order_notes[i] >> 56))) continue;
    size_t wrote = order_wrote[order_place(s->address)];
    const struct step *w = &scheduler.steps[wrote];
    if (wrote < p->at || wrote >= i || w->fiber != p->fiber || w->address != s->address || !is_atomic(w)) continue;
    if (w->flags & STEP_WROTE && order_releases((int)(order_notes[wrote] >> 56))) return true;
  }
  return false;
}

/* Does the access come before what this fiber does now? Goes backwards through the steps: `known` is up to where the steps of each
 * fiber come before, and `wanted` are the locations that were read by those that acquire, and whose last write has not been met. */
static bool comes_before(const struct plain *p, unsigned me) {
  uint32_t known[FIBERS_MOST];
  uintptr_t wanted[WANTED_MOST];
  unsigned count = 0;
  memset(known, 0, run.fibers * sizeof *known);
  known[me] = (uint32_t)run.count;
  for (size_t i = run.count; i-- > p->at;) {
    const struct step *s = &scheduler.steps[i];
    int order_of = is_atomic(s) ? (int)(order_notes[i] >> 56) : __ATOMIC_RELAXED;
    for (unsigned w = 0; s->flags & STEP_WROTE && w < count; w++) {
      if (wanted[w] != s->address) continue;
      wanted[w] = wanted[--count];
      if (order_releases(order_of) && known[s->fiber] <= i) known[s->fiber] = (uint32_t)i + 1;
      break;
    }
    if (i >= known[s->fiber]) continue;
    if (s->fiber == p->fiber) return true;
    if (s->kind == POINT_WRITE || !order_acquires(order_of)) continue;
    unsigned w = 0;
    while (w < count && wanted[w] != s->address) w++;
    if (w == WANTED_MOST) return false;
    wanted[w] = s->address;
    if (w == count) count++;
  }
  return false;
}

/* Is it known that what conflicts with the access comes before it? What was found for an earlier one of the same fiber, or for
 * a write that comes before, need not be looked for again. */
static bool all_before(const struct plain *now) {
  unsigned seen = 0;
  for (uint32_t i = order.last[now->place]; i; i = order.plains[i].before) {
    const struct plain *p = &order.plains[i];
    bool covers = !(now->mask & ~p->mask) && (!p->atomic || now->atomic);
    if (p->fiber == now->fiber) {
      if (covers && p->write >= now->write) return true;
      continue;
    }
    if (!(p->mask & now->mask) || !(p->write || now->write) || (p->atomic && now->atomic)) continue;
    if (++seen > CHAIN_MOST || !(handed_over(p, now->fiber) || comes_before(p, now->fiber))) return false;
    if (covers && p->write && !p->atomic) return true;
  }
  return true;
}

/* The place of an address; 0: there are too many. */
static uint32_t place_of(uintptr_t address, bool add) {
  uint64_t key = address >> 3;
  if (!key) return 0;
  uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - PLACES_LOG));
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

static bool add(const struct plain *now) {
  struct plain *last = &order.plains[order.last[now->place]];
  if (order.last[now->place] && last->fiber == now->fiber && last->at == now->at && last->mask == now->mask && last->atomic == now->atomic &&
      last->write >= now->write) {
    if (last->write == now->write) last->pc = now->pc; /* as good as the same */
    return true;
  }
  if (order.count == PLAINS_MOST) return false;
  order.plains[++order.count] = *now;
  order.plains[order.count].before = order.last[now->place];
  order.last[now->place] = order.count;
  return true;
}

static struct plain access_of(uintptr_t address, uint32_t size, bool write, bool atomic, uintptr_t pc) {
  return (struct plain){.address = address, .pc = pc, .at = (uint32_t)run.count, .size = (uint8_t)size, .write = write, .atomic = atomic,
                        .mask = (uint8_t)((0xFFu >> (8 - size)) << (address & 7)), .fiber = current->id};
}

bool order_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc) {
  if (is_stack(address)) return true; /* as with the clocks */
  uint8_t *map = &order_map[order_place(address)];
  if (!size || size > 8 - (address & 7)) return false;
  if (*map & ORDER_ATOMIC && was_atomic(address)) return false;
  *map |= ORDER_PLAIN;
  struct plain now = access_of(address, size, write, false, pc);
  now.place = place_of(address, true);
  return now.place && all_before(&now) && add(&now);
}

/* The step is the last one. */
bool order_atomic(uintptr_t address, uint32_t size, bool write, uintptr_t pc) {
  uint8_t *map = &order_map[order_place(address)];
  *map |= ORDER_ATOMIC;
  if (!(*map & ORDER_PLAIN)) return true;
  uint32_t place = place_of(address, false);
  if (!place || !order.last[place]) return true;
  struct plain now = access_of(address, size, write, true, pc);
  now.place = place;
  return all_before(&now) && add(&now);
}

/* Setting up the clocks. */

static void again(const struct plain *p) {
  current = &fibers[p->fiber];
  if (!p->atomic) clocks_access(p->address, p->size, p->write, p->pc);
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
    clocks_atomic(s->address, s->size, kind, (int)(order_notes[i] >> 56), order_notes[i] & (((uint64_t)1 << 56) - 1));
  }
  current = now;
}
