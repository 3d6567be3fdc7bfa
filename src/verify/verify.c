/* From the search's answer to what the user reads (verify.h): the wrong execution is made again from the start, move by
 * move, and its history goes to the checker of recorded histories, which shares nothing with the search but the
 * specification. */
#include "verify/verify.h"

#include <string.h>

const char *fault_kind(enum fault f) {
  switch (f) {
  case FAULT_ASSERTION: return "assertion";
  case FAULT_ENDLESS: return "endless loop";
  case FAULT_TRAP: return "trap";
  case FAULT_CONCURRENT:
  case FAULT_RACE: return "data race";
  case FAULT_POINTS: return "points";
  default: return "undefined behaviour";
  }
}

void explain_fault(struct subject *s, struct verified *out, const struct move *move) {
  const struct schedule *told = &out->schedule;
  struct text t;
  text_open(&t, s->mem);
  place_print(s->unit, move->place, &t);
  text_printf(&t, ": %s", told->lines.count ? told->lines.at[told->lines.count - 1].text : fault_name(move->fault));
  if (!told->lines.count && move->text && *move->text) text_printf(&t, ": %s", move->text);
  out->reason = t.at;
  out->kind = fault_kind(move->fault);
  if (move->fault == FAULT_RANGE) out->search.verdict = VERDICT_UNKNOWN;
}

/* What the search says of the history the checker must say too. */
static bool confirm(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1, .explain = true};
  struct spec spec = s->spec;
  if (spec_of_object_limit(&spec)) {
    out->search.verdict = VERDICT_UNKNOWN;
    out->kind = NULL;
    out->reason = spec_of_object_limit(&spec);
    return true;
  }
  spec.values = out->history->values;
  spec.processes = out->history->processes;
  if (!check_history(s->mem, out->history, &spec, &options, limits, &out->check, why)) return false;
  out->checked = out->check.verdict != VERDICT_UNKNOWN;
  if (out->check.verdict == VERDICT_HOLDS && specsets_blurred(s->sets)) {
    out->search.verdict = VERDICT_UNKNOWN;
    out->kind = NULL;
    out->reason = "the specification's results cannot all be told apart, and an execution that seemed wrong is not";
    return true;
  }
  if (out->check.verdict == VERDICT_HOLDS) {
    problem_internal(why, "the search found the execution not linearizable, but its history is");
    return false;
  }
  out->reason = out->checked ? out->check.reason : "no order of its operations gives the results they had";
  return true;
}

/* Anything assumed is said. */

void note(struct subject *s, struct verified *out, const char *format, ...) {
  char line[800];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  vec_push(s->mem, &out->notes, mem_string(s->mem, line, strlen(line)));
}

bool uses_weak(const struct program *p) {
  for (uint32_t i = 1; i < p->code_count; i++)
    if (p->code[i].code == I_CAS && (p->code[i].flags & FLAG_WEAK)) return true;
  return false;
}

/* Operations that no client could call: what holds holds without them. */
static void note_never_called(struct subject *s, struct verified *out) {
  if (out->search.verdict != VERDICT_HOLDS || s->options->live || s->options->search.resume) return;
  for (uint32_t op = 0; op < s->program->op_count; op++) {
    bool has = false, called = false;
    for (unsigned t = 0; t < s->threads; t++)
      for (unsigned i = 0; i < s->client[t].call_count; i++) {
        const struct client_call *c = &s->client[t].calls[i];
        has |= c->op == op;
        called |= c->op == op && out->search.called[c->number / 8] >> c->number % 8 & 1;
      }
    if (has && !called)
      note(s, out, "%s is never called in any execution: nothing is said of it%s", s->program->ops[op].function,
           out->search.refused ? "" : " (what it requires never holds)");
  }
}

static void note_refused(struct subject *s, struct verified *out) {
  const char *misuse = "that release what their thread has not acquired, or wait for what it holds itself,";
  if (!s->spec.alone)
    note(s, out, "calls that would bring more than %lld element%s inside were not made", (long long)s->bound,
         s->bound == 1 ? "" : "s");
  else if (s->bound < 0 || !s->spec.elements)
    note(s, out, "calls %s were not made", misuse);
  else
    note(s, out, "calls that would bring more than %lld element%s inside, or %s were not made", (long long)s->bound,
         s->bound == 1 ? "" : "s", misuse);
}

static void note_volatile(struct subject *s, struct verified *out) {
  const struct inst *accesses[2];
  struct text t;
  if (!machine_volatile_race(s->machine, accesses)) return;
  text_open(&t, s->mem);
  place_print(s->unit, accesses[0]->place, &t);
  if (accesses[0] != accesses[1]) text_add(&t, " and "), place_print(s->unit, accesses[1]->place, &t);
  note(s, out,
       "volatile accesses race: %s: a data race in C11; on x86 and with GCC's practice they behave as relaxed atomic "
       "ones, and were taken as atomic (--volatile relaxed, acquire-release or seq-cst says what is meant)",
       text_string(&t));
}

