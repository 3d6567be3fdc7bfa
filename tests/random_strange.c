/* Random objects of the C that is easily misread (random_object.h): integers of every width, with what C leaves
 * undefined among it; operands in no order; addresses as numbers; results that are no numbers, of every type; two keys;
 * loops that wait, and locks that are kept; what shipped code is written in. They are made from patterns, in which
 *
 *   @ is an expression, V one that is not constant: compilers say nothing of what is undefined in constants
 *     $ a statement    # a type    {:right`wrong`...:} one of these (they do not nest)
 *
 * A number's remainder by STRANGE_FAMILIES is its family; what shipped code is written in is from CONSTRUCTS_FIRST on.
 */
#include <string.h>

#include "base/hash.h"
#include "random_object.h"

static const char includes[] = "#include <asif.h>\n#include <assert.h>\n#include <pthread.h>\n#include "
                               "<stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\n";
static const char preprocessed[] =
    "__asif_header(asif) __asif_header(assert) __asif_header(pthread) __asif_header(stdatomic) __asif_header(stdint) "
    "__asif_header(stdlib)\n"
    "typedef __asif_mutex pthread_mutex_t; typedef _Atomic(int) atomic_int; typedef _Atomic(_Bool) atomic_bool; "
    "typedef _Bool bool; typedef __asif_uintptr uintptr_t; typedef __asif_intptr intptr_t;\n"
    "enum { false, true, ASIF_OK = -2147483647 - 1, ASIF_NIL, ASIF_TRUE, ASIF_FALSE, ASIF_EMPTY, ASIF_FULL };\n";

struct writer {
  struct text *t;
  uint64_t seed;
  unsigned depth, mistakes; /* one in so many choices is wrong; 0: none */
};

static unsigned below(struct writer *w, unsigned n) {
  w->seed = hash_mix(w->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(w->seed >> 20) % n;
}

static void put(struct writer *w, const char *s) { text_add(w->t, s); }
static void fill(struct writer *w, const char *pattern, const char *end);
static void fill_all(struct writer *w, const char *pattern) { fill(w, pattern, pattern + strlen(pattern)); }

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PICK(w, ...) \
  ((const char *const[]){__VA_ARGS__}[below(w, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))])

static const char *number_type(struct writer *w) {
  return PICK(w, "signed char", "unsigned char", "short", "unsigned short", "int", "int", "unsigned", "long",
              "unsigned long");
}

static const char *type(struct writer *w) { return below(w, 10) ? number_type(w) : "_Bool"; }

static void expression(struct writer *w, bool varies) {
  if (w->depth >= 2 || !below(w, 3)) {
    put(w, varies || below(w, 2)
               ? PICK(w, "r", "s", "t", "k")
               : PICK(w, "0", "1", "2", "3", "7", "31", "32", "40", "(-1)", "(-2)", "127", "128", "255", "256", "65535",
                      "2147483647", "(-2147483647 - 1)", "2147483648u", "1u", "1L", "63"));
    return;
  }
  w->depth++;
  fill_all(w, PICK(w, "(V + @)", "(V - @)", "(V * @)", "(V / @)", "(V % @)", "(V << @)", "(V >> @)", "(V << (@ & 7))",
                   "(V >> (@ & 15))", "(V & @)", "(V | @)", "(V ^ @)", "(V < @)", "(V <= @)", "(V == @)", "(V != @)",
                   "(V && @)", "(V || @)", "(-V)", "(~V)", "(!V)", "((#)V)", "((#)V)", "((#)(V + @))", "(V ? @ : @)",
                   "(V & 1)", "(V + sizeof(#))"));
  w->depth--;
}

static void statement(struct writer *w) {
  unsigned depth = w->depth;
  if (depth < 2 && !below(w, 4)) {
    w->depth = depth + 1;
    fill_all(w, PICK(w, "if (@) $ else $", "if (@) $", "for (int i = 0; i < 2; i++) $", "{ $ $ }",
                     "switch (@) { case 0: $ break; case 1: $ default: $ }"));
  } else {
    w->depth = 0;
    fill_all(w, PICK(w, "r = @;", "s = @;", "t = @;", "r += @;", "s -= @;", "t *= @;", "r <<= @;", "s >>= @;",
                     "t /= @;", "s %= @;", "r ^= @;", "t &= @;", "r++;", "--s;", "t++;", "s = r--;", "a = @;", "b = @;",
                     "r = a;", "s = b;", "t = a;", "r = atomic_fetch_add(&a, @);", "s = atomic_fetch_sub(&b, @);",
                     "t = atomic_exchange(&a, @);", "r = atomic_fetch_xor(&b, @);", "s = atomic_fetch_or(&a, @);",
                     "a++;", "r = ++b;", "b |= @;", "c = @;", "t = c;", "c++;", "if (@) return @;"));
  }
  w->depth = depth;
}

