/* The C machine: moves. Packing is in pack.c, arithmetic in arith.c, objects that come and go in heap.c, mutexes and
 * sleeping in sync.c.
 *
 * A state being worked on is one block of memory:
 *
 *   struct machine_state | registers, `regs` words a thread | objects | cells
 *
 * of which copying takes only what is in use. Objects 0 .. globals-1 are the global variables; the others come and go.
 */
#include "verify/bytes.h"
#include "verify/terms.h"
#include "verify/unordered.h"
#include "verify/weak.h"

/* Where the state's parts are. */
static size_t objects_offset(const struct machine *m) {
  return m->registers_at + m->system.threads * m->regs * sizeof(word);
}

static inline void copy_state(const struct machine *m, const struct machine_state *from, struct machine_state *to) {
  memcpy(to, from, m->objects_at + from->objects * sizeof(struct object));
  memcpy((char *)to + m->cells_at, (const char *)from + m->cells_at, from->cells * sizeof(word));
  if (m->terms) memcpy(state_known(m, to), state_known(m, from), from->objects * sizeof(struct known));
  if (m->weak) m->weak->copy(m, state_weak(m, from), state_weak(m, to));
}

void machine_copy_state(const struct machine *m, const struct machine_state *from, struct machine_state *to) {
  copy_state(m, from, to);
}

/* What another thread can now reach is nobody's own any more. False if that is forgotten garbage. */
static bool publish(const struct machine *m, struct machine_state *s, word w) {
  if (!word_is_pointer(w)) return true;
  struct object *o = &state_objects(m, s)[word_object(w)];
  if (o->life == LIFE_HOLLOW) return false;
  if (o->owner == OWNER_SHARED) return o->life != LIFE_FORGOTTEN;
  if (m->weak && m->weak->publish) m->weak->publish(m, s, word_object(w), o->owner);
  o->owner = OWNER_SHARED;
  if (o->life == LIFE_FRESH) o->life = LIFE_HEAP;
  if (m->weak && o->life == LIFE_LOCAL) o->life = LIFE_KNOWN;
  if (o->life == LIFE_FREED && !m->options.type_stable) return true;
  const word *cells = state_cells(m, s) + o->first;
  bool good = true;
  for (uint32_t i = 0; i < o->count; i++) good &= publish(m, s, cells[i]);
  return good;
}

enum ended step_fault(struct run *run, const struct inst *in, enum fault why, const char *text) {
  if (why == FAULT_ADDRESS || why == FAULT_PLACE) {
    bool asks = run->machine->options.asks_numbers && !run->machine->terms && run->op;
    if (!asks)
      text = why == FAULT_PLACE ? "whether a variable is where another was whose life has ended"
                                : "the number of an address";
    why = asks ? FAULT_NUMBERS : FAULT_RANGE;
  }
  run->move->fault = why;
  run->move->place = in->place;
  run->move->text = text;
  return FAULT;
}

enum ended step_unset(struct run *run, const struct inst *in, word w, const char *text) {
  return step_fault(run, in, unset_fault(w), w == WORD_OUTSIDE ? OUTSIDE_TEXT : text);
}

/* A fault at an object that is there. */
enum ended step_fault_at(struct run *run, const struct inst *in, word at, enum fault why) {
  struct machine *m = run->machine;
  struct trace_item item = {.inst = in, .op = run->op, .object = word_object(at), .cell = word_cell(at), .fault = why};
  if (m->tracer) m->tracer(m->tracer_self, &item);
  return step_fault(run, in, why, NULL);
}

void step_record(struct run *run, uint32_t object, uint32_t cell, unsigned count, bool write) {
  struct move *move = run->move;
  for (unsigned i = 0; i < count; i++) {
    if (move->access_count == ACCESSES_MOST) {
      move->touches_all = true;
      return;
    }
    move->accesses[move->access_count++] = (struct access){object, cell + i, write};
  }
}

static inline bool in_member(const struct run *run, word at) {
  return run->machine->program->unit->member_arrays && word_is_pointer(at) && !is_forgotten(run->machine, at);
}

/* The pointer, i elements further. One within an array that is a member stays there, or just past it. */
static enum fault index_member(const struct run *run, word at, word i, int64_t cells, word *out) {
  if (!word_is_address(at)) return not_address(at);
  const struct object *o = &state_objects(run->machine, run->state)[word_object(at)];
  const struct layout *l = &run->machine->program->layouts[o->layout];
  int64_t cell = word_cell(at) & ~(uint32_t)CELL_PAST, size = cells < 0 ? -cells : cells;
  bool marked = (at & WORD_PAST) && o->count <= CELL_PAST, past = marked || cell == o->count, found = false;
  int64_t from = l->count ? (cell - past) / l->count * l->count : 0; /* where this one of several structs begins */
  const struct member_array *a = l->array_count ? l->arrays + l->array_count : l->arrays;
  while (size && a != l->arrays && !found && o->count <= CELL_PAST) {
    a--;
    int64_t in = cell - from - a->begin, length = a->end - a->begin;
    found = (past ? in == length : in >= 0 && in < length) && size % a->element == 0 &&
            size < length; /* else it is the struct around it that is one of several */
  }
  if (!found) return marked ? FAULT_BOUNDS : arith_offset(at, i * cells, o->count, out);
  int64_t to = cell + i * cells, end = from + a->end;
  if (to < from + a->begin || to > end) return FAULT_BOUNDS;
  bool is_past = to == end && end < o->count;
  *out = word_pointer(word_object(at), (uint32_t)to | (is_past ? CELL_PAST : 0)) | (word)word_mark(at);
  return FAULT_NONE;
}

enum ended step_no_cell(struct run *run, const struct inst *in, word at) {
  if (word_is_unset(at)) return step_unset(run, in, at, NULL);
  if (!word_is_pointer(at)) return step_fault(run, in, at >= 0 && at <= 7 ? FAULT_NULL : FAULT_POINTER, NULL);
  if (word_is_term(at)) return step_fault(run, in, FAULT_ADDRESS, NULL);
  return step_fault(run, in, FAULT_POINTER, "the pointer is marked");
}

enum ended step_check_life(struct run *run, const struct inst *in, word at) {
  const struct machine *m = run->machine;
  const struct object *o = &state_objects(m, run->state)[word_object(at)];
  if (o->life == LIFE_FREED && !m->options.type_stable) return step_fault_at(run, in, at, FAULT_FREED);
  if (o->life == LIFE_FORGOTTEN || o->life == LIFE_HOLLOW) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  if (o->life == LIFE_ENDED) return step_fault(run, in, FAULT_FREED, "the variable's life has ended");
  return GO_ON;
}

