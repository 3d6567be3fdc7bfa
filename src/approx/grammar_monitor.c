/* The monitor of a grammar: see monitor.h and grammar.h.
 *
 * Operations are counted by the letters they may be, so labels are few whatever the values are. As long as an order of
 * them is known that the specification allows, nothing is violated (grammar_witness.c). Else the counts are made
 * smaller by what cannot matter, and looked up; for counts not met before such an order is looked for, and where there
 * is none the system decides (parikh.c). Made smaller:
 *   - an idle letter (a try that failed) need be there once an interval at most, and not where it is within a smaller
 * one: these are the same;
 *   - what came before a return to the initial state, and cycles, words that may be put before every word (acquire
 * release), are taken out of [0, 0]. If what is left is admitted then so is the whole; if it is not, the whole is asked
 * about. So a violation is always one of the counts as they are. */
#include <string.h>

#include "approx/grammar.h"
#include "approx/grammar_witness.h"
#include "base/hash.h"

enum { SETS_MOST = 64, CLASSES_MOST = 1000, MEMO_MOST = 1 << 15, SHOWN_MOST = 100000, LATER = 8 };

/* Calls that the grammar does not tell apart. */
struct class {
  uint16_t method;
  uint64_t terminals; /* that it may be, by its arguments */
  uint8_t set;        /* the letters it may be while it is pending, without idle ones; SETS_MOST for none */
  uint8_t told;       /* bits: which arguments the grammar tells apart, and the result (bit OP_ARGS) */
};
/* A label as it was seen first, for showing. */
struct seen {
  uint32_t class;
  uint8_t set;
  value arg[OP_ARGS], result;
};
struct open {
  uint32_t class;
  value arg[OP_ARGS]; /* as they are told */
};
struct grammar_monitor {
  struct monitor base;
  struct grammar *grammar;
  struct form *form;
  struct parikh *parikh[APPROX_K_MOST + 1]; /* by k; less than the monitor's own are made when they are needed */
  unsigned coarser; /* how many intervals fewer than k were looked at when the last system was solved */
  struct mem *run;  /* of what one execution has */
  struct counting *counting;
  struct witness *witness;
  bool no_witness; /* for tests: the system decides */
  VEC(struct witness_op) returned;
  /* How many have returned, by set; and how many had when the order was back at the initial state with nothing open in
   * it: these may be put before everything and so need not be known any more, once they are all in [0, 0]; some
   * intervals later still, as the order need not be the one that can go on. `next` is not yet. */
  uint64_t total[SETS_MOST], base_total[SETS_MOST], next_total[SETS_MOST];
  uint64_t next_at;          /* the interval, one more; 0: there is no next */
  unsigned intervals, width; /* of a set's counts: complete ones by interval, then pending ones by where they begin */
  VEC(struct class) classes;
  uint32_t *class_of;    /* of a method no argument of which matters, one more; 0: not known, or arguments matter */
  bool *by_arguments;    /* a method each: its arguments matter */
  VEC(struct open) open; /* by slot */
  VEC(struct seen) seen;
  uint64_t sets[SETS_MOST]; /* letters */
  unsigned set_count;
  uint64_t *counts; /* a set each, `width` numbers */
  uint32_t *key;    /* the same, made smaller */
  uint32_t *memo;   /* entries: 0 or an answer, then the key */
  uint32_t memo_mask, memo_used;
  unsigned memo_width; /* words of an entry */
  bool silent;         /* has met what it cannot describe: says nothing more */
  bool unmatched;      /* the violation is an operation that no word has */
  bool bundled;        /* the specification's own grammar, which comes with Asif */
  uint64_t too_many;   /* operations would have to be shown */
  struct grammar_figures figures;
  VEC(struct parikh_count) asked;
};

static struct grammar_monitor *of(struct monitor *m) { return (struct grammar_monitor *)m; }

/* Labels. */

/* The number of a set of letters; SETS_MOST if there are too many. Then nothing more is said. */
static uint8_t set_of(struct grammar_monitor *m, uint64_t letters) {
  for (unsigned i = 0; i < m->set_count; i++)
    if (m->sets[i] == letters) return (uint8_t)i;
  if (m->set_count == SETS_MOST) {
    m->silent = m->figures.outside = true;
    return SETS_MOST;
  }
  m->sets[m->set_count++] = letters;
  mem_free(m->base.mem, m->memo); /* keys are longer now */
  m->memo = NULL;
  return (uint8_t)(m->set_count - 1);
}

static uint64_t letters_of(const struct grammar_monitor *m, uint64_t terminals) {
  uint64_t letters = 0;
  for (size_t t = 0; t < m->grammar->terminals.count; t++)
    if (terminals >> t & 1) letters |= (uint64_t)1 << m->form->letter_of[t];
  return letters;
}

