/* Operands in no order where nobody else runs in between: in ASIF_ATOMIC, and in ASIF_INIT's function.
 *
 * If no operand writes what another uses, every order of them, and every interleaving, comes to the same state, so one
 * order stands for all. Whether that is so often shows only at run time, when it is known where pointers point and
 * which branches are taken. So the operands are evaluated one after the other, between instructions that say where each
 * begins (I_UNORDERED), and the machine compares what they access (verify/unordered.c); of variables in registers the
 * code says it where it may matter. At the first conflict the place is noted (conflicts.h) and the program is lowered
 * anew: there, and in what is evaluated there outside of calls, every order is taken as always. */
#include "front/conflicts.h"
#include "front/strands.h"

bool checked_may(struct lowering *l, struct place at) {
  struct conflicts *c = l->program->conflicts;
  return c && is_alone(l) && !l->every && !conflicts_has(c, at);
}

static struct inst *mark(struct ordering *o, unsigned op) {
  struct inst *in = emit_inst(o->l, I_UNORDERED, o->place);
  in->op = (uint8_t)op;
  in->place = o->place; /* by which it is found again, also in functions of model headers */
  return in;
}

/* Registers that one strand writes and another uses. */
static uint8_t *find_watched(const struct ordering *o) {
  uint8_t *watched = mem_zero(o->l->mem, o->base + 1, 1);
  for (unsigned a = 0; a < o->count; a++)
    for (unsigned b = 0; b < o->count; b++)
      for (uint32_t r = 0; a != b && r < o->base; r++)
        watched[r] |= (o->strand[a].uses[r] & REG_WRITTEN) && (o->strand[b].uses[r] & (REG_READ | REG_WRITTEN));
  return watched;
}

static void mark_registers(struct ordering *o, const struct inst *in, const uint8_t *watched) {
  struct span spans[6];
  uint8_t how[6];
  for (unsigned k = 0, n = strand_inst_uses(in, o->base, spans, how); k < n; k++)
    for (uint32_t r = spans[k].first; r < (uint32_t)spans[k].first + spans[k].count && r < o->base; r++)
      if (watched[r] && (how[k] & (REG_READ | REG_WRITTEN)))
        mark(o, how[k] & REG_WRITTEN ? UNORDERED_WRITE : UNORDERED_READ)->imm = r;
}

static void emit_strand(struct ordering *o, const struct strand *s, const uint8_t *watched) {
  struct lowering *l = o->l;
  uint32_t labels = (uint32_t)l->labels.count;
  uint8_t *target = mem_zero(l->mem, s->count + 1, 1);
  for (uint32_t k = 0; k <= s->count; k++) label_new(l);
  for (uint32_t k = 0; k < s->count; k++)
    if (inst_jumps(&s->code[k])) target[s->code[k].imm] = 1;
  for (uint32_t k = 0; k <= s->count; k++) {
    if (target[k]) label_place(l, labels + k);
    if (k == s->count) break;
    mark_registers(o, &s->code[k], watched);
    strand_copy(o, s, k, inst_jumps(&s->code[k]) ? labels + (uint32_t)s->code[k].imm : 0);
  }
  mem_free(l->mem, target);
}

void checked_join(struct ordering *o) {
  uint8_t *watched = find_watched(o);
  mark(o, UNORDERED_BEGIN);
  for (unsigned i = 0; i < o->count; i++) {
    mark(o, UNORDERED_NEXT);
    emit_strand(o, &o->strand[i], watched);
  }
  mark(o, UNORDERED_END);
  mem_free(o->l->mem, watched);
}
