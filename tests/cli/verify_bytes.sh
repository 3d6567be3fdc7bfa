#!/bin/bash
# Memory as bytes: unions, bit-fields, casts, copies, addresses as numbers. Each right use has a wrong one beside it.
. "$(dirname "$0")/common"

# object CONDITION [BEFORE [LOCALS]]: a counter that counts only where the condition is true.
object() {
  cat >o.c <<END
#include <asif.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static _Atomic int count;
${2-}
static void inc(void) {
  ${3-}
  if ($1) atomic_fetch_add(&count, 1);
}
static int get(void) { return atomic_load(&count); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
}
true_for() { object "$@"; run 0 "$asif" verify o.c; }
undefined() { object "${@:2}"; run 1 "$asif" verify o.c; says "$1"; }
unknown() { object "${@:2}"; run 3 "$asif" verify o.c; says "$1"; }

# Unions.
true_for 'x.i == 0x04030201 && x.h[1] == 0x0403 && s.u == 0xffffffffu' '' \
  'union { unsigned i; unsigned short h[2]; unsigned char c[4]; } x = {.c = {1, 2, 3, 4}}; union { int i; unsigned u; } s; s.i = -1;'
object 'x.c[0] == 2' '' 'union { unsigned i; unsigned char c[4]; } x = {.i = 0x01020304};'
run 1 "$asif" verify o.c
undefined 'never set' 'x.c[1] == 0' '' 'union { unsigned i; unsigned char c[8]; } x; x.c[0] = 1;'
true_for 'x.c[0] == 1' '' 'union { unsigned i; unsigned char c[8]; } x; x.c[0] = 1;'
true_for 'y.k == 3 && y.c[0] == 9 && n.b == 7' 'struct n { int k; union { long l; unsigned char c[8]; }; struct { int a, b; }; };' \
  'struct n n = {.k = 3, .c = {9}, .b = 7}, y = n;'
# Compound literals of them, also where their address is taken.
literal='(union word){.i = 0x04030201}'
true_for "($literal).c[3] == 4 && *p == 1 && p[2] == 3" 'union word { unsigned i; unsigned char c[4]; };' \
  "unsigned char *p = (($literal).c);"
object "($literal).c[3] == 1" 'union word { unsigned i; unsigned char c[4]; };'; run 1 "$asif" verify o.c

# Bit-fields are laid out as the compiler does it; what is stored is cut to their width.
true_for 'b.b == -1 && b.a == 5 && b.c == 0xffff && sizeof b == 4 && w == (5u | 0x7ffu << 5 | 0xffffu << 16)' \
  'struct b { unsigned a : 5; int b : 11; unsigned c : 16; };' \
  'struct b b = {0}; b.a = 37; b.b = 0x7ff; b.c = 0xfffff; unsigned w; memcpy(&w, &b, 4);'
undefined 'never set' 'b.b == 0' 'struct b { unsigned a : 5, b : 2; };' 'struct b b; b.a = 1;'
true_for 'b.a == 1' 'struct b { unsigned a : 5, b : 2; };' 'struct b b; b.a = 1;'

# Storing one reads and writes those around it: an update of a neighbour is lost.
cat >bits.c <<'END'
#include <asif.h>
#include <pthread.h>
static struct { unsigned a : 4, b : 4; } s;
#ifdef LOCKED
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&m)
#define UNLOCK() pthread_mutex_unlock(&m)
#else
#define LOCK()
#define UNLOCK()
#endif
static void write(int v) { LOCK(); s.a = v; UNLOCK(); }
static int read(void) { LOCK(); int r = s.a; s.b = s.b + 1; UNLOCK(); return r; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))
END
run 0 "$asif" verify bits.c -o 2 -- -DLOCKED
run 1 "$asif" verify bits.c -o 2; says 'data race'
run 1 "$asif" verify bits.c -o 2 --races no; says 'not linearizable'

# Casts: memory keeps what it is, whatever it is accessed as.
true_for '*(unsigned char *)&g == 0x08 && ((unsigned short *)&g)[3] == 0x0102 && *(long *)&s == 0x700000005' \
  'static long g = 0x0102030405060708; static struct { int a, b; } s = {5, 7};'
true_for 'p->a == 0x10005 && p->b == -1' 'struct s { int a, b; };' \
  'struct s s = {5, 7}, *p = &s; ((short *)p)[1] = 1; *(int *)((char *)&s + 4) = -1;'
