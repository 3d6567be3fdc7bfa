/* Joining strands (strands.h): the code of the product, where at each point the next part of any of them is chosen
 * (I_CHOOSE). A part is what conflicts with another strand, and a called function is one part: what is in it does not
 * interleave with the rest of the expression.
 *
 * Two accesses to one scalar that are not sequenced, one of which is a write, are undefined behaviour unless one is in
 * a called function (C11 6.5p2): the strands note what they accessed, and come to a trap. Accesses to atomic objects
 * are left out of that: compilers keep each whole. */
#include "front/strands.h"

#include <assert.h>

enum { PRODUCT_MOST = 8000 }; /* instructions */
#define TOO_MANY "too many orders of evaluation: take the expression apart"

static bool is_access(const struct inst *in) { return in->code >= I_LOAD && in->code <= I_UNLOCK; }

static bool is_shared(const struct inst *in) {
  if (is_access(in)) return !(in->flags & (FLAG_LOCAL | FLAG_CONSTANT));
  if (in->code == I_FREE) return !(in->flags & FLAG_LOCAL);
  if (in->code == I_OWN) return in->op == OWN_SLEEPS;
  if (in->code == I_SLEEP || in->code == I_WAKE) return true;
  return in->code == I_LIN || in->code == I_LIN_FOR || in->code == I_ASSERT || in->code == I_REQUIRE ||
         (in->code == I_TRAP && in->imm != TRAP_LIMIT && in->imm != TRAP_UNSEQUENCED);
}

static bool is_write(const struct inst *in) { return in->code != I_LOAD; }

unsigned strand_inst_uses(const struct inst *in, uint32_t base, struct span spans[6], uint8_t how[6]) {
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

uint8_t strand_against(uint8_t how) {
  uint8_t other = 0;
  if (how & REG_READ) other |= REG_WRITTEN;
  if (how & REG_WRITTEN) other |= REG_READ | REG_WRITTEN;
  if (how & CELLS_READ) other |= CELLS_WRITTEN;
  if (how & CELLS_WRITTEN) other |= CELLS_READ | CELLS_WRITTEN;
  return other;
}

struct strand strand_cut(struct ordering *o, size_t begin, bool whole) {
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
    for (unsigned k = 0, n = strand_inst_uses(&s->code[i], o->base, spans, how); k < n; k++)
      for (unsigned r = 0; r < spans[k].count && spans[k].first + r < o->base; r++)
        s->uses[spans[k].first + r] |= how[k];
  }
}