/* Is this access one that only concerns the thread itself? */
static inline bool is_local(const struct run *run, word at) {
  if (!word_is_pointer(at)) return false;
  const struct object *o = &state_objects(run->machine, run->state)[word_object(at)];
  if (o->owner != run->thread) return o->life == LIFE_CONSTANT;
  if (run->machine->weak && !weak_is_own(o, run->thread)) return false;
  return o->life == LIFE_LOCAL || (o->life != LIFE_FREED && run->machine->options.fuse_private);
}

/* Does the thread still point to the object after this instruction, from a register or from something of its own? */
static bool still_points(const struct run *run, const struct inst *in, uint32_t object) {
  const struct machine *m = run->machine;
  const struct live *live = &m->program->live[in - m->program->code + 1];
  for (unsigned i = 0; i < live->count; i++) {
    word w = run->r[m->program->registers[live->first + i]];
    if (word_is_pointer(w) && word_object(w) == object) return true;
  }
  for (uint32_t i = m->globals; i < run->state->objects; i++) {
    const struct object *o = &state_objects(m, run->state)[i];
    const word *cells = state_cells(m, run->state) + o->first;
    for (uint32_t c = 0; i != object && o->owner == run->thread && c < o->count; c++)
      if (word_is_pointer(cells[c]) && word_object(cells[c]) == object) return true;
  }
  return false;
}

/* Is this free one that only concerns the thread itself? Not if the thread will know the memory again when another has
 * it. */
static bool is_local_free(const struct run *run, const struct inst *in) {
  word at = run->r[in->a];
  return (in->flags & FLAG_LOCAL) || (is_local(run, at) && !still_points(run, in, word_object(at)));
}

/* Mostly one. */
static inline void copy_words(word *to, const word *from, unsigned count) {
  if (count == 1)
    *to = *from;
  else
    memcpy(to, from, count * sizeof *to);
}

static void trace_words(word to[TRACED_MOST], const word *from, unsigned count) {
  for (unsigned i = 0; i < TRACED_MOST; i++) to[i] = from && i < count ? from[i] : WORD_UNINITIALISED;
}

/* Tells who listens; each of before, after and expected may be NULL. */
void step_trace(struct run *run, const struct inst *in, word at, bool own, const word *before, const word *after,
                const word *expected, unsigned count) {
  struct machine *m = run->machine;
  struct trace_item item = {
      .inst = in, .op = run->op, .reads = before != NULL, .writes = after != NULL, .own = own, .source = m->told};
  m->told = (struct told_source){.newer = 0};
  item.object = word_object(at);
  item.cell = word_cell(at);
  trace_words(item.read, before, count);
  trace_words(item.written, after, count);
  trace_words(item.expected, expected, count);
  m->tracer(m->tracer_self, &item);
}

bool step_publish(struct run *run, const struct object *o, word w) {
  step_changes(run->state, o);
  return o->owner == run->thread || publish(run->machine, run->state, w);
}

static bool put(struct run *run, const struct object *o, word *cells, const word *values, unsigned count) {
  bool own = o->owner == run->thread, good = true;
  step_changes(run->state, o);
  for (unsigned i = 0; i < count; i++) {
    cells[i] = values[i];
    if (!own) good &= publish(run->machine, run->state, values[i]);
  }
  return good;
}

/* One of n, in every way. */
enum ended step_choose_one(struct run *run, const struct inst *in, unsigned n, unsigned *which) {
  if (n > 1 && run->choices->depth == CHOICES_MOST)
    return step_fault(run, in, FAULT_RANGE, "too many choices in one step");
  bool initialises = !run->op; /* it is given new memory, and weak compare-exchanges do not fail */
  *which = initialises && in->code != I_CHOOSE ? 0 : choose(run->choices, n);
  return GO_ON;
}

enum ended step_race(struct run *run, const struct inst *in, uint32_t object, int64_t from, int64_t to, bool wrote) {
  struct made_access a = {in, run->thread, object, from, to, wrote, run->atomic};
  unsigned other;
  if (!run->op || !race_with(run->machine, run->state, &a, &other)) return GO_ON;
  run->move->racer = (uint8_t)other;
  return step_fault(run, in, FAULT_RACE, NULL);
}

enum ended step_fetch(struct run *run, const struct inst *in, word before, word *now) {
  word by = run->r[in->b];
  unsigned op = in->op == OP_NAND ? OP_AND : in->op;
  if (run->machine->program->loose && in->scalar.pointer) return loose_fetch(run, in, before, now);
  enum fault why = !in->scalar.pointer /* atomics wrap around */
                       ? arith_wrap(run->machine, run->state, op, in->scalar, before, by, now)
                       : by > WORD_MOST / 64 || by < WORD_LEAST / 64 ? FAULT_POINTER
                         : in_member(run, before) ? index_member(run, before, 1, in->op == OP_SUB ? -by : by, now)
                                                  : arith_offset(before, in->op == OP_SUB ? -by : by, UINT32_MAX, now);
  if (!why && in->op == OP_NAND) why = arith_unary(run->machine->program->wides, OP_INVERT, in->scalar, *now, now);
  return why ? step_fault(run, in, why, NULL) : GO_ON;
}

enum ended step_equal(struct run *run, const struct inst *in, word before, word expected, bool *equal) {
  if (run->machine->program->loose) return loose_equal(run, in, before, expected, equal);
  *equal = before == expected;
  if (word_is_unset(expected) || word_is_unset(before))
    return step_unset(run, in, word_is_unset(before) ? before : expected, NULL);
  if (places_asked(run->machine, run->state, before, expected)) return step_fault(run, in, FAULT_PLACE, NULL);
  if (!*equal && (word_is_term(before) || word_is_term(expected))) return step_fault(run, in, FAULT_ADDRESS, NULL);
  return GO_ON;
}

/* A small number, or an address that says all: where these are equal, what they are is, and nowhere else. */
static inline bool is_plain(const struct machine *m, word w) {
  return word_is_small(w) || (word_is_cell(w) && !is_forgotten(m, w) && !m->stores_places && !m->program->loose);
}

/* Can others notice an access to this? */
static inline bool is_seen(const struct run *run, const struct object *o) {
  return (o->owner != run->thread && o->life != LIFE_CONSTANT) || o->life == LIFE_FREED;
}

/* An access was made. */
static inline enum ended accessed(struct run *run, const struct inst *in, word at, const struct object *o, bool seen,
                                  bool wrote) {
  struct machine *m = run->machine;
  unsigned n = in->count;
  if (seen) step_record(run, word_object(at), word_cell(at), n, wrote);
  if (m->unordered && unordered_open(m->unordered) && o->life != LIFE_CONSTANT) {
    enum ended bad = unordered_access(run, in, word_object(at), word_cell(at), word_cell(at) + n, wrote);
    if (bad != GO_ON) return bad;
  }
  return seen && m->races ? step_race(run, in, word_object(at), word_cell(at), word_cell(at) + n, wrote) : GO_ON;
}

