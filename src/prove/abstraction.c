/* Shape-value abstraction (section 4), and canonical names. */
#include <assert.h>
#include <string.h>

#include "prove/prover.h"

/* Who leads to each node. */
struct links {
  uint8_t reached[NODES_MOST];
  uint8_t count[NODES_MOST]; /* cells of nodes that hold its address */
  bool held[NODES_MOST];     /* a register or a root holds it */
  bool rooted[NODES_MOST];   /* a root does */
};

static void reach(const struct prover *p, const struct view *v, val a, uint8_t *reached) {
  while (KIND(a) == K_NODE && !reached[INDEX(a)]) {
    const struct node *n = &v->node[INDEX(a)];
    reached[INDEX(a)] = 1;
    int link = p->link[n->layout];
    for (int c = 0; c < CELLS_EACH; c++)
      if (c != link) reach(p, v, n->cell[c], reached);
    if (link < 0) return;
    a = n->cell[link];
  }
}

static bool is_carrier(const struct node *n) {
  return n->used && !n->segment && KIND(n->carries) == K_CARRY && CARRIER(n->carries) == CARRY_MINE;
}

static void find_links(const struct prover *p, struct view *v, struct links *l) {
  memset(l, 0, sizeof *l);
  for (unsigned i = 0; i < ROOTS_MOST; i++) {
    reach(p, v, v->root[i], l->reached);
    if (KIND(v->root[i]) == K_NODE) l->held[INDEX(v->root[i])] = l->rooted[INDEX(v->root[i])] = true;
  }
  for (unsigned i = 0; i < REGS_MOST; i++) {
    reach(p, v, v->reg[i], l->reached);
    if (KIND(v->reg[i]) == K_NODE) l->held[INDEX(v->reg[i])] = true;
  }
  for (unsigned n = 0; v->carried && n < NODES_MOST; n++)
    if (is_carrier(&v->node[n])) {
      reach(p, v, VAL(K_NODE, n), l->reached);
      l->held[n] = true;
    }
  for (unsigned n = 0; n < NODES_MOST; n++) {
    if (!l->reached[n])
      v->node[n].used = 0;
    else
      for (unsigned c = 0; c < CELLS_EACH; c++)
        if (KIND(v->node[n].cell[c]) == K_NODE) l->count[INDEX(v->node[n].cell[c])]++;
  }
}

static int atom_at(const struct view *v, val a) {
  for (unsigned i = 0; i < v->atoms; i++)
    if (v->abs[i] == a) return (int)i;
  return -1;
}

/* Contents that follow each other in memory become one; in the abstract value they must do so too, or both be absent.
 */
static bool join_contents(struct prover *p, struct view *v, val a, val b, val *joined) {
  int i = atom_at(v, a), j = atom_at(v, b);
  if ((i >= 0) != (j >= 0)) return false;
  if (i >= 0 && p->effects->sequence && j != i + 1) return false;
  *joined = new_seq(v);
  if (i < 0) return true;
  v->abs[i] = *joined;
  memmove(v->abs + j, v->abs + j + 1, sizeof(val) * (v->atoms - (unsigned)j - 1u));
  v->atoms--;
  return true;
}

static val data_of(const struct prover *p, const struct node *n) {
  return p->data[n->layout] >= 0 ? n->cell[p->data[n->layout]] : VAL(K_ANY, 0);
}
static bool rises(const struct node *n) { return KIND(n->low) != K_UNSET; }

static bool holds_lock(const struct node *n) {
  for (unsigned c = 0; c < CELLS_EACH; c++)
    if (n->cell[c] == VAL(K_LOCK, LOCK_ME) || n->cell[c] == VAL(K_LOCK, LOCK_NEVER_SET)) return true;
  return false;
}

/* A cell that was never set and may be read: in a segment it would be any value. */
static bool is_unset(const struct prover *p, const struct node *n) {
  for (unsigned c = 0; c < p->program->layouts[n->layout].count; c++)
    if (KIND(n->cell[c]) == K_UNSET && p->read >> c & 1) return true;
  return false;
}

