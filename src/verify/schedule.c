/* Evidence of `asif verify`: the object, what was asked, and the moves of the execution that is wrong.
 *
 *   asif-evidence 1
 *   command verify
 *   verdict not linearizable     or what else was violated; linearizable: then `states` and no moves
 *   source objects/bugs/b3_pop.c
 *   hash 0123456789abcdef        of the texts of the source and what it includes
 *   argument -DSIZE=2            for the preprocessor, a line each
 *   spec stack                   what --spec said, if it was given
 *   against other.c              the same of --against
 *   approx 2                     the same of --approx; where nothing was found the verdict is `no violation seen`
 *   progress lock-free           the same of --progress; the verdict is `not lock-free`, or lock-free
 *   formula [] call(read)        the same of --ltl, with `fair weak` next; the verdict is `formula`, or holds
 *   threads 3
 *   operations 1                 or forever
 *   bound 3                      or none
 *   steps shared
 *   reduce best                  it says where moves begin and end
 *   points 0
 *   weak 0
 *   races 1                      (evidence of older versions lacks it: 0)
 *   volatile relaxed             (only where --volatile said it)
 *   memory c11                   (only with --memory tso or c11)
 *   malloc-fails 1               (only with --malloc-fails)
 *   leaks yes                    (only where --leaks said it)
 *   recursion 8
 *   addresses 1                  numbers of addresses are choices (only where the program asks for them)
 *   orders 1                     expressions whose operands are evaluated in every order; where nobody else runs all
 *                                others are in one. Without this line: all of them are, as in older versions
 *   0 12 5                       ... the file, line and column of each
 *   fault FILE:LINE:COL: TEXT    if it is one
 *   loop 3                       of liveness: so many moves at the end are repeated for ever
 *   moves 17
 *   0 12 1 0/3                   thread, instructions, how many choices, and each: which of how many
 *   ...
 *   history
 *   q Enq(5) A                   Wing-Gong lines to the end
 *
 * Replaying shares the front end and the machine with the search, and nothing else: moves are made again one by one,
 * and a history that is to have no linearization is tried in every order (evidence/core.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "evidence/evidence.h"
#include "front/conflicts.h"
#include "history/format.h"
#include "history/output.h"
#include "verify/explore.h"
#include "verify/live.h"
#include "verify/schedule.h"

static const char *const steps_names[] = {[STEPS_SHARED] = "shared", [STEPS_STATEMENT] = "statement"};
static const char *const reduce_names[] = {
    [REDUCE_BEST] = "best", [REDUCE_NONE] = "none", [REDUCE_SYM1] = "sym1", [REDUCE_SYM] = "sym",
    [REDUCE_POR] = "por",   [REDUCE_BOTH] = "both", [REDUCE_TAU] = "tau"};

static uint64_t source_hash(const struct unit *u) {
  uint64_t h = 0;
  for (size_t i = 0; i < u->files.count; i++)
    if (u->files.at[i].text) h = hash_mix(h ^ hash_bytes(u->files.at[i].text, u->files.at[i].length));
  return h;
}

/* Writing. */

static bool flush(struct text *t, void *to) {
  bool good = output_write(to, text_string(t), t->count);
  text_clear(t);
  return good;
}

static void put_liveness(const struct live_asked *asked, struct text *t) {
  if (!asked->formula) {
    text_printf(t, "progress %s\n", progress_name(asked->progress));
    return;
  }
  text_add(t, "formula ");
  for (const char *s = asked->formula; *s; s++) text_char(t, *s == '\n' || *s == '\r' ? ' ' : *s);
  text_printf(t, "\nfair %s\n", fairness_name(asked->fairness));
}

static void put_asked(const struct subject *s, struct text *t) {
  const struct verify_options *o = s->options;
  text_printf(t, "source %s\nhash %016" PRIx64 "\n", o->path, source_hash(s->unit));
  for (char *const *a = o->cc_args; a && *a; a++) text_printf(t, "argument %s\n", *a);
  if (o->spec) evidence_put_spec(t, o->spec);
  if (o->against) text_printf(t, "against %s\n", o->against);
  if (o->approx) text_printf(t, "approx %u\n", o->k);
  if (o->live) put_liveness(o->live, t);
  text_printf(t, "threads %u\noperations ", s->threads);
  text_printf(t, o->ops ? "%u" : "forever", o->ops);
  text_add(t, "\nbound ");
  text_printf(t, s->bound >= 0 ? "%" PRId64 : "none", s->bound);
  text_printf(t, "\nsteps %s\nreduce %s\npoints %d\nweak %d\nraces %d\n", steps_names[o->steps],
              reduce_names[o->search.reduce], o->points, o->weak_fails, o->races);
  if (o->volatiles) text_printf(t, "volatile %s\n", volatile_order_name(o->volatiles));
  if (o->memory != MEMORY_SC) text_printf(t, "memory %s\n", memory_model_name(o->memory));
  if (o->malloc_fails) text_add(t, "malloc-fails 1\n");
  if (o->leaks != LEAKS_IF_FREED) text_printf(t, "leaks %s\n", o->leaks == LEAKS_YES ? "yes" : "no");
  text_printf(t, "recursion %u\n", o->recursion);
}

