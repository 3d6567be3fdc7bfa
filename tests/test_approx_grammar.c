/* Grammars (section 8): the solver against trying all values, Parikh images against all words, grammars against
 * specifications, and monitors against the definition.
 *
 * ASIF_TEST_HISTORIES sets how many histories a specification, a tenth of it; each at five values of k, one in ten by
 * the system alone. */
#include <dirent.h>
#include <unistd.h>
#include <string.h>

#include "approx/grammar.h"
#include "approx/order.h"
#include "brute.h"
#include "generate/generate.h"
#include "test.h"

static long histories(void) {
  const char *n = getenv("ASIF_TEST_HISTORIES");
  return n ? atol(n) : 15000;
}

static struct mem *opened(struct mem *m) {
  mem_open(m, NULL);
  if (MEM_GUARD(m)) abort();
  return m;
}

static unsigned below(uint64_t *seed, unsigned n) { return (unsigned)(random_next(seed) % n); }

/* The solver. */

struct random_system {
  struct integer_system system;
  unsigned variables;
  int64_t high[6];
};

static void random_system(struct mem *m, struct random_system *r, uint64_t *seed) {
  integer_open(&r->system, m);
  r->variables = 1 + below(seed, 6);
  for (unsigned v = 0; v < r->variables; v++) {
    r->high[v] = below(seed, 4);
    integer_variable(&r->system, 0, r->high[v]);
  }
  for (unsigned rows = below(seed, 5); rows-- > 0;) {
    int64_t low = (int64_t)below(seed, 14) - 4, high = below(seed, 2) ? low : low + below(seed, 4);
    integer_row(&r->system, below(seed, 8) ? low : -INTEGER_NO_BOUND, below(seed, 8) ? high : INTEGER_NO_BOUND);
    for (unsigned v = 0; v < r->variables; v++)
      if (below(seed, 3)) integer_term(&r->system, v, (int64_t)below(seed, 11) - 4);
  }
}

/* A condition as the one on derivations is: with x0 there must be x1 or x2. */
static bool x0_needs(void *of, const int64_t *x, struct integer_split *split) {
  const struct random_system *r = of;
  if (r->variables < 3 || !x[0] || x[1] || x[2]) return true;
  struct integer_bound bounds[] = {{0, 0, 0}, {1, 1, INTEGER_NO_BOUND}, {1, 0, 0}, {2, 1, INTEGER_NO_BOUND}};
  size_t ends[] = {1, 2, 4};
  for (int i = 0; i < 4; i++) vec_push(split->mem, &split->bounds, bounds[i]);
  for (int i = 0; i < 3; i++) vec_push(split->mem, &split->ends, ends[i]);
  return false;
}

static bool fits_x0(const struct random_system *r, const int64_t *x) {
  return r->variables < 3 || !x[0] || x[1] || x[2];
}

static bool brute_system(const struct random_system *r, int64_t *x, unsigned v) {
  if (v == r->variables) return integer_is_solution(&r->system, x) && fits_x0(r, x);
  for (x[v] = 0; x[v] <= r->high[v]; x[v]++)
    if (brute_system(r, x, v + 1)) return true;
  return false;
}

TEST(grammar_integers) {
  long yes = 0, no = 0;
  for (long i = 0; i < histories() * 2; i++) {
    struct mem m;
    uint64_t seed = (uint64_t)i * 977 + 5;
    struct random_system r;
    struct integer_figures figures = {0};
    int64_t x[6], solution[6];
    random_system(opened(&m), &r, &seed);
    bool want = brute_system(&r, x, 0);
    enum integer_answer got = integer_solve(&m, &r.system, x0_needs, &r, 1 << 24, solution, &figures);
    CHECKF(got == (want ? INTEGER_YES : INTEGER_NO), "system %ld: %d, not %d", i, (int)got, want);
    CHECK(figures.unproved == 0);
    if (want) CHECK(integer_is_solution(&r.system, solution) && fits_x0(&r, solution));
    *(want ? &yes : &no) += 1;
    mem_close(&m);
  }
  fprintf(stderr, "%ld systems with a solution, %ld without\n", yes, no);
  CHECK(yes > histories() / 5 && no > histories() / 5);
}

/* 2 a + 2 b = an odd number beyond any search; and numbers near the end of what 64 bits have are not answered wrongly.
 */
