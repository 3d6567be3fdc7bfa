/* libasif-objects, used as a library: each object is created, used by real threads that record what they do, checked against its
 * specification, and destroyed. Built with a sanitizer (tests/cli/objects_library.sh), which finds races, misuse of memory and
 * leaks.
 *
 *   library ROUNDS OPERATIONS [OBJECT...]
 *   library --failing OPERATIONS [OBJECT...]
 *
 * The second runs one thread after the other, first with the first allocation failing, then with the second, and so on until none
 * is left to fail: every operation returns, and either did nothing or did what the specification says. Linked with
 * --wrap=malloc,--wrap=aligned_alloc,--wrap=calloc,--wrap=realloc.
 *
 * Times are taken from a counter without any ordering of memory, so that it orders nothing for the race detector either. */
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../objects/lib/all.h"

enum { THREADS = 4, OPERATIONS_MOST = 5000, INSIDE_MOST = 4 };

struct thread {
  pthread_t id;
  int number, inside, at[4];
  unsigned seed;
};

/* Operations are numbered: 0 puts in, 1 takes out, 2 and 3 look. */
struct subject {
  const char *name, *spec;
  const char *ops[4];
  bool takes[4]; /* the argument is the specification's too: it knows nothing of the nodes of snzi */
  void *(*create)(struct hazard *);
  void (*destroy)(void *);
  long (*call)(void *, int op, long argument);
  bool (*may)(const struct thread *, int op, long argument); /* NULL: anything */
};

#define NO_MEMORY (-1000L) /* the operation did nothing */

static long put(bool done) { return done ? ASIF_OK : ASIF_FULL; }
static long truth(bool is) { return is ? ASIF_TRUE : ASIF_FALSE; }
static bool may_take_own(const struct thread *t, int op, long argument) {
  (void)argument;
  return op == 0 ? t->inside < INSIDE_MOST : t->inside > 0;
}
static bool may_by_end(const struct thread *t, int op, long argument) {
  (void)argument;
  return t->number == op; /* one producer, one consumer */
}
static bool may_owner(const struct thread *t, int op, long argument) {
  (void)argument;
  return (t->number == 0) == (op < 2);
}
static bool may_depart(const struct thread *t, int op, long node) { return op != 1 || t->at[node] > 0; }

/* A container: X is the object's name, ARGUMENTS those of create, h being the hazard pointers. */
#define CREATES(X, ARGUMENTS)                                                                                                    \
  static void *X##_new(struct hazard *h) {                                                                                       \
    (void)h;                                                                                                                     \
    return X##_create ARGUMENTS;                                                                                                 \
  }                                                                                                                              \
  static void X##_end(void *x) { X##_destroy(x); }
#define CONTAINER(X, PUT, TAKE, TYPE, ARGUMENTS)                                                                                 \
  CREATES(X, ARGUMENTS)                                                                                                          \
  static long X##_call(void *x, int op, long argument) {                                                                         \
    TYPE v;                                                                                                                      \
    if (op == 0) return put(X##_##PUT(x, (TYPE)argument));                                                                       \
    return X##_##TAKE(x, &v) ? v : ASIF_EMPTY;                                                                                   \
  }
#define WAITING(X, ARGUMENTS)                                                                                              \
  CREATES(X, ARGUMENTS)                                                                                                          \
  static long X##_call(void *x, int op, long argument) {                                                                         \
    if (op == 1) return X##_deq(x);                                                                                              \
    return put(X##_enq(x, argument));                                                                                            \
  }
#define SET(X, ARGUMENTS)                                                                                                        \
  CREATES(X, ARGUMENTS)                                                                                                          \
  static long X##_call(void *x, int op, long key) {                                                                              \
    bool added = false;                                                                                                          \
    if (op == 0) return X##_add(x, key, &added) ? truth(added) : NO_MEMORY;                                                      \
    return truth(op == 1 ? X##_remove(x, key) : X##_contains(x, key));                                                           \
  }

