/* The data of the HTML page: arrays with an entry for each operation, differences where numbers grow, and one table
 * of texts. 16,000 operations take about half a megabyte. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { TEXT_MOST = 160, START_MOST = 50, STATE_MOST = 2000, PROSE_MOST = 4000, SOURCE_MOST = 300000, NOWHERE = -1 };

static void put_text(struct text *t, const char *key, const char *s) {
  text_printf(t, ",\"%s\":", key);
  if (!s) s = "";
  struct text clean;
  text_open(&clean, t->mem);
  put_short(&clean, s, strlen(s), PROSE_MOST);
  put_json(t, text_string(&clean), clean.count);
  mem_free(t->mem, clean.at);
}

/* Interns clean text, cut if it is long: a page is no place for a megabyte of one value. */
static uint32_t intern(struct names *table, const struct text *s) {
  if (s->count <= TEXT_MOST) return names_intern(table, text_string(s), s->count);
  size_t n = TEXT_MOST;
  while (n && (s->at[n] & 0xc0) == 0x80) n--;
  char cut[TEXT_MOST + 4];
  memcpy(cut, s->at, n);
  memcpy(cut + n, "\xe2\x80\xa6", 3);
  return names_intern(table, cut, n + 3);
}

static void put_table(struct text *t, const char *key, const struct names *table) {
  text_printf(t, ",\"%s\":[", key);
  for (uint32_t i = 0; i < names_count(table); i++) {
    if (i) text_char(t, ',');
    put_json(t, names_at(table, i), strlen(names_at(table, i)));
  }
  text_char(t, ']');
}

/* Times come from a file: a difference may wrap, but is never undefined. */
static int64_t minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

static void put_numbers(struct text *t, const char *key, const int64_t *at, size_t count, bool differences) {
  text_printf(t, ",\"%s\":[", key);
  for (size_t i = 0; i < count; i++)
    text_printf(t, i ? ",%" PRId64 : "%" PRId64, differences && i ? minus(at[i], at[i - 1]) : at[i]);
  text_char(t, ']');
}

/* Processes by their own numbers, so that names cut to the same text stay two; places[] gives each that occurs its
 * place. */
static void put_processes(struct text *t, const struct report *r, const struct window *w, uint32_t *places) {
  uint32_t count = 0;
  struct text name;
  text_open(&name, t->mem);
  text_add(t, ",\"processes\":[");
  for (size_t i = 0; i < w->count; i++) {
    uint32_t p = r->history->ops.at[w->ops[i]].process;
    if (places[p]) continue;
    if (count) text_char(t, ',');
    places[p] = ++count;
    text_clear(&name);
    put_process(&name, r, p);
    put_json(t, text_string(&name), name.count);
  }
  text_char(t, ']');
  mem_free(t->mem, name.at);
}

static void put_operations(struct text *t, const struct report *r, const struct window *w) {
  const struct history *h = r->history;
  struct mem *m = t->mem;
  int64_t *column = mem_alloc(m, (w->count + 1) * sizeof *column);
  struct names *texts = names_new(m);
  uint32_t *places = mem_zero(m, (size_t)names_count(h->processes) + 1, sizeof *places);
  put_processes(t, r, w, places);
  struct text s;
  text_open(&s, m);
#define COLUMN(key, differences, expression) \
  do { \
    for (size_t i = 0; i < w->count; i++) { \
      const struct op *o = &h->ops.at[w->ops[i]]; \
      text_clear(&s); \
      column[i] = (expression); \
    } \
    put_numbers(t, key, column, w->count, differences); \
  } while (0)
  COLUMN("id", true, ((void)o, (int64_t)w->ops[i]));
  COLUMN("call", true, (int64_t)o->call);
  COLUMN("length", false, op_pending(o) ? 0 : (int64_t)o->ret - o->call);
  COLUMN("process", false, (int64_t)places[o->process] - 1);
  COLUMN("what", false, (put_call(&s, r, o), (int64_t)intern(texts, &s)));
  COLUMN("result", false, op_pending(o) ? NOWHERE : (put_result(&s, r, o), (int64_t)intern(texts, &s)));
  COLUMN("line", true, (int64_t)o->line);
  if (h->call_time) {
    COLUMN("time", true, ((void)o, minus(h->call_time[w->ops[i]], h->call_time[w->ops[0]])));
    COLUMN("duration", false, op_pending(o) ? 0 : minus(h->ret_time[w->ops[i]], h->call_time[w->ops[i]]));
    text_printf(t, ",\"epoch\":\"%" PRId64 "\"", h->call_time[w->ops[0]]);
  }
  put_table(t, "texts", texts);
#undef COLUMN
  mem_free(m, s.at);
  mem_free(m, places);
  mem_free(m, column);
}

