/* Random objects, verified in every way there is: each reduction, breadth and depth first, with one worker and with
 * two; all must agree with enumeration (brute_verify.h). ASIF_TEST_OBJECTS sets how many objects (default 1,000, or 200
 * with sanitizers; make test-long takes 50,000), ASIF_TEST_OBJECT the number of the only one, which is then also
 * printed.
 *
 * Of the objects that hold only every third is verified: about half of those that are verified are wrong. */
#include <string.h>

#include "brute_verify.h"
#include "random_object.h"
#include "test.h"

enum { PAIRS_MOST = 10000, HISTORIES_MOST = 1000, SHARES = 4 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

static const char *const reductions[] = {
    [REDUCE_BEST] = "best", [REDUCE_NONE] = "none", [REDUCE_SYM1] = "sym1", [REDUCE_SYM] = "sym",
    [REDUCE_POR] = "por",   [REDUCE_BOTH] = "both", [REDUCE_TAU] = "tau"};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

struct tally {
  unsigned objects, skipped, passed_over, holds, trace, deadlock, stuck, fault, several, faults[32];
};

/* One object, and what is known about it so far. */
struct trial {
  uint64_t number;
  bool strange;
  struct mem mem;
  struct limits limits;
  struct random_object object;
  struct verify_options options;
  struct subject fused, plain; /* as --reduce best wants it, and as the others do */
  struct brute brute;
  uint64_t states[REDUCTIONS]; /* of a first search to the end */
  char said[4000];             /* the verdicts */
};

/* In every fifth trial, and in every tenth the program looks. */
static bool allocations_fail(const struct trial *t) { return t->number % 5 == 3; }

static void add_source(const struct trial *t, struct text *to) {
  static const char allocates[] = "t = malloc(sizeof *t);";
  const char *s = text_string(&t->object.source);
  for (const char *at; t->number % 10 == 3 && (at = strstr(s, allocates)); s = at + strlen(allocates)) {
    char *before = mem_string(to->mem, s, (size_t)(at - s));
    text_printf(to, "%s%s if (!t) return 7;", before, allocates);
  }
  text_add(to, s);
}

static _Noreturn void disagree(const struct trial *t, const char *what) {
  const struct brute *b = &t->brute;
  fprintf(stderr, "%sobject %llu (%s): %s\n\n%s%s\n", t->strange ? "strange " : "", (unsigned long long)t->number,
          t->object.name, what, t->object.includes, text_string(&t->object.source));
  fprintf(stderr, "asif verify --threads %u --ops %u%s\n%s", t->object.threads, t->object.ops,
          t->object.weak        ? " --weak"
          : allocations_fail(t) ? " --malloc-fails"
                                : "",
          t->said);
  fprintf(stderr, "enumeration: %slinearizable%s, faults", b->kinds.trace ? "not " : "",
          b->kinds.deadlock && b->kinds.stuck ? ", deadlock, no return"
          : b->kinds.deadlock                 ? ", deadlock"
          : b->kinds.stuck                    ? ", no return"
                                              : "");
  for (unsigned f = 1; f < 32; f++)
    if (b->kinds.faults >> f & 1) fprintf(stderr, " [%s]", fault_name((enum fault)f));
  fprintf(stderr, ", level %d, %zu histories, %zu pairs\n", (int)b->level, b->histories, b->pairs);
  test_fail(__FILE__, __LINE__, what);
}

static void open_subject(struct trial *t, enum reduce reduce, struct subject *s) {
  struct problem why = {.text = ""};
  struct text text;
  text_open(&text, &t->mem);
  text_add(&text, t->object.preprocessed);
  add_source(t, &text);
  t->options = (struct verify_options){.path = "x.c",
                                       .threads = t->object.threads,
                                       .ops = t->object.ops,
                                       .bound = -1,
                                       .weak_fails = t->object.weak,
                                       .malloc_fails = allocations_fail(t),
                                       .search = {.reduce = reduce, .deadlocks = true}};
  struct unit *unit = front_parse(&t->mem, "x.c", text_string(&text), text.count, &why);
  if (!subject_make(&t->mem, unit, &t->options, s, &why)) disagree(t, why.text);
}

/* What the search says happens, in words and as one of the kinds of enumeration. */
static bool among_kinds(const struct trial *t, const struct verified *v, const char **name) {
  const struct brute_kinds *k = &t->brute.kinds;
  const struct search_result *r = &v->search;
  switch (r->violation) {
  case VIOLATION_TRACE: *name = "not linearizable"; return k->trace;
  case VIOLATION_DEADLOCK: *name = "deadlock"; return k->deadlock;
  case VIOLATION_NO_RETURN: *name = "no return"; return k->stuck;
  case VIOLATION_FAULT: {
    enum fault f = r->path[r->path_count - 1].move.fault;
    *name = fault_name(f);
    return k->faults >> f & 1;
  }
  case VIOLATION_NONE: *name = "holds"; return !k->trace && !k->deadlock && !k->faults;
  default: *name = "?"; return false;
  }
}

/* The history of the execution found is one of those enumerated. */
static bool history_known(const struct trial *t, const struct search_result *r) {
  struct event events[256];
  size_t count = 0;
  for (size_t i = 0; i < r->path_count; i++)
    for (unsigned e = 0; e < r->path[i].move.event_count && count < 256; e++)
      events[count++] = r->path[i].move.events[e];
  return brute_has(&t->brute, events, count);
}

static void check_violation(struct trial *t, const struct verified *v, bool shortest) {
  const struct search_result *r = &v->search;
  size_t level = r->violation == VIOLATION_DEADLOCK ? r->path_count : r->path_count - 1;
  if (r->violation == VIOLATION_NO_RETURN) shortest = false; /* it is looked for when nothing else is found */
  if (!history_known(t, r)) disagree(t, "the counterexample's history is none of the object's");
  if (r->violation == VIOLATION_TRACE && (!v->checked || v->check.verdict != VERDICT_VIOLATED))
    disagree(t, "the checker does not confirm the counterexample");
  if (shortest && level != t->brute.level) disagree(t, "the counterexample is not a shortest one");
}

/* Searches to the end see the same states whatever their order. */
static void check_states(struct trial *t, enum reduce reduce, uint64_t states) {
  bool fixed = reduce != REDUCE_TAU && reduce != REDUCE_BEST; /* these look at what was met before */
  if (!t->states[reduce]) t->states[reduce] = states;
  if (fixed && t->states[reduce] != states) disagree(t, "the number of states depends on the order of the search");
  if ((reduce == REDUCE_SYM || reduce == REDUCE_SYM1) && states > t->states[REDUCE_NONE])
    disagree(t, "more states with symmetry");
}

/* A search that makes every move anew does the same. */
static void check_anew(struct trial *t, struct subject *s, const struct search_result *r) {
  struct problem why = {.text = ""};
  struct verified v;
  t->options.search.anew = true;
  if (!verify(s, &t->limits, &v, &why)) disagree(t, why.text);
  const struct search_result *a = &v.search;
  if (a->violation != r->violation || a->path_count != r->path_count || a->states != r->states ||
      a->transitions != r->transitions || a->terminal != r->terminal || a->depth != r->depth ||
      a->refused != r->refused)
    disagree(t, "another search where moves are made anew");
}

static void search_one(struct trial *t, enum reduce reduce, bool depth_first, unsigned jobs) {
  struct subject *s = reduce == REDUCE_BEST ? &t->fused : &t->plain;
  struct problem why = {.text = ""};
  struct verified v;
  const char *name;
  t->options.search =
      (struct search_options){.reduce = reduce, .depth_first = depth_first, .jobs = jobs, .deadlocks = true};
  size_t at = strlen(t->said);
  snprintf(t->said + at, sizeof t->said - at, "%-4s %s %u: ", reductions[reduce], depth_first ? "depth  " : "breadth",
           jobs);
  if (!verify(s, &t->limits, &v, &why)) disagree(t, why.text);
  bool among = among_kinds(t, &v, &name);
  at = strlen(t->said);
  snprintf(t->said + at, sizeof t->said - at, "%s, %llu states, %zu moves\n", name, (unsigned long long)v.search.states,
           v.search.path_count);
  struct brute expected = t->brute;
  /* Not looked for; or said not to be decided, which depends on the state that is asked about. */
  if (reduce == REDUCE_TAU || (!v.search.violation && v.search.returns_undecided)) expected.kinds.stuck = false;
  if ((v.search.verdict == VERDICT_VIOLATED) != brute_violated(&expected) || v.search.verdict == VERDICT_UNKNOWN)
    disagree(t, "another verdict than that of enumeration");
  if (!among) disagree(t, "a violation that enumeration does not find");
  if (v.search.violation)
    check_violation(t, &v, reduce == REDUCE_NONE && !depth_first);
  else
    check_states(t, reduce, v.search.states);
  if (jobs == 1 && (reduce == REDUCE_BEST || (reduce == REDUCE_NONE && !depth_first))) check_anew(t, s, &v.search);
}

static void search_all(struct trial *t) {
  static const enum reduce order[] = {REDUCE_NONE, REDUCE_SYM1, REDUCE_SYM, REDUCE_POR,
                                      REDUCE_BOTH, REDUCE_TAU,  REDUCE_BEST};
  for (unsigned i = 0; i < REDUCTIONS; i++)
    for (unsigned way = 0; way < 4; way++)
      if (order[i] != REDUCE_TAU || way < 2) search_one(t, order[i], way & 1, 1 + way / 2);
}

static void count(struct tally *y, const struct brute *b) {
  unsigned kinds = b->kinds.trace + b->kinds.deadlock + b->kinds.stuck + (b->kinds.faults != 0);
  y->stuck += b->kinds.stuck;
  y->holds += !kinds;
  y->trace += b->kinds.trace;
  y->deadlock += b->kinds.deadlock;
  y->fault += b->kinds.faults != 0;
  y->several += kinds > 1;
  for (unsigned f = 0; f < 32; f++) y->faults[f] += b->kinds.faults >> f & 1;
}

static void try_object(uint64_t number, bool strange, struct tally *y) {
  struct trial *t = calloc(1, sizeof *t);
  CHECK(t);
  t->number = number;
  t->strange = strange;
  limits_start(&t->limits, 0, 0);
  mem_open(&t->mem, &t->limits);
  (strange ? random_strange_make : random_object_make)(&t->object, &t->mem, number);
  open_subject(t, REDUCE_NONE, &t->plain);
  brute_explore(&t->brute, &t->mem, &t->plain, PAIRS_MOST, HISTORIES_MOST);
  if (*t->brute.wrong) disagree(t, t->brute.wrong);
  bool small = t->brute.whole && !t->brute.limited;
  if (small && !brute_violated(&t->brute) && number % 3 && !getenv("ASIF_TEST_OBJECT")) {
    y->passed_over++;
  } else if (small) {
    open_subject(t, REDUCE_BEST, &t->fused);
    search_all(t);
    count(y, &t->brute);
    y->objects++;
  } else {
    y->skipped++;
  }
  if (getenv("ASIF_TEST_OBJECT"))
    fprintf(stderr, "%s%s%s", t->object.includes, text_string(&t->object.source), t->said);
  subject_close(&t->plain);
  mem_close(&t->mem);
  free(t);
}

/* Objects first, first + step, ... until `most` were verified. */
static void try_objects(bool strange, uint64_t first, uint64_t step, uint64_t most) {
  const char *one = getenv("ASIF_TEST_OBJECT");
  struct tally y = {0};
  if (one) try_object(strtoull(one, NULL, 10), strange, &y);
  for (uint64_t number = first; !one && y.objects < most; number += step) try_object(number, strange, &y);
  printf("%u objects, %u too large, %u passed over: ", y.objects, y.skipped, y.passed_over);
  printf("%u hold, %u not linearizable, %u deadlock, %u stuck, %u fail, %u in several ways\n", y.holds, y.trace,
         y.deadlock, y.stuck, y.fault, y.several);
  for (unsigned f = 0; f < 32; f++)
    if (y.faults[f]) printf("%6u %s\n", y.faults[f], fault_name((enum fault)f));
  if (!one && most >= 400 && !strange)
    CHECK(y.holds > most / 4 && y.trace > most / 4 && y.deadlock > most / 40 && y.fault > most / 40 && y.stuck);
}

/* Each test takes its share of them. */
static void try_share(unsigned share) {
  const char *n = getenv("ASIF_TEST_OBJECTS");
  uint64_t most = n ? strtoull(n, NULL, 10) : sanitized ? 200 : 1000;
  try_objects(false, share, SHARES, (most + SHARES - 1) / SHARES);
}

TEST(verify_random_objects_0) { try_share(0); }
TEST(verify_random_objects_1) { try_share(1); }
TEST(verify_random_objects_2) { try_share(2); }
TEST(verify_random_objects_3) { try_share(3); }
TEST(verify_random_threads) { try_objects(false, 1000000, 1, 20); }

/* Of the C that is easily misread. */
TEST(verify_random_strange) {
  const char *n = getenv("ASIF_TEST_OBJECTS");
  try_objects(true, 0, 1, n ? strtoull(n, NULL, 10) / 4 : sanitized ? 60 : 300);
}
TEST(verify_random_constructs) {
  const char *n = getenv("ASIF_TEST_OBJECTS");
  try_objects(true, CONSTRUCTS_FIRST, 1, n ? strtoull(n, NULL, 10) / 8 : sanitized ? 30 : 150);
}
