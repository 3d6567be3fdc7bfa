/* Places: printing them, and problems that point into the source. */
#include <ctype.h>

#include "front/front.h"

void place_print(const struct unit *u, struct place p, struct text *t) {
  const char *path = p.file < u->files.count ? u->files.at[p.file].path : "?";
  text_printf(t, "%s:%u:%u", path, p.line, p.col);
}

/* The source line of a place, without its end; NULL if the source is not there. */
static const char *source_line(const struct unit *u, struct place p, size_t *length) {
  if (p.file >= u->files.count || !u->files.at[p.file].text) return NULL;
  const char *at = u->files.at[p.file].text, *end = at + u->files.at[p.file].length, *stop;
  for (uint32_t line = 1; line < p.line; line++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (!at) return NULL;
    at++;
  }
  stop = memchr(at, '\n', (size_t)(end - at));
  *length = (size_t)((stop ? stop : end) - at);
  if (*length && at[*length - 1] == '\r') --*length;
  return at;
}

/* Adds the line and the caret, if there is room for both. */
static void add_caret(struct problem *problem, const struct unit *u, struct place p) {
  size_t used = strlen(problem->text), length = 0;
  const char *line = source_line(u, p, &length);
  if (!line || !p.col || p.col > length + 1u || used + length + p.col + 4 > sizeof problem->text) return;
  if (memchr(line, 0, length)) return;
  char *to = problem->text + used;
  *to++ = '\n';
  memcpy(to, line, length);
  to += length;
  *to++ = '\n';
  for (size_t i = 0; i + 1 < p.col; i++) *to++ = line[i] == '\t' ? '\t' : ' ';
  *to++ = '^';
  *to = 0;
}

struct place place_in_text(const struct unit *u, struct place start, size_t offset) {
  struct place place = start;
  const struct source_file *f = &u->files.at[place.file];
  if (!f->text) return place;
  const char *s = f->text, *end = f->text + f->length;
  for (uint32_t line = 1; s < end && line < place.line; s++) line += *s == '\n';
  s += place.col - 1;
  if (s >= end || *s++ != '"') return start;
  place.col++;
  for (size_t left = offset; s < end; s++, place.col++) {
    if (*s == '\\') return start;
    if (*s != '"') {
      if (!left--) return place;
      continue;
    }
    for (s++, place.col++; s < end && *s != '"'; s++, place.col++) {
      if (!isspace((unsigned char)*s)) { /* the text ends here */
        place.col--;
        return place;
      }
      if (*s == '\n') place.line++, place.col = 0;
    }
  }
  return place;
}

static void problem_list(struct problem *problem, const struct unit *u, struct place p, const char *format,
                         va_list args) {
  const char *path = p.file < u->files.count ? u->files.at[p.file].path : "?";
  char message[400];
  vsnprintf(message, sizeof message, format, args);
  problem_set(problem, "%.150s:%u:%u: %s", path, p.line, p.col, message);
  add_caret(problem, u, p);
}

void problem_at(struct problem *problem, const struct unit *u, struct place p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  problem_list(problem, u, p, format, args);
  va_end(args);
}

static _Noreturn void fail(struct front *f, struct place p, int how, const char *format, va_list args) {
  vsnprintf(f->said, sizeof f->said, format, args);
  f->said_place = p;
  f->said_how = how;
  longjmp(f->attempt->jump, 1);
}

void front_fail(struct front *f, struct place p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(f, p, SAID_WRONG, format, args);
}

void front_fatal(struct front *f, struct place p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(f, p, SAID_FATAL, format, args);
}

void front_outside(struct front *f, struct place p, const char *format, ...) {
  char what[300];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  snprintf(f->said, sizeof f->said, "%s is outside the C that verify reads", what);
  f->said_place = p;
  f->said_how = SAID_OUTSIDE;
  longjmp(f->attempt->jump, 1);
}