static void put_orders(const struct subject *s, struct text *t) {
  struct text places;
  if (!s->program->conflicts) return;
  text_open(&places, s->mem);
  unsigned count = conflicts_print(s->program->conflicts, &places);
  bool matters = count != 0;
  for (uint32_t i = 0; i < s->program->code_count; i++) matters |= s->program->code[i].code == I_UNORDERED;
  if (count > CONFLICTS_MOST || !matters) return;
  text_printf(t, "orders %u\n%s", count, text_string(&places));
}

/* "file:line:col: text" of the schedule's end. */
static void put_fault(const struct subject *s, const struct verified *v, struct text *t) {
  const struct schedule *told = &v->schedule;
  if (v->at_start) {
    text_add(t, v->reason);
  } else if (told->lines.count && told->lines.at[told->lines.count - 1].kind == SCHEDULE_FAULT) {
    const struct schedule_line *l = &told->lines.at[told->lines.count - 1];
    place_print(s->unit, (struct place){l->file, l->line, (uint16_t)l->column}, t);
    text_printf(t, ": %s", l->text);
  }
}

static void put_moves(const struct search_result *r, struct text *t) {
  text_printf(t, "moves %zu\n", r->path_count);
  for (size_t i = 0; i < r->path_count; i++) {
    const struct path_move *m = &r->path[i];
    text_printf(t, "%u %" PRIu32 " %u", m->thread, m->move.length, m->choices.made);
    for (unsigned k = 0; k < m->choices.made; k++) text_printf(t, " %u/%u", m->choices.taken[k], m->choices.of[k]);
    text_char(t, '\n');
  }
}

/* The verdict of what holds. */
static const char *holding(const struct verify_options *o) {
  if (o->live) return o->live->formula ? "holds" : progress_name(o->live->progress);
  return o->against ? "refines" : o->approx ? "no violation seen" : "linearizable";
}

struct whole {
  const struct subject *subject;
  const struct verified *answer;
};

static bool write_all(struct mem *m, struct output *out, const void *self, struct problem *why) {
  const struct subject *s = ((const struct whole *)self)->subject;
  const struct verified *v = ((const struct whole *)self)->answer;
  struct text t, fault;
  text_open(&t, m);
  text_open(&fault, m);
  bool holds = v->search.verdict == VERDICT_HOLDS;
  text_printf(&t, "asif-evidence 1\ncommand verify\nverdict %s\n", holds ? holding(s->options) : v->kind);
  put_asked(s, &t);
  if (holds) {
    text_printf(&t, "states %" PRIu64 "\ntransitions %" PRIu64 "\ndepth %" PRIu32 "\n", v->search.states,
                v->search.transitions, v->search.depth);
    return flush(&t, out);
  }
  if (s->unit->address_numbers) text_add(&t, "addresses 1\n");
  put_orders(s, &t);
  if (s->machine_options.room) text_printf(&t, "room %u\n", s->machine_options.room);
  put_fault(s, v, &fault);
  if (fault.count) text_printf(&t, "fault %s\n", text_string(&fault));
  if (s->options->live) text_printf(&t, "loop %zu\n", v->loop_count);
  put_moves(&v->search, &t);
  text_add(&t, "history\n");
  return (!v->history || format_wing_gong.write(v->history, &t, why, flush, out)) && flush(&t, out);
}

bool schedule_write(const char *path, const struct subject *s, const struct verified *v, struct problem *why) {
  return output_whole(path, write_all, &(struct whole){s, v}, why);
}

/* Reading. */

struct evidence {
  struct replaying *replaying;
  struct mem *mem;
  const char *verdict, *fault;
  uint64_t hash, states;
  struct spec_named spec; /* of --spec, or without a name */
  struct verify_options options;
  struct live_asked live;
  uint64_t loop;
  evidence_list arguments;
  struct conflicts *conflicts; /* or NULL */
  bool address_numbers;
  uint64_t room; /* machine_options.room */
  VEC(struct path_move) moves;
  struct text history;
};

