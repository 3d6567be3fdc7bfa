/* Steps that do not end: loops within ASIF_ATOMIC, or over what a thread has alone.
 *
 * If the state repeats the step has no end. After so many instructions, twice as many, and so on, a picture is taken,
 * with which later states at the same place are compared (Brent 1980). A loop that counts on for ever repeats nothing
 * in any time one would wait for: of it the code says that there is no way out. Of what is neither nothing is known. */
#include "front/flow.h"
#include "verify/weak.h"

struct picture {
  uint32_t pc;
  uint64_t next; /* when the next is taken */
  unsigned choices;
  bool atomic, accessed;
  struct machine_state *state;
  word *registers;
  uint32_t *reached; /* room for a walk through the code */
};

void endless_open(struct mem *mem, struct machine *m) {
  struct picture *p = m->picture = mem_zero(mem, 1, sizeof *p);
  p->state = mem_zero(mem, 1, m->system.work);
  p->registers = mem_zero(mem, m->regs + 1u, sizeof(word));
  p->reached = mem_zero(mem, 2 * (size_t)m->program->code_count + 2, sizeof *p->reached);
}

static bool is_in_picture(const struct run *run, const struct picture *p) {
  const struct machine *m = run->machine;
  const struct machine_state *s = run->state, *then = p->state;
  if (run->choices->depth != p->choices || run->atomic != p->atomic || run->accessed != p->accessed) return false;
  return s->objects == then->objects && s->cells == then->cells &&
         (!m->weak || m->weak->same(m, state_weak(m, s), state_weak(m, then))) &&
         !memcmp(p->registers, run->r, m->regs * sizeof *run->r) &&
         !memcmp(state_cells(m, s), state_cells(m, then), s->cells * sizeof(word)) &&
         !memcmp(state_objects(m, s), state_objects(m, then), s->objects * sizeof(struct object)) &&
         !memcmp((const char *)s + m->registers_at, (const char *)then + m->registers_at,
                 m->system.threads * m->regs * sizeof(word));
}

bool endless_repeats(struct run *run, uint32_t pc, uint32_t n) {
  struct machine *m = run->machine;
  struct picture *p = m->picture;
  if (n == STEP_LONG) p->next = n;
  if (n > STEP_LONG && pc == p->pc && is_in_picture(run, p)) return true;
  if (n < p->next) return false;
  p->pc = pc;
  p->next = 2 * (uint64_t)n;
  p->choices = run->choices->depth;
  p->atomic = run->atomic;
  p->accessed = run->accessed;
  memcpy(p->registers, run->r, m->regs * sizeof *run->r);
  machine_copy_state(m, run->state, p->state);
  return false;
}

bool endless_code(struct machine *m, uint32_t pc) {
  const struct inst *code = m->program->code;
  uint8_t *seen = (uint8_t *)m->picture->reached; /* and where to go on */
  uint32_t *stack = m->picture->reached + (m->program->code_count + 3) / 4, depth = 0;
  memset(seen, 0, m->program->code_count);
  stack[depth++] = pc;
  seen[pc] = 1;
  while (depth) {
    const struct inst *in = &code[pc = stack[--depth]];
    if (step_may_stop(m, in) || in->code == I_ATOMIC || in->code == I_RETURN || in->code == I_TRAP ||
        in->code == I_ASSERT || in->code == I_REQUIRE || in->code == I_CHOOSE)
      return false;
    uint32_t to[2] = {inst_ends(in) ? 0 : pc + 1, inst_jumps(in) ? (uint32_t)in->imm : 0};
    for (unsigned i = 0; i < 2; i++)
      if (to[i] && !seen[to[i]]) seen[to[i]] = 1, stack[depth++] = to[i];
  }
  return true;
}

bool step_may_stop(const struct machine *m, const struct inst *in) {
  if (m->options.steps == STEPS_STATEMENT) return (in->flags & FLAG_STATEMENT) || in->code == I_RETURN;
  switch (in->code) {
  case I_LOAD: return !(in->flags & FLAG_CONSTANT);
  case I_STORE:
  case I_EXCHANGE:
  case I_CAS:
  case I_FETCH:
  case I_LOCK:
  case I_TRYLOCK:
  case I_DESTROY:
  case I_UNLOCK:
  case I_FREE: return true;
  case I_OUTSIDE: return in->op;
  case I_ALLOC: return m->program->frees || m->options.malloc_fails;
  case I_ATOMIC: return in->imm != 0;
  case I_FENCE: return weak_fence_stops(m, in);
  case I_RETURN: return !m->options.fuse_events;
  default: return false;
  }
}
