/* In the place of run_execute: small random programs of threads over shared memory, interpreted, with the same contract
 * (src/run/run.h). */
#ifndef ASIF_TESTS_MOCK_RUN_H
#define ASIF_TESTS_MOCK_RUN_H

#include "run/run.h"

enum {
  MOCK_THREADS = 5,
  MOCK_CALLS = 6 /* of a thread, at most */,
  MOCK_LENGTH = 24,
  MOCK_CELLS = 6,
  MOCK_LOCKS = 2,
  MOCK_BLOCKS = 16
};

enum mock_op {
  MOCK_READ, /* cell a; its value is kept */
  MOCK_WRITE,
  MOCK_CAS, /* cell a: from the kept value to b */
  MOCK_CAS_FROM_ZERO,
  MOCK_ADD,
  MOCK_READ_BOTH, /* of a word with two cells */
  MOCK_WRITE_BOTH,
  MOCK_OWN, /* writes a cell of the thread's own */
  MOCK_LOCK,
  MOCK_TRY,    /* keeps whether it got it */
  MOCK_UNLOCK, /* if it holds it */
  MOCK_POST,   /* a semaphore */
  MOCK_TAKE,
  MOCK_SPIN,     /* reads cell a until it is b */
  MOCK_SPIN_TWO, /* reads cells a and b until one of them is not 0 */
  MOCK_ALLOC,    /* keeps the block */
  MOCK_FREE,     /* the block kept last; nothing if there is none */
  MOCK_USE,      /* writes into a block that may be freed: a finding */
  MOCK_YIELD,
  MOCK_BLOCK, /* several accesses in one step: b says which, enum mock_block */
  MOCK_START, /* thread a */
  MOCK_JOIN,
  MOCK_ASSERT, /* a finding if the kept value is b */
  MOCK_REFUSE, /* RUN_CANNOT if the kept value is b */
  MOCK_SKIP,   /* the next b if the kept value is a */
  MOCK_CALL,   /* an operation begins; an operation ends */
  MOCK_RETURN
};
/* What an ASIF_ATOMIC block does; c is the cell a, d the next one. */
enum mock_block {
  MOCK_BLOCK_UNKNOWN,  /* adds to all cells, and does not say so */
  MOCK_BLOCK_ALL,      /* adds to all cells */
  MOCK_BLOCK_READ,     /* keeps c and d */
  MOCK_BLOCK_MOVE,     /* if c is not 0, one from c to d */
  MOCK_BLOCK_INDIRECT, /* adds to the cell whose number is in c */
  MOCK_BLOCK_COMPARE,  /* if c is the kept value, and so is d + 1: adds to both */
  MOCK_BLOCK_IF,       /* if c is 0 keeps d, otherwise writes the last cell */
  MOCK_BLOCK_NOTHING,  /* accesses nothing */
  MOCK_BLOCK_TRY,      /* adds to c if lock 0 is free */
  MOCK_BLOCK_ALLOC,    /* allocates if c is 0 */
  MOCK_BLOCK_FREE,     /* frees its block if c is not 0, and adds to d */
  MOCK_BLOCK_KINDS
};
struct mock_instruction {
  uint8_t op, a, b;
};
struct mock_program {
  unsigned threads; /* of the client */
  unsigned all;     /* and those that are created */
  bool any_write;   /* what spins can go on after any write, as in the runtime; else after one of what it reads */
  unsigned cell;    /* bytes of a cell */
  unsigned length[MOCK_THREADS];
  struct mock_instruction code[MOCK_THREADS][MOCK_LENGTH];
};
enum mock_features {
  MOCK_WITH_LOCKS = 1,
  MOCK_WITH_SPINS = 2,
  MOCK_WITH_HEAP = 4,
  MOCK_WITH_CALLS = 8,
  MOCK_WITH_BLOCKS = 16,
  MOCK_WITH_THREADS = 32,
  MOCK_WITH_FINDINGS = 64,
  MOCK_WITH_YIELDS = 128,
  MOCK_WITH_ALL = 255,
  MOCK_WITH_PARTS = 256, /* cells are parts of words */
  MOCK_ALIKE = 1024,     /* some threads do the same as others */
  MOCK_LARGE = 512       /* more threads and memory */
};
void mock_random(struct mock_program *, uint64_t *random, unsigned features, unsigned most_steps);
void mock_print(const struct mock_program *);
unsigned mock_like(const struct mock_program *, unsigned thread); /* the first thread that does the same */
void mock_use(const struct mock_program *);                       /* what mock_execute runs from now on */
const struct client *mock_client(void);
const struct run *mock_execute(const struct client *, const struct plan *, struct problem *);
extern uint64_t mock_runs;

#endif
