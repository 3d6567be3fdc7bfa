/* Random programs that access memory in every way that C allows: unions, bit-fields, casts, bytes, copies, integers of
 * 64 bits. Compiled by the system's compiler and run by the machine of verify as one thread, they must give the same.
 *
 * Objects that are accessed as several types have no padding: what is in it, C does not say. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "test.h"
#include "verify/machine.h"

enum { FUNCTIONS = 40 };

struct writer {
  struct text t;
  uint64_t seed;
};

static unsigned below(struct writer *w, unsigned n) {
  w->seed = hash_mix(w->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(w->seed >> 20) % n;
}

static void put(struct writer *w, const char *s) { text_add(&w->t, s); }
static const char *pick(struct writer *w, const char *const *of, unsigned n) { return of[below(w, n)]; }
#define PICK(w, ...) \
  pick(w, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* The types, and objects of them that every function has: globals, and locals with other names. */
static const char types[] =
    "typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;\n"
    "typedef unsigned u32; typedef int i32; typedef unsigned long u64; typedef long i64;\n"
    "struct bits { u32 a : 5; i32 b : 11; u32 c : 16; };\n"
    "struct wide { i64 a : 40; u64 b : 23; u64 c : 1; };\n"
    "struct odd { u8 a : 3; u16 b : 9; i32 c : 17; u8 d; i16 : 0; i16 e : 16; _Bool f : 1; u64 g : 63; };\n"
    "struct gaps { u32 a : 20; u32 b : 20; u8 c; u32 : 5; u32 d : 9; };\n"
    "union word { u64 l; i64 s; u32 i[2]; struct { i16 h; u8 k[2]; i32 m; } p; i8 c[8]; struct bits b; struct wide w; "
    "};\n"
    "union same { u32 u; i32 i; };\n"
    "union mark { void *p; u64 n; u8 c[8]; };\n"
    "struct node { u32 key; i8 tag; union { u64 l; struct { u32 x, y; }; u8 c[8]; }; struct node *next; u16 last; };\n"
    "struct flat { u64 l; i32 i; u16 h[2]; };\n"
    "struct __attribute__((packed)) tight { u8 a; u32 b; i16 c; u64 d : 37; i32 e : 9; struct flat f; void *p; };\n"
    "struct lead { u32 : 7; i32 b; u16 c; u16 d; };\n"
    "struct tail { u16 n; u32 more[]; };\n";

/* parts: '@' is an expression, '#' an lvalue, '$' a name of an object. */
static void expression(struct writer *, unsigned depth);
static void lvalue(struct writer *, unsigned depth);

static void fill(struct writer *w, const char *parts, unsigned depth) {
  for (; *parts; parts++) {
    if (*parts == '@')
      expression(w, depth ? depth - 1 : 0);
    else if (*parts == '#')
      lvalue(w, depth ? depth - 1 : 0);
    else if (*parts == '%' && parts[1] >= '0' && parts[1] <= '9')
      text_printf(&w->t, "%u", below(w, (unsigned)*++parts - '0'));
    else
      text_char(&w->t, *parts);
  }
}

static void lvalue(struct writer *w, unsigned depth) {
  fill(w,
       PICK(w, "gw.l", "gw.s", "gw.i[%2]", "gw.p.h", "gw.p.k[%2]", "gw.p.m", "gw.c[%8]", "gw.b.a", "gw.b.b", "gw.b.c",
            "gw.w.a", "gw.w.b", "gw.w.c", "lw.l", "lw.i[(@) & 1]", "lw.p.m", "lw.c[(@) & 7]", "lw.b.b", "lw.w.a",
            "gt.a", "gt.b", "gt.c", "gt.d", "gt.e", "gt.f.l", "gt.f.h[%2]", "lt.b", "lt.e", "lt.f.i", "lt.f.h[(@) & 1]",
            "tt[(@) & 1].b", "tt[1].f.l", "gl.b", "gl.c", "ll.d", "ll.b", "gs.u", "gs.i", "ls.u", "ls.i", "gb.a",
            "gb.b", "gb.c", "lb.a", "lb.b", "lb.c", "go.a", "go.b", "go.c", "go.d", "go.e", "go.f", "go.g", "lo.a",
            "lo.b", "lo.c", "lo.e", "lo.f", "lo.g", "gg.a", "gg.b", "gg.c", "gg.d", "gn.key", "gn.tag", "gn.l", "gn.x",
            "gn.y", "gn.c[%8]", "gn.last", "ln.x", "ln.c[(@) & 7]", "np->y", "np->l", "np->c[%8]", "gf.l", "gf.i",
            "gf.h[%2]", "lf.l", "lf.h[(@) & 1]", "(*(u32 *)&gf)", "((u16 *)&lf)[(@) & 7]", "((u8 *)&gf)[(@) & 15]",
            "((i8 *)&lf)[%8]", "(*(i64 *)&lw)", "((u32 *)&gw)[%2]", "(*(struct flat *)raw.h)", "x", "y", "u", "i", "c",
            "h", "((u8 *)&x)[%8]", "((u16 *)&y)[%4]", "array[(@) & 3].i", "array[%4].h[%2]",
            "(*(u64 *)((char *)array + 16 * ((@) & 3)))", "tp->more[(@) & 3]", "tp->n", "hp->i",
            "((u8 *)hp)[(@) & 15]"),
       depth);
}