static bool conflicts(const struct ordering *o, unsigned self, const struct inst *in) {
  struct span spans[6];
  uint8_t how[6];
  unsigned n = strand_inst_uses(in, o->base, spans, how);
  for (unsigned other = 0; other < o->count; other++) {
    const struct strand *s = &o->strand[other];
    if (other == self) continue;
    if (s->shared && is_shared(in) && (!is_alone(o->l) || s->writes || is_write(in))) return true;
    for (unsigned k = 0; k < n; k++)
      for (unsigned r = 0; r < spans[k].count && spans[k].first + r < o->base; r++)
        if (s->uses[spans[k].first + r] & strand_against(how[k])) return true;
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
    set = new_inst(in->flags & FLAG_GLOBAL ? I_GLOBAL : in->imm || in->bytes ? I_OFFSET : I_MOVE, in);
    if (in->flags & FLAG_GLOBAL)
      set.b = in->a;
    else
      set.a = in->a;
    set.imm = in->imm;
    set.bytes = in->bytes;
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

/* The load that the store of a bit-field begins with stands for all of it. */
static bool writes_scalar(const struct strand *s, uint32_t i) {
  return s->code[i].code == I_STORE || s->call[i] & CALL_OF_BITS;
}

static bool same_bits(const struct inst *a, const struct inst *b) {
  if (a->op != ACCESS_BITS || b->op != ACCESS_BITS) return a->op != ACCESS_BITS && b->op != ACCESS_BITS;
  return a->code == I_LOAD && b->code == I_LOAD && a->bits->first_bit == b->bits->first_bit &&
         a->bits->width == b->bits->width;
}

static bool may_be_same(const struct strand *x, uint32_t i, const struct strand *y, uint32_t k) {
  const struct inst *a = &x->code[i], *b = &y->code[k];
  if (!is_plain_access(a) || !is_plain_access(b) || !(writes_scalar(x, i) || writes_scalar(y, k))) return false;
  if (!same_bits(a, b)) return false;
  if (!same_scalar(a->scalar, b->scalar) || (a->flags & FLAG_LOCAL) != (b->flags & FLAG_LOCAL)) return false;
  return !(a->flags & b->flags & FLAG_GLOBAL) || (a->a == b->a && a->imm == b->imm && a->bytes == b->bytes);
}

static bool uses_register(const struct ordering *o, const struct inst *in, reg r, uint8_t how) {
  struct span spans[6];
  uint8_t hows[6];
  for (unsigned k = 0, n = strand_inst_uses(in, o->base, spans, hows); k < n; k++)
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
        if (is_called(s->call[i]) || !uses_register(o, &s->code[i], (reg)r, REG_READ | REG_WRITTEN)) continue;
        used[side] = true;
        written[side] |= uses_register(o, &s->code[i], (reg)r, REG_WRITTEN);
      }
    }
    if (!used[0] || !used[1] || !(written[0] || written[1])) continue;
    for (int side = 0; side < 2; side++) {
      struct strand *s = side ? y : x;
      for (uint32_t i = 0; i < s->count; i++) {
        if (is_called(s->call[i]) || !uses_register(o, &s->code[i], (reg)r, written[!side] ? 3 : REG_WRITTEN)) continue;
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
    for (uint32_t k = 0; k < y->count && !is_called(x->call[i]); k++) {
      if (is_called(y->call[k]) || !may_be_same(x, i, y, k)) continue;
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

void strand_copy(struct ordering *o, const struct strand *s, uint32_t i, uint32_t label) {
  struct lowering *l = o->l;
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
  strand_copy(p->o, s, i, jump);
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
    uint32_t labels = (uint32_t)l->labels.count;
    for (uint32_t k = 0; k <= s->count; k++) label_new(l);
    uint8_t *target = mem_zero(l->mem, s->count + 1, 1);
    for (uint32_t k = 0; k < s->count; k++)
      if (inst_jumps(&s->code[k])) target[s->code[k].imm] = 1;
    for (uint32_t k = 0; k <= s->count; k++) {
      if (target[k]) label_place(l, labels + k);
      if (k < s->count) strand_copy(o, s, k, inst_jumps(&s->code[k]) ? labels + (uint32_t)s->code[k].imm : 0);
    }
    mem_free(l->mem, target);
  }
}

/* What cannot be interleaved: operands that are checked as they are evaluated must not be interrupted. */
static bool is_too_much(const struct ordering *o) {
  if (o->count > OPERANDS_MOST) return true;
  for (unsigned i = 0; i < o->count; i++)
    for (uint32_t k = 0; k < o->strand[i].count; k++)
      if (o->strand[i].code[k].code == I_UNORDERED && !o->strand[i].call[k]) return true;
  return false;
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
      strand_copy(o, s, at[i]++, 0);
    }
  }
  node_label(&p, at, OPERANDS_MOST);
  for (size_t i = 0; i < p.nodes.count; i++) {
    struct node n = p.nodes.at[i];
    if (l->code.count - begin > PRODUCT_MOST) {
      l->code.count = l->call_of.count = begin;
      emit_trap(l, o->place, TOO_MANY)->imm = TRAP_LIMIT;
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

/* Do two of them conflict? As a whole: what find_parts() would find out of each instruction. */
static bool any_conflict(const struct ordering *o) {
  for (unsigned a = 0; a < o->count; a++)
    for (unsigned b = 0; b < a; b++) {
      const struct strand *x = &o->strand[a], *y = &o->strand[b];
      if (x->shared && y->shared && (!is_alone(o->l) || x->writes || y->writes)) return true;
      for (uint32_t r = 0; r < o->base; r++)
        if (x->uses[r] & strand_against(y->uses[r])) return true;
    }
  return false;
}

void strands_join(struct ordering *o) {
  for (unsigned i = 0; i < o->count; i++) find_uses(o, &o->strand[i]);
  if (!any_conflict(o)) {
    emit_straight(o);
    return;
  }
  if (o->checked) {
    checked_join(o);
    return;
  }
  if (is_too_much(o)) {
    emit_trap(o->l, o->place, TOO_MANY)->imm = TRAP_LIMIT;
    return;
  }
  find_parts(o);
  meet(o);
  if (has_parts(o)) {
    o->l->program->unordered = true;
    emit_product(o);
  } else {
    emit_straight(o);
  }
}
