/* The C front end: programs and the trees they become, and programs that are refused, with what is said about them. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/ast.h"
#include "test.h"

/* What the model headers say, for texts that are not preprocessed. */
#define ASIF    "__asif_header(asif) "
#define ATOMIC  "__asif_header(stdatomic) "
#define STDLIB  "__asif_header(stdlib) typedef unsigned long size_t; "
#define PTHREAD "__asif_header(pthread) typedef __asif_mutex pthread_mutex_t; "
#define UINTPTR "typedef __asif_uintptr uintptr_t; "

struct front_case {
  const char *code, *says;
};

/* The dump of the code, or what is wrong with it. Never freed: a test is a process. */
static const char *read_text(const char *code) {
  struct mem *m = calloc(1, sizeof *m);
  struct problem *problem = calloc(1, sizeof *problem);
  struct text t;
  mem_open(m, NULL);
  struct unit *u = front_parse(m, "a.c", code, strlen(code), problem);
  if (!u) return problem->text;
  if (u->unread.count) {
    problem_at(problem, u, u->unread.at[0].place, "%s", u->unread.at[0].text);
    return problem->text;
  }
  text_open(&t, m);
  ast_print(u, &t);
  return text_string(&t);
}

static void expect_all(const struct front_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *got = read_text(cases[i].code);
    CHECKF(!strcmp(got, cases[i].says), "%s\nexpected:\n%s\ngot:\n%s", cases[i].code, cases[i].says, got);
  }
}
#define EXPECT_ALL(cases) expect_all((cases), sizeof(cases) / sizeof *(cases))

TEST(front_treiber_stack) {
  static const struct front_case cases[] = {{ASIF ATOMIC STDLIB
                                             "\n"
                                             "struct node { int val; struct node *next; };\n"
                                             "static _Atomic(struct node *) top;\n"
                                             "void push(int v) {\n"
                                             "  struct node *n = malloc(sizeof *n);\n"
                                             "  n->val = v;\n"
                                             "  n->next = top;\n"
                                             "  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;\n"
                                             "}\n"
                                             "int pop(void) {\n"
                                             "  struct node *t = top;\n"
                                             "  do if (!t) return -2147483647 - 1 + 4;\n"
                                             "  while (!atomic_compare_exchange_strong(&top, &t, t->next));\n"
                                             "  return t->val;\n"
                                             "}\n"
                                             "ASIF_OBJECT(stack)\n"
                                             "ASIF_OP(push, ASIF_IN(1, 3))\n"
                                             "ASIF_OP(pop);\n",
                                             "   3 global top: _Atomic(struct node *) [address taken]\n"
                                             "   4 function push: void (int)\n"
                                             "   4   parameter v: int\n"
                                             "   5   local n: struct node * = <struct node *>malloc(16u)\n"
                                             "   6   do n->val = v\n"
                                             "   7   do n->next = <struct node *>top\n"
                                             "   8   while !atomic_compare_exchange_strong(&top, &n->next, n)\n"
                                             "   8     nothing\n"
                                             "  10 function pop: int (void)\n"
                                             "  11   local t: struct node * = <struct node *>top [address taken]\n"
                                             "  12   repeat while !atomic_compare_exchange_strong(&top, &t, t->next)\n"
                                             "  12     if !t\n"
                                             "  12       return -2147483644\n"
                                             "  14   return t->val\n"
                                             "  16 object stack\n"
                                             "  17 operation push is push(1..3)\n"
                                             "  18 operation pop is pop()\n"}};
  EXPECT_ALL(cases);
}

TEST(front_declarations) {
  static const struct front_case cases[] = {
      {"int a, *b, c[3][2], *d[2];",
       "   1 global a: int\n   1 global b: int *\n   1 global c: int[2][3]\n   1 global d: int *[2]\n"},
      {"typedef const unsigned long T; T x = 1; extern int y; int y;",
       "   1 global x: const unsigned long = 1u\n   1 global y: int\n"},
      {"_Atomic int a; _Atomic(int) b; int *_Atomic c; _Atomic(int) *d;",
       "   1 global a: _Atomic(int)\n   1 global b: _Atomic(int)\n   1 global c: _Atomic(int *)\n   1 global d: "
       "_Atomic(int) "
       "*\n"},
      {"long long int unsigned a; signed char b; short int c; _Bool d; char e;",
       "   1 global a: unsigned long\n   1 global b: char\n   1 global c: short\n   1 global d: _Bool\n   1 global e: "
       "char\n"},
      {"int (*p)[4]; int (q); int (*(r[2]));",
       "   1 global p: int[4] *\n   1 global q: int\n   1 global r: int *[2]\n"},
      {"enum e { A, B = 5, C } x = C; int y[C]; enum { M = -1 };",
       "   1 global x: enum e = 6u\n   1 global y: int[6]\n"},
      {"struct s { char c; struct { short x, y; }; long z; } v; int n = sizeof v, o = __builtin_offsetof(struct s, z);",
       "   1 global v: struct s\n   1 global n: int = 16\n   1 global o: int = 8\n"},
      {"_Alignas(64) int a; struct s { char c; _Alignas(8) char d; } b; int n = sizeof(struct s), m = _Alignof(struct "
       "s);",
       "   1 global a: int\n   1 global b: struct s\n   1 global n: int = 16\n   1 global m: int = 8\n"},
      {"struct s { int x __attribute__((aligned(16))); char c; } __attribute__((aligned(64))); int n = sizeof(struct "
       "s);",
       "   1 global n: int = 64\n"},
      {"static inline __attribute__((unused)) int f(void) __attribute__((noinline)); int f(void) { return 1; }",
       "   1 function f: int (void)\n   1   return 1\n"},
      {"_Static_assert(sizeof(int) == 4, \"int\"); struct a; struct a *p; struct a { struct a *q; int x[2]; }; int n = "
       "sizeof "
       "*p;",
       "   1 global p: struct a *\n   1 global n: int = 16\n"},
      {"_Thread_local int t; void f(void) { static int s = 2; s++; }",
       "   1 thread local t: int\n   1 function f: void (void)\n   1   do s++\n   1 static local s: int = 2 "
       "[written]\n"},
      {"typedef int T; void f(void) { T T = 1; T++; }",
       "   1 function f: void (void)\n   1   local T: int = 1 [written]\n   1   do T++\n"},
      {"union u { int x; } a; int f(void) { return a.x; }",
       "   1 global a: union u\n   1 function f: int (void)\n   1   return a.x\n"},
      {"typedef struct { int x; } T; struct s { T; int y; }; int n = sizeof(struct s);", "   1 global n: int = 4\n"},
      {"const struct s { int x; } a = {1}; const struct s *p = &a; int f(void) { return p->x; }",
       "   1 global a: const struct s = {1} [address taken]\n   1 global p: const struct s * = &a\n   1 function f: "
       "int (void)\n"
       "   1   return p->x\n"},
  };
  EXPECT_ALL(cases);
}

