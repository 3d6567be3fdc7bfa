/* A counter with a largest value S: a Treiber stack of which only the size is left.
 *
 * Algorithm 3.4 of Liu et al., Verifying Linearizability via Optimized Refinement Checking (2013). push returns the size after
 * it, and at S changes nothing; pop returns the size before it, and at 0 changes nothing. No specification that comes with
 * Asif does that: it is at the end, as a sequential implementation.
 *
 * Linearization points: the compare-and-exchange that succeeds; of a pop that returns 0, the access that saw 0. With
 * POINTS (counter_points.c) they are marked. */
#include <asif.h>
#include <stdatomic.h>

#ifndef S
#define S 4
#endif

#ifdef POINTS
#define POINT() ASIF_LIN()
#else
#define POINT() ((void)0)
#endif

static atomic_int size;

static int push(void) {
  int seen = atomic_load(&size), next;
  do next = seen < S ? seen + 1 : seen;
  while (!atomic_compare_exchange_strong(&size, &seen, next));
  POINT();
  return next;
}

static int pop(void) {
  int seen = atomic_load(&size);
  while (seen != 0 && !atomic_compare_exchange_strong(&size, &seen, seen - 1)) ;
  POINT();
  return seen;
}

struct state {
  int size;
};
static int spec_push(struct state *s) { return s->size < S ? ++s->size : s->size; }
static int spec_pop(struct state *s) { return s->size > 0 ? s->size-- : 0; }

ASIF_SPEC(bounded_counter, struct state)
ASIF_SPEC_OP(spec_push, "push")
ASIF_SPEC_OP(spec_pop, "pop")

ASIF_OBJECT(bounded_counter)
ASIF_OP(push)
ASIF_OP(pop)
