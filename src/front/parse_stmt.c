/* Statements and the bodies of functions. */
#include "front/front.h"

static struct stmt *parse_statement(struct front *);

struct switch_body {
  VEC(const struct stmt *) cases;
  bool has_default;
  const struct type *type;
  struct switch_body *outer;
};

struct stmt *stmt_new(struct front *f, enum stmt_kind kind, struct place place) {
  struct stmt *s = mem_piece(f->mem, sizeof *s);
  *s = (struct stmt){.kind = kind, .place = place};
  return s;
}

/* A label looks like a name; a declaration begins with a type. */
static bool at_label(struct front *f) { return parse_token(f)->kind == TOKEN_NAME && token_is(parse_ahead(f, 1), ":"); }

/* A declaration that cannot be read leaves its names undeclared, behind what says why. */
static void parse_declared(struct front *f, struct statements *to) {
  struct attempt a;
  if (ATTEMPT(f, &a)) {
    parse_local_declaration(f, to);
    attempt_end(f, &a);
    return;
  }
  if (f->said_how == SAID_FATAL) front_again(f);
  struct stmt *s = stmt_outside(f);
  parse_skip_statement(f, s);
  vec_push(f->mem, &to->list, s);
}

/* The statements up to '}', in the scope that is open. */
static struct stmt *parse_list(struct front *f) {
  struct stmt *block = stmt_new(f, S_BLOCK, parse_expect(f, "{")->place);
  struct statements to = {{NULL, 0, 0}}, *outer = f->statements;
  f->statements = &to;
  while (!parse_at(f, "}")) {
    if (parse_token(f)->kind == TOKEN_END) front_fail(f, block->place, "'{' without the '}' that closes it");
    if (parse_at(f, "_Static_assert")) {
      parse_static_assert(f);
    } else if (!at_label(f) && parse_at_type(f)) {
      parse_declared(f, &to);
    } else {
      struct stmt *s = parse_statement(f);
      vec_push(f->mem, &to.list, s);
    }
  }
  parse_expect(f, "}");
  f->statements = outer;
  block->list = to.list.at;
  block->count = (uint32_t)to.list.count;
  return block;
}

static struct stmt *parse_block(struct front *f) {
  scope_enter(f);
  struct stmt *s = parse_list(f);
  scope_leave(f);
  return s;
}

static struct expr *parse_condition(struct front *f) {
  parse_expect(f, "(");
  struct expr *e = expr_condition_value(f, parse_expression(f));
  parse_expect(f, ")");
  return e;
}

static struct expr *parse_effect(struct front *f) {
  struct expr *e = parse_expression(f);
  return e->type->kind == TYPE_VOID || e->kind == E_STRING ? e : expr_value(f, e);
}

static struct stmt *parse_if(struct front *f, struct stmt *s) {
  s->kind = S_IF;
  s->expr = parse_condition(f);
  s->body = parse_statement(f);
  if (parse_accept(f, "else")) s->otherwise = parse_statement(f);
  return s;
}

static struct stmt *parse_loop_body(struct front *f) {
  f->loops++;
  struct stmt *s = parse_statement(f);
  f->loops--;
  return s;
}

static struct stmt *parse_while(struct front *f, struct stmt *s) {
  s->kind = S_WHILE;
  s->expr = parse_condition(f);
  s->body = parse_loop_body(f);
  return s;
}

static struct stmt *parse_do(struct front *f, struct stmt *s) {
  s->kind = S_DO;
  s->body = parse_loop_body(f);
  parse_expect(f, "while");
  s->expr = parse_condition(f);
  parse_expect(f, ";");
  return s;
}

static struct stmt *parse_for_start(struct front *f) {
  struct place place = parse_token(f)->place;
  if (parse_accept(f, ";")) return NULL;
  if (!parse_at_type(f)) {
    struct stmt *s = stmt_new(f, S_EXPR, place);
    s->expr = parse_effect(f);
    parse_expect(f, ";");
    return s;
  }
  struct statements to = {{NULL, 0, 0}};
  parse_local_declaration(f, &to);
  struct stmt *s = stmt_new(f, S_BLOCK, place);
  s->list = to.list.at;
  s->count = (uint32_t)to.list.count;
  return s;
}

