/* Operands whose order C leaves open: both operands of a binary operator, the arguments of a call, an array and its
 * index, the two sides of an assignment, the elements of an initialiser (C11 6.5p2-3, 6.5.2.2p10, 6.7.9p23).
 *
 * Where one operand touches memory that others see and so does another, or one writes a variable that another uses, the
 * program may do either first, and where neither is in a function that is called, one part of each in turn. Each such
 * operand is lowered by itself, to a strand of code, and the strands are joined (lower_strands.c). Operands that do not
 * conflict are lowered as always, and cost nothing. */
#include <assert.h>

#include "front/strands.h"

enum { LOCALS_MOST = 16 };

/* What an operand does, from its syntax: as much as it may. */

struct doing {
  bool shared;  /* touches memory that others see, or waits, or may stop */
  bool writes;  /* ... and not only reads it */
  bool unknown; /* more variables than there is room for */
  bool jumps;   /* it has ({ ... }) with jumps in it, perhaps out of it */
  unsigned count;
  struct {
    uint32_t id;
    bool written, of_thread; /* a thread-local variable: not in a register, which strands would know it by */
  } local[LOCALS_MOST];
};

enum how { HOW_ADDRESS, HOW_READ, HOW_WRITE };

static void does(struct lowering *, const struct expr *, struct doing *);

static void does_local(struct doing *d, uint32_t id, bool written, bool of_thread) {
  for (unsigned i = 0; i < d->count; i++)
    if (d->local[i].id == id) {
      d->local[i].written |= written;
      return;
    }
  if (d->count == LOCALS_MOST) {
    d->unknown = true;
    return;
  }
  d->local[d->count].id = id;
  d->local[d->count].of_thread = of_thread;
  d->local[d->count++].written = written;
}

static void does_shared(struct doing *d, enum how how, bool constant) {
  if (how == HOW_ADDRESS || constant) return;
  d->shared = true;
  d->writes |= how == HOW_WRITE;
}

static bool is_constant(struct lowering *l, const struct decl *d) {
  uint32_t global = global_for(l, d); /* first: it may move the list */
  return l->globals.at[global].constant;
}

static void does_object(struct lowering *l, const struct expr *e, enum how how, struct doing *d) {
  switch (e->kind) {
  case E_NAME:
    if (how == HOW_ADDRESS || e->decl->kind != DECL_VARIABLE) return;
    if (e->decl->storage == STORAGE_THREAD_LOCAL && !(l->uses[e->decl->id] & USE_ADDRESS))
      does_local(d, e->decl->id, how == HOW_WRITE, true);
    else if (e->decl->storage == STORAGE_THREAD_LOCAL)
      does_shared(d, how, false);
    else if (e->decl->storage != STORAGE_AUTO && e->decl->storage != STORAGE_PARAM)
      does_shared(d, how, is_constant(l, e->decl));
    else if (l->uses[e->decl->id] & USE_ADDRESS)
      does_shared(d, how, false);
    else
      does_local(d, e->decl->id, how == HOW_WRITE, false);
    return;
  case E_FIELD: does_object(l, e->a, how, d); return;
  case E_INDEX:
    does(l, e->b, d);
    if (e->a->kind == E_DECAY) {
      does_object(l, e->a->a, how, d);
    } else {
      does(l, e->a, d);
      does_shared(d, how, false);
    }
    return;
  case E_DEREF: {
    const struct expr *p = pointer_without_casts(e->a);
    if (p->kind == E_ADDRESS) {
      does_object(l, p->a, how, d);
    } else {
      does(l, p, d);
      does_shared(d, how, false);
    }
    return;
  }
  default: does(l, e, d);
  }
}

/* A statement, in a function or in ({ ... }). */
static void does_statement(struct lowering *l, const struct stmt *s, struct doing *d) {
  if (!s) return;
  if (s->kind == S_IF && (statement_is_dead(s, true) || statement_is_dead(s, false))) {
    does_statement(l, s->expr->value ? s->body : s->otherwise, d);
    return;
  }
  d->jumps |= s->kind == S_RETURN || s->kind == S_GOTO || s->kind == S_BREAK || s->kind == S_CONTINUE;
  does(l, s->expr, d);
  does(l, s->step, d);
  if (s->decl && s->decl->kind == DECL_VARIABLE && s->decl->storage == STORAGE_AUTO) {
    does(l, s->decl->init, d);
    does(l, s->decl->cleanup, d);
  }
  does_statement(l, s->init, d);
  does_statement(l, s->body, d);
  does_statement(l, s->otherwise, d);
  for (uint32_t i = 0; i < s->count; i++) does_statement(l, s->list[i], d);
}

