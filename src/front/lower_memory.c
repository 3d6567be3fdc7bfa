/* Memory: where lvalues are, values in registers, loads and stores. */
#include <assert.h>

#include "front/lower.h"
#include "front/words.h"

/* Lvalues. */

static struct lvalue lvalue_at(struct value address, uint8_t flags, const struct expr *e) {
  struct lvalue v = {.address = address, .flags = flags, .type = e->type, .expr = e};
  if (address.kind == VALUE_SLOT) {
    v.in_registers = true;
    v.r = (reg)(address.r + address.imm);
  }
  if (e->type->atomic) v.flags |= FLAG_ATOMIC;
  v.packed = e->type->own_align && e->type->align < e->type->plain->align;
  return v;
}

struct lvalue lvalue_part(struct lvalue v, uint32_t cell, uint32_t byte) {
  v.r = (reg)(v.r + cell);
  v.address.imm += cell;
  v.address.bytes += byte;
  return v;
}

bool lives_in_memory(const struct lowering *l, const struct decl *d) {
  return (l->uses[d->id] & (USE_MEMORY | USE_ADDRESS)) || d->type->kind == TYPE_MUTEX || d->type->mixed ||
         d->type->variable;
}

/* Puts a value whose parts have no registers of their own into memory, as an unnamed variable. */
static struct lvalue spill(struct lowering *l, struct value v, const struct expr *e) {
  struct decl *d = mem_piece(l->mem, sizeof *d);
  *d = (struct decl){.kind = DECL_VARIABLE, .name = "", .type = e->type, .place = e->place};
  reg r = local_in_memory(l, d, false);
  struct lvalue to = {.address = value_in(r), .flags = FLAG_LOCAL, .type = e->type, .expr = e};
  value_store(l, &to, v, e->place);
  return to;
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
    return lvalue_at(value_moved(l, base, lower_value(l, e->b), e->type, false, 0, e->place), 0, e);
  }
  struct given first;
  struct lvalue array = l->given.count && lower_given(l, e->a->a, &first) ? first.lvalue : lvalue_of(l, e->a->a);
  uint32_t bound = e->a->a->type->count;
  struct value index = lower_value(l, e->b);
  if (e->a->a->type->variable) {
    if (index.kind == VALUE_REG) index = value_in(value_copy(l, index, 1, e->place));
    length_check_index(l, index, e->a->a->type, e->addressed, e->place);
    bound = 0;
  }
  bool inside = index.kind == VALUE_NUMBER && index.imm >= 0 && index.imm < bound;
  uint8_t flags = array.flags & (FLAG_LOCAL | FLAG_CONSTANT | FLAG_ATOMIC);
  if (inside) {
    array = lvalue_part(array, (uint32_t)index.imm * cells, (uint32_t)index.imm * e->type->size);
  } else {
    if (array.in_registers) lower_refuse(l, e->place, "the index is outside the array");
    array.address = value_moved(l, array.address, index, e->type, false, bound ? bound + e->addressed : 0, e->place);
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

/* An unnamed variable of a mixed type, with what it begins as. */
static struct lvalue made_in_memory(struct lowering *l, const struct expr *e, const struct expr *init) {
  struct decl *d = mem_piece(l->mem, sizeof *d);
  *d = (struct decl){.kind = DECL_VARIABLE, .name = "", .type = e->type, .place = e->place};
  reg r = local_in_memory(l, d, init->kind == E_INIT);
  struct lvalue to = {.address = value_in(r), .flags = FLAG_LOCAL, .type = e->type, .expr = e};
  init_in_memory(l, &to, init);
  return to;
}

/* What a compound literal is initialised with. */
static struct value made_value(struct lowering *l, const struct expr *e) {
  if (e->type->mixed) {
    struct lvalue made = made_in_memory(l, e, e->a);
    return value_load(l, &made, e->place);
  }
  reg r = reg_new(l, e->type->cells, "");
  value_init(l, r, e->type, e->a);
  return value_in(r);
}

struct lvalue lvalue_of(struct lowering *l, const struct expr *e) {
  switch (e->kind) {
  case E_NAME: return lvalue_name(l, e);
  case E_FIELD: {
    struct lvalue whole = lvalue_of(l, e->a);
    if (whole.in_registers && e->a->type->mixed) whole = spill(l, value_in(whole.r), e->a);
    struct lvalue v = lvalue_part(whole, e->field->cell, e->field->offset);
    v.type = e->type;
    v.bits = e->field->is_bits ? e->field : NULL;
    v.packed |= e->a->type->packed;
    v.expr = e;
    if (e->type->atomic) v.flags |= FLAG_ATOMIC;
    return v;
  }
  case E_INDEX: return lvalue_index(l, e);
  case E_DEREF: return lvalue_pointed(l, e->a, e->type, e);
  case E_COMPOUND: {
    if (e->decl) { /* what it is initialised with is stored each time it is come to */
      struct expr *name = mem_piece(l->mem, sizeof *name);
      *name = (struct expr){.kind = E_NAME, .decl = e->decl, .type = e->type, .place = e->place, .lvalue = true};
      struct lvalue to = lvalue_of(l, name);
      value_store(l, &to, made_value(l, e), e->place);
      return to;
    }
    if (e->type->mixed) return made_in_memory(l, e, e->a);
    return lvalue_in(made_value(l, e).r, e);
  }
  default: return lvalue_in(value_reg(l, lower_value(l, e), e->place), e);
  }
}

/* Values in registers. */

/* A number. -2^63 is what stands for no value in I_CONST. */
static struct inst *emit_number(struct lowering *l, reg d, int64_t n, struct place at) {
  struct inst *in = emit_inst(l, I_CONST, at);
  in->imm = n;
  in->d = d;
  if (n != WORD_UNINITIALISED) return in;
  in->imm = INT64_MAX;
  in = emit_inst(l, I_UNARY, at);
  in->op = OP_INVERT;
  in->scalar = (struct scalar){.bits = 64, .is_signed = true};
  in->a = in->d = d;
  return in;
}

reg value_reg(struct lowering *l, struct value v, struct place at) {
  struct inst *in;
  switch (v.kind) {
  case VALUE_REG:
    if (!v.imm && !v.bytes) return v.r;
    in = emit_inst(l, I_OFFSET, at);
    in->a = v.r;
    break;
  case VALUE_GLOBAL:
    in = emit_inst(l, I_GLOBAL, at);
    in->b = (reg)v.global;
    break;
  case VALUE_SLOT: lower_outside(l, at, "the address of what is no variable");
  default: {
    reg r = reg_new(l, 1, "");
    emit_number(l, r, v.imm, at);
    return r;
  }
  }
  in->imm = v.imm;
  in->bytes = v.bytes;
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
    if (v.imm || v.bytes) {
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
  default: emit_number(l, r, v.imm, at); return;
  }
  in->imm = v.imm;
  in->bytes = v.bytes;
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
  bool parts = t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY;
  if (e->kind != E_INIT) {
    value_assign(l, r, t->cells, lower_value(l, e), e->place);
    return;
  }
  if (!parts) {
    if (e->arg_count && e->args[0])
      init_parts(l, r, t, e->args[0]);
    else
      zero(l, r, t->cells, e->place);
    return;
  }
  uint32_t done = 0;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const struct type *of = t->kind == TYPE_ARRAY ? t->of : t->fields[i].type;
    uint32_t cell = t->kind == TYPE_ARRAY ? i * of->cells : t->fields[i].cell;
    if (t->is_union && !e->args[i]) continue;
    if (e->args[i])
      init_parts(l, (reg)(r + cell), of, e->args[i]);
    else
      zero(l, (reg)(r + cell), of->cells, e->place);
    done = cell + of->cells;
  }
  if (done < t->cells) zero(l, (reg)(r + done), t->cells - done, e->place);
}