/* May the node y after x lose its name? It has no other way to it, and is not the end of the list next to a root: where
 * a list ends is what operations at its end look at. */
static bool unimportant(const struct prover *p, const struct view *v, const struct links *l, unsigned x, unsigned y) {
  const struct node *n = &v->node[y];
  if (x == y || l->count[y] != 1 || l->held[y] || n->owner != OWNER_NONE || v->node[x].owner != OWNER_NONE)
    return false;
  if (n->layout != v->node[x].layout || holds_lock(n)) return false;
  if (n->segment) return true;
  if (is_unset(p, n)) return false;
  if (KIND(data_of(p, n)) == K_INT) return false; /* a sentinel */
  return !(l->rooted[x] && KIND(n->cell[p->link[n->layout]]) == K_NULL);
}

static struct node *next_of(const struct prover *p, struct view *v, const struct node *n) {
  val a = n->cell[p->link[n->layout]];
  return KIND(a) == K_NODE && v->node[INDEX(a)].layout == n->layout ? &v->node[INDEX(a)] : NULL;
}

/* A node becomes a segment of one. */
static void name_contents(struct prover *p, struct view *v, struct node *x, struct node *y) {
  int link = p->link[y->layout];
  val item = data_of(p, y), to = y->cell[link], before = x->segment ? VAL(K_ANY, 0) : data_of(p, x);
  struct node *after = next_of(p, v, y);
  val next = !after ? VAL(K_ANY, 0) : after->segment ? after->low : data_of(p, after);
  y->segment = y->carries == CARRY(CARRY_NOTHING, 0) ? SEGMENT_CARRYING_NOTHING : SEGMENT;
  y->contents = new_seq(v);
  y->low = y->high = VAL(K_UNSET, 0);
  if (p->ordered) {
    y->low = known_less(p, v, before, item) ? before : VAL(K_ANY, 0);
    y->high = known_less(p, v, item, next) ? next : VAL(K_ANY, 0);
  }
  int i = is_number(item) ? atom_at(v, item) : -1;
  if (i >= 0) v->abs[i] = y->contents;
  for (unsigned c = 0; c < CELLS_EACH; c++) y->cell[c] = VAL(K_UNSET, 0);
  y->cell[link] = to;
}

/* x and y, both segments, become one: lseg(x, y, a) * lseg(y, z, b) => lseg(x, z, a . b). */
static bool join_segments(struct prover *p, struct view *v, struct node *x, struct node *y, bool rising) {
  assert(x->used && y->used && x->segment && y->segment && x != y && x->layout == y->layout);
  val joined;
  if (!join_contents(p, v, x->contents, y->contents, &joined)) return false;
  x->contents = joined;
  if (y->segment == SEGMENT) x->segment = SEGMENT;
  x->high = y->high;
  if (!rising) x->low = x->high = VAL(K_UNSET, 0);
  x->cell[p->link[x->layout]] = y->cell[p->link[y->layout]];
  y->used = 0;
  return true;
}

/* Folds the node or segment y into what is around it; false if nothing changed. */
static bool fold_at(struct prover *p, struct view *v, const struct links *l, unsigned xi, unsigned yi) {
  struct node *x = &v->node[xi], *y = &v->node[yi];
  if (y->segment) {
    bool rising = rises(x) && rises(y) && known_at_most(p, v, x->high, y->low);
    return x->segment && join_segments(p, v, x, y, rising);
  }
  val item = data_of(p, y);
  struct node *z = next_of(p, v, y);
  bool with_next = z && z->segment && unimportant(p, v, l, yi, (unsigned)(z - v->node));
  bool next_rises = with_next && rises(z) && known_at_most(p, v, item, z->low);
  bool before_rises = x->segment && rises(x) && known_at_most(p, v, x->high, item);
  name_contents(p, v, x, y);
  if (with_next) join_segments(p, v, y, z, next_rises);
  if (x->segment) join_segments(p, v, x, y, before_rises && rises(y));
  return true;
}

