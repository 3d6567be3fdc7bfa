/* What became of states expanded lately (recent.h). */
#include "verify/recent.h"

#include <string.h>

enum {
  PLACE = 256, /* bytes: a few lines of the cache */
  PLACES_FIRST_BITS = 8,
  PLACES_MOST_BITS = 14
};

struct kept {
  uint32_t state; /* + 1; 0: there is none */
  uint32_t unused;
  _Alignas(8) unsigned char bytes[PLACE - 8];
};

struct recent {
  struct mem *mem;
  unsigned threads;
  void *memory; /* of the places, which begin at a line */
  struct kept *places;
  unsigned bits;             /* how many places, as a power of two */
  uint64_t count;            /* states kept so far */
  const unsigned char *next; /* being read */
  /* being kept; NULL: nothing */
  struct kept *place;
  uint32_t state;
  uint32_t used;
  struct recent_thread *thread;
};

static void open_places(struct recent *r, unsigned bits) {
  size_t line = 64;
  r->memory = mem_zero(r->mem, ((size_t)1 << bits) + 1, sizeof *r->places);
  r->places = (struct kept *)(((uintptr_t)r->memory + line - 1) / line * line);
  r->bits = bits;
}

struct recent *recent_new(struct mem *mem, unsigned threads) {
  struct recent *r = mem_zero(mem, 1, sizeof *r);
  r->mem = mem;
  r->threads = threads;
  open_places(r, PLACES_FIRST_BITS);
  return r;
}

static inline struct kept *place_of(const struct recent *r, uint32_t state) {
  return &r->places[state * UINT32_C(0x9e3779b1) >> (32 - r->bits)];
}

void recent_expect(const struct recent *r, uint32_t state) {
  const unsigned char *p = (const unsigned char *)place_of(r, state);
  for (unsigned i = 0; i < PLACE; i += 64) __builtin_prefetch(p + i);
}

static inline uint32_t rounded(uint32_t n) { return (n + 7) & ~UINT32_C(7); }

/* Reading. */

bool recent_find(struct recent *r, uint32_t state) {
  const struct kept *p = place_of(r, state);
  r->next = p->bytes;
  return p->state == state + 1;
}

const struct recent_thread *recent_thread(struct recent *r) {
  const struct recent_thread *t = (const struct recent_thread *)(const void *)r->next;
  r->next += sizeof *t;
  return t;
}

struct recent_view recent_next(struct recent *r) {
  struct recent_view v = {.move = (const struct recent_move *)(const void *)r->next};
  v.events = (const struct event *)(v.move + 1);
  v.from = (const uint8_t *)(v.events + v.move->event_count);
  v.packed = v.from + (v.move->ordered ? 0 : r->threads);
  r->next += rounded((uint32_t)(v.packed - r->next) + v.move->size);
  return v;
}

/* Keeping. */

void recent_begin(struct recent *r, uint32_t state) {
  if (r->bits < PLACES_MOST_BITS && r->count++ >> r->bits >= 4) {
    void *before = r->memory;
    open_places(r, r->bits + 2);
    mem_free(r->mem, before);
  }
  r->place = place_of(r, state);
  r->place->state = 0;
  r->state = state;
  r->used = 0;
}

void recent_give_up(struct recent *r) { r->place = NULL; }

void recent_end(struct recent *r) {
  if (r->place) r->place->state = r->state + 1;
  r->place = NULL;
}

/* Room for so many bytes; NULL: the state is not kept. */
static void *room(struct recent *r, uint32_t size) {
  if (!r->place) return NULL;
  if (size > sizeof r->place->bytes - r->used) {
    r->place = NULL;
    return NULL;
  }
  void *at = r->place->bytes + r->used;
  r->used += rounded(size);
  return at;
}

void recent_add_thread(struct recent *r, uint16_t same, bool known) {
  struct recent_thread *t = room(r, sizeof *t);
  if (!t) return;
  *t = (struct recent_thread){.same = same, .known = known};
  r->thread = t;
}

void recent_add_wait(struct recent *r, bool locked, bool parked) {
  if (!r->place) return;
  if (++r->thread->waits == UINT16_MAX) recent_give_up(r);
  r->thread->locked |= locked;
  r->thread->parked |= parked;
}

static struct recent_move *add_move(struct recent *r, const struct move *move, unsigned turn, uint32_t rest) {
  uint32_t events = move->event_count * (uint32_t)sizeof *move->events;
  struct recent_move *to = turn > UINT16_MAX ? NULL : room(r, (uint32_t)sizeof *to + events + rest);
  if (!to) {
    recent_give_up(r);
    return NULL;
  }
  *to = (struct recent_move){.turn = (uint16_t)turn, .event_count = (uint8_t)move->event_count, .ordered = true};
  memcpy(to + 1, move->events, events);
  r->thread->move_count++; /* a place has room for fewer than it can count to */
  return to;
}

void recent_add_again(struct recent *r, const struct move *move, unsigned turn) { add_move(r, move, turn, 0); }

void recent_add(struct recent *r, const struct move *move, unsigned turn, const unsigned char *packed, uint32_t size,
                uint64_t hash, const uint8_t *from) {
  bool ordered = true;
  for (unsigned t = 0; t < r->threads; t++) ordered &= from[t] == t;
  uint32_t order = ordered ? 0 : r->threads;
  struct recent_move *to = add_move(r, move, turn, order + size); /* what is too large for a byte has no room */
  if (!to) return;
  to->hash = hash;
  to->size = (uint8_t)size;
  to->ordered = ordered;
  unsigned char *at = (unsigned char *)(to + 1) + move->event_count * sizeof *move->events;
  memcpy(at, from, order);
  memcpy(at + order, packed, size);
}
