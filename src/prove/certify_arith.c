/* Arithmetic of a proof checked again, by other code than arith.c: numbers are put in for the operands, and C is asked.
 *
 * What is known of an operand is read off the facts and the types anew. Of the numbers that it then may be, those are
 * tried at which arithmetic changes its ways: the least and the greatest, those next to them, and those around 0 and
 * around the number of bits. + - * / << >> and the unary operators are monotone between them, so that what is defined
 * at these is defined everywhere in between; and each result must be one that the step's own result may be. % & | ^ are
 * not monotone: where the operands may be few numbers all are tried, and else an interval that all results are in must
 * be within the one of the step's result. So must the whole type be where a result without a sign wraps around. */
#include <assert.h>

#include "prove/prover.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

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
  case OP_MUL: *to = (wide)((unsigned_wide)x * (unsigned_wide)y); break; /* modulo 2^128, if there is no sign */
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

/* All numbers from low to high may be the result. */
static void check_results(struct prover *p, const struct actor *a, struct scalar s, wide low, wide high, val to) {
  if (p->dead || KIND(to) == K_ANY) return;
  struct interval in = interval_of(p, a, to);
  if (high > INT64_MAX) low = INT64_MIN, high = INT64_MAX; /* of 64 bits without a sign, as they are kept */
  if (low < in.low || high > in.high)
    prove_fail(p, FAIL_UNDEFINED, "arithmetic of %u bits has more results than the proof says", s.bits);
}

struct span {
  wide low, high;
};

static struct span span_of_type(struct scalar s) {
  wide half = (wide)1 << (s.bits - 1);
  return s.is_signed ? (struct span){-half, half - 1} : (struct span){0, 2 * half - 1};
}

/* As C has the numbers of the interval, without ends that it is known not to be. */
static struct span span_of(const struct prover *p, const struct actor *a, val v, struct interval in, struct scalar s) {
  while (in.low < in.high && is_not(p, a->view, v, in.low)) in.low++;
  while (in.low < in.high && is_not(p, a->view, v, in.high)) in.high--;
  if (in.low < 0 && in.high >= 0 && !s.is_signed) return span_of_type(s);
  return (struct span){as_c(in.low, s), as_c(in.high, s)};
}

static wide lesser(wide x, wide y) { return x < y ? x : y; }
static wide greater(wide x, wide y) { return x > y ? x : y; }

/* An interval that the results of % & | ^ are in. */
static struct span span_of_results(unsigned op, struct scalar s, struct span x, struct span y) {
  if (op == OP_MOD) { /* the sign is x's; nearer to 0 than y, and no further than x */
    wide most = greater(y.high, -y.low) - 1;
    return (struct span){x.low < 0 ? greater(x.low, -most) : 0, x.high > 0 ? lesser(x.high, most) : 0};
  }
  if (op == OP_AND && (x.low >= 0 || y.low >= 0)) /* no bits but those of an operand that is not negative */
    return (struct span){0, x.low < 0 ? y.high : y.low < 0 ? x.high : lesser(x.high, y.high)};
  if (op == OP_AND || x.low < 0 || y.low < 0) return span_of_type(s);
  wide end = 1;
  while (end <= x.high || end <= y.high) end *= 2; /* no bit that neither has */
  return (struct span){0, end - 1};
}

/* Without a sign: how many times a result that was not yet cut to the type's bits has wrapped around. */
static wide turns(unsigned op, struct scalar s, wide x, wide y) {
  if (op == OP_MUL) return (wide)((unsigned_wide)x * (unsigned_wide)y >> s.bits);
  wide count = (wide)1 << s.bits;
  wide n = op == OP_ADD ? x + y : op == OP_SUB ? x - y : op == OP_SHL ? x * ((wide)1 << y) : 0;
  return n >= 0 ? n / count : -1 - (-1 - n) / count;
}

enum { ALL_MOST = 256 };

static void certify_pair(struct prover *p, struct actor *a, const struct inst *i, wide x, wide y, val to) {
  wide r;
  if (!reckon(i->op, i->scalar, x, y, &r))
    prove_fail(p, FAIL_UNDEFINED, "arithmetic that C does not define is not excluded");
  else
    check_result_of(p, a, i->scalar, r, to);
}

static void certify_bits(struct prover *p, struct actor *a, const struct inst *i, struct span x, struct span y,
                         val to) {
  if ((x.high - x.low + 1) <= ALL_MOST && (y.high - y.low + 1) <= ALL_MOST / (x.high - x.low + 1)) {
    for (wide m = x.low; m <= x.high; m++)
      for (wide n = y.low; n <= y.high && !p->dead; n++)
        if (n || i->op != OP_MOD) certify_pair(p, a, i, m, n, to);
    return;
  }
  struct span r = span_of_results(i->op, i->scalar, x, y);
  check_results(p, a, i->scalar, r.low, r.high, to);
}

void certify_binary(struct prover *p, struct actor *a, const struct inst *i, val x, val y, val to) {
  bool shifts = i->op == OP_SHL || i->op == OP_SHR;
  bool monotone = i->op != OP_MOD && i->op != OP_AND && i->op != OP_OR && i->op != OP_XOR, wraps = false;
  struct interval left = within_type(interval_of(p, a, x), i->scalar), right = interval_of(p, a, y);
  if (!shifts) right = within_type(right, i->scalar);
  struct tried m = numbers_of(p, a, x, left, i->scalar.bits), n = numbers_of(p, a, y, right, i->scalar.bits);
  wide first = 0;
  for (unsigned j = 0; j < m.count; j++)
    for (unsigned k = 0; k < n.count && !p->dead; k++) {
      wide c = as_c(m.number[j], i->scalar), d = shifts ? (wide)n.number[k] : as_c(n.number[k], i->scalar);
      certify_pair(p, a, i, c, d, to);
      if (p->dead || i->scalar.is_signed) continue;
      wide t = turns(i->op, i->scalar, c, d);
      if (!j && !k) first = t;
      wraps |= t != first;
    }
  if (p->dead || left.low > left.high || right.low > right.high) return;
  struct span whole = span_of_type(i->scalar);
  if (!monotone)
    certify_bits(p, a, i, span_of(p, a, x, left, i->scalar), span_of(p, a, y, right, i->scalar), to);
  else if (wraps && (m.count > 2 || n.count > 2))
    check_results(p, a, i->scalar, whole.low, whole.high, to);
}

void certify_unary(struct prover *p, struct actor *a, const struct inst *i, val x, val to) {
  struct tried m = numbers_of(p, a, x, within_type(interval_of(p, a, x), i->scalar), i->scalar.bits);
  struct span whole = span_of_type(i->scalar);
  bool wraps = false;
  for (unsigned j = 0; j < m.count && !p->dead; j++) {
    certify_pair(p, a, i, 0, as_c(m.number[j], i->scalar), to);
    wraps |= i->op == OP_NEG && !i->scalar.is_signed && m.number[j] == 0; /* of 0 alone the least number comes */
  }
  if (wraps && m.count > 2) check_results(p, a, i->scalar, whole.low, whole.high, to);
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
