/* What the files of the countings share: see counted.h. Everything here is used under the lock. */
#ifndef ASIF_VERIFY_COUNTED_PARTS_H
#define ASIF_VERIFY_COUNTED_PARTS_H

#include <pthread.h>

#include "verify/counted.h"
#include "verify/linearize.h"

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

/* A completed operation: what was called, what came back, and where the specification asks for it by whom. */
struct counted_label {
  uint16_t call, done; /* statuses of the linearizer */
  uint8_t process;     /* 0 unless spec.by_process */
};

/* So many operations with this label and interval. */
struct counted_entry {
  uint16_t label, count;
  uint8_t from, to;
};

/* One counting, being read or made. */
struct counting_state {
  uint8_t length;  /* of A_k of the history: at most k */
  bool returned;   /* the last event was a return */
  uint16_t open[THREADS_MOST]; /* call of the thread's open operation, a status; or IDLE */
  uint8_t from[THREADS_MOST];  /* in which interval it began */
  VEC(struct counted_entry) entries; /* sorted, a label and interval once */
};

/* Operations that differ in nothing the decision can see. */
struct counted_group {
  uint16_t call, done; /* done is IDLE: pending, with any result, or none */
  uint16_t count;
  uint8_t process, from, to, zero;
};

/* Decides countings (counted_decide.c). */
struct decider {
  struct mem *mem;
  struct linearizer *lin;
  unsigned k;
  VEC(struct counted_group) groups;
  VEC(unsigned char) bytes; /* configurations: a state, and how many of each group are left */
  VEC(uint32_t) waiting;    /* configurations to go on from */
  uint32_t *slots, mask;    /* configuration + 1 */
  size_t width;             /* of a configuration */
  unsigned char *next;
  struct byte_table keys; /* what was decided, by its groups */
  VEC(uint8_t) allowed;
};

struct counted_shared {
  struct memo answers; /* counting and question */
  struct memo renamed; /* counting and permutation */
  pthread_mutex_t lock;
  struct mem *mem; /* guarded anew whenever the lock is taken */
  struct linearizer lin;
  struct specsets *calls;
  unsigned threads, k;
  int64_t bound;
  bool forgets;
  struct byte_table table; /* number 0 is the violation */
  VEC(struct counted_label) labels;
  struct memo label_memo;
  struct decider decider;
  struct counting_state now;
  VEC(uint16_t) packed;
  uint32_t initial;
};

void decider_open(struct decider *, struct mem *, struct linearizer *, unsigned k);
/* The operations of a counting, as groups. */
void decider_take(struct decider *, const struct counting_state *, const struct counted_label *, unsigned threads);
/* Is there an order of them that the specification allows? Memoised by the groups. */
bool decider_allowed(struct decider *);
/* The most elements the specification may have after them, pending ones as it may be. */
uint32_t decider_most_elements(struct decider *);

#endif
