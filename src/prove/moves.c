/* The moves there are: how a view leads to another one, in the present case. What the fixpoint closes under and what
 * certify.c checks again, one by one. Each ends with the canonical view it leads to, or with p->dead. */
#include <string.h>

#include "prove/prover.h"

/* Memory that nobody will free: what the thread alone knew, and no longer does. */
static void check_leaks(struct prover *p, struct view *v) {
  if (p->collected || p->dead) return;
  struct view seen = *v;
  struct view canonical;
  abstract(p, &seen, &canonical); /* marks what is reached */
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && !seen.node[n].used && !v->node[n].segment && v->node[n].owner == OWNER_ME) {
      prove_fail(p, FAIL_LOST, "memory is lost here: nobody can free it any more");
      return;
    }
}

static void finish_step(struct prover *p, struct actor *a) {
  if (p->dead) return;
  if (a->returned) check_result(p, a);
  settle_forgotten(p, a);
  a->view->pc = a->returned ? 0 : a->pc;
  effect_pure(p, a->view);
  check_leaks(p, a->view);
}

/* Registers that the step at pc reads, as far as others notice it; what it will free it takes out of the object (claim,
 * step.c). An atomic block may jump and may end at several places: all that is live where it begins is kept. */
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
void action_of(struct prover *p, const struct view *from, struct view *action) {
  struct view v = *from;
  if (!p->marked) {
    uint64_t used = registers_of_step(p, v.pc);
    for (unsigned r = 0; r < REGS_MOST; r++)
      if (!(used >> r & 1)) v.reg[r] = VAL(K_UNSET, 0);
    const struct inst *i = &p->program->code[v.pc];
    if (!p->point[v.pc] && i->code != I_ATOMIC && !carries_own(&v)) v.arg = v.status = VAL(K_UNSET, 0);
    if (inst_locks(i)) v.facts = 0;
  }
  forget_locks(&v);
  v.may_return = 0;
  memset(v.seen, 0, sizeof v.seen);
  v.atoms = 0; /* the abstract value is the same in all views of a moment: that of the view it meets is used */
  abstract(p, &v, action);
}

bool own_move(struct prover *p, const struct view *from, struct view *to) {
  struct view v = *from;
  struct actor a = {.view = &v,
                    .reg = v.reg,
                    .status = &v.status,
                    .carried = &v.carried,
                    .arg = v.arg,
                    .pc = v.pc,
                    .op = v.op,
                    .me = true};
  run_step(p, &a);
  if (!check_guarantee(p, &a)) a.pc = from->pc + 1; /* the access is pointed at, not what follows it */
  finish_step(p, &a);
  if (!p->dead) abstract(p, &v, to);
  if (p->failed) p->failure.pc = from->pc, p->failure.at = a.pc - 1;
  return a.wrote;
}

void call_move(struct prover *p, const struct view *from, uint16_t op, struct view *to) {
  struct view v = *from;
  v.op = op;
  v.pc = p->program->ops[op].entry;
  for (unsigned i = 0; i < p->program->ops[op].params; i++) v.reg[i] = v.arg = new_sym(&v);
  if (p->ordered) {
    learn(p, &v, number(p, INT32_MIN), LESS, v.arg);
    learn(p, &v, v.arg, LESS, number(p, INT32_MAX));
  }
  if (p->ranged && p->program->ops[op].params) {
    learn(p, &v, number(p, p->program->ops[op].low[0]), AT_MOST, v.arg);
    learn(p, &v, v.arg, AT_MOST, number(p, p->program->ops[op].high[0]));
  }
  struct actor a = {.view = &v,
                    .reg = v.reg,
                    .status = &v.status,
                    .carried = &v.carried,
                    .arg = v.arg,
                    .pc = v.pc,
                    .op = op,
                    .me = true,
                    .stepped = true};
  effect_pure(p, &v);
  run_step(p, &a);
  if (a.wrote)
    prove_fail(p, FAIL_POINT, "%s linearizes before it has looked at shared memory", p->program->ops[op].function);
  finish_step(p, &a);
  if (!p->dead) abstract(p, &v, to);
  if (p->failed) p->failure.pc = a.pc, p->failure.at = a.pc - 1;
}

/* The other thread may fail here although its step went well in its own view: what an action keeps is less. What would
 * then be true is not known, so that the proof fails too: leaving the case out would leave out what the step does. */
bool other_move(struct prover *p, const struct view *from, const struct view *action, struct view *to) {
  struct view v = *from;
  if (compose(p, &v, action))
    abstract(p, &v, to);
  else
    p->dead = true;
  if (p->failed) p->failure.pc = p->failure.at = action->pc;
  return !p->failed;
}

bool first_move(struct prover *p, struct view *to) {
  struct view v = {.pc = 0};
  const struct program *program = p->program;
  for (uint32_t g = 0; g < program->global_count; g++)
    for (uint32_t c = 0; c < program->layouts[program->globals[g].layout].count; c++)
      v.root[p->root_of[g] + c] = program->layouts[program->globals[g].layout].cells[c].scalar.mutex
                                      ? VAL(K_LOCK, LOCK_FREE)
                                      : number(p, program->globals[g].init ? program->globals[g].init[c] : 0);
  first_case(p);
  if (program->init_entry) {
    struct actor a = {.view = &v,
                      .reg = v.reg,
                      .status = &v.status,
                      .carried = &v.carried,
                      .pc = program->init_entry,
                      .me = true,
                      .setting_up = true};
    while (!a.returned && !p->dead) {
      mem_poll(p->mem); /* it may go on for ever */
      a.stepped = false;
      run_step(p, &a);
    }
    if (p->choices) prove_fail(p, FAIL_OUTSIDE, "the function of ASIF_INIT has several outcomes");
    if (p->dead) return false;
  }
  for (unsigned n = 0; n < NODES_MOST; n++) {
    if (v.node[n].used) publish(p, &v, VAL(K_NODE, n));
    v.node[n].owner = OWNER_NONE;
    if (v.node[n].used && p->helping) v.node[n].carries = CARRY(CARRY_NOTHING, 0);
  }
  abstract(p, &v, to);
  return !p->dead;
}
