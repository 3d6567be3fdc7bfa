/* Jepsen's log lines: `INFO  jepsen.util - 4 :invoke :cas [0 3]`, TABs between the columns; history.txt has the same
 * columns without the logger's name. Every other line is noise. */
#include <string.h>

#include "history/format.h"
#include "history/jepsen.h"

/* The process column, or NULL if the line is no event. What follows it is *type, and *f after that. */
static char *event_columns(char *p, size_t len, enum jepsen_type *type, char **f) {
  char *logger = memmem(p, len, "jepsen.util", 11);
  if (logger) p = logger + 11;
  while (*p == ' ' || *p == '\t' || (logger && (*p == '-' || *p == ':') && (p[1] == ' ' || p[1] == '\t'))) p++;
  char *process = p;
  p = skip_blanks(word_end(p));
  if (p == process || *p != ':') return NULL;
  char *e = word_end(++p);
  *type = jepsen_type_named(p, (size_t)(e - p));
  *f = skip_blanks(e);
  return *type == JEPSEN_NONE || **f != ':' ? NULL : process;
}

static bool read_event(struct jepsen *j, struct lines *l) {
  struct jepsen_event e = {.line = l->in->line};
  char *f, *process = event_columns(l->at, (size_t)(l->end - l->at), &e.type, &f);
  if (!process) return true;
  e.column = (uint64_t)(process - l->at) + 1;
  char *p = word_end(process);
  jepsen_process(j, &e, process, (size_t)(p - process));
  if (e.nemesis) return jepsen_add(j, &e);
  p = ++f;
  if (!lines_name(l, &p, "the operation's name", &j->methods, &e.f)) return false;
  e.has_f = true;
  p = skip_blanks(p);
  /* What :fail and :info give as the value may be any text; it is not needed. */
  if (p != l->end && (e.type == JEPSEN_INVOKE || e.type == JEPSEN_OK)) {
    e.has_value = true;
    if (!lines_value(l, &p, &e.value)) return false;
  }
  return jepsen_add(j, &e);
}

static bool read_log(struct input *in, struct history *h, struct problem *problem) {
  struct jepsen *j = mem_alloc(h->mem, sizeof *j);
  struct lines *l = mem_alloc(h->mem, sizeof *l);
  jepsen_open(j, in, h, SCAN_EDN, problem);
  in->line = 0; /* counted by lines_next */
  lines_open(l, in, h, problem);
  scan_open(&l->scan, &l->window, h->values, SCAN_EDN, problem);
  while (lines_next(l))
    if (!read_event(j, l)) return false;
  return jepsen_finish(j);
}

/* A column that says :invoke. */
static bool has_invoke(const char *s, size_t n) {
  for (const char *p = s, *end = s + n; (p = memmem(p, (size_t)(end - p), ":invoke", 7)); p++)
    if (p > s && (p[-1] == ' ' || p[-1] == '\t') && end - p > 7 && (p[7] == ' ' || p[7] == '\t')) return true;
  return false;
}

static int guess(const char *s, size_t n) {
  const char *util = memmem(s, n, "jepsen.util", 11);
  bool invoke = has_invoke(s, n);
  if (util && invoke) return 95;
  bool number = n && (*s == ':' || (*s >= '0' && *s <= '9'));
  return util ? 40 : invoke && number ? 85 : 0;
}

const struct format format_jepsen_log = {
    .name = "jepsen-log",
    .summary = "Jepsen's log lines; others are ignored",
    .suffixes = "",
    .guess = guess,
    .read = read_log,
    .write = NULL,
};
