/* Less code: labels become instruction numbers, jumps go straight to where they end up, what is never reached or never
 * used is left out, and values are computed where they are wanted instead of being copied there. Then registers are
 * shared: two values have the same one if they are never live together, and have the same name or none. */
#include <stdlib.h>

#include "front/lower.h"

struct tidying {
  struct lowering *l;
  struct inst *code;
  uint32_t count, params;
  bool *gone;
  struct flow flow;
  uint32_t *def_first, *def; /* who writes each group */
  reg *to;                   /* a register */
};

/* Jumps: targets are counted from the operation's first instruction, until the end. */

static void resolve(struct tidying *t) {
  for (uint32_t i = 0; i < t->count; i++)
    if (inst_jumps(&t->code[i])) t->code[i].imm = t->l->labels.at[t->code[i].imm] - (int64_t)t->l->begin;
}

/* Where a jump to `to` goes on to; a branch that was taken decides a second one on the same register. */
static int64_t goes_on(const struct tidying *t, const struct inst *from, int64_t to) {
  const struct inst *in = &t->code[to];
  if (in->code == I_JUMP) return in->imm;
  if (in->code != I_BRANCH || from->code != I_BRANCH || in->a != from->a) return to;
  return in->op == from->op ? in->imm : to + 1;
}

static bool thread_jumps(struct tidying *t) {
  bool changed = false;
  for (uint32_t i = 0; i < t->count; i++) {
    if (!inst_jumps(&t->code[i])) continue;
    int64_t to = t->code[i].imm;
    for (uint32_t hops = 0; hops < t->count && to != i; hops++) {
      int64_t next = goes_on(t, &t->code[i], to);
      if (next == to) break;
      to = next;
    }
    changed |= to != t->code[i].imm;
    t->code[i].imm = to;
  }
  return changed;
}

/* A branch around a jump: branch the other way. */
static bool turn_branches(struct tidying *t) {
  uint32_t *aimed = mem_zero(t->l->mem, t->count + 1, sizeof *aimed);
  bool changed = false;
  for (uint32_t i = 0; i < t->count; i++)
    if (inst_jumps(&t->code[i])) aimed[t->code[i].imm]++;
  for (uint32_t i = 0; i + 2 < t->count; i++) {
    struct inst *in = &t->code[i], *jump = in + 1;
    if (in->code != I_BRANCH || in->imm != i + 2 || jump->code != I_JUMP || aimed[i + 1] || jump->imm == i + 2)
      continue;
    in->op = in->op == OP_NOT ? OP_NONE : OP_NOT;
    in->imm = jump->imm;
    jump->imm = i + 2;
    changed = true;
  }
  mem_free(t->l->mem, aimed);
  return changed;
}

static void mark_reached(struct tidying *t) {
  uint32_t *stack = mem_alloc(t->l->mem, (t->count + 1) * sizeof *stack), depth = 0;
  memset(t->gone, 1, t->count);
  stack[depth++] = 0;
  t->gone[0] = false;
  while (depth) {
    uint32_t i = stack[--depth], to[2], n = 0;
    if (!inst_ends(&t->code[i])) to[n++] = i + 1;
    if (inst_jumps(&t->code[i])) to[n++] = (uint32_t)t->code[i].imm;
    for (uint32_t k = 0; k < n; k++) {
      if (!t->gone[to[k]]) continue;
      t->gone[to[k]] = false;
      stack[depth++] = to[k];
    }
  }
  for (uint32_t i = 0; i < t->count; i++)
    if (t->gone[i]) t->code[i].flags &= (uint8_t)~FLAG_STATEMENT;
  mem_free(t->l->mem, stack);
}

/* True if an instruction that reads the register cannot find a value that was never set. What computes a value has
 * looked at its operands. */
