/* From a run to what is wrong with it. Many schedules have the same history: each is checked once. */
#include <string.h>

#include "base/hash.h"
#include "test/test.h"

struct key {
  uint64_t a, b; /* both 0: none */
};

struct judge {
  struct mem *mem, *scratch; /* scratch: of one check */
  const struct object *object;
  struct spec spec;
  struct key *set; /* open addressing */
  size_t mask, count;
  const struct client *client; /* the one whose hash is: */
  struct key client_key;
};

struct judge *judge_new(struct mem *m, const struct object *o) {
  struct judge *j = mem_zero(m, 1, sizeof *j);
  *j = (struct judge){.mem = m, .scratch = mem_child(m), .object = o, .spec = o->spec, .mask = (1 << 12) - 1};
  j->set = mem_zero(m, j->mask + 1, sizeof *j->set);
  return j;
}

uint64_t judge_histories(const struct judge *j) { return j->count; }

/* Keys. */

static inline void key_add(struct key *k, uint64_t x) {
  k->a = (k->a ^ x) * 0xd6e8feb86659fd93u;
  k->a ^= k->a >> 29;
  k->b = (k->b + x) * 0xff51afd7ed558ccdu;
  k->b ^= k->b >> 32;
}

static struct key key_of_client(const struct client *c) {
  struct key k = {c->threads, c->threads};
  for (unsigned t = 0; t < c->threads; t++) key_add(&k, c->first[t + 1]);
  for (uint32_t i = 0; i < c->first[c->threads]; i++) {
    key_add(&k, c->calls[i].op);
    for (int a = 0; a < CALL_ARGS; a++) key_add(&k, (uint64_t)c->calls[i].arg[a]);
  }
  return k;
}

static struct key key_of_run(struct judge *j, const struct run *r) {
  if (r->client != j->client) {
    j->client = r->client;
    j->client_key = key_of_client(r->client);
  }
  struct key k = j->client_key;
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    key_add(&k, (uint64_t)m->call << 1 | m->is_return);
    if (m->is_return) key_add(&k, (uint64_t)m->result);
  }
  k.a = hash_mix(k.a);
  k.b = hash_mix(k.b) | 1; /* never none */
  return k;
}

static void set_grow(struct judge *j) {
  struct key *old = j->set;
  size_t room = j->mask + 1;
  j->mask = 2 * room - 1;
  j->set = mem_zero(j->mem, 2 * room, sizeof *j->set);
  for (size_t i = 0; i < room; i++) {
    if (!old[i].b) continue;
    size_t at = old[i].a & j->mask;
    while (j->set[at].b) at = (at + 1) & j->mask;
    j->set[at] = old[i];
  }
  mem_free(j->mem, old);
}

/* True if it was not there. */
static bool set_add(struct judge *j, struct key k) {
  size_t at = k.a & j->mask;
  for (; j->set[at].b; at = (at + 1) & j->mask)
    if (j->set[at].a == k.a && j->set[at].b == k.b) return false;
  j->set[at] = k;
  if (++j->count * 2 > j->mask) set_grow(j);
  return true;
}

/* Histories. */

/* Thread 0 is A. */
static uint32_t process_of(struct history *h, unsigned thread) {
  char name[16];
  int n = thread < 26 ? snprintf(name, sizeof name, "%c", 'A' + (int)thread) : snprintf(name, sizeof name, "T%u", thread);
  return names_intern(h->processes, name, (size_t)n);
}

struct history *judge_history(struct mem *m, const struct object *o, struct spec *spec, const struct run *r) {
  struct history *h = history_new(m, o->file);
  size_t len;
  names_intern(h->objects, spec->name, strlen(spec->name));
  for (unsigned i = 0; i < spec->op_count; i++) {
    const char *name = spec_op_name(spec, i, &len);
    names_intern(h->methods, name, len);
  }
  for (unsigned t = 0; t < r->client->threads; t++) process_of(h, t);
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *at = &r->moments[i];
    const struct call *call = &r->client->calls[at->call];
    const struct object_op *op = &o->ops[call->op];
    value args[CALL_ARGS];
    if (at->is_return) {
      history_return(h, at->fiber, 0, object_result(spec, op, h->values, at->result));
      continue;
    }
    for (unsigned a = 0; a < op->arg_count; a++) args[a] = value_int(h->values, call->arg[a]);
    history_call(h, at->fiber, 0, op->method, args, (int)op->arg_count, (uint32_t)op->run.line);
  }
  history_finish(h);
  spec->values = h->values;
  spec->processes = h->processes;
  return h;
}

/* Checks the history by itself; limits are the caller's, between runs. */
static bool linearizable(struct judge *j, const struct run *r, bool *is, struct problem *why) {
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  struct check_result result;
  struct limits none;
  limits_start(&none, 0, 0);
  struct history *h = judge_history(j->scratch, j->object, &j->spec, r);
  bool decided = check_history(j->scratch, h, &j->spec, &options, &none, &result, why);
  const char *fault = spec_user_fault(&j->spec);
  if (decided && fault) {
    problem_set(why, "%s", fault);
    decided = false;
  }
  if (decided) *is = result.verdict == VERDICT_HOLDS;
  mem_close(j->scratch);
  return decided;
}

enum judged judge_run(struct judge *j, const struct run *r, struct problem *why) {
  if (r->end == RUN_CANNOT) return JUDGED_GOOD;
  if (r->found) return JUDGED_WRONG;
  if (!set_add(j, key_of_run(j, r))) return JUDGED_GOOD;
  if (j->object->self && !j->spec.step) self_spec(j->mem, j->object, &j->spec);
  bool is = false;
  if (!linearizable(j, r, &is, why)) return JUDGED_NOT;
  return is ? JUDGED_GOOD : JUDGED_WRONG;
}
