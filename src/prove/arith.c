/* Arithmetic on numbers of which little is known, and whatever C leaves undefined in it (C17 6.5).
 *
 * A number has a range: its C type gives one, what is known of it beside constants (numbers.c) and the types of the
 * registers that hold it may give a smaller one. An operation must be defined for all operands in their ranges, or the
 * proof fails there; its result is a new number, with the range that follows. So that there are finitely many views a
 * range that is remembered begins and ends at a number that the program speaks of, or next to one, or where a type
 * ends. Where a cell is counted up or down a range that grows goes at once to such a number, or to the end of the type
 * (widening), for each range on the way there would make views of its own; of a counter without a sign, which wraps
 * around, none is remembered.
 *
 * What is undefined, by operation (6.5 paragraph 5: a result that a signed type cannot represent):
 *
 *   - x              signed: x is the least number of its type
 *   ~ x              nothing; a result of a signed type is always represented
 *   ! x, == !=       nothing (same, heap.c); < <= > >= of pointers to different objects: they are told by a choice
 *   + - *            signed: the result does not fit
 *   / %              the divisor is 0; signed: the least number by -1 (6.5.5p6)
 *   << >>            the count is negative, or not below the number of bits (6.5.7p3)
 *   <<               signed: the number is negative, or the result does not fit (6.5.7p4)
 *   & | ^            nothing
 *   conversions      nothing: what does not fit wraps around, as GCC and Clang define it for signed types (6.3.1.3p3)
 *   any of them      an operand that was never set (6.3.2.1p2)
 *
 * A value that was never set may be copied, since a struct is copied with all its members; whatever is done with the
 * copy fails. Unsigned numbers of 64 bits are kept as the signed number with the same bits, as by the front end, so
 * that a conversion to 64 bits changes nothing here. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "asif.h"
#include "prove/ranges.h"

static struct reg_range *spans_at(const struct prover *p, const struct actor *a) {
  return p->reg_ranges + (size_t)REGS_MOST * (a->setting_up ? p->program->op_count : a->op);
}

/* What is known of one number. */

/* What is, or was, among the contents was an argument: where these are ints, so is it. */
static bool was_argument(const struct prover *p, const struct actor *a, val v) {
  const struct view *view = a->view;
  if (!p->int_arguments || p->level == LEVEL_MS) return false;
  bool is = v == a->arg || v == *a->status;
  for (unsigned i = 0; i < view->atoms; i++) is |= view->abs[i] == v;
  for (unsigned i = 0; i < SEEN_MOST; i++) is |= view->seen[i] == v;
  return is;
}

/* By the order that is known. Only constants bound a number, never the strictness of several links of a chain: what
 * lies in between need not be an integer (split_in_two, heap.c). */
static struct range range_by_facts(const struct prover *p, const struct view *view, val v) {
  struct range r = ANYTHING;
  for (unsigned f = 0; f < 2u * view->facts; f++) {
    val c = f % 2 ? view->fact[f / 2].b : view->fact[f / 2].a;
    if (!is_constant(c)) continue;
    int64_t n = constant_value(p, c);
    if (known_less(p, view, c, v))
      r.low = most(r.low, (wide)n + 1);
    else if (known_at_most(p, view, c, v))
      r.low = most(r.low, n);
    if (known_less(p, view, v, c))
      r.high = least(r.high, (wide)n - 1);
    else if (known_at_most(p, view, v, c))
      r.high = least(r.high, n);
  }
  return r;
}

/* It is known to be neither end. */
static struct range without_ends(const struct prover *p, const struct view *view, val v, struct range r) {
  for (bool again = true; again;) {
    again = false;
    for (unsigned f = 0; f < view->facts; f++) {
      const struct fact *k = &view->fact[f];
      val c = k->a == v ? k->b : k->a;
      if (k->relation != DIFFERENT || (k->a != v && k->b != v) || !is_constant(c)) continue;
      if (constant_value(p, c) == r.low) r.low++, again = true;
      if (constant_value(p, c) == r.high) r.high--, again = true;
    }
  }
  return r;
}

