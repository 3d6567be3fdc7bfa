/* The preprocessor against the compiler's: the same tokens, each in the same file and line, or the compiler is asked.
 */
#include <dirent.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/pp.h"
#include "test.h"

/* Preprocessed text as a list: "name:line token" a line each. */
struct listing {
  struct text *to;
  const char *model; /* written as OWN_MODEL */
  char file[600];
  unsigned line;
};

static bool word_char(char c) { return pp_word_char(c); }

static const char *marker(struct listing *l, const char *p, const char *end) {
  unsigned line;
  char name[600];
  const char *stop = memchr(p, '\n', (size_t)(end - p));
  if (sscanf(p, "# %u \"%599[^\"]\"", &line, name) == 2 && line) {
    size_t n = strlen(l->model);
    l->line = line - 1;
    if (!strncmp(name, l->model, n) && name[n] == '/')
      snprintf(l->file, sizeof l->file, "%s%.500s", OWN_MODEL, name + n);
    else
      snprintf(l->file, sizeof l->file, "%s", name);
  }
  return stop ? stop : end;
}

static const char *token_end(const char *p, const char *end) {
  static const char *const marks[] = {"...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                      "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
  const char *q = p;
  while (q < end && word_char(*q)) q++;
  bool prefix = q == p || (q - p == 1 && strchr("LuU", *p)) || (q - p == 2 && p[0] == 'u' && p[1] == '8' && *q == '"');
  if (q < end && (*q == '"' || *q == '\'') && prefix) {
    char quote = *q;
    for (q++; q < end && *q != quote && *q != '\n'; q++) q += *q == '\\' && q + 1 < end && q[1] != '\n';
    return q < end && *q == quote ? q + 1 : q;
  }
  if (q > p && *p >= '0' && *p <= '9')
    while (q < end && (word_char(*q) || *q == '.' || ((*q == '+' || *q == '-') && strchr("eEpP", q[-1])))) q++;
  if (q > p) return q;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (!strncmp(p, marks[i], strlen(marks[i]))) return p + strlen(marks[i]);
  return p + 1;
}

static void list(struct text *to, const char *text, size_t length, const char *model) {
  struct listing l = {.to = to, .model = model, .line = 1};
  const char *p = text, *end = text + length;
  for (bool first = true; p < end;) {
    if (*p == '\n') {
      first = true;
      l.line++;
      p++;
    } else if (*p == ' ' || *p == '\t' || *p == '\f' || *p == '\v' || !*p) {
      p++;
    } else if (*p == '#' && first) {
      p = marker(&l, p, end);
    } else {
      const char *q = token_end(p, end);
      text_printf(to, "%s:%u ", l.file, l.line);
      text_bytes(to, p, (size_t)(q - p));
      text_char(to, '\n');
      first = false;
      p = q;
    }
  }
}

/* CC, or the one that Asif was built with. */
static const char *compiler(void) {
  static char name[200];
  size_t length;
  const char *built = predefined_compiler(&length);
  snprintf(name, sizeof name, "%.*s", (int)length, built);
  setenv("CC", name, 1);
  char command[300];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
  if (system(command)) test_skip("there is no compiler to compare with");
  return name;
}

/* Where two listings part. */
static void check_same(const char *what, const char *own, const char *theirs) {
  size_t line = 0;
  for (size_t i = 0; own[i] == theirs[i] && own[i]; i++)
    if (own[i] == '\n') line = i + 1;
  CHECKF(!strcmp(own, theirs), "%s\nown:      %.*s\ncompiler: %.*s", what, (int)strcspn(own + line, "\n"), own + line,
         (int)strcspn(theirs + line, "\n"), theirs + line);
}

static enum pp_outcome own_listing(struct mem *m, const char *path, char *const *args, struct text *to,
                                   struct problem *problem) {
  struct text own;
  text_open(&own, m);
  enum pp_outcome outcome = preprocess(m, path, args, &own, problem);
  text_open(to, m);
  if (outcome == PP_DONE) list(to, text_string(&own), own.count, OWN_MODEL);
  return outcome;
}

/* The file comes out alike, without the compiler's help; false if it `must` not be so and is not. */
static bool check_file(const char *path, char *const *args, bool must) {
  struct mem m;
  struct problem problem = {.text = ""};
  struct text own, theirs;
  const char *model;
  bool missing;
  size_t length;
  mem_open(&m, NULL);
  enum pp_outcome outcome = own_listing(&m, path, args, &own, &problem);
  if (strstr(problem.text, "several lines") || strstr(problem.text, " in #if is left")) return true; /* Clang's */
  if (!must && outcome != PP_DONE) return false;
  CHECKF(outcome == PP_DONE, "%s", problem.text);
  const char *text = compiler_preprocess(&m, path, args, &length, &model, &missing, &problem);
  CHECKF(text, "%s", problem.text);
  text_open(&theirs, &m);
  list(&theirs, text, length, model);
  check_same(path, text_string(&own), text_string(&theirs));
  mem_close(&m);
  return true;
}

/* How many of the folder's files come out alike; the others, if there may be any, are the compiler's. */
static int check_folder(const char *in, char *const *args, bool all) {
  int count = 0;
  DIR *d = opendir(in);
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[600];
    size_t n = strlen(e->d_name);
    if (n < 3 || strcmp(e->d_name + n - 2, ".c")) continue;
    snprintf(path, sizeof path, "%s/%s", in, e->d_name);
    count += check_file(path, args, all);
  }
  if (d) closedir(d);
  return count;
}

