/* The harness: the macros of asif.h, which say what object the file implements and how it is used. In the model they
 * are no macros but declarations of their own, known once asif.h is included. */
#include "front/front.h"

enum { ARGUMENTS_MOST = 3, THREADS_MOST = 1000 };

/* A name of a specification's: a keyword of C may be one too (register). */
static struct token *parse_word(struct front *f, const char *what) {
  struct token *t = parse_token(f);
  return t->kind == TOKEN_NAME ? (f->at++, t) : parse_name(f, what);
}

/* ASIF_OBJECT(bounded_queue(2 * 4)): the text of a specification, bounded-queue(8). */
static void parse_object_macro(struct front *f, struct place place) {
  struct harness *h = &f->unit->harness;
  struct text spec;
  if (h->spec) front_fail(f, place, "a second ASIF_OBJECT; a file is about one object");
  text_open(&spec, f->mem);
  parse_expect(f, "(");
  do {
    struct token *t = parse_word(f, "the name of a specification, such as ASIF_OBJECT(stack)");
    for (size_t i = 0; i < t->length; i++) text_char(&spec, t->text[i] == '_' ? '-' : t->text[i]);
    if (parse_at(f, "-")) text_char(&spec, '-');
  } while (parse_accept(f, "-"));
  if (parse_accept(f, "(")) {
    text_printf(&spec, "(%lld)", (long long)parse_constant(f, "the parameter of a specification"));
    parse_expect(f, ")");
  }
  parse_expect(f, ")");
  h->spec = text_string(&spec);
  h->spec_place = place;
}

static struct decl *parse_function_name(struct front *f) {
  struct token *t = parse_name(f, "a function");
  struct decl *d = scope_find(t->symbol);
  if (d && d->kind != DECL_FUNCTION)
    front_fail(f, t->place, "%s is %s, not a function", t->text,
               d->kind == DECL_VARIABLE  ? "a variable"
               : d->kind == DECL_TYPEDEF ? "a type"
                                         : "a constant");
  if (!d) {
    const struct token *below = scope_below(f, t->symbol);
    if (below)
      front_fail(f, t->place, "%s is declared only below, in line %u: this line belongs after it", t->text,
                 below->place.line);
    const char *near = scope_nearest(f, t->symbol);
    if (near) front_fail(f, t->place, "there is no function %s; %s would be right", t->text, near);
    front_fail(f, t->place, "there is no function %s in this file, nor in those that it includes", t->text);
  }
  struct use use = {d, t->place};
  vec_push(f->mem, &f->uses, use);
  d->used = true;
  return d;
}

/* ASIF_SPEC(name, struct state, init). */
static void parse_spec_macro(struct front *f, struct place place) {
  struct harness *h = &f->unit->harness;
  if (h->own_spec) front_fail(f, place, "a second ASIF_SPEC");
  parse_expect(f, "(");
  h->own_spec = parse_word(f, "the name of a specification")->text;
  parse_expect(f, ",");
  h->own_state = parse_type_name(f);
  if (parse_accept(f, ",")) h->own_init = parse_function_name(f);
  parse_expect(f, ")");
}

/* ASIF_SPEC_OP(f, "other names"). */
static void parse_spec_op(struct front *f, struct place place) {
  struct harness_spec_op op = {.place = place};
  struct text names;
  text_open(&names, f->mem);
  parse_expect(f, "(");
  op.function = parse_function_name(f);
  text_add(&names, op.function->name);
  if (parse_accept(f, ",")) {
    struct token *t = parse_token(f);
    if (t->kind != TOKEN_STRING)
      front_fail(f, t->place, "other names of an operation are a text, such as \"push add\"");
    f->at++;
    text_printf(&names, " %.*s", (int)t->length, t->text);
  }
  parse_expect(f, ")");
  op.names = text_string(&names);
  const struct type *t = op.function->type;
  if (!t->param_count || t->params[0]->kind != TYPE_POINTER)
    front_fail(f, place, "%s of a specification takes a pointer to the state first", op.function->name);
  vec_push(f->mem, &f->unit->harness.own_ops, op);
}