static bool is_surely_set(const struct tidying *t, reg r) {
  if (r < t->params) return false;
  for (uint32_t i = 0; i < t->count; i++) {
    const struct inst *in = &t->code[i];
    struct span s[3];
    for (unsigned k = 0, n = inst_writes(in, s); k < n; k++) {
      if (r < s[k].first || r >= s[k].first + s[k].count) continue;
      bool truth = (in->code == I_CAS || in->code == I_TRYLOCK) && r == in->d;
      bool computed = in->code == I_UNARY || in->code == I_BINARY || in->code == I_CHOOSE || in->code == I_GLOBAL ||
                      (in->code == I_CONST && in->imm != WORD_UNINITIALISED);
      if (!truth && !computed) return false;
    }
  }
  return true;
}

/* Jumps to what comes next anyway. A branch on what may never have been set stays: that is undefined, wherever it goes.
 */
static void mark_idle_jumps(struct tidying *t) {
  for (uint32_t i = t->count, next = t->count; i-- > 0;) {
    if (t->gone[i]) continue;
    if (inst_jumps(&t->code[i]) && next < t->count && t->code[i].imm > i && t->code[i].imm <= next &&
        (t->code[i].code == I_JUMP || is_surely_set(t, t->code[i].a)))
      t->gone[i] = true;
    else
      next = i;
  }
}

/* Takes out what is gone; a jump to it goes to what follows. Says whether anything was. */
static bool squeeze(struct tidying *t) {
  uint32_t *at = mem_alloc(t->l->mem, (t->count + 1) * sizeof *at), kept = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    at[i] = kept;
    if (!t->gone[i]) {
      kept++;
    } else if ((t->code[i].flags & FLAG_STATEMENT) && t->code[i].code != I_JUMP && i + 1 < t->count) {
      t->code[i + 1].flags |= FLAG_STATEMENT;
    }
  }
  at[t->count] = kept;
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->gone[i]) continue;
    if (inst_jumps(&t->code[i])) t->code[i].imm = at[t->code[i].imm];
    t->code[at[i]] = t->code[i];
  }
  bool changed = kept != t->count;
  t->count = kept;
  mem_free(t->l->mem, at);
  return changed;
}

static void tidy_jumps(struct tidying *t) {
  bool changed;
  do {
    changed = thread_jumps(t);
    changed |= turn_branches(t);
    mark_reached(t);
    mark_idle_jumps(t);
    changed |= squeeze(t);
  } while (changed);
}

/* Registers. */

static void find_defs(struct tidying *t) {
  struct lowering *l = t->l;
  size_t groups = l->groups.count;
  t->def_first = mem_zero(l->mem, groups + 2, sizeof *t->def_first);
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t i = 0; i < t->count; i++) {
      struct span s[2];
      for (unsigned k = 0, n = inst_writes(&t->code[i], s); k < n; k++) {
        uint32_t g = l->group_of.at[s[k].first];
        if (fill)
          t->def[t->def_first[g]++] = i;
        else
          t->def_first[g + 1]++;
      }
    }
    if (fill) {
      memmove(t->def_first + 1, t->def_first, groups * sizeof *t->def_first);
      t->def_first[0] = 0;
    } else {
      for (size_t g = 0; g < groups; g++) t->def_first[g + 1] += t->def_first[g];
      t->def = mem_alloc(l->mem, (t->def_first[groups] + 1) * sizeof *t->def);
    }
  }
}

static void flow_start(struct tidying *t) {
  flow_open(&t->flow, t->l->mem, t->code, t->count, 0, (uint32_t)t->l->names.count);
  find_defs(t);
}

static void flow_stop(struct tidying *t) {
  flow_close(&t->flow);
  mem_free(t->l->mem, t->def_first);
  mem_free(t->l->mem, t->def);
}

/* Where any register of the group is live. */
static void flow_group(struct tidying *t, uint32_t g) {
  const struct group *group = &t->l->groups.at[g];
  flow_begin(&t->flow);
  for (uint32_t i = 0; i < group->count; i++) flow_add(&t->flow, (reg)(group->first + i));
}

