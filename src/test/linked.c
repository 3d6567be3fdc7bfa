/* What the linker took, read from its map: lines such as
 *
 *    .text          0x0000000000001119       0x3c libpool.a(pool.o)
 *
 * where a long name of a section has a line of its own. */
#include <stdlib.h>
#include <string.h>

#include "test/compile.h"

static void add_line(struct mem *m, const char *path, uintptr_t low, uintptr_t size, linkeds *out) {
  size_t n = strlen(path);
  const char *open = n > 3 && path[n - 1] == ')' ? strrchr(path, '(') : NULL;
  size_t file = open ? (size_t)(open - path) : n;
  struct linked l = {.low = low, .high = low + size};
  l.path = mem_string(m, path, file);
  l.member = open ? mem_string(m, open + 1, n - file - 2) : mem_string(m, "", 0);
  vec_push(m, out, l);
}

bool linked_read(struct mem *m, const char *map, linkeds *out) {
  char line[4096], name[256] = "";
  FILE *f = fopen(map, "r");
  bool begun = false;
  while (f && fgets(line, sizeof line, f)) {
    char section[256] = "", path[2048] = "";
    unsigned long low, size;
    line[strcspn(line, "\n")] = 0;
    begun |= strstr(line, "memory map") || strstr(line, "Memory map");
    if (!begun || line[0] != ' ') continue;
    if (line[1] != ' ' && sscanf(line, " %255s %2047s", section, path) == 1) {
      snprintf(name, sizeof name, "%s", section);
      continue;
    }
    if (line[1] != ' ' && sscanf(line, " %255s %lx %lx %2047[^\n]", section, &low, &size, path) == 4)
      snprintf(name, sizeof name, "%s", section);
    else if (line[1] != ' ' || sscanf(line, " %lx %lx %2047[^\n]", &low, &size, path) != 3)
      continue;
    if (!strncmp(name, ".text", 5) && size && strchr(".o)", path[strlen(path) - 1])) add_line(m, path, low, size, out);
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
