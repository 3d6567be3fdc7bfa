/* Spec sets against a naive determinisation: explicit closed sets of configurations, on random events of every built-in
 * specification. */
#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "spec/common.h"
#include "spec/map.h"
#include "test.h"
#include "verify/specset.h"

enum { THREADS = 4, CALLS = 24, STEPS = 24, KEPT = 24 };

static uint64_t seed = 1;
static uint32_t random_below(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((hash_mix(seed) >> 32) % n);
}

/* The naive side. */

enum { N_IDLE, N_OPEN, N_DONE };
struct conf {
  uint32_t state;
  uint32_t is[THREADS], with[THREADS]; /* N_OPEN with a call, N_DONE with a result */
};

struct confs {
  VEC(struct conf) list;
};

struct world {
  struct mem mem;
  struct spec spec;
  unsigned threads;
  enum specset_mode mode;
  struct specsets *sets;
  struct op calls[CALLS];
  uint16_t numbers[CALLS];
  unsigned call_count;
  VEC(struct state) states;
  struct outcomes outcomes;
  VEC(char *) texts; /* of the set of each number, or NULL */
};

static uint32_t naive_state(struct world *w, struct state s) {
  for (uint32_t i = 0; i < w->states.count; i++)
    if (w->states.at[i].size == s.size && (!s.size || !memcmp(w->states.at[i].at, s.at, s.size))) return i;
  void *copy = mem_piece(&w->mem, s.size + 1);
  if (s.size) memcpy(copy, s.at, s.size);
  vec_push(&w->mem, &w->states, ((struct state){copy, s.size}));
  return (uint32_t)w->states.count - 1;
}

static bool naive_has(const struct confs *set, const struct conf *c) {
  for (size_t i = 0; i < set->list.count; i++)
    if (!memcmp(&set->list.at[i], c, sizeof *c)) return true;
  return false;
}

static void naive_add(struct world *w, struct confs *set, struct conf c) {
  if (!naive_has(set, &c)) vec_push(&w->mem, &set->list, c);
}

static void naive_linearize(struct world *w, const struct conf *c, unsigned thread, struct confs *to) {
  struct op op = w->calls[c->with[thread]];
  op.process = thread;
  outcomes_clear(&w->outcomes);
  w->spec.step(&w->spec, w->states.at[c->state], &op, &w->outcomes);
  for (size_t i = 0; i < w->outcomes.list.count; i++) {
    struct conf next = *c;
    next.state = naive_state(w, outcomes_state(&w->outcomes, i));
    next.is[thread] = N_DONE;
    next.with[thread] = w->outcomes.list.at[i].result;
    naive_add(w, to, next);
  }
}

static void naive_close(struct world *w, struct confs *set) {
  for (size_t i = 0; i < set->list.count; i++)
    for (unsigned t = 0; t < w->threads; t++) {
      struct conf c = set->list.at[i];
      if (c.is[t] == N_OPEN) naive_linearize(w, &c, t, set);
    }
}

static struct confs naive_initial(struct world *w) {
  struct confs set = {{0}};
  outcomes_clear(&w->outcomes);
  w->spec.init(&w->spec, &w->outcomes);
  for (size_t i = 0; i < w->outcomes.list.count; i++)
    naive_add(w, &set, (struct conf){.state = naive_state(w, outcomes_state(&w->outcomes, i))});
  return set;
}

/* `call` of an event is the index of the call here, not its number. */
static struct confs naive_step(struct world *w, const struct confs *from, struct event e) {
  struct confs set = {{0}};
  for (size_t i = 0; i < from->list.count; i++) {
    struct conf c = from->list.at[i];
    unsigned t = e.thread;
    if (e.kind == EVENT_CALL && c.is[t] == N_IDLE) {
      c.is[t] = N_OPEN;
      c.with[t] = e.call;
      naive_add(w, &set, c);
    } else if (e.kind == EVENT_RETURN && c.is[t] == N_DONE && c.with[t] == e.result) {
      c.is[t] = N_IDLE;
      c.with[t] = 0;
      naive_add(w, &set, c);
    } else if (e.kind == EVENT_LIN && w->mode == SPECSET_FREE) {
      naive_add(w, &set, c);
    } else if (e.kind == EVENT_LIN && c.is[t] == N_OPEN) {
      naive_linearize(w, &c, t, &set);
    }
  }
  if (w->mode == SPECSET_FREE) naive_close(w, &set);
  return set;
}

