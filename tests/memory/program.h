/* Programs for the differential test of races: shared by the image and the test. */
#ifndef ASIF_TESTS_PROGRAM_H
#define ASIF_TESTS_PROGRAM_H

#include <stdint.h>

enum { PLACES = 2, PROGRAM_THREADS = 3, PROGRAM_LENGTH = 5 };
enum { READ, WRITE, LOAD, STORE, ADD, EXCHANGE, FENCE, KINDS };
enum { ORDER_relaxed, ORDER_acquire, ORDER_release, ORDER_acq_rel, ORDER_seq_cst, ORDERS_ALL };

struct instruction {
  uint8_t kind, order, place, half, value;
  uint8_t wide, narrow; /* of plain accesses: both halves; one byte */
};
struct logged {
  uint8_t thread, index, wrote;
};
struct program {
  int length[PROGRAM_THREADS];
  struct instruction code[PROGRAM_THREADS][PROGRAM_LENGTH];
  int at[PROGRAM_THREADS]; /* what each is at */
  int newest;              /* who came there last */
  int logged;
  struct logged log[PROGRAM_THREADS * PROGRAM_LENGTH]; /* what was done, in order */
};

#endif