static void fold(struct prover *p, struct view *v) {
  struct links l;
  for (bool again = true; again && !p->dead;) {
    again = false;
    find_links(p, v, &l);
    for (unsigned x = 0; x < NODES_MOST && !again; x++) {
      if (!l.reached[x] || p->link[v->node[x].layout] < 0) continue;
      val a = v->node[x].cell[p->link[v->node[x].layout]];
      if (KIND(a) == K_NODE && unimportant(p, v, &l, x, INDEX(a))) again = fold_at(p, v, &l, x, INDEX(a));
    }
  }
}

/* Registers that are dead say nothing. */
static void forget_dead(const struct prover *p, struct view *v) {
  val old[REGS_MOST];
  memcpy(old, v->reg, sizeof old);
  memset(v->reg, 0, sizeof v->reg);
  if (!v->pc) {
    v->status = v->arg = VAL(K_UNSET, 0);
    v->may_return = v->carried = 0;
    memset(v->seen, 0, sizeof v->seen);
    v->op = 0;
    for (unsigned n = 0; n < NODES_MOST; n++)
      if (is_carrier(&v->node[n])) v->node[n].carries = CARRY(CARRY_NOTHING, 0);
    return;
  }
  struct live live = p->program->live[v->pc];
  for (unsigned i = 0; i < live.count; i++)
    v->reg[p->program->registers[live.first + i]] = old[p->program->registers[live.first + i]];
  if (KIND(v->status) == K_UNSET) return;
  v->may_return = v->carried = 0;
  memset(v->seen, 0, sizeof v->seen);
}

enum { AHEAD_MOST = 16 }; /* instructions */

/* That a cell was never set is no value, and never forgotten. */
static void forget_cell(val *cell) {
  if (KIND(*cell) == K_NODE || is_number(*cell)) *cell = VAL(K_ANY, 0);
}

static unsigned ways_to(const struct view *v, val a) {
  unsigned count = 0;
  for (unsigned i = 0; i < ROOTS_MOST; i++) count += v->root[i] == a;
  for (unsigned i = 0; i < REGS_MOST; i++) count += v->reg[i] == a;
  for (unsigned n = 0; n < NODES_MOST; n++)
    for (unsigned c = 0; v->node[n].used && c < CELLS_EACH; c++) count += v->node[n].cell[c] == a;
  return count;
}

/* What a node leads to that is known from a root only, where no operation looks for what comes after the root's node.
 */
static void forget_links(const struct prover *p, struct view *v) {
  for (unsigned r = 0; r < ROOTS_MOST; r++) {
    if (p->followed >> r & 1 || KIND(v->root[r]) != K_NODE) continue;
    struct node *x = &v->node[INDEX(v->root[r])];
    if (!x->segment && p->link[x->layout] >= 0 && ways_to(v, v->root[r]) == 1)
      forget_cell(&x->cell[p->link[x->layout]]);
  }
}

/* A number that only a node has which stands for nothing, beside its value: it says whose operation it stood for, if
 * anything. */
static void forget_threads(const struct prover *p, struct view *v) {
  for (unsigned n = 0; n < NODES_MOST; n++) {
    struct node *x = &v->node[n];
    if (!x->used || x->segment || KIND(x->carries) != K_CARRY || CARRIER(x->carries) != CARRY_NOTHING) continue;
    for (unsigned c = 0; c < CELLS_EACH; c++)
      if (KIND(x->cell[c]) == K_SYM && (int)c != p->data[x->layout] && ways_to(v, x->cell[c]) == 1 &&
          atom_at(v, x->cell[c]) < 0)
        forget_cell(&x->cell[c]);
  }
}

/* A cell that the thread writes, on the one way there is from here, before it looks at such a cell. What is there until
 * then it need not know. */
