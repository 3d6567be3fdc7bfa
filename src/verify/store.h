/* The pairs met: a packed state and the number of a set (traces.h), one after the other, each with the pair it was
 * reached from; and a table to find them by their state.
 *
 * A record is the number of the pair it came from, the set, and the state: how many bytes, and the bytes. Its number (a
 * reference) is where it stands, in units of four bytes. A further record of the same state has, instead of the bytes,
 * the references of the first and of the latest before it. The table holds the reference of a state's latest record and
 * eight bits of the hash, so that most of what differs is passed over unread: twelve of them side by side, so that one
 * look at memory is enough. */
#ifndef ASIF_VERIFY_STORE_H
#define ASIF_VERIFY_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define REF_NONE UINT32_MAX

/* A line of the processor's cache. */
enum { BUCKET = 12 };
struct bucket {
  uint8_t tags[BUCKET];
  uint32_t count; /* in use: these come first, and only if all are does the search go on in the next one */
  uint32_t refs[BUCKET];
};

struct store {
  struct mem *mem;
  VEC(unsigned char *) chunks;
  unsigned char *spare, *spare_end; /* memory for more of them */
  uint32_t end;                     /* the reference after the last record, */
  uint32_t most;                    /* and what it may become: more is more than the memory limit allows */
  uint64_t count;                   /* records */
  uint64_t states;                  /* different states among them */
  void *table;                      /* the memory of the buckets, */
  struct bucket *buckets;           /* which begin at a line */
  uint64_t mask;
  uint64_t bytes; /* held */
};

struct record_view {
  const unsigned char *at; /* the state */
  uint32_t size;
  uint32_t set;
  uint32_t parent;
  uint32_t before; /* the record of the same state before this one; REF_NONE */
};

/* Is a pair with this set not needed, since there is one of the same state with that set? Asked of sets that are not
 * equal. */
typedef bool store_covers(void *self, uint32_t there, uint32_t set);

void store_open(struct store *, struct mem *);
/* Adds the pair unless it is there, or one that covers it (covers may be NULL); *ref is where it stands. True if it is
 * new. */
bool store_add(struct store *, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set, uint32_t parent,
               store_covers *, void *self, uint32_t *ref);
/* Where it would be found: the pair, or one that covers it; REF_NONE. */
uint32_t store_find(const struct store *, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set,
                    store_covers *, void *self);
bool store_has(const struct store *, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set);
/* Asks for the memory that adding a state with this hash will look at: its place in the table; then, the record that
 * seems to be of this state (REF_NONE: there is none); then, if that is a further record of its state, the first.
 * Returns the record's set. */
void store_expect(const struct store *, uint64_t hash);
uint32_t store_expect_record(const struct store *, uint64_t hash);
uint32_t store_expect_body(const struct store *, uint32_t ref);
void store_expect_at(const struct store *, uint32_t ref); /* a record that is known */
struct record_view store_at(const struct store *, uint32_t ref);
/* The first record of the same state, and the set of this one. */
uint32_t store_first(const struct store *, uint32_t ref, uint32_t *set);
uint32_t store_parent(const struct store *, uint32_t ref);
void store_set_parent(struct store *, uint32_t ref, uint32_t parent);
/* Records stand in the order they were added, from 0 to `end`: the one after, or the end; where the next one is, if
 * `ref` was the end. */
uint32_t store_after(const struct store *, uint32_t ref);
uint32_t store_settle(const struct store *, uint32_t ref);

#endif
