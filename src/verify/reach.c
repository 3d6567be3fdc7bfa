/* What of an object a register still leads to: which of its cells the thread may come to access through it.
 *
 * A backward analysis over the instructions, as liveness is: a register leads to a cell if some path uses it as the
 * address of an access to that cell before it is set anew. A register whose value may be stored, freed or computed with
 * leads to everything. One that is only compared (a pointer read earlier, to see whether it is still the same) leads to
 * nothing: of garbage that only such registers point to nothing matters but which register holds the same as which
 * (pack.c). */
#include "front/flow.h"
#include "verify/machine_parts.h"

static uint32_t cells_from(int64_t first, unsigned count) {
  uint32_t mask = 0;
  for (unsigned i = 0; i < count; i++) {
    if (first + i < 0 || first + i >= 31) return REACH_ALL;
    mask |= UINT32_C(1) << (first + i);
  }
  return mask;
}

static uint32_t shifted(uint32_t mask, int64_t by) {
  if (!mask) return 0;
  if (mask == REACH_ALL || by < 0 || by >= 31 || mask >> (31 - by)) return REACH_ALL;
  return mask << by;
}

/* How many registers an instruction sets. */
static unsigned sets(const struct inst *in) {
  switch (in->code) {
  case I_MOVE:
  case I_LOAD:
  case I_EXCHANGE:
  case I_INSERT: return in->count;
  case I_CONST:
  case I_UNARY:
  case I_BINARY:
  case I_CAST:
  case I_BITS:
  case I_GLOBAL:
  case I_OFFSET:
  case I_INDEX:
  case I_DIFFER:
  case I_EXTRACT:
  case I_CHUNK:
  case I_ALLOC:
  case I_CAS:
  case I_FETCH:
  case I_FLOATING:
  case I_TRYLOCK:
  case I_CHOOSE:
  case I_THREAD:
  case I_OUTSIDE:
  case I_OWN:
  case I_WAKE: return 1;
  case I_LOCK:
  case I_DESTROY:
  case I_UNLOCK: return in->d != NO_REG;
  case I_INT128:
  case I_CONVERT: {
    struct span s[2];
    return inst_writes(in, s) ? s[0].count : 0;
  }
  default: return 0;
  }
}

/* Where memory is accessed as bytes, which cells those are is not known before. */
static uint32_t all_or_none(const struct program *p, uint32_t cells) { return p->loose && cells ? REACH_ALL : cells; }

/* before = what the registers lead to before the instruction, given what they lead to after it. */
static void transfer(const struct program *p, const struct inst *in, uint32_t *at) {
  uint32_t to[COUNT_MOST] = {0};
  unsigned n = sets(in);
  for (unsigned i = 0; i < n && i < COUNT_MOST; i++) {
    to[i] = at[in->d + i];
    at[in->d + i] = 0;
  }
  switch (in->code) {
  case I_MOVE:
    for (unsigned i = 0; i < n; i++) at[in->a + i] |= i < COUNT_MOST ? to[i] : REACH_ALL;
    break;
  case I_UNARY:
  case I_BITS:
  case I_CAST: at[in->a] |= to[0]; break;
  case I_EXTRACT:
    for (unsigned i = 0; i < in->count; i++) at[in->a + i] |= to[0];
    break;
  case I_INSERT:
    for (unsigned i = 0; i < n; i++) at[in->d + i] |= i < COUNT_MOST ? to[i] : REACH_ALL;
    break;
  case I_INT128:
  case I_CONVERT: { /* a half may hold a pointer, and go to either half */
    struct span s[3];
    bool compares = in->code == I_INT128 && in->op >= OP_EQ && in->op <= OP_GE;
    for (unsigned i = 0, spans = compares ? 0 : inst_reads(in, s); i < spans; i++)
      for (unsigned k = 0; k < s[i].count; k++) at[s[i].first + k] |= to[0] | to[1];
    break;
  }
  case I_BINARY:
    if (in->op >= OP_EQ && in->op <= OP_GE) break;
    at[in->a] |= to[0];
    if (in->b != NO_REG) at[in->b] |= to[0];
    break;
  case I_OFFSET: at[in->a] |= all_or_none(p, shifted(to[0], in->imm)); break;
  case I_INDEX: at[in->a] |= to[0] ? REACH_ALL : 0; break;
  case I_SLEEP:
  case I_WAKE: /* others compare it with theirs */
  case I_FREE: at[in->a] = REACH_ALL; break;
  case I_LOAD:
  case I_STORE:
  case I_EXCHANGE:
  case I_CAS:
  case I_FETCH:
  case I_LOCK:
  case I_TRYLOCK:
  case I_DESTROY:
  case I_UNLOCK:
    if (in->code == I_STORE || in->code == I_EXCHANGE || in->code == I_CAS || in->code == I_FETCH)
      for (unsigned i = 0; i < in->count; i++) at[in->b + i] = REACH_ALL;
    if (!(in->flags & FLAG_GLOBAL)) at[in->a] |= all_or_none(p, cells_from(in->imm, inst_locks(in) ? 1 : in->count));
    break;
  default: break;
  }
}

/* Where control goes from an instruction: up to two places. */
static unsigned successors(const struct program *p, uint32_t pc, uint32_t *to) {
  const struct inst *in = &p->code[pc];
  unsigned n = 0;
  if (in->code == I_RETURN || in->code == I_TRAP) return 0;
  if (in->code != I_JUMP && pc + 1 < p->code_count) to[n++] = pc + 1;
  if (in->code == I_JUMP || in->code == I_BRANCH) to[n++] = (uint32_t)in->imm;
  return n;
}

void reach_open(struct mem *mem, struct machine *m) {
  const struct program *p = m->program;
  size_t regs = m->regs;
  m->reach_regs = regs;
  if ((uint64_t)p->code_count * regs > (UINT64_C(1) << 24)) { /* too large to look into: everything leads everywhere */
    m->reach = NULL;
    return;
  }
  uint32_t *at = mem_zero(mem, p->code_count * regs + COUNT_MOST, sizeof *at),
           *now = mem_zero(mem, regs + COUNT_MOST, sizeof *now);
  /* When it was looked at last, and when what comes before it last changed: in turns of the loop. */
  uint32_t *looked = mem_zero(mem, p->code_count, sizeof *looked),
           *changed = mem_zero(mem, p->code_count, sizeof *changed), turn = 0, last = 0;
  do {
    last = turn;
    for (uint32_t pc = p->code_count; pc-- > 1;) {
      uint32_t to[2];
      unsigned n = successors(p, pc, to);
      bool same = looked[pc] != 0;
      for (unsigned i = 0; i < n; i++) same &= changed[to[i]] < looked[pc];
      if (same) continue;
      looked[pc] = ++turn;
      if (n)
        memcpy(now, at + to[0] * regs, regs * sizeof *now);
      else
        memset(now, 0, regs * sizeof *now);
      for (size_t r = 0; n == 2 && r < regs; r++) now[r] |= at[to[1] * regs + r];
      transfer(p, &p->code[pc], now);
      if (!memcmp(at + pc * regs, now, regs * sizeof *now)) continue;
      memcpy(at + pc * regs, now, regs * sizeof *now);
      changed[pc] = turn;
    }
  } while (turn != last);
  mem_free(mem, changed);
  mem_free(mem, looked);
  m->reach = at;
}
