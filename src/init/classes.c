/* Reading a C++ header: the classes at namespace scope of the file itself, by their words. It is not a parser of C++:
 * it skips what it does not understand. What members accept and return is asked of the compiler (probe.c). */
#include "init/classes.h"

#include <string.h>

#include "init/compiler.h"
#include "init/tokens.h"

/* `using detail::queue;` in namespace lib: lib::queue of detail::queue. */
struct alias {
  const char *name, *of;
};

struct reader {
  struct mem *mem;
  struct words w;
  struct classes *to;
  VEC(struct alias) aliases;
};

static bool at_is(const struct reader *r, size_t i, const char *s) { return i < r->w.count && word_is(&r->w.at[i], s); }

static const char *join(struct mem *m, const char *scope, const char *name) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, "%s%s%s", scope, *scope ? "::" : "", name);
  return text_string(&t);
}

/* Words i to end as text. */
static const char *spell(const struct reader *r, size_t i, size_t end) {
  struct text t;
  text_open(&t, r->mem);
  for (size_t n = i; n < end; n++) {
    const struct word *w = &r->w.at[n];
    if (n > i && word_is_name(w) && word_is_name(&r->w.at[n - 1])) text_char(&t, ' ');
    text_bytes(&t, w->at, w->len);
  }
  return text_string(&t);
}

/* The index after the > that closes the < at i. */
static size_t after_angles(const struct reader *r, size_t i) {
  int depth = 0;
  while (i < r->w.count) {
    char c = *r->w.at[i].at;
    if (c == '(' || c == '{' || c == '[') {
      i = words_after(&r->w, i);
      continue;
    }
    depth += c == '<';
    depth -= c == '>';
    i++;
    if (depth <= 0) return i;
  }
  return i;
}

/* The end of a list's element that begins at i: at the comma or at `end`. */
static size_t element_end(const struct reader *r, size_t i, size_t end) {
  int angles = 0;
  while (i < end) {
    char c = *r->w.at[i].at;
    if (c == '(' || c == '{' || c == '[') {
      i = words_after(&r->w, i);
      continue;
    }
    if (c == ',' && !angles) return i;
    angles += c == '<';
    angles -= c == '>' && angles;
    i++;
  }
  return end;
}

/* The index after a declaration: its semicolon or its body. */
static size_t after_declaration(const struct reader *r, size_t i) {
  while (i < r->w.count) {
    char c = *r->w.at[i].at;
    if (c == ';') return i + 1;
    if (c == '}') return i; /* of what is around it */
    if (c == '{') {
      i = words_after(&r->w, i);
      if (i >= r->w.count) return i;
      c = *r->w.at[i].at;
      if (c == ';') return i + 1;
      if (c != ',' && c != '{' && c != '=' && c != '.')
        return i; /* an initializer of a member goes on, a body ends it */
      continue;
    }
    i = c == '(' || c == '[' ? words_after(&r->w, i) : i + 1;
  }
  return i;
}

static size_t skip_attributes(const struct reader *r, size_t i) {
  for (;;) {
    if (i < r->w.count && *r->w.at[i].at == '[')
      i = words_after(&r->w, i);
    else if (i + 1 < r->w.count && word_takes_brackets(&r->w.at[i]) && *r->w.at[i + 1].at == '(')
      i = words_after(&r->w, i + 1);
    else
      return i;
  }
}

/* Template parameters. */

static struct template_param read_param(const struct reader *r, size_t i, size_t end) {
  static const char *const numbers[] = {"int",     "unsigned",  "long",     "short",     "size_t", "auto",    "char",
                                        "uint8_t", "uint16_t",  "uint32_t", "uint64_t",  "int8_t", "int16_t", "int32_t",
                                        "int64_t", "ptrdiff_t", "intptr_t", "uintptr_t", NULL};
  struct template_param p = {"", TEMPLATE_TYPE, false};
  bool type = at_is(r, i, "typename") || at_is(r, i, "class"), number = false, truth = false;
  if (at_is(r, i, "template")) p.kind = TEMPLATE_TEMPLATE, i = after_angles(r, i + 1);
  for (; i < end && *r->w.at[i].at != '='; i++) {
    if (at_is(r, i, "::")) type = false; /* typename std::enable_if<...>::type = 0 */
    if (*r->w.at[i].at == '.') p.defaulted = true;
    number |= word_among(&r->w.at[i], numbers);
    truth |= at_is(r, i, "bool");
    if (word_is_name(&r->w.at[i])) p.name = word_text(r->mem, &r->w.at[i]);
  }
  p.defaulted |= i < end;
  if (p.kind == TEMPLATE_TYPE && !type && (number || truth)) p.kind = truth ? TEMPLATE_TRUTH : TEMPLATE_NUMBER;
  return p;
}

