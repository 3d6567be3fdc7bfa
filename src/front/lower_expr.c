/* Expressions: as values, for their effects alone, and as conditions, which become branches. */
#include "front/lower.h"

static bool is_comparison(enum operator op) { return op >= OP_EQ && op <= OP_GE; }

/* Its value is 0 or 1. */
static bool has_one(const struct type *t) { return t->kind != TYPE_INT || t->bits > 1 || !t->is_signed; }
static bool is_truth(const struct expr *e) {
  if (!type_is_word(e->type)) return false;
  if (e->type->kind == TYPE_BOOL) return true;
  if (e->kind == E_CAST && type_is_integer(e->type) && type_is_integer(e->a->type))
    return has_one(e->type) && is_truth(e->a);
  return e->kind == E_LOGICAL || (e->kind == E_UNARY && e->op == OP_NOT) ||
         (e->kind == E_BINARY && is_comparison(e->op));
}

/* Conversions. */

static bool holds_all(const struct type *to, const struct type *from) {
  if (from->kind == TYPE_BOOL) return true;
  if (to->kind == TYPE_BOOL) return false;
  if (from->is_signed == to->is_signed) return from->bits <= to->bits;
  return !from->is_signed && from->bits < to->bits;
}

struct value value_convert(struct lowering *l, struct value v, const struct type *from, const struct type *to,
                           struct place at) {
  if (to->kind == TYPE_VOID || to->kind == TYPE_STRUCT || from->kind == TYPE_STRUCT) return v;
  if (!type_is_word(from) || !type_is_word(to)) return real_convert(l, v, from, to, at);
  if (to->kind == TYPE_POINTER) return v;
  if (v.kind == VALUE_NUMBER) return value_number(fold_wrap(v.imm, to));
  if (to->kind == TYPE_INT && to->bits == 1) { /* a bit-field, and no bool */
    if (from->kind == TYPE_INT && from->bits == 1 && from->is_signed == to->is_signed) return v;
    v = value_binary(l, OP_AND, TYPE_OF(ULONG), v, value_number(1), at);
    return to->is_signed ? value_binary(l, OP_SUB, TYPE_OF(LONG), value_number(0), v, at) : v;
  }
  if (from->kind == TYPE_POINTER) {
    if (to->kind == TYPE_BOOL && v.kind != VALUE_REG) return value_number(1);
    if (to->holds_pointer) return v;
  } else if (holds_all(to, from)) {
    return v;
  }
  reg a = value_reg(l, v, at), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_CAST, at);
  in->a = a;
  in->d = d;
  in->scalar = scalar_of(to);
  return value_in(d);
}

/* Arithmetic. */

static bool fold_numbers(enum operator op, const struct type *t, int64_t a, int64_t b, int64_t *to) {
  const struct type *result = is_comparison(op) ? TYPE_OF(INT) : t;
  struct expr x = {.kind = E_NUMBER, .type = t, .value = a}, y = {.kind = E_NUMBER, .type = t, .value = b};
  struct expr e = {.kind = E_BINARY, .op = op, .type = result, .a = &x, .b = &y};
  if (!type_is_integer(t) || fold(&e)->kind != E_NUMBER) return false;
  *to = e.value;
  return true;
}

static enum operator swapped(enum operator op) {
  switch (op) {
  case OP_LT: return OP_GT;
  case OP_LE: return OP_GE;
  case OP_GT: return OP_LT;
  case OP_GE: return OP_LE;
  default: return op;
  }
}

static bool commutes(enum operator op) {
  return op == OP_ADD || op == OP_MUL || op == OP_AND || op == OP_OR || op == OP_XOR || is_comparison(op);
}

static bool changes_nothing(enum operator op, const struct type *t, int64_t b) {
  switch (op) {
  case OP_SHL: return b == 0 && !t->is_signed; /* of a negative number even that is undefined */
  case OP_ADD:
  case OP_SUB:
  case OP_OR:
  case OP_XOR:
  case OP_SHR: return b == 0;
  case OP_MUL:
  case OP_DIV: return b == 1;
  default: return false;
  }
}

