/* Statements. Scopes are kept on a stack, so that jumping out of some of them ends the variables in memory that they
 * declared, and what they made indivisible. */
#include "front/lower.h"

/* Scopes. */

void scope_open(struct lowering *l, const struct stmt *block, bool atomic) {
  vec_push(l->mem, &l->scopes, ((struct scope){block, (uint32_t)l->locals.count, (uint32_t)l->cleanups.count, atomic}));
  if (atomic && !l->atomic++) emit_inst(l, I_ATOMIC, block->place)->imm = 1;
}

/* The calls that end variables from `from` on: the latest first. Meanwhile only those before are there, for a call that
 * is lowered in between. */
static void cleanups_call(struct lowering *l, uint32_t from, uint32_t to) {
  size_t all = l->cleanups.count;
  for (uint32_t i = to; i-- > from;) {
    l->cleanups.count = i;
    lower_effect(l, l->cleanups.at[i]->cleanup);
  }
  l->cleanups.count = all;
}

static void end_life(struct lowering *l, reg r, struct place at) {
  struct inst *in = emit_inst(l, I_FREE, at);
  in->a = r;
  in->flags |= FLAG_LOCAL;
}

/* Variables beyond `locals` are ended too (UINT32_MAX: only those of the scopes). */
void scopes_leave(struct lowering *l, size_t down_to, uint32_t locals, struct place at) {
  size_t live = l->locals.count;
  unsigned atomic = l->atomic;
  uint32_t cleanups = (uint32_t)l->cleanups.count;
  for (size_t i = l->scopes.count; i-- > down_to;) {
    cleanups_call(l, l->scopes.at[i].cleanups, cleanups);
    const struct scope *s = &l->scopes.at[i];
    cleanups = s->cleanups;
    for (; live > s->locals; live--) end_life(l, l->locals.at[live - 1], at);
    if (s->atomic && !--atomic) emit_inst(l, I_ATOMIC, at);
  }
  for (; live > locals; live--) end_life(l, l->locals.at[live - 1], at);
}

bool scopes_plain(const struct lowering *l, size_t down_to) {
  for (size_t i = down_to; i < l->scopes.count; i++)
    if (l->scopes.at[i].atomic || l->scopes.at[i].locals < l->locals.count ||
        l->scopes.at[i].cleanups < l->cleanups.count)
      return false;
  return true;
}

void scope_close(struct lowering *l, struct place at) {
  scopes_leave(l, l->scopes.count - 1, UINT32_MAX, at);
  struct scope s = l->scopes.at[--l->scopes.count];
  l->locals.count = s.locals;
  l->cleanups.count = s.cleanups;
  if (s.atomic) l->atomic--;
}

/* Declarations. */

static void begin_life(struct lowering *l, const struct decl *d, reg r, bool zero) {
  uint32_t layout = layout_for(l, length_element(d->type), d, d->place);
  reg count = d->type->variable ? value_reg(l, length_elements(l, d->type, d->place), d->place) : NO_REG;
  struct inst *in = emit_inst(l, I_ALLOC, d->place);
  in->b = count;
  in->d = r;
  in->imm = layout;
  in->flags |= FLAG_LOCAL;
  if (zero) in->flags |= FLAG_ZERO;
  in->text = d->name;
}

reg local_in_memory(struct lowering *l, const struct decl *d, bool zero) {
  reg r = reg_new(l, 1, lower_text(l, "&%s", d->name));
  begin_life(l, d, r, zero);
  vec_push(l->mem, &l->locals, r);
  return r;
}

void local_renew(struct lowering *l, const struct decl *d, reg r, bool zero) {
  end_life(l, r, d->place);
  begin_life(l, d, r, zero);
}

static void declare_in_memory(struct lowering *l, const struct decl *d) {
  bool zero = d->init && (init_is_zero(d->init) || (d->type->mixed && d->init->kind == E_INIT));
  if (is_hoisted(l, d))
    local_renew(l, d, l->homes[d->id].r, zero);
  else
    l->homes[d->id] = (struct home){.kind = HOME_MEMORY, .r = local_in_memory(l, d, zero)};
  if (!d->init || init_is_zero(d->init)) return;
  struct expr *name = mem_piece(l->mem, sizeof *name);
  *name = (struct expr){.kind = E_NAME, .decl = (struct decl *)d, .type = d->type, .place = d->place, .lvalue = true};
  struct lvalue to = lvalue_of(l, name);
  to.flags &= (uint8_t)~FLAG_ATOMIC;
  if (d->type->mixed) {
    init_in_memory(l, &to, d->init);
    return;
  }
  reg v = reg_new(l, d->type->cells, "");
  value_init(l, v, d->type, d->init);
  value_store(l, &to, value_in(v), d->place);
}

