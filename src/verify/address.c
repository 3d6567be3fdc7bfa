/* Pointers as numbers.
 *
 * The address of an object is not known, but what divides it is: what malloc gives is a multiple of 16, a variable of
 * its type's alignment or of its own. So the low bits of every address within it are known, and as user programs have
 * 47 bits of address, so are the upper 16. Arithmetic that looks at these bits alone, changes them, moves a pointer, or
 * shifts one so that no unknown bit is lost is exact. Everything else, which is ordinary C, is FAULT_ADDRESS: beyond
 * what is modelled, and not the program's fault. */
#include "verify/bytes.h"

enum { ADDRESS_BITS = 48 };

struct address { /* a pointer of any kind, taken apart */
  const struct machine *m;
  const struct machine_state *s;
  word word;
  uint32_t object;
  int64_t byte;   /* from where the object begins */
  uint32_t align; /* what divides where that is */
  unsigned tag;
};

static struct address open_address(const struct machine *m, const struct machine_state *s, word w) {
  uint32_t align = numbers_align(m, s, word_object(w));
  return (struct address){m, s, w, word_object(w), address_byte(m, s, w), align, word_tag(w)};
}

/* The address there, of a kind. */
static enum fault put_address(const struct address *a, int64_t byte, enum word_kind kind, unsigned tag, word *out) {
  word w;
  if (!address_at(a->m, a->s, a->object, byte, &w)) return FAULT_ADDRESS;
  if (!a->m->program->loose && (word_cell(w) & CELL_PAST)) return FAULT_ADDRESS;
  *out = word_of_kind(w, kind, tag & 0xffff);
  return FAULT_NONE;
}

static enum fault put_number(const struct address *a, uint64_t n, word *out) {
  *out = word_of_number(a->m->program->wides, (int64_t)n);
  return *out == WORD_UNINITIALISED ? FAULT_RANGE : FAULT_NONE;
}

/* Forgotten garbage: only its identity is left, and that is what counts. */
static enum fault mark_forgotten(unsigned op, word a, int64_t n, word *out) {
  int64_t mark = a & 7;
  switch (op) {
  case OP_AND:
    if ((n & ~(int64_t)7) == 0) {
      *out = mark & n;
      return FAULT_NONE;
    }
    if ((n | 7) != -1) return FAULT_ADDRESS;
    mark &= n;
    break;
  case OP_OR: mark |= n; break;
  case OP_XOR: mark ^= n; break;
  case OP_ADD: mark += n; break;
  case OP_SUB: mark -= n; break;
  default: return FAULT_ADDRESS;
  }
  if (mark < 0 || mark > 7) return FAULT_ADDRESS;
  *out = (a & ~(word)7) | mark;
  return FAULT_NONE;
}

static enum fault mask(const struct address *a, uint64_t n, word *out) {
  uint64_t all = (UINT64_C(1) << ADDRESS_BITS) - 1, low = n & all, known = a->align - 1;
  int64_t below = a->byte & (int64_t)known;
  unsigned tag = a->tag & (unsigned)(n >> ADDRESS_BITS);
  if ((low | known) == all) return put_address(a, a->byte - below + (below & (int64_t)n), WORD_ADDRESS, tag, out);
  if ((low & ~known) == 0) return put_number(a, (uint64_t)tag << ADDRESS_BITS | ((uint64_t)below & low), out);
  return FAULT_ADDRESS;
}

/* | and ^ */
static enum fault set_bits(const struct address *a, unsigned op, uint64_t n, word *out) {
  uint64_t low = n & ((UINT64_C(1) << ADDRESS_BITS) - 1);
  unsigned high = (unsigned)(n >> ADDRESS_BITS);
  if (low & ~(uint64_t)(a->align - 1)) return FAULT_ADDRESS;
  int64_t below = a->byte & (int64_t)(a->align - 1), now = op == OP_OR ? below | (int64_t)low : below ^ (int64_t)low;
  return put_address(a, a->byte - below + now, WORD_ADDRESS, op == OP_OR ? a->tag | high : a->tag ^ high, out);
}

/* + and -: n is added. */
static enum fault add(const struct address *a, uint64_t n, word *out) {
  int64_t low = (int64_t)(n << 16) >> 16;
  unsigned high = (unsigned)((n - (uint64_t)low) >> ADDRESS_BITS);
  if (low <= -CELL_BIAS || low >= CELL_BIAS) return FAULT_ADDRESS;
  return put_address(a, a->byte + low, WORD_ADDRESS, a->tag + high, out);
}

static enum fault lower_by(const struct address *a, struct scalar s, uint64_t by, word *out) {
  if (by >= ADDRESS_BITS) {
    int64_t tag = s.is_signed ? (int16_t)a->tag : (int64_t)a->tag;
    return put_number(a, (uint64_t)(tag >> (by - ADDRESS_BITS)), out);
  }
  if (a->tag || (UINT64_C(1) << by) > a->align) return FAULT_ADDRESS;
  return put_address(a, a->byte & ~((INT64_C(1) << by) - 1), by ? WORD_LOWERED : WORD_ADDRESS, (unsigned)by, out);
}

