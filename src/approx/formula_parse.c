/* Reading formulas: see formula.h and docs/formulas.md. */
#include <string.h>

#include "approx/formula_reader.h"

enum { DEPTH = 200, DEFINITIONS_DEEP = 40, NODES_MOST = 1 << 18, SEVERAL_MOST = 1000 };

static const char *const reserved[] = {"define", "violation", "for",  "forget", "exists", "forall",  "some",
                                       "every",  "in",        "and",  "or",     "not",    "implies", "k",
                                       "is",     "pending",   "arg",  "result", "total",  "sum",     "count",
                                       "empty",  "nil",       "true", "false",  "full",   "ok"};

static bool is_reserved(const struct reader *r) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (reader_is(r, reserved[i])) return true;
  return false;
}

/* A name of the user's own. */
static const char *read_name(struct reader *r, const char *of) {
  if (r->token != TOKEN_NAME || is_reserved(r)) {
    if (r->token == TOKEN_NAME)
      fail_here(r, "'%.*s' is a word of the language and cannot be the name of %s", (int)r->length, r->chars, of);
    else
      fail_here(r, "the name of %s is missing", of);
    return "";
  }
  const char *name = mem_string(r->mem, r->chars, r->length);
  reader_next(r);
  return name;
}

/* Nodes. */

static struct node *new_node(struct reader *r, enum node_type type, enum formula_kind kind) {
  struct node *n = mem_piece(r->mem, sizeof *n);
  *n = (struct node){
      .type = (uint8_t)type, .kind = (uint8_t)kind, .line = r->token_line, .col = r->token_col, .method = -1};
  r->size++;
  return n;
}

static void add_kid(struct reader *r, struct node *n, struct node *kid) {
  if (!(n->kid_count & (n->kid_count - 1))) { /* it is full at each power of two */
    struct node **kids = mem_piece(r->mem, (2 * (size_t)n->kid_count + 1) * sizeof *kids);
    if (n->kid_count) memcpy(kids, n->kids, n->kid_count * sizeof *kids);
    n->kids = kids;
  }
  n->kids[n->kid_count++] = kid;
}

/* What is known of a node once its parts are: its cost and its variables, but for those bound in it. */
static struct node *finish(struct node *n) {
  static const uint8_t costs[] = {
      [NODE_HASH] = 1,   [NODE_TOTAL] = 1, [NODE_COUNT] = 2, [NODE_SUM] = 2, [NODE_EXISTS] = 2,
      [NODE_FORALL] = 2, [NODE_SOME] = 2,  [NODE_EVERY] = 2, [NODE_CALL] = 0};
  n->cost = n->type == NODE_CALL && n->definition ? n->definition->body->cost : costs[n->type];
  n->uses = n->type == NODE_VAR ? 1u << n->var : 0;
  for (uint32_t i = 0; i < n->kid_count; i++) {
    n->uses |= n->kids[i]->uses;
    if (n->kids[i]->cost > n->cost) n->cost = n->kids[i]->cost;
  }
  if (n->type != NODE_VAR)
    for (uint32_t v = n->var; v < n->var + (uint32_t)n->vars; v++) n->uses &= ~(1u << v);
  return n;
}

static const char *const kind_names[] = {"anything", "a number", "a value", "a label", "a formula"};

/* The node as an expression of this kind, or a problem. Numbers in the text, and parameters, become what they are used
 * as. */
static struct node *want(struct reader *r, struct node *n, enum formula_kind kind) {
  if (n->kind == kind || r->failed) return n;
  if (n->type == NODE_INT && kind == KIND_VALUE) {
    n->kind = KIND_VALUE;
    return n;
  }
  if (n->type == NODE_VAR && r->variables[n->var].kind == KIND_ANY && kind != KIND_FORMULA) {
    r->variables[n->var].kind = (uint8_t)kind;
    n->kind = (uint8_t)kind;
    return n;
  }
  if (n->type == NODE_VAR && r->variables[n->var].kind == kind) { /* read before its kind was known */
    n->kind = (uint8_t)kind;
    return n;
  }
  if (n->type == NODE_VAR)
    fail_node(r, n, "'%s' is %s; %s is needed here", r->variables[n->var].name, kind_names[r->variables[n->var].kind],
              kind_names[kind]);
  else
    fail_node(r, n, "this is %s; %s is needed here", kind_names[n->kind], kind_names[kind]);
  return n;
}

