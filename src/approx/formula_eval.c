/* Evaluation of formulas over a counting (Bouajjani et al. 2015, Lemma 6.4): quantifiers go over the labels that occur,
 * so the time is polynomial for a fixed number of quantifiers. Parts of a formula are tried as soon as their variables
 * are bound, those that look at labels alone before those that count; a variable that is said to be of an operation
 * goes over that operation's labels only. */
#include <string.h>

#include "approx/formula.h"

enum { POLL_EVERY = 1 << 14 };

/* A label: of a variable, or one written out, which need not occur. */
struct label_ref {
  struct approx_label label;
  int64_t number; /* -1: it does not occur */
};

struct cell {
  int64_t number;
  value v;
  struct label_ref label;
};

struct formula_eval {
  struct mem *mem;
  const struct formula *f;
  const struct spec *spec;
  struct counting *c;
  unsigned k;
  uint32_t steps;
  struct cell frame[FORMULA_VARS]; /* of the violation that is told */
  bool tracing;
  VEC(uint32_t) witness; /* labels that matter, while tracing */
  /* The labels of each operation, in lists; made when first asked for. */
  bool listed;
  VEC(uint32_t) next;
  uint32_t *heads;
};

struct formula_eval *formula_eval_new(struct mem *m, const struct formula *f, const struct spec *spec,
                                      struct counting *c) {
  struct formula_eval *e = mem_zero(m, 1, sizeof *e);
  e->mem = m;
  e->f = f;
  e->spec = spec;
  e->c = c;
  e->k = counting_k(c);
  e->heads = mem_zero(m, spec->op_count + 1, sizeof *e->heads);
  return e;
}

static bool tell(struct formula_eval *, struct cell *, const struct node *);
static int64_t number_of(struct formula_eval *, struct cell *, const struct node *);
static value value_of(struct formula_eval *, struct cell *, const struct node *);
static struct label_ref label_of(struct formula_eval *, struct cell *, const struct node *);

static void step(struct formula_eval *e) {
  if (!(++e->steps % POLL_EVERY)) mem_poll(e->mem);
}

static void matters(struct formula_eval *e, int64_t label) {
  if (e->tracing && label >= 0) vec_push(e->mem, &e->witness, (uint32_t)label);
}

/* Calls. */

static void call_frame(struct formula_eval *e, struct cell *frame, const struct node *n, struct cell *inner) {
  for (uint32_t i = 0; i < n->kid_count; i++) {
    switch (n->definition->variables[i].kind) {
    case KIND_NUMBER: inner[i].number = number_of(e, frame, n->kids[i]); break;
    case KIND_VALUE: inner[i].v = value_of(e, frame, n->kids[i]); break;
    default: inner[i].label = label_of(e, frame, n->kids[i]);
    }
  }
}

/* Labels and values. */

static struct label_ref label_written(struct formula_eval *e, struct cell *frame, const struct node *n) {
  struct label_ref r = {
      .label = {.method = (uint16_t)n->method, .pending = n->pending, .result = n->pending ? V_UNKNOWN : V_NONE}};
  uint32_t args = n->kid_count - n->has_result;
  for (uint32_t i = 0; i < OP_ARGS; i++) r.label.arg[i] = i < args ? value_of(e, frame, n->kids[i]) : V_NONE;
  if (n->has_result) r.label.result = value_of(e, frame, n->kids[args]);
  if (r.label.result == V_NIL && e->spec->ops[n->method].result == RESULT_VALUE) r.label.result = V_EMPTY;
  r.number = counting_find(e->c, &r.label);
  matters(e, r.number);
  return r;
}

/* Functions of their own for calls: only they need room for a frame. */
#define OWN_FRAME __attribute__((noinline)) static

OWN_FRAME struct label_ref label_of_call(struct formula_eval *e, struct cell *frame, const struct node *n) {
  struct cell inner[FORMULA_VARS];
  call_frame(e, frame, n, inner);
  return label_of(e, inner, n->definition->body);
}

OWN_FRAME value value_of_call(struct formula_eval *e, struct cell *frame, const struct node *n) {
  struct cell inner[FORMULA_VARS];
  call_frame(e, frame, n, inner);
  return value_of(e, inner, n->definition->body);
}

