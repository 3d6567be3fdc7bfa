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

static inline uint64_t hash_bytes(const void *data, size_t n) {
  const unsigned char *p = data;
  uint64_t h = 0x9e3779b97f4a7c15u ^ (n * 0xff51afd7ed558ccdu), w;
  for (; n >= 8; p += 8, n -= 8) {
    memcpy(&w, p, 8);
    h = (h ^ w) * 0xd6e8feb86659fd93u;
    h ^= h >> 29;
  }
  w = 0;
  memcpy(&w, p, n);
  return hash_mix(h ^ w);
}

#endif
