/* Instructions where memory may be accessed as another type than it has (program.loose): pointers move by bytes, and an
 * access says how many bytes each of its registers has (bytes.h). */
#include "verify/bytes.h"
#include "verify/unordered.h"
#include "verify/weak.h"

/* Faults about pointers that nothing can be done with. */
static enum ended check_pointer(struct run *run, const struct inst *in, word at) {
  if (at == WORD_UNINITIALISED) return step_fault(run, in, FAULT_UNINITIALISED, NULL);
  if (word_is_part(at)) return step_fault(run, in, part_fault(at), "a pointer of which only some bytes were set");
  if (!word_is_pointer(at)) return step_fault(run, in, at >= 0 && at <= 7 ? FAULT_NULL : FAULT_POINTER, NULL);
  if (word_is_term(at)) return step_fault(run, in, FAULT_ADDRESS, NULL);
  if (!word_is_address(at)) return step_fault(run, in, FAULT_POINTER, "the pointer is marked");
  return GO_ON;
}

/* Pointers. `within`: it stays in its object, or just behind it. */
static enum ended move_pointer(struct run *run, const struct inst *in, word at, int64_t bytes, bool within, word *out) {
  const struct machine *m = run->machine;
  if (!word_is_pointer(at) && !bytes && !word_is_unset(at)) {
    *out = at;
    return GO_ON;
  }
  enum ended bad = check_pointer(run, in, at);
  if (bad != GO_ON) return bad;
  if (is_forgotten(m, at) && bytes) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  if (!bytes) {
    *out = at;
    return GO_ON;
  }
  int64_t byte = address_byte(m, run->state, at) + bytes;
  const struct object *o = &state_objects(m, run->state)[word_object(at)];
  if (within && (byte < 0 || byte > object_size(m, o))) return step_fault(run, in, FAULT_BOUNDS, NULL);
  if (!address_at(m, run->state, word_object(at), byte, out)) return step_fault(run, in, FAULT_BOUNDS, NULL);
  return GO_ON;
}

enum ended loose_compute(struct run *run, const struct inst *in) {
  word *r = run->r;
  switch (in->code) {
  case I_GLOBAL: return move_pointer(run, in, word_pointer(in->b, 0), in->bytes, false, &r[in->d]);
  case I_OFFSET: return move_pointer(run, in, r[in->a], in->bytes, false, &r[in->d]);
  default: {
    int64_t by;
    if (__builtin_mul_overflow(r[in->b], in->bytes, &by)) return step_fault(run, in, FAULT_BOUNDS, NULL);
    return move_pointer(run, in, r[in->a], by, in->bytes > 1 || in->bytes < -1, &r[in->d]);
  }
  }
}

/* A bit-field that is not inserted: its number, or what is around it, is not known. */
static enum ended not_inserted(struct run *run, const struct inst *in) {
  const word *r = run->r;
  unsigned from = (unsigned)in->imm / 8, end = (unsigned)(in->imm + in->scalar.bits + in->bytes + 7) / 8;
  bool outside = r[in->a] == WORD_OUTSIDE;
  for (unsigned i = from; i < end; i++) outside |= r[in->d + i] == WORD_OUTSIDE;
  return outside ? step_unset(run, in, WORD_OUTSIDE, NULL) : step_fault(run, in, FAULT_ADDRESS, NULL);
}

enum ended loose_bits(struct run *run, const struct inst *in) {
  struct wides *t = run->machine->program->wides;
  word *r = run->r, out;
  if (in->code == I_INSERT)
    return bits_to_bytes(t, r[in->a], (unsigned)in->imm, in->scalar.bits, (unsigned)in->bytes, r + in->d)
               ? GO_ON
               : not_inserted(run, in);
  if (!bits_of_bytes(t, r + in->a, (unsigned)in->imm, in->scalar, &out))
    return step_fault(run, in, FAULT_ADDRESS, NULL);
  r[in->d] = out;
  return GO_ON;
}

