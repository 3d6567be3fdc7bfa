/* The typing of operators: every function here takes typed operands and makes a typed node, with the conversions of C
 * made explicit, or refuses. */
#include "front/front.h"

static uint16_t depth_with(struct front *f, const struct expr *e, const struct expr *child) {
  if (!child || child->depth < e->depth) return e->depth;
  if (child->depth >= EXPR_DEPTH_MOST)
    front_fail(f, e->place, "an expression that is nested more than %d deep", EXPR_DEPTH_MOST);
  return (uint16_t)(child->depth + 1);
}

struct expr *expr_new(struct front *f, enum expr_kind kind, struct place place, struct expr *a, struct expr *b,
                      struct expr *c) {
  struct expr *e = mem_piece(f->mem, sizeof *e);
  *e = (struct expr){.kind = kind, .place = place, .a = a, .b = b, .c = c};
  e->depth = depth_with(f, e, a);
  e->depth = depth_with(f, e, b);
  e->depth = depth_with(f, e, c);
  return e;
}

void expr_args(struct front *f, struct expr *e, struct expr **args, uint32_t count) {
  e->args = args;
  e->arg_count = count;
  for (uint32_t i = 0; i < count; i++) e->depth = depth_with(f, e, args[i]);
}

struct expr *expr_number(struct front *f, struct place place, int64_t value, const struct type *type) {
  struct expr *e = expr_new(f, E_NUMBER, place, NULL, NULL, NULL);
  e->value = value;
  e->type = type;
  return e;
}

/* The variable that an lvalue is a part of, not through a pointer; NULL if there is none. */
static struct decl *part_of(const struct expr *e) {
  while (e->kind == E_FIELD || (e->kind == E_INDEX && e->a->kind == E_DECAY)) e = e->kind == E_FIELD ? e->a : e->a->a;
  return e->kind == E_NAME ? e->decl : NULL;
}

/* A compound literal whose address is taken is a variable of the block around. */
static void name_compound(struct front *f, struct expr *e) {
  while (e->kind == E_FIELD || (e->kind == E_INDEX && e->a->kind == E_DECAY)) e = e->kind == E_FIELD ? e->a : e->a->a;
  if (e->kind != E_COMPOUND || e->decl || !f->statements) return;
  e->decl = decl_new(f, DECL_VARIABLE, "(literal)", e->type, e->place);
  e->decl->storage = STORAGE_AUTO;
  e->decl->defined = e->decl->address_taken = true;
  struct stmt *s = stmt_new(f, S_DECL, e->place);
  s->decl = e->decl;
  vec_push(f->mem, &f->statements->list, s);
}

void expr_mark_address(struct expr *e) {
  struct decl *d = part_of(e);
  if (d) d->address_taken = true;
}

static struct expr *decay(struct front *f, struct expr *e) {
  if (!e->lvalue) front_outside(f, e->place, "an array within a value that is no variable");
  name_compound(f, e);
  struct expr *pointer = expr_new(f, E_DECAY, e->place, e, NULL, NULL);
  pointer->type = type_pointer(f, e->type->of, e->place);
  return pointer;
}

/* Is a value of one type a value of the other as it is? */
static bool as_it_is(const struct type *from, const struct type *to) {
  if (from->kind == TYPE_INT && to->kind == TYPE_INT && from->holds_pointer != to->holds_pointer) return false;
  return from->kind == to->kind && type_same(from, to);
}

struct expr *expr_convert(struct front *f, struct expr *e, const struct type *type, bool implicit) {
  type = type->plain;
  if (implicit && type->kind == TYPE_POINTER && e->kind == E_CAST && expr_is_null(e)) e = e->a;
  if (implicit && as_it_is(e->type, type) && !(e->lvalue && e->type->atomic)) return e;
  struct expr *cast = expr_new(f, E_CAST, e->place, e, NULL, NULL);
  cast->type = type;
  cast->implicit = implicit;
  return fold(cast);
}

/* A function, used as a value: its address. */
static struct expr *function_address(struct front *f, struct place place, struct expr *function) {
  if (function->decl->builtin) function = expr_name(f, function->place, known_wrapper(f, function));
  struct expr *e = expr_new(f, E_ADDRESS, place, function, NULL, NULL);
  e->type = type_pointer(f, function->type, place);
  return e;
}

