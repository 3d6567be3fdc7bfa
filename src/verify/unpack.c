/* Reading packed states back (pack.c): objects are made as their contents come, with the names they have there. */
#include "verify/digits.h"
#include "verify/weak.h"

struct unpacker {
  struct machine *m;
  struct machine_state *s;
  const unsigned char *at;
  uint32_t known;   /* objects named so far */
  uint32_t garbage; /* objects from here on are those the globals do not lead to */
  bool again;       /* garbage was named that was named before, or not plainly */
  word *others;     /* what is read of a model of weak memory */
  unsigned other_count;
};

const unsigned char *get_wide(const struct machine *m, const unsigned char *at, word *w) {
  uint64_t n;
  at = get_number(at, &n);
  *w = wides_put(m->program->wides, (int64_t)n);
  return at;
}

const unsigned char *get_term(const struct machine *m, const unsigned char *at, word *w) {
  uint32_t term;
  at = term_get(m->terms, at, &term);
  *w = word_of_term(word_object(*w), term);
  return at;
}

static inline __attribute__((always_inline)) const unsigned char *
get_noted(const struct unpacker *u, const unsigned char *at, word *to, uint32_t *known, bool *again) {
  bool is_new = *at == DIGIT_NEW;
  word w = *at;
  if (w <= DIGIT_SMALL_MOST) {
    *to = w;
    return at + 1;
  }
  at = get_word(u->m, at, &w, known);
  *again |= !is_new && word_is_pointer(w) && word_object(w) >= u->garbage;
  *to = w;
  return at;
}

/* As put_more. */
static const unsigned char *get_more(struct unpacker *u, const unsigned char *at, uint32_t object, struct object *o) {
  const struct machine *m = u->m;
  uint64_t n;
  if (m->program->loose) {
    at = get_number(at, &n);
    o->extra = (uint16_t)n;
  }
  if (m->terms) at = get_known(m, at, &state_known(m, u->s)[object]);
  if (m->terms && m->stores_places && o->life == LIFE_ENDED) {
    at = get_number(at, &n);
    state_known(m, u->s)[object].maker = (uint8_t)n;
  }
  return at;
}

static void get_objects(struct unpacker *u, uint8_t owner) {
  const struct machine *m = u->m;
  const unsigned char *at = u->at;
  uint32_t known = u->known, first = u->s->cells;
  bool again = u->again;
  struct object *objects = state_objects(m, u->s);
  word *cells = state_cells(m, u->s);
  uint32_t object = u->s->objects;
  for (; object < known; object++) {
    uint64_t head, count;
    at = get_number(at, &head);
    struct object o = head < HEADS ? m->heads[head] : object_of_head(m, head);
    if (head & 1) {
      at = get_number(at, &count);
      o.count = (uint32_t)count;
    }
    if (!m->plain) at = get_more(u, at, object, &o);
    o.first = first;
    o.owner = owner;
    objects[object] = o;
    uint32_t end = first + o.count;
    if (has_contents(m, o.life))
      for (; first < end; first++) at = get_noted(u, at, &cells[first], &known, &again);
    else
      for (; first < end; first++) cells[first] = WORD_UNINITIALISED;
  }
  u->at = at;
  u->known = known;
  u->again = again;
  u->s->objects = object;
  u->s->cells = first;
}

/* An object that two threads reach, though the globals do not, belongs to neither; nor does what can be reached from
 * it. */
static void disown(const struct machine *m, struct machine_state *s, word w, uint8_t thread) {
  if (!word_is_pointer(w)) return;
  struct object *o = &state_objects(m, s)[word_object(w)];
  if (o->owner == OWNER_SHARED || o->owner == thread) return;
  o->owner = OWNER_SHARED;
  if (!has_contents(m, o->life)) return;
  for (uint32_t i = 0; i < o->count; i++) disown(m, s, state_cells(m, s)[o->first + i], thread);
}

/* A word that the thread can read: 0 if it does not point to what the globals do not lead to, 1 if it does so plainly:
 * packed as it is wherever the record stands, if it is the only one that does; else 2. */
