/* The graph of an execution under a weak memory model (weak.c): what each access reads, and in which order the writes
 * of each place are. Valid until the next run.
 *
 * The events are *slots*, in an order that extends po and rf: an atomic update has two, its read and, right after it,
 * its write. */
#ifndef ASIF_RUN_GRAPH_H
#define ASIF_RUN_GRAPH_H

#include "base/memory_model.h"
#include "run/run.h"

enum slot_kind { SLOT_READ, SLOT_WRITE, SLOT_FENCE, SLOT_SYNC, SLOT_CALL, SLOT_RETURN }; /* SYNC: of a lock, a thread */
#define GRAPH_NONE UINT32_MAX
struct graph_slot {
  uint8_t kind, fiber, order; /* order: __ATOMIC_* */
  bool sc, update;
  bool barrier;          /* TSO: nothing passes it */
  uint32_t step;         /* of the run: which it happened with */
  uint32_t number;       /* of its fiber's, from 0 on */
  uint32_t before, next; /* of its fiber; or GRAPH_NONE */
  uint32_t place;        /* of an access; else GRAPH_NONE */
  uint32_t message;      /* read from, or written; of a call or return: of the client's */
  uint32_t same;         /* the slot before it at its place; or GRAPH_NONE */
  uint32_t epoch;        /* its fiber's clock then */
};
/* A write of a place: from there it may be read. */
struct graph_message {
  uint32_t slot; /* GRAPH_NONE: what was there at first, or what a plain write left */
  uint32_t place;
  uint32_t position;     /* in the order of the place's writes, mo */
  uint32_t older, newer; /* the ones beside it there; or GRAPH_NONE */
  bool update;           /* it is of an update: which read the older one, and nothing comes in between */
  uint16_t plain;        /* of one without a slot: how many were at its place before it */
  uint8_t head;          /* whoever reads it and acquires learns what this fiber */
  uint32_t head_epoch;   /* knew then; 0: nothing; of an update: and what the older one has */
  struct accessed_value value;
};
struct graph_place {
  uintptr_t address;
  uint32_t size;
  uint32_t newest, floor; /* messages; floor: who reads comes after this one for sure */
  uint32_t last;          /* its last slot; or GRAPH_NONE */
  uint32_t next;          /* with the same hash */
};
struct graph {
  enum memory_model model;
  const struct graph_slot *slots;
  size_t count;
  const struct graph_message *messages;
  const struct graph_place *places;
};
const struct graph *run_graph(void); /* NULL: memory is sequentially consistent */

/* A number for a message that does not depend on the order in which independent steps were taken. */
uint64_t graph_message_name(uint32_t message);

/* One operation's return comes before another's call: both slots. */
struct graph_edge {
  uint32_t from, to;
};
/* How its operations stand to each other, as sets of operations. */
enum { GRAPH_OPERATIONS = 32 };
struct graph_pair {
  uint8_t from, to; /* the return of the one comes before the call of the other */
};
struct graph_operations {
  unsigned count;
  uint32_t called[GRAPH_OPERATIONS], returned[GRAPH_OPERATIONS]; /* slots; or GRAPH_NONE */
  /* Given these: */
  uint32_t happens[GRAPH_OPERATIONS]; /* those whose return this one's call happens before */
  uint32_t causes[GRAPH_OPERATIONS];  /* the same, with reads-from */
  uint32_t forbids[GRAPH_OPERATIONS]; /* those whose call its return cannot happen before: for coherence */
  bool axioms;                        /* there are others than coherence */
};
void graph_operations(struct graph_operations *);
/* Would the model allow the execution if these synchronised too? As graph_consistent. */
bool graph_allows(const struct graph_operations *, const struct graph_pair *, size_t count);
/* A hash of the graph, however its events came. */
void graph_hash(uint64_t hash[2]);
/* Would the model allow the execution if these synchronised too? */
bool graph_consistent(const struct graph_edge *, size_t count);
/* The same of nothing but the run itself, by the axioms alone: coherence, which the runtime keeps by what it offers,
 * included. */
bool graph_coherent(void);

/* In plan.choose_block, and of a step that reads or writes: is it the choice of a write, and of which (a name, as
 * above)? What is offered is coherent; the axioms may forbid it all the same: run_possible. 0 always is. */
bool run_offers(void);
uint64_t run_offered(unsigned block);
bool run_offered_write(unsigned block); /* of an update: it would write, and not fail */
bool run_possible(unsigned block);
/* The steps that were taken already, and that come later than the current one in the order of the place if this is
 * chosen: at most `most` of those that its step conflicts with. */
size_t run_overtaken(unsigned block, uint32_t *steps, size_t most);
/* Is it older than what that step read or wrote at the same place, and was made before that step? */
bool run_is_older(unsigned block, size_t step);

#endif
