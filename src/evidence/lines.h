/* The lines of an evidence file, each "name rest": the one reader that all evidence goes through.
 *
 * A file may come from anybody. Lines are read one at a time, so a count that the file claims reserves nothing; a line
 * with a NUL byte is refused. Messages are "file:line: expected ...". */
#ifndef ASIF_EVIDENCE_LINES_H
#define ASIF_EVIDENCE_LINES_H

#include "history/input.h"

struct evidence_lines {
  struct mem *mem;
  struct input *in;
  struct problem *why;
  char *line; /* the line read ahead, NUL-terminated; NULL: none is */
  size_t length;
  bool ended; /* there are no more */
};

void evidence_lines_open(struct evidence_lines *, struct mem *, struct input *, struct problem *);
/* Sets the problem to "file:line: expected ..." for the last line read; false. */
bool line_unexpected(struct evidence_lines *, const char *expected);

/* The rest of the next line if that is "name rest", taken; otherwise NULL, and the line stays. */
char *line_take(struct evidence_lines *, const char *name);
/* True if the next line is this one, which is taken. */
bool line_is(struct evidence_lines *, const char *line);

/* What must come next; false with the problem if it does not. */
bool line_any(struct evidence_lines *, const char *expected, char **line); /* any line */
bool line_exact(struct evidence_lines *, const char *line);
bool line_text(struct evidence_lines *, const char *name, const char **rest);
bool line_number(struct evidence_lines *, const char *name, uint64_t most, uint64_t *);
bool line_hash(struct evidence_lines *, const char *name, uint64_t *); /* 16 hexadecimal digits */
/* "name COUNT", and as many lines after it. */
typedef VEC(char *) evidence_list;
bool line_list(struct evidence_lines *, const char *name, const char *expected, evidence_list *);
/* Everything up to the end of the file; false if reading fails. */
bool line_rest(struct evidence_lines *, struct text *);

/* A decimal number at *s, which goes past it; false if there is none, or a greater one. */
bool number_at(char **s, uint64_t most, uint64_t *);
bool hash_of(const char *, uint64_t *); /* 16 hexadecimal digits and nothing else */

#endif
