/* Loading the shared object; its globals, the same at the beginning of every run; thread-local storage of each fiber.
 *
 * Globals are the parts of the object that can be written and stay so. What they are after loading is kept. Where they
 * are few all of them are copied back before a run; else pages are protected, and only those that were ever written
 * are.
 *
 * Thread-local variables of a shared object are reached through __tls_get_addr, which is wrapped: each fiber has a
 * block. */
#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "asif.h"
#include "run/names.h"
#include "run/runtime.h"

#define PAGE         ((uintptr_t)4096)
#define STORAGE_AT   ((uintptr_t)0x608000000000) /* thread-local storage of the fibers, if that place is free */
#define COPIED_MOST  (16 << 10)                  /* globals larger than this are followed page by page */
#define RANGES_MOST  8
#define ENDINGS_MOST 4096

const char image_stub[] =
    "struct asif_entry;\n"
    "extern const struct asif_entry *const __start_asif_harness[] __attribute__((weak, visibility(\"hidden\")));\n"
    "extern const struct asif_entry *const __stop_asif_harness[] __attribute__((weak, visibility(\"hidden\")));\n"
    "__attribute__((visibility(\"default\"))) const struct asif_entry *const *const asif_image_entries[2] = {\n"
    "    __start_asif_harness, __stop_asif_harness};\n"
    "extern const char __start_asif_unseen[] __attribute__((weak, visibility(\"hidden\")));\n"
    "extern const char __stop_asif_unseen[] __attribute__((weak, visibility(\"hidden\")));\n"
    "__attribute__((visibility(\"default\"))) const char *const asif_image_unseen[2] = {\n"
    "    __start_asif_unseen, __stop_asif_unseen};\n"
    "extern void *const __start___patchable_function_entries[] __attribute__((weak, visibility(\"hidden\")));\n"
    "extern void *const __stop___patchable_function_entries[] __attribute__((weak, visibility(\"hidden\")));\n"
    "__attribute__((visibility(\"default\"))) void *const *const asif_image_marked[2] = {\n"
    "    __start___patchable_function_entries, __stop___patchable_function_entries};\n"
    /* Gcc's own library has a function of this name, for split stacks: this one comes first. */
    "int asif_create(void *, const void *, void *(*)(void *), void *, void *);\n"
    "int __wrap_pthread_create(void *thread, const void *how, void *(*start)(void *), void *argument) {\n"
    "  return asif_create(thread, how, start, argument, __builtin_return_address(0));\n"
    "}\n";

struct tls_place {
  size_t module, offset;
};
extern void *__tls_get_addr(struct tls_place *);

struct without_hooks {
  uintptr_t low, high;
  const char *of;
};
struct image {
  struct mem *mem;
  void *handle;
  uintptr_t base;
  const void *dynamic; /* its dynamic section: no other object's */
  struct image_range code;
  struct image_range ranges[RANGES_MOST];
  size_t range_count;
  char *kept[RANGES_MOST]; /* of each range, as it is at the beginning of a run */
  bool by_page;
  uintptr_t *written; /* by_page: the pages that are writable, since they were written once */
  size_t written_count;
  size_t tls_module; /* 0: has none */
  const char *tls_first;
  size_t tls_filled, tls_size, tls_align;
  char *tls_main; /* the block of the thread that loaded it, after that */
  VEC(struct without_hooks) without;
};
static struct image *loaded; /* that of the runs */

/* Loading. */

static void add_range(struct image *image, uintptr_t low, uintptr_t high) {
  if (low < high && image->range_count < RANGES_MOST)
    image->ranges[image->range_count++] = (struct image_range){low, high};
}

/* The base alone does not tell objects apart: that of an object with a place of its own, as of a program, is 0. */
static bool has_dynamic(const struct dl_phdr_info *info, const void *at) {
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC && (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) == at)
      return true;
  return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
  struct image *image = context;
  if (!has_dynamic(info, image->dynamic) || size < offsetof(struct dl_phdr_info, dlpi_tls_data)) return 0;
  uintptr_t constant_low = 0, constant_high = 0; /* written by the loader only */
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t low = image->base + p->p_vaddr, high = low + p->p_memsz;
    if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
      if (!image->code.low) image->code.low = low;
      image->code.high = high;
    } else if (p->p_type == PT_GNU_RELRO) {
      constant_low = low & -PAGE;
      constant_high = high & -PAGE;
    } else if (p->p_type == PT_TLS) {
      image->tls_module = info->dlpi_tls_modid;
      image->tls_first = (const char *)low;
      image->tls_filled = p->p_filesz;
      image->tls_size = p->p_memsz;
      image->tls_align = p->p_align > 16 ? p->p_align : 16;
    }
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_W)) continue;
    uintptr_t low = image->base + p->p_vaddr, high = low + p->p_memsz;
    if (constant_low < high && low < constant_high) {
      add_range(image, low, constant_low);
      add_range(image, constant_high, high);
    } else {
      add_range(image, low, high);
    }
  }
  return 1;
}

