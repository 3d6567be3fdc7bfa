/* The answer of a search of executions: what was searched, and of a violation the history, why it is wrong, and the
 * interleaving that leads to it; what was assumed, and the verdict on the last line. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { MANY = 10000 }; /* states, from which on it matters how large they are */

struct check_result whole_result(struct mem *m, const struct report *r) {
  struct check_result c = *r->result;
  if (!r->history || c.verdict != VERDICT_VIOLATED) return c;
  c.core_count = r->history->ops.count;
  c.core_to = NO_RETURN;
  c.core = mem_alloc(m, (c.core_count + 1) * sizeof *c.core);
  for (size_t i = 0; i < c.core_count; i++) c.core[i] = (uint32_t)i;
  return c;
}

/* What it is asked to be: a specification, a formula. False if there is nothing to say. */
static bool put_asked(const struct report *r, struct text *t) {
  const struct endless *e = r->execution->endless;
  if (e && !e->formula) return false;
  if (!e) return put_spec(t, r->spec), r->spec != NULL;
  put_clean(t, e->formula, strlen(e->formula));
  if (e->fairness) text_printf(t, " under %s fairness", e->fairness);
  return true;
}

static void put_header(const struct report *r, struct text *t) {
  const struct execution *e = r->execution;
  text_add(t, BOLD(r));
  put_clean(t, e->file, strlen(e->file));
  text_printf(t, "%s: ", OFF(r));
  if (e->endless && e->endless->progress)
    text_printf(t, "is it %s? ", e->endless->progress);
  else if (put_asked(r, t))
    text_add(t, "; ");
  text_add(t, e->client);
  if (*e->calls) text_printf(t, ": %s", e->calls);
  text_char(t, '\n');
}

static void put_sentence(const struct report *r, struct text *t, const char *color, const char *head) {
  struct text s;
  text_open(&s, t->mem);
  text_printf(t, "\n%s%c%s%s", color, toupper((unsigned char)*head), head + 1, OFF(r));
  if (r->result->reason && *r->result->reason) {
    text_add(t, ": ");
    put_clean(&s, r->result->reason, strlen(r->result->reason));
  }
  put_wrapped(t, r, &s, 0);
  mem_free(t->mem, s.at);
}

static bool has_own(const struct schedule *s) {
  for (size_t i = 0; i < s->lines.count; i++)
    if (s->lines.at[i].kind == SCHEDULE_OWN) return true;
  return false;
}

/* A line each, so that it is told from what Asif says. */
static void put_printed(struct text *t, const char *printed) {
  text_add(t, "\nThe code prints:\n\n");
  for (const char *s = printed, *end; *s; s = *end ? end + 1 : end) {
    end = s + strcspn(s, "\n");
    text_add(t, "  | ");
    put_clean(t, s, (size_t)(end - s));
    text_char(t, '\n');
  }
}

static void put_violated(const struct report *r, struct text *t) {
  const struct execution *e = r->execution;
  put_sentence(r, t, RED(r), verdict_line(r));
  if (e->fault && e->schedule->source_lines && e->fault->line) {
    put_clean(t, schedule_path(e->schedule, e->fault), strlen(schedule_path(e->schedule, e->fault)));
    text_printf(t, ":%" PRIu32 ":\n", e->fault->line);
  }
  if (e->fault) put_source_line(t, r, e->fault);
  if (e->found_client) {
    text_add(t, "\n  ");
    put_clean(t, e->found_client, strlen(e->found_client));
    text_char(t, '\n');
  }
  if (has_picture(r)) {
    struct report drawn = *r;
    struct check_result c = whole_result(t->mem, r);
    drawn.result = &c;
    text_char(t, '\n');
    report_timeline(&drawn, t);
  }
  if (!e->schedule->lines.count) return;
  const char *own = e->searched ? " (indented: plain accesses)" : " (indented: what no other thread can reach yet)";
  text_printf(t, "\nIt happens like this%s:\n\n", has_own(e->schedule) ? own : "");
  put_schedule(t, r);
  if (e->schedule->printed) put_printed(t, e->schedule->printed);
}

/* Something else was violated than what was asked for: a deadlock, undefined behaviour. */
static bool is_other(const char *violation) {
  return strncmp(violation, "not ", 4) && strcmp(violation, "does not refine") && strcmp(violation, "formula");
}

static void put_verdict(const struct report *r, struct text *t) {
  const struct execution *e = r->execution;
  const struct check_result *c = r->result;
  bool other = c->verdict == VERDICT_VIOLATED && is_other(e->violation);
  text_printf(t, "verdict: %s%s", other ? "violated: " : "", verdict_line(r)); /* never coloured: scripts look for it */
  if (c->verdict == VERDICT_UNKNOWN && c->reason && *c->reason) {
    text_add(t, ": ");
    put_clean(t, c->reason, strlen(c->reason));
  }
  text_printf(t, " (%s; ", e->client);
  if (e->searched) {
    text_printf(t, "%s%s, %.2f s, %ld MB)\n", put_asked(r, t) ? ", " : "", e->searched, r->seconds,
                r->peak_rss_kb >> 10);
    return;
  }
  text_printf(t, "%s%s%" PRIu64 " states", put_asked(r, t) ? ", " : "", e->about ? "about " : "", e->states);
  if (e->states >= MANY && e->bytes_per_state > 0) text_printf(t, " of %.0f bytes", e->bytes_per_state);
  text_printf(t, ", %" PRIu64 " moves, %.2f s, %ld MB)\n", e->transitions, r->seconds, r->peak_rss_kb >> 10);
}

void execution_text(const struct report *r, struct text *t) {
  const struct execution *e = r->execution;
  put_header(r, t);
  if (r->result->verdict == VERDICT_VIOLATED) put_violated(r, t);
  text_char(t, '\n');
  if (e->also) text_printf(t, "%s\n", e->also);
  if (e->table) text_printf(t, "%s\n", e->table);
  if (e->fix) text_add(t, e->fix);
  for (size_t i = 0; i < e->note_count; i++) {
    text_add(t, "note: ");
    put_clean(t, e->notes[i], strlen(e->notes[i]));
    text_char(t, '\n');
  }
  if (r->evidence) {
    text_add(t, "evidence: ");
    put_clean(t, r->evidence, strlen(r->evidence));
    text_char(t, '\n');
  }
  if (e->replay) text_printf(t, "replay: --replay %s\n", e->replay);
  put_verdict(r, t);
}
