/* Arithmetic on numbers that are no words: __int128, which may hold pointers in its halves, and floating point. */
#include "front/floating.h"
#include "verify/machine_parts.h"

static const struct scalar half = {.bits = 64, .holds_pointer = true};

static bool is_comparison(const struct inst *in) { return in->op >= OP_EQ && in->op <= OP_GE; }

static enum ended put(struct run *run, const struct inst *in, int64_t n, word *out) {
  *out = word_of_number(run->machine->program->wides, n);
  return *out == WORD_UNINITIALISED ? step_fault(run, in, FAULT_RANGE, NULL) : GO_ON;
}

static enum ended put_whole(struct run *run, const struct inst *in, uint128 n) {
  word *d = run->r + in->d;
  enum ended bad = put(run, in, int128_low(n), &d[0]);
  return bad == GO_ON ? put(run, in, int128_high(n), &d[1]) : bad;
}

/* FAULT: it is not a number. */
static enum ended check_number(struct run *run, const struct inst *in, word w) {
  if (word_is_unset(w)) return step_unset(run, in, w, NULL);
  return word_is_pointer(w) ? step_fault(run, in, FAULT_ADDRESS, NULL) : GO_ON;
}

static int64_t number(const struct run *run, word w) { return number_of_word(run->machine->program->wides, w); }
static uint128 whole(const struct run *run, const word *w) { return int128_of(number(run, w[0]), number(run, w[1])); }

/* __int128 with pointers in it: what can be done with each half on its own. */

static enum fault both_halves(const struct run *run, unsigned op, const word *a, const word *b, word *d) {
  enum fault why = arith_binary(run->machine, run->state, op, half, a[0], b[0], &d[0]);
  return why ? why : arith_binary(run->machine, run->state, op, half, a[1], b[1], &d[1]);
}

/* A small number is added to a pointer in the lower half, or taken from it: there is no carry. */
static enum fault add_halves(const struct run *run, unsigned op, const word *a, const word *b, word *d) {
  bool low = word_is_pointer(a[0]) || word_is_pointer(b[0]), carry = false;
  word other = word_is_pointer(a[0]) ? b[0] : a[0], sum;
  if (low && (word_is_pointer(other) || !word_is_small(other) || other < 0 || other > INT32_MAX)) return FAULT_ADDRESS;
  if (low && op == OP_SUB && !word_is_pointer(a[0])) return FAULT_ADDRESS;
  if (!low) {
    uint64_t x = (uint64_t)number(run, a[0]), y = (uint64_t)number(run, b[0]);
    carry = op == OP_ADD ? x + y < x : x < y;
  }
  enum fault why = both_halves(run, op, a, b, d);
  if (why || !carry) return why;
  sum = d[1];
  return arith_binary(run->machine, run->state, op, half, sum, 1, &d[1]);
}

static enum fault shift_halves(const struct run *run, const struct inst *in, const word *a, uint64_t by, word *d) {
  const struct machine *m = run->machine;
  bool left = in->op == OP_SHL;
  if (by >= 128) return FAULT_SHIFT;
  if (left && in->scalar.is_signed) return FAULT_ADDRESS;
  word from = left ? a[0] : a[1], other = left ? a[1] : a[0];
  if (!by) {
    d[0] = a[0], d[1] = a[1];
    return FAULT_NONE;
  }
  if (by < 64) { /* nothing goes from one half to the other: what would is zero */
    bool clear = left ? word_is_pointer(from) && other == 0 && by <= 16 : from == 0;
    if (!clear) return FAULT_ADDRESS;
    d[left ? 1 : 0] = 0, d[left ? 0 : 1] = 0;
    return arith_binary(m, run->state, in->op, half, left ? from : other, (word)by, &d[0]);
  }
  struct scalar s = half;
  s.is_signed = in->scalar.is_signed;
  d[left ? 0 : 1] = 0; /* of a signed number too: an address is not negative */
  if (!word_is_pointer(from) && !left && s.is_signed && number(run, from) < 0) d[1] = -1;
  return arith_binary(m, run->state, in->op, s, from, (word)(by - 64), &d[left ? 1 : 0]);
}

static enum fault compare_halves(const struct run *run, const struct inst *in, const word *a, const word *b, word *d) {
  const struct machine *m = run->machine;
  struct scalar high = {.bits = 64, .is_signed = in->scalar.is_signed, .holds_pointer = true};
  word same_low, same_high;
  enum fault why = arith_binary(m, run->state, OP_EQ, half, a[1], b[1], &same_high);
  if (why) return why;
  if (in->op <= OP_NE) {
    why = arith_binary(m, run->state, OP_EQ, half, a[0], b[0], &same_low);
    *d = (same_low && same_high) == (in->op == OP_EQ);
    return why;
  }
  return same_high ? arith_binary(m, run->state, in->op, half, a[0], b[0], d)
                   : arith_binary(m, run->state, in->op, high, a[1], b[1], d);
}

static enum fault with_pointers(const struct run *run, const struct inst *in, const word *a, const word *b, word *d) {
  if (is_comparison(in)) return compare_halves(run, in, a, b, d);
  switch (in->op) {
  case OP_ADD:
  case OP_SUB: return add_halves(run, in->op, a, b, d);
  case OP_AND:
  case OP_OR:
  case OP_XOR: return both_halves(run, in->op, a, b, d);
  case OP_SHL:
  case OP_SHR: return shift_halves(run, in, a, (uint64_t)number(run, b[0]), d);
  default: return FAULT_ADDRESS;
  }
}

