/* What the program alone says of the numbers in it, found once before the proof: the ranges of registers by the types
 * of what is put there, the numbers at which a range that is remembered may end, and which instructions count a cell up
 * or down (arith.c says what all that is for). */
#include "prove/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "asif.h"

/* Registers: the range that the types of everything ever put there have together. */

static struct range range_of_scalar(struct scalar s) {
  return s.pointer || s.holds_pointer || s.mutex || s.bits == 64 || !s.bits ? ANYTHING : range_of_type(s);
}

static bool put_in(struct reg_range *to, struct range r) {
  bool grows = !to->set || r.low < to->low || r.high > to->high;
  if (!grows) return false;
  to->low = (int64_t)(to->set ? least(to->low, r.low) : r.low);
  to->high = (int64_t)(to->set ? most(to->high, r.high) : r.high);
  return to->set = true;
}

static bool spans_of(struct reg_range *span, const struct inst *i) {
  static const struct range truth = {0, 1};
  bool more = false;
  switch (i->code) {
  case I_CONST: return i->imm != WORD_UNINITIALISED && put_in(&span[i->d], (struct range){i->imm, i->imm});
  case I_MOVE:
    for (unsigned k = 0; k < i->count; k++)
      if (span[i->a + k].set) more |= put_in(&span[i->d + k], (struct range){span[i->a + k].low, span[i->a + k].high});
    return more;
  case I_UNARY: return put_in(&span[i->d], i->op == OP_NOT ? truth : range_of_scalar(i->scalar));
  case I_BINARY: return put_in(&span[i->d], is_comparison(i->op) ? truth : range_of_scalar(i->scalar));
  case I_CAST: return put_in(&span[i->d], range_of_scalar(i->scalar));
  case I_LOAD:
  case I_EXCHANGE:
  case I_FETCH:
    for (unsigned k = 0; k < i->count; k++)
      more |= put_in(&span[i->d + k], i->count == 1 ? range_of_scalar(i->scalar) : ANYTHING);
    return more;
  case I_CAS:
    for (unsigned k = 0; k < i->count; k++)
      more |= put_in(&span[i->c + k], i->count == 1 ? range_of_scalar(i->scalar) : ANYTHING);
    return put_in(&span[i->d], truth) || more;
  case I_TRYLOCK: return put_in(&span[i->d], truth);
  case I_LOCK:
  case I_DESTROY:
  case I_UNLOCK: return i->d != NO_REG && put_in(&span[i->d], ANYTHING);
  case I_CHOOSE: return put_in(&span[i->d], (struct range){0, i->op == OP_MOD ? INT32_MAX : UINT16_MAX});
  case I_THREAD:
  case I_OUTSIDE:
  case I_OWN:
  case I_WAKE:
  case I_BITS:
  case I_GLOBAL:
  case I_OFFSET:
  case I_INDEX:
  case I_DIFFER:
  case I_ALLOC: return put_in(&span[i->d], ANYTHING);
  default: return false; /* it puts nothing into a register */
  }
}

static struct range range_of_parameter(const struct type *t) {
  if (t->kind == TYPE_BOOL) return (struct range){0, 1};
  if (t->kind != TYPE_INT || t->bits >= 64) return ANYTHING;
  return range_of_type((struct scalar){.bits = (uint8_t)t->bits, .is_signed = t->is_signed});
}

/* Of the instructions from..to-1, in whatever order they run. */
static void find_spans(const struct program *program, uint32_t from, uint32_t to, struct reg_range *span) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t pc = from; pc < to; pc++) more |= spans_of(span, &program->code[pc]);
  }
}

/* Numbers at which a remembered range may end. */

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void add_end(struct prover *p, number_list *to, int64_t n) {
  for (int64_t d = -1; d <= 1; d++)
    if (n > INT64_MIN + 2 && n < INT64_MAX - 2) {
      vec_push(p->mem, to, n + d);
      vec_push(p->mem, to, -(n + d));
    }
}

static void add_term(struct prover *p, const struct effect_term *t) {
  if (t->kind == EFFECT_NUMBER) add_end(p, &p->spoken_of, t->number);
}

static void sort_ends(number_list *e) {
  qsort(e->at, e->count, sizeof *e->at, by_size);
  size_t count = 0;
  for (size_t i = 0; i < e->count; i++)
    if (!count || e->at[count - 1] != e->at[i]) e->at[count++] = e->at[i];
  e->count = count;
}

static const int64_t results[] = {ASIF_EMPTY, ASIF_OK, ASIF_TRUE, ASIF_FALSE};

static bool is_result(int64_t n) {
  for (unsigned i = 0; i < sizeof results / sizeof *results; i++)
    if (results[i] == n) return true;
  return false;
}

/* Of the types that there are: of fewer bits only where the program has them. */
static void add_types(struct prover *p) {
  uint64_t sizes = UINT64_C(1) << 32;
  for (uint32_t pc = 1; pc < p->program->code_count; pc++)
    if (p->program->code[pc].scalar.bits < 64) sizes |= UINT64_C(1) << p->program->code[pc].scalar.bits;
  for (unsigned bits = 2; bits < 64; bits++)
    if (sizes >> bits & 1) add_end(p, &p->ends, INT64_C(1) << (bits - 1)), add_end(p, &p->ends, INT64_C(1) << bits);
}

