/* See mock_run.h. */
#include "mock_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { STEPS_MOST = 400, FREE = 0, FEW_CELLS = 3 };

struct thread {
  unsigned at;
  long kept;
  int block;                                 /* the one it has; -1: none */
  bool ended, alive, called, open, spinning; /* open: within an operation */
  bool spun;                                 /* its last read was the same */
  bool second;                               /* of MOCK_SPIN_TWO: reads b next */
  unsigned saw[2], writes;                   /* the cells' versions when it read them; of all writes */
  unsigned started;                          /* the threads it created: only thread 0 does */
  uint32_t call, calls;                      /* the one it makes; how many it has made */
};
static struct {
  long cells[MOCK_CELLS];
  unsigned version[MOCK_CELLS];       /* how often it was changed */
  unsigned holder[MOCK_LOCKS], count; /* count: of the semaphore */
  uint8_t freed[MOCK_BLOCKS * MOCK_THREADS];
  unsigned freed_count, fresh[MOCK_THREADS];
  bool is_freed[MOCK_BLOCKS * MOCK_THREADS];
  unsigned writes;
  struct thread threads[MOCK_THREADS];
} m;
static const struct mock_program *program;
static struct run run;
static struct step steps[STEPS_MOST];
static struct moment moments[STEPS_MOST];
static struct client client;
static uint32_t first[MOCK_THREADS + 1];
static struct call calls[MOCK_THREADS * MOCK_CALLS];
uint64_t mock_runs;

unsigned mock_like(const struct mock_program *p, unsigned t) {
  for (unsigned u = 0; u < t; u++)
    if (p->length[u] == p->length[t] && !memcmp(p->code[u], p->code[t], p->length[t] * sizeof *p->code[t])) return u;
  return t;
}

void mock_use(const struct mock_program *p) {
  program = p;
  for (unsigned t = 0; t <= p->threads; t++) first[t] = t * MOCK_CALLS;
  for (unsigned t = 0; t < p->threads; t++) /* what a thread does is its calls, too */
    for (unsigned c = 0; c < MOCK_CALLS; c++) calls[first[t] + c] = (struct call){.op = mock_like(p, t)};
  client = (struct client){.threads = p->threads, .first = first, .calls = calls};
}

const struct client *mock_client(void) { return &client; }

static const struct mock_instruction *next_of(unsigned t) { return &program->code[t][m.threads[t].at]; }

#define CELLS 0x1000 /* where cells are, and locks */
#define LOCKS 0x2000
static void pend(unsigned t, enum point_kind kind, uintptr_t address, unsigned flags) {
  unsigned size = address >= CELLS && address < LOCKS ? program->cell : 8;
  run.pending[t] = (struct step){.fiber = (uint8_t)t,
                                 .kind = (uint8_t)kind,
                                 .address = address,
                                 .size = address ? size : 0,
                                 .flags = (uint8_t)(flags | (m.threads[t].called ? STEP_CALLS : 0))};
}

#define CELL(i)   (CELLS + program->cell * (uintptr_t)(i))
#define LOCK(i)   (LOCKS + 8 * (uintptr_t)(i))
#define SEMAPHORE 0x3000
#define LIST      0x4000
#define THREAD(i) (0x5000 + 8 * (uintptr_t)(i))
#define OWN(i)    (0x7000 + 8 * (uintptr_t)(i))
#define BLOCK(i)  (0x6000 + 16 * (uintptr_t)(i))

static void finding(enum found found) {
  run.found = found;
  run.said = "a mistake";
  run.end = RUN_WHOLE;
}

static bool over(void) { return run.found || run.end == RUN_CANNOT; }

static void moment(unsigned t, size_t step, bool is_return) {
  moments[run.moment_count++] = (struct moment){.step = (uint32_t)step,
                                                .call = m.threads[t].call,
                                                .fiber = (uint8_t)t,
                                                .is_return = is_return,
                                                .result = is_return ? m.threads[t].kept : 0};
}

