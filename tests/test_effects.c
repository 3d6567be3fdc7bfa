/* Specifications given by effects: those that are built in, written so, decide every random history alike; and mistakes
 * are told where they are. */
#include <string.h>

#include "brute.h"
#include "check/check.h"
#include "spec/effects.h"
#include "test.h"

static void read_effects(struct mem *m, const char *name, const struct effect_text *texts, size_t count,
                         struct effects *out) {
  struct effect_problem why;
  CHECKF(effects_read(m, name, texts, count, out, &why), "%s of %s: %zu: %s", texts[why.which].text,
         texts[why.which].head, why.offset, why.said);
}

static int ask(const struct history *h, const struct spec *spec) {
  struct mem m;
  struct limits limits;
  struct check_options options = {METHOD_AUTO, 1, true};
  struct check_result r;
  struct problem why;
  limits_start(&limits, 0, 0);
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) abort();
  bool done = check_history(&m, h, spec, &options, &limits, &r, &why);
  if (!done) history_dump(h, spec);
  CHECKF(done, "%s", why.text);
  int answer = (int)r.verdict;
  mem_close(&m);
  return answer;
}

/* Histories of the first operations of a built-in specification, whose effects are these. */
static void compare(const char *name, const struct effect_text *texts, size_t count) {
  volatile long good = 0, bad = 0;
  for (volatile long i = 0; i < 1500; i++) {
    uint64_t seed = (uint64_t)i * 2654435761u + 23;
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    struct spec built_in, own;
    struct problem why;
    struct effects effects;
    CHECK(spec_named(name, &built_in, &why));
    if (texts)
      read_effects(&m, "own", texts, count, &effects);
    else
      CHECK(effects_of(&m, &built_in, &effects));
    effects_spec(&m, &effects, &own);
    CHECK(own.op_count <= built_in.op_count);
    built_in.op_count = own.op_count; /* count of a multiset has no effect to write */
    bool *precedes;
    struct random_options options = {.most_ops = i % 4 ? 7 : 9, .distinct = i % 2, .times = i % 3 == 0};
    struct history *h = random_history(&m, &built_in, &seed, &options, &precedes);
    own.values = h->values;
    own.processes = h->processes;
    bool want = brute_linearizable(h, &built_in, precedes);
    *(want ? &good : &bad) += 1;
    if (brute_linearizable(h, &own, precedes) != want || ask(h, &own) != (want ? VERDICT_HOLDS : VERDICT_VIOLATED)) {
      history_dump(h, &own);
      CHECKF(false, "%s: history %ld: its effects decide otherwise", name, i);
    }
    mem_close(&m);
  }
  CHECKF(good > 30 && bad > 30, "%s: %ld %ld", name, good, bad);
}

TEST(effects_decide_as_what_is_built_in) {
  static const struct effect_text deque[] = {
      {"push_front(x)", "A => <x> . A"},        {"push_back(x)", "A => A . <x>"},
      {"pop_front", "<e> . A => A, returns e"}, {"pop_front", "<> => <>, returns empty"},
      {"pop_back", "A . <e> => A, returns e"},  {"pop_back", "<> => <>, returns empty"},
  };
  static const char *const names[] = {"stack", "queue", "set", "multiset"};
  for (size_t i = 0; i < 4; i++) compare(names[i], NULL, 0);
  compare("deque", deque, 6);
}

/* All outcomes of an operation, as text: "3 [4] ok; ...". */
static void outcomes_of(struct spec *spec, struct mem *m, const char *op, const value *arg, const value *state,
                        uint32_t count, struct text *t) {
  struct outcomes out;
  struct op o = {.method = (uint16_t)spec_op_find(spec, op, strlen(op)), .result = V_UNKNOWN};
  for (int i = 0; i < OP_ARGS; i++) o.arg[i] = arg ? arg[i] : V_NONE;
  outcomes_open(&out, m);
  text_open(t, m);
  spec->step(spec, (struct state){state, count * 4}, &o, &out);
  for (size_t i = 0; i < out.list.count; i++) {
    if (i) text_add(t, "; ");
    if (out.list.at[i].result == V_NONE)
      text_add(t, "ok");
    else
      value_print(spec->values, out.list.at[i].result, t);
    text_char(t, ' ');
    spec->print(spec, outcomes_state(&out, i), t);
  }
}

