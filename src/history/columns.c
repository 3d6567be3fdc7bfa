/* Columns: `push 1 10 20`, that is method, value, start, end; and what process_columns.c shares with it.
 *
 * Intervals are closed: [10,20] and [20,30] overlap. The file does not say whether a value went in or came out; the
 * method's name does (methods.h), and a result can be set apart: `cas 1 2 -> true 10 20`. A result of `empty`, `null`,
 * `nil` or `-` is that there was none. An end of `inf`, `-` or `?` is none: the operation is pending. There are no
 * processes; operations that do not overlap share one. */
#include "history/columns.h"

#include <string.h>

#include "history/methods.h"
#include "history/write.h"

enum place { UNKNOWN, ARGUMENTS, LAST_IS_RESULT, SECOND_IS_RESULT };

struct columns *columns_open(struct input *in, struct history *h, struct problem *p) {
  struct columns *c = mem_zero(h->mem, 1, sizeof *c);
  lines_open(&c->lines, in, h, p);
  c->object = lines_only_object(&c->lines);
  return c;
}

static bool separates(char c) { return c == ' ' || c == '\t' || c == ','; }

static bool split(struct columns *c, char *p) {
  struct lines *l = &c->lines;
  for (c->count = 0;; c->count++) {
    while (separates(*p)) p++;
    if (p == l->end || *p == '#') return true;
    if (c->count == COLUMNS_MOST) return lines_bad(l, p, "more than %d columns", COLUMNS_MOST);
    c->at[c->count] = p;
    if (*p == '"' || *p == '[') {
      value v;
      if (!lines_value(l, &p, &v)) return false;
    } else {
      while (*p && !separates(*p)) p++;
      if (!*p && p != l->end) return lines_bad(l, p, "byte 0x00, which no history holds");
    }
    c->end[c->count] = p;
  }
}

bool columns_next(struct columns *c, bool *bad) {
  struct lines *l = &c->lines;
  *bad = false;
  while (lines_next(l)) {
    char *p = skip_blanks(l->at);
    if (*p == '#') {
      lines_object_type(l, p + 1);
    } else if (p != l->end) {
      *bad = !split(c, p);
      return !*bad;
    }
  }
  return false;
}

static size_t length(const struct columns *c, int i) { return (size_t)(c->end[i] - c->at[i]); }

static bool column_is(const struct columns *c, int i, const char *word) {
  return word_is(c->at[i], length(c, i), word);
}

bool columns_number(const struct columns *c, int i) {
  int64_t n;
  return scan_integer(c->at[i], length(c, i), &n);
}

static enum place place_of(const struct history *h, const char *name, size_t len) {
  if (method_observes(name, len)) return LAST_IS_RESULT;
  bool set = h->object_type && strcasestr(h->object_type, "set");
  return method_asks_a_set(name, len) || (set && method_adds_to_set(name, len)) ? SECOND_IS_RESULT : ARGUMENTS;
}

static enum place place_cached(struct columns *c, uint32_t method) {
  struct history *h = c->lines.h;
  while (c->places.count <= method) vec_push(h->mem, &c->places, UNKNOWN);
  if (c->places.at[method] == UNKNOWN) {
    const char *name = names_at(h->methods, method);
    c->places.at[method] = (unsigned char)place_of(h, name, strlen(name));
  }
  return (enum place)c->places.at[method];
}

static bool last_is_result(enum place place, int values) {
  return (place == LAST_IS_RESULT && values > 0) || (place == SECOND_IS_RESULT && values == 2);
}

static bool read_value(struct columns *c, int i, value *out) {
  char *p = c->at[i];
  if (!lines_value(&c->lines, &p, out)) return false;
  return p == c->end[i] ||
         lines_bad(&c->lines, p, "%s inside a value; a text with such bytes wants quotes", byte_name(*p).text);
}