/* Structs cannot be operands. */
static void scalar(struct writer *w, unsigned depth) {
  for (;;) {
    size_t at = w->t.count;
    lvalue(w, depth);
    if (!strstr(w->t.at + at, "(struct flat *)")) return;
    w->t.count = at;
  }
}

static void expression(struct writer *w, unsigned depth) {
  if (!depth || !below(w, 5)) {
    if (below(w, 3))
      scalar(w, 0);
    else
      put(w, PICK(w, "0", "1", "7u", "0xff", "0x8000", "-1", "0x7fffffff", "0x80000000u", "0x123456789abcdefu",
                  "0xfedcba9876543210u", "0x8000000000000000u", "12345", "a", "b"));
    return;
  }
  fill(w,
       PICK(w, "((u64)(@) + (@))", "((u64)(@) - (@))", "((u64)(@) * (@))", "((@) ^ (@))", "((@) & (@))", "((@) | (@))",
            "((u64)(@) >> ((@) & 63))", "((u64)(@) << ((@) & 63))", "((i64)(@) >> ((@) & 63))", "(u8)(@)", "(i8)(@)",
            "(u16)(@)", "(i16)(@)", "(i32)(@)", "(u32)(@)", "((u64)(@) / ((u64)(@) | 1))",
            "((u64)(@) % ((u64)(@) | 1))", "((i64)(u16)(@) / ((i8)(@) | 1))", "((@) < (@))", "((i64)(@) <= (i64)(@))",
            "((u64)(@) > (u64)(@))", "(!(@))", "(~(u64)(@))", "((@) ? (u64)(@) : (u64)(@))", "((@) == (@))", "gb.b + 1",
            "(lb.a - 17 < 0)", "(go.b - 300 < 0)", "((u64)-(u64)(@))", "(u64)(gw.w.b << 1)",
            "(u64)(memcmp(&gw, &lw, 8) == 0)", "(u64)(memcmp(raw.c, &gf, (@) & 7) < 0)"),
       depth);
}

