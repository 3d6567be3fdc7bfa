/* Machines of sets, multisets and maps: an open-addressing hash table by key, made of a power of two of slots. A key
 * that was removed keeps its slot, with nothing inside: histories come back to the same keys. */
#include "base/hash.h"
#include "spec/common.h"
#include "spec/map.h"

struct slot {
  value key;      /* V_NONE: free; no operation has that key */
  uint32_t count; /* set, multiset: how often inside. map: index of its buffer + 1, 0 while it never needed one */
  value content;  /* map: V_NIL for none, V_NONE for the text in the buffer */
};

/* A content put together by append. */
struct piece_text {
  char *at;
  size_t count, room;
};

struct table {
  struct mem *mem;
  const struct values *values;
  struct slot *slots;
  size_t mask, used;
  bool texts;                    /* map: contents that are texts or integers are compared as texts */
  VEC(struct piece_text) buffer; /* map: a text for each key that needed one */
};

void *machine_table_new(const struct spec *s, struct mem *m) {
  struct table *t = mem_zero(m, 1, sizeof *t);
  t->mem = m;
  t->values = s->values;
  t->mask = 255;
  t->slots = mem_alloc(m, (t->mask + 1) * sizeof *t->slots);
  for (size_t i = 0; i <= t->mask; i++) t->slots[i] = (struct slot){V_NONE, 0, V_NIL};
  return t;
}

static void grow(struct table *t) {
  size_t mask = t->mask * 4 + 3;
  struct slot *to = mem_alloc(t->mem, (mask + 1) * sizeof *to);
  for (size_t i = 0; i <= mask; i++) to[i] = (struct slot){V_NONE, 0, V_NIL};
  for (size_t i = 0; i <= t->mask; i++) {
    if (t->slots[i].key == V_NONE) continue;
    size_t at = hash_mix(t->slots[i].key) & mask;
    while (to[at].key != V_NONE) at = (at + 1) & mask;
    to[at] = t->slots[i];
  }
  mem_free(t->mem, t->slots);
  t->slots = to;
  t->mask = mask;
}

static struct slot *find(struct table *t, value key) {
  if (t->used * 2 > t->mask) grow(t);
  size_t at = hash_mix(key) & t->mask;
  while (t->slots[at].key != key) {
    if (t->slots[at].key == V_NONE) {
      t->slots[at].key = key;
      t->used++;
      break;
    }
    at = (at + 1) & t->mask;
  }
  return &t->slots[at];
}

static bool says(const struct op *o, value v) { return o->result == v || o->result == V_UNKNOWN; }

/* Numbered as in set.c: add, remove, contains, count. */
bool machine_set_apply(void *machine, const struct op *o) {
  struct slot *s = find(machine, o->arg[0]);
  switch (o->method) {
  case 0:
    if (!says(o, s->count ? V_FALSE : V_TRUE)) return false;
    s->count = 1;
    return true;
  case 1:
    if (!says(o, s->count ? V_TRUE : V_FALSE)) return false;
    s->count = 0;
    return true;
  default: return says(o, s->count ? V_TRUE : V_FALSE);
  }
}

bool machine_multiset_apply(void *machine, const struct op *o) {
  struct slot *s = find(machine, o->arg[0]);
  switch (o->method) {
  case 0:
    if (!says(o, V_NONE)) return false;
    s->count++;
    return true;
  case 1:
    if (!says(o, s->count ? V_TRUE : V_FALSE)) return false;
    if (s->count) s->count--;
    return true;
  case 2: return says(o, s->count ? V_TRUE : V_FALSE);
  default: return says(o, value_of_small((int32_t)s->count));
  }
}

/* Maps. */

void *machine_map_new(const struct spec *s, struct mem *m) {
  struct table *t = machine_table_new(s, m);
  t->texts = s->k != MAP_PLAIN;
  return t;
}

/* Is v what the key holds? */
static bool holds(const struct table *t, const struct slot *s, value v) {
  if (v == V_NONE || v == V_EMPTY) v = V_NIL;
  if (!t->texts) return s->content == v;
  char a[24], b[24];
  size_t na, nb;
  const char *x = map_text(t->values, v, a, &na), *y;
  if (s->content == V_NONE) {
    y = t->buffer.at[s->count - 1].at;
    nb = t->buffer.at[s->count - 1].count;
  } else {
    if (s->content == v) return true;
    y = map_text(t->values, s->content, b, &nb);
  }
  if (!x && v == V_NIL) x = a, na = 0;
  if (!y && s->content == V_NIL) y = b, nb = 0;
  return x && y && na == nb && !memcmp(x, y, na);
}

static void set_content(struct slot *s, value v) { s->content = v == V_NONE || v == V_EMPTY ? V_NIL : v; }

static bool append(struct table *t, struct slot *s, value v) {
  char digits[24];
  size_t n = 0;
  const char *more = v == V_NIL || v == V_NONE || v == V_EMPTY ? "" : map_text(t->values, v, digits, &n);
  if (!more) return false;
  if (s->content != V_NONE) {
    char now[24];
    size_t m = 0;
    const char *start = s->content == V_NIL ? "" : map_text(t->values, s->content, now, &m);
    if (!start) return false;
    if (!s->count) {
      vec_push(t->mem, &t->buffer, ((struct piece_text){NULL, 0, 0}));
      s->count = (uint32_t)t->buffer.count;
    }
    struct piece_text *fresh = &t->buffer.at[s->count - 1];
    vec_reserve(t->mem, fresh, m + n + 16);
    memcpy(fresh->at, start, m);
    fresh->count = m;
    s->content = V_NONE;
  }
  struct piece_text *b = &t->buffer.at[s->count - 1];
  if (b->room < b->count + n) vec_reserve(t->mem, b, 2 * (b->count + n));
  memcpy(b->at + b->count, more, n);
  b->count += n;
  return true;
}

bool machine_map_apply(void *machine, const struct op *o) {
  struct table *t = machine;
  struct slot *s = find(t, o->arg[0]);
  bool same;
  switch (o->method) {
  case MAP_GET: return o->result == V_UNKNOWN || holds(t, s, o->result);
  case MAP_PUT:
    if (!says(o, V_NONE)) return false;
    set_content(s, o->arg[1]);
    return true;
  case MAP_APPEND: return t->texts && says(o, V_NONE) && append(t, s, o->arg[1]);
  case MAP_CAS:
    same = holds(t, s, o->arg[1]);
    if (!says(o, same ? V_TRUE : V_FALSE)) return false;
    if (same) set_content(s, o->arg[2]);
    return true;
  default:
    if (!says(o, V_NONE)) return false;
    set_content(s, V_NIL);
    return true;
  }
}
