/* Weak memory: executions under TSO and C11, as graphs.
 *
 * Threads still take their steps one after the other, and memory holds what is last in the order of each place's writes
 * (mo). But a load may read an older write, and a store may be placed before others in that order: both are choices, as
 * the block is that an allocation gives. Choice 0 is the newest write, or the end of the order; so the first run of a
 * schedule is the sequentially consistent one.
 *
 * Events come in an order that extends po and rf, so what happens before an event is known for good when it comes: by
 * the vector clocks of races.c, where each release belongs to a write and not to a place. What is offered is coherent:
 * a read takes the newest write of its place that happens before it, or that was read by what happens before it, or one
 * after that in mo; a write comes after these; and nothing comes between an update and what it read. The rest of the
 * axioms (axioms.c) matters only for choices other than 0: reading the newest and writing at the end can always be.
 *
 * Lahav, Vafeiadis, Kang, Hur, Dreyer, Repairing Sequential Consistency in C/C++11 (2017), with the release sequences
 * of C++20: a release reaches those who read the write it heads, or an update of that, and so on. With
 * run_options.own_sequences, those of C11: it reaches who reads a later write of its thread, too. */
#include "run/weak.h"

#include <string.h>

#include "base/hash.h"

enum { MESSAGES_MOST = 2 * GRAPH_SLOTS, PLACES_LOG = 12, OFFERS_MOST = 200 };

bool weak_on;
static enum memory_model model;

static struct graph_slot slots[GRAPH_SLOTS];
static struct graph_message messages[MESSAGES_MOST];
static struct graph_place places[1 << PLACES_LOG];
static uint32_t place_table[1 << PLACES_LOG]; /* by hash: the first place, or GRAPH_NONE, */
static uint64_t place_runs[1 << PLACES_LOG];  /* ... if it is of this run */
static uint32_t message_count;
uint32_t graph_place_count;
static size_t rows; /* of so many slots (graph_rows) */
static uint32_t last_of[FIBERS_MOST];
static uint64_t begun; /* fibers that have a slot */
struct graph_slot *const graph_slots = slots;
struct graph_message *graph_messages = messages;
struct graph_place *graph_places = places;
size_t graph_count;
uint32_t graph_sc[GRAPH_SLOTS];
size_t graph_sc_count;
static struct graph_clock known[GRAPH_SLOTS];
struct graph_clock *const graph_known = known;
static unsigned width, known_width; /* of the clock of who runs; of these */

/* What the step that is being taken may choose. */
static struct {
  uint32_t messages[OFFERS_MOST]; /* to read, or to be placed after: the newest first */
  unsigned count;
  uintptr_t pc;
  uint32_t place;
  bool reads, updates, writes[OFFERS_MOST]; /* updates: or tries to, and fails: TSO's are barriers all the same */
  int order, failed;
  bool tried[OFFERS_MOST], possible[OFFERS_MOST];
} offer;
static uint32_t updated; /* the message that the update that is being made has read */
static struct {
  uintptr_t at, pc;
  uint32_t place, size;
  int order;
} writing;

_Noreturn void weak_cannot(const char *what, uintptr_t pc) {
  run.beyond = true;
  found_at(pc, 0, current, "here");
  run_found(FOUND_UNSUPPORTED, "%s: not under --memory %s", what, memory_model_name(model));
}

/* The code may go on for ever, or be longer than what there is room for: not known. */
_Noreturn static void too_long(void) {
  run.beyond = true;
  run_stop(RUN_LONG);
}

void weak_open(enum memory_model m) {
  weak_on = m != MEMORY_SC;
  model = m;
}

void weak_reset(void) {
  graph_count = graph_sc_count = rows = 0;
  known_width = 0;
  message_count = graph_place_count = 0;
  begun = 0;
  offer.count = 0;
}

const struct graph *run_graph(void) {
  static struct graph g;
  if (!weak_on) return NULL;
  g = (struct graph){model, slots, graph_count, messages, places};
  return &g;
}

/* Messages. */

uint64_t graph_message_name(uint32_t m) {
  uint32_t slot = messages[m].slot;
  if (slot == GRAPH_NONE) return 1 + ((uint64_t)messages[m].plain << 32);
  return 2 + ((uint64_t)slots[slot].fiber << 24) + slots[slot].number;
}