OWN_FRAME int64_t number_of_call(struct formula_eval *e, struct cell *frame, const struct node *n) {
  struct cell inner[FORMULA_VARS];
  call_frame(e, frame, n, inner);
  return number_of(e, inner, n->definition->body);
}

OWN_FRAME bool tell_call(struct formula_eval *e, struct cell *frame, const struct node *n) {
  struct cell inner[FORMULA_VARS];
  call_frame(e, frame, n, inner);
  return tell(e, inner, n->definition->body);
}

static struct label_ref label_of(struct formula_eval *e, struct cell *frame, const struct node *n) {
  if (n->type == NODE_VAR) return frame[n->var].label;
  return n->type == NODE_LABEL ? label_written(e, frame, n) : label_of_call(e, frame, n);
}

static value value_of(struct formula_eval *e, struct cell *frame, const struct node *n) {
  switch (n->type) {
  case NODE_VAR: return frame[n->var].v;
  case NODE_ARG: return label_of(e, frame, n->kids[0]).label.arg[n->number - 1];
  case NODE_RESULT: return label_of(e, frame, n->kids[0]).label.result;
  case NODE_CALL: return value_of_call(e, frame, n);
  default: return n->special;
  }
}

/* Numbers. */

static int64_t clip(const struct formula_eval *e, int64_t i) { return i > (int64_t)e->k ? (int64_t)e->k : i; }

static int64_t count_exactly(struct formula_eval *e, int64_t label, int64_t i, int64_t j) {
  if (label < 0 || i < 0 || j < i || j > (int64_t)e->k) return 0;
  return (int64_t)counting_at(e->c, (uint32_t)label)[approx_interval(e->k, (unsigned)i, (unsigned)j)];
}

/* How many intervals meet [i, j]: those that begin by j and do not end before i. */
static int64_t count_meeting(struct formula_eval *e, int64_t label, int64_t i, int64_t j) {
  j = clip(e, j);
  if (i < 0) i = 0;
  if (label < 0 || j < i) return 0;
  const uint64_t *counts = counting_at(e->c, (uint32_t)label);
  uint64_t sum = 0;
  for (unsigned from = 0; from <= (unsigned)j; from++)
    for (unsigned to = from > (unsigned)i ? from : (unsigned)i; to <= e->k; to++)
      sum += counts[approx_interval(e->k, from, to)];
  return (int64_t)sum;
}

static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* The ranges of some, every and sum, from the given one on: calls for each choice; stops when it says so. */
static bool each_number(struct formula_eval *e, struct cell *frame, const struct node *n, uint32_t range,
                        bool (*call)(struct formula_eval *, struct cell *, const struct node *, int64_t *),
                        int64_t *sum) {
  if (range == n->vars) return call(e, frame, n->kids[n->kid_count - 1], sum);
  int64_t to = number_of(e, frame, n->kids[2 * range + 1]);
  for (int64_t i = number_of(e, frame, n->kids[2 * range]); i <= to; i++) {
    step(e);
    frame[n->var + range].number = i;
    if (each_number(e, frame, n, range + 1, call, sum)) return true;
    if (i == INT64_MAX) break;
  }
  return false;
}

static bool add_number(struct formula_eval *e, struct cell *frame, const struct node *n, int64_t *sum) {
  *sum = plus(*sum, number_of(e, frame, n));
  return false;
}

static int64_t count_labels(struct formula_eval *, struct cell *, const struct node *);

static int64_t number_of(struct formula_eval *e, struct cell *frame, const struct node *n) {
  int64_t a, b;
  switch (n->type) {
  case NODE_INT: return n->number;
  case NODE_K: return e->k;
  case NODE_VAR: return frame[n->var].number;
  case NODE_ADD: a = number_of(e, frame, n->kids[0]); return plus(a, number_of(e, frame, n->kids[1]));
  case NODE_SUB: a = number_of(e, frame, n->kids[0]); return plus(a, plus(~number_of(e, frame, n->kids[1]), 1));
  case NODE_SUM:
    a = 0;
    each_number(e, frame, n, 0, add_number, &a);
    return a;
  case NODE_COUNT: return count_labels(e, frame, n);
  case NODE_CALL: return number_of_call(e, frame, n);
  default:
    a = number_of(e, frame, n->kids[1]);
    b = number_of(e, frame, n->kids[2]);
    return (n->type == NODE_HASH ? count_exactly : count_meeting)(e, label_of(e, frame, n->kids[0]).number, a, b);
  }
}

