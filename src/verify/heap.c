/* Objects that come and go: malloc and free, variables. */
#include "verify/bytes.h"
#include "verify/unordered.h"
#include "verify/weak.h"

#define ASKED_MOST ((word)1 << 40) /* bytes */

static bool is_pointed_to(const struct machine *m, const struct machine_state *s, uint32_t object) {
  const word *cells = state_cells(m, s);
  for (uint32_t i = 0; i < s->cells; i++)
    if (word_is_pointer(cells[i]) && word_object(cells[i]) == object) return true;
  for (unsigned t = 0; t < m->system.threads; t++)
    for (unsigned r = 0; r < m->regs; r++) {
      word w = state_registers(m, s, t)[r];
      if (word_is_pointer(w) && word_object(w) == object) return true;
    }
  for (unsigned r = 0; r < m->regs; r++)
    if (word_is_pointer(m->init_registers[r]) && word_object(m->init_registers[r]) == object) return true;
  return false;
}

static bool has_cells(const struct object *o) { return o->life != LIFE_CONSTANT && o->life != LIFE_FORGOTTEN; }

/* True if all cells of the state belong to objects that are whole: nothing was forgotten when it was packed. */
static bool is_whole(const struct machine *m, const struct machine_state *s) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < s->objects; i++) {
    const struct object *o = &state_objects(m, s)[i];
    if (!has_cells(o)) continue;
    if (o->life == LIFE_HOLLOW || (uint64_t)o->first + o->count > s->cells) return false;
    all += o->count;
  }
  return all <= s->cells;
}

/* Where states are not packed on the way, as when an execution is told, a variable whose life has ended stays. When
 * there is no room any more, those that nothing points to make some. */
static bool reclaim(struct machine *m, struct machine_state *s, uint32_t cells) {
  uint32_t kept = 0;
  if (!is_whole(m, s)) return false;
  for (uint32_t i = 0; i < s->objects; i++) {
    struct object *o = &state_objects(m, s)[i];
    if (!has_cells(o)) continue;
    if (o->life == LIFE_ENDED && o->count && !is_pointed_to(m, s, i)) o->count = 0;
    memcpy(m->spare + kept, state_cells(m, s) + o->first, o->count * sizeof(word));
    o->first = kept;
    kept += o->count;
  }
  memcpy(state_cells(m, s), m->spare, kept * sizeof(word));
  s->cells = kept;
  s->shared = s->unpacked = 0;
  s->moved = UINT32_MAX;
  return kept + cells <= m->cells_most;
}

/* A place for an object; UINT32_MAX: there is none. */
static uint32_t place_for(struct machine *m, struct machine_state *s, uint32_t cells) {
  if (s->objects < m->objects_most && s->cells + cells <= m->cells_most) return s->objects++;
  if (cells > m->cells_most || !reclaim(m, s, cells)) return UINT32_MAX;
  for (uint32_t i = m->globals + 1; i < s->objects; i++)
    if (state_objects(m, s)[i].life == LIFE_ENDED && !state_objects(m, s)[i].count && !is_pointed_to(m, s, i)) return i;
  return s->objects < m->objects_most ? s->objects++ : UINT32_MAX;
}

bool heap_add(struct machine *m, struct machine_state *s, uint32_t layout, uint64_t cells, uint8_t life, uint8_t owner,
              uint32_t *made) {
  *made = cells > m->cells_most ? UINT32_MAX : place_for(m, s, (uint32_t)cells);
  if (*made == UINT32_MAX) return false;
  state_objects(m, s)[*made] =
      (struct object){.first = s->cells, .count = (uint32_t)cells, .layout = layout, .life = life, .owner = owner};
  if (m->terms) state_known(m, s)[*made] = (struct known){0};
  s->cells += (uint32_t)cells;
  return true;
}

/* How many cells an allocation has: of elements, or of as much as there is room for in so many bytes, which may leave a
 * rest. */
