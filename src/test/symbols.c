/* From addresses in the code to files and lines (addr2line), and from names as the linker has them to those of C++
 * (c++filt): one process for many. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/compile.h"
#include "test/debug_info.h"
#include "test/tell.h"

enum { BATCH = 500 };

/* Without a/../, and what lies below the current folder without that. */
static const char *shown_path(struct mem *m, const char *given, size_t n) {
  char here[PATH_MAX], real[PATH_MAX];
  const char *path = mem_string(m, given, n);
  size_t k = getcwd(here, sizeof here) ? strlen(here) : 0;
  if (strstr(path, "/../") && realpath(path, real)) path = real, n = strlen(real);
  if (k && n > k + 1 && !strncmp(path, here, k) && path[k] == '/') path += k + 1, n -= k + 1;
  return mem_string(m, path, n);
}

const char *place_shown(struct mem *m, const char *path) { return shown_path(m, path, strlen(path)); }

/* "file.c:31 (discriminator 2)", "??:0" */
static bool read_place(struct mem *m, const char *line, size_t n, struct place *p) {
  const char *colon = memrchr(line, ':', n), *paren = memmem(line, n, " (", 2);
  if (paren) colon = memrchr(line, ':', (size_t)(paren - line));
  if (!colon || line[0] == '?') return false;
  p->line = (uint32_t)strtoul(colon + 1, NULL, 10);
  p->file = shown_path(m, line, (size_t)(colon - line));
  return p->line > 0;
}

/* Of each address the functions it is in, those inlined into each other from the innermost on; where the place is not
 * known, without a line. */
static void read_answers(struct mem *m, const char *said, size_t count, frame_user *use, void *self) {
  size_t at = SIZE_MAX;
  for (const char *s = said; *s;) {
    size_t n = strcspn(s, "\n");
    const char *next = s + n + (s[n] == '\n');
    if (!strncmp(s, "0x", 2)) {
      at = at == SIZE_MAX ? 0 : at + 1;
    } else if (at < count) {
      size_t k = strcspn(next, "\n");
      struct place p = {.function = mem_string(m, s, n)};
      if (!read_place(m, next, k, &p)) p.line = 0;
      use(self, at, &p);
      next += k + (next[k] == '\n');
    }
    s = next;
  }
}

/* Runs a tool; what it says, or NULL. */
static char *ask(struct mem *m, words *w) {
  char said[64]; /* a file without a name */
  int fd = memfd_create("asif-places", 0);
  if (fd < 0) return NULL;
  snprintf(said, sizeof said, "/proc/self/fd/%d", fd);
  vec_push(m, w, NULL);
  struct command_run c = {.words = w->at, .said = said};
  commands_run(&c, 1);
  size_t length;
  char *answer = command_answer(m, &c, &length);
  close(fd);
  return answer;
}

static bool ask_frames(struct mem *m, const char *object, const uintptr_t *offsets, size_t count, frame_user *use,
                       void *self) {
  words w = {NULL, 0, 0};
  static const char *const begin[] = {"addr2line", "-a", "-f", "-i", "-C", "-e"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) vec_push(m, &w, (char *)begin[i]);
  vec_push(m, &w, (char *)object);
  for (size_t i = 0; i < count; i++) {
    char number[32];
    vec_push(m, &w, mem_string(m, number, (size_t)snprintf(number, sizeof number, "0x%lx", (unsigned long)offsets[i])));
  }
  const char *said = ask(m, &w);
  if (said) read_answers(m, said, count, use, self);
  return said != NULL;
}

struct numbering {
  frame_user *use;
  void *self;
  size_t first;
};
static void use_numbered(void *self, size_t at, const struct place *p) {
  const struct numbering *k = self;
  k->use(k->self, k->first + at, p);
}

bool frames_find(struct mem *m, const char *object, const uintptr_t *offsets, size_t count, frame_user *use,
                 void *self) {
  for (size_t i = 0; i < count; i += BATCH) {
    struct numbering k = {use, self, i};
    if (!ask_frames(m, object, offsets + i, count - i < BATCH ? count - i : BATCH, use_numbered, &k)) return false;
  }
  return true;
}

/* Headers of the language and the C library, and those of libraries that are about atomic accesses: who uses them says
 * more. */
