/* Words that every report uses: counts, operations, what was assumed. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { STATE_MOST = 400, PROCESS_MOST = 80, REASON_MOST = 300 };

void put_count(struct text *t, uint64_t n, const char *noun) {
  size_t len = strlen(noun);
  text_printf(t, "%" PRIu64 " %s%s", n, noun, n == 1 ? "" : len && noun[len - 1] == 's' ? "es" : "s");
}

void put_grouped(struct text *t, uint64_t n) {
  char digits[24];
  int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
  for (int i = 0; i < len; i++) {
    if (i && (len - i) % 3 == 0) text_char(t, ',');
    text_char(t, digits[i]);
  }
}

void put_spec(struct text *t, const struct spec *s) {
  if (!s) return;
  put_clean(t, s->name, strlen(s->name));
  if (s->param && s->k != SPEC_NIL) text_printf(t, "(%" PRIu32 ")", s->k);
}

void put_process(struct text *t, const struct report *r, uint32_t process) {
  const char *name = process < names_count(r->history->processes) ? names_at(r->history->processes, process) : "";
  put_short(t, name, strlen(name), PROCESS_MOST);
}

/* Where a history has several objects, an operation says which it is on. */
void put_call(struct text *t, const struct report *r, const struct op *o) {
  struct text raw;
  text_open(&raw, t->mem);
  if (names_count(r->history->objects) > 1) text_printf(&raw, "%s.", names_at(r->history->objects, o->object));
  op_print_call(r->spec, r->history, o, &raw);
  put_clean(t, text_string(&raw), raw.count);
  mem_free(t->mem, raw.at);
}

void put_result(struct text *t, const struct report *r, const struct op *o) {
  if (op_pending(o)) return;
  if (o->result == V_NONE) {
    text_add(t, "ok");
    return;
  }
  struct text raw;
  text_open(&raw, t->mem);
  value_print(r->history->values, o->result, &raw);
  put_clean(t, text_string(&raw), raw.count);
  mem_free(t->mem, raw.at);
}

void put_label(struct text *t, const struct report *r, const struct op *o) {
  put_call(t, r, o);
  if (op_pending(o) || o->result == V_NONE) return;
  text_add(t, " -> ");
  put_result(t, r, o);
}

void put_start(struct text *t, const struct report *r, size_t most) {
  const struct check_result *c = r->result;
  size_t shown = c->start_count > most ? most : c->start_count;
  for (size_t i = 0; i < shown; i++) {
    if (i) text_add(t, i + 1 < c->start_count ? ", " : " or ");
    put_short(t, c->start[i], strlen(c->start[i]), STATE_MOST);
  }
  if (shown < c->start_count) {
    text_add(t, " or one of ");
    put_count(t, c->start_count - shown, "other state");
  }
}

size_t unfinished(const struct history *h) {
  size_t n = 0;
  for (size_t i = 0; i < h->ops.count; i++) n += op_pending(&h->ops.at[i]);
  return n;
}

bool is_open(const struct report *r, uint32_t op) {
  const struct check_result *c = r->result;
  const struct op *o = &r->history->ops.at[op];
  return op_pending(o) || (c->verdict == VERDICT_VIOLATED && c->core_count && o->ret > c->core_to);
}

void put_holds(struct text *t, const struct report *r) {
  const struct history *h = r->history;
  const struct check_result *c = r->result;
  if (r->monitored) {
    put_monitored(t, r);
    return;
  }
  if (!h || !h->ops.count) {
    text_add(t, "There are no operations, so nothing went wrong.");
    return;
  }
  size_t open = unfinished(h), effective = 0;
  for (size_t i = 0; i < c->order_count; i++) effective += op_pending(&h->ops.at[c->order[i]]);
  text_printf(
      t,
      "Each operation%s can be given a moment between its call and its return, so that one after the other they do "
      "what the ",
      open ? " that returned" : "");
  put_spec(t, r->spec);
  text_add(t, " does.");
  if (!open || !c->order_count) return;
  text_printf(t, " Of the %zu that did not return, ", open);
  text_printf(t, effective ? "%zu took effect in this order." : "none did in this order.", effective);
}

void put_notes(struct text *t, const struct report *r, const char *before, const char *after) {
  const struct history *h = r->history;
  if (r->monitored) put_monitored_notes(t, r, before, after);
  if (r->monitored || !h) return;
  size_t open = unfinished(h), unseen = 0;
  for (size_t i = 0; i < h->ops.count; i++) unseen += !op_pending(&h->ops.at[i]) && h->ops.at[i].result == V_UNKNOWN;
  if (h->late) {
    text_add(t, before);
    put_count(t, h->late, "event");
    text_printf(t, " %s after one with a later time: all events were put in the order of their times%s",
                h->late == 1 ? "stands" : "stand", after);
  }
  if (h->failed) {
    text_add(t, before);
    put_count(t, h->failed, "operation");
    text_printf(t, " that failed %s taken not to have happened%s", h->failed == 1 ? "is" : "are", after);
  }
  if (h->skipped) {
    text_add(t, before);
    put_count(t, h->skipped, "event");
    text_printf(t, " of foreign processes %s skipped%s", h->skipped == 1 ? "was" : "were", after);
  }
  if (open) {
    text_add(t, before);
    put_count(t, open, "operation");
    text_printf(t, " did not return%s: each may have taken effect at any time after its call, or never%s",
                h->retired ? " or ended with unknown outcome" : "", after);
  }
  if (unseen) {
    text_add(t, before);
    put_count(t, unseen, "operation");
    text_printf(t, " returned a result that was not recorded: any result is accepted there%s", after);
  }
  if (r->result->verdict == VERDICT_VIOLATED && r->result->culprit != UINT32_MAX && r->result->unsure)
    text_printf(t, "%swhether an earlier return was impossible already was too much to decide%s", before, after);
  if (r->result->verdict == VERDICT_VIOLATED && !r->result->confirmed)
    text_printf(t, "%sthe violation was not confirmed by plain enumeration: too many orders to try%s", before, after);
}

void put_verdict_end(struct text *t, const struct report *r) {
  const char *reason = r->result->reason;
  if (r->result->verdict == VERDICT_UNKNOWN && reason && *reason) {
    text_add(t, ": ");
    put_short(t, reason, strlen(reason), REASON_MOST);
  }
  text_char(t, '\n');
}

void put_notes_json(struct text *t, const struct report *r) {
  struct text notes;
  text_open(&notes, t->mem);
  put_notes(&notes, r, "", "\n");
  text_add(t, ",\"notes\":[");
  for (const char *s = text_string(&notes), *end; *s; s = end + 1) {
    end = strchr(s, '\n');
    if (s != text_string(&notes)) text_char(t, ',');
    put_json(t, s, (size_t)(end - s));
  }
  text_char(t, ']');
  mem_free(t->mem, notes.at);
}

bool has_picture(const struct report *r) { return r->history && r->spec && r->history->ops.count; }

const char *verdict_line(const struct report *r) {
  const struct execution *e = r->execution;
  switch (r->result->verdict) {
  case VERDICT_HOLDS:
    if (e && e->unseen) return e->unseen;
    if (r->proof) return r->proof->claim;
    if (r->monitored) return r->monitored->seen;
    if (e && e->endless) return e->endless->formula ? "holds" : e->endless->progress;
    if (e && e->partly) return "no violation found";
    return e && e->asserts ? "holds" : e && e->refines ? "refines" : "linearizable";
  case VERDICT_VIOLATED: return !e ? "not linearizable" : strcmp(e->violation, "formula") ? e->violation : "violated";
  default: return "unknown";
  }
}