static bool outside(const struct grammar_monitor *m, uint16_t method, const value *arg, value result) {
  for (size_t i = 0; i < m->grammar->outside.count; i++)
    if (pattern_fits(&m->grammar->outside.at[i], m->base.spec.values, method, arg, result)) return true;
  return false;
}

/* Values that neither the grammar nor the specification tells apart are one value: what is said then holds of any. */
static uint8_t told_of(const struct grammar_monitor *m, uint16_t method, uint64_t terminals) {
  const struct spec_op *op = &m->base.spec.ops[method];
  uint8_t told = (uint8_t)((op->arg_kind == ARG_INT ? (1 << OP_ARGS) - 1 : 0) |
                           (op->result == RESULT_INT || op->result == RESULT_ANY ? 1 << OP_ARGS : 0));
  for (size_t t = 0; t < m->grammar->terminals.count; t++)
    for (int i = 0; i <= OP_ARGS && terminals >> t & 1; i++) {
      const struct value_pattern *p =
          i < OP_ARGS ? &m->grammar->terminals.at[t].arg[i] : &m->grammar->terminals.at[t].result;
      if (p->kind == PATTERN_NUMBER || p->kind == PATTERN_TEXT) told |= (uint8_t)(1 << i);
    }
  return told;
}

static value told_value(const struct class *c, int i, value v) {
  return c->told >> i & 1 || (!value_is_small(v) && v <= V_UNKNOWN) ? v : value_of_small(1);
}

static uint32_t class_with(struct grammar_monitor *m, uint16_t method, uint64_t terminals) {
  for (uint32_t i = 0; i < m->classes.count; i++)
    if (m->classes.at[i].method == method && m->classes.at[i].terminals == terminals) return i;
  uint64_t letters = letters_of(m, terminals) & ~m->form->idle; /* to be completed as an idle one is never of use */
  struct class c = {method, terminals, letters ? set_of(m, letters) : SETS_MOST, told_of(m, method, terminals)};
  vec_push(m->base.mem, &m->classes, c);
  if (m->classes.count > CLASSES_MOST) m->silent = m->figures.outside = true;
  return (uint32_t)(m->classes.count - 1);
}

/* Is one of the terminals there for each result the operation can have? */
static bool cover(const struct grammar_monitor *m, uint16_t method, uint64_t terminals) {
  static const value both[] = {V_TRUE, V_FALSE}, taken[] = {V_EMPTY, 0}, put[] = {V_NONE, V_FULL};
  uint8_t kind = m->base.spec.ops[method].result;
  const value *results = kind == RESULT_BOOL        ? both
                         : kind == RESULT_VALUE     ? taken
                         : kind == RESULT_NONE_FULL ? put
                                                    : NULL;
  bool any = false, each[2] = {false, false};
  for (size_t t = 0; t < m->grammar->terminals.count; t++) {
    const struct value_pattern *p = &m->grammar->terminals.at[t].result;
    if (!(terminals >> t & 1)) continue;
    any |= p->kind == PATTERN_ANY || kind == RESULT_NONE;
    for (int i = 0; results && i < 2; i++)
      each[i] |= p->kind == PATTERN_EXACT ? p->exact == results[i]
                                          : p->kind == PATTERN_VALUE && kind == RESULT_VALUE && i == 1;
  }
  return any || (each[0] && each[1]);
}

/* An operation that the grammar does not describe may have happened as soon as it is called: nothing is known from then
 * on. */
static bool goes_outside(const struct grammar_monitor *m, uint16_t method, const value *arg, uint64_t terminals) {
  return outside(m, method, arg, V_UNKNOWN) && !cover(m, method, terminals);
}

static uint32_t class_of_call(struct grammar_monitor *m, uint16_t method, const value *arg) {
  if (m->class_of[method]) return m->class_of[method] - 1;
  uint64_t terminals = 0;
  for (size_t t = 0; t < m->grammar->terminals.count; t++)
    if (pattern_fits_call(&m->grammar->terminals.at[t], m->base.spec.values, method, arg))
      terminals |= (uint64_t)1 << t;
  if (goes_outside(m, method, arg, terminals)) m->silent = m->figures.outside = true;
  uint32_t c = class_with(m, method, terminals);
  if (!m->by_arguments[method] && !m->silent) m->class_of[method] = c + 1;
  return c;
}

static uint64_t terminals_of(const struct grammar_monitor *m, const struct class *c, value result) {
  uint64_t terminals = c->terminals;
  for (size_t t = 0; t < m->grammar->terminals.count && result != V_UNKNOWN; t++)
    if (terminals >> t & 1 && !value_fits(&m->grammar->terminals.at[t].result, m->base.spec.values, result))
      terminals &= ~((uint64_t)1 << t);
  return terminals;
}

static void remember(struct grammar_monitor *m, const struct open *o, uint8_t set, value result) {
  for (size_t i = 0; i < m->seen.count; i++)
    if (m->seen.at[i].class == o->class && m->seen.at[i].set == set) return;
  struct seen s = {.class = o->class, .set = set, .result = result};
  memcpy(s.arg, o->arg, sizeof s.arg);
  vec_push(m->base.mem, &m->seen, s);
}

