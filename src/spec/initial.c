/* What an object held when a history began, from a file: operations that put it there, before all others.
 *
 * A line for each: `x 1` of a map, `1` of what has no keys. That is exact: a sequence of such operations that have
 * returned before anything else is called leads to these contents in one way. */
#include <string.h>

#include "history/lines.h"
#include "spec/spec.h"

/* The operation that puts something there: its number, or -1. */
static int filling(const struct spec *s) {
  static const char *const names[] = {"put", "add", "write", "set"};
  if (s->container) return __builtin_ctz(s->container->puts);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    int m = spec_op_find(s, names[i], strlen(names[i]));
    if (m >= 0) return m;
  }
  return -1;
}

static value result_of(const struct spec *s, int m) {
  switch (s->ops[m].result) {
  case RESULT_BOOL: return V_TRUE;
  case RESULT_OLD: return V_NIL;
  default: return V_NONE;
  }
}

/* A line's values; false with the problem. */
static bool read_line(struct lines *l, int args, value *arg) {
  char *p = skip_blanks(l->at);
  for (int i = 0; i < OP_ARGS; i++) arg[i] = V_NONE;
  for (int i = 0; i < args; i++) {
    if (p == l->end)
      return lines_bad(l, p, args == 2 ? "a key and its content should stand here: x 1" : "a value is missing");
    if (!lines_value(l, &p, &arg[i])) return false;
    while (*p == ' ' || *p == '\t' || *p == '=' || *p == ':') p++;
  }
  return p == l->end || *p == '#' || lines_bad(l, p, "%s behind the content", byte_name(*p).text);
}

static bool too_early(const struct history *h, size_t count, int64_t *first) {
  *first = INT64_MAX;
  for (size_t i = 0; i < h->ops.count; i++)
    if (h->call_time[i] < *first) *first = h->call_time[i];
  return *first < INT64_MIN + 2 * (int64_t)count + 2;
}

/* The history with these operations before all others. */
static bool put_before(struct history *h, const struct op *ops, size_t count, struct problem *p) {
  size_t n = h->ops.count;
  int64_t first = 0;
  if (h->call_time && too_early(h, count, &first))
    return problem_set(p, "%s: its times are too early for anything to be before them", h->source), false;
  vec_reserve(h->mem, &h->ops, n + count + 1);
  memmove(h->ops.at + count, h->ops.at, n * sizeof *h->ops.at);
  memcpy(h->ops.at, ops, count * sizeof *ops);
  h->ops.count = n + count;
  for (size_t i = 0; i < h->ops.count; i++) {
    struct op *o = &h->ops.at[i];
    if (i < count)
      o->call = 2 * (uint32_t)i, o->ret = o->call + 1;
    else
      o->call += 2 * (uint32_t)count, o->ret += op_pending(o) ? 0 : 2 * (uint32_t)count;
  }
  h->events += 2 * (uint32_t)count;
  if (!h->call_time) return true;
  int64_t *calls = mem_alloc(h->mem, (h->ops.count + 1) * sizeof *calls);
  int64_t *returns = mem_alloc(h->mem, (h->ops.count + 1) * sizeof *returns);
  memcpy(calls + count, h->call_time, n * sizeof *calls);
  memcpy(returns + count, h->ret_time, n * sizeof *returns);
  for (size_t i = 0; i < count; i++) {
    calls[i] = first - 2 * (int64_t)(count - i);
    returns[i] = calls[i] + 1;
  }
  h->call_time = calls;
  h->ret_time = returns;
  return true;
}

bool spec_initial_contents(const struct spec *s, struct history *h, const char *path, struct problem *p) {
  struct input in;
  struct lines l;
  VEC(struct op) ops = {0};
  int m = filling(s);
  if (m < 0) return problem_set(p, "--initial: nothing can be put into a %s before a history begins", s->name), false;
  if (names_count(h->objects) > 1)
    return problem_set(p, "--initial: the history is of several objects, and %s does not say which", path), false;
  size_t len;
  const char *name = spec_op_name(s, (unsigned)m, &len);
  struct op o = {.process = names_intern(h->processes, "initial", 7),
                 .object = names_count(h->objects) ? 0 : names_intern(h->objects, "x", 1),
                 .method = (uint16_t)names_intern(h->methods, name, len),
                 .result = result_of(s, m)};
  if (h->ops.count) o.object = h->ops.at[0].object;
  if (!input_open(&in, h->mem, path, p)) return false;
  lines_open(&l, &in, h, p);
  bool good = true;
  while (good && lines_next(&l)) {
    char *at = skip_blanks(l.at);
    if (at == l.end || *at == '#') continue;
    good = read_line(&l, s->ops[m].args, o.arg);
    vec_push(h->mem, &ops, o);
  }
  good = good && input_whole(&in, p);
  input_close(&in);
  return good && put_before(h, ops.at, ops.count, p);
}