static struct node *read_expression(struct reader *);
static struct node *read_formula(struct reader *r) { return want(r, read_expression(r), KIND_FORMULA); }
static struct node *read_sum(struct reader *);
static struct node *read_number(struct reader *r) { return want(r, read_sum(r), KIND_NUMBER); }

/* Variables. */

static int find_var(const struct reader *r) {
  for (uint32_t i = r->scope_count; i-- > 0;)
    if (strlen(r->scope[i].name) == r->length && !memcmp(r->scope[i].name, r->chars, r->length)) return r->scope[i].var;
  return -1;
}

static uint8_t bind_var(struct reader *r, const char *name, enum formula_kind kind, const struct node *place) {
  if (r->vars == FORMULA_VARS || r->failed) {
    fail_node(r, place, "more than %d variables in one formula", FORMULA_VARS);
    return 0;
  }
  r->variables[r->vars] = (struct variable){name, (uint8_t)kind};
  r->scope[r->scope_count].name = name;
  r->scope[r->scope_count++].var = (uint8_t)r->vars;
  return (uint8_t)r->vars++;
}

/* exists x, y: F; count x: F. */
static struct node *read_labels(struct reader *r, enum node_type type, enum formula_kind kind) {
  struct node *n = new_node(r, type, kind);
  uint32_t outer = r->scope_count;
  reader_next(r);
  do {
    uint8_t v = bind_var(r, read_name(r, "a variable"), KIND_LABEL, n);
    if (!n->vars++) n->var = v;
  } while (type != NODE_COUNT && !r->failed && reader_accept(r, ","));
  reader_expect(r, ":", "after the variables");
  add_kid(r, n, read_formula(r));
  r->scope_count = outer;
  return finish(n);
}

/* some i in 0..k, j in i..k: F; sum i in 0..k: T. */
static struct node *read_ranges(struct reader *r, enum node_type type, enum formula_kind kind) {
  struct node *n = new_node(r, type, kind);
  uint32_t outer = r->scope_count;
  reader_next(r);
  do {
    const char *name = read_name(r, "a variable");
    reader_expect(r, "in", "after the variable");
    add_kid(r, n, read_number(r));
    reader_expect(r, "..", "between the bounds, as in 0..k");
    add_kid(r, n, read_number(r));
    uint8_t v = bind_var(r, name, KIND_NUMBER, n);
    if (!n->vars++) n->var = v;
  } while (!r->failed && reader_accept(r, ","));
  reader_expect(r, ":", "after the range");
  add_kid(r, n, type == NODE_SUM ? read_number(r) : read_formula(r));
  r->scope_count = outer;
  return finish(n);
}

/* Labels. */

static struct node *read_primary(struct reader *);

static void read_result(struct reader *r, struct node *n) {
  if (reader_accept(r, "pending")) {
    n->pending = true;
    return;
  }
  n->has_result = true;
  add_kid(r, n, want(r, read_primary(r), KIND_VALUE));
}

/* enq(5), deq => 5, deq => pending. */
static struct node *read_label(struct reader *r) {
  struct node *n = new_node(r, NODE_LABEL, KIND_LABEL);
  n->name = mem_string(r->mem, r->chars, r->length);
  reader_next(r);
  bool known = reader_is(r, "(") || reader_is(r, "=>");
  if (reader_accept(r, "(") && !reader_accept(r, ")")) {
    do {
      if (n->kid_count == OP_ARGS) fail_here(r, "an operation has at most %d arguments", OP_ARGS);
      add_kid(r, n, want(r, read_sum(r), KIND_VALUE));
    } while (!r->failed && reader_accept(r, ","));
    reader_expect(r, ")", "after the arguments");
  }
  if (reader_accept(r, "=>")) read_result(r, n);
  if (!known)
    fail_node(r, n, "'%s' is no variable here; a label is written %s() or %s => value", n->name, n->name, n->name);
  return finish(n);
}

static const struct definition *find_definition(const struct reader *r) {
  for (size_t i = 0; i < r->f->definitions.count; i++) {
    const struct definition *d = r->f->definitions.at[i];
    if (strlen(d->name) == r->length && !memcmp(d->name, r->chars, r->length)) return d;
  }
  return NULL;
}