static void forget_overwritten(const struct prover *p, struct view *v) {
  uint64_t changed = 0; /* registers */
  for (uint32_t pc = v->pc, count = 0; v->pc && count < AHEAD_MOST; count++) {
    const struct inst *i = &p->program->code[pc++];
    if (i->code == I_BRANCH || i->code == I_RETURN || i->code == I_CAS || i->code == I_EXCHANGE ||
        i->code == I_ATOMIC || i->code == I_FETCH)
      return;
    bool of_node = !(i->flags & FLAG_GLOBAL);
    if (i->code == I_LOAD && of_node) return;
    if (i->code == I_STORE && !of_node) return;
    if (i->code == I_JUMP) pc = (uint32_t)i->imm;
    if (i->code == I_STORE) {
      if (i->count == 1 && !(changed >> i->a & 1) && KIND(v->reg[i->a]) == K_NODE && i->imm >= 0 &&
          i->imm < CELLS_EACH && !v->node[INDEX(v->reg[i->a])].segment)
        forget_cell(&v->node[INDEX(v->reg[i->a])].cell[i->imm]);
      return;
    }
    for (unsigned k = 0; i->d < REGS_MOST && k < (i->code == I_MOVE || i->code == I_LOAD ? i->count : 1); k++)
      changed |= UINT64_C(1) << (i->d + k);
  }
}

/* The nodes that the roots lead to along links, the last first; then the others. */
static unsigned from_the_end(const struct prover *p, const struct view *v, unsigned *order) {
  bool there[NODES_MOST] = {false};
  unsigned count = 0;
  for (unsigned r = 0; r < ROOTS_MOST; r++)
    for (val a = v->root[r]; KIND(a) == K_NODE && !there[INDEX(a)];) {
      const struct node *n = &v->node[INDEX(a)];
      there[INDEX(a)] = true;
      order[count++] = INDEX(a);
      if (p->link[n->layout] < 0) break;
      a = n->cell[p->link[n->layout]];
    }
  for (unsigned i = 0; i < count / 2; i++) {
    unsigned swap = order[i];
    order[i] = order[count - 1 - i];
    order[count - 1 - i] = swap;
  }
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && !there[n]) order[count++] = n;
  return count;
}

static bool is_held(const struct view *v, unsigned n) {
  for (unsigned i = 0; i < REGS_MOST; i++)
    if (v->reg[i] == VAL(K_NODE, n)) return true;
  return false;
}

/* Where values are not compared a known number in a node, and among the contents, may as well be any other; but not
 * that of a node which the operation has in its hands, for it may have to be its argument or its result. (Where nodes
 * stand for operations others write results there, and only numbers among the contents matter.) Of equal numbers the
 * last among the contents is the one of the last node. */
static void forget_numbers(const struct prover *p, struct view *v) {
  if (p->ordered) return;
  unsigned order[NODES_MOST], count = 0;
  bool taken[ATOMS_MOST] = {false};
  for (unsigned n = 0; n < NODES_MOST && !count; n++) {
    const struct node *x = &v->node[n];
    if (x->used && !x->segment && p->data[x->layout] >= 0 && is_constant(x->cell[p->data[x->layout]]))
      count = from_the_end(p, v, order);
  }
  for (unsigned i = 0; i < count; i++) {
    struct node *x = &v->node[order[i]];
    if (x->segment || p->data[x->layout] < 0 || is_carrier(x) /* it may be the result */) continue;
    val *d = &x->cell[p->data[x->layout]];
    if (!is_constant(*d)) continue;
    int atom = v->atoms;
    while (--atom >= 0 && (v->abs[atom] != *d || taken[atom])) continue;
    if (atom >= 0) taken[atom] = true;
    if (p->helping ? atom >= 0 : x->owner != OWNER_NONE || is_held(v, order[i])) continue;
    *d = new_sym(v);
    if (atom >= 0) v->abs[atom] = *d;
  }
}

/* Canonical names: by the order in which the roots, then the registers lead to things. */
struct naming {
  const struct view *old;
  struct view *new;
  int16_t node[NODES_MOST];
  val sym[NAMES_MOST], seq[NAMES_MOST], dangling[256];
  unsigned nodes;
};

static void rename_value(struct naming *n, val *v);

static void rename_node(struct naming *n, unsigned old) {
  struct node *x = &n->new->node[n->nodes];
  n->node[old] = (int16_t)n->nodes++;
  *x = n->old->node[old];
  for (unsigned c = 0; c < CELLS_EACH; c++) rename_value(n, &x->cell[c]);
  rename_value(n, &x->contents);
  rename_value(n, &x->low);
  rename_value(n, &x->high);
}

