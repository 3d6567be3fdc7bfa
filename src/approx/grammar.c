/* Grammars as text: reading, checking, printing. See grammar.h. */
#include "approx/grammar.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 60, FILE_MOST = 1 << 20 };

struct parser {
  struct mem *mem;
  const struct spec *spec;
  const char *text, *at, *end;
  struct grammar *grammar;
  struct problem *problem;
  int depth;
};

/* Problems: the place, the sentence, the line and a mark below it. */
__attribute__((format(printf, 3, 4))) static bool wrong(struct parser *p, const char *at, const char *format, ...) {
  char what[340];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  unsigned line = 1, col = 1;
  const char *start = p->text;
  for (const char *s = p->text; s < at; s++) {
    col = *s == '\n' ? 1 : col + ((*s & 0xc0) != 0x80);
    line += *s == '\n';
    if (*s == '\n') start = s + 1;
  }
  size_t len = 0;
  while (start + len < p->end && start[len] != '\n' && len < 100) len++;
  char mark[102];
  size_t n = (size_t)(at - start) < len ? (size_t)(at - start) : len;
  for (size_t i = 0; i < n; i++) mark[i] = start[i] == '\t' ? '\t' : ' ';
  mark[n] = 0;
  bool shown = (size_t)(at - start) <= 100 && !memchr(start, 0, len);
  for (size_t i = 0; i < len; i++) shown &= (unsigned char)start[i] >= ' ' || start[i] == '\t';
  if (shown)
    problem_set(p->problem, "%.80s:%u:%u: %s\n  %.*s\n  %s^", p->grammar->source, line, col, what, (int)len, start,
                mark);
  else
    problem_set(p->problem, "%.80s:%u:%u: %s", p->grammar->source, line, col, what);
  return false;
}

/* Words. */

static void blanks(struct parser *p) {
  for (;;) {
    while (p->at < p->end && isspace((unsigned char)*p->at)) p->at++;
    if (p->at == p->end || *p->at != '#') return;
    while (p->at < p->end && *p->at != '\n') p->at++;
  }
}

static bool name_start(char c) { return isalpha((unsigned char)c) || c == '_'; }

/* Letters, digits and _; and - between two of them. */
static size_t name_length(const struct parser *p) {
  const char *s = p->at;
  if (s == p->end || !name_start(*s)) return 0;
  while (s < p->end &&
         (isalnum((unsigned char)*s) || *s == '_' || (*s == '-' && s + 1 < p->end && isalnum((unsigned char)s[1]))))
    s++;
  return (size_t)(s - p->at);
}

static bool is_word(const char *s, size_t len, const char *word) {
  return len == strlen(word) && !memcmp(s, word, len);
}

static bool sign(struct parser *p, const char *text) {
  blanks(p);
  size_t n = strlen(text);
  if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n)) return false;
  p->at += n;
  return true;
}

static bool at_word(struct parser *p, const char *word) {
  blanks(p);
  return is_word(p->at, name_length(p), word);
}

static bool expect(struct parser *p, const char *text, const char *why) {
  if (sign(p, text)) return true;
  return p->at == p->end ? wrong(p, p->at, "the text ends where '%s' should be%s", text, why)
                         : wrong(p, p->at, "'%s' should be here%s", text, why);
}

/* Values. */

static bool parse_number(struct parser *p, struct value_pattern *v) {
  char digits[24];
  size_t n = 0;
  const char *from = p->at;
  while (p->at < p->end && n < sizeof digits - 1 && (isdigit((unsigned char)*p->at) || (!n && *p->at == '-')))
    digits[n++] = *p->at++;
  digits[n] = 0;
  char *end;
  errno = 0;
  long long number = strtoll(digits, &end, 10);
  if (errno || *end || n == sizeof digits - 1 || (n == 1 && *digits == '-'))
    return wrong(p, from, "this is no number of 64 bits");
  *v = (struct value_pattern){.kind = PATTERN_NUMBER, .number = number};
  return true;
}

static bool parse_quoted(struct parser *p, struct value_pattern *v) {
  const char *from = p->at++;
  while (p->at < p->end && *p->at != '"' && *p->at != '\n') p->at++;
  if (p->at == p->end || *p->at != '"') return wrong(p, from, "this text has no closing '\"' on its line");
  *v = (struct value_pattern){.kind = PATTERN_TEXT,
                              .text = mem_string(p->mem, from + 1, (size_t)(p->at - from - 1)),
                              .len = (size_t)(p->at - from - 1)};
  p->at++;
  return true;
}

