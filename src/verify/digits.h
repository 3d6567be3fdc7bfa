/* Packed states are made of digits of four bits, since most of what a state holds is small: one for a small number, for
 * null, for a pointer to one of the first objects or to one not met before. They are written a byte each and squeezed
 * two into a byte at the end. */
#ifndef ASIF_VERIFY_DIGITS_H
#define ASIF_VERIFY_DIGITS_H

#include "verify/machine_parts.h"
#include "verify/terms.h"

/* A number: three bits a digit, the fourth says that there is more. */
static inline unsigned char *put_number(unsigned char *at, uint64_t n) {
  for (; n >= 8; n >>= 3) *at++ = (unsigned char)((n & 7) | 8);
  *at++ = (unsigned char)n;
  return at;
}

static inline const unsigned char *get_number(const unsigned char *at, uint64_t *n) {
  uint64_t v = *at & 7;
  for (unsigned shift = 3; *at++ & 8; shift += 3) v |= (uint64_t)(*at & 7) << shift;
  *n = v;
  return at;
}

/* A word: its first digit. Objects are numbered from `first`, the first that is no global. */
enum {
  DIGIT_SMALL_MOST = 5, /* 0 .. 5: that number */
  DIGIT_NEW = 6,        /* the beginning of the object met next */
  DIGIT_OBJECT = 7,     /* 7 .. 11: the beginning of object first .. first + 4 */
  DIGIT_OBJECT_MOST = 11,
  DIGIT_FORGOTTEN = 12, /* the beginning of forgotten garbage */
  DIGIT_PLAIN = 13,     /* the beginning of an object: its number follows */
  DIGIT_INTEGER = 14,   /* a number follows, its sign in the last bit; 0: one beyond 61 bits follows, as it is */
  DIGIT_OTHER = 15      /* 0: uninitialised; an object's number + 1 and the rest of the pointer (word_rest) */
};

/* A pointer without its object. */
static inline word word_rest(word w) { return (w & 0xffffff) | (w >> 44 & 0x3ffff) << 24; }
static inline word word_with_rest(uint32_t object, uint64_t rest) {
  return word_pointer(object, 0) | (word)(rest & 0xffffff) | (word)(rest >> 24 & 0x3ffff) << 44;
}

static inline unsigned char *put_integer(const struct machine *m, unsigned char *at, word w) {
  if (w >= 0 && w <= DIGIT_SMALL_MOST) {
    *at++ = (unsigned char)w;
    return at;
  }
  if (w == WORD_UNINITIALISED) {
    *at++ = DIGIT_OTHER;
    *at++ = 0;
    return at;
  }
  *at++ = DIGIT_INTEGER;
  if (word_is_wide(w)) {
    *at++ = 0;
    return put_number(at, (uint64_t)wides_get(m->program->wides, w));
  }
  return put_number(at, w >= 0 ? (uint64_t)w << 1 : (uint64_t)~w << 1 | 1);
}

static inline unsigned char *put_pointer(unsigned char *at, uint32_t number, bool is_new, word rest, uint32_t first) {
  if (rest) {
    *at++ = DIGIT_OTHER;
    at = put_number(at, (uint64_t)number + 1);
    return put_number(at, (uint64_t)rest);
  }
  if (is_new) {
    *at++ = DIGIT_NEW;
  } else if (number >= first && number - first <= DIGIT_OBJECT_MOST - DIGIT_OBJECT) {
    *at++ = (unsigned char)(DIGIT_OBJECT + number - first);
  } else if (number + 1 == first) {
    *at++ = DIGIT_FORGOTTEN;
  } else {
    *at++ = DIGIT_PLAIN;
    at = put_number(at, number);
  }
  return at;
}

/* What is known of an object's address, but its place among others. */
static inline unsigned char *put_known(const struct machine *m, unsigned char *at, const struct known *k) {
  at = put_number(at, (uint64_t)k->align << 2 | (k->mask != 0) << 1 | (k->term != TERM_NONE));
  if (k->mask) at = put_number(put_number(at, k->mask), k->bits);
  return k->term ? put_number(term_put(m->terms, k->term, at), k->value) : at;
}
static inline const unsigned char *get_known(const struct machine *m, const unsigned char *at, struct known *k) {
  uint64_t what, n;
  uint32_t term;
  *k = (struct known){0};
  at = get_number(at, &what);
  k->align = (uint8_t)(what >> 2);
  if (what & 2) at = get_number(get_number(at, &k->mask), &k->bits);
  if (!(what & 1)) return at;
  at = get_number(term_get(m->terms, at, &term), &n);
  k->term = (uint16_t)term;
  k->value = (uint16_t)n;
  return at;
}

