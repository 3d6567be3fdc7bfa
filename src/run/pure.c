/* Iterations that changed nothing: of loops that try again, and of loops that wait.
 *
 * A thread *arrives* at an access with a local state: registers, stack, what it is about to do, and the memory that it
 * has written by plain accesses, which nobody else can have seen. Since its last change that others can see, its
 * *base*, it has only read. If it could have arrived with the same local state from the same base by reading less, by a
 * part of what it has read and in the same order, then there is another execution without the rest: memory, the other
 * threads, and what this one does from here on are the same there. So this one need not be gone on with: the thread
 * *halts*. An iteration in which a compare-and-exchange failed is such a rest; so is one that found a lock taken. What
 * a loop is need not be known, and a loop that counts its tries has other local states.
 *
 * That reading less leads to the same state is known from this run, if it was in that state before, or from another. To
 * halt must not depend on when the other run was: a search (dpor.c) learns while it runs and uses what it has learned
 * from its beginning only; it begins anew when that is worth it. So for the search a thread that halts is one that ends
 * there, because of what it has read, and nothing else has to be known of it.
 *
 * - The other execution has fewer overlaps: the thread's operation may be called later there. What is not linearizable
 *   here is not there either.
 * - What was read here and not there may have been wrong: that is found when it is read. A race with something later is
 *   found too, since the others go on. Only what happens because of what the thread does next would be missed: it comes
 *   after the reads, if what the thread does next is a release. Once the code has an atomic write that is none, only
 *   places that are read in the other execution too may be left out.
 * - A run that ends while a thread halts is no execution, and is given up; but if all who halt would read the same
 *   again, for ever, they go on, for spin.c to tell.
 * - A mutex that is found taken was read; whoever had it is not seen by the code. That it was taken orders nothing, so
 *   that what somebody does because of it may race with what the one who took it had read before: from then on only
 *   places that are read in the other execution too may be left out.
 * - From when a thread locks its first mutex to when it unlocks its last is a *section*. One that changed nothing, and
 *   that nobody has seen by trying to lock meanwhile, is one item: without it memory is the same, and others do what
 *   they did, but that they need not have waited. It is left out as a whole or not at all: else the thread would have
 *   the mutex while others had it. Whether it was seen is known when it ends, since to see it comes in between; so that
 *   too depends on what the thread has read and what came before. What orders others comes after less without it: they
 *   race in the other execution if they do here. In a section that goes on the mutexes that it has locked are items
 *   which cannot be left out, and it may halt there: the others wait then as for one that ended with them locked.
 *
 * Registers are kept where the code calls a hook: the calls of the image are led through a few instructions that store
 * them (thunks). Hooks of assembly have them all on the stack (assembly.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "run/heap_parts.h"

bool pure_on;

#if defined(__x86_64__) && !defined(ASIF_PORTABLE_FIBERS) && !defined(__SANITIZE_ADDRESS__)

#define ANY_MEMORY __attribute__((noinline, no_sanitize("address", "thread", "undefined")))
#define KEY_TAKEN  0xbf58476d1ce4e5b9u
#define KEY_FREE   0x94d049bb133111ebu

enum {
  NODES_MOST = 1 << 16, /* of a run, of each kind */
  ITEMS_MOST = 64,      /* since the base; a thread that reads more does not halt */
  TABLE_MOST = 1 << 20  /* ways that are known */
};

/* What the code had in its registers when it called the hook. sp 0: no hook was called. */
static struct { uint64_t kept[6], sp, args[4]; /* args: rdi, rsi, rdx, rcx */ } entry;

