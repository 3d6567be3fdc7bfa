/* Countings as the other side of a refinement: see counted.h.
 *
 * As with spec sets, every answer is in a memo that any number of threads may read; what is not there yet is computed
 * by one thread at a time, under a lock. */
#include "verify/counted.h"

#include <pthread.h>
#include <string.h>

#include "verify/memo.h"

/* What is asked beside events, in the same memo. */
enum question { ALIKE = EVENT_LIN + 1, MAY_CALL, ELEMENTS };

struct shared {
  struct memo answers; /* counting and question */
  struct memo renamed; /* counting and permutation */
  pthread_mutex_t lock;
  struct mem *mem; /* guarded anew whenever the lock is taken */
  const struct spec *spec;
  struct specsets *calls;
  struct countings *countings;
  unsigned threads;
  int64_t bound;
};

struct counted {
  struct shared *shared;
  struct mem *mem;            /* where running out of memory goes */
  VEC(const uint8_t *) ranks; /* of each counting asked for: this view's own */
};

static uint32_t after_call(struct shared *s, uint32_t set, unsigned thread, uint16_t call) {
  struct op op = specset_op(s->calls, call);
  return countings_call(s->countings, set, thread, countings_label(s->countings, &op, thread));
}

static bool exchangeable(struct shared *s, uint32_t set, unsigned i, unsigned j) {
  uint8_t from[THREADS_MOST];
  for (unsigned t = 0; t < s->threads; t++) from[t] = (uint8_t)(t == i ? j : t == j ? i : t);
  return countings_renamed(s->countings, set, from) == set;
}

static const uint8_t *ranks_of(struct shared *s, uint32_t set) {
  uint8_t *rank = mem_piece(s->mem, THREADS_MOST);
  uint64_t sum[THREADS_MOST];
  memset(rank, 0, THREADS_MOST);
  countings_signatures(s->countings, set, sum);
  for (unsigned i = 0; i < s->threads; i++)
    for (unsigned j = 0; j < s->threads; j++) rank[i] = (uint8_t)(rank[i] + (sum[j] < sum[i]));
  return rank;
}

static uint32_t known(struct shared *, unsigned question, uint32_t set, uint32_t x, unsigned thread);

static bool may_call(struct shared *s, uint32_t set, uint32_t call, unsigned thread) {
  uint32_t after = known(s, EVENT_CALL, set, call, thread), most = known(s, ELEMENTS, after, 0, 0);
  return most <= s->bound || most <= known(s, ELEMENTS, set, 0, 0);
}

/* Asking. */

/* As a memo can hold it. */
static uint32_t elements(struct shared *s, uint32_t set) {
  uint32_t most = countings_elements(s->countings, set);
  return most < UINT32_MAX ? most : UINT32_MAX - 1;
}

static uint32_t compute(struct shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  switch (question) {
  case EVENT_CALL: return after_call(s, set, thread, (uint16_t)x);
  case EVENT_RETURN: return countings_return(s->countings, set, thread, x);
  case ALIKE: return exchangeable(s, set, thread, x);
  case MAY_CALL: return may_call(s, set, x, thread);
  default: return elements(s, set);
  }
}

static uint32_t known(struct shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  uint32_t answer;
  if (memo_answered(&s->answers, question, set, x, thread, &answer)) return answer;
  answer = compute(s, question, set, x, thread);
  memo_answer(&s->answers, s->mem, question, set, x, thread, answer);
  return answer;
}

/* Where memory runs out the view's owner hears of it, with the lock given back. */
#define LOCKED(v) \
  do { \
    pthread_mutex_lock(&(v)->shared->lock); \
    if (MEM_GUARD((v)->shared->mem)) give_up(v); \
  } while (0)

static void unlock(struct counted *v) { pthread_mutex_unlock(&v->shared->lock); }

static _Noreturn void give_up(struct counted *v) {
  unlock(v);
  mem_escape(v->mem);
}

static __attribute__((noinline)) uint32_t find_out(struct counted *v, unsigned question, uint32_t set, uint32_t x,
                                                   unsigned thread) {
  LOCKED(v);
  uint32_t answer = known(v->shared, question, set, x, thread);
  unlock(v);
  return answer;
}

