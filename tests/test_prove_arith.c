/* A proof is of all that an operation does: what C leaves undefined must be excluded, or it is no proof.
 *
 * Statements are put into the operations of objects that are proved. Those written down here have a known outcome;
 * random ones are held against an evaluator of C's integers of this file's own, for many arguments, and against verify.
 * What is proved is certified again. ASIF_TEST_ARITH sets how many random ones there are (default 300; make test-long
 * takes 5,000), ASIF_TEST_ARITH_ONE the number of the only one. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asif.h"
#include "base/text.h"
#include "prove/prover.h"
#include "test.h"
#include "verify_program.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { RANDOM = 60 };
#else
enum { RANDOM = 300 };
#endif

struct insertion {
  const char *object;    /* objects/NAME.c */
  const char *statement; /* at the beginning of the operation with an argument, which is v */
  long long low, high;   /* ASIF_IN */
};

struct trial_outcome {
  struct mem mem;
  struct limits limits;
  struct proved proved;
  char path[64];
};

static void replace_in_file(FILE *to, const char *text, const char *what, const char *by) {
  size_t length = strlen(what);
  for (const char *at; (at = strstr(text, what)); text = at + length) {
    fwrite(text, 1, (size_t)(at - text), to);
    fputs(by, to);
  }
  fputs(text, to);
}