static const char *choice(struct writer *w, const char *at, const char *close) {
  unsigned count = 1;
  for (const char *c = at; c < close; c++) count += *c == '`';
  unsigned which = w->mistakes && !below(w, w->mistakes) ? 1 + below(w, count - 1) : 0;
  for (; which; which--) at = strchr(at, '`') + 1;
  const char *end = memchr(at, '`', (size_t)(close - at));
  fill(w, at, end ? end : close);
  return close + 1;
}

static void fill(struct writer *w, const char *at, const char *end) {
  for (; at < end; at++) {
    if (at[0] == '{' && at[1] == ':')
      at = choice(w, at + 2, strstr(at, ":}"));
    else if (*at == '@' || *at == 'V')
      expression(w, *at == 'V');
    else if (*at == '$')
      statement(w);
    else if (*at == '#')
      put(w, type(w));
    else
      text_char(w->t, *at);
  }
}

/* Integers. */

static void make_narrow(struct writer *w, struct random_object *o) {
  o->name = "narrow";
  o->threads = 2;
  o->ops = 1;
  put(w, "static _Atomic(");
  put(w, number_type(w));
  put(w, ") a;\nstatic _Atomic(");
  put(w, number_type(w));
  put(w, ") b;\nstatic ");
  put(w, type(w));
  put(w, " c;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n");
  const char *arg = below(w, 3) ? "int" : "long";
  for (unsigned i = 0; i < 3; i++) {
    bool locks = below(w, 2);
    text_printf(w->t, "static %s f%u(%s k) {\n  ", PICK(w, "int", "long", "bool", "int"), i, arg);
    fill_all(w, "# r = k; # s = 1; # t = 3;\n");
    if (locks) put(w, "  pthread_mutex_lock(&m);\n");
    for (unsigned n = 1 + below(w, 3); n; n--) {
      put(w, "  ");
      w->depth = 0;
      if (locks) /* no return among them */
        fill_all(w, PICK(w, "c += @;", "c = @;", "r = c;", "s = c--;", "t = @;", "r <<= @;", "s /= @;", "c ^= @;",
                         "a = @;", "r = b;"));
      else
        statement(w);
      put(w, "\n");
    }
    if (locks) put(w, "  pthread_mutex_unlock(&m);\n");
    w->depth = 1;
    fill_all(w, below(w, 2) ? "  return @;\n}\n" : "  return r;\n}\n");
  }
  static const char *const ranges[] = {"0, 1",     "0, 2",
                                       "-2, 1",    "126, 128",
                                       "30, 33",   "-2147483647 - 1, -2147483647",
                                       "254, 256", "2147483646, 2147483647"};
  put(w, "ASIF_OBJECT(self)\n");
  for (unsigned i = 0; i < 3; i++) text_printf(w->t, "ASIF_OP(f%u, ASIF_IN(%s))\n", i, ranges[below(w, COUNT(ranges))]);
}

/* The others are patterns. */

struct strange {
  const char *name;
  unsigned threads, ops;
  const char *text;
};

static const struct strange unordered[] = {
    {"operands in no order", 2, 1,
     "static atomic_int a, b;\ntypedef # num;\nstatic num c;\nstruct two { num p; # q; };\n"
     "static int next(void) { return atomic_fetch_add(&a, 1); }\n"
     "static int set(num *to, int n) { *to = n; return n + 1; }\n"
     "static long two(# p, # q) { return 2 * p + q; }\n"
     "static int f0(int k) {\n  num r = k, s = 2;\n"
     "  {:r = two(r, set(&s, 1));`r = two(s, set(&s, k));`r = next() - next();`r = next() * 3 + a;`r += next();`"
     "r = b + next();`r = set(&r, 1) + set(&s, 2);`r = set(&r, 1) + set(&r, 2);`r = r + (s = 1);`r = r + (r = 1);`"
     "r = s++ + s;`r = s++ + k;`r = (s++, s) + k;`r = (s++ && s) + a;`r = s ? s++ : --s;:}\n"
     "  {:s = r;`struct two z = {next(), next()}; s = two(z.p, z.q);`struct two z = {.q = next(), .p = a}; s = z.p - "
     "z.q;`"
     "int v[2] = {next(), a}; s = v[0] - v[1];`s = (struct two){next(), b++}.p;`s = a++ + b++;`s = a++ + a;`"
     "c = next() + c;`c = c++;`c = set(&c, 1) + c;`s = (next() || next()) - a;:}\n"
     "  return {:r + 2 * s`two(next(), r)`two(a, b)`two(r, s++)`r + s++ + next()`a - atomic_exchange(&b, r):};\n}\n"
     "static int f1(void) {\n  {:return a;`return next();`a = 0; return b;`b = next(); return 0;`return a + b;:}\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0, ASIF_IN(0, 1))\nASIF_OP(f1)\n"}};

