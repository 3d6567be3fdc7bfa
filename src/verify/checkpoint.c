/* Checkpoints: see checkpoint.h.
 *
 *   what it is | version | identity | source | flags | counts | sets | old workers
 *   three times, for states expanded, those left of this level, and those of the next:
 *     for each old worker: (how far from the one before, parent, set, state)... 0
 *   depth first: for each old worker, what is left on its stack
 *   (1, parent, set, state)... 0: found, but not yet with their owners
 *
 * A parent is where the state stood in the store of its old worker: a search for the number finds where it stands now.
 */
#include "verify/checkpoint.h"

#include <string.h>

#include "base/hash.h"
#include "verify/saved.h"

static const char what[] = "asif checkpoint 3\n";
enum { CLASSES = 3, IDENTITY_MOST = 1 << 16 };

/* The first of the workers to be written is the one with the first state: that has to stay the first of its store. */
static const struct worker *nth_worker(const struct explore *x, unsigned n) {
  unsigned first = 0;
  for (unsigned i = 0; i < x->jobs; i++)
    if (x->workers[i].store.count && store_at(&x->workers[i].store, 0).parent == REF_NONE) first = i;
  return &x->workers[n == 0 ? first : n <= first ? n - 1 : n];
}

/* Breadth first: 0, expanded; 1, of this level; 2, of the next. What was being expanded is expanded again. */
static unsigned class_of(const struct worker *w, uint32_t ref) {
  if (w->all->options.depth_first) return 0;
  uint32_t next = w->taken != REF_NONE ? w->taken : w->next;
  return ref < next ? 0 : ref < w->level_end ? 1 : 2;
}

static void save_pair(struct saving *out, const unsigned char *packed, uint32_t size, uint32_t set, uint32_t parent) {
  save_number(out, parent);
  save_number(out, set);
  save_block(out, packed, size);
}

static void save_records(struct saving *out, const struct worker *w, unsigned class) {
  uint32_t before = 0;
  for (uint32_t ref = 0; w->store.count && ref < w->store.end; ref = store_after(&w->store, ref)) {
    if (class_of(w, ref) != class) continue;
    struct record_view v = store_at(&w->store, ref);
    save_number(out, (uint64_t)ref - before + 1);
    save_pair(out, v.at, v.size, v.set, v.parent);
    before = ref;
  }
  save_number(out, 0);
}

static void save_stack(struct saving *out, const struct worker *w) {
  bool taken = w->all->options.depth_first && w->taken != REF_NONE;
  save_number(out, w->stack.count + taken);
  for (size_t i = 0; i < w->stack.count; i++) save_number(out, w->stack.at[i]);
  if (taken) save_number(out, w->taken);
}

/* What waits in the ring, and in the boxes for others. */
static void save_waiting(struct saving *out, const struct worker *w) {
  for (uint64_t i = w->admitted; i < w->waited; i++) {
    const struct waiting *e = &w->waiting[i % WAITING];
    save_number(out, 1);
    save_pair(out, e->packed, e->size, e->set, e->parent);
  }
  for (unsigned i = 0; i < w->all->jobs; i++) {
    const struct bytes *box = &w->outbox[i];
    for (size_t at = 0; at < box->at.count;) {
      uint32_t parent, set, size;
      memcpy(&parent, box->at.at + at + 8, 4);
      memcpy(&set, box->at.at + at + 12, 4);
      memcpy(&size, box->at.at + at + 16, 4);
      save_number(out, 1);
      save_pair(out, box->at.at + at + POSTED, size, set, parent);
      at += POSTED + size;
    }
  }
}

static void save_head(struct saving *out, const struct explore *x) {
  const struct search_identity *id = &x->options.identity;
  uint64_t transitions = 0, terminal = 0;
  bool refused = false;
  uint32_t lost = REF_NONE;
  save_block(out, what, sizeof what);
  save_block(out, ASIF_VERSION, strlen(ASIF_VERSION));
  save_block(out, id->text, id->text ? strlen(id->text) : 0);
  save_number(out, id->source);
  save_number(out, id->flags);
  save_block(out, id->orders, id->orders ? strlen(id->orders) : 0);
  for (unsigned i = 0; i < x->jobs; i++) {
    const struct worker *w = &x->workers[i];
    bool taken = w->taken != REF_NONE;
    transitions += taken ? w->transitions_before : w->transitions;
    terminal += taken ? w->terminal_before : w->terminal;
    refused |= w->refused;
    if (lost == REF_NONE) lost = w->lost;
  }
  save_number(out, x->depth);
  save_number(out, transitions);
  save_number(out, terminal);
  save_number(out, refused);
  save_number(out, lost);
}

