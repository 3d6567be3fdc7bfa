/* Weak memory inside the runtime: what the hooks and the threads library call (weak.c), and the axioms (axioms.c). */
#ifndef ASIF_RUN_WEAK_H
#define ASIF_RUN_WEAK_H

#include "run/graph.h"
#include "run/runtime.h"

#pragma GCC visibility push(hidden)

extern bool weak_on;
void weak_open(enum memory_model);
void weak_reset(void);

/* An access that was just begun, of the fiber that runs. What it reads: */
struct accessed_value weak_read(uintptr_t at, uint32_t size, int order, uintptr_t pc);
/* The same of one that may write: `failed` is its order if what it reads is not `expected`; NULL: it writes anyway. */
struct accessed_value weak_update(uintptr_t at, uint32_t size, int order, int failed,
                                  const struct accessed_value *expected, uintptr_t pc);
void weak_updates(struct accessed_value); /* and then it does write this */
void weak_write(uintptr_t at, uint32_t size, struct accessed_value, int order, uintptr_t pc);
void weak_fence(int order);
uint32_t weak_slot(void);                       /* the last one of the fiber that runs; or GRAPH_NONE */
void weak_event(enum slot_kind, uint32_t call); /* SLOT_SYNC, SLOT_CALL, SLOT_RETURN */
void weak_forget(uintptr_t at, size_t size);    /* it was written plainly, or is allocated again */
uint64_t weak_view(void);                       /* a hash of what the fiber that runs may read */
/* The state of the fiber that runs, in a loop, is kept to be compared with; it has come back to it, and spins. */
enum weak_round { ROUND_SPINS, ROUND_POLLS, ROUND_PLAIN, ROUNDS };
void weak_round(enum weak_round);
void weak_spins(enum weak_round);
bool weak_lags(void); /* somebody who waits in a loop could read something newer */
/* Not under these models: the run ends. */
_Noreturn void weak_cannot(const char *what, uintptr_t pc);
/* Is it an access of the client's threads? */
static inline bool weak_here(void) { return UNLIKELY(weak_on) && current && current->id != FIBER_MAIN && !in_sequence; }

/* Orders that are not those of the code (sites.c). */
extern bool sites_on;
struct site_orders {
  int order, failed;
  int fence; /* after it; relaxed: none */
};
struct site_orders site_begin(enum site_kind, int order, int failed, uintptr_t pc); /* before the access is begun */
void site_end(struct site_orders);                                                  /* after it was made */
void site_failed(uintptr_t pc); /* a compare-and-exchange that did not exchange */

/* The axioms (axioms.c), of the slots there are. */
enum { GRAPH_SLOTS = 4096, GRAPH_WORDS = GRAPH_SLOTS / 64 };
typedef uint64_t graph_row[GRAPH_WORDS];
extern struct graph_slot *const graph_slots;
extern struct graph_message *graph_messages;
extern struct graph_place *graph_places;
extern size_t graph_count;
extern uint32_t graph_place_count;
struct graph_clock {
  uint32_t of[FIBERS_MOST];
};
extern struct graph_clock *const graph_known; /* of each slot */
extern graph_row *const graph_before;         /* of each slot: those that happen before it */
extern graph_row *const graph_after;
extern graph_row graph_of_fiber[FIBERS_MOST];
extern uint32_t graph_sc[GRAPH_SLOTS]; /* the slots that are sequentially consistent */
extern size_t graph_sc_count;
void graph_rows(void);     /* sets up graph_before and graph_after for all */
void graph_rows_cut(void); /* the last slot is taken back */
/* Is there a cycle that the slots from `first` on are in? */
bool graph_forbids(size_t first);
bool graph_has_axioms(void);                                   /* those that forbid more than coherence does */
bool graph_satisfies(const struct graph_edge *, size_t count); /* those alone, with edges that synchronise */
/* In the order of the slot's place: a write's position, twice; a read is after what it reads. */
static inline uint32_t graph_rank(uint32_t slot) {
  const struct graph_slot *s = &graph_slots[slot];
  return 2 * graph_messages[s->message].position + (s->kind == SLOT_READ);
}

#pragma GCC visibility pop
#endif
