/* Functions of the C library that read and write memory as a format or their arguments say: the printf and scanf
 * families, numbers in strings, and others that are refused where they are given memory that others may see.
 *
 * What is read is checked before what is written, and what is written is made beforehand, so that it is what was read
 * at the points of the reads. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>

#include "run/runtime.h"

/* Memory of this thread alone, or that nobody writes. */
static bool is_private(uintptr_t at) {
  const struct image_range *ranges;
  if (!current || at - (uintptr_t)current->stack < STACK_SIZE) return true;
  if (heap_owns(at) || run_in_stack(at)) return false;
  for (size_t i = 0, n = image_ranges(&ranges); i < n; i++)
    if (at - ranges[i].low < ranges[i].high - ranges[i].low) return false;
  return true;
}

static void refuse(const char *name, const char *why, uintptr_t pc) {
  if (!current || scheduler.asks) return;
  found_at(pc, 0, current, "calls it here");
  run_found(FOUND_UNSUPPORTED, "%s calls %s %s: it has no hooks", fiber_name(current), name, why);
}
static void refuse_shared(const char *name, uintptr_t at, uintptr_t pc) {
  if (current && current->id != FIBER_MAIN && !is_private(at)) refuse(name, "with memory that is not on its stack", pc);
}

/* A string is read, of at most so many bytes. */
static void reads_string(const char *s, size_t most, uintptr_t pc, void **slot) {
  if (!s || is_private((uintptr_t)s)) return;
  size_t length = strnlen(s, most);
  plain_access(s, length < most ? length + 1 : most, false, pc, slot);
}

/* What the conversions of a format read: strings. */
static void reads_arguments(const char *name, const char *format, va_list *args, uintptr_t pc, void **slot) {
  reads_string(format, SIZE_MAX, pc, slot);
  for (const char *s = strchr(format, '%'); s; s = strchr(s, '%')) {
    size_t most = SIZE_MAX;
    unsigned longs = 0;
    bool wide = false; /* long double */
    s++;
    if (s[strspn(s, "0123456789")] == '$') {
      refuse(name, "with a format that numbers its arguments", pc);
      return;
    }
    s += strspn(s, "#0- +'I");
    if (*s == '*') (void)va_arg(*args, int), s++;
    s += strspn(s, "0123456789");
    if (*s == '.') {
      int given = s[1] == '*' ? va_arg(*args, int) : atoi(s + 1);
      if (given >= 0) most = (size_t)given;
      s += 1 + (s[1] == '*');
      s += strspn(s, "-0123456789");
    }
    for (; *s && strchr("hlqjzZtL", *s); s++) {
      longs += strchr("lqjzZt", *s) != NULL;
      wide |= *s == 'L';
    }
    switch (*s) {
    case 0: return;
    case '%':
    case 'm': break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
    case 'c':
    case 'C':
      if (longs || wide)
        (void)va_arg(*args, long);
      else
        (void)va_arg(*args, int);
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      if (wide)
        (void)va_arg(*args, long double);
      else
        (void)va_arg(*args, double);
      break;
    case 'p': (void)va_arg(*args, void *); break;
    case 's': {
      const char *at = va_arg(*args, const char *);
      if (longs)
        refuse_shared(name, (uintptr_t)at, pc);
      else
        reads_string(at, most, pc, slot);
      break;
    }
    case 'S':
    case 'n': refuse_shared(name, (uintptr_t)va_arg(*args, void *), pc); break;
    default: refuse(name, "with a format that is not known", pc); return;
    }
    s++;
  }
}

static void reads_formatted(const char *name, const char *format, va_list args, uintptr_t pc, void **slot) {
  va_list again;
  va_copy(again, args);
  reads_arguments(name, format, &again, pc, slot);
  va_end(again);
}

/* Into at most `size` bytes. */
static int print(const char *name, char *to, size_t size, const char *format, va_list args, uintptr_t pc, void **slot) {
  enum { KEPT_MOST = 4096 };
  char kept[KEPT_MOST];
  va_list again;
  reads_formatted(name, format, args, pc, slot);
  if (!size || is_private((uintptr_t)to)) return vsnprintf(to, size, format, args);
  va_copy(again, args);
  int length = vsnprintf(kept, sizeof kept, format, again);
  va_end(again);
  if (length < 0) return length;
  size_t written = (size_t)length < size ? (size_t)length + 1 : size;
  if (written > sizeof kept) {
    plain_access(to, written, true, pc, slot);
    return vsnprintf(to, size, format, args);
  }
  kept[written - 1] = 0;
  plain_access(to, written, true, pc, slot);
  memcpy(to, kept, written);
  return length;
}

