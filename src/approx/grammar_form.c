/* The normal form of a grammar: see grammar.h.
 *
 * Executions are prefix closed: what has happened so far is an execution. So for each rule A there is one, A', whose
 * words are the prefixes of A's: for A -> X Y these are those of X, and words of X before those of Y. Where A's words
 * have all their prefixes already, as in a grammar that is an automaton all of whose states may be the last, A' is A.
 */
#include "approx/grammar.h"

#include <string.h>

struct former {
  struct mem *mem;
  const struct grammar *grammar;
  struct form *form;
  VEC(struct form_production) plain; /* two symbols at most, before prefixes */
  uint32_t plain_rules;
  bool *closed;       /* a rule each: its words have all their prefixes */
  VEC(symbol) suffix; /* of each rule made for the end of a production: the production's symbols from here */
};

static symbol none(void) { return FORM_NONE; }

/* Letters: terminals that may take each other's place. */

/* Does the production with `a` written for `b` (once) exist too? */
static bool has_twin(const struct grammar *g, const struct production *q, symbol a, symbol b) {
  for (size_t i = 0; i < g->productions.count; i++) {
    const struct production *o = &g->productions.at[i];
    bool same = o->rule == q->rule && o->count == q->count;
    for (uint32_t j = 0; j < q->count && same; j++) {
      symbol s = g->symbols.at[q->first + j];
      same = g->symbols.at[o->first + j] == (s == a ? b : s);
    }
    if (same) return true;
  }
  return false;
}

/* Wherever a stands b may stand, and the other way: each of their productions has one of them, once, and a twin. */
static bool interchangeable(const struct grammar *g, symbol a, symbol b) {
  for (size_t i = 0; i < g->productions.count; i++) {
    const struct production *q = &g->productions.at[i];
    unsigned as = 0, bs = 0;
    for (uint32_t j = 0; j < q->count; j++) {
      as += g->symbols.at[q->first + j] == a;
      bs += g->symbols.at[q->first + j] == b;
    }
    if (as + bs > 1 || (as && !has_twin(g, q, a, b)) || (bs && !has_twin(g, q, b, a))) return false;
  }
  return true;
}

static void find_letters(struct former *f) {
  const struct grammar *g = f->grammar;
  for (uint8_t t = 0; t < g->terminals.count; t++) {
    uint8_t as = 0;
    while (as < f->form->letters && !interchangeable(g, SYMBOL_TERMINAL(f->form->terminal_of[as]), SYMBOL_TERMINAL(t)))
      as++;
    if (as == f->form->letters) f->form->terminal_of[f->form->letters++] = t;
    f->form->letter_of[t] = as;
  }
}

/* Idle: each production with the letter is A -> a A or A -> A a, so that it can be there once more, or not at all. */
static bool idle(const struct grammar *g, symbol a) {
  for (size_t i = 0; i < g->productions.count; i++) {
    const struct production *q = &g->productions.at[i];
    const symbol *s = g->symbols.at + q->first;
    bool has = false;
    for (uint32_t j = 0; j < q->count; j++) has |= s[j] == a;
    if (has && !(q->count == 2 &&
                 ((s[0] == a && s[1] == SYMBOL_RULE(q->rule)) || (s[1] == a && s[0] == SYMBOL_RULE(q->rule)))))
      return false;
  }
  return true;
}

static void find_idle(struct former *f) {
  for (uint32_t l = 0; l < f->form->letters; l++) {
    bool all = true;
    for (uint8_t t = 0; t < f->grammar->terminals.count; t++)
      if (f->form->letter_of[t] == l) all &= idle(f->grammar, SYMBOL_TERMINAL(t));
    if (all) f->form->idle |= (uint64_t)1 << l;
  }
}

/* Two symbols at most. */

static symbol lettered(const struct former *f, symbol s) {
  return symbol_terminal(s) ? SYMBOL_TERMINAL(f->form->letter_of[symbol_number(s)]) : s;
}

static void add_plain(struct former *f, uint32_t rule, symbol x, symbol y) {
  for (size_t i = 0; i < f->plain.count; i++)
    if (f->plain.at[i].rule == rule && f->plain.at[i].right[0] == x && f->plain.at[i].right[1] == y) return;
  vec_push(f->mem, &f->plain, ((struct form_production){rule, {x, y}}));
}

