/* Formulas: reading and printing them; runs of systems written by hand; random formulas on random systems, against the
 * meaning of the formula on ultimately periodic words: on systems of one run both ways; on others every short run, and
 * the run found. */
#include <string.h>

#include "random_system.h"
#include "test.h"
#include "toys.h"
#include "verify/live.h"
#include "verify/ltl.h"

static struct mem memory;
static struct limits limits;

static void open_memory(void) {
  limits_start(&limits, 0, 0);
  mem_open(&memory, NULL);
}

/* Is the formula false of the run, by its meaning alone? */
static bool is_confirmed(struct system *s, const char *formula, enum fairness f, const struct liveness_result *r) {
  struct live_asked asked = {.formula = formula, .fairness = f};
  struct problem why;
  return live_confirm(&memory, s, &asked, &toy_names, r->stem, r->stem_count + r->loop_count, r->loop_count, NULL,
                      &why);
}

static struct liveness_result check(struct system *s, const char *formula, enum fairness f) {
  struct liveness_result r;
  struct problem why = {.text = ""};
  CHECKF(ltl_check(&memory, s, formula, f, &toy_names, &limits, &r, &why), "%s: %s", formula, why.text);
  CHECKF(r.verdict != VERDICT_VIOLATED || r.fault != FAULT_NONE || is_confirmed(s, formula, f, &r), "%s", formula);
  return r;
}

/* Reading and printing. */

static const char *wrong_with(const char *formula) {
  static struct problem why;
  struct ltl l;
  why.text[0] = 0;
  CHECKF(!ltl_parse(&memory, formula, 2, &toy_names, &l, &why), "%s was read", formula);
  return why.text;
}

TEST(ltl_wrong_formulas) {
  static const char *const cases[][2] = {
      {"", "formula:1:1: the formula ends where a proposition should come: call(OP), return(OP), true or false"},
      {"[] ", "formula:1:4: the formula ends where a proposition should come: call(OP), return(OP), true or false"},
      {"read_inv", "formula:1:1: 'read_inv' is no proposition: write call(OP), return(OP), true or false"},
      {"call(third)", "formula:1:6: no operation is called 'third': the operations are first, second, and _ is any"},
      {"call()", "formula:1:6: the name of an operation is missing: first, second, or _ for any"},
      {"call", "formula:1:5: '(' and the name of an operation are missing: call(OP)"},
      {"true &&\n return(second, many)",
       "formula:2:17: 'many' is no value: write a number, a word such as empty or true, or _ for any"},
      {"return(second, )", "formula:1:16: a value is missing: a number, a word such as empty or true, or _ for any"},
      {"return(second, 1, 2)", "formula:1:19: an operation returns one value: return(OP, VALUE)"},
      {"call(first, 1, 2, 3, 4, 5, 6, 7, 8, 9)", "has more than"},
      {"call(first)@C", "formula:1:13: after @ comes a thread, A to B"},
      {"call(first)@", "formula:1:13: after @ comes a thread, A to B"},
      {"call(first", "formula:1:11: ')' is missing for the '(' of call"},
      {"(true &&\n (true || false", "formula:2:16: ')' is missing here for the '(' at 2:2, or an operator such as &&"},
      {"true)", "formula:1:5: ')' without a '(' before it"},
      {"true & false", "formula:1:6: '&' is no operator: write &&"},
      {"true => false", "formula:1:6: '=>' is no operator: write ->"},
      {"true until false", "formula:1:6: 'until' is no operator: write U"},
      {"true false", "formula:1:6: the formula should end here, or go on with an operator: && || -> <-> U W R"},
      {"U true", "formula:1:1: 'U' has nothing on its left"},
      {"true && || true", "formula:1:9: '||' has nothing on its left"},
      {"true && #",
       "formula:1:9: '#' cannot come here: write call(OP), return(OP), true, false, '(' or one of ! [] <> X"},
  };
  open_memory();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *why = wrong_with(cases[i][0]);
    CHECKF(strstr(why, cases[i][1]), "%s\n  %s\n  %s", cases[i][0], why, cases[i][1]);
  }
  char deep[1000];
  memset(deep, '!', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  CHECK(strstr(wrong_with(deep), "nested too deeply: at most 200"));
  memset(deep, '(', sizeof deep - 1);
  CHECK(strstr(wrong_with(deep), "nested too deeply: at most 200"));
  mem_close(&memory);
}