/* In memory as it is, a cell at a time. */
static enum ended access_cells(struct run *run, const struct inst *in, word at) {
  word *cells, before[COUNT_MOST], expected[COUNT_MOST], *r = run->r;
  struct object *o;
  unsigned n = in->count;
  enum ended bad = step_cells_at(run, in, at, n, &cells, &o);
  if (bad != GO_ON) return bad;
  if (o->life == LIFE_CONSTANT && in->code != I_LOAD)
    return step_fault(run, in, FAULT_POINTER, "a constant is written");
  bool seen = is_seen(run, o), wrote = true, known = true;
  expected[0] = 0;
  copy_words(before, cells, n);
  switch (in->code) {
  case I_LOAD:
    wrote = false;
    copy_words(r + in->d, before, n);
    break;
  case I_STORE: known = put(run, o, cells, r + in->b, n); break;
  case I_EXCHANGE:
    known = put(run, o, cells, r + in->b, n);
    copy_words(r + in->d, before, n);
    break;
  case I_FETCH: {
    word result;
    bad = step_fetch(run, in, before[0], &result);
    if (bad != GO_ON) return bad;
    known = put(run, o, cells, &result, 1);
    r[in->d] = before[0];
    break;
  }
  case I_CAS: {
    if (run->machine->tracer) copy_words(expected, r + in->c, n);
    for (unsigned i = 0; i < n; i++) {
      if (is_plain(run->machine, r[in->c + i]) && is_plain(run->machine, before[i])) {
        wrote &= before[i] == r[in->c + i];
        continue;
      }
      bool equal;
      bad = step_equal(run, in, before[i], r[in->c + i], &equal);
      if (bad != GO_ON) return bad;
      if (!equal) wrote = false;
      if (equal && is_forgotten(run->machine, before[i])) known = false;
    }
    if (!known) break;
    unsigned fails = 0;
    if (wrote && (in->flags & FLAG_WEAK) && run->machine->options.weak_fails) bad = step_choose_one(run, in, 2, &fails);
    if (bad != GO_ON) return bad;
    if (fails) wrote = false;
    if (wrote)
      known = put(run, o, cells, r + in->b, n);
    else
      copy_words(r + in->c, before, n);
    r[in->d] = wrote;
    break;
  }
  default: break;
  }
  if (!known) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  if (run->machine->tracer)
    step_trace(run, in, at, !seen, in->code == I_STORE ? NULL : before, wrote ? cells : NULL,
               in->code == I_CAS ? expected : NULL, n);
  return accessed(run, in, at, o, seen, wrote);
}

/* Most accesses: one cell is loaded, and nobody listens. */
static inline enum ended load_cell(struct run *run, const struct inst *in, word at) {
  word *cells;
  struct object *o;
  enum ended bad = step_cells_at(run, in, at, 1, &cells, &o);
  if (bad != GO_ON) return bad;
  run->r[in->d] = *cells;
  return accessed(run, in, at, o, is_seen(run, o), false);
}

enum ended step_directly(struct run *run, const struct inst *in, word at) {
  return run->machine->program->loose ? loose_directly(run, in) : access_cells(run, in, at);
}

/* Loads, stores, and everything that reads and writes at once. */
static enum ended access_memory(struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  if (m->program->loose) return loose_access(run, in);
  word *cells, at = step_address(run, in);
  struct object *o;
  if (!m->weak || !run->op)
    return in->code == I_LOAD && in->count == 1 && !m->tracer ? load_cell(run, in, at) : access_cells(run, in, at);
  enum ended bad = step_cells_at(run, in, at, in->count, &cells, &o);
  if (bad != GO_ON) return bad;
  bool own = o->life == LIFE_CONSTANT || weak_is_own(o, run->thread);
  return own ? access_cells(run, in, at) : m->weak->access(run, in, at);
}

static void add_event(struct run *run, struct event e, const struct client_call *call, struct place place,
                      word result) {
  struct machine *m = run->machine;
  if (run->move->event_count < EVENTS_MOST) run->move->events[run->move->event_count++] = e;
  if (m->tracer) {
    struct trace_item item = {.op = run->op, .event = e, .call = call, .place = place, .result = result};
    m->tracer(m->tracer_self, &item);
  }
}

/* The operation ends. */
static enum ended finish(struct run *run, const struct inst *in) {
  struct machine *m = run->machine;
  word result = in->a == NO_REG ? 0 : run->r[in->a];
  if (in->a != NO_REG && word_is_unset(result)) return step_unset(run, in, result, "the result");
  if (word_is_pointer(result)) return step_fault(run, in, FAULT_ADDRESS, NULL);
  run->state->threads[run->thread].pc = 0;
  if (!run->op) return STOP; /* ASIF_INIT */
  bool last = m->options.ops && !run->state->threads[run->thread].left;
  if (m->own_words && last && !m->options.leaks) /* nobody asks for it any more */
    memset(run->r + m->regs - m->own_words, 0, m->own_words * sizeof *run->r);
  result = number_of_word(m->program->wides, result);
  value v = m->result(m->result_self, run->op, result);
  if (m->weak && m->weak->returns) m->weak->returns(run);
  add_event(run, (struct event){.kind = EVENT_RETURN, .thread = (uint8_t)run->thread, .result = v}, NULL, in->place,
            result);
  return STOP;
}

/* Does the step end before this instruction? */
static bool step_ends(const struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  if (run->atomic) return false;
  if (m->options.steps == STEPS_STATEMENT)
    return run->statement && ((in->flags & FLAG_STATEMENT) || in->code == I_RETURN);
  if (!run->accessed)
    return run->watched && in->code >= I_LOAD && in->code <= I_FETCH && race_plainly(m, in) &&
           word_is_pointer(step_address(run, in)) && !is_local(run, step_address(run, in));
  switch (in->code) {
  case I_LOAD:
    if (in->flags & FLAG_CONSTANT) return false; /* fall through */
  case I_STORE:
  case I_EXCHANGE:
  case I_CAS:
  case I_FETCH:
  case I_LOCK:
  case I_TRYLOCK:
  case I_DESTROY:
  case I_UNLOCK: return !is_local(run, step_address(run, in));
  case I_ALLOC: return step_allocates(m, in);
  case I_OUTSIDE: return in->op;
  case I_FREE: return !is_local_free(run, in);
  case I_ATOMIC: return in->imm;
  case I_FENCE: return weak_fence_stops(m, in);
  case I_RETURN: return !m->options.fuse_events;
  default: return false;
  }
}

