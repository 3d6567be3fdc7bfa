/* Round after round: plan, run, check. */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "approx/monitor.h"
#include "test/stress.h"

enum { STATES_MOST = 64 };
static const double DECIDE_SECONDS = 3,
                    LONG_SECONDS = 0.3; /* a round's history takes at most so long, and usually less */
static const double LOOK_AFTER = 0.05,
                    SURE_AFTER = 0.2; /* seconds without any progress: one looks whether they wait; they do */

struct stressing {
  struct mem *mem;
  const struct object *object;
  const struct stress_options *options;
  const struct stress_build *builds;
  unsigned build_count;
  struct stressed *out;
  struct problem *why;
  struct stress_area *area;
  int area_fd;
  struct stress_plan plan;
  double started;
  /* of this round */
  struct mem *round_mem;
  struct history *history;
  struct spec spec;
  struct check_result check;
};

/* The kernel keeps time by the processor's counter only where those of all cores agree. */
static bool counter_is_clock(void) {
#if defined(__x86_64__)
  char name[16] = "";
  FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
  if (f && !fgets(name, sizeof name, f)) name[0] = 0;
  if (f) fclose(f);
  return !strcmp(name, "tsc\n");
#else
  return false;
#endif
}

void stress_area_describe(struct mem *m, struct stress_area *a, const struct object *o) {
  a->ticks = counter_is_clock();
  a->ops = o->op_count;
  for (unsigned i = 0; i < o->op_count; i++) {
    snprintf(a->op[i].name, sizeof a->op[i].name, "%s", o->ops[i].run.name);
    snprintf(a->op[i].written, sizeof a->op[i].written, "%s", o->ops[i].run.written);
    a->op[i].signature = o->ops[i].run.signature;
  }
  stress_changes(m, o, a->op);
}