static const struct {
  const char *word;
  uint8_t kind;
  value exact;
} words[] = {{"_", PATTERN_ANY, 0},
             {"value", PATTERN_VALUE, 0},
             {"true", PATTERN_EXACT, V_TRUE},
             {"false", PATTERN_EXACT, V_FALSE},
             {"empty", PATTERN_EXACT, V_EMPTY},
             {"full", PATTERN_EXACT, V_FULL},
             {"nil", PATTERN_EXACT, V_NIL},
             {"ok", PATTERN_EXACT, V_NONE}};
enum { WORDS = sizeof words / sizeof *words };

static bool parse_value(struct parser *p, struct value_pattern *v) {
  blanks(p);
  if (p->at < p->end && *p->at == '"') return parse_quoted(p, v);
  if (p->at < p->end && (isdigit((unsigned char)*p->at) || *p->at == '-')) return parse_number(p, v);
  size_t len = name_length(p);
  for (size_t i = 0; i < WORDS; i++)
    if (is_word(p->at, len, words[i].word)) {
      *v = (struct value_pattern){.kind = words[i].kind, .exact = words[i].exact};
      p->at += len;
      return true;
    }
  return wrong(
      p, p->at,
      "a value should be here: a number, a \"text\", true, false, empty, full, nil, ok, value (any of an object's "
      "values) or _ (anything)");
}

/* (1, _): arguments not given are not there. */
static bool parse_arguments(struct parser *p, struct pattern *t, const struct spec_op *op) {
  const char *from = p->at++;
  int n = 0;
  if (!sign(p, ")")) {
    for (;;) {
      if (n == OP_ARGS) return wrong(p, from, "an operation has at most %d arguments", OP_ARGS);
      blanks(p);
      const char *value_at = p->at;
      if (!parse_value(p, &t->arg[n])) return false;
      if (t->arg[n].kind == PATTERN_EXACT && t->arg[n].exact == V_NONE)
        return wrong(p, value_at, "'ok' is a result, not an argument");
      n++;
      if (sign(p, ")")) break;
      if (!expect(p, ",", " or ')' after the argument")) return false;
    }
  }
  if (n < op->args || n > op->args_most) {
    if (op->args == op->args_most)
      return wrong(p, from, "the operation takes %d argument%s, not %d", op->args, op->args == 1 ? "" : "s", n);
    return wrong(p, from, "the operation takes %d to %d arguments, not %d", op->args, op->args_most, n);
  }
  for (; n < OP_ARGS; n++) t->arg[n] = (struct value_pattern){.kind = PATTERN_EXACT, .exact = V_NONE};
  return true;
}

static bool same_value(const struct value_pattern *a, const struct value_pattern *b) {
  return a->kind == b->kind && a->exact == b->exact && a->number == b->number && a->len == b->len &&
         (!a->len || !memcmp(a->text, b->text, a->len));
}

static bool same_pattern(const struct pattern *a, const struct pattern *b) {
  bool same = a->method == b->method && same_value(&a->result, &b->result);
  for (int i = 0; i < OP_ARGS; i++) same &= same_value(&a->arg[i], &b->arg[i]);
  return same;
}

static bool unknown_operation(struct parser *p, const char *name, size_t len) {
  char list[200] = "";
  size_t used = 0;
  for (unsigned m = 0; m < p->spec->op_count && used < sizeof list; m++) {
    size_t n;
    const char *op = spec_op_name(p->spec, m, &n);
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", m ? ", " : "", (int)n, op);
  }
  return wrong(p, name, "'%.*s' is no operation of '%s' (%s), and no rule has this name", (int)(len > 40 ? 40 : len),
               name, p->spec->name, list);
}

/* An operation with its arguments and result; its name has been read. */
static bool parse_pattern(struct parser *p, const char *name, size_t len, struct pattern *t) {
  int m = spec_op_find(p->spec, name, len);
  if (m < 0) return unknown_operation(p, name, len);
  *t = (struct pattern){.method = (uint16_t)m};
  if (p->at < p->end && *p->at == '(' && !parse_arguments(p, t, &p->spec->ops[m])) return false;
  return !sign(p, "=>") || parse_value(p, &t->result);
}