TEST(front_initialisers) {
  static const struct front_case cases[] = {
      {"int a[] = {1, 2, [5] = 3, 4};", "   1 global a: int[7] = {1, 2, 0, 0, 0, 3, 4}\n"},
      {"struct p { int x, y; } a = {.y = 1}, b[2] = {{1, 2}, {3}}, c[2] = {1, 2, 3};",
       "   1 global a: struct p = {0, 1}\n   1 global b: struct p[2] = {{1, 2}, {3, 0}}\n   1 global c: struct p[2] = "
       "{{1, 2}, "
       "{3, 0}}\n"},
      {"struct { int a; struct { int b, c; } d; int e[2]; } x = {.d.c = 1, .e[1] = 2, .a = 3};",
       "   1 global x: struct = {3, {0, 1}, {0, 2}}\n"},
      {"char s[] = \"a\" \"b\"; unsigned char t[2] = \"\\xff\";",
       "   1 global s: char[3] = {97, 98, 0}\n   1 global t: unsigned char[2] = {255u, 0}\n"},
      {"int x = {1}, *p = &x, a[2], *q = a + 1, *r = &a[1], *z = 0;",
       "   1 global x: int = 1 [address taken]\n   1 global p: int * = &x\n   1 global a: int[2] [address taken]\n"
       "   1 global q: int * = (decay(a) + 1)\n   1 global r: int * = &decay(a)[1]\n   1 global z: int * = <int *>0\n"},
      {PTHREAD "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct { int x; pthread_mutex_t m; } s = {1, "
               "PTHREAD_MUTEX_INITIALIZER};",
       "   1 global m: pthread_mutex_t = 0\n   1 global s: struct = {1, 0}\n"},
      {"struct p { int x; struct { int y; }; }; int f(int v) { struct p a = {v, {2}}, b = a; struct p c[] = {a, {.y = "
       "v}}; "
       "return (struct "
       "p){1}.x + c[0].y; }",
       "   1 function f: int (int)\n   1   parameter v: int\n   1   local a: struct p = {v, {2}}\n   1   local b: "
       "struct p = a\n"
       "   1   local c: struct p[2] = {a, {0, {v}}}\n   1   return ((struct p){1, 0}.x + decay(c)[0].{}.y)\n"},
  };
  EXPECT_ALL(cases);
}

#define BODY \
  "   1 function f: int (int, unsigned, char)\n   1   parameter a: int\n   1   parameter b: unsigned\n   1   " \
  "parameter c: " \
  "char\n"
#define F(text) "int f(int a, unsigned b, char c) { return " text "; }"

