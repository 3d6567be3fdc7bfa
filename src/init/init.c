/* Which language a header is in, and where the compiler finds it: see init.h. */
#include "init/init.h"

#include <stdio.h>
#include <string.h>

#include "init/compiler.h"
#include "init/header.h"

static bool ends_as_cxx(const char *path) {
  static const char *const ends[] = {".hpp", ".hh", ".hxx", ".h++", ".H", ".cpp", ".cc", ".cxx", ".ipp", ".tpp"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  if (!dot) return true; /* as <vector> */
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (!strcmp(dot, ends[i])) return true;
  return false;
}

/* The preprocessor names each file that it reads. */
static const char *find_as(const struct toolchain *c, const char *path) {
  struct text program, said;
  size_t n = strlen(path);
  text_open(&program, c->mem);
  text_open(&said, c->mem);
  text_printf(&program, "#include <%s>\n", path);
  (void)toolchain_preprocess_text(c, text_string(&program), &said);
  for (const char *line = text_string(&said); *line;) {
    size_t len = strcspn(line, "\n");
    const char *quote = line[0] == '#' ? memchr(line, '"', len) : NULL;
    size_t file = quote ? strcspn(quote + 1, "\"\n") : 0;
    if (file > n && !memcmp(quote + 1 + file - n, path, n) && quote[file - n] == '/')
      return mem_string(c->mem, quote + 1, file);
    line += len + (line[len] == '\n');
  }
  return NULL;
}

const char *init_find(struct mem *m, const char *path, char *const *flags) {
  const char *found = find_as(&(struct toolchain){m, ends_as_cxx(path), flags}, path);
  return found ? found : find_as(&(struct toolchain){m, true, flags}, path);
}

/* A name that does not tell is read as C; what is not C is C++. */
bool init_write(const struct init_request *r, struct init_harness *to, struct problem *why) {
  struct header header;
  *to = (struct init_harness){.cxx = r->type || ends_as_cxx(r->path)};
  text_open(&to->text, r->mem);
  if (!to->cxx) {
    bool read = header_read(&(struct toolchain){r->mem, false, r->flags}, r->path, &header, why);
    if (read && !header.cxx) return init_write_c(r, &header, to, why);
    struct text said;
    text_open(&said, r->mem);
    if (!read && !toolchain_preprocess(&(struct toolchain){r->mem, true, r->flags}, r->path, &said)) {
      /* Of a header in C++ what the compiler for C says is no help; of one in C, both say the same. */
      problem_set(why, "%s cannot be preprocessed:\n%s", r->path, toolchain_error(r->mem, text_string(&said)));
      return false;
    }
    to->cxx = true;
  }
  return init_write_cxx(r, to, why);
}

bool init_compiles(const struct init_request *r, const char *path, bool cxx, struct text *said) {
  return toolchain_accepts(&(struct toolchain){r->mem, cxx, r->flags}, path, said);
}
