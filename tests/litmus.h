/* Litmus programs: small programs whose consistent executions under a memory model are enumerated by brute force from
 * the model's axioms. The reference for `asif test --memory` and `asif verify --memory`; it shares no code with them.
 *
 * A program in text: threads separated by "|", steps by ";". Spaces are free. A location is one lower-case letter
 * other than r and is 0 at first.
 *
 *   x.acq            load
 *   x=1.rel          store; a store of r stores what the thread read last (0 before it has read)
 *   x+1.ar           fetch-and-add
 *   x!3.ar           exchange
 *   x?0>1.ar         compare-and-exchange from 0 to 1; a failure has the order that C derives
 *   x?0>1.sc.rlx     the same with the order of a failure
 *   F.sc             fence
 *   if 1: STEP       the step is made if what the thread read last is 1
 *   if !1: STEP      if it is not 1
 *
 * Orders: rlx, acq, rel, ar (acq_rel), sc (seq_cst). Message passing is "x=1.rlx; y=1.rel | y.acq; if 1: x.rlx". */
#ifndef ASIF_TESTS_LITMUS_H
#define ASIF_TESTS_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory_model.h"

enum { LITMUS_THREADS = 5, LITMUS_STEPS = 6 /* of a thread */, LITMUS_LOCATIONS = 4, LITMUS_TEXT = 512 };

enum litmus_order { LITMUS_RLX, LITMUS_ACQ, LITMUS_REL, LITMUS_AR, LITMUS_SC };
enum litmus_kind { LITMUS_LOAD, LITMUS_STORE, LITMUS_ADD, LITMUS_EXCHANGE, LITMUS_COMPARE, LITMUS_FENCE };
enum litmus_condition { LITMUS_ALWAYS, LITMUS_IF, LITMUS_UNLESS };

struct litmus_step {
  uint8_t kind;      /* enum litmus_kind */
  uint8_t order;     /* enum litmus_order; of a compare-and-exchange that succeeds */
  uint8_t failure;   /* of one that fails */
  uint8_t location;  /* its index; 0 for fences */
  bool of_read;      /* it stores what the thread read last, not value */
  uint8_t condition; /* enum litmus_condition */
  int16_t value;     /* stored, exchanged or added */
  int16_t expected;
  int16_t condition_value;
};
struct litmus_program {
  unsigned threads, locations;
  char names[LITMUS_LOCATIONS + 1]; /* of the locations, in alphabetical order */
  unsigned length[LITMUS_THREADS];
  struct litmus_step steps[LITMUS_THREADS][LITMUS_STEPS];
};

/* False: why says what is wrong, and in which column. */
bool litmus_parse(struct litmus_program *, const char *text, char why[200]);
void litmus_print(const struct litmus_program *, char text[LITMUS_TEXT]); /* litmus_parse reads the same program */

struct litmus_shape {
  unsigned threads;    /* 2 or more, at most */
  unsigned steps;      /* of all threads together, at most */
  unsigned locations;  /* at most */
  bool register_steps; /* also stores of r and conditions */
};
void litmus_random(struct litmus_program *, uint64_t *seed, const struct litmus_shape *);

/* One execution: program order, reads-from and modification order, in a canonical form. Two executions of a program are
 * the same iff their bytes are: what a member does not apply to is 0. A compare-and-exchange that fails is a
 * LITMUS_READ, any other read-modify-write one LITMUS_UPDATE. Steps whose condition is false make no event. */
enum litmus_event_kind { LITMUS_READ = 1, LITMUS_WRITE, LITMUS_UPDATE, LITMUS_BARRIER };
struct litmus_event {
  uint8_t kind;       /* enum litmus_event_kind */
  uint8_t step;       /* of its thread */
  uint8_t from;       /* of a read or an update: 1 + the thread that wrote the value, 0 for the initial value */
  uint8_t from_index; /* the event of that thread, counted from 0 */
  uint8_t position;   /* of a write or an update in modification order; the initial value has 0 */
  uint8_t location;
  int16_t read, written;
};
struct litmus_execution {
  uint8_t count[LITMUS_THREADS]; /* events of each thread */
  struct litmus_event events[LITMUS_THREADS][LITMUS_STEPS];
};
struct litmus_executions {
  struct litmus_execution *at; /* sorted by litmus_compare */
  size_t count;
};

/* All executions of a program that a model allows, each once. MEMORY_TSO takes the program as compiled for x86: stores
 * that are seq_cst are exchanges; these, the other read-modify-writes (a compare-and-exchange that fails too) and
 * fences that are seq_cst order all before them with all after them; other fences do nothing. litmus_free frees them.
 */
struct litmus_executions litmus_executions(const struct litmus_program *, enum memory_model);
/* The same, slowly: consistency is asked only of whole executions. */
struct litmus_executions litmus_executions_whole(const struct litmus_program *, enum memory_model);
void litmus_free(struct litmus_executions *);
/* True if the model allows this execution of the program: the axioms alone, without the enumeration. It must be in
 * canonical form, with values as they come out of the program. */
bool litmus_allows(const struct litmus_program *, const struct litmus_execution *, enum memory_model);

/* Is a release sequence continued by later writes of its thread, as in C11? Else as in C++20. */
extern bool litmus_c11_sequences;

int litmus_compare(const void *, const void *); /* executions, for qsort and bsearch */
/* As "0: x=1 #1; y(0)<init | 1: F; y 0>1 #1 <init": what was written, its position after #, what was read and where
 * from (thread.event). */
void litmus_print_execution(const struct litmus_program *, const struct litmus_execution *, char text[LITMUS_TEXT * 2]);

/* What can be seen of an execution: the values that each thread read, in its order, and the final values. */
struct litmus_outcome {
  uint8_t count[LITMUS_THREADS]; /* values read */
  int16_t read[LITMUS_THREADS][LITMUS_STEPS];
  int16_t final[LITMUS_LOCATIONS];
};
struct litmus_outcomes {
  struct litmus_outcome *at; /* sorted by memcmp, each once; to be freed */
  size_t count;
};
void litmus_outcome(const struct litmus_program *, const struct litmus_execution *, struct litmus_outcome *);
struct litmus_outcomes litmus_outcomes(const struct litmus_program *, const struct litmus_executions *);
void litmus_print_outcome(const struct litmus_program *, const struct litmus_outcome *, char text[LITMUS_TEXT]);

#endif