TEST(front_conversions) {
  static const struct front_case cases[] = {
      {F("c"), BODY "   1   return <int>c\n"},
      {F("a + b"), BODY "   1   return <int>(<unsigned>a + b)\n"},
      {F("a < b"), BODY "   1   return (<unsigned>a < b)\n"},
      {F("c << b"), BODY "   1   return (<int>c << b)\n"},
      {F("a ? c : 1l"), BODY "   1   return <int>(a ? <long>c : 1)\n"},
      {F("-c + ~b + !c"), BODY "   1   return <int>((<unsigned>-<int>c + ~b) + <unsigned>!c)\n"},
      {F("(char)300 + 'a' + 0x10 + 010 + 0b11"), BODY "   1   return 168\n"},
      {F("1 ? 2 : a"), BODY "   1   return 2\n"},
      {F("7 / 2 * 2 % 4 - (1 << 3) + (5 > 3) + (2 || 0) + (-8 >> 1)"), BODY "   1   return -8\n"},
      {F("0xffffffff == -1"), BODY "   1   return 1\n"},
      {F("2147483647 + 1"), BODY "   1   return (2147483647 + 1)\n"},
      {F("1 / 0"), BODY "   1   return (1 / 0)\n"},
      {F("sizeof(a + 1l) + sizeof c + sizeof(int[3])"), BODY "   1   return 21\n"},
      {F("(a, b)"), BODY "   1   return <int>(a, b)\n"},
      {F("_Generic(a, long: 1, int: 2, default: 3)"), BODY "   1   return 2\n"},
      {F("a && b || c"), BODY "   1   return ((a && b) || c)\n"},
      {F("a & b ^ c | 1"), BODY "   1   return <int>(((<unsigned>a & b) ^ <unsigned>c) | 1u)\n"},
      {"void f(char c, long l, int *p, _Atomic int *q) { c += l; c++; p += c; *q += 1; *q = c; p[1] = *q; 1[p]--; l = "
       "p - &p[1]; "
       "}",
       "   1 function f: void (char, long, int *, _Atomic(int) *)\n"
       "   1   parameter c: char [written]\n   1   parameter l: long [written]\n   1   parameter p: int * [written]\n"
       "   1   parameter q: _Atomic(int) *\n   1   do c += in long: l\n   1   do c++\n   1   do p += c\n   1   do *q "
       "+= 1\n"
       "   1   do *q = <int>c\n   1   do p[1] = <int>*q\n   1   do p[1]--\n   1   do l = (p - &p[1])\n"},
      {UINTPTR
       "struct n *f(struct n *p) { uintptr_t u = (uintptr_t)p | 1; if (p == 0 || !p) return 0; return (struct n *)(u & "
       "~(uintptr_t)1); }",
       "   1 function f: struct n * (struct n *)\n   1   parameter p: struct n *\n   1   local u: uintptr_t = "
       "((uintptr_t)p | "
       "1u)\n"
       "   1   if ((p == <struct n *>0) || !p)\n   1     return <struct n *>0\n   1   return (struct n *)(u & "
       "18446744073709551614u)\n"},
      {"_Atomic(struct p { int x, y; }) a; int f(void) { struct p b = a; b.x++; a = b; return b.y; }",
       "   1 global a: _Atomic(struct p) [written]\n   1 function f: int (void)\n   1   local b: struct p = <struct "
       "p>a "
       "[written]\n"
       "   1   do b.x++\n   1   do a = b\n   1   return b.y\n"},
  };
  EXPECT_ALL(cases);
}

TEST(front_statements) {
  static const struct front_case cases[] = {
      {"int f(int x) {\n"
       "  for (int i = 0, j = 1; i < x; i++) { if (i == j) continue; else break; }\n"
       "  for (;;) { goto out; }\n"
       "again:\n"
       "  switch (x) { case 1: case 2: x = 3; break; default: ; }\n"
       "  while (x) x--;\n"
       "  if (x) goto again;\n"
       "out: { int y = x; x = y; }\n"
       "  return x;\n"
       "}\n",
       "   1 function f: int (int)\n"
       "   1   parameter x: int [written]\n"
       "   2   for (i < x)\n"
       "   2     first\n"
       "   2       local i: int = 0 [written]\n"
       "   2       local j: int = 1\n"
       "   2     step i++\n"
       "   2     if (i == j)\n"
       "   2       continue\n"
       "   2     else\n"
       "   2       break\n"
       "   3   for\n"
       "   3     goto out\n"
       "   4   label again\n"
       "   5     switch x\n"
       "   5       case 1\n"
       "   5         case 2\n"
       "   5           do x = 3\n"
       "   5       break\n"
       "   5       default\n"
       "   5         nothing\n"
       "   6   while x\n"
       "   6     do x--\n"
       "   7   if x\n"
       "   7     goto again\n"
       "   8   label out\n"
       "   8     local y: int = x\n"
       "   8     do x = y\n"
       "   9   return x\n"},
      {ASIF
       "int x; void f(void) { ASIF_ATOMIC { x++; while (x) break; } ASIF_LIN(); asif_yield(); asif_require(x > 1); x = "
       "asif_choose(3); }",
       "   1 global x: int [written]\n   1 function f: void (void)\n   1   atomic\n   1     do x++\n   1     while x\n "
       "  1       "
       "break\n"
       "   1   do ASIF_LIN()\n   1   do asif_yield()\n   1   do asif_require((x > 1))\n   1   do x = asif_choose(3)\n"},
  };
  EXPECT_ALL(cases);
}