/* Runs what is local to a thread, up to its next point. */
static void advance(unsigned t) {
  struct thread *x = &m.threads[t];
  for (; !over(); x->at++) {
    if (x->at >= program->length[t]) {
      x->ended = true;
      return;
    }
    const struct mock_instruction *i = next_of(t);
    switch (i->op) {
    case MOCK_READ: pend(t, POINT_READ, CELL(i->a), 0); return;
    case MOCK_WRITE: pend(t, POINT_WRITE, CELL(i->a), 0); return;
    case MOCK_CAS:
    case MOCK_CAS_FROM_ZERO:
    case MOCK_ADD: pend(t, POINT_UPDATE, CELL(i->a), 0); return;
    case MOCK_READ_BOTH:
    case MOCK_WRITE_BOTH:
      pend(t, i->op == MOCK_READ_BOTH ? POINT_READ : POINT_WRITE, CELL(i->a & ~1u), 0);
      run.pending[t].size *= 2;
      return;
    case MOCK_OWN: pend(t, POINT_WRITE, OWN(t), 0); return;
    case MOCK_LOCK: pend(t, POINT_LOCK, LOCK(i->a), STEP_WAITS); return;
    case MOCK_TRY: pend(t, POINT_LOCK, LOCK(i->a), 0); return;
    case MOCK_UNLOCK:
      if (m.holder[i->a] != t + 1) break;
      pend(t, POINT_UNLOCK, LOCK(i->a), 0);
      return;
    case MOCK_POST: pend(t, POINT_UNLOCK, SEMAPHORE, 0); return;
    case MOCK_TAKE: pend(t, POINT_LOCK, SEMAPHORE, STEP_WAITS); return;
    case MOCK_SPIN: pend(t, POINT_READ, CELL(i->a), 0); return;
    case MOCK_SPIN_TWO: pend(t, POINT_READ, CELL(x->second ? i->b : i->a), 0); return;
    case MOCK_ALLOC: pend(t, POINT_ALLOC, LIST, 0); return;
    case MOCK_FREE:
      if (x->block < 0) break;
      pend(t, POINT_FREE, LIST, 0);
      return;
    case MOCK_USE: pend(t, POINT_WRITE, BLOCK(i->a * MOCK_BLOCKS), 0); return;
    case MOCK_YIELD: pend(t, POINT_YIELD, 0, 0); return;
    case MOCK_BLOCK: pend(t, POINT_BLOCK, 0, 0); return;
    case MOCK_START:
      if (x->started >> i->a & 1) break;
      pend(t, POINT_START, 0, 0);
      return;
    case MOCK_JOIN:
      if (!(x->started >> i->a & 1)) break;
      pend(t, POINT_JOIN, THREAD(i->a), STEP_WAITS);
      return;
    case MOCK_ASSERT:
      if (x->kept == i->b) finding(FOUND_ASSERTION);
      break;
    case MOCK_REFUSE:
      if (x->kept == i->b) run.end = RUN_CANNOT;
      break;
    case MOCK_SKIP:
      if (x->kept == i->a) x->at += i->b;
      break;
    case MOCK_CALL:
      if (!x->open) x->called = x->open = true, x->call = t * MOCK_CALLS + x->calls++;
      break;
    case MOCK_RETURN:
      if (!x->open) break;
      if (x->called) {
        pend(t, POINT_CALL, 0, 0);
        return;
      }
      steps[run.count - 1].flags |= STEP_RETURNS;
      moment(t, run.count - 1, true);
      x->open = false;
      break;
    }
  }
}

static bool can(unsigned t) {
  const struct thread *x = &m.threads[t];
  if (!x->alive || x->ended) return false;
  const struct mock_instruction *i = next_of(t);
  if (i->op == MOCK_LOCK) return m.holder[i->a] == FREE;
  if (i->op == MOCK_TAKE) return m.count > 0;
  if (i->op == MOCK_JOIN) return m.threads[i->a].ended;
  if (!x->spinning) return true;
  if (program->any_write) return m.writes != x->writes;
  return m.version[i->a] != x->saw[0] || (i->op == MOCK_SPIN_TWO && m.version[i->b] != x->saw[1]);
}

static void wrote(struct step *s) {
  s->flags |= STEP_WROTE;
  m.writes++;
}

static void store(struct step *s, unsigned cell, long value) {
  s->flags |= STEP_WROTE;
  m.writes += m.cells[cell] != value;
  m.version[cell] += m.cells[cell] != value;
  m.cells[cell] = value;
}

static void spins(struct thread *x, struct step *s) {
  x->spinning = true;
  s->flags |= STEP_SPINS;
  run.spun = run.count;
}