static void declare_variable(struct lowering *l, const struct decl *d) {
  if (d->kind != DECL_VARIABLE || d->storage != STORAGE_AUTO) return;
  if (l->frame->targets.count) vec_push(l->mem, &l->frame->declared, d);
  bool hoisted = is_hoisted(l, d);
  if (!hoisted) vec_push(l->mem, &l->homed, ((struct homed){d->id, l->homes[d->id]}));
  if (lives_in_memory(l, d)) {
    l->statement = d->init != NULL;
    declare_in_memory(l, d);
    return;
  }
  reg r = hoisted ? l->homes[d->id].r : reg_new(l, d->type->cells, "");
  if (!hoisted) reg_name(l, r, d->name, d->type);
  l->homes[d->id] = (struct home){.kind = HOME_REGISTERS, .r = r};
  l->statement = false;
  for (uint32_t i = 0; i < d->type->cells; i++) value_unset(l, (reg)(r + i), d->place);
  if (!d->init) return;
  l->statement = true;
  value_init(l, r, d->type, d->init);
  if (d->is_length) length_check(l, r, d->place);
}

static void declare(struct lowering *l, const struct decl *d) {
  declare_variable(l, d);
  if (d->cleanup) vec_push(l->mem, &l->cleanups, d);
}

/* Loops and conditions. */

static void condition(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  l->statement = true;
  lower_branch(l, e, when, label);
  l->statement = false;
}

/* A jump may lead into it. */
static bool has_label(const struct stmt *s) {
  if (!s) return false;
  if (s->kind == S_LABEL || s->kind == S_CASE || s->kind == S_DEFAULT || s->hides_labels) return true;
  for (uint32_t i = 0; i < s->count; i++)
    if (has_label(s->list[i])) return true;
  return has_label(s->body) || has_label(s->otherwise);
}

bool statement_is_dead(const struct stmt *s, bool body) {
  return s->expr->kind == E_NUMBER && (s->expr->value != 0) != body && !has_label(body ? s->body : s->otherwise);
}

static void if_statement(struct lowering *l, const struct stmt *s) {
  if (statement_is_dead(s, true) || statement_is_dead(s, false)) {
    lower_statement(l, s->expr->value ? s->body : s->otherwise);
    return;
  }
  uint32_t otherwise = label_new(l), end = label_new(l);
  condition(l, s->expr, false, otherwise);
  lower_statement(l, s->body);
  if (s->otherwise) emit_jump(l, end, s->place);
  label_place(l, otherwise);
  lower_statement(l, s->otherwise);
  label_place(l, end);
}

static struct loop loop_begin(struct lowering *l) {
  struct loop outer = l->frame->loop;
  size_t scopes = l->scopes.count;
  l->frame->loop = (struct loop){label_new(l), label_new(l), scopes, scopes, outer.switch_scopes, outer.switch_body};
  return outer;
}

static void while_statement(struct lowering *l, const struct stmt *s) {
  struct loop outer = loop_begin(l), loop = l->frame->loop;
  label_place(l, loop.continue_label);
  condition(l, s->expr, false, loop.break_label);
  lower_statement(l, s->body);
  emit_jump(l, loop.continue_label, s->place);
  label_place(l, loop.break_label);
  l->frame->loop = outer;
}

static void do_statement(struct lowering *l, const struct stmt *s) {
  struct loop outer = loop_begin(l), loop = l->frame->loop;
  uint32_t again = label_new(l);
  label_place(l, again);
  lower_statement(l, s->body);
  label_place(l, loop.continue_label);
  condition(l, s->expr, true, again);
  label_place(l, loop.break_label);
  l->frame->loop = outer;
}

static void for_init(struct lowering *l, const struct stmt *s) {
  if (!s) return;
  if (s->kind != S_BLOCK) {
    lower_statement(l, s);
    return;
  }
  for (uint32_t i = 0; i < s->count; i++) lower_statement(l, s->list[i]);
}

static void for_statement(struct lowering *l, const struct stmt *s) {
  scope_open(l, s, false);
  for_init(l, s->init);
  struct loop outer = loop_begin(l), loop = l->frame->loop;
  uint32_t again = label_new(l);
  label_place(l, again);
  if (s->expr) condition(l, s->expr, false, loop.break_label);
  lower_statement(l, s->body);
  label_place(l, loop.continue_label);
  if (s->step) {
    l->statement = true;
    lower_effect(l, s->step);
    l->statement = false;
  }
  emit_jump(l, again, s->place);
  label_place(l, loop.break_label);
  l->frame->loop = outer;
  scope_close(l, s->place);
}

/* Switch. */