static bool cells_asked(const struct machine *m, const struct inst *in, word asked, uint64_t *count, uint32_t *rest) {
  const struct layout *l = &m->program->layouts[in->imm];
  uint32_t repeats = l->count - l->head;
  *rest = 0;
  if (!(in->flags & FLAG_BYTES)) {
    *count = (uint64_t)l->count * (uint64_t)asked;
    return true;
  }
  uint64_t bytes = (uint64_t)asked, most = m->cells_most, end = 0;
  if (bytes / 8 / (l->stride ? l->stride : 1) > most) return false;
  for (*count = 0; *count <= most; ++*count) { /* whole elements, then cells */
    if (bytes >= l->head_size && repeats && (*count == l->head) && l->stride) {
      uint64_t elements = (bytes - l->head_size) / l->stride;
      *count += elements * repeats;
      end = l->head_size + elements * l->stride;
    }
    uint64_t in_element = *count < l->head ? *count : l->head + (repeats ? (*count - l->head) % repeats : 0);
    if (in_element >= l->count) break;
    uint64_t base = *count < l->head ? 0 : l->head_size + (*count - l->head) / repeats * l->stride;
    const struct cell *c = &l->cells[in_element];
    if (base + c->offset + c->size > bytes) break;
    end = base + c->offset + c->size;
  }
  *rest = bytes > end && bytes - end < 0x7fff ? (uint32_t)(bytes - end) : 0;
  return *count <= most;
}

enum ended step_no_room(struct run *run, const struct inst *in, const char *text) {
  const struct machine_options *o = &run->machine->options;
  return step_fault(run, in, o->grows && o->room < ROOM_MOST ? FAULT_ROOM : FAULT_RANGE, text);
}

/* There is no memory: a choice of its own, which no other thread has a part in. */
static enum ended fail_to_allocate(struct run *run, const struct inst *in) {
  run->r[in->d] = 0;
  if (!run->machine->tracer) return GO_ON;
  struct trace_item item = {.inst = in, .op = run->op, .object = NO_OBJECT, .own = !run->machine->program->frees};
  run->machine->tracer(run->machine->tracer_self, &item);
  return GO_ON;
}

/* Can an allocation give this block again, one that was freed? It may have been dissolved into bytes since it was
 * given, and then stays so. */
static bool fits_again(const struct run *run, uint32_t object, const struct inst *in, const struct object *asked) {
  const struct machine *m = run->machine;
  const struct machine_state *s = run->state;
  const struct object *o = &state_objects(m, s)[object];
  if (o->life != LIFE_FREED || o->layout != asked->layout) return false;
  if (m->weak && m->weak->may_give && !m->weak->may_give(run, object)) return false;
  bool same = o->count == asked->count && o->extra == asked->extra,
       in_bytes = o->extra == (asked->extra | 1) && o->count == object_size(m, asked);
  return (same || in_bytes) && numbers_may_align(m, s, object, in->op);
}

