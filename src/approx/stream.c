/* Histories monitored while they are read: see stream.h. */
#include "approx/stream.h"

#include <stdlib.h>
#include <string.h>

/* Operations remembered for their places, and events kept until the specification is known. */
enum { RECENT = 1 << 14, WAITING = 1 << 12 };

struct stream_object {
  struct monitor *monitor; /* NULL: not used yet */
  uint64_t length;         /* of its history so far (Algorithm 1's n) */
  bool returned;           /* the last event was a return */
};

struct stream_open {
  struct bound_call call;
  uint64_t from, line;
  uint32_t object, process;
  uint32_t slot; /* the monitor's */
  bool busy;
};

/* An operation that has ended. */
struct recent {
  uint64_t from, to; /* its interval, not shifted; to == UINT64_MAX: pending for ever */
  uint64_t line;     /* of the call */
  uint32_t object, process;
  value arg[OP_ARGS], result;
  uint16_t method;
};

enum waits { WAITS_CALL, WAITS_RETURN, WAITS_FAIL, WAITS_INFO };

struct waiting {
  struct op op; /* of a call */
  uint64_t line;
  uint32_t slot;
  value result;
  enum waits what;
};

static const char stopped[] = "is where the reading ends";

/* The reason is the stream's to tell: that of the reader would only say where it stopped. */
static const char *stop(struct stream *s) { return s->stopped = stopped; }

static uint32_t short_line(uint64_t line) { return line < UINT32_MAX ? (uint32_t)line : 0; }

static struct monitor *new_monitor(struct stream *s, struct problem *why) {
  const struct stream_options *o = &s->options;
  if (o->formula) return monitor_of_formula(s->mem, &s->spec, o->k, o->formula, why);
  if (o->grammar) return monitor_of_grammar(s->mem, &s->spec, o->k, o->grammar, why);
  return monitor_new(s->mem, &s->spec, o->k, why);
}

/* The specification is known: binds what follows. */
static bool begin(struct stream *s, const struct spec *spec, struct problem *why) {
  struct history *h = s->history;
  s->spec = *spec;
  s->spec.processes = h->processes;
  s->echoes = h->echoes;
  s->binder = spec_binder(s->mem, &s->spec, h->values, h->echoes, h->source);
  s->first = new_monitor(s, why);
  return s->first != NULL;
}

static struct stream_object *object_at(struct stream *s, uint32_t index) {
  while (s->objects.count <= index) vec_push(s->mem, &s->objects, ((struct stream_object){NULL, 0, false}));
  struct stream_object *o = &s->objects.at[index];
  if (o->monitor) return o;
  o->monitor = s->first ? s->first : new_monitor(s, &s->problem);
  s->first = NULL;
  return o->monitor ? o : NULL;
}

static int method_at(struct stream *s, uint32_t index, uint64_t line) {
  while (s->methods.count <= index) vec_push(s->mem, &s->methods, -1);
  if (s->methods.at[index] >= 0) return s->methods.at[index];
  const char *name = names_at(s->history->methods, index);
  return s->methods.at[index] = spec_bind_method(s->binder, name, strlen(name), short_line(line), &s->problem);
}

static struct stream_open *open_at(struct stream *s, uint32_t slot) {
  while (s->open.count <= slot) vec_push(s->mem, &s->open, ((struct stream_open){.busy = false}));
  return &s->open.at[slot];
}

/* What an operation may do can depend on its process: then the monitor's slots are processes. */
static const char *own_slot(struct stream *s, const struct op *o, uint32_t slot, uint64_t line, uint32_t *out) {
  *out = slot;
  if (!s->spec.by_process) return NULL;
  *out = o->process;
  if (!s->history->ops.count) return NULL; /* event by event, a process has one operation at a time */
  for (size_t i = 0; i < s->open.count; i++)
    if (s->open.at[i].busy && s->open.at[i].slot == o->process) {
      problem_set(
          &s->problem,
          "%s:%llu: process %.60s calls at the time at which its earlier call returns; which came first must be told",
          s->history->source, (unsigned long long)line, names_at(s->history->processes, o->process));
      return stop(s);
    }
  return NULL;
}

static const char *take_call(struct stream *s, const struct op *o, uint32_t slot, uint64_t line) {
  int method = method_at(s, o->method, line);
  struct stream_object *object = object_at(s, o->object);
  struct stream_open *open = open_at(s, slot);
  if (method < 0 || !object) return stop(s);
  if (!spec_bind_call(s->binder, (uint16_t)method, o->arg, short_line(line), &open->call, &s->problem)) return stop(s);
  const char *why = own_slot(s, o, slot, line, &open->slot);
  if (why) return why;
  object->length += object->returned;
  object->returned = false;
  open->busy = true;
  open->from = object->length;
  open->line = line;
  open->object = o->object;
  open->process = o->process;
  s->pending++;
  s->operations++;
  monitor_call(object->monitor, open->slot, open->call.method, open->call.arg);
  return NULL;
}

