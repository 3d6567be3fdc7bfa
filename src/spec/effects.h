/* Specifications as effects: what each operation does to the contents, a sequence or a multiset of values.
 *
 *   push(v)      A => <v> . A
 *   pop          <e> . A => A, returns e
 *   pop          <> => <>, returns empty
 *
 * What stands before => must be so for the operation to happen in this way; what follows it is so afterwards. Names are
 * arguments of the operation, or values of the contents, the same wherever they stand; A is the rest of the contents. A
 * multiset is {v} + A, and may have the condition "v not in A". An operation may have several effects, and does one of
 * those that are possible. asif prove runs them on contents that are known in part (prove/object.c); here they are run
 * on contents that are known, as a specification of all other commands. */
#ifndef ASIF_SPEC_EFFECTS_H
#define ASIF_SPEC_EFFECTS_H

#include "spec/spec.h"

enum { EFFECT_ITEMS_MOST = 4, EFFECT_NAMES_MOST = 8 };

enum effect_term_kind { EFFECT_NAME, EFFECT_NUMBER };
struct effect_term {
  enum effect_term_kind kind;
  unsigned name;  /* which: the operation's arguments are the first */
  int64_t number; /* a small one: value_of_small */
};

/* Items at the beginning, A (or not), items at the end; of a multiset all are at the beginning. */
struct effect_contents {
  bool has_rest;
  unsigned first, last;
  struct effect_term item[EFFECT_ITEMS_MOST];
};

enum effect_result { RETURNS_OK, RETURNS_VALUE, RETURNS_EMPTY, RETURNS_TRUE, RETURNS_FALSE };

struct effect {
  unsigned op;
  unsigned args, names; /* names: with the arguments */
  struct effect_contents before, after;
  bool has_absent;
  struct effect_term absent; /* "v not in A" */
  enum effect_result result;
  struct effect_term value; /* of RETURNS_VALUE */
  bool pure;                /* it leaves the contents as they are */
};

struct effect_op {
  const char *name;
  unsigned args;
  bool pure;   /* all its effects are */
  bool silent; /* it returns nothing */
  bool truth;  /* it returns true or false */
};

struct effects {
  const char *name; /* of the specification */
  bool sequence;    /* else a multiset */
  VEC(struct effect) list;
  VEC(struct effect_op) ops;
};

/* "push(v)" and "A => <v> . A". */
struct effect_text {
  const char *head, *text;
};
struct effect_problem {
  size_t which; /* of the texts */
  bool in_head;
  size_t offset; /* in it */
  char said[160];
};

/* False: one of the texts is wrong, and the problem says where. */
bool effects_read(struct mem *, const char *name, const struct effect_text *, size_t count, struct effects *out,
                  struct effect_problem *);
/* stack, queue, set and multiset as effects; false: the specification is none of these. */
bool effects_of(struct mem *, const struct spec *, struct effects *out);
/* Of the lines of a harness, in their order: its ASIF_EFFECTs. False: there are none, and no problem; or
 * the problem says what is wrong, and *wrong is the line. */
struct asif_entry;
bool effects_of_entries(struct mem *, const char *name, const struct asif_entry *const *, size_t count,
                        struct effects *out, const struct asif_entry **wrong, struct problem *);
/* As a specification; the effects must stay where they are. */
void effects_spec(struct mem *, const struct effects *, struct spec *out);

#endif
