/* The reachable state graph: breadth-first search over packed states (see graph.h). */
#include "verify/graph.h"

#include <string.h>

#include "base/hash.h"

/* What a move is worked out in. */
struct step {
  void *from, *to;
  struct move move;
  struct graph_label label;
  unsigned char *key; /* of the state the move leads to */
  size_t size;
};

static size_t open_bytes(const struct graph *g) { return g->system->threads * sizeof(uint16_t); }

uint16_t graph_call(const struct graph *g, uint32_t node, unsigned thread) {
  uint16_t call;
  memcpy(&call, g->bytes.at + g->at.at[node] + thread * sizeof call, sizeof call);
  return call;
}

bool label_has(const struct graph_label *l, enum event_kind kind, int thread) {
  for (unsigned i = 0; i < l->count; i++)
    if (l->events[i].kind == kind && (thread < 0 || l->events[i].thread == thread)) return true;
  return false;
}

static void step_open(struct step *s, struct graph *g) {
  memset(s, 0, sizeof *s);
  s->from = mem_zero(g->mem, 1, g->system->work);
  s->to = mem_zero(g->mem, 1, g->system->work);
  s->key = mem_zero(g->mem, 1, open_bytes(g) + g->system->packed_most);
}

static void step_close(struct step *s, struct graph *g) {
  mem_free(g->mem, s->from);
  mem_free(g->mem, s->to);
  mem_free(g->mem, s->key);
}

/* Tables. */

static bool is_node(const struct graph *g, uint32_t i, const struct step *s) {
  size_t at = g->at.at[i];
  return g->at.at[i + 1] - at == s->size && !memcmp(g->bytes.at + at, s->key, s->size);
}

static void grow_table(struct graph *g) {
  mem_free(g->mem, g->table);
  if (g->mask == UINT32_MAX)
    mem_zero(g->mem, SIZE_MAX, 1); /* more nodes than have numbers: more than there is memory for */
  g->mask = g->mask * 2 + 1;
  g->table = mem_zero(g->mem, (size_t)g->mask + 1, sizeof *g->table);
  for (uint32_t i = 0; i < g->count; i++) {
    uint32_t h = (uint32_t)hash_bytes(g->bytes.at + g->at.at[i], g->at.at[i + 1] - g->at.at[i]) & g->mask;
    while (g->table[h]) h = (h + 1) & g->mask;
    g->table[h] = i + 1;
  }
}

static void add_node(struct graph *g, const struct step *s, uint32_t parent) {
  uint16_t open = 0, call;
  for (unsigned t = 0; t < g->system->threads; t++) {
    memcpy(&call, s->key + t * sizeof call, sizeof call);
    if (call != NOT_OPEN) open |= (uint16_t)(1u << t);
  }
  vec_reserve(g->mem, &g->bytes, g->bytes.count + s->size);
  memcpy(g->bytes.at + g->bytes.count, s->key, s->size);
  g->bytes.count += s->size;
  vec_push(g->mem, &g->at, g->bytes.count);
  vec_push(g->mem, &g->parent, parent);
  vec_push(g->mem, &g->open, open);
  g->count++;
}

/* The node of the state in s, new or not. */
static uint32_t intern_node(struct graph *g, const struct step *s, uint32_t parent) {
  if (g->count >= g->mask - g->mask / 3) grow_table(g);
  uint32_t h = (uint32_t)hash_bytes(s->key, s->size) & g->mask;
  for (; g->table[h]; h = (h + 1) & g->mask)
    if (is_node(g, g->table[h] - 1, s)) return g->table[h] - 1;
  add_node(g, s, parent);
  g->table[h] = g->count;
  return g->count - 1;
}

static bool same_label(const struct graph_label *a, const struct graph_label *b) {
  return a->thread == b->thread && a->count == b->count && !memcmp(a->events, b->events, a->count * sizeof *a->events);
}

static uint64_t hash_label(const struct graph_label *l) {
  return hash_mix(hash_bytes(l->events, l->count * sizeof *l->events) ^ l->thread);
}