/* A result: nothing there is said in many ways. */
static bool read_result(struct columns *c, int i, value *out) {
  static const char *const words[] = {"empty", "EMPTY", "Empty", "null", "NULL", "nil", "-"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (*words[k] == *c->at[i] && column_is(c, i, words[k])) return *out = V_EMPTY, true;
  return read_value(c, i, out);
}

static bool read_time(struct columns *c, int i, const char *what, int64_t *out) {
  if (scan_integer(c->at[i], length(c, i), out)) return true;
  return lines_bad(&c->lines, c->at[i], "the %s time should be a whole number, not '%.*s'", what,
                   (int)(length(c, i) > 40 ? 40 : length(c, i)), c->at[i]);
}

/* Values in [from, to): arguments, then perhaps the result. */
static bool read_values(struct columns *c, uint32_t method, int from, int to, value *args, int *count, value *result) {
  bool apart = to - from >= 2 && column_is(c, to - 2, "->");
  bool last = apart || last_is_result(place_cached(c, method), to - from);
  int most = apart ? to - 2 : last ? to - 1 : to;
  if (most - from > OP_ARGS) return lines_bad(&c->lines, c->at[from + OP_ARGS], "more than %d arguments", OP_ARGS);
  *count = 0;
  *result = V_NONE;
  for (int i = from; i < most; i++)
    if (!column_is(c, i, "-") && !read_value(c, i, &args[(*count)++])) return false;
  if (apart) return column_is(c, to - 1, "-") || read_value(c, to - 1, result);
  return !last || read_result(c, to - 1, result);
}

bool columns_add(struct columns *c, uint32_t process, int method, int from, int to, int start, int end) {
  struct lines *l = &c->lines;
  char *p = c->at[method];
  uint32_t m;
  int64_t t0, t1 = INT64_MAX;
  value args[OP_ARGS], result;
  int count = 0;
  if (!lines_name(l, &p, "the method", &l->methods, &m)) return false;
  if (p != c->end[method]) return lines_bad(l, p, "%s inside the method's name", byte_name(*p).text);
  if (!read_time(c, start, "start", &t0)) return false;
  bool pending = column_is(c, end, "inf") || column_is(c, end, "-") || column_is(c, end, "?");
  if (!pending && !read_time(c, end, "end", &t1)) return false;
  if (!pending && t1 == INT64_MAX)
    return lines_bad(l, c->at[end], "the end time is too large; a pending operation ends in `inf`");
  if (!read_values(c, m, from, to, args, &count, &result)) return false;
  uint32_t line = l->in->line < UINT32_MAX ? (uint32_t)l->in->line : 0;
  const char *why = history_interval(l->h, process, c->object, m, args, count, result, t0, t1, line);
  return !why || lines_bad(l, c->at[start], "the operation %s", why);
}

static bool read_columns(struct input *in, struct history *h, struct problem *problem) {
  struct columns *c = columns_open(in, h, problem);
  bool bad;
  while (columns_next(c, &bad)) {
    if (c->count < 3)
      return lines_bad(&c->lines, c->lines.end,
                       "too few columns; they are method, value, start and end, as in `push 1 10 20`");
    if (!columns_add(c, 0, 0, 1, c->count - 2, c->count - 2, c->count - 1)) return false;
  }
  if (bad || !input_whole(in, problem)) return false;
  history_finish(h);
  uint32_t count, *lanes = history_lanes(h, h->mem, &count);
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    names_intern(h->processes, name, (size_t)snprintf(name, sizeof name, "%u", i));
  }
  for (size_t i = 0; i < h->ops.count; i++) h->ops.at[i].process = lanes[i];
  h->lanes = true;
  mem_free(h->mem, lanes);
  return true;
}

/* --- writing --- */

int64_t columns_time(const struct history *h, const struct op *o, bool end, bool processes) {
  size_t i = (size_t)(o - h->ops.at);
  /* Times of other formats may contradict the order of the events, and columns have no order but the times. */
  bool timed = !(h->touches && !processes) && h->call_time && h->format &&
               (!strcmp(h->format, "columns") || !strcmp(h->format, "process-columns"));
  if (timed) return (end ? h->ret_time : h->call_time)[i];
  return end ? o->ret : o->call;
}

unsigned char *columns_places(const struct history *h, struct mem *m) {
  uint32_t n = names_count(h->methods);
  unsigned char *places = mem_alloc(m, (size_t)n + 1);
  for (uint32_t i = 0; i < n; i++) {
    const char *name = names_at(h->methods, i);
    places[i] = (unsigned char)place_of(h, name, strlen(name));
  }
  return places;
}

void columns_put_values(const struct history *h, const struct op *o, const unsigned char *places, struct text *out) {
  const char *name = names_at(h->methods, o->method);
  int n = op_arguments(o);
  value result = op_pending(o) ? V_NONE : o->result;
  enum place place = (enum place)places[o->method];
  bool arrow; /* would the columns, read back, give something else? */
  if (last_is_result(place, n + 1) && !op_pending(o))
    arrow =
        result == V_NONE || result == V_NIL || (!value_is_small(result) && value_kind(h->values, result) == VALUE_TEXT);
  else
    arrow = result != V_NONE || last_is_result(place, n);
  write_name(out, name, false);
  for (int i = 0; i < n; i++) {
    text_char(out, ' ');
    write_value(h, o->arg[i], out);
  }
  if (arrow) text_add(out, " ->");
  if (arrow && result == V_NONE) {
    text_add(out, " -");
  } else if (result != V_NONE) {
    text_char(out, ' ');
    write_value(h, result, out);
  }
}

static bool write_columns(const struct history *h, struct text *out, struct problem *problem,
                          bool (*flush)(struct text *, void *), void *to) {
  if (!writer_one_object(h, "columns", problem)) return false;
  writer_object_type(h, out);
  unsigned char *places = columns_places(h, out->mem);
  bool good = true;
  for (size_t i = 0; i < h->ops.count && good; i++) {
    const struct op *o = &h->ops.at[i];
    columns_put_values(h, o, places, out);
    text_char(out, ' ');
    write_int(columns_time(h, o, false, false), out);
    text_char(out, ' ');
    if (op_pending(o))
      text_add(out, "inf");
    else
      write_int(columns_time(h, o, true, false), out);
    text_char(out, '\n');
    if (out->count >= WRITE_CHUNK) good = flush(out, to);
  }
  mem_free(out->mem, places);
  return good;
}

static int guess(const char *s, size_t n) {
  const char *e;
  if (!first_line(&s, n, &e)) return 0;
  if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '"') || memchr(s, '(', (size_t)(e - s))) return 0;
  while (e > s && (e[-1] == '\r' || e[-1] == ' ')) e--;
  const char *p = e;
  while (p > s && !separates(p[-1])) p--;
  int64_t t;
  bool last =
      scan_integer(p, (size_t)(e - p), &t) || (e - p == 3 && !memcmp(p, "inf", 3)) || (e - p == 1 && strchr("-?", *p));
  while (p > s && separates(p[-1])) p--;
  e = p;
  while (p > s && !separates(p[-1])) p--;
  return last && p > s && scan_integer(p, (size_t)(e - p), &t) ? 80 : 0;
}

const struct format format_columns = {
    .name = "columns",
    .summary = "push 1 10 20: method, value, start, end",
    .suffixes = ".columns",
    .guess = guess,
    .read = read_columns,
    .write = write_columns,
};
