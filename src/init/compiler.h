/* Running the compiler for `asif init`: to preprocess a header, and to try what it writes. */
#ifndef ASIF_INIT_COMPILER_H
#define ASIF_INIT_COMPILER_H

#include <stdbool.h>

#include "base/text.h"

struct toolchain {
  struct mem *mem;
  bool cxx;           /* $CXX or c++; otherwise $CC or cc */
  char *const *flags; /* NULL-terminated */
};

/* True if the compiler ends with status 0. Its output and messages go to `said`. */
bool toolchain_preprocess(const struct toolchain *, const char *path, struct text *said);
bool toolchain_accepts(const struct toolchain *, const char *path, struct text *said);
/* The same for a program that is not in a file; its assembly. */
bool toolchain_preprocess_text(const struct toolchain *, const char *program, struct text *said);
bool toolchain_assembly(const struct toolchain *, const char *program, struct text *said);
/* Compiles, links and runs a program, for at most some seconds; its output. */
bool toolchain_run(const struct toolchain *, const char *program, struct text *said);

/* What it said of its first error, in a few whole lines. */
const char *toolchain_error(struct mem *, const char *said);

#endif
