/* Executions under weak memory models, against those that brute force finds by the axioms (litmus.h). */
#include <stdlib.h>
#include <string.h>

#include "images.h"
#include "litmus.h"
#include "run/graph.h"
#include "test.h"
#include "test/test.h"

static struct image *image;
static struct mem mem;

struct collected {
  struct mem *mem;
  const struct litmus_program *program;
  VEC(struct litmus_execution) all;
  char wrong[200];
  size_t allowed[2]; /* sets of edges that are not, and that are */
};

static bool is_access(const struct graph_slot *s) { return s->kind <= SLOT_FENCE; }

/* Which event of its thread a slot is, and that. */
struct named {
  unsigned thread, index;
};
static struct named name_of(const struct graph *g, uint32_t slot) {
  struct named n = {g->slots[slot].fiber, 0};
  for (uint32_t i = 0; i < slot; i++) {
    const struct graph_slot *s = &g->slots[i];
    if (s->fiber == n.thread && is_access(s) && !(s->kind == SLOT_WRITE && s->update)) n.index++;
  }
  if (g->slots[slot].kind == SLOT_WRITE && g->slots[slot].update) n.index--; /* its read has been counted */
  return n;
}

static void execution_of(const struct litmus_program *p, const struct graph *g, struct litmus_execution *x) {
  memset(x, 0, sizeof *x);
  for (unsigned t = 0; t < p->threads; t++) {
    int last = 0;
    uint32_t slot = 0;
    for (unsigned i = 0; i < p->length[t]; i++) {
      const struct litmus_step *step = &p->steps[t][i];
      if (step->condition != LITMUS_ALWAYS && (last == step->condition_value) != (step->condition == LITMUS_IF))
        continue;
      struct litmus_event *e = &x->events[t][x->count[t]++];
      while (slot < g->count && (g->slots[slot].fiber != t || !is_access(&g->slots[slot]))) slot++;
      CHECK(slot < g->count);
      const struct graph_slot *s = &g->slots[slot++];
      const struct graph_message *m = s->kind == SLOT_FENCE ? NULL : &g->messages[s->message];
      e->kind = s->kind == SLOT_FENCE ? LITMUS_BARRIER : s->kind == SLOT_WRITE ? LITMUS_WRITE : LITMUS_READ;
      e->step = (uint8_t)i;
      if (!m) continue;
      e->location = step->location;
      if (s->kind == SLOT_READ) {
        e->read = (int16_t)m->value.low;
        last = e->read;
        if (m->slot != GRAPH_NONE) {
          struct named from = name_of(g, m->slot);
          e->from = (uint8_t)(from.thread + 1);
          e->from_index = (uint8_t)from.index;
        }
        if (!s->update) continue;
        e->kind = LITMUS_UPDATE;
        s = &g->slots[slot++];
        CHECK(s->kind == SLOT_WRITE && s->update && s->fiber == t);
        m = &g->messages[s->message];
      }
      e->written = (int16_t)m->value.low;
      e->position = (uint8_t)m->position;
    }
  }
}

/* Does the model allow the same edges from returns to calls, seen from the operations and from all events? */
static void try_edges(struct collected *c, const struct graph *g) {
  static uint64_t random = 1;
  struct graph_operations o = {.count = c->program->threads};
  for (uint32_t s = 0; s < g->count; s++) {
    if (g->slots[s].kind == SLOT_CALL) o.called[g->slots[s].fiber] = s;
    if (g->slots[s].kind == SLOT_RETURN) o.returned[g->slots[s].fiber] = s;
  }
  graph_operations(&o);
  for (int i = 0; i < 4; i++) {
    struct graph_pair pairs[3];
    struct graph_edge edges[3];
    size_t count = 0;
    while (count < 3 && (!count || random >> 60 & 1)) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      unsigned from = (unsigned)(random >> 33) % o.count, to = (unsigned)(random >> 43) % o.count;
      pairs[count] = (struct graph_pair){(uint8_t)from, (uint8_t)to};
      edges[count++] = (struct graph_edge){o.returned[from], o.called[to]};
    }
    bool allowed = graph_allows(&o, pairs, count);
    if (allowed != graph_consistent(edges, count))
      snprintf(c->wrong, sizeof c->wrong, "%zu edges, the first from %u to %u, are %s", count, pairs[0].from,
               pairs[0].to, allowed ? "allowed" : "forbidden");
    c->allowed[allowed]++;
  }
}

