/* The answer of `asif prove`: points, actions and the memory between operations; or where the proof fails, what is
 * known there, how it comes to that and what to look at; what was assumed, and the verdict on the last line. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { CHANGES_MOST = 6, MEMORIES_MOST = 8 }; /* lines that are shown of a kind */

static void put_string(struct text *t, const char *s) { put_clean(t, s, strlen(s)); }

void put_proof_place(struct text *t, const struct proof_step *s) {
  put_string(t, s->path);
  text_printf(t, ":%" PRIu32 ":%" PRIu32, s->line, s->column);
}

/* The line of the source, and a caret under the column. */
static void put_source(struct text *t, const struct proof *p, const struct proof_step *s) {
  for (size_t i = 0; i < p->sources.count; i++) {
    if (p->sources.at[i].path != s->path) continue;
    const char *at = p->sources.at[i].text, *end = at + p->sources.at[i].length, *stop;
    for (uint32_t line = 1; at && line < s->line; line++) {
      at = memchr(at, '\n', (size_t)(end - at));
      if (at) at++;
    }
    if (!at || at >= end) return;
    stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    if (memchr(at, '\t', length) || s->column > length) return;
    text_add(t, "  ");
    put_clean(t, at, length);
    text_printf(t, "\n  %*s^\n", (int)s->column - 1, "");
    return;
  }
}

static void put_header(const struct report *r, struct text *t) {
  text_add(t, BOLD(r));
  put_string(t, r->proof->file);
  text_printf(t, "%s: ", OFF(r));
  if (r->spec) {
    put_spec(t, r->spec);
    text_add(t, "; ");
  }
  text_add(t, "any number of threads, any number of operations\n");
}

static int widest(const struct proof *p) {
  size_t most = 0;
  for (size_t i = 0; i < p->points.count; i++)
    if (strlen(p->points.at[i].operation) > most) most = strlen(p->points.at[i].operation);
  for (size_t i = 0; i < p->unmoved.count; i++)
    if (strlen(p->unmoved.at[i]) > most) most = strlen(p->unmoved.at[i]);
  return (int)most;
}

static void put_points(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  if (!p->points.count && !p->unmoved.count) return;
  int width = widest(p);
  text_printf(t, "\n%sLinearization points%s%s:\n", BOLD(r), OFF(r), p->marked ? ", as they are marked" : "");
  for (size_t i = 0; i < p->points.count; i++) {
    text_printf(t, "  %-*s  ", width, p->points.at[i].operation);
    put_proof_place(t, &p->points.at[i]);
    text_add(t, "  ");
    put_string(t, p->points.at[i].text);
    text_char(t, '\n');
  }
  for (size_t i = 0; i < p->unmoved.count; i++)
    text_printf(t, "  %-*s  changes nothing: any moment at which its result is right\n", width, p->unmoved.at[i]);
}

static void put_more(struct text *t, size_t count, size_t shown, const char *noun) {
  if (count <= shown) return;
  text_add(t, "    and ");
  put_count(t, count - shown, noun);
  text_char(t, '\n');
}

static void put_actions(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  if (!p->actions.count) return;
  text_printf(t, "\n%sWhat a step may change%s, at any moment of the others:\n", BOLD(r), OFF(r));
  for (size_t i = 0; i < p->actions.count; i++) {
    const struct proof_action *a = &p->actions.at[i];
    text_add(t, "  ");
    put_proof_place(t, &a->step);
    text_printf(t, "  %s: ", a->step.operation);
    put_string(t, a->step.text);
    text_char(t, '\n');
    for (size_t c = 0; c < a->changes.count && c < CHANGES_MOST; c++) {
      text_add(t, "    ");
      put_string(t, a->changes.at[c]);
      text_char(t, '\n');
    }
    put_more(t, a->changes.count, CHANGES_MOST, "other case");
  }
}