static uint32_t new_message(uint32_t place, struct accessed_value value) {
  if (message_count == MESSAGES_MOST) too_long();
  uint32_t m = message_count++;
  messages[m] = (struct graph_message){
      .slot = GRAPH_NONE, .place = place, .older = GRAPH_NONE, .newer = GRAPH_NONE, .value = value};
  return m;
}

static void renumber(uint32_t m) {
  for (uint32_t next = messages[m].newer; next != GRAPH_NONE; m = next, next = messages[m].newer)
    messages[next].position = messages[m].position + 1;
}
static void put_after(uint32_t m, uint32_t older) {
  struct graph_message *o = &messages[older];
  messages[m].older = older;
  messages[m].newer = o->newer;
  if (o->newer != GRAPH_NONE)
    messages[o->newer].older = m;
  else
    places[o->place].newest = m;
  o->newer = m;
  renumber(older);
}
static void take_out(uint32_t m) {
  uint32_t older = messages[m].older, newer = messages[m].newer;
  messages[older].newer = newer;
  if (newer != GRAPH_NONE)
    messages[newer].older = older;
  else
    places[messages[m].place].newest = older;
  renumber(older);
}

/* Places. */

static struct accessed_value in_memory(uintptr_t at, uint32_t size) {
  struct accessed_value v = {0, 0};
  memcpy(&v.low, (const void *)at, size < 8 ? size : 8);
  if (size > 8) memcpy(&v.high, (const void *)(at + 8), size - 8);
  return v;
}
static void to_memory(uintptr_t at, uint32_t size, struct accessed_value v) {
  memcpy((void *)at, &v.low, size < 8 ? size : 8);
  if (size > 8) memcpy((void *)(at + 8), &v.high, size - 8);
}

/* Hashed by 16 bytes: so those that overlap are found together. */
static size_t hash_of(uintptr_t at) { return (at >> 4) * 0x9e3779b97f4a7c15u >> (64 - PLACES_LOG); }
static uint32_t *chain_of(uintptr_t at) {
  size_t h = hash_of(at);
  if (place_runs[h] != run.number) {
    place_runs[h] = run.number;
    place_table[h] = GRAPH_NONE;
  }
  return &place_table[h];
}

static uint32_t place_of(uintptr_t at, uint32_t size, uintptr_t pc) {
  uint32_t *chain = chain_of(at);
  for (uint32_t p = *chain; p != GRAPH_NONE; p = places[p].next) {
    if (places[p].address == at && places[p].size == size) return p;
    if (places[p].address < at + size && at < places[p].address + places[p].size)
      weak_cannot("atomic accesses of different sizes overlap", pc);
  }
  if (at % size) (void)*(const volatile char *)at; /* a wild pointer: then it is that which is wrong */
  if (size > 16 || at % size) weak_cannot("an atomic access that is not of an aligned word", pc);
  if (graph_place_count == 1 << PLACES_LOG) too_long();
  uint32_t p = graph_place_count++, m = new_message(p, in_memory(at, size));
  places[p] =
      (struct graph_place){.address = at, .size = size, .newest = m, .floor = m, .last = GRAPH_NONE, .next = *chain};
  *chain = p;
  return p;
}

void weak_forget(uintptr_t at, size_t size) {
  uintptr_t end = at + size;
  for (uintptr_t piece = at & ~(uintptr_t)15; piece < end; piece += 16)
    for (uint32_t p = *chain_of(piece); p != GRAPH_NONE; p = places[p].next) {
      struct graph_place *o = &places[p];
      if (o->address >= end || at >= o->address + o->size) continue;
      uint32_t m = new_message(p, (struct accessed_value){0, 0});
      messages[m].plain = (uint16_t)(messages[o->floor].plain + 1);
      put_after(m, o->newest);
      o->floor = m;
    }
}

/* What a plain write left is looked up when it is read. */
static struct accessed_value value_of(uint32_t m) {
  const struct graph_place *p = &places[messages[m].place];
  if (messages[m].slot == GRAPH_NONE && m == p->newest) messages[m].value = in_memory(p->address, p->size);
  return messages[m].value;
}

