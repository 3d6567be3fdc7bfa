/* The monitor of a formula: Algorithm 1 keeps the counts, and after each return the formula is told of them. (A call
 * never makes a violation: a pending operation only adds freedom, and a new interval only weakens what is known.) */
#include "approx/formula.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "approx/monitor.h"

enum { FILE_MOST = 1 << 20 };

struct past {
  value v;
  uint64_t n; /* the length of the history when an operation on v returned */
};

struct formula_monitor {
  struct monitor monitor;
  struct counting *counting;
  struct formula *formula;
  struct formula_eval *eval;
  unsigned violation; /* once violated: which */
  bool whole;         /* show everything that is counted */
  /* `forget balanced`: values whose operations will be old soon, in the order of their returns. A ring. */
  struct past *old;
  size_t old_first, old_count, old_room;
};

/* Forgetting: a value whose pushes and pops are complete, equally many, and all in [0, 0]. They can be taken to have
 * been the first things to happen: of equal values those in [0, 0] can change places with any others that begin there.
 * So a linearizable history stays so without them. */

enum { PUSH, POP }; /* of queue and stack */

static bool is_old(struct counting *c, int64_t label) {
  const uint64_t *counts = counting_at(c, (uint32_t)label);
  for (unsigned i = 1; i < APPROX_INTERVALS(counting_k(c)); i++)
    if (counts[i]) return false;
  return true;
}

static void forget_if_old(struct formula_monitor *m, value v) {
  struct approx_label in = {.method = PUSH, .arg = {v, V_NONE, V_NONE}, .result = V_NONE};
  struct approx_label out = {.method = POP, .arg = {V_NONE, V_NONE, V_NONE}, .result = v};
  struct counting *c = m->counting;
  int64_t a = counting_find(c, &in), b = counting_find(c, &out);
  if (a < 0 || b < 0 || !is_old(c, a) || !is_old(c, b)) return;
  if (counting_at(c, (uint32_t)a)[0] != counting_at(c, (uint32_t)b)[0]) return;
  counting_forget(c, (uint32_t)a);
  counting_forget(c, (uint32_t)b);
}

static void grow_ring(struct formula_monitor *m) {
  size_t room = m->old_room ? m->old_room * 2 : 64;
  struct past *old = mem_alloc(m->monitor.mem, room * sizeof *old);
  for (size_t i = 0; i < m->old_count; i++) old[i] = m->old[(m->old_first + i) % m->old_room];
  mem_free(m->monitor.mem, m->old);
  m->old = old;
  m->old_first = 0;
  m->old_room = room;
}

/* The value of the operation that has just returned will be old when k intervals have begun after it. */
static void remember(struct formula_monitor *m, value v) {
  if (m->old_count == m->old_room) grow_ring(m);
  m->old[(m->old_first + m->old_count++) % m->old_room] = (struct past){v, counting_length(m->counting)};
}

static void forget_old(struct formula_monitor *m) {
  while (m->old_count && m->old[m->old_first].n + m->monitor.k <= counting_length(m->counting)) {
    value v = m->old[m->old_first].v;
    m->old_first = (m->old_first + 1) % m->old_room;
    m->old_count--;
    forget_if_old(m, v);
  }
}

/* Events. */

static void formula_call(struct monitor *monitor, uint32_t slot, uint16_t method, const value arg[OP_ARGS]) {
  struct formula_monitor *m = (struct formula_monitor *)monitor;
  counting_call(m->counting, slot, method, arg);
}

static bool formula_return(struct monitor *monitor, uint32_t slot, value result) {
  struct formula_monitor *m = (struct formula_monitor *)monitor;
  if (result == V_UNKNOWN) { /* to take it for one that never returned is weaker */
    counting_retire(m->counting, slot);
    return true;
  }
  struct approx_label l = counting_label(m->counting, counting_return(m->counting, slot, result));
  if (m->formula->forget) {
    remember(m, l.method == PUSH ? l.arg[0] : l.result);
    forget_old(m);
  }
  int violation = formula_violated(m->eval);
  if (violation < 0) return true;
  m->violation = (unsigned)violation;
  return false;
}

