/* Printing what came from a file, for a terminal, JSON, XML and HTML.
 *
 * Bytes that are no UTF-8 become U+FFFD. Controls, which could drive a terminal or are illegal in XML, and the
 * characters that change the direction of text or break lines unseen, are shown as escapes instead. */
#include <string.h>

#include "report/parts.h"

uint32_t utf8_next(const char **at, const char *end) {
  const unsigned char *s = (const unsigned char *)*at;
  size_t left = (size_t)(end - *at), n;
  uint32_t c = s[0], least;
  (*at)++;
  if (c < 0x80) return c;
  if (c >= 0xc2 && c < 0xe0)
    n = 1, least = 0x80, c &= 0x1f;
  else if (c >= 0xe0 && c < 0xf0)
    n = 2, least = 0x800, c &= 0x0f;
  else if (c >= 0xf0 && c < 0xf5)
    n = 3, least = 0x10000, c &= 0x07;
  else
    return 0xfffd;
  if (left <= n) return 0xfffd;
  for (size_t i = 1; i <= n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0xfffd;
    c = c << 6 | (s[i] & 0x3f);
  }
  if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0xfffd;
  *at += n;
  return c;
}

void put_char(struct text *t, uint32_t c) {
  if (c < 0x80) {
    text_char(t, (char)c);
  } else if (c < 0x800) {
    text_bytes(t, (char[]){(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))}, 2);
  } else if (c < 0x10000) {
    text_bytes(t, (char[]){(char)(0xe0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3f)), (char)(0x80 | (c & 0x3f))}, 3);
  } else {
    text_bytes(t,
               (char[]){(char)(0xf0 | c >> 18), (char)(0x80 | (c >> 12 & 0x3f)), (char)(0x80 | (c >> 6 & 0x3f)),
                        (char)(0x80 | (c & 0x3f))},
               4);
  }
}

static bool in(uint32_t c, const uint32_t ranges[][2], size_t n) {
  for (size_t i = 0; i < n; i++)
    if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
  return false;
}
#define IN(c, table) in(c, table, sizeof table / sizeof *table)

/* Marks that set over the character before, and joiners (the common blocks). */
static const uint32_t narrow[][2] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},     {0x6d6, 0x6dc},
    {0x93a, 0x93c},   {0x941, 0x948},   {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},     {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0x1f3fb, 0x1f3ff}, {0xe0100, 0xe01ef}};
/* East Asian wide and emoji. */
static const uint32_t wide[][2] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},  {0x23e9, 0x23ec}, {0x25fd, 0x25fe}, {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x26a1, 0x26a1},   {0x26bd, 0x26be},  {0x2705, 0x2705}, {0x274c, 0x274c}, {0x2753, 0x2755},   {0x2795, 0x2797},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},  {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},  {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
/* Controls, direction marks, invisible breaks, private and non-characters that are shown as escapes. */
static const uint32_t unsafe[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
                                     {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                                     {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f}};

int char_columns(uint32_t c) { return c < 0x300 ? 1 : IN(c, narrow) ? 0 : IN(c, wide) ? 2 : 1; }

int text_columns(const char *s, size_t n) {
  int columns = 0;
  for (const char *end = s + n; s < end;) columns += char_columns(utf8_next(&s, end));
  return columns;
}

static void put_clean_char(struct text *t, uint32_t c) {
  if (c >= 0x20 && c < 0x7f)
    text_char(t, (char)c);
  else if (c == '\n')
    text_add(t, "\\n");
  else if (c == '\t')
    text_add(t, "\\t");
  else if (!IN(c, unsafe) && (c & 0xfffe) != 0xfffe)
    put_char(t, c);
  else
    text_printf(t, c < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c);
}

/* Adds the printable ASCII that stands first, up to any of `but`, and returns where it ends. */
static const char *put_plain(struct text *t, const char *s, const char *end, const char *but) {
  const char *from = s;
  while (s < end && *s >= 0x20 && *s < 0x7f && !strchr(but, *s)) s++;
  if (s > from) text_bytes(t, from, (size_t)(s - from));
  return s;
}

void put_clean(struct text *t, const char *s, size_t n) {
  for (const char *end = s + n; s < end;)
    if ((s = put_plain(t, s, end, "")) < end) put_clean_char(t, utf8_next(&s, end));
}

void put_short(struct text *t, const char *s, size_t n, int most) {
  const char *end = s + n, *cut = NULL;
  size_t start = t->count, kept = start;
  int columns = 0;
  while (s < end) {
    size_t before = t->count;
    uint32_t c = utf8_next(&s, end);
    put_clean_char(t, c);
    columns += text_columns(t->at + before, t->count - before);
    if (columns <= most - 2) kept = t->count;
    if (columns > most) {
      cut = s;
      break;
    }
  }
  if (!cut) return;
  t->count = kept;
  text_add(t, "..");
}

/* '<' is escaped so that the text may stand inside <script>: no "</script>", no "<!--". */
void put_json(struct text *t, const char *s, size_t n) {
  text_char(t, '"');
  for (const char *end = s + n; s < end;) {
    if ((s = put_plain(t, s, end, "\"\\<")) == end) break;
    uint32_t c = utf8_next(&s, end);
    if (c == '"' || c == '\\')
      text_char(t, '\\'), text_char(t, (char)c);
    else if (c == '\n')
      text_add(t, "\\n");
    else if (c == '\t')
      text_add(t, "\\t");
    else if (c == '<' || (c != 0xfffd && c < 0x10000 && IN(c, unsafe)))
      text_printf(t, "\\u%04x", (unsigned)c);
    else
      put_char(t, c);
  }
  text_char(t, '"');
}

static void put_markup(struct text *t, const char *s, size_t n, bool lines) {
  for (const char *end = s + n; s < end;) {
    if ((s = put_plain(t, s, end, "&<>\"'")) == end) break;
    uint32_t c = utf8_next(&s, end);
    switch (c) {
    case '&': text_add(t, "&amp;"); break;
    case '<': text_add(t, "&lt;"); break;
    case '>': text_add(t, "&gt;"); break;
    case '"': text_add(t, "&quot;"); break;
    case '\'': text_add(t, "&#39;"); break;
    default:
      if (c == '\n' && lines)
        text_char(t, '\n');
      else
        put_clean_char(t, c);
    }
  }
}

void put_xml(struct text *t, const char *s, size_t n) { put_markup(t, s, n, false); }
void put_xml_lines(struct text *t, const char *s, size_t n) { put_markup(t, s, n, true); }
