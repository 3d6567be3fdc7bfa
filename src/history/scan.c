/* The scanner: see scan.h.
 *
 * Lists become list values; sets and maps too, sorted, so that two that are equal have one value: a set as the list of
 * its items, a map as the list of its [key value] pairs. Keywords, strings, symbols, characters, and numbers that are
 * no 64-bit integers become texts; the tag of a tagged value is dropped. */
#include "history/scan.h"

#include <stdlib.h>
#include <string.h>

#include "history/decimal.h"

/* Blanks and control bytes, quotes, brackets, commas. */
#define ROW 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
const unsigned char scan_ends[256] = {
    ROW,          ROW,          [' '] = ENDS, ['"'] = ENDS, ['('] = ENDS,      [')'] = ENDS,    [','] = ENDS,
    ['['] = ENDS, [']'] = ENDS, ['{'] = ENDS, ['}'] = ENDS, [':'] = ENDS_JSON, [';'] = ENDS_EDN};

static const unsigned char syntax_ends[] = {
    [SCAN_PLAIN] = ENDS, [SCAN_EDN] = ENDS | ENDS_EDN, [SCAN_JSON] = ENDS | ENDS_JSON};

void scan_open(struct scan *s, struct input *in, struct values *values, enum scan_syntax syntax, struct problem *p) {
  *s = (struct scan){.in = in, .values = values, .problem = p, .syntax = syntax, .ends = syntax_ends[syntax]};
  text_open(&s->scratch, in->mem);
  if (in->line) return;
  in->line = 1;
  in->line_at = in->base + (uint64_t)(in->at - in->begin);
}

uint64_t scan_column(const struct scan *s) {
  return s->in->base + (uint64_t)(s->in->at - s->in->begin) - s->in->line_at + 1;
}

static void newline(struct input *in) { /* in->at is on it */
  in->line++;
  in->line_at = in->base + (uint64_t)(in->at - in->begin) + 1;
}

/* *p reached in->end: gets more behind it, keeping p at the same byte. */
static bool more(struct scan *s, char **p) {
  size_t seen = (size_t)(*p - s->in->at);
  bool got = input_fill(s->in, seen + 1) > seen;
  *p = s->in->at + seen;
  return got;
}

static bool bad(struct scan *s, const char *what) {
  return s->in->failed ? input_whole(s->in, s->problem) : input_problem(s->in, s->in->at, s->problem, "%s", what);
}

static bool too_deep(struct scan *s, const char *place) {
  return input_problem(s->in, place, s->problem, "nested more than %d deep, which is the limit", SCAN_DEPTH);
}

/* A comment up to the end of the line. */
static void skip_line(struct scan *s) {
  struct input *in = s->in;
  for (;;) {
    char *n = memchr(in->at, '\n', (size_t)(in->end - in->at));
    in->at = n ? n : in->end;
    if (n || !input_fill(in, 1)) return;
  }
}

int scan_peek(struct scan *s) {
  struct input *in = s->in;
  for (;;) {
    unsigned char c = (unsigned char)*in->at;
    if (c > ' ' && c != ',' && c != ';' && c != '#') return c;
    if (c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\f') {
      in->at++;
    } else if (c == '\n') {
      newline(in);
      in->at++;
    } else if (c == ';' && s->syntax == SCAN_EDN) {
      skip_line(s);
    } else if (c == '#' && s->syntax == SCAN_EDN && input_fill(in, 2) >= 2 && in->at[1] == '_') {
      if (++s->depth > SCAN_DEPTH) return too_deep(s, in->at), SCAN_BAD;
      in->at += 2;
      if (!scan_skip(s)) return SCAN_BAD;
      s->depth--;
    } else if (c == 0 && in->at == in->end) {
      if (input_fill(in, 1)) continue;
      if (!in->failed) return SCAN_END;
      return bad(s, ""), SCAN_BAD;
    } else {
      return c;
    }
  }
}

/* --- atoms --- */

