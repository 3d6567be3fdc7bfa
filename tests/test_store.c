/* The store of pairs: going through its records, in the order they were added. */
#include <string.h>

#include "base/hash.h"
#include "test.h"
#include "verify/store.h"

/* More than a chunk of them, with a parent and without. */
static void walk(uint32_t parent) {
  enum { RECORDS = 60000, SIZE = 40 };
  struct mem mem;
  struct store s;
  unsigned char bytes[SIZE] = {0};
  uint32_t ref, number = 0;
  mem_open(&mem, NULL);
  store_open(&s, &mem);
  for (uint32_t i = 0; i < RECORDS; i++) {
    memcpy(bytes, &i, sizeof i);
    CHECK(store_add(&s, hash_bytes(bytes, SIZE), bytes, SIZE, 0, parent, NULL, NULL, &ref));
  }
  for (ref = 0; ref < s.end; ref = store_after(&s, ref), number++)
    CHECKF(!memcmp(store_at(&s, ref).at, &number, sizeof number), "record %u is another one", number);
  CHECKF(number == RECORDS, "%u records of %d", number, RECORDS);
  mem_close(&mem);
}

TEST(store_walk) { walk(0); }
TEST(store_walk_without_parents) { walk(REF_NONE); }
