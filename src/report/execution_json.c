/* A search of executions as one JSON object on one line. The fields are described in docs/verify.md. */
#include <inttypes.h>
#include <string.h>

#include "history/format.h"
#include "report/parts.h"

static void put_string(struct text *t, const char *s) {
  if (s)
    put_json(t, s, strlen(s));
  else
    text_add(t, "null");
}

static void put_strings(struct text *t, const char *const *at, size_t count) {
  text_char(t, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) text_char(t, ',');
    put_string(t, at[i]);
  }
  text_char(t, ']');
}

static bool keep_all(struct text *t, void *to) { return (void)t, (void)to, true; }

/* The history as its lines. */
static void put_history(struct text *t, const struct history *h) {
  struct text lines;
  struct problem why;
  text_open(&lines, t->mem);
  text_char(t, '[');
  if (h) format_wing_gong.write(h, &lines, &why, keep_all, NULL);
  bool first = true;
  for (const char *s = text_string(&lines); *s; first = false) {
    size_t n = strcspn(s, "\n");
    if (!first) text_char(t, ',');
    put_json(t, s, n);
    s += n + (s[n] == '\n');
  }
  text_char(t, ']');
  mem_free(t->mem, lines.at);
}

static void put_fault(struct text *t, const struct execution *e) {
  if (!e->fault) {
    text_add(t, "null");
    return;
  }
  text_add(t, "{\"file\":");
  put_string(t, schedule_path(e->schedule, e->fault));
  text_printf(t, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32 ",\"text\":", e->fault->line, e->fault->column);
  put_string(t, e->fault->text);
  text_char(t, '}');
}

static void put_client(struct text *t, const struct execution *e) {
  text_printf(t, ",\"threads\":%u,\"operations\":", e->threads);
  text_printf(t, e->operations ? "%u" : "null", e->operations);
  text_add(t, ",\"bound\":");
  text_printf(t, e->bound >= 0 ? "%" PRId64 : "null", e->bound);
  text_add(t, ",\"calls\":");
  put_string(t, e->calls);
}

/* The execution; of an infinite one, what was asked, its beginning and what is repeated for ever. */
static void put_path(struct text *t, const struct execution *e) {
  size_t lines = e->schedule->lines.count, loop = lines;
  if (e->endless) {
    text_add(t, ",\"progress\":");
    put_string(t, e->endless->progress);
    text_add(t, ",\"formula\":");
    put_string(t, e->endless->formula);
    text_add(t, ",\"fairness\":");
    put_string(t, e->endless->fairness);
    loop = e->endless->loop;
  }
  if (e->schedule->printed) {
    text_add(t, ",\"printed\":");
    put_string(t, e->schedule->printed);
  }
  text_add(t, e->endless ? ",\"stem\":" : ",\"path\":");
  put_schedule_json(t, e->schedule, 0, loop);
  if (!e->endless) return;
  text_add(t, ",\"loop\":");
  put_schedule_json(t, e->schedule, loop, lines);
}

static void put_searched(struct text *t, const struct execution *e) {
  if (e->searched) {
    text_printf(t, ",\"states\":null,\"transitions\":null,\"schedules\":%" PRIu64, e->schedules);
    return;
  }
  text_printf(t, ",\"states\":%" PRIu64 ",\"transitions\":%" PRIu64 ",\"schedules\":null", e->states, e->transitions);
  text_printf(t, ",\"exact\":%s", e->about ? "false" : "true");
  text_printf(t, ",\"depth\":%" PRIu32 ",\"spec_sets\":%" PRIu32, e->depth, e->spec_sets);
  text_printf(t, ",\"bytes_per_state\":%.1f", e->bytes_per_state);
}

/* What the text says, in a word for programs: where not everything was run, that nothing was found is less than that it
 * holds. */
static const char *verdict_word(const struct report *r) {
  static const char *const verdicts[] = {"holds", "violated", "unknown"};
  const struct execution *e = r->execution;
  if (r->result->verdict != VERDICT_HOLDS) return verdicts[r->result->verdict];
  return e->unseen ? "no violation seen" : e->partly ? "no violation found" : "holds";
}

void execution_json(const struct report *r, struct text *t) {
  const struct execution *e = r->execution;
  const struct check_result *c = r->result;
  text_add(t, "{\"schema\":\"asif-1\",\"command\":");
  put_string(t, r->command);
  text_printf(t, ",\"verdict\":\"%s\",\"reason\":", verdict_word(r));
  put_string(t, c->reason && *c->reason ? c->reason : NULL);
  text_add(t, ",\"violation\":");
  put_string(t, e->violation);
  text_add(t, ",\"object\":");
  put_string(t, e->file);
  text_add(t, ",\"spec\":");
  struct text name;
  text_open(&name, t->mem);
  put_spec(&name, r->spec);
  put_json(t, text_string(&name), name.count);
  text_add(t, ",\"method\":");
  put_string(t, c->method);
  if (e->memory) text_printf(t, ",\"memory\":\"%s\"", e->memory);
  text_add(t, ",\"reduce\":");
  put_string(t, e->reduce);
  put_client(t, e);
  put_searched(t, e);
  text_printf(t, ",\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"peak_rss_kb\":%ld", r->seconds, r->cpu_seconds,
              r->peak_rss_kb);
  text_add(t, ",\"notes\":");
  put_strings(t, e->notes, e->note_count);
  text_add(t, ",\"evidence\":");
  put_string(t, r->evidence);
  text_add(t, ",\"fault\":");
  put_fault(t, e);
  text_add(t, ",\"history\":");
  put_history(t, r->history);
  put_path(t, e);
  if (e->searched) {
    text_add(t, ",\"replay\":");
    put_string(t, e->replay);
  }
  if (e->members) text_add(t, e->members);
  text_add(t, "}\n");
}