/* n is a power of two: the exponent; otherwise -1. */
static int exponent(uint64_t n) { return n && !(n & (n - 1)) ? __builtin_ctzll(n) : -1; }

static enum fault plain(const struct address *a, unsigned op, struct scalar s, uint64_t n, word *out) {
  switch (op) {
  case OP_AND: return mask(a, n, out);
  case OP_OR:
  case OP_XOR: return set_bits(a, op, n, out);
  case OP_ADD: return add(a, n, out);
  case OP_SUB: return add(a, 0 - n, out);
  case OP_SHR: return n >= s.bits ? FAULT_SHIFT : lower_by(a, s, n, out);
  case OP_SHL:
    if (n >= s.bits) return FAULT_SHIFT;
    if (n == 16 && !s.is_signed) return put_address(a, a->byte, WORD_RAISED, 0, out);
    return n ? FAULT_ADDRESS : put_address(a, a->byte, WORD_ADDRESS, a->tag, out);
  case OP_DIV: return s.is_signed || exponent(n) < 0 ? FAULT_ADDRESS : lower_by(a, s, (uint64_t)exponent(n), out);
  case OP_MOD: return s.is_signed || exponent(n) < 0 || a->tag ? FAULT_ADDRESS : mask(a, n - 1, out);
  default: return FAULT_ADDRESS;
  }
}

/* An address shifted right. */
static enum fault lowered(const struct address *a, unsigned op, struct scalar s, uint64_t n, word *out) {
  unsigned by = a->tag;
  if (op == OP_MOD && exponent(n) >= 0) op = OP_AND, n--;
  if (op == OP_DIV && exponent(n) >= 0) op = OP_SHR, n = (uint64_t)exponent(n);
  switch (op) {
  case OP_SHL:
    if (n > by) return FAULT_ADDRESS;
    return put_address(a, a->byte, n == by ? WORD_ADDRESS : WORD_LOWERED, n == by ? 0 : by - (unsigned)n, out);
  case OP_SHR: {
    struct address whole = *a;
    whole.tag = 0;
    return n + by >= ADDRESS_BITS ? FAULT_ADDRESS : lower_by(&whole, s, n + by, out);
  }
  case OP_AND:
    if (n >> (ADDRESS_BITS - by) || ((n << by) & ~(uint64_t)(a->align - 1))) return FAULT_ADDRESS;
    return put_number(a, (uint64_t)(a->byte >> by) & n, out);
  default: return FAULT_ADDRESS;
  }
}

/* An address shifted left by 16, with a tag below it. */
static enum fault raised(const struct address *a, unsigned op, uint64_t n, word *out) {
  uint64_t tag = a->tag;
  switch (op) {
  case OP_AND:
    if (n >> 16 == 0) return put_number(a, tag & n, out);
    if (n >> 16 != (UINT64_C(1) << ADDRESS_BITS) - 1) return FAULT_ADDRESS;
    tag &= n;
    break;
  case OP_OR: tag |= n; break;
  case OP_XOR: tag ^= n; break;
  case OP_ADD: tag += n; break;
  case OP_SUB: tag -= n; break;
  case OP_SHR: return n == 16 ? put_address(a, a->byte, WORD_ADDRESS, 0, out) : FAULT_ADDRESS;
  default: return FAULT_ADDRESS;
  }
  return tag >> 16 ? FAULT_ADDRESS : put_address(a, a->byte, WORD_RAISED, (unsigned)tag, out);
}

/* A pointer and a number. */
static enum fault with_number(const struct machine *m, const struct machine_state *s, unsigned op, struct scalar scalar,
                              word p, int64_t n, word *out) {
  if (is_forgotten(m, p)) return word_is_address(p) ? mark_forgotten(op, p, n, out) : FAULT_ADDRESS;
  if (word_is_term(p)) return FAULT_ADDRESS;
  struct address a = open_address(m, s, p);
  switch (word_kind(p)) {
  case WORD_ADDRESS: return plain(&a, op, scalar, (uint64_t)n, out);
  case WORD_LOWERED: return lowered(&a, op, scalar, (uint64_t)n, out);
  case WORD_RAISED: return raised(&a, op, (uint64_t)n, out);
  default: return FAULT_ADDRESS;
  }
}

static bool is_null(word w) { return w >= 0 && w <= 7; }

/* Null, marked or not, is below every address. */
static enum fault compare_null(unsigned op, word a, word b, word *out) {
  word x = word_is_pointer(a), y = word_is_pointer(b);
  *out = op == OP_LT ? x < y : op == OP_LE ? x <= y : op == OP_GT ? x > y : x >= y;
  return FAULT_NONE;
}