TEST(front_known_functions) {
  static const struct front_case cases[] = {
      {ATOMIC
       "_Atomic long x; _Atomic _Bool b; void f(long e) { atomic_store(&x, 1); e = atomic_fetch_add_explicit(&x, 2, "
       "3);\n"
       "e = atomic_exchange(&x, 1); atomic_compare_exchange_weak_explicit(&x, &e, 3, 5, 5); "
       "atomic_flag_test_and_set(&b);\n"
       "atomic_thread_fence(5); __atomic_compare_exchange_n(&x, &e, 1, 1, 5, 5); e = __sync_sub_and_fetch(&x, 1);\n"
       "if (__builtin_expect(e == 1, 1)) __sync_lock_release(&x); atomic_init(&x, 0); }",
       "   1 global x: _Atomic(long) [address taken]\n   1 global b: _Atomic(_Bool) [address taken]\n   1 function f: "
       "void "
       "(long)\n"
       "   1   parameter e: long [address taken] [written]\n   1   do atomic_store(&x, 1)\n   1   do e = "
       "atomic_fetch_add_explicit(&x, 2)\n"
       "   2   do e = atomic_exchange(&x, 1)\n   2   do atomic_compare_exchange_weak_explicit(&x, &e, 3)\n"
       "   2   do atomic_flag_test_and_set(&b)\n   3   do atomic_thread_fence()\n   3   do "
       "__atomic_compare_exchange_n(&x, &e, "
       "1)\n"
       "   3   do e = __sync_sub_and_fetch(&x, 1)\n   4   if <long>(e == 1)\n   4     do "
       "__sync_lock_release(&x)\n"
       "   4   do atomic_init(&x, 0)\n"},
      {PTHREAD STDLIB
       "pthread_mutex_t m; void f(int *p) { pthread_mutex_init(&m, 0); if (pthread_mutex_trylock(&m) == 0) "
       "pthread_mutex_unlock(&m); p = calloc(2, sizeof *p); free(p); abort(); }",
       "   1 global m: pthread_mutex_t [address taken]\n   1 function f: void (int *)\n   1   parameter p: int * "
       "[written]\n"
       "   1   do pthread_mutex_init(&m)\n   1   if (pthread_mutex_trylock(&m) == 0)\n   1     do "
       "pthread_mutex_unlock(&m)\n"
       "   1   do p = <int *>calloc(2u, 4u)\n   1   do free(<void *>p)\n   1   do abort()\n"},
      {PTHREAD
       "pthread_mutex_t m; int f(void) { if (!pthread_mutex_trylock(&m)) return 1; return pthread_mutex_trylock(&m); }",
       "   1 global m: pthread_mutex_t [address taken]\n   1 function f: int (void)\n   1   if "
       "!pthread_mutex_trylock(&m)\n"
       "   1     return 1\n   1   return (pthread_mutex_trylock(&m) ? 16 : 0)\n"},
      {"__asif_header(assert) __asif_header(string) struct s { int x; } a, b; void f(void) { assert(a.x && \"why\"); "
       "memcpy(&a, "
       "&b, sizeof a); }",
       "   1 global a: struct s [address taken]\n   1 global b: struct s [address taken]\n   1 function f: void "
       "(void)\n"
       "   1   do assert((a.x && 1))\n   1   do memcpy(<void *>&a, <void *>&b, 4u)\n"},
  };
  EXPECT_ALL(cases);
}

TEST(front_harness) {
  static const struct front_case cases[] = {
      {ASIF
       "void w(int a, long b); int r(void); void start(void); void w(int a, long b) {} int r(void) { return 0; } void "
       "start(void) {} struct y { int n; }; void o(struct y *s) {}\n"
       "ASIF_OBJECT(bounded_queue(2 * 2)) ASIF_OP(w, ASIF_IN(-1, 5)); ASIF_OP_AS(read, r) ASIF_INIT(start) "
       "ASIF_BOUND(1 + 2)\n"
       "ASIF_ROLE(writer, 1, w) ASIF_ROLE(reader, ASIF_REST, r, w) ASIF_TYPE_STABLE() ASIF_SPEC(x, struct y) "
       "ASIF_SPEC_OP(o, \"a "
       "b\")",
       "   1 function w: void (int, long)\n   1   parameter a: int\n   1   parameter b: long\n   1 function r: int "
       "(void)\n   "
       "1   return 0\n"
       "   1 function start: void (void)\n   1 function o: void (struct y *)\n   1   parameter s: struct y *\n"
       "   2 object bounded-queue(4)\n   2 operation w is w(-1..5, 1..2)\n   2 operation read "
       "is r()\n"
       "   3 role writer, 1: w\n   3 role reader, the rest: r w\n     init start\n     bound 3\n     type stable\n"},
      {ASIF "int register_read(void) { return 0; } ASIF_OBJECT(register) ASIF_OP_AS(read, register_read)",
       "   1 function register_read: int (void)\n   1   return 0\n   1 object register\n   1 operation read is "
       "register_read()\n"},
  };
  EXPECT_ALL(cases);
}

/* Only the first line of what is said: the source line and the caret follow. */
static void expect_refused(const struct front_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *got = read_text(cases[i].code);
    size_t length = strcspn(got, "\n");
    CHECKF(length == strlen(cases[i].says) && !memcmp(got, cases[i].says, length), "%s\nexpected:\n%s\ngot:\n%s",
           cases[i].code, cases[i].says, got);
  }
}
#define REFUSED(cases) expect_refused((cases), sizeof(cases) / sizeof *(cases))
#define OUTSIDE        " is outside the C that verify reads"

TEST(front_outside) {
  static const struct front_case cases[] = {
      {"int f(int x) { return x * 1.5L; }", "a.c:1:27: arithmetic on 'long double'" OUTSIDE},
      {"int x = 1e3L;", "a.c:1:9: arithmetic on 'long double'" OUTSIDE},
      {"int n; int a[n];", "a.c:1:14: an array whose size is not a constant" OUTSIDE},
      {"void f(int n) { struct { int a[n]; } s; }", "a.c:1:30: a field whose size is not a constant" OUTSIDE},
      {"struct s { _Atomic int x : 3; };", "a.c:1:24: a bit-field that is _Atomic" OUTSIDE},
      {"struct s { int a[]; int n; };",
       "a.c:1:16: an array without a size that is not the last of several fields" OUTSIDE},
      {"void f(void) { __asm__ volatile(\"cli\"); }", "a.c:1:16: inline assembly" OUTSIDE},
      {"void f(void) { goto *0; }", "a.c:1:16: a goto to a computed place" OUTSIDE},
      {"void f(void) { void *p = &&l; l: ; }", "a.c:1:26: the address of a label" OUTSIDE},
      {"int x = L'a';", "a.c:1:9: a wide character or string" OUTSIDE},
      {"int x = '\\u1234';", "a.c:1:9: a character named by its number" OUTSIDE},
      {"void f(void) { sprintf(\"x\"); }", "a.c:1:16: sprintf" OUTSIDE},
      {"int f(void) { return __builtin_popcountg(1); }", "a.c:1:22: __builtin_popcountg" OUTSIDE},
      {"_Atomic(struct s { int x; }) a; int f(void) { return a.x; }",
       "a.c:1:55: a field of an _Atomic struct, used without loading the whole," OUTSIDE},
      {ATOMIC "int *_Atomic p; void f(void) { atomic_fetch_or(&p, 1); }",
       "a.c:1:73: atomic_fetch_or on a pointer" OUTSIDE},
      {"struct s { int a[2]; } g(void) { struct s x = {{1}}; return x; } int f(void) { return g().a[0]; }",
       "a.c:1:90: an array within a value that is no variable" OUTSIDE},
  };
  REFUSED(cases);
}