static inline uint32_t look_at(const struct unpacker *u, word w, unsigned thread) {
  if (!word_is_pointer(w) || word_object(w) < u->m->last.objects) return 0;
  disown(u->m, u->s, w, (uint8_t)thread);
  return w == word_pointer(word_object(w), 0) ? 1 : 2;
}

/* All words of the thread: the sum. It is the number of the thread's own objects if each is pointed to once, plainly,
 * and no other's is. */
static uint32_t look_through(const struct unpacker *u, unsigned thread, uint32_t first_object) {
  const struct machine *m = u->m;
  const struct live *live = &m->program->live[u->s->threads[thread].pc];
  const reg *registers = m->program->registers + live->first;
  const word *r = state_registers(m, u->s, thread);
  uint32_t found = 0;
  for (unsigned i = 0; i < m->own_words; i++) found += look_at(u, state_own(m, u->s, thread)[i], thread);
  for (unsigned i = 0; i < live->count; i++) found += look_at(u, r[registers[i]], thread);
  for (uint32_t i = first_object; i < u->s->objects; i++) {
    const struct object *o = &state_objects(m, u->s)[i];
    const word *cells = state_cells(m, u->s) + o->first;
    if (!has_contents(m, o->life)) continue;
    for (uint32_t c = 0; c < o->count; c++) found += look_at(u, cells[c], thread);
  }
  return found;
}

static void get_registers(struct unpacker *u, unsigned thread) {
  struct machine *m = u->m;
  const struct live *live = &m->program->live[u->s->threads[thread].pc];
  const reg *registers = m->program->registers + live->first;
  word *r = state_registers(m, u->s, thread);
  const unsigned char *at = u->at;
  uint32_t known = u->known;
  bool again = false;
  for (unsigned i = 0; i < m->own_words; i++) at = get_noted(u, at, &state_own(m, u->s, thread)[i], &known, &again);
  if (m->weak && m->weak->get_thread) {
    u->known = known;
    at = m->weak->get_thread(u, at, thread);
    known = u->known;
  }
  for (unsigned i = 0; i < live->count; i++) at = get_noted(u, at, &r[registers[i]], &known, &again);
  u->at = at;
  u->known = known;
  u->again = again;
}

static void get_thread(struct unpacker *u, unsigned thread) {
  struct machine *m = u->m;
  struct unpacked *last = &m->last;
  struct thread *t = &u->s->threads[thread];
  uint64_t n;
  uint32_t before = u->s->objects;
  last->records[thread].at = u->at;
  u->at = get_number(u->at, &n);
  t->pc = m->pc_of[n];
  t->left = 0;
  if (m->options.ops && (!t->pc || m->options.ops > 1)) {
    u->at = get_number(u->at, &n);
    t->left = (uint32_t)n;
  }
  bool buffers = m->weak && m->weak->get_thread;
  if (t->pc || m->own_words || buffers) {
    get_registers(u, thread);
    get_objects(u, (uint8_t)thread);
    if (u->again) /* else all its objects were named once, plainly, and no other's */
      last->apart &= look_through(u, thread, before) == u->s->objects - before;
  }
  last->records[thread].size = (uint32_t)(u->at - last->records[thread].at);
  last->records[thread].first = before;
  last->records[thread].objects = u->s->objects - before;
}

