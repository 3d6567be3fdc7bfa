/* Formulas: the product of the state graph with the automaton of the negated formula, and a search for a fair accepting
 * lasso (Vardi and Wolper 1986). A move of several events is several letters, read by the automaton at once: a
 * transition of the product has the marks of all of them. */
#include <string.h>

#include "base/hash.h"
#include "verify/buchi.h"
#include "verify/liveness.h"

#define NO_LIST UINT32_MAX

/* A label of the product: a label of the graph and the marks the automaton got by it. */
struct product_label {
  uint32_t label;
  uint32_t next; /* of the same label of the graph: + 1, 0 for none */
  uint64_t marks;
};

/* What the automaton can do over the letters of a label. */
struct reading {
  uint32_t to;     /* its state */
  uint32_t marked; /* label of the product */
  uint64_t marks;
};

struct word {
  uint64_t letters[EVENTS_MOST];
  unsigned count;
  uint32_t labels; /* of the product, that have this word: the first + 1, then along `next` */
};

/* The formula. */
struct asked {
  struct ltl ltl;
  struct buchi *buchi;
};

/* The product with what there is of the graph. */
struct product {
  struct liveness *l;
  struct mem *mem;
  const struct ltl *ltl;
  struct buchi *buchi;
  /* Words of labels; one more, the last, is the empty letter of a run that has ended. */
  struct word *words;
  uint32_t words_count;
  /* Readings of automaton state s over word w: lists.at[s * words_count + w] is where its list begins in readings,
   * NO_LIST if it was not made; a list ends with a reading to UINT32_MAX. */
  VEC(uint32_t) lists;
  VEC(struct reading) readings, now, then;
  VEC(struct product_label) labels;
  /* Nodes: pairs of a node of the graph and a state of the automaton. */
  VEC(uint32_t) state, automaton, parent;
  uint32_t *table, mask; /* node + 1; open addressing */
  VEC(size_t) first;
  struct edges edges;
};

/* Words. */

static void make_words(struct product *p) {
  const struct graph *g = &p->l->graph;
  p->words_count = (uint32_t)g->labels.count + 1;
  p->words = mem_zero(p->mem, p->words_count, sizeof *p->words);
  for (uint32_t i = 0; i < p->words_count; i++) {
    const struct graph_label *label = i < g->labels.count ? &g->labels.at[i] : NULL;
    struct word *w = &p->words[i];
    w->count = label && label->count ? label->count : 1;
    for (unsigned k = 0; label && k < label->count; k++)
      w->letters[k] = ltl_letter(p->ltl, p->l->names, &label->events[k]);
  }
}

/* Says which propositions are never true: perhaps not what was meant. */
static void note_idle(struct product *p) {
  uint64_t seen = 0;
  struct text t;
  for (uint32_t i = 0; i < p->words_count; i++)
    for (unsigned k = 0; k < p->words[i].count; k++) seen |= p->words[i].letters[k];
  text_open(&t, p->mem);
  for (unsigned i = 0; i < p->ltl->proposition_count; i++)
    if (!(seen >> i & 1)) text_printf(&t, "%s%s", t.count ? ", " : "", p->ltl->propositions[i].text);
  if (t.count) snprintf(p->l->result->note, sizeof p->l->result->note, "never true in any run: %s", text_string(&t));
}

/* Readings. */

static void add_reading(struct product *p, uint32_t to, uint64_t marks) {
  for (size_t i = 0; i < p->then.count; i++)
    if (p->then.at[i].to == to && (marks & ~p->then.at[i].marks) == 0) return;
  vec_push(p->mem, &p->then, ((struct reading){to, 0, marks}));
}

/* Lets the automaton read a letter: from the readings in `now` to those in `then`, which become the new `now`. */
static void read_letter(struct product *p, uint64_t letter) {
  p->then.count = 0;
  for (size_t i = 0; i < p->now.count; i++) {
    size_t count;
    const struct buchi_move *moves = buchi_moves(p->buchi, p->now.at[i].to, &count);
    for (size_t k = 0; k < count; k++)
      if (!(moves[k].with & ~letter) && !(moves[k].without & letter))
        add_reading(p, buchi_state(p->buchi, moves[k].next), p->now.at[i].marks | moves[k].marks);
  }
  p->now.count = 0;
  for (size_t i = 0; i < p->then.count; i++) vec_push(p->mem, &p->now, p->then.at[i]);
}