/* What is read, though nothing that an operation reaches may use it. */
TEST(front_read_only) {
  static const struct front_case cases[] = {
      {"float x; double y = 1.5; long double z; const float w = 1.5f, v = 0;",
       "   1 global x: float\n   1 global y: double = 4609434218613702656\n   1 global z: long double\n"
       "   1 global w: const float = 1069547520\n   1 global v: const float = 0\n"},
      {"__int128 x; unsigned __int128 y; int n = sizeof x;",
       "   1 global x: __int128\n   1 global y: unsigned __int128\n   1 global n: int = 16\n"},
      {"int f(int n, ...) { return n; } int g(void) { return f(1, 2, \"x\"); }",
       "   1 function f: int (int, ...)\n   1   parameter n: int\n   1   return n\n"
       "   1 function g: int (void)\n   1   return f(1, 2, decay(\"x\"))\n"},
      {"struct s { int x : 3, : 0, y : 5; unsigned long z : 40; } a; int n = sizeof a;",
       "   1 global a: struct s\n   1 global n: int = 16\n"},
      {"struct s { int n; int a[]; } *p; int n = sizeof *p;", "   1 global p: struct s *\n   1 global n: int = 4\n"},
      {"union u { int x; long y; char z[9]; }; int n = sizeof(union u);", "   1 global n: int = 16\n"},
      {"struct __attribute__((packed)) s { char c; int x; }; int n = sizeof(struct s);", "   1 global n: int = 5\n"},
      {"struct s {}; int n = sizeof(struct s), a[0], m = sizeof a;",
       "   1 global n: int = 0\n   1 global a: int[0]\n   1 global m: int = 0\n"},
      {"int x; int f(void) { extern int x; int g(void); return x + g(); } int g(void) { return 1; }",
       "   1 global x: int\n   1 function f: int (void)\n   1   return (x + g())\n   1 function g: int (void)\n"
       "   1   return 1\n"},
      {"typedef int word __attribute__((mode(DI))); typedef int wide __attribute__((aligned(32))); "
       "struct s { char c; wide w; }; int n = sizeof(word), m = sizeof(struct s);",
       "   1 global n: int = 8\n   1 global m: int = 64\n"},
      {"enum e { A = 1, B = 0x80000000, C = 0x100000000 }; int n = sizeof(enum e), m = sizeof B, o = sizeof C;",
       "   1 global n: int = 8\n   1 global m: int = 4\n   1 global o: int = 8\n"},
  };
  EXPECT_ALL(cases);
}

TEST(front_wrong_names) {
  static const struct front_case cases[] = {
      {"int f(int count) { return cuont; }", "a.c:1:27: cuont is not declared; count would be right"},
      {"int f(void) { return x; }", "a.c:1:22: x is not declared"},
      {"int f(void) { return atomic_load(0); }",
       "a.c:1:22: atomic_load is not declared; #include <stdatomic.h> would be right"},
      {"struct s { int next; } *p; int f(void) { return p->nxet; }",
       "a.c:1:52: 'struct s' has no field 'nxet'; 'next' would be right"},
      {"struct s { int a; } *p; int f(void) { return p->zz; }", "a.c:1:49: 'struct s' has no field 'zz'"},
      {"struct s { int a; } *p; int f(void) { return p.a; }", "a.c:1:47: '.' on a pointer; '->' would be right"},
      {"int x; int f(void) { return x.a; }", "a.c:1:30: 'int' is no struct"},
      {"struct s *p; int f(void) { return p->a; }", "a.c:1:36: a field of 'struct s', which is incomplete here"},
      {"nod *p;", "a.c:1:1: expected a declaration, found 'nod'"},
      {"typedef int node; nod *p;", "a.c:1:19: nod is no type; node would be right"},
      {"int x; long x;", "a.c:1:13: x is declared twice, and differently"},
      {"void f(void) { int x; int x; }", "a.c:1:27: x is declared twice"},
      {"void f(void) {} void f(void) {}", "a.c:1:22: f is defined twice"},
      {"struct s { int a; }; struct s { int b; };", "a.c:1:29: s is defined twice"},
      {"struct s { int a, a; };", "a.c:1:19: two fields are called a"},
      {"int f(int x) { if (x) { return g(1); } return g(2); }\nint h(void) { return 0; }\nint g(int v) { return v; }",
       "a.c:1:32: g is declared only below, in line 3: declare it before this line"},
      {"int f(int x) { if (x) { return g(1); } return g(2); }\nint h(int v) { return g(v); }",
       "a.c:1:32: g is not declared"},
      {"void f(void) { goto l; }", "a.c:1:21: there is no label l"},
      {"void f(void) { l: ; l: ; }", "a.c:1:21: the label l appears twice"},
      {"enum e x;", "a.c:1:6: there is no enum e"},
  };
  REFUSED(cases);
}