/* Was this instruction the one access of its step? */
static bool is_access(const struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  switch (in->code) {
  case I_LOAD:
  case I_STORE:
  case I_EXCHANGE:
  case I_CAS:
  case I_FETCH:
  case I_LOCK:
  case I_TRYLOCK:
  case I_DESTROY:
  case I_UNLOCK: return !(in->flags & FLAG_CONSTANT) && !is_local(run, step_address(run, in));
  case I_ALLOC: return step_allocates(m, in);
  case I_OUTSIDE: return in->op;
  case I_FENCE: return weak_fence_stops(m, in);
  case I_FREE: return run->r[in->a] && !is_local_free(run, in);
  case I_RETURN: return !m->options.fuse_events;
  default: return false;
  }
}

/* A `char *` that is a number, as a tag of a pointer is, is counted up like one. */
static enum ended add_to_number(struct run *run, const struct inst *in) {
  struct machine *m = run->machine;
  word *r = run->r;
  uint64_t by = (uint64_t)number_of_word(m->program->wides, r[in->b]) * (uint64_t)in->bytes;
  if (by && m->options.added) __atomic_store_n(m->options.added, (uint32_t)(in - m->program->code), __ATOMIC_RELAXED);
  r[in->d] = word_of_number(m->program->wides, (int64_t)((uint64_t)number_of_word(m->program->wides, r[in->a]) + by));
  return GO_ON;
}

/* Most of all arithmetic: on small numbers, with a result that every type of it has. False: it is not done. */
static inline bool compute_small(const struct inst *in, word a, word b, word *out) {
  if (!word_is_small(a) || !word_is_small(b)) return false;
  word sum = in->op == OP_ADD ? a + b : a - b;
  bool is_sum = in->op == OP_ADD || in->op == OP_SUB, is_equality = in->op == OP_EQ || in->op == OP_NE;
  if (is_sum && (!in->scalar.is_signed || in->scalar.bits != 32 || sum != (int32_t)sum)) return false;
  if (!is_sum && !is_equality && !in->scalar.is_signed) return false;
  switch (in->op) {
  case OP_ADD:
  case OP_SUB: *out = sum; return true;
  case OP_EQ: *out = a == b; return true;
  case OP_NE: *out = a != b; return true;
  case OP_LT: *out = a < b; return true;
  case OP_LE: *out = a <= b; return true;
  case OP_GT: *out = a > b; return true;
  case OP_GE: *out = a >= b; return true;
  default: return false;
  }
}

/* The beginnings of two objects, or null, are compared. False: it is not done. */
static inline bool compare_plain(const struct machine *m, const struct inst *in, word a, word b, word *out) {
  bool equality = in->op == OP_EQ || in->op == OP_NE;
  if (!equality || m->stores_places || is_forgotten(m, a) || is_forgotten(m, b)) return false;
  if ((a && !word_is_address(a)) || (b && !word_is_address(b))) return false;
  if (a && b && a != b && word_object(a) == word_object(b)) return false;
  *out = (a == b) == (in->op == OP_EQ);
  return true;
}

/* arith_offset; most pointers are plain addresses. */
static inline enum fault offset(word at, int64_t cells, uint32_t most, word *out) {
  int64_t cell = (int64_t)word_cell(at) + cells;
  if (!word_is_address(at) || cell < 0 || cell > 0x1fffff || (uint64_t)cell > most)
    return arith_offset(at, cells, most, out);
  *out = at + (cells << 3);
  return FAULT_NONE;
}

static enum ended compute(struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  word *r = run->r;
  enum fault why = FAULT_NONE;
  switch (in->code) {
  case I_CONST: r[in->d] = in->imm == WORD_UNINITIALISED ? in->imm : word_of_number(m->program->wides, in->imm); break;
  case I_MOVE:
    if (in->count == 1)
      r[in->d] = r[in->a];
    else
      memmove(r + in->d, r + in->a, in->count * sizeof *r);
    break;
  case I_OUTSIDE: r[in->d] = WORD_OUTSIDE; break;
  case I_UNARY:
    if (r[in->a] == WORD_OUTSIDE) return outside_compute(run, in, r[in->a], 0);
    why = arith_unary(m->program->wides, in->op, in->scalar, r[in->a], &r[in->d]);
    break;
  case I_BINARY: {
    word b = in->b == NO_REG ? word_of_number(m->program->wides, in->imm) : r[in->b];
    if (compute_small(in, r[in->a], b, &r[in->d]) || compare_plain(m, in, r[in->a], b, &r[in->d])) return GO_ON;
    if (r[in->a] == WORD_OUTSIDE || b == WORD_OUTSIDE) return outside_compute(run, in, r[in->a], b);
    if (is_forgotten(m, b) && is_forgotten(m, r[in->a]) && (in->op > OP_NE || b == r[in->a]))
      return step_fault(run, in, FAULT_FORGOTTEN, NULL);
    why = arith_binary(m, run->state, in->op, in->scalar, r[in->a], b, &r[in->d]);
    break;
  }
  case I_CAST:
    if (r[in->a] == WORD_OUTSIDE) return outside_compute(run, in, r[in->a], 0);
    why = arith_cast(m->program->wides, in->scalar, r[in->a], &r[in->d]);
    break;
  case I_BITS: {
    uint64_t to;
    if (word_is_unset(r[in->a])) return step_unset(run, in, r[in->a], NULL);
    if (word_is_pointer(r[in->a])) return step_fault(run, in, FAULT_ADDRESS, NULL);
    if (!bits_of((enum bits)in->op, (uint64_t)number_of_word(m->program->wides, r[in->a]), in->scalar.bits, &to))
      return step_fault(run, in, FAULT_UNDEFINED, in->text);
    r[in->d] = word_of_number(m->program->wides, (int64_t)to);
    break;
  }
  case I_GLOBAL:
    if (m->program->loose) return loose_compute(run, in);
    r[in->d] = word_pointer(in->b, (uint32_t)in->imm);
    break;
  case I_OFFSET:
    if (m->program->loose) return loose_compute(run, in);
    why = offset(r[in->a], in->imm, UINT32_MAX, &r[in->d]);
    break;
  case I_INDEX: {
    word i = r[in->b], at = r[in->a];
    if (word_is_unset(i) || word_is_unset(at)) return step_unset(run, in, word_is_unset(i) ? i : at, NULL);
    if (word_is_pointer(i)) return step_fault(run, in, FAULT_ADDRESS, NULL);
    if (i > WORD_MOST / 64 || i < WORD_LEAST / 64) return step_fault(run, in, FAULT_POINTER, NULL);
    if (in->count && (i < 0 || i >= in->count)) return step_fault(run, in, FAULT_BOUNDS, NULL);
    if (!word_is_pointer(at) && !in->count && (in->bytes == 1 || in->bytes == -1)) return add_to_number(run, in);
    if (m->program->loose) return loose_compute(run, in);
    const struct object *o = word_is_pointer(at) ? &state_objects(m, run->state)[word_object(at)] : NULL;
    uint32_t most = o ? o->count : 0;
    why = in_member(run, at) && m->program->layouts[o->layout].array_count
              ? index_member(run, at, i, in->imm, &r[in->d])
              : offset(at, i * in->imm, most, &r[in->d]);
    break;
  }
  case I_EXTRACT:
  case I_INSERT: return loose_bits(run, in);
  case I_CHUNK: return loose_chunk(run, in);
  case I_DIFFER:
    if (is_forgotten(m, r[in->a]) && is_forgotten(m, r[in->b])) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
    why = arith_differ(m, run->state, r[in->a], r[in->b], in->imm, in->bytes, &r[in->d]);
    break;
  case I_ASSERT:
  case I_REQUIRE:
  case I_CHOOSE:
    if (r[in->a] == WORD_OUTSIDE && in->code != I_CHOOSE) {
      enum ended bad = outside_truth(run, in, &r[in->a]);
      if (bad != GO_ON) return bad;
    }
    if (word_is_unset(r[in->a])) return step_unset(run, in, r[in->a], NULL);
    if (m->terms && word_is_term(r[in->a])) {
      enum ended bad = numbers_truth(run, in, &r[in->a]);
      if (bad != GO_ON) return bad;
    }
    if (in->code == I_ASSERT && !r[in->a]) return step_fault(run, in, FAULT_ASSERTION, in->text);
    if (in->code == I_REQUIRE && !r[in->a]) {
      run->move->parked = in->op == REQUIRE_SIGNAL && !run->machine->options.signals_as_locks;
      run->move->locked = in->op != REQUIRE_CONDITION && !run->move->parked;
      return WAIT;
    }
    if (in->code == I_CHOOSE && in->op == OP_MOD) return outside_remainder(run, in, r[in->a], &r[in->d]);
    if (in->code == I_CHOOSE) {
      if (r[in->a] < 1 || r[in->a] > 65535) return step_fault(run, in, FAULT_RANGE, "asif_choose takes 1 to 65535");
      unsigned which;
      enum ended bad = step_choose_one(run, in, (unsigned)r[in->a], &which);
      if (bad != GO_ON) return bad;
      r[in->d] = which;
    }
    break;
  case I_TRAP:
    return step_fault(run, in,
                      in->imm == TRAP_LIMIT         ? FAULT_RANGE
                      : in->imm == TRAP_UNSEQUENCED ? FAULT_UNSEQUENCED
                      : in->imm == TRAP_NULL        ? FAULT_NULL
                      : in->imm == TRAP_POINTER     ? FAULT_POINTER
                      : in->imm == TRAP_UNDEFINED   ? FAULT_UNDEFINED
                                                    : FAULT_TRAP,
                      in->text);
  case I_THREAD: r[in->d] = run->thread; break;
  default: break;
  }
  if (why == FAULT_ADDRESS) return numbers_compute(run, in);
  return why ? step_fault(run, in, why, NULL) : GO_ON;
}

