/* Building histories, event by event or interval by interval, and putting them in order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

enum { FREE = 0, RETIRED = UINT32_MAX };

struct builder {
  VEC(uint32_t) open;      /* a process: index of its open operation + 1, FREE, or RETIRED after :info */
  VEC(int64_t) call, ret;  /* times, an operation each, once any is given */
  bool timed;              /* any time given */
  bool intervals;          /* built by history_interval: events are ordered by time */
  bool dropped;            /* some operation failed and is to be removed (its call == NO_RETURN) */
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

static uint32_t *slot(struct history *h, uint32_t process) {
  struct builder *b = h->builder;
  if (process >= b->open.count) {
    vec_reserve(h->mem, &b->open, (size_t)process + 1);
    memset(b->open.at + b->open.count, 0, (process + 1 - b->open.count) * sizeof *b->open.at);
    b->open.count = (size_t)process + 1;
  }
  return &b->open.at[process];
}

bool history_busy(const struct history *h, uint32_t process) {
  return process < h->builder->open.count && h->builder->open.at[process] != FREE;
}

static void add_op(struct history *h, uint32_t process, uint32_t object, uint32_t method, const value *args, int count,
                   uint32_t line) {
  struct op o = {.call = h->events, .ret = NO_RETURN, .process = process, .object = object, .result = V_UNKNOWN, .line = line,
                 .method = (uint16_t)method};
  for (int i = 0; i < OP_ARGS; i++) o.arg[i] = i < count ? args[i] : V_NONE;
  vec_push(h->mem, &h->ops, o);
}

static const char *no_room(const struct history *h, uint32_t method) {
  if (method > UINT16_MAX) return "names more than 65536 different operations";
  if (h->ops.count >= UINT32_MAX / 2 - 1) return "is operation 2147483647: a history holds fewer";
  return NULL;
}

const char *history_call(struct history *h, uint32_t process, uint32_t object, uint32_t method, const value *args, int count,
                         uint32_t line) {
  uint32_t *s = slot(h, process);
  if (*s == RETIRED) return "calls again, but an earlier operation of it ended with unknown outcome";
  if (*s != FREE) return "calls while its earlier call has not returned";
  const char *why = no_room(h, method);
  if (why) return why;
  add_op(h, process, object, method, args, count, line);
  h->events++;
  *s = (uint32_t)h->ops.count;
  return NULL;
}

static struct op *open_op(struct history *h, uint32_t process) {
  uint32_t *s = slot(h, process);
  return *s == FREE || *s == RETIRED ? NULL : &h->ops.at[*s - 1];
}

const char *history_return(struct history *h, uint32_t process, uint32_t object, value result) {
  struct op *o = open_op(h, process);
  if (!o) return "returns, but has not called";
  if (o->object != object) return "returns from another object than it called";
  o->ret = h->events++;
  o->result = result;
  *slot(h, process) = FREE;
  return NULL;
}

const char *history_fail(struct history *h, uint32_t process) {
  struct op *o = open_op(h, process);
  if (!o) return "fails, but has not called";
  o->call = NO_RETURN;
  h->builder->dropped = true;
  h->failed++;
  h->events++;
  *slot(h, process) = FREE;
  return NULL;
}

const char *history_info(struct history *h, uint32_t process) {
  struct op *o = open_op(h, process);
  if (!o) return "ends with unknown outcome, but has not called";
  h->retired++;
  h->events++;
  *slot(h, process) = RETIRED;
  return NULL;
}

static void set_time(struct history *h, size_t op, int64_t t, bool ret) {
  struct builder *b = h->builder;
  b->timed = true;
  while (b->call.count <= op) {
    vec_push(h->mem, &b->call, 0);
    vec_push(h->mem, &b->ret, INT64_MAX);
  }
  (ret ? b->ret.at : b->call.at)[op] = t;
}

void history_call_time(struct history *h, int64_t t) {
  if (h->ops.count) set_time(h, h->ops.count - 1, t, false);
}

void history_return_time(struct history *h, uint32_t process, int64_t t) {
  struct op *o = open_op(h, process);
  if (o) set_time(h, (size_t)(o - h->ops.at), t, true);
}

const char *history_interval(struct history *h, uint32_t process, uint32_t object, uint32_t method, const value *args, int count,
                             value result, int64_t start, int64_t end, uint32_t line) {
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

struct moment {
  int64_t time;
  uint32_t what; /* (operation << 1) | is_return: at one time calls before returns */
};

static int by_time(const void *a, const void *b) {
  const struct moment *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  if ((x->what ^ y->what) & 1) return x->what & 1 ? 1 : -1;
  return x->what < y->what ? -1 : x->what > y->what;
}

/* Closed intervals (findings: [10,20] and [20,30] overlap): events sorted by time, calls before returns. */
static void number_by_time(struct history *h) {
  struct builder *b = h->builder;
  struct moment *m = mem_alloc(h->mem, (h->ops.count * 2 + 1) * sizeof *m);
  size_t n = 0;
  for (size_t i = 0; i < h->ops.count; i++) {
    m[n++] = (struct moment){b->call.at[i], (uint32_t)i << 1};
    if (!op_pending(&h->ops.at[i])) m[n++] = (struct moment){b->ret.at[i], (uint32_t)i << 1 | 1};
  }
  qsort(m, n, sizeof *m, by_time);
  for (size_t e = 0; e < n; e++) {
    struct op *o = &h->ops.at[m[e].what >> 1];
    *(m[e].what & 1 ? &o->ret : &o->call) = (uint32_t)e;
  }
  mem_free(h->mem, m);
  h->events = (uint32_t)n;
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

/* Operations by call: event-built histories are so already. */
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
  if (b->intervals) number_by_time(h);
  if (b->dropped || h->retired) renumber(h);
  if (b->intervals) sort_by_call(h);
  if (b->timed && h->ops.count) {
    h->call_time = b->call.at;
    h->ret_time = b->ret.at;
  }
  vec_free(h->mem, &b->open);
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
  vec_reserve(m, &r->ops, count + 1);
  struct moment *e = mem_alloc(m, (count * 2 + 1) * sizeof *e);
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    const struct op *o = &h->ops.at[ops[i]];
    vec_push(m, &r->ops, *o);
    e[n++] = (struct moment){o->call, (uint32_t)i << 1};
    if (!op_pending(o)) e[n++] = (struct moment){o->ret, (uint32_t)i << 1 | 1};
  }
  qsort(e, n, sizeof *e, by_time);
  for (size_t k = 0; k < n; k++) {
    struct op *o = &r->ops.at[e[k].what >> 1];
    *(e[k].what & 1 ? &o->ret : &o->call) = (uint32_t)k;
  }
  r->events = (uint32_t)n;
  mem_free(m, e);
  return r;
}
