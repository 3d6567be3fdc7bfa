/* A file of numbers and blocks of bytes, written whole or not at all, with a sum at the end that tells whether it was. */
#ifndef ASIF_VERIFY_SAVED_H
#define ASIF_VERIFY_SAVED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* Writing takes no memory but the stream's: it may be memory that ran out. What cannot be written is noted, and told at the end. */
struct saving {
  FILE *file;
  uint64_t sum;
  int failed; /* errno of the first failure */
  char path[4096], temporary[4096 + 8];
};

bool save_open(struct saving *, const char *path, struct problem *);
void save_number(struct saving *, uint64_t);
void save_block(struct saving *, const void *, size_t size); /* its size first */
/* Only now it is where it was to be. False with the problem: what was there before still is. */
bool save_close(struct saving *, struct problem *);

/* What is read may be anything: after a failure numbers are 0 and blocks empty. */
struct loading {
  FILE *file;
  uint64_t sum;
  bool failed;
  const char *path;
};

bool load_open(struct loading *, const char *path, struct problem *);
uint64_t load_number(struct loading *);
uint32_t load_block(struct loading *, void *, size_t most);
void load_fail(struct loading *);
static inline bool load_good(const struct loading *in) { return !in->failed; }
/* Was all of it good, and is this its end? */
bool load_end(struct loading *, struct problem *);
void load_close(struct loading *);

#endif
