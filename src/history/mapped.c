/* Logs of any shape: each record is an operation with the times of its call and its return, or an event, which is
 * joined with its other half by an id or by the process. A mapping says which field is what.
 *
 * Nothing is guessed that could raise a false alarm: an operation whose status is not known to be good or to have
 * failed for certain has an unknown outcome, a result that is not told was not observed, and times that cannot be told
 * apart overlap. A text of digits is the integer, since logs write the same number either way. */
#include "history/mapped.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "history/intervals.h"
#include "history/methods.h"
#include "history/write.h"

const char *const field_names[FIELDS] = {"process", "op",     "key",  "old",   "value", "result",    "call",
                                         "return",  "status", "time", "event", "id",    "statement", "records"};

static const struct {
  const char *name, *map;
} presets[] = {
    {"otel", "records=resourceSpans.scopeSpans.spans,call=startTimeUnixNano,return=endTimeUnixNano,"
             "statement=attributes.db.statement,status=status.code"},
};

static bool parse_pair(struct mem *m, struct mapping *out, const char *s, size_t len, struct problem *p) {
  const char *equals = memchr(s, '=', len);
  size_t name = equals ? (size_t)(equals - s) : len;
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
    if (!equals && word_is(s, len, presets[i].name)) return mapping_parse(m, presets[i].map, out, p);
  for (int f = 0; equals && f < FIELDS; f++) {
    if (!word_is(s, name, field_names[f]) || name + 1 == len) continue;
    out->path[f] = mem_string(m, equals + 1, len - name - 1);
    return true;
  }
  return problem_set(p,
                     "--map %.*s: it is a list such as op=command,key=k,value=v,call=start,return=end; what can be "
                     "named is process, op, key, old, value, result, call, return, status, time, event, id, "
                     "statement and records; or otel",
                     (int)(len > 60 ? 60 : len), s),
         false;
}

bool mapping_parse(struct mem *m, const char *s, struct mapping *out, struct problem *p) {
  for (;; s++) {
    size_t len = strcspn(s, ",");
    if (!parse_pair(m, out, s, len, p)) return false;
    s += len;
    if (!*s) return true;
  }
}

struct mapping *mapping_new(struct mem *m, const char *s, struct problem *p) {
  struct mapping *out = mem_zero(m, 1, sizeof *out);
  if (!mapping_parse(m, s, out, p)) return NULL;
  bool intervals = out->path[FIELD_CALL], events = out->path[FIELD_EVENT];
  const char *missing = !out->path[FIELD_OP] && !out->path[FIELD_STATEMENT] ? "op, the operation's name"
                        : intervals && !out->path[FIELD_RETURN]             ? "return, the time of the return"
                        : !intervals && !events ? "call and return, the times, or event, which tells calls from returns"
                        : events && !out->path[FIELD_ID] && !out->path[FIELD_PROCESS]
                            ? "id or process, which joins calls and returns"
                            : NULL;
  if (intervals && events) {
    problem_set(p, "--map: call and event: a record is an operation or an event, not both");
    return NULL;
  }
  if (missing) problem_set(p, "--map: does not name %s", missing);
  return missing ? NULL : out;
}

/* --- records --- */

bool mapped_bad(struct mapped *x, const char *format, ...) {
  char what[300];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return problem_set(x->problem, "%s:%llu:%llu: %s", x->in->name, (unsigned long long)x->line,
                     (unsigned long long)x->column, what),
         false;
}

void mapped_begin(struct mapped *x, uint64_t line, uint64_t column) {
  memset(x->at, 0, sizeof x->at);
  x->chars.count = 0;
  x->line = line;
  x->column = column;
}

static bool is_path(const struct mapped *x, int f, const char *path, size_t len) {
  return x->map->path[f] && word_is(path, len, x->map->path[f]);
}

bool mapped_wants(const struct mapped *x, const char *path, size_t len) {
  for (int f = 0; f < FIELD_RECORDS; f++)
    if (is_path(x, f, path, len)) return true;
  return false;
}

void mapped_name(struct mapped *x, const char *path, size_t len) {
  enum { MOST = 200 };
  if (x->records || x->named || x->names.count > MOST || len > MOST) return;
  text_printf(&x->names, "%s%.*s", x->names.count ? ", " : "", (int)len, path);
}

static value value_told(struct mapped *x, enum token kind, const char *s, size_t len) {
  int64_t n;
  if (scan_integer(s, len, &n)) return value_int(x->h->values, n);
  if (kind == TOKEN_WORD && word_is(s, len, "true")) return V_TRUE;
  if (kind == TOKEN_WORD && word_is(s, len, "false")) return V_FALSE;
  return value_text(x->h->values, s, len);
}