CONTAINER(treiber_stack, push, pop, long, (h))
CONTAINER(elimination_stack, push, pop, long, (h, 2))
CONTAINER(ms_queue, enq, deq, long, (h))
CONTAINER(two_lock_queue, enq, deq, long, ())
CONTAINER(k_fifo_queue, enq, deq, int, (3, 10000))
CONTAINER(spsc_ring, enq, deq, long, (3))
CONTAINER(mpmc_ring, enq, deq, long, (3))
CONTAINER(priority_queue, insert, deq, long, (h))
CONTAINER(bounded_priority_queue, insert, deq, long, (3, 2))
WAITING(wing_gong_queue, ())
WAITING(herlihy_wing_queue, (THREADS * OPERATIONS_MOST))
CREATES(wing_gong_bounded_queue, (THREADS * INSIDE_MOST))
static long wing_gong_bounded_queue_call(void *x, int op, long argument) {
  if (op == 1) return wing_gong_bounded_queue_deq(x);
  wing_gong_bounded_queue_enq(x, (int)argument);
  return ASIF_OK;
}
WAITING(semiqueue, (3))
WAITING(stuttering_queue, (3))
SET(lock_coupling_set, ())
SET(optimistic_set, (h))
SET(lazy_set, (h))
SET(harris_michael_set, (h))

CREATES(blink_tree, (h, 2))
static long blink_tree_call(void *x, int op, long key) {
  bool done = false;
  if (op == 2) return truth(blink_tree_lookup(x, key));
  return (op == 0 ? blink_tree_insert : blink_tree_remove)(x, key, &done) ? truth(done) : NO_MEMORY;
}
CREATES(multiset, (h))
static long multiset_call(void *x, int op, long key) {
  switch (op) {
  case 0: return put(multiset_add(x, key));
  case 1: return truth(multiset_remove(x, key));
  case 2: return truth(multiset_contains(x, key));
  default: return multiset_count(x, key);
  }
}
CREATES(lamport_register, (5))
static long lamport_register_call(void *x, int op, long v) {
  long words[5] = {v, v, v, v, v};
  if (op == 0)
    lamport_register_write(x, words);
  else
    lamport_register_read(x, words);
  for (int i = 1; i < 5; i++)
    if (words[i] != words[0]) abort();
  return op == 0 ? ASIF_OK : words[0];
}
CREATES(chase_lev_deque, (1))
static long chase_lev_deque_call(void *x, int op, long v) {
  if (op == 0) return put(chase_lev_deque_push(x, v));
  return (op == 1 ? chase_lev_deque_pop : chase_lev_deque_steal)(x, &v) ? v : ASIF_EMPTY;
}
CREATES(snzi, (4))
static long snzi_call(void *x, int op, long node) {
  if (op == 2) return truth(snzi_query(x));
  if (op == 0) return put(snzi_arrive(x, (unsigned)node));
  snzi_depart(x, (unsigned)node);
  return ASIF_OK;
}

#define FUNCTIONS(X) X##_new, X##_end, X##_call
#define ENQ_DEQ                                                                                                                  \
  {"enq", "deq"}, { true, false }
#define SET_OPS                                                                                                                  \
  {"add", "remove", "contains"}, { true, true, true }
