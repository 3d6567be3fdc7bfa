#!/bin/bash
# The order of evaluation that C leaves open: verify takes every one, prove too, and what is undefined is a violation.
. "$(dirname "$0")/common"

# single STATUS CODE: f() of the code is run alone, and must return 1.
single() {
  cat >o.c <<EOF
#include <asif.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_int a, b;
static int x, y, z, t[4] = {0, 10, 20, 30};
static int next(void) { return atomic_fetch_add(&a, 1); }
static int set(int *p, int v) { *p = v; return v; }
static int bump(void) { x = x + 1; return x; }
static int minus(int p, int q) { return p - q; }
$2
struct s { int n; };
static int s_f(struct s *s) { (void)s; return 1; }
ASIF_SPEC(one, struct s)
ASIF_SPEC_OP(s_f, "f")
ASIF_OBJECT(one)
ASIF_OP(f)
EOF
  run "$1" "$asif" verify o.c --threads 1 --ops 1 --quiet
}
undefined() {
  single 1 "$1"
  says 'undefined behaviour'
}
either() { # both orders are taken, each an answer of its own
  single 1 "static int f(void) { int r = 0; $1 return r == ($2); }"
  says 'not linearizable'
  single 1 "static int f(void) { int r = 0; $1 return r == ($3); }"
  says 'not linearizable'
  single 0 "static int f(void) { int r = 0; $1 return r == ($2) || r == ($3); }"
}
fixed() { single 0 "static int f(void) { int r = 0; $1 return r == ($2); }"; }

# Operators, arguments, subscripts, both sides of an assignment, initialisers.
either 'r = next() - next();' -1 1
either 'r = minus(next(), next());' -1 1
either 'r = t[1 + next()] - next() * 100;' '10 - 100' 20
either 'int k[2] = {next(), next()}; r = k[0] - k[1];' -1 1
either 'struct { int p; struct { int q; } in; } k = {next(), {next()}}; r = k.p - k.in.q;' -1 1
either 'int k[3] = {9, 9, 9}; k[next()] = next(); r = k[0] * 10 + k[1];' 19 90
either 'x = 5; x += bump(); r = x;' 11 12
either 'x = 5; r = x - bump();' -1 0
either 'int v = 5; v += set(&v, 7); r = v;' 12 14
either 'int v = 5; r = v - set(&v, 7);' -2 0
either 'int v = 5; r = minus(v, set(&v, 7));' -2 0
either 'r = (a = 3) - a;' 0 3
either 'r = a++ - a++;' -1 1
either 'r = set(&x, 1) + set(&x, 2) * 0 + x * 0; r = x;' 1 2

# A called function is one part, but the operands of operators are not.
fixed 'r = bump() + bump();' 3
fixed 'int k[2] = {bump(), bump()}; r = k[0] + k[1];' 3

# Sequenced, or without conflict.
fixed 'r = next() == 0 && next() == 1;' 1
fixed 'r = next() || next(); r = a;' 2
fixed 'r = (next(), next());' 1
fixed 'r = next() ? 7 : next();' 1
fixed 'int v = 0; v = (v++, v + 1); r = v;' 2
fixed 'int v = 1; r = v && v++; r = v;' 2
fixed 'int v = 3; v = v + 1; v += v; r = v;' 8
fixed 'int v = 3, *p = &v; *p = *p + v; r = v;' 6
fixed 'int v = 2; v = set(&v, v + 1) + 1; r = v;' 4
fixed 'int k[2] = {1, 0}, i = 0; k[i] = k[1] + k[0]; r = k[0];' 1
fixed 'x = 1; x = x + 1; r = x++; r = r * 10 + x;' 23

# Undefined, on the way that is taken only.
undefined 'static int f(void) { int i = 0; i = i++ + 1; return 1; }'
undefined 'static int f(void) { int i = 0; return minus(i++, i) * 0 + 1; }'
undefined 'static int f(void) { int i = 0; return (i++ + i++) * 0 + 1; }'
undefined 'static int f(void) { int i = 0, k[2] = {0, 0}; k[i] = i++; return 1; }'
undefined 'static int f(void) { return (x++ + x) * 0 + 1; }'
undefined 'static int f(void) { int *p = &x; return (*p = 2) + x > 0; }'
undefined 'static int f(void) { int i = 1; i = i ? i++ : 0; return 1; }'
undefined 'static int f(void) { int i = 1; return (i && x++) + x * 0 == 0 || 1; }'
single 0 'static int f(void) { int i = 0; return (i && x++) + x == 0; }'
single 0 'static int f(void) { int i = 0; i = i ? i++ : 1; return i; }'
single 0 'static int f(void) { int *p = &y; return (*p = 1) + x == 1; }'
warned=$("$asif" verify o.c --threads 1 2>&1) || fail "$warned"

