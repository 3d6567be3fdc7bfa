/* Jepsen histories: maps with :type, :process, :f, :value, one after the other or in one vector.
 *
 * `:invoke` calls. `:ok` took effect and its value is the result; where the operation returns nothing it repeats the
 * call's (history.echoes). `:fail` did not happen. `:info` may have: it stays open, and its process calls no more.
 * The nemesis, and a process with a name that has nothing but :info, are not clients: their events are counted as
 * skipped. A `:key` beside the value makes the key the first argument.
 *
 * Events with a :time are in the order of their times, whatever their order in the file (history_time).
 *
 * Asif's own files say more, in keys that other readers ignore: `:asif/result` is what the operation returned, so that
 * the value need not be guessed to be one or an echo; `:asif/args` its arguments where the value alone would not tell
 * them;
 * `:asif/object` the object, where there are several. */
#include "history/jepsen.h"

#include <string.h>

#include "history/methods.h"

void jepsen_open(struct jepsen *j, struct input *in, struct history *h, enum scan_syntax syntax, struct problem *p) {
  memset(j, 0, sizeof *j);
  j->h = h;
  j->in = in;
  j->problem = p;
  scan_open(&j->scan, in, h->values, syntax, p);
  j->processes.names = h->processes;
  j->methods.names = h->methods;
  j->objects.names = h->objects;
  j->names.names = names_new(h->mem);
  j->object = UINT32_MAX;
  h->echoes = true;
}

enum jepsen_type jepsen_type_named(const char *s, size_t len) {
  if (word_is(s, len, "invoke")) return JEPSEN_INVOKE;
  if (word_is(s, len, "ok")) return JEPSEN_OK;
  if (word_is(s, len, "fail")) return JEPSEN_FAIL;
  if (word_is(s, len, "info")) return JEPSEN_INFO;
  return JEPSEN_NONE;
}

static uint32_t intern(const struct jepsen *j, struct name_cache *c, const char *s, size_t len) {
  /* The text of a string whose escapes were taken out is elsewhere, and 8 bytes may not be readable there. */
  bool in_buffer = s >= j->in->begin && s < j->in->end;
  return in_buffer ? name_cached(c, s, len) : names_intern(c->names, s, len);
}

void jepsen_process(struct jepsen *j, struct jepsen_event *e, const char *s, size_t len) {
  size_t i = len > 1 && *s == '-';
  while (i < len && s[i] >= '0' && s[i] <= '9') i++;
  e->has_process = true;
  e->named = i < len;
  if (!e->named) {
    e->process = intern(j, &j->processes, s, len);
    return;
  }
  if (*s == ':' && len > 1) s++, len--; /* a keyword in JSON, or in a log */
  e->nemesis = word_is(s, len, "nemesis");
  if (!e->nemesis) e->process = intern(j, &j->names, s, len);
}

static bool bad_event(const struct jepsen *j, const struct jepsen_event *e, const char *who, const char *what) {
  problem_set(j->problem, "%s:%llu:%llu: %s%.60s%s%s", j->in->name, (unsigned long long)e->line,
              (unsigned long long)e->column, who ? "process " : "", who ? who : "", who ? " " : "", what);
  return false;
}

static bool bad_process(const struct jepsen *j, const struct jepsen_event *e, const char *why) {
  return !why || bad_event(j, e, names_at(j->h->processes, e->process), why);
}

/* The call's arguments: the value alone, or after the key. */
static int arguments(struct jepsen *j, const struct jepsen_event *e, value *args) {
  int n = 0;
  if (e->has_args && value_kind(j->h->values, e->args) == VALUE_LIST) {
    size_t count;
    const value *items = value_items(j->h->values, e->args, &count);
    if (count <= OP_ARGS) {
      for (; n < (int)count; n++) args[n] = items[n];
      return n;
    }
  }
  if (e->has_key) args[n++] = e->key;
  if (!e->has_value) return n;
  const char *f = names_at(j->h->methods, e->f);
  if (e->value != V_NIL || (e->has_key && !method_observes(f, strlen(f)))) args[n++] = e->value;
  return n;
}

