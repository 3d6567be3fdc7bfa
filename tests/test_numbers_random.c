/* Random functions that compute with __int128, float and double and with arrays whose sizes are not constant. Compiled
 * by the system's compiler and run by the machine of verify as one thread, they must give the same. Nothing in them is
 * undefined: what might be is kept in range by what is around it.
 *
 * Which NaN a NaN is, compilers may choose: the functions only ask whether a number is one. Unsigned integers become
 * floating through a volatile variable: of 0.0 - (float)u, GCC 12 makes -(float)u, which is another zero where u is 0.
 */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "test.h"
#include "verify/machine.h"

enum { FUNCTIONS = 50 };

struct writer {
  struct text t;
  uint64_t seed;
};

static unsigned below(struct writer *w, unsigned n) {
  w->seed = hash_mix(w->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(w->seed >> 20) % n;
}

/* Forms of the values of each type. $ and a letter is an expression of the type with that letter: x __int128, u
 * unsigned
 * __int128, d double, f float, l long, i int (small ones); # and a digit a number below it. */
static const char *const forms_x[] = {
    "x0",
    "x1",
    "sx.w",
    "gx",
    "xs[$i & 3]",
    "(i128)$u",
    "(i128)$l",
    "(i128)$i",
    "(($x >> 3) + ($x >> 3))",
    "(($x >> 3) - ($x >> 3))",
    "(($x >> 66) * ($x >> 66))",
    "(($x >> 1) / ($x | 1))",
    "(($x >> 1) % ($x | 1))",
    "(($x & 0xffffffffff) << ($i & 63))",
    "($x >> ($i & 127))",
    "($x & $x)",
    "($x | $x)",
    "($x ^ $l)",
    "~$x",
    "- ($x >> 1)",
    "whole_x($d)",
    "($i ? $x : $l)",
    "id_x($x)",
};
static const char *const forms_u[] = {
    "u0",
    "u1",
    "su.w",
    "gu",
    "both.w",
    "(u128)$x",
    "(u128)$l",
    "(u128)(unsigned)$i",
    "($u + $u)",
    "($u - $x)",
    "($u * $u)",
    "($u / ($u | 1))",
    "($u % ($u | 1))",
    "($u << ($i & 127))",
    "($u >> ($i & 127))",
    "($u & $u)",
    "($u | (u128)$l << 64)",
    "($u ^ $u)",
    "~$u",
    "- $u",
    "whole_u($d)",
    "($u > $u ? $u : 5)",
};
static const char *const forms_d[] = {
    "d0",
    "d1",
    "sd.d",
    "gd",
    "ds[$i & 3]",
    "(double)$f",
    "(double)$l",
    "of_long_d($l)",
    "(double)$x",
    "of_u_d($u)",
    "of_long_d((unsigned)$i)",
    "($d + $d)",
    "($d - $d)",
    "($d * $d)",
    "($d / $d)",
    "($d + $i)",
    "($f * $d)",
    "- $d",
    "+ $d",
    "($i ? $d : $f)",
    "($d ? $d : $l)",
    "id_d($d, $f)",
    "pun($l)",
    "fabs($d)",
    "sqrt($d)",
    "floor($d)",
    "ceil($d)",
    "trunc($d)",
    "#9.#9",
    "#9e#9",
    "1e-310",
    "4.9e-324",
    "1e308",
    "0x1.8p-1",
    "-0.0",
    "(double)ad",
};
static const char *const forms_f[] = {
    "f0",
    "f1",
    "sd.f",
    "gf",
    "(float)$d",
    "(float)$l",
    "of_long_f($l)",
    "(float)$i",
    "(float)$x",
    "of_u_f($u >> 1)",
    "($f + $f)",
    "($f - $f)",
    "($f * $f)",
    "($f / $f)",
    "($f + $i)",
    "- $f",
    "sqrtf($f)",
    "fabsf($f)",
    "floorf($f)",
    "#9.25f",
    "1e-40f",
    "3e38f",
    "($l < $d ? $f : 2)",
};
static const char *const forms_l[] = {
    "l0",
    "l1",
    "$i",
    "(long)$x",
    "(long)$u",
    "(long)($u >> 64)",
    "(unsigned)$x",
    "(signed char)$u",
    "(_Bool)$x",
    "(_Bool)$d",
    "whole_l($d)",
    "whole_b($f)",
    "(long)bits_d($d)",
    "(long)bits_f($f)",
    "($x == $x)",
    "($x < $x)",
    "($x >= $x)",
    "($u <= $u)",
    "($u > $x)",
    "($d < $d)",
    "($d == $f)",
    "($d >= $d)",
    "($f != $f)",
    "($f <= $l)",
    "!$d",
    "!$x",
    "!$u",
    "($d && $x)",
    "($f || $u)",
    "(($x || $d) ? $l : 3)",
    "($l ^ $l)",
    "(u16)whole_s($d)",
    "(long)sizeof($x)",
    "(long)half.l[$i & 1]",
    "__builtin_popcountl($l)",
};
static const char *const forms_i[] = {
    "a",
    "b",
    "i0",
    "#9",
    "(int)($l & 255)",
    "(int)($x & 1023)",
    "($d > 1)",
    "($x < 0)",
    "(int)sizeof v",
    "(int)sizeof *m",
    "(int)(v[$i & 3] & 31)",
    "(int)(m[$i & 1][$i & 1] & 63)",
};

static void form(struct writer *w, const char *of, unsigned depth);

static void expression(struct writer *w, char type, unsigned depth) {
  static const struct {
    const char *const *of;
    unsigned count, leaves;
  } all[128] = {
      ['x'] = {forms_x, sizeof forms_x / sizeof *forms_x, 4}, ['u'] = {forms_u, sizeof forms_u / sizeof *forms_u, 5},
      ['d'] = {forms_d, sizeof forms_d / sizeof *forms_d, 4}, ['f'] = {forms_f, sizeof forms_f / sizeof *forms_f, 4},
      ['l'] = {forms_l, sizeof forms_l / sizeof *forms_l, 2}, ['i'] = {forms_i, sizeof forms_i / sizeof *forms_i, 4}};
  unsigned t = (unsigned char)type;
  form(w, all[t].of[below(w, depth ? all[t].count : all[t].leaves)], depth ? depth - 1 : 0);
}

static void form(struct writer *w, const char *of, unsigned depth) {
  for (; *of; of++)
    if (*of == '$')
      expression(w, *++of, depth);
    else if (*of == '#')
      text_printf(&w->t, "%u", below(w, (unsigned)*++of - '0'));
    else
      text_char(&w->t, *of);
}

static void statement(struct writer *w) {
  static const char *const statements[] = {
      "x0 = $x;",
      "x1 ^= $x;",
      "x0 = sx.w ^= $x;",
      "x1 /= 3; l0 = (long)x1++;",
      "x1 /= 3; l0 = (long)--x1;",
      "x0 = gx >>= $i & 127;",
      "sx.w = $x;",
      "xs[$i & 3] = $x;",
      "gx = $x;",
      "u0 = $u;",
      "u1 += $u;",
      "u0 = su.w = $u;",
      "u1 = gu *= $u;",
      "u1 = both.w = $u;",
      "u0 = u1++ - --gu;",
      "u1 <<= $i & 127;",
      "su = get_u($u);",
      "half.w = $u; l0 = (long)half.l[1];",
      "u0 = __atomic_exchange_n(&au, $u, 5);",
      "u0 = __atomic_fetch_add(&au, $u, 5);",
      "u0 = __atomic_sub_fetch(&au, $u, 5);",
      "u0 = __atomic_fetch_or(&au, $u, 5);",
      "u0 = __sync_val_compare_and_swap(&au, $u, $u);",
      "u0 = 7; l0 ^= __atomic_compare_exchange_n(&au, &u0, $u, 0, 5, 5);",
      "l0 ^= __sync_bool_compare_and_swap(&au, au, $u);",
      "__atomic_store_n(&au, $u, 5);",
      "au2 += $u; u0 = au2;",
      "u0 = au2++;",
      "d0 = $d;",
      "d1 *= $d;",
      "d0 = d1 += $d;",
      "d0 = sd.d *= $f;",
      "d0 = gd /= $l;",
      "d0 = d1++;",
      "d0 = --sd.d;",
      "ad += $d; d0 = ad;",
      "ds[$i & 3] = $d;",
      "af -= $d; f0 = af;",
      "f0 = $f;",
      "f1 = $d;",
      "f0 = f1 *= $f;",
      "f1 -= $d;",
      "f0 = sd.f += $i;",
      "d0 = gf /= $f;",
      "f1 = f0++;",
      "f1 = --gf;",
      "gd = $f;",
      "l0 = $l;",
      "l1 = whole_l($d);",
      "l0 = (long)$x;",
      "i0 = $i; i0 += whole_b($f) * 0.5;",
      "if ($d) l0 ^= 1;",
      "if ($x) d0 = 1;",
      "if (!$u || $f) l1 ^= 1;",
      "while ($u) { u0 = 3; break; }",
      "v[($i & 63) % n] = $l;",
      "v[n - 1] = whole_l($d);",
      "m[($i & 63) % n][($i & 63) % 3] = $l;",
      "l0 ^= total(n, 3, m);",
      "l1 = bytes($u, $i);",
      "{ long k[($i & 63) % 5 + 1]; k[0] = $l; l1 = k[0] ^ (long)sizeof k; }",
      "for (int c = 1; c < 4; c++) { double z[c][n]; z[c - 1][n - 1] = $d; d0 = z[c - 1][n - 1]; }",
      "{ typedef short row[n]; row k[2]; k[1][n - 1] = (short)$l; l0 = k[1][n - 1] ^ (long)sizeof(row); }",
      "{ unsigned long o; l1 = __builtin_mul_overflow($l, $l, &o); l0 = (long)o; }",
      "{ long o; l1 = __builtin_mul_overflow($l, (unsigned long)$l, &o); l0 = o; }",
      "{ int o; l1 = __builtin_add_overflow((unsigned long)$l, $i, &o); l0 = o; }",
      "{ unsigned o; l1 = __builtin_sub_overflow((unsigned long)$l, $l, &o); l0 = o; }",
      "{ long (*p)[3] = m; p += ($i & 63) % n; l0 = (*p)[2] ^ (p - m); }",
  };
  text_add(&w->t, "  ");
  form(w, statements[below(w, sizeof statements / sizeof *statements)], 3);
  text_char(&w->t, '\n');
}

static const char before[] =
    "__extension__ typedef __int128 i128; __extension__ typedef unsigned __int128 u128; typedef unsigned short u16;\n"
    "struct hold_x { char c; i128 w; }; struct hold_u { u128 w; short s; }; struct reals { float f; double d; char c; "
    "};\n"
    "union both { u128 w; struct { unsigned long low, high; }; }; union half { u128 w; unsigned long l[2]; double d; "
    "};\n"
    "static i128 gx = -5; static u128 gu = ((u128)1 << 100) + 7, au; static _Atomic u128 au2; static double gd = "
    "-2.5e10;\n"
    "static float gf = 1.0f / 3; static _Atomic double ad = 0.1; static _Atomic float af; static union both both;\n"
    "static union half half; static const i128 table[3] = {1, -1, (i128)1 << 90};\n"
    "_Static_assert(sizeof(i128) == 16 && _Alignof(u128) == 16 && sizeof(struct hold_x) == 32, \"\");\n"
    "static i128 id_x(i128 x) { return x; }\n"
    "static double id_d(double d, float f) { return d > f ? d : f; }\n"
    "static struct hold_u get_u(u128 u) { struct hold_u h = {u, (short)u}; return h; }\n"
    "static double pun(long l) { union { long l; double d; } p = {l}; return p.d; }\n"
    "static unsigned long bits_d(double d) { union { double d; unsigned long l; } p = {d}; return d == d ? p.l : 77; "
    "}\n"
    "static double of_long_d(unsigned long l) { volatile double d = l; return d; }\n"
    "static double of_u_d(u128 u) { volatile double d = u; return d; }\n"
    "static float of_long_f(unsigned long l) { volatile float f = l; return f; }\n"
    "static float of_u_f(u128 u) { volatile float f = u; return f; }\n"
    "static i128 whole_x(double d) { return d > -1.7e38 && d < 1.7e38 ? (i128)d : 1; }\n"
    "static u128 whole_u(double d) { return d > -1 && d < 3.4e38 ? (u128)d : 2; }\n"
    "static long whole_l(double d) { return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (long)d : 3; }\n"
    "static short whole_s(double d) { return d > -32769 && d < 32768 ? (short)d : 4; }\n"
    "static unsigned char whole_b(float f) { return f > -1 && f < 256 ? (unsigned char)f : 5; }\n"
    "static long total(int n, int k, long m[n][k]) {\n"
    "  unsigned long s = sizeof *m;\n"
    "  for (int c = 0; c < n; c++) for (int e = 0; e < k; e++) s = s * 3 ^ (unsigned long)m[c][e];\n"
    "  return (long)s;\n"
    "}\n";

/* Memory that is accessed as several types, or where each cell is what it was made as. */
static const char loose[] =
    "static union { u128 w; unsigned char c[16]; float f[4]; struct { short s; long l; } p; } any = {5};\n"
    "static unsigned long bits_f(float f) { union { float f; unsigned u; } p = {f}; return f == f ? p.u : 78; }\n"
    "static long bytes(u128 u, int i) { any.w = u; any.c[i & 15] ^= 9; u = any.w; memcpy(&u, any.c + 1, 15); return\n"
    "  (long)(u >> 64) ^ (long)u ^ any.p.l; }\n";
static const char strict[] =
    "static unsigned long bits_f(float f) { return bits_d(f); }\n"
    "static struct { long l; u128 w; } any;\n"
    "static long bytes(u128 u, int i) { any.w = u << (i & 63); return (long)(any.w >> 64); }\n";

static void function(struct writer *w, unsigned number) {
  static const char *const sums[] = {"(u128)x0",
                                     "(u128)x1",
                                     "u0",
                                     "u1",
                                     "(u128)sx.w",
                                     "su.w",
                                     "(u128)xs[0]",
                                     "(u128)xs[3]",
                                     "bits_d(d0)",
                                     "bits_d(d1)",
                                     "bits_d(ds[1])",
                                     "bits_d(sd.d)",
                                     "bits_f(f0)",
                                     "bits_f(f1)",
                                     "bits_f(sd.f)",
                                     "(u128)l0",
                                     "(u128)l1",
                                     "(u128)gx",
                                     "gu",
                                     "au",
                                     "bits_d(gd)",
                                     "bits_f(gf)",
                                     "bits_d(ad)",
                                     "both.high",
                                     "half.l[0]",
                                     "(u128)v[n - 1]",
                                     "(u128)m[1][2]",
                                     "au2",
                                     "(u128)table[l0 & 1]",
                                     "bits_f(af)",
                                     "(u128)total(n, 3, m)"};
  text_printf(&w->t, "long f%u(int a, int b) {\n", number);
  form(w,
       "  i128 x0 = a, x1 = (i128)b << 80, xs[4] = {1, -2, (i128)5 << 70}; u128 u0 = (u128)a << 63, u1 = (unsigned)b;\n"
       "  struct hold_x sx = {'c', -9}; struct hold_u su = {.w = 11}; struct reals sd = {0.5f, 3.25, 'd'};\n"
       "  double d0 = a / 7.0, d1 = b, ds[4] = {1, 1.0 / 3, -1e300}; float f0 = a * 0.3f, f1 = b;\n"
       "  long l0 = a * 1000000007L, l1 = ~b; int i0 = a & 3, n = 2 + (b & 3); long v[n + 2], m[n][3];\n"
       "  for (int c = 0; c < n + 2; c++) v[c] = c * l0;\n"
       "  for (int c = 0; c < n; c++) for (int e = 0; e < 3; e++) m[c][e] = c - e;\n",
       0);
  for (unsigned i = 0; i < 12; i++) statement(w);
  text_add(&w->t, "  u128 sum = 0;\n");
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    text_printf(&w->t, "  sum = (sum ^ (%s)) * 0x100000001b3u + (sum >> 99);\n", sums[i]);
  text_add(&w->t, "  return (long)(sum ^ sum >> 64);\n}\n");
}

static const char *program_text(struct writer *w, struct mem *m) {
  struct text native, own;
  text_open(&w->t, m);
  text_add(&w->t, before);
  text_add(&w->t, w->seed & 1 ? loose : strict);
  for (unsigned i = 0; i < FUNCTIONS; i++) function(w, i);
  text_open(&native, m);
  text_printf(&native,
              "#include <math.h>\n#include <string.h>\n%s"
              "#define EACH(X) X(gx) X(gu) X(au) X(au2) X(gd) X(gf) X(ad) X(af) X(both) X(half) X(any)\n"
              "#define KEEP(v) static char v##_kept[sizeof v]; memcpy(first ? (void *)v##_kept : (void *)&v,"
              " first ? (void *)&v : (void *)v##_kept, sizeof v);\n"
              "void reset(void) { static int first = 1; EACH(KEEP) first = 0; }\n",
              text_string(&w->t));
  text_open(&own, m);
  text_printf(&own, "__asif_header(asif)\n__asif_header(math)\n__asif_header(string)\n%s", text_string(&w->t));
  for (unsigned i = 0; i < FUNCTIONS; i++) text_printf(&own, "ASIF_OP(f%u, ASIF_IN(0, 9), ASIF_IN(0, 9))\n", i);
  w->t = own;
  return text_string(&native);
}

static void *compile(const char *text) {
  char source[] = "/tmp/asif-numbers-XXXXXX.c", object[64], command[300];
  int fd = mkstemps(source, 2);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  snprintf(object, sizeof object, "%s.so", source);
  snprintf(command, sizeof command, "%s -w -O1 -fno-strict-aliasing -shared -fPIC -o %s %s -mcx16 -lm -latomic",
           getenv("CC") ? getenv("CC") : "cc", object, source);
  CHECKF(!system(command), "%s", text);
  void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  CHECKF(library, "%s", dlerror());
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
  const struct program *p = lower(&m, unit, &(struct lower_options){.alone = true}, &problem);
  CHECKF(p, "seed %llu: %s", (unsigned long long)seed, problem.text);
  CHECKF(p->loose == (seed & 1), "seed %llu: %s", (unsigned long long)seed, p->loose ? p->loose_text : "");
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

TEST(numbers_random) {
  const char *given = getenv("ASIF_TEST_SEED");
  unsigned rounds = getenv("ASIF_LONG") ? 100 : 2, unknown = 0;
  uint64_t first = given ? strtoull(given, NULL, 10) : 1;
  for (uint64_t seed = first; seed < first + rounds; seed++) compare(seed, &unknown);
  CHECKF(unknown < rounds * FUNCTIONS / 10, "%u not known", unknown);
}
