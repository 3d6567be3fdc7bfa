/* What the prover needs to know of a program before it starts. */
#include <string.h>

#include "prove/prover.h"

/* Numbers of cells of nodes that the program reads as addresses, or as numbers. What is read of a variable of an
 * operation is no node's. */
static uint64_t find_read(const struct program *program, bool pointers) {
  uint64_t read = 0;
  for (uint32_t pc = 1; pc < program->code_count; pc++) {
    const struct inst *i = &program->code[pc];
    bool reads = i->code == I_LOAD || i->code == I_CAS || i->code == I_EXCHANGE || i->code == I_FETCH;
    if (reads && i->scalar.pointer == pointers && !(i->flags & (FLAG_GLOBAL | FLAG_LOCAL)) && i->imm >= 0 &&
        i->imm < 64)
      read |= UINT64_C(1) << i->imm;
  }
  return read;
}

/* Of each layout, the cell that leads to the next node and the one that holds the value: the first pointer and the
 * first number that the program ever reads, else the first. */
static void find_cells(struct prover *p) {
  const struct program *program = p->program;
  uint64_t addresses = find_read(program, true), numbers = find_read(program, false);
  p->read = addresses | numbers;
  for (uint32_t l = 0; l < program->layout_count; l++) {
    p->link[l] = p->data[l] = -1;
    const struct layout *x = &program->layouts[l];
    for (uint32_t c = 0; c < x->count && x->count > 1; c++) {
      const struct scalar *s = &x->cells[c].scalar;
      if (s->pointer && (p->link[l] < 0 || !(addresses >> p->link[l] & 1))) p->link[l] = (int8_t)c;
      if (!s->pointer && !s->mutex && (p->data[l] < 0 || !(numbers >> p->data[l] & 1))) p->data[l] = (int8_t)c;
    }
  }
}

/* Does the instruction look at a cell that may be the link of a node? */
static bool reads_link(const struct prover *p, const struct inst *i) {
  if ((i->code != I_LOAD && i->code != I_CAS && i->code != I_EXCHANGE) || i->flags & FLAG_GLOBAL) return false;
  for (uint32_t l = 0; l < p->program->layout_count; l++)
    if (p->link[l] == i->imm) return true;
  return false;
}

/* What an operation has from a root, or along links from there, in all it does: in what order is not looked at. */
static void find_followed(struct prover *p) {
  const struct program *program = p->program;
  uint32_t *from =
      mem_zero(p->mem, REGS_MOST, sizeof *from); /* of each register: the roots from which it may have its value */
  for (uint32_t op = 0; op < program->op_count; op++) {
    uint32_t end = op + 1 < program->op_count ? program->ops[op + 1].entry : program->code_count;
    memset(from, 0, REGS_MOST * sizeof *from);
    for (unsigned round = 0; round < ROOTS_MOST + REGS_MOST; round++)
      for (uint32_t pc = program->ops[op].entry; pc < end; pc++) {
        const struct inst *i = &program->code[pc];
        bool access = i->code == I_LOAD || i->code == I_CAS || i->code == I_EXCHANGE;
        uint32_t roots = !access                  ? 0
                         : i->flags & FLAG_GLOBAL ? UINT32_C(1) << (p->root_of[i->a] + (uint32_t)i->imm) % 32
                                                  : from[i->a];
        if (access) from[i->code == I_CAS ? i->c : i->d] |= roots;
        if (i->code == I_CAST) from[i->d] |= from[i->a];
        for (unsigned k = 0; i->code == I_MOVE && k < i->count; k++) from[i->d + k] |= from[i->a + k];
        if (reads_link(p, i)) p->followed |= roots;
      }
  }
}

