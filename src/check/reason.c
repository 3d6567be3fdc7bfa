/* Sentences: see reason.h. The common faults of containers and registers are recognised by their pattern; the rest get
 * a sentence that says which operation finds no place, and from which states. */
#include "check/reason.h"

#include <inttypes.h>
#include <string.h>

enum { LOOKS_MOST = 200000000 };

struct view { /* the core, sorted out */
  const struct history *h;
  const struct spec *spec;
  const struct check_result *r;
  struct text *out;
  const struct spec_container *container; /* or NULL */
};

static const struct op *op_at(const struct view *v, uint32_t i) { return &v->h->ops.at[i]; }

static void say_value(const struct view *v, value x) { value_print(v->h->values, x, v->out); }
static void say_op(const struct view *v, const struct op *o) { op_print(v->spec, v->h, o, v->out); }
static void say_call(const struct view *v, const struct op *o) { op_print_call(v->spec, v->h, o, v->out); }

/* "Enq(5) returned before Enq(7) was called" */
static void say_before(const struct view *v, const struct op *a, const struct op *b) {
  say_call(v, a);
  text_add(v->out, " returned before ");
  say_call(v, b);
  text_add(v->out, " was called");
}

static bool before(const struct op *a, const struct op *b) { return a->ret < b->call; }

static bool is_put(const struct view *v, const struct op *o) { return spec_op_in(v->container->puts, o->method); }
static bool is_take(const struct view *v, const struct op *o) { return spec_op_in(v->container->takes, o->method); }

/* The put or the take of a value in the core, NULL if not there. */
static const struct op *find_put(const struct view *v, value x) {
  for (size_t i = 0; i < v->r->core_count; i++)
    if (is_put(v, op_at(v, v->r->core[i])) && op_at(v, v->r->core[i])->arg[0] == x) return op_at(v, v->r->core[i]);
  return NULL;
}

static const struct op *find_take(const struct view *v, value x) {
  for (size_t i = 0; i < v->r->core_count; i++)
    if (is_take(v, op_at(v, v->r->core[i])) && op_at(v, v->r->core[i])->result == x) return op_at(v, v->r->core[i]);
  return NULL;
}

/* How often a value was put into the object by insertions called before an event; *next is the first one after. */
static size_t puts_before(const struct view *v, value x, uint32_t object, uint32_t event, const struct op **next) {
  size_t n = 0;
  *next = NULL;
  for (size_t i = 0; i < v->h->ops.count; i++) {
    const struct op *o = &v->h->ops.at[i];
    if (!is_put(v, o) || o->object != object || o->arg[0] != x || (o->result == V_FULL && !op_pending(o))) continue;
    if (o->call < event)
      n++;
    else if (!*next)
      *next = o;
  }
  return n;
}

/* " was dequeued twice", "once" */
static void say_times(const struct view *v, const char *what, size_t n) {
  if (*what) text_printf(v->out, " was %s ", what);
  if (n <= 2)
    text_add(v->out, n == 1 ? "once" : n ? "twice" : "never");
  else
    text_printf(v->out, "%zu times", n);
}

/* May every operation of the core be looked for in so many? Reasons stay cheap beside what they explain. */
static bool affords(const struct view *v, size_t count) { return (uint64_t)v->r->core_count * count <= LOOKS_MOST; }

/* A value that came from nowhere, came out more often than it went in, or before that. */
static bool say_origin(const struct view *v) {
  if (!affords(v, v->h->ops.count)) return false;
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *t = op_at(v, v->r->core[i]), *later;
    if (!is_take(v, t) || op_pending(t) || t->ret > v->r->core_to || op_finds_nothing(v->spec, t) ||
        t->result == V_UNKNOWN)
      continue;
    size_t puts = puts_before(v, t->result, t->object, t->ret, &later), takes = 0;
    if (!puts && t->result == V_NONE) {
      say_call(v, t);
      text_add(v->out, " returned no value");
      return true;
    }
    if (!puts) {
      say_value(v, t->result);
      text_printf(v->out, " was %s, but never %s", v->container->undone, v->container->done);
      if (!later) return true;
      text_add(v->out, " before: ");
      say_op(v, t);
      text_add(v->out, " returned before ");
      say_call(v, later);
      text_add(v->out, " was called");
      return true;
    }
    uint32_t last = 0;
    for (size_t k = 0; k < v->r->core_count; k++) {
      const struct op *o = op_at(v, v->r->core[k]);
      if (!is_take(v, o) || o->result != t->result || op_pending(o) || o->ret > v->r->core_to) continue;
      takes++;
      if (o->ret > last) last = o->ret;
    }
    puts = puts_before(v, t->result, t->object, last, &later);
    if (takes > puts * spec_times(v->spec)) {
      say_value(v, t->result);
      say_times(v, v->container->undone, takes);
      text_printf(v->out, ", but %s only ", v->container->done);
      say_times(v, "", puts);
      if (later) text_add(v->out, " by then");
      if (spec_times(v->spec) > 1)
        text_printf(v->out, ", and may be returned %" PRIu32 " times for each", spec_times(v->spec));
      return true;
    }
  }
  return false;
}