/* The symbols from `first` on as one symbol: a rule for them, or the one there is. */
static symbol rest_of(struct former *f, uint32_t first, uint32_t count) {
  const struct grammar *g = f->grammar;
  if (count == 1) return lettered(f, g->symbols.at[first]);
  uint32_t base = (uint32_t)g->rules.count;
  for (size_t i = 0; i < f->suffix.count; i += 2) {
    uint32_t j = 0;
    if (f->suffix.at[i + 1] != count) continue;
    while (j < count && lettered(f, g->symbols.at[f->suffix.at[i] + j]) == lettered(f, g->symbols.at[first + j])) j++;
    if (j == count) return SYMBOL_RULE(base + i / 2);
  }
  uint32_t rule = f->plain_rules++;
  vec_push(f->mem, &f->suffix, first);
  vec_push(f->mem, &f->suffix, count);
  symbol rest = rest_of(f, first + 1, count - 1);
  add_plain(f, rule, lettered(f, g->symbols.at[first]), rest);
  return SYMBOL_RULE(rule);
}

static void make_plain(struct former *f) {
  const struct grammar *g = f->grammar;
  f->plain_rules = (uint32_t)g->rules.count;
  for (size_t i = 0; i < g->productions.count; i++) {
    const struct production *q = &g->productions.at[i];
    symbol x = q->count ? lettered(f, g->symbols.at[q->first]) : none();
    symbol y = q->count > 1 ? rest_of(f, q->first + 1, q->count - 1) : none();
    if (!(q->count == 1 && x == SYMBOL_RULE(q->rule))) add_plain(f, q->rule, x, y);
  }
}

/* Prefixes. */

/* The largest set of rules that have the empty word and whose productions are a letter, or nothing, before one of them,
 * or nothing. */
static void find_closed(struct former *f) {
  f->closed = mem_zero(f->mem, f->plain_rules, 1);
  for (size_t i = 0; i < f->plain.count; i++) f->closed[f->plain.at[i].rule] |= f->plain.at[i].right[0] == none();
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < f->plain.count; i++) {
      const struct form_production *p = &f->plain.at[i];
      symbol x = p->right[0], y = p->right[1], last = y == none() ? x : y;
      bool good = x == none() || ((y == none() || symbol_terminal(x)) &&
                                  (symbol_terminal(last) ? y == none() : f->closed[symbol_number(last)]));
      if (good || !f->closed[p->rule]) continue;
      f->closed[p->rule] = false;
      changed = true;
    }
  }
}

static void add(struct former *f, uint32_t rule, symbol x, symbol y) {
  struct form *o = f->form;
  if (y == none() && x == SYMBOL_RULE(rule)) return;
  for (size_t i = 0; i < o->productions.count; i++)
    if (o->productions.at[i].rule == rule && o->productions.at[i].right[0] == x && o->productions.at[i].right[1] == y)
      return;
  vec_push(f->mem, &o->productions, ((struct form_production){rule, {x, y}}));
}

/* The rule for the prefixes of a symbol's words; of a letter there is none, it is the letter or nothing. */
static symbol prefix_of(const struct former *f, symbol s) {
  return symbol_terminal(s) || f->closed[symbol_number(s)] ? s : SYMBOL_RULE(symbol_number(s) + f->plain_rules);
}

static void add_prefixes(struct former *f, const struct form_production *p) {
  uint32_t rule = p->rule + f->plain_rules;
  symbol x = p->right[0], y = p->right[1];
  add(f, rule, none(), none());
  if (x == none()) return;
  if (y == none() || !symbol_terminal(x)) add(f, rule, prefix_of(f, x), none());
  if (y == none()) return;
  add(f, rule, x, prefix_of(f, y));
  if (symbol_terminal(y)) add(f, rule, x, none());
}

/* Only what the start leads to, numbered anew. */
static void prune(struct former *f) {
  struct form *o = f->form;
  uint32_t n = 2 * f->plain_rules, *number = mem_alloc(f->mem, n * sizeof *number),
           *order = mem_alloc(f->mem, n * sizeof *order), count = 1;
  size_t kept = 0;
  for (uint32_t r = 0; r < n; r++) number[r] = UINT32_MAX;
  order[0] = o->start;
  number[o->start] = 0;
  for (uint32_t i = 0; i < count; i++)
    for (size_t q = 0; q < o->productions.count; q++)
      for (int j = 0; j < 2 && o->productions.at[q].rule == order[i]; j++) {
        symbol s = o->productions.at[q].right[j];
        if (s == none() || symbol_terminal(s) || number[symbol_number(s)] != UINT32_MAX) continue;
        order[count] = symbol_number(s);
        number[order[count]] = count;
        count++;
      }
  for (size_t q = 0; q < o->productions.count; q++) {
    struct form_production p = o->productions.at[q];
    if (number[p.rule] == UINT32_MAX) continue;
    p.rule = number[p.rule];
    for (int j = 0; j < 2; j++)
      if (p.right[j] != none() && !symbol_terminal(p.right[j]))
        p.right[j] = SYMBOL_RULE(number[symbol_number(p.right[j])]);
    o->productions.at[kept++] = p;
  }
  o->productions.count = kept;
  o->rules = count;
  o->start = 0;
  mem_free(f->mem, number);
  mem_free(f->mem, order);
}

