/* Calls of the functions that the front end knows: atomics, memory, locks, and what asif.h offers. */
#include "front/dump.h"
#include "front/lower.h"

enum { ENOMEM_ = 12 }; /* as the C library has it */

static const struct type *pointed_type(const struct expr *e) { return e->type->of; }

/* The object of an atomic operation: its first argument. */
static struct lvalue object_of(struct lowering *l, const struct expr *call) {
  const struct expr *pointer = call->args[0];
  struct lvalue v = lvalue_pointed(l, pointer, pointed_type(pointer), NULL);
  v.flags |= FLAG_ATOMIC;
  v.call = call;
  return v;
}

/* Atomics. */

static struct value store(struct lowering *l, const struct expr *e) {
  struct lvalue to = object_of(l, e);
  struct value v = lower_value(l, e->args[1]);
  value_store(l, &to, v, e->place);
  return (struct value){0};
}

static struct value exchange(struct lowering *l, const struct expr *e, struct value v) {
  struct lvalue to = object_of(l, e);
  if (e->arg_count > 1) v = lower_value(l, e->args[1]);
  reg b = value_reg(l, v, e->place), d = reg_new(l, to.type->cells, "");
  struct inst *in = emit_access(l, I_EXCHANGE, &to, e->place);
  in->b = b;
  in->d = d;
  return value_in(d);
}

static struct value load(struct lowering *l, const struct expr *e) {
  struct lvalue from = object_of(l, e);
  return value_load(l, &from, e->place);
}

static reg emit_cas(struct lowering *l, const struct expr *e, const struct lvalue *to, struct value desired,
                    reg expected, bool weak) {
  reg b = value_reg(l, desired, e->place), d = reg_new(l, 1, "");
  struct inst *in = emit_access(l, I_CAS, to, e->place);
  in->b = b;
  in->c = expected;
  in->d = d;
  in->call = e;
  if (weak) in->flags |= FLAG_WEAK;
  return d;
}

/* The expected value is a variable in registers, or loaded before, and stored after a failure. Goes to `done` after a
 * success then; says whether it did. */
static bool compare_exchange(struct lowering *l, const struct expr *e, uint32_t done, reg *d) {
  bool weak = e->a->decl->builtin == BUILTIN_ATOMIC_CAS_WEAK;
  struct lvalue to = object_of(l, e), expected = lvalue_pointed(l, e->args[1], pointed_type(e->args[1]), NULL);
  struct value desired = lower_value(l, e->args[2]);
  size_t begin = l->code.count;
  if (expected.in_registers) {
    *d = emit_cas(l, e, &to, desired, expected.r, weak);
    call_made(l, begin);
    return false;
  }
  reg c = value_copy(l, value_load(l, &expected, e->place), to.type->cells, e->place);
  *d = emit_cas(l, e, &to, desired, c, weak);
  emit_branch(l, *d, true, done, e->place);
  value_store(l, &expected, value_in(c), e->place);
  call_made(l, begin);
  return true;
}

static struct value compare_exchange_value(struct lowering *l, const struct expr *e) {
  uint32_t done = label_new(l);
  reg d;
  if (compare_exchange(l, e, done, &d)) label_place(l, done);
  return value_in(d);
}

static void branch_cas(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  uint32_t on = label_new(l);
  reg d;
  if (!compare_exchange(l, e, when ? label : on, &d)) {
    emit_branch(l, d, when, label, e->place);
  } else if (!when) {
    emit_jump(l, label, e->place);
    label_place(l, on);
  }
}

/* __sync: the expected value is given, and the value that was there is left in its place. */
static struct value compare_and_swap(struct lowering *l, const struct expr *e, bool value) {
  struct lvalue to = object_of(l, e);
  struct value old = lower_value(l, e->args[1]);
  struct value desired = lower_value(l, e->args[2]);
  reg c = value_copy(l, old, to.type->cells, e->place);
  reg d = emit_cas(l, e, &to, desired, c, false);
  return value_in(value ? c : d);
}

static struct value fetch(struct lowering *l, const struct expr *e, enum operator op) {
  struct lvalue to = object_of(l, e);
  struct value by = lower_value(l, e->args[1]);
  struct update u = {op, by, e->args[1]->type, to.type, true, e->postfix, e->place, NULL, false};
  if (to.type->kind == TYPE_POINTER && to.type->of->size > 1) l->program->pointer_fetch = e->place;
  return lower_update(l, &to, &u);
}

