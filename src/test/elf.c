/* Looking into ELF objects: does one have a section, which functions are in it, what does it need? */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/compile.h"

struct file {
  const char *at;
  size_t size;
};

static bool open_file(const char *path, struct file *f) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  *f = (struct file){MAP_FAILED, 0};
  if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
    f->size = (size_t)st.st_size;
    f->at = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  if (fd >= 0) close(fd);
  if (f->at == MAP_FAILED) return false;
  if (!memcmp(f->at, ELFMAG, SELFMAG) && f->at[EI_CLASS] == ELFCLASS64) return true;
  munmap((void *)f->at, f->size);
  return false;
}

static bool within(const struct file *f, uint64_t offset, uint64_t size) {
  return offset <= f->size && size <= f->size - offset;
}

/* The sections, or NULL if the file is not as it should be. */
static const Elf64_Shdr *sections(const struct file *f, size_t *count) {
  const Elf64_Ehdr *h = (const void *)f->at;
  *count = h->e_shnum;
  if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % 8 || !within(f, h->e_shoff, *count * sizeof(Elf64_Shdr)))
    return NULL;
  return (const void *)(f->at + h->e_shoff);
}

/* A text of a section of texts, or "". */
static const char *text_at(const struct file *f, const Elf64_Shdr *s, uint32_t offset) {
  if (s->sh_type != SHT_STRTAB || !within(f, s->sh_offset, s->sh_size) || offset >= s->sh_size) return "";
  const char *at = f->at + s->sh_offset + offset;
  return memchr(at, 0, s->sh_size - offset) ? at : "";
}

/* The symbols of a section of symbols; none if it is another. */
static const Elf64_Sym *symbols_of(const struct file *f, const Elf64_Shdr *s, size_t sections_count, size_t i,
                                   size_t *count) {
  *count = 0;
  if ((s[i].sh_type != SHT_SYMTAB && s[i].sh_type != SHT_DYNSYM) || s[i].sh_link >= sections_count) return NULL;
  if (s[i].sh_offset % 8 || !within(f, s[i].sh_offset, s[i].sh_size)) return NULL;
  *count = s[i].sh_size / sizeof(Elf64_Sym);
  return (const void *)(f->at + s[i].sh_offset);
}

bool object_has_section(const char *path, const char *name) {
  struct file f;
  size_t count;
  bool found = false;
  if (!open_file(path, &f)) return false;
  const Elf64_Shdr *s = sections(&f, &count);
  uint16_t names = ((const Elf64_Ehdr *)(const void *)f.at)->e_shstrndx;
  for (size_t i = 0; s && names < count && i < count; i++) found |= !strcmp(text_at(&f, &s[names], s[i].sh_name), name);
  munmap((void *)f.at, f.size);
  return found;
}

/* name: all of it, or how it begins. */
static bool has_symbol(const char *path, const char *name, bool begins, bool defined) {
  struct file f;
  size_t count;
  bool found = false;
  if (!open_file(path, &f)) return false;
  const Elf64_Shdr *s = sections(&f, &count);
  for (size_t i = 0; s && i < count && !found; i++) {
    size_t symbols;
    const Elf64_Sym *symbol = symbols_of(&f, s, count, i, &symbols);
    for (size_t k = 0; k < symbols; k++)
      found |= (symbol[k].st_shndx != SHN_UNDEF) == defined &&
               (!defined || ELF64_ST_BIND(symbol[k].st_info) != STB_LOCAL) &&
               !strncmp(text_at(&f, &s[s[i].sh_link], symbol[k].st_name), name, strlen(name) + !begins);
  }
  munmap((void *)f.at, f.size);
  return found;
}

bool object_needs(const char *path, const char *name) { return has_symbol(path, name, false, false); }
bool object_defines(const char *path, const char *name) { return has_symbol(path, name, false, true); }
bool object_is_cxx(const char *path) {
  static const char *const begins[] = {"_ZS", "_ZNS", "_ZNKS", "_Zn", "_Zd", "_ZT", "__cxa_", "__gxx_"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (has_symbol(path, begins[i], true, false)) return true;
  return false;
}

/* "_Z4pushi" and "_ZL4pushi" are a C++ function push; members and templates are something else. */
static char *plain_name(struct mem *m, const char *name) {
  if (strncmp(name, "_Z", 2)) return mem_string(m, name, strlen(name));
  name += name[2] == 'L' ? 3 : 2;
  char *end;
  unsigned long length = strtoul(name, &end, 10);
  if (end == name || !length || length > strlen(end) || end[length] == 'I') return NULL;
  return mem_string(m, end, length);
}

char **object_functions(struct mem *m, const char *path) {
  words names = {NULL, 0, 0};
  struct file f;
  size_t count;
  if (open_file(path, &f)) {
    const Elf64_Shdr *s = sections(&f, &count);
    for (size_t i = 0; s && i < count; i++) {
      size_t symbols;
      const Elf64_Sym *symbol = symbols_of(&f, s, count, i, &symbols);
      for (size_t k = 0; k < symbols; k++) {
        if (ELF64_ST_TYPE(symbol[k].st_info) != STT_FUNC || symbol[k].st_shndx == SHN_UNDEF) continue;
        char *name = plain_name(m, text_at(&f, &s[s[i].sh_link], symbol[k].st_name));
        if (name) vec_push(m, &names, name);
      }
    }
    munmap((void *)f.at, f.size);
  }
  vec_push(m, &names, NULL);
  return names.at;
}
