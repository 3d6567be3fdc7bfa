/* Which executions the models allow: the axioms, on graphs (graph.h).
 *
 * C11 is RC11 (Lahav et al. 2017) with the choices of C++20: hb;eco? is irreflexive, an update follows what it reads,
 * po and rf have no cycle, nor has psc:
 *
 *   scb = po | po;hb;po | hb on one place | mo | rb
 *   psc = ([SC] | [Fsc];hb?) ; scb ; ([SC] | hb?;[Fsc])  |  [Fsc] ; (hb | hb;eco;hb) ; [Fsc]
 *
 * TSO is x86's, as compilers use it: a sequentially consistent store is an exchange. There is one order of all accesses
 * that extends mo, rb, what is read from others, and po, but not from a store to a later load with no fence or update
 * in between.
 *
 * An update's read and write are two slots, in po. */
#include <string.h>

#include "run/weak.h"

#define BIT(row, i) ((row)[(i) / 64] >> (i) % 64 & 1)
#define SET(row, i) ((row)[(i) / 64] |= (uint64_t)1 << (i) % 64)

/* With further edges, or the rows as they are. */
struct rows {
  graph_row *before, *after;
};
static graph_row more_before[GRAPH_SLOTS], more_after[GRAPH_SLOTS], order_before[GRAPH_SLOTS];

static size_t words;

static inline uint32_t rank_of(const struct graph_slot *s) { return graph_rank((uint32_t)(s - graph_slots)); }

/* --- C11 --- */

static graph_row scb_rows[GRAPH_SLOTS];
static graph_row scb_known;

/* What is after it in scb. */
static const uint64_t *scb(const struct rows *r, uint32_t x) {
  uint64_t *to = scb_rows[x];
  const struct graph_slot *s = &graph_slots[x];
  if (BIT(scb_known, x)) return to;
  SET(scb_known, x);
  for (size_t w = 0; w < words; w++) to[w] = r->after[x][w] & graph_of_fiber[s->fiber][w];
  if (s->next != GRAPH_NONE) { /* po;hb;po */
    for (unsigned f = 0; f < run.fibers; f++) {
      if (f == s->fiber) continue;
      size_t w = 0;
      while (w < words && !(r->after[s->next][w] & graph_of_fiber[f][w])) w++;
      if (w == words) continue;
      size_t b = w * 64 + (unsigned)__builtin_ctzll(r->after[s->next][w] & graph_of_fiber[f][w]);
      for (w = 0; w < words; w++) to[w] |= r->after[b][w] & graph_of_fiber[f][w];
    }
  }
  if (s->place == GRAPH_NONE) return to;
  uint32_t rank = rank_of(s);
  for (uint32_t y = graph_places[s->place].last; y != GRAPH_NONE; y = graph_slots[y].same)
    if (y != x && (BIT(r->after[x], y) || (graph_slots[y].kind == SLOT_WRITE && rank_of(&graph_slots[y]) > rank)))
      SET(to, y);
  return to;
}

/* What eco puts after it. */
static void eco(uint32_t x, uint64_t *to) {
  const struct graph_slot *s = &graph_slots[x];
  if (s->place == GRAPH_NONE) return;
  uint32_t rank = rank_of(s);
  for (uint32_t y = graph_places[s->place].last; y != GRAPH_NONE; y = graph_slots[y].same)
    if (rank_of(&graph_slots[y]) > rank) SET(to, y);
}

static bool meet(const uint64_t *a, const uint64_t *b) {
  for (size_t w = 0; w < words; w++)
    if (a[w] & b[w]) return true;
  return false;
}

