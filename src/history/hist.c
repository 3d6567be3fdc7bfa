/* .hist and .log files: `[1] call push(c)` or `[1] call push 1`, `[1] return`, `[1] return empty`.
 *
 * What is in the brackets is a thread in some files and an operation in others; either way nothing is called twice
 * before it returns. `# @object atomic-stack` names the type. */
#include <string.h>

#include "history/format.h"
#include "history/lines.h"
#include "history/write.h"

/* Values up to the end of the line, or of the parentheses. */
static bool values_after(struct lines *l, char **p, value *args, int *count) {
  *count = 0;
  *p = skip_blanks(*p);
  if (**p == '(') {
    ++*p;
    if (!lines_arguments(l, p, args, count)) return false;
    *p = skip_blanks(*p);
  } else {
    while (*p != l->end && **p != '#') {
      if (*count == OP_ARGS) return lines_bad(l, *p, "more than %d values; put them in a list: [1 2 3 4]", OP_ARGS);
      if (!lines_value(l, p, &args[(*count)++])) return false;
      while (**p == ' ' || **p == '\t' || **p == ',') ++*p;
    }
  }
  if (*p == l->end || **p == '#') return true;
  return lines_bad(l, *p, "%s after the event; a comment begins with '#'", byte_name(**p).text);
}

static bool event(struct lines *l, char *p, uint32_t object) {
  uint32_t process, method;
  value args[OP_ARGS];
  int count;
  char *start = p;
  if (*p != '[') return lines_bad(l, p, "an event begins with its thread in brackets, as in `[1] call push(2)`");
  p = skip_blanks(p + 1);
  if (!lines_name(l, &p, "the thread, as in `[1] call push(2)`,", &l->processes, &process)) return false;
  p = skip_blanks(p);
  if (*p != ']') return lines_bad(l, p, "']' should follow the thread, as in `[1] call push(2)`");
  p = skip_blanks(p + 1);
  char *e = word_end(p);
  bool call = word_is(p, (size_t)(e - p), "call");
  if (!call && !word_is(p, (size_t)(e - p), "return"))
    return lines_bad(l, p, "`call` or `return` should follow, as in `[1] call push(2)` or `[1] return`");
  p = skip_blanks(e);
  if (call && !lines_name(l, &p, "the operation's name", &l->methods, &method)) return false;
  if (!values_after(l, &p, args, &count)) return false;
  if (call) {
    uint32_t line = l->in->line < UINT32_MAX ? (uint32_t)l->in->line : 0;
    return lines_bad_process(l, start, process, history_call(l->h, process, object, method, args, count, line));
  }
  value result = count == 0 ? V_NONE : count == 1 ? args[0] : value_list(l->h->values, args, (size_t)count);
  return lines_bad_process(l, start, process, history_return(l->h, process, object, result));
}

static bool read_hist(struct input *in, struct history *h, struct problem *problem) {
  struct lines *l = mem_alloc(h->mem, sizeof *l);
  lines_open(l, in, h, problem);
  uint32_t object = lines_only_object(l);
  while (lines_next(l)) {
    char *p = skip_blanks(l->at);
    if (*p == '#')
      lines_object_type(l, p + 1);
    else if (p != l->end && !event(l, p, object))
      return false;
  }
  history_finish(h);
  return input_whole(in, problem);
}

static bool write_hist(const struct history *h, struct text *out, struct problem *problem,
                       bool (*flush)(struct text *, void *), void *to) {
  struct writer w;
  if (!writer_one_object(h, "hist", problem)) return false;
  writer_open(&w, h, out);
  writer_object_type(h, out);
  for (uint32_t e = 0; e < h->events; e++) {
    const struct op *o = &h->ops.at[w.events[e] >> 1];
    text_char(out, '[');
    writer_process(&w, w.events[e] >> 1, out);
    if (w.events[e] & 1) {
      text_add(out, "] return");
      if (o->result != V_NONE) {
        text_char(out, ' ');
        write_value(h, o->result, out);
      }
    } else {
      text_add(out, "] call ");
      write_name(out, names_at(h->methods, o->method), false);
      if (op_arguments(o)) write_arguments(h, o, out);
    }
    text_char(out, '\n');
    if (out->count >= WRITE_CHUNK && !flush(out, to)) return writer_close(&w), false;
  }
  return writer_close(&w), true;
}

static int guess(const char *s, size_t n) {
  const char *e;
  if (!first_line(&s, n, &e)) return 0;
  const char *close = *s == '[' ? memchr(s, ']', (size_t)(e - s)) : NULL;
  if (!close) return 0;
  for (s = close + 1; s < e && *s == ' ';) s++;
  return (e - s >= 4 && !memcmp(s, "call", 4)) || (e - s >= 6 && !memcmp(s, "return", 6)) ? 95 : 0;
}

const struct format format_hist = {
    .name = "hist",
    .summary = "[1] call push(2), then [1] return",
    .suffixes = ".hist",
    .guess = guess,
    .read = read_hist,
    .write = write_hist,
};
