/* Interference: the step of another thread, seen by this one.
 *
 * Both views speak of the same shared memory at the same moment. They are laid over each other from the roots on: nodes
 * that must be the same are made one, segments are split where the other view knows more, and what contradicts ends the
 * case. Then the other thread, with its registers and its own nodes brought along, takes its step; what it knew is
 * forgotten again. This is stabilisation (section 5), with the other thread's whole view in the place of an action's
 * context. */
#include <assert.h>
#include <string.h>

#include "prove/prover.h"

enum { SYMS_MOST = 200 /* of the other's numbers, with those that splitting makes */, UNCLEAR_MOST = 32 };

struct overlay {
  struct prover *p;
  struct view *mine;
  struct view *theirs;       /* a copy: its segments are split too */
  int16_t image[NODES_MOST]; /* of each of their nodes: which of mine it is; -1: not known yet */
  bool taken[NODES_MOST];    /* of mine: it is the image of one of theirs */
  val sym[SYMS_MOST];        /* of each of their numbers: which of mine; 0: not known yet */
  /* Where I know less of an address than they do (freed memory, or anything): they know the node that is there. */
  val *unclear[UNCLEAR_MOST], clear[UNCLEAR_MOST];
  unsigned unclears;
};

static void overlay_values(struct overlay *, val *mine, val theirs);
static val bring(struct overlay *, val);

/* Whose a thing is, in their words and in mine. */
static bool overlay_locks(struct overlay *o, val *mine, val theirs) {
  unsigned m = KIND(*mine) == K_NULL ? LOCK_FREE : INDEX(*mine), t = KIND(theirs) == K_NULL ? LOCK_FREE : INDEX(theirs);
  if (m == LOCK_ME) return t == LOCK_OTHER || t == LOCK_NOT_ME;
  if (t == LOCK_ME) {
    if (m == LOCK_FREE) return false;
    *mine = VAL(K_LOCK, LOCK_YOU);
    return true;
  }
  if (m == LOCK_FREE || t == LOCK_FREE) {
    if (m != LOCK_NOT_ME && t != LOCK_NOT_ME && m != t) return false;
    *mine = VAL(K_LOCK, LOCK_FREE);
    return m != LOCK_OTHER || t != LOCK_FREE;
  }
  (void)o;
  if (t == LOCK_OTHER) *mine = VAL(K_LOCK, LOCK_OTHER);
  return true;
}

/* Two of my values are one. */
static void equate(struct overlay *o, val from, val to) {
  if (KIND(from) != K_SYM) {
    val swap = from;
    from = to;
    to = swap;
  }
  if (KIND(from) != K_SYM) {
    if (from != to && is_number(from) && is_number(to)) o->p->dead = true;
    return;
  }
  replace(o->mine, from, to, NULL);
  if (!can_be(o->p, o->mine, to)) o->p->dead = true; /* what is known of both must be possible of one */
  for (unsigned i = 0; i < o->theirs->syms && i < SYMS_MOST; i++)
    if (o->sym[i] == from) o->sym[i] = to;
}

static void overlay_segments(struct overlay *o, unsigned mine, unsigned theirs) {
  int link = o->p->link[o->mine->node[mine].layout];
  switch (choose(o->p, 3)) {
  case 1: split_in_two(o->p, o->mine, mine); break;
  case 2: split_in_two(o->p, o->theirs, theirs); break;
  default: break; /* they end at the same place */
  }
  if (o->p->dead) return;
  if (o->theirs->node[theirs].segment == SEGMENT_CARRYING_NOTHING)
    o->mine->node[mine].segment = SEGMENT_CARRYING_NOTHING;
  overlay_values(o, &o->mine->node[mine].cell[link], o->theirs->node[theirs].cell[link]);
}

/* Does the operation that the node stands for have yet to linearize? */
static bool is_pending(val carries, const struct view *v) {
  return CARRIER(carries) == CARRY_WAITING || (CARRIER(carries) == CARRY_MINE && KIND(v->status) == K_UNSET);
}

/* Both must say that the node stands for the same operation, if they say so at all; whose it is one of them may know
 * better. */
