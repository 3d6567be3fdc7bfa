#!/bin/bash
# What C says about types, layouts and constants is what verify and prove take, or they say that they do not read it.
. "$(dirname "$0")/common"

# object CONDITION [BEFORE]: a counter that counts only where the condition is true.
object() {
  cat >o.c <<END
#include <asif.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
static _Atomic int count;
${2-}
static void inc(void) {
  char c = 1; signed char sc = 1; unsigned char uc = 1; long l = 1; long long ll = 1; unsigned long ul = 1;
  unsigned long long ull = 1; int i = -1, *p = &i; const int *q = &i; intptr_t ip = 1; atomic_flag flag = ATOMIC_FLAG_INIT;
  (void)c, (void)sc, (void)uc, (void)l, (void)ll, (void)ul, (void)ull, (void)i, (void)p, (void)q, (void)ip, (void)flag;
  if ($1) atomic_fetch_add(&count, 1);
}
static int get(void) { return atomic_load(&count); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
}
true_for() { object "$@"; run 0 "$asif" verify o.c --ops 2 --races no; } # races are not what these are about
refused() { # SAID CONDITION [BEFORE]
  object "${@:2}"
  run 2 "$asif" verify o.c; warns "$1"
  run 2 "$asif" prove o.c
}

# __builtin_expect is a long.
true_for '__builtin_expect(i, 0) < 0'
true_for '_Generic(__builtin_expect(ll, 0), long: 1, default: 0)'

# A spin lock is an int, and no mutex.
locks='#include <pthread.h>
static pthread_spinlock_t s;
static pthread_mutex_t m;
static struct { char c; pthread_spinlock_t l; } in;'
true_for 'sizeof s == 4 && _Alignof(pthread_spinlock_t) == 4 && sizeof in == 8 && sizeof m == 40' "$locks"
true_for '!pthread_spin_lock(&s) && !pthread_spin_unlock(&s)' "$locks"
refused "o.c:14:25: pthread_spin_lock needs a pointer to a spin lock, not 'pthread_mutex_t *'" 'pthread_spin_lock(&m)' "$locks"
refused "o.c:14:26: pthread_mutex_lock needs a pointer to a mutex, not 'pthread_spinlock_t *'" 'pthread_mutex_lock(&s)' "$locks"

# No arithmetic on an atomic _Bool: GCC has none.
for call in atomic_fetch_or\(\&b,1\) __atomic_fetch_add\(\&b,1,5\) __atomic_and_fetch\(\&b,1,5\) __sync_fetch_and_xor\(\&b,1\); do
  refused "on a '_Bool', which has no arithmetic" "$call" 'static _Atomic _Bool b;'
done
true_for '(b |= 1) && atomic_exchange(&b, 1)' 'static _Atomic _Bool b;'

# _Generic keeps apart what C keeps apart.
is() { true_for "_Generic($1, $2: 1, default: 0)"; }
is_not() { true_for "!_Generic($1, $2: 1, default: 0)"; }
is ll 'long: 0, long long'
is l 'long long: 0, long'
is ull 'unsigned long: 0, unsigned long long'
is ul 'unsigned long long: 0, unsigned long'
is c 'signed char: 0, unsigned char: 0, char'
is sc 'char: 0, signed char'
is uc 'char: 0, unsigned char'
is p 'const int *: 0, int *'
is q 'int *: 0, const int *'
is '1 ? p : q' 'int *: 0, const int *'
is 'l + ll' 'long: 0, long long'
is 'ul + ll' 'unsigned long: 0, long long: 0, unsigned long long'
is 'ip + ll' 'long: 0, long long'
is 'ip' 'long long: 0, long'
is 1LL 'long: 0, long long'
is 1L 'long long: 0, long'
is LLONG_MAX 'long: 0, long long'
is ULLONG_MAX 'unsigned long: 0, unsigned long long'
is 'sc + sc' int
is '&flag' 'atomic_bool *: 0, atomic_flag *'
is_not q 'const int *const'
refused '_Generic on a mutex is outside the C that verify reads' '_Generic(&m, pthread_mutex_t *: 1, default: 0)' \
  '#include <pthread.h>
static pthread_mutex_t m;'

# Layouts that are not C's own.
for pragma in '#pragma pack(push, here, 1)' '#pragma pack(3)' '#pragma pack(pop)' '#pragma GCC scalar_storage_order big-endian' '#pragma ms_struct on' \
  '#pragma weak get'; do
  refused 'o.c:6:1: #pragma' 1 "$pragma"
done
true_for 1 '#pragma GCC optimize ("O2")'
for attribute in 'scalar_storage_order("big-endian")' ms_struct; do
  refused "__attribute__((${attribute%%(*})) is outside the C that verify reads" 'sizeof(s) == 8' "typedef struct { char c; int i; } s __attribute__(($attribute));"
  refused "__attribute__((${attribute%%(*})) is outside the C that verify reads" 'x.i == 0' "static struct { char c; int i; } __attribute__(($attribute)) x;"
  true_for 1 "typedef struct { char c; int i; } s __attribute__(($attribute));"
done
refused 'start, which runs before main, is outside the C that verify reads' 1 'static __attribute__((constructor)) void start(void) { }'
true_for 'sizeof(a) == 4 && _Alignof(a) == 32 && sizeof(struct { char c; a x; }) == 64' 'typedef int a __attribute__((aligned(32)));'
true_for 'sizeof(struct { char c; a x; }) == 5' 'typedef __attribute__((aligned(1))) int a;'
true_for 'sizeof(struct { char c; a x; }) == 32' 'typedef int a __attribute__((aligned));'
true_for 'sizeof(struct { char c; const a x; }) == 64' 'typedef int a __attribute__((aligned(32)));'
true_for 'sizeof(struct { char c; int x; }) == 8 && _Alignof(int __attribute__((aligned(32)))) == 32'
true_for 'sizeof(s) == 5' 'typedef struct { char c; int i; } __attribute__((packed)) s;'
# Packed: fields are where the compiler has them, and are read and written there; through a pointer that says nothing of it, or atomically, that is undefined.
packed='static struct tight { char c; int i; short h[2]; long l; } __attribute__((packed)) s = {1, 7, {2, 3}, -4}, t[3];'
true_for 's.i == 7 && s.h[1] == 3 && s.l == -4 && sizeof s == 17 && (char *)&s.h[1] - (char *)&s == 7' "$packed"
true_for '({ struct tight t[3] = {{0}}; t[1] = s, t[1].l++, t[1].h[s.c] += 5, t[1].l == -3 && t[1].h[1] == 8 && t[2].l == 0; })' "$packed"
true_for '({ struct tight x = {.l = 5}, *q = &x; q->i = 6; struct tight y = *q; y.l + y.i == 11; })' "$packed"
object '(*(int *)((char *)&s + 1) = 1)' "$packed"; run 1 "$asif" verify o.c; says 'not aligned'
object '*r == 7' "$packed static int *r = &s.i;"; run 1 "$asif" verify o.c; says 'not aligned'
object '__atomic_load_n(&s.i, 5) == 7' "$packed"; run 1 "$asif" verify o.c; says 'not aligned'
true_for '*(near *)((char *)&s + 1) == 7' "$packed typedef int near __attribute__((aligned(1), may_alias));"
true_for 'sizeof(struct p) == 6 && sizeof(struct q) == 8 && __builtin_offsetof(struct r, l) == 4 && sizeof(struct v) == 16' '
#pragma pack(push, 2)
struct p { char c; int i; };
#pragma pack(pop)
struct q { char c; int i; };
_Pragma("pack(4)")
struct r { char c; long l; };
#pragma pack()
struct v { char c; long l; };'
true_for 'x.a == 5 && x.b == -3 && sizeof x == 3' 'static struct { unsigned a : 13; int b : 11; } __attribute__((packed)) x = {5, -3};'
true_for 'sizeof x == 9 && x.p == &x.c' 'static struct x { char c; char *p __attribute__((packed)); } x = {1, &x.c};'
# Bit-fields are promoted to an int or unsigned that holds them; those of 33 to 63 bits are numbers of their own width, as for GCC.
bits='static const struct bits { unsigned long u : 40; long i : 40; unsigned long w : 63, v : 32; long k : 32; unsigned q : 20; } s = {-1, -1, 1, -1, -5, 7};'
for e in 's.u + 1 == 0' '(s.u << 4) == 0xfffffffff0' '~s.u == 0' '-s.u == 1' 's.u + s.w == 0x10000000000' 's.v + 1 == 0' 'sizeof(s.v + 1) == 4' \
  'sizeof(s.u + 1) == 8' 's.u + i == 0xfffffffffe' 's.u + -1L == 0xfffffffffe' 's.u + 1ul == 0x10000000000' 's.i + 0u == -1' 's.i < 0u' 's.k < 0' \
  's.q - 8 < 0' '(s.u = i) + 1 == 0' '(++s.u << 1) == 0' '(s.i = 0x8000000000) < 0' '((1 ? s.u : 1) << 1) == 0xfffffffffe' '(s.u *= 5) * 256 == 0xfffffffb00' \
  '_Generic(s.q + 0, int: 1, default: 0)' '_Generic(s.v + 0, unsigned: 1, default: 0)'; do
  true_for "({ struct bits x = s; (void)x; ${e//s./x.}; })" "$bits"
done
object 's.u + 1' "$bits"; run 1 "$asif" verify o.c --ops 2 --races no
object '({ struct bits x = s; x.i = 0x7fffffffff; x.i + 1 > 0; })' "$bits"; run 1 "$asif" verify o.c --races no; says 'overflow'
# Unnamed bits at the beginning.
true_for '({ struct x y = x; y.b = i, y.b == -1 && y.c == 7 && sizeof x == 12; })' 'static struct x { int : 9; int b; int c; } x = {3, 7};'
true_for '({ struct u x = {3}, *q = &x; q->b += 1; x.b == 4 && (char *)q == (char *)&x && (char *)&x.b - (char *)q == 4; })' 'struct u { int : 9; int b; };'
true_for 'sizeof(v) == 16' 'typedef int v __attribute__((vector_size(16)));'
refused 'a vector is outside the C that verify reads' '(x = x, 1)' 'static int x __attribute__((vector_size(16)));'
true_for 'sizeof(struct s) == 64 && sizeof(struct t) == 32 && sizeof(struct u) == 32' '
struct s { char c; int x __attribute__((aligned(32))); };
struct t { char c; } __attribute__((__aligned__(32), unused));
struct u { char c; char d __attribute__((aligned)); };
static int f(void) __attribute__((noinline, const, section("aligned")));
static int f(void) { return 1; }'
refused '_Alignof an expression is outside' '_Alignof x == 32' 'static int x __attribute__((aligned(32)));'

# The standard is the one that compilers take.
true_for '__STDC_VERSION__ == 201710L'
object '__STDC_VERSION__ == 201112L'; run 0 "$asif" verify o.c -- -std=gnu11

# Flags that change what C means are refused; others are not, of one word or two.
object 1
for flag in -funsigned-char -fshort-enums -fpack-struct -fpack-struct=1 -fwrapv -ftrapv -m32 -mx32 -m16 -fms-extensions -fplan9-extensions -mms-bitfields \
  -fopenmp -xc++ -Wp,-m32 -std=c++17 --target=i386-linux-gnu; do
  run 2 "$asif" verify o.c -- "$flag"; warns "$flag may change what C means"
  run 2 "$asif" prove o.c -- -O2 "$flag"; warns "$flag may change what C means"
done
run 2 env CC='cc -m32' "$asif" verify o.c; warns '-m32 may change what C means'
mkdir -p folder && echo '#define HERE 1' >folder/here.h
object 'HERE + YES == 2 && NOW' '#include "here.h"
#ifdef NO
#error NO
#endif'
echo '#define NOW 1' >now.h
run 0 "$asif" verify o.c -- -I folder -D YES -U NO -include now.h
run 0 "$asif" verify o.c -- -Ifolder -DYES -include now.h -O2 -g -Wall -pthread -march=x86-64 -fno-strict-aliasing -fsigned-char -m64 -fPIC
run 2 "$asif" verify o.c -- -I folder other.c; warns 'too many arguments: other.c'
object 'HERE == 2' '#include "here.h"'
run 1 "$asif" verify o.c -- -I folder

# Integers go to the ends of their ranges.
for number in '1UL << 63' 0x8000000000000000 LONG_MIN INT64_MIN 'one << 63'; do
  true_for "n >> 63 && n != 0 && n + n == 0 && n - 1 == LONG_MAX" \
    "static const unsigned long one = 1; static unsigned long n = 0; static void start(void) { n = $number; } ASIF_INIT(start)"
done
true_for 'LONG_MIN + 1 < 0 && (0x8000000000000000 >> 63) == 1'
# One past the end of an array has an address; it cannot be read.
true_for 'end - a == 5 && &a[n] == end && &s.a[2] - s.a == 2' 'static int n = 5, a[5], *end = &a[5]; static struct { int a[2], b; } s;'
for access in '*&a[5]' '*&a[n]' 'a[n]' '*end' '(&a[n])[0]' 's.a[m]' '*&s.a[m]'; do
  object "$access == 0" 'static int m = 2, n = 5, a[5], *end = &a[5]; static struct { int a[2], b; } s;'
  run 1 "$asif" verify o.c; says 'out of bounds'
done
for address in '&a[6]' '&a[n + 1]' '&a[n - 6]'; do
  object "$address != 0" 'static int n = 5, a[5];'
  run 1 "$asif" verify o.c; says 'out of bounds'
done

# A pointer into an array that is a member: it may go just past it, and back, but nothing is there.
member='#include <stdlib.h>
struct in { int a[2]; int b; };
static struct { struct in of[3]; int last[2]; int end; } s;
static struct in *fresh(void) { struct in *p = malloc(3 * sizeof *p); for (int i = 0; i < 3; i++) p[i] = (struct in){{i, 10 * i}, 100 * i}; return p; }'
true_for 'f()' "$member
static int f(void) {
  int n = 0, *e = s.last + 2, *p;
  for (p = s.last; p != e; p++) n++;
  for (p = s.last; p < e; ++p) n++;
  while (p > s.last) --p, n++;
  return n == 6 && p == s.last && e - p == 2 && e[-1] == 0 && &e[-2] == p && *(e - 1) == 0 && e - 2 == s.last;
}"
true_for 'f()' "$member
static int f(void) {
  struct in *q = fresh(), *end = q + 3, *p;
  int n = 0;
  for (p = q; p != end; p++) for (int *k = p->a; k < p->a + 2; k++) n += *k;
  int *last = (end - 1)->a + 2, *first = &q[0].a[2];
  n += last[-1] + *--first + (int)(last - q[2].a);
  struct in *t = s.of + 3;
  n += (int)(t - s.of) + (int)(t == &s.of[3]);
  free(q);
  return n == 33 + 20 + 2 + 4;
}"
true_for 'f()' "$member
struct only { int a[2]; };
struct twice { struct only of[2]; };
static struct only w[3];
static struct twice x[2];
static int *w_end = w[1].a + 2, *const w_fixed = &w[0].a[2];
static int f(void) {
  int n = 0;
  for (int i = 0; i < 6; i++) *(w[i / 2].a + i % 2) += 0, n++;
  for (struct only *p = w; p != w + 3; p++) for (int *k = p->a; k != p->a + 2; k++) n += *k + 1;
  struct only *q = malloc(2 * sizeof *q), *r = q;
  r++;
  r->a[1] = 5;
  n += (r - 1)[1].a[1] + (int)(r - q) + q[1].a[1];
  free(q);
  for (struct twice *t = x; t < x + 2; t++) for (struct only *o = t->of; o < t->of + 2; o++) for (int *k = o->a; k < o->a + 2; ++k) n += *k + 1;
  int *last = &(&x[1].of[1])->a[1], *end = x[1].of[1].a + 2, *mid = x[0].of[0].a + 2;
  n += w_end[-1] + *(w_fixed - 2);
  n += (w_fixed == w->a + 2) - 1;
  n += *--end + *--mid + *(x[1].of[1].a + 2 - 1) + (w + 3)[-1].a[0] + (x[1].of + 2)[-1].a[0];
  return n + *last == 6 + 6 + 11 + 8;
}"
for access in '*(s.last + 2)' '(s.last + 2)[0]' 's.of[1].a[2]' '*(&s.last[1] + 1)' '*&s.last[2]' '(s.of + 3)->b' '*(s.of[2].a + 2)' \
  'fresh()[1].a[2]' '*(fresh()->a + 2)' '*past(s.last)' '*past(fresh()->a)' 'past(s.last)[1]' '*(past(s.last) + 1)' '*atomically()' '*fixed' '*there' 'there[0]'; do
  object "$access" "$member
static _Atomic(int *) at;
static int *const fixed = s.last + 2, *there = &s.last[2];
static int *atomically(void) { at = s.last; at++; at += 1; return at; }
static int *past(int *p) { p++; p++; return p; }"
  run 1 "$asif" verify o.c; says 'undefined behaviour'
done
object 's.last + 2 == &s.end' "$member" # the same address, or not
run 3 "$asif" verify o.c
