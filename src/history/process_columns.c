/* Columns with processes: `0 10 20 ENQ 5`, that is process, start, end, method, value. The order
 * `0 ENQ 5 10 20` is met too, and read. See columns.c for values and times. */
#include <string.h>

#include "history/columns.h"
#include "history/intervals.h"
#include "history/write.h"

static bool add(struct columns *c) {
  struct lines *l = &c->lines;
  char *p = c->at[0];
  uint32_t process;
  if (c->count < 4)
    return lines_bad(l, l->end,
                     "too few columns; they are process, start, end, method and value, as in `0 10 20 ENQ 5`");
  if (!lines_name(l, &p, "the process", &l->processes, &process)) return false;
  if (p != c->end[0]) return lines_bad(l, p, "%s inside the process's name", byte_name(*p).text);
  if (columns_number(c, 1)) return columns_add(c, process, 3, 4, c->count, 1, 2);
  return columns_add(c, process, 1, 2, c->count - 2, c->count - 2, c->count - 1);
}

/* A process does one thing at a time; intervals of it that merely touch are fine. */
static bool sequential(struct columns *c) {
  struct history *h = c->lines.h;
  uint32_t earlier, later;
  if (!history_overlap(h, h->mem, &earlier, &later)) return true;
  const struct op *o = &h->ops.at[later];
  problem_set(c->lines.problem, "%s:%u:1: process %.60s calls while its earlier call, on line %u, has not returned",
              h->source, o->line, names_at(h->processes, o->process), h->ops.at[earlier].line);
  return false;
}

static bool read_columns(struct input *in, struct history *h, struct problem *problem) {
  struct columns *c = columns_open(in, h, problem);
  bool bad;
  h->in_turn = true;
  while (columns_next(c, &bad))
    if (!add(c)) return false;
  if (bad || !input_whole(in, problem)) return false;
  history_finish(h);
  return sequential(c);
}

static bool write_columns(const struct history *h, struct text *out, struct problem *problem,
                          bool (*flush)(struct text *, void *), void *to) {
  struct writer w;
  if (!writer_one_object(h, "process-columns", problem)) return false;
  writer_open(&w, h, out);
  writer_object_type(h, out);
  unsigned char *places = columns_places(h, out->mem);
  bool good = true;
  for (size_t i = 0; i < h->ops.count && good; i++) {
    const struct op *o = &h->ops.at[i];
    writer_process(&w, (uint32_t)i, out);
    text_char(out, ' ');
    write_int(columns_time(h, o, false, true), out);
    text_char(out, ' ');
    if (op_pending(o))
      text_add(out, "inf");
    else
      write_int(columns_time(h, o, true, true), out);
    text_char(out, ' ');
    columns_put_values(h, o, places, out);
    text_char(out, '\n');
    if (out->count >= WRITE_CHUNK) good = flush(out, to);
  }
  mem_free(out->mem, places);
  writer_close(&w);
  return good;
}

/* A process, then two times and a word, or a word. */
static int guess(const char *s, size_t n) {
  const char *e;
  if (!first_line(&s, n, &e)) return 0;
  if (memchr(s, '(', (size_t)(e - s)) || *s == '[' || *s == '{') return 0;
  int column = 0, numbers = 0, words = 0, ends = 0;
  while (s < e && column < 5) {
    const char *p = s;
    int64_t t;
    while (s < e && *s != ' ' && *s != '\t' && *s != ',' && *s != '\r') s++;
    size_t len = (size_t)(s - p);
    if (scan_integer(p, len, &t)) numbers |= 1 << column;
    if (numbers >> column & 1 || (len == 1 && (*p == '-' || *p == '?')) || (len == 3 && !memcmp(p, "inf", 3)))
      ends |= 1 << column;
    else if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '"')
      words |= 1 << column;
    column++;
    while (s < e && (*s == ' ' || *s == '\t' || *s == ',' || *s == '\r')) s++;
  }
  if (column >= 4 && numbers & 2 && ends & 4 && words & 8) return 85;
  return column >= 4 && numbers & 1 && words & 2 ? 75 : 0;
}

const struct format format_process_columns = {
    .name = "process-columns",
    .summary = "0 10 20 ENQ 5: process, start, end, method, value",
    .suffixes = ".pcolumns",
    .guess = guess,
    .read = read_columns,
    .write = write_columns,
};
