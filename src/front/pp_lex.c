/* Text -> preprocessing tokens. Lines that end in a backslash were joined when the file was read (pp_file.c). */
#include "front/pp.h"

/* clang-format off */
#define L CHAR_LETTER
#define D CHAR_DIGIT
#define M CHAR_MARK
#define X (CHAR_MARK | CHAR_LONG)
#define B CHAR_BLANK
const uint8_t pp_chars[256] = {
    [  0] = B, ['\t'] = B, ['\v'] = B, ['\f'] = B,
    [ 32] = B, X, 0, X, L, X, X, 0, M, M, X, X, M, X, X, X | B, /* !"#$%&'() +,-. */
    [ 48] = D, D, D, D, D, D, D, D, D, D, X, M, X, X, X, M, /* 0123456789:;<=>? */
    [ 64] = 0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* @ABCDEFGHIJKLMNO */
    [ 80] = L, L, L, L, L, L, L, L, L, L, L, M, 0, M, X, L, /* PQRSTUVWXYZ[\]^_ */
    [ 96] = 0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* `abcdefghijklmno */
    [112] = L, L, L, L, L, L, L, L, L, L, L, M, X, M, M, 0, /* pqrstuvwxyz{|}~ */
};
#undef L
#undef D
#undef M
#undef X
#undef B
/* clang-format on */
static bool is_letter(char c) { return pp_chars[(unsigned char)c] & CHAR_LETTER; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void pp_more_tokens(struct pp *pp) {
  vec_push(pp->mem, &pp->pool, mem_alloc(pp->mem, POOL_TOKENS * sizeof(struct pp_token)));
}

uint32_t pp_line(const struct pp *pp) { return pp->buffer ? pp->buffer->line + pp->buffer->shift : 0; }

void pp_find_join(struct pp_buffer *b) {
  const struct pp_file *f = b->file;
  b->joined = b->join < f->join_count ? f->text + f->joins[b->join] : b->end + 1;
}

/* Counts the lines that were joined before this place. */
static inline void count_joins(struct pp_buffer *b) {
  while (b->joined <= b->at) {
    b->line++;
    if (b->joined > b->line_start) b->line_start = b->joined;
    b->join++;
    pp_find_join(b);
  }
}

static void next_line(struct pp_buffer *b) {
  b->at++;
  b->line++;
  b->line_start = b->at;
}

static void skip_comment(struct pp *pp) {
  struct pp_buffer *b = pp->buffer;
  uint32_t line = pp_line(pp), col = (uint32_t)(b->at - b->line_start) + 1;
  const char *close = b->at + 2;
  do close = memchr(close, '*', (size_t)(b->end - close));
  while (close && *++close != '/');
  if (!close) pp_stop(pp, PP_WRONG, line, col, "a comment that does not end; */ ends one");
  for (const char *p = b->at; (p = memchr(p, '\n', (size_t)(close - p))); p++) {
    b->line++;
    b->line_start = p + 1;
  }
  b->at = close + 1;
}

/* A NUL in the text is white space, too. */
static bool skip_blanks(struct pp *pp) {
  struct pp_buffer *b = pp->buffer;
  const char *start = b->at;
  for (; b->at < b->end && pp_chars[(unsigned char)*b->at] & CHAR_BLANK;) {
    if (*b->at != '/')
      b->at++;
    else if (b->at[1] == '*')
      skip_comment(pp);
    else if (b->at[1] == '/')
      b->at = memchr(b->at, '\n', (size_t)(b->end - b->at));
    else
      break;
  }
  count_joins(b);
  return b->at > start;
}

static inline bool skip_few(struct pp *pp) {
  const struct pp_buffer *b = pp->buffer;
  const char *p = b->at + (b->at < b->end && *b->at == ' ');
  if (pp_chars[(unsigned char)*p] & CHAR_BLANK || b->joined <= p) return skip_blanks(pp);
  bool some = p > b->at;
  pp->buffer->at = p;
  return some;
}

bool pp_skip_blanks(struct pp *pp) { return skip_few(pp); }

/* Whatever it says: text in #error, a group that is not taken. Comments still count, and what is quoted is no comment.
 */
void pp_skip_line(struct pp *pp) {
  struct pp_buffer *b = pp->buffer;
  for (pp_skip_blanks(pp); b->at < b->end && *b->at != '\n'; pp_skip_blanks(pp)) {
    char quote = *b->at++;
    if (quote != '"' && quote != '\'') {
      b->at += strcspn(b->at, "\n/\"'");
      continue;
    }
    if (quote == '"' && b->at - 1 > b->file->text && b->at[-2] == 'R') pp_compiler(pp, "a raw string");
    while (*b->at != quote && *b->at != '\n') b->at += *b->at == '\\' && b->at[1] != '\n' ? 2 : 1;
    if (*b->at == quote) b->at++;
  }
}

static const char *number_end(const char *p) {
  for (p++; pp_word_char(*p) || *p == '.' || ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]));) p++;
  return p;
}

static const char *quote_end(struct pp *pp, const struct pp_token *t, const char *p) {
  char quote = *p;
  for (p++; *p != quote; p++) {
    if (*p == '\\' && p[1] != '\n') p++;
    if (*p == '\n') pp_wrong(pp, t, "a %s that does not end", quote == '"' ? "string" : "character constant");
  }
  return p + 1;
}

/* L"x", u8"x": the quote behind the prefix, or NULL. */
static const char *prefixed_quote(struct pp *pp, const char *p, const char *end) {
  size_t length = (size_t)(end - p);
  if ((*end != '"' && *end != '\'') || length > 3) return NULL;
  if (p[length - 1] == 'R' && *end == '"' && (length == 1 || strchr("LuU", *p))) pp_compiler(pp, "a raw string");
  if (length == 1 && strchr("LuU", *p)) return end;
  return length == 2 && p[0] == 'u' && p[1] == '8' && *end == '"' ? end : NULL;
}

static const char *read_name(struct pp *pp, struct pp_token *t, const char *p) {
  const char *end = p;
  while (pp_word_char(*end)) end++;
  const char *quote = prefixed_quote(pp, p, end);
  if ((*end & 0x80) || (*end == '\\' && (end[1] == 'u' || end[1] == 'U')))
    pp_compiler(pp, "a name with letters beyond ASCII");
  if (quote) {
    t->kind = *quote == '"' ? PP_STRING : PP_CHAR;
    return quote_end(pp, t, quote);
  }
  t->kind = PP_NAME;
  t->name = pp_name(pp, p, (size_t)(end - p));
  if (t->name->special == SPECIAL_VA_ARGS && !pp->variadic_body)
    pp_compiler(pp, "%s outside a macro with ...", t->name->text);
  return end;
}

static const char *read_mark(struct pp *pp, struct pp_token *t, const char *p) {
  static const char marks[][4] = {
      "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
      "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "##", "<:", ":>", "<%", "%>", "%:"};
  size_t length = 1;
  if (pp_chars[(unsigned char)*p] & CHAR_LONG && pp_chars[(unsigned char)p[1]] & CHAR_MARK)
    for (size_t i = 0; i < sizeof marks / sizeof *marks && length == 1; i++)
      if (*p == *marks[i] && !strncmp(p, marks[i], strlen(marks[i]))) length = strlen(marks[i]);
  t->kind = PP_MARK;
  for (size_t i = 0; i < length; i++) t->mark |= (uint32_t)(unsigned char)p[i] << 8 * i;
  if (t->mark == PP_MARK2('%', ':')) pp_compiler(pp, "%%:, which means #");
  return p + length;
}

static const char *read_token(struct pp *pp, struct pp_token *t, const char *p) {
  char c = *p;
  if (is_letter(c)) return read_name(pp, t, p);
  if (is_digit(c) || (c == '.' && is_digit(p[1]))) {
    t->kind = PP_NUMBER;
    const char *end = number_end(p);
    if ((*end & 0x80) || (*end == '\\' && (end[1] == 'u' || end[1] == 'U')))
      pp_compiler(pp, "a name with letters beyond ASCII");
    return end;
  }
  if (c == '"' || c == '\'') {
    t->kind = c == '"' ? PP_STRING : PP_CHAR;
    return quote_end(pp, t, p);
  }
  if (pp_chars[(unsigned char)c] & CHAR_MARK) return read_mark(pp, t, p);
  t->kind = PP_OTHER;
  if (c & 0x80 || (c == '\\' && (p[1] == 'u' || p[1] == 'U'))) pp_compiler(pp, "a name with letters beyond ASCII");
  return p + 1;
}

/* To the next token: over white space and, outside directives, the ends of lines. False at the end of the directive or
 * file. */
static bool find_token(struct pp *pp, uint8_t *flags) {
  struct pp_buffer *b = pp->buffer;
  for (;;) {
    if (b->fresh) *flags = PP_FIRST | (pp->args == ARGS_READ ? PP_WHITE : 0);
    b->fresh = false;
    if (skip_few(pp)) *flags |= PP_WHITE;
    if (b->at < b->end && *b->at != '\n') return true;
    if (b->at == b->end || pp->in_directive) return false;
    next_line(b);
    b->fresh = true;
  }
}

const struct pp_token *pp_lex(struct pp *pp) {
  struct pp_buffer *b = pp->buffer;
  struct pp_token *t = pp_token_new(pp);
  pp_count(pp, 1);
  bool found = find_token(pp, &t->flags);
  t->text = b->at;
  t->line = b->line + b->shift;
  t->col = (uint32_t)(b->at - b->line_start) + 1;
  if (pp->clang && b->join && b->file->text + b->file->joins[b->join - 1] == b->at)
    pp_compiler(pp, "a token made of several lines");
  if (found) b->at = read_token(pp, t, b->at);
  t->length = (uint32_t)(b->at - t->text);
  return t;
}
