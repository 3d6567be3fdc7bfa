/* The guarantee of given actions (section 5): a step that others notice must be one of them.
 *
 * A step is an action if the names of the action can be given values so that all it says of before and after is known
 * to be so, and nothing else that others see has changed. Interference itself is computed from the steps (compose.c),
 * which is never less precise than the actions: an action that says too little or too much spoils no proof, it is only
 * checked. */
#include <string.h>

#include "prove/given.h"
#include "prove/prover.h"

struct match {
  struct prover *p;
  const struct given *g;
  const struct view *before, *after;
  val value[GIVEN_NAMES_MOST]; /* 0: not known yet */
  bool bound[GIVEN_NAMES_MOST];
  uint64_t done; /* parts */
  unsigned held; /* how many of them */
};

/* The action that came closest, and what was wrong. */
struct nearest {
  const struct given *g;
  unsigned held;
  char said[120];
};

static void note(struct nearest *n, const struct match *m, const char *said, const char *text) {
  if (n->g && n->held >= m->held) return;
  n->g = m->g;
  n->held = m->held;
  snprintf(n->said, sizeof n->said, said, text);
}

/* Are two known values surely the same? */
static bool surely_same(val a, val b) {
  if (a != b) return false;
  switch (KIND(a)) {
  case K_ANY:
  case K_UNSET: return false;
  case K_LOCK: return INDEX(a) == LOCK_FREE || INDEX(a) == LOCK_ME;
  default: return true;
  }
}

static bool fits(struct match *m, struct term t, val v) {
  switch (t.kind) {
  case TERM_ANY: return true;
  case TERM_NUMBER: return v == number(m->p, t.number);
  case TERM_FREE: return v == VAL(K_LOCK, LOCK_FREE) || v == NIL;
  case TERM_HELD: return v == VAL(K_LOCK, LOCK_ME);
  default:
    if (m->bound[t.name]) return surely_same(m->value[t.name], v);
    m->bound[t.name] = true;
    m->value[t.name] = v;
    return true;
  }
}

static int cell_called(const struct prover *p, const struct node *n, const char *field) {
  const struct layout *l = &p->program->layouts[n->layout];
  for (uint32_t c = 0; c < l->count; c++)
    if (!strcmp(l->cells[c].name, field)) return (int)c;
  return -1;
}

static bool is_shared_node(const struct view *v, val a) {
  return KIND(a) == K_NODE && v->node[INDEX(a)].used && !v->node[INDEX(a)].segment &&
         v->node[INDEX(a)].owner == OWNER_NONE;
}

static bool part_holds(struct match *m, const struct part *x) {
  const struct view *v = x->after ? m->after : m->before;
  if (x->is_root) return fits(m, x->value, v->root[x->root]);
  val a = m->value[x->node];
  if (!is_shared_node(v, a)) return false;
  if (!x->field) return true;
  int c = cell_called(m->p, &v->node[INDEX(a)], x->field);
  return c >= 0 && fits(m, x->value, v->node[INDEX(a)].cell[c]);
}

static bool mentions_node(const struct given *g, unsigned name, bool after) {
  for (unsigned i = 0; i < g->parts; i++)
    if (!g->part[i].is_root && g->part[i].node == name &&
        (after ? g->part[i].after || g->part[i].context : !g->part[i].after))
      return true;
  return false;
}

/* The name of the node, of those mentioned on this side; -1: it has none. */
static int name_of(const struct match *m, unsigned node, bool after) {
  for (unsigned i = 0; i < m->g->names; i++)
    if (m->bound[i] && m->value[i] == VAL(K_NODE, node) && mentions_node(m->g, i, after)) return (int)i;
  return -1;
}

/* May this cell be another afterwards? If the action says what it is then, or had it before and lets it go. */
static bool may_change(const struct match *m, int root, int name, const char *field) {
  for (unsigned i = 0; i < m->g->parts; i++) {
    const struct part *x = &m->g->part[i];
    if (x->context) continue;
    if (root >= 0 ? x->is_root && (int)x->root == root
                  : !x->is_root && (int)x->node == name && x->field && !strcmp(x->field, field))
      return true;
  }
  return false;
}

