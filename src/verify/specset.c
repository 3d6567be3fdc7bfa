/* Spec sets: see specset.h.
 *
 * A set is its minimal configurations, sorted; equal ones have one number. Every answer is kept in a memo that any
 * number of threads may read (memo.h); what is not there yet is computed by one thread at a time, under a lock. */
#include "verify/specset.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "verify/specset_parts.h"

/* What is asked beside events, in the same memo. */
enum question { ALIKE = EVENT_LIN + 1, WITHIN, MADE_CALL, ELEMENTS, CLOSED_SIZE, OWES };

struct specsets {
  struct shared *shared;
  struct mem *mem; /* where running out of memory goes */
};

/* Interning. */

/* Each at a line. */
static struct row *new_rows(struct mem *m, size_t count) {
  size_t line = sizeof(struct row);
  return (struct row *)(((uintptr_t)mem_zero(m, count + 1, line) + line - 1) / line * line);
}

static uint32_t set_add(struct shared *s, const unsigned char *configs, uint32_t count, uint32_t hash) {
  uint32_t set = s->count, k = segment_of(set);
  size_t size = count * s->lin.bytes;
  unsigned char *copy = mem_piece(s->mem, size + 1);
  if (size) memcpy(copy, configs, size);
  if (!s->rows[k]) s->rows[k] = new_rows(s->mem, (size_t)SEGMENT << k);
  if (!s->segments[k]) s->segments[k] = mem_zero(s->mem, (size_t)SEGMENT << k, sizeof **s->segments);
  struct set *to = set_at(s, set);
  to->configs = copy;
  to->count = count;
  to->hash = hash;
  s->count++;
  return set;
}

static void slots_grow(struct shared *s) {
  uint32_t *larger = mem_zero(s->mem, ((size_t)s->mask + 1) * 2, sizeof *larger);
  mem_free(s->mem, s->slots);
  s->slots = larger;
  s->mask = s->mask * 2 + 1;
  for (uint32_t set = 1; set < s->count; set++) {
    uint32_t i = set_at(s, set)->hash & s->mask;
    while (s->slots[i]) i = (i + 1) & s->mask;
    s->slots[i] = set;
  }
}

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(struct config)); }

uint32_t sets_pack(struct shared *s) {
  if (s->made.count > 1) qsort(s->made.at, s->made.count, sizeof *s->made.at, by_bytes);
  uint32_t count = 0;
  vec_reserve(s->mem, &s->bytes, s->made.count * s->lin.bytes);
  for (size_t i = 0; i < s->made.count; i++)
    if (!i || by_bytes(&s->made.at[i - 1], &s->made.at[i]))
      memcpy(s->bytes.at + count++ * s->lin.bytes, &s->made.at[i], s->lin.bytes);
  return count;
}

uint32_t sets_intern(struct shared *s) {
  uint32_t count = sets_pack(s);
  if (!count) return 0;
  size_t size = count * s->lin.bytes;
  uint32_t hash = (uint32_t)hash_bytes(s->bytes.at, size), i = hash & s->mask;
  for (; s->slots[i]; i = (i + 1) & s->mask) {
    const struct set *x = set_at(s, s->slots[i]);
    if (x->hash == hash && x->count == count && !memcmp(x->configs, s->bytes.at, size)) return s->slots[i];
  }
  uint32_t set = set_add(s, s->bytes.at, count, hash);
  s->slots[i] = set;
  if ((uint64_t)s->count * 2 > s->mask) slots_grow(s);
  return set;
}

void sets_read(struct shared *s, uint32_t set) {
  const struct set *x = set_at(s, set);
  s->made.count = 0;
  vec_reserve(s->mem, &s->given, x->count);
  s->given.count = x->count;
  memset(s->given.at, 0, x->count * sizeof *s->given.at);
  for (uint32_t i = 0; i < x->count; i++) memcpy(&s->given.at[i], x->configs + i * s->lin.bytes, s->lin.bytes);
}

/* Everything in the set, closed, in lin.found. */
static void close_set(struct shared *s, uint32_t set) {
  if (s->closed == set && set) return;
  s->closed = 0;
  sets_read(s, set);
  linearize(&s->lin, s->given.at, s->given.count, THREADS_MOST, IDLE);
  s->closed = set;
}

/* Events. */

/* Linearizing other operations and opening this one commute, so the closed set after the call is the closure of the
 * minimal configurations with the thread's operation open. These are still minimal: a way from one to another has the
 * operation open at both ends, hence all along, and would have been there without it. */
