/* From the search's answer to what the user reads (verify.h): the wrong execution is made again from the start, move by move, and its
 * history goes to the checker of recorded histories, which shares nothing with the search but the specification. */
#include "verify/verify.h"

#include <string.h>

#include "evidence/evidence.h"

static const char *const fault_names[] = {
    [FAULT_NONE] = "nothing",
    [FAULT_NULL] = "a null pointer is used",
    [FAULT_FREED] = "freed memory is used",
    [FAULT_DOUBLE_FREE] = "memory is freed twice",
    [FAULT_BAD_FREE] = "what is freed did not come from malloc",
    [FAULT_BOUNDS] = "an access is out of bounds",
    [FAULT_OVERFLOW] = "a signed integer overflows",
    [FAULT_DIVISION] = "a division by zero",
    [FAULT_SHIFT] = "a shift by too much",
    [FAULT_UNINITIALISED] = "a value is used that was never set",
    [FAULT_POINTER] = "what is no pointer is used as one",
    [FAULT_ASSERTION] = "an assertion fails",
    [FAULT_UNLOCK] = "a mutex is unlocked that is not locked",
    [FAULT_TRAP] = "the program stops itself",
    [FAULT_ENDLESS] = "a loop without end, and without a shared access",
    [FAULT_RANGE] = "beyond what is modelled",
    [FAULT_FORGOTTEN] = "garbage was forgotten that is needed",
    [FAULT_POINTS] = "the linearization points",
};

const char *fault_name(enum fault f) { return fault_names[f]; }

/* The execution being told. */
struct telling {
  struct subject *subject;
  struct verified *out;
  struct history *history;
  const void *state; /* after the move: where names of objects come from */
  unsigned thread, step;
  bool first;
  const struct path_move *move;
};

static char thread_letter(unsigned t) { return (char)('A' + t); }

static void put_head(struct telling *k, const struct place *place) {
  struct text *t = &k->out->schedule;
  if (k->first)
    text_printf(t, "%4u  %c  ", k->step, thread_letter(k->thread));
  else
    text_add(t, "         ");
  size_t start = t->count;
  if (place && place->line) place_print(k->subject->unit, *place, t);
  while (t->count - start < 24) text_char(t, ' ');
  text_char(t, ' ');
  k->first = false;
}

static void put_words(struct telling *k, const word *words, unsigned count, struct text *t) {
  unsigned n = count < 4 ? count : 4;
  if (n > 1) text_char(t, '{');
  for (unsigned i = 0; i < n; i++) {
    if (i) text_add(t, ", ");
    machine_print_word(k->subject->machine, k->state, words[i], t);
  }
  if (n > 1) text_add(t, count > 4 ? ", ...}" : "}");
}

static void put_call(const struct trace_item *item, struct text *t) {
  text_printf(t, "%s(", item->op->function);
  for (unsigned i = 0; i < item->op->params; i++) text_printf(t, "%s%lld", i ? ", " : "", (long long)item->call->args[i]);
  text_char(t, ')');
}

static void put_result(const struct trace_item *item, struct text *t) {
  static const char *const specials[] = {"ok", "nil", "true", "false", "empty", "full"};
  text_printf(t, "%s returns", item->op->function);
  if (item->op->result == RESULT_OF_VOID) return;
  if (item->op->result == RESULT_OF_BOOL)
    text_add(t, item->result ? " true" : " false");
  else if (item->result >= INT32_MIN && item->result <= INT32_MIN + 5)
    text_printf(t, " %s", specials[item->result - INT32_MIN]);
  else
    text_printf(t, " %lld", (long long)item->result);
}

static void tell_event(struct telling *k, const struct trace_item *item) {
  struct history *h = k->history;
  struct text *t = &k->out->schedule;
  char letter[2] = {thread_letter(item->event.thread), 0};
  uint32_t process = names_intern(h->processes, letter, 1);
  if (item->event.kind == EVENT_CALL) {
    value args[3];
    for (unsigned i = 0; i < item->op->params; i++) args[i] = value_int(h->values, item->call->args[i]);
    size_t len;
    const char *name = spec_op_name(&k->subject->spec, (unsigned)k->subject->spec_op[item->op - k->subject->program->ops], &len);
    history_call(h, process, 0, names_intern(h->methods, name, len), args, item->op->params, item->op->place.line);
    put_head(k, &item->op->place);
    put_call(item, t);
  } else if (item->event.kind == EVENT_RETURN) {
    history_return(h, process, 0, item->event.result);
    put_head(k, NULL);
    put_result(item, t);
  } else {
    put_head(k, NULL);
    text_printf(t, "linearization point of %c's operation", letter[0]);
  }
  text_char(t, '\n');
}

static void tell(void *self, const struct trace_item *item) {
  struct telling *k = self;
  struct text *t = &k->out->schedule;
  if (!item->inst) {
    tell_event(k, item);
    return;
  }
  if (item->inst->flags & FLAG_CONSTANT) return;
  put_head(k, &item->inst->place);
  inst_print(k->subject->program, item->op, item->inst, t);
  if (item->reads) {
    text_add(t, "  reads ");
    put_words(k, item->read, item->inst->count, t);
  }
  if (item->writes) {
    text_add(t, "  writes ");
    put_words(k, item->written, item->inst->count, t);
  }
  text_char(t, '\n');
}