/* All that a run needs is in rows, each node with the one before: so a state of a run is where the rows end. */
struct item {
  uint64_t hash; /* of place and value: equal ones are the same read */
  uintptr_t address;
  uint64_t value[2];
  uint32_t size, before;
  bool inner; /* part of an ASIF_ATOMIC, or read with a mutex locked: that follows as one item */
  bool lock;  /* of a mutex: nothing races with it */
  bool held;  /* a mutex was locked, and still is */
};
struct arrival {
  uint64_t state;
  uint32_t items; /* the last then */
  uint32_t cycle; /* of those that stay: the same, or with a mutex locked the last before */
  uint32_t before;
};
struct written {
  uintptr_t address;
  uint32_t size, before;
};
static struct {
  uint32_t items, arrivals, writes; /* used; [0] is none */
  uint64_t sections; /* the fibers in one that has changed nothing, and that nobody has seen to have locked anything */
} tops;
static struct item *items;
static struct arrival *arrivals;
static struct written *writes;

/* Of a fiber, since its base. */
struct pure {
  uint64_t base;
  uint32_t item, arrival, written; /* the last */
  uint32_t count;                  /* items, but for inner ones */
  uint32_t cycle;                  /* of one that halts: arrival.cycle when it was in this state before; */
  bool cycles;                     /* it was */
  bool known;                      /* there is a base */
  bool full;                       /* there is no room for more */
};
static struct pure pures[FIBERS_MOST];
static struct section { /* of a fiber that has locked mutexes */
  struct pure outer;    /* when it locked the first */
  uint64_t hash;        /* of what it has read since */
  uint32_t before;      /* the last item before */
  bool unlocks;         /* it has unlocked one */
} sections[FIBERS_MOST];
static inline bool in_section(const struct fiber *f) { return UNLIKELY(tops.sections >> f->id & 1); }
static inline void leave_section(const struct fiber *f) { tops.sections &= ~((uint64_t)1 << f->id); }
static size_t halts_from; /* the first step after which a thread may halt */

static struct {
  bool in;
  uint64_t hash;
} block; /* ASIF_ATOMIC */

/* What is known: from a base to a state, by which items. */
struct reads {
  uint32_t at, count; /* of known */
};
struct way {
  uint64_t key;               /* 0: none */
  struct reads used, learned; /* the fewest: before the search began, and by now; at 0: none */
};
struct read_less {
  uint64_t hash;
  uintptr_t address;
};
/* Of the ways whose keys have these highest bits: the fewest items that were known before the search began. Most states
 * that a thread arrives in cannot be come to by less, and this tells so without a look at the table, which is large. */
enum { FEWEST_LOG = 15 };
static uint8_t fewest[1 << FEWEST_LOG];
_Static_assert(ITEMS_MOST < UINT8_MAX, "a number of items is a byte");
static inline uint8_t *fewest_of(uint64_t key) { return &fewest[key >> (64 - FEWEST_LOG)]; }

static struct way *table;
static size_t table_size, table_count;
static struct {
  struct read_less *at;
  size_t count, room;
} known;
static struct pure_learned learned;
static bool learning; /* in this run */
static bool locks;    /* the next point is a mutex that is locked, or tried */
static bool relaxed;  /* the code has atomic writes that are not releases */

/* Local states. */

static inline uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t value_of(uintptr_t address, uint32_t size, uint64_t *high) {
  uint64_t v[2] = {0, 0};
  memcpy(v, (const void *)address, size < sizeof v ? size : sizeof v);
  *high = v[1];
  return v[0];
}

static uint64_t written_hash(const struct pure *p) {
  uint64_t sum = 0;
  for (uint32_t w = p->written; w; w = writes[w].before) {
    uint64_t h = writes[w].address;
    for (uint32_t done = 0; done < writes[w].size; done += 8) {
      uint64_t v = 0;
      memcpy(&v, (const char *)writes[w].address + done, writes[w].size - done < 8 ? writes[w].size - done : 8);
      h = fold(h, v);
    }
    sum += h;
  }
  return sum;
}

