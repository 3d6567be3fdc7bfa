/* Counterexamples: from the violation back to the start, and forth again as a real execution.
 *
 * States are stored as representatives, and only where each came from is kept. Going forth, the moves that lead from
 * one representative to the next are found by making them again; alongside, the execution itself is made with the
 * threads as they really are, `real[i]` being the real thread that thread i of the representative stands for. A
 * Cartesian path is several moves of one thread. */
#include <string.h>

#include "verify/explore.h"

struct tracker {
  struct mem *mem;
  struct explore *x;
  struct worker *w; /* whose buffers are used: any */
  struct traces *traces;
  struct system *system;
  VEC(struct path_move) path;
  void *here, *real_here, *real_there; /* the representative, the execution */
  uint8_t real[THREADS_MOST];
  unsigned char *bytes, *other;
  bool loses; /* the move to be made loses memory: another one may lead to the same state without */
};

static enum moved again(struct system *system, const void *from, unsigned thread, struct choices *choices,
                        uint32_t length, void *to, struct move *move) {
  return system->again ? system->again(system, from, thread, choices, length, to, move)
                       : system->move(system, from, thread, choices, to, move);
}

static bool same_events(const struct move *a, const struct move *b) {
  bool same = a->event_count == b->event_count;
  for (unsigned i = 0; same && i < a->event_count; i++)
    same = a->events[i].kind == b->events[i].kind && a->events[i].call == b->events[i].call &&
           a->events[i].result == b->events[i].result;
  return same;
}

/* Makes the same move in the execution: the choices may be other ones, since objects have other names there. With
 * choices that lead elsewhere in the program, so many instructions may end where no move ends, which looks like the
 * end of the operation: the events tell that apart. */
static bool follow_really(struct tracker *k, unsigned thread, const struct choices *choices, const struct move *move,
                          const void *representative) {
  struct system *system = k->system;
  uint32_t length = move->length;
  struct path_move m = {.thread = k->real[thread]};
  if (system->choices_last) {
    m.choices = *choices;
    m.choices.depth = 0;
    if (again(system, k->real_here, m.thread, &m.choices, length, k->real_there, &m.move) != MOVED) return false;
    vec_push(k->mem, &k->path, m);
    memcpy(k->real_here, k->real_there, system->work);
    return true;
  }
  size_t size = system->pack(system, representative, NULL, k->bytes, NULL);
  choices_begin(&m.choices);
  do {
    if (again(system, k->real_here, m.thread, &m.choices, length, k->real_there, &m.move) != MOVED) continue;
    if (!same_events(&m.move, move)) continue;
    if (system->pack_as(system, k->real_there, k->real, k->other) != size || memcmp(k->bytes, k->other, size)) continue;
    if (k->loses && !system->lost) continue;
    vec_push(k->mem, &k->path, m);
    memcpy(k->real_here, k->real_there, system->work);
    return true;
  } while (choices_next(&m.choices));
  return false;
}

/* Is the representative of this pair the record? from[] says how. */
static bool leads_to(struct tracker *k, const void *work, uint32_t set, struct record_view v, uint8_t *from) {
  uint32_t size = make_pair(k->w, work, &set, from);
  return set == v.set && size == v.size && !memcmp(k->w->packed, v.at, size);
}

/* The record is where the tracker is. */
static void arrive(struct tracker *k, struct record_view v) {
  k->system->unpack(k->system, v.at, v.size, k->here);
  if (k->system->settle) k->system->settle(k->system, k->real_here, k->real, k->here);
}

/* The moves of one thread, at most `depth` of them and none visible but the last, that lead to the record. */
static bool walk(struct tracker *k, unsigned thread, uint32_t set, struct record_view to, unsigned depth) {
  struct system *system = k->system;
  void *before = mem_alloc(k->mem, system->work), *after = mem_alloc(k->mem, system->work),
       *real = mem_alloc(k->mem, system->work);
  struct choices choices;
  struct move move;
  bool found = false;
  size_t length = k->path.count;
  uint8_t names[THREADS_MOST], from[THREADS_MOST];
  memcpy(before, k->here, system->work);
  memcpy(real, k->real_here, system->work);
  memcpy(names, k->real, sizeof names);
  choices_begin(&choices);
  do {
    uint32_t next;
    if (system->move(system, before, thread, &choices, after, &move) != MOVED) continue;
    if (!follow(k->w, &move, set, &next) || !next) continue;
    if (leads_to(k, after, next, to, from)) {
      if (!follow_really(k, thread, &choices, &move, after)) continue;
      for (unsigned t = 0; t < system->threads; t++) k->real[t] = names[from[t]];
      arrive(k, to);
      found = true;
    } else if (depth > 1 && !move.event_count) {
      if (!follow_really(k, thread, &choices, &move, after)) continue;
      memcpy(k->here, after, system->work);
      found = walk(k, thread, next, to, depth - 1);
    }
    if (!found) {
      k->path.count = length;
      memcpy(k->real_here, real, system->work);
      memcpy(k->here, before, system->work);
    }
  } while (!found && choices_next(&choices));
  mem_free(k->mem, before);
  mem_free(k->mem, after);
  mem_free(k->mem, real);
  return found;
}

