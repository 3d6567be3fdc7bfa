/* Lassos: Tarjan's strongly connected components, without recursion, and for strong fairness the recursive removal of
 * states of Lichtenstein and Pnueli (1985) and Emerson and Lei (1987). See lasso.h. */
#include "verify/lasso.h"

#include <string.h>

#define REGION_LEFT UINT32_MAX /* of nodes that no component in question has */

struct frame {
  uint32_t node;
  size_t next; /* the edge to look at */
};

/* What a component's edges and states have together. */
struct summary {
  uint16_t moved, always, sometimes; /* threads that move; that can in all states, in some */
  uint16_t held, ever_held;          /* threads that are held in all states, in some */
  uint64_t marks;
  bool edges; /* there is one */
  uint32_t lowest;
};

struct finder {
  struct mem *mem;
  const struct question *q;
  uint32_t *region; /* by node: components lie within one. Every component gets a region of its own when it is found */
  uint32_t regions; /* given out so far */
  uint32_t *order, *low; /* by node: Tarjan's numbers; order is 0 until visited */
  uint32_t clock;
  VEC(uint32_t) stack;
  VEC(struct frame) frames;
  VEC(uint32_t) again;        /* nodes whose regions are to be searched for components once more */
  uint32_t best, best_region; /* the answer: its lowest node, UINT32_MAX while there is none */
  struct summary answer;
};

static uint32_t state_of(const struct question *q, uint32_t node) { return q->state ? q->state[node] : node; }
static uint16_t bit(unsigned thread) { return thread == NO_THREAD ? 0 : (uint16_t)(1u << thread); }

static uint16_t held_in(const struct question *q, uint32_t node) { return q->held ? q->held[state_of(q, node)] : 0; }

static bool within(const struct finder *f, uint32_t node, const struct graph_edge *e) {
  return e->to < f->q->count && f->region[e->to] == f->region[node] && (!f->q->keep || f->q->keep[e->label]);
}

/* The threads of interest in a component. */
static uint16_t of_interest(const struct question *q, const struct summary *s) {
  return q->interest ? q->interest[state_of(q, s->lowest)] & (uint16_t)~s->held : 0;
}

/* Is there a loop as asked in a component? *refused gets the threads to which it is not fair, if that is all that is
 * wrong. */
static bool good(const struct finder *f, const struct summary *s, uint16_t *refused) {
  const struct question *q = f->q;
  if (!s->edges || (s->marks & q->all) != q->all) return false;
  uint16_t interest = of_interest(q, s);
  if (q->interest ? !(q->idle ? interest : interest & s->moved) : s->held) return false;
  if (q->fairness == FAIR_WEAK) return !(s->always & ~s->moved);
  if (q->fairness == FAIR_STRONG) *refused = s->sometimes & (uint16_t)~s->moved;
  return !*refused;
}

static struct summary summarize(const struct finder *f, const uint32_t *nodes, size_t count) {
  const struct question *q = f->q;
  struct summary s = {.always = UINT16_MAX, .held = UINT16_MAX, .lowest = UINT32_MAX};
  for (size_t i = 0; i < count; i++) {
    uint32_t n = nodes[i];
    if (n < s.lowest) s.lowest = n;
    s.always &= q->enabled[state_of(q, n)];
    s.sometimes |= q->enabled[state_of(q, n)];
    s.held &= held_in(q, n);
    s.ever_held |= held_in(q, n);
    for (size_t e = q->first[n]; e < q->first[n + 1]; e++) {
      if (!within(f, n, &q->edges[e])) continue;
      s.edges = true;
      s.moved |= bit(q->thread[q->edges[e].label]);
      if (q->marks) s.marks |= q->marks[q->edges[e].label];
    }
  }
  return s;
}

/* Looks at a component just found. */
static void judge(struct finder *f, const uint32_t *nodes, size_t count) {
  uint32_t region = ++f->regions;
  for (size_t i = 0; i < count; i++) f->region[nodes[i]] = region;
  struct summary s = summarize(f, nodes, count);
  uint16_t refused = 0;
  if (good(f, &s, &refused)) {
    if (s.lowest >= f->best) return;
    f->best = s.lowest;
    f->best_region = region;
    f->answer = s;
  } else if (refused) { /* what is left where none of these threads can move */
    for (size_t i = 0; i < count; i++) {
      if (f->q->enabled[state_of(f->q, nodes[i])] & refused) {
        f->region[nodes[i]] = REGION_LEFT;
      } else {
        f->order[nodes[i]] = 0;
        vec_push(f->mem, &f->again, nodes[i]);
      }
    }
  }
}

