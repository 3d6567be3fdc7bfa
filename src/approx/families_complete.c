/* The complete families of section 7.2 (Bouajjani et al. 2015), generated.
 *
 * With distinct values all that matters of a value is the interval of its push and that of its pop: its class. Values
 * of the same class are redundant (Lemma 7.1), so a violation of length k is a set of classes; and sets that contain a
 * violation are violations. The smallest ones are found by asking the exact checker of every set that contains none
 * found before. The paper's classes are pairs of intervals; here are also those of values that are not popped, and of
 * pops that return empty. */
#include <assert.h>
#include <string.h>

#include "approx/formula.h"
#include "check/check.h"

enum { CLASSES = 64, PUSH = 0, POP = 1 };

struct span {
  unsigned from, to;
};

struct class {
  bool push, pop, empty; /* what there is of it */
  struct span in, out;
};

struct generator {
  struct mem *mem;
  const struct spec *spec;
  unsigned k;
  struct class classes[CLASSES];
  unsigned count;
  VEC(uint64_t) found; /* the smallest violations so far, a bit for each class */
  VEC(const char *) written;
  struct text *out;
};

static void add_class(struct generator *g, struct class c) {
  assert(g->count < CLASSES); /* k <= 2 */
  g->classes[g->count++] = c;
}

static void list_classes(struct generator *g) {
  struct span all[APPROX_INTERVALS(APPROX_K_MOST)];
  unsigned n = 0;
  for (unsigned i = 0; i <= g->k; i++)
    for (unsigned j = i; j <= g->k; j++) all[n++] = (struct span){i, j};
  for (unsigned a = 0; a < n; a++) {
    add_class(g, (struct class){.push = true, .in = all[a]});
    add_class(g, (struct class){.pop = true, .empty = true, .out = all[a]});
    for (unsigned b = 0; b < n; b++)
      add_class(g, (struct class){.push = true, .pop = true, .in = all[a], .out = all[b]});
  }
}

/* Is the history that has one value of each of these classes linearizable? */
static void add_operation(struct history *h, unsigned method, value arg, value result, struct span s) {
  value args[OP_ARGS] = {arg, V_NONE, V_NONE};
  history_interval(h, (uint32_t)h->ops.count, 0, method, args, OP_ARGS, result, 2 * (int64_t)s.from,
                   2 * (int64_t)s.to + 1, 0);
}

static bool linearizable(struct generator *g, uint64_t set) {
  struct mem *m = mem_child(g->mem);
  struct history *h = history_new(m, "classes");
  for (unsigned c = 0; c < g->count; c++) {
    const struct class *x = &g->classes[c];
    value v = value_of_small((int32_t)c);
    if (set >> c & 1 && x->push) add_operation(h, PUSH, v, V_NONE, x->in);
    if (set >> c & 1 && x->pop) add_operation(h, POP, V_NONE, x->empty ? V_EMPTY : v, x->out);
  }
  history_finish(h);
  struct spec spec = *g->spec;
  spec.values = h->values;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  struct limits limits;
  struct check_result r;
  struct problem problem;
  limits_start(&limits, 0, 0);
  bool holds = check_history(m, h, &spec, &options, &limits, &r, &problem) && r.verdict == VERDICT_HOLDS;
  mem_close(m);
  return holds;
}

/* Psi_h of a set: the operations are x1, deq => arg(x1), x2, and so on; a pop that returned empty is one with its
 * interval. */

struct operation {
  unsigned value; /* of x1, x2, ... */
  bool pop, empty;
  struct span span;
};

static const char *name_of(struct generator *g, unsigned method) {
  size_t length;
  const char *name = spec_op_name(g->spec, method, &length);
  return mem_string(g->mem, name, length);
}

static const char *label_text(struct generator *g, const struct operation *o) {
  struct text t;
  text_open(&t, g->mem);
  if (o->pop)
    text_printf(&t, "%s => arg(x%u)", name_of(g, POP), o->value);
  else
    text_printf(&t, "x%u", o->value);
  return text_string(&t);
}

