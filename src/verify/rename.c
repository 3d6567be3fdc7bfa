/* Spec sets with their threads renamed, and what tells threads apart: see specset.h. */
#include "verify/specset_parts.h"

#include <string.h>

#include "base/hash.h"

static uint32_t rename_state(struct shared *s, uint32_t state, uint64_t permutation) {
  uint32_t answer;
  const struct spec *spec = s->lin.spec;
  if (!spec->by_process) return state;
  if (memo_find(&s->states_renamed, permutation, state, &answer)) return answer;
  uint8_t to[THREADS_MOST];
  for (unsigned i = 0; i < s->threads; i++) to[permutation >> i * 4 & 15] = (uint8_t)i;
  outcomes_clear(&s->lin.scratch);
  spec->rename(spec, states_at(s->lin.states, state), to, &s->lin.scratch);
  answer = states_intern(s->lin.states, outcomes_state(&s->lin.scratch, 0));
  memo_add(&s->states_renamed, s->mem, permutation, state, answer);
  return answer;
}

/* The set renamed, in s->made. */
static void rename_set(struct shared *s, uint32_t set, uint64_t permutation) {
  sets_read(s, set);
  for (size_t i = 0; i < s->given.count; i++) {
    const struct config *c = &s->given.at[i];
    struct config to = {.state = rename_state(s, c->state, permutation)};
    for (unsigned t = 0; t < s->threads; t++) to.status[t] = c->status[permutation >> t * 4 & 15];
    vec_push(s->mem, &s->made, to);
  }
}

uint32_t sets_permuted(struct shared *s, uint32_t set, uint64_t permutation) {
  uint32_t answer;
  if (memo_find(&s->renamed, permutation, set, &answer)) return answer;
  rename_set(s, set, permutation);
  answer = sets_intern(s);
  memo_add(&s->renamed, s->mem, permutation, set, answer);
  return answer;
}

static uint64_t exchange(const struct shared *s, unsigned i, unsigned j) {
  uint64_t p = same_threads(s->threads), x = (uint64_t)(i ^ j);
  return p ^ x << i * 4 ^ x << j * 4;
}

bool sets_exchangeable(struct shared *s, uint32_t set, unsigned i, unsigned j) {
  const struct set *x = set_at(s, set);
  rename_set(s, set, exchange(s, i, j));
  return sets_pack(s) == x->count && !memcmp(s->bytes.at, x->configs, x->count * s->lin.bytes);
}

/* Ranks: threads are told apart by sums of hashes over the configurations, in which the other threads appear in no
 * order, by what is known of them so far; again and again, until nothing more comes of it. Renaming the threads gives
 * every thread's sum to its new name. A state that names processes has no part in this but how it looks to each: with
 * how many others the thread could not be exchanged. */

static uint64_t looks(struct shared *s, uint32_t state, unsigned i) {
  if (!s->lin.spec->by_process) return 0;
  uint64_t differs = 0;
  for (unsigned j = 0; s->lin.spec->rename && j < s->threads; j++)
    if (j != i && rename_state(s, state, exchange(s, i, j)) != state) differs++;
  return differs;
}

static void add_signatures(struct shared *s, const struct config *c, const uint8_t *rank, uint64_t *sum) {
  uint64_t own[THREADS_MOST], all = s->lin.spec->by_process ? 0 : c->state;
  for (unsigned i = 0; i < s->threads; i++) {
    own[i] = hash_mix(looks(s, c->state, i) << 32 | (uint64_t)rank[i] << 16 | c->status[i]);
    all += hash_mix(own[i] + 1);
  }
  for (unsigned i = 0; i < s->threads; i++) sum[i] += hash_mix(hash_mix(all) ^ own[i]);
}

unsigned rank_again(unsigned threads, uint8_t *rank, const uint64_t *sum) {
  uint8_t next[THREADS_MOST];
  unsigned distinct = 0;
  for (unsigned i = 0; i < threads; i++) {
    bool first = true;
    next[i] = 0;
    for (unsigned j = 0; j < threads; j++) {
      if (rank[j] < rank[i] || (rank[j] == rank[i] && sum[j] < sum[i])) next[i]++;
      if (j < i && rank[j] == rank[i] && sum[j] == sum[i]) first = false;
    }
    distinct += first;
  }
  memcpy(rank, next, threads);
  return distinct;
}

const uint8_t *sets_ranks(struct shared *s, uint32_t set) {
  uint8_t *rank = mem_piece(s->mem, THREADS_MOST);
  memset(rank, 0, THREADS_MOST);
  sets_read(s, set);
  for (unsigned before = 0, now = 1; now > before && now < s->threads;) {
    uint64_t sum[THREADS_MOST] = {0};
    for (size_t i = 0; i < s->given.count; i++) add_signatures(s, &s->given.at[i], rank, sum);
    before = now;
    now = rank_again(s->threads, rank, sum);
  }
  return rank;
}
