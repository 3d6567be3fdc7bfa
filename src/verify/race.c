/* Data races: two threads are about to access one location, one of them writes it, and one access is not atomic.
 *
 * A race is a fault of the move that makes the first of the two accesses: another thread stands right before the
 * second. Threads stop before every access to what others can see (machine.c), so where each stands says what it is
 * about to access. Accesses that only one thread makes, or that are all reads, are found before. There is one
 * exception: a call is one move with the first access of its operation. An operation whose first access is plain stops
 * before it, so that it is seen; one whose first access is atomic makes it in its own move, and then sees what others
 * are about to do.
 *
 * If some execution has a race, then it has one of two accesses that are next to each other: the first execution in
 * which two conflicting accesses are not ordered can be rearranged so that they are. In the state before them both
 * threads are about to make theirs, and the search makes the move of either in every state that it reaches, or that of
 * a thread that has the same to do. So what the search does must only keep every reachable state, up to the names of
 * threads and objects and what none of them can access any more: symmetry, antichains and forgetting do. What only one
 * thread can reach has no second access, and is not asked about. Partial order reduction leaves out states, and then a
 * race may be missed: it is not combined with this (subject.c).
 *
 * Accesses of volatile words race in C too; but compilers make them what relaxed atomic ones are, and much code from
 * before C11 rests on that. Where no such access races with a plain one it is no fault, but noted.
 *
 * A compare-exchange that would fail only reads. What is within ASIF_ATOMIC counts as atomic. */
#include "verify/machine_parts.h"

enum { RACES_ACCESS = 1, RACES_PLAIN = 2, RACES_VOLATILE = 4 };

static bool writes(const struct inst *in) { return in->code != I_LOAD; }
static bool is_access(const struct inst *in) { return in->code >= I_LOAD && in->code <= I_UNLOCK; }
static uint32_t cells_of(const struct inst *in) { return in->code >= I_LOCK ? 1 : in->count; }

/* Which threads read and write each cell of the globals, a bit each: by name, and by all where addresses are known. */
struct touched {
  uint32_t *first; /* of each global's cells */
  uint16_t *reads, *writes;
  bool *anywhere; /* its address is known to some code or other variable */
};

static uint16_t callers(const struct machine *m, uint32_t pc) {
  uint16_t threads = 0;
  for (unsigned t = 0; t < m->system.threads; t++)
    for (unsigned i = 0; i < m->client[t].call_count; i++)
      if (m->op_at[pc] == &m->program->ops[m->client[t].calls[i].op]) threads |= (uint16_t)(1u << t);
  return threads;
}

static void note_address(const struct program *p, struct touched *k, word w) {
  if (word_is_pointer(w) && word_object(w) < p->global_count) k->anywhere[word_object(w)] = true;
}

static void find_touched(struct mem *mem, const struct machine *m, struct touched *k) {
  const struct program *p = m->program;
  k->first = mem_zero(mem, p->global_count + 1, sizeof *k->first);
  k->anywhere = mem_zero(mem, p->global_count + 1, sizeof *k->anywhere);
  for (uint32_t g = 0; g < p->global_count; g++) {
    uint32_t count = p->layouts[p->globals[g].layout].count;
    k->first[g + 1] = k->first[g] + count;
    for (uint32_t c = 0; c < count; c++) note_address(p, k, p->globals[g].init[c]);
  }
  k->reads = mem_zero(mem, k->first[p->global_count] + 1, sizeof *k->reads);
  k->writes = mem_zero(mem, k->first[p->global_count] + 1, sizeof *k->writes);
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    const struct inst *in = &p->code[pc];
    if (in->code == I_GLOBAL) k->anywhere[in->b] = true;
    if (!is_access(in) || !(in->flags & FLAG_GLOBAL)) continue;
    uint32_t begin = k->first[in->a] + (uint32_t)in->imm, end = begin + cells_of(in);
    for (uint32_t c = begin; c < end && c < k->first[in->a + 1]; c++) {
      k->reads[c] |= callers(m, pc);
      if (writes(in)) k->writes[c] |= callers(m, pc);
    }
  }
}

/* May another thread access what this instruction does, and one of the two write? */
static bool may_conflict(const struct machine *m, const struct touched *k, uint32_t pc) {
  const struct inst *in = &m->program->code[pc];
  if (m->program->loose || !(in->flags & FLAG_GLOBAL) || k->anywhere[in->a]) return true;
  uint16_t own = callers(m, pc), others = 0;
  uint32_t begin = k->first[in->a] + (uint32_t)in->imm, end = begin + cells_of(in);
  for (uint32_t c = begin; c < end && c < k->first[in->a + 1]; c++) others |= writes(in) ? k->reads[c] : k->writes[c];
  uint16_t both = own | others;
  return own && others && (both & (both - 1));
}