static void rename_value(struct naming *n, val *v) {
  unsigned i = INDEX(*v);
  switch (KIND(*v)) {
  case K_SYM:
    if (!n->sym[i]) n->sym[i] = VAL(K_SYM, n->new->syms++);
    *v = n->sym[i];
    break;
  case K_SEQ:
    if (!n->seq[i]) n->seq[i] = VAL(K_SEQ, n->new->seqs++);
    *v = n->seq[i];
    break;
  case K_DANGLING:
    if (!n->dangling[i]) n->dangling[i] = VAL(K_DANGLING, n->new->danglings++);
    *v = n->dangling[i];
    break;
  case K_NODE:
    if (n->node[i] < 0) rename_node(n, i);
    *v = VAL(K_NODE, n->node[i]);
    break;
  default: break;
  }
}

/* Values seen that are nowhere else cannot be returned any more. */
static void rename_seen(struct naming *n) {
  val *to = n->new->seen;
  unsigned count = 0;
  for (unsigned i = 0; i < SEEN_MOST; i++) {
    val v = n->old->seen[i];
    if (KIND(v) == K_UNSET || (KIND(v) == K_SYM && !n->sym[INDEX(v)])) continue;
    rename_value(n, &v);
    unsigned at = count;
    while (at && to[at - 1] >= v) at--;
    if (at < count && to[at] == v) continue;
    memmove(to + at + 1, to + at, sizeof(val) * (count - at));
    to[at] = v;
    count++;
  }
}

/* Parts of the abstract value that are nowhere else: what stands next to each other becomes one (section 4.2). */
static void rename_atoms(struct prover *p, struct naming *n) {
  bool unknown_before = false;
  bool sequence = p->effects->sequence;
  struct view *new = n->new;
  unsigned unknown = 0;
  for (unsigned i = 0; i < n->old->atoms; i++) {
    val a = n->old->abs[i];
    bool is_unknown = (KIND(a) == K_SYM && !n->sym[INDEX(a)]) || (KIND(a) == K_SEQ && !n->seq[INDEX(a)]);
    if (is_unknown) {
      if (sequence ? !unknown_before : !unknown) new->abs[new->atoms++] = VAL(K_SEQ, new->seqs++);
      unknown++;
    } else {
      rename_value(n, &a);
      new->abs[new->atoms++] = a;
    }
    unknown_before = is_unknown;
  }
  if (sequence) return;
  for (unsigned i = 1; i < new->atoms; i++)
    for (unsigned j = i; j > 0 && new->abs[j - 1] > new->abs[j]; j--) {
      val a = new->abs[j];
      new->abs[j] = new->abs[j - 1];
      new->abs[j - 1] = a;
    }
}

/* A number that is nowhere any more: what followed through it is kept. */
static void eliminate(struct prover *p, struct view *v, val gone) {
  struct fact below[FACTS_MOST], above[FACTS_MOST];
  unsigned low = 0, high = 0, kept = 0;
  for (unsigned f = 0; f < v->facts; f++) {
    struct fact k = v->fact[f];
    if (k.a != gone && k.b != gone)
      v->fact[kept++] = k;
    else if (k.relation == DIFFERENT || k.relation == CONGRUENT)
      continue;
    else if (k.b == gone)
      below[low++] = k;
    else
      above[high++] = k;
  }
  v->facts = (uint8_t)kept;
  for (unsigned i = 0; i < low; i++)
    for (unsigned j = 0; j < high; j++)
      learn(p, v, below[i].a, below[i].relation == LESS || above[j].relation == LESS ? LESS : AT_MOST, above[j].b);
}

/* Where values are not compared, what is known of a value that only a node has which others see, and that the operation
 * has not in its hands, is forgotten: which numbers they are does not matter, and there would be views for all of them.
 */
