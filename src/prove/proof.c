/* The proof as a whole, or where it failed, told. */
#include <string.h>

#include "prove/prover.h"

enum { DRAWN_MOST = 6, TOLD_MOST = 24, TRAIL_MOST = 60 }; /* views of a place, moments */

struct teller {
  const struct proved *d;
  struct mem *mem;
  struct proof *proof;
};

static const char *finished(struct text *t) { return t->count ? t->at : mem_string(t->mem, "", 0); }

/* What a failure means for the programmer. */
static const struct {
  const char *hint;
  bool blames_points; /* it is about where operations linearize: marked points may be wrong where the object is right */
  bool blames_others; /* ... about what other threads change meanwhile */
} fails[FAILS] = {
    [FAIL_NULL] =
        {.hint = "May the list be empty here, or another thread have set the pointer since it was read? Is a check "
                 "missing?",
         .blames_others = true},
    [FAIL_FREED] =
        {.hint = "Another thread may have freed the node since its address was read. Without free() memory is taken "
                 "to be collected.",
         .blames_others = true},
    [FAIL_FREED_TWICE] = {.hint =
                              "Two operations may both take the node for theirs: does the compare-and-exchange, or the "
                              "lock, keep the second one out?",
                          .blames_others = true},
    [FAIL_FREES_SHARED] = {.hint =
                               "Other threads may still reach the node: is it unlinked first, by this operation alone?",
                           .blames_others = true},
    [FAIL_LOST] =
        {.hint = "The program frees memory, but not this node: is a free() missing on this path? Objects that free "
                 "nothing are taken to be collected."},
    [FAIL_BOUNDS] = {.hint = "Is the object as large as the code takes it to be?"},
    [FAIL_POINTER] =
        {.hint = "The prover lost track of where it points to: only nodes that the roots lead to through one link "
                 "field are followed."},
    [FAIL_UNSET] = {.hint = "Is the variable, or the node's field, set on every path?"},
    [FAIL_UNDEFINED] =
        {.hint = "Numbers are known by their types, by comparisons with constants, and arguments by ASIF_IN: is "
                 "a check missing, or are others needed?"},
    [FAIL_ASSERT] = {.hint = "Is it true whatever other threads do?"},
    [FAIL_RELOCK] = {.hint = "The thread would wait for itself: is an unlock missing on a path?"},
    [FAIL_UNLOCK] = {.hint = "Is the lock given back twice, or never taken on this path?"},
    [FAIL_DESTROY] = {.hint = "May another thread still lock it, or does this one hold it?"},
    [FAIL_TWICE] =
        {.hint = "The operation takes effect, and may do so again: does a loop come back here after the change, or "
                 "are two points marked on one path?",
         .blames_points = true,
         .blames_others = true},
    [FAIL_NO_POINT] =
        {.hint = "On a way to this return nothing took effect that gives this result: is a re-check missing, or "
                 "the ASIF_LIN() of a point?",
         .blames_points = true,
         .blames_others = true},
    [FAIL_RESULT] = {.hint =
                         "What is returned may have changed between where it was read and where the operation takes "
                         "effect: is a re-check missing?",
                     .blames_points = true,
                     .blames_others = true},
    [FAIL_POINT] = {.blames_points = true},
    [FAIL_TAKES_OUT] =
        {.hint = "The value must be known to be in the object where the operation takes effect: is a re-check, "
                 "or a lock, missing?",
         .blames_others = true},
    [FAIL_CONTENTS] = {.blames_others = true},
    [FAIL_ACTION] = {.hint = "Is an ASIF_ACTION missing, or does it say less, or more, than this step does?"},
    [FAIL_ORDER] = {.hint = "C leaves the order open, and compilers choose it: write two statements."},
    [FAIL_ENDLESS] = {.hint = "A loop must look at shared memory, or end."},
    [FAIL_OUTSIDE] = {.hint =
                          "docs/prove.md says what is followed. `asif verify` follows all the C it reads, for a few "
                          "threads."},
    [FAIL_TOO_LARGE] = {.hint = "The proof grew too large. Marking the points with ASIF_LIN() may help."},
};

bool prove_fail_blames_points(enum prove_fail kind) { return fails[kind].blames_points; }

static uint16_t op_at(const struct proved *d, uint32_t pc) {
  uint16_t op = 0;
  while (op + 1u < d->program->op_count && d->program->ops[op + 1].entry <= pc) op++;
  return op;
}