/* Cycles. If every derivation begins with the rule A at the left end, and A =>* w A, then w may be put before every
 * word. */

enum { CYCLE_LETTERS = 6, CYCLE_FORM = 9, CYCLE_TRIES = 4000, CYCLE_MOST = 24 };

struct sentence { /* letters, then symbols still to be derived, the next one last */
  uint8_t letters, count;
  uint8_t letter[CYCLE_LETTERS];
  symbol rest[CYCLE_FORM];
};

/* Keeps the letters' counts unless they are a sum with one there is: shorter ones come first. Idle letters play no
 * part. */
static void keep_cycle(struct former *f, const struct sentence *s) {
  struct form *o = f->form;
  uint8_t counts[GRAMMAR_TERMINALS] = {0};
  for (uint8_t i = 0; i < s->letters; i++) {
    if (o->idle >> s->letter[i] & 1) return;
    counts[s->letter[i]]++;
  }
  for (size_t c = 0; c < o->cycle_count; c++) {
    bool within = true;
    for (uint32_t l = 0; l < o->letters; l++) within &= o->cycles.at[c * o->letters + l] <= counts[l];
    if (within) return;
  }
  if (!s->letters || o->cycle_count == CYCLE_MOST) return;
  for (uint32_t l = 0; l < o->letters; l++) vec_push(f->mem, &o->cycles, counts[l]);
  o->cycle_count++;
}

static void find_cycles_of(struct former *f, uint32_t rule) {
  VEC(struct sentence) queue = {0};
  vec_push(f->mem, &queue, ((struct sentence){.count = 1, .rest = {SYMBOL_RULE(rule)}}));
  for (size_t i = 0; i < queue.count && queue.count < CYCLE_TRIES; i++) {
    struct sentence s = queue.at[i];
    if (i && s.count == 1 && s.rest[0] == SYMBOL_RULE(rule)) {
      keep_cycle(f, &s);
      continue;
    }
    if (!s.count) continue;
    symbol next = s.rest[--s.count];
    for (size_t q = 0; q < f->plain.count && !symbol_terminal(next); q++) {
      struct sentence to = s;
      if (f->plain.at[q].rule != symbol_number(next)) continue;
      bool fits = true;
      for (int j = 1; j >= 0; j--)
        if (f->plain.at[q].right[j] != none() && (fits &= to.count < CYCLE_FORM))
          to.rest[to.count++] = f->plain.at[q].right[j];
      while (fits && to.count && symbol_terminal(to.rest[to.count - 1])) {
        fits = to.letters < CYCLE_LETTERS;
        to.count--;
        if (fits) to.letter[to.letters++] = (uint8_t)symbol_number(to.rest[to.count]);
      }
      if (fits) vec_push(f->mem, &queue, to);
    }
  }
  vec_free(f->mem, &queue);
}

/* From the start down the left side, as long as there is only one production to take. */
static void find_cycles(struct former *f) {
  uint32_t rule = 0;
  for (uint32_t depth = 0; depth < f->plain_rules; depth++) {
    find_cycles_of(f, rule);
    const struct form_production *only = NULL;
    for (size_t q = 0; q < f->plain.count; q++) {
      if (f->plain.at[q].rule != rule) continue;
      if (only) return;
      only = &f->plain.at[q];
    }
    if (only->right[0] == none() || symbol_terminal(only->right[0])) return;
    rule = symbol_number(only->right[0]);
  }
}

struct form *grammar_form(struct mem *m, const struct grammar *g) {
  struct form *o = mem_zero(m, 1, sizeof *o);
  struct former f = {.mem = m, .grammar = g, .form = o};
  o->mem = m;
  find_letters(&f);
  find_idle(&f);
  make_plain(&f);
  find_closed(&f);
  for (size_t i = 0; i < f.plain.count; i++)
    add(&f, f.plain.at[i].rule, f.plain.at[i].right[0], f.plain.at[i].right[1]);
  for (size_t i = 0; i < f.plain.count; i++) add_prefixes(&f, &f.plain.at[i]);
  o->start = f.closed[0] ? 0 : f.plain_rules;
  find_cycles(&f);
  prune(&f);
  mem_free(m, f.closed);
  vec_free(m, &f.plain);
  vec_free(m, &f.suffix);
  return o;
}