static void overlay_carriers(struct overlay *o, struct node *m, const struct node *t) {
  val mine = m->carries, theirs = t->carries;
  if (KIND(theirs) != K_CARRY) return;
  bool is_theirs = CARRIER(theirs) == CARRY_MINE, pending = is_pending(theirs, o->theirs);
  val theirs_arg = is_theirs ? o->theirs->arg : t->carried_arg;
  if (KIND(mine) == K_CARRY) {
    bool is_mine = CARRIER(mine) == CARRY_MINE;
    if ((is_mine && is_theirs) || pending != is_pending(mine, o->mine) ||
        (pending && CARRIED_OP(mine) != CARRIED_OP(theirs))) {
      o->p->dead = true;
      return;
    }
    if (pending) overlay_values(o, is_mine ? &o->mine->arg : &m->carried_arg, theirs_arg);
    if (!is_theirs) return;
  } else if (pending && !is_theirs) {
    m->carried_arg = bring(o, theirs_arg);
  }
  m->carries = is_theirs ? CARRY(CARRY_YOURS, CARRIED_OP(theirs)) : theirs;
}

/* Of a cell: it has been written, for certain. */
static bool is_set(val v) { return KIND(v) == K_NODE || is_number(v); }

static void overlay_nodes(struct overlay *o, unsigned mine, unsigned theirs) {
  struct node *m = &o->mine->node[mine], *t = &o->theirs->node[theirs];
  if (o->image[theirs] >= 0 || o->taken[mine]) {
    o->p->dead = o->p->dead || o->image[theirs] != (int)mine;
    return;
  }
  if (m->layout != t->layout || m->owner != OWNER_NONE || t->owner != OWNER_NONE) {
    o->p->dead = true;
    return;
  }
  if (!m->segment != !t->segment) {
    if (m->segment)
      split_first(o->p, o->mine, mine);
    else
      split_first(o->p, o->theirs, theirs);
    if (o->p->dead) return;
  }
  o->image[theirs] = (int16_t)mine;
  o->taken[mine] = true;
  if (m->segment) {
    overlay_segments(o, mine, theirs);
    return;
  }
  unsigned cells = o->p->program->layouts[m->layout].count;
  overlay_carriers(o, m, t);
  for (unsigned c = 0; c < cells && !o->p->dead; c++) {
    if (o->p->helping &&
        ((KIND(m->cell[c]) == K_UNSET && is_set(t->cell[c])) || (KIND(t->cell[c]) == K_UNSET && is_set(m->cell[c]))))
      o->p->dead = true;
    overlay_values(o, &m->cell[c], t->cell[c]);
  }
}

static void overlay_values(struct overlay *o, val *mine, val theirs) {
  if (o->p->dead) return;
  enum kind m = KIND(*mine), t = KIND(theirs);
  if (t == K_NODE && (m == K_DANGLING || m == K_SYM || m == K_ANY)) {
    if (o->unclears == UNCLEAR_MOST) {
      prove_limit(o->p, FAIL_TOO_LARGE, "a view has more than %d addresses of which little is known", UNCLEAR_MOST);
      return;
    }
    o->unclear[o->unclears] = mine;
    o->clear[o->unclears++] = theirs;
    return;
  }
  if (t == K_ANY || t == K_UNSET || m == K_UNSET || m == K_DANGLING || t == K_DANGLING) {
    if (m == K_NULL || t == K_NULL) o->p->dead = m == K_DANGLING || t == K_DANGLING;
    return;
  }
  if (t == K_SYM) {
    if (INDEX(theirs) >= SYMS_MOST) {
      prove_limit(o->p, FAIL_TOO_LARGE, "a step makes too many names");
      return;
    }
    val *known = &o->sym[INDEX(theirs)];
    if (m == K_ANY) *mine = *known ? *known : new_sym(o->mine);
    if (!*known)
      *known = *mine;
    else if (*known != *mine)
      equate(o, *known, *mine);
    return;
  }
  if (m == K_LOCK || t == K_LOCK) {
    if (m == K_ANY) return;
    if (!overlay_locks(o, mine, theirs)) o->p->dead = true;
    return;
  }
  if (m == K_ANY) {
    if (is_number(theirs) && o->p->helping) *mine = theirs;
    return;
  }
  if (m == K_SYM) {
    if (is_number(theirs)) equate(o, *mine, theirs);
    return;
  }
  if (m != t)
    o->p->dead = true;
  else if (m == K_NODE)
    overlay_nodes(o, INDEX(*mine), INDEX(theirs));
  else if (*mine != theirs)
    o->p->dead = true;
}