/* Does it do nothing but compute a value, if what it computes with is set? */
static bool only_computes(const struct inst *in) {
  return in->code == I_CONST || in->code == I_MOVE || in->code == I_GLOBAL ||
         (in->code == I_UNARY && in->op == OP_NOT) || (in->code == I_OWN && in->op != OWN_SLEEPS);
}

static bool has_no_effect(const struct tidying *t, const struct inst *in) {
  return only_computes(in) && (in->code != I_UNARY || is_surely_set(t, in->a));
}

/* Can a value of the group be dropped, if nobody reads it? */
static bool may_drop(const struct tidying *t, uint32_t g) {
  for (uint32_t k = t->def_first[g]; k < t->def_first[g + 1]; k++)
    if (only_computes(&t->code[t->def[k]])) return true;
  return false;
}

/* Values that nobody reads. */
static bool drop_unused(struct tidying *t) {
  struct lowering *l = t->l;
  uint16_t *unused = mem_zero(l->mem, t->count + 1, sizeof *unused);
  bool changed = false;
  flow_start(t);
  for (uint32_t g = 0; g < l->groups.count; g++) {
    if (!may_drop(t, g)) continue;
    for (uint32_t c = 0; c < l->groups.at[g].count; c++) {
      reg r = (reg)(l->groups.at[g].first + c);
      flow_begin(&t->flow);
      flow_add(&t->flow, r);
      for (uint32_t k = t->def_first[g]; k < t->def_first[g + 1]; k++) {
        const struct inst *in = &t->code[t->def[k]];
        unused[t->def[k]] += r >= in->d && r < in->d + in->count && !flow_out(&t->flow, t->def[k]);
      }
    }
  }
  for (uint32_t i = 0; i < t->count; i++) {
    bool idle = t->code[i].code == I_MOVE && t->code[i].d == t->code[i].a;
    t->gone[i] = idle || (unused[i] == t->code[i].count && has_no_effect(t, &t->code[i]));
    changed |= t->gone[i];
  }
  flow_stop(t);
  mem_free(l->mem, unused);
  return changed && squeeze(t);
}

/* Those that may write their results before they have read all they need. */
static bool reads_late(const struct inst *in) {
  return in->code == I_FETCH || in->code == I_EXCHANGE || in->code == I_CAS || in->count > 1;
}

static bool reads_group(const struct tidying *t, const struct inst *in, uint32_t g) {
  struct span s[3];
  for (unsigned k = 0, n = inst_reads(in, s); k < n; k++)
    if (t->l->group_of.at[s[k].first] == g) return true;
  return false;
}

/* Some value of group y is made while x is needed. */
static bool clobbers(struct tidying *t, uint32_t y, uint32_t x, uint32_t except) {
  flow_group(t, x);
  if (y < t->params && (x < t->params || flow_in(&t->flow, 0))) return true;
  for (uint32_t k = t->def_first[y]; k < t->def_first[y + 1]; k++) {
    uint32_t i = t->def[k];
    if (i == except) continue;
    const struct inst *in = &t->code[i];
    struct span s[2];
    if (flow_out(&t->flow, i) || (reads_late(in) && reads_group(t, in, x))) return true;
    for (unsigned j = 0, n = inst_writes(in, s); j < n; j++)
      if (t->l->group_of.at[s[j].first] == x) return true;
  }
  return false;
}

static bool names_agree(const struct lowering *l, const struct group *a, const struct group *b) {
  for (uint32_t i = 0; i < a->count; i++) {
    const char *x = l->names.at[a->first + i], *y = l->names.at[b->first + i];
    if (*x && *y && strcmp(x, y)) return false;
  }
  return true;
}