static void find_ends(struct prover *p) {
  add_end(p, &p->spoken_of, 0);
  for (uint32_t pc = 1; pc < p->program->code_count; pc++) {
    const struct inst *i = &p->program->code[pc];
    bool has = i->code == I_CONST || (i->code == I_BINARY && i->b == NO_REG);
    if (has) add_end(p, is_result(i->imm) ? &p->ends : &p->spoken_of, i->imm);
  }
  for (uint32_t op = 0; op < p->program->op_count; op++)
    add_end(p, &p->spoken_of, p->program->ops[op].low[0]), add_end(p, &p->spoken_of, p->program->ops[op].high[0]);
  for (uint32_t g = 0; g < p->program->global_count; g++)
    for (uint32_t c = 0; c < p->program->layouts[p->program->globals[g].layout].count; c++)
      if (p->program->globals[g].init) add_end(p, &p->spoken_of, p->program->globals[g].init[c]);
  for (size_t i = 0; p->effects && i < p->effects->list.count; i++) {
    const struct effect *e = &p->effects->list.at[i];
    for (unsigned k = 0; k < e->before.first + e->before.last; k++) add_term(p, &e->before.item[k]);
    for (unsigned k = 0; k < e->after.first + e->after.last; k++) add_term(p, &e->after.item[k]);
    add_term(p, &e->absent);
    add_term(p, &e->value);
  }
  for (size_t i = 0; i < p->spoken_of.count; i++) vec_push(p->mem, &p->ends, p->spoken_of.at[i]);
  for (unsigned i = 0; i < sizeof results / sizeof *results; i++) add_end(p, &p->ends, results[i]);
  add_types(p);
  sort_ends(&p->spoken_of);
  sort_ends(&p->ends);
}

/* Counting: what was read from a cell is reckoned with, and what comes out is written to that cell again. */

static bool is_same_cell(const struct inst *i, const struct inst *k) {
  bool global = i->flags & FLAG_GLOBAL;
  return i->imm == k->imm && global == !!(k->flags & FLAG_GLOBAL) && (!global || i->a == k->a);
}

static bool holds(const bool *from, reg r) { return r < REGS_MOST && from[r]; }

/* Is it reckoned from what was read? Then so is what the instruction puts into its register. */
static bool follows_from(const struct inst *i, const bool *from) {
  if (i->code == I_BINARY) return !is_comparison(i->op) && (holds(from, i->a) || holds(from, i->b));
  return (i->code == I_MOVE || i->code == I_CAST || i->code == I_UNARY) && holds(from, i->a);
}

static bool reads_number(const struct inst *i) {
  return (i->code == I_LOAD || i->code == I_EXCHANGE || i->code == I_CAS) && i->count == 1 && !i->scalar.pointer &&
         !i->scalar.mutex;
}

static reg read_into(const struct inst *i) { return i->code == I_CAS ? i->c : i->d; }

/* The registers of the instructions from..to-1 that hold what follows from the cell that `load` reads. */
static void find_following(const struct program *program, uint32_t from, uint32_t to, const struct inst *load,
                           bool *holding) {
  for (uint32_t pc = from; pc < to; pc++)
    if (reads_number(&program->code[pc]) && is_same_cell(&program->code[pc], load) &&
        read_into(&program->code[pc]) < REGS_MOST)
      holding[read_into(&program->code[pc])] = true;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t pc = from; pc < to; pc++) {
      const struct inst *i = &program->code[pc];
      if (!follows_from(i, holding) || i->d >= REGS_MOST || holding[i->d]) continue;
      holding[i->d] = again = true;
    }
  }
}

static void find_counting(struct prover *p, uint32_t from, uint32_t to) {
  const struct inst *code = p->program->code;
  for (uint32_t load = from; load < to; load++) {
    if (!reads_number(&code[load])) continue;
    bool holding[REGS_MOST] = {false}, written = false;
    find_following(p->program, from, to, &code[load], holding);
    for (uint32_t pc = from; pc < to; pc++) {
      bool writes = code[pc].code == I_STORE || code[pc].code == I_EXCHANGE || code[pc].code == I_CAS;
      written |= writes && is_same_cell(&code[pc], &code[load]) && holds(holding, code[pc].b);
    }
    for (uint32_t pc = from; written && pc < to; pc++)
      if (code[pc].code == I_BINARY && follows_from(&code[pc], holding)) p->counting[pc] = true;
  }
}

void find_ranges(struct prover *p) {
  const struct program *program = p->program;
  p->reg_ranges = mem_zero(p->mem, (size_t)REGS_MOST * (program->op_count + 1), sizeof *p->reg_ranges);
  p->counting = mem_zero(p->mem, program->code_count + 1, sizeof *p->counting);
  for (uint32_t op = 0; op < program->op_count; op++) {
    struct reg_range *span = p->reg_ranges + (size_t)REGS_MOST * op;
    const struct type *f = program->unit->harness.ops.at[op].function->type;
    for (uint32_t k = 0; k < program->ops[op].params; k++)
      put_in(&span[k], k < f->param_count ? range_of_parameter(f->params[k]) : ANYTHING);
    uint32_t end = op + 1 < program->op_count ? program->ops[op + 1].entry : program->code_count;
    find_spans(program, program->ops[op].entry, end, span);
    find_counting(p, program->ops[op].entry, end);
  }
  if (program->init_entry)
    find_spans(program, program->init_entry, program->code_count,
               p->reg_ranges + (size_t)REGS_MOST * program->op_count);
  find_ends(p);
}