/* A string used as a value is a constant array without a name. */
static struct expr *string_variable(struct front *f, struct expr *e) {
  const struct type *of = type_qualified(f, e->type->of, false, true, false);
  struct decl *d = decl_new(f, DECL_VARIABLE, "\"\"", type_array(f, of, e->type->count, true, e->place), e->place);
  struct expr **bytes = mem_piece(f->mem, (e->length + 1) * sizeof *bytes), *init;
  for (size_t i = 0; i <= e->length; i++)
    bytes[i] = expr_number(f, e->place, i < e->length ? e->text[i] : 0, e->type->of);
  init = expr_new(f, E_INIT, e->place, NULL, NULL, NULL);
  init->type = d->type;
  expr_args(f, init, bytes, (uint32_t)e->length + 1);
  d->storage = STORAGE_GLOBAL;
  d->defined = d->is_static = true;
  d->init = init;
  struct expr *name = expr_name(f, e->place, d);
  name->type = e->type;
  return name;
}

struct expr *expr_value(struct front *f, struct expr *e) {
  if (e->kind == E_STRING) e = string_variable(f, e);
  const struct type *t = e->type;
  if (t->kind == TYPE_FUNCTION) return e->kind == E_DEREF ? e->a : function_address(f, e->place, e);
  if (t->kind == TYPE_ARRAY) {
    expr_mark_address(e);
    return decay(f, e);
  }
  if (t->kind == TYPE_MUTEX) front_fail(f, e->place, "a mutex is used only through pthread_mutex_lock and the like");
  return e->lvalue && t->atomic ? expr_convert(f, e, t->plain, true) : e;
}

bool expr_is_null(const struct expr *e) {
  if (e->kind == E_CAST && e->type->kind == TYPE_POINTER && e->type->of->plain->kind == TYPE_VOID) e = e->a;
  return e->kind == E_NUMBER && !e->value && type_is_integer(e->type);
}

/* Floating point that is computed with in other formats than those of float and double. */
_Noreturn static void refuse_float(struct front *f, const struct type *t, struct place place) {
  front_outside(f, place, "arithmetic on '%s'", type_text(f, t->plain));
}

static struct expr *integer(struct front *f, struct expr *e, struct place place, const char *what) {
  e = expr_value(f, e);
  if (!type_is_integer(e->type)) front_fail(f, place, "%s needs an integer, not '%s'", what, type_text(f, e->type));
  return e;
}

/* An integer, or where the operator takes one, a float or double. */
static struct expr *number(struct front *f, struct expr *e, enum operator op, struct place place, const char *what) {
  e = expr_value(f, e);
  bool takes = op == OP_PLUS || op == OP_NEG || (op >= OP_ADD && op <= OP_DIV) || (op >= OP_EQ && op <= OP_GE);
  if (e->type->kind != TYPE_FLOAT || !takes) return integer(f, e, place, what);
  if (e->type->outside) refuse_float(f, e->type, e->place);
  return e;
}

/* Where only zero or not matters, x ? 16 : 0 is x. */
static struct expr *zero_or_not(struct expr *e) {
  bool is = e->kind == E_CONDITION && type_is_integer(e->type) && e->b->kind == E_NUMBER && e->b->value &&
            e->c->kind == E_NUMBER && !e->c->value;
  return is ? e->a : e;
}

struct expr *expr_condition_value(struct front *f, struct expr *e) {
  if (e->kind == E_STRING) return expr_number(f, e->place, 1, TYPE_OF(INT)); /* assert(x && "why") */
  e = zero_or_not(expr_value(f, e));
  if (e->type->kind == TYPE_FLOAT || type_is_int128(e->type)) /* its word, or its words, need not be zero where it is */
    return expr_binary(f, e->place, OP_NE, e, expr_number(f, e->place, 0, TYPE_OF(INT)));
  if (!type_is_scalar(e->type))
    front_fail(f, e->place, "a condition is a number or a pointer, not '%s'", type_text(f, e->type));
  return e;
}

static bool is_void_pointer(const struct type *t) { return t->kind == TYPE_POINTER && t->of->kind == TYPE_VOID; }

/* Integers that differ in their sign alone: compilers take a pointer to one for a pointer to the other. */
static bool differ_in_sign(const struct type *a, const struct type *b) {
  return a->kind == TYPE_INT && b->kind == TYPE_INT && a->bits == b->bits && a->atomic == b->atomic;
}