static void formula_drop(struct monitor *monitor, uint32_t slot) {
  counting_drop(((struct formula_monitor *)monitor)->counting, slot);
}
static void formula_retire(struct monitor *monitor, uint32_t slot) {
  counting_retire(((struct formula_monitor *)monitor)->counting, slot);
}

static size_t formula_bytes(const struct monitor *monitor) {
  const struct formula_monitor *m = (const struct formula_monitor *)monitor;
  return sizeof *m + counting_bytes(m->counting) + m->old_room * sizeof *m->old;
}

static uint64_t formula_held(const struct monitor *monitor) {
  return counting_labels(((const struct formula_monitor *)monitor)->counting);
}

/* Showing. */

/* The values of a label: arguments, and a result that is a value. Nothing else is known of it by which it could be left
 * out. */
static unsigned values_of(const struct approx_label *l, value *to) {
  unsigned count = 0;
  for (int i = 0; i <= OP_ARGS; i++) {
    value v = i < OP_ARGS ? l->arg[i] : l->result;
    if (v != V_NONE && v != V_EMPTY && v != V_FULL && v != V_TRUE && v != V_FALSE && v != V_UNKNOWN) to[count++] = v;
  }
  return count;
}

struct projection {
  VEC(value) values; /* sorted */
  const uint32_t *witness;
  size_t witness_count;
};

static int by_value(const void *a, const void *b) {
  value x = *(const value *)a, y = *(const value *)b;
  return (x > y) - (x < y);
}

static void project(struct formula_monitor *m, struct projection *p) {
  p->witness = formula_witness(m->eval, &p->witness_count);
  for (size_t i = 0; i < p->witness_count; i++) {
    struct approx_label l = counting_label(m->counting, p->witness[i]);
    value v[OP_ARGS + 1];
    unsigned count = m->monitor.spec.keyed ? 1 : values_of(&l, v);
    if (m->monitor.spec.keyed) v[0] = l.arg[0];
    for (unsigned j = 0; j < count; j++) vec_push(m->monitor.mem, &p->values, v[j]);
  }
  if (p->values.count) qsort(p->values.at, p->values.count, sizeof *p->values.at, by_value);
}

static bool has_value(const struct projection *p, value v) {
  return p->values.count && bsearch(&v, p->values.at, p->values.count, sizeof v, by_value);
}

static bool is_witness(const struct projection *p, uint32_t label) {
  for (size_t i = 0; i < p->witness_count; i++)
    if (p->witness[i] == label) return true;
  return false;
}

/* May this label be left out, so that a linearizable history stays so? Those of other values where the specification
 * allows it, those of other keys, and those that change nothing. */
static bool left_out(const struct formula_monitor *m, const struct projection *p, uint32_t label) {
  const struct spec *spec = &m->monitor.spec;
  struct approx_label l = counting_label(m->counting, label);
  if (m->whole) return false;
  if (spec->keyed) return !has_value(p, l.arg[0]);
  struct op op = {.method = l.method, .result = l.result};
  if (!l.pending && op_pure(spec, &op)) return !is_witness(p, label);
  value v[OP_ARGS + 1];
  unsigned count = spec->data_independent ? values_of(&l, v) : 0;
  for (unsigned i = 0; i < count; i++)
    if (!has_value(p, v[i])) return true;
  return false;
}

static void show_label(struct formula_monitor *m, uint32_t label) {
  struct approx_label l = counting_label(m->counting, label);
  const uint64_t *counts = counting_at(m->counting, label);
  for (unsigned i = 0, at = 0; i <= m->monitor.k; i++)
    for (unsigned j = i; j <= m->monitor.k; j++, at++)
      for (uint64_t n = 0; n < counts[at]; n++) {
        mem_poll(m->monitor.mem);
        monitor_show(&m->monitor, l.method, l.arg, l.result, l.pending, i, j);
      }
}

