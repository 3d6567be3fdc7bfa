/* See sequential.h. */
#include "sequential.h"

#include <string.h>

static word wrong(struct run *r, const char *what) {
  if (!r->wrong) r->wrong = what;
  return 0;
}

static word known(struct run *r, word w) { return w == WORD_UNINITIALISED ? wrong(r, "uninitialised") : w; }

static word fit(struct scalar s, word w) {
  if (word_is_pointer(w)) return w;
  if (s.bits == 1) return w != 0;
  if (s.bits == 64) return w;
  uint64_t low = (uint64_t)w & ((UINT64_C(1) << s.bits) - 1);
  if (s.is_signed && low >> (s.bits - 1)) low |= ~((UINT64_C(1) << s.bits) - 1);
  return (word)low;
}

static bool less(struct scalar s, word a, word b) { return s.is_signed ? a < b : (uint64_t)a < (uint64_t)b; }

static bool too_large(enum operator op, word a, word b) {
  word n;
  bool over = op == OP_ADD   ? __builtin_add_overflow(a, b, &n)
              : op == OP_SUB ? __builtin_sub_overflow(a, b, &n)
                             : __builtin_mul_overflow(a, b, &n);
  return over || n > WORD_MOST || n < WORD_LEAST;
}

static word compute(struct run *r, enum operator op, struct scalar s, word a, word b, bool wraps) {
  uint64_t x = (uint64_t)known(r, a), y = (uint64_t)known(r, b), n = 0;
  switch (op) {
  case OP_EQ: return a == b;
  case OP_NE: return a != b;
  case OP_LT: return less(s, a, b);
  case OP_LE: return !less(s, b, a);
  case OP_GT: return less(s, b, a);
  case OP_GE: return !less(s, a, b);
  case OP_ADD:
  case OP_SUB:
  case OP_MUL:
    n = op == OP_ADD ? x + y : op == OP_SUB ? x - y : x * y;
    if (s.bits == 64 && s.is_signed && !wraps && too_large(op, a, b)) return wrong(r, "overflow");
    break;
  case OP_DIV:
  case OP_MOD:
    if (!b) return wrong(r, "division by zero");
    if (s.is_signed && b == -1 && fit(s, -a) != -a) return wrong(r, "overflow");
    if (s.is_signed)
      n = (uint64_t)(op == OP_DIV ? a / b : a % b);
    else
      n = op == OP_DIV ? x / y : x % y;
    break;
  case OP_SHL: n = x << y; break;
  case OP_SHR: n = s.is_signed ? (uint64_t)(a >> b) : x >> y; break;
  case OP_AND: n = x & y; break;
  case OP_OR: n = x | y; break;
  case OP_XOR: n = x ^ y; break;
  default: return wrong(r, "operator");
  }
  if (s.is_signed && !wraps && fit(s, (word)n) != (word)n) return wrong(r, "overflow");
  bool pointers = word_is_pointer(a) || word_is_pointer(b);
  if (!pointers && ((word)n > WORD_MOST || (word)n < WORD_LEAST))
    return wrong(r, "overflow"); /* beyond what is modelled */
  return fit(s, (word)n);
}

static word add_box(struct run *r, uint32_t count, word fill, bool local) {
  struct box b = {.cells = mem_alloc(r->mem, (count + 1) * sizeof(word)), .count = count, .local = local};
  for (uint32_t i = 0; i < count; i++) b.cells[i] = fill;
  vec_push(r->mem, &r->boxes, b);
  return word_pointer((uint32_t)r->boxes.count - 1, 0);
}

static word *cells_at(struct run *r, const struct inst *in) {
  static word nowhere[100];
  word a = in->flags & FLAG_GLOBAL ? word_pointer(in->a, 0) : r->r[in->a];
  if (!word_is_pointer(a) || word_mark(a)) return wrong(r, "not a pointer"), nowhere;
  int64_t cell = word_cell(a) + in->imm;
  if (word_object(a) >= r->boxes.count) return wrong(r, "no object"), nowhere;
  const struct box *b = &r->boxes.at[word_object(a)];
  if (b->gone) return wrong(r, "freed"), nowhere;
  if (cell < 0 || cell + in->count > b->count) return wrong(r, "outside"), nowhere;
  return b->cells + cell;
}

static word move_pointer(struct run *r, word a, int64_t cells) {
  if (!word_is_pointer(a)) return cells ? wrong(r, "moved what is no pointer") : a;
  int64_t cell = word_cell(a) + cells;
  if (cell < 0 || cell > r->boxes.at[word_object(a)].count) return wrong(r, "moved outside");
  return word_pointer(word_object(a), (uint32_t)cell) | word_mark(a);
}

static void run_access(struct run *r, const struct inst *in) {
  word *at = cells_at(r, in), *d = in->d == NO_REG ? NULL : &r->r[in->d], old = *at;
  size_t size = in->count * sizeof(word);
  switch (in->code) {
  case I_LOAD: memcpy(d, at, size); break;
  case I_STORE:
    if (!(in->flags & FLAG_GLOBAL) || !r->p->globals[in->a].constant)
      memcpy(at, &r->r[in->b], size);
    else
      wrong(r, "store to a constant");
    break;
  case I_EXCHANGE:
    for (uint32_t i = 0; i < in->count; i++) {
      word w = r->r[in->b + i];
      d[i] = at[i];
      at[i] = w;
    }
    break;
  case I_CAS: {
    bool same = !memcmp(at, &r->r[in->c], size);
    memcpy(same ? at : &r->r[in->c], same ? &r->r[in->b] : at, size);
    *d = same;
    break;
  }
  case I_FETCH:
    *at = in->scalar.pointer ? move_pointer(r, old, in->op == OP_SUB ? -r->r[in->b] : r->r[in->b])
                             : compute(r, in->op, in->scalar, old, r->r[in->b], true);
    *d = old;
    break;
  case I_LOCK:
    if (old) wrong(r, "locked");
    *at = 1;
    break;
  case I_TRYLOCK:
    *d = !old;
    *at = 1;
    break;
  default: *at = 0; break;
  }
}

