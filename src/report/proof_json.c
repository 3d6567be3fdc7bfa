/* A proof as one JSON object on one line. The fields are described in docs/prove.md. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

static void put_string(struct text *t, const char *s) {
  if (s)
    put_json(t, s, strlen(s));
  else
    text_add(t, "null");
}

static void put_member(struct text *t, const char *name, const char *s) {
  text_printf(t, ",\"%s\":", name);
  put_string(t, s);
}

/* {"file":..,"line":..,"column":..,"operation":..,"text":.. without the closing brace */
static void put_step(struct text *t, const struct proof_step *s) {
  text_add(t, "{\"file\":");
  put_string(t, s->path);
  if (s->path)
    text_printf(t, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32, s->line, s->column);
  else
    text_add(t, ",\"line\":null,\"column\":null");
  put_member(t, "operation", s->operation);
  put_member(t, "text", s->text);
}

static void put_view(struct text *t, const struct proof_view *v) {
  text_add(t, "{\"memory\":");
  put_string(t, v->memory);
  put_member(t, "knows", v->knows);
  text_char(t, '}');
}

static void put_points(struct text *t, const struct proof *p) {
  text_add(t, ",\"points\":[");
  for (size_t i = 0; i < p->points.count; i++) {
    if (i) text_char(t, ',');
    put_step(t, &p->points.at[i]);
    text_char(t, '}');
  }
  text_char(t, ']');
}

static void put_actions(struct text *t, const struct proof *p) {
  text_add(t, ",\"actions\":[");
  for (size_t i = 0; i < p->actions.count; i++) {
    if (i) text_char(t, ',');
    put_step(t, &p->actions.at[i].step);
    text_add(t, ",\"changes\":[");
    for (size_t c = 0; c < p->actions.at[i].changes.count; c++) {
      if (c) text_char(t, ',');
      put_string(t, p->actions.at[i].changes.at[c]);
    }
    text_add(t, "]}");
  }
  text_char(t, ']');
}

static void put_memory(struct text *t, const struct proof *p) {
  text_add(t, ",\"memory\":[");
  for (size_t i = 0; i < p->memory.count; i++) {
    if (i) text_char(t, ',');
    put_view(t, &p->memory.at[i]);
  }
  text_char(t, ']');
}

static void put_failure(struct text *t, const struct proof *p) {
  text_add(t, ",\"failure\":");
  if (!p->sentence) {
    text_add(t, "null");
    return;
  }
  put_step(t, &p->where);
  put_member(t, "sentence", p->sentence);
  put_member(t, "hint", p->hint);
  text_add(t, ",\"view\":");
  if (p->view)
    put_view(t, p->view);
  else
    text_add(t, "null");
  text_add(t, ",\"trail\":[");
  for (size_t i = 0; i < p->trail.count; i++) {
    if (i) text_char(t, ',');
    put_step(t, &p->trail.at[i].step);
    text_printf(t, ",\"other\":%s}", p->trail.at[i].other ? "true" : "false");
  }
  text_add(t, "]}");
}

void report_proof_members(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  put_member(t, "level", p->level);
  text_printf(t, ",\"marked\":%s", p->marked ? "true" : "false");
  text_printf(t, ",\"views\":%" PRIu64 ",\"interference\":%" PRIu64, p->views, p->compositions);
  put_points(t, p);
  put_actions(t, p);
  put_memory(t, p);
  put_failure(t, p);
  put_member(t, "confirming", p->confirming);
}

void proof_json(const struct report *r, struct text *t) {
  static const char *const verdicts[] = {"holds", "violated", "unknown"};
  const struct proof *p = r->proof;
  text_add(t, "{\"schema\":\"asif-1\"");
  put_member(t, "command", r->command);
  put_member(t, "verdict", verdicts[r->result->verdict]);
  put_member(t, "reason", r->result->reason);
  text_add(t, ",\"violation\":null");
  put_member(t, "object", p->file);
  put_member(t, "spec", r->spec ? r->spec->name : NULL);
  put_member(t, "method", r->result->method);
  text_printf(
      t, ",\"threads\":null,\"operations\":null,\"states\":%" PRIu64 ",\"transitions\":%" PRIu64 ",\"schedules\":null",
      p->views, p->steps);
  text_printf(t, ",\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"peak_rss_kb\":%ld", r->seconds, r->cpu_seconds,
              r->peak_rss_kb);
  put_member(t, "evidence", r->evidence);
  text_add(t, ",\"notes\":[");
  for (size_t i = 0; i < p->notes.count; i++) {
    if (i) text_char(t, ',');
    put_string(t, p->notes.at[i]);
  }
  text_char(t, ']');
  report_proof_members(r, t);
  text_add(t, "}\n");
}
