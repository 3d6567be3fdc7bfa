/* The Parikh image of a grammar's words with slots, and whether a history fits it (Theorem 6): see grammar.h.
 *
 * Rules are taken with the slots they begin and end in: A from s to t has the words of A that are put into slots s..t,
 * the first letter in s or later, the last in t; each letter is put into the slot its part ends in. The last rule of a
 * word ends anywhere, so where A ends need not be told: `to` is `any`. That alone makes a right-linear grammar's
 * product as small as an automaton's.
 *
 * How often each production is used: y[p] >= 0. Each rule is used as often as it is made (the start once more), each
 * letter in each slot is made as often as there are operations put there, and every rule used can be reached from the
 * start by productions used. Numbers with that are those of a derivation, and the other way round (Verma, Seidl and
 * Schwentick 2005, theorem 4). The last condition is looked at when a solution breaks it: rules that are used in a
 * circle and not reached are either not used at all, or reached by one of the productions that lead there. */
#include "approx/grammar.h"

#include <string.h>

enum {
  PRODUCTIONS_MOST = 60000,
  WORK_MOST = 1 << 27
}; /* the latter: entries of the tableau, some tenths of a second */

struct node {
  uint32_t rule;
  uint8_t from, to;
};
/* Right side: a node's number, or a letter in a slot, or nothing. */
#define ITEM_NONE   UINT32_MAX
#define ITEM_LETTER 0x80000000u
struct used_production {
  uint32_t node, right[2];
};
struct parikh {
  struct mem *mem, *scratch;
  const struct form *form;
  unsigned k;
  VEC(struct node) nodes; /* the first is the start */
  VEC(struct used_production) productions;
  uint32_t *number;                      /* of rule, from, to: a node's, one more */
  struct parikh *smaller[APPROX_K_MOST]; /* with fewer slots, once needed */
};

static bool is_letter(uint32_t item) { return item != ITEM_NONE && item & ITEM_LETTER; }
static uint32_t letter_place(uint32_t item) { return item & ~ITEM_LETTER; } /* letter * (k + 1) + slot */

/* The product. */

static uint32_t node_of(struct parikh *p, uint32_t rule, unsigned from, unsigned to) {
  uint32_t *at = &p->number[(rule * (p->k + 1) + from) * (p->k + 2) + to];
  if (!*at) {
    vec_push(p->mem, &p->nodes, ((struct node){rule, (uint8_t)from, (uint8_t)to}));
    *at = (uint32_t)p->nodes.count;
  }
  return *at - 1;
}

static uint32_t item_of(struct parikh *p, symbol s, unsigned from, unsigned to) {
  return symbol_terminal(s) ? ITEM_LETTER | (symbol_number(s) * (p->k + 1) + to)
                            : node_of(p, symbol_number(s), from, to);
}

static void add(struct parikh *p, uint32_t node, uint32_t x, uint32_t y) {
  vec_push(p->mem, &p->productions, ((struct used_production){node, {x, y}}));
}

/* The last symbol of a right side, or the only one; x is what comes before it. */
static void add_last(struct parikh *p, uint32_t node, uint32_t x, symbol s, unsigned from, unsigned to) {
  unsigned any = p->k + 1;
  for (unsigned end = from; end <= p->k; end++) {
    if (to != any && end != to) continue;
    if (to == any && !symbol_terminal(s)) end = any;
    uint32_t y = item_of(p, s, from, end);
    if (x == ITEM_NONE)
      add(p, node, y, ITEM_NONE);
    else
      add(p, node, x, y);
  }
}

static void expand(struct parikh *p, uint32_t node) {
  struct node n = p->nodes.at[node];
  unsigned any = p->k + 1, last = n.to == any ? p->k : n.to;
  for (size_t i = 0; i < p->form->productions.count; i++) {
    const struct form_production *q = &p->form->productions.at[i];
    if (q->rule != n.rule) continue;
    if (q->right[0] == FORM_NONE) {
      if (n.to == any || n.to == n.from) add(p, node, ITEM_NONE, ITEM_NONE);
    } else if (q->right[1] == FORM_NONE) {
      add_last(p, node, ITEM_NONE, q->right[0], n.from, n.to);
    } else {
      for (unsigned middle = n.from; middle <= last; middle++)
        add_last(p, node, item_of(p, q->right[0], n.from, middle), q->right[1], middle, n.to);
    }
  }
}

