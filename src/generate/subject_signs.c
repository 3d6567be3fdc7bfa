/* A non-zero indicator and a mailbox: objects that say whether something is there. */
#include <string.h>

#include "generate/subject.h"

struct signs {
  struct stepper object;
  bool *arrived; /* a thread: has arrived and not departed */
  bool seen;     /* the mailbox's owner saw a letter */
  uint32_t letters;
  uint16_t first, second, third; /* arrive, depart, query; deliver, check, remove */
};

static struct signs *open_signs(struct generator *g) {
  struct signs *s = g->state = mem_zero(g->mem, 1, sizeof *s);
  stepper_open(g, &s->object);
  return s;
}

static void open_snzi(struct generator *g) {
  struct signs *s = open_signs(g);
  s->arrived = mem_zero(g->mem, g->options->threads, sizeof *s->arrived);
  s->first = generate_method(g, "arrive");
  s->second = generate_method(g, "depart");
  s->third = generate_method(g, "query");
}

/* Threads arrive seldom enough that now and then nobody is there. */
static bool choose_snzi(struct generator *g, uint32_t thread, struct op *o) {
  struct signs *s = g->state;
  uint32_t what = random_below(g, 8);
  if (s->arrived[thread])
    o->method = what < 5 ? s->second : s->third;
  else
    o->method = what < 2 ? s->first : s->third;
  s->arrived[thread] = o->method == s->first || (o->method != s->second && s->arrived[thread]);
  return true;
}

static bool apply(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct signs *s = g->state;
  return stepper_apply(g, &s->object, o, result);
}

/* Who arrives must have: it departs later. */
static int pending_snzi(struct generator *g, const struct op *o) {
  struct signs *s = g->state;
  return o->method == s->first || random_below(g, 2);
}

static const struct bad_kind snzi_kinds[] = {{"wrong", "nobody is said to be there although one has arrived"},
                                             {NULL, NULL}};

static void plan_snzi(struct generator *g, const char *kind) {
  (void)kind;
  struct signs *s = g->state;
  /* Every depart of the others has an arrive of the same process before it, so they never take this one away; only
   * where their arrive is pending might they. */
  for (uint32_t i = 0; i <= g->options->pending; i++) generate_plan(g, s->first, V_NONE, V_NONE, V_NONE);
  generate_plan(g, s->third, V_NONE, V_NONE, V_FALSE);
}

/* The mailbox: the second thread owns it, the others deliver; a single thread does both. */

static void open_mailbox(struct generator *g) {
  struct signs *s = open_signs(g);
  s->first = generate_method(g, "deliver");
  s->second = generate_method(g, "check");
  s->third = generate_method(g, "remove");
}

static bool choose_mailbox(struct generator *g, uint32_t thread, struct op *o) {
  struct signs *s = g->state;
  bool owner = g->options->threads == 1 ? random_below(g, 2) : thread == 1;
  if (!owner && s->letters > 8 && random_below(g, 8)) return false;
  o->method = !owner ? s->first : s->seen ? s->third : s->second;
  s->seen = s->seen && !owner;
  return true;
}

static bool apply_mailbox(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  struct signs *s = g->state;
  if (!apply(g, thread, o, result)) return false;
  if (o->method == s->second) s->seen = *result == V_TRUE;
  s->letters += o->method == s->first;
  s->letters -= o->method == s->third;
  return true;
}

/* A check that takes effect but does not return tells its caller nothing; a remove must not be repeated. */
static int pending_mailbox(struct generator *g, const struct op *o) {
  struct signs *s = g->state;
  return o->method == s->second ? 0 : o->method == s->third ? 1 : (int)random_below(g, 2);
}

static const struct bad_kind mailbox_kinds[] = {
    {"wrong", "a check sees no letter although one was delivered and none removed since"},
    {"unchecked", "letters are removed without a check"},
    {NULL, NULL},
};

static void plan_mailbox(struct generator *g, const char *kind) {
  struct signs *s = g->state;
  uint32_t spare = g->options->pending;
  g->alone = true;
  if (!strcmp(kind, "wrong")) {
    for (uint32_t i = 0; i <= spare; i++) generate_plan(g, s->first, V_NONE, V_NONE, V_NONE);
    generate_plan(g, s->second, V_NONE, V_NONE, V_FALSE);
  } else { /* the first may have been checked, and each pending check may stand for one more */
    for (uint32_t i = 0; i < spare + 2; i++) generate_plan(g, s->third, V_NONE, V_NONE, V_NONE);
  }
}

const struct subject subject_snzi = {.families = 1u << FAMILY_SNZI,
                                     .kinds = snzi_kinds,
                                     .open = open_snzi,
                                     .choose = choose_snzi,
                                     .apply = apply,
                                     .plan = plan_snzi,
                                     .pending = pending_snzi};
const struct subject subject_mailbox = {.families = 1u << FAMILY_MAILBOX,
                                        .kinds = mailbox_kinds,
                                        .open = open_mailbox,
                                        .choose = choose_mailbox,
                                        .apply = apply_mailbox,
                                        .plan = plan_mailbox,
                                        .pending = pending_mailbox};