undefined 'out of bounds' '((short *)&s)[4] == 0' 'static struct { int a, b; } s;'
undefined 'marked, or not aligned' '*(int *)((char *)&s + 2) == 0' 'static struct { int a, b; } s;'
true_for 'q == &s && *q->p == 5' 'struct s { int *p; char c; };' \
  'int x = 5; struct s s = {&x, 1}, t, *q; unsigned char *a = (unsigned char *)&s, *b = (unsigned char *)&t;
   for (unsigned i = 0; i < sizeof s; i++) b[i] = a[i]; q = *t.p == 5 ? &s : 0;'
unknown 'the number of an address' '*(unsigned char *)&p == 16' '' 'int x; int *p = &x;'

# container_of, with the right offset and a wrong one; a list's head that is in no element.
cat >list.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
struct link { struct link *next; };
struct item { int pad, v; struct link link; };
static _Atomic(struct link *) head;
#define ENTRY(p) ((struct item *)((char *)(p)-offsetof(struct item, WHERE)))
static void write(int v) { struct item *i = malloc(sizeof *i); i->v = v; i->link.next = NULL; head = &i->link; }
static int read(void) { struct link *p = head; return p ? ENTRY(p)->v : 0; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))
END
run 0 "$asif" verify list.c -o 2 -- -DWHERE=link
run 1 "$asif" verify list.c -- -DWHERE=v; says 'not linearizable'

# Copies between any types, of sizes known at run time. Each cell is an access of its own.
true_for 'memcmp(a, b, n) == 0 && memcmp(a, c, n) < 0 && memcmp(c, a, n) > 0 && *(int *)(void *)a == 3' '' \
  '_Alignas(4) unsigned char a[8]; int three = 3; unsigned char b[8], c[8]; int n = 4; memcpy(a, &three, 4); memcpy(b, a, n); memset(c, 0x11, 8);'
true_for 'a[0] == 1 && a[1] == 1 && a[2] == 2 && a[4] == 4 && b[0] == 2 && b[3] == 5 && b[4] == 5' '' \
  'int a[5] = {1, 2, 3, 4, 5}, b[5] = {1, 2, 3, 4, 5}; memmove(a + 1, a, 16); memmove(b, b + 1, 16);'
undefined 'out of bounds' 'a[0]' '' 'char a[4] = {1}; long l; memcpy(&l, a, sizeof l);'
undefined 'never set' 'memcmp(&l, &m, 8)' '' 'long l, m = 0;'
true_for 'm == 0' '' 'long l, m = 0, n; memcpy(&n, &l, 8);'
cat >copy.c <<'END'
#include <asif.h>
#include <pthread.h>
#include <string.h>
static struct { int a, b; } s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void write(int v) { int both[2] = {v, v}; LOCK memcpy(&s, both, sizeof both); UNLOCK }
static int read(void) { long both; int out[2]; LOCK memcpy(&both, &s, sizeof both); UNLOCK memcpy(out, &both, sizeof out); return out[0] == out[1] ? out[0] : 7; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))
END
run 0 "$asif" verify copy.c -- '-DLOCK=pthread_mutex_lock(&m);' '-DUNLOCK=pthread_mutex_unlock(&m);'
run 1 "$asif" verify copy.c -- -DLOCK= -DUNLOCK=; says 'data race'
run 1 "$asif" verify copy.c --races no -- -DLOCK= -DUNLOCK=; says 'not linearizable'

# Arrays without a size, memory that gets its type later, sizes that are no multiple.
true_for 'f->a[2] == 9 && f->n == 3' 'struct f { short n; int a[]; };' \
  'int n = 3; struct f *f = malloc(sizeof *f + n * sizeof(int)); f->n = 3; f->a[2] = 9;'
undefined 'out of bounds' 'f->a[3]' 'struct f { short n; int a[]; };' 'struct f *f = calloc(1, sizeof *f + 3 * sizeof(int));'
true_for 'p->b == 5 && p->c == 6' 'struct s { int a, b; char c; }; static void *take(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }' \
  'struct s *p = take(sizeof *p); p->b = 5; p->c = 6;'
true_for 'p[9] == 3 && *(int *)p == 0' '' 'char *p = calloc(10, 1); p[9] = 3;'
undefined 'out of bounds' 'p[10] == 3' '' 'char *p = calloc(10, 1);'

