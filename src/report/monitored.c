/* The answer where a history was monitored while it was read: how much was read, and the operations that show the
 * violation with the intervals that A_k has of them. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { SOURCE_MOST = 1000, REASON_MOST = 2000, LABEL_MOST = 72, LIST_MOST = 40 };

static void put_read(struct text *t, const struct monitored *m) {
  put_count(t, m->operations, "operation");
  text_add(t, " of ");
  put_count(t, m->processes, "process");
  if (m->objects > 1) {
    text_add(t, " on ");
    put_count(t, m->objects, "object");
  }
}

void put_monitored(struct text *t, const struct report *r) {
  const struct monitored *m = r->monitored;
  text_add(t, "No violation was seen in ");
  put_count(t, m->operations, "operation");
  if (m->k)
    text_printf(t,
                ". At each event the order of the last %u interval%s was looked at, but not what only shows in "
                "things further apart; a greater k sees more of that.",
                m->k, m->k == 1 ? "" : "s");
  else
    text_add(t, ". In which order they happened was not looked at; with a greater k it is.");
}

static void put_header(const struct report *r, struct text *t) {
  text_add(t, BOLD(r));
  put_short(t, r->monitored->file, strlen(r->monitored->file), SOURCE_MOST);
  text_printf(t, "%s: ", OFF(r));
  if (r->spec) {
    put_spec(t, r->spec);
    text_add(t, ", ");
  }
  put_read(t, r->monitored);
  if (r->result->method && *r->result->method) text_printf(t, "; %s", r->result->method);
  text_char(t, '\n');
}

/* Head: sentence, broken into lines; the head in colour. */
static void put_sentence(const struct report *r, struct text *t, const char *color, const char *head,
                         const char *sentence) {
  struct text clean, lines;
  text_open(&clean, t->mem);
  text_open(&lines, t->mem);
  text_printf(&clean, "%s: ", head);
  put_short(&clean, sentence, strlen(sentence), REASON_MOST);
  put_wrapped(&lines, r, &clean, 0);
  text_printf(t, "\n%s%s%s%s", color, head, OFF(r), text_string(&lines) + strlen(head));
  mem_free(t->mem, clean.at);
  mem_free(t->mem, lines.at);
}

static int digits_of(uint64_t n) {
  char room[24];
  return snprintf(room, sizeof room, "%" PRIu64, n);
}

static void put_line(struct text *t, const struct report *r, uint32_t line, int digits) {
  if (line)
    text_printf(t, "%sline %*" PRIu32 "%s  ", DIM(r), digits, line, OFF(r));
  else
    text_printf(t, "%*s", digits + 7, "");
}

/* [0,1]  line 12  A  Enq(5): the interval, and where it stands. Those that A_k knows nothing of any more have none. */
static void put_operations(const struct report *r, struct text *t) {
  const struct check_result *c = r->result;
  const struct history *h = r->history;
  uint32_t most = 0;
  if (c->core_count > LIST_MOST || !h->call_time) return;
  for (size_t i = 0; i < c->core_count; i++)
    if (h->ops.at[c->core[i]].line > most) most = h->ops.at[c->core[i]].line;
  text_char(t, '\n');
  for (size_t i = 0; i < c->core_count; i++) {
    const struct op *o = &h->ops.at[c->core[i]];
    struct text label;
    text_open(&label, t->mem);
    put_label(&label, r, o);
    text_printf(t, "  [%" PRId64 ",", h->call_time[c->core[i]] / 2);
    if (op_pending(o))
      text_add(t, "..  ");
    else
      text_printf(t, "%" PRId64 "]  ", h->ret_time[c->core[i]] / 2);
    if (most) put_line(t, r, o->line, digits_of(most));
    put_process(t, r, o->process);
    text_add(t, "  ");
    put_short(t, text_string(&label), label.count, LABEL_MOST);
    if (op_pending(o)) text_add(t, " (has not returned)");
    text_char(t, '\n');
    mem_free(t->mem, label.at);
  }
}

static void put_place(const struct report *r, struct text *t) {
  const struct monitored *m = r->monitored;
  struct text s;
  text_open(&s, t->mem);
  bool one = r->result->core_count == 1;
  text_add(&s, one ? "This operation" : "These ");
  if (!one) put_count(&s, r->result->core_count, "operation");
  if (m->objects > 1) {
    const char *object = names_at(r->history->objects, 0);
    text_add(&s, " on ");
    put_short(&s, object, strlen(object), LABEL_MOST);
  }
  if (m->counted)
    text_printf(&s,
                " %s left where pairs that cancel each other out are left out, and %s no order, whichever process "
                "did which, with whichever values.",
                one ? "is" : "are", one ? "has" : "have");
  else
    text_printf(&s, " %s not linearizable, whatever the others did.", one ? "is" : "are");
  text_printf(&s, " [i,j] is from when to when, in the intervals of A_%u", m->k);
  text_add(&s, m->k ? ": what is longer ago is at 0." : ": all are at 0.");
  text_add(&s, " It showed at event ");
  put_grouped(&s, m->events);
  if (m->line) text_printf(&s, ", on line %" PRIu64, m->line);
  text_add(&s, ", where the reading ended.");
  text_char(t, '\n');
  put_wrapped(t, r, &s, 0);
  mem_free(t->mem, s.at);
}