/* A number, or the word for there being none: UINT64_MAX. */
static bool read_number_or(struct evidence_lines *l, const char *name, const char *otherwise, uint64_t most,
                           uint64_t *out) {
  char *s = line_take(l, name);
  if (s && !strcmp(s, otherwise)) return *out = UINT64_MAX, true;
  return (s && number_at(&s, most, out) && !*s) || line_unexpected(l, name);
}

static bool read_name(struct evidence_lines *l, const char *name, const char *const *names, unsigned count,
                      unsigned *out) {
  const char *s;
  if (!line_text(l, name, &s)) return false;
  for (*out = 0; *out < count; ++*out)
    if (!strcmp(names[*out], s)) return true;
  return line_unexpected(l, name);
}

/* What was asked of infinite executions, if that was. */
static bool read_liveness(struct evidence_lines *l, struct evidence *e) {
  const char *progress = line_take(l, "progress"), *fair;
  struct live_asked *asked = &e->live;
  if (progress) {
    while (strcmp(progress_name(asked->progress), progress))
      if (asked->progress++ == PROGRESS_WAIT_FREE) return line_unexpected(l, "progress");
  } else {
    asked->formula = line_take(l, "formula");
    if (!asked->formula) return true;
    if (!line_text(l, "fair", &fair)) return false;
    while (strcmp(fairness_name(asked->fairness), fair))
      if (asked->fairness++ == FAIR_STRONG) return line_unexpected(l, "fair");
  }
  e->options.live = asked;
  return true;
}

static bool read_approx(struct evidence_lines *l, struct evidence *e) {
  char *s = line_take(l, "approx");
  uint64_t k;
  if (!s) return true;
  if (!number_at(&s, COUNTINGS_K_MOST, &k) || *s) return line_unexpected(l, "approx");
  e->options.approx = true;
  e->options.k = (unsigned)k;
  return true;
}

static bool read_source(struct evidence_lines *l, struct evidence *e) {
  if (!line_text(l, "verdict", &e->verdict) || !line_text(l, "source", &e->options.path) ||
      !line_hash(l, "hash", &e->hash))
    return false;
  for (char *s; (s = line_take(l, "argument"));) vec_push(e->mem, &e->arguments, s);
  vec_push(e->mem, &e->arguments, NULL);
  e->options.cc_args = e->arguments.at;
  if (!evidence_read_spec(l, &e->spec)) return false;
  e->options.spec = e->spec.name;
  if (!e->spec.name) e->options.against = line_take(l, "against");
  return read_approx(l, e) && read_liveness(l, e);
}

static bool read_asked(struct evidence_lines *l, struct evidence *e) {
  struct verify_options *o = &e->options;
  uint64_t ops, bound, points, weak, recursion, threads;
  unsigned steps, reduce;
  if (!read_source(l, e) || !line_number(l, "threads", THREADS_MOST - 1, &threads)) return false;
  if (!threads) return line_unexpected(l, "threads");
  if (!read_number_or(l, "operations", "forever", 1000, &ops) || !read_number_or(l, "bound", "none", 1000000, &bound))
    return false;
  if (!read_name(l, "steps", steps_names, 2, &steps)) return false;
  if (!read_name(l, "reduce", reduce_names, sizeof reduce_names / sizeof *reduce_names, &reduce)) return false;
  if (!line_number(l, "points", 1, &points) || !line_number(l, "weak", 1, &weak)) return false;
  const char *races = line_take(l, "races");
  const char *said = line_take(l, "volatile");
  o->volatiles = volatile_order_read(said);
  if (said && strcmp(said, volatile_order_name(o->volatiles))) return line_unexpected(l, "volatile");
  if (!memory_model_read(line_take(l, "memory"), &o->memory)) return line_unexpected(l, "memory");
  o->tracks_all = true;
  const char *fails = line_take(l, "malloc-fails");
  if (fails && strcmp(fails, "1")) return line_unexpected(l, "malloc-fails");
  o->malloc_fails = fails != NULL;
  const char *leaks = line_take(l, "leaks");
  if (leaks && strcmp(leaks, "yes") && strcmp(leaks, "no")) return line_unexpected(l, "leaks");
  o->leaks = !leaks ? LEAKS_IF_FREED : !strcmp(leaks, "yes") ? LEAKS_YES : LEAKS_NO;
  if (!line_number(l, "recursion", 1000, &recursion)) return false;
  o->races = races && !strcmp(races, "1");
  o->threads = (unsigned)threads;
  o->ops = ops == UINT64_MAX ? OPS_FOREVER : (unsigned)ops;
  o->bound = bound == UINT64_MAX ? -1 : (int64_t)bound;
  o->steps = (enum steps)steps;
  o->search.reduce = (enum reduce)reduce;
  o->points = points;
  o->weak_fails = weak;
  o->recursion = (unsigned)recursion;
  return true;
}