/* "says empty" although something was inside all the while. */
static bool say_empty(const struct view *v) {
  const struct op *empty = NULL;
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *o = op_at(v, v->r->core[i]);
    bool says = !v->spec->weak || o->method != v->spec->loose; /* others of a weak one say nothing by it */
    if (says && is_take(v, o) && o->result == V_EMPTY) empty = o;
  }
  if (!empty) return false;
  say_call(v, empty);
  text_printf(v->out, " returned empty, but the %s was not empty at any moment between its call and its return: ",
              v->spec->name);
  int said = 0;
  value last = V_NONE;
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *o = op_at(v, v->r->core[i]);
    if (!is_put(v, o) || (said && o->arg[0] == last)) continue;
    if (said++) text_add(v->out, ", then ");
    say_value(v, o->arg[0]);
    last = o->arg[0];
  }
  text_add(v->out, said ? " was inside" : "something was inside");
  return true;
}

/* How many insertions into the object were called before an event and did not return full. */
static size_t inserted_before(const struct view *v, uint32_t object, uint32_t event) {
  size_t n = 0;
  for (size_t i = 0; i < v->h->ops.count; i++) {
    const struct op *o = &v->h->ops.at[i];
    n += is_put(v, o) && o->object == object && o->call < event && (op_pending(o) || o->result != V_FULL);
  }
  return n;
}

/* More inside than fit, or full where fewer had ever been put in. */
static bool say_full(const struct view *v) {
  size_t inside = 0;
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *o = op_at(v, v->r->core[i]);
    bool put = is_put(v, o) && !op_pending(o);
    if (put && o->result == V_FULL && !v->spec->weak) {
      size_t before = inserted_before(v, o->object, o->ret);
      if (before >= v->spec->k) continue;
      say_call(v, o);
      text_printf(v->out, " returned full, but no more than %zu value%s can have been inside, and %" PRIu32 " fit",
                  before, before == 1 ? "" : "s", v->spec->k);
      return true;
    }
    inside += put && o->result != V_FULL && o->result != V_UNKNOWN;
  }
  if (inside != v->r->core_count || inside <= v->spec->k) return false;
  text_printf(v->out, "%zu values were inside at once, but the %s has room for %" PRIu32, inside, v->spec->name,
              v->spec->k);
  return true;
}

/* Two values in the wrong order: b came out although a should have come first. */
static bool say_order(const struct view *v, bool lifo, int priority) {
  if (v->r->core_count > 4) return false; /* two insertions and two removals */
  for (size_t i = 0; i < v->r->core_count; i++)
    for (size_t k = 0; k < v->r->core_count; k++) {
      const struct op *a = op_at(v, v->r->core[i]), *out = op_at(v, v->r->core[k]);
      if (!is_put(v, a) || !is_take(v, out) || out->result == V_EMPTY || out->result == V_UNKNOWN ||
          a->arg[0] == out->result)
        continue;
      const struct op *b = find_put(v, out->result), *later = find_take(v, a->arg[0]);
      if (later && !before(out, later)) continue;
      if (v->r->core_count != 2u + (b != NULL) + (later != NULL)) continue;
      if (priority ? !before(a, out) || priority * value_compare(v->h->values, a->arg[0], out->result) >= 0
          : lifo   ? !b || !before(b, a) || !before(a, out)
                   : !b || !before(a, b))
        continue;
      say_value(v, out->result);
      text_printf(v->out, " was %s before ", v->container->undone);
      say_value(v, a->arg[0]);
      if (priority) {
        text_add(v->out, ", which goes first and was inside: ");
        say_before(v, a, out);
      } else if (lifo) {
        text_add(v->out, ", though ");
        say_value(v, a->arg[0]);
        text_add(v->out, " was on top of it: ");
        say_before(v, b, a);
        text_add(v->out, ", and that returned before ");
        say_call(v, out);
        text_add(v->out, " was called");
      } else {
        text_add(v->out, ", though ");
        say_value(v, a->arg[0]);
        text_printf(v->out, " was %s first: ", v->container->done);
        say_before(v, a, b);
      }
      return true;
    }
  return false;
}