static void parse_range(struct front *f, const struct type *type, int64_t *low, int64_t *high) {
  struct place place = parse_expect(f, "ASIF_IN")->place;
  parse_expect(f, "(");
  *low = parse_constant(f, "the least value of an argument");
  parse_expect(f, ",");
  *high = parse_constant(f, "the greatest value of an argument");
  parse_expect(f, ")");
  if (*low > *high) front_fail(f, place, "ASIF_IN(%lld, %lld) has no values", (long long)*low, (long long)*high);
  if (fold_wrap(*low, type) != *low || fold_wrap(*high, type) != *high)
    front_fail(f, place, "a parameter of type '%s' does not hold all values of ASIF_IN", type_text(f, type));
}

static bool is_int_or_long(const struct type *t) {
  return t->kind == TYPE_INT && t->is_signed && t->bits >= 32 && t->bits <= 64 && !t->is_enum;
}

/* What asif.h asks of an operation where the file is compiled. */
static void check_operation(struct front *f, const struct decl *d, struct place place) {
  const struct type *t = d->type, *result = t->of;
  if (t->param_count > ARGUMENTS_MOST) front_fail(f, place, "an operation takes at most %d arguments", ARGUMENTS_MOST);
  if (!is_int_or_long(result) && result->kind != TYPE_BOOL && result->kind != TYPE_VOID)
    front_fail(f, place, "an operation returns void, bool, int or long, not '%s'", type_text(f, result));
  for (uint32_t i = 0; i < t->param_count; i++)
    if (!is_int_or_long(t->params[i]))
      front_fail(f, place, "an operation takes int or long, not '%s'", type_text(f, t->params[i]));
}

/* ASIF_OP(f, ASIF_IN(1, 3)), ASIF_OP_AS(name, f, ...). */
static void parse_op(struct front *f, struct place place, bool named) {
  struct harness_op op = {.place = place};
  parse_expect(f, "(");
  if (named) {
    op.name = parse_word(f, "the name of an operation")->text;
    parse_expect(f, ",");
  }
  op.function = parse_function_name(f);
  if (!named) op.name = op.function->name;
  check_operation(f, op.function, place);
  for (uint32_t i = 0; i < op.function->type->param_count; i++) {
    const struct type *type = op.function->type->params[i];
    op.low[i] = 1;
    op.high[i] = 2;
    if (parse_accept(f, ",")) parse_range(f, type->plain, &op.low[i], &op.high[i]);
  }
  if (parse_at(f, ",")) front_fail(f, place, "%s takes fewer arguments than there are ASIF_IN", op.function->name);
  parse_expect(f, ")");
  vec_push(f->mem, &f->unit->harness.ops, op);
}

/* ASIF_ROLE(writer, 1, write, ...). */
static void parse_role(struct front *f, struct place place) {
  struct harness_role role = {.place = place, .count = -1};
  VEC(struct decl *) ops = {NULL, 0, 0};
  parse_expect(f, "(");
  role.name = parse_word(f, "the name of a role")->text;
  parse_expect(f, ",");
  if (!parse_accept(f, "ASIF_REST")) {
    int64_t count = parse_constant(f, "the number of threads of a role");
    if (count < 1 || count > THREADS_MOST)
      front_fail(f, place, "a role has 1 to %d threads, or ASIF_REST", THREADS_MOST);
    role.count = (int)count;
  }
  while (parse_accept(f, ",")) vec_push(f->mem, &ops, parse_function_name(f));
  parse_expect(f, ")");
  if (!ops.count) front_fail(f, place, "a role without operations");
  role.ops = ops.at;
  role.op_count = (uint32_t)ops.count;
  vec_push(f->mem, &f->unit->harness.roles, role);
}

/* ASIF_ACTION(name, "before => after"). */
static void parse_action(struct front *f) {
  struct harness_action action;
  parse_expect(f, "(");
  action.name = parse_word(f, "the name of an action")->text;
  parse_expect(f, ",");
  struct token *t = parse_token(f);
  if (t->kind != TOKEN_STRING) front_fail(f, t->place, "an action is a text, such as \"top: n => top: y, y{next: n}\"");
  f->at++;
  action.text = t->text;
  action.place = t->place;
  parse_expect(f, ")");
  vec_push(f->mem, &f->unit->harness.actions, action);
}