/* What the globals lead to. */
static void get_shared(struct unpacker *u) {
  struct machine *m = u->m;
  struct machine_state *s = u->s;
  struct object *objects = state_objects(m, s);
  s->cells = 0;
  s->objects = m->globals;
  for (uint32_t i = 0; i < m->globals; i++) {
    const struct program_global *g = &m->program->globals[i];
    uint32_t count = m->program->layouts[g->layout].count;
    objects[i] = (struct object){.first = s->cells,
                                 .count = count,
                                 .layout = g->layout,
                                 .life = g->constant ? LIFE_CONSTANT : LIFE_GLOBAL,
                                 .owner = OWNER_SHARED};
    if (m->terms) u->at = get_known(m, u->at, &state_known(m, s)[i]);
    if (g->constant) continue;
    if (m->program->loose) {
      uint64_t bytes;
      u->at = get_number(u->at, &bytes);
      if (bytes) objects[i].count = count = (uint32_t)bytes, objects[i].extra = 1;
    }
    for (uint32_t c = 0; c < count; c++) u->at = get_word(m, u->at, &state_cells(m, s)[s->cells + c], &u->known);
    s->cells += count;
  }
  if (m->terms) state_known(m, s)[s->objects] = (struct known){0};
  objects[s->objects++] = (struct object){.life = LIFE_FORGOTTEN, .owner = OWNER_SHARED};
  get_objects(u, OWNER_SHARED);
}

/* Is it the shared part of what was unpacked last? Packed ones are never the beginnings of others. */
static bool is_shared_again(const struct unpacked *last, const unsigned char *packed, size_t size) {
  uint32_t bytes = last->digit_count / 2;
  if (size <= bytes || memcmp(packed, last->bytes, bytes)) return false;
  return !(last->digit_count & 1) || (packed[bytes] & 15) == last->bytes[bytes];
}

static void keep_shared(struct unpacked *last, const struct machine_state *s, const unsigned char *packed,
                        uint32_t digit_count) {
  uint32_t bytes = digit_count / 2;
  last->shared = last->number;
  last->objects = s->objects;
  last->cells = s->cells;
  last->digit_count = digit_count;
  memcpy(last->bytes, packed, bytes);
  if (digit_count & 1) last->bytes[bytes] = packed[bytes] & 15;
}

static void get_order(struct unpacker *u) {
  struct known *known = state_known(u->m, u->s);
  uint64_t count, object;
  u->at = get_number(u->at, &count);
  for (uint16_t rank = 1; rank <= count; rank++) {
    u->at = get_number(u->at, &object);
    known[object].rank = rank;
  }
}

void machine_unpack(struct system *system, const unsigned char *packed, size_t size, void *work) {
  struct machine *m = (struct machine *)system;
  struct machine_state *s = work;
  struct unpacked *last = &m->last;
  struct unpacker u = {.m = m, .s = s, .at = last->digits, .known = m->globals + 1, .garbage = UINT32_MAX};
  last->number++;
  if (!m->terms && s->shared && s->shared == last->shared && is_shared_again(last, packed, size)) {
    uint32_t bytes = last->digit_count / 2;
    stretch(packed + bytes, size - bytes, last->digits);
    u.at += last->digit_count & 1;
    u.known = s->objects = last->objects;
    s->cells = last->cells;
  } else {
    stretch(packed, size, last->digits);
    get_shared(&u);
    keep_shared(last, s, packed, (uint32_t)(u.at - last->digits));
  }
  s->unpacked = last->number;
  s->shared = m->weak ? 0 : last->shared;
  s->moved = 0;
  last->apart = true;
  u.garbage = last->objects;
  word others[WEAK_WORDS];
  u.others = others;
  for (unsigned t = 0; t < system->threads; t++) get_thread(&u, t);
  if (m->weak && m->weak->get_rest) u.at = m->weak->get_rest(&u, u.at);
  for (unsigned i = 0; i < u.other_count; i++) disown(m, s, others[i], OWNER_SHARED);
  if (m->terms) get_order(&u);
}

struct machine *unpacker_machine(const struct unpacker *u) {
  return u->m;
}
struct machine_state *unpacker_state(const struct unpacker *u) {
  return u->s;
}
const unsigned char *unpacker_word(struct unpacker *u, const unsigned char *at, word *w) {
  at = get_word(u->m, at, w, &u->known);
  u->others[u->other_count++] = *w;
  return at;
}
const unsigned char *unpacker_objects(struct unpacker *u, const unsigned char *at) {
  u->at = at;
  get_objects(u, OWNER_SHARED);
  return u->at;
}
