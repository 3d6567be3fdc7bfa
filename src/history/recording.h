/* Recordings: Asif's binary format (docs/formats.md), as the recorder writes it and recording.c reads it.
 *
 *   file    magic, blocks
 *   block   kind (1 byte), 3 bytes zero, length (4 bytes), sum (4 bytes), that many bytes
 *
 * Numbers of four and eight bytes have the lowest first; `n` is a number in groups of seven bits, the lowest first,
 * with the eighth set in all but the last. A name is n, its length, and its bytes.
 *
 *   'N' block, of names, numbered in the order they come, each kind from 0
 *     'P' name          a process
 *     'O' name name     an operation: its object, its method
 *     'T' name          the type of the object
 *   'E' block, of events in the order they happened, each a byte, of which
 *     bits 0..1  0 call, 1 return, 2 did not happen, 3 nobody knows
 *     bits 2..3  call: how many arguments; return: 0 the result follows, 1 none, 2 empty, 3 true
 *     bits 4..7  the process, or 15: it follows as n
 *   then of a call n, the operation, and the arguments; of a return the result where it follows
 *   'Z' block, the last: n, how many events there are. Where it is missing the recording was cut off.
 *
 * A value is n: of an even one the half is an integer, sign in the lowest bit; of an odd one the half is
 *     0..6 none, nil, true, false, empty, full, not observed; 7 an integer of eight bytes; 8 a text (n, bytes); 9 a
 * list (n, values). */
#ifndef ASIF_HISTORY_RECORDING_H
#define ASIF_HISTORY_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RECORDING_MAGIC \
  "\x89" \
  "ASIF\r\n\x01" /* the last is the version */
enum { RECORDING_MAGIC_SIZE = 8, RECORDING_HEAD = 12, RECORDING_BLOCK_MOST = 1 << 20, RECORDING_EVENT_MOST = 48 };
enum recorded { RECORDED_CALL, RECORDED_RETURN, RECORDED_FAIL, RECORDED_INFO };
enum { RECORDED_WIDE = 7, RECORDED_TEXT = 8, RECORDED_LIST = 9, RECORDED_FOLLOWS = 15 };

static inline uint64_t recording_load(const unsigned char *p, unsigned bytes) {
  uint64_t x = 0;
  for (unsigned i = 0; i < bytes; i++) x |= (uint64_t)p[i] << 8 * i;
  return x;
}
static inline unsigned char *recording_store(unsigned char *p, uint64_t x, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) *p++ = (unsigned char)(x >> 8 * i);
  return p;
}

static inline uint64_t recording_load8(const unsigned char *p) {
  uint64_t x;
  memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  return x;
}

/* Each returns where the next byte goes; there is room. */
static inline unsigned char *recording_number(unsigned char *p, uint64_t n) {
  for (; n >= 128; n >>= 7) *p++ = (unsigned char)(n | 128);
  *p++ = (unsigned char)n;
  return p;
}
static inline unsigned char *recording_integer(unsigned char *p, int64_t i) {
  uint64_t zigzag = (uint64_t)i << 1 ^ (uint64_t)(i >> 63);
  if (!(zigzag >> 63)) return recording_number(p, zigzag << 1);
  *p++ = RECORDED_WIDE << 1 | 1;
  return recording_store(p, (uint64_t)i, 8);
}
static inline unsigned char *recording_event(unsigned char *p, enum recorded kind, unsigned detail, uint32_t process) {
  bool follows = process >= RECORDED_FOLLOWS;
  *p++ = (unsigned char)(kind | detail << 2 | (follows ? RECORDED_FOLLOWS : process) << 4);
  return follows ? recording_number(p, process) : p;
}

/* What a block's bytes add up to: damage shows. */
uint32_t recording_sum(char kind, const unsigned char *, size_t);
void recording_head(unsigned char head[RECORDING_HEAD], char kind, const unsigned char *bytes, size_t count);

#endif