# One part of each operand in turn: a, then c, then b, as no order of the whole operands has it.
interleaved() {
  cat >i.c <<EOF
#include <asif.h>
#include <stdatomic.h>
static atomic_int a, b, c;
$1
static void write(int v) { a = v; c = v; c = 0; b = v; }
static int read(void) { return $2; }
struct s { int n; };
static void s_write(struct s *s, int v) { s->n = v; }
static int s_read(struct s *s) { (void)s; return 1; }
ASIF_SPEC(never, struct s)
ASIF_SPEC_OP(s_write, "write")
ASIF_SPEC_OP(s_read, "read")
ASIF_OBJECT(never)
ASIF_OP(write, ASIF_IN(1, 1))
ASIF_OP(read)
EOF
}
interleaved '' '!(a * 4 + b * 2 + c == 3)'
run 1 "$asif" verify i.c --quiet --races no
interleaved 'static int both(void) { int p = a; return p * 4 + b * 2; }' '!(both() + c == 3)'
run 0 "$asif" verify i.c --quiet --races no

# Two stores of one expression: either may be seen first.
cat >chain.c <<'EOF'
#include <asif.h>
static int x, y;
static void write(int v) { STORES; }
static int ok(void) { int p = FIRST, q = SECOND; return p <= q; }
struct s { int n; };
static void s_write(struct s *s, int v) { s->n = v; }
static int s_ok(struct s *s) { (void)s; return 1; }
ASIF_SPEC(ordered, struct s)
ASIF_SPEC_OP(s_write, "write")
ASIF_SPEC_OP(s_ok, "ok")
ASIF_OBJECT(ordered)
ASIF_OP(write, ASIF_IN(1, 1))
ASIF_OP(ok)
EOF
run 1 "$asif" verify chain.c --quiet --races no -- '-DSTORES=x = y = v' -DFIRST=x -DSECOND=y
run 1 "$asif" verify chain.c --quiet --races no -- '-DSTORES=x = y = v' -DFIRST=y -DSECOND=x
run 0 "$asif" verify chain.c --quiet --races no -- '-DSTORES=y = v; x = v' -DFIRST=x -DSECOND=y
fixed 'x = y = z = 3; r = x * 100 + y * 10 + z;' 333

# The store of an assignment within another need not come before the outer one; ok() sees x before y, and y before x.
sed 's/^static int x, y;/static int x, y, z, t[2] = {0, 1}, s[2]; static _Atomic int ax, ay; static int same(int v) { return v; }/' \
  chain.c >late.c
late() { # late STATUS STORES [X Y]
  run "$1" "$asif" verify late.c --quiet --races no -- "-DSTORES=$2" "-DFIRST=${3-x}" "-DSECOND=${4-y}"
}
for stores in 'x = (y = v) + 0' 'x = v + y++' 'x = (long)(y = v)' 'x = ++y' 'x += (y = v)' 'x = z = y = v' 'x = (y += v)' \
  'x = (z = v, y = v)' 'x = (y = v) + z' '*&x = t[y = v]' 'x = (z = v) * (y = v)' 'int k = x = (y = v) + 0; (void)k'; do
  late 1 "$stores"
  says 'not linearizable'
done
late 1 'x = (y = v) + 0' y x
late 1 'ax = (ay = v) + 0' ax ay
late 0 'ax = ++ay' ax ay # one operation, and its value is the one that it gave
late 0 'x = same(y = v)'
late 0 'x = (y = v, v)'
late 0 'x = (y = v) && v'
late 3 'x = v && (y = v)'
says 'take the expression apart'
late 3 'x = v ? (y = v) : 0'
late 3 'x = (y = v) + (z = v) + (t[0] = v) + (t[1] = v)'
# ... also if it is in the address.
for stores in 's[y++] = v' '*(s + y++) = v' 's[y++] += v' 's[y = 0, y++] = v' 's[y++] = z = v' 's[z++] = y = v'; do
  late 1 "$stores" 's[0]' y
  late 1 "$stores" y 's[0]'
