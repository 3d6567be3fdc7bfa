/* Files that the code opens, and memory that it maps. What it writes to a file stays from run to run, and others may
 * change it: a run that opens one for writing is given up. Reading is allowed: how many cores there are, say, is told
 * by files.
 *
 * An anonymous private mapping that may be read and written is a block of the heap, and munmap of all of it frees the
 * block. Other mappings stay from run to run, and are not what they were when a run goes on from the middle of another;
 * nor is it known that one in the place of another is new memory: a run that changes them is given up. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/heap_parts.h"
#include "run/sync.h"

static void opens(const char *path, bool writes, const char *function, uintptr_t pc) {
  if (!current || !writes || (path && !strcmp(path, "/dev/null"))) return;
  sync_unsupported_at(function, "what it writes to a file stays from run to run", pc);
}

static bool mode_writes(const char *mode) { return mode && strpbrk(mode, "wa+"); }
static bool flags_write(int flags) { return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC); }

#define FOPEN(name) \
  WRAPPED FILE *WRAP(name)(const char *, const char *); \
  FILE *WRAP(name)(const char *path, const char *mode) { \
    opens(path, mode_writes(mode), #name, CALLER); \
    return fopen(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)

static unsigned mode_of(int flags, va_list args) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, unsigned) : 0; }

#define OPEN(name) \
  WRAPPED int WRAP(name)(const char *, int, ...); \
  int WRAP(name)(const char *path, int flags, ...) { \
    va_list args; \
    va_start(args, flags); \
    unsigned mode = mode_of(flags, args); \
    va_end(args); \
    opens(path, flags_write(flags), #name, CALLER); \
    return open(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  WRAPPED int WRAP(name)(int, const char *, int, ...); \
  int WRAP(name)(int folder, const char *path, int flags, ...) { \
    va_list args; \
    va_start(args, flags); \
    unsigned mode = mode_of(flags, args); \
    va_end(args); \
    opens(path, flags_write(flags), #name, CALLER); \
    return openat(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

WRAPPED int WRAP(creat)(const char *, mode_t);
int WRAP(creat)(const char *path, mode_t mode) {
  opens(path, true, "creat", CALLER);
  return creat(path, mode);
}

/* Mappings. */

void maps(const char *function, uintptr_t pc) {
  if (current) sync_unsupported_at(function, "what it maps or unmaps stays so from run to run", pc);
}

enum { PAGE = 4096, MAPPED_MOST = 1 << 20 /* larger ones would take long to clear, in each run */ };

static size_t pages(size_t size) { return (size + PAGE - 1) & ~(size_t)(PAGE - 1); }

/* True if such a mapping is as a block of the heap is. */
static bool as_block(size_t size, int protection, int flags) {
  return current && size && size <= MAPPED_MOST && protection == (PROT_READ | PROT_WRITE) &&
         (flags & ~(MAP_NORESERVE | MAP_POPULATE | MAP_STACK)) == (MAP_PRIVATE | MAP_ANONYMOUS);
}

static void *map_block(size_t size, uintptr_t pc) {
  void *p = heap_take(size, PAGE, BLOCK_MAPPED, pc);
  if (!p) return MAP_FAILED;
  plain_access(p, size, true, pc, NULL);
  return memset(p, 0, size);
}

#define MMAP(name) \
  WRAPPED void *WRAP(name)(void *, size_t, int, int, int, off_t); \
  void *WRAP(name)(void *at, size_t size, int protection, int flags, int fd, off_t offset) { \
    if (as_block(size, protection, flags)) { \
      void *p = map_block(pages(size), CALLER); \
      SPIN_LAND(CALLER, p); \
      return p; \
    } \
    maps(#name, CALLER); \
    return mmap(at, size, protection, flags, fd, offset); \
  }
MMAP(mmap)
MMAP(mmap64)

WRAPPED int WRAP(munmap)(void *, size_t);
int WRAP(munmap)(void *at, size_t size) {
  const struct block *b = current && heap_owns((uintptr_t)at) ? heap_block((uintptr_t)at) : NULL;
  if (b && b->kind == BLOCK_MAPPED && b->address == (uintptr_t)at && b->size == pages(size)) {
    heap_give(at, BLOCK_MAPPED, 0, CALLER);
    SPIN_LAND(CALLER, 0);
    return 0;
  }
  maps("munmap", CALLER);
  return munmap(at, size);
}

WRAPPED void *WRAP(mremap)(void *, size_t, size_t, int, ...);
void *WRAP(mremap)(void *at, size_t size, size_t new_size, int flags, ...) {
  va_list args;
  va_start(args, flags);
  void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
  va_end(args);
  maps("mremap", CALLER);
  return mremap(at, size, new_size, flags, to);
}

WRAPPED int WRAP(mprotect)(void *, size_t, int);
int WRAP(mprotect)(void *at, size_t size, int protection) {
  maps("mprotect", CALLER);
  return mprotect(at, size, protection);
}

WRAPPED int WRAP(madvise)(void *, size_t, int);
int WRAP(madvise)(void *at, size_t size, int advice) {
  maps("madvise", CALLER);
  return madvise(at, size, advice);
}

WRAPPED void *WRAP(sbrk)(intptr_t);
void *WRAP(sbrk)(intptr_t by) {
  if (by) maps("sbrk", CALLER);
  return sbrk(by);
}

WRAPPED int WRAP(brk)(void *);
int WRAP(brk)(void *end) {
  maps("brk", CALLER);
  return brk(end);
}