/* What realloc is given must be a block that is there. */
static enum ended check_block(struct run *run, const struct inst *in, word at) {
  const struct object *o = &state_objects(run->machine, run->state)[word_object(at)];
  if (o->life == LIFE_FREED) return step_fault_at(run, in, at, FAULT_FREED);
  if (!is_allocated(o) || word_mark(at) || address_byte(run->machine, run->state, at))
    return step_fault(run, in, FAULT_BAD_FREE, NULL);
  return GO_ON;
}

enum ended loose_chunk(struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  word *r = run->r, a = r[in->a], b = r[in->b], left = r[in->c];
  if (word_is_unset(left)) return step_unset(run, in, left, NULL);
  enum ended bad = check_pointer(run, in, a);
  if (bad == GO_ON) bad = check_pointer(run, in, b);
  if (bad != GO_ON) return bad;
  if (is_forgotten(m, a) || is_forgotten(m, b)) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  if (in->op == CHUNK_BLOCK) {
    int64_t size = object_size(m, &state_objects(m, run->state)[word_object(a)]);
    r[in->d] = word_is_small(left) && left >= 0 && left < size ? left : size;
    return check_block(run, in, a);
  }
  int64_t x = address_byte(m, run->state, a), y = address_byte(m, run->state, b);
  if (in->op == CHUNK_APART) {
    int64_t size = number_of_word(m->program->wides, left), apart = x > y ? x - y : y - x;
    r[in->d] = 0;
    if (word_object(a) == word_object(b) && apart && apart < size)
      return step_fault(run, in, FAULT_UNDEFINED, "memcpy between blocks that overlap, which memmove is for");
    return GO_ON;
  }
  if (in->op == CHUNK_BACKWARDS) {
    r[in->d] = word_object(a) == word_object(b) && x > y;
    return GO_ON;
  }
  r[in->d] = 1;
  for (unsigned size = 8; size > 1; size /= 2) {
    int64_t before = in->op == CHUNK_BEFORE ? (int64_t)size : 0;
    if (number_of_word(m->program->wides, left) >= (int64_t)size &&
        bytes_are_cell(m, run->state, word_object(a), x - before, size) &&
        bytes_are_cell(m, run->state, word_object(b), y - before, size)) {
      r[in->d] = size;
      break;
    }
  }
  return GO_ON;
}

/* Accesses. */

struct piece { /* what one register holds */
  int64_t byte;
  unsigned size;
  struct scalar scalar;
};

struct access_to {
  uint32_t object;
  int64_t byte;
  unsigned count;
};

static enum ended find_place(struct run *run, const struct inst *in, struct access_to *to) {
  to->count = in->count;
  to->object = in->a;
  to->byte = in->bytes;
  if (in->flags & FLAG_GLOBAL) return GO_ON;
  word at = run->r[in->a];
  enum ended bad = check_pointer(run, in, at);
  if (bad == GO_ON) bad = step_check_life(run, in, at);
  if (bad != GO_ON) return bad;
  to->object = word_object(at);
  to->byte = address_byte(run->machine, run->state, at) + in->bytes;
  return GO_ON;
}

static struct piece piece_of(const word *r, const struct inst *in, const struct access_to *to, unsigned i) {
  if (in->flags & FLAG_BYTES) return (struct piece){to->byte, (unsigned)r[in->c], {.bits = 64}};
  if (!in->shape || in->code == I_FETCH) return (struct piece){to->byte, scalar_size(in->scalar), in->scalar};
  const struct cell *c = &in->shape[i];
  return (struct piece){to->byte + (int64_t)c->offset - (int64_t)in->shape[0].offset, scalar_size(c->scalar),
                        c->scalar};
}

/* An access that must be aligned, and is not. */
static bool is_unaligned(const struct inst *in, const struct access_to *to, const struct piece *p) {
  bool plain = (in->code == I_LOAD || in->code == I_STORE) && !(in->flags & FLAG_ATOMIC);
  if (plain && in->op == ACCESS_PACKED) return false;
  if (in->shape && in->scalar.bits > 64) return to->byte % 16; /* both halves of an __int128 */
  return p->size > 1 && p->byte % p->size != 0 && !(in->flags & FLAG_BYTES) && !in->shape;
}