static char *sentence(struct mem *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *sentence(struct mem *m, const char *format, ...) {
  char room[1000];
  va_list list;
  va_start(list, format);
  vsnprintf(room, sizeof room, format, list);
  va_end(list);
  return mem_string(m, room, strlen(room));
}

/* --- a history --- */

/* Decides. What takes too long is not known, and from then on rounds are shorter. */
static bool decide(struct stressing *s, bool explain) {
  struct check_options o = {.method = METHOD_AUTO, .jobs = 1, .explain = explain};
  struct limits limits;
  limits_start(&limits, explain ? 60 : DECIDE_SECONDS, (size_t)1 << 29);
  limits.interrupted = s->options->interrupted;
  if (!check_history(s->round_mem, s->history, &s->spec, &o, &limits, &s->check, s->why)) return false;
  const char *fault = spec_user_fault(&s->spec);
  if (fault) return problem_set(s->why, "%s", fault), false;
  if (limits_elapsed(&limits) > LONG_SECONDS && s->plan.longest > 0) s->plan.longest--;
  return true;
}

/* A_k sees a violation, or none. */
static bool watch(struct stressing *s) {
  struct monitor *m = monitor_new(s->round_mem, &s->spec, s->options->k, s->why);
  if (!m) return false;
  const uint32_t *events = history_events(s->history, s->round_mem);
  for (uint32_t e = 0; e < s->history->events && !m->violated; e++) {
    const struct op *o = &s->history->ops.at[events[e] >> 1];
    if (events[e] & 1)
      monitor_return(m, o->process, o->result);
    else
      monitor_call(m, o->process, o->method, o->arg);
  }
  s->check = (struct check_result){.verdict = m->violated ? VERDICT_VIOLATED : VERDICT_HOLDS, .culprit = UINT32_MAX};
  return true;
}

static bool read_history(struct stressing *s, bool exactly) {
  mem_close(s->round_mem);
  memset(&s->check, 0, sizeof s->check);
  s->history = stress_history(s->round_mem, s->object, s->area, &s->spec, s->why);
  return s->history && (exactly ? decide(s, false) : watch(s));
}

/* --- operations that do not return ---
 *
 * An operation may wait by design: deq for something to take, acquire for a release. It does if after all that has
 * happened the specification has nothing for it, or only "empty" and "full". Else it hangs. */

static bool add_state(struct outcomes *o, struct state s) {
  for (size_t i = 0; i < o->list.count; i++) {
    struct state had = outcomes_state(o, i);
    if (had.size == s.size && !memcmp(had.at, s.at, s.size)) return true;
  }
  if (o->list.count == STATES_MOST) return false;
  memcpy(outcomes_add(o, V_NONE, s.size), s.at, s.size);
  return true;
}

/* The states after the linearization; false if there are too many. */
static bool final_states(struct stressing *s, struct outcomes *now) {
  struct outcomes next, step;
  outcomes_open(&next, s->round_mem);
  outcomes_open(&step, s->round_mem);
  s->spec.init(&s->spec, now);
  for (size_t i = 0; i < s->check.order_count; i++) {
    const struct op *o = &s->history->ops.at[s->check.order[i]];
    outcomes_clear(&next);
    for (size_t k = 0; k < now->list.count; k++) {
      outcomes_clear(&step);
      s->spec.step(&s->spec, outcomes_state(now, k), o, &step);
      for (size_t n = 0; n < step.list.count; n++)
        if (result_matches(o, step.list.at[n].result) && !add_state(&next, outcomes_state(&step, n))) return false;
    }
    struct outcomes swap = *now;
    *now = next, next = swap;
  }
  return true;
}

static bool may_wait(struct stressing *s, const struct outcomes *states, const struct op *o) {
  struct outcomes step;
  outcomes_open(&step, s->round_mem);
  for (size_t k = 0; k < states->list.count; k++) {
    bool could = false;
    outcomes_clear(&step);
    s->spec.step(&s->spec, outcomes_state(states, k), o, &step);
    for (size_t n = 0; n < step.list.count; n++)
      could |= step.list.at[n].result != V_EMPTY && step.list.at[n].result != V_FULL;
    if (!could) return true;
  }
  return false;
}

/* The first operation that should have returned; UINT32_MAX: none. */
static uint32_t hanging(struct stressing *s) {
  struct outcomes states;
  const struct history *h = s->history;
  outcomes_open(&states, s->round_mem);
  if (s->check.verdict != VERDICT_HOLDS || !final_states(s, &states)) return UINT32_MAX;
  for (size_t i = 0; i < s->check.order_count; i++)
    if (op_pending(&h->ops.at[s->check.order[i]])) return s->check.order[i]; /* it has taken effect */
  for (uint32_t i = 0; i < h->ops.count; i++)
    if (op_pending(&h->ops.at[i]) && !may_wait(s, &states, &h->ops.at[i])) return i;
  return UINT32_MAX;
}

/* --- what was found --- */

static const char *find_line(struct mem *m, const char *said, const char *word) {
  const char *at = said ? strstr(said, word) : NULL;
  if (!at) return NULL;
  while (at > said && at[-1] != '\n') at--;
  return mem_string(m, at, strcspn(at, "\n"));
}

/* "P2 was in deq(); P1 in enq(1)" */
static char *who_was_where(struct stressing *s) {
  struct text t;
  bool any = false;
  text_open(&t, s->mem);
  for (uint32_t i = 0; s->history && i < s->history->ops.count; i++) {
    const struct op *o = &s->history->ops.at[i];
    if (!op_pending(o)) continue;
    text_printf(&t, "%s%s was in ", any ? ", " : "", names_at(s->history->processes, o->process));
    op_print_call(&s->spec, s->history, o, &t);
    any = true;
  }
  return any ? t.at : mem_string(s->mem, "no operation was running", 24);
}

static void died_of_sanitizer(struct stressing *s, const char *said) {
  static const struct {
    const char *word;
    enum found found;
  } kinds[] = {{"data race", FOUND_RACE},           {"use-after-free", FOUND_USE_AFTER_FREE},
               {"double-free", FOUND_DOUBLE_FREE},  {"buffer-overflow", FOUND_OUT_OF_BOUNDS},
               {"not malloc()-ed", FOUND_BAD_FREE}, {"mutex", FOUND_MISUSE}};
  const char *line = find_line(s->mem, said, "SUMMARY:");
  s->out->found = FOUND_CRASH;
  for (size_t i = 0; line && i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(line, kinds[i].word)) {
      s->out->found = kinds[i].found;
      break;
    }
  s->out->reason = sentence(s->mem, "the sanitizer says: %s; %s", line ? line : "nothing", who_was_where(s));
}

/* False: the process could not do its work, which is no finding. */
static bool died(struct stressing *s, int status, char *said) {
  struct stressed *o = s->out;
  if (s->area->failed[0] || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
    problem_set(s->why, "stress: %s",
                s->area->failed[0] ? s->area->failed : "the program that runs the object cannot be run");
    return false;
  }
  const char *assertion = find_line(s->mem, said, "Assertion ");
  if (killed_from_outside(status)) {
    o->verdict = VERDICT_UNKNOWN;
    o->killed = true;
    o->reason = sentence(s->mem, "the process that ran the object was killed (%s): for lack of memory?",
                         strsignal(WTERMSIG(status)));
    return true;
  }
  o->verdict = VERDICT_VIOLATED;
  o->said = said;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 66 && said && strstr(said, "Sanitizer")) {
    died_of_sanitizer(s, said);
  } else if (WIFEXITED(status)) {
    o->found = FOUND_CRASH;
    o->reason = sentence(s->mem, "the object called exit(%d); %s", WEXITSTATUS(status), who_was_where(s));
  } else if (WTERMSIG(status) == SIGABRT && assertion) {
    const char *colon = strchr(assertion, ':');
    size_t program = colon ? (size_t)(colon - assertion) : 0; /* "asif: file.c:11: f: Assertion `x' failed." */
    if (colon && !memchr(assertion, '.', program) && colon[1] == ' ') assertion = colon + 2;
    o->found = FOUND_ASSERTION;
    o->said = NULL;
    o->reason = sentence(s->mem, "%.*s; %s", (int)strlen(assertion) - (assertion[strlen(assertion) - 1] == '.'),
                         assertion, who_was_where(s));
  } else {
    o->found = FOUND_CRASH;
    o->reason = sentence(s->mem, "signal %d (%s) ended the process; %s", WTERMSIG(status), strsignal(WTERMSIG(status)),
                         who_was_where(s));
  }
  return true;
}