static void statement(struct writer *w, unsigned depth) {
  for (;;) {
    size_t at = w->t.count;
    fill(w,
         PICK(w, "# = @; ", "# = @; ", "# = @; ", "# += (u64)(@); ", "# ^= @; ", "# -= (u64)(@); ", "#++; ", "--#; ",
              "gw = lw; ", "lw = gw; ", "lb = gw.b; ", "gw.b = lb; ", "gw.w = lw.w; ", "gb = turned(gb, @); ",
              "lo = go; ", "go = lo; ", "gf = lf; ", "array[%4] = gf; ", "lf = array[(@) & 3]; ",
              "memcpy(&gw, raw.c, 8); ", "memcpy(raw.c + %8, &lw, 8); ", "memcpy(&x, &gw, sizeof x); ",
              "memcpy(raw.c, &y, (@) & 7); ", "memmove(raw.c + %4, raw.c + %4, (@) & 7); ",
              "memmove(raw.h, raw.h + 1, 8); ", "memset(&gf, @, sizeof gf); ", "memset(raw.c + 3, @, (@) & 7); ",
              "memset(&lw, 0, sizeof lw); ",
              "gn.next = (struct node *)((u64)np | 1); np = (struct node *)((u64)gn.next & ~1ul); ",
              "gm.p = np; memcpy(lm.c, gm.c, 8); np = lm.p; ", "{ union mark t = gm; gm.p = &gn; t = gm; np = t.p; } ",
              "gm.n = (u64)np << 16 | (u16)(@); u ^= (u16)gm.n; np = (struct node *)(gm.n >> 16); ",
              "gm.n = (u64)np | (u64)(u8)(@) << 56; u += gm.n >> 56; np = (struct node *)(gm.n & 0xffffffffffff); ",
              "{ u64 t = (u64)hp >> 3; hp = (struct flat *)(t << 3); } u += ((u64)hp & 15) + ((u64)hp % 8); ",
              "np = (struct node *)((char *)&np->l - __builtin_offsetof(struct node, l)); ",
              "for (i = 0; i < 8; i++) ((u8 *)&lm)[i] = ((u8 *)&np)[i]; np = lm.p; ",
              "for (i = 0; i < 16; i++) ((u8 *)&array[1])[i] = ((u8 *)&lf)[i]; ", "np = np == &gn ? &ln : &gn; ",
              "np->next = np; if (np->next != np) u++; ", "(void)swap(&gw, &lw); ", "gs = (union same){.i = @}; ",
              "lw = (union word){.p = {.h = @, .m = @}}; ", "lb = (struct bits){@, @, @}; ",
              "u += ((union word){.l = @}).c[3]; ", "if (@) { # = @; } else { # = @; } ",
              "u += (u64)((char *)&array[3] - (char *)array) + (u64)(&array[3].l - &array[1].l); ", "gt = lt; ",
              "lt = gt; ", "tt[(@) & 1] = gt; ", "lt.f = gf; ", "gt.f = lf; ", "gl = ll; ", "ll = gl; ",
              "gt.p = np; lt = gt; np = lt.p; ", "memcpy(&tt[1], &gt, sizeof gt); ", "memcpy((u8 *)&gt + 1, &x, 4); ",
              "gt = (struct tight){.b = @, .f = {.i = @}}; ", "memcpy(hp, &gf, sizeof gf); ", "memcpy(&lf, hp, 16); "),
         depth);
    if (!strstr(w->t.at + at, "(struct flat *)raw")) return; /* a struct */
    w->t.count = at;
  }
}

static void function(struct writer *w, unsigned number) {
  text_printf(
      &w->t,
      "long f%u(int a, int b) {\n  u64 x = (u64)a, y = (u64)b * 3, u = 7; i32 i = b; i8 c = (i8)a; i16 h = 300;\n"
      "  union word lw = {.l = (u64)a * 0x9e3779b97f4a7c15u}; union same ls = {5}; struct bits lb = {1, 2, 3};\n"
      "  struct tight lt = {1, 2, 3, 4, 5, {6, 7, {8, 9}}, 0}; struct lead ll = {-1, 2, 3};\n"
      "  struct odd lo = {1, 2, 3, 4, 5, 1, 6}; struct flat lf = {1, 2, {3, 4}}; union mark lm = {0};\n"
      "  struct node ln = {.key = 5, .l = 77}; struct node *np = &gn;\n"
      "  struct tail *tp = malloc(sizeof *tp + 4 * sizeof(u32)); struct flat *hp = (struct flat *)any(16);\n"
      "  tp->n = 3; for (i = 0; i < 4; i++) tp->more[i] = (u32)i; *hp = lf;\n  ",
      number);
  for (unsigned i = 3 + below(w, 8); i--;) {
    statement(w, 3);
    put(w, "\n  ");
  }
  static const char *const sums[] = {"gt.a",
                                     "gt.b",
                                     "(u64)gt.c",
                                     "gt.d",
                                     "(u64)gt.e",
                                     "gt.f.l",
                                     "gt.f.h[1]",
                                     "lt.b",
                                     "(u64)lt.f.i",
                                     "tt[0].b",
                                     "tt[1].f.l",
                                     "tt[1].d",
                                     "(u64)gl.b",
                                     "gl.d",
                                     "ll.c",
                                     "(u64)ll.b",
                                     "gw.l",
                                     "lw.l",
                                     "gs.u",
                                     "ls.u",
                                     "gb.a",
                                     "(u64)gb.b",
                                     "gb.c",
                                     "lb.a",
                                     "(u64)lb.b",
                                     "lb.c",
                                     "go.a",
                                     "go.b",
                                     "(u64)go.c",
                                     "go.d",
                                     "(u64)go.e",
                                     "go.f",
                                     "go.g",
                                     "lo.g",
                                     "(u64)lo.c",
                                     "lo.b",
                                     "gg.a",
                                     "gg.b",
                                     "gg.c",
                                     "gg.d",
                                     "gn.key",
                                     "(u64)gn.tag",
                                     "gn.l",
                                     "gn.last",
                                     "ln.l",
                                     "np->l",
                                     "gf.l",
                                     "(u64)gf.i",
                                     "gf.h[0]",
                                     "gf.h[1]",
                                     "lf.l",
                                     "(u64)lf.i",
                                     "lf.h[0]",
                                     "lf.h[1]",
                                     "raw.l[0]",
                                     "raw.l[1]",
                                     "x",
                                     "y",
                                     "u",
                                     "(u64)i",
                                     "(u64)c",
                                     "(u64)h",
                                     "array[0].l",
                                     "array[1].l",
                                     "(u64)array[1].i",
                                     "array[1].h[1]",
                                     "(u64)array[3].i",
                                     "tp->more[0]",
                                     "tp->more[3]",
                                     "tp->n",
                                     "hp->l",
                                     "(u64)hp->i",
                                     "hp->h[1]"};
  put(w, "u64 sum = 0;\n");
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    text_printf(&w->t, "  sum = (sum ^ (%s)) * 0x100000001b3u;\n", sums[i]);
  put(w, "  free(tp); free(hp); return (long)sum;\n}\n");
}