static bool nodes_differ(const struct match *m) {
  for (unsigned side = 0; side < 2; side++)
    for (unsigned i = 0; i < m->g->names; i++)
      for (unsigned k = 0; k < i; k++)
        if (m->bound[i] && m->bound[k] && m->value[i] == m->value[k] && mentions_node(m->g, i, side) &&
            mentions_node(m->g, k, side))
          return false;
  return true;
}

/* A cell that was not written: what it led to may have been freed after the step, by its owner. */
static bool cell_unchanged(const struct match *m, val before, val after) {
  if (before == after) return true;
  return KIND(before) == K_NODE && KIND(after) == K_DANGLING && INDEX(after) >= m->before->danglings &&
         (m->before->node[INDEX(before)].owner == OWNER_ME || name_of(m, INDEX(before), false) >= 0);
}

static bool node_unchanged(const struct match *m, unsigned n) {
  const struct node *b = &m->before->node[n], *a = &m->after->node[n];
  bool was = b->used && b->owner == OWNER_NONE, is = a->used && a->owner == OWNER_NONE;
  if (!was && !is) return true;
  int before = name_of(m, n, false), after = name_of(m, n, true);
  if (was != is) return was ? before >= 0 && after < 0 : before < 0 && after >= 0; /* left, or came */
  if (b->segment || a->segment) return !memcmp(b, a, sizeof *b);
  if (before >= 0 && after < 0) return m->p->collected; /* nothing is said of it any more */
  for (uint32_t c = 0; c < m->p->program->layouts[b->layout].count; c++)
    if (!cell_unchanged(m, b->cell[c], a->cell[c]) &&
        (before < 0 || !may_change(m, -1, before, m->p->program->layouts[b->layout].cells[c].name)))
      return false;
  return true;
}

static bool nothing_else(const struct match *m, struct nearest *near) {
  for (unsigned i = 0; i < ROOTS_MOST; i++)
    if (!cell_unchanged(m, m->before->root[i], m->after->root[i]) && !may_change(m, (int)i, -1, NULL)) {
      struct text t;
      text_open(&t, m->p->mem);
      tell_root(m->p, i, &t);
      note(near, m, "it does not change %s", text_string(&t));
      return false;
    }
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (!node_unchanged(m, n)) {
      note(near, m, "%s", "it does not change all the nodes that the step changes");
      return false;
    }
  return true;
}

/* The contents without the items of the pattern; false: they are not such contents. */
static bool take_items(struct match *m, const struct contents *c, const struct view *v, val *rest, unsigned *count) {
  bool sequence = m->p->effects->sequence;
  unsigned items = c->first + c->last;
  if (items > v->atoms || (!c->has_rest && items != v->atoms)) return false;
  memcpy(rest, v->abs, sizeof(val) * v->atoms);
  *count = v->atoms;
  for (unsigned i = 0; i < items; i++) {
    unsigned at = i < c->first ? 0 : *count - (items - i);
    if (!sequence) /* a multiset: the item is known by now */
      for (at = 0; at < *count && !(c->item[i].kind == TERM_NAME && m->bound[c->item[i].name] &&
                                    rest[at] == m->value[c->item[i].name]);
           at++)
        ;
    if (at == *count || KIND(rest[at]) == K_SEQ || !fits(m, c->item[i], rest[at])) return false;
    memmove(rest + at, rest + at + 1, sizeof(val) * (*count - at - 1));
    --*count;
  }
  return true;
}

static bool is_part_of(const val *a, unsigned count, const val *b) {
  for (unsigned i = 0; i < count; i++) {
    unsigned in_a = 0, in_b = 0;
    for (unsigned k = 0; k < count; k++) in_a += a[k] == a[i], in_b += b[k] == a[i];
    if (in_a != in_b) return false;
  }
  return true;
}