/* The parts of an object that is zero already, except where a value is given as a whole. */
static void init_parts_in_memory(struct lowering *l, const struct lvalue *to, const struct expr *e) {
  const struct type *t = to->type;
  if (e->kind != E_INIT) {
    value_store(l, to, lower_value(l, e), e->place);
    return;
  }
  if (t->kind != TYPE_STRUCT && t->kind != TYPE_ARRAY) {
    if (e->arg_count && e->args[0]) init_parts_in_memory(l, to, e->args[0]);
    return;
  }
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const struct field *f = t->kind == TYPE_ARRAY ? NULL : &t->fields[i];
    const struct type *of = f ? f->type : t->of;
    if (!e->args[i]) continue;
    struct lvalue part = lvalue_part(*to, f ? f->cell : i * of->cells, f ? f->offset : i * of->size);
    part.type = of;
    part.bits = f && f->is_bits ? f : NULL;
    part.packed |= t->packed;
    init_parts_in_memory(l, &part, e->args[i]);
  }
}

void init_in_memory(struct lowering *l, const struct lvalue *to, const struct expr *e) {
  size_t given = l->given.count;
  lower_unordered_init(l, e);
  init_parts_in_memory(l, to, e);
  l->given.count = given;
}

void value_init(struct lowering *l, reg r, const struct type *t, const struct expr *e) {
  size_t given = l->given.count;
  lower_unordered_init(l, e);
  init_parts(l, r, t, e);
  l->given.count = given;
}