static enum visit collect(void *context, const struct run *r) {
  struct collected *c = context;
  struct litmus_execution x;
  if (r->found || r->end != RUN_WHOLE) snprintf(c->wrong, sizeof c->wrong, "a run ends: %s", r->said);
  if (c->wrong[0]) return VISIT_STOP;
  if (!graph_coherent()) snprintf(c->wrong, sizeof c->wrong, "the graph of a run is not consistent");
  try_edges(c, run_graph());
  execution_of(c->program, run_graph(), &x);
  vec_push(c->mem, &c->all, x);
  return VISIT_ON;
}

static size_t allowed[2];

static void open_image(void) {
  mem_open(&mem, NULL);
  image = image_of(&mem, "tests/run/litmus.c", "-Isrc");
}

static void missing(const struct litmus_program *p, const struct litmus_execution *x, const char *what,
                    enum memory_model model, const struct collected *c, size_t expected) {
  char text[LITMUS_TEXT], execution[LITMUS_TEXT * 2];
  litmus_print(p, text);
  litmus_print_execution(p, x, execution);
  CHECKF(false, "%s under %s: %s: %s (%zu made, %zu expected)", text, memory_model_name(model), what, execution,
         c->all.count, expected);
}

struct sizes {
  size_t made, distinct, all;
};

static bool same_threads(const struct litmus_program *p, unsigned t, unsigned u) {
  return p->length[t] == p->length[u] && !memcmp(p->steps[t], p->steps[u], p->length[t] * sizeof *p->steps[t]);
}

/* With thread t in the place to[t]. */
static struct litmus_execution exchanged(const struct litmus_execution *x, const unsigned *to) {
  struct litmus_execution y;
  memset(&y, 0, sizeof y);
  for (unsigned t = 0; t < LITMUS_THREADS; t++) {
    y.count[to[t]] = x->count[t];
    memcpy(y.events[to[t]], x->events[t], sizeof x->events[t]);
    for (unsigned i = 0; i < x->count[t]; i++) {
      struct litmus_event *e = &y.events[to[t]][i];
      if (e->from) e->from = (uint8_t)(to[e->from - 1] + 1);
    }
  }
  return y;
}

/* Adds what each is with threads that do the same exchanged. `first`: threads before it are in their places. */
static void add_exchanged(const struct litmus_program *p, struct collected *c, size_t count, unsigned first,
                          unsigned *to) {
  bool changed = false;
  if (first == p->threads) {
    for (unsigned t = 0; t < first; t++) changed |= to[t] != t;
    for (size_t i = 0; changed && i < count; i++) {
      struct litmus_execution x = exchanged(&c->all.at[i], to);
      vec_push(c->mem, &c->all, x);
    }
    return;
  }
  for (unsigned t = first; t < p->threads; t++) {
    if (!same_threads(p, first, t)) continue;
    unsigned old = to[first];
    to[first] = to[t], to[t] = old;
    add_exchanged(p, c, count, first + 1, to);
    to[t] = to[first], to[first] = old;
  }
}

/* So many there are if those that differ by an exchange of threads count as one. */
static size_t count_classes(const struct litmus_program *p, const struct litmus_executions *all) {
  size_t classes = 0;
  struct mem own;
  for (size_t i = 0; i < all->count; i++) {
    mem_open(&own, NULL);
    struct collected c = {.mem = &own};
    unsigned to[LITMUS_THREADS];
    bool least = true;
    for (unsigned t = 0; t < LITMUS_THREADS; t++) to[t] = t;
    vec_push(&own, &c.all, all->at[i]);
    add_exchanged(p, &c, 1, 0, to);
    for (size_t k = 1; k < c.all.count && least; k++) least = litmus_compare(&c.all.at[0], &c.all.at[k]) <= 0;
    classes += least;
    mem_close(&own);
  }
  return classes;
}