static bool statement_shares(struct lowering *l, const struct stmt *s) {
  struct doing d = {0};
  does_statement(l, s, &d);
  return d.shared;
}

/* Functions that call each other are private if none of them shares: while one is looked at it counts as private, and
 * what was found out of others by that is not kept. */
static bool function_shares(struct lowering *l, const struct decl *f) {
  enum { UNSEEN, SHARES, PRIVATE, LOOKED_AT };
  if (l->shares[f->id] == LOOKED_AT) {
    l->shares_assumed = true;
    return false;
  }
  if (l->shares[f->id] != UNSEEN) return l->shares[f->id] == SHARES;
  bool outermost = !l->shares_depth++;
  l->shares[f->id] = LOOKED_AT;
  bool shares = !f->body || statement_shares(l, f->body);
  l->shares_depth--;
  l->shares[f->id] = shares ? SHARES : l->shares_assumed && !outermost ? UNSEEN : PRIVATE;
  if (outermost) l->shares_assumed = false;
  return shares;
}

static bool builtin_shares(int builtin) {
  switch (builtin) {
  case BUILTIN_MALLOC:
  case BUILTIN_CALLOC:
  case BUILTIN_YIELD:
  case BUILTIN_CHOOSE:
  case BUILTIN_THREAD:
  case BUILTIN_SELF:
  case BUILTIN_NOTHING:
  case BUILTIN_RANDOM:
  case BUILTIN_BITS:
  case BUILTIN_ABS:
  case BUILTIN_EXPECT: return false;
  default: return true;
  }
}

static void does_call(struct lowering *l, const struct expr *e, struct doing *d) {
  const struct decl *f = call_function(e);
  if (!f) does(l, e->a, d);
  for (uint32_t i = 0; i < e->arg_count; i++) {
    if (!e->args[i]) continue;
    const struct expr *p = pointer_of_memory(e->args[i]);
    does(l, e->args[i], d);
    if (p->kind == E_ADDRESS) does_object(l, p->a, HOW_WRITE, d); /* by the function */
  }
  bool shares = !f || (f->builtin != BUILTIN_NONE ? builtin_shares(f->builtin) : function_shares(l, f));
  if (shares) does_shared(d, f && f->builtin == BUILTIN_ATOMIC_LOAD ? HOW_READ : HOW_WRITE, false);
}

static void does(struct lowering *l, const struct expr *e, struct doing *d) {
  if (!e) return;
  switch (e->kind) {
  case E_NUMBER:
  case E_STRING: return;
  case E_NAME:
  case E_FIELD:
  case E_INDEX:
  case E_DEREF: does_object(l, e, HOW_READ, d); return;
  case E_ADDRESS:
  case E_DECAY: does_object(l, e->a, HOW_ADDRESS, d); return;
  case E_CALL: does_call(l, e, d); return;
  case E_ASSIGN:
    does_object(l, e->a, HOW_WRITE, d);
    does(l, e->b, d);
    return;
  case E_STEP: does_object(l, e->a, HOW_WRITE, d); return;
  case E_BLOCK: does_statement(l, e->block, d); return;
  case E_CONDITION:
    does(l, e->a, d);
    if (e->a->kind != E_NUMBER || e->a->value) does(l, e->b, d);
    if (e->a->kind != E_NUMBER || !e->a->value) does(l, e->c, d);
    return;
  default:
    does(l, e->a, d);
    does(l, e->b, d);
    does(l, e->c, d);
    for (uint32_t i = 0; i < e->arg_count; i++) does(l, e->args[i], d);
  }
}

/* Others see in which order two reads come, unless both are in one step. */
static bool conflict(const struct lowering *l, const struct doing *a, const struct doing *b) {
  if ((a->shared && b->shared && (!is_alone(l) || a->writes || b->writes)) || (a->unknown && b->count) ||
      (b->unknown && a->count))
    return true;
  for (unsigned i = 0; i < a->count; i++)
    for (unsigned k = 0; k < b->count; k++)
      if (a->local[i].id == b->local[k].id && (a->local[i].written || b->local[k].written)) return true;
  return false;
}

