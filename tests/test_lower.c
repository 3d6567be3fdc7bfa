/* Lowering: what programs become, as text; and whether they still do the same, by running them.
 *
 * tests/lower/values.c is compiled into this file, and read by the front end as well. A small interpreter, of one
 * thread and without any cleverness, runs the lowered functions; the results must be those of the compiled ones. */
#include <dirent.h>
#include <string.h>

#include "sequential.h"
#include "test.h"

#define VALUES_NATIVELY
#include "lower/values.c"

/* Reading. */

static const struct program *read_program(struct mem *m, const char *text) {
  struct problem problem = {.text = ""};
  struct unit *unit = front_parse(m, "x.c", text, strlen(text), &problem);
  CHECKF(unit, "%s", problem.text);
  const struct program *p = lower(m, unit, NULL, &problem);
  CHECKF(p, "%s", problem.text);
  return p;
}

static const struct program_op *op_named(const struct program *p, const char *name) {
  for (uint32_t i = 0; i < p->op_count; i++)
    if (!strcmp(p->ops[i].name, name)) return &p->ops[i];
  test_fail(__FILE__, __LINE__, name);
}

TEST(lower_values) {
  static const struct {
    const char *name;
    int (*run)(int, int);
  } all[] = {
#define ROW(f) {#f, f},
      VALUES(ROW)};
  struct mem m;
  mem_open(&m, NULL);
  struct problem problem = {.text = ""};
  struct unit *unit = front_read(&m, "tests/lower/values.c", NULL, &problem);
  CHECKF(unit, "%s", problem.text);
  const struct program *p = lower(&m, unit, NULL, &problem);
  CHECKF(p, "%s", problem.text);
  struct run r;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    sequential_open(&r, &m, p);
    for (int a = -3; a <= 4; a++)
      for (int b = -3; b <= 4; b++) {
        int expected = all[i].run(a, b);
        word result = run_op(&r, op_named(p, all[i].name), a, b);
        CHECKF(!r.wrong, "%s(%d, %d): %s at line %u", all[i].name, a, b, r.wrong,
               p->code[r.at ? r.at - 1 : 0].place.line);
        CHECKF(result == expected, "%s(%d, %d) is %d, not %lld", all[i].name, a, b, expected, (long long)result);
      }
  }
  mem_close(&m);
}

/* As text. */

#define HEADERS \
  "__asif_header(asif) __asif_header(stdatomic) __asif_header(stdlib) __asif_header(pthread) __asif_header(assert) " \
  "typedef " \
  "__asif_mutex pthread_mutex_t;\n"

static void dumps_as(const char *text, const char *expected) {
  struct mem m;
  mem_open(&m, NULL);
  struct text t;
  text_open(&t, &m);
  program_print(read_program(&m, text), &t);
  CHECKF(!strcmp(text_string(&t), expected), "got\n%s\nexpected\n%s", text_string(&t), expected);
  mem_close(&m);
}

TEST(lower_dump) {
  dumps_as(HEADERS "struct node { int val; struct node *next; };\n"
                   "static _Atomic(struct node *) top;\n"
                   "void push(int v) {\n"
                   "  struct node *n = malloc(sizeof *n);\n"
                   "  n->val = v;\n"
                   "  n->next = top;\n"
                   "  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;\n"
                   "}\n"
                   "int pop(void) {\n"
                   "  struct node *t = top;\n"
                   "  do if (!t) return -1;\n"
                   "  while (!atomic_compare_exchange_weak(&top, &t, t->next));\n"
                   "  return t->val;\n"
                   "}\n"
                   "ASIF_OP(push, ASIF_IN(1, 3)) ASIF_OP(pop)\n",
           "global top: atomic pointer = 0\n"
           "push: 4 registers\n"
           "    1. x.c:5:20           n = new struct node                      live: v\n"
           "    2. x.c:6:10           store [n+0] = v                          live: v n\n"
           "    3. x.c:7:13           r2 = load [top] atomic                   live: n\n"
           "    4  x.c:7:11           store [n+1] = r2                         live: n r2\n"
           "    5. x.c:8:11           r2 = load [n+1]                          live: n\n"
           "    6  x.c:8:11           r3 = cas [top] r2 -> n atomic            live: n r2\n"
           "    7  x.c:8:11           if r3 to 10                              live: n r2 r3\n"
           "    8  x.c:8:11           store [n+1] = r2                         live: n r2\n"
           "    9  x.c:8:3            to 5                                     live: n\n"
           "   10  x.c:4:6            return\n"
           "pop: 3 registers\n"
           "   11. x.c:11:20          t = load [top] atomic\n"
           "   12. x.c:12:11          if t to 15                               live: t\n"
           "   13. x.c:12:14          r1 = -1\n"
           "   14  x.c:12:14          return r1                                live: r1\n"
           "   15. x.c:13:51          r1 = load [t+1]                          live: t\n"
           "   16  x.c:13:11          r2 = weak cas [top] t -> r1 atomic       live: t r1\n"
           "   17  x.c:13:11          unless r2 to 12                          live: t r2\n"
           "   18. x.c:14:11          r1 = load [t+0]                          live: t\n"
           "   19  x.c:14:3           return r1                                live: r1\n");
}

