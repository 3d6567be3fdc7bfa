/* What the line formats share: lines, names with cached indices, values, and places in messages. */
#ifndef ASIF_HISTORY_LINES_H
#define ASIF_HISTORY_LINES_H

#include <string.h>

#include "history/history.h"
#include "history/input.h"
#include "history/scan.h"

/* Names up to 8 bytes, the usual ones, found by one comparison of a 64-bit word: their bytes, the first lowest. */
struct name_cache {
  struct names *names;
  struct {
    uint64_t key; /* the bytes of the name; 0 for a free slot */
    uint32_t index;
  } slot[256];
};

struct lines {
  struct input *in;
  struct history *h;
  struct problem *problem;
  char *at, *end;      /* the current line; *end is 0 */
  struct input window; /* the rest of the line, for the scanner */
  struct scan scan;
  struct name_cache objects, methods, processes;
};

void lines_open(struct lines *, struct input *, struct history *, struct problem *);
bool lines_next(struct lines *); /* false at the end, or if reading failed: see input_whole */

/* For guessing the format of n bytes: the first line that is neither empty nor a comment, from its first visible byte
 * to before e. */
bool first_line(const char **s, size_t n, const char **e);

/* Each starts at *p, which it moves on. */
bool lines_value(struct lines *, char **p, value *);
bool lines_name(struct lines *, char **p, const char *what, struct name_cache *, uint32_t *index);
bool lines_arguments(struct lines *, char **p, value *args, int *count); /* up to ')' */

bool lines_bad(struct lines *, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool lines_bad_process(struct lines *, const char *place, uint32_t process,
                       const char *why); /* NULL: nothing is wrong */

/* The object's type, from a comment "# @object atomic-stack" or "# stack"; p is after the '#'. */
void lines_object_type(struct lines *, const char *p);
/* The object of a format that names none. */
uint32_t lines_only_object(struct lines *);

static inline uint64_t load8(const char *p) {
  uint64_t x;
  memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  return x;
}

static inline size_t name_slot(uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 56; }

uint32_t name_cached(struct name_cache *, const char *, size_t len); /* 8 bytes must be readable */

static inline char *skip_blanks(char *p) {
  while (*p == ' ' || *p == '\t') p++;
  return p;
}

static inline char *word_end(char *p) {
  while (!scan_delimiter(*p)) p++;
  return p;
}

#endif