static bool read_move(struct evidence_lines *l, struct evidence *e) {
  struct path_move m = {0};
  uint64_t thread, length, made = 0, taken = 0, of = 0;
  char *s;
  if (!line_any(l, "a line for each move", &s)) return false;
  bool good = number_at(&s, e->options.threads - 1, &thread) && *s++ == ' ' && number_at(&s, UINT32_MAX, &length) &&
              *s++ == ' ' && number_at(&s, CHOICES_MOST, &made);
  for (unsigned i = 0; good && i < made; i++) {
    good = *s++ == ' ' && number_at(&s, UINT16_MAX, &taken) && *s++ == '/' && number_at(&s, UINT16_MAX, &of);
    m.choices.taken[i] = (uint16_t)taken;
    m.choices.of[i] = (uint16_t)of;
  }
  if (!good || *s) return line_unexpected(l, "thread, length, choices: 0 12 1 0/3");
  m.thread = (uint8_t)thread;
  m.move.length = (uint32_t)length;
  m.choices.made = (uint8_t)made;
  vec_push(e->mem, &e->moves, m);
  return true;
}

static bool read_orders(struct evidence_lines *l, struct evidence *e) {
  uint64_t count;
  char *s = line_take(l, "orders");
  struct text place;
  if (!s) return true;
  if (!number_at(&s, CONFLICTS_MOST, &count) || *s) return line_unexpected(l, "orders");
  e->options.check_orders = true;
  e->conflicts = conflicts_new(e->mem);
  for (uint64_t i = 0; i < count; i++) {
    if (!line_any(l, "a line for each expression", &s)) return false;
    text_open(&place, e->mem);
    text_printf(&place, "%s\n", s);
    if (!conflicts_read(e->conflicts, text_string(&place))) return line_unexpected(l, "file, line, column: 0 12 5");
  }
  return true;
}

static bool read_room(struct evidence_lines *l, struct evidence *e) {
  char *s = line_take(l, "room");
  if (!s) return true;
  return (number_at(&s, ROOM_MOST, &e->room) && !*s) || line_unexpected(l, "room 1");
}

static bool read_moves(struct evidence_lines *l, struct evidence *e) {
  uint64_t count;
  const char *addresses = line_take(l, "addresses");
  if (addresses && strcmp(addresses, "1")) return line_unexpected(l, "addresses");
  e->address_numbers = addresses != NULL;
  if (!read_orders(l, e) || !read_room(l, e)) return false;
  e->fault = line_take(l, "fault");
  if (e->options.live && !line_number(l, "loop", UINT32_MAX, &e->loop)) return false;
  if (!line_number(l, "moves", UINT32_MAX, &count)) return false;
  if (count < e->loop) return line_unexpected(l, "moves");
  for (uint64_t i = 0; i < count; i++)
    if (!read_move(l, e)) return false;
  text_open(&e->history, e->mem);
  return line_exact(l, "history") && line_rest(l, &e->history);
}

/* Re-validating. */

static bool same_choices(const struct choices *a, const struct choices *b) {
  if (a->made != b->made) return false;
  for (unsigned i = 0; i < a->made; i++)
    if (a->taken[i] != b->taken[i] || a->of[i] != b->of[i]) return false;
  return true;
}

/* Makes the move if it can be made: its choices are looked for among those there are, and not believed. */
static enum moved make_move(struct system *m, const void *here, const struct path_move *path, void *there,
                            struct move *move) {
  struct choices choices;
  choices_begin(&choices);
  do {
    enum moved moved = m->again(m, here, path->thread, &choices, path->move.length, there, move);
    if (same_choices(&choices, &path->choices)) return moved;
  } while (choices_next(&choices));
  return STOPPED;
}

struct walk {
  struct subject *subject;
  struct traces traces;
  void *here, *there;
  uint32_t set; /* what the specification allows, for the bound and for linearization points */
  enum moved last;
  enum fault fault; /* of the last move */
};

