#!/bin/bash
# __int128, float and double, and arrays whose size is not constant: what verify computes with them, what is undefined,
# and that prove follows none of it.
. "$(dirname "$0")/common"

# object CONDITION [BEFORE]: a counter that counts only where the condition is true. one is 1, which only run time says.
object() {
  cat >o.c <<END
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
__extension__ typedef __int128 i128; __extension__ typedef unsigned __int128 u128;
static _Atomic int count;
static int one = 1;
${2-}
static void inc(void) {
  one = 1;
  if ($1) atomic_fetch_add(&count, 1);
}
static int get(void) { return atomic_load(&count); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
}
true_for() { object "$@"; run 0 "$asif" verify o.c -n 1 -o 2; }
undefined() { object "${@:2}"; run 1 "$asif" verify o.c -n 1 -o 2; says "$1"; }
unknown() { object "${@:2}"; run 3 "$asif" verify o.c -n 1 -o 2; says "$1"; }
refused() { object "${@:2}"; run 2 "$asif" verify o.c; warns "$1"; run 2 "$asif" prove o.c; }

# What prove would have to compute it names with the line, and proves nothing. Copies are only words.
stack_with() { # CONDITION [BEFORE]: a stack that only pushes where the condition is true
  cat >p.c <<END
#include <asif.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
__extension__ typedef __int128 i128; __extension__ typedef unsigned __int128 u128;
struct node { struct node *next; int v; double weight; };
static struct node *_Atomic top;
${2-}
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->v = v; n->weight = 1.5;
  n->next = atomic_load(&top);
  if ($1) while (!atomic_compare_exchange_strong(&top, &n->next, n)) {}
}
static int pop(void) {
  struct node *old = atomic_load(&top);
  while (old && !atomic_compare_exchange_strong(&top, &old, old->next)) {}
  return old ? old->v : INT_MIN;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
END
}
not_proved() { # WHAT CONDITION [BEFORE]
  stack_with "${@:2}"
  run 3 "$asif" prove p.c; says "Not proved: p.c:"; says "arithmetic on $1 is outside what prove follows"
}
stack_with 1
run 0 "$asif" prove p.c

# __int128 is an integer.
true_for 'sizeof(i128) == 16 && _Alignof(u128) == 16 && (i128)-one < 0 && (u128)-one > 0 && -(i128)one == -1'
true_for '((u128)one << 100) >> 99 == 2 && (i128)((u128)-one) >> 127 == -1 && (u128)-one >> 64 == UINT64_MAX'
true_for '(u128)UINT64_MAX * UINT64_MAX >> 64 == UINT64_MAX - 1 && (i128)INT64_MIN * INT64_MIN / INT64_MIN == INT64_MIN'
true_for '(int)((((i128)one << 90) + 12345) % 1000) == 569 && (uint8_t)((u128)-one) == 255 && !(_Bool)((u128)one << 64 >> 65)'
true_for '(_Bool)((u128)one << 64) && (((u128)one << 64) ? 1 : 0) && !!((u128)one << 90) && (((i128)one << 64) || 0)'
true_for '_Generic((i128)1 + 1u, i128: 1, default: 0) && _Generic((i128)1 + (u128)1, u128: 1, default: 0)'
true_for 'f((struct s){1, (i128)one << 70}).x == (i128)1 << 71 && table[1] == (i128)-3 * ((i128)1 << 64) && zero == 0' \
  'struct s { char c; i128 x; }; static struct s f(struct s s) { s.x *= 2; return s; }
static const i128 table[2] = {5, -((i128)3 << 64)}; static i128 zero;'
true_for '__builtin_types_compatible_p(__int128_t, i128) && sizeof(struct { char c; u128 x; char d; }) == 48'
true_for '__builtin_mul_overflow((long)one << 62, 2, &l) && l == INT64_MIN && !__builtin_mul_overflow(-1L, (unsigned long)one << 63, &l)' 'static long l;'
undefined 'overflow' '(((i128)one << 126) - 1 + ((i128)one << 126) + 1) > 0'
undefined 'overflow' '((i128)one << 126) * 2 > 0'
undefined 'overflow' '-(i128)((u128)one << 127) > 0'
undefined 'overflow' '(i128)((u128)one << 127) / -one > 0'
undefined 'by zero' '(u128)one / (u128)(one - 1) > 0'
undefined 'shift' '(u128)one << (128 * one)'
undefined 'shift' '(i128)-one << 1'
undefined 'never set' 'f() > 0' 'static i128 f(void) { i128 x; if (!one) x = 1; return x + one; }'
refused 'a switch on' 'f()' 'static int f(void) { switch ((i128)one) { case 1: return 1; } return 0; }'
not_proved "'__int128'" '(i128)v * 2 != 1'
not_proved "'__int128'" 'w >> 64 < 5' 'static u128 w;'
not_proved "'__int128'" '(u128)n->v' 

# Its halves hold what they are given: pointers too.
true_for 'f()' 'static int n = 7; static int f(void) {
  u128 w = (u128)(uintptr_t)&n | (u128)5 << 64; w += (u128)1 << 64; w ^= (u128)1 << 64;
  return *(int *)(uintptr_t)w == 7 && (uint64_t)(w >> 64) == 7 && (uintptr_t)w == (uintptr_t)&n && w >> 64 < 8; }'
