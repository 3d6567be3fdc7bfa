/* The happens-before order of a run: see explore.h.
 *
 * A step's hash is made of that of the same thread's step before it and of the hashes of the steps it conflicts with;
 * so it stands for everything that happened before. The hash of a trace is the sum over the threads of the hashes of
 * their last steps. */
#include "test/explore.h"

#include <string.h>

#include "base/hash.h"

enum {
  WORD = 8,
  WORDS_MOST = 512, /* a larger access is taken to touch everything */
  SPOT_HISTORY = 0,
  SPOT_ALL,
  SPOT_STARTS,
  SPOTS_FIXED
};

static inline struct hash sum(struct hash a, struct hash b) { return (struct hash){a.low + b.low, a.high + b.high}; }
static inline struct hash less(struct hash a, struct hash b) { return (struct hash){a.low - b.low, a.high - b.high}; }
static inline struct hash fold(struct hash a, struct hash b) {
  a.low = (a.low ^ b.low) * 0x9e3779b97f4a7c15u;
  a.high = (a.high + b.high) * 0xff51afd7ed558ccdu;
  a.low ^= a.low >> 31;
  a.high ^= a.high >> 33;
  return a;
}
static inline bool same_hash(struct hash a, struct hash b) { return a.low == b.low && a.high == b.high; }
static inline struct hash finish(struct hash a) {
  return (struct hash){hash_mix(a.low + (a.high << 1)), hash_mix(a.high ^ (a.low * 0xc4ceb9fe1a85ec53u))};
}

static bool is_memory(unsigned kind) { return kind <= POINT_UPDATE; }

/* Blocking and waking: a write of the object, but for a try to lock it that failed. */
static bool is_object(unsigned kind) { return kind >= POINT_LOCK && kind <= POINT_WAKE; }
/* Only stated: it conflicts with others of its kind, and not with accesses of the memory there. */
static bool is_stated(unsigned kind) { return kind == POINT_ACQUIRE || kind == POINT_RELEASE; }

static unsigned step_modes(const struct step *s) {
  if (s->kind == POINT_WRITE || s->flags & STEP_WROTE || (is_object(s->kind) && !(s->flags & STEP_FAILED)))
    return MODE_WRITE;
  return MODE_READ;
}

static bool is_list(unsigned kind) { return kind == POINT_ALLOC || kind == POINT_FREE; }

/* The bytes of memory it accesses: how many, the first. Of a mutex those at its beginning stand for all; a block has
 * its words for itself. */
static size_t bytes_of(const struct step *s, uintptr_t *first) {
  size_t size = s->size ? s->size : 1;
  *first = s->address;
  if (is_list(s->kind)) {
    *first = s->place;
    return s->place ? (size + WORD - 1) & ~(size_t)(WORD - 1) : 0;
  }
  if (is_object(s->kind)) return size < WORD ? size : WORD;
  if (is_stated(s->kind)) *first |= FOOTPRINT_STATED;
  return is_memory(s->kind) || is_stated(s->kind) ? size : 0;
}

/* One that only looks whether a thread has ended does not commute with that thread's last step, whatever it is. */
static bool touches_all(const struct step *s) {
  uintptr_t first;
  return (s->kind == POINT_BLOCK && !s->place) || (s->kind == POINT_JOIN && !(s->flags & STEP_WAITS)) ||
         bytes_of(s, &first) > (size_t)WORDS_MOST * WORD;
}

static bool touches_nothing(const struct step *s) { return s->kind == POINT_YIELD || s->kind == POINT_CALL; }

/* Does it allocate, or free a block that may be allocated again? */
static bool has_list(const struct step *s) {
  return s->kind == POINT_ALLOC || (s->kind == POINT_FREE && s->flags & STEP_WROTE);
}

static unsigned word_modes(const struct step *s) { return is_list(s->kind) ? MODE_WRITE : step_modes(s); }

bool steps_conflict(const struct step *a, const struct step *b) {
  if ((a->flags & STEP_RETURNS && b->flags & STEP_CALLS) || (a->flags & STEP_CALLS && b->flags & STEP_RETURNS))
    return true;
  return steps_meet(a, b);
}