void race_open(struct mem *mem, struct machine *m) {
  const struct program *p = m->program;
  struct touched touched;
  bool any = false;
  uint8_t *races = mem_zero(mem, p->code_count + 1, sizeof *races);
  find_touched(mem, m, &touched);
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    const struct inst *in = &p->code[pc];
    if (!is_access(in) || in->flags & (FLAG_LOCAL | FLAG_CONSTANT) || !may_conflict(m, &touched, pc)) continue;
    bool atomic = in->flags & FLAG_ATOMIC;
    races[pc] = RACES_ACCESS | (atomic ? 0 : in->is_volatile ? RACES_VOLATILE : RACES_PLAIN);
    any |= !atomic;
  }
  m->races = any ? races : NULL;
}

bool race_plainly(const struct machine *m, const struct inst *in) {
  return m->races[in - m->program->code] & (RACES_PLAIN | RACES_VOLATILE);
}

/* Where the access is that a thread with these registers is about to make: false if there is no such memory. */
static bool extent(const struct machine *m, const struct machine_state *s, const word *r, const struct inst *in,
                   uint32_t *object, int64_t *from, int64_t *to) {
  if (m->program->loose) return loose_extent(m, s, r, in, object, from, to);
  word at = in->flags & FLAG_GLOBAL ? word_pointer(in->a, (uint32_t)in->imm) : r[in->a];
  if (!word_is_pointer(at)) return false;
  if (!(in->flags & FLAG_GLOBAL)) at += in->imm << 3;
  *object = word_object(at);
  *from = word_cell(at);
  *to = *from + cells_of(in);
  return !word_mark(at) && !word_is_term(at);
}

/* Would that access write? */
static bool would_write(const struct machine *m, const struct machine_state *s, const struct inst *in, const word *r,
                        uint32_t object, int64_t cell) {
  if (in->code != I_CAS) return writes(in);
  if (m->program->loose) return loose_would_exchange(m, s, r, in);
  const struct object *o = &state_objects(m, s)[object];
  if (cell + in->count > o->count) return false;
  const word *cells = state_cells(m, s) + o->first + cell;
  for (unsigned i = 0; i < in->count; i++)
    if (cells[i] != r[in->c + i]) return false;
  return true;
}

/* Bit-fields next to each other are one memory location: what stands within eight bytes is taken to be next to each
 * other. */
static void widen(int64_t *from, int64_t *to) {
  *from &= ~INT64_C(7);
  *to = (*to + 7) & ~INT64_C(7);
}

/* Of all that are seen, the two that come first in the program: it must not matter who sees which first. */
static void note_volatile(const struct machine *m, const struct inst *a, const struct inst *b) {
  uint64_t *at = m->options.volatile_race, first = (uint64_t)(a - m->program->code),
           last = (uint64_t)(b - m->program->code);
  if (!at) return;
  uint64_t these = first < last ? first << 32 | last : last << 32 | first,
           there = __atomic_load_n(at, __ATOMIC_RELAXED);
  while ((!there || these < there) &&
         !__atomic_compare_exchange_n(at, &there, these, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

bool machine_volatile_race(const struct system *system, const struct inst *accesses[2]) {
  const struct machine *m = (const struct machine *)system;
  uint64_t both = m->options.volatile_race ? *m->options.volatile_race : 0;
  accesses[0] = &m->program->code[both >> 32];
  accesses[1] = &m->program->code[both & UINT32_MAX];
  return both;
}

/* With type_stable an access through a pointer from before the object was freed is allowed, and races with nobody.
 * Which accesses are such is not known: none to an object that was freed races. One that was not freed may always take
 * its place, so a race that is due to something else is found there. */
static bool may_be_stale(const struct machine *m, const struct machine_state *s, uint32_t object) {
  if (!m->options.type_stable || object >= s->objects) return false;
  uint8_t life = state_objects(m, s)[object].life;
  return life == LIFE_AGAIN || life == LIFE_FREED;
}

bool race_with(const struct machine *m, const struct machine_state *s, const struct made_access *a, unsigned *thread) {
  const struct program *p = m->program;
  unsigned kind = m->races[a->inst - p->code];
  if (a->atomic) kind &= ~(unsigned)(RACES_PLAIN | RACES_VOLATILE);
  if (!kind || may_be_stale(m, s, a->object)) return false;
  bool locks = p->loose || a->inst->scalar.mutex; /* otherwise it cannot be to what another thread locks */
  for (unsigned t = 0; t < m->system.threads; t++) {
    uint32_t pc = s->threads[t].pc;
    unsigned both = kind | m->races[pc];
    if (t == a->thread || !m->races[pc] || !(both & (RACES_PLAIN | RACES_VOLATILE))) continue;
    const struct inst *in = &p->code[pc];
    if (!locks && inst_locks(in)) continue;
    const word *r = state_registers(m, s, t);
    uint32_t object;
    int64_t from, to;
    if (!extent(m, s, r, in, &object, &from, &to)) continue;
    int64_t begin = a->from, end = a->to;
    if (inst_is_bits(a->inst) && inst_is_bits(in)) widen(&from, &to), widen(&begin, &end);
    if (object != a->object || from >= end || begin >= to) continue;
    if (!a->writes && !would_write(m, s, in, r, object, from)) continue;
    if (!(both & RACES_PLAIN)) {
      note_volatile(m, a->inst, in);
      continue;
    }
    *thread = t;
    return true;
  }
  return false;
}
