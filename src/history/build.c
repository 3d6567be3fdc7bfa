/* Building histories, event by event or interval by interval, and putting them in order. */
#include <assert.h>
#include <string.h>

#include "history/history.h"
#include "history/input.h"
#include "history/intervals.h"
#include "history/write.h"

static const uint32_t FREE = 0, RETIRED = UINT32_MAX;

/* The latest event with a time. */
struct latest {
  struct event_time time;
  uint64_t line; /* 0: there is none */
};

struct builder {
  VEC(uint32_t)
  open; /* a process: index of its open operation + 1, FREE, or RETIRED after :info; of a history that is followed:
         * the object it has called + 1 */
  VEC(int64_t) call, ret;           /* times, an operation each, once any is given */
  VEC(int64_t) call_part, ret_part; /* the same: their parts, once any has one */
  bool timed;                       /* any time given */
  struct event_time next;           /* of the next event, if timed */
  struct latest latest;             /* of all */
  VEC(struct latest) latest_of;     /* of each process */
  uint64_t untimed;                 /* line of the first event without a time, 0 if all have one */
  char said[300];                   /* what is wrong with the times */
  bool intervals;                   /* built by history_interval: events are ordered by time */
  bool dropped;                     /* some operation failed and is to be removed (its call == NO_RETURN) */
};

struct history *history_new(struct mem *m, const char *source) {
  struct history *h = mem_zero(m, 1, sizeof *h);
  h->mem = m;
  h->values = values_new(m);
  h->processes = names_new(m);
  h->objects = names_new(m);
  h->methods = names_new(m);
  h->source = mem_string(m, source, strlen(source));
  h->builder = mem_zero(m, 1, sizeof *h->builder);
  return h;
}

static void more_slots(struct history *h, uint32_t process) {
  struct builder *b = h->builder;
  vec_reserve(h->mem, &b->open, (size_t)process + 1);
  memset(b->open.at + b->open.count, 0, (process + 1 - b->open.count) * sizeof *b->open.at);
  b->open.count = (size_t)process + 1;
}

static inline uint32_t *slot(struct history *h, uint32_t process) {
  if (process >= h->builder->open.count) more_slots(h, process);
  return &h->builder->open.at[process];
}

bool history_busy(const struct history *h, uint32_t process) {
  return process < h->builder->open.count && h->builder->open.at[process] != FREE;
}

static inline void set_op(struct op *o, uint32_t call, uint32_t process, uint32_t object, uint32_t method,
                          const value *args, int count, uint32_t line) {
  o->call = call;
  o->ret = NO_RETURN;
  o->process = process;
  o->object = object;
  for (int i = 0; i < OP_ARGS; i++) o->arg[i] = i < count ? args[i] : V_NONE;
  o->result = V_UNKNOWN;
  o->line = line;
  o->method = (uint16_t)method;
}

static inline void add_op(struct history *h, uint32_t process, uint32_t object, uint32_t method, const value *args,
                          int count, uint32_t line) {
  vec_reserve(h->mem, &h->ops, h->ops.count + 1);
  set_op(&h->ops.at[h->ops.count++], h->events, process, object, method, args, count, line);
}

static const char *no_room(const struct history *h, uint32_t method) {
  if (method > UINT16_MAX) return "names more than 65536 different operations";
  if (h->ops.count >= UINT32_MAX / 2 - 1) return "is operation 2147483647: a history holds fewer";
  return NULL;
}

/* Times. */

static void set_time(struct history *h, size_t op, int64_t t, bool ret) {
  struct builder *b = h->builder;
  b->timed = true;
  if (b->call.count <= op && b->call.room < h->ops.room) { /* an operation each */
    vec_reserve(h->mem, &b->call, h->ops.room);
    vec_reserve(h->mem, &b->ret, h->ops.room);
  }
  while (b->call.count <= op) {
    vec_push(h->mem, &b->call, 0);
    vec_push(h->mem, &b->ret, INT64_MAX);
  }
  (ret ? b->ret.at : b->call.at)[op] = t;
}

static void set_part(struct history *h, size_t op, int64_t part, bool ret) {
  struct builder *b = h->builder;
  while (b->call_part.count <= op) {
    vec_push(h->mem, &b->call_part, 0);
    vec_push(h->mem, &b->ret_part, 0);
  }
  (ret ? b->ret_part.at : b->call_part.at)[op] = part;
}

/* The operation's call or return is the event whose time history_time was given last. */
static inline void set_event_time(struct history *h, size_t op, bool ret) {
  struct builder *b = h->builder;
  if (!b->timed) return;
  set_time(h, op, b->next.whole, ret);
  if (b->next.part || b->call_part.count) set_part(h, op, b->next.part, ret);
}