static enum ended load_pieces(struct run *run, const struct inst *in, const struct access_to *to, word *out) {
  for (unsigned i = 0; i < to->count; i++) {
    struct piece p = piece_of(run->r, in, to, i);
    enum fault why = bytes_load(run->machine, run->state, to->object, p.byte, p.size, p.scalar, &out[i]);
    if (why) return step_fault(run, in, why, NULL);
    if (is_unaligned(in, to, &p)) return step_fault(run, in, FAULT_POINTER, "the pointer is marked, or not aligned");
  }
  return GO_ON;
}

/* values: registers, or not in the state; before: what was there, which may point to the object itself. */
static enum ended store_pieces(struct run *run, const struct inst *in, const struct access_to *to, word *values,
                               word *before) {
  struct machine *m = run->machine;
  bool registers = values >= run->r && values < run->r + m->regs, dissolved = false;
  for (unsigned i = 0; i < to->count; i++) {
    struct piece p = piece_of(run->r, in, to, i);
    if (is_unaligned(in, to, &p)) return step_fault(run, in, FAULT_POINTER, "the pointer is marked, or not aligned");
    enum fault why = bytes_store(m, run->state, to->object, p.byte, p.size, values[i]);
    if (why == FAULT_DISSOLVE && !dissolved) {
      dissolved = true;
      run->move->touches_all = true;
      if (!bytes_dissolve(m, run->state, to->object, before, to->count, registers ? NULL : values,
                          registers ? 0 : to->count, run->op ? NULL : run->r, run->op ? 0 : m->regs))
        return step_no_room(run, in, "more memory than a state may hold, as bytes");
      i = UINT32_MAX; /* once more */
      continue;
    }
    if (why) return step_fault(run, in, why, NULL);
  }
  const struct object *o = &state_objects(m, run->state)[to->object];
  bool known = true;
  for (unsigned i = 0; i < to->count; i++) known &= step_publish(run, o, values[i]);
  return known ? GO_ON : step_fault(run, in, FAULT_FORGOTTEN, NULL);
}

/* Accesses of different threads are compared by the eight bytes that they are in: an object's cells may change. */
static void record(struct run *run, const struct inst *in, const struct access_to *to, bool write) {
  for (unsigned i = 0; i < to->count; i++) {
    struct piece p = piece_of(run->r, in, to, i);
    int64_t last = p.byte + (p.size ? p.size : 1) - 1;
    step_record(run, to->object, (uint32_t)(p.byte / 8), (unsigned)(last / 8 - p.byte / 8) + 1, write);
  }
}

enum ended loose_equal(struct run *run, const struct inst *in, word a, word b, bool *equal) {
  *equal = a == b;
  if (word_is_unset(a) || word_is_unset(b)) {
    word w = word_is_unset(a) ? a : b;
    return step_fault(run, in, w == WORD_UNINITIALISED ? FAULT_UNINITIALISED : part_fault(w),
                      "compared, though only some of its bytes were set");
  }
  bool bytes = (word_is_pointer(a) && word_kind(a) == WORD_BYTE) || (word_is_pointer(b) && word_kind(b) == WORD_BYTE);
  if (places_asked(run->machine, run->state, a, b)) return step_fault(run, in, FAULT_PLACE, NULL);
  if (a != b && (bytes || word_is_term(a) || word_is_term(b))) return step_fault(run, in, FAULT_ADDRESS, NULL);
  if (a == b && is_forgotten(run->machine, a)) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  return GO_ON;
}

/* May it be exchanged? GO_ON: *equal says. */
static enum ended compare_words(struct run *run, const struct inst *in, const word *before, const word *expected,
                                bool *equal) {
  *equal = true;
  for (unsigned i = 0; i < in->count; i++) {
    bool same;
    enum ended bad = loose_equal(run, in, before[i], expected[i], &same);
    if (bad != GO_ON) return bad;
    *equal &= same;
  }
  return GO_ON;
}

enum ended loose_fetch(struct run *run, const struct inst *in, word before, word *now) {
  word by = run->r[in->b]; /* by cells: as many bytes */
  if (word_is_unset(by) || !word_is_small(by) || !in->shape || !in->shape->offset)
    return step_fault(run, in, FAULT_POINTER, NULL);
  int64_t bytes = by / (int64_t)in->shape->offset * (int64_t)in->shape->size;
  return move_pointer(run, in, before, in->op == OP_SUB ? -bytes : bytes, false, now);
}

