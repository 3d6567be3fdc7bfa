/* Formats: the table, guessing by content, and reading and writing files. */
#include "history/format.h"

#include <string.h>

#include "history/output.h"

const struct format *const formats[] = {&format_wing_gong,       &format_edn,       &format_json,
                                        &format_jepsen_log,      &format_hist,      &format_columns,
                                        &format_process_columns, &format_recording, NULL};

const struct format *format_named(const char *name) {
  for (const struct format *const *f = formats; *f; f++)
    if (!strcasecmp((*f)->name, name)) return *f;
  return NULL;
}

static bool ends_in(const char *s, size_t n, const char *suffix, size_t k) {
  return n > k && !strncasecmp(s + n - k, suffix, k);
}

const struct format *format_for_path(const char *path) {
  size_t n = strlen(path);
  if (ends_in(path, n, ".gz", 3))
    n -= 3;
  else if (ends_in(path, n, ".zst", 4))
    n -= 4;
  for (const struct format *const *f = formats; *f; f++)
    for (const char *s = (*f)->suffixes; *s;) {
      size_t k = strcspn(s, " ");
      if (ends_in(path, n, s, k)) return *f;
      s += k + (s[k] == ' ');
    }
  return NULL;
}

enum { GUESS_BYTES = 64 * 1024 }; /* a log may begin with pages of noise */

const struct format *format_guess(struct input *in) {
  size_t n = input_fill(in, GUESS_BYTES);
  const struct format *best = NULL;
  int sure = 0;
  for (const struct format *const *f = formats; *f; f++) {
    int s = (*f)->guess(in->at, n);
    if (s > sure) {
      sure = s;
      best = *f;
    }
  }
  return best;
}

/* Does `q Enq(5) A` stand on this line, and nothing else? Text may look like it at first sight: `at f(File.java:5)`. */
static bool plain_event(const char *s, const char *end) {
  const char *close = memrchr(s, ')', (size_t)(end - s)), *open = memchr(s, '(', (size_t)(end - s));
  const char *name = memchr(s, ' ', (size_t)(end - s));
  if (!close || !open || !name || name > open || close == end || memchr(name + 1, ' ', (size_t)(open - name - 1)))
    return false;
  return close + 2 < end && close[1] == ' ' && !memchr(close + 2, ' ', (size_t)(end - close - 2));
}

/* What the whole lines there are say, or NULL: four that agree are enough. */
static const struct format *lines_agree(const char *s, const char *end, bool *disagree) {
  const struct format *all = NULL;
  int lines = 0;
  for (const char *newline; lines < 4 && (newline = memchr(s, '\n', (size_t)(end - s))); s = newline + 1) {
    const char *last = newline > s && newline[-1] == '\r' ? newline - 1 : newline;
    if (s == last || strchr("#*%;", *s)) continue;
    const struct format *one = NULL;
    for (const struct format *const *f = formats; *f && !one; f++)
      if ((*f)->guess(s, (size_t)(last - s)) >= 80) one = *f;
    *disagree = !one || (all && one != all) || (one == &format_wing_gong && !plain_event(s, last));
    if (*disagree) return NULL;
    all = one;
    lines++;
  }
  return lines == 4 ? all : NULL;
}

/* The same from as little as will do: what is written to a pipe now and then should be looked at then. */
static const struct format *format_guess_soon(struct input *in) {
  bool disagree = false;
  for (size_t have = input_fill(in, 1); have < GUESS_BYTES && !in->ended && !disagree;
       have = input_fill(in, have + 1)) {
    const struct format *agreed = lines_agree(in->at, in->end, &disagree);
    if (agreed) return agreed;
    for (const struct format *const *f = formats; *f; f++)
      if ((*f)->guess(in->at, have) >= 90) return *f;
  }
  return format_guess(in);
}

/* A file with comments only: whoever gives it means another one. */
static bool nothing_read(const struct history *h, const struct format *format) {
  return !format->empty && !h->events && !h->failed && !h->skipped && !h->retired;
}

/* Does the first line name columns, or is it logfmt? As far as it was read: a pipe may give no more for a while. */
static bool looks_like_log(const struct input *in) {
  size_t n = (size_t)(in->end - in->at), fields = 0, equals = 0;
  for (size_t i = 0; i < n && in->at[i] != '\n'; i++) {
    char c = in->at[i];
    fields += c == ',' || c == ';' || c == '\t';
    equals += c == '=';
    if (strchr("()[]{}", c)) return false;
  }
  return fields >= 2 || equals >= 2;
}

