/* Stack with distinct values, in time n log n.
 *
 * Decrease and conquer (Lee and Mathur; Gibbons, Bruno and Phillips). An item whose push and pop can share a gap is
 * pushed and popped there and constrains nothing. Of the others:
 *   - at a gap in which none is certainly inside, the stack can be empty: what lies left and right is decided apart;
 *   - where every gap is covered the stack is never empty, so its bottom item stays throughout: some item can be
 *     pushed before the first push must be done and popped after the last pop can begin. Any such item will do: take
 *     it out and go on with the rest. If there is none the history is wrong.
 * A pop -> empty needs a gap in which none is certainly inside.
 *
 * Gaps are grouped into cells between *boundaries*: where an item begins to be, or ends being, certainly inside. A tree
 * over cells counts the items that cover each; a cell that falls to none splits its stretch. A second tree, over items
 * by first boundary, finds the item of a stretch that can be popped last among those that can be pushed first; because
 * stretches are visited from left to right, "can be pushed first" only ever grows.
 *
 * Pending pops may have taken any value still inside, which only relaxes a value that is otherwise there for ever. If
 * the stack is wrong without them, the stuck values in the wrong part are tried with them, one at a time. */
#include <string.h>

#include "check/items.h"

struct cells {    /* range decrement, and extraction of the cells that reach zero */
  int32_t *least; /* a node: least count below it, without what waits above; INT32_MAX/2 once extracted */
  int32_t *wait;  /* a node: to be added to everything below */
  uint32_t size;  /* leaves, a power of two */
};

struct stack {
  struct mem *mem;
  const struct part *part;
  struct items items;
  uint32_t *item_at;     /* boundary -> the item that begins there, NEVER if one ends there */
  uint32_t *gap_at;      /* boundary -> its event */
  uint32_t *begin, *end; /* item -> its boundaries: covers cells begin .. end-1; begin == NEVER: constrains nothing */
  uint32_t boundaries;
  uint32_t *last_pop; /* tree over boundaries: largest take_ret of the items that can be first, 0 for none */
  uint32_t last_pop_size;
  struct cells cells;
  uint32_t next_first; /* items below this can be first as far as their push goes */
  op_list free;        /* items that constrain nothing, by take_call */
  op_list empties;     /* pops that returned empty, each followed by a gap it fits in, by gap */
  op_list sequence;    /* the others' operations, and the empties, in order */
};

enum { GONE = INT32_MAX / 2 };

/* Cells. */

static void cells_build(struct cells *c, struct mem *m, const int32_t *count, uint32_t n) {
  for (c->size = 1; c->size < n;) c->size *= 2;
  c->least = mem_alloc(m, (size_t)c->size * 2 * sizeof *c->least);
  c->wait = mem_zero(m, (size_t)c->size * 2, sizeof *c->wait);
  for (uint32_t i = 0; i < c->size; i++) c->least[c->size + i] = i < n && count[i] ? count[i] : GONE;
  for (uint32_t i = c->size - 1; i; i--)
    c->least[i] = c->least[2 * i] < c->least[2 * i + 1] ? c->least[2 * i] : c->least[2 * i + 1];
}

static inline void cells_pull(struct cells *c, uint32_t node) {
  int32_t a = c->least[2 * node], b = c->least[2 * node + 1];
  c->least[node] = (a < b ? a : b) + c->wait[node];
}

/* Takes one off cells [l, r): bottom-up, then the two paths to the root are brought up to date. */
static void cells_uncover(struct cells *c, uint32_t l, uint32_t r) {
  uint32_t l0 = l + c->size, r0 = r - 1 + c->size;
  for (l += c->size, r += c->size; l < r; l /= 2, r /= 2) {
    if (l & 1) c->least[l]--, c->wait[l]--, l++;
    if (r & 1) --r, c->least[r]--, c->wait[r]--;
  }
  for (l0 /= 2; l0; l0 /= 2) cells_pull(c, l0);
  for (r0 /= 2; r0; r0 /= 2) cells_pull(c, r0);
}

/* The cells within [l, r) that have reached zero, in order, marked as gone. */
static void cells_zeroes(struct cells *c, struct mem *m, uint32_t node, uint32_t from, uint32_t width, int32_t above,
                         uint32_t l, uint32_t r, op_list *found) {
  if (from >= r || from + width <= l || c->least[node] + above > 0) return;
  if (width == 1) {
    vec_push(m, found, from);
    c->least[node] = GONE;
    return;
  }
  above += c->wait[node];
  cells_zeroes(c, m, 2 * node, from, width / 2, above, l, r, found);
  cells_zeroes(c, m, 2 * node + 1, from + width / 2, width / 2, above, l, r, found);
  cells_pull(c, node);
}

/* Last pops. */

static void last_pop_set(struct stack *s, uint32_t boundary, uint32_t ret) {
  uint32_t i = boundary + s->last_pop_size;
  s->last_pop[i] = ret;
  for (i /= 2; i; i /= 2) {
    uint32_t a = s->last_pop[2 * i], b = s->last_pop[2 * i + 1], top = a > b ? a : b;
    if (s->last_pop[i] == top) return;
    s->last_pop[i] = top;
  }
}