/* Makes the execution again: names of objects are those of the state before each move, so that they stay the same throughout. */
static bool run_path(struct telling *k, const struct path_move *path, size_t count, struct problem *why) {
  struct system *m = k->subject->machine;
  void *here = mem_zero(k->subject->mem, 1, m->work), *there = mem_zero(k->subject->mem, 1, m->work);
  m->start(m, here);
  machine_trace(m, tell, k);
  for (size_t i = 0; i < count; i++) {
    struct move move;
    struct choices choices = path[i].choices;
    choices.depth = 0;
    k->thread = path[i].thread;
    k->step = (unsigned)i + 1;
    k->first = true;
    k->state = there;
    enum moved moved = m->again(m, here, path[i].thread, &choices, path[i].move.length, there, &move);
    if (moved == FAULTED) {
      put_head(k, &move.place);
      text_printf(&k->out->schedule, "%s%s%s\n", fault_name(move.fault), move.text ? ": " : "", move.text ? move.text : "");
    }
    if (moved != MOVED && !(moved == FAULTED && i + 1 == count)) {
      machine_trace(m, NULL, NULL);
      problem_set(why, "internal error: move %zu of the counterexample cannot be made", i + 1);
      return false;
    }
    memcpy(here, there, m->work);
  }
  machine_trace(m, NULL, NULL);
  return true;
}

static void say_fault(struct subject *s, struct verified *out, const struct move *move) {
  struct text t;
  text_open(&t, s->mem);
  place_print(s->unit, move->place, &t);
  text_printf(&t, ": %s", fault_name(move->fault));
  if (move->text && move->text[0]) text_printf(&t, ": %s", move->text);
  out->reason = t.at;
  out->kind = move->fault == FAULT_RANGE ? "beyond what is modelled" : "undefined behaviour";
  if (move->fault == FAULT_ASSERTION) out->kind = "assertion";
  if (move->fault == FAULT_ENDLESS) out->kind = "endless loop";
  if (move->fault == FAULT_TRAP) out->kind = "trap";
}

static struct history *new_history(struct subject *s) {
  struct history *h = history_new(s->mem, s->options->path);
  names_intern(h->objects, s->spec.name, strlen(s->spec.name));
  for (unsigned t = 0; t < s->threads; t++) names_intern(h->processes, &(char){thread_letter(t)}, 1);
  return h;
}

bool explain_path(struct subject *s, const struct path_move *path, size_t count, struct verified *out, struct problem *why) {
  struct telling k = {.subject = s, .out = out, .history = new_history(s)};
  text_open(&out->schedule, s->mem);
  if (!run_path(&k, path, count, why)) return false;
  history_finish(k.history);
  out->history = k.history;
  struct spec spec = s->spec;
  return spec_bind(&spec, out->history, why);
}

/* What the search says of the history the checker must say too. */
static bool confirm(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1, .explain = true};
  struct spec spec = s->spec;
  spec.values = out->history->values;
  spec.processes = out->history->processes;
  if (!check_history(s->mem, out->history, &spec, &options, limits, &out->check, why)) return false;
  out->checked = out->check.verdict != VERDICT_UNKNOWN;
  if (out->check.verdict == VERDICT_HOLDS) {
    problem_set(why, "internal error: the search found the execution not linearizable, but its history is");
    return false;
  }
  if (out->checked) out->reason = out->check.reason;
  return true;
}

/* Searches, and again without forgetting if something that was forgotten is needed. */
static bool search_all(struct subject *s, struct limits *limits, struct search_result *r, struct problem *why) {
  for (bool again = true; again;) {
    struct reference *reference = s->against.reference;
    if (reference && !against_sound(s, &again, why)) return false;
    struct traces traces = reference ? reference_traces(s->against.reference) : specsets_traces(s->sets);
    bool good = search(s->mem, s->machine, &traces, &s->options->search, limits, r, why);
    if (reference && !against_sound(s, &again, why)) return false;
    if (!reference) again = false;
    if (!good && !again) return false;
    if (r->violation == VIOLATION_FORGOTTEN) {
      subject_remember(s);
      again = true;
    }
  }
  return true;
}

bool verify(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  memset(out, 0, sizeof *out);
  text_open(&out->schedule, s->mem);
  struct move start;
  void *work = mem_zero(s->mem, 1, s->machine->work);
  s->machine->start(s->machine, work);
  if (machine_start_fault(s->machine, &start)) {
    out->search.verdict = VERDICT_VIOLATED;
    out->search.violation = VIOLATION_FAULT;
    say_fault(s, out, &start);
    return true;
  }
  if (!search_all(s, limits, &out->search, why)) return false;
  const char *user = spec_user_fault(&s->spec);
  if (user) {
    problem_set(why, "%s", user);
    return false;
  }
  if (out->search.verdict != VERDICT_VIOLATED) return true;
  const struct search_result *r = &out->search;
  if (!explain_path(s, r->path, r->path_count, out, why)) return false;
  switch (r->violation) {
  case VIOLATION_TRACE:
    out->kind = s->options->points ? "points" : "not linearizable";
    if (s->options->points) {
      out->reason = "an operation's result is not the one the specification gives at its marked linearization point: the marks are wrong, or "
                    "the object is; without --points the object is verified by itself";
      return true;
    }
    if (s->against.reference) {
      out->kind = "does not refine";
      return against_confirm(s, out, why);
    }
    return confirm(s, limits, out, why);
  case VIOLATION_DEADLOCK:
    out->kind = "deadlock";
    out->reason = "every thread that has not finished waits for a lock";
    return true;
  default:
    say_fault(s, out, &r->path[r->path_count - 1].move);
    if (out->search.path[r->path_count - 1].move.fault == FAULT_RANGE) out->search.verdict = VERDICT_UNKNOWN;
    return true;
  }
}