/* One of theirs that no root leads to is one of mine that no root leads to, somewhere in a segment of these, or unknown
 * to me. */
static bool bring_as_known(struct overlay *o, unsigned theirs) {
  struct prover *p = o->p;
  struct node *t = &o->theirs->node[theirs];
  if (t->owner != OWNER_NONE) return false;
  unsigned known[NODES_MOST], count = 0;
  for (unsigned n = 0; n < NODES_MOST; n++) {
    const struct node *m = &o->mine->node[n];
    if (m->used && !o->taken[n] && m->layout == t->layout && m->owner == OWNER_NONE) known[count++] = n;
  }
  if (!count) return false;
  unsigned pick = choose(p, count + 1);
  if (pick == count || p->dead) return false;
  unsigned n = known[pick];
  int link = p->link[t->layout];
  if (o->mine->node[n].segment && choose(p, 2)) { /* further on in mine */
    split_in_two(p, o->mine, n);
    if (p->dead) return true;
    n = INDEX(o->mine->node[n].cell[link]);
  } else if (t->segment && choose(p, 2)) { /* mine is further on in theirs */
    split_in_two(p, o->theirs, theirs);
    if (p->dead) return true;
    overlay_nodes(o, n, INDEX(o->theirs->node[theirs].cell[link]));
    return false;
  }
  overlay_nodes(o, n, theirs);
  return true;
}

static val bring_node(struct overlay *o, unsigned theirs) {
  if (o->image[theirs] < 0 && bring_as_known(o, theirs)) return o->p->dead ? NIL : VAL(K_NODE, o->image[theirs]);
  if (o->p->dead) return NIL;
  if (o->image[theirs] >= 0) return VAL(K_NODE, o->image[theirs]);
  unsigned n = new_node(o->p, o->mine, o->theirs->node[theirs].layout);
  if (o->p->dead) return NIL;
  struct node *m = &o->mine->node[n];
  const struct node *t = &o->theirs->node[theirs];
  o->image[theirs] = (int16_t)n;
  o->taken[n] = true;
  *m = *t;
  m->owner = t->owner == OWNER_ME ? OWNER_YOU : OWNER_NONE;
  if (m->segment)
    m->contents = new_seq(o->mine);
  else if (KIND(t->carries) == K_CARRY && CARRIER(t->carries) == CARRY_MINE)
    m->carries = CARRY(CARRY_YOURS, CARRIED_OP(t->carries));
  m->low = bring(o, t->low);
  m->high = bring(o, t->high);
  for (unsigned c = 0; c < CELLS_EACH && !o->p->dead; c++) {
    val v = bring(o, o->theirs->node[theirs].cell[c]);
    o->mine->node[n].cell[c] = v;
  }
  return VAL(K_NODE, n);
}

/* Their value in my words. */
static val bring(struct overlay *o, val v) {
  switch (KIND(v)) {
  case K_SYM:
    if (INDEX(v) >= SYMS_MOST) {
      prove_limit(o->p, FAIL_TOO_LARGE, "a step makes too many names");
      return NIL;
    }
    if (!o->sym[INDEX(v)]) o->sym[INDEX(v)] = new_sym(o->mine);
    return o->sym[INDEX(v)];
  case K_DANGLING: return VAL(K_DANGLING, o->mine->danglings++);
  case K_LOCK: return INDEX(v) == LOCK_ME ? VAL(K_LOCK, LOCK_YOU) : v;
  case K_NODE: return bring_node(o, INDEX(v));
  default: return v;
  }
}

/* They must be able to take out of the object (claim, step.c) what they know of, wherever I stand. */
static void make_clear(struct overlay *o, unsigned i) {
  val now = bring(o, o->clear[i]), was = *o->unclear[i];
  if (o->p->dead || KIND(was) == K_NODE) return;
  if (KIND(was) == K_ANY)
    *o->unclear[i] = now;
  else
    replace(o->mine, was, now, NULL);
  for (unsigned s = 0; s < o->theirs->syms && s < SYMS_MOST; s++)
    if (o->sym[s] == was) o->sym[s] = now;
}

