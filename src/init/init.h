/* `asif init`: a harness for the container that a header declares. What creates the object, puts in and takes out is
 * found by names and types; the specification is a guess. */
#ifndef ASIF_INIT_INIT_H
#define ASIF_INIT_INIT_H

#include <stdbool.h>

#include "base/problem.h"
#include "base/text.h"

struct init_request {
  struct mem *mem;
  const char *path;    /* the header */
  const char *include; /* how the harness includes it: "\"queue.h\"", "<urcu/wfcqueue.h>" */
  const char *spec;    /* or NULL: a guess */
  const char *type;    /* class to choose, or a type with its template arguments; NULL: a guess */
  char *const *flags;  /* for the compiler, NULL-terminated */
};

struct init_harness {
  struct text text;
  bool cxx;         /* it is C++ */
  bool alone;       /* it links without files of the library */
  const char *spec; /* as ASIF_OBJECT has it */
};

/* Where the compiler finds a header that is included as <path>, or NULL. */
const char *init_find(struct mem *, const char *path, char *const *flags);
/* Writes the harness; false, with the reason, if no container was recognised. */
bool init_write(const struct init_request *, struct init_harness *, struct problem *);
/* True if the file compiles; otherwise the compiler's messages are in `said`. */
bool init_compiles(const struct init_request *, const char *path, bool cxx, struct text *said);

/* For one language. */
struct header;
bool init_write_c(const struct init_request *, const struct header *, struct init_harness *, struct problem *);
bool init_write_cxx(const struct init_request *, struct init_harness *, struct problem *);

#endif
