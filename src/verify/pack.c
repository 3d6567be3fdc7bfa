/* States as bytes, the same for states that differ in nothing that matters.
 *
 *   globals | objects that can be reached from them | for each thread: where it is, live registers, objects first met there
 *
 * Objects are named by the order in which they are met (breadth first), so what malloc called them is forgotten, and what nobody can
 * reach is left out; so is garbage that cannot matter any more (garbage.c).
 *
 * Threads that do the same work may be put in any order. The order chosen is that of their records, in which objects met first by the
 * thread itself have names of their own, so that a record does not depend on the other threads; equals come in the order of the ranks
 * that their parts in the specification give them. */
#include "verify/digits.h"

struct packer {
  struct machine *m;
  const struct machine_state *s;
  unsigned char *at;
  uint32_t known;   /* objects named */
  uint32_t written; /* of those, objects whose contents are written */
  bool garbage;     /* what is written now can only be reached from threads */
};

/* Is this object, met in the contents of garbage, to be forgotten? */
static inline bool forgets(const struct packer *p, uint32_t object) {
  return p->m->held[object] != p->m->pack_count && state_objects(p->m, p->s)[object].life == LIFE_HEAP;
}

static inline void put_word(struct packer *p, word w) {
  if (!word_is_pointer(w)) {
    p->at = put_integer(p->at, w);
    return;
  }
  struct machine *m = p->m;
  uint32_t object = word_object(w), number = m->number[object], first = m->globals + 1;
  bool is_new = false;
  if (number == NUMBER_NONE) {
    if (p->garbage && forgets(p, object)) {
      number = m->globals;
    } else {
      number = m->number[object] = p->known;
      m->met[p->known++] = object;
      is_new = true;
    }
  }
  p->at = put_pointer(p->at, number, is_new, w & 0xffffff, first);
}

/* Garbage that registers hold, but only to compare it. */
static inline bool is_hollow(const struct packer *p, uint32_t object) {
  uint8_t life = state_objects(p->m, p->s)[object].life;
  return life == LIFE_HOLLOW || (life == LIFE_HEAP && !p->m->need[object]);
}

