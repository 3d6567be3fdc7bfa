/* Memory: where lvalues are, values in registers, loads and stores. */
#include <assert.h>

#include "front/lower.h"

/* Lvalues. */

static struct lvalue lvalue_at(struct value address, uint8_t flags, const struct expr *e) {
  struct lvalue v = {.address = address, .flags = flags, .type = e->type, .expr = e};
  if (address.kind == VALUE_SLOT) {
    v.in_registers = true;
    v.r = (reg)(address.r + address.imm);
  }
  if (e->type->atomic) v.flags |= FLAG_ATOMIC;
  return v;
}

struct lvalue lvalue_part(struct lvalue v, uint32_t cell) {
  v.r = (reg)(v.r + cell);
  v.address.imm += cell;
  return v;
}

static struct lvalue lvalue_in(reg r, const struct expr *e) {
  return (struct lvalue){.in_registers = true, .r = r, .type = e->type, .expr = e};
}

static struct lvalue lvalue_name(struct lowering *l, const struct expr *e) {
  const struct decl *d = e->decl;
  if (d->kind == DECL_FUNCTION)
    return lvalue_at((struct value){.kind = VALUE_GLOBAL, .global = global_for(l, d)}, 0, e);
  if (d->kind != DECL_VARIABLE) lower_outside(l, e->place, "%s here", d->name);
  const struct home *h = &l->homes[d->id];
  switch (h->kind) {
  case HOME_REGISTERS: return lvalue_in(h->r, e);
  case HOME_MEMORY: return lvalue_at(value_in(h->r), l->uses[d->id] & USE_ADDRESS ? 0 : FLAG_LOCAL, e);
  case HOME_VALUE: return lvalue_in(value_reg(l, h->value, e->place), e);
  case HOME_NONE: break;
  }
  if (d->storage == STORAGE_AUTO || d->storage == STORAGE_PARAM)
    lower_outside(l, e->place, "%s, whose declaration was jumped over,", d->name);
  if (d->storage == STORAGE_THREAD_LOCAL)
    return lvalue_at(own_word(l, OWN_LOCALS, l->global_of[d->id] - 1, e->place),
                     l->uses[d->id] & USE_ADDRESS ? 0 : FLAG_LOCAL, e);
  uint32_t global = global_for(l, d);
  struct value address = {.kind = VALUE_GLOBAL, .global = global};
  return lvalue_at(address, l->globals.at[global].constant ? FLAG_CONSTANT : 0, e);
}

/* What the value of a pointer points to. */
static struct lvalue lvalue_indexed(struct lowering *l, const struct expr *e) {
  uint32_t cells = e->type->cells;
  if (e->a->kind != E_DECAY) {
    struct value base = lower_value(l, e->a);
    return lvalue_at(value_moved(l, base, lower_value(l, e->b), cells, 0, e->place), 0, e);
  }
  struct given first;
  struct lvalue array = l->given.count && lower_given(l, e->a->a, &first) ? first.lvalue : lvalue_of(l, e->a->a);
  uint32_t bound = e->a->a->type->count;
  struct value index = lower_value(l, e->b);
  bool inside = index.kind == VALUE_NUMBER && index.imm >= 0 && index.imm < bound;
  uint8_t flags = array.flags & (FLAG_LOCAL | FLAG_CONSTANT | FLAG_ATOMIC);
  if (inside) {
    array = lvalue_part(array, (uint32_t)index.imm * cells);
  } else {
    if (array.in_registers) lower_refuse(l, e->place, "the index is outside the array");
    array.address = value_moved(l, array.address, index, cells, bound + e->addressed, e->place);
  }
  array.type = e->type;
  array.expr = e;
  array.flags = (uint8_t)(flags | (e->type->atomic ? FLAG_ATOMIC : 0));
  return array;
}

