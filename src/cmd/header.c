/* Reading a header: the compiler preprocesses it, and of what comes from the file itself the declarations are taken
 * apart into words. It is not a parser of C: what it does not understand, a function pointer or a type made on the
 * spot, it leaves out. */
#include "cmd/header.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct word {
  const char *at;
  size_t len;
};
typedef VEC(struct word) words;

static bool is(const struct word *w, const char *s) { return strlen(s) == w->len && !memcmp(w->at, s, w->len); }

static bool is_name(const struct word *w) { return isalpha((unsigned char)*w->at) || *w->at == '_'; }

static bool among(const struct word *w, const char *const *list) {
  for (; *list; list++)
    if (is(w, *list)) return true;
  return false;
}

static const char *const qualifiers[] = {"const",     "volatile",      "restrict", "__restrict", "__restrict__",
                                         "extern",    "static",        "inline",   "__inline",   "__inline__",
                                         "_Noreturn", "__extension__", "register", "__const",    NULL};
static const char *const basic[] = {"void",   "char",     "short",  "int",   "long", "float",
                                    "double", "unsigned", "signed", "_Bool", "bool", NULL};
static const char *const tags[] = {"struct", "union", "enum", NULL};

/* Running the compiler. */

static FILE *run_compiler(struct mem *m, const char *what, const char *path, char *const *flags) {
  struct text t;
  const char *cc = getenv("CC");
  text_open(&t, m);
  text_printf(&t, "%s %s", cc && *cc ? cc : "cc", what);
  for (; flags && *flags; flags++) {
    text_char(&t, ' ');
    text_shell_word(&t, *flags);
  }
  text_char(&t, ' ');
  text_shell_word(&t, path);
  text_add(&t, " 2>&1");
  return popen(text_string(&t), "r");
}

static void read_all(FILE *f, struct text *to) {
  char room[4096];
  for (size_t n; (n = fread(room, 1, sizeof room, f)) > 0;) text_bytes(to, room, n);
}