/* ASIF_EFFECT(push(v), "before => after"): the head as it is written. */
static void parse_effect(struct front *f) {
  struct harness_effect effect;
  struct text head;
  text_open(&head, f->mem);
  parse_expect(f, "(");
  effect.head_place = parse_token(f)->place;
  text_add(&head, parse_word(f, "the name of an operation")->text);
  if (parse_accept(f, "(")) {
    text_char(&head, '(');
    while (!parse_at(f, ")")) {
      text_add(&head, parse_word(f, "the name of an argument")->text);
      if (!parse_accept(f, ",")) break;
      text_add(&head, ", ");
    }
    parse_expect(f, ")");
    text_char(&head, ')');
  }
  parse_expect(f, ",");
  struct token *t = parse_token(f);
  if (t->kind != TOKEN_STRING) front_fail(f, t->place, "an effect is a text, such as \"<e> . A => A, returns e\"");
  f->at++;
  effect.head = text_string(&head);
  effect.text = t->text;
  effect.place = t->place;
  parse_expect(f, ")");
  vec_push(f->mem, &f->unit->harness.effects, effect);
}

static void parse_init_macro(struct front *f, struct place place) {
  parse_expect(f, "(");
  struct decl *d = parse_function_name(f);
  parse_expect(f, ")");
  if (d->type->param_count) front_fail(f, place, "ASIF_INIT needs a function without parameters");
  if (f->unit->harness.init) front_fail(f, place, "a second ASIF_INIT");
  f->unit->harness.init = d;
}

static void parse_bound(struct front *f, struct place place) {
  parse_expect(f, "(");
  f->unit->harness.bound = parse_constant(f, "a bound");
  parse_expect(f, ")");
  if (f->unit->harness.bound < 0) front_fail(f, place, "a bound below zero");
}

bool parse_harness(struct front *f) {
  struct token *t = parse_token(f);
  if (!(f->headers & 1u << HEADER_ASIF) || t->kind != TOKEN_NAME || strncmp(t->text, "ASIF_", 5)) return false;
  f->at++;
  if (!parse_at(f, "(")) parse_expect(f, "(");
  if (token_is(t, "ASIF_OBJECT")) {
    parse_object_macro(f, t->place);
  } else if (token_is(t, "ASIF_OP") || token_is(t, "ASIF_OP_AS")) {
    parse_op(f, t->place, token_is(t, "ASIF_OP_AS"));
  } else if (token_is(t, "ASIF_ROLE")) {
    parse_role(f, t->place);
  } else if (token_is(t, "ASIF_ACTION")) {
    parse_action(f);
  } else if (token_is(t, "ASIF_EFFECT")) {
    parse_effect(f);
  } else if (token_is(t, "ASIF_INIT")) {
    parse_init_macro(f, t->place);
  } else if (token_is(t, "ASIF_FINAL")) {
    parse_expect(f, "(");
    parse_function_name(f);
    parse_expect(f, ")");
    f->unit->harness.has_final = true;
    f->unit->harness.final_place = t->place;
  } else if (token_is(t, "ASIF_TEST")) {
    front_fail(f, t->place, "ASIF_TEST: tests that start threads of their own are run by asif test alone");
  } else if (token_is(t, "ASIF_BOUND")) {
    parse_bound(f, t->place);
  } else if (token_is(t, "ASIF_TYPE_STABLE")) {
    parse_expect(f, "(");
    parse_expect(f, ")");
    f->unit->harness.type_stable = true;
  } else if (token_is(t, "ASIF_SPEC")) {
    parse_spec_macro(f, t->place);
  } else if (token_is(t, "ASIF_SPEC_OP")) {
    parse_spec_op(f, t->place);
  } else {
    front_fail(f, t->place, "%s is no macro of asif.h that stands outside functions", t->text);
  }
  return true;
}

/* Roles name operations. */
void harness_finish(struct front *f) {
  const struct harness *h = &f->unit->harness;
  for (size_t i = 0; i < h->roles.count && h->ops.count; i++) {
    const struct harness_role *role = &h->roles.at[i];
    for (uint32_t k = 0; k < role->op_count; k++) {
      bool found = false;
      for (size_t n = 0; n < h->ops.count; n++) found |= h->ops.at[n].function == role->ops[k];
      if (!found) front_fail(f, role->place, "%s has no ASIF_OP", role->ops[k]->name);
    }
  }
}
