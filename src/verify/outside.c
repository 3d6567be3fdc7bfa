/* Numbers that come from outside the program: the time, random numbers.
 *
 * Such a number is a word of its own, WORD_OUTSIDE: it may be any. What is computed with it may be any as well, until
 * it is compared or reduced to a few values: then each of them is a choice. Choices are not remembered: the same number
 * may seem less than 5 and then more than 7, which no execution has. So a search that finds nothing wrong has seen all
 * executions; of one that it finds wrong where such a choice was made, nobody knows whether there is one
 * (move.guessed).
 *
 * For others than that search (a specification, progress) there is no such choice. */
#include "verify/machine_parts.h"

enum { VALUES_MOST = 128, BITS_MOST = 6, CHOICE_MOST = 65535 };

static enum ended beyond(struct run *run, const struct inst *in) {
  return step_fault(run, in, FAULT_RANGE, OUTSIDE_TEXT);
}

static enum ended guess(struct run *run, const struct inst *in, unsigned n, unsigned *which) {
  if (!run->machine->options.guesses) return beyond(run, in);
  if (!run->op) return step_fault(run, in, FAULT_RANGE, "a time or a random number, before the threads begin");
  if (!run->move->guessed) run->move->guess = in->place;
  run->move->guessed = true;
  return step_choose_one(run, in, n, which);
}

enum ended outside_truth(struct run *run, const struct inst *in, word *out) {
  unsigned which = 0;
  enum ended bad = guess(run, in, 2, &which);
  *out = which;
  return bad;
}

/* The bits of a number that are set in `mask`. */
static enum ended some_bits(struct run *run, const struct inst *in, uint64_t mask, word *out) {
  unsigned which, bits = (unsigned)__builtin_popcountll(mask);
  uint64_t n = 0;
  if (bits > BITS_MOST) {
    *out = WORD_OUTSIDE;
    return GO_ON;
  }
  enum ended bad = guess(run, in, 1u << bits, &which);
  if (bad != GO_ON) return bad;
  for (uint64_t left = mask; left; left &= left - 1, which >>= 1)
    if (which & 1) n |= left & (0 - left);
  *out = word_of_number(run->machine->program->wides, (int64_t)n);
  return GO_ON;
}

/* What is left when it is divided by n: of a signed number it may be negative. */
static enum ended remainder_of(struct run *run, const struct inst *in, int64_t n, word *out) {
  unsigned which, values = (unsigned)(in->scalar.is_signed ? 2 * n - 1 : n);
  if (!n) return step_fault(run, in, FAULT_DIVISION, NULL);
  if (n < 0 || n > VALUES_MOST) {
    *out = WORD_OUTSIDE;
    return GO_ON;
  }
  enum ended bad = guess(run, in, values, &which);
  if (bad != GO_ON) return bad;
  *out = in->scalar.is_signed ? (word)which - (n - 1) : (word)which;
  return GO_ON;
}

/* rand() % n: exactly those that there are, which are no guess. */
enum ended outside_remainder(struct run *run, const struct inst *in, word divisor, word *out) {
  int64_t n = number_of_word(run->machine->program->wides, divisor);
  unsigned which;
  if (word_is_pointer(divisor)) return beyond(run, in);
  if (!n) return step_fault(run, in, FAULT_DIVISION, NULL);
  if (n < 0 && in->scalar.is_signed) n = n < -CHOICE_MOST ? INT64_MAX : -n;
  if (n < 0 || n > CHOICE_MOST) {
    *out = WORD_OUTSIDE;
    return GO_ON;
  }
  enum ended bad = step_choose_one(run, in, (unsigned)n, &which);
  if (bad == GO_ON) *out = which;
  return bad;
}

static enum ended binary(struct run *run, const struct inst *in, word a, word b, word *out) {
  struct wides *t = run->machine->program->wides;
  word other = a == WORD_OUTSIDE ? b : a;
  if (other == WORD_UNINITIALISED) return step_fault(run, in, FAULT_UNINITIALISED, NULL);
  if (word_is_pointer(other) || (other != WORD_OUTSIDE && word_is_unset(other))) return beyond(run, in);
  if (in->op >= OP_EQ && in->op <= OP_GE) return outside_truth(run, in, out);
  bool known = b != WORD_OUTSIDE;
  int64_t n = known ? number_of_word(t, b) : 0;
  *out = WORD_OUTSIDE;
  switch (in->op) {
  case OP_AND: return other == WORD_OUTSIDE ? GO_ON : some_bits(run, in, (uint64_t)number_of_word(t, other), out);
  case OP_MOD: return known ? remainder_of(run, in, n, out) : beyond(run, in);
  case OP_DIV: return !known ? beyond(run, in) : n ? GO_ON : step_fault(run, in, FAULT_DIVISION, NULL);
  case OP_SHL:
  case OP_SHR:
    if (!known) return beyond(run, in);
    return n < 0 || n >= in->scalar.bits ? step_fault(run, in, FAULT_SHIFT, NULL) : GO_ON;
  default: return GO_ON;
  }
}

enum ended outside_compute(struct run *run, const struct inst *in, word a, word b) {
  word *out = &run->r[in->d];
  if (in->code == I_BINARY) return binary(run, in, a, b, out);
  if (in->scalar.pointer) return beyond(run, in);
  if (in->code == I_UNARY ? in->op == OP_NOT : in->scalar.bits == 1) return outside_truth(run, in, out);
  *out = WORD_OUTSIDE;
  return GO_ON;
}