bool header_compiles(struct mem *m, const char *path, char *const *flags, struct text *said) {
  FILE *f = run_compiler(m, "-fsyntax-only", path, flags);
  if (!f) return false;
  read_all(f, said);
  int status = pclose(f);
  return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* What the preprocessor wrote of the file itself: `# 12 "queue.h"` says where what follows comes from. */
static char *own_lines(struct mem *m, const char *text, const char *path) {
  struct text own;
  bool mine = false;
  text_open(&own, m);
  for (const char *line = text; *line;) {
    size_t len = strcspn(line, "\n");
    if (line[0] == '#') {
      const char *quote = memchr(line, '"', len);
      size_t n = quote ? strcspn(quote + 1, "\"\n") : 0;
      if (quote) mine = n == strlen(path) && !memcmp(quote + 1, path, n);
    } else if (mine) {
      text_bytes(&own, line, len);
      text_char(&own, '\n');
    }
    line += len + (line[len] == '\n');
  }
  return (char *)text_string(&own);
}

/* Words. */

static void split(struct mem *m, const char *s, words *out) {
  while (*s) {
    size_t n = 1;
    if (isspace((unsigned char)*s)) {
      s++;
      continue;
    }
    if (*s == '"' || *s == '\'') {
      while (s[n] && s[n] != *s) n += s[n] == '\\' && s[n + 1] ? 2 : 1;
      n += s[n] != 0;
    } else if (isalnum((unsigned char)*s) || *s == '_') {
      while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    }
    vec_push(m, out, ((struct word){s, n}));
    s += n;
  }
}

/* The index after the bracket that closes the one at i. */
static size_t after_brackets(const words *w, size_t i) {
  int depth = 0;
  for (; i < w->count; i++) {
    char c = *w->at[i].at;
    depth += c == '(' || c == '{' || c == '[';
    depth -= c == ')' || c == '}' || c == ']';
    if (depth == 0) return i + 1;
  }
  return i;
}

static bool skips_brackets(const struct word *w) {
  static const char *const list[] = {"__attribute__", "__attribute", "__asm__",        "__asm",     "asm",
                                     "_Alignas",      "__declspec",  "_Static_assert", "__nonnull", NULL};
  return among(w, list);
}

/* Types. */

static bool read_type(struct mem *m, const struct word *w, size_t count, bool named, struct header_type *to) {
  struct text base;
  size_t kept[32], n = 0;
  text_open(&base, m);
  *to = (struct header_type){NULL, 0};
  for (size_t i = 0; i < count; i++) {
    if (*w[i].at == '(' || *w[i].at == '{' || *w[i].at == '.') return false;
    if (*w[i].at == '[') {
      to->pointers++;
      while (i < count && *w[i].at != ']') i++;
      continue;
    }
    if (among(&w[i], qualifiers)) continue;
    if (*w[i].at == '*')
      to->pointers++;
    else if (n < 32)
      kept[n++] = i;
  }
  /* The last word is the parameter's name, if there is a type without it. */
  size_t least = n && among(&w[kept[0]], tags) ? 2 : 1;
  if (named && n > least && !among(&w[kept[n - 1]], basic)) n--;
  for (size_t i = 0; i < n; i++) {
    if (!is_name(&w[kept[i]])) return false;
    if (i) text_char(&base, ' ');
    text_bytes(&base, w[kept[i]].at, w[kept[i]].len);
  }
  to->base = text_string(&base);
  return n > 0;
}

static bool read_params(struct mem *m, const words *w, size_t from, size_t to, struct header_function *f) {
  if (to == from || (to == from + 1 && is(&w->at[from], "void"))) return true;
  for (size_t i = from; i < to;) {
    size_t end = i;
    while (end < to && *w->at[end].at != ',') end = *w->at[end].at == '(' ? after_brackets(w, end) : end + 1;
    if (f->params == HEADER_PARAMS || !read_type(m, w->at + i, end - i, true, &f->param[f->params++])) return false;
    i = end + 1;
  }
  return true;
}

/* A declaration from word i up to `end`: if it is of a function, it is added. */
static void read_declaration(struct mem *m, const words *all, size_t i, size_t end, struct header *h) {
  words w = {NULL, 0, 0};
  for (; i < end; i++) {
    if (skips_brackets(&all->at[i]) && i + 1 < end && *all->at[i + 1].at == '(')
      i = after_brackets(all, i + 1) - 1;
    else
      vec_push(m, &w, all->at[i]);
  }
  if (!w.count || is(&w.at[0], "typedef")) return;
  size_t open = 0;
  while (open < w.count && *w.at[open].at != '(') open++;
  if (open < 2 || open == w.count || !is_name(&w.at[open - 1])) return;
  size_t close = after_brackets(&w, open) - 1;
  if (close + 1 != w.count && *w.at[close + 1].at == '(') return; /* it returns a function, or is a pointer to one */
  struct header_function f = {.name = mem_string(m, w.at[open - 1].at, w.at[open - 1].len)};
  if (!read_type(m, w.at, open - 1, false, &f.returns) || !read_params(m, &w, open + 1, close, &f)) return;
  vec_push(m, &h->functions, f);
}

bool header_read(struct mem *m, const char *path, char *const *flags, struct header *h, struct problem *why) {
  struct text text;
  words w = {NULL, 0, 0};
  *h = (struct header){{NULL, 0, 0}};
  FILE *f = run_compiler(m, "-E", path, flags);
  text_open(&text, m);
  if (f) read_all(f, &text);
  int status = f ? pclose(f) : -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status)) {
    problem_set(why, "%s cannot be preprocessed:\n%.400s", path, text_string(&text));
    return false;
  }
  split(m, own_lines(m, text_string(&text), path), &w);
  for (size_t i = 0, begin = 0; i < w.count;) {
    char c = *w.at[i].at;
    if (c == '{' && i > begin && *w.at[i - 1].at == ')') { /* a function's body */
      read_declaration(m, &w, begin, i, h);
      begin = i = after_brackets(&w, i);
    } else if (c == ';') {
      read_declaration(m, &w, begin, i, h);
      begin = ++i;
    } else {
      i = c == '(' || c == '{' || c == '[' ? after_brackets(&w, i) : i + 1;
    }
  }
  return true;
}