done
late 0 's[ay++] = v' 's[0]' ay # the value is there when the one operation is done
late 0 's[(y++, 0)] = v' 's[0]' y
late 0 's[same(y++)] = v' 's[0]' y
late 3 's[y++]++' 's[0]' y
late 3 's[v && y++] = v' 's[0]' y
fixed 't[x++] = 7; t[x++] += 1; r = t[0] * 100 + t[1] * 10 + x;' 812
fixed 'r = (x = (y = 2) + 1) * 100 + 5; r += y * 10;' 325
fixed 'x = 1 + y++; x = x * 10 + ++y; r = x * 10 + y;' 122
undefined 'struct q { int n; }; static int f(void) { struct q t = {1}, *p = &t; p->n = p->n++ + 0; return 1; }'
run 1 "$asif" verify o.c --threads 1 --ops 1
says 'not sequenced'
undefined 'static int f(void) { int *p = &x; *p = (x = 1) + 0; return 1; }'
single 0 'static int f(void) { int *p = &y; *p = (x = 1) + 0; return y; }'

# An operand that goes through a null pointer has met nothing.
single 1 'struct q { int n; }; static struct q *p, *q; static int f(void) { return p->n + (q->n = 1); }'
run 1 "$asif" verify o.c --threads 1 --ops 1
says 'a null pointer is used'
undefined 'static int f(void) { x = x = 2; return 1; }'

# As much as nothing where nothing conflicts: no choices, the same states.
cat >plain.c <<'EOF'
#include <asif.h>
#include <stdatomic.h>
static atomic_int v;
static void write(int n) { int k = n + n - n; v = k * 2 - k; }
static int read(void) { int w = v; return w * 1 + w - w; }
ASIF_OBJECT(register(0))
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_OP(read)
EOF
run 0 "$asif" verify plain.c --dump steps
case $out in *choose*) fail "choices where nothing conflicts: $out" ;; esac