/* The boundary in [l, r) of an item that can be first and is popped after `least`; NEVER if there is none. */
static uint32_t last_pop_find(const struct stack *s, uint32_t l, uint32_t r, uint32_t least) {
  uint32_t found = 0;
  for (l += s->last_pop_size, r += s->last_pop_size; l < r; l /= 2, r /= 2) {
    if ((l & 1) && s->last_pop[l++] > least) {
      found = l - 1;
      break;
    }
    if ((r & 1) && s->last_pop[--r] > least) {
      found = r;
      break;
    }
  }
  if (!found) return NEVER;
  while (found < s->last_pop_size) found = 2 * found + (s->last_pop[2 * found] <= least);
  return found - s->last_pop_size;
}

/* Boundaries, from one sweep over the events. The empties get their gaps on the way: true if each has one. */
static bool find_boundaries(struct stack *s, const uint32_t *events, struct decision *d) {
  const struct part *p = s->part;
  const struct items *t = &s->items;
  struct mem *m = s->mem;
  size_t room = (size_t)t->count * 2 + 2;
  s->item_at = mem_alloc(m, room * sizeof *s->item_at);
  s->gap_at = mem_alloc(m, room * sizeof *s->gap_at);
  s->begin = mem_alloc(m, ((size_t)t->count + 1) * sizeof *s->begin);
  s->end = mem_alloc(m, ((size_t)t->count + 1) * sizeof *s->end);
  int32_t *count = mem_alloc(m, room * sizeof *count);
  memset(s->begin, 0xff, ((size_t)t->count + 1) * sizeof *s->begin);
  uint32_t n = 0;
  int32_t inside = 0;
  int64_t zero = -1;
  bool stuck = false;
  for (uint32_t e = 0; e < p->events; e++) {
    uint32_t i = events[e] >> 1, x = t->of_op[i];
    if (x != NEVER) {
      const struct item *it = &t->at[x];
      if (e == it->take_call && s->begin[x] != NEVER) {
        s->end[x] = n;
        s->item_at[n] = NEVER;
        s->gap_at[n] = e;
        count[n++] = --inside;
      } else if (e == it->take_call) {
        vec_push(m, &s->free, x);
      } else if (e == it->put_ret && it->take_call > e) {
        s->begin[x] = n;
        s->item_at[n] = x;
        s->gap_at[n] = e;
        count[n++] = ++inside;
        if (it->take_call == NEVER) stuck = true;
      }
    } else if ((events[e] & 1) && p->ops[i].result == V_EMPTY && t->empty_count) {
      if (zero < (int64_t)p->ops[i].call) {
        d->verdict = VERDICT_VIOLATED;
        d->culprit = i;
        vec_push(m, &d->core, i);
        items_cover(m, t, p->ops[i].call, e - 1, &d->core);
        core_sort(&d->core);
        return false;
      }
      vec_push(m, &s->empties, i);
      vec_push(m, &s->empties, (uint32_t)zero);
    }
    if (!inside) zero = e;
  }
  if (stuck) { /* all that is never popped ends at one boundary, after everything */
    for (uint32_t i = 0; i < t->count; i++)
      if (s->begin[i] != NEVER && t->at[i].take_call == NEVER) s->end[i] = n;
    s->item_at[n] = NEVER;
    s->gap_at[n] = NEVER;
    count[n++] = 0;
  }
  s->boundaries = n;
  cells_build(&s->cells, m, count, n ? n : 1);
  mem_free(m, count);
  for (s->last_pop_size = 1; s->last_pop_size < n;) s->last_pop_size *= 2;
  s->last_pop = mem_zero(m, (size_t)s->last_pop_size * 2, sizeof *s->last_pop);
  return true;
}

/* Removes the bottom item of the stretch of covered cells [l, r); NEVER if no item can be the bottom. */
static uint32_t take_bottom(struct stack *s, uint32_t l, uint32_t r) {
  const struct items *t = &s->items;
  uint32_t first = s->gap_at[l]; /* some push must be done before this event ... */
  uint32_t last = s->gap_at[r];  /* ... and some pop can begin only at this one */
  for (; s->next_first < t->count && t->at[s->next_first].put_call < first; s->next_first++)
    if (s->begin[s->next_first] != NEVER) last_pop_set(s, s->begin[s->next_first], t->at[s->next_first].take_ret);
  uint32_t at = last_pop_find(s, l, r, last == NEVER ? NEVER - 1 : last);
  if (at == NEVER) return NEVER;
  uint32_t x = s->item_at[at];
  last_pop_set(s, at, 0);
  cells_uncover(&s->cells, s->begin[x], s->end[x]);
  return x;
}

struct task {
  uint32_t l, r; /* a stretch of covered cells; r == 0: pop item l */
};

typedef VEC(struct task) task_list;