/* Calls, variables in memory, locks, and what asif.h offers. */
TEST(lower_dump_calls) {
  dumps_as(HEADERS "static const int most = 2;\n"
                   "static pthread_mutex_t lock = {0};\n"
                   "static int slots[3], *at = slots + 1;\n"
                   "static int helper(int *to, int i) { *to += i; if (i > most) return 1; return slots[i]; }\n"
                   "void put(int v) {\n"
                   "  int sum = v;\n"
                   "  pthread_mutex_lock(&lock);\n"
                   "  *at = helper(&sum, v);\n"
                   "  ASIF_LIN();\n"
                   "  pthread_mutex_unlock(&lock);\n"
                   "  assert(sum > 0);\n"
                   "}\n"
                   "_Bool work(int a) {\n"
                   "  ASIF_ATOMIC {\n"
                   "    int box[2] = {0};\n"
                   "    box[a] = asif_choose(2);\n"
                   "    if (box[1]) return 1;\n"
                   "  }\n"
                   "  if (pthread_mutex_trylock(&lock) == 0) pthread_mutex_unlock(&lock);\n"
                   "}\n"
                   "static void start(void) { slots[2] = 5; }\n"
                   "ASIF_INIT(start) ASIF_OP(put, ASIF_IN(0, 2)) ASIF_OP(work, ASIF_IN(0, 1))\n",
           "constant most: i32 = 2\n"
           "global lock: mutex = 0\n"
           "global slots: [0] i32 = 0, [1] i32 = 0, [2] i32 = 0\n"
           "constant at: pointer = &slots+1\n"
           "first:\n"
           "    1. x.c:22:36          r0 = 5\n"
           "    2  x.c:22:36          store [slots[2]] = r0                    live: r0\n"
           "    3  x.c:22:13          return\n"
           "put: 5 registers\n"
           "    4. x.c:7:13           sum = v                                  live: v\n"
           "    5. x.c:8:3            lock [lock]                              live: v sum\n"
           "    6. x.c:5:41           sum = sum + v i32                        live: v sum\n"
           "    7. x.c:5:53           r2 = v > 2 i32                           live: v sum\n"
           "    8  x.c:5:53           unless r2 to 11                          live: v sum r2\n"
           "    9. x.c:5:61           r2 = 1                                   live: sum\n"
           "   10  x.c:5:61           to 14                                    live: sum r2\n"
           "   11. x.c:5:83           r3 = &slots+0                            live: v sum\n"
           "   12  x.c:5:83           r4 = r3 + v * 1 within 3                 live: v sum r3\n"
           "   13  x.c:5:83           r2 = load [r4+0]                         live: sum r4\n"
           "   14  x.c:9:7            store [slots[1]] = r2                    live: sum r2\n"
           "   15. x.c:10:3           point                                    live: sum\n"
           "   16. x.c:11:3           unlock [lock]                            live: sum\n"
           "   17. x.c:12:14          r2 = sum > 0 i32                         live: sum\n"
           "   18  x.c:12:3           assert r2: sum > 0                       live: r2\n"
           "   19  x.c:6:6            return\n"
           "work: 4 registers\n"
           "   20. x.c:15:3           atomic {                                 live: a\n"
           "   21. x.c:16:9           &box = zeroed local box                  live: a\n"
           "   22. x.c:17:8           r2 = &box + a * 1 within 2               live: a &box\n"
           "   23  x.c:17:14          r3 = 2                                   live: &box r2\n"
           "   24  x.c:17:14          r3 = choose r3                           live: &box r2 r3\n"
           "   25  x.c:17:12          store [r2+0] = r3 local                  live: &box r2 r3\n"
           "   26. x.c:18:12          r2 = load [&box+1] local                 live: &box\n"
           "   27  x.c:18:12          unless r2 to 32                          live: &box r2\n"
           "   28. x.c:18:17          r2 = 1                                   live: &box\n"
           "   29  x.c:18:17          end &box                                 live: &box r2\n"
           "   30  x.c:18:17          }                                        live: r2\n"
           "   31  x.c:18:17          return r2                                live: r2\n"
           "   32  x.c:15:15          end &box                                 live: &box\n"
           "   33  x.c:15:3           }\n"
           "   34. x.c:20:7           r2 = trylock [lock]\n"
           "   35  x.c:20:7           unless r2 to 37                          live: r2\n"
           "   36. x.c:20:42          unlock [lock]\n"
           "   37  x.c:14:7           trap: work returns no value\n");
}

