/* Words of a grammar, by definition; and a specification's executions that are none. See grammar.h. */
#include <string.h>

#include "approx/grammar.h"

/* derives[rule][i][j], that the rule has the word's letters i..j-1, from all parts until nothing is added. */
struct table {
  const struct form *form;
  const uint64_t *word;
  size_t side; /* the word's length and one more */
  bool *derives;
};

static bool derives(const struct table *t, symbol s, size_t i, size_t j) {
  if (symbol_terminal(s)) return j == i + 1 && t->word[i] >> symbol_number(s) & 1;
  return t->derives[(symbol_number(s) * t->side + i) * t->side + j];
}

static bool production_derives(const struct table *t, const struct form_production *p, size_t i, size_t j) {
  if (p->right[0] == FORM_NONE) return i == j;
  if (p->right[1] == FORM_NONE) return derives(t, p->right[0], i, j);
  for (size_t m = i; m <= j; m++)
    if (derives(t, p->right[0], i, m) && derives(t, p->right[1], m, j)) return true;
  return false;
}

bool form_accepts(struct mem *m, const struct form *f, const uint64_t *word, size_t length) {
  struct table t = {f, word, length + 1, mem_zero(m, f->rules * (length + 1) * (length + 1), 1)};
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = length + 1; i-- > 0;)
      for (size_t j = i; j <= length; j++)
        for (size_t q = f->productions.count; q-- > 0;) {
          const struct form_production *p = &f->productions.at[q];
          bool *at = &t.derives[(p->rule * t.side + i) * t.side + j];
          if (*at || !production_derives(&t, p, i, j)) continue;
          *at = changed = true;
        }
  }
  bool good = t.derives[f->start * t.side * t.side + length];
  mem_free(m, t.derives);
  return good;
}

/* Executions, by one process: with processes forgotten the locks have no others. */

enum { LENGTH_MOST = 20, ARGUMENTS = 8 };

struct walk {
  struct mem *mem;
  const struct grammar *grammar;
  const struct form *form;
  const struct spec *spec;
  unsigned length;
  uint64_t tries;
  struct op done[LENGTH_MOST];
  uint64_t letters[LENGTH_MOST];
  value arguments[ARGUMENTS];
  int argument_count;
};

static uint64_t letters_of(const struct walk *w, const struct op *o) {
  uint64_t letters = 0;
  for (size_t t = 0; t < w->grammar->terminals.count; t++)
    if (pattern_fits(&w->grammar->terminals.at[t], w->spec->values, o->method, o->arg, o->result))
      letters |= (uint64_t)1 << w->form->letter_of[t];
  return letters;
}

static bool is_outside(const struct walk *w, const struct op *o) {
  for (size_t t = 0; t < w->grammar->outside.count; t++)
    if (pattern_fits(&w->grammar->outside.at[t], w->spec->values, o->method, o->arg, o->result)) return true;
  return false;
}

static bool walk(struct walk *, struct state, unsigned at);

/* One operation with these arguments in this state, with each result it may have. True: found what is no word. */
static bool walk_step(struct walk *w, struct state state, struct op op, unsigned at) {
  struct outcomes out;
  bool found = false;
  outcomes_open(&out, w->mem);
  w->spec->step(w->spec, state, &op, &out);
  for (size_t i = 0; i < out.list.count && !found && w->tries; i++) {
    op.result = out.list.at[i].result;
    w->done[at] = op;
    w->letters[at] = letters_of(w, &op);
    if (!w->letters[at] && is_outside(w, &op)) continue;
    found = walk(w, outcomes_state(&out, i), at + 1);
  }
  vec_free(w->mem, &out.bytes);
  vec_free(w->mem, &out.list);
  return found;
}

static bool walk_arguments(struct walk *w, struct state state, struct op op, int given, int most, unsigned at) {
  if (given == most) return walk_step(w, state, op, at);
  for (int i = 0; i < w->argument_count; i++) {
    op.arg[given] = w->arguments[i];
    if (walk_arguments(w, state, op, given + 1, most, at)) return true;
  }
  return false;
}

static bool walk(struct walk *w, struct state state, unsigned at) {
  if (at == w->length) {
    w->tries -= w->tries > 0;
    return !form_accepts(w->mem, w->form, w->letters, at);
  }
  for (unsigned m = 0; m < w->spec->op_count && w->tries; m++)
    for (int args = w->spec->ops[m].args; args <= w->spec->ops[m].args_most; args++) {
      struct op op = {.method = (uint16_t)m, .arg = {V_NONE, V_NONE, V_NONE}, .result = V_UNKNOWN};
      if (walk_arguments(w, state, op, 0, args, at)) return true;
    }
  return false;
}

static void add_argument(struct walk *w, int64_t n) {
  if (n < VALUE_SMALL_MIN || n > VALUE_SMALL_MAX || w->argument_count == ARGUMENTS) return;
  for (int i = 0; i < w->argument_count; i++)
    if (w->arguments[i] == value_of_small((int32_t)n)) return;
  w->arguments[w->argument_count++] = value_of_small((int32_t)n);
}

static void print_done(const struct walk *w, unsigned length, struct text *word) {
  for (unsigned i = 0; i < length; i++) {
    const struct op *o = &w->done[i];
    size_t len;
    const char *name = spec_op_name(w->spec, o->method, &len);
    text_printf(word, "%s%.*s", i ? " " : "", (int)len, name);
    for (int a = 0; a < OP_ARGS && o->arg[a] != V_NONE; a++) {
      text_add(word, a ? ", " : "(");
      value_print(w->spec->values, o->arg[a], word);
    }
    if (o->arg[0] != V_NONE) text_char(word, ')');
    if (o->result == V_NONE) continue;
    text_add(word, " => ");
    value_print(w->spec->values, o->result, word);
  }
}

bool grammar_misses(struct mem *m, const struct grammar *g, const struct form *f, const struct spec *spec,
                    unsigned length, uint64_t tries, struct text *word) {
  struct walk w = {.mem = m, .grammar = g, .form = f, .spec = spec, .tries = tries};
  for (int64_t n = 1; n <= 2; n++) add_argument(&w, n);
  for (size_t t = 0; t < g->terminals.count; t++)
    for (int a = 0; a < OP_ARGS; a++)
      if (g->terminals.at[t].arg[a].kind == PATTERN_NUMBER) add_argument(&w, g->terminals.at[t].arg[a].number);
  struct outcomes start;
  outcomes_open(&start, m);
  spec->init(spec, &start);
  bool found = false;
  for (w.length = 1; w.length <= length && w.length <= LENGTH_MOST && !found && w.tries; w.length++)
    for (size_t i = 0; i < start.list.count && !found; i++) found = walk(&w, outcomes_state(&start, i), 0);
  if (found) print_done(&w, w.length - 1, word);
  vec_free(m, &start.bytes);
  vec_free(m, &start.list);
  return found;
}
