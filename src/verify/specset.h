/* Spec sets: the specification's transition system, determinised on the fly (Liu et al. 2013, sections 3.2.1 and 4.1,
 * Definition 5).
 *
 * A configuration is the state of the sequential specification and, for each thread, whether it has an operation open
 * and whether that has linearized, and with what result. A spec set is the set of configurations the specification may
 * be in after a trace; it is closed under linearization (tau). Since linearizing only ever makes fewer operations wait,
 * a closed set is known by its minimal configurations, those that no other of the set leads to: only these are stored.
 * Sets are interned: a number each, 0 is the empty one (the trace is not one of the specification's). Transitions are
 * memoised. */
#ifndef ASIF_VERIFY_SPECSET_H
#define ASIF_VERIFY_SPECSET_H

#include "base/mem.h"
#include "spec/spec.h"

enum { THREADS_MOST = 16 };

/* Ranks threads by their rank so far and then by sum; returns how many ranks there are (rename.c). */
unsigned rank_again(unsigned threads, uint8_t *rank, const uint64_t *sum);

/* A visible action of a thread. */
enum event_kind { EVENT_NONE, EVENT_CALL, EVENT_RETURN, EVENT_LIN };
struct event {
  uint8_t kind; /* enum event_kind */
  uint8_t thread;
  uint16_t call; /* EVENT_CALL: which operation with which arguments: a number from specset_call */
  value result;  /* EVENT_RETURN */
};

struct specsets;

enum specset_mode {
  SPECSET_FREE,  /* operations may linearize at any time between call and return; EVENT_LIN says nothing */
  SPECSET_POINTS /* ... only at an EVENT_LIN of their thread, whoever does it (section 3.3), and once */
};

/* `threads` of them, each with at most one operation open; thread i is the spec's process i. The spec has its values
 * set. Everything is owned by mem. bound: calls that might take the specification's state beyond this many elements are
 * not made (specset_may_call); -1 for none. */
struct specsets *specsets_new(struct mem *, const struct spec *, unsigned threads, enum specset_mode, int64_t bound);
/* The same sets for another thread of the program: what one has computed all have. Each works with a view of its own,
 * and running out of memory goes to the guard of the mem it was made with. The sets live as long as the first one's
 * mem. */
struct specsets *specsets_share(struct specsets *, struct mem *);

/* The number of a call: operation (of the spec) and arguments. The same gives the same. There are at most 65535 of
 * calls and results together; more are more than the memory limit allows. */
uint16_t specset_call(struct specsets *, const struct op *call);
struct op specset_op(struct specsets *, uint16_t call); /* which one that is */

uint32_t specset_initial(struct specsets *);
/* After the event; 0 if the specification cannot do it. */
uint32_t specset_step(struct specsets *, uint32_t set, struct event);
/* Did an operation somewhere have a result that cannot be told (an integer or a text in no table of values)? A return
 * then never matches it: an empty set does not show a violation. */
bool specsets_blurred(struct specsets *);

/* Can threads be renamed? Not where the spec's states name processes and it has no `rename`: there no symmetry may be
 * used. */
bool specsets_symmetric(const struct specsets *);
/* With the threads renamed: the new set's thread i is the old one's thread from[i]. */
uint32_t specset_permute(struct specsets *, uint32_t set, const uint8_t *from);
void specset_expect(const struct specsets *,
                    uint32_t set); /* something will be asked of it soon: asks for the memory */
/* Ranks of the threads in a set: rank[i] < rank[j] only by what the threads may have done, not by their numbers:
 * renaming the threads renames the ranks. Equal ranks are threads that are alike as far as counting tells. The array
 * lives as long as the sets. */
const uint8_t *specset_ranks(struct specsets *, uint32_t set);
/* Do threads i and j play the same part: does exchanging them give the same set? Memoised. */
bool specset_alike(struct specsets *, uint32_t set, unsigned i, unsigned j);

/* Whether every configuration of `inner` is one of `outer`, closed: what outer cannot do inner cannot. Memoised. */
bool specset_within(struct specsets *, uint32_t inner, uint32_t outer);
void specset_expect_within(const struct specsets *, uint32_t inner,
                           uint32_t outer); /* asks for the memory of the memo */

/* May the client make this call without the specification's state growing past the bound in any configuration, as it is
 * or once open operations have linearized? And is it
 * one that the specification may let the thread make: no release of what it has not acquired (spec.h, alone)? Memoised.
 * Always true without a bound, and of a call that makes nothing grow, where threads hold nothing. */
bool specset_may_call(struct specsets *, uint32_t set, unsigned thread, uint16_t call);
/* After the event, a call; or CALL_REFUSED, if the client may not make it. */
#define CALL_REFUSED (UINT32_MAX - 1)
uint32_t specset_made_call(struct specsets *, uint32_t set, struct event);

/* Is an operation open, and does every configuration let an open one return, now or once it has taken effect? Not where
 * the specification has them wait, as a lock that is taken. Memoised. */
bool specset_owes(struct specsets *, uint32_t set);
/* The specification is the object itself, one operation at a time: where it waits, that is no leave to wait. */
void specsets_never_wait(struct specsets *);

/* For a checkpoint (saved.h): all there is, and back, with the numbers it had. They are read into new ones of the same
 * specification, that know the same calls. */
struct saving;
struct loading;
void specsets_save(struct specsets *, struct saving *);
bool specsets_load(struct specsets *, struct loading *);

/* How many sets there are, the minimal and the closed configurations of one, for reports and tests. */
uint32_t specsets_count(struct specsets *);
size_t specset_size(struct specsets *, uint32_t set);
size_t specset_closed_size(struct specsets *, uint32_t set);
void specset_print(struct specsets *, uint32_t set, struct text *);

#endif
