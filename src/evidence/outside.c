/* What evidence names outside itself: files, arguments for the compiler, a specification in C. The file may come from
 * anybody, so none of it is believed, and nothing of it runs unless whoever replays the file has asked for that. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "evidence/evidence.h"

enum { FILE_MOST = 1 << 28 }; /* bytes of a file that is hashed: no source or object is larger */

bool replay_unknown(struct replaying *r, const char *reason) {
  r->verdict = VERDICT_UNKNOWN;
  r->unknown = reason;
  return true;
}

bool file_hash(const char *path, uint64_t *hash, struct problem *why) {
  struct stat st;
  char block[65536];
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe that nobody writes must not hold us up */
  if (fd < 0) return problem_set(why, "%.300s cannot be read: %s", path, strerror(errno)), false;
  bool plain = !fstat(fd, &st) && S_ISREG(st.st_mode);
  uint64_t h = hash_mix(1), size = 0;
  ssize_t n = 0;
  while (plain && size <= FILE_MOST && (n = read(fd, block, sizeof block)) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    h = hash_mix(h ^ hash_bytes(block, (size_t)n));
    size += (uint64_t)n;
  }
  int error = errno;
  close(fd);
  *hash = h;
  if (!plain) return problem_set(why, "%.300s is not a plain file", path), false;
  if (n < 0) return problem_set(why, "%.300s cannot be read: %s", path, strerror(error)), false;
  if (size > FILE_MOST) return problem_set(why, "%.300s is larger than %d MB", path, FILE_MOST >> 20), false;
  return true;
}

/* Arguments. */

static bool only(const char *s, const char *others) {
  for (; *s; s++)
    if (!isalnum((unsigned char)*s) && !strchr(others, *s)) return false;
  return true;
}

/* A macro's value: a number or a type. Anything else could be code in the place of other code. */
static bool is_plain_value(const char *s) {
  static const char *const types[] = {"int", "long", "short", "char", "unsigned", "signed", "float", "double", "bool"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(s, types[i])) return true;
  s += *s == '-';
  return isdigit((unsigned char)*s) && only(s, ".");
}

static bool is_plain_macro(const char *s, bool define) {
  size_t n = 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
  if (!n || isdigit((unsigned char)*s)) return false;
  return !s[n] || (define && s[n] == '=' && (!s[n + 1] || is_plain_value(s + n + 1)));
}