/* t: of the operands; of the left one, in a shift. */
struct value value_binary(struct lowering *l, enum operator op, const struct type *t, struct value a, struct value b,
                          struct place at) {
  int64_t n;
  if (!type_is_word(t)) return real_binary(l, op, t, a, b, at);
  if (a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER && fold_numbers(op, t, a.imm, b.imm, &n)) return value_number(n);
  if (a.kind == VALUE_NUMBER && commutes(op)) {
    struct value left = a;
    a = b;
    b = left;
    op = swapped(op);
  }
  if (b.kind == VALUE_NUMBER && changes_nothing(op, t, b.imm)) return a;
  reg x = value_reg(l, a, at), y = b.kind == VALUE_NUMBER ? NO_REG : value_reg(l, b, at), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_BINARY, at);
  in->op = (uint8_t)op;
  in->a = x;
  in->b = y;
  in->d = d;
  in->imm = b.kind == VALUE_NUMBER ? b.imm : 0;
  in->scalar = scalar_of(t);
  return value_in(d);
}

#define VOID_ARITHMETIC "arithmetic on a 'void *'"

/* Where it may leave an array that is a member, the machine looks. */
static bool stays_inside(const struct lowering *l, struct value p, int64_t cells) {
  if (cells && p.kind == VALUE_REG && l->unit->member_arrays) return false;
  if (cells && p.kind == VALUE_GLOBAL && l->layouts.at[l->globals.at[p.global].layout].array_count) return false;
  if (p.kind == VALUE_REG) return p.imm + cells > -(1 << 20) && p.imm + cells < 1 << 20;
  if (p.kind != VALUE_GLOBAL) return p.kind == VALUE_SLOT && !cells;
  return p.imm + cells >= 0 && p.imm + cells <= l->layouts.at[l->globals.at[p.global].layout].count;
}

struct value value_moved(struct lowering *l, struct value p, struct value by, const struct type *of, bool back,
                         uint32_t bound, struct place at) {
  by = length_scaled(l, by, of, at);
  of = length_element(of);
  int64_t cells = back ? -(int64_t)of->cells : (int64_t)of->cells;
  int64_t bytes = of->kind == TYPE_VOID ? 1 : (int64_t)of->size;
  if (back) bytes = -bytes;
  if (of->kind == TYPE_VOID) lower_loose(l, at, VOID_ARITHMETIC);
  if (by.kind == VALUE_NUMBER && !bound && by.imm > -(1 << 20) && by.imm < 1 << 20 &&
      stays_inside(l, p, by.imm * cells)) {
    p.imm += by.imm * cells;
    p.bytes += by.imm * bytes;
    return p;
  }
  reg a = value_reg(l, p, at), b = value_reg(l, by, at), d = reg_new(l, 1, "");
  if (bound > UINT16_MAX) lower_outside(l, at, "an array of %u elements", bound);
  struct inst *in = emit_inst(l, I_INDEX, at);
  in->a = a;
  in->b = b;
  in->d = d;
  in->imm = cells;
  in->bytes = bytes;
  in->count = (uint16_t)bound;
  return value_in(d);
}

struct value value_added(struct lowering *l, struct value p, struct value by, const struct type *of, bool back,
                         struct place at) {
  bool counts = of->size == 1 && p.kind == VALUE_REG && by.kind == VALUE_NUMBER && by.imm;
  return value_moved(l, p, counts ? value_in(value_reg(l, by, at)) : by, of, back, 0, at);
}

static struct value differ(struct lowering *l, const struct expr *e) {
  if (e->a->type->of->kind == TYPE_VOID) lower_loose(l, e->place, VOID_ARITHMETIC);
  struct value a = lower_value(l, e->a), b = lower_value(l, e->b);
  reg x = value_reg(l, a, e->place), y = value_reg(l, b, e->place), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_DIFFER, e->place);
  in->a = x;
  in->b = y;
  in->d = d;
  const struct type *of = length_element(e->a->type->of);
  in->imm = of->cells;
  in->bytes = of->kind == TYPE_VOID ? 1 : of->size;
  if (of == e->a->type->of) return value_in(d);
  return value_binary(l, OP_DIV, TYPE_OF(LONG), value_in(d), length_elements(l, e->a->type->of, e->place), e->place);
}

/* An integer whose arithmetic is that of a word. */
static bool is_whole(const struct type *t) { return type_is_integer(t) && type_is_word(t); }