TEST(ltl_formulas_too_large) {
  struct text t;
  open_memory();
  text_open(&t, &memory);
  text_add(&t, "true");
  for (int i = 0; i < 6000; i++) text_add(&t, " && true");
  CHECK(strstr(wrong_with(text_string(&t)), "too long: at most 5000"));
  struct toy toy;
  toy_make(&toy, toy_mutex, 2, 0);
  text_clear(&t);
  text_add(&t, "call(first)");
  for (int i = 0; i < 70; i++) text_printf(&t, i ? "X " : " && ");
  text_add(&t, "call(second)");
  struct liveness_result r;
  struct problem why;
  CHECK(!ltl_check(&memory, &toy.system, text_string(&t), FAIR_NONE, &toy_names, &limits, &r, &why));
  CHECKF(strstr(why.text, "too large: at most 64"), "%s", why.text);
  mem_close(&memory);
}

static void expect_print(const char *formula, const char *expected) {
  struct ltl l;
  struct problem why;
  struct text t;
  CHECKF(ltl_parse(&memory, formula, 2, &toy_names, &l, &why), "%s", why.text);
  text_open(&t, &memory);
  ltl_print(&l, l.root, &t);
  CHECKF(!strcmp(text_string(&t), expected), "%s\n  %s\n  %s", formula, text_string(&t), expected);
}

TEST(ltl_precedence) {
  open_memory();
  expect_print("[](call(first)->(<>return(first)))", "[] (call(first) -> <> return(first))");
  expect_print("G call( _ )  @ B -> F return(second,empty)", "[] call(_)@B -> <> return(second, empty)");
  expect_print("(true U false) U (call(first,1) U call(first, 1))", "(true U false) U call(first, 1) U call(first, 1)");
  expect_print("((true -> false) -> (true -> true))", "(true -> false) -> true -> true");
  expect_print("(true && (false || true)) || (false && true)", "true && (false || true) || false && true");
  expect_print("true && (true && true) && true", "true && (true && true) && true");
  expect_print("!(true U false) W !true R X GF false", "!(true U false) W !true R X [] <> false");
  expect_print("(true <-> false) <-> true -> true", "true <-> false <-> true -> true");
  expect_print("true <-> (false <-> true)", "true <-> (false <-> true)");
  mem_close(&memory);
}

/* Random formulas, and what they mean. */

static const struct {
  const char *text;
  enum event_kind kind;
  int operation, thread, value; /* -1: any */
} propositions[] = {{"call(first)", EVENT_CALL, 0, -1, -1},        {"call(_)@A", EVENT_CALL, -1, 0, -1},
                    {"call(first, 2)", EVENT_CALL, 0, -1, 2},      {"return(_)", EVENT_RETURN, -1, -1, -1},
                    {"return(second, 1)", EVENT_RETURN, 1, -1, 1}, {"return(first)@B", EVENT_RETURN, 0, 1, -1},
                    {"return(_, 0)@A", EVENT_RETURN, -1, 0, 0},    {"call(second)@B", EVENT_CALL, 1, 1, -1}};
enum { PROPOSITIONS = sizeof propositions / sizeof *propositions };

static bool true_of(unsigned proposition, const struct event *e) {
  int operation = e->call == 2, given = e->kind == EVENT_CALL ? e->call + 1 : value_small(e->result);
  return propositions[proposition].kind == e->kind &&
         (propositions[proposition].operation < 0 || propositions[proposition].operation == operation) &&
         (propositions[proposition].thread < 0 || propositions[proposition].thread == e->thread) &&
         (propositions[proposition].value < 0 || propositions[proposition].value == given);
}