# Integers of 64 bits.
true_for 'h == 0xaf63bc4c8601b63cu && (x ^= x << 13, x ^= x >> 7, x ^= x << 17) == 8748534153485358512u' '' \
  'uint64_t h = 0xcbf29ce484222325u, x = 88172645463325252u; h ^= 1; h *= 0x100000001b3u; h ^= 0x10u;'
undefined 'overflow' 'n + 1 > 0' '' 'int64_t n = INT64_MAX;'
true_for 'n - 1 == INT64_MIN && (uint64_t)n << 1 == 0x8000000000000000u + 0x8000000000000000u + 2 - 0' '' 'int64_t n = INT64_MIN + 1;'

# Pointers as numbers: what alignment says, tags above and below.
true_for '(u & 15) == 0 && ((u | 9) & ~(uintptr_t)15) == u && ((u + 8) & 15) == 8 && u % 16 == 0 && ((u >> 3) << 3) == u && u >> 48 == 0' '' \
  'long *p = malloc(32); uintptr_t u = (uintptr_t)p;'
true_for '(t >> 48) == 0xabcd && (long *)(t & 0xffffffffffff) == p && (long *)(r >> 16) == p && (r & 0xffff) == 7' '' \
  'long *p = malloc(8); uint64_t t = (uint64_t)p | (uint64_t)0xabcd << 48, r = (uint64_t)p << 16 | 7;'
object '(u >> 4) % 2' '' 'long *p = malloc(8); uintptr_t u = (uintptr_t)p;'; run 1 "$asif" verify o.c; says 'a number made of &long 1 is 0'
unknown 'the number of an address' '(u >> 41) % 2' '' 'long *p = malloc(8); uintptr_t u = (uintptr_t)p;'
undefined 'marked' '*(long *)t' '' 'long *p = calloc(1, 8); uint64_t t = (uint64_t)p | (uint64_t)1 << 48;'

# A tag above the pointer keeps a node that came back from being taken for the one that was there.
cat >tagged.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node { struct node *next; int data; };
static _Atomic uint64_t top;
#define PTR(x) ((struct node *)(uintptr_t)((x) & 0xffffffffffffull))
#define MK(p, t) (((uint64_t)(uintptr_t)(p)) | ((uint64_t)(uint16_t)(t) << 48))
static void push(int v) { struct node *n = malloc(sizeof *n); n->data = v; uint64_t t; do { t = atomic_load(&top); n->next = PTR(t); } while (!atomic_compare_exchange_strong(&top, &t, MK(n, (t >> 48) + STEP))); }
static int pop(void) { uint64_t t; struct node *x, *n; do { t = atomic_load(&top); n = PTR(t); if (!n) return ASIF_EMPTY; x = n->next; } while (!atomic_compare_exchange_strong(&top, &t, MK(x, (t >> 48) + STEP))); int r = n->data; free(n); return r; }
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_BOUND(2)
ASIF_TYPE_STABLE()
END
run 0 "$asif" verify tagged.c -o 3 --races no -- -DSTEP=1
run 1 "$asif" verify tagged.c -o 3 --races no -- -DSTEP=0; says 'not linearizable'

# prove names the line.
cat >p.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { struct node *next; int v; };
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n), *t = top;
  union { long l; int i[2]; } x; x.l = v; n->v = x.i[0];
  do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));
}
static int pop(void) {
  struct node *t = top;
  do if (!t) return ASIF_EMPTY; while (!atomic_compare_exchange_strong(&top, &t, t->next));
  return t->v;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
END
run 0 "$asif" verify p.c -o 2
"$asif" prove p.c >out 2>&1
grep -q 'p.c:8:.*variable x' out || fail "prove does not name the line: $(cat out)"

# Bit-fields next to each other are one memory location, whatever bytes they are in; a signed one of one bit is 0 or -1.
bits() { # MEMBERS
  cat >bits.c <<C
#include <asif.h>
#include <pthread.h>
static struct { $1 } s;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void write(int v) {
  pthread_mutex_lock(&m[0]);
  s.a = v;
  pthread_mutex_unlock(&m[0]);
  pthread_mutex_lock(&m[1]);
  s.b = v;
  pthread_mutex_unlock(&m[1]);
}
static int read(void) {
  pthread_mutex_lock(&m[0]);
  int v = s.a;
  pthread_mutex_unlock(&m[0]);
  return v;
}
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))
C
}
bits 'unsigned a : 8, b : 20, c : 4;'
run 1 "$asif" verify bits.c; says 'data race'
run 1 "$asif" test bits.c --threads 2 --ops 1; says 'data race'
bits 'unsigned char a; unsigned b : 8;'
run 0 "$asif" verify bits.c
cat >one.c <<'C'
#include <asif.h>
static struct { signed char a : 1; } s;
static int read(void) { return (s.a = (~s.a < 0)) == -1 ? 0 : 1; }
static void write(int v) { (void)v; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(0, 0))
C
run 0 "$asif" verify one.c --threads 1

