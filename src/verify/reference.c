/* The reference, determinised: see reference.h.
 *
 *   state -> its moves, once: those that nobody sees, and the returns
 *   set of states, event -> the states after it -> everything invisible moves lead to from there -> a set with a number
 *
 * As with spec sets, every answer is in a memo that any number of threads may read; what is not there yet is computed
 * by one thread at a time, under a lock. */
#include "verify/reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "verify/memo.h"
#include "verify/saved.h"
#include "verify/store.h"

enum { POLL_EVERY = 256, ALIKE = EVENT_LIN + 1, WITHIN };

/* What a state may do next. */
struct ref_return {
  uint32_t to;
  value result;
  uint8_t thread;
};
struct ref_state {
  const unsigned char *at;
  uint32_t size;
  bool expanded;
  const uint32_t *next; /* by moves that nobody sees */
  const struct ref_return *returns;
  uint32_t next_count, return_count;
  uint32_t mark;         /* in the set being made, if it is the latest mark */
  const uint64_t *looks; /* a thread each: a hash of what it is doing; NULL until asked for */
};

struct ref_set {
  const uint32_t *at; /* states, in the order of their numbers */
  uint32_t count;
};

struct shared {
  struct memo answers;               /* set and event */
  struct memo renamed;               /* set and permutation */
  struct memo called, state_renamed; /* state, call and thread; state and permutation */
  pthread_mutex_t lock;
  struct mem *mem; /* guarded anew whenever the lock is taken */
  struct reference_parts parts;
  struct system *machine;
  struct client_call call; /* the one the clients make: exchanged for the one of the event */
  void *from, *to;
  unsigned char *packed;
  VEC(struct ref_state) states;
  uint32_t *state_slots, state_mask; /* state + 1 */
  VEC(struct ref_set) sets;
  uint32_t *set_slots, set_mask; /* set; 0: free */
  uint32_t initial, mark;
  VEC(uint32_t) made;
  VEC(uint32_t) next; /* of the state being expanded */
  VEC(struct ref_return) returns;
  struct move fault; /* fault.fault is not 0: the reference has one */
};

struct reference {
  struct shared *shared;
  struct mem *mem;            /* where running out of memory goes */
  VEC(const uint8_t *) ranks; /* of each set asked for: this view's own */
};

/* States. */

static bool state_is(const struct ref_state *x, const unsigned char *at, uint32_t size) {
  return x->size == size && !memcmp(x->at, at, size);
}

static void grow_state_slots(struct shared *s) {
  mem_free(s->mem, s->state_slots);
  s->state_mask = s->state_mask * 2 + 1;
  s->state_slots = mem_zero(s->mem, (size_t)s->state_mask + 1, sizeof *s->state_slots);
  for (uint32_t k = 0; k < s->states.count; k++) {
    uint32_t i = (uint32_t)hash_bytes(s->states.at[k].at, s->states.at[k].size) & s->state_mask;
    while (s->state_slots[i]) i = (i + 1) & s->state_mask;
    s->state_slots[i] = k + 1;
  }
}

static uint32_t intern_bytes(struct shared *s, const unsigned char *at, uint32_t size) {
  uint32_t i = (uint32_t)hash_bytes(at, size) & s->state_mask;
  for (; s->state_slots[i]; i = (i + 1) & s->state_mask)
    if (state_is(&s->states.at[s->state_slots[i] - 1], at, size)) return s->state_slots[i] - 1;
  unsigned char *copy = mem_piece(s->mem, size + 1);
  memcpy(copy, at, size);
  struct ref_state x = {.at = copy, .size = size};
  vec_push(s->mem, &s->states, x);
  s->state_slots[i] = (uint32_t)s->states.count;
  uint32_t state = (uint32_t)s->states.count - 1;
  if (s->states.count * 2 > s->state_mask) grow_state_slots(s);
  return state;
}

static uint32_t intern_state(struct shared *s, const void *work) {
  return intern_bytes(s, s->packed, (uint32_t)s->machine->pack(s->machine, work, NULL, s->packed, NULL));
}

static void unpack_state(struct shared *s, uint32_t state) {
  s->machine->unpack(s->machine, s->states.at[state].at, s->states.at[state].size, s->from);
}