/* A mark: the running operation, or the one another thread has open, takes effect now. */
static enum ended linearize(struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  unsigned thread = run->thread, found = 0;
  if (!run->op || !m->options.points) return GO_ON;
  if (in->code == I_LIN_FOR && in->a != NO_REG) {
    word w = run->r[in->a];
    if (w < 0 || w >= (word)m->system.threads) return step_fault(run, in, FAULT_POINTS, "ASIF_LIN_FOR of no thread");
    thread = (unsigned)w;
  } else if (in->code == I_LIN_FOR) {
    for (unsigned t = 0; t < m->system.threads; t++) {
      uint32_t pc = run->state->threads[t].pc;
      if (t == run->thread || !pc || (in->b != NO_REG && m->op_at[pc] != &m->program->ops[in->b])) continue;
      thread = t;
      found++;
    }
    if (found != 1)
      return step_fault(run, in, FAULT_POINTS,
                        found ? "several threads have that operation open: ASIF_LIN_FOR must name one"
                              : "no thread has that operation open");
  }
  add_event(run, (struct event){.kind = EVENT_LIN, .thread = (uint8_t)thread}, NULL, in->place, 0);
  return GO_ON;
}

static enum ended execute(struct run *run, const struct inst *in) {
  switch (in->code) {
  case I_LOAD:
  case I_STORE:
  case I_EXCHANGE:
  case I_CAS:
  case I_FETCH: return access_memory(run, in);
  case I_LOCK:
  case I_TRYLOCK:
  case I_DESTROY:
  case I_UNLOCK: return step_mutex(run, in);
  case I_ALLOC: return step_allocate(run, in);
  case I_FREE: return step_release(run, in);
  case I_RETURN: return finish(run, in);
  case I_FENCE: return run->machine->weak ? run->machine->weak->fence(run, in) : GO_ON;
  case I_ATOMIC:
    if (in->imm && run->machine->weak && run->machine->weak->drained && run->machine->weak->drained(run) == WAIT)
      return WAIT;
    if (!run->atomic) run->before = run->choices->depth;
    run->atomic = in->imm != 0;
    return GO_ON;
  case I_LIN:
  case I_LIN_FOR: return linearize(run, in);
  case I_OWN:
  case I_SLEEP: return step_own(run, in);
  case I_WAKE: return step_wake(run, in);
  case I_UNORDERED: return unordered_mark(run, in);
  default: return compute(run, in);
  }
}

/* Done by an operand in no order with another, it may matter to that although no memory says so: it may wait, wake,
 * choose a freed block, or is a mark. */
static bool is_beyond_order(const struct machine *m, const struct inst *in) {
  if (!unordered_open(m->unordered)) return false;
  switch (in->code) {
  case I_LOCK:
  case I_TRYLOCK:
  case I_DESTROY:
  case I_UNLOCK:
  case I_REQUIRE:
  case I_SLEEP:
  case I_WAKE:
  case I_LIN:
  case I_LIN_FOR: return true;
  case I_OWN: return in->op == OWN_SLEEPS;
  case I_FREE: return !(in->flags & FLAG_LOCAL);
  case I_ALLOC: return m->program->frees && !(in->flags & FLAG_LOCAL);
  default: return false;
  }
}

/* The address of an element of what is no member of a struct. False: it is not done. */
static inline bool index_quickly(const struct run *run, const struct inst *in, word at, word i, word *out) {
  const struct machine *m = run->machine;
  if (m->program->loose || !word_is_cell(at) || i < 0 || i > UINT16_MAX || (in->count && i >= in->count)) return false;
  const struct object *o = &state_objects(m, run->state)[word_object(at)];
  if (o->life == LIFE_FORGOTTEN || m->program->layouts[o->layout].array_count) return false;
  return !offset(at, i * in->imm, o->count, out);
}