static void enter(struct finder *f, uint32_t node) {
  f->order[node] = f->low[node] = ++f->clock;
  vec_push(f->mem, &f->stack, node);
  vec_push(f->mem, &f->frames, ((struct frame){node, f->q->first[node]}));
  if (f->clock % 1024 == 0) mem_poll(f->mem);
}

/* All edges of a node were looked at: its component is complete if nothing older was reached. */
static void leave(struct finder *f, uint32_t node) {
  f->frames.count--;
  if (f->frames.count) {
    uint32_t caller = f->frames.at[f->frames.count - 1].node;
    if (f->low[node] < f->low[caller]) f->low[caller] = f->low[node];
  }
  if (f->low[node] != f->order[node]) return;
  size_t from = f->stack.count - 1;
  while (f->stack.at[from] != node) from--;
  judge(f, f->stack.at + from, f->stack.count - from);
  f->stack.count = from;
}

/* The components of what can be reached from a node in its region. */
static void components(struct finder *f, uint32_t root) {
  enter(f, root);
  while (f->frames.count) {
    struct frame *top = &f->frames.at[f->frames.count - 1];
    uint32_t node = top->node;
    if (top->next == f->q->first[node + 1]) {
      leave(f, node);
      continue;
    }
    const struct graph_edge *e = &f->q->edges[top->next++];
    if (!within(f, node, e)) continue;
    if (!f->order[e->to])
      enter(f, e->to);
    else if (f->order[e->to] < f->low[node]) /* it is on the stack: components that are complete have other regions */
      f->low[node] = f->order[e->to];
  }
}

static void find_component(struct finder *f) {
  size_t n = f->q->count;
  f->region = mem_zero(f->mem, n, sizeof *f->region);
  f->order = mem_zero(f->mem, n, sizeof *f->order);
  f->low = mem_zero(f->mem, n, sizeof *f->low);
  f->best = UINT32_MAX;
  for (uint32_t i = 0; i < f->q->count; i++)
    if (!f->order[i]) components(f, i);
  while (f->again.count) {
    uint32_t node = f->again.at[--f->again.count];
    if (!f->order[node]) components(f, node);
  }
  mem_free(f->mem, f->order);
  mem_free(f->mem, f->low);
  vec_free(f->mem, &f->stack);
  vec_free(f->mem, &f->frames);
  vec_free(f->mem, &f->again);
}

/* The loop, in the component found. */

/* What is still to be had: marks, and threads that must move or (weak fairness) come to a state where they cannot. */
struct wanted {
  uint64_t marks;
  uint16_t threads;  /* each of these */
  uint16_t interest; /* one of these */
  uint16_t free;     /* threads that must come to a state where they are not held */
  bool edge;         /* any edge: if there is nothing else to ask */
};

struct way {
  uint32_t *seen; /* by node: the round it was reached in */
  uint32_t round;
  uint32_t *before; /* the node it was reached from ... */
  size_t *by;       /* ... and the edge */
  VEC(uint32_t) queue;
};

static struct wanted wanted(const struct finder *f) {
  const struct question *q = f->q;
  struct wanted w = {.marks = q->all};
  uint16_t interest = of_interest(q, &f->answer);
  if (!q->idle) w.interest = interest;
  if (q->fairness != FAIR_NONE) w.threads = f->answer.sometimes;
  w.free =
      f->answer.ever_held & (q->interest ? interest & (uint16_t)-interest : UINT16_MAX); /* one of interest; or all */
  w.edge = !w.marks && !w.interest && !w.threads && !w.free;
  return w;
}

static uint16_t cannot_move(const struct question *q, uint32_t node) {
  return q->fairness == FAIR_WEAK ? (uint16_t)~q->enabled[state_of(q, node)] : 0;
}