/* Sets: what a value's last operation says against the ones before. */
static bool say_member(const struct view *v) {
  int add = spec_op_find(v->spec, "add", 3), gone = spec_op_find(v->spec, "remove", 6);
  if (add < 0 || gone < 0 || v->r->culprit == UINT32_MAX || v->r->start_count) return false;
  const struct op *o = op_at(v, v->r->culprit);
  if (v->r->core_count == 1 && o->result == V_TRUE && o->method != add) {
    say_op(v, o);
    text_add(v->out, ", but ");
    say_value(v, o->arg[0]);
    text_add(v->out, " was never added before it returned");
    return true;
  }
  if (v->r->core_count != 2) return false;
  const struct op *a = op_at(v, v->r->core[0]);
  if (a == o) a = op_at(v, v->r->core[1]);
  if (a->method == o->method && (a->method == add || a->method == gone) && a->result == V_TRUE && o->result == V_TRUE) {
    say_value(v, o->arg[0]);
    text_printf(v->out, " was %s twice, and nothing can have %s in between", a->method == add ? "added" : "removed",
                a->method == add ? "removed it" : "added it again");
    if (before(a, o)) text_add(v->out, ": "), say_before(v, a, o);
    return true;
  }
  if (!before(a, o)) return false;
  if (a->method == add && o->result == V_FALSE && o->method != add) {
    say_op(v, o);
    text_add(v->out, ", but ");
    say_value(v, o->arg[0]);
    text_add(v->out, " was inside: ");
    say_before(v, a, o);
    text_add(v->out, ", and nothing can have removed it in between");
    return true;
  }
  return false;
}

/* Objects that are one value: registers, and the keys of a map. */

static bool same_cell(const struct view *v, const struct op *a, const struct op *b) {
  return a->object == b->object && (!v->spec->keyed || a->arg[0] == b->arg[0]);
}

/* The value an operation sets, if it does. */
static bool sets(const struct view *v, const struct op *o, value *x) {
  const struct spec_cell *c = &v->spec->cell[o->method];
  value on[2];
  if (c->sets == -1 || c->sets == CELL_MIXES || o->result == V_FALSE) return false;
  *x = on[0] = V_NONE;
  int n = op_values(v->spec, o, on);
  if (n > 0) *x = on[n - 1];
  return n > 0;
}

/* The value an operation found there, if it says so: a read's result, what a cas that succeeded compared with. */
static bool found(const struct view *v, const struct op *o, value *x) {
  const struct spec_cell *c = &v->spec->cell[o->method];
  if (op_pending(o) || o->ret > v->r->core_to || o->result == V_UNKNOWN || c->sets == CELL_MIXES) return false;
  if (c->sets == -1 ? false : c->compares < 0 || o->result != V_TRUE) return false;
  value on[2];
  op_values(v->spec, o, on);
  *x = on[0];
  return true;
}

static bool is_initial(const struct view *v, value x) {
  return x == (v->spec->family == FAMILY_REGISTER ? spec_initial(v->spec) : (value)V_NIL);
}

/* Was this value ever written to the cell? *first is the first to be called, or NULL. */
static void writes_of(const struct view *v, const struct op *at, value x, const struct op **first) {
  *first = NULL;
  for (size_t i = 0; i < v->h->ops.count && !*first; i++) {
    const struct op *o = &v->h->ops.at[i];
    value set;
    if (same_cell(v, o, at) && sets(v, o, &set) && set == x) *first = o;
  }
}

/* A register begins as nil, but one in C as some number: what was found before anything was certainly written may be
 * that. */
static void say_initial(const struct view *v, const struct op *at, value x) {
  if (!v->spec->param || spec_initial(v->spec) != V_NIL || !value_is_small(x) || value_small(x) < 0) return;
  for (size_t i = 0; i < v->h->ops.count; i++) {
    const struct op *o = &v->h->ops.at[i];
    value set;
    if (before(o, at) && same_cell(v, o, at) && sets(v, o, &set)) return;
  }
  text_printf(v->out, "; a %s begins as nil, %s(%d) begins as %d", v->spec->name, v->spec->name, value_small(x),
              value_small(x));
}

/* What was found there and nobody had written. */
static bool say_never_written(const struct view *v) {
  if (!affords(v, v->h->ops.count)) return false;
  for (size_t i = 0; i < v->h->ops.count; i++) /* an append makes values that nobody writes */
    if (v->spec->cell[v->h->ops.at[i].method].sets == CELL_MIXES) return false;
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *o = op_at(v, v->r->core[i]), *first;
    value x;
    if (!found(v, o, &x) || is_initial(v, x)) continue;
    writes_of(v, o, x, &first);
    if (first && first->call < o->ret) continue;
    say_op(v, o);
    text_add(v->out, ", but ");
    say_value(v, x);
    text_add(v->out, first ? " was not written before: it returned before " : " was never written");
    if (first) say_call(v, first), text_add(v->out, " was called");
    if (!first && !v->spec->keyed) say_initial(v, o, x);
    return true;
  }
  return false;
}

