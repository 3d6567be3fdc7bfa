/* verify --memory against the oracle of litmus.h: small programs, written as C, are searched without any reduction, and
 * the outcomes (what each thread read, and the final values) must be those of the model. ASIF_TEST_LITMUS sets how many
 * random programs there are (default 400), ASIF_TEST_LITMUS_FROM the number of the first.
 *
 * And random objects, their memory orders made weaker at random, with the reductions against without
 * (ASIF_TEST_OBJECTS, default 600). */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "litmus.h"
#include "random_object.h"
#include "test.h"
#include "verify/machine_parts.h"
#include "verify/store.h"
#include "verify/verify.h"

/* Programs as C. Each thread's function returns what it read: a digit of base 64 a value, the first one lowest, 0 where
 * there is none. */

static const char *c_order(unsigned order) {
  static const char *const names[] = {"0", "2", "3", "4", "5"}; /* of __ATOMIC_... */
  return names[order];
}

static void put_step(const struct litmus_program *p, const struct litmus_step *s, struct text *t) {
  char x = p->names[s->location];
  const char *order = c_order(s->order), *stored = "r";
  char number[16];
  if (!s->of_read) snprintf(number, sizeof number, "%d", s->value), stored = number;
  if (s->condition) text_printf(t, "  if (r %s %d) {\n", s->condition == LITMUS_IF ? "==" : "!=", s->condition_value);
  switch (s->kind) {
  case LITMUS_LOAD: text_printf(t, "  r = __atomic_load_n(&%c, %s);\n", x, order); break;
  case LITMUS_STORE: text_printf(t, "  __atomic_store_n(&%c, %s, %s);\n", x, stored, order); break;
  case LITMUS_ADD: text_printf(t, "  r = __atomic_fetch_add(&%c, %s, %s);\n", x, stored, order); break;
  case LITMUS_EXCHANGE: text_printf(t, "  r = __atomic_exchange_n(&%c, %s, %s);\n", x, stored, order); break;
  case LITMUS_COMPARE:
    text_printf(t, "  { int e = %d; __atomic_compare_exchange_n(&%c, &e, %s, 0, %s, %s); r = e; }\n", s->expected, x,
                stored, order, c_order(s->failure));
    break;
  default: text_printf(t, "  __atomic_thread_fence(%s);\n", order); break;
  }
  if (s->kind != LITMUS_STORE && s->kind != LITMUS_FENCE) text_add(t, "  all += (r + 1) * unit; unit *= 64;\n");
  if (s->condition) text_add(t, "  }\n");
}

static void put_program(const struct litmus_program *p, struct text *t) {
  text_add(t, "__asif_header(asif)\n");
  for (unsigned i = 0; i < p->locations; i++) text_printf(t, "static int %c;\n", p->names[i]);
  for (unsigned i = 0; i < p->threads; i++) {
    text_printf(t, "static long t%u(void) {\n  int r = 0;\n  long all = 0, unit = 1;\n", i);
    for (unsigned k = 0; k < p->length[i]; k++) put_step(p, &p->steps[i][k], t);
    text_printf(t, "  return all;\n}\nASIF_OP(t%u)\n", i);
  }
}

/* The machine, searched with what has returned so far. */

struct collected {
  struct mem *mem;
  struct system *system;
  const struct program *program;
  const struct litmus_program *litmus;
  struct store store;
  VEC(uint32_t) left;
  void *here, *there;
  unsigned char *packed;
  int64_t returned[LITMUS_THREADS]; /* of the state `here`; -1 */
  int64_t result;                   /* of the move, or -1 */
  VEC(struct litmus_outcome) at;
};

static void look(void *self, const struct trace_item *item) {
  struct collected *o = self;
  if (!item->inst && item->event.kind == EVENT_RETURN) o->result = item->result;
}

static value no_value(void *self, const struct program_op *op, word w) { return (void)self, (void)op, (void)w, V_NONE; }

static void add_state(struct collected *o, const void *work, const int64_t *returned) {
  uint32_t ref, size = (uint32_t)o->system->pack(o->system, work, NULL, o->packed + sizeof o->returned, NULL);
  memcpy(o->packed, returned, sizeof o->returned);
  size += (uint32_t)sizeof o->returned;
  if (store_add(&o->store, hash_bytes(o->packed, size), o->packed, size, 0, REF_NONE, NULL, NULL, &ref))
    vec_push(o->mem, &o->left, ref);
}

