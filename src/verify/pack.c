/* States as bytes, the same for states that differ in nothing that matters.
 *
 *   globals | objects that can be reached from them | for each thread: where it is, live registers, objects first met there
 *
 * Objects are named by the order in which they are met (breadth first), so what malloc called them is forgotten, and what nobody can
 * reach is left out. Numbers are written seven bits a byte.
 *
 * Garbage, what the globals do not lead to, can only be reached by threads that hold on to it, and it can lead to more garbage without end
 * (a node removed from a queue to the one removed after it, and so on). With `forget`:
 *
 * - Garbage that no register points to is forgotten: pointers to it become pointers to one object that stands for all of it. Nothing is
 *   lost by that unless such a pointer is followed, stored where others see it, or compared with another such: these are faults
 *   (FAULT_FORGOTTEN), and the search is made again without forgetting. Compared with any other pointer it is different: what the globals
 *   lead to, or a register holds, is not forgotten.
 * - Of garbage that registers point to only the cells are kept that they may lead to (reach.c); all, if it is pointed to by what is kept.
 * - Garbage of which no cell is kept is hollow. It is only ever compared, and by one thread only with what that thread holds or reads: two
 *   threads that hold the same hollow object may as well hold two.
 *
 * Objects never yet shared, freed ones and variables are kept as they are.
 *
 * Threads that do the same work may be put in any order. The order chosen is that of their records, in which objects met first by the
 * thread itself have names of their own, so that a record does not depend on the other threads; equals come in the order of the ranks
 * that their parts in the specification give them. */
#include "verify/machine_parts.h"

#define NUMBER_NONE UINT32_MAX

struct packer {
  struct machine *m;
  const struct machine_state *s;
  unsigned char *at;
  uint32_t known;   /* objects named */
  uint32_t written; /* of those, objects whose contents are written */
  bool garbage;     /* what is written now can only be reached from threads */
};

static inline unsigned char *put_number(unsigned char *at, uint64_t n) {
  while (n >= 128) {
    *at++ = (unsigned char)(n | 128);
    n >>= 7;
  }
  *at++ = (unsigned char)n;
  return at;
}

static inline const unsigned char *get_number(const unsigned char *at, uint64_t *n) {
  uint64_t v = *at & 127;
  for (unsigned shift = 7; *at++ & 128; shift += 7) v |= (uint64_t)(*at & 127) << shift;
  *n = v;
  return at;
}

/* Words: numbers, plain pointers (an object's beginning), and the rest, told apart by two bits. */
enum { WORD_NUMBER, WORD_PLAIN, WORD_NEGATIVE, WORD_OTHER };

/* Is this object, met in the contents of garbage, to be forgotten? */
static bool forgets(const struct packer *p, uint32_t object) {
  return p->m->held[object] != p->m->pack_count && state_objects(p->m, p->s)[object].life == LIFE_HEAP;
}

static inline void put_word(struct packer *p, word w) {
  if (!word_is_pointer(w)) {
    if (w >= 0)
      p->at = put_number(p->at, (uint64_t)w << 2 | WORD_NUMBER);
    else if (w == WORD_UNINITIALISED)
      p->at = put_number(p->at, WORD_OTHER);
    else
      p->at = put_number(p->at, (uint64_t)~w << 2 | WORD_NEGATIVE);
    return;
  }
  uint32_t object = word_object(w), *number = &p->m->number[object];
  if (*number == NUMBER_NONE && p->garbage && forgets(p, object)) number = &p->m->number[p->m->globals];
  if (*number == NUMBER_NONE) {
    *number = p->known;
    p->m->met[p->known++] = object;
  }
  word rest = w & 0xffffff;
  if (!rest) {
    p->at = put_number(p->at, (uint64_t)*number << 2 | WORD_PLAIN);
  } else {
    p->at = put_number(p->at, ((uint64_t)*number + 1) << 2 | WORD_OTHER);
    p->at = put_number(p->at, (uint64_t)rest);
  }
}

static inline const unsigned char *get_word(const unsigned char *at, word *w, uint32_t *most) {
  uint64_t n;
  at = get_number(at, &n);
  uint64_t v = n >> 2;
  switch (n & 3) {
  case WORD_NUMBER: *w = (word)v; return at;
  case WORD_NEGATIVE: *w = ~(word)v; return at;
  case WORD_PLAIN:
    *w = word_pointer((uint32_t)v, 0);
    if (v >= *most) *most = (uint32_t)v + 1;
    return at;
  default: break;
  }
  if (!v) {
    *w = WORD_UNINITIALISED;
    return at;
  }
  uint64_t rest;
  at = get_number(at, &rest);
  *w = word_pointer((uint32_t)v - 1, 0) | (word)rest;
  if (v > *most) *most = (uint32_t)v;
  return at;
}

