/* Strict little checkers for what reports write: JSON (RFC 8259), UTF-8, and XML as far as our reports use it. */
#ifndef ASIF_TESTS_WELL_FORMED_H
#define ASIF_TESTS_WELL_FORMED_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* No overlong forms, no surrogates, nothing past U+10FFFF. */
static inline bool valid_utf8(const char *s, size_t n) {
  const unsigned char *p = (const unsigned char *)s, *end = p + n;
  while (p < end) {
    unsigned more = *p < 0x80                 ? 0
                    : *p >= 0xc2 && *p < 0xe0 ? 1
                    : *p >= 0xe0 && *p < 0xf0 ? 2
                    : *p >= 0xf0 && *p < 0xf5 ? 3
                                              : 9;
    if (more == 9 || end - p <= (long)more) return false;
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) || (*p == 0xf0 && p[1] < 0x90) ||
        (*p == 0xf4 && p[1] >= 0x90))
      return false;
    for (unsigned i = 1; i <= more; i++)
      if ((p[i] & 0xc0) != 0x80) return false;
    p += more + 1;
  }
  return true;
}

/* Each json_ function skips what it is named for and returns where it ends, or NULL. The text ends with a NUL. */
static inline const char *json_value(const char *s);

static inline const char *json_string(const char *s) {
  if (*s++ != '"') return NULL;
  for (; *s != '"'; s++) {
    if ((unsigned char)*s < 0x20) return NULL;
    if (*s != '\\') continue;
    s++;
    if (*s == 'u') {
      for (int i = 0; i < 4; i++)
        if (!isxdigit((unsigned char)*++s)) return NULL;
    } else if (!*s || !strchr("\"\\/bfnrt", *s)) {
      return NULL;
    }
  }
  return s + 1;
}

static inline const char *json_number(const char *s) {
  if (*s == '-') s++;
  if (*s == '0')
    s++;
  else if (isdigit((unsigned char)*s))
    while (isdigit((unsigned char)*s)) s++;
  else
    return NULL;
  if (*s == '.') {
    if (!isdigit((unsigned char)*++s)) return NULL;
    while (isdigit((unsigned char)*s)) s++;
  }
  return *s == 'e' || *s == 'E' ? NULL : s;
}

static inline const char *json_many(const char *s, char close, bool keyed) {
  if (*++s == close) return s + 1;
  for (;;) {
    if (keyed) {
      s = json_string(s);
      if (!s || *s++ != ':') return NULL;
    }
    s = json_value(s);
    if (!s) return NULL;
    if (*s == close) return s + 1;
    if (*s++ != ',') return NULL;
  }
}

static inline const char *json_value(const char *s) {
  if (*s == '{') return json_many(s, '}', true);
  if (*s == '[') return json_many(s, ']', false);
  if (*s == '"') return json_string(s);
  if (!strncmp(s, "true", 4) || !strncmp(s, "null", 4)) return s + 4;
  if (!strncmp(s, "false", 5)) return s + 5;
  return json_number(s);
}

/* Elements nest, attributes are quoted and given once, and only the five entities and &#39; are used. */
static inline bool well_formed_xml(const char *s) {
  char names[32][32];
  int depth = 0, roots = 0;
  if (!strncmp(s, "<?xml", 5)) s = strstr(s, "?>") + 2;
  for (; *s; s++) {
    if ((unsigned char)*s < 0x20 && *s != '\n') return false;
    if (*s == '>' || (*s != '<' && !depth && !isspace((unsigned char)*s))) return false;
    if (*s == '&') {
      if (strncmp(s, "&amp;", 5) && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) && strncmp(s, "&quot;", 6) &&
          strncmp(s, "&#39;", 5))
        return false;
    }
    if (*s != '<') continue;
    bool closing = s[1] == '/';
    s += 1 + closing;
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-");
    if (!n || n >= sizeof names[0]) return false;
    if (closing) {
      if (!depth || strlen(names[depth - 1]) != n || strncmp(names[depth - 1], s, n) || s[n] != '>') return false;
      depth--;
      s += n;
      continue;
    }
    if (depth == 32 || (!depth && roots++)) return false;
    memcpy(names[depth], s, n);
    names[depth++][n] = 0;
    s += n;
    while (*s == ' ') {
      s++;
      size_t a = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-:");
      if (!a || s[a] != '=' || s[a + 1] != '"') return false;
      for (s += a + 2; *s != '"'; s++)
        if (!*s || *s == '<' || (unsigned char)*s < 0x20) return false;
      s++;
    }
    if (*s == '/') depth--, s++;
    if (*s != '>') return false;
  }
  return !depth && roots == 1;
}

#endif