/* A loop that reads one cell. False: it goes round again. It spins if nothing was changed since the last time. */
static bool spin(struct thread *x, const struct mock_instruction *i, struct step *s) {
  bool same = x->spun && (program->any_write ? m.writes == x->writes : m.version[i->a] == x->saw[0]);
  x->spinning = false;
  x->spun = m.cells[i->a] != i->b;
  if (!x->spun) return true;
  x->saw[0] = m.version[i->a];
  x->writes = m.writes;
  if (same) spins(x, s);
  return false;
}

/* One that reads two; it spins if when it has read both and comes to the first again they are as they were. */
static bool spin_two(struct thread *x, const struct mock_instruction *i, struct step *s) {
  unsigned cell = x->second ? i->b : i->a;
  bool same = !x->second && x->spun && m.version[i->a] == x->saw[0] && m.version[i->b] == x->saw[1];
  if (program->any_write) same = !x->second && x->spun && m.writes == x->writes;
  x->kept = m.cells[cell];
  x->spinning = false;
  if (x->kept) return x->spun = x->second = false, true;
  x->saw[x->second] = m.version[cell];
  if (!x->second)
    x->writes = m.writes;
  else
    x->spun = true;
  x->second = !x->second;
  if (same) spins(x, s);
  return false;
}

static unsigned choose_block(const struct plan *plan, unsigned count, size_t i, bool *bad) {
  unsigned block = 0;
  if (i < plan->count)
    block = plan->choices[i].block;
  else if (plan->choose_block)
    block = (unsigned)plan->choose_block(plan->context, &run, count);
  *bad = block >= count;
  return block;
}

static bool allocate(struct thread *x, unsigned t, struct step *s, const struct plan *plan) {
  unsigned which = m.freed_count;
  bool bad = false;
  if (m.freed_count) {
    which = choose_block(plan, m.freed_count + 1, run.count - 1, &bad);
    s->block = (uint8_t)which;
    s->blocks = (uint8_t)(m.freed_count + 1);
    if (bad) return false;
  }
  if (which == m.freed_count) {
    x->block = (int)(t * MOCK_BLOCKS + m.fresh[t]++ % MOCK_BLOCKS);
  } else {
    unsigned at = m.freed_count - 1 - which;
    x->block = m.freed[at];
    memmove(&m.freed[at], &m.freed[at + 1], m.freed_count - at - 1);
    m.freed_count--;
    s->place = BLOCK(x->block);
    s->size = 16;
    s->flags |= STEP_WROTE;
  }
  m.is_freed[x->block] = false;
  x->kept = x->block;
  return true;
}

static void free_block(struct thread *x, struct step *s) {
  m.freed[m.freed_count++] = (uint8_t)x->block;
  m.is_freed[x->block] = true;
  s->place = BLOCK(x->block);
  s->size = 16;
  s->flags |= STEP_WROTE;
  x->block = -1;
}

