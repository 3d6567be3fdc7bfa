/* Operands whose order C leaves open: both operands of a binary operator, the arguments of a call, an array and its
 * index, the two sides of an assignment, the elements of an initialiser (C11 6.5p2-3, 6.5.2.2p10, 6.7.9p23).
 *
 * Where one operand touches memory that others see and so does another, or one writes a variable that another uses, the
 * program may do either first, and where neither is in a function that is called, one part of each in turn. Each such
 * operand is lowered by itself, to a strand of code. The strands are then joined: the code of the product, where at
 * each point the next part of any of them is chosen (I_CHOOSE). A called function is one part: what is in it does not
 * interleave with the rest of the expression. Operands that do not conflict are lowered as always, and cost nothing.
 *
 * Two accesses to one scalar that are not sequenced, one of which is a write, are undefined behaviour unless one is in
 * a called function (6.5p2): the strands note what they accessed, and come to a trap. Accesses to atomic objects are
 * left out of that: compilers keep each whole. */
#include <assert.h>

#include "front/lower.h"

enum { OPERANDS_MOST = 8, LOCALS_MOST = 16, PRODUCT_MOST = 8000 };

/* What an operand does, from its syntax: as much as it may. */

struct doing {
  bool shared;  /* touches memory that others see, or waits, or may stop */
  bool writes;  /* ... and not only reads it */
  bool unknown; /* more variables than there is room for */
  unsigned count;
  struct {
    uint32_t id;
    bool written;
  } local[LOCALS_MOST];
};

enum how { HOW_ADDRESS, HOW_READ, HOW_WRITE };

static void does(struct lowering *, const struct expr *, struct doing *);

static void does_local(struct doing *d, uint32_t id, bool written) {
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
  d->local[d->count++].written = written;
}

static void does_shared(struct doing *d, enum how how, bool constant) {
  if (how == HOW_ADDRESS || constant) return;
  d->shared = true;
  d->writes |= how == HOW_WRITE;
}

static void does_object(struct lowering *l, const struct expr *e, enum how how, struct doing *d) {
  switch (e->kind) {
  case E_NAME:
    if (how == HOW_ADDRESS || e->decl->kind != DECL_VARIABLE) return;
    if (e->decl->storage != STORAGE_AUTO && e->decl->storage != STORAGE_PARAM)
      does_shared(d, how, l->globals.at[global_for(l, e->decl)].constant);
    else if (l->uses[e->decl->id] & USE_ADDRESS)
      does_shared(d, how, false);
    else
      does_local(d, e->decl->id, how == HOW_WRITE);
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

static bool statement_shares(struct lowering *l, const struct stmt *s) {
  struct doing d = {0};
  if (!s) return false;
  if (s->expr) does(l, s->expr, &d);
  if (s->step) does(l, s->step, &d);
  if (s->decl && s->decl->kind == DECL_VARIABLE && s->decl->storage == STORAGE_AUTO && s->decl->init)
    does(l, s->decl->init, &d);
  if (d.shared || statement_shares(l, s->init) || statement_shares(l, s->body) || statement_shares(l, s->otherwise))
    return true;
  for (uint32_t i = 0; i < s->count; i++)
    if (statement_shares(l, s->list[i])) return true;
  return false;
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
  case BUILTIN_EXPECT: return false;
  default: return true;
  }
}

static void does_call(struct lowering *l, const struct expr *e, struct doing *d) {
  const struct decl *f = e->a->kind == E_NAME ? e->a->decl : NULL;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    if (!e->args[i]) continue;
    const struct expr *p = pointer_of_memory(e->args[i]);
    does(l, e->args[i], d);
    if (p->kind == E_ADDRESS) does_object(l, p->a, HOW_WRITE, d); /* by the function */
  }
  bool shares = !f || f->kind != DECL_FUNCTION ||
                (f->builtin != BUILTIN_NONE ? builtin_shares(f->builtin) : function_shares(l, f));
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
  default:
    does(l, e->a, d);
    does(l, e->b, d);
    does(l, e->c, d);
    for (uint32_t i = 0; i < e->arg_count; i++) does(l, e->args[i], d);
  }
}

