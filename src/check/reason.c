/* Sentences: see reason.h. The common faults of containers and registers are recognised by their pattern; the rest get
 * a sentence that says which operation finds no place, and from which states. */
#include "check/reason.h"

#include <string.h>

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

/* Anywhere in the history, on the same object. */
static const struct op *find_put_anywhere(const struct view *v, value x, uint32_t object) {
  for (size_t i = 0; i < v->h->ops.count; i++) {
    const struct op *o = &v->h->ops.at[i];
    if (is_put(v, o) && o->object == object && o->arg[0] == x) return o;
  }
  return NULL;
}

/* " was dequeued twice", "once" */
static void say_times(const struct view *v, const char *what, size_t n) {
  if (*what) text_printf(v->out, " was %s ", what);
  if (n <= 2)
    text_add(v->out, n == 1 ? "once" : n ? "twice" : "never");
  else
    text_printf(v->out, "%zu times", n);
}

static bool is_value(value x) { return value_is_small(x) || x > V_UNKNOWN; }

/* A value that came from nowhere, came out twice, or before it went in. */
static bool say_origin(const struct view *v) {
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *t = op_at(v, v->r->core[i]);
    if (!is_take(v, t) || !is_value(t->result)) continue;
    const struct op *put = find_put_anywhere(v, t->result, t->object);
    if (!put) {
      say_value(v, t->result);
      text_printf(v->out, " was %s, but never %s", v->container->undone, v->container->done);
      return true;
    }
    put = find_put(v, t->result);
    if (put && before(t, put) && v->r->core_count <= 3) {
      say_value(v, t->result);
      text_printf(v->out, " was %s before it was %s: ", v->container->undone, v->container->done);
      say_op(v, t);
      text_add(v->out, " returned before ");
      say_call(v, put);
      text_add(v->out, " was called");
      return true;
    }
    size_t takes = 0, puts = 0;
    for (size_t k = 0; k < v->r->core_count; k++) {
      const struct op *o = op_at(v, v->r->core[k]);
      takes += is_take(v, o) && o->result == t->result;
    }
    for (size_t k = 0; takes > 1 && k < v->h->ops.count; k++) {
      const struct op *o = &v->h->ops.at[k];
      puts += is_put(v, o) && o->object == t->object && o->arg[0] == t->result;
    }
    if (takes > 1 && takes > puts) {
      say_value(v, t->result);
      say_times(v, v->container->undone, takes);
      text_printf(v->out, ", but %s only ", v->container->done);
      say_times(v, "", puts);
      return true;
    }
  }
  return false;
}

/* "says empty" although something was inside all the while. */
static bool say_empty(const struct view *v) {
  const struct op *empty = NULL;
  for (size_t i = 0; i < v->r->core_count; i++)
    if (is_take(v, op_at(v, v->r->core[i])) && op_at(v, v->r->core[i])->result == V_EMPTY)
      empty = op_at(v, v->r->core[i]);
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

/* Two values in the wrong order: b came out although a should have come first. */
static bool say_order(const struct view *v, bool lifo, int priority) {
  for (size_t i = 0; i < v->r->core_count; i++)
    for (size_t k = 0; k < v->r->core_count; k++) {
      const struct op *a = op_at(v, v->r->core[i]), *out = op_at(v, v->r->core[k]);
      if (!is_put(v, a) || !is_take(v, out) || !is_value(out->result) || a->arg[0] == out->result) continue;
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

/* A read of a value that nobody wrote. */
static bool say_never_written(const struct view *v) {
  int read = spec_op_find(v->spec, "read", 4), key = v->spec->keyed; /* a map's operations have the key first */
  if (!v->spec->cell || read < 0 || spec_op_find(v->spec, "append", 6) >= 0) return false;
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *o = op_at(v, v->r->core[i]);
    if (o->method != read || op_pending(o) || o->result == V_UNKNOWN) continue;
    bool written = o->result == V_NIL || (!key && o->result == spec_initial(v->spec));
    for (size_t k = 0; k < v->h->ops.count && !written; k++) {
      const struct op *x = &v->h->ops.at[k];
      int sets = v->spec->cell[x->method].sets;
      written = sets >= 0 && x->arg[sets] == o->result && x->object == o->object && (!key || x->arg[0] == o->arg[0]);
    }
    if (written) continue;
    say_op(v, o);
    text_add(v->out, ", but ");
    say_value(v, o->result);
    text_add(v->out, " was never written");
    return true;
  }
  return false;
}

/* A read of a register that finds what it should not. */
static bool say_read(const struct view *v) {
  int read = spec_op_find(v->spec, "read", 4), write = spec_op_find(v->spec, "write", 5);
  if (read < 0 || write < 0) return false;
  int key = v->spec->keyed; /* a map's write has its key first */
  for (size_t i = 0; i < v->r->core_count; i++) {
    const struct op *o = op_at(v, v->r->core[i]);
    if (o->method != read || op_pending(o) || o->result == V_UNKNOWN) continue;
    const struct op *wrote = NULL, *since = NULL;
    for (size_t k = 0; k < v->r->core_count; k++) {
      const struct op *x = op_at(v, v->r->core[k]);
      if (x->method != write) continue;
      if (x->arg[key] == o->result)
        wrote = x;
      else if (before(x, o))
        since = x;
    }
    if (wrote && before(o, wrote)) {
      say_op(v, o);
      text_add(v->out, " returned before ");
      say_call(v, wrote);
      text_add(v->out, " was called");
      return true;
    }
    if (since && (!wrote || before(wrote, since)) && v->r->core_count <= (wrote ? 3u : 2u)) {
      say_op(v, o);
      text_add(v->out, ", but that was overwritten: ");
      if (wrote) {
        say_before(v, wrote, since);
        text_add(v->out, ", and that returned before the read was called");
      } else {
        say_before(v, since, o);
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
  return !v->r->start_count && (say_empty(v) || (ordered && say_order(v, f == FAMILY_STACK, priority)));
}

void reason_print(const struct history *h, const struct spec *spec, const struct check_result *r, struct text *out) {
  struct view v = {.h = h, .spec = spec, .r = r, .out = out, .container = spec->container};
  if (v.container ? say_container(&v) : say_never_written(&v) || say_member(&v)) return;
  if (v.container || !say_read(&v)) say_anything(&v);
  say_start(&v);
}
