/* The element monitor: what shows a violation.
 *
 * Elements one by one are left out as long as the others alone are still not linearizable, so that what is shown is
 * small; the sentence says what kind of violation is left. */
#include "approx/elements.h"

#include <inttypes.h>

struct shown { /* an element, or a pop that found nothing */
  value v;
  unsigned push_side, push; /* interval */
  unsigned pop_side, pop;
  bool popped, push_open, is_empty;
};
struct show {
  struct elements *e;
  struct mem *mem;
  VEC(struct shown) list;
  unsigned offset; /* of the intervals: a short history is shorter than k */
};

static unsigned from_of(const struct show *s, unsigned interval) { return s->e->from[interval] - s->offset; }
static unsigned to_of(const struct show *s, unsigned interval) { return s->e->to[interval] - s->offset; }

/* Adding operations to the history being built. */

static void show_push(const struct show *s, unsigned side, value v, unsigned interval, bool open) {
  value arg[OP_ARGS] = {v, V_NONE, V_NONE};
  monitor_show(&s->e->m, (uint16_t)side, arg, V_NONE, open, from_of(s, interval), to_of(s, interval));
}

/* The operation that found nothing, where only one kind of removals says so; else the removal of that side. */
static unsigned pop_method(const struct show *s, unsigned side, value v) {
  const struct elements *e = s->e;
  return v == V_EMPTY && e->exact != UINT16_MAX ? e->exact : e->shape->pushes + side;
}

