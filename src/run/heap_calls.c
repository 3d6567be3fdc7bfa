/* The allocator as C code calls it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run/heap_parts.h"

WRAPPED void *WRAP(malloc)(size_t);
WRAPPED void *WRAP(calloc)(size_t, size_t);
WRAPPED void *WRAP(realloc)(void *, size_t);
WRAPPED void *WRAP(reallocarray)(void *, size_t, size_t);
WRAPPED void WRAP(free)(void *);
WRAPPED void *WRAP(aligned_alloc)(size_t, size_t);
WRAPPED void *WRAP(memalign)(size_t, size_t);
WRAPPED void *WRAP(valloc)(size_t);
WRAPPED int WRAP(posix_memalign)(void **, size_t, size_t);
WRAPPED size_t WRAP(malloc_usable_size)(void *);
WRAPPED char *WRAP(strdup)(const char *);
WRAPPED char *WRAP(strndup)(const char *, size_t);
WRAPPED int WRAP(vasprintf)(char **, const char *, va_list);
WRAPPED int WRAP(asprintf)(char **, const char *, ...);

#define ZEROED_MOST ((size_t)1 << 20)

static void *take(size_t size, size_t align, uintptr_t pc) {
  void *p = heap_take(size, align, BLOCK_MALLOC, pc);
  if (!p) errno = ENOMEM;
  return p;
}

/* Each function the code calls ends with this, since it may have a point. */
#define RETURN(T, value) \
  do { \
    T returned = (value); \
    SPIN_LAND(CALLER, returned); \
    return returned; \
  } while (0)

void *WRAP(malloc)(size_t size) { RETURN(void *, take(size, 1, CALLER)); }

static void *zeroed(size_t count, size_t size, uintptr_t pc) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  void *p = take(bytes, 1, pc);
  if (!p) return NULL;
  /* Of a large block the beginning: what is kept of accesses is several times their size. Whoever gets to the block
   * without being ordered after its allocation is seen there, or where the address was published. */
  plain_access(p, bytes < ZEROED_MOST ? bytes : ZEROED_MOST, true, pc, NULL);
  return memset(p, 0, bytes);
}
void *WRAP(calloc)(size_t count, size_t size) { RETURN(void *, zeroed(count, size, CALLER)); }

/* It always moves: who keeps the old address is found out. */
static void *resize(void *p, size_t size, uintptr_t pc, void **slot) {
  if (!p) return take(size, 1, pc);
  if (!size) {
    heap_free(p, pc);
    return NULL;
  }
  size_t before = heap_size(p);
  if (heap_owns((uintptr_t)p) && before) plain_access(p, before, false, pc, slot);
  void *to = heap_owns((uintptr_t)p) ? take(size, 1, pc) : NULL;
  if (to) {
    size_t both = before < size ? before : size;
    plain_access(to, both, true, pc, NULL);
    memcpy(to, p, both);
  }
  if (to || !heap_owns((uintptr_t)p)) heap_free(p, pc); /* which says so, if it is no block */
  return to;
}
void *WRAP(realloc)(void *p, size_t size) { RETURN(void *, resize(p, size, CALLER, SPIN_SLOT)); }
void *WRAP(reallocarray)(void *p, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  RETURN(void *, resize(p, bytes, CALLER, SPIN_SLOT));
}
void WRAP(free)(void *p) {
  heap_free(p, CALLER);
  SPIN_LAND(CALLER, 0);
}

void *WRAP(aligned_alloc)(size_t align, size_t size) { RETURN(void *, take(size, align, CALLER)); }
void *WRAP(memalign)(size_t align, size_t size) { RETURN(void *, take(size, align, CALLER)); }
void *WRAP(valloc)(size_t size) { RETURN(void *, take(size, 4096, CALLER)); }
int WRAP(posix_memalign)(void **to, size_t align, size_t size) {
  if (align < sizeof(void *) || align & (align - 1)) return EINVAL;
  void *p = heap_alloc(size, align, CALLER);
  if (!p) return ENOMEM;
  *to = p;
  RETURN(int, 0);
}
size_t WRAP(malloc_usable_size)(void *p) { return heap_size(p); }

static char *copied(const char *from, size_t length, uintptr_t pc) {
  char *to = take(length + 1, 1, pc);
  if (!to) return NULL;
  plain_access(to, length + 1, true, pc, NULL);
  memcpy(to, from, length);
  to[length] = '\0';
  return to;
}
char *WRAP(strdup)(const char *from) {
  size_t length = strlen(from);
  plain_access(from, length + 1, false, CALLER, SPIN_SLOT);
  RETURN(char *, copied(from, length, CALLER));
}
char *WRAP(strndup)(const char *from, size_t most) {
  size_t length = strnlen(from, most);
  plain_access(from, length < most ? length + 1 : most, false, CALLER, SPIN_SLOT);
  RETURN(char *, copied(from, length, CALLER));
}

static int printed(char **to, const char *format, va_list args, uintptr_t pc) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0) return -1;
  char *p = take((size_t)length + 1, 1, pc);
  if (!p) return -1;
  plain_access(p, (size_t)length + 1, true, pc, NULL);
  vsnprintf(p, (size_t)length + 1, format, args);
  *to = p;
  return length;
}
int WRAP(vasprintf)(char **to, const char *format, va_list args) { RETURN(int, printed(to, format, args, CALLER)); }
int WRAP(asprintf)(char **to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = printed(to, format, args, CALLER);
  va_end(args);
  RETURN(int, length);
}
