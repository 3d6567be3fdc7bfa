/* Queue with distinct values, in linear time.
 *
 * Henzinger, Sezgin and Vafeiadis 2013: a history without a value taken from nowhere or twice is wrong iff
 *   (3) enq(a) precedes enq(b), b is dequeued, and a never is or deq(b) precedes deq(a); or
 *   (4) a deq -> empty lies wholly within gaps in each of which some value is certainly inside.
 * One sweep over the events decides both; a second builds the linearization.
 *
 * Pending dequeues may have taken any value still inside. A queue hands out its values in order, so the stuck values
 * whose enqueues returned first are the ones a pending dequeue can help, and it helps most if it was called first: the
 * i-th stuck value by return goes to the i-th pending dequeue by call. This one matching is best for (3) and (4) alike:
 * the deadline that (3) gives a stuck value grows with its enqueue's return, and at any gap the values that must be
 * gone are the first few. */
#include <string.h>

#include "check/items.h"

static void match_pending(const struct part *p, struct items *t) {
  for (uint32_t i = 0; i < t->stuck_count && i < t->pending_count; i++) {
    struct item *it = &t->at[t->stuck[i]];
    it->take = t->pending[i];
    it->take_call = p->ops[it->take].call;
    item_tighten(it);
    t->of_op[it->take] = t->stuck[i];
  }
}

struct sweep {
  uint32_t *by_put_ret, *by_take_call, *by_take_ret; /* taken items, in the order of these events */
  uint32_t taken;                                    /* how many */
  uint32_t *empty_op, *empty_phase;                  /* the empties by return, and the phase each ends */
  uint32_t *phase;                                   /* an item each */
  uint32_t phases;                                   /* gaps chosen for empties */
  uint32_t *phase_gap;                               /* those gaps, in order */
};

/* The core has what is wrong already. Pending dequeues might help it; they do not, because they are needed for the
 * stuck values, which therefore belong to the core, as they do. */
static bool fail(struct mem *m, struct decision *d, const struct items *t, uint32_t culprit) {
  d->verdict = VERDICT_VIOLATED;
  d->closed = true;
  d->culprit = t->pending_count ? UINT32_MAX : culprit; /* by its return a pending one might still have helped */
  for (uint32_t i = 0; i < t->pending_count; i++) {
    vec_push(m, &d->core, t->pending[i]);
    if (i < t->stuck_count) vec_push(m, &d->core, t->at[t->stuck[i]].put);
  }
  core_sort(&d->core);
  return false;
}

/* A violation found by the sweep. Of several the one that shows first counts: (3) shows when b's dequeue returns, (4)
 * when the empty one does.
 *
 * Where no dequeue is pending, nothing is wrong before that, also for one who does not know what those open at some
 * earlier event e went on to return. Let them return what they did, but leave out those that found nothing or took a
 * value not there yet, and each that took a b for which there is an a that was enqueued before it and whose dequeue is
 * called after e. Then neither is in what is left: (3) with a dequeue of b that returned by e is in the whole history
 * too, and shows by e (if a's dequeue was left out, for the a before it); with one that was open, it was left out. And
 * (4) lies within gaps that are covered in the whole history too: where a value whose dequeue was left out is inside
 * longer, an a is that was enqueued before it. */
struct wrong {
  uint32_t shows;  /* event; NEVER: nothing is wrong */
  uint32_t op;     /* the dequeue */
  uint32_t before; /* of (3): item a; NEVER for (4) */
};

static void found_wrong(struct wrong *w, uint32_t shows, uint32_t op, uint32_t before) {
  if (shows < w->shows) *w = (struct wrong){shows, op, before};
}

static bool fail_with(const struct part *p, struct mem *m, struct decision *d, const struct items *t,
                      const struct wrong *w) {
  if (w->before == NEVER) {
    vec_push(m, &d->core, w->op);
    items_cover(m, t, p->ops[w->op].call, w->shows - 1, &d->core);
  } else {
    core_add_item(m, &d->core, &t->at[w->before]);
    core_add_item(m, &d->core, &t->at[t->of_op[w->op]]);
  }
  if (!t->pending_count) d->right = w->shows;
  return fail(m, d, t, w->op);
}