static void run_free(struct run *r, const struct inst *in) {
  word a = known(r, r->r[in->a]);
  if (!a) return;
  struct box *b = &r->boxes.at[word_object(a)];
  if (!word_is_pointer(a) || word_cell(a) || b->gone || b->local != !!(in->flags & FLAG_LOCAL)) wrong(r, "bad free");
  b->gone = true;
}

static void run_alloc(struct run *r, const struct inst *in) {
  word elements = in->b == NO_REG ? 1 : known(r, r->r[in->b]);
  if (elements <= 0 || elements > 1000) elements = wrong(r, "elements");
  uint32_t count = r->p->layouts[in->imm].count * (uint32_t)elements;
  r->r[in->d] = add_box(r, count, in->flags & FLAG_ZERO ? 0 : WORD_UNINITIALISED, in->flags & FLAG_LOCAL);
}

static void run_unary(struct run *r, const struct inst *in) {
  word a = known(r, r->r[in->a]);
  word v = in->op == OP_NOT ? !a : in->op == OP_NEG ? -a : ~a;
  if (in->op == OP_NEG && in->scalar.is_signed && fit(in->scalar, v) != v) wrong(r, "overflow");
  r->r[in->d] = fit(in->scalar, v);
}

static void run_index(struct run *r, const struct inst *in) {
  word b = known(r, r->r[in->b]);
  if (in->count && (b < 0 || b >= in->count)) wrong(r, "index");
  r->r[in->d] = move_pointer(r, r->r[in->a], b * in->imm);
}

/* One instruction; false at the end. */
static bool run_inst(struct run *r) {
  const struct inst *in = &r->p->code[r->at];
  word *x = r->r;
  r->at++;
  switch (in->code) {
  case I_CONST: x[in->d] = in->imm; break;
  case I_MOVE: memmove(x + in->d, x + in->a, in->count * sizeof *x); break;
  case I_UNARY: run_unary(r, in); break;
  case I_BINARY:
    x[in->d] = compute(r, in->op, in->scalar, x[in->a], in->b == NO_REG ? in->imm : x[in->b], false);
    break;
  case I_CAST: x[in->d] = fit(in->scalar, known(r, x[in->a])); break;
  case I_GLOBAL: x[in->d] = word_pointer(in->b, (uint32_t)in->imm); break;
  case I_OFFSET: x[in->d] = move_pointer(r, x[in->a], in->imm); break;
  case I_INDEX: run_index(r, in); break;
  case I_DIFFER: x[in->d] = ((int64_t)word_cell(x[in->a]) - word_cell(x[in->b])) / in->imm; break;
  case I_ALLOC: run_alloc(r, in); break;
  case I_FREE: run_free(r, in); break;
  case I_JUMP: r->at = (uint32_t)in->imm; break;
  case I_BRANCH:
    if ((known(r, x[in->a]) != 0) == (in->op == OP_NOT)) r->at = (uint32_t)in->imm;
    break;
  case I_CHOOSE: x[in->d] = r->chosen % x[in->a]; break;
  case I_REQUIRE:
  case I_ASSERT:
    if (!x[in->a]) wrong(r, in->code == I_ASSERT ? in->text : "required");
    break;
  case I_TRAP: wrong(r, in->text); break;
  case I_THREAD: x[in->d] = r->thread; break;
  case I_LIN:
  case I_LIN_FOR:
  case I_FENCE:
  case I_ATOMIC: break;
  case I_RETURN: r->result = in->a == NO_REG ? 0 : x[in->a]; return false;
  default: run_access(r, in); break;
  }
  return !r->wrong;
}

/* What is not live may be anything. */
static void forget_dead(struct run *r) {
  const struct live *live = &r->p->live[r->at];
  for (uint32_t i = 0, k = 0; i < r->p->most_regs; i++) {
    if (k < live->count && r->p->registers[live->first + k] == i)
      k++;
    else
      r->r[i] = WORD_UNINITIALISED;
  }
}

void sequential_open(struct run *r, struct mem *m, const struct program *p) {
  memset(r, 0, sizeof *r);
  r->mem = m;
  r->p = p;
  for (uint32_t i = 0; i < p->global_count; i++) {
    uint32_t count = p->layouts[p->globals[i].layout].count;
    word at = add_box(r, count, 0, false);
    memcpy(r->boxes.at[word_object(at)].cells, p->globals[i].init, count * sizeof(word));
  }
}

word run_from(struct run *r, uint32_t entry) {
  size_t before = r->boxes.count;
  r->wrong = NULL;
  r->at = entry;
  r->steps = 0;
  do forget_dead(r);
  while (++r->steps < 100000 && run_inst(r));
  if (r->steps == 100000) wrong(r, "no end");
  for (size_t i = before; i < r->boxes.count; i++)
    if (r->boxes.at[i].local && !r->boxes.at[i].gone) wrong(r, "a local variable stays");
  return r->result;
}

word run_op(struct run *r, const struct program_op *op, word a, word b) {
  r->r[0] = a;
  r->r[1] = b;
  return run_from(r, op->entry);
}