/* Options that have no value, and change what is compiled only in ways that the language or the machine allows. */
static bool is_plain_option(const char *s) {
  static const char *const plain[] = {"-pthread",
                                      "-w",
                                      "-ansi",
                                      "-pedantic",
                                      "-pedantic-errors",
                                      "-g",
                                      "-g0",
                                      "-g1",
                                      "-g2",
                                      "-g3",
                                      "-ggdb",
                                      "-O",
                                      "-O0",
                                      "-O1",
                                      "-O2",
                                      "-O3",
                                      "-Os",
                                      "-Og",
                                      "-Oz",
                                      "-Ofast",
                                      "-m32",
                                      "-m64",
                                      "-mcx16",
                                      "-fcommon",
                                      "-fno-common",
                                      "-fstrict-aliasing",
                                      "-fno-strict-aliasing",
                                      "-fwrapv",
                                      "-fno-wrapv",
                                      "-ftrapv",
                                      "-fno-strict-overflow",
                                      "-funsigned-char",
                                      "-fsigned-char",
                                      "-fshort-enums",
                                      "-fno-builtin",
                                      "-ffreestanding",
                                      "-finline-functions",
                                      "-fno-inline",
                                      "-fno-inline-functions",
                                      "-fomit-frame-pointer",
                                      "-fno-omit-frame-pointer",
                                      "-fpic",
                                      "-fPIC",
                                      "-fpie",
                                      "-fPIE",
                                      "-fno-pic",
                                      "-fexceptions",
                                      "-fno-exceptions",
                                      "-frtti",
                                      "-fno-rtti",
                                      "-fms-extensions",
                                      "-fgnu89-inline",
                                      "-fno-delete-null-pointer-checks",
                                      "-fno-tree-vectorize",
                                      "-funroll-loops",
                                      "-ffast-math",
                                      "-fno-math-errno",
                                      "-fno-stack-protector",
                                      "-fstack-protector",
                                      "-fstack-protector-strong"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (!strcmp(s, plain[i])) return true;
  if (!strncmp(s, "-std=", 5)) return s[5] && only(s + 5, "+:");
  if (!strncmp(s, "-W", 2)) return only(s + 2, "-=+"); /* a comma would hand the rest to another program */
  if (!strncmp(s, "-march=", 7) || !strncmp(s, "-mtune=", 7)) return s[7] && only(s + 7, "-.");
  return !strncmp(s, "-l", 2) && s[2] && s[2] != '.' && only(s + 2, "_+.-");
}

bool arguments_harmless(char *const *a, const char **refused) {
  for (; *a; a++) {
    const char *s = *a, *with = s[0] && s[1] ? s + 2 : "";
    *refused = s;
    if (!strncmp(s, "--with=", 7) || !strncmp(s, "--for=", 6))
      continue; /* a file that is read, or whose flags follow */
    if (s[0] != '-' || !s[1]) return false;
    if (strchr("DUI", s[1])) { /* the value is in the same word or the next */
      if (!*with && !a[1]) return false;
      if (!*with) with = *++a;
      if (s[1] == 'I' ? !*with || *with == '-' || *with == '=' : !is_plain_macro(with, s[1] == 'D')) return false;
    } else if (!is_plain_option(s)) {
      return false;
    }
  }
  return true;
}

bool replay_arguments_trusted(struct replaying *r, char *const *arguments) {
  const char *refused;
  if (r->trust_arguments || arguments_harmless(arguments, &refused)) return true;
  text_printf(&r->said, "the argument %s is not given to a compiler because a file says so\n", refused);
  replay_unknown(r, "an argument for the compiler is not trusted (--trust-arguments)");
  return false;
}

static void tell_words(struct replaying *r, const char *what, char *const *words) {
  text_add(&r->said, what);
  if (!*words) text_add(&r->said, " none");
  for (char *const *w = words; *w; w++) text_char(&r->said, ' '), text_shell_word(&r->said, *w);
  text_char(&r->said, '\n');
}

void replay_tell_code(struct replaying *r, const struct code_named *code) {
  tell_words(r, "files:", code->files);
  tell_words(r, "arguments:", code->arguments);
  if (code->program)
    tell_words(r, "main is called with:", code->program);
  else
    text_printf(&r->said, "specification: %s\n", code->spec ? code->spec : "the one that the files name");
}

/* Specifications. */

void evidence_put_spec(struct text *t, const char *name) {
  struct problem why;
  uint64_t hash;
  text_add(t, "spec ");
  for (const char *c = name; *c; c++) text_char(t, *c == '\n' || *c == '\r' ? ' ' : *c);
  text_char(t, '\n');
  if (spec_is_file(name) && file_hash(name, &hash, &why)) text_printf(t, "spec-hash %016" PRIx64 "\n", hash);
}

bool evidence_read_spec(struct evidence_lines *l, struct spec_named *s) {
  *s = (struct spec_named){.name = line_take(l, "spec")};
  if (!s->name) return true;
  s->file = spec_is_file(s->name);
  char *hash = s->file ? line_take(l, "spec-hash") : NULL;
  s->hashed = hash != NULL;
  return !hash || hash_of(hash, &s->hash) || line_unexpected(l, "spec-hash and 16 hexadecimal digits");
}

bool replay_spec_may_load(struct replaying *r, const struct spec_named *s) {
  struct problem why;
  uint64_t hash;
  if (!s->name || !s->file) return true;
  if (!r->run) {
    text_printf(&r->said, "the specification %s is C, which --run compiles and loads: run only what you trust\n",
                s->name);
    replay_unknown(r, "the specification was not run (--run)");
    return false;
  }
  if (!file_hash(s->name, &hash, &why)) {
    text_printf(&r->said, "%s\n", why.text);
    replay_unknown(r, "the specification cannot be read");
    return false;
  }
  if (!s->hashed) {
    text_printf(&r->said, "the evidence has no spec-hash of %s: it is not compiled\n", s->name);
    replay_unknown(r, "the evidence does not say which specification it was");
    return false;
  }
  if (hash != s->hash) {
    text_printf(&r->said, "%s has changed since: it is not compiled\n", s->name);
    replay_unknown(r, "the specification has changed");
    return false;
  }
  return true;
}

bool replay_spec(struct replaying *r, const struct spec_named *s, struct spec **out) {
  *out = NULL;
  if (!replay_spec_may_load(r, s)) return true;
  if (s->file) {
    text_printf(&r->said, "specification: %s\n", s->name);
    r->show(r);
  }
  struct spec *spec = mem_zero(r->mem, 1, sizeof *spec);
  if (!spec_load(s->name, spec, r->mem, r->why)) return false;
  *out = spec;
  return true;
}
