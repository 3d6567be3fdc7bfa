/* The tokens of formulas, and what is wrong with them, with the line and a caret. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "approx/formula_reader.h"

/* Problems. */

static void problem_at(const struct formula *f, uint32_t line, uint32_t col, struct problem *problem,
                       const char *format, va_list args) {
  char message[300];
  vsnprintf(message, sizeof message, format, args);
  problem_set(problem, "%.150s:%u:%u: %s", f->source, line, col, message);
  const char *at = f->text, *end = f->text + f->size;
  for (uint32_t n = 1; n < line; n++) at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
  size_t used = strlen(problem->text), length = 0;
  while (at + length < end && at[length] != '\n' && at[length] != '\r') length++;
  if (memchr(at, 0, length) || col > length + 1 || used + length + col + 4 > sizeof problem->text) return;
  char *to = problem->text + used;
  *to++ = '\n';
  memcpy(to, at, length);
  to += length;
  *to++ = '\n';
  for (uint32_t i = 1; i < col; i++) *to++ = at[i - 1] == '\t' ? '\t' : ' ';
  *to++ = '^';
  *to = 0;
}

void formula_problem(const struct formula *f, const struct node *n, struct problem *problem, const char *format, ...) {
  va_list args;
  va_start(args, format);
  problem_at(f, n->line, n->col, problem, format, args);
  va_end(args);
}

void reader_fail(struct reader *r, uint32_t line, uint32_t col, const char *format, ...) {
  if (r->failed) return;
  va_list args;
  va_start(args, format);
  problem_at(r->f, line, col, r->problem, format, args);
  va_end(args);
  r->failed = true;
  r->token = TOKEN_END;
}
/* Tokens. */

static void skip_blanks(struct reader *r) {
  while (r->at < r->end) {
    if (*r->at == '\n') {
      r->line++;
      r->line_start = ++r->at;
    } else if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') {
      r->at++;
    } else if (r->end - r->at >= 2 && r->at[0] == '/' && r->at[1] == '/') {
      while (r->at < r->end && *r->at != '\n') r->at++;
    } else {
      return;
    }
  }
}

static void read_int(struct reader *r) {
  r->token = TOKEN_INT;
  r->number = 0;
  for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++)
    if (__builtin_mul_overflow(r->number, 10, &r->number) ||
        __builtin_add_overflow(r->number, *r->at - '0', &r->number)) {
      fail_here(r, "a number is at most 9223372036854775807");
      return;
    }
}

static void read_text(struct reader *r) {
  const char *close = memchr(r->at + 1, '"', (size_t)(r->end - r->at - 1));
  if (!close || memchr(r->at, '\n', (size_t)(close - r->at)) || memchr(r->at, 0, (size_t)(close - r->at))) {
    fail_here(r, "a text ends with \" on the same line, and has no zero bytes in it");
    return;
  }
  r->token = TOKEN_TEXT;
  r->chars = r->at + 1;
  r->length = (size_t)(close - r->at - 1);
  r->at = close + 1;
}

void reader_next(struct reader *r) {
  if (r->failed) return;
  skip_blanks(r);
  r->token_line = r->line;
  r->token_col = (uint32_t)(r->at - r->line_start) + 1;
  r->chars = r->at;
  if (r->at == r->end) {
    r->token = TOKEN_END;
    return;
  }
  unsigned char c = (unsigned char)*r->at;
  if (isdigit(c)) {
    read_int(r);
    return;
  }
  if (c == '"') {
    read_text(r);
    return;
  }
  if (isalpha(c) || c == '_') {
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_')) r->at++;
    r->token = TOKEN_NAME;
  } else {
    static const char *const two[] = {"=>", "!=", "<=", ">=", ".."};
    size_t n = 1;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
      if (r->end - r->at >= 2 && !memcmp(r->at, two[i], 2)) n = 2;
    if (n == 1 && !strchr("()#,:=<>+-", c)) {
      if (isprint(c))
        fail_here(r, "'%c' has no meaning here", c);
      else
        fail_here(r, "byte %u has no meaning here", c);
      return;
    }
    r->at += n;
    r->token = TOKEN_SIGN;
  }
  r->length = (size_t)(r->at - r->chars);
}

bool reader_is(const struct reader *r, const char *s) {
  return (r->token == TOKEN_NAME || r->token == TOKEN_SIGN) && r->length == strlen(s) &&
         !memcmp(r->chars, s, r->length);
}

bool reader_accept(struct reader *r, const char *s) {
  if (!reader_is(r, s)) return false;
  reader_next(r);
  return true;
}

void reader_expect(struct reader *r, const char *s, const char *where) {
  if (!reader_accept(r, s)) fail_here(r, "'%s' is missing %s", s, where);
}