TEST(front_wrong_types) {
  static const struct front_case cases[] = {
      {"int g(int a) { return a; } int f(void) { return g(1, 2); }", "a.c:1:49: g takes 1 argument, not 2"},
      {"int *p; long *q; void f(void) { p = q; }", "a.c:1:37: 'long *' given to something of type 'int *'"},
      {"int *p; void f(void) { p = 1; }", "a.c:1:28: 'int' given to something of type 'int *'"},
      {"struct s { int a; } x; int f(void) { return x; }", "a.c:1:45: 'struct s' given to a function of type 'int'"},
      {"struct s { int a; } x; int f(void) { return x + 1; }",
       "a.c:1:47: this operator needs an integer, not 'struct s'"},
      {"struct s { int a; } x; int f(void) { return !x; }",
       "a.c:1:46: a condition is a number or a pointer, not 'struct s'"},
      {"int *p; int f(void) { return p * 2; }", "a.c:1:32: 'int *' and 'int' cannot be combined so"},
      {"int *p; int f(void) { return p == 2; }", "a.c:1:32: 'int *' compared with 'int'"},
      {"const int x = 1; void f(void) { x = 2; }", "a.c:1:35: assignment to something that is const"},
      {"const struct s { int a; } x = {1}; void f(void) { x.a = 2; }",
       "a.c:1:55: assignment to something that is const"},
      {"void f(void) { 1 = 2; }", "a.c:1:18: this is no variable, so nothing can be assigned to it"},
      {"int a[2], b[2]; void f(void) { a = b; }", "a.c:1:34: an array cannot be assigned to as a whole"},
      {"int x; int f(void) { return *x; }", "a.c:1:29: * needs a pointer, not 'int'"},
      {"void *p; int f(void) { return *p; }",
       "a.c:1:31: a 'void *' cannot be read; a cast to the right type would be right"},
      {"int f(int *p) { return (int)p; }", "a.c:1:24: a pointer cast to 'int'; uintptr_t would be right"},
      {"int *f(int x) { return (int *)x; }", "a.c:1:24: 'int' cast to a pointer; uintptr_t would be right"},
      {"struct s { int x : 33; };", "a.c:1:16: a bit-field of 33 bits"},
      {"struct s { int x : 0; };", "a.c:1:16: a bit-field of 0 bits"},
      {"struct s { int x : 3; } y; int *f(void) { return &y.x; }", "a.c:1:50: a bit-field has no address"},
      {"union u { int a, b; } x = {1, 2};", "a.c:1:31: a second value for a union"},
      {"int *f(void) { return &1; }", "a.c:1:23: & needs a variable"},
      {"int f(void) { return; }", "a.c:1:15: return without a value from a function of 'int'"},
      {"void f(void) { return 1; }", "a.c:1:23: return with a value from a function of 'void'"},
      {"int f(int x) { return x(); }", "a.c:1:23: 'int' is called, which is not a function"},
      {"struct s x;", "a.c:1:10: a variable of type 'struct s', which is incomplete here"},
      {"int n = sizeof(struct s);", "a.c:1:9: the size of 'struct s', which is incomplete here"},
      {"int a[2] = {1, 2, 3};", "a.c:1:19: more values than 'int[2]' has room for"},
      {"int a[1 << 30];", "a.c:1:6: an object of more than 1048576 scalars is too large for verify"},
      {"int y; int x = y;", "a.c:1:16: the initialiser of something static must be a constant"},
      {"unsigned float x;", "a.c:1:1: these words make no type together"},
      {"static static int x;", "a.c:1:8: 'static' appears twice"},
      {"void f(typedef int x) {}", "a.c:1:8: typedef, static, extern or _Thread_local where only a type may stand"},
      {"long char x;", "a.c:1:1: these words make no type together"},
      {"_Static_assert(sizeof(int) == 8, \"int has 8 bytes\");", "a.c:1:1: _Static_assert fails: int has 8 bytes"},
      {"int x; int a[x];", "a.c:1:14: an array whose size is not a constant is outside the C that verify reads"},
      {"int f(int x) { switch (x) { case 1: case 1: ; } return 0; }", "a.c:1:37: case 1 appears twice"},
      {ATOMIC "_Atomic int x; void f(long e) { atomic_compare_exchange_strong(&x, &e, 1); }",
       "a.c:1:93: atomic_compare_exchange_strong expects its second argument to be 'int *', not 'long *'"},
      {ATOMIC "_Atomic int x; void f(void) { atomic_store(x, 1); }",
       "a.c:1:69: atomic_store needs a pointer, not 'int'"},
      {PTHREAD "int x; void f(void) { pthread_mutex_lock(&x); }",
       "a.c:1:103: pthread_mutex_lock needs a pointer to a mutex, not 'int *'"},
  };
  REFUSED(cases);
}

TEST(front_wrong_syntax) {
  static const struct front_case cases[] = {
      {"int x", "a.c:1:1: expected ';', found the end of the file"},
      {"int f(void) { return 1 }", "a.c:1:24: expected ';', found '}'"},
      {"int f(void) { if (1 return 1; }", "a.c:1:21: expected ')', found 'return'"},
      {"void f(void) {", "a.c:1:14: '{' without the '}' that closes it"},
      {"int x = ;", "a.c:1:9: expected an expression, found ';'"},
      {"int x = @;", "a.c:1:9: '@' has no meaning in C here"},
      {"int 3x;", "a.c:1:5: 3x is no number"},
      {"int x = 99999999999999999999;", "a.c:1:9: a number of more than 64 bits"},
      {"/* x", "a.c:1:1: a comment that does not end"},
      {"char *s = \"x", "a.c:1:11: a string that does not end"},
      {"void f(void) { break; }", "a.c:1:16: break outside a loop"},
      {"void f(void) { case 1: ; }", "a.c:1:16: case outside a switch"},
      {"void f(void) { if (1) int x; }",
       "a.c:1:23: a declaration where only a statement may stand; braces around it would be right"},
      {ASIF "void f(void) { while (1) ASIF_ATOMIC { break; } }",
       "a.c:1:60: break would only leave ASIF_ATOMIC; goto would be right"},
  };
  REFUSED(cases);
}