/* Adds the maximal stretches of covered cells of [l, r), given the uncovered ones, so that the leftmost is on top. */
static void push_stretches(struct mem *m, task_list *tasks, uint32_t l, uint32_t r, const op_list *zero) {
  for (size_t i = zero->count; i-- > 0; r = zero->at[i])
    if (zero->at[i] + 1 < r) vec_push(m, tasks, ((struct task){zero->at[i] + 1, r}));
  if (l < r) vec_push(m, tasks, ((struct task){l, r}));
}

/* Decides what has boundaries, and gives its pushes and pops, with the empties, in order. On failure the core is what
 * is left in the stretch. */
static bool conquer(struct stack *s, struct decision *d) {
  struct mem *m = s->mem;
  const struct items *t = &s->items;
  task_list tasks = {0};
  op_list zero = {0};
  if (s->boundaries) { /* the cells that are uncovered from the beginning, the one after the last boundary among them */
    for (uint32_t i = 0; i < s->boundaries; i++)
      if (s->cells.least[s->cells.size + i] == GONE) vec_push(m, &zero, i);
    push_stretches(m, &tasks, 0, s->boundaries, &zero);
  }
  uint32_t polls = 0;
  size_t empties = 0;
  while (tasks.count) {
    struct task task = tasks.at[--tasks.count];
    if (!task.r) {
      vec_push(m, &s->sequence, t->at[task.l].take);
      continue;
    }
    if (!(++polls & 1023)) mem_poll(m);
    for (; empties < s->empties.count && s->empties.at[empties + 1] < s->gap_at[task.l]; empties += 2)
      vec_push(m, &s->sequence, s->empties.at[empties]);
    uint32_t x = take_bottom(s, task.l, task.r);
    if (x == NEVER) {
      for (uint32_t b = task.l; b < task.r; b++) {
        uint32_t y = s->item_at[b];
        if (y != NEVER && s->begin[y] != NEVER) core_add_item(m, &d->core, &t->at[y]);
      }
      core_sort(&d->core);
      d->verdict = VERDICT_VIOLATED;
      break;
    }
    s->begin[x] = NEVER; /* placed */
    vec_push(m, &s->sequence, t->at[x].put);
    if (t->at[x].take != NEVER) vec_push(m, &tasks, ((struct task){x, 0}));
    zero.count = 0;
    cells_zeroes(&s->cells, m, 1, 0, s->cells.size, 0, task.l, task.r, &zero);
    push_stretches(m, &tasks, task.l, task.r, &zero);
  }
  for (; empties < s->empties.count; empties += 2) vec_push(m, &s->sequence, s->empties.at[empties]);
  vec_free(m, &tasks);
  vec_free(m, &zero);
  return d->verdict != VERDICT_VIOLATED;
}

/* The linearization: the nested sequence, with the items that constrain nothing pushed and popped at their gaps. */
static void emit(const struct stack *s, struct decision *d) {
  const struct part *p = s->part;
  const struct items *t = &s->items;
  vec_reserve(s->mem, &d->order, (size_t)p->count + 1);
  uint32_t gap = 0;
  size_t f = 0;
  for (size_t i = 0; i <= s->sequence.count; i++) {
    if (i == s->sequence.count)
      gap = NEVER;
    else if (p->ops[s->sequence.at[i]].call > gap)
      gap = p->ops[s->sequence.at[i]].call;
    for (; f < s->free.count && t->at[s->free.at[f]].take_call < gap; f++) {
      vec_push(s->mem, &d->order, t->at[s->free.at[f]].put);
      vec_push(s->mem, &d->order, t->at[s->free.at[f]].take);
    }
    if (i < s->sequence.count) vec_push(s->mem, &d->order, s->sequence.at[i]);
  }
}

/* Decides with the items as they are: some stuck ones may have been given a pending pop. */
static void decide(const struct part *p, struct mem *m, const struct items *t, const uint32_t *events,
                   struct decision *d) {
  struct stack s = {.mem = m, .part = p, .items = *t};
  d->verdict = VERDICT_UNKNOWN;
  d->core.count = d->order.count = 0;
  if (find_boundaries(&s, events, d) && conquer(&s, d)) {
    d->verdict = VERDICT_HOLDS;
    if (!p->verdict_only) {
      emit(&s, d);
      items_add_loose(p, m, t, &d->order);
    }
  }
  mem_free(m, s.item_at);
  mem_free(m, s.gap_at);
  mem_free(m, s.begin);
  mem_free(m, s.end);
  mem_free(m, s.last_pop);
  mem_free(m, s.cells.least);
  mem_free(m, s.cells.wait);
  vec_free(m, &s.sequence);
  vec_free(m, &s.free);
  vec_free(m, &s.empties);
}

enum applies fast_stack(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {
  struct items t;
  if (items_build(p, m, &t, d, why_not) == APPLIES_NOT) return APPLIES_NOT;
  if (d->verdict == VERDICT_VIOLATED) return APPLIES;
  uint32_t *events = part_events(p, m);
  enum applies answer = items_match_pending(p, m, &t, events, decide, d, why_not);
  mem_free(m, events);
  return answer;
}