/* The slots after n in psc. */
static void psc(const struct rows *r, uint32_t n, uint64_t *to) {
  static graph_row reached, by_eco;
  bool fence = graph_slots[n].kind == SLOT_FENCE;
  memcpy(reached, scb(r, n), words * sizeof *to);
  memset(by_eco, 0, words * sizeof *to);
  for (size_t w = 0; fence && w < words; w++)
    for (uint64_t rest = r->after[n][w]; rest; rest &= rest - 1) {
      uint32_t x = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(rest));
      const uint64_t *more = scb(r, x);
      for (size_t i = 0; i < words; i++) reached[i] |= more[i];
      eco(x, by_eco);
    }
  memset(to, 0, words * sizeof *to);
  for (size_t i = 0; i < graph_sc_count; i++) {
    uint32_t m = graph_sc[i];
    bool hit = BIT(reached, m);
    if (!hit && graph_slots[m].kind == SLOT_FENCE)
      hit = meet(reached, r->before[m]) || (fence && (BIT(r->after[n], m) || meet(by_eco, r->before[m])));
    if (hit) SET(to, m);
  }
}

/* --- TSO --- */

/* What is later than it in the order of all accesses. */
static void store_order(const struct rows *r, uint32_t n, uint64_t *to) {
  const struct graph_slot *s = &graph_slots[n];
  bool write = (s->kind == SLOT_WRITE || s->kind == SLOT_RETURN) && !s->barrier, passed = false;
  for (size_t w = 0; w < words; w++) to[w] = r->after[n][w] & (write ? ~graph_of_fiber[s->fiber][w] : ~(uint64_t)0);
  for (uint32_t y = s->next; write && y != GRAPH_NONE; y = graph_slots[y].next) {
    passed |= graph_slots[y].barrier;
    if (passed || graph_slots[y].kind == SLOT_WRITE || graph_slots[y].kind == SLOT_RETURN) SET(to, y);
  }
  if (s->place == GRAPH_NONE) return;
  uint32_t rank = rank_of(s);
  for (uint32_t y = graph_places[s->place].last; y != GRAPH_NONE; y = graph_slots[y].same) {
    const struct graph_slot *o = &graph_slots[y];
    bool reads_it = s->kind == SLOT_WRITE && o->kind == SLOT_READ && o->message == s->message;
    if (reads_it ? o->fiber != s->fiber : o->kind == SLOT_WRITE && rank_of(o) > rank) SET(to, y);
  }
}

/* --- cycles --- */

static graph_row entered, left;

static bool cycle_from(const struct rows *r, uint32_t n, bool tso) {
  uint64_t to[words];
  SET(entered, n);
  if (tso)
    store_order(r, n, to);
  else
    psc(r, n, to);
  for (size_t w = 0; w < words; w++)
    for (uint64_t rest = to[w]; rest; rest &= rest - 1) {
      uint32_t m = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(rest));
      if (BIT(left, m)) continue;
      if (BIT(entered, m) || cycle_from(r, m, tso)) return true;
    }
  SET(left, n);
  return false;
}

static void begin(void) {
  words = (graph_count + 63) / 64;
  memset(entered, 0, words * sizeof *entered);
  memset(left, 0, words * sizeof *left);
  memset(scb_known, 0, words * sizeof *scb_known);
}

static bool begin_at(const struct rows *r, uint32_t n, bool tso) { return !BIT(entered, n) && cycle_from(r, n, tso); }

static bool is_tso(void) { return run_graph()->model == MEMORY_TSO; }

bool graph_has_axioms(void) { return is_tso() || graph_sc_count >= 2; }

bool graph_forbids(size_t first) {
  struct rows r = {graph_before, graph_after};
  if (!graph_has_axioms()) return false;
  graph_rows();
  begin();
  for (size_t n = first; is_tso() && n < graph_count; n++)
    if (begin_at(&r, (uint32_t)n, true)) return true;
  for (size_t i = 0; !is_tso() && i < graph_sc_count; i++) { /* a new edge leaves these */
    uint32_t n = graph_sc[i];
    bool leaves = n >= first || (graph_slots[n].kind == SLOT_FENCE && BIT(graph_before[graph_count - 1], n));
    if (leaves && begin_at(&r, n, false)) return true;
  }
  return false;
}

/* --- with edges from returns to calls, which synchronise --- */

