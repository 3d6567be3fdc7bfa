/* Actions that the user writes (section 5: do ... as), as given.c reads them and guarantee.c holds steps against them.
 */
#ifndef ASIF_PROVE_GIVEN_H
#define ASIF_PROVE_GIVEN_H

#include "front/ast.h"
#include "prove/view.h"

enum { GIVEN_NAMES_MOST = 24, GIVEN_PARTS_MOST = 32, GIVEN_ITEMS_MOST = 4 };

enum term_kind { TERM_NAME, TERM_NUMBER /* NULL too */, TERM_FREE, TERM_HELD, TERM_ANY };
struct term {
  enum term_kind kind;
  unsigned name; /* of TERM_NAME: which */
  int64_t number;
};

/* "top: n" is about a root; "y{val: e, next: n}" is two parts about a node, "y{}" one without a field. */
struct part {
  uint8_t after;   /* behind => */
  uint8_t context; /* before |: stays as it is */
  uint8_t is_root;
  unsigned root;     /* which root */
  unsigned node;     /* which name */
  const char *field; /* NULL: the node is there */
  struct term value;
  const char *text; /* as it is written */
};

/* "<e> . A", "{k} + A", "<>". */
struct contents {
  bool there, has_rest;
  unsigned first, last; /* items before and after the rest */
  struct term item[GIVEN_ITEMS_MOST];
};

struct condition {
  struct term a, b;
  enum relation relation;
  const char *text;
};

struct given {
  const char *name;
  const char *called[GIVEN_NAMES_MOST]; /* logical variables */
  unsigned names, parts, conditions;
  struct part part[GIVEN_PARTS_MOST];
  struct condition condition[GIVEN_ITEMS_MOST];
  struct contents before, after;
};

#endif