/* The call of rand or of one like it, whose number is of 31 bits, that the expression is; or NULL. */
static const struct expr *random_call(const struct expr *e) {
  while (e->kind == E_CAST && is_whole(e->type) && e->type->bits >= 32) e = e->a;
  return e->kind == E_CALL && call_function(e) && e->a->decl->builtin == BUILTIN_RANDOM ? e : NULL;
}

/* rand() and an integer, in the arithmetic of words. */
static bool takes_random(const struct expr *e) {
  return is_whole(e->type) && is_whole(e->a->type) && is_whole(e->b->type) && random_call(e->a);
}

/* rand() % n, rand() & 3, rand() >> 28, rand() / (RAND_MAX / 4 + 1): any of so many numbers. rand() < n, where it may
 * be or not: one of two. 0: nothing of that. */
static int64_t random_below(const struct expr *e) {
  const int64_t most = INT32_MAX;
  if (!takes_random(e) || e->b->kind != E_NUMBER) return 0;
  int64_t n = e->b->value;
  switch (e->op) {
  case OP_MOD: break;
  case OP_AND:
    n++;
    if (n & (n - 1)) return 0;
    break;
  case OP_SHR:
    if (n < 0 || n >= 32) return 0;
    n = (most >> n) + 1;
    break;
  case OP_DIV:
    if (n <= 0) return 0;
    n = most / n + 1;
    break;
  case OP_LT:
  case OP_GE: n = n > 0 && n <= most ? 2 : 0; break;
  case OP_LE:
  case OP_GT: n = n >= 0 && n < most ? 2 : 0; break;
  default: return 0;
  }
  return n > 0 && n <= 65535 ? n : 0;
}

static struct value random_number(struct lowering *l, const struct expr *e, int64_t n) {
  lower_effect(l, random_call(e->a));
  if (n == 1) return value_number(0);
  reg a = value_reg(l, value_number(n), e->place), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_CHOOSE, e->place);
  in->a = a;
  in->d = d;
  return value_in(d);
}

/* rand() % n, where n is not constant, or not one of so many numbers. */
static struct value random_of(struct lowering *l, const struct expr *e) {
  lower_effect(l, random_call(e->a));
  reg a = value_reg(l, lower_value(l, e->b), e->place), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_CHOOSE, e->place);
  in->a = a;
  in->d = d;
  in->op = OP_MOD;
  in->scalar = scalar_of(e->type);
  return value_in(d);
}

static struct value binary_of(struct lowering *l, const struct expr *e) {
  int64_t few = random_below(e);
  if (few) return random_number(l, e, few);
  if (e->op == OP_MOD && takes_random(e)) return random_of(l, e);
  if (e->a->type->kind == TYPE_POINTER && !is_comparison(e->op)) {
    if (e->b->type->kind == TYPE_POINTER) return differ(l, e);
    struct value p = lower_value(l, e->a);
    return value_added(l, p, lower_value(l, e->b), e->a->type->of, e->op == OP_SUB, e->place);
  }
  struct value a = lower_value(l, e->a);
  return value_binary(l, e->op, e->a->type, a, lower_value(l, e->b), e->place);
}

static struct value binary(struct lowering *l, const struct expr *e) {
  size_t given = l->given.count;
  lower_unordered_pair(l, e->a, e->b, e->place);
  struct value v = binary_of(l, e);
  l->given.count = given;
  return v;
}

struct value value_unary(struct lowering *l, enum operator op, const struct type *t, struct value a, struct place at) {
  if (!type_is_word(t)) return real_unary(l, op, t, a, at);
  if (op == OP_NOT && a.kind != VALUE_REG) return value_number(a.kind == VALUE_NUMBER && !a.imm);
  reg r = value_reg(l, a, at), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_UNARY, at);
  in->op = (uint8_t)op;
  in->a = r;
  in->d = d;
  in->scalar = scalar_of(t);
  return value_in(d);
}

static struct value unary(struct lowering *l, const struct expr *e) {
  struct value a = lower_value(l, e->a);
  if (e->op == OP_PLUS) return a;
  return value_unary(l, e->op, e->a->type, a, e->place);
}

/* Conditions. */

static bool is_zero(const struct expr *e) {
  while (e->kind == E_CAST) e = e->a;
  return e->kind == E_NUMBER && !e->value;
}

