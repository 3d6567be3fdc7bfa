/* The table of terms (terms.h).
 *
 * A term is kept once, with the bits that it can have. What decides it is found from the result down: a mask of bits of
 * the result is taken back through each operation to bits of the operand, where carries only go up. */
#include "verify/terms.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "verify/digits.h"

enum {
  SIZE_MOST = 1000, /* nodes of a term, as a tree */
  NODES_MOST = 24,  /* different ones among them */
  SLOTS = 2 * TERMS_MOST,
  WINDOWS = 4,      /* places in memory that samples are taken of */
  SAMPLES = 1 << 14 /* of each */
};
#define ADDRESS_MASK ((UINT64_C(1) << 47) - 1)
/* Facts about addresses leave the bits from here on open, so that objects can be in any order. */
#define WINDOW_BIT 40

enum kind { KIND_ADDRESS, KIND_NUMBER, KIND_BINARY, KIND_UNARY, KIND_CAST, KIND_MET };

struct term {
  uint8_t kind, op;
  struct scalar scalar;
  uint16_t a, b; /* operands */
  uint16_t size;
  int64_t n; /* a number; the byte of an address */
  uint32_t align;
  uint64_t may;      /* bits that may be set */
  uint8_t takes_all; /* 0: not asked yet; 1: no; 2: yes */
};

struct terms {
  pthread_mutex_t lock;
  uint32_t count;
  struct term at[TERMS_MOST];
  uint16_t slots[SLOTS];
};

struct terms *terms_new(struct mem *mem) {
  struct terms *t = mem_zero(mem, 1, sizeof *t);
  pthread_mutex_init(&t->lock, NULL);
  t->count = 1;
  return t;
}

/* Nodes that were met. */
struct met {
  unsigned count;
  uint16_t term[NODES_MOST + 2];
};

static uint64_t low_mask(unsigned bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }
static unsigned width(uint64_t mask) { return mask ? 64 - (unsigned)__builtin_clzll(mask) : 0; }
static uint64_t up_to(uint64_t mask) { return low_mask(width(mask)); }

static bool same(const struct term *a, const struct term *b) {
  return a->kind == b->kind && a->op == b->op && a->a == b->a && a->b == b->b && a->n == b->n && a->align == b->align &&
         a->scalar.bits == b->scalar.bits && a->scalar.is_signed == b->scalar.is_signed;
}

static void meet(const struct terms *t, uint32_t term, struct met *met) {
  const struct term *x = &t->at[term];
  for (unsigned i = 0; i < met->count; i++)
    if (met->term[i] == term) return;
  if (met->count > NODES_MOST) return;
  met->term[met->count++] = (uint16_t)term;
  if (x->a) meet(t, x->a, met);
  if (x->b) meet(t, x->b, met);
}

/* True if there are not too many nodes below it. */
static bool is_small(const struct terms *t, const struct term *x) {
  struct met met = {0};
  if (x->a) meet(t, x->a, &met);
  if (x->b) meet(t, x->b, &met);
  return x->size <= SIZE_MOST && met.count < NODES_MOST;
}

static uint32_t add(struct terms *t, const struct term *x) {
  uint64_t h = hash_mix((uint64_t)x->kind | (uint64_t)x->op << 8 | (uint64_t)x->a << 16 | (uint64_t)x->b << 32 |
                        (uint64_t)x->scalar.bits << 48 | (uint64_t)x->scalar.is_signed << 56);
  h = hash_mix(h ^ (uint64_t)x->n) ^ x->align;
  if (!is_small(t, x)) return TERM_NONE;
  pthread_mutex_lock(&t->lock);
  uint32_t slot = (uint32_t)(h % SLOTS);
  while (t->slots[slot] && !same(&t->at[t->slots[slot]], x)) slot = (slot + 1) % SLOTS;
  if (!t->slots[slot] && t->count < TERMS_MOST) {
    t->at[t->count] = *x;
    t->slots[slot] = (uint16_t)t->count++;
  }
  uint32_t found = t->slots[slot];
  pthread_mutex_unlock(&t->lock);
  return found;
}

uint32_t term_address(struct terms *t, int64_t byte, uint32_t align) {
  struct term x = {.kind = KIND_ADDRESS, .n = byte, .align = align, .size = 1};
  x.may = (ADDRESS_MASK & ~(uint64_t)(align - 1)) | ((uint64_t)byte & (align - 1));
  return add(t, &x);
}

