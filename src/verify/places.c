/* Where variables are: one may be where another of the same thread was, whose life has ended. To others that still have
 * the address of that one they are the same, as memory is that was freed and given again (heap.c).
 *
 * It can only matter where such an address is compared with that of another variable. A search that comes to it asks
 * for numbers of addresses (FAULT_NUMBERS), and with them it is a choice where a variable is made: a place of its own,
 * or that of an ended one of the same thread and type that somebody still points to. Then it is known of each ended
 * variable whose it was (known.maker), and threads are told apart. */
#include "verify/bytes.h"

static bool makes_pointer(const struct inst *in) {
  switch (in->code) {
  case I_MOVE:
  case I_OFFSET:
  case I_INDEX:
  case I_CAST: return true;
  case I_BINARY: return in->op < OP_EQ || in->op > OP_GE;
  default: return false;
  }
}

/* Notes the registers that may hold the address of a variable after this instruction. False if there is none more. */
static bool note_address(const struct inst *in, bool *may) {
  bool is = in->code == I_ALLOC && (in->flags & FLAG_LOCAL), grew = false;
  unsigned count = in->code == I_MOVE ? in->count : 1;
  if (!is && !makes_pointer(in)) return false;
  for (unsigned i = 0; i < count; i++) {
    bool from = is || may[in->a + i] || (in->code == I_BINARY && in->b != NO_REG && may[in->b]);
    grew |= from && !may[in->d + i];
    may[in->d + i] |= from;
  }
  return grew;
}

/* What an address is put into that takes several registers is taken to be stored. */
static bool stores_address(const struct inst *in, const bool *may) {
  if (in->code == I_INT128 || in->code == I_CONVERT || in->code == I_INSERT)
    return may[in->a] || (in->code == I_INT128 && in->b != NO_REG && may[in->b]);
  if (in->code != I_STORE && in->code != I_EXCHANGE && in->code != I_CAS) return false;
  for (unsigned i = 0; i < in->count; i++)
    if (may[in->b + i]) return true;
  return false;
}

bool places_stored(struct mem *mem, const struct machine *m) {
  const struct program *p = m->program;
  bool *may = mem_alloc(mem, m->regs), stored = false;
  for (uint32_t op = 0; op < p->op_count && !stored; op++) {
    memset(may, 0, m->regs);
    for (bool grew = true; grew;) {
      grew = false;
      for (uint32_t pc = p->ops[op].entry; pc < p->code_count && m->op_at[pc] == &p->ops[op]; pc++)
        grew |= note_address(&p->code[pc], may);
    }
    for (uint32_t pc = p->ops[op].entry; pc < p->code_count && m->op_at[pc] == &p->ops[op]; pc++)
      stored |= stores_address(&p->code[pc], may);
  }
  mem_free(mem, may);
  return stored;
}

static bool is_variable(uint8_t life) { return life == LIFE_LOCAL || life == LIFE_ENDED; }

bool places_asked(const struct machine *m, const struct machine_state *s, word a, word b) {
  if (!m->stores_places || m->terms || !word_is_pointer(a) || !word_is_pointer(b)) return false;
  uint8_t x = state_objects(m, s)[word_object(a)].life, y = state_objects(m, s)[word_object(b)].life;
  return word_object(a) != word_object(b) && is_variable(x) && is_variable(y) && (x == LIFE_ENDED || y == LIFE_ENDED);
}

static bool points_to(word w, uint32_t object) { return word_is_pointer(w) && word_object(w) == object; }

/* Does anybody still have the address, when the instruction is done? */
static bool is_known(const struct run *run, const struct inst *in, uint32_t object) {
  const struct machine *m = run->machine;
  const struct machine_state *s = run->state;
  for (uint32_t i = 0; i < s->objects; i++) {
    const struct object *o = &state_objects(m, s)[i];
    if (o->life == LIFE_ENDED || o->life == LIFE_CONSTANT || o->life == LIFE_FORGOTTEN) continue;
    for (uint32_t c = 0; c < o->count; c++)
      if (points_to(state_cells(m, s)[o->first + c], object)) return true;
  }
  for (unsigned t = 0; t < m->system.threads; t++) {
    uint32_t pc = t == run->thread ? (uint32_t)(in - m->program->code) + 1 : s->threads[t].pc;
    const struct live *live = &m->program->live[pc];
    for (unsigned i = 0; pc && i < live->count; i++) {
      reg r = m->program->registers[live->first + i];
      if (!(t == run->thread && r == in->d) && points_to(state_registers(m, s, t)[r], object)) return true;
    }
  }
  return false;
}

enum ended places_choose(struct run *run, const struct inst *in, const struct object *asked, uint32_t *object) {
  const struct machine *m = run->machine;
  const struct machine_state *s = run->state;
  unsigned count = 0, which;
  *object = UINT32_MAX;
  if (!m->stores_places || !m->terms) return GO_ON;
  for (int pass = 0; pass < 2; pass++) {
    unsigned met = 0;
    for (uint32_t i = m->globals; i < s->objects; i++) {
      const struct object *o = &state_objects(m, s)[i];
      if (o->life != LIFE_ENDED || o->layout != asked->layout || state_known(m, s)[i].maker != run->thread + 1)
        continue;
      if (object_size(m, o) != object_size(m, asked) || !is_known(run, in, i)) continue;
      if (pass && ++met == which) *object = i;
      count += !pass;
    }
    if (pass) break;
    enum ended bad = step_choose_one(run, in, count + 1, &which);
    if (bad != GO_ON) return bad;
  }
  return GO_ON;
}