TEST(grammar_integers_large) {
  struct mem m;
  struct integer_system s;
  struct integer_figures figures = {0};
  integer_open(&s, opened(&m));
  integer_variable(&s, 0, INTEGER_NO_BOUND);
  integer_variable(&s, 0, INTEGER_NO_BOUND);
  integer_row(&s, 1000000000001, 1000000000001);
  integer_term(&s, 0, 2);
  integer_term(&s, 1, 2);
  CHECK(integer_solve(&m, &s, NULL, NULL, 1 << 20, NULL, &figures) == INTEGER_NO);
  integer_open(&s, &m);
  for (uint32_t v = 0; v < 4; v++) integer_variable(&s, 0, INTEGER_NO_BOUND);
  for (uint32_t r = 0; r < 3; r++) {
    integer_row(&s, 1, 1);
    integer_term(&s, r, (int64_t)3 << 60);
    integer_term(&s, r + 1, -((int64_t)5 << 59));
  }
  CHECK(integer_solve(&m, &s, NULL, NULL, 1 << 20, NULL, &figures) != INTEGER_YES);
  mem_close(&m);
}

/* The check of contradictions says no to what is none. */
TEST(grammar_contradictions) {
  struct mem m;
  struct integer_system s;
  integer_open(&s, opened(&m));
  integer_variable(&s, 0, 5);
  integer_row(&s, 6, 9);
  integer_term(&s, 0, 1);
  int64_t low[] = {0, 6}, high[] = {5, 9}, right[] = {1, -1}, wrong[] = {1, 1}, weak[] = {0, 0};
  CHECK(integer_contradiction(&s, low, high, right));
  CHECK(!integer_contradiction(&s, low, high, wrong));
  CHECK(!integer_contradiction(&s, low, high, weak));
  low[1] = 5;
  CHECK(!integer_contradiction(&s, low, high, right));
  mem_close(&m);
}

/* Random grammars over acquire, release and try. */

static const char *const names[] = {"S", "A", "B", "C"};
static const char *const operations[] = {"acquire", "release", "try"};

static void random_text(struct text *t, uint64_t *seed) {
  unsigned rules = 1 + below(seed, 4);
  for (unsigned r = 0; r < rules; r++) {
    text_printf(t, "%s ->", names[r]);
    unsigned alternatives = 1 + below(seed, 3);
    for (unsigned a = 0; a < alternatives; a++) {
      if (a) text_add(t, " |");
      unsigned length = below(seed, 5);
      if (!length) text_add(t, " empty");
      for (unsigned i = 0; i < length; i++)
        text_printf(t, " %s", below(seed, 2) ? operations[below(seed, 3)] : names[below(seed, rules)]);
    }
    text_add(t, ";\n");
  }
}

/* One that is read: most are not, having a rule without use or end. */
static struct grammar *random_grammar(struct mem *m, const struct spec *spec, uint64_t *seed, struct text *t) {
  for (;;) {
    struct problem why;
    text_clear(t);
    random_text(t, seed);
    struct grammar *g = grammar_parse(m, spec, "random", text_string(t), t->count, &why);
    if (g) return g;
    CHECKF(!strncmp(why.text, "random:", 7), "%s", why.text);
  }
}

static struct spec named(const char *name) {
  struct spec s;
  struct problem why;
  CHECKF(spec_named(name, &s, &why), "%s", why.text);
  return s;
}

/* The source grammar's own words, without a normal form: has rule r the word's part i..j? By the symbols of each
 * production in turn. */
enum { WORD = 7 };
struct source {
  const struct grammar *grammar;
  const uint8_t *word; /* terminals */
  size_t length;
  bool table[8][WORD + 1][WORD + 1];
};

static bool sequence_has(const struct source *s, const struct production *q, uint32_t from, size_t i, size_t j) {
  if (from == q->count) return i == j;
  symbol x = s->grammar->symbols.at[q->first + from];
  if (symbol_terminal(x)) return i < j && s->word[i] == symbol_number(x) && sequence_has(s, q, from + 1, i + 1, j);
  for (size_t m = i; m <= j; m++)
    if (s->table[symbol_number(x)][i][m] && sequence_has(s, q, from + 1, m, j)) return true;
  return false;
}

static bool source_has(const struct grammar *g, const uint8_t *word, size_t length) {
  struct source s = {.grammar = g, .word = word, .length = length};
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t q = 0; q < g->productions.count; q++)
      for (size_t i = 0; i <= length; i++)
        for (size_t j = i; j <= length; j++) {
          bool *at = &s.table[g->productions.at[q].rule][i][j];
          if (!*at && sequence_has(&s, &g->productions.at[q], 0, i, j)) *at = changed = true;
        }
  }
  return s.table[0][0][length];
}

/* Is it a prefix of a word of at most WORD letters? */
static bool source_has_prefix(const struct grammar *g, uint8_t *word, size_t length, size_t most) {
  if (source_has(g, word, length)) return true;
  for (uint8_t t = 0; length < most && t < g->terminals.count; t++) {
    word[length] = t;
    if (source_has_prefix(g, word, length + 1, most)) return true;
  }
  return false;
}