static void put_violated(const struct report *r, struct text *t) {
  put_sentence(r, t, RED(r), "Not linearizable", r->monitored->said);
  if (!has_picture(r) || !r->result->core_count) return;
  text_char(t, '\n');
  report_timeline(r, t);
  put_operations(r, t);
  put_place(r, t);
}

/* As put_notes, of a history that is not there. */
void put_monitored_notes(struct text *t, const struct report *r, const char *before, const char *after) {
  const struct monitored *m = r->monitored;
  for (const char *line = m->blind, *end; line && (end = strchr(line, '\n')); line = end + 1)
    text_printf(t, "%s%.*s%s", before, (int)(end - line), line, after);
  if (m->failed) {
    text_add(t, before);
    put_count(t, m->failed, "operation");
    text_printf(t, " that failed %s taken not to have happened%s", m->failed == 1 ? "is" : "are", after);
  }
  if (m->skipped) {
    text_add(t, before);
    put_count(t, m->skipped, "event");
    text_printf(t, " of foreign processes %s skipped%s", m->skipped == 1 ? "was" : "were", after);
  }
  if (m->pending) {
    text_add(t, before);
    put_count(t, m->pending, "operation");
    text_printf(t, " %s not returned: each may have taken effect at any time after its call, or never%s",
                m->pending == 1 ? "has" : "have", after);
  }
}

void monitored_text(const struct report *r, struct text *t) {
  const struct monitored *m = r->monitored;
  const struct check_result *c = r->result;
  put_header(r, t);
  if (c->verdict == VERDICT_VIOLATED) {
    put_violated(r, t);
  } else if (c->verdict == VERDICT_UNKNOWN) {
    put_sentence(r, t, YELLOW(r), "Unknown", c->reason);
  } else {
    struct text s;
    text_open(&s, t->mem);
    put_monitored(&s, r);
    text_char(t, '\n');
    put_wrapped(t, r, &s, 0);
    mem_free(t->mem, s.at);
  }
  text_char(t, '\n');
  put_monitored_notes(t, r, "note: ", "\n");
  if (r->evidence) {
    text_add(t, "evidence: ");
    put_clean(t, r->evidence, strlen(r->evidence));
    text_char(t, '\n');
  }
  text_printf(t, "verdict: %s (", verdict_line(r)); /* never coloured: scripts look for it */
  put_count(t, m->operations, "operation");
  if (c->verdict == VERDICT_VIOLATED) text_printf(t, ", k = %u", m->k);
  if (c->verdict == VERDICT_UNKNOWN) text_printf(t, ", %s", m->seen);
  text_printf(t, ", %.2f s)", r->seconds);
  put_verdict_end(t, r);
}

static void put_string(struct text *t, const char *name, const char *s) {
  text_printf(t, ",\"%s\":", name);
  if (s && *s)
    put_json(t, s, strlen(s));
  else
    text_add(t, "null");
}

void monitored_json(const struct report *r, struct text *t) {
  static const char *const verdicts[] = {"no violation seen", "violated", "unknown"};
  const struct monitored *m = r->monitored;
  const struct check_result *c = r->result;
  struct text spec;
  text_open(&spec, t->mem);
  put_spec(&spec, r->spec);
  text_add(t, "{\"schema\":\"asif-1\"");
  put_string(t, "command", r->command);
  put_string(t, "verdict", verdicts[c->verdict]);
  put_string(t, "reason", c->verdict == VERDICT_VIOLATED ? m->said : c->reason);
  put_string(t, "file", m->file);
  put_string(t, "format", m->format);
  put_string(t, "spec", text_string(&spec));
  put_string(t, "method", c->method);
  text_printf(t, ",\"k\":%u", m->k);
  put_string(t, "monitor", m->kind);
  text_printf(t, ",\"threads\":%" PRIu32 ",\"objects\":%" PRIu32 ",\"operations\":%" PRIu64 ",\"events\":%" PRIu64,
              m->processes, m->objects, m->operations, m->events);
  text_printf(t, ",\"pending\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"skipped\":%" PRIu64, m->pending, m->failed,
              m->skipped);
  text_printf(t, ",\"intervals\":%" PRIu64 ",\"held\":%" PRIu64 ",\"bytes\":%zu,\"line\":", m->intervals, m->held,
              m->bytes);
  text_printf(t, m->line ? "%" PRIu64 : "null", m->line);
  put_notes_json(t, r);
  text_printf(t, ",\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"peak_rss_kb\":%ld", r->seconds, r->cpu_seconds,
              r->peak_rss_kb);
  text_add(t, ",\"evidence\":");
  put_evidence(t, r);
  text_add(t, "}\n");
  mem_free(t->mem, spec.at);
}