static struct recent ended(const struct stream *s, const struct stream_open *open, value result) {
  struct recent r = {.from = open->from,
                     .to = s->objects.at[open->object].length,
                     .line = open->line,
                     .object = open->object,
                     .process = open->process,
                     .result = result,
                     .method = open->call.method};
  memcpy(r.arg, open->call.arg, sizeof r.arg);
  return r;
}

static const char *take_return(struct stream *s, uint32_t slot, value result, uint64_t line) {
  struct stream_open *open = &s->open.at[slot];
  struct stream_object *object = &s->objects.at[open->object];
  if (s->history->echoes != s->echoes) spec_binder_echoes(s->binder, s->echoes = s->history->echoes);
  if (!spec_bind_return(s->binder, &open->call, &result, short_line(line), &s->problem)) return stop(s);
  object->returned = true;
  open->busy = false;
  s->pending--;
  s->recent[s->recent_count++ % RECENT] = ended(s, open, result);
  if (monitor_return(object->monitor, open->slot, result)) return NULL;
  s->violated = object->monitor;
  s->object = open->object;
  return stop(s);
}

/* It did not happen, or it is pending for ever. */
static const char *take_end(struct stream *s, uint32_t slot, bool happens) {
  struct stream_open *open = &s->open.at[slot];
  struct monitor *m = s->objects.at[open->object].monitor;
  open->busy = false;
  if (happens) {
    struct recent r = ended(s, open, V_UNKNOWN);
    r.to = UINT64_MAX;
    s->recent[s->recent_count++ % RECENT] = r;
    monitor_retire(m, open->slot);
  } else {
    s->pending--;
    s->operations--;
    monitor_drop(m, open->slot);
  }
  return NULL;
}

static const char *take(struct stream *s, const struct waiting *w) {
  s->line = w->line;
  s->events++;
  switch (w->what) {
  case WAITS_CALL: return take_call(s, &w->op, w->slot, w->line);
  case WAITS_RETURN: return take_return(s, w->slot, w->result, w->line);
  case WAITS_FAIL: return take_end(s, w->slot, false);
  default: return take_end(s, w->slot, true);
  }
}

/* Guesses the specification by the events that wait. Before the last has come it may be too early: *later. */
static const struct spec *guess(struct stream *s, bool last, bool *later) {
  struct history seen = *s->history;
  memset(&seen.ops, 0, sizeof seen.ops);
  for (size_t i = 0; i < s->waiting.count; i++)
    if (s->waiting.at[i].what == WAITS_CALL) vec_push(s->mem, &seen.ops, s->waiting.at[i].op);
  *later = !last && !spec_guess_settled(&seen);
  const struct spec *found = *later ? NULL : spec_guess(&seen, &s->problem);
  vec_free(s->mem, &seen.ops);
  return found;
}

/* Goes on with what has waited, if the specification can be told by now. */
static const char *go_on(struct stream *s, bool last) {
  bool later;
  const struct spec *found = guess(s, last, &later);
  if (later) return NULL;
  if (!found || !begin(s, found, &s->problem)) return stop(s);
  for (size_t i = 0; i < s->waiting.count; i++)
    if (take(s, &s->waiting.at[i])) return s->stopped;
  vec_free(s->mem, &s->waiting);
  return NULL;
}

/* Guessing looks at all that waits: only at operations that are new, and when there are enough. */
static const char *wait(struct stream *s, const struct waiting *w) {
  bool seen = w->what != WAITS_CALL;
  for (size_t i = 0; i < s->waiting.count && !seen; i++)
    seen = s->waiting.at[i].what == WAITS_CALL && s->waiting.at[i].op.method == w->op.method;
  vec_push(s->mem, &s->waiting, *w);
  return !seen || s->waiting.count >= WAITING ? go_on(s, s->waiting.count >= WAITING) : NULL;
}

static inline const char *event(struct follower *f, const struct waiting *w) {
  struct stream *s = (struct stream *)f;
  if (s->stopped) return s->stopped; /* readers may try an event twice */
  return s->binder ? take(s, w) : wait(s, w);
}

static const char *on_call(struct follower *f, const struct op *o, uint32_t slot, uint64_t line) {
  return event(f, &(struct waiting){.op = *o, .slot = slot, .line = line, .what = WAITS_CALL});
}

