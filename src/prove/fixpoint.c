/* All views there can be: from the first, closed under the steps of their thread and under interference. */
#include <string.h>

#include "prove/prover.h"

static uint64_t fingerprint(const struct view *v) {
  const uint64_t *w = (const void *)v;
  uint64_t h = 0;
  for (size_t i = 0; i < sizeof *v / 8; i++) h = (h ^ w[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return h;
}

static void grow_buckets(struct prover *p) {
  uint32_t count = p->bucket_mask ? (p->bucket_mask + 1) * 4 : 4096;
  mem_free(p->mem, p->buckets);
  p->buckets = mem_zero(p->mem, count, sizeof *p->buckets);
  p->bucket_mask = count - 1;
  for (uint32_t e = 1; e < p->entries.count; e++) {
    uint32_t *b = &p->buckets[fingerprint(&p->entries.at[e].view) & p->bucket_mask];
    p->entries.at[e].next = *b;
    *b = e;
  }
}

static void add_view(struct prover *p, const struct view *v, uint32_t from, uint32_t action) {
  if (p->entries.count > p->bucket_mask) grow_buckets(p);
  uint32_t *b = &p->buckets[fingerprint(v) & p->bucket_mask];
  for (uint32_t e = *b; e; e = p->entries.at[e].next)
    if (!memcmp(&p->entries.at[e].view, v, sizeof *v)) return;
  struct entry e = {.view = *v, .next = *b, .from = from, .action = action};
  *b = (uint32_t)p->entries.count;
  vec_push(p->mem, &p->entries, (e));
}

/* Memory that nobody will free: what the thread alone knew and no longer does, and what no root leads to and nobody has taken out. */
static void check_leaks(struct prover *p, struct view *v) {
  if (p->collected || p->dead) return;
  struct view seen = *v;
  struct view canonical;
  abstract(p, &seen, &canonical); /* marks what is reached */
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && !seen.node[n].used && !v->node[n].segment && v->node[n].owner == OWNER_ME) {
      prove_fail(p, "memory is lost here: nobody can free it any more");
      return;
    }
}

static void finish_step(struct prover *p, struct actor *a) {
  if (p->dead) return;
  if (a->returned) check_result(p, a);
  a->view->pc = a->returned ? 0 : a->pc;
  effect_pure(p, a->view);
  check_leaks(p, a->view);
}

/* Registers that the step at pc reads, as far as others notice it; what it will free it takes out of the object (claim, step.c). An atomic
 * block may jump and may end at several places: all that is live where it begins is kept. */
static uint64_t registers_of_step(const struct prover *p, uint32_t pc) {
  const struct inst *i = &p->program->code[pc];
  uint64_t used = p->freed_later[pc];
  if (i->code == I_ATOMIC) return UINT64_MAX;
  if (i->a < 64 && !(i->flags & FLAG_GLOBAL)) used |= UINT64_C(1) << i->a;
  if (i->b < 64) used |= UINT64_C(1) << i->b;
  if (i->c < 64) used |= UINT64_C(1) << i->c;
  return used;
}

/* Who holds a lock that the thread does not hold is told by the view its action meets. */
static void forget_locks(struct view *v) {
  for (unsigned i = 0; i < ROOTS_MOST; i++)
    if (KIND(v->root[i]) == K_LOCK && INDEX(v->root[i]) != LOCK_ME) v->root[i] = VAL(K_LOCK, LOCK_NOT_ME);
  for (unsigned n = 0; n < NODES_MOST; n++)
    for (unsigned c = 0; v->node[n].used && c < CELLS_EACH; c++)
      if (KIND(v->node[n].cell[c]) == K_LOCK && INDEX(v->node[n].cell[c]) != LOCK_ME && v->node[n].owner == OWNER_NONE)
        v->node[n].cell[c] = VAL(K_LOCK, LOCK_NOT_ME);
}

/* What other threads may do from here: only what the step needs is kept, so that many views give one action. */
static void add_action(struct prover *p, const struct view *from) {
  struct view v = *from, canonical;
  if (!p->marked) {
    uint64_t used = registers_of_step(p, v.pc);
    for (unsigned r = 0; r < REGS_MOST; r++)
      if (!(used >> r & 1)) v.reg[r] = VAL(K_UNSET, 0);
    const struct inst *i = &p->program->code[v.pc];
    if (!p->point[v.pc] && i->code != I_ATOMIC) v.arg = v.status = VAL(K_UNSET, 0);
    if (i->code == I_LOCK || i->code == I_UNLOCK || i->code == I_TRYLOCK) v.facts = 0;
  }
  forget_locks(&v);
  v.may_return = 0;
  v.atoms = 0; /* the abstract value is the same in all views of a moment: that of the view it meets is used */
  abstract(p, &v, &canonical);
  for (size_t i = 0; i < p->actions.count; i++)
    if (!memcmp(&p->actions.at[i], &canonical, sizeof canonical)) return;
  vec_push(p->mem, &p->actions, canonical);
}

static bool own_steps(struct prover *p, uint32_t e) {
  bool acts = false;
  first_case(p);
  do {
    struct view v = p->entries.at[e].view, canonical;
    struct actor a = {.view = &v, .reg = v.reg, .status = &v.status, .arg = v.arg, .pc = v.pc, .op = v.op, .me = true};
    run_step(p, &a);
    p->steps++;
    finish_step(p, &a);
    if (!p->dead) abstract(p, &v, &canonical);
    if (p->failed) {
      p->failure.pc = p->entries.at[e].view.pc;
      p->failure.view = e;
      return false;
    }
    if (p->dead) continue;
    if (a.wrote) acts = true;
    add_view(p, &canonical, e, 0);
  } while (next_case(p));
  first_case(p); /* the last case may have ended early, and what it was is over */
  if (acts) add_action(p, &p->entries.at[e].view);
  return !p->failed;
}

/* Every operation is called where none is running, with any argument. */
static bool calls(struct prover *p, uint32_t e) {
  for (uint16_t op = 0; op < p->program->op_count; op++) {
    first_case(p);
    do {
      struct view v = p->entries.at[e].view, canonical;
      v.op = op;
      v.pc = p->program->ops[op].entry;
      for (unsigned i = 0; i < p->program->ops[op].params; i++) v.reg[i] = v.arg = new_sym(&v);
      if (p->object == PROVE_SET || p->object == PROVE_MULTISET) {
        learn(p, &v, number(p, INT32_MIN), LESS, v.arg);
        learn(p, &v, v.arg, LESS, number(p, INT32_MAX));
      }
      struct actor a = {.view = &v, .reg = v.reg, .status = &v.status, .arg = v.arg, .pc = v.pc, .op = op, .me = true, .stepped = true};
      effect_pure(p, &v);
      run_step(p, &a);
      if (a.wrote) prove_fail(p, "%s linearizes before it has looked at shared memory", p->program->ops[op].function);
      finish_step(p, &a);
      if (!p->dead) abstract(p, &v, &canonical);
      if (p->failed) {
        p->failure.pc = a.pc;
        return false;
      }
      if (!p->dead) add_view(p, &canonical, e, 0);
    } while (next_case(p));
  }
  return true;
}

/* The other thread may fail here although its step went well in its own view: what an action keeps is less. What would then be true
 * is not known, so that the proof fails too: leaving the case out would leave out what the step does. */
static bool interfere(struct prover *p, uint32_t e, size_t action) {
  first_case(p);
  do {
    struct view v = p->entries.at[e].view, canonical;
    p->compositions++;
    if (compose(p, &v, &p->actions.at[action])) {
      abstract(p, &v, &canonical);
      if (!p->dead) add_view(p, &canonical, e, (uint32_t)action + 1);
    }
    if (p->failed) {
      p->failure.pc = p->actions.at[action].pc;
      p->failure.view = e;
      return false;
    }
  } while (next_case(p));
  return true;
}

static bool first_view(struct prover *p) {
  struct view v = {.pc = 0}, canonical;
  const struct program *program = p->program;
  for (uint32_t g = 0; g < program->global_count; g++)
    for (uint32_t c = 0; c < program->layouts[program->globals[g].layout].count; c++)
      v.root[p->root_of[g] + c] = program->layouts[program->globals[g].layout].cells[c].scalar.mutex ? VAL(K_LOCK, LOCK_FREE) : number(p, program->globals[g].init ? program->globals[g].init[c] : 0);
  first_case(p);
  if (program->init_entry) {
    struct actor a = {.view = &v, .reg = v.reg, .status = &v.status, .pc = program->init_entry, .me = true, .setting_up = true};
    while (!a.returned && !p->dead) {
      a.stepped = false;
      run_step(p, &a);
    }
    if (p->choices) prove_fail(p, "the function of ASIF_INIT has several outcomes");
    if (p->dead) return false;
  }
  for (unsigned n = 0; n < NODES_MOST; n++) v.node[n].owner = OWNER_NONE;
  abstract(p, &v, &canonical);
  if (!p->dead) add_view(p, &canonical, 0, 0);
  return !p->dead;
}

static bool too_many(struct prover *p) {
  p->dead = false;
  prove_limit(p, "there are more than %d views", VIEWS_MOST);
  return false;
}

bool fixpoint(struct prover *p) {
  p->entries.count = p->actions.count = 0;
  p->steps = p->compositions = 0;
  p->failed = false;
  memset(&p->failure, 0, sizeof p->failure);
  vec_push(p->mem, &p->entries, ((struct entry){.next = 0}));
  p->bucket_mask = 0;
  if (!first_view(p)) return false;
  size_t done = 0;
  for (uint32_t e = 1; e < p->entries.count; e++) {
    mem_poll(p->mem);
    if (p->entries.count > VIEWS_MOST) return too_many(p);
    if (!(p->entries.at[e].view.pc ? own_steps(p, e) : calls(p, e))) return false;
    while (done < p->actions.count) { /* new ones, on all views so far */
      for (uint32_t f = 1; f < e; f++)
        if (!interfere(p, f, done)) return false;
      done++;
    }
    for (size_t i = 0; i < done; i++)
      if (!interfere(p, e, i)) return false;
  }
  return true;
}
