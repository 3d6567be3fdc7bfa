/* Problems; see problem.h. */
#include <stdarg.h>
#include <stdio.h>

#include "base/problem.h"

static void put(struct problem *p, enum problem_kind kind, const char *before, const char *format, va_list args) {
  int n = snprintf(p->text, sizeof p->text, "%s", before);
  vsnprintf(p->text + n, sizeof p->text - (size_t)n, format, args);
  p->kind = kind;
}

void problem_set(struct problem *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(p, PROBLEM_INPUT, "", format, args);
  va_end(args);
}

void problem_of(struct problem *p, enum problem_kind kind, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(p, kind, "", format, args);
  va_end(args);
}

void problem_internal(struct problem *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put(p, PROBLEM_INTERNAL, "internal error: ", format, args);
  va_end(args);
}