static struct lvalue lvalue_index(struct lowering *l, const struct expr *e) {
  bool array = e->a->kind == E_DECAY;
  struct operand both[] = {{array ? e->a->a : e->a, array, false}, {e->b, false, false}};
  size_t given = l->given.count;
  lower_unordered(l, both, 2, false, e->place);
  struct lvalue v = lvalue_indexed(l, e);
  l->given.count = given;
  return v;
}

static const struct expr *pointed_expr(struct lowering *l, const struct expr *pointer, const struct type *of) {
  struct expr *e = mem_piece(l->mem, sizeof *e);
  *e = (struct expr){.kind = E_DEREF, .a = (struct expr *)pointer, .type = of, .place = pointer->place, .lvalue = true};
  return e;
}

/* *&a[n] is an access, which &a[n] is not. */
static const struct expr *accessed(struct lowering *l, const struct expr *index) {
  struct expr *e = mem_piece(l->mem, sizeof *e);
  *e = *index;
  e->addressed = false;
  return e;
}

/* lvalue: the expression that it is, NULL if only the pointer is written in the source. */
struct lvalue lvalue_pointed(struct lowering *l, const struct expr *pointer, const struct type *of,
                             const struct expr *lvalue) {
  const struct expr *p = pointer_without_casts(pointer);
  struct given given;
  struct lvalue v;
  if (l->given.count && lower_given(l, pointer, &given)) {
    struct expr e = {.type = of};
    v = lvalue_at(given.value, 0, &e);
    v.expr = lvalue ? lvalue : pointed_expr(l, p, of);
  } else if (p->kind == E_ADDRESS) {
    v = lvalue_of(l, p->a->addressed ? accessed(l, p->a) : p->a);
    v.type = of;
  } else {
    struct expr e = {.type = of};
    v = lvalue_at(lower_value(l, p), 0, &e);
    v.expr = lvalue ? lvalue : pointed_expr(l, p, of);
  }
  if (of->atomic) v.flags |= FLAG_ATOMIC;
  return v;
}

struct lvalue lvalue_of(struct lowering *l, const struct expr *e) {
  switch (e->kind) {
  case E_NAME: return lvalue_name(l, e);
  case E_FIELD: {
    struct lvalue v = lvalue_part(lvalue_of(l, e->a), e->field->cell);
    v.type = e->type;
    v.expr = e;
    if (e->type->atomic) v.flags |= FLAG_ATOMIC;
    return v;
  }
  case E_INDEX: return lvalue_index(l, e);
  case E_DEREF: return lvalue_pointed(l, e->a, e->type, e);
  case E_COMPOUND: {
    reg r = reg_new(l, e->type->cells, "");
    value_init(l, r, e->type, e->a);
    return lvalue_in(r, e);
  }
  default: return lvalue_in(value_reg(l, lower_value(l, e), e->place), e);
  }
}

/* Values in registers. */

/* The word that stands for what was never set is a number of the program's as well. */
static void refuse_marker(struct lowering *l, struct value v, struct place at) {
  if (v.imm == WORD_UNINITIALISED) lower_outside(l, at, "the number 0x8000000000000000, -2^63 as a signed one,");
}

reg value_reg(struct lowering *l, struct value v, struct place at) {
  struct inst *in;
  switch (v.kind) {
  case VALUE_REG:
    if (!v.imm) return v.r;
    in = emit_inst(l, I_OFFSET, at);
    in->a = v.r;
    break;
  case VALUE_GLOBAL:
    in = emit_inst(l, I_GLOBAL, at);
    in->b = (reg)v.global;
    break;
  case VALUE_SLOT: lower_outside(l, at, "the address of what is no variable");
  default:
    refuse_marker(l, v, at);
    in = emit_inst(l, I_CONST, at);
    break;
  }
  in->imm = v.imm;
  reg r = reg_new(l, 1, "");
  return l->code.at[l->code.count - 1].d = r;
}

/* The value that the last instruction gave goes to r at once, if nothing else has it: an intermediate value has no
 * name. */
