/* Operands in no order where nobody else runs in between: evaluated in one order and checked (front/lower_checked.c),
 * or in every order, they have the same outcomes. Random expressions; for each outcome that is thought of, one object
 * that must not have it. ASIF_TEST_OBJECTS sets ten times how many. */
#include <unistd.h>

#include "base/hash.h"
#include "front/conflicts.h"
#include "test.h"
#include "verify/verify.h"

enum { EXPRESSIONS = 150, OUTCOMES = 4 };

struct writer {
  struct text *t;
  uint64_t seed;
};

static unsigned below(struct writer *w, unsigned n) {
  w->seed = hash_mix(w->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(w->seed >> 20) % n;
}

/* '@' is an expression, '#' something that can be assigned to, '%' a pointer. */
static void fill(struct writer *w, const char *parts, unsigned depth) {
  static const char *const leaves[] = {"x", "y", "a", "b", "*p", "s.n", "t[1]", "1", "2", "i"};
  static const char *const lvalues[] = {"x", "y", "a", "b", "*p", "*q", "s.n", "t[@ & 3]", "t[1]", "s.m", "*at(@)"};
  static const char *const pointers[] = {"&x", "&y", "&a", "p", "q", "&s.n", "&t[@ & 3]", "&t[1]", "at(@)"};
  static const char *const inner[] = {"(@ + @)",
                                      "(@ - 2 * @)",
                                      "(@ * 3 ^ @)",
                                      "minus(@, @)",
                                      "minus(@, bump(%))",
                                      "mix(%, %, @)",
                                      "bump(%)",
                                      "(@ ? @ : @)",
                                      "(@ && @)",
                                      "(@, @)",
                                      "t[@ & 3]",
                                      "(# = @)",
                                      "(# += @)",
                                      "(#)++",
                                      "set(%, @)",
                                      "get(%)",
                                      "both()",
                                      "(*get3(%, @, %) | @)",
                                      "loop(%, @)"};
  for (; *parts; parts++) {
    unsigned d = depth ? depth - 1 : 0;
    if (*parts == '@' && (!depth || !below(w, 5)))
      text_add(w->t, leaves[below(w, sizeof leaves / sizeof *leaves)]);
    else if (*parts == '@')
      fill(w, inner[below(w, sizeof inner / sizeof *inner)], d);
    else if (*parts == '#')
      fill(w, lvalues[below(w, sizeof lvalues / sizeof *lvalues)], d);
    else if (*parts == '%')
      fill(w, pointers[below(w, sizeof pointers / sizeof *pointers)], d);
    else
      text_char(w->t, *parts);
  }
}

/* One writes its variables as memory, so that pointers and calls alone can bring operands together; no outcome: -1. */
static void write_object(struct text *t, struct writer *w, int not ) {
  text_add(t, "#include <asif.h>\n"
              "static unsigned x, y, t[4] = {0, 1, 2, 3}, i = 1;\n"
              "static struct { unsigned n, m; } s;\n"
              "static unsigned *p = &x, *q = &t[2];\n"
              "static unsigned set(unsigned *at, unsigned v) { *at = v & 3; return v; }\n"
              "static unsigned get(unsigned *at) { return *at & 7; }\n"
              "static unsigned bump(unsigned *at) { unsigned had = *at; *at = had + 1; return had; }\n"
              "static unsigned minus(unsigned v, unsigned w) { return v - w; }\n"
              "static unsigned *at(unsigned n) { return &t[n & 3]; }\n"
              "static unsigned mix(unsigned *v, unsigned *w, unsigned k) { return bump(v) * 2 + get(w) + k; }\n"
              "static unsigned both(void) { return minus(bump(&x), get(&y)) + 2 * bump(&y); }\n"
              "static unsigned *get3(unsigned *v, unsigned k, unsigned *w) { return k & 1 ? v : w; }\n"
              "static unsigned loop(unsigned *v, unsigned k) {\n"
              "  unsigned r = 0;\n"
              "  for (unsigned n = k & 3; n; n--) r += get(v) + bump(&t[n]);\n"
              "  return r;\n}\n");
  text_add(t, "static int f(void) {\n  unsigned a = 1, b = 2, r = 0;\n  ASIF_ATOMIC {\n");
  for (unsigned n = 1 + below(w, 2); n; n--) fill(w, "    r += @;\n", 4);
  text_printf(t,
              "  }\n  return ((r + 3 * x + 5 * y + a * 7 + b + s.n * 2 + t[0] + t[1] * 3 + t[2] * 5 + t[3] + s.m) %% "
              "%d) != %d;\n}\n",
              OUTCOMES, not );
  text_add(t, "struct state { int n; };\n"
              "static int s_f(struct state *s) { (void)s; return 1; }\n"
              "ASIF_SPEC(one, struct state)\nASIF_SPEC_OP(s_f, \"f\")\nASIF_OBJECT(one)\nASIF_OP(f)\n");
}

struct tally {
  unsigned held, violated, unknown, conflicting;
};

static enum verdict ask(const char *path, bool check, struct tally *y) {
  struct verify_options o = {.path = path,
                             .threads = 1,
                             .ops = 1,
                             .bound = -1,
                             .check_orders = check,
                             .search = {.reduce = REDUCE_BEST, .jobs = 1}};
  struct limits limits;
  struct mem m;
  volatile enum verdict verdict = VERDICT_UNKNOWN;
  limits_start(&limits, 20, (size_t)1 << 30);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m)) {
    struct subject s;
    struct verified v;
    struct problem why = {.text = ""};
    struct text places;
    CHECKF(subject_open(&m, &o, &s, &why), "%s", why.text);
    CHECKF(verify(&s, &limits, &v, &why), "%s", why.text);
    verdict = v.search.verdict;
    text_open(&places, &m);
    if (check) y->conflicting += conflicts_print(s.unit->conflicts, &places) != 0;
    subject_close(&s);
  }
  mem_close(&m);
  return verdict;
}

static void try_expression(uint64_t number, struct tally *y) {
  for (int not = -1; not < OUTCOMES; not ++) {
    struct mem m;
    struct text t;
    mem_open(&m, NULL);
    text_open(&t, &m);
    struct writer w = {&t, number};
    write_object(&t, &w, not );
    char path[] = "/tmp/asif-unordered-XXXXXX.c";
    int fd = mkstemps(path, 2);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    CHECK(f && fputs(text_string(&t), f) >= 0 && !fclose(f));
    enum verdict every = ask(path, false, y), checked = ask(path, true, y);
    unlink(path);
    CHECKF(every == checked || every == VERDICT_UNKNOWN, "expression %llu: verdict %d, in every order %d\n%s",
           (unsigned long long)number, checked, every, text_string(&t));
    y->held += every == VERDICT_HOLDS;
    y->violated += every == VERDICT_VIOLATED;
    y->unknown += every == VERDICT_UNKNOWN;
    mem_close(&m);
    if (not < 0 && every != VERDICT_HOLDS) return; /* undefined: so are the others */
  }
}

TEST(verify_unordered_random) {
  struct tally y = {0};
  const char *asked = getenv("ASIF_TEST_OBJECTS");
  unsigned count = asked ? (unsigned)atoi(asked) / 10 : EXPRESSIONS;
  for (uint64_t i = 0; i < count; i++) try_expression(i, &y);
  fprintf(stderr, "held %u, violated %u, unknown %u; with conflicts %u\n", y.held, y.violated, y.unknown,
          y.conflicting);
  CHECK(count < EXPRESSIONS || (y.held > count / 4 && y.violated > count / 4 && y.conflicting > count / 4));
}
