/* The timeline for a terminal: a row per process, a bar per operation, columns in the order of events.
 *
 *   A  |--Enq(5)--|          |--Enq(7)--|
 *   B      |--Deq() -> 7--|     |--Deq()....
 *
 * Bars that are open at the right did not return; * is the moment an operation takes effect. What does not fit the
 * width goes on below, cut where no label is cut if there is such a place. */
#include <string.h>

#include "report/parts.h"

enum { BARS_MOST = 60 };
enum style { PLAIN, BAR, LABEL, CULPRIT, POINT_MARK, STYLES };
static const char *const codes[STYLES] = {"", "\033[2m", "\033[1m", "\033[1;31m", "\033[1;32m"};

struct cell {
  uint32_t c; /* 0 under the right half of a wide character */
  uint8_t style;
};

struct strip {
  struct cell *cells;
  int start, columns; /* the part of the timeline it shows */
};

static void set(struct strip *s, int x, uint32_t c, enum style style) {
  if (x >= s->start && x < s->start + s->columns) s->cells[x - s->start] = (struct cell){c, (uint8_t)style};
}

static void write_label(struct strip *s, int x, const char *label, enum style style) {
  for (const char *end = label + strlen(label); label < end;) {
    uint32_t c = utf8_next(&label, end);
    int n = char_columns(c);
    if (!n) continue;
    if (n == 2 && x + 1 == s->start + s->columns) c = ' ';
    set(s, x, c, style);
    if (n == 2) set(s, x + 1, x >= s->start ? 0 : ' ', style);
    x += n;
  }
}

static void draw_bar(struct strip *s, const struct bar *b) {
  int end = s->start + s->columns;
  if (b->from >= end || b->to < s->start) return;
  enum style line = b->culprit ? CULPRIT : BAR, said = b->culprit ? CULPRIT : LABEL;
  int label_end = b->label_at + b->label_columns;
  for (int x = b->from < s->start ? s->start : b->from; x <= b->to && x < end; x++)
    set(s, x, b->open && x >= label_end && x > b->point ? '.' : '-', line);
  set(s, b->from, '|', line);
  if (!b->open) set(s, b->to, '|', line);
  write_label(s, b->label_at, b->label, said);
  if (b->point >= 0) set(s, b->point, '*', POINT_MARK);
  /* Said again where the bar goes on and there is room. */
  int room_end = s->start + b->label_columns + 3;
  if (label_end <= s->start && b->to > room_end && (b->point < s->start || b->point >= room_end))
    write_label(s, s->start + 2, b->label, said);
}

static void put_strip(struct text *t, const struct strip *s, bool color) {
  int last = s->columns;
  while (last && s->cells[last - 1].c == ' ') last--;
  enum style now = PLAIN;
  for (int i = 0; i < last; i++) {
    const struct cell *c = &s->cells[i];
    if (color && c->c && c->style != now) {
      if (now != PLAIN) text_add(t, "\033[0m");
      text_add(t, codes[c->style]);
      now = (enum style)c->style;
    }
    if (c->c) put_char(t, c->c);
  }
  if (now != PLAIN) text_add(t, "\033[0m");
  text_char(t, '\n');
}

/* Would a cut at this column part a label, or a bar's last dashes from it? */
static bool bad_cut(const struct layout *l, int x) {
  for (size_t i = 0; i < l->bar_count; i++) {
    const struct bar *b = &l->bars[i];
    if (b->from < x && x < b->label_at + b->label_columns + 1) return true;
    if (!b->open && x > b->to - 3 && x <= b->to) return true;
  }
  return false;
}

/* Where the part that begins at `start` ends: parts of about the same width, cut at a good place where there is one. */
static int part_end(const struct layout *l, int start, int room) {
  int left = l->columns - start, aim = start + left / ((left + room - 1) / room) + 1;
  if (left <= room) return l->columns;
  if (aim > start + room) aim = start + room;
  for (int x = aim; x <= start + room; x++)
    if (!bad_cut(l, x)) return x;
  for (int x = aim; x > start + room / 2; x--)
    if (!bad_cut(l, x)) return x;
  return start + room;
}

static bool empty_row(const struct layout *l, int row, int start, int end) {
  for (size_t i = 0; i < l->bar_count; i++)
    if (l->bars[i].row == row && l->bars[i].from < end && l->bars[i].to >= start) return false;
  return true;
}

void report_timeline(const struct report *r, struct text *t) {
  if (!has_picture(r)) return;
  struct layout l;
  layout_make(&l, t->mem, r, BARS_MOST);
  int names = 0, width = r->width > 0 ? r->width : 80;
  for (int i = 0; i < l.row_count; i++) names = l.rows[i].name_columns > names ? l.rows[i].name_columns : names;
  int room = width - names - 4;
  if (room < 24) room = 24;
  struct strip s = {.cells = mem_alloc(t->mem, (size_t)room * sizeof *s.cells)};
  for (int start = 0, end; start < l.columns; start = end) {
    end = part_end(&l, start, room);
    if (start) text_char(t, '\n');
    for (int row = 0; row < l.row_count; row++) {
      if (l.columns > room && empty_row(&l, row, start, end)) continue;
      s.start = start;
      s.columns = end - start;
      for (int i = 0; i < s.columns; i++) s.cells[i] = (struct cell){' ', PLAIN};
      for (size_t i = 0; i < l.bar_count; i++)
        if (l.bars[i].row == row) draw_bar(&s, &l.bars[i]);
      const char *name = l.rows[row].lane ? "" : l.rows[row].name;
      text_printf(t, "  %s%*s", name, names - (*name ? l.rows[row].name_columns : 0) + 2, "");
      put_strip(t, &s, r->color);
    }
  }
  mem_free(t->mem, s.cells);
  if (!l.hidden) return;
  text_add(t, "  (");
  put_count(t, l.hidden, "more operation");
  text_printf(t, " %s%s not drawn)\n", l.from_core ? "of the violation " : "", l.hidden == 1 ? "is" : "are");
}