/* Some event has no time: this one, or one before it. */
static const char *some_untimed(struct builder *b, bool this, uint64_t line) {
  if (this && !b->untimed) b->untimed = line;
  if (!b->timed) return NULL;
  snprintf(b->said, sizeof b->said,
           "this event has %s time, and the one on line %llu has %s: either all events have one or none has",
           this ? "no" : "a", (unsigned long long)(this ? b->latest.line : b->untimed), this ? "one" : "none");
  return b->said;
}

static struct latest *latest_of(struct history *h, uint32_t process) {
  struct builder *b = h->builder;
  while (b->latest_of.count <= process) vec_push(h->mem, &b->latest_of, ((struct latest){0}));
  return &b->latest_of.at[process];
}

/* An event whose time is before that of an earlier one. */
static const char *goes_back(struct history *h, const struct latest *own, struct event_time t) {
  struct builder *b = h->builder;
  h->late++;
  if (own->line && time_before(t, own->time))
    snprintf(b->said, sizeof b->said,
             "this event is before the one of the same process on line %llu by its time, and after it in the file",
             (unsigned long long)own->line);
  else if (h->follower)
    snprintf(b->said, sizeof b->said,
             "by its time this event is before the one on line %llu; what is monitored while it is read must be in "
             "order: `asif convert` puts it in order, or leave out --approx",
             (unsigned long long)b->latest.line);
  else
    return NULL;
  return b->said;
}

const char *history_time(struct history *h, uint32_t process, const struct event_time *t, uint64_t line) {
  struct builder *b = h->builder;
  if (t) b->timed = true;
  if (!t || b->untimed) return some_untimed(b, !t, line);
  struct latest *own = latest_of(h, process);
  const char *why = NULL;
  if (b->latest.line && time_before(*t, b->latest.time))
    why = goes_back(h, own, *t);
  else
    b->latest = (struct latest){*t, line};
  *own = (struct latest){*t, line};
  b->next = *t;
  return why;
}

/* Gives times with parts the finest unit, a power of ten, in which all of them are 64-bit integers. */
static void merge_parts(struct history *h) {
  struct builder *b = h->builder;
  size_t n = h->ops.count;
  uint64_t greatest = 0;
  if (!n) return;
  set_part(h, n - 1, b->call_part.count < n ? 0 : b->call_part.at[n - 1], false);
  for (size_t i = 0; i < n; i++)
    for (int ret = 0; ret < 2; ret++) {
      int64_t t = (ret ? b->ret.at : b->call.at)[i];
      uint64_t size = t < 0 ? 0 - (uint64_t)t : (uint64_t)t;
      if ((!ret || !op_pending(&h->ops.at[i])) && size > greatest) greatest = size;
    }
  int64_t scale = 1, divisor = TIME_PARTS;
  while (divisor > 1 && greatest < (uint64_t)INT64_MAX / 10 / (uint64_t)scale - 1) scale *= 10, divisor /= 10;
  for (size_t i = 0; i < n; i++) {
    b->call.at[i] = b->call.at[i] * scale + b->call_part.at[i] / divisor;
    if (!op_pending(&h->ops.at[i])) b->ret.at[i] = b->ret.at[i] * scale + b->ret_part.at[i] / divisor;
  }
}

/* Where a history is followed. */

static const char *follow_call(struct history *h, uint32_t *s, uint32_t process, uint32_t object, uint32_t method,
                               const value *args, int count, uint32_t line) {
  struct op o;
  set_op(&o, 0, process, object, method, args, count, line);
  const char *why = h->follower->call(h->follower, &o, process, h->follower->input->line);
  h->events = 1; /* it has begun */
  if (!why) *s = object + 1;
  return why;
}

/* Ends the operation of a process: it is free, or retired, if nothing is wrong. */
static const char *follow_end(struct history *h, uint32_t process, const char *why, uint32_t then) {
  if (!why) h->builder->open.at[process] = then;
  return why;
}

static inline bool calling(struct history *h, uint32_t process) {
  uint32_t s = *slot(h, process);
  return s != FREE && s != RETIRED;
}

static const char *follow_return(struct history *h, uint32_t process, uint32_t object, value result) {
  if (*slot(h, process) != object + 1) return "returns from another object than it called";
  return follow_end(h, process, h->follower->ret(h->follower, process, result, h->follower->input->line), FREE);
}

const char *history_retell(struct history *h) {
  if (h->tied) h = history_loose(h, h->mem);
  uint32_t lanes, *lane = history_lanes(h, h->mem, &lanes), *events = history_events(h, h->mem);
  const char *why = NULL;
  for (uint32_t e = 0; e < h->events && !why; e++) {
    const struct op *o = &h->ops.at[events[e] >> 1];
    why = events[e] & 1 ? h->follower->ret(h->follower, lane[events[e] >> 1], o->result, o->line)
                        : h->follower->call(h->follower, o, lane[events[e] >> 1], o->line);
  }
  mem_free(h->mem, lane);
  mem_free(h->mem, events);
  return why;
}