struct image *image_open(struct mem *m, const char *shared_object, struct problem *problem) {
  struct image *image = mem_zero(m, 1, sizeof *image);
  image->mem = m;
  unseen_before_loading();
  image->handle = dlopen(shared_object, RTLD_NOW | RTLD_LOCAL);
  if (!image->handle) {
    problem_set(problem, "%s: cannot be loaded: %s", shared_object, dlerror());
    return NULL;
  }
  struct link_map *map;
  if (dlinfo(image->handle, RTLD_DI_LINKMAP, &map)) {
    problem_set(problem, "%s: cannot be looked at: %s", shared_object, dlerror());
    return NULL;
  }
  image->base = map->l_addr;
  image->dynamic = map->l_ld;
  names_open(shared_object, image->base);
  dl_iterate_phdr(look_at, image);
  unseen_loaded(map);
  return image;
}

void *image_symbol(const struct image *image, const char *name) { return dlsym(image->handle, name); }

void (*image_function(const char *name))(void) {
  void (*function)(void);
  void *symbol = dlsym(loaded->handle, name);
  memcpy(&function, &symbol, sizeof function);
  return function;
}

bool image_has_code(uintptr_t pc) { return loaded && pc - loaded->code.low < loaded->code.high - loaded->code.low; }

uintptr_t image_base(const struct image *image) { return image->base; }

const struct asif_entry *const *image_entries(const struct image *image, size_t *count) {
  const struct asif_entry *const *const *at = image_symbol(image, "asif_image_entries");
  *count = at && at[0] ? (size_t)(at[1] - at[0]) : 0;
  return at ? at[0] : NULL;
}

size_t image_unseen(const struct image *image, const struct unseen **records) {
  const struct unseen *const *at = image_symbol(image, "asif_image_unseen");
  *records = at ? at[0] : NULL;
  return at && at[0] ? (size_t)(at[1] - at[0]) : 0;
}

size_t image_marked(const struct image *image, void *const **functions) {
  void *const *const *at = image_symbol(image, "asif_image_marked");
  *functions = at ? at[0] : NULL;
  return at && at[0] ? (size_t)(at[1] - at[0]) : 0;
}

void image_without_hooks(struct image *image, uintptr_t low, uintptr_t high, const char *of) {
  struct without_hooks w = {image->base + low, image->base + high, mem_string(image->mem, of, strlen(of))};
  vec_push(image->mem, &image->without, w);
}

const char *image_is_without(uintptr_t address) {
  for (size_t i = 0; i < loaded->without.count; i++)
    if (address >= loaded->without.at[i].low && address < loaded->without.at[i].high) return loaded->without.at[i].of;
  return NULL;
}
bool image_has_without(const struct image *image) { return image->without.count > 0; }

/* Symbols that others define come before those in the hash table. */
static size_t undefined_symbols(const struct link_map *map, const ElfW(Sym) * *symbols, const char **names) {
  const uint32_t *hashed = NULL;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) *symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
    if (d->d_tag == DT_STRTAB) *names = (const char *)d->d_un.d_ptr;
    if (d->d_tag == DT_GNU_HASH) hashed = (const uint32_t *)d->d_un.d_ptr;
  }
  return hashed && *symbols && *names ? hashed[1] : 0;
}

#if defined(__x86_64__)
static bool begins_with(const char *name, const char *const *begins, size_t count) {
  for (size_t b = 0; b < count; b++)
    if (!strncmp(name, begins[b], strlen(begins[b]))) return true;
  return false;
}

/* Of one of its globals: where its first value is; NULL: only the loader writes there. */
static char *kept_place(uintptr_t address) {
  for (size_t i = 0; i < loaded->range_count; i++)
    if (address - loaded->ranges[i].low < loaded->ranges[i].high - loaded->ranges[i].low)
      return loaded->kept[i] + (address - loaded->ranges[i].low);
  return NULL;
}