#define WITH_ARGS(call) \
  va_list args; \
  va_start(args, format); \
  int result = call; \
  va_end(args); \
  SPIN_LAND(CALLER, result); \
  return result;
#define LANDS(T, call) \
  T result = call; \
  SPIN_LAND(CALLER, result); \
  return result;
#define UNBOUNDED ((size_t)1 << 30)

WRAPPED int WRAP(sprintf)(char *, const char *, ...);
int WRAP(sprintf)(char *to, const char *format,
                  ...){WITH_ARGS(print("sprintf", to, UNBOUNDED, format, args, CALLER, SPIN_SLOT))} WRAPPED
    int WRAP(snprintf)(char *, size_t, const char *, ...);
int WRAP(snprintf)(char *to, size_t size, const char *format,
                   ...){WITH_ARGS(print("snprintf", to, size, format, args, CALLER, SPIN_SLOT))} WRAPPED
    int WRAP(vsprintf)(char *, const char *, va_list);
int WRAP(vsprintf)(char *to, const char *format,
                   va_list args){LANDS(int, print("vsprintf", to, UNBOUNDED, format, args, CALLER, SPIN_SLOT))} WRAPPED
    int WRAP(vsnprintf)(char *, size_t, const char *, va_list);
int WRAP(vsnprintf)(char *to, size_t size, const char *format,
                    va_list args){LANDS(int, print("vsnprintf", to, size, format, args, CALLER, SPIN_SLOT))} WRAPPED
    int WRAP(__sprintf_chk)(char *, int, size_t, const char *, ...);
int WRAP(__sprintf_chk)(char *to, int flag, size_t room, const char *format, ...) {
  (void)flag, (void)room;
  WITH_ARGS(print("sprintf", to, UNBOUNDED, format, args, CALLER, SPIN_SLOT))
}
WRAPPED int WRAP(__snprintf_chk)(char *, size_t, int, size_t, const char *, ...);
int WRAP(__snprintf_chk)(char *to, size_t size, int flag, size_t room, const char *format, ...) {
  (void)flag, (void)room;
  WITH_ARGS(print("snprintf", to, size, format, args, CALLER, SPIN_SLOT))
}
WRAPPED int WRAP(__vsprintf_chk)(char *, int, size_t, const char *, va_list);
int WRAP(__vsprintf_chk)(char *to, int flag, size_t room, const char *format, va_list args) {
  (void)flag, (void)room;
  LANDS(int, print("vsprintf", to, UNBOUNDED, format, args, CALLER, SPIN_SLOT))
}
WRAPPED int WRAP(__vsnprintf_chk)(char *, size_t, int, size_t, const char *, va_list);
int WRAP(__vsnprintf_chk)(char *to, size_t size, int flag, size_t room, const char *format, va_list args) {
  (void)flag, (void)room;
  LANDS(int, print("vsnprintf", to, size, format, args, CALLER, SPIN_SLOT))
}

/* scanf writes wherever its arguments lead, each as long as its conversion says. */
static int scan(const char *name, const char *from, const char *format, va_list args, uintptr_t pc, void **slot) {
  va_list again;
  reads_string(format, SIZE_MAX, pc, slot);
  reads_string(from, SIZE_MAX, pc, slot);
  va_copy(again, args);
  for (const char *s = strchr(format, '%'); s; s = strchr(s, '%')) {
    s++;
    if (s[strspn(s, "0123456789")] == '$') refuse(name, "with a format that numbers its arguments", pc);
    if (*s == '%' || *s == '*') {
      s++;
      continue;
    }
    refuse_shared(name, (uintptr_t)va_arg(again, void *), pc);
  }
  va_end(again);
  return vsscanf(from, format, args);
}
#define SCAN(name) \
  WRAPPED int WRAP(name)(const char *, const char *, ...); \
  int WRAP(name)(const char *from, const char *format, ...) { \
    WITH_ARGS(scan("sscanf", from, format, args, CALLER, SPIN_SLOT)) \
  }
SCAN(sscanf)
SCAN(__isoc99_sscanf)
SCAN(__isoc23_sscanf)
#define SCAN_ARGS(name) \
  WRAPPED int WRAP(name)(const char *, const char *, va_list); \
  int WRAP(name)(const char *from, const char *format, va_list args) { \
    LANDS(int, scan("vsscanf", from, format, args, CALLER, SPIN_SLOT)) \
  }