static void next_word(uint8_t *word, size_t *length, unsigned letters) {
  size_t i = 0;
  while (i < *length && ++word[i] == letters) word[i++] = 0;
  if (i == *length) word[(*length)++] = 0;
}

static bool form_has(struct mem *m, const struct form *f, const uint8_t *word, size_t length) {
  uint64_t letters[WORD];
  for (size_t i = 0; i < length; i++) letters[i] = (uint64_t)1 << f->letter_of[word[i]];
  return form_accepts(m, f, letters, length);
}

TEST(grammar_prefixes) {
  struct spec spec = named("lock");
  long had = 0, missed = 0, longer = 0;
  for (long i = 0; i < histories() / 40; i++) {
    struct mem m;
    uint64_t seed = (uint64_t)i * 31 + 7;
    struct text t;
    text_open(&t, opened(&m));
    struct grammar *g = random_grammar(&m, &spec, &seed, &t);
    struct form *f = grammar_form(&m, g);
    uint8_t word[WORD] = {0};
    for (size_t length = 0; length <= 3 && g->terminals.count;) {
      uint8_t copy[WORD];
      memcpy(copy, word, sizeof copy);
      bool want = source_has_prefix(g, copy, length, 6), got = form_has(&m, f, word, length);
      longer += got && !want; /* a prefix of longer words only */
      CHECKF(got || !want, "grammar %ld: %s", i, text_string(&t));
      if (source_has(g, word, length)) CHECK(got);
      *(got ? &had : &missed) += 1;
      next_word(word, &length, (unsigned)g->terminals.count);
    }
    mem_close(&m);
  }
  fprintf(stderr, "%ld prefixes of words, %ld not, %ld of long words only\n", had, missed, longer);
  CHECK(had > 50 && missed > 50 && longer < had / 4);
}

/* Parikh images: every way to put the operations into slots, and every order within a slot. */

struct arrangement {
  struct mem *mem;
  const struct form *form;
  unsigned k;
  struct parikh_count op[6]; /* count 1 each */
  unsigned ops;
  unsigned slot[6]; /* k + 1: left out */
  uint8_t letter[6];
};

static bool some_order(const struct arrangement *a, uint64_t *word, unsigned length, unsigned done) {
  if (done == (1u << a->ops) - 1) return form_accepts(a->mem, a->form, word, length);
  unsigned first = a->k + 2;
  for (unsigned i = 0; i < a->ops; i++)
    if (!(done >> i & 1) && a->slot[i] < first) first = a->slot[i];
  for (unsigned i = 0; i < a->ops; i++) {
    if (done >> i & 1 || a->slot[i] != first) continue;
    word[length] = (uint64_t)1 << a->letter[i];
    if (first == a->k + 1) return some_order(a, word, length, (1u << a->ops) - 1);
    if (some_order(a, word, length + 1, done | 1u << i)) return true;
  }
  return false;
}

static bool some_placing(struct arrangement *a, unsigned i) {
  uint64_t word[6];
  if (i == a->ops) return some_order(a, word, 0, 0);
  for (uint8_t l = 0; l < a->form->letters; l++) {
    if (!(a->op[i].letters >> l & 1)) continue;
    a->letter[i] = l;
    for (a->slot[i] = a->op[i].from; a->slot[i] <= a->op[i].to; a->slot[i]++)
      if (some_placing(a, i + 1)) return true;
  }
  a->slot[i] = a->k + 1;
  return a->op[i].pending && some_placing(a, i + 1);
}

static void random_operations(struct arrangement *a, uint64_t *seed) {
  a->ops = below(seed, 6);
  for (unsigned i = 0; i < a->ops; i++) {
    uint8_t from = (uint8_t)below(seed, a->k + 1);
    bool pending = !below(seed, 5);
    uint64_t letters = below(seed, 6) ? (uint64_t)1 << below(seed, a->form->letters)
                                      : random_next(seed) & ((1u << a->form->letters) - 1);
    a->op[i] = (struct parikh_count){letters, 1, from,
                                     pending ? (uint8_t)a->k : (uint8_t)(from + below(seed, a->k + 1 - from)), pending};
  }
}

