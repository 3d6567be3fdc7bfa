/* Random histories, linearizable by construction, or wrong on purpose in a way that has a name. */
#ifndef ASIF_GENERATE_GENERATE_H
#define ASIF_GENERATE_GENERATE_H

#include "history/history.h"
#include "spec/spec.h"

struct generate_options {
  const struct spec *spec;
  uint32_t operations; /* how many, pending ones included */
  uint32_t threads;    /* how many operations overlap at most, but for pending ones */
  uint64_t seed;       /* the same seed gives the same history everywhere */
  const char *bad;     /* a kind of violation (generate_kinds), or NULL */
  uint32_t values;     /* 0: every value is written once; else among 1..values */
  uint32_t keys;       /* maps, sets and multisets: keys among 1..keys; 0: the default */
  uint32_t pending;    /* operations that never return; half of them take effect */
  uint32_t size;       /* containers: values inside, on average; 0: the default */
  uint32_t empty;      /* containers: percent of the time spent nearly empty */
};

/* A finished history, owned by mem; NULL with the problem if the options do not go together. */
struct history *generate_history(struct mem *, const struct generate_options *, struct problem *);

/* The kinds of violation that can be put into a history of this specification. */
struct bad_kind {
  const char *name, *summary;
};
const struct bad_kind *generate_kinds(const struct spec *); /* ends with a NULL name */

#endif