/* Memory. */

/* The number of elements of a size in bytes: a constant multiple, or n * sizeof. False: the size is known only as that.
 */
static bool elements(struct lowering *l, const struct expr *bytes, uint32_t size, struct place at, struct value *out) {
  const struct expr *e = bytes;
  while (e->kind == E_CAST && type_is_integer(e->type) && e->type->bits >= e->a->type->bits) e = e->a;
  if (e->kind == E_NUMBER && e->value > 0 && e->value % size == 0) {
    *out = value_number(e->value / size);
    return true;
  }
  if (e->kind == E_BINARY && e->op == OP_MUL) {
    for (int swap = 0; swap < 2; swap++) {
      const struct expr *n = swap ? e->b : e->a, *k = swap ? e->a : e->b;
      while (k->kind == E_CAST) k = k->a;
      if (k->kind != E_NUMBER || k->value <= 0 || k->value % size) continue;
      *out = value_binary(l, OP_MUL, n->type, lower_value(l, n), value_number(k->value / size), at);
      return true;
    }
  }
  if (size == 1) *out = lower_value(l, bytes);
  return size == 1;
}

struct inst *emit_allocation(struct lowering *l, const struct expr *call, const struct type *of, reg count) {
  reg d = reg_new(l, 1, "");
  uint32_t layout = layout_for(l, of, NULL, call->place);
  struct inst *in = emit_inst(l, I_ALLOC, call->place);
  in->b = count;
  in->d = d;
  in->imm = layout;
  in->call = call;
  return in;
}

/* Of aligned_alloc: which power of two its first argument is, or ALLOC_ALIGN_UNKNOWN. */
static uint8_t alignment(struct lowering *l, const struct expr *e) {
  struct value v = lower_value(l, e->args[0]);
  bool known = v.kind == VALUE_NUMBER && v.imm > 0 && v.imm < 1 << 20 && !(v.imm & (v.imm - 1));
  return known ? (uint8_t)__builtin_ctzll((uint64_t)v.imm) : ALLOC_ALIGN_UNKNOWN;
}

/* errno, if the program asks for it; or NULL. */
static struct decl *find_errno(struct lowering *l) {
  for (size_t i = 0; i < l->unit->decls.count; i++) {
    struct decl *d = l->unit->decls.at[i];
    if (!strcmp(d->name, "__asif_errno")) return l->uses[d->id] & (USE_READ | USE_ADDRESS) ? d : NULL;
  }
  return NULL;
}

void lower_failed_allocation(struct lowering *l, reg given, struct place at) {
  struct decl *d = l->malloc_fails ? find_errno(l) : NULL;
  if (!d) return;
  uint32_t done = label_new(l);
  struct expr name = {.kind = E_NAME, .decl = d, .type = d->type, .place = at, .lvalue = true};
  emit_branch(l, given, true, done, at);
  struct lvalue to = lvalue_of(l, &name);
  to.expr = NULL;
  value_store(l, &to, value_number(ENOMEM_), at);
  label_place(l, done);
}

/* How much calloc is asked for: where that is more than a size_t holds, the most that one does, which fails. */
static struct value calloc_product(struct lowering *l, struct value n, struct value each, struct place at) {
  const struct type *t = TYPE_OF(ULONG);
  struct value other = n, all = value_number(-1);
  uint64_t both;
  if (n.kind == VALUE_NUMBER) n = each, each = other;
  if (n.kind == VALUE_NUMBER)
    return __builtin_mul_overflow((uint64_t)n.imm, (uint64_t)each.imm, &both) ? all : value_number((int64_t)both);
  if (each.kind == VALUE_NUMBER && (uint64_t)each.imm <= 1) return value_binary(l, OP_MUL, t, n, each, at);
  n = value_in(value_copy(l, n, 1, at));
  if (each.kind != VALUE_NUMBER) each = value_in(value_copy(l, each, 1, at));
  size_t begin = l->code.count;
  uint32_t fits = label_new(l), end = label_new(l);
  reg product = value_copy(l, all, 1, at);
  if (each.kind != VALUE_NUMBER) emit_branch(l, value_reg(l, each, at), false, fits, at);
  struct value beyond = value_binary(l, OP_GT, t, n, value_binary(l, OP_DIV, t, all, each, at), at);
  emit_branch(l, value_reg(l, beyond, at), true, end, at);
  label_place(l, fits);
  value_assign(l, product, 1, value_binary(l, OP_MUL, t, n, each, at), at);
  label_place(l, end);
  call_made(l, begin);
  return value_in(product);
}

