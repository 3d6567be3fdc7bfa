/* From addresses in the code to files and lines: addr2line, one process for many addresses. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/compile.h"
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

/* "file.c:31 (discriminator 2)", "??:0" */
static bool read_place(struct mem *m, const char *line, size_t n, struct place *p) {
  const char *colon = memrchr(line, ':', n), *paren = memmem(line, n, " (", 2);
  if (paren) colon = memrchr(line, ':', (size_t)(paren - line));
  if (!colon || line[0] == '?') return false;
  p->line = (uint32_t)strtoul(colon + 1, NULL, 10);
  p->file = shown_path(m, line, (size_t)(colon - line));
  return p->line > 0;
}

/* Of the functions that were inlined into each other, the innermost that is the user's own and not of a system header.
 */
static void read_answers(struct mem *m, const char *said, struct place *places, size_t count) {
  size_t at = SIZE_MAX;
  bool own = false;
  for (const char *s = said; *s;) {
    size_t n = strcspn(s, "\n");
    const char *next = s + n + (s[n] == '\n');
    if (!strncmp(s, "0x", 2)) {
      at = at == SIZE_MAX ? 0 : at + 1, own = false;
    } else if (at < count) {
      size_t k = strcspn(next, "\n");
      struct place p = {.function = mem_string(m, s, n)};
      if (!own && read_place(m, next, k, &p)) {
        own = strncmp(p.file, "/usr/", 5) != 0;
        if (own || !places[at].line) places[at] = p;
      }
      next += k + (next[k] == '\n');
    }
    s = next;
  }
}

static bool ask(struct mem *m, const char *object, const uintptr_t *offsets, size_t count, struct place *places) {
  words w = {NULL, 0, 0};
  char said[] = "/tmp/asif-places-XXXXXX";
  int fd = mkstemp(said);
  if (fd < 0) return false;
  close(fd);
  static const char *const begin[] = {"addr2line", "-a", "-f", "-i", "-C", "-e"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) vec_push(m, &w, (char *)begin[i]);
  vec_push(m, &w, (char *)object);
  for (size_t i = 0; i < count; i++) {
    char number[32];
    vec_push(m, &w, mem_string(m, number, (size_t)snprintf(number, sizeof number, "0x%lx", (unsigned long)offsets[i])));
  }
  vec_push(m, &w, NULL);
  struct command_run c = {.words = w.at, .said = said};
  commands_run(&c, 1);
  bool good = !c.status && !c.error;
  size_t length;
  if (good) read_answers(m, command_said(m, &c, &length), places, count);
  unlink(said);
  return good;
}

bool places_find(struct mem *m, const char *object, const uintptr_t *offsets, size_t count, struct place *places) {
  memset(places, 0, count * sizeof *places);
  for (size_t i = 0; i < count; i += BATCH)
    if (!ask(m, object, offsets + i, count - i < BATCH ? count - i : BATCH, places + i)) return false;
  return true;
}