static bool is_allocation(const struct expr *e) {
  if (e->kind == E_CAST && e->type->kind == TYPE_POINTER && e->type->of->kind == TYPE_VOID) e = e->a;
  if (e->kind != E_CALL || !call_function(e)) return false;
  return e->a->decl->builtin >= BUILTIN_MALLOC && e->a->decl->builtin <= BUILTIN_REALLOC;
}

/* It is zero exactly if what is cast is. */
static bool cast_keeps_zero(const struct expr *e) {
  if (!type_is_word(e->type) || !type_is_word(e->a->type)) return false;
  if (is_allocation(e->a)) return false;
  return e->type->kind == TYPE_BOOL || is_truth(e->a) || scalar_of(e->type).bits >= scalar_of(e->a->type).bits;
}

static void branch_value(struct lowering *l, struct value v, bool when, uint32_t label, struct place at) {
  if (v.kind == VALUE_REG)
    emit_branch(l, value_reg(l, v, at), when, label, at);
  else if ((v.kind != VALUE_NUMBER || v.imm) == when)
    emit_jump(l, label, at);
}

/* The first operand of && || ?: is sequenced before all the rest. */
static void branch_first(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  size_t from = lower_sequenced(l);
  lower_branch(l, e, when, label);
  l->assigning_from = from;
}

static void effect_first(struct lowering *l, const struct expr *e) {
  size_t from = lower_sequenced(l);
  lower_effect(l, e);
  l->assigning_from = from;
}

static void branch_logical(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  if ((e->op == OP_OR_OR) == when) { /* either operand decides */
    branch_first(l, e->a, when, label);
    lower_branch(l, e->b, when, label);
    return;
  }
  uint32_t on = label_new(l);
  branch_first(l, e->a, !when, on);
  lower_branch(l, e->b, when, label);
  label_place(l, on);
}

static void branch_choice(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  uint32_t otherwise = label_new(l), end = label_new(l);
  branch_first(l, e->a, false, otherwise);
  lower_branch(l, e->b, when, label);
  emit_jump(l, end, e->place);
  label_place(l, otherwise);
  lower_branch(l, e->c, when, label);
  label_place(l, end);
}

static void branch_call(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  uint32_t on = label_new(l);
  lower_call_as_condition(l, e, when ? label : on, when ? on : label);
  label_place(l, on);
}

void lower_branch(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  switch (e->kind) {
  case E_LOGICAL: branch_logical(l, e, when, label); return;
  case E_CONDITION: branch_choice(l, e, when, label); return;
  case E_UNARY:
    if (e->op != OP_NOT) break;
    lower_branch(l, e->a, !when, label);
    return;
  case E_BINARY:
    if ((e->op != OP_EQ && e->op != OP_NE) || !is_zero(e->b) || !type_is_word(e->a->type)) break;
    lower_branch(l, e->a, e->op == OP_EQ ? !when : when, label);
    return;
  case E_CAST:
    if (!cast_keeps_zero(e)) break;
    lower_branch(l, e->a, when, label);
    return;
  case E_COMMA:
    effect_first(l, e->a);
    lower_branch(l, e->b, when, label);
    return;
  case E_CALL:
    if (!call_function(e)) break;
    if (e->a->decl->builtin == BUILTIN_NONE)
      branch_call(l, e, when, label);
    else if (!lower_builtin_branch(l, e, when, label))
      break;
    return;
  default: break;
  }
  struct value v = lower_value(l, e);
  branch_value(l, v, when, label, e->place);
}

static struct value logical(struct lowering *l, const struct expr *e) {
  uint32_t no = label_new(l), end = label_new(l);
  reg r = reg_new(l, 1, "");
  lower_branch(l, e, false, no);
  value_assign(l, r, 1, value_number(1), e->place);
  emit_jump(l, end, e->place);
  label_place(l, no);
  value_assign(l, r, 1, value_number(0), e->place);
  label_place(l, end);
  return value_in(r);
}

/* a ? b : c; the value is not wanted where it has none. */
static struct value choice(struct lowering *l, const struct expr *e, bool wanted) {
  if (e->a->kind == E_NUMBER) {
    const struct expr *chosen = e->a->value ? e->b : e->c;
    if (wanted) return lower_value(l, chosen);
    lower_effect(l, chosen);
    return (struct value){0};
  }
  uint32_t otherwise = label_new(l), end = label_new(l), cells = wanted ? e->type->cells : 0;
  reg r = wanted ? reg_new(l, cells, "") : NO_REG;
  branch_first(l, e->a, false, otherwise);
  if (wanted)
    value_assign(l, r, cells, lower_value(l, e->b), e->b->place);
  else
    lower_effect(l, e->b);
  emit_jump(l, end, e->place);
  label_place(l, otherwise);
  if (wanted)
    value_assign(l, r, cells, lower_value(l, e->c), e->c->place);
  else
    lower_effect(l, e->c);
  label_place(l, end);
  return value_in(r);
}

