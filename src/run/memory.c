/* Memory of the runtime's own. Much of it must have room for the largest run there may be, at addresses that do not
 * change: but address space that is only reserved counts too where it is limited (ulimit -v, containers). So it has
 * places that nobody else uses, and pages are mapped there when they are needed. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/runtime.h"

#define LEAST ((size_t)64 << 10)
#define STEP  ((size_t)64 << 20) /* what is mapped doubles up to this much, then grows by it */

static size_t mapped, mapped_most; /* of all that grows */

static size_t most_of_all(void) {
  if (options.bytes_most) return options.bytes_most;
  if (!mapped_most) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    mapped_most = pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : (size_t)4 << 30;
  }
  return mapped_most;
}

static void *map_at(uintptr_t at, size_t size) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *got = mmap((void *)at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != MAP_FAILED &&
      got != (void *)at) { /* a kernel that does not know MAP_FIXED_NOREPLACE takes it for a hint */
    munmap(got, size);
    got = MAP_FAILED;
  }
  return got == MAP_FAILED ? NULL : got;
}

void *reserve_at(uintptr_t at, size_t size) {
  void *got = map_at(at, size);
  if (got) return got;
  got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? NULL : got;
}

enum grown grow_slowly(struct growing *g, size_t size) {
  assert(size > g->size);
  if (size > g->most) return GROWN_LIMIT;
  size_t next = g->size < STEP ? 2 * g->size : g->size + STEP;
  if (next < LEAST) next = LEAST;
  if (next < size) next = (size + LEAST - 1) & -LEAST;
  if (next > g->most) next = g->most;
  if (mapped + (next - g->size) > most_of_all()) return GROWN_MEMORY;
  if (!map_at(g->at + g->size, next - g->size)) return GROWN_MEMORY;
  mapped += next - g->size;
  g->size = next;
  return GROWN;
}

void end_process(const char *why, ...) {
  va_list list;
  char text[300];
  va_start(list, why);
  vsnprintf(text, sizeof text, why, list);
  va_end(list);
  output_show(); /* standard error may lead nowhere */
  fprintf(stderr, "asif: %s\n", text);
  _exit(RUN_NO_MEMORY);
}

void run_no_memory(const char *what) {
  if (current) run_found(FOUND_UNSUPPORTED, "there is no memory for %s (%zu MB are in use)", what, mapped >> 20);
  end_process("there is no memory for %s: is it limited (ulimit -v, --memory-limit)?", what);
}