/* The moves of a thread that is within an operation. */
static void expand_thread(struct shared *s, unsigned thread) {
  struct choices choices;
  struct move move;
  choices_begin(&choices);
  do {
    enum moved moved = s->machine->move(s->machine, s->from, thread, &choices, s->to, &move);
    if (moved == FAULTED && !s->fault.fault) s->fault = move;
    if (moved != MOVED) continue;
    uint32_t to = intern_state(s, s->to);
    if (move.event_count)
      vec_push(s->mem, &s->returns, ((struct ref_return){to, move.events[0].result, (uint8_t)thread}));
    else
      vec_push(s->mem, &s->next, to);
  } while (choices_next_in(s->mem, &choices));
}

static const void *kept(struct shared *s, const void *at, size_t size) {
  void *copy = mem_piece(s->mem, size + 1);
  if (size) memcpy(copy, at, size);
  return copy;
}

static void expand_state(struct shared *s, uint32_t state) {
  if (s->states.at[state].expanded) return;
  s->next.count = s->returns.count = 0;
  unpack_state(s, state);
  for (unsigned t = 0; t < s->parts.threads; t++)
    if (machine_at(s->machine, s->from, t)) expand_thread(s, t);
  const uint32_t *next = kept(s, s->next.at, s->next.count * sizeof *next);
  const struct ref_return *returns = kept(s, s->returns.at, s->returns.count * sizeof *returns);
  struct ref_state *x = &s->states.at[state];
  x->next = next;
  x->next_count = (uint32_t)s->next.count;
  x->returns = returns;
  x->return_count = (uint32_t)s->returns.count;
  x->expanded = true;
}

/* Sets: being made, in s->made. */

static void begin_set(struct shared *s) {
  s->made.count = 0;
  s->mark++;
}

static void add_to_set(struct shared *s, uint32_t state) {
  if (s->states.at[state].mark == s->mark) return;
  s->states.at[state].mark = s->mark;
  vec_push(s->mem, &s->made, state);
}