static void forget_facts(const struct prover *p, struct view *v) {
  if (p->ordered || p->helping) return;
  bool kept[NAMES_MOST] = {false};
#define KEEP(x) \
  if (KIND(x) == K_SYM) kept[INDEX(x)] = true
  for (unsigned i = 0; i < REGS_MOST; i++) KEEP(v->reg[i]);
  for (unsigned i = 0; i < ROOTS_MOST; i++) KEEP(v->root[i]);
  for (unsigned i = 0; i < SEEN_MOST; i++) KEEP(v->seen[i]);
  KEEP(v->arg);
  KEEP(v->status);
  for (unsigned n = 0; n < NODES_MOST; n++) {
    const struct node *x = &v->node[n];
    if (!x->used) continue;
    KEEP(x->low);
    KEEP(x->high);
    bool mine = x->owner != OWNER_NONE || is_held(v, n);
    for (int c = 0; c < CELLS_EACH; c++)
      if (mine || c != p->data[x->layout]) KEEP(x->cell[c]);
  }
#undef KEEP
  unsigned count = 0;
  for (unsigned f = 0; f < v->facts; f++) {
    const struct fact *k = &v->fact[f];
    if ((KIND(k->a) != K_SYM || kept[INDEX(k->a)]) && (KIND(k->b) != K_SYM || kept[INDEX(k->b)])) v->fact[count++] = *k;
  }
  v->facts = (uint8_t)count;
}

static void rename_facts(struct prover *p, struct naming *n, struct view *old) {
  for (bool again = true; again;) {
    again = false;
    for (unsigned f = 0; f < old->facts && !again; f++)
      for (unsigned side = 0; side < 2 && !again; side++) {
        val a = side ? old->fact[f].b : old->fact[f].a;
        if (KIND(a) == K_SYM && !n->sym[INDEX(a)]) eliminate(p, old, a), again = true;
      }
  }
  for (unsigned f = 0; f < old->facts; f++) {
    struct fact k = old->fact[f];
    rename_value(n, &k.a);
    rename_value(n, &k.b);
    n->new->fact[n->new->facts++] = k;
  }
  tidy_facts(p, n->new);
}

/* A number that was reckoned, and that the program does not speak of: there may be no end of them. */
static void forget_computed(struct prover *p, struct view *v) {
  for (unsigned i = 0; i < p->constants; i++) {
    if (!p->computed[i]) continue;
    val some = new_sym(v);
    replace(v, VAL(K_INT, i), some, NULL);
    learn_range(p, v, some, p->constant[i], p->constant[i]);
  }
}

void abstract(struct prover *p, struct view *v, struct view *canonical) {
  forget_dead(p, v);
  if (p->computes) forget_computed(p, v);
  if (p->helping) forget_threads(p, v);
  if (p->forgets) {
    forget_links(p, v);
    forget_overwritten(p, v);
  }
  forget_numbers(p, v);
  fold(p, v);
  if (p->dead) return;
  memset(canonical, 0, sizeof *canonical);
  if (v->syms >= NAMES_MOST || v->seqs >= NAMES_MOST || v->danglings >= 250) {
    prove_limit(p, FAIL_TOO_LARGE, "a step makes too many names");
    return;
  }
  if (v->facts) forget_facts(p, v);
  struct naming n = {.old = v, .new = canonical};
  memset(n.node, -1, sizeof n.node);
  canonical->pc = v->pc;
  canonical->op = v->op;
  canonical->may_return = v->may_return;
  canonical->carried = v->carried;
  memcpy(canonical->root, v->root, sizeof v->root);
  memcpy(canonical->reg, v->reg, sizeof v->reg);
  canonical->arg = v->arg;
  canonical->status = v->status;
  for (unsigned i = 0; i < ROOTS_MOST; i++) rename_value(&n, &canonical->root[i]);
  for (unsigned i = 0; i < REGS_MOST; i++) rename_value(&n, &canonical->reg[i]);
  for (unsigned i = 0; v->carried && i < NODES_MOST; i++)
    if (is_carrier(&v->node[i])) rename_value(&n, &(val){VAL(K_NODE, i)});
  rename_value(&n, &canonical->arg);
  rename_value(&n, &canonical->status);
  rename_seen(&n);
  rename_atoms(p, &n);
  rename_facts(p, &n, v);
}
