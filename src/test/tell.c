/* A finding told: the run made again, with everything it does recorded. */
#include <string.h>

#include "test/test.h"

struct telling {
  struct mem *mem;
  const struct object *object;
  const struct client *client;
  struct schedule *schedule;
  VEC(struct access) accesses;
};

static void record(void *self, const struct access *a) {
  struct telling *k = self;
  if (a->fiber < FIBERS_MOST - 1) vec_push(k->mem, &k->accesses, *a); /* not the initialisation */
}

static void add_line(struct telling *k, uint32_t step, unsigned thread, enum schedule_kind kind, struct text *t) {
  struct schedule_line l = {.step = step + 1, .thread = (uint16_t)thread, .kind = (uint8_t)kind, .text = mem_string(k->mem, text_string(t), t->count)};
  vec_push(k->mem, &k->schedule->lines, l);
  text_clear(t);
}

static void put_call(const struct telling *k, uint32_t call, struct text *t) {
  const struct call *c = &k->client->calls[call];
  const struct object_op *op = &k->object->ops[c->op];
  text_printf(t, "%s(", op->run.written);
  for (unsigned a = 0; a < op->arg_count; a++) text_printf(t, "%s%ld", a ? ", " : "", c->arg[a]);
  text_char(t, ')');
}

static void put_return(const struct telling *k, const struct moment *m, struct text *t) {
  static const char *const specials[] = {"ok", "nil", "true", "false", "empty", "full"};
  const struct object_op *op = &k->object->ops[k->client->calls[m->call].op];
  text_printf(t, "%s returns", op->run.written);
  switch (op->run.signature & 3) {
  case 0: return;
  case 1: text_add(t, m->result ? " true" : " false"); return;
  default:
    if (m->result >= ASIF_OK && m->result <= ASIF_FULL)
      text_printf(t, " %s", specials[m->result - ASIF_OK]);
    else
      text_printf(t, " %ld", m->result);
  }
}

static void put_access(const struct access *a, struct text *t) {
  static const char *const words[] = {[POINT_READ] = "load", [POINT_WRITE] = "store", [POINT_UPDATE] = "update", [POINT_BLOCK] = "block",
                                      [POINT_LOCK] = "lock", [POINT_UNLOCK] = "unlock", [POINT_WAIT] = "wait", [POINT_WAKE] = "wake",
                                      [POINT_ALLOC] = "malloc", [POINT_FREE] = "free", [POINT_YIELD] = "yield", [POINT_START] = "start a thread",
                                      [POINT_JOIN] = "join", [POINT_CALL] = "call"};
  text_printf(t, "%s", words[a->kind]);
  if (a->address) {
    text_char(t, ' ');
    run_describe_address(a->address, t);
  }
  if (a->kind == POINT_READ) text_printf(t, " -> %llu", (unsigned long long)a->read);
  if (a->kind == POINT_WRITE) text_printf(t, " = %llu", (unsigned long long)a->wrote);
  if (a->kind == POINT_UPDATE && !a->failed) text_printf(t, ": %llu -> %llu", (unsigned long long)a->read, (unsigned long long)a->wrote);
  if (a->failed) text_printf(t, ": fails, found %llu", (unsigned long long)a->read);
}

static void tell_run(struct telling *k, const struct run *r) {
  struct text t;
  size_t moment = 0, access = 0;
  text_open(&t, k->mem);
  for (uint32_t i = 0; i < r->count; i++) {
    for (; moment < r->moment_count && r->moments[moment].step == i && !r->moments[moment].is_return; moment++) {
      put_call(k, r->moments[moment].call, &t);
      add_line(k, i, r->steps[i].fiber, SCHEDULE_CALL, &t);
    }
    while (access < k->accesses.count && k->accesses.at[access].step < i) access++;
    for (; access < k->accesses.count && k->accesses.at[access].step == i; access++) {
      const struct access *a = &k->accesses.at[access];
      put_access(a, &t);
      add_line(k, i, a->fiber, a->point ? SCHEDULE_ACCESS : SCHEDULE_OWN, &t);
    }
    for (; moment < r->moment_count && r->moments[moment].step == i && r->moments[moment].is_return; moment++) {
      put_return(k, &r->moments[moment], &t);
      add_line(k, i, r->steps[i].fiber, SCHEDULE_RETURN, &t);
    }
  }
  if (!r->found) return;
  text_add(&t, r->said);
  add_line(k, r->count ? (uint32_t)r->count - 1 : 0, r->current, SCHEDULE_FAULT, &t);
}

static void name_threads(struct telling *k, unsigned count) {
  for (unsigned t = 0; t < count; t++) {
    char name[16];
    int n = t < 26 ? snprintf(name, sizeof name, "%c", 'A' + (int)t) : snprintf(name, sizeof name, "T%u", t);
    vec_push(k->mem, &k->schedule->threads, mem_string(k->mem, name, (size_t)n));
  }
}

bool finding_explain(struct mem *m, struct image *image, const struct object *o, const struct run_options *how, struct finding *f,
                     struct spec *spec, struct schedule *schedule, struct problem *why) {
  struct telling k = {.mem = m, .object = o, .client = &f->client, .schedule = schedule};
  struct plan plan = {.choices = f->choices, .count = f->count};
  struct recorder recorder = {record, &k};
  *schedule = (struct schedule){0};
  if (!run_open(image, o->run_ops, o->op_count, o->init, how, why)) return false;
  run_record(&recorder);
  const struct run *r = run_execute(&f->client, &plan, why);
  run_record(NULL);
  if (!r) return false;
  if (r->found != (f->found == FOUND_HISTORY ? FOUND_NOTHING : f->found) || r->count != f->count) {
    problem_set(why, "internal error: the schedule that was found does not do the same again (%s, not %s): does the code depend on what is "
                     "no part of it, as the time or a random number?", found_name(r->found), found_name(f->found));
    return false;
  }
  name_threads(&k, r->fibers);
  tell_run(&k, r);
  *spec = o->spec;
  f->history = judge_history(m, o, spec, r);
  if (f->found != FOUND_HISTORY) return true;
  if (o->self) {
    struct values const *values = spec->values;
    struct names const *processes = spec->processes;
    self_spec(m, o, spec);
    spec->values = values;
    spec->processes = processes;
  }
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1, .explain = true};
  struct limits none;
  limits_start(&none, 0, 0);
  if (!check_history(m, f->history, spec, &options, &none, &f->result, why)) return false;
  if (f->result.verdict == VERDICT_VIOLATED) return true;
  problem_set(why, "internal error: the history that was found is linearizable after all");
  return false;
}
