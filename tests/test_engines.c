/* The engines against each other. Random objects (random_object.h) are compiled and run under all schedules, as `asif
 * test` does it (compiled.h), and read and enumerated a move at a time, as `asif verify` does it (brute_verify.h): for
 * the same client there must be the same histories, the same verdicts on them, the same faults and the same deadlocks;
 * and every way to explore must see the same. Where there are no races that is so as well where plain accesses are not
 * interleaved, and the compiler optimises; unless there are faults: the compiler may do as it likes then, and freeing
 * what another thread reads is a race that ends as a fault.
 *
 * A run records the strictest history of its steps, while in an enumeration calls and returns are moves of their own.
 * So each history of a run must be one of those enumerated, and each of those a weakening of a run's: the same results,
 * and nothing ordered that is not ordered there.
 *
 * Where C leaves the order of evaluation open, verify takes every one and the compiler one: then each history of a run
 * must be one of those enumerated, but not the other way round.
 *
 * gcc looks for overflow after it has simplified expressions, even without optimising: of `if (s + s)` there is
 * `if (s)` left, which does not overflow. So what overflows is compared with clang's code only, which looks for it
 * first.
 *
 * There is an object for every 25 of ASIF_TEST_OBJECTS (default 60; make test-long takes 2,000), from number
 * ASIF_TEST_FIRST on. Of those of the C that is easily misread there is one for every 10 (default 56); they are
 * compiled so that undefined arithmetic traps, and what prove proves must hold for the others; ASIF_TEST_REFUSED: say
 * which are refused, and why. ASIF_TEST_OBJECT is the number of the only one, which is then printed with its histories;
 * ASIF_TEST_OPTIMISED: as `asif test` does it. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "brute_verify.h"
#include "compiled.h"
#include "prove/prove.h"
#include "random_object.h"
#include "test.h"

#if defined(__SANITIZE_THREAD__)
#define RUNS() test_skip("the thread sanitizer does not know of the fibers")
#else
#define RUNS() ((void)0)
#endif

enum {
  PAIRS_MOST = 60000,
  CLIENTS = 3,
  STRANGE_CLIENTS = 5,
  SCHEDULES_MOST = 5000,
  LONG_MOST = 20,
  SECONDS_MOST = 100,
  SHARES = 2,
  EACH = 25
};

struct tally { /* shared with the children */
  unsigned clients, large, beyond, cannot, many, histories, wrong, waiting, faults, longs, races, refused, proved;
  uint64_t schedules, skipped;
};

/* A history: of each call its result, and the calls that returned before it. */
enum { NOT_CALLED, PENDING, RETURNED };
struct shape {
  uint8_t state[COMPILED_CALLS], after[COMPILED_CALLS]; /* after[i]: bit k: call k returned before call i was made */
  value result[COMPILED_CALLS];
};
typedef VEC(struct shape) shapes;

/* What was seen in one way. */
struct seen {
  shapes whole, waiting;
  unsigned faults;                        /* bit: enum compiled_fault */
  uint64_t long_runs, schedules, counted; /* counted: with those that were skipped */
  bool complete, cannot, races;           /* cannot: there was what cannot be run, or compared */
};

struct trial {
  uint64_t number, seed;
  struct mem mem;
  struct limits limits;
  struct random_object object;
  struct verify_options options;
  struct subject subject;
  struct compiled_object *compiled;
  struct compiled_client client;
  uint16_t numbers[COMPILED_CALLS]; /* of its calls */
  struct brute_client brute_client;
  struct brute brute;
  struct seen verified, seen[COMPILED_WAYS];
  enum compiled_way way;
  bool optimised;  /* as it is tested where nothing else is said, and only so */
  bool strange;    /* of the C that is easily misread, where arithmetic that C leaves undefined is a crash */
  bool simplified; /* by the compiler, before it looks for overflow */
  bool proved;
  struct tally *tally;
};