/* malloc: something new, or memory that was freed and that somebody still points to; with malloc_fails also NULL. */
enum ended step_allocate(struct run *run, const struct inst *in) {
  struct machine *m = run->machine;
  struct machine_state *s = run->state;
  word asked = in->b == NO_REG ? 1 : run->r[in->b];
  uint64_t cells_wanted;
  uint32_t object = UINT32_MAX, rest;
  if (word_is_unset(asked)) return step_unset(run, in, asked, "the size asked for");
  if (asked < 0 || asked > ASKED_MOST) {
    if (m->options.malloc_fails && !(in->flags & FLAG_LOCAL) && run->op) return fail_to_allocate(run, in);
    return step_fault(run, in, FAULT_RANGE, "an allocation of more than 2^40 bytes: it fails (--malloc-fails)");
  }
  if (asked > (word)m->cells_most * ((in->flags & FLAG_BYTES) ? 64 : 1) ||
      !cells_asked(m, in, asked, &cells_wanted, &rest))
    return step_no_room(run, in, "more memory than a state may hold");
  uint32_t count = (uint32_t)cells_wanted;
  struct object as_asked = {
      .layout = (uint32_t)in->imm, .count = count, .extra = m->program->loose ? (uint16_t)(rest << 1) : 0};
  bool local = in->flags & FLAG_LOCAL, kept = false, fails = m->options.malloc_fails && !local && run->op;
  if (!local && (m->program->frees || fails)) {
    unsigned freed = 0;
    for (uint32_t i = m->globals; m->program->frees && i < s->objects; i++) freed += fits_again(run, i, in, &as_asked);
    unsigned which;
    enum ended bad = step_choose_one(run, in, freed + 1 + fails, &which);
    if (bad != GO_ON) return bad;
    if (which > freed) return fail_to_allocate(run, in);
    for (uint32_t i = m->globals; which && i < s->objects; i++)
      if (fits_again(run, i, in, &as_asked) && --which == 0) object = i;
    if (m->program->frees) step_record(run, ALLOCATOR, 0, 1, true);
  }
  if (local) {
    enum ended bad = places_choose(run, in, &as_asked, &object);
    if (bad != GO_ON) return bad;
  }
  bool again = object != UINT32_MAX;
  if (again) {
    s->shared = s->unpacked = 0; /* it may be another thread's */
    state_objects(m, s)[object].life = local ? LIFE_LOCAL : m->options.type_stable ? LIFE_AGAIN : LIFE_HEAP;
    count = state_objects(m, s)[object].count;
    step_record(run, object, 0, count, true);
    kept = m->options.type_stable && !local && !(in->flags & FLAG_ZERO); /* who looks at it sees what was there */
  } else if (!heap_add(m, s, (uint32_t)in->imm, count, local ? LIFE_LOCAL : LIFE_FRESH, (uint8_t)run->thread,
                       &object)) {
    return step_no_room(run, in, "more memory than a state may hold; ASIF_BOUND or --ops keep it small");
  } else {
    state_objects(m, s)[object].extra = as_asked.extra;
  }
  if (m->unordered) unordered_born(m->unordered, object);
  if (m->weak && m->weak->allocated) {
    enum ended bad = m->weak->allocated(run, in, object, again);
    if (bad != GO_ON) return bad;
  }
  if (m->terms && !local) numbers_allocated(m, s, object, in->op);
  word *cells = state_cells(m, s) + state_objects(m, s)[object].first;
  for (uint32_t i = 0; i < count && !kept; i++) cells[i] = in->flags & FLAG_ZERO ? 0 : WORD_UNINITIALISED;
  run->r[in->d] = word_pointer(object, 0);
  if (m->tracer && !local) step_trace(run, in, run->r[in->d], !m->program->frees, NULL, NULL, NULL, 0);
  return GO_ON;
}

enum ended step_release(struct run *run, const struct inst *in) {
  struct machine *m = run->machine;
  word at = run->r[in->a];
  if (at == 0) return GO_ON;
  if (word_is_term(at)) return step_fault(run, in, FAULT_ADDRESS, NULL);
  if (word_is_unset(at)) return step_unset(run, in, at, NULL);
  if (!word_is_address(at) || word_cell(at) || word_mark(at) || word_object(at) < m->globals)
    return step_fault(run, in, FAULT_BAD_FREE, NULL);
  struct object *o = &state_objects(m, run->state)[word_object(at)];
  step_changes(run->state, o);
  bool is_new = o->life != LIFE_FREED && o->life != LIFE_ENDED && ((in->flags & FLAG_LOCAL) || is_allocated(o));
  if (m->weak && is_new) {
    enum ended bad = m->weak->freed(run, in, word_object(at));
    if (bad != GO_ON) return bad;
  }
  if (in->flags & FLAG_LOCAL) {
    o->life = LIFE_ENDED;
    if (m->terms) state_known(m, run->state)[word_object(at)].maker = (uint8_t)(run->thread + 1);
    return GO_ON;
  }
  if (o->life == LIFE_FORGOTTEN || o->life == LIFE_HOLLOW) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  if (o->life == LIFE_FREED) return step_fault_at(run, in, at, FAULT_DOUBLE_FREE);
  if (!is_allocated(o)) return step_fault(run, in, FAULT_BAD_FREE, NULL);
  o->life = LIFE_FREED;
  step_record(run, ALLOCATOR, 0, 1, true); /* even its own: it may come back through another thread's malloc */
  if (o->owner != run->thread) step_record(run, word_object(at), 0, o->count, true);
  if (run->machine->tracer) step_trace(run, in, at, o->owner == run->thread, NULL, NULL, NULL, 0);
  return GO_ON;
}