static bool can_join(struct tidying *t, uint32_t i, uint32_t *into, uint32_t *from) {
  struct lowering *l = t->l;
  const struct inst *in = &t->code[i];
  uint32_t d = l->group_of.at[in->d], a = l->group_of.at[in->a];
  const struct group *x = &l->groups.at[d], *y = &l->groups.at[a];
  if (x->first != in->d || y->first != in->a || x->count != in->count || y->count != in->count || d == a) return false;
  if (!names_agree(l, x, y) || clobbers(t, d, a, i) || clobbers(t, a, d, i)) return false;
  *into = a < t->params || (d >= t->params && !*l->names.at[x->first]) ? a : d;
  *from = *into == a ? d : a;
  return true;
}

/* Copies between values that can as well be one. A group takes part once a round, since what is known of it is then
 * old. */
static bool join_copies(struct tidying *t) {
  struct lowering *l = t->l;
  bool changed = false, *joined = mem_zero(l->mem, l->groups.count + 1, 1);
  flow_start(t);
  for (uint32_t r = 0; r < l->names.count; r++) t->to[r] = (reg)r;
  for (uint32_t i = 0; i < t->count; i++) {
    uint32_t into, from;
    if (t->code[i].code != I_MOVE || joined[l->group_of.at[t->code[i].d]] || joined[l->group_of.at[t->code[i].a]])
      continue;
    if (!can_join(t, i, &into, &from)) continue;
    joined[into] = joined[from] = changed = true;
    for (uint32_t k = 0; k < l->groups.at[into].count; k++) {
      reg kept = (reg)(l->groups.at[into].first + k), old = (reg)(l->groups.at[from].first + k);
      t->to[old] = kept;
      if (!*l->names.at[kept]) l->names.at[kept] = l->names.at[old];
    }
  }
  flow_stop(t);
  mem_free(l->mem, joined);
  for (uint32_t i = 0; changed && i < t->count; i++) inst_rename(&t->code[i], t->to);
  return changed;
}

/* The last `more` instructions come first. */
static void rotate(struct tidying *t, uint32_t more) {
  if (!more) return;
  struct inst *last = mem_alloc(t->l->mem, more * sizeof *last);
  memcpy(last, t->code + t->count - more, more * sizeof *last);
  memmove(t->code + more, t->code, (t->count - more) * sizeof *last);
  memcpy(t->code, last, more * sizeof *last);
  for (uint32_t i = more; i < t->count; i++)
    if (inst_jumps(&t->code[i])) t->code[i].imm += more;
  mem_free(t->l->mem, last);
}

/* A variable that a jump can reach past its declaration begins as what it is: not initialised. */
static void begin_uninitialised(struct tidying *t) {
  struct lowering *l = t->l;
  VEC(reg) early = {0};
  flow_start(t);
  for (uint32_t r = t->params; r < l->names.count; r++) {
    flow_begin(&t->flow);
    flow_add(&t->flow, (reg)r);
    if (flow_in(&t->flow, 0)) vec_push(l->mem, &early, (reg)r);
  }
  flow_stop(t);
  uint32_t more = (uint32_t)early.count;
  struct place at = t->code[0].place;
  l->code.count = l->begin + t->count;
  for (uint32_t i = 0; i < more; i++) emit_inst(l, I_CONST, at)->imm = WORD_UNINITIALISED;
  t->code = l->code.at + l->begin;
  for (uint32_t i = 0; i < more; i++) t->code[t->count + i].d = early.at[i];
  t->count += more;
  rotate(t, more);
  vec_free(l->mem, &early);
}

/* Sharing registers. */

struct life {
  uint32_t group, low, high;
};