/* What the digits of one-digit words stand for; WORD_UNINITIALISED for the others. */
static inline void one_digit_words(word words[16], uint32_t first) {
  for (unsigned digit = 0; digit < 16; digit++)
    words[digit] = digit <= DIGIT_SMALL_MOST                             ? (word)digit
                   : digit >= DIGIT_OBJECT && digit <= DIGIT_OBJECT_MOST ? word_pointer(first + digit - DIGIT_OBJECT, 0)
                   : digit == DIGIT_FORGOTTEN                            ? word_pointer(first - 1, 0)
                                                                         : WORD_UNINITIALISED;
}

/* A number beyond 61 bits. */
const unsigned char *get_wide(const struct machine *, const unsigned char *at, word *);
/* A term over the address of *w. */
const unsigned char *get_term(const struct machine *, const unsigned char *at, word *w);

/* After a first digit that says that there are more. known: how many objects were met; grows. */
static inline __attribute__((always_inline)) const unsigned char *
get_long_word(const struct machine *m, const unsigned char *at, unsigned digit, word *w, uint32_t *known) {
  uint64_t n, rest;
  at = get_number(at, &n);
  if (digit == DIGIT_PLAIN) {
    *w = word_pointer((uint32_t)n, 0);
  } else if (digit == DIGIT_INTEGER && !n) {
    return get_wide(m, at, w);
  } else if (digit == DIGIT_INTEGER) {
    *w = n & 1 ? ~(word)(n >> 1) : (word)(n >> 1);
  } else if (!n) {
    *w = WORD_UNINITIALISED;
  } else {
    at = get_number(at, &rest);
    *w = word_with_rest((uint32_t)n - 1, rest);
    if (n > *known) *known = (uint32_t)n;
    if (m->terms && word_is_term(*w)) return get_term(m, at, w);
  }
  return at;
}

static inline __attribute__((always_inline)) const unsigned char *
get_word(const struct machine *m, const unsigned char *at, word *w, uint32_t *known) {
  unsigned digit = *at++;
  word one = m->one_digit[digit];
  if (one != WORD_UNINITIALISED) {
    *w = one;
    return at;
  }
  if (digit != DIGIT_NEW) return get_long_word(m, at, digit, w, known);
  *w = word_pointer((*known)++, 0);
  return at;
}

/* Bytes as a number, the low one first. Compilers do not always see that this is one access of a machine of that order.
 */
#define LOW_FIRST (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
static inline uint64_t low_first(const unsigned char *p, unsigned bytes) {
  uint64_t x = 0;
  if (LOW_FIRST) memcpy(&x, p, bytes);
  for (unsigned i = 0; !LOW_FIRST && i < bytes; i++) x |= (uint64_t)p[i] << 8 * i;
  return x;
}
static inline void put_low_first(unsigned char *p, uint64_t x, unsigned bytes) {
  if (LOW_FIRST) memcpy(p, &x, bytes);
  for (unsigned i = 0; !LOW_FIRST && i < bytes; i++) p[i] = (unsigned char)(x >> 8 * i);
}

/* Eight digits together and apart again. */
static inline uint64_t digits_together(const unsigned char *digits) {
  uint64_t x = low_first(digits, 8);
  x = (x | x >> 4) & 0x00ff00ff00ff00ff;
  x = (x | x >> 8) & 0x0000ffff0000ffff;
  return (x | x >> 16) & 0xffffffff;
}
static inline void put_digits_apart(unsigned char *digits, uint64_t x) {
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & 0x00ff00ff00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
  put_low_first(digits, x, 8);
}

/* Two digits a byte, eight at a time: there is room for seven more digits, which are made 0, and for three more bytes.
 * A last one without a partner gets a 0, which is never read. */
static inline size_t squeeze(unsigned char *digits, size_t count, unsigned char *out) {
  memset(digits + count, 0, 7);
  for (size_t i = 0; i < count; i += 8) put_low_first(out + i / 2, digits_together(digits + i), 4);
  return (count + 1) / 2;
}

static inline void stretch(const unsigned char *bytes, size_t count, unsigned char *digits) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) put_digits_apart(digits + 2 * i, low_first(bytes + i, 4));
  for (; i < count; i++) {
    digits[2 * i] = bytes[i] & 15;
    digits[2 * i + 1] = bytes[i] >> 4;
  }
}

/* The first number of a packed object: which layout and life, and in the last bit whether the number of its cells
 * follows. */
static inline struct object object_of_head(const struct machine *m, uint64_t head) {
  uint32_t layout = (uint32_t)((head >> 1) / m->lives);
  return (struct object){.count = m->program->layouts[layout].count,
                         .layout = layout,
                         .life = (uint8_t)(LIFE_HEAP + (head >> 1) % m->lives)};
}

/* Do an object's contents matter? */
static inline bool has_contents(const struct machine *m, uint8_t life) {
  return life <= LIFE_FRESH ||
         (life != LIFE_ENDED && life != LIFE_HOLLOW && (life != LIFE_FREED || m->options.type_stable));
}

#endif