/* May a pointer of one type become the other without a cast? */
static bool pointers_agree(const struct type *a, const struct type *b) {
  return is_void_pointer(a) || is_void_pointer(b) || type_same(a, b) || differ_in_sign(a->of, b->of);
}

/* True if C lets e be assigned to something of the type. */
static bool can_be_assigned(struct expr *e, const struct type *to) {
  const struct type *from = e->type;
  if (type_is_integer(to) || type_is_floating(to))
    return type_is_number(from) || (to->kind == TYPE_BOOL && from->kind == TYPE_POINTER);
  if (to->kind == TYPE_POINTER) return expr_is_null(e) || (from->kind == TYPE_POINTER && pointers_agree(from, to));
  return (type_is_record(to) || to->kind == TYPE_FLOAT || to->kind == TYPE_VA_LIST) && type_same(from, to);
}

/* As if assigned to something of the type: what names the thing assigned to, in the message. */
struct expr *expr_as_if_assigned(struct front *f, struct expr *e, const struct type *to, const char *what) {
  e = expr_value(f, e);
  const struct type *from = e->type;
  bool fine = can_be_assigned(e, to);
  if (!fine && (to->kind == TYPE_FLOAT || from->kind == TYPE_FLOAT))
    refuse_float(f, to->kind == TYPE_FLOAT && to->outside ? to : from, e->place);
  if (!fine)
    front_fail(f, e->place, "'%s' given to %s of type '%s'", type_text(f, from->plain), what, type_text(f, to->plain));
  return type_is_record(to) ? e : expr_convert(f, e, to, true);
}

/* __attribute__((transparent_union)): the argument becomes the member of its type, otherwise the first member that it
 * can be assigned to. */
struct expr *expr_as_parameter(struct front *f, struct expr *e, const struct type *to) {
  e = expr_value(f, e);
  if (!to->plain->transparent || type_same(e->type, to)) return expr_as_if_assigned(f, e, to, "a parameter");
  const struct type *u = to->plain;
  uint32_t i = 0;
  while (i < u->field_count && !type_same(u->fields[i].type->plain, e->type->plain)) i++;
  if (i == u->field_count)
    for (i = 0; i < u->field_count && !can_be_assigned(e, u->fields[i].type); i++) {}
  if (i == u->field_count) return expr_as_if_assigned(f, e, to, "a parameter");
  struct expr **members = mem_zero(f->mem, i + 1, sizeof *members);
  members[i] = expr_as_if_assigned(f, e, u->fields[i].type, "a parameter");
  struct expr *init = expr_new(f, E_INIT, e->place, NULL, NULL, NULL);
  expr_args(f, init, members, i + 1);
  init->type = u;
  struct expr *made = expr_new(f, E_COMPOUND, e->place, init, NULL, NULL);
  made->type = u;
  made->lvalue = true;
  return expr_value(f, made);
}

/* A kind of mutex that is not plain, in the model headers. */
static bool names_mutex_kind(const char *name) {
  return !strncmp(name, "PTHREAD_MUTEX_RECURSIVE", 23) || !strncmp(name, "PTHREAD_MUTEX_ERRORCHECK", 24) ||
         !strcmp(name, "mtx_recursive");
}

struct expr *expr_name(struct front *f, struct place place, struct decl *d) {
  if (d->kind == DECL_ENUMERATOR) {
    f->unit->mutex_kinds |= names_mutex_kind(d->name) && !f->unit->files.at[place.file].model;
    return expr_number(f, place, d->value, d->type);
  }
  struct expr *e = expr_new(f, E_NAME, place, NULL, NULL, NULL);
  e->decl = d;
  e->type = d->type;
  e->lvalue = d->kind == DECL_VARIABLE;
  return e;
}

/* A pointer keeps its meaning only in a type that is made to hold one. */
static void check_pointer_cast(struct front *f, struct place place, const struct type *to, const struct expr *e) {
  const struct type *from = e->type;
  if (from->kind == TYPE_POINTER && to->kind == TYPE_INT && to->bits < 64)
    front_fail(f, place, "a pointer cast to '%s'; uintptr_t would be right", type_text(f, to->plain));
  if (to->kind == TYPE_POINTER && type_is_integer(from) && from->bits < 64 && e->kind != E_NUMBER)
    front_fail(f, place, "'%s' cast to a pointer; uintptr_t would be right", type_text(f, from->plain));
}