static unsigned below(struct trial *t, unsigned n) {
  t->seed = hash_mix(t->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(t->seed >> 20) % n;
}

/* Telling. */

static void print_shape(const struct trial *t, const struct shape *s) {
  fprintf(stderr, "   ");
  for (uint32_t i = 0; i < t->client.first[t->client.threads]; i++) {
    if (s->state[i] == NOT_CALLED) continue;
    fprintf(stderr, "  %u %s", i, t->client.calls[i].function);
    struct text text;
    text_open(&text, (struct mem *)(uintptr_t)&t->mem);
    value_print(t->subject.values, s->result[i], &text);
    if (s->state[i] == RETURNED) fprintf(stderr, " -> %s", text_string(&text));
    if (s->after[i]) fprintf(stderr, " after");
    for (unsigned k = 0; k < COMPILED_CALLS; k++)
      if (s->after[i] >> k & 1) fprintf(stderr, " %u", k);
    fprintf(stderr, ";");
  }
  fprintf(stderr, "\n");
}

static void print_seen(const struct trial *t, const char *name, const struct seen *s) {
  static const char *const names[] = {"none",      "use after free", "double free", "bad free", "out of bounds",
                                      "assertion", "crash",          "misuse",      "other"};
  fprintf(stderr, "%s: %zu histories, %zu waiting, %llu schedules, faults:", name, s->whole.count, s->waiting.count,
          (unsigned long long)s->schedules);
  for (unsigned f = 1; f <= OTHER_FAULT; f++)
    if (s->faults >> f & 1) fprintf(stderr, " [%s]", names[f]);
  fprintf(stderr, "\n");
  for (size_t i = 0; i < s->whole.count; i++) print_shape(t, &s->whole.at[i]);
  if (s->waiting.count) fprintf(stderr, "  waiting:\n");
  for (size_t i = 0; i < s->waiting.count; i++) print_shape(t, &s->waiting.at[i]);
}

static void print_client(const struct trial *t) {
  for (unsigned h = 0; h < t->client.threads; h++)
    for (uint32_t i = t->client.first[h]; i < t->client.first[h + 1]; i++)
      fprintf(stderr, "%s%s(%ld)",
              i > t->client.first[h] ? " "
              : h                    ? " | "
                                     : "  ",
              t->client.calls[i].function, t->client.calls[i].arg[0]);
  fprintf(stderr, "\n");
}

static void print_all(const struct trial *t) {
  fprintf(stderr, "%s%s\n", t->object.includes, text_string(&t->object.source));
  print_client(t);
  print_seen(t, "verify", &t->verified);
  for (unsigned w = 0; w < COMPILED_WAYS; w++) print_seen(t, compiled_ways[w], &t->seen[w]);
}

static _Noreturn void disagree(const struct trial *t, const char *what) {
  fprintf(stderr, "%sobject %llu (%s), %s%s: %s\n\n", t->strange ? "strange " : "", (unsigned long long)t->number,
          t->object.name, compiled_ways[t->way], t->optimised ? ", optimised" : "", what);
  print_all(t);
  test_fail(__FILE__, __LINE__, what);
}

/* Shapes. */

static bool same_shape(const struct shape *a, const struct shape *b) { return !memcmp(a, b, sizeof *a); }

static bool has_shape(const shapes *all, const struct shape *s) {
  for (size_t i = 0; i < all->count; i++)
    if (same_shape(&all->at[i], s)) return true;
  return false;
}

static bool add_shape(struct trial *t, shapes *all, const struct shape *s) {
  if (has_shape(all, s)) return false;
  vec_push(&t->mem, all, *s);
  return true;
}

/* Has `weak` the results of `strict`, and no more order? Calls that return in neither may be missing in the strict one:
 * a thread that waits for a lock is not seen to have called before it takes a step. */
static bool weakens(const struct shape *weak, const struct shape *strict) {
  unsigned called = 0;
  for (unsigned i = 0; i < COMPILED_CALLS; i++) called |= (unsigned)(strict->state[i] != NOT_CALLED) << i;
  for (unsigned i = 0; i < COMPILED_CALLS; i++) {
    if (!(called >> i & 1) && weak->state[i] != RETURNED) continue;
    if (weak->state[i] != strict->state[i] || weak->result[i] != strict->result[i]) return false;
    if (weak->after[i] & called & ~strict->after[i]) return false;
  }
  return true;
}

static bool has_stricter(const shapes *all, const struct shape *weak) {
  for (size_t i = 0; i < all->count; i++)
    if (weakens(weak, &all->at[i])) return true;
  return false;
}

static bool has_weaker(const shapes *all, const struct shape *strict) {
  for (size_t i = 0; i < all->count; i++)
    if (weakens(&all->at[i], strict)) return true;
  return false;
}

static void shape_of(const struct trial *t, const struct event *events, size_t count, struct shape *s) {
  uint32_t next[COMPILED_THREADS];
  uint8_t returned = 0;
  memset(s, 0, sizeof *s);
  memcpy(next, t->client.first, sizeof next);
  for (size_t i = 0; i < count; i++) {
    uint32_t *at = &next[events[i].thread];
    if (events[i].kind == EVENT_CALL) {
      s->state[*at] = PENDING;
      s->after[*at] = returned;
    } else {
      s->state[*at] = RETURNED;
      s->result[*at] = events[i].result;
      returned |= (uint8_t)(1u << *at);
      ++*at;
    }
  }
}

/* What verify says. */

static enum compiled_fault fault_of(const struct trial *t, enum fault f) {
  switch (f) {
  case FAULT_OVERFLOW:
  case FAULT_SHIFT: return t->strange && !t->optimised ? CRASH : OTHER_FAULT;
  case FAULT_NULL:
  case FAULT_DIVISION:
  case FAULT_TRAP: return CRASH;
  case FAULT_FREED: return USE_AFTER_FREE;
  case FAULT_DOUBLE_FREE: return DOUBLE_FREE;
  case FAULT_BAD_FREE: return BAD_FREE;
  case FAULT_ASSERTION: return ASSERTION;
  case FAULT_UNLOCK:
  case FAULT_DESTROY: return MISUSE;
  default: return OTHER_FAULT;
  }
}

/* Does compiled code notice all that C leaves undefined here? If not it may do anything. */
static bool noticed(const struct trial *t) {
  bool overflows = t->brute.kinds.faults >> FAULT_OVERFLOW & 1;
  return !(t->verified.faults >> OTHER_FAULT & 1) && !(overflows && t->simplified);
}

/* False if the client is too large, or does what compiled code does not notice. */
static bool enumerate(struct trial *t) {
  struct brute *b = &t->brute;
  struct event events[2 * COMPILED_CALLS];
  t->brute_client = (struct brute_client){t->numbers, t->client.first};
  brute_enumerate(b, &t->mem, &t->subject, &t->brute_client, PAIRS_MOST);
  t->tally->large += !b->whole;
  if (!b->whole) return false;
  t->verified = (struct seen){.complete = true, .schedules = b->pairs};
  for (unsigned f = 1; f < 32; f++)
    if (b->kinds.faults >> f & 1) t->verified.faults |= 1u << fault_of(t, (enum fault)f);
  t->tally->beyond += !noticed(t);
  if (!noticed(t)) return false;
  for (uint32_t n = 0; n < b->nodes; n++) {
    struct shape s;
    if (!brute_ends(b, n)) continue;
    shape_of(t, events, brute_events(b, n, events, 2 * COMPILED_CALLS), &s);
    if (brute_ends(b, n) & END_WHOLE) add_shape(t, &t->verified.whole, &s);
    if (brute_ends(b, n) & END_WAITING) add_shape(t, &t->verified.waiting, &s);
  }
  return true;
}

/* What is run. */

static uint32_t find(struct trial *t, const struct compiled_run *r, struct shape *s) {
  struct event events[2 * COMPILED_CALLS];
  uint32_t next[COMPILED_THREADS];
  memcpy(next, t->client.first, sizeof next);
  for (size_t i = 0; i < r->count; i++) {
    const struct compiled_event *e = &r->events[i];
    events[i] =
        (struct event){.kind = e->is_return ? EVENT_RETURN : EVENT_CALL, .thread = e->thread, .result = e->result};
    if (!e->is_return) events[i].call = t->numbers[next[e->thread]++];
  }
  shape_of(t, events, r->count, s);
  return brute_find(&t->brute, events, r->count);
}

static bool visit(void *self, const struct compiled_run *r) {
  struct trial *t = self;
  struct seen *seen = &t->seen[t->way];
  struct shape s;
  seen->schedules++;
  seen->long_runs += r->end == COMPILED_LONG;
  seen->cannot |= r->end == COMPILED_CANNOT;
  seen->cannot |= r->fault == MISUSE && strstr(r->said, "has locked"); /* verify does not know who has locked a mutex */
  seen->races |= r->end == COMPILED_RACE;
  if (seen->cannot || seen->races) return false;
  uint32_t node = find(t, r, &s);
  bool none = node == UINT32_MAX;
  if (t->proved && r->end == COMPILED_FAULT) disagree(t, "proved, and there is a fault");
  if (r->end == COMPILED_FAULT) {
    if (!(t->verified.faults >> r->fault & 1)) {
      fprintf(stderr, "%s\n", r->said);
      seen->faults |= 1u << r->fault;
      disagree(t, "a fault that verify does not know");
    }
    seen->faults |= 1u << r->fault;
  } else if (r->end == COMPILED_WAITING) {
    add_shape(t, &seen->waiting, &s);
    if (none || !has_weaker(&t->verified.waiting, &s)) {
      print_shape(t, &s);
      fprintf(stderr, "%s\n", r->said);
      disagree(t, "operations wait for ever that do not in verify");
    }
  } else if (r->end == COMPILED_WHOLE) {
    add_shape(t, &seen->whole, &s);
    if (none) print_shape(t, &s);
    if (none) disagree(t, "a history that verify does not have");
    if (!(brute_ends(&t->brute, node) & END_WHOLE)) disagree(t, "a history that is whole, but not in verify");
    bool holds = brute_holds(&t->brute, node);
    if (t->subject.program->unordered && holds) holds = r->linearizable; /* the code by itself has one order, too */
    if (t->proved && !r->linearizable) disagree(t, "proved, and not linearizable");
    if (r->linearizable != holds) {
      print_shape(t, &s);
      disagree(t, r->linearizable ? "a history is linearizable, but not for verify"
                                  : "a history is not linearizable, but for verify");
    }
  }
  return seen->schedules < SCHEDULES_MOST && (!t->strange || seen->long_runs < LONG_MOST);
}

static void run_in(struct trial *t, enum compiled_way way) {
  struct problem why = {.text = ""};
  struct seen *seen = &t->seen[t->way = way];
  uint64_t schedules;
  *seen = (struct seen){.complete = false};
  if (!compiled_explore(t->compiled, &t->client, way, t->subject.values, visit, t, &seen->complete, &schedules, &why))
    disagree(t, why.text);
  t->tally->schedules += seen->schedules;
  t->tally->longs += seen->long_runs > 0;
  seen->counted = schedules;
  if (way < BY_FEW_DELAYS && !seen->complete && !seen->long_runs && !seen->cannot && !seen->races &&
      seen->schedules < SCHEDULES_MOST)
    disagree(t, "not complete, and no reason for it");
}

/* A history that verify has and was not seen; NULL: none. */
static const struct shape *find_unseen(const shapes *verified, const shapes *seen) {
  for (size_t i = 0; i < verified->count; i++)
    if (!has_stricter(seen, &verified->at[i])) return &verified->at[i];
  return NULL;
}

static struct compiled_object *compile(struct trial *, enum compiled_how, struct problem *);

/* The optimiser may drop what C does not promise: a race, with a variable that nobody reads any more, or that a freed
 * block and another have the same address. So what is not seen must be there in code that is not optimised, or that
 * must have a race. */
static bool is_optimised_away(struct trial *t) {
  struct compiled_object *optimised = t->compiled;
  struct problem why = {.text = ""};
  struct seen *seen = &t->seen[t->way];
  if (!t->optimised) return false;
  t->optimised = false;
  t->compiled = compile(t, COMPILED_PLAIN, &why);
  if (!t->compiled) disagree(t, why.text);
  run_in(t, t->way);
  bool is = seen->races || (seen->complete && !find_unseen(&t->verified.whole, &seen->whole) &&
                            !find_unseen(&t->verified.waiting, &seen->waiting));
  compiled_close(t->compiled);
  t->compiled = optimised;
  t->optimised = true;
  return is;
}

/* All that verify has was seen, unless a race ended it, or might have if it were not a fault. Of faults that of a
 * thread may come before another's, which then does not happen: one is enough. */
static void check_complete(struct trial *t) {
  const struct seen *seen = &t->seen[t->way];
  if (!seen->complete || t->subject.program->unordered) return; /* the compiler takes one order of evaluation */
  if (t->verified.faults && !seen->faults) disagree(t, "a fault is not seen");
  if (t->way == BY_RACES && t->verified.faults) return;
  const struct shape *whole = find_unseen(&t->verified.whole, &seen->whole),
                     *waiting = find_unseen(&t->verified.waiting, &seen->waiting);
  if ((!whole && !waiting) || is_optimised_away(t)) return;
  print_shape(t, whole ? whole : waiting);
  disagree(t, whole ? "a history of verify is not seen" : "operations that wait for ever are not seen");
}

static void check_same(struct trial *t, const struct seen *a, const struct seen *b) {
  bool same = a->whole.count == b->whole.count && a->waiting.count == b->waiting.count && a->faults == b->faults;
  for (size_t i = 0; same && i < a->whole.count; i++) same = has_shape(&b->whole, &a->whole.at[i]);
  for (size_t i = 0; same && i < a->waiting.count; i++) same = has_shape(&b->waiting, &a->waiting.at[i]);
  if (!same)
    disagree(t,
             a == &t->seen[BY_DPOR] ? "not the same is seen as by dpor" : "not the same is seen as without skipping");
}

static void check_skipping(struct trial *t) {
  const struct seen *all = &t->seen[BY_FEW_DELAYS], *some = &t->seen[BY_FEW_DELAYS_SKIPPING];
  if (all->schedules >= SCHEDULES_MOST) return;
  if (all->counted != some->counted) disagree(t, "not as many schedules as without skipping");
  if (all->complete != some->complete) disagree(t, "complete, and not without skipping, or the other way round");
  check_same(t, all, some);
  t->tally->skipped += some->counted - some->schedules;
}

static void choose_client(struct trial *t) {
  const struct subject *s = &t->subject;
  uint32_t count = 0;
  t->client = (struct compiled_client){.threads = s->threads};
  for (unsigned h = 0; h < s->threads; h++) {
    for (unsigned i = 0; i < t->object.ops; i++, count++) {
      const struct client_call *call = &s->client[h].calls[below(t, s->client[h].call_count)];
      t->numbers[count] = call->number;
      t->client.calls[count].function = s->program->ops[call->op].function;
      for (unsigned a = 0; a < 3; a++) t->client.calls[count].arg[a] = (long)call->args[a];
    }
    t->client.first[h + 1] = count;
  }
}

/* Nothing of what verify sees is a violation, except that it waits. */
static void check_proved(struct trial *t) {
  if (t->brute.kinds.faults) disagree(t, "proved, and verify knows a fault");
  for (uint32_t n = 0; n < t->brute.nodes; n++)
    if (brute_ends(&t->brute, n) && !brute_holds(&t->brute, n)) disagree(t, "proved, and not for verify");
}

static void try_client(struct trial *t) {
  choose_client(t);
  bool known = enumerate(t);
  if (t->proved && t->brute.whole && !t->brute.limited) check_proved(t);
  if (!known) return;
  if (t->optimised && t->verified.faults) {
    t->tally->beyond++;
    return;
  }
  memset(t->seen, 0, sizeof t->seen);
  for (unsigned w = t->optimised ? BY_RACES : 0; w < (t->strange ? BY_RACES + 1 : COMPILED_WAYS); w++) {
    if (t->strange && w && w < BY_RACES) continue;
    run_in(t, w);
    if (t->seen[w].cannot) {
      t->tally->beyond++;
      return;
    }
    check_complete(t);
    if (getenv("ASIF_TEST_OBJECT") && w == BY_RACES) print_all(t);
    if (w && w < BY_RACES && t->seen[BY_DPOR].complete && t->seen[w].complete)
      check_same(t, &t->seen[BY_DPOR], &t->seen[w]);
  }
  if (!t->strange) check_skipping(t);
  t->tally->clients++;
  t->tally->races += t->seen[BY_RACES].races;
  t->tally->many += !t->optimised && !t->seen[BY_ALL].complete;
  t->tally->histories += (unsigned)t->verified.whole.count;
  t->tally->waiting += t->verified.waiting.count > 0;
  t->tally->faults += t->verified.faults != 0;
}

/* False: verify refuses it. */
static bool open_subject(struct trial *t) {
  struct problem why = {.text = ""};
  struct text text;
  text_open(&text, &t->mem);
  text_add(&text, t->object.preprocessed);
  text_add(&text, text_string(&t->object.source));
  t->options = (struct verify_options){.path = "x.c",
                                       .threads = t->object.threads,
                                       .ops = t->object.ops,
                                       .bound = -1,
                                       .search = {.reduce = REDUCE_NONE}};
  struct unit *unit = front_parse(&t->mem, "x.c", text_string(&text), text.count, &why);
  bool made = subject_make(&t->mem, unit, &t->options, &t->subject, &why);
  if (!made && !t->strange) disagree(t, why.text);
  if (!made && getenv("ASIF_TEST_REFUSED"))
    fprintf(stderr, "object %llu: verify: %s\n", (unsigned long long)t->number, why.text);
  return made;
}

/* In a file of its own, for as long as prove takes: it reads what the preprocessor leaves. */
static bool is_proved(const char *path) {
  struct problem why = {.text = ""};
  struct limits limits;
  struct mem m;
  struct proved proved;
  volatile bool is = false;
  limits_start(&limits, 2, 0);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m))
    is = prove(&m, &(struct prove_options){.path = path, .level = LEVEL_FULL}, &proved, &why) &&
         proved.verdict == VERDICT_HOLDS;
  mem_close(&m);
  return is;
}

