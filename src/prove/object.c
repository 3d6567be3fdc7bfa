/* Specifications, as what operations do to a sequence or a multiset (sections 2 and 3): effects (spec/effects.h) run on
 * contents that are known in part.
 *
 * Which effect an operation has at its point, and which value it takes out, must follow from the state of memory alone
 * and not from how much a view knows of it: all threads run it, each in its own view. So what is not known is a case,
 * the first effect that is possible and changes something is taken, and where any value may be taken out it is that of
 * a node which the step itself names. */
#include <string.h>

#include "asif.h"
#include "prove/prover.h"
#include "spec/c_values.h"

static const struct effect_op *op_of(const struct prover *p, uint16_t op) { return &p->effects->ops.at[p->method[op]]; }

bool changes_nothing(const struct prover *p, uint16_t op) { return op_of(p, op)->pure; }

/* An effect held against the contents. */
struct fitting {
  struct prover *p;
  struct view *v;
  const struct effect *e;
  val bound[EFFECT_NAMES_MOST]; /* K_UNSET: not known */
  /* Is this value inside? What was found, or chosen where it was not known. */
  val asked;
  int inside;
};

static void start_fitting(struct fitting *f, const struct effect *e, val arg) {
  f->e = e;
  memset(f->bound, 0, sizeof f->bound);
  if (e->args) f->bound[0] = arg;
}

static val term_value(struct fitting *f, const struct effect_term *t) {
  return t->kind == EFFECT_NUMBER ? number(f->p, t->number) : f->bound[t->name];
}