static const struct subject subjects[] = {
    {"treiber_stack", "stack", {"push", "pop"}, {true, false}, FUNCTIONS(treiber_stack), NULL},
    {"elimination_stack", "stack", {"push", "pop"}, {true, false}, FUNCTIONS(elimination_stack), NULL},
    {"ms_queue", "queue", ENQ_DEQ, FUNCTIONS(ms_queue), NULL},
    {"two_lock_queue", "queue", ENQ_DEQ, FUNCTIONS(two_lock_queue), NULL},
    {"wing_gong_queue", "queue", ENQ_DEQ, FUNCTIONS(wing_gong_queue), may_take_own},
    {"herlihy_wing_queue", "queue", ENQ_DEQ, FUNCTIONS(herlihy_wing_queue), may_take_own},
    {"wing_gong_bounded_queue", "queue", ENQ_DEQ, FUNCTIONS(wing_gong_bounded_queue), may_take_own},
    {"semiqueue", "semiqueue(3)", ENQ_DEQ, FUNCTIONS(semiqueue), may_take_own},
    {"stuttering_queue", "stuttering-queue(3)", ENQ_DEQ, FUNCTIONS(stuttering_queue), may_take_own},
    {"k_fifo_queue", "k-fifo(3)", ENQ_DEQ, FUNCTIONS(k_fifo_queue), NULL},
    {"spsc_ring", "bounded-queue(3)", ENQ_DEQ, FUNCTIONS(spsc_ring), may_by_end},
    {"mpmc_ring", "bounded-queue(3)", ENQ_DEQ, FUNCTIONS(mpmc_ring), NULL},
    {"priority_queue", "priority-queue", {"insert", "deq"}, {true, false}, FUNCTIONS(priority_queue), NULL},
    {"bounded_priority_queue",
     "bounded-priority-queue(3)",
     {"insert", "deq"},
     {true, false},
     FUNCTIONS(bounded_priority_queue),
     NULL},
    {"lock_coupling_set", "set", SET_OPS, FUNCTIONS(lock_coupling_set), NULL},
    {"optimistic_set", "set", SET_OPS, FUNCTIONS(optimistic_set), NULL},
    {"lazy_set", "set", SET_OPS, FUNCTIONS(lazy_set), NULL},
    {"harris_michael_set", "set", SET_OPS, FUNCTIONS(harris_michael_set), NULL},
    {"blink_tree", "set", SET_OPS, FUNCTIONS(blink_tree), NULL},
    {"multiset", "multiset", {"add", "remove", "contains", "count"}, {true, true, true, true}, FUNCTIONS(multiset), NULL},
    {"lamport_register", "register(0)", {"write", "read"}, {true, false}, FUNCTIONS(lamport_register), NULL},
    {"chase_lev_deque",
     "deque",
     {"push-back", "pop-back", "pop-front"},
     {true, false, false},
     FUNCTIONS(chase_lev_deque),
     may_owner},
    {"snzi", "snzi", {"arrive", "depart", "query"}, {false, false, false}, FUNCTIONS(snzi), may_depart},
};

struct done {
  int op;
  long argument, result, start, end;
};
static const struct subject *subject;
static void *object;
static int operations;
static atomic_long now;
static struct thread threads[THREADS];
static struct done done[THREADS][OPERATIONS_MOST];
static int done_count[THREADS];

/* Allocations fail from number `fail_from` on, `fail_count` of them; 0: none. */
static long fail_from, fail_count, allocations, failures;

static bool fails(void) {
  if (!fail_from) return false;
  allocations++;
  bool is = allocations >= fail_from && allocations < fail_from + fail_count;
  failures += is;
  return is;
}
void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t), *__real_aligned_alloc(size_t, size_t);
void *__wrap_malloc(size_t n), *__wrap_calloc(size_t n, size_t m), *__wrap_realloc(void *p, size_t n),
    *__wrap_aligned_alloc(size_t a, size_t n);
void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t m) { return fails() ? NULL : __real_calloc(n, m); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }
void *__wrap_aligned_alloc(size_t a, size_t n) { return fails() ? NULL : __real_aligned_alloc(a, n); }

static long moment(void) { return atomic_fetch_add_explicit(&now, 1, memory_order_relaxed); }

static void *run(void *argument) {
  struct thread *t = argument;
  int count = 0;
  for (int tried = 0; count < operations && tried < 20 * operations; tried++) {
    int op = rand_r(&t->seed) % 4;
    long value = 1 + rand_r(&t->seed) % 3;
    if (!subject->ops[op] || (subject->may && !subject->may(t, op, value))) continue;
    struct done *d = &done[t->number][count++];
    *d = (struct done){.op = op, .argument = value, .start = moment()};
    long failures_before = failures;
    d->result = subject->call(object, op, value);
    d->end = moment();
    if (failures != failures_before && (d->result == ASIF_FULL || d->result == NO_MEMORY)) { /* nothing happened */
      count--;
      continue;
    }
    if (op == 0 && d->result == ASIF_OK) t->inside++, t->at[value]++;
    if (op == 1 && d->result != ASIF_EMPTY) t->inside--, t->at[value]--;
    if (rand_r(&t->seed) % 8 == 0) sched_yield();
  }
  done_count[t->number] = count;
  return NULL;
}