TEST(grammar_parikh) {
  struct spec spec = named("lock");
  long yes = 0, no = 0, unknown = 0;
  struct integer_figures figures = {0};
  for (long i = 0; i < histories() / 8; i++) {
    struct mem m;
    uint64_t seed = (uint64_t)i * 131 + 3;
    struct text t;
    struct problem why;
    text_open(&t, opened(&m));
    struct grammar *g = random_grammar(&m, &spec, &seed, &t);
    struct arrangement a = {.mem = &m, .form = grammar_form(&m, g), .k = below(&seed, 4)};
    struct parikh *p = parikh_new(&m, a.form, a.k, &why);
    CHECKF(p, "%s", why.text);
    for (int tries = 0; tries < 6 && a.form->letters; tries++) {
      random_operations(&a, &seed);
      bool want = some_placing(&a, 0);
      enum integer_answer got = parikh_admits(p, a.op, a.ops, &figures);
      unknown += got == INTEGER_UNKNOWN;
      CHECKF(got == (want ? INTEGER_YES : INTEGER_NO) || got == INTEGER_UNKNOWN,
             "grammar %ld, k = %u, %u operations: %d, not %d\n%s%llu nodes, %llu pivots", i, a.k, a.ops, (int)got, want,
             text_string(&t), (unsigned long long)figures.nodes, (unsigned long long)figures.pivots);
      *(want ? &yes : &no) += 1;
    }
    mem_close(&m);
  }
  fprintf(stderr, "%ld admitted, %ld not, %ld not told; %llu nodes, %llu pivots\n", yes, no, unknown,
          (unsigned long long)figures.nodes, (unsigned long long)figures.pivots);
  CHECK(yes > histories() / 10 && no > histories() / 10 && unknown * 200 < yes + no && !figures.unproved);
}

/* Text. */

static void expect_problem(const char *text, const char *starts) {
  struct mem m;
  struct problem why = {.text = ""};
  struct spec spec = named("lock");
  CHECKF(!grammar_parse(opened(&m), &spec, "lock.g", text, strlen(text), &why), "%s was read", text);
  CHECKF(!strncmp(why.text, starts, strlen(starts)), "%s\nnot: %s", why.text, starts);
  mem_close(&m);
}

TEST(grammar_problems) {
  expect_problem("", "lock.g:1:1: there is no rule");
  expect_problem("S -> acquire relase S | empty;",
                 "lock.g:1:14: 'relase' is no operation of 'lock' (acquire, release, try), and no rule has this name\n"
                 "  S -> acquire relase S | empty;\n"
                 "               ^");
  expect_problem("S -> acquire\n\n  S | empty\nT -> release;", "lock.g:4:1: 'empty' stands alone");
  expect_problem("S -> acquire S;", "lock.g:1:1: 'S' never comes to an end");
  expect_problem("S -> empty;\nT -> release;", "lock.g:2:1: 'T' is never used");
  expect_problem("try -> empty;", "lock.g:1:1: 'try' is an operation of 'lock'");
  expect_problem("S -> acquire(1);", "lock.g:1:13: the operation takes 0 arguments, not 1");
  expect_problem("S -> try => maybe;", "lock.g:1:13: a value should be here");
  expect_problem("S -> (acquire | ;", "lock.g:1:17: an operation, a rule or 'empty' should be here");
  expect_problem("S -> acquire empty;", "lock.g:1:14: 'empty' stands alone");
  expect_problem("S -> acquire", "lock.g:1:13: the text ends where ';' should be");
  expect_problem("S = acquire;", "lock.g:1:3: '->' should be here");
  expect_problem("S -> try => 99999999999999999999;", "lock.g:1:13: this is no number");
  expect_problem("S -> try => \"a;", "lock.g:1:13: this text has no closing");
  expect_problem("S -> deq => empty S;",
                 "lock.g:1:6: 'deq' is no operation of 'lock' (acquire, release, try), and no rule has this name");
}

static void round_trip(struct mem *m, const struct spec *spec, const struct grammar *g) {
  struct text once, twice;
  struct problem why;
  text_open(&once, m);
  text_open(&twice, m);
  grammar_print(g, spec, &once);
  struct grammar *back = grammar_parse(m, spec, "again", text_string(&once), once.count, &why);
  CHECKF(back, "%s\n%s", why.text, text_string(&once));
  grammar_print(back, spec, &twice);
  CHECKF(!strcmp(text_string(&once), text_string(&twice)), "%s\nnow:\n%s", text_string(&once), text_string(&twice));
}