TEST(preprocess_objects) {
  char *const args[] = {"-Iobjects/lib", "-DSIZE=3", "-D", "F(x)=x + 1", "-UNDEBUG", NULL};
  compiler();
  CHECK(check_folder("objects", NULL, true) > 10 && check_folder("objects/bugs", args, true) > 5);
  check_folder("../shared/algorithms", NULL, true);
  if (!getenv("ASIF_LONG")) return;
  CHECK(check_folder("objects/lib", NULL, false) > 10);
  CHECK(check_folder("objects/harness", args, false) > 10 && check_folder("objects/harness/bugs", args, false) > 10);
}

/* A folder with files of our own. */
static char folder[64];

static const char *put_file(const char *name, const char *text, size_t length) {
  static char path[128];
  snprintf(folder, sizeof folder, "/tmp/asif-preprocess-%d", (int)getpid());
  mkdir(folder, 0700);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path); /* some file systems write at once what replaces a file */
  FILE *f = fopen(path, "w");
  CHECK(f);
  CHECK(fwrite(text, 1, length, f) == length);
  fclose(f);
  return path;
}

static void remove_folder(void) {
  char path[400];
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    unlink(path);
  }
  if (d) closedir(d);
  rmdir(folder);
}

static void check_text(const char *text) { check_file(put_file("a.c", text, strlen(text)), NULL, true); }