/* Nobody else runs between two accesses. */
static bool is_alone(const struct lowering *l) { return l->alone || l->atomic; }

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

/* Strands. */

struct strand {
  struct inst *code; /* jumps have the instruction they go to, counted from 0 */
  uint32_t *call;    /* of each instruction: the call it is in, 0 for none */
  uint8_t *part;     /* of each: does it conflict with what another strand does? */
  uint32_t count;
  uint8_t *uses; /* a register that was there before: what the strand does with it */
  bool shared, writes;
};
enum { REG_READ = 1, REG_WRITTEN = 2, CELLS_READ = 4, CELLS_WRITTEN = 8 };

struct ordering {
  struct lowering *l;
  struct place place;
  uint32_t base; /* registers that were there before */
  unsigned count;
  struct strand strand[OPERANDS_MOST];
};

static bool is_access(const struct inst *in) { return in->code >= I_LOAD && in->code <= I_UNLOCK; }

static bool is_shared(const struct inst *in) {
  if (is_access(in)) return !(in->flags & (FLAG_LOCAL | FLAG_CONSTANT));
  if (in->code == I_FREE) return !(in->flags & FLAG_LOCAL);
  return in->code == I_LIN || in->code == I_LIN_FOR || in->code == I_ASSERT || in->code == I_REQUIRE ||
         (in->code == I_TRAP && in->imm == TRAP_STOPS);
}

static bool is_write(const struct inst *in) { return in->code != I_LOAD; }

/* The registers before `base` that the instruction uses, and how; gives how many spans. */
static unsigned inst_uses(const struct inst *in, uint32_t base, struct span spans[6], uint8_t how[6]) {
  unsigned n = 0, reads, writes;
  struct span s[3];
  reads = inst_reads(in, s);
  for (unsigned i = 0; i < reads; i++)
    if (s[i].first < base) spans[n] = s[i], how[n++] = REG_READ;
  writes = inst_writes(in, s);
  for (unsigned i = 0; i < writes; i++)
    if (s[i].first < base) spans[n] = s[i], how[n++] = REG_WRITTEN;
  if (is_access(in) && (in->flags & FLAG_LOCAL) && !(in->flags & FLAG_GLOBAL) && in->a < base)
    spans[n] = (struct span){in->a, 1}, how[n++] = in->code == I_LOAD ? CELLS_READ : CELLS_READ | CELLS_WRITTEN;
  return n;
}

static uint8_t against(uint8_t how) { /* uses of another strand that conflict with this one */
  uint8_t other = 0;
  if (how & REG_READ) other |= REG_WRITTEN;
  if (how & REG_WRITTEN) other |= REG_READ | REG_WRITTEN;
  if (how & CELLS_READ) other |= CELLS_WRITTEN;
  if (how & CELLS_WRITTEN) other |= CELLS_READ | CELLS_WRITTEN;
  return other;
}

/* Takes the code from `begin` on out of the operation's. */
static struct strand cut(struct ordering *o, size_t begin, bool whole) {
  struct lowering *l = o->l;
  struct strand s = {.count = (uint32_t)(l->code.count - begin)};
  uint32_t one = whole ? ++l->calls : 0;
  s.code = mem_alloc(l->mem, (s.count + 1) * sizeof *s.code);
  s.call = mem_alloc(l->mem, (s.count + 1) * sizeof *s.call);
  s.part = mem_zero(l->mem, s.count + 1, 1);
  s.uses = mem_zero(l->mem, o->base + 1, 1);
  for (uint32_t i = 0; i < s.count; i++) {
    struct inst in = l->code.at[begin + i];
    if (inst_jumps(&in)) {
      in.imm = (int64_t)l->labels.at[in.imm] - (int64_t)begin;
      assert(in.imm >= 0 && in.imm <= s.count); /* an expression's jumps stay within it */
    }
    s.code[i] = in;
    s.call[i] = whole ? one : l->call_of.at[begin + i];
  }
  l->code.count = l->call_of.count = begin;
  return s;
}

