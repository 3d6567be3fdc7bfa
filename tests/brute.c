/* See brute.h. */
#include "brute.h"

#include <stdlib.h>
#include <string.h>

uint64_t random_next(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static bool try_all(const struct history *h, const struct spec *spec, const bool *precedes, struct state state,
                    uint32_t done, struct mem *m) {
  uint32_t n = (uint32_t)h->ops.count;
  bool all = true;
  for (uint32_t i = 0; i < n; i++) all &= done >> i & 1 || op_pending(&h->ops.at[i]);
  if (all) return true;
  for (uint32_t i = 0; i < n; i++) {
    if (done >> i & 1) continue;
    bool first = true;
    for (uint32_t j = 0; j < n && first; j++) {
      if (done >> j & 1 || j == i) continue;
      first = !(precedes ? precedes[j * n + i] : h->ops.at[j].ret < h->ops.at[i].call);
    }
    if (!first) continue;
    struct outcomes out;
    outcomes_open(&out, m);
    spec->step(spec, state, &h->ops.at[i], &out);
    bool found = false;
    for (size_t k = 0; k < out.list.count && !found; k++)
      found = try_all(h, spec, precedes, outcomes_state(&out, k), done | 1u << i, m);
    vec_free(m, &out.bytes);
    vec_free(m, &out.list);
    if (found) return true;
  }
  return false;
}

bool brute_linearizable(const struct history *h, const struct spec *spec, const bool *precedes) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct outcomes out;
  outcomes_open(&out, &m);
  spec->init(spec, &out);
  bool found = false;
  for (size_t k = 0; k < out.list.count && !found; k++)
    found = try_all(h, spec, precedes, outcomes_state(&out, k), 0, &m);
  mem_close(&m);
  return found;
}

uint32_t brute_culprit(const struct history *h, const struct spec *spec) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  uint32_t *events = history_events(h, &m), culprit = UINT32_MAX;
  for (uint32_t e = 0; e < h->events && culprit == UINT32_MAX; e++) {
    if (!(events[e] & 1)) continue;
    struct history prefix = *h;
    memset(&prefix.ops, 0, sizeof prefix.ops);
    for (size_t i = 0; i < h->ops.count && h->ops.at[i].call < e; i++) {
      vec_push(&m, &prefix.ops, h->ops.at[i]);
      if (h->ops.at[i].ret > e) prefix.ops.at[i].ret = NO_RETURN, prefix.ops.at[i].result = V_UNKNOWN;
    }
    if (!brute_linearizable(&prefix, spec, NULL)) culprit = events[e] >> 1;
  }
  mem_close(&m);
  return culprit;
}

enum { OPS = 16, PROCESSES = 4 };

struct plan {
  struct op op;
  int64_t start, end; /* times; end INT64_MAX: pending */
  int64_t effect;
  bool happens;
};

static value random_arg(const struct spec *spec, const struct spec_op *op, int which, uint64_t *seed, bool distinct,
                        int fresh) {
  (void)spec, (void)op;
  if (distinct && which == 0) return value_of_small(fresh);
  return value_of_small((int32_t)(random_next(seed) % 3));
}

/* Some result the operation could be claimed to have had. */
static value random_result(const struct spec_op *op, uint64_t *seed, int fresh, value text) {
  if (text != V_NONE &&
      (op->result == RESULT_VALUE || op->result == RESULT_CONTENT)) { /* what spec_bind lets through */
    const value kinds[] = {V_NONE, V_NIL, V_EMPTY, V_TRUE, V_FALSE, V_FULL, text, value_of_small(1), value_of_small(7)};
    value v = kinds[random_next(seed) % (sizeof kinds / sizeof *kinds)];
    if (op->result == RESULT_VALUE) return v == V_NIL ? (value)V_EMPTY : v;
    return v == V_NONE || v == V_EMPTY ? (value)V_NIL : v;
  }
  switch (op->result) {
  case RESULT_BOOL: return random_next(seed) & 1 ? V_TRUE : V_FALSE;
  case RESULT_VALUE:
    return random_next(seed) % 4 ? value_of_small((int32_t)(random_next(seed) % (unsigned)(fresh + 1))) : V_EMPTY;
  case RESULT_CONTENT: return random_next(seed) % 4 ? value_of_small((int32_t)(random_next(seed) % 3)) : V_NIL;
  case RESULT_INT: return value_of_small((int32_t)(random_next(seed) % 4));
  case RESULT_NONE_FULL: return random_next(seed) & 1 ? V_NONE : V_FULL;
  default: return V_NONE;
  }
}