static const char *const nasty[] = {
    "",
    "x",
    "\n\n\nx",
    "a b\tc\fd\ve\n",
    "a\\\nb c \\\n d\\\n+e \\  \nf\n",
    "a/*\n*/b /* x\ny */ c // d\ne // f \\\n g\nh\n",
    /* C11 6.10.3.5, examples 3 to 7 */
    "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n"
    "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n#define "
    "str(x) # x\n"
    "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
    "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n",
    "#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n"
    " x ## s, x ## t)\n#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n"
    "#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\ndebug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", "
    "'\\4') // this goes away\n"
    "== 0) str(: @\\n), s);\nxstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)\n",
    "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n#define join(c, d) in_between(c "
    "hash_hash d)\n"
    "char p[] = join(x, y);\n",
    "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\nt(10,,), t(,11,), t(,,12), t(,,) "
    "};\n",
    "#define OBJ_LIKE (1-1)\n#define OBJ_LIKE /* white space */ (1-1) /* other */\n#define FTN_LIKE(a) ( a )\n"
    "#define FTN_LIKE( a )( /* note the white space */ \\\na /* other stuff on this line\n*/ )\nOBJ_LIKE FTN_LIKE(3) "
    "FTN_LIKE FTN_LIKE\n(\n4\n) 5\n",
    "#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n"
    "#define report(test, ...) ((test)?puts(#test):\\\n printf(__VA_ARGS__))\ndebug(\"Flag\");\ndebug(\"X = %d\\n\", "
    "x);\n"
    "showlist(The first, second, and third items.);\nreport(x>y, \"x is %d but y is %d\", x, y);\n",
    /* names that stand for themselves and each other */
    "#define A B\n#define B A\nA B A B\n#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)\n#define foo foo bar\nfoo "
    "foo(foo)\n",
    "#define f(x) x f\nf(1)(2)(3)\n#define AA BB\n#define BB AA\nAA BB\n#define NIL(xxx) xxx\n#define G_0(arg) "
    "NIL(G_1)(arg)\n"
    "#define G_1(arg) NIL(arg)\nG_0(42)\n#define EMPTY\n#define DEFER(x) x EMPTY\n#define EVAL(x) x\n#define h() "
    "DEFER(h2)()()\n"
    "#define h2() h\nh() EVAL(h()) EVAL(EVAL(h()))\n",
    "#define LP (\n#define RP )\n#define f(x) <x>\nf LP 1)\n#define g f LP\ng 3) f\n\n(4) f // c\n (5)\nf\n#define "
    "other\n(6)\n",
    /* GNU commas */
    "#define e(f, ...) p(f, ## __VA_ARGS__)\n#define n(f, a...) p(f , ## a, a)\n#define v(...) [, ## __VA_ARGS__]\n"
    "e(1) e(1,) e(1,2) e(1,2,3) n(1) n(1,) n(1,2) v() v(1) v( ) e(1, ) e()\n",
    /* # */
    "#define s(x) #x\n#define xs(x) s(x)\n#define E\n#define F(x) x\ns( a  b ) s(\"a\\n\" '\\\"' '\"' \\ k) s(a /* c "
    "*/ b) s() s( ) s(a\n\nb) xs(E a E b E) "
    "xs(F(a)b F( c )d) s(@ $x) s(L\"a\" u8\"\\\\\") xs(F(F)(1)) xs(-F(-)-) s((a,b)) xs( F( ) - F( )-)\n",
    /* ## */
    "#define c(a, b) a ## b\n#define d(a, b) a##b a ## b\nc(a,b) c(1,e) c(1e,+) c(<,<) c(<<,=) c(L,'a') c(L, \"x\") "
    "c(.,1) c(&,&) c(+,) c(,) d(x y, z w) "
    "c(-,>) c( , x) c(x, ) c(__LI,NE__) [c(,)]\n#define obj a ## b ## 1\nobj\n#define q(x) x ## _ ## x - x\nq(1) "
    "q(obj)\n",
    "#define LINE __LINE__\n#define f(x, y) x y LINE __LINE__\nLINE f(__LINE__,\n LINE\n) LINE f\n(\n1\n,\n2)LINE "
    "__LINE__\n",
    "__FILE__ __LINE__\n#line 50\n__LINE__ x\n#line 7 \"other.c\"\n__FILE__ __LINE__\n#define N 90\n#line N\n__LINE__ "
    "a\\\nb\nc\n#line 3 \\\n\n__LINE__\n",
    "__COUNTER__ __COUNTER__\n#define k __COUNTER__\nk k\n",
    /* conditions */
    "#if 1\na\n#else\nb\n#endif\n#if 0\nc\n#elif 1\nd\n#elif 1/0\ne\n#else\nf\n#endif\n#ifdef "
    "X\ng\n#else\nh\n#endif\n#ifndef X\ni\n#endif extra\n",
    "#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 0\nc\n#bogus \" ' /*\n# 3 */ x\n#else\nd 'x' \"//\"\n#endif\n#if "
    "0\ndon't \"/*\n#else\ny\n#endif\n",
    "#define Y(n) ok ## n\n#if -1 > 0u\nY(1)\n#endif\n#if (2 || 1/0) && !(0 && 1/0) && (1 ? 2 : "
    "1/0)\nY(2)\n#endif\n#if -1 >> 1 == -1 && -1 >> 70 == -1\n"
    "Y(3)\n#endif\n#if 0x7fffffffffffffff + 1 < 0\nY(4)\n#endif\n#if -9223372036854775807 - 1 == "
    "0x8000000000000000\nY(5)\n#endif\n"
    "#if (-7) / 2 == -3 && (-7) % 2 == -1 && 7 / -2 == -3\nY(6)\n#endif\n#if 'a' == 97 && '\\n' == 10 && '\\0' == 0 && "
    "'\\'' == 39\nY(7)\n#endif\n"
    "#if 1 - 1u - 1 > 0\nY(8)\n#endif\n#if (1 ? -1 : 0u) > 0\nY(9)\n#endif\n#if 1 == 1L && 2UL == 0b10llu && 010 == 8 "
    "&& 0xFul == 15\nY(10)\n#endif\n"
    "#if 1 << 63 < 0 && 1 << 64 == 0 && 8 << -1 == 4 && 1u << 63 > 0\nY(11)\n#endif\n#if ~0 == -1 && ~0u == "
    "0xffffffffffffffff\nY(12)\n#endif\n"
    "#if 1 ? 0 ? 2 : 3 : 4\nY(13)\n#endif\n#if 2 + 3 * 4 - 10 / 5 == 12 && (6 & 3 | 8 ^ 1) == 11\nY(14)\n#endif\n#if "
    "(1, 0)\nY(15)\n#endif\n"
    "#if 18446744073709551615 == -1\nY(16)\n#endif\n#if -9223372036854775807 - 1 < 0 && (-9223372036854775807 - 1) / "
    "-1 < 0\nY(17)\n#endif\n",
    "#define X\n#define Z(x) x\n#define D defined\n#if defined X && defined(X) && !defined W && defined ( Z ) && D(X) "
    "&& !Q\na\n#endif\n"
    "#if Z(1) + Z(Z(2)) == 3 && !Z\nb\n#endif\n#if __GNUC__ && defined __STDC__ && __STDC_VERSION__ >= 201112L && "
    "__ASIF_MODEL__\nc\n#endif\n"
    "#if __has_include(<stdatomic.h>) && !__has_include(\"none.h\") && defined __has_include\nd\n#endif\n",
    /* headers */
    "#include <stdatomic.h>\n#include \"stdint.h\"\n#include <stdatomic.h>\natomic_int a; uint64_t b = "
    "UINT64_C(1);\n#define H <x>\n#define S \"stdbool.h\"\n#include S\nbool t;\n"
    "#include <asif.h> // c\nint f = ASIF_FULL, g = INT_MAX;\nNULL\n",
    /* pragmas */
    "a\n#pragma mark x\nb _Pragma(\"mark y\") c _Pragma(\"mark z\")d\n#pragma STDC FP_CONTRACT ON\n#define P "
    "_Pragma(\"mark q\") e\nP f\n\nP\n\n\n\n\n\n\n\n\n\n\nP g\n",
    "#warning don't\n#\n# /* */\n/* */ # /* */ define /* */ x /* */ y\nx\n#define e/**/1\n#define u+2\ne u\n",
    "#define a 1\r\n#if a\r\nb \\\r\nc\r\n#endif\r\nd\r\n",
    "?\?= ?\?/\n",
    "1.5e+3 0x1p-2 .5.6 1..2 0x1e+1 1_x$y 'ab' 'a\\'' \"\\\"\" -> --> +++ <<<= ... .. %> <: @ `\n",
    "x\n#ifndef G\n#define G\n#include __FILE__\ny\n#endif\n__LINE__\n",
};