/* What is left to be wanted after an edge. */
static struct wanted after(const struct question *q, struct wanted w, const struct graph_edge *e) {
  uint16_t mover = bit(q->thread[e->label]);
  if (q->marks) w.marks &= ~q->marks[e->label];
  w.threads &= (uint16_t) ~(mover | cannot_move(q, e->to));
  if (w.interest & mover) w.interest = 0;
  w.free &= held_in(q, e->to);
  w.edge = false;
  return w;
}

static bool differ(struct wanted a, struct wanted b) {
  return a.marks != b.marks || a.threads != b.threads || a.interest != b.interest || a.free != b.free ||
         a.edge != b.edge;
}
static bool all_had(struct wanted w) { return !w.marks && !w.threads && !w.interest && !w.free && !w.edge; }

static void reverse(struct edges *path, size_t from) {
  for (size_t to = path->count; from + 1 < to; from++) {
    struct graph_edge e = path->at[from];
    path->at[from] = path->at[--to];
    path->at[to] = e;
  }
}

/* Appends the way from start to a node reached from it in this round. */
static void retrace(struct finder *f, const struct way *w, uint32_t start, uint32_t node, struct edges *path) {
  size_t at = path->count;
  for (; node != start; node = w->before[node]) vec_push(f->mem, path, f->q->edges[w->by[node]]);
  reverse(path, at);
}

/* Breadth first from a node, in the component, to an edge that gives something wanted, or (nothing wanted) that leads
 * to `home`. Appends the edges before it to `path`, which give nothing wanted; returns the edge, and in *from its
 * source. */
static const struct graph_edge *walk(struct finder *f, struct way *w, uint32_t *from, uint32_t home, struct wanted want,
                                     struct edges *path) {
  const struct question *q = f->q;
  uint32_t start = *from;
  w->seen[start] = ++w->round;
  w->queue.count = 0;
  vec_push(f->mem, &w->queue, start);
  for (size_t i = 0; i < w->queue.count; i++) {
    uint32_t n = w->queue.at[i];
    if (i % 1024 == 0) mem_poll(f->mem);
    for (size_t k = q->first[n]; k < q->first[n + 1]; k++) {
      const struct graph_edge *e = &q->edges[k];
      if (!within(f, n, e)) continue;
      if (all_had(want) ? e->to == home : differ(after(q, want, e), want)) {
        retrace(f, w, start, n, path);
        *from = n;
        return e;
      }
      if (w->seen[e->to] == w->round) continue;
      w->seen[e->to] = w->round;
      w->before[e->to] = n;
      w->by[e->to] = k;
      vec_push(f->mem, &w->queue, e->to);
    }
  }
  return NULL; /* not in a component: every node reaches every edge */
}

static void make_loop(struct finder *f, struct lasso *l) {
  struct way w = {.seen = mem_zero(f->mem, f->q->count, sizeof *w.seen),
                  .before = mem_zero(f->mem, f->q->count, sizeof *w.before),
                  .by = mem_zero(f->mem, f->q->count, sizeof *w.by)};
  struct wanted want = wanted(f);
  uint32_t node = f->best;
  /* The way to the first edge wanted is no part of the loop. */
  const struct graph_edge *e = walk(f, &w, &node, node, want, &l->stem);
  l->from = node;
  for (;;) {
    vec_push(f->mem, &l->loop, *e);
    want = after(f->q, want, e);
    node = e->to;
    if (node == l->from && all_had(want)) break;
    e = walk(f, &w, &node, l->from, want, &l->loop);
  }
  mem_free(f->mem, w.seen);
  mem_free(f->mem, w.before);
  mem_free(f->mem, w.by);
  vec_free(f->mem, &w.queue);
}

void lasso_stem(struct mem *m, const struct question *q, uint32_t node, struct edges *path) {
  size_t at = path->count;
  for (; node; node = q->parent[node]) {
    size_t e = q->first[q->parent[node]];
    while (q->edges[e].to != node) e++;
    vec_push(m, path, q->edges[e]);
  }
  reverse(path, at);
}

void lasso_find(struct mem *m, const struct question *q, struct lasso *l) {
  memset(l, 0, sizeof *l);
  struct finder f = {.mem = m, .q = q};
  find_component(&f);
  l->found = f.best != UINT32_MAX;
  if (l->found) {
    lasso_stem(m, q, f.best, &l->stem);
    make_loop(&f, l);
  }
  mem_free(m, f.region);
}