ANY_MEMORY static uint64_t local_state(const struct fiber *f, const struct pure *p, enum point_kind kind,
                                       uint32_t size) {
  const uint64_t *at = (const uint64_t *)entry.sp, *end = (const uint64_t *)(const void *)f->frames_end;
  uint64_t h = fold(entry.sp, (uint64_t)errno ^ (uint64_t)kind << 32), g = fold(entry.kept[0], entry.kept[1]);
  h = fold(h, fold(entry.kept[2], entry.kept[3]));
  g = fold(g, fold(entry.kept[4], entry.kept[5]));
  h = fold(h, entry.args[0]);
  if (kind != POINT_READ && kind != POINT_BLOCK) h = fold(h, fold(entry.args[1], entry.args[2]));
  if (kind != POINT_READ && size > 8) h = fold(h, entry.args[3]);
  uint64_t i = 1, k = 2; /* several at a time: each waits for its last multiplication only, of two words */
  for (; end - at >= 8; at += 8) {
    h = fold(h ^ at[0], at[1]);
    g = fold(g ^ at[2], at[3]);
    i = fold(i ^ at[4], at[5]);
    k = fold(k ^ at[6], at[7]);
  }
  for (; end - at >= 2; at += 2) h = fold(h ^ at[0], at[1]);
  for (; at < end; at++) h = fold(h, *at);
  return fold(fold(h, g), fold(i, k)) ^ written_hash(p);
}

/* Ways. */

static struct way *way_of(uint64_t key) {
  size_t mask = table_size - 1, i = key & mask;
  while (table[i].key && table[i].key != key) i = (i + 1) & mask;
  return &table[i];
}

static bool table_open(void) {
  if (table_count * 2 < table_size) return true;
  size_t size = table_size ? table_size * 2 : 4096, old = table_size;
  struct way *was = table, *more = size > TABLE_MOST ? NULL : calloc(size, sizeof *more);
  if (!more) return false;
  table = more;
  table_size = size;
  for (size_t i = 0; i < old; i++)
    if (was[i].key) *way_of(was[i].key) = was[i];
  free(was);
  return true;
}

/* The items of a fiber, the first first. */
static uint32_t items_of(const struct pure *p, struct read_less *to) {
  uint32_t i = p->count;
  for (uint32_t n = p->item; n; n = items[n].before)
    if (!items[n].inner) to[--i] = (struct read_less){items[n].hash, items[n].address};
  return p->count;
}

static bool has_address(const struct read_less *at, uint32_t count, uintptr_t address) {
  for (uint32_t i = 0; i < count; i++)
    if (at[i].address == address) return true;
  return false;
}

/* Is it a part of what the fiber has read, and may the rest be left out? `next`: what it reads next in any case. */
static bool is_part(const struct read_less *part, uint32_t count, const struct pure *p, uintptr_t next) {
  uint32_t left = count;
  bool careful = relaxed && options.races;
  if (count >= p->count) return false;
  for (uint32_t n = p->item; n; n = items[n].before) {
    bool needed = left && !items[n].inner && part[left - 1].hash == items[n].hash;
    if (needed)
      left--;
    else if (items[n].held && !items[n].inner)
      return false; /* without it the mutex would not be locked */
    else if (careful && items[n].address && !items[n].lock && items[n].address != next &&
             !has_address(part, count, items[n].address))
      return false;
  }
  return !left;
}

static bool room_for(size_t more) {
  if (known.count + more <= known.room) return true;
  size_t room = known.room ? known.room * 2 : 1 << 14;
  if (!known.count) known.count = 1; /* [0] is none */
  struct read_less *at = realloc(known.at, room * sizeof *at);
  if (!at) return false;
  known.at = at;
  known.room = room;
  return true;
}

static void learn(uint64_t key, const struct pure *p, uintptr_t next) {
  if (!room_for(ITEMS_MOST) || !table_open()) return;
  struct way *w = way_of(key);
  if (w->learned.at && w->learned.count <= p->count) {
    if (is_part(known.at + w->learned.at, w->learned.count, p, next)) learned.useful++;
    return;
  }
  if (!w->key) table_count++;
  w->key = key;
  w->learned = (struct reads){(uint32_t)known.count, p->count};
  known.count += items_of(p, known.at + known.count);
}

