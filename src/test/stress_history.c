/* What a round recorded, as a history; and as Wing and Gong print it. */
#include <inttypes.h>
#include <string.h>

#include "history/format.h"
#include "test/stress.h"

static const char *add_operation(struct history *h, const struct object *o, uint32_t process,
                                 const struct stress_call *c, const struct stress_record *r, bool pending,
                                 uint32_t methods[]) {
  value args[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
  unsigned count = o->ops[c->op].arg_count;
  for (unsigned i = 0; i < count; i++) args[i] = value_int(h->values, c->arg[i]);
  value result = pending ? V_UNKNOWN : object_result(&o->spec, &o->ops[c->op], h->values, r->result);
  return history_interval(h, process, 0, methods[c->op], args, (int)count, result, r->start,
                          pending ? INT64_MAX : r->end, 0);
}

static const char *add_thread(struct history *h, const struct object *o, struct stress_area *a, uint32_t t,
                              uint32_t methods[]) {
  const struct stress_thread *thread = &a->thread[t];
  const struct stress_call *calls = stress_calls(a, t);
  const struct stress_record *r = stress_records(a, t);
  uint32_t done = atomic_load(&thread->done), begun = atomic_load(&thread->begun);
  const char *why = NULL;
  for (uint32_t i = 0; i < done && !why; i++)
    if (r[i].end != STRESS_SKIPPED) why = add_operation(h, o, t, &calls[i % thread->planned], &r[i], false, methods);
  if (begun > done && !why) why = add_operation(h, o, t, &calls[done % thread->planned], &r[done], true, methods);
  return why;
}

struct history *stress_history(struct mem *m, const struct object *o, struct stress_area *a, struct spec *bound,
                               struct problem *problem) {
  struct history *h = history_new(m, o->file);
  uint32_t methods[STRESS_OPS];
  const char *why = NULL;
  names_intern(h->objects, o->spec.name, strlen(o->spec.name));
  for (unsigned i = 0; i < o->op_count; i++) {
    size_t n;
    const char *name = spec_op_name(&o->spec, o->ops[i].method, &n);
    methods[i] = names_intern(h->methods, name, n);
  }
  for (uint32_t t = 0; t < a->threads; t++) {
    char name[16];
    names_intern(h->processes, name, (size_t)snprintf(name, sizeof name, "P%" PRIu32, t + 1));
  }
  for (uint32_t t = 0; t < a->threads && !why; t++) why = add_thread(h, o, a, t, methods);
  history_finish(h);
  *bound = o->spec;
  if (why) return problem_internal(problem, "a recorded operation %s", why), NULL;
  return spec_bind(bound, h, problem) ? h : NULL;
}

void stress_client(struct mem *m, struct stress_area *a, struct client *c) {
  VEC(struct call) calls = {NULL, 0, 0};
  c->threads = a->threads;
  c->first = mem_alloc(m, (a->threads + 1) * sizeof *c->first);
  for (uint32_t t = 0; t < a->threads; t++) {
    const struct stress_thread *thread = &a->thread[t];
    uint32_t done = atomic_load(&thread->done), begun = atomic_load(&thread->begun);
    c->first[t] = (uint32_t)calls.count;
    for (uint32_t i = 0; i < begun; i++) {
      if (i < done && stress_records(a, t)[i].end == STRESS_SKIPPED) continue;
      const struct stress_call *from = &stress_calls(a, t)[i % thread->planned];
      struct call call = {.op = from->op};
      memcpy(call.arg, from->arg, sizeof call.arg);
      vec_push(m, &calls, call);
    }
  }
  c->first[a->threads] = (uint32_t)calls.count;
  c->calls = calls.at;
}

/* --- printing --- */

static bool keep(struct text *t, void *self) {
  (void)t, (void)self;
  return true;
}

/* The linearization as a history of its own: call, return, call, return. */
static void put_order(struct text *t, const struct history *h, const struct spec *s, const struct check_result *r) {
  text_add(t, "/* It is as if the operations had happened in this order:\n");
  for (size_t i = 0; i < r->order_count; i++) {
    const struct op *o = &h->ops.at[r->order[i]];
    text_printf(t, "     %s ", names_at(h->processes, o->process));
    op_print(s, h, o, t);
    text_char(t, '\n');
  }
  text_add(t, "*/\n");
}

void stress_put(struct text *t, const struct history *h, const struct spec *s, const struct check_result *r,
                uint64_t round) {
  struct problem why;
  text_printf(t, "/* This is simulation number %" PRIu64 " */\n", round);
  format_wing_gong.write(h, t, &why, keep, NULL);
  if (r->verdict == VERDICT_HOLDS) {
    text_add(t, "/* This history is linearizable! */\n");
    put_order(t, h, s, r);
  } else {
    text_add(t, r->verdict == VERDICT_VIOLATED
                    ? "/* This history is not linearizable! */\n"
                    : "/* Whether this history is linearizable is not known: a limit was reached. */\n");
  }
}
