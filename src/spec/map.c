/* A map from keys to contents: get, put, append, cas, delete. Keys do not affect each other, so it is keyed by arg[0];
 * registers addressed by a key are this too. A key that is absent and one that holds nil (or the empty text) are the
 * same.
 *
 * The state is the entries sorted by the key's bits: key, tag, content. A content is a value (tag VALUE), or a text in
 * place (tag = its length in bytes, then its bytes padded with zeros to whole words): append makes texts that no
 * operation of the history has, so they have no value. Integers are then their decimal text, so that equal contents
 * have equal bytes. In a history without append (k == PLAIN, set by spec_bind) all contents are kept as values. */
#include <inttypes.h>

#include "spec/common.h"
#include "spec/map.h"

static const struct spec_op map_ops[] = {
    {"get read lookup load find", 1, 1, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"put write set insert store update", 2, 2, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"append concat", 2, 2, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"cas compare-and-set compare-and-swap replace", 3, 3, RESULT_BOOL, PURE_IF_FALSE, V_TRUE, ARG_ANY},
    {"delete del remove erase unset", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
};
static const struct spec_cell map_cells[] = {[MAP_GET] = {-1, -1},
                                             [MAP_PUT] = {1, -1},
                                             [MAP_APPEND] = {CELL_MIXES, -1},
                                             [MAP_CAS] = {2, 1},
                                             [MAP_DELETE] = {CELL_CLEARS, -1}};

#define VALUE UINT32_MAX

/* A content, wherever it is: a value, or len bytes. */
struct content {
  bool is_value;
  value value; /* V_NIL: absent */
  const char *chars;
  size_t len;
};

const char *map_text(const struct values *values, value v, char digits[24], size_t *len) {
  switch (value_kind(values, v)) {
  case VALUE_TEXT: return value_chars(values, v, len);
  case VALUE_INT: *len = (size_t)snprintf(digits, 24, "%" PRId64, value_integer(values, v)); return digits;
  default: return NULL;
  }
}

static struct content content_of(const struct spec *s, value v, char digits[24]) {
  struct content c = {true, v, NULL, 0};
  if (v == V_NONE || v == V_EMPTY) c.value = V_NIL;
  if (s->k == MAP_PLAIN) return c;
  c.chars = map_text(s->values, v, digits, &c.len);
  if (!c.chars) return c;
  if (c.len)
    c.is_value = false;
  else
    c.value = V_NIL;
  return c;
}

static bool same_content(const struct content *a, const struct content *b) {
  if (a->is_value != b->is_value) return false;
  if (a->is_value) return a->value == b->value;
  return a->len == b->len && !memcmp(a->chars, b->chars, a->len);
}

static uint32_t entry_words(const uint32_t *entry) { return entry[1] == VALUE ? 3 : 2 + (entry[1] + 3) / 4; }

/* An entry found, or the place where it would be. */
struct place {
  uint32_t at, words; /* position and length in words; length 0 if absent */
  struct content is;
};

static struct place find(struct state state, value key) {
  uint32_t n, at = 0;
  const uint32_t *w = state_words(state, &n);
  while (at < n && w[at] < key) at += entry_words(w + at);
  struct place p = {at, 0, {true, V_NIL, NULL, 0}};
  if (at < n && w[at] == key) {
    p.words = entry_words(w + at);
    if (w[at + 1] == VALUE)
      p.is.value = w[at + 2];
    else
      p.is = (struct content){false, V_NONE, (const char *)(w + at + 2), w[at + 1]};
  }
  return p;
}

/* The state with the key's content replaced by the parts a and b (b may be NULL) put together. */
static void outcome_with(struct outcomes *out, struct state state, value result, const struct place *p, value key,
                         const struct content *a, const struct content *b) {
  if (a->is_value && a->value == V_NIL) a = b, b = NULL;
  if (b && b->is_value && b->value == V_NIL) b = NULL;
  if (!a || (a->is_value && a->value == V_NIL)) {
    outcome_remove(out, state, result, p->at, p->words);
    return;
  }
  size_t len = a->is_value ? 4 : a->len + (b ? b->len : 0);
  uint32_t n, more = 2 + (uint32_t)((len + 3) / 4);
  const uint32_t *w = state_words(state, &n);
  uint32_t *to = add_words(out, result, n - p->words + more);
  copy_words(to, w, p->at);
  copy_words(to + p->at + more, w + p->at + p->words, n - p->at - p->words);
  uint32_t *entry = to + p->at;
  entry[more - 1] = 0; /* the padding */
  entry[0] = key;
  entry[1] = a->is_value ? VALUE : (uint32_t)len;
  if (a->is_value) {
    entry[2] = a->value;
    return;
  }
  memcpy(entry + 2, a->chars, a->len);
  if (b) memcpy((char *)(entry + 2) + a->len, b->chars, b->len);
}

static void map_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  char digits[24], more[24];
  value key = op->arg[0];
  struct place p = find(state, key);
  const struct content nothing = {true, V_NIL, NULL, 0};
  struct content c = content_of(s, op->arg[1], digits), d;
  switch (op->method) {
  case MAP_GET:
    if (op->result == V_UNKNOWN) {
      outcome_same(out, state, p.is.is_value ? p.is.value : V_UNKNOWN);
      return;
    }
    c = content_of(s, op->result, digits);
    if (same_content(&p.is, &c)) outcome_same(out, state, op->result);
    return;
  case MAP_PUT:
    if (result_matches(op, V_NONE)) outcome_with(out, state, V_NONE, &p, key, &c, NULL);
    return;
  case MAP_APPEND: /* to a content that is no text (true, a list), or of one, it cannot happen; bind refuses the latter
                    */
    if (s->k == MAP_PLAIN) return;
    if (p.is.is_value && p.is.value != V_NIL) return;
    if (c.is_value && c.value != V_NIL) return;
    if (result_matches(op, V_NONE)) outcome_with(out, state, V_NONE, &p, key, &p.is, &c);
    return;
  case MAP_CAS:
    if (!same_content(&p.is, &c)) {
      if (result_matches(op, V_FALSE)) outcome_same(out, state, V_FALSE);
      return;
    }
    d = content_of(s, op->arg[2], more);
    if (result_matches(op, V_TRUE)) outcome_with(out, state, V_TRUE, &p, key, &d, NULL);
    return;
  default:
    if (result_matches(op, V_NONE)) outcome_with(out, state, V_NONE, &p, key, &nothing, NULL);
  }
}

