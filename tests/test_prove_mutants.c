/* Mutants of the objects that are proved: instructions of the lowered program dropped, doubled, exchanged, with other
 * registers, numbers, cells and targets. Nothing may be proved that verify breaks, for the same program; and where
 * memory safety at least is proved, every state of random executions is described by a view (concrete.h).
 * ASIF_TEST_MUTANTS sets how many of each object (default 8; make test-long takes 100), ASIF_TEST_MUTANT the number of
 * the only one. */
#include <string.h>

#include "concrete.h"
#include "front/flow.h"
#include "test.h"
#include "verify_program.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MUTANTS = 2 };
#else
enum { MUTANTS = 8 };
#endif

struct tally {
  unsigned mutants, proved, safe, broken, cut;
};

struct trial {
  const char *name;
  uint64_t number, random;
  struct mem mem;
  struct limits limits;
  struct proved proved;
  struct program *program;
  uint32_t end; /* of the operations' code */
  struct prover prover;
};

static uint32_t roll(struct trial *t, uint32_t below) {
  t->random = t->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(t->random >> 33) % below;
}

static uint32_t op_of(const struct program *p, uint32_t pc) {
  uint32_t op = 0;
  while (op + 1 < p->op_count && p->ops[op + 1].entry <= pc) op++;
  return op;
}

static uint32_t end_of(const struct trial *t, uint32_t op) {
  return op + 1 < t->program->op_count ? t->program->ops[op + 1].entry : t->end;
}

static bool jumps(const struct inst *i) { return i->code == I_JUMP || i->code == I_BRANCH; }
static bool accesses_node(const struct inst *i) {
  return i->code >= I_LOAD && i->code <= I_UNLOCK && !(i->flags & FLAG_GLOBAL);
}

/* One change at pc; false: none of this kind is possible there. */
static bool change(struct trial *t, uint32_t pc) {
  struct inst *i = &t->program->code[pc], old = *i;
  uint32_t op = op_of(t->program, pc), from = t->program->ops[op].entry, count = end_of(t, op) - from;
  reg *which[] = {&i->d, &i->a, &i->b, &i->c};
  if (i->code == I_ATOMIC) return false;
  switch (roll(t, 9)) {
  case 0:
    if (i->code == I_RETURN || i->code == I_ALLOC) return false;
    *i = (struct inst){
        .code = I_JUMP, .imm = pc + 1, .place = i->place, .d = NO_REG, .a = NO_REG, .b = NO_REG, .c = NO_REG};
    return true;
  case 1:
    if (pc + 1 >= end_of(t, op) || jumps(i) || jumps(i + 1) || i[1].code == I_ATOMIC || i[1].code == I_RETURN ||
        i->code == I_RETURN)
      return false;
    *i = i[1], i[1] = old;
    return true;
  case 2:
    if (pc + 1 >= end_of(t, op) || i[1].code == I_ATOMIC) return false;
    *i = i[1];
    return true;
  case 3:
  case 4: {
    reg *r = which[roll(t, 4)];
    if (*r == NO_REG || (r == &i->a && (i->flags & FLAG_GLOBAL || i->code == I_RETURN)) ||
        (i->code == I_BINARY && r == &i->c))
      return false;
    if (r == &i->b && i->code != I_BINARY && i->code != I_STORE && i->code != I_CAS && i->code != I_EXCHANGE)
      return false;
    if (r == &i->c && i->code != I_CAS) return false;
    *r = (reg)roll(t, t->program->ops[op].regs);
    return true;
  }
  case 5:
    if (!jumps(i)) return false;
    if (i->code == I_BRANCH && roll(t, 2))
      i->op = i->op == OP_NOT ? 0 : OP_NOT;
    else
      i->imm = from + roll(t, count);
    return true;
  case 6:
    if (!accesses_node(i) || i->code >= I_LOCK) return false;
    i->imm = roll(t, 3);
    return true;
  case 7:
    if (i->code == I_CONST)
      i->imm = roll(t, 2) ? i->imm + 1 : 0;
    else if (i->code == I_BINARY && i->op == OP_LT)
      i->op = OP_LE;
    else if (i->code == I_BINARY && i->op >= OP_EQ && i->op <= OP_NE)
      i->op = i->op == OP_EQ ? OP_NE : OP_EQ;
    else
      return false;
    return true;
  default:
    if (i->code == I_CAS)
      i->code = I_STORE, i->d = i->c = NO_REG;
    else if (i->code == I_LOCK || i->code == I_UNLOCK)
      i->code = i->code == I_LOCK ? I_UNLOCK : I_LOCK;
    else if (i->code >= I_LOAD && i->flags & FLAG_GLOBAL && i->code < I_LOCK)
      i->a = (reg)roll(t, t->program->global_count);
    else
      return false;
    return true;
  }
}