/* Those that no other of the set leads to. */
static struct confs naive_minimal(struct world *w, const struct confs *set) {
  struct confs led = {{0}}, minimal = {{0}};
  for (size_t i = 0; i < set->list.count && w->mode == SPECSET_FREE; i++)
    for (unsigned t = 0; t < w->threads; t++)
      if (set->list.at[i].is[t] == N_OPEN) naive_linearize(w, &set->list.at[i], t, &led);
  for (size_t i = 0; i < set->list.count; i++)
    if (!naive_has(&led, &set->list.at[i])) vec_push(&w->mem, &minimal.list, set->list.at[i]);
  return minimal;
}

static uint32_t naive_elements(struct world *w, const struct confs *set) {
  struct confs all = {{0}};
  uint32_t most = 0;
  for (size_t i = 0; i < set->list.count; i++) naive_add(w, &all, set->list.at[i]);
  naive_close(w, &all); /* where points are given, operations linearize later */
  for (size_t i = 0; i < all.list.count; i++) {
    uint32_t n = w->spec.elements(&w->spec, w->states.at[all.list.at[i].state]);
    if (n > most) most = n;
  }
  return most;
}

/* As text, in the words of specset_print, the lines in order. */

static void naive_print(struct world *w, const struct confs *minimal, struct text *out) {
  for (size_t i = 0; i < minimal->list.count; i++) {
    const struct conf *c = &minimal->list.at[i];
    w->spec.print(&w->spec, w->states.at[c->state], out);
    for (unsigned t = 0; t < w->threads; t++) {
      if (c->is[t] == N_IDLE) continue;
      text_printf(out, "  %u: ", t);
      if (c->is[t] == N_DONE) {
        text_add(out, "-> ");
        if (c->with[t] == V_NONE)
          text_add(out, "ok");
        else
          value_print(w->spec.values, c->with[t], out);
        continue;
      }
      size_t len;
      const struct op *op = &w->calls[c->with[t]];
      const char *name = spec_op_name(&w->spec, op->method, &len);
      text_printf(out, "%.*s(", (int)len, name);
      for (unsigned a = 0; a < OP_ARGS && op->arg[a] != V_NONE; a++) {
        if (a) text_add(out, ", ");
        value_print(w->spec.values, op->arg[a], out);
      }
      text_char(out, ')');
    }
    text_char(out, '\n');
  }
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static char *sorted_lines(struct mem *m, const char *text) {
  VEC(char *) lines = {0};
  struct text out;
  text_open(&out, m);
  char *copy = mem_string(m, text, strlen(text)), *rest = copy;
  for (char *line; (line = strtok_r(rest, "\n", &rest));) vec_push(m, &lines, line);
  if (lines.count) qsort(lines.at, lines.count, sizeof *lines.at, by_text);
  for (size_t i = 0; i < lines.count; i++) text_printf(&out, "%s\n", lines.at[i]);
  return mem_string(m, text_string(&out), strlen(text_string(&out)));
}

/* The set says what the naive one does, and no other set says the same. */
static void compare(struct world *w, uint32_t set, const struct confs *naive) {
  CHECKF((set == 0) == (naive->list.count == 0), "%s: set %u, naive %zu", w->spec.name, set, naive->list.count);
  CHECK(specset_closed_size(w->sets, set) == naive->list.count);
  struct confs minimal = naive_minimal(w, naive);
  CHECK(specset_size(w->sets, set) == minimal.list.count);
  struct text here, there;
  text_open(&here, &w->mem);
  text_open(&there, &w->mem);
  specset_print(w->sets, set, &here);
  naive_print(w, &minimal, &there);
  char *a = sorted_lines(&w->mem, text_string(&here)), *b = sorted_lines(&w->mem, text_string(&there));
  CHECKF(!strcmp(a, b), "%s, set %u:\n%s\nnaive:\n%s", w->spec.name, set, a, b);
  while (w->texts.count <= set) vec_push(&w->mem, &w->texts, NULL);
  if (!w->texts.at[set]) {
    for (size_t i = 0; i < w->texts.count; i++)
      CHECKF(!w->texts.at[i] || strcmp(w->texts.at[i], b), "%s: sets %zu and %u are\n%s", w->spec.name, i, set, b);
    w->texts.at[set] = b;
  }
  CHECK(!strcmp(w->texts.at[set], b));
}

/* Random walks. */

/* Not every specification says in words all there is in a state. */
static void print_words(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  text_char(out, ':');
  for (uint32_t i = 0; i < state.size / 4; i++) text_printf(out, " %u", ((const uint32_t *)state.at)[i]);
}

static void add_call(struct world *w, unsigned method, unsigned args) {
  struct op op = {.method = (uint16_t)method, .result = V_UNKNOWN, .ret = NO_RETURN, .arg = {V_NONE, V_NONE, V_NONE}};
  for (unsigned i = 0; i < args; i++) op.arg[i] = value_of_small((int32_t)random_below(3));
  if (w->call_count == CALLS) return;
  uint16_t number = specset_call(w->sets, &op);
  CHECK(number == specset_call(w->sets, &op));
  for (unsigned i = 0; i < w->call_count; i++)
    if (w->numbers[i] == number) return;
  w->calls[w->call_count] = op;
  w->numbers[w->call_count++] = number;
}

static void open_world(struct world *w, const struct spec *spec, unsigned threads, enum specset_mode mode,
                       int64_t bound) {
  memset(w, 0, sizeof *w);
  mem_open(&w->mem, NULL);
  w->spec = *spec;
  w->spec.values = values_new(&w->mem);
  if (!strcmp(spec->name, "map")) w->spec.k = MAP_PLAIN;
  w->spec.print = print_words;
  w->threads = threads;
  w->mode = mode;
  w->sets = specsets_new(&w->mem, &w->spec, threads, mode, bound);
  outcomes_open(&w->outcomes, &w->mem);
  for (unsigned i = 0; i < 3; i++)
    for (unsigned m = 0; m < spec->op_count; m++)
      for (unsigned args = spec->ops[m].args; args <= spec->ops[m].args_most; args++) add_call(w, m, args);
}

static struct event number_event(const struct world *w, struct event e) {
  if (e.kind == EVENT_CALL) e.call = w->numbers[e.call];
  return e;
}

/* An event that may well be possible. */
static struct event random_event(struct world *w, const struct confs *now) {
  const struct conf *c = &now->list.at[random_below((uint32_t)now->list.count)];
  struct event e = {.thread = (uint8_t)random_below(w->threads)};
  if (c->is[e.thread] == N_IDLE) {
    e.kind = EVENT_CALL;
    e.call = (uint16_t)random_below(w->call_count);
  } else if (c->is[e.thread] == N_OPEN || !random_below(8)) {
    e.kind = random_below(2) ? EVENT_LIN : EVENT_RETURN;
    e.result = random_below(2) ? value_of_small((int32_t)random_below(3)) : V_EMPTY;
  } else {
    e.kind = EVENT_RETURN;
    e.result = c->with[e.thread];
  }
  return e;
}

static void random_permutation(unsigned n, uint8_t *from) {
  for (unsigned i = 0; i < n; i++) {
    unsigned j = random_below(i + 1);
    from[i] = from[j];
    from[j] = (uint8_t)i;
  }
}

static unsigned place_of(const uint8_t *from, unsigned thread) {
  for (unsigned i = 0;; i++)
    if (from[i] == thread) return i;
}

static void check_renaming(struct world *w, uint32_t set, uint32_t twin, const uint8_t *from) {
  CHECK(specset_permute(w->sets, set, from) == twin);
  const uint8_t *rank = specset_ranks(w->sets, set), *twin_rank = specset_ranks(w->sets, twin);
  for (unsigned i = 0; i < w->threads; i++) CHECK(twin_rank[i] == rank[from[i]]);
  unsigned i = random_below(w->threads), j = random_below(w->threads);
  uint8_t exchanged[THREADS] = {0, 1, 2, 3};
  exchanged[i] = (uint8_t)j;
  exchanged[j] = (uint8_t)i;
  bool alike = specset_permute(w->sets, set, exchanged) == set;
  CHECK(specset_alike(w->sets, set, i, j) == alike);
  CHECK(specset_alike(w->sets, set, j, i) == alike);
  CHECK(!alike || rank[i] == rank[j]);
}

/* Can the thread do this some time, if the others do whatever they can? 1, 0, or -1: there are too many states. */
static int naive_ever(struct world *w, const struct confs *now, unsigned thread, unsigned call) {
  struct confs seen = {{0}};
  for (size_t i = 0; i < now->list.count; i++) naive_add(w, &seen, (struct conf){.state = now->list.at[i].state});
  for (size_t i = 0; i < seen.list.count; i++) {
    if (seen.list.count > 50) return -1;
    for (unsigned t = 0; t < w->threads; t++)
      for (unsigned k = 0; k < w->call_count; k++) {
        if (t == thread && k != call) continue;
        struct confs next = {{0}};
        struct conf c = {.state = seen.list.at[i].state};
        c.with[t] = k;
        naive_linearize(w, &c, t, &next);
        if (t == thread && next.list.count) return 1;
        for (size_t n = 0; n < next.list.count; n++) naive_add(w, &seen, (struct conf){.state = next.list.at[n].state});
      }
  }
  return 0;
}

static void check_bound(struct world *w, uint32_t set, const struct confs *now, int64_t bound) {
  unsigned t = random_below(w->threads), call = random_below(w->call_count);
  if (!now->list.count || now->list.at[0].is[t] != N_IDLE) return;
  bool may = true;
  if (w->spec.elements && bound >= 0) {
    struct confs after =
        naive_step(w, now, (struct event){.kind = EVENT_CALL, .thread = (uint8_t)t, .call = (uint16_t)call});
    uint32_t most = naive_elements(w, &after);
    may = most <= bound || most <= naive_elements(w, now);
  }
  if (w->spec.alone && may) {
    int ever = naive_ever(w, now, t, call);
    if (ever < 0) return;
    may = ever;
  }
  CHECK(specset_may_call(w->sets, set, t, w->numbers[call]) == may);
}

struct kept {
  uint32_t set;
  struct confs naive;
};

static void check_within(struct world *w, const struct kept *a, const struct kept *b) {
  bool inside = true;
  for (size_t i = 0; i < a->naive.list.count; i++) inside &= naive_has(&b->naive, &a->naive.list.at[i]);
  CHECK(specset_within(w->sets, a->set, b->set) == inside);
}

/* Walks, with the same events under other names of the threads beside them. */
static void walk(struct world *w, unsigned walks, int64_t bound) {
  struct kept kept[KEPT];
  unsigned kept_count = 0;
  for (unsigned n = 0; n < walks; n++) {
    uint8_t from[THREADS];
    random_permutation(w->threads, from);
    struct confs now = naive_initial(w);
    uint32_t set = specset_initial(w->sets), twin = set;
    compare(w, set, &now);
    for (unsigned i = 0; i < STEPS && now.list.count && now.list.count < 400; i++) {
      struct event e = random_event(w, &now), other = e;
      other.thread = (uint8_t)place_of(from, e.thread);
      check_bound(w, set, &now, bound);
      now = naive_step(w, &now, e);
      set = specset_step(w->sets, set, number_event(w, e));
      twin = specset_step(w->sets, twin, number_event(w, other));
      compare(w, set, &now);
      check_renaming(w, set, twin, from);
      struct kept *k = &kept[kept_count < KEPT ? kept_count++ : random_below(KEPT)];
      *k = (struct kept){set, now};
      check_within(w, k, &kept[random_below(kept_count)]);
      check_within(w, &kept[random_below(kept_count)], k);
    }
  }
}

static void walk_all(enum specset_mode mode, unsigned walks) {
  for (unsigned i = 0; specs[i]; i++)
    for (unsigned threads = 1; threads <= THREADS; threads++) {
      struct world w;
      int64_t bound = (int64_t)threads - 2;
      open_world(&w, specs[i], threads, mode, bound);
      walk(&w, walks, bound);
      mem_close(&w.mem);
    }
}

TEST(specset_free) { walk_all(SPECSET_FREE, 60); }
TEST(specset_points) { walk_all(SPECSET_POINTS, 60); }

/* A specification that starts in one of several states, and whose operation may do several things or nothing at all. */

static void guess_init(const struct spec *s, struct outcomes *out) {
  for (uint32_t i = 0; i < s->k; i++) *add_words(out, V_NONE, 1) = i;
}

static void guess_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t now = *(const uint32_t *)state.at;
  for (uint32_t to = now; to < s->k + 2; to += 2)
    if (to % 3 != op->method) *add_words(out, value_of_small((int32_t)(to / 2)), 1) = to;
}

