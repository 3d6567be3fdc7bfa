/* Reading the lines of evidence: see lines.h. */
#include "evidence/lines.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

void evidence_lines_open(struct evidence_lines *l, struct mem *m, struct input *in, struct problem *why) {
  assert(m && in && why);
  *l = (struct evidence_lines){.mem = m, .in = in, .why = why};
}

bool line_unexpected(struct evidence_lines *l, const char *expected) {
  if (!input_whole(l->in, l->why)) return false; /* the file could not be read: that is the reason */
  problem_set(l->why, "%.300s:%llu: expected %s", l->in->name, (unsigned long long)l->in->line, expected);
  return false;
}

/* Reads the next line ahead. False at the end of the file. */
static bool ahead(struct evidence_lines *l) {
  if (!l->line && !l->ended) l->line = input_line(l->in, &l->length);
  l->ended = !l->line;
  return l->line != NULL;
}

/* A NUL would end the line early for whoever compares strings. */
static bool is_text(const struct evidence_lines *l) { return !memchr(l->line, 0, l->length); }

char *line_take(struct evidence_lines *l, const char *name) {
  size_t n = strlen(name);
  if (!ahead(l) || !is_text(l) || l->length <= n || memcmp(l->line, name, n) || l->line[n] != ' ') return NULL;
  char *rest = mem_string(l->mem, l->line + n + 1, l->length - n - 1);
  l->line = NULL;
  return rest;
}

bool line_is(struct evidence_lines *l, const char *line) {
  if (!ahead(l) || l->length != strlen(line) || memcmp(l->line, line, l->length)) return false;
  l->line = NULL;
  return true;
}

bool line_any(struct evidence_lines *l, const char *expected, char **line) {
  if (!ahead(l)) return line_unexpected(l, expected);
  if (!is_text(l)) return line_unexpected(l, "a line without NUL bytes");
  *line = mem_string(l->mem, l->line, l->length);
  l->line = NULL;
  return true;
}

bool line_exact(struct evidence_lines *l, const char *line) { return line_is(l, line) || line_unexpected(l, line); }

bool line_text(struct evidence_lines *l, const char *name, const char **rest) {
  *rest = line_take(l, name);
  return *rest || line_unexpected(l, name);
}

bool number_at(char **s, uint64_t most, uint64_t *out) {
  if (!isdigit((unsigned char)**s)) return false;
  *out = 0;
  for (; isdigit((unsigned char)**s); ++*s)
    if (__builtin_mul_overflow(*out, (uint64_t)10, out) || __builtin_add_overflow(*out, (uint64_t)(**s - '0'), out))
      return false;
  return *out <= most;
}

bool line_number(struct evidence_lines *l, const char *name, uint64_t most, uint64_t *out) {
  char *s = line_take(l, name);
  if (!s) return line_unexpected(l, name);
  return (number_at(&s, most, out) && !*s) || line_unexpected(l, name);
}

bool hash_of(const char *s, uint64_t *out) {
  size_t n = 0;
  for (*out = 0; isxdigit((unsigned char)s[n]) && n < 16; n++)
    *out = *out << 4 | (uint64_t)(isdigit((unsigned char)s[n]) ? s[n] - '0' : (s[n] | 32) - 'a' + 10);
  return n == 16 && !s[n];
}

bool line_hash(struct evidence_lines *l, const char *name, uint64_t *out) {
  const char *s;
  return line_text(l, name, &s) && (hash_of(s, out) || line_unexpected(l, name));
}

bool line_list(struct evidence_lines *l, const char *name, const char *expected, evidence_list *list) {
  uint64_t count;
  char *line;
  if (!line_number(l, name, UINT32_MAX, &count)) return false;
  for (uint64_t i = 0; i < count; i++) {
    if (!line_any(l, expected, &line)) return false;
    vec_push(l->mem, list, line);
  }
  return true;
}

bool line_rest(struct evidence_lines *l, struct text *out) {
  while (ahead(l)) {
    text_bytes(out, l->line, l->length);
    text_char(out, '\n');
    l->line = NULL;
  }
  return input_whole(l->in, l->why);
}
