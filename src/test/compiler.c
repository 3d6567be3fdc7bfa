/* The user's compiler: which it is, and what makes it call the hooks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/compile.h"

void compiler_words(struct mem *m, const char *variable, const char *otherwise, words *out) {
  const char *s = getenv(variable);
  if (!s || !s[strspn(s, " \t")]) s = otherwise;
  for (s += strspn(s, " \t"); *s; s += strspn(s, " \t")) {
    size_t n = strcspn(s, " \t");
    vec_push(m, out, mem_string(m, s, n));
    s += n;
  }
}

bool is_c_plus_plus(const char *path) {
  static const char *const ends[] = {".cc", ".cpp", ".cxx", ".C", ".c++", ".CPP", ".cp"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
    if (!strcmp(dot, ends[i])) return true;
  return false;
}

/* An index beyond an array whose length the compiler knows ends the run: what is written there would be another
 * variable. Arrays that end a struct may be as long as the block they are in. Every volatile access has a hook of its
 * own: code older than C11 synchronizes with them. Functions tell of their calls and returns otherwise, which nobody
 * here wants to know. Clang leaves a read without a hook if a write to the same place follows: others may write in
 * between. A register that a call need not keep is not relied on after one, whatever the function called
 * does: assembly with hooks may clear it (test/assembler.c). */
static const char *const gcc_flags[] = {"--param=tsan-distinguish-volatile=1",
                                        "--param=tsan-instrument-func-entry-exit=0",
                                        "-fsanitize=bounds",
                                        "-fno-sanitize-recover=bounds",
                                        "-Wno-tsan",
                                        "-Wno-attributes"};
/* Clang makes of this one more than GCC documents: it only acquires. */
#define TEST_AND_SET "-D__sync_lock_test_and_set(p,v,...)=__atomic_exchange_n((p),(v),__ATOMIC_ACQUIRE)"
static const char *const clang_flags[] = {"-mllvm",
                                          "-tsan-distinguish-volatile=1",
                                          "-mllvm",
                                          "-tsan-instrument-func-entry-exit=0",
                                          "-mllvm",
                                          "-tsan-instrument-read-before-write=1",
                                          "-fsanitize=array-bounds",
                                          "-fno-sanitize-recover=array-bounds",
                                          TEST_AND_SET,
                                          "-Wno-unknown-attributes",
                                          "-Wno-ignored-attributes"};

/* A local variable that nobody has set has the same bytes in every run, and not what an earlier run or the hooks left
 * on the stack: the same choices give the same run. The first versions that know it. */
static const char *const unset_flags[] = {"-ftrivial-auto-var-init=pattern"};
enum { UNSET_GCC = 12, UNSET_CLANG = 8 };

static int version(const char *said, const char *macro) {
  const char *at = strstr(said, macro);
  return at ? atoi(at + strlen(macro)) : 0;
}

static bool sets_unset(const char *said) {
  if (strstr(said, "__clang__")) return version(said, "#define __clang_major__ ") >= UNSET_CLANG;
  return version(said, "#define __GNUC__ ") >= UNSET_GCC;
}

struct asking {
  struct mem *mem;
  const struct compiler *compiler;
  char said[64]; /* a file without a name */
};

/* Does the compiler take these flags? What it is, is what it predefines. */
static int ask(struct asking *a, const char *const *flags, size_t count, char **said) {
  words w = {NULL, 0, 0};
  size_t length;
  for (size_t i = 0; i < a->compiler->command.count; i++) vec_push(a->mem, &w, a->compiler->command.at[i]);
  for (size_t i = 0; i < count; i++) vec_push(a->mem, &w, (char *)flags[i]);
  static const char *const rest[] = {"-fsanitize=thread", "-E", "-dM", "-x", "c", "/dev/null"};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) vec_push(a->mem, &w, (char *)rest[i]);
  vec_push(a->mem, &w, NULL);
  struct command_run c = {.words = w.at, .said = a->said};
  commands_run(&c, 1);
  *said = command_said(a->mem, &c, &length);
  return c.error ? -c.error : c.status;
}

static void add(struct mem *m, words *to, const char *const *flags, size_t count) {
  for (size_t i = 0; i < count; i++) vec_push(m, to, (char *)flags[i]);
}