/* An instruction that others notice nothing of, of the commonest kinds, if all is well with it. False: it was not
 * carried out. */
static inline bool run_quickly(const struct run *run, const struct program *p, word *r, const struct inst **at) {
  const struct inst *in = (*at)++;
  word w;
  switch (in->code) {
  case I_CONST: r[in->d] = in->imm; return word_is_small(in->imm);
  case I_MOVE:
    if (in->count == 1) r[in->d] = r[in->a];
    return in->count == 1;
  case I_BINARY: return compute_small(in, r[in->a], in->b == NO_REG ? in->imm : r[in->b], &r[in->d]);
  case I_OFFSET:
    if (p->loose || offset(r[in->a], in->imm, UINT32_MAX, &w)) return false;
    r[in->d] = w;
    return true;
  case I_INDEX:
    if (!index_quickly(run, in, r[in->a], r[in->b], &w)) return false;
    r[in->d] = w;
    return true;
  case I_JUMP: *at = p->code + in->imm; return true;
  case I_BRANCH:
    w = r[in->a];
    if ((w != 0) == (in->op == OP_NOT)) *at = p->code + in->imm;
    return word_is_small(w);
  default: return false;
  }
}

/* Runs from pc on until the step ends. */
static enum ended run_step(struct run *run, uint32_t pc) {
  struct machine *m = run->machine;
  const struct inst *code = m->program->code;
  bool statements = m->options.steps == STEPS_STATEMENT, quick = !run->exactly && !statements;
  if (m->unordered) unordered_reset(m->unordered);
  for (uint32_t n = 0; n < LOCAL_MOST; n++) {
    const struct inst *in = &code[pc];
    if (quick && n < STEP_LONG) {
      const struct inst *next = in;
      for (; n < STEP_LONG && run_quickly(run, m->program, run->r, &next); n++) in = next;
      pc = (uint32_t)(in - code);
      run->move->length = n;
    }
    if (n >= STEP_LONG) {
      if (endless_repeats(run, pc, n)) return step_fault(run, in, FAULT_ENDLESS, NULL);
      if (n % STEP_POLLS == STEP_POLLS - 1 && m->system.limits && limits_poll(m->system.limits))
        return step_fault(run, in, FAULT_LIMIT, NULL);
    }
    bool computes = in->code < I_ALLOC, within = computes || in->code == I_JUMP || in->code == I_BRANCH;
    if (run->exactly ? n >= run->exactly && !run->atomic : (!within || statements) && step_ends(run, in)) {
      run->state->threads[run->thread].pc = pc;
      return STOP;
    }
    run->statement = true;
    run->move->length = n + 1;
    if (computes) { /* others notice nothing of it */
      enum ended o = in->code >= I_INT128 && in->code <= I_CONVERT ? step_real(run, in) : compute(run, in);
      if (o != GO_ON) return o;
      pc++;
      continue;
    }
    switch (in->code) {
    case I_JUMP: pc = (uint32_t)in->imm; continue;
    case I_BRANCH:
      if (word_is_small(run->r[in->a])) {
        pc = (run->r[in->a] != 0) != (in->op == OP_NOT) ? pc + 1 : (uint32_t)in->imm;
        continue;
      }
      if (run->r[in->a] == WORD_OUTSIDE) {
        word w;
        enum ended bad = outside_truth(run, in, &w);
        if (bad != GO_ON) return bad;
        pc = (w != 0) != (in->op == OP_NOT) ? pc + 1 : (uint32_t)in->imm;
        continue;
      }
      if (word_is_unset(run->r[in->a])) return step_unset(run, in, run->r[in->a], NULL);
      if (m->terms && word_is_term(run->r[in->a])) {
        word w = run->r[in->a];
        enum ended bad = numbers_truth(run, in, &w);
        if (bad != GO_ON) return bad;
        pc = (w != 0) != (in->op == OP_NOT) ? pc + 1 : (uint32_t)in->imm;
        continue;
      }
      pc = (run->r[in->a] != 0) != (in->op == OP_NOT) ? pc + 1 : (uint32_t)in->imm;
      continue;
    default: break;
    }
    if (m->unordered && is_beyond_order(m, in)) return unordered_other(run, in);
    bool access = !run->accessed && is_access(run, in);
    if (in->code == I_ATOMIC && in->imm) access = true;
    enum ended o = execute(run, in);
    if (o != GO_ON) return o;
    run->accessed |= access;
    pc++;
  }
  return endless_code(m, pc) ? step_fault(run, &code[pc], FAULT_ENDLESS, NULL)
                             : step_fault(run, &code[pc], FAULT_RANGE, "a step that may have no end: " LOCAL_MOST_TEXT);
}

/* A call begins: the arguments are there, nothing else is. */
static void begin_call(struct run *run, const struct client_call *call) {
  struct machine *m = run->machine;
  run->op = &m->program->ops[call->op];
  for (unsigned i = 0; i < run->op->regs; i++) run->r[i] = i < run->op->params ? call->args[i] : WORD_UNINITIALISED;
  add_event(run, (struct event){.kind = EVENT_CALL, .thread = (uint8_t)run->thread, .call = call->number}, call,
            run->op->place, 0);
  if (m->weak && m->weak->call) m->weak->call(run);
}

/* A store that the thread made before gets to memory. */
static enum moved flush(struct run *run) {
  run->op = NULL;
  return run->machine->weak->flush(run);
}

static enum moved machine_again(struct system *system, const void *from, unsigned thread, struct choices *choices,
                                uint32_t length, void *to, struct move *move) {
  struct machine *m = (struct machine *)system;
  const struct thread *before = &((const struct machine_state *)from)->threads[thread];
  const struct client_thread *client = &m->client[thread];
  move->event_count = move->access_count = 0;
  move->touches_all = move->locked = move->parked = move->begun = move->guessed = false;
  move->length = 0;
  move->fault = FAULT_NONE;
  bool stopped = !before->pc && (!client->call_count || (m->options.ops && !before->left)),
       pending = m->weak && m->weak->pending && m->weak->pending(m, from, thread);
  if (stopped && !pending) return STOPPED;
  struct machine_state *s = to;
  copy_state(m, from, s);
  s->moved = ((const struct machine_state *)from)->moved | UINT32_C(1) << thread;
  struct run run = {.machine = m,
                    .state = s,
                    .thread = thread,
                    .r = state_registers(m, s, thread),
                    .choices = choices,
                    .move = move,
                    .exactly = length};
  enum ended o;
  if (pending && (stopped || choose(choices, 2))) return flush(&run);
  if (before->pc) {
    run.op = m->op_at[before->pc];
    o = run_step(&run, before->pc);
  } else {
    const struct client_call *call = &client->calls[choose(choices, client->call_count)];
    begin_call(&run, call);
    if (m->options.ops) s->threads[thread].left--;
    run.accessed = !m->options.fuse_events && m->options.steps == STEPS_SHARED;
    run.watched = m->races && m->options.fuse_events;
    if (m->options.steps == STEPS_STATEMENT || !m->options.fuse_events) {
      s->threads[thread].pc = run.op->entry;
      o = m->options.steps == STEPS_STATEMENT || m->options.apart ? STOP : run_step(&run, run.op->entry);
    } else {
      o = run_step(&run, run.op->entry);
    }
  }
  if (o == STOP && m->weak && m->weak->settle && !m->weak->settle(m, s))
    o = step_fault(&run, &m->program->code[s->threads[thread].pc], FAULT_RANGE, WEAK_FULL);
  move->settled = (uint8_t)(run.atomic ? run.before : choices->depth);
  move->begun = o == WAIT && !before->pc && m->options.fuse_events && (move->locked || run.accessed);
  return o == STOP ? MOVED : o == WAIT ? WAITS : FAULTED;
}