static struct stmt *parse_for(struct front *f, struct stmt *s) {
  s->kind = S_FOR;
  scope_enter(f);
  parse_expect(f, "(");
  s->init = parse_for_start(f);
  if (!parse_at(f, ";")) s->expr = expr_condition_value(f, parse_expression(f));
  parse_expect(f, ";");
  if (!parse_at(f, ")")) s->step = parse_effect(f);
  parse_expect(f, ")");
  s->body = parse_loop_body(f);
  scope_leave(f);
  return s;
}

static struct stmt *parse_switch(struct front *f, struct stmt *s) {
  struct switch_body body = {.outer = f->switch_body};
  s->kind = S_SWITCH;
  parse_expect(f, "(");
  struct expr *e = expr_value(f, parse_expression(f));
  if (!type_is_integer(e->type))
    front_fail(f, e->place, "switch needs an integer, not '%s'", type_text(f, e->type->plain));
  if (type_is_int128(e->type)) front_outside(f, e->place, "a switch on an '%s'", type_text(f, e->type->plain));
  body.type = type_promoted(e->type);
  s->expr = expr_convert(f, e, body.type, true);
  parse_expect(f, ")");
  f->switch_body = &body;
  f->switches++;
  s->body = parse_statement(f);
  f->switches--;
  f->switch_body = body.outer;
  return s;
}

/* What a label stands before; a declaration or the end of the block may follow it only after ';'. */
static struct stmt *parse_labelled(struct front *f) {
  struct token *t = parse_token(f);
  if (token_is(t, "}")) return stmt_new(f, S_EMPTY, t->place);
  if (!at_label(f) && parse_at_type(f))
    front_fail(f, t->place, "a declaration right after a label; ';' between them would be right");
  return parse_statement(f);
}

/* No two cases have a value in common. */
static void add_case(struct front *f, struct switch_body *in, const struct stmt *s) {
  const struct type *t = in->type;
  for (size_t i = 0; i < in->cases.count; i++) {
    const struct stmt *c = in->cases.at[i];
    bool apart = t->is_signed ? s->last < c->value || c->last < s->value
                              : (uint64_t)s->last < (uint64_t)c->value || (uint64_t)c->last < (uint64_t)s->value;
    if (!apart) front_fail(f, s->place, "case %lld appears twice", (long long)s->value);
  }
  vec_push(f->mem, &in->cases, s);
}

static struct stmt *parse_case(struct front *f, struct stmt *s) {
  struct switch_body *in = f->switch_body;
  if (!in) front_fail(f, s->place, "case outside a switch");
  s->kind = S_CASE;
  s->value = fold_wrap(parse_constant(f, "the value of a case"), in->type);
  s->expr = expr_number(f, s->place, s->value, in->type);
  s->last = s->value;
  if (parse_accept(f, "...")) s->last = fold_wrap(parse_constant(f, "the last value of a case"), in->type);
  parse_expect(f, ":");
  bool none = in->type->is_signed ? s->last < s->value : (uint64_t)s->last < (uint64_t)s->value;
  if (none) front_outside(f, s->place, "a range of cases without values");
  add_case(f, in, s);
  s->body = parse_labelled(f);
  return s;
}

static struct stmt *parse_default(struct front *f, struct stmt *s) {
  if (!f->switch_body) front_fail(f, s->place, "default outside a switch");
  if (f->switch_body->has_default) front_fail(f, s->place, "default appears twice");
  f->switch_body->has_default = true;
  s->kind = S_DEFAULT;
  parse_expect(f, ":");
  s->body = parse_labelled(f);
  return s;
}

static struct stmt *parse_return(struct front *f, struct stmt *s) {
  const struct type *type = f->function->type->of;
  s->kind = S_RETURN;
  if (parse_accept(f, ";")) {
    if (type->kind != TYPE_VOID)
      front_fail(f, s->place, "return without a value from a function of '%s'", type_text(f, type));
    return s;
  }
  struct expr *e = parse_expression(f);
  if (type->kind == TYPE_VOID) front_fail(f, e->place, "return with a value from a function of 'void'");
  s->expr = expr_as_if_assigned(f, e, type, "a function");
  parse_expect(f, ";");
  return s;
}