/* Quantifiers over labels. */

static void list_labels(struct formula_eval *e) {
  if (e->listed) return;
  e->listed = true;
  memset(e->heads, 0, e->spec->op_count * sizeof *e->heads);
  uint32_t count = counting_labels(e->c);
  vec_reserve(e->mem, &e->next, count);
  for (uint32_t l = count; l-- > 0;) {
    if (!counting_occurs(e->c, l)) continue;
    uint32_t *head = &e->heads[counting_label(e->c, l).method];
    e->next.at[l] = *head;
    *head = l + 1;
  }
}

/* The next label after `last` (-1 for the first) that the variable may be, or -1. */
static int64_t next_label(struct formula_eval *e, int method, int64_t last) {
  if (method >= 0) {
    list_labels(e);
    return (int64_t)(last < 0 ? e->heads[method] : e->next.at[last]) - 1;
  }
  int64_t count = counting_labels(e->c);
  for (last++; last < count; last++)
    if (counting_occurs(e->c, (uint32_t)last)) return last;
  return -1;
}

/* The parts that the variables up to `depth` decide, from *at on. */
static bool parts_true(struct formula_eval *e, struct cell *frame, const struct plan *p, uint32_t *at, unsigned depth) {
  for (; *at < p->count && p->parts[*at].depth == depth; ++*at)
    if (tell(e, frame, p->parts[*at].node) == p->parts[*at].negated) return false;
  return true;
}

/* Are there labels for the variables from `depth` on? */
static bool find_labels(struct formula_eval *e, struct cell *frame, const struct node *n, unsigned depth, uint32_t at) {
  const struct plan *p = n->plan;
  if (depth == n->vars) return true;
  struct cell *x = &frame[n->var + depth];
  size_t kept = e->witness.count;
  for (int64_t l = -1; (l = next_label(e, p->methods[depth], l)) >= 0;) {
    step(e);
    x->label = (struct label_ref){counting_label(e->c, (uint32_t)l), l};
    matters(e, l);
    uint32_t next = at;
    if (parts_true(e, frame, p, &next, depth + 1) && find_labels(e, frame, n, depth + 1, next)) return true;
    e->witness.count = kept;
  }
  return false;
}

static bool exists(struct formula_eval *e, struct cell *frame, const struct node *n) {
  uint32_t at = 0;
  return parts_true(e, frame, n->plan, &at, 0) && find_labels(e, frame, n, 0, at);
}

static int64_t count_labels(struct formula_eval *e, struct cell *frame, const struct node *n) {
  const struct plan *p = n->plan;
  uint32_t at = 0;
  int64_t count = 0;
  if (!parts_true(e, frame, p, &at, 0)) return 0;
  for (int64_t l = -1; (l = next_label(e, p->methods[0], l)) >= 0;) {
    step(e);
    size_t kept = e->witness.count;
    frame[n->var].label = (struct label_ref){counting_label(e->c, (uint32_t)l), l};
    matters(e, l);
    uint32_t next = at;
    if (parts_true(e, frame, p, &next, 1))
      count++;
    else
      e->witness.count = kept;
  }
  return count;
}

/* Formulas. */

static bool compares(enum compare c, int order) {
  switch (c) {
  case COMPARE_EQ: return order == 0;
  case COMPARE_NE: return order != 0;
  case COMPARE_LT: return order < 0;
  case COMPARE_LE: return order <= 0;
  case COMPARE_GT: return order > 0;
  default: return order >= 0;
  }
}

static bool tell_compare(struct formula_eval *e, struct cell *frame, const struct node *n) {
  if (n->kids[0]->kind == KIND_VALUE) {
    value a = value_of(e, frame, n->kids[0]), b = value_of(e, frame, n->kids[1]);
    if (n->compare == COMPARE_EQ) return a == b;
    return compares(n->compare, a == b ? 0 : n->compare == COMPARE_NE ? 1 : value_compare(e->spec->values, a, b));
  }
  int64_t a = number_of(e, frame, n->kids[0]), b = number_of(e, frame, n->kids[1]);
  return compares(n->compare, (a > b) - (a < b));
}

