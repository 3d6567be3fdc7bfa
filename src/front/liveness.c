/* Which registers are live: for each register a walk backwards from those who read it to those who write it. The lists
 * that a program keeps are shared by all instructions that have the same registers live. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "front/flow.h"

static unsigned span_add(struct span *out, unsigned n, reg first, uint16_t count) {
  if (first == NO_REG || !count) return n;
  out[n] = (struct span){first, count};
  return n + 1;
}

static bool is_access(const struct inst *in) { return in->code >= I_LOAD && in->code <= I_UNLOCK; }

static bool is_comparison(const struct inst *in) { return in->op >= OP_EQ && in->op <= OP_GE; }

/* How many registers the operand a of an instruction that computes has, and its result. */
static uint16_t operand_cells(const struct inst *in) {
  return in->code == I_INT128 || (in->code == I_CONVERT && in->op == CONVERT_TO_FLOATING && in->scalar.bits > 64) ? 2
                                                                                                                  : 1;
}

static uint16_t result_cells(const struct inst *in) {
  if (in->code == I_INT128) return is_comparison(in) ? 1 : 2;
  bool wide = in->op == CONVERT_EXTEND || (in->op == CONVERT_FROM_FLOATING && in->scalar.bits > 64);
  return in->code == I_CONVERT && wide ? 2 : 1;
}

static uint16_t cells_of(const struct inst *in) {
  switch (in->code) {
  case I_MOVE:
  case I_LOAD:
  case I_STORE:
  case I_EXCHANGE:
  case I_EXTRACT:
  case I_INSERT:
  case I_CAS: return in->count;
  default: return 1;
  }
}

unsigned inst_reads(const struct inst *in, struct span out[3]) {
  unsigned n = 0;
  uint16_t count = cells_of(in);
  switch (in->code) {
  case I_CONST:
  case I_GLOBAL:
  case I_JUMP:
  case I_TRAP:
  case I_THREAD:
  case I_OUTSIDE:
  case I_OWN:
  case I_LIN:
  case I_FENCE:
  case I_UNORDERED:
  case I_ATOMIC: return 0;
  case I_LIN_FOR: return span_add(out, n, in->a, 1);
  case I_EXTRACT:
  case I_MOVE: return span_add(out, n, in->a, count);
  case I_INSERT: return span_add(out, span_add(out, n, in->a, 1), in->d, count);
  case I_CONVERT: return span_add(out, n, in->a, operand_cells(in));
  case I_INT128: return span_add(out, span_add(out, n, in->a, 2), in->b, in->op == OP_SHL || in->op == OP_SHR ? 1 : 2);
  default: break;
  }
  if (!is_access(in) || !(in->flags & FLAG_GLOBAL)) n = span_add(out, n, in->a, 1);
  if (is_access(in) && (in->flags & FLAG_BYTES)) n = span_add(out, n, in->c, 1);
  switch (in->code) {
  case I_BINARY:
  case I_FLOATING:
  case I_INDEX:
  case I_DIFFER:
  case I_ALLOC:
  case I_FETCH: return span_add(out, n, in->b, 1);
  case I_CHUNK: return span_add(out, span_add(out, n, in->b, 1), in->c, 1);
  case I_STORE:
  case I_EXCHANGE: return span_add(out, n, in->b, count);
  case I_CAS: return span_add(out, span_add(out, n, in->b, count), in->c, count);
  default: return n;
  }
}

unsigned inst_writes(const struct inst *in, struct span out[2]) {
  unsigned n = 0;
  switch (in->code) {
  case I_CAS: return span_add(out, span_add(out, n, in->d, 1), in->c, in->count);
  case I_MOVE:
  case I_LOAD:
  case I_INSERT:
  case I_EXCHANGE: return span_add(out, n, in->d, in->count);
  case I_INT128:
  case I_CONVERT: return span_add(out, n, in->d, result_cells(in));
  default: return span_add(out, n, in->d, 1);
  }
}