/* As it is kept: of 64 bits without a sign, the signed number with the same bits. */
static struct range range_kept(const struct prover *p, const struct actor *a, val v) {
  if (is_constant(v)) return (struct range){constant_value(p, v), constant_value(p, v)};
  if (KIND(v) == K_NODE || KIND(v) == K_DANGLING) return (struct range){1, (wide)1 << 62}; /* as addresses are */
  if (KIND(v) != K_SYM) return ANYTHING;
  struct range r = range_by_facts(p, a->view, v);
  const struct reg_range *span = spans_at(p, a);
  for (unsigned i = 0; i < REGS_MOST; i++)
    if (a->reg[i] == v && span[i].set) r = overlap(r, (struct range){span[i].low, span[i].high});
  if (was_argument(p, a, v)) r = overlap(r, (struct range){INT32_MIN, INT32_MAX});
  r = without_ends(p, a->view, v, r);
  return r.low <= r.high ? r : ANYTHING; /* it cannot be; whoever finds out ends the case */
}

/* As C has it, where its type is s. */
static struct range range_of(const struct prover *p, const struct actor *a, val v, struct scalar s) {
  struct range r = range_kept(p, a, v), type = range_of_type(s);
  if (within(r, type)) return r;
  if (r.low == r.high && !s.is_signed) { /* a number of 64 bits */
    r.low = r.high = r.low & type.high;
    return r;
  }
  if (s.bits == 64 && !s.is_signed) return type;
  r = overlap(r, type);
  return r.low <= r.high ? r : type;
}

/* The result. */

static int64_t end_below(const number_list *e, int64_t n) {
  int64_t end = INT64_MIN;
  for (size_t i = 0; i < e->count && e->at[i] <= n; i++) end = e->at[i];
  return end;
}

static int64_t end_above(const number_list *e, int64_t n) {
  int64_t end = INT64_MAX;
  for (size_t i = e->count; i-- > 0 && e->at[i] >= n;) end = e->at[i];
  return end;
}

static bool stands_in(const val *at, unsigned count, val v) {
  for (unsigned i = 0; i < count; i++)
    if (at[i] == v) return true;
  return false;
}

static bool stands_somewhere(const struct actor *a, val v) {
  const struct view *view = a->view;
  if (KIND(v) != K_SYM || stands_in(a->reg, REGS_MOST, v) || stands_in(view->reg, REGS_MOST, v) ||
      stands_in(view->root, ROOTS_MOST, v) || stands_in(view->abs, view->atoms, v) ||
      stands_in(view->seen, SEEN_MOST, v) || a->arg == v || *a->status == v || view->arg == v || view->status == v)
    return true;
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (view->node[n].used && (stands_in(view->node[n].cell, CELLS_EACH, v) || stands_in(&view->node[n].low, 2, v)))
      return true;
  return false;
}

/* A loop within a step leaves many numbers behind: before facts find no room any more, those go that speak of them. */
static void make_room(struct actor *a) {
  struct view *view = a->view;
  unsigned kept = 0;
  if (view->facts < FACTS_MOST - 4) return;
  for (unsigned f = 0; f < view->facts; f++)
    if (stands_somewhere(a, view->fact[f].a) && stands_somewhere(a, view->fact[f].b))
      view->fact[kept++] = view->fact[f];
  view->facts = (uint8_t)kept;
}

void learn_range(struct prover *p, struct view *v, val n, int64_t low, int64_t high) {
  low = end_below(&p->ends, low), high = end_above(&p->ends, high);
  if (low > INT64_MIN) learn(p, v, number(p, low), AT_MOST, n);
  if (high < INT64_MAX) learn(p, v, n, AT_MOST, number(p, high));
}

static val number_between(struct prover *p, struct actor *a, struct range r, struct range type) {
  assert(r.low <= r.high);
  if (r.high > INT64_MAX || r.low < INT64_MIN) return new_sym(a->view); /* of 64 bits without a sign */
  if (type.high > INT64_MAX) type = ANYTHING;
  int64_t low = end_below(&p->ends, (int64_t)r.low), high = end_above(&p->ends, (int64_t)r.high);
  if (r.low == r.high) return number(p, (int64_t)r.low); /* exactly, until the step is over: a loop may end by it */
  make_room(a);
  val v = new_sym(a->view);
  if (low > type.low) learn(p, a->view, number(p, low), AT_MOST, v);
  if (high < type.high) learn(p, a->view, v, AT_MOST, number(p, high));
  return v;
}

