/* Bytes in: a file, a pipe or standard input, decompressed on the way, with the place for messages.
 *
 * The unread bytes are one piece of memory, [at, end), followed by a NUL that is not of the input: scanning loops
 * stop there and ask for more, and need no other test for the end. At least 8 bytes after `end` are readable. */
#ifndef ASIF_HISTORY_INPUT_H
#define ASIF_HISTORY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct source;

struct input {
  struct mem *mem;
  const char *name;      /* file name for messages, "<stdin>" for standard input */
  char *at;              /* unread bytes ... */
  char *end;             /* ... up to here; input_fill gets more */
  char *begin;           /* start of the buffer */
  size_t room;           /* its size */
  size_t chunk;          /* bytes asked for at a time; tests make it small */
  uint64_t base;         /* offset of `begin` in the input */
  uint64_t line;         /* of the place reached, from 1; 0 before anything was read */
  uint64_t line_at;      /* offset where that line starts */
  struct source *source; /* file and decompressor; NULL for a window on another input */
  bool ended;            /* nothing follows `end` */
  bool failed;           /* reading failed; the problem says why */
  struct problem problem;
  const struct mapping *mapping; /* for format_mapped */
};

bool input_open(struct input *, struct mem *, const char *path, struct problem *);
void input_from_bytes(struct input *, struct mem *, const char *name, const char *bytes, size_t count);
void input_close(struct input *);

/* Makes at least `want` unread bytes available, or all there are; returns how many. Pointers into the buffer are no
 * longer valid afterwards: unread bytes may move. More than INPUT_LINE_MAX is refused, so memory stays bounded. */
size_t input_fill(struct input *, size_t want);
#define INPUT_LINE_MAX (1u << 24)

/* The next line, without its newline, NUL-terminated in place, valid until the next call; NULL at the end. */
char *input_line(struct input *, size_t *len);

/* Sets the problem to "name:line:column: ..." for a place in the buffer, on the line reached; returns false. */
bool input_problem(const struct input *, const char *place, struct problem *, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At the end of a reader: false, with the problem, if the input ended because reading it failed. */
bool input_whole(const struct input *, struct problem *);

/* How a byte is named in messages: 'x', or "byte 0x00". */
struct byte_name {
  char text[12];
};
struct byte_name byte_name(char);

#endif