static void find_uses(struct ordering *o, struct strand *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    struct span spans[6];
    uint8_t how[6];
    s->shared |= is_shared(&s->code[i]);
    s->writes |= is_shared(&s->code[i]) && is_write(&s->code[i]);
    for (unsigned k = 0, n = inst_uses(&s->code[i], o->base, spans, how); k < n; k++)
      for (unsigned r = 0; r < spans[k].count && spans[k].first + r < o->base; r++)
        s->uses[spans[k].first + r] |= how[k];
  }
}

static bool conflicts(const struct ordering *o, unsigned self, const struct inst *in) {
  struct span spans[6];
  uint8_t how[6];
  unsigned n = inst_uses(in, o->base, spans, how);
  for (unsigned other = 0; other < o->count; other++) {
    const struct strand *s = &o->strand[other];
    if (other == self) continue;
    if (s->shared && is_shared(in) && (!is_alone(o->l) || s->writes || is_write(in))) return true;
    for (unsigned k = 0; k < n; k++)
      for (unsigned r = 0; r < spans[k].count && spans[k].first + r < o->base; r++)
        if (s->uses[spans[k].first + r] & against(how[k])) return true;
  }
  return false;
}

/* A call is a part if anything in it is. */
static void find_parts(struct ordering *o) {
  for (unsigned i = 0; i < o->count; i++) {
    struct strand *s = &o->strand[i];
    for (uint32_t k = 0; k < s->count; k++) s->part[k] = conflicts(o, i, &s->code[k]);
    for (uint32_t k = 0; k < s->count; k++)
      for (uint32_t m = 0; s->part[k] && s->call[k] && m < s->count; m++)
        if (s->call[m] == s->call[k]) s->part[m] = true;
  }
}

/* Undefined behaviour: what two strands do to one scalar outside of calls. */

struct met { /* before instruction `at` of a strand: if what `other` holds is what this one accesses, a trap */
  uint32_t at;
  reg own, other;
  bool address; /* they hold addresses; otherwise 0 and 1 */
};
typedef VEC(struct met) mets;

enum { NOWHERE = -1 }; /* what they hold before the access: no address, and not null, through which one may be tried */

#define UNSEQUENCED "what one operand writes another one uses, and C does not say which is first"

static struct inst new_inst(enum code code, const struct inst *like) {
  return (struct inst){
      .code = (uint8_t)code, .d = NO_REG, .a = NO_REG, .b = NO_REG, .c = NO_REG, .count = 1, .place = like->place};
}

static void put(struct lowering *l, struct strand *s, uint32_t *room, struct inst in) {
  if (s->count == *room) {
    *room = *room * 2 + 16;
    s->code = mem_resize(l->mem, s->code, *room * sizeof *s->code);
    s->call = mem_resize(l->mem, s->call, *room * sizeof *s->call);
  }
  s->call[s->count] = 0;
  s->code[s->count++] = in;
}

static void put_met(struct lowering *l, struct strand *s, uint32_t *room, const struct met *m, const struct inst *in) {
  struct inst check = new_inst(I_BRANCH, in), set = new_inst(I_CONST, in), trap = new_inst(I_TRAP, in);
  reg test = m->other;
  if (m->address) {
    set = new_inst(in->flags & FLAG_GLOBAL ? I_GLOBAL : in->imm ? I_OFFSET : I_MOVE, in);
    if (in->flags & FLAG_GLOBAL)
      set.b = in->a;
    else
      set.a = in->a;
    set.imm = in->flags & FLAG_GLOBAL || in->imm ? in->imm : 0;
  } else {
    set.imm = 1;
  }
  set.d = m->own;
  put(l, s, room, set);
  if (m->address) {
    struct inst same = new_inst(I_BINARY, in);
    same.op = OP_EQ;
    same.a = m->own;
    same.b = m->other;
    same.d = test = reg_new(l, 1, "");
    same.scalar = (struct scalar){.bits = 64, .pointer = true};
    put(l, s, room, same);
  }
  check.a = test;
  check.imm = s->count + 2;
  put(l, s, room, check);
  trap.text = UNSEQUENCED;
  trap.imm = TRAP_UNSEQUENCED;
  put(l, s, room, trap);
}

