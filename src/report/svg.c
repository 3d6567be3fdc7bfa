/* The picture of a violation (or of the beginning of a history that holds) as one SVG that needs nothing else.
 *
 * It has the layout of the terminal's timeline, a column being as wide as a character of its font. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { BARS_MOST = 60, LINE_MOST = 110, REASON_MOST = 2000, TIP_MOST = 400 };       /* bars, characters */
enum { COLUMN = 8, ROW = 40, BAR = 28, MARGIN = 24, TITLE = 22, REASON_STEP = 20 }; /* pixels */

static const char *const style =
    "<style>text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:#1d2330}"
    ".b text,.n{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:13px}"
    ".n{font-weight:600;fill:#596273}.h{font-size:16px;font-weight:650}.r{font-size:13px;fill:#3d4658}"
    ".bar{fill:#e4eaf6;stroke:#7088bd;stroke-width:1.2}.core .bar{fill:#fde7dd;stroke:#cf5a2b}"
    ".bad .bar{fill:#c8321f;stroke:#8c1d0f;stroke-width:1.8}.bad text{fill:#fff;font-weight:600}"
    ".row{stroke:#e3e6ec;stroke-width:1}.pt{stroke:#0b7a53;stroke-width:2.2}.dot{fill:#0b7a53;stroke:#fff;stroke-width:"
    "1.4}"
    "</style>\n";

/* Breaks clean text into lines of about LINE_MOST characters; returns their number. Adds them when `t` is given. */
static int put_lines(struct text *t, const struct text *from, int x, int y, int step, const char *class, int most) {
  const char *s = text_string(from), *end = s + from->count;
  int lines = 0;
  while (s < end) {
    const char *line = s, *blank = NULL, *p = s;
    int columns = 0;
    while (p < end && columns < most) {
      if (*p == ' ') blank = p;
      columns += char_columns(utf8_next(&p, end));
    }
    s = p < end && blank && blank > line ? blank : p;
    if (t) {
      text_printf(t, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y + lines * step);
      put_xml(t, line, (size_t)(s - line));
      text_add(t, "</text>\n");
    }
    lines++;
    while (s < end && *s == ' ') s++;
  }
  return lines;
}

