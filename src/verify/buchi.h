/* The automaton of a formula's negation: it accepts the words of which the formula is false. Generalised Büchi, with
 * conditions on transitions: a word is accepted if some run over it has every mark infinitely often. */
#ifndef ASIF_VERIFY_BUCHI_H
#define ASIF_VERIFY_BUCHI_H

#include "verify/ltl.h"

struct buchi_move {
  uint64_t with, without; /* propositions the letter must have, and must not have */
  uint64_t next;          /* what must be true of the rest of the word: a set of subformulas, which is a state */
  uint64_t marks;
};

struct buchi;

/* State 0 is the start. States are made as they are needed. Owned by mem. False with the problem if the formula is too
 * large. */
bool buchi_open(struct mem *, const struct ltl *, struct buchi **, struct problem *);
/* The transitions of a state. */
const struct buchi_move *buchi_moves(struct buchi *, uint32_t state, size_t *count);
uint32_t buchi_state(struct buchi *, uint64_t set); /* the state that a set of subformulas is */
uint64_t buchi_marks(const struct buchi *);         /* all marks */
uint32_t buchi_count(const struct buchi *);         /* states made so far */

#endif