static struct node *read_call(struct reader *r, const struct definition *d) {
  struct node *n = new_node(r, NODE_CALL, d->body->kind);
  n->definition = d;
  n->name = d->name;
  reader_next(r);
  reader_expect(r, "(", "after the name of a definition");
  if (!reader_accept(r, ")")) {
    do {
      if (n->kid_count == d->params) {
        fail_here(r, "'%s' has %u parameter%s", d->name, d->params, d->params == 1 ? "" : "s");
        break;
      }
      struct node *kid = read_sum(r);
      enum formula_kind kind = d->variables[n->kid_count].kind;
      add_kid(r, n, want(r, kid, kind));
    } while (!r->failed && reader_accept(r, ","));
    reader_expect(r, ")", "after the arguments");
  }
  if (n->kid_count != d->params)
    fail_node(r, n, "'%s' has %u parameter%s, not %u", d->name, d->params, d->params == 1 ? "" : "s", n->kid_count);
  if (d->depth + 1 > r->definitions_deep) r->definitions_deep = d->depth + 1;
  if (r->definitions_deep > DEFINITIONS_DEEP)
    fail_node(r, n, "definitions use each other more than %d deep", DEFINITIONS_DEEP);
  r->size += d->size;
  if (r->size > NODES_MOST)
    fail_node(r, n, "with all definitions put in, the formula has more than %d parts", NODES_MOST);
  return finish(n);
}

static struct node *read_var(struct reader *r, int var) {
  struct node *n = new_node(r, NODE_VAR, r->variables[var].kind);
  n->var = (uint8_t)var;
  reader_next(r);
  return finish(n);
}

/* A label where only a label can be: a variable or one written out. */
static struct node *read_label_or_var(struct reader *r) { return want(r, read_primary(r), KIND_LABEL); }

/* #(x, i, j), total(x, i, j). */
static struct node *read_counts(struct reader *r, enum node_type type) {
  struct node *n = new_node(r, type, KIND_NUMBER);
  reader_next(r);
  reader_expect(r, "(", "as in total(x, i, j)");
  add_kid(r, n, read_label_or_var(r));
  for (int i = 0; i < 2; i++) {
    reader_expect(r, ",", "as in total(x, i, j)");
    add_kid(r, n, read_number(r));
  }
  reader_expect(r, ")", "as in total(x, i, j)");
  return finish(n);
}

static struct node *read_is(struct reader *r) {
  struct node *n = new_node(r, NODE_IS, KIND_FORMULA);
  reader_next(r);
  reader_expect(r, "(", "as in is(x, enq)");
  add_kid(r, n, read_label_or_var(r));
  reader_expect(r, ",", "as in is(x, enq)");
  if (r->token != TOKEN_NAME && r->token != TOKEN_TEXT) fail_here(r, "the name of an operation is missing");
  n->name = mem_string(r->mem, r->chars, r->failed ? 0 : r->length);
  reader_next(r);
  reader_expect(r, ")", "as in is(x, enq)");
  return finish(n);
}

/* arg(x), arg(x, 2), result(x), pending(x). */
static struct node *read_of_label(struct reader *r, enum node_type type, enum formula_kind kind) {
  struct node *n = new_node(r, type, kind);
  n->number = 1;
  reader_next(r);
  reader_expect(r, "(", "before the label");
  add_kid(r, n, read_label_or_var(r));
  if (type == NODE_ARG && reader_accept(r, ",")) {
    if (r->token != TOKEN_INT || r->number < 1 || r->number > OP_ARGS)
      fail_here(r, "which argument is a number from 1 to %d", OP_ARGS);
    n->number = r->number;
    reader_next(r);
  }
  reader_expect(r, ")", "after the label");
  return finish(n);
}

static bool read_special(struct reader *r, struct node **n) {
  static const struct {
    const char *name;
    value v;
  } all[] = {{"empty", V_EMPTY}, {"nil", V_NIL},   {"true", V_TRUE},
             {"false", V_FALSE}, {"full", V_FULL}, {"ok", V_NONE}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!reader_is(r, all[i].name)) continue;
    *n = new_node(r, NODE_SPECIAL, KIND_VALUE);
    (*n)->special = all[i].v;
    (*n)->name = all[i].name;
    reader_next(r);
    return true;
  }
  return false;
}

static struct node *read_literal(struct reader *r, enum node_type type, enum formula_kind kind, bool negative) {
  struct node *n = new_node(r, type, kind);
  if (type == NODE_INT) n->number = negative ? -r->number : r->number;
  if (type == NODE_TEXT) n->name = mem_string(r->mem, r->chars, r->length);
  reader_next(r);
  return n;
}