static bool true_here(struct formula_eval *e, struct cell *frame, const struct node *n, int64_t *unused) {
  (void)unused;
  size_t kept = e->witness.count;
  if (tell(e, frame, n)) return true;
  e->witness.count = kept;
  return false;
}
static bool false_here(struct formula_eval *e, struct cell *frame, const struct node *n, int64_t *unused) {
  (void)unused;
  return !tell(e, frame, n);
}

static bool tell_or(struct formula_eval *e, struct cell *frame, const struct node *n) {
  for (uint32_t i = 0; i < n->kid_count; i++)
    if (true_here(e, frame, n->kids[i], NULL)) return true;
  return false;
}

static bool tell(struct formula_eval *e, struct cell *frame, const struct node *n) {
  uint32_t at = 0;
  switch (n->type) {
  case NODE_COMPARE: return tell_compare(e, frame, n);
  case NODE_IS: return label_of(e, frame, n->kids[0]).label.method == n->method;
  case NODE_PENDING: return label_of(e, frame, n->kids[0]).label.pending;
  case NODE_NOT: return !tell(e, frame, n->kids[0]);
  case NODE_AND: return parts_true(e, frame, n->plan, &at, 0);
  case NODE_OR: return tell_or(e, frame, n);
  case NODE_IMPLIES: return !tell(e, frame, n->kids[0]) || tell(e, frame, n->kids[1]);
  case NODE_EXISTS: return exists(e, frame, n);
  case NODE_FORALL: return !exists(e, frame, n);
  case NODE_SOME: return each_number(e, frame, n, 0, true_here, NULL);
  case NODE_EVERY: return !each_number(e, frame, n, 0, false_here, NULL);
  default: return tell_call(e, frame, n);
  }
}

/* From outside. */

bool formula_true(struct formula_eval *e, unsigned violation) {
  e->listed = false;
  return tell(e, e->frame, e->f->violations.at[violation]->body);
}

int formula_violated(struct formula_eval *e) {
  e->listed = false;
  for (unsigned v = 0; v < e->f->violations.count; v++)
    if (tell(e, e->frame, e->f->violations.at[v]->body)) return (int)v;
  return -1;
}

bool formula_explain(struct formula_eval *e, unsigned violation) {
  e->tracing = true;
  e->witness.count = 0;
  bool yes = formula_true(e, violation);
  e->tracing = false;
  return yes;
}

const uint32_t *formula_witness(const struct formula_eval *e, size_t *count) {
  *count = e->witness.count;
  return e->witness.at;
}

static void say_label(const struct formula_eval *e, const struct approx_label *l, struct text *out) {
  struct op op = {.method = l->method, .result = l->result};
  struct history h = {.values = (struct values *)e->spec->values};
  memcpy(op.arg, l->arg, sizeof op.arg);
  if (l->pending)
    op_print_call(e->spec, &h, &op, out);
  else
    op_print(e->spec, &h, &op, out);
}

/* {x}, {arg(x)}, {result(x)}: the reader has seen to it that x is there. */
static void say_witness(const struct formula_eval *e, const struct formula_violation *v, const char *at, size_t length,
                        struct text *out) {
  const struct label_ref *label = NULL;
  const char *open = memchr(at, '(', length), *name = open ? open + 1 : at;
  size_t size = (size_t)(at + length - name) - (open != NULL);
  for (uint32_t i = 0; i < v->vars; i++)
    if (strlen(v->variables[i].name) == size && !memcmp(v->variables[i].name, name, size)) label = &e->frame[i].label;
  if (!open)
    say_label(e, &label->label, out);
  else
    value_print(e->spec->values, *at == 'a' ? label->label.arg[0] : label->label.result, out);
}

void formula_say(struct formula_eval *e, unsigned violation, struct text *out) {
  const struct formula_violation *v = e->f->violations.at[violation];
  if (!v->sentence) {
    node_print(v->variables, v->body, out);
    return;
  }
  const char *s = v->sentence;
  for (const char *open; (open = strchr(s, '{')); s = strchr(open, '}') + 1) {
    text_bytes(out, s, (size_t)(open - s));
    say_witness(e, v, open + 1, (size_t)(strchr(open, '}') - open - 1), out);
  }
  text_add(out, s);
}