TEST(preprocess_nasty) {
  compiler();
  for (size_t i = 0; i < sizeof nasty / sizeof *nasty; i++) check_text(nasty[i]);
  remove_folder();
}

/* What fuzzing found stays found. */
TEST(preprocess_fuzz_corpus) {
  compiler();
  CHECK(check_folder("tests/fuzz/corpus-preprocess", NULL, false) > 3);
}

TEST(preprocess_bytes) {
  static const char nul[] = "a\0b \"x\0y\" // \0\nc\0\n#define d\0e f\nd e\n";
  compiler();
  check_file(put_file("a.c", nul, sizeof nul - 1), NULL, true);
  /* A very long line, of tokens and of one token; a hundred thousand macros. */
  struct mem m;
  struct text t;
  mem_open(&m, NULL);
  text_open(&t, &m);
  for (int i = 0; i < 100000; i++) text_printf(&t, "x%d ", i);
  for (int i = 0; i < 200000; i++) text_char(&t, 'y');
  text_add(&t, "\n");
  check_text(t.at);
  text_clear(&t);
  for (int i = 0; i < 100000; i++) text_printf(&t, "#define m%d m%d\n", i, i + 1);
  text_add(&t, "m99000 m0x\n");
  check_text(t.at);
  mem_close(&m);
  remove_folder();
}