/* Counts. */

static void gather(struct grammar_monitor *m) {
  struct counting *c = m->counting;
  unsigned k = m->base.k;
  memset(m->counts, 0, (size_t)m->set_count * m->width * sizeof *m->counts);
  for (uint32_t n = 0, last = counting_labels(c); n < last; n++) {
    if (!counting_occurs(c, n)) continue;
    struct approx_label l = counting_label(c, n);
    if (!l.pending) {
      uint64_t *to = m->counts + (size_t)value_small(l.result) * m->width;
      const uint64_t *from = counting_at(c, n);
      for (unsigned i = 0; i < m->intervals; i++) to[i] += from[i];
    } else if (m->classes.at[l.method].set < SETS_MOST) {
      uint64_t *to = m->counts + (size_t)m->classes.at[l.method].set * m->width + m->intervals;
      const uint64_t *from = counting_at(c, n);
      for (unsigned i = 0; i <= k; i++) to[i] += from[approx_interval(k, i, k)];
    }
  }
}

static bool one_letter(uint64_t letters) { return !(letters & (letters - 1)); }

/* At most once an interval, and not where a smaller one has it: it can be put where that one is. */
static void reduce_idle(const struct grammar_monitor *m, uint32_t *at) {
  unsigned k = m->base.k;
  for (unsigned i = 0; i <= k; i++)
    for (unsigned j = i; j <= k; j++) {
      uint32_t *here = &at[approx_interval(k, i, j)];
      if (*here) *here = 1;
      for (unsigned x = i; x <= j && *here; x++)
        for (unsigned y = x; y <= j && *here; y++)
          if ((x != i || y != j) && at[approx_interval(k, x, y)]) *here = 0;
    }
}

/* Of each letter of a cycle `leave` stay: other letters may need some, an enq that finds the buffer full all that it
 * can hold. */
static void reduce_cycles(const struct grammar_monitor *m, uint32_t *key, uint32_t leave) {
  uint8_t set[GRAMMAR_TERMINALS];
  memset(set, SETS_MOST, sizeof set);
  for (unsigned s = 0; s < m->set_count; s++)
    if (one_letter(m->sets[s]) && m->sets[s]) set[__builtin_ctzll(m->sets[s])] = (uint8_t)s;
  for (size_t c = 0; c < m->form->cycle_count; c++) {
    const uint8_t *cycle = m->form->cycles.at + c * m->form->letters;
    uint32_t times = UINT32_MAX;
    for (uint32_t l = 0; l < m->form->letters; l++) {
      if (!cycle[l]) continue;
      uint32_t there = set[l] < SETS_MOST ? key[set[l] * m->width] : 0,
               most = there > leave ? (there - leave) / cycle[l] : 0;
      if (most < times) times = most;
    }
    for (uint32_t l = 0; l < m->form->letters && times; l++)
      if (cycle[l]) key[set[l] * m->width] -= times * cycle[l];
  }
}

/* Called at every return: has the order come back to where it began? */
static void look_back(struct grammar_monitor *m) {
  uint64_t n = counting_length(m->counting);
  if (m->next_at && m->next_at - 1 + m->base.k + LATER <= n) {
    memcpy(m->base_total, m->next_total, sizeof m->base_total);
    m->next_at = 0;
  }
  if (m->next_at || !witness_at_start(m->witness)) return;
  memcpy(m->next_total, m->total, sizeof m->next_total);
  m->next_at = n + 1;
}

/* False if a count is too large for a key. */
static bool make_key(struct grammar_monitor *m, uint32_t leave) {
  for (unsigned i = 0; i < m->set_count * m->width; i++) {
    uint64_t n = m->counts[i];
    if (i % m->width == 0) n -= m->base_total[i / m->width];
    if (n >= UINT32_MAX) return false;
    m->key[i] = (uint32_t)n;
  }
  for (unsigned s = 0; s < m->set_count; s++)
    if (one_letter(m->sets[s]) && m->sets[s] & m->form->idle) reduce_idle(m, m->key + s * m->width);
  reduce_cycles(m, m->key, leave);
  return true;
}

/* What is known of keys. */

enum {
  ADMITTED = 1,
  NO_ORDER,
  ASK_WHOLE
}; /* the second: the specification has no order; of the third neither does the system admit it */

static uint32_t *memo_find(struct grammar_monitor *m) {
  if (!m->memo || m->memo_used > MEMO_MOST * 3 / 4) {
    m->memo_width = m->set_count * m->width + 1;
    mem_free(m->base.mem, m->memo);
    m->memo = mem_zero(m->base.mem, (size_t)MEMO_MOST * m->memo_width, sizeof *m->memo);
    m->memo_mask = MEMO_MOST - 1;
    m->memo_used = 0;
  }
  size_t bytes = (m->memo_width - 1) * sizeof *m->key;
  uint32_t at = (uint32_t)hash_bytes(m->key, bytes) & m->memo_mask;
  for (;; at = (at + 1) & m->memo_mask) {
    uint32_t *entry = m->memo + (size_t)at * m->memo_width;
    if (!*entry || !memcmp(entry + 1, m->key, bytes)) return entry;
  }
}