bool image_redirect(const char *const *begins, size_t count, uintptr_t (*thunk)(uintptr_t)) {
  static const struct image *redirected;
  struct link_map *map;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const ElfW(Rela) * tables[2] = {NULL, NULL};
  size_t sizes[2] = {0, 0};
  if (redirected == loaded) return true;
  if (!loaded || loaded->by_page || dlinfo(loaded->handle, RTLD_DI_LINKMAP, &map)) return false;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
    if (d->d_tag == DT_STRTAB) names = (const char *)d->d_un.d_ptr;
    if (d->d_tag == DT_JMPREL) tables[0] = (const ElfW(Rela) *)d->d_un.d_ptr;
    if (d->d_tag == DT_PLTRELSZ) sizes[0] = d->d_un.d_val;
    if (d->d_tag == DT_RELA) tables[1] = (const ElfW(Rela) *)d->d_un.d_ptr;
    if (d->d_tag == DT_RELASZ) sizes[1] = d->d_un.d_val;
  }
  for (int t = 0; t < 2; t++)
    for (size_t i = 0; symbols && names && i < sizes[t] / sizeof(ElfW(Rela)); i++) {
      const ElfW(Rela) *r = &tables[t][i];
      unsigned type = ELF64_R_TYPE(r->r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (!begins_with(names + symbols[ELF64_R_SYM(r->r_info)].st_name, begins, count)) continue;
      uintptr_t slot = map->l_addr + r->r_offset, page = slot & -(uintptr_t)PAGE, target;
      memcpy(&target, (const void *)slot, sizeof target);
      target = thunk(target);
      char *kept = kept_place(slot);
      if (!kept && mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE)) return false;
      memcpy((void *)slot, &target, sizeof target);
      if (kept)
        memcpy(kept, &target, sizeof target);
      else
        mprotect((void *)page, PAGE, PROT_READ);
    }
  redirected = loaded;
  return true;
}
#else
bool image_redirect(const char *const *begins, size_t count, uintptr_t (*thunk)(uintptr_t)) {
  return (void)begins, (void)count, (void)thunk, false;
}
#endif

/* Whether it calls a function whose name begins so; true if that is not known. */
static bool calls_any(const struct image *image, const char *const *begins, size_t count) {
  struct link_map *map;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  if (dlinfo(image->handle, RTLD_DI_LINKMAP, &map)) return true;
  size_t undefined = undefined_symbols(map, &symbols, &names);
  if (!undefined) return true;
  for (size_t i = 0; i < undefined; i++)
    for (size_t b = 0; b < count; b++)
      if (!strncmp(names + symbols[i].st_name, begins[b], strlen(begins[b]))) return true;
  return false;
}

bool image_frees(const struct image *image) {
  static const char *const begins[] = {"__wrap_free", "__wrap_realloc", "__wrap__ZdlPv", "__wrap__ZdaPv"};
  return calls_any(image, begins, sizeof begins / sizeof *begins);
}

bool image_calls_free(const struct image *image) {
  static const char *const begins[] = {"__wrap_free"};
  return calls_any(image, begins, sizeof begins / sizeof *begins);
}

bool image_calls_delete(const struct image *image) {
  static const char *const begins[] = {"__wrap__ZdlPv", "__wrap__ZdaPv"};
  return calls_any(image, begins, sizeof begins / sizeof *begins);
}

bool image_reads_clocks(const struct image *image) {
  static const char *const begins[] = {"__wrap_clock", "__wrap_time", "__wrap_gettimeofday", "__wrap_syscall"};
  return calls_any(image, begins, sizeof begins / sizeof *begins);
}

bool image_floats(const struct image *image) {
  static const char *const begins[] = {"feset",    "feclear",  "fetest",    "feget",  "fehold",
                                       "feupdate", "feenable", "fedisable", "feraise"};
  return calls_any(image, begins, sizeof begins / sizeof *begins);
}

static bool begins_as_any(const char *name, const char *const *begins, size_t count) {
  for (size_t b = 0; b < count; b++)
    if (!strncmp(name, begins[b], strlen(begins[b]))) return true;
  return false;
}