static const char *program_text(struct writer *w, struct mem *m) {
  text_open(&w->t, m);
  put(w, types);
  put(w, "static union word gw; static union same gs = {3}; static struct bits gb = {9, -9, 999};\n"
         "static struct odd go = {1, 300, -5, 6, -7, 1, 0x7000000000000001}; static struct gaps gg = {3, 4, 5, 6};\n"
         "static struct node gn = {1, 2, {.x = 3}, 0, 4}; static union mark gm;\n"
         "static struct tight gt = {1, 0x80000001u, -2, 0x1f00000003, -4, {5, 6, {7, 8}}, 0}, tt[2]; static struct "
         "lead gl = {-5, 6, 7};\n"
         "static struct flat gf = {0x8000000000000000u, -2, {3, 4}}, array[4];\n"
         "static union { u8 c[16]; u16 h[8]; u32 i[4]; u64 l[2]; } raw;\n"
         "static struct bits turned(struct bits p, u64 v) { p.a += v; p.b = (int)(v >> 5) & 511; return p; }\n"
         "static void *any(unsigned long n) { void *p = malloc(n); return p; }\n"
         "static int swap(union word *p, union word *q) { union word t = *p; *p = *q; *q = t; return 1; }\n");
  for (unsigned i = 0; i < FUNCTIONS; i++) function(w, i);
  struct text native;
  text_open(&native, m);
  text_printf(&native,
              "#include <stdlib.h>\n#include <string.h>\n%s"
              "#define EACH(X) X(gt) X(tt) X(gl) X(gw) X(gs) X(gb) X(go) X(gg) X(gn) X(gm) X(gf) X(array) X(raw)\n"
              "#define KEEP(v) static __typeof__(v) v##_kept; memcpy(first ? (void *)&v##_kept : (void *)&v,"
              " first ? (void *)&v : (void *)&v##_kept, sizeof v);\n"
              "void reset(void) { static int first = 1; EACH(KEEP) first = 0; }\n",
              text_string(&w->t));
  struct text own;
  text_open(&own, m);
  text_printf(&own, "__asif_header(asif)\n__asif_header(string)\n__asif_header(stdlib)\n%s", text_string(&w->t));
  for (unsigned i = 0; i < FUNCTIONS; i++) text_printf(&own, "ASIF_OP(f%u, ASIF_IN(0, 9), ASIF_IN(0, 9))\n", i);
  w->t = own;
  return text_string(&native);
}