/* All executions that are made, against all that there are. o.alike: threads that do the same are exchanged. */
static struct sizes compare_by(const struct litmus_program *p, enum memory_model model, struct explore_options o) {
  struct image_op ops[LITMUS_THREADS];
  struct call calls[LITMUS_THREADS] = {{0}};
  uint32_t first[LITMUS_THREADS + 1];
  struct run_options how = {.races = true, .memory = model, .own_sequences = litmus_c11_sequences};
  struct explore_counts counts;
  struct limits limits;
  struct problem why = {.text = ""};
  struct mem own;
  struct collected c = {.mem = &own, .program = p};
  char name[20];
  mem_open(&own, NULL);
  memcpy(image_symbol(image, "program"), &p, sizeof p);
  for (unsigned t = 0; t < p->threads; t++) {
    snprintf(name, sizeof name, "litmus_%u", t);
    void *at = image_symbol(image, name);
    ops[t] = (struct image_op){.name = "litmus", .written = "litmus", .signature = 3};
    memcpy(&ops[t].function, &at, sizeof at);
    calls[t].op = first[t] = t;
    for (unsigned u = 0; o.alike && u < t; u++)
      if (same_threads(p, t, u)) calls[t].op = calls[u].op;
  }
  first[p->threads] = p->threads;
  struct client client = {.threads = p->threads, .first = first, .calls = calls};
  CHECKF(run_open(image, ops, p->threads, NULL, &how, &why), "%s", why.text);
  limits_start(&limits, 0, 0);
  CHECKF(explore(&client, &o, NULL, &limits, collect, &c, &counts, &why), "%s", why.text);
  char text[LITMUS_TEXT];
  litmus_print(p, text);
  CHECKF(!c.wrong[0], "%s under %s: %s", text, memory_model_name(model), c.wrong);
  CHECKF(counts.complete || o.strategy->random, "%s under %s, by %s: not complete", text, memory_model_name(model),
         o.strategy->method);
  allowed[0] += c.allowed[0], allowed[1] += c.allowed[1];
  struct sizes sizes = {.made = c.all.count};
  unsigned to[LITMUS_THREADS];
  for (unsigned t = 0; t < LITMUS_THREADS; t++) to[t] = t;
  if (o.alike) add_exchanged(p, &c, c.all.count, 0, to);
  qsort(c.all.at, c.all.count, sizeof *c.all.at, litmus_compare);
  struct litmus_executions all = litmus_executions(p, model);
  size_t distinct = 0, k = 0;
  bool may_miss = o.strategy->has_depth; /* PCT changes nothing after as many steps as the first schedule has */
  for (size_t i = 0; i < c.all.count; i++) {
    if (i && !litmus_compare(&c.all.at[i - 1], &c.all.at[i])) continue;
    distinct++;
    while (k < all.count && litmus_compare(&all.at[k], &c.all.at[i]) < 0)
      if (k++, !may_miss) missing(p, &all.at[k - 1], "is not made", model, &c, all.count);
    if (k == all.count || litmus_compare(&all.at[k], &c.all.at[i]))
      missing(p, &c.all.at[i], "is not allowed", model, &c, all.count);
    k++;
  }
  if (k < all.count && !may_miss) missing(p, &all.at[k], "is not made", model, &c, all.count);
  sizes.distinct = o.alike ? count_classes(p, &all) : distinct;
  sizes.all = all.count;
  litmus_free(&all);
  mem_close(&own);
  return sizes;
}

static struct sizes compare(const struct litmus_program *p, enum memory_model model, bool alike) {
  return compare_by(p, model,
                    (struct explore_options){.strategy = &strategies[EXPLORE_DPOR], .weak = true, .alike = alike});
}

static void compare_text(const char *text) {
  struct litmus_program p;
  char why[200];
  CHECKF(litmus_parse(&p, text, why), "%s: %s", text, why);
  for (int model = MEMORY_TSO; model <= MEMORY_C11; model++) {
    struct sizes s = compare(&p, (enum memory_model)model, false);
    printf("%s %s: %zu runs, %zu executions\n", text, memory_model_name((enum memory_model)model), s.made, s.distinct);
  }
}