/* A path of Algorithm A.1 may be long; one move is tried first. */
static unsigned path_most(const struct tracker *k) { return k->w->cartesian ? PATH_MOST : 1; }

/* From one record to the next: by one move of one thread, or several in a Cartesian path. */
static bool step_to(struct tracker *k, uint32_t set, struct record_view to) {
  for (unsigned depth = 1; depth <= path_most(k); depth *= PATH_MOST)
    for (unsigned t = 0; t < k->system->threads; t++)
      if (walk(k, t, set, to, depth)) return true;
  return false;
}

/* Does this move end in the violation? `there` is the state after it. */
static bool is_wrong(struct tracker *k, enum moved moved, const struct move *move, uint32_t set, const void *there) {
  uint32_t next;
  uint8_t from[THREADS_MOST];
  if (moved != MOVED && moved != FAULTED) return false;
  if (!follow(k->w, move, set, &next)) return false;
  if (k->x->violation == VIOLATION_LEAK)
    return moved == MOVED && next && (make_pair(k->w, there, &next, from), k->system->lost);
  return moved == FAULTED ? k->x->violation == VIOLATION_FAULT || k->x->violation == VIOLATION_POINTS : !next;
}

/* The wrong move in the execution: the same events, or the same fault. */
static bool finish_really(struct tracker *k, unsigned thread, const struct move *wrong_move) {
  struct system *system = k->system;
  struct path_move m = {.thread = k->real[thread]};
  choices_begin(&m.choices);
  do {
    enum moved moved = again(system, k->real_here, m.thread, &m.choices, wrong_move->length, k->real_there, &m.move);
    if (wrong_move->fault ? moved != FAULTED || m.move.fault != wrong_move->fault : moved != MOVED) continue;
    if (!same_events(&m.move, wrong_move)) continue;
    vec_push(k->mem, &k->path, m);
    return true;
  } while (choices_next(&m.choices));
  return false;
}

/* The last moves, those of the violation. */
static bool finish(struct tracker *k, uint32_t set, unsigned thread, unsigned depth) {
  struct system *system = k->system;
  void *here = mem_alloc(k->mem, system->work), *there = mem_alloc(k->mem, system->work),
       *real = mem_alloc(k->mem, system->work);
  struct choices choices;
  struct move move;
  bool found = false;
  size_t length = k->path.count;
  memcpy(here, k->here, system->work);
  memcpy(real, k->real_here, system->work);
  choices_begin(&choices);
  do {
    uint32_t next;
    enum moved moved = system->move(system, here, thread, &choices, there, &move);
    if (is_wrong(k, moved, &move, set, there)) {
      k->loses = k->x->violation == VIOLATION_LEAK;
      found = k->loses ? follow_really(k, thread, &choices, &move, there) : finish_really(k, thread, &move);
    } else if (moved == MOVED && depth > 1 && !move.event_count && follow(k->w, &move, set, &next)) {
      if (!follow_really(k, thread, &choices, &move, there)) continue;
      memcpy(k->here, there, system->work);
      found = finish(k, next, thread, depth - 1);
    }
    if (!found) {
      k->path.count = length;
      memcpy(k->here, here, system->work);
      memcpy(k->real_here, real, system->work);
    }
  } while (!found && choices_next(&choices));
  mem_free(k->mem, here);
  mem_free(k->mem, there);
  mem_free(k->mem, real);
  return found;
}