/* Assignment. */

/* a = b = v, of plain objects that others see: the store to b need not come before that to a. */
static const struct expr *chained(struct lowering *l, const struct expr *e) {
  const struct expr *in = e->b;
  while (in->kind == E_CAST && in->implicit) in = in->a;
  if (e->op || l->alone || l->atomic || in->kind != E_ASSIGN || in->op) return NULL;
  if (e->a->type->atomic || in->a->type->atomic) return NULL;
  if (late_within(l, in->a, in->b).count || late_within(l, e->a, NULL).count || late_is(l, e) || late_is(l, in))
    return NULL;
  if (lower_address_is_shared(l, e->a)) return NULL; /* it may be what the inner store changes */
  return lower_is_shared(l, e->a) && lower_is_shared(l, in->a) ? in : NULL;
}

static struct value convert_from(struct lowering *l, const struct expr *e, const struct expr *from, struct value v) {
  if (e == from) return v;
  return value_convert(l, convert_from(l, e->a, from, v), e->a->type, e->type, e->place);
}

static struct value assign_both(struct lowering *l, const struct expr *e, const struct expr *in) {
  struct operand parts[] = {{e->a, true, false}, {in->a, true, false}, {in->b, false, false}};
  size_t given = l->given.count, assigning = l->assigning.count;
  struct given g;
  lower_assigning(l, e->a);
  lower_assigning(l, in->a);
  if (e->a->kind == E_NAME) vec_push(l->mem, &l->assigning, e->a->decl);
  if (in->a->kind == E_NAME) vec_push(l->mem, &l->assigning, in->a->decl);
  lower_unordered(l, parts, 3, false, e->place);
  struct lvalue outer = lower_given(l, e->a, &g) ? g.lvalue : lvalue_of(l, e->a);
  struct lvalue inner = lower_given(l, in->a, &g) ? g.lvalue : lvalue_of(l, in->a);
  struct value v = lower_value(l, in->b);
  l->given.count = given;
  l->assigning.count = assigning;
  if (v.kind == VALUE_REG) v = value_in(value_copy(l, v, in->type->cells, e->place));
  struct value w = convert_from(l, e->b, in, v);
  if (outer.in_registers || inner.in_registers) {
    value_store(l, &inner, v, in->place);
    value_store(l, &outer, w, e->place);
  } else {
    struct late_store late = {outer, w, e->place};
    size_t begin = l->code.count;
    uint32_t base = (uint32_t)l->names.count;
    l->label_here = (uint32_t)begin;
    value_store(l, &inner, v, e->place);
    lower_with_stores(l, begin, base, &late, 1, e->place);
  }
  return outer.in_registers ? value_in(outer.r) : w;
}

struct value lower_assignment(struct lowering *l, const struct expr *e, bool wanted, bool joins) {
  struct operand sides[] = {{e->a, true, e->op && !e->a->type->atomic}, {e->b, false, false}};
  size_t given = l->given.count, late = l->late_stores.count;
  struct given left;
  const struct decl *target = e->a->kind == E_NAME && !e->a->type->atomic ? e->a->decl : NULL;
  lower_assigning(l, e->a);
  if (target) vec_push(l->mem, &l->assigning, target);
  lower_unordered(l, sides, 2, false, e->place);
  bool first = lower_given(l, e->a, &left);
  struct lvalue to = first ? left.lvalue : lvalue_of(l, e->a);
  struct value by = lower_value(l, e->b), v;
  l->given.count = given;
  if (target) l->assigning.count--;
  size_t begin = l->code.count;
  uint32_t base = (uint32_t)l->names.count;
  if (joins) l->label_here = (uint32_t)begin;
  if (e->op) {
    struct update u = {e->op,        by,    e->b->type, e->computing,
                       wanted,       false, e->place,   first && sides[0].is_read ? &left.value : NULL,
                       late_is(l, e)};
    v = lower_update(l, &to, &u);
  } else if (late_is(l, e)) {
    v = late_put(l, &to, by, e->place);
  } else {
    value_store(l, &to, by, e->place);
    v = to.in_registers ? value_in(to.r) : by;
  }
  if (joins) {
    lower_with_stores(l, begin, base, l->late_stores.at + late, (unsigned)(l->late_stores.count - late), e->place);
    l->late_stores.count = late;
  }
  return v;
}

