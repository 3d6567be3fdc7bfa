/* Preprocessed text -> tokens. Linemarkers (# 12 "file.c") say which file and line follow. */
#include <stdlib.h>

#include "front/pp.h"

struct lexer {
  struct front *f;
  const char *at, *end;
  uint16_t file;
  uint32_t line;
  bool line_start; /* nothing but blanks so far */
};

static bool is_letter(char c) { return pp_chars[(unsigned char)c] & CHAR_LETTER; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static struct place place_of(struct lexer *x, size_t length) {
  bool known = x->f->unit->files.at[x->file].text;
  return (struct place){x->file, x->line, known ? source_column(x->f, x->file, x->line, x->at, length) : 1};
}

static void skip_line(struct lexer *x) {
  const char *end = memchr(x->at, '\n', (size_t)(x->end - x->at));
  x->at = end ? end : x->end;
}

static void read_pragma(struct lexer *x, const char *p) {
  const char *end = memchr(p, '\n', (size_t)(x->end - p));
  pragma_read(x->f, (struct place){x->file, x->line, 1}, p, end ? end : x->end);
}

/* # 12 "file.c" flags: what follows is that line. Of other directives, only some #pragma say something. */
static void read_directive(struct lexer *x) {
  const char *p = x->at + 1;
  while (p < x->end && (*p == ' ' || *p == '\t')) p++;
  if (x->end - p > 7 && !memcmp(p, "pragma ", 7)) read_pragma(x, p + 7);
  if (x->end - p > 5 && !memcmp(p, "line ", 5)) p += 5;
  uint64_t line = 0;
  const char *digits = p;
  for (; p < x->end && is_digit(*p) && line < UINT32_MAX / 16; p++) line = line * 10 + (uint64_t)(*p - '0');
  while (p < x->end && *p == ' ') p++;
  const char *name = p < x->end && *p == '"' ? p + 1 : NULL, *close = name;
  while (close && close < x->end && *close != '"' && *close != '\n') close++;
  skip_line(x);
  if (p == digits || !line) return;
  if (close && close < x->end && *close == '"') {
    bool system = false;
    for (p = close + 1; p < x->end && *p != '\n'; p++) system |= *p == '3' && p[-1] == ' ';
    x->file = source_add(x->f, name, (size_t)(close - name), system);
  }
  x->line = (uint32_t)line - 1; /* the end of this line adds one */
  x->f->columns.line = 0;
}

static void new_line(struct lexer *x) {
  x->at++;
  x->line++;
  x->line_start = true;
}

static void skip_comment(struct lexer *x) {
  struct place place = {x->file, x->line, 1};
  if (x->at[1] == '/') {
    skip_line(x);
    return;
  }
  for (x->at += 2; x->end - x->at > 1 && !(x->at[0] == '*' && x->at[1] == '/');)
    if (*x->at == '\n')
      new_line(x);
    else
      x->at++;
  if (x->end - x->at < 2) front_fail(x->f, place, "a comment that does not end");
  x->at += 2;
}

static void skip_space(struct lexer *x) {
  for (; x->at < x->end;) {
    if (*x->at == '\n')
      new_line(x);
    else if (*x->at == ' ' || *x->at == '\t' || *x->at == '\r' || *x->at == '\f' || *x->at == '\v')
      x->at++;
    else if (*x->at == '#' && x->line_start)
      read_directive(x);
    else if (*x->at == '/' && x->end - x->at > 1 && (x->at[1] == '/' || x->at[1] == '*'))
      skip_comment(x);
    else
      return;
  }
}

/* The least type, from int up, that holds the value (C11 6.4.4.1). */
static const struct type *number_type(uint64_t value, bool decimal, bool is_unsigned, int longs) {
  bool is_long = longs > 0;
  if (!is_long && !is_unsigned && value <= INT32_MAX) return TYPE_OF(INT);
  if (!is_long && (is_unsigned || !decimal) && value <= UINT32_MAX) return TYPE_OF(UINT);
  if (!is_unsigned && value <= INT64_MAX) return longs > 1 ? TYPE_OF(LLONG) : TYPE_OF(LONG);
  return longs > 1 ? TYPE_OF(ULLONG) : TYPE_OF(ULONG);
}

static void read_suffix(struct lexer *x, struct token *t, const char *p, const char *end, uint64_t value,
                        bool decimal) {
  bool is_unsigned = false;
  int longs = 0;
  for (; p < end; p++) {
    if ((*p == 'u' || *p == 'U') && !is_unsigned)
      is_unsigned = true;
    else if ((*p == 'l' || *p == 'L') && longs < 2)
      longs++;
    else
      front_fail(x->f, t->place, "%.*s is no number", (int)t->length, t->text);
  }
  t->value = (int64_t)value;
  t->type = number_type(value, decimal, is_unsigned, longs);
}

static const char *number_end(const struct lexer *x) {
  const char *end = x->at;
  while (end < x->end && (is_letter(*end) || is_digit(*end) || *end == '.')) {
    bool exponent = (*end == 'e' || *end == 'E') && !(x->at[0] == '0' && (x->at[1] == 'x' || x->at[1] == 'X'));
    end++;
    if ((exponent || end[-1] == 'p' || end[-1] == 'P') && end < x->end && (*end == '+' || *end == '-')) end++;
  }
  return end;
}

static bool is_floating(const char *p, const char *end) {
  bool hex = end - p > 1 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
  for (; p < end; p++)
    if (*p == '.' || (hex ? *p == 'p' || *p == 'P' : *p == 'e' || *p == 'E')) return true;
  return false;
}

/* Its bits, as x86-64 has them, are the value. */
static void read_floating(struct lexer *x, struct token *t, const char *p, const char *end) {
  char digits[400], *stop = digits;
  size_t n = (size_t)(end - p);
  if (n < sizeof digits) {
    memcpy(digits, p, n);
    digits[n] = 0;
  }
  double value = n < sizeof digits ? strtod(digits, &stop) : 0;
  float narrow = n < sizeof digits ? strtof(digits, NULL) : 0;
  if (stop == digits) t->outside = "this number";
  bool one = *stop && !stop[1];
  t->type = !*stop                                  ? TYPE_OF(DOUBLE)
            : one && (*stop == 'f' || *stop == 'F') ? TYPE_OF(FLOAT)
            : one && (*stop == 'l' || *stop == 'L') ? TYPE_OF(LDOUBLE)
                                                    : TYPE_OF(FLOAT128);
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  memcpy(&t->value, &value, sizeof t->value);
  if (t->type == TYPE_OF(FLOAT)) t->value = bits;
  x->at = end;
}

static void read_number(struct lexer *x, struct token *t) {
  const char *p = x->at, *end = number_end(x);
  t->kind = TOKEN_NUMBER;
  t->length = (size_t)(end - p);
  t->place = place_of(x, t->length);
  if (is_floating(p, end)) {
    read_floating(x, t, p, end);
    return;
  }
  int base = 10;
  if (*p == '0' && end - p > 1) {
    base = p[1] == 'x' || p[1] == 'X' ? 16 : p[1] == 'b' || p[1] == 'B' ? 2 : 8;
    p += base == 8 ? 1 : 2;
    if (p == end) front_fail(x->f, t->place, "%.*s is no number", (int)t->length, t->text);
  }
  uint64_t value = 0;
  int d;
  for (; p < end && (d = hex_digit(*p)) >= 0 && d < base; p++) {
    if (value > (UINT64_MAX - (uint64_t)d) / (uint64_t)base)
      front_fail(x->f, t->place, "a number of more than 64 bits");
    value = value * (uint64_t)base + (uint64_t)d;
  }
  read_suffix(x, t, p, end, value, base == 10);
  x->at = end;
}

/* One character of a string or character constant, at p. */
static int read_char(struct lexer *x, struct token *t, const char **p) {
  static const char from[] = "ntr0abfv\\'\"?e", to[] = "\n\t\r\0\a\b\f\v\\'\"?\033";
  if (**p != '\\') return (signed char)*(*p)++;
  if (x->end - *p < 2) front_fail(x->f, t->place, "a string that does not end");
  int c = *++*p, value = 0, digits = 0;
  if (c == 'x') {
    for (++*p; *p < x->end && hex_digit(**p) >= 0; ++*p, digits++) value = (value * 16 + hex_digit(**p)) & 255;
    if (!digits) front_fail(x->f, t->place, "\\x without a digit");
    return (signed char)value;
  }
  if (c >= '0' && c <= '7') {
    for (; *p < x->end && digits < 3 && **p >= '0' && **p <= '7'; ++*p, digits++)
      value = (value * 8 + (**p - '0')) & 255;
    return (signed char)value;
  }
  const char *known = c ? strchr(from, c) : NULL;
  ++*p;
  if (!known) t->outside = c == 'u' || c == 'U' ? "a character named by its number" : "an unknown escape in a string";
  return known ? to[known - from] : c;
}

/* The end of what the quote at x->at begins: the place of the closing quote. */
static const char *quote_end(struct lexer *x) {
  const char *p = x->at + 1;
  while (p < x->end && *p != *x->at && *p != '\n') p += *p == '\\' && x->end - p > 1 && p[1] != '\n' ? 2 : 1;
  if (p >= x->end || *p != *x->at) {
    struct place place = place_of(x, 1);
    front_fail(x->f, place, "a %s that does not end", *x->at == '"' ? "string" : "character constant");
  }
  return p;
}

static void read_quoted(struct lexer *x, struct token *t) {
  const char *close = quote_end(x), *p = x->at + 1;
  t->place = place_of(x, (size_t)(close + 1 - x->at));
  if (*x->at == '\'') {
    if (p == close) front_fail(x->f, t->place, "a character constant without a character");
    t->kind = TOKEN_NUMBER;
    t->length = (size_t)(close + 1 - x->at);
    t->value = read_char(x, t, &p);
    t->type = TYPE_OF(INT);
    while (p < close) t->value = (int32_t)((uint32_t)t->value << 8 | (read_char(x, t, &p) & 255));
  } else {
    char *to = mem_piece(x->f->mem, (size_t)(close - p) + 1);
    t->kind = TOKEN_STRING;
    t->text = to;
    while (p < close) *to++ = (char)read_char(x, t, &p);
    *to = 0;
    t->length = (size_t)(to - t->text);
  }
  x->at = close + 1;
}

static void read_word(struct lexer *x, struct token *t) {
  const char *p = x->at;
  while (p < x->end && pp_word_char(*p)) p++;
  t->kind = TOKEN_NAME;
  t->length = (size_t)(p - x->at);
  t->place = place_of(x, t->length);
  if (p < x->end && (*p == '"' || *p == '\'') && t->length <= 2 && strchr("LuU", *x->at) &&
      (t->length == 1 || !memcmp(x->at, "u8", 2))) {
    bool wide = t->length == 1;
    struct place place = t->place;
    x->at = p;
    read_quoted(x, t);
    t->place = place;
    if (wide) t->outside = "a wide character or string";
    return;
  }
  t->symbol = symbol_of(x->f, x->at, t->length);
  t->symbol->mentions++;
  t->text = t->symbol->name;
  x->at = p;
}

static void read_mark(struct lexer *x, struct token *t) {
  static const char *const marks[] = {"...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                      "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
  static const char firsts[] = "+-*/%&|^!<>=.#~?:;,()[]{}", seconds[] = "+-<>=&|#.";
  static const char alone[][2] = {"+", "-", "*", "/", "%", "&", "|", "^", "!", "<", ">", "=", ".",
                                  "#", "~", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}"};
  const char *first = *x->at ? strchr(firsts, *x->at) : NULL;
  t->kind = TOKEN_MARK;
  t->length = 1;
  if (first) t->text = alone[first - firsts];
  bool several = x->end - x->at > 1 && x->at[1] && strchr(seconds, x->at[1]);
  for (size_t i = 0; several && i < sizeof marks / sizeof *marks && t->length == 1; i++) {
    if (*marks[i] != *x->at) continue;
    size_t n = strlen(marks[i]);
    if ((size_t)(x->end - x->at) < n || memcmp(x->at, marks[i], n)) continue;
    t->length = n;
    t->text = marks[i];
  }
  t->place = place_of(x, t->length);
  if (!first || *x->at == '#') {
    unsigned char c = (unsigned char)*x->at;
    if (c > 32 && c < 127) front_fail(x->f, t->place, "'%c' has no meaning in C here", c);
    front_fail(x->f, t->place, "the byte 0x%02x has no meaning in C", c);
  }
  x->at += t->length;
}

/* Strings that stand side by side are one. */
static bool join_strings(struct lexer *x, const struct token *t) {
  struct token *last = x->f->tokens.count ? &x->f->tokens.at[x->f->tokens.count - 1] : NULL;
  if (!last || t->kind != TOKEN_STRING || last->kind != TOKEN_STRING) return false;
  struct text both;
  text_open(&both, x->f->mem);
  text_bytes(&both, last->text, last->length);
  text_bytes(&both, t->text, t->length);
  last->text = text_string(&both);
  last->length = both.count;
  if (t->outside) last->outside = t->outside;
  return true;
}

void lex(struct front *f, const char *text, size_t length) {
  struct lexer x = {.f = f, .at = text, .end = text + length, .line = 1, .line_start = true};
  x.file = (uint16_t)(f->unit->files.count - 1); /* until a linemarker says another */
  struct token t;
  vec_reserve(f->mem, &f->tokens, f->tokens.count + length / 8);
  do {
    skip_space(&x);
    t = (struct token){.kind = TOKEN_END, .text = x.at, .place = {x.file, x.line, 1}};
    x.line_start = false;
    if (x.at == x.end)
      t.text = "";
    else if (is_letter(*x.at))
      read_word(&x, &t);
    else if (is_digit(*x.at) || (*x.at == '.' && x.end - x.at > 1 && is_digit(x.at[1])))
      read_number(&x, &t);
    else if (*x.at == '"' || *x.at == '\'')
      read_quoted(&x, &t);
    else
      read_mark(&x, &t);
    if (!join_strings(&x, &t)) vec_push(f->mem, &f->tokens, t);
    if (f->tokens.count % 4096 == 0) mem_poll(f->mem);
  } while (t.kind != TOKEN_END);
}