/* Without a sign: modulo the number of values that there are. */
static struct range wrapped(struct range r, struct range type) {
  wide count = type.high + 1;
  wide turns = r.low >= 0 ? r.low / count : -((count - 1 - r.low) / count);
  struct range moved = {r.low - turns * count, r.high - turns * count};
  return within(moved, type) ? moved : type;
}

/* The result of counting, where the number counted from lies in x: it goes as far as it may. */
static struct range widened(const struct prover *p, struct range r, struct range x, struct range type) {
  if (!within(r, ANYTHING) || r.low == r.high) return r;
  if (r.low < x.low) r.low = most(type.low, end_below(&p->spoken_of, (int64_t)r.low));
  if (r.high > x.high) r.high = least(type.high, end_above(&p->spoken_of, (int64_t)r.high));
  return r;
}

/* counted: NULL, or the range of the number that is counted from. */
static val fitted(struct prover *p, struct actor *a, struct range r, struct scalar s, const struct range *counted,
                  const char *what) {
  struct range type = range_of_type(s);
  if (!s.is_signed)
    r = wrapped(r, type);
  else if (!within(r, type)) {
    prove_fail(p, FAIL_UNDEFINED, "%s may overflow here: signed integers do not wrap around", what);
    return NIL;
  }
  if (counted && !s.is_signed) return new_sym(a->view); /* it may have wrapped around before */
  if (counted) r = widened(p, r, *counted, type);
  return number_between(p, a, r, type);
}

static struct range corners(wide a, wide b, wide c, wide d) {
  return (struct range){least(least(a, b), least(c, d)), most(most(a, b), most(c, d))};
}

/* Of 64 bits without a sign a product may be too great even for a wide: it has wrapped around then, to anything. */
static struct range product(struct range x, struct range y) {
  wide end;
  if (__builtin_mul_overflow(x.high, y.high, &end)) return (struct range){0, (wide)1 << 126};
  return corners(x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high);
}

static wide size(wide n) { return n < 0 ? -n : n; }

static struct range quotient(struct range x, struct range y) {
  if (y.low > 0 || y.high < 0) return corners(x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high);
  wide far = most(size(x.low), size(x.high)); /* by 1 and by -1 */
  return (struct range){-far, far};
}

/* It has the sign of x, and is nearer to 0 than y and no further than x. */
static struct range remainder_of(struct range x, struct range y) {
  wide far = most(size(y.low), size(y.high)) - 1;
  return (struct range){x.low < 0 ? -least(far, -x.low) : 0, x.high > 0 ? least(far, x.high) : 0};
}

static val divide(struct prover *p, struct actor *a, const struct inst *i, struct range x, struct range y,
                  val divisor) {
  struct range type = range_of_type(i->scalar);
  if (y.low <= 0 && y.high >= 0 && !known_different(p, a->view, divisor, NIL)) {
    prove_fail(p, FAIL_UNDEFINED, "a division by zero is not excluded here");
    return NIL;
  }
  if (i->scalar.is_signed && x.low == type.low && y.low <= -1 && y.high >= -1) {
    prove_fail(p, FAIL_UNDEFINED, "a division of the least number by -1, which overflows, is not excluded here");
    return NIL;
  }
  return number_between(p, a, overlap(i->op == OP_DIV ? quotient(x, y) : remainder_of(x, y), type), type);
}

static bool counts(const struct prover *p, const struct inst *i) { return p->counting[i - p->program->code]; }

static wide shifted_right(wide n, wide by) { return n >= 0 ? n >> by : -((-n + ((wide)1 << by) - 1) >> by); }