static void hangs(struct stressing *s, uint32_t op) {
  struct text t;
  text_open(&t, s->mem);
  op_print_call(&s->spec, s->history, &s->history->ops.at[op], &t);
  s->out->verdict = VERDICT_VIOLATED;
  s->out->found = FOUND_DEADLOCK;
  s->out->reason = sentence(s->mem, "nothing moved for %.0f s, and %s of %s should have returned; %s", s->options->hang,
                            t.at, names_at(s->history->processes, s->history->ops.at[op].process), who_was_where(s));
}

/* --- a round --- */

/* What to keep of the round for the answer: the history is read once more, to last. */
static bool keep_round(struct stressing *s) {
  struct stressed *o = s->out;
  s->round_mem = s->mem;
  s->history = stress_history(s->mem, s->object, s->area, &s->spec, s->why);
  bool seen = s->check.verdict == VERDICT_VIOLATED;
  if (!s->history || !decide(s, seen || o->found != FOUND_NOTHING)) return false;
  if (seen && s->check.verdict == VERDICT_HOLDS) {
    problem_internal(s->why, "the history of round %" PRIu64 " was a violation%s, and is none when it is checked again",
                     o->rounds, s->options->approx ? " for A_k" : "");
    return false;
  }
  if (seen && s->check.verdict == VERDICT_UNKNOWN) { /* a limit was reached while it was explained */
    o->verdict = VERDICT_UNKNOWN;
    o->reason = sentence(s->mem, "a violation was found, but not confirmed: %s", s->check.reason);
  }
  o->history = s->history;
  o->spec = s->spec;
  o->check = s->check;
  o->round = o->rounds;
  stress_client(s->mem, s->area, &o->client);
  if (o->found != FOUND_NOTHING || s->check.verdict != VERDICT_VIOLATED) return true;
  o->verdict = VERDICT_VIOLATED;
  o->found = FOUND_HISTORY;
  o->reason = s->check.reason;
  return true;
}

static void count_round(struct stressing *s, bool perturbed) {
  struct stressed *o = s->out;
  o->rounds++;
  o->perturbed += perturbed;
  o->operations += s->history->ops.count;
  if (s->area->threads > o->threads) o->threads = s->area->threads;
  if (s->check.verdict == VERDICT_UNKNOWN) o->undecided++;
  for (size_t i = 0; i < s->history->ops.count; i++) o->pending += op_pending(&s->history->ops.at[i]);
}

/* Nothing has moved for a while. If the operations wait by design that is the end of the round, else one waits longer.
 */
