#!/bin/bash
# Functions of <string.h>, <ctype.h> and <stdlib.h> that asif verify has models of: they do what the C library's do.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
cat >f.c <<'E2'
#include <asif.h>
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
static int compared;
static int by_number(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  compared++;
  return (x > y) - (x < y);
}
struct pair { char key; short at; };
static int by_key(const void *a, const void *b) { return ((const struct pair *)a)->key - ((const struct pair *)b)->key; }
static int sign(int x) { return (x > 0) - (x < 0); }
static void strings(void) {
  char a[8] = "abc", b[16], dirty[8];
  assert(strlen("") == 0 && strlen("abc") == 3 && strnlen("abc", 2) == 2 && strnlen("abc", 9) == 3);
  assert(strcmp("abc", "abc") == 0 && sign(strcmp("abc", "abd")) == -1 && sign(strcmp("abc", "ab")) == 1);
  assert(sign(strcmp("\xff", "a")) == 1 && strncmp("abc", "abd", 2) == 0 && sign(strncmp("abc", "abd", 3)) == -1);
  assert(strncmp("a", "a\0b", 3) == 0 && strncmp("x", "y", 0) == 0);
  assert(strcpy(b, a) == b && !strcmp(b, "abc") && strcat(b, "de") == b && !strcmp(b, "abcde"));
  assert(stpcpy(b, "xy") == b + 2 && !memcmp(b, "xy", 3) && strncat(b, "12345", 2) == b && !strcmp(b, "xy12"));
  memset(dirty, 'z', sizeof dirty);
  assert(strncpy(dirty, "ab", 5) == dirty && !memcmp(dirty, "ab\0\0\0zzz", 8));
  assert(strncpy(dirty, "abcdefgh", 2) == dirty && !memcmp(dirty, "ab\0", 3));
  assert(strchr(a, 'b') == a + 1 && strchr(a, 'z') == NULL && strchr(a, 0) == a + 3);
  assert(strrchr("xyx", 'x')[0] == 'x' && strlen(strrchr("xyx", 'x')) == 1 && strrchr(a, 'q') == NULL);
  assert(strstr(a, "bc") == a + 1 && strstr(a, "") == a && strstr(a, "bd") == NULL && strstr("", "a") == NULL);
  assert(memchr(a, 'c', 3) == a + 2 && memchr(a, 'c', 2) == NULL && memchr("\xe9", 0xe9, 1) != NULL);
  char *s = strdup(a), *t = strndup("abcdef", 4), *u = strndup("ab", 4);
  assert(s != a && !strcmp(s, a) && !strcmp(t, "abcd") && !strcmp(u, "ab"));
  free(s), free(t), free(u);
}
static void characters(void) {
  for (int c = -1; c < 256; c++) {
    int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
    assert(!isalpha(c) == !letter && !isdigit(c) == !digit && !isalnum(c) == !(letter || digit));
    assert(!isspace(c) == !(c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'));
    assert(!isprint(c) == !(c >= 32 && c < 127) && !iscntrl(c) == !((c >= 0 && c < 32) || c == 127));
    assert(!ispunct(c) == !(c > 32 && c < 127 && !letter && !digit) && !isgraph(c) == !(c > 32 && c < 127));
    assert(!isblank(c) == !(c == ' ' || c == '\t') && !isupper(c) == !(c >= 'A' && c <= 'Z'));
    assert(!isxdigit(c) == !(digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
  }
  assert(tolower('Q') == 'q' && tolower('q') == 'q' && tolower('[') == '[' && toupper('q') == 'Q' && toupper('1') == '1');
}
static void sorted(void) {
  int n[] = {5, 3, 9, 1, 3, 7}, key = 7, none = 4;
  qsort(n, sizeof n / sizeof *n, sizeof *n, by_number);
  for (unsigned i = 1; i < sizeof n / sizeof *n; i++) assert(n[i - 1] <= n[i]);
  assert(*(int *)bsearch(&key, n, 6, sizeof *n, by_number) == 7 && bsearch(&none, n, 6, sizeof *n, by_number) == NULL);
  assert(bsearch(&key, n, 0, sizeof *n, by_number) == NULL && compared);
  struct pair p[] = {{'b', 1}, {'a', 2}, {'b', 3}, {'a', 4}};
  qsort(p, 4, sizeof *p, by_key);
  assert(p[0].key == 'a' && p[0].at == 2 && p[1].at == 4 && p[2].key == 'b' && p[2].at == 1 && p[3].at == 3);
  const char *names[] = {"c", "a", "b"};
  qsort(names, 0, sizeof *names, by_key);
  assert(*names[0] == 'c');
}
static int f(void) {
  ASIF_ATOMIC { strings(); characters(); sorted(); }
  return 0;
}
ASIF_OBJECT(register(0))
ASIF_OP_AS(read, f)
E2
run 0 "$asif" verify f.c -n 1
has test && run 0 "$asif" test f.c -n 1

# What is read of a string has to be there.
object() {
  { printf '#include <asif.h>\n#include <string.h>\n#include <stdlib.h>\nstatic char text[4] = "abc";\n'; cat; printf 'ASIF_OBJECT(register(0))\nASIF_OP_AS(read, f)\n'; } >o.c
}
object <<<'static int f(void) { char s[2] = {1, 2}; return strlen(s) == 0; }'
run 1 "$asif" verify o.c -n 1; says 'out of bounds'
object <<<'static int f(void) { char s[4]; return strcmp(s, "a") == 0; }'
run 1 "$asif" verify o.c -n 1; says 'never set'
object <<<'static int f(void) { char s[3]; strcpy(s, "abc"); return 0; }'
run 1 "$asif" verify o.c -n 1; says 'out of bounds'

# A string that another thread writes is a race, and a byte at a time is read.
object <<<'static int f(void) { text[1] = 0; return 0; }
static int g(void) { return strlen(text) == 7; }
ASIF_OP_AS(read, g)'
run 1 "$asif" verify o.c -n 2; says 'violated: data race'
has test && { run 1 "$asif" test o.c -n 2 --ops 1; says 'data race'; }

# A file's own function is the one that counts.
object <<<'static int calls;
size_t strlen(const char *s) { calls++; return *s ? 41 : 42; }
static int f(void) { return strlen(text) == 41 ? 0 : 1; }'
run 0 "$asif" verify o.c -n 1

cat >own.c <<'E2'
#include <stddef.h>
size_t strlen(const char *s) { (void)s; return 42; }
E2
object <<<'static int f(void) { return strlen(text) == 42 ? 0 : 1; }'
run 0 "$asif" verify o.c own.c -n 1
run 0 "$asif" verify own.c o.c -n 1
# Members may have these names.
object <<<'#include <stdio.h>
static size_t one(const char *s) { return *s == 1; }
static int five(char *to, size_t n, const char *format, ...) { return to ? (int)n : *format; }
static const struct { size_t (*strlen)(const char *); int (*snprintf)(char *, size_t, const char *, ...); int getpid; } own = {one, five, 3};
static int f(void) {
  size_t (*length)(const char *) = strlen;
  return own.strlen("\1") == 1 && own.snprintf(0, 0, "\5") == 5 && own.getpid == 3 && length(text) == 3 ? 0 : 1;
}'
run 0 "$asif" verify o.c -n 1

# In strict C, names of POSIX are the file's own.
object <<<'static size_t strnlen(const char *s, int most) { (void)s; return most; }
static int f(void) { return strnlen(text, 2) == 2 ? 0 : 1; }'
run 0 "$asif" verify o.c -n 1 -- -std=c11

# What is printed is not looked at, and what is printed into a buffer may be any text that fits.
cat >log.c <<'E2'
#include <asif.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static atomic_int x;
static void vlog(FILE *to, const char *format, va_list list) { vfprintf(to, format, list); }
static void say(int level, const char *format, ...) {
  va_list list, other;
  char text[8];
  if (level < 1) return;
  va_start(list, format);
  va_copy(other, list);
  vlog(stderr, format, list);
  vsnprintf(text, sizeof text, format, other);
  va_end(other);
  va_end(list);
  fputs(text, stderr);
}
static int f(void) {
  char name[4];
  int length = snprintf(name, sizeof name, "%d", x);
  say(1, "%s %d\n", name, length);
  return strlen(name) > 3 ? 9 : x;
}
#ifdef MORE
static int g(void) {
  char name[4];
  snprintf(name, 5, "%d", 1);
  return 0;
}
#elif defined TEXT
static int g(void) {
  char name[4];
  snprintf(name, 4, "%d", 7);
  return strcmp(name, "7") ? 9 : 0;
}
#elif defined TAKEN
static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int s = 0;
  while (count--) s += va_arg(list, int);
  va_end(list);
  return s;
}
static int g(void) { return sum(2, 0, 0); }
#endif
ASIF_OBJECT(register(0))
ASIF_OP_AS(read, f)
#if defined MORE || defined TEXT || defined TAKEN
ASIF_OP_AS(read, g)
#endif
E2
run 0 "$asif" verify log.c -o 2
has test && run 0 "$asif" test log.c -n 2
run 1 "$asif" verify log.c -- -DMORE; says 'out of bounds'
run 3 "$asif" verify log.c -- -DTEXT
run 2 "$asif" verify log.c -- -DTAKEN; warns '__builtin_va_arg is outside the C that verify reads'

# What the system says may be any number.
object <<<'#include <unistd.h>
static int cpus(void) { long n = sysconf(_SC_NPROCESSORS_ONLN); return n > 0 ? (int)(n > 100 ? 100 : 1) : 1; }
static int f(void) { return cpus() > 0 && getpid() != 0 ? 0 : WRONG; }'
run 0 "$asif" verify o.c -- -DWRONG=0
run 3 "$asif" verify o.c -- -DWRONG=9

# Elements of containers of pointers.
cat >p.c <<'E2'
#include <asif.h>
#include <stdatomic.h>
#include <stdbool.h>
static void *_Atomic slot;
static int put(int v) { void *none = NULL; return atomic_compare_exchange_strong(&slot, &none, asif_pointer(v)) ? ASIF_OK : ASIF_FULL; }
static int take(void) { return asif_number(atomic_exchange(&slot, NULL)); }
static int other(void) { static int x; return asif_number(&x) == -1 && asif_number(NULL) == ASIF_EMPTY && !asif_pointer(64) && !asif_pointer(-1) ? ASIF_EMPTY : 77; }
ASIF_OBJECT(bounded_queue(1))
ASIF_OP_AS(enq, put, ASIF_IN(0, 1))
ASIF_OP_AS(deq, take)
#ifdef OTHER
ASIF_OP_AS(deq, other)
#endif
E2
run 0 "$asif" verify p.c -n 2 -o 2
has test && run 0 "$asif" test p.c -n 2 -o 2
run 1 "$asif" verify p.c -n 1 -o 2 -- -DOTHER; says 'returned empty'
exit 0
