/* The element monitor: its decisions.
 *
 * A picture is what the verdict is a function of: narrowest classes of popped elements, intervals of elements inside,
 * intervals of pops that found nothing. Each new one is made a small history and decided by the exact checker
 * (elements_small.c), once; then its verdict is known.
 *
 * Pending pops: each may have taken an element that is inside, at any time since it began. By the lemma, taking some of
 * a class and leaving others is no use; so classes are taken whole or not at all, as far as there are pending pops, and
 * an element taken by a pop that began in s is one with a pop in [s, k]. If one of the pictures that are possible so is
 * the specification's, all is well. Mostly none need be taken. */
#include "approx/elements.h"
#include "approx/elements_small.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

enum {
  MEMO_LEAST = 1 << 8,
  MEMO_MOST = 1 << 17,  /* then it begins anew: memory does not grow */
  TRIES_MOST = 1 << 12, /* ways for pending pops to take what is inside, an event */
  ASKED_MOST = 1 << 8,  /* of which so many not decided yet. With more than these it is not a violation that was seen */
  GROUPS_MOST = SIDES * INTERVALS_MOST
};

struct picture {
  struct live popped;
  uint64_t inside[SIDES], empty; /* a bit an interval */
};

/* The memo. */

static void memo_open(struct mem *m, struct memo *t) {
  t->room = MEMO_LEAST;
  t->count = 0;
  t->at = mem_zero(m, t->room, sizeof *t->at);
}

static void memo_clear(struct memo *t) {
  memset(t->at, 0, t->room * sizeof *t->at);
  t->count = 0;
}

static inline uint64_t *memo_place(const struct memo *t, uint64_t number) {
  uint32_t at = (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32) & (t->room - 1);
  while (t->at[at] && t->at[at] >> 2 != number) at = (at + 1) & (t->room - 1);
  return &t->at[at];
}

static void memo_grow(struct mem *m, struct memo *t) {
  if (t->room == MEMO_MOST) {
    memo_clear(t);
    return;
  }
  struct memo old = *t;
  t->room *= 2;
  t->at = mem_zero(m, t->room, sizeof *t->at);
  for (uint32_t i = 0; i < old.room; i++)
    if (old.at[i]) *memo_place(t, old.at[i] >> 2) = old.at[i];
  mem_free(m, old.at);
}

static void memo_put(struct mem *m, struct memo *t, uint64_t number, bool good) {
  if (t->count >= t->room / 2) memo_grow(m, t);
  *memo_place(t, number) = number << 2 | 2 | good;
  t->count++;
}

void judge_open(struct elements *e) {
  e->judge.values = values_new(e->m.mem); /* the small histories' values are small integers */
  memo_open(e->m.mem, &e->plain);
  memo_open(e->m.mem, &e->freed);
}

size_t judge_bytes(const struct elements *e) { return (e->plain.room + e->freed.room) * sizeof(uint64_t); }

/* Pictures. */

/* Of nested intervals the narrow ones are enough; in a queue and a bag, of elements inside, the one pushed first. */
static inline uint64_t narrowest(const struct elements *e, uint64_t bits) {
  for (uint64_t rest = bits; rest; rest &= rest - 1) bits &= ~e->around[__builtin_ctzll(rest)];
  return bits;
}

static inline uint64_t narrowest_inside(const struct elements *e, uint64_t bits) {
  if (e->shape->order == ORDER_QUEUE || e->shape->order == ORDER_NONE) return bits & -bits;
  return bits & (bits - 1) ? narrowest(e, bits) : bits;
}

/* Its number where narrow: 36 bits of classes, 6 of intervals, 6 of intervals. */
static inline uint64_t narrow_number(uint64_t popped, uint64_t inside, uint64_t empty) {
  return popped | inside << 36 | empty << 42;
}

static uint64_t picture_number(const struct elements *e, const struct picture *p) {
  if (e->narrow) return narrow_number(p->popped.bits, p->inside[0], p->empty);
  uint64_t sum = 0;
  for (unsigned i = 0; i < p->popped.count; i++) sum += hash_mix((uint64_t)p->popped.at[i] + 1);
  return (hash_mix(sum) ^ hash_mix(p->inside[0] + 3 * hash_mix(p->inside[1] + 5 * hash_mix(p->empty)))) >> 2;
}

/* The small history. */

static void small_add(const struct elements *e, struct small *s, unsigned method, value arg, value result,
                      unsigned interval) {
  assert(s->count < SMALL_MOST);
  struct op *o = &s->ops[s->count];
  *o = (struct op){.process = s->count, .arg = {arg, V_NONE, V_NONE}, .result = result, .method = (uint16_t)method};
  s->from[s->count] = e->from[interval];
  s->to[s->count++] = e->to[interval];
}