TEST(preprocess_files) {
  char here[128], quoted[160];
  char *args[] = {"-I", here, "-iquote", quoted, "-include", "stdbool.h", "-DX=2", "-std=gnu17", "-D__ASIF_MODEL__=7",
                  NULL};
  static const char a[] = "#include \"b.h\"\n#include \"b.h\"\n#include \"d/c.h\"\n#include \"c.h\"\n#include "
                          "<b.h>\n#include \"o.h\"\n#include \"o.h\"\n"
                          "X __STDC_VERSION__ true __ASIF_MODEL__\n";
  static const char b[] = "#ifndef B\n#define B\nb __FILE__ __LINE__\n#include \"c.h\"\n#else\nagain\n#endif\nb_last",
                    c[] = "c __FILE__ X";
  static const char o[] = "#pragma once\nonce\n";
  compiler();
  put_file("a.c", "", 0);
  snprintf(here, sizeof here, "%s", folder);
  snprintf(quoted, sizeof quoted, "%s/d", folder);
  mkdir(quoted, 0700);
  put_file("b.h", b, sizeof b - 1);
  put_file("o.h", o, sizeof o - 1);
  put_file("d/c.h", c, sizeof c - 1);
  check_file(put_file("a.c", a, sizeof a - 1), args, true);
  unlink(put_file("d/c.h", "", 0));
  rmdir(quoted);
  remove_folder();
}

/* What becomes of a text, and what is said. */
static void expect(const char *text, char *const *args, enum pp_outcome outcome, const char *says) {
  struct mem m;
  struct problem problem = {.text = ""};
  struct text own;
  size_t length;
  unsetenv("CC");
  predefined_compiler(&length);
  mem_open(&m, NULL);
  const char *path = put_file("a.c", text, strlen(text));
  enum pp_outcome got = own_listing(&m, path, args, &own, &problem);
  CHECKF(got == outcome, "%s\n%d, not %d: %s", text, got, outcome, problem.text);
  CHECKF(strstr(problem.text, says), "%s\n%s", text, problem.text);
  mem_close(&m);
}

TEST(preprocess_wrong) {
  expect("\n#if 1\nx\n", NULL, PP_WRONG, "a.c:2:2: this condition has no #endif");
  expect("#endif\n", NULL, PP_WRONG, "a.c:1:2: #endif without #if");
  expect("#if 1\n#else\n#else\n#endif\n", NULL, PP_WRONG, "a.c:3:2: #else after #else");
  expect("#define f(x) x\nf(1\n", NULL, PP_WRONG, "a.c:2:1: the arguments of the macro f do not end; ) is missing");
  expect("#define f(x) x\n  f(1,2)\n", NULL, PP_WRONG, "a.c:2:3: the macro f takes 1 argument, not 2");
  expect("#define f(x) #y\n", NULL, PP_WRONG, "a.c:1:14: # must be followed by a parameter of the macro");
  expect("#define f(x,x) 1\n", NULL, PP_WRONG, "two parameters x");
  expect("#define f a ##\n", NULL, PP_WRONG, "## cannot be the last");
  expect("#define c(a,b) a##b\nc(+,x)\n", NULL, PP_WRONG, "a.c:2:1: ## makes +x, which is no token");
  expect("#if 1 +\n#endif\n", NULL, PP_WRONG, "a.c:1:8: #if needs a number here");
  expect("#if 1/0\n#endif\n", NULL, PP_WRONG, "division by zero");
  expect("a /* b\n", NULL, PP_WRONG, "a.c:1:3: a comment that does not end");
  expect("x \"abc\n", NULL, PP_WRONG, "a.c:1:3: a string that does not end");
  expect("#include \"a.c\"\n", NULL, PP_WRONG, "more than 200 deep");
  expect("#error  don't /* */ do\n", NULL, PP_REFUSED, "a.c:1:2: #error don't do");
  expect("#include \"none.h\"\n", NULL, PP_REFUSED, "a.c:1:10: none.h is not found; -I says in which folder to look");
  expect("# include  <none.h>\n", NULL, PP_REFUSED, "a.c:1:12: <none.h> is not found; -I says in which folder to look");
  remove_folder();
}