void mapped_field(struct mapped *x, const char *path, size_t len, enum token kind, const char *s, size_t count) {
  mapped_name(x, path, len);
  if (!mapped_wants(x, path, len)) return;
  bool null = kind == TOKEN_WORD && (word_is(s, count, "null") || word_is(s, count, "nil"));
  struct fact fact = {true, null, null ? (value)V_NIL : value_told(x, kind, s, count), x->chars.count, count};
  for (size_t i = 0; i < count; i++) vec_push(x->h->mem, &x->chars, s[i]);
  vec_push(x->h->mem, &x->chars, 0);
  for (int f = 0; f < FIELD_RECORDS; f++)
    if (is_path(x, f, path, len)) x->at[f] = fact, x->found[f] = true;
}

void mapped_list(struct mapped *x, const char *path, size_t len, value v) {
  mapped_name(x, path, len);
  vec_push(x->h->mem, &x->chars, 0);
  for (int f = 0; f < FIELD_RECORDS; f++)
    if (is_path(x, f, path, len)) {
      x->at[f] = (struct fact){true, false, v, x->chars.count - 1, 0};
      x->found[f] = true;
    }
}

static const char *text_of(const struct mapped *x, int f) { return x->chars.at + x->at[f].text; }
static bool given(const struct mapped *x, int f) { return x->at[f].has && !x->at[f].null; }

static bool needs(struct mapped *x, int f) {
  if (given(x, f) && memchr(text_of(x, f), 0, x->at[f].len))
    return mapped_bad(x, "%s has a NUL in it, and is the %s", x->map->path[f], field_names[f]);
  if (given(x, f) && x->at[f].len) return true;
  return mapped_bad(x, "the record has no field %s, which --map says is the %s%s%s", x->map->path[f], field_names[f],
                    x->records ? "" : "; its fields are ", x->records ? "" : text_string(&x->names));
}

enum outcome { OUTCOME_OK, OUTCOME_FAILED, OUTCOME_UNKNOWN, OUTCOME_CALL };

static bool among(const char *const *words, const char *s) {
  for (; *words; words++)
    if (!strcasecmp(*words, s)) return true;
  return false;
}

static enum outcome outcome_told(const char *s) {
  static const char *const good[] = {"ok",
                                     "true",
                                     "success",
                                     "succeeded",
                                     "successful",
                                     "done",
                                     "yes",
                                     "0",
                                     "1",
                                     "200",
                                     "return",
                                     "returned",
                                     "end",
                                     "ended",
                                     "response",
                                     "complete",
                                     "completed",
                                     "finish",
                                     "finished",
                                     "reply",
                                     "unset",
                                     "STATUS_CODE_OK",
                                     "STATUS_CODE_UNSET",
                                     NULL};
  static const char *const failed[] = {"fail", "failed", "rejected", "aborted", NULL};
  static const char *const calls[] = {"call",    "called",  "invoke", "invoked", "begin", "start",
                                      "started", "request", "req",    "send",    NULL};
  return among(good, s)     ? OUTCOME_OK
         : among(failed, s) ? OUTCOME_FAILED
         : among(calls, s)  ? OUTCOME_CALL
                            : OUTCOME_UNKNOWN;
}

static bool time_told(struct mapped *x, int f, struct event_time *out) {
  if (time_parse(text_of(x, f), x->at[f].len, out)) return true;
  return mapped_bad(x, "%s is '%.40s', and not a time, which is a number or a date such as 2024-05-01T12:34:56.789Z",
                    x->map->path[f], text_of(x, f));
}

/* A statement, SET x 1: the operation, its key and its value, where no other field says them. */
static void take_apart(struct mapped *x) {
  static const int parts[] = {FIELD_OP, FIELD_KEY, FIELD_VALUE};
  if (!given(x, FIELD_STATEMENT)) return;
  size_t at = x->at[FIELD_STATEMENT].text, end = at + x->at[FIELD_STATEMENT].len;
  for (int i = 0; i < 3; i++) {
    while (at < end && x->chars.at[at] == ' ') at++;
    size_t from = at;
    while (at < end && x->chars.at[at] != ' ') at++;
    if (at == from) return;
    if (x->at[parts[i]].has) continue;
    size_t text = x->chars.count, len = at - from;
    for (size_t k = 0; k < len; k++) {
      char c = x->chars.at[from + k];
      vec_push(x->h->mem, &x->chars, c);
    }
    vec_push(x->h->mem, &x->chars, 0);
    x->at[parts[i]] = (struct fact){true, false, value_told(x, TOKEN_STRING, x->chars.at + text, len), text, len};
  }
}

static bool observes(const struct mapped *x, uint32_t method) {
  const char *name = names_at(x->h->methods, method);
  return method_observes(name, strlen(name));
}

