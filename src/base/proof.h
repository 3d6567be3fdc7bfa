/* A proof, or how far one came, in words: strings only. The prover tells it (prove/proof.c), reports print it
 * (report/proof.c, report/proof_page.c); neither knows the other. */
#ifndef ASIF_BASE_PROOF_H
#define ASIF_BASE_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* A step in the source. */
struct proof_step {
  const char *path; /* NULL: nowhere in particular */
  uint32_t line, column;
  const char *operation; /* the C function */
  const char *text;      /* "cas top: t -> n" */
  bool point;            /* the operation linearizes here */
};

/* What a step may change that other threads see: each way is a line. */
struct proof_action {
  struct proof_step step;
  VEC(const char *) changes; /* "top: n0 -> n1 {val v0, next n0}; contents: A -> v0.A" */
};

/* A view: what is known of memory, drawn as text and as a picture, and what else is. */
struct proof_view {
  struct proof_step step;
  const char *memory; /* "top -> [v0] -> [S0].. -> 0" */
  const char *knows;  /* "contents v0.S0; v < v0; has not linearized" */
  const char *svg;    /* or NULL */
  size_t others;      /* of the same place that are left out, told with the first of it */
};

/* How a view came about: from first to last. */
struct proof_moment {
  struct proof_step step;
  bool other; /* another thread's step */
};

struct proof_source {
  const char *path, *text;
  size_t length;
};

struct proof {
  const char *file;
  const char *level; /* "full" */
  const char *claim; /* "linearizable", "memory safe": what is proved if it is */
  bool proved;
  bool marked; /* the points are the programmer's */
  uint64_t views, actions_used, steps, compositions;
  VEC(struct proof_step) points;
  VEC(const char *) unmoved; /* operations that change nothing: they need no point */
  VEC(struct proof_action) actions;
  VEC(struct proof_view) memory; /* between operations */
  VEC(struct proof_view) at;     /* the others, by place; only if they were asked for */
  VEC(const char *) notes;       /* what is assumed */
  bool ranged;                   /* only for arguments that lie where ASIF_IN says */
  VEC(struct proof_source) sources;
  /* Not proved: where, why, in which view, what to look at, and how it comes to that. */
  struct proof_step where;
  const char *sentence, *hint;
  const struct proof_view *view; /* or NULL */
  VEC(struct proof_moment) trail;
  const char *confirming; /* what verify said of a few threads; or NULL */
};

#endif