/* ", and that returned before Read() was called" */
static void say_and_before(const struct view *v, const struct op *o) {
  text_add(v->out, ", and that returned before ");
  say_call(v, o);
  text_add(v->out, " was called");
}

/* Found again after something else had been written, or seen, since. */
static bool say_overwritten(const struct view *v) {
  if (v->r->core_count > 4) return false; /* what found it, what wrote it, what wrote and what saw another value */
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *o = op_at(v, v->r->core[i]), *wrote = NULL, *since = NULL, *seen = NULL;
    value x, y;
    if (!found(v, o, &x)) continue;
    for (size_t k = 0; k < v->r->core_count; k++) {
      const struct op *w = op_at(v, v->r->core[k]);
      if (w == o) continue;
      if (sets(v, w, &y) && y == x)
        wrote = w;
      else if (sets(v, w, &y) && before(w, o))
        since = w;
      else if (found(v, w, &y) && y != x && before(w, o))
        seen = w;
    }
    size_t others = (wrote != NULL) + (since != NULL) + (seen != NULL);
    if (v->r->core_count != 1 + others || (!wrote && (v->r->start_count || !is_initial(v, x)))) continue;
    if (since && !seen && (!wrote || before(wrote, since))) {
      say_op(v, o);
      text_add(v->out, ", but that was overwritten: ");
      say_before(v, wrote ? wrote : since, wrote ? since : o);
      if (wrote) say_and_before(v, o);
      if (!wrote) text_printf(v->out, ", and nothing can have %s since", x == V_NIL ? "removed it" : "set it back");
      return true;
    }
    if (seen && !since && (!wrote || before(wrote, seen))) { /* somebody saw another value in between */
      say_op(v, o);
      text_add(v->out, ", but another value was there since: ");
      say_op(v, seen);
      text_add(v->out, " returned before ");
      say_call(v, o);
      text_add(v->out, " was called");
      if (wrote) {
        text_add(v->out, ", after ");
        say_call(v, wrote);
        text_add(v->out, " had returned");
      }
      return true;
    }
  }
  return false;
}

static void say_anything(const struct view *v) {
  const struct check_result *r = v->r;
  if (r->core_count == 1) {
    say_op(v, op_at(v, r->core[0]));
    text_add(v->out,
             r->start_count ? " is not possible from where it begins" : " is not possible, whatever else happened");
    return;
  }
  text_printf(v->out, "no order of these %zu operations gives the results they had", r->core_count);
  if (r->culprit != UINT32_MAX) {
    text_add(v->out, "; it shows when ");
    say_op(v, op_at(v, r->culprit));
    text_add(v->out, " returns");
  }
}

static void say_start(const struct view *v) {
  if (!v->r->start_count) return;
  text_add(v->out, ", starting from ");
  for (size_t i = 0; i < v->r->start_count && i < 4; i++) text_printf(v->out, "%s%s", i ? " or " : "", v->r->start[i]);
  if (v->r->start_count > 4) text_printf(v->out, " or %zu more", v->r->start_count - 4);
}

/* The sentence for a container; false if none fits. */
static bool say_container(const struct view *v) {
  enum spec_family f = v->spec->family;
  bool ordered = f == FAMILY_QUEUE || f == FAMILY_STACK || f == FAMILY_PRIORITY_QUEUE;
  int priority = f != FAMILY_PRIORITY_QUEUE ? 0 : v->spec->greatest_first ? -1 : 1;
  if (say_origin(v)) return true;
  if (v->spec->bounded && !v->r->start_count && affords(v, v->h->ops.count) && say_full(v)) return true;
  return !v->r->start_count && (say_empty(v) || (ordered && say_order(v, f == FAMILY_STACK, priority)));
}

void reason_print(const struct history *h, const struct spec *spec, const struct check_result *r, struct text *out) {
  struct view v = {.h = h, .spec = spec, .r = r, .out = out, .container = spec->container};
  if (v.container && say_container(&v)) return;
  if (spec->cell && say_never_written(&v)) return;
  if (spec->cell && say_overwritten(&v)) {
    say_start(&v);
    return;
  }
  if (spec->keyed && !spec->cell && say_member(&v)) return;
  say_anything(&v);
  say_start(&v);
}
