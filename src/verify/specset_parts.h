/* What the files of the spec sets share: see specset.h. Everything here is used under the lock. */
#ifndef ASIF_VERIFY_SPECSET_PARTS_H
#define ASIF_VERIFY_SPECSET_PARTS_H

#include <pthread.h>

#include "verify/linearize.h"

struct set {
  const unsigned char *configs; /* lin.bytes each */
  uint32_t count, hash;
  _Atomic(const uint8_t *) ranks; /* NULL until asked for */
};

/* Sets stay where they are once made, for those who read: in segments, each twice as long as the one before. */
enum { SEGMENT = 64, SEGMENTS = 26 };

/* What is asked of many sets has an answer of its own in each one's row, beside the memo: a line of the cache. */
enum { ROW = 16, ROW_SWAPPED = 0 /* two threads exchanged */, COLUMN_SLOTS = 256 };
struct row {
  _Atomic uint32_t answers[ROW]; /* + 1; 0: not known */
};

struct shared {
  struct memo answers; /* set and question */
  struct memo renamed; /* set and permutation */
  pthread_mutex_t lock;
  struct mem *mem; /* guarded anew whenever the lock is taken */
  struct linearizer lin;
  struct memo states_renamed; /* state and permutation */
  unsigned threads;
  enum specset_mode mode;
  int64_t bound;
  bool never_wait; /* an operation that is open is owed its return */
  uint32_t initial;
  struct set *segments[SEGMENTS];
  struct row *rows[SEGMENTS];
  /* Which questions have which columns: the question and, in the last byte, the column. One that finds another in its
   * slot has none. */
  _Atomic uint64_t columns[COLUMN_SLOTS];
  unsigned column_count;
  uint32_t count; /* sets, the empty one too */
  uint32_t *slots, mask;
  uint32_t closed;                /* the set whose closure lin.found is; 0: none */
  VEC(struct config) given, made; /* the configurations of a set being read, and of one being made */
  VEC(unsigned char) bytes;
};

static inline unsigned segment_of(uint32_t set) { return 31u - (unsigned)__builtin_clz(set + SEGMENT) - 6; }
static inline struct set *set_at(const struct shared *s, uint32_t set) {
  unsigned k = segment_of(set);
  return &s->segments[k][set + SEGMENT - ((uint32_t)SEGMENT << k)];
}
static inline struct row *row_at(const struct shared *s, uint32_t set) {
  unsigned k = segment_of(set);
  return &s->rows[k][set + SEGMENT - ((uint32_t)SEGMENT << k)];
}

/* The configurations of a set in s->given; none made yet. */
void sets_read(struct shared *, uint32_t set);
/* Sorts s->made and puts its bytes, each configuration once, in s->bytes; returns how many. */
uint32_t sets_pack(struct shared *);
/* The number of the set whose minimal configurations are s->made. */
uint32_t sets_intern(struct shared *);

/* Permutations of threads are packed, four bits each: thread i of the new is the old one's permutation >> 4i & 15
 * (rename.c). */
static inline uint64_t same_threads(unsigned threads) {
  return 0xfedcba9876543210u & (threads == 16 ? UINT64_MAX : ((uint64_t)1 << threads * 4) - 1);
}
uint32_t sets_permuted(struct shared *, uint32_t set, uint64_t permutation);
bool sets_exchangeable(struct shared *, uint32_t set, unsigned i, unsigned j);
const uint8_t *sets_ranks(struct shared *, uint32_t set);

/* Checkpoints (specset_saved.c). */
struct saving;
struct loading;
void sets_save(struct shared *, struct saving *);
bool sets_load(struct shared *, struct loading *);

#endif