static void note_ordered(struct subject *s, struct verified *out) {
  uint32_t at = __atomic_load_n(s->machine_options.ordered, __ATOMIC_RELAXED);
  struct text t;
  if (!at) return;
  text_open(&t, s->mem);
  place_print(s->unit, s->program->code[at].place, &t);
  note(s, out, "%s: pointers into different objects are compared, which C leaves undefined: taken as addresses",
       text_string(&t));
}

static void note_added(struct subject *s, struct verified *out) {
  uint32_t at = __atomic_load_n(s->machine_options.added, __ATOMIC_RELAXED);
  struct text t;
  if (!at) return;
  text_open(&t, s->mem);
  place_print(s->unit, s->program->code[at].place, &t);
  note(s, out, "%s: an offset is added to a pointer to no object, which C leaves undefined: taken as a number",
       text_string(&t));
}

static void note_pointer_fetch(struct subject *s, struct verified *out) {
  struct text t;
  if (!s->program->pointer_fetch.line) return;
  text_open(&t, s->mem);
  place_print(s->unit, s->program->pointer_fetch, &t);
  note(
      s, out,
      "%s: atomic_fetch_add and atomic_fetch_sub move a pointer by elements here, as C has it; those of GCC move it by "
      "bytes (its += and -= by elements)",
      text_string(&t));
}

void note_assumptions(struct subject *s, struct verified *out) {
  enum reduce how = s->options->search.reduce;
  note_never_called(s, out);
  if (s->unit->harness.has_final) note(s, out, "what ASIF_FINAL names is not run: asif test runs it after the threads");
  bool reduces = how != REDUCE_NONE && how != REDUCE_POR && how != REDUCE_TAU;
  if (s->not_symmetric && reduces && !s->options->live && s->threads > 1)
    note(s, out, "threads are told apart, which takes longer: %s", s->not_symmetric);
  if (out->search.refused) note_refused(s, out);
  if (s->program->frees && s->unit->harness.type_stable)
    note(s, out, "freed memory may be read and written (ASIF_TYPE_STABLE)");
  if (s->program->reallocates)
    note(s, out, "realloc always moves: what it gives is another block than the one it is given");
  if (!s->options->weak_fails && uses_weak(s->program))
    note(s, out,
         "atomic_compare_exchange_weak fails only when the values differ; with --weak it also fails without a reason");
  if (out->search.returns_undecided && out->search.verdict == VERDICT_HOLDS)
    note(s, out, "it was not decided whether an operation can return from every state: %s",
         out->search.limit ? limit_told(out->search.limit) : out->search.returns_undecided);
  if (s->program->outside && out->search.verdict == VERDICT_HOLDS)
    note(s, out,
         "times, and random numbers that are kept, may be anything whenever they are compared: what waits for one of "
         "them is taken to return");
  if (out->search.loses && out->search.verdict == VERDICT_UNKNOWN)
    note(s, out,
         "in some execution memory is lost that nobody freed: a smaller search, to its end, shows which (--leaks)");
  note_volatile(s, out);
  note_ordered(s, out);
  note_added(s, out);
  note_pointer_fetch(s, out);
  memory_note(s, out);
}

static enum verdict stuck(void *self, const struct path_move *path, size_t count, struct stuck_asked *asked) {
  return subject_stuck(self, path, count, asked);
}

/* How the initialisation fails; FAULT_NONE. */
static enum fault start_fault(struct subject *s) {
  struct move start;
  void *work = mem_zero(s->mem, 1, s->machine->work);
  s->machine->start(s->machine, work);
  mem_free(s->mem, work);
  return machine_start_fault(s->machine, &start) ? start.fault : FAULT_NONE;
}

/* The initialisation may come upon operands in no order that conflict, or need more room. */
static bool start_over(struct subject *s, struct problem *why) {
  for (enum fault f; (f = start_fault(s)) == FAULT_UNORDERED || f == FAULT_ROOM;)
    if (f == FAULT_ROOM)
      subject_grow(s, s->machine_options.room + 1);
    else if (!subject_again(s, why))
      return false;
  return true;
}

/* Searches, and again without forgetting if something that was forgotten is needed, with more orders of evaluation if
 * operands conflict, or with more room for memory. */