bool checkpoint_save(const struct explore *x, struct problem *why) {
  struct saving out;
  if (!save_open(&out, x->options.checkpoint, why)) return false;
  save_head(&out, x);
  const struct traces *traces = &x->workers[0].traces;
  traces->save(traces->self, &out);
  save_number(&out, x->jobs);
  save_number(&out, x->ref_bits);
  for (unsigned i = 0; i < x->jobs; i++) save_number(&out, nth_worker(x, i)->index);
  for (unsigned class = 0; class < CLASSES; class ++)
    for (unsigned i = 0; i < x->jobs; i++) save_records(&out, nth_worker(x, i), class);
  for (unsigned i = 0; i < x->jobs; i++) save_stack(&out, nth_worker(x, i));
  for (unsigned i = 0; i < x->jobs; i++) save_waiting(&out, nth_worker(x, i));
  save_number(&out, 0);
  return save_close(&out, why);
}

/* Reading. */

/* Where the states of an old worker stand now, in the order of where they stood. */
struct place_now {
  uint32_t old, now;
};
struct places {
  VEC(struct place_now) list;
};

struct reading {
  struct loading in;
  struct explore *x;
  struct mem *mem;
  unsigned jobs, ref_bits; /* of the search that wrote it */
  unsigned *order;
  struct places *places; /* an old worker each */
  /* of the pair just read */
  uint32_t parent, set, size;
  unsigned char *packed;
  uint64_t hash;
  struct worker *owner;
};

static bool same_text(struct loading *in, const char *text, char *room, size_t size) {
  uint32_t n = load_block(in, room, size - 1);
  room[n] = 0;
  return load_good(in) && !strcmp(room, text);
}

static bool load_head(struct loading *in, struct mem *mem, const char *path, const struct search_identity *id,
                      struct search_identity *found, struct problem *why) {
  char *room = mem_alloc(mem, IDENTITY_MOST);
  if (!same_text(in, what, room, sizeof what + 1)) {
    problem_set(why, "%s is no checkpoint", path);
    return false;
  }
  if (!same_text(in, ASIF_VERSION, room, 64)) {
    problem_set(why, "%s is of version %s of asif, this is %s", path, room, ASIF_VERSION);
    return false;
  }
  if (!same_text(in, id->text ? id->text : "", room, IDENTITY_MOST)) {
    problem_set(why, "%s is of another search: %.200s; this one is: %.200s", path, room, id->text ? id->text : "");
    return false;
  }
  if (load_number(in) != id->source) {
    problem_set(why, "%s is of another search: the source was different", path);
    return false;
  }
  found->flags = (unsigned)load_number(in);
  room[load_block(in, room, IDENTITY_MOST - 1)] = 0;
  found->orders = room;
  return true;
}

bool checkpoint_fits(struct mem *mem, const char *path, const struct search_identity *id, struct search_identity *found,
                     struct problem *why) {
  struct loading in;
  if (!load_open(&in, path, why)) return false;
  bool good = load_head(&in, mem, path, id, found, why);
  load_close(&in);
  return good;
}

/* Where a state stands that stood at `old`, of all workers. */
static uint32_t find_place(struct reading *r, uint64_t old) {
  uint32_t worker = r->ref_bits ? (uint32_t)old >> (32 - r->ref_bits) : 0;
  uint32_t local = r->ref_bits ? (uint32_t)old & (UINT32_MAX >> r->ref_bits) : (uint32_t)old;
  const struct places *p = worker < r->jobs ? &r->places[worker] : NULL;
  size_t low = 0, high = p ? p->list.count : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->list.at[middle].old == local) return p->list.at[middle].now;
    if (p->list.at[middle].old < local)
      low = middle + 1;
    else
      high = middle;
  }
  load_fail(&r->in);
  return REF_NONE;
}

static bool load_pair(struct reading *r) {
  const struct traces *traces = &r->x->workers[0].traces;
  r->parent = (uint32_t)load_number(&r->in);
  r->set = (uint32_t)load_number(&r->in);
  r->size = load_block(&r->in, r->packed, r->x->workers[0].system->packed_most);
  if (!r->size || r->set >= traces->count(traces->self)) load_fail(&r->in);
  r->hash = hash_bytes(r->packed, r->size);
  r->owner = &r->x->workers[owner_of(r->x, r->hash)];
  return load_good(&r->in);
}