static struct proof_step step_at(const struct teller *w, uint32_t pc) {
  const struct proved *d = w->d;
  if (!pc || pc >= d->program->code_count) return (struct proof_step){.path = NULL};
  const struct program_op *op = &d->program->ops[op_at(d, pc)];
  const struct inst *i = &d->program->code[pc];
  struct text t;
  text_open(&t, w->mem);
  inst_print(d->program, op, i, &t);
  const char *path = i->place.file < d->unit->files.count ? d->unit->files.at[i->place.file].path : NULL;
  return (struct proof_step){.path = path,
                             .line = i->place.line,
                             .column = i->place.col,
                             .operation = op->function,
                             .text = finished(&t),
                             .point = d->prover->point && d->prover->point[pc]};
}

/* The first step that changes a number as a lock is taken: compare-and-exchange, exchange; 0: none. */
static uint32_t number_lock(const struct program *program) {
  for (uint32_t pc = 1; pc < program->code_count; pc++) {
    const struct inst *i = &program->code[pc];
    if ((i->code == I_CAS || i->code == I_EXCHANGE) && !i->scalar.pointer && !i->scalar.holds_pointer) return pc;
  }
  return 0;
}

static bool others_step(const struct proof *p) {
  for (size_t i = 0; i < p->trail.count; i++)
    if (p->trail.at[i].other) return true;
  return false;
}

/* What is wrong with the program, as far as the prover knows. Unless an execution is wrong, that may be nothing: others
 * seem to do what they cannot. Where a number may be a lock, which is not followed, that is why. */
static const char *hint_of(const struct teller *w, enum prove_fail kind, bool wrong) {
  struct text t;
  text_open(&t, w->mem);
  if (!fails[kind].blames_others || wrong) return fails[kind].hint;
  uint32_t lock = number_lock(w->d->program);
  if (!lock && (!fails[kind].hint || !others_step(w->proof))) return fails[kind].hint;
  if (!lock) {
    text_add(&t, "Can the other threads' steps above really come there? If not, the prover knows too little of the ");
    text_printf(&t, "object (docs/prove.md says what it follows). If they can: %s", fails[kind].hint);
    return finished(&t);
  }
  struct proof_step s = step_at(w, lock);
  text_printf(&t,
              "A lock that is made of a number (%s:%u: %s) is not followed as a lock, so that others seem to get in. ",
              s.path ? s.path : "?", s.line, s.text);
  text_add(&t, "If it is one, pthread_mutex_t in its place may let the proof go on.");
  return finished(&t);
}

static struct proof_view view_of(const struct teller *w, const struct view *v, bool drawn) {
  struct text memory, knows, svg;
  text_open(&memory, w->mem);
  text_open(&knows, w->mem);
  text_open(&svg, w->mem);
  tell_memory(w->d->prover, v, &memory);
  tell_knows(w->d->prover, v, &knows);
  if (drawn) draw_view(w->d->prover, v, &svg);
  return (struct proof_view){.step = step_at(w, v->pc),
                             .memory = finished(&memory),
                             .knows = finished(&knows),
                             .svg = drawn ? finished(&svg) : NULL};
}

static bool is_mark(const struct inst *i) { return i->code == I_LIN || i->code == I_LIN_FOR; }

static void tell_points(const struct teller *w) {
  const struct proved *d = w->d;
  const struct prover *p = d->prover;
  for (uint16_t op = 0; op < d->program->op_count && d->level != LEVEL_MS; op++) {
    bool any = p->marked;
    for (uint32_t pc = 1; pc < d->program->code_count; pc++) {
      if (op_at(d, pc) != op || !(p->marked ? is_mark(&d->program->code[pc]) : p->point[pc])) continue;
      vec_push(w->mem, &w->proof->points, step_at(w, pc));
      any = true;
    }
    if (!any) vec_push(w->mem, &w->proof->unmoved, d->program->ops[op].function);
  }
}

/* Is it one of the names, with a comma and a blank between them? */
static bool has_name(const char *names, const char *name) {
  size_t length = strlen(name);
  for (const char *at = names; at; at = strchr(at, ','), at = at ? at + 2 : NULL)
    if (!strncmp(at, name, length) && (!at[length] || at[length] == ',')) return true;
  return false;
}

/* "add, remove": a step of a function that several operations call. */
static const char *with_name(const struct teller *w, const char *names, const char *name) {
  struct text t;
  if (has_name(names, name)) return names;
  text_open(&t, w->mem);
  text_printf(&t, "%s, %s", names, name);
  return t.at;
}