static uint32_t after_call(struct shared *s, uint32_t set, unsigned thread, uint16_t call) {
  sets_read(s, set);
  for (size_t i = 0; i < s->given.count; i++) {
    struct config c = s->given.at[i];
    if (c.status[thread] != IDLE) continue;
    c.status[thread] = call;
    vec_push(s->mem, &s->made, c);
  }
  return sets_intern(s);
}

/* With the thread linearized with this result, and then idle. What linearizing leads to from such a configuration is
 * such a one, so these are a closed set, and minimal are those that none of them leads to. All have the thread at one
 * status: making it idle keeps them apart. */
static uint32_t after_return(struct shared *s, uint32_t set, unsigned thread, value result) {
  uint16_t done = status_done(&s->lin, result);
  sets_read(s, set);
  const struct config *from = s->given.at;
  size_t count = s->given.count;
  if (s->mode == SPECSET_FREE) {
    s->closed = 0;
    linearize(&s->lin, from, count, thread, done);
    from = s->lin.found.list.at;
    count = s->lin.found.list.count;
  }
  for (size_t i = 0; i < count; i++) {
    if (from[i].status[thread] != done || (s->mode == SPECSET_FREE && s->lin.found.led_to.at[i])) continue;
    struct config c = from[i];
    c.status[thread] = IDLE;
    vec_push(s->mem, &s->made, c);
  }
  return sets_intern(s);
}

/* Where operations linearize whenever they can, the mark of a point says nothing. */
static uint32_t after_point(struct shared *s, uint32_t set, unsigned thread) {
  if (s->mode == SPECSET_FREE) return set;
  sets_read(s, set);
  for (size_t i = 0; i < s->given.count; i++) {
    struct config c = s->given.at[i];
    uint32_t count;
    if (!is_open(&s->lin, c.status[thread])) continue;
    const struct lin_outcome *x = linearize_one(&s->lin, c.state, c.status[thread], thread, &count);
    for (uint32_t k = 0; k < count; k++) {
      c.state = x[k].state;
      c.status[thread] = x[k].status;
      vec_push(s->mem, &s->made, c);
    }
  }
  return sets_intern(s);
}

/* Other questions. */