static struct value allocate(struct lowering *l, const struct expr *e, const struct type *of) {
  bool zero = e->a->decl->builtin == BUILTIN_CALLOC, whole;
  of = length_element(of);
  if (of->kind == TYPE_VOID || !of->size || !of->cells) of = TYPE_OF(UCHAR);
  if (e->a->decl->builtin == BUILTIN_REALLOC) return lower_realloc(l, e, of);
  struct value count;
  uint8_t align = 0;
  if (zero) {
    struct value n = lower_value(l, e->args[0]), each;
    whole = !of->flexible && elements(l, e->args[1], of->size, e->place, &each);
    if (!whole) each = lower_value(l, e->args[1]);
    count = calloc_product(l, n, each, e->place);
  } else {
    const struct expr *size = e->args[e->arg_count - 1];
    if (e->arg_count > 1) align = alignment(l, e);
    whole = !of->flexible && elements(l, size, of->size, e->place, &count);
    if (!whole) count = lower_value(l, size);
  }
  struct inst *in = emit_allocation(
      l, e, of, whole && count.kind == VALUE_NUMBER && count.imm == 1 ? NO_REG : value_reg(l, count, e->place));
  if (zero) in->flags |= FLAG_ZERO;
  if (!whole) in->flags |= FLAG_BYTES;
  in->op = align;
  reg given = in->d;
  lower_failed_allocation(l, given, e->place);
  return value_in(given);
}

/* As what an allocation is used whose result is not given a type at once: as the function around it is called, if it
 * returns it. */
static const struct type *allocated_type(const struct lowering *l) {
  for (const struct frame *f = l->frame; f; f = f->caller) {
    if (f->function->type->of->kind != TYPE_POINTER) return TYPE_OF(UCHAR);
    if (f->function->type->of->of->kind != TYPE_VOID) return f->function->type->of->of;
    if (f->as) return f->as;
  }
  return TYPE_OF(UCHAR);
}

void emit_free(struct lowering *l, reg a, struct place at) {
  emit_inst(l, I_FREE, at)->a = a;
  l->program->frees = true;
}

static struct value release(struct lowering *l, const struct expr *e) {
  emit_free(l, value_reg(l, lower_value(l, e->args[0]), e->place), e->place);
  return (struct value){0};
}

/* Locks. */

static struct inst *emit_mutex(struct lowering *l, const struct expr *e, enum code code) {
  struct lvalue m = lvalue_pointed(l, e->args[0], pointed_type(e->args[0]), NULL);
  struct inst *in = emit_access(l, code, &m, e->place);
  in->flags |= FLAG_ATOMIC;
  return in;
}

/* Of plain ones the result is always zero. */
static struct value mutex(struct lowering *l, const struct expr *e, enum code code) {
  bool spins = pointed_type(e->args[0])->plain == TYPE_OF(SPINLOCK);
  if (!l->unit->mutex_kinds || spins) {
    emit_mutex(l, e, code);
    return value_number(0);
  }
  own_needed(l, OWN_SELF);
  reg d = reg_new(l, 1, "");
  emit_mutex(l, e, code)->d = d;
  return value_in(d);
}

static struct value mutex_init(struct lowering *l, const struct expr *e) {
  struct lvalue m = lvalue_pointed(l, e->args[0], pointed_type(e->args[0]), NULL);
  struct value kind = e->arg_count > 1 ? lower_value(l, e->args[1]) : value_number(0);
  value_store(l, &m, l->unit->mutex_kinds ? kind : value_number(0), e->place);
  return value_number(0);
}

static reg try_lock(struct lowering *l, const struct expr *e) {
  if (l->unit->mutex_kinds) own_needed(l, OWN_SELF);
  reg got = reg_new(l, 1, "");
  emit_mutex(l, e, I_TRYLOCK)->d = got;
  return got;
}

/* Zero is success. */
static struct value mutex_trylock(struct lowering *l, const struct expr *e) {
  reg got = try_lock(l, e), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_UNARY, e->place);
  in->op = OP_NOT;
  in->scalar = scalar_of(TYPE_OF(INT));
  in->a = got;
  in->d = d;
  return value_in(d);
}