void inst_rename(struct inst *in, const reg *to) {
  bool access = is_access(in);
  if (in->d != NO_REG) in->d = to[in->d];
  if (in->a != NO_REG && !(access && (in->flags & FLAG_GLOBAL))) in->a = to[in->a];
  if (in->b != NO_REG && in->code != I_GLOBAL && in->code != I_LIN_FOR) in->b = to[in->b];
  if (in->c != NO_REG) in->c = to[in->c];
}

/* As inst_writes; spans that are not there have no registers. */
static void find_writes(struct flow *f) {
  f->writes = mem_zero(f->mem, f->count + 1, sizeof *f->writes);
  for (uint32_t i = 0; i < f->count; i++) inst_writes(&f->code[i], f->writes[i]);
}

static inline bool writes(const struct flow *f, uint32_t i, reg r) {
  const struct span *s = f->writes[i];
  return (reg)(r - s[0].first) < s[0].count || (reg)(r - s[1].first) < s[1].count;
}

static void find_preds(struct flow *f) {
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t i = 0; i < f->count; i++) {
      uint32_t to[2], n = 0;
      if (!inst_ends(&f->code[i]) && i + 1 < f->count) to[n++] = i + 1;
      if (inst_jumps(&f->code[i])) to[n++] = (uint32_t)f->code[i].imm - f->base;
      for (uint32_t k = 0; k < n; k++) {
        if (fill)
          f->pred[f->pred_first[to[k]]++] = i;
        else
          f->pred_first[to[k] + 1]++;
      }
    }
    if (fill) {
      memmove(f->pred_first + 1, f->pred_first, f->count * sizeof *f->pred_first);
      f->pred_first[0] = 0;
    } else {
      for (uint32_t i = 0; i < f->count; i++) f->pred_first[i + 1] += f->pred_first[i];
      f->pred = mem_alloc(f->mem, (f->pred_first[f->count] + 1) * sizeof *f->pred);
    }
  }
}

static void find_uses(struct flow *f) {
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t i = 0; i < f->count; i++) {
      struct span s[3];
      unsigned n = inst_reads(&f->code[i], s);
      for (unsigned k = 0; k < n; k++)
        for (uint32_t r = s[k].first; r < (uint32_t)s[k].first + s[k].count; r++) {
          if (fill)
            f->use[f->use_first[r]++] = i;
          else
            f->use_first[r + 1]++;
        }
    }
    if (fill) {
      memmove(f->use_first + 1, f->use_first, f->regs * sizeof *f->use_first);
      f->use_first[0] = 0;
    } else {
      for (uint32_t r = 0; r < f->regs; r++) f->use_first[r + 1] += f->use_first[r];
      f->use = mem_alloc(f->mem, (f->use_first[f->regs] + 1) * sizeof *f->use);
    }
  }
}

void flow_open(struct flow *f, struct mem *m, const struct inst *code, uint32_t count, uint32_t base, uint32_t regs) {
  *f = (struct flow){.mem = m, .code = code, .count = count, .base = base, .regs = regs};
  f->pred_first = mem_zero(m, count + 2, sizeof *f->pred_first);
  f->use_first = mem_zero(m, regs + 2, sizeof *f->use_first);
  f->in = mem_zero(m, count + 1, sizeof *f->in);
  f->out = mem_zero(m, count + 1, sizeof *f->out);
  f->seen = mem_zero(m, count + 1, sizeof *f->seen);
  f->stack = mem_alloc(m, (count + 1) * sizeof *f->stack);
  find_writes(f);
  find_preds(f);
  find_uses(f);
}

void flow_close(struct flow *f) {
  void *all[] = {f->writes, f->pred_first, f->pred, f->use_first, f->use, f->in, f->out, f->seen, f->stack};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(f->mem, all[i]);
}

/* Its walk, in variables that the compiler knows nobody else to change. */
struct walk {
  uint32_t number, stamp, depth, low, high;
  uint32_t *in, *seen, *stack;
};