static struct proof_action *action_at(const struct teller *w, uint32_t pc) {
  struct proof_step s = step_at(w, pc);
  for (size_t i = 0; i < w->proof->actions.count; i++) {
    struct proof_step *o = &w->proof->actions.at[i].step;
    if (o->path != s.path || o->line != s.line || o->column != s.column || strcmp(o->text, s.text)) continue;
    o->operation = with_name(w, o->operation, s.operation);
    return &w->proof->actions.at[i];
  }
  struct proof_action a = {.step = s};
  vec_push(w->mem, &w->proof->actions, a);
  return &w->proof->actions.at[w->proof->actions.count - 1];
}

static void add_change(const struct teller *w, uint32_t pc, const char *said) {
  if (!*said) return;
  struct proof_action *a = action_at(w, pc);
  for (size_t i = 0; i < a->changes.count; i++)
    if (!strcmp(a->changes.at[i], said)) return;
  vec_push(w->mem, &a->changes, said);
}

/* Steps are taken once more, by a prover that may be spoilt, to see what they change. */
static void tell_actions(const struct teller *w) {
  const struct prover *p = w->d->prover;
  struct prover *q = mem_alloc(w->mem, sizeof *q);
  struct text t;
  *q = *p;
  q->writes = NULL;
  text_open(&t, w->mem);
  for (size_t e = 1; e < p->entries.count; e++) {
    const struct view *from = &p->entries.at[e].view;
    if (!from->pc) continue;
    first_case(q);
    do {
      struct view v = *from;
      struct actor a = {.view = &v,
                        .reg = v.reg,
                        .status = &v.status,
                        .carried = &v.carried,
                        .arg = v.arg,
                        .pc = v.pc,
                        .op = v.op,
                        .me = true,
                        .access_only = !p->marked};
      run_step(q, &a);
      q->failed = false;
      if (q->dead || !a.wrote) continue;
      text_clear(&t);
      tell_change(q, from, &v, &t);
      add_change(w, from->pc, mem_string(w->mem, text_string(&t), t.count));
    } while (next_case(q));
  }
}

static bool is_locked(const struct view *v) {
  for (unsigned i = 0; i < ROOTS_MOST; i++)
    if (v->root[i] == VAL(K_LOCK, LOCK_OTHER)) return true;
  for (unsigned n = 0; n < NODES_MOST; n++)
    for (unsigned c = 0; v->node[n].used && c < CELLS_EACH; c++)
      if (v->node[n].cell[c] == VAL(K_LOCK, LOCK_OTHER)) return true;
  return false;
}

/* Those in which others hold locks come last. */
static void tell_memories(const struct teller *w, bool drawn) {
  const struct prover *p = w->d->prover;
  for (unsigned locked = 0; locked < 2; locked++)
    for (size_t e = 1; e < p->entries.count; e++) {
      const struct view *v = &p->entries.at[e].view;
      if (!v->pc && is_locked(v) == locked) vec_push(w->mem, &w->proof->memory, view_of(w, v, drawn));
    }
}

static unsigned nodes_of(const struct view *v) {
  unsigned count = 0;
  for (unsigned n = 0; n < NODES_MOST; n++) count += v->node[n].used;
  return count;
}

/* The views of each place, the simplest first. */
static void tell_places(const struct teller *w) {
  const struct prover *p = w->d->prover;
  unsigned *told = mem_zero(w->mem, w->d->program->code_count, sizeof *told);
  size_t *first = mem_zero(w->mem, w->d->program->code_count, sizeof *first);
  for (unsigned size = 0; size <= NODES_MOST; size++)
    for (size_t e = 1; e < p->entries.count; e++) {
      const struct view *v = &p->entries.at[e].view;
      if (!v->pc || nodes_of(v) != size) continue;
      if (told[v->pc] == TOLD_MOST) {
        w->proof->at.at[first[v->pc]].others++;
        continue;
      }
      if (!told[v->pc]) first[v->pc] = w->proof->at.count;
      vec_push(w->mem, &w->proof->at, view_of(w, v, told[v->pc] < DRAWN_MOST));
      told[v->pc]++;
    }
}

__attribute__((format(printf, 2, 3))) static void note(const struct teller *w, const char *format, ...) {
  char line[400];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  vec_push(w->mem, &w->proof->notes, mem_string(w->mem, line, strlen(line)));
}