/* Asif's own. */

/* What was asserted, as the source has it: from the bracket after the name to the one that closes it. */
static const char *source_argument(struct lowering *l, const struct expr *e) {
  if (e->place.file < l->unit->files.count && l->unit->files.at[e->place.file].text) {
    const struct source_file *f = &l->unit->files.at[e->place.file];
    const char *p = f->text, *end = f->text + f->length;
    for (uint32_t line = 1; p < end && line < e->place.line; p++) line += *p == '\n';
    p += e->place.col ? e->place.col - 1 : 0;
    size_t n = strlen(e->a->decl->name);
    if (p + n < end && !memcmp(p, e->a->decl->name, n)) p += n;
    while (p < end && *p == ' ') p++;
    const char *from = p + 1;
    int depth = 0;
    for (; p < end && *p != '\n'; p++) {
      depth += (*p == '(') - (*p == ')');
      if (!depth) break;
    }
    if (p < end && *p == ')' && p > from) return mem_string(l->mem, from, (size_t)(p - from));
  }
  struct text t;
  text_open(&t, l->mem);
  expr_print(e->args[0], &t);
  return text_string(&t);
}

static struct value check(struct lowering *l, const struct expr *e, enum code code) {
  struct value v = lower_value(l, e->args[0]);
  if (v.kind == VALUE_GLOBAL || v.kind == VALUE_SLOT || (v.kind == VALUE_NUMBER && v.imm)) return (struct value){0};
  reg a = value_reg(l, v, e->place);
  struct inst *in = emit_inst(l, code, e->place);
  in->a = a;
  if (code == I_ASSERT) in->text = source_argument(l, e);
  if (e->a->decl->builtin == BUILTIN_AWAIT)
    in->op = strcmp(e->a->decl->name, "__asif_await") ? REQUIRE_LOCK : REQUIRE_SIGNAL;
  return (struct value){0};
}

static struct value point_for(struct lowering *l, const struct expr *e) {
  const struct expr *who = e->args[0];
  reg a = NO_REG, b = NO_REG;
  if (who->kind == E_NAME && who->decl->kind == DECL_FUNCTION) {
    for (uint32_t i = 0; i < l->unit->harness.ops.count; i++)
      if (l->unit->harness.ops.at[i].function == who->decl) b = (reg)i;
    if (b == NO_REG) lower_refuse(l, e->place, "%s is no operation (ASIF_OP)", who->decl->name);
  } else {
    a = value_reg(l, lower_value(l, who), e->place);
  }
  struct inst *in = emit_inst(l, I_LIN_FOR, e->place);
  in->a = a;
  in->b = b;
  l->program->has_points = true;
  return (struct value){0};
}

static struct value choose(struct lowering *l, const struct expr *e) {
  reg a = value_reg(l, lower_value(l, e->args[0]), e->place), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_CHOOSE, e->place);
  in->a = a;
  in->d = d;
  return value_in(d);
}

static struct value thread(struct lowering *l, const struct expr *e) {
  reg d = reg_new(l, 1, "");
  emit_inst(l, I_THREAD, e->place)->d = d;
  l->program->uses_thread = true;
  return value_in(d);
}

static struct value sleep_at(struct lowering *l, const struct expr *e) {
  reg a = value_reg(l, lower_value(l, e->args[0]), e->place);
  emit_inst(l, I_SLEEP, e->place)->a = a;
  l->program->owns[OWN_SLEEPS] = true;
  return (struct value){0};
}

static struct value wake(struct lowering *l, const struct expr *e) {
  reg a = value_reg(l, lower_value(l, e->args[0]), e->place), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_WAKE, e->place);
  in->a = a;
  in->d = d;
  in->imm = e->a->decl->builtin == BUILTIN_WAKE_ALL;
  l->program->owns[OWN_SLEEPS] = true;
  return value_in(d);
}

static struct value from_outside(struct lowering *l, uint32_t count, struct place at) {
  reg d = reg_new(l, count, "");
  for (uint32_t i = 0; i < count; i++) {
    struct inst *in = emit_inst(l, I_OUTSIDE, at);
    in->d = (reg)(d + i);
    in->op = !i;
  }
  l->program->outside = true;
  return value_in(d);
}