static void write_object(const struct trial *t, char *path) {
  int fd = mkstemps(path, 2);
  CHECK(fd >= 0);
  dprintf(fd, "%s%s", t->object.includes, t->object.source.at);
  close(fd);
}

static struct compiled_object *compile(struct trial *t, enum compiled_how how, struct problem *why) {
  char path[] = "/tmp/asif-engines-XXXXXX.c";
  write_object(t, path);
  struct compiled_object *c = compiled_open(&t->mem, path, how, why);
  unlink(path);
  /* Whoever compares the address of a block that it has freed itself may see that it is another's in verify, but not
   * in `asif test`, unless every block is used again (docs/test.md). */
  if (c && strstr(t->object.source.at, "free(t); if (")) compiled_reuse_all(c);
  return c;
}

static bool prove_object(const struct trial *t) {
  char path[] = "/tmp/asif-engines-XXXXXX.c";
  if (!t->strange || strstr(t->object.source.at, "ASIF_OBJECT(self)")) return false;
  write_object(t, path);
  bool proved = is_proved(path);
  unlink(path);
  return proved;
}

static bool compile_object(struct trial *t) {
  struct problem why = {.text = ""};
  t->compiled = compile(t, t->optimised ? COMPILED_OPTIMISED : t->strange ? COMPILED_TRAPPING : COMPILED_PLAIN, &why);
  t->proved = prove_object(t);
  t->tally->proved += t->proved;
  if (!t->compiled && !t->strange) disagree(t, why.text);
  if (!t->compiled && getenv("ASIF_TEST_REFUSED"))
    fprintf(stderr, "object %llu: test: %s\n", (unsigned long long)t->number, why.text);
  return t->compiled;
}

