/* Kinds: the pending operations of a part that differ in nothing but their calls, counted together.
 *
 * Which of them takes effect makes no difference but that it must have been called, so it may as well be the one that
 * was called first: a configuration need only know how many of a kind have linearized (configs.h). */
#ifndef ASIF_CHECK_KINDS_H
#define ASIF_CHECK_KINDS_H

#include "check/part.h"

struct kind {
  struct op op;          /* one of them; V_UNKNOWN for what it sets, where nobody observes that */
  uint32_t first, count; /* its operations in `ops`, by call */
  uint32_t called;       /* how many of them so far */
  uint32_t end;          /* after this event none can take effect; or NO_RETURN */
  uint32_t word, shift;  /* where its number is, while it is open */
  bool open;
  /* what the search knows of it, as of a slot */
  uint32_t class, to, until;
  uint64_t *rivals; /* the open slots of operations that do the same */
};

struct kinds {
  struct kind *at;
  uint32_t count;
  uint32_t *ops;   /* by kind */
  uint32_t *of_op; /* operation -> kind; UINT32_MAX */
  uint32_t *open;  /* those that are open ... */
  uint32_t open_count;
  uint32_t *by_end; /* ... and all that end, in order */
  uint32_t ending, next_end;
  uint32_t *free_fields, free_count;
  uint32_t bits, per_word, words; /* of the numbers */
  uint64_t highest;
};

/* What an operation sets the value to, where nobody observes it: the argument's number, or -1. */
typedef int unobserved_argument(void *self, const struct op *);

/* ends: an operation each, or NULL. */
void kinds_build(struct kinds *, struct mem *, const struct part *, const uint32_t *ends, unobserved_argument *,
                 void *self);
void kinds_free(struct kinds *, struct mem *);
/* Begins anew: nothing was called. */
void kinds_reset(struct kinds *);
/* An operation is called. True if its kind is open only now. */
bool kinds_call(struct kinds *, uint32_t op);
/* The next kind that has ended before an event, which is open no more; UINT32_MAX if none. Its numbers must be set to
 * 0. */
uint32_t kinds_end(struct kinds *, uint32_t event);

static inline uint32_t kind_number(const struct kinds *k, const struct kind *x, const uint64_t *numbers) {
  return (uint32_t)(numbers[x->word] >> x->shift & (((uint64_t)1 << k->bits) - 1));
}
static inline void kind_more(const struct kind *x, uint64_t *numbers) { numbers[x->word] += (uint64_t)1 << x->shift; }
static inline void kind_forget(const struct kinds *k, const struct kind *x, uint64_t *numbers) {
  numbers[x->word] &= ~((((uint64_t)1 << k->bits) - 1) << x->shift);
}

#endif