static bool terminal(struct parser *p, const char *name, const struct pattern *t, symbol *out) {
  struct grammar *g = p->grammar;
  for (size_t i = 0; i < g->terminals.count; i++)
    if (same_pattern(&g->terminals.at[i], t)) return *out = SYMBOL_TERMINAL(i), true;
  if (g->terminals.count == GRAMMAR_TERMINALS)
    return wrong(p, name, "there are more than %d different operations", GRAMMAR_TERMINALS);
  vec_push(p->mem, &g->terminals, *t);
  return *out = SYMBOL_TERMINAL(g->terminals.count - 1), true;
}

/* Rules. */

static bool rule_named(struct parser *p, const char *name, size_t len, uint32_t *out) {
  struct grammar *g = p->grammar;
  for (size_t i = 0; i < g->rules.count; i++)
    if (is_word(name, len, g->rules.at[i].name)) return *out = (uint32_t)i, true;
  return false;
}

static bool add_rule(struct parser *p, const char *name, size_t len, const char *at, uint32_t *out) {
  struct grammar *g = p->grammar;
  if (g->rules.count == GRAMMAR_RULES) return wrong(p, at, "there are more than %d rules", GRAMMAR_RULES);
  vec_push(p->mem, &g->rules, ((struct rule){.name = mem_string(p->mem, name, len), .at = (uint32_t)(at - p->text)}));
  *out = (uint32_t)(g->rules.count - 1);
  return true;
}

/* A rule for a part in brackets, called after the one it is in: Held-1. */
static bool add_inner(struct parser *p, uint32_t outer, const char *at, uint32_t *out) {
  char name[80];
  uint32_t taken;
  for (unsigned i = 1;; i++) {
    int n = snprintf(name, sizeof name, "%.60s-%u", p->grammar->rules.at[outer].name, i);
    if (rule_named(p, name, (size_t)n, &taken) || spec_op_find(p->spec, name, (size_t)n) >= 0) continue;
    if (!add_rule(p, name, (size_t)n, at, out)) return false;
    p->grammar->rules.at[*out].defined = true;
    return true;
  }
}

static bool add_production(struct parser *p, uint32_t rule, const symbol *symbols, size_t count) {
  struct grammar *g = p->grammar;
  if (g->symbols.count + count + 1 > GRAMMAR_SYMBOLS || g->productions.count >= GRAMMAR_SYMBOLS)
    return wrong(p, p->at, "the grammar is too large: more than %d symbols", GRAMMAR_SYMBOLS);
  vec_push(p->mem, &g->productions, ((struct production){rule, (uint32_t)g->symbols.count, (uint32_t)count}));
  for (size_t i = 0; i < count; i++) vec_push(p->mem, &g->symbols, symbols[i]);
  return true;
}

static bool parse_alternatives(struct parser *p, uint32_t rule);

/* ( ... ), and the same with *, + or ? behind. */
static bool parse_group(struct parser *p, uint32_t rule, symbol *out) {
  const char *from = p->at - 1;
  uint32_t inner;
  if (p->depth == DEPTH_MOST) return wrong(p, from, "brackets are nested more than %d deep", DEPTH_MOST);
  if (!add_inner(p, rule, from, &inner)) return false;
  p->depth++;
  if (!parse_alternatives(p, inner) || !expect(p, ")", " at the end of what the bracket opened")) return false;
  p->depth--;
  *out = SYMBOL_RULE(inner);
  return true;
}

/* X*, X+, X?: a rule of its own, for the symbol before it. */
static bool parse_repeat(struct parser *p, uint32_t rule, symbol *of) {
  blanks(p);
  char c = p->at < p->end ? *p->at : 0;
  uint32_t again;
  if (c != '*' && c != '+' && c != '?') return true;
  const char *from = p->at++;
  if (!add_inner(p, rule, from, &again)) return false;
  symbol s[2] = {*of, SYMBOL_RULE(again)};
  if (c == '+' ? !add_production(p, again, s, 1) : !add_production(p, again, NULL, 0)) return false;
  if (!add_production(p, again, s, c == '?' ? 1 : 2)) return false;
  *of = SYMBOL_RULE(again);
  return true;
}

/* A name that stands for a rule, which may come later, or for an operation. What it is is decided at the end (resolve).
 */
static bool parse_name(struct parser *p, symbol *out) {
  const char *name = p->at;
  size_t len = name_length(p);
  struct pattern t;
  uint32_t rule;
  p->at += len;
  if (is_word(name, len, "empty")) return wrong(p, name, "'empty' stands alone, between two '|'");
  if (spec_op_find(p->spec, name, len) >= 0) return parse_pattern(p, name, len, &t) && terminal(p, name, &t, out);
  if (sign(p, "=>")) return unknown_operation(p, name, len); /* a rule has no result */
  if (!rule_named(p, name, len, &rule) && !add_rule(p, name, len, name, &rule)) return false;
  *out = SYMBOL_RULE(rule);
  return true;
}