struct parikh *parikh_new(struct mem *m, const struct form *form, unsigned k, struct problem *problem) {
  struct parikh *p = mem_zero(m, 1, sizeof *p);
  p->mem = m;
  p->scratch = mem_child(m);
  p->form = form;
  p->k = k;
  p->number = mem_zero(m, (size_t)form->rules * (k + 1) * (k + 2), sizeof *p->number);
  node_of(p, form->start, 0, k + 1);
  for (uint32_t i = 0; i < p->nodes.count; i++) {
    expand(p, i);
    if (p->productions.count <= PRODUCTIONS_MOST) continue;
    problem_set(
        problem,
        "the grammar is too large for k = %u: more than %d productions with their intervals; a smaller k may do", k,
        PRODUCTIONS_MOST);
    return NULL;
  }
  return p;
}

void parikh_size(const struct parikh *p, size_t *rules, size_t *productions) {
  *rules = p->nodes.count;
  *productions = p->productions.count;
}

/* A history's system: only what its letters can make.
 *
 * There the order on a right side plays no part any more: it says how often it has which node and which letter in which
 * slot. A node with one production only is replaced by it wherever it stands, which it is as often as it is used. */

struct item {
  uint32_t id; /* as in used_production */
  int64_t times;
};
struct part {
  uint32_t node, count;
  struct item *items; /* by id */
};
enum { TIMES_MOST = 1 << 30 };

struct query {
  struct parikh *parikh;
  const struct parikh_count *counts;
  size_t count;
  uint64_t *there;        /* letter * (k + 1) + slot: how many operations could be put there at most */
  uint64_t *fixed;        /* and those that can be nowhere else */
  bool *makes, *live;     /* a node each: has a word; is met from the start */
  VEC(struct part) parts; /* productions as they are in the system; each its variable's number */
  struct integer_system system;
};

static bool one_place(const struct parikh_count *c) {
  return !c->pending && c->from == c->to && c->letters && !(c->letters & (c->letters - 1));
}

static void find_there(struct query *q) {
  struct parikh *p = q->parikh;
  size_t places = (size_t)p->form->letters * (p->k + 1);
  q->there = mem_zero(p->scratch, places + 1, sizeof *q->there);
  q->fixed = mem_zero(p->scratch, places + 1, sizeof *q->fixed);
  for (size_t i = 0; i < q->count; i++)
    for (uint32_t l = 0; l < p->form->letters; l++)
      for (unsigned t = q->counts[i].from; q->counts[i].letters >> l & 1 && t <= q->counts[i].to; t++) {
        q->there[l * (p->k + 1) + t] += q->counts[i].count;
        if (one_place(&q->counts[i])) q->fixed[l * (p->k + 1) + t] += q->counts[i].count;
      }
}

static bool can_make(const struct query *q, const struct used_production *u) {
  for (int j = 0; j < 2; j++) {
    uint32_t x = u->right[j];
    if (x != ITEM_NONE && !(is_letter(x) ? q->there[letter_place(x)] > 0 : q->makes[x])) return false;
  }
  return true;
}

static void find_live(struct query *q) {
  struct parikh *p = q->parikh;
  bool changed = true;
  q->makes = mem_zero(p->scratch, p->nodes.count, 1);
  q->live = mem_zero(p->scratch, p->nodes.count, 1);
  while (changed) {
    changed = false;
    for (size_t i = p->productions.count; i-- > 0;) {
      const struct used_production *u = &p->productions.at[i];
      if (q->makes[u->node] || !can_make(q, u)) continue;
      q->makes[u->node] = changed = true;
    }
  }
  q->live[0] = changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < p->productions.count; i++) {
      const struct used_production *u = &p->productions.at[i];
      if (!q->live[u->node] || !can_make(q, u)) continue;
      for (int j = 0; j < 2; j++) {
        if (u->right[j] == ITEM_NONE || is_letter(u->right[j]) || q->live[u->right[j]]) continue;
        q->live[u->right[j]] = changed = true;
      }
    }
  }
}

