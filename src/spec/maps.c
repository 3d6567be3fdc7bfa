/* Maps as libraries have them: what changes a key returns what was there before, nil for nothing. A content that is nil
 * and an absent key are the same. hash-map is keyed; ordered-map also answers what the least, greatest, next and
 * previous keys are, in the order of value_compare (integers by size, texts by bytes), so its keys affect each other.
 *
 * The state is pairs of key and content, sorted: by the key's bits, or by that order. */
#include "spec/common.h"

enum {
  GET,
  PUT,
  REMOVE,
  CONTAINS,
  PUT_IF_ABSENT,
  REPLACE,
  INSERT,
  ERASE,
  CAS,
  HASH_OPS,
  MIN = HASH_OPS,
  MAX,
  FLOOR,
  CEILING,
  LOWER,
  HIGHER,
  REMOVE_MIN,
  REMOVE_MAX,
  ORDERED_OPS
};

static const struct spec_op map_ops[] = {
    {"get find lookup load read", 1, 1, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"put set store write update insert-or-assign", 2, 2, RESULT_OLD, PURE_NEVER, V_UNKNOWN, ARG_ANY},
    {"remove take delete del unset", 1, 1, RESULT_OLD, PURE_NEVER, V_UNKNOWN, ARG_ANY},
    {"contains contains-key has exists member", 1, 1, RESULT_BOOL, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"put-if-absent", 2, 2, RESULT_OLD, PURE_NEVER, V_UNKNOWN, ARG_ANY},
    {"replace put-if-present", 2, 2, RESULT_OLD, PURE_NEVER, V_UNKNOWN, ARG_ANY},
    {"insert add emplace try-emplace try-insert", 2, 2, RESULT_BOOL, PURE_IF_FALSE, V_UNKNOWN, ARG_ANY},
    {"erase try-remove", 1, 1, RESULT_BOOL, PURE_IF_FALSE, V_UNKNOWN, ARG_ANY},
    {"cas compare-and-set compare-and-swap compare-exchange", 3, 3, RESULT_BOOL, PURE_IF_FALSE, V_UNKNOWN, ARG_ANY},
    {"min first first-key front", 0, 0, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"max last last-key back", 0, 0, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"floor floor-key", 1, 1, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"ceiling ceil ceiling-key lower-bound", 1, 1, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"lower lower-key prev predecessor", 1, 1, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"higher higher-key next successor upper-bound", 1, 1, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"remove-min poll-first pop-min pop-first delete-min", 0, 0, RESULT_CONTENT, PURE_NEVER, V_UNKNOWN, ARG_ANY},
    {"remove-max poll-last pop-max pop-last delete-max", 0, 0, RESULT_CONTENT, PURE_NEVER, V_UNKNOWN, ARG_ANY},
};

static value content(value v) { return v == V_NONE || v == V_EMPTY ? (value)V_NIL : v; }

/* The first pair whose key is not before this one. */
static uint32_t place(const struct spec *s, const uint32_t *w, uint32_t n, value key) {
  uint32_t low = 0, high = n / 2;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    bool before = s->keyed ? w[middle * 2] < key : value_compare(s->values, w[middle * 2], key) < 0;
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low * 2;
}

/* The operations on one key: what it holds now and afterwards, and the result. */
static value on_key(const struct op *op, value now, value *after) {
  value x = content(op->arg[1]);
  bool there = now != V_NIL;
  *after = now;
  switch (op->method) {
  case GET: return now;
  case PUT: *after = x; return now;
  case REMOVE: *after = V_NIL; return now;
  case CONTAINS: return there ? V_TRUE : V_FALSE;
  case PUT_IF_ABSENT: *after = there ? now : x; return now;
  case REPLACE: *after = there ? x : now; return now;
  case INSERT: *after = there ? now : x; return there ? V_FALSE : V_TRUE;
  case ERASE: *after = V_NIL; return there ? V_TRUE : V_FALSE;
  default:
    if (now != x) return V_FALSE;
    *after = content(op->arg[2]);
    return V_TRUE;
  }
}

static void hash_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  value key = op->arg[0], after;
  uint32_t at = place(s, w, n, key);
  bool there = at < n && w[at] == key;
  value result = on_key(op, there ? w[at + 1] : (value)V_NIL, &after);
  if (!result_matches(op, result)) return;
  if (after == V_NIL) {
    outcome_remove(out, state, result, at, there ? 2 : 0);
  } else if (there) {
    outcome_remove(out, state, result, n, 0)[at + 1] = after;
  } else {
    uint32_t *pair = outcome_insert(out, state, result, at, 2);
    pair[0] = key;
    pair[1] = after;
  }
}

static void ordered_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  if (op->method < HASH_OPS) {
    hash_step(s, state, op, out);
    return;
  }
  uint32_t n, at = 0; /* the key that is asked for is at `at`, if that is a place at all */
  const uint32_t *w = state_words(state, &n);
  if (op->method >= FLOOR && op->method <= HIGHER) {
    at = place(s, w, n, op->arg[0]);
    bool equal = at < n && w[at] == op->arg[0];
    if (op->method == LOWER || (op->method == FLOOR && !equal)) at -= 2;
    if (op->method == HIGHER && equal) at += 2;
  } else if (op->method == MAX || op->method == REMOVE_MAX) {
    at = n - 2;
  }
  value result = at < n ? w[at] : (value)V_NIL; /* before the first is far beyond the last: at is unsigned */
  if (!result_matches(op, result)) return;
  if (at < n && (op->method == REMOVE_MIN || op->method == REMOVE_MAX))
    outcome_remove(out, state, result, at, 2);
  else
    outcome_same(out, state, result);
}

static void print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  text_char(out, '{');
  for (uint32_t i = 0; i < n; i += 2) {
    if (i) text_char(out, ' ');
    value_print(s->values, w[i], out);
    text_char(out, '=');
    value_print(s->values, w[i + 1], out);
  }
  text_char(out, '}');
}

static uint32_t elements(const struct spec *s, struct state state) { return elements_words(s, state) / 2; }

const struct spec spec_hash_map = {.name = "hash-map",
                                   .aliases = "concurrent-map",
                                   .summary = "contents by key; put, put-if-absent, replace and remove return what was "
                                              "there before (nil for nothing), insert and erase whether they did it",
                                   .ops = map_ops,
                                   .op_count = HASH_OPS,
                                   .family = FAMILY_HASH_MAP,
                                   .keyed = true,
                                   .init = init_empty,
                                   .step = hash_step,
                                   .print = print,
                                   .elements = elements};

const struct spec spec_ordered_map = {.name = "ordered-map",
                                      .aliases = "sorted-map tree-map skip-list-map btree-map",
                                      .summary = "a hash-map whose keys have an order: min and max, floor (greatest "
                                                 "key not above), ceiling, lower, higher, remove-min, remove-max; nil "
                                                 "for none",
                                      .ops = map_ops,
                                      .op_count = ORDERED_OPS,
                                      .family = FAMILY_ORDERED_MAP,
                                      .init = init_empty,
                                      .step = ordered_step,
                                      .print = print,
                                      .elements = elements};