bool path_is_of_language(const char *path) {
  static const char *const folders[] = {"/usr/include/c++/", "/usr/include/bits/", "/usr/include/sys/", "/usr/lib/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (!strncmp(path, folders[i], strlen(folders[i]))) return true;
  if (strncmp(path, "/usr/", 5)) return false;
  return strstr(path, "/c++/") || strstr(path, "/bits/") || strstr(path, "atomic") || strstr(path, "/ck_pr.h") ||
         strstr(path, "/gcc/");
}

bool place_is_own(const struct place *p) { return p->line && !path_is_of_language(p->file) && !p->wrapper; }

struct choosing {
  struct place *shown, *plain;
};
/* The innermost that is the user's own; else the innermost there is. */
static void keep_better(struct place *kept, const struct place *p, bool own, bool kept_own) {
  if (p->line && !kept_own && (own || !kept->line)) *kept = *p;
}
static bool is_plain(const struct place *p) { return p->line && strncmp(p->file, "/usr/", 5) != 0; }
static void keep_places(void *self, size_t at, const struct place *p) {
  const struct choosing *k = self;
  keep_better(&k->plain[at], p, is_plain(p), is_plain(&k->plain[at]));
  keep_better(&k->shown[at], p, place_is_own(p), place_is_own(&k->shown[at]));
}

bool places_find_both(struct mem *m, struct debug_info *info, const char *object, const uintptr_t *offsets,
                      size_t count, struct place *places, struct place *plain) {
  struct choosing k = {places, plain};
  size_t missing = 0;
  memset(places, 0, count * sizeof *places);
  memset(plain, 0, count * sizeof *plain);
  for (size_t i = 0; i < count && info; i++) missing += !debug_frames(info, offsets[i], i, keep_places, &k);
  if (info && missing < count) return true;
  return frames_find(m, object, offsets, count, keep_places, &k);
}

bool places_find(struct mem *m, const char *object, const uintptr_t *offsets, size_t count, struct place *places) {
  struct place *shown = mem_zero(m, count + 1, sizeof *shown);
  return places_find_both(m, NULL, object, offsets, count, shown, places);
}

/* --- names of C++ --- */

/* The next one in a text, as the linker has it: "_ZN5queue4headE"; NULL: there is none. */
static const char *next_mangled(const char *text, size_t *length) {
  for (const char *at = text; (at = strstr(at, "_Z")); at += 2) {
    bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
    *length = 2;
    while (isalnum((unsigned char)at[*length]) || at[*length] == '_') ++*length;
    if (begins && *length > 2) return at;
  }
  return NULL;
}

typedef VEC(const char *) strings;

static size_t find(const strings *s, const char *name, size_t length) {
  size_t i = 0;
  while (i < s->count && (strlen(s->at[i]) != length || memcmp(s->at[i], name, length))) i++;
  return i;
}

static const char *with_names(struct mem *m, const char *text, const strings *mangled, const strings *plain) {
  struct text t;
  size_t length;
  text_open(&t, m);
  for (const char *at; (at = next_mangled(text, &length)); text = at + length) {
    size_t i = find(mangled, at, length);
    text_bytes(&t, text, (size_t)(at - text));
    if (i < plain->count)
      text_add(&t, plain->at[i]);
    else
      text_bytes(&t, at, length);
  }
  text_add(&t, text);
  return text_string(&t);
}

void names_demangle(struct mem *m, const char **const *texts, size_t count) {
  strings mangled = {NULL, 0, 0}, plain = {NULL, 0, 0};
  words w = {NULL, 0, 0};
  size_t length;
  vec_push(m, &w, (char *)"c++filt");
  for (size_t i = 0; i < count; i++)
    for (const char *at = *texts[i]; (at = next_mangled(at, &length)); at += length) {
      if (find(&mangled, at, length) < mangled.count || mangled.count == BATCH) continue;
      vec_push(m, &mangled, mem_string(m, at, length));
      vec_push(m, &w, (char *)mangled.at[mangled.count - 1]);
    }
  if (!mangled.count) return;
  const char *said = ask(m, &w);
  for (const char *s = said ? said : ""; *s;) { /* a line each */
    size_t n = strcspn(s, "\n");
    vec_push(m, &plain, mem_string(m, s, n));
    s += n + (s[n] == '\n');
  }
  if (plain.count != mangled.count) return;
  for (size_t i = 0; i < count; i++) *texts[i] = with_names(m, *texts[i], &mangled, &plain);
}