static bool redirect(struct lowering *l, reg r, uint32_t count, struct value v) {
  if (l->code.count == l->begin || l->label_here == l->code.count || *l->names.at[v.r]) return false;
  struct inst *in = &l->code.at[l->code.count - 1];
  const struct group *g = &l->groups.at[l->group_of.at[v.r]];
  struct span s[3];
  unsigned n = inst_writes(in, s);
  if (!n || in->d != v.r || s[0].count != count || g->first != v.r || g->count != count || in->code == I_CAS)
    return false;
  if (in->code == I_FETCH || in->code == I_EXCHANGE || in->count > 1)
    for (unsigned i = 0, reads = inst_reads(in, s); i < reads; i++)
      if (s[i].first < r + count && r < s[i].first + s[i].count) return false;
  in->d = r;
  return true;
}

/* The value is used up: it is nowhere else. */
void value_assign(struct lowering *l, reg r, uint32_t count, struct value v, struct place at) {
  if (!count) return;
  struct inst *in;
  switch (v.kind) {
  case VALUE_REG:
    if (v.imm) {
      in = emit_inst(l, I_OFFSET, at);
    } else {
      if (v.r == r || redirect(l, r, count, v)) return;
      in = emit_inst(l, I_MOVE, at);
      in->count = (uint16_t)count;
    }
    in->a = v.r;
    break;
  case VALUE_GLOBAL:
    in = emit_inst(l, I_GLOBAL, at);
    in->b = (reg)v.global;
    break;
  case VALUE_SLOT: lower_outside(l, at, "the address of what is no variable");
  default:
    refuse_marker(l, v, at);
    in = emit_inst(l, I_CONST, at);
    break;
  }
  in->imm = v.imm;
  in->d = r;
}

void value_unset(struct lowering *l, reg r, struct place at) {
  struct inst *in = emit_inst(l, I_CONST, at);
  in->imm = WORD_UNINITIALISED;
  in->d = r;
}

reg value_copy(struct lowering *l, struct value v, uint32_t count, struct place at) {
  reg r = reg_new(l, count, "");
  value_assign(l, r, count, v, at);
  return r;
}

bool init_is_zero(const struct expr *e) {
  if (!e) return true;
  if (e->kind == E_NUMBER) return e->value == 0;
  if (e->kind == E_CAST) return init_is_zero(e->a);
  if (e->kind != E_INIT) return false;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!init_is_zero(e->args[i])) return false;
  return true;
}

static void zero(struct lowering *l, reg r, uint32_t cells, struct place at) {
  for (uint32_t i = 0; i < cells; i++) value_assign(l, (reg)(r + i), 1, value_number(0), at);
}

/* The registers get what an initialiser says. */
static void init_parts(struct lowering *l, reg r, const struct type *t, const struct expr *e) {
  bool parts = t->kind == TYPE_STRUCT || t->kind == TYPE_UNION || t->kind == TYPE_ARRAY;
  if (e->kind != E_INIT) {
    value_assign(l, r, t->cells, lower_value(l, e), e->place);
    return;
  }
  if (!parts) {
    if (e->arg_count && e->args[0])
      init_parts(l, r, t, e->args[0]);
    else
      zero(l, r, 1, e->place);
    return;
  }
  uint32_t done = 0;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const struct type *of = t->kind == TYPE_ARRAY ? t->of : t->fields[i].type;
    uint32_t cell = t->kind == TYPE_ARRAY ? i * of->cells : t->fields[i].cell;
    if (t->kind == TYPE_UNION && !e->args[i]) continue;
    if (e->args[i])
      init_parts(l, (reg)(r + cell), of, e->args[i]);
    else
      zero(l, (reg)(r + cell), of->cells, e->place);
    done = cell + of->cells;
  }
  if (done < t->cells) zero(l, (reg)(r + done), t->cells - done, e->place);
}

void value_init(struct lowering *l, reg r, const struct type *t, const struct expr *e) {
  size_t given = l->given.count;
  lower_unordered_init(l, e);
  init_parts(l, r, t, e);
  l->given.count = given;
}