/* Halting. */

static void halt(struct fiber *f) {
  scheduler.halted |= (uint64_t)1 << f->id;
  scheduler.spinning |= (uint64_t)1 << f->id;
  choose_again();
}

static bool was_here(struct pure *p, uint64_t state, uintptr_t next) {
  struct read_less part[ITEMS_MOST];
  for (uint32_t a = p->arrival; a; a = arrivals[a].before)
    if (arrivals[a].state == state && arrivals[a].items != p->item) {
      struct pure then = *p;
      then.item = arrivals[a].items;
      p->cycle = arrivals[a].cycle;
      then.count = 0;
      for (uint32_t n = then.item; n; n = items[n].before) then.count += !items[n].inner;
      return is_part(part, items_of(&then, part), p, next);
    }
  return false;
}

static void begin_base(struct fiber *f, struct pure *p, uint64_t state) {
  *p = (struct pure){.base = state, .known = true};
  leave_section(f);
  if (!f->spin.pc) f->spin.pc = 1; /* no place in the code: from now on 0 tells that something was changed */
}

static void add_arrival(const struct fiber *f, struct pure *p, uint64_t state) {
  if (tops.arrivals == NODES_MOST) {
    p->full = true;
    return;
  }
  uint32_t cycle = in_section(f) ? sections[f->id].before : p->item;
  arrivals[tops.arrivals] = (struct arrival){state, p->item, cycle, p->arrival};
  p->arrival = tops.arrivals++;
}

void pure_arrives(struct fiber *f, enum point_kind kind, uint32_t size) {
  struct pure *p = &pures[f->id];
  bool called = entry.sp - (uintptr_t)f->stack < STACK_SIZE;
  if (kind == POINT_YIELD) return;
  bool locked = locks && kind == POINT_LOCK;
  locks = false;
  bool seen = locked || kind == POINT_UNLOCK || (called && kind <= POINT_BLOCK);
  if (f->called || !seen) leave_section(f);
  if (locked) { /* if something was changed before, that is not to be forgotten */
    p->known &= f->spin.pc && !f->called;
    return;
  }
  if (!called || kind > POINT_BLOCK || scheduler.mode == MODE_QUIET) {
    entry.sp = 0;
    if (scheduler.mode != MODE_QUIET && !in_section(f)) p->known = false;
    return;
  }
  bool changed = !p->known || !f->spin.pc || f->called || p->full;
  if (!changed && in_section(f) && sections[f->id].unlocks) { /* a part of a section is no item */
    entry.sp = 0;
    return;
  }
  if (changed) p->written = 0;
  uint64_t state = local_state(f, p, kind, size);
  uintptr_t next = kind == POINT_READ || kind == POINT_UPDATE ? entry.args[0] : 0;
  entry.sp = 0;
  if (changed) {
    begin_base(f, p, state);
    add_arrival(f, p, state);
    return;
  }
  p->cycles = was_here(p, state, next);
  bool halts = p->cycles;
  if (!halts) {
    uint64_t key = fold(fold(p->base, state), f->id + 1) | 1;
    const struct way *w = *fewest_of(key) < p->count ? way_of(key) : NULL;
    halts = w && w->used.at && is_part(known.at + w->used.at, w->used.count, p, next);
    if (!halts && learning) learn(key, p, next);
  }
  if (!halts) {
    add_arrival(f, p, state);
  } else if (run.count >= halts_from) {
    halt(f);
  }
}

/* What a fiber does. */

static inline __attribute__((always_inline)) void add_hashed(struct pure *p, struct item item) {
  if (!p->known || p->full) return;
  if (tops.items == NODES_MOST || p->count == ITEMS_MOST) {
    p->full = true;
    return;
  }
  items[tops.items] = item;
  p->item = tops.items++;
  p->count += !item.inner;
}