TEST(weak_litmus) {
  open_image();
  static const char *const programs[] = {
      "x=1.rlx; y.rlx | y=1.rlx; x.rlx",
      "x=1.sc; y.sc | y=1.sc; x.sc",
      "x=1.rlx; F.sc; y.rlx | y=1.rlx; F.sc; x.rlx",
      "x=1.rlx; y=1.rel | y.acq; x.rlx",
      "x=1.rlx; y=1.rlx | y.rlx; x.rlx",
      "x=1.rlx; y=2.rlx | y=1.rlx; x=2.rlx",
      "x=1.sc; y=2.sc | y=1.sc; x=2.sc",
      "x=1.rlx | x.rlx; x.rlx | x=2.rlx",
      "x=1.rlx | x.acq; y.rlx | y.acq; x.rlx | y=1.rlx",
      "x=1.rlx | x.rlx; F.sc; y.rlx | y.rlx; F.sc; x.rlx | y=1.rlx",
      "x+1.rlx | x+1.rlx | x.rlx; x.rlx",
      "x=1.rlx; x?1>2.ar.rlx | x?0>3.sc | x.acq; x.rlx",
      "x=1.rel; x!2.rlx | x!3.rlx; x!4.rlx | x=5.sc; x?5>6.ar.rlx | x!7.acq",
      "x.acq; x.rlx | y!1.ar; x=2.rlx | x=1.sc; y+1.rlx; x+1.rlx",
      "y=1.rel; x=1.rlx; y.rlx | x?1>1.acq; y?0>1.rel; x?1>1.ar.rlx",
      "x=1.rel; t=1.rel; F.sc; y.acq | y=1.rel; t=2.rel; F.sc; x.acq; t.acq",
      "x=1.rel; t=1.rel; F.sc; y.acq; if 0: x=0.rel | y=1.rel; t=2.rel; F.sc; x.acq; t.acq",
      "x.rlx; y=1.rlx | y.rlx; x=1.rlx",
      "x=1.rlx; y=1.rel; y=3.rlx | y?3>4.rlx | y.acq; x.rlx",
      "x=1.sc; y.acq; z.sc | y=1.rel | z=1.sc; x.sc",
      "x=1.rlx; y=1.rlx; x.rlx | y?0>1.rlx; y.rlx; x?0>1.acq.rlx",
      NULL};
  for (const char *const *text = programs; *text; text++) compare_text(*text);
  CHECK(!getenv("ASIF_SHOW"));
  mem_close(&mem);
}

static const char *const twins[] = {"x.rlx | x.rlx | x=1.rlx",
                                    "x.rlx; x.rlx | x.rlx; x.rlx | x=1.rlx; x=2.rlx",
                                    "x=1.rlx; x.rlx | x=1.rlx; x.rlx | x=1.rlx; x.rlx",
                                    "x+1.rlx | x+1.rlx | x+1.rlx",
                                    "x=1.rlx; y.rlx | x=1.rlx; y.rlx | y=1.rlx; x.rlx | y=1.rlx; x.rlx",
                                    "x=1.sc; y.sc | x=1.sc; y.sc | y=1.sc; x.sc | y=1.sc; x.sc",
                                    "x.acq; y.rlx | x.acq; y.rlx | y=1.rlx; x=1.rel",
                                    "x?0>1.ar; y.rlx | x?0>1.ar; y.rlx | x?0>1.ar; y.rlx | y=1.rlx",
                                    "x.rlx; F.sc; y.rlx | x.rlx; F.sc; y.rlx | y=1.rlx; F.sc; x=1.rlx",
                                    "x!1.rlx; if 0: y=1.rel | x!1.rlx; if 0: y=1.rel | y.acq; x.rlx | y.acq; x.rlx",
                                    NULL};

TEST(weak_litmus_twins) {
  open_image();
  for (const char *const *text = twins; *text; text++) {
    struct litmus_program p;
    char why[200];
    CHECKF(litmus_parse(&p, *text, why), "%s: %s", *text, why);
    for (int model = MEMORY_TSO; model <= MEMORY_C11; model++) {
      struct sizes all = compare(&p, (enum memory_model)model, false), s = compare(&p, (enum memory_model)model, true);
      printf("%s %s: %zu runs for %zu classes of %zu executions\n", *text, memory_model_name((enum memory_model)model),
             s.made, s.distinct, all.distinct);
      CHECK(s.made <= all.made);
    }
  }
  CHECK(!getenv("ASIF_SHOW"));
  mem_close(&mem);
}

static unsigned long number_of(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text ? strtoul(text, NULL, 10) : otherwise;
}

