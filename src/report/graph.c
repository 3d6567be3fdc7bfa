/* The picture of an execution under a weak memory model: a column for each thread, a row for each access, and arrows
 * from stores to the loads that read them (rf), from each store to the next one in the modification order (mo), and
 * from a load to the store that it missed (fr). */
#include <string.h>

#include "report/parts.h"

enum { ROW = 34, BOX = 24, GAP = 46, MARGIN = 24, LETTER = 8, HEAD = 64, NARROW = 20, WIDE = 50, LEAST = 800 };

#define MARKER(id, color) \
  "<marker id=\"" id \
  "\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">" \
  "<path d=\"M0 0L8 4L0 8Z\" fill=\"" color "\"/></marker>"
static const char *const style =
    "<style>.g text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px;"
    "fill:#1d2330}.g .t{font-weight:600;fill:#596273;font-size:13px}.g .k{fill:#596273;font-size:11px}"
    ".g .a{fill:#e4eaf6;stroke:#7088bd}.g .s{fill:#fde7dd;stroke:#cf5a2b}.g .c{fill:#596273}"
    ".g .po{stroke:#c3c9d6}.g .rf{fill:none;stroke:#0b7a53;stroke-width:1.6}"
    ".g .fr{fill:none;stroke:#cf5a2b;stroke-width:1.6;stroke-dasharray:2 3}"
    ".g .mo{fill:none;stroke:#7a4fb5;stroke-width:1.3;stroke-dasharray:5 4}</style>\n"
    "<defs>" MARKER("rf", "#0b7a53") MARKER("mo", "#7a4fb5") MARKER("fr", "#cf5a2b") "</defs>\n";

struct drawing {
  const struct schedule *schedule;
  int left, top, column; /* column: how wide, with the gap */
  int *row;              /* of each line; -1: it is not drawn */
  int rows;
};

static bool is_drawn(const struct schedule_line *l) {
  return l->kind == SCHEDULE_ACCESS || l->kind == SCHEDULE_CALL || l->kind == SCHEDULE_RETURN ||
         l->kind == SCHEDULE_FAULT;
}
/* A note under it says so: a stale load, or an early store. */
static bool is_strange(const struct schedule *s, size_t line) {
  return line + 1 < s->lines.count && s->lines.at[line + 1].kind == SCHEDULE_NOTE;
}

static int widest(const struct schedule *s) {
  int most = NARROW;
  for (size_t i = 0; i < s->lines.count; i++) {
    int columns = text_columns(s->lines.at[i].text, strlen(s->lines.at[i].text));
    if (is_drawn(&s->lines.at[i]) && columns > most) most = columns;
  }
  return most < WIDE ? most : WIDE;
}

static int left_of(const struct drawing *d, size_t line) {
  return d->left + d->schedule->lines.at[line].thread * d->column;
}
static int middle_of(const struct drawing *d, size_t line) { return d->top + HEAD + d->row[line] * ROW + BOX / 2; }

static void put_line(struct text *t, const struct drawing *d, size_t i) {
  const struct schedule_line *l = &d->schedule->lines.at[i];
  int x = left_of(d, i), y = middle_of(d, i), width = d->column - GAP;
  bool access = l->kind == SCHEDULE_ACCESS;
  struct text words;
  text_open(&words, t->mem);
  put_short(&words, l->text, strlen(l->text), width / LETTER - 2);
  if (access)
    text_printf(t, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>",
                is_strange(d->schedule, i) ? "s" : "a", x, y - BOX / 2, width, BOX);
  text_printf(t, "<text%s x=\"%d\" y=\"%d\">", access ? "" : " class=\"c\"", x + 6, y + 4);
  put_xml(t, text_string(&words), words.count);
  text_add(t, "</text>\n");
  mem_free(t->mem, words.at);
}

/* From box to box: between columns from side to side, within one around its right side. */
static void put_edge(struct text *t, const struct drawing *d, const struct schedule_edge *e) {
  static const char *const classes[] = {[EDGE_READS] = "rf", [EDGE_MODIFIES] = "mo", [EDGE_MISSES] = "fr"};
  static const int shifts[] = {[EDGE_READS] = -5, [EDGE_MODIFIES] = 5, [EDGE_MISSES] = 0};
  const char *class = classes[e->kind];
  int width = d->column - GAP, shift = shifts[e->kind];
  int from = left_of(d, e->from), to = left_of(d, e->to), y = middle_of(d, e->from) + shift,
      z = middle_of(d, e->to) + shift;
  int bend = e->kind == EDGE_MODIFIES ? 30 : 18;
  text_printf(t, "<path class=\"%s\" marker-end=\"url(#%s)\" d=\"", class, class);
  if (from == to)
    text_printf(t, "M%d %dC%d %d %d %d %d %d", from + width, y, from + width + bend, y, from + width + bend, z,
                from + width, z);
  else if (from < to)
    text_printf(t, "M%d %dC%d %d %d %d %d %d", from + width, y, from + width + GAP / 2, y, to - GAP / 2, z, to, z);
  else
    text_printf(t, "M%d %dC%d %d %d %d %d %d", from, y, from - GAP / 2, y, to + width + GAP / 2, z, to + width, z);
  text_add(t, "\"/>\n");
}

/* That a thread's store comes after an earlier one of its own is its order already. */
static bool is_plain(const struct drawing *d, const struct schedule_edge *e) {
  const struct schedule_line *from = &d->schedule->lines.at[e->from], *to = &d->schedule->lines.at[e->to];
  return from->thread == to->thread && e->from < e->to && e->kind == EDGE_MODIFIES;
}

int put_graph(struct text *t, const struct report *r, int top, int *width) {
  const struct schedule *s = r->execution ? r->execution->schedule : NULL;
  struct drawing d = {.schedule = s, .left = MARGIN, .top = top};
  if (!s || !s->edges.count || !s->threads.count) return 0;
  d.row = mem_zero(t->mem, s->lines.count, sizeof *d.row);
  d.column = (widest(s) + 2) * LETTER + GAP;
  for (size_t i = 0; i < s->lines.count; i++) d.row[i] = is_drawn(&s->lines.at[i]) ? d.rows++ : -1;
  int height = HEAD + d.rows * ROW + MARGIN;
  *width = 2 * MARGIN + (int)s->threads.count * d.column;
  if (*width < LEAST) *width = LEAST;
  text_printf(t, "<g class=\"g\">%s", style);
  text_printf(t,
              "<text class=\"k\" x=\"%d\" y=\"%d\">green: the load reads this store; dashed: the next store of the "
              "variable; dotted: the load misses this store</text>\n",
              MARGIN, top + 16);
  for (size_t i = 0; i < s->threads.count; i++) {
    int x = d.left + (int)i * d.column;
    text_printf(t, "<text class=\"t\" x=\"%d\" y=\"%d\">", x, top + 44);
    put_xml(t, s->threads.at[i], strlen(s->threads.at[i]));
    text_printf(t, "</text><path class=\"po\" d=\"M%d %dV%d\"/>\n", x - 6, top + 52, top + height - MARGIN);
  }
  for (size_t i = 0; i < s->lines.count; i++)
    if (d.row[i] >= 0) put_line(t, &d, i);
  for (size_t i = 0; i < s->edges.count; i++) {
    const struct schedule_edge *e = &s->edges.at[i];
    if (d.row[e->from] >= 0 && d.row[e->to] >= 0 && !is_plain(&d, e)) put_edge(t, &d, e);
  }
  text_add(t, "</g>\n");
  mem_free(t->mem, d.row);
  return height;
}