/* What is read with a mutex locked, and the locking, is one item of what was read before it. */
static void add_to_section(const struct fiber *f, struct item item) {
  struct section *c = &sections[f->id];
  c->hash = fold(c->hash, item.hash);
  item.before = c->outer.item;
  item.inner = true;
  add_hashed(&c->outer, item);
}

static void add_read(const struct fiber *f, struct item item) {
  struct pure *p = &pures[f->id];
  if (block.in) block.hash = fold(block.hash, item.hash);
  item.before = p->item;
  item.inner = block.in;
  add_hashed(p, item);
  if (in_section(f)) add_to_section(f, item);
}

void pure_read(struct fiber *f, uintptr_t address, uint32_t size, uint64_t low, uint64_t high) {
  struct pure *p = &pures[f->id];
  bool usual = !block.in && !in_section(f);
  if (usual && (!p->known || p->full)) return;
  uint64_t hash = fold(fold(address, size), fold(low, high));
  if (usual)
    add_hashed(p, (struct item){hash, address, {low, high}, size, p->item, false, false, false});
  else
    add_read(f, (struct item){.hash = hash, .address = address, .value = {low, high}, .size = size});
}

void pure_locks(void) {
  entry.sp = 0;
  locks = true;
}

/* The base stays: nothing is changed that lasts, if it unlocks it again before it changes anything. */
void pure_locked(struct fiber *f, const void *mutex) {
  struct pure *p = &pures[f->id];
  if (!f->polling.held) {
    leave_section(f);
    if (p->known) tops.sections |= (uint64_t)1 << f->id;
    sections[f->id] = (struct section){.outer = *p, .before = p->item, .hash = KEY_FREE};
  }
  if (scheduler.mode == MODE_QUIET) leave_section(f);
  if (in_section(f))
    add_read(f, (struct item){.hash = fold((uintptr_t)mutex, KEY_FREE), .held = true});
  else
    p->known = false;
}

/* `all`: it has no other locked. Then what it has read meanwhile is one item: what others did between two times that it
 * had the mutex may not come in the middle of one. */
void pure_unlocked(struct fiber *f, bool all, bool changed) {
  struct section *c = &sections[f->id];
  struct pure *p = &pures[f->id];
  if (changed || scheduler.mode == MODE_QUIET) leave_section(f);
  c->unlocks = true;
  if (!in_section(f)) p->known = false;
  if (!in_section(f) || !all) return;
  uint32_t arrival = p->arrival;
  *p = c->outer;
  p->arrival = arrival;
  leave_section(f);
  add_hashed(p, (struct item){.hash = c->hash, .before = p->item});
}

/* Whoever it is: the code does not see that. */
void pure_taken(struct fiber *f, const struct fiber *by, const void *word, uint32_t value) {
  uint64_t hash = fold((uintptr_t)word, KEY_TAKEN);
  if (by) leave_section(by);
  if (!relaxed) relaxed = learned.anew = true;
  add_read(f, (struct item){
                  .hash = hash, .address = (uintptr_t)word, .value = {value, 0}, .size = sizeof value, .lock = true});
}

void pure_plain(struct fiber *f, uintptr_t address, uint32_t size, bool write) {
  struct pure *p = &pures[f->id];
  uint64_t high;
  if (write) leave_section(f);
  if ((!p->known || p->full) && !in_section(f)) return;
  if (!write) {
    uint64_t low = value_of(address, size, &high);
    pure_read(f, address, size, low, high);
    if (size > 16) p->full = true;
    return;
  }
  if (block.in || tops.writes == NODES_MOST) { /* others may see it */
    p->known = false;
    return;
  }
  for (uint32_t w = p->written; w; w = writes[w].before)
    if (writes[w].address == address && writes[w].size == size) return;
  writes[tops.writes] = (struct written){address, size, p->written};
  p->written = tops.writes++;
}