static struct node *read_word(struct reader *r) {
  struct node *n;
  if (reader_is(r, "k")) return read_literal(r, NODE_K, KIND_NUMBER, false);
  if (reader_is(r, "total")) return read_counts(r, NODE_TOTAL);
  if (reader_is(r, "is")) return read_is(r);
  if (reader_is(r, "pending")) return read_of_label(r, NODE_PENDING, KIND_FORMULA);
  if (reader_is(r, "arg")) return read_of_label(r, NODE_ARG, KIND_VALUE);
  if (reader_is(r, "result")) return read_of_label(r, NODE_RESULT, KIND_VALUE);
  if (reader_is(r, "exists")) return read_labels(r, NODE_EXISTS, KIND_FORMULA);
  if (reader_is(r, "forall")) return read_labels(r, NODE_FORALL, KIND_FORMULA);
  if (reader_is(r, "count")) return read_labels(r, NODE_COUNT, KIND_NUMBER);
  if (reader_is(r, "some")) return read_ranges(r, NODE_SOME, KIND_FORMULA);
  if (reader_is(r, "every")) return read_ranges(r, NODE_EVERY, KIND_FORMULA);
  if (reader_is(r, "sum")) return read_ranges(r, NODE_SUM, KIND_NUMBER);
  if (read_special(r, &n)) return n;
  if (is_reserved(r)) {
    fail_here(r, "'%.*s' cannot be here", (int)r->length, r->chars);
    return new_node(r, NODE_INT, KIND_ANY);
  }
  int var = find_var(r);
  if (var >= 0) return read_var(r, var);
  const struct definition *d = find_definition(r);
  return d ? read_call(r, d) : read_label(r);
}

static struct node *read_inside(struct reader *r) {
  struct node *n;
  switch (r->token) {
  case TOKEN_INT: return read_literal(r, NODE_INT, KIND_NUMBER, false);
  case TOKEN_TEXT: return read_literal(r, NODE_TEXT, KIND_VALUE, false);
  case TOKEN_NAME: return read_word(r);
  case TOKEN_SIGN:
    if (reader_is(r, "#")) return read_counts(r, NODE_HASH);
    if (reader_accept(r, "-")) {
      if (r->token == TOKEN_INT) return read_literal(r, NODE_INT, KIND_NUMBER, true);
      fail_here(r, "a number is missing after '-'");
    } else if (reader_accept(r, "(")) {
      n = read_expression(r);
      reader_expect(r, ")", "to close the bracket");
      return n;
    } else {
      fail_here(r, "'%.*s' cannot be here", (int)r->length, r->chars);
    }
    break;
  default: fail_here(r, "something is missing at the end");
  }
  return new_node(r, NODE_INT, KIND_ANY);
}

static struct node *read_primary(struct reader *r) {
  if (++r->depth > DEPTH) fail_here(r, "brackets and operators are more than %d deep", DEPTH);
  struct node *n = read_inside(r);
  r->depth--;
  return n;
}

/* Operators. */

static struct node *join(struct reader *r, enum node_type type, enum formula_kind kind, struct node *a,
                         struct node *b) {
  struct node *n = new_node(r, type, kind);
  n->line = a->line;
  n->col = a->col;
  add_kid(r, n, a);
  add_kid(r, n, b);
  return finish(n);
}

static struct node *read_sum(struct reader *r) {
  struct node *n = read_primary(r);
  for (unsigned most = 0; reader_is(r, "+") || reader_is(r, "-"); most++) {
    enum node_type type = reader_is(r, "+") ? NODE_ADD : NODE_SUB;
    if (most == DEPTH) fail_here(r, "more than %d terms", DEPTH);
    reader_next(r);
    want(r, n, KIND_NUMBER);
    struct node *right = want(r, read_primary(r), KIND_NUMBER);
    n = join(r, type, KIND_NUMBER, n, right);
  }
  return n;
}

static bool comparison(const struct reader *r, enum compare *c) {
  static const char *const signs[] = {"=", "!=", "<", "<=", ">", ">="};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (reader_is(r, signs[i])) {
      *c = (enum compare)i;
      return true;
    }
  return false;
}

/* A parameter's kind may have become known since it was read. */
static void refresh(const struct reader *r, struct node *n) {
  if (n->type == NODE_VAR && !r->failed) n->kind = r->variables[n->var].kind;
}