SCAN_ARGS(vsscanf)
SCAN_ARGS(__isoc99_vsscanf)
SCAN_ARGS(__isoc23_vsscanf)

/* Numbers: up to the first byte that is none; where that is, is written. */
#define NUMBER(name, T, real) \
  WRAPPED T WRAP(name)(const char *, char **, int); \
  T WRAP(name)(const char *from, char **end, int base) { \
    char *stop; \
    (void)real(from, &stop, base); \
    plain_access(from, (size_t)(stop - from) + 1, false, CALLER, SPIN_SLOT); \
    T result = real(from, &stop, base); \
    if (end) { \
      plain_access(end, sizeof *end, true, CALLER, SPIN_SLOT); \
      *end = stop; \
    } \
    SPIN_LAND(CALLER, result); \
    return result; \
  }
#define FLOATING(name, T) \
  WRAPPED T WRAP(name)(const char *, char **); \
  T WRAP(name)(const char *from, char **end) { \
    char *stop; \
    (void)name(from, &stop); \
    plain_access(from, (size_t)(stop - from) + 1, false, CALLER, SPIN_SLOT); \
    T result = name(from, &stop); \
    if (end) { \
      plain_access(end, sizeof *end, true, CALLER, SPIN_SLOT); \
      *end = stop; \
    } \
    SPIN_LAND(CALLER, 0); \
    return result; \
  }
NUMBER(strtol, long, strtol)
NUMBER(strtoll, long long, strtoll)
NUMBER(strtoul, unsigned long, strtoul)
NUMBER(strtoull, unsigned long long, strtoull)
NUMBER(__isoc23_strtol, long, strtol)
NUMBER(__isoc23_strtoll, long long, strtoll)
NUMBER(__isoc23_strtoul, unsigned long, strtoul)
NUMBER(__isoc23_strtoull, unsigned long long, strtoull)
FLOATING(strtod, double)
FLOATING(strtof, float)
FLOATING(strtold, long double)
#define TEN(name, T, real) \
  WRAPPED T WRAP(name)(const char *); \
  T WRAP(name)(const char *from) { \
    char *stop; \
    (void)real; \
    plain_access(from, (size_t)(stop - from) + 1, false, CALLER, SPIN_SLOT); \
    T result = (T)real; \
    SPIN_LAND(CALLER, 0); \
    return result; \
  }
TEN(atoi, int, strtol(from, &stop, 10))
TEN(atol, long, strtol(from, &stop, 10))
TEN(atoll, long long, strtoll(from, &stop, 10))
TEN(atof, double, strtod(from, &stop))

/* Strings, as far as they are looked at. */
#define SPAN(name) \
  WRAPPED size_t WRAP(name)(const char *, const char *); \
  size_t WRAP(name)(const char *in, const char *set) { \
    reads_string(set, SIZE_MAX, CALLER, SPIN_SLOT); \
    plain_access(in, name(in, set) + 1, false, CALLER, SPIN_SLOT); \
    LANDS(size_t, name(in, set)) \
  }
SPAN(strspn)
SPAN(strcspn)
WRAPPED char *WRAP(strpbrk)(const char *, const char *);
char *WRAP(strpbrk)(const char *in, const char *set) {
  reads_string(set, SIZE_MAX, CALLER, SPIN_SLOT);
  plain_access(in, strcspn(in, set) + 1, false, CALLER, SPIN_SLOT);
  LANDS(char *, strpbrk(in, set))
}
static int compare_folded(const char *a, const char *b, size_t most, uintptr_t pc, void **slot) {
  size_t size = 0;
  while (size < most && a[size] && !strncasecmp(a + size, b + size, 1)) size++;
  size += size < most;
  plain_access(a, size, false, pc, slot);
  plain_access(b, size, false, pc, slot);
  return strncasecmp(a, b, most);
}
WRAPPED int WRAP(strcasecmp)(const char *, const char *);
int WRAP(strcasecmp)(const char *a,
                     const char *b){LANDS(int, compare_folded(a, b, SIZE_MAX, CALLER, SPIN_SLOT))} WRAPPED
    int WRAP(strncasecmp)(const char *, const char *, size_t);
int WRAP(strncasecmp)(const char *a, const char *b, size_t most) {
  LANDS(int, compare_folded(a, b, most, CALLER, SPIN_SLOT))
}