static void write_order(struct generator *g, const struct operation *a, const struct operation *b, struct text *t) {
  if (b->empty)
    text_printf(t, " and total(%s, %u, k) = 0", label_text(g, a), b->span.from);
  else if (a->empty)
    text_printf(t, " and total(%s, 0, %u) = 0", label_text(g, b), a->span.to);
  else
    text_printf(t, " and before(%s, %s)", label_text(g, a), label_text(g, b));
}

static unsigned list_operations(const struct generator *g, uint64_t set, struct operation *ops) {
  unsigned count = 0, values = 0;
  for (unsigned c = 0; c < g->count; c++) {
    const struct class *x = &g->classes[c];
    if (!(set >> c & 1)) continue;
    values += x->push;
    if (x->push) ops[count++] = (struct operation){values, false, false, x->in};
    if (x->pop) ops[count++] = (struct operation){x->empty ? 0 : values, true, x->empty, x->out};
  }
  return count;
}

static void write_set(struct generator *g, uint64_t set, struct text *t) {
  struct operation ops[2 * CLASSES];
  unsigned count = list_operations(g, set, ops), values = 0;
  text_add(t, "violation: ");
  for (unsigned o = 0; o < count; o++)
    if (ops[o].empty)
      text_printf(t, "#(%s => empty, %u, %u) > 0 and ", name_of(g, POP), ops[o].span.from, ops[o].span.to);
  for (unsigned o = 0; o < count; o++)
    if (!ops[o].pop) text_printf(t, "%sx%u", values++ ? ", " : "exists ", ops[o].value);
  text_add(t, ": ");
  for (unsigned o = 0; o < count; o++) {
    if (ops[o].pop) continue;
    bool gone = o + 1 < count && ops[o + 1].pop && !ops[o + 1].empty;
    text_printf(t, "%s%s(x%u)", ops[o].value > 1 ? " and " : "", gone ? "gone" : "kept", ops[o].value);
  }
  for (unsigned a = 0; a < count; a++)
    for (unsigned b = 0; b < count; b++)
      if (ops[a].span.to < ops[b].span.from && !(ops[a].empty && ops[b].empty)) write_order(g, &ops[a], &ops[b], t);
  text_char(t, '\n');
}

/* Different sets may say the same: what matters is the order. */
static void found_set(struct generator *g, uint64_t set) {
  struct text t;
  vec_push(g->mem, &g->found, set);
  text_open(&t, g->mem);
  write_set(g, set, &t);
  for (size_t i = 0; i < g->written.count; i++)
    if (!strcmp(g->written.at[i], text_string(&t))) return;
  vec_push(g->mem, &g->written, text_string(&t));
  text_add(g->out, text_string(&t));
}

/* Every set of `more` further classes from `first` on that contains no violation found before. */
static void try_sets(struct generator *g, uint64_t set, unsigned first, unsigned more) {
  for (size_t i = 0; i < g->found.count; i++)
    if ((set & g->found.at[i]) == g->found.at[i]) return;
  if (!more) {
    if (!linearizable(g, set)) found_set(g, set);
    return;
  }
  for (unsigned c = first; c < g->count; c++) try_sets(g, set | 1ull << c, c + 1, more - 1);
}

void family_complete(struct mem *m, const struct spec *spec, unsigned k, unsigned most, struct text *out) {
  struct generator g = {.mem = m, .spec = spec, .k = k, .out = out};
  const char *push = name_of(&g, PUSH), *pop = name_of(&g, POP);
  list_classes(&g);
  text_printf(out,
              "// The complete family of %s for length %u, up to %u values together.\n"
              "for %s\n"
              "define before(x, y) = some i in 0..k-1: total(x, i + 1, k) = 0 and total(y, 0, i) = 0\n"
              "define kept(x) = is(x, %s) and not pending(x) and total(%s => arg(x), 0, k) = 0\n"
              "define gone(x) = is(x, %s) and not pending(x) and total(%s => arg(x), 0, k) > 0\n"
              "violation: exists y: is(y, %s) and not pending(y) and result(y) != empty and total(y, 0, k) > "
              "total(%s(result(y)), 0, k)\n",
              spec->name, k, most, spec->name, push, pop, push, pop, pop, push);
  for (unsigned size = 1; size <= most && size <= g.count; size++) try_sets(&g, 0, 0, size);
}
