/* What a step changes for others, in the words of its operation: a node or a number is called after the variable that
 * holds it. */
#include "prove/prover.h"

enum { TOLD_NAMES_MOST = 64 };
struct telling {
  const struct prover *p;
  const struct view *before, *after;
  struct text *t;
  val named[TOLD_NAMES_MOST]; /* those that no variable holds: x0, x1, .. in order */
  unsigned names;
  bool described[NODES_MOST];
};

/* The variable that holds it, before or, within an atomic block, after. */
static const char *holder(const struct telling *c, val v) {
  if (KIND(v) != K_NODE && KIND(v) != K_SYM) return NULL;
  for (unsigned side = 0; side < 2; side++)
    for (unsigned i = 0; i < REGS_MOST; i++)
      if ((side ? c->after : c->before)->reg[i] == v && *tell_register(c->p, c->before, i))
        return tell_register(c->p, c->before, i);
  return NULL;
}

static void put_unheld(struct telling *c, val v) {
  unsigned i = 0;
  while (i < c->names && c->named[i] != v) i++;
  if (i == c->names && i < TOLD_NAMES_MOST) c->named[c->names++] = v;
  text_printf(c->t, "%c%u", KIND(v) == K_NODE ? 'n' : KIND(v) == K_SEQ ? 'S' : 'x', i);
}

/* "t->val": the value of a node that a variable leads to. */
static bool put_value_of_node(struct telling *c, const struct view *view, val v) {
  for (unsigned n = 0; KIND(v) == K_SYM && n < NODES_MOST; n++) {
    const struct node *x = &view->node[n];
    if (!x->used || x->segment || c->p->data[x->layout] < 0 || x->cell[c->p->data[x->layout]] != v) continue;
    const char *name = holder(c, VAL(K_NODE, n));
    if (!name) continue;
    text_printf(c->t, "%s->%s", name, c->p->program->layouts[x->layout].cells[c->p->data[x->layout]].name);
    return true;
  }
  return false;
}

static void put_name(struct telling *c, val v) {
  const char *name = holder(c, v);
  if (name)
    text_add(c->t, name);
  else if (put_value_of_node(c, c->before, v) || put_value_of_node(c, c->after, v))
    return;
  else if (KIND(v) == K_NODE || KIND(v) == K_SYM || KIND(v) == K_SEQ)
    put_unheld(c, v);
  else
    tell_value(c->p, v, c->t);
}

/* What others could not see before. */
static bool is_new(const struct telling *c, val v) {
  if (KIND(v) != K_NODE) return false;
  const struct node *b = &c->before->node[INDEX(v)], *a = &c->after->node[INDEX(v)];
  return a->used && a->owner == OWNER_NONE && (!b->used || b->owner != OWNER_NONE);
}

static void put_value(struct telling *c, val v) {
  put_name(c, v);
  if (!is_new(c, v) || c->described[INDEX(v)]) return;
  c->described[INDEX(v)] = true;
  const struct node *n = &c->after->node[INDEX(v)];
  const struct layout *l = &c->p->program->layouts[n->layout];
  text_add(c->t, " {");
  bool any = false;
  for (unsigned i = 0; i < l->count && i < CELLS_EACH; i++) {
    if ((int)i == c->p->data[n->layout] && !holder(c, n->cell[i])) continue; /* it is called n->val itself */
    text_printf(c->t, "%s%s ", any ? ", " : "", l->cells[i].name);
    put_value(c, n->cell[i]);
    any = true;
  }
  text_char(c->t, '}');
}

static void put_change(struct telling *c, val before, val after) {
  if (before == VAL(K_LOCK, LOCK_NOT_ME)) before = VAL(K_LOCK, LOCK_FREE); /* it could be taken */
  text_add(c->t, ": ");
  put_value(c, before);
  text_add(c->t, " -> ");
  put_value(c, after);
}

static void separate(struct telling *c, size_t from) {
  if (c->t->count > from) text_add(c->t, "; ");
}

static void put_node_changes(struct telling *c, unsigned n, size_t from) {
  const struct node *b = &c->before->node[n], *a = &c->after->node[n];
  if (!b->used || !a->used || b->segment || a->segment || b->owner != OWNER_NONE) return;
  const struct layout *l = &c->p->program->layouts[b->layout];
  for (unsigned i = 0; i < l->count && i < CELLS_EACH; i++) {
    if (b->cell[i] == a->cell[i]) continue;
    separate(c, from);
    put_name(c, VAL(K_NODE, n));
    text_printf(c->t, "->%s", l->cells[i].name);
    put_change(c, b->cell[i], a->cell[i]);
  }
  if (a->owner == OWNER_NONE) return;
  separate(c, from);
  put_name(c, VAL(K_NODE, n));
  text_add(c->t, " is taken out, to be freed");
}