/* The system's own headers, whole; -isystem comes behind -I, and before them. */
TEST(preprocess_system) {
  static const char *const headers[] = {"stdlib.h",   "stdio.h",     "string.h",        "pthread.h",     "unistd.h",
                                        "math.h",     "inttypes.h",  "time.h",          "signal.h",      "sys/mman.h",
                                        "sys/time.h", "semaphore.h", "stdarg.h",        "float.h",       "ctype.h",
                                        "wchar.h",    "locale.h",    "setjmp.h",        "sys/socket.h",  "sys/epoll.h",
                                        "fcntl.h",    "dirent.h",    "emmintrin.h",     "ck_ring.h",     "ck_pr.h",
                                        "ck_fifo.h",  "ck_stack.h",  "urcu/wfcqueue.h", "urcu/lfstack.h"};
  compiler();
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    char text[200], path[200];
    snprintf(path, sizeof path, "/usr/include/%s", headers[i]);
    bool own = !strncmp(headers[i], "ck_", 3) || !strncmp(headers[i], "urcu", 4);
    if (own && access(path, R_OK)) continue; /* a package that is not installed */
    snprintf(text, sizeof text, "#include <%s>\n#include <stdlib.h>\n", headers[i]);
    check_text(text);
  }
  check_text("#if __has_include(<stdio.h>) && __has_include_next(<stdio.h>) && defined __has_attribute\na\n#endif\n"
             "#if defined __has_attribute && __has_attribute(__pure__) && __has_attribute(pure)\nb\n#endif\n");
  remove_folder();
}

TEST(preprocess_left_to_the_compiler) {
  char *const odd[] = {"-O2", NULL}, *const strict[] = {"-std=c11", NULL};
  expect("x\n", odd, PP_NEEDS_COMPILER, "");
  expect("a ?\?= b\n", strict, PP_NEEDS_COMPILER, "a trigraph");
  expect("a ?\? b\n", strict, PP_DONE, "");
  expect("x\n#if __has_builtin(x)\n#endif\n", NULL, PP_NEEDS_COMPILER,
         "a.c:2:1: __has_builtin like this is left to a compiler");
  expect("\xc3\xa9\n", NULL, PP_NEEDS_COMPILER, "letters beyond ASCII");
  expect("R\"(x)\"\n", NULL, PP_NEEDS_COMPILER, "a raw string");
  expect("#define f(x) x\nf(\n#if 1\n#endif\n)\n", NULL, PP_NEEDS_COMPILER, "a directive in the arguments of a macro");
  expect("#pragma push_macro(\"x\")\n", NULL, PP_NEEDS_COMPILER, "this #pragma");
  expect("#define f(...) __VA_OPT__(x)\n", NULL, PP_NEEDS_COMPILER, "__VA_OPT__");
  expect("a\rb\n", NULL, PP_NEEDS_COMPILER, "CR alone");
  setenv("CPATH", "/tmp", 1);
  expect("x\n", NULL, PP_NEEDS_COMPILER, "");
  remove_folder();
}

/* What grows beyond measure ends soon. */
TEST(preprocess_too_much) {
  struct mem m;
  struct text t;
  mem_open(&m, NULL);
  text_open(&t, &m);
  text_add(&t, "#define m0 x x x x x x x x\n");
  for (int i = 1; i < 20; i++)
    text_printf(&t, "#define m%d m%d m%d m%d m%d m%d m%d m%d m%d\n", i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1,
                i - 1);
  size_t macros = t.count;
  text_add(&t, "m19\n");
  struct problem problem = {.text = ""};
  struct text own;
  text_open(&own, &m);
  CHECK(preprocess(&m, put_file("a.c", t.at, t.count), NULL, &own, &problem) == PP_DONE && own.count > TEXT_MOST &&
        own.count < 2 * TEXT_MOST);
  t.count = macros;
  text_add(&t, "#define none(x)\n#define f(x) none(x)\nf(m19)\n");
  expect(t.at, NULL, PP_REFUSED, "more than 10 million tokens");
  t.count = macros;
  text_add(&t, "#if m19\n#endif\n");
  expect(t.at, NULL, PP_WRONG, "");
  text_clear(&t);
  text_add(&t, "#define f(x) x\n");
  for (int i = 0; i < 2000; i++) text_add(&t, "f(");
  for (int i = 0; i < 2000; i++) text_add(&t, ")");
  expect(t.at, NULL, PP_REFUSED, "macros are nested more than 1000 deep");
  text_clear(&t);
  text_add(&t, "#if ");
  for (int i = 0; i < 100000; i++) text_add(&t, i % 2 ? "!" : "(");
  text_add(&t, "\n#endif\n");
  expect(t.at, NULL, PP_WRONG, "nested more than 300 deep");
  text_clear(&t);
  text_add(&t, "#if __INCLUDE_LEVEL__x\n#endif\n#include \"b.h\"\n#include \"b.h\"\n");
  put_file("b.h", "#if 1\n#include \"c.h\"\n#include \"c.h\"\n#endif\n",
           strlen("#if 1\n#include \"c.h\"\n#include \"c.h\"\n#endif\n"));
  put_file("c.h", "#if 1\n#include \"b.h\"\n#include \"b.h\"\n#endif\n",
           strlen("#if 1\n#include \"c.h\"\n#include \"c.h\"\n#endif\n"));
  expect(t.at, NULL, PP_WRONG, "more than 200 deep");
  mem_close(&m);
  remove_folder();
}

