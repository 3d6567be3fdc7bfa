/* Growable text: every message, report and file is built in one of these before it is written. */
#ifndef ASIF_BASE_TEXT_H
#define ASIF_BASE_TEXT_H

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/problem.h"

struct text {
  struct mem *mem;
  char *at; /* NUL-terminated once anything was added; use text_string for a never-NULL pointer */
  size_t count, room;
};

void text_open(struct text *, struct mem *);
void text_char(struct text *, char);
void text_bytes(struct text *, const char *, size_t);
void text_add(struct text *, const char *);
void text_printf(struct text *, const char *, ...) __attribute__((format(printf, 2, 3)));
void text_shell_word(struct text *, const char *); /* in quotes where a shell needs them */
/* Adds all of a file. False, with errno: it cannot be read. Where memory is lacking it gives up, as all here do: a file
 * that was not read must not pass for an empty one. */
bool text_file(struct text *, const char *path);
void text_clear(struct text *);
const char *text_string(const struct text *);

#endif
