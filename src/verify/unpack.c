/* Reading packed states back (pack.c): objects are made as their contents come, with the names they have there. */
#include "verify/digits.h"

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
    o->layout = (uint32_t)((head >> 1) / LIVES_PACKED);
    o->life = (uint8_t)(LIFE_HEAP + (head >> 1) % LIVES_PACKED);
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
        u->at = get_word(u->at, &cells[i], &u->known, m->globals + 1);
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

static void get_thread(struct unpacker *u, unsigned thread) {
  struct machine *m = u->m;
  struct machine_state *s = u->s;
  struct thread *t = &s->threads[thread];
  uint64_t n;
  uint32_t before = s->objects;
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
  word *r = state_registers(m, s, thread);
  for (unsigned i = 0; i < live->count; i++) u->at = get_word(u->at, &r[registers[i]], &u->known, m->globals + 1);
  get_objects(u, (uint8_t)thread);
  for (unsigned i = 0; i < live->count; i++) disown(m, s, r[registers[i]], (uint8_t)thread);
  for (uint32_t i = before; i < s->objects; i++) {
    const struct object *o = &state_objects(m, s)[i];
    if (has_contents(m, o->life))
      for (uint32_t c = 0; c < o->count; c++) disown(m, s, state_cells(m, s)[o->first + c], (uint8_t)thread);
  }
}

void machine_unpack(struct system *system, const unsigned char *packed, size_t size, void *work) {
  struct machine *m = (struct machine *)system;
  struct machine_state *s = work;
  struct unpacker u = {.m = m, .s = s, .at = m->digits, .known = m->globals + 1};
  struct object *objects = state_objects(m, s);
  stretch(packed, size, m->digits);
  s->cells = 0;
  s->objects = m->globals;
  for (uint32_t i = 0; i < m->globals; i++) {
    const struct program_global *g = &m->program->globals[i];
    uint32_t count = m->program->layouts[g->layout].count;
    objects[i] = (struct object){.first = s->cells, .count = count, .layout = g->layout,
                                 .life = g->constant ? LIFE_CONSTANT : LIFE_GLOBAL, .owner = OWNER_SHARED};
    if (g->constant) continue;
    for (uint32_t c = 0; c < count; c++) u.at = get_word(u.at, &state_cells(m, s)[s->cells + c], &u.known, m->globals + 1);
    s->cells += count;
  }
  objects[s->objects++] = (struct object){.life = LIFE_FORGOTTEN, .owner = OWNER_SHARED};
  get_objects(&u, OWNER_SHARED);
  for (unsigned t = 0; t < system->threads; t++) get_thread(&u, t);
}