static void write_object(const struct insertion *x, char *path) {
  char name[200], range[80], body[2000];
  static char text[1 << 16], once[1 << 17];
  snprintf(name, sizeof name, "objects/%s.c", x->object);
  FILE *f = fopen(name, "r");
  CHECK(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  snprintf(range, sizeof range, "ASIF_IN(%lld, %lld)", x->low, x->high);
  snprintf(body, sizeof body, "(int v) {\n  %s\n", x->statement);
  FILE *memory = fmemopen(once, sizeof once, "w");
  CHECK(memory);
  replace_in_file(memory, text, "ASIF_IN(1, VALUES)", range);
  fclose(memory);
  strcpy(path, "/tmp/asif-arith-XXXXXX.c");
  int fd = mkstemps(path, 2);
  CHECK(fd >= 0);
  f = fdopen(fd, "w");
  fputs("#include <assert.h>\n#include <limits.h>\n", f);
  replace_in_file(f, once, "(int v) {", body);
  fclose(f);
}

static bool is_proved(struct trial_outcome *o, const struct insertion *x, enum prove_level level) {
  struct problem why = {.text = ""};
  memset(o, 0, sizeof *o);
  limits_start(&o->limits, 0, 0);
  mem_open(&o->mem, &o->limits);
  write_object(x, o->path);
  bool read = prove(&o->mem, &(struct prove_options){.path = o->path, .level = level}, &o->proved, &why);
  CHECKF(read, "%s: %s", x->statement, why.text);
  return o->proved.verdict == VERDICT_HOLDS;
}

static void close_outcome(struct trial_outcome *o) {
  unlink(o->path);
  mem_close(&o->mem);
}

/* By certify.c, and by the arithmetic of certify_arith.c. */
static void check_certified(struct trial_outcome *o, const char *statement) {
  struct prover *p = o->proved.prover;
  struct certificate c = {.views = {0}};
  struct text said;
  text_open(&said, &o->mem);
  for (size_t i = 1; i < p->entries.count; i++) vec_push(&o->mem, &c.views, p->entries.at[i].view);
  for (size_t i = 0; i < p->actions.count; i++) vec_push(&o->mem, &c.actions, p->actions.at[i]);
  CHECKF(certify(p, &c, &said), "%s: %s", statement, text_string(&said));
}

enum expected { PROVED, PROVED_IN_RANGE, UNDEFINED, UNSET, BOUNDS };

static void expect(struct insertion x, enum expected expected) {
  static const enum prove_fail kinds[] = {[UNDEFINED] = FAIL_UNDEFINED, [UNSET] = FAIL_UNSET, [BOUNDS] = FAIL_BOUNDS};
  struct trial_outcome o;
  x.object = x.object ? x.object : "treiber_stack";
  bool proved = is_proved(&o, &x, LEVEL_FULL);
  CHECKF(proved == (expected <= PROVED_IN_RANGE), "%s: %s", x.statement, proved ? "is proved" : o.proved.failure.said);
  if (proved) {
    CHECKF(o.proved.prover->ranged == (expected == PROVED_IN_RANGE), "%s: for which arguments?", x.statement);
    check_certified(&o, x.statement);
  } else
    CHECKF(o.proved.failure.kind == kinds[expected], "%s: fails otherwise: %s", x.statement, o.proved.failure.said);
  close_outcome(&o);
}

#define USED "if (w == 12345) atomic_load(&top);"

TEST(prove_arith_signed_overflow) {
  expect((struct insertion){NULL, "int w = v + 1; " USED, INT_MAX - 1, INT_MAX}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v + 1; " USED, 1, 2}, PROVED_IN_RANGE);
  expect((struct insertion){NULL, "int w = v - 1; " USED, INT_MIN, 0}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v * v; " USED, 50000, 50001}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v * v; " USED, -40000, 40000}, PROVED_IN_RANGE);
  expect((struct insertion){NULL, "int w = -v; " USED, INT_MIN, INT_MIN + 1}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v; w++; " USED, 0, INT_MAX}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v; w += v; " USED, 0, INT_MAX}, UNDEFINED);
  expect((struct insertion){NULL, "long long w = (long long)v * 1000; " USED, 0, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "long long w = (long long)v * v * v; " USED, INT_MIN, INT_MAX}, UNDEFINED);
  expect((struct insertion){NULL, "int w = 0; if (v < 100 && v > -100) w = v * 1000; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "int w = 0; if (v != INT_MIN) w = -v; " USED, INT_MIN, INT_MAX}, PROVED);
}

TEST(prove_arith_division) {
  expect((struct insertion){NULL, "int w = 5 / v; " USED, 0, 2}, UNDEFINED);
  expect((struct insertion){NULL, "int w = 5 / v; " USED, 1, 2}, PROVED_IN_RANGE);
  expect((struct insertion){NULL, "int w = 5 % (v - 2); " USED, 1, 2}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v / -1; " USED, INT_MIN, INT_MIN + 1}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v % -1; " USED, INT_MIN, INT_MIN + 1}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v / 3; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "int w = v % 10 * 200000000; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "int w = 0; if (v) w = 100 / v; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned w = 7u / (unsigned)v; " USED, INT_MIN, INT_MAX}, UNDEFINED);
}

TEST(prove_arith_shifts) {
  expect((struct insertion){NULL, "int w = v << 40; " USED, 1, 2}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v >> -1; " USED, 1, 2}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v << 3; " USED, -2, -1}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v << 3; " USED, 1, 2}, PROVED_IN_RANGE);
  expect((struct insertion){NULL, "int w = 1 << v; " USED, 30, 31}, UNDEFINED);
  expect((struct insertion){NULL, "int w = 1 << v; " USED, 0, 30}, PROVED_IN_RANGE);
  expect((struct insertion){NULL, "int w = 1 >> v; " USED, -1, 1}, UNDEFINED);
  expect((struct insertion){NULL, "unsigned w = 1u << (v & 31); " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned w = 1u << (v & 32); " USED, INT_MIN, INT_MAX}, UNDEFINED);
  expect((struct insertion){NULL, "unsigned w = 1u << (unsigned char)v; " USED, INT_MIN, INT_MAX}, UNDEFINED);
  expect((struct insertion){NULL, "int w = v >> 3; " USED, INT_MIN, INT_MAX}, PROVED);
}

TEST(prove_arith_unsigned_wraps) {
  expect((struct insertion){NULL, "unsigned w = (unsigned)v + 1; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned w = (unsigned)v * 77; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned long long u = -1ull - (v & 7), w = u * (u - (v & 3)); " USED, INT_MIN,
                            INT_MAX},
         PROVED);
  expect((struct insertion){NULL, "unsigned long long u = (unsigned long long)v, w = u * u; " USED, INT_MIN, INT_MAX},
         PROVED);
  expect((struct insertion){NULL, "int w = v % 7; " USED, 0, 10}, PROVED);
  expect((struct insertion){NULL, "unsigned w = -(unsigned)v; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned w = 0; w--; assert(w == 4294967295u); " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned short w = 65535; w++; assert(w == 0); " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "signed char w = 127; w++; assert(w == -128); " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned char w = (unsigned char)v; int x = w + 1; assert(x < 257); " USED, INT_MIN,
                            INT_MAX},
         PROVED);
  expect((struct insertion){NULL, "unsigned short w = 65535; int x = w * w; if (x) " USED, INT_MIN, INT_MAX},
         UNDEFINED);
  expect((struct insertion){NULL, "unsigned w = (unsigned)v; v = (int)w; " USED, INT_MIN, INT_MAX}, PROVED);
  expect((struct insertion){NULL, "unsigned long long w = (unsigned long long)v; v = (int)w; " USED, INT_MIN, INT_MAX},
         PROVED);
}

/* The certificate's own arithmetic: is it content that x op y is in low..high, where x is in from..to? */
static bool certifies(unsigned op, struct scalar s, int64_t from, int64_t to, int64_t y, int64_t low, int64_t high) {
  static struct view view;
  static struct program program;
  static val regs[REGS_MOST], status;
  static struct reg_range ranges[REGS_MOST];
  struct prover *p = calloc(1, sizeof *p);
  CHECK(p);
  memset(&view, 0, sizeof view);
  for (unsigned r = 0; r < REGS_MOST; r++) regs[r] = VAL(K_UNSET, 0);
  status = VAL(K_UNSET, 0);
  p->program = &program;
  p->reg_ranges = ranges;
  struct actor a = {.view = &view, .reg = regs, .status = &status, .arg = VAL(K_UNSET, 0), .setting_up = true};
  struct inst in = {.code = I_BINARY, .op = (uint8_t)op, .scalar = s};
  val x = new_sym(&view), result = new_sym(&view);
  learn(p, &view, number(p, from), AT_MOST, x);
  learn(p, &view, x, AT_MOST, number(p, to));
  learn(p, &view, number(p, low), AT_MOST, result);
  learn(p, &view, result, AT_MOST, number(p, high));
  CHECK(!p->dead);
  certify_binary(p, &a, &in, x, number(p, y), result);
  bool content = !p->dead;
  free(p);
  return content;
}

/* Between the ends of the operands the results are not always between those of the ends. */
TEST(prove_arith_certified_between) {
  struct scalar i32 = {.bits = 32, .is_signed = true}, u32 = {.bits = 32}, u64 = {.bits = 64};
  CHECK(certifies(OP_MOD, i32, 0, 10, 7, 0, 6));
  CHECK(!certifies(OP_MOD, i32, 0, 10, 7, 0, 3)); /* 0 and 10 give 0 and 3 */
  CHECK(certifies(OP_MOD, i32, -70000, 70000, 7, -6, 6));
  CHECK(!certifies(OP_MOD, i32, -70000, 70000, 7, -6, 5));
  CHECK(!certifies(OP_MOD, i32, -70000, 70000, 7, -5, 6));
  CHECK(certifies(OP_AND, i32, 0, 16, 15, 0, 15));
  CHECK(!certifies(OP_AND, i32, 0, 16, 12, 0, 8));
  CHECK(certifies(OP_AND, i32, -70000, 70000, 12, 0, 12));
  CHECK(!certifies(OP_AND, i32, -65536, 65536, 12, 0, 11));
  CHECK(!certifies(OP_OR, i32, 0, 65536, 1, 0, 65537));
  CHECK(certifies(OP_OR, i32, 0, 65536, 1, 0, 131071));
  CHECK(!certifies(OP_XOR, i32, 0, 16, 1, 0, 16));
  CHECK(!certifies(OP_XOR, i32, 0, 65536, 7, 0, 65543));
  CHECK(certifies(OP_ADD, i32, 0, 65536, 7, 7, 65543));
  CHECK(!certifies(OP_ADD, u32, 0, UINT32_MAX, 100, 0, 200)); /* it wraps around in between */
  CHECK(certifies(OP_ADD, u32, 0, UINT32_MAX, 100, 0, UINT32_MAX));
  CHECK(!certifies(OP_MUL, u64, INT64_MIN + 1, -1, -3, 0, INT64_MAX)); /* 2^64 - 2^62 times 2^64 - 3 */
}

TEST(prove_arith_values_never_set) {
  expect((struct insertion){NULL, "int z; int w = ~z; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int z; int w = -z; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int z; int w = z + v; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int w; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int z; int w = z; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int z; int w = z < 5; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int z; int w = !z; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int z; long long w = z; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "int z; if (v > 1) z = 3; int w = z & 1; " USED, 1, 2}, UNSET);
  expect((struct insertion){NULL, "struct node *z; if (z) atomic_load(&top);", 1, 2}, UNSET);
  expect((struct insertion){NULL, "struct node *z = malloc(sizeof *z); int w = z->val; " USED, 1, 2}, UNSET);
}

/* A loop that counts is followed as far as its bound; one that may go on for ever overflows in the end. */
TEST(prove_arith_loops) {
  expect((struct insertion){NULL, "int w = 0; for (int i = 0; i < 10; i++) w = i; " USED, 1, 2}, PROVED);
  expect((struct insertion){NULL, "int w = 0; for (int i = 0; i < 10; i++) { atomic_load(&top); w = i; } " USED, 1, 2},
         PROVED);
  expect((struct insertion){NULL, "int w = 0; while (!atomic_load(&top)) w++; " USED, 1, 2}, UNDEFINED);
  expect((struct insertion){NULL, "unsigned w = 0; while (!atomic_load(&top)) w++; " USED, 1, 2}, PROVED);
  expect((struct insertion){NULL, "int w = 0; while (!atomic_load(&top)) if (w < 1000) w += 7; " USED, 1, 2}, PROVED);
}

/* A comparison with a constant is nothing to fear. */
TEST(prove_arith_constants) { expect((struct insertion){NULL, "if (v == 9) atomic_load(&top);", 1, 2}, PROVED); }

/* Random expressions, with an evaluator. */

__extension__ typedef __int128 wide;

struct c_type {
  const char *name;
  unsigned bits;
  bool is_signed;
};
static const struct c_type kinds[] = {
    {"int", 32, true},        {"unsigned", 32, false},     {"short", 16, true},     {"unsigned short", 16, false},
    {"signed char", 8, true}, {"unsigned char", 8, false}, {"long long", 64, true}, {"unsigned long long", 64, false}};
enum { INT, UNSIGNED, LONG = 6, UNSIGNED_LONG, KINDS };

enum { NODES = 24 };
struct formula {
  struct tree {
    enum { LEAF_V, LEAF_NUMBER, LEAF_UNSET, UNARY, CAST, BINARY, CHOICE } what;
    const char *op;
    unsigned kind; /* of the value */
    long long number;
    unsigned a, b, c;
  } tree[NODES];
  unsigned count;
  uint64_t random;
  bool plain; /* no comparisons: each is a case, and makes many views where a proof is large */
};

static unsigned roll(struct formula *f, unsigned below) {
  f->random = f->random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(f->random >> 33) % below;
}

static unsigned promoted(unsigned kind) { return kinds[kind].bits < 32 ? INT : kind; }
static unsigned common(unsigned a, unsigned b) {
  a = promoted(a), b = promoted(b);
  return a > b ? a : b; /* in the order of their ranks, with and without sign */
}

static bool is_one_of(const char *op, const char *ops) {
  char between[8];
  snprintf(between, sizeof between, " %s ", op);
  return strstr(ops, between) != NULL;
}

static unsigned grow(struct formula *f, unsigned depth) {
  static const long long numbers[] = {0, 1, 2, 3, 7, 31, 32, 40, 100, -1, -5, INT_MAX, 65535};
  static const char *const binaries[] = {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "==", ">=", "!="};
  static const char *const unaries[] = {"-", "~", "!"};
  unsigned at = f->count++;
  struct tree t = {.kind = INT};
  unsigned which = depth && f->count + 3 * depth < NODES - 3 ? roll(f, 10) : roll(f, 2);
  if (f->plain && which == 5) which = 6;
  if (which < 2) {
    t.what = roll(f, 40) == 0 ? LEAF_UNSET : which ? LEAF_NUMBER : LEAF_V;
    t.number = numbers[roll(f, sizeof numbers / sizeof *numbers)];
  } else if (which == 2) {
    t.what = UNARY;
    t.op = unaries[roll(f, f->plain ? 2 : 3)];
    t.a = grow(f, depth - 1);
    t.kind = *t.op == '!' ? INT : promoted(f->tree[t.a].kind);
  } else if (which < 5) {
    t.what = CAST;
    t.kind = roll(f, KINDS);
    t.a = grow(f, depth - 1);
  } else if (which == 5) {
    t.what = CHOICE;
    t.a = grow(f, depth - 1);
    t.b = grow(f, depth - 1);
    t.c = grow(f, depth - 1);
    t.kind = common(f->tree[t.b].kind, f->tree[t.c].kind);
  } else {
    t.what = BINARY;
    t.op = binaries[roll(f, f->plain ? 10 : sizeof binaries / sizeof *binaries)];
    t.a = grow(f, depth - 1);
    t.b = grow(f, depth - 1);
    t.kind = is_one_of(t.op, " < == >= != ") ? INT
             : is_one_of(t.op, " << >> ")    ? promoted(f->tree[t.a].kind)
                                             : common(f->tree[t.a].kind, f->tree[t.b].kind);
  }
  f->tree[at] = t;
  return at;
}

static void print(const struct formula *f, unsigned at, FILE *to) {
  const struct tree *t = &f->tree[at];
  switch (t->what) {
  case LEAF_V: fputs("v", to); return;
  case LEAF_NUMBER: fprintf(to, t->number < 0 ? "(%lld)" : "%lld", t->number); return;
  case LEAF_UNSET: fputs("z", to); return;
  case UNARY: fprintf(to, "(%s", t->op); break;
  case CAST: fprintf(to, "((%s)", kinds[t->kind].name); break;
  default: fputs("(", to);
  }
  print(f, t->a, to);
  if (t->what == BINARY) fprintf(to, " %s ", t->op), print(f, t->b, to);
  if (t->what == CHOICE) fputs(" ? ", to), print(f, t->b, to), fputs(" : ", to), print(f, t->c, to);
  fputs(")", to);
}

static bool fits(wide n, unsigned kind) {
  wide half = (wide)1 << (kinds[kind].bits - 1);
  return kinds[kind].is_signed ? n >= -half && n < half : n >= 0 && n < 2 * half;
}

static wide convert(wide n, unsigned kind) {
  wide count = (wide)1 << kinds[kind].bits;
  n &= count - 1;
  return kinds[kind].is_signed && n >= count / 2 ? n - count : n;
}

/* False: C does not define it. */
static bool evaluate(const struct formula *f, unsigned at, long long v, wide *to) {
  const struct tree *t = &f->tree[at];
  wide x = 0, y = 0;
  switch (t->what) {
  case LEAF_V: *to = v; return true;
  case LEAF_NUMBER: *to = t->number; return true;
  case LEAF_UNSET: return false;
  case CAST:
    if (!evaluate(f, t->a, v, &x)) return false;
    *to = convert(x, t->kind);
    return true;
  case CHOICE:
    if (!evaluate(f, t->a, v, &x) || !evaluate(f, x ? t->b : t->c, v, &y)) return false;
    *to = convert(y, t->kind);
    return true;
  case UNARY:
    if (!evaluate(f, t->a, v, &x)) return false;
    if (*t->op == '!') {
      *to = !x;
      return true;
    }
    x = *t->op == '-' ? -x : -1 - x;
    break;
  case BINARY: {
    if (!evaluate(f, t->a, v, &x) || !evaluate(f, t->b, v, &y)) return false;
    unsigned kind = common(f->tree[t->a].kind, f->tree[t->b].kind);
    bool shifts = is_one_of(t->op, " << >> ");
    x = convert(x, shifts ? t->kind : kind);
    if (!shifts) y = convert(y, kind);
    if (is_one_of(t->op, " < == >= != ")) {
      *to = *t->op == '<' ? x < y : *t->op == '>' ? x >= y : *t->op == '=' ? x == y : x != y;
      return true;
    }
    if (shifts && (y < 0 || y >= kinds[t->kind].bits)) return false;
    if (is_one_of(t->op, " / % ") && (y == 0 || !fits(x / y, t->kind))) return false;
    if (!strcmp(t->op, "<<") && x < 0) return false;
    switch (*t->op) {
    case '+': x = x + y; break;
    case '-': x = x - y; break;
    case '*': x = x * y; break;
    case '/': x = x / y; break;
    case '%': x = x % y; break;
    case '<': x = x * ((wide)1 << y); break;
    case '>': x = x >> y; break;
    case '&': x = x & y; break;
    case '|': x = x | y; break;
    default: x = x ^ y;
    }
  }
  }
  *to = convert(x, t->kind);
  return !kinds[t->kind].is_signed || fits(x, t->kind);
}

static const struct {
  long long low, high;
} ranges[] = {{1, 2}, {-2, 2}, {0, 40}, {INT_MIN, INT_MIN + 1LL}, {INT_MAX - 1LL, INT_MAX}, {0, 255}};

static bool defined_everywhere(const struct formula *f, const struct insertion *x, bool ranged, long long *where) {
  static const long long tried[] = {INT_MIN, INT_MIN + 1LL, -65536, -32769, -32768,        -256,
                                    -129,    -128,          -101,   -100,   65535,         65536,
                                    32767,   32768,         46340,  46341,  INT_MAX - 1LL, INT_MAX};
  wide n;
  for (*where = ranged ? x->low : -70; *where <= (ranged ? x->high : 300); ++*where)
    if (!evaluate(f, 0, *where, &n)) return false;
  for (unsigned i = 0; !ranged && i < sizeof tried / sizeof *tried; i++)
    if (*where = tried[i], !evaluate(f, 0, *where, &n)) return false;
  return true;
}

struct tally {
  unsigned proved, ranged, undefined, missed;
};

static void try_formula(const char *object, enum prove_level level, uint64_t number, struct tally *y) {
  struct formula f = {.random = number * 0x9e3779b97f4a7c15u + 99, .plain = strcmp(object, "treiber_stack") != 0};
  char statement[1500], text[1200] = "";
  struct trial_outcome o;
  struct insertion x = {.object = object, .statement = statement};
  unsigned r = roll(&f, sizeof ranges / sizeof *ranges);
  x.low = ranges[r].low, x.high = ranges[r].high;
  grow(&f, 2 + roll(&f, 2));
  FILE *to = fmemopen(text, sizeof text, "w");
  print(&f, 0, to);
  fclose(to);
  snprintf(statement, sizeof statement, "int z; (void)z; long long w = (long long)(%s); %s;", text,
           f.plain ? "(void)w" : "if (w == 12345) v = v");
  bool proved = is_proved(&o, &x, level), ranged = o.proved.prover->ranged;
  long long where;
  if (proved) {
    CHECKF(defined_everywhere(&f, &x, ranged, &where), "%s, formula %llu is proved, but is not defined for %lld: %s",
           object, (unsigned long long)number, where, text);
    check_certified(&o, statement);
    if (number % 8 == 0 && x.high - x.low < 5 && x.low > ASIF_FULL) /* these are no numbers to verify */
      CHECKF(!verify_breaks(o.path, o.proved.program, 2, 1, 2), "%s, formula %llu is proved: %s", object,
             (unsigned long long)number, text);
  } else {
    CHECKF(o.proved.failure.kind == FAIL_UNDEFINED || o.proved.failure.kind == FAIL_UNSET, "%s, formula %llu: %s: %s",
           object, (unsigned long long)number, o.proved.failure.said, text);
    y->missed += defined_everywhere(&f, &x, true, &where);
  }
  y->proved += proved;
  y->ranged += proved && ranged;
  y->undefined += !proved;
  close_outcome(&o);
}

static void try_formulas(const char *object, enum prove_level level, unsigned share) {
  const char *n = getenv("ASIF_TEST_ARITH"), *one = getenv("ASIF_TEST_ARITH_ONE");
  unsigned most = (n ? (unsigned)atoi(n) : getenv("ASIF_LONG") ? 5000 : RANDOM) / share;
  struct tally y = {0};
  if (one) try_formula(object, level, strtoull(one, NULL, 10), &y);
  for (uint64_t i = 0; !one && i < most; i++) try_formula(object, level, i, &y);
  printf("%s: %u proved, %u of them in the range of ASIF_IN, %u not, of which %u are defined in it\n", object, y.proved,
         y.ranged, y.undefined, y.missed);
  CHECK(one || most < 20 || (y.proved > most / 5 && y.undefined > most / 5));
  CHECKF(one || most < 20 || y.missed < most / 5, "%u", y.missed);
}

TEST(prove_arith_random_treiber_stack) { try_formulas("treiber_stack", LEVEL_FULL, 1); }
TEST(prove_arith_random_dcas_stack) { try_formulas("dcas_stack", LEVEL_FULL, 10); }
TEST(prove_arith_random_ms_queue) { try_formulas("ms_queue", LEVEL_FULL, 15); }
TEST(prove_arith_random_doherty_queue) { try_formulas("doherty_queue", LEVEL_FULL, 15); }
TEST(prove_arith_random_two_lock_queue) { try_formulas("two_lock_queue", LEVEL_FULL, 10); }
TEST(prove_arith_random_lock_coupling_set) {
  if (!getenv("ASIF_LONG") && !getenv("ASIF_TEST_ARITH")) test_skip("it takes long: ASIF_LONG=1 tries it");
  try_formulas("lock_coupling_set", LEVEL_MS, 100);
}
