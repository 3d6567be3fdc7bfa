/* memcpy, strlen and their like, which the C library has without hooks: each reads and writes as plain accesses would,
 * of all its bytes at once, and is checked as those are. */
#include <string.h>
#include <strings.h>

#include "run/runtime.h"

enum { KEPT_MOST = 4096 };

/* pc and slot, below, are those of the wrapped function. */
#define READS(at, size)  plain_access(at, size, false, CALLER, SPIN_SLOT)
#define WRITES(at, size) plain_access(at, size, true, CALLER, SPIN_SLOT)

/* A string up to its end, or `most` bytes of it: how long it is when it is read. A null pointer is the code's own
 * crash. */
__attribute__((no_sanitize("undefined"))) static size_t string_read(const char *s, size_t most, uintptr_t pc,
                                                                    void **slot) {
  size_t length = strnlen(s, most), now;
  for (;; length = now) {
    plain_access(s, length < most ? length + 1 : most, false, pc, slot);
    now = strnlen(s, most); /* where the access is a point, others may have changed it */
    if (now == length) return length;
  }
}
#define READS_STRING(s)          string_read(s, SIZE_MAX, CALLER, SPIN_SLOT)
#define READS_STRING_TO(s, most) string_read(s, most, CALLER, SPIN_SLOT)

/* What of so many bytes is accessed at once: up to the end of a word. */
static size_t word_of(const char *at, size_t left) {
  size_t k = 8 - ((uintptr_t)at & 7);
  return k < left ? k : left;
}

/* Where the accesses are points each word is one, and what was read is kept until it is written: those are other steps.
 */
static void copy(char *to, const char *from, size_t size, uintptr_t pc, void **slot) {
  if ((options.races && !options.type_stable) || size > KEPT_MOST) {
    plain_access(from, size, false, pc, slot);
    plain_access(to, size, true, pc, slot);
    memmove(to, from, size);
    return;
  }
  char kept[KEPT_MOST];
  for (size_t n = 0, k; n < size; n += k) {
    k = word_of(from + n, size - n);
    plain_access(from + n, k, false, pc, slot);
    memcpy(kept + n, from + n, k);
  }
  for (size_t n = 0, k; n < size; n += k) {
    k = word_of(to + n, size - n);
    plain_access(to + n, k, true, pc, slot);
    memcpy(to + n, kept + n, k);
  }
}
#define COPIES(to, from, size) copy(to, from, size, CALLER, SPIN_SLOT)

#define COPY(name) \
  WRAPPED void *WRAP(name)(void *, const void *, size_t); \
  void *WRAP(name)(void *to, const void *from, size_t size) { \
    COPIES(to, from, size); \
    SPIN_LAND(CALLER, to); \
    return to; \
  }
COPY(memcpy)
COPY(memmove)
COPY(__tsan_memcpy)
COPY(__tsan_memmove)

WRAPPED void *WRAP(mempcpy)(void *, const void *, size_t);
void *WRAP(mempcpy)(void *to, const void *from, size_t size) {
  COPIES(to, from, size);
  SPIN_LAND(CALLER, to);
  return (char *)to + size;
}

#define FILL(name) \
  WRAPPED void *WRAP(name)(void *, int, size_t); \
  void *WRAP(name)(void *to, int byte, size_t size) { \
    WRITES(to, size); \
    SPIN_LAND(CALLER, to); \
    return memset(to, byte, size); \
  }
FILL(memset)
FILL(__tsan_memset)

WRAPPED void WRAP(bzero)(void *, size_t);
void WRAP(bzero)(void *to, size_t size) {
  WRITES(to, size);
  SPIN_LAND(CALLER, to);
  memset(to, 0, size);
}

#define COMPARE(name) \
  WRAPPED int WRAP(name)(const void *, const void *, size_t); \
  int WRAP(name)(const void *a, const void *b, size_t size) { \
    READS(a, size); \
    READS(b, size); \
    int result = memcmp(a, b, size); \
    SPIN_LAND(CALLER, result); \
    return result; \
  }
COMPARE(memcmp)
COMPARE(bcmp)