TEST(grammar_round_trip) {
  struct spec spec = named("lock"), cas = named("cas-register");
  static const char *const texts[] = {"S -> (acquire (try => false)* release | try => true try => false + release)* ;",
                                      "S -> ((acquire)? (release | empty))+; outside try, release => ok;"};
  static const char sets[] = "S -> cas(0, _) => true S? | read => value | read => -5 | write(\"a b\") | cas(1, 2) | "
                             "read => nil; outside write(_);";
  for (long i = 0; i < 2000; i++) {
    struct mem m;
    struct text t;
    struct problem why;
    uint64_t seed = (uint64_t)i;
    text_open(&t, opened(&m));
    round_trip(&m, &spec, random_grammar(&m, &spec, &seed, &t));
    for (int j = 0; j < 2 && !i; j++) {
      struct grammar *g = grammar_parse(&m, &spec, "text", texts[j], strlen(texts[j]), &why);
      CHECKF(g, "%s", why.text);
      round_trip(&m, &spec, g);
    }
    struct grammar *g = grammar_parse(&m, &cas, "text", sets, strlen(sets), &why);
    CHECKF(g, "%s", why.text);
    round_trip(&m, &cas, g);
    mem_close(&m);
  }
}

/* What the fuzzer was given, or has found, is read or refused as it was. */
TEST(grammar_fuzz_corpus) {
  static char text[1 << 16];
  struct spec spec = named("semaphore");
  int read = 0, refused = 0;
  DIR *d = opendir("tests/fuzz/corpus-grammar");
  CHECK(d);
  for (struct dirent *e; (e = readdir(d));) {
    char path[400];
    struct mem m;
    struct problem why = {.text = ""};
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "tests/fuzz/corpus-grammar/%s", e->d_name);
    FILE *f = fopen(path, "rb");
    CHECKF(f, "%s", path);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    struct grammar *g = grammar_parse(opened(&m), &spec, "input", text, n, &why);
    CHECKF(g || !strncmp(why.text, "input:", 6), "%s: %s", path, why.text);
    if (g) round_trip(&m, &spec, g);
    *(g ? &read : &refused) += 1;
    mem_close(&m);
  }
  closedir(d);
  CHECK(read > 4 && refused > 4);
}

/* Bundled grammars: their words are the specification's executions, processes forgotten, values told apart only where
 * the grammar does. */

#define BUNDLED \
  X(lock, "lock") \
  X(rw_lock, "rw-lock") \
  X(semaphore, "semaphore(2)") X(bounded_queue, "bounded-queue(2)") X(snzi, "snzi") X(mailbox, "mailbox")
static const char *const bundled[] = {
#define X(id, name) name,
    BUNDLED
#undef X
    "semaphore(0)",
    "semaphore(1)",
    "semaphore(5)",
    "bounded-queue(1)",
    "bounded-queue(40)",
    "bounded-priority-queue(3)"};
enum { EXACT = 10 }; /* so many of them are no larger than the specification */

/* May the operation happen in one of the states? The states after it. */
static bool run_word(struct mem *m, const struct spec *spec, const struct op *ops, size_t count, size_t at,
                     struct state state) {
  if (at == count) return true;
  struct outcomes out;
  bool found = false;
  outcomes_open(&out, m);
  spec->step(spec, state, &ops[at], &out);
  for (size_t i = 0; i < out.list.count && !found; i++)
    found = run_word(m, spec, ops, count, at + 1, outcomes_state(&out, i));
  vec_free(m, &out.bytes);
  vec_free(m, &out.list);
  return found;
}

static value some_value(const struct value_pattern *p) {
  return p->kind == PATTERN_EXACT    ? p->exact
         : p->kind == PATTERN_NUMBER ? value_of_small((int32_t)p->number)
                                     : value_of_small(1);
}

static struct op operation_of(const struct spec *spec, const struct pattern *p) {
  struct op o = {.method = p->method, .result = V_UNKNOWN};
  for (int a = 0; a < OP_ARGS; a++)
    o.arg[a] = a < spec->ops[p->method].args || p->arg[a].kind != PATTERN_ANY ? some_value(&p->arg[a]) : V_NONE;
  if (p->result.kind != PATTERN_ANY) o.result = some_value(&p->result);
  return o;
}

static void compare_words(struct mem *m, const struct spec *spec, const struct grammar *g, const struct form *f,
                          bool exact) {
  uint8_t word[WORD] = {0};
  struct outcomes start;
  long both = 0, neither = 0;
  outcomes_open(&start, m);
  spec->init(spec, &start);
  size_t most = g->terminals.count > 6 ? 4 : 6;
  for (size_t length = 0; length <= most;) {
    struct op ops[WORD];
    for (size_t i = 0; i < length; i++) ops[i] = operation_of(spec, &g->terminals.at[word[i]]);
    bool runs = run_word(m, spec, ops, length, 0, outcomes_state(&start, 0)), has = form_has(m, f, word, length);
    CHECKF(has || !runs, "%s: an execution is no word", spec->name);
    CHECKF(runs || !has || !exact, "%s: a word is no execution", spec->name);
    both += runs && has;
    neither += !runs && !has;
    next_word(word, &length, (unsigned)g->terminals.count);
  }
  CHECK(both > 5 && neither > 1);
}