TEST(front_wrong_harness) {
  static const struct front_case cases[] = {
      {ASIF "ASIF_OBJECT()", "a.c:1:33: expected the name of a specification, such as ASIF_OBJECT(stack), found ')'"},
      {ASIF "ASIF_OBJECT(stack) ASIF_OBJECT(queue)", "a.c:1:40: a second ASIF_OBJECT; a file is about one object"},
      {ASIF "int push(int v) { return v; } ASIF_OP(puhs)", "a.c:1:59: there is no function puhs; push would be right"},
      {ASIF "int f(int *p) { return 0; } ASIF_OP(f)", "a.c:1:49: an operation takes int or long, not 'int *'"},
      {ASIF "int *f(void) { return 0; } ASIF_OP(f)",
       "a.c:1:48: an operation returns void, bool, int or long, not 'int *'"},
      {ASIF "int f(int a) { return a; } ASIF_OP(f, ASIF_IN(3, 1))", "a.c:1:59: ASIF_IN(3, 1) has no values"},
      {ASIF "int f(int a) { return a; } ASIF_OP(f, ASIF_IN(0, 3000000000))",
       "a.c:1:59: a parameter of type 'int' does not hold all values of ASIF_IN"},
      {ASIF "int f(void) { return 0; } ASIF_OP(f, ASIF_IN(1, 2))",
       "a.c:1:47: f takes fewer arguments than there are ASIF_IN"},
      {ASIF "ASIF_OP(f)\nASIF_OP(f)\nint g(int f) { return f; }\nint f(void) { return 0; }",
       "a.c:1:29: f is declared only below, in line 4: this line belongs after it"},
      {ASIF "ASIF_OP(f)\nint g(int f) { return f; }",
       "a.c:1:29: there is no function f in this file, nor in those that it includes"},
      {ASIF "int f; ASIF_OP(f)", "a.c:1:36: f is a variable, not a function"},
      {ASIF "enum { F }; typedef int T; ASIF_OP(F)", "a.c:1:56: F is a constant, not a function"},
      {ASIF "enum { F }; typedef int T; ASIF_OP(T)", "a.c:1:56: T is a type, not a function"},
      {ASIF "int f(void) { return 0; } int g(void) { return 0; } ASIF_OP(f) ASIF_ROLE(r, 1, g)",
       "a.c:1:84: g has no ASIF_OP"},
      {ASIF "void f(void) {} ASIF_ROLE(r, 0, f)", "a.c:1:37: a role has 1 to 1000 threads, or ASIF_REST"},
      {ASIF "ASIF_BOUND(-1)", "a.c:1:21: a bound below zero"},
      {ASIF "ASIF_NOTHING(1)", "a.c:1:21: ASIF_NOTHING is no macro of asif.h that stands outside functions"},
  };
  REFUSED(cases);
}

TEST(front_caret) {
  CHECK(!strcmp(read_text("int x;\nint f(void) {\n\treturn x +\ty;\n}\n"),
                "a.c:3:13: y is not declared\n\treturn x +\ty;\n\t          \t^"));
  CHECK(!strcmp(read_text("# 7 \"b.c\"\n\n\nint f(void) { return y; }\n"), "b.c:9:1: y is not declared"));
}