/* Rows with what is reached by the edges too. False: there is a cycle. */
static bool close_rows(graph_row *rows, const struct graph_edge *edges, size_t count) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t e = 0; e < count; e++) {
      uint32_t from = edges[e].from, to = edges[e].to;
      if (BIT(rows[from], to)) return false;
      for (uint32_t j = 0; j < graph_count; j++) {
        if ((j != to && !BIT(rows[j], to)) || BIT(rows[j], from)) continue;
        if (j == from) return false;
        SET(rows[j], from);
        for (size_t w = 0; w < words; w++) rows[j][w] |= rows[from][w];
        changed = true;
      }
    }
  }
  for (size_t e = 0; e < count; e++)
    if (BIT(rows[edges[e].from], edges[e].from)) return false;
  return true;
}

/* Happens-before and reads-from together. */
static void causes(void) {
  for (size_t j = 0; j < graph_count; j++) {
    const struct graph_slot *s = &graph_slots[j];
    memcpy(order_before[j], graph_before[j], words * sizeof(uint64_t));
    uint32_t from = s->kind == SLOT_READ ? graph_messages[s->message].slot : GRAPH_NONE;
    for (size_t w = 0; w < words; w++)
      for (uint64_t rest = graph_before[j][w]; rest; rest &= rest - 1) {
        const uint64_t *more = order_before[w * 64 + (unsigned)__builtin_ctzll(rest)];
        for (size_t i = 0; i < words; i++) order_before[j][i] |= more[i];
      }
    if (from == GRAPH_NONE) continue;
    SET(order_before[j], from);
    for (size_t i = 0; i < words; i++) order_before[j][i] |= order_before[from][i];
  }
}

/* hb;eco? is irreflexive, and so is hb itself. */
static bool coherent(const struct rows *r) {
  for (uint32_t x = 0; x < graph_count; x++) {
    const struct graph_slot *s = &graph_slots[x];
    if (BIT(r->before[x], x)) return false;
    if (s->place == GRAPH_NONE) continue;
    for (uint32_t y = graph_places[s->place].last; y != GRAPH_NONE; y = graph_slots[y].same)
      if (BIT(r->before[x], y) && rank_of(&graph_slots[y]) > rank_of(s)) return false;
  }
  return true;
}

static bool acyclic(const struct rows *r) {
  bool tso = is_tso();
  begin();
  for (uint32_t n = 0; tso && n < graph_count; n++)
    if (begin_at(r, n, true)) return false;
  for (size_t i = 0; !tso && i < graph_sc_count; i++)
    if (begin_at(r, graph_sc[i], false)) return false;
  return true;
}

/* Happens-before with the edges: in more_before and more_after. False: there is a cycle. */
static bool add_edges(const struct graph_edge *edges, size_t count) {
  for (size_t j = 0; j < graph_count; j++) {
    memcpy(more_before[j], graph_before[j], words * sizeof(uint64_t));
    memset(more_after[j], 0, words * sizeof(uint64_t));
  }
  if (!close_rows(more_before, edges, count)) return false;
  for (size_t j = 0; j < graph_count; j++)
    for (size_t w = 0; w < words; w++)
      for (uint64_t rest = more_before[j][w]; rest; rest &= rest - 1)
        SET(more_after[w * 64 + (unsigned)__builtin_ctzll(rest)], j);
  return true;
}

static const struct rows more_rows = {more_before, more_after};

bool graph_consistent(const struct graph_edge *edges, size_t count) {
  words = (graph_count + 63) / 64;
  graph_rows();
  causes();
  return close_rows(order_before, edges, count) && add_edges(edges, count) && coherent(&more_rows) &&
         acyclic(&more_rows);
}

bool graph_satisfies(const struct graph_edge *edges, size_t count) {
  words = (graph_count + 63) / 64;
  graph_rows();
  return add_edges(edges, count) && acyclic(&more_rows);
}

bool graph_coherent(void) { return graph_consistent(NULL, 0); }