WRAPPED void *WRAP(memchr)(const void *, int, size_t);
void *WRAP(memchr)(const void *in, int byte, size_t size) {
  const char *found = memchr(in, byte, size);
  READS(in, found ? (size_t)(found - (const char *)in) + 1 : size);
  void *result = memchr(in, byte, size);
  SPIN_LAND(CALLER, result);
  return result;
}

/* Strings. */

WRAPPED size_t WRAP(strlen)(const char *);
size_t WRAP(strlen)(const char *s) {
  size_t length = READS_STRING(s);
  SPIN_LAND(CALLER, length);
  return length;
}
WRAPPED size_t WRAP(strnlen)(const char *, size_t);
size_t WRAP(strnlen)(const char *s, size_t most) {
  size_t length = READS_STRING_TO(s, most);
  SPIN_LAND(CALLER, length);
  return length;
}

WRAPPED char *WRAP(strcpy)(char *, const char *);
char *WRAP(strcpy)(char *to, const char *from) {
  COPIES(to, from, READS_STRING(from) + 1);
  SPIN_LAND(CALLER, to);
  return to;
}
WRAPPED char *WRAP(stpcpy)(char *, const char *);
char *WRAP(stpcpy)(char *to, const char *from) {
  size_t length = READS_STRING(from);
  COPIES(to, from, length + 1);
  SPIN_LAND(CALLER, to);
  return to + length;
}
WRAPPED char *WRAP(strncpy)(char *, const char *, size_t);
char *WRAP(strncpy)(char *to, const char *from, size_t size) {
  size_t length = READS_STRING_TO(from, size);
  WRITES(to, size);
  memcpy(to, from, length);
  memset(to + length, 0, size - length);
  SPIN_LAND(CALLER, to);
  return to;
}

static char *append(char *to, const char *from, size_t most, uintptr_t pc, void **slot) {
  size_t before = string_read(to, SIZE_MAX, pc, slot), length = string_read(from, most, pc, slot);
  plain_access(to + before, length + 1, true, pc, slot);
  memcpy(to + before, from, length);
  to[before + length] = '\0';
  return to;
}
WRAPPED char *WRAP(strcat)(char *, const char *);
char *WRAP(strcat)(char *to, const char *from) {
  append(to, from, SIZE_MAX, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, to);
  return to;
}
WRAPPED char *WRAP(strncat)(char *, const char *, size_t);
char *WRAP(strncat)(char *to, const char *from, size_t most) {
  append(to, from, most, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, to);
  return to;
}

/* Up to the first difference: what lies behind it is not looked at. */
static size_t compared(const char *a, const char *b, size_t most) {
  size_t i = 0;
  while (i < most && a[i] && a[i] == b[i]) i++;
  return i < most ? i + 1 : most;
}
static int compare(const char *a, const char *b, size_t most, uintptr_t pc, void **slot) {
  size_t size = compared(a, b, most);
  plain_access(a, size, false, pc, slot);
  plain_access(b, size, false, pc, slot);
  return strncmp(a, b, most);
}
WRAPPED int WRAP(strcmp)(const char *, const char *);
int WRAP(strcmp)(const char *a, const char *b) {
  int result = compare(a, b, SIZE_MAX, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, result);
  return result;
}
WRAPPED int WRAP(strncmp)(const char *, const char *, size_t);
int WRAP(strncmp)(const char *a, const char *b, size_t most) {
  int result = compare(a, b, most, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, result);
  return result;
}

#define LOOK_FOR(name, T) \
  WRAPPED char *WRAP(name)(const char *, T); \
  char *WRAP(name)(const char *in, T what) { \
    READS_STRING(in); \
    char *result = name(in, what); \
    SPIN_LAND(CALLER, result); \
    return result; \
  }
LOOK_FOR(strchr, int)
LOOK_FOR(strrchr, int)
WRAPPED char *WRAP(strstr)(const char *, const char *);
char *WRAP(strstr)(const char *in, const char *what) {
  READS_STRING(in);
  READS_STRING(what);
  char *result = strstr(in, what);
  SPIN_LAND(CALLER, result);
  return result;
}