/* a and so many times b, without the item `without` of a. False if a number would be too large. */
static bool join_items(struct mem *m, const struct part *a, uint32_t without, const struct part *b, int64_t times,
                       struct part *out) {
  struct item *to = mem_alloc(m, (a->count + b->count + 1) * sizeof *to);
  uint32_t i = 0, j = 0, n = 0;
  while (i < a->count || j < b->count) {
    if (i < a->count && a->items[i].id == without) {
      i++;
      continue;
    }
    uint32_t x = i < a->count ? a->items[i].id : UINT32_MAX, y = j < b->count ? b->items[j].id : UINT32_MAX;
    to[n] = (struct item){x < y ? x : y, 0};
    if (x <= y) to[n].times += a->items[i++].times;
    if (y <= x) to[n].times += times * b->items[j++].times;
    if (to[n++].times > TIMES_MOST) {
      mem_free(m, to);
      return false;
    }
  }
  *out = (struct part){a->node, n, to};
  return true;
}

static struct item *find_item(const struct part *p, uint32_t id) {
  for (uint32_t i = 0; i < p->count; i++)
    if (p->items[i].id == id) return &p->items[i];
  return NULL;
}

static bool same_part(const struct part *a, const struct part *b) {
  if (a->node != b->node || a->count != b->count) return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (a->items[i].id != b->items[i].id || a->items[i].times != b->items[i].times) return false;
  return true;
}

static void add_part(struct query *q, const struct part *p) {
  if (p->count == 1 && p->items[0].id == p->node && p->items[0].times == 1) return; /* A -> A */
  for (size_t i = 0; i < q->parts.count; i++)
    if (same_part(&q->parts.at[i], p)) return;
  vec_push(q->parikh->scratch, &q->parts, *p);
}

static void make_parts(struct query *q) {
  struct parikh *p = q->parikh;
  for (uint32_t i = 0; i < p->productions.count; i++) {
    const struct used_production *u = &p->productions.at[i];
    if (!q->live[u->node] || !can_make(q, u)) continue;
    struct part part = {u->node, 0, mem_alloc(p->scratch, 2 * sizeof *part.items)};
    for (int j = 0; j < 2; j++) {
      uint32_t x = u->right[j];
      if (x == ITEM_NONE) continue;
      if (part.count && part.items[0].id == x) {
        part.items[0].times++;
      } else if (part.count && part.items[0].id > x) {
        part.items[part.count++] = part.items[0];
        part.items[0] = (struct item){x, 1};
      } else {
        part.items[part.count++] = (struct item){x, 1};
      }
    }
    add_part(q, &part);
  }
}

/* The node's production, if it has one only and that does not have the node itself. */
static const struct part *only_part(const struct query *q, uint32_t node) {
  const struct part *only = NULL;
  for (size_t i = 0; i < q->parts.count; i++) {
    if (q->parts.at[i].node != node) continue;
    if (only) return NULL;
    only = &q->parts.at[i];
  }
  return only && !find_item(only, node) ? only : NULL;
}

static bool replace_node(struct query *q, uint32_t node) {
  const struct part *found = only_part(q, node);
  if (!found) return false;
  struct part only = *found;
  VEC(struct part) old = {0}, new = {0};
  struct mem *m = q->parikh->scratch;
  for (size_t i = 0; i < q->parts.count; i++) {
    struct part *p = &q->parts.at[i], joined = *p;
    struct item *x = find_item(p, node);
    if (p->node == node) continue;
    if (x && !join_items(m, p, node, &only, x->times, &joined)) return false;
    vec_push(m, &new, joined);
  }
  old.at = q->parts.at, old.count = q->parts.count, old.room = q->parts.room;
  memset(&q->parts, 0, sizeof q->parts);
  for (size_t i = 0; i < new.count; i++) add_part(q, &new.at[i]);
  vec_free(m, &new);
  vec_free(m, &old);
  q->live[node] = false;
  return true;
}

static void replace_nodes(struct query *q) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t n = 1; n < q->parikh->nodes.count; n++)
      if (q->live[n]) changed |= replace_node(q, n);
  }
}

static void add_productions(struct query *q) {
  for (size_t i = 0; i < q->parts.count; i++) {
    const struct part *p = &q->parts.at[i];
    int64_t most = INTEGER_NO_BOUND;
    for (uint32_t j = 0; j < p->count; j++) {
      if (!is_letter(p->items[j].id)) continue;
      int64_t n = (int64_t)q->there[letter_place(p->items[j].id)] / p->items[j].times;
      if (n < most) most = n;
    }
    integer_variable(&q->system, 0, most);
  }
}