static void small_class(const struct elements *e, struct small *s, unsigned class, value v) {
  unsigned push_side, push, pop_side, pop;
  class_parts(e, class, &push_side, &push, &pop_side, &pop);
  small_add(e, s, push_side, v, V_NONE, push);
  small_add(e, s, e->shape->pushes + pop_side, V_NONE, v, pop);
}

_Static_assert(SMALL_MOST >= 2 * LIVE_MOST + (SIDES + 1) * INTERVALS_MOST, "every picture is a small history");

static bool ask(struct elements *e, const struct picture *p) {
  struct small s;
  int32_t v = 1;
  s.spec = &e->judge;
  s.k = e->k;
  s.count = 0;
  for (uint64_t rest = p->popped.bits; rest; rest &= rest - 1)
    small_class(e, &s, (unsigned)__builtin_ctzll(rest), value_of_small(v++));
  for (unsigned i = 0; i < p->popped.count; i++) small_class(e, &s, p->popped.at[i], value_of_small(v++));
  for (unsigned side = 0; side < e->shape->pushes; side++)
    for (uint64_t rest = p->inside[side]; rest; rest &= rest - 1)
      small_add(e, &s, side, value_of_small(v++), V_NONE, (unsigned)__builtin_ctzll(rest));
  for (uint64_t rest = p->empty; rest; rest &= rest - 1)
    small_add(e, &s, e->shape->pushes, V_NONE, V_EMPTY, (unsigned)__builtin_ctzll(rest));
  e->asked++;
  return small_holds(&s);
}

static bool decide(struct elements *e, const struct picture *p, uint64_t number) {
  uint64_t known = *memo_place(&e->plain, number);
  if (known) return known & 1;
  if (!e->budget) return true;
  e->budget--;
  bool good = ask(e, p);
  memo_put(e->m.mem, &e->plain, number, good);
  return good;
}

/* Pending pops. */

struct group { /* elements inside of one class, few enough to have been taken */
  uint8_t side, interval, bit;
  uint32_t count;
};
struct taking {
  struct elements *e;
  struct group groups[GROUPS_MOST];
  unsigned count;
  uint64_t always[SIDES];                   /* classes too large to have been taken */
  uint32_t there[SIDES][APPROX_K_MOST + 1]; /* pending pops by where they began, */
  uint32_t taken[SIDES][APPROX_K_MOST + 1]; /* and how many elements are taken by those that began there or before */
  unsigned tries;
};

static bool take_groups(struct taking *t, unsigned group, const struct live *popped, const uint64_t inside[SIDES],
                        uint64_t empty);

/* Are there enough pops for what is to be taken by those that began in a start or before? */
static bool fits(const struct taking *t, unsigned side) {
  uint64_t taken = 0, there = 0;
  for (unsigned start = 0; start <= t->e->k; start++) {
    taken += t->taken[side][start];
    there += t->there[side][start];
    if (taken > there) return false;
  }
  return true;
}

/* The rest of a group, by pops of a side and those after it. Of the pops of one side that take it the last to begin
 * alone matters: an element taken by it makes those taken by the others redundant. */
static bool take_rest(struct taking *t, unsigned group, unsigned side, uint32_t rest, const struct live *popped,
                      const uint64_t inside[SIDES], uint64_t empty) {
  const struct elements *e = t->e;
  const struct group *g = &t->groups[group];
  if (!rest) return take_groups(t, group + 1, popped, inside, empty);
  if (side == e->shape->pops) return false;
  bool last = side + 1 == e->shape->pops;
  for (uint32_t n = rest; n; n = last ? 0 : n - 1)
    for (unsigned start = 0; start <= e->k; start++) {
      t->taken[side][start] += n;
      bool good = fits(t, side);
      if (good) {
        struct live more;
        live_copy(&more, popped);
        live_add(e, &more, class_of(e, g->side, g->interval, side, e->interval[start][e->k]));
        good = take_rest(t, group, side + 1, rest - n, &more, inside, empty);
      }
      t->taken[side][start] -= n;
      if (good) return true;
    }
  return !last && take_rest(t, group, side + 1, rest, popped, inside, empty);
}

/* With these elements, and no others: is it the specification's? */
static bool holds_with(struct taking *t, const struct live *popped, const uint64_t inside[SIDES], uint64_t empty) {
  struct elements *e = t->e;
  struct picture p;
  live_copy(&p.popped, popped);
  p.empty = empty;
  for (unsigned s = 0; s < SIDES; s++) p.inside[s] = narrowest_inside(e, inside[s]);
  return decide(e, &p, picture_number(e, &p));
}