/* In words of the source. */
TEST(lower_words) {
  struct mem m;
  mem_open(&m, NULL);
  const struct program *p = read_program(
      &m, HEADERS "struct node { int val; _Atomic(struct node *) next; struct { int in[3]; } deep; };\n"
                  "static _Atomic(struct node *) top; static struct node list[2]; static pthread_mutex_t lock;\n"
                  "static _Bool swap(_Atomic(struct node *) *to, struct node *old, struct node *now) {\n"
                  "  return atomic_compare_exchange_strong(to, &old, now);\n"
                  "}\n"
                  "void f(int v) {\n"
                  "  struct node *n = top;\n"
                  "  swap(&n->next, n, 0);\n"
                  "  list[v].val = list[1].deep.in[v + 1];\n"
                  "  atomic_fetch_add((_Atomic int *)&(*n).deep.in[0], 1);\n"
                  "  (&list[0])->next = 0;\n"
                  "  pthread_mutex_lock(&lock);\n"
                  "  free(n);\n"
                  "  top = 0;\n"
                  "}\n"
                  "ASIF_OP(f, ASIF_IN(0, 1))\n");
  struct text t;
  text_open(&t, &m);
  for (uint32_t i = p->ops[0].entry; i < p->code_count; i++) {
    if (p->code[i].code < I_ALLOC || p->code[i].code > I_UNLOCK) continue;
    inst_print(p, &p->ops[0], &p->code[i], &t);
    text_add(&t, "; ");
  }
  const char *expected =
      "load top; cas *to (old -> now); load list[1].deep.in[v + 1]; store list[v].val; fetch n->deep.in[0] +=; "
      "store list[0].next; lock lock; free n; store top; ";
  CHECKF(!strcmp(text_string(&t), expected), "%s", text_string(&t));
  mem_close(&m);
}

/* Running on. */