static const struct strange addresses[] = {
    {"stack with a mark in its pointers", 2, 2,
     "struct node { {:int val; struct node *next;`struct node *next; int val;`char c; struct node *next; short val;:} "
     "};\n"
     "static _Atomic(uintptr_t) top;\n"
     "static struct node *at(uintptr_t n) { return (struct node *)(n & {:~(uintptr_t)1`~(uintptr_t)3`-2ul`-8l`"
     "0xfffffffffffffff0ul:}); }\n"
     "static void push(int v) {\n  struct node *n = malloc(sizeof *n);\n  n->val = v;\n"
     "  uintptr_t t = top;\n  do n->next = at(t); while (0);\n"
     "  while (!atomic_compare_exchange_strong(&top, &t, (uintptr_t)n {:+`|`^:} (t & 1 ^ 1))) n->next = "
     "{:at(t)`n->next:};\n}\n"
     "static int pop(void) {\n  uintptr_t t = top;\n  for (;;) {\n"
     "    if ({:!at(t)`!(t >> 1)`t < 2`(t | 1) == 1`!t:}) return ASIF_EMPTY;\n"
     "    if (atomic_compare_exchange_strong(&top, &t, (uintptr_t)at(t)->next {:| (t & 1 ^ 1)``| (t & 1):})) return "
     "at(t)->val;\n"
     "  }\n}\n"
     "ASIF_OBJECT(stack)\nASIF_OP(push, ASIF_IN(1, 1))\nASIF_OP(pop)\n"},
    {"addresses compared", 2, 1,
     "struct node { int val; struct node *next; };\nstatic struct node g[2], h;\nstatic _Atomic(struct node *) top;\n"
     "static long f0(void) {\n  struct node *n = malloc(sizeof *n), *o = {:&h`malloc(sizeof "
     "*o)`&g[1]`atomic_load(&top):};\n"
     "  n->val = 1;\n"
     "  {:uintptr_t x = (uintptr_t)n, y = (uintptr_t)o;`uintptr_t x = (uintptr_t)&g[0], y = (uintptr_t)&g[1];`"
     "intptr_t x = (intptr_t)&n->val, y = (intptr_t)&n->next;`uintptr_t x = (uintptr_t)n, y = 0;:}\n"
     "  atomic_store(&top, n);\n"
     "  return {:x != y`x == y`(x < y) + (y < x)`(x & 7) + (y & 3)`(x & 1)`x - x`y - x`(x ^ y ^ x) == y`(x + y - x) == "
     "y`"
     "((struct node *)(x ^ y ^ y) == n)`((x >> 3 << 3) == x)`(bool)x`!x + !y`(x | 1) != x`(x % 8) + (y % 8)`(int)(x << "
     "60 >> 60):};\n}\n"
     "static int f1(void) {\n  struct node *n = atomic_load(&top);\n"
     "  return {:n != 0`!n`(bool)n`n == &h`n == g + 1`((uintptr_t)n & 1)`n && n != &h && n->val == 1:};\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0)\nASIF_OP(f1)\n"},
    {"locks by address", 2, 1,
     "struct cell { pthread_mutex_t m; int val; };\nstatic struct cell x[2];\n"
     "static void set_up(void) { pthread_mutex_init(&x[0].m, 0); pthread_mutex_init(&x[1].m, 0); }\n"
     "static int move(int from, int to) {\n  struct cell *a = &x[from], *b = &x[to];\n  if ({:a == b`from == "
     "to`(uintptr_t)a == "
     "(uintptr_t)b:}) return a->val;\n"
     "  struct cell *l = {:a < b`(uintptr_t)a < (uintptr_t)b`a > b`from`1:} ? a : b, *u = l == a ? b : a;\n"
     "  pthread_mutex_lock(&l->m);\n  pthread_mutex_lock(&u->m);\n  b->val += 1;\n  a->val -= 1;\n  int r = a->val;\n"
     "  pthread_mutex_unlock(&{:l`u:}->m);\n  pthread_mutex_unlock(&{:u`l:}->m);\n  return {:r`a->val:};\n}\n"
     "ASIF_OBJECT(self)\nASIF_INIT(set_up)\nASIF_OP(move, ASIF_IN(0, 1), ASIF_IN(0, 1))\n"},
};

