/* Words as bytes, and back (words.h). */
#include "front/words.h"

bool word_to_bytes(const struct wides *t, word w, unsigned size, word *bytes) {
  if (size == 1 && (word_is_part(w) || (word_is_pointer(w) && word_kind(w) == WORD_BYTE))) {
    bytes[0] = w;
    return true;
  }
  if (word_is_unset(w)) {
    for (unsigned i = 0; i < size; i++) bytes[i] = w;
    return true;
  }
  if (!word_is_pointer(w)) {
    uint64_t n = (uint64_t)number_of_word(t, w);
    for (unsigned i = 0; i < size; i++) bytes[i] = (word)(n >> 8 * i & 0xff);
    return true;
  }
  bool raised = word_kind(w) == WORD_RAISED;
  if (size != 8 || (!raised && word_kind(w) != WORD_ADDRESS)) return false;
  for (unsigned i = 0; i < 6; i++) bytes[raised ? i + 2 : i] = word_of_kind(w, WORD_BYTE, i);
  bytes[raised ? 0 : 6] = word_tag(w) & 0xff;
  bytes[raised ? 1 : 7] = word_tag(w) >> 8;
  return true;
}

static bool is_number(word w) { return w >= 0 && w <= 255; }

/* Six bytes of one pointer in their order, between two others that are a tag. */
static bool pointer_of_bytes(const word *address, word low, word high, enum word_kind kind, word *out) {
  if (!is_number(low) || !is_number(high)) return false;
  for (unsigned i = 0; i < 6; i++)
    if (!word_is_pointer(address[i]) || address[i] != word_of_kind(address[0], WORD_BYTE, i)) return false;
  *out = word_of_kind(address[0], kind, (unsigned)(low | high << 8));
  return true;
}

bool word_of_bytes(struct wides *t, const word *bytes, unsigned size, word *out) {
  unsigned numbers = 0, never = 0, pointers = 0;
  uint64_t n = 0;
  if (size == 1) {
    *out = bytes[0];
    return true;
  }
  for (unsigned i = 0; i < size; i++) {
    numbers += is_number(bytes[i]);
    never += bytes[i] == WORD_UNINITIALISED;
    pointers += word_is_pointer(bytes[i]);
    if (is_number(bytes[i])) n |= (uint64_t)bytes[i] << 8 * i;
  }
  if (numbers == size) {
    *out = word_of_number(t, (int64_t)n);
    return *out != WORD_UNINITIALISED;
  }
  if (numbers + pointers < size) {
    *out = never == size ? WORD_UNINITIALISED : WORD_MIXED;
    return true;
  }
  return size == 8 && (pointer_of_bytes(bytes, bytes[6], bytes[7], WORD_ADDRESS, out) ||
                       pointer_of_bytes(bytes + 2, bytes[0], bytes[1], WORD_RAISED, out));
}

word word_as(struct wides *t, struct scalar s, word w) {
  if (s.bits >= 64 || s.bits == 1 || s.mutex || word_is_unset(w) || word_is_pointer(w)) return w;
  uint64_t n = (uint64_t)number_of_word(t, w), mask = (UINT64_C(1) << s.bits) - 1;
  n &= mask;
  return (word)(s.is_signed && n >> (s.bits - 1) ? n | ~mask : n);
}

bool bits_of_bytes(struct wides *t, const word *bytes, unsigned from, struct scalar s, word *out) {
  uint64_t n = 0;
  bool outside = false;
  *out = WORD_UNINITIALISED;
  for (unsigned i = 0; i < s.bits; i++) {
    word w = bytes[(from + i) / 8];
    unsigned bit = (from + i) % 8;
    if (w == WORD_UNINITIALISED) return true;
    outside |= w == WORD_OUTSIDE;
    if (w == WORD_OUTSIDE) continue;
    if (w == WORD_MIXED) *out = w;
    if (w == WORD_MIXED || (word_is_part(w) && part_unset(w) >> bit & 1)) return true;
    if (word_is_pointer(w)) return false;
    n |= (uint64_t)(w >> bit & 1) << i;
  }
  if (s.is_signed && s.bits < 64 && n >> (s.bits - 1)) n |= ~((UINT64_C(1) << s.bits) - 1);
  *out = outside ? WORD_OUTSIDE : word_of_number(t, (int64_t)n);
  return *out != WORD_UNINITIALISED;
}

bool bits_to_bytes(const struct wides *t, word number, unsigned from, unsigned bits, unsigned pad, word *bytes) {
  if (word_is_pointer(number) || number == WORD_OUTSIDE) return false;
  uint64_t n = word_is_unset(number) ? 0 : (uint64_t)number_of_word(t, number);
  for (unsigned i = 0; i < bits + pad; i++) {
    word *w = &bytes[(from + i) / 8];
    unsigned bit = 1u << (from + i) % 8;
    if (word_is_pointer(*w) || *w == WORD_MIXED || *w == WORD_OUTSIDE) return false;
    unsigned unset = *w == WORD_UNINITIALISED ? 0xff : word_is_part(*w) ? part_unset(*w) : 0;
    unsigned value = *w == WORD_UNINITIALISED ? 0 : (unsigned)*w & 0xff;
    if (i >= bits && !(unset & bit)) continue;
    value &= ~bit;
    if (i < bits && n >> i & 1) value |= bit;
    unset = i < bits && word_is_unset(number) ? unset | bit : unset & ~bit;
    *w = unset == 0xff ? WORD_UNINITIALISED : unset ? word_part(value, unset) : (word)value;
  }
  return true;
}