/* An operation of the other's waits from now on, unless it has linearized. */
static void forget_your_operation(struct prover *p, const struct view *v, struct node *x, const struct actor *you) {
  if (CARRIER(x->carries) == CARRY_MINE && x->owner == OWNER_YOU && KIND(v->status) == K_UNSET)
    prove_fail(p, FAIL_POINT,
               "a node is taken out, to be freed, that stands for an operation which has not linearized");
  if (CARRIER(x->carries) != CARRY_YOURS) return;
  bool waits = KIND(*you->status) == K_UNSET;
  x->carries = waits ? CARRY(CARRY_WAITING, you->op) : CARRY(CARRY_NOTHING, 0);
  x->carried_arg = waits ? you->arg : VAL(K_UNSET, 0);
}

/* After the other's step its name is forgotten. */
static void forget_you(struct prover *p, struct view *v, const struct actor *you) {
  for (unsigned i = 0; i < ROOTS_MOST; i++)
    if (v->root[i] == VAL(K_LOCK, LOCK_YOU)) v->root[i] = VAL(K_LOCK, LOCK_OTHER);
  for (unsigned n = 0; n < NODES_MOST; n++) {
    struct node *x = &v->node[n];
    if (!x->used) continue;
    if (!x->segment && KIND(x->carries) == K_CARRY) forget_your_operation(p, v, x, you);
    if (x->owner == OWNER_YOU) {
      free_node(v, n, NULL);
      continue;
    }
    for (unsigned c = 0; c < CELLS_EACH; c++)
      if (x->cell[c] == VAL(K_LOCK, LOCK_YOU)) x->cell[c] = VAL(K_LOCK, LOCK_OTHER);
  }
}

bool compose(struct prover *p, struct view *v, const struct view *other) {
  struct view theirs = *other;
  struct overlay o;
  o.p = p;
  o.mine = v;
  o.theirs = &theirs;
  o.unclears = 0;
  memset(o.taken, 0, sizeof o.taken);
  memset(o.sym, 0, sizeof o.sym);
  memset(o.image, -1, sizeof o.image);
  for (unsigned i = 0; i < ROOTS_MOST && !p->dead; i++) overlay_values(&o, &v->root[i], theirs.root[i]);
  unsigned clear = 0;
  while (clear < o.unclears && !p->dead) make_clear(&o, clear++);
  val registers[REGS_MOST];
  for (unsigned i = 0; i < REGS_MOST && !p->dead; i++) registers[i] = bring(&o, theirs.reg[i]);
  while (clear < o.unclears && !p->dead) make_clear(&o, clear++);
  if (p->dead) return false;
  for (unsigned i = 0; i < REGS_MOST; i++) /* numbers may have become one since */
    if (KIND(theirs.reg[i]) == K_SYM) registers[i] = bring(&o, theirs.reg[i]);
  val status = bring(&o, theirs.status);
  uint8_t carried = theirs.carried;
  uint32_t knows = 0;
  for (unsigned n = 0; n < NODES_MOST && p->helping; n++)
    if (theirs.node[n].used && !theirs.node[n].segment && KIND(theirs.node[n].carries) == K_CARRY && o.image[n] >= 0)
      knows |= UINT32_C(1) << o.image[n];
  for (unsigned f = 0; f < theirs.facts && !p->dead; f++)
    learn(p, v, bring(&o, theirs.fact[f].a), (enum relation)theirs.fact[f].relation, bring(&o, theirs.fact[f].b));
  if (p->dead) return false;
  struct actor a = {.view = v,
                    .reg = registers,
                    .status = &status,
                    .carried = &carried,
                    .knows = knows,
                    .arg = bring(&o, theirs.arg),
                    .pc = theirs.pc,
                    .op = theirs.op,
                    .access_only = !p->marked};
  run_step(p, &a);
  if (p->dead || !a.wrote) return false;
  assert(a.stepped);
  forget_you(p, v, &a);
  effect_pure(p, v);
  return !p->dead;
}