static bool read_into(struct history *h, struct input *in, const struct format *format, struct problem *p) {
  if (input_fill(in, 3) >= 3 && !memcmp(in->at, "\xef\xbb\xbf", 3))
    in->at += 3; /* U+FEFF, which some editors put there */
  if (!format) format = h->follower ? format_guess_soon(in) : format_guess(in);
  if (in->failed) return *p = in->problem, false;
  if (!format && in->at == in->end) return problem_set(p, "%s: is empty; it holds no history", in->name), false;
  if (!format)
    return problem_set(p,
                       "%s: is in no format Asif knows; `asif convert --help` lists them, and --map reads logs in "
                       "JSON, CSV, TSV and logfmt",
                       in->name),
           false;
  h->format = format->name;
  bool log = format != &format_mapped && looks_like_log(in);
  if (format->read(in, h, p)) return true;
  size_t said = strlen(p->text);
  if (log && said)
    snprintf(p->text + said, sizeof p->text - said, "; a log whose fields have names is read with --map");
  return false;
}

/* The same, where there must be something, but from a pipe that ends before anything happened. */
static bool read_some(struct history *h, struct input *in, const struct format *format, struct problem *p) {
  bool may_end = h->follower && format && !input_fill(in, 1);
  if (!read_into(h, in, format, p)) return false;
  if (!may_end && nothing_read(h, format ? format : format_named(h->format)))
    return problem_set(p, "%s: has no event; it holds no history", in->name), false;
  return true;
}

/* The same, with the input closed at the end, however it ends. */
static bool read_and_close(struct history *h, struct input *in, const struct format *format, struct problem *p,
                           bool (*read)(struct history *, struct input *, const struct format *, struct problem *)) {
  struct mem_outer outer;
  mem_keep_guard(in->mem, &outer);
  if (MEM_GUARD(in->mem)) {
    mem_restore_guard(in->mem, &outer);
    input_close(in);
    mem_escape(in->mem);
  }
  bool good = read(h, in, format, p);
  mem_restore_guard(in->mem, &outer);
  input_close(in);
  return good;
}

struct history *history_read_input(struct input *in, const struct format *format, struct problem *p) {
  struct history *h = history_new(in->mem, in->name);
  return read_and_close(h, in, format, p, read_some) ? h : NULL;
}

struct history *history_read_rest(struct input *in, const struct format *format, struct problem *p) {
  struct history *h = history_new(in->mem, in->name);
  return read_and_close(h, in, format, p, read_into) ? h : NULL;
}

struct history *history_read(struct mem *m, const char *path, const struct format *format, struct problem *p) {
  struct input in;
  return input_open(&in, m, path, p) ? history_read_input(&in, format, p) : NULL;
}

struct history *history_read_mapped_input(struct input *in, const struct mapping *mapping, struct problem *p) {
  in->mapping = mapping;
  return history_read_input(in, &format_mapped, p);
}

struct history *history_read_mapped(struct mem *m, const char *path, const struct mapping *mapping, struct problem *p) {
  struct input in;
  return input_open(&in, m, path, p) ? history_read_mapped_input(&in, mapping, p) : NULL;
}

bool history_follow_input(struct history *h, struct input *in, const struct format *format, struct problem *p) {
  h->source = in->name;
  h->follower->input = in;
  bool good = read_and_close(h, in, format, p, read_some);
  h->follower->input = NULL;
  if (!good || !h->ops.count) return good;
  return !history_retell(h);
}

bool history_follow(struct history *h, const char *path, const struct format *format, struct problem *p) {
  struct input in;
  return input_open(&in, h->mem, path, p) && history_follow_input(h, &in, format, p);
}

static bool flush(struct text *text, void *to) {
  bool good = output_write(to, text_string(text), text->count);
  text_clear(text);
  if (text->mem->limits) mem_poll(text->mem);
  return good;
}

bool history_write(const struct history *h, const char *path, const struct format *format, struct problem *p) {
  struct mem_outer outer;
  struct output out;
  struct text text;
  if (h->tied && format != &format_process_columns)
    return problem_set(p,
                       "%s: where one operation of a process ends when the next one begins, and another process does "
                       "the same at that moment, no order of calls and returns says what the times say; "
                       "process-columns alone hold this history",
                       h->source),
           false;
  if (!format->write)
    return problem_set(p, "%s: %s is a format Asif reads but does not write", path, format->name), false;
  text_open(&text, h->mem);
  if (!output_open(&out, h->mem, path, p)) return false;
  mem_keep_guard(h->mem, &outer);
  if (MEM_GUARD(h->mem)) {
    mem_restore_guard(h->mem, &outer);
    output_close(&out, false);
    mem_escape(h->mem);
  }
  bool good = format->write(h, &text, p, flush, &out) && flush(&text, &out);
  mem_restore_guard(h->mem, &outer);
  vec_free(h->mem, &text);
  return output_close(&out, good);
}
