/* Words of preprocessed C and C++: see tokens.h. */
#include "init/tokens.h"

#include <ctype.h>
#include <string.h>

bool word_is(const struct word *w, const char *s) { return strlen(s) == w->len && !memcmp(w->at, s, w->len); }

bool word_is_name(const struct word *w) { return isalpha((unsigned char)*w->at) || *w->at == '_'; }

bool word_among(const struct word *w, const char *const *list) {
  for (; *list; list++)
    if (word_is(w, *list)) return true;
  return false;
}

char *word_text(struct mem *m, const struct word *w) { return mem_string(m, w->at, w->len); }

/* `# 12 "queue.h" 1` names the file that the following lines come from; 1: it is included there, 2: it goes on. */
const char *tokens_own(struct mem *m, const char *text, const char *path, int levels) {
  struct text own;
  int depth = -1; /* includes between the file and the line; -1: the line is outside of it */
  text_open(&own, m);
  for (const char *line = text; *line;) {
    size_t len = strcspn(line, "\n");
    const char *quote = line[0] == '#' ? memchr(line, '"', len) : NULL;
    if (quote) {
      size_t n = strcspn(quote + 1, "\"\n");
      const char *flag = quote + 1 + n + (quote[1 + n] == '"');
      if (n == strlen(path) && !memcmp(quote + 1, path, n))
        depth = 0;
      else if (quote[1] == '<')
        depth = -1;
      else if (depth >= 0)
        depth += !strncmp(flag, " 1", 2) ? 1 : !strncmp(flag, " 2", 2) ? -1 : 0;
    } else if (line[0] != '#' && depth >= 0 && depth <= levels) {
      text_bytes(&own, line, len);
      text_char(&own, '\n');
    }
    line += len + (line[len] == '\n');
  }
  return text_string(&own);
}

static size_t length_of(const char *s) {
  size_t n = 1;
  if (*s == '"' || *s == '\'') {
    while (s[n] && s[n] != *s) n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return n + (s[n] != 0);
  }
  if (isdigit((unsigned char)*s)) { /* C++ has 1'000 */
    while (isalnum((unsigned char)s[n]) || s[n] == '.' || (s[n] == '\'' && isalnum((unsigned char)s[n + 1]))) n++;
    return n;
  }
  if (isalpha((unsigned char)*s) || *s == '_') {
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    return n;
  }
  return (s[0] == ':' && s[1] == ':') || (s[0] == '-' && s[1] == '>') ? 2 : 1;
}

void tokens_split(struct mem *m, const char *s, struct words *out) {
  while (*s) {
    if (isspace((unsigned char)*s)) {
      s++;
      continue;
    }
    size_t n = length_of(s);
    vec_push(m, out, ((struct word){s, n}));
    s += n;
  }
}

size_t words_after(const struct words *w, size_t i) {
  int depth = 0;
  for (; i < w->count; i++) {
    char c = *w->at[i].at;
    depth += c == '(' || c == '{' || c == '[';
    depth -= c == ')' || c == '}' || c == ']';
    if (depth == 0) return i + 1;
  }
  return i;
}

bool word_takes_brackets(const struct word *w) {
  static const char *const list[] = {"__attribute__",  "__attribute", "__asm__",   "__asm",    "asm",      "_Alignas",
                                     "alignas",        "__declspec",  "__nonnull", "noexcept", "decltype", "throw",
                                     "_Static_assert", "requires",    "explicit",  "__except", NULL};
  return word_among(w, list);
}
