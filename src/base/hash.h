/* Hash functions shared by every table. */
#ifndef ASIF_BASE_HASH_H
#define ASIF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  return x;
}

/* Fewer than eight bytes as a number. What is put together in memory would have to be waited for. */
static inline uint64_t hash_rest(const unsigned char *p, size_t n) {
  uint32_t low, high;
  if (n < 4) return n ? p[0] | (uint64_t)p[n / 2] << n / 2 * 8 | (uint64_t)p[n - 1] << (n - 1) * 8 : 0;
  memcpy(&low, p, 4);
  memcpy(&high, p + n - 4, 4);
  return low | (uint64_t)high << (n - 4) * 8;
}

static inline uint64_t hash_bytes(const void *data, size_t n) {
  const unsigned char *p = data;
  uint64_t h = 0x9e3779b97f4a7c15u ^ (n * 0xff51afd7ed558ccdu), w;
  for (; n >= 8; p += 8, n -= 8) {
    memcpy(&w, p, 8);
    h = (h ^ w) * 0xd6e8feb86659fd93u;
    h ^= h >> 29;
  }
  return hash_mix(h ^ hash_rest(p, n));
}

#endif
