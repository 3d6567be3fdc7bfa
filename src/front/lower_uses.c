/* How the variables of the functions that operations reach are used: which must be in memory, which are written.
 *
 * A variable is kept in registers as long as its address is only taken where nothing keeps it: as the expected value of
 * a compare-exchange, or as an argument for a parameter that the function only ever looks through. */
#include "front/lower.h"

static void use(struct lowering *, const struct expr *);
static void use_object(struct lowering *, const struct expr *, unsigned how);
static void use_statement(struct lowering *, const struct stmt *);

static bool same_target(const struct type *to, const struct type *from) {
  return to->kind == TYPE_POINTER && from->kind == TYPE_POINTER && type_same(to->of, from->of);
}

const struct expr *pointer_without_casts(const struct expr *e) {
  while (e->kind == E_CAST && same_target(e->type, e->a->type)) e = e->a;
  return e;
}

const struct expr *pointer_of_memory(const struct expr *e) {
  e = pointer_without_casts(e);
  if (e->kind == E_CAST && e->type->kind == TYPE_POINTER && e->type->of->kind == TYPE_VOID &&
      e->a->type->kind == TYPE_POINTER)
    e = e->a;
  return pointer_without_casts(e);
}

/* What a global variable begins with may hold addresses of others. */
static void mark(struct lowering *l, const struct decl *d, unsigned how) {
  bool met = l->uses[d->id] & USE_MET;
  if (!met) refuse_type(l, d->type, d->place);
  l->uses[d->id] |= (uint8_t)(how | USE_MET);
  bool lasting = d->kind == DECL_VARIABLE && d->storage != STORAGE_AUTO && d->storage != STORAGE_PARAM;
  if (!met && lasting) use(l, d->init);
}

/* What a pointer points to is used as `how`. */
static void use_target(struct lowering *l, const struct expr *e, unsigned how) {
  e = pointer_without_casts(e);
  if (e->kind == E_ADDRESS)
    use_object(l, e->a, how);
  else if (e->kind == E_NAME && e->decl->kind == DECL_VARIABLE && e->decl->storage == STORAGE_PARAM)
    mark(l, e->decl, how & (USE_ADDRESS | USE_MEMORY) ? USE_TARGET : 0);
  else
    use(l, e);
}

/* The address of a function is taken: it may be called by whoever has that. */
static void use_function(struct lowering *l, const struct decl *f) {
  if (!(l->uses[f->id] & USE_ADDRESS)) vec_push(l->mem, &l->functions, f);
  mark(l, f, USE_ADDRESS);
  uses_of_function(l, f);
}

/* An lvalue is used as `how`. */
static void use_object(struct lowering *l, const struct expr *e, unsigned how) {
  if (e->kind == E_COMPOUND && e->decl) mark(l, e->decl, how | USE_WRITE | USE_MEMORY);
  switch (e->kind) {
  case E_NAME:
    if (e->decl->kind == DECL_VARIABLE) mark(l, e->decl, how);
    if (e->decl->kind == DECL_FUNCTION) use_function(l, e->decl);
    break;
  case E_FIELD: use_object(l, e->a, how); break;
  case E_INDEX:
    use(l, e->b);
    if (e->a->kind == E_DECAY)
      use_object(l, e->a->a, how | (e->b->kind == E_NUMBER ? 0 : USE_MEMORY));
    else
      use(l, e->a);
    break;
  case E_DEREF: use_target(l, e->a, how); break;
  default: use(l, e); break;
  }
}

static void use_builtin(struct lowering *l, const struct expr *e) {
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const struct expr *arg = e->args[i];
    unsigned how = 0;
    switch ((enum builtin)e->a->decl->builtin) {
    case BUILTIN_ATOMIC_LOAD: how = USE_READ | USE_MEMORY; break;
    case BUILTIN_ATOMIC_INIT:
    case BUILTIN_ATOMIC_STORE:
    case BUILTIN_ATOMIC_EXCHANGE:
    case BUILTIN_ATOMIC_CAS:
    case BUILTIN_ATOMIC_CAS_WEAK:
    case BUILTIN_ATOMIC_ADD:
    case BUILTIN_ATOMIC_SUB:
    case BUILTIN_ATOMIC_OR:
    case BUILTIN_ATOMIC_XOR:
    case BUILTIN_ATOMIC_AND:
    case BUILTIN_ATOMIC_NAND:
    case BUILTIN_FLAG_TEST_AND_SET:
    case BUILTIN_FLAG_CLEAR:
    case BUILTIN_SYNC_CAS_BOOL:
    case BUILTIN_SYNC_CAS_VALUE:
    case BUILTIN_MUTEX_INIT:
    case BUILTIN_MUTEX_LOCK:
    case BUILTIN_MUTEX_TRYLOCK:
    case BUILTIN_MUTEX_UNLOCK:
    case BUILTIN_MUTEX_DESTROY: how = USE_READ | USE_WRITE | USE_MEMORY; break;
    case BUILTIN_TIME: how = arg->type->kind == TYPE_POINTER ? USE_READ | USE_WRITE : 0; break;
    case BUILTIN_MEMSET:
    case BUILTIN_MEMCPY:
    case BUILTIN_MEMMOVE:
    case BUILTIN_MEMCMP: how = USE_READ | USE_WRITE | (memory_call_is_plain(e) ? 0 : USE_ADDRESS); break;
    default: break;
    }
    bool cas = e->a->decl->builtin == BUILTIN_ATOMIC_CAS || e->a->decl->builtin == BUILTIN_ATOMIC_CAS_WEAK;
    bool copy = e->a->decl->builtin >= BUILTIN_MEMCPY && e->a->decl->builtin <= BUILTIN_MEMCMP;
    if (how && (i == 0 || (i == 1 && copy) || e->a->decl->builtin == BUILTIN_TIME))
      use_target(l, pointer_of_memory(arg), how);
    else if ((i == 1 && cas) || (i == 2 && e->a->decl->builtin == BUILTIN_OVERFLOW))
      use_target(l, arg, USE_READ | USE_WRITE);
    else
      use(l, arg);
  }
}