static bool look_at_stall(struct stressing *s, struct stress_process *p, enum stress_end *end) {
  if (!read_history(s, true)) return false;
  uint32_t op = hanging(s);
  *end = stress_wait(p, s->area, op == UINT32_MAX ? SURE_AFTER : s->options->hang, s->options->interrupted);
  if (*end != STRESS_STALLED) return true;
  if (!read_history(s, true)) return false;
  uint32_t still = hanging(s);
  if (op == UINT32_MAX && still != UINT32_MAX) return look_at_stall(s, p, end); /* something has moved meanwhile */
  if (still != UINT32_MAX) hangs(s, still);
  op = still;
  s->plan.fed = true;
  s->out->waits |= op == UINT32_MAX;
  return true;
}

static bool run_round(struct stressing *s, const struct stress_build *b, bool *go_on) {
  struct stress_process p;
  *go_on = false;
  s->plan.perturbed = b->perturbed;
  s->area->pin = STRESS_FREE;
  if (s->options->calls)
    stress_plan_given(&s->plan, s->area);
  else
    stress_plan_random(&s->plan, s->area);
  double begun = clock_seconds();
  if (!stress_start(&p, s->area, s->area_fd, b, s->why)) return false;
  enum stress_end end = stress_wait(&p, s->area, LOOK_AFTER, s->options->interrupted);
  while (end == STRESS_STALLED && !atomic_load(&s->area->arrived) && /* its threads are yet to begin */
         (b->program || clock_seconds() - begun < s->options->hang))
    end = stress_wait(&p, s->area, LOOK_AFTER, s->options->interrupted);
  bool good = end != STRESS_STALLED || look_at_stall(s, &p, &end);
  stress_kill(&p);
  char *said = stress_said(s->mem, &p);
  if (!good || end == STRESS_INTERRUPTED) return good;
  if (!read_history(s, !s->options->approx)) return false;
  count_round(s, b->perturbed);
  if (end == STRESS_DIED && !died(s, p.status, said)) return false;
  if (s->options->each && !s->options->each(s->options->context, s->out->rounds, s->history, &s->spec, &s->check))
    return true;
  *go_on = !s->out->killed && s->out->found == FOUND_NOTHING && s->check.verdict != VERDICT_VIOLATED;
  return true;
}

static bool over(const struct stressing *s) {
  const struct stress_options *o = s->options;
  return (o->rounds && s->out->rounds >= o->rounds) || (o->interrupted && *o->interrupted) ||
         (o->seconds > 0 && clock_seconds() - s->started >= o->seconds);
}

static bool rounds(struct stressing *s) {
  bool go_on = true;
  for (uint64_t n = 0; go_on && !over(s); n++)
    if (!run_round(s, &s->builds[s->build_count > 1 && n % 3], &go_on))
      return false; /* the perturbed one more often: it finds more */
  struct stressed *o = s->out;
  bool told = s->options->interrupted && *s->options->interrupted;
  if (!o->rounds) {
    o->verdict = VERDICT_UNKNOWN;
    o->reason = sentence(s->mem, "%s", limit_told(told ? LIMIT_INTERRUPT : LIMIT_TIME));
    return true;
  }
  if (!keep_round(s)) return false;
  const char *nothing = told                        ? limit_told(LIMIT_INTERRUPT)
                        : o->undecided == o->rounds ? "no history could be decided"
                        : !o->operations            ? "no operation was called"
                                                    : NULL;
  if (nothing && o->verdict == VERDICT_HOLDS) {
    o->verdict = VERDICT_UNKNOWN;
    o->reason = sentence(s->mem, "%s", nothing);
  }
  return true;
}

bool stress(struct mem *m, const struct object *o, const struct stress_build *builds, unsigned count,
            const struct stress_options *options, struct stressed *out, struct problem *why) {
  unsigned most = stress_threads_most(options, o);
  struct stressing s = {.mem = m,
                        .object = o,
                        .options = options,
                        .builds = builds,
                        .build_count = count,
                        .out = out,
                        .why = why,
                        .round_mem = mem_child(m),
                        .started = clock_seconds()};
  *out = (struct stressed){.verdict = VERDICT_HOLDS};
  s.area = stress_area_new(most, STRESS_CALLS_MOST, &s.area_fd, why);
  if (!s.area) return false;
  s.plan = (struct stress_plan){
      .mem = m, .object = o, .options = options, .random = options->seed, .longest = o->self ? 1 : STRESS_LENGTHS - 1};
  stress_area_describe(m, s.area, o);
  bool good = rounds(&s);
  out->seconds = clock_seconds() - s.started;
  stress_area_free(s.area, most, STRESS_CALLS_MOST, s.area_fd);
  return good;
}