true_for 'f()' 'static int n[4] = {7, 8, 9, 10}; union u { struct { int *p; uint64_t tag; }; u128 whole; };
static int f(void) {
  union u a = {.p = n, .tag = 3}, b; b.whole = a.whole; b.whole += sizeof(int);
  return *b.p == 8 && b.tag == 3 && a.whole < b.whole && a.whole != b.whole && b.whole - 4 == a.whole; }'

aligned='static _Alignas(16) uint64_t a[4]; static int f(int i) { u128 old = 0; return __sync_bool_compare_and_swap((u128 *)&a[i], old, old); }'
true_for 'f(2)' "$aligned"
undefined 'not aligned' 'f(1)' "$aligned"
true_for 'f()' 'struct __attribute__((packed)) s { char c; u128 x; }; static int f(void) { struct s s = {1, (u128)one << 65}, t = s; t.x++; return t.x == s.x + 1 && sizeof s == 17; }'

# A stack whose head and tag are exchanged at once, in three ways of writing it. Without the tag, memory that is used
# again is taken for what was there.
stack() { # LOAD CAS TAG
  cat >stack.c <<END
#include <asif.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node { struct node *next; int v; };
union head { struct { struct node *p; uint64_t tag; }; unsigned __int128 whole; _Atomic unsigned __int128 atomic; };
static union head top;
static bool cas(union head *old, union head now) { return $2; }
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->v = v;
  union head old, now;
  old.whole = $1;
  do n->next = old.p, now.p = n, now.tag = old.tag + $3;
  while (!cas(&old, now));
}
static int pop(void) {
  union head old, now;
  do {
    old.whole = $1;
    if (!old.p) return INT_MIN;
    now.p = old.p->next, now.tag = old.tag + $3;
  } while (!cas(&old, now));
  int v = old.p->v;
  free(old.p);
  return v;
}
ASIF_TYPE_STABLE()
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
END
}
builtin='__atomic_compare_exchange_n(&top.whole, &old->whole, now.whole, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)'
for cas in "$builtin" '__sync_bool_compare_and_swap(&top.whole, old->whole, now.whole)' \
  '__sync_bool_compare_and_swap_16(&top.whole, old->whole, now.whole)' \
  'atomic_compare_exchange_strong(&top.atomic, &old->whole, now.whole)'; do
  stack '__atomic_load_n(&top.whole, __ATOMIC_SEQ_CST)' "$cas" 1
  run 0 "$asif" verify stack.c -n 2 -o 2 --races no; says 'verdict: linearizable'