/* ASIF_ATOMIC blocks. Cells are accessed by these, so that what a block says that it accessed is what it did. */
static uintptr_t touched[2 * MOCK_CELLS + 8];
static size_t touched_count;
static void touch(uintptr_t address, bool writes) {
  touched[touched_count++] = (address & ~(uintptr_t)7) | (writes ? FOOTPRINT_WRITES : 0);
}
static long get(unsigned cell) {
  touch(CELL(cell), false);
  return m.cells[cell];
}
static void put(struct step *s, unsigned cell, long value) {
  touch(CELL(cell), true);
  store(s, cell, value);
}
static bool block(struct thread *x, unsigned t, const struct mock_instruction *i, struct step *s,
                  const struct plan *plan) {
  unsigned c = i->a, d = (i->a + 1) % MOCK_CELLS;
  struct step inner = {0};
  touched_count = 0;
  switch (i->b) {
  case MOCK_BLOCK_UNKNOWN:
  case MOCK_BLOCK_ALL:
    for (unsigned k = 0; k < MOCK_CELLS; k++) put(s, k, m.cells[k] + 1);
    break;
  case MOCK_BLOCK_READ: x->kept = get(c) + 3 * get(d); break;
  case MOCK_BLOCK_MOVE:
    x->kept = get(c);
    if (x->kept) put(s, c, m.cells[c] - 1), put(s, d, get(d) + 1);
    break;
  case MOCK_BLOCK_INDIRECT:
    x->kept = ((get(c) % MOCK_CELLS) + MOCK_CELLS) % MOCK_CELLS;
    put(s, (unsigned)x->kept, get((unsigned)x->kept) + 1);
    break;
  case MOCK_BLOCK_COMPARE:
    if (get(c) == x->kept && get(d) + 1 == x->kept) put(s, c, m.cells[c] + 1), put(s, d, m.cells[d] + 1);
    break;
  case MOCK_BLOCK_IF:
    if (!get(c))
      x->kept = get(d);
    else
      put(s, MOCK_CELLS - 1, 1);
    break;
  case MOCK_BLOCK_TRY:
    touch(LOCK(0), true);
    s->flags |= STEP_WROTE;
    if (m.holder[0] == FREE) put(s, c, get(c) + 1);
    break;
  case MOCK_BLOCK_ALLOC:
    if (get(c)) break;
    inner = *s;
    if (!allocate(x, t, &inner, plan)) return false;
    s->block = inner.block;
    s->blocks = inner.blocks;
    touched[touched_count++] = LIST | FOOTPRINT_LIST | (inner.place ? FOOTPRINT_WRITES : 0);
    break;
  case MOCK_BLOCK_FREE:
    if (!get(c)) break;
    if (x->block >= 0) {
      free_block(x, &inner);
      touched[touched_count++] = LIST | FOOTPRINT_LIST | FOOTPRINT_WRITES;
    }
    put(s, d, get(d) + 1);
    break;
  default: break;
  }
  for (unsigned k = 0; k < 2 && inner.place; k++) touch(inner.place + 8 * k, true);
  if (inner.place) s->flags |= STEP_WROTE;
  s->place = i->b == MOCK_BLOCK_UNKNOWN ? 0 : footprint_number(touched, touched_count);
  return true;
}

static void start_thread(unsigned t) {
  m.threads[t].alive = true;
  m.threads[t].block = -1;
  advance(t);
}

/* Takes the step. False: a forced block that is not there. */
static bool take(unsigned t, struct step *s, const struct plan *plan) {
  struct thread *x = &m.threads[t];
  const struct mock_instruction *i = next_of(t);
  if (x->called) {
    x->called = false;
    moment(t, run.count - 1, false);
  }
  switch (i->op) {
  case MOCK_READ: x->kept = m.cells[i->a]; break;
  case MOCK_WRITE: store(s, i->a, i->b); break;
  case MOCK_CAS:
  case MOCK_CAS_FROM_ZERO: {
    long from = i->op == MOCK_CAS ? x->kept : 0;
    bool is = m.cells[i->a] == from;
    if (is) store(s, i->a, i->b);
    x->kept = is;
    break;
  }
  case MOCK_ADD: store(s, i->a, x->kept = m.cells[i->a] + 1); break;
  case MOCK_READ_BOTH: x->kept = 3 * m.cells[i->a & ~1u] + m.cells[i->a | 1]; break;
  case MOCK_WRITE_BOTH:
    store(s, i->a & ~1u, i->b);
    store(s, i->a | 1, i->b + 1);
    break;
  case MOCK_OWN: wrote(s); break;
  case MOCK_TRY:
    x->kept = m.holder[i->a] == FREE;
    if (x->kept)
      m.holder[i->a] = t + 1, wrote(s);
    else
      s->flags |= STEP_FAILED;
    break;
  case MOCK_LOCK:
    m.holder[i->a] = t + 1;
    wrote(s);
    break;
  case MOCK_UNLOCK:
    m.holder[i->a] = FREE;
    wrote(s);
    s->flags |= STEP_OPENS;
    break;
  case MOCK_POST:
    m.count++;
    wrote(s);
    break;
  case MOCK_TAKE:
    m.count--;
    wrote(s);
    break;
  case MOCK_SPIN:
    if (!spin(x, i, s)) return advance(t), true;
    break;
  case MOCK_SPIN_TWO:
    if (!spin_two(x, i, s)) return advance(t), true;
    break;
  case MOCK_ALLOC:
    if (!allocate(x, t, s, plan)) return false;
    break;
  case MOCK_FREE: free_block(x, s); break;
  case MOCK_USE:
    s->flags |= STEP_WROTE;
    if (m.is_freed[i->a * MOCK_BLOCKS]) finding(FOUND_USE_AFTER_FREE);
    break;
  case MOCK_BLOCK:
    if (!block(x, t, i, s, plan)) return false;
    break;
  case MOCK_YIELD: s->flags |= STEP_YIELDED; break;
  case MOCK_START:
    s->address = THREAD(i->a);
    s->place = i->a;
    wrote(s);
    x->started |= 1u << i->a;
    run.fibers++;
    start_thread(i->a);
    break;
  default: break;
  }
  if (i->op != MOCK_RETURN) x->at++; /* that comes again, for the return itself */
  if (!over()) advance(t);
  return true;
}