/* An event of a process with a name: is it a client's? False with the problem. */
static bool find_client(struct jepsen *j, struct jepsen_event *e, bool *client) {
  while (j->strangers.count <= e->process) vec_push(j->h->mem, &j->strangers, ((struct stranger){0}));
  struct stranger *s = &j->strangers.at[e->process];
  const char *name = names_at(j->names.names, e->process);
  *client = s->process || e->type != JEPSEN_INFO;
  if (!*client && !s->info) s->info = e->line;
  if (!*client) return true;
  if (!s->process && s->info) {
    char why[100];
    snprintf(why, sizeof why, "has an event, but the info on line %llu came before any call",
             (unsigned long long)s->info);
    return bad_event(j, e, name, why);
  }
  if (!s->process) s->process = names_intern(j->h->processes, name, strlen(name)) + 1;
  e->process = s->process - 1;
  return true;
}

/* Whose event is it? *client: one of those that use the object. False with the problem. */
static bool find_process(struct jepsen *j, struct jepsen_event *e, bool *client) {
  *client = !e->nemesis;
  if (!e->has_process)
    return bad_event(
        j, e, NULL,
        j->scan.syntax == SCAN_JSON
            ? "the event has no process; its keys are process, type, f and value; a log with other keys is "
              "read with --map"
            : "the event has no process; its keys are process, type, f and value; where they are "
              "missing, give each client a number of its own");
  if (e->nemesis) {
    if (e->type != JEPSEN_OK) return true;
    return bad_event(j, e, NULL,
                     "an operation of the nemesis is ok, but the nemesis is not a client; if it is one here, give it "
                     "another name");
  }
  if (e->bad_type.line) {
    problem_set(j->problem, "%s:%llu:%llu: the type of an event is invoke, ok, fail or info (outcome unknown), not %s",
                j->in->name, (unsigned long long)e->bad_type.line, (unsigned long long)e->bad_type.column,
                e->bad_type.text);
    return false;
  }
  if (e->type == JEPSEN_NONE) return bad_event(j, e, NULL, "the event has no type, which is invoke, ok, fail or info");
  return !e->named || find_client(j, e, client);
}

bool jepsen_add(struct jepsen *j, struct jepsen_event *e) {
  struct history *h = j->h;
  bool client;
  j->events++;
  if (!find_process(j, e, &client)) return false;
  if (!client) {
    h->skipped++;
    return true;
  }
  const char *why = history_time(h, e->process, e->has_time ? &e->time : NULL, e->line);
  if (why) return bad_event(j, e, NULL, why);
  if (j->object == UINT32_MAX && !e->has_object) j->object = names_intern(h->objects, "x", 1);
  uint32_t object = e->has_object ? e->object : j->object;
  if (e->type == JEPSEN_INVOKE) {
    if (!e->has_f) return bad_event(j, e, NULL, "the event has no f, the operation's name");
    value args[OP_ARGS];
    int count = arguments(j, e, args);
    why = history_call(h, e->process, object, e->f, args, count, e->line < UINT32_MAX ? (uint32_t)e->line : 0);
    return bad_process(j, e, why);
  }
  if (e->type == JEPSEN_FAIL) return bad_process(j, e, history_fail(h, e->process));
  if (e->type == JEPSEN_INFO) return bad_process(j, e, history_info(h, e->process));
  if (e->has_result) h->echoes = false;
  value result = e->has_result ? e->result : e->has_value ? e->value : V_NIL;
  return bad_process(j, e, history_return(h, e->process, object, result));
}

bool jepsen_finish(struct jepsen *j) {
  if (!input_whole(j->in, j->problem)) return false;
  if (j->events && j->h->skipped == j->events) {
    problem_set(j->problem,
                "%s: no event is a client's; those of the nemesis, and of processes that have nothing but :info, are "
                "skipped",
                j->in->name);
    return false;
  }
  history_finish(j->h);
  return true;
}

/* --- EDN and JSON --- */

enum key { KEY_OTHER, KEY_TYPE, KEY_PROCESS, KEY_F, KEY_VALUE, KEY_KEY, KEY_TIME, KEY_ARGS, KEY_RESULT, KEY_OBJECT };