static bool sequence_ends(struct parser *p) {
  blanks(p);
  return p->at == p->end || *p->at == '|' || *p->at == ';' || *p->at == ')';
}

static bool parse_sequence(struct parser *p, uint32_t rule) {
  VEC(symbol) symbols = {0};
  blanks(p);
  if (at_word(p, "empty")) {
    p->at += 5;
    if (!sequence_ends(p)) return wrong(p, p->at, "'empty' stands alone: '|', ';' or ')' should be here");
    return add_production(p, rule, NULL, 0);
  }
  if (sequence_ends(p)) return wrong(p, p->at, "an operation, a rule or 'empty' should be here");
  while (!sequence_ends(p)) {
    symbol s = 0;
    if (sign(p, "(")) {
      if (!parse_group(p, rule, &s)) return false;
    } else if (!name_length(p)) {
      return wrong(p, p->at, "an operation, a rule, '(', '|' or ';' should be here");
    } else if (!parse_name(p, &s)) {
      return false;
    }
    if (!parse_repeat(p, rule, &s)) return false;
    if (symbols.count == GRAMMAR_SYMBOLS)
      return wrong(p, p->at, "the grammar is too large: more than %d symbols", GRAMMAR_SYMBOLS);
    vec_push(p->mem, &symbols, s);
  }
  bool good = add_production(p, rule, symbols.at, symbols.count);
  vec_free(p->mem, &symbols);
  return good;
}

static bool parse_alternatives(struct parser *p, uint32_t rule) {
  do
    if (!parse_sequence(p, rule)) return false;
  while (sign(p, "|"));
  return true;
}

static bool parse_rule(struct parser *p, const char *name, size_t len) {
  struct grammar *g = p->grammar;
  uint32_t rule;
  if (spec_op_find(p->spec, name, len) >= 0)
    return wrong(p, name, "'%.*s' is an operation of '%s': a rule needs another name", (int)(len > 40 ? 40 : len), name,
                 p->spec->name);
  if (is_word(name, len, "empty"))
    return wrong(p, name, "'empty' is the word without operations: a rule needs another name");
  if (!rule_named(p, name, len, &rule) && !add_rule(p, name, len, name, &rule)) return false;
  g->rules.at[rule].defined = true;
  g->rules.at[rule].at = (uint32_t)(name - p->text);
  return parse_alternatives(p, rule) && expect(p, ";", " at the end of the rule");
}

static bool parse_outside(struct parser *p) {
  do {
    blanks(p);
    const char *name = p->at;
    size_t len = name_length(p);
    struct pattern t;
    if (!len) return wrong(p, name, "an operation should be here");
    p->at += len;
    if (!parse_pattern(p, name, len, &t)) return false;
    if (p->grammar->outside.count == GRAMMAR_TERMINALS)
      return wrong(p, name, "there are more than %d operations outside", GRAMMAR_TERMINALS);
    vec_push(p->mem, &p->grammar->outside, t);
  } while (sign(p, ","));
  return expect(p, ";", " or ',' after the operation");
}

static bool parse_all(struct parser *p) {
  for (blanks(p); p->at < p->end; blanks(p)) {
    const char *name = p->at;
    size_t len = name_length(p);
    if (!len) return wrong(p, name, "a rule should be here: NAME -> ... ;");
    p->at += len;
    if (sign(p, "->")) {
      if (!parse_rule(p, name, len)) return false;
    } else if (is_word(name, len, "outside")) {
      if (!parse_outside(p)) return false;
    } else {
      return expect(p, "->", " after the rule's name");
    }
  }
  if (!p->grammar->rules.count)
    return wrong(p, p->at, "there is no rule: NAME -> ... ; the first one's words are the object's executions");
  return true;
}

/* Checks. */

