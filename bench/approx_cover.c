/* Figure 6: how many of the violations of a queue that reorders are covered by A_k.
 *
 * A queue that reorders (reordering_queue.c), with i enqs and j deqs, one a thread, under all schedules of up to DELAYS
 * delays, or as many of them as there are in SECONDS. Of the distinct histories those that the exact checker rejects
 * are the violations. One, h, is covered by A_k if A_k(h') is a violation for some history h' that was met, and is
 * weaker than h (section 9.1). */
#include <stdlib.h>
#include <string.h>

#include "approx.h"
#include "base/hash.h"

enum { MOST = 4, OPS = 2 * MOST, DELAYS = 5, K_MOST = 4, LEAST = 1000, DEQ = 16, SECONDS = 12 };

/* A history of complete operations: sorted by label and interval; those of one label are interchangeable. */
struct seen {
  uint8_t label[OPS], from[OPS],
      to[OPS]; /* label: the value of an enq, or DEQ and what the deq returned, 0 for empty */
};

struct set {
  struct seen *at;
  size_t count, room;
  uint32_t *slots;
  size_t mask;
};

static void set_open(struct set *s) {
  *s = (struct set){.mask = 1023};
  s->slots = calloc(s->mask + 1, sizeof *s->slots);
}

static void set_close(struct set *s) {
  free(s->at);
  free(s->slots);
}

static void set_grow(struct set *s) {
  free(s->slots);
  s->mask = s->mask * 2 + 1;
  s->slots = calloc(s->mask + 1, sizeof *s->slots);
  for (size_t k = 0; k < s->count; k++) {
    size_t i = hash_bytes(&s->at[k], sizeof *s->at) & s->mask;
    while (s->slots[i]) i = (i + 1) & s->mask;
    s->slots[i] = (uint32_t)k + 1;
  }
}

static void set_add(struct set *s, const struct seen *h) {
  size_t i = hash_bytes(h, sizeof *h) & s->mask;
  for (; s->slots[i]; i = (i + 1) & s->mask)
    if (!memcmp(&s->at[s->slots[i] - 1], h, sizeof *h)) return;
  if (s->count == s->room) s->at = realloc(s->at, (s->room = s->room ? 2 * s->room : 256) * sizeof *s->at);
  s->at[s->count++] = *h;
  s->slots[i] = (uint32_t)s->count;
  if (s->count * 2 > s->mask) set_grow(s);
}

static void sort(struct seen *h, unsigned ops) {
  for (unsigned i = 1; i < ops; i++)
    for (unsigned k = i; k > 0; k--) {
      unsigned a = h->label[k - 1] << 16 | h->from[k - 1] << 8 | h->to[k - 1],
               b = h->label[k] << 16 | h->from[k] << 8 | h->to[k];
      if (a <= b) break;
      uint8_t x;
      x = h->label[k], h->label[k] = h->label[k - 1], h->label[k - 1] = x;
      x = h->from[k], h->from[k] = h->from[k - 1], h->from[k - 1] = x;
      x = h->to[k], h->to[k] = h->to[k - 1], h->to[k - 1] = x;
    }
}

struct covering {
  struct bench_object *object;
  struct set met;
  unsigned ops;
  uint64_t given_up;
};

/* The canonical intervals, by Algorithm 1. */
static enum visit meet(void *self, const struct run *r) {
  struct covering *c = self;
  struct seen h = {{0}, {0}, {0}};
  unsigned n = 0, returns = 0;
  bool returned = false;
  if (r->found) {
    c->given_up++;
    return VISIT_ON;
  }
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    const struct call *call = &r->client->calls[m->call];
    if (!m->is_return) {
      n += returned;
      h.from[m->call] = (uint8_t)n;
      returned = false;
      continue;
    }
    h.to[m->call] = (uint8_t)n;
    bool deq = c->object->object.ops[call->op].arg_count == 0;
    h.label[m->call] = (uint8_t)(!deq ? call->arg[0] : DEQ + (m->result > 0 ? m->result : 0));
    returned = true;
    returns++;
  }
  if (returns < c->ops) {
    c->given_up++;
    return VISIT_ON;
  }
  sort(&h, c->ops);
  set_add(&c->met, &h);
  return VISIT_ON;
}