/* The code must not leave an atomic block but through its end, nor read beyond a global. */
static bool well_formed(const struct trial *t) {
  const struct program *p = t->program;
  for (uint32_t op = 0; op < p->op_count; op++) {
    bool inside = false;
    uint32_t begin = 0;
    for (uint32_t pc = p->ops[op].entry; pc < end_of(t, op); pc++) {
      const struct inst *i = &p->code[pc];
      if (i->code == I_ATOMIC) inside = i->imm, begin = pc;
      if (!jumps(i)) continue;
      uint32_t close = pc, to = (uint32_t)i->imm;
      while (inside && p->code[close].code != I_ATOMIC) close++;
      if (inside && (to <= begin || to > close)) return false;
      for (uint32_t k = to; !inside && k > p->ops[op].entry; k--) { /* into a block? */
        if (p->code[k - 1].code != I_ATOMIC) continue;
        if (p->code[k - 1].imm) return false;
        break;
      }
    }
    if (p->code[end_of(t, op) - 1].code != I_RETURN && p->code[end_of(t, op) - 1].code != I_JUMP) return false;
  }
  for (uint32_t pc = 1; pc < t->end; pc++) {
    const struct inst *i = &p->code[pc];
    if (i->code < I_LOAD || i->code > I_UNLOCK || !(i->flags & FLAG_GLOBAL)) continue;
    const struct layout *l = &p->layouts[p->globals[i->a].layout];
    if (i->imm >= (int64_t)l->count || l->cells[i->imm].scalar.mutex != (i->code >= I_LOCK)) return false;
  }
  return true;
}

static bool mutate(struct trial *t) {
  unsigned changes = 1 + (roll(t, 4) == 0);
  for (unsigned tries = 0; changes && tries < 100; tries++)
    if (change(t, t->program->ops[0].entry + roll(t, t->end - t->program->ops[0].entry))) changes--;
  return !changes && well_formed(t);
}

static void say(const struct trial *t, const char *what) {
  struct text text;
  text_open(&text, (struct mem *)&t->mem);
  program_print(t->program, &text);
  fprintf(stderr, "%s, mutant %llu: %s\n%s\n", t->name, (unsigned long long)t->number, what, text_string(&text));
}

static bool breaks(const struct trial *t, unsigned threads, unsigned ops, double seconds) {
  char path[200];
  snprintf(path, sizeof path, "objects/%s.c", t->name);
  return verify_breaks(path, t->program, threads, ops, seconds);
}

enum { OBJECTS_MOST = 13 }; /* longer segments are not matched with what is there */
static unsigned objects(const struct concrete *c) {
  unsigned count = 0;
  for (unsigned i = 0; i < CONCRETE_OBJECTS; i++) count += c->object[i].used;
  return count;
}

static void walk(struct trial *t, uint64_t seed) {
  struct concrete c;
  struct prover *p = &t->prover;
  t->random = seed;
  concrete_start(p, &c);
  for (unsigned stuck = 0, left = 9, moves = 0; stuck < 30 && moves < 200 && !c.fault && objects(&c) < OBJECTS_MOST;
       moves++) { /* it may go on for ever */
    unsigned thread = roll(t, CONCRETE_THREADS);
    bool moved = false;
    if (c.thread[thread].pc)
      moved = concrete_step(p, &c, thread, roll(t, 1000));
    else if (left)
      left--,
          moved = concrete_call(p, &c, thread, (uint16_t)roll(t, p->program->op_count), 1 + roll(t, 3), roll(t, 1000));
    stuck = moved ? 0 : stuck + 1;
    for (unsigned i = 0; moved && !c.fault && i < CONCRETE_THREADS; i++) {
      if (concrete_covered(p, &c, i)) continue;
      concrete_print(p, &c, stderr);
      say(t, "no view describes this state");
      CHECKF(false, "thread %u", i);
    }
  }
  if (c.fault) concrete_print(p, &c, stderr), say(t, c.fault);
  CHECK(!c.fault);
}