static void put_bar(struct text *t, const struct report *r, const struct layout *l, const struct bar *b, int left,
                    int top) {
  const struct op *o = &r->history->ops.at[b->op];
  int x = left + b->from * COLUMN, y = top + b->row * ROW + (ROW - BAR) / 2, width = (b->to - b->from + 1) * COLUMN;
  text_printf(t, "<g class=\"b%s%s\"><title>", l->from_core ? " core" : "", b->culprit ? " bad" : "");
  struct text tip;
  text_open(&tip, t->mem);
  put_process(&tip, r, o->process);
  text_add(&tip, ": ");
  put_label(&tip, r, o);
  struct text all = tip;
  text_open(&tip, t->mem);
  put_short(&tip, text_string(&all), all.count, TIP_MOST);
  mem_free(t->mem, all.at);
  if (b->open) text_add(&tip, " (did not return)");
  if (o->line) text_printf(&tip, ", line %" PRIu32, o->line);
  put_xml(t, text_string(&tip), tip.count);
  mem_free(t->mem, tip.at);
  text_add(t, "</title>");
  if (b->open) {
    int far = x + width + COLUMN;
    text_printf(t, "<path class=\"bar\" d=\"M%d %dH%dq-7 %d 0 %dt0 %dH%da5 5 0 0 1 -5 -5V%da5 5 0 0 1 5 -5Z\"/>", x + 5,
                y, far, BAR / 4, BAR / 2, BAR / 2, x + 5, y + 5);
  } else {
    text_printf(t, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>", x, y, width, BAR);
  }
  text_printf(t, "<text x=\"%d\" y=\"%d\">", left + (b->label_at - 2) * COLUMN + 2, y + BAR / 2 + 5);
  put_xml(t, b->label, strlen(b->label));
  text_add(t, "</text>");
  if (b->point >= 0) {
    int px = left + b->point * COLUMN + COLUMN / 2;
    text_printf(t, "<path class=\"pt\" d=\"M%d %dv%d\"/>", px, y - 3, BAR + 6);
    text_printf(t, "<circle class=\"dot\" cx=\"%d\" cy=\"%d\" r=\"4.5\"/>", px, y + BAR / 2);
  }
  text_add(t, "</g>\n");
}

static void put_title(struct text *t, const struct report *r) {
  const char *source = r->monitored ? r->monitored->file : r->history ? r->history->source : NULL;
  if (source) put_clean(t, source, strlen(source));
  if (r->spec) {
    text_add(t, " (");
    put_spec(t, r->spec);
    text_add(t, ")");
  }
  text_printf(t, ": %s", verdict_line(r));
}

/* Why, and from which states: what the picture is about, in words. */
static void put_about(struct text *t, const struct report *r, const struct layout *l) {
  const struct check_result *c = r->result;
  if (c->verdict == VERDICT_HOLDS)
    put_holds(t, r);
  else if (c->reason)
    put_short(t, c->reason, strlen(c->reason), REASON_MOST);
  if (c->verdict == VERDICT_VIOLATED && c->start_count) {
    text_add(t, t->count && t->at[t->count - 1] != '.' ? ". " : " ");
    text_add(t, "When this begins, the ");
    put_spec(t, r->spec);
    text_add(t, c->start_count == 1 ? " is " : " may be ");
    put_start(t, r, 6);
    text_char(t, '.');
  }
  if (l->hidden) {
    text_add(t, " (");
    put_count(t, l->hidden, "more operation");
    text_printf(t, " %s not drawn.)", l->hidden == 1 ? "is" : "are");
  }
}

void report_svg(const struct report *r, struct text *t) {
  struct layout l = {0};
  struct text title, about;
  text_open(&title, t->mem);
  text_open(&about, t->mem);
  if (has_picture(r)) layout_make(&l, t->mem, r, BARS_MOST);
  put_title(&title, r);
  put_about(&about, r, &l);
  int names = 0;
  for (int i = 0; i < l.row_count; i++) names = l.rows[i].name_columns > names ? l.rows[i].name_columns : names;
  int left = MARGIN + (names + 2) * COLUMN, width = left + l.columns * COLUMN + MARGIN + COLUMN;
  if (width < 560) width = 560;
  int most = (width - 2 * MARGIN) / 7;
  if (most > LINE_MOST) most = LINE_MOST;
  int lines = put_lines(NULL, &about, 0, 0, 0, "", most);
  int top = MARGIN + TITLE + lines * REASON_STEP + 12, height = top + l.row_count * ROW + MARGIN, wide = 0;
  struct text graph;
  text_open(&graph, t->mem);
  height += put_graph(&graph, r, height, &wide);
  if (wide > width) width = wide;
  text_printf(t,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
              "aria-labelledby=\"t d\">\n<title id=\"t\">",
              width, height, width, height);
  put_xml(t, text_string(&title), title.count);
  text_add(t, "</title>\n<desc id=\"d\">");
  put_xml(t, text_string(&about), about.count);
  text_add(t, "</desc>\n");
  text_add(t, style);
  text_printf(t, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
  put_lines(t, &title, MARGIN, MARGIN + 14, TITLE, "h", 1000);
  put_lines(t, &about, MARGIN, MARGIN + TITLE + 14, REASON_STEP, "r", most);
  for (int i = 0; i < l.row_count; i++) {
    int y = top + i * ROW + ROW / 2;
    text_printf(t, "<path class=\"row\" d=\"M%d %dH%d\"/>", left, y, width - MARGIN);
    if (l.rows[i].lane) continue;
    text_printf(t, "<text class=\"n\" x=\"%d\" y=\"%d\">", MARGIN, y + 5);
    put_xml(t, l.rows[i].name, strlen(l.rows[i].name));
    text_add(t, "</text>\n");
  }
  for (size_t i = 0; i < l.bar_count; i++) put_bar(t, r, &l, &l.bars[i], left, top);
  text_bytes(t, text_string(&graph), graph.count);
  text_add(t, "</svg>\n");
  mem_free(t->mem, graph.at);
  mem_free(t->mem, title.at);
  mem_free(t->mem, about.at);
}
