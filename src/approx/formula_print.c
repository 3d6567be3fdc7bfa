/* Formulas as text that reads as the same formula. */
#include "approx/formula.h"

/* How tightly an expression holds together: a part that holds less than its place needs is put in brackets. */
enum { HOLDS_ALL, HOLDS_IMPLIES, HOLDS_OR, HOLDS_AND, HOLDS_NOT, HOLDS_COMPARE, HOLDS_SUM, HOLDS_PRIMARY };

static int holds(const struct node *n) {
  switch (n->type) {
  case NODE_IMPLIES: return HOLDS_IMPLIES;
  case NODE_OR: return HOLDS_OR;
  case NODE_AND: return HOLDS_AND;
  case NODE_NOT: return HOLDS_NOT;
  case NODE_COMPARE: return HOLDS_COMPARE;
  case NODE_ADD:
  case NODE_SUB: return HOLDS_SUM;
  case NODE_EXISTS:
  case NODE_FORALL:
  case NODE_SOME:
  case NODE_EVERY:
  case NODE_SUM:
  case NODE_COUNT: return HOLDS_ALL;
  default: return HOLDS_PRIMARY;
  }
}

static void print(const struct variable *, const struct node *, struct text *);

static void print_in(const struct variable *vars, const struct node *n, int needed, struct text *out) {
  bool brackets = holds(n) < needed;
  if (brackets) text_char(out, '(');
  print(vars, n, out);
  if (brackets) text_char(out, ')');
}

static void print_list(const struct variable *vars, const struct node *n, uint32_t count, struct text *out) {
  for (uint32_t i = 0; i < count; i++) {
    if (i) text_add(out, ", ");
    print_in(vars, n->kids[i], HOLDS_SUM, out);
  }
}

static void print_of(const struct variable *vars, const char *name, const struct node *n, struct text *out) {
  text_add(out, name);
  text_char(out, '(');
  print_list(vars, n, n->kid_count, out);
  if (n->type == NODE_ARG && n->number != 1) text_printf(out, ", %d", (int)n->number);
  text_char(out, ')');
}

static void print_label(const struct variable *vars, const struct node *n, struct text *out) {
  uint32_t args = n->kid_count - n->has_result;
  text_add(out, n->name);
  if (args || (!n->has_result && !n->pending)) {
    text_char(out, '(');
    print_list(vars, n, args, out);
    text_char(out, ')');
  }
  if (n->pending) text_add(out, " => pending");
  if (!n->has_result) return;
  text_add(out, " => ");
  print_in(vars, n->kids[args], HOLDS_PRIMARY, out);
}

static void print_several(const struct variable *vars, const struct node *n, const char *between, int needed,
                          struct text *out) {
  for (uint32_t i = 0; i < n->kid_count; i++) {
    if (i) text_add(out, between);
    print_in(vars, n->kids[i], needed, out);
  }
}

static void print_quantifier(const struct variable *vars, const struct node *n, const char *word, struct text *out) {
  bool ranges = n->kid_count > 1;
  text_add(out, word);
  for (uint32_t i = 0; i < n->vars; i++) {
    text_printf(out, "%s%s", i ? ", " : " ", vars[n->var + i].name);
    if (!ranges) continue;
    text_add(out, " in ");
    print_in(vars, n->kids[2 * i], HOLDS_SUM, out);
    text_add(out, "..");
    print_in(vars, n->kids[2 * i + 1], HOLDS_SUM, out);
  }
  text_add(out, ": ");
  print_in(vars, n->kids[n->kid_count - 1], n->type == NODE_SUM ? HOLDS_SUM : HOLDS_ALL, out);
}

static void print_is(const struct variable *vars, const struct node *n, struct text *out) {
  text_add(out, "is(");
  print(vars, n->kids[0], out);
  text_printf(out, ", \"%s\")", n->name);
}

static void print(const struct variable *vars, const struct node *n, struct text *out) {
  static const char *const signs[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  switch (n->type) {
  case NODE_INT: text_printf(out, "%lld", (long long)n->number); break;
  case NODE_K: text_char(out, 'k'); break;
  case NODE_TEXT: text_printf(out, "\"%s\"", n->name); break;
  case NODE_SPECIAL: text_add(out, n->name); break;
  case NODE_VAR: text_add(out, vars[n->var].name); break;
  case NODE_HASH: print_of(vars, "#", n, out); break;
  case NODE_TOTAL: print_of(vars, "total", n, out); break;
  case NODE_ADD:
  case NODE_SUB:
    print_in(vars, n->kids[0], HOLDS_SUM, out);
    text_add(out, n->type == NODE_ADD ? " + " : " - ");
    print_in(vars, n->kids[1], HOLDS_PRIMARY, out);
    break;
  case NODE_SUM: print_quantifier(vars, n, "sum", out); break;
  case NODE_COUNT: print_quantifier(vars, n, "count", out); break;
  case NODE_ARG: print_of(vars, "arg", n, out); break;
  case NODE_RESULT: print_of(vars, "result", n, out); break;
  case NODE_LABEL: print_label(vars, n, out); break;
  case NODE_COMPARE: print_several(vars, n, signs[n->compare], HOLDS_SUM, out); break;
  case NODE_IS: print_is(vars, n, out); break;
  case NODE_PENDING: print_of(vars, "pending", n, out); break;
  case NODE_NOT:
    text_add(out, "not ");
    print_in(vars, n->kids[0], HOLDS_NOT, out);
    break;
  case NODE_AND: print_several(vars, n, " and ", HOLDS_NOT, out); break;
  case NODE_OR: print_several(vars, n, " or ", HOLDS_AND, out); break;
  case NODE_IMPLIES:
    print_in(vars, n->kids[0], HOLDS_OR, out);
    text_add(out, " implies ");
    print_in(vars, n->kids[1], HOLDS_IMPLIES, out);
    break;
  case NODE_EXISTS: print_quantifier(vars, n, "exists", out); break;
  case NODE_FORALL: print_quantifier(vars, n, "forall", out); break;
  case NODE_SOME: print_quantifier(vars, n, "some", out); break;
  case NODE_EVERY: print_quantifier(vars, n, "every", out); break;
  case NODE_CALL: print_of(vars, n->name, n, out); break;
  }
}

void node_print(const struct variable *vars, const struct node *n, struct text *out) { print(vars, n, out); }

static void print_definition(const struct definition *d, struct text *out) {
  text_printf(out, "define %s(", d->name);
  for (uint32_t i = 0; i < d->params; i++) text_printf(out, "%s%s", i ? ", " : "", d->variables[i].name);
  text_add(out, ") = ");
  print(d->variables, d->body, out);
  text_char(out, '\n');
}

void formula_print(const struct formula *f, struct text *out) {
  for (size_t i = 0; i < f->specs.count; i++) text_printf(out, "%s\"%s\"", i ? ", " : "for ", f->specs.at[i]);
  if (f->specs.count) text_char(out, '\n');
  if (f->forget) text_add(out, "forget balanced\n");
  for (size_t i = 0; i < f->definitions.count; i++) print_definition(f->definitions.at[i], out);
  for (size_t i = 0; i < f->violations.count; i++) {
    const struct formula_violation *v = f->violations.at[i];
    text_add(out, "violation");
    if (v->sentence) text_printf(out, " \"%s\"", v->sentence);
    text_add(out, ": ");
    print(v->variables, v->body, out);
    text_char(out, '\n');
  }
}