TEST(effects_outcomes) {
  static const struct effect_text bag[] = {{"put(v)", "A => {v} + A"},
                                           {"take", "{e} + A => A, returns e"},
                                           {"take", "{} => {}, returns empty"},
                                           {"swap(a, b)", "{a} + A => {b} + A, returns true"},
                                           {"swap(a, b)", "A, a not in A => A, returns false"},
                                           {"pair", "{e} + {e} + A => A, returns e"},
                                           {"only", "{e} => {e} + {e}, returns e"},
                                           {"seven", "{7} + A => A, returns 7"}};
  static const struct {
    const char *op;
    int arg[2], state[4], count;
    const char *outcomes;
  } cases[] = {{"put", {3, 0}, {1, 3}, 2, "ok {1 3 3}"},
               {"take", {0}, {1, 2, 2}, 3, "1 {2 2}; 2 {1 2}"},
               {"take", {0}, {0}, 0, "empty {}"},
               {"swap", {1, 5}, {1, 1, 2}, 3, "true {1 2 5}"},
               {"swap", {4, 5}, {1, 2}, 2, "false {1 2}"},
               {"pair", {0}, {1, 2, 2}, 3, "2 {1}"},
               {"pair", {0}, {1, 2}, 2, ""},
               {"only", {0}, {4}, 1, "4 {4 4}"},
               {"only", {0}, {4, 4}, 2, ""},
               {"seven", {0}, {6, 7}, 2, "7 {6}"},
               {"seven", {0}, {6}, 1, ""}};
  struct mem m;
  struct effects effects;
  struct spec spec;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  read_effects(&m, "bag-of-tricks", bag, 8, &effects);
  effects_spec(&m, &effects, &spec);
  spec.values = values_new(&m);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    value state[4], args[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
    for (int k = 0; k < cases[i].count; k++) state[k] = value_of_small(cases[i].state[k]);
    for (int k = 0; k < 2; k++)
      if (cases[i].arg[k]) args[k] = value_of_small(cases[i].arg[k]);
    struct text t;
    outcomes_of(&spec, &m, cases[i].op, args, state, (uint32_t)cases[i].count, &t);
    CHECKF(!strcmp(text_string(&t), cases[i].outcomes), "%s: %s", cases[i].op, text_string(&t));
  }
  mem_close(&m);
}

TEST(effects_mistakes) {
  static const struct {
    const char *head, *text, *said;
    size_t offset;
  } cases[] = {
      {"push(v)", "A => <w> . A", "w is not known here", 6},
      {"push(v)", "A", "'=>' is missing", 1},
      {"push(v)", "A =>", "contents are expected", 4},
      {"push(v)", "=> A", "contents are expected", 0},
      {"push(v)", "<v> . A => {v} + A", "sequence in another place", 11},
      {"push(v)", "A . A => A", "one rest", 4},
      {"push(v)", "<> => A", "but not before", 0},
      {"push(v)", "A => A, returns", "a result is expected", 15},
      {"push(v)", "A => A, returns B", "B is not known", 16},
      {"push(v)", "A => A . <v", "'>' is expected", 11},
      {"push(v)", "A => A . <v> A", "should end here", 13},
      {"push(v)", "A, A => A", "twice", 3},
      {"push(v)", "A => A, v not in A", "before =>", 8},
      {"push(v)", "{} , v not in A => {}", "no A", 0},
      {"push(v)", "A, v in A => A", "condition", 3},
      {"push(v)", "A => <99999999999> . A", "numbers of effects", 6},
      {"push(v)", "<a> . <b> . <c> . <d> . <e> . A => A", "more than 4", 24},
      {"push(v, v)", "A => A", "second argument", 8},
      {"push(A)", "A => A", "another name", 5},
      {"push(a, b, c, d)", "A => A", "at most 3", 14},
      {"push v", "A => A", "is written push(v)", 5},
      {"get", "<e> . A => A, returns e", "another effect of get has", 0},
      {"get(k)", "<e> . A => A, returns true", "another effect of get returns", 0},
  };
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct effects effects;
    struct effect_problem why;
    struct effect_text texts[] = {
        {"get(k)", cases[i].text[0] == '{' ? "{k} + A => A, returns k" : "<k> . A => A, returns k"},
        {cases[i].head, cases[i].text}};
    bool alone = !strcmp(cases[i].text, "<v> . A => {v} + A");
    bool good = effects_read(&m, "x", texts + alone, 2u - alone, &effects, &why);
    CHECKF(!good && strstr(why.said, cases[i].said) && why.offset == cases[i].offset, "%s, %s: at %zu: %s",
           cases[i].head, cases[i].text, good ? 0 : why.offset, good ? "it is read" : why.said);
  }
  mem_close(&m);
}