static void use_call(struct lowering *l, const struct expr *e) {
  const struct decl *f = call_function(e);
  if (f && f->builtin != BUILTIN_NONE) {
    use_builtin(l, e);
    return;
  }
  if (!f) use(l, e->a);
  if (f) uses_of_function(l, f);
  for (uint32_t i = 0; i < e->arg_count; i++) {
    if (f && i < f->param_count && (l->uses[f->id] & USE_DONE) && uses_parameter_as_lvalue(l, f->params[i]))
      use_target(l, e->args[i], USE_READ | USE_WRITE);
    else
      use(l, e->args[i]);
  }
}

static void use(struct lowering *l, const struct expr *e) {
  if (!e) return;
  if (e->type->kind != TYPE_FUNCTION) refuse_type(l, e->type, e->place);
  switch (e->kind) {
  case E_NUMBER:
  case E_STRING: break;
  case E_NAME:
  case E_FIELD:
  case E_INDEX:
  case E_DEREF: use_object(l, e, USE_READ); break;
  case E_ADDRESS:
  case E_DECAY: use_object(l, e->a, USE_ADDRESS); break;
  case E_CALL: use_call(l, e); break;
  case E_ASSIGN:
    use_object(l, e->a, USE_WRITE | (e->op ? USE_READ : 0));
    use(l, e->b);
    break;
  case E_STEP: use_object(l, e->a, USE_READ | USE_WRITE); break;
  case E_CONDITION:
    use(l, e->a);
    if (e->a->kind != E_NUMBER || e->a->value) use(l, e->b);
    if (e->a->kind != E_NUMBER || !e->a->value) use(l, e->c);
    break;
  case E_UNARY:
  case E_BINARY:
  case E_LOGICAL:
  case E_CAST:
  case E_COMMA:
  case E_COMPOUND:
    use(l, e->a);
    use(l, e->b);
    use(l, e->c);
    break;
  case E_INIT:
    for (uint32_t i = 0; i < e->arg_count; i++) use(l, e->args[i]);
    break;
  case E_BLOCK: use_statement(l, e->block); break;
  case E_OUTSIDE: lower_refuse(l, e->place, "%s", e->text);
  }
}

static void use_statement(struct lowering *l, const struct stmt *s) {
  if (!s) return;
  if (s->kind == S_IF && s->expr->kind == E_NUMBER) {
    if (!statement_is_dead(s, true)) use_statement(l, s->body);
    if (!statement_is_dead(s, false)) use_statement(l, s->otherwise);
    return;
  }
  use(l, s->expr);
  use(l, s->step);
  if (s->decl && s->decl->kind == DECL_VARIABLE && s->decl->storage == STORAGE_AUTO) {
    use(l, s->decl->init);
    use(l, s->decl->cleanup);
  }
  use_statement(l, s->init);
  use_statement(l, s->body);
  use_statement(l, s->otherwise);
  for (uint32_t i = 0; i < s->count; i++) use_statement(l, s->list[i]);
}

void uses_of_function(struct lowering *l, const struct decl *f) {
  if (l->uses[f->id] & USE_BEGUN) return;
  mark(l, f, USE_BEGUN);
  use_statement(l, f->body);
  mark(l, f, USE_DONE);
}

/* A function that is being looked at may still be found to keep it: then its parameters are no lvalues, for those it
 * calls. */
bool uses_parameter_as_lvalue(const struct lowering *l, const struct decl *p) {
  return p->type->kind == TYPE_POINTER &&
         !(l->uses[p->id] & (USE_READ | USE_WRITE | USE_ADDRESS | USE_MEMORY | USE_TARGET));
}
