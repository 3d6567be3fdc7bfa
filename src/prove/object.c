/* Specifications, as what operations do to a sequence or a multiset (sections 2 and 3). */
#include <string.h>

#include "asif.h"
#include "prove/prover.h"

static bool adds(const struct prover *p, uint16_t op) { return p->role[op] == ROLE_ADD; }
static bool reads_only(const struct prover *p, uint16_t op) { return p->role[op] == ROLE_ASK; }
static bool is_collection(const struct prover *p) { return p->object == PROVE_SET || p->object == PROVE_MULTISET; }

static void put_atom(struct prover *p, struct view *v, val item, bool first) {
  if (v->atoms == ATOMS_MOST) {
    prove_limit(p, "the abstract value would have more than %d parts", ATOMS_MOST);
    return;
  }
  if (first) memmove(v->abs + 1, v->abs, sizeof(val) * v->atoms);
  v->abs[first ? 0 : v->atoms] = item;
  v->atoms++;
}

static void drop_atom(struct view *v, unsigned i) {
  memmove(v->abs + i, v->abs + i + 1, sizeof(val) * (v->atoms - i - 1u));
  v->atoms--;
}

static int segment_of(const struct view *v, val contents) {
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && v->node[n].segment && v->node[n].contents == contents) return (int)n;
  return -1;
}

/* The first of the abstract sequence, as an item of its own. */
static void first_item(struct prover *p, struct view *v) {
  if (KIND(v->abs[0]) != K_SEQ) return;
  int n = segment_of(v, v->abs[0]);
  if (n >= 0) {
    split_first(p, v, (unsigned)n);
    return;
  }
  val item = new_sym(v), rest = new_seq(v);
  replace_atom(p, v, v->abs[0], choose(p, 2) ? 2 : 1, (val[]){item, rest});
}

/* Is k among the contents? 1 yes, 0 no, -1 not known. */
static int inside(const struct prover *p, const struct view *v, val k) {
  int answer = 0;
  for (unsigned i = 0; i < v->atoms; i++) {
    val a = v->abs[i];
    if (a == k) return 1;
    if (KIND(a) != K_SEQ) {
      if (!known_different(p, v, a, k)) answer = -1;
      continue;
    }
    int n = segment_of(v, a);
    if (n >= 0 && KIND(v->node[n].low) != K_UNSET && known_at_most(p, v, k, v->node[n].low)) continue;
    if (n >= 0 && KIND(v->node[n].high) != K_UNSET && known_at_most(p, v, v->node[n].high, k)) continue;
    answer = -1;
  }
  return answer;
}

static val truth(struct prover *p, bool yes) { return yes ? number(p, 1) : NIL; }

static void linearize_collection(struct prover *p, struct actor *a) {
  struct view *v = a->view;
  int in = inside(p, v, a->arg);
  if (in < 0) in = (int)choose(p, 2); /* both must do */
  if (adds(p, a->op)) {
    if (!in || p->object == PROVE_MULTISET) put_atom(p, v, a->arg, false);
    *a->status = truth(p, !in || p->object == PROVE_MULTISET);
    return;
  }
  *a->status = truth(p, in);
  if (!in || reads_only(p, a->op)) return;
  for (unsigned i = 0; i < v->atoms; i++)
    if (v->abs[i] == a->arg) {
      drop_atom(v, i);
      return;
    }
  prove_fail(p, "the specification takes out a value, but which part of the contents it is is not known");
}

static void linearize_sequence(struct prover *p, struct actor *a) {
  struct view *v = a->view;
  if (adds(p, a->op)) {
    put_atom(p, v, a->arg, p->object == PROVE_STACK);
    *a->status = number(p, ASIF_OK);
  } else if (!v->atoms) {
    *a->status = number(p, ASIF_EMPTY);
  } else {
    first_item(p, v);
    if (p->dead) return;
    *a->status = v->abs[0];
    drop_atom(v, 0);
  }
}

/* Would the operation leave the abstract value as it is? Then the point is one of many (effect_pure). */
static bool is_pure(const struct prover *p, const struct actor *a) {
  if (!is_collection(p)) return !adds(p, a->op) && !a->view->atoms;
  int in = inside(p, a->view, a->arg);
  if (reads_only(p, a->op)) return true;
  return adds(p, a->op) ? in == 1 && p->object == PROVE_SET : in == 0;
}

void effect_now(struct prover *p, struct actor *a) {
  if (p->level == LEVEL_MS || a->setting_up || (!*a->carried && is_pure(p, a))) return;
  if (p->level == LEVEL_FULL && KIND(*a->status) != K_UNSET) {
    p->failure.own_point = a->me;
    prove_fail(p, "%s may linearize twice", p->program->ops[a->op].function);
    return;
  }
  keep_before(p, a);
  if (is_collection(p)) linearize_collection(p, a);
  else linearize_sequence(p, a);
  a->wrote = true;
}

/* An operation that leaves the abstract value as it is may linearize as often as it likes (section 3, property 2 dropped): what it
 * would return now it may return later. */
void effect_pure(struct prover *p, struct view *v) {
  if (!v->pc || KIND(v->status) != K_UNSET || p->level == LEVEL_MS) return;
  if (!is_collection(p)) {
    if (!adds(p, v->op) && !v->atoms) v->may_return |= MAY_EMPTY;
    return;
  }
  int in = inside(p, v, v->arg);
  if (in < 0) return;
  if (reads_only(p, v->op)) v->may_return |= in ? MAY_TRUE : MAY_FALSE;
  else if (adds(p, v->op)) v->may_return |= in && p->object == PROVE_SET ? MAY_FALSE : 0;
  else v->may_return |= in ? 0 : MAY_FALSE;
}

/* A bool function returns true and false, one that returns an int ASIF_TRUE and ASIF_FALSE. */
static unsigned may_bit(struct prover *p, const struct actor *a) {
  bool is_bool = p->program->ops[a->op].result == RESULT_OF_BOOL;
  if (a->result == number(p, ASIF_EMPTY)) return is_bool ? 0 : MAY_EMPTY;
  if (a->result == (is_bool ? NIL : number(p, ASIF_FALSE))) return MAY_FALSE;
  if (a->result == number(p, is_bool ? 1 : ASIF_TRUE)) return MAY_TRUE;
  return 0;
}

static bool same_result(struct prover *p, const struct actor *a, val expected) {
  if (adds(p, a->op) && p->object != PROVE_SET) return true; /* it has none that is looked at */
  if (is_collection(p)) return may_bit(p, a) == (expected == NIL ? MAY_FALSE : MAY_TRUE);
  return a->result == expected && is_number(expected) && p->program->ops[a->op].result == RESULT_OF_INT;
}

/* Properties 3 and 4 of section 3. */
void check_result(struct prover *p, struct actor *a) {
  if (p->level == LEVEL_MS) return;
  const char *function = p->program->ops[a->op].function;
  if (KIND(*a->status) != K_UNSET) {
    if (!same_result(p, a, *a->status)) prove_fail(p, "%s may return another result than the specification at its linearization point", function);
    return;
  }
  if (a->view->carried) {
    prove_fail(p, "%s may return while a node that others see still stands for it: it has not linearized", function);
    return;
  }
  if (a->view->may_return & may_bit(p, a)) return;
  if (p->level == LEVEL_NU && !is_collection(p) && adds(p, a->op)) return;
  p->failure.own_point = true;
  prove_fail(p, "%s may return without having linearized", function);
}