static const struct strange results[] = {
    {"results of a queue", 2, 2,
     "static int item[4], n, first;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
     "static {:int enq(int v)`bool enq(int v)`long enq(long v):} {\n"
     "  pthread_mutex_lock(&m);\n  item[n++ & 3] = v;\n  pthread_mutex_unlock(&m);\n"
     "  {:return ASIF_OK;`return 1;`return ASIF_TRUE;`return v;`return 0;`return ASIF_NIL;`return ASIF_FULL;:}\n}\n"
     "static {:int`long:} deq(void) {\n  pthread_mutex_lock(&m);\n"
     "  {:int`long:} r = {:ASIF_EMPTY`ASIF_NIL`ASIF_OK`ASIF_FULL`ASIF_TRUE`ASIF_FALSE`0`-1:};\n"
     "  if (first < n) r = item[first++ & 3];\n  pthread_mutex_unlock(&m);\n  return r;\n}\n"
     "ASIF_OBJECT({:queue`bounded_queue(1)`bounded_queue(4)`weak_queue:})\nASIF_OP(enq, ASIF_IN(1, "
     "1))\nASIF_OP(deq)\n"},
    {"results of a full queue", 2, 2,
     "static atomic_int slot;\n"
     "static {:int`bool`long:} enq(int v) {\n  int none = 0;\n"
     "  if (!atomic_compare_exchange_strong(&slot, &none, v)) return "
     "{:ASIF_FULL`0`ASIF_FALSE`ASIF_EMPTY`ASIF_NIL`-1:};\n"
     "  return {:ASIF_OK`1`ASIF_TRUE`0`ASIF_NIL`v:};\n}\n"
     "static {:int`long:} deq(void) {\n  int r = atomic_exchange(&slot, 0);\n"
     "  return r ? r : {:ASIF_EMPTY`ASIF_NIL`ASIF_FALSE`0`ASIF_FULL:};\n}\n"
     "ASIF_OBJECT(bounded_queue(1))\nASIF_OP(enq, ASIF_IN(1, 2))\nASIF_OP(deq)\n"},
    {"results of a register", 2, 2,
     "static atomic_int v = {:0`ASIF_NIL`ASIF_EMPTY`ASIF_OK`7:};\n"
     "static {:void write(int n) { v = n; }`int write(int n) { v = n; return ASIF_OK; }`bool write(int n) { v = n; "
     "return "
     "true; }`"
     "int write(int n) { return atomic_exchange(&v, n); }`int write(int n) { v = n; return ASIF_NIL; }:}\n"
     "static {:int`long`bool:} read(void) { return v; }\n"
     "ASIF_OBJECT({:register(0)`register`register(7):})\nASIF_OP(write, ASIF_IN({:1, 1`0, 1`-1, "
     "0:}))\nASIF_OP(read)\n"},
    {"results of its own", 2, 1,
     "static atomic_int a;\n"
     "static {:int`long`bool:} f0(void) { return atomic_fetch_add(&a, 1) ? "
     "{:ASIF_TRUE`ASIF_NIL`ASIF_EMPTY`ASIF_OK`true`1:} "
     ": {:ASIF_FALSE`false`0`ASIF_FULL`2`2147483648`-2147483648:}; }\n"
     "static {:long`int`bool:} f1(int k) { return {:ASIF_OK + a`k ? ASIF_NIL : a`(long)ASIF_OK - 1`a * "
     "ASIF_NIL`(bool)ASIF_FALSE`4294967296 + a`ASIF_FULL + 1:}; }\n"
     "static void f2(void) { a ^= 1; }\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0)\nASIF_OP(f1, ASIF_IN(0, 1))\nASIF_OP(f2)\n"},
};