/* Both sides are numbers, or both values: the side that is known decides. */
static struct node *compare_nodes(struct reader *r, enum compare c, struct node *a, struct node *b) {
  refresh(r, a);
  refresh(r, b);
  bool values = a->kind == KIND_VALUE || b->kind == KIND_VALUE;
  bool known = values || (a->kind == KIND_NUMBER && a->type != NODE_INT) ||
               (b->kind == KIND_NUMBER && b->type != NODE_INT) || (a->type == NODE_INT && b->type == NODE_INT);
  if (!known && a->kind != KIND_LABEL && b->kind != KIND_LABEL && a->kind != KIND_FORMULA && b->kind != KIND_FORMULA)
    fail_node(r, a, "are these numbers or values? The kind of a parameter comes from where it is used before");
  want(r, a, values ? KIND_VALUE : KIND_NUMBER);
  want(r, b, values ? KIND_VALUE : KIND_NUMBER);
  struct node *n = join(r, NODE_COMPARE, KIND_FORMULA, a, b);
  n->compare = (uint8_t)c;
  return n;
}

static struct node *read_comparison(struct reader *r) {
  struct node *n = read_sum(r);
  enum compare c;
  if (!comparison(r, &c)) return n;
  reader_next(r);
  return compare_nodes(r, c, n, read_sum(r));
}

static struct node *read_not(struct reader *r) {
  if (!reader_is(r, "not")) return read_comparison(r);
  struct node *n = new_node(r, NODE_NOT, KIND_FORMULA);
  reader_next(r);
  if (++r->depth > DEPTH) fail_here(r, "brackets and operators are more than %d deep", DEPTH);
  add_kid(r, n, want(r, read_not(r), KIND_FORMULA));
  r->depth--;
  return finish(n);
}

/* and, or: as many as there are in one node. */
static struct node *read_several(struct reader *r, enum node_type type, const char *word,
                                 struct node *(*read)(struct reader *)) {
  struct node *first = read(r);
  if (!reader_is(r, word)) return first;
  struct node *n = new_node(r, type, KIND_FORMULA);
  n->line = first->line;
  n->col = first->col;
  add_kid(r, n, want(r, first, KIND_FORMULA));
  while (reader_accept(r, word)) {
    if (n->kid_count == SEVERAL_MOST) fail_here(r, "more than %d formulas with '%s' between them", SEVERAL_MOST, word);
    add_kid(r, n, want(r, read(r), KIND_FORMULA));
  }
  return finish(n);
}

static struct node *read_and(struct reader *r) { return read_several(r, NODE_AND, "and", read_not); }
static struct node *read_or(struct reader *r) { return read_several(r, NODE_OR, "or", read_and); }

static struct node *read_expression(struct reader *r) {
  if (++r->depth > DEPTH) fail_here(r, "brackets and operators are more than %d deep", DEPTH);
  struct node *n = read_or(r);
  if (reader_is(r, "implies")) {
    want(r, n, KIND_FORMULA);
    reader_next(r);
    n = join(r, NODE_IMPLIES, KIND_FORMULA, n, want(r, read_expression(r), KIND_FORMULA));
  }
  r->depth--;
  return n;
}

/* Items. */

static void open_scope(struct reader *r, struct variable *variables) {
  r->variables = variables;
  r->vars = r->scope_count = 0;
  r->definitions_deep = 0;
  r->size = 0;
}

/* Variables that were read before the kind of their parameter was known. */
static void settle(struct node *n, const struct variable *variables) {
  if (n->type == NODE_VAR) n->kind = variables[n->var].kind;
  for (uint32_t i = 0; i < n->kid_count; i++) settle(n->kids[i], variables);
}

static void read_parameters(struct reader *r, struct definition *d, const struct node *place) {
  if (!reader_accept(r, "(")) return;
  if (reader_accept(r, ")")) return;
  do {
    if (find_var(r) >= 0) fail_here(r, "'%.*s' is a parameter already", (int)r->length, r->chars);
    bind_var(r, read_name(r, "a parameter"), KIND_ANY, place);
    d->params++;
  } while (!r->failed && reader_accept(r, ","));
  reader_expect(r, ")", "after the parameters");
}

static void read_definition(struct reader *r) {
  struct definition *d = mem_zero(r->mem, 1, sizeof *d);
  struct node *place = new_node(r, NODE_CALL, KIND_ANY);
  open_scope(r, d->variables);
  if (find_definition(r)) fail_here(r, "'%.*s' is defined already", (int)r->length, r->chars);
  d->name = read_name(r, "the definition");
  read_parameters(r, d, place);
  reader_expect(r, "=", "before what it stands for");
  d->body = read_expression(r);
  if (!r->failed && d->body->kind == KIND_ANY) fail_node(r, d->body, "this is neither a number nor a formula");
  for (uint32_t i = 0; i < d->params; i++)
    if (d->variables[i].kind == KIND_ANY) fail_node(r, place, "the parameter '%s' is not used", d->variables[i].name);
  if (r->failed) return;
  settle(d->body, d->variables);
  d->vars = r->vars;
  d->depth = r->definitions_deep;
  d->size = r->size;
  vec_push(r->mem, &r->f->definitions, d);
}