TEST(grammar_bundled_words) {
  for (size_t i = 0; i < sizeof bundled / sizeof *bundled; i++) {
    struct mem m;
    struct problem why;
    struct text word;
    struct spec spec = named(bundled[i]);
    text_open(&word, opened(&m));
    spec.values = values_new(&m);
    const char *text = grammar_bundled(&m, &spec);
    CHECK(text);
    struct grammar *g = grammar_parse(&m, &spec, bundled[i], text, strlen(text), &why);
    CHECKF(g, "%s\n%s", why.text, text);
    struct form *f = grammar_form(&m, g);
    bool missed = grammar_misses(&m, g, f, &spec, 7, 3000, &word);
    CHECKF(!missed, "%s: %s", bundled[i], text_string(&word));
    compare_words(&m, &spec, g, f, i < EXACT);
    round_trip(&m, &spec, g);
    mem_close(&m);
  }
  struct mem m;
  struct spec none = named("queue");
  CHECK(!grammar_bundled(opened(&m), &none));
  mem_close(&m);
}

/* With several processes: a random execution's operations, processes forgotten, are a word. */
static void walk_processes(const char *name, uint64_t seed) {
  struct mem m;
  struct problem why;
  struct spec spec = named(name);
  spec.values = values_new(opened(&m));
  const char *text = grammar_bundled(&m, &spec);
  struct grammar *g = grammar_parse(&m, &spec, name, text, strlen(text), &why);
  struct form *f = grammar_form(&m, g);
  struct outcomes now, next;
  uint64_t word[12];
  outcomes_open(&now, &m);
  spec.init(&spec, &now);
  for (size_t length = 0; length < 12;) {
    struct op o = {.method = (uint16_t)below(&seed, spec.op_count),
                   .process = below(&seed, 3),
                   .arg = {V_NONE, V_NONE, V_NONE},
                   .result = V_UNKNOWN};
    outcomes_open(&next, &m);
    spec.step(&spec, outcomes_state(&now, 0), &o, &next);
    if (!next.list.count) continue;
    o.result = next.list.at[0].result;
    word[length] = 0;
    for (size_t t = 0; t < g->terminals.count; t++)
      if (pattern_fits(&g->terminals.at[t], spec.values, o.method, o.arg, o.result))
        word[length] |= (uint64_t)1 << f->letter_of[t];
    length++;
    now = next;
    CHECK(form_accepts(&m, f, word, length));
  }
  mem_close(&m);
}

TEST(grammar_bundled_processes) {
  for (uint64_t i = 0; i < 300; i++) {
    walk_processes("lock", i);
    walk_processes("rw-lock", i + 1000);
  }
}

/* The monitor on a history; true if it sees a violation, which is confirmed. */
struct seen {
  uint64_t events; /* 0: no violation */
  struct grammar_figures figures;
};

static struct seen watch(const struct history *h, const struct spec *spec, const char *name, unsigned k, bool system) {
  struct mem m;
  struct problem why;
  struct seen seen = {0};
  struct monitor *monitor = monitor_of_grammar(opened(&m), spec, k, name, &why);
  CHECKF(monitor, "%s", why.text);
  if (system) monitor_grammar_by_system(monitor);
  uint32_t *events = history_events(h, &m);
  for (uint32_t e = 0; e < h->events && !monitor->violated; e++) {
    const struct op *o = &h->ops.at[events[e] >> 1];
    if (events[e] & 1)
      monitor_return(monitor, events[e] >> 1, o->result);
    else
      monitor_call(monitor, events[e] >> 1, o->method, o->arg);
  }
  if (monitor->violated) {
    struct violation v;
    seen.events = monitor->events;
    CHECKF(monitor_violation(&m, monitor, &v, &why), "%s: %s\n%s", spec->name, why.text, v.said);
    CHECK(v.history->ops.count <= h->ops.count && v.events == monitor->events);
  }
  monitor_grammar_figures(monitor, &seen.figures);
  mem_close(&m);
  return seen;
}

/* What the grammar does not tell: processes, values. The history without them. */
static void forget(struct history *h, const struct spec *spec) {
  for (size_t i = 0; i < h->ops.count; i++) {
    struct op *o = &h->ops.at[i];
    o->process = 0;
    for (int a = 0; a < OP_ARGS; a++)
      if (o->arg[a] != V_NONE) o->arg[a] = value_of_small(1);
    if (spec->ops[o->method].result == RESULT_VALUE && (value_is_small(o->result) || o->result > V_UNKNOWN))
      o->result = value_of_small(1);
  }
}