bool image_is_simple(const struct image *image, bool locks) {
  static const char *const locking[] = {"__wrap_pthread_mutex_init",
                                        "__wrap_pthread_mutex_destroy",
                                        "__wrap_pthread_mutex_lock",
                                        "__wrap_pthread_mutex_trylock",
                                        "__wrap_pthread_mutex_unlock",
                                        "__wrap_pthread_spin_",
                                        "__wrap_mtx_init",
                                        "__wrap_mtx_destroy",
                                        "__wrap_mtx_lock",
                                        "__wrap_mtx_trylock",
                                        "__wrap_mtx_unlock"};
  static const char *const begins[] = {"__wrap___tsan_read",
                                       "__wrap___tsan_write",
                                       "__wrap___tsan_unaligned_",
                                       "__wrap___tsan_volatile_",
                                       "__wrap___tsan_vptr_",
                                       "__wrap___tsan_atomic",
                                       "__wrap___tsan_mem",
                                       "__wrap___tsan_init",
                                       "__wrap___tsan_func_",
                                       "__wrap___tsan_acquire",
                                       "__wrap___tsan_release",
                                       "__wrap___atomic_",
                                       "__wrap_malloc",
                                       "__wrap_calloc",
                                       "__wrap_realloc",
                                       "__wrap_free",
                                       "__wrap__Znw",
                                       "__wrap__Zna",
                                       "__wrap__Zd",
                                       "__wrap_aligned_",
                                       "__wrap_posix_memalign",
                                       "__wrap_mem",
                                       "__wrap_strlen",
                                       "__wrap_strcmp",
                                       "__wrap___tls_get_addr",
                                       "__wrap_abort",
                                       "__wrap___assert_fail",
                                       "__wrap___stack_chk_fail",
                                       "__wrap___ubsan_handle_",
                                       "asif_host_",
                                       "asif_create",
                                       "__cxa_finalize",
                                       "__gmon_start__",
                                       "_ITM_",
                                       "memcmp"};
  struct link_map *map;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  if (image->by_page || dlinfo(image->handle, RTLD_DI_LINKMAP, &map)) return false;
  size_t undefined = undefined_symbols(map, &symbols, &names);
  for (size_t i = 1; i < undefined; i++) {
    const char *name = names + symbols[i].st_name;
    bool known = begins_as_any(name, begins, sizeof begins / sizeof *begins) ||
                 (locks && begins_as_any(name, locking, sizeof locking / sizeof *locking));
    if (!known) return false;
  }
  return undefined > 0;
}

/* Globals. */

size_t image_ranges(const struct image_range **ranges) {
  *ranges = loaded->ranges;
  return loaded->range_count;
}

static void protect(const struct image *image, int how) {
  for (size_t i = 0; i < image->range_count; i++) {
    uintptr_t low = image->ranges[i].low & -PAGE, high = (image->ranges[i].high + PAGE - 1) & -PAGE;
    mprotect((void *)low, high - low, how);
  }
}

static void forget_kept(struct image *image) {
  if (image->by_page) protect(image, PROT_READ | PROT_WRITE);
  for (size_t i = 0; i < image->range_count; i++) free(image->kept[i]);
  free(image->written);
  free(image->tls_main);
  memset(image->kept, 0, sizeof image->kept);
  image->written = NULL;
  image->written_count = 0;
}

static void *copy_of(const void *from, size_t size) {
  void *copy = malloc(size ? size : 1);
  if (!copy) run_no_memory("the globals of the code");
  memcpy(copy, from, size);
  return copy;
}

static void open_storage(const struct image *);

void image_keep(struct image *image) {
  if (loaded == image) image_restore(); /* a run_open after runs */
  forget_kept(image);
  loaded = image;
  size_t all = 0;
  for (size_t i = 0; i < image->range_count; i++) {
    const struct image_range *r = &image->ranges[i];
    image->kept[i] = copy_of((const void *)r->low, r->high - r->low);
    all += r->high - r->low;
  }
  image->tls_main = NULL;
  open_storage(image);
  if (image->tls_module) {
    struct tls_place where = {image->tls_module, 0};
    image->tls_main = copy_of(__tls_get_addr(&where), image->tls_size);
  }
  image->by_page = all > COPIED_MOST;
  if (!image->by_page) return;
  image->written = calloc(all / PAGE + 2 * image->range_count, sizeof *image->written);
  if (image->written) {
    protect(image, PROT_READ);
  } else {
    image->by_page = false;
  }
}

