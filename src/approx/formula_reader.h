/* The formula reader, between its tokens (formula_tokens.c) and its grammar (formula_parse.c). */
#ifndef ASIF_APPROX_FORMULA_READER_H
#define ASIF_APPROX_FORMULA_READER_H

#include "approx/formula.h"

enum token { TOKEN_END, TOKEN_NAME, TOKEN_INT, TOKEN_TEXT, TOKEN_SIGN };

struct reader {
  struct mem *mem;
  struct formula *f;
  struct problem *problem;
  bool failed;
  const char *at, *end; /* after the current token */
  uint32_t line;
  const char *line_start;
  /* the current token */
  enum token token;
  const char *chars;
  size_t length;
  int64_t number;
  uint32_t token_line, token_col;
  /* the definition or violation that is being read */
  struct variable *variables;
  uint32_t vars;
  struct {
    const char *name;
    uint8_t var;
  } scope[FORMULA_VARS];
  uint32_t scope_count;
  unsigned depth, definitions_deep;
  uint64_t size; /* of it: nodes, with those of definitions */
};

/* Only the first problem counts; after it there are no more tokens. */
void reader_fail(struct reader *, uint32_t line, uint32_t col, const char *, ...) __attribute__((format(printf, 4, 5)));
#define fail_here(r, ...)    reader_fail((r), (r)->token_line, (r)->token_col, __VA_ARGS__)
#define fail_node(r, n, ...) reader_fail((r), (n)->line, (n)->col, __VA_ARGS__)

void reader_next(struct reader *);
bool reader_is(const struct reader *, const char *); /* a word or a sign */
bool reader_accept(struct reader *, const char *);   /* if it is this one, goes on */
void reader_expect(struct reader *, const char *, const char *where);

#endif