static bool take_groups(struct taking *t, unsigned group, const struct live *popped, const uint64_t inside[SIDES],
                        uint64_t empty) {
  if (t->tries >= TRIES_MOST || !t->e->budget) return true;
  if (group == t->count) {
    t->tries++;
    return holds_with(t, popped, inside, empty);
  }
  const struct group *g = &t->groups[group];
  if (take_rest(t, group, 0, g->count, popped, inside, empty)) return true;
  uint64_t more[SIDES] = {inside[0], inside[1]};
  more[g->side] |= (uint64_t)1 << g->bit;
  if (group + 1 < t->count && !holds_with(t, popped, more, empty))
    return false; /* nor does it with the other groups, whatever becomes of them */
  return take_groups(t, group + 1, popped, more, empty);
}

static uint64_t add_number(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

/* All is well if some way for the pending pops to take what is inside is. */
static bool judge_taken(struct elements *e, const struct picture *p, uint64_t number) {
  struct taking t;
  t.e = e;
  t.count = t.tries = 0;
  t.always[0] = t.always[1] = 0;
  memset(t.taken, 0, sizeof t.taken);
  uint64_t h = hash_mix(number);
  uint32_t takeable = 0;
  for (unsigned s = 0; s < e->shape->pushes; s++)
    for (unsigned i = 0; i < e->kept_count; i++) {
      uint32_t count = e->inside[s][e->kept[i]];
      if (!count) continue;
      if (count > e->pendings) {
        t.always[s] |= (uint64_t)1 << e->kept_bit[i];
        h = add_number(h, (uint64_t)i << 40 | s);
        continue;
      }
      t.groups[t.count++] = (struct group){(uint8_t)s, e->kept[i], e->kept_bit[i], count};
      takeable += count;
      h = add_number(h, (uint64_t)i << 40 | (uint64_t)s << 32 | count);
    }
  if (!t.count) return false;
  for (unsigned s = 0; s < e->shape->pops; s++)
    for (unsigned i = 0; i <= e->k; i++) {
      t.there[s][i] = e->pending[s][i] < takeable ? e->pending[s][i] : takeable;
      h = add_number(h, t.there[s][i]);
    }
  h >>= 2;
  uint64_t known = *memo_place(&e->freed, h);
  if (known) return known & 1;
  bool good = take_groups(&t, 0, &p->popped, t.always, p->empty);
  memo_put(e->m.mem, &e->freed, h, good);
  return good;
}

static bool judge_picture(struct elements *e, const struct picture *p, uint64_t number) {
  e->budget = ASKED_MOST;
  if (decide(e, p, number)) return true;
  return e->pendings && judge_taken(e, p, number);
}

/* A number may stand for two pictures, as unlikely as that is: so nothing is said before it was decided anew. */
static bool judge_again(struct elements *e, const struct picture *p, uint64_t number) {
  memo_clear(&e->plain);
  memo_clear(&e->freed);
  if (judge_picture(e, p, number)) return true;
  e->wrong = WRONG_CLASSES;
  return false;
}

static bool judge_wide(struct elements *e) {
  struct picture p;
  live_copy(&p.popped, &e->popped);
  p.inside[0] = p.inside[1] = 0;
  for (unsigned i = 0; i < e->halfway.count; i++) live_add(e, &p.popped, e->halfway.at[i]);
  for (unsigned s = 0; s < e->shape->pushes; s++) {
    for (unsigned i = 0; i < e->kept_count; i++)
      if (e->inside[s][e->kept[i]]) p.inside[s] |= (uint64_t)1 << e->kept_bit[i];
    p.inside[s] = narrowest_inside(e, p.inside[s]);
  }
  p.empty = narrowest(e, e->empty[0] | e->empty[1]);
  uint64_t number = picture_number(e, &p);
  if (e->fine == number + 1) return true;
  if (*memo_place(&e->plain, number) & 1) {
    e->fine = number + 1;
    return true;
  }
  return judge_picture(e, &p, number) || judge_again(e, &p, number);
}

static bool judge_slowly(struct elements *e, uint64_t popped, uint64_t inside, uint64_t empty, uint64_t number) {
  struct picture p;
  p.popped.bits = popped;
  p.popped.count = 0;
  p.inside[0] = inside;
  p.inside[1] = 0;
  p.empty = empty;
  return judge_picture(e, &p, number) || judge_again(e, &p, number);
}

bool judge(struct elements *e) {
  if (!e->narrow) return judge_wide(e);
  uint64_t popped = e->popped.bits | e->halfway.bits, inside = 0, empty = e->empty[0];
  for (unsigned i = 0; i < e->kept_count; i++) inside |= (uint64_t)(e->inside[0][e->kept[i]] != 0) << e->kept_bit[i];
  inside = narrowest_inside(e, inside);
  if (empty) empty = narrowest(e, empty);
  uint64_t number = narrow_number(popped, inside, empty);
  if (e->fine == number + 1) return true;
  if (*memo_place(&e->plain, number) & 1) {
    e->fine = number + 1;
    return true;
  }
  return judge_slowly(e, popped, inside, empty, number);
}