/* A rule that has no finite word, or that the first one does not lead to, is a mistake. */
static bool check_productive(struct parser *p) {
  struct grammar *g = p->grammar;
  bool *words_of = mem_zero(p->mem, g->rules.count, 1), changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < g->productions.count; i++) {
      const struct production *q = &g->productions.at[i];
      bool all = !words_of[q->rule];
      for (uint32_t j = 0; j < q->count && all; j++) {
        symbol s = g->symbols.at[q->first + j];
        all = symbol_terminal(s) || words_of[symbol_number(s)];
      }
      changed |= all;
      if (all) words_of[q->rule] = true;
    }
  }
  for (size_t r = 0; r < g->rules.count; r++)
    if (!words_of[r])
      return wrong(p, p->text + g->rules.at[r].at,
                   "'%.60s' never comes to an end: none of its alternatives does without it", g->rules.at[r].name);
  mem_free(p->mem, words_of);
  return true;
}

static bool check_used(struct parser *p) {
  struct grammar *g = p->grammar;
  bool *used = mem_zero(p->mem, g->rules.count, 1), changed = true;
  used[0] = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < g->productions.count; i++) {
      const struct production *q = &g->productions.at[i];
      for (uint32_t j = 0; used[q->rule] && j < q->count; j++) {
        symbol s = g->symbols.at[q->first + j];
        if (symbol_terminal(s) || used[symbol_number(s)]) continue;
        used[symbol_number(s)] = changed = true;
      }
    }
  }
  for (size_t r = 0; r < g->rules.count; r++)
    if (!used[r])
      return wrong(p, p->text + g->rules.at[r].at,
                   "'%.60s' is never used: '%.60s', the first rule, does not lead to it", g->rules.at[r].name,
                   g->rules.at[0].name);
  mem_free(p->mem, used);
  return true;
}

static bool check(struct parser *p) {
  struct grammar *g = p->grammar;
  for (size_t r = 0; r < g->rules.count; r++)
    if (!g->rules.at[r].defined) return unknown_operation(p, p->text + g->rules.at[r].at, strlen(g->rules.at[r].name));
  return check_used(p) && check_productive(p);
}

/* Rules in the order in which they are met from the first one, each with its productions together: the printed text
 * reads back as it was. */
static void renumber(struct parser *p) {
  struct grammar *g = p->grammar;
  size_t n = g->rules.count;
  uint32_t *order = mem_zero(p->mem, n, sizeof *order), *number = mem_zero(p->mem, n, sizeof *number), count = 1;
  struct rule *rules = mem_alloc(p->mem, n * sizeof *rules);
  struct production *productions = mem_alloc(p->mem, g->productions.count * sizeof *productions);
  size_t kept = 0;
  for (size_t r = 1; r < n; r++) number[r] = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++)
    for (size_t q = 0; q < g->productions.count; q++) {
      if (g->productions.at[q].rule != order[i]) continue;
      productions[kept] = g->productions.at[q];
      productions[kept++].rule = i;
      for (uint32_t j = 0; j < g->productions.at[q].count; j++) {
        symbol s = g->symbols.at[g->productions.at[q].first + j];
        if (symbol_terminal(s) || number[symbol_number(s)] != UINT32_MAX) continue;
        order[count] = symbol_number(s);
        number[order[count]] = count;
        count++;
      }
    }
  for (uint32_t i = 0; i < count; i++) rules[i] = g->rules.at[order[i]];
  for (size_t i = 0; i < g->symbols.count; i++)
    if (!symbol_terminal(g->symbols.at[i])) g->symbols.at[i] = SYMBOL_RULE(number[symbol_number(g->symbols.at[i])]);
  memcpy(g->rules.at, rules, n * sizeof *rules);
  memcpy(g->productions.at, productions, kept * sizeof *productions);
  mem_free(p->mem, order);
  mem_free(p->mem, number);
  mem_free(p->mem, rules);
  mem_free(p->mem, productions);
}

struct grammar *grammar_parse(struct mem *m, const struct spec *spec, const char *source, const char *text, size_t len,
                              struct problem *problem) {
  struct grammar *g = mem_zero(m, 1, sizeof *g);
  g->mem = m;
  g->source = mem_string(m, source, strlen(source));
  struct parser p = {
      .mem = m, .spec = spec, .text = text, .at = text, .end = text + len, .grammar = g, .problem = problem};
  if (len > FILE_MOST) {
    problem_set(problem, "%s: a grammar of more than %d bytes", source, FILE_MOST);
    return NULL;
  }
  if (!parse_all(&p) || !check(&p)) return NULL;
  renumber(&p);
  return g;
}