static bool search_with(struct subject *s, struct search_options options, struct limits *limits,
                        struct search_result *r, struct problem *why) {
  options.stuck = stuck;
  options.stuck_self = s;
  if (options.checkpoint || options.resume) subject_identify(s, &options.identity);
  if (options.resume && !subject_resume(s, &options, why)) return false;
  for (bool again = true; again; options.resume = NULL) {
    struct reference *reference = s->against.reference;
    again = false;
    if (reference && !against_sound(s, &again, why)) return false;
    options.identity.flags = subject_flags(s);
    options.identity.orders = subject_orders(s);
    struct traces traces = reference    ? reference_traces(s->against.reference)
                           : s->counted ? counted_traces(s->counted)
                                        : specsets_traces(s->sets);
    bool good = search(s->mem, s->machine, &traces, &options, limits, r, why);
    if (reference && !against_sound(s, &again, why)) return false;
    if (!good && !again) return false;
    if (r->violation == VIOLATION_FORGOTTEN) {
      subject_remember(s);
      again = true;
    }
    if (r->violation == VIOLATION_ROOM) {
      subject_grow(s, s->machine_options.room + 1);
      again = true;
    }
    if (r->violation == VIOLATION_TRACKS) {
      subject_track(s);
      again = true;
    }
    if (r->violation == VIOLATION_NUMBERS) {
      if (!subject_number(s, why) || !start_over(s, why)) return false;
      again = true;
    }
    if (r->violation == VIOLATION_UNORDERED) {
      if (!subject_again(s, why) || !start_over(s, why)) return false;
      again = true;
    }
  }
  return true;
}

enum { SMALL = 30000 }; /* states that one worker stores before several would have got going */

/* Among several workers it depends on their speed which counterexample is found first. So the one that is shown is
 * always that of one worker: of a small search, which it does anyway; otherwise it searches again, as far as the
 * violation. The subject is made anew for that: numbers of sets and states are given in the order they are met. */
static bool search_all(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  struct search_result *r = &out->search, first;
  struct search_options options = s->options->search, alone = options;
  alone.jobs = 1;
  if (options.jobs <= 1 || !s->machine->copy) return search_with(s, options, limits, r, why);
  if (!options.resume) {
    alone.most = SMALL;
    if (!search_with(s, alone, limits, r, why)) return false;
    if (!r->unfinished) return true;
    alone.most = 0;
  }
  alone.checkpoint = NULL;
  if (!search_with(s, options, limits, r, why)) return false;
  if (r->verdict != VERDICT_VIOLATED) return true;
  alone.first_lost = r->violation == VIOLATION_LEAK;
  first = *r;
  subject_close(s);
  if (!subject_make(s->mem, s->unit, s->options, s, why) || !start_over(s, why) ||
      !search_with(s, alone, limits, r, why))
    return false;
  if (r->verdict == VERDICT_VIOLATED) return true;
  *r = first;
  note(s, out, "another run may show another counterexample: %s before the one that is always shown was found",
       limit_told((enum limit)limits->reached));
  return true;
}

/* Can operations return where a thread has called one that waits for a lock at once? Where calls are moves of their own
 * such a state is stored as others are: the search is made once more like that, for this question alone. */
static bool search_stalls(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  const struct verify_options *given = s->options;
  struct verify_options *both = mem_alloc(s->mem, sizeof *both);
  struct search_result first = out->search;
  *both = *given;
  both->search.reduce = s->machine_options.memory == MEMORY_SC ? REDUCE_BOTH : REDUCE_NONE;
  both->search.jobs = 1;
  both->search.checkpoint = both->search.resume = NULL;
  subject_close(s);
  if (!subject_make(s->mem, s->unit, both, s, why) || !start_over(s, why) ||
      !search_with(s, both->search, limits, &out->search, why))
    return false;
  if (out->search.verdict == VERDICT_VIOLATED) return true;
  bool decided = out->search.verdict == VERDICT_HOLDS && !out->search.returns_undecided;
  out->search = first;
  if (!decided && !first.returns_undecided)
    out->search.returns_undecided = "an operation may wait for a lock whose holder does not return by itself";
  subject_close(s);
  return subject_make(s->mem, s->unit, given, s, why);
}

/* Does the operation that returns last do so without a linearization point, its own or one that another made for it? */
static bool lacks_point(const struct search_result *r) {
  const struct move *last = &r->path[r->path_count - 1].move;
  unsigned thread = THREADS_MOST;
  for (unsigned i = 0; i < last->event_count; i++)
    if (last->events[i].kind == EVENT_RETURN) thread = last->events[i].thread;
  for (size_t k = r->path_count; k-- > 0;)
    for (unsigned i = r->path[k].move.event_count; i-- > 0;) {
      const struct event *e = &r->path[k].move.events[i];
      if (e->thread == thread && e->kind == EVENT_LIN) return false;
      if (e->thread == thread && e->kind == EVENT_CALL) return true;
    }
  return false;
}