/* Do its contents matter? */
static inline bool has_contents(const struct machine *m, uint8_t life) {
  return life != LIFE_ENDED && life != LIFE_HOLLOW && (life != LIFE_FREED || m->options.type_stable);
}

/* Garbage that registers hold, but only to compare it. */
static inline bool is_hollow(const struct packer *p, uint32_t object) {
  uint8_t life = state_objects(p->m, p->s)[object].life;
  return life == LIFE_HOLLOW || (life == LIFE_HEAP && !p->m->need[object]);
}

/* The objects met and not yet written. An object's head is its life and layout, and how many elements if not one. */
static void put_objects(struct packer *p) {
  const struct object *objects = state_objects(p->m, p->s);
  const word *cells = state_cells(p->m, p->s);
  for (; p->written < p->known; p->written++) {
    const struct object *o = &objects[p->m->met[p->written]];
    uint32_t one = p->m->program->layouts[o->layout].count;
    if (p->garbage && is_hollow(p, p->m->met[p->written])) {
      p->at = put_number(p->at, (uint64_t)o->layout << 4 | (uint64_t)(LIFE_HOLLOW - LIFE_HEAP) << 1 | (o->count != one));
      if (o->count != one) p->at = put_number(p->at, o->count);
      continue;
    }
    p->at = put_number(p->at, (uint64_t)o->layout << 4 | (uint64_t)(o->life - LIFE_HEAP) << 1 | (o->count != one));
    if (o->count != one) p->at = put_number(p->at, o->count);
    if (!has_contents(p->m, o->life)) continue;
    uint32_t keep = p->garbage && o->life == LIFE_HEAP ? p->m->need[p->m->met[p->written]] : REACH_ALL;
    for (uint32_t i = 0; i < o->count; i++) {
      if (keep == REACH_ALL || (i < 31 && keep >> i & 1))
        put_word(p, cells[o->first + i]);
      else
        p->at = put_number(p->at, (uint64_t)p->m->globals << 2 | WORD_PLAIN);
    }
  }
}

static void put_thread(struct packer *p, unsigned thread) {
  struct machine *m = p->m;
  uint32_t before = p->known;
  const struct thread *t = &p->s->threads[thread];
  p->at = put_number(p->at, t->pc ? m->stop_of[t->pc] : 0);
  if (m->options.ops && (!t->pc || m->options.ops > 1)) p->at = put_number(p->at, t->left);
  if (!t->pc) return;
  const struct live *live = &m->program->live[t->pc];
  const reg *registers = m->program->registers + live->first;
  const word *r = state_registers(m, p->s, thread);
  for (unsigned i = 0; i < live->count; i++) put_word(p, r[registers[i]]);
  p->garbage = m->options.forget;
  put_objects(p);
  p->garbage = false;
  if (!m->options.forget) return;
  for (uint32_t i = before; i < p->known; i++) /* hollow objects are this thread's alone */
    if (is_hollow(p, m->met[i])) m->number[m->met[i]] = NUMBER_NONE;
}

static void hold(struct machine *m, word w, uint32_t cells) {
  if (!word_is_pointer(w)) return;
  uint32_t object = word_object(w);
  if (m->held[object] != m->pack_count) m->need[object] = 0;
  m->held[object] = m->pack_count;
  m->need[object] |= word_cell(w) && cells ? REACH_ALL : cells;
}

/* What garbage that is kept points to is kept whole. */
static void hold_contents(struct packer *p, uint32_t object, bool *changed) {
  struct machine *m = p->m;
  const struct object *o = &state_objects(m, p->s)[object];
  uint32_t keep = o->life == LIFE_HEAP ? m->need[object] : REACH_ALL;
  if (!keep || !has_contents(m, o->life)) return;
  const word *cells = state_cells(m, p->s) + o->first;
  for (uint32_t i = 0; i < o->count; i++) {
    if (keep != REACH_ALL && (i >= 31 || !(keep >> i & 1))) continue;
    if (!word_is_pointer(cells[i])) continue;
    uint32_t to = word_object(cells[i]);
    if (m->number[to] != NUMBER_NONE) continue;
    uint8_t life = state_objects(m, p->s)[to].life;
    bool kept = life != LIFE_HEAP && life != LIFE_HOLLOW;
    if (m->held[to] != m->pack_count ? !kept : m->need[to] == REACH_ALL) continue;
    m->held[to] = m->pack_count;
    m->need[to] = REACH_ALL;
    *changed = true;
  }
}