static enum ended fetch(struct run *run, const struct inst *in, const struct access_to *to, word *before, word *now) {
  enum ended bad = step_fetch(run, in, before[0], now);
  return bad == GO_ON ? store_pieces(run, in, to, now, before) : bad;
}

static enum ended exchange_if(struct run *run, const struct inst *in, const struct access_to *to, word *before,
                              bool *wrote) {
  word *r = run->r;
  unsigned fails = 0;
  enum ended bad = compare_words(run, in, before, r + in->c, wrote);
  if (bad == GO_ON && *wrote && (in->flags & FLAG_WEAK) && run->machine->options.weak_fails)
    bad = step_choose_one(run, in, 2, &fails);
  if (bad != GO_ON) return bad;
  if (fails) *wrote = false;
  if (*wrote)
    bad = store_pieces(run, in, to, r + in->b, before);
  else
    memcpy(r + in->c, before, to->count * sizeof *r);
  r[in->d] = *wrote;
  return bad;
}

/* The cells that the access is to, if it is to whole ones. */
static enum ended whole_cells(struct run *run, const struct inst *in, const struct access_to *to, word *at) {
  const struct machine *m = run->machine;
  bool whole = address_at(m, run->state, to->object, to->byte, at) && word_is_address(*at) && !word_mark(*at);
  for (unsigned i = 0; whole && i < to->count; i++) {
    struct piece p = piece_of(run->r, in, to, i);
    word cell;
    whole = bytes_are_cell(m, run->state, to->object, p.byte, p.size) &&
            address_at(m, run->state, to->object, p.byte, &cell) && cell == *at + ((word)i << 3);
    if (whole && is_unaligned(in, to, &p))
      return step_fault(run, in, FAULT_POINTER, "the pointer is marked, or not aligned");
  }
  return whole ? GO_ON
               : step_fault(run, in, FAULT_RANGE,
                            "with weak memory, an access to a part of a variable that others can reach, or to several");
}

enum ended weak_load(struct run *run, const struct inst *in, unsigned i, word cell, word *w) {
  *w = cell;
  if (!run->machine->program->loose) return GO_ON;
  struct access_to to = {.byte = 0, .count = in->count};
  enum fault why = bytes_loaded(run->machine, piece_of(run->r, in, &to, i).scalar, cell, w);
  return why ? step_fault(run, in, why, NULL) : GO_ON;
}

word weak_store(const struct run *run, uint32_t object, uint32_t cell, word w) {
  return run->machine->program->loose ? bytes_stored(run->machine, run->state, object, cell, w) : w;
}

enum ended loose_access(struct run *run, const struct inst *in) {
  const struct machine *m = run->machine;
  struct access_to to;
  word at;
  if (!m->weak || !run->op) return loose_directly(run, in);
  enum ended bad = find_place(run, in, &to);
  if (bad != GO_ON) return bad;
  const struct object *o = &state_objects(m, run->state)[to.object];
  if (o->life == LIFE_CONSTANT || weak_is_own(o, run->thread)) return loose_directly(run, in);
  if ((in->flags & FLAG_BYTES) && (run->r[in->c] < 1 || run->r[in->c] > 8))
    return step_fault(run, in, FAULT_RANGE, "a size");
  int64_t size = object_size(m, o);
  for (unsigned i = 0; i < to.count; i++) {
    struct piece p = piece_of(run->r, in, &to, i);
    if (p.byte < 0 || p.byte + (int64_t)p.size > size) return step_fault(run, in, FAULT_BOUNDS, NULL);
  }
  bad = whole_cells(run, in, &to, &at);
  return bad == GO_ON ? m->weak->access(run, in, at) : bad;
}

