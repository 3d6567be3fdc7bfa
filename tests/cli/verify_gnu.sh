#!/bin/bash
# What GNU C adds to C: each with a use that is right and one that is wrong, so that reading it past would show.
. "$(dirname "$0")/common"

# object CONDITION [BEFORE]: a counter that counts only where the condition is true.
object() {
  cat >o.c <<END
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic int count;
static int zero, one = 1;
${2-}
static void inc(void) {
  if ($1) atomic_fetch_add(&count, 1);
}
static int get(void) { return atomic_load(&count); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
}
true_for() { object "$@"; run 0 "$asif" verify o.c --ops 2 --races no; }
false_for() { object "$@"; run 1 "$asif" verify o.c --ops 2 --races no; }
refused() { # SAID CONDITION [BEFORE]
  object "${@:2}"
  run 2 "$asif" verify o.c; warns "$1"
}

# Statements used as expressions: values, scopes, jumps out of them, each evaluated once.
true_for '({ int x = 3; x++; x; }) == 4 && ({ 1; 2; }) == 2'
false_for '({ int x = 3; x++; x; }) == 3'
true_for 'f(0) == 7 && f(1) == 1' 'static int f(int x) { int y = ({ if (x) return 1; 3; }); return y + 4; }'
true_for 'f() == 3' 'static int f(void) { int n = 0; for (int i = 0; i < 9; i++) n += ({ if (i == 3) break; 1; }); return n; }'
true_for '(n = 6, MAX(n++, 5) == 6 && n == 7)' '#define MAX(a, b) ({ __typeof__(a) a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
static __thread int n;'
false_for 'SUM' '#define SUM ({ struct { int a, b; } s = {1, 2}; s; }).b == 1'
true_for 'SUM' '#define SUM ({ struct { int a, b; } s = {1, 2}; s; }).b == 2'
refused 'a label in a statement that is used as an expression is outside' '({ l: 1; })'

# a ?: b
true_for '(calls = 0, (f() ?: 9) == 2 && (zero ?: 9) == 9 && calls == 1)' 'static __thread int calls; static int f(void) { return ++calls + 1; }'
false_for '(one ?: 9) == 9'

# A pointer to void moves by bytes.
bytes='#include <stddef.h>
struct s { int a; short b; char c[4]; };
static struct s s = {1, 2, {3, 4, 5, 6}};
static const void *const behind = (void *)&s + 4;
static struct s *around(void *c) { return c - offsetof(struct s, c); }
static int steps(void) { void *p = &s; p += 6; p -= 2; p++; --p; return *(short *)p; }
static int walks(void) { int n = 0; for (void *p = s.c, *end = 4 + p; p < end; p += 2) n = n * 10 + *(char *)p; return n; }'
true_for 'around(s.c)->b == 2 && *(const short *)behind == 2 && behind - (void *)&s == 4' "$bytes"
true_for 'steps() == 2 && walks() == 35' "$bytes"
true_for 'f(&one) == 4' 'static int f(void *p) { void *_Atomic q = p; q += 5; q--; return q - p; }'
false_for 'behind - (void *)&s == 1' "$bytes"
false_for 'walks() == 3456' "$bytes"
refused "arithmetic on a pointer to 'struct t', which is incomplete here" 'f(0)' 'struct t; static struct t *f(struct t *p) { return p + 1; }'

# Ranges of cases, at both ends.
range='static int f(int x) { switch (x) { case -3 ... -1: return 1; case 5: return 2; case 6 ... 8: return 3; default: return 4; } }
static int g(unsigned x) { switch (x) { case 0xfffffff0 ... 0xffffffff: return 1; default: return 0; } }'
true_for 'f(-4) == 4 && f(-3) == 1 && f(-1) == 1 && f(0) == 4 && f(5) == 2 && f(6) == 3 && f(8) == 3 && f(9) == 4 && g(-1) && !g(0)' "$range"
false_for 'f(9) == 3' "$range"
refused 'case 3 appears twice' 'f(1)' 'static int f(int x) { switch (x) { case 1 ... 4: return 1; case 3: return 2; } return 0; }'

# cleanup: where a scope ends, in whatever way, the latest first; what is returned is taken before.
clean='static __thread int log;
static void end(int *p) { log = log * 10 + *p; *p = 0; }
#define ENDS __attribute__((cleanup(end)))
static int ret(void) { log = 0; int a ENDS = 1, b ENDS = 2; return a + b; }
static int jumps(int n) {
  log = 0;
  for (int i = 0; i < 3; i++) { int a ENDS = i + 1; if (i == n) break; if (i == 1) continue; { int b ENDS = 9; (void)b; } }
  return log;
}
static int back(void) { int n = 0; log = 0; again:; { int a ENDS = 5; if (n++ < 2) goto again; } return log; }
static _Bool cond(int v) { int a ENDS = v; return a; }'
true_for 'ret() == 3 && log == 21' "$clean"
true_for 'jumps(0) == 1 && jumps(1) == 912 && jumps(9) == 912 * 100 + 93' "$clean"
true_for 'back() == 555 && cond(1) && !cond(0)' "$clean"
false_for 'ret() == 3 && log == 12' "$clean"
refused 'a goto past the declaration of a variable with a cleanup is outside' 'f()' "$clean
static int f(void) { if (one) goto out; int a ENDS = 1; (void)a; out: return 1; }"

# Assembly that only holds the compiler back; all other is refused where it is reached.
true_for 'f()' 'static int f(void) { int x = 1; asm volatile("" ::: "memory"); __asm__ __volatile__("rep; nop"); asm("pause"); asm("" : "+r"(x)); asm volatile("mfence" ::: "memory"); return x; }'
refused 'inline assembly is outside' 'f()' 'static int f(void) { int x; asm("mov $1, %0" : "=r"(x)); return x; }'
refused 'inline assembly is outside' 'f()' 'static int f(void) { int x; asm("" : "=r"(x)); return x; }'
true_for 1 'static int f(void) { int x; asm("mov $1, %0" : "=r"(x)); return x; } asm(".globl f");'

# Parameters that are transparent unions take what any member does: the attribute is of the union, or of the name that a typedef gives it.
any='struct a { int x; };
typedef union { int *i; const struct a *a; void *v; } __attribute__((transparent_union)) any;
typedef union { struct a *a; long *l; } late __attribute__((__transparent_union__));
static int number(any p) { return *p.i; }
static int inside(const any p) { return p.a->x; }
static int is_null(any p, int n) { return !p.v + n; }
static int behind(late p) { return (int)*p.l; }
static int seven = 7; static struct a eight = {8}; static long nine = 9; static any ten = {&seven};'
true_for 'number(&seven) == 7 && number(ten) == 7 && inside(&eight) == 8 && is_null(0, 1) == 2 && is_null(&nine, 1) == 1 && behind(&nine) == 9' "$any"
true_for 'by(&eight) == 8' "$any
static int (*by)(any) = inside;"
false_for 'inside(&eight) == 7' "$any"
false_for 'is_null(&nine, 1) == 2' "$any"
refused "'int *' given to a parameter of type 'union'" 'behind(&seven)' "$any"
refused "'int *' given to a parameter of type 'union u'" 'f(&one)' 'union u { int *i; long *l; }; static int f(union u x) { return *x.i; }'

# All numbers of <errno.h> are the system's, and errno is each thread's own.
true_for '(errno = ENOSPC, errno == 28) && ENOBUFS == 105 && EDQUOT == 122 && EWOULDBLOCK == EAGAIN && E2BIG == 7 && ERANGE == 34' '#include <errno.h>'
false_for 'ENOBUFS == ENOSPC' '#include <errno.h>'

# What types say of themselves.
true_for '__builtin_types_compatible_p(int, const int) && !__builtin_types_compatible_p(int, long) && __builtin_choose_expr(sizeof(int) == 4, 1, nothing())' 'int nothing(void);'
false_for '__builtin_types_compatible_p(char, signed char)'

# A branch that a constant rules out need not be understood; unless a jump leads into it.
true_for 'f()' 'double d; int nothing(void); static int f(void) { if (sizeof(int) == 8) { d = d * 2; return 0; } return sizeof(long) == 8 ? 1 : nothing(); } int nothing(void);'
refused 'sprintf is outside' 'f()' '#include <stdio.h>
char c[9]; static int f(void) { switch (one) { case 0: if (0) { case 1: sprintf(c, "x"); } } return 1; }'

# float and double are copied, whole, and computed with; a long double is not.
true_for 'f()' 'struct s { double d; float f; int i; }; static struct s a = {0, 2, 3}, b; static int f(void) { struct s t = a; b = t; double d = b.d; b.d = d; return b.i == 3; }'
true_for 'f()' 'static double d; static int f(void) { d += 1; return d > 0.5 && d ? 1 : 0; }'
refused 'long double is outside' 'f()' 'static long double a, b; static int f(void) { a = b; return 1; }'

# Strings are arrays that nobody writes.
true_for 's[1] == 98 && !s[2] && "xy"[0] == 120 && sizeof "abc" == 4' 'static const char *s = "ab";'
false_for '*(char *)s = 1' 'static const char *s = "ab";'

# Functions declared in functions, and without their parameters.
true_for '({ int f(int); f(3); }) == 4' 'int f(int x) { return x + 1; }'
true_for 'g(2) == 3' 'int f(); static int g(int x) { return f(x); } int f(int x) { return x + 1; }'
refused 'f takes 1 argument, not 2' 'g(2) == 3' 'int f(); static int g(int x) { return f(x, x); } int f(int x) { return x + 1; }'
refused 'an argument of another type' 'g(2) == 3' 'int f(); static int g(int x) { return f(x); } int f(long x) { return x + 1; }'

# A label that is gone with what cannot be read: that is said.
lost='static int g; static float x; static int *p;
static int h(void) { if (g) goto out; if (p == &x) { g = 0; } else { out: return 1; } return 0; }'
refused "'int *' compared with 'float *'" 'h()' "$lost"
refused "there is no label nowhere" "h()" "static int h(void) { goto nowhere; return 0; }"

# What the system's headers declare is known; what it does is not, where it is reached.
true_for 1 '#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/socket.h>
static double root(double x) { printf("%f", x); return sqrt(x); }'
refused 'getppid is outside the C that verify reads' 'getppid()' '#include <unistd.h>'

# A compound literal is a variable of the block around it, with an address.
literal='struct s { int a, b; };
static int sum(const struct s *s) { return s->a + s->b; }
static int each(void) { int n = 0; for (int i = 0; i < 3; i++) { int *p = &(int){i}; *p += 1; n += *p; } return n; }'
true_for 'sum(&(struct s){1, 2}) == 3 && (int[]){4, 5}[1] == 5 && ((struct s){.b = 2}).b == 2 && each() == 6' "$literal"
true_for '(one ? &(struct s){1, 2} : 0)->b == 2' "$literal"
false_for 'sum(&(struct s){.b = 2}) == 3' "$literal"
false_for '*({ int *p; { p = &(int){1}; } p; })' "$literal"

# Jumps into blocks and past declarations: what is declared there is there, and not set.
cat >jumps.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int n;
static void set(int *at, int v) { *at = v; }
static int into(int way) {
  int sum = 0;
  if (way) goto inside;
  for (int i = 0; i < 2; i++) {
    int kept = 5, array[3] = {1, 2, 3};
    sum += array[i] + kept;
    if (0) {
      int other;
    inside:
      i = 7;
      set(&array[way], 10);
      set(&other, 100);
      kept = 1;
      sum += other + array[way];
    }
    sum += kept;
  }
  return sum;
}
static int back(int rounds) {
  int count = 0;
  {
    int block;
  again:
    set(&block, count);
    count = block + 1;
  }
  int after;
  set(&after, count);
  if (after < rounds) goto again;
  return count;
}
static int past(int way) {
  if (way) goto end;
  int value = 3;
  set(&value, 4);
  return value;
end:
#ifdef UNSET
  if (UNSET) return 1;
#endif
  set(&value, 6);
  return value;
}
static int fetch_add(void) {
  assert(into(0) == 1 + 5 + 5 + 2 + 5 + 5);
  assert(into(1) == 100 + 10 + 1);
  assert(into(2) == 100 + 10 + 1);
  assert(back(1) == 1 && back(3) == 3);
  assert(past(0) == 4 && past(1) == 6);
  return atomic_fetch_add(&n, 1);
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
run 0 "$asif" verify jumps.c
run 1 "$asif" verify jumps.c -- -DUNSET=value; says 'a value is used that was never set'
sed 's/if (0) {/ASIF_ATOMIC {/' jumps.c >into_atomic.c
run 2 "$asif" verify into_atomic.c; warns 'a goto into ASIF_ATOMIC'

# Nothing has set a variable whose declaration a jump out of an expression or to a case goes past, whatever it was before.
jump() { # STATUS STATEMENTS
  cat >jump.c <<END_OF_C
#include <asif.h>
static int rd(void) { int r = 0; $2 return r - r; }
ASIF_OBJECT(counter)
ASIF_OP_AS(read, rd)
END_OF_C
  run "$1" "$asif" verify jump.c
}
for use in 'y = a;' 'int *p = &y; *p = a;'; do
  jump 2 "for (int i = 0; i < 2; i++) { int a = ({ if (i == 1) goto out; 3; }); int y; $use r += y; continue; out: r += y; }"
  warns 'a goto out of an expression past a declaration is outside'
done
jump 0 'int y = 1; for (int i = 0; i < 2; i++) { r += ({ if (i == 1) goto out; 3; }); } out: r += y;'
for cases in 'case 0: y = 1; break; default: r += y;' 'case 0: y = 1; break; case 1: r += y;' 'case 0: y = 1; break; if (0) { case 1: r += y; }'; do
  jump 1 "for (int i = 0; i < 2; i++) switch (i) { int y; $cases }"; says 'a value is used that was never set'
  jump 1 "r = ({ int z = 0; for (int i = 0; i < 2; i++) switch (i) { int y = 5; $cases } z; });"; says 'a value is used that was never set'
done
jump 1 'for (int i = 0; i < 2; i++) switch (i) { struct { int a, b; } y; case 0: y.a = y.b = 1; break; default: r += y.b; }'
jump 0 'for (int i = 0; i < 2; i++) switch (i) { int y; case 0: y = 1; if (0) case 1: y = 3; case 2: r += y; }'
jump 0 'for (int i = 0; i < 2; i++) switch (i) { static int y; default: r += y; }'