uint32_t term_number(struct terms *t, int64_t n) {
  struct term x = {.kind = KIND_NUMBER, .n = n, .may = (uint64_t)n, .size = 1};
  return add(t, &x);
}

static bool compares(unsigned op) { return op >= OP_EQ && op <= OP_GE; }

/* The bits that the result may have; false: the operation is not followed. */
static bool bits_of_binary(struct term *x, const struct term *a, const struct term *b) {
  unsigned bits = x->scalar.bits;
  uint64_t all = low_mask(bits), n = (uint64_t)b->n;
  bool constant = b->kind == KIND_NUMBER;
  bool negative = x->scalar.is_signed && a->may >> 63; /* it may be */
  x->may = all;
  if (compares(x->op)) {
    x->may = 1;
    return true;
  }
  switch (x->op) {
  case OP_ADD:
  case OP_SUB:
  case OP_MUL: return !x->scalar.is_signed;
  case OP_AND: x->may = a->may & b->may; return true;
  case OP_OR:
  case OP_XOR: x->may = a->may | b->may; return true;
  case OP_SHL:
    if (x->scalar.is_signed || !constant || n >= bits) return false;
    x->may = a->may << n & all;
    return true;
  case OP_SHR:
    if (!constant || n >= bits) return false;
    x->may = negative ? UINT64_MAX : a->may >> n;
    return true;
  case OP_DIV:
  case OP_MOD:
    if (!constant || !n || (x->scalar.is_signed && b->n < 0) || negative) return false;
    x->may = x->op == OP_MOD ? up_to(n - 1) : up_to(a->may);
    return true;
  default: return false;
  }
}

uint32_t term_binary(struct terms *t, unsigned op, struct scalar s, uint32_t a, uint32_t b) {
  if (!a || !b) return TERM_NONE;
  struct term x = {.kind = KIND_BINARY, .op = (uint8_t)op, .a = (uint16_t)a, .b = (uint16_t)b};
  x.scalar = (struct scalar){.bits = s.bits, .is_signed = s.is_signed};
  x.size = (uint16_t)(t->at[a].size + t->at[b].size + 1);
  return bits_of_binary(&x, &t->at[a], &t->at[b]) ? add(t, &x) : TERM_NONE;
}

uint32_t term_unary(struct terms *t, unsigned op, struct scalar s, uint32_t a) {
  if (!a || (op != OP_NOT && (op != OP_INVERT || s.is_signed))) return TERM_NONE;
  struct term x = {.kind = KIND_UNARY, .op = (uint8_t)op, .a = (uint16_t)a, .size = (uint16_t)(t->at[a].size + 1)};
  x.scalar = (struct scalar){.bits = s.bits, .is_signed = s.is_signed};
  x.may = op == OP_NOT ? 1 : low_mask(s.bits);
  return add(t, &x);
}

uint32_t term_cast(struct terms *t, struct scalar s, uint32_t a) {
  if (!a) return TERM_NONE;
  if (s.bits >= 64) return a;
  struct term x = {.kind = KIND_CAST, .a = (uint16_t)a, .size = (uint16_t)(t->at[a].size + 1)};
  x.scalar = (struct scalar){.bits = s.bits, .is_signed = s.is_signed};
  x.may = t->at[a].may & low_mask(s.bits);
  if (s.bits == 1)
    x.may = 1;
  else if (s.is_signed && x.may >> (s.bits - 1))
    x.may |= ~low_mask(s.bits);
  return add(t, &x);
}

/* Values. */

static int64_t low(struct scalar s, uint64_t v) { return arith_low(s, (int64_t)v); }

static int64_t binary(const struct term *x, int64_t a, int64_t b) {
  uint64_t u = (uint64_t)a, v = (uint64_t)b;
  bool is_signed = x->scalar.is_signed;
  bool less = is_signed ? a < b : u < v, more = is_signed ? a > b : u > v;
  switch (x->op) {
  case OP_ADD: return low(x->scalar, u + v);
  case OP_SUB: return low(x->scalar, u - v);
  case OP_MUL: return low(x->scalar, u * v);
  case OP_AND: return a & b;
  case OP_OR: return a | b;
  case OP_XOR: return a ^ b;
  case OP_SHL: return low(x->scalar, u << v);
  case OP_SHR: return is_signed ? a >> b : (int64_t)(u >> v);
  case OP_DIV: return is_signed ? a / b : (int64_t)(u / v);
  case OP_MOD: return is_signed ? a % b : (int64_t)(u % v);
  case OP_EQ: return a == b;
  case OP_NE: return a != b;
  case OP_LT: return less;
  case OP_LE: return !more;
  case OP_GT: return more;
  default: return !less;
  }
}