enum ended loose_directly(struct run *run, const struct inst *in) {
  struct machine *m = run->machine;
  struct access_to to;
  word before[COUNT_MOST], expected[COUNT_MOST], now, *r = run->r, *after = NULL;
  enum ended bad = find_place(run, in, &to);
  if (bad != GO_ON) return bad;
  const struct object *o = &state_objects(m, run->state)[to.object];
  if (o->life == LIFE_CONSTANT && in->code != I_LOAD)
    return step_fault(run, in, FAULT_POINTER, "a constant is written");
  if ((in->flags & FLAG_BYTES) && (r[in->c] < 1 || r[in->c] > 8)) return step_fault(run, in, FAULT_RANGE, "a size");
  bool seen = (o->owner != run->thread && o->life != LIFE_CONSTANT) || o->life == LIFE_FREED, wrote = true;
  if (in->code != I_STORE) bad = load_pieces(run, in, &to, before);
  if (bad != GO_ON) return bad;
  if (in->code == I_STORE)
    for (unsigned i = 0; i < to.count; i++) before[i] = WORD_UNINITIALISED;
  switch (in->code) {
  case I_LOAD:
    wrote = false;
    memcpy(r + in->d, before, to.count * sizeof *r);
    break;
  case I_STORE:
    bad = store_pieces(run, in, &to, r + in->b, before);
    after = r + in->b;
    break;
  case I_EXCHANGE:
    bad = store_pieces(run, in, &to, r + in->b, before);
    if (m->tracer) memcpy(expected, r + in->b, to.count * sizeof *expected);
    after = expected;
    memcpy(r + in->d, before, to.count * sizeof *r);
    break;
  case I_FETCH:
    bad = fetch(run, in, &to, before, &now);
    after = &now;
    r[in->d] = before[0];
    break;
  default:
    if (m->tracer) memcpy(expected, r + in->c, to.count * sizeof *expected);
    after = r + in->b;
    bad = exchange_if(run, in, &to, before, &wrote);
    break;
  }
  if (bad != GO_ON) return bad;
  if (seen) record(run, in, &to, wrote);
  word at;
  if (m->tracer && address_at(m, run->state, to.object, to.byte, &at))
    step_trace(run, in, at, !seen, in->code == I_STORE ? NULL : before, wrote ? after : NULL,
               in->code == I_CAS ? expected : NULL, to.count);
  struct piece last = piece_of(r, in, &to, to.count - 1);
  if (m->unordered && unordered_open(m->unordered) && o->life != LIFE_CONSTANT) {
    bad = unordered_access(run, in, to.object, to.byte, last.byte + last.size, wrote);
    if (bad != GO_ON) return bad;
  }
  if (!seen || !m->races) return GO_ON;
  return step_race(run, in, to.object, to.byte, last.byte + last.size, wrote);
}

bool loose_extent(const struct machine *m, const struct machine_state *s, const word *r, const struct inst *in,
                  uint32_t *object, int64_t *from, int64_t *to) {
  struct access_to at = {.object = in->a, .byte = in->bytes, .count = in->count};
  if (!(in->flags & FLAG_GLOBAL)) {
    if (!word_is_address(r[in->a])) return false;
    at.object = word_object(r[in->a]);
    at.byte += address_byte(m, s, r[in->a]);
  }
  if (inst_locks(in)) at.count = 1;
  struct piece last = piece_of(r, in, &at, at.count - 1);
  *object = at.object;
  *from = at.byte;
  *to = last.byte + last.size;
  return true;
}

bool loose_would_exchange(const struct machine *m, const struct machine_state *s, const word *r,
                          const struct inst *in) {
  struct access_to at = {.count = in->count};
  int64_t to;
  word now;
  if (!loose_extent(m, s, r, in, &at.object, &at.byte, &to)) return false;
  for (unsigned i = 0; i < at.count; i++) {
    struct piece p = piece_of(r, in, &at, i);
    if (bytes_load(m, s, at.object, p.byte, p.size, p.scalar, &now) || now != r[in->c + i]) return false;
  }
  return true;
}

enum ended loose_mutex(struct run *run, const struct inst *in, word *at) {
  struct access_to to;
  enum ended bad = find_place(run, in, &to);
  if (bad != GO_ON) return bad;
  return address_at(run->machine, run->state, to.object, to.byte, at) ? GO_ON : step_fault(run, in, FAULT_BOUNDS, NULL);
}
