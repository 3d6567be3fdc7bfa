/* Generating histories: threads that call, take effect on a sequential object, and return, interleaved at random.
 *
 * Each thread goes round: call event, effect, return event; a step takes a random thread one further. The result comes
 * from the object at the effect, which lies between call and return, so the effects in order are a linearization.
 * Nearly all threads have an operation open nearly all the time.
 *
 * A violation is a plan of a few operations that one thread calls one after the other while the rest goes on. It is
 * wrong whatever the others do: its values are unheard of elsewhere, and where a pending operation might excuse it, it
 * is repeated once more than there are pending operations. */
#include "generate/generate.h"

#include <string.h>

#include "generate/subject.h"

/* clang-format off */
static const struct subject *const subjects[] = {
    &subject_queue, &subject_stack, &subject_priority_queue, &subject_deque, &subject_stepped, &subject_set,
    &subject_multiset, &subject_register, &subject_cas_register, &subject_map, &subject_counter, &subject_lock,
    &subject_rw_lock, &subject_semaphore, &subject_snzi, &subject_mailbox, &subject_bounded, &subject_weak,
    &subject_weak_bounded, &subject_bag, &subject_weak_bag, &subject_stealing, &subject_weak_stealing, &subject_latch,
    &subject_once, &subject_upgrade_lock, &subject_hash_map, &subject_ordered_map,
    NULL};
/* clang-format on */

enum { IDLE, CALLED, DONE };

struct thread {
  struct op op;
  uint8_t state;
  bool pending, planned;
  uint32_t process; /* its own; the operation may be by another (planned.other) */
};

struct schedule {
  struct generator *g;
  struct thread *threads;
  uint32_t object, processes;
  uint32_t other;          /* a process that does nothing but what the plan gives it */
  uint32_t calls, open;    /* operations called; threads that are not idle */
  uint32_t start, next;    /* when the plan begins (in calls); its next operation */
  uint32_t pending, among; /* still to be made pending, among how many calls to come */
  bool over;               /* the plan has ended */
};

static const struct subject *subject_for(const struct spec *s) {
  enum variant variant = s->bounded && s->weak                              ? VARIANT_WEAK_BOUNDED
                         : s->bounded                                       ? VARIANT_BOUNDED
                         : s->weak                                          ? VARIANT_WEAK
                         : s->family == FAMILY_REGISTER && spec_compares(s) ? VARIANT_CAS
                                                                            : VARIANT_PLAIN;
  for (int i = 0; subjects[i]; i++)
    if (subjects[i]->families >> s->family & 1 && subjects[i]->variant == variant) return subjects[i];
  return NULL;
}

const struct bad_kind *generate_kinds(const struct spec *s) {
  static const struct bad_kind none[] = {{NULL, NULL}};
  const struct subject *subject = subject_for(s);
  return subject ? subject->kinds : none;
}

/* The schedule. */

/* A, B, ... Z, A1, B1, ...: every thread has a name, and gets a new one when an operation of it never returns. */
static uint32_t new_process(struct schedule *s) {
  char name[16];
  uint32_t p = s->processes++;
  int n = snprintf(name, sizeof name, "%c", 'A' + (int)(p % 26));
  if (p >= 26) n += snprintf(name + n, sizeof name - (size_t)n, "%u", p / 26);
  return names_intern(s->g->history->processes, name, (size_t)n);
}

static uint32_t plan_left(const struct schedule *s) { return (uint32_t)s->g->plan.count - s->next; }

static bool plan_began(const struct schedule *s) { return s->g->plan.count && !s->over && s->calls >= s->start; }

/* Takes the next operation of the plan, if it is this thread's turn to. */
static bool take_planned(struct schedule *s, uint32_t t) {
  struct generator *g = s->g;
  if (t || !plan_began(s) || (g->alone && s->open)) return false;
  struct planned *p = &g->plan.at[s->next++];
  if (p->late) g->subject->adapt(g, p);
  struct thread *thread = &s->threads[t];
  thread->op = p->op;
  thread->op.process = p->other ? s->other : thread->process;
  thread->planned = true;
  thread->pending = false;
  return true;
}

static bool take_chosen(struct schedule *s, uint32_t t) {
  struct generator *g = s->g;
  struct thread *thread = &s->threads[t];
  g->draining = plan_began(s) && g->alone;
  if ((g->draining && (!g->subject->waits || s->next)) || (!t && plan_began(s) && !g->draining)) return false;
  g->left = g->options->operations - s->calls - plan_left(s);
  if (!g->left) return false;
  thread->op = (struct op){.arg = {V_NONE, V_NONE, V_NONE}, .result = V_UNKNOWN, .process = thread->process};
  if (!g->subject->choose(g, t, &thread->op)) return false;
  thread->planned = false;
  thread->pending = s->pending && random_below(g, s->among) < s->pending;
  if (s->among) s->among--;
  s->pending -= thread->pending;
  return true;
}