/* Slots. */

/* Of the first slots, there are more fibers now: they knew nothing of these. */
static void widen(uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    memset(known[i].of + known_width, 0, (width - known_width) * sizeof known[i].of[0]);
  known_width = width;
}

static uint32_t push(enum slot_kind kind, int order) {
  unsigned me = current->id;
  if (graph_count == GRAPH_SLOTS) too_long();
  uint32_t i = (uint32_t)graph_count++;
  bool sc = order == __ATOMIC_SEQ_CST && kind <= SLOT_FENCE, follows = begun >> me & 1;
  slots[i] = (struct graph_slot){.kind = (uint8_t)kind,
                                 .fiber = (uint8_t)me,
                                 .order = (uint8_t)order,
                                 .sc = sc,
                                 .barrier = kind == SLOT_SYNC || (sc && kind != SLOT_READ),
                                 .step = (uint32_t)run.count - 1,
                                 .number = follows ? slots[last_of[me]].number + 1 : 0,
                                 .before = follows ? last_of[me] : GRAPH_NONE,
                                 .next = GRAPH_NONE,
                                 .place = GRAPH_NONE,
                                 .same = GRAPH_NONE};
  if (follows) slots[last_of[me]].next = i;
  begun |= (uint64_t)1 << me;
  last_of[me] = i;
  if (sc) graph_sc[graph_sc_count++] = i;
  const uint32_t *now = clocks_now(&width);
  if (width > known_width) widen(i);
  for (unsigned f = 0; f < known_width; f++) known[i].of[f] = f < width ? now[f] : 0;
  slots[i].epoch = now[me];
  return i;
}

static void pop(void) {
  uint32_t i = (uint32_t)graph_count - 1;
  const struct graph_slot *s = &slots[i];
  uint32_t before = s->before;
  if (s->place != GRAPH_NONE) places[s->place].last = s->same;
  if (before == GRAPH_NONE)
    begun &= ~((uint64_t)1 << s->fiber);
  else
    slots[before].next = GRAPH_NONE, last_of[s->fiber] = before;
  if (s->sc) graph_sc_count--;
  graph_rows_cut();
  graph_count--;
}

static uint32_t push_access(enum slot_kind kind, int order, uint32_t place, uint32_t message) {
  uint32_t i = push(kind, order);
  slots[i].place = place;
  slots[i].message = message;
  slots[i].same = places[place].last;
  places[place].last = i;
  return i;
}

void weak_event(enum slot_kind kind, uint32_t call) {
  uint32_t i = push(kind, __ATOMIC_RELAXED);
  slots[i].message = call;
}

void weak_fence(int order) { push(SLOT_FENCE, order); }

uint32_t weak_slot(void) { return begun >> current->id & 1 ? last_of[current->id] : GRAPH_NONE; }

/* Clocks. */

static bool happened(const struct graph_slot *s) { return s->fiber == current->id || races_knows(s->fiber, s->epoch); }

/* Those whose knowledge a read of the message gets. */
static void learn(uint32_t m, bool acquires) {
  for (;; m = messages[m].older) {
    if (messages[m].head_epoch) clocks_learn(messages[m].head, messages[m].head_epoch, acquires);
    if (!messages[m].update) return;
  }
}
/* The same, of a slot that is only tried. */
static void learn_tentatively(uint32_t slot, uint32_t m) {
  for (;; m = messages[m].older) {
    if (messages[m].head_epoch) {
      const uint32_t *then = clocks_released(messages[m].head, messages[m].head_epoch);
      for (unsigned f = 0; f < width; f++)
        if (then[f] > known[slot].of[f]) known[slot].of[f] = then[f];
    }
    if (!messages[m].update) return;
  }
}

/* The position of the newest message that the fiber has to know of. */
static uint32_t bound_of(uint32_t place) {
  uint32_t bound = messages[places[place].floor].position;
  for (uint32_t s = places[place].last; s != GRAPH_NONE; s = slots[s].same) {
    uint32_t position = messages[slots[s].message].position;
    if (position > bound && happened(&slots[s])) bound = position;
  }
  return bound;
}

/* Offers. */