void pure_wrote(int order) {
  if (relaxed || order_releases(order)) return;
  relaxed = learned.anew = true;
}

void pure_block(struct fiber *f, bool enter) {
  entry.sp = 0; /* to leave is no point */
  if (!enter && !f->spin.pc) pures[f->id].known = false;
  block.in = false;
  if (!enter) add_read(f, (struct item){.hash = fold(fold(0, 0), fold(block.hash, 0))});
  block.in = enter;
  block.hash = 1;
}

/* The same again, for ever? */
static bool goes_on_for_ever(const struct pure *p) {
  if (!p->cycles) return false;
  for (uint32_t n = p->item; n != p->cycle; n = items[n].before) {
    uint64_t high, low = items[n].address ? value_of(items[n].address, items[n].size, &high) : 0;
    if (items[n].address && (low != items[n].value[0] || high != items[n].value[1])) return false;
  }
  return true;
}

void pure_no_point(void) { entry.sp = 0; }

void pure_called(void **stack, uintptr_t address) {
  memset(&entry, 0, sizeof entry);
  entry.sp = (uintptr_t)stack;
  entry.args[0] = address;
}

void pure_stuck(void) {
  for (uint64_t rest = scheduler.halted & scheduler.alive; rest; rest &= rest - 1)
    if (!goes_on_for_ever(&pures[__builtin_ctzll(rest)])) run_stop(RUN_CUT);
  scheduler.spinning &= ~scheduler.halted;
  scheduler.halted = 0;
  halts_from = SIZE_MAX; /* in this run */
}

/* From run to run. */

static size_t halts_usually;

void pure_fiber(const struct fiber *f) {
  pures[f->id].known = false;
  leave_section(f);
}

void pure_reset(void) {
  entry.sp = 0;
  block.in = false;
  halts_from = halts_usually;
}

void pure_begin(void) {
  tops.items = tops.arrivals = tops.writes = 1;
  tops.sections = 0;
}

bool pure_put(struct kept_bytes *to) {
  if (!kept_put(to, &tops, sizeof tops) || !kept_put(to, pures, run.fibers * sizeof *pures)) return false;
  for (uint64_t rest = tops.sections; UNLIKELY(rest != 0); rest &= rest - 1)
    if (!kept_put(to, &sections[__builtin_ctzll(rest)], sizeof *sections)) return false;
  return true;
}
void pure_get(const char **from) {
  kept_get(from, &tops, sizeof tops);
  kept_get(from, pures, run.fibers * sizeof *pures);
  for (uint64_t rest = tops.sections; UNLIKELY(rest != 0); rest &= rest - 1)
    kept_get(from, &sections[__builtin_ctzll(rest)], sizeof *sections);
}

/* Thunks. */

static unsigned char *code;
static size_t code_used;
enum { CODE_SIZE = 64 << 10, THUNK_MOST = 96 };

static uintptr_t thunk_for(uintptr_t target) {
  /* Stores with r11 as their base: rbx, rbp, r12 to r15, rsp, rdi, rsi, rdx, rcx. */
  static const unsigned char stores[][4] = {{0x49, 0x89, 0x5b, 0},  {0x49, 0x89, 0x6b, 8},  {0x4d, 0x89, 0x63, 16},
                                            {0x4d, 0x89, 0x6b, 24}, {0x4d, 0x89, 0x73, 32}, {0x4d, 0x89, 0x7b, 40},
                                            {0x49, 0x89, 0x63, 48}, {0x49, 0x89, 0x7b, 56}, {0x49, 0x89, 0x73, 64},
                                            {0x49, 0x89, 0x53, 72}, {0x49, 0x89, 0x4b, 80}};
  static const unsigned char to_r11[] = {0x49, 0xbb}, jump[] = {0x41, 0xff, 0xe3};
  uintptr_t place = (uintptr_t)&entry;
  unsigned char *at = code + code_used;
  if (code_used + THUNK_MOST > CODE_SIZE) return target;
  memcpy(at, to_r11, sizeof to_r11);
  memcpy(at += sizeof to_r11, &place, sizeof place);
  memcpy(at += sizeof place, stores, sizeof stores);
  memcpy(at += sizeof stores, to_r11, sizeof to_r11);
  memcpy(at += sizeof to_r11, &target, sizeof target);
  memcpy(at += sizeof target, jump, sizeof jump);
  uintptr_t thunk = (uintptr_t)(code + code_used);
  code_used += THUNK_MOST;
  return thunk;
}