static inline uint32_t ask(struct counted *v, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  uint32_t answer;
  return memo_answered(&v->shared->answers, question, set, x, thread, &answer) ? answer
                                                                               : find_out(v, question, set, x, thread);
}

static uint32_t initial(void *self) { return countings_initial(((struct counted *)self)->shared->countings); }

static uint32_t step(void *self, uint32_t set, struct event e) {
  if (!set || (e.kind != EVENT_CALL && e.kind != EVENT_RETURN)) return set;
  return ask(self, e.kind, set, e.kind == EVENT_CALL ? e.call : e.result, e.thread);
}

static bool client_calls(void *self, uint32_t set, unsigned thread, uint16_t call) {
  const struct shared *s = ((struct counted *)self)->shared;
  return s->bound < 0 || !s->spec->elements || !set || ask(self, MAY_CALL, set, call, thread);
}

static uint32_t count(void *self) {
  struct counted *v = self;
  pthread_mutex_lock(&v->shared->lock);
  uint32_t n = countings_count(v->shared->countings);
  unlock(v);
  return n;
}

static void *share(void *self, struct mem *mem) {
  struct counted *v = mem_zero(mem, 1, sizeof *v);
  v->shared = ((struct counted *)self)->shared;
  v->mem = mem;
  return v;
}

static __attribute__((noinline)) uint32_t find_renamed(struct counted *v, uint32_t set, uint64_t permutation,
                                                       const uint8_t *from) {
  uint32_t answer;
  LOCKED(v);
  if (!memo_find(&v->shared->renamed, permutation, set, &answer)) {
    answer = countings_renamed(v->shared->countings, set, from);
    memo_add(&v->shared->renamed, v->shared->mem, permutation, set, answer);
  }
  unlock(v);
  return answer;
}

static uint32_t permute(void *self, uint32_t set, const uint8_t *from) {
  struct counted *v = self;
  uint64_t permutation = 0;
  uint32_t answer;
  bool moved = false;
  for (unsigned t = 0; t < v->shared->threads; t++) {
    permutation |= (uint64_t)from[t] << t * 4;
    moved |= from[t] != t;
  }
  if (!set || !moved) return set;
  return memo_find(&v->shared->renamed, permutation, set, &answer) ? answer : find_renamed(v, set, permutation, from);
}

static __attribute__((noinline)) const uint8_t *find_ranks(struct counted *v, uint32_t set) {
  LOCKED(v);
  const uint8_t *rank = ranks_of(v->shared, set);
  unlock(v);
  return rank;
}

static const uint8_t *ranks(void *self, uint32_t set) {
  struct counted *v = self;
  while (v->ranks.count <= set) vec_push(v->mem, &v->ranks, NULL);
  if (!v->ranks.at[set]) v->ranks.at[set] = find_ranks(v, set);
  return v->ranks.at[set];
}

static bool alike(void *self, uint32_t set, unsigned i, unsigned j) {
  return i == j || ask(self, ALIKE, set, i < j ? j : i, i < j ? i : j);
}

struct traces counted_traces(struct counted *v) {
  return (struct traces){.self = v,
                         .initial = initial,
                         .step = step,
                         .may_call = client_calls,
                         .count = count,
                         .share = share,
                         .symmetric = specsets_symmetric(v->shared->calls),
                         .permute = permute,
                         .ranks = ranks,
                         .alike = alike};
}

/* Making them. */

struct counted *counted_new(struct mem *m, const struct spec *spec, struct specsets *calls, unsigned threads,
                            unsigned k, int64_t bound) {
  struct mem *own = mem_child(m);
  struct shared *s = mem_zero(own, 1, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  s->mem = own;
  s->spec = spec;
  s->calls = calls;
  s->threads = threads;
  s->bound = bound;
  memo_open(&s->answers, own);
  memo_open(&s->renamed, own);
  s->countings = countings_new(own, spec, threads, k);
  own->parent = NULL; /* closed with m, but its failures are caught under the lock and passed on from there */
  struct counted first = {.shared = s};
  return share(&first, m);
}
