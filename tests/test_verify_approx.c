/* asif verify --approx against its definition: random objects, all of whose histories are enumerated (brute_verify.h).
 * At k the search must find a violation exactly if A_k of one of them, by definition (approx/order.h), is not
 * linearizable for the exact checker; with every reduction. So it never reports of an object that is linearizable, what
 * it sees at k it sees at k + 1, and at k as many as there are operations it says what `asif verify` says; which is
 * checked too. ASIF_TEST_OBJECTS sets how many objects (default 2,000; a tenth of them are compared), ASIF_TEST_OBJECT
 * the number of the only one.
 *
 * Of the objects that hold only every third is compared. */
#include <string.h>

#include "approx/order.h"
#include "brute_verify.h"
#include "random_object.h"
#include "test.h"

enum { PAIRS_MOST = 20000, OPERATIONS_MOST = 8, SHARES = 4 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { OBJECTS = 200 };
#else
enum { OBJECTS = 2000 };
#endif

struct tally {
  unsigned objects, bounded, skipped, holds, wrong, seen[OPERATIONS_MOST + 1];
};

struct trial {
  uint64_t number;
  struct mem mem;
  struct limits limits;
  struct random_object object;
  struct verify_options options;
  struct brute brute;
};

static _Noreturn void disagree(const struct trial *t, enum reduce reduce, int k, const char *what) {
  fprintf(stderr, "object %llu (%s), --reduce %s --approx %d: %s\n\n%s%s\n", (unsigned long long)t->number,
          t->object.name, reduce_name(reduce), k, what, t->object.includes, text_string(&t->object.source));
  fprintf(stderr, "asif verify --threads %u --ops %u%s\n", t->object.threads, t->object.ops,
          t->object.weak ? " --weak" : "");
  test_fail(__FILE__, __LINE__, what);
}

static void open_subject(struct trial *t, enum reduce reduce, int k, struct mem *mem, struct subject *s) {
  struct problem why = {.text = ""};
  struct text text;
  text_open(&text, mem);
  text_add(&text, t->object.preprocessed);
  text_add(&text, text_string(&t->object.source));
  t->options = (struct verify_options){.path = "x.c",
                                       .threads = t->object.threads,
                                       .ops = t->object.ops,
                                       .bound = -1,
                                       .weak_fails = t->object.weak,
                                       .approx = k >= 0,
                                       .k = k >= 0 ? (unsigned)k : 0,
                                       .search = {.reduce = reduce, .deadlocks = true, .jobs = 1}};
  struct unit *unit = front_parse(mem, "x.c", text_string(&text), text.count, &why);
  if (!subject_make(mem, unit, &t->options, s, &why)) disagree(t, reduce, k, why.text);
}

/* k < 0: exactly. */
static bool violated(struct trial *t, enum reduce reduce, int k) {
  struct mem *mem = mem_child(&t->mem);
  struct subject s;
  struct verified v;
  struct problem why = {.text = ""};
  open_subject(t, reduce, k, mem, &s);
  if (!verify(&s, &t->limits, &v, &why)) disagree(t, reduce, k, why.text);
  if (v.search.violation == VIOLATION_TRACE && (!v.checked || v.check.verdict != VERDICT_VIOLATED))
    disagree(t, reduce, k, "the checker does not confirm the counterexample");
  if (v.search.verdict == VERDICT_UNKNOWN) disagree(t, reduce, k, "no verdict");
  /* An approximation does not look for states from which nothing returns. */
  bool found = v.search.verdict == VERDICT_VIOLATED && v.search.violation != VIOLATION_NO_RETURN;
  subject_close(&s);
  mem_close(mem);
  return found;
}

/* Is A_k of the history a violation? */
static bool shows(struct trial *t, uint32_t node, unsigned k) {
  struct mem *mem = mem_child(&t->mem);
  struct problem why = {.text = ""};
  struct check_result result;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  struct spec spec = t->brute.subject->spec;
  struct interval_order exact, approx;
  struct history *h = brute_history(mem, &t->brute, node);
  if (!spec_bind(&spec, h, &why)) disagree(t, REDUCE_NONE, (int)k, why.text);
  order_of(mem, h, &exact);
  order_approx(mem, &exact, k, &approx);
  struct history *weaker = order_history(mem, h, &approx);
  if (!check_history(mem, weaker, &spec, &options, &t->limits, &result, &why))
    disagree(t, REDUCE_NONE, (int)k, why.text);
  mem_close(mem);
  return result.verdict == VERDICT_VIOLATED;
}

/* Something that goes wrong without a history that does is found whatever k is. */
static bool expected(struct trial *t, unsigned k) {
  const struct brute *b = &t->brute;
  if (b->kinds.faults || b->kinds.deadlock) return true;
  for (uint32_t i = 0; i < b->tree.count; i++)
    if (!brute_holds(b, i) && shows(t, i, k)) return true;
  return false;
}

/* Which calls a bound keeps the client from making depends on what is known of the history, so on k. */
static void compare_bounded(struct trial *t, bool exact) {
  unsigned operations = t->object.threads * t->object.ops;
  for (unsigned k = 0; k <= operations; k++) {
    bool found = violated(t, REDUCE_BEST, (int)k);
    if (found && !exact) disagree(t, REDUCE_BEST, (int)k, "a violation that is none");
    if (k == operations && found != exact) disagree(t, REDUCE_BEST, (int)k, "another verdict than that of asif verify");
  }
}

static void compare(struct trial *t, struct tally *y) {
  static const enum reduce ways[] = {REDUCE_BEST, REDUCE_NONE, REDUCE_SYM1, REDUCE_SYM, REDUCE_POR, REDUCE_BOTH};
  unsigned operations = t->object.threads * t->object.ops;
  bool exact = violated(t, REDUCE_BEST, -1), before = false;
  if (!exact && t->number % 3) return;
  if (t->brute.subject->bound >= 0) {
    compare_bounded(t, exact);
    y->bounded++;
    return;
  }
  for (unsigned k = 0; k <= operations; k++) {
    bool found = expected(t, k);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
      if (violated(t, ways[i], (int)k) != found)
        disagree(t, ways[i], (int)k, found ? "a violation is missed" : "a violation that is none");
    if (before && !found) disagree(t, REDUCE_NONE, (int)k, "less is seen at a greater k");
    if (k == operations && found != exact) disagree(t, REDUCE_BEST, (int)k, "another verdict than that of asif verify");
    before = found;
    bool by_history = found && !t->brute.kinds.faults && !t->brute.kinds.deadlock;
    for (unsigned i = k; i <= (k < operations ? k : OPERATIONS_MOST); i++) y->seen[i] += by_history;
  }
  y->objects++;
  y->holds += !exact;
  y->wrong += exact;
}

static void try_object(uint64_t number, struct tally *y) {
  struct trial *t = calloc(1, sizeof *t);
  struct subject plain;
  CHECK(t);
  t->number = number;
  limits_start(&t->limits, 0, 0);
  mem_open(&t->mem, &t->limits);
  random_object_make(&t->object, &t->mem, number);
  open_subject(t, REDUCE_NONE, -1, &t->mem, &plain);
  brute_explore_past(&t->brute, &t->mem, &plain, PAIRS_MOST);
  bool small = t->brute.whole && !t->brute.limited && !plain.spec.by_process &&
               t->object.threads * t->object.ops <= OPERATIONS_MOST;
  if (small) {
    compare(t, y);
  } else {
    y->skipped++;
  }
  subject_close(&plain);
  mem_close(&t->mem);
  free(t);
}

static void try_share(unsigned share) {
  const char *n = getenv("ASIF_TEST_OBJECTS"), *one = getenv("ASIF_TEST_OBJECT");
  unsigned most = (n ? (unsigned)strtoul(n, NULL, 10) : OBJECTS) / 10 / SHARES;
  struct tally y = {0};
  if (one) try_object(strtoull(one, NULL, 10), &y);
  for (uint64_t number = share; !one && y.objects < most; number += SHARES) try_object(number, &y);
  printf(
      "%u objects compared, %u of them only with asif verify, %u too large: %u hold, %u do not; seen at k = 0, 1, ...:",
      y.objects + y.bounded, y.bounded, y.skipped, y.holds, y.wrong);
  for (unsigned k = 0; k <= OPERATIONS_MOST; k++) printf(" %u", y.seen[k]);
  printf("\n");
  if (!one && most >= 50) CHECK(y.holds > most / 10 && y.seen[0] > most / 10);
  if (!one && most >= 500) CHECK(y.seen[OPERATIONS_MOST] > y.seen[0]);
}

TEST(verify_approx_objects_0) { try_share(0); }
TEST(verify_approx_objects_1) { try_share(1); }
TEST(verify_approx_objects_2) { try_share(2); }
TEST(verify_approx_objects_3) { try_share(3); }
