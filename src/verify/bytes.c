/* Memory as bytes (bytes.h). */
#include "verify/bytes.h"

static const struct layout *layout_of(const struct machine *m, const struct object *o) {
  return &m->program->layouts[o->layout];
}

static bool dissolved(const struct object *o) { return o->extra & 1; }

/* Where a cell of a layout begins. */
static uint32_t cell_byte(const struct layout *l, uint32_t cell) {
  uint32_t repeats = l->count - l->head;
  if (cell < l->head) return l->cells[cell].offset;
  if (!repeats) return l->head_size;
  return l->head_size + (cell - l->head) / repeats * l->stride + l->cells[l->head + (cell - l->head) % repeats].offset;
}

static const struct cell *cell_of(const struct layout *l, uint32_t cell) {
  uint32_t repeats = l->count - l->head;
  return cell < l->head || !repeats ? &l->cells[cell] : &l->cells[l->head + (cell - l->head) % repeats];
}

/* The last cell that begins at this byte or before. */
static uint32_t cell_at(const struct layout *l, uint32_t byte) {
  uint32_t from = 0, to = l->head, first = 0;
  if (byte >= l->head_size && l->count > l->head) {
    uint32_t element = (byte - l->head_size) / l->stride;
    byte = (byte - l->head_size) % l->stride;
    from = l->head;
    to = l->count;
    first = element * (l->count - l->head);
  }
  while (to - from > 1) {
    uint32_t middle = from + (to - from) / 2;
    if (l->cells[middle].offset <= byte)
      from = middle;
    else
      to = middle;
  }
  return first + from;
}

uint32_t object_size(const struct machine *m, const struct object *o) {
  const struct layout *l = layout_of(m, o);
  if (dissolved(o)) return o->count;
  uint32_t repeats = l->count - l->head, slack = o->extra >> 1;
  if (o->count < l->head || !repeats || (o->count - l->head) % repeats)
    return (o->count ? cell_byte(l, o->count - 1) + cell_of(l, o->count - 1)->size : 0) + slack;
  return l->head_size + (o->count - l->head) / repeats * l->stride + slack;
}

uint32_t object_align(const struct machine *m, const struct object *o) {
  uint32_t align = layout_of(m, o)->align;
  bool heap = is_allocated(o) || o->life == LIFE_HOLLOW || o->life == LIFE_FREED;
  return heap && align < 16 ? 16 : align ? align : 1;
}

int64_t address_byte(const struct machine *m, const struct machine_state *s, word w) {
  const struct object *o = &state_objects(m, s)[word_object(w)];
  uint32_t cell = word_cell(w);
  if (m->program->loose && (cell & CELL_PAST)) return (int64_t)(cell & (CELL_PAST - 1)) - CELL_BIAS;
  cell &= ~(uint32_t)CELL_PAST;
  if (dissolved(o)) return cell;
  const struct layout *l = layout_of(m, o);
  if (!l->count) return word_mark(w);
  return (int64_t)(cell == o->count ? object_size(m, o) : cell_byte(l, cell)) + word_mark(w);
}

bool address_at(const struct machine *m, const struct machine_state *s, uint32_t object, int64_t byte, word *out) {
  const struct object *o = &state_objects(m, s)[object];
  const struct layout *l = layout_of(m, o);
  uint32_t size = object_size(m, o);
  if (o->life == LIFE_FORGOTTEN) return false;
  if (byte >= 0 && byte <= size && (dissolved(o) || l->count || !byte)) {
    if (dissolved(o) || byte == size) {
      *out = word_pointer(object, dissolved(o) ? (uint32_t)byte : o->count);
      return true;
    }
    uint32_t cell = cell_at(l, (uint32_t)byte), into = (uint32_t)byte - cell_byte(l, cell);
    if (into < 8 && cell < o->count) {
      *out = word_pointer(object, cell) | (word)into;
      return true;
    }
  }
  if (byte < -CELL_BIAS || byte >= CELL_BIAS) return false;
  *out = word_pointer(object, (uint32_t)(byte + CELL_BIAS) | CELL_PAST);
  return true;
}

static word *cells_of(const struct machine *m, const struct machine_state *s, uint32_t object) {
  const struct object *o = &state_objects(m, s)[object];
  return o->life == LIFE_CONSTANT ? m->program->globals[object].init : state_cells(m, s) + o->first;
}