struct expr *expr_cast(struct front *f, struct place place, const struct type *to, struct expr *e) {
  if (to->kind == TYPE_VOID) {
    if (e->type->kind != TYPE_VOID && !type_is_record(e->type) && e->kind != E_STRING) e = expr_value(f, e);
  } else {
    e = expr_value(f, e);
    if (type_is_record(to) && type_same(to, e->type)) return e; /* GNU C */
    if (to->kind == TYPE_FLOAT && type_same(to, e->type)) return expr_as_if_assigned(f, e, to, "a cast");
    if ((to->kind == TYPE_FLOAT && to->outside) || (e->type->kind == TYPE_FLOAT && e->type->outside))
      refuse_float(f, to->outside ? to : e->type, place);
    bool numbers = type_is_number(to) && type_is_number(e->type);
    if (!numbers && (!type_is_scalar(to) || !type_is_scalar(e->type)))
      front_fail(f, place, "'%s' cannot be cast to '%s'", type_text(f, e->type->plain), type_text(f, to->plain));
    check_pointer_cast(f, place, to, e);
  }
  struct expr *cast = expr_new(f, E_CAST, place, e, NULL, NULL);
  cast->type = to->plain;
  return fold(cast);
}

static struct expr *unary(struct front *f, struct place place, enum operator op, struct expr *a,
                          const struct type *type) {
  struct expr *e = expr_new(f, E_UNARY, place, a, NULL, NULL);
  e->op = op;
  e->type = type;
  return fold(e);
}

struct expr *expr_unary(struct front *f, struct place place, enum operator op, struct expr *a) {
  if (op == OP_NOT) return unary(f, place, op, expr_condition_value(f, a), TYPE_OF(INT));
  a = number(f, a, op, place, op == OP_INVERT ? "~" : op == OP_NEG ? "-" : "+");
  const struct type *type = type_is_integer(a->type) ? type_promoted(a->type) : a->type->plain;
  return unary(f, place, op, expr_convert(f, a, type, true), type);
}

static struct expr *binary(struct front *f, struct place place, enum operator op, struct expr *a, struct expr *b,
                           const struct type *type) {
  struct expr *e = expr_new(f, E_BINARY, place, a, b, NULL);
  e->op = op;
  e->type = type;
  return fold(e);
}

static bool is_comparison(enum operator op) { return op >= OP_EQ && op <= OP_GE; }

static struct expr *compare_pointers(struct front *f, struct place place, enum operator op, struct expr *a,
                                     struct expr *b) {
  const struct type *pointer = a->type->kind == TYPE_POINTER ? a->type : b->type;
  bool both = a->type->kind == TYPE_POINTER && b->type->kind == TYPE_POINTER;
  bool fine =
      both ? pointers_agree(a->type, b->type) : (op == OP_EQ || op == OP_NE) && (expr_is_null(a) || expr_is_null(b));
  if (!fine)
    front_fail(f, place, "'%s' compared with '%s'", type_text(f, a->type->plain), type_text(f, b->type->plain));
  if (a->type->kind != TYPE_POINTER || (both && expr_is_null(a))) a = expr_convert(f, a, pointer = b->type, true);
  if (b->type->kind != TYPE_POINTER || (both && expr_is_null(b))) b = expr_convert(f, b, pointer, true);
  return binary(f, place, op, a, b, TYPE_OF(INT));
}

/* GNU C moves a 'void *' by bytes. */
static void steps_over(struct front *f, const struct type *of, struct place place) {
  if (of->kind != TYPE_VOID) type_must_be_complete(f, of, place, "arithmetic on a pointer to");
}

/* Pointer and integer, integer and pointer, or two pointers. */
static struct expr *pointer_arithmetic(struct front *f, struct place place, enum operator op, struct expr *a,
                                       struct expr *b) {
  if (op == OP_ADD && a->type->kind != TYPE_POINTER) {
    struct expr *swap = a;
    a = b;
    b = swap;
  }
  bool difference =
      op == OP_SUB && b->type->kind == TYPE_POINTER && a->type->kind == TYPE_POINTER && type_same(a->type, b->type);
  bool moved = (op == OP_ADD || op == OP_SUB) && a->type->kind == TYPE_POINTER && type_is_integer(b->type);
  if (!difference && !moved)
    front_fail(f, place, "'%s' and '%s' cannot be combined so", type_text(f, a->type->plain),
               type_text(f, b->type->plain));
  steps_over(f, a->type->of, place);
  if (difference) return binary(f, place, op, a, b, TYPE_OF(LONG));
  return binary(f, place, op, a, expr_convert(f, b, TYPE_OF(LONG), true), a->type->plain);
}

