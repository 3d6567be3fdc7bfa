/* Random blocks of inline assembly against the same code in C, with the compiler's builtins: every schedule of the one
 * does what the same schedule of the other does, step by step. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "images.h"
#include "test.h"
#include "test/assembly.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

enum { PROGRAMS = 24, WORDS = 4, PIECES_MOST = 3, REGISTERS = 6, RUNS_MOST = 3000 };

/* Programs. */

static uint64_t state;
static unsigned below(unsigned n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % n;
}

/* One statement of assembly, as it is put together, and the same in C. */
struct statement {
  struct text code, c;
  unsigned used;    /* registers */
  bool accumulator; /* one of them is rax */
};

/* A variable of the function, as an operand. */
static unsigned take(struct statement *s) {
  unsigned r;
  do r = below(REGISTERS);
  while (s->used >> r & 1);
  s->used |= 1u << r;
  return r;
}

static const char suffixes[] = {[1] = 'b', [2] = 'w', [4] = 'l', [8] = 'q'},
                  modifiers[] = {[1] = 'b', [2] = 'w', [4] = 'k', [8] = 'q'};
static const char *const types[] = {
    [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned", [8] = "unsigned long"};

/* A place of this size in the shared words: "N(%[p])" in one of several forms, and "*(T *)..." */
static void place(unsigned size, char *code, char *c) {
  unsigned word = below(WORDS), within = below(2) ? 0 : below(8 / size) * size, offset = 8 * word + within;
  switch (below(3)) {
  case 0: sprintf(code, "%u(%%[p])", offset); break;
  case 1: sprintf(code, "%d(%%[p],%%[i],8)", (int)offset - 16); break; /* i is 2 */
  default: sprintf(code, "shared+%u(%%%%rip)", offset); break;
  }
  sprintf(c, "(%s *)((char *)shared + %u)", types[size], offset);
}

/* What a register is after something of this size was moved into it. */
static void put_moved(struct text *t, unsigned r, unsigned size, const char *value) {
  if (size >= 4)
    text_printf(t, "v%u = %s;", r, value);
  else
    text_printf(t, "v%u = (v%u & ~%s) | %s;", r, r, size == 1 ? "0xfful" : "0xfffful", value);
}

static const char *const two_operands[][2] = {{"add", "+"}, {"sub", "-"}, {"and", "&"}, {"or", "|"}, {"xor", "^"}};
static const char *const one_operand[][2] = {{"inc", "o + 1"}, {"dec", "o - 1"}, {"neg", "-o"}, {"not", "~o"}};
static const char *const bits[][2] = {{"bts", "o | m"}, {"btr", "o & ~m"}, {"btc", "o ^ m"}};

static void put_piece(struct statement *s) {
  static const unsigned sizes[] = {1, 2, 4, 8};
  unsigned size = sizes[below(4)], r = take(s), kind = below(14), number = below(100);
  char m[60], at[80], suffix = suffixes[size], mod = modifiers[size], value[200];
  bool locked = below(2);
  const char *lock = !locked ? "" : below(2) ? "lock; " : "lock\\n\\t ";
  place(size, m, at);
  struct text *a = &s->code, *c = &s->c;
  switch (kind) {
  case 0:
    text_printf(a, "mov%c %s, %%%c[v%u]\\n\\t", suffix, m, mod, r);
    sprintf(value, "__atomic_load_n(%s, __ATOMIC_ACQUIRE)", at);
    put_moved(c, r, size, value);
    break;
  case 1:
    text_printf(a, "mov%c %%%c[v%u], %s; ", suffix, mod, r, m);
    text_printf(c, "__atomic_store_n(%s, (%s)v%u, __ATOMIC_RELEASE);", at, types[size], r);
    break;
  case 2:
    text_printf(a, "mov%c $%u, %s;", suffix, number, m);
    text_printf(c, "__atomic_store_n(%s, %u, __ATOMIC_RELEASE);", at, number);
    break;
  case 3:
    text_printf(a, "xchg%c %%%c[v%u], %s\\n", suffix, mod, r, m);
    sprintf(value, "__atomic_exchange_n(%s, (%s)v%u, __ATOMIC_SEQ_CST)", at, types[size], r);
    put_moved(c, r, size, value);
    break;
  case 4: { /* with the carry flag as it was before */
    unsigned f = take(s), carry = below(2);
    text_printf(a, "%s; mov%c %s, %%%c[v%u]; setc %%b[v%u]; ", carry ? "stc" : "clc", suffix, m, mod, r, f);
    sprintf(value, "__atomic_load_n(%s, __ATOMIC_ACQUIRE)", at);
    put_moved(c, r, size, value);
    text_printf(c, "v%u = (v%u & ~0xfful) | %u;", f, f, carry);
    break;
  }
  case 5: {
    unsigned k = below(5);
    text_printf(a, "%s%s%c %%%c[v%u], %s; ", lock, two_operands[k][0], suffix, mod, r, m);
    if (locked)
      text_printf(c, "__atomic_fetch_%s(%s, (%s)v%u, __ATOMIC_SEQ_CST);", two_operands[k][0], at, types[size], r);
    else
      text_printf(c,
                  "{ %s *a = %s, o = __atomic_load_n(a, __ATOMIC_ACQUIRE); __atomic_store_n(a, (%s)(o %s v%u), "
                  "__ATOMIC_RELEASE); }",
                  types[size], at, types[size], two_operands[k][1], r);
    break;
  }
  case 6: {
    unsigned k = below(4);
    if (locked && k == 2) k = 3; /* no builtin negates */
    text_printf(a, "%s%s%c %s; ", lock, one_operand[k][0], suffix, m);
    if (locked && k == 3)
      text_printf(c, "__atomic_fetch_xor(%s, (%s)-1, __ATOMIC_SEQ_CST);", at, types[size]);
    else if (locked)
      text_printf(c, "__atomic_fetch_%s(%s, 1, __ATOMIC_SEQ_CST);", k ? "sub" : "add", at);
    else
      text_printf(
          c,
          "{ %s *a = %s, o = __atomic_load_n(a, __ATOMIC_ACQUIRE); __atomic_store_n(a, (%s)(%s), __ATOMIC_RELEASE); }",
          types[size], at, types[size], one_operand[k][1]);
    break;
  }
  case 7:
    text_printf(a, "%sxadd%c %%%c[v%u], %s; ", lock, suffix, mod, r, m);
    if (locked)
      sprintf(value, "__atomic_fetch_add(%s, (%s)v%u, __ATOMIC_SEQ_CST)", at, types[size], r);
    else
      sprintf(value, "unlocked_add_%u(%s, (%s)v%u)", size, at, types[size], r);
    put_moved(c, r, size, value);
    break;
  case 8:
    if (s->accumulator) return;
    s->accumulator = true;
    text_printf(a, "mov%c $%u, %%%c[x]; %scmpxchg%c %%%c[v%u], %s; sete %%b[z]; ", suffix, number % 4, mod, lock,
                suffix, mod, r, m);
    text_printf(c, "{ %s e = %u; z = (z & ~0xfful) | %s_if_%u(%s, &e, (%s)v%u);", types[size], number % 4,
                locked ? "exchange" : "unlocked", size, at, types[size], r);
    if (size >= 4)
      text_printf(c, "x = e; }");
    else
      text_printf(c, "x = (x & ~%s) | e; }", size == 1 ? "0xfful" : "0xfffful");
    break;
  case 9: {
    unsigned k = below(3), width = size < 4 ? 4 : size, bit = below(8 * width);
    place(width, m, at);
    text_printf(a, "%s%s%c $%u, %s; setc %%b[v%u]; ", lock, bits[k][0], suffixes[width], bit, m, r);
    text_printf(c, "{ %s m = (%s)1 << %u, o = ", types[width], types[width], bit);
    if (locked)
      text_printf(c, "__atomic_fetch_%s(%s, %sm, __ATOMIC_SEQ_CST);",
                  k == 0   ? "or"
                  : k == 1 ? "and"
                           : "xor",
                  at, k == 1 ? "~" : "");
    else
      text_printf(c, "__atomic_load_n(%s, __ATOMIC_ACQUIRE); __atomic_store_n(%s, %s, __ATOMIC_RELEASE);", at, at,
                  bits[k][1]);
    text_printf(c, "v%u = (v%u & ~0xfful) | ((o & m) != 0); }", r, r);
    break;
  }
  case 10:
    text_printf(a, "cmp%c $%u, %s; setb %%b[v%u]; ", suffix, number, m, r);
    text_printf(c, "v%u = (v%u & ~0xfful) | (__atomic_load_n(%s, __ATOMIC_ACQUIRE) < %u);", r, r, at, number);
    break;
  case 11:
    if (size == 8)
      text_printf(a, "movq %s, %%%%xmm3; movq %%%%xmm3, %%[v%u]; ", m, r);
    else
      text_printf(a, "mov%s %s, %%k[v%u]; ", size == 1 ? "zbl" : size == 2 ? "zwl" : "l", m, r);
    text_printf(c, "v%u = __atomic_load_n(%s, __ATOMIC_ACQUIRE);", r, at);
    break;
  case 12: {
    unsigned f = take(s);
    place(1, m, at);
    text_printf(a, "cmpq %%[v%u], %%[v%u]; seta %s; ", f, r, m);
    text_printf(c, "__atomic_store_n(%s, v%u > v%u, __ATOMIC_RELEASE);", at, r, f);
    break;
  }
  default: {
    static const char *const nothing[][2] = {{"pause; ", ""},
                                             {"nop; ", ""},
                                             {"mfence; ", "__atomic_thread_fence(__ATOMIC_SEQ_CST);"},
                                             {"lock; addl $0, (%%rsp); ", "__atomic_thread_fence(__ATOMIC_SEQ_CST);"}};
    unsigned k = below(4);
    text_add(a, nothing[k][0]);
    text_add(c, nothing[k][1]);
  }
  }
}

static void put_statement(struct mem *m, struct text *code, struct text *c) {
  struct statement s = {.used = 0};
  text_open(&s.code, m);
  text_open(&s.c, m);
  unsigned count = 1 + below(PIECES_MOST);
  for (unsigned i = 0; i < count; i++) put_piece(&s);
  text_printf(code, "  __asm__ volatile(\"%s\" : ", text_string(&s.code));
  for (unsigned i = 0; i < REGISTERS; i++)
    if (s.used >> i & 1) text_printf(code, "[v%u] \"+&r\"(v%u), ", i, i);
  text_add(code,
           "[x] \"+&a\"(x), [z] \"+&r\"(z) : [p] \"r\"(shared), [i] \"r\"(2L) : \"xmm3\", \"memory\", \"cc\");\n");
  text_printf(c, "  %s\n", text_string(&s.c));
}

/* Plain accesses between: whether they race depends on the order that the others make. A function either reads or
 * writes: a compiler gives no hook to a read that a write follows. */
static void put_plain(struct text *code, struct text *c, bool write) {
  struct text t;
  text_open(&t, code->mem);
  if (write)
    text_printf(&t, "  data = %u;\n", below(9));
  else
    text_add(&t, "  w += data;\n");
  text_add(code, text_string(&t));
  text_add(c, text_string(&t));
}

/* Work on what is in registers, the same in both: nothing that is needed there may be lost. */
static void put_local(struct text *code, struct text *c) {
  struct text t;
  text_open(&t, code->mem);
  unsigned a = below(REGISTERS), b = below(REGISTERS), d = below(REGISTERS);
  switch (below(7)) {
  case 0: text_printf(&t, "  v%u = v%u * %u + v%u;\n", a, b, 3 + below(9), d); break;
  case 1: text_printf(&t, "  if (v%u & %u) v%u ^= v%u;\n", a, 1u << below(8), b, d); break;
  case 2: text_printf(&t, "  w += v%u > v%u ? v%u : %u;\n", a, b, d, below(50)); break;
  case 3: text_printf(&t, "  d = d * 1.5 + (double)(v%u & 15);\n", a); break;
  case 4: text_printf(&t, "  e += d - %u; if (e > 100) e -= (double)(v%u & 255);\n", below(9), a); break;
  case 5: text_printf(&t, "  w = w << 3 ^ v%u >> (v%u & 31);\n", a, b); break;
  default: text_printf(&t, "  v%u -= v%u / (v%u | 1);\n", a, b, d); break;
  }
  text_add(code, text_string(&t));
  text_add(c, text_string(&t));
}

static void put_both(struct text *code, struct text *c, const char *s) {
  text_add(code, s);
  text_add(c, s);
}

static void put_body(struct mem *m, struct text *code, struct text *c) {
  static const char *const around[][2] = {{"", ""},
                                          {"", ""},
                                          {"  if (v1 & 2) {\n", "  }\n"},
                                          {"  for (int k = 0; k < 2; k++) {\n", "  w += k;\n  }\n"},
                                          {"  if (v2 & 1) {\n  w++;\n", "  } else {\n  v3 += w;\n  }\n"}};
  unsigned k = below(5);
  put_both(code, c, around[k][0]);
  if (below(2)) put_local(code, c);
  put_statement(m, code, c);
  while (below(3)) put_local(code, c);
  put_both(code, c, around[k][1]);
}

static void put_function(struct mem *m, struct text *out, unsigned program, unsigned thread, bool plain) {
  struct text code, c;
  text_open(&code, m);
  text_open(&c, m);
  unsigned statements = 1 + below(2);
  bool write = below(2);
  for (unsigned i = 0; i < statements; i++) {
    if (plain && below(2)) put_plain(&code, &c, write);
    put_body(m, &code, &c);
  }
  if (plain && below(2)) put_plain(&code, &c, write);
  for (int by_c = 0; by_c <= 1; by_c++) {
    text_printf(out, "long %c%u_%u(void) {\n  double d = 1, e = 2;\n  unsigned long x = 0, z = 0, w = 0",
                by_c ? 'c' : 'a', program, thread);
    for (unsigned i = 0; i < REGISTERS; i++)
      text_printf(out, ", v%u = %uul * 0x0101010101010101", i, (i + 3) * (thread + 1));
    text_add(out, ";\n  __asm__(\"\" : ");
    for (unsigned i = 0; i < REGISTERS; i++) text_printf(out, "%s\"+r\"(v%u)", i ? ", " : "", i);
    text_printf(out, ");\n%s  unsigned long r = (x * 31 + (z & 0xff)) * 31 + w + (unsigned long)(long)(d * 8 + e);\n",
                text_string(by_c ? &c : &code));
    for (unsigned i = 0; i < REGISTERS; i++) text_printf(out, "  r = r * 31 + v%u;\n", i);
    text_add(out, "  return r;\n}\n");
  }
}

static const char preamble[] =
    "extern unsigned long shared[4];\n"
    "unsigned long shared[4] __attribute__((aligned(16))) = {1, 2, 0x300, 0xff00ff0000000003};\n"
    "int data;\n"
    "#define UNLOCKED(N, T) \\\n"
    "  static inline T unlocked_add_##N(T *a, T v) { \\\n"
    "    T o = __atomic_load_n(a, __ATOMIC_ACQUIRE); \\\n"
    "    __atomic_store_n(a, o + v, __ATOMIC_RELEASE); \\\n"
    "    return o; } \\\n"
    "  static inline int unlocked_if_##N(T *a, T *e, T v) { \\\n"
    "    T o = __atomic_load_n(a, __ATOMIC_ACQUIRE), was = *e; \\\n"
    "    __atomic_store_n(a, o == was ? v : o, __ATOMIC_RELEASE); \\\n"
    "    if (o != was) *e = o; \\\n"
    "    return o == was; } \\\n"
    "  static inline int exchange_if_##N(T *a, T *e, T v) { \\\n"
    "    return __atomic_compare_exchange_n(a, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }\n"
    "UNLOCKED(1, unsigned char) UNLOCKED(2, unsigned short) UNLOCKED(4, unsigned) UNLOCKED(8, unsigned long)\n";

static void write_source(struct mem *m, const char *path) {
  struct text t;
  text_open(&t, m);
  text_add(&t, preamble);
  for (unsigned i = 0; i < PROGRAMS; i++) {
    unsigned threads = 2 + !below(4);
    for (unsigned n = 0; n < threads; n++) put_function(m, &t, i, n, i & 1);
  }
  FILE *f = fopen(path, "w");
  CHECK(f && fwrite(t.at, 1, t.count, f) == t.count && !fclose(f));
}

/* Runs. */

struct runs {
  const unsigned long *shared;
  const int *data;
  uint64_t hash[RUNS_MOST];
  size_t count, found;
};

static uint64_t mix(uint64_t h, uint64_t v) { return ((h ^ v) * 0x9e3779b97f4a7c15u) ^ (h >> 29); }

static bool add_run(void *self, const struct run *r) {
  struct runs *k = self;
  uint64_t h = mix(r->count, r->found);
  CHECKF(r->found == FOUND_NOTHING || r->found == FOUND_RACE, "%s", r->said);
  for (size_t i = 0; i < r->count; i++) {
    const struct step *s = &r->steps[i];
    h = mix(mix(mix(h, s->address), s->size),
            (uint64_t)s->fiber << 16 | (uint64_t)s->kind << 8 | (s->flags & ~STEP_YIELDED));
  }
  for (size_t i = 0; i < r->moment_count; i++)
    h = mix(mix(h, (uint64_t)r->moments[i].result), (uint64_t)r->moments[i].call << 8 | r->moments[i].is_return);
  for (size_t i = 0; i < WORDS; i++) h = mix(h, k->shared[i]);
  k->hash[k->count++] = mix(h, (uint64_t)*k->data);
  k->found += r->found != FOUND_NOTHING;
  return k->count < RUNS_MOST;
}

static void run_all(struct runs *k, struct image *image, char by, unsigned program) {
  char name[20];
  struct scene s;
  snprintf(name, sizeof name, "%c%u", by, program);
  scene_open(&s, image, name, &(struct run_options){.races = program & 1});
  k->shared = image_symbol(image, "shared");
  k->data = image_symbol(image, "data");
  k->count = k->found = 0;
  scene_all(&s.client, RUNS_MOST, add_run, k);
}

/* One file of programs; exits with how many runs there were, in thousands, or aborts. */
static void compare(uint64_t seed, const char *compiler, const char *flags) {
  static struct runs a, c;
  struct mem m;
  char folder[] = "/tmp/asif-assembly-XXXXXX", path[60], more[200], as[60];
  size_t runs = 0, found = 0;
  mem_open(&m, NULL);
  state = seed * 2 + 1;
  CHECK(mkdtemp(folder) && assembler_put(folder));
  snprintf(path, sizeof path, "%s/blocks.c", folder);
  snprintf(as, sizeof as, "%s/as", folder);
  snprintf(more, sizeof more, "%s -B%s/ %s", flags, folder,
           strcmp(compiler, "clang") ? "-fno-ipa-ra" : "-fno-integrated-as");
  write_source(&m, path);
  setenv("CC", compiler, 1);
  struct image *image = image_of(&m, path, more);
  const struct unseen *unseen;
  CHECKF(!image_unseen(image, &unseen), "%s", unseen_words(unseen));
  for (unsigned i = 0; i < PROGRAMS; i++) {
    run_all(&a, image, 'a', i);
    run_all(&c, image, 'c', i);
    size_t n = 0;
    while (n < a.count && n < c.count && a.hash[n] == c.hash[n]) n++;
    CHECKF(n == a.count && n == c.count, "seed %llu, %s %s, program %u: run %zu of %zu and %zu differs; see %s",
           (unsigned long long)seed, compiler, flags, i, n, a.count, c.count, path);
    runs += n;
    found += a.found;
  }
  CHECK(found && found < runs);
  unlink(path);
  unlink(as);
  rmdir(folder);
  fprintf(stderr, "seed %llu, %s %s: %zu runs, %zu with a race\n", (unsigned long long)seed, compiler, flags, runs,
          found);
}

/* Each in a process of its own: an image is loaded once. */
static void compare_apart(uint64_t seed, const char *compiler, const char *flags) {
  int status;
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    compare(seed, compiler, flags);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECKF(!status, "seed %llu with %s %s", (unsigned long long)seed, compiler, flags);
}

TEST(assembly_random_blocks_as_builtins) {
  const char *const flags[] = {"-O1", "-O2", "-O0", "-O1 -fno-omit-frame-pointer",
                               __builtin_cpu_supports("avx2") ? "-O2 -mavx2" : "-O2"};
  bool clang = !system("clang --version > /dev/null 2>&1"), gcc = !system("gcc --version > /dev/null 2>&1");
  uint64_t files = getenv("ASIF_LONG") ? 200 : 3;
  if (!gcc) test_skip("no gcc");
  for (uint64_t i = 0; i < files; i++)
    compare_apart(i, clang && i % 3 == 2 ? "clang" : "gcc", flags[i % (sizeof flags / sizeof *flags)]);
}

#endif
