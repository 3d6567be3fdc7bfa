/* The states of a specification as integers, and its steps as a memo.
 *
 * Distinct states are few beside the configurations that hold them, so a state is stored once and a step from it by an
 * operation is computed once. Operations that differ in nothing a step can see form a *class*. */
#ifndef ASIF_SPEC_STATES_H
#define ASIF_SPEC_STATES_H

#include "spec/spec.h"

struct states;

struct successors {
  const uint32_t *at;
  uint32_t count;
};

struct states *states_new(struct mem *, const struct spec *);
struct successors states_initial(struct states *);
uint32_t states_intern(struct states *, struct state);
uint32_t states_class(struct states *, const struct op *);
struct successors states_step(struct states *, uint32_t state, uint32_t class); /* valid until states_forget */
struct state states_at(const struct states *, uint32_t state);
uint32_t states_count(const struct states *);
size_t states_bytes(const struct states *);
/* The work of making large states so far, in that of small ones: the contents of a container are copied. */
uint64_t states_large(const struct states *);
/* Forgets every state, step and class but the given states, and gives their new numbers in their places. */
void states_forget(struct states *, uint32_t *keep, uint32_t count);

#endif
