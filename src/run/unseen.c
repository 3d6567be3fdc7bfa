/* Code that has no hooks: hand-written assembly, members of archives and shared libraries that were compiled without.
 *
 * What it does cannot be interleaved, nor told apart from what others do, nor undone before the next run: nothing that
 * was found with its help is so. Therefore a run ends where it comes to such code, as one that cannot be run; runs that
 * do not come there are not affected.
 *
 * In the image the places are overwritten with a trap; the code of libraries is made not executable. Both happen after
 * loading, so that constructors run. A statement that is nothing but a fence is done by the trap's handler, and the
 * code goes on behind it. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "run/names.h"
#include "run/runtime.h"
#include "run/trap.h"

/* Libraries. */

struct segment {
  uintptr_t low, high;
};
static struct {
  VEC(const void *) known;      /* dynamic sections of the objects that were there before the image */
  VEC(struct segment) segments; /* code of libraries without hooks */
  bool open, closed;            /* closed: their code cannot be executed */
} libraries;

/* These lists stay as long as the process: no owner of memory has a guard for as long, so that to have none ends it. */
static void *one_more(void *at, size_t count, size_t *room, size_t size) {
  if (count < *room) return at;
  *room = *room ? 2 * *room : 16;
  at = realloc(at, *room * size);
  if (!at) run_no_memory("what is known of the libraries that the code needs");
  return at;
}
#define push(v, x) ((v)->at = one_more((v)->at, (v)->count, &(v)->room, sizeof *(v)->at), (v)->at[(v)->count++] = (x))

/* Part of the language's implementation: what it does is known, or of no consequence to others. */
static bool is_harmless(const char *path) {
  static const char *const names[] = {"libc.",     "libm.",      "libpthread.", "libdl.",     "librt.",
                                      "libgcc_s.", "libstdc++.", "libc++.",     "libc++abi.", "libatomic.",
                                      "ld-linux",  "ld-musl",    "linux-vdso.", "libmvec.",   "libunwind.",
                                      "libasan.",  "libtsan.",   "libubsan.",   "linux-gate."};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i], strlen(names[i]))) return true;
  return false;
}

bool unseen_is_foreign(const void *function) {
  Dl_info here, there;
  if (!dladdr(function, &there) || !dladdr((const void *)(uintptr_t)unseen_is_foreign, &here)) return false;
  return there.dli_fbase == here.dli_fbase || is_harmless(there.dli_fname);
}

static int note_known(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      push(&libraries.known, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
  return 0;
}

void unseen_before_loading(void) {
  if (libraries.open) return;
  libraries.open = true;
  dl_iterate_phdr(note_known, NULL);
}

/* Is it one that the image itself asks for? */
static bool is_needed(const struct link_map *image, const char *path) {
  const char *names = NULL, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (const ElfW(Dyn) *d = image->l_ld; d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB) names = (const char *)d->d_un.d_ptr;
  for (const ElfW(Dyn) *d = image->l_ld; names && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_NEEDED && !strcmp(names + d->d_un.d_val, name)) return true;
  return false;
}

static int add_segments(struct dl_phdr_info *info, size_t size, void *context) {
  const struct link_map *image = context;
  (void)size;
  if (is_harmless(info->dlpi_name) || !*info->dlpi_name) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const void *dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    if (dynamic == image->l_ld) return 0;
    for (size_t k = 0; k < libraries.known.count; k++) /* Asif itself may need a library that the code needs too */
      if (libraries.known.at[k] == dynamic && !is_needed(image, info->dlpi_name)) return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t low = info->dlpi_addr + p->p_vaddr;
    struct segment s = {low & -PAGE, (low + p->p_memsz + PAGE - 1) & -PAGE};
    if (p->p_type == PT_LOAD && p->p_flags & PF_X) push(&libraries.segments, s);
  }
  return 0;
}

void unseen_loaded(const struct link_map *image) { dl_iterate_phdr(add_segments, (void *)image); }

static void protect_libraries(int how) {
  for (size_t i = 0; i < libraries.segments.count; i++) {
    const struct segment *s = &libraries.segments.at[i];
    mprotect((void *)s->low, s->high - s->low, how);
  }
  libraries.closed = !(how & PROT_EXEC);
}

