/* The harness as `asif verify` reads it: the macros are declarations that the front end knows. */
#ifndef ASIF_H
#define ASIF_H
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
__asif_header(string)
__asif_header(asif)
static _Alignas(64) long __asif_payloads[64][2];
static inline void *asif_pointer(int __v) { return __v >= 0 && __v < 64 ? (void *)__asif_payloads[__v] : NULL; }
static inline int asif_number(const void *__p) {
  for (int __v = 0; __v < 64; __v++)
    if (__p == __asif_payloads[__v]) return __v;
  return __p ? -1 : INT_MIN + 4;
}
#define ASIF_OK (INT_MIN)
#define ASIF_NIL (INT_MIN + 1)
#define ASIF_TRUE (INT_MIN + 2)
#define ASIF_FALSE (INT_MIN + 3)
#define ASIF_EMPTY (INT_MIN + 4)
#define ASIF_FULL (INT_MIN + 5)
#define ASIF_ABORT ASIF_FALSE
#define ASIF_SPSC(put, get) ASIF_ROLE(producer, 1, put) ASIF_ROLE(consumer, 1, get)
#define ASIF_MPSC(put, get) ASIF_ROLE(producer, ASIF_REST, put) ASIF_ROLE(consumer, 1, get)
#define ASIF_SPMC(put, get) ASIF_ROLE(producer, 1, put) ASIF_ROLE(consumer, ASIF_REST, get)
#endif
