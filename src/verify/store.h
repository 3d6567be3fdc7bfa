/* The states met: packed bytes, one after the other, each with the state it was reached from; and a table to find them.
 *
 * A record is the number of the state it came from, how many bytes, and the bytes. Its number (a reference) is where it stands, in units
 * of four bytes. The table holds references and, for each, eight bits of the hash, so that most of what differs is passed over unread. */
#ifndef ASIF_VERIFY_STORE_H
#define ASIF_VERIFY_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define REF_NONE UINT32_MAX

struct store {
  struct mem *mem;
  VEC(unsigned char *) chunks;
  uint32_t end;   /* the reference after the last record */
  uint64_t count; /* records */
  uint32_t *refs;
  uint8_t *tags; /* 0: free */
  uint64_t mask;
  uint64_t bytes; /* held */
};

struct record_view {
  const unsigned char *at;
  uint32_t size;
  uint32_t parent;
};

void store_open(struct store *, struct mem *);
/* Adds the state unless it is there; *ref is where it stands. True if it is new. */
bool store_add(struct store *, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t parent, uint32_t *ref);
bool store_has(const struct store *, uint64_t hash, const unsigned char *bytes, uint32_t size);
/* Asks for the memory that adding a state with this hash will look at: its place in the table; then, what stands there. */
void store_expect(const struct store *, uint64_t hash);
void store_expect_record(const struct store *, uint64_t hash);
struct record_view store_at(const struct store *, uint32_t ref);
/* Records stand in the order they were added, from 0 to `end`: the one after, or the end; where the next one is, if `ref` was the end. */
uint32_t store_after(const struct store *, uint32_t ref);
uint32_t store_settle(const struct store *, uint32_t ref);

#endif
