/* Where operations linearize, found by trying (section 3 asks the programmer; "for simple algorithms this could perhaps
 * be automated").
 *
 * What changes the abstract value must be a write that others see. Memory safety is proved first, which shows these
 * writes; then each operation is given one of its own, or where that fails two, until a proof is found. What leaves the
 * abstract value as it is needs no point. */
#include <string.h>

#include "prove/prover.h"

enum { WRITES_MOST = 12, TRIES_MOST = 400 };

struct candidates {
  uint32_t pc[OPS_MOST][WRITES_MOST];
  unsigned count[OPS_MOST];
};

static void find_writes(const struct prover *p, struct candidates *c) {
  memset(c, 0, sizeof *c);
  for (unsigned pass = 0; pass < 2; pass++) /* first what makes a node of its own visible */
    for (uint32_t op = 0; op < p->program->op_count; op++) {
      uint32_t end = op + 1 < p->program->op_count ? p->program->ops[op + 1].entry : p->program->code_count;
      for (uint32_t pc = p->program->ops[op].entry; pc < end; pc++)
        if (p->writes[pc] & 1 && (p->writes[pc] & 2 ? 0 : 1) == pass && c->count[op] < WRITES_MOST &&
            !changes_nothing(p, (uint16_t)op))
          c->pc[op][c->count[op]++] = pc;
    }
}

/* The subsets of one or two of n writes: how many, and the i-th of them. */
static unsigned subsets(unsigned n) { return n ? n + n * (n - 1) / 2 : 1; }
static uint32_t subset(unsigned n, unsigned i) {
  if (i < n) return n ? 1u << i : 0;
  i -= n;
  for (unsigned a = 0; a < n; a++)
    for (unsigned b = a + 1; b < n; b++)
      if (i-- == 0) return 1u << a | 1u << b;
  return 0;
}

static void set_points(struct prover *p, const struct candidates *c, const unsigned *choice) {
  memset(p->point, 0, p->program->code_count);
  for (uint32_t op = 0; op < p->program->op_count; op++) {
    uint32_t chosen = subset(c->count[op], choice[op]);
    for (unsigned i = 0; i < c->count[op]; i++)
      if (chosen >> i & 1) p->point[c->pc[op][i]] = 1;
  }
}

static uint32_t op_at(const struct prover *p, uint32_t pc) {
  uint32_t op = 0;
  while (op + 1 < p->program->op_count && p->program->ops[op + 1].entry <= pc) op++;
  return op;
}

/* The next choice: another one for the operation that failed, if it may be to blame; else in order. */
static bool next_choice(const struct prover *p, const struct candidates *c, unsigned *choice) {
  uint32_t blamed = p->failure.own_point ? op_at(p, p->failure.pc) : 0;
  for (uint32_t op = 0; op < blamed; op++) choice[op] = 0;
  for (uint32_t op = blamed; op < p->program->op_count; op++) {
    if (++choice[op] < subsets(c->count[op])) return true;
    choice[op] = 0;
  }
  return false;
}

bool find_points(struct prover *p, enum prove_level *level, unsigned *tries) {
  enum prove_level wanted = p->level;
  p->level = *level = LEVEL_MS;
  p->writes = mem_zero(p->mem, p->program->code_count, 1);
  if (!fixpoint(p)) return false;
  p->level = *level = wanted;
  struct candidates c;
  find_writes(p, &c);
  unsigned choice[OPS_MOST] = {0}, best[OPS_MOST] = {0};
  size_t furthest = 0;
  for (*tries = 1; *tries <= TRIES_MOST; ++*tries) {
    set_points(p, &c, choice);
    if (fixpoint(p)) return true;
    if (p->entries.count > furthest) furthest = p->entries.count, memcpy(best, choice, sizeof best);
    if (p->failure.limit || !next_choice(p, &c, choice)) break;
  }
  set_points(p, &c, best); /* what it was that came furthest is told */
  return fixpoint(p);
}