/* ASIF_ATOMIC blocks: each word of a footprint is accessed as a whole. */

static uintptr_t word_of(uintptr_t footprint) { return footprint & ~(uintptr_t)FOOTPRINT_WRITES; }
static unsigned modes_of(uintptr_t footprint) { return footprint & FOOTPRINT_WRITES ? MODE_WRITE : MODE_READ; }

/* Does one of the words from `first` up to `end` conflict with an access that has these modes? */
static bool words_conflict(const uintptr_t *words, size_t count, uintptr_t first, uintptr_t end, unsigned modes) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (word_of(words[middle]) < first)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < count && word_of(words[low]) < end; low++)
    if (modes_conflict(modes_of(words[low]), modes)) return true;
  return false;
}

static bool block_meets(const struct step *block, const struct step *s) {
  size_t count, others;
  const uintptr_t *words = footprint_words((uint32_t)block->place, &count);
  if (s->kind == POINT_BLOCK) {
    const uintptr_t *other = footprint_words((uint32_t)s->place, &others);
    for (size_t i = 0, k = 0; i < count && k < others;) {
      uintptr_t a = word_of(words[i]), b = word_of(other[k]);
      if (a == b && modes_conflict(modes_of(words[i]), modes_of(other[k]))) return true;
      i += a <= b;
      k += b <= a;
    }
    return false;
  }
  uintptr_t list = s->address | FOOTPRINT_LIST, first;
  if (has_list(s) && words_conflict(words, count, list, list + 1, step_modes(s))) return true;
  size_t size = bytes_of(s, &first);
  return size && words_conflict(words, count, first & ~(uintptr_t)(WORD - 1), first + size, word_modes(s));
}

/* Most steps: an access of memory, and of whole words. */
static inline bool is_usual(const struct step *s) { return s->kind <= POINT_UPDATE && s->size - 1 < WORDS_MOST * WORD; }
static inline bool is_of_words(const struct step *s) { return is_usual(s) && (s->address | s->size) % WORD == 0; }

bool steps_meet(const struct step *a, const struct step *b) {
  if (is_usual(a) && is_usual(b))
    return a->address < b->address + b->size && b->address < a->address + a->size &&
           ((a->kind == POINT_WRITE || b->kind == POINT_WRITE) || (a->flags | b->flags) & STEP_WROTE);
  if (touches_nothing(a) || touches_nothing(b)) return false;
  if (touches_all(a) || touches_all(b)) return true;
  if (a->kind == POINT_BLOCK) return block_meets(a, b);
  if (b->kind == POINT_BLOCK) return block_meets(b, a);
  if (a->kind == POINT_START && b->kind == POINT_START) return true;
  if (has_list(a) && has_list(b) && a->address == b->address && modes_conflict(step_modes(a), step_modes(b)))
    return true;
  uintptr_t i, j;
  size_t m = bytes_of(a, &i), n = bytes_of(b, &j);
  return m && n && i < j + n && j < i + m && modes_conflict(word_modes(a), word_modes(b));
}

/* Spots. */

static uint32_t spot_find(struct trace *t, uintptr_t key) {
  size_t mask = t->table_size - 1, i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & mask;
  for (; t->table[i]; i = (i + 1) & mask)
    if (t->spots.at[t->table[i] - 1].key == key) return t->table[i] - 1;
  t->table[i] = (uint32_t)t->spots.count + 1;
  vec_push(t->mem, &t->spots, ((struct spot){.key = key, .granule = WORD}));
  return (uint32_t)t->spots.count - 1;
}

