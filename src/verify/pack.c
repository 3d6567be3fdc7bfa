/* States as bytes, the same for states that differ in nothing that matters.
 *
 *   globals | objects that can be reached from them | for each thread: where it is, live registers, objects first met
 * there
 *
 * Objects are named by the order in which they are met (breadth first), so what malloc called them is forgotten, and
 * what nobody can reach is left out; so is garbage that cannot matter any more (garbage.c).
 *
 * Threads that do the same work may be put in any order. The order chosen is that of their records, in which objects
 * met first by the thread itself have names of their own, so that a record does not depend on the other threads; equals
 * come in the order of the ranks that their parts in the specification give them.
 *
 * A state that was unpacked and moved on from is like the one before in most parts (struct unpacked). What the globals
 * lead to is packed as it was, unless the move wrote there; and then the threads that did not move have the records
 * they had. */
#include "verify/digits.h"
#include "verify/weak.h"

struct packer {
  struct machine *m;
  const struct machine_state *s;
  uint32_t known;         /* objects named */
  uint32_t written;       /* of those, objects whose contents are written */
  bool garbage;           /* what is written now can only be reached from threads */
  unsigned char *records; /* where the next record goes that is made to be compared */
  uint32_t as_before;     /* the threads whose records are as they were unpacked, a bit each */
};

/* Whatever puts digits takes where they go, and returns where the next ones do. */

/* Is this object, met in the contents of garbage, to be forgotten? */
static inline bool forgets(const struct packer *p, uint32_t object) {
  return p->m->held[object] != p->m->pack_count && state_objects(p->m, p->s)[object].life == LIFE_HEAP;
}

static unsigned char *put_long_word(struct packer *p, unsigned char *at, word w) {
  if (!word_is_pointer(w)) return put_integer(p->m, at, w);
  struct machine *m = p->m;
  uint32_t object = word_object(w), number = name_of(m, object), first = m->globals + 1;
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
  if (m->terms && word_is_term(w)) {
    at = put_pointer(at, number, is_new, word_rest(word_of_term(0, 0)), first);
    return term_put(m->terms, word_term(w), at);
  }
  return put_pointer(at, number, is_new, word_rest(w), first);
}

static inline unsigned char *put_word(struct packer *p, unsigned char *at, word w) {
  if (w >= 0 && w <= DIGIT_SMALL_MOST) {
    *at++ = (unsigned char)w;
    return at;
  }
  uint32_t first = p->m->globals + 1;
  if (w >= word_pointer(first, 0) && word_is_cell(w) && !word_cell(w)) {
    uint32_t number = name_of(p->m, word_object(w)) - first;
    if (number <= DIGIT_OBJECT_MOST - DIGIT_OBJECT) { /* one of the first objects, met before */
      *at++ = (unsigned char)(DIGIT_OBJECT + number);
      return at;
    }
  }
  return put_long_word(p, at, w);
}

/* Garbage that registers hold, but only to compare it. */
static inline bool is_hollow(const struct packer *p, uint32_t object) {
  uint8_t life = state_objects(p->m, p->s)[object].life;
  return life == LIFE_HOLLOW || (life == LIFE_HEAP && !p->m->need[object]);
}

/* What there is to say of an object besides. */
static unsigned char *put_more(struct packer *p, unsigned char *at, uint32_t object, uint8_t life) {
  const struct machine *m = p->m;
  if (m->program->loose) at = put_number(at, state_objects(m, p->s)[object].extra);
  if (m->terms) at = put_known(m, at, &state_known(m, p->s)[object]);
  if (m->terms && m->stores_places && life == LIFE_ENDED) at = put_number(at, state_known(m, p->s)[object].maker);
  return at;
}

/* The objects met and not yet written: what each is, how many cells if not as many as its layout, and its cells. */
static unsigned char *put_objects(struct packer *p, unsigned char *at) {
  const struct machine *m = p->m;
  const struct object *objects = state_objects(m, p->s);
  const word *cells = state_cells(m, p->s);
  for (; p->written < p->known; p->written++) {
    uint32_t object = m->met[p->written];
    const struct object *o = &objects[object];
    uint8_t life = p->garbage && is_hollow(p, object) ? LIFE_HOLLOW : o->life;
    bool many = o->count != m->program->layouts[o->layout].count;
    at = put_number(at, ((uint64_t)o->layout * m->lives + (unsigned)(life - LIFE_HEAP)) << 1 | many);
    if (many) at = put_number(at, o->count);
    if (!m->plain) at = put_more(p, at, object, life);
    if (!has_contents(m, life)) continue;
    uint32_t keep = p->garbage && life == LIFE_HEAP ? m->need[object] : REACH_ALL;
    for (uint32_t i = 0; i < o->count; i++) {
      if (keeps_cell(keep, i))
        at = put_word(p, at, cells[o->first + i]);
      else
        *at++ = DIGIT_FORGOTTEN;
    }
  }
  return at;
}

