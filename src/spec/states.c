/* States and steps: see states.h. */
#include "spec/states.h"

#include <string.h>

#include "base/hash.h"

struct stored {
  uint64_t *at;
  uint32_t size;
  uint32_t hash;
};

struct class {
  uint16_t method;
  uint32_t process; /* 0 unless the specification cares */
  value arg[OP_ARGS], result;
  struct op op; /* one of its operations, for step */
};

struct memo {
  uint32_t state, class; /* class NO_CLASS: free */
  uint32_t count;
  const uint32_t *at;
};

#define NO_CLASS UINT32_MAX

struct states {
  struct mem *owner;
  struct mem *mem, *other; /* of the states, successors and memo; states_forget moves what is kept to the other */
  const struct spec *spec;
  struct outcomes outcomes;
  VEC(struct stored) list;
  uint32_t *slots, mask; /* state + 1 */
  struct memo *memo;
  uint32_t memo_mask, memo_count;
  VEC(struct class) classes;
  uint32_t *class_slots, class_mask; /* class + 1 */
  uint64_t large;                    /* see states_large */
};

static void tables_open(struct states *s) {
  memset(&s->list, 0, sizeof s->list);
  s->mask = 63;
  s->slots = mem_zero(s->mem, s->mask + 1, sizeof *s->slots);
  s->memo_mask = 127;
  s->memo_count = 0;
  s->memo = mem_alloc(s->mem, (s->memo_mask + 1) * sizeof *s->memo);
  for (uint32_t i = 0; i <= s->memo_mask; i++) s->memo[i].class = NO_CLASS;
}

static void classes_open(struct states *s) {
  memset(&s->classes, 0, sizeof s->classes);
  s->class_mask = 63;
  s->class_slots = mem_zero(s->mem, s->class_mask + 1, sizeof *s->class_slots);
}

struct states *states_new(struct mem *m, const struct spec *spec) {
  struct states *s = mem_zero(m, 1, sizeof *s);
  s->owner = m;
  s->mem = mem_child(m);
  s->other = mem_child(m);
  s->spec = spec;
  outcomes_open(&s->outcomes, m);
  tables_open(s);
  classes_open(s);
  return s;
}

static bool class_equal(const struct class *a, const struct class *b) {
  return a->method == b->method && a->process == b->process && a->result == b->result &&
         !memcmp(a->arg, b->arg, sizeof a->arg);
}

static uint32_t class_hash(const struct class *c) {
  uint32_t words[6] = {c->method, c->process, c->arg[0], c->arg[1], c->arg[2], c->result};
  return (uint32_t)hash_bytes(words, sizeof words);
}

uint32_t states_class(struct states *s, const struct op *o) {
  struct class c = {
      .method = o->method, .process = s->spec->by_process ? o->process : 0, .result = o->result, .op = *o};
  memcpy(c.arg, o->arg, sizeof c.arg);
  uint32_t i = class_hash(&c) & s->class_mask;
  for (; s->class_slots[i]; i = (i + 1) & s->class_mask)
    if (class_equal(&s->classes.at[s->class_slots[i] - 1], &c)) return s->class_slots[i] - 1;
  vec_push(s->mem, &s->classes, c);
  s->class_slots[i] = (uint32_t)s->classes.count;
  if (s->classes.count * 2 > s->class_mask) {
    mem_free(s->mem, s->class_slots);
    s->class_mask = s->class_mask * 2 + 1;
    s->class_slots = mem_zero(s->mem, (size_t)s->class_mask + 1, sizeof *s->class_slots);
    for (uint32_t k = 0; k < s->classes.count; k++) {
      for (i = class_hash(&s->classes.at[k]) & s->class_mask; s->class_slots[i];) i = (i + 1) & s->class_mask;
      s->class_slots[i] = k + 1;
    }
  }
  return (uint32_t)s->classes.count - 1;
}