/* Goes along the moves. False: move *at cannot be made. */
static bool walk(struct walk *w, struct evidence *e, size_t *at) {
  struct system *m = w->subject->machine;
  for (*at = 0; *at < e->moves.count; ++*at) {
    struct move move;
    struct path_move *made = &e->moves.at[*at];
    w->last = make_move(m, w->here, made, w->there, &move);
    move.length = made->move.length;
    made->move = move;
    w->fault = w->last == FAULTED ? move.fault : FAULT_NONE;
    if (w->last != MOVED && !(w->last == FAULTED && *at + 1 == e->moves.count)) return false;
    for (unsigned i = 0; i < move.event_count && w->set && !e->options.against; i++) {
      struct event ev = move.events[i];
      if (ev.kind == EVENT_CALL && !w->traces.may_call(w->traces.self, w->set, ev.thread, ev.call)) return false;
      w->set = w->traces.step(w->traces.self, w->set, ev);
    }
    memcpy(w->here, w->there, m->work);
  }
  return true;
}

/* Unknown if a limit was reached. */
static enum verdict is_deadlock(const struct evidence *e, const struct walk *w, struct stuck_asked *asked) {
  struct worker at = {
      .system = w->subject->machine, .traces = w->traces, .from = w->here, .to = w->there, .set = w->set};
  mem_open(&at.mem, e->mem->limits);
  volatile enum verdict v = VERDICT_UNKNOWN;
  if (!MEM_GUARD(&at.mem)) v = (asked ? is_asleep(&at, asked) : is_stuck(&at)) ? VERDICT_HOLDS : VERDICT_VIOLATED;
  mem_close(&at.mem);
  return v;
}

static bool keep_all(struct text *t, void *to) { return (void)t, (void)to, true; }

static bool same_history(const struct evidence *e, const struct history *h) {
  struct text t;
  struct problem why;
  text_open(&t, e->mem);
  return format_wing_gong.write(h, &t, &why, keep_all, NULL) && !strcmp(text_string(&t), text_string(&e->history));
}

static bool same_key(const struct history *h, size_t i, size_t k) { return h->ops.at[i].arg[0] == h->ops.at[k].arg[0]; }

/* No order of all its operations, tried one after the other. Where operations with different keys do not affect each
 * other (spec.keyed), the operations of one key have none: the history is not linearizable exactly if that is so of
 * some key. */
static enum verdict try_orders(struct evidence *e, struct subject *s, struct history *h, struct problem *why) {
  struct check_result part = {.core_to = UINT32_MAX};
  struct spec spec = s->spec;
  enum verdict all = VERDICT_HOLDS;
  bool *taken = mem_zero(e->mem, h->ops.count + 1, sizeof *taken);
  part.core = mem_alloc(e->mem, (h->ops.count + 1) * sizeof *part.core);
  spec.values = h->values;
  spec.processes = h->processes;
  for (size_t first = 0; first < h->ops.count; first++) {
    if (taken[first]) continue;
    part.core_count = 0;
    for (size_t i = first; i < h->ops.count; i++)
      if (!spec.keyed || same_key(h, first, i)) part.core[part.core_count++] = (uint32_t)i, taken[i] = true;
    enum verdict v = evidence_check_core(e->mem, h, &spec, &part, why);
    if (v == VERDICT_VIOLATED) return v;
    if (v == VERDICT_UNKNOWN) all = v;
  }
  return all;
}

