/* The states met (store.h). */
#include "verify/store.h"

#include <string.h>

#include "base/hash.h"

enum { UNIT = 4, CHUNK_UNITS = 1 << 18 }; /* chunks of one megabyte */
/* In the place of a record: the next one is at the beginning of the next chunk. A record begins with its parent, which
 * is no reference as large as this, or REF_NONE. */
static const uint32_t no_record = UINT32_MAX - 1;

static inline unsigned char *at_ref(const struct store *s, uint32_t ref) {
  return s->chunks.at[ref / CHUNK_UNITS] + (size_t)(ref % CHUNK_UNITS) * UNIT;
}

/* Eight bytes as a number, the first one lowest. */
static inline uint64_t eight_bytes(const unsigned char *p) {
  uint64_t x;
  memcpy(&x, p, 8);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}
static inline uint32_t lowest_byte(uint64_t bits) { return (uint32_t)__builtin_ctzll(bits) / 8; }

/* Record: parent (4 bytes), set (seven bits a byte), size (1 byte, or 255 and 4 bytes), bytes; size 0: first, before (4
 * bytes each). */
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

static inline struct record_view view(const struct store *s, uint32_t ref) {
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

struct record_view store_at(const struct store *s, uint32_t ref) {
  return view(s, ref);
}

uint32_t store_first(const struct store *s, uint32_t ref, uint32_t *set) {
  struct record_view v = view_head(s, ref);
  *set = v.set;
  if (!v.size) memcpy(&ref, v.at, 4);
  return ref;
}

uint32_t store_parent(const struct store *s, uint32_t ref) {
  uint32_t parent;
  memcpy(&parent, at_ref(s, ref), 4);
  return parent;
}

void store_set_parent(struct store *s, uint32_t ref, uint32_t parent) { memcpy(at_ref(s, ref), &parent, 4); }

static inline uint8_t tag_of(uint64_t hash) { return (uint8_t)(hash >> 56); }

static inline struct bucket *bucket_of(const struct store *s, uint64_t hash) {
  return &s->buckets[(hash ^ hash >> 29) & s->mask];
}

static inline struct bucket *bucket_after(const struct store *s, const struct bucket *b) {
  return &s->buckets[(uint64_t)(b + 1 - s->buckets) & s->mask];
}

void store_expect(const struct store *s, uint64_t hash) { __builtin_prefetch(bucket_of(s, hash)); }

/* The highest bit of each byte that is 0, exactly. */
static inline uint64_t zero_bytes(uint64_t x) {
  uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
  return ~(((x & low) + low) | x | low);
}

/* The first of the bucket's entries with this tag; its count, if there is none. All tags are looked at at once: which
 * of them it is cannot be foreseen. */
static inline uint32_t first_tagged(const struct bucket *b, uint8_t tag) {
  uint64_t all = tag * UINT64_C(0x0101010101010101);
  uint64_t first = zero_bytes(eight_bytes(b->tags) ^ all), last = zero_bytes(eight_bytes(b->tags + BUCKET - 8) ^ all);
  uint32_t i = first ? lowest_byte(first) : last ? BUCKET - 8 + lowest_byte(last) : BUCKET;
  return i < b->count ? i : b->count;
}

/* Likewise from i on: seldom asked for. */
static inline uint32_t next_tagged(const struct bucket *b, uint32_t i, uint8_t tag) {
  while (i < b->count && b->tags[i] != tag) i++;
  return i;
}

uint32_t store_expect_record(const struct store *s, uint64_t hash) {
  const struct bucket *b = bucket_of(s, hash);
  uint32_t i = first_tagged(b, tag_of(hash));
  if (i == b->count) return REF_NONE;
  __builtin_prefetch(at_ref(s, b->refs[i]));
  return b->refs[i];
}

uint32_t store_expect_body(const struct store *s, uint32_t ref) {
  struct record_view v = view_head(s, ref);
  uint32_t first;
  if (v.size) return v.set;
  memcpy(&first, v.at, 4);
  __builtin_prefetch(at_ref(s, first));
  return v.set;
}

void store_expect_at(const struct store *s, uint32_t ref) { __builtin_prefetch(at_ref(s, ref)); }

static void open_table(struct store *s, uint64_t buckets) {
  size_t line = sizeof *s->buckets;
  s->table = mem_zero(s->mem, buckets + 1, line);
  s->buckets = (struct bucket *)(((uintptr_t)s->table + line - 1) / line * line);
  s->mask = buckets - 1;
  s->bytes += (buckets + 1) * line;
}

void store_open(struct store *s, struct mem *mem) {
  *s = (struct store){.mem = mem, .most = UINT32_MAX - CHUNK_UNITS};
  open_table(s, 1 << 8);
}

/* A state that is not there yet. */
static void enter(struct store *s, uint64_t hash, uint32_t ref) {
  struct bucket *b = bucket_of(s, hash);
  while (b->count == BUCKET) b = bucket_after(s, b);
  b->tags[b->count] = tag_of(hash);
  b->refs[b->count++] = ref;
}

static void grow(struct store *s) {
  uint64_t old = s->mask + 1;
  void *table = s->table;
  const struct bucket *from = s->buckets;
  open_table(s, old * 2);
  for (uint64_t i = 0; i < old; i++) { /* records are asked for before they are needed */
    for (uint32_t k = 0; i + 2 < old && k < from[i + 2].count; k++) __builtin_prefetch(at_ref(s, from[i + 2].refs[k]));
    for (uint32_t k = 0; i + 1 < old && k < from[i + 1].count; k++) store_expect_body(s, from[i + 1].refs[k]);
    for (uint32_t k = 0; k < from[i].count; k++) {
      struct record_view v = view(s, from[i].refs[k]);
      enter(s, hash_bytes(v.at, v.size), from[i].refs[k]);
    }
  }
  mem_free(s->mem, table);
  s->bytes -= (old + 1) * sizeof *from;
}

/* Chunks are cut from ever larger blocks, which have large pages: those are of two chunks. */
static unsigned char *next_chunk(struct store *s) {
  if (s->spare_end == s->spare) {
    size_t count = s->chunks.count < 2 ? 1 : s->chunks.count > 64 ? 16 : (s->chunks.count + 7) / 8 * 2;
    size_t size = count * CHUNK_UNITS * UNIT;
    s->spare = mem_alloc(s->mem, size);
    s->spare_end = s->spare + size;
  }
  unsigned char *chunk = s->spare;
  s->spare += (size_t)CHUNK_UNITS * UNIT;
  return chunk;
}

static uint32_t append(struct store *s, const unsigned char *head, uint32_t head_size, const unsigned char *bytes,
                       uint32_t size) {
  uint32_t need = (head_size + size + UNIT - 1) / UNIT;
  if (s->end / CHUNK_UNITS >= s->chunks.count || s->end % CHUNK_UNITS + need > CHUNK_UNITS) {
    vec_reserve(s->mem, &s->chunks, s->chunks.count + 1);
    if (s->end > s->most || need > CHUNK_UNITS) mem_too_much(s->mem);
    unsigned char *chunk = next_chunk(s); /* nothing fails from here on */
    if (s->chunks.count && s->end / CHUNK_UNITS < s->chunks.count) {
      if (s->end % CHUNK_UNITS) memcpy(at_ref(s, s->end), &no_record, sizeof no_record);
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

/* Where the table has the state's latest record; NULL: nowhere. */
static uint32_t *find(const struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size) {
  for (struct bucket *b = bucket_of(s, hash);; b = bucket_after(s, b)) {
    for (uint32_t i = first_tagged(b, tag_of(hash)); i < b->count; i = next_tagged(b, i + 1, tag_of(hash))) {
      struct record_view v = view(s, b->refs[i]);
      if (v.size == size && !memcmp(v.at, bytes, size)) return &b->refs[i];
    }
    if (b->count < BUCKET) return NULL;
  }
}

/* Of the records of its state, of which `ref` is the latest, the one that is the pair or covers it; REF_NONE. */
static inline uint32_t find_set(const struct store *s, uint32_t ref, uint32_t set, store_covers *covers, void *self) {
  for (;;) {
    struct record_view v = view_head(s, ref);
    if (v.set == set || (covers && covers(self, v.set, set))) return ref;
    if (v.size) return REF_NONE;
    memcpy(&ref, v.at + 4, 4);
  }
}

uint32_t store_find(const struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set,
                    store_covers *covers, void *self) {
  const uint32_t *found = find(s, hash, bytes, size);
  return found ? find_set(s, *found, set, covers, self) : REF_NONE;
}

bool store_has(const struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set) {
  return store_find(s, hash, bytes, size, set, NULL, NULL) != REF_NONE;
}

bool store_add(struct store *s, uint64_t hash, const unsigned char *bytes, uint32_t size, uint32_t set, uint32_t parent,
               store_covers *covers, void *self, uint32_t *ref) {
  unsigned char head[HEAD_MOST];
  uint32_t *found = find(s, hash, bytes, size);
  if (found) {
    uint32_t latest = *found, link[2];
    *ref = find_set(s, latest, set, covers, self);
    if (*ref != REF_NONE) return false;
    struct record_view v = view_head(s, latest);
    link[0] = latest; /* the first is found where the latest is it, or names it */
    if (!v.size) memcpy(&link[0], v.at, 4);
    link[1] = latest;
    *found = *ref = append(s, head, put_head(head, parent, set, 0), (const unsigned char *)link, LINK);
    s->count++;
    return true;
  }
  if (s->states >= (s->mask + 1) * BUCKET / 8 * 7) grow(s);
  *ref = append(s, head, put_head(head, parent, set, size), bytes, size);
  enter(s, hash, *ref);
  s->states++;
  s->count++;
  return true;
}

/* The end of a chunk may have been left empty. */
uint32_t store_settle(const struct store *s, uint32_t ref) {
  uint32_t chunk = ref / CHUNK_UNITS;
  if (ref % CHUNK_UNITS == 0 || chunk + 1 >= s->chunks.count) return ref;
  return memcmp(at_ref(s, ref), &no_record, sizeof no_record) ? ref : (chunk + 1) * CHUNK_UNITS;
}

uint32_t store_after(const struct store *s, uint32_t ref) {
  struct record_view v = view_head(s, ref);
  uint32_t bytes = (uint32_t)(v.at - at_ref(s, ref)) + (v.size ? v.size : LINK);
  return store_settle(s, ref + (bytes + UNIT - 1) / UNIT);
}
