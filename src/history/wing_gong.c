/* Wing–Gong lines, Asif's own text format: `q Enq(5) A` calls, `q Ok() A` returns.
 *
 * As printed in Wing and Gong 1993, section 2.4, and by their simulator, section 3.2, whose scripts are read as they
 * stand: `*` begins a comment, which may run on in indented lines; C comments are comments; lines that begin with `%`
 * or `...` are no events. An exceptional termination names the condition: `q Empty() A`, `q Full() A`. An operation
 * that never returns, or ends in `Info()`, is pending; `Ok(?)` is a result that was not observed. Names that are no
 * plain words, and operations called like a termination, are written in quotes. */
#include <string.h>

#include "history/format.h"
#include "history/lines.h"
#include "history/write.h"

enum termination { CALL, OK, EMPTY, FULL, INFO, CONDITION };

/* Words that end an operation. They are capitalised, as in the paper: `Empty()` returns, `empty()` is a call. */
static enum termination termination(const char *s, size_t len) {
  static const struct {
    const char *word;
    enum termination is;
  } words[] = {{"Ok", OK},
               {"ok", OK},
               {"OK", OK},
               {"Empty", EMPTY},
               {"Full", FULL},
               {"Info", INFO},
               {"Timeout", INFO},
               {"Fail", CONDITION},
               {"Failed", CONDITION},
               {"Failure", CONDITION},
               {"Err", CONDITION},
               {"Error", CONDITION},
               {"No", CONDITION},
               {"Exception", CONDITION},
               {"NotFound", CONDITION},
               {"Abort", CONDITION},
               {"Aborted", CONDITION},
               {"Overflow", CONDITION},
               {"Underflow", CONDITION}};
  if (len == 2 && s[0] == 'O' && s[1] == 'k') return OK;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (*words[i].word == *s && word_is(s, len, words[i].word)) return words[i].is;
  return CALL;
}

struct comments {
  bool star;       /* the last line ended in a `*` comment: indented lines may carry it on */
  uint64_t opened; /* line of a comment that is not closed yet, or 0 */
};

/* Skips comments and blanks from p on; at the end of the line, or of what concerns us, returns l->end. */
static char *skip_comments(struct lines *l, char *p, struct comments *c) {
  for (;;) {
    if (c->opened) {
      char *close = strstr(p, "*/");
      if (!close) return l->end;
      c->opened = 0;
      p = close + 2;
    }
    p = skip_blanks(p);
    if (*p == '*') return c->star = true, l->end;
    if (*p == '#') return lines_object_type(l, p + 1), l->end;
    if (p[0] != '/' || p[1] != '*') return p;
    c->opened = l->in->line;
    p += 2;
  }
}

/* `   the queue is empty`, the rest of a comment on the line before. An event has parentheses. */
static bool carries_on(struct lines *l) {
  return (*l->at == ' ' || *l->at == '\t') && !memchr(l->at, '(', (size_t)(l->end - l->at));
}

static value condition(struct lines *l, const char *name, size_t len, const value *args, int count) {
  value parts[OP_ARGS + 1] = {value_text(l->h->values, name, len)};
  memcpy(parts + 1, args, (size_t)count * sizeof *args);
  return count ? value_list(l->h->values, parts, (size_t)count + 1) : parts[0];
}

static value result(struct lines *l, enum termination t, const value *args, int count, const char *name, size_t len) {
  if (t == EMPTY) return V_EMPTY;
  if (t == FULL) return V_FULL;
  if (t == CONDITION) return condition(l, name, len, args, count);
  return count == 0 ? V_NONE : count == 1 ? args[0] : value_list(l->h->values, args, (size_t)count);
}