static const char *on_return(struct follower *f, uint32_t slot, value result, uint64_t line) {
  struct stream *s = (struct stream *)f;
  if (!s->stopped && s->binder) {
    s->line = line;
    s->events++;
    return take_return(s, slot, result, line);
  }
  return event(f, &(struct waiting){.slot = slot, .result = result, .line = line, .what = WAITS_RETURN});
}

static const char *on_fail(struct follower *f, uint32_t slot, uint64_t line) {
  return event(f, &(struct waiting){.slot = slot, .line = line, .what = WAITS_FAIL});
}

static const char *on_info(struct follower *f, uint32_t slot, uint64_t line) {
  return event(f, &(struct waiting){.slot = slot, .line = line, .what = WAITS_INFO});
}

bool stream_open(struct stream *s, struct mem *m, const struct stream_options *options, const char *name,
                 struct problem *why) {
  *s = (struct stream){.follower = {NULL, on_call, on_return, on_fail, on_info}, .mem = m, .options = *options};
  s->history = history_new(m, name);
  s->history->follower = &s->follower;
  s->recent = mem_zero(m, RECENT, sizeof *s->recent);
  return !options->spec || begin(s, options->spec, why);
}

bool stream_read(struct stream *s, struct input *in, const struct format *format, struct problem *why) {
  bool good = history_follow_input(s->history, in, format, why);
  if (good && !s->stopped && !s->binder) go_on(s, true);
  if (s->stopped && !s->violated) *why = s->problem;
  return s->stopped ? s->violated != NULL : good;
}

void stream_blind(const struct stream *s, struct text *t) {
  const struct monitor *m = s->violated ? s->violated : s->objects.count ? s->objects.at[0].monitor : s->first;
  if (m) monitor_blind(m, t);
}

const char *stream_kind(const struct stream *s) {
  for (size_t i = 0; i < s->objects.count; i++)
    if (s->objects.at[i].monitor) return s->objects.at[i].monitor->type->name;
  return s->first ? s->first->type->name : NULL;
}

size_t stream_bytes(const struct stream *s) {
  size_t bytes = 0;
  for (size_t i = 0; i < s->objects.count; i++) {
    const struct monitor *m = s->objects.at[i].monitor;
    if (m && m->type->bytes) bytes += m->type->bytes(m);
  }
  return bytes;
}

uint64_t stream_held(const struct stream *s) {
  uint64_t held = 0;
  for (size_t i = 0; i < s->objects.count; i++) {
    const struct monitor *m = s->objects.at[i].monitor;
    if (m && m->type->held) held += m->type->held(m);
  }
  return held;
}

uint64_t stream_length(const struct stream *s) {
  uint64_t length = 0;
  for (size_t i = 0; i < s->objects.count; i++) length += s->objects.at[i].length;
  return length;
}

/* --- where the operations stand that show a violation --- */

/* The interval that A_k has of one, after the shifts there were. While there have been fewer than k, some monitors
 * count such that the latest is k all the same. */
static int64_t shifted(const struct stream *s, uint64_t at, bool latest_is_k) {
  uint64_t n = s->objects.at[s->object].length, k = s->options.k;
  if (n < k) return (int64_t)(at + (latest_is_k ? k - n : 0));
  return (int64_t)(at > n - k ? at - (n - k) : 0);
}

static bool latest_is_k(const struct stream *s, const struct history *h) {
  int64_t n = (int64_t)s->objects.at[s->object].length;
  for (size_t i = 0; i < h->ops.count; i++)
    if (h->call_time[i] / 2 > n || (!op_pending(&h->ops.at[i]) && h->ret_time[i] / 2 > n)) return true;
  return false;
}

/* Is a value of the input what a monitor shows? A monitor that only counts shows 1 for any value that is not a word. */
static bool same_value(value shown, value v, bool counted) {
  return shown == v || (counted && shown == value_of_small(1) && (value_is_small(v) || v > V_UNKNOWN));
}

struct sought {
  const struct history *history;
  size_t op;
  uint32_t process; /* UINT32_MAX where it does not matter */
  bool counted;
};

static bool is_it(const struct stream *s, const struct recent *r, const struct sought *what) {
  const struct history *h = what->history;
  const struct op *o = &h->ops.at[what->op];
  if (r->object != s->object || r->method != o->method) return false;
  for (int a = 0; a < OP_ARGS; a++)
    if (!same_value(o->arg[a], r->arg[a], what->counted)) return false;
  if (what->process != UINT32_MAX && r->process != what->process) return false;
  bool late = latest_is_k(s, h);
  if (2 * shifted(s, r->from, late) != h->call_time[what->op] || (r->to == UINT64_MAX) != op_pending(o)) return false;
  return op_pending(o) ||
         (same_value(o->result, r->result, what->counted) && 2 * shifted(s, r->to, late) + 1 == h->ret_time[what->op]);
}