/* Each rule is used as often as it is made; the start once more. */
static void add_flows(struct query *q) {
  for (uint32_t n = 0; n < q->parikh->nodes.count; n++) {
    if (!q->live[n]) continue;
    integer_row(&q->system, n == 0, n == 0);
    for (uint32_t v = 0; v < q->parts.count; v++) {
      const struct item *x = find_item(&q->parts.at[v], n);
      int64_t times = (q->parts.at[v].node == n) - (x ? x->times : 0);
      if (times) integer_term(&q->system, v, times);
    }
  }
}

/* Operations that can be in several slots, or be several letters: how many are which letter in which slot. The
 * variables follow each other, by operation count, letter and slot. */
static void add_placings(struct query *q) {
  for (size_t i = 0; i < q->count; i++) {
    const struct parikh_count *c = &q->counts[i];
    if (one_place(c)) continue;
    integer_row(&q->system, c->pending ? 0 : (int64_t)c->count, (int64_t)c->count);
    for (uint32_t l = 0; l < q->parikh->form->letters; l++)
      for (unsigned t = c->from; c->letters >> l & 1 && t <= c->to; t++)
        integer_term(&q->system, integer_variable(&q->system, 0, (int64_t)c->count), 1);
  }
}

/* Each letter is made in each slot as often as there are operations put there. */
static void add_letters(struct query *q) {
  struct parikh *p = q->parikh;
  for (uint32_t place = 0; place < p->form->letters * (p->k + 1); place++) {
    if (!q->there[place]) continue;
    integer_row(&q->system, (int64_t)q->fixed[place], (int64_t)q->fixed[place]);
    for (uint32_t v = 0; v < q->parts.count; v++) {
      const struct item *x = find_item(&q->parts.at[v], ITEM_LETTER | place);
      if (x) integer_term(&q->system, v, x->times);
    }
    uint32_t v = (uint32_t)q->parts.count;
    for (size_t i = 0; i < q->count; i++) {
      const struct parikh_count *c = &q->counts[i];
      for (uint32_t l = 0; !one_place(c) && l < p->form->letters; l++)
        for (unsigned t = c->from; c->letters >> l & 1 && t <= c->to; t++, v++)
          if (l * (p->k + 1) + t == place) integer_term(&q->system, v, -1);
    }
  }
}

/* Rules used that the start does not reach by productions used. */
static bool find_unreached(const struct query *q, const int64_t *x, bool *reached) {
  bool changed = true, all = true;
  reached[0] = true;
  while (changed) {
    changed = false;
    for (uint32_t v = 0; v < q->parts.count; v++) {
      const struct part *p = &q->parts.at[v];
      for (uint32_t j = 0; x[v] && reached[p->node] && j < p->count; j++) {
        if (is_letter(p->items[j].id) || reached[p->items[j].id]) continue;
        reached[p->items[j].id] = changed = true;
      }
    }
  }
  for (uint32_t v = 0; v < q->parts.count; v++) all &= !x[v] || reached[q->parts.at[v].node];
  return !all;
}

static bool leads_into(const struct part *p, const bool *set) {
  for (uint32_t j = 0; j < p->count; j++)
    if (!is_letter(p->items[j].id) && set[p->items[j].id]) return true;
  return false;
}

/* The alternatives: none of the productions that lead into the circle is used and so none of the circle's; or the first
 * of them is used; or the first is not but the second is; and so on. */
static bool reached_all(void *of, const int64_t *x, struct integer_split *split) {
  struct query *q = of;
  size_t nodes = q->parikh->nodes.count, count = q->parts.count;
  bool *reached = mem_zero(split->mem, nodes, 1), *circle = mem_zero(split->mem, nodes, 1);
  bool broken = find_unreached(q, x, reached);
  for (uint32_t v = 0; v < count && broken; v++)
    if (x[v] && !reached[q->parts.at[v].node]) circle[q->parts.at[v].node] = true;
  for (uint32_t v = 0; v < count && broken; v++)
    if (circle[q->parts.at[v].node] || leads_into(&q->parts.at[v], circle))
      vec_push(split->mem, &split->bounds, ((struct integer_bound){v, 0, 0}));
  if (broken) vec_push(split->mem, &split->ends, split->bounds.count);
  for (uint32_t v = 0; v < count && broken; v++) {
    if (circle[q->parts.at[v].node] || !leads_into(&q->parts.at[v], circle)) continue;
    for (uint32_t w = 0; w < v; w++)
      if (!circle[q->parts.at[w].node] && leads_into(&q->parts.at[w], circle))
        vec_push(split->mem, &split->bounds, ((struct integer_bound){w, 0, 0}));
    vec_push(split->mem, &split->bounds, ((struct integer_bound){v, 1, INTEGER_NO_BOUND}));
    vec_push(split->mem, &split->ends, split->bounds.count);
  }
  mem_free(split->mem, reached);
  mem_free(split->mem, circle);
  return !broken;
}

