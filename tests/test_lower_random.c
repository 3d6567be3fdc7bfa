/* Random functions, compiled and lowered: both must give the same. What C leaves undefined is noticed by the
 * interpreter, and the compiled function is not asked then. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "sequential.h"
#include "test.h"

enum { FUNCTIONS = 60 };

struct writer {
  struct text t;
  uint64_t seed;
  unsigned loops, names;
  bool pointers; /* addresses are taken */
};

static unsigned below(struct writer *w, unsigned n) {
  w->seed = hash_mix(w->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(w->seed >> 20) % n;
}

static void put(struct writer *w, const char *s) { text_add(&w->t, s); }
static const char *pick(struct writer *w, const char *const *of, unsigned n) { return of[below(w, n)]; }
#define PICK(w, ...) \
  pick(w, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void expression(struct writer *, unsigned depth);

/* parts: '@' is an expression, '#' a variable. */
static void fill(struct writer *w, const char *parts, unsigned depth);

static void variable(struct writer *w, unsigned depth) {
  if (w->pointers && !below(w, 5))
    put(w, PICK(w, "(*p)", "p[0]"));
  else
    fill(w,
         PICK(w, "x", "y", "u", "c", "h", "l", "t", "s.x", "s.y", "v[1]", "v[2]", "g", "k", "n.in[1].y", "v[(@) & 3]",
              "m"),
         depth);
}

static void fill(struct writer *w, const char *parts, unsigned depth) {
  for (; *parts; parts++) {
    if (*parts == '@')
      expression(w, depth ? depth - 1 : 0);
    else if (*parts == '#')
      variable(w, depth ? depth - 1 : 0);
    else
      text_char(&w->t, *parts);
  }
}

static void expression(struct writer *w, unsigned depth) {
  if (!depth || !below(w, 6)) {
    if (below(w, 3))
      put(w, PICK(w, "a", "b", "x", "y", "u", "c", "h", "l", "t", "s.x", "n.in[0].x", "g", "k", "fixed[2]"));
    else
      put(w, PICK(w, "0", "1", "2", "-1", "7", "100", "255u", "65535", "-128", "3000000000u", "5L", "'a'", "GREEN",
                  "sizeof(int)"));
    return;
  }
  fill(w,
       PICK(w, "(@ + @)", "(@ - @)", "((int)((@) & 255) * (int)((@) & 255))", "(@ / ((@) | 1))", "(@ % ((@) | 1))",
            "(@ & @)", "(@ | @)", "(@ ^ @)", "((unsigned)(@) << ((@) & 7))", "((@) >> ((@) & 7))", "(@ == @)",
            "(@ != @)", "(@ < @)", "(@ <= @)", "(@ > @)", "(@ >= @)", "(@ && @)", "(@ || @)", "(@ ? @ : @)", "-(@)",
            "~(@)", "!(@)", "(short)(@)", "(unsigned char)(@)", "(int)(@)", "(unsigned)(@)", "(_Bool)(@)", "(long)(@)",
            "even(@)", "most(@, @)", "turned((struct pair){@, @}).x", "(a, @)", "(@ ? s : (struct pair){@, @}).y",
            "(signed char)(@)"),
       depth);
}

static void statement(struct writer *, unsigned depth);

static void statements(struct writer *w, unsigned depth) {
  put(w, "{ ");
  for (unsigned i = below(w, 4); i--;) statement(w, depth);
  put(w, "} ");
}

static void loop(struct writer *w, unsigned depth) {
  unsigned i = w->names++, most = 1 + below(w, 4);
  switch (below(w, 3)) {
  case 0: text_printf(&w->t, "for (int i%u = 0; i%u < %u; i%u++) ", i, i, most, i); break;
  case 1: text_printf(&w->t, "{ int i%u = 0; while (i%u++ < %u) ", i, i, most); break;
  default: text_printf(&w->t, "{ int i%u = %u; do ", i, most); break;
  }
  size_t at = w->t.count;
  bool is_do = !strncmp(w->t.at + at - 3, "do ", 3),
       is_while = w->t.at[at - 2] == ')' && strstr(w->t.at + at - 20, "while");
  w->loops++;
  statements(w, depth);
  w->loops--;
  if (is_do) text_printf(&w->t, "while (--i%u > 0); ", i);
  if (is_do || is_while) put(w, "} ");
}

static void choose_case(struct writer *w, unsigned depth) {
  put(w, "switch ((int)(");
  expression(w, 2);
  put(w, ") & 3) { case 0: ");
  statement(w, depth);
  put(w, PICK(w, "break; ", ""));
  put(w, "case 2: ");
  statement(w, depth);
  put(w, PICK(w, "break; ", "", "default: "));
  statement(w, depth);
  put(w, "} ");
}

static void statement(struct writer *w, unsigned depth) {
  if (depth && !below(w, 3)) {
    switch (below(w, 4)) {
    case 0:
      fill(w, "if (@) ", 3);
      statements(w, depth - 1);
      if (below(w, 2)) {
        put(w, "else ");
        statements(w, depth - 1);
      }
      return;
    case 1: loop(w, depth - 1); return;
    case 2: choose_case(w, depth - 1); return;
    default: {
      unsigned i = w->names++;
      text_printf(&w->t, "{ int w%u[3] = {a, %u}; ", i, i);
      statements(w, depth - 1);
      text_printf(&w->t, "x += w%u[", i);
      put(w, w->pointers ? "g & 1" : "1");
      put(w, "]; } ");
      return;
    }
    }
  }
  if (w->loops && !below(w, 8)) {
    fill(w, PICK(w, "if (@) break; ", "if (@) continue; "), 2);
    return;
  }
  if (w->pointers && !below(w, 3)) {
    fill(w,
         PICK(w, "p = &x; ", "p = &y; ", "p = &v[(@) & 3]; ", "p = &g; ", "p = &s.y; ", "add(p, @); ", "add(&x, @); ",
              "p = v + 2; "),
         2);
    return;
  }
  fill(w,
       PICK(w, "# = @; ", "# = @; ", "# += @; ", "# -= @; ", "# &= @; ", "# |= @; ", "# ^= @; ", "#++; ", "--#; ",
            "# %= (@) | 1; ", "u <<= (@) & 7; ", "# >>= (@) & 3; ", "s = turned(s); ", "s = (struct pair){@, @}; ",
            "n.in[1] = s; ", "add(&k, @); ", "add(&s.x, 1); ", "if (@) goto end; ", "y = x++; ", "h = --c; ",
            "(void)(@ && (x = @)); ", "m = (y -= 3); ", "k = (x = @, y = @, x + y); ", "h = (c = @); ",
            "if (even(@)) return 5; "),
       3);
}

static void function(struct writer *w, unsigned number) {
  w->pointers = below(w, 2);
  text_printf(
      &w->t,
      "int f%u(int a, int b) {\n  int x = a, y = b, k = 3, v[4] = {1, a, 3}; unsigned u = 7; signed char c = 9; short "
      "h = 300;"
      " long l = 40000; _Bool t = a; struct pair s = {a, b}; struct nest n = {{{1, 2}}}; _Atomic int m = 2;%s\n  ",
      number, w->pointers ? " int *p = &y;" : "");
  for (unsigned i = 3 + below(w, 6); i--;) {
    statement(w, 3);
    put(w, "\n  ");
  }
  put(w, "end: return (int)((unsigned)x * 31u + (unsigned)y * 17u + u + (unsigned)c * 3u + (unsigned)h * 5u + "
         "(unsigned)l * 11u +"
         " (unsigned)t + (unsigned)(s.x + s.y * 2L) + (unsigned)(v[0] + v[1] * 3L + v[2] * 5L + v[3] * 7L) + "
         "(unsigned)k * 13u +"
         " (unsigned)g * 19u + (unsigned)m * 3u + (unsigned)(n.in[0].y + n.in[1].x * 3L + n.in[1].y * 5L));\n}\n");
}

static const char *program_text(struct writer *w, struct mem *m) {
  text_open(&w->t, m);
  put(w, "enum { RED, GREEN = 5 };\nstruct pair { int x, y; };\nstruct nest { struct pair in[2]; };\nstatic int g;\n"
         "static const int fixed[3] = {10, 20, 30};\n"
         "static int even(int i) { for (; i > 9 || i < 0; i /= 3) if (i < 0) return i > -50; return !(i & 1); }\n"
         "static int most(long i, int j) { if (i > j) return (int)i; return j; }\n"
         "static void add(int *to, int by) { if (by > 100) { *to ^= by; return; } *to += by; }\n"
         "static struct pair turned(struct pair p) { struct pair q = {p.y, p.x}; if (p.x > 5) return p; return q; }\n");
  for (unsigned i = 0; i < FUNCTIONS; i++) function(w, i);
  size_t native = w->t.count;
  put(w, "void reset(void) { g = 0; }\n");
  char *kept = mem_string(m, text_string(&w->t), w->t.count);
  w->t.count = native;
  put(w, "__asif_header(asif)\n");
  for (unsigned i = 0; i < FUNCTIONS; i++) text_printf(&w->t, "ASIF_OP(f%u, ASIF_IN(0, 9), ASIF_IN(0, 9))\n", i);
  return kept;
}

static void *compile(const char *text) {
  char source[] = "/tmp/asif-lower-XXXXXX.c", object[64], command[300];
  int fd = mkstemps(source, 2);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  snprintf(object, sizeof object, "%s.so", source);
  snprintf(command, sizeof command, "%s -w -O1 -shared -fPIC -o %s %s", getenv("CC") ? getenv("CC") : "cc", object,
           source);
  CHECKF(!system(command), "%s", text);
  void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  unlink(source);
  unlink(object);
  return library;
}

/* Counts what was compared, and what was not since C leaves it undefined. */
static void compare(uint64_t seed, unsigned counts[2]) {
  static const int inputs[] = {-2147483647 - 1, -1000, -3, -1, 0, 1, 2, 5, 6, 77, 40000, 2147483647};
  enum { INPUTS = sizeof inputs / sizeof *inputs };
  struct mem m;
  mem_open(&m, NULL);
  struct writer w = {.seed = seed};
  const char *text = program_text(&w, &m);
  struct problem problem = {.text = ""};
  struct unit *unit = front_parse(&m, "x.c", text_string(&w.t), w.t.count, &problem);
  CHECKF(unit, "%s", problem.text);
  const struct program *p = lower(&m, unit, NULL, &problem);
  CHECKF(p, "%s", problem.text);
  void *library = compile(text);
  void (*reset)(void);
  *(void **)&reset = dlsym(library, "reset");
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    int (*native)(int, int);
    *(void **)&native = dlsym(library, p->ops[i].name);
    for (int k = 0; k < INPUTS * INPUTS; k++) {
      int a = inputs[k / INPUTS], b = inputs[k % INPUTS];
      struct run r;
      sequential_open(&r, &m, p);
      r.chosen = (word)(k & 1);
      word result = run_op(&r, &p->ops[i], a, b);
      bool undefined = r.wrong && (!strcmp(r.wrong, "overflow") || strstr(r.wrong, "orders of evaluation"));
      counts[undefined]++;
      if (undefined) continue;
      reset();
      CHECKF(!r.wrong, "seed %llu: %s(%d, %d): %s", (unsigned long long)seed, p->ops[i].name, a, b, r.wrong);
      int expected = native(a, b);
      CHECKF(result == expected, "seed %llu: %s(%d, %d) is %d, not %lld", (unsigned long long)seed, p->ops[i].name, a,
             b, expected, (long long)result);
    }
  }
  dlclose(library);
  mem_close(&m);
}

TEST(lower_random) {
  const char *given = getenv("ASIF_TEST_SEED");
  unsigned rounds = getenv("ASIF_LONG") ? 200 : 3, counts[2] = {0};
  uint64_t first = given ? strtoull(given, NULL, 10) : 1;
  for (uint64_t seed = first; seed < first + rounds; seed++) compare(seed, counts);
  CHECKF(counts[0] > counts[1], "%u compared, %u undefined", counts[0], counts[1]);
}
