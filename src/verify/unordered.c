/* Conflicts between operands in no order (front/lower_checked.c).
 *
 * Operands nest as branches of a program that forks and joins do, so this is the question whether such a program has a
 * determinacy race, which Feng and Leiserson (1997) decide on the one sequential execution, with SP-bags. Every operand
 * that is evaluated has a number. The numbers are in bags, disjoint sets: those that are over and in no order with what
 * runs now (parallel), a bag for each expression that is being evaluated, and those that come before it. An operand
 * that ends goes, with all that was within it, into the bag of its expression; when the expression ends, its bag goes
 * to the operand around it. Of each location the last writer is kept, and a reader: it conflicts with an access if its
 * bag is a parallel one. If no two conflict, every order gives what this one gave. */
#include "verify/unordered.h"

#include "base/hash.h"
#include "front/conflicts.h"

enum { BITS_FIRST = 10 };
#define SERIAL    UINT32_MAX
#define REGISTERS (UINT64_C(1) << 63)
#define BITS      (UINT64_C(1) << 62)

struct bag {
  uint32_t parent;
  uint32_t level; /* of a root: the expression, counted from the outermost, that it is parallel within; SERIAL */
};

struct level {
  const struct inst *begin;
  uint32_t around;   /* the operand that the expression is in */
  uint32_t parallel; /* some number of its bag; 0: it is empty */
  bool running;      /* one of its operands is */
};

struct location {
  uint64_t key, stamp; /* it means something if nothing newer has the object's number */
  uint32_t writer, reader;
  bool has_bits; /* bit-fields in it were accessed: each bit is a location of its own */
};

struct unordered {
  struct mem *mem;
  uint32_t current; /* the operand that runs */
  VEC(struct bag) bags;
  VEC(struct level) levels;
  struct location *table;
  uint32_t used;
  unsigned bits;
  uint64_t stamp, begun; /* the outermost expression that is being evaluated began */
  VEC(uint64_t) born;    /* an object */
};

struct unordered *unordered_new(struct mem *mem) {
  struct unordered *u = mem_zero(mem, 1, sizeof *u);
  u->mem = mem;
  u->bits = BITS_FIRST;
  u->table = mem_zero(mem, (size_t)1 << u->bits, sizeof *u->table);
  return u;
}

void unordered_reset(struct unordered *u) { u->levels.count = 0; }

bool unordered_open(const struct unordered *u) { return u->levels.count != 0; }

static uint32_t find(struct unordered *u, uint32_t n) {
  while (u->bags.at[n].parent != n) n = u->bags.at[n].parent = u->bags.at[u->bags.at[n].parent].parent;
  return n;
}

static uint32_t new_bag(struct unordered *u) {
  uint32_t n = (uint32_t)u->bags.count;
  vec_push(u->mem, &u->bags, ((struct bag){n, SERIAL}));
  return n;
}

static void operand_ends(struct unordered *u) {
  uint32_t at = (uint32_t)u->levels.count - 1, root = find(u, u->current);
  struct level *l = &u->levels.at[at];
  if (!l->running) return;
  if (l->parallel)
    u->bags.at[root].parent = find(u, l->parallel);
  else
    u->bags.at[root].level = at;
  l->parallel = root;
  l->running = false;
}

static void expression_ends(struct unordered *u) {
  operand_ends(u);
  struct level l = u->levels.at[--u->levels.count];
  if (l.parallel) u->bags.at[find(u, l.parallel)].parent = find(u, l.around);
  u->current = l.around;
}

/* Locations. */

static bool is_valid(const struct unordered *u, const struct location *l) {
  uint64_t object = (l->key & ~BITS) >> 40;
  if (l->stamp <= u->begun) return false;
  return (l->key & REGISTERS) || object >= u->born.count || l->stamp > u->born.at[object];
}

static struct location *slot_of(struct location *table, unsigned bits, uint64_t key) {
  uint64_t mask = ((uint64_t)1 << bits) - 1;
  for (uint64_t at = hash_mix(key) & mask;; at = (at + 1) & mask)
    if (!table[at].stamp || table[at].key == key) return &table[at];
}

/* Without what no longer means anything; larger if that is not enough. */
static void make_room(struct unordered *u) {
  size_t size = (size_t)1 << u->bits, valid = 0;
  for (size_t i = 0; i < size; i++) valid += u->table[i].stamp && is_valid(u, &u->table[i]);
  unsigned bits = u->bits + (4 * valid > size);
  struct location *table = mem_zero(u->mem, (size_t)1 << bits, sizeof *table);
  for (size_t i = 0; i < size; i++)
    if (u->table[i].stamp && is_valid(u, &u->table[i])) *slot_of(table, bits, u->table[i].key) = u->table[i];
  mem_free(u->mem, u->table);
  u->table = table;
  u->bits = bits;
  u->used = (uint32_t)valid;
}