static void show_pop(const struct show *s, unsigned side, value v, unsigned interval, bool open) {
  static const value none[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
  monitor_show(&s->e->m, (uint16_t)pop_method(s, side, v), none, v, open, from_of(s, interval), to_of(s, interval));
}

/* Pending pops that can take anything: no more than there are elements inside, those that began first. */
static unsigned show_pending(const struct show *s, bool adds) {
  const struct elements *e = s->e;
  uint32_t inside = 0, shown = 0;
  for (size_t i = 0; i < s->list.count; i++) inside += !s->list.at[i].popped && !s->list.at[i].is_empty;
  for (unsigned side = 0; side < e->shape->pops; side++) {
    uint32_t left = inside;
    for (unsigned start = 0; start <= e->k; start++)
      for (uint32_t i = 0; i < e->pending[side][start] && left; i++, left--, shown++)
        if (adds) show_pop(s, side, V_UNKNOWN, e->interval[start][e->k], true);
  }
  return shown;
}

static void show_list(const struct show *s, size_t without) {
  for (size_t i = 0; i < s->list.count; i++) {
    const struct shown *x = &s->list.at[i];
    if (i == without) continue;
    if (!x->is_empty) show_push(s, x->push_side, x->v, x->push, x->push_open);
    if (x->popped || x->is_empty) show_pop(s, x->pop_side, x->is_empty ? V_EMPTY : x->v, x->pop, false);
  }
  show_pending(s, true);
}

/* Is the list without one of them still a violation? */
static bool wrong_without(struct show *s, size_t without) {
  struct elements *e = s->e;
  struct history *outer = e->m.shown;
  struct limits limits;
  struct mem m;
  struct problem problem;
  struct check_result r;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  limits_start(&limits, 0, 64 << 20);
  mem_open(&m, &limits);
  volatile bool wrong = false;
  if (!MEM_GUARD(&m)) {
    e->m.shown = monitor_history(&m, &e->m.spec);
    show_list(s, without);
    history_finish(e->m.shown);
    wrong = check_history(&m, e->m.shown, &e->m.spec, &options, &limits, &r, &problem) && r.verdict == VERDICT_VIOLATED;
  }
  mem_close(&m);
  e->m.shown = outer;
  return wrong;
}

static void leave_out(struct show *s) {
  for (size_t i = s->list.count; i--;)
    if (wrong_without(s, i)) {
      s->list.count--;
      for (size_t j = i; j < s->list.count; j++) s->list.at[j] = s->list.at[j + 1];
    }
}

/* Everything the classes stand for. */

static void add_class(struct show *s, unsigned class, bool push_open) {
  struct shown x = {.v = s->e->example[class], .popped = true, .push_open = push_open};
  class_parts(s->e, class, &x.push_side, &x.push, &x.pop_side, &x.pop);
  vec_push(s->mem, &s->list, x);
}

static void add_live(struct show *s, const struct live *l, bool push_open) {
  for (uint64_t rest = l->bits; rest; rest &= rest - 1) add_class(s, (unsigned)__builtin_ctzll(rest), push_open);
  for (unsigned i = 0; i < l->count; i++) add_class(s, l->at[i], push_open);
}

static void add_inside(struct show *s) {
  const struct elements *e = s->e;
  uint32_t seen[SIDES][INTERVALS_MOST] = {{0}};
  for (uint32_t i = 0; i < e->items.room; i++) {
    const struct item *x = &e->items.at[i];
    if (x->kind != ITEM_INSIDE) continue;
    unsigned interval = inside_interval(e, x);
    if (e->to[interval] == e->k || seen[x->side][interval]++ > e->pendings) continue;
    struct shown y = {.v = x->v, .push_side = x->side, .push = interval};
    vec_push(s->mem, &s->list, y);
  }
}

static void add_empties(struct show *s) {
  for (unsigned side = 0; side < s->e->shape->pops; side++)
    for (uint64_t rest = s->e->empty[side]; rest; rest &= rest - 1) {
      struct shown x = {.pop_side = side, .pop = (unsigned)__builtin_ctzll(rest), .is_empty = true};
      vec_push(s->mem, &s->list, x);
    }
}

/* Words. */

static void say_value(const struct show *s, value v, struct text *t) { value_print(s->e->m.spec.values, v, t); }

static void say_op(const struct show *s, unsigned method, value v, unsigned interval, struct text *t) {
  size_t len;
  const char *name = spec_op_name(&s->e->m.spec, method, &len);
  text_bytes(t, name, len);
  text_add(t, method < s->e->shape->pushes ? "(" : " -> ");
  if (v == V_EMPTY)
    text_add(t, "empty");
  else
    say_value(s, v, t);
  if (method < s->e->shape->pushes) text_char(t, ')');
  text_printf(t, " in [%u,%u]", from_of(s, interval), to_of(s, interval));
}

static void say_intervals(const struct show *s, struct text *t) {
  text_add(t, ": ");
  for (size_t i = 0; i < s->list.count; i++) {
    const struct shown *x = &s->list.at[i];
    if (i) text_add(t, ", ");
    if (!x->is_empty) {
      say_op(s, x->push_side, x->v, x->push, t);
      if (x->push_open) text_add(t, " (open)");
      if (x->popped) text_add(t, ", ");
    }
    value v = x->is_empty ? V_EMPTY : x->v;
    if (x->popped || x->is_empty) say_op(s, pop_method(s, x->pop_side, v), v, x->pop, t);
  }
  unsigned pending = show_pending(s, false);
  if (pending)
    text_printf(t, "; and what %s pending may have taken does not help",
                pending == 1 ? "a removal that is" : "removals that are");
}

static void say_values(const struct show *s, const char *last, struct text *t) {
  size_t count = 0, at = 0;
  for (size_t i = 0; i < s->list.count; i++) count += !s->list.at[i].is_empty;
  for (size_t i = 0; i < s->list.count; i++) {
    if (s->list.at[i].is_empty) continue;
    if (at) text_add(t, at + 1 == count ? last : ", ");
    say_value(s, s->list.at[i].v, t);
    at++;
  }
}

static bool before(const struct elements *e, unsigned a, unsigned b) { return e->to[a] < e->from[b]; }

/* Two elements in the wrong order; the first of them is the one put in first. */
static void say_pair(const struct show *s, const struct shown *a, const struct shown *b, struct text *t) {
  const struct elements *e = s->e;
  if (before(e, b->push, a->push)) {
    const struct shown *swap = a;
    a = b;
    b = swap;
  }
  say_value(s, a->v, t);
  if (e->shape->order == ORDER_QUEUE) {
    text_add(t, " was put in before ");
    say_value(s, b->v, t);
    text_add(t, a->popped ? " and taken out after it" : ", which was taken out, and never left");
  } else if (e->shape->order == ORDER_STACK) {
    text_add(t, " was taken out from under ");
    say_value(s, b->v, t);
  } else {
    text_add(t, " and ");
    say_value(s, b->v, t);
    text_add(t, " were not taken out in an order that is allowed");
  }
}

static void say_classes(const struct show *s, struct text *t) {
  const struct shown *x = s->list.at;
  size_t empties = 0;
  for (size_t i = 0; i < s->list.count; i++) empties += x[i].is_empty;
  size_t elements = s->list.count - empties;
  if (empties) {
    text_add(t, "empty was returned although ");
    if (elements > 1) text_add(t, "at each moment one of ");
    say_values(s, " or ", t);
    text_add(t, elements > 1 ? " was inside" : " was inside the whole time");
  } else if (elements == 1) {
    say_value(s, x->v, t);
    text_add(t, " was taken out before it was put in");
  } else if (elements == 2) {
    say_pair(s, &x[0], &x[1], t);
  } else {
    text_add(t, "no order of the operations on ");
    say_values(s, " and ", t);
    text_printf(t, " is one of a %s", s->e->m.spec.name);
  }
  say_intervals(s, t);
}

/* The other kinds. */

static unsigned interval_of(const struct elements *e, uint64_t from, uint64_t to) {
  return e->interval[relative(e, from)][relative(e, to)];
}

static void add_wrong_pop(struct show *s, const struct shown *first) {
  struct elements *e = s->e;
  const struct half *p = &e->wrong_pop;
  unsigned pop = interval_of(e, p->pop_from, p->pop_to);
  if (first) {
    vec_push(s->mem, &s->list, *first);
    show_list(s, SIZE_MAX);
  }
  show_pop(s, p->pop_side, e->wrong_value, pop, false);
}

static const struct gone *find_gone(const struct elements *e) {
  for (unsigned i = 1; i <= GONE && i <= e->gone_next; i++)
    if (e->gone[(e->gone_next - i) % GONE].v == e->wrong_value) return &e->gone[(e->gone_next - i) % GONE];
  return NULL;
}

static void show_unknown(struct show *s, struct text *t) {
  const struct elements *e = s->e;
  const struct gone *g = e->wrong == WRONG_UNKNOWN ? find_gone(e) : NULL;
  unsigned method = e->shape->pushes + e->wrong_pop.pop_side,
           pop = interval_of(e, e->wrong_pop.pop_from, e->wrong_pop.pop_to);
  struct shown first = {.v = e->wrong_value, .popped = true};
  if (g) {
    struct item pushed = {.when = g->pushed};
    first.push_side = g->push_side;
    first.push = inside_interval(e, &pushed);
    first.pop_side = g->pop_side;
    first.pop = interval_of(e, g->pop_from, g->pop_to);
  } else if (e->wrong == WRONG_TWICE) {
    for (size_t i = 0; i < e->halves.count; i++) {
      const struct half *h = &e->halves.at[i];
      if (!h->used || h->apart || h->v != e->wrong_value) continue;
      first.push_side = h->push_side;
      first.push = e->interval[relative(e, h->push_from)][e->k];
      first.push_open = true;
      first.pop_side = h->pop_side;
      first.pop = interval_of(e, h->pop_from, h->pop_to);
    }
  }
  bool twice = g || e->wrong == WRONG_TWICE;
  add_wrong_pop(s, twice ? &first : NULL);
  say_value(s, e->wrong_value, t);
  text_add(t, twice ? " was put in once and taken out twice"
                    : " was taken out, but was never put in, or had been taken out already");
  if (twice)
    say_intervals(s, t);
  else
    text_add(t, ":");
  text_add(t, twice ? ", " : " ");
  say_op(s, method, e->wrong_value, pop, t);
}

static void show_many(struct show *s, struct text *t) {
  const struct elements *e = s->e;
  const struct many *many = &e->wrong_many;
  unsigned always = e->interval[s->offset][e->k];
  for (uint32_t i = 0; i < many->called; i++) show_push(s, 0, many->v, always, i < many->open);
  for (uint32_t i = 0; i < many->popped; i++) show_pop(s, 0, many->v, always, false);
  say_value(s, many->v, t);
  text_printf(t, " was put in %" PRIu32 " time%s and taken out %" PRIu32 " time%s", many->called,
              many->called == 1 ? "" : "s", many->popped, many->popped == 1 ? "" : "s");
}

void elements_show(struct monitor *m, struct text *said) {
  struct elements *e = (struct elements *)m;
  struct show s = {.e = e, .mem = m->shown->mem, .offset = e->n < 2 * e->k ? (unsigned)(2 * e->k - e->n) : 0};
  switch (e->wrong) {
  case WRONG_CLASSES:
    add_live(&s, &e->popped, false);
    add_live(&s, &e->halfway, true);
    add_inside(&s);
    add_empties(&s);
    leave_out(&s);
    show_list(&s, SIZE_MAX);
    say_classes(&s, said);
    break;
  case WRONG_MANY: show_many(&s, said); break;
  default: show_unknown(&s, said);
  }
}
