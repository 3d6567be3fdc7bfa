/* Reading a C header: the compiler preprocesses it, and of what comes from the file itself the declarations are taken
 * apart into words. It is not a parser of C: what it does not understand, a function pointer or a type made on the
 * spot, it leaves out. */
#include "init/header.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "init/compiler.h"
#include "init/tokens.h"

static const char *const qualifiers[] = {"const",     "volatile",      "restrict", "__restrict", "__restrict__",
                                         "extern",    "static",        "inline",   "__inline",   "__inline__",
                                         "_Noreturn", "__extension__", "register", "__const",    NULL};
static const char *const basic[] = {"void",   "char",     "short",  "int",   "long", "float",
                                    "double", "unsigned", "signed", "_Bool", "bool", NULL};
static const char *const tags[] = {"struct", "union", "enum", NULL};

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
    if (word_among(&w[i], qualifiers)) continue;
    if (*w[i].at == '*')
      to->pointers++;
    else if (n < 32)
      kept[n++] = i;
  }
  /* The last word is the parameter's name, if there is a type without it. */
  size_t least = n && word_among(&w[kept[0]], tags) ? 2 : 1;
  if (named && n > least && !word_among(&w[kept[n - 1]], basic)) n--;
  for (size_t i = 0; i < n; i++) {
    if (!word_is_name(&w[kept[i]])) return false;
    if (i) text_char(&base, ' ');
    text_bytes(&base, w[kept[i]].at, w[kept[i]].len);
  }
  to->base = text_string(&base);
  return n > 0;
}

static bool read_params(struct mem *m, const struct words *w, size_t from, size_t to, struct header_function *f) {
  if (to == from || (to == from + 1 && word_is(&w->at[from], "void"))) return true;
  for (size_t i = from; i < to;) {
    size_t end = i;
    while (end < to && *w->at[end].at != ',') end = *w->at[end].at == '(' ? words_after(w, end) : end + 1;
    if (f->params == HEADER_PARAMS || !read_type(m, w->at + i, end - i, true, &f->param[f->params++])) return false;
    i = end + 1;
  }
  return true;
}

/* A declaration from word i up to `end`: if it is of a function, it is added. */
static void read_declaration(struct mem *m, const struct words *all, size_t i, size_t end, struct header *h) {
  struct words w = {NULL, 0, 0};
  for (; i < end; i++) {
    if (word_takes_brackets(&all->at[i]) && i + 1 < end && *all->at[i + 1].at == '(')
      i = words_after(all, i + 1) - 1;
    else
      vec_push(m, &w, all->at[i]);
  }
  if (!w.count || word_is(&w.at[0], "typedef")) return;
  size_t open = 0;
  while (open < w.count && *w.at[open].at != '(') open++;
  if (open < 2 || open == w.count || !word_is_name(&w.at[open - 1])) return;
  size_t close = words_after(&w, open) - 1;
  if (close + 1 != w.count && *w.at[close + 1].at == '(') return; /* it returns a function, or is a pointer to one */
  struct header_function f = {.name = mem_string(m, w.at[open - 1].at, w.at[open - 1].len)};
  if (!read_type(m, w.at, open - 1, false, &f.returns) || !read_params(m, &w, open + 1, close, &f)) return;
  vec_push(m, &h->functions, f);
}

/* `typedef union { struct a *x; struct b *y; } ... name;`, a transparent union: a function that takes one takes a
 * pointer to either. */
static void read_union(struct mem *m, const struct words *w, size_t begin, size_t end, struct header *h) {
  if (begin + 2 >= end || !word_is(&w->at[begin], "typedef") || !word_is(&w->at[begin + 1], "union")) return;
  size_t open = begin + 2;
  while (open < end && *w->at[open].at != '{') open++;
  if (open >= end || !word_is_name(&w->at[end - 1])) return;
  size_t close = words_after(w, open) - 1;
  bool transparent = false;
  for (size_t i = close; i < end; i++)
    transparent |= word_is(&w->at[i], "__transparent_union__") || word_is(&w->at[i], "transparent_union");
  if (!transparent) return;
  struct header_union u = {.name = word_text(m, &w->at[end - 1])};
  for (size_t i = open + 1; i < close;) {
    size_t stop = i;
    struct header_type type;
    while (stop < close && *w->at[stop].at != ';') stop++;
    bool good = read_type(m, w->at + i, stop - i, true, &type) && type.pointers == 1;
    const char *tag = good ? strrchr(type.base, ' ') : NULL;
    if (good && (!u.is.base || (tag ? tag[1] : *type.base) != '_')) u.is = type;
    i = stop + 1;
  }
  if (u.is.base) vec_push(m, &h->unions, u);
}

static void resolve_unions(const struct header *h, struct header_type *t) {
  for (size_t i = 0; i < h->unions.count; i++)
    if (!t->pointers && !strcmp(t->base, h->unions.at[i].name)) *t = h->unions.at[i].is;
}

static void read_words(struct mem *m, const struct words *w, struct header *h) {
  for (size_t i = 0, begin = 0; i < w->count;) {
    char c0 = *w->at[i].at;
    h->cxx |= i == begin && (word_is(&w->at[i], "template") || word_is(&w->at[i], "class") ||
                             word_is(&w->at[i], "namespace") || word_is(&w->at[i], "using"));
    if (c0 == '{' && i > begin && *w->at[i - 1].at == ')') { /* a function's body */
      read_declaration(m, w, begin, i, h);
      begin = i = words_after(w, i);
    } else if (c0 == ';') {
      read_declaration(m, w, begin, i, h);
      read_union(m, w, begin, i, h);
      begin = ++i;
    } else {
      i = c0 == '(' || c0 == '{' || c0 == '[' ? words_after(w, i) : i + 1;
    }
  }
}

bool header_read(const struct toolchain *c, const char *path, struct header *h, struct problem *why) {
  struct text text;
  struct mem *m = c->mem;
  struct words w = {NULL, 0, 0};
  *h = (struct header){{NULL, 0, 0}, {NULL, 0, 0}, false};
  text_open(&text, m);
  if (!toolchain_preprocess(c, path, &text)) {
    problem_set(why, "%s cannot be preprocessed:\n%s", path, toolchain_error(m, text_string(&text)));
    return false;
  }
  for (int levels = 0; levels < 2 && !h->functions.count && !h->cxx; levels++) { /* some only include others */
    w.count = 0;
    tokens_split(m, tokens_own(m, text_string(&text), path, levels), &w);
    read_words(m, &w, h);
  }
  for (size_t i = 0; i < h->functions.count; i++)
    for (unsigned n = 0; n < h->functions.at[i].params; n++) resolve_unions(h, &h->functions.at[i].param[n]);
  return true;
}