/* What prove knows: most of these are proved, with a few that are wrong in their arithmetic. */
#define STACK \
  "struct node { {:int`long`short`signed char`unsigned:} val; struct node *next; };\nstatic _Atomic(struct node *) " \
  "top;\n" \
  "static int shift(int *by) { return ++*by; }\n" \
  "static void push(int v) {\n  struct node *n = malloc(sizeof *n), *t;\n  {:`int w = 3; w = w + 1; (void)w;`int w = " \
  "v << " \
  "29; (void)w;`int w = v * 65536; (void)w;`int w = 7 / (v - 1); (void)w;`int w = 1; w = shift(&w) + w; (void)w;`int " \
  "w; w = " \
  "w++ + v; (void)w;`int w; if (v) w = 2; w = w + 1; (void)w;`int w = 1 << (v + 30); (void)w;`int w = -v << 0; " \
  "(void)w;:}\n" \
  "  n->val = {:v`v + 1 - 1`(signed char)v`(unsigned)v`v + 1`(bool)v:};\n  do {\n    t = atomic_load(&top);\n    " \
  "n->next = " \
  "{:t`atomic_load(&top):};\n" \
  "  } while (!atomic_compare_exchange_strong(&top, &t, n));\n}\n" \
  "static {:int`long:} pop(void) {\n  struct node *t, *n;\n  do {\n    t = atomic_load(&top);\n    if (t == 0) " \
  "return " \
  "{:ASIF_EMPTY`ASIF_NIL`ASIF_OK`0`ASIF_FULL:};\n    n = t->next;\n  } while (!atomic_compare_exchange_strong(&top, " \
  "&t, n));\n" \
  "  return t->val;\n}\nASIF_OBJECT(stack)\n"

static const struct strange proved[] = {
    {"stack with arithmetic", 2, 2, STACK "ASIF_OP(push, ASIF_IN(1, 2))\nASIF_OP(pop)\n"},
    {"stack with arithmetic, of larger numbers", 2, 2, STACK "ASIF_OP(push, ASIF_IN(127, 128))\nASIF_OP(pop)\n"},
};

static const struct strange keys[] = {
    {"set of two keys", 2, 2,
     "static atomic_int in;\n"
     "static {:bool`int`long:} add(int v) { return {:!(atomic_fetch_or(&in, 1 << v) >> v & 1)`(atomic_fetch_or(&in, 1 "
     "<< v) "
     "& 1 << v) == 0`!(in >> v & 1) && !(atomic_fetch_or(&in, 1 << v), 0)`!(atomic_fetch_add(&in, 1 << v) & 1 << v):}; "
     "}\n"
     "static {:bool`int:} remove(int v) { return {:atomic_fetch_and(&in, ~(1 << v)) >> v & "
     "1`(bool)(atomic_fetch_and(&in, "
     "-1 - (1 << v)) & 1 << v)`(in & 1 << v) && (in -= 1 << v, 1):}; }\n"
     "static {:bool`int:} contains(int v) { return {:in >> v & 1`in & 1 << v`(bool)(in & 1 << v)`!(in & 1 << v) ? "
     "ASIF_FALSE : "
     "ASIF_TRUE:}; }\n"
     "ASIF_OBJECT(set)\nASIF_OP(add, ASIF_IN(0, 1))\nASIF_OP(remove, ASIF_IN(0, 1))\nASIF_OP(contains, ASIF_IN(0, "
     "1))\n"},
    {"set of nodes", 2, 2,
     "struct node { int key; struct node *next; };\nstatic struct node head;\n"
     "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
     "static struct node *before(int k) {\n  struct node *p = &head;\n"
     "  while (p->next && p->next->key {:<`!=:} k) p = p->next;\n  return p;\n}\n"
     "static bool add(int k) {\n  {:pthread_mutex_lock(&m);\n  struct node *p = before(k);`struct node *p = "
     "before(k);\n  "
     "pthread_mutex_lock(&m);:}\n"
     "  bool is = p->next && p->next->key == k;\n"
     "  if (!is) {\n    struct node *n = malloc(sizeof *n);\n    n->key = k;\n    n->next = {:p->next`0`p->next ? "
     "p->next->next : 0:};\n    p->next = n;\n  }\n"
     "  {:pthread_mutex_unlock(&m);`if (!is) pthread_mutex_unlock(&m);:}\n  return !is;\n}\n"
     "static bool remove(int k) {\n  pthread_mutex_lock(&m);\n  struct node *p = before(k), *n = p->next;\n"
     "  bool is = n && n->key == k;\n  if (is) {\n    p->next = n->next;\n    {:free(n);`:}\n  }\n"
     "  pthread_mutex_unlock(&m);\n  return is;\n}\n"
     "ASIF_OBJECT(set)\nASIF_OP(add, ASIF_IN(1, 2))\nASIF_OP(remove, ASIF_IN(1, 2))\n"},
    {"map of two keys", 2, 2,
     "static atomic_int v[2] = {{:ASIF_NIL, ASIF_NIL`ASIF_NIL, 0`0, 0`ASIF_EMPTY, ASIF_NIL:}};\n"
     "static void put(int k, int n) { v[{:k`k & 1`1 - k`0:}] = n; {:`v[0] = v[0];:} }\n"
     "static {:int`long:} get(int k) { return {:v[k]`v[k & 1]`v[0]`k ? v[1] : v[0]:}; }\n"
     "ASIF_OBJECT(map)\nASIF_OP(put, ASIF_IN(0, 1), ASIF_IN(1, 2))\nASIF_OP(get, ASIF_IN(0, 1))\n"},
};

