/* From the typed syntax tree to the program: each operation with all its calls inlined. */
#include <assert.h>

#include "front/lower.h"
#include "front/wides.h"

/* Refusing. */

static _Noreturn void refuse(struct lowering *l, struct place at, const char *what, const char *end) {
  problem_at(l->problem, l->unit, at, "%s%s", what, end);
  longjmp(l->failed, 1);
}

void lower_refuse(struct lowering *l, struct place at, const char *format, ...) {
  char what[400];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  refuse(l, at, what, "");
}

void lower_outside(struct lowering *l, struct place at, const char *format, ...) {
  char what[400];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  refuse(l, at, what, " is outside the C that verify reads");
}

const char *lower_text(struct lowering *l, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return mem_string(l->mem, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

/* Code. */

struct inst *emit_inst(struct lowering *l, enum code code, struct place at) {
  if (l->called_at) at = *l->called_at;
  if (l->code.count >= CODE_MOST) lower_refuse(l, at, "with its calls inlined this becomes too large");
  struct inst in = {.code = (uint8_t)code, .d = NO_REG, .a = NO_REG, .b = NO_REG, .c = NO_REG, .count = 1, .place = at};
  if (l->statement) in.flags = FLAG_STATEMENT;
  l->statement = false;
  vec_push(l->mem, &l->code, in);
  vec_push(l->mem, &l->call_of, 0);
  return &l->code.at[l->code.count - 1];
}

uint32_t label_new(struct lowering *l) {
  vec_push(l->mem, &l->labels, 0);
  return (uint32_t)l->labels.count - 1;
}

void label_place(struct lowering *l, uint32_t label) {
  assert(label < l->labels.count);
  l->labels.at[label] = l->label_here = (uint32_t)l->code.count;
}

void emit_jump(struct lowering *l, uint32_t label, struct place at) { emit_inst(l, I_JUMP, at)->imm = label; }

void emit_branch(struct lowering *l, reg a, bool when, uint32_t label, struct place at) {
  struct inst *in = emit_inst(l, I_BRANCH, at);
  in->a = a;
  in->imm = label;
  if (when) in->op = OP_NOT;
}

struct inst *emit_trap(struct lowering *l, struct place at, const char *format, ...) {
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *kept = mem_string(l->mem, text, strlen(text));
  struct inst *in = emit_inst(l, I_TRAP, at);
  in->text = kept;
  return in;
}

/* Registers. */

reg reg_new(struct lowering *l, uint32_t count, const char *name) {
  size_t first = l->names.count;
  if (!count) count = 1; /* an empty struct */
  if (count > 10000) lower_outside(l, l->frame->function->place, "a value of %u parts", count);
  if (first + count >= NO_REG)
    lower_refuse(l, l->frame->function->place, "with its calls inlined this becomes too large");
  for (uint32_t i = 0; i < count; i++) {
    vec_push(l->mem, &l->names, name);
    vec_push(l->mem, &l->group_of, (uint32_t)l->groups.count);
  }
  vec_push(l->mem, &l->groups, ((struct group){(reg)first, (uint16_t)count}));
  return (reg)first;
}

static uint32_t name_parts(struct lowering *l, uint32_t r, const char *name, const struct type *t) {
  if (t->kind == TYPE_ARRAY) {
    for (uint32_t i = 0; i < t->count; i++) r = name_parts(l, r, lower_text(l, "%s[%u]", name, i), t->of);
  } else if (t->kind == TYPE_STRUCT && (t->mixed || t->is_union)) {
    const struct cell *shape = cells_shape(l, t);
    for (uint32_t i = 0; i < t->cells; i++)
      l->names.at[r++] = *shape[i].name ? lower_text(l, "%s.%s", name, shape[i].name) : name;
  } else if (t->kind == TYPE_STRUCT) {
    for (uint32_t i = 0; i < t->field_count; i++)
      r = name_parts(l, r, *t->fields[i].name ? lower_text(l, "%s.%s", name, t->fields[i].name) : name,
                     t->fields[i].type);
  } else {
    for (uint32_t i = 0; i < t->cells; i++)
      l->names.at[r++] = !type_is_int128(t) ? name : lower_text(l, "%s.%s", name, i ? "high" : "low");
  }
  return r;
}

void reg_name(struct lowering *l, reg first, const char *name, const struct type *t) { name_parts(l, first, name, t); }

/* Operations. */

static void begin(struct lowering *l, struct frame *frame) {
  l->begin = l->code.count;
  l->call_of.count = 0;
  while (l->call_of.count < l->code.count) vec_push(l->mem, &l->call_of, 0);
  l->late.count = l->late_stores.count = 0;
  l->given.count = l->assigning.count = l->assigning_from = 0;
  l->labels.count = l->names.count = l->groups.count = l->group_of.count = 0;
  l->scopes.count = l->cleanups.count = l->locals.count = l->cases.count = l->homed.count = 0;
  l->label_here = UINT32_MAX;
  l->atomic = 0;
  l->frame = frame;
  memset(l->homes, 0, l->unit->decl_count * sizeof *l->homes);
}

static void parameters(struct lowering *l, const struct decl *f) {
  for (uint32_t i = 0; i < f->param_count; i++) reg_new(l, 1, f->params[i]->name ? f->params[i]->name : "");
  for (uint32_t i = 0; i < f->param_count; i++) {
    const struct decl *p = f->params[i];
    l->homes[p->id] = (struct home){.kind = HOME_REGISTERS, .r = (reg)i};
    if (!lives_in_memory(l, p)) continue;
    reg r = local_in_memory(l, p, false);
    l->homes[p->id] = (struct home){.kind = HOME_MEMORY, .r = r};
    struct value address = value_in(r);
    struct lvalue to = {.address = address, .flags = l->uses[p->id] & USE_ADDRESS ? 0 : FLAG_LOCAL, .type = p->type};
    value_store(l, &to, value_in((reg)i), p->place);
  }
}

/* The code of a function, from its entry on; gives how many registers it uses. */
static uint16_t function(struct lowering *l, const struct decl *f, const char ***names) {
  struct frame frame = {.function = f, .is_operation = true};
  begin(l, &frame);
  scope_open(l, NULL, false);
  parameters(l, f);
  targets_collect(l, f->body);
  lower_statement(l, f->body);
  if (f->type->of->kind == TYPE_VOID) {
    scopes_leave(l, 0, UINT32_MAX, f->place);
    emit_inst(l, I_RETURN, f->place);
  } else {
    emit_trap(l, f->place, "%s returns no value", f->name);
  }
  return tidy(l, (uint16_t)f->param_count, names);
}

static enum result_of result_of(struct lowering *l, const struct decl *f) {
  switch (f->type->of->kind) {
  case TYPE_VOID: return RESULT_OF_VOID;
  case TYPE_BOOL: return RESULT_OF_BOOL;
  case TYPE_INT:
    if (!f->type->of->holds_pointer && !type_is_int128(f->type->of)) return RESULT_OF_INT; /* fall through */
  default: lower_outside(l, f->place, "an operation that returns anything but a number, a bool or nothing");
  }
}

static void check_parameters(struct lowering *l, const struct decl *f) {
  for (uint32_t i = 0; i < f->param_count; i++)
    if (!type_is_integer(f->params[i]->type) || type_is_int128(f->params[i]->type))
      lower_outside(l, f->params[i]->place, "an operation whose parameter is anything but a number or a bool");
  if (f->param_count > 3) lower_outside(l, f->place, "an operation with more than three parameters");
}

static void operation(struct lowering *l, const struct harness_op *h, struct program_op *op) {
  const struct decl *f = h->function;
  if (!f->body)
    lower_refuse(l, h->place, "%s has no body here: name the file that has it too, or #include it", f->name);
  check_parameters(l, f);
  *op =
      (struct program_op){.name = h->name, .function = f->name, .params = (uint16_t)f->param_count, .place = f->place};
  op->result = result_of(l, f);
  memcpy(op->low, h->low, sizeof op->low);
  memcpy(op->high, h->high, sizeof op->high);
  op->entry = (uint32_t)l->code.count;
  op->regs = function(l, f, &op->reg_names);
  if (op->regs > l->program->most_regs) l->program->most_regs = op->regs;
}

static void start_function(struct lowering *l) {
  const struct decl *f = l->unit->harness.init;
  const char **names;
  if (!f) return;
  if (!f->body || f->param_count)
    lower_refuse(l, f->place, "%s, which is to run first, needs a body and no parameters", f->name);
  l->program->init_entry = (uint32_t)l->code.count;
  bool alone = l->alone;
  l->alone = true;
  l->program->init_regs = function(l, f, &names);
  l->alone = alone;
  if (l->program->init_regs > l->program->most_regs) l->program->most_regs = l->program->init_regs;
}

/* What everything that reads a program relies on: registers of their operation, jumps within it, known globals and
 * layouts, orders on accesses. */
static bool inst_is_sound(const struct program *p, const struct inst *in, uint32_t begin, uint32_t end, uint32_t regs) {
  struct span s[3];
  for (unsigned i = 0, n = inst_reads(in, s); i < n; i++)
    if (s[i].first + s[i].count > regs) return false;
  for (unsigned i = 0, n = inst_writes(in, s); i < n; i++)
    if (s[i].first + s[i].count > regs) return false;
  if (inst_jumps(in)) return in->imm >= begin && in->imm < end;
  if (in->code == I_ALLOC) return in->imm >= 0 && in->imm < p->layout_count;
  if (in->code == I_GLOBAL) return in->b < p->global_count;
  if (in->code < I_LOAD || in->code > I_UNLOCK) return true;
  if (in->flags & FLAG_GLOBAL && in->a >= p->global_count) return false;
  return in->code > I_FETCH || (in->order == ORDER_PLAIN) == !(in->flags & FLAG_ATOMIC);
}

static bool is_sound(const struct program *p) {
  for (uint32_t i = 0; i < p->op_count; i++) {
    uint32_t begin = p->ops[i].entry, end = i + 1 < p->op_count ? p->ops[i + 1].entry : p->code_count;
    for (uint32_t pc = begin; pc < end; pc++)
      if (!inst_is_sound(p, &p->code[pc], begin, end, p->ops[i].regs)) return false;
    if (begin == end || !inst_ends(&p->code[end - 1])) return false;
  }
  return true;
}

static void lower_unit(struct lowering *l) {
  struct program *p = l->program;
  const struct harness *h = &l->unit->harness;
  for (size_t i = 0; i < h->ops.count; i++) uses_of_function(l, h->ops.at[i].function);
  if (h->init) uses_of_function(l, h->init);
  for (size_t i = 0; i < l->unit->decls.count; i++) {
    const struct decl *d = l->unit->decls.at[i];
    if (d->kind == DECL_VARIABLE && d->storage != STORAGE_THREAD_LOCAL && (l->uses[d->id] & USE_MET)) global_for(l, d);
  }
  locals_lay_out(l);
  emit_trap(l, (struct place){0}, "no operation");
  p->op_count = (uint32_t)h->ops.count;
  p->ops = mem_zero(l->mem, p->op_count + 1, sizeof *p->ops);
  start_function(l);
  for (uint32_t i = 0; i < p->op_count; i++) operation(l, &h->ops.at[i], &p->ops[i]);
  check_forgotten_types(l);
  p->code = l->code.at;
  p->code_count = (uint32_t)l->code.count;
  p->layouts = l->layouts.at;
  p->layout_count = (uint32_t)l->layouts.count;
  p->globals = l->globals.at;
  p->global_count = (uint32_t)l->globals.count;
  assert(is_sound(p));
  program_liveness(p);
}

struct program *lower(struct mem *m, struct unit *unit, const struct lower_options *options, struct problem *problem) {
  struct lowering *l = mem_zero(m, 1, sizeof *l);
  *l = (struct lowering){.mem = m, .unit = unit, .problem = problem};
  l->recursion = options && options->recursion ? options->recursion : RECURSION_DEFAULT;
  l->alone = options && options->alone;
  l->volatiles = options ? options->volatiles : VOLATILE_UNSAID;
  l->malloc_fails = options && options->malloc_fails;
  l->program = mem_zero(m, 1, sizeof *l->program);
  *l->program = (struct program){.mem = m, .unit = unit, .wides = wides_new(m)};
  l->program->conflicts = options ? options->conflicts : NULL;
  l->uses = mem_zero(m, unit->decl_count + 1, sizeof *l->uses);
  l->homes = mem_zero(m, unit->decl_count + 1, sizeof *l->homes);
  l->shares = mem_zero(m, unit->decl_count + 1, sizeof *l->shares);
  l->global_of = mem_zero(m, unit->decl_count + 1, sizeof *l->global_of);
  if (setjmp(l->failed)) return NULL;
  lower_unit(l);
  return l->program;
}