static void random_formula(struct ltl *l, uint64_t *seed, unsigned size) {
  memset(l, 0, sizeof *l);
  for (unsigned i = 0; i < PROPOSITIONS; i++) l->propositions[i].text = propositions[i].text;
  l->proposition_count = PROPOSITIONS;
  unsigned some = random_below(seed, PROPOSITIONS);
  for (unsigned i = 0; i < size; i++) {
    struct ltl_node n = {LTL_PROPOSITION, (some + random_below(seed, 3)) % PROPOSITIONS, 0};
    bool leaf = i < 2 || !random_below(seed, 4);
    if (leaf && !random_below(seed, 12)) n = (struct ltl_node){random_below(seed, 2) ? LTL_TRUE : LTL_FALSE, 0, 0};
    if (!leaf) { /* the later part is the last one made, so that nothing is lost */
      n = (struct ltl_node){(enum ltl_kind)(LTL_NOT + random_below(seed, LTL_IFF - LTL_NOT + 1)), i - 1,
                            random_below(seed, i)};
      if (n.kind > LTL_FINALLY && random_below(seed, 2)) n = (struct ltl_node){n.kind, n.right, n.left};
    }
    vec_push(&memory, &l->nodes, n);
  }
  if (l->nodes.at[size - 1].kind == LTL_PROPOSITION)
    vec_push(&memory, &l->nodes, ((struct ltl_node){LTL_ALWAYS, size - 1, 0}));
  l->root = (uint32_t)l->nodes.count - 1;
}

/* [] <> p, <> [] p, [] (p -> <> q): where fairness matters. */
static void recurring_formula(struct ltl *l, uint64_t *seed) {
  static const enum ltl_kind shapes[][4] = {{LTL_TRUE, LTL_TRUE, LTL_FINALLY, LTL_ALWAYS},
                                            {LTL_TRUE, LTL_TRUE, LTL_ALWAYS, LTL_FINALLY},
                                            {LTL_PROPOSITION, LTL_FINALLY, LTL_IMPLIES, LTL_ALWAYS},
                                            {LTL_NOT, LTL_NEXT, LTL_WEAK, LTL_ALWAYS}};
  const enum ltl_kind *shape = shapes[random_below(seed, 4)];
  random_formula(l, seed, 1);
  l->nodes.at[0].left = random_below(seed, PROPOSITIONS);
  l->nodes.count = 1;
  for (uint32_t i = 0; i < 4; i++) {
    struct ltl_node n = {shape[i], i == 2 && shape[0] == LTL_TRUE ? 0 : i, i - (i > 0)};
    if (n.kind == LTL_PROPOSITION) n.left = random_below(seed, PROPOSITIONS);
    if (n.kind == LTL_IMPLIES) n = (struct ltl_node){n.kind, 0, 2};
    vec_push(&memory, &l->nodes, n);
  }
  l->root = 4;
}

/* A word: letters, the last of which is followed by letters[back]. */
enum { LETTERS_MOST = 400, NODES_MOST = 40 };
struct word {
  struct event letters[LETTERS_MOST];
  size_t count, back;
};

static bool binary_value(enum ltl_kind kind, bool a, bool b) {
  switch (kind) {
  case LTL_AND: return a && b;
  case LTL_OR: return a || b;
  case LTL_IMPLIES: return !a || b;
  default: return a == b;
  }
}

