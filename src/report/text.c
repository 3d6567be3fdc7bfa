/* The answer for a person at a terminal: what was checked, why it is wrong (or that it is right), a timeline, what
 * was assumed, and the verdict on the last line. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { WITNESS_MOST = 40, LIST_MOST = 24, START_MOST = 6 };                             /* operations, states */
enum { SENTENCE_WIDTH = 100, REASON_MOST = 2000, LABEL_MOST = 72, SOURCE_MOST = 1000 }; /* columns */

const char *terminal_style(const struct report *r, const char *code) { return r->color ? code : ""; }

/* Adds clean text broken at blanks; lines after the first are indented. */
void put_wrapped(struct text *t, const struct report *r, const struct text *sentence, int indent) {
  int width = r->width > 0 && r->width < SENTENCE_WIDTH ? r->width : SENTENCE_WIDTH, column = indent;
  const char *s = text_string(sentence), *end = s + sentence->count;
  bool first = true;
  while (s < end) {
    const char *word = s;
    while (s < end && *s != ' ') s++;
    int n = text_columns(word, (size_t)(s - word));
    if (!first && column + 1 + n > width) {
      text_printf(t, "\n%*s", indent, "");
      column = indent;
    } else if (!first) {
      text_char(t, ' ');
      column++;
    }
    text_bytes(t, word, (size_t)(s - word));
    column += n;
    first = false;
    while (s < end && *s == ' ') s++;
  }
  text_char(t, '\n');
}

static void put_header(const struct report *r, struct text *t) {
  const struct history *h = r->history;
  text_add(t, BOLD(r));
  if (h && h->source)
    put_short(t, h->source, strlen(h->source), SOURCE_MOST);
  else
    text_add(t, r->source ? r->source : r->command ? r->command : "check");
  text_add(t, OFF(r));
  text_add(t, ": ");
  if (r->spec) {
    put_spec(t, r->spec);
    text_add(t, ", ");
  }
  if (h) {
    put_count(t, h->ops.count, "operation");
    text_add(t, " of ");
    put_count(t, names_count(h->processes), "process");
  } else {
    text_add(t, "not read to the end");
  }
  if (r->result->method && *r->result->method) {
    text_add(t, "; ");
    put_clean(t, r->result->method, strlen(r->result->method));
  }
  text_char(t, '\n');
}

static void put_why(const struct report *r, struct text *t, const char *color, const char *head) {
  const char *reason = r->result->reason ? r->result->reason : "";
  text_printf(t, "\n%s%s%s", color, head, OFF(r));
  if (!*reason) {
    text_char(t, '\n');
    return;
  }
  text_add(t, ": ");
  struct text clean;
  text_open(&clean, t->mem);
  put_short(&clean, reason, strlen(reason), REASON_MOST);
  put_wrapped(t, r, &clean, 0);
  mem_free(t->mem, clean.at);
}

static void put_short_label(struct text *t, const struct report *r, const struct op *o) {
  struct text label;
  text_open(&label, t->mem);
  put_label(&label, r, o);
  put_short(t, text_string(&label), label.count, LABEL_MOST);
  mem_free(t->mem, label.at);
}

/* The operations of the core with the lines to look at. */
static void put_core_list(const struct report *r, struct text *t) {
  const struct check_result *c = r->result;
  const struct op *ops = r->history->ops.at;
  size_t total = c->core_count + c->context_count;
  bool lines = false;
  int digits = 1;
  if (c->core_count > LIST_MOST) return;
  for (size_t i = 0; i < total; i++) {
    uint32_t line = ops[i < c->core_count ? c->core[i] : c->context[i - c->core_count]].line;
    int n = snprintf(NULL, 0, "%" PRIu32, line);
    digits = n > digits ? n : digits;
    lines |= line != 0;
  }
  if (!lines) return;
  text_char(t, '\n');
  for (size_t i = 0; i < total; i++) {
    uint32_t at = i < c->core_count ? c->core[i] : c->context[i - c->core_count];
    const struct op *o = &ops[at];
    if (o->line)
      text_printf(t, "  %sline %*" PRIu32 "%s  ", DIM(r), digits, o->line, OFF(r));
    else
      text_printf(t, "  %*s  ", digits + 5, "");
    put_process(t, r, o->process);
    text_add(t, "  ");
    put_short_label(t, r, o);
    if (op_pending(o))
      text_add(t, " (did not return)");
    else if (i < c->core_count && is_open(r, at))
      text_add(t, " (returned later)");
    if (at == c->culprit) text_printf(t, "  %s<-- impossible from here on%s", RED(r), OFF(r));
    if (i >= c->core_count) text_printf(t, "  %s(same value; no matter when)%s", DIM(r), OFF(r));
    text_char(t, '\n');
  }
}

