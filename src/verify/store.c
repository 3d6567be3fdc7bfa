/* The states met (store.h). */
#include "verify/store.h"

#include <string.h>

#include "base/hash.h"

enum { UNIT = 4, CHUNK_UNITS = 1 << 18 }; /* chunks of one megabyte */

static inline unsigned char *at_ref(const struct store *s, uint32_t ref) {
  return s->chunks.at[ref / CHUNK_UNITS] + (size_t)(ref % CHUNK_UNITS) * UNIT;
}

/* Record: parent (4 bytes), set (seven bits a byte), size (1 byte, or 255 and 4 bytes), bytes; size 0: first, before (4 bytes each). */
enum { LINK = 8, HEAD_MOST = 14 };

static inline uint32_t put_head(unsigned char *p, uint32_t parent, uint32_t set, uint32_t size) {
  uint32_t n = 4;
  memcpy(p, &parent, 4);
  for (; set >= 128; set >>= 7) p[n++] = (unsigned char)(set | 128);
  p[n++] = (unsigned char)set;
  p[n++] = size < 255 ? (unsigned char)size : 255;
  if (size >= 255) memcpy(p + n, &size, 4), n += 4;
  return n;
}

/* The head alone; v->at is where the bytes, or the links, are. */
static inline struct record_view view_head(const struct store *s, uint32_t ref) {
  const unsigned char *p = at_ref(s, ref);
  struct record_view v = {.before = REF_NONE};
  memcpy(&v.parent, p, 4);
  p += 4;
  for (unsigned shift = 0;; shift += 7) {
    v.set |= (uint32_t)(*p & 127) << shift;
    if (!(*p++ & 128)) break;
  }
  v.size = *p++;
  if (v.size == 255) {
    memcpy(&v.size, p, 4);
    p += 4;
  }
  v.at = p;
  return v;
}

struct record_view store_at(const struct store *s, uint32_t ref) {
  struct record_view v = view_head(s, ref);
  if (v.size) return v;
  uint32_t first;
  memcpy(&first, v.at, 4);
  memcpy(&v.before, v.at + 4, 4);
  struct record_view body = view_head(s, first);
  v.at = body.at;
  v.size = body.size;
  return v;
}

void store_set_parent(struct store *s, uint32_t ref, uint32_t parent) { memcpy(at_ref(s, ref), &parent, 4); }

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
  *s = (struct store){.mem = mem, .most = UINT32_MAX - CHUNK_UNITS};
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

static uint32_t append(struct store *s, const unsigned char *head, uint32_t head_size, const unsigned char *bytes, uint32_t size) {
  uint32_t need = (head_size + size + UNIT - 1) / UNIT;
  if (s->end / CHUNK_UNITS >= s->chunks.count || s->end % CHUNK_UNITS + need > CHUNK_UNITS) {
    vec_reserve(s->mem, &s->chunks, s->chunks.count + 1);
    if (s->end > s->most || need > CHUNK_UNITS) mem_too_much(s->mem);
    unsigned char *chunk = mem_alloc(s->mem, (size_t)CHUNK_UNITS * UNIT); /* nothing fails from here on */
    if (s->chunks.count && s->end / CHUNK_UNITS < s->chunks.count) {
      if (s->end % CHUNK_UNITS) memset(at_ref(s, s->end), 0xff, 4); /* no record here: on to the next chunk */
      s->end = (uint32_t)s->chunks.count * CHUNK_UNITS;
    }
    vec_push(s->mem, &s->chunks, chunk);
    s->bytes += (size_t)CHUNK_UNITS * UNIT;
  }
  uint32_t ref = s->end;
  unsigned char *p = at_ref(s, ref);
  memcpy(p, head, head_size);
  memcpy(p + head_size, bytes, size);
  s->end += need;
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

/* Is the pair among the records of its state, of which this is the latest, or covered by one of them? */
static bool is_there(const struct store *s, uint32_t ref, uint32_t set, store_covers *covers, void *self, uint32_t *where) {
  for (; ref != REF_NONE; ref = store_at(s, ref).before) {
    uint32_t there = view_head(s, ref).set;
    *where = ref;
    if (there == set || (covers && covers(self, there, set))) return true;
  }
  return false;
}

bool store_has(const struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set) {
  uint64_t k = find(s, hash, bytes, size);
  uint32_t where;
  return s->tags[k] && is_there(s, s->refs[k], set, NULL, NULL, &where);
}

bool store_add(struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set, uint32_t parent,
               store_covers *covers, void *self, uint32_t *ref) {
  unsigned char head[HEAD_MOST];
  uint64_t k = find(s, hash, bytes, size);
  if (s->tags[k]) {
    uint32_t latest = s->refs[k], link[2];
    if (is_there(s, latest, set, covers, self, ref)) return false;
    struct record_view v = view_head(s, latest);
    link[0] = latest; /* the first is found where the latest is it, or names it */
    if (!v.size) memcpy(&link[0], v.at, 4);
    link[1] = latest;
    s->refs[k] = *ref = append(s, head, put_head(head, parent, set, 0), (const unsigned char *)link, LINK);
    s->count++;
    return true;
  }
  if (s->states >= (s->mask + 1) / 8 * 7) {
    grow(s);
    k = find(s, hash, bytes, size);
  }
  s->refs[k] = *ref = append(s, head, put_head(head, parent, set, size), bytes, size);
  s->tags[k] = tag_of(hash);
  s->states++;
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
  struct record_view v = view_head(s, ref);
  uint32_t bytes = (uint32_t)(v.at - at_ref(s, ref)) + (v.size ? v.size : LINK);
  return store_settle(s, ref + (bytes + UNIT - 1) / UNIT);
}