/* Puts them in; they are in the order of the code. */
static void put_mets(struct lowering *l, struct strand *s, const mets *all) {
  struct strand old = *s;
  uint32_t room = 0, *moved = mem_alloc(l->mem, (old.count + 1) * sizeof *moved);
  VEC(uint32_t) jumps = {0};
  s->code = NULL, s->call = NULL, s->count = 0;
  for (uint32_t i = 0; i < old.count; i++) {
    moved[i] = s->count;
    for (size_t k = 0; k < all->count; k++)
      if (all->at[k].at == i) put_met(l, s, &room, &all->at[k], &old.code[i]);
    if (inst_jumps(&old.code[i])) vec_push(l->mem, &jumps, s->count);
    put(l, s, &room, old.code[i]);
    s->call[s->count - 1] = old.call[i];
  }
  moved[old.count] = s->count;
  for (size_t k = 0; k < jumps.count; k++) s->code[jumps.at[k]].imm = moved[s->code[jumps.at[k]].imm];
  s->part = mem_zero(l->mem, s->count + 1, 1);
}

static bool is_plain_access(const struct inst *in) {
  return (in->code == I_LOAD || in->code == I_STORE) && !(in->flags & (FLAG_ATOMIC | FLAG_CONSTANT));
}

static bool same_scalar(struct scalar a, struct scalar b) {
  return a.bits == b.bits && a.is_signed == b.is_signed && a.pointer == b.pointer;
}

static bool may_be_same(const struct inst *a, const struct inst *b) {
  if (!is_plain_access(a) || !is_plain_access(b) || (a->code == I_LOAD && b->code == I_LOAD)) return false;
  if (!same_scalar(a->scalar, b->scalar) || (a->flags & FLAG_LOCAL) != (b->flags & FLAG_LOCAL)) return false;
  return !(a->flags & b->flags & FLAG_GLOBAL) || (a->a == b->a && a->imm == b->imm);
}

static bool uses_register(const struct ordering *o, const struct inst *in, reg r, uint8_t how) {
  struct span spans[6];
  uint8_t hows[6];
  for (unsigned k = 0, n = inst_uses(in, o->base, spans, hows); k < n; k++)
    if (hows[k] & how && r >= spans[k].first && r < spans[k].first + spans[k].count) return true;
  return false;
}

/* Registers of variables, that both use directly, and one writes. */
static void meet_registers(struct ordering *o, unsigned a, unsigned b, mets *of_a, mets *of_b) {
  struct lowering *l = o->l;
  struct strand *x = &o->strand[a], *y = &o->strand[b];
  for (uint32_t r = 0; r < o->base; r++) {
    if (!((x->uses[r] | y->uses[r]) & REG_WRITTEN) || !(x->uses[r] & 3) || !(y->uses[r] & 3)) continue;
    reg own = reg_new(l, 2, ""), other = (reg)(own + 1);
    bool written[2] = {false, false}, used[2] = {false, false};
    for (int side = 0; side < 2; side++) {
      struct strand *s = side ? y : x;
      for (uint32_t i = 0; i < s->count; i++) {
        if (s->call[i] || !uses_register(o, &s->code[i], (reg)r, REG_READ | REG_WRITTEN)) continue;
        used[side] = true;
        written[side] |= uses_register(o, &s->code[i], (reg)r, REG_WRITTEN);
      }
    }
    if (!used[0] || !used[1] || !(written[0] || written[1])) continue;
    for (int side = 0; side < 2; side++) {
      struct strand *s = side ? y : x;
      for (uint32_t i = 0; i < s->count; i++) {
        if (s->call[i] || !uses_register(o, &s->code[i], (reg)r, written[!side] ? 3 : REG_WRITTEN)) continue;
        struct met m = {i, side ? other : own, side ? own : other, false};
        vec_push(l->mem, side ? of_b : of_a, m);
      }
    }
    value_assign(l, own, 1, value_number(0), o->place);
    value_assign(l, other, 1, value_number(0), o->place);
  }
}

