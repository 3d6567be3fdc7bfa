/* From a run to what is wrong with it. Many schedules have the same history: each is checked once. */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "test/explore.h"
#include "test/graphs.h"

enum { MOMENTS = 256, LAST = 64 };
#define SET_BYTES ((size_t)1 << 30) /* reserved, and used as needed */

struct judge {
  struct mem *mem, *scratch; /* scratch: of one check */
  const struct object *object;
  struct spec spec;
  struct linear *linear; /* NULL before the first history */
  bool approx;           /* histories are watched: A_k */
  unsigned k;
  struct watch *watch;         /* NULL before the first history */
  struct hashes *seen;         /* histories: others may be adding to it too; NULL: every one is judged */
  uint64_t waiting;            /* histories with operations that wait for ever, as they should */
  const struct client *client; /* the one whose hash is: */
  struct hash client_hash;
  struct moment_hash {
    uint64_t moment, result; /* moment: call, is_return, and 1 above; 0: none */
    struct hash hash;
  } moments[MOMENTS]; /* hashes of moments, as they were last needed: there are few that differ */
  struct {
    struct hash all, group; /* after it */
  } last[LAST]; /* of the moments of the run before: the next often begins with the same ones, or has them all */
  size_t last_count, last_hashed;
  uint64_t last_number;     /* of that run */
  struct hashes *explained; /* under a weak memory model; see graphs.h */
  bool wrong;               /* one of these was wrong: it is in the set all the same */
  bool last_good;           /* there was nothing wrong with it */
  enum found found;         /* of the last run, if it was wrong */
  const char *said;         /* of the last one that was wrong, under a weak memory model */
};

struct hashes *judge_set(void) {
  return hashes_open(SET_BYTES);
}

struct judge *judge_new(struct mem *m, const struct object *o, struct hashes *seen) {
  struct judge *j = mem_zero(m, 1, sizeof *j);
  *j = (struct judge){.mem = m, .scratch = mem_child(m), .object = o, .spec = o->spec, .seen = seen};
  return j;
}

void judge_approx(struct judge *j, unsigned k) {
  j->approx = true;
  j->k = k;
}

void judge_forget(struct judge *j) {
  j->client = NULL;
  if (j->linear) linear_forget(j->linear);
  if (j->watch) watch_forget(j->watch);
}

uint64_t judge_waiting(const struct judge *j) { return j->waiting; }

static inline void hash_add(struct hash *h, uint64_t x) {
  h->low = (h->low ^ x) * 0xd6e8feb86659fd93u;
  h->low ^= h->low >> 29;
  h->high = (h->high + x) * 0xff51afd7ed558ccdu;
  h->high ^= h->high >> 32;
}

static struct hash hash_of_client(const struct client *c) {
  struct hash h = {c->threads, c->threads};
  for (unsigned t = 0; t < c->threads; t++) hash_add(&h, c->first[t + 1]);
  for (uint32_t i = 0; i < c->first[c->threads]; i++) {
    hash_add(&h, c->calls[i].op);
    for (int a = 0; a < CALL_ARGS; a++) hash_add(&h, (uint64_t)c->calls[i].arg[a]);
  }
  return h;
}

static inline void group_end(struct hash *h, struct hash *group) { /* each half by itself: two hashes of 64 bits */
  h->low = (h->low ^ group->low) * 0xd6e8feb86659fd93u;
  h->low ^= h->low >> 29;
  h->high = (h->high + group->high) * 0xff51afd7ed558ccdu;
  h->high ^= h->high >> 32;
  *group = (struct hash){0, 0};
}

static inline uint64_t moment_key(const struct moment *m) { return (uint64_t)m->call << 1 | m->is_return; }
static inline uint64_t moment_result(const struct moment *m) { return m->is_return ? (uint64_t)m->result : 0; }

static inline struct hash hash_of_moment(struct judge *j, uint64_t moment, uint64_t result) {
  struct moment_hash *known = &j->moments[(moment * 8 + result % 8) % MOMENTS];
  if (known->moment != moment + 1 || known->result != result) {
    struct hash h = {0, 0};
    hash_add(&h, moment);
    if (moment & 1) hash_add(&h, result);
    *known = (struct moment_hash){moment + 1, result, {hash_mix(h.low), hash_mix(h.high)}};
  }
  return known->hash;
}