done
stack '__atomic_load_n(&top.whole, __ATOMIC_SEQ_CST)' "$builtin" 0
run 1 "$asif" verify stack.c -n 3 -o 2 --races no; says 'verdict: not linearizable'

# An atomic one is accessed as a whole, one that is not in two accesses.
register() { # TYPE
  cat >r.c <<END
#include <asif.h>
static $1 x;
static void put(int v) { x = (unsigned __int128)v << 64 | v; }
static int get(void) { unsigned __int128 y = x; return (int)y == (int)(y >> 64) ? (int)y : -1; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 2))
ASIF_OP_AS(read, get)
END
}
register '_Atomic unsigned __int128'
run 0 "$asif" verify r.c -n 3 -o 1
register 'unsigned __int128'
run 1 "$asif" verify r.c -n 2 -o 1 --races no; says 'verdict: not linearizable'
run 1 "$asif" verify r.c -n 2 -o 1; says 'race'
cat >add.c <<'END'
#include <asif.h>
static _Atomic __int128 a; static unsigned __int128 b; static _Atomic double d;
static void inc(void) { a++; __atomic_fetch_add(&b, (unsigned __int128)1 << 64, 5); d += 0.5; }
static int get(void) { return (int)a; }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
run 0 "$asif" verify add.c -n 2 -o 2

# Floating point.
true_for '0.1 + 0.2 != 0.3 && 0.1f + 0.2f == 0.3f && d / 3 * 3 == 1 && (float)16777217 == 16777216.0f' 'static double d = 1;'
true_for '-0.0 == 0 && !z && 1 / z < 0 && !(z ? 1 : 0) && (n != n) && !(n < 1) && !(n >= 1) && n' \
  'static double z = -0.0; static double nan_of(void) { return z / z; }
#define n nan_of()'
true_for '(int)-2.9 == -2 && (unsigned char)(255.9 * one) == 255 && (_Bool)(0.1 * one) && (uint64_t)(18446744073709549568.0 * one) == 18446744073709549568u'
true_for '(double)INT64_MAX == 9223372036854775808.0 && (double)(uint64_t)-one == 18446744073709551616.0 && (float)(uint64_t)(one + 0xfffffffff) == 68719476736.0f'
true_for 'f(2, 3).d == 1.5 && g == 1.25f && (g += one, g == 2.25f) && g++ == 2.25f && --g == 2.25f && (i = 7, i *= 1.5, i == 10)' \
  'struct s { float f; double d; }; static struct s f(int a, double b) { struct s s = {a, b / a}; return s; }
static float g = 5.0 / 4; static int i;'
true_for 'u.l == 0x3ff8000000000000 && f.u == 0xc0000000 && (u.d = 2, u.l >> 52 == 1024)' \
  'static union { double d; uint64_t l; } u = {1.5}; static union { float f; uint32_t u; } f = {-2};'
true_for 'sqrt(2 * one) == 0x1.6a09e667f3bcdp0 && fabs(-2.5) == 2.5 && floor(-2.5) == -3 && ceilf(2.5f) == 3 && __builtin_trunc(-2.5) == -2' '#include <math.h>'
undefined 'a conversion to an integer type that does not have the value' '(int)(2147483648.0 * one)'
undefined 'a conversion to an integer type that does not have the value' '(unsigned)(-1.0 * one)'
undefined 'a conversion to an integer type that does not have the value' '(long)(d / d)' 'static double d;'
undefined 'never set' 'f() > 0' 'static double f(void) { double x; if (!one) x = 1; return x + one; }'
refused "sin is outside" 'sin(one) > 0' '#include <math.h>'
refused "arithmetic on 'long double' is outside" 'x + one > 0' 'static long double x;'
refused 'this operator needs an integer' 'd % 2' 'static int d; 
#define d 1.5'
unknown 'a conversion of a number beyond the greatest float' '(float)(u128)-one > 0'
# Where the compiler may fuse operations, or does not follow IEEE 754, nothing is said.
object 'd * 3 + 1 < 2' 'static double d;'
for flag in -mfma -march=haswell -Ofast '-mavx512f -O2'; do
  # shellcheck disable=SC2086
  run 2 "$asif" verify o.c -- $flag; warns "floating point with ${flag% *}"