static struct value assign(struct lowering *l, const struct expr *e, bool wanted) {
  const struct expr *in = chained(l, e);
  if (in) return assign_both(l, e, in);
  struct late_list late = {.count = 0};
  if (!l->alone && !l->atomic && !late_is(l, e) && lower_is_shared(l, e->a)) late = late_within(l, e->a, e->b);
  if (late.unknown)
    emit_trap(l, e->place, "an assignment within another, in too many orders: take the expression apart")->imm =
        TRAP_LIMIT;
  else if (late.count)
    return late_assign(l, e, &late, wanted);
  return lower_assignment(l, e, wanted, false);
}

static struct value step(struct lowering *l, const struct expr *e, bool wanted) {
  lower_assigning(l, e->a);
  if (!l->alone && !l->atomic && lower_is_shared(l, e->a) && late_within(l, e->a, NULL).count)
    emit_trap(l, e->place, "an assignment within what is counted, in either order: take the expression apart")->imm =
        TRAP_LIMIT;
  struct lvalue to = lvalue_of(l, e->a);
  struct update u = {e->op,      value_number(1), TYPE_OF(INT), e->computing, wanted,
                     e->postfix, e->place,        NULL,         late_is(l, e)};
  return lower_update(l, &to, &u);
}

/* Casts between pointers. Memory has the cells that it was made with: where it may be accessed as something that does
 * not have the same, that is found out at run time (program.loose). */

static void add_pointed(struct lowering *l, const struct type *t, struct place place, bool guessed) {
  t = length_element(t);
  if (t->kind == TYPE_VOID) return;
  struct pointed p = {t->plain, place};
  for (size_t i = 0; i < (guessed ? l->guessed.count : l->forgotten.count); i++)
    if (type_same((guessed ? l->guessed.at : l->forgotten.at)[i].type, t)) return;
  if (guessed)
    vec_push(l->mem, &l->guessed, p);
  else
    vec_push(l->mem, &l->forgotten, p);
}

static const char *cast_text(struct lowering *l, const struct type *from, const struct type *to) {
  struct text t;
  text_open(&t, l->mem);
  text_add(&t, "a cast from '");
  type_print(from, &t);
  text_add(&t, " *' to '");
  type_print(to, &t);
  text_add(&t, " *'");
  return text_string(&t);
}

void check_pointer_cast(struct lowering *l, const struct expr *e) {
  const struct type *to = e->type->kind == TYPE_POINTER ? e->type->of : NULL;
  const struct type *from = e->a->type->kind == TYPE_POINTER ? e->a->type->of : NULL;
  if (e->a->kind == E_NUMBER || (!to && !from)) return;
  if (to) to = length_element(to);
  if (from) from = length_element(from);
  if (to && from && to->kind != TYPE_VOID && from->kind != TYPE_VOID) {
    if (!cells_agree(l->mem, from, to)) lower_loose(l, e->place, "%s", cast_text(l, from, to));
    return;
  }
  if (to && to->kind != TYPE_VOID) add_pointed(l, to, e->place, true);
  if (from && from->kind != TYPE_VOID) add_pointed(l, from, e->place, false);
}

void forget_type(struct lowering *l, const struct type *t, struct place place) { add_pointed(l, t, place, false); }

/* A type that was forgotten may come back as any of those that are given to what has none. */
void check_forgotten_types(struct lowering *l) {
  for (size_t i = 0; i < l->forgotten.count; i++)
    for (size_t k = 0; k < l->guessed.count; k++)
      if (!cells_agree(l->mem, l->forgotten.at[i].type, l->guessed.at[k].type))
        lower_loose(l, l->guessed.at[k].place, "%s", cast_text(l, l->forgotten.at[i].type, l->guessed.at[k].type));
}