static uint32_t label_of(struct product *p, uint32_t label, uint64_t marks) {
  uint32_t *first = &p->words[label].labels;
  for (uint32_t i = *first; i; i = p->labels.at[i - 1].next)
    if (p->labels.at[i - 1].marks == marks) return i - 1;
  vec_push(p->mem, &p->labels, ((struct product_label){label, *first, marks}));
  *first = (uint32_t)p->labels.count;
  return *first - 1;
}

/* Where the list of readings over a word begins. */
static uint32_t readings(struct product *p, uint32_t automaton, uint32_t word) {
  size_t at = (size_t)automaton * p->words_count + word;
  while (p->lists.count <= at) vec_push(p->mem, &p->lists, NO_LIST);
  if (p->lists.at[at] != NO_LIST) return p->lists.at[at];
  p->now.count = 0;
  vec_push(p->mem, &p->now, ((struct reading){automaton, 0, 0}));
  for (unsigned i = 0; i < p->words[word].count; i++) read_letter(p, p->words[word].letters[i]);
  uint32_t begin = p->lists.at[at] = (uint32_t)p->readings.count;
  for (size_t i = 0; i < p->now.count; i++) {
    struct reading r = p->now.at[i];
    r.marked = label_of(p, word, r.marks);
    vec_push(p->mem, &p->readings, r);
  }
  vec_push(p->mem, &p->readings, ((struct reading){.to = UINT32_MAX}));
  return begin;
}

/* Nodes. */

static uint32_t place_of(const struct product *p, uint32_t state, uint32_t automaton) {
  return (uint32_t)hash_mix((uint64_t)automaton << 32 | state) & p->mask;
}

static void grow_table(struct product *p) {
  mem_free(p->mem, p->table);
  if (p->mask == UINT32_MAX)
    mem_zero(p->mem, SIZE_MAX, 1); /* more nodes than have numbers: more than there is memory for */
  p->mask = p->mask * 2 + 1;
  p->table = mem_zero(p->mem, (size_t)p->mask + 1, sizeof *p->table);
  for (uint32_t i = 0; i < p->state.count; i++) {
    uint32_t h = place_of(p, p->state.at[i], p->automaton.at[i]);
    while (p->table[h]) h = (h + 1) & p->mask;
    p->table[h] = i + 1;
  }
}

static uint32_t node_of(struct product *p, uint32_t state, uint32_t automaton, uint32_t parent) {
  if (p->state.count >= p->mask - p->mask / 3) grow_table(p);
  uint32_t h = place_of(p, state, automaton);
  for (; p->table[h]; h = (h + 1) & p->mask) {
    uint32_t i = p->table[h] - 1;
    if (p->state.at[i] == state && p->automaton.at[i] == automaton) return i;
  }
  vec_push(p->mem, &p->state, state);
  vec_push(p->mem, &p->automaton, automaton);
  vec_push(p->mem, &p->parent, parent);
  p->table[h] = (uint32_t)p->state.count;
  return p->table[h] - 1;
}

static void add_edges(struct product *p, uint32_t node, uint32_t to, uint32_t word) {
  for (uint32_t r = readings(p, p->automaton.at[node], word); p->readings.at[r].to != UINT32_MAX; r++) {
    struct graph_edge e = {node_of(p, to, p->readings.at[r].to, node), p->readings.at[r].marked};
    vec_push(p->mem, &p->edges, e);
  }
}

static void expand(struct product *p, uint32_t node) {
  const struct graph *g = &p->l->graph;
  uint32_t s = p->state.at[node];
  for (size_t e = g->first.at[s]; e < g->first.at[s + 1]; e++)
    if (g->edges.at[e].to < g->expanded) add_edges(p, node, g->edges.at[e].to, g->edges.at[e].label);
  if (g->first.at[s] == g->first.at[s + 1]) add_edges(p, node, s, p->words_count - 1);
  vec_push(p->mem, &p->first, p->edges.count);
}

static void build(struct product *p) {
  p->mask = 1023;
  p->table = mem_zero(p->mem, (size_t)p->mask + 1, sizeof *p->table);
  vec_push(p->mem, &p->first, 0);
  node_of(p, 0, 0, 0);
  for (uint32_t i = 0; i < p->state.count; i++) {
    if (i % 256 == 0) mem_poll(p->mem);
    expand(p, i);
    p->l->result->product = p->state.count;
    p->l->result->automaton = buchi_count(p->buchi);
  }
  mem_free(p->mem, p->table);
}

