/* --dump ast: the unit as text, one line a statement, each with its line in the source. Casts that C made are <type>x,
 * arrays used as pointers are decay(x), assignments that compute in another type say which. */
#include "front/front.h"

struct dump {
  const struct unit *unit;
  struct text *to;
  int indent; /* of the line that was begun last */
};

static void print_expr(struct dump *, const struct expr *);
static void print_stmt(struct dump *, const struct stmt *, int indent);

static void start_line(struct dump *d, struct place place, int indent) {
  text_printf(d->to, "%4u ", place.line);
  d->indent = indent;
  for (int i = 0; i < indent; i++) text_add(d->to, "  ");
}

static const char *operator_text(enum operator op) {
  static const char *const marks[] = {
      [OP_NONE] = "",    [OP_ADD] = "+",  [OP_SUB] = "-", [OP_MUL] = "*",    [OP_DIV] = "/",  [OP_MOD] = "%",
      [OP_SHL] = "<<",   [OP_SHR] = ">>", [OP_AND] = "&", [OP_OR] = "|",     [OP_XOR] = "^",  [OP_EQ] = "==",
      [OP_NE] = "!=",    [OP_LT] = "<",   [OP_LE] = "<=", [OP_GT] = ">",     [OP_GE] = ">=",  [OP_AND_AND] = "&&",
      [OP_OR_OR] = "||", [OP_NEG] = "-",  [OP_NOT] = "!", [OP_INVERT] = "~", [OP_PLUS] = "+", [OP_NAND] = "nand"};
  return marks[op];
}

static void print_list(struct dump *d, struct expr *const *args, uint32_t count, char open, char close) {
  text_char(d->to, open);
  for (uint32_t i = 0; i < count; i++) {
    if (i) text_add(d->to, ", ");
    if (args[i])
      print_expr(d, args[i]);
    else
      text_char(d->to, '0');
  }
  text_char(d->to, close);
}

static void print_cast(struct dump *d, const struct expr *e) {
  text_char(d->to, e->implicit ? '<' : '(');
  type_print(e->type, d->to);
  text_char(d->to, e->implicit ? '>' : ')');
  print_expr(d, e->a);
}

static void print_field(struct dump *d, const struct expr *e) {
  bool arrow = e->a->kind == E_DEREF;
  print_expr(d, arrow ? e->a->a : e->a);
  text_add(d->to, arrow ? "->" : ".");
  text_add(d->to, *e->field->name ? e->field->name : "{}");
}

static void print_assign(struct dump *d, const struct expr *e) {
  print_expr(d, e->a);
  text_printf(d->to, " %s=", operator_text(e->op));
  if (e->computing && e->computing != e->type) {
    text_add(d->to, " in ");
    type_print(e->computing, d->to);
    text_char(d->to, ':');
  }
  text_char(d->to, ' ');
  print_expr(d, e->b);
}

static void print_two(struct dump *d, const struct expr *a, const char *between, const struct expr *b) {
  text_char(d->to, '(');
  print_expr(d, a);
  text_printf(d->to, "%s", between);
  print_expr(d, b);
  text_char(d->to, ')');
}

static void print_operator(struct dump *d, const struct expr *e) {
  const char *mark = operator_text(e->op);
  switch (e->kind) {
  case E_STEP:
    if (!e->postfix) text_printf(d->to, "%s%s", mark, mark);
    print_expr(d, e->a);
    if (e->postfix) text_printf(d->to, "%s%s", mark, mark);
    break;
  case E_UNARY:
    text_add(d->to, mark);
    print_expr(d, e->a);
    break;
  default:
    text_char(d->to, '(');
    print_expr(d, e->a);
    text_printf(d->to, " %s ", mark);
    print_expr(d, e->b);
    text_char(d->to, ')');
  }
}

static void print_prefixed(struct dump *d, const char *prefix, const struct expr *a, const char *suffix) {
  text_add(d->to, prefix);
  print_expr(d, a);
  text_add(d->to, suffix);
}

static void print_char(struct dump *d, unsigned char c) {
  if (c < 32 || c > 126 || c == '"' || c == '\\')
    text_printf(d->to, "\\%03o", c);
  else
    text_char(d->to, (char)c);
}

static void print_string(struct dump *d, const struct expr *e) {
  text_char(d->to, '"');
  for (size_t i = 0; i < e->length; i++) print_char(d, (unsigned char)e->text[i]);
  text_char(d->to, '"');
}