/* Deciding. */

static void ask_about(struct grammar_monitor *m, uint64_t letters, uint64_t count, unsigned from, unsigned to,
                      bool pending) {
  if (!count) return;
  from = from > m->coarser ? from - m->coarser : 0;
  to = to > m->coarser ? to - m->coarser : 0;
  vec_push(m->base.mem, &m->asked, ((struct parikh_count){letters, count, (uint8_t)from, (uint8_t)to, pending}));
}

/* Of what was asked about: does the system of so many intervals admit it? */
static enum integer_answer ask(struct grammar_monitor *m, struct integer_figures *figures) {
  unsigned k = m->base.k - m->coarser;
  struct problem unused;
  if (!m->parikh[k]) m->parikh[k] = parikh_new(m->base.mem, m->form, k, &unused);
  return m->parikh[k] ? parikh_admits(m->parikh[k], m->asked.at, m->asked.count, figures) : INTEGER_UNKNOWN;
}

/* Counts, or a key: entry(i) is one or the other. */
static enum integer_answer decide(struct grammar_monitor *m, const uint32_t *key) {
  unsigned k = m->base.k;
  m->asked.count = 0;
  for (unsigned s = 0; s < m->set_count; s++) {
    unsigned at = s * m->width;
    for (unsigned i = 0; i <= k; i++)
      for (unsigned j = i; j <= k; j++, at++) ask_about(m, m->sets[s], key ? key[at] : m->counts[at], i, j, false);
    for (unsigned i = 0; i <= k; i++, at++) ask_about(m, m->sets[s], key ? key[at] : m->counts[at], i, k, true);
  }
  m->figures.solved++;
  return ask(m, &m->figures.integer);
}

/* Where the solver gives up, A_(k-1) is asked about, which has one interval less, and so on: it admits whatever A_k
 * does. So what a smaller k shows is seen with a greater one, too. */
static bool decide_whole(struct grammar_monitor *m) {
  m->figures.whole++;
  enum integer_answer answer;
  for (m->coarser = 0; (answer = decide(m, NULL)) == INTEGER_UNKNOWN && m->coarser < m->base.k; m->coarser++)
    ;
  if (answer == INTEGER_NO) return false; /* coarser stays, for showing */
  m->figures.unknown += answer == INTEGER_UNKNOWN || m->coarser > 0;
  m->coarser = 0;
  return true;
}

/* An order that the specification allows of what the key tells, which is the history made smaller. */
static bool find_witness(struct grammar_monitor *m) {
  unsigned k = m->base.k;
  uint64_t length = counting_length(m->counting);
  m->returned.count = 0;
  for (unsigned s = 0; s < m->set_count; s++) {
    const struct seen *e = m->seen.at;
    while (e < m->seen.at + m->seen.count && e->set != s) e++;
    if (e == m->seen.at + m->seen.count) continue;
    struct witness_op o = {.op = {.method = m->classes.at[e->class].method, .result = e->result}};
    memcpy(o.op.arg, e->arg, sizeof o.op.arg);
    for (o.from = 0; o.from <= k; o.from++)
      for (o.to = o.from; o.to <= k; o.to++) {
        o.count = m->key[s * m->width + approx_interval(k, o.from, o.to)];
        if (o.count) vec_push(m->base.mem, &m->returned, o);
      }
  }
  m->figures.searched++;
  return witness_find(m->witness, m->returned.at, m->returned.count, length > k ? length - k : 0);
}

/* The counts made smaller, first as far as can be: is there an order, or does the system admit them? */
static bool smaller_admitted(struct grammar_monitor *m) {
  static const uint32_t leaves[] = {5, 40};
  for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
    if (!make_key(m, leaves[i])) return false;
    uint32_t *entry = memo_find(m);
    if (*entry == ADMITTED) return true;
    if (*entry || m->no_witness) continue;
    if (find_witness(m)) return true;
    *entry = NO_ORDER;
    memcpy(entry + 1, m->key, (m->memo_width - 1) * sizeof *m->key);
    m->memo_used++;
  }
  make_key(m, 5);
  uint32_t *entry = memo_find(m);
  if (*entry == ADMITTED) return true;
  if (*entry == ASK_WHOLE) return false;
  m->memo_used += !*entry;
  *entry = decide(m, m->key) == INTEGER_YES ? ADMITTED : ASK_WHOLE;
  memcpy(entry + 1, m->key, (m->memo_width - 1) * sizeof *m->key);
  return *entry == ADMITTED;
}

static bool admitted(struct grammar_monitor *m) {
  gather(m);
  return smaller_admitted(m) || decide_whole(m);
}