static void put_memory(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  if (!p->memory.count) return;
  text_printf(t, "\n%sMemory between operations%s is one of:\n", BOLD(r), OFF(r));
  for (size_t i = 0; i < p->memory.count && i < MEMORIES_MOST; i++) {
    text_add(t, "  ");
    put_string(t, p->memory.at[i].memory);
    text_add(t, "   ");
    put_string(t, p->memory.at[i].knows);
    text_char(t, '\n');
  }
  put_more(t, p->memory.count, MEMORIES_MOST, "other");
}

static void put_wrapped_string(struct text *t, const struct report *r, const char *s, int indent) {
  struct text clean;
  text_open(&clean, t->mem);
  put_string(&clean, s);
  put_wrapped(t, r, &clean, indent);
  mem_free(t->mem, clean.at);
}

static void put_trail(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  if (!p->trail.count) return;
  text_add(t, "\nIt may come to this so:\n");
  for (size_t i = 0; i < p->trail.count; i++) {
    const struct proof_moment *m = &p->trail.at[i];
    text_printf(t, "  %-14s  ", m->other ? "another thread" : "");
    if (m->step.path) {
      put_proof_place(t, &m->step);
      text_printf(t, "  %s: ", m->step.operation);
    } else {
      text_printf(t, "%s ", m->step.operation);
    }
    put_string(t, m->step.text);
    text_char(t, '\n');
  }
}

void report_proof_failure(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  static const char head[] = "Not proved";
  struct text sentence, lines;
  text_open(&sentence, t->mem);
  text_open(&lines, t->mem);
  text_printf(&sentence, "%s: ", head);
  if (p->where.path) {
    put_proof_place(&sentence, &p->where);
    text_add(&sentence, ": ");
  }
  put_string(&sentence, p->sentence);
  put_wrapped(&lines, r, &sentence, 0);
  text_printf(t, "\n%s%s%s%s", YELLOW(r), head, OFF(r), text_string(&lines) + sizeof head - 1);
  mem_free(t->mem, sentence.at);
  mem_free(t->mem, lines.at);
  if (p->where.path) put_source(t, p, &p->where);
  if (p->view) {
    text_add(t, "\nWhat is known there:\n  ");
    put_wrapped_string(t, r, p->view->memory, 2);
    text_add(t, "  ");
    put_wrapped_string(t, r, p->view->knows, 2);
  }
  put_trail(r, t);
  if (p->hint) {
    text_add(t, "\nhint: ");
    put_wrapped_string(t, r, p->hint, 6);
  }
}

static void put_verdict(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  text_printf(t, "verdict: %s", verdict_line(r)); /* never coloured: scripts look for it */
  if (r->result->verdict == VERDICT_UNKNOWN && r->result->reason) {
    text_add(t, ": ");
    put_string(t, r->result->reason);
  }
  text_printf(t, " (any number of threads%s; ", p->ranged ? ", arguments within ASIF_IN" : "");
  if (r->spec) {
    put_spec(t, r->spec);
    text_add(t, ", ");
  }
  text_printf(t, "%" PRIu64 " views, %" PRIu64 " actions, %.2f s, %ld MB)\n", p->views, p->actions_used, r->seconds,
              r->peak_rss_kb >> 10);
}

void proof_text(const struct report *r, struct text *t) {
  const struct proof *p = r->proof;
  put_header(r, t);
  if (p->proved) {
    put_points(r, t);
    put_actions(r, t);
    put_memory(r, t);
  } else if (p->sentence) {
    report_proof_failure(r, t);
  }
  text_char(t, '\n');
  if (p->confirming) {
    text_add(t, "verify: ");
    put_wrapped_string(t, r, p->confirming, 8);
  }
  for (size_t i = 0; i < p->notes.count; i++) {
    text_add(t, "note: ");
    put_string(t, p->notes.at[i]);
    text_char(t, '\n');
  }
  if (r->evidence) {
    text_add(t, "evidence: ");
    put_string(t, r->evidence);
    text_char(t, '\n');
  }
  put_verdict(r, t);
}