bool image_dirty(uintptr_t address) {
  if (!loaded || !loaded->by_page) return false;
  uintptr_t page = address & -PAGE;
  bool inside = false;
  for (size_t i = 0; i < loaded->range_count && !inside; i++)
    inside = page >= (loaded->ranges[i].low & -PAGE) && page < loaded->ranges[i].high;
  for (size_t i = 0; i < loaded->written_count; i++) inside &= loaded->written[i] != page;
  if (!inside) return false;
  loaded->written[loaded->written_count++] = page;
  mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
  return true;
}

static void restore(size_t range, uintptr_t low, uintptr_t high) {
  const struct image_range *r = &loaded->ranges[range];
  if (low < r->low) low = r->low;
  if (high > r->high) high = r->high;
  if (low < high) memcpy((void *)low, loaded->kept[range] + (low - r->low), high - low);
}

void image_restore(void) {
  for (size_t i = 0; i < loaded->range_count; i++) {
    if (!loaded->by_page) restore(i, loaded->ranges[i].low, loaded->ranges[i].high);
    for (size_t p = 0; loaded->by_page && p < loaded->written_count; p++)
      restore(i, loaded->written[p], loaded->written[p] + PAGE);
  }
}

/* Thread-local storage. */

/* Each fiber's block is at a place of its own, the same in every process: code that takes the address of a thread-local
 * variable for the thread's number does the same again. */
static void open_storage(const struct image *image) {
  static char *region;
  static size_t each;
  if (!image->tls_module) return;
  size_t size = (image->tls_size + image->tls_align - 1) & -image->tls_align;
  /* Blocks begin at different places of their pages, as far as the alignment allows: see fiber.c. */
  size_t room = (size + 15 * 256 + image->tls_align + PAGE - 1) & -PAGE;
  if (room > each) {
    if (region) munmap(region, FIBERS_MOST * each);
    region = reserve_at(STORAGE_AT, FIBERS_MOST * room);
    each = region ? room : 0;
  }
  for (unsigned i = 0; i < FIBERS_MOST; i++) {
    char *at = region + i * each + i % 16 * 256;
    fibers[i].tls = region ? (char *)(((uintptr_t)at + image->tls_align - 1) & -image->tls_align) : NULL;
    fibers[i].tls_size = size;
  }
}

static char *tls_block(struct fiber *f) {
  if (!f->tls) run_found(FOUND_UNSUPPORTED, "no memory for %zu bytes of thread-local storage", loaded->tls_size);
  assert(f->tls_size >= loaded->tls_size);
  if (f->id == FIBER_MAIN) {
    memcpy(f->tls, loaded->tls_main, loaded->tls_size);
  } else {
    memcpy(f->tls, loaded->tls_first, loaded->tls_filled);
    memset(f->tls + loaded->tls_filled, 0, loaded->tls_size - loaded->tls_filled);
  }
  f->tls_used = true;
  return f->tls;
}

WRAPPED void *WRAP(__tls_get_addr)(struct tls_place *);
void *WRAP(__tls_get_addr)(struct tls_place *at) {
  struct fiber *f = current;
  if (!f || at->module != loaded->tls_module) return __tls_get_addr(at);
  return (LIKELY(f->tls_used) ? f->tls : tls_block(f)) + at->offset;
}

struct tls_ending {
  void (*destroy)(void *);
  void *object;
  struct tls_ending *next;
};
static struct tls_ending endings[ENDINGS_MOST];
static size_t ending_count;

void tls_reset(void) { ending_count = 0; }
size_t tls_endings(void) { return ending_count; }
void tls_endings_set(size_t count) { ending_count = count; }
size_t tls_size(void) { return loaded->tls_size; }

WRAPPED int WRAP(__cxa_thread_atexit)(void (*)(void *), void *, void *);
int WRAP(__cxa_thread_atexit)(void (*destroy)(void *), void *object, void *dso) {
  (void)dso;
  struct fiber *f = current;
  if (!f) return 0; /* of the thread that loads: never ends */
  if (ending_count == ENDINGS_MOST) run_found(FOUND_UNSUPPORTED, "more than %d thread-local objects", ENDINGS_MOST);
  struct tls_ending *e = &endings[ending_count++];
  *e = (struct tls_ending){destroy, object, f->endings};
  f->endings = e;
  return 0;
}

void tls_ended(struct fiber *f) {
  while (f->endings) {
    struct tls_ending *e = f->endings;
    f->endings = e->next;
    e->destroy(e->object);
  }
}