static struct location *location(struct unordered *u, uint64_t key) {
  if (2 * (size_t)u->used >= (size_t)1 << u->bits) make_room(u);
  struct location *l = slot_of(u->table, u->bits, key);
  if (!l->stamp) u->used++;
  if (!l->stamp || !is_valid(u, l)) *l = (struct location){.key = key};
  l->stamp = u->stamp;
  return l;
}

/* Conflicts. */

static enum ended conflict(struct run *run, const struct inst *in, uint32_t level) {
  const struct unordered *u = run->machine->unordered;
  conflicts_add(run->machine->program->conflicts, u->levels.at[level].begin->place);
  return step_fault(run, in, FAULT_UNORDERED, NULL);
}

/* Does an access to it conflict with an earlier one? */
static enum ended judge(struct run *run, const struct inst *in, const struct location *l, bool wrote) {
  struct unordered *u = run->machine->unordered;
  uint32_t writer = l->writer ? u->bags.at[find(u, l->writer)].level : SERIAL;
  uint32_t reader = l->reader ? u->bags.at[find(u, l->reader)].level : SERIAL;
  if (writer != SERIAL) return conflict(run, in, writer);
  if (wrote && reader != SERIAL) return conflict(run, in, reader);
  return GO_ON;
}

static enum ended touch(struct run *run, const struct inst *in, uint64_t key, bool wrote) {
  struct unordered *u = run->machine->unordered;
  struct location *l = location(u, key);
  enum ended bad = judge(run, in, l, wrote);
  if (bad != GO_ON) return bad;
  if (wrote)
    l->writer = u->current;
  else if (!l->reader ||
           u->bags.at[find(u, l->reader)].level ==
               SERIAL) /* a reader that is parallel stays: what conflicts with a later one conflicts with it */
    l->reader = u->current;
  return GO_ON;
}

enum ended unordered_mark(struct run *run, const struct inst *in) {
  struct unordered *u = run->machine->unordered;
  switch (in->op) {
  case UNORDERED_BEGIN:
    if (!u->levels.count) {
      u->begun = u->stamp++;
      u->bags.count = 0;
      new_bag(u); /* 0 is none */
      u->current = new_bag(u);
    }
    vec_push(u->mem, &u->levels, ((struct level){.begin = in, .around = u->current}));
    return GO_ON;
  case UNORDERED_NEXT:
    operand_ends(u);
    u->levels.at[u->levels.count - 1].running = true;
    u->current = new_bag(u);
    return GO_ON;
  case UNORDERED_END: expression_ends(u); return GO_ON;
  default: return touch(run, in, REGISTERS | (uint64_t)in->imm, in->op == UNORDERED_WRITE);
  }
}

static uint64_t byte_key(uint32_t object, int64_t at) { return (uint64_t)object << 40 | ((uint64_t)at & 0xffffffff); }

/* The key of bit `bit` of the byte with this key. */
static uint64_t bit_key(uint64_t byte, unsigned bit) { return byte | BITS | (uint64_t)bit << 36; }

/* A bit-field. Others in the same bytes are objects of their own, but not what is accessed as those bytes. */
static enum ended touch_bits(struct run *run, const struct inst *in, uint32_t object, int64_t from, bool wrote) {
  struct unordered *u = run->machine->unordered;
  for (unsigned i = in->bits->first_bit, end = i + in->bits->width; i < end; i++) {
    uint64_t byte = byte_key(object, from + i / 8);
    struct location *l = location(u, byte);
    l->has_bits = true;
    enum ended bad = judge(run, in, l, wrote);
    if (bad == GO_ON) bad = touch(run, in, bit_key(byte, i % 8), wrote);
    if (bad != GO_ON) return bad;
  }
  return GO_ON;
}

enum ended unordered_access(struct run *run, const struct inst *in, uint32_t object, int64_t from, int64_t to,
                            bool wrote) {
  if (inst_is_bits(in)) return touch_bits(run, in, object, from, wrote);
  for (int64_t at = from; at < to; at++) {
    uint64_t key = byte_key(object, at);
    enum ended bad = touch(run, in, key, wrote);
    bool has_bits = bad == GO_ON && location(run->machine->unordered, key)->has_bits;
    for (unsigned bit = 0; bit < 8 && has_bits && bad == GO_ON; bit++) bad = touch(run, in, bit_key(key, bit), wrote);
    if (bad != GO_ON) return bad;
  }
  return GO_ON;
}

void unordered_born(struct unordered *u, uint32_t object) {
  while (u->born.count <= object) vec_push(u->mem, &u->born, 0);
  u->born.at[object] = u->stamp++;
}

enum ended unordered_other(struct run *run, const struct inst *in) {
  return conflict(run, in, (uint32_t)run->machine->unordered->levels.count - 1);
}
