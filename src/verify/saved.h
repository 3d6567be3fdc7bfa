/* A file of numbers and blocks of bytes, written whole or not at all, with a sum at the end that tells whether it still
 * is. */
#ifndef ASIF_VERIFY_SAVED_H
#define ASIF_VERIFY_SAVED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

enum { SAVED_BLOCK = 1 << 16 };

/* Writing takes no memory but this: it may be memory that ran out. What cannot be written is noted, and told at the
 * end. */
struct saving {
  int fd;
  int failed; /* errno of the first failure */
  uint64_t sum;
  size_t count; /* bytes waiting in the block */
  unsigned char block[SAVED_BLOCK];
  const char *given; /* the path, as the user knows it */
  char path[4096], temporary[4096 + 8];
};

bool save_open(struct saving *, const char *path, struct problem *);
void save_number(struct saving *, uint64_t);
void save_block(struct saving *, const void *, size_t size); /* its size first */
/* Only now it is where it was to be. False with the problem: what was there before still is. */
bool save_close(struct saving *, struct problem *);

/* The sum is looked at before anything else, so that what is read is what was once written. After a failure all the
 * same, numbers are 0 and blocks empty. */
struct loading {
  FILE *file;
  bool failed;
};

bool load_open(struct loading *, const char *path, struct problem *);
uint64_t load_number(struct loading *);
uint32_t load_block(struct loading *, void *, size_t most);
void load_fail(struct loading *);
static inline bool load_good(const struct loading *in) { return !in->failed; }
void load_close(struct loading *);

#endif
