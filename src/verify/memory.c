/* --memory: which memory a program is searched with, and what a search with it says.
 *
 * A program whose atomic accesses are all seq_cst, and that has no data race, has the executions of sequentially
 * consistent memory alone; a race is found there, too. So it is searched like that.
 *
 * C11 has no small machine for all programs in which seq_cst accesses and weaker ones meet. They are searched with
 * seq_cst accesses as acquire and release, which has all executions and more, so what holds then holds; and if
 * something is wrong, with such accesses ordered as they run, which has none that C11 does not have. seq_cst fences are
 * always ordered as they run.
 *
 * What that leaves out. The order of seq_cst events (fences and accesses) must not contradict what C11 derives: psc. If
 * psc, program order and reads-from together have no cycle, then the execution can be run in an order that all three
 * agree with, and is found. A cycle needs two events of which one comes before the other in program order and
 * reads-from, but not in psc. That is noticed at the first such pair, before which nothing is left out (count_sc in
 * views_access.c). Between fences psc has happens-before. Between accesses it does not have all of that; but with two
 * threads, what happens-before adds makes no cycle: one that goes from a to b in it comes back from behind b to before
 * a, by a step that either is happens-before, too, or contradicts coherence. So with two threads, and without fences
 * (whose order against accesses is taken too strictly), all is searched unless such a pair was noticed; otherwise the
 * answer is unknown. */
#include "verify/verify.h"

/* The first atomic access that is seq_cst, or fence; NULL. */
static const struct inst *first_seq_cst(const struct program *p, bool fences) {
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    const struct inst *in = &p->code[pc];
    bool access = in->code >= I_LOAD && in->code <= I_FETCH && !(in->flags & (FLAG_LOCAL | FLAG_CONSTANT));
    bool fence = in->code == I_FENCE && !in->op;
    if ((fences ? fence : access) && (in->order == ORDER_SEQ_CST || in->order_failure == ORDER_SEQ_CST)) return in;
  }
  return NULL;
}

/* Does some access ask for less than seq_cst? A volatile word that is not said to be more is a relaxed one. */
static bool is_weaker(const struct program *p) {
  const struct inst *in;
  if (program_weak(p, &in)) return true;
  for (uint32_t pc = 1; pc < p->code_count; pc++)
    if (p->code[pc].is_volatile && p->code[pc].order == ORDER_PLAIN) return true;
  return false;
}

static const char *at_place(struct subject *s, struct place place, const char *what) {
  struct text t;
  text_open(&t, s->mem);
  place_print(s->unit, place, &t);
  text_printf(&t, ": %s", what);
  return text_string(&t);
}

static const char *refused(struct subject *s) {
  const struct program *p = s->program;
  if (s->unit->harness.type_stable)
    return "ASIF_TYPE_STABLE, with --memory tso or c11: what a thread sees of memory that was freed is not modelled";
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    const struct inst *in = &p->code[pc];
    bool access = in->code >= I_LOAD && in->code <= I_FETCH;
    if ((access || in->code == I_FENCE) && (in->order == ORDER_VARIABLE || in->order_failure == ORDER_VARIABLE))
      return at_place(s, in->place, "a memory order in a variable, with --memory tso or c11");
  }
  return NULL;
}

enum memory_model memory_of(struct subject *s) {
  bool races = s->unit->harness.type_stable; /* reads of memory that was freed may race, and see what they like */
  if (s->options->memory == MEMORY_SC || (!is_weaker(s->program) && !races)) return MEMORY_SC;
  s->refused = refused(s);
  return s->refused ? MEMORY_SC : s->options->memory;
}

static void say_unknown(struct verified *out, const char *reason) {
  out->search.verdict = VERDICT_UNKNOWN;
  out->search.violation = VIOLATION_NONE;
  out->kind = NULL;
  out->reason = reason;
}

static bool search_as(struct subject *s, bool sc_as_acq_rel, struct limits *limits, struct verified *out,
                      memory_search *decide, struct problem *why) {
  struct verify_options *o = mem_alloc(s->mem, sizeof *o);
  *o = *s->options;
  o->sc_as_acq_rel = sc_as_acq_rel;
  subject_close(s);
  return subject_make(s->mem, s->unit, o, s, why) && decide(s, limits, out, why);
}

bool memory_decide(struct subject *s, struct limits *limits, struct verified *out, memory_search *decide,
                   struct problem *why) {
  if (s->refused) {
    say_unknown(out, s->refused);
    return true;
  }
  if (s->machine_options.memory != MEMORY_C11) return decide(s, limits, out, why);
  const struct inst *access = first_seq_cst(s->program, false), *fence = first_seq_cst(s->program, true);
  struct place at = access ? access->place : (struct place){0};
  if (!access && !decide(s, limits, out, why)) return false;
  if (access && !search_as(s, true, limits, out, decide, why)) return false;
  bool wrong = out->search.verdict == VERDICT_VIOLATED;
  if (access && wrong && !search_as(s, false, limits, out, decide, why)) return false;
  bool reordered = s->machine_options.reordered && *s->machine_options.reordered;
  bool exact = s->threads <= 2 && !fence && !reordered;
  if (access && wrong && out->search.verdict == VERDICT_HOLDS && !exact)
    say_unknown(out,
                at_place(s, at,
                         "with seq_cst accesses as acquire and release something is wrong, and ordered as they run "
                         "nothing is: what C11 says lies between, and is not modelled"));
  if (out->search.verdict == VERDICT_HOLDS && fence && reordered)
    say_unknown(out, at_place(s, fence->place,
                              "nothing wrong was found, but some executions of C11 are left out: seq_cst fences are "
                              "ordered as they run, though only relaxed accesses lead from one to another"));
  return true;
}

void memory_note(struct subject *s, struct verified *out) {
  struct text t;
  text_open(&t, s->mem);
  if (s->options->memory == MEMORY_SC) {
    if (program_weak_note(s->program, &t)) note(s, out, "%s (--memory c11 and tso do not)", text_string(&t));
  } else if (s->refused) {
    return;
  } else if (s->machine_options.memory == MEMORY_SC) {
    note(s, out, "all atomic accesses are seq_cst: without a data race, memory is sequentially consistent");
  } else if (s->machine_options.memory == MEMORY_C11) {
    note(s, out,
         "operations that do not overlap in time are ordered in memory too: clients that nothing orders are not "
         "searched");
  }
}