static enum moved machine_move(struct system *system, const void *from, unsigned thread, struct choices *choices,
                               void *to, struct move *move) {
  return machine_again(system, from, thread, choices, 0, to, move);
}

static bool machine_same(struct system *system, const void *work, unsigned thread, unsigned other) {
  const struct machine *m = (const struct machine *)system;
  const struct machine_state *s = work;
  const struct thread *a = &s->threads[thread], *b = &s->threads[other];
  if (a->pc != b->pc || a->left != b->left || m->own_words) return false;
  if (!a->pc) return !m->weak || m->weak->alike(m, s, thread, other);
  if (m->weak && !m->weak->alike(m, s, thread, other)) return false;
  const struct live *live = &m->program->live[a->pc];
  const reg *registers = m->program->registers + live->first;
  const word *r = state_registers(m, s, thread), *q = state_registers(m, s, other);
  for (unsigned i = 0; i < live->count; i++)
    if (r[registers[i]] != q[registers[i]]) return false;
  return true;
}

/* What a thread begins with of its own. */
static void give_own(struct machine *m, struct machine_state *s, unsigned thread, word *r) {
  const struct program *p = m->program;
  word *own = r + m->regs - m->own_words;
  for (unsigned i = OWN_LOCALS; i <= OWN_SELF; i++) {
    uint32_t made;
    if (!p->owns[i] ||
        !heap_add(m, s, p->own_layout[i], p->layouts[p->own_layout[i]].count, LIFE_LOCAL, (uint8_t)thread, &made))
      continue;
    own[m->own_at[i]] = word_pointer(made, 0);
    struct object *o = &state_objects(m, s)[made];
    if (o->count) memcpy(state_cells(m, s) + o->first, p->locals_init, o->count * sizeof(word));
  }
  if (p->owns[OWN_SLEEPS]) own[m->own_at[OWN_SLEEPS]] = 0;
}

/* Globals as initialised, and ASIF_INIT's function run, in one of the ways it may go. */
static void initialise(struct machine *m, struct machine_state *s, struct choices *choices) {
  memset(s, 0, m->objects_at);
  if (m->terms) memset(state_known(m, s), 0, m->objects_most * sizeof(struct known));
  if (m->weak) memset(state_weak(m, s), 0, m->weak->size);
  for (uint32_t i = 0; i < m->globals; i++) {
    const struct program_global *g = &m->program->globals[i];
    uint32_t made;
    if (g->constant) {
      state_objects(m, s)[s->objects++] = (struct object){.count = m->program->layouts[g->layout].count,
                                                          .layout = g->layout,
                                                          .life = LIFE_CONSTANT,
                                                          .owner = OWNER_SHARED};
      continue;
    }
    if (!heap_add(m, s, g->layout, m->program->layouts[g->layout].count, LIFE_GLOBAL, OWNER_SHARED, &made))
      break; /* machine_new made room */
    memcpy(state_cells(m, s) + state_objects(m, s)[made].first, g->init,
           m->program->layouts[g->layout].count * sizeof(word));
  }
  state_objects(m, s)[s->objects++] = (struct object){.life = LIFE_FORGOTTEN, .owner = OWNER_SHARED};
  m->start_move = (struct move){0};
  if (m->program->init_entry) {
    struct run run = {.machine = m, .state = s, .choices = choices, .move = &m->start_move, .atomic = true};
    run.r = m->init_registers;
    for (unsigned i = 0; i < m->program->init_regs; i++) run.r[i] = WORD_UNINITIALISED;
    give_own(m, s, 0, run.r);
    enum ended o = run_step(&run, m->program->init_entry);
    if (o == WAIT) m->start_move = (struct move){.fault = FAULT_ENDLESS, .text = "the initialisation waits"};
  }
}

static bool same_memory(const struct machine *m, const struct machine_state *a, const struct machine_state *b) {
  return a->objects == b->objects && a->cells == b->cells &&
         !memcmp(state_cells(m, a), state_cells(m, b), a->cells * sizeof(word)) &&
         !memcmp(state_objects(m, a), state_objects(m, b), a->objects * sizeof(struct object)) &&
         (!m->terms || !memcmp(state_known(m, a), state_known(m, b), a->objects * sizeof(struct known)));
}

/* The state before the threads begin. There is one: an initialisation that may go in several ways, as operands may be
 * evaluated in several orders, must come to the same. */
static void machine_start(struct system *system, void *work) {
  enum { WAYS_MOST = 1000 };
  struct machine *m = (struct machine *)system;
  struct machine_state *s = work;
  struct choices choices;
  machine_tracer *tracer = m->tracer;
  choices_begin(&choices);
  initialise(m, s, &choices);
  m->tracer = NULL;
  for (unsigned ways = 1; !m->start_move.fault && choices_next(&choices); ways++) {
    initialise(m, m->other_start, &choices);
    if (!m->start_move.fault && (ways == WAYS_MOST || !same_memory(m, s, m->other_start)))
      m->start_move =
          (struct move){.fault = FAULT_RANGE,
                        .text = "the initialisation depends on the order of evaluation: take its expressions apart"};
  }
  m->tracer = tracer;
  if (m->weak) memset(state_weak(m, s), 0, m->weak->size); /* the threads come after all of that */
  for (unsigned t = 0; t < system->threads; t++) {
    s->threads[t] = (struct thread){.pc = 0, .left = m->options.ops};
    for (unsigned i = 0; i < m->regs; i++) state_registers(m, s, t)[i] = WORD_UNINITIALISED;
    give_own(m, s, t, state_registers(m, s, t));
  }
}

bool machine_start_fault(struct system *system, struct move *move) {
  struct machine *m = (struct machine *)system;
  *move = m->start_move;
  return move->fault != FAULT_NONE;
}

