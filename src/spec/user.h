/* A user's specification, between its loading (user.c) and its running (user_run.c). */
#ifndef ASIF_SPEC_USER_H
#define ASIF_SPEC_USER_H

#include "asif.h"
#include "spec/spec.h"

struct user {
  struct mem *mem;
  const char *path;                /* of the C file, for messages */
  void *loaded;                    /* the object, of dlopen */
  const struct asif_spec *table;   /* in it */
  const struct asif_spec_op **ops; /* in the order of the file, as spec.ops */
  unsigned op_count;
  unsigned char *state; /* where its functions find the state; just after it is memory that cannot be touched */
  void *pages;          /* that it lies in */
  size_t pages_size;
  unsigned char *initial;
  VEC(int) choices, limits; /* asif_choose of the run now: what it returned, and of how many */
  size_t chosen;            /* how many calls there were */
  long result;              /* of asif_result */
  bool has_result;
  char *fault; /* what went wrong, or NULL */
};

/* Prepares running and the initial state; false with the problem. */
bool user_start(struct user *, struct problem *);
void user_stop(struct user *); /* the counterpart of a user_start that was true */
void user_init(const struct spec *, struct outcomes *);
void user_step(const struct spec *, struct state, const struct op *, struct outcomes *);
void user_print(const struct spec *, struct state, struct text *);
/* Arguments that the functions cannot take: numbers too large, or those that stand for something else. */
bool user_check_args(const struct spec *, const struct history *, struct problem *);
bool user_check_op(const struct spec *, const struct values *, const struct op *, const char *source,
                   struct problem *); /* of one */

#endif