static void add_outcome(struct collected *o) {
  const struct machine *m = (const struct machine *)o->system;
  const struct machine_state *s = o->here;
  struct litmus_outcome out;
  memset(&out, 0, sizeof out);
  for (unsigned t = 0; t < o->litmus->threads; t++)
    for (int64_t all = o->returned[t]; all > 0; all /= 64) out.read[t][out.count[t]++] = (int16_t)(all % 64 - 1);
  for (unsigned l = 0; l < o->litmus->locations; l++)
    for (uint32_t g = 0; g < o->program->global_count; g++) {
      const char *name = o->program->globals[g].name;
      if (name[0] != o->litmus->names[l] || name[1]) continue;
      bool constant = o->program->globals[g].constant;
      out.final[l] =
          (int16_t)(constant ? o->program->globals[g].init[0] : state_cells(m, s)[state_objects(m, s)[g].first]);
    }
  vec_push(o->mem, &o->at, out);
}

static void expand(struct collected *o) {
  bool moved = false;
  for (unsigned t = 0; t < o->system->threads; t++) {
    struct choices choices;
    struct move move;
    choices_begin(&choices);
    do {
      o->result = -1;
      enum moved how = o->system->move(o->system, o->here, t, &choices, o->there, &move);
      CHECKF(how != FAULTED, "a fault: %s: %s", fault_name(move.fault), move.text ? move.text : "");
      if (how != MOVED) continue;
      int64_t returned[LITMUS_THREADS];
      memcpy(returned, o->returned, sizeof returned);
      if (o->result >= 0) returned[t] = o->result;
      add_state(o, o->there, returned);
      moved = true;
    } while (choices_next(&choices));
  }
  if (!moved) add_outcome(o);
}

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct litmus_outcome)); }

struct found {
  struct litmus_outcome *at;
  size_t count, states;
};

static struct found search_program(struct mem *mem, const struct program *program, const struct litmus_program *litmus,
                                   enum memory_model memory, bool sc_as_acq_rel, bool fused, bool *reordered) {
  struct collected *o = mem_zero(mem, 1, sizeof *o);
  struct client_thread client[LITMUS_THREADS] = {{0}};
  struct client_call *calls = mem_zero(mem, LITMUS_THREADS, sizeof *calls);
  for (unsigned t = 0; t < litmus->threads; t++) {
    calls[t] = (struct client_call){.op = (uint16_t)t, .number = (uint16_t)t};
    client[t] = (struct client_thread){.calls = &calls[t], .call_count = 1, .group = (uint8_t)t};
  }
  struct machine_options options = {.steps = STEPS_SHARED,
                                    .ops = 1,
                                    .fuse_events = fused,
                                    .fuse_private = true,
                                    .memory = memory,
                                    .sc_as_acq_rel = sc_as_acq_rel,
                                    .reordered = reordered,
                                    .tracks = weak_tracks(mem, program, false)};
  o->mem = mem;
  o->program = program;
  o->litmus = litmus;
  o->system = machine_new(mem, program, client, litmus->threads, &options, no_value, NULL);
  o->here = mem_zero(mem, 1, o->system->work);
  o->there = mem_zero(mem, 1, o->system->work);
  o->packed = mem_alloc(mem, o->system->packed_most + sizeof o->returned);
  store_open(&o->store, mem);
  o->system->start(o->system, o->here);
  machine_trace(o->system, look, o);
  int64_t none[LITMUS_THREADS] = {-1, -1, -1, -1, -1};
  add_state(o, o->here, none);
  while (o->left.count) {
    struct record_view v = store_at(&o->store, o->left.at[--o->left.count]);
    memcpy(o->returned, v.at, sizeof o->returned);
    o->system->unpack(o->system, v.at + sizeof o->returned, v.size - sizeof o->returned, o->here);
    size_t again = o->system->pack(o->system, o->here, NULL, o->packed, NULL);
    CHECK(again == v.size - sizeof o->returned && !memcmp(o->packed, v.at + sizeof o->returned, again));
    expand(o);
  }
  struct found f = {o->at.at, 0, o->store.states};
  qsort(o->at.at, o->at.count, sizeof *o->at.at, compare);
  for (size_t i = 0; i < o->at.count; i++)
    if (!f.count || compare(&f.at[f.count - 1], &o->at.at[i])) f.at[f.count++] = o->at.at[i];
  return f;
}