/* The array that a string is, without its zero. */
static void print_literal(struct dump *d, const struct expr *init) {
  text_char(d->to, '"');
  for (uint32_t i = 0; i + 1 < init->arg_count; i++) print_char(d, (unsigned char)init->args[i]->value);
  text_char(d->to, '"');
}

static void print_compound(struct dump *d, const struct expr *e) {
  text_char(d->to, '(');
  type_print(e->type, d->to);
  text_char(d->to, ')');
  print_expr(d, e->a);
}

static void print_expr(struct dump *d, const struct expr *e) {
  switch (e->kind) {
  case E_NUMBER:
    if (e->type->kind == TYPE_INT && !e->type->is_signed)
      text_printf(d->to, "%lluu", (unsigned long long)e->value);
    else
      text_printf(d->to, "%lld", (long long)e->value);
    break;
  case E_STRING: print_string(d, e); break;
  case E_NAME:
    if (*e->decl->name == '"')
      print_literal(d, e->decl->init);
    else
      text_add(d->to, e->decl->name);
    break;
  case E_CALL:
    print_expr(d, e->a);
    print_list(d, e->args, e->arg_count, '(', ')');
    break;
  case E_INDEX:
    print_expr(d, e->a);
    print_prefixed(d, "[", e->b, "]");
    break;
  case E_FIELD: print_field(d, e); break;
  case E_DEREF: print_prefixed(d, "*", e->a, ""); break;
  case E_ADDRESS: print_prefixed(d, "&", e->a, ""); break;
  case E_DECAY: print_prefixed(d, "decay(", e->a, ")"); break;
  case E_UNARY:
  case E_BINARY:
  case E_LOGICAL:
  case E_STEP: print_operator(d, e); break;
  case E_ASSIGN: print_assign(d, e); break;
  case E_CONDITION:
    print_prefixed(d, "(", e->a, " ? ");
    print_expr(d, e->b);
    print_prefixed(d, " : ", e->c, ")");
    break;
  case E_CAST: print_cast(d, e); break;
  case E_COMMA: print_two(d, e->a, ", ", e->b); break;
  case E_INIT: print_list(d, e->args, e->arg_count, '{', '}'); break;
  case E_COMPOUND: print_compound(d, e); break;
  case E_BLOCK:
    text_add(d->to, "({\n");
    print_stmt(d, e->block, d->indent + 2);
    start_line(d, e->place, d->indent);
    text_add(d->to, "})");
    break;
  case E_OUTSIDE: text_printf(d->to, "outside: %s", e->text); break;
  }
}

static void print_variable(struct dump *d, const struct decl *v) {
  static const char *const words[] = {[STORAGE_AUTO] = "local",
                                      [STORAGE_GLOBAL] = "global",
                                      [STORAGE_STATIC_LOCAL] = "static local",
                                      [STORAGE_THREAD_LOCAL] = "thread local",
                                      [STORAGE_PARAM] = "parameter"};
  text_printf(d->to, "%s %s: ", words[v->storage], v->name);
  type_print(v->type, d->to);
  if (v->init) print_prefixed(d, " = ", v->init, "");
  if (v->address_taken) text_add(d->to, " [address taken]");
  if (v->written) text_add(d->to, " [written]");
  text_char(d->to, '\n');
}

static void print_head(struct dump *d, const struct stmt *s, int indent, const char *word) {
  start_line(d, s->place, indent);
  text_add(d->to, word);
  if (s->expr) print_prefixed(d, " ", s->expr, "");
  text_char(d->to, '\n');
}

static void print_for(struct dump *d, const struct stmt *s, int indent) {
  print_head(d, s, indent, "for");
  if (s->init) {
    start_line(d, s->place, indent + 1);
    text_add(d->to, "first\n");
    print_stmt(d, s->init, indent + 2);
  }
  if (s->step) {
    start_line(d, s->place, indent + 1);
    print_prefixed(d, "step ", s->step, "\n");
  }
  print_stmt(d, s->body, indent + 1);
}

static void print_if(struct dump *d, const struct stmt *s, int indent) {
  print_head(d, s, indent, "if");
  print_stmt(d, s->body, indent + 1);
  if (!s->otherwise) return;
  start_line(d, s->otherwise->place, indent);
  text_add(d->to, "else\n");
  print_stmt(d, s->otherwise, indent + 1);
}