bool scan_integer(const char *s, size_t len, int64_t *out) {
  bool minus = len && *s == '-';
  size_t i = minus || (len && *s == '+');
  if (i == len) return false;
  uint64_t n = 0, limit = (uint64_t)INT64_MAX + minus;
  for (size_t safe = i + 18; i < len; i++) {
    unsigned d = (unsigned)(unsigned char)s[i] - '0';
    if (d > 9 || (i >= safe && n > (limit - d) / 10)) return false; /* 18 digits are never too many */
    n = n * 10 + d;
  }
  *out = minus ? (int64_t)(0 - n) : (int64_t)n;
  return true;
}

static const struct {
  const char *name;
  value is;
} specials[] = {{"empty", V_EMPTY}, {"full", V_FULL}, {"?", V_UNKNOWN}, {"none", V_NONE}};

/* Of these, `none` is one only as a whole result: it is no value that could be an item or an argument. */
static bool special(const struct scan *s, const char *chars, size_t len, value *out) {
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (word_is(chars, len, specials[i].name) && (specials[i].is != V_NONE || (s->none && !s->depth)))
      return *out = specials[i].is, true;
  return false;
}

const char *scan_special_name(value v) {
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (specials[i].is == v) return specials[i].name;
  return NULL;
}

static void put_utf8(struct text *t, unsigned c) {
  char b[4];
  size_t n = 0;
  if (c < 0x80) {
    b[n++] = (char)c;
  } else if (c < 0x800) {
    b[n++] = (char)(0xc0 | c >> 6);
    b[n++] = (char)(0x80 | (c & 63));
  } else if (c < 0x10000) {
    b[n++] = (char)(0xe0 | c >> 12);
    b[n++] = (char)(0x80 | (c >> 6 & 63));
    b[n++] = (char)(0x80 | (c & 63));
  } else {
    b[n++] = (char)(0xf0 | c >> 18);
    b[n++] = (char)(0x80 | (c >> 12 & 63));
    b[n++] = (char)(0x80 | (c >> 6 & 63));
    b[n++] = (char)(0x80 | (c & 63));
  }
  text_bytes(t, b, n);
}

static bool hex4(const char *p, const char *end, unsigned *out) {
  if (end - p < 4) return false;
  unsigned n = 0;
  for (int i = 0; i < 4; i++) {
    char c = p[i];
    unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                        : 16;
    if (d > 15) return false;
    n = n * 16 + d;
  }
  *out = n;
  return true;
}

/* Takes the escapes out of [p, end), the inside of a string, into the scratch text. */
static bool unescape(struct scan *s, const char *p, const char *end) {
  struct text *t = &s->scratch;
  text_clear(t);
  while (p < end) {
    const char *b = memchr(p, '\\', (size_t)(end - p));
    if (!b) b = end;
    text_bytes(t, p, (size_t)(b - p));
    if (b == end) break;
    p = b + 2;
    unsigned c, low;
    switch (b[1]) {
    case 'n': text_char(t, '\n'); break;
    case 't': text_char(t, '\t'); break;
    case 'r': text_char(t, '\r'); break;
    case 'b': text_char(t, '\b'); break;
    case 'f': text_char(t, '\f'); break;
    case '"':
    case '\\':
    case '/': text_char(t, b[1]); break;
    case 'u':
      if (!hex4(p, end, &c))
        return input_problem(s->in, b, s->problem, "\\u wants four hexadecimal digits, as in \\u00e9");
      p += 4;
      if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' && hex4(p + 2, end, &low) &&
          low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
      }
      put_utf8(t, c);
      break;
    default:
      return input_problem(s->in, b, s->problem,
                           "a backslash before %s in a string means nothing; a backslash itself is written \\\\",
                           byte_name(b[1]).text);
    }
  }
  return true;
}

static const char cut_string[] = "the string that starts here has no closing quote: is it cut off?";
static const char nul_byte[] = "byte 0x00, which no history holds";