static void collect_cases(struct lowering *l, const struct stmt *s) {
  if (!s || s->kind == S_SWITCH) return;
  if (s->kind == S_CASE || s->kind == S_DEFAULT) vec_push(l->mem, &l->cases, ((struct case_label){s, label_new(l)}));
  collect_cases(l, s->body);
  collect_cases(l, s->otherwise);
  for (uint32_t i = 0; i < s->count; i++) collect_cases(l, s->list[i]);
}

/* There if comparing the switch's value gives `when`. */
static void branch_case(struct lowering *l, enum operator op, const struct stmt *s, struct value v, int64_t with,
                        bool when, uint32_t label) {
  struct value is = value_binary(l, op, s->expr->type, v, value_number(with), s->place);
  if (is.kind == VALUE_REG)
    emit_branch(l, is.r, when, label, s->place);
  else if ((is.imm != 0) == when)
    emit_jump(l, label, s->place);
}

static void switch_statement(struct lowering *l, const struct stmt *s) {
  size_t first = l->cases.count;
  struct loop outer = l->frame->loop;
  uint32_t end = label_new(l), otherwise = end;
  collect_cases(l, s->body);
  l->statement = true;
  struct value v = lower_value(l, s->expr);
  bool compared = false;
  for (size_t i = first; i < l->cases.count; i++) {
    struct case_label c = l->cases.at[i];
    if (c.stmt->kind == S_DEFAULT) {
      otherwise = c.label;
      continue;
    }
    compared = true;
    if (c.stmt->last == c.stmt->value) {
      branch_case(l, OP_EQ, s, v, c.stmt->value, true, c.label);
      continue;
    }
    uint32_t next = label_new(l);
    branch_case(l, OP_GE, s, v, c.stmt->value, false, next);
    branch_case(l, OP_LE, s, v, c.stmt->last, true, c.label);
    label_place(l, next);
  }
  if (!compared && v.kind == VALUE_REG) emit_branch(l, value_reg(l, v, s->place), true, otherwise, s->place);
  emit_jump(l, otherwise, s->place);
  l->statement = false;
  l->frame->loop.break_label = end;
  l->frame->loop.break_scopes = l->frame->loop.switch_scopes = l->scopes.count;
  l->frame->loop.switch_body = s->body;
  lower_statement(l, s->body);
  label_place(l, end);
  l->frame->loop = outer;
  l->cases.count = first;
}

static void check_case(struct lowering *l, const struct stmt *s) {
  for (size_t i = l->frame->loop.switch_scopes; i < l->scopes.count; i++)
    if (l->scopes.at[i].locals < l->locals.count || l->scopes.at[i].cleanups < l->cleanups.count)
      lower_outside(l, s->place, "a case behind the declaration of a variable whose address is taken");
}

static void case_statement(struct lowering *l, const struct stmt *s) {
  check_case(l, s);
  for (size_t i = l->cases.count; i-- > 0;)
    if (l->cases.at[i].stmt == s) {
      unset_at_case(l, l->frame->loop.switch_body, s, l->cases.at[i].label);
      break;
    }
  lower_statement(l, s->body);
}

static void block(struct lowering *l, const struct stmt *s) {
  scope_open(l, s, false);
  for (uint32_t i = 0; i < s->count; i++) lower_statement(l, s->list[i]);
  scope_close(l, s->place);
}

static void jump_out(struct lowering *l, const struct stmt *s) {
  const struct loop *loop = &l->frame->loop;
  bool is_break = s->kind == S_BREAK;
  scopes_leave(l, is_break ? loop->break_scopes : loop->continue_scopes, UINT32_MAX, s->place);
  emit_jump(l, is_break ? loop->break_label : loop->continue_label, s->place);
}

void lower_statement(struct lowering *l, const struct stmt *s) {
  if (!s) return;
  switch (s->kind) {
  case S_EXPR:
    l->statement = true;
    lower_effect(l, s->expr);
    break;
  case S_DECL:
    l->statement = true;
    declare(l, s->decl);
    break;
  case S_RETURN:
    l->statement = true;
    lower_return(l, s);
    break;
  case S_BREAK:
  case S_CONTINUE: jump_out(l, s); break;
  case S_GOTO: lower_goto(l, s); break;
  case S_BLOCK: block(l, s); break;
  case S_IF: if_statement(l, s); break;
  case S_WHILE: while_statement(l, s); break;
  case S_DO: do_statement(l, s); break;
  case S_FOR: for_statement(l, s); break;
  case S_SWITCH: switch_statement(l, s); break;
  case S_CASE:
  case S_DEFAULT: case_statement(l, s); break;
  case S_LABEL: lower_label(l, s); break;
  case S_ATOMIC:
    l->statement = true;
    scope_open(l, s, true);
    l->statement = false;
    lower_statement(l, s->body);
    scope_close(l, s->place);
    break;
  case S_EMPTY: break;
  }
  l->statement = false;
}
