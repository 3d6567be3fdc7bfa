/* Symbolic execution: one step of a thread, which is one access to shared memory (or an atomic block) and the local
 * work after it. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "prove/prover.h"

unsigned choose(struct prover *p, unsigned width) {
  if (p->dead) return 0;
  if (p->chosen == p->choices) {
    if (p->choices == CHOICES_MOST) {
      prove_limit(p, FAIL_TOO_LARGE, "a step has too many cases");
      return 0;
    }
    p->choice[p->choices] = 0;
    p->width[p->choices++] = (uint8_t)width;
  }
  return p->choice[p->chosen++];
}

bool next_case(struct prover *p) {
  p->choices = p->chosen;
  while (p->choices && p->choice[p->choices - 1] + 1 == p->width[p->choices - 1]) p->choices--;
  if (!p->choices) return false;
  p->choice[p->choices - 1]++;
  p->chosen = 0;
  p->dead = false;
  return true;
}

static void keep_failure(struct prover *p, enum prove_fail kind, const char *format, va_list list) {
  assert(kind > FAIL_NOTHING && kind < FAILS);
  if (!p->failed && !p->dead) {
    p->failure.kind = kind;
    vsnprintf(p->failure.said, sizeof p->failure.said, format, list);
    p->failed = true;
  }
  p->dead = true;
}

void prove_fail(struct prover *p, enum prove_fail kind, const char *format, ...) {
  va_list list;
  va_start(list, format);
  keep_failure(p, kind, format, list);
  va_end(list);
}

void prove_limit(struct prover *p, enum prove_fail kind, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (!p->dead && !p->failed) p->failure.limit = true;
  keep_failure(p, kind, format, list);
  va_end(list);
}

static bool is_own(const struct actor *a, val v) {
  return KIND(v) == K_NODE && a->view->node[INDEX(v)].owner == (a->me ? OWNER_ME : OWNER_YOU);
}
static val my_lock(const struct actor *a) { return VAL(K_LOCK, a->me ? LOCK_ME : LOCK_YOU); }

static bool accesses(const struct inst *i) {
  switch (i->code) {
  case I_LOAD:
  case I_STORE:
  case I_EXCHANGE:
  case I_CAS:
  case I_FETCH:
  case I_LOCK:
  case I_TRYLOCK:
  case I_DESTROY:
  case I_UNLOCK: return true;
  default: return false;
  }
}

/* Does the instruction begin a step? What a thread frees is its own already. */
static bool begins_step(const struct actor *a, const struct inst *i) {
  if (i->code == I_ATOMIC) return i->imm == 1;
  if (!accesses(i) || i->flags & FLAG_CONSTANT) return false;
  return i->flags & FLAG_GLOBAL || !is_own(a, a->reg[i->a]);
}

/* A number is read and written as what it is: with another sign or size it would be another number. */
static bool is_of_type(const struct scalar *s, const struct scalar *cell) {
  if (s->mutex || cell->mutex || s->pointer || cell->pointer) return s->mutex == cell->mutex && s->bits == cell->bits;
  return s->bits == cell->bits && s->is_signed == cell->is_signed;
}

static val *cell_of(struct prover *p, const struct inst *i, const struct layout *l, val *cells) {
  if (i->imm < 0 || i->imm >= (int64_t)l->count) {
    prove_fail(p, FAIL_BOUNDS, "an access goes beyond the object");
    return NULL;
  }
  if (!inst_locks(i) && !is_of_type(&i->scalar, &l->cells[i->imm].scalar)) {
    prove_fail(p, FAIL_OUTSIDE, "an access by another type than the object has is outside what prove follows");
    return NULL;
  }
  return &cells[i->imm];
}