# A struct that begins with unnamed bits, so that its first field is not where it begins.
cat >unnamed.c <<'C'
#include <asif.h>
struct b { unsigned : 7; unsigned short f : 10; unsigned g : 22; };
static struct b s;
static int read(void) { struct b q = s; q.g = 7; s = q; return s.g - 7; }
static void write(int v) { (void)v; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(0, 0))
C
run 0 "$asif" verify unnamed.c --threads 1
sed -i 's/unsigned : 7/unsigned h : 7/' unnamed.c
run 0 "$asif" verify unnamed.c --threads 1

# A stack of packed nodes, whose fields are not aligned.
cat >packed.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { char tag; int v; struct node *next; } __attribute__((packed));
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n), *t = top;
  n->v = v;
  do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));
}
static int pop(void) {
  struct node *t = top;
  do { if (!t) return ASIF_EMPTY; } while (!atomic_compare_exchange_strong(&top, &t, NEXT));
  return t->v;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
END
run 0 "$asif" verify packed.c --ops 2 -- '-DNEXT=t->next'
run 1 "$asif" verify packed.c --ops 2 -- '-DNEXT=NULL'; says 'not linearizable'

# Bit-fields that two operands store: whatever the order, both are stored; and one that is read has what it had.
cat >bits.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
struct fields { unsigned a : 3, b : 3; int c : 7; };
static struct fields shared;
static atomic_int n;
static int sum(int x, int y) { return x + y; }
static int fetch_add(void) {
  struct fields own = {0, 0, 0}, *p = &WHOSE;
  ALONE {
    p->a = 0, p->b = 0, p->c = -2;
    int s = sum((p->a = 1), (p->b = 2));
    assert(s == 3 && p->a == 1 && p->b == 2 && p->c == -2);
    s = (p->b = 5) + p->c;
    assert(s == 3 && p->a == 1 && p->b == 5);
    assert(p->WRONG);
  }
  (void)own;
  return atomic_fetch_add(&n, 1);
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
for alone in '' ASIF_ATOMIC; do
  for whose in own shared; do
    run 0 "$asif" verify bits.c -n 1 -- -DALONE=$alone -DWHOSE=$whose -DWRONG='a != 0'
    run 1 "$asif" verify bits.c -n 1 -- -DALONE=$alone -DWHOSE=$whose -DWRONG='c == 3'; says 'store p->b = 5'
  done
done

# A block that was taken apart into bytes is given again as any other: ABA.
cat >again.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct node {
  int value;
  struct node *_Atomic next;
};
static struct node *_Atomic top;
static void push(int v) {
  struct node *n = malloc(sizeof *n), *t = top;
  for (unsigned i = 0; i < sizeof v; i++) STORE;
  do n->next = t;
  while (!atomic_compare_exchange_strong(&top, &t, n));
}
static int pop(void) {
  struct node *t = top, *next;
  do {
    if (!t) return ASIF_EMPTY;
    next = t->next;
  } while (!atomic_compare_exchange_strong(&top, &t, next));
  int v = t->value;
  FREE(t);
  return v;
}
ASIF_TYPE_STABLE()
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_BOUND(3)
C
for store in 'n->value = v' '((char *)&n->value)[i] = ((char *)&v)[i]' '((char *)&n->value)[i] = i ? 0 : v'; do
  for reduce in best both; do
    run 1 "$asif" verify again.c -o 3 -r $reduce -- -DSTORE="$store" -DFREE=free; says 'not linearizable'
  done
  run 0 "$asif" verify again.c -o 3 -- -DSTORE="$store" '-DFREE(p)=(void)0'
done