/* Events. */

static void call(struct monitor *base, uint32_t slot, uint16_t method, const value arg[OP_ARGS]) {
  static const value none[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
  struct grammar_monitor *m = of(base);
  if (m->silent) return;
  struct open o = {.class = class_of_call(m, method, arg)};
  if (m->silent) return;
  struct op op = {.method = method, .result = V_UNKNOWN};
  for (int a = 0; a < OP_ARGS; a++) op.arg[a] = o.arg[a] = told_value(&m->classes.at[o.class], a, arg[a]);
  while (slot >= m->open.count) vec_push(base->mem, &m->open, (struct open){.class = UINT32_MAX});
  m->open.at[slot] = o;
  counting_call(m->counting, slot, (uint16_t)o.class, none);
  witness_call(m->witness, slot, &op, counting_length(m->counting));
}

static bool ret(struct monitor *base, uint32_t slot, value result) {
  struct grammar_monitor *m = of(base);
  if (m->silent) return true;
  const struct open *o = &m->open.at[slot];
  uint64_t letters = letters_of(m, terminals_of(m, &m->classes.at[o->class], result));
  if (!letters && outside(m, m->classes.at[o->class].method, o->arg, result)) {
    m->silent = m->figures.outside = true;
    return true;
  }
  uint8_t set = set_of(m, letters);
  if (m->silent) return true;
  result = told_value(&m->classes.at[o->class], OP_ARGS, result);
  remember(m, o, set, result);
  counting_return(m->counting, slot, value_of_small(set));
  m->unmatched = !letters;
  m->figures.checks++;
  m->total[set]++;
  bool in_order = witness_return(m->witness, slot, result);
  if (!letters || !((in_order && !m->no_witness) || admitted(m))) return false;
  look_back(m);
  return true;
}

static void drop(struct monitor *base, uint32_t slot) {
  if (of(base)->silent) return;
  counting_drop(of(base)->counting, slot);
  witness_drop(of(base)->witness, slot);
}

static void retire(struct monitor *base, uint32_t slot) {
  if (of(base)->silent) return;
  counting_retire(of(base)->counting, slot);
  witness_retire(of(base)->witness, slot);
}

static size_t bytes(const struct monitor *base) {
  const struct grammar_monitor *m = (const struct grammar_monitor *)base;
  return sizeof *m + counting_bytes(m->counting) + m->open.room * sizeof *m->open.at +
         m->seen.room * sizeof *m->seen.at + m->classes.room * sizeof *m->classes.at +
         (m->memo ? (size_t)MEMO_MOST * m->memo_width * sizeof *m->memo : 0);
}

static uint64_t held(const struct monitor *base) {
  return counting_labels(((const struct grammar_monitor *)base)->counting);
}

/* Showing. */

struct shown {
  uint16_t method;
  value arg[OP_ARGS], result;
  uint64_t letters, count;
  uint8_t from, to;
  bool pending;
};
struct showing {
  struct grammar_monitor *monitor;
  VEC(struct shown) list;
};

static void list_label(struct showing *s, uint32_t n) {
  struct grammar_monitor *m = s->monitor;
  struct approx_label l = counting_label(m->counting, n);
  const uint64_t *counts = counting_at(m->counting, n);
  const struct class *c = &m->classes.at[l.method];
  struct shown o = {.method = c->method,
                    .pending = l.pending,
                    .arg = {V_NONE, V_NONE, V_NONE},
                    .result = V_UNKNOWN,
                    .letters = letters_of(m, c->terminals) & ~m->form->idle};
  for (size_t i = 0; i < m->open.count && l.pending; i++) /* none of it may have returned yet */
    if (m->open.at[i].class == l.method) memcpy(o.arg, m->open.at[i].arg, sizeof o.arg);
  for (size_t i = 0; i < m->seen.count; i++) {
    const struct seen *e = &m->seen.at[i];
    if (e->class != l.method || (!l.pending && e->set != (unsigned)value_small(l.result))) continue;
    memcpy(o.arg, e->arg, sizeof o.arg);
    if (!l.pending) o.letters = m->sets[e->set], o.result = e->result;
    break;
  }
  for (unsigned i = 0; i <= m->base.k; i++)
    for (unsigned j = i; j <= m->base.k; j++) {
      o.from = (uint8_t)i;
      o.to = (uint8_t)j;
      o.count = counts[approx_interval(m->base.k, i, j)];
      if (o.count && (!l.pending || o.letters)) vec_push(m->base.mem, &s->list, o);
    }
}

static bool rejected(struct showing *s) {
  struct grammar_monitor *m = s->monitor;
  m->asked.count = 0;
  for (size_t i = 0; i < s->list.count; i++) {
    const struct shown *o = &s->list.at[i];
    ask_about(m, o->letters, o->count, o->from, o->to, o->pending);
  }
  return ask(m, NULL) == INTEGER_NO;
}

/* Idle operations that are not needed; of the others of a kind, one. */
static void drop_idle(struct showing *s) {
  for (size_t i = 0; i < s->list.count; i++) {
    struct shown *o = &s->list.at[i];
    uint64_t had = o->count;
    if (o->pending || !o->letters || o->letters & ~s->monitor->form->idle) continue;
    o->count = 0;
    if (!rejected(s)) o->count = 1;
    if (o->count && had > 1 && !rejected(s)) o->count = had;
  }
}

/* How many there are of a letter in an interval, and taking some of them away, or back. */
static uint64_t total(const struct showing *s, uint64_t letter, unsigned from, unsigned to) {
  uint64_t n = 0;
  for (size_t i = 0; i < s->list.count; i++)
    if (!s->list.at[i].pending && s->list.at[i].letters == letter && s->list.at[i].from == from &&
        s->list.at[i].to == to)
      n += s->list.at[i].count;
  return n;
}

static void take(struct showing *s, uint64_t letter, unsigned from, unsigned to, uint64_t count) {
  for (size_t i = 0; i < s->list.count; i++) {
    struct shown *o = &s->list.at[i];
    if (o->pending || o->letters != letter || o->from != from || o->to != to) continue;
    uint64_t n = o->count < count ? o->count : count;
    o->count -= n;
    count -= n;
  }
}

/* Takes whole cycles out of an interval, all of them if what is left is still no history of the object's, or as many as
 * can be.
 */
static void drop_cycles(struct showing *s, unsigned from, unsigned to) {
  const struct form *f = s->monitor->form;
  struct mem *mem = s->monitor->base.mem;
  size_t size = s->list.count * sizeof *s->list.at;
  struct shown *before = mem_alloc(mem, size + 1);
  for (size_t c = 0; c < f->cycle_count; c++) {
    const uint8_t *cycle = f->cycles.at + c * f->letters;
    uint64_t most = UINT64_MAX;
    for (uint32_t l = 0; l < f->letters; l++)
      if (cycle[l] && total(s, (uint64_t)1 << l, from, to) / cycle[l] < most)
        most = total(s, (uint64_t)1 << l, from, to) / cycle[l];
    for (uint64_t leave = 0; leave < most; leave = leave * 2 + 1) {
      if (size) memcpy(before, s->list.at, size);
      for (uint32_t l = 0; l < f->letters; l++)
        if (cycle[l]) take(s, (uint64_t)1 << l, from, to, (most - leave) * cycle[l]);
      if (rejected(s)) break;
      if (size) memcpy(s->list.at, before, size);
    }
  }
  mem_free(mem, before);
}

static uint64_t list_size(const struct showing *s) {
  uint64_t n = 0;
  for (size_t i = 0; i < s->list.count; i++) n += s->list.at[i].count;
  return n;
}

/* Of pending operations of one kind no more are of use than the others need: one before each of them, and as many as
 * fit into the object, or may be held at a time, before that. Of the specification's own grammar that is known; to the
 * exact checker each one more is as long again. */
static void cap_pending(struct showing *s) {
  uint64_t others = 1, each = (uint64_t)(s->monitor->base.spec.param ? s->monitor->base.spec.k : 1) + 1;
  for (size_t i = 0; i < s->list.count; i++)
    if (!s->list.at[i].pending) others += s->list.at[i].count;
  for (size_t i = 0; i < s->list.count; i++) {
    struct shown *o = &s->list.at[i];
    if (o->pending && o->count / each > others) o->count = others * each;
  }
}

/* Who did what is forgotten. Where it matters to the specification, an operation is given to a process that did what it
 * may belong to, if one has: to one whose latest operation makes a cycle with it. */
struct assigned {
  uint64_t letters;
  unsigned to;
  bool done;
};

static bool partners(const struct form *f, uint64_t a, uint64_t b) {
  if (!one_letter(a) || !one_letter(b) || !a || !b) return false;
  for (size_t c = 0; c < f->cycle_count; c++) {
    const uint8_t *cycle = f->cycles.at + c * f->letters;
    unsigned sum = 0;
    for (uint32_t l = 0; l < f->letters; l++) sum += cycle[l];
    if (sum == 2 && a != b && cycle[__builtin_ctzll(a)] && cycle[__builtin_ctzll(b)]) return true;
  }
  return false;
}

static void show_list(struct showing *s) {
  struct grammar_monitor *m = s->monitor;
  VEC(struct assigned) processes = {0};
  for (unsigned from = 0; from <= m->base.k; from++)
    for (size_t i = 0; i < s->list.count; i++) {
      const struct shown *o = &s->list.at[i];
      for (uint64_t n = 0; o->from == from && n < o->count; n++) {
        size_t p = 0, tried = processes.count < 100 ? processes.count : 0;
        while (p < tried && !(!processes.at[p].done && processes.at[p].to < from &&
                              partners(m->form, processes.at[p].letters, o->letters)))
          p++;
        if (p == tried) {
          p = processes.count;
          vec_push(m->base.mem, &processes, ((struct assigned){o->letters, o->to, false}));
        } else {
          processes.at[p] = (struct assigned){o->letters, o->to, true};
        }
        monitor_show_as(&m->base, (uint32_t)p + 1, o->method, o->arg, o->result, o->pending, o->from, o->to);
      }
    }
  vec_free(m->base.mem, &processes);
}

/* Where the specification goes by processes: all by one process, whatever overlaps. That is what is left of them when
 * who did what is forgotten, and it is no execution either. */
static bool confirmed_by_one_process(struct showing *s) {
  struct grammar_monitor *m = s->monitor;
  struct mem *mem = m->base.mem;
  if (!m->base.spec.by_process) return true;
  struct history *h = monitor_history(mem, &m->base.spec);
  names_intern(h->processes, "1", 1);
  for (size_t i = 0; i < s->list.count; i++)
    for (uint64_t n = 0; n < s->list.at[i].count; n++) {
      const struct shown *o = &s->list.at[i];
      history_interval(h, 0, 0, o->method, o->arg, OP_ARGS, o->result, 2 * (int64_t)o->from,
                       o->pending ? INT64_MAX : 2 * (int64_t)o->to + 1, 0);
    }
  history_finish(h);
  struct spec spec = m->base.spec;
  struct check_result r;
  struct problem why;
  spec.processes = h->processes;
  return monitor_confirm(mem, h, &spec, &r, &why);
}

static void say_operation(const struct grammar_monitor *m, const struct shown *o, struct text *said) {
  size_t len;
  const char *name = spec_op_name(&m->base.spec, o->method, &len);
  text_printf(said, "%llu %.*s", (unsigned long long)o->count, (int)len, name);
  if (o->pending)
    text_add(said, " pending");
  else if (o->result != V_NONE) {
    text_add(said, " => ");
    value_print(m->base.spec.values, o->result, said);
  }
  text_printf(said, " in [%u,%u]", o->from, o->to);
}

static void say(const struct showing *s, struct text *said) {
  const struct grammar_monitor *m = s->monitor;
  unsigned told = 0;
  if (m->unmatched)
    text_printf(said, "the grammar '%s' has no operation with this result: ", m->grammar->source);
  else
    text_printf(said, "no order of these operations is a word of the grammar '%s'%s: ", m->grammar->source,
                m->base.spec.by_process ? ", whoever does them" : "");
  for (size_t i = 0; i < s->list.count; i++) {
    if (!s->list.at[i].count || (m->unmatched && s->list.at[i].letters)) continue;
    if (told++) text_add(said, told > 8 ? "" : ", ");
    if (told <= 8) say_operation(m, &s->list.at[i], said);
  }
  if (told > 8) text_printf(said, " and %u more kinds", told - 8);
}

static void show(struct monitor *base, struct text *said) {
  struct grammar_monitor *m = of(base);
  struct showing s = {.monitor = m};
  for (uint32_t n = 0; n < counting_labels(m->counting); n++)
    if (counting_occurs(m->counting, n)) list_label(&s, n);
  drop_idle(&s);
  for (unsigned i = 0; i <= base->k; i++)
    for (unsigned j = i; j <= base->k; j++) drop_cycles(&s, i, j);
  say(&s, said);
  if (m->bundled) cap_pending(&s);
  m->too_many = list_size(&s) > SHOWN_MOST ? list_size(&s) : 0;
  if (!m->too_many && confirmed_by_one_process(&s)) show_list(&s);
  vec_free(base->mem, &s.list);
}

static bool blame(struct monitor *base, struct problem *problem) {
  struct grammar_monitor *m = of(base);
  if (m->too_many)
    problem_set(
        problem,
        "the %llu operations that the grammar '%s' has no word of are too many to be confirmed (the most are %d)",
        (unsigned long long)m->too_many, m->grammar->source, SHOWN_MOST);
  else if (m->bundled)
    return false;
  else
    problem_set(
        problem,
        "the grammar '%s' is not one of '%s': the specification allows operations that no word of the grammar has",
        m->grammar->source, base->spec.name);
  return true;
}

static void blind(const struct monitor *base, struct text *t) {
  const struct grammar_monitor *m = (const struct grammar_monitor *)base;
  text_printf(t, "operations are counted: %s of the operations is not looked at\n",
              base->spec.by_process ? "which process did which" : "which value belongs to which");
  if (m->figures.unknown)
    text_printf(t,
                "at %llu event%s the equations at k = %u were too many to solve, and only what a smaller k shows was "
                "looked at\n",
                (unsigned long long)m->figures.unknown, m->figures.unknown == 1 ? "" : "s", base->k);
  if (m->silent)
    text_printf(t,
                "an operation that the grammar '%s' does not describe ended the monitoring: what came after it was not "
                "looked at\n",
                m->grammar->source);
}

/* What is known of keys stays known. */
static void reset(struct monitor *base) {
  struct grammar_monitor *m = of(base);
  mem_close(m->run);
  m->counting = counting_new(m->run, base->k);
  m->witness = witness_new(m->run, &base->spec);
  memset(m->total, 0, sizeof m->total);
  memset(m->base_total, 0, sizeof m->base_total);
  m->next_at = 0;
  m->seen.count = 0;
  m->silent = m->figures.outside = false;
  m->coarser = 0;
}

static const struct monitor_type grammar_type = {.name = "grammar",
                                                 .call = call,
                                                 .ret = ret,
                                                 .drop = drop,
                                                 .retire = retire,
                                                 .show = show,
                                                 .bytes = bytes,
                                                 .held = held,
                                                 .blame = blame,
                                                 .blind = blind,
                                                 .counts = true,
                                                 .reset = reset};

/* Making one. */

static struct monitor *make(struct mem *mem, const struct spec *spec, unsigned k, struct grammar *g,
                            struct problem *problem) {
  if (k > APPROX_K_MOST) {
    problem_set(problem, "k is %u, but approximations go up to k = %d", k, APPROX_K_MOST);
    return NULL;
  }
  struct grammar_monitor *m = mem_zero(mem, 1, sizeof *m);
  m->base = (struct monitor){.type = &grammar_type, .mem = mem, .spec = *spec, .k = k};
  m->grammar = g;
  m->form = grammar_form(mem, g);
  m->parikh[k] = parikh_new(mem, m->form, k, problem);
  if (!m->parikh[k]) return NULL;
  m->run = mem_child(mem);
  m->intervals = APPROX_INTERVALS(k);
  m->width = m->intervals + k + 1;
  m->class_of = mem_zero(mem, spec->op_count, sizeof *m->class_of);
  m->by_arguments = mem_zero(mem, spec->op_count, sizeof *m->by_arguments);
  m->counts = mem_zero(mem, SETS_MOST * m->width, sizeof *m->counts);
  m->key = mem_zero(mem, SETS_MOST * m->width, sizeof *m->key);
  for (int a = 0; a < OP_ARGS; a++) {
    for (size_t t = 0; t < g->terminals.count; t++)
      m->by_arguments[g->terminals.at[t].method] |= g->terminals.at[t].arg[a].kind != PATTERN_ANY;
    for (size_t t = 0; t < g->outside.count; t++)
      m->by_arguments[g->outside.at[t].method] |= g->outside.at[t].arg[a].kind != PATTERN_ANY;
  }
  reset(&m->base);
  return &m->base;
}

struct monitor *monitor_of_bundled_grammar(struct mem *mem, const struct spec *spec, unsigned k,
                                           struct problem *problem) {
  const char *text = grammar_bundled(mem, spec);
  struct monitor *m = monitor_of_grammar_text(mem, spec, k, spec->name, text, strlen(text), problem);
  if (m) of(m)->bundled = true;
  return m;
}

struct monitor *monitor_of_grammar_text(struct mem *mem, const struct spec *spec, unsigned k, const char *source,
                                        const char *text, size_t len, struct problem *problem) {
  struct grammar *g = grammar_parse(mem, spec, source, text, len, problem);
  return g ? make(mem, spec, k, g, problem) : NULL;
}

/* A grammar of the user's is tried on the specification's shorter executions: all must be words. */
static bool check_own(struct mem *mem, const struct spec *spec, const struct grammar *g, struct problem *problem) {
  struct form *f = grammar_form(mem, g);
  struct text word;
  text_open(&word, mem);
  if (!grammar_misses(mem, g, f, spec, 5, 1500, &word)) return true;
  problem_set(problem,
              "%s: '%s' allows the execution  %.300s  which is no word of the grammar; the grammar needs a word for "
              "every execution",
              g->source, spec->name, text_string(&word));
  return false;
}

struct monitor *monitor_of_grammar(struct mem *mem, const struct spec *spec, unsigned k, const char *path,
                                   struct problem *problem) {
  struct spec named;
  struct problem unused;
  bool is_name = !strpbrk(path, "./") && spec_named(path, &named, &unused);
  /* That of the specification itself goes by its parameter. */
  if (is_name && grammar_exists(&named) && named.family == spec->family && named.bounded == spec->bounded &&
      named.weak == spec->weak)
    return monitor_of_bundled_grammar(mem, spec, k, problem);
  const char *text = is_name ? grammar_bundled(mem, &named) : NULL;
  if (text) return monitor_of_grammar_text(mem, spec, k, path, text, strlen(text), problem);
  struct grammar *g = grammar_read(mem, spec, path, problem);
  return g && check_own(mem, spec, g, problem) ? make(mem, spec, k, g, problem) : NULL;
}

void monitor_grammar_by_system(struct monitor *m) { of(m)->no_witness = true; }

void monitor_grammar_figures(const struct monitor *m, struct grammar_figures *f) {
  *f = ((const struct grammar_monitor *)m)->figures;
}
