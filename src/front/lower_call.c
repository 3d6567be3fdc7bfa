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
  if (lives_in_memory(l, p)) {
    reg r = local_in_memory(l, p, false);
    l->homes[p->id] = (struct home){.kind = HOME_MEMORY, .r = r};
    struct expr name = {.kind = E_NAME, .decl = (struct decl *)p, .type = p->type, .place = p->place, .lvalue = true};
    struct lvalue to = lvalue_of(l, &name);
    to.expr = NULL;
    value_store(l, &to, v, at);
  } else if (v.kind == VALUE_SLOT || (!(uses & USE_WRITE) && (v.kind != VALUE_REG || !changes(l, args, count, v.r)))) {
    if (v.kind == VALUE_REG && !v.imm && !v.bytes && !*l->names.at[v.r]) reg_name(l, v.r, p->name, p->type);
    l->homes[p->id] = (struct home){.kind = HOME_VALUE, .value = v};
  } else {
    reg r = reg_new(l, p->type->cells, "");
    reg_name(l, r, p->name, p->type);
    value_assign(l, r, p->type->cells, v, at);
    l->homes[p->id] = (struct home){.kind = HOME_REGISTERS, .r = r};
  }
}

/* The arguments, and the pointer that the call is through (NULL: it names the function). */
static struct value *arguments(struct lowering *l, const struct expr *e, struct value *pointer) {
  struct value *args = mem_piece(l->mem, (e->arg_count + 1) * sizeof *args);
  size_t given = l->given.count;
  lower_unordered_args(l, e);
  if (pointer) *pointer = lower_value(l, e->a);
  for (uint32_t i = 0; i < e->arg_count; i++) args[i] = lower_value(l, e->args[i]);
  l->given.count = given;
  return args;
}

static void inline_body(struct lowering *l, const struct expr *e, struct frame *frame, const struct value *args) {
  const struct decl *f = frame->function;
  size_t begin = l->code.count;
  if (depth_of(l, f) > l->recursion) {
    emit_trap(l, e->place, "%s calls itself more than %u deep; --recursion allows more", f->name, l->recursion)->imm =
        TRAP_LIMIT;
    return;
  }
  size_t homed = l->homed.count;
  bool every = l->every;
  l->every = false;
  const struct place *called_at = l->called_at;
  bool model = l->unit->files.at[f->place.file].model;
  if (!model || !called_at) l->called_at = model ? &e->place : NULL;
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
  l->cleanups.count = l->scopes.at[frame->scopes].cleanups;
  l->scopes.count = frame->scopes;
  while (l->homed.count > homed) {
    struct homed h = l->homed.at[--l->homed.count];
    l->homes[h.id] = h.home;
  }
  call_made(l, begin);
  l->every = every;
  l->called_at = called_at;
}

/* The arguments are what the parameters are: a call may come before the parameters are declared. */
static void check_arguments(struct lowering *l, const struct expr *e, const struct decl *f) {
  if (e->arg_count < f->param_count || (e->arg_count > f->param_count && !f->type->variadic))
    lower_refuse(l, e->place, "%s takes %u argument%s, not %u", f->name, f->param_count, f->param_count == 1 ? "" : "s",
                 e->arg_count);
  for (uint32_t i = 0; i < f->param_count; i++)
    if (!type_same(e->args[i]->type, f->params[i]->type))
      lower_outside(l, e->args[i]->place, "an argument of another type than the parameter, which is declared later,");
}

static const struct decl *checked(struct lowering *l, const struct expr *e, const struct decl *f) {
  if (!f->body && f->builtin == BUILTIN_NONE && l->unit->files.at[f->place.file].is_system)
    lower_outside(l, e->place, "%s", f->name);
  if (!f->body && f->builtin == BUILTIN_NONE)
    lower_refuse(l, e->place, "%s has no body here: name the file that has it too, or #include it", f->name);
  if (f->builtin == BUILTIN_NONE) check_arguments(l, e, f);
  return f;
}

/* Calls through pointers. */

static const struct decl *function_at(const struct lowering *l, uint32_t global) {
  for (size_t i = 0; i < l->functions.count; i++)
    if (l->global_of[l->functions.at[i]->id] == global + 1) return l->functions.at[i];
  return NULL;
}

static bool can_be_called(const struct expr *e, const struct decl *f) {
  return f->param_count == e->arg_count && type_same(f->type, e->a->type->of);
}

static unsigned depth_through(const struct lowering *l) {
  unsigned depth = 0;
  for (const struct frame *frame = l->frame; frame; frame = frame->caller) depth += frame->through;
  return depth;
}

