/* Histories as interval orders (Bouajjani, Emmi, Enea, Hamza 2015, sections 4 and 6).
 *
 * What is told here is told by definition, in time polynomial but not small: it is what the on-line code (count.h,
 * elements.c) is compared with, and what small histories are explained with. */
#ifndef ASIF_APPROX_ORDER_H
#define ASIF_APPROX_ORDER_H

#include "base/mem.h"
#include "history/history.h"

/* The interval order of a history's operations, each with its interval [from, to] of the canonical representation
 * (Lemma 6.2). o1 happens before o2 iff to[o1] < from[o2]. A pending operation reaches to the end: to == length. */
struct interval_order {
  uint32_t count;  /* operations */
  uint32_t length; /* distinct pasts, less one (Definition 6.1); 0 of no operations */
  uint32_t *from, *to;
};
void order_of(struct mem *, const struct history *, struct interval_order *);
/* The canonical representation of any intervals that stand for an order: to[o1] < from[o2] iff o1 is before o2. In
 * place. */
void order_canonical(struct mem *, struct interval_order *);
/* A_k (section 6.2), by its definition: o1 <' o2 iff o1 < o2 and length - k < from[o2]. */
void order_approx(struct mem *, const struct interval_order *, uint32_t k, struct interval_order *);
/* The weakening preorder (Definition 4.2): is h1 weaker than h2? Operations are matched by label; pending operations of
 * h1 may be missing from h2, or completed in it with any result. Orders are those given, not the histories' own.
 * Exponential: small ones. */
bool order_weaker(struct mem *, const struct history *h1, const struct interval_order *, const struct history *h2,
                  const struct interval_order *);
/* The history with these intervals in the place of its own events: the operations, labels and processes of h (a process
 * each where its operations now overlap), times 2 * from and 2 * to + 1; finished, and bound to what h is bound to. */
struct history *order_history(struct mem *, const struct history *h, const struct interval_order *);

#endif