static struct label *label_of(struct front *f, struct token *name) {
  for (size_t i = 0; i < f->labels.count; i++)
    if (f->labels.at[i].symbol == name->symbol) return &f->labels.at[i];
  struct label label = {name->symbol, name->place, false};
  vec_push(f->mem, &f->labels, label);
  return &f->labels.at[f->labels.count - 1];
}

static struct stmt *parse_goto(struct front *f, struct stmt *s) {
  if (parse_at(f, "*")) front_outside(f, s->place, "a goto to a computed place");
  struct token *name = parse_name(f, "a label");
  s->kind = S_GOTO;
  s->label = name->text;
  label_of(f, name);
  parse_expect(f, ";");
  return s;
}

static struct stmt *parse_label(struct front *f) {
  struct token *name = parse_name(f, "a label");
  if (f->blocks) front_outside(f, name->place, "a label in a statement that is used as an expression");
  struct stmt *s = stmt_new(f, S_LABEL, name->place);
  struct label *label = label_of(f, name);
  if (label->defined) front_fail(f, name->place, "the label %s appears twice", name->text);
  label->defined = true;
  s->label = name->text;
  parse_expect(f, ":");
  s->body = parse_labelled(f);
  return s;
}

static struct stmt *parse_jump(struct front *f, struct stmt *s, bool is_break) {
  const char *word = is_break ? "break" : "continue";
  bool inside = f->loops || (is_break && f->switches);
  if (!inside && f->atomics) front_fail(f, s->place, "%s would only leave ASIF_ATOMIC; goto would be right", word);
  if (!inside) front_fail(f, s->place, "%s outside a loop", word);
  s->kind = is_break ? S_BREAK : S_CONTINUE;
  parse_expect(f, ";");
  return s;
}

/* To a compiler it is a loop that runs once, so jumps of a loop around it do not pass. */
static struct stmt *parse_atomic(struct front *f, struct stmt *s) {
  uint32_t loops = f->loops, switches = f->switches;
  struct switch_body *switch_body = f->switch_body;
  s->kind = S_ATOMIC;
  f->loops = f->switches = 0;
  f->switch_body = NULL;
  f->atomics++;
  s->body = parse_block(f);
  f->atomics--;
  f->loops = loops;
  f->switches = switches;
  f->switch_body = switch_body;
  return s;
}

static struct stmt *parse_effect_statement(struct front *f, struct stmt *s) {
  s->kind = S_EXPR;
  s->expr = parse_effect(f);
  parse_expect(f, ";");
  return s;
}

/* asm("..."); */
static struct stmt *parse_asm_statement(struct front *f, struct stmt *s) {
  s->expr = parse_asm(f);
  if (s->expr) s->kind = S_EXPR;
  parse_expect(f, ";");
  return s;
}

static struct stmt *parse_one(struct front *f) {
  struct token *t = parse_token(f);
  if (token_is(t, "{")) return parse_block(f);
  struct stmt *s = stmt_new(f, S_EMPTY, t->place);
  if (parse_at_asm(f)) return parse_asm_statement(f, s);
  if (parse_accept(f, ";")) return s;
  if (parse_accept(f, "if")) return parse_if(f, s);
  if (parse_accept(f, "while")) return parse_while(f, s);
  if (parse_accept(f, "do")) return parse_do(f, s);
  if (parse_accept(f, "for")) return parse_for(f, s);
  if (parse_accept(f, "switch")) return parse_switch(f, s);
  if (parse_accept(f, "case")) return parse_case(f, s);
  if (parse_accept(f, "default")) return parse_default(f, s);
  if (parse_accept(f, "return")) return parse_return(f, s);
  if (parse_accept(f, "goto")) return parse_goto(f, s);
  if (parse_accept(f, "break")) return parse_jump(f, s, true);
  if (parse_accept(f, "continue")) return parse_jump(f, s, false);
  if (f->headers & 1u << HEADER_ASIF && parse_accept(f, "ASIF_ATOMIC")) return parse_atomic(f, s);
  if (parse_accept(f, "__asif_atomic")) return parse_atomic(f, s);
  if (at_label(f)) return parse_label(f);
  if (parse_at_type(f))
    front_fail(f, t->place, "a declaration where only a statement may stand; braces around it would be right");
  return parse_effect_statement(f, s);
}