/* As it was unpacked. Nobody else names its objects. */
static unsigned char *put_record_before(struct packer *p, unsigned char *at, const struct kept_record *kept) {
  for (uint32_t i = 0; i < kept->size; i += 8) memcpy(at + i, kept->at + i, 8); /* they are short, and there is room */
  p->written = p->known += kept->objects;
  return at + kept->size;
}

static unsigned char *put_new_record(struct packer *p, unsigned char *at, unsigned thread) {
  struct machine *m = p->m;
  uint32_t before = p->known;
  const struct thread *t = &p->s->threads[thread];
  at = put_number(at, t->pc ? m->stop_of[t->pc] : 0);
  if (m->options.ops && (!t->pc || m->options.ops > 1)) at = put_number(at, t->left);
  for (unsigned i = 0; i < m->own_words; i++) at = put_word(p, at, state_own(m, p->s, thread)[i]);
  bool buffers = m->weak && m->weak->put_thread;
  if (buffers) at = m->weak->put_thread(p, at, thread);
  if (!t->pc && !m->own_words && !buffers) return at;
  const struct live *live = &m->program->live[t->pc]; /* nothing between operations */
  const reg *registers = m->program->registers + live->first;
  const word *r = state_registers(m, p->s, thread);
  for (unsigned i = 0; i < live->count; i++) at = put_word(p, at, r[registers[i]]);
  if (p->written == p->known) return at;
  p->garbage = m->options.forget;
  at = put_objects(p, at);
  p->garbage = false;
  if (!m->options.forget) return at;
  for (uint32_t i = before; i < p->known; i++) /* hollow objects are this thread's alone */
    if (is_hollow(p, m->met[i])) m->number[m->met[i]] = NUMBER_NONE;
  return at;
}

static inline unsigned char *put_thread(struct packer *p, unsigned char *at, unsigned thread) {
  return p->as_before >> thread & 1 ? put_record_before(p, at, &p->m->last.records[thread])
                                    : put_new_record(p, at, thread);
}

/* Takes back the names given from here on. */
static void forget_names(struct packer *p, uint32_t from) {
  while (p->known > from) p->m->number[p->m->met[--p->known]] = NUMBER_NONE;
  p->written = from;
}

/* A thread, to be put in order: by group, by where it is, by its record, by rank. The record is only made where it is
 * asked for. */
struct record {
  const unsigned char *at; /* NULL: not made yet */
  uint32_t size, stop, left;
  uint8_t thread, group;
  bool own; /* names objects of its own: is written again when its place is known */
};

static void make_record(struct packer *p, struct record *r) {
  uint32_t shared = p->known;
  if (r->at) return;
  if (p->as_before >> r->thread & 1) {
    r->at = p->m->last.records[r->thread].at;
    r->size = p->m->last.records[r->thread].size;
    r->own = true;
    return;
  }
  r->at = p->records;
  p->records = put_new_record(p, p->records, r->thread);
  r->size = (uint32_t)(p->records - r->at);
  r->own = p->known > shared;
  forget_names(p, shared);
}

static int record_order(struct packer *p, struct record *a, struct record *b, const struct ranks *ranks) {
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  if (a->stop != b->stop) return a->stop < b->stop ? -1 : 1;
  if (a->left != b->left) return a->left < b->left ? -1 : 1;
  if (a->stop || p->m->own_words || (p->m->weak && p->m->weak->put_thread)) {
    make_record(p, a);
    make_record(p, b);
    int c = memcmp(a->at, b->at, a->size < b->size ? a->size : b->size);
    if (c) return c;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
  }
  if (!ranks) return 0;
  const uint8_t *rank = ranks->of(ranks->self, ranks->set);
  return (rank[a->thread] > rank[b->thread]) - (rank[a->thread] < rank[b->thread]);
}