/* What a node is at a letter, given its parts and what it is at the next letter. */
static bool value_at(const struct ltl_node *n, const struct word *w, size_t i, const bool *a, const bool *b,
                     bool next) {
  size_t after = i + 1 < w->count ? i + 1 : w->back;
  switch (n->kind) {
  case LTL_FALSE: return false;
  case LTL_TRUE: return true;
  case LTL_PROPOSITION: return w->letters[i].kind != EVENT_NONE && true_of(n->left, &w->letters[i]);
  case LTL_NOT: return !a[i];
  case LTL_NEXT: return a[after];
  case LTL_ALWAYS: return a[i] && next;
  case LTL_FINALLY: return a[i] || next;
  case LTL_UNTIL:
  case LTL_WEAK: return b[i] || (a[i] && next);
  case LTL_RELEASE: return b[i] && (a[i] || next);
  default: return binary_value(n->kind, a[i], b[i]);
  }
}

static bool means(const struct ltl *l, const struct word *w) {
  static bool is[NODES_MOST][LETTERS_MOST];
  CHECK(l->nodes.count <= NODES_MOST && w->count <= LETTERS_MOST && w->back < w->count);
  for (size_t k = 0; k < l->nodes.count; k++) {
    const struct ltl_node *n = &l->nodes.at[k];
    bool next = n->kind == LTL_ALWAYS || n->kind == LTL_WEAK || n->kind == LTL_RELEASE; /* greatest fixed points */
    for (int round = 0; round < 2; round++) { /* the second begins with what the loop's first letter is */
      for (size_t i = w->count; i-- > 0;) {
        next = is[k][i] = value_at(n, w, i, is[n->left % NODES_MOST], is[n->right % NODES_MOST], next);
      }
      next = is[k][w->back];
    }
  }
  return is[l->root][0];
}

static void add_letters(struct word *w, const struct random_edge *e) {
  CHECK(w->count + EVENTS_MOST < LETTERS_MOST);
  if (!e || !e->event_count) w->letters[w->count++] = (struct event){.kind = EVENT_NONE};
  for (unsigned i = 0; e && i < e->event_count; i++) w->letters[w->count++] = e->events[i];
}

/* The word of the edges of a stem and a loop; without a loop it ends in empty letters. */
static void make_word(struct word *w, const struct random_edge *const *edges, size_t stem, size_t loop) {
  w->count = 0;
  for (size_t i = 0; i < stem; i++) add_letters(w, edges[i]);
  w->back = w->count;
  for (size_t i = 0; i < loop; i++) add_letters(w, edges[stem + i]);
  if (!loop) add_letters(w, NULL);
}

static bool same(const struct ltl *a, uint32_t i, const struct ltl *b, uint32_t j) {
  const struct ltl_node *x = &a->nodes.at[i], *y = &b->nodes.at[j];
  if (x->kind != y->kind) return false;
  if (x->kind == LTL_PROPOSITION) return !strcmp(a->propositions[x->left].text, b->propositions[y->left].text);
  if (x->kind >= LTL_NOT && !same(a, x->left, b, y->left)) return false;
  return x->kind <= LTL_FINALLY || same(a, x->right, b, y->right);
}

/* The formula as text; reading it gives the formula again. */
static const char *print(const struct ltl *l) {
  struct text *t = mem_piece(&memory, sizeof *t);
  struct problem why;
  struct ltl again;
  text_open(t, &memory);
  ltl_print(l, l->root, t);
  CHECKF(ltl_parse(&memory, text_string(t), 2, &toy_names, &again, &why), "%s: %s", text_string(t), why.text);
  CHECKF(same(l, l->root, &again, again.root), "%s", text_string(t));
  return text_string(t);
}

/* A run that is said to violate a formula does. */
static void confirm(struct random_system *s, const struct ltl *l, const char *text, enum fairness f,
                    const struct liveness_result *r) {
  static uint8_t states[RUN_MOST];
  static const struct random_edge *edges[RUN_MOST];
  static struct word w;
  run_replay(&s->system, r, states, edges);
  make_word(&w, edges, r->stem_count, r->loop_count);
  CHECKF(!means(l, &w), "%s: the run found is none against it", text);
  CHECKF(run_fair(s, states + r->stem_count, r->loop, r->loop_count, f), "%s: an unfair run", text);
  CHECKF(!run_held(s, states + r->stem_count, r->loop_count), "%s: a run that is none", text);
  for (unsigned t = 0; t < s->system.threads && !r->loop_count; t++) CHECK(!s->moves[states[r->stem_count]][t].count);
}

