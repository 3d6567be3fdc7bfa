/* A proof as one HTML file that needs nothing else, without scripts: what was proved, and the program with the views at
 * each line, folded. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

extern const char asset_proof_html[], asset_proof_css[];
extern const size_t asset_proof_html_size, asset_proof_css_size;

enum { MEMORIES_MOST = 8 }; /* that are not folded */

static void put_string(struct text *t, const char *s) { put_xml(t, s, strlen(s)); }

static void put_place(struct text *t, const struct proof_step *s) {
  const char *base = strrchr(s->path, '/');
  put_string(t, base ? base + 1 : s->path);
  text_printf(t, ":%" PRIu32 ":%" PRIu32, s->line, s->column);
}

static void put_view(struct text *t, const struct proof_view *v) {
  text_add(t, "<div class=\"view\">");
  if (v->svg) text_add(t, v->svg);
  text_add(t, "<p><code>");
  if (!v->svg) {
    put_string(t, v->memory);
    text_add(t, "</code></p><p><code>");
  }
  put_string(t, v->knows);
  text_add(t, "</code></p></div>\n");
}

static void put_points(struct text *t, const struct proof *p) {
  if (!p->points.count && !p->unmoved.count) return;
  text_printf(t, "<section><h2>Linearization points%s</h2><div class=\"scroll\"><table>",
              p->marked ? ", as marked" : "");
  for (size_t i = 0; i < p->points.count; i++) {
    text_add(t, "<tr><td>");
    put_string(t, p->points.at[i].operation);
    text_add(t, "</td><td class=\"soft\">");
    put_place(t, &p->points.at[i]);
    text_add(t, "</td><td>");
    put_string(t, p->points.at[i].text);
    text_add(t, "</td></tr>\n");
  }
  for (size_t i = 0; i < p->unmoved.count; i++) {
    text_add(t, "<tr><td>");
    put_string(t, p->unmoved.at[i]);
    text_add(t, "</td><td></td><td>changes nothing: any moment at which its result is right</td></tr>\n");
  }
  text_add(t, "</table></div></section>\n");
}

static void put_actions(struct text *t, const struct proof *p) {
  if (!p->actions.count) return;
  text_add(t, "<section><h2>What a step may change, at any moment of the others</h2>");
  for (size_t i = 0; i < p->actions.count; i++) {
    const struct proof_action *a = &p->actions.at[i];
    text_add(t, "<div><code>");
    put_string(t, a->step.operation);
    text_add(t, ": ");
    put_string(t, a->step.text);
    text_add(t, "</code> <span class=\"soft\">");
    put_place(t, &a->step);
    text_add(t, "</span><ul>");
    for (size_t c = 0; c < a->changes.count; c++) {
      text_add(t, "<li><code>");
      put_string(t, a->changes.at[c]);
      text_add(t, "</code></li>");
    }
    text_add(t, "</ul></div>\n");
  }
  text_add(t, "</section>\n");
}

static void put_memory(struct text *t, const struct proof *p) {
  if (!p->memory.count) return;
  text_add(t, "<section><h2>Memory between operations is one of</h2><div class=\"views\">\n");
  for (size_t i = 0; i < p->memory.count && i < MEMORIES_MOST; i++) put_view(t, &p->memory.at[i]);
  text_add(t, "</div>");
  if (p->memory.count > MEMORIES_MOST) {
    text_add(t, "<details><summary>and ");
    put_count(t, p->memory.count - MEMORIES_MOST, "other");
    text_add(t, "</summary><div class=\"views\">\n");
    for (size_t i = MEMORIES_MOST; i < p->memory.count; i++) put_view(t, &p->memory.at[i]);
    text_add(t, "</div></details>");
  }
  text_add(t, "</section>\n");
}

static void put_trail(struct text *t, const struct proof *p) {
  if (!p->trail.count) return;
  text_add(t, "<section><h2>It may come to this so</h2><div class=\"scroll\"><table>");
  for (size_t i = 0; i < p->trail.count; i++) {
    const struct proof_moment *m = &p->trail.at[i];
    text_printf(t, "<tr><td class=\"soft\">%s</td><td class=\"soft\">", m->other ? "another thread" : "");
    if (m->step.path) put_place(t, &m->step);
    text_add(t, "</td><td>");
    put_string(t, m->step.operation);
    text_add(t, m->step.path ? ": " : " ");
    put_string(t, m->step.text);
    text_add(t, "</td></tr>\n");
  }
  text_add(t, "</table></div></section>\n");
}

static void put_failure(struct text *t, const struct report *r) {
  const struct proof *p = r->proof;
  const char *why = p->sentence ? p->sentence : r->result->reason;
  if (p->proved || !why) return;
  text_add(t, "<section><h2>Not proved</h2><p class=\"reason\">");
  if (p->where.path) {
    put_place(t, &p->where);
    text_add(t, ": ");
  }
  put_string(t, why);
  text_add(t, "</p>");
  if (p->hint) {
    text_add(t, "<p class=\"hint\">");
    put_string(t, p->hint);
    text_add(t, "</p>");
  }
  if (p->view) put_view(t, p->view);
  if (p->confirming) {
    text_add(t, "<p class=\"soft\">verify: ");
    put_string(t, p->confirming);
    text_add(t, "</p>");
  }
  text_add(t, "</section>\n");
  put_trail(t, p);
}