static void formula_show(struct monitor *monitor, struct text *said) {
  struct formula_monitor *m = (struct formula_monitor *)monitor;
  struct projection p = {.witness = NULL};
  formula_explain(m->eval, m->violation);
  project(m, &p);
  formula_say(m->eval, m->violation, said);
  for (uint32_t l = 0; l < counting_labels(m->counting); l++)
    if (counting_occurs(m->counting, l) && !left_out(m, &p, l)) show_label(m, l);
  vec_free(monitor->mem, &p.values);
}

static bool formula_more(struct monitor *monitor) {
  struct formula_monitor *m = (struct formula_monitor *)monitor;
  bool more = !m->whole;
  m->whole = true;
  return more;
}

static bool formula_blame(struct monitor *monitor, struct problem *problem) {
  struct formula_monitor *m = (struct formula_monitor *)monitor;
  struct text said;
  text_open(&said, monitor->mem);
  formula_say(m->eval, m->violation, &said);
  formula_problem(m->formula, m->formula->violations.at[m->violation]->body, problem,
                  "the formula says \"%.160s\", but the operations are linearizable: the formula is wrong",
                  text_string(&said));
  return true;
}

static const struct monitor_type formula_type = {.name = "formula",
                                                 .call = formula_call,
                                                 .ret = formula_return,
                                                 .drop = formula_drop,
                                                 .retire = formula_retire,
                                                 .show = formula_show,
                                                 .bytes = formula_bytes,
                                                 .held = formula_held,
                                                 .more = formula_more,
                                                 .blame = formula_blame};
/* A formula that comes with Asif is never wrong: if it is, that is an internal error. */
static const struct monitor_type bundled_type = {.name = "formula",
                                                 .call = formula_call,
                                                 .ret = formula_return,
                                                 .drop = formula_drop,
                                                 .retire = formula_retire,
                                                 .show = formula_show,
                                                 .bytes = formula_bytes,
                                                 .held = formula_held,
                                                 .more = formula_more};

struct monitor *formula_monitor(struct mem *m, const struct spec *spec, unsigned k, struct formula *f, bool bundled) {
  struct formula_monitor *x = mem_zero(m, 1, sizeof *x);
  x->monitor = (struct monitor){.type = bundled ? &bundled_type : &formula_type, .mem = m, .spec = *spec, .k = k};
  x->formula = f;
  x->counting = counting_new(m, k);
  x->eval = formula_eval_new(m, f, &x->monitor.spec, x->counting);
  return &x->monitor;
}

static char *read_whole(struct mem *m, const char *path, size_t *size, struct problem *problem) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    problem_set(problem, "%.200s: %s; formulas that come with Asif are called queue and stack", path, strerror(errno));
    return NULL;
  }
  VEC(char) all = {0};
  size_t n;
  do {
    vec_reserve(m, &all, all.count + 65536);
    all.count += n = fread(all.at + all.count, 1, 65536, file);
  } while (n && all.count <= FILE_MOST);
  bool failed = ferror(file) || n;
  if (failed)
    problem_set(problem, n ? "%.200s: a formula of more than %d bytes" : "%.200s: it could not be read", path,
                FILE_MOST);
  fclose(file);
  *size = all.count;
  return failed ? NULL : all.at;
}

struct monitor *monitor_of_formula(struct mem *m, const struct spec *spec, unsigned k, const char *path,
                                   struct problem *problem) {
  if (k > APPROX_K_MOST) {
    problem_set(problem, "formulas are for k up to %d", APPROX_K_MOST);
    return NULL;
  }
  const char *text = family_named(path);
  size_t size = text ? strlen(text) : 0;
  bool bundled = text;
  if (!text) text = read_whole(m, path, &size, problem);
  if (!text) return NULL;
  struct formula *f = formula_parse(m, path, text, size, problem);
  if (!f || !formula_bind(m, f, spec, problem)) return NULL;
  return formula_monitor(m, spec, k, f, bundled);
}