static bool open_rows(void) {
  if (items) return true;
  items = calloc(NODES_MOST, sizeof *items);
  arrivals = calloc(NODES_MOST, sizeof *arrivals);
  writes = calloc(NODES_MOST, sizeof *writes);
  code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return items && arrivals && writes && code != MAP_FAILED;
}

static bool calls_redirected(void) {
  static const char *const begins[] = {"__wrap___tsan_atomic", "__wrap___tsan_volatile_read", "__wrap___atomic_",
                                       "asif_host_atomic"};
  if (!open_rows()) return false;
  mprotect(code, CODE_SIZE, PROT_READ | PROT_WRITE);
  bool done = image_redirect(begins, sizeof begins / sizeof *begins, thunk_for);
  mprotect(code, CODE_SIZE, PROT_READ | PROT_EXEC);
  return done;
}

bool run_pure(bool on, size_t from, bool divided) {
  if (on && !calls_redirected()) return false;
  if (on && divided) relaxed = true; /* it cannot begin anew */
  kept_forget();
  pure_on = on;
  halts_usually = from;
  plain_long = plain_watched || recording || pure_on;
  memset(fewest, UINT8_MAX, sizeof fewest);
  for (size_t i = 0; on && i < table_size; i++) {
    struct way *w = &table[i];
    w->used = w->learned;
    if (w->used.at && w->used.count < *fewest_of(w->key)) *fewest_of(w->key) = (uint8_t)w->used.count;
  }
  learned = (struct pure_learned){0, false};
  return true;
}

const struct pure_learned *run_pure_learned(void) { return &learned; }
void run_pure_learns(bool on) { learning = on; }

#else
void pure_arrives(struct fiber *f, enum point_kind kind, uint32_t size) { (void)f, (void)kind, (void)size; }
void pure_read(struct fiber *f, uintptr_t address, uint32_t size, uint64_t low, uint64_t high) {
  (void)f, (void)address, (void)size, (void)low, (void)high;
}
void pure_plain(struct fiber *f, uintptr_t address, uint32_t size, bool write) {
  (void)f, (void)address, (void)size, (void)write;
}
void pure_locks(void) {}
void pure_locked(struct fiber *f, const void *mutex) { (void)f, (void)mutex; }
void pure_unlocked(struct fiber *f, bool all, bool changed) { (void)f, (void)all, (void)changed; }
void pure_taken(struct fiber *f, const struct fiber *by, const void *word, uint32_t value) {
  (void)f, (void)by, (void)word, (void)value;
}
void pure_wrote(int order) { (void)order; }
void pure_block(struct fiber *f, bool enter) { (void)f, (void)enter; }
void pure_no_point(void) {}
void pure_called(void **stack, uintptr_t address) { (void)stack, (void)address; }
void pure_stuck(void) {}
void pure_fiber(const struct fiber *f) { (void)f; }
void pure_reset(void) {}
void pure_begin(void) {}
bool pure_put(struct kept_bytes *to) { return (void)to, true; }
void pure_get(const char **from) { (void)from; }
bool run_pure(bool on, size_t from, bool divided) { return (void)from, (void)divided, !on; }
const struct pure_learned *run_pure_learned(void) {
  static const struct pure_learned nothing;
  return &nothing;
}
void run_pure_learns(bool on) { (void)on; }
#endif