/* How many moments are as in the last run that was judged. */
static inline size_t same_moments(const struct judge *j, const struct run *r) {
  return r->number == j->last_number + 1 && r->client == j->client ? r->same_moments : 0;
}

/* The same for equivalent histories: calls with nothing in between may be in any order, and so may returns (Bouajjani
 * et al. 2015, section 4.1). Its first i moments are known. */
static struct hash hash_of_run(struct judge *j, const struct run *r, size_t i) {
  if (r->client != j->client) {
    j->client = r->client;
    j->client_hash = hash_of_client(r->client);
  }
  if (i > j->last_hashed) i = j->last_hashed;
  assert(i <= r->moment_count && i <= LAST);
  struct hash h = i ? j->last[i - 1].all : j->client_hash, group = i ? j->last[i - 1].group : (struct hash){0, 0};
  for (; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    uint64_t moment = moment_key(m), result = moment_result(m);
    if (i && m->is_return != r->moments[i - 1].is_return) group_end(&h, &group);
    const struct hash own = hash_of_moment(j, moment, result);
    group.low += own.low;
    group.high += own.high;
    if (i >= LAST) continue;
    j->last[i].all = h;
    j->last[i].group = group;
  }
  j->last_hashed = r->moment_count < LAST ? r->moment_count : LAST;
  group_end(&h, &group);
  hash_add(&h, r->found);
  if (r->found) hash_add(&h, r->forsaken);
  return (struct hash){hash_mix(h.low), hash_mix(h.high)};
}

/* Histories. */

/* Thread 0 is A. */
static uint32_t process_of(struct history *h, unsigned thread) {
  char name[16];
  int n =
      thread < 26 ? snprintf(name, sizeof name, "%c", 'A' + (int)thread) : snprintf(name, sizeof name, "T%u", thread);
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
  if (o->drains) names_intern(h->processes, "end", 3); /* what is called when all threads have ended */
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *at = &r->moments[i];
    const struct call *call = run_call(r->client, at->call);
    assert(call->op < o->op_count + o->drains && at->fiber < r->client->threads + o->drains);
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

void judge_name(const struct object *o, const struct run *r, struct history *h) {
  size_t n = 0;
  h->written = mem_zero(h->mem, h->ops.count + 1, sizeof *h->written);
  for (size_t i = 0; i < r->moment_count; i++) /* the history's operations are in the order of their calls */
    if (!r->moments[i].is_return) h->written[n++] = o->ops[run_call(r->client, r->moments[i].call)->op].run.written;
  assert(n == h->ops.count);
}

/* Waiting. Operations that wait for ever are a finding, unless they would have waited with nothing concurrent as well:
 * a `deq` that waits until there is something, in a client that puts nothing in. */

/* One that waits: the history has it, or not yet, since a call is told with its first step. */
struct waiter {
  struct op op;
  uint32_t number; /* in the history; what is beyond its operations: it is not there */
  const struct call *call;
};

/* Of each thread at most one. */
static size_t waiters(struct judge *j, const struct run *r, const struct history *h, struct waiter **to) {
  const struct client *client = r->client;
  struct waiter *all = *to = mem_zero(j->scratch, client->threads + h->ops.count, sizeof *all);
  uint32_t *next = mem_zero(j->scratch, client->threads + 1, sizeof *next); /* calls of a thread that have returned */
  uint64_t begun = 0;
  size_t count = 0;
  uint32_t n = 0; /* the history's operations are in the order of their calls */
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    if (m->is_return) {
      if (m->fiber < client->threads) next[m->fiber]++;
      continue;
    }
    const struct op *o = &h->ops.at[n];
    if (op_pending(o)) {
      begun |= (uint64_t)1 << o->process;
      all[count++] = (struct waiter){*o, n, run_call(client, m->call)};
    }
    n++;
  }
  assert(n == h->ops.count);
  for (unsigned t = 0; t < client->threads; t++) {
    uint32_t c = client->first[t] + next[t];
    if (begun >> t & 1 || c == client->first[t + 1]) continue;
    const struct call *call = &client->calls[c];
    const struct object_op *op = &j->object->ops[call->op];
    struct op o = {.method = (uint16_t)op->method, .process = t, .result = V_UNKNOWN, .arg = {V_NONE, V_NONE, V_NONE}};
    for (unsigned a = 0; a < op->arg_count; a++) o.arg[a] = value_int(h->values, call->arg[a]);
    all[count++] = (struct waiter){o, (uint32_t)h->ops.count, call};
  }
  return count;
}