/* Nothing is claimed of other arguments: what is undefined for them excludes nothing. */
static void note_range(const struct teller *w, const struct program_op *op) {
  struct text t;
  text_open(&t, w->mem);
  for (unsigned i = 0; i < op->params; i++)
    text_printf(&t, "%s%lld..%lld", i ? ", " : "", (long long)op->low[i], (long long)op->high[i]);
  note(w,
       "proved for %.100s(%.200s) only, as ASIF_IN says: for other arguments arithmetic may overflow, or be undefined "
       "otherwise",
       op->function, text_string(&t));
}

static void tell_assumed(const struct teller *w) {
  const struct proved *d = w->d;
  struct text weak;
  text_open(&weak, w->mem);
  if (program_weak_note(d->program, &weak)) note(w, "%s", text_string(&weak));
  note(w, "memory is sequentially consistent, and malloc succeeds");
  if (!d->program->frees)
    note(w, "memory is collected: nothing is freed, so a node that is in use is not given out again");
  if (d->prover->ordered) note(w, "arguments lie strictly between INT_MIN and INT_MAX");
  for (uint32_t pc = 1; pc < d->program->code_count; pc++)
    if (d->program->code[pc].code == I_REQUIRE) {
      struct proof_step s = step_at(w, pc);
      note(w, "asif_require at %.200s:%u:%u is trusted: executions in which it is false are left out",
           s.path ? s.path : "?", s.line, s.column);
    }
  w->proof->ranged = d->prover->ranged;
  for (uint32_t op = 0; d->prover->ranged && op < d->program->op_count; op++)
    if (d->program->ops[op].params) note_range(w, &d->program->ops[op]);
  if (d->prover->given_count && d->verdict == VERDICT_HOLDS)
    note(w, "every step that others see is one of the %u actions that are given", d->prover->given_count);
  note(w, "that operations return in the end is not part of it (`asif verify --progress`)");
}

static void tell_trail(const struct teller *w, uint32_t e) {
  const struct prover *p = w->d->prover;
  uint32_t way[TRAIL_MOST];
  unsigned count = 0;
  for (; e && p->entries.at[e].from && count < TRAIL_MOST; e = p->entries.at[e].from) way[count++] = e;
  while (count--) {
    const struct entry *x = &p->entries.at[way[count]];
    const struct view *from = x->action ? &p->actions.at[x->action - 1] : &p->entries.at[x->from].view;
    struct proof_moment m = {.step = step_at(w, from->pc), .other = x->action};
    if (!from->pc) m.step = (struct proof_step){.operation = p->program->ops[x->view.op].function, .text = "is called"};
    vec_push(w->mem, &w->proof->trail, m);
  }
}

static void tell_failure(const struct teller *w, bool wrong) {
  const struct prove_failure *f = &w->d->failure;
  w->proof->where = step_at(w, f->at ? f->at : f->pc);
  w->proof->sentence = f->said;
  if (f->view && f->view < w->d->prover->entries.count) {
    struct proof_view *v = mem_alloc(w->mem, sizeof *v);
    *v = view_of(w, &w->d->prover->entries.at[f->view].view, true);
    w->proof->view = v;
    tell_trail(w, f->view);
  }
  w->proof->hint = hint_of(w, f->kind, wrong);
}

void prove_tell(const struct proved *d, const struct prove_options *o, bool all, bool wrong, struct mem *mem,
                struct proof *proof) {
  static const char *const levels[] = {"ms", "nu", "full"}, *const claims[] = {"memory safe",
                                                                               "linearizable at level nu",
                                                                               "linearizable"};
  struct teller w = {d, mem, proof};
  *proof = (struct proof){
      .file = o->path, .level = levels[o->level], .claim = claims[o->level], .proved = d->verdict == VERDICT_HOLDS};
  if (!d->prover || !d->unit || !d->program) return; /* a limit came first */
  struct prove_counts counts = prove_counts(d);
  proof->marked = d->prover->marked;
  proof->views = counts.views;
  proof->actions_used = counts.actions;
  proof->steps = counts.steps;
  proof->compositions = counts.compositions;
  for (size_t i = 0; i < d->unit->files.count; i++) {
    const struct source_file *f = &d->unit->files.at[i];
    if (f->text) vec_push(mem, &proof->sources, ((struct proof_source){f->path, f->text, f->length}));
  }
  tell_assumed(&w);
  if (proof->proved) {
    tell_points(&w);
    tell_actions(&w);
    tell_memories(&w, all);
  } else if (*d->failure.said) {
    tell_failure(&w, wrong);
  }
  if (all && d->prover->entries.count) tell_places(&w);
}
