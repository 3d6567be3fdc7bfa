/* Arithmetic of a proof checked again, by other code than arith.c: numbers are put in for the operands, and C is asked.
 *
 * What is known of an operand is read off the facts and the types anew. Of the numbers that it then may be, those are
 * tried at which arithmetic changes its ways: the least and the greatest, those next to them, and those around 0 and
 * around the number of bits. All operations here are monotone between them, so that what is defined at these is defined
 * everywhere in between; and each result must be one that the step's own result may be. */
#include <assert.h>

#include "prove/prover.h"

__extension__ typedef __int128 wide;

enum { TRIED_MOST = 16 };

struct tried {
  int64_t number[TRIED_MOST];
  unsigned count;
};

/* A bound that a chain of facts leads to; beyond says that the number is not the bound itself. */
struct bound {
  int64_t at;
  bool beyond;
};

/* The greatest constant below v, or the least above it: along facts, one after the other, until nothing changes. */
static struct bound bound_of(const struct prover *p, const struct view *view, val v, bool below) {
  struct bound bounds[FACTS_MOST][2];
  val terms[FACTS_MOST][2];
  struct bound none = {below ? INT64_MIN : INT64_MAX, false}, found = none;
  for (unsigned f = 0; f < view->facts; f++)
    for (unsigned k = 0; k < 2; k++) {
      terms[f][k] = k ? view->fact[f].b : view->fact[f].a;
      bounds[f][k] = is_constant(terms[f][k]) ? (struct bound){constant_value(p, terms[f][k]), false} : none;
    }
  for (unsigned round = 0; round <= view->facts; round++)
    for (unsigned f = 0; f < view->facts; f++) {
      if (view->fact[f].relation != LESS && view->fact[f].relation != AT_MOST) continue;
      unsigned from = below ? 0 : 1, to = 1 - from;
      struct bound b = bounds[f][from];
      b.beyond |= view->fact[f].relation == LESS;
      if (b.at == none.at) continue;
      for (unsigned g = 0; g < view->facts; g++)
        for (unsigned k = 0; k < 2; k++) {
          struct bound *x = &bounds[g][k];
          bool better = below ? b.at > x->at : b.at < x->at;
          if (terms[g][k] == terms[f][to] && !is_constant(terms[g][k]) && (better || (b.at == x->at && b.beyond)))
            *x = b;
        }
    }
  for (unsigned f = 0; f < view->facts; f++)
    for (unsigned k = 0; k < 2; k++)
      if (terms[f][k] == v) found = bounds[f][k];
  return found;
}

static bool is_not(const struct prover *p, const struct view *view, val v, int64_t n) {
  for (unsigned f = 0; f < view->facts; f++) {
    const struct fact *k = &view->fact[f];
    val other = k->a == v ? k->b : k->a;
    if (k->relation == DIFFERENT && (k->a == v || k->b == v) && is_constant(other) && constant_value(p, other) == n)
      return true;
  }
  return false;
}

struct interval {
  int64_t low, high;
};

/* By facts, and by the types of the registers that hold it. */
static struct interval interval_of(const struct prover *p, const struct actor *a, val v) {
  if (is_constant(v)) return (struct interval){constant_value(p, v), constant_value(p, v)};
  if (KIND(v) == K_NODE || KIND(v) == K_DANGLING) return (struct interval){1, INT64_C(1) << 62};
  struct bound low = bound_of(p, a->view, v, true), high = bound_of(p, a->view, v, false);
  struct interval i = {low.at + (low.beyond && low.at < INT64_MAX), high.at - (high.beyond && high.at > INT64_MIN)};
  unsigned op = a->setting_up ? p->program->op_count : a->op;
  for (unsigned r = 0; r < REGS_MOST; r++) {
    const struct reg_range *types = &p->reg_ranges[(size_t)op * REGS_MOST + r];
    if (a->reg[r] != v || !types->set) continue;
    if (types->low > i.low) i.low = types->low;
    if (types->high < i.high) i.high = types->high;
  }
  bool argument = v == a->arg || v == *a->status;
  for (unsigned k = 0; k < a->view->atoms; k++) argument |= a->view->abs[k] == v;
  for (unsigned k = 0; k < SEEN_MOST; k++) argument |= a->view->seen[k] == v;
  if (argument && p->int_arguments && p->level != LEVEL_MS) {
    if (i.low < INT32_MIN) i.low = INT32_MIN;
    if (i.high > INT32_MAX) i.high = INT32_MAX;
  }
  return i;
}

static void try_number(struct tried *t, const struct prover *p, const struct actor *a, val v, struct interval in,
                       wide n) {
  if (n < in.low || n > in.high || is_not(p, a->view, v, (int64_t)n)) return;
  for (unsigned i = 0; i < t->count; i++)
    if (t->number[i] == (int64_t)n) return;
  assert(t->count < TRIED_MOST);
  t->number[t->count++] = (int64_t)n;
}

static struct tried numbers_of(const struct prover *p, const struct actor *a, val v, struct interval in,
                               unsigned bits) {
  struct tried t = {.count = 0};
  for (int d = 0; d < FACTS_MOST + 2 && t.count < 4; d++) { /* facts may say that it is not the first of them */
    try_number(&t, p, a, v, in, (wide)in.low + d);
    try_number(&t, p, a, v, in, (wide)in.high - d);
  }
  for (int n = -2; n <= 2; n++) try_number(&t, p, a, v, in, n);
  for (int n = -1; n <= 1; n++) try_number(&t, p, a, v, in, (wide)bits + n);
  return t;
}