static bool usable(const struct random_object *o) {
  /* asif_choose is for specifications in compiled code; where asif_require refuses a call verify waits, and a run does
   * not count. */
  return !strstr(o->source.at, "asif_choose") && !strstr(o->source.at, "asif_require");
}

static void try_object(uint64_t number, bool optimised, bool strange, bool simplified, struct tally *y) {
  struct trial *t = calloc(1, sizeof *t);
  CHECK(t);
  t->number = number;
  t->optimised = optimised;
  t->strange = strange;
  t->simplified = simplified;
  t->seed = number;
  t->tally = y;
  limits_start(&t->limits, 0, 0);
  mem_open(&t->mem, &t->limits);
  (strange ? random_strange_make : random_object_make)(&t->object, &t->mem, number);
  text_string(&t->object.source);
  if (!usable(&t->object)) {
    y->cannot++;
  } else if (open_subject(t)) {
    if (compile_object(t)) {
      for (unsigned c = 0; c < (strange ? STRANGE_CLIENTS : CLIENTS); c++) try_client(t);
      compiled_close(t->compiled);
    } else {
      y->refused++;
    }
    subject_close(&t->subject);
  } else {
    y->refused++;
  }
  mem_close(&t->mem);
  free(t);
}

/* In a process of its own: code is loaded. */
static bool try_apart(uint64_t number, bool optimised, bool strange, bool simplified, struct tally *y) {
  fflush(NULL);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (!pid) {
    alarm(SECONDS_MOST);
    try_object(number, optimised, strange, simplified, y);
    fflush(NULL);
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(pid, &status, 0) == pid);
  if (WIFSIGNALED(status))
    fprintf(stderr, "object %llu: %s\n", (unsigned long long)number, strsignal(WTERMSIG(status)));
  return !status;
}