static int by_low(const void *a, const void *b) {
  const struct life *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

static struct life life_of(struct tidying *t, uint32_t g) {
  flow_group(t, g);
  struct life life = {g, t->flow.low, t->flow.high};
  for (uint32_t k = t->def_first[g]; k < t->def_first[g + 1]; k++) {
    uint32_t at = 2 * t->def[k] + 1;
    if (at < life.low) life.low = at;
    if (at > life.high) life.high = at;
  }
  const struct group *group = &t->l->groups.at[g];
  for (uint32_t r = group->first; r < (uint32_t)group->first + group->count; r++)
    for (uint32_t k = t->flow.use_first[r]; k < t->flow.use_first[r + 1]; k++) {
      uint32_t at = 2 * t->flow.use[k] + 1;
      if (reads_late(&t->code[t->flow.use[k]]) && at > life.high) life.high = at;
    }
  if (g < t->params) life.low = 0;
  return life;
}

typedef VEC(const char *) name_list;
typedef VEC(uint32_t) place_list;

static bool fits(const struct lowering *l, const struct group *g, const struct life *life, const name_list *names,
                 const place_list *busy, uint32_t base) {
  for (uint32_t i = 0; i < g->count && base + i < names->count; i++) {
    if (strcmp(names->at[base + i], l->names.at[g->first + i])) return false;
    if (busy->at[base + i] > life->low) return false;
  }
  return true;
}

/* busy: the first place where each register is free again. */
static void give_registers(struct tidying *t, const struct life *lives, uint32_t count, name_list *names) {
  struct lowering *l = t->l;
  place_list busy = {0};
  for (uint32_t i = 0; i < count; i++) {
    const struct group *g = &l->groups.at[lives[i].group];
    uint32_t base = 0;
    while (!fits(l, g, &lives[i], names, &busy, base)) base++;
    for (uint32_t k = 0; k < g->count; k++) {
      if (base + k == names->count) {
        vec_push(l->mem, names, l->names.at[g->first + k]);
        vec_push(l->mem, &busy, 0);
      }
      busy.at[base + k] = lives[i].high + 1;
      t->to[g->first + k] = (reg)(base + k);
    }
  }
  vec_free(l->mem, &busy);
}

static uint16_t share_registers(struct tidying *t, const char ***out) {
  struct lowering *l = t->l;
  struct life *lives = mem_alloc(l->mem, (l->groups.count + 1) * sizeof *lives);
  name_list names = {0};
  uint32_t count = 0;
  flow_start(t);
  for (uint32_t g = 0; g < l->groups.count; g++) {
    bool used = t->def_first[g] < t->def_first[g + 1];
    const struct group *group = &l->groups.at[g];
    for (uint32_t r = group->first; r < (uint32_t)group->first + group->count; r++)
      used = used || t->flow.use_first[r] < t->flow.use_first[r + 1];
    if (g < t->params || used) lives[count++] = life_of(t, g);
  }
  if (count > t->params) qsort(lives + t->params, count - t->params, sizeof *lives, by_low);
  give_registers(t, lives, count, &names);
  flow_stop(t);
  for (uint32_t i = 0; i < t->count; i++) inst_rename(&t->code[i], t->to);
  mem_free(l->mem, lives);
  *out = names.at;
  return (uint16_t)names.count;
}

uint16_t tidy(struct lowering *l, uint16_t params, const char ***names) {
  struct tidying t = {
      .l = l, .code = l->code.at + l->begin, .count = (uint32_t)(l->code.count - l->begin), .params = params};
  t.gone = mem_zero(l->mem, t.count + 1, 1);
  t.to = mem_zero(l->mem, l->names.count + 1, sizeof *t.to);
  resolve(&t);
  bool changed;
  do {
    tidy_jumps(&t);
    changed = drop_unused(&t);
    changed |= join_copies(&t);
  } while (changed);
  begin_uninitialised(&t);
  uint16_t regs = share_registers(&t, names);
  for (uint32_t i = 0; i < t.count; i++)
    if (inst_jumps(&t.code[i])) t.code[i].imm += (int64_t)l->begin;
  l->code.count = l->begin + t.count;
  mem_free(l->mem, t.to);
  mem_free(l->mem, t.gone);
  return regs;
}