/* ... and the strands of their code do not show it. */
static bool conflict_in_thread(const struct doing *a, const struct doing *b) {
  for (unsigned i = 0; i < a->count; i++)
    for (unsigned k = 0; k < b->count; k++)
      if (a->local[i].of_thread && a->local[i].id == b->local[k].id && (a->local[i].written || b->local[k].written))
        return true;
  return false;
}

/* Operands. */

static struct given lower_operand(struct lowering *l, const struct operand *e) {
  struct given g = {.expr = e->expr};
  uint32_t cells = e->expr->type->cells;
  if (!e->is_lvalue) {
    struct value v = lower_value(l, e->expr);
    g.value = v.kind == VALUE_REG ? value_in(value_copy(l, v, cells, e->expr->place)) : v;
    return g;
  }
  g.lvalue = lvalue_of(l, e->expr);
  if (!g.lvalue.in_registers && g.lvalue.address.kind == VALUE_REG)
    g.lvalue.address = value_in(value_copy(l, g.lvalue.address, 1, e->expr->place));
  if (e->is_read) g.value = value_in(value_copy(l, value_load(l, &g.lvalue, e->expr->place), cells, e->expr->place));
  return g;
}

static bool find_conflicts(struct lowering *l, const struct operand *e, unsigned count, bool *conflicting) {
  struct doing *d = mem_zero(l->mem, count + 1, sizeof *d);
  bool any = false;
  for (unsigned i = 0; i < count; i++) {
    if (!e[i].is_lvalue)
      does(l, e[i].expr, &d[i]);
    else
      does_object(l, e[i].expr, e[i].is_read ? HOW_READ : HOW_ADDRESS, &d[i]);
    for (unsigned k = 0; k < i; k++) {
      if (conflict(l, &d[i], &d[k])) conflicting[i] = conflicting[k] = any = true;
      if (conflict_in_thread(&d[i], &d[k]))
        emit_trap(l, e[i].expr->place, "a thread-local variable that one operand writes and another one uses")->imm =
            TRAP_LIMIT;
    }
  }
  for (unsigned i = 0; i < count; i++)
    if (conflicting[i] && d[i].jumps)
      lower_outside(l, e[i].expr->place, "a jump in a statement that is used as an operand in no order with another");
  return any;
}

static bool is_simple(const struct expr *e) {
  while (e->kind == E_CAST) e = e->a;
  return e->kind == E_NUMBER || e->kind == E_STRING;
}

/* More operands than strands: fine if no two conflict. */
static void refuse_many(struct lowering *l, const struct operand *e, unsigned count, struct place at) {
  struct doing all = {0};
  for (unsigned i = 0; i < count; i++) {
    struct doing d = {0};
    does(l, e[i].expr, &d);
    if (conflict(l, &all, &d)) {
      emit_trap(l, at, "too many operands in no order: take the expression apart")->imm = TRAP_LIMIT;
      return;
    }
    all.shared |= d.shared;
    all.writes |= d.writes;
    all.unknown |= d.unknown;
    for (unsigned k = 0; k < d.count; k++) does_local(&all, d.local[k].id, d.local[k].written, d.local[k].of_thread);
  }
}

bool lower_address_is_shared(struct lowering *l, const struct expr *lvalue) {
  struct doing d = {0};
  does_object(l, lvalue, HOW_ADDRESS, &d);
  return d.shared || d.unknown;
}

bool lower_is_shared(struct lowering *l, const struct expr *lvalue) {
  struct doing d = {0};
  does_object(l, lvalue, HOW_WRITE, &d);
  return d.shared;
}

void lower_with_stores(struct lowering *l, size_t begin, uint32_t base, const struct late_store *stores, unsigned count,
                       struct place at) {
  struct ordering *o = mem_zero(l->mem, 1, sizeof *o);
  assert(count < OPERANDS_MOST);
  *o = (struct ordering){.l = l, .place = at, .base = base};
  o->strand = mem_zero(l->mem, count + 1, sizeof *o->strand);
  o->strand[o->count++] = strand_cut(o, begin, false);
  for (unsigned i = 0; i < count; i++) {
    l->label_here = (uint32_t)begin;
    value_store(l, &stores[i].to, stores[i].value, stores[i].place);
    o->strand[o->count++] = strand_cut(o, begin, false);
  }
  strands_join(o);
}

