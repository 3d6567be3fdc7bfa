/* Algorithm 1 (Bouajjani et al. 2015, section 6.2): the counting representation of A_k of the history so far, event by
 * event.
 *
 * Labels are in a hash table and have numbers; a number is free again when its label is gone. What a label counts is
 * shifted when the label is next looked at, by as many intervals as there are new ones: an event costs one or two
 * labels' intervals, never all of them. */
#include "approx/count.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

struct entry {
  struct approx_label label;
  uint64_t shifts; /* which its counts have seen; see shifts_of */
  uint64_t total;  /* operations with this label; 0: the number is free */
};

struct open {
  uint64_t start; /* n at its call: s(o) of Algorithm 1 */
  uint32_t label; /* its pending label, one more; 0: no open operation here */
};

struct counting {
  struct mem *mem;
  unsigned k, intervals;
  uint64_t n;    /* the length of the history so far */
  bool returned; /* the latest event was a return: the next call begins an interval */
  VEC(struct entry) labels;
  uint64_t *counts;     /* `intervals` for each label there is room for */
  VEC(uint32_t) unused; /* numbers */
  uint32_t *table;      /* label numbers, one more; 0: free. Twice the labels at least, a power of two */
  uint32_t mask, used;
  VEC(struct open) open; /* by slot */
};

struct counting *counting_new(struct mem *m, unsigned k) {
  assert(k <= APPROX_K_MOST);
  struct counting *c = mem_zero(m, 1, sizeof *c);
  c->mem = m;
  c->k = k;
  c->intervals = APPROX_INTERVALS(k);
  c->mask = 15;
  c->table = mem_zero(m, (size_t)c->mask + 1, sizeof *c->table);
  return c;
}

static uint32_t hash_label(const struct approx_label *l) {
  uint64_t h = hash_mix((uint64_t)l->result << 32 | (uint64_t)l->method << 1 | l->pending);
  for (int i = 0; i < OP_ARGS; i++) h = hash_mix(h ^ l->arg[i]);
  return (uint32_t)h;
}

static bool same_label(const struct approx_label *a, const struct approx_label *b) {
  return a->method == b->method && a->pending == b->pending && a->result == b->result &&
         !memcmp(a->arg, b->arg, sizeof a->arg);
}

/* Where the label is in the table, or would be. */
static uint32_t place(const struct counting *c, const struct approx_label *l) {
  uint32_t at = hash_label(l) & c->mask;
  while (c->table[at] && !same_label(&c->labels.at[c->table[at] - 1].label, l)) at = (at + 1) & c->mask;
  return at;
}

static void grow_table(struct counting *c) {
  uint32_t *old = c->table, size = c->mask + 1;
  if (size > UINT32_MAX / 2) mem_too_much(c->mem);
  c->table = mem_zero(c->mem, (size_t)size * 2, sizeof *c->table);
  c->mask = size * 2 - 1;
  for (uint32_t i = 0; i < size; i++)
    if (old[i]) c->table[place(c, &c->labels.at[old[i] - 1].label)] = old[i];
  mem_free(c->mem, old);
}

/* How many intervals are no longer told apart from the first. */
static uint64_t shifts_of(const struct counting *c) { return c->n > c->k ? c->n - c->k : 0; }

static uint32_t new_number(struct counting *c) {
  if (c->unused.count) return c->unused.at[--c->unused.count];
  size_t room = c->labels.room;
  vec_push(c->mem, &c->labels, (struct entry){0});
  if (c->labels.room != room)
    c->counts = mem_resize(c->mem, c->counts, c->labels.room * c->intervals * sizeof *c->counts);
  return (uint32_t)(c->labels.count - 1);
}

/* The label's number; a new one has no operations yet. */
static uint32_t number_of(struct counting *c, const struct approx_label *l) {
  uint32_t at = place(c, l);
  if (c->table[at]) return c->table[at] - 1;
  if (c->used >= c->mask / 2) {
    grow_table(c);
    at = place(c, l);
  }
  uint32_t n = new_number(c);
  c->labels.at[n] = (struct entry){*l, shifts_of(c), 0};
  memset(c->counts + (size_t)n * c->intervals, 0, c->intervals * sizeof *c->counts);
  c->table[at] = n + 1;
  c->used++;
  return n;
}

/* Takes a label out of the table. Those after it that its place kept from their own move up. */
static void remove_label(struct counting *c, uint32_t n) {
  uint32_t hole = place(c, &c->labels.at[n].label);
  for (uint32_t at = (hole + 1) & c->mask; c->table[at]; at = (at + 1) & c->mask) {
    uint32_t home = hash_label(&c->labels.at[c->table[at] - 1].label) & c->mask;
    if (((at - home) & c->mask) < ((at - hole) & c->mask)) continue;
    c->table[hole] = c->table[at];
    hole = at;
  }
  c->table[hole] = 0;
  c->used--;
  c->labels.at[n].total = 0;
  vec_push(c->mem, &c->unused, n);
}