/* Random programs of macros. */
static uint64_t seed;
static unsigned pick(unsigned n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % n;
}

static void put_name(struct text *t) { text_char(t, "ABCDfgh"[pick(7)]); }

static bool one_line; /* what belongs together is in one */

static void put_blank(struct text *t, bool lines) {
  static const char *const blanks[] = {" ",         " ",    " ",      "",   "",    "  ",     "/**/", "\t",
                                       " /* c */ ", "\\\n", " \\\n ", "\n", "\n ", "/*\n*/", " \n\n"};
  text_add(t, blanks[pick(one_line ? 9 : lines ? 15 : 11)]);
}

static void put_token(struct text *t, bool body, bool function) {
  static const char *const plain[] = {"1", "x", "+", "-", "y",        "\"s\"", "'c'", "2e", ".",   "<",
                                      "=", "&", "#", ",", "__LINE__", "x1",    "\\",  "->", "...", "\"\\\"\""};
  switch (pick(10)) {
  case 0:
  case 1: put_name(t); break;
  case 2: text_add(t, body && function ? "x" : "1"); break;
  case 3: text_add(t, body && function ? pick(2) ? "y" : "#x" : "+"); break;
  case 4: text_add(t, body && pick(2) ? pick(3) ? "##" : "## x ##" : "z"); break;
  case 5: text_add(t, body && function && pick(2) ? "__VA_ARGS__" : "A"); break;
  case 6: text_add(t, body && function && pick(2) ? ", ## __VA_ARGS__" : "("); break;
  case 7: text_add(t, ")"); break;
  default: text_add(t, plain[pick(sizeof plain / sizeof *plain)]);
  }
}

static void put_call(struct text *t, int depth) {
  text_add(t, (const char *[]){"f", "g", "h", "t"}[pick(4)]);
  put_blank(t, true);
  text_char(t, '(');
  for (unsigned n = pick(7); n; n--) {
    if (depth < 3 && !pick(4))
      put_call(t, depth + 1);
    else if (!pick(3))
      text_char(t, ',');
    else
      put_token(t, false, false);
    put_blank(t, true);
  }
  text_char(t, ')');
}

static void put_define(struct text *t) {
  static const char *const heads[] = {"f(x)", "g(x,y)", "h(x, ...)", "f(...)", "g()", "h(x, y, __)", "g(x,y ...)"};
  bool function = pick(2);
  char name[2] = {"ABCD"[pick(4)], 0};
  const char *head = function ? heads[pick(7)] : name;
  text_printf(t, "#undef %c\n#define %s ", *head, head);
  for (unsigned n = pick(7); n; n--) {
    put_token(t, true, function);
    put_blank(t, false);
  }
  text_char(t, '\n');
}

static void put_condition(struct text *t) {
  static const char *const operators[] = {"+",  "-",  "*", "/", "%", "<<", ">>", "<", ">",   "<=",     ">=",
                                          "==", "!=", "&", "|", "^", "&&", "||", ",", "?1:", "? -1 : "};
  static const char *const operands[] = {
      "1",   "0", "2u",   "-1", "~0", "!A", "defined B",          "7", "-3", "0x7fffffffffffffff",
      "'a'", "A", "f(1)", "D",  "65", "1u", "9223372036854775808"};
  text_add(t, "#if ");
  for (unsigned n = 1 + pick(5), open = 0; n; n--) {
    if (!pick(4) && n > 1) open += (text_char(t, '('), 1);
    text_add(t, operands[pick(17)]);
    if (open && !pick(3)) open -= (text_char(t, ')'), 1);
    text_char(t, ' ');
    if (n > 1) text_add(t, operators[pick(21)]);
    text_char(t, ' ');
    if (n == 1)
      while (open) open -= (text_char(t, ')'), 1);
  }
  text_add(t, "\nyes A\n#else\nno f(1)\n#endif\n");
}