static void print_words(struct dump *d, const struct stmt *s, int indent, const char *word, const char *label) {
  start_line(d, s->place, indent);
  text_printf(d->to, "%s%s%s\n", word, label ? " " : "", label ? label : "");
  if (s->body) print_stmt(d, s->body, indent + 1);
}

static void print_stmt(struct dump *d, const struct stmt *s, int indent) {
  switch (s->kind) {
  case S_BLOCK:
    for (uint32_t i = 0; i < s->count; i++) print_stmt(d, s->list[i], indent);
    break;
  case S_EXPR: print_head(d, s, indent, "do"); break;
  case S_RETURN: print_head(d, s, indent, "return"); break;
  case S_DECL:
    start_line(d, s->place, indent);
    print_variable(d, s->decl);
    break;
  case S_IF: print_if(d, s, indent); break;
  case S_FOR: print_for(d, s, indent); break;
  case S_WHILE:
  case S_DO:
  case S_SWITCH:
  case S_CASE:
    if (s->kind == S_CASE && s->last != s->value) {
      start_line(d, s->place, indent);
      text_printf(d->to, "case %lld ... %lld\n", (long long)s->value, (long long)s->last);
      print_stmt(d, s->body, indent + 1);
      break;
    }
    print_head(d, s, indent,
               s->kind == S_WHILE  ? "while"
               : s->kind == S_DO   ? "repeat while"
               : s->kind == S_CASE ? "case"
                                   : "switch");
    print_stmt(d, s->body, indent + 1);
    break;
  case S_DEFAULT: print_words(d, s, indent, "default", NULL); break;
  case S_BREAK: print_words(d, s, indent, "break", NULL); break;
  case S_CONTINUE: print_words(d, s, indent, "continue", NULL); break;
  case S_EMPTY: print_words(d, s, indent, "nothing", NULL); break;
  case S_ATOMIC: print_words(d, s, indent, "atomic", NULL); break;
  case S_GOTO: print_words(d, s, indent, "goto", s->label); break;
  case S_LABEL: print_words(d, s, indent, "label", s->label); break;
  }
}

static void print_function(struct dump *d, const struct decl *f) {
  text_printf(d->to, "function %s: ", f->name);
  type_print(f->type, d->to);
  text_char(d->to, '\n');
  for (uint32_t i = 0; i < f->param_count; i++) {
    start_line(d, f->params[i]->place, 1);
    print_variable(d, f->params[i]);
  }
  print_stmt(d, f->body, 1);
}

static void print_roles(struct dump *d, const struct harness *h) {
  for (size_t i = 0; i < h->roles.count; i++) {
    const struct harness_role *r = &h->roles.at[i];
    start_line(d, r->place, 0);
    text_printf(d->to, "role %s, ", r->name);
    if (r->count < 0)
      text_add(d->to, "the rest:");
    else
      text_printf(d->to, "%d:", r->count);
    for (uint32_t k = 0; k < r->op_count; k++) text_printf(d->to, " %s", r->ops[k]->name);
    text_char(d->to, '\n');
  }
}

static void print_harness(struct dump *d, const struct harness *h) {
  if (h->spec) {
    start_line(d, h->spec_place, 0);
    text_printf(d->to, "object %s\n", h->spec);
  }
  for (size_t i = 0; i < h->ops.count; i++) {
    const struct harness_op *op = &h->ops.at[i];
    start_line(d, op->place, 0);
    text_printf(d->to, "operation %s is %s(", op->name, op->function->name);
    for (uint32_t k = 0; k < op->function->type->param_count; k++)
      text_printf(d->to, "%s%lld..%lld", k ? ", " : "", (long long)op->low[k], (long long)op->high[k]);
    text_add(d->to, ")\n");
  }
  print_roles(d, h);
  if (h->init) text_printf(d->to, "     init %s\n", h->init->name);
  if (h->bound >= 0) text_printf(d->to, "     bound %lld\n", (long long)h->bound);
  if (h->type_stable) text_add(d->to, "     type stable\n");
}

void ast_print(const struct unit *u, struct text *to) {
  struct dump d = {u, to, 0};
  for (size_t i = 0; i < u->decls.count; i++) {
    const struct decl *decl = u->decls.at[i];
    if (decl->deferred) continue; /* a system's function that nothing uses */
    start_line(&d, decl->place, 0);
    if (decl->kind == DECL_FUNCTION)
      print_function(&d, decl);
    else
      print_variable(&d, decl);
  }
  print_harness(&d, &u->harness);
}