/* ASIF_WEAK of them, from ASIF_SEED on. */
TEST(weak_random_programs) {
  static const struct litmus_shape shapes[] = {{2, 6, 2, false}, {3, 6, 2, true},  {3, 6, 1, false},
                                               {4, 6, 2, false}, {3, 7, 3, false}, {2, 7, 3, true}};
  unsigned long most = number_of("ASIF_WEAK", 300), seed = number_of("ASIF_SEED", 1);
  size_t made = 0, distinct = 0;
  open_image();
  for (unsigned long n = 0; n < most; n++) {
    uint64_t random = (seed + n) * 0x9e3779b97f4a7c15u + 1;
    struct litmus_program p;
    litmus_random(&p, &random, &shapes[n % (sizeof shapes / sizeof *shapes)]);
    for (int model = MEMORY_TSO; model <= MEMORY_C11; model++) {
      struct sizes s = compare(&p, (enum memory_model)model, false);
      made += s.made;
      distinct += s.distinct;
    }
  }
  printf("%lu programs: %zu runs for %zu executions; sets of edges: %zu allowed, %zu not\n", most, made, distinct,
         allowed[1], allowed[0]);
  CHECK(!getenv("ASIF_SHOW"));
  mem_close(&mem);
}

/* The same with threads that do the same. */
TEST(weak_random_twins) {
  static const struct litmus_shape shapes[] = {{2, 5, 2, true}, {2, 4, 2, false}, {2, 5, 1, false}, {3, 4, 2, false}};
  unsigned long most = number_of("ASIF_WEAK", 300), seed = number_of("ASIF_SEED", 1);
  size_t made = 0, distinct = 0;
  open_image();
  for (unsigned long n = 0; n < most; n++) {
    uint64_t random = (seed + n) * 0xd1342543de82ef95u + 1;
    struct litmus_program p;
    litmus_random(&p, &random, &shapes[n % (sizeof shapes / sizeof *shapes)]);
    for (unsigned t = p.threads, steps = 2 * (p.length[0] + p.length[1]); t < 4 && steps <= 8; t++) {
      unsigned like = (unsigned)(random >> (8 * t) & 1);
      p.length[p.threads] = p.length[like];
      memcpy(p.steps[p.threads++], p.steps[like], sizeof p.steps[like]);
    }
    for (int model = MEMORY_TSO; model <= MEMORY_C11; model++) {
      struct sizes s = compare(&p, (enum memory_model)model, true);
      made += s.made;
      distinct += s.distinct;
    }
  }
  printf("%lu programs: %zu runs for %zu executions but for the names of threads\n", most, made, distinct);
  CHECK(!getenv("ASIF_SHOW"));
  mem_close(&mem);
}

static const char *any_of(uint64_t *random, const char *const *words, unsigned count) {
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return words[(*random >> 33) % count];
}

/* A message that is passed by several writes of y. */
static void random_message(uint64_t *random, char text[LITMUS_TEXT]) {
  static const char *const puts[] = {"y=1.rel; ", "y=2.rel; ", "y=3.rlx; ", "y=4.rlx; ",
                                     "y!5.rlx; ", "y+1.rlx; ", "F.rel; ",   "y?3>6.rlx; "},
                           *const others[] = {"",           "| y=7.rlx ",        "| y!8.rlx ",
                                              "| y+1.rlx ", "| y.rlx; y=9.rel ", "| y!5.ar "},
                           *const gets[] = {"y.acq; ", "y!9.acq; ", "y.rlx; F.acq; ", "y+1.ar; ", "y.acq; y.rlx; "};
  int n = snprintf(text, LITMUS_TEXT, "x=1.rlx; ");
  for (int i = 0; i < 3; i++) n += snprintf(text + n, LITMUS_TEXT - (size_t)n, "%s", any_of(random, puts, 8));
  n += snprintf(text + n, LITMUS_TEXT - (size_t)n, "y=2.rlx %s", any_of(random, others, 6));
  snprintf(text + n, LITMUS_TEXT - (size_t)n, "| %sx.rlx", any_of(random, gets, 5));
}