static bool event(struct lines *l, char *p, struct comments *c) {
  uint32_t object, method = 0, process;
  value args[OP_ARGS];
  int count;
  if (!lines_name(l, &p, "an event, `q Enq(5) A`,", &l->objects, &object)) return false;
  p = skip_blanks(p);
  char *name = p, *name_end = word_end(p);
  size_t len = (size_t)(name_end - name);
  enum termination t = len ? termination(name, len) : CALL;
  if (t != CALL)
    p = name_end;
  else if (!lines_name(l, &p, "an operation, as in `q Enq(5) A`,", &l->methods, &method))
    return false;
  if (*p != '(') return lines_bad(l, p, "'(' should follow the operation's name, as in `q Enq(5) A`");
  p++;
  if (!lines_arguments(l, &p, args, &count)) return false;
  p = skip_blanks(p);
  if (p == l->end || *p == '*') return lines_bad(l, p, "the process is missing, as in `q Enq(5) A`");
  char *process_at = p;
  if (!lines_name(l, &p, "the process", &l->processes, &process)) return false;
  if (p != l->end) {
    char *rest = skip_comments(l, p, c);
    if (rest != l->end)
      return lines_bad(l, rest, "%s after the event; a comment begins with '*'", byte_name(*rest).text);
  }
  uint32_t line = l->in->line < UINT32_MAX ? (uint32_t)l->in->line : 0;
  const char *why = t == CALL   ? history_call(l->h, process, object, method, args, count, line)
                    : t == INFO ? history_info(l->h, process)
                                : history_return(l->h, process, object, result(l, t, args, count, name, len));
  return lines_bad_process(l, process_at, process, why);
}

/* --- the usual line, quickly ---
 *
 * `q Enq(5) P1` with single blanks, known names of up to 7 bytes, and at most one value, a natural number of up to 8
 * digits. Eight bytes are looked at at once, so that there is little to predict. Names are known if the general way has
 * read them before; that is also what makes every byte below '0' a sign to stop and think. Any other line, also one
 * that is wrong, is left to the general way. */

#define EACH(byte) (0x0101010101010101u * (byte))

/* Length of the name at the start of these bytes: up to the first byte below '0', or 8. */
static inline unsigned name_length(uint64_t x) {
  uint64_t below = (x - EACH(0x30)) & ~x & EACH(0x80);
  return below ? (unsigned)__builtin_ctzll(below) >> 3 : 8;
}