/* The exact checker's word. */
static bool violates(const struct seen *h, unsigned ops) {
  struct mem m;
  struct spec spec;
  struct problem why = {.text = ""};
  struct limits limits;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  struct check_result result;
  mem_open(&m, NULL);
  limits_start(&limits, 0, 0);
  struct history *x = history_new(&m, "figure 6");
  if (!spec_named("queue", &spec, &why)) abort();
  names_intern(x->objects, "q", 1);
  names_intern(x->methods, "enq", 3);
  names_intern(x->methods, "deq", 3);
  for (unsigned i = 0; i < ops; i++) {
    bool deq = h->label[i] >= DEQ;
    value arg[OP_ARGS] = {deq ? V_NONE : value_of_small(h->label[i]), V_NONE, V_NONE};
    value result_of = !deq ? V_NONE : h->label[i] == DEQ ? V_EMPTY : value_of_small(h->label[i] - DEQ);
    char name[2] = {(char)('A' + i), 0};
    uint32_t process = names_intern(x->processes, name, 1);
    history_interval(x, process, 0, deq, arg, OP_ARGS, result_of, 2 * h->from[i], 2 * h->to[i] + 1, 0);
  }
  history_finish(x);
  spec.values = x->values;
  if (!check_history(&m, x, &spec, &options, &limits, &result, &why)) {
    fprintf(stderr, "%s\n", why.text);
    exit(1);
  }
  mem_close(&m);
  return result.verdict == VERDICT_VIOLATED;
}

/* Lemma 6.5. */
static struct seen approximated(const struct seen *h, unsigned ops, unsigned k) {
  struct seen a = *h;
  unsigned n = 0;
  for (unsigned i = 0; i < ops; i++) n = h->from[i] > n ? h->from[i] : n;
  unsigned lost = n > k ? n - k : 0;
  for (unsigned i = 0; i < ops; i++) {
    a.from[i] = h->from[i] > lost ? (uint8_t)(h->from[i] - lost) : 0;
    a.to[i] = h->to[i] > lost ? (uint8_t)(h->to[i] - lost) : 0;
  }
  sort(&a, ops);
  return a;
}

/* Is a weaker than b, with operation i of a taken as map[i] of b? All are complete, and have the same labels. */
static bool fits(const struct seen *a, const struct seen *b, const uint8_t *map, unsigned ops) {
  for (unsigned i = 0; i < ops; i++)
    for (unsigned j = 0; j < ops; j++)
      if (a->to[i] < a->from[j] && b->to[map[i]] >= b->from[map[j]]) return false;
  return true;
}

/* Operations of one label are tried in every order. */
static bool some_map(const struct seen *a, const struct seen *b, uint8_t *map, unsigned used, unsigned at,
                     unsigned ops) {
  if (at == ops) return fits(a, b, map, ops);
  for (unsigned i = 0; i < ops; i++) {
    if (used >> i & 1 || b->label[i] != a->label[at]) continue;
    map[at] = (uint8_t)i;
    if (some_map(a, b, map, used | 1u << i, at + 1, ops)) return true;
  }
  return false;
}

static bool weaker(const struct seen *a, const struct seen *b, unsigned ops) {
  uint8_t map[OPS];
  return !memcmp(a->label, b->label, ops) && some_map(a, b, map, 0, 0, ops);
}

/* Which of the violations does A_k cover? */
static size_t covered(const struct covering *c, const struct set *violations, unsigned k) {
  struct set approximations, wrong;
  size_t count = 0;
  set_open(&approximations);
  set_open(&wrong);
  for (size_t i = 0; i < c->met.count; i++) {
    struct seen a = approximated(&c->met.at[i], c->ops, k);
    set_add(&approximations, &a);
  }
  for (size_t i = 0; i < approximations.count; i++)
    if (violates(&approximations.at[i], c->ops)) set_add(&wrong, &approximations.at[i]);
  for (size_t i = 0; i < violations->count; i++) {
    bool found = false;
    for (size_t w = 0; w < wrong.count && !found; w++) found = weaker(&wrong.at[w], &violations->at[i], c->ops);
    count += found;
  }
  set_close(&approximations);
  set_close(&wrong);
  return count;
}

struct point {
  unsigned enqs, deqs;
  uint64_t schedules, given_up;
  size_t histories, violations, covered[K_MOST + 1];
  bool whole;
};

static void measure(struct bench_object *o, struct point *p) {
  struct covering c = {.object = o, .ops = p->enqs + p->deqs};
  struct client client;
  struct explore_options options = {.strategy = &strategies[EXPLORE_DELAYS], .bound = DELAYS};
  struct explore_counts counts = {0};
  struct limits limits;
  struct problem why = {.text = ""};
  struct set violations;
  set_open(&c.met);
  set_open(&violations);
  bench_client(o, &client, p->enqs, p->deqs);
  limits_start(&limits, SECONDS, 0);
  if (!explore(&client, &options, NULL, &limits, meet, &c, &counts, &why)) {
    fprintf(stderr, "%s\n", why.text);
    exit(1);
  }
  for (size_t i = 0; i < c.met.count; i++)
    if (violates(&c.met.at[i], c.ops)) set_add(&violations, &c.met.at[i]);
  p->schedules = counts.schedules;
  p->given_up = c.given_up;
  p->whole = !limits.reached;
  p->histories = c.met.count;
  p->violations = violations.count;
  for (unsigned k = 0; k <= K_MOST; k++) p->covered[k] = violations.count ? covered(&c, &violations, k) : 0;
  set_close(&c.met);
  set_close(&violations);
}