void machine_trace(struct system *system, machine_tracer *tracer, void *self) {
  struct machine *m = (struct machine *)system;
  m->tracer = tracer;
  m->tracer_self = self;
}

static void number_stops(struct mem *mem, struct machine *m) {
  const struct program *p = m->program;
  m->stop_of = mem_zero(mem, p->code_count, sizeof *m->stop_of);
  m->pc_of = mem_zero(mem, p->code_count + 1, sizeof *m->pc_of);
  m->op_at = mem_zero(mem, p->code_count, sizeof *m->op_at);
  uint32_t stops = 0;
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    for (uint32_t i = 0; i < p->op_count; i++)
      if (p->ops[i].entry <= pc && (!m->op_at[pc] || p->ops[i].entry > m->op_at[pc]->entry)) m->op_at[pc] = &p->ops[i];
    bool entry = m->op_at[pc] && m->op_at[pc]->entry == pc;
    if (!entry && !step_may_stop(m, &p->code[pc])) continue;
    m->stop_of[pc] = ++stops;
    m->pc_of[stops] = pc;
  }
}

static void open_weak(struct mem *mem, struct machine *m) {
  const struct program *p = m->program;
  m->weak = m->options.memory == MEMORY_SC ? NULL : m->options.memory == MEMORY_TSO ? &weak_buffers : &weak_views;
  m->options.forget &= !m->weak;
  m->reached = mem_zero(mem, m->objects_most + 1, 1);
  m->tracks_first = mem_zero(mem, p->layout_count + 1, sizeof *m->tracks_first);
  for (uint32_t i = 0; i < p->layout_count; i++) m->tracks_first[i + 1] = m->tracks_first[i] + p->layouts[i].count + 1;
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    const struct inst *in = &p->code[pc];
    m->acquires |= in->code == I_FENCE && !in->op && in->order != ORDER_RELEASE && in->order != ORDER_RELAXED;
    bool fence = in->code == I_FENCE && !in->op, access = in->code >= I_LOAD && in->code <= I_FETCH;
    bool sc = in->order == ORDER_SEQ_CST || in->order_failure == ORDER_SEQ_CST;
    m->counts_sc |= sc && ((fence && m->system.threads > 2) || (access && !m->options.sc_as_acq_rel));
  }
}

static struct system *machine_copy(struct mem *mem, const struct system *system) {
  const struct machine *m = (const struct machine *)system;
  return machine_new(mem, m->program, m->client, m->system.threads, &m->options, m->result, m->result_self);
}

struct system *machine_new(struct mem *mem, const struct program *p, const struct client_thread *client,
                           unsigned threads, const struct machine_options *options, machine_result *result,
                           void *result_self) {
  struct machine *m = mem_zero(mem, 1, sizeof *m);
  m->program = p;
  m->mem = mem;
  m->options = *options;
  m->terms = options->terms;
  m->options.forget &= !p->frees && !m->terms; /* freed memory may come back */
  m->system.choices_last = !p->frees && !p->owns[OWN_SLEEPS] && !m->terms;
  m->result = result;
  m->result_self = result_self;
  m->globals = p->global_count;
  for (unsigned i = 0; i < OWN_COUNT; i++)
    if (p->owns[i]) m->own_at[i] = m->own_words++;
  /* What only a thread's own variables lead to is not lost, and yet would be forgotten. */
  if (m->options.leaks && m->own_words) m->options.forget = false;
  m->regs = (p->most_regs ? p->most_regs : 1) + m->own_words;
  uint32_t room = CELLS_FIRST << 3 * options->room, cells = room;
  for (uint32_t i = 0; i < p->global_count; i++)
    cells += p->globals[i].constant ? 0 : p->layouts[p->globals[i].layout].count;
  if (p->owns[OWN_LOCALS]) cells += (threads + 1) * p->layouts[p->own_layout[OWN_LOCALS]].count;
  m->cells_most = cells;
  m->objects_most = p->global_count + 1 + m->own_words * (threads + 1) + room;
  m->system.threads = threads;
  m->registers_at = (sizeof(struct machine_state) + 7) & ~(size_t)7;
  m->objects_at = objects_offset(m);
  m->cells_at = (m->objects_at + m->objects_most * sizeof(struct object) + 7) & ~(size_t)7;
  m->known_at = m->cells_at + m->cells_most * sizeof(word);
  m->weak_at = (m->known_at + (m->terms ? m->objects_most * sizeof(struct known) : 0) + 7) & ~(size_t)7;
  open_weak(mem, m);
  m->system.work = m->weak_at + (m->weak ? m->weak->size : 0);
  m->system.packed_most = (size_t)(m->cells_most + threads * (m->regs + 2) + m->objects_most * 3) * 16 + 64;
  if (m->terms) m->system.packed_most *= TERM_DIGITS;
  if (m->weak) m->system.packed_most += 4 * m->weak->size;
  m->client = mem_alloc(mem, threads * sizeof *m->client);
  memcpy(m->client, client, threads * sizeof *m->client);
  uint8_t *group = mem_zero(mem, threads, 1);
  for (unsigned t = 0; t < threads; t++) group[t] = p->uses_thread ? (uint8_t)t : client[t].group;
  m->system.group = group;
  m->spare = mem_alloc(mem, (m->cells_most + 1) * sizeof(word));
  m->init_registers = mem_zero(mem, m->regs + 1u, sizeof(word));
  m->other_start = mem_zero(mem, 1, m->system.work);
  endless_open(mem, m);
  number_stops(mem, m);
  m->stores_places = places_stored(mem, m);
  for (unsigned t = 0; t < threads && m->terms && m->stores_places; t++) group[t] = (uint8_t)t;
  if (m->options.forget) reach_open(mem, m);
  if (m->options.races) race_open(mem, m);
  for (uint32_t i = 0; i < p->code_count && !m->unordered; i++)
    if (p->code[i].code == I_UNORDERED) m->unordered = unordered_new(mem);
  pack_open(mem, m);
  m->system.start = machine_start;
  m->system.move = machine_move;
  m->system.again = machine_again;
  m->system.pack = machine_pack;
  m->system.pack_as = machine_pack_as;
  m->system.settle = machine_settle;
  m->system.same = machine_same;
  m->system.copy = machine_copy;
  m->system.unpack = machine_unpack;
  return &m->system;
}

bool machine_tells_places(const struct system *system) {
  const struct machine *m = (const struct machine *)system;
  return m->terms && m->stores_places;
}

const struct inst *machine_at(struct system *system, const void *work, unsigned thread) {
  struct machine *m = (struct machine *)system;
  uint32_t pc = ((const struct machine_state *)work)->threads[thread].pc;
  return pc ? &m->program->code[pc] : NULL;
}