static bool contents_hold(struct match *m, struct nearest *near) {
  if (m->p->level == LEVEL_MS) return true;
  struct contents none = {.there = true, .has_rest = true};
  const struct contents *b = m->g->before.there ? &m->g->before : &none, *a = m->g->before.there ? &m->g->after : &none;
  val before[ATOMS_MOST], after[ATOMS_MOST];
  unsigned had, has;
  bool sequence = m->p->effects->sequence;
  if (take_items(m, b, m->before, before, &had) && take_items(m, a, m->after, after, &has) &&
      (!(a->has_rest && b->has_rest) ||
       (had == has && (sequence ? !memcmp(before, after, sizeof(val) * had) : is_part_of(before, had, after)))))
    return true;
  note(near, m, "%s", m->g->before.there ? "the contents change in another way" : "the contents change");
  return false;
}

static val term_value(struct match *m, struct term t) {
  return t.kind == TERM_NUMBER                     ? number(m->p, t.number)
         : t.kind == TERM_NAME && m->bound[t.name] ? m->value[t.name]
                                                   : VAL(K_ANY, 0);
}

static bool conditions_hold(struct match *m, struct nearest *near) {
  for (unsigned i = 0; i < m->g->conditions; i++) {
    const struct condition *c = &m->g->condition[i];
    val a = term_value(m, c->a), b = term_value(m, c->b);
    bool nodes = c->relation == DIFFERENT &&
                 ((KIND(a) == K_NODE && (KIND(b) == K_NODE || b == NIL) && a != b) || (a == NIL && KIND(b) == K_NODE));
    if (nodes || (c->relation == LESS      ? known_less(m->p, m->before, a, b)
                  : c->relation == AT_MOST ? known_at_most(m->p, m->before, a, b)
                                           : is_number(a) && is_number(b) && known_different(m->p, m->before, a, b)))
      continue;
    note(near, m, "%s is not known", c->text);
    return false;
  }
  return true;
}

static bool is_action(struct match m, struct nearest *near);

/* The node of a part whose name is not known: any that it can be. */
static bool try_nodes(const struct match *m, const struct part *x, struct nearest *near) {
  for (unsigned n = 0; n < NODES_MOST; n++) {
    if (!is_shared_node(x->after ? m->after : m->before, VAL(K_NODE, n))) continue;
    struct match with = *m;
    with.bound[x->node] = true;
    with.value[x->node] = VAL(K_NODE, n);
    if (is_action(with, near)) return true;
  }
  note(near, m, x->after ? "no node is %s after it" : "no node is %s before it", x->text);
  return false;
}

/* Parts are held against the views as soon as it is known of which node they speak; what is before the step first. */
static bool is_action(struct match m, struct nearest *near) {
  for (unsigned side = 0; side < 2; side++)
    for (bool again = true; again;) {
      const struct part *open = NULL;
      again = false;
      for (unsigned i = 0; i < m.g->parts; i++) {
        const struct part *x = &m.g->part[i];
        if (m.done >> i & 1 || x->after != side) continue;
        if (!x->is_root && !m.bound[x->node]) {
          if (!open) open = x;
          continue;
        }
        if (!part_holds(&m, x)) {
          note(near, &m, x->after ? "%s does not hold after it" : "%s does not hold before it", x->text);
          return false;
        }
        m.done |= UINT64_C(1) << i;
        m.held++;
        again = true;
      }
      if (!again && open) return try_nodes(&m, open, near);
    }
  return nodes_differ(&m) && conditions_hold(&m, near) && nothing_else(&m, near) && contents_hold(&m, near);
}

bool check_guarantee(struct prover *p, const struct actor *a) {
  if (!p->given_count || p->dead || !a->wrote) return true;
  struct nearest near = {.g = NULL};
  for (unsigned i = 0; i < p->given_count; i++) {
    struct match m = {.p = p, .g = &p->given[i], .before = p->before, .after = a->view};
    if (is_action(m, &near)) return true;
  }
  p->failure.own_point = true;
  prove_fail(p, FAIL_ACTION, "the step is none of the given actions: the nearest is %s, but %s",
             near.g ? near.g->name : p->given[0].name, near.g ? near.said : "memory before it is different");
  return false;
}