uint32_t states_intern(struct states *s, struct state x) {
  uint32_t hash = (uint32_t)hash_bytes(x.at, x.size);
  uint32_t i = hash & s->mask;
  for (; s->slots[i]; i = (i + 1) & s->mask) {
    const struct stored *y = &s->list.at[s->slots[i] - 1];
    if (y->hash == hash && y->size == x.size && (!x.size || !memcmp(y->at, x.at, x.size))) return s->slots[i] - 1;
  }
  struct stored y = {mem_piece(s->mem, x.size + 1), x.size, hash};
  if (x.size) memcpy(y.at, x.at, x.size);
  vec_push(s->mem, &s->list, y);
  s->slots[i] = (uint32_t)s->list.count;
  if (s->list.count * 2 > s->mask) {
    mem_free(s->mem, s->slots);
    s->mask = s->mask * 2 + 1;
    s->slots = mem_zero(s->mem, (size_t)s->mask + 1, sizeof *s->slots);
    for (uint32_t k = 0; k < s->list.count; k++) {
      for (i = s->list.at[k].hash & s->mask; s->slots[i];) i = (i + 1) & s->mask;
      s->slots[i] = k + 1;
    }
  }
  return (uint32_t)s->list.count - 1;
}

struct state states_at(const struct states *s, uint32_t state) {
  return (struct state){s->list.at[state].at, s->list.at[state].size};
}

uint32_t states_count(const struct states *s) { return (uint32_t)s->list.count; }

size_t states_bytes(const struct states *s) { return s->mem->used; }
uint64_t states_large(const struct states *s) { return s->large; }

/* The outcomes as a set of states. */
static struct successors collect(struct states *s) {
  enum { LARGE = 256 };
  uint32_t count = 0, n = (uint32_t)s->outcomes.list.count, *list = n ? mem_piece(s->mem, n * sizeof *list) : NULL;
  for (uint32_t i = 0; i < n; i++) {
    struct state made = outcomes_state(&s->outcomes, i);
    uint32_t x = states_intern(s, made), k;
    s->large += made.size / LARGE;
    for (k = 0; k < count && list[k] != x; k++) {}
    if (k == count) list[count++] = x;
  }
  return (struct successors){list, count};
}

struct successors states_initial(struct states *s) {
  outcomes_clear(&s->outcomes);
  s->spec->init(s->spec, &s->outcomes);
  return collect(s);
}

static void memo_grow(struct states *s) {
  struct memo *old = s->memo;
  uint32_t mask = s->memo_mask;
  s->memo_mask = mask * 2 + 1;
  s->memo = mem_alloc(s->mem, ((size_t)s->memo_mask + 1) * sizeof *s->memo);
  for (uint32_t i = 0; i <= s->memo_mask; i++) s->memo[i].class = NO_CLASS;
  for (uint32_t i = 0; i <= mask; i++) {
    if (old[i].class == NO_CLASS) continue;
    uint32_t at = (uint32_t)hash_mix((uint64_t)old[i].state << 32 | old[i].class) & s->memo_mask;
    while (s->memo[at].class != NO_CLASS) at = (at + 1) & s->memo_mask;
    s->memo[at] = old[i];
  }
  mem_free(s->mem, old);
}

struct successors states_step(struct states *s, uint32_t state, uint32_t class) {
  uint32_t i = (uint32_t)hash_mix((uint64_t)state << 32 | class) & s->memo_mask;
  for (; s->memo[i].class != NO_CLASS; i = (i + 1) & s->memo_mask)
    if (s->memo[i].state == state && s->memo[i].class == class)
      return (struct successors){s->memo[i].at, s->memo[i].count};
  outcomes_clear(&s->outcomes);
  s->spec->step(s->spec, states_at(s, state), &s->classes.at[class].op, &s->outcomes);
  struct successors x = collect(s);
  s->memo[i] = (struct memo){state, class, x.count, x.at};
  if (++s->memo_count * 2 > s->memo_mask) memo_grow(s);
  return x;
}

void states_forget(struct states *s, uint32_t *keep, uint32_t count) {
  struct stored *kept = mem_alloc(s->owner, ((size_t)count + 1) * sizeof *kept);
  for (uint32_t i = 0; i < count; i++) kept[i] = s->list.at[keep[i]];
  struct mem *old = s->mem;
  s->mem = s->other;
  s->other = old;
  tables_open(s);
  classes_open(s);
  for (uint32_t i = 0; i < count; i++) keep[i] = states_intern(s, (struct state){kept[i].at, kept[i].size});
  mem_close(old);
  mem_free(s->owner, kept);
}
