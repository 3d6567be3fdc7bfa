/* Records in lines: comma- or semicolon-separated or tab-separated values, whose first line names the columns, and
 * logfmt (`op=set key=x`). A cell that is empty says nothing; one in quotes is a text, with "" for a quote in it. */
#include <string.h>

#include "history/mapped.h"

enum { COLUMNS_MOST = 200 };

struct table {
  struct mapped *x;
  char *line, *end; /* the present one */
  char separator;   /* 0: logfmt */
  char *names[COLUMNS_MOST];
  size_t lens[COLUMNS_MOST];
  int count;
};

static bool bad_place(struct table *t, const char *at, const char *what) {
  t->x->column = (uint64_t)(at - t->line) + 1;
  return mapped_bad(t->x, "%s", what);
}

/* The text in quotes at *p, unquoted in place; *p is then behind it. */
static bool unquote(struct table *t, char **p, char **from, size_t *len) {
  char *s = *p + 1, *to = s;
  *from = s;
  for (;; s++) {
    if (s == t->end) return bad_place(t, *p, "the text that starts here has no closing quote on its line");
    if (*s == '\\' && !t->separator && s + 1 < t->end) {
      *to++ = *++s;
    } else if (*s == '"' && t->separator && s + 1 < t->end && s[1] == '"') {
      *to++ = *s++;
    } else if (*s == '"') {
      break;
    } else {
      *to++ = *s;
    }
  }
  *len = (size_t)(to - *from);
  *p = s + 1;
  return true;
}

/* The next cell of a line; *p is then on its separator, or at the end. */
static bool cell(struct table *t, char **p, char **from, size_t *len, enum token *kind) {
  char ends = t->separator ? t->separator : ' ';
  *kind = TOKEN_WORD;
  while (ends != ' ' && **p == ' ') ++*p;
  if (**p == '"') {
    *kind = TOKEN_STRING;
    if (!unquote(t, p, from, len)) return false;
  } else {
    *from = *p;
    while (*p < t->end && **p != ends) ++*p;
    *len = (size_t)(*p - *from);
    while (*len && (*from)[*len - 1] == ' ') --*len;
  }
  while (ends != ' ' && **p == ' ') ++*p;
  return *p == t->end || **p == ends || bad_place(t, *p, "a separator should follow the quote");
}

static bool next_line(struct table *t) {
  size_t len;
  do {
    t->line = input_line(t->x->in, &len);
    t->end = t->line ? t->line + len : NULL;
  } while (t->line && !len);
  if (t->line) mapped_begin(t->x, t->x->in->line, 1);
  return t->line != NULL;
}

static bool has_nul(struct table *t) {
  char *at = memchr(t->line, 0, (size_t)(t->end - t->line));
  return at && !bad_place(t, at, "byte 0x00, which no history holds");
}

static bool is_logfmt(const char *s) {
  size_t name = strcspn(s, " =,\t;\"");
  return name && s[name] == '=';
}

static bool read_header(struct table *t) {
  static const char separators[] = {'\t', ',', ';'};
  for (size_t i = 0; i < sizeof separators && !t->separator; i++)
    if (strchr(t->line, separators[i])) t->separator = separators[i];
  if (!t->separator)
    return bad_place(t, t->line,
                     "the first line should name the columns, with commas, semicolons or tabs between, or be logfmt "
                     "(op=set key=x), or JSON");
  struct mem *m = t->x->h->mem;
  for (char *p = t->line;; p++) {
    enum token kind;
    char *from;
    if (t->count == COLUMNS_MOST) return bad_place(t, p, "more than 200 columns");
    if (!cell(t, &p, &from, &t->lens[t->count], &kind)) return false;
    t->names[t->count] = mem_string(m, from, t->lens[t->count]);
    mapped_name(t->x, from, t->lens[t->count]);
    t->count++;
    t->x->named = p == t->end;
    if (t->x->named) return true;
  }
}

static bool read_row(struct table *t) {
  int i = 0;
  for (char *p = t->line;; p++, i++) {
    enum token kind;
    char *from;
    size_t len;
    if (!cell(t, &p, &from, &len, &kind)) return false;
    if (i == t->count) return bad_place(t, from, "there are more values than the first line names columns");
    if (len || kind == TOKEN_STRING) mapped_field(t->x, t->names[i], t->lens[i], kind, from, len);
    if (p == t->end) break;
  }
  t->x->column = 1;
  return mapped_end(t->x);
}

static bool read_pairs(struct table *t) {
  for (char *p = t->line; p < t->end;) {
    enum token kind;
    char *name = p, *from;
    size_t len, count;
    if (*p == ' ' || *p == '\t') {
      p++;
      continue;
    }
    while (p < t->end && *p != '=' && *p != ' ') p++;
    len = (size_t)(p - name);
    if (p == t->end || *p == ' ') continue; /* a word, which is a flag */
    p++;
    if (!cell(t, &p, &from, &count, &kind)) return false;
    if (count || kind == TOKEN_STRING) mapped_field(t->x, name, len, kind, from, count);
  }
  t->x->column = 1;
  return mapped_end(t->x);
}

bool mapped_lines(struct mapped *x) {
  struct table t = {.x = x};
  if (!next_line(&t)) return true;
  if (has_nul(&t)) return false;
  bool logfmt = is_logfmt(t.line);
  if (!logfmt && !read_header(&t)) return false;
  if (logfmt && !read_pairs(&t)) return false;
  while (next_line(&t))
    if (has_nul(&t) || !(logfmt ? read_pairs(&t) : read_row(&t))) return false;
  return true;
}
