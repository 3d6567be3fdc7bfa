/* Words as bytes: what a cell of several bytes is made of, and what bytes in a row are as a word.
 *
 * A byte is a number 0 .. 255, WORD_UNINITIALISED, a byte of a pointer (WORD_BYTE), or one of which some bits were
 * never set. Bytes are in the order of the target: the low one first. */
#ifndef ASIF_FRONT_WORDS_H
#define ASIF_FRONT_WORDS_H

#include "front/wides.h"

/* A byte with the bits of `value`, but for those of `unset`. */
static inline word word_part(unsigned value, unsigned unset) {
  return WORD_PART | (word)unset << 8 | (value & ~unset & 0xff);
}
static inline unsigned part_unset(word w) { return (unsigned)(w >> 8) & 0xff; }
static inline unsigned part_value(word w) { return (unsigned)w & 0xff; }
/* Padding, or several bytes of which only some were set: it can be copied, and what it is as a number is not known. */
#define WORD_MIXED (WORD_PART | 0xff00)

/* How many bytes a scalar has in memory; 0 for a mutex, which is not made of bytes. */
static inline unsigned scalar_size(struct scalar s) { return s.mutex ? 0 : s.bits == 1 ? 1 : (s.bits + 7u) / 8; }

/* The bytes of a word of 1 .. 8 bytes. False: it is a part of an address that bytes do not show. */
bool word_to_bytes(const struct wides *, word, unsigned size, word *bytes);
/* The word that they are, as an unsigned number if it is one. False: a mixture of numbers and bytes of pointers. */
bool word_of_bytes(struct wides *, const word *bytes, unsigned size, word *out);
/* A number of that many bytes as one of the scalar's; everything else stays as it is. */
word word_as(struct wides *, struct scalar, word);

/* Bits from..from + bits of the bytes (low_bits first), as a number of the scalar: WORD_UNINITIALISED where some of
 * them were never set, WORD_OUTSIDE where some are of a number from outside. False: they are bits of an address. */
bool bits_of_bytes(struct wides *, const word *bytes, unsigned from, struct scalar, word *out);
/* Puts a number there. Other bits stay as they are; those of `pad`, which belong to nothing, become 0 if they were
 * never set. False: it is not a number that is known, or what is there is a byte of an address or of no known number.
 */
bool bits_to_bytes(const struct wides *, word number, unsigned from, unsigned bits, unsigned pad, word *bytes);

#endif