static enum integer_answer solve(struct parikh *p, const struct parikh_count *counts, size_t count,
                                 struct integer_figures *figures) {
  struct query q = {.parikh = p, .counts = counts, .count = count};
  integer_open(&q.system, p->scratch);
  find_there(&q);
  find_live(&q);
  enum integer_answer answer = INTEGER_NO;
  if (q.makes[0]) {
    make_parts(&q);
    replace_nodes(&q);
    add_productions(&q);
    add_flows(&q);
    add_placings(&q);
    add_letters(&q);
    answer = integer_solve(p->scratch, &q.system, reached_all, &q, WORK_MOST, NULL, figures);
  }
  mem_close(p->scratch);
  return answer;
}

/* Slots that no operation ends in while others begin after it are one: the canonical representation of the intervals.
 */
static unsigned join_slots(struct parikh_count *counts, size_t count, unsigned k) {
  uint64_t begins = 0, ends = 0;
  uint8_t to[APPROX_K_MOST + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    begins |= (uint64_t)1 << counts[i].from;
    if (!counts[i].pending) ends |= (uint64_t)1 << counts[i].to;
  }
  bool ended = false;
  for (unsigned t = 1; t <= k; t++) {
    ended |= ends >> (t - 1) & 1;
    to[t] = to[t - 1];
    if (!ended || !(begins >> t & 1)) continue;
    to[t]++;
    ended = false;
  }
  for (size_t i = 0; i < count; i++) {
    counts[i].from = to[counts[i].from];
    counts[i].to = to[counts[i].to];
  }
  return to[k];
}

enum integer_answer parikh_admits(struct parikh *p, const struct parikh_count *counts, size_t count,
                                  struct integer_figures *figures) {
  uint64_t total = 0;
  for (size_t i = 0; i < count; i++)
    if (__builtin_add_overflow(total, counts[i].count, &total) || total >= (uint64_t)1 << 40) return INTEGER_UNKNOWN;
  struct parikh_count *joined = mem_alloc(p->mem, (count + 1) * sizeof *joined);
  struct problem unused;
  if (count) memcpy(joined, counts, count * sizeof *joined);
  unsigned k = join_slots(joined, count, p->k);
  if (k < p->k && !p->smaller[k]) p->smaller[k] = parikh_new(p->mem, p->form, k, &unused);
  enum integer_answer answer = solve(k < p->k ? p->smaller[k] : p, joined, count, figures);
  mem_free(p->mem, joined);
  return answer;
}

/* The formula. */

struct printing {
  struct parikh *parikh;
  const struct grammar *grammar;
  const struct spec *spec;
  struct text *out;
};

static void print_node(const struct printing *p, uint32_t n) {
  const struct node *x = &p->parikh->nodes.at[n];
  text_printf(p->out, "R%u", x->rule);
  if (x->to <= p->parikh->k)
    text_printf(p->out, "[%u,%u]", x->from, x->to);
  else
    text_printf(p->out, "[%u..]", x->from);
}

static void print_letter(const struct printing *p, uint32_t letter) {
  bool first = true;
  for (size_t t = 0; t < p->grammar->terminals.count; t++) {
    if (p->parikh->form->letter_of[t] != letter) continue;
    if (!first) text_add(p->out, " or ");
    first = false;
    pattern_print(&p->grammar->terminals.at[t], p->spec, p->out);
  }
}

static void print_productions(const struct printing *p) {
  const struct parikh *q = p->parikh;
  for (size_t i = 0; i < q->productions.count; i++) {
    const struct used_production *u = &q->productions.at[i];
    text_printf(p->out, "  y%zu counts ", i);
    print_node(p, u->node);
    text_add(p->out, " ->");
    if (u->right[0] == ITEM_NONE) text_add(p->out, " empty");
    for (int j = 0; j < 2 && u->right[j] != ITEM_NONE; j++) {
      text_char(p->out, ' ');
      if (is_letter(u->right[j]))
        text_printf(p->out, "L%u@%u", letter_place(u->right[j]) / (q->k + 1), letter_place(u->right[j]) % (q->k + 1));
      else
        print_node(p, u->right[j]);
    }
    text_char(p->out, '\n');
  }
}

