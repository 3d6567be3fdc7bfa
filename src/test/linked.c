/* What the linker took, read from its map: lines such as
 *
 *    .text          0x0000000000001119       0x3c libpool.a(pool.o)
 *
 * where a long name of a section has a line of its own. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/compile.h"

static bool is_there(const char *path, size_t length) {
  char file[2048];
  return snprintf(file, sizeof file, "%.*s", (int)length, path) < (int)sizeof file && !access(file, R_OK);
}

/* The path may be of an object, or archive(member); what the linker made itself ("linker stubs") is none. */
static void add_line(struct mem *m, const char *path, uintptr_t low, uintptr_t size, linkeds *out, char **missing) {
  size_t n = strlen(path);
  const char *open = n > 3 && path[n - 1] == ')' ? strrchr(path, '(') : NULL;
  if (open && is_there(path, n)) open = NULL;
  size_t file = open ? (size_t)(open - path) : n;
  struct linked l = {.low = low, .high = low + size};
  if (!is_there(path, file)) {
    if (open || (n > 2 && !strcmp(path + n - 2, ".o"))) *missing = mem_string(m, path, n);
    return;
  }
  l.path = mem_string(m, path, file);
  l.member = open ? mem_string(m, open + 1, n - file - 2) : mem_string(m, "", 0);
  vec_push(m, out, l);
}

/* "  0x1119", with white space after it. A line of a symbol has its name in the place of the size, and a name in C++
 * may begin with what reads as digits: `boost::f()`. */
static bool number(const char **at, unsigned long *n) {
  const char *s = *at + strspn(*at, " \t");
  char *end;
  if (s == *at || s[0] != '0' || s[1] != 'x' || !isxdigit((unsigned char)s[2])) return false;
  *n = strtoul(s, &end, 16);
  *at = end;
  return *end == ' ' || *end == '\t';
}

bool linked_read(struct mem *m, const char *map, linkeds *out, char **missing) {
  char line[4096], name[256] = "";
  FILE *f = fopen(map, "r");
  bool begun = false;
  if (!f && errno == ENOMEM) mem_exhausted(m);
  *missing = NULL;
  while (f && fgets(line, sizeof line, f)) {
    unsigned long low, size;
    line[strcspn(line, "\n")] = 0;
    begun |= strstr(line, "memory map") || strstr(line, "Memory map");
    if (!begun || line[0] != ' ') continue;
    const char *at = line;
    if (line[1] != ' ') { /* a section; its name may have a line of its own */
      size_t n = strcspn(line + 1, " \t");
      snprintf(name, sizeof name, "%.*s", (int)n, line + 1);
      at = line + 1 + n;
    }
    if (!number(&at, &low) || !number(&at, &size)) continue;
    at += strspn(at, " \t");
    if (!strncmp(name, ".text", 5) && size && *at) add_line(m, at, low, size, out, missing);
  }
  if (f) fclose(f);
  return out->count > 0;
}

bool linked_is_toolchains(const struct linked *l) {
  static const char *const names[] = {
      "libstdc++", "libsupc++",   "libgcc", "libc_nonshared.a", "libpthread", "libatomic", "libm.a", "libc.a", "libc++",
      "libunwind", "libclang_rt", "libm-",  "libmvec",          "crt",        "Scrt",      "libtsan"};
  const char *slash = strrchr(l->path, '/'), *name = slash ? slash + 1 : l->path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i], strlen(names[i]))) return true;
  return false;
}
