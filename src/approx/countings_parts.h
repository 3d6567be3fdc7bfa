/* What the files of the countings share: see countings.h. */
#ifndef ASIF_APPROX_COUNTINGS_PARTS_H
#define ASIF_APPROX_COUNTINGS_PARTS_H

#include "approx/countings.h"
#include "spec/states.h"

/* Equal bytes have one number. */
struct interned_bytes {
  const unsigned char *at;
  uint32_t size, hash;
};
struct byte_table {
  struct mem *mem;
  VEC(struct interned_bytes) list;
  uint32_t *slots, mask; /* number + 1 */
};
void byte_table_open(struct byte_table *, struct mem *);
uint32_t byte_table_number(struct byte_table *, const void *, size_t size);

/* So many completed operations with this label and interval. */
struct counting_entry {
  uint16_t label, count;
  uint8_t from, to;
  bool late; /* for the decision: see there */
};

/* One counting, being read or made. */
struct counting {
  uint8_t length;                          /* of A_k of the history: at most k */
  bool returned;                           /* the last event was a return */
  uint16_t open[COUNTINGS_PROCESSES_MOST]; /* label of the process's open operation, or COUNTING_IDLE */
  uint8_t from[COUNTINGS_PROCESSES_MOST];  /* in which interval it began */
  VEC(struct counting_entry) entries;      /* sorted, a label and interval once */
};

/* Operations that differ in nothing the decision can see. */
struct counting_group {
  uint16_t label, count;
  uint8_t from, to, pending;
  uint8_t late; /* better after the others: a value that nobody has taken */
};

/* Decides countings (countings_decide.c). */
struct decider {
  struct mem *mem;
  struct states *states;
  struct successors initial;
  unsigned k;
  VEC(struct counting_group) groups;
  VEC(unsigned char) bytes; /* configurations: a state, and how many of each group are left */
  VEC(uint32_t) waiting;    /* configurations to go on from */
  uint32_t *slots, mask;    /* configuration + 1 */
  size_t width;             /* of a configuration */
  unsigned char *next;
  struct byte_table keys; /* what was decided, by its groups */
  VEC(uint8_t) allowed;
};

void decider_open(struct decider *, struct mem *, struct states *, unsigned k);
/* The operations of a counting, as groups. */
void decider_take(struct decider *, const struct counting *, unsigned processes);
/* Is there an order of them that the specification allows? Memoised by the groups. */
bool decider_allowed(struct decider *);
/* The most elements the specification may have after them, pending ones as it may be. */
uint32_t decider_elements(struct decider *, const struct spec *);

#endif