struct expr *expr_binary(struct front *f, struct place place, enum operator op, struct expr *a, struct expr *b) {
  a = expr_value(f, a);
  b = expr_value(f, b);
  if ((op == OP_EQ || op == OP_NE) && b->kind == E_NUMBER && !b->value) a = zero_or_not(a);
  if (a->type->kind == TYPE_POINTER || b->type->kind == TYPE_POINTER) {
    if (!type_is_scalar(a->type) || !type_is_scalar(b->type))
      front_fail(f, place, "'%s' and '%s' cannot be combined so", type_text(f, a->type->plain),
                 type_text(f, b->type->plain));
    return is_comparison(op) ? compare_pointers(f, place, op, a, b) : pointer_arithmetic(f, place, op, a, b);
  }
  a = number(f, a, op, place, "this operator");
  b = number(f, b, op, place, "this operator");
  if (op == OP_SHL || op == OP_SHR) {
    if (type_is_int128(b->type)) front_outside(f, b->place, "a shift by an '%s'", type_text(f, b->type->plain));
    const struct type *type = type_promoted(a->type);
    return binary(f, place, op, expr_convert(f, a, type, true), expr_convert(f, b, type_promoted(b->type), true), type);
  }
  const struct type *common = type_usual(a->type, b->type);
  a = expr_convert(f, a, common, true);
  b = expr_convert(f, b, common, true);
  return binary(f, place, op, a, b, is_comparison(op) ? TYPE_OF(INT) : common);
}

struct expr *expr_logical(struct front *f, struct place place, enum operator op, struct expr *a, struct expr *b) {
  struct expr *e = expr_new(f, E_LOGICAL, place, expr_condition_value(f, a), expr_condition_value(f, b), NULL);
  e->op = op;
  e->type = TYPE_OF(INT);
  return fold(e);
}

/* It points to what is const or volatile if one of the two does. */
static const struct type *pointer_to_either(struct front *f, struct place place, const struct type *t,
                                            const struct type *b, const struct type *c) {
  const struct type *of = type_qualified(f, t->of, false, b->constant || c->constant, b->is_volatile || c->is_volatile);
  return of == t->of ? t->plain : type_pointer(f, of, place);
}

static const struct type *choice_type(struct front *f, struct place place, const struct expr *b, const struct expr *c) {
  if (type_is_number(b->type) && type_is_number(c->type)) return type_usual(b->type, c->type);
  if (b->type->kind == TYPE_POINTER && expr_is_null(c)) return b->type->plain;
  if (c->type->kind == TYPE_POINTER && expr_is_null(b)) return c->type->plain;
  if (b->type->kind == TYPE_POINTER && c->type->kind == TYPE_POINTER && pointers_agree(b->type, c->type))
    return pointer_to_either(f, place, is_void_pointer(b->type) ? b->type : c->type, b->type->of, c->type->of);
  if (b->type->kind == TYPE_VOID && c->type->kind == TYPE_VOID) return TYPE_OF(VOID);
  if ((type_is_record(b->type) || b->type->kind == TYPE_FLOAT) && type_same(b->type, c->type)) return b->type->plain;
  if (b->type->kind == TYPE_FLOAT || c->type->kind == TYPE_FLOAT)
    refuse_float(f, c->type->kind == TYPE_FLOAT && c->type->outside ? c->type : b->type, place);
  front_fail(f, place, "a choice between '%s' and '%s'", type_text(f, b->type->plain), type_text(f, c->type->plain));
}

struct expr *expr_choice(struct front *f, struct place place, struct expr *a, struct expr *b, struct expr *c) {
  a = expr_condition_value(f, a);
  b = expr_value(f, b);
  c = expr_value(f, c);
  const struct type *type = choice_type(f, place, b, c);
  if (type_is_scalar(type) || type_is_floating(type)) {
    b = expr_convert(f, b, type, true);
    c = expr_convert(f, c, type, true);
  }
  struct expr *e = expr_new(f, E_CONDITION, place, a, b, c);
  e->type = type;
  return fold(e);
}