TEST(lower_behaviour) {
  struct mem m;
  mem_open(&m, NULL);
  const struct program *p = read_program(
      &m, HEADERS
      "static int n; static pthread_mutex_t lock;\n"
      "static int down(int i) { return i ? down(i - 1) + 1 : 0; }\n"
      "int deep(int i) { return down(i); }\n"
      "int none(int i) { if (i) return 1; }\n"
      "void stop(int i) { if (i == 2) abort(); assert(i != 1); asif_require(i != 3); }\n"
      "int any(void) { return asif_choose(3) * 10 + asif_thread(); }\n"
      "int lock_twice(int i) {\n"
      "  pthread_mutex_lock(&lock);\n"
      "  int r = pthread_mutex_trylock(&lock) != 0;\n"
      "  if (i) pthread_mutex_unlock(&lock);\n"
      "  return r * 10 + n;\n"
      "}\n"
      "int uninitialised(int i) { int x; if (i) x = 3; return x + 1; }\n"
      "int again(int i) { int s = 0; for (int k = 0; k < 2; k++) { int x; if (k == i) x = 1; s += x; } return s; }\n"
      "static _Atomic int s; static _Atomic unsigned char c; static _Atomic(int *) q; static int v[9];\n"
      "int compound(int i) { s = i; c = 250; int r = (s += 4); r = r * 10 + (s *= 2); return r * 10 + (c %= 100); }\n"
      "int pointers(int i) { q = v; q++; q += i; int r = (int)((q += 2) - v); return r * 10 + (int)(q-- - v); }\n"
      "int skipped(int i) { goto on; int x = 3; on: return x + i; }\n"
      "int itself(int i) { int x = x; return x + i; }\n"
      "int past(int i) { int v[2] = {1, 2}; return v[i]; }\n"
      "static void start(void) { n = 4; pthread_mutex_init(&lock, 0); }\n"
      "ASIF_INIT(start)\n"
      "ASIF_OP(deep, ASIF_IN(0, 9)) ASIF_OP(none, ASIF_IN(0, 1)) ASIF_OP(stop, ASIF_IN(0, 3)) ASIF_OP(any)\n"
      "ASIF_OP(lock_twice, ASIF_IN(0, 1)) ASIF_OP(uninitialised, ASIF_IN(0, 1)) ASIF_OP(again, ASIF_IN(0, 1))\n"
      "ASIF_OP(past, ASIF_IN(0, 2)) ASIF_OP(skipped, ASIF_IN(0, 2)) ASIF_OP(itself, ASIF_IN(0, 2)) ASIF_OP(compound, "
      "ASIF_IN(0, 2)) ASIF_OP(pointers, ASIF_IN(0, 2))\n");
  static const struct {
    const char *op;
    int arg;
    const char *wrong;
    int result;
  } all[] = {{"deep", 8, NULL, 8},
             {"deep", 9, "down calls itself more than 8 deep; --recursion allows more", 0},
             {"none", 1, NULL, 1},
             {"none", 0, "none returns no value", 0},
             {"stop", 0, NULL, 0},
             {"stop", 1, "i != 1", 0},
             {"stop", 2, "abort() was called", 0},
             {"stop", 3, "required", 0},
             {"any", 0, NULL, 21},
             {"lock_twice", 1, NULL, 14},
             {"lock_twice", 0, NULL, 14},
             {"lock_twice", 0, "locked", 0},
             {"uninitialised", 1, NULL, 4},
             {"uninitialised", 0, "uninitialised", 0},
             {"again", 1, "uninitialised", 0},
             {"past", 1, NULL, 2},
             {"past", 2, "index", 0},
             {"itself", 2, "uninitialised", 0},
             {"skipped", 2, "uninitialised", 0},
             {"compound", 1, NULL, 650},
             {"pointers", 2, NULL, 55}};
  struct run r;
  sequential_open(&r, &m, p);
  r.thread = 1;
  r.chosen = 2;
  run_from(&r, p->init_entry);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    word result = run_op(&r, op_named(p, all[i].op), all[i].arg, 0);
    bool same = all[i].wrong ? r.wrong && !strcmp(r.wrong, all[i].wrong) : !r.wrong && result == all[i].result;
    CHECKF(same, "%s(%d): %s, %lld", all[i].op, all[i].arg, r.wrong ? r.wrong : "fine", (long long)result);
  }
  CHECK(p->uses_thread && !p->has_points && !p->frees);
  mem_close(&m);
}