static enum fault compare_equal(const struct machine *m, const struct machine_state *s, unsigned op, word a, word b,
                                word *out) {
  bool both = word_is_pointer(a) && word_is_pointer(b);
  bool bytes = (word_is_pointer(a) && word_kind(a) == WORD_BYTE) || (word_is_pointer(b) && word_kind(b) == WORD_BYTE);
  if (a != b && (bytes || word_is_term(a) || word_is_term(b) || (both && word_kind(a) != word_kind(b))))
    return FAULT_ADDRESS;
  /* what is past an array, and what is there */
  if ((a ^ b) == WORD_PAST && both && !m->program->loose) return FAULT_ADDRESS;
  if (places_asked(m, s, a, b)) return FAULT_PLACE;
  *out = (a == b) == (op == OP_EQ);
  return FAULT_NONE;
}

static enum fault compare(const struct machine *m, const struct machine_state *s, unsigned op, struct scalar scalar,
                          word a, word b, word *out) {
  if (op == OP_EQ || op == OP_NE) return compare_equal(m, s, op, a, b, out);
  if (word_is_term(a) || word_is_term(b)) return FAULT_ADDRESS;
  if (!scalar.is_signed && (is_null(a) || is_null(b))) return compare_null(op, a, b, out);
  if (!word_is_pointer(a) || !word_is_pointer(b) || word_object(a) != word_object(b)) return FAULT_ADDRESS;
  if (!word_is_address(a) || !word_is_address(b)) return FAULT_ADDRESS;
  int64_t x = address_byte(m, s, a), y = address_byte(m, s, b);
  *out = op == OP_LT ? x < y : op == OP_LE ? x <= y : op == OP_GT ? x > y : x >= y;
  return FAULT_NONE;
}

/* Two pointers. */
static enum fault with_pointer(const struct machine *m, const struct machine_state *s, unsigned op, word a, word b,
                               word *out) {
  if (word_object(a) != word_object(b) || is_forgotten(m, a) || word_kind(a) != WORD_ADDRESS ||
      word_kind(b) != WORD_ADDRESS)
    return FAULT_ADDRESS;
  struct address x = open_address(m, s, a), y = open_address(m, s, b);
  uint64_t tags = (uint64_t)(x.tag ^ y.tag) << ADDRESS_BITS;
  if (op == OP_XOR && x.byte == y.byte) return put_number(&x, tags, out);
  if (op == OP_SUB)
    return put_number(&x, (uint64_t)(x.byte - y.byte) + (((uint64_t)x.tag - y.tag) << ADDRESS_BITS), out);
  if ((op == OP_AND || op == OP_OR) && x.byte == y.byte)
    return put_address(&x, x.byte, WORD_ADDRESS, op == OP_AND ? x.tag & y.tag : x.tag | y.tag, out);
  return FAULT_ADDRESS;
}

enum fault arith_binary(const struct machine *m, const struct machine_state *s, unsigned op, struct scalar scalar,
                        word a, word b, word *out) {
  struct wides *t = m->program->wides;
  bool p = word_is_pointer(a), q = word_is_pointer(b);
  if ((!p && !q) || word_is_unset(a) || word_is_unset(b)) return arith_numbers(t, op, scalar, a, b, out);
  if (op >= OP_EQ && op <= OP_GE) return compare(m, s, op, scalar, a, b, out);
  if (scalar.bits < 64) return FAULT_ADDRESS;
  if (p && q) return with_pointer(m, s, op, a, b, out);
  if (p) return with_number(m, s, op, scalar, a, number_of_word(t, b), out);
  bool swaps = op == OP_ADD || op == OP_AND || op == OP_OR || op == OP_XOR;
  return swaps ? with_number(m, s, op, scalar, b, number_of_word(t, a), out) : FAULT_ADDRESS;
}

enum fault arith_wrap(const struct machine *m, const struct machine_state *s, unsigned op, struct scalar scalar, word a,
                      word b, word *out) {
  enum fault why = arith_binary(m, s, op, scalar, a, b, out);
  if (why != FAULT_OVERFLOW) return why;
  struct scalar u = scalar;
  u.is_signed = false;
  why = arith_binary(m, s, op, u, a, b, out);
  return why ? why : arith_cast(m->program->wides, scalar, *out, out);
}

/* Between pointers to elements of so many cells, or bytes. */
enum fault arith_differ(const struct machine *m, const struct machine_state *s, word a, word b, int64_t cells,
                        int64_t bytes, word *out) {
  if (a == WORD_UNINITIALISED || b == WORD_UNINITIALISED) return FAULT_UNINITIALISED;
  if (!word_is_pointer(a) || !word_is_pointer(b) || word_object(a) != word_object(b)) {
    if (a == b) {
      *out = 0;
      return FAULT_NONE;
    }
    return word_is_unset(a) || word_is_unset(b) || word_is_term(a) || word_is_term(b) ? FAULT_ADDRESS : FAULT_POINTER;
  }
  if (!word_is_address(a) || !word_is_address(b)) return not_address(word_is_address(a) ? b : a);
  if (m->program->loose) {
    *out = (address_byte(m, s, a) - address_byte(m, s, b)) / (bytes ? bytes : 1);
    return FAULT_NONE;
  }
  int64_t x = word_cell(a & ~WORD_PAST), y = word_cell(b & ~WORD_PAST);
  *out = (x - y) / (cells ? cells : 1);
  return FAULT_NONE;
}
