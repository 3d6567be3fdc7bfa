/* Assignments within an assignment: x = (y = 1) + z. C orders the store to y after the value that is stored, but not
 * before the rest of the full expression (C11 6.5.16p3, 6.5.2.4p2, 6.5.3.1p2), so not before the store to x.
 *
 * Where others see both objects the code is there several times, and one is chosen (I_CHOOSE): once as it is written,
 * where the inner store is part of the operand, and once for every set of inner stores that wait until all values are
 * there, and then come in any order with the outer one. Between them these are all orders. A simple assignment to an
 * atomic object is such a store too; += and ++ of one are a single operation, whose value is the one that it gave.
 *
 * An assignment in an argument of a call, or before && || ?: and the comma, is sequenced before what follows. One that
 * is behind such an operator may not happen at all: that is not told apart here, and unknown. One that is part of the
 * left side's address (t[n++] = v) is like one on the right; where ++ and -- have one in theirs, it is unknown. */
#include "front/lower.h"

static void find(struct lowering *l, const struct expr *e, bool certain, struct late_list *to) {
  if (!e) return;
  switch (e->kind) {
  case E_CALL: return;
  case E_COMMA: find(l, e->b, certain, to); return;
  case E_LOGICAL: find(l, e->b, false, to); return;
  case E_CONDITION:
    find(l, e->b, false, to);
    find(l, e->c, false, to);
    return;
  case E_ASSIGN:
  case E_STEP:
    if (lower_is_shared(l, e->a) && !((e->op || e->kind == E_STEP) && e->a->type->atomic) && !late_is(l, e)) {
      to->unknown |= !certain || to->count == LATE_MOST;
      if (to->count < LATE_MOST) to->expr[to->count++] = e;
    }
    break;
  default: break;
  }
  find(l, e->a, certain, to);
  find(l, e->b, certain, to);
  find(l, e->c, certain, to);
  for (uint32_t i = 0; i < e->arg_count; i++) find(l, e->args[i], certain, to);
}

struct late_list late_within(struct lowering *l, const struct expr *a, const struct expr *b) {
  struct late_list found = {.count = 0};
  find(l, a, true, &found);
  find(l, b, true, &found);
  return found;
}

bool late_is(const struct lowering *l, const struct expr *e) {
  for (size_t i = 0; i < l->late.count; i++)
    if (l->late.at[i].expr == e && l->late.at[i].frame == l->frame) return true;
  return false;
}

/* What is stored is kept in registers of its own: nothing that follows may be joined with the moves there. */
struct value late_put(struct lowering *l, const struct lvalue *to, struct value v, struct place at) {
  struct late_store s = {*to, v, at};
  if (v.kind == VALUE_REG) s.value = value_in(value_copy(l, v, to->type->cells, at));
  l->label_here = (uint32_t)l->code.count;
  if (!to->in_registers && to->address.kind == VALUE_REG) s.to.address = value_in(value_copy(l, to->address, 1, at));
  l->label_here = (uint32_t)l->code.count;
  vec_push(l->mem, &l->late_stores, s);
  return s.value;
}

struct value late_assign(struct lowering *l, const struct expr *e, const struct late_list *list, bool wanted) {
  uint32_t end = label_new(l), cells = wanted ? e->type->cells : 0;
  reg result = wanted ? reg_new(l, cells, "") : NO_REG;
  unsigned sets = 1u << list->count;
  l->program->unordered = true;
  for (unsigned set = 0; set < sets; set++) {
    uint32_t next = label_new(l);
    size_t late = l->late.count;
    if (set + 1 < sets) {
      reg two = value_reg(l, value_number(2), e->place), chosen = reg_new(l, 1, "");
      struct inst *in = emit_inst(l, I_CHOOSE, e->place);
      in->a = two;
      in->d = chosen;
      emit_branch(l, chosen, true, next, e->place);
    }
    for (unsigned i = 0; i < list->count; i++)
      if (set >> i & 1) vec_push(l->mem, &l->late, ((struct late){list->expr[i], l->frame}));
    struct value v = lower_assignment(l, e, wanted, set != 0);
    l->late.count = late;
    if (wanted) value_assign(l, result, cells, v, e->place);
    if (set + 1 < sets) emit_jump(l, end, e->place);
    label_place(l, next);
  }
  label_place(l, end);
  return value_in(result);
}