/* Parents are still as they were: not all of them are here yet. */
static void load_records(struct reading *r, unsigned old) {
  uint64_t step;
  uint32_t ref = 0;
  while ((step = load_number(&r->in)) && load_good(&r->in)) {
    uint32_t local;
    ref += (uint32_t)(step - 1);
    if (!load_pair(r) ||
        !store_add(&r->owner->store, r->hash, r->packed, r->size, r->set, r->parent, NULL, NULL, &local)) {
      load_fail(&r->in);
      return;
    }
    vec_push(r->mem, &r->places[old].list, ((struct place_now){ref, global_ref(r->x, r->owner->index, local)}));
  }
}

static void load_classes(struct reading *r) {
  for (unsigned class = 0; class < CLASSES; class ++) {
    for (unsigned i = 0; i < r->jobs && load_good(&r->in); i++) load_records(r, r->order[i]);
    for (unsigned i = 0; i < r->x->jobs; i++) {
      struct worker *w = &r->x->workers[i];
      if (class == 0) w->next = w->store.end;
      if (class == 1) w->level_end = w->store.end;
    }
  }
}

static void mend_parents(struct reading *r) {
  for (unsigned i = 0; i < r->x->jobs; i++) {
    struct store *s = &r->x->workers[i].store;
    for (uint32_t ref = 0; s->count && ref < s->end && load_good(&r->in); ref = store_after(s, ref)) {
      uint32_t parent = store_at(s, ref).parent;
      if (parent != REF_NONE) store_set_parent(s, ref, find_place(r, parent));
    }
  }
}

static void load_stacks(struct reading *r) {
  for (unsigned i = 0; i < r->jobs; i++) {
    uint64_t n = load_number(&r->in);
    for (uint64_t k = 0; k < n && load_good(&r->in); k++) {
      uint32_t old = (uint32_t)load_number(&r->in);
      uint32_t now = find_place(r, r->ref_bits ? old | r->order[i] << (32 - r->ref_bits) : old);
      if (!load_good(&r->in)) return;
      struct worker *w = &r->x->workers[ref_worker(r->x, now)];
      vec_push(&w->mem, &w->stack, ref_local(r->x, now));
    }
  }
}

static void load_waiting(struct reading *r) {
  while (load_number(&r->in) && load_good(&r->in)) {
    if (!load_pair(r)) return;
    uint32_t parent = find_place(r, r->parent);
    if (load_good(&r->in)) keep(r->owner, r->packed, r->size, r->set, r->hash, parent);
  }
}

static void load_all(struct reading *r) {
  struct explore *x = r->x;
  x->depth = (uint32_t)load_number(&r->in);
  x->workers[0].transitions = load_number(&r->in);
  x->workers[0].terminal = load_number(&r->in);
  x->workers[0].refused = load_number(&r->in) != 0;
  uint32_t lost = (uint32_t)load_number(&r->in);
  if (!x->workers[0].traces.load(x->workers[0].traces.self, &r->in)) return;
  r->jobs = (unsigned)load_number(&r->in);
  r->ref_bits = (unsigned)load_number(&r->in);
  if (!r->jobs || r->jobs > 1 << 16 || r->ref_bits > 16) load_fail(&r->in);
  if (!load_good(&r->in)) return;
  r->order = mem_zero(r->mem, r->jobs, sizeof *r->order);
  r->places = mem_zero(r->mem, r->jobs, sizeof *r->places);
  for (unsigned i = 0; i < r->jobs; i++)
    if ((r->order[i] = (unsigned)load_number(&r->in)) >= r->jobs) load_fail(&r->in);
  load_classes(r);
  if (load_good(&r->in)) mend_parents(r);
  if (load_good(&r->in) && lost != REF_NONE) x->workers[0].lost = find_place(r, lost);
  if (load_good(&r->in)) load_stacks(r);
  load_waiting(r);
}

bool checkpoint_load(struct explore *x, struct problem *why) {
  struct worker *w = &x->workers[0];
  struct reading r = {.x = x, .mem = &w->mem, .packed = w->packed};
  struct search_identity found;
  if (!load_open(&r.in, x->options.resume, why)) return false;
  bool good = load_head(&r.in, r.mem, x->options.resume, &x->options.identity, &found, why);
  if (good) {
    load_all(&r);
    good = load_good(&r.in);
    if (!good) problem_set(why, "%s does not fit this search", x->options.resume);
  }
  for (unsigned i = 0; r.places && i < r.jobs; i++) vec_free(r.mem, &r.places[i].list);
  load_close(&r.in);
  return good;
}
