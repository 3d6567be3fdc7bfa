/* Line formats: see lines.h. */
#include "history/lines.h"

#include <stdarg.h>

void lines_open(struct lines *l, struct input *in, struct history *h, struct problem *p) {
  memset(l, 0, sizeof *l);
  l->in = in;
  l->h = h;
  l->problem = p;
  l->objects.names = h->objects;
  l->methods.names = h->methods;
  l->processes.names = h->processes;
  l->window.mem = in->mem;
  l->window.line = 1;
  scan_open(&l->scan, &l->window, h->values, SCAN_PLAIN, p);
}

bool first_line(const char **s, size_t n, const char **e) {
  for (const char *end = *s + n; *s < end; *s = *e + 1) {
    *e = memchr(*s, '\n', (size_t)(end - *s));
    if (!*e) *e = end;
    while (*s < *e && (**s == ' ' || **s == '\t' || **s == '\r')) ++*s;
    if (*s < *e && **s != '#') return true;
  }
  return false;
}

bool lines_next(struct lines *l) {
  size_t len;
  l->at = input_line(l->in, &len);
  l->end = l->at ? l->at + len : NULL;
  return l->at;
}

uint32_t name_cached(struct name_cache *c, const char *s, size_t len) {
  if (!len || len > 8) return names_intern(c->names, s, len);
  uint64_t key = load8(s) & UINT64_MAX >> (64 - 8 * len);
  size_t i = name_slot(key);
  if (c->slot[i].key != key) {
    c->slot[i].index = names_intern(c->names, s, len);
    c->slot[i].key = key;
  }
  return c->slot[i].index;
}

/* Points the scanner at the rest of the line. */
static void look_at(struct lines *l, char *p) {
  const struct input *in = l->in;
  l->window.name = in->name;
  l->window.begin = in->begin;
  l->window.at = p;
  l->window.end = l->end;
  l->window.base = in->base;
  l->window.line = in->line;
  l->window.line_at = in->line_at;
  l->window.ended = true;
}

/* LiMo's names for values, ?<thread,number>: one value, a text, in spite of the comma. */
static bool paired_value(struct lines *l, char **p, value *out) {
  char *s = *p + 2, *comma = s + strspn(s, "0123456789"), *close = comma + (*comma == ',');
  close += strspn(close, "0123456789");
  if (*comma != ',' || *close != '>' || !scan_delimiter(close[1])) return false;
  *out = value_text(l->h->values, *p, (size_t)(close + 1 - *p));
  *p = close + 1;
  return true;
}

bool lines_value(struct lines *l, char **p, value *out) {
  char *s = *p;
  bool minus = *s == '-';
  s += minus;
  int32_t n = 0;
  char *digits = s;
  while (*s >= '0' && *s <= '9' && s - digits < 9) n = n * 10 + (*s++ - '0');
  if (s > digits && scan_delimiter(*s)) {
    *out = value_of_small(minus ? -n : n);
    *p = s;
    return true;
  }
  if (**p == '?' && (*p)[1] == '<' && paired_value(l, p, out)) return true;
  look_at(l, *p);
  if (!scan_value(&l->scan, out)) return false;
  *p = l->window.at;
  return true;
}

bool lines_name(struct lines *l, char **p, const char *what, struct name_cache *cache, uint32_t *index) {
  char *e = word_end(*p);
  if (e > *p) {
    *index = name_cached(cache, *p, (size_t)(e - *p));
    *p = e;
    return true;
  }
  if (*e != '"') return lines_bad(l, e, "%s is missing here", what);
  enum token kind;
  const char *chars;
  size_t len;
  look_at(l, e);
  if (!scan_token(&l->scan, &kind, &chars, &len)) return false;
  if (!len || memchr(chars, 0, len))
    return lines_bad(l, e, "%s should be a name, not an empty text or one with a NUL", what);
  *index = names_intern(cache->names, chars, len);
  *p = l->window.at;
  return true;
}

bool lines_arguments(struct lines *l, char **p, value *args, int *count) {
  *count = 0;
  for (char *s = *p;;) {
    while (*s == ' ' || *s == '\t' || *s == ',') s++;
    if (*s == ')') return *p = s + 1, true;
    if (s == l->end) return lines_bad(l, s, "the line ends inside the parentheses: ')' is missing");
    if (*count == OP_ARGS)
      return lines_bad(l, s, "more than %d values in the parentheses; put them in a list: [1 2 3 4]", OP_ARGS);
    if (!lines_value(l, &s, &args[(*count)++])) return false;
  }
}

bool lines_bad(struct lines *l, const char *place, const char *format, ...) {
  char what[sizeof l->problem->text];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return input_problem(l->in, place, l->problem, "%s", what);
}

bool lines_bad_process(struct lines *l, const char *place, uint32_t process, const char *why) {
  return !why || lines_bad(l, place, "process %.60s %s", names_at(l->h->processes, process), why);
}

void lines_object_type(struct lines *l, const char *p) {
  if (l->h->object_type) return;
  while (*p == ' ' || *p == '\t') p++;
  bool named = !strncmp(p, "@object", 7) && (p[7] == ' ' || p[7] == '\t');
  if (named) p += 8;
  while (*p == ' ' || *p == '\t') p++;
  size_t n = 0;
  while ((unsigned char)p[n] > ' ') n++;
  const char *rest = p + n;
  while (*rest == ' ' || *rest == '\t') rest++;
  /* Without @object only a word that stands alone is a type, and only before the first operation. */
  if (!n || *rest || (!named && (l->h->ops.count || l->h->events))) return;
  l->h->object_type = mem_string(l->h->mem, p, n);
}

uint32_t lines_only_object(struct lines *l) { return names_intern(l->h->objects, "x", 1); }