static bool scan_string(struct scan *s, const char **chars, size_t *len) {
  struct input *in = s->in;
  char *p = in->at + 1;
  bool escaped = false;
  uint64_t lines = 0;
  size_t last = 0; /* offset from in->at of the latest newline inside */
  for (;;) {
    while (*p != '"' && *p != '\\' && *p != '\n' && *p) p++;
    if (*p == '"') break;
    if (p == in->end) {
      if (!more(s, &p)) return bad(s, cut_string);
      continue;
    }
    if (!*p) {
      in->at = p;
      return bad(s, nul_byte);
    }
    if (*p == '\n') {
      lines++;
      last = (size_t)(p - in->at);
    } else {
      escaped = true;
      p++; /* and whatever it escapes */
      if (p == in->end && !more(s, &p)) return bad(s, cut_string);
    }
    p++;
  }
  if (escaped) {
    if (!unescape(s, in->at + 1, p)) return false;
    *chars = text_string(&s->scratch);
    *len = s->scratch.count;
  } else {
    *chars = in->at + 1;
    *len = (size_t)(p - in->at) - 1;
  }
  if (lines) {
    in->line += lines;
    in->line_at = in->base + (uint64_t)(in->at - in->begin) + last + 1;
  }
  in->at = p + 1;
  return true;
}

static inline bool ends_word(const struct scan *s, char c) { return scan_ends[(unsigned char)c] & s->ends; }

/* \a, \newline, \u0f12 of EDN. */
static bool scan_character(struct scan *s, const char **chars, size_t *len) {
  static const char *const names[] = {"newline\n", "space ", "tab\t", "return\r", "backspace\b", "formfeed\f"};
  struct input *in = s->in;
  input_fill(in, 2);
  char *p = in->at + 2; /* the byte after the backslash belongs to it, whatever it is */
  if (p > in->end) return bad(s, "ends after a backslash");
  while (!ends_word(s, *p) || (p == in->end && more(s, &p) && !ends_word(s, *p))) p++;
  *chars = in->at + 1;
  *len = (size_t)(p - in->at) - 1;
  in->at = p;
  unsigned code;
  if (*len == 5 && **chars == 'u' && hex4(*chars + 1, *chars + 5, &code)) {
    text_clear(&s->scratch);
    put_utf8(&s->scratch, code);
    *chars = text_string(&s->scratch);
    *len = s->scratch.count;
    return true;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == *len + 1 && !memcmp(names[i], *chars, *len)) *chars = names[i] + *len, *len = 1;
  return true;
}

bool scan_token(struct scan *s, enum token *kind, const char **chars, size_t *len) {
  struct input *in = s->in;
  if (*in->at == '"') return *kind = TOKEN_STRING, scan_string(s, chars, len);
  if (*in->at == '\\' && s->syntax == SCAN_EDN) return *kind = TOKEN_STRING, scan_character(s, chars, len);
  char *p = in->at;
  for (unsigned char ends = s->ends;;) {
    while (!(scan_ends[(unsigned char)*p] & ends)) p++;
    if (p != in->end || !more(s, &p)) break;
  }
  if (in->failed) return bad(s, "");
  if (p == in->at) {
    if (p == in->end) return bad(s, "ends where a value should be: is it cut off?");
    return input_problem(in, p, s->problem, "%s where a value should be", byte_name(*p).text);
  }
  if (*p == 0 && p != in->end) {
    in->at = p;
    return bad(s, nul_byte);
  }
  char c = *in->at;
  *chars = in->at;
  *len = (size_t)(p - in->at);
  in->at = p;
  if (c == ':' && s->syntax == SCAN_EDN) {
    *kind = TOKEN_KEYWORD;
    ++*chars;
    --*len;
  } else if ((c >= '0' && c <= '9') ||
             ((c == '-' || c == '+') && *len > 1 && (*chars)[1] >= '0' && (*chars)[1] <= '9')) {
    *kind = TOKEN_INT;
  } else {
    *kind = TOKEN_WORD;
  }
  return true;
}

/* --- values --- */

