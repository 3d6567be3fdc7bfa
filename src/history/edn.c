/* Jepsen's EDN: maps one after the other, or in one vector. See jepsen.c. */
#include "history/format.h"
#include "history/jepsen.h"

static bool read_edn(struct input *in, struct history *h, struct problem *p) { return jepsen_read(in, h, SCAN_EDN, p); }

static bool write_edn(const struct history *h, struct text *out, struct problem *p,
                      bool (*flush)(struct text *, void *), void *to) {
  (void)p;
  return jepsen_write(h, out, SCAN_EDN, flush, to);
}

/* #op, #Op, #_, #:op and #::op. */
static bool begins_tag(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }

static int guess(const char *s, size_t n) {
  const char *end = s + n;
  bool bracket = false, tag = false;
  while (s < end) {
    if (*s == ';') {
      while (s < end && *s != '\n') s++;
    } else if (*s == '#' && s + 1 < end && begins_tag(s[1])) {
      tag = true;
      while (s < end && *s != '{' && *s != '[' && *s != ' ' && *s != '\n') s++;
    } else if (*s == '[' || *s == '(' || *s == '{') {
      bracket = true;
      s++;
    } else if (*s <= ' ' || *s == ',') {
      s++;
    } else {
      break;
    }
  }
  if (s == end) return bracket ? 20 : 0;
  return !bracket ? 0 : *s == ':' ? 90 : tag ? 50 : 0;
}

const struct format format_edn = {
    .name = "edn",
    .summary = "Jepsen's EDN: maps, or a vector of maps",
    .empty = true,
    .suffixes = ".edn",
    .guess = guess,
    .read = read_edn,
    .write = write_edn,
};