/* `<typename T, size_t N = 4>` at i. */
static size_t read_params(const struct reader *r, size_t i, struct cxx_class *c) {
  size_t end = after_angles(r, i);
  for (size_t n = i + 1; n + 1 < end;) {
    size_t stop = element_end(r, n, end - 1);
    struct template_param p = read_param(r, n, stop);
    vec_push(r->mem, &c->params, p);
    n = stop + 1;
  }
  return end;
}

/* Members. */

static const char *read_first(const struct reader *r, size_t open) {
  size_t close = words_after(&r->w, open) - 1, end = element_end(r, open + 1, close), from = open + 1;
  for (size_t n = from; n < end; n++)
    if (*r->w.at[n].at == '=') end = n;
  while (from < end && at_is(r, from, "const")) from++;
  /* The last word is the parameter's name, if there is a type without it. */
  if (end - from >= 2 && word_is_name(&r->w.at[end - 1]) && !at_is(r, end - 2, "::") &&
      !at_is(r, end - 2, "unsigned") && !at_is(r, end - 2, "long") && !at_is(r, end - 2, "struct"))
    end--;
  while (end > from && (*r->w.at[end - 1].at == '&' || at_is(r, end - 1, "const"))) end--;
  return spell(r, from, end);
}

static void read_member(struct reader *r, size_t i, size_t end, struct cxx_class *c) {
  for (; i + 1 < end; i++) {
    char first = *r->w.at[i].at;
    if (first == '{' || first == '=' || at_is(r, i, "operator") || at_is(r, i, "friend") || at_is(r, i, "using"))
      return;
    if (first == '<') {
      i = after_angles(r, i) - 1;
    } else if (word_takes_brackets(&r->w.at[i]) && *r->w.at[i + 1].at == '(') {
      i = words_after(&r->w, i + 1) - 1;
    } else if (*r->w.at[i + 1].at == '(') {
      if (word_is_name(&r->w.at[i]) && !(i && *r->w.at[i - 1].at == '~')) {
        struct class_member m = {word_text(r->mem, &r->w.at[i]), read_first(r, i + 1)};
        vec_push(r->mem, &c->members, m);
      }
      return;
    }
  }
}

static void read_body(struct reader *r, size_t i, size_t end, bool visible, struct cxx_class *c) {
  while (i < end) {
    bool label = i + 1 < end && *r->w.at[i + 1].at == ':' && r->w.at[i + 1].len == 1;
    if (label && (at_is(r, i, "public") || at_is(r, i, "private") || at_is(r, i, "protected"))) {
      visible = at_is(r, i, "public");
      i += 2;
      continue;
    }
    size_t from = i;
    if (at_is(r, i, "template") && at_is(r, i + 1, "<")) from = after_angles(r, i + 1);
    bool nested = at_is(r, from, "class") || at_is(r, from, "struct") || at_is(r, from, "union") ||
                  at_is(r, from, "enum") || at_is(r, from, "typedef") || at_is(r, from, "using");
    size_t after = after_declaration(r, from);
    if (visible && !nested) read_member(r, from, after, c);
    i = after > i ? after : i + 1;
  }
}

/* Scopes. */

static bool is_hidden(const char *scope) {
  static const char *const words[] = {"detail", "details", "internal", "impl", "_impl", "__", "priv", NULL};
  for (int i = 0; words[i]; i++)
    if (strstr(scope, words[i])) return true;
  return false;
}

static void add_class(struct reader *r, const struct cxx_class *c) {
  for (size_t i = 0; i < r->to->list.count; i++) {
    struct cxx_class *old = &r->to->list.at[i];
    if (strcmp(old->name, c->name)) continue;
    /* Defaults may stand in either declaration. */
    struct cxx_class merged = c->whole ? *c : *old;
    const struct cxx_class *other = c->whole ? old : c;
    for (size_t n = 0; n < merged.params.count && n < other->params.count; n++)
      merged.params.at[n].defaulted |= other->params.at[n].defaulted;
    *old = merged;
    return;
  }
  vec_push(r->mem, &r->to->list, *c);
}

/* `class [attributes] name [final] [: bases] { ... }` at i, behind what may stand before it. */
static size_t read_class(struct reader *r, size_t i, const char *scope, struct cxx_class *c) {
  bool visible = !at_is(r, i, "class");
  size_t name = skip_attributes(r, i + 1), at = name;
  size_t after = after_declaration(r, i);
  if (at >= r->w.count || !word_is_name(&r->w.at[at])) return after;
  while (at + 1 < r->w.count && word_is_name(&r->w.at[at + 1]) && !at_is(r, at + 1, "final")) at = ++name; /* a macro */
  at++;
  if (at_is(r, at, "final")) at++;
  if (!at_is(r, at, "{") && !at_is(r, at, ":") && !at_is(r, at, ";")) return after; /* a specialization, a function */
  c->name = join(r->mem, scope, word_text(r->mem, &r->w.at[name]));
  c->hidden = is_hidden(scope);
  c->derived = at_is(r, at, ":");
  while (at < r->w.count && !at_is(r, at, "{") && !at_is(r, at, ";"))
    at = *r->w.at[at].at == '(' ? words_after(&r->w, at) : at + 1;
  c->whole = at_is(r, at, "{");
  if (c->whole) read_body(r, at + 1, words_after(&r->w, at) - 1, visible, c);
  add_class(r, c);
  return after;
}