struct comparison {
  long good, bad, found, exact, outside;
  uint64_t unknown, unproved, solved;
};

static void compare(struct comparison *c, const char *name, long i) {
  struct mem m;
  struct spec spec = named(name);
  uint64_t seed = (uint64_t)i * 2654435761u + 29;
  bool *precedes;
  struct random_options options = {.most_ops = i % 4 ? 7 : 9, .distinct = i % 2, .times = false};
  struct history *h = random_history(opened(&m), &spec, &seed, &options, &precedes);
  bool holds = brute_linearizable(h, &spec, NULL);
  if (i % 3) {
    forget(h, &spec);
    holds = brute_linearizable(h, &spec, NULL);
  }
  uint64_t before = 0;
  struct interval_order order;
  order_of(&m, h, &order);
  *(holds ? &c->good : &c->bad) += 1;
  for (unsigned k = 0; k <= 4; k++) {
    unsigned length = k < 4 || order.length < 4 ? k : order.length < APPROX_K_MOST ? order.length : APPROX_K_MOST;
    struct seen seen = watch(h, &spec, name, length, i % 10 == 0);
    if (seen.events && holds) history_dump(h, &spec);
    CHECKF(!seen.events || !holds, "%s: history %ld: a false alarm at k = %u", name, i, length);
    if (before && !seen.figures.unknown)
      CHECKF(seen.events && seen.events <= before, "%s: history %ld: k = %u sees less than a smaller one", name, i,
             length);
    before = seen.events;
    c->unknown += seen.figures.unknown;
    c->unproved += seen.figures.integer.unproved;
    c->solved += seen.figures.solved;
    if (k < 4) continue;
    c->outside += seen.figures.outside;
    c->found += seen.events != 0;
    if (!(i % 3) || seen.figures.outside || seen.figures.unknown || order.length > length) continue;
    c->exact++;
    if (!seen.events && !holds) history_dump(h, &spec);
    CHECKF(seen.events || holds, "%s: history %ld: a violation is missed at k = %u, length %u", name, i, length,
           order.length);
  }
  mem_close(&m);
}

static void compare_named(const char *name) {
  struct comparison c = {0};
  for (long i = 0; i < histories() / 10; i++) compare(&c, name, i);
  fprintf(stderr,
          "%s: %ld linearizable, %ld not, %ld of them found; %ld exact, %ld with operations outside; %llu solved, %llu "
          "unknown\n",
          name, c.good, c.bad, c.found, c.exact, c.outside, (unsigned long long)c.solved,
          (unsigned long long)c.unknown);
  CHECK(c.good > 0 && c.bad > 0 && c.found > 0 && c.exact > 0);
  CHECK(c.unknown * 500 <= c.solved && c.unproved == 0); /* limits are hit, but seldom */
}