/* Accesses. */

struct inst *emit_access(struct lowering *l, enum code code, const struct lvalue *v, struct place at) {
  struct value a = v->address;
  reg r = NO_REG;
  if (v->in_registers) lower_outside(l, at, "an atomic operation on a variable in registers");
  if (a.kind != VALUE_GLOBAL && a.kind != VALUE_REG) {
    r = value_reg(l, a, at);
    a = value_in(r);
  }
  assert(a.kind == VALUE_GLOBAL || a.r < l->names.count);
  struct inst *in = emit_inst(l, code, at);
  in->a = a.kind == VALUE_GLOBAL ? (reg)a.global : a.r;
  in->imm = a.imm;
  in->flags |= v->flags & (FLAG_ATOMIC | FLAG_LOCAL | FLAG_CONSTANT);
  if (a.kind == VALUE_GLOBAL) in->flags |= FLAG_GLOBAL;
  in->count = (uint16_t)v->type->cells;
  in->scalar = scalar_of(v->type);
  in->expr = v->expr;
  in->order = in->order_failure = in->flags & FLAG_ATOMIC ? ORDER_SEQ_CST : ORDER_PLAIN;
  if (v->call) in->order = v->call->order, in->order_failure = v->call->order_failure;
  return in;
}

/* A constant that is known now. */
static bool known(const struct lowering *l, const struct lvalue *v, struct value *out) {
  if (!(v->flags & FLAG_CONSTANT) || v->address.kind != VALUE_GLOBAL || v->type->cells != 1) return false;
  const struct program_global *g = &l->globals.at[v->address.global];
  if (v->address.imm < 0 || v->address.imm >= l->layouts.at[g->layout].count) return false;
  word w = g->init[v->address.imm];
  *out = word_is_pointer(w) ? (struct value){.kind = VALUE_GLOBAL, .global = word_object(w), .imm = word_cell(w)}
                            : value_number(w);
  return !word_is_pointer(w) || (!word_mark(w) && !(w & WORD_PAST));
}

/* How many cells are read or written at once: of what is not atomic, one; others may come between two of them. */
static uint32_t at_once(const struct lvalue *v) {
  return v->flags & (FLAG_ATOMIC | FLAG_LOCAL | FLAG_CONSTANT) ? ACCESS_MOST : 1;
}

struct value value_load(struct lowering *l, const struct lvalue *v, struct place at) {
  struct value out;
  if (v->in_registers) return value_in(v->r);
  if (known(l, v, &out)) return out;
  uint32_t cells = v->type->cells;
  if (cells > ACCESS_MOST && (v->flags & FLAG_ATOMIC)) lower_outside(l, at, "an atomic object of %u parts", cells);
  reg r = reg_new(l, cells, "");
  for (uint32_t done = 0, most = at_once(v); done < cells; done += most) {
    struct lvalue part = lvalue_part(*v, done);
    struct inst *in = emit_access(l, I_LOAD, &part, at);
    in->d = (reg)(r + done);
    in->count = (uint16_t)(cells - done < most ? cells - done : most);
  }
  return value_in(r);
}

void value_store(struct lowering *l, const struct lvalue *v, struct value value, struct place at) {
  uint32_t cells = v->type->cells;
  if (v->in_registers) {
    value_assign(l, v->r, cells, value, at);
    return;
  }
  if (cells > ACCESS_MOST && (v->flags & FLAG_ATOMIC)) lower_outside(l, at, "an atomic object of %u parts", cells);
  reg r = value_reg(l, value, at);
  for (uint32_t done = 0, most = at_once(v); done < cells; done += most) {
    struct lvalue part = lvalue_part(*v, done);
    struct inst *in = emit_access(l, I_STORE, &part, at);
    in->b = (reg)(r + done);
    in->count = (uint16_t)(cells - done < most ? cells - done : most);
  }
}