static const struct spec_op guess_ops[] = {{"a", 0, 0, RESULT_INT, PURE_NEVER, V_UNKNOWN, ARG_ANY},
                                           {"b", 0, 0, RESULT_INT, PURE_NEVER, V_UNKNOWN, ARG_ANY}};
static const struct spec guess = {
    .name = "guess", .aliases = "", .k = 3, .ops = guess_ops, .op_count = 2, .init = guess_init, .step = guess_step};

TEST(specset_guess) {
  for (unsigned mode = SPECSET_FREE; mode <= SPECSET_POINTS; mode++) {
    struct world w;
    open_world(&w, &guess, 3, mode, -1);
    walk(&w, 300, -1);
    CHECK(!specsets_blurred(w.sets) && specsets_symmetric(w.sets));
    mem_close(&w.mem);
  }
}

/* How many elements there are after three operations with arguments 1, 2, 3; -1: nothing there grows. */
TEST(specset_elements) {
  static const struct {
    const struct spec *spec;
    uint16_t method;
    int64_t elements;
  } cases[] = {{&spec_register, 1, -1},
               {&spec_cas_register, 1, -1},
               {&spec_counter, 1, 6},
               {&spec_counter, 2, 6},
               {&spec_stack, 0, 3},
               {&spec_weak_stack, 0, 3},
               {&spec_queue, 0, 3},
               {&spec_weak_queue, 0, 3},
               {&spec_bounded_queue, 0, 3},
               {&spec_deque, 0, 3},
               {&spec_deque, 1, 3},
               {&spec_priority_queue, 0, 3},
               {&spec_max_priority_queue, 0, 3},
               {&spec_bounded_priority_queue, 0, 3},
               {&spec_set, 0, 3},
               {&spec_set, 1, 0},
               {&spec_multiset, 0, 3},
               {&spec_map, 1, 3},
               {&spec_lock, 2, -1},
               {&spec_rw_lock, 0, 3},
               {&spec_rw_lock, 5, 0},
               {&spec_semaphore, 1, 7},
               {&spec_semiqueue, 0, 3},
               {&spec_stuttering_queue, 0, 3},
               {&spec_k_fifo, 0, 3},
               {&spec_producer_fifo, 0, 3},
               {&spec_snzi, 0, 3},
               {&spec_mailbox, 0, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct world w;
    open_world(&w, cases[i].spec, 1, SPECSET_FREE, -1);
    CHECK((cases[i].elements < 0) == !w.spec.elements);
    uint32_t state = naive_initial(&w).list.at[0].state;
    for (int32_t n = 1; n <= 3 && w.spec.elements; n++) {
      struct op op = {
          .method = cases[i].method, .result = V_UNKNOWN, .arg = {value_of_small(n), value_of_small(n), V_NONE}};
      outcomes_clear(&w.outcomes);
      w.spec.step(&w.spec, w.states.at[state], &op, &w.outcomes);
      state = naive_state(&w, outcomes_state(&w.outcomes, 0));
    }
    if (w.spec.elements) CHECKF(w.spec.elements(&w.spec, w.states.at[state]) == cases[i].elements, "%s", w.spec.name);
    mem_close(&w.mem);
  }
}

/* Many threads: every order of eight pushes, told apart by nothing but the pops. */
TEST(specset_many) {
  struct mem m;
  mem_open(&m, NULL);
  struct spec spec = spec_queue;
  spec.values = values_new(&m);
  enum { MANY = 8 };
  struct specsets *sets = specsets_new(&m, &spec, MANY, SPECSET_FREE, -1);
  struct op enq = {.method = 0, .arg = {0, V_NONE, V_NONE}}, deq = {.method = 1, .arg = {V_NONE, V_NONE, V_NONE}};
  uint32_t set = specset_initial(sets);
  for (unsigned t = 0; t < MANY; t++) {
    enq.arg[0] = value_of_small((int32_t)t);
    set = specset_step(sets, set,
                       (struct event){.kind = EVENT_CALL, .thread = (uint8_t)t, .call = specset_call(sets, &enq)});
    CHECK(specset_size(sets, set) == 1);
  }
  CHECK(specset_closed_size(sets, set) == 109601); /* the orders of each of their subsets */
  for (unsigned t = 0; t < MANY; t++)
    set = specset_step(sets, set, (struct event){.kind = EVENT_RETURN, .thread = (uint8_t)t, .result = V_NONE});
  CHECK(specset_size(sets, set) == 40320);
  uint16_t call = specset_call(sets, &deq);
  set = specset_step(sets, set, (struct event){.kind = EVENT_CALL, .thread = 0, .call = call});
  set = specset_step(sets, set, (struct event){.kind = EVENT_RETURN, .thread = 0, .result = value_of_small(3)});
  CHECK(specset_size(sets, set) == 5040);
  mem_close(&m);
}

/* A result that is in no table of values. */
TEST(specset_blurred) {
  struct mem m;
  mem_open(&m, NULL);
  struct spec spec = spec_counter;
  spec.values = values_new(&m);
  struct specsets *sets = specsets_new(&m, &spec, 1, SPECSET_FREE, -1);
  struct op add = {.method = 4, .arg = {value_int((struct values *)spec.values, 4000000000), V_NONE, V_NONE}};
  struct event e = {.kind = EVENT_CALL, .call = specset_call(sets, &add)};
  uint32_t set = specset_step(sets, specset_initial(sets), e);
  CHECK(!specsets_blurred(sets));
  CHECK(!specset_step(sets, set, (struct event){.kind = EVENT_RETURN, .result = value_of_small(1)}));
  CHECK(specsets_blurred(sets));
  mem_close(&m);
}

/* Several threads of the program work with the same sets: they see the same ones. */

struct worker {
  struct specsets *sets;
  struct mem mem;
  const uint16_t *calls;
  uint64_t sum;
};

enum { WORKERS = 4, RING = 3 };

static uint64_t next_random(uint64_t *x) { return hash_mix(*x += 0x9e3779b97f4a7c15u); }

static void *work(void *self) {
  struct worker *w = self;
  struct specsets *sets = specsets_share(w->sets, &w->mem);
  uint64_t random = 7;
  for (unsigned n = 0; n < 2000; n++) {
    uint32_t set = specset_initial(sets);
    bool open[RING] = {false};
    for (unsigned i = 0; i < 12 && set; i++) {
      uint8_t t = (uint8_t)(next_random(&random) % RING), from[RING] = {1, 2, 0};
      struct event e = {
          .kind = open[t] ? EVENT_RETURN : EVENT_CALL, .thread = t, .call = w->calls[next_random(&random) % 3]};
      static const value results[] = {V_NONE, V_EMPTY, 2, 4};
      e.result = results[next_random(&random) % 4];
      uint32_t next = specset_step(sets, set, e);
      if (!next) continue;
      open[t] = !open[t];
      set = next;
      CHECK(specset_permute(sets, specset_permute(sets, set, from), (const uint8_t[]){2, 0, 1}) == set);
      w->sum =
          w->sum * 31 + specset_closed_size(sets, set) + specset_ranks(sets, set)[t] + specset_alike(sets, set, 0, t);
    }
  }
  return NULL;
}

TEST(specset_threads) {
  struct mem m;
  mem_open(&m, NULL);
  struct spec spec = spec_queue;
  spec.values = values_new(&m);
  struct specsets *sets = specsets_new(&m, &spec, RING, SPECSET_FREE, -1);
  uint16_t calls[3];
  for (unsigned i = 0; i < 3; i++) {
    struct op op = {.method = i == 2, .arg = {i == 2 ? (value)V_NONE : value_of_small((int32_t)i + 1), V_NONE, V_NONE}};
    calls[i] = specset_call(sets, &op);
  }
  struct worker workers[WORKERS];
  pthread_t threads[WORKERS];
  for (unsigned i = 0; i < WORKERS; i++) {
    workers[i] = (struct worker){.sets = sets, .calls = calls};
    mem_open(&workers[i].mem, NULL);
    CHECK(!pthread_create(&threads[i], NULL, work, &workers[i]));
  }
  for (unsigned i = 0; i < WORKERS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(workers[i].sum == workers[0].sum);
    mem_close(&workers[i].mem);
  }
  mem_close(&m);
}

/* Running out of memory is heard of by who asked, and the sets can still be asked. */
TEST(specset_memory) {
  struct mem m;
  struct limits limits;
  limits_start(&limits, 0, 4 << 20);
  mem_open(&m, &limits);
  struct spec spec = spec_queue;
  spec.values = values_new(&m);
  struct specsets *volatile sets = specsets_new(&m, &spec, 9, SPECSET_FREE, -1);
  volatile uint32_t set = specset_initial(sets);
  for (unsigned t = 0; t < 9; t++) {
    struct op enq = {.method = 0, .arg = {value_of_small((int32_t)t), V_NONE, V_NONE}};
    set = specset_step(sets, set,
                       (struct event){.kind = EVENT_CALL, .thread = (uint8_t)t, .call = specset_call(sets, &enq)});
  }
  if (!MEM_GUARD(&m)) {
    specset_closed_size(sets, set);
    CHECK(!"so much memory");
  }
  CHECK(limits.reached == LIMIT_MEMORY && specset_size(sets, set) == 1 && !specset_alike(sets, set, 0, 8));
  mem_close(&m);
}

/* Values that are being looked at stay where they are while others are added. */

enum { VALUES_ADDED = 100000 };

struct looking {
  const struct values *values;
  value first;
  _Atomic bool stop;
};

static void *look_at_values(void *self) {
  struct looking *l = self;
  while (!atomic_load(&l->stop))
    if (value_integer(l->values, l->first) != (int64_t)1 << 40) abort();
  return NULL;
}

TEST(values_stay_for_threads) {
  struct mem m;
  pthread_t thread;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct values *values = values_new(&m);
  struct looking l = {.values = values, .first = value_int(values, (int64_t)1 << 40)};
  CHECK(!pthread_create(&thread, NULL, look_at_values, &l));
  for (int64_t i = 1; i <= VALUES_ADDED; i++) value_int(values, ((int64_t)1 << 40) + i);
  atomic_store(&l.stop, true);
  CHECK(!pthread_join(thread, NULL));
  for (int64_t i = 0; i <= VALUES_ADDED; i++) {
    value v = value_int(values, ((int64_t)1 << 40) + i);
    CHECK(value_integer(values, v) == ((int64_t)1 << 40) + i && v == l.first + 2 * i);
  }
  mem_close(&m);
}