/* The first of the outcomes that the others lack; NULL. */
static const struct litmus_outcome *beyond(const struct litmus_outcome *a, size_t n, const struct litmus_outcome *b,
                                           size_t k) {
  for (size_t i = 0; i < n; i++)
    if (!bsearch(&a[i], b, k, sizeof *b, compare)) return &a[i];
  return NULL;
}

static bool has_seq_cst(const struct litmus_program *p, bool fence) {
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < p->length[t]; i++) {
      const struct litmus_step *s = &p->steps[t][i];
      bool failure = s->kind == LITMUS_COMPARE && s->failure == LITMUS_SC;
      if ((s->kind == LITMUS_FENCE) == fence && (s->order == LITMUS_SC || failure)) return true;
    }
  return false;
}

struct tally {
  unsigned exact, inexact;             /* programs with seq_cst accesses */
  unsigned programs, reordered, fewer; /* of these: fences of three threads may leave something out, and do */
  size_t states[3], outcomes[3];
};

static void report(const struct litmus_program *p, const char *what, enum memory_model memory,
                   const struct litmus_outcome *o) {
  char program[LITMUS_TEXT], outcome[LITMUS_TEXT];
  litmus_print(p, program);
  litmus_print_outcome(p, o, outcome);
  CHECKF(false, "%s, %s: %s: %s\n", program, memory_model_name(memory), what, outcome);
}

static void must_be(const struct litmus_program *p, enum memory_model memory, const struct litmus_outcomes *right,
                    const struct found *f, bool below, bool above) {
  const struct litmus_outcome *o;
  if (below && (o = beyond(f->at, f->count, right->at, right->count)))
    report(p, "an outcome that the model does not have", memory, o);
  if (above && (o = beyond(right->at, right->count, f->at, f->count)))
    report(p, "an outcome of the model is not found", memory, o);
}

static void try_program(const struct litmus_program *p, struct tally *y) {
  struct mem mem;
  struct text text;
  struct problem why = {.text = ""};
  mem_open(&mem, NULL);
  text_open(&text, &mem);
  put_program(p, &text);
  struct unit *unit = front_parse(&mem, "x.c", text_string(&text), text.count, &why);
  struct program *program = unit ? lower(&mem, unit, &(struct lower_options){.recursion = 0}, &why) : NULL;
  CHECKF(program, "%s\n%s", why.text, text_string(&text));
  for (enum memory_model memory = MEMORY_SC; memory <= MEMORY_C11; memory++) {
    struct litmus_executions all = litmus_executions(p, memory);
    struct litmus_outcomes right = litmus_outcomes(p, &all);
    bool views = memory == MEMORY_C11, accesses = views && has_seq_cst(p, false), reordered = false;
    struct found f = search_program(&mem, program, p, memory, true, !views, &reordered);
    must_be(p, memory, &right, &f, !accesses, !reordered);
    y->reordered += reordered;
    y->fewer += beyond(right.at, right.count, f.at, f.count) != NULL;
    y->states[memory] += f.states;
    y->outcomes[memory] += right.count;
    if (accesses) {
      reordered = false;
      f = search_program(&mem, program, p, memory, false, false, &reordered);
      bool exact = p->threads == 2 && !has_seq_cst(p, true) && !reordered;
      must_be(p, memory, &right, &f, true, exact);
      y->exact += exact;
      y->inexact += !exact;
    }
    free(right.at);
    litmus_free(&all);
  }
  y->programs++;
  mem_close(&mem);
}