static void meet_memory(struct ordering *o, unsigned a, unsigned b, mets *of_a, mets *of_b) {
  struct lowering *l = o->l;
  struct strand *x = &o->strand[a], *y = &o->strand[b];
  for (uint32_t i = 0; i < x->count; i++)
    for (uint32_t k = 0; k < y->count && !x->call[i]; k++) {
      if (y->call[k] || !may_be_same(&x->code[i], &y->code[k])) continue;
      reg own = reg_new(l, 2, ""), other = (reg)(own + 1);
      value_assign(l, own, 1, value_number(NOWHERE), o->place);
      value_assign(l, other, 1, value_number(NOWHERE), o->place);
      vec_push(l->mem, of_a, ((struct met){i, own, other, true}));
      vec_push(l->mem, of_b, ((struct met){k, other, own, true}));
    }
}

static void meet(struct ordering *o) {
  mets all[OPERANDS_MOST] = {{0}};
  bool any = false;
  for (unsigned a = 0; a < o->count; a++)
    for (unsigned b = a + 1; b < o->count; b++) {
      meet_registers(o, a, b, &all[a], &all[b]);
      meet_memory(o, a, b, &all[a], &all[b]);
    }
  for (unsigned a = 0; a < o->count; a++) {
    if (!all[a].count) continue;
    put_mets(o->l, &o->strand[a], &all[a]);
    any = true;
  }
  if (any) find_parts(o);
}

/* The product. */

struct node {
  uint32_t at[OPERANDS_MOST]; /* where each strand is */
  unsigned runs;              /* the strand that goes on; OPERANDS_MOST: one is to be chosen */
  uint32_t label;
};
struct product {
  struct ordering *o;
  uint32_t end;
  VEC(struct node) nodes;
  size_t done;
};

static uint32_t node_label(struct product *p, const uint32_t at[OPERANDS_MOST], unsigned runs) {
  struct lowering *l = p->o->l;
  struct node new = {.runs = runs};
  memcpy(new.at, at, sizeof new.at);
  for (size_t i = 0; i < p->nodes.count; i++)
    if (p->nodes.at[i].runs == runs && !memcmp(p->nodes.at[i].at, at, sizeof new.at)) return p->nodes.at[i].label;
  new.label = label_new(l);
  vec_push(l->mem, &p->nodes, new);
  return new.label;
}

/* True if the strand comes to a part of its own with the step from `from` (UINT32_MAX: its beginning) to `to`. */
static bool comes_to_part(const struct strand *s, uint32_t from, uint32_t to) {
  if (to == s->count) return true; /* to its end */
  if (!s->part[to]) return false;
  return !s->call[to] || from == UINT32_MAX || s->call[from] != s->call[to];
}

static uint32_t after(struct product *p, const uint32_t at[OPERANDS_MOST], unsigned runs, uint32_t from, uint32_t to) {
  uint32_t next[OPERANDS_MOST];
  memcpy(next, at, sizeof next);
  next[runs] = to;
  return node_label(p, next, comes_to_part(&p->o->strand[runs], from, to) ? OPERANDS_MOST : runs);
}

static void copy_inst(struct product *p, const struct strand *s, uint32_t i, uint32_t label) {
  struct lowering *l = p->o->l;
  struct inst *in = emit_inst(l, s->code[i].code, s->code[i].place);
  uint8_t flags = in->flags;
  *in = s->code[i];
  in->flags |= flags;
  if (inst_jumps(in)) in->imm = label;
  l->call_of.at[l->call_of.count - 1] = s->call[i];
}

