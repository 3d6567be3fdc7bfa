/* Statements of assembly written by hand, rewritten so that every access to memory has a hook (x86-64).
 *
 * src/run/assembly.c has the functions that are called then. */
#ifndef ASIF_TEST_ANNOUNCE_H
#define ASIF_TEST_ANNOUNCE_H

#include "test/assembly.h"

struct announcing {
  struct text *out;
  struct assembly *assembly; /* the syntax, and whether there are macros */
  bool red_zone;             /* the function may keep something below its stack pointer */
  unsigned vectors;          /* the vector registers that it may use: ANNOUNCED_XMM, ANNOUNCED_VECTORS */
  unsigned *labels;          /* numbers them */
  bool any;                  /* something in the statement is announced */
  bool used;                 /* ... in the file */
  char why[80];              /* the instruction that cannot be */
  char prefix[40];
  struct text line;
};
/* Puts the lines of a statement into `out`. False: there is something that cannot be rewritten; what was put into `out`
 * is of no use. */
bool announce(struct announcing *, const char *text, size_t length);
/* At the end of a file: what the rewritten statements need. */
void announce_end(const struct announcing *, struct text *out);

#endif