TEST(ltl_on_single_runs) {
  uint64_t seed = 3;
  unsigned tally[2] = {0};
  for (unsigned i = 0; i < (getenv("ASIF_LONG") ? 1000000u : 40000u); i++) {
    struct random_system s;
    struct ltl l;
    struct liveness_result run;
    open_memory();
    random_line_make(&s, &seed, 1 + random_below(&seed, RANDOM_STATES));
    random_formula(&l, &seed, 2 + random_below(&seed, 10));
    const char *text = print(&l);
    CHECK((run = check(&s.system, "false", FAIR_NONE)).verdict == VERDICT_VIOLATED);
    static const struct random_edge *edges[RUN_MOST];
    static struct word w;
    run_replay(&s.system, &run, NULL, edges);
    make_word(&w, edges, run.stem_count, run.loop_count);
    bool holds = means(&l, &w);
    struct liveness_result r = check(&s.system, text, (enum fairness)(i % 3));
    CHECKF(r.verdict == (holds ? VERDICT_HOLDS : VERDICT_VIOLATED), "system %u: %s should %shold", i, text,
           holds ? "" : "not ");
    CHECKF(is_confirmed(&s.system, text, FAIR_NONE, &run) == !holds, "system %u: %s", i, text);
    tally[holds]++;
    mem_close(&memory);
  }
  printf("%u hold, %u do not\n", tally[1], tally[0]);
  CHECK(tally[0] > 5000 && tally[1] > 5000);
}

/* All runs of a random system with stem and loop of at most PATH_MOST moves together, and some longer ones. */
enum { PATH_MOST = 6, WALK_MOST = 40, WALKS = 20, LASSOS = 1000 };

struct search {
  const struct random_system *system;
  const struct ltl *ltl;
  uint8_t states[WALK_MOST + 1];
  const struct random_edge *edges[WALK_MOST];
  struct path_move moves[WALK_MOST];
  bool against[3]; /* by fairness: a run was found against the formula */
  struct word word;
  unsigned left; /* lassos still to look at */
};

static void look_at(struct search *h, size_t stem, size_t count) {
  bool fair[3], news = false;
  if (run_held(h->system, h->states + stem, count - stem)) return;
  for (int f = 0; f < 3; f++) {
    fair[f] = run_fair(h->system, h->states + stem, h->moves + stem, count - stem, (enum fairness)f);
    if (fair[f] && !h->against[f]) news = true;
  }
  if (!news) return;
  make_word(&h->word, h->edges, stem, count - stem);
  if (means(h->ltl, &h->word)) return;
  for (int f = 0; f < 3; f++) h->against[f] |= fair[f];
}

/* Looks at the path as far as it goes; false if its last state has no moves. */
static bool look_back(struct search *h, size_t count, bool all) {
  bool can = false;
  for (unsigned t = 0; t < h->system->system.threads; t++) can |= h->system->moves[h->states[count]][t].count > 0;
  if (!can) look_at(h, count, count);
  for (size_t i = 0; i < count && all; i++)
    if (h->states[i] == h->states[count]) look_at(h, i, count);
  return can;
}

static void step(struct search *h, size_t at, unsigned thread, unsigned k) {
  h->edges[at] = &h->system->moves[h->states[at]][thread].edges[k];
  h->moves[at].thread = (uint8_t)thread;
  h->states[at + 1] = h->edges[at]->to;
}

static void search_all(struct search *h, size_t count) {
  if (!h->left || !--h->left || !look_back(h, count, true) || count == PATH_MOST) return;
  unsigned state = h->states[count];
  for (unsigned t = 0; t < h->system->system.threads; t++)
    for (unsigned k = 0; k < h->system->moves[state][t].count; k++) {
      step(h, count, t, k);
      search_all(h, count + 1);
    }
}

