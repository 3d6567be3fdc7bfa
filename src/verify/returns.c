/* From which pairs can an operation return? Where none can, under any schedule, nor if other threads called more
 * operations, and one is open that the specification would let return, the object is stuck: a lock that is spun on and
 * never released, for one.
 *
 * The search stores where each pair came from, not where it leads. So while it runs, a bit is set for a pair one of
 * whose moves is a return, or in which nothing can happen any more (no thread moves or waits for a lock); and for a
 * pair that led to nothing new one successor is kept, the last stored. When the search has ended, bits go back along
 * both: nearly all pairs have one then. What is left is expanded once more, and its
 * successors looked up, until no bit is added.
 *
 * Reductions keep the answer. Renaming threads, and leaving out what a renamed thread does, keep who can return. Of two
 * pairs of one state the one with the smaller set is kept (antichains): sets only decide which calls clients make, and
 * with the smaller one they make no fewer. Cartesian paths leave out states from which their ends can still be
 * reached. Where calls happen with the first access, states in which a thread has called and waits for a lock are not
 * stored: whether these matter is asked of each state (stuck.c), and if so the search is made without that. */
#include <assert.h>
#include <stdlib.h>

#include "verify/explore.h"

/* Bits. */

static void grow_bits(struct worker *w, size_t words) {
  struct returns *r = &w->returns;
  size_t room = r->words * 2 > words ? r->words * 2 : words + 64;
  r->bits = mem_resize(&w->mem, r->bits, room * sizeof *r->bits);
  for (size_t i = r->words; i < room; i++) r->bits[i] = 0;
  r->words = room;
}

void returns_mark(struct worker *w, uint32_t ref) {
  if (ref / 64 >= w->returns.words) grow_bits(w, ref / 64 + 1);
  w->returns.bits[ref / 64] |= (uint64_t)1 << ref % 64;
}

static bool is_marked(const struct worker *w, uint32_t ref) {
  return ref / 64 < w->returns.words && w->returns.bits[ref / 64] >> ref % 64 & 1;
}

static bool marked(const struct explore *x, uint32_t ref) {
  return is_marked(&x->workers[ref_worker(x, ref)], ref_local(x, ref));
}

static void mark(struct explore *x, uint32_t ref) { returns_mark(&x->workers[ref_worker(x, ref)], ref_local(x, ref)); }

static uint32_t parent_of(const struct explore *x, uint32_t ref) {
  return store_parent(&x->workers[ref_worker(x, ref)].store, ref_local(x, ref));
}

/* While the search runs: the successors of one pair after those of another. */
void returns_settle(struct worker *w, uint32_t parent) {
  struct returns *r = &w->returns;
  const struct explore *x = w->all;
  bool own = r->parent != REF_NONE && ref_worker(x, r->parent) == w->index;
  uint32_t from = ref_local(x, r->parent);
  if (own && !r->grew && r->last != REF_NONE && r->last != from && !is_marked(w, from))
    vec_push(&w->mem, &r->links, ((struct return_link){from, r->last}));
  r->parent = parent;
  r->last = REF_NONE;
  r->grew = false;
}

/* When it has ended: bits go back to all that the search came from. */
static void climb(struct explore *x, uint32_t ref) {
  for (; ref != REF_NONE && !marked(x, ref); ref = parent_of(x, ref)) mark(x, ref);
}

/* From every pair that has a bit. What gets one here has come before, or is climbed from in vain later. */
static void climb_from_all(struct explore *x, struct mem *mem) {
  for (unsigned i = 0; i < x->jobs; i++)
    for (size_t word = 0; word < x->workers[i].returns.words; word++) {
      if (word % 4096 == 0) mem_poll(mem);
      for (uint64_t left = x->workers[i].returns.bits[word]; left; left &= left - 1) {
        uint32_t ref = (uint32_t)(word * 64 + (unsigned)__builtin_ctzll(left));
        climb(x, parent_of(x, global_ref(x, i, ref)));
      }
    }
}

/* Along the links, those that help later kept: true if one did, and there are more. */
static bool follow_links(struct explore *x, struct worker *w) {
  struct returns *r = &w->returns;
  size_t kept = r->links.count;
  bool helped = false;
  for (size_t i = r->links.count; i-- > 0;) { /* the last first: it leads to what is later, mostly */
    struct return_link l = r->links.at[i];
    if (is_marked(w, l.from)) continue;
    if (is_marked(w, l.to))
      climb(x, global_ref(x, w->index, l.from)), helped = true;
    else
      r->links.at[--kept] = l;
  }
  for (size_t i = kept; i < r->links.count; i++) r->links.at[i - kept] = r->links.at[i];
  r->links.count -= kept;
  return helped && r->links.count;
}

/* Links that lead back need one more round, mostly; what is still left after a few is expanded with the rest. */
enum { ROUNDS_MOST = 16 };

