/* Countings: see countings.h. */
#include "approx/countings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "approx/countings_parts.h"
#include "base/hash.h"

struct countings {
  struct mem *mem;
  const struct spec *spec;
  struct states *states;
  unsigned processes, k;
  bool pairs;              /* values that came and went are forgotten */
  struct byte_table table; /* number 0 is the violation */
  VEC(struct op) labels;   /* label l is at l - 1, and is the states' class l - 1 */
  struct decider decider;
  struct counting now;
  VEC(uint16_t) packed;
  uint32_t initial;
};

/* Labels. */

static uint16_t label_of(struct countings *s, const struct op *op) {
  uint32_t class = states_class(s->states, op);
  if (class >= UINT16_MAX) mem_too_much(s->mem);
  if (class == s->labels.count) vec_push(s->mem, &s->labels, *op);
  return (uint16_t)(class + 1);
}

static const struct op *op_of(const struct countings *s, uint16_t label) { return &s->labels.at[label - 1]; }

uint16_t countings_label(struct countings *s, const struct op *call, unsigned process) {
  struct op op = {
      .method = call->method, .process = s->spec->by_process ? process : 0, .ret = NO_RETURN, .result = V_UNKNOWN};
  memcpy(op.arg, call->arg, sizeof op.arg);
  return label_of(s, &op);
}

/* Reading and making countings. */