void lower_unordered(struct lowering *l, const struct operand *given, unsigned count, bool whole, struct place at) {
  struct operand *e = mem_piece(l->mem, (count + 1) * sizeof *e);
  bool *conflicting = mem_zero(l->mem, count + 1, 1), checked = checked_may(l, at);
  unsigned n = 0;
  for (unsigned i = 0; i < count; i++)
    if (!is_simple(given[i].expr)) e[n++] = given[i];
  if (n > OPERANDS_MOST && !checked) {
    refuse_many(l, given, count, at);
    return;
  }
  if (n < 2 || !find_conflicts(l, e, n, conflicting)) return;
  struct ordering *o = mem_zero(l->mem, 1, sizeof *o);
  *o = (struct ordering){.l = l, .place = at, .base = (uint32_t)l->names.count, .checked = checked};
  o->strand = mem_zero(l->mem, n, sizeof *o->strand);
  struct given *results = mem_zero(l->mem, n, sizeof *results);
  bool statement = l->statement, every = l->every;
  size_t begin = l->code.count;
  l->statement = false;
  l->every = !checked;
  for (unsigned i = 0; i < n; i++) {
    if (!conflicting[i]) continue;
    l->label_here = (uint32_t)begin; /* the instruction before is not the strand's */
    results[o->count] = lower_operand(l, &e[i]);
    o->strand[o->count++] = strand_cut(o, begin, whole);
  }
  l->every = every;
  l->statement = statement;
  strands_join(o);
  for (unsigned i = 0; i < o->count; i++) vec_push(l->mem, &l->given, results[i]);
}

void lower_unordered_pair(struct lowering *l, const struct expr *a, const struct expr *b, struct place at) {
  struct operand e[2] = {{.expr = a}, {.expr = b}};
  lower_unordered(l, e, 2, false, at);
}

void lower_unordered_args(struct lowering *l, const struct expr *call) {
  struct operand *e = mem_piece(l->mem, (call->arg_count + 2) * sizeof *e);
  unsigned n = 0;
  for (uint32_t i = 0; i < call->arg_count; i++)
    if (call->args[i] && call->args[i]->type) e[n++] = (struct operand){.expr = call->args[i]};
  if (!call_function(call)) e[n++] = (struct operand){.expr = call->a};
  lower_unordered(l, e, n, false, call->place);
}

static void collect_elements(struct lowering *l, const struct expr *e, operands *to) {
  if (e->kind != E_INIT) {
    struct operand one = {.expr = e};
    vec_push(l->mem, to, one);
    return;
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (e->args[i]) collect_elements(l, e->args[i], to);
}

void lower_unordered_init(struct lowering *l, const struct expr *init) {
  operands e = {0};
  if (init->kind != E_INIT) return;
  collect_elements(l, init, &e);
  lower_unordered(l, e.at, (unsigned)e.count, true, init->place);
  vec_free(l->mem, &e);
}

bool lower_given(struct lowering *l, const struct expr *e, struct given *out) {
  for (size_t i = l->given.count; i-- > 0;) {
    if (l->given.at[i].expr != e) continue;
    *out = l->given.at[i];
    memmove(&l->given.at[i], &l->given.at[i + 1], (--l->given.count - i) * sizeof l->given.at[0]);
    return true;
  }
  return false;
}

/* i = i++ + 1: the assignment comes after the values of its operands, but not after what they do. */

void lower_assigning(struct lowering *l, const struct expr *target) {
  const struct decl *d = target->kind == E_NAME && !target->type->atomic ? target->decl : NULL;
  for (size_t i = l->assigning_from; d && i < l->assigning.count; i++)
    if (l->assigning.at[i] == d) {
      emit_trap(l, target->place, "%s is assigned twice, and C does not say which is first", d->name)->imm =
          TRAP_UNSEQUENCED;
      return;
    }
}

size_t lower_sequenced(struct lowering *l) {
  size_t before = l->assigning_from;
  l->assigning_from = l->assigning.count;
  return before;
}