/* `using name = ...;` and `using scope::name;` */
static size_t read_using(struct reader *r, size_t i, const char *scope, struct cxx_class *c) {
  size_t after = after_declaration(r, i);
  if (i + 2 >= r->w.count || at_is(r, i + 1, "namespace") || !word_is_name(&r->w.at[i + 1])) return after;
  if (at_is(r, i + 2, "=")) {
    c->name = join(r->mem, scope, word_text(r->mem, &r->w.at[i + 1]));
    c->hidden = is_hidden(scope);
    c->whole = c->derived = true;
    add_class(r, c);
  } else if (after >= i + 5 && at_is(r, after - 3, "::")) {
    const char *name = join(r->mem, scope, word_text(r->mem, &r->w.at[after - 2]));
    vec_push(r->mem, &r->aliases, ((struct alias){name, spell(r, i + 1, after - 1)}));
  }
  return after;
}

static void read_scope(struct reader *r, size_t i, size_t end, const char *scope) {
  while (i < end) {
    size_t begin = i;
    bool inlined = at_is(r, i, "inline") && at_is(r, i + 1, "namespace");
    if (inlined || at_is(r, i, "namespace")) {
      size_t open = i;
      while (open < end && !at_is(r, open, "{") && !at_is(r, open, ";")) open++;
      size_t name = skip_attributes(r, i + 1 + inlined);
      const char *inner = scope;
      if (!inlined && name < open && word_is_name(&r->w.at[name])) {
        size_t stop = name;
        while (stop < open && (word_is_name(&r->w.at[stop]) || at_is(r, stop, "::"))) stop++;
        inner = join(r->mem, scope, spell(r, name, stop));
      }
      i = open < end ? words_after(&r->w, open) : end;
      if (at_is(r, open, "{")) read_scope(r, open + 1, i - 1, inner);
    } else if (at_is(r, i, "extern") && i + 2 < end && *r->w.at[i + 1].at == '"' && at_is(r, i + 2, "{")) {
      i = words_after(&r->w, i + 2);
      read_scope(r, begin + 3, i - 1, scope);
    } else {
      struct cxx_class c = {.is_template = false};
      while (at_is(r, i, "template") && at_is(r, i + 1, "<")) {
        c.is_template = true;
        i = read_params(r, i + 1, &c);
      }
      i = skip_attributes(r, i);
      if (at_is(r, i, "class") || at_is(r, i, "struct"))
        i = read_class(r, i, scope, &c);
      else if (at_is(r, i, "using"))
        i = read_using(r, i, scope, &c);
      else
        i = after_declaration(r, i);
    }
    if (i <= begin) i = begin + 1;
  }
}

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), k = strlen(end);
  return n >= k && !strcmp(s + n - k, end) && (n == k || s[n - k - 1] == ':');
}

/* Users know a class by the name that the library exports. */
static void apply_aliases(struct reader *r) {
  for (size_t i = 0; i < r->aliases.count; i++)
    for (size_t n = 0; n < r->to->list.count; n++) {
      struct cxx_class *c = &r->to->list.at[n];
      const char *of = r->aliases.at[i].of;
      if (!strncmp(of, "::", 2)) of += 2;
      if (!ends_with(c->name, of)) continue;
      c->name = r->aliases.at[i].name;
      c->hidden = false;
    }
}

bool classes_read(const struct toolchain *t, const char *path, struct classes *to, struct problem *why) {
  struct reader r = {.mem = t->mem, .to = to};
  struct text text;
  *to = (struct classes){{NULL, 0, 0}};
  text_open(&text, t->mem);
  if (!toolchain_preprocess(t, path, &text)) {
    problem_set(why, "%s cannot be preprocessed:\n%s", path, toolchain_error(t->mem, text_string(&text)));
    return false;
  }
  for (int levels = 0; levels < 2 && !to->list.count; levels++) { /* some headers only include others */
    r.w.count = r.aliases.count = 0;
    tokens_split(t->mem, tokens_own(t->mem, text_string(&text), path, levels), &r.w);
    read_scope(&r, 0, r.w.count, "");
    apply_aliases(&r);
  }
  return true;
}