/* Whatever the argument points to is the time. time() and clock() give it too; others give 0, or timespec_get its
 * base. */
static struct value take_time(struct lowering *l, const struct expr *e) {
  struct value last = value_number(0);
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const struct expr *arg = e->args[i];
    bool where = arg->type->kind == TYPE_POINTER && arg->type->of->kind != TYPE_VOID;
    if (!where) {
      last = lower_value(l, arg);
      continue;
    }
    struct lvalue to = lvalue_pointed(l, arg, pointed_type(arg), NULL);
    value_store(l, &to, from_outside(l, to.type->cells, e->place), e->place);
  }
  if (e->type->bits == 64) return from_outside(l, 1, e->place);
  return strcmp(e->a->decl->name, "timespec_get") ? value_number(0) : last;
}

static struct value point(struct lowering *l, const struct expr *e) {
  emit_inst(l, I_LIN, e->place);
  l->program->has_points = true;
  return (struct value){0};
}

static struct value fence(struct lowering *l, const struct expr *e) {
  struct inst *in = emit_inst(l, I_FENCE, e->place);
  in->order = e->order;
  in->op = e->a->decl->builtin == BUILTIN_ATOMIC_SIGNAL_FENCE;
  return (struct value){0};
}

static struct value lower_atomic(struct lowering *l, const struct expr *e) {
  switch ((enum builtin)e->a->decl->builtin) {
  case BUILTIN_ATOMIC_LOAD: return load(l, e);
  case BUILTIN_ATOMIC_INIT:
  case BUILTIN_ATOMIC_STORE: return store(l, e);
  case BUILTIN_ATOMIC_EXCHANGE: return exchange(l, e, value_number(0));
  case BUILTIN_ATOMIC_CAS:
  case BUILTIN_ATOMIC_CAS_WEAK: return compare_exchange_value(l, e);
  case BUILTIN_ATOMIC_ADD: return fetch(l, e, OP_ADD);
  case BUILTIN_ATOMIC_SUB: return fetch(l, e, OP_SUB);
  case BUILTIN_ATOMIC_OR: return fetch(l, e, OP_OR);
  case BUILTIN_ATOMIC_XOR: return fetch(l, e, OP_XOR);
  case BUILTIN_ATOMIC_AND: return fetch(l, e, OP_AND);
  case BUILTIN_ATOMIC_NAND: return fetch(l, e, OP_NAND);
  case BUILTIN_FLAG_TEST_AND_SET: return exchange(l, e, value_number(1));
  case BUILTIN_FLAG_CLEAR: {
    struct lvalue to = object_of(l, e);
    value_store(l, &to, value_number(0), e->place);
    return (struct value){0};
  }
  case BUILTIN_SYNC_CAS_BOOL: return compare_and_swap(l, e, false);
  case BUILTIN_SYNC_CAS_VALUE: return compare_and_swap(l, e, true);
  default: return fence(l, e);
  }
}

static bool builtin_branch(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  switch ((enum builtin)e->a->decl->builtin) {
  case BUILTIN_ATOMIC_CAS:
  case BUILTIN_ATOMIC_CAS_WEAK: branch_cas(l, e, when, label); return true;
  case BUILTIN_MUTEX_TRYLOCK: emit_branch(l, try_lock(l, e), !when, label, e->place); return true;
  case BUILTIN_EXPECT: lower_branch(l, e->args[0], when, label); return true;
  default: return false;
  }
}

