/* Jepsen's JSON: objects one after the other, or in one array. See jepsen.c. */
#include "history/format.h"
#include "history/jepsen.h"

static bool read_json(struct input *in, struct history *h, struct problem *p) {
  return jepsen_read(in, h, SCAN_JSON, p);
}

static bool write_json(const struct history *h, struct text *out, struct problem *p,
                       bool (*flush)(struct text *, void *), void *to) {
  (void)p;
  return jepsen_write(h, out, SCAN_JSON, flush, to);
}

static int guess(const char *s, size_t n) {
  const char *end = s + n;
  bool bracket = false;
  for (; s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n' || *s == '[' || *s == '{'); s++)
    if (*s == '[' || *s == '{') bracket = true;
  if (s == end) return bracket ? 25 : 0;
  return bracket && *s == '"' ? 90 : bracket && (*s == ']' || *s == '}') ? 25 : 0;
}

const struct format format_json = {
    .name = "json",
    .summary = "Jepsen's JSON: an object a line, or an array",
    .empty = true,
    .suffixes = ".json .jsonl",
    .guess = guess,
    .read = read_json,
    .write = write_json,
};
