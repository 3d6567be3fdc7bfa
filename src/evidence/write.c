/* Evidence files: the verdict, what it rests on, and the history, in one text file.
 *
 *   asif-evidence 1
 *   verdict linearizable
 *   spec queue
 *   order 3
 *   0 1               operation, and the gap it takes effect in: one line each
 *   ...
 *   history
 *   q Enq(5) A        Wing-Gong lines to the end
 *
 * For a violation: `core`, `free`, `to` and `start` instead of `order` (result.h). */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "evidence/evidence.h"
#include "history/format.h"

static bool flush(struct text *t, void *to) {
  bool good = output_write(to, text_string(t), t->count);
  text_clear(t);
  return good;
}

static void put_list(struct text *t, const char *name, const uint32_t *list, size_t count) {
  text_printf(t, "%s %zu\n", name, count);
  for (size_t i = 0; i < count; i++) text_printf(t, "%" PRIu32 "\n", list[i]);
}

/* How --spec would name it. */
static void put_spec(struct text *t, const struct spec *spec) {
  struct text name;
  text_open(&name, t->mem);
  text_add(&name, spec->source ? spec->source : spec->name);
  if (!spec->source && spec->param && spec->k != SPEC_NIL) text_printf(&name, "(%" PRIu32 ")", spec->k);
  evidence_put_spec(t, text_string(&name));
}

bool evidence_put(struct mem *m, struct output *out, const struct history *h, const struct spec *spec,
                  const char *called, const struct check_result *r, struct problem *why) {
  struct text t;
  text_open(&t, m);
  assert(r->verdict != VERDICT_UNKNOWN);
  text_printf(&t, "verdict %s\n", r->verdict == VERDICT_HOLDS ? "linearizable" : "not linearizable");
  if (called)
    evidence_put_spec(&t, called);
  else
    put_spec(&t, spec);
  if (r->verdict == VERDICT_HOLDS) {
    text_printf(&t, "order %zu\n", r->order_count);
    for (size_t i = 0; i < r->order_count; i++) {
      text_printf(&t, "%" PRIu32 " %" PRIu32 "\n", r->order[i], r->gap[i]);
      if (t.count > 1 << 16 && !flush(&t, out)) return false;
    }
  } else {
    put_list(&t, "core", r->core, r->core_count);
    put_list(&t, "free", r->freed, r->freed_count);
    text_printf(&t, "to %" PRIu32 " %d\n", r->core_to, r->core_forgets); /* 4294967295: all of it */
    if (r->start_count) text_printf(&t, "start %" PRIu32 " %zu\n", r->core_from, r->start_count);
    for (size_t i = 0; i < r->start_count; i++) {
      for (const char *s = r->start[i]; *s; s++) text_char(&t, *s == '\n' ? ' ' : *s);
      text_char(&t, '\n');
    }
  }
  text_add(&t, "history\n");
  return format_wing_gong.write(h, &t, why, flush, out) && flush(&t, out);
}

struct whole {
  const struct history *history;
  const struct spec *spec;
  const struct check_result *result;
};

static bool write_all(struct mem *m, struct output *out, const void *self, struct problem *why) {
  const struct whole *w = self;
  return output_write(out, "asif-evidence 1\n", 16) && evidence_put(m, out, w->history, w->spec, NULL, w->result, why);
}

bool evidence_write(const char *path, const struct history *h, const struct spec *spec, const struct check_result *r,
                    struct problem *why) {
  return output_whole(path, write_all, &(struct whole){h, spec, r}, why);
}