#define X(id, name) \
  TEST(grammar_monitor_##id) { compare_named(name); }
BUNDLED
#undef X

/* Long executions: constant memory, no alarm; and what is wrong at the end is shown with few operations. */

struct driver {
  struct mem mem;
  struct spec spec;
  struct monitor *monitor;
};

static void drive(struct driver *d, const char *name, unsigned k) {
  struct problem why;
  d->spec = named(name);
  d->spec.values = values_new(opened(&d->mem));
  d->monitor = monitor_new(&d->mem, &d->spec, k, &why);
  CHECKF(d->monitor, "%s", why.text);
}

static bool operate(struct driver *d, const char *op, value arg, value result) {
  value args[OP_ARGS] = {arg, V_NONE, V_NONE};
  monitor_call(d->monitor, 0, (uint16_t)spec_op_find(&d->spec, op, strlen(op)), args);
  return monitor_return(d->monitor, 0, result);
}

static void expect_shown(struct driver *d, size_t most) {
  struct violation v;
  struct problem why;
  CHECK(d->monitor->violated);
  CHECKF(monitor_violation(&d->mem, d->monitor, &v, &why), "%s", why.text);
  CHECKF(v.history->ops.count <= most, "%zu operations: %s", (size_t)v.history->ops.count, v.said);
  fprintf(stderr, "%s\n", v.said);
  mem_close(&d->mem);
}

TEST(grammar_long) {
  struct driver d;
  drive(&d, "lock", 2);
  for (int i = 0; i < 100000; i++)
    CHECK(operate(&d, "acquire", V_NONE, V_NONE) && (i % 3 || operate(&d, "try", V_NONE, V_FALSE)) &&
          operate(&d, "release", V_NONE, V_NONE));
  size_t bytes = d.monitor->type->bytes(d.monitor);
  for (int i = 0; i < 100000; i++) CHECK(operate(&d, "try", V_NONE, V_TRUE) && operate(&d, "release", V_NONE, V_NONE));
  CHECK(d.monitor->type->bytes(d.monitor) <= bytes + (4 << 20));
  CHECK(operate(&d, "acquire", V_NONE, V_NONE) && !operate(&d, "try", V_NONE, V_TRUE));
  expect_shown(&d, 4);

  drive(&d, "bounded-queue(3)", 2);
  for (int i = 0; i < 50000; i++)
    CHECK(operate(&d, "enq", value_of_small(i), V_NONE) && operate(&d, "deq", V_NONE, value_of_small(i)));
  for (int i = 0; i < 3; i++) CHECK(operate(&d, "enq", value_of_small(i), V_NONE));
  CHECK(operate(&d, "enq", value_of_small(3), V_FULL) && !operate(&d, "deq", V_NONE, V_EMPTY));
  expect_shown(&d, 8);

  drive(&d, "semaphore(1000)", 1); /* more than a thousand of them are needed to show it */
  for (int i = 0; i < 1000; i++) CHECK(operate(&d, "acquire", V_NONE, V_NONE));
  for (int i = 0; i < 5000; i++)
    CHECK(operate(&d, "release", V_NONE, V_NONE) && operate(&d, "acquire", value_of_small(1), V_NONE));
  CHECK(!operate(&d, "acquire", V_NONE, V_NONE));
  expect_shown(&d, 1003);
}

/* After an operation that the grammar does not describe nothing is said; a reset begins anew. */
TEST(grammar_outside) {
  struct driver d;
  struct grammar_figures f;
  drive(&d, "semaphore(1)", 2);
  CHECK(operate(&d, "acquire", V_NONE, V_NONE) && operate(&d, "release", value_of_small(2), V_NONE));
  for (int i = 0; i < 5; i++) CHECK(operate(&d, "acquire", V_NONE, V_NONE));
  monitor_grammar_figures(d.monitor, &f);
  CHECK(f.outside);
  CHECK(monitor_reset(d.monitor, d.spec.values));
  CHECK(operate(&d, "acquire", V_NONE, V_NONE) && !operate(&d, "acquire", V_NONE, V_NONE));
  expect_shown(&d, 2);
}

/* A grammar of the user's that leaves out executions is refused, or blamed where only a longer one shows it. */
TEST(grammar_of_ones_own) {
  static const char strict[] = "S -> acquire (try => false)? release S | empty;\n",
                    once[] = "S -> (acquire release (acquire release)?)?;\n";
  struct mem m;
  struct problem why;
  struct spec spec = named("lock");
  char path[] = "/tmp/asif-grammar-XXXXXX";
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, strict, strlen(strict)) == (ssize_t)strlen(strict));
  close(fd);
  spec.values = values_new(opened(&m));
  CHECK(!monitor_of_grammar(&m, &spec, 2, path, &why));
  CHECKF(strstr(why.text, "allows the execution  try => true  which is no word"), "%s", why.text);
  unlink(path);
  CHECK(!monitor_of_grammar(&m, &spec, 2, "/nowhere/lock.grammar", &why) &&
        strstr(why.text, "/nowhere/lock.grammar: "));
  struct driver d = {.spec = spec, .monitor = monitor_of_grammar_text(&m, &spec, 2, "once", once, strlen(once), &why)};
  CHECKF(d.monitor, "%s", why.text);
  for (int i = 0; i < 3; i++) operate(&d, "acquire", V_NONE, V_NONE), operate(&d, "release", V_NONE, V_NONE);
  CHECK(!d.monitor->violated); /* the specification allows it, so nothing is said */
  operate(&d, "release", V_NONE, V_NONE);
  CHECK(d.monitor->violated);
  mem_close(&m);
}

/* The formula names every count of the history. */
TEST(grammar_formula) {
  struct mem m;
  struct problem why;
  struct text t;
  struct spec spec = named("lock");
  text_open(&t, opened(&m));
  const char *text = grammar_bundled(&m, &spec);
  struct grammar *g = grammar_parse(&m, &spec, "lock", text, strlen(text), &why);
  struct form *f = grammar_form(&m, g);
  parikh_print(parikh_new(&m, f, 1, &why), g, &spec, &t);
  CHECK(strstr(text_string(&t), "L0 is acquire or try => true\n") && strstr(text_string(&t), "= #(L2, 0, 1)\n"));
  CHECK(f->letters == 3 && f->idle == 1u << f->letter_of[3]);
  mem_close(&m);
}