/* As C has it. */

static wide as_c(int64_t kept, struct scalar s) {
  return s.is_signed || kept >= 0 ? kept : (wide)kept + ((wide)1 << s.bits);
}

static bool fits(wide n, struct scalar s) {
  wide half = (wide)1 << (s.bits - 1);
  return s.is_signed ? n >= -half && n < half : n >= 0 && n < 2 * half;
}

/* False: it is not defined. */
static bool reckon(unsigned op, struct scalar s, wide x, wide y, wide *to) {
  switch (op) {
  case OP_ADD: *to = x + y; break;
  case OP_SUB: *to = x - y; break;
  case OP_MUL: *to = x * y; break;
  case OP_DIV:
  case OP_MOD:
    if (y == 0 || (s.is_signed && !fits(x / y, s))) return false;
    *to = op == OP_DIV ? x / y : x % y;
    break;
  case OP_SHL:
    if (y < 0 || y >= s.bits || (s.is_signed && x < 0)) return false;
    *to = x * ((wide)1 << y);
    break;
  case OP_SHR:
    if (y < 0 || y >= s.bits) return false;
    *to = x >> y; /* of a wide: the sign stays */
    break;
  case OP_AND: *to = x & y; break;
  case OP_OR: *to = x | y; break;
  case OP_XOR: *to = x ^ y; break;
  case OP_NEG: *to = -y; break;
  case OP_INVERT: *to = -1 - y; break;
  default: return false;
  }
  if (s.is_signed) return fits(*to, s);
  *to &= ((wide)1 << s.bits) - 1;
  return true;
}

static void check_result_of(struct prover *p, const struct actor *a, struct scalar s, wide n, val to) {
  if (p->dead || KIND(to) == K_ANY) return;
  struct interval in = interval_of(p, a, to);
  int64_t kept = s.bits == 64 ? (int64_t)(uint64_t)n : (int64_t)n;
  if (kept < in.low || kept > in.high)
    prove_fail(p, FAIL_UNDEFINED, "arithmetic has another result than the proof says");
}

/* Of the types of its operands, as the instruction has them. */
static struct interval within_type(struct interval i, struct scalar s) {
  if (s.bits == 64) return i;
  int64_t low = s.is_signed ? -(INT64_C(1) << (s.bits - 1)) : 0;
  int64_t high = (INT64_C(1) << (s.bits - (s.is_signed ? 1 : 0))) - 1;
  if (i.low < low) i.low = low;
  if (i.high > high) i.high = high;
  return i;
}

void certify_binary(struct prover *p, struct actor *a, const struct inst *i, val x, val y, val to) {
  bool shifts = i->op == OP_SHL || i->op == OP_SHR;
  struct interval left = within_type(interval_of(p, a, x), i->scalar), right = interval_of(p, a, y);
  if (!shifts) right = within_type(right, i->scalar);
  struct tried m = numbers_of(p, a, x, left, i->scalar.bits), n = numbers_of(p, a, y, right, i->scalar.bits);
  for (unsigned j = 0; j < m.count; j++)
    for (unsigned k = 0; k < n.count && !p->dead; k++) {
      wide r, b = shifts ? (wide)n.number[k] : as_c(n.number[k], i->scalar);
      if (!reckon(i->op, i->scalar, as_c(m.number[j], i->scalar), b, &r))
        prove_fail(p, FAIL_UNDEFINED, "arithmetic that C does not define is not excluded");
      else
        check_result_of(p, a, i->scalar, r, to);
    }
}

void certify_unary(struct prover *p, struct actor *a, const struct inst *i, val x, val to) {
  struct tried m = numbers_of(p, a, x, within_type(interval_of(p, a, x), i->scalar), i->scalar.bits);
  for (unsigned j = 0; j < m.count && !p->dead; j++) {
    wide r;
    if (!reckon(i->op, i->scalar, 0, as_c(m.number[j], i->scalar), &r))
      prove_fail(p, FAIL_UNDEFINED, "arithmetic that C does not define is not excluded");
    else
      check_result_of(p, a, i->scalar, r, to);
  }
}

/* A conversion to fewer than 64 bits: the number itself must fit, another one must be known to be the same modulo
 * 2^32. */
void certify_cast(struct prover *p, struct actor *a, const struct inst *i, val x, val to) {
  struct scalar s = i->scalar;
  if (x != to) {
    struct tried m = numbers_of(p, a, x, interval_of(p, a, x), s.bits);
    for (unsigned j = 0; is_constant(x) && j < m.count && !p->dead; j++) {
      wide low = (wide)m.number[j] & (((wide)1 << s.bits) - 1);
      check_result_of(p, a, s, s.is_signed && low >> (s.bits - 1) ? low - ((wide)1 << s.bits) : low, to);
    }
    return;
  }
  struct interval in = interval_of(p, a, to);
  if (!fits(in.low, s) || !fits(in.high, s))
    prove_fail(p, FAIL_UNDEFINED, "a number is said to stay what it is when it is made smaller");
}
