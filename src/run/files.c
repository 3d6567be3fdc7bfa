/* Files that the code opens. What it writes there stays from run to run, and others may change it: a run that opens one
 * for writing is given up. Reading is allowed: how many cores there are, say, is told by files. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