/* A constant's pointers are as they were when the search began: the object may have been dissolved since then. */
static word refreshed(const struct machine *m, const struct machine_state *s, uint32_t object, word w) {
  if (!word_is_pointer(w) || state_objects(m, s)[object].life != LIFE_CONSTANT) return w;
  const struct object *to = &state_objects(m, s)[word_object(w)];
  const struct layout *l = layout_of(m, to);
  uint32_t cell = word_cell(w);
  if (!dissolved(to) || (cell & CELL_PAST)) return w;
  uint32_t byte = cell == l->count ? l->head_size + l->stride : cell_byte(l, cell);
  return (w & ~(word)0xffffff) | (word)(byte + word_mark(w)) << 3;
}

/* The bytes of one cell. */
static bool bytes_of_cell(const struct machine *m, const struct machine_state *s, uint32_t object, uint32_t cell,
                          word bytes[8]) {
  const struct object *o = &state_objects(m, s)[object];
  word w = refreshed(m, s, object, cells_of(m, s, object)[cell]);
  if (dissolved(o)) {
    bytes[0] = w;
    return true;
  }
  const struct cell *c = cell_of(layout_of(m, o), cell);
  return !c->scalar.mutex && c->size <= 8 && word_to_bytes(m->program->wides, w, c->size, bytes);
}

/* A cell of exactly these bytes; UINT32_MAX: there is none. */
static uint32_t whole_cell(const struct machine *m, const struct object *o, int64_t byte, unsigned size) {
  if (byte < 0 || byte >= object_size(m, o)) return UINT32_MAX;
  if (dissolved(o)) return size == 1 ? (uint32_t)byte : UINT32_MAX;
  const struct layout *l = layout_of(m, o);
  uint32_t cell = cell_at(l, (uint32_t)byte);
  if (cell >= o->count || cell_byte(l, cell) != byte) return UINT32_MAX;
  const struct cell *c = cell_of(l, cell);
  return size ? (c->size == size && !c->scalar.mutex ? cell : UINT32_MAX) : c->scalar.mutex ? cell : UINT32_MAX;
}

/* One byte of the object, wherever it is; of padding, WORD_MIXED. */
static bool byte_at(const struct machine *m, const struct machine_state *s, uint32_t object, uint32_t byte, word *out) {
  const struct object *o = &state_objects(m, s)[object];
  word bytes[8];
  uint32_t cell = dissolved(o) ? byte : cell_at(layout_of(m, o), byte);
  uint32_t into = dissolved(o) ? 0 : byte - cell_byte(layout_of(m, o), cell);
  *out = WORD_MIXED;
  if (cell >= o->count || (!dissolved(o) && into >= cell_of(layout_of(m, o), cell)->size)) return true;
  if (!bytes_of_cell(m, s, object, cell, bytes)) return false;
  *out = bytes[into];
  return true;
}

static enum fault loaded(struct wides *t, struct scalar scalar, word w, word *out) {
  if (scalar.bits == 1 && !word_is_unset(w) && w != 0 && w != 1) return FAULT_ADDRESS; /* no value of a _Bool */
  *out = word_as(t, scalar, w);
  return FAULT_NONE;
}

enum fault bytes_loaded(const struct machine *m, struct scalar scalar, word cell, word *out) {
  return loaded(m->program->wides, scalar, cell, out);
}

word bytes_stored(const struct machine *m, const struct machine_state *s, uint32_t object, uint32_t cell, word w) {
  const struct object *o = &state_objects(m, s)[object];
  struct scalar scalar = dissolved(o) ? (struct scalar){.bits = 8} : cell_of(layout_of(m, o), cell)->scalar;
  return word_as(m->program->wides, scalar, w);
}

enum fault bytes_load(const struct machine *m, const struct machine_state *s, uint32_t object, int64_t byte,
                      unsigned size, struct scalar scalar, word *out) {
  const struct object *o = &state_objects(m, s)[object];
  uint32_t cell = whole_cell(m, o, byte, size);
  if (cell != UINT32_MAX)
    return loaded(m->program->wides, scalar, refreshed(m, s, object, cells_of(m, s, object)[cell]), out);
  if (byte < 0 || byte + (int64_t)size > object_size(m, o)) return FAULT_BOUNDS;
  word bytes[8], w;
  if (!size || size > 8) return FAULT_ADDRESS;
  for (unsigned i = 0; i < size; i++)
    if (!byte_at(m, s, object, (uint32_t)byte + i, &bytes[i])) return FAULT_ADDRESS;
  if (!word_of_bytes(m->program->wides, bytes, size, &w)) return FAULT_ADDRESS;
  return loaded(m->program->wides, scalar, w, out);
}