static val shift(struct prover *p, struct actor *a, const struct inst *i, struct range x, struct range by) {
  struct range type = range_of_type(i->scalar);
  if (by.low < 0 || by.high >= i->scalar.bits) {
    prove_fail(p, FAIL_UNDEFINED, "a shift by a negative number, or by %u or more, is not excluded here",
               i->scalar.bits);
    return NIL;
  }
  if (i->op == OP_SHR)
    return number_between(p, a,
                          corners(shifted_right(x.low, by.low), shifted_right(x.low, by.high),
                                  shifted_right(x.high, by.low), shifted_right(x.high, by.high)),
                          type);
  if (i->scalar.is_signed && x.low < 0) {
    prove_fail(p, FAIL_UNDEFINED, "a left shift of a negative number is not excluded here");
    return NIL;
  }
  struct range r = product(x, (struct range){(wide)1 << by.low, (wide)1 << by.high});
  return fitted(p, a, r, i->scalar, counts(p, i) ? &x : NULL, "a left shift");
}

static wide ones(wide n) {
  wide all = 0;
  while (all < n) all = 2 * all + 1;
  return all;
}

static val bits(struct prover *p, struct actor *a, const struct inst *i, struct range x, struct range y) {
  struct range type = range_of_type(i->scalar), r = type;
  if (x.low >= 0 && y.low >= 0)
    r = (struct range){0, i->op == OP_AND ? least(x.high, y.high) : ones(most(x.high, y.high))};
  else if (i->op == OP_AND && (x.low >= 0 || y.low >= 0))
    r = (struct range){0, x.low >= 0 ? x.high : y.high};
  if (x.low == x.high && y.low == y.high && within(x, ANYTHING) && within(y, ANYTHING)) {
    int64_t m = (int64_t)x.low, n = (int64_t)y.low;
    r.low = r.high = i->op == OP_AND ? m & n : i->op == OP_OR ? m | n : m ^ n;
  }
  return number_between(p, a, overlap(r, type), type);
}

/* Orders: those of numbers of 64 bits without a sign are not the ones they are kept in. */
static bool order_is_kept(const struct prover *p, const struct actor *a, const struct inst *i, val x, val y) {
  if (i->scalar.is_signed || i->scalar.bits < 64) return true;
  return is_number(x) && is_number(y) && range_kept(p, a, x).low >= 0 && range_kept(p, a, y).low >= 0;
}

static val compare(struct prover *p, struct actor *a, const struct inst *i, val x, val y) {
  bool yes;
  if (i->op >= OP_LT && !order_is_kept(p, a, i, x, y)) return choose(p, 2) ? number(p, 1) : NIL;
  switch (i->op) {
  case OP_EQ: yes = same(p, a, x, y); break;
  case OP_NE: yes = !same(p, a, x, y); break;
  case OP_LT: yes = less(p, a, x, y); break;
  case OP_GT: yes = less(p, a, y, x); break;
  case OP_LE: yes = !less(p, a, y, x); break;
  default: yes = !less(p, a, x, y); break;
  }
  return yes ? number(p, 1) : NIL;
}

val run_binary(struct prover *p, struct actor *a, const struct inst *i) {
  static const struct scalar whole = {.bits = 64, .is_signed = true};
  val left = a->reg[i->a], right = i->b == NO_REG ? number(p, i->imm) : a->reg[i->b];
  if (KIND(left) == K_UNSET || KIND(right) == K_UNSET) {
    prove_fail(p, FAIL_UNSET,
               is_comparison(i->op) ? "a value that was never set is compared"
                                    : "it is reckoned with a value that was never set");
    return NIL;
  }
  if (is_comparison(i->op)) return compare(p, a, i, left, right);
  bool shifts = i->op == OP_SHL || i->op == OP_SHR; /* the type of the count is its own */
  struct range x = range_of(p, a, left, i->scalar), y = range_of(p, a, right, shifts ? whole : i->scalar);
  const struct range *counted = counts(p, i) ? &x : NULL;
  val to = NIL;
  switch (i->op) {
  case OP_ADD:
    to = fitted(p, a, (struct range){x.low + y.low, x.high + y.high}, i->scalar, counted, "an addition");
    break;
  case OP_SUB:
    to = fitted(p, a, (struct range){x.low - y.high, x.high - y.low}, i->scalar, counted, "a subtraction");
    break;
  case OP_MUL: to = fitted(p, a, product(x, y), i->scalar, counted, "a multiplication"); break;
  case OP_DIV:
  case OP_MOD: to = divide(p, a, i, x, y, right); break;
  case OP_SHL:
  case OP_SHR: to = shift(p, a, i, x, y); break;
  case OP_AND:
  case OP_OR:
  case OP_XOR: to = bits(p, a, i, x, y); break;
  default: prove_fail(p, FAIL_OUTSIDE, "this operator is outside what prove follows");
  }
  if (!is_number(left) || !is_number(right)) to = VAL(K_ANY, 0); /* reckoned with an address */
  if (p->certifying && !p->dead) certify_binary(p, a, i, left, right, to);
  return to;
}