/* Is the variable there whenever the formula is true? Only those bound by exists, with nothing but 'and' and 'some'
 * above it. */
static bool is_witness(const struct node *n, const struct variable *variables, const char *name, size_t length) {
  if (n->type == NODE_EXISTS)
    for (uint32_t v = n->var; v < n->var + (uint32_t)n->vars; v++)
      if (strlen(variables[v].name) == length && !memcmp(variables[v].name, name, length)) return true;
  if (n->type != NODE_EXISTS && n->type != NODE_SOME && n->type != NODE_AND) return false;
  for (uint32_t i = n->type == NODE_AND ? 0 : n->kid_count - 1; i < n->kid_count; i++)
    if (is_witness(n->kids[i], variables, name, length)) return true;
  return false;
}

/* The braces of a sentence: {x}, {arg(x)}, {result(x)}. */
static void check_sentence(struct reader *r, const struct formula_violation *v, const struct node *place) {
  for (const char *s = v->sentence; s && (s = strchr(s, '{')); s++) {
    const char *close = strchr(s, '}'), *name = s + 1;
    if (!close) {
      fail_node(r, place, "the sentence has a '{' without '}'");
      return;
    }
    size_t length = (size_t)(close - name);
    for (int of = 0; of < 2; of++) {
      const char *word = of ? "arg(" : "result(";
      size_t n = strlen(word);
      if (length <= n + 1 || memcmp(name, word, n) || name[length - 1] != ')') continue;
      name += n;
      length -= n + 1;
    }
    if (!is_witness(v->body, v->variables, name, length)) {
      fail_node(r, place,
                "'%.*s' in the sentence is no variable of an 'exists' that has only 'and' and 'some' around it",
                (int)length, name);
      return;
    }
    s = close;
  }
}

static void read_violation(struct reader *r) {
  struct formula_violation *v = mem_zero(r->mem, 1, sizeof *v);
  struct node *place = new_node(r, NODE_CALL, KIND_ANY);
  open_scope(r, v->variables);
  if (r->token == TOKEN_TEXT) {
    v->sentence = mem_string(r->mem, r->chars, r->length);
    reader_next(r);
  }
  reader_expect(r, ":", "before the formula");
  v->body = read_formula(r);
  if (r->failed) return;
  v->vars = r->vars;
  check_sentence(r, v, place);
  vec_push(r->mem, &r->f->violations, v);
}

static void read_specs(struct reader *r) {
  do {
    if (r->token != TOKEN_NAME && r->token != TOKEN_TEXT) {
      fail_here(r, "the name of a specification is missing");
      return;
    }
    vec_push(r->mem, &r->f->specs, (const char *)mem_string(r->mem, r->chars, r->length));
    reader_next(r);
  } while (reader_accept(r, ","));
}

static void read_forget(struct reader *r) {
  if (!reader_accept(r, "balanced")) fail_here(r, "'forget' goes with 'balanced'");
  r->f->forget = true;
}

static void read_item(struct reader *r) {
  static const struct {
    const char *word;
    void (*read)(struct reader *);
  } items[] = {
      {"define", read_definition}, {"violation", read_violation}, {"for", read_specs}, {"forget", read_forget}};
  for (size_t i = 0; i < sizeof items / sizeof *items; i++)
    if (reader_accept(r, items[i].word)) {
      items[i].read(r);
      return;
    }
  fail_here(r, "'define', 'violation', 'for' or 'forget' is needed here");
}

struct formula *formula_parse(struct mem *m, const char *source, const char *text, size_t size,
                              struct problem *problem) {
  struct formula *f = mem_zero(m, 1, sizeof *f);
  f->source = mem_string(m, source, strlen(source));
  f->text = mem_string(m, text, size);
  f->size = size;
  struct reader r = {
      .mem = m, .f = f, .problem = problem, .at = f->text, .end = f->text + size, .line = 1, .line_start = f->text};
  reader_next(&r);
  while (!r.failed && r.token != TOKEN_END) read_item(&r);
  if (!r.failed && !f->violations.count)
    fail_here(&r, "there is no 'violation': a formula file says what must not be seen");
  return r.failed ? NULL : f;
}