/* The sweep: true if no violation. */
static bool sweep_events(const struct part *p, struct mem *m, const struct items *t, const uint32_t *events,
                         struct sweep *s, struct decision *d) {
  struct wrong wrong = {NEVER, NEVER, NEVER};
  uint32_t latest = NEVER;  /* of the items surely enqueued by now, the one whose dequeue is called last */
  uint32_t latest_call = 0; /* that call */
  uint32_t inside = 0;      /* items certainly inside */
  int64_t zero = -1;        /* latest gap with none inside */
  int64_t used = -1;        /* latest gap an empty was put in */
  uint32_t n_ret = 0, n_call = 0, n_out = 0, empties = 0;
  for (uint32_t e = 0; e < p->events; e++) {
    uint32_t i = events[e] >> 1;
    uint32_t x = t->of_op[i];
    if (x == NEVER) {
      if ((events[e] & 1) && p->ops[i].result == V_EMPTY && t->empty_count) {
        if (zero < (int64_t)p->ops[i].call) {
          found_wrong(&wrong, e, i, NEVER);
          continue;
        }
        if (zero > used) {
          used = zero;
          s->phase_gap[s->phases++] = (uint32_t)zero;
        }
        s->empty_op[empties] = i;
        s->empty_phase[empties++] = s->phases - 1;
      }
      if (!inside) zero = e;
      continue;
    }
    const struct item *it = &t->at[x];
    if (e == it->put_call && it->take_ret != NEVER && latest != NEVER && latest_call > it->take_ret)
      found_wrong(&wrong, it->take_ret, it->take, latest);
    if (e == it->take_call) {
      s->by_take_call[n_call++] = x;
      if (it->put_ret < e) inside--;
    }
    if (e == it->put_ret) {
      if (it->take_call > e) inside++;
      if (latest == NEVER || it->take_call > latest_call) {
        latest = x;
        latest_call = it->take_call;
      }
      if (it->take != NEVER) s->by_put_ret[n_ret++] = x;
    }
    if (e == it->take_ret) s->by_take_ret[n_out++] = x;
    if (!inside) zero = e;
  }
  if (wrong.shows != NEVER) return fail_with(p, m, d, t, &wrong);
  for (uint32_t i = 0; i < t->stuck_count; i++) /* items that a pending take got are out last */
    if (t->at[t->stuck[i]].take != NEVER) s->by_take_ret[n_out++] = t->stuck[i];
  s->taken = n_call;
  return true;
}

/* The phase of an item is the number of empties' gaps before the gap in which it is certainly in: all of an earlier
 * phase is gone when a later one begins. */
static void assign_phases(const struct items *t, struct sweep *s) {
  uint32_t ph = 0;
  for (uint32_t i = 0; i < s->taken; i++) {
    uint32_t x = s->by_put_ret[i];
    while (ph < s->phases && s->phase_gap[ph] < t->at[x].put_ret) ph++;
    s->phase[x] = ph;
  }
}

/* A total order of the taken items that keeps the order of both their enqueues and their dequeues: repeatedly one that
 * no remaining item must precede. False if there is none (it cannot be, given (3); the caller then says so). */
static bool order_items(struct mem *m, const struct items *t, const struct sweep *s, uint32_t *order) {
  uint32_t n = s->taken, done = 0, first_ret = 0, first_out = 0, next_put = 0, next_take = 0;
  uint8_t *state = mem_zero(m, (size_t)t->count + 1, 1); /* 1: no put before it, 2: no take before it, 4: placed */
  uint32_t *ready = mem_alloc(m, ((size_t)n + 1) * sizeof *ready), ready_count = 0;
  uint32_t *later = mem_alloc(m, ((size_t)t->count + 1) * sizeof *later); /* waiting for their phase: linked by phase */
  uint32_t *phase_head = mem_alloc(m, ((size_t)s->phases + 2) * sizeof *phase_head);
  memset(phase_head, 0xff, ((size_t)s->phases + 2) * sizeof *phase_head);
  uint32_t phase = 0;
  bool good = true;
  while (done < n) {
    while (state[s->by_put_ret[first_ret]] & 4) first_ret++;
    while (state[s->by_take_ret[first_out]] & 4) first_out++;
    uint32_t ret = t->at[s->by_put_ret[first_ret]].put_ret, out = t->at[s->by_take_ret[first_out]].take_ret;
    uint32_t now = s->phase[s->by_put_ret[first_ret]];
    for (; phase < now; phase++)
      for (uint32_t x = phase_head[phase + 1]; x != NEVER; x = later[x])
        if ((state[x] |= 1) == 3) ready[ready_count++] = x;
    for (; next_put < t->count && t->at[next_put].put_call < ret; next_put++) {
      if (t->at[next_put].take == NEVER) continue;
      if (s->phase[next_put] > phase) {
        later[next_put] = phase_head[s->phase[next_put]];
        phase_head[s->phase[next_put]] = next_put;
      } else if ((state[next_put] |= 1) == 3) {
        ready[ready_count++] = next_put;
      }
    }
    for (; next_take < n && t->at[s->by_take_call[next_take]].take_call < out; next_take++)
      if ((state[s->by_take_call[next_take]] |= 2) == 3) ready[ready_count++] = s->by_take_call[next_take];
    if (!ready_count) {
      good = false;
      break;
    }
    uint32_t x = ready[--ready_count];
    state[x] |= 4;
    order[done++] = x;
  }
  mem_free(m, state);
  mem_free(m, ready);
  mem_free(m, later);
  mem_free(m, phase_head);
  return good;
}