done
run 0 "$asif" verify o.c -n 1 -- -O2 -march=x86-64-v2
run 0 "$asif" verify o.c -n 1 -- -march=haswell -ffp-contract=off
not_proved 'floating point numbers' 'd < 1' 'static double d;'
not_proved 'floating point numbers' '!(int)d' 'static double d;'
not_proved 'floating point numbers' '(n->weight = v, 1)'
not_proved 'floating point numbers' '-d < 1' 'static float d;'

# An execution shows them as numbers.
undefined 'store d = 0.1' '(d = 0.1 * one, g = -2.5f, (int)(1e10 * one))' 'static double d; static float g;'
says 'store g = -2.5'

# Arrays whose size is not constant.
true_for 'f(3) == 3 * sizeof(int) + 12' 'static int f(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i * 4; n = 9; return (int)sizeof a + a[2] + a[1]; }'
true_for 'f(2) == 1 + 5 + 40' 'static long g(int n, int k, long m[n][k]) { return m[n - 1][k - 1] + m[0][1] + (long)sizeof *m; }
static long f(int n) { long m[n][n + 3]; for (int i = 0; i < n; i++) for (int k = 0; k < n + 3; k++) m[i][k] = i ? 5 : k; return g(n, n + 3, m); }'
true_for 'f(4)' 'static int f(int n) { typedef int row[n]; n = 1; row a, *p = &a; int (*q)[4] = p; return sizeof(row) == 16 && sizeof *p == 16 && p + 1 - p == 1 && q == p && sizeof(int[n + 1]) == 8; }'
true_for 'f(4)' 'static int f(int n) { int s = 0; for (int i = 1; i < n; i++) { int a[i]; a[i - 1] = i; s += (int)sizeof a; if (i == 3) break; } return s == 24; }'
true_for 'f(3)' 'static int f(int n) { int (*m)[n] = malloc(2 * sizeof *m); m[1][2] = 5; int r = m[1][2] == 5 && sizeof *m == 12; free(m); return r; }'
true_for 'f(3)' 'static int g(int, int [*], int [][*]); static int g(int n, int a[n], int b[static 1][n]) { return a[n - 1] + b[1][0]; }
static int f(int n) { int a[n], b[2][n]; a[n - 1] = 3; b[1][0] = 4; return g(n, a, b) == 7; }'
undefined 'an array of no elements, or fewer' 'f(0)' 'static int f(int n) { int a[n]; (void)a; return 1; }'
undefined 'an array of no elements, or fewer' 'f(-1)' 'static int f(int n) { int a[2][n]; (void)a; return 1; }'
undefined 'outside' 'f(2)' 'static int f(int n) { int a[n]; a[n] = 1; return 1; }'
undefined 'outside' 'f(2)' 'static int f(int n) { int a[n][n]; a[0][n] = 1; return 1; }'
undefined 'life has ended' 'f(2)' 'static int *g(int n) { int a[n]; int *p = a; a[0] = 1; return p; } static int f(int n) { return *g(n); }'
unknown 'an array of more than' 'f(1 << 24)' 'static int f(int n) { char a[n]; a[0] = 1; return a[0]; }'
refused 'a field whose size' 'f(1)' 'static int f(int n) { struct { int a[n]; } s; s.a[0] = 1; return 1; }'
stack_with 'f(1)' 'static int f(int n) { int a[n]; a[0] = n; return a[0]; }'
sed -i 's/f(1)/f(v)/' p.c
run 3 "$asif" prove p.c; says 'outside what prove follows'

