/* Values: see value.h. Interning keeps equality identity: an entry is found by its content, and made once.
 *
 * Entries never move: one thread may add a value, while no other does, and the others go on looking at those they have
 * (verify's workers). */
#include "history/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"

struct entry {
  uint32_t kind; /* enum value_kind */
  uint32_t size; /* bytes of a text, items of a list */
  union {
    int64_t integer;
    const char *chars;
    const value *items;
  } is;
};

enum { FIRST_LOG = 8, CHUNKS = 32 - FIRST_LOG };

struct values {
  struct mem *mem;
  struct entry *chunks[CHUNKS]; /* the first holds 1 << FIRST_LOG, each other as many as all before it */
  _Atomic uint32_t count;
  uint32_t *slots; /* open addressing: entry index + 1, 0 for free */
  uint32_t mask;
};

static const char *const special_names[] = {"", "nil", "true", "false", "empty", "full", "?"};
enum { SPECIALS = 7 };

static uint32_t counted(const struct values *v) { return atomic_load_explicit(&v->count, memory_order_relaxed); }

static struct entry *entry_at(const struct values *v, uint32_t i) {
  if (!(i >> FIRST_LOG)) return &v->chunks[0][i];
  unsigned log = 31 - (unsigned)__builtin_clz(i);
  return &v->chunks[log - FIRST_LOG + 1][i - (1u << log)];
}

static void entry_add(struct values *v, struct entry e) {
  uint32_t i = counted(v);
  if (!i)
    v->chunks[0] = mem_alloc(v->mem, sizeof e << FIRST_LOG);
  else if (i >> FIRST_LOG && !(i & (i - 1)))
    v->chunks[31 - __builtin_clz(i) - FIRST_LOG + 1] = mem_alloc(v->mem, sizeof e * i);
  *entry_at(v, i) = e;
  atomic_store_explicit(&v->count, i + 1, memory_order_release);
}

struct values *values_new(struct mem *m) {
  struct values *v = mem_zero(m, 1, sizeof *v);
  v->mem = m;
  for (int i = 0; i < SPECIALS; i++)
    entry_add(v, (struct entry){VALUE_SPECIAL, (uint32_t)i, {.chars = special_names[i]}});
  v->mask = 255;
  v->slots = mem_zero(m, v->mask + 1, sizeof *v->slots);
  return v;
}

size_t values_count(const struct values *v) { return counted(v); }

static uint64_t entry_hash(const struct entry *e) {
  switch (e->kind) {
  case VALUE_INT: return hash_mix((uint64_t)e->is.integer + 0x9e3779b97f4a7c15u);
  case VALUE_TEXT: return hash_bytes(e->is.chars, e->size);
  default: return hash_bytes(e->is.items, e->size * sizeof(value)) + 1;
  }
}

static bool entry_equal(const struct entry *a, const struct entry *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == VALUE_INT) return a->is.integer == b->is.integer;
  if (a->size != b->size) return false;
  if (!a->size) return true;
  return !memcmp(a->is.chars, b->is.chars, a->kind == VALUE_TEXT ? a->size : a->size * sizeof(value));
}

static void values_grow(struct values *v) {
  uint32_t mask = v->mask * 2 + 1;
  uint32_t *slots = mem_zero(v->mem, (size_t)mask + 1, sizeof *slots);
  for (uint32_t i = SPECIALS; i < counted(v); i++) {
    uint32_t s = (uint32_t)entry_hash(entry_at(v, i)) & mask;
    while (slots[s]) s = (s + 1) & mask;
    slots[s] = i + 1;
  }
  mem_free(v->mem, v->slots);
  v->slots = slots;
  v->mask = mask;
}

static value values_intern(struct values *v, struct entry e) {
  if ((uint64_t)counted(v) * 2 > v->mask) values_grow(v);
  uint32_t s = (uint32_t)entry_hash(&e) & v->mask;
  for (; v->slots[s]; s = (s + 1) & v->mask)
    if (entry_equal(entry_at(v, v->slots[s] - 1), &e)) return (v->slots[s] - 1) << 1 | 1;
  if (e.kind == VALUE_TEXT) {
    e.is.chars = mem_string(v->mem, e.is.chars, e.size);
  } else if (e.kind == VALUE_LIST) {
    value *items = mem_piece(v->mem, e.size * sizeof *items + 1);
    if (e.size) memcpy(items, e.is.items, e.size * sizeof *items);
    e.is.items = items;
  }
  uint32_t index = counted(v);
  entry_add(v, e);
  v->slots[s] = index + 1;
  return index << 1 | 1;
}