int64_t term_value(const struct terms *t, uint32_t term, uint64_t address) {
  const struct term *x = &t->at[term];
  switch (x->kind) {
  case KIND_ADDRESS: return (int64_t)(address + (uint64_t)x->n);
  case KIND_NUMBER: return x->n;
  case KIND_BINARY: return binary(x, term_value(t, x->a, address), term_value(t, x->b, address));
  case KIND_UNARY: {
    int64_t a = term_value(t, x->a, address);
    return x->op == OP_NOT ? !a : low(x->scalar, ~(uint64_t)a);
  }
  default: {
    int64_t a = term_value(t, x->a, address);
    return x->scalar.bits == 1 ? a != 0 : low(x->scalar, (uint64_t)a);
  }
  }
}

unsigned term_values(const struct terms *t, uint32_t term) {
  const struct term *x = &t->at[term];
  if (x->kind == KIND_BINARY && x->op == OP_MOD && t->at[x->b].n <= TERM_VALUES_MOST && t->at[x->b].n > 0)
    return (unsigned)t->at[x->b].n;
  unsigned bits = (unsigned)__builtin_popcountll(x->may);
  return bits <= 6 ? 1u << bits : 0;
}

int64_t term_nth(const struct terms *t, uint32_t term, unsigned i) {
  const struct term *x = &t->at[term];
  uint64_t out = 0;
  if (x->kind == KIND_BINARY && x->op == OP_MOD) return i;
  for (uint64_t left = x->may; left; left &= left - 1, i >>= 1)
    if (i & 1) out |= left & (0 - left);
  return (int64_t)out;
}

static uint32_t align_of(const struct terms *t, uint32_t term) {
  const struct term *x = &t->at[term];
  if (x->kind == KIND_ADDRESS) return x->align;
  uint32_t a = x->a ? align_of(t, x->a) : 1, b = x->b ? align_of(t, x->b) : 1;
  return a > b ? a : b;
}

static bool takes_all(const struct terms *t, uint32_t term) {
  static const uint64_t windows[WINDOWS] = {0x01, 0x12, 0x55, 0x7f};
  unsigned values = term_values(t, term);
  uint64_t align = align_of(t, term), random = 1;
  for (unsigned w = 0; w < WINDOWS; w++) {
    bool seen[TERM_VALUES_MOST] = {false};
    unsigned count = 0;
    for (unsigned k = 0; k < SAMPLES && count < values; k++) {
      random = hash_mix(random + k + 1);
      int64_t v = term_value(t, term, windows[w] << WINDOW_BIT | (random & low_mask(WINDOW_BIT) & ~(align - 1)));
      for (unsigned i = 0; i < values; i++)
        if (!seen[i] && term_nth(t, term, i) == v) seen[i] = true, count++;
    }
    if (count < values) return false;
  }
  return true;
}

bool term_takes_all(struct terms *t, uint32_t term) {
  pthread_mutex_lock(&t->lock);
  struct term *x = &t->at[term];
  if (!x->takes_all) x->takes_all = takes_all(t, term) ? 2 : 1;
  bool all = x->takes_all == 2;
  pthread_mutex_unlock(&t->lock);
  return all;
}

/* What decides it. */

static uint64_t support(const struct terms *t, uint32_t term, uint64_t of);

/* Bits that carries come from: where a constant is added, from its lowest bit on. */
static uint64_t carried(uint64_t of, uint64_t constant) {
  if (!constant) return of;
  uint64_t from = low_mask((unsigned)__builtin_ctzll(constant));
  return of & ~from ? (of & from) | (up_to(of) & ~from) : of;
}