/* Accesses. */

/* To an aligned word that is volatile, by one instruction of the processor: what is said of such accesses holds of it.
 */
static void volatile_access(const struct lowering *l, struct inst *in, const struct type *t) {
  if (!t->is_volatile || t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY || t->size > 8) return;
  in->is_volatile = true;
  if (l->volatiles == VOLATILE_UNSAID) return;
  unsigned half = in->code == I_LOAD ? ORDER_ACQUIRE : ORDER_RELEASE;
  in->flags |= FLAG_ATOMIC;
  in->order = in->order_failure = l->volatiles == VOLATILE_RELAXED   ? ORDER_RELAXED
                                  : l->volatiles == VOLATILE_SEQ_CST ? ORDER_SEQ_CST
                                                                     : (uint8_t)half;
}

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
  in->bytes = a.bytes;
  in->shape = cells_shape(l, v->type);
  in->flags |= v->flags & (FLAG_ATOMIC | FLAG_LOCAL | FLAG_CONSTANT);
  if (a.kind == VALUE_GLOBAL) in->flags |= FLAG_GLOBAL;
  in->count = (uint16_t)v->type->cells;
  in->scalar = scalar_of(v->type);
  in->expr = v->expr;
  in->order = in->order_failure = in->flags & FLAG_ATOMIC ? ORDER_SEQ_CST : ORDER_PLAIN;
  if (v->call) in->order = v->call->order, in->order_failure = v->call->order_failure;
  if (!(in->flags & FLAG_ATOMIC)) volatile_access(l, in, v->type);
  return in;
}

/* A constant that is known now. */
static bool known(const struct lowering *l, const struct lvalue *v, struct value *out) {
  if (!(v->flags & FLAG_CONSTANT) || v->address.kind != VALUE_GLOBAL || v->type->kind == TYPE_STRUCT || v->bits)
    return false;
  const struct program_global *g = &l->globals.at[v->address.global];
  const struct layout *layout = &l->layouts.at[g->layout];
  uint32_t cell = 0;
  while (cell < layout->count && layout->cells[cell].offset != v->address.bytes) cell++;
  if (cell == layout->count || layout->cells[cell].size != v->type->size) return false;
  if ((v->flags & FLAG_ATOMIC) && v->address.bytes % v->type->size) return false; /* the machine reports it */
  word w = g->init[cell];
  if (word_is_pointer(w)) {
    const struct layout *to = &l->layouts.at[l->globals.at[word_object(w)].layout];
    uint32_t at = word_cell(w);
    if (!word_is_address(w) || word_mark(w) || at >= to->count) return false;
    *out = (struct value){.kind = VALUE_GLOBAL, .global = word_object(w), .imm = at, .bytes = to->cells[at].offset};
    return true;
  }
  if (word_is_unset(w)) return false;
  *out = value_number(
      fold_wrap(number_of_word(l->program->wides, w), v->type->kind == TYPE_POINTER ? TYPE_OF(LONG) : v->type));
  return true;
}

/* How many cells are read or written at once: of what is not atomic, one; others may come between two of them. */
static uint32_t at_once(const struct lvalue *v) {
  return v->flags & (FLAG_ATOMIC | FLAG_LOCAL | FLAG_CONSTANT) ? ACCESS_MOST : 1;
}

/* The access to `count` cells of an aggregate, from one of them on. */
static struct inst *emit_part(struct lowering *l, enum code code, const struct lvalue *v, uint32_t cell, uint32_t count,
                              struct place at) {
  const struct cell *shape = cells_shape(l, v->type);
  struct lvalue part = lvalue_part(*v, cell, shape ? shape[cell].offset : 0);
  struct inst *in = emit_access(l, code, &part, at);
  in->count = (uint16_t)count;
  if (v->packed || v->type->packed) in->op = ACCESS_PACKED;
  in->shape = shape && count > 1 ? shape + cell : NULL;
  if (shape && count == 1) in->scalar = shape[cell].scalar;
  return in;
}