struct history *random_history(struct mem *m, struct spec *spec, uint64_t *seed, const struct random_options *options,
                               bool **precedes) {
  struct plan plan[OPS];
  unsigned most = (unsigned)options->most_ops;
  int n = (int)(random_next(seed) % 8 ? most - random_next(seed) % (most / 2) : random_next(seed) % (most + 1));
  int processes = (int)(random_next(seed) % 8 ? 2 + random_next(seed) % (PROCESSES - 1) : 1);
  int64_t clock[PROCESSES] = {0};
  unsigned tight = random_next(seed) & 1 ? 3 : 8; /* how long operations and pauses may be */
  bool retired[PROCESSES] = {0};
  int count = 0, fresh = 0;
  for (int i = 0; i < n; i++) {
    int p = (int)(random_next(seed) % (unsigned)processes);
    if (retired[p]) continue;
    struct plan *x = &plan[count++];
    unsigned method = (unsigned)(random_next(seed) % spec->op_count);
    while (spec_op_in(options->without, method)) method = (method + 1) % spec->op_count;
    const struct spec_op *so = &spec->ops[method];
    memset(x, 0, sizeof *x);
    x->op =
        (struct op){.process = (uint32_t)p, .method = (uint16_t)method, .result = V_UNKNOWN, .line = (uint32_t)count};
    int args = so->args + (int)(random_next(seed) % (so->args_most - so->args + 1u));
    for (int a = 0; a < OP_ARGS; a++)
      x->op.arg[a] = a < args ? random_arg(spec, so, a, seed, options->distinct, fresh) : V_NONE;
    fresh += args > 0;
    x->start = clock[p] + 1 + (int64_t)(random_next(seed) % tight);
    x->end = x->start + (int64_t)(random_next(seed) % tight);
    clock[p] = x->end;
    x->effect = x->start + (int64_t)(random_next(seed) % (uint64_t)(x->end - x->start + 1));
    x->happens = true;
    if (random_next(seed) % (options->pending ? 3 : 10) == 0) {
      x->end = INT64_MAX;
      x->happens = random_next(seed) & 1;
      retired[p] = !options->crowd;
      if (options->crowd) x->op.process = PROCESSES + (uint32_t)count;
    }
  }
  /* Run them at their effect points. */
  struct history *h = history_new(m, "random");
  spec->values = h->values;
  struct outcomes now, next;
  outcomes_open(&now, m);
  outcomes_open(&next, m);
  spec->init(spec, &now);
  size_t at = random_next(seed) % now.list.count;
  bool ran[OPS] = {0};
  bool works = true;
  for (int k = 0; k < count && works; k++) {
    int best = -1;
    for (int i = 0; i < count; i++)
      if (!ran[i] && (best < 0 || plan[i].effect < plan[best].effect)) best = i;
    ran[best] = true;
    if (!plan[best].happens) continue;
    outcomes_clear(&next);
    spec->step(spec, outcomes_state(&now, at), &plan[best].op, &next);
    if (!next.list.count) { /* cannot happen now: it never returns */
      plan[best].end = INT64_MAX;
      continue;
    }
    at = random_next(seed) % next.list.count;
    if (plan[best].end != INT64_MAX) plan[best].op.result = next.list.at[at].result;
    struct outcomes swap = now;
    now = next;
    next = swap;
  }
  /* Disturb. */
  value text = options->odd ? value_text(h->values, "odd", 3) : (value)V_NONE;
  int disturb = (int)(random_next(seed) % 6);
  for (int k = 0; k < disturb && count; k++) {
    struct plan *x = &plan[random_next(seed) % (unsigned)count], *y = &plan[random_next(seed) % (unsigned)count];
    switch (random_next(seed) % 5) {
    case 0:
      if (x->end != INT64_MAX) x->op.result = random_result(&spec->ops[x->op.method], seed, fresh, text);
      break;
    case 1:
      if (x->end != INT64_MAX && y->end != INT64_MAX && x->op.method == y->op.method) {
        value swap = x->op.result;
        x->op.result = y->op.result;
        y->op.result = swap;
      }
      break;
    case 2: /* a moment earlier or later */
      if (x->end != INT64_MAX && x->end > x->start) x->end--;
      break;
    case 3:
      if (x->end != INT64_MAX && random_next(seed) % 3 == 0) x->op.result = V_UNKNOWN;
      break;
    default: break;
    }
  }
  char name[8];
  for (int p = 0; p <= PROCESSES + OPS; p++)
    names_intern(h->processes, name, (size_t)snprintf(name, sizeof name, "P%d", p));
  names_intern(h->objects, "x", 1);
  for (int i = 0; i < count; i++) {
    struct plan *x = &plan[i];
    history_interval(h, x->op.process, 0, x->op.method, x->op.arg, OP_ARGS, x->op.result, x->start, x->end, x->op.line);
  }
  history_finish(h);
  *precedes = NULL;
  if (options->times) {
    size_t c = h->ops.count;
    *precedes = mem_zero(m, c * c + 1, sizeof **precedes);
    for (size_t i = 0; i < c; i++)
      for (size_t j = 0; j < c; j++)
        (*precedes)[i * c + j] = !op_pending(&h->ops.at[i]) && h->ret_time[i] < h->call_time[j];
  }
  return h;
}

void history_dump(const struct history *h, const struct spec *spec) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct text t;
  text_open(&t, &m);
  for (size_t i = 0; i < h->ops.count; i++) {
    const struct op *o = &h->ops.at[i];
    text_printf(&t, "%2zu [%3u,%3d] P%u ", i, o->call, op_pending(o) ? -1 : (int)o->ret, o->process);
    op_print(spec, h, o, &t);
    text_char(&t, '\n');
  }
  fputs(text_string(&t), stderr);
  mem_close(&m);
}
