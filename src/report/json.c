/* The answer for a program: one JSON object on one line. The fields are described in docs/report.md. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { ORDER_MOST = 10000, CORE_MOST = 10000 };

static void put_string(struct text *t, const char *s) {
  if (s)
    put_json(t, s, strlen(s));
  else
    text_add(t, "null");
}

/* Prints with `print` into a JSON string. */
static void put_printed(struct text *t, const struct report *r, const struct op *o, struct text *scratch,
                        void (*print)(struct text *, const struct report *, const struct op *)) {
  text_clear(scratch);
  print(scratch, r, o);
  put_json(t, text_string(scratch), scratch->count);
}

static void print_call(struct text *t, const struct report *r, const struct op *o) {
  op_print_call(r->spec, r->history, o, t);
}

static void print_result(struct text *t, const struct report *r, const struct op *o) {
  if (o->result == V_NONE)
    text_add(t, "ok");
  else
    value_print(r->history->values, o->result, t);
}

static void put_operation(struct text *t, const struct report *r, uint32_t index, struct text *scratch) {
  const struct op *o = &r->history->ops.at[index];
  text_printf(t, "{\"operation\":%" PRIu32 ",\"process\":", index);
  put_string(t, names_at(r->history->processes, o->process));
  text_add(t, ",\"object\":");
  put_string(t, names_at(r->history->objects, o->object));
  text_add(t, ",\"call\":");
  put_printed(t, r, o, scratch, print_call);
  text_add(t, ",\"result\":");
  if (op_pending(o))
    text_add(t, "null");
  else
    put_printed(t, r, o, scratch, print_result);
  text_add(t, ",\"line\":");
  text_printf(t, o->line ? "%" PRIu32 : "null", o->line);
  text_printf(t, ",\"call_event\":%" PRIu32 ",\"return_event\":", o->call);
  text_printf(t, op_pending(o) ? "null" : "%" PRIu32, o->ret);
  text_char(t, '}');
}

void put_evidence(struct text *t, const struct report *r) {
  const struct check_result *c = r->result;
  bool ops = r->history && r->spec;
  struct text scratch;
  text_open(&scratch, t->mem);
  text_add(t, "{\"path\":");
  put_string(t, r->evidence);
  if (c->verdict == VERDICT_VIOLATED) {
    size_t shown = !ops ? 0 : c->core_count > CORE_MOST ? CORE_MOST : c->core_count;
    text_printf(t, ",\"core_operations\":%zu,\"minimal\":%s,\"culprit\":", c->core_count,
                c->minimal ? "true" : "false");
    text_printf(t, c->culprit == UINT32_MAX ? "null" : "%" PRIu32, c->culprit);
    text_add(t, ",\"core\":[");
    for (size_t i = 0; i < shown; i++) {
      if (i) text_char(t, ',');
      put_operation(t, r, c->core[i], &scratch);
    }
    text_add(t, "],\"context\":[");
    for (size_t i = 0; ops && i < c->context_count; i++) {
      if (i) text_char(t, ',');
      put_operation(t, r, c->context[i], &scratch);
    }
    text_add(t, "],\"start_event\":");
    text_printf(t, c->start_count ? "%" PRIu32 : "null", c->core_from);
    text_add(t, ",\"start\":[");
    for (size_t i = 0; i < c->start_count; i++) {
      if (i) text_char(t, ',');
      put_string(t, c->start[i]);
    }
    text_char(t, ']');
  } else if (c->verdict == VERDICT_HOLDS) {
    size_t shown = c->order_count > ORDER_MOST ? ORDER_MOST : c->order_count;
    text_printf(t, ",\"order_operations\":%zu,\"order\":[", c->order_count);
    for (size_t i = 0; i < shown; i++) text_printf(t, i ? ",%" PRIu32 : "%" PRIu32, c->order[i]);
    text_char(t, ']');
  } else {
    text_printf(t, ",\"decided_events\":%" PRIu32, c->reached);
  }
  text_char(t, '}');
  mem_free(t->mem, scratch.at);
}

static void put_history(struct text *t, const struct history *h) {
  if (!h) {
    text_add(t, ",\"file\":null,\"format\":null,\"object\":null,\"threads\":null,\"operations\":null,\"events\":null"
                ",\"pending\":null,\"failed\":null,\"skipped\":null,\"late\":null");
    return;
  }
  text_add(t, ",\"file\":");
  put_string(t, h->source);
  text_add(t, ",\"format\":");
  put_string(t, h->format);
  text_add(t, ",\"object\":");
  put_string(t, h->object_type ? h->object_type : names_count(h->objects) == 1 ? names_at(h->objects, 0) : NULL);
  text_printf(t, ",\"threads\":%" PRIu32 ",\"operations\":%zu,\"events\":%" PRIu32, names_count(h->processes),
              h->ops.count, h->events);
  text_printf(t, ",\"pending\":%zu,\"failed\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"late\":%" PRIu64, unfinished(h),
              h->failed, h->skipped, h->late);
}

void report_json(const struct report *r, struct text *t) {
  if (r->execution) {
    execution_json(r, t);
    return;
  }
  if (r->proof) {
    proof_json(r, t);
    return;
  }
  if (r->monitored) {
    monitored_json(r, t);
    return;
  }
  static const char *const verdicts[] = {"holds", "violated", "unknown"};
  const struct check_result *c = r->result;
  text_add(t, "{\"schema\":\"asif-1\",\"command\":");
  put_string(t, r->command);
  text_printf(t, ",\"verdict\":\"%s\",\"reason\":", verdicts[c->verdict]);
  put_string(t, c->reason && *c->reason ? c->reason : NULL);
  put_history(t, r->history);
  text_add(t, ",\"spec\":");
  if (r->spec) {
    struct text name;
    text_open(&name, t->mem);
    put_spec(&name, r->spec);
    put_json(t, text_string(&name), name.count);
    mem_free(t->mem, name.at);
  } else {
    text_add(t, "null");
  }
  text_add(t, ",\"method\":");
  put_string(t, c->method && *c->method ? c->method : NULL);
  text_printf(t, ",\"parts\":%zu,\"states\":%" PRIu64 ",\"transitions\":null,\"schedules\":null", c->parts,
              c->configurations);
  put_notes_json(t, r);
  text_printf(t, ",\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"peak_rss_kb\":%ld", r->seconds, r->cpu_seconds,
              r->peak_rss_kb);
  text_add(t, ",\"evidence\":");
  put_evidence(t, r);
  text_add(t, "}\n");
}
