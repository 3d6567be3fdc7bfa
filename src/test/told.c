/* What a run does, recorded while it is made: each access with what it is called at that moment, the values, and where
 * in the code it is. And that in words, twice: plain, as evidence has it, which does not depend on the debug
 * information that can be read; and as it is shown, with the names of the source. */
#include "test/told.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define VTABLE "_ZTV" /* how the linker's names of tables of virtual functions begin */

/* Accesses whose names are looked for with all that there is: a run of more is not read by anybody, and must not take
 * so long that it is given up. */
enum { NOTES_MOST = 20000 };

static const char *const specials[] = {"ok", "nil", "true", "false", "empty", "full"};

/* --- plain names and values --- */

/* "heap block 2 + 8", "top"; NULL: it has no name. */
static const char *name_address(struct mem *m, uintptr_t address) {
  struct text t;
  text_open(&t, m);
  return run_name_address(address, &t) ? text_string(&t) : NULL;
}

/* A number of its size. */
static void put_number(struct text *t, uint64_t v, uint32_t size) {
  int64_t s = size == 1 ? (int8_t)v : size == 2 ? (int16_t)v : size == 4 ? (int32_t)v : (int64_t)v;
  if (size == 4 && s >= ASIF_OK && s <= ASIF_FULL)
    text_add(t, specials[s - ASIF_OK]);
  else if (s > -1000000 && s < (int64_t)1 << 40)
    text_printf(t, "%lld", (long long)s);
  else
    text_printf(t, "%#llx", (unsigned long long)v);
}

static bool may_point(uint64_t v, uint32_t size) { return size == 8 && v > 0xffff && v < (uint64_t)1 << 47; }

/* A word, as a number of its size, or what it points to. */
static void put_word(struct text *t, uint64_t v, uint32_t size) {
  if (may_point(v, size)) {
    const char *name = name_address(t->mem, (uintptr_t)v);
    if (name) {
      text_printf(t, "&%s", name);
      return;
    }
    name = v & 7 ? name_address(t->mem, (uintptr_t)(v & ~(uint64_t)7)) : NULL; /* its lower bits are marks */
    if (name) {
      text_printf(t, "&%s | %u", name, (unsigned)(v & 7));
      return;
    }
  }
  put_number(t, v, size);
}

/* More than 8 bytes are two words; of more than 16 the value is too long to be told. */
static const char *name_value(struct mem *m, struct accessed_value v, uint32_t size) {
  struct text t;
  text_open(&t, m);
  if (size <= 8) {
    put_word(&t, v.low, size);
  } else if (size <= 16) {
    text_char(&t, '{');
    put_word(&t, v.low, 8);
    text_add(&t, ", ");
    put_word(&t, v.high, size - 8);
    text_char(&t, '}');
  } else {
    text_printf(&t, "%u bytes", (unsigned)size);
  }
  return text_string(&t);
}

/* The same of what was accessed: an address without a name is a number. NULL: nothing in particular was. */
const char *plain_name(struct mem *m, uintptr_t address) {
  struct text t;
  text_open(&t, m);
  if (!address) return NULL;
  run_name_address(address, &t);
  return text_string(&t);
}

/* --- recording --- */

size_t told_place(struct telling *k, uintptr_t offset) {
  for (size_t i = k->offsets.count; i-- > 0;)
    if (k->offsets.at[i] == offset) return i;
  vec_push(k->mem, &k->offsets, offset);
  return k->offsets.count - 1;
}

static struct trail trail_of(struct telling *k, const struct stack_frames *frames) {
  struct trail t = {.count = 0};
  for (size_t i = 0; i < frames->count && t.count < CALLERS_MOST; i++)
    t.places[t.count++] = told_place(k, frames->at[i].pc);
  return t;
}

static bool is_thread(unsigned fiber) { return fiber < FIBERS_MOST - 1; } /* not the initialisation */

static size_t note(void *self, unsigned fiber, enum point_kind kind, uintptr_t address, uint32_t size) {
  struct telling *k = self;
  struct told_access t = {.noted = true};
  if (!is_thread(fiber)) {
    if (kind == POINT_ALLOC) naming_access(k->naming, kind, address, size, fiber, NULL);
    return 0;
  }
  if (k->notes.count < NOTES_MOST) {
    stack_walk(k->base, &k->frames);
    t.trail = trail_of(k, &k->frames);
    if (address) t.named = naming_access(k->naming, kind, address, size, fiber, &k->frames);
  } else if (kind == POINT_ALLOC || kind == POINT_FREE) {
    t.named = naming_access(k->naming, kind, address, size, fiber, NULL);
  } else if (!naming_pointer(k->naming, address, &t.named)) {
    t.noted = false;
  } else {
    t.named.size = size;
  }
  if (!k->notes.count) vec_push(k->mem, &k->notes, (struct told_access){.noted = false});
  vec_push(k->mem, &k->notes, t);
  return k->notes.count - 1;
}