/* C11's release sequences: known programs, and random ones. */
TEST(weak_release_sequences) {
  static const struct {
    const char *program;
    size_t fewer; /* executions than with C++20's */
  } known[] = {{"x=1.rlx; y=1.rel; y=2.rlx | y.acq; x.rlx", 1},
               {"x=1.rlx; y=1.rel; y!2.rlx | y.acq; x.rlx", 0},
               {"x=1.rlx; y=1.rel; y=2.rlx | y?2>3.rlx | y.acq; if 3: x.rlx", 1},
               {"x=1.rlx; y=1.rel; y=2.rlx | y=3.rlx | y.acq; if 2: x.rlx", 3},
               {"x=1.rlx; F.rel; y=1.rlx; y=2.rlx | y.acq; x.rlx", 0},
               {"x=1.rlx; y=1.rlx; y=2.rlx | y.acq; x.rlx", 0}};
  unsigned long most = number_of("ASIF_WEAK", 60), seed = number_of("ASIF_SEED", 1);
  struct litmus_program p;
  size_t fewer = 0;
  char why[200], text[LITMUS_TEXT];
  open_image();
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    CHECKF(litmus_parse(&p, known[i].program, why), "%s: %s", known[i].program, why);
    size_t before = compare(&p, MEMORY_C11, false).distinct;
    litmus_c11_sequences = true;
    size_t now = compare(&p, MEMORY_C11, false).distinct;
    litmus_c11_sequences = false;
    CHECKF(before - now == known[i].fewer, "%s: %zu and %zu executions", known[i].program, before, now);
  }
  for (unsigned long n = 0; n < most; n++) {
    uint64_t random = (seed + n) * 0x9e3779b97f4a7c15u + 1;
    random_message(&random, text);
    CHECKF(litmus_parse(&p, text, why), "%s: %s", text, why);
    size_t before = compare(&p, MEMORY_C11, false).distinct;
    litmus_c11_sequences = true;
    fewer += compare(&p, MEMORY_C11, false).distinct < before;
    litmus_c11_sequences = false;
  }
  printf("%lu programs, %zu of them with fewer executions\n", most, fewer);
  CHECK(fewer > most / 4);
  CHECK(!getenv("ASIF_SHOW"));
  mem_close(&mem);
}

/* The other strategies reach the same executions: those with a bound if it is large, the random ones after many runs.
 * ASIF_WEAK programs, from ASIF_SEED on. */
TEST(weak_other_strategies) {
  static const struct litmus_shape shapes[] = {{2, 5, 2, false}, {3, 5, 2, true}, {2, 5, 2, true}, {3, 5, 2, false}};
  static const struct explore_options ways[] = {
      {.strategy = &strategies[EXPLORE_DELAYS], .bound = 1000, .skip = true},
      {.strategy = &strategies[EXPLORE_DELAYS], .bound = 1000, .cache = true},
      {.strategy = &strategies[EXPLORE_PREEMPTIONS], .bound = 1000},
      {.strategy = &strategies[EXPLORE_PREEMPTIONS], .bound = 1000, .cache = true},
      {.strategy = &strategies[EXPLORE_ROUNDS], .bound = 1000},
      {.strategy = &strategies[EXPLORE_ALL], .cache = true},
      {.strategy = &strategies[EXPLORE_ALL]},
      {.strategy = &strategies[EXPLORE_UNIFORM], .runs_most = 20000},
      {.strategy = &strategies[EXPLORE_PCT], .runs_most = 40000, .depth = 8}};
  unsigned long most = number_of("ASIF_WEAK", 12), seed = number_of("ASIF_SEED", 1);
  open_image();
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    size_t made = 0, distinct = 0, all = 0;
    for (unsigned long n = 0; n < most; n++) {
      uint64_t random = (seed + n) * 0x9e3779b97f4a7c15u + 1;
      struct litmus_program p;
      struct explore_options o = ways[w];
      o.weak = true;
      litmus_random(&p, &random, &shapes[n % (sizeof shapes / sizeof *shapes)]);
      for (int model = MEMORY_TSO; model <= MEMORY_C11; model++) {
        struct sizes s = compare_by(&p, (enum memory_model)model, o);
        made += s.made;
        distinct += s.distinct;
        all += s.all;
      }
    }
    printf("%s: %zu runs for %zu of %zu executions\n", ways[w].strategy->method, made, distinct, all);
    CHECK(distinct > all - all / 20);
  }
  CHECK(!getenv("ASIF_SHOW"));
  mem_close(&mem);
}