static uint64_t support_of_binary(const struct terms *t, const struct term *x, uint64_t of) {
  const struct term *a = &t->at[x->a], *b = &t->at[x->b];
  bool constant = b->kind == KIND_NUMBER;
  uint64_t n = (uint64_t)b->n, all = UINT64_MAX;
  switch (x->op) {
  case OP_ADD:
  case OP_SUB:
    if (constant) return support(t, x->a, carried(of, n));
    return support(t, x->a, up_to(of)) | support(t, x->b, up_to(of));
  case OP_MUL:
    if (constant && n) return support(t, x->a, up_to(of) >> __builtin_ctzll(n));
    return support(t, x->a, up_to(of)) | support(t, x->b, up_to(of));
  case OP_AND: return support(t, x->a, of & b->may) | support(t, x->b, of & a->may);
  case OP_OR:
    if (constant) return support(t, x->a, of & ~n);
    return support(t, x->a, of) | support(t, x->b, of);
  case OP_XOR: return support(t, x->a, of) | support(t, x->b, of);
  case OP_SHL: return support(t, x->a, of >> n);
  case OP_SHR: /* of a negative number the sign comes in */
    return support(t, x->a, of << n | (n && of >> (64 - n) && x->scalar.is_signed ? UINT64_C(1) << 63 : 0));
  case OP_DIV:
  case OP_MOD:
    if (!x->scalar.is_signed && !(n & (n - 1)))
      return support(t, x->a, x->op == OP_MOD ? of & (n - 1) : of << __builtin_ctzll(n));
    return support(t, x->a, all);
  default: return of & 1 ? support(t, x->a, all) | support(t, x->b, all) : 0;
  }
}

static uint64_t support(const struct terms *t, uint32_t term, uint64_t of) {
  const struct term *x = &t->at[term];
  of &= x->may;
  if (!of) return 0;
  switch (x->kind) {
  case KIND_ADDRESS: return carried(of, (uint64_t)x->n & ~(uint64_t)(x->align - 1)) & ~(uint64_t)(x->align - 1);
  case KIND_NUMBER: return 0;
  case KIND_BINARY: return support_of_binary(t, x, of);
  case KIND_UNARY: return support(t, x->a, x->op == OP_NOT ? UINT64_MAX : of);
  default:
    if (x->scalar.bits == 1) return support(t, x->a, UINT64_MAX);
    if (x->scalar.is_signed && of & ~low_mask(x->scalar.bits)) of |= UINT64_C(1) << (x->scalar.bits - 1);
    return support(t, x->a, of & low_mask(x->scalar.bits));
  }
}

uint64_t term_support(const struct terms *t, uint32_t term) { return support(t, term, UINT64_MAX); }

/* Digits: the kind, then what it needs. A node that was met before is its number. */

static unsigned char *put_node(const struct terms *t, struct met *met, uint32_t term, unsigned char *at) {
  const struct term *x = &t->at[term];
  for (unsigned i = 0; i < met->count; i++)
    if (met->term[i] == term) return put_number(put_number(at, KIND_MET), i);
  at = put_number(at, x->kind);
  if (x->kind == KIND_ADDRESS) at = put_number(at, x->align);
  if (x->kind <= KIND_NUMBER) {
    at = put_number(at, (uint64_t)x->n);
  } else {
    at = put_number(at, (uint64_t)x->op << 8 | (uint64_t)x->scalar.bits << 1 | x->scalar.is_signed);
    at = put_node(t, met, x->a, at);
    if (x->kind == KIND_BINARY) at = put_node(t, met, x->b, at);
  }
  met->term[met->count++] = (uint16_t)term;
  return at;
}

unsigned char *term_put(const struct terms *t, uint32_t term, unsigned char *at) {
  return put_node(t, &(struct met){0}, term, at);
}

static const unsigned char *get_node(struct terms *t, struct met *met, const unsigned char *at, uint32_t *out) {
  uint64_t kind, n, align = 1;
  uint32_t a, b;
  at = get_number(at, &kind);
  if (kind == KIND_ADDRESS) at = get_number(at, &align);
  at = get_number(at, &n);
  struct scalar s = {.bits = (uint8_t)(n >> 1 & 0x7f), .is_signed = n & 1};
  if (kind == KIND_MET) {
    *out = met->term[n];
    return at;
  }
  if (kind > KIND_NUMBER) at = get_node(t, met, at, &a);
  if (kind == KIND_BINARY) at = get_node(t, met, at, &b);
  switch (kind) {
  case KIND_ADDRESS: *out = term_address(t, (int64_t)n, (uint32_t)align); break;
  case KIND_NUMBER: *out = term_number(t, (int64_t)n); break;
  case KIND_BINARY: *out = term_binary(t, (unsigned)(n >> 8), s, a, b); break;
  case KIND_UNARY: *out = term_unary(t, (unsigned)(n >> 8), s, a); break;
  default: *out = term_cast(t, s, a);
  }
  met->term[met->count++] = (uint16_t)*out;
  return at;
}

const unsigned char *term_get(struct terms *t, const unsigned char *at, uint32_t *out) {
  return get_node(t, &(struct met){0}, at, out);
}
