/* Calls: the function's body takes the place of the call.
 *
 * A parameter that is never assigned to stands for its argument, without a register of its own; one that is only ever
 * looked through stands for the variable whose address it is given. */
#include "front/lower.h"

static unsigned depth_of(const struct lowering *l, const struct decl *f) {
  unsigned depth = 0;
  for (const struct frame *frame = l->frame; frame; frame = frame->caller) depth += frame->function == f;
  return depth;
}

static void set_home(struct lowering *l, const struct decl *d, struct home home) {
  vec_push(l->mem, &l->homed, ((struct homed){d->id, l->homes[d->id]}));
  l->homes[d->id] = home;
}

/* A function that is given both a variable and its address may change it. */
static bool changes(const struct lowering *l, const struct value *args, uint32_t count, reg r) {
  for (uint32_t i = 0; i < count; i++)
    if (args[i].kind == VALUE_SLOT && l->group_of.at[args[i].r] == l->group_of.at[r]) return true;
  return false;
}

static void bind(struct lowering *l, const struct decl *p, const struct value *args, uint32_t count, uint32_t i,
                 struct place at) {
  struct value v = args[i];
  unsigned uses = l->uses[p->id];
  set_home(l, p, (struct home){0});
  if (uses & (USE_MEMORY | USE_ADDRESS)) {
    reg r = local_in_memory(l, p, false);
    l->homes[p->id] = (struct home){.kind = HOME_MEMORY, .r = r};
    struct expr name = {.kind = E_NAME, .decl = (struct decl *)p, .type = p->type, .place = p->place, .lvalue = true};
    struct lvalue to = lvalue_of(l, &name);
    to.expr = NULL;
    value_store(l, &to, v, at);
  } else if (v.kind == VALUE_SLOT || (!(uses & USE_WRITE) && (v.kind != VALUE_REG || !changes(l, args, count, v.r)))) {
    if (v.kind == VALUE_REG && !v.imm && !*l->names.at[v.r]) reg_name(l, v.r, p->name, p->type);
    l->homes[p->id] = (struct home){.kind = HOME_VALUE, .value = v};
  } else {
    reg r = reg_new(l, p->type->cells, "");
    reg_name(l, r, p->name, p->type);
    value_assign(l, r, p->type->cells, v, at);
    l->homes[p->id] = (struct home){.kind = HOME_REGISTERS, .r = r};
  }
}

static void inline_body(struct lowering *l, const struct expr *e, struct frame *frame) {
  const struct decl *f = frame->function;
  struct value *args = mem_piece(l->mem, (e->arg_count + 1) * sizeof *args);
  size_t given = l->given.count, from = lower_sequenced(l);
  lower_unordered_args(l, e);
  for (uint32_t i = 0; i < e->arg_count; i++) args[i] = lower_value(l, e->args[i]);
  l->given.count = given;
  size_t begin = l->code.count;
  if (depth_of(l, f) > l->recursion) {
    emit_trap(l, e->place, "%s calls itself more than %u deep; --recursion allows more", f->name, l->recursion)->imm =
        TRAP_LIMIT;
    l->assigning_from = from;
    return;
  }
  size_t homed = l->homed.count;
  frame->caller = l->frame;
  frame->scopes = l->scopes.count;
  l->frame = frame;
  scope_open(l, NULL, false);
  for (uint32_t i = 0; i < f->param_count; i++) bind(l, f->params[i], args, e->arg_count, i, e->place);
  targets_collect(l, f->body);
  lower_statement(l, f->body);
  if (frame->wanted || frame->as_condition)
    emit_trap(l, f->place, "%s returns no value", f->name);
  else
    scopes_leave(l, frame->scopes, UINT32_MAX, e->place);
  l->frame = frame->caller;
  l->locals.count = l->scopes.at[frame->scopes].locals;
  l->scopes.count = frame->scopes;
  while (l->homed.count > homed) {
    struct homed h = l->homed.at[--l->homed.count];
    l->homes[h.id] = h.home;
  }
  call_made(l, begin);
  l->assigning_from = from;
}

static const struct decl *called(struct lowering *l, const struct expr *e) {
  if (e->a->kind != E_NAME || e->a->decl->kind != DECL_FUNCTION) lower_outside(l, e->place, "a call through a pointer");
  const struct decl *f = e->a->decl;
  if (!f->body && f->builtin == BUILTIN_NONE)
    lower_refuse(l, e->place, "%s has no body in this file: #include the one that has it", f->name);
  return f;
}

struct value lower_call(struct lowering *l, const struct expr *e, bool wanted) {
  const struct decl *f = called(l, e);
  if (f->builtin != BUILTIN_NONE) return lower_builtin(l, e, wanted);
  struct frame frame = {.function = f};
  frame.wanted = wanted && e->type->kind != TYPE_VOID;
  frame.result = frame.wanted ? reg_new(l, e->type->cells, "") : NO_REG;
  frame.exit = label_new(l);
  inline_body(l, e, &frame);
  label_place(l, frame.exit);
  return frame.wanted ? value_in(frame.result) : (struct value){0};
}

void lower_call_as_condition(struct lowering *l, const struct expr *e, uint32_t on_true, uint32_t on_false) {
  struct frame frame = {.function = called(l, e), .as_condition = true, .on_true = on_true, .on_false = on_false};
  inline_body(l, e, &frame);
}

static void return_condition(struct lowering *l, const struct stmt *s) {
  const struct frame *f = l->frame;
  if (scopes_plain(l, f->scopes)) {
    lower_branch(l, s->expr, true, f->on_true);
  } else {
    reg r = value_reg(l, lower_value(l, s->expr), s->place);
    scopes_leave(l, f->scopes, UINT32_MAX, s->place);
    emit_branch(l, r, true, f->on_true, s->place);
  }
  emit_jump(l, f->on_false, s->place);
}

static void return_operation(struct lowering *l, const struct stmt *s) {
  reg r = NO_REG;
  if (s->expr && s->expr->type->kind == TYPE_VOID)
    lower_effect(l, s->expr);
  else if (s->expr)
    r = value_reg(l, lower_value(l, s->expr), s->place);
  scopes_leave(l, l->frame->scopes, UINT32_MAX, s->place);
  emit_inst(l, I_RETURN, s->place)->a = r;
}

void lower_return(struct lowering *l, const struct stmt *s) {
  const struct frame *f = l->frame;
  if (f->is_operation) {
    return_operation(l, s);
    return;
  }
  if (f->as_condition && s->expr) {
    return_condition(l, s);
    return;
  }
  if (s->expr && f->wanted)
    value_assign(l, f->result, s->expr->type->cells, lower_value(l, s->expr), s->place);
  else if (s->expr)
    lower_effect(l, s->expr);
  scopes_leave(l, f->scopes, UINT32_MAX, s->place);
  if (f->wanted && !s->expr)
    emit_trap(l, s->place, "%s returns no value", f->function->name);
  else
    emit_jump(l, f->exit, s->place);
}
