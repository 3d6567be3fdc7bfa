/* The functions that a C header declares, as far as `asif init` needs them: names, and types by their words. */
#ifndef ASIF_INIT_HEADER_H
#define ASIF_INIT_HEADER_H

#include <stdbool.h>

#include "base/problem.h"
#include "base/text.h"

struct toolchain;

enum { HEADER_PARAMS = 8 };

struct header_type {
  const char *base; /* "struct queue", "size_t", without qualifiers */
  unsigned pointers;
};

struct header_function {
  const char *name;
  struct header_type returns;
  struct header_type param[HEADER_PARAMS];
  unsigned params;
};

struct header_union {
  const char *name;
  struct header_type is; /* pointer that stands for it */
};

struct header {
  VEC(struct header_function) functions; /* of the file itself, not of those it includes */
  VEC(struct header_union) unions;       /* transparent ones of pointers, by their typedef */
  bool cxx;                              /* something in it is not C, but C++ */
};

/* Preprocesses the file and reads it. */
bool header_read(const struct toolchain *, const char *path, struct header *, struct problem *);

#endif
