/* Nodes and segments. */
#include <assert.h>
#include <string.h>

#include "prove/prover.h"

/* An index has 12 bits; a step ends long before (run_until_next, abstract). */
val new_sym(struct view *v) {
  assert(v->syms < 1u << 12);
  return VAL(K_SYM, v->syms++);
}
val new_seq(struct view *v) {
  assert(v->seqs < 1u << 12);
  return VAL(K_SEQ, v->seqs++);
}

unsigned new_node(struct prover *p, struct view *v, unsigned layout) {
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (!v->node[n].used) {
      memset(&v->node[n], 0, sizeof v->node[n]);
      v->node[n].used = 1;
      v->node[n].layout = (uint8_t)layout;
      return n;
    }
  prove_limit(p, FAIL_TOO_LARGE, "a view would have more than %d nodes", NODES_MOST);
  return 0;
}

static void replace_in(val *at, unsigned count, val from, val to) {
  for (unsigned i = 0; i < count; i++)
    if (at[i] == from) at[i] = to;
}

void replace(struct view *v, val from, val to, val *more) {
  replace_in(v->reg, REGS_MOST, from, to);
  replace_in(v->root, ROOTS_MOST, from, to);
  replace_in(v->abs, v->atoms, from, to);
  replace_in(&v->status, 1, from, to);
  replace_in(&v->arg, 1, from, to);
  replace_in(v->seen, SEEN_MOST, from, to);
  if (more) replace_in(more, REGS_MOST, from, to);
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used) {
      replace_in(v->node[n].cell, CELLS_EACH, from, to);
      replace_in(&v->node[n].low, 2, from, to);
    }
  for (unsigned f = 0; f < v->facts; f++) replace_in(&v->fact[f].a, 2, from, to);
}

void replace_atom(struct prover *p, struct view *v, val atom, unsigned count, const val *by) {
  for (unsigned i = 0; i < v->atoms; i++) {
    if (v->abs[i] != atom) continue;
    if (v->atoms + count - 1 > ATOMS_MOST) {
      prove_limit(p, FAIL_TOO_LARGE, "the abstract value would have more than %d parts", ATOMS_MOST);
      return;
    }
    memmove(v->abs + i + count, v->abs + i + 1, sizeof(val) * (v->atoms - i - 1u));
    memcpy(v->abs + i, by, sizeof(val) * count);
    v->atoms = (uint8_t)(v->atoms + count - 1);
    return;
  }
}

/* Cells of a node that was part of a segment: nothing is known but what the segment tells. */
static void forget_cells(const struct prover *p, struct node *n) {
  const struct layout *l = &p->program->layouts[n->layout];
  for (unsigned c = 0; c < CELLS_EACH; c++)
    n->cell[c] = c >= l->count ? VAL(K_UNSET, 0) : l->cells[c].scalar.mutex ? VAL(K_LOCK, LOCK_NOT_ME) : VAL(K_ANY, 0);
}

void split_first(struct prover *p, struct view *v, unsigned node) {
  struct node *n = &v->node[node], old = *n;
  assert(n->used && n->segment && n->owner == OWNER_NONE && p->link[n->layout] >= 0);
  bool alone = choose(p, 2) == 0;
  int link = p->link[n->layout];
  val item = new_sym(v), rest = VAL(K_UNSET, 0), to = old.cell[link];
  if (!alone) {
    unsigned m = new_node(p, v, old.layout);
    if (p->dead) return;
    v->node[m] = old;
    v->node[m].contents = rest = new_seq(v);
    if (KIND(old.low) != K_UNSET) v->node[m].low = item;
    to = VAL(K_NODE, m);
  }
  replace_atom(p, v, old.contents, alone ? 1 : 2, (val[]){item, rest});
  n->segment = NO_SEGMENT;
  n->low = n->high = VAL(K_UNSET, 0);
  n->carries = old.segment == SEGMENT_CARRYING_NOTHING ? CARRY(CARRY_NOTHING, 0) : VAL(K_UNSET, 0);
  forget_cells(p, n);
  n->cell[link] = to;
  if (p->data[n->layout] >= 0) n->cell[p->data[n->layout]] = item;
  if (KIND(old.low) != K_UNSET) learn(p, v, old.low, LESS, item);
  if (KIND(old.high) != K_UNSET) learn(p, v, item, LESS, old.high);
}