# Where such values can be: f gives 0, or the number of what is wrong.
cat >all.c <<'END'
#include <asif.h>
#include <stdlib.h>
#include <string.h>
__extension__ typedef unsigned __int128 u128; __extension__ typedef __int128 i128;
static _Thread_local u128 tl = (u128)3 << 70; static _Thread_local double td = 2.5;
static u128 ga, gb; static double da; static float fa;
static float tof(int x) { return x; }
static int toi(double d) { return d; }
static double call(double (*p)(float, int), float f, int i) { return p(f, i); }
static double mul(float f, int i) { return f * i; }
static int rec(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = n; return n > 1 ? a[n - 1] + rec(n - 1) : a[0]; }
static int back(int n) { int s = 0; again:; { int a[n]; a[n - 1] = n; s += a[n - 1]; } if (--n > 0) goto again; return s; }
struct fl { double d[2]; u128 w; float f; };
static u128 konst(u128 x) { return x; }
static int f(int v) {
  if (tl >> 70 != 3 || td != 2.5) return 1;
  ga = gb = (u128)v << 65; if (ga != gb || ga >> 65 != 3) return 2;
  da = fa = 0.1; if (da == 0.1 || da != (double)0.1f) return 3;
  if (tof(7) != 7 || toi(7.9) != 7) return 4;
  if (call(mul, 1.5f, 3) != 4.5) return 5;
  if (rec(3) != 6 || back(3) != 6) return 6;
  u128 *m = malloc(3 * sizeof *m); memset(m, 0, 3 * sizeof *m); m[1] = (u128)1 << 127; m[2] = m[1]; if (m[2] >> 127 != 1 || m[0] || &m[2] - m != 2) return 7; free(m);
  struct fl a = {{1, 2}, 5, 0.5f}, b = a, *p = calloc(1, sizeof *p); *p = b; if (p->d[1] != 2 || p->w != 5 || p->f != 0.5) return 8; free(p);
  u128 x = {1}, y = (u128){(u128)v << 100}; if (x + y != ((u128)3 << 100) + 1) return 9;
  u128 z = v > 2 ? (u128)7 << 64 : 1; if (z >> 64 != 7 || konst(5) != 5 || konst(-1) != ~(u128)0) return 10;
  if (({ u128 t = z; t >>= 64; t; }) != 7) return 11;
  i128 s = -v; if (s / 2 != -1 || s % 2 != -1 || s >> 1 != -2 || (double)s != -3 || (i128)-3.7 != s) return 12;
  if (_Generic(1.0f, float: 0, double: 1) || _Generic(1.0f * 1.0, double: 0, default: 1)) return 13;
  int k[v][v + 1]; int (*q)[v + 1] = k; memset(k, 0, sizeof k); k[1][2] = 9; if (q[1][2] != 9 || (*(q + 1))[2] != 9 || sizeof *q != 16 || *(k[1] + 2) != 9) return 14;
  int i = 0; int w[(i++, v)]; if (i != 1 || sizeof w / sizeof *w != 3) return 15;
  float h = 16777216; h++; if (h != 16777216) return 16;
  unsigned char c = 200; c += 0.9; if (c != 200) return 17;
  static const double table[] = {1, 1.0 / 3, -2e-3, 1e400}; if (table[1] * 3 != 1 || table[3] / 2 != table[3]) return 18;
  return 0;
}
struct st { int n; };
static int f_of(struct st *s, int v) { (void)s, (void)v; return 0; }
ASIF_SPEC(zero, struct st)
ASIF_SPEC_OP(f_of, "f")
ASIF_OBJECT(zero)
ASIF_OP(f, ASIF_IN(3, 3))
END
run 0 "$asif" verify all.c -n 2 -o 1 --races no
run 0 "$asif" verify all.c -n 1 -o 2