static void send_back(struct explore *x, struct mem *mem) {
  for (unsigned i = 0; i < x->jobs; i++) returns_settle(&x->workers[i], REF_NONE);
  climb_from_all(x, mem);
  bool more = true;
  for (unsigned round = 0; more && round < ROUNDS_MOST; round++) {
    more = false;
    mem_poll(mem);
    for (unsigned i = 0; i < x->jobs; i++) more |= follow_links(x, &x->workers[i]);
  }
}

/* The rest: pairs without a bit, expanded once more. */

struct rest {
  struct explore *x;
  struct mem *mem;
  VEC(uint32_t) refs;      /* ascending; once expanded, descending */
  VEC(size_t) first;       /* edges of the pair at i: first[i] to first[i + 1] */
  VEC(uint32_t) to;        /* where edges lead: references, then places in refs */
  uint32_t *into, *before; /* edges turned round: those into the pair at i come from before[into[i]] and on */
  VEC(uint32_t) queue;     /* places in refs, to go back from */
  bool returns;            /* the pair being expanded leads to one with a bit */
  struct stuck_asked asked;
  struct mem *scratch;
};

/* What may be gone through to judge what is left, and how many states finding an execution counts for. */
enum { JUDGED_MOST = 500000, JUDGING = 100 };

static void find_rest(struct rest *k) {
  struct explore *x = k->x;
  for (unsigned i = 0; i < x->jobs; i++) {
    const struct worker *w = &x->workers[i];
    for (uint32_t ref = 0; w->store.count && ref < w->store.end; ref = store_after(&w->store, ref))
      if (!is_marked(w, ref)) vec_push(k->mem, &k->refs, global_ref(x, i, ref));
  }
}

/* A successor: everything is stored, or something that covers it. */
void returns_ask(struct worker *w, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash) {
  struct rest *k = w->returns.asking;
  struct explore *x = w->all;
  unsigned owner = owner_of(x, hash);
  uint32_t ref = find_stored(&x->workers[owner], packed, size, set, hash);
  assert(ref != REF_NONE);
  ref = global_ref(x, owner, ref);
  if (marked(x, ref))
    k->returns = true;
  else
    vec_push(k->mem, &k->to, ref);
}

/* The last first: what it leads to is mostly later. Those that get no bit keep their edges, for now as references. */
static void expand_rest(struct rest *k) {
  struct explore *x = k->x;
  struct worker *w = &x->workers[0];
  VEC(uint32_t) kept = {0};
  w->returns.asking = k;
  for (size_t i = k->refs.count; i-- > 0;) {
    uint32_t ref = k->refs.at[i];
    size_t begin = k->to.count;
    if (i % 256 == 0) mem_poll(k->mem);
    if (marked(x, ref)) continue;
    k->returns = false;
    expand_again(w, record_of(x, ref), ref);
    if (k->returns) {
      k->to.count = begin;
      climb(x, ref);
      continue;
    }
    vec_push(k->mem, &kept, ref);
    vec_push(k->mem, &k->first, begin);
  }
  w->returns.asking = NULL;
  vec_push(k->mem, &k->first, k->to.count);
  k->refs.count = 0;
  for (size_t i = 0; i < kept.count; i++) vec_push(k->mem, &k->refs, kept.at[i]);
  vec_free(k->mem, &kept);
}

static int descending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* Edges as places in refs, UINT32_MAX for what has a bit; and turned round. */
static void turn_edges(struct rest *k) {
  uint32_t n = (uint32_t)k->refs.count;
  k->into = mem_zero(k->mem, (size_t)n + 2, sizeof *k->into);
  k->before = mem_alloc(k->mem, (k->to.count + 1) * sizeof *k->before);
  for (size_t e = 0; e < k->to.count; e++) {
    const uint32_t *at = bsearch(&k->to.at[e], k->refs.at, n, sizeof *k->refs.at, descending);
    k->to.at[e] = at ? (uint32_t)(at - k->refs.at) : UINT32_MAX;
    if (at) k->into[k->to.at[e] + 2]++;
  }
  for (uint32_t i = 2; i <= n; i++) k->into[i] += k->into[i - 1];
  for (uint32_t i = 0; i < n; i++)
    for (size_t e = k->first.at[i]; e < k->first.at[i + 1]; e++)
      if (k->to.at[e] != UINT32_MAX) k->before[k->into[k->to.at[e] + 1]++] = i;
}

static bool leads_to_marked(const struct rest *k, uint32_t i) {
  for (size_t e = k->first.at[i]; e < k->first.at[i + 1]; e++)
    if (k->to.at[e] == UINT32_MAX || marked(k->x, k->refs.at[k->to.at[e]])) return true;
  return false;
}

/* Bits go back along the edges, from those in the queue. */
static void spread(struct rest *k) {
  for (size_t q = 0; q < k->queue.count; q++) {
    uint32_t i = k->queue.at[q];
    mark(k->x, k->refs.at[i]);
    for (uint32_t e = k->into[i]; e < k->into[i + 1]; e++) {
      uint32_t from = k->before[e];
      if (marked(k->x, k->refs.at[from])) continue;
      mark(k->x, k->refs.at[from]);
      vec_push(k->mem, &k->queue, from);
    }
  }
  k->queue.count = 0;
}