static enum key key_named(const char *s, size_t len) {
  switch (len) {
  case 1: return *s == 'f' ? KEY_F : KEY_OTHER;
  case 3: return word_is(s, len, "key") ? KEY_KEY : KEY_OTHER;
  case 4: return word_is(s, len, "type") ? KEY_TYPE : word_is(s, len, "time") ? KEY_TIME : KEY_OTHER;
  case 5: return word_is(s, len, "value") ? KEY_VALUE : KEY_OTHER;
  case 7: return word_is(s, len, "process") ? KEY_PROCESS : KEY_OTHER;
  case 9: return word_is(s, len, "asif/args") ? KEY_ARGS : KEY_OTHER;
  case 11: return word_is(s, len, "asif/result") ? KEY_RESULT : word_is(s, len, "asif/object") ? KEY_OBJECT : KEY_OTHER;
  default: return KEY_OTHER;
  }
}

/* In EDN #:op{:f :deq} is {:op/f :deq}, and there :_/f is plain :f. */
static enum key keyword_named(const char *s, size_t len) {
  if (len > 3 && !memcmp(s, "op/", 3)) return key_named(s + 3, len - 3);
  if (len > 2 && !memcmp(s, "_/", 2)) return key_named(s + 2, len - 2);
  return key_named(s, len);
}

/* A name after :type, :process, :f or :object. */
static bool read_name(struct jepsen *j, struct jepsen_event *e, enum key k) {
  enum token kind;
  const char *s;
  size_t len;
  int c = scan_peek(&j->scan);
  if (c == SCAN_BAD) return false;
  if (c == '[' || c == '{' || c == '(' || c == '#')
    return input_problem(j->in, j->in->at, j->problem, "%s where a name should be", byte_name((char)c).text);
  uint64_t line = j->in->line, column = scan_column(&j->scan);
  if (!scan_token(&j->scan, &kind, &s, &len)) return false;
  if (k == KEY_TYPE) {
    e->type = jepsen_type_named(s, len);
    if (e->type != JEPSEN_NONE) return true;
    e->bad_type.line = line; /* the nemesis may have any, and its name may follow */
    e->bad_type.column = column;
    snprintf(e->bad_type.text, sizeof e->bad_type.text, "%.*s", (int)(len > 40 ? 40 : len), s);
    return true;
  }
  if (k == KEY_PROCESS && kind == TOKEN_WORD && word_is(s, len, j->scan.syntax == SCAN_JSON ? "null" : "nil"))
    return true; /* the event has no process */
  if (!len || memchr(s, 0, len)) {
    problem_set(j->problem, "%s:%llu:%llu: a name should be here, not an empty text or one with a NUL", j->in->name,
                (unsigned long long)line, (unsigned long long)column);
    return false;
  }
  if (k == KEY_PROCESS) {
    jepsen_process(j, e, s, len);
  } else if (k == KEY_F) {
    e->has_f = true;
    e->f = intern(j, &j->methods, s, len);
  } else {
    e->has_object = true;
    e->object = intern(j, &j->objects, s, len);
  }
  return true;
}

/* A record's tag, #jepsen.history.Op{...}: the map is what counts. */
static bool skip_tag(struct jepsen *j) {
  enum token kind;
  const char *s;
  size_t len;
  return scan_token(&j->scan, &kind, &s, &len);
}

static bool read_time(struct jepsen *j, struct jepsen_event *e) {
  enum token kind;
  const char *s;
  size_t len;
  int c = scan_peek(&j->scan);
  if (c == '#' && j->scan.syntax == SCAN_EDN) { /* #inst "2024-05-01T12:34:56.789Z" */
    if (!skip_tag(j)) return false;
    c = scan_peek(&j->scan);
  }
  if (c == SCAN_BAD) return false;
  uint64_t line = j->in->line, column = scan_column(&j->scan);
  bool nested = c == '[' || c == '{' || c == '(' || c == '#';
  if (!nested) {
    if (!scan_token(&j->scan, &kind, &s, &len)) return false;
    if (kind == TOKEN_WORD && word_is(s, len, j->scan.syntax == SCAN_JSON ? "null" : "nil")) return true; /* none */
    if (kind == TOKEN_INT && j->scan.syntax == SCAN_EDN && (s[len - 1] == 'N' || s[len - 1] == 'M')) len--;
    if (time_parse(s, len, &e->time)) return e->has_time = true;
  }
  problem_set(j->problem,
              "%s:%llu:%llu: the time of an event is a number of at most 64 bits, or a date such as "
              "2024-05-01T12:34:56.789Z",
              j->in->name, (unsigned long long)line, (unsigned long long)column);
  return false;
}

