/* Items: a container's distinct values with when each was put in and taken out, in gaps.
 *
 * The fast monitors of queue, stack and priority queue see a history as items. The put of an item can take effect in
 * gaps put_call .. put_ret-1 and the take in take_call .. take_ret-1, *tightened*: a put happens before its take
 * returns, a take after its put is called. So the item is certainly inside in gaps put_ret .. take_call-1. */
#ifndef ASIF_CHECK_ITEMS_H
#define ASIF_CHECK_ITEMS_H

#include "check/part.h"

#define NEVER UINT32_MAX

/* The one insertion and the one removal of a container that has one of each. */
static inline int put_of(const struct spec *s) { return __builtin_ctz(s->container->puts); }
static inline int take_of(const struct spec *s) { return __builtin_ctz(s->container->takes); }

struct item {
  uint32_t put_call, put_ret; /* put_ret tightened */
  uint32_t take_call,
      take_ret;       /* take_call tightened; NEVER both if it is never taken; take_ret NEVER if that take is pending */
  uint32_t put, take; /* operations; take == NEVER if none */
};

struct items {
  struct item *at; /* by put_call */
  uint32_t count;
  uint32_t *of_op; /* operation -> item, NEVER if it belongs to none */
  uint32_t *empty; /* takes that returned empty, by call; none where empty may be said at any time ... */
  op_list loose;   /* ... but these */
  uint32_t empty_count;
  uint32_t *pending; /* takes that never returned, by call */
  uint32_t pending_count;
  uint32_t *stuck; /* items never taken (by a take that returned), by put_ret */
  uint32_t stuck_count;
};

/* Builds the items. Says violated at once (decision->verdict, core) for a value taken that was never put, taken twice,
 * or taken before it was put; APPLIES_NOT for repeated values, unobserved results and other operations. */
enum applies items_build(const struct part *, struct mem *, struct items *, struct decision *, const char **why_not);

/* Decides items without a pending take; if that fails, tries giving pending takes to stuck items of the wrong part.
 * `decide` must answer holds with an order, or violated with a core such that only a change to the core's items can
 * help. */
typedef void items_decider(const struct part *, struct mem *, const struct items *, const uint32_t *events,
                           struct decision *);
enum applies items_match_pending(const struct part *, struct mem *, struct items *, const uint32_t *events,
                                 items_decider *, struct decision *, const char **why_not);

void item_tighten(struct item *);
/* Puts the takes that may say empty at any time into an order. */
void items_add_loose(const struct part *, struct mem *, const struct items *, op_list *order);

/* The chain of items that together cover every gap of [from, to], each certainly inside over its stretch; adds their
 * operations to the core. */
void items_cover(struct mem *, const struct items *, uint32_t from, uint32_t to, op_list *core);
void core_add_item(struct mem *, op_list *core, const struct item *);
void core_sort(op_list *core); /* by call, without repeats */

#endif