static bool has(const struct shared *s, const struct set *x, const struct config *c) {
  uint32_t low = 0, high = x->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = memcmp(x->configs + middle * s->lin.bytes, c, s->lin.bytes);
    if (!order) return true;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* Does linearizing lead from one of the set's minimal configurations to this one? */
static bool leads_to(struct shared *s, const struct set *x, const struct config *c) {
  for (uint32_t i = 0; i < x->count; i++) {
    struct config from = {0};
    memcpy(&from, x->configs + i * s->lin.bytes, s->lin.bytes);
    if (linearize_to(&s->lin, &from, c)) return true;
  }
  return false;
}

static bool within(struct shared *s, uint32_t inner, uint32_t outer) {
  if (inner == outer || !inner) return true;
  if (!outer) return false;
  sets_read(s, inner);
  for (size_t i = 0; i < s->given.count; i++) {
    const struct config *c = &s->given.at[i];
    if (!has(s, set_at(s, outer), c) && (s->mode == SPECSET_POINTS || !leads_to(s, set_at(s, outer), c))) return false;
  }
  return true;
}

static uint32_t most_elements(struct shared *s, uint32_t set) {
  const struct spec *spec = s->lin.spec;
  uint32_t most = 0;
  close_set(s, set);
  for (size_t i = 0; i < s->lin.found.list.count; i++) {
    uint32_t n = spec->elements(spec, states_at(s->lin.states, s->lin.found.list.at[i].state));
    if (n > most) most = n;
  }
  return most < UINT32_MAX ? most : UINT32_MAX - 1; /* what a memo can hold */
}

static uint32_t known(struct shared *, unsigned question, uint32_t set, uint32_t x, unsigned thread);

/* Has the thread just called what it can never do, whatever the others do (spec.h)? */
static bool misuses(struct shared *s, uint32_t after, unsigned thread) {
  const struct spec *spec = s->lin.spec;
  sets_read(s, after);
  for (size_t i = 0; i < s->given.count; i++) {
    const struct config *c = &s->given.at[i];
    uint32_t count;
    outcomes_clear(&s->lin.scratch);
    spec->alone(spec, states_at(s->lin.states, c->state), thread, &s->lin.scratch);
    uint32_t own = states_intern(s->lin.states, outcomes_state(&s->lin.scratch, 0));
    linearize_one(&s->lin, own, c->status[thread], thread, &count);
    if (count) return false;
  }
  return true;
}

static bool is_bounded(const struct shared *s) { return s->bound >= 0 && s->lin.spec->elements; }

/* The set after the call, or CALL_REFUSED. */
static uint32_t made_call(struct shared *s, uint32_t set, uint32_t call, unsigned thread) {
  uint32_t after = known(s, EVENT_CALL, set, call, thread);
  if (s->lin.spec->alone && misuses(s, after, thread)) return CALL_REFUSED;
  if (!is_bounded(s)) return after;
  uint32_t most = known(s, ELEMENTS, after, 0, 0);
  return most <= s->bound || most <= known(s, ELEMENTS, set, 0, 0) ? after : CALL_REFUSED;
}

static bool owes(struct shared *s, uint32_t set) {
  sets_read(s, set);
  for (size_t i = 0; i < s->given.count; i++) {
    const struct config *c = &s->given.at[i];
    uint32_t count = 0;
    for (unsigned t = 0; t < s->threads && !count; t++) {
      if (c->status[t] == IDLE) continue;
      if (is_open(&s->lin, c->status[t]) && !s->never_wait)
        linearize_one(&s->lin, c->state, c->status[t], t, &count);
      else
        count = 1;
    }
    if (!count) return false;
  }
  return true;
}

static size_t closed_size(struct shared *s, uint32_t set) {
  if (s->mode == SPECSET_POINTS) return set_at(s, set)->count;
  close_set(s, set);
  return s->lin.found.list.count;
}

/* Asking. */

static uint32_t compute(struct shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  switch (question) {
  case EVENT_CALL: return after_call(s, set, thread, (uint16_t)x);
  case EVENT_RETURN: return after_return(s, set, thread, x);
  case EVENT_LIN: return after_point(s, set, thread);
  case ALIKE: return sets_exchangeable(s, set, thread, x);
  case WITHIN: return within(s, set, x);
  case MADE_CALL: return made_call(s, set, x, thread);
  case ELEMENTS: return most_elements(s, set);
  case OWES: return owes(s, set);
  default: return (uint32_t)closed_size(s, set);
  }
}

static uint32_t known(struct shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  uint32_t answer;
  if (memo_answered(&s->answers, question, set, x, thread, &answer)) return answer;
  answer = compute(s, question, set, x, thread);
  memo_answer(&s->answers, s->mem, question, set, x, thread, answer);
  return answer;
}

/* Between LOCKED and unlock the sets may be added to. Where memory runs out the view's owner hears of it, with the lock
 * given back. */
#define LOCKED(v) \
  do { \
    pthread_mutex_lock(&(v)->shared->lock); \
    if (MEM_GUARD((v)->shared->mem)) give_up(v); \
  } while (0)

static void unlock(struct specsets *v) { pthread_mutex_unlock(&v->shared->lock); }

static _Noreturn void give_up(struct specsets *v) {
  v->shared->closed = 0;
  unlock(v);
  mem_escape(v->mem);
}

/* Columns. */

static inline uint64_t column_key(unsigned question, uint32_t x, unsigned thread) {
  return (uint64_t)x << 32 | question << 16 | thread << 8;
}

static inline unsigned column_slot(uint64_t key) { return (unsigned)(key * 0x9e3779b97f4a7c15u >> 56); }

/* Where the row has the answer; NULL: nowhere. */
static inline _Atomic uint32_t *in_row(const struct shared *s, unsigned question, uint32_t set, uint32_t x,
                                       unsigned thread) {
  uint64_t key = column_key(question, x, thread);
  uint64_t column = atomic_load_explicit(&s->columns[column_slot(key)], memory_order_relaxed);
  return column && !((column ^ key) >> 8) ? &row_at(s, set)->answers[column & 255] : NULL;
}

/* Those asked for first have columns. */
static void add_column(struct shared *s, unsigned question, uint32_t x, unsigned thread) {
  uint64_t key = column_key(question, x, thread);
  unsigned slot = column_slot(key);
  if (s->column_count == ROW || atomic_load_explicit(&s->columns[slot], memory_order_relaxed)) return;
  atomic_store_explicit(&s->columns[slot], key | s->column_count++, memory_order_relaxed);
}

static __attribute__((noinline)) uint32_t find_out(struct specsets *v, unsigned question, uint32_t set, uint32_t x,
                                                   unsigned thread) {
  LOCKED(v);
  uint32_t answer = known(v->shared, question, set, x, thread);
  if (question != WITHIN) {
    add_column(v->shared, question, x, thread);
    _Atomic uint32_t *at = in_row(v->shared, question, set, x, thread);
    if (at) atomic_store_explicit(at, answer + 1, memory_order_release);
  }
  unlock(v);
  return answer;
}

static inline uint32_t ask(struct specsets *v, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  const _Atomic uint32_t *at = in_row(v->shared, question, set, x, thread);
  uint32_t answer = at ? atomic_load_explicit(at, memory_order_acquire) : 0;
  if (answer) return answer - 1;
  return !at && memo_answered(&v->shared->answers, question, set, x, thread, &answer)
             ? answer
             : find_out(v, question, set, x, thread);
}

/* Of these there are too many for columns. */
static inline uint32_t ask_within(struct specsets *v, uint32_t inner, uint32_t outer) {
  uint32_t answer;
  return memo_answered(&v->shared->answers, WITHIN, inner, outer, 0, &answer) ? answer
                                                                              : find_out(v, WITHIN, inner, outer, 0);
}

uint32_t specset_step(struct specsets *v, uint32_t set, struct event e) {
  if (!set || e.kind == EVENT_NONE) return set;
  return ask(v, e.kind, set, e.kind == EVENT_CALL ? e.call : e.kind == EVENT_RETURN ? e.result : 0, e.thread);
}

bool specset_alike(struct specsets *v, uint32_t set, unsigned i, unsigned j) {
  return i == j || (specsets_symmetric(v) && ask(v, ALIKE, set, i < j ? j : i, i < j ? i : j));
}

bool specset_within(struct specsets *v, uint32_t inner, uint32_t outer) {
  return inner == outer || ask_within(v, inner, outer);
}

void specset_expect_within(const struct specsets *v, uint32_t inner, uint32_t outer) {
  memo_expect(&v->shared->answers, (uint64_t)inner << 32 | outer, WITHIN << 8);
}

/* May calls be refused? */
static bool refuses(const struct specsets *v) { return is_bounded(v->shared) || v->shared->lin.spec->alone; }

bool specset_may_call(struct specsets *v, uint32_t set, unsigned thread, uint16_t call) {
  return !refuses(v) || !set || ask(v, MADE_CALL, set, call, thread) != CALL_REFUSED;
}

uint32_t specset_made_call(struct specsets *v, uint32_t set, struct event e) {
  return !refuses(v) || !set ? specset_step(v, set, e) : ask(v, MADE_CALL, set, e.call, e.thread);
}

size_t specset_closed_size(struct specsets *v, uint32_t set) { return ask(v, CLOSED_SIZE, set, 0, 0); }

void specsets_never_wait(struct specsets *v) { v->shared->never_wait = true; }

bool specset_owes(struct specsets *v, uint32_t set) { return set && ask(v, OWES, set, 0, 0); }

void specset_expect(const struct specsets *v, uint32_t set) { __builtin_prefetch(row_at(v->shared, set)); }

static __attribute__((noinline)) uint32_t find_permuted(struct specsets *v, uint32_t set, uint64_t permutation) {
  LOCKED(v);
  uint32_t answer = sets_permuted(v->shared, set, permutation);
  if (v->shared->threads == 2)
    atomic_store_explicit(&row_at(v->shared, set)->answers[ROW_SWAPPED], answer + 1, memory_order_release);
  unlock(v);
  return answer;
}

uint32_t specset_permute(struct specsets *v, uint32_t set, const uint8_t *from) {
  const struct shared *s = v->shared;
  uint64_t permutation = 0;
  uint32_t answer;
  for (unsigned i = 0; i < s->threads; i++) permutation |= (uint64_t)from[i] << i * 4;
  if (permutation == same_threads(s->threads) || !set) return set;
  assert(specsets_symmetric(v));
  if (s->threads == 2) {
    answer = atomic_load_explicit(&row_at(s, set)->answers[ROW_SWAPPED], memory_order_acquire);
    return answer ? answer - 1 : find_permuted(v, set, permutation);
  }
  return memo_find(&s->renamed, permutation, set, &answer) ? answer : find_permuted(v, set, permutation);
}

static __attribute__((noinline)) const uint8_t *find_ranks(struct specsets *v, uint32_t set) {
  LOCKED(v);
  struct set *x = set_at(v->shared, set);
  const uint8_t *ranks = atomic_load_explicit(&x->ranks, memory_order_relaxed);
  if (!ranks) {
    ranks = sets_ranks(v->shared, set);
    atomic_store_explicit(&x->ranks, ranks, memory_order_release);
  }
  unlock(v);
  return ranks;
}

const uint8_t *specset_ranks(struct specsets *v, uint32_t set) {
  const uint8_t *ranks = atomic_load_explicit(&set_at(v->shared, set)->ranks, memory_order_acquire);
  return ranks ? ranks : find_ranks(v, set);
}

/* Making them. */

static uint32_t initial_set(struct shared *s) {
  struct successors initial = states_initial(s->lin.states);
  s->made.count = 0;
  for (uint32_t i = 0; i < initial.count; i++) {
    struct config c = {.state = initial.at[i]};
    vec_push(s->mem, &s->made, c);
  }
  return sets_intern(s);
}

struct specsets *specsets_share(struct specsets *of, struct mem *m) {
  struct specsets *v = mem_alloc(m, sizeof *v);
  *v = (struct specsets){of->shared, m};
  return v;
}

struct specsets *specsets_new(struct mem *m, const struct spec *spec, unsigned threads, enum specset_mode mode,
                              int64_t bound) {
  assert(threads <= THREADS_MOST);
  struct mem *own = mem_child(m);
  struct shared *s = mem_zero(own, 1, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  s->mem = own;
  s->threads = threads;
  s->mode = mode;
  s->bound = bound;
  s->column_count = ROW_SWAPPED + 1;
  memo_open(&s->answers, own);
  memo_open(&s->renamed, own);
  memo_open(&s->states_renamed, own);
  linearizer_open(&s->lin, own, spec, threads);
  s->mask = 255;
  s->slots = mem_zero(own, s->mask + 1, sizeof *s->slots);
  set_add(s, NULL, 0, 0);
  s->initial = initial_set(s);
  own->parent = NULL; /* closed with m, but its failures are caught under the lock and passed on from there */
  return specsets_share(&(struct specsets){s, m}, m);
}

uint16_t specset_call(struct specsets *v, const struct op *call) {
  LOCKED(v);
  uint16_t number = status_open(&v->shared->lin, call);
  unlock(v);
  return number;
}

struct op specset_op(struct specsets *v, uint16_t call) {
  pthread_mutex_lock(&v->shared->lock);
  struct op op = status_at(&v->shared->lin, call)->op;
  unlock(v);
  return op;
}

uint32_t specset_initial(struct specsets *v) { return v->shared->initial; }

bool specsets_symmetric(const struct specsets *v) {
  return !v->shared->lin.spec->by_process || v->shared->lin.spec->rename;
}

bool specsets_blurred(struct specsets *v) {
  pthread_mutex_lock(&v->shared->lock);
  bool blurred = v->shared->lin.unknown_result;
  unlock(v);
  return blurred;
}

void specsets_save(struct specsets *v, struct saving *out) {
  pthread_mutex_lock(&v->shared->lock);
  sets_save(v->shared, out);
  unlock(v);
}

bool specsets_load(struct specsets *v, struct loading *in) {
  LOCKED(v);
  bool good = sets_load(v->shared, in);
  unlock(v);
  return good;
}

/* Reports. */

uint32_t specsets_count(struct specsets *v) {
  pthread_mutex_lock(&v->shared->lock);
  uint32_t count = v->shared->count;
  unlock(v);
  return count;
}

size_t specset_size(struct specsets *v, uint32_t set) { return set_at(v->shared, set)->count; }

static void print_status(const struct shared *s, const struct status *x, struct text *out) {
  const struct spec *spec = s->lin.spec;
  if (x->done) {
    text_add(out, "-> ");
    if (x->op.result == V_NONE)
      text_add(out, "ok");
    else
      value_print(spec->values, x->op.result, out);
    return;
  }
  size_t len;
  const char *name = spec_op_name(spec, x->op.method, &len);
  text_printf(out, "%.*s(", (int)len, name);
  for (unsigned i = 0; i < OP_ARGS && x->op.arg[i] != V_NONE; i++) {
    if (i) text_add(out, ", ");
    value_print(spec->values, x->op.arg[i], out);
  }
  text_char(out, ')');
}

static void print_set(struct shared *s, uint32_t set, struct text *out) {
  sets_read(s, set);
  for (size_t i = 0; i < s->given.count; i++) {
    const struct config *c = &s->given.at[i];
    s->lin.spec->print(s->lin.spec, states_at(s->lin.states, c->state), out);
    for (unsigned t = 0; t < s->threads; t++) {
      if (c->status[t] == IDLE) continue;
      text_printf(out, "  %u: ", t);
      print_status(s, status_at(&s->lin, c->status[t]), out);
    }
    text_char(out, '\n');
  }
}

void specset_print(struct specsets *v, uint32_t set, struct text *out) {
  struct text printed; /* not `out`: its memory is another's */
  LOCKED(v);
  text_open(&printed, v->shared->mem);
  print_set(v->shared, set, &printed);
  unlock(v);
  text_add(out, text_string(&printed));
  pthread_mutex_lock(&v->shared->lock);
  mem_free(v->shared->mem, printed.at);
  unlock(v);
}
