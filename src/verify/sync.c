/* What threads wait for: mutexes, and sleeping at an address until another thread wakes one. Everything else that
 * waits is made of these (front/model). */
#include "verify/bytes.h"
#include "verify/weak.h"

/* A mutex that has an owner when it is locked (ast.h): what becomes of it, and the error that the function returns. */
static enum ended own_mutex(struct run *run, const struct inst *in, word *cell, int *error) {
  enum { EPERM_ = 1, EDEADLK_ = 35, BUSY = -1 };
  const struct machine *m = run->machine;
  word self = run->r[m->regs - m->own_words + m->own_at[OWN_SELF]], before = *cell;
  bool locked = word_is_pointer(before), mine = locked && word_object(before) == word_object(self);
  uint32_t kind = locked ? word_cell(before) & (MUTEX_ONCE - 1) : (uint32_t)before;
  *error = 0;
  if (in->code == I_DESTROY) {
    *cell = WORD_UNINITIALISED;
  } else if (in->code == I_UNLOCK) {
    if (!mine)
      *error = EPERM_;
    else
      *cell = word_cell(before) >= 2 * MUTEX_ONCE ? before - ((word)MUTEX_ONCE << 3) : (word)kind;
  } else if (!locked) {
    *cell = self + (word)(kind | MUTEX_ONCE) * 8;
  } else if (mine && kind == MUTEX_RECURSIVE) {
    *cell = before + ((word)MUTEX_ONCE << 3);
  } else if (in->code == I_TRYLOCK) {
    *error = BUSY;
  } else if (mine) {
    *error = EDEADLK_;
  } else {
    run->move->locked = true;
    return WAIT;
  }
  return GO_ON;
}

enum ended step_mutex(struct run *run, const struct inst *in) {
  word *cells = NULL, at = step_address(run, in), before;
  struct object *o = NULL;
  enum ended bad = run->machine->program->loose ? loose_mutex(run, in, &at) : GO_ON;
  if (bad == GO_ON) bad = step_cells_at(run, in, at, 1, &cells, &o);
  const struct weak_model *weak = run->machine->weak;
  if (bad == GO_ON && weak) bad = weak->before_lock(run, in, at);
  if (bad != GO_ON) return bad;
  before = *cells;
  if (before > MUTEX_LOCKED && run->machine->program->owns[OWN_SELF]) {
    int error;
    if (in->code == I_DESTROY && word_is_pointer(before)) return step_fault(run, in, FAULT_DESTROY, NULL);
    if (o->owner != run->thread) step_record(run, word_object(at), word_cell(at), 1, true);
    step_changes(run->state, o);
    bad = own_mutex(run, in, cells, &error);
    if (bad != GO_ON) return bad;
    step_publish(run, o, *cells);
    if (weak && weak->lock && *cells != before) weak->lock(run, in, at);
    if (in->d != NO_REG) run->r[in->d] = in->code == I_TRYLOCK ? !error : error;
    if (run->machine->tracer) step_trace(run, in, at, o->owner == run->thread, &before, cells, NULL, 1);
    return GO_ON;
  }
  if (in->d != NO_REG && in->code != I_TRYLOCK) run->r[in->d] = 0;
  if (before == WORD_UNINITIALISED)
    return step_fault(run, in, FAULT_UNINITIALISED, "the mutex was not initialised, or was destroyed");
  if (in->code == I_UNLOCK && !before) return step_fault(run, in, FAULT_UNLOCK, NULL);
  if (o->owner != run->thread) step_record(run, word_object(at), word_cell(at), 1, true);
  if (in->code == I_LOCK && before) {
    run->move->locked = true;
    return WAIT;
  }
  if (in->code == I_DESTROY && before) return step_fault(run, in, FAULT_DESTROY, NULL);
  if (in->code == I_TRYLOCK) run->r[in->d] = !before;
  step_changes(run->state, o);
  if (weak && weak->lock && !(in->code == I_TRYLOCK && before)) weak->lock(run, in, at);
  *cells = in->code == I_DESTROY ? WORD_UNINITIALISED : in->code != I_UNLOCK;
  if (run->machine->tracer) step_trace(run, in, at, o->owner == run->thread, &before, cells, NULL, 1);
  return GO_ON;
}

/* Where a thread sleeps is changed by others: asking, going to sleep and waking are accesses. Which of the sleepers is
 * woken is a choice. */
enum ended step_wake(struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  struct machine_state *s = run->state;
  unsigned found = 0, which;
  word at = run->r[in->a];
  if (at == WORD_UNINITIALISED) return step_fault(run, in, FAULT_UNINITIALISED, NULL);
  for (unsigned t = 0; run->op && t < m->system.threads; t++) found += state_own(m, s, t)[m->own_at[OWN_SLEEPS]] == at;
  step_record(run, SLEEPERS, 0, 1, true);
  run->r[in->d] = found != 0;
  if (!found) return GO_ON;
  enum ended bad = step_choose_one(run, in, in->imm ? 1 : found, &which);
  if (bad != GO_ON) return bad;
  for (unsigned t = 0; t < m->system.threads; t++) {
    word *sleeps = &state_own(m, s, t)[m->own_at[OWN_SLEEPS]];
    if (*sleeps != at || (!in->imm && which--)) continue;
    *sleeps = 0;
    s->moved |= UINT32_C(1) << t;
    if (!in->imm) break;
  }
  return GO_ON;
}

enum ended step_own(struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  word *at = &run->r[m->regs - m->own_words + (in->code == I_SLEEP ? m->own_at[OWN_SLEEPS] : m->own_at[in->op])];
  if (in->code == I_SLEEP && run->r[in->a] == WORD_UNINITIALISED) return step_fault(run, in, FAULT_UNINITIALISED, NULL);
  if (in->code == I_SLEEP || in->op == OWN_SLEEPS) step_record(run, SLEEPERS, 0, 1, true);
  if (in->code == I_SLEEP)
    *at = run->r[in->a];
  else if (!m->program->loose || !in->bytes)
    run->r[in->d] = *at + (in->imm << 3);
  else if (!address_at(m, run->state, word_object(*at), in->bytes, &run->r[in->d]))
    return step_fault(run, in, FAULT_BOUNDS, NULL);
  return GO_ON;
}