const char *history_call(struct history *h, uint32_t process, uint32_t object, uint32_t method, const value *args,
                         int count, uint32_t line) {
  uint32_t *s = slot(h, process);
  if (*s == RETIRED)
    return "calls again, but an earlier operation of it ended with unknown outcome, and may still be under way: what "
           "follows needs a process of another name";
  if (*s != FREE) return "calls while its earlier call has not returned";
  const char *why = no_room(h, method);
  if (why) return why;
  if (h->follower) return follow_call(h, s, process, object, method, args, count, line);
  add_op(h, process, object, method, args, count, line);
  set_event_time(h, h->ops.count - 1, false);
  h->events++;
  *s = (uint32_t)h->ops.count;
  return NULL;
}

static struct op *open_op(struct history *h, uint32_t process) {
  return calling(h, process) ? &h->ops.at[*slot(h, process) - 1] : NULL;
}

const char *history_return(struct history *h, uint32_t process, uint32_t object, value result) {
  if (!calling(h, process)) return "returns, but has not called";
  if (h->follower) return follow_return(h, process, object, result);
  struct op *o = open_op(h, process);
  if (o->object != object) return "returns from another object than it called";
  set_event_time(h, (size_t)(o - h->ops.at), true);
  o->ret = h->events++;
  o->result = result;
  *slot(h, process) = FREE;
  return NULL;
}

const char *history_fail(struct history *h, uint32_t process) {
  if (!calling(h, process)) return "fails, but has not called";
  h->failed++;
  if (h->follower)
    return follow_end(h, process, h->follower->fail(h->follower, process, h->follower->input->line), FREE);
  open_op(h, process)->call = NO_RETURN;
  h->builder->dropped = true;
  h->events++;
  *slot(h, process) = FREE;
  return NULL;
}

const char *history_info(struct history *h, uint32_t process) {
  if (!calling(h, process)) return "ends with unknown outcome, but has not called";
  h->retired++;
  if (h->follower)
    return follow_end(h, process, h->follower->info(h->follower, process, h->follower->input->line), RETIRED);
  h->events++;
  *slot(h, process) = RETIRED;
  return NULL;
}

const char *history_interval(struct history *h, uint32_t process, uint32_t object, uint32_t method, const value *args,
                             int count, value result, int64_t start, int64_t end, uint32_t line) {
  if (end < start) return "ends before it starts";
  const char *why = no_room(h, method);
  if (why) return why;
  add_op(h, process, object, method, args, count, line);
  struct op *o = &h->ops.at[h->ops.count - 1];
  o->ret = end == INT64_MAX ? NO_RETURN : 0;
  if (end != INT64_MAX) o->result = result;
  set_time(h, h->ops.count - 1, start, false);
  set_time(h, h->ops.count - 1, end, true);
  h->builder->intervals = true;
  return NULL;
}

/* Removes failed operations and closes the gaps in the numbering that they and :info left. */
static void renumber(struct history *h) {
  size_t kept = 0;
  struct builder *b = h->builder;
  for (size_t i = 0; i < h->ops.count; i++) {
    if (h->ops.at[i].call == NO_RETURN) continue;
    h->ops.at[kept] = h->ops.at[i];
    if (b->timed && i < b->call.count) {
      b->call.at[kept] = b->call.at[i];
      b->ret.at[kept] = b->ret.at[i];
    }
    if (i < b->call_part.count) {
      b->call_part.at[kept] = b->call_part.at[i];
      b->ret_part.at[kept] = b->ret_part.at[i];
    }
    kept++;
  }
  h->ops.count = kept;
  uint32_t *at = mem_zero(h->mem, (size_t)h->events + 1, sizeof *at);
  for (size_t i = 0; i < kept; i++) {
    at[h->ops.at[i].call] = 1;
    if (!op_pending(&h->ops.at[i])) at[h->ops.at[i].ret] = 1;
  }
  uint32_t next = 0;
  for (uint32_t e = 0; e < h->events; e++) {
    uint32_t used = at[e];
    at[e] = next;
    next += used;
  }
  for (size_t i = 0; i < kept; i++) {
    struct op *o = &h->ops.at[i];
    o->call = at[o->call];
    if (!op_pending(o)) o->ret = at[o->ret];
  }
  h->events = next;
  mem_free(h->mem, at);
}