static value result_told(const struct mapped *x, uint32_t method) {
  const struct fact *f = &x->at[x->map->path[FIELD_RESULT] ? FIELD_RESULT : FIELD_VALUE];
  if (!x->map->path[FIELD_RESULT] && !observes(x, method)) return V_UNKNOWN;
  return f->has ? f->value : V_UNKNOWN;
}

static bool call_told(struct mapped *x, struct mapped_op *o) {
  if (!needs(x, FIELD_OP)) return false;
  o->method = names_intern(x->h->methods, text_of(x, FIELD_OP), x->at[FIELD_OP].len);
  o->line = x->line < UINT32_MAX ? (uint32_t)x->line : 0;
  o->result = V_UNKNOWN;
  o->pending = true;
  if (given(x, FIELD_KEY)) o->args[o->count++] = x->at[FIELD_KEY].value;
  if (given(x, FIELD_OLD)) o->args[o->count++] = x->at[FIELD_OLD].value;
  bool nil = x->at[FIELD_VALUE].null && o->count; /* put(k, null) */
  if ((given(x, FIELD_VALUE) || nil) && !observes(x, o->method)) o->args[o->count++] = x->at[FIELD_VALUE].value;
  if (!x->map->path[FIELD_PROCESS]) return true;
  if (!needs(x, FIELD_PROCESS)) return false;
  o->process = names_intern(x->h->processes, text_of(x, FIELD_PROCESS), x->at[FIELD_PROCESS].len);
  return true;
}

static bool end_operation(struct mapped *x) {
  struct mapped_op o = {.pending = true};
  if (!call_told(x, &o) || !needs(x, FIELD_CALL) || !time_told(x, FIELD_CALL, &o.call)) return false;
  enum outcome outcome = given(x, FIELD_STATUS) ? outcome_told(text_of(x, FIELD_STATUS)) : OUTCOME_OK;
  static const char *const never[] = {"", "inf", "-", "?", NULL};
  bool returned = given(x, FIELD_RETURN) && !among(never, text_of(x, FIELD_RETURN));
  if (returned && !time_told(x, FIELD_RETURN, &o.ret)) return false;
  if (returned && time_before(o.ret, o.call)) return mapped_bad(x, "the operation ends before it starts");
  o.failed = outcome == OUTCOME_FAILED;
  o.pending = outcome != OUTCOME_OK || !returned;
  if (!o.pending) o.result = result_told(x, o.method);
  vec_push(x->h->mem, &x->ops, o);
  return true;
}

static bool end_event(struct mapped *x) {
  int joins = x->map->path[FIELD_ID] ? FIELD_ID : FIELD_PROCESS;
  struct event_time now = {(int64_t)x->records, 0};
  if (!needs(x, FIELD_EVENT) || !needs(x, joins)) return false;
  if (x->map->path[FIELD_TIME] && (!needs(x, FIELD_TIME) || !time_told(x, FIELD_TIME, &now))) return false;
  enum outcome outcome = outcome_told(text_of(x, FIELD_EVENT));
  uint32_t id = names_intern(x->ids, text_of(x, joins), x->at[joins].len);
  while (x->open.count <= id) vec_push(x->h->mem, &x->open, 0);
  uint32_t *open = &x->open.at[id];
  if (outcome == OUTCOME_CALL) {
    struct mapped_op o = {.pending = true, .call = now};
    if (*open)
      return mapped_bad(x, "%s %s calls while its earlier call has not returned", field_names[joins],
                        text_of(x, joins));
    if (!call_told(x, &o)) return false;
    vec_push(x->h->mem, &x->ops, o);
    *open = (uint32_t)x->ops.count;
    return true;
  }
  if (!*open) return mapped_bad(x, "%s %s returns, but has not called", field_names[joins], text_of(x, joins));
  struct mapped_op *o = &x->ops.at[*open - 1];
  *open = 0;
  if (given(x, FIELD_STATUS) && outcome == OUTCOME_OK) outcome = outcome_told(text_of(x, FIELD_STATUS));
  if (time_before(now, o->call)) return mapped_bad(x, "the operation ends before it starts");
  o->failed = outcome == OUTCOME_FAILED;
  o->pending = outcome != OUTCOME_OK;
  o->ret = now;
  if (!o->pending) o->result = result_told(x, o->method);
  return true;
}

bool mapped_end(struct mapped *x) {
  take_apart(x);
  bool good = x->map->path[FIELD_EVENT] ? end_event(x) : end_operation(x);
  x->records++;
  return good;
}

/* --- the history --- */