static bool is_updated(uint32_t m) {
  uint32_t newer = messages[m].newer;
  return newer != GRAPH_NONE && messages[newer].update;
}

static bool same_value(struct accessed_value a, struct accessed_value b) { return a.low == b.low && a.high == b.high; }

static void offer_all(bool reads, bool writes, const struct accessed_value *expected) {
  uint32_t bound = bound_of(offer.place);
  offer.reads = reads;
  offer.updates = reads && writes;
  offer.count = 0;
  for (uint32_t m = places[offer.place].newest; m != GRAPH_NONE && messages[m].position >= bound;
       m = messages[m].older) {
    bool now = writes && (!expected || same_value(value_of(m), *expected));
    if (now && is_updated(m)) continue;
    if (offer.count == OFFERS_MOST) weak_cannot("more than 200 writes that an access could read", offer.pc);
    offer.writes[offer.count] = now;
    offer.tried[offer.count] = false;
    offer.messages[offer.count++] = m;
  }
}

bool run_offers(void) { return weak_on && offer.count > 1 && offer.pc; }
bool run_offered_write(unsigned block) { return offer.writes[block]; }
uint64_t run_offered(unsigned block) { return graph_message_name(offer.messages[block]); }

bool run_possible(unsigned block) {
  if (!block || offer.tried[block]) return !block || offer.possible[block];
  size_t first = graph_count;
  uint32_t m = offer.messages[block], made = GRAPH_NONE;
  bool writes = offer.writes[block];
  int order = writes || !offer.reads ? offer.order : offer.failed;
  if (offer.reads) {
    uint32_t r = push_access(SLOT_READ, order, offer.place, m);
    if (order_acquires(order)) learn_tentatively(r, m);
    slots[r].update = writes;
    slots[r].barrier |= offer.updates;
  }
  if (writes) {
    made = new_message(offer.place, (struct accessed_value){0, 0});
    put_after(made, m);
    uint32_t w = push_access(SLOT_WRITE, order, offer.place, made);
    if (offer.reads) memcpy(&known[w], &known[w - 1], sizeof *known);
    slots[w].update = offer.reads;
    slots[w].barrier |= offer.reads;
  }
  bool possible = !graph_forbids(first);
  while (graph_count > first) pop();
  if (made != GRAPH_NONE) {
    take_out(made);
    message_count--;
  }
  offer.tried[block] = true;
  offer.possible[block] = possible;
  return possible;
}

size_t run_overtaken(unsigned block, uint32_t *steps, size_t most) {
  size_t count = 0;
  uint32_t position = messages[offer.messages[block]].position;
  for (uint32_t s = places[offer.place].last; s != GRAPH_NONE && count < most; s = slots[s].same) {
    bool conflicts = slots[s].kind == SLOT_WRITE || offer.writes[block];
    if (!conflicts || messages[slots[s].message].position <= position) continue;
    if (count && steps[count - 1] == slots[s].step) continue; /* the two slots of an update */
    steps[count++] = slots[s].step;
  }
  return count;
}

bool run_is_older(unsigned block, size_t step) {
  uint32_t m = offer.messages[block], first = GRAPH_NONE;
  for (uint32_t s = places[offer.place].last; s != GRAPH_NONE && slots[s].step >= step; s = slots[s].same)
    if (slots[s].step == step) first = s;
  if (first == GRAPH_NONE || messages[m].position >= messages[slots[first].message].position) return false;
  return messages[m].slot == GRAPH_NONE ? messages[m].older == GRAPH_NONE : messages[m].slot < first;
}

static uint32_t choose(void) {
  unsigned block = offer.count > 1 ? choose_block(offer.count) : 0;
  if (block && !run_possible(block)) run_stop(RUN_CUT);
  uint32_t m = offer.messages[block];
  scheduler.steps[(ptrdiff_t)run.count - 1].place = graph_message_name(m);
  offer.pc = 0;
  return m;
}

/* Accesses. */

static void begin(uintptr_t at, uint32_t size, int order, int failed, uintptr_t pc) {
  if (scheduler.mode == MODE_QUIET) weak_cannot("an atomic access within ASIF_ATOMIC", pc);
  offer.pc = pc;
  offer.order = order;
  offer.failed = failed;
  offer.place = place_of(at, size, pc);
  value_of(places[offer.place].newest); /* before it is overwritten */
}