/* The operations that returned are run one after the other, in an order that explains them, and then one that did not
 * return: if it ends there, it should have. Where one before it waits already, since what the specification leaves open
 * went another way, nothing is known. */
static bool waits_by_design(struct judge *j, const struct run *r, const struct history *h,
                            const struct check_result *result) {
  size_t count = 0, moments = r->moment_count;
  struct waiter *waiting;
  size_t waiting_count = waiters(j, r, h, &waiting);
  struct call *calls = mem_zero(j->scratch, moments + 1, sizeof *calls);
  uint8_t *threads = mem_zero(j->scratch, moments + 1, sizeof *threads);
  long *results = mem_zero(j->scratch, moments + 1, sizeof *results);
  uint32_t *called = mem_zero(j->scratch, moments + 1,
                              sizeof *called); /* calls of the client, as the history has them: by their calls */
  size_t n = 0;
  for (size_t i = 0; i < moments; i++)
    if (!r->moments[i].is_return) called[n++] = r->moments[i].call;
  assert(n == h->ops.count); /* the history's operations are in the order of their calls */
  for (size_t i = 0; i < result->order_count; i++) {
    const struct op *o = &h->ops.at[result->order[i]];
    if (op_pending(o)) continue;
    calls[count] = *run_call(r->client, called[result->order[i]]);
    threads[count++] = (uint8_t)o->process;
  }
  for (size_t i = 0; i < waiting_count; i++) {
    enum found found;
    calls[count] = *waiting[i].call;
    threads[count] = (uint8_t)waiting[i].op.process;
    if (run_sequential(calls, threads, count + 1, results, &found)) return false;
  }
  return true;
}

/* Could this operation happen after the others, in the order that explains them, as the specification has it? In every
 * state that they may lead to. */
static bool could_happen(struct judge *j, const struct history *h, const struct check_result *result,
                         const struct waiter *waiter) {
  struct outcomes now, next, one;
  outcomes_open(&now, j->scratch);
  outcomes_open(&next, j->scratch);
  outcomes_open(&one, j->scratch);
  j->spec.init(&j->spec, &now);
  for (size_t i = 0; i < result->order_count; i++) {
    const struct op *o = &h->ops.at[result->order[i]];
    if (result->order[i] == waiter->number) continue;
    outcomes_clear(&next);
    for (size_t k = 0; k < now.list.count; k++) {
      outcomes_clear(&one);
      j->spec.step(&j->spec, outcomes_state(&now, k), o, &one);
      for (size_t n = 0; n < one.list.count; n++) {
        struct state s = outcomes_state(&one, n);
        if (!op_pending(o) && !result_matches(o, one.list.at[n].result)) continue;
        void *to = outcomes_add(&next, V_NONE, s.size);
        if (s.size) memcpy(to, s.at, s.size);
      }
    }
    struct outcomes swap = now;
    now = next;
    next = swap;
  }
  for (size_t k = 0; k < now.list.count; k++) {
    outcomes_clear(&one);
    j->spec.step(&j->spec, outcomes_state(&now, k), &waiter->op, &one);
    if (!one.list.count) return false;
  }
  return now.list.count > 0;
}

/* A mutex that nobody will unlock, since the operation that locked it has returned, or waits for it itself, is no way
 * to wait until there is something: that is a fault, though it would be there with nothing concurrent too. But `lock`
 * of an object that is a lock waits like that by design: there the specification does not let it happen. The object
 * itself in its place says too little: it waits there too. */
