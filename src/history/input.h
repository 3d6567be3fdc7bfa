/* Bytes in: a file, a pipe or standard input, decompressed on the way, with the place for messages. */
#ifndef ASIF_HISTORY_INPUT_H
#define ASIF_HISTORY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct input {
  struct mem *mem;
  const char *name;  /* file name for messages, "<stdin>" for standard input */
  const char *at;    /* unread bytes ... */
  const char *end;   /* ... up to here; input_fill gets more */
  uint64_t line;     /* of `at`, from 1 */
  const char *begin; /* start of the buffer */
  void *source;      /* file and decompressor */
  bool ended;        /* nothing follows `end` */
  bool failed;       /* reading failed; the problem says why */
  struct problem problem;
};

bool input_open(struct input *, struct mem *, const char *path, struct problem *);
void input_from_bytes(struct input *, struct mem *, const char *name, const char *bytes, size_t count);
void input_close(struct input *);
/* Makes at least `want` unread bytes available, or all there are. Keeps [keep, end) contiguous; pointers into the
 * buffer are moved. Returns the number of unread bytes. */
size_t input_fill(struct input *, size_t want);
/* The next line without its newline, valid until the next call; NULL at the end. Lines over LINE_MAX_BYTES fail. */
const char *input_line(struct input *, size_t *len);
#define INPUT_LINE_MAX (1u << 24)

#endif