static int by_density(const void *a, const void *b) {
  const struct point *x = a, *y = b;
  double p = (double)x->schedules / (x->enqs + x->deqs), q = (double)y->schedules / (y->enqs + y->deqs);
  return (p > q) - (p < q);
}

static void draw(const struct point *points, unsigned count) {
  static struct plot plot = {.title = "Figure 6: violations covered by A_k (a queue that reorders)",
                             .x_title = "enqs x deqs, by schedules over operations",
                             .y_title = "histories",
                             .series = K_MOST + 3,
                             .name = {"histories", "violations", "covered, k = 0", "covered, k = 1", "covered, k = 2",
                                      "covered, k = 3", "covered, k = 4"}};
  for (unsigned i = 0; i < count && plot.points < PLOT_POINTS; i++) {
    unsigned x = plot.points;
    if (points[i].schedules < LEAST) continue;
    snprintf(plot.label[x], sizeof plot.label[x], "%ux%u", points[i].enqs, points[i].deqs);
    plot.at[0][x] = (double)points[i].histories;
    plot.at[1][x] = (double)points[i].violations;
    for (unsigned k = 0; k <= K_MOST; k++) plot.at[2 + k][x] = (double)points[i].covered[k];
    plot.points++;
  }
  plot_write(&plot, "bench/results/approx-fig6.svg");
}

bool bench_cover(FILE *all) {
  static struct bench_object o;
  struct point points[MOST * MOST];
  unsigned count = 0;
  uint64_t violations = 0, by_4 = 0;
  bool rising = true;
  bench_object_open(&o, "bench/reordering_queue.c", "-DVALUES=4", "queue");
  for (unsigned i = 1; i <= MOST; i++)
    for (unsigned j = 1; j <= MOST; j++) {
      points[count] = (struct point){.enqs = i, .deqs = j};
      measure(&o, &points[count++]);
    }
  qsort(points, count, sizeof *points, by_density);
  FILE *f =
      bench_table("approx-fig6",
                  "a queue that reorders within segments of 2 (bench/reordering_queue.c), one operation a thread, all "
                  "schedules of up to 5 delays; covered_k: violations h with A_k(h') "
                  "a violation and weaker than h for some history h' that was met; given_up: runs that did not end",
                  "enqs\tdeqs\tschedules\thistories\tviolations\tcovered_0\tcovered_1\tcovered_2\tcovered_3\tcovered_"
                  "4\tgiven_up\tall_schedules");
  printf("Figure 6: enqs x deqs, schedules, histories, violations, covered by A_0 .. A_4\n");
  for (unsigned i = 0; i < count; i++) {
    const struct point *p = &points[i];
    printf("  %ux%u %9llu %8zu %8zu ", p->enqs, p->deqs, (unsigned long long)p->schedules, p->histories, p->violations);
    if (f)
      fprintf(f, "%u\t%u\t%llu\t%zu\t%zu", p->enqs, p->deqs, (unsigned long long)p->schedules, p->histories,
              p->violations);
    for (unsigned k = 0; k <= K_MOST; k++) {
      printf(" %7zu", p->covered[k]);
      if (f) fprintf(f, "\t%zu", p->covered[k]);
      rising &= !k || p->covered[k] >= p->covered[k - 1];
    }
    printf("\n");
    if (f) fprintf(f, "\t%llu\t%s\n", (unsigned long long)p->given_up, p->whole ? "yes" : "no");
    violations += p->violations;
    by_4 += p->covered[K_MOST];
  }
  if (f) fclose(f);
  if (bench_writes) draw(points, count);
  bool met = rising && violations && by_4 >= violations * 99 / 100;
  printf("  covered by A_4: %llu of %llu violations, bar 99 %%: %s\n\n", (unsigned long long)by_4,
         (unsigned long long)violations, met ? "met" : "NOT MET");
  if (all)
    fprintf(all, "figure 6\tviolations covered by A_4, of %llu\t%llu\tcount\t99 %%\t%s\n",
            (unsigned long long)violations, (unsigned long long)by_4, met ? "yes" : "no");
  return met;
}