static void pause_at(void *self, unsigned fiber, size_t steps, enum point_kind kind, uintptr_t address, uint32_t size) {
  struct telling *k = self;
  if (!is_thread(fiber)) return;
  stack_walk(k->base, &k->frames);
  naming_paused(k->naming, fiber, &k->frames);
  struct about a = {.steps = steps, .fiber = (uint8_t)fiber, .kind = (uint8_t)kind};
  a.trail = trail_of(k, &k->frames);
  bool list = kind == POINT_ALLOC || kind == POINT_FREE; /* which block is not known yet */
  if (address && !list) a.named = naming_access(k->naming, kind, address, size, fiber, &k->frames);
  vec_push(k->mem, &k->about, a);
}

static void tell_words(struct telling *k, struct accessed_value v, uint32_t size, struct told_word to[2]) {
  const uint64_t words[2] = {v.low, v.high};
  for (unsigned i = 0; i < 2 && size > 8 * i; i++) {
    uint32_t bytes = size - 8 * i < 8 ? size - 8 * i : 8;
    to[i] = (struct told_word){.number = words[i]};
    if (size > 16 || !may_point(words[i], bytes)) continue;
    to[i].points = naming_pointer(k->naming, (uintptr_t)words[i], &to[i].to);
    if (to[i].points || !(words[i] & 7)) continue;
    to[i].points = naming_pointer(k->naming, (uintptr_t)(words[i] & ~(uint64_t)7), &to[i].to);
    to[i].marks = words[i] & 7;
  }
}

/* What a call did before its first step is told with that: then its names are those of that moment. */
static void name_early(struct telling *k, const struct access *a) {
  for (size_t i = k->accesses.count; i-- > 0;) {
    struct told_access *t = &k->accesses.at[i];
    if (!t->access.early || t->access.fiber != a->fiber || t->access.call != a->call) continue;
    struct named again = naming_address(k->naming, t->access.address, t->named.size);
    bool same = t->named.path && again.path && !strcmp(t->named.path, again.path);
    if (t->named.path && t->named.block && t->named.cell_count && t->named.cells[t->named.cell_count - 1] && !same)
      t->named = again;
  }
}

static void record(void *self, const struct access *a) {
  struct telling *k = self;
  bool writes = a->kind == POINT_WRITE || (a->kind == POINT_UPDATE && !a->failed);
  bool reads = a->kind == POINT_READ || a->kind == POINT_UPDATE;
  bool fresh = reads && a->size <= sizeof a->read && naming_is_fresh(k->naming, a->address, &a->read, a->size);
  if (writes) naming_wrote(k->naming, a->address, a->size);
  if (reads && a->size == sizeof(void *)) naming_read(k->naming, a->fiber, a->address);
  if (!is_thread(a->fiber)) return;
  const char *name = plain_name(k->mem, a->address);
  if (!a->point && name && !strncmp(name, VTABLE, sizeof VTABLE - 1)) return; /* how C++ calls functions */
  struct told_access t = {0};
  if (a->noted) t = k->notes.at[a->noted];
  t.access = *a;
  t.name = name;
  t.read = name_value(k->mem, a->read, a->size);
  t.wrote = a->unknown ? NULL : name_value(k->mem, a->wrote, a->size);
  t.fresh = fresh;
  t.order = told_order(a);
  t.place = told_place(k, a->pc - 1 - k->base); /* it is where the call of the hook returns to */
  if (reads) tell_words(k, a->read, a->size, t.saw);
  if (writes && !a->unknown) tell_words(k, a->wrote, a->size, t.put);
  if (writes) vec_push(k->mem, &k->written, ((struct extent_written){a->address, a->size}));
  if (writes && a->size > k->widest) k->widest = a->size;
  if (a->point && !a->early) name_early(k, a);
  vec_push(k->mem, &k->accesses, t);
}

const struct recorder told_recorder = {.access = record, .note = note, .pause = pause_at};

static int by_address(const void *a, const void *b) {
  const struct extent_written *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}
void told_sort(struct telling *k) {
  if (k->written.count) qsort(k->written.at, k->written.count, sizeof *k->written.at, by_address);
}

/* --- words --- */

/* Did a thread ever write to this pointer? */
static bool changes(void *self, uintptr_t cell) {
  const struct telling *k = self;
  size_t low = 0, high = k->written.count;
  while (low < high) { /* the first that may reach so far */
    size_t middle = (low + high) / 2;
    if (k->written.at[middle].at + k->widest <= cell)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < k->written.count && k->written.at[low].at < cell + sizeof(void *); low++)
    if (k->written.at[low].at + k->written.at[low].size > cell) return true;
  return false;
}