value value_int(struct values *v, int64_t i) {
  if (i >= VALUE_SMALL_MIN && i <= VALUE_SMALL_MAX) return value_of_small((int32_t)i);
  return values_intern(v, (struct entry){VALUE_INT, 0, {.integer = i}});
}

value value_text(struct values *v, const char *s, size_t len) {
  return values_intern(v, (struct entry){VALUE_TEXT, (uint32_t)len, {.chars = s}});
}

value value_list(struct values *v, const value *items, size_t count) {
  return values_intern(v, (struct entry){VALUE_LIST, (uint32_t)count, {.items = items}});
}

static const struct entry *entry_of(const struct values *v, value x) {
  assert(!value_is_small(x) && x >> 1 < counted(v));
  return entry_at(v, x >> 1);
}

enum value_kind value_kind(const struct values *v, value x) {
  return value_is_small(x) ? VALUE_INT : (enum value_kind)entry_of(v, x)->kind;
}

int64_t value_integer(const struct values *v, value x) {
  return value_is_small(x) ? value_small(x) : entry_of(v, x)->is.integer;
}

const char *value_chars(const struct values *v, value x, size_t *len) {
  const struct entry *e = entry_of(v, x);
  if (len) *len = e->size;
  return e->is.chars;
}

const value *value_items(const struct values *v, value x, size_t *count) {
  const struct entry *e = entry_of(v, x);
  *count = e->size;
  return e->is.items;
}

int value_compare(const struct values *v, value a, value b) {
  if (a == b) return 0;
  enum value_kind ka = value_kind(v, a), kb = value_kind(v, b);
  if (ka != kb) return ka < kb ? -1 : 1;
  if (ka == VALUE_SPECIAL) return a < b ? -1 : 1;
  if (ka == VALUE_INT) return value_integer(v, a) < value_integer(v, b) ? -1 : 1;
  size_t na, nb;
  if (ka == VALUE_TEXT) {
    const char *sa = value_chars(v, a, &na), *sb = value_chars(v, b, &nb);
    int c = memcmp(sa, sb, na < nb ? na : nb);
    return c ? c : na < nb ? -1 : 1;
  }
  const value *ia = value_items(v, a, &na), *ib = value_items(v, b, &nb);
  for (size_t i = 0; i < na && i < nb; i++) {
    int c = value_compare(v, ia[i], ib[i]);
    if (c) return c;
  }
  return na < nb ? -1 : 1;
}

/* A text that needs no quotes in a Wing–Gong line: a word that could not be read as anything else. */
static bool plain_word(const char *s, size_t n) {
  if (!n) return false;
  if (!((s[0] >= 'a' && s[0] <= 'z') || (s[0] >= 'A' && s[0] <= 'Z') || s[0] == '_')) return false;
  for (size_t i = 1; i < n; i++)
    if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= '0' && s[i] <= '9') ||
          (s[i] && strchr("_-.:/+", s[i]))))
      return false;
  for (int i = 1; i < SPECIALS; i++)
    if (strlen(special_names[i]) == n && !memcmp(special_names[i], s, n)) return false;
  return true;
}

void value_print(const struct values *v, value x, struct text *out) {
  switch (value_kind(v, x)) {
  case VALUE_SPECIAL: text_add(out, entry_of(v, x)->is.chars); return;
  case VALUE_INT: text_printf(out, "%" PRId64, value_integer(v, x)); return;
  case VALUE_TEXT: {
    size_t n;
    const char *s = value_chars(v, x, &n);
    if (plain_word(s, n)) {
      text_bytes(out, s, n);
      return;
    }
    text_char(out, '"');
    for (size_t i = 0; i < n; i++) {
      unsigned char c = (unsigned char)s[i];
      if (c == '"' || c == '\\') {
        text_char(out, '\\');
        text_char(out, (char)c);
      } else if (c == '\n') {
        text_add(out, "\\n");
      } else if (c == '\t') {
        text_add(out, "\\t");
      } else if (c < 32 || c == 127) {
        text_printf(out, "\\u%04x", c);
      } else {
        text_char(out, (char)c);
      }
    }
    text_char(out, '"');
    return;
  }
  case VALUE_LIST: {
    size_t n;
    const value *items = value_items(v, x, &n);
    text_char(out, '[');
    for (size_t i = 0; i < n; i++) {
      if (i) text_char(out, ' ');
      value_print(v, items[i], out);
    }
    text_char(out, ']');
    return;
  }
  }
}