static const struct strange waiting[] = {
    {"kept lock", 2, 2,
     "static {:atomic_int`atomic_bool`_Atomic(unsigned char)`_Atomic(signed char):} l;\nstatic int x;\n"
     "static int f0(int k) {\n  {:while (atomic_exchange(&l, 1)) ;`while (l) ; l = 1;`if (atomic_exchange(&l, 1)) "
     "return "
     "-1;`do while (l) ; while (atomic_exchange(&l, 1));:}\n"
     "  int r = x;\n  {:x = k;`x += k;`if (k == r) return r;:}\n  {:l = 0;`l--;`if (r) l = 0;`if (k) l = "
     "0;`;`l++;`l ^= 1;:}\n  return r;\n}\n"
     "static int f1(void) {\n  {:while (atomic_exchange(&l, 1)) ;`while (!l) ;`while (l == 1) ;`while (x) ;`:}\n"
     "  int r = x;\n  {:l = 0;`;:}\n  return r;\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0, ASIF_IN(0, 1))\nASIF_OP(f1)\n"},
    {"ticket lock", 2, 2,
     "static _Atomic({:unsigned char`unsigned`signed char`int`unsigned short:}) next, now;\nstatic int x;\n"
     "static int f0(int k) {\n  {:unsigned char`unsigned`int:} t = atomic_fetch_add(&next, {:1`2`255:});\n"
     "  while (now != t) ;\n  int r = x;\n  x = k;\n  {:now = t + 1;`now++;`atomic_fetch_add(&now, 1);`if (k) "
     "now++;`now = next;:}\n  return r;\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0, ASIF_IN(0, 1))\n"},
    {"mutex that is kept", 2, 2,
     "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int x;\nstatic atomic_int a;\n"
     "static int f0(int k) {\n  pthread_mutex_lock(&m);\n  int r = x;\n  x = k;\n"
     "  {:`if (r) return r;`while (a) ;`if (a++) return k;:}\n  {:pthread_mutex_unlock(&m);`if (k) "
     "pthread_mutex_unlock(&m);`:}\n  return r;\n}\n"
     "static int f1(void) {\n  {:if (pthread_mutex_trylock(&m)) return -1;`pthread_mutex_lock(&m);`while "
     "(pthread_mutex_trylock(&m)) ;:}\n"
     "  int r = x;\n  {:a = r;`while (a == 1) a = 0;:}\n  pthread_mutex_unlock(&m);\n  return r;\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0, ASIF_IN(0, 1))\nASIF_OP(f1)\n"},
};

/* What ships is written in. What threads share is atomic, or under a lock: where compilers leave out hooks, as at the
 * copy of a struct, a race would be seen by verify alone. */
#define LOCKED(does) "  pthread_mutex_lock(&m);\n" does "  pthread_mutex_unlock(&m);\n"
#define MUTEX        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
#define LOCALS       "  {:int`long`short`unsigned:} r = k; {:int`unsigned char`long:} s = 1; int t = 2;\n"