/* With all that invisible moves lead to. */
static void close_set(struct shared *s) {
  for (size_t i = 0; i < s->made.count && !s->fault.fault; i++) {
    if (i % POLL_EVERY == POLL_EVERY - 1) mem_poll(s->mem);
    uint32_t state = s->made.at[i];
    expand_state(s, state);
    for (uint32_t k = 0; k < s->states.at[state].next_count; k++) add_to_set(s, s->states.at[state].next[k]);
  }
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static uint32_t set_hash(const uint32_t *at, uint32_t count) { return (uint32_t)hash_bytes(at, count * sizeof *at); }

static void grow_set_slots(struct shared *s) {
  mem_free(s->mem, s->set_slots);
  s->set_mask = s->set_mask * 2 + 1;
  s->set_slots = mem_zero(s->mem, (size_t)s->set_mask + 1, sizeof *s->set_slots);
  for (uint32_t set = 1; set < s->sets.count; set++) {
    uint32_t i = set_hash(s->sets.at[set].at, s->sets.at[set].count) & s->set_mask;
    while (s->set_slots[i]) i = (i + 1) & s->set_mask;
    s->set_slots[i] = set;
  }
}

static void sort_made(struct shared *s) {
  if (s->made.count > 1) qsort(s->made.at, s->made.count, sizeof *s->made.at, by_number);
}

static bool set_is_made(const struct shared *s, uint32_t set) {
  const struct ref_set *x = &s->sets.at[set];
  return x->count == s->made.count && !memcmp(x->at, s->made.at, x->count * sizeof *x->at);
}

/* The number of the set that is made. After a fault there are none but the empty one. */
static uint32_t intern_set(struct shared *s) {
  if (!s->made.count || s->fault.fault) return 0;
  sort_made(s);
  uint32_t count = (uint32_t)s->made.count, i = set_hash(s->made.at, count) & s->set_mask;
  for (; s->set_slots[i]; i = (i + 1) & s->set_mask)
    if (set_is_made(s, s->set_slots[i])) return s->set_slots[i];
  struct ref_set x = {kept(s, s->made.at, count * sizeof *x.at), count};
  vec_push(s->mem, &s->sets, x);
  uint32_t set = s->set_slots[i] = (uint32_t)s->sets.count - 1;
  if (s->sets.count * 2 > s->set_mask) grow_set_slots(s);
  return set;
}

/* Events. */

/* The thread is idle, as in every state of the set: a call can always be made. */
static uint32_t state_called(struct shared *s, uint32_t state, unsigned thread, uint32_t number) {
  uint32_t answer;
  uint64_t key = (uint64_t)state << 32 | number;
  struct choices none;
  struct move move;
  if (memo_find(&s->called, key, thread, &answer)) return answer;
  choices_begin(&none);
  s->call = s->parts.calls[number];
  unpack_state(s, state);
  s->machine->move(s->machine, s->from, thread, &none, s->to, &move);
  answer = intern_state(s, s->to);
  memo_add(&s->called, s->mem, key, thread, answer);
  return answer;
}

static uint32_t after_call(struct shared *s, uint32_t set, unsigned thread, uint32_t number) {
  struct ref_set x = s->sets.at[set];
  begin_set(s);
  for (uint32_t i = 0; i < x.count; i++) add_to_set(s, state_called(s, x.at[i], thread, number));
  close_set(s);
  return intern_set(s);
}

static uint32_t after_return(struct shared *s, uint32_t set, unsigned thread, value result) {
  struct ref_set x = s->sets.at[set];
  begin_set(s);
  for (uint32_t i = 0; i < x.count; i++) {
    expand_state(s, x.at[i]);
    const struct ref_state *state = &s->states.at[x.at[i]];
    for (uint32_t k = 0; k < state->return_count; k++)
      if (state->returns[k].thread == thread && state->returns[k].result == result) add_to_set(s, state->returns[k].to);
  }
  close_set(s);
  return intern_set(s);
}

/* Renaming threads. */

static uint64_t same_threads(unsigned threads) {
  return 0xfedcba9876543210u & (threads == 16 ? UINT64_MAX : ((uint64_t)1 << threads * 4) - 1);
}

/* Thread i of the new state is the old one's permutation >> 4i & 15. */
static uint32_t state_renamed(struct shared *s, uint32_t state, uint64_t permutation) {
  uint32_t answer;
  uint8_t from[THREADS_MOST];
  if (memo_find(&s->state_renamed, permutation, state, &answer)) return answer;
  for (unsigned t = 0; t < s->parts.threads; t++) from[t] = permutation >> t * 4 & 15;
  unpack_state(s, state);
  answer = intern_bytes(s, s->packed, (uint32_t)s->machine->pack_as(s->machine, s->from, from, s->packed));
  memo_add(&s->state_renamed, s->mem, permutation, state, answer);
  return answer;
}

/* The set renamed, in s->made. States renamed lead to each other as before: it is closed. */
static void rename_set(struct shared *s, uint32_t set, uint64_t permutation) {
  struct ref_set x = s->sets.at[set];
  begin_set(s);
  for (uint32_t i = 0; i < x.count; i++) add_to_set(s, state_renamed(s, x.at[i], permutation));
}

static uint32_t renamed(struct shared *s, uint32_t set, uint64_t permutation) {
  uint32_t answer;
  if (memo_find(&s->renamed, permutation, set, &answer)) return answer;
  rename_set(s, set, permutation);
  answer = intern_set(s);
  memo_add(&s->renamed, s->mem, permutation, set, answer);
  return answer;
}

static bool exchangeable(struct shared *s, uint32_t set, unsigned i, unsigned j) {
  uint64_t x = (uint64_t)(i ^ j);
  rename_set(s, set, same_threads(s->parts.threads) ^ x << i * 4 ^ x << j * 4);
  sort_made(s);
  return set_is_made(s, set);
}

static bool set_within(const struct shared *s, uint32_t inner, uint32_t outer) {
  struct ref_set in = s->sets.at[inner], out = s->sets.at[outer];
  uint32_t k = 0;
  for (uint32_t i = 0; i < in.count; i++, k++) {
    while (k < out.count && out.at[k] < in.at[i]) k++;
    if (k == out.count || out.at[k] != in.at[i]) return false;
  }
  return true;
}

/* What each thread is doing in a state, whatever the others are called: the state as if all were this one. */
static const uint64_t *looks_of(struct shared *s, uint32_t state) {
  if (s->states.at[state].looks) return s->states.at[state].looks;
  uint64_t *looks = mem_piece(s->mem, s->parts.threads * sizeof *looks);
  unpack_state(s, state);
  for (unsigned t = 0; t < s->parts.threads; t++) {
    uint8_t all[THREADS_MOST];
    memset(all, (int)t, sizeof all);
    looks[t] = hash_bytes(s->packed, s->machine->pack_as(s->machine, s->from, all, s->packed));
  }
  return s->states.at[state].looks = looks;
}

static void add_signatures(struct shared *s, uint32_t state, const uint8_t *rank, uint64_t *sum) {
  const uint64_t *looks = looks_of(s, state);
  uint64_t own[THREADS_MOST], all = 0;
  for (unsigned i = 0; i < s->parts.threads; i++) {
    own[i] = hash_mix(looks[i] + rank[i]);
    all += hash_mix(own[i] + 1);
  }
  for (unsigned i = 0; i < s->parts.threads; i++) sum[i] += hash_mix(hash_mix(all) ^ own[i]);
}

/* By counting, as in rename.c. */
static const uint8_t *ranks_of(struct shared *s, uint32_t set) {
  uint8_t *rank = mem_piece(s->mem, THREADS_MOST);
  memset(rank, 0, THREADS_MOST);
  for (unsigned before = 0, now = 1; now > before && now < s->parts.threads;) {
    uint64_t sum[THREADS_MOST] = {0};
    for (uint32_t i = 0; i < s->sets.at[set].count; i++) add_signatures(s, s->sets.at[set].at[i], rank, sum);
    before = now;
    now = rank_again(s->parts.threads, rank, sum);
  }
  return rank;
}

/* Asking. */

#define LOCKED(v) \
  do { \
    pthread_mutex_lock(&(v)->shared->lock); \
    if (MEM_GUARD((v)->shared->mem)) give_up(v); \
  } while (0)

static void unlock(struct reference *v) { pthread_mutex_unlock(&v->shared->lock); }

static _Noreturn void give_up(struct reference *v) {
  unlock(v);
  mem_escape(v->mem);
}

static uint32_t compute(struct shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  switch (question) {
  case EVENT_CALL: return after_call(s, set, thread, x);
  case EVENT_RETURN: return after_return(s, set, thread, x);
  case WITHIN: return set_within(s, set, x);
  default: return exchangeable(s, set, thread, x);
  }
}

static __attribute__((noinline)) uint32_t find_out(struct reference *v, unsigned question, uint32_t set, uint32_t x,
                                                   unsigned thread) {
  struct shared *s = v->shared;
  uint32_t answer;
  LOCKED(v);
  if (!memo_answered(&s->answers, question, set, x, thread, &answer)) {
    answer = compute(s, question, set, x, thread);
    memo_answer(&s->answers, s->mem, question, set, x, thread, answer);
  }
  unlock(v);
  return answer;
}

static uint32_t ask(struct reference *v, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  uint32_t answer;
  bool known = memo_answered(&v->shared->answers, question, set, x, thread, &answer);
  return known ? answer : find_out(v, question, set, x, thread);
}

/* As traces. */

static uint32_t initial(void *self) { return ((struct reference *)self)->shared->initial; }

static uint32_t step(void *self, uint32_t set, struct event e) {
  if (!set || (e.kind != EVENT_CALL && e.kind != EVENT_RETURN)) return set;
  return ask(self, e.kind, set, e.kind == EVENT_CALL ? e.call : e.result, e.thread);
}

static bool may_call(void *self, uint32_t set, unsigned thread, uint16_t call) {
  (void)self, (void)set, (void)thread, (void)call;
  return true;
}

static uint32_t count(void *self) {
  struct reference *v = self;
  pthread_mutex_lock(&v->shared->lock);
  uint32_t n = (uint32_t)v->shared->sets.count;
  unlock(v);
  return n;
}

static void *share(void *self, struct mem *mem) {
  struct reference *v = mem_zero(mem, 1, sizeof *v);
  v->shared = ((struct reference *)self)->shared;
  v->mem = mem;
  return v;
}

static __attribute__((noinline)) uint32_t find_renamed(struct reference *v, uint32_t set, uint64_t permutation) {
  LOCKED(v);
  uint32_t answer = renamed(v->shared, set, permutation);
  unlock(v);
  return answer;
}

static uint32_t permute(void *self, uint32_t set, const uint8_t *from) {
  struct reference *v = self;
  uint64_t permutation = 0;
  uint32_t answer;
  for (unsigned t = 0; t < v->shared->parts.threads; t++) permutation |= (uint64_t)from[t] << t * 4;
  if (!set || permutation == same_threads(v->shared->parts.threads)) return set;
  return memo_find(&v->shared->renamed, permutation, set, &answer) ? answer : find_renamed(v, set, permutation);
}

static const uint8_t *find_ranks(struct reference *v, uint32_t set) {
  LOCKED(v);
  const uint8_t *ranks = ranks_of(v->shared, set);
  unlock(v);
  return ranks;
}

static const uint8_t *ranks(void *self, uint32_t set) {
  struct reference *v = self;
  while (v->ranks.count <= set) vec_push(v->mem, &v->ranks, NULL);
  if (!v->ranks.at[set]) v->ranks.at[set] = find_ranks(v, set);
  return v->ranks.at[set];
}

static bool within(void *self, uint32_t inner, uint32_t outer) {
  return inner == outer || ask(self, WITHIN, inner, outer, 0);
}

static bool alike(void *self, uint32_t set, unsigned i, unsigned j) {
  return i == j || ask(self, ALIKE, set, i < j ? j : i, i < j ? i : j);
}

bool reference_fault(struct reference *v, struct move *move) {
  *move = v->shared->fault;
  return move->fault != FAULT_NONE;
}

/* Making it. */

/* Every thread makes whatever call `call` is. */
static struct system *new_machine(struct mem *mem, const struct reference_parts *p, const struct client_call *call,
                                  bool forget) {
  struct client_thread client[THREADS_MOST];
  struct machine_options options = {.steps = STEPS_SHARED,
                                    .ops = OPS_FOREVER,
                                    .apart = true,
                                    .fuse_private = true,
                                    .type_stable = p->type_stable,
                                    .weak_fails = p->weak_fails,
                                    .malloc_fails = p->malloc_fails,
                                    .forget = forget};
  for (unsigned t = 0; t < p->threads; t++) client[t] = (struct client_thread){.calls = call, .call_count = 1};
  return machine_new(mem, p->program, client, p->threads, &options, p->result, p->result_self);
}

static uint32_t initial_set(struct shared *s) {
  s->machine->start(s->machine, s->from);
  if (machine_start_fault(s->machine, &s->fault)) return 0;
  begin_set(s);
  add_to_set(s, intern_state(s, s->from));
  close_set(s);
  return intern_set(s);
}

struct reference *reference_new(struct mem *mem, const struct reference_parts *parts) {
  struct mem *own = mem_child(mem);
  struct shared *s = mem_zero(own, 1, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  s->mem = own;
  s->parts = *parts;
  memo_open(&s->answers, own);
  memo_open(&s->renamed, own);
  memo_open(&s->called, own);
  memo_open(&s->state_renamed, own);
  s->machine = new_machine(own, parts, &s->call, parts->forget);
  s->from = mem_zero(own, 1, s->machine->work);
  s->to = mem_zero(own, 1, s->machine->work);
  s->packed = mem_alloc(own, s->machine->packed_most);
  s->state_mask = s->set_mask = 255;
  s->state_slots = mem_zero(own, s->state_mask + 1, sizeof *s->state_slots);
  s->set_slots = mem_zero(own, s->set_mask + 1, sizeof *s->set_slots);
  vec_push(own, &s->sets, (struct ref_set){0}); /* the empty one */
  s->initial = initial_set(s);
  own->parent = NULL; /* closed with mem, but its failures are caught under the lock and passed on from there */
  struct reference first = {.shared = s};
  return share(&first, mem);
}

/* Checkpoints: states and sets keep their numbers. What they lead to is found out again. */

static void save(void *self, struct saving *out) {
  const struct shared *s = ((struct reference *)self)->shared;
  save_number(out, s->states.count);
  for (size_t i = 0; i < s->states.count; i++) save_block(out, s->states.at[i].at, s->states.at[i].size);
  save_number(out, s->sets.count);
  for (size_t i = 1; i < s->sets.count; i++) {
    save_number(out, s->sets.at[i].count);
    for (uint32_t k = 0; k < s->sets.at[i].count; k++) save_number(out, s->sets.at[i].at[k]);
  }
}

static bool load_states(struct shared *s, struct loading *in) {
  uint64_t states = load_number(in);
  for (uint64_t i = 0; i < states && load_good(in); i++) {
    uint32_t size = load_block(in, s->packed, s->machine->packed_most);
    if (load_good(in) && intern_bytes(s, s->packed, size) != i) load_fail(in);
  }
  return load_good(in);
}

static bool load_sets(struct shared *s, struct loading *in) {
  uint64_t sets = load_number(in);
  for (uint64_t i = 1; i < sets && load_good(in); i++) {
    uint64_t n = load_number(in);
    begin_set(s);
    for (uint64_t k = 0; k < n && load_good(in); k++) {
      uint64_t state = load_number(in);
      if (state >= s->states.count)
        load_fail(in);
      else
        add_to_set(s, (uint32_t)state);
    }
    if (load_good(in) && intern_set(s) != i) load_fail(in);
  }
  return load_good(in);
}

static bool load(void *self, struct loading *in) {
  struct reference *v = self;
  LOCKED(v);
  bool good = load_states(v->shared, in) && load_sets(v->shared, in);
  unlock(v);
  return good;
}

struct traces reference_traces(struct reference *v) {
  return (struct traces){.self = v,
                         .initial = initial,
                         .step = step,
                         .may_call = may_call,
                         .count = count,
                         .share = share,
                         .within = within,
                         .symmetric = !program_by_thread(v->shared->parts.program),
                         .permute = permute,
                         .ranks = ranks,
                         .alike = alike,
                         .save = save,
                         .load = load};
}

/* One history. */

struct hunt {
  struct mem *mem;
  struct system *machine;
  struct client_call call;
  struct store met; /* how many of the events have happened, and the state */
  unsigned char *key;
  void *from, *to;
};

static void hunt_reach(struct hunt *h, const void *work, uint32_t done) {
  uint32_t ref;
  memcpy(h->key, &done, sizeof done);
  uint32_t size = (uint32_t)(sizeof done + h->machine->pack(h->machine, work, NULL, h->key + sizeof done, NULL));
  store_add(&h->met, hash_bytes(h->key, size), h->key, size, 0, REF_NONE, NULL, NULL, &ref);
}

/* Every move of the thread that is invisible or the event that is next. */
static void hunt_moves(struct hunt *h, unsigned thread, const struct event *next, uint32_t done) {
  struct choices choices;
  struct move move;
  bool idle = !machine_at(h->machine, h->from, thread);
  if (idle && (next->kind != EVENT_CALL || next->thread != thread)) return;
  choices_begin(&choices);
  do {
    if (h->machine->move(h->machine, h->from, thread, &choices, h->to, &move) != MOVED) continue;
    bool ends = move.event_count && move.events[0].kind == EVENT_RETURN;
    if (ends && (next->kind != EVENT_RETURN || next->thread != thread || next->result != move.events[0].result))
      continue;
    hunt_reach(h, h->to, done + (idle || ends));
  } while (choices_next_in(h->mem, &choices));
}

bool reference_has(struct mem *mem, const struct reference_parts *parts, const struct event *events,
                   size_t event_count) {
  struct hunt *h = mem_zero(mem, 1, sizeof *h);
  h->mem = mem;
  h->machine = new_machine(mem, parts, &h->call, false);
  h->from = mem_zero(mem, 1, h->machine->work);
  h->to = mem_zero(mem, 1, h->machine->work);
  h->key = mem_alloc(mem, sizeof(uint32_t) + h->machine->packed_most);
  store_open(&h->met, mem);
  h->machine->start(h->machine, h->from);
  hunt_reach(h, h->from, 0);
  for (uint32_t ref = 0; ref < h->met.end; ref = store_after(&h->met, ref)) {
    struct record_view v = store_at(&h->met, ref);
    uint32_t done;
    memcpy(&done, v.at, sizeof done);
    if (done == event_count) return true;
    mem_poll(mem);
    h->machine->unpack(h->machine, v.at + sizeof done, v.size - sizeof done, h->from);
    if (events[done].kind == EVENT_CALL) h->call = parts->calls[events[done].call];
    for (unsigned t = 0; t < parts->threads; t++) hunt_moves(h, t, &events[done], done);
  }
  return false;
}
