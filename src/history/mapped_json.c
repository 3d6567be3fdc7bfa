/* Records in JSON: objects one after the other, or in arrays, or somewhere below (`records` of the mapping). A field of
 * an object in the record is named by both, with a dot between. Lists of {"key": ..., "value": ...}, as OpenTelemetry
 * has them, are read as an object that has these keys; its {"stringValue": ...} are the value. */
#include <string.h>

#include "history/mapped.h"

struct walk {
  struct mapped *x;
  struct scan scan;
  struct text path; /* from the file's top; in a record, from there */
  bool in_record;
  bool element; /* what comes is one of a list's, in a record */
  bool paired;  /* what comes is the value of such a one's key */
  int depth;
};

static bool walk_value(struct walk *w);

static size_t push(struct walk *w, const char *name, size_t len) {
  size_t before = w->path.count;
  if (before) text_char(&w->path, '.');
  for (size_t i = 0; i < len; i++) text_char(&w->path, name[i]);
  return before;
}

static void pop(struct walk *w, size_t before) { w->path.count = before; }

static bool is_wrapper(const char *s, size_t len) {
  static const char *const names[] = {"stringValue", "intValue", "doubleValue", "boolValue"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (word_is(s, len, names[i])) return true;
  return false;
}

/* The pairs of an object, after its '{'. */
static bool walk_object(struct walk *w, uint64_t line, uint64_t column, bool element) {
  struct scan *s = &w->scan;
  size_t base = w->path.count, named = base; /* the path that "value" has, after "key" */
  bool closed;
  for (;;) {
    enum token kind;
    const char *chars;
    size_t len;
    if (!scan_closed(s, '}', line, column, &closed)) return false;
    if (closed) return pop(w, base), true;
    if (*s->in->at != '"') return input_problem(s->in, s->in->at, s->problem, "a key in quotes should be here");
    if (!scan_token(s, &kind, &chars, &len)) return false;
    bool is_key = word_is(chars, len, "key"), is_value = word_is(chars, len, "value");
    if (is_wrapper(chars, len))
      w->path.count = base;
    else if (is_value && named != base)
      w->path.count = named;
    else
      pop(w, base), push(w, chars, len);
    int c = scan_peek(s);
    if (c == SCAN_BAD) return false;
    if (c != ':') return input_problem(s->in, s->in->at, s->problem, "':' should follow the key");
    s->in->at++;
    c = scan_peek(s);
    if (c == SCAN_BAD) return false;
    if (is_key && element && c == '"') { /* of a pair */
      if (!scan_token(s, &kind, &chars, &len)) return false;
      pop(w, base);
      push(w, chars, len);
      named = w->path.count;
      continue; /* the path stays, for its value; the next key takes it back */
    }
    w->paired = is_value && named != base;
    if (!walk_value(w)) return false;
    if (w->path.count > base && named == base) pop(w, base);
  }
}

static bool walk_record(struct walk *w, uint64_t line, uint64_t column) {
  size_t before = w->path.count;
  struct text outer = w->path;
  text_open(&w->path, w->x->h->mem);
  w->in_record = true;
  mapped_begin(w->x, line, column);
  bool good = walk_object(w, line, column, false);
  mem_free(w->x->h->mem, w->path.at);
  w->path = outer;
  w->path.count = before;
  w->in_record = false;
  return good && mapped_end(w->x);
}

static bool at_records(const struct walk *w) {
  const char *records = w->x->map->path[FIELD_RECORDS];
  return !w->in_record && (records ? word_is(w->path.at ? w->path.at : "", w->path.count, records) : !w->path.count);
}

static bool walk_array(struct walk *w, uint64_t line, uint64_t column) {
  bool closed;
  for (;;) {
    if (!scan_closed(&w->scan, ']', line, column, &closed)) return false;
    if (closed) return true;
    size_t before = w->path.count;
    w->element = w->in_record;
    if (!walk_value(w)) return false;
    pop(w, before);
  }
}

/* A value; what the scanner is on is not blank. */
static bool walk_value(struct walk *w) {
  struct scan *s = &w->scan;
  struct input *in = s->in;
  bool element = w->element, paired = w->paired;
  int c = scan_peek(s);
  w->element = w->paired = false;
  if (c == SCAN_BAD) return false;
  if (c == SCAN_END) return input_problem(in, in->at, s->problem, "ends where a value should be: is it cut off?");
  uint64_t line = in->line, column = scan_column(s);
  if ((c == '[' || c == '{') && w->in_record && !paired && mapped_wants(w->x, text_string(&w->path), w->path.count)) {
    value v;
    if (!scan_value(s, &v)) return false;
    mapped_list(w->x, text_string(&w->path), w->path.count, v);
    return true;
  }
  if (c == '[' || c == '{') {
    if (w->depth == SCAN_DEPTH) return input_problem(in, in->at, s->problem, "nested more than %d deep", SCAN_DEPTH);
    w->depth++;
    in->at++;
    bool good = c == '['        ? walk_array(w, line, column)
                : at_records(w) ? walk_record(w, line, column)
                                : walk_object(w, line, column, element);
    w->depth--;
    return good;
  }
  if (!w->in_record) return scan_skip(s);
  enum token kind;
  const char *chars;
  size_t len;
  if (!scan_token(s, &kind, &chars, &len)) return false;
  mapped_field(w->x, text_string(&w->path), w->path.count, kind, chars, len);
  return true;
}

bool mapped_json(struct mapped *x) {
  struct walk w = {.x = x};
  scan_open(&w.scan, x->in, x->h->values, SCAN_JSON, x->problem);
  text_open(&w.path, x->h->mem);
  for (;;) {
    int c = scan_peek(&w.scan);
    if (c == SCAN_BAD) return false;
    if (c == SCAN_END) return true;
    if (c != '{' && c != '[')
      return input_problem(x->in, x->in->at, x->problem, "%s where the '{' of a record should be",
                           byte_name((char)c).text);
    if (!walk_value(&w)) return false;
  }
}