void put_name(struct telling *k, const struct named *n, struct text *t) { named_put(k->naming, n, changes, k, t); }

static const char *const words[] = {[POINT_READ] = "load",
                                    [POINT_WRITE] = "store",
                                    [POINT_UPDATE] = "update",
                                    [POINT_BLOCK] = "atomic block",
                                    [POINT_LOCK] = "lock",
                                    [POINT_UNLOCK] = "unlock",
                                    [POINT_WAIT] = "wait for",
                                    [POINT_WAKE] = "wake",
                                    [POINT_ALLOC] = "allocate",
                                    [POINT_FREE] = "free",
                                    [POINT_YIELD] = "yield",
                                    [POINT_START] = "start",
                                    [POINT_JOIN] = "join",
                                    [POINT_CALL] = "touches nothing that others can see",
                                    [POINT_ACQUIRE] = "acquire",
                                    [POINT_RELEASE] = "release",
                                    [TOLD_READ_LOCK] = "lock",
                                    [TOLD_DESTROY] = "destroy",
                                    [TOLD_WOKEN] = "woken at",
                                    [TOLD_STIRRED] = "woken without a signal at",
                                    [TOLD_TIMED_OUT] = "time out at",
                                    [TOLD_FENCE] = "fence"};

void put_deed(struct telling *k, const struct told_access *a, bool shown, struct text *t) {
  unsigned kind = a->access.kind;
  assert(kind < sizeof words / sizeof *words);
  text_add(t, kind == POINT_UPDATE && a->access.failed ? "compare" : words[kind]);
  if (kind == POINT_CALL || kind == POINT_YIELD) return;
  bool named = shown && a->noted && (a->named.path || a->named.block);
  if (!named && !a->name) return;
  text_char(t, ' ');
  if (named)
    put_name(k, &a->named, t);
  else
    text_add(t, a->name);
}

static void put_shown_word(struct telling *k, const struct told_word *w, const struct type *type, uint32_t size,
                           struct text *t) {
  if (value_put(type, w->number, size, t)) return;
  if (!w->points) {
    put_number(t, w->number, size);
    return;
  }
  struct named to = w->to;
  unsigned marks = w->marks ? w->marks : named_marks(k->naming, &to);
  text_char(t, '&');
  if (!named_put_block(k->naming, &to, t)) text_add(t, to.path);
  if (marks) text_printf(t, " | %u", marks);
}

void put_value(struct telling *k, const struct told_access *a, bool written, bool shown, struct text *t) {
  uint32_t size = a->access.size;
  if (!shown || size > 16) {
    text_add(t, written ? a->wrote : a->read);
    return;
  }
  const struct told_word *w = written ? a->put : a->saw;
  if (size > 8) {
    text_char(t, '{');
    put_shown_word(k, &w[0], NULL, 8, t);
    text_add(t, ", ");
    put_shown_word(k, &w[1], NULL, size - 8, t);
    text_char(t, '}');
    return;
  }
  put_shown_word(k, w, a->noted ? named_type(k->naming, &a->named) : NULL, size, t);
}

/* The same, and what came of it. Where that is not known, because the access ended the run, there are no values. */
void put_access(struct telling *k, const struct told_access *a, bool shown, struct text *t) {
  const char *type;
  put_deed(k, a, shown, t);
  if (a->order) text_printf(t, " (%s)", a->order);
  switch (a->access.kind) {
  case POINT_READ:
    if (!a->read) break;
    text_add(t, " -> ");
    put_value(k, a, false, shown, t);
    break;
  case POINT_WRITE:
    if (!a->wrote) break;
    text_add(t, " = ");
    put_value(k, a, true, shown, t);
    break;
  case POINT_UPDATE:
    if (!a->read) break;
    text_add(t, a->access.failed ? ", found " : ": ");
    put_value(k, a, false, shown, t);
    text_add(t, a->access.failed ? ": fails" : " -> ");
    if (!a->access.failed) put_value(k, a, true, shown, t);
    break;
  case POINT_LOCK:
    if (a->access.failed) text_add(t, ": it is taken");
    break;
  case TOLD_READ_LOCK: text_add(t, " for reading"); break;
  case POINT_WAKE:
    if (a->access.failed) text_add(t, ": nobody waits");
    break;
  case POINT_ALLOC:
    if (a->access.again) text_add(t, " again");
    type = shown && a->noted ? block_type_name(k->naming, a->named.block, a->named.life) : NULL;
    if (type) text_printf(t, ": %s", type);
    break;
  default: break;
  }
  if (shown && a->fresh) text_add(t, ", uninitialised");
}