static void put_atom(struct prover *p, struct view *v, val item, bool first) {
  if (v->atoms == ATOMS_MOST) {
    prove_limit(p, FAIL_TOO_LARGE, "the abstract value would have more than %d parts", ATOMS_MOST);
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

/* The first of the sequence that is atom i, as an item of its own. */
static void split_front(struct prover *p, struct view *v, unsigned i) {
  int n = segment_of(v, v->abs[i]);
  if (n >= 0) {
    split_first(p, v, (unsigned)n);
    return;
  }
  val item = new_sym(v), rest = new_seq(v);
  replace_atom(p, v, v->abs[i], choose(p, 2) ? 2 : 1, (val[]){item, rest});
}

/* The last one: it is the only one, or the segment ends in one of a single node. */
static void split_back(struct prover *p, struct view *v, unsigned i) {
  int n = segment_of(v, v->abs[i]);
  val item = new_sym(v), rest = new_seq(v);
  if (n < 0) {
    if (choose(p, 2))
      replace_atom(p, v, v->abs[i], 2, (val[]){rest, item});
    else
      replace_atom(p, v, v->abs[i], 1, &item);
    return;
  }
  if (choose(p, 2)) {
    split_in_two(p, v, (unsigned)n);
    if (p->dead) return;
    n = (int)INDEX(v->node[n].cell[p->link[v->node[n].layout]]);
  }
  val after = v->node[n].cell[p->link[v->node[n].layout]];
  split_first(p, v, (unsigned)n);
  if (!p->dead && v->node[n].cell[p->link[v->node[n].layout]] != after) p->dead = true; /* it would not be the last */
}

/* Is k among these? 1 yes, 0 no, -1 not known. */
static int inside(const struct prover *p, const struct view *v, const val *atoms, unsigned count, val k) {
  int answer = 0;
  for (unsigned i = 0; i < count; i++) {
    val a = atoms[i];
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

static int inside_all(struct fitting *f, val k) {
  if (f->asked == k) return f->inside;
  f->asked = k;
  return f->inside = inside(f->p, f->v, f->v->abs, f->v->atoms, k);
}

/* Whether an effect is possible: 1 yes, 0 no, -1 not known. */

static bool has_sequence(const val *atoms, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; i++)
    if (KIND(atoms[i]) == K_SEQ) return true;
  return false;
}

/* The atom that is item i of the pattern; K_UNSET: it is inside a sequence, or behind one. */
static val atom_of_item(const struct view *v, const struct effect_contents *c, unsigned i) {
  if (i < c->first) return i >= v->atoms || has_sequence(v->abs, 0, i + 1) ? VAL(K_UNSET, 0) : v->abs[i];
  unsigned back = c->first + c->last - i;
  return back > v->atoms || has_sequence(v->abs, v->atoms - back, v->atoms) ? VAL(K_UNSET, 0) : v->abs[v->atoms - back];
}

static int sequence_fits(struct fitting *f) {
  const struct effect_contents *c = &f->e->before;
  const struct view *v = f->v;
  unsigned items = c->first + c->last;
  bool open = has_sequence(v->abs, 0, v->atoms);
  if (v->atoms < items && !open) return 0;
  if (!c->has_rest && (v->atoms > items || (!items && v->atoms))) return 0;
  int fits = v->atoms < items || (!c->has_rest && open) ? -1 : 1;
  for (unsigned i = 0; i < items; i++) {
    val atom = atom_of_item(v, c, i), is = term_value(f, &c->item[i]);
    bool fresh = c->item[i].kind == EFFECT_NAME && KIND(is) == K_UNSET;
    if (fresh)
      f->bound[c->item[i].name] = atom;
    else if (KIND(atom) == K_UNSET)
      fits = -1;
    else if (atom != is && known_different(f->p, v, atom, is))
      return 0;
    else if (atom != is)
      fits = -1;
    if (fresh && KIND(atom) == K_UNSET)
      for (unsigned k = i + 1; k < items; k++) /* the same name again: not known to be the same value */
        if (c->item[k].kind == EFFECT_NAME && c->item[k].name == c->item[i].name) fits = -1;
  }
  return fits;
}

/* Takes the value out of the list; false: it is not there as a part of its own. */
static bool take_out(val *atoms, unsigned *count, val k) {
  for (unsigned i = 0; i < *count; i++)
    if (atoms[i] == k) {
      memmove(atoms + i, atoms + i + 1, sizeof(val) * (*count - i - 1));
      --*count;
      return true;
    }
  return false;
}

static int multiset_fits(struct fitting *f) {
  const struct effect_contents *c = &f->e->before;
  const struct view *v = f->v;
  bool open = has_sequence(v->abs, 0, v->atoms);
  if (!c->first && !c->has_rest) return !v->atoms;
  if (!open && v->atoms < c->first) return 0;
  if (!c->has_rest && v->atoms > c->first) return 0;
  int fits = v->atoms < c->first || (!c->has_rest && open) ? -1 : 1;
  val left[ATOMS_MOST];
  unsigned count = v->atoms;
  memcpy(left, v->abs, sizeof left);
  for (unsigned i = 0; i < c->first; i++) {
    val is = term_value(f, &c->item[i]);
    if (KIND(is) == K_UNSET) continue; /* any of them */
    int in = count == v->atoms ? inside_all(f, is) : inside(f->p, v, left, count, is);
    if (in == 0) return 0;
    if (in < 0) fits = -1;
    take_out(left, &count, is);
  }
  if (!f->e->has_absent) return fits;
  val absent = term_value(f, &f->e->absent);
  int in = KIND(absent) == K_UNSET ? -1
           : count == v->atoms     ? inside_all(f, absent)
                                   : inside(f->p, v, left, count, absent);
  return in == 1 ? 0 : in < 0 ? -1 : fits;
}

static int effect_fits(struct fitting *f) { return f->p->effects->sequence ? sequence_fits(f) : multiset_fits(f); }

/* What the specification says that the operation returns. */
static val result_value(struct fitting *f) {
  switch (f->e->result) {
  case RETURNS_VALUE: return term_value(f, &f->e->value);
  case RETURNS_EMPTY: return number(f->p, ASIF_EMPTY);
  case RETURNS_TRUE: return number(f->p, 1);
  case RETURNS_FALSE: return NIL;
  default: return number(f->p, ASIF_OK);
  }
}

/* Finding out: each looks at one thing that is not known, in all cases. */

static void resolve_sequence(struct fitting *f, struct actor *a) {
  const struct effect_contents *c = &f->e->before;
  struct view *v = f->v;
  for (unsigned i = 0; i < c->first && i < v->atoms; i++)
    if (KIND(v->abs[i]) == K_SEQ) {
      split_front(f->p, v, i);
      return;
    }
  for (unsigned i = 0; i < c->last && i < v->atoms; i++)
    if (KIND(v->abs[v->atoms - 1 - i]) == K_SEQ) {
      split_back(f->p, v, v->atoms - 1u - i);
      return;
    }
  for (unsigned i = 0; i < c->first + c->last; i++) {
    val atom = atom_of_item(v, c, i), is = term_value(f, &c->item[i]);
    if (KIND(atom) == K_UNSET || KIND(is) == K_UNSET || atom == is || known_different(f->p, v, atom, is)) continue;
    same(f->p, a, atom, is);
    return;
  }
  prove_limit(f->p, FAIL_CONTENTS, "how many values are inside is not known");
}

static void resolve_multiset(struct fitting *f) {
  const struct effect_contents *c = &f->e->before;
  for (unsigned i = 0; i <= c->first; i++) {
    if (i == c->first && !f->e->has_absent) break;
    val is = term_value(f, i < c->first ? &c->item[i] : &f->e->absent);
    if (KIND(is) == K_UNSET || inside_all(f, is) >= 0) continue;
    f->inside = (int)choose(f->p, 2); /* both must do */
    return;
  }
  prove_limit(f->p, FAIL_CONTENTS, "whether the specification allows this is not known");
}

/* Is the effect possible? What is not known is found out. */
static bool is_possible(struct fitting *f, struct actor *a, const struct effect *e) {
  int fits = -1;
  while (!f->p->dead) {
    start_fitting(f, e, a->arg);
    fits = effect_fits(f);
    if (fits >= 0) break;
    if (f->p->effects->sequence)
      resolve_sequence(f, a);
    else
      resolve_multiset(f);
  }
  return fits == 1 && !f->p->dead;
}

/* The first of the operation's effects that is possible; NULL: none is. */
static const struct effect *possible_effect(struct fitting *f, struct actor *a, bool pure) {
  const struct effects *all = f->p->effects;
  for (size_t i = 0; i < all->list.count && !f->p->dead; i++) {
    const struct effect *e = &all->list.at[i];
    if (e->op == f->p->method[a->op] && e->pure == pure && is_possible(f, a, e)) return e;
  }
  return NULL;
}

/* Doing it. */

static void apply_to_sequence(struct fitting *f, struct actor *a) {
  const struct effect_contents *b = &f->e->before, *c = &f->e->after;
  struct view *v = f->v;
  for (unsigned i = 0; i < b->first + b->last && !f->p->dead; i++)
    while (!f->p->dead && KIND(atom_of_item(v, b, i)) == K_UNSET) resolve_sequence(f, a);
  if (f->p->dead) return;
  start_fitting(f, f->e, a->arg);
  sequence_fits(f); /* what the names are */
  for (unsigned i = 0; i < b->first; i++) drop_atom(v, 0);
  v->atoms = c->has_rest ? (uint8_t)(v->atoms - b->last) : 0;
  for (unsigned i = c->first; i-- > 0;) put_atom(f->p, v, term_value(f, &c->item[i]), true);
  for (unsigned i = 0; i < c->last; i++) put_atom(f->p, v, term_value(f, &c->item[c->first + i]), false);
}

/* "{e} + A => ..., returns e": which one it is is said by the step, whose old or new value leads to the node that holds
 * it (points.c tries both). */
static val chosen_item(const struct fitting *f, const struct actor *a) {
  val to = a->last[f->p->takes_new ? 2 : 1];
  const struct node *n = KIND(to) == K_NODE ? &f->v->node[INDEX(to)] : NULL;
  if (!n || !n->used || n->segment || f->p->data[n->layout] < 0) return VAL(K_UNSET, 0);
  val item = n->cell[f->p->data[n->layout]];
  return is_number(item) ? item : VAL(K_UNSET, 0);
}

static void apply_to_multiset(struct fitting *f, const struct actor *a) {
  const struct effect_contents *b = &f->e->before, *c = &f->e->after;
  struct view *v = f->v;
  for (unsigned i = 0; i < b->first; i++) {
    val is = term_value(f, &b->item[i]);
    unsigned count = v->atoms;
    if (KIND(is) == K_UNSET) f->bound[b->item[i].name] = is = chosen_item(f, a);
    if (KIND(is) == K_UNSET || !take_out(v->abs, &count, is)) {
      f->p->failure.own_point = true;
      prove_fail(f->p, FAIL_TAKES_OUT,
                 "the specification takes out a value, but which part of the contents it is is not known");
      return;
    }
    v->atoms = (uint8_t)count;
  }
  if (!c->has_rest) v->atoms = 0;
  for (unsigned i = 0; i < c->first + c->last; i++) put_atom(f->p, v, term_value(f, &c->item[i]), false);
}

static void take_effect(struct fitting *f, struct actor *a) {
  struct prover *p = f->p;
  if (p->level == LEVEL_FULL && KIND(*a->status) != K_UNSET) {
    p->failure.own_point = a->me;
    prove_fail(p, FAIL_TWICE, "%s may linearize twice", p->program->ops[a->op].function);
    return;
  }
  keep_before(p, a);
  if (f->e->pure && f->e->result != RETURNS_VALUE)
    ;
  else if (p->effects->sequence)
    apply_to_sequence(f, a);
  else
    apply_to_multiset(f, a);
  if (p->dead) return;
  *a->status = result_value(f);
  a->wrote = true;
}

static void note_result(struct fitting *f) {
  static const uint8_t bits[] = {
      [RETURNS_OK] = MAY_OK, [RETURNS_EMPTY] = MAY_EMPTY, [RETURNS_TRUE] = MAY_TRUE, [RETURNS_FALSE] = MAY_FALSE};
  struct view *v = f->v;
  if (f->e->result != RETURNS_VALUE) {
    v->may_return |= bits[f->e->result];
    return;
  }
  val result = term_value(f, &f->e->value);
  for (unsigned i = 0; KIND(result) != K_UNSET && i < SEEN_MOST; i++)
    if (v->seen[i] == result || KIND(v->seen[i]) == K_UNSET) {
      v->seen[i] = result;
      return;
    }
}

/* An operation that a node stands for linearizes once, whatever it does; of others the point is one of many where it
 * leaves the contents as they are (effect_pure). */
void effect_now(struct prover *p, struct actor *a) {
  if (p->level == LEVEL_MS || a->setting_up || (op_of(p, a->op)->pure && !*a->carried)) return;
  struct fitting f = {.p = p, .v = a->view};
  const struct effect *e = possible_effect(&f, a, false);
  if (!e) e = possible_effect(&f, a, true);
  if (p->dead) return;
  if (!e)
    prove_fail(p, FAIL_CONTENTS, "the specification does not allow %s here", p->program->ops[a->op].function);
  else if (e->pure && !*a->carried) {
    if (a->me) note_result(&f);
  } else
    take_effect(&f, a);
}

/* An operation that leaves the abstract value as it is may linearize as often as it likes (section 3, property 2
 * dropped): what it would return now it may return later. */
void effect_pure(struct prover *p, struct view *v) {
  if (!v->pc || KIND(v->status) != K_UNSET || p->level == LEVEL_MS) return;
  struct fitting f = {.p = p, .v = v};
  for (size_t i = 0; i < p->effects->list.count; i++) {
    const struct effect *e = &p->effects->list.at[i];
    if (e->op != p->method[v->op] || !e->pure) continue;
    start_fitting(&f, e, v->arg);
    if (effect_fits(&f) == 1) note_result(&f);
  }
}

/* Whether the argument is inside is asked while the thread still keeps others out: it gives a lock back. What it would
 * return if this were its moment (effect_pure) is then known in both cases, and not only where the program comes to
 * compare the two itself, when others may have changed the contents. */
static bool is_open(const struct prover *p, const struct actor *a) {
  if (!p->ordered || p->level == LEVEL_MS || !a->me || a->setting_up || p->dead) return false;
  return KIND(a->view->status) == K_UNSET && is_number(a->arg);
}

void settle(struct prover *p, struct actor *a) {
  if (!is_open(p, a) || inside(p, a->view, a->view->abs, a->view->atoms, a->arg) >= 0) return;
  for (unsigned i = 0; i < a->view->atoms && !p->dead; i++)
    if (is_number(a->view->abs[i]) && same(p, a, a->view->abs[i], a->arg)) return;
}

/* Does the thread know the node of this value, by a register that it will still look at? */
static bool knows_node(const struct prover *p, const struct actor *a, struct live live, val item) {
  for (unsigned i = 0; i < live.count; i++) {
    val r = a->reg[p->program->registers[live.first + i]];
    if (KIND(r) != K_NODE) continue;
    const struct node *n = &a->view->node[INDEX(r)];
    if (p->data[n->layout] >= 0 && n->cell[p->data[n->layout]] == item) return true;
  }
  return false;
}

/* The same at the end of a step, for a value that the thread has read from a node which it now lets go: the node
 * becomes part of a segment, and that the value is among the contents would be forgotten. */
void settle_forgotten(struct prover *p, struct actor *a) {
  if (!is_open(p, a) || a->returned) return;
  struct live live = p->program->live[a->pc];
  for (unsigned i = 0; i < live.count && !p->dead; i++) {
    val v = a->reg[p->program->registers[live.first + i]];
    bool among = false;
    for (unsigned k = 0; k < a->view->atoms; k++) among |= a->view->abs[k] == v;
    if (KIND(v) != K_SYM || !among || v == a->arg || known_different(p, a->view, v, a->arg)) continue;
    if (!knows_node(p, a, live, v) && same(p, a, v, a->arg)) return;
  }
}

/* What a number says that is returned, as spec/c_values.h has it for all commands; 0: it is an element, or not known.
 */
static unsigned may_bit(const struct prover *p, const struct actor *a) {
  const struct effect_op *op = op_of(p, a->op);
  enum result_of type = p->program->ops[a->op].result;
  if (op->silent) return MAY_OK;
  if (!is_constant(a->result)) return 0;
  int64_t n = constant_value(p, a->result);
  value v;
  if (type == RESULT_OF_BOOL && n != 0 && n != 1) return 0;
  if (!c_result(op->truth ? RESULT_BOOL : RESULT_VALUE,
                type == RESULT_OF_VOID   ? C_VOID
                : type == RESULT_OF_BOOL ? C_BOOL
                                         : C_NUMBER,
                0, &n, &v))
    return 0;
  return v == V_TRUE ? MAY_TRUE : v == V_FALSE ? MAY_FALSE : v == V_EMPTY ? MAY_EMPTY : 0;
}

static bool is_value(const struct prover *p, const struct actor *a) {
  return is_number(a->result) && p->program->ops[a->op].result == RESULT_OF_INT;
}

static bool same_result(struct prover *p, const struct actor *a, val expected) {
  if (op_of(p, a->op)->silent) return true; /* it has none that is looked at */
  if (op_of(p, a->op)->truth) return may_bit(p, a) == (expected == NIL ? MAY_FALSE : MAY_TRUE);
  return a->result == expected && is_value(p, a);
}

static bool was_seen(const struct prover *p, const struct actor *a) {
  for (unsigned i = 0; i < SEEN_MOST; i++)
    if (a->view->seen[i] == a->result && is_value(p, a)) return true;
  return false;
}

/* Properties 3 and 4 of section 3. */
void check_result(struct prover *p, struct actor *a) {
  if (p->level == LEVEL_MS) return;
  const char *function = p->program->ops[a->op].function;
  if (KIND(*a->status) != K_UNSET) {
    if (!same_result(p, a, *a->status))
      prove_fail(p, FAIL_RESULT, "%s may return another result than the specification at its linearization point",
                 function);
    return;
  }
  if (a->view->carried) {
    prove_fail(p, FAIL_POINT, "%s may return while a node that others see still stands for it: it has not linearized",
               function);
    return;
  }
  if (a->view->may_return & may_bit(p, a) || was_seen(p, a)) return;
  if (p->level == LEVEL_NU && op_of(p, a->op)->silent) return;
  p->failure.own_point = true;
  prove_fail(p, FAIL_NO_POINT, "%s may return without having linearized", function);
}
