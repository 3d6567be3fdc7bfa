/* Small systems written by hand, for the tests of liveness: a few bytes of state, and a function that lets a thread
 * move. */
#ifndef ASIF_TESTS_TOYS_H
#define ASIF_TESTS_TOYS_H

#include "verify/progress.h"

struct toy_state {
  uint8_t pc[4], local[4], other[4], left[4]; /* by thread; left: operations still to do */
  uint8_t shared[8];
  uint32_t count;
};

typedef enum moved toy_step(struct toy_state *, unsigned thread, struct choices *, struct move *);

struct toy {
  struct system system;
  toy_step *step;
  struct toy_state start;
};

/* operations: how many each thread does; 0: they never stop. */
void toy_make(struct toy *, toy_step *, unsigned threads, unsigned operations);

toy_step toy_spin_lock;      /* a test-and-set lock, spinning */
toy_step toy_mutex;          /* a lock that is waited for */
toy_step toy_ticket_lock;    /* a ticket lock, spinning */
toy_step toy_cas_counter;    /* read, compare and swap, again if it failed */
toy_step toy_reader;         /* reads a register in one step */
toy_step toy_two_locks;      /* thread 0 takes A then B, thread 1 B then A: waiting */
toy_step toy_two_spin_locks; /* ... spinning */
toy_step toy_owner;          /* make yourself the owner; done if you still are */
toy_step toy_stack;          /* Treiber's, with nodes that are used again */
toy_step toy_register; /* a register of three values in three bits: thread 0 writes, the others scan up and down */
toy_step toy_fault;    /* goes wrong in its third step */
toy_step toy_endless;  /* counts without end */
toy_step toy_beside;   /* ... thread 0 does; the others spin */

/* Calls: 0 first(1), 1 first(2), 2 second(). */
extern const struct ltl_names toy_names;

#endif