static void call(struct schedule *s, uint32_t t) {
  struct thread *thread = &s->threads[t];
  struct generator *g = s->g;
  if (!take_planned(s, t) && !take_chosen(s, t)) return;
  struct op *o = &thread->op;
  int args = 0;
  while (args < OP_ARGS && o->arg[args] != V_NONE) args++;
  history_call(g->history, o->process, s->object, o->method, o->arg, args, 0);
  s->calls++;
  s->open++;
  thread->state = CALLED;
  if (!thread->pending || (g->subject->pending ? g->subject->pending(g, o) : (int)random_below(g, 2))) return;
  thread->state = IDLE; /* never takes effect */
  thread->process = new_process(s);
  s->open--;
}

static void effect(struct schedule *s, uint32_t t) {
  struct thread *thread = &s->threads[t];
  struct generator *g = s->g;
  bool real = !thread->planned || g->plan.at[s->next - 1].real;
  if (!real || g->subject->apply(g, t, &thread->op, &thread->op.result)) thread->state = DONE;
}

static void finish(struct schedule *s, uint32_t t) {
  struct thread *thread = &s->threads[t];
  thread->state = IDLE;
  s->open--;
  if (thread->pending) {
    thread->process = new_process(s);
  } else {
    history_return(s->g->history, thread->op.process, s->object, thread->op.result);
    if (thread->planned && !plan_left(s)) s->over = true;
  }
  if (random_below(s->g, 8)) call(s, t);
}

static void run(struct schedule *s) {
  struct generator *g = s->g;
  uint32_t threads = g->options->threads, n = g->options->operations;
  for (uint64_t step = 0; s->calls < n || s->open; step++) {
    if (!(step & 0xfff)) mem_poll(g->mem);
    uint32_t t = random_below(g, threads);
    switch (s->threads[t].state) {
    case IDLE: call(s, t); break;
    case CALLED: effect(s, t); break;
    default: finish(s, t);
    }
  }
}

/* The options. */

static bool plan_violation(struct generator *g, struct problem *p) {
  const struct generate_options *o = g->options;
  const struct bad_kind *kinds = g->subject->kinds;
  char list[300];
  size_t used = 0;
  int count = 0;
  while (kinds[count].name) count++;
  const char *bad = strcmp(o->bad, "any") ? o->bad : kinds[random_below(g, (uint32_t)count)].name;
  for (int i = 0; i < count; i++) {
    if (!strcmp(kinds[i].name, bad)) {
      g->subject->plan(g, bad);
      if (g->plan.count <= o->operations) return true;
      problem_set(p, "the violation '%s' takes %zu operations, more than %u", bad, g->plan.count, o->operations);
      return false;
    }
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", kinds[i].name);
  }
  problem_set(p, "no violation of a %s is called '%s'; there are: any, %s", g->spec->name, o->bad, list);
  return false;
}

static bool prepare(struct generator *g, struct schedule *s, struct problem *p) {
  const struct generate_options *o = g->options;
  g->subject = subject_for(g->spec);
  if (!g->subject) {
    problem_set(p, "histories of a %s cannot be generated yet", g->spec->name);
    return false;
  }
  for (g->bits = 4; g->bits < 29 && o->operations >> g->bits; g->bits++) {}
  g->subject->open(g);
  if (o->bad && !plan_violation(g, p)) return false;
  uint32_t planned = (uint32_t)g->plan.count;
  s->start = o->operations - planned;
  s->start -= o->operations / 100 < s->start ? o->operations / 100 : s->start;
  s->pending = o->pending;
  s->among = planned ? s->start : o->operations;
  if (s->pending <= s->among) return true;
  problem_set(p, "%u pending operations do not fit among %u%s", o->pending, s->among,
              planned ? " before the violation" : "");
  return false;
}

struct history *generate_history(struct mem *m, const struct generate_options *o, struct problem *p) {
  struct spec spec = *o->spec;
  struct generator g = {.mem = m, .options = o, .spec = &spec, .random = hash_mix(o->seed ^ 0x5851f42d4c957f2du)};
  struct schedule s = {.g = &g};
  g.history = history_new(m, "generated");
  spec.values = g.history->values;
  if (!prepare(&g, &s, p)) return NULL;
  for (unsigned i = 0; i < spec.op_count; i++) {
    size_t len;
    const char *name = spec_op_name(&spec, i, &len);
    names_intern(g.history->methods, name, len);
  }
  s.object = names_intern(g.history->objects, spec.name, 1);
  s.threads = mem_zero(m, o->threads, sizeof *s.threads);
  for (uint32_t t = 0; t < o->threads; t++) s.threads[t].process = new_process(&s);
  s.other = new_process(&s);
  vec_reserve(m, &g.history->ops, (size_t)o->operations + 1);
  run(&s);
  history_finish(g.history);
  mem_free(m, s.threads);
  return g.history;
}