static struct accessed_value read_from(uint32_t m, int order, bool updates) {
  struct accessed_value value = value_of(m);
  learn(m, order_acquires(order));
  uint32_t r = push_access(SLOT_READ, order, offer.place, m);
  slots[r].update = updates;
  slots[r].barrier |= offer.updates;
  return value;
}

struct accessed_value weak_read(uintptr_t at, uint32_t size, int order, uintptr_t pc) {
  begin(at, size, order, order, pc);
  offer_all(true, false, NULL);
  struct accessed_value value = read_from(choose(), order, false);
  clocks_place(at, size, POINT_READ, pc);
  return value;
}

/* The write that is about to be made, of the place that was offered. */
static void begin_write(uintptr_t at, uint32_t size, int order, uintptr_t pc) {
  writing.at = at;
  writing.pc = pc;
  writing.place = offer.place;
  writing.size = size;
  writing.order = order;
}

struct accessed_value weak_update(uintptr_t at, uint32_t size, int order, int failed,
                                  const struct accessed_value *expected, uintptr_t pc) {
  begin(at, size, order, failed, pc);
  offer_all(true, true, expected);
  uint32_t m = choose();
  bool writes = !expected || same_value(value_of(m), *expected);
  struct accessed_value value = read_from(m, writes ? order : failed, writes);
  if (!writes) clocks_place(at, size, POINT_READ, pc);
  updated = m;
  begin_write(at, size, order, pc);
  return value;
}

/* What the slot's write makes known besides, if a thread's later writes continue its release sequence (C11, as RC11 has
 * it: whatever is between them): what its last write of the place made known. */
static uint32_t continued(uint32_t write) {
  uint32_t s = slots[write].same, floor = messages[places[slots[write].place].floor].position;
  while (s != GRAPH_NONE && (slots[s].kind != SLOT_WRITE || slots[s].fiber != current->id)) s = slots[s].same;
  if (s == GRAPH_NONE || messages[slots[s].message].position < floor) return 0;
  return messages[slots[s].message].head_epoch;
}

static void write_after(uint32_t older, struct accessed_value value, bool updates) {
  uint32_t m = new_message(writing.place, value);
  put_after(m, older);
  messages[m].update = updates;
  clocks_place(writing.at, writing.size, updates ? POINT_UPDATE : POINT_WRITE, writing.pc);
  uint32_t w = push_access(SLOT_WRITE, writing.order, writing.place, m);
  messages[m].slot = w;
  slots[w].update = updates;
  slots[w].barrier |= updates;
  messages[m].head = current->id;
  bool releases = order_releases(writing.order);
  uint32_t epoch = releases ? clocks_release() : clocks_fence();
  uint32_t before = options.own_sequences && !releases ? continued(w) : 0;
  messages[m].head_epoch = epoch > before ? epoch : before;
  if (places[writing.place].newest == m) to_memory(writing.at, writing.size, value);
}

void weak_updates(struct accessed_value value) { write_after(updated, value, true); }

void weak_write(uintptr_t at, uint32_t size, struct accessed_value value, int order, uintptr_t pc) {
  begin(at, size, order, order, pc);
  offer_all(false, true, NULL);
  uint32_t older = choose();
  begin_write(at, size, order, pc);
  write_after(older, value, false);
}

/* Of each place, the values that it may read from now on, from the newest one. */
uint64_t weak_view(void) {
  uint64_t hash = 0;
  for (uint32_t p = 0; p < graph_place_count; p++) {
    uint32_t bound = bound_of(p), newer = GRAPH_NONE;
    uint64_t values = p + 1;
    for (uint32_t m = places[p].newest; m != GRAPH_NONE && messages[m].position >= bound; m = messages[m].older) {
      struct accessed_value value = value_of(m);
      if (newer == GRAPH_NONE || !same_value(value, value_of(newer)))
        values = hash_mix(values ^ value.low ^ hash_mix(value.high));
      newer = m;
    }
    hash += hash_mix(values);
  }
  return hash;
}