/* Operations with the same label and interval are the same to A_k: any that is not taken yet will do. */
static bool locate(struct stream *s, const struct sought *what, struct recent *out) {
  uint64_t kept = s->recent_count < RECENT ? s->recent_count : RECENT;
  for (uint64_t i = 1; i <= kept; i++) {
    struct recent *r = &s->recent[(s->recent_count - i) % RECENT];
    if (!is_it(s, r, what)) continue;
    *out = *r;
    r->object = UINT32_MAX; /* taken */
    return true;
  }
  for (size_t i = 0; i < s->open.count; i++) {
    if (!s->open.at[i].busy) continue;
    *out = ended(s, &s->open.at[i], V_UNKNOWN);
    out->to = UINT64_MAX;
    if (is_it(s, out, what)) return s->open.at[i].busy = false, true;
  }
  return false;
}

/* The operations' processes and lines are those of the history read. The names that a monitor gives only tell them
 * apart. */
static void name_processes(struct stream *s, struct history *h) {
  struct names *names = s->history->processes;
  for (size_t i = 0; i < h->ops.count; i++) {
    struct op *o = &h->ops.at[i];
    struct recent r;
    bool found = locate(s, &(struct sought){h, i, UINT32_MAX, false}, &r);
    const char *name =
        s->recent_count > RECENT ? "earlier" : "?"; /* a monitor that only counts shows any value for all */
    o->process = found ? r.process : names_intern(names, name, strlen(name));
    o->line = found ? short_line(r.line) : 0;
  }
  h->processes = names;
}

/* The same where the monitor has only counted: the operations get the processes and values of some that are counted
 * with them, if the exact checker confirms what they are then. */
static void name_counted(struct stream *s, struct mem *m, struct violation *v) {
  struct history *h = v->history;
  struct names *made_up = h->processes;
  struct op *shown = mem_alloc(m, (h->ops.count + 1) * sizeof *shown);
  bool all = true;
  for (size_t i = 0; i < h->ops.count; i++) {
    struct recent r;
    struct op *o = &h->ops.at[i];
    shown[i] = *o;
    if (!locate(s, &(struct sought){h, i, UINT32_MAX, true}, &r)) {
      all = false;
      continue;
    }
    o->line = shown[i].line = short_line(r.line);
    o->process = r.process;
    o->result = r.result;
    memcpy(o->arg, r.arg, sizeof o->arg);
  }
  struct spec spec = s->spec;
  struct check_result again;
  struct problem unused;
  h->processes = s->history->processes;
  spec.processes = h->processes;
  if (all && monitor_confirm(m, h, &spec, &again, &unused)) {
    v->result = again;
    monitor_show_all(m, h, &v->result);
    return;
  }
  if (h->ops.count) memcpy(h->ops.at, shown, h->ops.count * sizeof *shown);
  h->processes = made_up;
}

/* Where what an operation may do depends on its process, the names are numbers: of processes, if there are such
 * operations. Else the monitor has only counted, and who did them is made up: then they stay as they are. */
static void name_numbered(struct stream *s, struct history *h) {
  struct recent *found = mem_zero(h->mem, h->ops.count + 1, sizeof *found);
  for (size_t i = 0; i < h->ops.count; i++) {
    uint32_t process = (uint32_t)strtoul(names_at(h->processes, h->ops.at[i].process), NULL, 10);
    if (!locate(s, &(struct sought){h, i, process, false}, &found[i])) return;
  }
  for (size_t i = 0; i < h->ops.count; i++) {
    h->ops.at[i].process = found[i].process;
    h->ops.at[i].line = short_line(found[i].line);
  }
  h->processes = s->history->processes;
}

bool stream_violation(struct stream *s, struct mem *m, struct violation *v, struct problem *why) {
  if (!monitor_violation(m, s->violated, v, why)) return false;
  struct history *h = v->history;
  const char *object = names_at(s->history->objects, s->object);
  h->source = s->history->source;
  h->format = s->history->format;
  h->objects = names_new(m);
  names_intern(h->objects, object, strlen(object));
  if (v->counted)
    name_counted(s, m, v);
  else
    (s->spec.by_process ? name_numbered : name_processes)(s, h);
  v->events = s->events;
  return true;
}