static struct value builtin_value(struct lowering *l, const struct expr *e, bool wanted) {
  enum builtin builtin = (enum builtin)e->a->decl->builtin;
  switch (builtin) {
  case BUILTIN_MALLOC:
  case BUILTIN_CALLOC:
  case BUILTIN_REALLOC: {
    const struct type *of = allocated_type(l);
    forget_type(l, of, e->place);
    return allocate(l, e, of);
  }
  case BUILTIN_FREE: return release(l, e);
  case BUILTIN_ABORT: emit_trap(l, e->place, "abort() was called"); break;
  case BUILTIN_MUTEX_INIT: return mutex_init(l, e);
  case BUILTIN_MUTEX_LOCK: return mutex(l, e, I_LOCK);
  case BUILTIN_MUTEX_TRYLOCK: return mutex_trylock(l, e);
  case BUILTIN_MUTEX_UNLOCK: return mutex(l, e, I_UNLOCK);
  case BUILTIN_MUTEX_DESTROY: return mutex(l, e, I_DESTROY);
  case BUILTIN_YIELD: return value_number(0);
  case BUILTIN_ASSERT: return check(l, e, I_ASSERT);
  case BUILTIN_AWAIT:
  case BUILTIN_REQUIRE: return check(l, e, I_REQUIRE);
  case BUILTIN_SELF: return own_word(l, OWN_SELF, 0, e->place);
  case BUILTIN_SLEEPS: return own_word(l, OWN_SLEEPS, 0, e->place);
  case BUILTIN_SLEEP: return sleep_at(l, e);
  case BUILTIN_WAKE:
  case BUILTIN_WAKE_ALL: return wake(l, e);
  case BUILTIN_MISUSE: emit_trap(l, e->place, "%.200s", e->args[0]->text)->imm = TRAP_UNDEFINED; break;
  case BUILTIN_LIMIT: emit_trap(l, e->place, "%.200s", e->args[0]->text)->imm = TRAP_LIMIT; break;
  case BUILTIN_LIN: return point(l, e);
  case BUILTIN_LIN_FOR: return point_for(l, e);
  case BUILTIN_CHOOSE: return choose(l, e);
  case BUILTIN_THREAD: return thread(l, e);
  case BUILTIN_MEMSET:
  case BUILTIN_MEMCPY:
  case BUILTIN_MEMMOVE:
  case BUILTIN_MEMCMP: return lower_memory_call(l, e, wanted);
  case BUILTIN_EXPECT: return lower_value(l, e->args[0]);
  case BUILTIN_NOTHING:
    if (wanted && *known_find(e->a->decl->name)->signature == 'I')
      lower_outside(l, e->place, "the value of %s", e->a->decl->name);
    for (uint32_t i = 0; i < e->arg_count; i++) lower_effect(l, e->args[i]);
    break;
  case BUILTIN_RANDOM:
    for (uint32_t i = 0; i < e->arg_count; i++) lower_effect(l, e->args[i]);
    if (wanted) return from_outside(l, 1, e->place);
    break;
  case BUILTIN_TIME: return take_time(l, e);
  case BUILTIN_BITS: return lower_bits(l, e);
  case BUILTIN_OVERFLOW: return lower_overflow(l, e);
  case BUILTIN_ABS: return lower_abs(l, e);
  case BUILTIN_MATH: return lower_math(l, e);
  case BUILTIN_UNREACHABLE: emit_trap(l, e->place, "__builtin_unreachable() was reached")->imm = TRAP_UNDEFINED; break;
  case BUILTIN_EXIT:
    lower_effect(l, e->args[0]);
    emit_trap(l, e->place, "%s() was called", e->a->decl->name);
    break;
  default: return lower_atomic(l, e);
  }
  return value_number(0);
}

/* The arguments of all of them are in no order. */
bool lower_builtin_branch(struct lowering *l, const struct expr *e, bool when, uint32_t label) {
  enum builtin builtin = (enum builtin)e->a->decl->builtin;
  size_t given = l->given.count, from = lower_sequenced(l);
  if (builtin == BUILTIN_ATOMIC_CAS || builtin == BUILTIN_ATOMIC_CAS_WEAK) lower_unordered_args(l, e);
  bool done = builtin_branch(l, e, when, label);
  l->given.count = given;
  l->assigning_from = from;
  return done;
}

struct value lower_builtin(struct lowering *l, const struct expr *e, bool wanted) {
  enum builtin builtin = (enum builtin)e->a->decl->builtin;
  size_t given = l->given.count, from = lower_sequenced(l), begin = l->code.count;
  if (builtin != BUILTIN_LIN_FOR) lower_unordered_args(l, e);
  struct value v = builtin_value(l, e, wanted);
  if (builtin >= BUILTIN_MEMSET && builtin <= BUILTIN_MEMCMP) call_made(l, begin);
  l->given.count = given;
  l->assigning_from = from;
  return v;
}

struct value lower_allocation(struct lowering *l, const struct expr *e, const struct type *of) {
  size_t given = l->given.count, from = lower_sequenced(l);
  lower_unordered_args(l, e);
  struct value v = allocate(l, e, of);
  l->given.count = given;
  l->assigning_from = from;
  return v;
}