/* The cell an access is to; NULL if there is none. */
static val *cell_at(struct prover *p, struct actor *a, const struct inst *i) {
  if (i->count != 1 && !inst_locks(i)) {
    prove_fail(p, FAIL_OUTSIDE, "an access to several cells at once is outside what prove follows");
    return NULL;
  }
  const struct program *program = p->program;
  if (i->flags & FLAG_GLOBAL && program->globals[i->a].constant && i->code != I_LOAD) {
    prove_fail(p, FAIL_CONSTANT, "a constant is written here");
    return NULL;
  }
  if (i->flags & FLAG_GLOBAL)
    return cell_of(p, i, &program->layouts[program->globals[i->a].layout], &a->view->root[p->root_of[i->a]]);
  val v = a->reg[i->a];
  if (KIND(v) == K_NODE) {
    struct node *n = &a->view->node[INDEX(v)];
    assert(n->used);
    if (n->segment) split_first(p, a->view, INDEX(v)); /* an address that dangled, and turned out to be in use again */
    if (p->dead) return NULL;
    return cell_of(p, i, &program->layouts[n->layout], n->cell);
  }
  switch (KIND(v)) {
  case K_NULL: prove_fail(p, FAIL_NULL, "null may be followed here"); break;
  case K_DANGLING: prove_fail(p, FAIL_FREED, "freed memory may be accessed here"); break;
  case K_UNSET: prove_fail(p, FAIL_UNSET, "a pointer that was never set may be followed here"); break;
  default: prove_fail(p, FAIL_POINTER, "an unknown pointer is followed here");
  }
  return NULL;
}

static bool is_shared(const struct actor *a, const struct inst *i) {
  return i->flags & FLAG_GLOBAL || !is_own(a, a->reg[i->a]);
}

/* What is read never is the address of a segment: its first node is split off. */
static val read_cell(struct prover *p, struct actor *a, const val *at) {
  val v = *at;
  if (KIND(v) == K_NODE && a->view->node[INDEX(v)].segment) split_first(p, a->view, INDEX(v));
  return KIND(v) == K_ANY ? new_sym(a->view) : v;
}

/* The thread takes out of the shared memory what it will free: when it replaces an address of a node that it still
 * knows. */
static void claim(struct prover *p, struct actor *a, val old) {
  if (p->collected || KIND(old) != K_NODE || a->view->node[INDEX(old)].owner != OWNER_NONE) return;
  for (unsigned r = 0; r < REGS_MOST; r++)
    if (a->reg[r] == old && p->freed_later[a->pc] >> r & 1) {
      if (a->view->node[INDEX(old)].segment) split_first(p, a->view, INDEX(old));
      if (p->dead) return;
      a->view->node[INDEX(old)].owner = a->me ? OWNER_ME : OWNER_YOU;
      carry_claimed(a, &a->view->node[INDEX(old)]);
      return;
    }
}

static void write_cell(struct prover *p, struct actor *a, const struct inst *i, val *at, val v) {
  val old = *at;
  if (KIND(old) == K_LOCK && KIND(v) == K_NULL) v = VAL(K_LOCK, LOCK_FREE);
  if (is_shared(a, i)) keep_before(p, a);
  *at = v;
  if (!is_shared(a, i)) return;
  a->wrote = true;
  if (p->writes && !a->setting_up && KIND(v) != K_LOCK) p->writes[a->pc - 1] |= is_own(a, v) ? 3 : 1;
  if (is_own(a, v) && KIND(a->published) == K_UNSET) a->published = v;
  publish(p, a->view, v);
  if (old != v) claim(p, a, old);
}

static void take_lock(struct prover *p, struct actor *a, const struct inst *i, val *at) {
  val old = *at;
  if (old == my_lock(a))
    prove_fail(p, FAIL_RELOCK, "a lock is taken by the thread that holds it");
  else if (old == VAL(K_LOCK, LOCK_NEVER_SET))
    prove_fail(p, FAIL_UNSET, "a mutex is locked that was never initialised");
  else if (old == VAL(K_LOCK, LOCK_FREE) || old == NIL || old == VAL(K_LOCK, LOCK_NOT_ME)) {
    *at = VAL(K_LOCK, LOCK_FREE); /* or it would wait */
    write_cell(p, a, i, at, my_lock(a));
  } else if (KIND(old) == K_LOCK)
    p->dead = true; /* it waits */
  else
    prove_fail(p, FAIL_OUTSIDE, "what is locked here is no mutex");
}

/* What ASIF_LIN_FOR speaks of. */
static void remember_access(struct actor *a, val base, val old, val new) {
  a->last[0] = base;
  a->last[1] = old;
  a->last[2] = new;
}

