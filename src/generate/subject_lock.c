/* Locks, readers-writer locks and semaphores, run by their specifications.
 *
 * A thread that holds gives back before it takes again. An operation may have to wait for another thread to give back,
 * so as many calls are kept in reserve as there are threads that hold or may come to: nobody waits for ever. */
#include <string.h>

#include "generate/subject.h"

struct locks {
  struct stepper object;
  unsigned char *holds;      /* a thread: 0, or 1 + the method it took it with */
  uint32_t holders, trying;  /* threads that hold; operations under way that may come to */
  uint16_t take[6], give[6]; /* the ways to take it, and the way to give each back */
  unsigned ways;
};

static struct locks *open_locks(struct generator *g) {
  struct locks *l = g->state = mem_zero(g->mem, 1, sizeof *l);
  l->holds = mem_zero(g->mem, g->options->threads, 1);
  stepper_open(g, &l->object);
  return l;
}

static void way(struct generator *g, const char *take, const char *give) {
  struct locks *l = g->state;
  l->take[l->ways] = generate_method(g, take);
  l->give[l->ways++] = generate_method(g, give);
}

static void open_lock(struct generator *g) {
  open_locks(g);
  way(g, "acquire", "release");
  way(g, "try", "release");
}

static void open_rw_lock(struct generator *g) {
  open_locks(g);
  way(g, "read-lock", "read-unlock");
  way(g, "write-lock", "write-unlock");
  way(g, "try-read", "unlock");
  way(g, "try-write", "unlock");
}

/* Upgradable: the thread that holds it so becomes the writer, and a writer a reader. */
enum { WAY_READ, WAY_WRITE, WAY_UPGRADABLE = 4 };

static void open_upgrade_lock(struct generator *g) {
  open_rw_lock(g);
  way(g, "upgradable-lock", "upgradable-unlock");
  way(g, "try-upgradable", "unlock");
}

/* What a thread that holds it may do instead of giving it back, as long as there is a call left for that; one that
 * never returns would leave it held for ever. */
static bool choose_turn(struct generator *g, struct locks *l, uint32_t thread, struct op *o) {
  unsigned holds = l->holds[thread] - 1u;
  bool upgradable = holds >= WAY_UPGRADABLE, writes = holds == WAY_WRITE;
  if (g->subject != &subject_upgrade_lock || g->draining || g->options->pending || random_below(g, 2)) return false;
  if ((!upgradable && !writes) || g->left < l->holders + l->trying + 2) return false;
  o->method = generate_method(g, upgradable ? "upgrade" : "downgrade");
  return true;
}

static bool applied_turn(struct generator *g, struct locks *l, uint32_t thread, const struct op *o) {
  if (g->subject != &subject_upgrade_lock) return false;
  bool up = o->method == generate_method(g, "upgrade");
  if (!up && o->method != generate_method(g, "downgrade")) return false;
  l->holds[thread] = (unsigned char)(1 + (up ? WAY_WRITE : WAY_READ));
  return true;
}

static int way_of(const struct locks *l, uint16_t method) {
  for (unsigned i = 0; i < l->ways; i++)
    if (l->take[i] == method) return (int)i;
  return -1;
}

static bool choose(struct generator *g, uint32_t thread, struct op *o) {
  struct locks *l = g->state;
  if (l->holds[thread]) {
    if (choose_turn(g, l, thread, o)) return true;
    o->method = l->give[l->holds[thread] - 1];
    return true;
  }
  uint32_t owed = l->holders + l->trying;
  if (g->draining || (owed && g->left < owed + 2)) return false;
  if (g->spec->k == 0 && g->subject == &subject_semaphore && !owed) { /* no permits at first: somebody must give some */
    o->method = l->give[0];
    return true;
  }
  o->method = l->take[random_below(g, l->ways)];
  l->trying++;
  return true;
}

static bool apply(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  struct locks *l = g->state;
  if (!stepper_apply(g, &l->object, o, result)) return false;
  if (applied_turn(g, l, thread, o)) return true;
  int w = way_of(l, o->method);
  if (w >= 0) {
    l->trying--;
    if (*result == V_FALSE) return true;
    l->holds[thread] = (unsigned char)(w + 1);
    l->holders++;
  } else if (l->holds[thread]) {
    l->holds[thread] = 0;
    l->holders--;
  }
  return true;
}

/* Taken and never given back would stop everybody: one that never returns did not take it; and did give it back. */
static int pending(struct generator *g, const struct op *o) {
  struct locks *l = g->state;
  if (way_of(l, o->method) < 0) return 1;
  l->trying--;
  return 0;
}

static const struct bad_kind lock_kinds[] = {
    {"double", "two processes hold it at the same time"},
    {"unheld", "a process gives back what it does not hold"},
    {NULL, NULL},
};

static void plan_lock(struct generator *g, const char *kind) {
  struct locks *l = g->state;
  bool twice = !strcmp(kind, "double");
  uint32_t w = g->subject != &subject_lock ? WAY_WRITE : 0;
  if (twice) generate_plan(g, l->take[w], V_NONE, V_NONE, V_NONE);
  generate_plan(g, twice ? l->take[w] : l->give[w], V_NONE, V_NONE, V_NONE);
  generate_planned(g)->other = true;
}

/* A semaphore: more is taken than there is, while nothing but pending operations is open. */
static const struct bad_kind semaphore_kinds[] = {{"over", "more permits are taken than there are"}, {NULL, NULL}};

static void plan_semaphore(struct generator *g, const char *kind) {
  (void)kind;
  struct locks *l = g->state;
  g->alone = true;
  generate_plan(g, l->take[0], V_NONE, V_NONE, V_NONE);
  generate_planned(g)->late = true;
}

static void adapt_semaphore(struct generator *g, struct planned *p) {
  struct locks *l = g->state;
  int64_t permits;
  memcpy(&permits, outcomes_state(&l->object.now, 0).at, sizeof permits);
  p->op.arg[0] = value_int(g->history->values, permits + 1);
}

const struct subject subject_lock = {.families = 1u << FAMILY_LOCK,
                                     .kinds = lock_kinds,
                                     .open = open_lock,
                                     .choose = choose,
                                     .apply = apply,
                                     .plan = plan_lock,
                                     .waits = true,
                                     .pending = pending};
const struct subject subject_rw_lock = {.families = 1u << FAMILY_RW_LOCK,
                                        .kinds = lock_kinds,
                                        .open = open_rw_lock,
                                        .choose = choose,
                                        .apply = apply,
                                        .plan = plan_lock,
                                        .waits = true,
                                        .pending = pending};
const struct subject subject_semaphore = {.families = 1u << FAMILY_SEMAPHORE,
                                          .kinds = semaphore_kinds,
                                          .open = open_lock,
                                          .choose = choose,
                                          .apply = apply,
                                          .plan = plan_semaphore,
                                          .adapt = adapt_semaphore,
                                          .waits = true,
                                          .pending = pending};
const struct subject subject_upgrade_lock = {.families = 1u << FAMILY_UPGRADE_LOCK,
                                             .kinds = lock_kinds,
                                             .open = open_upgrade_lock,
                                             .choose = choose,
                                             .apply = apply,
                                             .plan = plan_lock,
                                             .waits = true,
                                             .pending = pending};
