/* Sets and multisets.
 *
 * By default every value is added about once, and asked for before, while and after it is inside; with --keys a few
 * values come and go. */
#include <string.h>

#include "generate/subject.h"

struct set {
  VEC(uint32_t) members; /* numbers inside, in no order */
  VEC(uint32_t) place;   /* a number's place in members + 1, or 0 */
  VEC(uint32_t) times;   /* a multiset: how often a number is inside */
  struct tide tide;
  uint32_t keys;
  bool multi;
  uint16_t add, remove, contains, count;
};

static void open_set(struct generator *g) {
  struct set *s = g->state = mem_zero(g->mem, 1, sizeof *s);
  s->tide.size = generate_size(g);
  s->keys = g->options->keys ? g->options->keys : g->options->values;
  s->multi = g->subject == &subject_multiset;
  s->add = generate_method(g, "add");
  s->remove = generate_method(g, "remove");
  s->contains = generate_method(g, "contains");
  s->count = generate_method(g, "count");
}

/* Makes the tables reach number n. */
static void reach(struct generator *g, struct set *s, uint32_t n) {
  while (s->place.count <= n) {
    vec_push(g->mem, &s->place, 0);
    if (s->multi) vec_push(g->mem, &s->times, 0);
  }
}

static uint32_t inside(const struct set *s, uint32_t n) {
  return n >= s->place.count || !s->place.at[n] ? 0 : s->multi ? s->times.at[n] : 1;
}

static void enter(struct generator *g, struct set *s, uint32_t n) {
  reach(g, s, n);
  if (s->multi) s->times.at[n]++;
  if (s->place.at[n]) return;
  vec_push(g->mem, &s->members, n);
  s->place.at[n] = (uint32_t)s->members.count;
}

static void leave(struct set *s, uint32_t n) {
  if (s->multi && --s->times.at[n]) return;
  uint32_t at = s->place.at[n] - 1, last = s->members.at[--s->members.count];
  s->members.at[at] = last;
  s->place.at[last] = at + 1;
  s->place.at[n] = 0;
}

/* A number that is inside, or one of the latest where nothing is. */
static uint32_t member(struct generator *g, struct set *s) {
  if (s->members.count) return s->members.at[random_below(g, (uint32_t)s->members.count)];
  return g->fresh ? g->fresh : 1;
}

/* A number that is most likely not inside: one of the latest, or soon to come. */
static uint32_t stranger(struct generator *g, struct set *s) {
  uint32_t reach_back = 4 * s->tide.size, n = g->fresh + 2 + random_below(g, reach_back);
  return n > reach_back ? n - reach_back : n;
}

static bool choose(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct set *s = g->state;
  uint32_t what = random_below(g, 20), n;
  if (s->keys) {
    n = 1 + random_below(g, s->keys);
    o->method = what < 7 ? s->add : what < 14 ? s->remove : what < 18 || !s->multi ? s->contains : s->count;
  } else if (what < 10) {
    bool insert = tide_insert(g, &s->tide, (uint32_t)s->members.count);
    n = insert ? ++g->fresh : member(g, s);
    o->method = insert ? s->add : s->remove;
  } else {
    n = random_below(g, 2) ? member(g, s) : stranger(g, s);
    o->method = what < 16 ? (s->multi && what < 12 ? s->count : s->contains) : what < 18 ? s->remove : s->contains;
    if (what == 19 && s->members.count) {
      n = member(g, s);
      o->method = s->add;
    }
  }
  o->arg[0] = value_of_small((int32_t)n);
  return true;
}

static bool apply(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct set *s = g->state;
  uint32_t n = (uint32_t)value_small(o->arg[0]), times = inside(s, n);
  if (o->method == s->add) {
    *result = s->multi ? V_NONE : times ? V_FALSE : V_TRUE;
    if (s->multi || !times) enter(g, s, n);
  } else if (o->method == s->remove) {
    *result = times ? V_TRUE : V_FALSE;
    if (times) leave(s, n);
  } else if (o->method == s->contains) {
    *result = times ? V_TRUE : V_FALSE;
  } else {
    *result = value_of_small((int32_t)times);
  }
  return true;
}

static const struct bad_kind kinds[] = {
    {"lost", "a value is added, and then a removal does not find it"},
    {"phantom", "a value that was never added is found"},
    {"wrong", "a value is added, and then said not to be inside"},
    {"duplicate", "a value added once is removed twice"},
    {NULL, NULL},
};

static void plan(struct generator *g, const char *kind) {
  struct set *s = g->state;
  value v = generate_unheard(g), added = s->multi ? V_NONE : V_TRUE;
  if (strcmp(kind, "phantom")) generate_plan(g, s->add, v, V_NONE, added);
  if (!strcmp(kind, "lost")) {
    generate_plan(g, s->remove, v, V_NONE, V_FALSE);
  } else if (!strcmp(kind, "duplicate")) {
    generate_plan(g, s->remove, v, V_NONE, V_TRUE);
    generate_plan(g, s->remove, v, V_NONE, V_TRUE);
  } else {
    generate_plan(g, s->contains, v, V_NONE, !strcmp(kind, "phantom") ? V_TRUE : V_FALSE);
  }
}

const struct subject subject_set = {
    .families = 1u << FAMILY_SET, .kinds = kinds, .open = open_set, .choose = choose, .apply = apply, .plan = plan};
const struct subject subject_multiset = {.families = 1u << FAMILY_MULTISET,
                                         .kinds = kinds,
                                         .open = open_set,
                                         .choose = choose,
                                         .apply = apply,
                                         .plan = plan};