static bool read_result(struct jepsen *j, struct jepsen_event *e) {
  e->has_result = j->scan.none = true;
  bool good = scan_value(&j->scan, &e->result);
  j->scan.none = false;
  return good;
}

static bool read_pair(struct jepsen *j, struct jepsen_event *e) {
  enum token kind;
  const char *s;
  size_t len;
  enum key k = KEY_OTHER;
  int c = (unsigned char)*j->in->at;
  if (c == '[' || c == '{' || c == '(' || c == '#') {
    if (!scan_skip(&j->scan)) return false;
  } else {
    if (!scan_token(&j->scan, &kind, &s, &len)) return false;
    k = kind == TOKEN_KEYWORD ? keyword_named(s, len) : key_named(s, len);
  }
  if (j->scan.syntax == SCAN_JSON) {
    if ((c = scan_peek(&j->scan)) == SCAN_BAD) return false;
    if (c != ':') return input_problem(j->in, j->in->at, j->problem, "':' should follow the key");
    j->in->at++;
  }
  switch (k) {
  case KEY_TYPE:
  case KEY_PROCESS:
  case KEY_F:
  case KEY_OBJECT: return read_name(j, e, k);
  case KEY_TIME: return read_time(j, e);
  case KEY_VALUE: e->has_value = true; return scan_value(&j->scan, &e->value);
  case KEY_KEY: e->has_key = true; return scan_value(&j->scan, &e->key);
  case KEY_ARGS: e->has_args = true; return scan_value(&j->scan, &e->args);
  case KEY_RESULT: return read_result(j, e);
  default: return scan_skip(&j->scan);
  }
}

/* An event; in->at is on its '{'. */
static bool read_event(struct jepsen *j) {
  struct jepsen_event e = {.line = j->in->line, .column = scan_column(&j->scan)};
  bool closed;
  j->in->at++;
  for (;;) {
    if (!scan_closed(&j->scan, '}', e.line, e.column, &closed)) return false;
    if (closed) return jepsen_add(j, &e);
    if (!read_pair(j, &e)) return false;
  }
}

bool jepsen_read(struct input *in, struct history *h, enum scan_syntax syntax, struct problem *problem) {
  struct jepsen *j = mem_alloc(h->mem, sizeof *j);
  jepsen_open(j, in, h, syntax, problem);
  char bracket = 0;    /* that closes the vector around the events */
  bool vector = false; /* there is one */
  uint64_t line = 0, column = 0;
  for (;;) {
    int c = scan_peek(&j->scan);
    bool closed = false;
    if (c == SCAN_BAD) return false;
    if (c == '{') {
      if (!read_event(j)) return false;
    } else if (c == '#' && syntax == SCAN_EDN) {
      if (!skip_tag(j)) return false;
    } else if (bracket) {
      if (!scan_closed(&j->scan, bracket, line, column, &closed)) return false;
      if (!closed)
        return input_problem(in, in->at, problem, "%s where the '{' of an event should be", byte_name((char)c).text);
      bracket = 0;
    } else if (c == '[' || c == '(') {
      line = in->line;
      column = scan_column(&j->scan);
      bracket = c == '[' ? ']' : ')';
      vector = true;
      in->at++;
    } else if (c == SCAN_END) {
      if (!j->events && !vector) return problem_set(problem, "%s: has no event; it holds no history", in->name), false;
      return jepsen_finish(j);
    } else {
      return input_problem(in, in->at, problem, "%s where the '{' of an event should be", byte_name((char)c).text);
    }
  }
}