TEST(lower_refuses) {
  static const struct {
    const char *text, *message;
  } all[] = {
      {"int g(int); int f(int x) { return g(x); } ASIF_OP(f, ASIF_IN(0, 1))",
       "x.c:2:35: g has no body here: name the file that has it too, or #include it"},
      {"int f(void); ASIF_OP(f)", "x.c:2:14: f has no body here: name the file that has it too, or #include it"},
      {"extern int x; int f(void) { return x; } ASIF_OP(f)", "x is only declared extern, not defined in this file"},
      {"int g(void) { return 1 + nothing; } int f(void) { return g(); } ASIF_OP(f)",
       "x.c:2:26: nothing is not declared"},
      {"int f(int i) { if (i) { nothing; } return 1; } ASIF_OP(f, ASIF_IN(0, 1))", "x.c:2:25: nothing is not declared"},
      {"int f(int i) { switch (i) { if (0) { case 1: nothing; } } return 1; } ASIF_OP(f, ASIF_IN(0, 1))",
       "x.c:2:46: nothing is not declared"},
      {"int f(int i) { switch (i) { if (0) { do { case 1:; } while (nothing); } } return 1; } ASIF_OP(f)",
       "x.c:2:61: nothing is not declared"},
      {"static int g(int n) { return n ? g(n - 1) + g(n - 2) + g(n - 3) + g(n - 4) + g(n - 5) : 0; }"
       "int f(int x) { return g(x); } ASIF_OP(f, ASIF_IN(0, 1))",
       "this becomes too large"},
      {"void f(int i) { if (i) goto in; ASIF_ATOMIC { in: i = 1; } } ASIF_OP(f, ASIF_IN(0, 1))",
       "goto into ASIF_ATOMIC is outside"},
      {"void f(int i) { switch (i) { case 0:; int v[2]; v[i] = 1; case 1:; } } ASIF_OP(f, ASIF_IN(0, 1))",
       "a case behind"},
      {"void g(void) {} void f(void) { ASIF_LIN_FOR(g); } ASIF_OP(f)", "g is no operation"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct mem m;
    mem_open(&m, NULL);
    struct problem problem = {.text = ""};
    struct text t;
    text_open(&t, &m);
    text_printf(&t, "%s%s\n", HEADERS, all[i].text);
    struct unit *unit = front_parse(&m, "x.c", text_string(&t), t.count, &problem);
    if (unit) CHECKF(!lower(&m, unit, NULL, &problem), "accepted: %s", all[i].text);
    CHECKF(strstr(problem.text, all[i].message), "%s\n%s", all[i].text, problem.text);
    mem_close(&m);
  }
}

/* What no operation reaches need not be understood. */
TEST(lower_left_alone) {
  static const char *const all[] = {
      "int g(void) { return 1 + nothing; } int f(void) { return 1; } ASIF_OP(f)",
      ("void g(void) { int a = nothing; if (a b) a; else { a c; } do x y; while (z w); for (;; u v) ; } int h(void) { "
       "return 2; } int f(void) { return h(); } ASIF_OP(f)"),
      "int g(void); int f(void) { if (0) { return nothing; } if (1) ; else g(); return 1 ? 1 : g(); } ASIF_OP(f)",
      "int g(void) { goto nowhere; } int h(void) { return 1; } int f(void) { return h(); } ASIF_OP(f)",
      "extern int x; int g(void) { return x; } int f(void) { return 1; } ASIF_OP(f)",
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct mem m;
    mem_open(&m, NULL);
    struct problem problem = {.text = ""};
    struct text t;
    text_open(&t, &m);
    text_printf(&t, "%s%s\n", HEADERS, all[i]);
    struct unit *unit = front_parse(&m, "x.c", text_string(&t), t.count, &problem);
    CHECKF(unit && lower(&m, unit, NULL, &problem), "%s\n%s", all[i], problem.text);
    mem_close(&m);
  }
}

/* Every object of the library. */
TEST(lower_objects) {
  static const char *const folders[] = {"objects", "objects/bugs"};
  for (size_t k = 0; k < 2; k++) {
    DIR *d = opendir(folders[k]);
    CHECK(d);
    for (struct dirent *e; (e = readdir(d));) {
      size_t n = strlen(e->d_name);
      if (n < 3 || strcmp(e->d_name + n - 2, ".c")) continue;
      char path[400];
      snprintf(path, sizeof path, "%s/%s", folders[k], e->d_name);
      struct mem m;
      mem_open(&m, NULL);
      struct problem problem = {.text = ""};
      struct unit *unit = front_read(&m, path, NULL, &problem);
      CHECKF(unit && lower(&m, unit, NULL, &problem), "%s", problem.text);
      mem_close(&m);
    }
    closedir(d);
  }
}