/* In the order of the specification. */
static void put_atoms(struct telling *c, const struct view *v, unsigned first, unsigned last, bool rest_first) {
  bool begins = rest_first != c->p->mirrored, any = begins;
  if (begins) text_char(c->t, 'A');
  for (unsigned i = 0; i < last - first; i++) {
    if (any) text_char(c->t, '.');
    put_name(c, v->abs[c->p->mirrored ? last - 1 - i : first + i]);
    any = true;
  }
  if (!begins) text_add(c->t, any ? ".A" : "A");
}

/* Are values put in at the end of the sequence, and nowhere else? */
static bool appends(const struct prover *p) {
  bool end = false, beginning = false;
  for (size_t i = 0; i < p->effects->list.count; i++) {
    const struct effect *e = &p->effects->list.at[i];
    end |= e->after.last > e->before.last;
    beginning |= e->after.first > e->before.first;
  }
  return end && !beginning;
}

/* "A -> v.A": what is the same at the beginning, or at the end, is called A. */
static void put_sequences(struct telling *c, size_t from) {
  const struct view *b = c->before, *a = c->after;
  unsigned head = 0, tail = 0, most = b->atoms < a->atoms ? b->atoms : a->atoms;
  while (head < most && b->abs[head] == a->abs[head]) head++;
  while (tail < most - head && b->abs[b->atoms - 1 - tail] == a->abs[a->atoms - 1 - tail]) tail++;
  if (head + tail == b->atoms && head + tail == a->atoms) return;
  separate(c, from);
  text_add(c->t, "contents: ");
  bool first = head || tail ? !tail : a->atoms > b->atoms && appends(c->p);
  put_atoms(c, b, head, b->atoms - tail, first);
  text_add(c->t, " -> ");
  put_atoms(c, a, head, a->atoms - tail, first);
}

static unsigned times(const struct view *v, val atom) {
  unsigned count = 0;
  for (unsigned i = 0; i < v->atoms; i++) count += v->abs[i] == atom;
  return count;
}

static void put_sets(struct telling *c, size_t from) {
  for (unsigned side = 0; side < 2; side++) {
    const struct view *has = side ? c->after : c->before, *lacks = side ? c->before : c->after;
    for (unsigned i = 0; i < has->atoms; i++) {
      if (times(has, has->abs[i]) <= times(lacks, has->abs[i])) continue;
      separate(c, from);
      text_printf(c->t, "contents: A -> A %c ", side ? '+' : '-');
      put_name(c, has->abs[i]);
    }
  }
}

static bool is_new_name(const struct telling *c, val v) {
  return (KIND(v) == K_SYM && INDEX(v) >= c->before->syms) || (KIND(v) == K_SEQ && INDEX(v) >= c->before->seqs);
}

static bool has_atom(const struct view *v, val atom) {
  for (unsigned i = 0; i < v->atoms; i++)
    if (v->abs[i] == atom) return true;
  return false;
}

/* A sequence that the step took apart to look into is put together again: what has names of the step's own, in a row,
 * was the next sequence that is not there any more. */
static void rejoin(const struct telling *c, struct view *after) {
  unsigned gone = 0, kept = 0;
  for (unsigned i = 0; i < c->after->atoms; i++) {
    val a = c->after->abs[i];
    if (is_new_name(c, a)) {
      while (gone < c->before->atoms &&
             (KIND(c->before->abs[gone]) != K_SEQ || has_atom(c->after, c->before->abs[gone])))
        gone++;
      if (gone == c->before->atoms) return;
      a = c->before->abs[gone++];
      while (i + 1 < c->after->atoms && is_new_name(c, c->after->abs[i + 1])) i++;
    }
    after->abs[kept++] = a;
  }
  after->atoms = (uint8_t)kept;
}

static bool same_atoms(const struct view *a, const struct view *b) {
  if (a->atoms != b->atoms) return false;
  for (unsigned i = 0; i < a->atoms; i++)
    if (a->abs[i] != b->abs[i]) return false;
  return true;
}

static void put_contents(struct telling *c, size_t from) {
  struct view joined = *c->after;
  const struct view *after = c->after;
  rejoin(c, &joined);
  bool linearized = c->before->status != c->after->status;
  if (!linearized || !same_atoms(c->before, &joined)) c->after = &joined;
  if (c->p->effects->sequence)
    put_sequences(c, from);
  else
    put_sets(c, from);
  c->after = after;
}

void tell_change(const struct prover *p, const struct view *before, const struct view *after, struct text *t) {
  struct telling c = {.p = p, .before = before, .after = after, .t = t};
  size_t from = t->count;
  for (unsigned i = 0; i < ROOTS_MOST; i++)
    if (before->root[i] != after->root[i]) {
      separate(&c, from);
      tell_root(p, i, t);
      put_change(&c, before->root[i], after->root[i]);
    }
  for (unsigned n = 0; n < NODES_MOST; n++) put_node_changes(&c, n, from);
  if (p->level != LEVEL_MS) put_contents(&c, from);
}
