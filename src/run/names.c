/* Names of the image's variables, static ones too: from the symbols of its file, which is mapped when it is loaded (it
 * may be removed then) and looked into when somebody asks. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/names.h"
#include "run/runtime.h"

static struct {
  const char *at;
  size_t size;
  uintptr_t base;
} file;

void names_open(const char *path, uintptr_t base) {
  struct stat st;
  if (file.at) munmap((void *)(uintptr_t)file.at, file.size);
  file.at = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (!fstat(fd, &st) && st.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) run_no_memory("the symbols of the code");
    file.at = at;
    file.size = (size_t)st.st_size;
    file.base = base;
  }
  close(fd);
}

static bool in_file(uint64_t offset, uint64_t size) { return offset <= file.size && size <= file.size - offset; }

static const char *name_in(const Elf64_Shdr *names, uint32_t offset) {
  if (!in_file(names->sh_offset, names->sh_size) || offset >= names->sh_size) return NULL;
  const char *name = file.at + names->sh_offset + offset;
  return *name && memchr(name, 0, names->sh_size - offset) ? name : NULL;
}

/* Calls `is` for each symbol that the file defines, up to one for which it is true: its name. */
typedef bool symbol_is(const Elf64_Sym *, const char *name, const void *context);
static const char *find_symbol(symbol_is *is, const void *context) {
  const Elf64_Ehdr *header = (const void *)file.at;
  if (!file.at || memcmp(file.at, ELFMAG, SELFMAG) || file.at[EI_CLASS] != ELFCLASS64) return NULL;
  size_t count = header->e_shnum;
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
      !in_file(header->e_shoff, count * sizeof(Elf64_Shdr)))
    return NULL;
  const Elf64_Shdr *sections = (const void *)(file.at + header->e_shoff);
  for (size_t i = 0; i < count; i++) {
    const Elf64_Shdr *s = &sections[i];
    if (s->sh_type != SHT_SYMTAB || s->sh_link >= count || s->sh_offset % 8 || !in_file(s->sh_offset, s->sh_size))
      continue;
    const Elf64_Sym *symbols = (const void *)(file.at + s->sh_offset);
    for (size_t k = 0; k < s->sh_size / sizeof *symbols; k++) {
      const char *name = symbols[k].st_shndx == SHN_UNDEF ? NULL : name_in(&sections[s->sh_link], symbols[k].st_name);
      if (name && is(&symbols[k], name, context)) return name;
    }
  }
  return NULL;
}

static bool has_name(const Elf64_Sym *symbol, const char *name, const void *wanted) {
  (void)symbol;
  return !strcmp(name, wanted);
}
bool names_define(const char *name) { return find_symbol(has_name, name) != NULL; }

static bool tell_function(const Elf64_Sym *symbol, const char *name, const void *each) {
  if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
    (*(void (*const *)(uintptr_t, const char *))each)(file.base + symbol->st_value, name);
  return false;
}
void names_functions(void (*each)(uintptr_t, const char *)) { find_symbol(tell_function, &each); }

/* The variable of this type (STT_OBJECT, STT_TLS) that has the value in it. */
struct within {
  unsigned char type;
  uint64_t value;
  uint64_t *offset, *size;
};
static bool is_around(const Elf64_Sym *symbol, const char *name, const void *context) {
  const struct within *w = context;
  (void)name;
  *w->offset = w->value - symbol->st_value;
  *w->size = symbol->st_size;
  return ELF64_ST_TYPE(symbol->st_info) == w->type && *w->offset < symbol->st_size;
}

static bool say(unsigned char type, uint64_t value, const char *before, struct text *to) {
  uint64_t offset = 0, size;
  const char *name = find_symbol(is_around, &(struct within){type, value, &offset, &size});
  if (!name) return false;
  text_add(to, before);
  size_t length = strcspn(name, "."); /* the compiler numbers static variables of functions: count.0 */
  text_bytes(to, name, length ? length : strlen(name));
  if (offset) text_printf(to, " + %lu", (unsigned long)offset);
  return true;
}

bool run_variable_at(uintptr_t address, struct run_variable *to) {
  uint64_t offset = 0;
  if (address <= file.base) return false;
  const struct within w = {STT_OBJECT, address - file.base, &offset, &to->size};
  to->name = find_symbol(is_around, &w);
  to->start = address - offset;
  return to->name != NULL;
}

bool run_storage_at(uintptr_t address, unsigned *fiber, uintptr_t *offset) {
  for (unsigned i = 0; i < FIBERS_MOST; i++) {
    const struct fiber *f = &fibers[i];
    if (!f->tls || address - (uintptr_t)f->tls >= f->tls_size) continue;
    *fiber = i;
    *offset = address - (uintptr_t)f->tls;
    return true;
  }
  return false;
}

bool image_describe(uintptr_t address, struct text *to) {
  unsigned fiber;
  uintptr_t at;
  if (run_storage_at(address, &fiber, &at)) {
    if (!say(STT_TLS, at, "thread-local ", to)) text_add(to, "thread-local storage");
    text_printf(to, " of %s", fiber_name(&fibers[fiber]));
    return true;
  }
  if (address <= file.base) return false;
  return say(STT_OBJECT, address - file.base, "", to) || say(STT_FUNC, address - file.base, "", to);
}