static uint32_t bytes_with_bits(const struct field *f) { return (f->first_bit + f->width + 7u) / 8; }

/* The bytes that a bit-field is in, as an array of them. */
static struct lvalue bytes_of_bits(struct lowering *l, const struct lvalue *v) {
  struct lvalue bytes = *v;
  struct type *t = mem_piece(l->mem, sizeof *t);
  *t = (struct type){.kind = TYPE_ARRAY, .plain = t, .of = TYPE_OF(UCHAR), .align = 1, .complete = true};
  t->size = t->cells = t->count = bytes_with_bits(v->bits);
  bytes.type = t;
  bytes.bits = NULL;
  return bytes;
}

/* All bytes of a bit-field at once: it is one memory location. */
static reg access_bits(struct lowering *l, enum code code, const struct lvalue *v, reg r, struct place at) {
  struct lvalue bytes = bytes_of_bits(l, v);
  struct inst *in = emit_access(l, code, &bytes, at);
  in->count = (uint16_t)bytes.type->cells;
  in->op = ACCESS_BITS;
  in->bits = v->bits;
  if (in->count == 1) {
    in->shape = NULL;
    in->scalar = scalar_of(TYPE_OF(UCHAR));
  }
  if (code == I_LOAD)
    in->d = r;
  else
    in->b = r;
  return r;
}

static struct value load_bits(struct lowering *l, const struct lvalue *v, struct place at) {
  uint32_t bytes = bytes_with_bits(v->bits);
  reg r = access_bits(l, I_LOAD, v, reg_new(l, bytes, ""), at), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_EXTRACT, at);
  in->a = r;
  in->d = d;
  in->count = (uint16_t)bytes;
  in->imm = v->bits->first_bit;
  in->scalar = scalar_of(v->type);
  return value_in(d);
}

/* What is around it is read and written again: other threads may come between, but nothing of the same expression. */
static void store_bits(struct lowering *l, const struct lvalue *v, struct value value, struct place at) {
  uint32_t bytes = bytes_with_bits(v->bits);
  reg a = value_reg(l, value, at);
  size_t begin = l->code.count;
  reg r = access_bits(l, I_LOAD, v, reg_new(l, bytes, ""), at);
  struct inst *in = emit_inst(l, I_INSERT, at);
  in->a = a;
  in->d = r;
  in->count = (uint16_t)bytes;
  in->imm = v->bits->first_bit;
  in->bytes = v->bits->pad;
  in->scalar = scalar_of(v->type);
  access_bits(l, I_STORE, v, r, at);
  bits_stored(l, begin);
}

struct value value_load(struct lowering *l, const struct lvalue *v, struct place at) {
  struct value out;
  if (v->in_registers) return value_in(v->r);
  if (v->bits) return load_bits(l, v, at);
  if (known(l, v, &out)) return out;
  uint32_t cells = v->type->cells;
  if (cells > ACCESS_MOST && (v->flags & FLAG_ATOMIC)) lower_outside(l, at, "an atomic object of %u parts", cells);
  reg r = reg_new(l, cells, "");
  for (uint32_t done = 0, most = at_once(v); done < cells; done += most)
    emit_part(l, I_LOAD, v, done, cells - done < most ? cells - done : most, at)->d = (reg)(r + done);
  return value_in(r);
}

void value_store(struct lowering *l, const struct lvalue *v, struct value value, struct place at) {
  uint32_t cells = v->type->cells;
  if (v->in_registers) {
    value_assign(l, v->r, cells, value, at);
    return;
  }
  if (v->bits) {
    store_bits(l, v, value, at);
    return;
  }
  if (cells > ACCESS_MOST && (v->flags & FLAG_ATOMIC)) lower_outside(l, at, "an atomic object of %u parts", cells);
  reg r = value_reg(l, value, at);
  for (uint32_t done = 0, most = at_once(v); done < cells; done += most)
    emit_part(l, I_STORE, v, done, cells - done < most ? cells - done : most, at)->b = (reg)(r + done);
}