static void put_violated(const struct report *r, struct text *t) {
  const struct check_result *c = r->result;
  put_why(r, t, RED(r), "Not linearizable");
  if (!has_picture(r) || !c->core_count) return;
  struct text s;
  text_open(&s, t->mem);
  if (c->start_count) {
    text_add(&s, "When this begins, the ");
    put_spec(&s, r->spec);
    text_add(&s, c->start_count == 1 ? " is " : " may be ");
    put_start(&s, r, START_MOST);
    text_char(&s, '.');
    text_char(t, '\n');
    put_wrapped(t, r, &s, 0);
    text_clear(&s);
  }
  text_char(t, '\n');
  report_timeline(r, t);
  put_core_list(r, t);
  text_char(t, '\n');
  if (c->core_count == 1) {
    text_add(&s,
             c->start_count ? "This one operation is impossible then." : "This one operation is impossible by itself.");
  } else {
    text_add(&s, "These ");
    put_count(&s, c->core_count, "operation");
    text_add(&s, " of ");
    text_printf(&s, "%zu are not linearizable%s", r->history->ops.count, c->start_count ? " then" : "");
    text_add(&s,
             !c->minimal ? ". A smaller part may be wrong too: the search for it was cut short."
             : c->by_return
                 ? ", whatever the others did and whenever. Before the one marked returned there was an order; if any "
                   "other of them had happened at another time, or not at all, there would be one still."
                 : ", whatever the others did and whenever; if any one of them had happened at another time, or not "
                   "at all, there would be an order.");
  }
  put_wrapped(t, r, &s, 0);
  mem_free(t->mem, s.at);
}

static void put_holding(const struct report *r, struct text *t) {
  const struct check_result *c = r->result;
  text_char(t, '\n');
  bool small = has_picture(r) && r->history->ops.count <= WITNESS_MOST && c->order_count;
  struct text s;
  text_open(&s, t->mem);
  put_holds(&s, r);
  if (small) text_add(&s, " Such moments are marked *:");
  put_wrapped(t, r, &s, 0);
  if (!small) return;
  text_char(t, '\n');
  report_timeline(r, t);
  text_clear(&s);
  text_add(&s, "Order:");
  for (size_t i = 0; i < c->order_count; i++) {
    const struct op *o = &r->history->ops.at[c->order[i]];
    text_char(&s, ' ');
    put_process(&s, r, o->process);
    text_char(&s, ' ');
    put_short_label(&s, r, o);
    if (i + 1 < c->order_count) text_char(&s, ';');
  }
  text_char(t, '\n');
  put_wrapped(t, r, &s, 2);
  mem_free(t->mem, s.at);
}

static void put_unknown(const struct report *r, struct text *t) {
  put_why(r, t, YELLOW(r), "Unknown");
  const struct history *h = r->history;
  if (!h || !h->events) return;
  uint32_t reached = r->result->reached > h->events ? h->events : r->result->reached;
  text_printf(t, "Decided %" PRIu32 " of %" PRIu32 " events (%.0f %%)", reached, h->events,
              100.0 * reached / h->events);
  if (r->result->configurations) {
    text_add(t, ", ");
    put_count(t, r->result->configurations, "configuration");
    text_add(t, " explored");
  }
  text_add(t, ".\n");
}

void report_text(const struct report *r, struct text *t) {
  if (r->execution) {
    execution_text(r, t);
    return;
  }
  if (r->proof) {
    proof_text(r, t);
    return;
  }
  if (r->monitored) {
    monitored_text(r, t);
    return;
  }
  put_header(r, t);
  switch (r->result->verdict) {
  case VERDICT_HOLDS: put_holding(r, t); break;
  case VERDICT_VIOLATED: put_violated(r, t); break;
  default: put_unknown(r, t);
  }
  text_char(t, '\n');
  put_notes(t, r, "note: ", "\n");
  if (r->evidence) {
    text_add(t, "evidence: ");
    put_clean(t, r->evidence, strlen(r->evidence));
    text_char(t, '\n');
  }
  text_printf(t, "verdict: %s (", verdict_line(r)); /* never coloured: scripts look for it */
  put_count(t, r->history ? r->history->ops.count : 0, "operation");
  text_add(t, ", ");
  if (r->result->method && *r->result->method) {
    put_clean(t, r->result->method, strlen(r->result->method));
    text_add(t, ", ");
  }
  text_printf(t, "%.2f s)", r->seconds);
  put_verdict_end(t, r);
}
