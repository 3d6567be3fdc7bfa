/* The arguments for the compiler: those that change what C means are refused, since types, layouts and arithmetic are
 * read here as x86-64 compilers have them without such flags. Of -f and -m, whatever is not known to be harmless is
 * taken to change it. */
#include "front/front.h"

static bool begins(const char *word, const char *with) { return !strncmp(word, with, strlen(with)); }

static bool any_begins(const char *word, const char *const *list) {
  for (; *list; list++)
    if (begins(word, *list)) return true;
  return false;
}

static bool is_any(const char *word, const char *const *list) {
  for (; *list; list++)
    if (!strcmp(word, *list)) return true;
  return false;
}

static bool has_value(const char *word) {
  static const char *const options[] = {"-I",       "-D",          "-U",      "-L",       "-l",
                                        "-include", "-imacros",    "-iquote", "-isystem", "-idirafter",
                                        "-Xlinker", "-Xassembler", "--param", NULL};
  return is_any(word, options);
}

const char *flags_stray(char *const *args) {
  for (; args && *args; args++) {
    if ((*args)[0] != '-') return *args;
    if (has_value(*args) && args[1]) args++;
  }
  return NULL;
}

char *const *flags_alone(struct mem *m, char *const *args, const char *path) {
  VEC(char *) alone = {NULL, 0, 0};
  bool applies = true;
  for (; args && *args; args++) {
    if (begins(*args, FLAG_FOR)) {
      const char *whose = *args + strlen(FLAG_FOR);
      applies = !*whose || (path && !strcmp(whose, path));
    } else if (applies && !begins(*args, FLAG_WITH)) {
      vec_push(m, &alone, *args);
    }
  }
  vec_push(m, &alone, NULL);
  return alone.at;
}

/* What -f and -m may be followed by. */
static bool is_harmless_code(const char *flag) {
  static const char *const whole[] = {"PIC",
                                      "pic",
                                      "PIE",
                                      "pie",
                                      "no-PIC",
                                      "no-pic",
                                      "no-pie",
                                      "common",
                                      "no-common",
                                      "signed-char",
                                      "no-unsigned-char",
                                      "no-short-enums",
                                      "no-wrapv",
                                      "no-trapv",
                                      "no-plt",
                                      "exceptions",
                                      "no-exceptions",
                                      "no-ident",
                                      "builtin",
                                      "no-pack-struct",
                                      "no-ms-extensions",
                                      "no-plan9-extensions",
                                      "omit-frame-pointer",
                                      "no-omit-frame-pointer",
                                      "strict-aliasing",
                                      "no-strict-aliasing",
                                      "function-sections",
                                      "data-sections",
                                      "hosted",
                                      "no-builtin",
                                      "fp-contract=off",
                                      NULL};
  static const char *const first[] = {"diagnostics-",
                                      "no-diagnostics-",
                                      "color-diagnostics",
                                      "no-color-diagnostics",
                                      "stack-",
                                      "no-stack-",
                                      "visibility=",
                                      "lto",
                                      "no-lto",
                                      "sanitize",
                                      "no-sanitize",
                                      "inline",
                                      "no-inline",
                                      "unroll-",
                                      "no-unroll-",
                                      "tree-",
                                      "no-tree-",
                                      "max-errors=",
                                      "message-length=",
                                      "macro-prefix-map=",
                                      "debug-prefix-map=",
                                      "file-prefix-map=",
                                      "profile-",
                                      "test-coverage",
                                      "opt-info",
                                      "asynchronous-unwind-tables",
                                      "no-asynchronous-unwind-tables",
                                      "cf-protection",
                                      "error-limit=",
                                      "align-functions",
                                      "align-loops",
                                      "align-jumps",
                                      "align-labels",
                                      NULL};
  return is_any(flag, whole) || any_begins(flag, first);
}

static bool is_harmless_machine(const char *flag) {
  static const char *const whole[] = {"64", "cx16", "popcnt", "bmi", "bmi2", "lzcnt", "rtm", "fma", NULL};
  static const char *const first[] = {"arch=", "tune=", "sse", "avx", "cmodel=", "no-sse", "no-avx", NULL};
  return is_any(flag, whole) || any_begins(flag, first);
}

bool flags_change_meaning(const char *word) {
  static const char *const first[] = {"-Wp,",   "-Xclang", "-Xpreprocessor", "--target",   "-target", "-traditional",
                                      "-specs", "--specs", "-std=c++",       "-std=gnu++", NULL};
  if (begins(word, "-f") && word[2]) return !is_harmless_code(word + 2);
  if (begins(word, "-m") && word[2]) return !is_harmless_machine(word + 2);
  return any_begins(word, first) || (begins(word, "-x") && strcmp(word, "-xc"));
}

/* With it, compilers may fuse a multiplication and an addition, which are rounded once then. */
static bool may_fuse(const char *word) {
  if (begins(word, "-march=")) return strcmp(word, "-march=x86-64") != 0 && strcmp(word, "-march=x86-64-v2") != 0;
  return begins(word, "-mfma") || begins(word, "-mavx512");
}

const char *flags_floating(char *const *args) {
  const char *found = NULL;
  bool fuses = true;
  for (char *const *a = args; a && *a; a++) fuses &= strcmp(*a, "-ffp-contract=off") != 0;
  for (; args && *args && !found; args++) {
    if (!strcmp(*args, "-Ofast") || begins(*args, "-mno-sse") || (fuses && may_fuse(*args))) found = *args;
    if (has_value(*args) && args[1]) args++;
  }
  return found;
}

static bool refuse(const char *path, const char *word, struct problem *problem) {
  problem_set(problem, "%.200s: %.100s may change what C means, and verify and prove read C without it", path, word);
  return false;
}

bool flags_readable(const char *path, char *const *args, struct problem *problem) {
  for (; args && *args; args++) {
    if (flags_change_meaning(*args)) return refuse(path, *args, problem);
    if (has_value(*args) && args[1]) args++;
  }
  return true;
}

/* CC="gcc -m32". */
bool flags_of_compiler_readable(const char *path, const char *cc, struct problem *problem) {
  char word[200];
  for (cc = cc ? cc + strspn(cc, " \t") : ""; *cc; cc += strspn(cc, " \t")) {
    size_t length = strcspn(cc, " \t");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), cc);
    if (flags_change_meaning(word)) return refuse(path, word, problem);
    cc += length;
  }
  return true;
}
