/* asif test: its answer, in words and in the files asked for. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/test_job.h"
#include "test/evidence.h"

/* Words. */

static char *text_of(struct mem *m, const struct text *t) { return mem_string(m, text_string(t), t->count); }

static void put_number(struct text *t, uint64_t n, const char *one, const char *many) {
  text_printf(t, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* "up to 3 threads, 2 operations each" */
static char *sizes(const struct test_job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  if (arg_flag(j->args, "replay")) {
    client_print(&j->object, &j->answer.finding.client, &t);
  } else if (j->clients.one) {
    client_print(&j->object, j->clients.one, &t);
  } else if (arg_flag(j->args, "client")) {
    text_add(&t, arg_value(j->args, "client"));
  } else if (j->object.tests) {
    if (j->answer.verdict == VERDICT_VIOLATED)
      text_printf(&t, "%u test%s", j->object.op_count, j->object.op_count == 1 ? "" : "s");
  } else if (!j->size.threads) {
    text_printf(&t, "up to %u operation%s a thread", j->size.ops, j->size.ops == 1 ? "" : "s");
  } else {
    text_printf(&t, "up to %u thread%s, %u operation%s each", j->size.threads, j->size.threads == 1 ? "" : "s",
                j->size.ops, j->size.ops == 1 ? "" : "s");
    if (j->object.bound >= 0 && j->object.bounded.name)
      text_printf(&t, ", at most %ld element%s", j->object.bound, j->object.bound == 1 ? "" : "s");
  }
  return text_of(m, &t);
}

static bool is_weak(const struct test_job *j) { return j->options.run.memory != MEMORY_SC; }

static void put_memory(struct text *t, const char *title) {
  if (title) text_printf(t, " under %s", title);
}

/* What was explored: "every schedule of 402 clients". */
static void put_explored(const struct test_job *j, struct text *t) {
  const struct searched *s = &j->answer;
  const struct explore_options *o = &j->options.explore;
  bool one = arg_flag(j->args, "client");
  if (!s->clients) { /* the limit was reached before they were made */
    text_add(t, "none of the clients, ");
    return;
  }
  const char *memory = is_weak(j) ? memory_model_title(j->options.run.memory) : NULL;
  if (s->verdict == VERDICT_VIOLATED) {
    if (memory) text_printf(t, "%s, ", memory);
    return;
  }
  if (arg_flag(j->args, "replay")) {
    text_add(t, memory ? "one execution" : "one schedule");
    put_memory(t, memory);
    text_add(t, " of ");
    return;
  }
  const struct strategy *by = j->options.automatic ? &strategies[EXPLORE_DELAYS] : o->strategy;
  const char *schedules = memory ? "executions" : "schedules";
  if (s->unsupported && !by->random) {
    text_add(t, schedules);
    put_memory(t, memory);
    text_add(t, ", as far as they can be run,"); /* the others were given up where they cannot */
  } else if (by->random || (s->complete && (s->done || !o->strategy->unit[0]))) {
    text_add(t, memory && !by->random ? "every execution" : o->strategy->schedules);
    put_memory(t, memory);
  } else if (by->unit[0]) {
    text_printf(t, "%s of up to ", schedules);
    put_number(t, s->done ? s->bound : o->bound, by->unit[0], by->unit[1]);
    if (memory && by->counts_writes) text_add(t, ", stale loads and early stores");
    put_memory(t, memory);
  } else {
    text_add(t, schedules);
    put_memory(t, memory);
    text_add(t, ", not all,"); /* some were given up */
  }
  if (one) {
    bool said = t->at[t->count - 1] == ','; /* not all */
    text_add(t, s->done || said ? " of " : ", not all, of ");
    return;
  }
  text_add(t, " of ");
  if (s->done < s->clients || s->uncounted)
    text_printf(t, "%llu of %s", (unsigned long long)s->done, s->uncounted ? "more than " : "");
  if (j->object.tests)
    put_number(t, s->clients, "test", "tests");
  else
    put_number(t, s->clients, "client, ", "clients, ");
}

/* Is the client in which something was found larger than those that are searched in full? */
static bool found_larger(const struct test_job *j) {
  const struct client *c = &j->answer.finding.client;
  bool larger = c->threads > j->size.threads;
  for (unsigned i = 0; i < c->threads; i++) larger |= c->first[i + 1] - c->first[i] > j->size.ops;
  return j->anytime && larger;
}

/* "104 larger clients, up to 5 threads, 12 operations of one: every schedule of 60, up to 1 delay or preemption of 40,
 * some of 4" */
static char *larger_words(const struct test_job *j, struct mem *m) {
  const struct larger_tried *l = &j->answer.larger;
  struct text t;
  text_open(&t, m);
  put_number(&t, l->clients, "larger client", "larger clients");
  text_printf(&t, ", up to %u thread%s, %u operations of one: ", l->threads, l->threads == 1 ? "" : "s", l->ops);
  text_printf(&t, "every %s of %llu", is_weak(j) ? "execution" : "schedule", (unsigned long long)l->complete);
  if (l->bounded) {
    text_add(&t, ", up to ");
    put_number(&t, l->bound, is_weak(j) ? "delay, preemption, stale load or early store" : "delay or preemption",
               is_weak(j) ? "delays, preemptions, stale loads and early stores" : "delays or preemptions");
    text_printf(&t, " of %llu", (unsigned long long)l->bounded);
  }
  uint64_t rest = l->clients - l->complete - l->bounded;
  if (rest) text_printf(&t, ", some of %llu", (unsigned long long)rest);
  return text_of(m, &t);
}

static char *explored(const struct test_job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  put_explored(j, &t);
  text_add(&t, sizes(j, m));
  if (j->answer.verdict == VERDICT_VIOLATED && found_larger(j)) text_add(&t, ", and larger clients");
  if (j->answer.verdict != VERDICT_VIOLATED && j->answer.larger.clients)
    text_printf(&t, "; besides, %s", larger_words(j, m));
  return text_of(m, &t);
}

/* "push(1..2), pop()", for each role. */
static void put_op(const struct object_op *op, struct text *t) {
  text_printf(t, "%s(", op->run.written);
  for (unsigned a = 0; a < op->arg_count; a++) {
    text_printf(t, "%s%ld", a ? ", " : "", op->in[a].low);
    if (op->in[a].high > op->in[a].low) text_printf(t, "..%ld", op->in[a].high);
  }
  text_char(t, ')');
}

static char *calls(const struct object *o, struct mem *m) {
  struct text t;
  text_open(&t, m);
  for (unsigned r = 0; r < (o->role_count ? o->role_count : 1); r++) {
    if (r) text_add(&t, "; ");
    if (o->role_count && o->roles[r].threads != ASIF_REST)
      text_printf(&t, "%ld %s: ", o->roles[r].threads, o->roles[r].name);
    if (o->role_count && o->roles[r].threads == ASIF_REST) text_printf(&t, "%s: ", o->roles[r].name);
    bool first = true;
    for (unsigned i = 0; i < o->op_count; i++) {
      if (o->role_count && !(o->roles[r].ops >> i & 1)) continue;
      if (!first) text_add(&t, ", ");
      first = false;
      put_op(&o->ops[i], &t);
    }
  }
  return text_of(m, &t);
}

static char *method(const struct test_job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  text_add(&t, j->options.explore.strategy->method);
  if (j->options.approx) text_printf(&t, ", monitored by A_%u", j->options.k);
  return text_of(m, &t);
}

/* Notes: what was assumed, and what the hooks cannot see. */
typedef VEC(const char *) notes;

static void note(struct mem *m, notes *to, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void note(struct mem *m, notes *to, const char *format, ...) {
  struct text t;
  char what[1000];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  text_open(&t, m);
  text_add(&t, what);
  vec_push(m, to, t.at);
}

/* "queue.c:12": where the code is that calls a hook and goes on here. */
static const char *place_of(const struct test_job *j, struct mem *m, uintptr_t pc) {
  struct place at;
  struct text t;
  uintptr_t offset = pc - image_base(j->image) - 1;
  text_open(&t, m);
  if (places_find(m, j->compiled.object, &offset, 1, &at) && at.line)
    text_printf(&t, "%s:%u", at.file, (unsigned)at.line);
  else
    text_printf(&t, "%#lx", (unsigned long)pc);
  return text_of(m, &t);
}

static const char *both_places(const struct test_job *j, struct mem *m, const uintptr_t pc[2]) {
  const char *one = place_of(j, m, pc[0]), *other = place_of(j, m, pc[1]);
  struct text t;
  text_open(&t, m);
  text_add(&t, one);
  if (strcmp(one, other)) text_printf(&t, " and %s", other);
  return text_of(m, &t);
}

/* Races that are not violations: by what the code or the user says, and of volatile variables. */
static void note_races(const struct test_job *j, struct mem *m, notes *to) {
  static const char *const why[] = {[FORGIVEN_IGNORED] = "the code says so",
                                    [FORGIVEN_BENIGN] = "the code calls it benign",
                                    [FORGIVEN_SUPPRESSED] = "suppressed"};
  const struct races_seen *s = &j->answer.seen;
  bool said = j->options.run.volatiles != VOLATILE_UNSAID;
  const char *where[FORGIVEN_MOST];
  struct text t;
  text_open(&t, m);
  for (size_t i = 0; i < s->count; i++) { /* a line is printed once, however many of its accesses race */
    bool again = false;
    where[i] = both_places(j, m, s->forgiven[i].pc);
    for (size_t k = 0; k < i; k++) again |= s->forgiven[k].by == s->forgiven[i].by && !strcmp(where[k], where[i]);
    if (!again) text_printf(&t, "%s%s (%s)", t.count ? ", " : "", where[i], why[s->forgiven[i].by]);
  }
  if (s->count)
    note(m, to, "data races were seen that are not reported: %.800s%s", text_string(&t),
         s->incomplete ? "; not every interleaving of these accesses was tried" : "");
  if (!said && s->volatile_race[0])
    note(
        m, to,
        "volatile accesses race: %s: a data race in C11; on x86 and with GCC's practice it behaves as relaxed, and was "
        "taken so (--volatile relaxed, acquire-release or seq-cst says what is meant)",
        both_places(j, m, s->volatile_race));
  if (!said && s->volatiles && j->answer.verdict == VERDICT_VIOLATED && j->answer.finding.found == FOUND_RACE)
    note(m, to,
         "volatile accesses were taken as relaxed, and order nothing: with --volatile acquire-release a read acquires "
         "and a write releases");
}

/* "resize (queue.c:88-112)", "queue.c:40" */
static void put_unreached(const struct unreached *u, struct text *t) {
  if (u->function) text_printf(t, "%s (", u->function);
  text_printf(t, "%s:%u", u->file, (unsigned)u->first);
  if (u->last > u->first) text_printf(t, "-%u", (unsigned)u->last);
  if (u->function) text_char(t, ')');
}

/* What to do about it. */
static const char *reach_more(const struct test_job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  if (j->object.tests)
    text_add(&t, j->answer.verdict == VERDICT_UNKNOWN ? "no test has reached it" : "no test reaches it");
  else if (arg_flag(j->args, "client"))
    text_add(&t, "other clients may reach it");
  else if (j->answer.larger.clients)
    text_add(&t, "larger clients did not reach it either");
  else
    text_printf(&t, "try --ops %u", 2 * j->size.ops + 1);
  return text_of(m, &t);
}

/* NULL: there is nothing to say. */
static char *unreached_words(const struct test_job *j, struct mem *m) {
  enum { TOLD_MOST = 6 };
  struct text t;
  text_open(&t, m);
  if (!j->unreached_count) return NULL;
  for (size_t i = 0; i < j->unreached_count && i < TOLD_MOST; i++) {
    const struct unreached *u = &j->unreached[i];
    bool last = i + 1 == j->unreached_count || i + 1 == TOLD_MOST;
    if (i) text_add(&t, ", ");
    if (u->branch && (!i || !u[-1].branch)) text_add(&t, last ? "a branch of " : "branches of "); /* they come last */
    put_unreached(u, &t);
  }
  if (j->unreached_count > TOLD_MOST) text_printf(&t, " and %zu more", j->unreached_count - TOLD_MOST);
  return text_of(m, &t);
}

/* Where the runs went. */
static void note_counts(const struct searched *s, struct mem *m, notes *to) {
  note(m, to,
       "schedules: %llu, %llu of them for another order of calls and returns; given up: %llu "
       "redundant, %llu where a thread halts, %llu others",
       (unsigned long long)(s->schedules - s->skipped), (unsigned long long)s->orders, (unsigned long long)s->redundant,
       (unsigned long long)s->halted, (unsigned long long)(s->cut - s->redundant - s->halted));
}

static void note_unreached(const struct test_job *j, struct mem *m, notes *to) {
  const char *what = unreached_words(j, m);
  if (what) note(m, to, "never executed: %.800s; %s", what, reach_more(j, m));
}

/* The specification "weak-..." of this one, with the same operations in the same places; false if there is none. */
static bool weaker(const struct spec *s, struct mem *m, struct spec *weak, const char **name) {
  struct text t;
  struct problem none;
  text_open(&t, m);
  text_printf(&t, "weak-%s", s->name);
  if (s->param) text_printf(&t, "(%u)", s->k);
  *name = text_string(&t);
  if (s->weak || !s->container || !spec_named(*name, weak, &none) || weak->op_count < s->op_count) return false;
  for (unsigned i = 0; i < s->op_count; i++)
    if (strcmp(s->ops[i].names, weak->ops[i].names) != 0) return false;
  weak->values = s->values;
  weak->processes = s->processes;
  return true;
}

/* Many containers return empty, or full, while another operation is under way, by design. A violation that is only
 * that is one by the choice of the specification. */
static void note_weaker(const struct test_job *j, struct mem *m, notes *to) {
  const struct finding *f = &j->answer.finding;
  const struct spec *s = &j->spec;
  struct check_options options = {.method = METHOD_SEARCH, .jobs = 1};
  struct check_result result;
  struct limits limits;
  struct problem none;
  struct spec weak;
  const char *name;
  if (j->answer.verdict != VERDICT_VIOLATED || f->found != FOUND_HISTORY || !f->history) return;
  if (!weaker(s, m, &weak, &name)) return;
  limits_start(&limits, 1, 0);
  if (!check_history(m, f->history, &weak, &options, &limits, &result, &none)) return;
  if (result.verdict == VERDICT_HOLDS)
    note(m, to, "this history is linearizable for %s (%s): use it if the object promises no more", name, weak.summary);
}

static const char *memory_words(const struct run_options *o) {
  enum memory_model memory = o->memory;
  if (memory == MEMORY_SC) return "memory is sequentially consistent";
  if (memory == MEMORY_TSO) return "memory is x86's (TSO): loads may come before earlier stores of their thread";
  if (o->own_sequences)
    return "memory is C11's, with its release sequences: loads may be stale and stores early, as far as the memory "
           "orders allow it; no load reads what depends on it";
  return "memory is C11's, with C++20's release sequences: loads may be stale and stores early, as far as the memory "
         "orders allow it; no load reads what depends on it";
}

static void make_notes(const struct test_job *j, struct mem *m, notes *to) {
  const struct searched *s = &j->answer;
  for (size_t i = 0; i < j->compiled.warning_count; i++) note(m, to, "%s", j->compiled.warnings[i]);
  if (j->compiled.unscanned && s->unsupported != j->compiled.unscanned) note(m, to, "%s", j->compiled.unscanned);
  if (s->long_runs)
    note(m, to,
         "some runs were given up after too many steps (--steps), or where threads only hinder each other: what they "
         "would have done is not known");
  if (s->waiting)
    note(m, to, "in %llu of the histories operations wait for ever, as they do with nothing concurrent: no violation",
         (unsigned long long)s->waiting);
  if (s->shares_stacks)
    note(m, to,
         "threads access variables on each other's stacks: plain accesses there are not interleaved, and races there "
         "not seen");
  for (size_t i = 0; i < j->suppressions.count; i++) note(m, to, "%s", j->suppressions.at[i]);
  note_weaker(j, m, to);
  note_races(j, m, to);
  note_unreached(j, m, to);
  if (arg_flag(j->args, "stats")) note_counts(s, m, to);
  if (s->wide)
    note(m, to,
         "plain accesses of more than 8 bytes, such as copies of structures, were one step each: what others see of "
         "them in between is not tried");
  if (s->verdict == VERDICT_UNKNOWN && s->left) note(m, to, "not every schedule was run of %s", s->left);
  if (s->verdict == VERDICT_UNKNOWN && s->limit == LIMIT_TIME && j->object.tests &&
      !j->options.explore.strategy->random && !j->options.explore.strategy->unit[0])
    note(m, to, "--bound 2 runs the schedules of up to 2 delays only; --time-limit 5m searches longer");
  if (s->refused)
    note(m, to, "in %llu clients asif_require refused a call in every run", (unsigned long long)s->refused);
  if (j->object.asks_thread)
    note(m, to, "the code asks which thread it is (asif_thread): threads are not taken to be alike");
  if (s->unsupported && (s->verdict != VERDICT_UNKNOWN || s->limit))
    note(m, to, "some runs were given up: %s", s->unsupported);
  if (s->larger.unsupported) note(m, to, "some runs of larger clients were given up: %s", s->larger.unsupported);
  if (j->changed) note(m, to, "the code has changed since the token was made");
  if (j->schedule.ignored) note(m, to, "%s", j->schedule.ignored);
  if (j->schedule.uninitialised) note(m, to, "%s", j->schedule.uninitialised);
  if (j->schedule.no_names) note(m, to, "%s", j->schedule.no_names);
  if (j->schedule.no_places) note(m, to, "without addr2line (of the binutils) places in the source are not known");
  if (j->options.run.memory == MEMORY_SC && j->sc_because && s->weaker)
    note(m, to, "all memory orders were taken for seq_cst, and some are weaker: because of %s", j->sc_because);
  note(m, to, "%s%s", memory_words(&j->options.run),
       j->options.run.races ? "; plain accesses that do not race are not interleaved" : "");
}

/* Reports. */

struct facts {
  struct report report;
  struct execution execution;
  struct check_result result;
  notes notes;
};

static char *limit_reason(const struct test_job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  if (j->answer.limit) text_add(&t, limit_told(j->answer.limit));
  if (j->because)
    text_add(&t, j->because);
  else if (!j->answer.limit)
    text_add(&t, j->answer.unsupported);
  return text_of(m, &t);
}

static char *quoted(struct mem *m, const char *s) {
  struct text t;
  text_open(&t, m);
  text_char(&t, '"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') text_char(&t, '\\');
    if ((unsigned char)*s >= ' ') text_char(&t, *s);
  }
  text_char(&t, '"');
  return text_of(m, &t);
}

/* What else was found. */

/* "queue.c:12, pool.c:7" */
static void put_places(const struct schedule *s, struct text *t) {
  size_t count = 0;
  for (size_t i = 0; i < s->lines.count; i++) {
    const struct schedule_line *l = &s->lines.at[i];
    if ((l->kind != SCHEDULE_FAULT && l->kind != SCHEDULE_WAIT) || !l->line) continue;
    text_printf(t, "%s%s:%u", count++ ? ", " : "", s->files.at[l->file].path, (unsigned)l->line);
  }
}

static char *also(const struct test_job *j, struct mem *m) {
  struct text t;
  if (!j->other_count) return NULL;
  text_open(&t, m);
  text_add(&t, "Also found:\n");
  for (size_t i = 0; i < j->other_count; i++) {
    const struct test_other *o = &j->others[i];
    struct text places;
    text_open(&places, m);
    put_places(&o->schedule, &places);
    text_printf(&t, "\n  %s: %s\n", found_name(o->finding->found), reason_of(o->finding));
    if (places.count) text_printf(&t, "    %s\n", places.at);
    text_add(&t, "    ");
    client_print(&j->object, &o->finding->client, &t);
    text_printf(&t, "\n    --replay %s\n", o->token);
  }
  if (j->answer.too_many) text_add(&t, "\n  and more than can be listed\n");
  return text_of(m, &t);
}

static void put_also_json(const struct test_job *j, struct mem *m, struct text *t) {
  text_add(t, ",\"also\":[");
  for (size_t i = 0; i < j->other_count; i++) {
    const struct test_other *o = &j->others[i];
    struct text places, client;
    text_open(&places, m);
    text_open(&client, m);
    put_places(&o->schedule, &places);
    client_print(&j->object, &o->finding->client, &client);
    text_printf(t, "%s{\"violation\":%s,", i ? "," : "", quoted(m, found_name(o->finding->found)));
    text_printf(t, "\"reason\":%s,\"places\":%s,", quoted(m, reason_of(o->finding)), quoted(m, text_string(&places)));
    text_printf(t, "\"client\":%s,\"replay\":%s}", quoted(m, text_string(&client)), quoted(m, o->token));
  }
  text_char(t, ']');
  if (j->answer.too_many) text_add(t, ",\"also_more\":true");
}

/* Was everything seen that the clients asked for can do? */
static bool is_whole(const struct searched *s) {
  return s->complete && s->done == s->clients && !s->uncounted && !s->shares_stacks && !s->wide && !s->seen.incomplete;
}

static void put_unreached_json(const struct test_job *j, struct mem *m, struct text *t) {
  text_add(t, ",\"unreached\":");
  if (!j->covered) {
    text_add(t, "null");
    return;
  }
  for (size_t i = 0; i < j->unreached_count; i++) {
    const struct unreached *u = &j->unreached[i];
    text_printf(t, "%s{\"file\":%s,\"first\":%u,\"last\":%u,", i ? "," : "[", quoted(m, u->file), (unsigned)u->first,
                (unsigned)u->last);
    text_printf(t, "\"function\":%s,\"branch\":%s}", u->function ? quoted(m, u->function) : "null",
                u->branch ? "true" : "false");
  }
  text_add(t, j->unreached_count ? "]" : "[]");
}

static void put_larger_json(const struct test_job *j, struct text *t) {
  const struct larger_tried *l = &j->answer.larger;
  if (!l->clients) {
    text_add(t, ",\"larger\":null");
    return;
  }
  text_printf(t, ",\"larger\":{\"clients\":%llu,\"whole\":%llu,\"bounded\":%llu,\"bound\":%u,",
              (unsigned long long)l->clients, (unsigned long long)l->complete, (unsigned long long)l->bounded,
              l->bound);
  text_printf(t, "\"threads\":%u,\"operations\":%u,\"calls\":%u}", l->threads, l->ops, l->calls);
}

static char *members(const struct test_job *j, struct mem *m, const char *client) {
  const struct searched *s = &j->answer;
  struct text t;
  text_open(&t, m);
  text_add(&t, ",\"clients\":");
  text_printf(&t, s->uncounted ? "null" : "%llu", (unsigned long long)s->clients);
  text_printf(&t, ",\"clients_done\":%llu", (unsigned long long)s->done);
  if (s->histories)
    text_printf(&t, ",\"histories\":%llu", (unsigned long long)s->histories); /* where they are told apart */
  text_printf(&t, ",\"steps\":%llu,\"cut\":%llu,\"redundant\":%llu,\"halted\":%llu,\"orders\":%llu",
              (unsigned long long)s->steps, (unsigned long long)s->cut, (unsigned long long)s->redundant,
              (unsigned long long)s->halted, (unsigned long long)s->orders);
  text_printf(&t, ",\"skipped\":%llu,\"traces\":%llu,\"complete\":%s,\"client\":%s", (unsigned long long)s->skipped,
              (unsigned long long)s->traces, s->verdict == VERDICT_HOLDS && is_whole(s) ? "true" : "false",
              client ? quoted(m, client) : "null");
  if (j->options.approx) text_printf(&t, ",\"k\":%u", j->options.k);
  put_larger_json(j, &t);
  put_unreached_json(j, m, &t);
  if (j->options.keep_going) put_also_json(j, m, &t);
  orders_json(j, &t);
  return text_of(m, &t);
}

static char *searched_words(const struct test_job *j, struct mem *m) {
  const struct searched *s = &j->answer;
  struct text t;
  text_open(&t, m);
  bool weak = is_weak(j);
  put_number(&t, s->schedules, weak ? "run" : "schedule", weak ? "runs" : "schedules");
  if (s->skipped) text_printf(&t, ", %llu of them like others and not run", (unsigned long long)s->skipped);
  if (j->options.approx) return text_of(m, &t);
  text_add(&t, ", ");
  put_number(&t, s->histories, weak ? "distinct execution" : "distinct history",
             weak ? "distinct executions" : "distinct histories");
  return text_of(m, &t);
}

/* Where it went wrong; of a deadlock every thread has its own place. */
static const struct schedule_line *fault_line(const struct schedule *s) {
  for (size_t i = 0; i < s->lines.count; i++)
    if (s->lines.at[i].kind == SCHEDULE_FAULT) return &s->lines.at[i];
  return NULL;
}

static char *unseen(const struct test_job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, "no violation seen at k = %u", j->options.k);
  return text_of(m, &t);
}

static void gather(struct test_job *j, struct mem *m, struct facts *f) {
  const struct searched *s = &j->answer;
  const struct finding *found = &s->finding;
  bool violated = s->verdict == VERDICT_VIOLATED, history = violated && found->found == FOUND_HISTORY;
  struct text client;
  text_open(&client, m);
  if (violated) client_print(&j->object, &found->client, &client);
  f->result = history ? found->result : (struct check_result){.culprit = UINT32_MAX};
  f->result.verdict = s->verdict;
  f->result.method = method(j, m);
  if (violated && !history) f->result.reason = found->shown ? found->shown : found->said;
  if (s->verdict == VERDICT_UNKNOWN) f->result.reason = limit_reason(j, m);
  make_notes(j, m, &f->notes);
  bool whole = is_whole(s);
  f->execution = (struct execution){.file = j->object.file,
                                    .client = explored(j, m),
                                    .calls = calls(&j->object, m),
                                    .threads = j->clients.one ? j->clients.one->threads : j->size.threads,
                                    .operations = arg_flag(j->args, "client") ? 0 : j->size.ops,
                                    .bound = j->object.bound,
                                    .memory = memory_model_name(j->options.run.memory),
                                    .reduce = "none",
                                    .violation = violated ? found_name(found->found) : NULL,
                                    .schedule = &j->schedule,
                                    .fault = violated ? fault_line(&j->schedule) : NULL,
                                    .notes = f->notes.at,
                                    .note_count = f->notes.count,
                                    .searched = searched_words(j, m),
                                    .schedules = s->schedules,
                                    .partly = !whole && !arg_flag(j->args, "replay"),
                                    .replay = j->token,
                                    .also = also(j, m),
                                    .asserts = j->object.tests,
                                    .found_client = violated ? text_string(&client) : NULL};
  f->execution.fix = fix_words(j, m);
  f->execution.table = relaxed_words(j, m);
  if (j->options.approx) f->execution.unseen = unseen(j, m);
  f->execution.members = members(j, m, f->execution.found_client);
  f->report = (struct report){.command = "test",
                              .history = violated ? found->history : NULL,
                              .spec = violated && found->history ? &j->spec
                                      : j->object.spec.name      ? &j->object.spec
                                                                 : NULL,
                              .result = &f->result,
                              .execution = &f->execution,
                              .seconds = clock_seconds() - j->begun,
                              .cpu_seconds = clock_cpu_seconds() - j->cpu + s->cpu_seconds,
                              .peak_rss_kb = peak_rss_kb() + s->peak_kb,
                              .color = isatty(STDOUT_FILENO),
                              .width = terminal_columns()};
}

static void put_word(struct text *t, const char *s) {
  text_char(t, ' ');
  text_shell_word(t, s);
}

/* The command that does it again: without what only says where to write the answer. */
static char *asked(const struct test_job *j, struct mem *m) {
  static const char *const not [] = {"evidence", "json", "html", "junit", "svg", "quiet", "stats", "fix", "relax"};
  const struct args *a = j->args;
  struct text t;
  text_open(&t, m);
  text_add(&t, "asif test");
  for (char **in = j->inputs; *in; in++) put_word(&t, *in);
  for (size_t i = 0; a->command->opts[i].name; i++) {
    const struct opt *o = &a->command->opts[i];
    bool wanted = a->values[i] != NULL;
    for (size_t n = 0; n < sizeof not / sizeof *not ; n++) wanted &= strcmp(o->name, not [n]) != 0;
    if (!wanted) continue;
    text_printf(&t, " --%s", o->name);
    if (o->arg) put_word(&t, a->values[i]);
  }
  if (j->relax && !arg_flag(a, "memory")) text_add(&t, " --memory c11");
  if (*j->flags || j->program) text_add(&t, " --");
  for (char **w = j->program; w && *w; w++) put_word(&t, *w);
  if (*j->flags && j->program) text_add(&t, " --");
  for (char **f = j->flags; *f; f++) put_word(&t, *f);
  return text_of(m, &t);
}

static bool write_evidence(const struct test_job *j, struct mem *m, const struct report *r, const char *path) {
  struct problem why;
  struct test_evidence e = {.inputs = j->inputs,
                            .flags = j->flags,
                            .program = j->program,
                            .spec = arg_value(j->args, "spec"),
                            .asked = asked(j, m),
                            .verdict = r->execution->unseen   ? "no violation seen"
                                       : r->execution->partly ? "no violation found"
                                       : j->object.tests      ? "holds"
                                                              : "linearizable",
                            .object = &j->object,
                            .run = &j->options.run,
                            .suppressions = arg_value(j->args, "suppressions"),
                            .searched = &j->answer,
                            .unreached = unreached_words(j, m),
                            .larger = j->answer.larger.clients ? larger_words(j, m) : NULL,
                            .bound = &j->spec,
                            .schedule = &j->schedule,
                            .token = j->token};
  return file_written(test_evidence_write(path, &e, &why), &why);
}

static void drawn_svg(const struct report *r, struct text *t) {
  struct report drawn = *r;
  struct check_result c = whole_result(t->mem, r);
  drawn.result = &c;
  report_svg(&drawn, t);
}

static bool write_answers(const struct test_job *j, struct mem *m, struct report *r) {
  const char *evidence = r->result->verdict == VERDICT_UNKNOWN ? NULL : arg_value(j->args, "evidence");
  struct text t;
  text_open(&t, m);
  r->evidence = writable_path(evidence);
  bool good = print_report(j->args, r, &t);
  *j->status = *j->args->said;
  *j->phase = PHASE_SAID;
  good &= write_pages(j->args, m, r, drawn_svg);
  return (!evidence || write_evidence(j, m, r, evidence)) && good;
}

static int write_all(void *self, struct mem *m) {
  struct test_job *j = self;
  struct facts *facts = mem_zero(m, 1, sizeof *facts);
  gather(j, m, facts);
  return status_of_output(status_of_verdict(j->answer.verdict), write_answers(j, m, &facts->report));
}

int test_answer(struct test_job *j) { return answer_apart(j->args, j->mem, write_all, j); }
