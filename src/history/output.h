/* Bytes out: a file made whole or not at all, standard output, compressed on the way by the file's suffix. */
#ifndef ASIF_HISTORY_OUTPUT_H
#define ASIF_HISTORY_OUTPUT_H

#include <stdbool.h>

#include "base/text.h"

struct sink;

struct output {
  struct mem *mem;
  const char *path;
  struct problem *problem;
  struct sink *sink;
};

bool output_open(struct output *, struct mem *, const char *path, struct problem *);
bool output_write(struct output *, const char *, size_t);
/* Ends the file and puts it in its place, if it is good; else leaves what was there before. */
bool output_close(struct output *, bool good);
/* All of the above: what `write` writes, with memory of its own, which there may be none of left elsewhere. */
bool output_whole(const char *path, bool (*write)(struct mem *, struct output *, const void *self, struct problem *),
                  const void *self, struct problem *);

#endif