/* Merges the enqueues and the dequeues of the ordered items, dequeues as early and enqueues as late as they can be, and
 * each phase's empties after it. Values never dequeued come last in the queue. */
static void emit(const struct part *p, struct mem *m, const struct items *t, const struct sweep *s,
                 const uint32_t *order, uint32_t total, struct decision *d) {
  uint32_t *last = mem_alloc(m, ((size_t)total + 1) * sizeof *last); /* latest gap for the i-th enqueue */
  uint32_t least = NEVER;
  for (uint32_t i = total; i-- > 0;) {
    if (t->at[order[i]].put_ret < least) least = t->at[order[i]].put_ret;
    last[i] = least == NEVER ? NEVER : least - 1;
  }
  vec_reserve(m, &d->order, (size_t)p->count + 1);
  uint32_t puts = 0, takes = 0, empties = 0, gap = 0; /* gap: the earliest for the next dequeue */
  for (uint32_t ph = 0; ph <= s->phases; ph++) {
    for (; takes < s->taken && s->phase[order[takes]] == ph; takes++) {
      const struct item *it = &t->at[order[takes]];
      if (it->take_call > gap) gap = it->take_call;
      while (puts <= takes || (puts < total && s->phase[order[puts]] == ph && last[puts] <= gap))
        vec_push(m, &d->order, t->at[order[puts++]].put);
      vec_push(m, &d->order, it->take);
    }
    if (ph == s->phases) break;
    gap = s->phase_gap[ph];
    while (empties < t->empty_count && s->empty_phase[empties] == ph) vec_push(m, &d->order, s->empty_op[empties++]);
  }
  while (puts < total) vec_push(m, &d->order, t->at[order[puts++]].put);
  mem_free(m, last);
}

static void *numbers(struct mem *m, size_t count) { return mem_alloc(m, (count + 1) * sizeof(uint32_t)); }

enum applies fast_queue(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {
  struct items t;
  if (items_build(p, m, &t, d, why_not) == APPLIES_NOT) return APPLIES_NOT;
  if (d->verdict == VERDICT_VIOLATED) return APPLIES;
  match_pending(p, &t);

  struct sweep s = {.by_put_ret = numbers(m, t.count),
                    .by_take_call = numbers(m, t.count),
                    .by_take_ret = numbers(m, t.count),
                    .empty_op = numbers(m, t.empty_count),
                    .empty_phase = numbers(m, t.empty_count),
                    .phase_gap = numbers(m, t.empty_count),
                    .phase = mem_zero(m, (size_t)t.count + 1, sizeof(uint32_t))};
  uint32_t *events = part_events(p, m);
  bool good = sweep_events(p, m, &t, events, &s, d);
  mem_free(m, events);
  if (!good) return APPLIES;
  d->verdict = VERDICT_HOLDS;
  if (p->verdict_only) return APPLIES;

  assign_phases(&t, &s);
  uint32_t *order = numbers(m, t.count), total = s.taken;
  if (!order_items(m, &t, &s, order)) {
    *why_not = "an order the monitor could not build";
    d->verdict = VERDICT_UNKNOWN;
    return APPLIES_NOT;
  }
  for (uint32_t i = 0; i < t.stuck_count; i++) {
    if (t.at[t.stuck[i]].take != NEVER) continue;
    s.phase[t.stuck[i]] = s.phases;
    order[total++] = t.stuck[i];
  }
  emit(p, m, &t, &s, order, total, d);
  items_add_loose(p, m, &t, &d->order);
  return APPLIES;
}
