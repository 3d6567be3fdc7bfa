/* The functions that a C header declares, as far as `asif init` needs them: names, and types by their words. */
#ifndef ASIF_CMD_HEADER_H
#define ASIF_CMD_HEADER_H

#include "base/problem.h"
#include "base/text.h"

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

struct header {
  VEC(struct header_function) functions; /* of the file itself, not of those it includes */
};

/* Preprocesses the file with $CC (cc) and these arguments (NULL-terminated), and reads it. */
bool header_read(struct mem *, const char *path, char *const *flags, struct header *, struct problem *);
/* Does a program compile? Its first messages go to `said`. */
bool header_compiles(struct mem *, const char *path, char *const *flags, struct text *said);

#endif