static bool close_views(struct trial *t, enum prove_level level) {
  struct problem why;
  memset(&t->prover, 0, sizeof t->prover);
  memcpy(t->prover.method, t->proved.prover->method, sizeof t->prover.method);
  t->prover.effects = t->proved.prover->effects;
  t->prover.ordered = t->proved.prover->ordered;
  t->prover.level = level;
  if (!prover_open(&t->prover, &t->mem, t->program, t->name, &why)) return false;
  unsigned tries;
  return level == LEVEL_MS ? fixpoint(&t->prover) : find_points(&t->prover, &level, &tries);
}

static void judge(struct trial *t, struct tally *y) {
  limits_start(&t->limits, getenv("ASIF_LONG") ? 5 : 1, (size_t)1 << 30);
  if (MEM_GUARD(&t->mem)) {
    y->cut++;
    return;
  }
  bool proved = close_views(t, LEVEL_FULL), safe = proved || close_views(t, LEVEL_MS);
  limits_start(&t->limits, 0, 0);
  y->proved += proved;
  y->safe += safe;
  for (uint64_t seed = 0; safe && seed < (proved ? 6 : 2); seed++) walk(t, seed + t->number * 100);
  if (!proved) return;
  bool wrong =
      breaks(t, 3, 1, 2) || breaks(t, 2, 2, 2) || (getenv("ASIF_LONG") && (breaks(t, 2, 3, 8) || breaks(t, 3, 2, 8)));
  if (wrong) say(t, "is proved");
  CHECK(!wrong);
}

static void try_mutant(struct trial *t, const struct inst *original, uint64_t number, struct tally *y) {
  memcpy(t->program->code, original, sizeof *original * t->program->code_count);
  t->number = number;
  t->random = number * 0x9e3779b97f4a7c15u + 12345;
  if (!mutate(t)) return;
  mem_open(&t->mem, &t->limits);
  program_liveness(t->program);
  y->mutants++;
  judge(t, y);
  mem_close(&t->mem);
}

static void try_mutants(const char *name) {
  const char *n = getenv("ASIF_TEST_MUTANTS"), *one = getenv("ASIF_TEST_MUTANT");
  unsigned most = n ? (unsigned)atoi(n) : getenv("ASIF_LONG") ? 100 : MUTANTS;
  struct tally y = {0};
  static struct trial t;
  struct mem m;
  struct problem why;
  char path[200];
  snprintf(path, sizeof path, "objects/%s.c", name);
  t.name = name;
  limits_start(&t.limits, 0, 0);
  mem_open(&m, &t.limits);
  CHECK(prove(&m, &(struct prove_options){.path = path, .level = LEVEL_MS}, &t.proved, &why));
  t.program = (struct program *)t.proved.program;
  t.end = t.program->init_entry > t.program->ops[0].entry ? t.program->init_entry : t.program->code_count;
  struct inst *original = mem_zero(&m, t.program->code_count, sizeof *original);
  memcpy(original, t.program->code, sizeof *original * t.program->code_count);
  if (one) try_mutant(&t, original, strtoull(one, NULL, 10), &y);
  CHECK(well_formed(&t));
  for (uint64_t number = 0; !one && y.mutants < most; number++) try_mutant(&t, original, number, &y);
  printf("%s: %u mutants, %u proved, %u memory safe, %u took too long\n", name, y.mutants, y.proved, y.safe, y.cut);
  mem_close(&m);
}

TEST(prove_mutants_treiber_stack) { try_mutants("treiber_stack"); }
TEST(prove_mutants_dcas_stack) { try_mutants("dcas_stack"); }
TEST(prove_mutants_ms_queue) { try_mutants("ms_queue"); }
TEST(prove_mutants_doherty_queue) { try_mutants("doherty_queue"); }
TEST(prove_mutants_two_lock_queue) { try_mutants("two_lock_queue"); }
TEST(prove_mutants_lock_coupling_set) { try_mutants("lock_coupling_set"); }
