/* Checking a proof again: no search and no fixpoint, each condition once.
 *
 * Given are views and actions. The first view must be among the views. The steps of each view must fail nothing and
 * lead to views, and so must calls, where no operation runs. A view whose step others notice must have its action among
 * the actions. And views must be stable (section 5): what an action does to a view leads to a view. Then every
 * execution stays in them, by induction on its length, whatever the number of threads. The rules themselves (moves.c
 * and what it calls) are those of the prover; that it found all there is is not relied on. What arithmetic leaves
 * undefined is looked for once more by other code (certify_arith.c). */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prove/prover.h"

struct certifier {
  struct prover *p;
  const struct certificate *c;
  const struct view **views, **actions; /* in order */
  struct text *said;
};

static int by_bytes(const void *a, const void *b) {
  return memcmp(*(const struct view *const *)a, *(const struct view *const *)b, sizeof(struct view));
}

static const struct view **in_order(struct mem *m, const struct view *at, size_t count) {
  const struct view **list = mem_zero(m, count + 1, sizeof *list);
  for (size_t i = 0; i < count; i++) list[i] = &at[i];
  qsort(list, count, sizeof *list, by_bytes);
  return list;
}

static bool among(const struct view *v, const struct view **list, size_t count) {
  return count && bsearch(&v, list, count, sizeof *list, by_bytes) != NULL;
}

static bool refuse(struct certifier *c, const char *what, const struct view *from, const struct view *to) {
  text_printf(c->said, "the proof does not stand: %s", what);
  if (c->p->failed) text_printf(c->said, ": %s", c->p->failure.said);
  if (from) text_add(c->said, "\n  view "), put_view(c->p, from, c->said);
  if (to) text_add(c->said, "\n  to   "), put_view(c->p, to, c->said);
  text_char(c->said, '\n');
  return false;
}

static bool is_view(struct certifier *c, const struct view *v) { return among(v, c->views, c->c->views.count); }

static bool check_first(struct certifier *c) {
  struct view first;
  if (!first_move(c->p, &first)) return refuse(c, "the object cannot be set up", NULL, NULL);
  return is_view(c, &first) || refuse(c, "the view at the start is not in it", NULL, &first);
}

static bool check_action(struct certifier *c, const struct view *v) {
  struct view action;
  first_case(c->p);
  action_of(c->p, v, &action);
  if (c->p->failed) return refuse(c, "what others see of a step is too much", v, NULL);
  return c->p->dead || among(&action, c->actions, c->c->actions.count) ||
         refuse(c, "others notice the step of a view, and no action says so", v, &action);
}

static bool check_step(struct certifier *c, const struct view *v) {
  bool acts = false;
  first_case(c->p);
  do {
    struct view to;
    bool wrote = own_move(c->p, v, &to);
    c->p->steps++;
    if (c->p->failed) return refuse(c, "the step of a view may fail", v, NULL);
    if (c->p->dead) continue;
    acts = acts || wrote;
    if (!is_view(c, &to)) return refuse(c, "the step of a view leads to one that is not in it", v, &to);
  } while (next_case(c->p));
  return !acts || check_action(c, v);
}

static bool check_call(struct certifier *c, const struct view *v, uint16_t op) {
  first_case(c->p);
  do {
    struct view to;
    call_move(c->p, v, op, &to);
    c->p->steps++;
    if (c->p->failed) return refuse(c, "a call may fail", v, NULL);
    if (!c->p->dead && !is_view(c, &to)) return refuse(c, "a call leads to a view that is not in it", v, &to);
  } while (next_case(c->p));
  return true;
}

static bool check_stable(struct certifier *c, const struct view *v, const struct view *action) {
  first_case(c->p);
  do {
    struct view to;
    c->p->compositions++;
    if (!other_move(c->p, v, action, &to)) return refuse(c, "what another thread does to a view may fail", v, NULL);
    if (!c->p->dead && !is_view(c, &to))
      return refuse(c, "a view is not stable: what another thread does leads to one that is not in it", v, &to);
  } while (next_case(c->p));
  return true;
}

static bool check_view(struct certifier *c, const struct view *v) {
  bool good = true;
  mem_poll(c->p->mem);
  if (v->pc) good = check_step(c, v);
  for (uint16_t op = 0; !v->pc && good && op < c->p->program->op_count; op++) good = check_call(c, v, op);
  for (size_t a = 0; good && a < c->c->actions.count; a++) good = check_stable(c, v, &c->c->actions.at[a]);
  return good;
}

bool certify(struct prover *p, const struct certificate *given, struct text *said) {
  struct certifier c = {.p = p, .c = given, .said = said};
  c.views = in_order(p->mem, given->views.at, given->views.count);
  assert(p->program && p->effects && p->reg_ranges);
  c.actions = in_order(p->mem, given->actions.at, given->actions.count);
  p->failed = false;
  p->certifying = true;
  p->steps = p->compositions = 0;
  memset(&p->failure, 0, sizeof p->failure);
  if (!check_first(&c)) return false;
  for (size_t i = 0; i < given->views.count; i++)
    if (!check_view(&c, &given->views.at[i])) return false;
  return true;
}