struct grammar *grammar_read(struct mem *m, const struct spec *spec, const char *path, struct problem *problem) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    problem_set(problem, "%s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = mem_alloc(m, FILE_MOST + 1);
  size_t n = fread(text, 1, FILE_MOST + 1, f);
  bool failed = ferror(f);
  fclose(f);
  if (failed) {
    problem_set(problem, "%s: it cannot be read", path);
    return NULL;
  }
  struct grammar *g = grammar_parse(m, spec, path, text, n, problem);
  mem_free(m, text);
  return g;
}

/* Matching. */

bool value_fits(const struct value_pattern *p, const struct values *values, value v) {
  switch (p->kind) {
  case PATTERN_ANY: return true;
  case PATTERN_VALUE: return value_is_small(v) || v > V_UNKNOWN;
  case PATTERN_EXACT: return v == p->exact;
  case PATTERN_NUMBER:
    if (value_is_small(v)) return value_small(v) == p->number;
    return v > V_UNKNOWN && value_kind(values, v) == VALUE_INT && value_integer(values, v) == p->number;
  default: {
    if (value_is_small(v) || v <= V_UNKNOWN || value_kind(values, v) != VALUE_TEXT) return false;
    size_t len;
    const char *s = value_chars(values, v, &len);
    return len == p->len && !memcmp(s, p->text, len);
  }
  }
}

bool pattern_fits_call(const struct pattern *p, const struct values *values, uint16_t method,
                       const value arg[OP_ARGS]) {
  if (p->method != method) return false;
  for (int i = 0; i < OP_ARGS; i++)
    if (!value_fits(&p->arg[i], values, arg[i])) return false;
  return true;
}

bool pattern_fits(const struct pattern *p, const struct values *values, uint16_t method, const value arg[OP_ARGS],
                  value result) {
  return pattern_fits_call(p, values, method, arg) && (result == V_UNKNOWN || value_fits(&p->result, values, result));
}

/* Printing. */

static void print_value(const struct value_pattern *v, struct text *out) {
  if (v->kind == PATTERN_NUMBER)
    text_printf(out, "%lld", (long long)v->number);
  else if (v->kind == PATTERN_TEXT) {
    text_char(out, '"');
    text_bytes(out, v->text, v->len);
    text_char(out, '"');
  } else {
    for (size_t i = 0; i < WORDS; i++)
      if (words[i].kind == v->kind && (v->kind != PATTERN_EXACT || words[i].exact == v->exact)) {
        text_add(out, words[i].word);
        return;
      }
  }
}

void pattern_print(const struct pattern *t, const struct spec *spec, struct text *out) {
  size_t len;
  const char *name = spec_op_name(spec, t->method, &len);
  text_bytes(out, name, len);
  bool any = true;
  int given = OP_ARGS;
  for (int i = 0; i < OP_ARGS; i++) any &= t->arg[i].kind == PATTERN_ANY;
  while (given && t->arg[given - 1].kind == PATTERN_EXACT && t->arg[given - 1].exact == V_NONE) given--;
  if (!any) {
    text_char(out, '(');
    for (int i = 0; i < given; i++) {
      if (i) text_add(out, ", ");
      print_value(&t->arg[i], out);
    }
    text_char(out, ')');
  }
  if (t->result.kind == PATTERN_ANY) return;
  text_add(out, " => ");
  print_value(&t->result, out);
}

static void print_production(const struct grammar *g, const struct production *q, const struct spec *spec,
                             struct text *out) {
  if (!q->count) text_add(out, " empty");
  for (uint32_t i = 0; i < q->count; i++) {
    symbol s = g->symbols.at[q->first + i];
    text_char(out, ' ');
    if (symbol_terminal(s))
      pattern_print(&g->terminals.at[symbol_number(s)], spec, out);
    else
      text_add(out, g->rules.at[symbol_number(s)].name);
  }
}

void grammar_print(const struct grammar *g, const struct spec *spec, struct text *out) {
  for (uint32_t r = 0; r < g->rules.count; r++) {
    bool first = true;
    text_printf(out, "%s ->", g->rules.at[r].name);
    for (size_t i = 0; i < g->productions.count; i++) {
      if (g->productions.at[i].rule != r) continue;
      if (!first) text_add(out, " |");
      first = false;
      print_production(g, &g->productions.at[i], spec, out);
    }
    text_add(out, ";\n");
  }
  for (size_t i = 0; i < g->outside.count; i++) {
    text_add(out, i ? ", " : "outside ");
    pattern_print(&g->outside.at[i], spec, out);
  }
  if (g->outside.count) text_add(out, ";\n");
}
