#include "compiled.h"

#include <string.h>

#include "test/test.h"

const char *const compiled_ways[] = {"dpor",        "all",   "all, cached", "delays",
                                     "preemptions", "races", "few delays",  "few delays, skipping"};

enum { STEPS_MOST = 4000, BOUND = 1000, FEW = 4 };

struct compiled_object {
  struct mem *mem;
  struct image *image;
  struct compiled compiled;
  struct object object;
  struct judge *judge;
  bool reuse_all;
};

struct exploring {
  struct compiled_object *object;
  struct values *values;
  bool (*visit)(void *, const struct compiled_run *);
  void *context;
  struct compiled_event events[2 * COMPILED_CALLS];
  struct problem judging;
};

struct compiled_object *compiled_open(struct mem *m, const char *source, enum compiled_how how, struct problem *why) {
  struct compiled_object *c = mem_zero(m, 1, sizeof *c);
  char traps[] = "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero";
  char *const inputs[] = {(char *)(uintptr_t)source, NULL}, *const flags[] = {
                                                                (char[]){"-w"},
                                                                how == COMPILED_OPTIMISED ? NULL : (char[]){"-O0"},
                                                                how == COMPILED_TRAPPING ? traps : NULL,
                                                                (char[]){"-fsanitize-undefined-trap-on-error"}, NULL};
  struct object_options options = {.inputs = inputs, .flags = flags};
  c->mem = m;
  if (!object_open(m, &options, &c->image, &c->compiled, &c->object, why)) return NULL;
  c->judge = judge_new(m, &c->object, NULL);
  return c;
}

void compiled_reuse_all(struct compiled_object *c) { c->reuse_all = true; }

void compiled_close(struct compiled_object *c) {
  compile_close(&c->compiled);
  object_close(&c->object);
}

static bool prepare(struct compiled_object *c, bool races, struct problem *why) {
  struct run_options run = {
      .races = races, .type_stable = c->object.type_stable, .reuse_all = c->reuse_all, .steps_most = STEPS_MOST};
  return run_open(c->image, c->object.run_ops, c->object.op_count, c->object.init, &run, why);
}

static enum compiled_fault fault_of(enum found f) {
  switch (f) {
  case FOUND_USE_AFTER_FREE: return USE_AFTER_FREE;
  case FOUND_DOUBLE_FREE: return DOUBLE_FREE;
  case FOUND_BAD_FREE: return BAD_FREE;
  case FOUND_OUT_OF_BOUNDS: return OUT_OF_BOUNDS;
  case FOUND_ASSERTION: return ASSERTION;
  case FOUND_CRASH: return CRASH;
  case FOUND_MISUSE: return MISUSE;
  default: return OTHER_FAULT;
  }
}

static enum visit visit(void *self, const struct run *r) {
  struct exploring *x = self;
  const struct object *o = &x->object->object;
  struct compiled_run out = {.end = COMPILED_WHOLE, .said = r->said, .events = x->events, .count = r->moment_count};
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    x->events[i] = (struct compiled_event){.thread = m->fiber, .is_return = m->is_return};
    if (m->is_return)
      x->events[i].result = object_result(&o->spec, &o->ops[r->client->calls[m->call].op], x->values, m->result);
  }
  if (r->end == RUN_LONG) {
    out.end = COMPILED_LONG;
  } else if (r->found == FOUND_DEADLOCK || r->found == FOUND_LIVELOCK) {
    out.end = COMPILED_WAITING;
  } else if (r->found == FOUND_RACE) {
    out.end = COMPILED_RACE;
  } else if (r->found == FOUND_UNSUPPORTED) {
    out.end = COMPILED_CANNOT;
  } else if (r->found) {
    out.end = COMPILED_FAULT;
    out.fault = fault_of(r->found);
  } else {
    enum judged judged = judge_run(x->object->judge, r, &x->judging);
    if (judged == JUDGED_NOT) return VISIT_STOP;
    out.linearizable = judged == JUDGED_GOOD;
  }
  return x->visit(x->context, &out) ? VISIT_ON : VISIT_STOP;
}

static bool make_client(const struct compiled_object *c, const struct compiled_client *from, struct client *to,
                        struct problem *why) {
  uint32_t count = from->first[from->threads];
  *to = (struct client){.threads = from->threads,
                        .first = mem_zero(c->mem, from->threads + 1, sizeof *to->first),
                        .calls = mem_zero(c->mem, count + 1, sizeof *to->calls)};
  memcpy(to->first, from->first, (from->threads + 1) * sizeof *to->first);
  for (uint32_t i = 0; i < count; i++) {
    unsigned op = 0;
    while (op < c->object.op_count && strcmp(c->object.ops[op].run.written, from->calls[i].function)) op++;
    if (op == c->object.op_count) return problem_set(why, "no operation %s", from->calls[i].function), false;
    to->calls[i].op = op;
    memcpy(to->calls[i].arg, from->calls[i].arg, sizeof to->calls[i].arg);
  }
  return true;
}

bool compiled_explore(struct compiled_object *c, const struct compiled_client *client, enum compiled_way way,
                      struct values *values, bool (*visitor)(void *, const struct compiled_run *), void *context,
                      bool *complete, uint64_t *schedules, struct problem *why) {
  static const int ways[] = {[BY_DPOR] = EXPLORE_DPOR,
                             [BY_ALL] = EXPLORE_ALL,
                             [BY_ALL_CACHED] = EXPLORE_ALL,
                             [BY_DELAYS] = EXPLORE_DELAYS,
                             [BY_PREEMPTIONS] = EXPLORE_PREEMPTIONS,
                             [BY_RACES] = EXPLORE_DPOR,
                             [BY_FEW_DELAYS] = EXPLORE_DELAYS,
                             [BY_FEW_DELAYS_SKIPPING] = EXPLORE_DELAYS};
  struct exploring x = {.object = c, .values = values, .visit = visitor, .context = context};
  struct explore_options options = {.strategy = &strategies[ways[way]],
                                    .cache = way >= BY_ALL_CACHED && way < BY_FEW_DELAYS,
                                    .bound = way < BY_FEW_DELAYS ? BOUND : FEW,
                                    .skip = way == BY_FEW_DELAYS_SKIPPING};
  struct explore_counts counts;
  struct limits limits;
  struct client *own = mem_zero(c->mem, 1, sizeof *own); /* clients are known by their addresses */
  limits_start(&limits, 0, 0);
  if (!make_client(c, client, own, why)) return false;
  bool anew;
  do { /* the same search as that of `asif test` */
    if (!prepare(c, way == BY_RACES, why) || !explore(own, &options, NULL, &limits, visit, &x, &counts, why))
      return false;
    if (*x.judging.text) return *why = x.judging, false;
    anew = run_reads_freed() && !c->reuse_all;
    c->reuse_all |= anew;
  } while (anew);
  *complete = counts.complete;
  *schedules = counts.schedules;
  return true;
}