val run_unary(struct prover *p, struct actor *a, const struct inst *i) {
  val v = a->reg[i->a];
  if (KIND(v) == K_UNSET) {
    prove_fail(p, FAIL_UNSET, "it is reckoned with a value that was never set");
    return NIL;
  }
  if (i->op == OP_NOT) return same(p, a, v, NIL) ? number(p, 1) : NIL;
  struct range x = range_of(p, a, v, i->scalar);
  struct range r = i->op == OP_NEG ? (struct range){-x.high, -x.low} : (struct range){-1 - x.high, -1 - x.low};
  val to = fitted(p, a, r, i->scalar, NULL, "a negation");
  if (!is_number(v)) to = VAL(K_ANY, 0);
  if (p->certifying && !p->dead) certify_unary(p, a, i, v, to);
  return to;
}

/* A number with the same lowest 32 bits that fits; K_UNSET: none is known. */
static val congruent(const struct prover *p, const struct actor *a, val v, struct range type) {
  for (unsigned f = 0; f < a->view->facts; f++) {
    const struct fact *k = &a->view->fact[f];
    if (k->relation != CONGRUENT || (k->a != v && k->b != v)) continue;
    val other = k->a == v ? k->b : k->a;
    if (within(range_kept(p, a, other), type)) return other;
  }
  return VAL(K_UNSET, 0);
}

static int64_t wrap(int64_t n, struct scalar s) {
  uint64_t mask = (UINT64_C(1) << s.bits) - 1, low = (uint64_t)n & mask;
  return s.is_signed && low >> (s.bits - 1) ? (int64_t)(low | ~mask) : (int64_t)low;
}

static val converted(struct prover *p, struct actor *a, val v, struct scalar s) {
  if (s.bits == 1) return same(p, a, v, NIL) ? NIL : number(p, 1);
  if (s.pointer || s.holds_pointer || s.bits == 64) return v;
  if (is_constant(v)) return number(p, wrap(constant_value(p, v), s));
  if (KIND(v) != K_SYM) return VAL(K_ANY, 0); /* what is left of an address */
  struct range type = range_of_type(s);
  if (within(range_kept(p, a, v), type)) return v;
  val known = congruent(p, a, v, type);
  if (KIND(known) != K_UNSET) return known;
  val to = new_sym(a->view);
  if (s.bits == 32) learn(p, a->view, to, CONGRUENT, v);
  return to;
}

val run_cast(struct prover *p, struct actor *a, const struct inst *i) {
  val v = a->reg[i->a];
  const struct scalar *s = &i->scalar;
  if (KIND(v) == K_UNSET) {
    prove_fail(p, FAIL_UNSET, "a value that was never set is used");
    return NIL;
  }
  val to = converted(p, a, v, *s);
  bool may_change = s->bits > 1 && s->bits < 64 && !s->pointer && !s->holds_pointer;
  if (p->certifying && !p->dead && may_change) certify_cast(p, a, i, v, to);
  return to;
}

/* asif_choose(n): 0 .. n-1. Or rand() % n. */
val run_choose(struct prover *p, struct actor *a, const struct inst *i) {
  struct range n = range_kept(p, a, a->reg[i->a]);
  if (KIND(a->reg[i->a]) == K_UNSET)
    prove_fail(p, FAIL_UNSET, "it is chosen among as many as a value says that was never set");
  else if (i->op == OP_MOD)
    return divide(p, a, i, (struct range){0, INT32_MAX}, range_of(p, a, a->reg[i->a], i->scalar), a->reg[i->a]);
  else if (n.low < 1 || n.high > UINT16_MAX)
    prove_fail(p, FAIL_UNDEFINED, "asif_choose takes 1 to 65535, and another number is not excluded here");
  return p->dead ? NIL : number_between(p, a, (struct range){0, n.high - 1}, ANYTHING);
}
