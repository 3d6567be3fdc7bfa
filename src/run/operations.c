/* What an execution says of its operations: which of them further synchronisation may order (graph.h).
 *
 * With edges from returns to calls as synchronisation, what happens before what is reached by paths of happens-before
 * and edges in turn. So whether an edge after another closes a cycle, or makes somebody read what is overwritten, is
 * seen from the calls and returns at the ends: of two operations each. */
#include <string.h>

#include "run/weak.h"

static bool happens(uint32_t i, uint32_t j) {
  const struct graph_slot *a = &graph_slots[i], *b = &graph_slots[j];
  return a->fiber == b->fiber ? i < j : a->epoch <= graph_known[j].of[a->fiber];
}
static bool happens_or_is(uint32_t i, uint32_t j) { return i == j || happens(i, j); }

/* Of each slot, the operations whose call causes it: by program order, what is read, and synchronisation. Slots are in
 * an order that extends this. */
static void find_causes(struct graph_operations *o) {
  static uint32_t by[GRAPH_SLOTS];
  for (uint32_t j = 0; j < graph_count; j++) {
    const struct graph_slot *s = &graph_slots[j];
    uint32_t from = s->kind == SLOT_READ ? graph_messages[s->message].slot : GRAPH_NONE;
    by[j] = s->before == GRAPH_NONE ? 0 : by[s->before];
    if (from != GRAPH_NONE) by[j] |= by[from];
    for (uint32_t i = 0; (s->kind == SLOT_SYNC || s->before == GRAPH_NONE) && i < j; i++)
      if (happens(i, j)) by[j] |= by[i];
    if (s->kind != SLOT_CALL) continue;
    for (unsigned b = 0; b < o->count; b++)
      if (o->called[b] == j) by[j] |= (uint32_t)1 << b;
  }
  for (unsigned a = 0; a < o->count; a++)
    for (unsigned b = 0; b < o->count && o->returned[a] != GRAPH_NONE; b++)
      if (by[o->returned[a]] >> b & 1) o->causes[b] |= (uint32_t)1 << a;
}

/* Of a place: which edges would let what is before them be overwritten by what is after them. */
static void find_forbidden(struct graph_operations *o, uint32_t place) {
  int64_t newest[GRAPH_OPERATIONS], oldest[GRAPH_OPERATIONS]; /* before each return, after each call */
  uint32_t last = graph_places[place].last, other = last;
  while (other != GRAPH_NONE && graph_slots[other].fiber == graph_slots[last].fiber) other = graph_slots[other].same;
  if (other == GRAPH_NONE) return;
  for (unsigned a = 0; a < o->count; a++) newest[a] = INT64_MIN, oldest[a] = INT64_MAX;
  for (uint32_t s = last; s != GRAPH_NONE; s = graph_slots[s].same) {
    int64_t rank = graph_rank(s);
    for (unsigned a = 0; a < o->count; a++) {
      if (rank > newest[a] && o->returned[a] != GRAPH_NONE && happens_or_is(s, o->returned[a])) newest[a] = rank;
      if (rank < oldest[a] && o->called[a] != GRAPH_NONE && happens_or_is(o->called[a], s)) oldest[a] = rank;
    }
  }
  for (unsigned a = 0; a < o->count; a++)
    for (unsigned b = 0; b < o->count; b++)
      if (newest[a] > oldest[b]) o->forbids[a] |= (uint32_t)1 << b;
}

void graph_operations(struct graph_operations *o) {
  memset(o->happens, 0, sizeof o->happens);
  memset(o->causes, 0, sizeof o->causes);
  memset(o->forbids, 0, sizeof o->forbids);
  o->axioms = graph_has_axioms();
  find_causes(o);
  for (uint32_t p = 0; p < graph_place_count; p++) find_forbidden(o, p);
  for (unsigned a = 0; a < o->count; a++)
    for (unsigned b = 0; b < o->count; b++)
      if (o->called[b] != GRAPH_NONE && o->returned[a] != GRAPH_NONE && happens(o->called[b], o->returned[a]))
        o->happens[b] |= (uint32_t)1 << a;
}

/* The returns that come after, given some that do. */
static uint32_t follow(const uint32_t *leads, const struct graph_pair *edges, size_t count, uint32_t reached) {
  uint32_t more = reached;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t e = 0; e < count; e++)
      if (more >> edges[e].from & 1 && leads[edges[e].to] & ~more) more |= leads[edges[e].to], changed = true;
  }
  return more;
}

static bool coheres(const struct graph_operations *o, const struct graph_pair *edges, size_t count) {
  for (size_t e = 0; e < count; e++) {
    uint32_t caused = follow(o->causes, edges, count, o->causes[edges[e].to]);
    if (caused >> edges[e].from & 1) return false;
    uint32_t later = follow(o->happens, edges, count, o->happens[edges[e].to]);
    if (o->forbids[edges[e].from] >> edges[e].to & 1) return false;
    for (size_t f = 0; f < count; f++)
      if (later >> edges[f].from & 1 && o->forbids[edges[e].from] >> edges[f].to & 1) return false;
  }
  return true;
}

bool graph_allows(const struct graph_operations *o, const struct graph_pair *edges, size_t count) {
  struct graph_edge slots[GRAPH_OPERATIONS * GRAPH_OPERATIONS];
  if (!coheres(o, edges, count)) return false;
  if (!o->axioms) return true;
  for (size_t e = 0; e < count; e++) slots[e] = (struct graph_edge){o->returned[edges[e].from], o->called[edges[e].to]};
  return graph_satisfies(slots, count);
}