static void print_sum(struct text *out, bool *first, const char *sign, int64_t times, const char *name, size_t number) {
  text_add(out, *first ? (*sign == '-' ? "-" : "") : (*sign == '-' ? " - " : " + "));
  if (times > 1) text_printf(out, "%lld ", (long long)times);
  text_printf(out, "%s%zu", name, number);
  *first = false;
}

static void print_flows(const struct printing *p) {
  const struct parikh *q = p->parikh;
  for (uint32_t n = 0; n < q->nodes.count; n++) {
    bool first = true;
    text_add(p->out, "  ");
    for (size_t i = 0; i < q->productions.count; i++)
      if (q->productions.at[i].node == n) print_sum(p->out, &first, "+", 1, "y", i);
    if (first) text_char(p->out, '0');
    text_printf(p->out, " = %s", n ? "" : "1");
    first = n != 0;
    for (size_t i = 0; i < q->productions.count; i++) {
      int64_t times = (q->productions.at[i].right[0] == n) + (q->productions.at[i].right[1] == n);
      if (times) print_sum(p->out, &first, "+", times, "y", i);
    }
    if (first) text_char(p->out, '0');
    text_add(p->out, "   # ");
    print_node(p, n);
    text_char(p->out, '\n');
  }
}

static void print_slots(const struct printing *p) {
  const struct parikh *q = p->parikh;
  for (uint32_t l = 0; l < q->form->letters; l++)
    for (unsigned t = 0; t <= q->k; t++) {
      bool first = true;
      text_add(p->out, "  ");
      for (unsigned i = 0; i <= t; i++)
        for (unsigned j = t; j <= q->k; j++) {
          text_printf(p->out, "%sn(L%u,%u,%u,%u)", first ? "" : " + ", l, i, j, t);
          first = false;
        }
      for (unsigned i = 0; i <= t; i++) text_printf(p->out, " + m(L%u,%u,%u)", l, i, t);
      text_add(p->out, " = ");
      first = true;
      for (size_t i = 0; i < q->productions.count; i++) {
        uint32_t item = ITEM_LETTER | (l * (q->k + 1) + t);
        int64_t times = (q->productions.at[i].right[0] == item) + (q->productions.at[i].right[1] == item);
        if (times) print_sum(p->out, &first, "+", times, "y", i);
      }
      text_add(p->out, first ? "0\n" : "\n");
    }
}

static void print_counts(const struct printing *p) {
  const struct parikh *q = p->parikh;
  for (uint32_t l = 0; l < q->form->letters; l++)
    for (unsigned i = 0; i <= q->k; i++)
      for (unsigned j = i; j <= q->k; j++) {
        text_add(p->out, "  ");
        for (unsigned t = i; t <= j; t++) text_printf(p->out, "%sn(L%u,%u,%u,%u)", t == i ? "" : " + ", l, i, j, t);
        text_printf(p->out, " = #(L%u, %u, %u)\n", l, i, j);
      }
  for (unsigned i = 0; i <= q->k; i++)
    text_printf(p->out, "  the m(.,%u,.) of an operation's letters add up to at most the pending ones with [%u,%u]\n",
                i, i, q->k);
}

void parikh_print(struct parikh *q, const struct grammar *g, const struct spec *spec, struct text *out) {
  struct printing p = {q, g, spec, out};
  text_printf(
      out,
      "# A history of length %u is one of '%s' iff there are numbers y >= 0, n >= 0 and m >= 0 with the following.\n",
      q->k, g->source);
  text_add(out, "letters\n");
  for (uint32_t l = 0; l < q->form->letters; l++) {
    text_printf(out, "  L%u is ", l);
    print_letter(&p, l);
    text_char(out, '\n');
  }
  text_add(out, "productions\n");
  print_productions(&p);
  text_add(out, "each rule is used as often as it is made\n");
  print_flows(&p);
  text_add(out,
           "each letter is made in each slot as often as there are operations put there: complete ones n(letter, i, j, "
           "slot), pending ones m(letter, i, slot)\n");
  print_slots(&p);
  text_add(out, "each complete operation is in one slot of its interval\n");
  print_counts(&p);
  text_printf(out, "and every rule with a y > 0 is reached from ");
  print_node(&p, 0);
  text_add(out, " by productions with y > 0\n");
}
