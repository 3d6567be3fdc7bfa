/* Suppressions, in the thread sanitizer's format: lines `race:PATTERN`, comments after a `#` at the beginning. A
 * pattern is found anywhere in a name; `*` stands for anything, `^` and `$` for the beginning and the end.
 *
 * The names are those of the functions and files that an access is in, with the functions it was inlined into; their
 * callers are not known. Which accesses these are is found before the search: the code is disassembled, and every place
 * that calls the runtime is looked up. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/compile.h"
#include "test/tell.h"

enum suppressed_kind { SUPPRESS_RACE, SUPPRESS_FILE };
struct pattern {
  enum suppressed_kind kind;
  char *text;
};

struct suppressing {
  struct mem *mem;
  const char *object;
  VEC(struct pattern) patterns;
  VEC(uintptr_t) calls; /* where calls of the runtime return to, in the file */
  bool *matched;        /* of each call */
  sentences *notes;
};

/* Patterns. */

static bool match_here(const char *p, const char *name) {
  for (;; p++, name++) {
    if (!*p) return true;
    if (*p == '$' && !p[1]) return !*name;
    if (*p == '*') {
      for (const char *rest = name;; rest++) {
        if (match_here(p + 1, rest)) return true;
        if (!*rest) return false;
      }
    }
    if (*p != *name) return false;
  }
}

bool suppression_matches(const char *pattern, const char *name) {
  if (*pattern == '^') return match_here(pattern + 1, name);
  for (;; name++) {
    if (match_here(pattern, name)) return true;
    if (!*name) return false;
  }
}

/* Reading. */

static bool read_line(struct suppressing *k, const char *from, unsigned number, char *line, struct problem *why) {
  static const struct {
    const char *type;
    int kind; /* -1: of what the thread sanitizer reports and Asif does not */
  } types[] = {{"race", SUPPRESS_RACE}, {"race_top", SUPPRESS_RACE},
               {"file", SUPPRESS_FILE}, {"src", SUPPRESS_FILE},
               {"mutex", -1},           {"deadlock", -1},
               {"signal", -1},          {"thread", -1},
               {"called_from_lib", -1}};
  size_t n = strlen(line);
  while (n && isspace((unsigned char)line[n - 1])) line[--n] = 0;
  line += strspn(line, " \t");
  if (!*line || *line == '#') return true;
  char *colon = strchr(line, ':');
  for (size_t i = 0; colon && i < sizeof types / sizeof *types; i++) {
    if (strncmp(line, types[i].type, (size_t)(colon - line)) || types[i].type[colon - line]) continue;
    if (types[i].kind < 0) {
      struct text t;
      text_open(&t, k->mem);
      text_printf(&t, "%s:%u: `%s:` has no effect: only races can be suppressed", from, number, types[i].type);
      vec_push(k->mem, k->notes, t.at);
      return true;
    }
    struct pattern p = {(enum suppressed_kind)types[i].kind, mem_string(k->mem, colon + 1, strlen(colon + 1))};
    if (!*p.text) break;
    vec_push(k->mem, &k->patterns, p);
    return true;
  }
  problem_set(why, "%.300s:%u: '%.60s' is not a suppression: race:PATTERN or file:PATTERN", from, number, line);
  return false;
}

static bool read_lines(struct suppressing *k, const char *from, const char *text, struct problem *why) {
  unsigned number = 1;
  for (; *text; number++) {
    size_t n = strcspn(text, "\n");
    if (!read_line(k, from, number, mem_string(k->mem, text, n), why)) return false;
    text += n + (text[n] == '\n');
  }
  return true;
}

static bool read_file(struct suppressing *k, const char *path, struct problem *why) {
  struct text t;
  text_open(&t, k->mem);
  if (!text_file(&t, path)) return problem_set(why, "%.300s: %s", path, strerror(errno)), false;
  return read_lines(k, path, text_string(&t), why);
}

/* The code may have some of its own. */
static bool read_own(struct suppressing *k, struct image *image, struct problem *why) {
  static const char name[] = "__tsan_default_suppressions";
  void *symbol = image_symbol(image, name);
  const char *(*own)(void);
  if (!symbol) return true;
  memcpy(&own, &symbol, sizeof own);
  const char *text = own();
  return !text || read_lines(k, name, text, why);
}

/* Accesses. */

/* "  6f12:	call   1040 <__wrap___tsan_read8@plt>"; the next instruction's address is the one wanted. */
static bool find_calls(struct suppressing *k) {
  words w = {NULL, 0, 0};
  static const char *const command[] = {"objdump", "-d", "-w", "--no-show-raw-insn"};
  char said[64];
  size_t length;
  int fd = memfd_create("asif-calls", 0);
  if (fd < 0) return false;
  snprintf(said, sizeof said, "/proc/self/fd/%d", fd);
  for (size_t i = 0; i < sizeof command / sizeof *command; i++) vec_push(k->mem, &w, (char *)command[i]);
  vec_push(k->mem, &w, (char *)k->object);
  vec_push(k->mem, &w, NULL);
  struct command_run c = {.words = w.at, .said = said};
  commands_run(&c, 1);
  char *text = command_answer(k->mem, &c, &length);
  close(fd);
  bool after = false;
  for (char *s = text, *end; s && *s; s = end) {
    end = s + strcspn(s, "\n");
    if (*end) *end++ = 0;
    char *rest;
    uintptr_t at = strtoul(s, &rest, 16);
    if (*s != ' ' || *rest != ':') continue;
    if (after) vec_push(k->mem, &k->calls, at);
    after = strstr(rest, "<__wrap_") != NULL;
  }
  return text != NULL;
}

static void look_at(void *self, size_t at, const struct place *p) {
  struct suppressing *k = self;
  for (size_t i = 0; i < k->patterns.count && !k->matched[at]; i++) {
    const struct pattern *n = &k->patterns.at[i];
    k->matched[at] = (p->line && suppression_matches(n->text, p->file)) ||
                     (n->kind == SUPPRESS_RACE && suppression_matches(n->text, p->function));
  }
}

bool suppressions_read(struct mem *m, const char *path, struct image *image, const char *object,
                       struct run_options *how, sentences *notes, struct problem *why) {
  struct suppressing k = {.mem = m, .object = object, .notes = notes};
  if ((path && !read_file(&k, path, why)) || !read_own(&k, image, why)) return false;
  if (!k.patterns.count) return true;
  uintptr_t base = image_base(image), *offsets, *pcs;
  bool good = find_calls(&k);
  size_t count = k.calls.count, kept = 0;
  offsets = mem_zero(m, count + 1, sizeof *offsets);
  pcs = mem_zero(m, count + 1, sizeof *pcs);
  k.matched = mem_zero(m, count + 1, sizeof *k.matched);
  for (size_t i = 0; i < count; i++) offsets[i] = k.calls.at[i] - 1;
  good = good && frames_find(m, object, offsets, count, look_at, &k);
  if (!good)
    return problem_set(why, "suppressions need objdump and addr2line (of the binutils), which cannot be run"), false;
  for (size_t i = 0; i < count; i++)
    if (k.matched[i]) pcs[kept++] = base + k.calls.at[i]; /* in the order of the code, so sorted */
  how->suppressed = pcs;
  how->suppressed_count = kept;
  return true;
}
