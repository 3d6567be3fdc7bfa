/* Is a counting the specification's? (countings.h)
 *
 * Its operations are put in an order one by one. A completed operation that ended in interval j comes before those that
 * began after j, so of those that are left any may be next that began no later than the first of them to end.
 * Operations with the same label and interval are interchangeable: a configuration is the specification's state and how
 * many are left of each kind. Pending operations take part or do not, with any result. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "approx/countings_parts.h"

enum { POLL_EVERY = 1024 };

/* Bytes and their numbers. */

void byte_table_open(struct byte_table *t, struct mem *mem) {
  memset(t, 0, sizeof *t);
  t->mem = mem;
  t->mask = 255;
  t->slots = mem_zero(mem, t->mask + 1, sizeof *t->slots);
}

static void byte_table_grow(struct byte_table *t) {
  mem_free(t->mem, t->slots);
  t->mask = t->mask * 2 + 1;
  t->slots = mem_zero(t->mem, (size_t)t->mask + 1, sizeof *t->slots);
  for (uint32_t n = 0; n < t->list.count; n++) {
    uint32_t i = t->list.at[n].hash & t->mask;
    while (t->slots[i]) i = (i + 1) & t->mask;
    t->slots[i] = n + 1;
  }
}

uint32_t byte_table_number(struct byte_table *t, const void *bytes, size_t size) {
  uint32_t hash = (uint32_t)hash_bytes(bytes, size), i = hash & t->mask;
  for (; t->slots[i]; i = (i + 1) & t->mask) {
    const struct interned_bytes *x = &t->list.at[t->slots[i] - 1];
    if (x->hash == hash && x->size == size && (!size || !memcmp(x->at, bytes, size))) return t->slots[i] - 1;
  }
  unsigned char *copy = mem_piece(t->mem, size + 1);
  if (size) memcpy(copy, bytes, size);
  vec_push(t->mem, &t->list, ((struct interned_bytes){copy, (uint32_t)size, hash}));
  uint32_t number = (uint32_t)t->list.count - 1;
  t->slots[i] = number + 1;
  if (t->list.count * 2 > t->mask) byte_table_grow(t);
  return number;
}

/* Groups. */

void decider_open(struct decider *d, struct mem *mem, struct states *states, unsigned k) {
  memset(d, 0, sizeof *d);
  d->mem = mem;
  d->states = states;
  d->initial = states_initial(states);
  d->k = k;
  d->mask = 1023;
  d->slots = mem_zero(mem, d->mask + 1, sizeof *d->slots);
  byte_table_open(&d->keys, mem);
}

/* What is to be tried first comes last: what ended first, and of that what was met first, which is often what happened
 * first. */
static int by_end(const void *a, const void *b) {
  const struct counting_group *x = a, *y = b;
  if (x->late != y->late) return x->late ? -1 : 1;
  if (x->to != y->to) return x->to < y->to ? 1 : -1;
  if (x->label != y->label) return x->label < y->label ? 1 : -1;
  return memcmp(y, x, sizeof *x);
}

static void add_pending(struct decider *d, struct counting_group g) {
  for (size_t i = 0; i < d->groups.count; i++) {
    struct counting_group *x = &d->groups.at[i];
    if (x->label != g.label || x->from != g.from) continue;
    x->count++;
    return;
  }
  vec_push(d->mem, &d->groups, g);
}

void decider_take(struct decider *d, const struct counting *c, unsigned processes) {
  d->groups.count = 0;
  for (unsigned p = 0; p < processes; p++)
    if (c->open[p] != COUNTING_IDLE)
      add_pending(d, (struct counting_group){
                         .label = c->open[p], .count = 1, .from = c->from[p], .to = (uint8_t)d->k, .pending = true});
  for (size_t i = 0; i < c->entries.count; i++) {
    const struct counting_entry *e = &c->entries.at[i];
    vec_push(
        d->mem, &d->groups,
        ((struct counting_group){.label = e->label, .count = e->count, .from = e->from, .to = e->to, .late = e->late}));
  }
  if (d->groups.count > 1) qsort(d->groups.at, d->groups.count, sizeof *d->groups.at, by_end);
}

/* Configurations. */

/* Few in a large table are taken out one by one: each is somewhere after the place it hashes to. */
static void clear(struct decider *d) {
  size_t count = d->width ? d->bytes.count / d->width : 0;
  if (count * 16 > d->mask) {
    memset(d->slots, 0, ((size_t)d->mask + 1) * sizeof *d->slots);
  } else {
    for (size_t k = 0; k < count; k++) {
      uint32_t i = (uint32_t)hash_bytes(d->bytes.at + k * d->width, d->width) & d->mask;
      while (d->slots[i] != k + 1) i = (i + 1) & d->mask;
      d->slots[i] = 0;
    }
  }
  d->bytes.count = d->waiting.count = 0;
  d->width = sizeof(uint32_t) + d->groups.count * sizeof(uint16_t);
  d->next = mem_resize(d->mem, d->next, d->width);
}