static bool cannot(const struct compiler *c, int status, const char *said, struct problem *why) {
  const char *name = c->command.at[0], *variable = c->cxx ? "CXX" : "CC", *otherwise = c->cxx ? "c++" : "cc";
  if (status == -1)
    problem_set(why, "the compiler %.100s ended unexpectedly when it was asked what it is; %s names another", name,
                variable);
  else if (!status)
    problem_set(why,
                "%.100s is not a compiler: asked with -E -dM what it predefines, it says nothing of it; %s names one",
                name, variable);
  else if (status < -1)
    problem_set(why, "the compiler %.100s cannot be run: %s; %s names another (without it, %s)", name,
                strerror(-status), variable, otherwise);
  else if (!strstr(said, "sanitize"))
    problem_set(why, "the compiler %.100s does not work%s; %s names another%s%.300s", name,
                getenv("PATH") ? "" : ", perhaps since there is no PATH", variable, *said ? ". It says:\n" : "", said);
  else
    problem_set(
        why,
        "the compiler %.100s does not take -fsanitize=thread; %s names another: gcc 8 or clang 8, or newer:\n%.300s",
        name, variable, said);
  return false;
}

bool compiler_ask(struct mem *m, struct compiler *c, struct problem *why) {
  struct asking a = {.mem = m, .compiler = c};
  const size_t in_gcc = sizeof gcc_flags / sizeof *gcc_flags, in_clang = sizeof clang_flags / sizeof *clang_flags;
  char *said;
  int file = memfd_create("asif", 0);
  if (file < 0) {
    problem_set(why, "the compiler cannot be asked what it is: %s", strerror(errno));
    return false;
  }
  snprintf(a.said, sizeof a.said, "/proc/self/fd/%d", file);
  int status = ask(&a, gcc_flags, in_gcc, &said);
  bool gcc = status == 0 && !strstr(said, "__clang__"), clang = false;
  if (!gcc && status >= -1) {
    clang = ask(&a, clang_flags, in_clang, &said) == 0 && strstr(said, "__clang__");
    if (!clang) status = ask(&a, NULL, 0, &said); /* an old one: as it is */
  }
  close(file);
  if ((!gcc && !clang && status) || !strstr(said, "#define __STDC")) return cannot(c, status, said, why);
  if (gcc) add(m, &c->hooks, gcc_flags, in_gcc);
  if (clang) add(m, &c->hooks, clang_flags, in_clang);
  if (sets_unset(said)) add(m, &c->hooks, unset_flags, sizeof unset_flags / sizeof *unset_flags);
  static const char *const keep[] = {"-O0", "-fkeep-static-functions"}, *const emit[] = {"-O0", "-femit-all-decls"};
  c->clang = clang || strstr(said, "__clang__");
  add(m, &c->all_functions, c->clang ? emit : keep, 2);
  return true;
}

/* Calls of memcpy and its like stay calls, which are seen; what the compiler puts in their place is not. Of version 5
 * of DWARF addr2line (binutils 2.40) mixes up the files. Functions that the source keeps from having hooks get them
 * all the same: the attributes' names stand for others. By those of no_sanitize("thread") the function is emitted, if
 * it is inlined too, and its address is put in a section (image_marked); what may be asked for with __has_attribute
 * must be one word. */
#define MARKED "__patchable_function_entry__(1),__used__"
void compiler_flags_begin(struct mem *m, words *w) {
  static const char *const flags[] = {"-O1",
                                      "-g",
                                      "-gdwarf-4",
                                      "-U_FORTIFY_SOURCE",
                                      "-fno-builtin-memcpy",
                                      "-fno-builtin-memmove",
                                      "-fno-builtin-memset",
                                      "-fno-builtin-memcmp",
                                      "-fno-builtin-strcpy",
                                      "-fno-builtin-strncpy",
                                      "-fno-builtin-strcmp",
                                      "-fno-builtin-strlen",
                                      "-fno-builtin-sprintf",
                                      "-fno-builtin-snprintf",
                                      "-Dno_sanitize_thread=__unused__",
                                      "-D__no_sanitize_thread__=__unused__",
                                      "-Dno_sanitize(...)=" MARKED,
                                      "-D__no_sanitize__(...)=" MARKED,
                                      "-Ddisable_sanitizer_instrumentation=__unused__",
                                      "-D__disable_sanitizer_instrumentation__=__unused__"};
  const char *include = include_folder(m);
  add(m, w, flags, sizeof flags / sizeof *flags);
  if (!include) return;
  vec_push(m, w, "-isystem");
  vec_push(m, w, (char *)include);
}

void compiler_flags_end(struct mem *m, const struct compiler *c, words *w) {
  static const char *const flags[] = {"-fPIC", "-fno-lto", "-fsanitize=thread"};
  add(m, w, flags, sizeof flags / sizeof *flags);
  for (size_t i = 0; i < c->hooks.count; i++) vec_push(m, w, c->hooks.at[i]);
  if (!c->tools) return;
  struct text t;
  text_open(&t, m);
  text_printf(&t, "-B%s/", c->tools);
  vec_push(m, w, t.at);
  if (c->clang) vec_push(m, w, "-fno-integrated-as");
}