/* The last slot of each fiber when its state was kept, and when that was which it has come back to. */
static uint32_t kept_at[ROUNDS][FIBERS_MOST], loops_since[FIBERS_MOST];

void weak_round(enum weak_round r) { kept_at[r][current->id] = weak_slot(); }
void weak_spins(enum weak_round r) { loops_since[current->id] = kept_at[r][current->id]; }

/* Somebody who spins may have read in the loop what is not the newest: it is not for ever. What has the same value as
 * the newest is as good: whoever writes it again and again changes nothing. */
bool weak_lags(void) {
  for (uint64_t rest = scheduler.spinning & scheduler.alive & begun; rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    for (uint32_t s = last_of[f]; s != GRAPH_NONE && s != loops_since[f]; s = slots[s].before) {
      uint32_t p = slots[s].place;
      if (p == GRAPH_NONE || slots[s].kind > SLOT_WRITE) continue;
      bool again = false; /* it has accessed the place later */
      for (uint32_t t = places[p].last; t != GRAPH_NONE && t > s; t = slots[t].same) again |= slots[t].fiber == f;
      if (!again && !same_value(value_of(slots[s].message), value_of(places[p].newest))) return true;
    }
  }
  return false;
}

/* Rows. */

static graph_row before_rows[GRAPH_SLOTS], after_rows[GRAPH_SLOTS];
graph_row *const graph_before = before_rows, *const graph_after = after_rows;
graph_row graph_of_fiber[FIBERS_MOST];

/* A slot's own; those of the slots before it have room for it. */
static void add_row(size_t j) {
  if (j % 64 == 0)
    for (size_t i = 0; i <= j; i++) before_rows[i][j / 64] = after_rows[i][j / 64] = 0;
  for (unsigned f = 0; j % 64 == 0 && f < FIBERS_MOST; f++) graph_of_fiber[f][j / 64] = 0;
  memset(before_rows[j], 0, (j / 64 + 1) * sizeof(uint64_t));
  memset(after_rows[j], 0, (j / 64 + 1) * sizeof(uint64_t));
  graph_of_fiber[slots[j].fiber][j / 64] |= (uint64_t)1 << j % 64;
  for (size_t i = 0; i < j; i++) {
    if (slots[i].fiber != slots[j].fiber && slots[i].epoch > known[j].of[slots[i].fiber]) continue;
    before_rows[j][i / 64] |= (uint64_t)1 << i % 64;
    after_rows[i][j / 64] |= (uint64_t)1 << j % 64;
  }
}

void graph_rows(void) {
  for (; rows < graph_count; rows++) add_row(rows);
}

void graph_rows_cut(void) {
  size_t j = graph_count - 1;
  if (rows <= j) return;
  rows = j;
  graph_of_fiber[slots[j].fiber][j / 64] &= ~((uint64_t)1 << j % 64);
  for (size_t i = 0; i < j; i++) after_rows[i][j / 64] &= ~((uint64_t)1 << j % 64);
}

/* A sum over the fibers; each slot is known by what it is, and an access by the names of what it reads, or comes after.
 */
void graph_hash(uint64_t hash[2]) {
  uint64_t of[FIBERS_MOST];
  hash[0] = hash[1] = graph_count;
  for (unsigned f = 0; f < FIBERS_MOST; f++) of[f] = f;
  for (size_t i = 0; i < graph_count; i++) {
    const struct graph_slot *s = &slots[i];
    uint64_t what = (uint64_t)s->kind << 8 | s->order, with = 0;
    if (s->kind == SLOT_READ) with = graph_message_name(s->message);
    if (s->kind == SLOT_WRITE) with = graph_message_name(messages[s->message].older);
    if (s->kind == SLOT_CALL || s->kind == SLOT_RETURN) with = s->message;
    for (unsigned f = 0; s->kind == SLOT_SYNC && f < width; f++) with = hash_mix(with ^ known[i].of[f]);
    of[s->fiber] = hash_mix(of[s->fiber] ^ hash_mix(with << 16 ^ what));
  }
  for (unsigned f = 0; f < FIBERS_MOST; f++)
    if (begun >> f & 1) hash[0] += hash_mix(of[f]), hash[1] += hash_mix(of[f] ^ 0x9e3779b97f4a7c15u);
}