static const struct strange constructs[] = {
    {"bit-fields", 2, 2,
     MUTEX
     "static struct {\n  {:unsigned`int`unsigned char`unsigned short:} x : {:3`1`8`5:};\n"
     "  {:unsigned`int`unsigned long:} y : {:4`7`12`31:};\n  {:`unsigned : 0;`unsigned : 2;`char c;:}\n"
     "  {:bool z : 1`unsigned z : 1`int z : 2:};\n} b, *p = &b;\n"
     "static int f0(int k) {\n" LOCALS LOCKED(
         "  {:b.x = V;`b.x += k;`p->x = r;`b.x++;`r = b.x--;`b.x ^= k;`b.x = b.y = k;:}\n"
         "  {:b.y = V;`b.y -= k;`p->y = s;`--p->y;`b.y |= 1;`b.y = b.x + 1;:}\n  {:b.z = k;`p->z = V;`b.z = "
         "!b.z;`b.z = b.x > b.y;:}\n"
         "  s = b.x + 2 * b.z; t = b.y {:> 3`& 7`!= k`== b.x:};\n") "  return {:s + 16 * t`s - t`t`s < "
                                                                    "t`(sizeof b > 4 ? s : t):};\n}\n"
                                                                    "static int f1(void) {\n  int r, s;\n" LOCKED(
                                                                        "  r = b.x; s = b.y;\n") "  return r ^ (s & "
                                                                                                 "15);\n}\n"
                                                                                                 "ASIF_OBJECT(self)"
                                                                                                 "\nASIF_OP(f0, "
                                                                                                 "ASIF_IN({:0, 1`-1, "
                                                                                                 "0`7, "
                                                                                                 "8:}))\nASIF_OP(f1)"
                                                                                                 "\n"},
    {"unions", 2, 1,
     MUTEX
     "union word { int i; unsigned u; {:char`signed char`unsigned char:} c[4]; {:short`unsigned short:} h[2]; "
     "long l; };\n"
     "static union word w;\nstatic _Atomic(int) a;\n"
     "static int f0(int k) {\n" LOCALS "  union word o = {:{.i = k}`{.c = {1, k}}`{.l = -1}:};\n" LOCKED(
         "  w.{:i`u`l`h[k & 1]`c[k & 3]:} = {:V`o.i`o.c[k & 3]`k:};\n  {:`w.c[k & 1]++;`w.h[1] = w.h[0];`o = "
         "w;`w = o;`w.l >>= 8;:}\n"
         "  s = w.{:i`u`c[0]`c[k & 3]`h[0]`h[k & 1]:} & 255;\n") "  a = o.{:i`c[0]`h[k & 1]:} & 15;\n  return s "
                                                                 "+ a;\n}\n"
                                                                 "static int f1(void) {\n  int r;\n" LOCKED(
                                                                     "  r = w.{:c[1]`h[0]`i:} & 15;\n") "  return r + "
                                                                                                        "a;\n}\n"
                                                                                                        "ASIF_OBJECT("
                                                                                                        "self)\nASIF_"
                                                                                                        "OP(f0, "
                                                                                                        "ASIF_IN({:0, "
                                                                                                        "1`-1, 0`255, "
                                                                                                        "257:}))\nASIF_"
                                                                                                        "OP(f1)\n"},
    {"a struct in a word", 2, 2,
     "struct pair { {:int val; unsigned count;`unsigned short count; short gap; int val;`signed char val; char gap[3]; "
     "int count;:} };\n"
     "static _Atomic(unsigned long) word;\n"
     "static struct pair unpack(unsigned long w) {\n  struct pair p;\n  {:__builtin_memcpy(&p, &w, sizeof p);`p = "
     "*(struct pair *)&w;`union { unsigned long w; struct pair p; } u = {w}; p = u.p;`__builtin_memmove(&p, &w, sizeof "
     "w);:}\n  return p;\n}\n"
     "static unsigned long pack(struct pair p) {\n  unsigned long w = 0;\n  __builtin_memcpy(&w, &p, sizeof p);\n  "
     "return w;\n}\n"
     "static {:int`long:} swap(int k) {\n  unsigned long old = word, new;\n  struct pair p, zero;\n"
     "  __builtin_memset(&zero, 0, sizeof zero);\n  do {\n    p = unpack(old);\n    int before = p.val;\n    p.val = "
     "k;\n"
     "    p.count{:++` += 1`--` = 1`:};\n    {:`if (p.count == zero.count) p = zero;`if (before < 0) return -9;:}\n    "
     "new = pack(p);\n"
     "  } while ({:!atomic_compare_exchange_strong(&word, &old, new)`(word = new, 0):});\n"
     "  return {:unpack(old).val`unpack(old).count & 7`unpack(new).val`p.count & 3:};\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(swap, ASIF_IN(1, 2))\n"},
    {"links within items", 2, 2,
     "struct link { struct link *next; };\nstruct item { {:int val; struct link in;`struct link in; long val;`char c; "
     "struct link in; short val;:} {:`int more[];:} };\n"
     "static _Atomic(struct link *) top;\n"
     "static struct item *item(struct link *l) { return (struct item *)((char *)l - __builtin_offsetof(struct item, "
     "in)); }\n"
     "static void push(int v) {\n  struct item *i = malloc(sizeof *i {:`+ 0`+ 8:});\n  i->val = v;\n  struct link *l = "
     "&i->in, *t = top;\n"
     "  do l->next = t; while ({:!atomic_compare_exchange_strong(&top, &t, l)`(top = l, 0):});\n}\n"
     "static {:int`long:} pop(void) {\n  struct link *t = top;\n  do {\n    if (!t) return ASIF_EMPTY;\n  } while "
     "(!atomic_compare_exchange_strong(&top, &t, t->next));\n"
     "  return {:item(t)->val`item(&*t)->val`((struct item *)(void *)item(t))->val`item(t)->val + (t->next == "
     "t):};\n}\n"
     "ASIF_OBJECT(stack)\nASIF_OP(push, ASIF_IN(1, 1))\nASIF_OP(pop)\n"},
    {"functions in tables", 2, 2,
     "static atomic_int a;\nstatic _Thread_local int mine;\n"
     "static int up(int k) { return atomic_fetch_add(&a, k); }\nstatic int down(int k) { return atomic_fetch_sub(&a, "
     "{:k`1:}); }\n"
     "static int own(int k) { return mine += k; }\n"
     "typedef int does(int);\nstatic does *{:const`:} table[] = {up, {:down`own`up:}, {:own`down:}};\n"
     "static _Atomic(does *) now = {:up`down`&own:};\n"
     "static int f0(int k) {\n  static atomic_int calls;\n  does *f = {:table[k]`table[k + 1]`k ? up : "
     "down`now`table[calls "
     "& 1]:};\n"
     "  {:`now = f;`calls++;`now = table[k];`mine++;:}\n  return {:f(k)`f(1)`(*f)(k + 1)`f(f(k))`f(k) + mine:};\n}\n"
     "static int f1(void) { return {:now(1)`now == up`table[2](1)`mine`now == table[1] ? a : 3:}; }\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0, ASIF_IN(0, 1))\nASIF_OP(f1)\n"},
    {"jumps and expressions", 2, 1,
     "static atomic_int a, b;\n"
     "static int f0(int k) {\n" LOCALS
     "  {:if (k) goto middle;`r = ({ # x = @; x + 1; });`switch (k) { case 0 ... 1: s = 3; break; default: s = "
     "a; }:}\n"
     "  for (int i = 0; i < 2; i++) {\n    int j = {:5`k:};\n    s += j + a++;\n    if (s > 7) {\n      int q = 1;\n"
     "    middle:\n      q = b++;\n      i += 1 + (q & 1);\n      s = q;\n    }\n    {:`if (s == 2) goto "
     "out;`continue;:}\n  }\n"
     "  {:r = k ?: 4;`r = ((struct { int x, y; }){k, b}).y;`r = *(int[]){a, k};`r = (int[]){1, 2}[k & 1];:}\n"
     "out:\n  return (r & 7) + 8 * (s & 7);\n}\n"
     "static int f1(void) { return a + ({ int x = b; {:x`x + a`-x:}; }); }\n"
     "ASIF_OBJECT(self)\nASIF_OP(f0, ASIF_IN(0, 1))\nASIF_OP(f1)\n"},
};