/* What ({ ... }) gives is its last statement's, if that is an expression. */
static struct expr *block_value(struct front *f, struct stmt *block) {
  struct stmt *last = block->count ? block->list[block->count - 1] : NULL;
  struct expr *e = expr_new(f, E_BLOCK, block->place, NULL, NULL, NULL);
  e->block = block;
  e->type = last && last->kind == S_EXPR ? last->expr->type->plain : TYPE_OF(VOID);
  return e;
}

struct expr *block_with(struct front *f, struct decl *d, struct expr *value) {
  struct stmt *block = stmt_new(f, S_BLOCK, d->place), *first = stmt_new(f, S_DECL, d->place),
              *last = stmt_new(f, S_EXPR, value->place);
  first->decl = d;
  last->expr = value;
  block->list = mem_piece(f->mem, 2 * sizeof *block->list);
  block->list[0] = first;
  block->list[1] = last;
  block->count = 2;
  return block_value(f, block);
}

struct expr *parse_block_value(struct front *f) {
  struct token *t = parse_token(f);
  if (!f->function) front_outside(f, t->place, "a statement used as an expression outside a function");
  struct switch_body *outer = f->switch_body;
  f->switch_body = NULL; /* no case of the switch around may be in it */
  f->blocks++;
  parse_deeper(f);
  struct stmt *block = parse_block(f);
  parse_shallower(f);
  f->blocks--;
  f->switch_body = outer;
  struct stmt *last = block->count ? block->list[block->count - 1] : NULL;
  if (last && last->kind == S_EXPR && last->expr->kind == E_OUTSIDE) { /* its type would not be known */
    f->said_place = last->expr->place;
    snprintf(f->said, sizeof f->said, "%s", last->expr->text);
    f->said_how = SAID_OUTSIDE;
    front_again(f);
  }
  return block_value(f, block);
}

static struct stmt *parse_statement(struct front *f) {
  struct attempt a;
  if (ATTEMPT(f, &a)) {
    parse_deeper(f);
    struct stmt *s = parse_one(f);
    parse_shallower(f);
    attempt_end(f, &a);
    return s;
  }
  if (f->said_how == SAID_FATAL) front_again(f);
  struct stmt *s = stmt_outside(f);
  parse_skip_statement(f, s);
  return s;
}

/* A label that a goto names may stand in what could not be read: then that is what is wrong. */
static void check_labels(struct front *f, size_t unread) {
  const struct unread *why = f->unit->unread.count > unread ? &f->unit->unread.at[unread] : NULL;
  for (size_t i = 0; i < f->labels.count; i++) {
    if (f->labels.at[i].defined) continue;
    if (why) front_fail(f, why->place, "%s", why->text);
    front_fail(f, f->labels.at[i].place, "there is no label %s", f->labels.at[i].symbol->name);
  }
}

static void parse_body(struct front *f, struct decl *d) {
  struct statements begin = {{NULL, 0, 0}};
  size_t unread = f->unit->unread.count;
  f->function = d;
  f->labels.count = 0;
  lengths_declare(f, 0, &begin);
  scope_enter(f);
  for (uint32_t i = 0; i < d->param_count; i++) {
    struct decl *param = d->params[i];
    if (!*param->name) front_fail(f, param->place, "a parameter without a name");
    struct symbol *symbol = symbol_of(f, param->name, strlen(param->name));
    if (scope_find_here(f, symbol)) front_fail(f, param->place, "two parameters are called %s", param->name);
    type_must_be_complete(f, param->type, param->place, "a parameter of type");
    param->defined = true;
    scope_bind(f, symbol, param);
  }
  d->body = parse_list(f);
  if (begin.list.count) {
    for (uint32_t i = 0; i < d->body->count; i++) vec_push(f->mem, &begin.list, d->body->list[i]);
    d->body->list = begin.list.at;
    d->body->count = (uint32_t)begin.list.count;
  }
  scope_leave(f);
  check_labels(f, unread);
  f->function = NULL;
}

void parse_function_body(struct front *f, struct decl *d) {
  struct attempt a;
  if (ATTEMPT(f, &a)) {
    parse_body(f, d);
    attempt_end(f, &a);
    return;
  }
  if (f->said_how == SAID_FATAL) front_again(f);
  d->body = stmt_outside(f);
  parse_skip_token(f);
}