static const struct run *wrong(struct problem *problem) {
  problem_set(problem, "step %zu is not possible", run.count);
  return NULL;
}

static uint64_t enabled_threads(void) {
  uint64_t enabled = 0;
  for (unsigned t = 0; t < program->all; t++) enabled |= (uint64_t)can(t) << t;
  return enabled;
}

/* Whether somebody is left, when nobody can go on. */
static void stuck(void) {
  bool spinning = false, left = false;
  for (unsigned t = 0; t < program->all; t++) {
    left |= m.threads[t].alive && !m.threads[t].ended;
    spinning |= m.threads[t].alive && !m.threads[t].ended && m.threads[t].spinning;
  }
  if (left) finding(spinning ? FOUND_LIVELOCK : FOUND_DEADLOCK);
}

const struct run *mock_execute(const struct client *c, const struct plan *plan, struct problem *problem) {
  mock_runs++;
  memset(&m, 0, sizeof m);
  run = (struct run){
      .client = c, .steps = steps, .moments = moments, .end = RUN_WHOLE, .said = "", .fibers = program->threads};
  for (unsigned t = 0; t < program->threads && !over(); t++) start_thread(t);
  while (!over()) {
    uint64_t enabled = run.enabled = enabled_threads();
    if (!enabled) {
      stuck();
      break;
    }
    if (run.count == STEPS_MOST) {
      run.end = RUN_LONG;
      break;
    }
    struct choice chosen = {(uint8_t)step_default(steps, run.count, run.current, enabled), 0};
    if (run.count < plan->count)
      chosen = plan->choices[run.count];
    else if (plan->choose && plan->choose(plan->context, &run, &chosen) == CHOOSE_STOP) {
      run.end = RUN_CUT;
      break;
    }
    if (run.count < plan->count && chosen.fiber < program->all) { /* one that spins may be made to go on */
      m.threads[chosen.fiber].spinning = false;
      enabled |= (uint64_t)can(chosen.fiber) << chosen.fiber;
    }
    if (chosen.fiber >= program->all || !(enabled >> chosen.fiber & 1)) return wrong(problem);
    struct step *s = &steps[run.count];
    *s = run.pending[chosen.fiber];
    s->enabled = enabled;
    s->before = (uint8_t)run.current;
    run.count++;
    run.current = chosen.fiber;
    if (!take(chosen.fiber, s, plan)) return wrong(problem);
  }
  for (unsigned t = 0; t < program->all; t++) run.alive |= (uint64_t)(m.threads[t].alive && !m.threads[t].ended) << t;
  return &run;
}

/* Random programs. */

static unsigned draw(uint64_t *random, unsigned n) {
  *random += 0x9e3779b97f4a7c15u;
  return (unsigned)(hash_mix(*random) % n);
}

static bool wanted(unsigned op, unsigned features) {
  switch (op) {
  case MOCK_READ_BOTH:
  case MOCK_WRITE_BOTH: return features & MOCK_WITH_PARTS;
  case MOCK_OWN: return features & MOCK_ALIKE;
  case MOCK_LOCK:
  case MOCK_TRY:
  case MOCK_UNLOCK:
  case MOCK_POST:
  case MOCK_TAKE: return features & MOCK_WITH_LOCKS;
  case MOCK_SPIN:
  case MOCK_SPIN_TWO: return features & MOCK_WITH_SPINS;
  case MOCK_ALLOC:
  case MOCK_FREE:
  case MOCK_USE: return features & MOCK_WITH_HEAP;
  case MOCK_YIELD: return features & MOCK_WITH_YIELDS;
  case MOCK_BLOCK: return features & MOCK_WITH_BLOCKS;
  case MOCK_START:
  case MOCK_JOIN: return features & MOCK_WITH_THREADS;
  case MOCK_ASSERT:
  case MOCK_REFUSE: return features & MOCK_WITH_FINDINGS;
  default: return true;
  }
}