/* Position of an operation in the window, or NOWHERE. */
static int64_t position(const struct window *w, uint32_t op) {
  size_t low = 0, high = w->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (w->ops[middle] < op)
      low = middle + 1;
    else
      high = middle;
  }
  return low < w->count && w->ops[low] == op ? (int64_t)low : NOWHERE;
}

static void put_core(struct text *t, const struct report *r, const struct window *w) {
  const struct check_result *c = r->result;
  int64_t *at = mem_alloc(t->mem, (c->core_count + 1) * sizeof *at);
  size_t n = 0;
  for (size_t i = 0; i < c->core_count; i++)
    if ((at[n] = position(w, c->core[i])) != NOWHERE) n++;
  put_numbers(t, "core", at, n, false);
  mem_free(t->mem, at);
  text_printf(t, ",\"coreTotal\":%zu,\"minimal\":%s,\"byReturn\":%s,\"culprit\":%" PRId64, c->core_count,
              c->minimal ? "true" : "false", c->by_return ? "true" : "false",
              c->culprit == UINT32_MAX ? NOWHERE : position(w, c->culprit));
  text_printf(t, ",\"coreFrom\":%" PRIu32 ",\"startTotal\":%zu,\"start\":[", c->core_from, c->start_count);
  for (size_t i = 0; i < c->start_count && i < START_MOST; i++) {
    struct text s;
    text_open(&s, t->mem);
    put_short(&s, c->start[i], strlen(c->start[i]), STATE_MOST);
    if (i) text_char(t, ',');
    put_json(t, text_string(&s), s.count);
    mem_free(t->mem, s.at);
  }
  text_char(t, ']');
}

/* The linearization: each operation's place in the order and how far after its call it takes effect. */
static void put_order(struct text *t, const struct report *r, const struct window *w) {
  const struct check_result *c = r->result;
  int64_t *place = mem_zero(t->mem, w->count + 1, sizeof *place),
          *gap = mem_alloc(t->mem, (w->count + 1) * sizeof *gap);
  for (size_t i = 0; i < w->count; i++) gap[i] = NOWHERE;
  for (size_t i = 0; i < c->order_count; i++) {
    int64_t at = position(w, c->order[i]);
    if (at == NOWHERE) continue;
    place[at] = (int64_t)i;
    gap[at] = (int64_t)c->gap[i] - r->history->ops.at[c->order[i]].call;
  }
  put_numbers(t, "place", place, w->count, true);
  put_numbers(t, "gap", gap, w->count, false);
  text_printf(t, ",\"orderTotal\":%zu", c->order_count);
  mem_free(t->mem, place);
  mem_free(t->mem, gap);
}