static void run_access(struct prover *p, struct actor *a, const struct inst *i, bool point) {
  val *at = cell_at(p, a, i);
  if (!at) return;
  bool shared = is_shared(a, i), wrote = false;
  if (i->code >= I_LOCK && i->code <= I_UNLOCK && p->program->owns[OWN_SELF]) {
    prove_fail(p, FAIL_OUTSIDE, "a mutex that may be recursive or check for errors is outside what prove follows");
    return;
  }
  val base = i->flags & FLAG_GLOBAL ? VAL(K_UNSET, 0) : a->reg[i->a], old = *at, new = VAL(K_UNSET, 0);
  switch (i->code) {
  case I_LOAD: a->reg[i->d] = old = read_cell(p, a, at); break;
  case I_STORE:
    new = a->reg[i->b];
    write_cell(p, a, i, at, a->reg[i->b]);
    wrote = true;
    break;
  case I_EXCHANGE:
    old = read_cell(p, a, at);
    new = a->reg[i->b];
    write_cell(p, a, i, at, a->reg[i->b]);
    a->reg[i->d] = old;
    wrote = true;
    break;
  case I_CAS:
    old = read_cell(p, a, at);
    if (i->flags & FLAG_WEAK && choose(p, 2))
      a->reg[i->d] = NIL, a->reg[i->c] = old;
    else if (same(p, a, old, a->reg[i->c]) && !p->dead) {
      old = a->reg[i->c]; /* what it was compared with is known better */
      new = a->reg[i->b];
      write_cell(p, a, i, at, a->reg[i->b]);
      a->reg[i->d] = number(p, 1);
      wrote = true;
    } else {
      a->reg[i->c] = old;
      a->reg[i->d] = NIL;
    }
    break;
  case I_LOCK: take_lock(p, a, i, at); break;
  case I_TRYLOCK:
    if (*at != VAL(K_LOCK, LOCK_FREE) && *at != NIL && *at != VAL(K_LOCK, LOCK_NEVER_SET) &&
        (*at != VAL(K_LOCK, LOCK_NOT_ME) || choose(p, 2)))
      a->reg[i->d] = NIL;
    else
      take_lock(p, a, i, at), a->reg[i->d] = number(p, 1);
    break;
  case I_DESTROY:
    if (*at == VAL(K_LOCK, LOCK_NEVER_SET))
      prove_fail(p, FAIL_DESTROY, "a mutex is destroyed that was never initialised");
    else if (*at != VAL(K_LOCK, LOCK_FREE) && *at != NIL)
      prove_fail(p, FAIL_DESTROY, "a mutex is destroyed that may be locked");
    else
      write_cell(p, a, i, at, VAL(K_LOCK, LOCK_NEVER_SET));
    break;
  case I_UNLOCK:
    if (*at != my_lock(a)) {
      prove_fail(p, FAIL_UNLOCK, "a lock is given back that the thread does not hold");
      break;
    }
    settle(p, a);
    if (!p->dead) write_cell(p, a, i, at, VAL(K_LOCK, LOCK_FREE));
    break;
  default: prove_fail(p, FAIL_OUTSIDE, "read-modify-write of numbers is outside what prove follows");
  }
  if (shared) remember_access(a, base, old, new);
  if (point && wrote) effect_now(p, a);
}

static void run_free(struct prover *p, struct actor *a, const struct inst *i) {
  val v = a->reg[i->a];
  if (KIND(v) == K_NULL) return;
  if (KIND(v) == K_DANGLING) prove_fail(p, FAIL_FREED_TWICE, "memory may be freed twice here");
  if (KIND(v) == K_UNSET) prove_fail(p, FAIL_UNSET, "a pointer that was never set is freed here");
  if (KIND(v) != K_NODE) {
    prove_fail(p, FAIL_POINTER, "an unknown pointer is freed here");
    return;
  }
  if (!is_own(a, v)) {
    prove_fail(p, FAIL_FREES_SHARED, "memory is freed that was not taken out of the object by this operation");
    return;
  }
  free_node(a->view, INDEX(v), a->me ? NULL : a->reg);
}