/* Brackets are closed at the end, so that none reaches into the next program of a file. */
static void put_program(struct text *t) {
  one_line = pick(2);
  text_add(t, "#define s(...) #__VA_ARGS__\n#define t(...) s(__VA_ARGS__)\n");
  for (unsigned n = 2 + pick(8); n; n--) {
    switch (pick(5)) {
    case 0:
    case 1: put_define(t); break;
    case 2: put_condition(t); break;
    default:
      for (unsigned k = pick(5); k; k--) {
        if (pick(2))
          put_call(t, 0);
        else
          put_token(t, false, false);
        put_blank(t, true);
      }
      text_char(t, '\n');
    }
  }
  text_add(t, "\n))))))))))))))))\n");
}

enum { BATCH = 1000 };

/* The compiler reads many in one file, each under a name of its own. */
static unsigned compare_batch(const char *cc) {
  static struct text programs[BATCH];
  struct mem m;
  struct text whole, errors, theirs;
  struct problem problem;
  unsigned done = 0;
  mem_open(&m, NULL);
  text_open(&whole, &m);
  for (int i = 0; i < BATCH; i++) {
    text_open(&programs[i], &m);
    put_program(&programs[i]);
    text_printf(&whole, "#undef A\n#undef B\n#undef C\n#undef D\n#undef f\n#undef g\n#undef h\n#line 1 \"p%d.c\"\n%s",
                i, programs[i].at);
  }
  put_file("all.c", whole.at, whole.count);
  char command[600];
  snprintf(command, sizeof command, "%s -E -std=gnu17 -w -nostdinc %s -x c %s/all.c > %s/out 2> %s/errors", cc,
           strstr(cc, "clang") ? "-ferror-limit=0" : "", folder, folder, folder);
  if (system(command) == -1) CHECK(!"the compiler ran");
  char path[128];
  struct source_file out = {.path = path}, said = {.path = path};
  snprintf(path, sizeof path, "%s/out", folder);
  source_read(&m, &out);
  snprintf(path, sizeof path, "%s/errors", folder);
  source_read(&m, &said);
  text_open(&theirs, &m);
  text_open(&errors, &m);
  list(&theirs, out.text, out.length, "-");
  text_bytes(&errors, "\n", 1);
  text_bytes(&errors, said.text, said.length);
  const char *at = text_string(&theirs);
  for (int i = 0; i < BATCH; i++) {
    char prefix[32];
    struct text own, same;
    int n = snprintf(prefix, sizeof prefix, "p%d.c:", i);
    text_open(&same, &m);
    while (!strncmp(at, prefix, (size_t)n)) {
      size_t length = strcspn(at, "\n");
      text_printf(&same, "%.*s", (int)(length - (size_t)n + 1), at + n);
      at += length + 1;
      if (same.at[same.count - 1] != '\n') text_char(&same, '\n');
    }
    char file[32];
    snprintf(file, sizeof file, "p.c");
    const char *own_path = put_file(file, programs[i].at, programs[i].count);
    struct text found;
    if (own_listing(&m, own_path, NULL, &own, &problem) != PP_DONE) continue;
    done++;
    char error[40];
    snprintf(error, sizeof error, "\np%d.c:", i);
    const char *complaint = strstr(errors.at, error);
    CHECKF(!complaint, "%s\n%.300s", programs[i].at, complaint);
    text_open(&found, &m);
    for (const char *p = text_string(&own), *stop; *p; p = stop + 1) {
      stop = strchr(p, '\n');
      text_printf(&found, "%.*s\n", (int)(stop - p - (long)strlen(own_path) - 1), p + strlen(own_path) + 1);
    }
    check_same(programs[i].at, text_string(&found), text_string(&same));
  }
  mem_close(&m);
  return done;
}

TEST(preprocess_random) {
  const char *cc = compiler(), *given = getenv("ASIF_TEST_PREPROCESS");
  unsigned batches = given ? (unsigned)atoi(given) : getenv("ASIF_LONG") ? 20 : 3, done = 0;
  for (unsigned i = 0; i < batches; i++) {
    seed = i + 1;
    done += compare_batch(cc);
  }
  remove_folder();
  CHECKF(done > batches * BATCH / 5, "only %u of %u were right", done, batches * BATCH);
}
