/* C results as values (c_values.h). */
#include "spec/c_values.h"

#include <assert.h>
#include <string.h>

#include "spec/user.h"

static_assert(((value)(ASIF_NIL - ASIF_OK) << 1 | 1) == V_NIL && ((value)(ASIF_TRUE - ASIF_OK) << 1 | 1) == V_TRUE &&
                  ((value)(ASIF_FALSE - ASIF_OK) << 1 | 1) == V_FALSE &&
                  ((value)(ASIF_EMPTY - ASIF_OK) << 1 | 1) == V_EMPTY &&
                  ((value)(ASIF_FULL - ASIF_OK) << 1 | 1) == V_FULL &&
                  ((value)(ASIF_ANY - ASIF_OK) << 1 | 1) == V_UNKNOWN,
              "the V_... are in the order of the ASIF_...");

bool c_result(unsigned kind, enum c_type type, unsigned data, int64_t *n, value *v) {
  static const value forms[][C_SPECIALS] = {
      [RESULT_NONE] = {V_NONE, V_NONE, V_NONE, V_NONE, V_NONE, V_NONE},
      [RESULT_BOOL] = {V_TRUE, V_FALSE, V_TRUE, V_FALSE, V_FALSE, V_FALSE},
      [RESULT_VALUE] = {V_EMPTY, V_EMPTY, V_TRUE, V_FALSE, V_EMPTY, V_FULL},
      [RESULT_CONTENT] = {V_NIL, V_NIL, V_TRUE, V_FALSE, V_NIL, V_FULL},
      [RESULT_NONE_FULL] = {V_NONE, V_NONE, V_NONE, V_FULL, V_NONE, V_FULL},
      [RESULT_VALUE_ABORT] = {V_EMPTY, V_EMPTY, V_TRUE, V_FALSE, V_EMPTY, V_FULL},
      [RESULT_OLD] = {V_UNKNOWN, V_NIL, V_TRUE, V_FALSE, V_NIL, V_FULL},
      [RESULT_ANY] = {V_NONE, V_EMPTY, V_TRUE, V_FALSE, V_EMPTY, V_FULL},
  };
  assert(kind <= RESULT_ANY && type <= C_NUMBER);
  if (type == C_VOID || kind == RESULT_NONE) return *v = kind == RESULT_OLD ? V_UNKNOWN : V_NONE, true;
  if (type == C_BOOL) {
    if (kind == RESULT_BOOL || kind == RESULT_ANY) return *v = *n ? V_TRUE : V_FALSE, true;
    if (kind == RESULT_NONE_FULL) return *v = *n ? V_NONE : V_FULL, true;
    return false;
  }
  if (kind == RESULT_INT) return false;
  bool holds_data = kind == RESULT_VALUE || kind == RESULT_VALUE_ABORT || kind == RESULT_CONTENT ||
                    kind == RESULT_OLD || kind == RESULT_ANY;
  if (*n >= ASIF_OK && *n <= ASIF_FULL && !(holds_data && data >> (*n - ASIF_OK) & 1))
    return *v = forms[kind][*n - ASIF_OK], true;
  if (kind == RESULT_BOOL) return *v = *n ? V_TRUE : V_FALSE, true;
  if (kind == RESULT_NONE_FULL) return *v = V_NONE, true;
  return false;
}

unsigned c_data(int64_t low, int64_t high) {
  unsigned data = 0;
  for (int64_t n = ASIF_OK; n <= ASIF_FULL; n++)
    if (low <= n && n <= high) data |= 1u << (n - ASIF_OK);
  return data;
}

bool c_clash(const struct spec *s, int64_t low, int64_t high, const char **what) {
  if (s->step == user_step && low < (int64_t)ASIF_OK + C_TEXTS && high >= ASIF_OK)
    return *what = "a number that asif.h uses for texts", true;
  bool has_empty = low <= ASIF_EMPTY && high >= ASIF_EMPTY, has_abort = low <= ASIF_ABORT && high >= ASIF_ABORT;
  for (unsigned m = 0; m < s->op_count; m++) {
    unsigned kind = s->ops[m].result;
    if (has_empty && (kind == RESULT_VALUE || kind == RESULT_ANY)) return *what = "ASIF_EMPTY", true;
    if (has_abort && kind == RESULT_VALUE_ABORT) return *what = "ASIF_ABORT", true;
  }
  return false;
}

const char *c_misfit(unsigned kind, enum c_type type) {
  if (type == C_VOID && kind != RESULT_NONE && kind != RESULT_NONE_FULL && kind != RESULT_OLD && kind != RESULT_ANY)
    return "nothing";
  return type == C_BOOL && kind == RESULT_OLD ? "true or false" : NULL;
}

enum result_kind c_result_kind(enum c_type type) {
  return type == C_VOID ? RESULT_NONE : type == C_BOOL ? RESULT_BOOL : RESULT_ANY;
}

void c_result_is(struct mem *mem, struct spec *s, unsigned m, enum c_type type) {
  if (s->ops[m].result != RESULT_ANY || type == C_NUMBER) return;
  struct spec_op *ops = mem_alloc(mem, s->op_count * sizeof *ops);
  memcpy(ops, s->ops, s->op_count * sizeof *ops);
  ops[m].result = (uint8_t)c_result_kind(type);
  s->ops = ops;
}