static void grow_label_table(struct graph *g) {
  mem_free(g->mem, g->label_table);
  g->label_mask = g->label_mask * 2 + 1;
  g->label_table = mem_zero(g->mem, (size_t)g->label_mask + 1, sizeof *g->label_table);
  for (uint32_t i = 0; i < g->labels.count; i++) {
    uint32_t h = (uint32_t)hash_label(&g->labels.at[i]) & g->label_mask;
    while (g->label_table[h]) h = (h + 1) & g->label_mask;
    g->label_table[h] = i + 1;
  }
}

static uint32_t intern_label(struct graph *g, const struct graph_label *l) {
  if (g->labels.count * 2 >= g->label_mask) grow_label_table(g);
  uint32_t h = (uint32_t)hash_label(l) & g->label_mask;
  for (; g->label_table[h]; h = (h + 1) & g->label_mask)
    if (same_label(&g->labels.at[g->label_table[h] - 1], l)) return g->label_table[h] - 1;
  vec_push(g->mem, &g->labels, *l);
  g->label_table[h] = (uint32_t)g->labels.count;
  return (uint32_t)g->labels.count - 1;
}

/* Moves. */

/* The label of the move made, and the open calls of the key after it. */
static void read_events(struct step *s, unsigned thread) {
  memset(&s->label, 0, sizeof s->label);
  s->label.thread = (uint8_t)thread;
  for (unsigned i = 0; i < s->move.event_count; i++) {
    struct event e = s->move.events[i];
    if (e.kind != EVENT_CALL && e.kind != EVENT_RETURN) continue;
    unsigned char *open = s->key + e.thread * sizeof e.call;
    uint16_t now = NOT_OPEN;
    if (e.kind == EVENT_CALL) {
      now = e.call;
      e.result = 0;
    } else {
      memcpy(&e.call, open, sizeof e.call);
    }
    memcpy(open, &now, sizeof now);
    s->label.events[s->label.count++] = e;
  }
}

/* Lets a thread of a node move, its state being in s->from: fills in the rest of s if it did. length: how much it runs,
 * NULL for as much as a move does. */
static enum moved make_move(struct graph *g, struct step *s, uint32_t node, unsigned thread, struct choices *c,
                            const uint32_t *length) {
  struct system *system = g->system;
  memset(&s->move, 0, sizeof s->move);
  enum moved moved = length && system->again ? system->again(system, s->from, thread, c, *length, s->to, &s->move)
                                             : system->move(system, s->from, thread, c, s->to, &s->move);
  if (moved != MOVED) return moved;
  memcpy(s->key, g->bytes.at + g->at.at[node], open_bytes(g));
  read_events(s, thread);
  s->size = open_bytes(g) + g->system->pack(g->system, s->to, NULL, s->key + open_bytes(g), NULL);
  return MOVED;
}

static void unpack_node(struct graph *g, uint32_t node, void *work) {
  size_t at = g->at.at[node] + open_bytes(g);
  g->system->unpack(g->system, g->bytes.at + at, g->at.at[node + 1] - at, work);
}

static void add_edge(struct graph *g, struct graph_edge e) {
  for (size_t i = g->first.at[g->first.count - 1]; i < g->edges.count; i++)
    if (g->edges.at[i].to == e.to && g->edges.at[i].label == e.label) return;
  vec_push(g->mem, &g->edges, e);
}

/* All moves of a thread of the node being expanded. False if one faulted. */
static bool expand_thread(struct graph *g, struct step *s, uint32_t node, unsigned thread) {
  size_t before = g->edges.count;
  bool waits = false, locked = false;
  struct choices c;
  choices_begin(&c);
  do {
    enum moved moved = make_move(g, s, node, thread, &c, NULL);
    if (moved == FAULTED) {
      g->fault_node = node;
      g->fault = (struct path_move){.thread = (uint8_t)thread, .choices = c, .move = s->move};
      return false;
    }
    if (moved == WAITS) waits = true, locked |= s->move.locked;
    if (moved == MOVED) add_edge(g, (struct graph_edge){intern_node(g, s, node), intern_label(g, &s->label)});
  } while (choices_next_in(g->mem, &c));
  uint16_t bit = (uint16_t)(1u << thread);
  if (g->edges.count > before)
    g->enabled.at[node] |= bit;
  else if (waits && locked)
    g->waits.at[node] |= bit;
  else if (waits)
    g->held.at[node] |= bit & g->open.at[node];
  return true;
}