/* Notes which garbage registers point to, and how much of it matters. After what the globals lead to has its names. */
static void find_held(struct packer *p) {
  struct machine *m = p->m;
  m->pack_count++;
  for (unsigned t = 0; t < m->system.threads; t++) {
    uint32_t pc = p->s->threads[t].pc;
    if (!pc) continue;
    const struct live *live = &m->program->live[pc];
    const reg *registers = m->program->registers + live->first;
    const word *r = state_registers(m, p->s, t);
    for (unsigned i = 0; i < live->count; i++)
      hold(m, r[registers[i]], m->reach ? m->reach[pc * m->reach_regs + registers[i]] : REACH_ALL);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = m->globals + 1; i < p->s->objects; i++)
      if (m->number[i] == NUMBER_NONE && m->held[i] == m->pack_count) hold_contents(p, i, &changed);
  }
}

/* Takes back the names given from here on. */
static void forget_names(struct packer *p, uint32_t from) {
  while (p->known > from) p->m->number[p->m->met[--p->known]] = NUMBER_NONE;
  p->written = from;
}

struct record {
  const unsigned char *at;
  uint32_t size;
  uint8_t thread, group, rank;
  bool own; /* names objects of its own: is written again when its place is known */
};

static int record_order(const struct record *a, const struct record *b) {
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  uint32_t n = a->size < b->size ? a->size : b->size;
  int c = memcmp(a->at, b->at, n);
  if (c) return c;
  return a->size != b->size ? (a->size < b->size ? -1 : 1) : 0;
}

/* The threads in the order of their records. */
static void put_threads_sorted(struct packer *p, const uint8_t *rank, uint8_t *from, bool *ties) {
  struct machine *m = p->m;
  unsigned threads = m->system.threads;
  struct record records[THREADS_MOST];
  unsigned char *out = p->at;
  uint32_t shared = p->known;
  p->at = m->records;
  for (unsigned t = 0; t < threads; t++) {
    struct record r = {.at = p->at, .thread = (uint8_t)t, .group = m->system.group[t], .rank = rank ? rank[t] : 0};
    put_thread(p, t);
    r.size = (uint32_t)(p->at - r.at);
    r.own = p->known > shared;
    forget_names(p, shared);
    unsigned i = t;
    for (; i > 0; i--) {
      int c = record_order(&r, &records[i - 1]);
      if (c > 0 || (c == 0 && r.rank >= records[i - 1].rank)) break;
      records[i] = records[i - 1];
    }
    records[i] = r;
  }
  p->at = out;
  if (ties) *ties = false;
  for (unsigned i = 0; i < threads; i++) {
    from[i] = records[i].thread;
    if (ties && i && records[i].rank == records[i - 1].rank && !record_order(&records[i], &records[i - 1])) *ties = true;
    if (records[i].own) {
      put_thread(p, records[i].thread);
    } else {
      memcpy(p->at, records[i].at, records[i].size);
      p->at += records[i].size;
    }
  }
}

/* Everything but the threads. */
static void put_shared(struct packer *p) {
  struct machine *m = p->m;
  const struct object *objects = state_objects(m, p->s);
  const word *cells = state_cells(m, p->s);
  for (uint32_t i = m->globals + 1; i < p->s->objects; i++) m->number[i] = NUMBER_NONE;
  for (uint32_t i = 0; i < m->globals; i++) {
    if (objects[i].life == LIFE_CONSTANT) continue;
    for (uint32_t c = 0; c < objects[i].count; c++) put_word(p, cells[objects[i].first + c]);
  }
  put_objects(p);
  if (m->options.forget) find_held(p);
}

size_t machine_pack(struct system *system, const void *work, const uint8_t *rank, unsigned char *out, uint8_t *from, bool *ties) {
  struct machine *m = (struct machine *)system;
  struct packer p = {.m = m, .s = work, .at = out, .known = m->globals + 1, .written = m->globals + 1};
  put_shared(&p);
  if (from)
    put_threads_sorted(&p, rank, from, ties);
  else
    for (unsigned t = 0; t < system->threads; t++) put_thread(&p, t);
  return (size_t)(p.at - out);
}

size_t machine_pack_as(struct system *system, const void *work, const uint8_t *from, unsigned char *out) {
  struct machine *m = (struct machine *)system;
  struct packer p = {.m = m, .s = work, .at = out, .known = m->globals + 1, .written = m->globals + 1};
  put_shared(&p);
  for (unsigned t = 0; t < system->threads; t++) put_thread(&p, from[t]);
  return (size_t)(p.at - out);
}

/* Reading back: objects are made as their contents come, with the names they have there. */
struct unpacker {
  struct machine *m;
  struct machine_state *s;
  const unsigned char *at;
  uint32_t known; /* objects named so far */
};