static struct value cast(struct lowering *l, const struct expr *e) {
  if (e->type->kind == TYPE_VOID) {
    lower_effect(l, e->a);
    return (struct value){0};
  }
  if (e->type->kind == TYPE_POINTER && is_allocation(e->a)) {
    if (e->type->of->kind != TYPE_VOID) return lower_allocation(l, e->a->kind == E_CAST ? e->a->a : e->a, e->type->of);
  }
  check_pointer_cast(l, e);
  if (e->type->kind == TYPE_POINTER && e->type->of->kind != TYPE_VOID && e->a->kind == E_CALL) l->cast_as = e->type->of;
  struct value v = lower_value(l, e->a);
  if (type_is_integer(e->type) && type_is_word(e->type) && has_one(e->type) && is_truth(e->a)) return v;
  return value_convert(l, v, e->a->type, e->type, e->place);
}

static struct value address(struct lowering *l, const struct expr *of) {
  struct lvalue v = lvalue_of(l, of);
  return v.in_registers ? (struct value){.kind = VALUE_SLOT, .r = v.r} : v.address;
}

static struct value structure(struct lowering *l, const struct expr *e) {
  if (e->type->mixed) {
    struct expr whole = {.kind = E_COMPOUND, .a = (struct expr *)e, .type = e->type, .place = e->place};
    struct lvalue v = lvalue_of(l, &whole);
    v.expr = e;
    return value_load(l, &v, e->place);
  }
  reg r = reg_new(l, e->type->cells, "");
  value_init(l, r, e->type, e);
  return value_in(r);
}

static struct value load(struct lowering *l, const struct expr *e) {
  if (e->kind == E_NAME && e->decl->kind == DECL_VARIABLE && l->homes[e->decl->id].kind == HOME_VALUE)
    return l->homes[e->decl->id].value;
  struct lvalue v = lvalue_of(l, e);
  return value_load(l, &v, e->place);
}

/* ({ ... }): to what is around it, like the body of a function that is called. */
static struct value block(struct lowering *l, const struct expr *e, bool wanted) {
  const struct stmt *s = e->block, *last = s->count ? s->list[s->count - 1] : NULL;
  bool gives = wanted && e->type->kind != TYPE_VOID;
  reg r = gives ? reg_new(l, e->type->cells, "") : NO_REG;
  size_t begin = l->code.count, from = lower_sequenced(l);
  scope_open(l, s, false);
  for (uint32_t i = 0; i + 1 < s->count; i++) lower_statement(l, s->list[i]);
  if (gives)
    value_assign(l, r, e->type->cells, lower_value(l, last->expr), last->place);
  else
    lower_statement(l, last);
  scope_close(l, e->place);
  call_made(l, begin);
  l->assigning_from = from;
  return gives ? value_in(r) : (struct value){0};
}

static struct value value_of(struct lowering *l, const struct expr *e, bool wanted) {
  struct given given;
  if (l->given.count && lower_given(l, e, &given)) return given.value;
  switch (e->kind) {
  case E_NUMBER: return value_number(e->value);
  case E_NAME:
  case E_FIELD:
  case E_INDEX:
  case E_DEREF:
  case E_COMPOUND: return load(l, e);
  case E_ADDRESS:
  case E_DECAY: return address(l, e->a);
  case E_CALL: return lower_call(l, e, wanted);
  case E_UNARY: return unary(l, e);
  case E_BINARY: return binary(l, e);
  case E_LOGICAL: return logical(l, e);
  case E_ASSIGN: return assign(l, e, wanted);
  case E_STEP: return step(l, e, wanted);
  case E_CONDITION: return choice(l, e, wanted);
  case E_CAST: return cast(l, e);
  case E_COMMA: effect_first(l, e->a); return value_of(l, e->b, wanted);
  case E_INIT: return structure(l, e);
  case E_BLOCK: return block(l, e, wanted);
  case E_OUTSIDE: lower_refuse(l, e->place, "%s", e->text);
  case E_STRING: break;
  }
  lower_outside(l, e->place, "a string used as a value");
}

struct value lower_value(struct lowering *l, const struct expr *e) {
  return value_of(l, e, true);
}

void lower_effect(struct lowering *l, const struct expr *e) {
  if (e->kind == E_LOGICAL) {
    uint32_t on = label_new(l);
    branch_first(l, e->a, e->op == OP_OR_OR, on);
    lower_effect(l, e->b);
    label_place(l, on);
    return;
  }
  value_of(l, e, false);
}