/* The threads in the order of their records. */
static unsigned char *put_threads_sorted(struct packer *p, unsigned char *at, const struct ranks *ranks,
                                         uint8_t *from) {
  struct machine *m = p->m;
  unsigned threads = m->system.threads;
  struct record records[THREADS_MOST];
  for (unsigned t = 0; t < threads; t++) {
    uint32_t pc = p->s->threads[t].pc;
    struct record *r = &records[t];
    *r = (struct record){.thread = (uint8_t)t,
                         .group = m->system.group[t],
                         .stop = pc ? m->stop_of[pc] : 0,
                         .left = m->options.ops ? p->s->threads[t].left : 0};
    unsigned i = t;
    for (; i > 0 && record_order(p, r, &records[from[i - 1]], ranks) < 0; i--) from[i] = from[i - 1];
    from[i] = (uint8_t)t;
  }
  for (unsigned i = 0; i < threads; i++) {
    const struct record *r = &records[from[i]];
    if (!r->at || r->own) {
      at = put_thread(p, at, r->thread);
    } else {
      memcpy(at, r->at, r->size);
      at += r->size;
    }
  }
  return at;
}

/* What the globals lead to. */
static unsigned char *put_shared(struct packer *p, unsigned char *at) {
  struct machine *m = p->m;
  const struct object *objects = state_objects(m, p->s);
  const word *cells = state_cells(m, p->s);
  for (uint32_t i = 0; i < m->globals; i++) {
    if (m->terms) at = put_known(m, at, &state_known(m, p->s)[i]);
    if (objects[i].life == LIFE_CONSTANT) continue;
    if (m->program->loose) at = put_number(at, objects[i].extra ? objects[i].count : 0);
    for (uint32_t c = 0; c < objects[i].count; c++) at = put_word(p, at, cells[objects[i].first + c]);
  }
  return put_objects(p, at);
}

/* Everything but the threads. `bytes` are in `out` already; the digits are to come after them. */
static unsigned char *begin(struct packer *p, struct machine *m, const struct machine_state *s, unsigned char *out,
                            size_t *bytes) {
  const struct unpacked *last = &m->last;
  bool same = s->shared && s->shared == last->shared && !m->terms && !m->weak;
  uint32_t all = (UINT32_C(1) << m->system.threads) - 1;
  unsigned char *at = m->digits;
  m->named = same ? last->objects : m->globals + 1;
  for (uint32_t i = m->named; i < s->objects; i++) m->number[i] = NUMBER_NONE;
  *p = (struct packer){.m = m, .s = s, .known = m->named, .written = m->named, .records = m->records};
  *bytes = same ? last->digit_count / 2 : 0;
  if (same) {
    memcpy(out, last->bytes, *bytes);
    if (last->digit_count & 1) *at++ = last->bytes[*bytes];
    if (last->apart && s->unpacked == last->number) p->as_before = all & ~s->moved;
  } else {
    at = put_shared(p, at);
  }
  if (m->options.forget) find_held(m, s, all & ~p->as_before);
  return at;
}

/* The objects that have a place in the order of addresses, in that order. */
static unsigned char *put_order(const struct packer *p, unsigned char *at) {
  const struct machine *m = p->m;
  const struct known *known = state_known(m, p->s);
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->s->objects; i++) count += known[i].rank && name_of(m, i) != NUMBER_NONE;
  at = put_number(at, count);
  for (uint16_t below = 0; count; count--) {
    uint32_t next = UINT32_MAX;
    for (uint32_t i = 0; i < p->s->objects; i++)
      if (known[i].rank > below && name_of(m, i) != NUMBER_NONE &&
          (next == UINT32_MAX || known[i].rank < known[next].rank))
        next = i;
    at = put_number(at, name_of(m, next));
    below = known[next].rank;
  }
  return at;
}

/* True if the object is named in the record of a thread that was packed as it was. */
static bool is_named_before(const struct packer *p, uint32_t object) {
  for (unsigned t = 0; p->as_before >> t; t++) {
    const struct kept_record *kept = &p->m->last.records[t];
    if ((p->as_before >> t & 1) && object - kept->first < kept->objects) return true;
  }
  return false;
}

/* A block that was allocated, not freed, and has no name: nobody can reach it. Garbage that is forgotten counts, too:
 * no register will free it, and none leads to it when the threads are between operations. */
static uint32_t first_lost(const struct packer *p) {
  for (uint32_t i = p->m->named; i < p->s->objects; i++)
    if (p->m->number[i] == NUMBER_NONE && is_allocated(&state_objects(p->m, p->s)[i]) && !is_named_before(p, i))
      return i;
  return NO_OBJECT;
}