# prove takes both orders: a lock that may be released before the node is taken.
cat >lock.c <<'EOF'
#include <asif.h>
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; int val; };
static struct node *top;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int first(int v, int ignored) { (void)ignored; return v; }
static int take(void) { struct node *t = top; if (!t) return ASIF_EMPTY; top = t->next; return t->val; }
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  pthread_mutex_lock(&m); n->next = top; top = n; pthread_mutex_unlock(&m);
}
static int pop(void) {
  pthread_mutex_lock(&m);
#ifdef SEQUENCED
  int v = take();
  return first(v, pthread_mutex_unlock(&m));
#else
  return first(take(), pthread_mutex_unlock(&m));
#endif
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_BOUND(3)
EOF
run 0 "$asif" prove lock.c -- -DSEQUENCED
run 1 "$asif" prove lock.c
run 1 "$asif" verify lock.c --ops 2 --evidence e
run 0 "$asif" replay e

# Too many orders: unknown, with the place, and only where the expression is reached.
long='a'
for i in 1 2 3 4 5 6 7 8 9; do long="($long + b * c)"; done
cat >many.c <<EOF
#include <asif.h>
#include <stdatomic.h>
static atomic_int a, b, c, on;
static void inc(void) { a++; b = 0; c = 0; }
static int read(void) { int n = a; return n < LIMIT ? n : $long; }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
EOF
run 0 "$asif" verify many.c -- -DLIMIT=9
run 3 "$asif" verify many.c -- -DLIMIT=1
says 'many.c:5:'
says 'orders of evaluation'

# The initialisation: one order if it does not matter, and no verdict on one of several.
begins() { single "$1" "static int inc(void) { x = x + 1; return 0; }
static int twice(int *p) { *p = *p * 2; return 0; }
static void begin(void) { x = y = 1; z = $2; }
ASIF_INIT(begin)
static int f(void) { return x == $3; }"; }
begins 0 'inc() + twice(&y)' 2
begins 3 'inc() + twice(&x)' 3
says 'the initialisation depends on the order of evaluation'
begins 3 'inc() + twice(&x)' 4

# Where nobody else runs in between it does not matter how many orders there are, unless operands conflict; also where a
# checkpoint could be left, which knows what was found to conflict.
cat >alone.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static int a, b, c, d, e, f, g, h, seen;
static atomic_int n;
static int set(int *at, int v) { return *at = v; }
static int meet(int v) { return seen = v; }
static int fetch_add(void) {
  ASIF_ATOMIC {
    int s = set(&a, 1) + set(&b, 2) + set(&c, 3) + set(&d, 4) + set(&e, 5) + set(&f, 6) + set(&g, 7) + set(&h, 8);
    s += set(&a, 1) * (set(&b, 2) + set(&c, 3) * (set(&d, 4) + set(&e, 5) * (set(&f, 6) + set(&g, 7) * set(&h, 8))));
    assert(s == 36 + 944);
    s = meet(1) + meet(2);
    assert(s == 3 && MET);
  }
  int v = atomic_load(&n);
  for (int i = 0; i < 3; i++) atomic_load(&n);
  while (!atomic_compare_exchange_strong(&n, &v, v + 1)) ;
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
run 0 "$asif" verify alone.c -- '-DMET=(seen == 1 || seen == 2)'
for met in 1 2; do
  run 1 "$asif" verify alone.c --evidence e -- -DMET=seen==$met
  run 0 "$asif" replay --run e
done
run 3 "$asif" verify alone.c -j 1 --checkpoint c --states-limit 30 -- '-DMET=(seen == 1 || seen == 2)'
run 0 "$asif" verify alone.c -j 1 --resume c -- '-DMET=(seen == 1 || seen == 2)'
cp out resumed
run 0 "$asif" verify alone.c -j 1 -- '-DMET=(seen == 1 || seen == 2)'
[ "$(sed -n 's/.*\(, [0-9]* states, [0-9]* moves\).*/\1/p' out)" = "$(sed -n 's/.*\(, [0-9]* states, [0-9]* moves\).*/\1/p' resumed)" ] || fail "resumed: $(cat resumed); not stopped: $(cat out)"

# What an assignment on the right stores, the address on the left of the outer one may use; and bit-fields are scalars as others are.
cat >unsequenced.c <<'C'
#include <asif.h>
static struct { unsigned a : 4, b : 4; } g;
static struct node { struct node *next; int v; } d, x, *cur = &d;
static int t[4], n, i;
static int two(int p, int q) { return p + q; }
static int set(int v) { return g.a = v; }
static int rd(void) {
  int r = 0;
  WHERE { r = (E, 0); }
  return r;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(read, rd)
C
for where in '' ASIF_ATOMIC; do
  for e in '(g.a = 1) + (g.a = 2)' 'g.a++ + g.a' 'g.a + g.a++' '(g.a += 2) + g.a' 'two(g.a++, g.a++)' 'cur->next = cur = &x' 't[n] = n = 1' 't[i] = i = n = 1'; do
    run 1 "$asif" verify unsequenced.c -n 1 -- "-DE=$e" -DWHERE=$where; says 'Undefined behaviour'
  done
  for e in '(g.a = 1) + (g.b = 2)' 'g.a++ + g.b' 'two(set(1), set(2))' 'd.next = cur = &x' 't[1] = n = 1' 'g.a = g.b = 3' 'cur->next = x.next = &d' 'g.a += g.a' 'g.a = set(2)'; do
    run 0 "$asif" verify unsequenced.c -n 1 -- "-DE=$e" -DWHERE=$where
  done
done

# Of a thread-local variable nothing is said where it matters.
cat >own.c <<'C'
#include <asif.h>
static int t[4];
static _Thread_local int own;
static int two(int p, int q) { return p + q; }
static int rd(void) {
  E;
  return 0;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(read, rd)
C
for e in 't[own] = own = 1' 't[own] = ++own' 'two(own++, own)'; do
  run 3 "$asif" verify own.c -n 1 -- "-DE=$e"; says 'a thread-local variable that one operand writes'
done
for e in 't[own] = 1' 'own = own + 1' 't[own++] = 2' 't[own] = own' 'own += own'; do
  run 0 "$asif" verify own.c -n 1 -- "-DE=$e"
done