/* "the operations of threads A and B can never return, ..." */
static const char *explain_stuck(struct subject *s, const struct verified *out) {
  const struct history *h = out->history;
  struct text t;
  size_t open = 0, told = 0;
  text_open(&t, s->mem);
  for (size_t i = 0; i < h->ops.count; i++) open += op_pending(&h->ops.at[i]);
  if (!open) return "no operation that a thread calls next can ever return, however threads are scheduled";
  text_printf(&t, "the operation%s of thread%s ", open == 1 ? "" : "s", open == 1 ? "" : "s");
  for (size_t i = 0; i < h->ops.count; i++) {
    if (!op_pending(&h->ops.at[i])) continue;
    text_printf(&t, "%s%c", !told ? "" : told + 1 == open ? " and " : ", ", 'A' + (int)h->ops.at[i].process);
    told++;
  }
  text_add(&t, " can never return, however threads are scheduled and whatever they call from there on");
  return t.at;
}

/* The line at the end of the schedule. */
static const char *explain_leak(const struct verified *out) {
  return out->schedule.lines.at[out->schedule.lines.count - 1].text;
}

const char *trace_kind(const struct subject *s) {
  return s->options->points ? "points" : s->against.reference ? "does not refine" : "not linearizable";
}

/* Does the execution found rest on a choice that may not be one? Then it is not known whether there is such an
 * execution. */
static bool is_guess(struct subject *s, struct verified *out) {
  const struct search_result *r = &out->search;
  struct text t;
  for (size_t i = 0; i < r->path_count; i++) {
    const struct move *m = &r->path[i].move;
    if (!m->guessed || m->fault == FAULT_RANGE) continue;
    text_open(&t, s->mem);
    place_print(s->unit, m->guess, &t);
    text_add(&t,
             ": an execution seems wrong in which a time, or a random number that is used more than once, is as it "
             "would have to be here, and whether it can be is not known: asif_choose(n) in its place says what may be");
    out->reason = text_string(&t);
    out->search.verdict = VERDICT_UNKNOWN;
    return true;
  }
  return false;
}

static bool explain(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  const struct search_result *r = &out->search;
  if (is_guess(s, out)) return true;
  if (!explain_path(s, r->path, r->path_count, out, why)) {
    struct problem said = *why;
    problem_internal(why, "%s", said.text);
    return false;
  }
  switch (r->violation) {
  case VIOLATION_TRACE:
    out->kind = trace_kind(s);
    if (s->against.reference) return against_confirm(s, out, why);
    if (!s->options->points) return confirm(s, limits, out, why);
    out->reason = lacks_point(r) ? "an operation returns without a linearization point: on this way through it none is "
                                   "marked (ASIF_LIN), or "
                                   "the mark is not reached"
                                 : "an operation's result is not the one the specification gives at its marked "
                                   "linearization point: the marks "
                                   "are wrong, or the object is; without --points the object is verified by itself";
    return true;
  case VIOLATION_DEADLOCK:
    out->kind = "deadlock";
    out->reason = "every thread that has not finished waits for a lock";
    return true;
  case VIOLATION_ASLEEP:
    out->kind = "deadlock";
    out->reason = "an operation waits for a signal, and nobody is left to send one; one operation at a time it returns";
    return true;
  case VIOLATION_LEAK:
    out->kind = "leak";
    out->reason = explain_leak(out);
    return true;
  case VIOLATION_NO_RETURN:
    out->kind = "no return";
    out->reason = explain_stuck(s, out);
    return true;
  default: explain_fault(s, out, &r->path[r->path_count - 1].move); return true;
  }
}

bool start_fails(struct subject *s, struct verified *out) {
  struct move start;
  void *work = mem_zero(s->mem, 1, s->machine->work);
  memset(out, 0, sizeof *out);
  schedule_open(s, &out->schedule);
  s->machine->start(s->machine, work);
  if (!machine_start_fault(s->machine, &start)) return false;
  out->search.verdict = VERDICT_VIOLATED;
  out->search.violation = VIOLATION_FAULT;
  out->at_start = true;
  out->fault = start.place;
  explain_fault(s, out, &start);
  return true;
}

static bool search_fully(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  if (!search_all(s, limits, out, why)) return false;
  return !out->search.stalls || out->search.verdict != VERDICT_HOLDS || search_stalls(s, limits, out, why);
}

bool verify(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  if (!start_over(s, why)) return false;
  if (start_fails(s, out)) return true;
  if (!memory_decide(s, limits, out, search_fully, why)) return false;
  const char *user = spec_user_fault(&s->spec);
  if (user) {
    problem_set(why, "%s", user);
    return false;
  }
  note_assumptions(s, out);
  return out->search.verdict != VERDICT_VIOLATED || explain(s, limits, out, why);
}