/* Registers that may be freed from each instruction on: backwards until nothing changes. */
static uint64_t freed_before(const struct prover *p, uint32_t pc) {
  const struct inst *i = &p->program->code[pc];
  uint64_t after = i->code == I_RETURN ? 0 : i->code == I_JUMP ? p->freed_later[i->imm] : p->freed_later[pc + 1];
  if (i->code == I_BRANCH) after |= p->freed_later[i->imm];
  uint64_t before = after;
  if ((i->code == I_MOVE || i->code == I_CAST) && after >> i->d & 1) before |= UINT64_C(1) << i->a;
  if (i->code == I_LOAD || i->code == I_CONST || i->code == I_ALLOC) before &= ~(UINT64_C(1) << i->d);
  if (i->code == I_FREE && !(i->flags & FLAG_LOCAL)) before |= UINT64_C(1) << i->a;
  return before;
}

static void find_freed(struct prover *p) {
  p->freed_later = mem_zero(p->mem, p->program->code_count + 1, sizeof *p->freed_later);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t pc = p->program->code_count; pc-- > 1;) {
      uint64_t before = freed_before(p, pc);
      if (before != p->freed_later[pc]) p->freed_later[pc] = before, again = true;
    }
  }
}

static bool takes_ints(const struct unit *u) {
  for (size_t i = 0; i < u->harness.ops.count; i++) {
    const struct type *f = u->harness.ops.at[i].function->type;
    for (uint32_t k = 0; k < f->param_count; k++)
      if (f->params[k]->kind != TYPE_INT || !f->params[k]->is_signed || f->params[k]->bits > 32) return false;
  }
  return true;
}

static bool small_enough(const struct program *program, uint32_t roots, const char *path, struct problem *why) {
  const char *what = NULL;
  if (roots > ROOTS_MOST) what = "the global variables have more than 16 cells together";
  if (program->most_regs > REGS_MOST) what = "an operation needs more than 32 registers";
  if (program->layout_count > LAYOUTS_MOST) what = "there are more than 64 types of objects";
  for (uint32_t l = 0; l < program->layout_count; l++)
    for (uint32_t pc = 1; program->layouts[l].count > CELLS_EACH && pc < program->code_count; pc++)
      if (program->code[pc].code == I_ALLOC && program->code[pc].imm == (int64_t)l)
        what = "a node has more than 6 cells";
  if (what) problem_set(why, "%s: %s: this is outside what prove follows", path, what);
  return !what;
}

bool prover_open(struct prover *p, struct mem *mem, const struct program *program, const char *path,
                 struct problem *why) {
  p->mem = mem;
  p->program = program;
  p->collected = !program->frees;
  uint32_t roots = 0;
  if (program->loose) {
    problem_at(why, program->unit, program->loose_place, "%s: this is outside what prove follows", program->loose_text);
    return false;
  }
  for (uint32_t pc = 1; pc < program->code_count; pc++) {
    const struct inst *i = &program->code[pc];
    if (i->code != I_INT128 && i->code != I_FLOATING && i->code != I_CONVERT) continue;
    bool int128 = i->code == I_INT128 || (i->code == I_CONVERT && i->op == CONVERT_EXTEND);
    problem_at(why, program->unit, i->place, "arithmetic on %s is outside what prove follows",
               int128 ? "'__int128'" : "floating point numbers");
    return false;
  }
  for (uint32_t g = 0; g < program->global_count && roots <= ROOTS_MOST; g++) {
    p->root_of[g] = roots;
    uint32_t count = program->layouts[program->globals[g].layout].count;
    for (uint32_t c = 0; c < count; c++) {
      if (!word_is_wide(program->globals[g].init[c])) continue;
      problem_at(why, program->unit, program->globals[g].place,
                 "%s begins with a number of more than 61 bits: this is outside what prove follows",
                 program->globals[g].name);
      return false;
    }
    roots += count;
  }
  if (!small_enough(program, roots, path, why)) return false;
  p->point = mem_zero(mem, program->code_count, 1);
  find_cells(p);
  p->forgets = p->collected && marks_helping(p);
  p->int_arguments = takes_ints(program->unit);
  find_ranges(p);
  find_followed(p);
  find_freed(p);
  return true;
}