static void close_rest(struct rest *k) {
  turn_edges(k);
  for (uint32_t i = 0; i < k->refs.count; i++)
    if (marked(k->x, k->refs.at[i]) || leads_to_marked(k, i)) vec_push(k->mem, &k->queue, i);
  spread(k);
}

/* What is left cannot return as long as only these clients do something. Perhaps it waits for an operation that they
 * have no thread left to call, as the removal from an empty queue that waits for an element: then it is not stuck. */

/* Is there a way in which no thread moves, and one waits for a signal, that was not asked about? */
static bool next_way(struct rest *k, struct record_view pair) {
  struct worker *w = &k->x->workers[0];
  w->set = pair.set;
  w->system->unpack(w->system, pair.at, pair.size, w->from);
  return is_asleep(w, &k->asked);
}

/* Asks about one way after the other. */
static enum verdict stuck_in_a_way(struct rest *k, struct record_view pair, const struct search_result *r, bool asleep,
                                   const char **undecided) {
  const struct search_options *o = &k->x->options;
  enum verdict v = VERDICT_HOLDS;
  do {
    enum verdict this = o->stuck(o->stuck_self, r->path, r->path_count, &k->asked);
    k->asked.states -= k->asked.states < JUDGING ? k->asked.states : JUDGING;
    if (this == VERDICT_HOLDS || v == VERDICT_VIOLATED) continue;
    v = this;
    *undecided = k->asked.undecided;
  } while (v != VERDICT_VIOLATED && asleep && next_way(k, pair));
  if (v != VERDICT_HOLDS || !k->asked.more) return v;
  *undecided = "there are too many calls that would wait for a signal";
  return VERDICT_UNKNOWN;
}

static enum verdict judge(struct rest *k, uint32_t ref, struct search_result *r) {
  struct explore *x = k->x;
  const struct search_options *o = &x->options;
  const struct traces *traces = &x->workers[0].traces;
  struct record_view pair = record_of(x, ref);
  struct problem why;
  bool owed = traces->owes(traces->self, pair.set);
  if (!o->stuck) return owed ? VERDICT_VIOLATED : VERDICT_HOLDS;
  k->asked.way = 0;
  k->asked.more = false;
  bool asleep = next_way(k, pair);
  if (!asleep) k->asked.owed = owed;
  if (!k->asked.owed && !asleep) return VERDICT_HOLDS;
  x->wrong_ref = ref;
  x->violation = VIOLATION_NO_RETURN;
  enum verdict v = VERDICT_UNKNOWN;
  const char *undecided = "an execution that leads there was not found";
  if (find_path(k->scratch, x, r, &why)) v = stuck_in_a_way(k, pair, r, asleep, &undecided);
  if (v == VERDICT_UNKNOWN && !r->returns_undecided) r->returns_undecided = undecided;
  mem_close(k->scratch);
  r->path = NULL;
  r->path_count = 0;
  x->violation = VIOLATION_NONE;
  return v;
}

/* The last first: where one is not stuck, what leads to it is not, and where it is not decided of one, it is not of
 * these. And then, for a short execution, the first. */
static uint32_t find_stuck(struct rest *k, struct search_result *r) {
  uint32_t stuck = REF_NONE;
  bool asleep = false;
  for (uint32_t i = 0; i < k->refs.count && stuck == REF_NONE; i++) {
    uint32_t ref = k->refs.at[i];
    if (marked(k->x, ref)) continue;
    if (!k->asked.states) {
      if (!r->returns_undecided) r->returns_undecided = "there are too many from which only more threads might help";
      return REF_NONE;
    }
    if (judge(k, ref, r) == VERDICT_VIOLATED) {
      stuck = ref;
      asleep = k->asked.asleep;
    } else {
      vec_push(k->mem, &k->queue, i);
      spread(k);
    }
  }
  for (size_t i = k->refs.count; stuck != REF_NONE && i-- > 0 && k->asked.states;)
    if (!marked(k->x, k->refs.at[i]) && judge(k, k->refs.at[i], r) == VERDICT_VIOLATED) return k->refs.at[i];
  k->asked.asleep = asleep;
  return stuck;
}

uint32_t returns_missing(struct explore *x, struct search_result *r) {
  struct mem *mem = &x->workers[0].mem;
  struct rest k = {.x = x, .mem = mem, .scratch = mem_child(mem), .asked.states = JUDGED_MOST};
  send_back(x, mem);
  find_rest(&k);
  expand_rest(&k);
  close_rest(&k);
  uint32_t stuck = find_stuck(&k, r);
  x->violation = stuck == REF_NONE ? VIOLATION_NONE : k.asked.asleep ? VIOLATION_ASLEEP : VIOLATION_NO_RETURN;
  return stuck;
}