/* Nothing is nested so deep that the stack runs out. */
TEST(front_depth) {
  static const struct {
    const char *before, *again, *after, *says;
  } cases[] = {
      {"int x = ", "(", "1;", "nested more than"},
      {"int x = ", "-", "1;", "nested more than"},
      {"int x = 1", " ? 1 : 1", ";", ""},
      {"int x; int f(void) { return x", " + x", "; }", "nested more than"},
      {"void f(void) { ", "{", "}", "nested more than"},
      {"void f(void) { ", "if (1) ", "; }", "nested more than"},
      {"void f(void) { ", "if (1) ; else ", "; }", "nested more than"},
      {"int ", "*", "p;", "nested more than"},
      {"int ", "(", "p;", ""},
      {"int p", "[1]", ";", "nested more than"},
      {"int p[] = ", "{", "1};", "nested more than"},
      {"struct s { int x; } *p; int y = ", "sizeof ", "p;", "nested more than"},
      {"", "struct { ", "int x; };", "nested more than"},
      {"int x = ", "sizeof(int[", "1;", "nested more than"},
      {"int x = ", "(int)", "1;", "nested more than"},
      {"int x; void f(void) { x", " = x", "; }", "nested more than"},
      {"void f(void) { ", "l: ", "; }", "appears twice"},
      {"int x = 1", ", y = 1", ";", ""},
      {"void f", "(int a", ")", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mem m;
    struct text t;
    mem_open(&m, NULL);
    text_open(&t, &m);
    text_add(&t, cases[i].before);
    for (int k = 0; k < 20000; k++) text_add(&t, cases[i].again);
    text_add(&t, cases[i].after);
    const char *got = read_text(t.at);
    CHECKF(strstr(got, cases[i].says), "%s%s: %.300s", cases[i].before, cases[i].again, got);
    mem_close(&m);
  }
}

/* Files, with the system's preprocessor. */
struct own_file {
  char folder[64], path[80];
};

static void make_file(struct own_file *f, const char *code) {
  snprintf(f->folder, sizeof f->folder, "/tmp/asif-front-%d", (int)getpid());
  snprintf(f->path, sizeof f->path, "%s/a.c", f->folder);
  mkdir(f->folder, 0700);
  FILE *file = fopen(f->path, "w");
  CHECK(file);
  fputs(code, file);
  fclose(file);
  setenv("TMPDIR", f->folder, 1); /* so that what is left behind can be seen */
}

static void remove_file(struct own_file *f) {
  unlink(f->path);
  CHECKF(!rmdir(f->folder), "something was left in %s", f->folder);
}

/* What is said after the path, or "" if the file is read. */
static const char *read_own(const char *code, char *const *cc_args) {
  struct mem *m = calloc(1, sizeof *m);
  struct problem *problem = calloc(1, sizeof *problem);
  struct own_file f;
  mem_open(m, NULL);
  make_file(&f, code);
  struct unit *u = front_read(m, f.path, cc_args, problem);
  remove_file(&f);
  if (u && !u->unread.count) return "";
  if (u) problem_at(problem, u, u->unread.at[0].place, "%s", u->unread.at[0].text);
  CHECKF(!strncmp(problem->text, f.path, strlen(f.path)), "%s", problem->text);
  return problem->text + strlen(f.path);
}

static void expect_own(const char *code, const char *says) {
  const char *got = read_own(code, NULL);
  CHECKF(!strcmp(got, says), "%s\nexpected: %s\ngot: %s", code, says, got);
}

TEST(front_files) {
  expect_own(
      "#include <asif.h>\n#include <assert.h>\n#include <errno.h>\n#include <inttypes.h>\n#include <limits.h>\n"
      "#include <pthread.h>\n#include <sched.h>\n#include <stdalign.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n"
      "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <stdnoreturn.h>\n"
      "#include <string.h>\n#include <threads.h>\nint x = ASIF_FULL, y = EBUSY; uint64_t z = UINT64_C(1); atomic_int "
      "a;\n",
      "");
  expect_own("#include <unistd.h>\n", "");
  expect_own("#include <none.h>\n",
             ":1:10: <none.h> is not found; -I says in which folder to look\n#include <none.h>\n         ^");
  expect_own("#include \"none.h\"\n",
             ":1:10: none.h is not found; -I says in which folder to look\n#include \"none.h\"\n         ^");
  expect_own(
      "#include <stddef.h>\nint *p;\nint f(void) { if (p ==  NULL) return  z; }\n",
      ":3:39: z is not declared\nint f(void) { if (p ==  NULL) return  z; }\n                                      ^");
  expect_own("#define A(x) ((x) + 1)\nint f(int a) { return A(a) + A(b); }\n",
             ":2:32: b is not declared\nint f(int a) { return A(a) + A(b); }\n                               ^");
  expect_own("#define E 1.5L\nint f(int a) { return a + E; }\n",
             ":2:27: arithmetic on 'long double'" OUTSIDE
             "\nint f(int a) { return a + E; }\n                          ^");
  char *const args[] = {"-DX=1", "-UY", NULL};
  CHECK(!*read_own("int x = X;\n", args));
}

TEST(front_no_compiler) {
  setenv("CC", "no-such-compiler", 1);
  CHECK(strstr(read_own("int x;\n", NULL), ": no-such-compiler, which preprocesses it, could not be run"));
  setenv("CC", "false", 1);
  CHECK(strstr(read_own("int x;\n", NULL), ": cannot be preprocessed"));
}

/* A compiler that does not end is ended with the time limit, and leaves nothing behind. */
TEST(front_compiler_that_hangs) {
  struct own_file f;
  struct limits limits;
  struct mem m;
  struct problem problem;
  make_file(&f, "int x;\n");
  setenv("CC", "tail -f /dev/null --", 1);
  limits_start(&limits, 0.3, 0);
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) {
    CHECK(limits.reached == LIMIT_TIME);
    mem_close(&m);
    remove_file(&f);
    return;
  }
  front_read(&m, f.path, NULL, &problem);
  test_fail(__FILE__, __LINE__, problem.text);
}

/* Every object that comes with Asif is read. */
static int read_folder(const char *folder) {
  int count = 0;
  char path[600];
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t n = strlen(e->d_name);
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (n < 3 || strcmp(e->d_name + n - 2, ".c")) continue;
    struct mem m;
    struct problem problem;
    struct text t;
    mem_open(&m, NULL);
    struct unit *u = front_read(&m, path, NULL, &problem);
    CHECKF(u, "%s", problem.text);
    text_open(&t, &m);
    ast_print(u, &t);
    CHECK(u->harness.spec && t.count > 100);
    mem_close(&m);
    count++;
  }
  if (d) closedir(d);
  return count;
}

TEST(front_objects) { CHECK(read_folder("objects") > 10 && read_folder("objects/bugs") > 5); }

/* What fuzzing found stays found. */
TEST(front_fuzz_corpus) {
  static char bytes[1 << 20];
  int count = 0;
  DIR *d = opendir("tests/fuzz/corpus-front");
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[600];
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "tests/fuzz/corpus-front/%s", e->d_name);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t n = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[n] = 0;
    CHECK(*read_text(bytes));
    count++;
  }
  if (d) closedir(d);
  CHECK(count > 3);
}
