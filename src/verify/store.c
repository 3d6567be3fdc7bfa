/* The states met (store.h). */
#include "verify/store.h"

#include <string.h>

#include "base/hash.h"

enum { UNIT = 4, CHUNK_UNITS = 1 << 18 }; /* chunks of one megabyte */

static inline unsigned char *at_ref(const struct store *s, uint32_t ref) {
  return s->chunks.at[ref / CHUNK_UNITS] + (size_t)(ref % CHUNK_UNITS) * UNIT;
}

/* Record: parent (4 bytes), size (1 byte, or 255 and 4 bytes), bytes. */
static inline size_t head_size(uint32_t size) { return size < 255 ? 5 : 9; }

struct record_view store_at(const struct store *s, uint32_t ref) {
  const unsigned char *p = at_ref(s, ref);
  struct record_view v;
  memcpy(&v.parent, p, 4);
  v.size = p[4];
  v.at = p + 5;
  if (v.size == 255) {
    memcpy(&v.size, p + 5, 4);
    v.at = p + 9;
  }
  return v;
}

static inline uint8_t tag_of(uint64_t hash) { return (uint8_t)(hash >> 56) | 1; }

static inline uint64_t spread(uint64_t hash) { return hash ^ hash >> 29; }

void store_expect(const struct store *s, uint64_t hash) {
  uint64_t k = spread(hash) & s->mask;
  __builtin_prefetch(&s->tags[k]);
  __builtin_prefetch(&s->refs[k]);
}

void store_expect_record(const struct store *s, uint64_t hash) {
  uint64_t k = spread(hash) & s->mask;
  for (unsigned i = 0; i < 8 && s->tags[k]; i++, k = (k + 1) & s->mask)
    if (s->tags[k] == tag_of(hash)) {
      __builtin_prefetch(at_ref(s, s->refs[k]));
      return;
    }
}

static void open_table(struct store *s, uint64_t slots) {
  s->refs = mem_alloc(s->mem, slots * sizeof *s->refs);
  s->tags = mem_zero(s->mem, slots, 1);
  s->mask = slots - 1;
  s->bytes += slots * 5;
}

void store_open(struct store *s, struct mem *mem) {
  *s = (struct store){.mem = mem};
  open_table(s, 1 << 12);
}

static void grow(struct store *s) {
  uint64_t slots = (s->mask + 1) * 2, old = s->mask + 1;
  uint32_t *refs = s->refs;
  uint8_t *tags = s->tags;
  open_table(s, slots);
  for (uint64_t i = 0; i < old; i++) {
    if (!tags[i]) continue;
    struct record_view v = store_at(s, refs[i]);
    uint64_t hash = hash_bytes(v.at, v.size), k = spread(hash) & s->mask;
    while (s->tags[k]) k = (k + 1) & s->mask;
    s->tags[k] = tag_of(hash);
    s->refs[k] = refs[i];
  }
  mem_free(s->mem, refs);
  mem_free(s->mem, tags);
  s->bytes -= old * 5;
}

static uint32_t append(struct store *s, const unsigned char *bytes, uint32_t size, uint32_t parent) {
  size_t need = (head_size(size) + size + UNIT - 1) / UNIT, units = CHUNK_UNITS;
  if (s->end / CHUNK_UNITS >= s->chunks.count || s->end % CHUNK_UNITS + need > units) {
    unsigned char *chunk = mem_alloc(s->mem, units * UNIT);
    if (s->chunks.count && s->end / CHUNK_UNITS < s->chunks.count) {
      if (s->end % CHUNK_UNITS) memset(at_ref(s, s->end), 0xff, 4); /* no record here: on to the next chunk */
      s->end = (uint32_t)s->chunks.count * CHUNK_UNITS;
    }
    vec_push(s->mem, &s->chunks, chunk);
    s->bytes += units * UNIT;
  }
  uint32_t ref = s->end;
  unsigned char *p = at_ref(s, ref);
  memcpy(p, &parent, 4);
  p[4] = size < 255 ? (unsigned char)size : 255;
  if (size >= 255) memcpy(p + 5, &size, 4);
  memcpy(p + head_size(size), bytes, size);
  s->end += (uint32_t)need;
  return ref;
}

/* The slot where the state is, or would be. */
static uint64_t find(const struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size) {
  uint64_t k = spread(hash) & s->mask;
  uint8_t tag = tag_of(hash);
  for (; s->tags[k]; k = (k + 1) & s->mask) {
    if (s->tags[k] != tag) continue;
    struct record_view v = store_at(s, s->refs[k]);
    if (v.size == size && !memcmp(v.at, bytes, size)) break;
  }
  return k;
}

bool store_has(const struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size) {
  return s->tags[find(s, hash, bytes, size)] != 0;
}

bool store_add(struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t parent, uint32_t *ref) {
  uint64_t k = find(s, hash, bytes, size);
  if (s->tags[k]) {
    *ref = s->refs[k];
    return false;
  }
  if (s->count >= (s->mask + 1) / 8 * 7) {
    grow(s);
    k = find(s, hash, bytes, size);
  }
  s->refs[k] = *ref = append(s, bytes, size, parent);
  s->tags[k] = tag_of(hash);
  s->count++;
  return true;
}

/* The end of a chunk may have been left empty. */
uint32_t store_settle(const struct store *s, uint32_t ref) {
  uint32_t chunk = ref / CHUNK_UNITS, none = UINT32_MAX;
  if (ref % CHUNK_UNITS == 0 || chunk + 1 >= s->chunks.count) return ref;
  return memcmp(at_ref(s, ref), &none, 4) ? ref : (chunk + 1) * CHUNK_UNITS;
}

uint32_t store_after(const struct store *s, uint32_t ref) {
  struct record_view v = store_at(s, ref);
  return store_settle(s, ref + (uint32_t)((head_size(v.size) + v.size + UNIT - 1) / UNIT));
}