static void search_walks(struct search *h, uint64_t *seed) {
  for (int i = 0; i < WALKS; i++)
    for (size_t n = 0; n < WALK_MOST; n++) {
      if (!look_back(h, n, n % 8 == 7)) break;
      unsigned t, state = h->states[n];
      do t = random_below(seed, h->system->system.threads);
      while (!h->system->moves[state][t].count);
      step(h, n, t, random_below(seed, h->system->moves[state][t].count));
    }
}

/* The verdicts of a formula by fairness, each with what it rests on. */
static void decide(struct random_system *s, const struct ltl *l, enum verdict verdicts[3]) {
  const char *text = print(l);
  struct text not ;
  text_open(&not, &memory);
  text_printf(&not, "!(%s)", text);
  for (int f = 0; f < 3; f++) {
    struct liveness_result r = check(&s->system, text, (enum fairness)f);
    verdicts[f] = r.verdict;
    if (r.verdict == VERDICT_VIOLATED)
      confirm(s, l, text, (enum fairness)f, &r);
    else
      CHECKF(check(&s->system, text_string(&not ), (enum fairness)f).verdict == VERDICT_VIOLATED ||
                 random_conditions(s),
             "%s and its negation hold", text);
  }
  CHECK(verdicts[0] == VERDICT_VIOLATED || verdicts[1] == VERDICT_HOLDS);
  CHECK(verdicts[1] == VERDICT_VIOLATED || verdicts[2] == VERDICT_HOLDS);
}

/* Where a formula is said to hold, no run is against it. */
static void look_for_more(const struct random_system *s, const struct ltl *l, uint64_t *seed,
                          const enum verdict verdicts[3]) {
  static struct search h;
  h = (struct search){.system = s, .ltl = l, .left = LASSOS};
  for (int f = 0; f < 3; f++) h.against[f] = verdicts[f] == VERDICT_VIOLATED;
  search_all(&h, 0);
  search_walks(&h, seed);
  for (int f = 0; f < 3; f++)
    CHECKF(verdicts[f] == VERDICT_VIOLATED || !h.against[f], "%s should not hold, fairness %d", print(l), f);
}

TEST(ltl_on_random_systems) {
  uint64_t seed = 11;
  unsigned violated[3] = {0}, count = getenv("ASIF_LONG") ? 500000 : 8000, kind;
  for (unsigned i = 0; i < count; i++) {
    struct random_system s;
    struct ltl l;
    enum verdict verdicts[3];
    open_memory();
    kind = random_below(&seed, 3);
    random_system_make(&s, &seed, 2 + random_below(&seed, kind ? RANDOM_STATES - 1 : 3), 2 + i % 2);
    if (kind)
      random_formula(&l, &seed, 3 + random_below(&seed, 8));
    else
      recurring_formula(&l, &seed);
    decide(&s, &l, verdicts);
    for (int f = 0; f < 3; f++) violated[f] += verdicts[f] == VERDICT_VIOLATED;
    if (verdicts[0] != verdicts[2] || (verdicts[2] == VERDICT_HOLDS && i % 10 == 0))
      look_for_more(&s, &l, &seed, verdicts);
    mem_close(&memory);
  }
  printf("of %u do not hold, by fairness: %u %u %u\n", count, violated[0], violated[1], violated[2]);
  CHECK(violated[2] > 2000 && violated[0] < count - 2000 && violated[0] - violated[1] > 80 &&
        violated[1] - violated[2] > 4);
}

/* Systems written by hand. */

