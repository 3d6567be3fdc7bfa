/* The one conversion of C results to values (spec/c_values.h): for every operation of every specification, every type
 * of function and every special result, the value is one that binding a history leaves as it is; and if it is a result
 * that the specification has at all, it says the same as the special. */
#include <string.h>

#include "asif.h"
#include "history/history.h"
#include "spec/c_values.h"
#include "test.h"

static value converted(const struct spec_op *op, enum c_type type, int64_t n, struct values *values) {
  value v;
  return c_result(op->result, type, 0, &n, &v) ? v : value_int(values, n);
}

/* A history of one operation with this result, bound: the result. */
static value bound(const struct spec *named, unsigned m, enum c_type type, int64_t n, value *before) {
  struct mem mem;
  mem_open(&mem, NULL);
  if (MEM_GUARD(&mem)) test_fail(__FILE__, __LINE__, "out of memory");
  struct spec spec = *named;
  struct history *h = history_new(&mem, "test");
  struct problem why;
  size_t len;
  const char *name = spec_op_name(&spec, m, &len);
  value args[OP_ARGS];
  for (unsigned a = 0; a < spec.ops[m].args; a++) args[a] = value_of_small((int32_t)a + 1);
  names_intern(h->objects, "x", 1);
  history_call(h, 0, 0, names_intern(h->methods, name, len), args, spec.ops[m].args, 1);
  *before = converted(&spec.ops[m], type, n, h->values);
  history_return(h, 0, 0, *before);
  history_finish(h);
  CHECKF(spec_bind(&spec, h, &why), "%s %.*s: %s", spec.name, (int)len, name, why.text);
  value after = h->ops.at[0].result;
  mem_close(&mem);
  return after;
}

/* ok nil true false empty full 0 1 7, then a bool function's false and true: N none, L nil, T true, F false, E empty,
 * U full, ? unknown, a digit: the number; # the special as a number. */
static const char *const expected[] = {
    [RESULT_NONE] = "NNNNNNNNNNN",        [RESULT_BOOL] = "TFTFFFFTTFT", [RESULT_VALUE] = "EETFEU01701",
    [RESULT_CONTENT] = "LLTFLU01701",     [RESULT_INT] = "######01701",  [RESULT_NONE_FULL] = "NNNUNUNNNUN",
    [RESULT_VALUE_ABORT] = "EETFEU01701", [RESULT_OLD] = "?LTFLU01701",  [RESULT_ANY] = "NETFEU017FT",
};

static value meant(char c, int64_t n, struct values *values) {
  static const char letters[] = "NLTFEU?";
  static const value of[] = {V_NONE, V_NIL, V_TRUE, V_FALSE, V_EMPTY, V_FULL, V_UNKNOWN};
  const char *at = strchr(letters, c);
  return c == '#' ? value_int(values, n) : at ? of[at - letters] : value_of_small(c - '0');
}

static const int64_t numbers[] = {ASIF_OK, ASIF_NIL, ASIF_TRUE, ASIF_FALSE, ASIF_EMPTY, ASIF_FULL, 0, 1, 7, 0, 1};
enum { NUMBERS = sizeof numbers / sizeof *numbers, BOOLS = 9 };

TEST(c_results_of_every_specification) {
  unsigned seen = 0;
  for (size_t i = 0; specs[i]; i++)
    for (unsigned m = 0; m < specs[i]->op_count; m++) {
      seen |= 1u << specs[i]->ops[m].result;
      for (unsigned k = 0; k < NUMBERS; k++) {
        value before, after = bound(specs[i], m, k < BOOLS ? C_NUMBER : C_BOOL, numbers[k], &before);
        CHECKF(before == after, "%s %s, result %u: %u is bound as %u", specs[i]->name, specs[i]->ops[m].names, k,
               before, after);
        after = bound(specs[i], m, C_VOID, numbers[k], &before);
        CHECK(before == (specs[i]->ops[m].result == RESULT_OLD ? V_UNKNOWN : V_NONE));
      }
    }
  CHECK(seen == (1u << RESULT_ANY) - 1); /* all kinds but that of users' specifications */
}

TEST(c_results_as_documented) {
  struct mem mem;
  mem_open(&mem, NULL);
  if (MEM_GUARD(&mem)) test_fail(__FILE__, __LINE__, "out of memory");
  struct values *values = values_new(&mem);
  for (unsigned kind = 0; kind <= RESULT_ANY; kind++)
    for (unsigned k = 0; k < NUMBERS; k++) {
      struct spec_op op = {.result = (uint8_t)kind};
      value v = converted(&op, k < BOOLS ? C_NUMBER : C_BOOL, numbers[k], values);
      CHECKF(v == meant(expected[kind][k], numbers[k], values), "kind %u, result %u: %u", kind, k, v);
    }
  mem_close(&mem);
}

/* A number that some operation is called with is that number where elements are returned, and only there. */
TEST(c_results_that_are_arguments) {
  for (unsigned kind = 0; kind <= RESULT_ANY; kind++)
    for (int64_t n = ASIF_OK; n <= ASIF_FULL; n++) {
      value v, w;
      int64_t same = n;
      bool special = c_result(kind, C_NUMBER, c_data(n, n), &same, &v),
           without = c_result(kind, C_NUMBER, 0, &same, &w);
      bool holds = kind == RESULT_VALUE || kind == RESULT_VALUE_ABORT || kind == RESULT_CONTENT || kind == RESULT_OLD ||
                   kind == RESULT_ANY;
      CHECK(same == n && special == (without && !holds) && (!special || v == w));
    }
  CHECK(c_data(INT64_MIN, ASIF_NIL) == 3 && c_data(ASIF_FULL, 5) == 1u << 5 && c_data(0, 9) == 0);
}