static const struct {
  const struct strange *of;
  size_t count;
} families[STRANGE_FAMILIES] = {
    {NULL, 0},           {unordered, COUNT(unordered)}, {addresses, COUNT(addresses)}, {results, COUNT(results)},
    {keys, COUNT(keys)}, {waiting, COUNT(waiting)},     {proved, COUNT(proved)}};

void random_strange_make(struct random_object *o, struct mem *mem, uint64_t number) {
  unsigned family = (unsigned)(number % STRANGE_FAMILIES);
  *o = (struct random_object){.name = "", .includes = includes, .preprocessed = preprocessed};
  text_open(&o->source, mem);
  struct writer w = {.t = &o->source, .seed = hash_mix(number + 77)};
  if (!families[family].of && number < CONSTRUCTS_FIRST) {
    make_narrow(&w, o);
    return;
  }
  bool shipped = number >= CONSTRUCTS_FIRST;
  const struct strange *s = shipped ? &constructs[below(&w, COUNT(constructs))]
                                    : &families[family].of[below(&w, (unsigned)families[family].count)];
  o->name = s->name;
  o->threads = s->threads;
  o->ops = s->ops;
  w.mistakes = families[family].of == proved ? 8 : 1 + below(&w, 4);
  fill_all(&w, s->text);
}