static value number(struct scan *s, const char *chars, size_t len) {
  int64_t n;
  size_t digits = s->syntax == SCAN_EDN && chars[len - 1] == 'N' ? len - 1 : len; /* 5N is 5 */
  if (scan_integer(chars, digits, &n)) return value_int(s->values, n);
  /* In JSON 1.0 is 1, and 1.50 is 1.5, whoever wrote it; in EDN 1.0 is another value than 1, and 1.50M than 1.5M. */
  struct decimal d;
  char text[DECIMAL_TEXT];
  bool plus = s->syntax == SCAN_EDN && *chars == '+',
       real = memchr(chars, '.', len) || memchr(chars, 'e', len) || memchr(chars, 'E', len);
  bool normal = s->syntax == SCAN_JSON || (s->syntax == SCAN_EDN && real);
  if (!normal || !decimal_read(chars, len, &d) || d.cut) return value_text(s->values, chars + plus, digits - plus);
  size_t length = decimal_write(&d, text);
  if (s->syntax == SCAN_EDN && !memchr(text, '.', length) && !memchr(text, 'e', length)) {
    memcpy(text + length, ".0", 2);
    return value_text(s->values, text, length + 2);
  }
  return scan_integer(text, length, &n) ? value_int(s->values, n) : value_text(s->values, text, length);
}

static bool word(struct scan *s, const char *chars, size_t len, value *out) {
  if (word_is(chars, len, s->syntax == SCAN_JSON ? "null" : "nil")) return *out = V_NIL, true;
  if (word_is(chars, len, "true")) return *out = V_TRUE, true;
  if (word_is(chars, len, "false")) return *out = V_FALSE, true;
  if (s->syntax == SCAN_PLAIN && special(s, chars, len, out)) return true;
  if (s->syntax == SCAN_JSON)
    return input_problem(s->in, s->in->at - len, s->problem, "%.*s is no JSON value; a text wants quotes",
                         (int)(len > 40 ? 40 : len), chars);
  *out = value_text(s->values, chars, len);
  return true;
}

static bool atom(struct scan *s, value *out) {
  enum token kind;
  const char *chars;
  size_t len;
  if (!scan_token(s, &kind, &chars, &len)) return false;
  switch (kind) {
  case TOKEN_INT: *out = number(s, chars, len); return true;
  case TOKEN_WORD: return word(s, chars, len, out);
  case TOKEN_KEYWORD:
    if (!special(s, chars, len, out)) *out = value_text(s->values, chars, len);
    return true;
  default:
    if (s->syntax == SCAN_JSON && len && *chars == ':' && special(s, chars + 1, len - 1, out)) return true;
    *out = value_text(s->values, chars, len);
    return true;
  }
}

bool scan_closed(struct scan *s, char bracket, uint64_t line, uint64_t column, bool *closed) {
  int c = scan_peek(s);
  *closed = c == bracket;
  if (c == bracket) return s->in->at++, true;
  if (c == SCAN_END)
    return input_problem(s->in, s->in->at, s->problem,
                         "ends inside what was opened at %llu:%llu; '%c' is missing: is it cut off?",
                         (unsigned long long)line, (unsigned long long)column, bracket);
  if (c == ']' || c == '}' || c == ')')
    return input_problem(s->in, s->in->at, s->problem, "'%c' does not close what was opened at %llu:%llu; '%c' would",
                         c, (unsigned long long)line, (unsigned long long)column, bracket);
  return c != SCAN_BAD;
}

static int compare(const void *a, const void *b, void *values) {
  return value_compare(values, *(const value *)a, *(const value *)b);
}

/* The items from `first` on, sorted and each once: a set, or a map's pairs. */
static void canonical(struct scan *s, size_t first) {
  size_t n = s->items.count - first, kept = 0;
  if (!n) return;
  value *v = s->items.at + first;
  if (n > 1) qsort_r(v, n, sizeof *v, compare, s->values);
  for (size_t i = 0; i < n; i++)
    if (!kept || v[kept - 1] != v[i]) v[kept++] = v[i];
  s->items.count = first + kept;
}