/* What comes behind the threads, where there is something. */
static __attribute__((noinline)) unsigned char *put_rest(struct packer *p, unsigned char *at, const uint8_t *from) {
  struct machine *m = p->m;
  if (m->weak && m->weak->put_rest) at = m->weak->put_rest(p, at, from);
  if (m->options.leaks) m->system.lost = (m->lost = first_lost(p)) != NO_OBJECT;
  return m->terms ? put_order(p, at) : at;
}

static inline size_t end(struct packer *p, unsigned char *at, unsigned char *out, size_t bytes, const uint8_t *from) {
  struct machine *m = p->m;
  if (m->weak || m->options.leaks || m->terms) at = put_rest(p, at, from);
  return bytes + squeeze(m->digits, (size_t)(at - m->digits), out + bytes);
}

size_t machine_pack(struct system *system, const void *work, const struct ranks *ranks, unsigned char *out,
                    uint8_t *from) {
  struct machine *m = (struct machine *)system;
  struct packer p;
  size_t bytes;
  unsigned char *at = begin(&p, m, work, out, &bytes);
  if (from)
    at = put_threads_sorted(&p, at, ranks, from);
  else
    for (unsigned t = 0; t < system->threads; t++) at = put_thread(&p, at, t);
  return end(&p, at, out, bytes, from);
}

size_t machine_pack_as(struct system *system, const void *work, const uint8_t *from, unsigned char *out) {
  struct machine *m = (struct machine *)system;
  struct packer p;
  size_t bytes;
  unsigned char *at = begin(&p, m, work, out, &bytes);
  for (unsigned t = 0; t < system->threads; t++) at = put_thread(&p, at, from[t]);
  return end(&p, at, out, bytes, from);
}

uint32_t machine_lost(struct system *system, const void *work) {
  struct machine *m = (struct machine *)system;
  if (!m->options.leaks) return NO_OBJECT;
  machine_pack(system, work, NULL, m->settled, NULL);
  return m->lost;
}

uint32_t packer_known(const struct packer *p) { return p->known; }
uint32_t packer_object(const struct packer *p, uint32_t name) { return name < p->m->named ? name : p->m->met[name]; }
const struct machine_state *packer_state(const struct packer *p) { return p->s; }
struct machine *packer_machine(const struct packer *p) {
  return p->m;
}
unsigned char *packer_word(struct packer *p, unsigned char *at, word w) { return put_word(p, at, w); }
unsigned char *packer_objects(struct packer *p, unsigned char *at) { return put_objects(p, at); }

/* Hollow objects, and what was forgotten, have no names: they are not written to. */
void machine_settle(struct system *system, void *work, const uint8_t *from, const void *as) {
  struct machine *m = (struct machine *)system;
  struct machine_state *s = work;
  machine_pack_as(system, work, from, m->settled);
  s->shared = s->unpacked = 0;
  for (uint32_t i = m->globals + 1; i < s->objects; i++) {
    uint32_t name = name_of(m, i);
    if (name == NUMBER_NONE) continue;
    uint8_t owner = state_objects(m, (const struct machine_state *)as)[name].owner;
    state_objects(m, s)[i].owner = owner == OWNER_SHARED ? OWNER_SHARED : from[owner];
  }
}

void pack_open(struct mem *mem, struct machine *m) {
  m->number = mem_alloc(mem, m->objects_most * sizeof *m->number);
  m->met = mem_alloc(mem, m->objects_most * sizeof *m->met);
  m->held = mem_zero(mem, m->objects_most, sizeof *m->held);
  m->need = mem_zero(mem, m->objects_most, sizeof *m->need);
  m->held_list = mem_alloc(mem, m->objects_most * sizeof *m->held_list);
  m->plain = !m->program->loose && !m->terms;
  one_digit_words(m->one_digit, m->globals + 1);
  m->lives = m->weak ? LIFE_KNOWN - LIFE_HEAP + 1 : LIFE_ENDED - LIFE_HEAP + 1 + m->options.type_stable;
  for (uint64_t head = 0; head < HEADS && (head >> 1) / m->lives < m->program->layout_count; head++)
    m->heads[head] = object_of_head(m, head);
  m->digits = mem_alloc(mem, m->system.packed_most * 2);
  m->last.digits = mem_alloc(mem, m->system.packed_most * 2);
  m->last.bytes = mem_alloc(mem, m->system.packed_most);
  m->settled = mem_alloc(mem, m->system.packed_most);
  m->records = mem_alloc(mem, m->system.packed_most * m->system.threads);
}