/* An lvalue that may be stored to; what it is part of counts as written. */
static void store_to(struct front *f, struct place place, struct expr *a) {
  if (!a->lvalue) front_fail(f, place, "this is no variable, so nothing can be assigned to it");
  if (a->type->kind == TYPE_ARRAY) front_fail(f, place, "an array cannot be assigned to as a whole");
  if (a->type->kind == TYPE_MUTEX) front_fail(f, place, "a mutex is used only through pthread_mutex_lock and the like");
  for (const struct expr *e = a;; e = e->a) { /* const anywhere on the way makes all of it const */
    if (e->type->constant) front_fail(f, place, "assignment to something that is const");
    if (e->kind != E_FIELD) break;
  }
  struct decl *d = part_of(a);
  if (d) d->written = true;
}

struct expr *expr_assign(struct front *f, struct place place, enum operator op, struct expr *a, struct expr *b) {
  store_to(f, place, a);
  const struct type *to = a->type->plain, *computing = NULL;
  if (op == OP_NONE) {
    b = expr_as_if_assigned(f, b, to, "something");
  } else if (to->kind == TYPE_POINTER) {
    b = integer(f, b, place, "this operator");
    if (op != OP_ADD && op != OP_SUB) front_fail(f, place, "only += and -= work on a pointer");
    if (type_is_int128(b->type)) b = expr_convert(f, b, TYPE_OF(LONG), true);
    steps_over(f, to->of, place);
    computing = to;
  } else {
    bool shifts = op == OP_SHL || op == OP_SHR;
    if (to->kind == TYPE_FLOAT && to->outside) refuse_float(f, to, place);
    if (!type_is_integer(to) && !(type_is_floating(to) && op <= OP_DIV))
      front_fail(f, place, "this operator needs an integer, not '%s'", type_text(f, to));
    b = number(f, b, op, place, "this operator");
    if (shifts && type_is_int128(b->type))
      front_outside(f, b->place, "a shift by an '%s'", type_text(f, b->type->plain));
    computing = shifts ? type_promoted(to) : type_usual(to, b->type);
  }
  struct expr *e = expr_new(f, E_ASSIGN, place, a, b, NULL);
  e->op = op;
  e->type = to;
  e->computing = computing;
  return e;
}

struct expr *expr_step(struct front *f, struct place place, enum operator op, bool postfix, struct expr *a) {
  store_to(f, place, a);
  const struct type *t = a->type->plain;
  if (t->kind == TYPE_FLOAT && t->outside) refuse_float(f, t, place);
  if (!type_is_scalar(t) && !type_is_floating(t))
    front_fail(f, place, "%s needs a number or a pointer, not '%s'", op == OP_ADD ? "++" : "--", type_text(f, t));
  if (t->kind == TYPE_POINTER) steps_over(f, t->of, place);
  struct expr *e = expr_new(f, E_STEP, place, a, NULL, NULL);
  e->op = op;
  e->postfix = postfix;
  e->type = t;
  e->computing = t->kind == TYPE_POINTER ? t : type_usual(t, TYPE_OF(INT));
  return e;
}

struct expr *expr_comma(struct front *f, struct place place, struct expr *a, struct expr *b) {
  if (a->type->kind != TYPE_VOID) a = expr_value(f, a);
  if (b->type->kind != TYPE_VOID) b = expr_value(f, b);
  struct expr *e = expr_new(f, E_COMMA, place, a, b, NULL);
  e->type = b->type->plain;
  return e;
}

struct expr *expr_deref(struct front *f, struct place place, struct expr *a) {
  a = expr_value(f, a);
  if (a->type->kind != TYPE_POINTER) front_fail(f, place, "* needs a pointer, not '%s'", type_text(f, a->type->plain));
  if (a->type->of->kind == TYPE_VOID)
    front_fail(f, place, "a 'void *' cannot be read; a cast to the right type would be right");
  struct expr *e = expr_new(f, E_DEREF, place, a, NULL, NULL);
  e->type = a->type->of;
  e->lvalue = e->type->kind != TYPE_FUNCTION;
  return e;
}

struct expr *expr_index(struct front *f, struct place place, struct expr *a, struct expr *b) {
  if (type_is_integer(a->type)) {
    struct expr *swap = a;
    a = b;
    b = swap;
  }
  b = integer(f, b, place, "an index");
  if (type_is_int128(b->type)) b = expr_convert(f, b, TYPE_OF(LONG), true);
  if (a->kind == E_STRING) a = string_variable(f, a);
  a = a->type->kind == TYPE_ARRAY && a->kind != E_STRING ? decay(f, a) : expr_value(f, a);
  if (a->type->kind != TYPE_POINTER)
    front_fail(f, place, "an index needs an array or a pointer, not '%s'", type_text(f, a->type->plain));
  type_must_be_complete(f, a->type->of, place, "an index into");
  struct expr *e = expr_new(f, E_INDEX, place, a, b, NULL);
  e->type = a->type->of;
  e->lvalue = true;
  return e;
}

