/* Schedules: a table for people, steps for programs.
 *
 *   step         stack.c:31  push(1)
 *      1  A                    store n->val = 1
 *                            load top -> null
 *      2    B    ...
 *
 * Threads stand side by side, so that one sees who runs; what no other thread can reach is indented. */
#include <inttypes.h>
#include <string.h>

#include "report/parts.h"

enum { PLACE_MOST = 60 };

const char *schedule_path(const struct schedule *s, const struct schedule_line *l) {
  return l->file < s->files.count ? s->files.at[l->file].path : "?";
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

/* Are the files told apart by their names? Then their folders say nothing. */
static bool base_names_do(struct mem *m, const struct schedule *s) {
  bool *used = mem_zero(m, s->files.count + 1, sizeof *used), do_ = true;
  for (size_t i = 0; i < s->lines.count; i++)
    if (s->lines.at[i].line && s->lines.at[i].file < s->files.count) used[s->lines.at[i].file] = true;
  for (size_t i = 0; i < s->files.count; i++)
    for (size_t k = 0; k < i; k++)
      do_ &= !used[i] || !used[k] || strcmp(base_name(s->files.at[i].path), base_name(s->files.at[k].path)) != 0;
  mem_free(m, used);
  return do_;
}

static void put_place(struct text *t, const struct schedule *s, const struct schedule_line *l, bool base) {
  if (!l->line) return;
  const char *path = schedule_path(s, l);
  if (base) path = base_name(path);
  size_t n = strlen(path), skip = n > PLACE_MOST ? n - PLACE_MOST : 0;
  if (skip) text_add(t, "..");
  put_clean(t, path + skip, n - skip);
  text_printf(t, ":%" PRIu32, l->line);
}

static int widest_place(struct mem *m, const struct schedule *s, bool base) {
  int most = 0;
  struct text t;
  text_open(&t, m);
  for (size_t i = 0; i < s->lines.count; i++) {
    text_clear(&t);
    put_place(&t, s, &s->lines.at[i], base);
    int n = text_columns(text_string(&t), t.count);
    most = n > most ? n : most;
  }
  mem_free(m, t.at);
  return most;
}

static const char *line_style(const struct report *r, uint8_t kind) {
  switch (kind) {
  case SCHEDULE_CALL:
  case SCHEDULE_RETURN: return BOLD(r);
  case SCHEDULE_OWN: return DIM(r);
  case SCHEDULE_SWITCH:
  case SCHEDULE_NOTE: return YELLOW(r);
  case SCHEDULE_FAULT:
  case SCHEDULE_WAIT: return RED(r);
  default: return "";
  }
}

/* "    12    B  ", or as many blanks. */
static void put_step(struct text *t, const struct report *r, const struct schedule *s, const struct schedule_line *l,
                     bool first) {
  int threads = (int)s->threads.count;
  if (!first) {
    text_printf(t, "%*s", 8 + 2 * threads + 1, "");
    return;
  }
  if (l->step)
    text_printf(t, "%6" PRIu32 "  ", l->step);
  else
    text_printf(t, "%6s  ", "");
  text_printf(t, "%*s%s%s%s%*s", 2 * l->thread, "", BOLD(r), s->threads.at[l->thread], OFF(r),
              2 * (threads - l->thread), "");
}

/* The line in the source; length 0 if it is not known. */
static const char *source_line(const struct schedule *s, const struct schedule_line *l, size_t *length) {
  *length = 0;
  if (!l->line || l->file >= s->files.count || !s->files.at[l->file].text) return "";
  const char *at = s->files.at[l->file].text, *end = at + s->files.at[l->file].length;
  for (uint32_t n = 1; n < l->line && at < end; n++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline ? newline + 1 : end;
  }
  const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : end;
  *length = (size_t)((stop ? stop : end) - at);
  if (*length && at[*length - 1] == '\r') --*length;
  return at;
}

/* Code: a tab is two blanks. */
static void put_code(struct text *t, const char *at, size_t length) {
  for (const char *end = at + length; at < end;) {
    const char *tab = memchr(at, '\t', (size_t)(end - at));
    put_clean(t, at, (size_t)((tab ? tab : end) - at));
    if (tab) text_add(t, "  ");
    at = tab ? tab + 1 : end;
  }
}

/* The same beside what happens there, where it is another than before. */
static void put_beside(struct text *t, const struct report *r, const struct schedule *s, size_t i, size_t text_at,
                       size_t text_end) {
  enum { COLUMN = 44 };
  const struct schedule_line *l = &s->lines.at[i];
  size_t length;
  const char *at = source_line(s, l, &length);
  if (!s->source_lines || l->kind == SCHEDULE_CALL) return;
  if (i && l[-1].step == l->step && l[-1].thread == l->thread && l[-1].line == l->line && l[-1].file == l->file &&
      l[-1].kind != SCHEDULE_CALL)
    return;
  while (length && (*at == ' ' || *at == '\t')) at++, length--;
  if (!length) return;
  int used = text_columns(t->at + text_at, text_end - text_at) + (l->kind == SCHEDULE_OWN ? 2 : 0);
  text_printf(t, "%*s%s| ", used < COLUMN ? COLUMN - used : 1, "", DIM(r));
  put_code(t, at, length);
  text_add(t, OFF(r));
}

void put_schedule(struct text *t, const struct report *r) {
  const struct schedule *s = r->execution->schedule;
  bool base = base_names_do(t->mem, s);
  int width = widest_place(t->mem, s, base);
  struct text place;
  text_open(&place, t->mem);
  for (size_t i = 0; i < s->lines.count; i++) {
    const struct schedule_line *l = &s->lines.at[i], *before = i ? l - 1 : NULL;
    if (r->execution->endless && i == r->execution->endless->loop)
      text_printf(t, "%sagain and again:\n\n", i ? "\nand then " : "");
    put_step(t, r, s, l, !before || before->step != l->step || before->thread != l->thread);
    text_clear(&place);
    put_place(&place, s, l, base);
    text_printf(t, "%s%s%s%*s  ", DIM(r), text_string(&place), OFF(r),
                width - text_columns(text_string(&place), place.count), "");
    const char *begin = line_style(r, l->kind);
    text_printf(t, "%s%s", l->kind == SCHEDULE_OWN ? "  " : "", begin);
    size_t text_at = t->count;
    put_clean(t, l->text, strlen(l->text));
    size_t text_end = t->count;
    text_add(t, *begin ? OFF(r) : "");
    put_beside(t, r, s, i, text_at, text_end);
    text_char(t, '\n');
  }
  mem_free(t->mem, place.at);
}

void put_source_line(struct text *t, const struct report *r, const struct schedule_line *l) {
  size_t length;
  const char *at = source_line(r->execution->schedule, l, &length);
  if (!length || l->column > length) return;
  text_add(t, "  ");
  put_code(t, at, length);
  if (l->column) {
    text_add(t, "\n  ");
    for (size_t i = 0; i + 1 < l->column; i++) text_add(t, at[i] == '\t' ? "  " : " ");
    text_printf(t, "%s^%s", RED(r), OFF(r));
  }
  text_char(t, '\n');
}

static void put_string(struct text *t, const char *s) { put_json(t, s, strlen(s)); }

const char *schedule_word(unsigned kind) {
  static const char *const kinds[] = {
      [SCHEDULE_CALL] = "call",   [SCHEDULE_RETURN] = "return", [SCHEDULE_ACCESS] = "access",
      [SCHEDULE_OWN] = "private", [SCHEDULE_POINT] = "point",   [SCHEDULE_FAULT] = "fault",
      [SCHEDULE_WAIT] = "wait",   [SCHEDULE_SWITCH] = "switch", [SCHEDULE_NOTE] = "note"};
  return kinds[kind];
}

void put_schedule_json(struct text *t, const struct schedule *s, size_t from, size_t to) {
  text_char(t, '[');
  for (size_t i = from; i < to; i++) {
    const struct schedule_line *l = &s->lines.at[i];
    bool first = i == from || l[-1].step != l->step || l[-1].thread != l->thread;
    if (first) {
      text_printf(t, "%s{\"step\":%" PRIu32 ",\"thread\":", i > from ? "]}," : "", l->step);
      put_string(t, s->threads.at[l->thread]);
      text_add(t, ",\"events\":[");
    }
    text_printf(t, "%s{\"kind\":\"%s\",\"file\":", first ? "" : ",", schedule_word(l->kind));
    if (l->line)
      put_string(t, schedule_path(s, l));
    else
      text_add(t, "null");
    text_printf(t, ",\"line\":%" PRIu32 ",\"text\":", l->line);
    put_string(t, l->text);
    text_char(t, '}');
  }
  text_add(t, from < to ? "]}]" : "]");
}