/* The number at the start of these bytes, and how many digits it has. */
static inline unsigned digits(uint64_t x, uint32_t *number) {
  uint64_t d = x ^ EACH(0x30), other = (d | (d + EACH(0x76))) & EACH(0x80);
  unsigned n = other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
  if (!n) return 0;
  d <<= 64 - 8 * n; /* zeros before it */
  d = (d & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
  d = (d & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
  *number = (uint32_t)((d & 0x0000ffff0000ffffu) * 42949672960001u >> 32);
  return n;
}

static inline bool known(const struct name_cache *c, uint64_t x, unsigned len, uint32_t *index) {
  uint64_t key = x & ~(UINT64_MAX << 8 * len);
  size_t i = name_slot(key);
  *index = c->slot[i].index;
  return c->slot[i].key == key && len;
}

/* Reads such lines, from in->at on, until one is different. */
static void usual_lines(struct lines *l) {
  struct input *in = l->in;
  char *p = in->at;
  for (;;) {
    uint32_t object, method = 0, process, number;
    value v = V_NONE;
    uint64_t x = load8(p);
    unsigned n = name_length(x);
    if (n == 8 || p[n] != ' ' || !known(&l->objects, x, n, &object)) break;
    p += n + 1;
    x = load8(p);
    bool ok = (x & 0xffffff) == ('O' | 'k' << 8 | '(' << 16);
    n = ok ? 2 : name_length(x);
    if (n == 8 || p[n] != '(' || (!ok && !known(&l->methods, x, n, &method))) break;
    p += n + 1;
    if (*p != ')') {
      n = digits(load8(p), &number);
      if (!n || p[n] != ')') break;
      v = value_of_small((int32_t)number);
      p += n;
    }
    if (p[1] != ' ') break;
    p += 2;
    x = load8(p);
    n = name_length(x);
    if (n == 8 || p[n] != '\n' || !known(&l->processes, x, n, &process)) break;
    in->line++;
    uint32_t line = in->line < UINT32_MAX ? (uint32_t)in->line : 0;
    if (ok ? history_return(l->h, process, object, v)
           : history_call(l->h, process, object, method, &v, v != V_NONE, line)) {
      in->line--;
      break;
    }
    p += n + 1;
    in->at = p;
  }
}

static bool read_lines(struct input *in, struct history *h, struct problem *problem) {
  struct lines *l = mem_alloc(h->mem, sizeof *l);
  struct comments c = {0};
  lines_open(l, in, h, problem);
  for (;;) {
    if (!c.opened && !c.star) usual_lines(l);
    if (!lines_next(l)) break;
    if (c.star && carries_on(l)) continue;
    c.star = false;
    char *p = l->at;
    if (c.opened || scan_delimiter(*p) || *p == '*' || *p == '/' || *p == '#') p = skip_comments(l, p, &c);
    if (p == l->end || *p == '%' || !strncmp(p, "...", 3)) continue;
    if (!event(l, p, &c)) return false;
  }
  if (c.opened) {
    problem_set(problem, "%s:%llu: the comment opened here is not closed by */", in->name,
                (unsigned long long)c.opened);
    return false;
  }
  history_finish(h);
  return input_whole(in, problem);
}

/* --- writing --- */

static bool reserved(const char *name) { return termination(name, strlen(name)) != CALL; }

static bool write_lines(const struct history *h, struct text *out, struct problem *problem,
                        bool (*flush)(struct text *, void *), void *to) {
  struct writer w;
  (void)problem;
  writer_open(&w, h, out);
  writer_object_type(h, out);
  for (uint32_t e = 0; e < h->events; e++) {
    const struct op *o = &h->ops.at[w.events[e] >> 1];
    write_name(out, names_at(h->objects, o->object), false);
    text_char(out, ' ');
    if (!(w.events[e] & 1)) {
      const char *name = names_at(h->methods, o->method);
      write_name(out, name, reserved(name));
      write_arguments(h, o, out);
    } else if (o->result == V_EMPTY) {
      text_add(out, "Empty()");
    } else if (o->result == V_FULL) {
      text_add(out, "Full()");
    } else {
      text_add(out, "Ok(");
      if (o->result != V_NONE) write_value(h, o->result, out);
      text_char(out, ')');
    }
    text_char(out, ' ');
    writer_process(&w, w.events[e] >> 1, out);
    text_char(out, '\n');
    if (out->count >= WRITE_CHUNK && !flush(out, to)) return writer_close(&w), false;
  }
  return writer_close(&w), true;
}

/* --- guessing --- */

static int guess(const char *s, size_t n) {
  const char *end = s + n;
  bool text = n > 0;
  for (const char *p = s; p < end;) {
    const char *e = memchr(p, '\n', (size_t)(end - p));
    if (!e) e = end;
    while (p < e && (*p == ' ' || *p == '\t')) p++;
    if (p + 1 < e && ((p[0] == '/' && p[1] == '*') || (p[0] == '*' && p[1] == ' ') || p[0] == '%')) return 60;
    if (p < e && *p != '#' && *p != '\r') {
      const char *name = memchr(p, ' ', (size_t)(e - p)), *open = memchr(p, '(', (size_t)(e - p));
      if (*p != '[' && *p != '{' && name && open && name < open && memchr(open, ')', (size_t)(e - open))) return 80;
      if (*p != '[' && *p != '{' && open) return 30;
      for (; p < e; p++)
        if ((unsigned char)*p < 9) text = false;
      break;
    }
    p = e + 1;
  }
  return text ? 2 : 0; /* any text: the message about its first line says what would be right */
}

const struct format format_wing_gong = {
    .name = "wing-gong",
    .summary = "q Enq(5) A, then q Ok() A: an event a line; Asif's own",
    .suffixes = ".txt .history",
    .guess = guess,
    .read = read_lines,
    .write = write_lines,
};
