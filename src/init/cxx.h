/* The container that a C++ header declares, as `asif init` recognised it. */
#ifndef ASIF_INIT_CXX_H
#define ASIF_INIT_CXX_H

#include "init/init.h"
#include "init/names.h"
#include "init/probe.h"

struct toolchain;

struct cxx_guess {
  struct mem *mem;
  const struct init_request *request;
  struct probe probe;
  const char *name;    /* the class's, without template arguments */
  bool templated_size; /* a template argument is SIZE */
  unsigned size;       /* what SIZE is */
  const struct probe_call *of[ROLES];
  bool compares; /* a template parameter says how elements compare */
  bool front;    /* elements are read with front() and then removed */
  bool threaded; /* calls that take the number of the thread may be chosen */
  bool keyed, mapped;
  const char *spec; /* "bounded_queue(2)", or with SIZE */
  struct spec_words words;
  /* Measured in one thread. */
  int holds; /* elements until it is full; 0: not measured; CXX_MANY: more than a client puts in */
  enum taken_order order;
  bool negated;   /* elements are negated: the greatest is taken first */
  bool measuring; /* the harness is written for that */
};

enum { CXX_MANY = 64, CXX_SIZES = 4 };
extern const unsigned cxx_sizes[CXX_SIZES]; /* that are tried */

bool cxx_is_sized(const struct cxx_guess *); /* SIZE is used */
void cxx_write(const struct cxx_guess *, struct text *);
/* Uses the container in one thread, if that links without further files: what it holds, its order. */
bool cxx_measure(struct cxx_guess *, const struct toolchain *);

#endif