static bool waits_forsaken(struct judge *j, const struct run *r, const struct history *h,
                           const struct check_result *result) {
  if (!r->forsaken || j->object->self) return false;
  struct waiter *waiting;
  size_t count = waiters(j, r, h, &waiting);
  for (size_t i = 0; i < count; i++)
    if (r->forsaken >> waiting[i].op.process & 1 && could_happen(j, h, result, &waiting[i])) return true;
  return false;
}

/* Nor is a state from which no operation can ever return, whatever is called: a lock of the code's own that nobody
 * releases. There too the specification must let one of those that wait happen. */
static bool waits_for_nothing(struct judge *j, const struct run *r, const struct history *h,
                              const struct check_result *result) {
  bool could = false;
  struct waiter *waiting;
  if (j->object->self || r->finishing) return false;
  size_t count = waiters(j, r, h, &waiting);
  for (size_t i = 0; i < count && !could; i++) could = could_happen(j, h, result, &waiting[i]);
  return could && no_return(j->scratch, j->object, r);
}

static bool is_waiting(const struct run *r) { return r->found == FOUND_DEADLOCK || r->found == FOUND_LIVELOCK; }

/* Did the specification go wrong? */
static const char *spec_fault(const struct spec *s) {
  const char *fault = spec_user_fault(s);
  return fault ? fault : self_fault(s);
}

static enum judged check_fast(struct judge *j, const struct run *r, struct problem *why) {
  if (!j->linear) j->linear = linear_new(j->mem, j->object, &j->spec);
  bool holds = linear_holds(j->linear, r);
  const char *fault = spec_fault(&j->spec);
  if (fault) return problem_set(why, "%s", fault), JUDGED_NOT;
  return holds ? JUDGED_GOOD : JUDGED_WRONG;
}

static enum judged watch(struct judge *j, const struct run *r, struct problem *why) {
  if (!j->watch) j->watch = watch_new(j->mem, j->object, &j->spec, j->k);
  bool holds = watch_holds(j->watch, r);
  const char *fault = spec_fault(&j->spec);
  if (fault) return problem_set(why, "%s", fault), JUDGED_NOT;
  return holds ? JUDGED_GOOD : JUDGED_WRONG;
}

/* Checks the history by itself; limits are the caller's, between runs. */
static enum judged check(struct judge *j, const struct run *r, struct problem *why) {
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  struct check_result result;
  struct limits none;
  limits_start(&none, 0, 0);
  struct history *h = judge_history(j->scratch, j->object, &j->spec, r);
  if (!check_history(j->scratch, h, &j->spec, &options, &none, &result, why)) return JUDGED_NOT;
  const char *fault = spec_fault(&j->spec);
  if (fault) return problem_set(why, "%s", fault), JUDGED_NOT;
  if (result.verdict != VERDICT_HOLDS) return JUDGED_WRONG;
  if (!is_waiting(r)) return JUDGED_GOOD;
  bool nothing = waits_for_nothing(j, r, h, &result); /* first: it looks at memory as the run left it */
  if (nothing || waits_forsaken(j, r, h, &result) || !waits_by_design(j, r, h, &result)) return JUDGED_WRONG;
  j->waiting++;
  return JUDGED_GOOD;
}

/* The same under a weak memory model, of operations that an order explains. */
static bool waits_rightly(struct judge *j, const struct run *r) {
  struct check_result result = {0};
  uint32_t order[LINEAR_MOST];
  size_t count;
  struct history *h = judge_history(j->scratch, j->object, &j->spec, r);
  if (!graph_some_order(j->scratch, j->linear, r, order, &count)) return false;
  result.order = order;
  result.order_count = count;
  if (waits_for_nothing(j, r, h, &result) || waits_forsaken(j, r, h, &result) || !waits_by_design(j, r, h, &result))
    return false;
  j->waiting++;
  return true;
}