static void expect(toy_step *step_of, unsigned operations, const char *formula, const char *holds) {
  struct toy toy;
  toy_make(&toy, step_of, 2, operations);
  open_memory();
  for (int f = 0; f < 3; f++) {
    struct liveness_result r = check(&toy.system, formula, (enum fairness)f);
    CHECKF(r.verdict == (strchr(holds, "nws"[f]) ? VERDICT_HOLDS : VERDICT_VIOLATED), "%s, fairness %d: %s", formula, f,
           r.reason);
    if (r.verdict == VERDICT_VIOLATED) run_replay(&toy.system, &r, NULL, NULL);
  }
  mem_close(&memory);
}

TEST(ltl_of_objects) {
  expect(toy_register, 0, "[] (call(second) -> <> return(second))", "ws");
  expect(toy_register, 0, "[] (call(second)@B -> <> return(second)@B)", "ws");
  expect(toy_register, 0, "[] <> return(second)", "ws");
  expect(toy_register, 0, "<> return(second, 3)", "");
  expect(toy_register, 0, "[] !return(second, 3)", "nws");
  expect(toy_spin_lock, 0, "[] (call(first)@A -> <> return(first)@A)", "");
  expect(toy_mutex, 0, "[] (call(first)@A -> <> return(first)@A)", "s");
  expect(toy_ticket_lock, 0, "[] (call(first)@A -> <> return(first)@A)", "ws");
  expect(toy_spin_lock, 0, "[] <> return(_)", "ws");
  expect(toy_cas_counter, 0, "[] (call(_) -> <> return(_))", "nws");
  expect(toy_cas_counter, 0, "[] (call(_)@B -> <> return(_)@B)", "");
  expect(toy_cas_counter, 3, "<> [] !call(_)", "nws");
  expect(toy_cas_counter, 3, "[] (call(_)@B -> <> return(_)@B)", "nws");
  expect(toy_two_locks, 0, "[] <> return(_)", "");
  expect(toy_two_locks, 0, "[] (call(_)@A -> X !call(_)@A W return(_)@A)", "nws");
  expect(toy_stack, 1, "return(second, empty) R !return(second, 1) || call(first)", "");
  expect(toy_reader, 0, "[] (call(first)@A -> X return(first)@A)", "nws"); /* two letters of one move */
  expect(toy_reader, 0, "[] (call(second)@A -> X return(second)@A)", "");
}

TEST(ltl_reasons_and_notes) {
  struct toy toy;
  open_memory();
  toy_make(&toy, toy_two_locks, 2, 0);
  struct liveness_result r = check(&toy.system, "[] <> return(first) || call(second)@A && return(_, 7)", FAIR_STRONG);
  CHECKF(!strcmp(r.note, "never true in any run: call(second)@A, return(_, 7)"), "%s", r.note);
  CHECKF(!strcmp(r.reason, "the formula is false of a run that ends where no thread can move: "
                           "thread A is in first(1), thread B is in first(1) for ever"),
         "%s", r.reason);
  CHECK(r.stuck == 0 && r.waits && !r.loop_count && r.automaton && r.product);
  toy_make(&toy, toy_cas_counter, 2, 0);
  r = check(&toy.system, "[] (call(first)@B -> <> return(first)@B)", FAIR_WEAK);
  CHECKF(!strcmp(r.reason,
                 "the formula is false of a run that repeats its loop for ever: thread B is in first(1) for ever"),
         "%s", r.reason);
  CHECK(r.stuck == 1 && !r.waits && !r.note[0]);
  toy_make(&toy, toy_cas_counter, 2, 1);
  r = check(&toy.system, "[] <> call(_)", FAIR_WEAK);
  CHECKF(!strcmp(r.reason, "the formula is false of a run that ends where all threads have stopped"), "%s", r.reason);
  CHECK(r.stuck == -1);
  toy_make(&toy, toy_endless, 2, 0);
  limits_start(&limits, 0, 4 << 20);
  r = check(&toy.system, "[] <> call(_)", FAIR_NONE);
  CHECK(r.verdict == VERDICT_UNKNOWN && r.limit == LIMIT_MEMORY && r.states > 1000);
  mem_close(&memory);
}