/* Numbers the events anew in the order of their times; at one time they keep the order they have. */
static void reorder_by_time(struct history *h) {
  struct builder *b = h->builder;
  struct moment *at = mem_alloc(h->mem, ((size_t)h->events + 1) * sizeof *at);
  for (size_t i = 0; i < h->ops.count; i++) {
    const struct op *o = &h->ops.at[i];
    at[o->call] = (struct moment){b->call.at[i], (uint32_t)i << 1};
    if (!op_pending(o)) at[o->ret] = (struct moment){b->ret.at[i], (uint32_t)i << 1 | 1};
  }
  sort_moments(h->mem, at, h->events);
  for (uint32_t e = 0; e < h->events; e++) {
    struct op *o = &h->ops.at[at[e].op >> 1];
    if (at[e].op & 1)
      o->ret = e;
    else
      o->call = e;
  }
  mem_free(h->mem, at);
}

/* Operations by call: event-built histories are so already, unless they were put in the order of their times. */
static void sort_by_call(struct history *h) {
  size_t n = h->ops.count, i;
  for (i = 1; i < n && h->ops.at[i - 1].call < h->ops.at[i].call; i++) {}
  if (i >= n) return;
  uint32_t *at = mem_alloc(h->mem, ((size_t)h->events + 1) * sizeof *at);
  memset(at, 0xff, ((size_t)h->events + 1) * sizeof *at);
  for (i = 0; i < n; i++) at[h->ops.at[i].call] = (uint32_t)i;
  struct op *ops = mem_alloc(h->mem, n * sizeof *ops);
  struct builder *b = h->builder;
  int64_t *times = mem_alloc(h->mem, n * 2 * sizeof *times);
  size_t k = 0;
  for (uint32_t e = 0; e < h->events; e++) {
    if (at[e] == UINT32_MAX) continue;
    ops[k] = h->ops.at[at[e]];
    if (b->timed) {
      times[k] = b->call.at[at[e]];
      times[n + k] = b->ret.at[at[e]];
    }
    k++;
  }
  assert(k == n);
  mem_free(h->mem, h->ops.at);
  h->ops.at = ops;
  h->ops.room = n;
  if (b->timed) {
    memcpy(b->call.at, times, n * sizeof *times);
    memcpy(b->ret.at, times + n, n * sizeof *times);
  }
  mem_free(h->mem, times);
  mem_free(h->mem, at);
}

void history_finish(struct history *h) {
  struct builder *b = h->builder;
  if (b->timed && b->call.count < h->ops.count) set_time(h, h->ops.count - 1, INT64_MAX, true);
  if (b->intervals) number_intervals(h, b->call.at, b->ret.at);
  if (b->dropped || h->retired) renumber(h);
  if (b->call_part.count) merge_parts(h);
  if (h->late) reorder_by_time(h);
  if (b->intervals || h->late) sort_by_call(h);
  if (b->timed && h->ops.count) {
    h->call_time = b->call.at;
    h->ret_time = b->ret.at;
  }
  vec_free(h->mem, &b->open);
  vec_free(h->mem, &b->latest_of);
  vec_free(h->mem, &b->call_part);
  vec_free(h->mem, &b->ret_part);
  h->builder = NULL;
}

uint32_t *history_events(const struct history *h, struct mem *m) {
  uint32_t *events = mem_alloc(m, ((size_t)h->events + 1) * sizeof *events);
  for (size_t i = 0; i < h->ops.count; i++) {
    events[h->ops.at[i].call] = (uint32_t)i << 1;
    if (!op_pending(&h->ops.at[i])) events[h->ops.at[i].ret] = (uint32_t)i << 1 | 1;
  }
  return events;
}

struct history *history_restrict(const struct history *h, struct mem *m, const uint32_t *ops, size_t count) {
  struct history *r = mem_alloc(m, sizeof *r);
  *r = *h;
  r->mem = m;
  r->ops.at = NULL;
  r->ops.count = r->ops.room = 0;
  r->call_time = r->ret_time = NULL;
  r->touches = r->tied = false;
  vec_reserve(m, &r->ops, count + 1);
  struct moment *calls = mem_alloc(m, (count + 1) * sizeof *calls),
                *returns = mem_alloc(m, (count + 1) * sizeof *returns);
  size_t k = 0;
  for (size_t i = 0; i < count; i++) {
    const struct op *o = &h->ops.at[ops[i]];
    vec_push(m, &r->ops, *o);
    calls[i] = (struct moment){o->call, (uint32_t)i};
    if (!op_pending(o)) returns[k++] = (struct moment){o->ret, (uint32_t)i};
  }
  r->events = number_events(m, r->ops.at, calls, count, returns, k);
  mem_free(m, calls);
  mem_free(m, returns);
  return r;
}