/* The answer. */

static void find(struct product *p, struct lasso *found) {
  struct graph *g = &p->l->graph;
  uint8_t *thread = mem_alloc(p->mem, p->labels.count + 1);
  uint64_t *marks = mem_alloc(p->mem, (p->labels.count + 1) * sizeof *marks);
  for (size_t i = 0; i < p->labels.count; i++) {
    uint32_t label = p->labels.at[i].label;
    thread[i] = label < g->labels.count ? g->labels.at[label].thread : NO_THREAD;
    marks[i] = p->labels.at[i].marks;
  }
  struct question q = {.count = (uint32_t)p->state.count,
                       .first = p->first.at,
                       .edges = p->edges.at,
                       .parent = p->parent.at,
                       .state = p->state.at,
                       .thread = thread,
                       .marks = marks,
                       .all = buchi_marks(p->buchi),
                       .fairness = p->l->fairness,
                       .enabled = g->enabled.at,
                       .held = g->held.at};
  lasso_find(p->mem, &q, found);
}

/* Edges of the product as edges of the graph, without the empty letters after a run's end. */
static void project(struct product *p, const struct edges *from, struct edges *to) {
  for (size_t i = 0; i < from->count; i++) {
    struct graph_edge e = {p->state.at[from->at[i].to], p->labels.at[from->at[i].label].label};
    if (e.label < p->l->graph.labels.count) vec_push(p->mem, to, e);
  }
}

/* Threads inside operations that do not return in the loop, or at the end of the run. */
static uint16_t stuck_threads(const struct liveness *l, uint32_t node, const struct edges *loop) {
  uint16_t stuck = l->graph.open.at[node];
  for (size_t i = 0; i < loop->count; i++) {
    const struct graph_label *label = &l->graph.labels.at[loop->at[i].label];
    for (unsigned k = 0; k < label->count; k++)
      if (label->events[k].kind == EVENT_RETURN) stuck &= (uint16_t) ~(1u << label->events[k].thread);
  }
  return stuck;
}

static bool violated(struct product *p, const struct lasso *found) {
  struct liveness *l = p->l;
  struct edges stem = {0}, loop = {0};
  uint32_t node = p->state.at[found->from];
  struct text t;
  project(p, &found->stem, &stem);
  project(p, &found->loop, &loop);
  if (!liveness_violated(l, &stem, &loop)) return false;
  uint16_t stuck = stuck_threads(l, node, &loop);
  if (stuck) l->result->stuck = first_thread(stuck);
  l->result->waits = stuck && !loop.count && l->graph.waits.at[node] >> l->result->stuck & 1;
  text_open(&t, p->mem);
  text_add(&t, loop.count                ? "the formula is false of a run that repeats its loop for ever"
               : l->graph.waits.at[node] ? "the formula is false of a run that ends where no thread can move"
                                         : "the formula is false of a run that ends where all threads have stopped");
  if (stuck) text_add(&t, ": ");
  liveness_print_threads(l, node, stuck, &t);
  if (stuck) text_add(&t, " for ever");
  snprintf(l->result->reason, sizeof l->result->reason, "%s", text_string(&t));
  return true;
}

/* Before the graph is built, so that what is wrong with a formula is said at once. */
static bool prepare(struct liveness *l) {
  struct mem *m = &l->scratch;
  l->asked = mem_zero(m, 1, sizeof *l->asked);
  return ltl_parse(m, l->formula, l->system->threads, l->names, &l->asked->ltl, l->problem) &&
         buchi_open(m, &l->asked->ltl, &l->asked->buchi, l->problem);
}

static bool decide(struct liveness *l) {
  struct product p = {.l = l, .mem = l->part, .ltl = &l->asked->ltl, .buchi = l->asked->buchi};
  struct lasso found;
  make_words(&p);
  if (graph_complete(&l->graph)) note_idle(&p);
  build(&p);
  find(&p, &found);
  return !found.found || violated(&p, &found);
}

bool ltl_check(struct mem *m, struct system *system, const char *formula, enum fairness fairness,
               const struct ltl_names *names, struct limits *limits, struct liveness_result *result,
               struct problem *problem) {
  struct liveness l = {
      .mem = m, .system = system, .names = names, .limits = limits, .result = result, .problem = problem};
  l.formula = formula;
  l.fairness = fairness;
  return liveness_decide(&l, prepare, decide);
}