/* One instruction of the strand, and where it leads. */
static void emit_run(struct product *p, const struct node *n) {
  struct lowering *l = p->o->l;
  const struct strand *s = &p->o->strand[n->runs];
  uint32_t i = n->at[n->runs];
  const struct inst *in = &s->code[i];
  uint32_t jump = inst_jumps(in) ? after(p, n->at, n->runs, i, (uint32_t)in->imm) : 0;
  copy_inst(p, s, i, jump);
  if (!inst_ends(in)) emit_jump(l, after(p, n->at, n->runs, i, i + 1), in->place);
}

/* Any strand that has not ended may be next: each but the last by a choice between it and the rest. */
static void emit_choice(struct product *p, const struct node *n) {
  struct lowering *l = p->o->l;
  unsigned left = 0;
  for (unsigned i = 0; i < p->o->count; i++) left += n->at[i] < p->o->strand[i].count;
  for (unsigned i = 0; i < p->o->count; i++) {
    if (n->at[i] == p->o->strand[i].count) continue;
    uint32_t label = node_label(p, n->at, i);
    if (!--left) {
      emit_jump(l, label, p->o->place);
      return;
    }
    reg two = value_reg(l, value_number(2), p->o->place), chosen = reg_new(l, 1, "");
    struct inst *in = emit_inst(l, I_CHOOSE, p->o->place);
    in->a = two;
    in->d = chosen;
    emit_branch(l, chosen, false, label, p->o->place);
  }
  emit_jump(l, p->end, p->o->place);
}

/* Where no part of one strand conflicts with another they come one after the other. */
static void emit_straight(struct ordering *o) {
  struct lowering *l = o->l;
  for (unsigned i = 0; i < o->count; i++) {
    const struct strand *s = &o->strand[i];
    struct product p = {.o = o};
    uint32_t labels = (uint32_t)l->labels.count;
    for (uint32_t k = 0; k <= s->count; k++) label_new(l);
    uint8_t *target = mem_zero(l->mem, s->count + 1, 1);
    for (uint32_t k = 0; k < s->count; k++)
      if (inst_jumps(&s->code[k])) target[s->code[k].imm] = 1;
    for (uint32_t k = 0; k <= s->count; k++) {
      if (target[k]) label_place(l, labels + k);
      if (k < s->count) copy_inst(&p, s, k, inst_jumps(&s->code[k]) ? labels + (uint32_t)s->code[k].imm : 0);
    }
    mem_free(l->mem, target);
  }
}

static bool has_parts(const struct ordering *o) {
  for (unsigned i = 0; i < o->count; i++)
    if (memchr(o->strand[i].part, 1, o->strand[i].count)) return true;
  return false;
}

static void emit_product(struct ordering *o) {
  struct product p = {.o = o, .end = label_new(o->l)};
  struct lowering *l = o->l;
  uint32_t at[OPERANDS_MOST] = {0};
  size_t begin = l->code.count;
  /* What each does before its first part comes first: no order of that can be seen. */
  for (unsigned i = 0; i < o->count; i++) {
    const struct strand *s = &o->strand[i];
    while (at[i] < s->count && !s->part[at[i]] && !s->call[at[i]] && !inst_jumps(&s->code[at[i]])) {
      bool target = false;
      for (uint32_t k = 0; k < s->count; k++) target |= inst_jumps(&s->code[k]) && s->code[k].imm == at[i];
      if (target) break;
      copy_inst(&p, s, at[i]++, 0);
    }
  }
  node_label(&p, at, OPERANDS_MOST);
  for (size_t i = 0; i < p.nodes.count; i++) {
    struct node n = p.nodes.at[i];
    if (l->code.count - begin > PRODUCT_MOST) {
      l->code.count = l->call_of.count = begin;
      emit_trap(l, o->place, "too many orders of evaluation: take the expression apart")->imm = TRAP_LIMIT;
      break;
    }
    label_place(l, n.label);
    if (n.runs == OPERANDS_MOST)
      emit_choice(&p, &n);
    else
      emit_run(&p, &n);
  }
  label_place(l, p.end);
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
  struct doing d[OPERANDS_MOST] = {{0}};
  bool any = false;
  for (unsigned i = 0; i < count; i++) {
    if (!e[i].is_lvalue)
      does(l, e[i].expr, &d[i]);
    else
      does_object(l, e[i].expr, e[i].is_read ? HOW_READ : HOW_ADDRESS, &d[i]);
    for (unsigned k = 0; k < i; k++)
      if (conflict(l, &d[i], &d[k])) conflicting[i] = conflicting[k] = any = true;
  }
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
    for (unsigned k = 0; k < d.count; k++) does_local(&all, d.local[k].id, d.local[k].written);
  }
}

