/* a op= b, ++ and --, and what atomic_fetch_add and its like do. Of an atomic object that is one step: an I_FETCH, or
 * where the arithmetic is done in a wider type, a loop around a compare-exchange, as C defines it. */
#include "front/lower.h"

static struct value compute(struct lowering *l, const struct update *u, const struct type *t, struct value old) {
  if (t->kind == TYPE_POINTER) return value_added(l, old, u->by, t->of, u->op == OP_SUB, u->place);
  struct value by = u->by;
  if (u->op != OP_SHL && u->op != OP_SHR) by = value_convert(l, by, u->by_type, u->computing, u->place);
  enum operator op = u->op == OP_NAND ? OP_AND : u->op;
  struct value now = value_binary(l, op, u->computing, value_convert(l, old, t, u->computing, u->place), by, u->place);
  if (u->op == OP_NAND) now = value_unary(l, OP_INVERT, u->computing, now, u->place);
  return value_convert(l, now, u->computing, t, u->place);
}

static struct value update_plain(struct lowering *l, const struct lvalue *to, const struct update *u) {
  struct value old = u->loaded ? *u->loaded : value_load(l, to, u->place);
  bool keep = u->wanted && u->old;
  if (keep && to->in_registers) old = value_in(value_copy(l, old, to->type->cells, u->place));
  struct value now = compute(l, u, to->type, to->in_registers && !u->loaded ? value_in(to->r) : old);
  if (u->late)
    now = late_put(l, to, now, u->place);
  else
    value_store(l, to, now, u->place);
  if (keep) return old;
  return to->in_registers ? value_in(to->r) : now;
}

/* The arithmetic of the object's own type gives the same as that of the computing type. */
static bool fetch_does(const struct update *u, const struct type *t) {
  if (t->kind == TYPE_POINTER) return t->of->kind != TYPE_VOID;
  if (t->kind == TYPE_BOOL || !type_is_word(t) || !type_is_word(u->computing)) return false;
  if (t->bits == u->computing->bits && t->is_signed == u->computing->is_signed) return true;
  return u->op == OP_ADD || u->op == OP_SUB || u->op == OP_MUL || u->op == OP_AND || u->op == OP_OR ||
         u->op == OP_XOR || u->op == OP_NAND;
}

static struct value fetch_operand(struct lowering *l, const struct update *u, const struct type *t) {
  if (t->kind == TYPE_POINTER)
    return value_binary(l, OP_MUL, TYPE_OF(LONG), u->by, value_number(t->of->cells), u->place);
  if (u->op == OP_SHL || u->op == OP_SHR) return u->by;
  return value_convert(l, u->by, u->by_type, t, u->place);
}

static struct value update_fetch(struct lowering *l, const struct lvalue *to, const struct update *u) {
  if (to->type->kind == TYPE_POINTER && to->type->of->variable)
    lower_outside(l, u->place, "an atomic operation on a pointer to an array whose size is not a constant");
  reg b = value_reg(l, fetch_operand(l, u, to->type), u->place);
  reg d = reg_new(l, 1, "");
  struct inst *in = emit_access(l, I_FETCH, to, u->place);
  in->op = (uint8_t)u->op;
  if (to->type->kind == TYPE_POINTER) {
    struct cell *element = mem_piece(l->mem, sizeof *element);
    *element = (struct cell){.name = "", .offset = to->type->of->cells, .size = to->type->of->size};
    in->shape = element;
  }
  in->flags |= FLAG_ATOMIC;
  in->b = b;
  in->d = d;
  if (!u->wanted || u->old) return value_in(d);
  struct update wraps = *u; /* as what is stored */
  if (u->computing->kind == TYPE_INT && u->computing->is_signed && u->op >= OP_ADD && u->op <= OP_MUL)
    wraps.computing = u->computing->bits <= 32 ? TYPE_OF(UINT) : TYPE_OF(ULONG);
  return compute(l, &wraps, to->type, value_in(d));
}

static struct value update_loop(struct lowering *l, const struct lvalue *to, const struct update *given) {
  struct update wraps = *given, *u = &wraps; /* as I_FETCH does */
  if (type_is_int128(u->computing) && u->op >= OP_ADD && u->op <= OP_MUL) u->computing = TYPE_OF(UINT128);
  uint32_t again = label_new(l);
  reg old = value_copy(l, value_load(l, to, u->place), to->type->cells, u->place), done = reg_new(l, 1, "");
  label_place(l, again);
  reg now = value_reg(l, compute(l, u, to->type, value_in(old)), u->place);
  struct inst *in = emit_access(l, I_CAS, to, u->place);
  in->b = now;
  in->c = old;
  in->d = done;
  emit_branch(l, done, false, again, u->place);
  return value_in(u->old ? old : now);
}

struct value lower_update(struct lowering *l, const struct lvalue *to, const struct update *u) {
  if (to->in_registers || !(to->flags & FLAG_ATOMIC)) return update_plain(l, to, u);
  return fetch_does(u, to->type) ? update_fetch(l, to, u) : update_loop(l, to, u);
}