static const char *const classics[] = {
    "x=1.rlx; y.rlx | y=1.rlx; x.rlx",
    "x=1.rlx; F.sc; y.rlx | y=1.rlx; F.sc; x.rlx",
    "x=1.sc; y.sc | y=1.sc; x.sc",
    "x=1.sc; y=1.rlx | y.rlx; x.rlx; x.sc",
    "x=1.sc; y=1.rlx | y.sc; x.sc",
    "x=1.rlx; y=1.rlx | y.rlx; x.rlx",
    "x=1.rlx; y=1.rel | y.acq; x.rlx",
    "x=1.rlx; F.rel; y=1.rlx | y.rlx; F.acq; x.rlx",
    "x=1.rlx; y=1.rel; y=2.rlx | y.acq; x.rlx",
    "x=1.rlx; y=1.rel | y+1.rlx | y.acq; x.rlx",
    "x.rlx; y=1.rlx | y.rlx; x=1.rlx",
    "x=2.rlx; y=1.rlx | y.rlx; x=1.rlx",
    "x=1.rlx; y=1.rlx | y=2.rlx; x.rlx",
    "x=1.rlx; y=2.rlx | y=1.rlx; x=2.rlx",
    "x=1.rlx; F.sc; y=2.rlx | y=1.rlx; F.sc; x=2.rlx",
    "x=1.rel; x=2.rel | x.acq; x.acq",
    "x=1.rlx | x=2.rlx | x.rlx; x.rlx | x.rlx; x.rlx",
    "x=1.rlx | y=1.rlx | x.rlx; y.rlx | y.rlx; x.rlx",
    "x=1.rel | y=1.rel | x.acq; y.acq | y.acq; x.acq",
    "x=1.rlx | y=1.rlx | x.rlx; F.sc; y.rlx | y.rlx; F.sc; x.rlx",
    "x=1.rlx | x.rlx; y=1.rel | y.acq; x.rlx",
    "x=1.rel | x.acq; y=1.rel | y.acq; x.rlx",
    "x=1.rlx; y=1.rel | y.acq; z=1.rel | z.acq; x.rlx",
    "x=1.rel | x.acq; y.acq | y=1.rel; x.acq",
    "x=1.rlx | x.rlx; F.sc; y.rlx | y=1.rlx; F.sc; x.rlx",
    "x?0>1.ar; y.acq | y?0>1.ar; x.acq",
    "x+1.rlx; x+1.rlx | x+1.rlx; x.rlx",
    "x=1.rlx; F.sc; y=1.rlx | y.rlx; z=1.rlx | z.rlx; F.sc; x.rlx",
    "x=1.rlx; F.sc; y=1.rlx | y.rlx; z=1.rel | z.acq; F.sc; x.rlx",
    "x=1.rlx; F.sc; F.sc; y=1.rlx | y.acq; F.sc; z=1.rlx | z.rlx; F.sc; x.rlx",
};

TEST(verify_weak_classics) {
  struct tally y = {0};
  const char *asked = getenv("ASIF_TEST_LITMUS_TEXT");
  if (asked) {
    struct litmus_program p;
    char why[200];
    CHECKF(litmus_parse(&p, asked, why), "%s", why);
    try_program(&p, &y);
    return;
  }
  for (size_t i = 0; i < sizeof classics / sizeof *classics; i++) {
    struct litmus_program p;
    char why[200];
    CHECKF(litmus_parse(&p, classics[i], why), "%s: %s", classics[i], why);
    try_program(&p, &y);
  }
  CHECKF(y.fewer == 1, "%u programs with fewer outcomes, and %u that may have", y.fewer, y.reordered);
}

TEST(verify_weak_random) {
  struct tally y = {0};
  const char *asked = getenv("ASIF_TEST_LITMUS"), *from = getenv("ASIF_TEST_LITMUS_FROM");
  unsigned programs = asked ? (unsigned)atoi(asked) : 400, first = from ? (unsigned)atoi(from) : 0;
  struct litmus_shape shape = {.threads = 4, .steps = 8, .locations = 3, .register_steps = true};
  for (unsigned i = first; i < first + programs; i++) {
    uint64_t seed = hash_mix(i + 1);
    struct litmus_program p;
    litmus_random(&p, &seed, &shape);
    try_program(&p, &y);
  }
  fprintf(stderr,
          "%u programs, %u with reordered fences, %u with fewer outcomes; states %zu %zu %zu, outcomes %zu %zu %zu; %u "
          "%u\n",
          y.programs, y.reordered, y.fewer, y.states[0], y.states[1], y.states[2], y.outcomes[0], y.outcomes[1],
          y.outcomes[2], y.exact, y.inexact);
}

/* Orders that are less than seq_cst. */
static void weaken(struct program *p, uint64_t seed) {
  static const uint8_t loads[] = {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_ACQUIRE},
                       stores[] = {ORDER_RELAXED, ORDER_RELEASE, ORDER_RELEASE},
                       updates[] = {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_ACQ_REL};
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    struct inst *in = &p->code[pc];
    seed = hash_mix(seed + 1);
    if (in->code < I_LOAD || in->code > I_FETCH || !(in->flags & FLAG_ATOMIC)) continue;
    in->order = in->code == I_LOAD ? loads[seed % 3] : in->code == I_STORE ? stores[seed % 3] : updates[seed % 5];
    if (in->code == I_CAS) in->order_failure = loads[seed / 5 % 3];
  }
}