static bool expand(struct graph *g, struct step *s, uint32_t node) {
  vec_push(g->mem, &g->enabled, 0);
  vec_push(g->mem, &g->waits, 0);
  vec_push(g->mem, &g->held, 0);
  unpack_node(g, node, s->from);
  for (unsigned t = 0; t < g->system->threads; t++)
    if (!expand_thread(g, s, node, t)) return false;
  vec_push(g->mem, &g->first, g->edges.count);
  return true;
}

static void add_start(struct graph *g, struct step *s) {
  vec_push(g->mem, &g->at, 0);
  vec_push(g->mem, &g->first, 0);
  g->system->start(g->system, s->to);
  memset(s->key, 0xff, open_bytes(g)); /* NOT_OPEN each */
  s->size = open_bytes(g) + g->system->pack(g->system, s->to, NULL, s->key + open_bytes(g), NULL);
  intern_node(g, s, 0);
}

void graph_open(struct graph *g, struct mem *m, struct system *system) {
  memset(g, 0, sizeof *g);
  g->mem = m;
  g->system = system;
  g->fault_node = UINT32_MAX;
  g->mask = 1023;
  g->table = mem_zero(m, (size_t)g->mask + 1, sizeof *g->table);
  g->label_mask = 63;
  g->label_table = mem_zero(m, (size_t)g->label_mask + 1, sizeof *g->label_table);
  struct step s;
  step_open(&s, g);
  add_start(g, &s);
  step_close(&s, g);
}

void graph_extend(struct graph *g, uint32_t expanded) {
  struct step s;
  step_open(&s, g);
  while (g->expanded < g->count && g->expanded < expanded) {
    if (g->mem->limits && g->mem->limits->states && g->count >= g->mem->limits->states)
      limits_reach(g->mem->limits, LIMIT_STATES), mem_poll(g->mem);
    if (g->expanded % 256 == 0) mem_poll(g->mem);
    if (!expand(g, &s, g->expanded)) break;
    g->expanded++;
  }
  step_close(&s, g);
}

/* Paths. States are stored without what does not matter, and unpacking may give another name to an object: moves are
 * found from the unpacked state, and made again in the execution itself. */

/* The move, of a node whose state is in s->from, that is this edge; false if there is none. */
static bool find_move(struct graph *g, struct step *s, uint32_t node, struct graph_edge e, const uint32_t *length,
                      struct path_move *out) {
  const struct graph_label *label = &g->labels.at[e.label];
  struct choices c;
  choices_begin(&c);
  do {
    if (make_move(g, s, node, label->thread, &c, length) != MOVED) continue;
    if (!same_label(&s->label, label) || !is_node(g, e.to, s)) continue;
    *out = (struct path_move){.thread = label->thread, .choices = c, .move = s->move};
    return true;
  } while (choices_next(&c));
  return false;
}

/* The move that faulted, in the execution. */
static bool find_fault(struct graph *g, struct step *s, struct path_move *out) {
  struct choices c;
  choices_begin(&c);
  do {
    if (make_move(g, s, g->fault_node, g->fault.thread, &c, &g->fault.move.length) != FAULTED) continue;
    if (s->move.fault != g->fault.move.fault) continue;
    *out = (struct path_move){.thread = g->fault.thread, .choices = c, .move = s->move};
    return true;
  } while (choices_next(&c));
  return false;
}

struct path_move *graph_path(struct graph *g, struct mem *m, const struct graph_edge *edges, size_t count, bool fault) {
  struct path_move *path = mem_zero(m, count + 1, sizeof *path);
  struct step stored, real;
  step_open(&stored, g);
  step_open(&real, g);
  g->system->start(g->system, real.from);
  uint32_t node = 0;
  bool found = true;
  for (size_t i = 0; i < count && found; i++) {
    unpack_node(g, node, stored.from);
    found = find_move(g, &stored, node, edges[i], NULL, &path[i]);
    uint32_t length = path[i].move.length;
    found = found && find_move(g, &real, node, edges[i], &length, &path[i]);
    memcpy(real.from, real.to, g->system->work);
    node = edges[i].to;
  }
  if (fault) found = found && find_fault(g, &real, &path[count]);
  step_close(&stored, g);
  step_close(&real, g);
  return found ? path : NULL;
}
