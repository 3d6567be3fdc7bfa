/* Formulas of linear temporal logic over calls and returns.
 *
 *   formula      true  false  proposition  ( f )  ! f  [] f  <> f  G f  F f  X f  f U g  f W g  f R g  f && g  f || g
 * f -> g f <-> g proposition  call(OP)  call(OP, VALUE, ...)  return(OP)  return(OP, VALUE)  and any of them with
 * @THREAD: @A is the first
 *
 * [] and G are always, <> and F finally, X next; f U g: g comes, and f holds until then; f W g: the same, or f holds
 * for ever; f R g: g holds up to and with the first f, or for ever. Prefix operators bind strongest, then U W R, &&,
 * ||, ->, <->; U W R and
 * -> group to the right. OP and VALUE may be _, which is any; arguments left out at the end are any. A letter of a word
 * is an event or nothing: at most one call or return at a time. */
#ifndef ASIF_VERIFY_LTL_H
#define ASIF_VERIFY_LTL_H

#include "verify/progress.h"

enum ltl_kind {
  LTL_FALSE,
  LTL_TRUE,
  LTL_PROPOSITION,
  LTL_NOT,
  LTL_NEXT,
  LTL_ALWAYS,
  LTL_FINALLY,
  LTL_UNTIL,
  LTL_WEAK,
  LTL_RELEASE,
  LTL_AND,
  LTL_OR,
  LTL_IMPLIES,
  LTL_IFF
};

struct ltl_proposition {
  enum event_kind kind;  /* EVENT_CALL or EVENT_RETURN */
  int operation, thread; /* -1: any */
  unsigned count;        /* values given: arguments, or the result; */
  bool any[OP_ARGS];     /* ... each may be any */
  value value[OP_ARGS];
  const char *text; /* as it is printed: "call(push, 1)@B" */
};

struct ltl_node {
  enum ltl_kind kind;
  uint32_t left, right; /* nodes; a proposition's number is in left */
};

enum { LTL_PROPOSITIONS_MOST = 64 };

struct ltl {
  VEC(struct ltl_node) nodes; /* parts before wholes */
  uint32_t root;
  struct ltl_proposition propositions[LTL_PROPOSITIONS_MOST]; /* no two print alike */
  unsigned proposition_count;
};

/* Owned by mem. False with the problem: "formula:1:5: what is wrong, and what would be right". */
bool ltl_parse(struct mem *, const char *formula, unsigned threads, const struct ltl_names *, struct ltl *,
               struct problem *);

/* With no more parentheses than needed; parsing it again gives the same formula. */
void ltl_print(const struct ltl *, uint32_t node, struct text *);

/* The propositions true of an event of a graph's label: a bit each. */
uint64_t ltl_letter(const struct ltl *, const struct ltl_names *, const struct event *);

#endif