static void map_print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  text_char(out, '{');
  for (uint32_t at = 0; at < n; at += entry_words(w + at)) {
    if (at) text_char(out, ' ');
    value_print(s->values, w[at], out);
    text_char(out, '=');
    if (w[at + 1] == VALUE)
      value_print(s->values, w[at + 2], out);
    else
      text_printf(out, "\"%.*s\"", (int)w[at + 1], (const char *)(w + at + 2));
  }
  text_char(out, '}');
}

static uint32_t map_elements(const struct spec *s, struct state state) {
  (void)s;
  uint32_t n, entries = 0;
  const uint32_t *w = state_words(state, &n);
  for (uint32_t at = 0; at < n; at += entry_words(w + at)) entries++;
  return entries;
}

const struct spec spec_map = {
    .name = "map",
    .aliases = "kv kv-store dictionary dict registers keyed-register multi-register",
    .summary = "contents by key: get (nil if absent), put, append to a text, cas(key, old, new), delete",
    .ops = map_ops,
    .op_count = 5,
    .family = FAMILY_MAP,
    .keyed = true,
    .always = 1u << MAP_PUT | 1u << MAP_DELETE,
    .overwrites = 1u << MAP_PUT | 1u << MAP_DELETE,
    .cell = map_cells,
    .init = init_empty,
    .step = map_step,
    .print = map_print,
    .elements = map_elements,
    .machine_new = machine_map_new,
    .machine_apply = machine_map_apply};