/* Times as integers: as many digits behind the point as there is room for. What is cut off overlaps. */
static int64_t scale_of(const struct mapped *x) {
  uint64_t most = 0;
  bool parts = false;
  for (size_t i = 0; i < x->ops.count; i++) {
    const struct mapped_op *o = &x->ops.at[i];
    const struct event_time *times[] = {&o->call, &o->ret};
    for (int k = 0; k < 2; k++) {
      uint64_t size = times[k]->whole < 0 ? -(uint64_t)times[k]->whole : (uint64_t)times[k]->whole;
      if (size > most) most = size;
      parts |= times[k]->part != 0;
    }
  }
  int64_t scale = 1;
  while (parts && scale < 1000000000 && most < (uint64_t)INT64_MAX / 20 / (uint64_t)scale) scale *= 10;
  return scale;
}

static int64_t scaled(struct event_time t, int64_t scale) { return t.whole * scale + t.part / (TIME_PARTS / scale); }

/* A process goes on after an operation whose outcome it never learnt: that operation is one of a process of its own. */
static uint32_t own_process(struct mapped *x, uint32_t process, uint64_t number) {
  struct text t;
  text_open(&t, x->h->mem);
  text_printf(&t, "%s/%llu", names_at(x->h->processes, process), (unsigned long long)number);
  uint32_t own = names_intern(x->h->processes, text_string(&t), t.count);
  mem_free(x->h->mem, t.at);
  return own;
}

static void give_lanes(struct history *h) {
  uint32_t count, *lanes = history_lanes(h, h->mem, &count);
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    names_intern(h->processes, name, (size_t)snprintf(name, sizeof name, "%u", i));
  }
  for (size_t i = 0; i < h->ops.count; i++) h->ops.at[i].process = lanes[i];
  h->lanes = true;
  mem_free(h->mem, lanes);
}

static bool build(struct mapped *x) {
  struct history *h = x->h;
  uint32_t object = names_intern(h->objects, "x", 1);
  int64_t scale = scale_of(x);
  bool processes = x->map->path[FIELD_PROCESS];
  uint64_t pending = 0;
  for (size_t i = 0; i < x->ops.count; i++) {
    const struct mapped_op *o = &x->ops.at[i];
    if (o->failed) {
      h->failed++;
      continue;
    }
    uint32_t process = processes && o->pending ? own_process(x, o->process, ++pending) : o->process;
    int64_t call = scaled(o->call, scale), ret = o->pending ? INT64_MAX : scaled(o->ret, scale);
    const char *why = history_interval(h, process, object, o->method, o->args, o->count, o->result, call, ret, o->line);
    if (why) return problem_set(x->problem, "%s:%u: the operation %s", x->in->name, o->line, why), false;
  }
  h->in_turn = processes;
  history_finish(h);
  if (!processes) {
    give_lanes(h);
    return true;
  }
  uint32_t earlier, later;
  if (!history_overlap(h, h->mem, &earlier, &later)) return true;
  return problem_set(x->problem,
                     "%s:%u: process %.60s calls while its earlier call, on line %u, has not returned; if it does "
                     "several things at a time, leave process out of --map",
                     x->in->name, h->ops.at[later].line, names_at(h->processes, h->ops.at[later].process),
                     h->ops.at[earlier].line),
         false;
}

static bool is_json(struct input *in) {
  size_t n = input_fill(in, 4096);
  for (size_t i = 0; i < n; i++)
    if (!memchr(" \t\r\n", in->at[i], 4)) return in->at[i] == '{' || in->at[i] == '[';
  return false;
}

static bool read_mapped(struct input *in, struct history *h, struct problem *p) {
  struct mapped *x = mem_zero(h->mem, 1, sizeof *x);
  x->in = in;
  x->h = h;
  x->problem = p;
  x->map = in->mapping;
  x->ids = names_new(h->mem);
  text_open(&x->names, h->mem);
  assert(x->map);
  if (!(is_json(in) ? mapped_json(x) : mapped_lines(x)) || !input_whole(in, p)) return false;
  if (!x->records)
    return problem_set(p, "%s: has no record%s%s%s", in->name, x->map->path[FIELD_RECORDS] ? " at " : "",
                       x->map->path[FIELD_RECORDS] ? x->map->path[FIELD_RECORDS] : "",
                       "; in JSON it is an object, else a line"),
           false;
  for (int f = 0; f < FIELD_RECORDS; f++)
    if (x->map->path[f] && !x->found[f] && f != FIELD_STATUS && f != FIELD_STATEMENT)
      return problem_set(p, "%s: no record has a field %s, which --map says is the %s; the first has %s", in->name,
                         x->map->path[f], field_names[f], text_string(&x->names)),
             false;
  return build(x);
}

static int guess(const char *s, size_t n) { return (void)s, (void)n, 0; }

const struct format format_mapped = {.name = "mapped",
                                     .summary = "records by --map",
                                     .empty = true,
                                     .suffixes = "",
                                     .guess = guess,
                                     .read = read_mapped};