/* Instructions that touch no memory others can see. */
static void run_local(struct prover *p, struct actor *a, const struct inst *i) {
  switch (i->code) {
  case I_CONST: a->reg[i->d] = i->imm == WORD_UNINITIALISED ? VAL(K_UNSET, 0) : number(p, i->imm); break;
  case I_MOVE:
    for (unsigned k = 0; k < i->count; k++) a->reg[i->d + k] = a->reg[i->a + k];
    break;
  case I_CAST: a->reg[i->d] = run_cast(p, a, i); break;
  case I_UNARY: a->reg[i->d] = run_unary(p, a, i); break;
  case I_BINARY: a->reg[i->d] = run_binary(p, a, i); break;
  case I_ALLOC: {
    if (i->b != NO_REG && a->reg[i->b] != number(p, 1)) {
      prove_fail(p, FAIL_OUTSIDE, "memory for a number of elements that is not one is outside what prove follows");
      return;
    }
    unsigned n = new_node(p, a->view, (unsigned)i->imm);
    if (p->dead) return;
    a->view->node[n].owner = a->me ? OWNER_ME : OWNER_YOU;
    const struct layout *l = &p->program->layouts[i->imm];
    for (unsigned c = 0; c < l->count; c++)
      a->view->node[n].cell[c] = l->cells[c].scalar.mutex
                                     ? VAL(K_LOCK, i->flags & FLAG_ZERO ? LOCK_FREE : LOCK_NEVER_SET)
                                 : i->flags & FLAG_ZERO ? NIL
                                                        : VAL(K_UNSET, 0);
    a->reg[i->d] = VAL(K_NODE, n);
    break;
  }
  case I_FREE: run_free(p, a, i); break;
  case I_JUMP: a->pc = (uint32_t)i->imm; break;
  case I_BRANCH:
    if (same(p, a, a->reg[i->a], NIL) != (i->op == OP_NOT)) a->pc = (uint32_t)i->imm;
    break;
  case I_CHOOSE: a->reg[i->d] = run_choose(p, a, i); break;
  case I_REQUIRE:
    if (same(p, a, a->reg[i->a], NIL)) p->dead = true;
    break;
  case I_ASSERT:
    if (same(p, a, a->reg[i->a], NIL)) prove_fail(p, FAIL_ASSERT, "assert(%s) may fail", i->text);
    break;
  case I_TRAP:
    if (i->imm == TRAP_LIMIT)
      prove_limit(p, FAIL_TOO_LARGE, "%s", i->text);
    else
      prove_fail(p, i->imm == TRAP_UNSEQUENCED ? FAIL_ORDER : FAIL_TRAP, "%s", i->text);
    break;
  case I_FENCE: break; /* memory is sequentially consistent */
  case I_THREAD:
  case I_OUTSIDE: a->reg[i->d] = new_sym(a->view); break; /* some number */
  case I_LIN:
    if (p->marked) effect_now(p, a);
    break;
  case I_LIN_FOR:
    if (p->marked) effect_for(p, a, i->b, i->a == NO_REG ? VAL(K_UNSET, 0) : a->reg[i->a]);
    break;
  default: prove_fail(p, FAIL_OUTSIDE, "this is outside what prove follows");
  }
}

enum { LOCAL_MOST = 5000 }; /* instructions in one step */

static void run_until_next(struct prover *p, struct actor *a) {
  bool atomic = false;
  for (unsigned count = 0; !p->dead; count++) {
    const struct inst *i = &p->program->code[a->pc];
    if (a->view->syms >= NAMES_MOST) prove_limit(p, FAIL_TOO_LARGE, "a step makes too many names");
    if (count == LOCAL_MOST) prove_fail(p, FAIL_ENDLESS, "a loop goes on without looking at shared memory");
    if (begins_step(a, i) && !atomic) {
      if (a->stepped) return;
      a->stepped = true;
    }
    uint32_t pc = a->pc++;
    if (i->code == I_ATOMIC)
      atomic = i->imm;
    else if (i->code == I_RETURN) {
      a->returned = true;
      a->result = i->a == NO_REG ? VAL(K_UNSET, 0) : a->reg[i->a];
      if (i->a != NO_REG && KIND(a->result) == K_UNSET)
        prove_fail(p, FAIL_UNSET, "a value that was never set is returned");
      return;
    } else if (accesses(i))
      run_access(p, a, i, p->point[pc]);
    else
      run_local(p, a, i);
    if (a->access_only && a->stepped && !atomic) return;
  }
}

void run_step(struct prover *p, struct actor *a) {
  run_until_next(p, a);
  carry_published(p, a);
}