/* Some bytes of a cell anew. */
static enum fault store_part(const struct machine *m, struct machine_state *s, uint32_t object, uint32_t cell,
                             unsigned from, unsigned count, const word *values) {
  const struct object *o = &state_objects(m, s)[object];
  const struct cell *c = cell_of(layout_of(m, o), cell);
  word bytes[8], w;
  if (!bytes_of_cell(m, s, object, cell, bytes)) return c->scalar.mutex ? FAULT_ADDRESS : FAULT_DISSOLVE;
  memcpy(bytes + from, values, count * sizeof *bytes);
  if (!word_of_bytes(m->program->wides, bytes, c->size, &w) || (word_is_part(w) && c->size > 1)) return FAULT_DISSOLVE;
  cells_of(m, s, object)[cell] = word_as(m->program->wides, c->scalar, w);
  return FAULT_NONE;
}

enum fault bytes_store(const struct machine *m, struct machine_state *s, uint32_t object, int64_t byte, unsigned size,
                       word w) {
  const struct object *o = &state_objects(m, s)[object];
  const struct layout *l = layout_of(m, o);
  uint32_t cell = whole_cell(m, o, byte, size);
  if (cell != UINT32_MAX) {
    cells_of(m, s, object)[cell] = bytes_stored(m, s, object, cell, w);
    return FAULT_NONE;
  }
  if (byte < 0 || byte + (int64_t)size > object_size(m, o)) return FAULT_BOUNDS;
  word bytes[8];
  if (!size || size > 8 || !word_to_bytes(m->program->wides, w, size, bytes)) return FAULT_ADDRESS;
  for (unsigned i = 0, count; i < size; i += count) {
    uint32_t at = (uint32_t)byte + i;
    count = 1;
    if (dissolved(o)) {
      cells_of(m, s, object)[at] = bytes[i];
      continue;
    }
    cell = cell_at(l, at);
    uint32_t into = at - cell_byte(l, cell);
    if (cell >= o->count) return FAULT_DISSOLVE; /* behind the last whole cell */
    const struct cell *c = cell_of(l, cell);
    if (into >= c->size) continue; /* padding */
    count = c->size - into < size - i ? c->size - into : size - i;
    enum fault why = store_part(m, s, object, cell, into, count, bytes + i);
    if (why) return why;
  }
  return FAULT_NONE;
}

bool bytes_are_cell(const struct machine *m, const struct machine_state *s, uint32_t object, int64_t byte,
                    unsigned size) {
  return whole_cell(m, &state_objects(m, s)[object], byte, size) != UINT32_MAX;
}

/* A pointer to the object, as one to its bytes. */
static void readdress(const struct machine *m, const struct machine_state *s, uint32_t object, word *w) {
  if (!word_is_pointer(*w) || word_object(*w) != object || (word_cell(*w) & CELL_PAST)) return;
  *w = (*w & ~(word)0xffffff) | (word)address_byte(m, s, *w) << 3;
}

bool bytes_dissolve(const struct machine *m, struct machine_state *s, uint32_t object, word *a, unsigned a_count,
                    word *b, unsigned b_count, word *c, unsigned c_count) {
  struct object *o = &state_objects(m, s)[object];
  uint32_t size = object_size(m, o), first = s->cells;
  word *cells = state_cells(m, s);
  if (s->cells + (uint64_t)size > m->cells_most) return false;
  for (uint32_t i = 0; i < size; i++)
    if (!byte_at(m, s, object, i, &cells[first + i])) return false;
  for (unsigned t = 0; t < m->system.threads; t++)
    for (unsigned r = 0; r < m->regs; r++) readdress(m, s, object, &state_registers(m, s, t)[r]);
  for (unsigned i = 0; i < a_count; i++) readdress(m, s, object, &a[i]);
  for (unsigned i = 0; i < b_count; i++) readdress(m, s, object, &b[i]);
  for (unsigned i = 0; i < c_count; i++) readdress(m, s, object, &c[i]);
  s->cells += size;
  for (uint32_t i = 0; i < s->cells; i++) readdress(m, s, object, &cells[i]);
  o->first = first;
  o->count = size;
  o->extra |= 1;
  s->shared = s->unpacked = 0;
  s->moved = UINT32_MAX;
  return true;
}