/* Between the two of a segment that rises there is room for a value that is in neither: numbers may be thought dense
 * here, since only their order is spoken of. */
void split_in_two(struct prover *p, struct view *v, unsigned node) {
  struct node *n = &v->node[node];
  assert(n->used && n->segment && p->link[n->layout] >= 0);
  unsigned m = new_node(p, v, n->layout);
  if (p->dead) return;
  val first = new_seq(v), second = new_seq(v);
  v->node[m] = *n;
  v->node[m].contents = second;
  replace_atom(p, v, n->contents, 2, (val[]){first, second});
  n->contents = first;
  n->cell[p->link[n->layout]] = VAL(K_NODE, m);
  if (KIND(n->low) != K_UNSET) n->high = v->node[m].low = new_sym(v);
}

/* What becomes reachable for others is shared, with all that it leads to. Of the mutexes of what others reach no view
 * says whether they are initialised: they must be. */
void publish(struct prover *p, struct view *v, val a) {
  if (KIND(a) != K_NODE) return;
  struct node *n = &v->node[INDEX(a)];
  if (n->owner == OWNER_NONE) return;
  n->owner = OWNER_NONE;
  for (unsigned c = 0; c < CELLS_EACH; c++) {
    if (n->cell[c] == VAL(K_LOCK, LOCK_NEVER_SET))
      prove_fail(p, FAIL_UNSET, "a node becomes visible to others whose mutex was never initialised");
    publish(p, v, n->cell[c]);
  }
}

void free_node(struct view *v, unsigned node, val *more) {
  assert(v->node[node].used && v->node[node].owner != OWNER_NONE);
  replace(v, VAL(K_NODE, node), VAL(K_DANGLING, v->danglings++), more);
  v->node[node].used = 0;
}

/* Two values are one: one takes the place of the other, and what was known of both must be possible of one. */
static void make_same(struct prover *p, struct actor *a, val from, val to) {
  replace(a->view, from, to, a->me ? NULL : a->reg);
  if (a->arg == from) a->arg = to;
  if (!a->me && *a->status == from) *a->status = to;
  learn_again(p, a->view);
}

static bool may_be_any_address(val v) { return KIND(v) == K_SYM || KIND(v) == K_ANY || KIND(v) == K_DANGLING; }

bool same(struct prover *p, struct actor *a, val x, val y) {
  if (KIND(x) == K_UNSET || KIND(y) == K_UNSET) {
    prove_fail(p, FAIL_UNSET, "a value that was never set is compared");
    return false;
  }
  if (x == y && KIND(x) != K_ANY) return true;
  bool numbers = is_number(x) && is_number(y);
  if (numbers && known_different(p, a->view, x, y)) return false;
  if (!numbers && !may_be_any_address(x) && !may_be_any_address(y)) return false; /* different nodes; a node and null */
  if ((KIND(x) == K_DANGLING && KIND(y) == K_NULL) || (KIND(y) == K_DANGLING && KIND(x) == K_NULL)) return false;
  if (choose(p, 2) == 0) {
    if (numbers) learn(p, a->view, x, DIFFERENT, y);
    return false;
  }
  if (KIND(x) == K_ANY || KIND(y) == K_ANY) return true; /* nothing to remember it by */
  if (KIND(x) == K_SYM || KIND(x) == K_DANGLING)
    make_same(p, a, x, y);
  else if (KIND(y) == K_SYM || KIND(y) == K_DANGLING)
    make_same(p, a, y, x);
  return true;
}

bool less(struct prover *p, struct actor *a, val x, val y) {
  if (KIND(x) == K_UNSET || KIND(y) == K_UNSET) {
    prove_fail(p, FAIL_UNSET, "a value that was never set is compared");
    return false;
  }
  if (known_less(p, a->view, x, y)) return true;
  if (known_at_most(p, a->view, y, x)) return false;
  bool yes = choose(p, 2);
  if (yes)
    learn(p, a->view, x, LESS, y);
  else
    learn(p, a->view, y, AT_MOST, x);
  return yes;
}