bool lower_is_shared(struct lowering *l, const struct expr *lvalue) {
  struct doing d = {0};
  does_object(l, lvalue, HOW_WRITE, &d);
  return d.shared;
}

static void join(struct ordering *o) {
  for (unsigned i = 0; i < o->count; i++) find_uses(o, &o->strand[i]);
  find_parts(o);
  meet(o);
  if (has_parts(o)) {
    o->l->program->unordered = true;
    emit_product(o);
  } else {
    emit_straight(o);
  }
}

void lower_with_stores(struct lowering *l, size_t begin, uint32_t base, const struct late_store *stores, unsigned count,
                       struct place at) {
  struct ordering *o = mem_zero(l->mem, 1, sizeof *o);
  assert(count < OPERANDS_MOST);
  *o = (struct ordering){.l = l, .place = at, .base = base};
  o->strand[o->count++] = cut(o, begin, false);
  for (unsigned i = 0; i < count; i++) {
    l->label_here = (uint32_t)begin;
    value_store(l, &stores[i].to, stores[i].value, stores[i].place);
    o->strand[o->count++] = cut(o, begin, false);
  }
  join(o);
}

void lower_unordered(struct lowering *l, const struct operand *given, unsigned count, bool whole, struct place at) {
  struct operand e[OPERANDS_MOST];
  bool conflicting[OPERANDS_MOST] = {false};
  unsigned n = 0;
  for (unsigned i = 0; i < count; i++) {
    if (is_simple(given[i].expr)) continue;
    if (n == OPERANDS_MOST) {
      refuse_many(l, given, count, at);
      return;
    }
    e[n++] = given[i];
  }
  if (n < 2 || !find_conflicts(l, e, n, conflicting)) return;
  struct ordering *o = mem_zero(l->mem, 1, sizeof *o);
  *o = (struct ordering){.l = l, .place = at, .base = (uint32_t)l->names.count};
  struct given results[OPERANDS_MOST];
  bool statement = l->statement;
  size_t begin = l->code.count;
  l->statement = false;
  for (unsigned i = 0; i < n; i++) {
    if (!conflicting[i]) continue;
    l->label_here = (uint32_t)begin; /* the instruction before is not the strand's */
    results[o->count] = lower_operand(l, &e[i]);
    o->strand[o->count++] = cut(o, begin, whole);
  }
  l->statement = statement;
  join(o);
  for (unsigned i = 0; i < o->count; i++) vec_push(l->mem, &l->given, results[i]);
}

void lower_unordered_pair(struct lowering *l, const struct expr *a, const struct expr *b, struct place at) {
  struct operand e[2] = {{.expr = a}, {.expr = b}};
  lower_unordered(l, e, 2, false, at);
}

void lower_unordered_args(struct lowering *l, const struct expr *call) {
  struct operand *e = mem_piece(l->mem, (call->arg_count + 1) * sizeof *e);
  unsigned n = 0;
  for (uint32_t i = 0; i < call->arg_count; i++)
    if (call->args[i] && call->args[i]->type) e[n++] = (struct operand){.expr = call->args[i]};
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