static enum judged judge_history_of(struct judge *j, const struct run *r, size_t same, struct problem *why) {
  if (j->object->self && !j->spec.step) self_spec(j->mem, j->object, &j->spec);
  if (j->seen && hashes_add(j->seen, hash_of_run(j, r, same), 0) >= 0) return JUDGED_GOOD;
  if (j->approx && !is_waiting(r)) return watch(j, r, why);
  if (!is_waiting(r) && linear_can(j->object, r)) return check_fast(j, r, why);
  enum judged judged = check(j, r, why);
  mem_close(j->scratch);
  return judged;
}

/* Under a weak memory model. An execution that was judged before, in whatever order its events came, is not judged
 * again. Where operations wait for ever their order is one that extends po. */
static enum judged judge_graph(struct judge *j, const struct run *r, struct problem *why) {
  struct hash hash;
  uint64_t key[2];
  if (j->object->self && !j->spec.step) self_spec(j->mem, j->object, &j->spec);
  if (!linear_can(j->object, r))
    return problem_of(why, PROBLEM_UNSUPPORTED, "more than %d operations: not under --memory %s", LINEAR_MOST,
                      memory_model_name(run_graph()->model)),
           JUDGED_NOT;
  if (r->client != j->client) {
    j->client = r->client;
    j->client_hash = hash_of_client(r->client);
  }
  hash = j->client_hash;
  for (size_t i = 0; i < r->moment_count; i++) { /* results, in any order */
    struct hash own = hash_of_moment(j, moment_key(&r->moments[i]), moment_result(&r->moments[i]));
    hash.low += own.low;
    hash.high += own.high;
  }
  struct known_orders known = {j->wrong ? NULL : j->explained, hash};
  graph_hash(key);
  hash_add(&hash, key[0]);
  hash_add(&hash, key[1]);
  hash_add(&hash, r->found);
  hash = (struct hash){hash_mix(hash.low), hash_mix(hash.high)};
  if (j->seen && hashes_add(j->seen, hash, 0) >= 0) return JUDGED_GOOD;
  if (j->seen && !j->explained) known.explained = j->explained = hashes_open_own(SET_BYTES);
  if (!j->linear) j->linear = linear_new(j->mem, j->object, &j->spec);
  j->said = "";
  enum found found = graph_linearizable(j->scratch, j->linear, j->object, r, &known, &j->said);
  bool good = !found;
  if (found) j->found = found;
  j->wrong |= !good;
  const char *fault = spec_fault(&j->spec);
  if (fault) return problem_set(why, "%s", fault), JUDGED_NOT;
  if (!good) return j->said = mem_string(j->mem, j->said, strlen(j->said)), mem_close(j->scratch), JUDGED_WRONG;
  if (is_waiting(r)) good = waits_rightly(j, r);
  mem_close(j->scratch);
  return good ? JUDGED_GOOD : JUDGED_WRONG;
}

enum found judge_found(const struct judge *j) { return j->found; }
const char *judge_said(const struct judge *j, const struct run *r) {
  return r->found ? r->said : run_graph() && j->said ? j->said : "";
}

/* May somebody wait there by design? Not where it is the initialisation that does not end, or a test's own body. */
static bool may_wait(const struct judge *j, const struct run *r) {
  bool began = r->alive || r->moment_count;
  bool operates = !r->finishing || (r->moment_count && !r->moments[r->moment_count - 1].is_return);
  return began && operates && !j->object->tests;
}

enum judged judge_run(struct judge *j, const struct run *r, struct problem *why) {
  j->found = r->found ? r->found : run_graph() ? FOUND_ORDERS : FOUND_HISTORY;
  if (r->end == RUN_CANNOT) return JUDGED_GOOD;
  if (r->found && (!is_waiting(r) || !may_wait(j, r))) return JUDGED_WRONG;
  if (run_graph()) return judge_graph(j, r, why);
  size_t same = same_moments(j, r);
  assert(same <= r->moment_count);
  bool again = same == r->moment_count && same == j->last_count && j->last_good && !r->found && j->seen;
  enum judged judged = again ? JUDGED_GOOD : judge_history_of(j, r, same, why);
  j->last_number = r->number;
  j->last_count = r->moment_count;
  j->last_good = judged == JUDGED_GOOD && !r->found;
  return judged;
}