/* What is sorted is written; others that come in between race with that. Where accesses are points, they need not. */
/* Where accesses are points: what is sorted is read, word by word, sorted on the stack, and written back. */
enum { SORTED_MOST = 4096 };
static void sort_copy(char *at, size_t count, size_t size, int (*compare)(const void *, const void *), uintptr_t pc,
                      void **slot) {
  _Alignas(max_align_t) char kept[SORTED_MOST];
  size_t bytes = count * size;
  for (int write = 0; write <= 1; write++) {
    for (size_t n = 0, k; n < bytes; n += k) {
      k = 8 - ((uintptr_t)(at + n) & 7);
      if (k > bytes - n) k = bytes - n;
      plain_access(at + n, k, write, pc, slot);
      memcpy(write ? at + n : kept + n, write ? kept + n : at + n, k);
    }
    if (!write) qsort(kept, count, size, compare);
  }
}

WRAPPED void WRAP(qsort)(void *, size_t, size_t, int (*)(const void *, const void *));
void WRAP(qsort)(void *at, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  if (count < 2 || !size) return;
  if (!options.races || options.type_stable) {
    if (count > SORTED_MOST / size) refuse_shared("qsort", (uintptr_t)at, CALLER);
    sort_copy(at, count, size, compare, CALLER, SPIN_SLOT);
  } else {
    plain_access(at, count * size, true, CALLER, SPIN_SLOT);
    qsort(at, count, size, compare);
  }
  SPIN_LAND(CALLER, 0);
}

/* Others: refused, if one of the last arguments here leads to memory that is not private. */
#define REFUSED(T, name, parameters, arguments, ...) \
  WRAPPED T WRAP(name) parameters; \
  T WRAP(name) parameters { \
    const void *const given[] = {__VA_ARGS__}; \
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) refuse_shared(#name, (uintptr_t)given[i], CALLER); \
    LANDS(T, name arguments) \
  }
REFUSED(char *, strtok, (char *s, const char *set), (s, set), s, set)
REFUSED(char *, strtok_r, (char *s, const char *set, char **rest), (s, set, rest), s, set, rest)
REFUSED(char *, strsep, (char **s, const char *set), (s, set), s, set)
REFUSED(char *, strcasestr, (const char *s, const char *what), (s, what), s, what)
REFUSED(int, strcoll, (const char *a, const char *b), (a, b), a, b)
REFUSED(size_t, strxfrm, (char *to, const char *from, size_t size), (to, from, size), to, from)
REFUSED(char *, stpncpy, (char *to, const char *from, size_t size), (to, from, size), to, from)
REFUSED(char *, strchrnul, (const char *s, int c), (s, c), s)
REFUSED(void *, memrchr, (const void *s, int c, size_t size), (s, c, size), s)
REFUSED(void *, rawmemchr, (const void *s, int c), (s, c), s)
REFUSED(void *, memmem, (const void *in, size_t size, const void *what, size_t length), (in, size, what, length), in,
        what)
REFUSED(void *, memccpy, (void *to, const void *from, int c, size_t size), (to, from, c, size), to, from)
REFUSED(size_t, strftime, (char *to, size_t size, const char *format, const struct tm *t), (to, size, format, t), to,
        format, t)
REFUSED(struct tm *, gmtime_r, (const time_t *t, struct tm *to), (t, to), t, to)
REFUSED(struct tm *, localtime_r, (const time_t *t, struct tm *to), (t, to), t, to)
REFUSED(int, rand_r, (unsigned *seed), (seed), seed)
REFUSED(char *, fgets, (char *to, int size, FILE *from), (to, size, from), to)
REFUSED(size_t, fread, (void *to, size_t size, size_t count, FILE *from), (to, size, count, from), to)
REFUSED(size_t, wcslen, (const wchar_t *s), (s), s)
REFUSED(wchar_t *, wcscpy, (wchar_t * to, const wchar_t *from), (to, from), to, from)
REFUSED(wchar_t *, wcsncpy, (wchar_t * to, const wchar_t *from, size_t size), (to, from, size), to, from)
REFUSED(wchar_t *, wcscat, (wchar_t * to, const wchar_t *from), (to, from), to, from)
REFUSED(int, wcscmp, (const wchar_t *a, const wchar_t *b), (a, b), a, b)
REFUSED(wchar_t *, wmemcpy, (wchar_t * to, const wchar_t *from, size_t size), (to, from, size), to, from)
REFUSED(wchar_t *, wmemmove, (wchar_t * to, const wchar_t *from, size_t size), (to, from, size), to, from)
REFUSED(wchar_t *, wmemset, (wchar_t * to, wchar_t c, size_t size), (to, c, size), to)
REFUSED(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t size), (a, b, size), a, b)