static bool forgotten(const struct machine *m, const word *a, const word *b, const struct inst *in) {
  for (unsigned i = 0; i < 2; i++)
    if (is_forgotten(m, a[i]) && is_forgotten(m, b[i]) && (in->op > OP_NE || a[i] == b[i])) return true;
  return false;
}

static enum ended run_int128(struct run *run, const struct inst *in) {
  static const enum fault faults[] = {FAULT_NONE, FAULT_OVERFLOW, FAULT_DIVISION, FAULT_SHIFT};
  const word *r = run->r;
  bool unary = in->b == NO_REG, shifts = in->op == OP_SHL || in->op == OP_SHR;
  word a[2] = {r[in->a], r[in->a + 1]}, b[2] = {0, 0}, d[2] = {0, 0};
  uint128 n;
  if (!unary) b[0] = r[in->b];
  if (!unary && !shifts) b[1] = r[in->b + 1];
  word all[4] = {a[0], a[1], b[0], b[1]};
  bool pointers = false;
  for (unsigned i = 0; i < 4; i++) {
    pointers |= word_is_pointer(all[i]);
    enum ended bad = word_is_pointer(all[i]) ? GO_ON : check_number(run, in, all[i]);
    if (bad != GO_ON) return bad;
  }
  if (pointers) {
    if (unary || (shifts && word_is_pointer(b[0]))) return step_fault(run, in, FAULT_ADDRESS, NULL);
    if (forgotten(run->machine, a, b, in)) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
    enum fault why = with_pointers(run, in, a, b, d);
    if (why) return step_fault(run, in, why, NULL);
    run->r[in->d] = d[0];
    if (!is_comparison(in)) run->r[in->d + 1] = d[1];
    return GO_ON;
  }
  enum int128_result result =
      unary ? int128_unary(in->op, in->scalar.is_signed, whole(run, a), &n)
            : int128_binary(in->op, in->scalar.is_signed, whole(run, a),
                            shifts ? int128_extended(number(run, b[0]), true) : whole(run, b), &n);
  if (result != INT128_FINE) return step_fault(run, in, faults[result], NULL);
  return is_comparison(in) ? put(run, in, int128_low(n), &run->r[in->d]) : put_whole(run, in, n);
}

static enum ended run_floating(struct run *run, const struct inst *in) {
  unsigned bits = in->scalar.bits;
  word a = run->r[in->a], b = in->b == NO_REG ? 0 : run->r[in->b];
  enum ended bad = check_number(run, in, a);
  if (bad == GO_ON) bad = check_number(run, in, b);
  if (bad != GO_ON) return bad;
  uint64_t x = (uint64_t)number(run, a), y = (uint64_t)number(run, b);
  uint64_t to = in->b == NO_REG ? floating_negated(bits, x) : floating_binary(in->op, bits, x, y);
  return put(run, in, (int64_t)to, &run->r[in->d]);
}

/* An integer as two words: one of a signed type may be a pointer, which is not negative. */
static enum ended extend(struct run *run, const struct inst *in) {
  word w = run->r[in->a];
  if (word_is_unset(w)) return check_number(run, in, w);
  if (word_is_pointer(w) && word_kind(w) == WORD_ADDRESS && word_tag(w) >> 15) return check_number(run, in, w);
  if (word_is_pointer(w) && word_kind(w) == WORD_RAISED) return check_number(run, in, w);
  run->r[in->d + 1] = !word_is_pointer(w) && number(run, w) < 0 ? -1 : 0;
  run->r[in->d] = w;
  return GO_ON;
}

static enum ended convert(struct run *run, const struct inst *in) {
  if (in->op == CONVERT_EXTEND) return extend(run, in);
  const word *a = run->r + in->a;
  struct scalar s = in->scalar;
  unsigned bits = (unsigned)in->imm;
  bool wide = in->op == CONVERT_TO_FLOATING && s.bits > 64;
  enum ended bad = check_number(run, in, a[0]);
  if (bad == GO_ON && wide) bad = check_number(run, in, a[1]);
  if (bad != GO_ON) return bad;
  uint128 n = wide ? whole(run, a) : int128_extended(number(run, a[0]), s.is_signed);
  uint64_t x = (uint64_t)number(run, a[0]);
  switch (in->op) {
  case CONVERT_TO_FLOATING:
    x = floating_of_integer(bits, n, s.is_signed);
    if (floating_is_infinite(bits, x)) /* GCC takes the result for finite */
      return step_fault(run, in, FAULT_RANGE, "a conversion of a number beyond the greatest float");
    return put(run, in, (int64_t)x, &run->r[in->d]);
  case CONVERT_FLOATING: return put(run, in, (int64_t)floating_convert(bits, s.bits, x), &run->r[in->d]);
  case CONVERT_FUNCTION:
    return put(run, in, (int64_t)floating_function((enum floating_function)in->bytes, bits, x), &run->r[in->d]);
  default:
    if (!floating_to_integer(bits, x, s.bits, s.is_signed, &n))
      return step_fault(run, in, FAULT_UNDEFINED, "a conversion to an integer type that does not have the value");
    return s.bits > 64 ? put_whole(run, in, n) : put(run, in, int128_low(n), &run->r[in->d]);
  }
}

enum ended step_real(struct run *run, const struct inst *in) {
  return in->code == I_INT128 ? run_int128(run, in) : in->code == I_FLOATING ? run_floating(run, in) : convert(run, in);
}