/* The register is live before instruction i. */
static inline void mark(struct walk *w, uint32_t i) {
  w->in[i] = w->stamp;
  if (2 * i < w->low) w->low = 2 * i;
  if (2 * i > w->high) w->high = 2 * i;
  if (w->seen[i] == w->number) return;
  w->seen[i] = w->number;
  w->stack[w->depth++] = i;
}

void flow_add(struct flow *f, reg r) {
  struct walk w = {++f->walk, f->stamp, 0, f->low, f->high, f->in, f->seen, f->stack};
  const uint32_t *pred_first = f->pred_first, *pred = f->pred;
  uint32_t *out = f->out;
  for (uint32_t u = f->use_first[r]; u < f->use_first[r + 1]; u++) {
    mark(&w, f->use[u]);
    while (w.depth) {
      uint32_t i = w.stack[--w.depth];
      for (uint32_t k = pred_first[i]; k < pred_first[i + 1]; k++) {
        uint32_t p = pred[k];
        out[p] = w.stamp;
        if (2 * p + 1 < w.low) w.low = 2 * p + 1;
        if (2 * p + 1 > w.high) w.high = 2 * p + 1;
        if (!writes(f, p, r)) mark(&w, p);
      }
    }
  }
  f->low = w.low;
  f->high = w.high;
}

/* The lists: counted, filled, then each list that is there already is left out. */

struct shared {
  uint64_t hash;
  struct live live;
  bool used;
};

static struct live share(struct program *p, struct shared *table, uint32_t mask, const reg *list, uint16_t count,
                         uint32_t *end) {
  uint64_t hash = hash_bytes(list, count * sizeof *list);
  for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
    struct shared *s = &table[at];
    if (!s->used) {
      memmove(p->registers + *end, list, count * sizeof *list);
      *s = (struct shared){hash, {*end, count}, true};
      *end += count;
      return s->live;
    }
    if (s->hash == hash && s->live.count == count && !memcmp(p->registers + s->live.first, list, count * sizeof *list))
      return s->live;
  }
}

struct alive { /* before this instruction */
  uint32_t at;
  reg r;
};

/* first[i] is where the list of instruction i ends. */
static void make_lists(struct program *p, struct flow *f, uint32_t *first) {
  VEC(struct alive) all = {NULL, 0, 0};
  for (uint32_t r = 0; r < f->regs; r++) {
    flow_begin(f);
    flow_add(f, (reg)r);
    for (uint32_t i = f->low / 2; f->low <= f->high && i <= f->high / 2; i++) {
      if (!flow_in(f, i)) continue;
      vec_push(p->mem, &all, ((struct alive){i, (reg)r}));
      first[i + 1]++;
    }
  }
  for (uint32_t i = 0; i < f->count; i++) first[i + 1] += first[i];
  p->registers = mem_alloc(p->mem, (all.count + 1) * sizeof *p->registers);
  for (size_t k = 0; k < all.count; k++) p->registers[first[all.at[k].at]++] = all.at[k].r;
  vec_free(p->mem, &all);
}

void program_liveness(struct program *p) {
  struct flow f;
  flow_open(&f, p->mem, p->code, p->code_count, 0, p->most_regs);
  uint32_t *first = mem_zero(p->mem, p->code_count + 2, sizeof *first);
  make_lists(p, &f, first);
  uint32_t size = 16, end = 0, begin = 0;
  while (size < 2 * p->code_count) size *= 2;
  struct shared *table = mem_zero(p->mem, size, sizeof *table);
  p->live = mem_zero(p->mem, p->code_count, sizeof *p->live);
  for (uint32_t i = 0; i < p->code_count; i++) {
    p->live[i] = share(p, table, size - 1, p->registers + begin, (uint16_t)(first[i] - begin), &end);
    begin = first[i];
  }
  mem_free(p->mem, table);
  mem_free(p->mem, first);
  flow_close(&f);
}