/* Lemma 6.8, `by` times at once: each bound goes down by so much, to no less than 0; a pending operation's upper one
 * stays k. */
static void shift(const struct counting *c, uint64_t *counts, bool pending, uint64_t by) {
  uint64_t old[APPROX_INTERVALS(APPROX_K_MOST)];
  memcpy(old, counts, c->intervals * sizeof *old);
  memset(counts, 0, c->intervals * sizeof *counts);
  for (unsigned i = 0, at = 0; i <= c->k; i++)
    for (unsigned j = i; j <= c->k; j++, at++) {
      unsigned from = i > by ? i - (unsigned)by : 0, to = pending ? c->k : j > by ? j - (unsigned)by : 0;
      counts[approx_interval(c->k, from, to)] += old[at];
    }
}

const uint64_t *counting_at(struct counting *c, uint32_t n) {
  struct entry *e = &c->labels.at[n];
  uint64_t *counts = c->counts + (size_t)n * c->intervals, now = shifts_of(c);
  if (e->shifts != now) {
    shift(c, counts, e->label.pending, now - e->shifts);
    e->shifts = now;
  }
  return counts;
}

static void add(struct counting *c, uint32_t n, unsigned from, unsigned to) {
  counting_at(c, n);
  c->counts[(size_t)n * c->intervals + approx_interval(c->k, from, to)]++;
  c->labels.at[n].total++;
}

/* A pending label of which there is none any more is gone: there are as many of them as operations at once. */
static void take(struct counting *c, uint32_t n, unsigned from) {
  counting_at(c, n);
  c->counts[(size_t)n * c->intervals + approx_interval(c->k, from, c->k)]--;
  if (!--c->labels.at[n].total) remove_label(c, n);
}

void counting_call(struct counting *c, uint32_t slot, uint16_t method, const value arg[OP_ARGS]) {
  if (c->returned) c->n++;
  c->returned = false;
  while (slot >= c->open.count) vec_push(c->mem, &c->open, (struct open){0});
  struct approx_label l = {.method = method, .pending = true, .result = V_UNKNOWN};
  memcpy(l.arg, arg, sizeof l.arg);
  uint32_t n = number_of(c, &l);
  assert(!c->open.at[slot].label);
  c->open.at[slot] = (struct open){c->n, n + 1};
  add(c, n, c->n < c->k ? (unsigned)c->n : c->k, c->k);
}

/* The open operation of a slot, which is free from now on: its pending label, and where its interval begins by now. */
static uint32_t close_slot(struct counting *c, uint32_t slot, unsigned *from) {
  struct open *o = &c->open.at[slot];
  assert(slot < c->open.count && o->label);
  uint64_t shifts = shifts_of(c);
  *from = o->start > shifts ? (unsigned)(o->start - shifts) : 0;
  uint32_t n = o->label - 1;
  o->label = 0;
  return n;
}

uint32_t counting_return(struct counting *c, uint32_t slot, value result) {
  unsigned from;
  uint32_t pending = close_slot(c, slot, &from);
  struct approx_label l = c->labels.at[pending].label;
  l.pending = false;
  l.result = result;
  take(c, pending, from);
  uint32_t n = number_of(c, &l);
  add(c, n, from, c->n < c->k ? (unsigned)c->n : c->k);
  c->returned = true;
  return n;
}

void counting_drop(struct counting *c, uint32_t slot) {
  unsigned from;
  uint32_t pending = close_slot(c, slot, &from);
  take(c, pending, from);
}

void counting_retire(struct counting *c, uint32_t slot) {
  unsigned from;
  close_slot(c, slot, &from);
}

void counting_forget(struct counting *c, uint32_t n) {
  assert(counting_occurs(c, n) && !c->labels.at[n].label.pending && counting_at(c, n)[0] == c->labels.at[n].total);
  remove_label(c, n);
}

unsigned counting_k(const struct counting *c) { return c->k; }
uint64_t counting_length(const struct counting *c) { return c->n; }
uint32_t counting_labels(const struct counting *c) { return (uint32_t)c->labels.count; }
bool counting_occurs(const struct counting *c, uint32_t n) { return c->labels.at[n].total > 0; }
struct approx_label counting_label(const struct counting *c, uint32_t n) {
  return c->labels.at[n].label;
}

int64_t counting_find(const struct counting *c, const struct approx_label *l) {
  return (int64_t)c->table[place(c, l)] - 1;
}

size_t counting_bytes(const struct counting *c) {
  return sizeof *c + c->labels.room * (sizeof *c->labels.at + c->intervals * sizeof *c->counts) +
         c->unused.room * sizeof *c->unused.at + ((size_t)c->mask + 1) * sizeof *c->table +
         c->open.room * sizeof *c->open.at;
}