struct judged {
  enum verdict verdict;
  const char *what;
};

static struct judged judge(struct mem *mem, struct limits *limits, const struct random_object *object, uint64_t number,
                           enum memory_model memory, enum reduce reduce) {
  struct problem why = {.text = ""};
  struct text text;
  struct subject s;
  struct verified v;
  text_open(&text, mem);
  text_add(&text, object->preprocessed);
  text_add(&text, text_string(&object->source));
  struct verify_options *options = mem_zero(mem, 1, sizeof *options);
  *options = (struct verify_options){.path = "x.c",
                                     .threads = object->threads,
                                     .ops = object->ops,
                                     .bound = -1,
                                     .weak_fails = object->weak,
                                     .races = true,
                                     .memory = memory,
                                     .search = {.reduce = reduce, .deadlocks = true, .jobs = 1}};
  struct unit *unit = front_parse(mem, "x.c", text_string(&text), text.count, &why);
  CHECKF(unit && subject_make(mem, unit, options, &s, &why), "%s", why.text);
  weaken(s.program, number);
  subject_remodel(&s);
  subject_remember(&s);
  CHECKF(verify(&s, limits, &v, &why), "object %llu, %s, %s: %s", (unsigned long long)number, memory_model_name(memory),
         reduce_name(reduce), why.text);
  return (struct judged){v.search.verdict, v.reason ? v.reason : ""};
}

struct objects_tally {
  unsigned holds[3], violated[3], unknown[3], skipped, weaker;
};

static void try_object(uint64_t number, struct objects_tally *y) {
  struct limits limits;
  struct mem mem;
  struct random_object object;
  limits_start(&limits, 20, 0);
  limits.states = 60000;
  mem_open(&mem, &limits);
  if (MEM_GUARD(&mem)) {
    mem_close(&mem);
    y->skipped++;
    return;
  }
  if (number % 4 == 3)
    random_strange_make(&object, &mem, number);
  else
    random_object_make(&object, &mem, number);
  struct judged sc = {VERDICT_UNKNOWN, ""};
  for (enum memory_model memory = MEMORY_SC; memory <= MEMORY_C11; memory++) {
    struct judged best = judge(&mem, &limits, &object, number, memory, REDUCE_BEST);
    struct judged none = judge(&mem, &limits, &object, number, memory, REDUCE_NONE);
    if (memory == MEMORY_SC) sc = best;
    if (best.verdict == VERDICT_UNKNOWN || none.verdict == VERDICT_UNKNOWN) {
      y->unknown[memory]++;
      continue;
    }
    CHECKF(best.verdict == none.verdict, "object %llu, %s: %d (%s) with reductions, %d (%s) without\n%s",
           (unsigned long long)number, memory_model_name(memory), best.verdict, best.what, none.verdict, none.what,
           text_string(&object.source));
    CHECKF(sc.verdict != VERDICT_VIOLATED || best.verdict == VERDICT_VIOLATED,
           "object %llu: %s, and with %s nothing is wrong\n%s", (unsigned long long)number, sc.what,
           memory_model_name(memory), text_string(&object.source));
    (best.verdict == VERDICT_HOLDS ? y->holds : y->violated)[memory]++;
    y->weaker += sc.verdict == VERDICT_HOLDS && best.verdict == VERDICT_VIOLATED;
  }
  mem_close(&mem);
}

TEST(verify_weak_objects) {
  struct objects_tally y = {{0}, {0}, {0}, 0, 0};
  const char *asked = getenv("ASIF_TEST_OBJECTS"), *from = getenv("ASIF_TEST_OBJECTS_FROM");
  unsigned objects = asked ? (unsigned)atoi(asked) : 600, first = from ? (unsigned)atoi(from) : 0;
  for (uint64_t i = first; i < first + objects; i++) try_object(i, &y);
  fprintf(stderr,
          "sc, tso, c11: %u %u %u hold, %u %u %u are wrong, %u %u %u unknown; %u skipped, %u wrong only there\n",
          y.holds[0], y.holds[1], y.holds[2], y.violated[0], y.violated[1], y.violated[2], y.unknown[0], y.unknown[1],
          y.unknown[2], y.skipped, y.weaker);
  CHECK(y.skipped < objects / 2 && y.weaker >= objects / 100);
}