static struct expr *select_field(struct front *f, struct place place, struct expr *a, const struct field *field) {
  struct expr *e = expr_new(f, E_FIELD, place, a, NULL, NULL);
  const struct type *of = a->type;
  e->field = field;
  e->lvalue = a->lvalue;
  e->type = type_qualified(f, field->type, false, of->constant, of->is_volatile);
  return e;
}

/* The field by its name, also where it is within an anonymous struct; NULL if there is none. */
static struct expr *find_field(struct front *f, struct place place, struct expr *a, const char *name) {
  const struct type *t = a->type->plain;
  const struct field *direct = type_field(t, name);
  if (direct) return select_field(f, place, a, direct);
  for (uint32_t i = 0; i < t->field_count; i++) {
    struct expr *inner =
        *t->fields[i].name ? NULL : find_field(f, place, select_field(f, place, a, &t->fields[i]), name);
    if (inner) return inner;
  }
  return NULL;
}

_Noreturn static void no_field(struct front *f, const struct type *t, const struct token *name) {
  for (uint32_t i = 0; i < t->field_count; i++) {
    const char *like = t->fields[i].name;
    if (name_near(name->text, name->length, like, strlen(like)))
      front_fail(f, name->place, "'%s' has no field '%s'; '%s' would be right", type_text(f, t), name->text, like);
  }
  front_fail(f, name->place, "'%s' has no field '%s'", type_text(f, t), name->text);
}

struct expr *expr_field(struct front *f, struct place place, struct expr *a, const struct token *name, bool arrow) {
  if (arrow) a = expr_deref(f, place, a);
  const struct type *t = a->type->plain;
  if (t->kind == TYPE_POINTER && !arrow) front_fail(f, place, "'.' on a pointer; '->' would be right");
  if (!type_is_record(t)) front_fail(f, place, "'%s' is no struct", type_text(f, t));
  if (a->type->atomic) front_outside(f, place, "a field of an _Atomic struct, used without loading the whole,");
  type_must_be_complete(f, t, place, "a field of");
  struct expr *e = find_field(f, place, a, name->text);
  if (!e) no_field(f, t, name);
  e->arrow = arrow;
  return e;
}

struct expr *expr_address(struct front *f, struct place place, struct expr *a) {
  if (a->type->kind == TYPE_FUNCTION) return expr_value(f, a);
  if (a->kind == E_STRING) a = string_variable(f, a);
  if (!a->lvalue) front_fail(f, place, "& needs a variable");
  if (a->kind == E_FIELD && a->field->is_bits) front_fail(f, place, "a bit-field has no address");
  expr_mark_address(a);
  name_compound(f, a);
  a->addressed = a->kind == E_INDEX;
  struct expr *e = expr_new(f, E_ADDRESS, place, a, NULL, NULL);
  e->type = type_pointer(f, a->type, place);
  return e;
}

/* An address that is known before the program runs: of a variable that outlives functions, or of a part of it. */
static bool is_static_place(const struct expr *e) {
  switch (e->kind) {
  case E_NAME: return e->decl->storage == STORAGE_GLOBAL || e->decl->storage == STORAGE_STATIC_LOCAL;
  case E_FIELD: return is_static_place(e->a);
  case E_INDEX: return e->a->kind == E_DECAY && is_static_place(e->a->a) && e->b->kind == E_NUMBER;
  default: return false;
  }
}

void expr_must_be_static(struct front *f, const struct expr *e) {
  struct constant number;
  if (constant_number(e, &number)) return;
  while (e->kind == E_CAST) e = e->a;
  if (e->kind == E_NUMBER || e->kind == E_STRING) return;
  if ((e->kind == E_ADDRESS || e->kind == E_DECAY) && is_static_place(e->a)) return;
  if (e->kind == E_BINARY && e->type->kind == TYPE_POINTER && e->b->kind == E_NUMBER) {
    expr_must_be_static(f, e->a);
    return;
  }
  if (e->kind != E_INIT) front_fail(f, e->place, "the initialiser of something static must be a constant");
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (e->args[i]) expr_must_be_static(f, e->args[i]);
}
