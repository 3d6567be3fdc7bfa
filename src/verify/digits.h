/* Packed states are made of digits of four bits, since most of what a state holds is small: one for a small number, for null, for a
 * pointer to one of the first objects or to one not met before. They are written a byte each and squeezed two into a byte at the end. */
#ifndef ASIF_VERIFY_DIGITS_H
#define ASIF_VERIFY_DIGITS_H

#include "verify/machine_parts.h"

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
  DIGIT_SMALL_MOST = 5,  /* 0 .. 5: that number */
  DIGIT_NEW = 6,         /* the beginning of the object met next */
  DIGIT_OBJECT = 7,      /* 7 .. 11: the beginning of object first .. first + 4 */
  DIGIT_OBJECT_MOST = 11,
  DIGIT_FORGOTTEN = 12,  /* the beginning of forgotten garbage */
  DIGIT_PLAIN = 13,      /* the beginning of an object: its number follows */
  DIGIT_INTEGER = 14,    /* a number follows, its sign in the last bit */
  DIGIT_OTHER = 15       /* 0: uninitialised; an object's number + 1 and the rest of the pointer (cell and mark) */
};

static inline unsigned char *put_integer(unsigned char *at, word w) {
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

/* known: how many objects were met; grows. */
static inline const unsigned char *get_word(const unsigned char *at, word *w, uint32_t *known, uint32_t first) {
  uint64_t n, rest;
  unsigned digit = *at++;
  switch (digit) {
  case DIGIT_NEW: *w = word_pointer((*known)++, 0); return at;
  case DIGIT_FORGOTTEN: *w = word_pointer(first - 1, 0); return at;
  case DIGIT_PLAIN:
    at = get_number(at, &n);
    *w = word_pointer((uint32_t)n, 0);
    return at;
  case DIGIT_INTEGER:
    at = get_number(at, &n);
    *w = n & 1 ? ~(word)(n >> 1) : (word)(n >> 1);
    return at;
  case DIGIT_OTHER:
    at = get_number(at, &n);
    if (!n) {
      *w = WORD_UNINITIALISED;
      return at;
    }
    at = get_number(at, &rest);
    *w = word_pointer((uint32_t)n - 1, 0) | (word)rest;
    if (n > *known) *known = (uint32_t)n;
    return at;
  default: *w = digit <= DIGIT_SMALL_MOST ? (word)digit : word_pointer(first + digit - DIGIT_OBJECT, 0); return at;
  }
}

/* Two digits a byte. A last one without a partner gets a 0, which is never read. */
static inline size_t squeeze(const unsigned char *digits, size_t count, unsigned char *out) {
  size_t n = count / 2;
  for (size_t i = 0; i < n; i++) out[i] = (unsigned char)(digits[2 * i] | digits[2 * i + 1] << 4);
  if (count & 1) out[n++] = digits[count - 1];
  return n;
}

static inline void stretch(const unsigned char *bytes, size_t count, unsigned char *digits) {
  for (size_t i = 0; i < count; i++) {
    digits[2 * i] = bytes[i] & 15;
    digits[2 * i + 1] = bytes[i] >> 4;
  }
}

/* Do an object's contents matter? */
static inline bool has_contents(const struct machine *m, uint8_t life) {
  return life != LIFE_ENDED && life != LIFE_HOLLOW && (life != LIFE_FREED || m->options.type_stable);
}

#endif