static int by_label(const void *a, const void *b) {
  const struct counting_entry *x = a, *y = b;
  if (x->label != y->label) return x->label < y->label ? -1 : 1;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* Sorted, the counts of equal labels and intervals added up, without those that are 0. */
static void tidy(struct counting *c) {
  size_t to = 0;
  if (c->entries.count > 1) qsort(c->entries.at, c->entries.count, sizeof *c->entries.at, by_label);
  for (size_t i = 0; i < c->entries.count; i++) {
    struct counting_entry e = c->entries.at[i];
    if (!e.count) continue;
    if (to && !by_label(&c->entries.at[to - 1], &e))
      c->entries.at[to - 1].count = (uint16_t)(c->entries.at[to - 1].count + e.count);
    else
      c->entries.at[to++] = e;
  }
  c->entries.count = to;
}

/* Two words a process, three an entry. */
static uint32_t intern(struct countings *s) {
  struct counting *c = &s->now;
  tidy(c);
  s->packed.count = 0;
  vec_push(s->mem, &s->packed, (uint16_t)(c->length << 1 | c->returned));
  for (unsigned p = 0; p < s->processes; p++) {
    vec_push(s->mem, &s->packed, c->open[p]);
    vec_push(s->mem, &s->packed, c->open[p] == COUNTING_IDLE ? 0 : c->from[p]);
  }
  for (size_t i = 0; i < c->entries.count; i++) {
    const struct counting_entry *e = &c->entries.at[i];
    vec_push(s->mem, &s->packed, e->label);
    vec_push(s->mem, &s->packed, (uint16_t)(e->from << 8 | e->to));
    vec_push(s->mem, &s->packed, e->count);
  }
  return byte_table_number(&s->table, s->packed.at, s->packed.count * sizeof *s->packed.at);
}

static void unpack(struct countings *s, uint32_t set) {
  struct counting *c = &s->now;
  const struct interned_bytes *x = &s->table.list.at[set];
  size_t count = x->size / sizeof(uint16_t), i = 0;
  vec_reserve(s->mem, &s->packed, count);
  memcpy(s->packed.at, x->at, x->size);
  const uint16_t *w = s->packed.at;
  c->length = (uint8_t)(w[0] >> 1);
  c->returned = w[0] & 1;
  for (i = 1; i < 1 + 2 * s->processes; i += 2) {
    c->open[i / 2] = w[i];
    c->from[i / 2] = (uint8_t)w[i + 1];
  }
  c->entries.count = 0;
  for (; i < count; i += 3) {
    struct counting_entry e = {
        .label = w[i], .count = w[i + 2], .from = (uint8_t)(w[i + 1] >> 8), .to = (uint8_t)w[i + 1]};
    vec_push(s->mem, &c->entries, e);
  }
}

/* Forgetting what makes no difference to a decision, now or later. Intervals only ever move towards [0, 0], so what is
 * there stays. */

static bool old(const struct counting_entry *e) { return e->from == 0 && e->to == 0; }

bool countings_finite(const struct spec *spec) {
  switch (spec->family) {
  case FAMILY_QUEUE:
  case FAMILY_STACK:
  case FAMILY_SEMIQUEUE:
  case FAMILY_K_FIFO:
  case FAMILY_PRIORITY_QUEUE: return !spec->bounded;
  default: return false;
  }
}

/* Can it happen in every initial state? */
static bool happens_first(struct countings *s, uint16_t label) {
  const struct successors initial = s->decider.initial;
  for (uint32_t i = 0; i < initial.count; i++)
    if (!states_step(s->states, initial.at[i], label - 1u).count) return false;
  return true;
}

/* An operation in [0, 0] that changes nothing and can happen first may come before all others; and where it comes in an
 * order, the order is as good without it. */
static void forget_pure(struct countings *s) {
  for (size_t i = 0; i < s->now.entries.count; i++) {
    struct counting_entry *e = &s->now.entries.at[i];
    if (old(e) && op_pure(s->spec, op_of(s, e->label)) && happens_first(s, e->label)) e->count = 0;
  }
}

/* A value put in and taken out in [0, 0] may come and go before all else. The other way about: in an order, let the put
 * p be taken by another pop than q, and q take another put r of the same value. q ends in [0, 0], so r began there: r
 * may come where p was, for that pop, and then q and the place r had can be left out, as a value that came and went can
 * be. */
static void forget_pairs(struct countings *s) {
  enum { PUT, TAKE };
  struct counting_entry *entries = s->now.entries.at;
  for (size_t i = 0; i < s->now.entries.count; i++) {
    struct counting_entry *put = &entries[i];
    if (!old(put) || op_of(s, put->label)->method != PUT) continue;
    for (size_t k = 0; k < s->now.entries.count; k++) {
      struct counting_entry *take = &entries[k];
      if (!old(take) || op_of(s, take->label)->method != TAKE ||
          op_of(s, take->label)->result != op_of(s, put->label)->arg[0])
        continue;
      uint16_t both = put->count < take->count ? put->count : take->count;
      put->count = (uint16_t)(put->count - both);
      take->count = (uint16_t)(take->count - both);
    }
  }
}

/* Values that nobody has taken are put in after the others, where that can be: most often there is an order then. */
static void mark_late(struct countings *s) {
  enum { PUT, TAKE };
  struct counting_entry *entries = s->now.entries.at;
  for (size_t i = 0; s->pairs && i < s->now.entries.count; i++) {
    const struct op *put = op_of(s, entries[i].label);
    entries[i].late = put->method == PUT;
    for (size_t k = 0; entries[i].late && k < s->now.entries.count; k++) {
      const struct op *take = op_of(s, entries[k].label);
      if (take->method == TAKE && take->result == put->arg[0]) entries[i].late = false;
    }
  }
}

static void forget(struct countings *s) {
  tidy(&s->now);
  forget_pure(s);
  if (s->pairs) forget_pairs(s);
  tidy(&s->now);
}

/* Events: Algorithm 1. */

static uint8_t shifted(uint8_t interval) { return interval ? interval - 1 : 0; }

static void shift(struct countings *s) {
  struct counting *c = &s->now;
  for (unsigned p = 0; p < s->processes; p++) c->from[p] = shifted(c->from[p]);
  for (size_t i = 0; i < c->entries.count; i++) {
    c->entries.at[i].from = shifted(c->entries.at[i].from);
    c->entries.at[i].to = shifted(c->entries.at[i].to);
  }
}

/* A call never makes a violation: a pending operation need not take part, and shifting only takes order away. */
uint32_t countings_call(struct countings *s, uint32_t counting, unsigned process, uint16_t label) {
  struct counting *c = &s->now;
  unpack(s, counting);
  if (c->returned && c->length == s->k) {
    shift(s);
    forget(s);
  } else if (c->returned) {
    c->length++;
  }
  c->returned = false;
  c->open[process] = label;
  c->from[process] = c->length;
  return intern(s);
}

uint32_t countings_return(struct countings *s, uint32_t counting, unsigned process, value result) {
  struct counting *c = &s->now;
  unpack(s, counting);
  struct op op = *op_of(s, c->open[process]);
  op.ret = 0;
  op.result = result;
  struct counting_entry e = {.label = label_of(s, &op), .count = 1, .from = c->from[process], .to = c->length};
  vec_push(s->mem, &c->entries, e);
  c->open[process] = COUNTING_IDLE;
  c->returned = true;
  forget(s);
  if (spec_op_in(s->spec->always, op.method))
    return intern(s); /* it may come last, after an order of the others there was before */
  mark_late(s);
  decider_take(&s->decider, c, s->processes);
  return decider_allowed(&s->decider) ? intern(s) : 0;
}

uint32_t countings_elements(struct countings *s, uint32_t counting) {
  unpack(s, counting);
  decider_take(&s->decider, &s->now, s->processes);
  return decider_elements(&s->decider, s->spec);
}

uint32_t countings_count(const struct countings *s) { return (uint32_t)s->table.list.count; }
uint32_t countings_initial(const struct countings *s) { return s->initial; }

/* Renaming. */

static uint16_t renamed(struct countings *s, uint16_t label, const uint8_t *name) {
  if (label == COUNTING_IDLE || !s->spec->by_process) return label;
  struct op op = *op_of(s, label);
  op.process = name[op.process];
  return label_of(s, &op);
}

uint32_t countings_renamed(struct countings *s, uint32_t counting, const uint8_t *from) {
  struct counting *c = &s->now;
  uint16_t open[COUNTINGS_PROCESSES_MOST];
  uint8_t began[COUNTINGS_PROCESSES_MOST], name[COUNTINGS_PROCESSES_MOST] = {0};
  unpack(s, counting);
  for (unsigned p = 0; p < s->processes; p++) name[from[p]] = (uint8_t)p;
  for (unsigned p = 0; p < s->processes; p++) {
    open[p] = renamed(s, c->open[from[p]], name);
    began[p] = c->from[from[p]];
  }
  memcpy(c->open, open, s->processes * sizeof *open);
  memcpy(c->from, began, s->processes);
  for (size_t i = 0; i < c->entries.count; i++) c->entries.at[i].label = renamed(s, c->entries.at[i].label, name);
  return intern(s);
}

/* Of an operation, but for its process. */
static uint64_t hash_of_label(const struct countings *s, uint16_t label) {
  const struct op *op = op_of(s, label);
  uint64_t h = hash_mix((uint64_t)op->method << 32 | op->result);
  for (unsigned a = 0; a < OP_ARGS; a++) h = hash_mix(h ^ op->arg[a]);
  return h;
}

/* What a process has open, and where labels name processes what it has done, in no order. */
void countings_signatures(struct countings *s, uint32_t counting, uint64_t *signatures) {
  struct counting *c = &s->now;
  unpack(s, counting);
  for (unsigned p = 0; p < s->processes; p++)
    signatures[p] = c->open[p] == COUNTING_IDLE ? 0 : hash_mix(hash_of_label(s, c->open[p]) ^ (c->from[p] + 1u));
  for (size_t i = 0; s->spec->by_process && i < c->entries.count; i++) {
    const struct counting_entry *e = &c->entries.at[i];
    uint64_t where = (uint64_t)e->from << 24 | (uint64_t)e->to << 16 | e->count;
    signatures[op_of(s, e->label)->process] += hash_mix(hash_mix(hash_of_label(s, e->label)) ^ where);
  }
}

/* Making them. */

struct countings *countings_new(struct mem *m, const struct spec *spec, unsigned processes, unsigned k) {
  assert(processes <= COUNTINGS_PROCESSES_MOST && k <= COUNTINGS_K_MOST);
  struct countings *s = mem_zero(m, 1, sizeof *s);
  s->mem = m;
  s->spec = spec;
  s->processes = processes;
  s->k = k;
  s->pairs = countings_finite(spec);
  s->states = states_new(m, spec);
  decider_open(&s->decider, m, s->states, k);
  byte_table_open(&s->table, m);
  byte_table_number(&s->table, "", 0); /* the violation */
  s->initial = intern(s);
  return s;
}