/* The steps, and of the files they are in the text: the numbers of files are those of the lines. */
static void put_execution(struct text *t, const struct execution *e) {
  const struct schedule *s = e->schedule;
  put_text(t, "client", e->client);
  if (e->searched) put_text(t, "searched", e->searched);
  text_printf(t, ",\"states\":%" PRIu64 ",\"schedule\":{\"threads\":[", e->states);
  for (size_t i = 0; i < s->threads.count; i++) {
    if (i) text_char(t, ',');
    put_json(t, s->threads.at[i], strlen(s->threads.at[i]));
  }
  text_add(t, "],\"files\":[");
  for (size_t i = 0; i < s->files.count; i++) {
    const struct schedule_file *f = &s->files.at[i];
    bool used = false;
    for (size_t k = 0; k < s->lines.count && !used; k++) used = s->lines.at[k].line && s->lines.at[k].file == i;
    text_printf(t, "%s{\"path\":", i ? "," : "");
    put_json(t, f->path, strlen(f->path));
    text_add(t, ",\"text\":");
    put_json(t, used && f->text ? f->text : "", used && f->text && f->length <= SOURCE_MOST ? f->length : 0);
    text_char(t, '}');
  }
  text_add(t, "],\"lines\":[");
  for (size_t i = 0; i < s->lines.count; i++) {
    const struct schedule_line *l = &s->lines.at[i];
    text_printf(t, "%s[%" PRIu32 ",%u,\"%s\",%u,%" PRIu32 ",%" PRIu32 ",", i ? "," : "", l->step, l->thread,
                schedule_word(l->kind), l->file, l->line, l->column);
    put_json(t, l->text, strlen(l->text));
    text_char(t, ']');
  }
  text_char(t, ']');
  if (e->endless) text_printf(t, ",\"loop\":%zu", e->endless->loop);
  if (s->printed) put_text(t, "printed", s->printed);
  text_char(t, '}');
}

void put_data(struct text *t, const struct report *r, const struct window *w) {
  static const char *const verdicts[] = {"holds", "violated", "unknown"};
  const struct check_result *c = r->result;
  const struct history *h = r->history;
  struct text said, spec;
  text_open(&said, t->mem);
  text_open(&spec, t->mem);
  text_printf(t, "{\"verdict\":\"%s\"", verdicts[c->verdict]);
  put_text(t, "said", verdict_line(r));
  put_text(t, "file",
           r->execution   ? r->execution->file
           : r->monitored ? r->monitored->file
           : h            ? h->source
                          : r->command);
  put_spec(&spec, r->spec);
  put_text(t, "spec", text_string(&spec));
  put_text(t, "method", c->method);
  if (c->verdict == VERDICT_HOLDS && r->execution && r->execution->searched)
    text_printf(&said, "%c%s: %s.", toupper((unsigned char)*r->execution->client), r->execution->client + 1,
                r->execution->calls);
  else if (c->verdict == VERDICT_HOLDS && r->execution)
    text_printf(&said, "Every execution of %s: %s.", r->execution->client, r->execution->calls);
  else if (c->verdict == VERDICT_HOLDS)
    put_holds(&said, r);
  else
    text_add(&said, c->reason ? c->reason : "");
  put_text(t, "reason", text_string(&said));
  text_printf(t,
              ",\"seconds\":%.3f,\"operations\":%zu,\"events\":%" PRIu32 ",\"processTotal\":%" PRIu32
              ",\"reached\":%" PRIu32,
              r->seconds, h ? h->ops.count : 0, h ? h->events : 0, h ? names_count(h->processes) : 0, c->reached);
  text_clear(&said);
  if (r->execution && r->execution->fix) text_add(&said, r->execution->fix);
  for (size_t i = 0; r->execution && i < r->execution->note_count; i++)
    text_printf(&said, "%s\n", r->execution->notes[i]);
  if (!r->execution) put_notes(&said, r, "", "\n");
  text_add(t, ",\"notes\":");
  put_json(t, text_string(&said), said.count);
  text_add(t, ",\"ranges\":[");
  for (size_t i = 0; i < w->range_count; i++)
    text_printf(t, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "", w->ranges[i].from, w->ranges[i].to);
  text_char(t, ']');
  if (w->count) put_operations(t, r, w);
  if (c->verdict == VERDICT_VIOLATED) put_core(t, r, w);
  if (c->verdict == VERDICT_HOLDS && w->count) put_order(t, r, w);
  if (r->execution) put_execution(t, r->execution);
  if (r->monitored)
    text_printf(t,
                ",\"monitored\":{\"k\":%u,\"operations\":%" PRIu64 ",\"processes\":%" PRIu32 ",\"line\":%" PRIu64 "}",
                r->monitored->k, r->monitored->operations, r->monitored->processes, r->monitored->line);
  text_add(t, "}");
  mem_free(t->mem, said.at);
  mem_free(t->mem, spec.at);
}