static bool check(void) {
  asif_history *h = asif_history_new();
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < done_count[t]; i++) {
      const struct done *d = &done[t][i];
      asif_value argument = asif_int(d->argument);
      asif_interval(h, t, NULL, subject->ops[d->op], &argument, subject->takes[d->op], asif_int(d->result), d->start, d->end);
    }
  asif_answer *answer = NULL;
  bool holds = asif_check(h, subject->spec, NULL, &answer) == ASIF_DONE && asif_answer_verdict(answer) == ASIF_HOLDS;
  if (!holds) {
    char *report = answer ? asif_answer_report(answer, ASIF_REPORT_TEXT) : NULL;
    printf("%s: %s\n%s\n", subject->name, asif_error(h), report ? report : "");
    free(report);
  }
  asif_answer_free(answer);
  asif_history_free(h);
  return holds;
}

static bool round_of(const struct subject *s, unsigned seed) {
  struct hazard *hazard = hazard_create(seed % 3 + 1, seed % 5 + 1); /* also fewer records than threads */
  subject = s;
  object = hazard ? s->create(hazard) : NULL;
  if (!object) return false;
  for (int i = 0; i < THREADS; i++) {
    threads[i] = (struct thread){.number = i, .seed = seed * 1000 + (unsigned)i};
    if (pthread_create(&threads[i].id, NULL, run, &threads[i])) exit(2);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i].id, NULL);
  bool holds = check();
  s->destroy(object);
  hazard_destroy(hazard);
  return holds;
}

/* The threads run one after the other, twice each, with some allocations failing; *none: there were not so many. */
static bool failing_round(const struct subject *s, long from, long count, bool *none) {
  subject = s;
  fail_from = from;
  fail_count = count;
  allocations = failures = 0;
  struct hazard *hazard = hazard_create(1, 2);
  object = hazard ? s->create(hazard) : NULL;
  for (int i = 0; i < THREADS && object; i++) {
    threads[i] = (struct thread){.number = i, .seed = (unsigned)i};
    run(&threads[i]);
  }
  fail_from = 0;
  *none = failures == 0;
  bool holds = object ? check() : !*none;
  if (object) s->destroy(object);
  hazard_destroy(hazard);
  if (!holds) printf("%s: with allocations %ld to %ld failing\n", s->name, from, from + count - 1);
  return holds;
}

static bool failing(const struct subject *s) {
  static const long counts[] = {1, 2, 1000000};
  for (int i = 0; i < 3; i++) {
    bool none = false;
    for (long from = 1; !none; from++)
      if (!failing_round(s, from, counts[i], &none)) return false;
  }
  return true;
}

static bool asked_for(const char *name, char **names) {
  if (!*names) return true;
  for (; *names; names++)
    if (!strcmp(*names, name)) return true;
  return false;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  bool fails_in_turn = !strcmp(argv[1], "--failing");
  unsigned rounds = (unsigned)atoi(argv[1]);
  operations = atoi(argv[2]) < OPERATIONS_MOST ? atoi(argv[2]) : OPERATIONS_MOST;
  int objects = 0;
  for (const struct subject *s = subjects; s < subjects + sizeof subjects / sizeof *subjects; s++) {
    if (!asked_for(s->name, argv + 3)) continue;
    objects++;
    if (fails_in_turn && !failing(s)) return 1;
    for (unsigned i = 1; i <= rounds; i++)
      if (!round_of(s, i)) return 1;
  }
  printf("%d objects\n", objects);
  return objects ? 0 : 2;
}