static void *compile(const char *text) {
  char source[] = "/tmp/asif-bytes-XXXXXX.c", object[64], command[300];
  int fd = mkstemps(source, 2);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  snprintf(object, sizeof object, "%s.so", source);
  snprintf(command, sizeof command, "%s -w -O1 -fno-strict-aliasing -shared -fPIC -o %s %s",
           getenv("CC") ? getenv("CC") : "cc", object, source);
  CHECKF(!system(command), "%s", text);
  void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  unlink(source);
  unlink(object);
  return library;
}

static value keep_result(void *self, const struct program_op *op, word w) {
  (void)op;
  *(int64_t *)self = w;
  return 0;
}

/* One call by one thread, from the start, going through the packed form on the way. */
static enum moved call(struct system *s, void *work, void *next, unsigned char *packed, struct move *move) {
  s->start(s, work);
  for (;;) {
    struct choices choices;
    choices_begin(&choices);
    enum moved moved = s->move(s, work, 0, &choices, next, move);
    if (moved != MOVED) return moved;
    for (unsigned i = 0; i < move->event_count; i++)
      if (move->events[i].kind == EVENT_RETURN) return MOVED;
    size_t size = s->pack(s, next, NULL, packed, NULL);
    memset(work, 0, s->work);
    s->unpack(s, packed, size, work);
  }
}

static void compare(uint64_t seed, unsigned *unknown) {
  struct mem m;
  mem_open(&m, NULL);
  struct writer w = {.seed = seed};
  const char *text = program_text(&w, &m);
  struct problem problem = {.text = ""};
  struct unit *unit = front_parse(&m, "x.c", text_string(&w.t), w.t.count, &problem);
  CHECKF(unit, "seed %llu: %s", (unsigned long long)seed, problem.text);
  const struct program *p = lower(&m, unit, NULL, &problem);
  CHECKF(p, "seed %llu: %s", (unsigned long long)seed, problem.text);
  void *library = compile(text);
  void (*reset)(void);
  *(void **)&reset = dlsym(library, "reset");
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    long (*native)(int, int);
    int a = (int)(seed % 5) - 2 + (int)i, b = (int)i * 1000;
    *(void **)&native = dlsym(library, p->ops[i].name);
    struct client_call c = {.op = (uint16_t)i, .args = {a, b}};
    struct client_thread client = {.calls = &c, .call_count = 1};
    struct machine_options options = {.ops = 1, .fuse_private = i & 1, .fuse_events = i & 2, .room = 1};
    int64_t result = 0;
    struct system *s = machine_new(&m, p, &client, 1, &options, keep_result, &result);
    void *work = mem_zero(&m, 1, s->work), *next = mem_zero(&m, 1, s->work);
    struct move move = {0};
    enum moved moved = call(s, work, next, mem_alloc(&m, s->packed_most), &move);
    if (moved == FAULTED && move.fault == FAULT_RANGE) {
      if (getenv("ASIF_TEST_SEED")) {
        const char *line = text_string(&w.t);
        for (unsigned n = 1; n < move.place.line; n++) line = strchr(line, '\n') + 1;
        printf("%u:%u %s: %.*s\n", move.place.line, move.place.col, move.text ? move.text : "",
               (int)strcspn(line, "\n"), line);
      }
      ++*unknown;
      continue;
    }
    CHECKF(moved == MOVED, "seed %llu: %s(%d, %d): fault %d in line %u:%u\n%s", (unsigned long long)seed,
           p->ops[i].name, a, b, move.fault, move.place.line, move.place.col,
           getenv("ASIF_TEST_SEED") ? text_string(&w.t) : "");
    reset(); /* globals are as they begin */
    long expected = native(a, b);
    CHECKF(result == expected, "seed %llu: %s(%d, %d) is %lx, not %lx\n%s", (unsigned long long)seed, p->ops[i].name, a,
           b, expected, (long)result, getenv("ASIF_TEST_SEED") ? text : "");
  }
  dlclose(library);
  mem_close(&m);
}

TEST(bytes_random) {
  const char *given = getenv("ASIF_TEST_SEED");
  unsigned rounds = getenv("ASIF_LONG") ? 100 : 2, unknown = 0;
  uint64_t first = given ? strtoull(given, NULL, 10) : 1;
  for (uint64_t seed = first; seed < first + rounds; seed++) compare(seed, &unknown);
  CHECKF(unknown < rounds * FUNCTIONS / 10, "%u not known", unknown);
}
