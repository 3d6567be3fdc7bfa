/* Symbolic execution: one step of a thread, which is one access to shared memory (or an atomic block) and the local
 * work after it. */
#include <stdarg.h>
#include <stdio.h>

#include "prove/prover.h"

unsigned choose(struct prover *p, unsigned width) {
  if (p->dead) return 0;
  if (p->chosen == p->choices) {
    if (p->choices == CHOICES_MOST) {
      prove_limit(p, "a step has too many cases");
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

static void keep_failure(struct prover *p, const char *format, va_list list) {
  if (!p->failed && !p->dead) {
    vsnprintf(p->failure.said, sizeof p->failure.said, format, list);
    p->failed = true;
  }
  p->dead = true;
}

void prove_fail(struct prover *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  keep_failure(p, format, list);
  va_end(list);
}

void prove_limit(struct prover *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (!p->dead && !p->failed) p->failure.limit = true;
  keep_failure(p, format, list);
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

/* The cell an access is to; NULL if there is none. */
static val *cell_at(struct prover *p, struct actor *a, const struct inst *i) {
  if (i->count != 1 && i->code != I_LOCK && i->code != I_UNLOCK && i->code != I_TRYLOCK) {
    prove_fail(p, "an access to several cells at once is outside what prove follows");
    return NULL;
  }
  if (i->flags & FLAG_GLOBAL) return &a->view->root[p->root_of[i->a] + (uint32_t)i->imm];
  val v = a->reg[i->a];
  if (KIND(v) == K_NODE) {
    if (i->imm < 0 || i->imm >= (int64_t)p->program->layouts[a->view->node[INDEX(v)].layout].count) {
      prove_fail(p, "an access goes beyond the object");
      return NULL;
    }
    return &a->view->node[INDEX(v)].cell[i->imm];
  }
  prove_fail(p, KIND(v) == K_NULL       ? "null may be followed here"
                : KIND(v) == K_DANGLING ? "freed memory may be accessed here"
                : KIND(v) == K_UNSET    ? "a pointer that was never set may be followed here"
                                        : "an unknown pointer is followed here");
  return NULL;
}

static bool is_shared(const struct actor *a, const struct inst *i) {
  return i->flags & FLAG_GLOBAL || !is_own(a, a->reg[i->a]);
}

/* A register never holds the address of a segment: its first node is split off. */
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
    prove_fail(p, "a lock is taken by the thread that holds it");
  else if (old == VAL(K_LOCK, LOCK_NEVER_SET))
    prove_fail(p, "a mutex is locked that was never initialised");
  else if (old == VAL(K_LOCK, LOCK_FREE) || old == NIL || old == VAL(K_LOCK, LOCK_NOT_ME)) {
    *at = VAL(K_LOCK, LOCK_FREE); /* or it would wait */
    write_cell(p, a, i, at, my_lock(a));
  } else if (KIND(old) == K_LOCK)
    p->dead = true; /* it waits */
  else
    prove_fail(p, "what is locked here is no mutex");
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
  case I_UNLOCK:
    if (*at != my_lock(a))
      prove_fail(p, "a lock is given back that the thread does not hold");
    else
      write_cell(p, a, i, at, VAL(K_LOCK, LOCK_FREE));
    break;
  default: prove_fail(p, "read-modify-write of numbers is outside what prove follows");
  }
  if (shared) remember_access(a, base, old, new);
  if (point && wrote) effect_now(p, a);
}

static void run_binary(struct prover *p, struct actor *a, const struct inst *i) {
  val x = a->reg[i->a], y = i->b == NO_REG ? number(p, i->imm) : a->reg[i->b];
  bool yes;
  if (i->op >= OP_LT && i->op <= OP_GE && i->scalar.bits == 64 &&
      !i->scalar.is_signed) { /* kept as signed numbers: another order */
    a->reg[i->d] = choose(p, 2) ? number(p, 1) : NIL;
    return;
  }
  switch (i->op) {
  case OP_EQ: yes = same(p, a, x, y); break;
  case OP_NE: yes = !same(p, a, x, y); break;
  case OP_LT: yes = less(p, a, x, y); break;
  case OP_GT: yes = less(p, a, y, x); break;
  case OP_LE: yes = !less(p, a, y, x); break;
  case OP_GE: yes = !less(p, a, x, y); break;
  case OP_DIV:
  case OP_MOD:
  case OP_SHL:
  case OP_SHR:
    if (KIND(y) != K_INT)
      prove_fail(p, "a division by zero, or a shift by too much, is not excluded here"); /* fall through */
  default:
    if (KIND(x) == K_UNSET || KIND(y) == K_UNSET) prove_fail(p, "it is reckoned with a value that was never set");
    a->reg[i->d] = is_number(x) && is_number(y) ? new_sym(a->view) : VAL(K_ANY, 0);
    return;
  }
  a->reg[i->d] = yes ? number(p, 1) : NIL;
}

static void run_free(struct prover *p, struct actor *a, const struct inst *i) {
  val v = a->reg[i->a];
  if (KIND(v) == K_NULL) return;
  if (KIND(v) != K_NODE) {
    prove_fail(p, KIND(v) == K_DANGLING ? "memory may be freed twice here" : "an unknown pointer is freed here");
    return;
  }
  if (!is_own(a, v)) {
    prove_fail(p, "memory is freed that was not taken out of the object by this operation");
    return;
  }
  free_node(a->view, INDEX(v), a->me ? NULL : a->reg);
}

/* What is, or was, among the contents was an argument: where these are ints, so is it. */
static bool is_int(const struct prover *p, const struct actor *a, val v) {
  const struct view *view = a->view;
  if (!p->int_arguments || p->level == LEVEL_MS) return false;
  bool is = KIND(v) == K_SYM && (v == a->arg || v == *a->status);
  for (unsigned i = 0; i < view->atoms; i++) is |= view->abs[i] == v;
  for (unsigned i = 0; i < SEEN_MOST; i++) is |= view->seen[i] == v;
  return is && KIND(v) == K_SYM;
}

/* A number that is not known may change when it is made narrower, or unsigned. */
static void run_cast(struct prover *p, struct actor *a, const struct inst *i) {
  val v = a->reg[i->a];
  const struct scalar *s = &i->scalar;
  if (KIND(v) == K_UNSET)
    prove_fail(p, "a value that was never set is used");
  else if (s->bits == 1)
    v = same(p, a, v, NIL) ? NIL : number(p, 1);
  else if (s->pointer || s->holds_pointer || KIND(v) == K_NULL || (s->bits == 64 && s->is_signed))
    ;
  else if (KIND(v) == K_INT && s->bits == 32 && s->is_signed && p->constant[INDEX(v)] == (int32_t)p->constant[INDEX(v)])
    ;
  else if (s->bits == 32 && s->is_signed && is_int(p, a, v))
    ;
  else
    v = is_number(v) ? new_sym(a->view) : VAL(K_ANY, 0);
  a->reg[i->d] = v;
}

/* Instructions that touch no memory others can see. */
static void run_local(struct prover *p, struct actor *a, const struct inst *i) {
  switch (i->code) {
  case I_CONST: a->reg[i->d] = number(p, i->imm); break;
  case I_MOVE:
    for (unsigned k = 0; k < i->count; k++) a->reg[i->d + k] = a->reg[i->a + k];
    break;
  case I_CAST: run_cast(p, a, i); break;
  case I_UNARY:
    if (i->op == OP_NOT)
      a->reg[i->d] = same(p, a, a->reg[i->a], NIL) ? number(p, 1) : NIL;
    else
      a->reg[i->d] = new_sym(a->view);
    break;
  case I_BINARY: run_binary(p, a, i); break;
  case I_ALLOC: {
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
  case I_CHOOSE: a->reg[i->d] = new_sym(a->view); break;
  case I_REQUIRE:
    if (same(p, a, a->reg[i->a], NIL)) p->dead = true;
    break;
  case I_ASSERT:
    if (same(p, a, a->reg[i->a], NIL)) prove_fail(p, "assert(%s) may fail", i->text);
    break;
  case I_TRAP: prove_fail(p, "%s", i->text); break;
  case I_FENCE: break;                                   /* memory is sequentially consistent */
  case I_THREAD: a->reg[i->d] = new_sym(a->view); break; /* some number */
  case I_LIN:
    if (p->marked) effect_now(p, a);
    break;
  case I_LIN_FOR:
    if (p->marked) effect_for(p, a, i->b, i->a == NO_REG ? VAL(K_UNSET, 0) : a->reg[i->a]);
    break;
  default: prove_fail(p, "this is outside what prove follows");
  }
}

enum { LOCAL_MOST = 5000 }; /* instructions in one step */

static void run_until_next(struct prover *p, struct actor *a) {
  bool atomic = false;
  for (unsigned count = 0; !p->dead; count++) {
    const struct inst *i = &p->program->code[a->pc];
    if (count == LOCAL_MOST) prove_fail(p, "a loop goes on without looking at shared memory");
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