static void add(struct mock_program *p, unsigned t, unsigned op, unsigned a, unsigned b) {
  if (p->length[t] < MOCK_LENGTH)
    p->code[t][p->length[t]++] = (struct mock_instruction){(uint8_t)op, (uint8_t)a, (uint8_t)b};
}

static void add_random(struct mock_program *p, unsigned t, uint64_t *random, unsigned features) {
  unsigned op, a;
  do op = draw(random, MOCK_CALL);
  while (!wanted(op, features) || ((op == MOCK_START || op == MOCK_JOIN) && (t || p->threads == p->all)));
  a = draw(random, op == MOCK_LOCK || op == MOCK_TRY || op == MOCK_UNLOCK || op == MOCK_SKIP ? 2
                   : op == MOCK_USE                                                          ? p->threads
                   : features & MOCK_LARGE                                                   ? MOCK_CELLS
                   : draw(random, 2)                                                         ? 1
                                                                                             : FEW_CELLS);
  if (op == MOCK_START || op == MOCK_JOIN) a = p->threads + draw(random, p->all - p->threads);
  unsigned b = op == MOCK_SKIP       ? 1 + draw(random, 2)
               : op == MOCK_SPIN_TWO ? (a + 1) % FEW_CELLS
               : op == MOCK_BLOCK    ? draw(random, features & MOCK_WITH_HEAP ? MOCK_BLOCK_KINDS : MOCK_BLOCK_ALLOC)
                                     : draw(random, 3);
  add(p, t, op, a, b);
  if (op == MOCK_LOCK && draw(random, 3)) {
    if (draw(random, 2)) add(p, t, MOCK_ADD, 0, 0);
    add(p, t, MOCK_UNLOCK, a, 0);
  }
  if (op == MOCK_ALLOC && draw(random, 2)) add(p, t, MOCK_FREE, 0, 0);
}

void mock_random(struct mock_program *p, uint64_t *random, unsigned features, unsigned most) {
  memset(p, 0, sizeof *p);
  p->threads = features & MOCK_LARGE ? 3 + draw(random, MOCK_THREADS - 2) : 2 + draw(random, 2);
  p->all = p->threads + (p->threads < MOCK_THREADS && features & MOCK_WITH_THREADS && draw(random, 2));
  p->cell = !(features & MOCK_WITH_PARTS) ? 8 : draw(random, 3) ? 4 : 1;
  for (unsigned t = 0; t < p->all; t++) {
    unsigned count = 1 + draw(random, most);
    bool operations = features & MOCK_WITH_CALLS && t < p->threads, open = false;
    for (unsigned k = 0; k < count; k++) {
      if (operations && !open) add(p, t, MOCK_CALL, 0, 0), open = true;
      add_random(p, t, random, features);
      if (open && !draw(random, 2)) add(p, t, MOCK_RETURN, 0, 0), open = false;
    }
    if (open) add(p, t, MOCK_RETURN, 0, 0);
  }
  for (unsigned t = 1; t < p->threads && features & MOCK_ALIKE; t++) {
    if (!draw(random, 4)) continue;
    unsigned as = draw(random, t);
    p->length[t] = p->length[as];
    memcpy(p->code[t], p->code[as], sizeof p->code[t]);
  }
}

void mock_print(const struct mock_program *p) {
  static const char *const names[] = {"read",  "write",  "cas",    "cas0",   "add",   "read2", "write2",
                                      "own",   "lock",   "try",    "unlock", "post",  "take",  "spin",
                                      "spin2", "alloc",  "free",   "use",    "yield", "block", "start",
                                      "join",  "assert", "refuse", "skip",   "call",  "return"};
  for (unsigned t = 0; t < p->all; t++) {
    fprintf(stderr, "%s%u:", t < p->threads ? "" : "created ", t);
    for (unsigned i = 0; i < p->length[t]; i++)
      fprintf(stderr, " %s(%u,%u)", names[p->code[t][i].op], p->code[t][i].a, p->code[t][i].b);
    fputc('\n', stderr);
  }
}