static void put_assumed(struct text *t, const struct proof *p) {
  if (!p->notes.count) return;
  text_add(t, "<section><h2>Assumed</h2><ul>");
  for (size_t i = 0; i < p->notes.count; i++) {
    text_add(t, "<li>");
    put_string(t, p->notes.at[i]);
    text_add(t, "</li>");
  }
  text_add(t, "</ul></section>\n");
}

static bool is_at(const struct proof_step *s, const char *path, uint32_t line) {
  return s->path == path && s->line == line;
}
static bool same_step(const struct proof_step *a, const struct proof_step *b) {
  return a->column == b->column && !strcmp(a->text, b->text) && !strcmp(a->operation, b->operation);
}

/* The steps of a line, each with its views. */
static void put_known(struct text *t, const struct proof *p, const char *path, uint32_t line) {
  for (size_t i = 0; i < p->at.count; i++) {
    const struct proof_step *s = &p->at.at[i].step;
    if (!is_at(s, path, line)) continue;
    bool seen = false;
    for (size_t k = 0; k < i && !seen; k++)
      seen = is_at(&p->at.at[k].step, path, line) && same_step(&p->at.at[k].step, s);
    if (seen) continue;
    text_add(t, "<h3>before <code>");
    put_string(t, s->operation);
    text_add(t, ": ");
    put_string(t, s->text);
    text_printf(t, "</code>%s</h3><div class=\"views\">", s->point ? ", where it linearizes" : "");
    for (size_t k = i; k < p->at.count; k++)
      if (is_at(&p->at.at[k].step, path, line) && same_step(&p->at.at[k].step, s)) put_view(t, &p->at.at[k]);
    text_add(t, "</div>\n");
    if (!p->at.at[i].others) continue;
    text_add(t, "<p class=\"soft\">and ");
    put_count(t, p->at.at[i].others, "other view");
    text_add(t, "</p>\n");
  }
}

static const char *mark_of(const struct proof *p, const char *path, uint32_t line) {
  if (!p->proved && is_at(&p->where, path, line)) return " fails";
  for (size_t i = 0; i < p->points.count; i++)
    if (is_at(&p->points.at[i], path, line)) return " point";
  return "";
}

static void put_line(struct text *t, const struct proof *p, const struct proof_source *s, uint32_t line, const char *at,
                     size_t length) {
  size_t count = 0;
  const char *mark = mark_of(p, s->path, line);
  for (size_t i = 0; i < p->at.count; i++)
    if (is_at(&p->at.at[i].step, s->path, line)) count += 1 + p->at.at[i].others;
  if (count) text_printf(t, "<details class=\"at%s\"><summary>", mark);
  text_printf(t, "<div class=\"line%s\"><span class=\"number\">%" PRIu32 "</span>", count ? "" : mark, line);
  put_xml(t, at, length);
  if (count) {
    text_add(t, "<span class=\"count\">");
    put_count(t, count, "view");
    text_add(t, "</span></div></summary><div class=\"known\">");
    put_known(t, p, s->path, line);
    text_add(t, "</div></details>\n");
  } else {
    text_add(t, "</div>\n");
  }
}

static void put_source(struct text *t, const struct proof *p, const struct proof_source *s) {
  bool any = false;
  for (size_t i = 0; i < p->at.count && !any; i++) any = p->at.at[i].step.path == s->path;
  if (!any) return;
  text_add(t, "<section class=\"source\"><h2>");
  put_string(t, s->path);
  text_add(t, ": what is known where a step begins</h2><div class=\"scroll\">\n");
  const char *at = s->text, *end = at + s->length;
  for (uint32_t line = 1; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    if (length && at[length - 1] == '\r') length--;
    put_line(t, p, s, line, at, length);
    at = stop ? stop + 1 : end;
  }
  text_add(t, "</div></section>\n");
}

static void put_body(struct text *t, const struct report *r) {
  const struct proof *p = r->proof;
  put_failure(t, r);
  put_points(t, p);
  put_actions(t, p);
  put_memory(t, p);
  put_assumed(t, p);
  for (size_t i = 0; i < p->sources.count; i++) put_source(t, p, &p->sources.at[i]);
}

static void put_facts(struct text *t, const struct report *r) {
  put_spec(t, r->spec);
  text_printf(t, "%sany number of threads%s; %" PRIu64 " views, %" PRIu64 " actions, %.2f s", r->spec ? "; " : "",
              r->proof->ranged ? ", arguments within ASIF_IN" : "", r->proof->views, r->proof->actions_used,
              r->seconds);
}

void proof_html(const struct report *r, struct text *t) {
  static const char *const classes[] = {"holds", "violated", "unknown"};
  const char *at = asset_proof_html, *end = at + asset_proof_html_size;
  for (const char *mark; (mark = strstr(at, "@@"));) {
    text_bytes(t, at, (size_t)(mark - at));
    const char *name = mark + 2, *close = strstr(name, "@@");
    if (!close) break;
    size_t n = (size_t)(close - name);
    at = close + 2;
#define IS(s) (n == sizeof s - 1 && !memcmp(name, s, n))
    if (IS("title")) {
      put_string(t, r->proof->file);
      text_printf(t, ": %s", verdict_line(r));
    } else if (IS("proof.css"))
      text_bytes(t, asset_proof_css, asset_proof_css_size);
    else if (IS("verdict"))
      text_add(t, classes[r->result->verdict]);
    else if (IS("verdict line"))
      text_add(t, verdict_line(r));
    else if (IS("file"))
      put_string(t, r->proof->file);
    else if (IS("facts"))
      put_facts(t, r);
    else if (IS("body"))
      put_body(t, r);
#undef IS
  }
  text_bytes(t, at, (size_t)(end - at));
}