static uint32_t *place_of(struct decider *d, const unsigned char *config) {
  uint32_t i = (uint32_t)hash_bytes(config, d->width) & d->mask;
  while (d->slots[i] && memcmp(d->bytes.at + (size_t)(d->slots[i] - 1) * d->width, config, d->width))
    i = (i + 1) & d->mask;
  return &d->slots[i];
}

static void grow(struct decider *d, size_t count) {
  mem_free(d->mem, d->slots);
  d->slots = NULL;
  d->mask = d->mask * 2 + 1;
  d->slots = mem_zero(d->mem, (size_t)d->mask + 1, sizeof *d->slots);
  for (size_t i = 0; i < count; i++) *place_of(d, d->bytes.at + i * d->width) = (uint32_t)i + 1;
}

/* The configuration in d->next is one to go on from, if it is new. */
static void reach(struct decider *d) {
  uint32_t *place = place_of(d, d->next);
  if (*place) return;
  vec_reserve(d->mem, &d->bytes, d->bytes.count + d->width);
  memcpy(d->bytes.at + d->bytes.count, d->next, d->width);
  d->bytes.count += d->width;
  size_t count = d->bytes.count / d->width;
  *place = (uint32_t)count;
  vec_push(d->mem, &d->waiting, (uint32_t)count - 1);
  if (count * 2 > d->mask) grow(d, count);
}

static void start(struct decider *d) {
  const struct successors initial = d->initial;
  clear(d);
  for (size_t g = 0; g < d->groups.count; g++) memcpy(d->next + 4 + 2 * g, &d->groups.at[g].count, 2);
  for (uint32_t i = 0; i < initial.count; i++) {
    memcpy(d->next, &initial.at[i], 4);
    reach(d);
  }
}

static uint16_t left(const unsigned char *config, size_t group) {
  uint16_t n;
  memcpy(&n, config + 4 + 2 * group, 2);
  return n;
}

/* Of the completed operations that are left, the end of the first to end; more than k if none is left. */
static unsigned first_end(const struct decider *d, const unsigned char *config) {
  unsigned first = d->k + 1;
  for (size_t g = 0; g < d->groups.count; g++)
    if (!d->groups.at[g].pending && d->groups.at[g].to < first && left(config, g)) first = d->groups.at[g].to;
  return first;
}

/* One of the group is next. */
static void put_next(struct decider *d, uint32_t config, size_t group) {
  uint32_t state;
  memcpy(&state, d->bytes.at + config * d->width, 4);
  struct successors x = states_step(d->states, state, d->groups.at[group].label - 1u);
  for (uint32_t i = 0; i < x.count; i++) {
    memcpy(d->next, d->bytes.at + config * d->width, d->width);
    uint16_t n = (uint16_t)(left(d->next, group) - 1);
    memcpy(d->next, &x.at[i], 4);
    memcpy(d->next + 4 + 2 * group, &n, 2);
    reach(d);
  }
}

static void go_on(struct decider *d, uint32_t config, unsigned end) {
  for (size_t g = 0; g < d->groups.count; g++)
    if (d->groups.at[g].from <= end && left(d->bytes.at + config * d->width, g)) put_next(d, config, g);
}

static void poll(struct decider *d, size_t *done) {
  if (++*done % POLL_EVERY == 0) mem_poll(d->mem);
}

static bool some_order(struct decider *d) {
  size_t done = 0;
  start(d);
  while (d->waiting.count) {
    poll(d, &done);
    uint32_t config = d->waiting.at[--d->waiting.count];
    unsigned end = first_end(d, d->bytes.at + config * d->width);
    if (end > d->k) return true;
    go_on(d, config, end);
  }
  return false;
}

bool decider_allowed(struct decider *d) {
  uint32_t key = byte_table_number(&d->keys, d->groups.at, d->groups.count * sizeof *d->groups.at);
  enum { UNDECIDED, NO, YES };
  while (d->allowed.count <= key) vec_push(d->mem, &d->allowed, UNDECIDED);
  if (d->allowed.at[key] == UNDECIDED) d->allowed.at[key] = some_order(d) ? YES : NO;
  return d->allowed.at[key] == YES;
}

uint32_t decider_elements(struct decider *d, const struct spec *spec) {
  uint32_t most = 0;
  size_t done = 0;
  start(d);
  while (d->waiting.count) {
    poll(d, &done);
    uint32_t config = d->waiting.at[--d->waiting.count], state;
    unsigned end = first_end(d, d->bytes.at + config * d->width);
    memcpy(&state, d->bytes.at + config * d->width, 4);
    uint32_t n = end > d->k ? spec->elements(spec, states_at(d->states, state)) : 0;
    if (n > most) most = n;
    go_on(d, config, end);
  }
  return most;
}
