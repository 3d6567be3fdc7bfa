/* The answer as one HTML file that needs nothing else: style, scripts and data are inside, and its policy forbids it
 * the network. The page is in assets/; here its places are filled in, and the data kept under SIZE_MOST bytes. */
#include <string.h>

#include "report/parts.h"

extern const char asset_page_html[], asset_page_css[], asset_model_js[], asset_draw_js[], asset_view_js[],
    asset_schedule_js[], asset_page_js[];
extern const size_t asset_page_html_size, asset_page_css_size, asset_model_js_size, asset_draw_js_size,
    asset_view_js_size, asset_schedule_js_size, asset_page_js_size;

enum { OPERATIONS_MOST = 16000, SIZE_MOST = 1800000 };

static void put_fitting_data(struct text *t, const struct report *r) {
  size_t start = t->count, most = OPERATIONS_MOST;
  for (;;) {
    struct window w = {0};
    if (has_picture(r)) window_make(&w, t->mem, r, most);
    put_data(t, r, &w);
    mem_free(t->mem, w.ops);
    mem_free(t->mem, w.ranges);
    size_t size = t->count - start;
    if (size <= SIZE_MOST || most < 16) return;
    size_t fitting = (size_t)((double)most * SIZE_MOST / (double)size * 0.9);
    most = fitting < most / 2 ? fitting : most / 2;
    t->count = start;
  }
}

/* What is shown where scripts do not run. */
static void put_plain(struct text *t, const struct report *r) {
  struct text said;
  text_open(&said, t->mem);
  struct report plain = *r;
  plain.color = false;
  plain.width = 110;
  report_text(&plain, &said);
  put_xml_lines(t, text_string(&said), said.count);
  mem_free(t->mem, said.at);
}

/* The graph of an execution under a weak memory model. */
static void put_graph_panel(struct text *t, const struct report *r) {
  struct text graph;
  int width = 0, height;
  text_open(&graph, t->mem);
  height = put_graph(&graph, r, 0, &width);
  if (height) {
    text_printf(t,
                "<section id=\"graph\" aria-label=\"Which load reads which store\"><svg "
                "xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"A column for each thread, arrows from stores to the loads that read "
                "them\"><rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                width, height, width, height, width, height);
    text_bytes(t, text_string(&graph), graph.count);
    text_add(t, "</svg></section>\n");
  }
  mem_free(t->mem, graph.at);
}

static void put_title(struct text *t, const struct report *r) {
  const char *source = r->execution                       ? r->execution->file
                       : r->monitored                     ? r->monitored->file
                       : r->history && r->history->source ? r->history->source
                                                          : "asif";
  const char *base = strrchr(source, '/');
  base = base && base[1] ? base + 1 : source;
  put_xml(t, base, strlen(base));
  text_printf(t, ": %s", verdict_line(r));
}

void report_html(const struct report *r, struct text *t) {
  if (r->proof && !r->execution) {
    proof_html(r, t);
    return;
  }
  const char *at = asset_page_html, *end = at + asset_page_html_size;
  while (at < end) {
    const char *mark = strstr(at, "@@");
    if (!mark) break;
    text_bytes(t, at, (size_t)(mark - at));
    const char *name = mark + 2, *close = strstr(name, "@@");
    if (!close) break;
    size_t n = (size_t)(close - name);
    at = close + 2;
#define IS(s) (n == sizeof s - 1 && !memcmp(name, s, n))
    if (IS("title"))
      put_title(t, r);
    else if (IS("data"))
      put_fitting_data(t, r);
    else if (IS("graph"))
      put_graph_panel(t, r);
    else if (IS("plain"))
      put_plain(t, r);
    else if (IS("page.css"))
      text_bytes(t, asset_page_css, asset_page_css_size);
    else if (IS("model.js"))
      text_bytes(t, asset_model_js, asset_model_js_size);
    else if (IS("draw.js"))
      text_bytes(t, asset_draw_js, asset_draw_js_size);
    else if (IS("view.js"))
      text_bytes(t, asset_view_js, asset_view_js_size);
    else if (IS("schedule.js"))
      text_bytes(t, asset_schedule_js, asset_schedule_js_size);
    else if (IS("page.js"))
      text_bytes(t, asset_page_js, asset_page_js_size);
#undef IS
  }
  text_bytes(t, at, (size_t)(end - at));
}