static void get_objects(struct unpacker *u, uint8_t owner) {
  struct machine *m = u->m;
  struct machine_state *s = u->s;
  while (s->objects < u->known) {
    uint64_t head, count;
    u->at = get_number(u->at, &head);
    struct object *o = &state_objects(m, s)[s->objects++];
    o->layout = (uint32_t)(head >> 4);
    o->life = (uint8_t)(LIFE_HEAP + (head >> 1 & 7));
    o->owner = owner;
    count = m->program->layouts[o->layout].count;
    if (head & 1) u->at = get_number(u->at, &count);
    o->count = (uint32_t)count;
    o->first = s->cells;
    s->cells += (uint32_t)count;
    word *cells = state_cells(m, s) + o->first;
    bool contents = has_contents(m, o->life);
    for (uint32_t i = 0; i < count; i++) {
      if (contents)
        u->at = get_word(u->at, &cells[i], &u->known);
      else
        cells[i] = WORD_UNINITIALISED;
    }
  }
}

/* An object that two threads reach, though the globals do not, belongs to neither; nor does what can be reached from it. */
static void disown(const struct machine *m, struct machine_state *s, word w, uint8_t thread) {
  if (!word_is_pointer(w)) return;
  struct object *o = &state_objects(m, s)[word_object(w)];
  if (o->owner == OWNER_SHARED || o->owner == thread) return;
  o->owner = OWNER_SHARED;
  if (!has_contents(m, o->life)) return;
  for (uint32_t i = 0; i < o->count; i++) disown(m, s, state_cells(m, s)[o->first + i], thread);
}

static void disown_all(const struct machine *m, struct machine_state *s, const struct object *o, uint8_t thread) {
  for (uint32_t i = 0; i < o->count; i++) disown(m, s, state_cells(m, s)[o->first + i], thread);
}

static void get_thread(struct unpacker *u, unsigned thread) {
  struct machine *m = u->m;
  struct thread *t = &u->s->threads[thread];
  uint64_t n;
  uint32_t before = u->s->objects;
  u->at = get_number(u->at, &n);
  t->pc = m->pc_of[n];
  t->left = 0;
  if (m->options.ops && (!t->pc || m->options.ops > 1)) {
    u->at = get_number(u->at, &n);
    t->left = (uint32_t)n;
  }
  if (!t->pc) return;
  const struct live *live = &m->program->live[t->pc];
  const reg *registers = m->program->registers + live->first;
  word *r = state_registers(m, u->s, thread);
  for (unsigned i = 0; i < live->count; i++) u->at = get_word(u->at, &r[registers[i]], &u->known);
  get_objects(u, (uint8_t)thread);
  for (unsigned i = 0; i < live->count; i++) disown(m, u->s, r[registers[i]], (uint8_t)thread);
  for (uint32_t i = before; i < u->s->objects; i++) disown_all(m, u->s, &state_objects(m, u->s)[i], (uint8_t)thread);
}

void machine_unpack(struct system *system, const unsigned char *packed, size_t size, void *work) {
  struct machine *m = (struct machine *)system;
  struct machine_state *s = work;
  struct unpacker u = {.m = m, .s = s, .at = packed, .known = m->globals + 1};
  struct object *objects = state_objects(m, s);
  (void)size;
  s->cells = 0;
  s->objects = m->globals;
  for (uint32_t i = 0; i < m->globals; i++) {
    const struct program_global *g = &m->program->globals[i];
    uint32_t count = m->program->layouts[g->layout].count;
    objects[i] = (struct object){.first = s->cells, .count = count, .layout = g->layout,
                                 .life = g->constant ? LIFE_CONSTANT : LIFE_GLOBAL, .owner = OWNER_SHARED};
    if (g->constant) continue;
    for (uint32_t c = 0; c < count; c++) u.at = get_word(u.at, &state_cells(m, s)[s->cells + c], &u.known);
    s->cells += count;
  }
  objects[s->objects++] = (struct object){.life = LIFE_FORGOTTEN, .owner = OWNER_SHARED};
  get_objects(&u, OWNER_SHARED);
  for (unsigned t = 0; t < system->threads; t++) get_thread(&u, t);
}

void pack_open(struct mem *mem, struct machine *m) {
  m->number = mem_alloc(mem, m->objects_most * sizeof *m->number);
  m->met = mem_alloc(mem, m->objects_most * sizeof *m->met);
  for (uint32_t i = 0; i < m->objects_most; i++) m->number[i] = m->met[i] = i <= m->globals ? i : NUMBER_NONE;
  m->held = mem_zero(mem, m->objects_most, sizeof *m->held);
  m->need = mem_zero(mem, m->objects_most, sizeof *m->need);
  m->records = mem_alloc(mem, m->system.packed_most * m->system.threads);
}