static struct tally *open_tally(void) {
  RUNS();
  if (system("${CC:-cc} --version > /dev/null 2>&1")) test_skip("no C compiler");
  struct tally *y = mmap(NULL, sizeof *y, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(y != MAP_FAILED);
  return y;
}

static void conclude(const struct tally *y, unsigned bad) {
  printf("%u clients, %llu schedules, %u histories; %u wait, %u fail, %u race, %u with too many schedules\n",
         y->clients, (unsigned long long)y->schedules, y->histories, y->waiting, y->faults, y->races, y->many);
  printf("%llu schedules skipped\n", (unsigned long long)y->skipped);
  printf("not looked at: %u objects, %u clients that are too large, %u beyond what is compared\n", y->cannot, y->large,
         y->beyond);
  if (y->proved + y->refused) printf("%u proved, %u refused by verify or test\n", y->proved, y->refused);
  CHECKF(!bad, "%u objects: the engines disagree", bad);
}

static void try_share(unsigned share) {
  const char *one = getenv("ASIF_TEST_OBJECT"), *n = getenv("ASIF_TEST_OBJECTS"), *from = getenv("ASIF_TEST_FIRST");
  uint64_t most = n ? strtoull(n, NULL, 10) / EACH : 60, first = from ? strtoull(from, NULL, 10) : 0;
  struct tally *y = open_tally();
  unsigned bad = 0;
  for (uint64_t i = first + share; !one && i < first + most; i += SHARES)
    bad += !try_apart(i, i % 4 == 3, false, false, y);
  if (one && !share) bad += !try_apart(strtoull(one, NULL, 10), getenv("ASIF_TEST_OPTIMISED"), false, false, y);
  conclude(y, bad);
}

static bool has_both_compilers(void) {
  return !getenv("CC") && !system("gcc --version > /dev/null 2>&1 && clang --version > /dev/null 2>&1");
}
static bool is_clang(void) { return !system("${CC:-cc} -E -dM -x c /dev/null 2> /dev/null | grep -q __clang__"); }

/* Those of the C that is easily misread, by every compiler there is. */
static struct tally *try_strange(unsigned share, uint64_t first) {
  const char *one = getenv("ASIF_TEST_OBJECT"), *n = getenv("ASIF_TEST_OBJECTS"), *from = getenv("ASIF_TEST_FIRST");
  uint64_t most = n ? strtoull(n, NULL, 10) / 10 : 56;
  if (from) first += strtoull(from, NULL, 10);
  if (one) first = strtoull(one, NULL, 10), most = !share;
  struct tally *y = open_tally();
  unsigned bad = 0;
  bool other = has_both_compilers(), clang = is_clang();
  for (uint64_t i = first; i < first + most; i++) {
    uint64_t round = i / STRANGE_FAMILIES;
    if (!one && round % SHARES != share) continue;
    if (other) setenv("CC", (clang = round / SHARES % 2) ? "clang" : "gcc", 1);
    bad += !try_apart(i, round / 4 % 3 == 2, true, !clang, y);
  }
  conclude(y, bad);
  return !one && most >= 56 ? y : NULL;
}

static void try_strange_families(unsigned share) {
  const struct tally *y = try_strange(share, 0);
  if (y) CHECK(y->proved && y->faults && y->waiting);
}
TEST(engines_strange_objects_0) { try_strange_families(0); }
TEST(engines_strange_objects_1) { try_strange_families(1); }
TEST(engines_construct_objects_0) { try_strange(0, CONSTRUCTS_FIRST); }
TEST(engines_construct_objects_1) { try_strange(1, CONSTRUCTS_FIRST); }

TEST(engines_random_objects_0) { try_share(0); }
TEST(engines_random_objects_1) { try_share(1); }

/* They disagreed once: asif_thread() of an object that is its own specification; a thread that waits for itself while
 * others go on, or need not have been called; a compare-and-exchange that puts the same value back in a loop; a lock in
 * an ASIF_ATOMIC; an address that is compared after it was freed. */
TEST(engines_known_objects) {
  static const struct {
    uint64_t number;
    bool optimised;
  } known[] = {{181, false}, {63, false},  {343, false}, {815, false}, {739, false},
               {909, false}, {906, false}, {551, true},  {800, false}};
  struct tally *y = open_tally();
  unsigned bad = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    bad += !try_apart(known[i].number, known[i].optimised, false, false, y);
  conclude(y, bad);
}

/* Likewise: an overflow in a condition, of which gcc leaves none; a race with accesses that are optimised away; reads
 * that a write to the same place follows, for which clang has no hook unless it is asked for; calls of several threads,
 * one after the other, of an object that races. */
TEST(engines_known_strange_objects) {
  static const struct {
    uint64_t number;
    bool optimised;
  } known[] = {{1890, false}, {399, true}, {1286, false}, {1734, false}, {1100971, true}};
  struct tally *y = open_tally();
  unsigned bad = 0;
  bool both = has_both_compilers();
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    for (int c = 0; c <= both; c++) {
      if (both) setenv("CC", c ? "clang" : "gcc", 1);
      bad += !try_apart(known[i].number, known[i].optimised, true, !is_clang(), y);
    }
  conclude(y, bad);
}