static void inline_through(struct lowering *l, const struct expr *e, const struct frame *call, const struct decl *f,
                           const struct value *args) {
  struct frame frame = *call;
  frame.function = checked(l, e, f);
  if (depth_through(l) > l->recursion)
    emit_trap(l, e->place, "calls through pointers are nested more than %u deep; --recursion allows more", l->recursion)
        ->imm = TRAP_LIMIT;
  else
    inline_body(l, e, &frame, args);
}

static void emit_wrong_call(struct lowering *l, const struct expr *e) {
  emit_trap(l, e->place, "a call through what is not a function of this type")->imm = TRAP_POINTER;
}

/* Where the pointer is not known now, it is compared with every function that it may be. The arguments are in their
 * registers before the first comparison: each function's code finds them there. */
static void call_any(struct lowering *l, const struct expr *e, const struct frame *call, reg pointer,
                     const struct value *args) {
  const struct type *type = e->a->type;
  for (size_t i = 0; i < l->functions.count; i++) {
    const struct decl *f = l->functions.at[i];
    if (!can_be_called(e, f)) continue;
    uint32_t next = label_new(l);
    struct value address = {.kind = VALUE_GLOBAL, .global = global_for(l, f)};
    struct value is = value_binary(l, OP_EQ, type, value_in(pointer), address, e->place);
    emit_branch(l, value_reg(l, is, e->place), false, next, e->place);
    inline_through(l, e, call, f, args);
    if (!call->wanted) emit_jump(l, call->exit, e->place);
    label_place(l, next);
  }
  uint32_t wrong = label_new(l);
  emit_branch(l, pointer, true, wrong, e->place);
  emit_trap(l, e->place, "a call through a null pointer")->imm = TRAP_NULL;
  label_place(l, wrong);
  emit_wrong_call(l, e);
}

static void call_through(struct lowering *l, const struct expr *e, const struct frame *call) {
  struct value pointer;
  const struct value *args = arguments(l, e, &pointer);
  const struct decl *f = pointer.kind == VALUE_GLOBAL && !pointer.imm ? function_at(l, pointer.global) : NULL;
  if (f && can_be_called(e, f))
    inline_through(l, e, call, f, args);
  else if (pointer.kind == VALUE_NUMBER && !pointer.imm)
    emit_trap(l, e->place, "a call through a null pointer")->imm = TRAP_NULL;
  else if (pointer.kind == VALUE_REG)
    call_any(l, e, call, value_reg(l, pointer, e->place), args);
  else
    emit_wrong_call(l, e);
}

struct value lower_call(struct lowering *l, const struct expr *e, bool wanted) {
  const struct type *as = l->cast_as;
  const struct decl *f = call_function(e) ? checked(l, e, call_function(e)) : NULL;
  l->cast_as = NULL;
  if (f && f->builtin != BUILTIN_NONE) return lower_builtin(l, e, wanted);
  size_t from = lower_sequenced(l);
  struct frame frame = {.function = f, .through = !f, .as = as};
  frame.wanted = wanted && e->type->kind != TYPE_VOID;
  frame.result = frame.wanted ? reg_new(l, e->type->cells, "") : NO_REG;
  frame.exit = label_new(l);
  if (f)
    inline_body(l, e, &frame, arguments(l, e, NULL));
  else
    call_through(l, e, &frame);
  label_place(l, frame.exit);
  l->assigning_from = from;
  return frame.wanted ? value_in(frame.result) : (struct value){0};
}

void lower_call_as_condition(struct lowering *l, const struct expr *e, uint32_t on_true, uint32_t on_false) {
  const struct decl *f = checked(l, e, call_function(e));
  struct frame frame = {.function = f, .as_condition = true, .on_true = on_true, .on_false = on_false};
  size_t from = lower_sequenced(l);
  inline_body(l, e, &frame, arguments(l, e, NULL));
  l->assigning_from = from;
}

/* The value; in a register of its own if variables are ended before it is used. */
static reg returned(struct lowering *l, const struct stmt *s) {
  struct value v = lower_value(l, s->expr);
  bool ends = l->cleanups.count > l->scopes.at[l->frame->scopes].cleanups;
  return ends ? value_copy(l, v, 1, s->place) : value_reg(l, v, s->place);
}

static void return_condition(struct lowering *l, const struct stmt *s) {
  const struct frame *f = l->frame;
  if (scopes_plain(l, f->scopes)) {
    lower_branch(l, s->expr, true, f->on_true);
  } else {
    reg r = returned(l, s);
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
    r = returned(l, s);
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