static bool json_colon(struct scan *s) {
  int c = scan_peek(s);
  if (c == ':') return s->in->at++, true;
  return c == SCAN_BAD ? false : bad(s, "':' should follow the key");
}

/* A list, set or map; in->at is after its opening bracket. */
static bool many(struct scan *s, char bracket, bool set, value *out) {
  uint64_t line = s->in->line, column = scan_column(s) - 1;
  size_t first = s->items.count;
  bool map = bracket == '}' && !set, closed;
  if (++s->depth > SCAN_DEPTH) return too_deep(s, s->in->at - 1);
  for (;;) {
    value item, pair[2];
    if (!scan_closed(s, bracket, line, column, &closed)) return false;
    if (closed) break;
    if (!map) {
      if (!scan_value(s, &item)) return false;
    } else {
      if (!scan_value(s, &pair[0]) || (s->syntax == SCAN_JSON && !json_colon(s))) return false;
      int c = scan_peek(s);
      if (c == '}') return bad(s, "this key has no value");
      if (!scan_value(s, &pair[1])) return false;
      item = value_list(s->values, pair, 2);
    }
    vec_push(s->in->mem, &s->items, item);
  }
  if (map || set) canonical(s, first);
  size_t n = s->items.count - first;
  *out = value_list(s->values, n ? s->items.at + first : out, n);
  s->items.count = first;
  s->depth--;
  return true;
}

/* '#': a set, or a tag (dropped) before a value. True with *open if a set's bracket was passed. */
static bool dispatch(struct scan *s, bool *open) {
  enum token kind;
  const char *chars;
  size_t len;
  *open = false;
  s->in->at++;
  if (!input_fill(s->in, 1)) return bad(s, "ends after '#'");
  char c = *s->in->at;
  if (c == '{') return s->in->at++, *open = true;
  if (c == '"') return true;              /* a pattern */
  if (c == '#') return s->in->at++, true; /* ##Inf */
  return scan_token(s, &kind, &chars, &len);
}

bool scan_value(struct scan *s, value *out) {
  for (;;) {
    int c = scan_peek(s);
    bool set;
    switch (c) {
    case SCAN_BAD: return false;
    case '[': s->in->at++; return many(s, ']', false, out);
    case '(': s->in->at++; return many(s, ')', false, out);
    case '{': s->in->at++; return many(s, '}', false, out);
    case '#':
      if (s->syntax != SCAN_EDN) return atom(s, out);
      if (!dispatch(s, &set)) return false;
      if (set) return many(s, '}', true, out);
      continue;
    default: return atom(s, out);
    }
  }
}

bool scan_skip(struct scan *s) {
  struct {
    uint64_t line, column;
    char bracket;
  } open[SCAN_DEPTH];
  int depth = 0;
  for (;;) {
    enum token kind;
    const char *chars;
    size_t len;
    bool closed = false, set = false;
    if (depth && !scan_closed(s, open[depth - 1].bracket, open[depth - 1].line, open[depth - 1].column, &closed))
      return false;
    int c = closed ? 0 : scan_peek(s);
    if (c == SCAN_BAD) return false;
    if (c == '#' && s->syntax == SCAN_EDN) {
      if (!dispatch(s, &set)) return false;
      if (!set) continue; /* a tag: its value follows */
    }
    if (closed) {
      depth--;
    } else if (set || c == '[' || c == '{' || c == '(') {
      if (!set) s->in->at++;
      if (depth == SCAN_DEPTH) return too_deep(s, s->in->at - 1);
      open[depth].line = s->in->line;
      open[depth].column = scan_column(s) - 1;
      open[depth++].bracket = c == '[' ? ']' : c == '(' ? ')' : '}';
    } else if (depth && c == ':' && s->syntax == SCAN_JSON) {
      s->in->at++;
    } else if (!scan_token(s, &kind, &chars, &len)) {
      return false;
    }
    if (!depth) return true;
  }
}