static void table_grow(struct trace *t) {
  mem_free(t->mem, t->table);
  t->table_size = t->table_size ? t->table_size * 2 : 256;
  t->table = mem_zero(t->mem, t->table_size, sizeof *t->table);
  size_t mask = t->table_size - 1;
  for (size_t s = SPOTS_FIXED; s < t->spots.count; s++) {
    size_t i = (size_t)(t->spots.at[s].key * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (t->table[i]) i = (i + 1) & mask;
    t->table[i] = (uint32_t)s + 1;
  }
}

void trace_open(struct trace *t, struct mem *mem, unsigned threads) {
  memset(t, 0, sizeof *t);
  t->mem = mem;
  t->threads = threads;
  for (uintptr_t i = 0; i < SPOTS_FIXED; i++) vec_push(mem, &t->spots, ((struct spot){.key = i}));
  vec_push(mem, &t->touches, (struct touch){0});
  table_grow(t);
}

/* The event of index e touches a spot: what the hash of the event takes from there. */
static struct hash touch(struct trace *t, uint32_t e, uint32_t at, unsigned modes, struct hash hash) {
  struct spot *s = &t->spots.at[at];
  vec_reserve(t->mem, &t->touches, t->touches.count + 1);
  struct touch *h = &t->touches.at[t->touches.count];
  h->event = e;
  h->spot = at;
  h->before = s->last;
  h->modes = (uint8_t)modes;
  s->last = (uint32_t)t->touches.count++;
  if (t->unhashed) return hash;
  h->shared = s->shared;
  h->own = s->own;
  if (at == SPOT_ALL && modes == MODE_READ && !s->own.low)
    return hash; /* the same as before it was known that there are blocks */
  if (modes & (MODE_WRITE | MODE_CALL)) hash = fold(hash, modes & MODE_CALL ? s->own : s->shared);
  if (modes & (MODE_READ | MODE_WRITE)) hash = fold(hash, s->own);
  if (modes & MODE_RETURN) hash = fold(hash, s->shared);
  return hash;
}

/* What the spots know of the event from now on. */
static void touched(struct trace *t, uint32_t from, struct hash hash) {
  for (size_t i = from; i < t->touches.count; i++) {
    struct touch *h = &t->touches.at[i];
    struct spot *s = &t->spots.at[h->spot];
    if (h->modes & MODE_WRITE) {
      s->own = hash;
      s->shared = (struct hash){0, 0};
    } else if (h->modes & (MODE_READ | MODE_CALL)) {
      s->shared = sum(s->shared, hash);
    }
    if (h->modes & MODE_RETURN) s->own = sum(s->own, hash);
  }
}

/* Words and their parts. A word is one spot as long as all accesses are of all of it; else its parts are spots of their
 * own, halves or bytes. */

static uintptr_t word_key(uintptr_t word) { return word + SPOTS_FIXED; }
static uintptr_t part_key(uintptr_t address, unsigned granule) {
  return granule == 1 ? address | (uintptr_t)1 << 60 : address / granule | (uintptr_t)1 << 61;
}

static void make_room(struct trace *t, size_t spots) {
  while (2 * (t->spots.count + spots) > t->table_size) table_grow(t);
}

/* Accesses of a part of this word are to be told apart. True if there have been others, which were not. */
static bool refine_word(struct trace *t, uintptr_t from, uintptr_t to) {
  unsigned granule = (from | to) % 4 ? 1 : 4;
  size_t known = t->spots.count;
  uint32_t at = spot_find(t, word_key(from / WORD));
  struct spot *s = &t->spots.at[at];
  if (s->granule <= granule) return false;
  s->granule = (uint8_t)granule;
  return t->spots.count == known;
}

/* The same of the first and the last word that the step accesses. */
static bool refine(struct trace *t, const struct step *s) {
  uintptr_t from, to;
  size_t size = bytes_of(s, &from);
  if (!size || (from | size) % WORD == 0 || touches_all(s)) return false;
  bool changed = false;
  to = from + size;
  make_room(t, 2);
  uintptr_t second = (from / WORD + 1) * WORD, last = (to - 1) / WORD * WORD;
  if (from % WORD || to < second) changed |= refine_word(t, from, to < second ? to : second);
  if (to % WORD && last >= second) changed |= refine_word(t, last, to);
  return changed;
}

/* Parts with the same past count as one: so what a hash is does not depend on which parts there are. */
struct range {
  uintptr_t from, to;
};
static struct hash touch_parts(struct trace *t, uint32_t e, struct range of, unsigned granule, unsigned modes,
                               struct hash hash) {
  struct spot last = {0};
  for (uintptr_t part = of.from; part < of.to; part += granule) {
    uint32_t at = spot_find(t, part_key(part, granule));
    struct spot now = t->spots.at[at];
    struct hash more = touch(t, e, at, modes, hash);
    bool other = !same_hash(now.own, last.own) || (modes & MODE_WRITE && !same_hash(now.shared, last.shared));
    if (part == of.from || other) hash = more;
    last = now;
  }
  return hash;
}

static struct hash touch_list(struct trace *t, uint32_t e, uintptr_t list, unsigned modes, struct hash hash) {
  make_room(t, 1);
  return touch(t, e, spot_find(t, list | FOOTPRINT_LIST), modes, hash);
}

static struct hash touch_bytes(struct trace *t, uint32_t e, uintptr_t from, size_t size, unsigned modes,
                               struct hash hash) {
  for (uintptr_t at = from, end = from + size; at < end; at = (at / WORD + 1) * WORD) {
    make_room(t, 1 + WORD);
    uint32_t word = spot_find(t, word_key(at / WORD));
    unsigned granule = t->spots.at[word].granule;
    if (granule == WORD) {
      hash = touch(t, e, word, modes, hash);
      continue;
    }
    uintptr_t next = (at / WORD + 1) * WORD;
    hash = touch_parts(t, e, (struct range){at / granule * granule, end < next ? end : next}, granule, modes, hash);
  }
  return hash;
}

static struct hash touch_memory(struct trace *t, uint32_t e, const struct step *s, struct hash hash) {
  if (is_usual(s)) return touch_bytes(t, e, s->address, s->size, step_modes(s), hash);
  uintptr_t from = 0;
  size_t size = bytes_of(s, &from);
  if (has_list(s)) hash = touch_list(t, e, s->address, step_modes(s), hash);
  return touch_bytes(t, e, from, size, word_modes(s), hash);
}

static struct hash touch_footprint(struct trace *t, uint32_t e, const struct step *s, struct hash hash) {
  size_t count;
  const uintptr_t *words = footprint_words((uint32_t)s->place, &count);
  for (size_t i = 0; i < count; i++) {
    uintptr_t word = word_of(words[i]);
    hash = word & FOOTPRINT_LIST ? touch_list(t, e, word, modes_of(words[i]), hash)
                                 : touch_bytes(t, e, word, WORD, modes_of(words[i]), hash);
  }
  return hash;
}

/* Who is created, or waited for; -1: nobody, or one that was there before the first step. */
static int child_of(struct trace *t, uint32_t e, const struct step *s) {
  if (s->kind == POINT_START && s->place < FIBERS_MOST) {
    t->started_by[s->place] = e + 1;
    return (int)s->place;
  }
  for (unsigned f = t->threads; s->kind == POINT_JOIN && f < FIBERS_MOST; f++)
    if (t->started_by[f] && t->events.at[t->started_by[f] - 1].step.address == s->address) return (int)f;
  return -1;
}

/* What the event's hash begins with: what it is, and what its thread did before. */
static struct hash hash_begin(const struct trace *t, const struct event *v) {
  const struct step *s = &v->step;
  uint64_t what = s->fiber | (uint64_t)s->kind << 8 | (uint64_t)(is_memory(s->kind) ? 0 : s->block) << 16 |
                  (uint64_t)(s->flags & (STEP_CALLS | STEP_RETURNS | STEP_WROTE)) << 24;
  struct hash last = {0, 0}, hash = finish((struct hash){what + 1, what});
  if (v->previous)
    last = t->events.at[v->previous - 1].hash;
  else if (t->started_by[s->fiber])
    hash = fold(hash, t->events.at[t->started_by[s->fiber] - 1].hash);
  hash = fold(hash, last);
  if (is_memory(s->kind) && s->place) hash = fold(hash, (struct hash){s->place, s->place}); /* what it reads, by name */
  if (s->kind == POINT_JOIN && v->child >= 0 && t->last[v->child])
    hash = fold(hash, t->events.at[t->last[v->child] - 1].hash);
  return hash;
}

static void hash_end(struct trace *t, struct event *v, struct hash hash) {
  struct hash last = {0, 0};
  if (v->previous) last = t->events.at[v->previous - 1].hash;
  v->hash = finish(hash);
  touched(t, v->touches, v->hash);
  t->sum = sum(less(t->sum, last), v->hash);
}

/* The event is made where it stays: to copy it costs more than all the rest. */
void trace_add(struct trace *t, const struct step *s) {
  uint32_t e = (uint32_t)t->events.count;
  vec_reserve(t->mem, &t->events, t->events.count + 1);
  struct event *v = &t->events.at[t->events.count++];
  v->step = *s;
  v->touches = (uint32_t)t->touches.count;
  v->previous = t->last[s->fiber];
  v->sum = t->sum;
  v->child = child_of(t, e, s);
  struct hash hash = t->unhashed ? (struct hash){0, 0} : hash_begin(t, v);
  unsigned history = (s->flags & STEP_CALLS ? MODE_CALL : 0) | (s->flags & STEP_RETURNS ? MODE_RETURN : 0);
  if (history && !t->apart) hash = touch(t, e, SPOT_HISTORY, history, hash);
  if (t->blocks && !touches_nothing(s)) hash = touch(t, e, SPOT_ALL, touches_all(s) ? MODE_WRITE : MODE_READ, hash);
  if (s->kind == POINT_START) hash = touch(t, e, SPOT_STARTS, MODE_WRITE, hash);
  if (is_usual(s) || (!touches_all(s) && !touches_nothing(s)))
    hash = s->kind == POINT_BLOCK ? touch_footprint(t, e, s, hash) : touch_memory(t, e, s, hash);
  if (!t->unhashed) hash_end(t, v, hash);
  t->last[s->fiber] = e + 1;
}

void trace_cut(struct trace *t, size_t count) {
  while (t->events.count > count) {
    const struct event *v = &t->events.at[--t->events.count];
    for (size_t i = t->touches.count; i-- > v->touches;) {
      const struct touch *h = &t->touches.at[i];
      struct spot *s = &t->spots.at[h->spot];
      s->last = h->before;
      if (t->unhashed) continue;
      s->shared = h->shared;
      s->own = h->own;
    }
    t->touches.count = v->touches;
    t->sum = v->sum;
    t->last[v->step.fiber] = v->previous;
    if (v->step.kind == POINT_START && v->child >= 0) t->started_by[v->child] = 0;
  }
}

static bool same_step(const struct step *a, const struct step *b) {
  return a->fiber == b->fiber && a->block == b->block && a->kind == b->kind && a->flags == b->flags &&
         a->place == b->place;
}

size_t trace_follow(struct trace *t, const struct step *steps, size_t count, size_t same) {
  size_t most = t->events.count < count ? t->events.count : count;
  if (same > most) same = most;
  while (same < most && same_step(&t->events.at[same].step, &steps[same])) same++;
  trace_cut(t, same);
  for (size_t i = same; i < count; i++) {
    bool usual = is_of_words(&steps[i]), all = !usual && !t->blocks && touches_all(&steps[i]);
    bool finer = !usual && refine(t, &steps[i]);
    if (all || finer) { /* from now on everything touches one spot; what touches parts of a word does not conflict */
      t->blocks |= all;
      t->finer |= finer;
      trace_cut(t, same = 0);
      return trace_follow(t, steps, count, 0), 0;
    }
    trace_add(t, &steps[i]);
  }
  return same;
}

struct hash trace_of(struct mem *mem, const struct run *run) {
  struct mem *own = mem_child(mem);
  struct trace t;
  trace_open(&t, own, run->client->threads);
  trace_follow(&t, run->steps, run->count, 0);
  struct hash hash = trace_hash(&t);
  mem_close(own);
  return hash;
}