static bool in_library(uintptr_t pc) {
  for (size_t i = 0; libraries.closed && i < libraries.segments.count; i++)
    if (pc - libraries.segments.at[i].low < libraries.segments.at[i].high - libraries.segments.at[i].low) return true;
  return false;
}

/* Traps. */

/* What compiles such a function with hooks. */
static const char *compiler_of(const char *function) { return strncmp(function, "_Z", 2) ? "asif cc" : "asif c++"; }

#ifndef NO_TRAPS
struct trap {
  uintptr_t at;
  trap_code was;
  const struct unseen *record; /* NULL: a function of an archive's member: */
  const char *name;
};
static VEC(struct trap) traps;
static struct image *trapped; /* the image they are in */

static void add_trap(uintptr_t at, const struct unseen *record, const char *name) {
  struct trap t = {.at = at, .record = record, .name = name};
  for (size_t i = 0; i < traps.count; i++)
    if (traps.at[i].at == at) return;
  memcpy(&t.was, (const void *)at, sizeof t.was);
  push(&traps, t);
}

static void add_function(uintptr_t address, const char *name) {
  if (image_is_without(address)) add_trap(address, NULL, name);
}

static const struct trap *trap_at(uintptr_t pc) {
  for (size_t i = 0; i < traps.count; i++)
    if (traps.at[i].at == pc - TRAP_AFTER) return &traps.at[i];
  return NULL;
}

static uintptr_t place(const int64_t *relative) { return (uintptr_t)relative + (uintptr_t)*relative; }

static bool trap_reached(uintptr_t pc, void *context) {
  const struct trap *t = trap_at(pc);
  if (!t) return false;
  if (t->record && t->record->kind == UNSEEN_FENCE) {
    if (races_wanted()) races_fence(__ATOMIC_SEQ_CST);
    go_to(context, place(&t->record->end));
    return true;
  }
  if (!current) { /* the code is used for something else than a run */
    write_code(t->at, t->was);
    go_to(context, t->at);
    return true;
  }
  if (t->record) /* the words have the place */
    run_found(FOUND_UNSUPPORTED, "%s comes to assembly that accesses memory, which has no hooks: %s",
              fiber_name(current), unseen_words(t->record));
  found_at(t->at + 1, 0, current, "here");
  run_found(FOUND_UNSUPPORTED, "%s calls %s of %s, which was compiled without hooks: compile it with `%s`",
            fiber_name(current), t->name, image_is_without(t->at), compiler_of(t->name));
}

static void set_traps(struct image *image) {
  const struct unseen *records;
  size_t count = image_unseen(image, &records);
  if (trapped == image) return;
  trapped = image;
  for (size_t i = 0; i < count; i++)
    if (records[i].kind >= UNSEEN_FENCE) add_trap(place(&records[i].begin), &records[i], NULL);
  if (image_has_without(image)) names_functions(add_function);
  for (size_t i = 0; i < traps.count; i++) write_code(traps.at[i].at, TRAP);
}
#else
static bool trap_reached(uintptr_t pc, void *context) { return (void)pc, (void)context, false; }
static void set_traps(struct image *image) { (void)image; }
#endif

const char *unseen_words(const struct unseen *u) { return (const char *)&u->words + u->words; }

void unseen_open(struct image *image) {
  set_traps(image);
  if (libraries.segments.count) protect_libraries(PROT_READ);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool unseen_reached(uintptr_t pc, void *context) {
  Dl_info info;
  if (trap_reached(pc, context)) return true;
  if (!in_library(pc)) return false;
  if (!current || scheduler.asks) {
    protect_libraries(PROT_READ | PROT_EXEC);
    return true;
  }
  found_at(current->pc, 0, current, "calls it after this");
  bool known = dladdr((void *)pc, &info);
  const char *name = known && info.dli_sname ? info.dli_sname : "a function";
  run_found(FOUND_UNSUPPORTED, "%s calls %s of %s, which was compiled without hooks: build it with `%s`",
            fiber_name(current), name, known ? base_name(info.dli_fname) : "a library", compiler_of(name));
}