/* The thread's next move, if it is what a path of Algorithm A.1 may go on with: the only one, and invisible. */
static bool moves_on(struct tracker *k, unsigned thread, const void *from, struct choices *choices, void *to,
                     struct move *move) {
  choices_begin(choices);
  return k->system->move(k->system, from, thread, choices, to, move) == MOVED && !choices->made && !move->event_count;
}

/* After how many moves the thread, alone, is in a loop; 0 if it is in one, or does not get into one. */
static unsigned moves_to_loop(struct tracker *k, unsigned thread) {
  struct system *system = k->system;
  void *at = mem_alloc(k->mem, system->work), *next = mem_alloc(k->mem, system->work);
  unsigned char *packed[PATH_MOST];
  size_t sizes[PATH_MOST];
  unsigned count = 0, found = PATH_MOST;
  struct choices choices;
  struct move move;
  memcpy(at, k->here, system->work);
  while (count < PATH_MOST) {
    sizes[count] = system->pack(system, at, NULL, k->bytes, NULL);
    for (found = 0; found < count; found++)
      if (sizes[found] == sizes[count] && !memcmp(packed[found], k->bytes, sizes[count])) break;
    if (found < count) break;
    packed[count] = mem_alloc(k->mem, sizes[count]);
    memcpy(packed[count], k->bytes, sizes[count]);
    found = ++count;
    if (!moves_on(k, thread, at, &choices, next, &move)) break;
    memcpy(at, next, system->work);
  }
  for (unsigned i = 0; i < count; i++) mem_free(k->mem, packed[i]);
  mem_free(k->mem, at);
  mem_free(k->mem, next);
  return found < count ? found : 0;
}

/* A path that is infinite ends in no state that is stored. Where no operation can return, none can after any moves
 * more: so threads whose paths are infinite go as far as their loops. */
static bool enter_loops(struct tracker *k) {
  void *next = mem_alloc(k->mem, k->system->work);
  bool good = true;
  for (unsigned t = 0; t < k->system->threads && good; t++)
    for (unsigned left = moves_to_loop(k, t); left && good; left--) {
      struct choices choices;
      struct move move;
      good = moves_on(k, t, k->here, &choices, next, &move) && follow_really(k, t, &choices, &move, next);
      memcpy(k->here, next, k->system->work);
    }
  mem_free(k->mem, next);
  return good;
}

static bool finish_any(struct tracker *k, uint32_t set) {
  if (k->x->violation == VIOLATION_NO_RETURN && k->w->cartesian) return enter_loops(k);
  if (k->x->violation == VIOLATION_DEADLOCK || k->x->violation == VIOLATION_NO_RETURN ||
      k->x->violation == VIOLATION_ASLEEP)
    return true;
  for (unsigned depth = 1; depth <= path_most(k); depth *= PATH_MOST)
    for (unsigned t = 0; t < k->system->threads; t++)
      if (finish(k, set, t, depth)) return true;
  return false;
}

bool find_path(struct mem *mem, struct explore *x, struct search_result *r, struct problem *why) {
  struct tracker k = {
      .mem = mem, .x = x, .w = &x->workers[0], .traces = &x->workers[0].traces, .system = x->workers[0].system};
  struct system *system = k.system;
  VEC(uint32_t) refs = {0};
  k.here = mem_zero(mem, 1, system->work);
  k.real_here = mem_alloc(mem, system->work);
  k.real_there = mem_alloc(mem, system->work);
  k.bytes = mem_alloc(mem, system->packed_most);
  k.other = mem_alloc(mem, system->packed_most);
  for (uint32_t ref = x->wrong_ref; ref != REF_NONE; ref = record_of(x, ref).parent) vec_push(mem, &refs, ref);
  system->start(system, k.real_here);
  uint8_t from[THREADS_MOST];
  uint32_t set = k.traces->initial(k.traces->self);
  make_pair(k.w, k.real_here, &set, from);
  memcpy(k.real, from, sizeof from);
  struct record_view v = record_of(x, refs.at[refs.count - 1]);
  set = v.set;
  arrive(&k, v);
  for (size_t i = refs.count - 1; i-- > 0;) {
    v = record_of(x, refs.at[i]);
    if (!step_to(&k, set, v)) {
      problem_internal(why, "the counterexample found cannot be followed (move %zu)", k.path.count);
      return false;
    }
    set = v.set;
  }
  if (!finish_any(&k, set)) {
    problem_internal(why, "the violation found does not happen again");
    return false;
  }
  r->path = k.path.at;
  r->path_count = k.path.count;
  return true;
}
