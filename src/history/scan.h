/* The scanner that EDN, JSON and the line formats share: from bytes to values, streaming, without a tree.
 *
 * It works in place on a struct input. A token stays contiguous there; tokens and the text of strings are valid until
 * the next call. */
#ifndef ASIF_HISTORY_SCAN_H
#define ASIF_HISTORY_SCAN_H

#include <string.h>

#include "history/history.h"
#include "history/input.h"

enum scan_syntax {
  SCAN_PLAIN, /* values as value_print writes them */
  SCAN_EDN,
  SCAN_JSON
};

enum token { TOKEN_INT, TOKEN_WORD, TOKEN_KEYWORD, TOKEN_STRING };

enum { SCAN_END = -1, SCAN_BAD = -2 }; /* from scan_peek */
enum { SCAN_DEPTH = 200 };             /* of nested lists; deeper ones are refused */

struct scan {
  struct input *in;
  struct values *values;
  struct problem *problem;
  enum scan_syntax syntax;
  unsigned char ends; /* bits of scan_ends */
  bool none;          /* a result is being read, which may be none at all: ":none" */
  int depth;
  struct text scratch; /* a string whose escapes were taken out */
  VEC(value) items;    /* of the lists being read, innermost last */
};

void scan_open(struct scan *, struct input *, struct values *, enum scan_syntax, struct problem *);

/* Skips blanks and comments. Returns the byte that follows, which in->at then points to, or SCAN_END or SCAN_BAD. */
int scan_peek(struct scan *);
/* An atom at in->at: a number, word, keyword (without its colon) or string. */
bool scan_token(struct scan *, enum token *, const char **chars, size_t *len);
bool scan_value(struct scan *, value *);
bool scan_skip(struct scan *); /* a value of no interest */
/* After '{' or '[' was read at the place (line, column): true and *closed if the closing bracket is next. */
bool scan_closed(struct scan *, char bracket, uint64_t line, uint64_t column, bool *closed);
uint64_t scan_column(const struct scan *); /* of in->at */

/* What ends a word: always, in JSON, in EDN. */
enum { ENDS = 1, ENDS_JSON = 2, ENDS_EDN = 4 };
extern const unsigned char scan_ends[256];

static inline bool scan_delimiter(char c) { return scan_ends[(unsigned char)c] & ENDS; }

static inline bool word_is(const char *s, size_t len, const char *word) {
  return strlen(word) == len && !memcmp(s, word, strlen(word)); /* of a constant length, so without a call */
}

/* The integer spelled by all of these bytes; false if it is none, or beyond 64 bits. */
bool scan_integer(const char *, size_t len, int64_t *);

/* The name of a value that is spelled ":empty" or the like in EDN and JSON; NULL if it is an ordinary one. */
const char *scan_special_name(value);

#endif