static enum verdict refuted(struct text *said, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum verdict refuted(struct text *said, const char *format, ...) {
  char line[600];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  text_printf(said, "%s\n", line);
  return VERDICT_VIOLATED;
}

static enum verdict replay_start(const struct evidence *e, struct subject *s, struct text *said) {
  struct move start;
  struct text place;
  text_open(&place, e->mem);
  if (!machine_start_fault(s->machine, &start)) return refuted(said, "the initialisation does not fail");
  place_print(s->unit, start.place, &place);
  text_printf(&place, ": %s", fault_name(start.fault));
  if (strncmp(text_string(&place), e->fault, place.count))
    return refuted(said, "the initialisation fails otherwise: %s", text_string(&place));
  if (strcmp(fault_kind(start.fault), e->verdict))
    return refuted(said, "the fault is called %s, not %s", fault_kind(start.fault), e->verdict);
  text_printf(said, "%s, before the threads start\n", e->fault);
  return VERDICT_HOLDS;
}

static enum verdict replay_fault(const struct evidence *e, struct subject *s, const struct verified *v,
                                 const struct walk *w, struct text *said) {
  struct text fault;
  text_open(&fault, e->mem);
  put_fault(s, v, &fault);
  if (w->last != FAULTED) return refuted(said, "the execution goes on after its last move: there is no fault");
  if (strcmp(text_string(&fault), e->fault)) return refuted(said, "the fault is another one: %s", text_string(&fault));
  const char *kind = fault_kind(w->fault);
  if (strcmp(kind, e->verdict)) return refuted(said, "the fault is called %s, not %s", kind, e->verdict);
  text_printf(said, "the %zu moves lead there: %s\n", e->moves.count, e->fault);
  return VERDICT_HOLDS;
}

static enum verdict replay_trace(struct evidence *e, struct subject *s, struct verified *v, struct walk *w,
                                 struct text *said, struct problem *why) {
  if (strcmp(e->verdict, trace_kind(s))) return refuted(said, "the moves do not lead to this verdict: %s", e->verdict);
  if (s->against.reference) {
    if (!against_confirm(s, v, why)) return refuted(said, "%s has this history", e->options.against);
    text_printf(said, "the %zu moves give this history; %s\n", e->moves.count, v->reason);
    return VERDICT_HOLDS;
  }
  if (s->options->points) {
    if (w->set) return refuted(said, "the specification allows these results at the marked linearization points");
    text_printf(
        said,
        "the %zu moves lead to a result that the specification does not give at the marked linearization points\n",
        e->moves.count);
    return VERDICT_HOLDS;
  }
  enum verdict found = try_orders(e, s, v->history, why);
  if (found == VERDICT_HOLDS) return refuted(said, "the history of the execution has a linearization");
  if (found == VERDICT_UNKNOWN) return replay_unknown(e->replaying, "too many orders to try"), VERDICT_UNKNOWN;
  text_printf(said, "the %zu moves give this history, and its %zu operations have no legal order\n", e->moves.count,
              v->history->ops.count);
  return VERDICT_HOLDS;
}

static bool confirms(const struct evidence *e, struct subject *s, struct problem *why) {
  struct ltl_names names = live_names(s);
  return live_confirm(e->mem, live_system(s), &e->live, &names, e->moves.at, e->moves.count, e->loop, NULL, why);
}

static enum verdict replay_run(struct evidence *e, struct subject *s, struct text *said, struct problem *why) {
  char condition[40];
  snprintf(condition, sizeof condition, "not %s", progress_name(e->live.progress));
  bool same = !strcmp(e->verdict, e->live.formula ? "formula" : condition);
  if (!same) return refuted(said, "what was asked for, and what is said to be violated, differ");
  if (!confirms(e, s, why)) {
    subject_remember(s); /* it may have been found so */
    if (!confirms(e, s, why)) return refuted(said, "%s", why->text);
  }
  text_printf(said, "the %zu moves can be made", e->moves.count);
  if (e->loop) text_printf(said, ", and the last %" PRIu64 " of them again and again", e->loop);
  text_printf(said, ": %s\n", e->live.formula ? "the formula is false of that" : e->verdict);
  return VERDICT_HOLDS;
}

static enum verdict replay_stuck(const struct evidence *e, const struct subject *s, const struct walk *w,
                                 struct text *said) {
  const struct traces *traces = &w->traces;
  if (s->against.reference || !traces->owes)
    return replay_unknown(e->replaying, "nothing says which operations have to return"), VERDICT_UNKNOWN;
  if (!w->set) return refuted(said, "the specification does not allow the results before the last move");
  struct stuck_asked asked = {.states = UINT64_MAX};
  bool asleep = is_deadlock(e, w, &asked) == VERDICT_HOLDS, owed = false;
  if (!asleep) asked.owed = traces->owes(traces->self, w->set);
  enum verdict v = VERDICT_HOLDS;
  do {
    if (!asked.owed) continue;
    owed = true;
    v = subject_stuck(s, e->moves.at, e->moves.count, &asked);
  } while (v == VERDICT_HOLDS && asleep && is_deadlock(e, w, &asked) == VERDICT_HOLDS);
  if (!owed)
    return refuted(said, "the specification lets every operation wait that is open after the last move, or none is");
  if (v == VERDICT_HOLDS) return refuted(said, "an operation can return after the last move, or none is open");
  if (v == VERDICT_UNKNOWN) return replay_unknown(e->replaying, asked.undecided), v;
  text_printf(said, "after the %zu moves none of the open operations can return, whatever threads do\n",
              e->moves.count);
  return VERDICT_HOLDS;
}

static enum verdict replay_asleep(const struct evidence *e, const struct subject *s, const struct walk *w,
                                  struct text *said) {
  struct stuck_asked asked = {.states = UINT64_MAX};
  if (is_deadlock(e, w, &asked) == VERDICT_VIOLATED)
    return refuted(said, "a thread can move after the last move: there is no deadlock");
  enum verdict v;
  do v = subject_stuck(s, e->moves.at, e->moves.count, &asked);
  while (v != VERDICT_UNKNOWN && !asked.asleep && is_deadlock(e, w, &asked) == VERDICT_HOLDS);
  if (v == VERDICT_UNKNOWN) return replay_unknown(e->replaying, asked.undecided), v;
  if (!asked.asleep) return refuted(said, "the operation that waits for a signal may wait there");
  text_printf(said,
              "after the %zu moves no thread can move, and one waits for a signal; one operation at a time it "
              "does not\n",
              e->moves.count);
  return VERDICT_HOLDS;
}

/* What is lost was found and told as the moves were made again. */
static enum verdict replay_leak(const struct evidence *e, const struct walk *w, struct text *said) {
  if (machine_lost(w->subject->machine, w->here) == NO_OBJECT)
    return refuted(said, "all memory that was not freed can be reached after the last move");
  text_printf(said, "after the %zu moves there is memory that nobody can reach, and that nobody freed\n",
              e->moves.count);
  return VERDICT_HOLDS;
}

static enum verdict replay_moves(struct evidence *e, struct subject *s, struct text *said, struct problem *why) {
  struct verified v = {.search.violation = VIOLATION_TRACE};
  struct walk w = {.subject = s,
                   .traces = s->counted ? counted_traces(s->counted) : specsets_traces(s->sets),
                   .here = mem_zero(e->mem, 1, s->machine->work),
                   .there = mem_zero(e->mem, 1, s->machine->work)};
  size_t at;
  w.set = w.traces.initial(w.traces.self);
  s->machine->start(s->machine, w.here);
  if (!e->moves.count && e->fault) return replay_start(e, s, said);
  if (!walk(&w, e, &at)) return refuted(said, "move %zu of the execution cannot be made", at + 1);
  v.search.path = e->moves.at;
  v.search.path_count = e->moves.count;
  if (!explain_path(s, e->moves.at, e->moves.count, &v, why)) return refuted(said, "%s", why->text);
  if (!same_history(e, v.history)) return refuted(said, "the execution has another history");
  if (e->fault) return replay_fault(e, s, &v, &w, said);
  if (w.last == FAULTED) return refuted(said, "the execution ends with a fault");
  if (e->options.live) return replay_run(e, s, said, why);
  if (!strcmp(e->verdict, "leak")) return replay_leak(e, &w, said);
  if (!strcmp(e->verdict, "no return")) return replay_stuck(e, s, &w, said);
  if (strcmp(e->verdict, "deadlock")) return replay_trace(e, s, &v, &w, said, why);
  enum verdict dead = is_deadlock(e, &w, NULL);
  if (dead == VERDICT_UNKNOWN) return replay_unknown(e->replaying, "a limit was reached"), dead;
  if (dead == VERDICT_VIOLATED) return replay_asleep(e, s, &w, said);
  text_printf(said, "after the %zu moves no thread can move, and one waits for a lock\n", e->moves.count);
  return VERDICT_HOLDS;
}

/* The command that searches again. */
static void put_command(const struct evidence *e, struct text *t) {
  const struct verify_options *o = &e->options;
  text_add(t, "  asif verify ");
  text_shell_word(t, o->path);
  if (o->spec) text_add(t, " --spec "), text_shell_word(t, o->spec);
  if (o->against) text_add(t, " --against "), text_shell_word(t, o->against);
  if (o->approx) text_printf(t, " --approx %u", o->k);
  if (o->live && o->live->formula)
    text_add(t, " --ltl "), text_shell_word(t, o->live->formula),
        text_printf(t, " --fair %s", fairness_name(o->live->fairness));
  else if (o->live)
    text_printf(t, " --progress %s", progress_name(o->live->progress));
  text_printf(t, " --threads %u --ops ", o->threads);
  text_printf(t, o->ops ? "%u" : "forever", o->ops);
  if (o->bound >= 0) text_printf(t, " --bound %" PRId64, o->bound);
  if (o->steps == STEPS_STATEMENT) text_add(t, " --steps statement");
  if (o->points) text_add(t, " --points");
  if (o->weak_fails) text_add(t, " --weak");
  if (o->malloc_fails) text_add(t, " --malloc-fails");
  if (o->leaks != LEAKS_IF_FREED) text_printf(t, " --leaks %s", o->leaks == LEAKS_YES ? "yes" : "no");
  if (!o->races) text_add(t, " --races no");
  if (o->memory != MEMORY_SC) text_printf(t, " --memory %s", memory_model_name(o->memory));
  if (o->volatiles) text_printf(t, " --volatile %s", volatile_order_name(o->volatiles));
  if (o->recursion) text_printf(t, " --recursion %u", o->recursion);
  if (o->search.reduce != REDUCE_BEST) text_printf(t, " --reduce %s", reduce_names[o->search.reduce]);
  if (e->arguments.count > 1) text_add(t, " --");
  for (size_t i = 0; i + 1 < e->arguments.count; i++) text_char(t, ' '), text_shell_word(t, e->arguments.at[i]);
  text_char(t, '\n');
}

static bool replay_holds(struct evidence_lines *l, struct evidence *e) {
  struct text *said = &e->replaying->said;
  if (!line_number(l, "states", UINT64_MAX, &e->states)) return false;
  text_printf(said,
              "a complete search of %" PRIu64
              " states found no violation%s; nothing shorter shows that. This repeats it:\n\n",
              e->states, e->options.approx ? " that the approximation shows" : "");
  put_command(e, said);
  text_add(said, e->options.live || e->options.approx
                     ? "\n"
                     : "\nand with --reduce none it takes longer, but relies on no reduction.\n");
  return replay_unknown(e->replaying, "the search was not repeated");
}

/* Reads the source: by our own preprocessor, which runs nothing; by a compiler only if that may be run. False: the
 * verdict is unknown, or there is a problem. */
static struct unit *read_again(struct evidence *e) {
  struct replaying *r = e->replaying;
  struct unit *unit = front_read_own(e->mem, e->options.path, e->options.cc_args, r->why);
  if (unit || r->why->kind != PROBLEM_UNSUPPORTED) return unit;
  text_printf(&r->said, "%s\n", r->why->text);
  if (!r->run) return replay_unknown(r, "a compiler has to preprocess the source (--run)"), NULL;
  if (!replay_arguments_trusted(r, e->options.cc_args)) return NULL;
  r->show(r);
  e->options.only_read = false;
  return front_read(e->mem, e->options.path, e->options.cc_args, r->why);
}

static bool replay_execution(struct evidence *e, struct subject *s, struct unit *unit) {
  struct replaying *r = e->replaying;
  bool changed = source_hash(unit) != e->hash;
  if (changed) text_printf(&r->said, "%s, or what it includes, has changed since\n", e->options.path);
  if (e->spec.file && changed) return replay_unknown(r, "the source has changed");
  if (!replay_spec_may_load(r, &e->spec)) return true;
  if (e->spec.file) e->options.only_read = false, r->show(r);
  unit->conflicts = e->conflicts;
  unit->address_numbers = e->address_numbers;
  if (!subject_make(e->mem, unit, &e->options, s, r->why)) {
    if (r->why->kind != PROBLEM_UNSUPPORTED) return false;
    text_printf(&r->said, "%s\n", r->why->text);
    return replay_unknown(r, "the source is not read");
  }
  if (e->room) subject_grow(s, (unsigned)e->room);
  r->verdict = replay_moves(e, s, &r->said, r->why);
  const char *user = spec_user_fault(&s->spec);
  if (user) problem_set(r->why, "%s", user);
  return !user;
}

bool schedule_replay(struct replaying *r, struct evidence_lines *l) {
  struct evidence *e = mem_zero(r->mem, 1, sizeof *e);
  struct subject *s = mem_zero(r->mem, 1, sizeof *s);
  e->replaying = r;
  e->mem = r->mem;
  e->options.only_read = true;
  if (!read_asked(l, e)) return false;
  text_printf(&r->said, "%s: verify %s, %s\n", l->in->name, e->options.path, e->verdict);
  if (!strcmp(e->verdict, holding(&e->options))) return replay_holds(l, e);
  if (!read_moves(l, e)) return false;
  if (r->run) {
    char *const source[] = {(char *)e->options.path, (char *)e->options.against, NULL};
    replay_tell_code(r, &(struct code_named){source, e->arguments.at, e->spec.name, NULL});
  }
  struct unit *unit = read_again(e);
  if (!unit) return r->unknown != NULL;
  bool good = replay_execution(e, s, unit);
  subject_close(s);
  return good;
}