/* The objects met and not yet written: what each is, how many cells if not as many as its layout, and its cells. */
static void put_objects(struct packer *p) {
  const struct machine *m = p->m;
  const struct object *objects = state_objects(m, p->s);
  const word *cells = state_cells(m, p->s);
  for (; p->written < p->known; p->written++) {
    uint32_t object = m->met[p->written];
    const struct object *o = &objects[object];
    uint8_t life = p->garbage && is_hollow(p, object) ? LIFE_HOLLOW : o->life;
    bool many = o->count != m->program->layouts[o->layout].count;
    p->at = put_number(p->at, ((uint64_t)o->layout * LIVES_PACKED + (unsigned)(life - LIFE_HEAP)) << 1 | many);
    if (many) p->at = put_number(p->at, o->count);
    if (!has_contents(m, life)) continue;
    uint32_t keep = p->garbage && life == LIFE_HEAP ? m->need[object] : REACH_ALL;
    for (uint32_t i = 0; i < o->count; i++) {
      if (keeps_cell(keep, i))
        put_word(p, cells[o->first + i]);
      else
        *p->at++ = DIGIT_FORGOTTEN;
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
  if (p->written == p->known) return;
  p->garbage = m->options.forget;
  put_objects(p);
  p->garbage = false;
  if (!m->options.forget) return;
  for (uint32_t i = before; i < p->known; i++) /* hollow objects are this thread's alone */
    if (is_hollow(p, m->met[i])) m->number[m->met[i]] = NUMBER_NONE;
}

/* Takes back the names given from here on. */
static void forget_names(struct packer *p, uint32_t from) {
  while (p->known > from) p->m->number[p->m->met[--p->known]] = NUMBER_NONE;
  p->written = from;
}

/* A thread, to be put in order: by group, by where it is, by its record, by rank. The record is only made where it is asked for. */
struct record {
  const unsigned char *at; /* NULL: not made yet */
  uint32_t size, stop, left;
  uint8_t thread, group, rank;
  bool own; /* names objects of its own: is written again when its place is known */
};

static void make_record(struct packer *p, struct record *r) {
  if (r->at) return;
  uint32_t shared = p->known;
  r->at = p->at;
  put_thread(p, r->thread);
  r->size = (uint32_t)(p->at - r->at);
  r->own = p->known > shared;
  forget_names(p, shared);
}

static int record_order(struct packer *p, struct record *a, struct record *b) {
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  if (a->stop != b->stop) return a->stop < b->stop ? -1 : 1;
  if (a->left != b->left) return a->left < b->left ? -1 : 1;
  if (a->stop) {
    make_record(p, a);
    make_record(p, b);
    int c = memcmp(a->at, b->at, a->size < b->size ? a->size : b->size);
    if (c) return c;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
  }
  return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The threads in the order of their records. */
static void put_threads_sorted(struct packer *p, const uint8_t *rank, uint8_t *from) {
  struct machine *m = p->m;
  unsigned threads = m->system.threads;
  struct record records[THREADS_MOST];
  unsigned char *out = p->at;
  p->at = m->records;
  for (unsigned t = 0; t < threads; t++) {
    uint32_t pc = p->s->threads[t].pc;
    struct record r = {.thread = (uint8_t)t, .group = m->system.group[t], .rank = rank ? rank[t] : 0, .stop = pc ? m->stop_of[pc] : 0,
                       .left = m->options.ops ? p->s->threads[t].left : 0};
    unsigned i = t;
    for (; i > 0 && record_order(p, &r, &records[i - 1]) < 0; i--) records[i] = records[i - 1];
    records[i] = r;
  }
  p->at = out;
  for (unsigned i = 0; i < threads; i++) {
    from[i] = records[i].thread;
    if (!records[i].at || records[i].own) {
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
  if (m->options.forget) find_held(m, p->s);
}

size_t machine_pack(struct system *system, const void *work, const uint8_t *rank, unsigned char *out, uint8_t *from) {
  struct machine *m = (struct machine *)system;
  struct packer p = {.m = m, .s = work, .at = m->digits, .known = m->globals + 1, .written = m->globals + 1};
  put_shared(&p);
  if (from)
    put_threads_sorted(&p, rank, from);
  else
    for (unsigned t = 0; t < system->threads; t++) put_thread(&p, t);
  return squeeze(m->digits, (size_t)(p.at - m->digits), out);
}

size_t machine_pack_as(struct system *system, const void *work, const uint8_t *from, unsigned char *out) {
  struct machine *m = (struct machine *)system;
  struct packer p = {.m = m, .s = work, .at = m->digits, .known = m->globals + 1, .written = m->globals + 1};
  put_shared(&p);
  for (unsigned t = 0; t < system->threads; t++) put_thread(&p, from[t]);
  return squeeze(m->digits, (size_t)(p.at - m->digits), out);
}

void pack_open(struct mem *mem, struct machine *m) {
  m->number = mem_alloc(mem, m->objects_most * sizeof *m->number);
  m->met = mem_alloc(mem, m->objects_most * sizeof *m->met);
  for (uint32_t i = 0; i < m->objects_most; i++) m->number[i] = m->met[i] = i <= m->globals ? i : NUMBER_NONE;
  m->held = mem_zero(mem, m->objects_most, sizeof *m->held);
  m->need = mem_zero(mem, m->objects_most, sizeof *m->need);
  m->held_list = mem_alloc(mem, m->objects_most * sizeof *m->held_list);
  m->digits = mem_alloc(mem, m->system.packed_most * 2);
  m->records = mem_alloc(mem, m->system.packed_most * m->system.threads);
}
