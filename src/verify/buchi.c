/* From a formula to an automaton: the tableau of Gerth, Peled, Vardi and Wolper (1995), with the conditions on
 * transitions as in Couvreur (1999).
 *
 * A state is a set of subformulas that must be true of the rest of the word. A set is expanded into what must be true
 * of the next letter and what of the rest after it: f U g is g now, or f now and f U g of the rest; the latter puts g
 * off. Every until has a mark, on the transitions that do not put it off: an until that is put off for ever is what a
 * run with every mark cannot have. */
#include "verify/buchi.h"

#include <string.h>

enum part_kind {
  PART_FALSE,
  PART_TRUE,
  PART_WITH,
  PART_WITHOUT,
  PART_AND,
  PART_OR,
  PART_NEXT,
  PART_UNTIL,
  PART_RELEASE
};
enum { PARTS_MOST = 64, NO_PART = UINT8_MAX };

/* Subformulas in negation normal form, no two alike. */
struct part {
  uint8_t kind, left, right; /* parts; a proposition's number is in left */
};

struct buchi_set {
  uint64_t set;
  struct buchi_move *moves; /* NULL until they are asked for */
  size_t count;
};

/* A set being expanded. */
struct branch {
  uint64_t todo, done;
  struct buchi_move move; /* marks: the untils put off */
};

struct buchi {
  struct mem *mem;
  const struct ltl *ltl;
  struct part parts[PARTS_MOST];
  unsigned part_count;
  bool too_large;
  uint8_t *normal[2]; /* by node of the formula: its part, and its negation's; NO_PART until made */
  uint64_t untils;
  VEC(struct buchi_set) states;
  VEC(struct branch) branches;
  VEC(struct buchi_move) moves; /* of the state being expanded */
};

static uint64_t one(unsigned part) { return (uint64_t)1 << part; }

/* Negation normal form. Parts 0 and 1 are false and true. */

static uint8_t make_part(struct buchi *b, enum part_kind kind, uint8_t left, uint8_t right) {
  unsigned i = 0;
  while (i < b->part_count && (b->parts[i].kind != kind || b->parts[i].left != left || b->parts[i].right != right)) i++;
  if (i == PARTS_MOST) {
    b->too_large = true;
    return 0;
  }
  if (i == b->part_count) b->parts[b->part_count++] = (struct part){(uint8_t)kind, left, right};
  if (kind == PART_UNTIL) b->untils |= one(i);
  return (uint8_t)i;
}

static uint8_t both(struct buchi *b, uint8_t l, uint8_t r) {
  if (l == PART_FALSE || r == PART_FALSE) return PART_FALSE;
  if (l == PART_TRUE || l == r) return r;
  return r == PART_TRUE ? l : make_part(b, PART_AND, l < r ? l : r, l < r ? r : l);
}

static uint8_t either(struct buchi *b, uint8_t l, uint8_t r) {
  if (l == PART_TRUE || r == PART_TRUE) return PART_TRUE;
  if (l == PART_FALSE || l == r) return r;
  return r == PART_FALSE ? l : make_part(b, PART_OR, l < r ? l : r, l < r ? r : l);
}

static uint8_t next(struct buchi *b, uint8_t l) { return l <= PART_TRUE ? l : make_part(b, PART_NEXT, l, 0); }
static uint8_t until(struct buchi *b, uint8_t l, uint8_t r) {
  return r <= PART_TRUE || l == PART_FALSE || l == r ? r : make_part(b, PART_UNTIL, l, r);
}
static uint8_t release(struct buchi *b, uint8_t l, uint8_t r) {
  return r <= PART_TRUE || l == PART_TRUE || l == r ? r : make_part(b, PART_RELEASE, l, r);
}

static uint8_t normal(struct buchi *b, uint32_t node, bool negated);

/* f W g is g R (f || g); its negation (!g) U (!f && !g). */
static uint8_t weak_until(struct buchi *b, const struct ltl_node *n, bool negated) {
  uint8_t f = normal(b, n->left, negated), g = normal(b, n->right, negated);
  return negated ? until(b, g, both(b, f, g)) : release(b, g, either(b, f, g));
}

static uint8_t equal(struct buchi *b, const struct ltl_node *n, bool negated) {
  uint8_t alike = both(b, normal(b, n->left, false), normal(b, n->right, negated));
  return either(b, alike, both(b, normal(b, n->left, true), normal(b, n->right, !negated)));
}

static uint8_t make_normal(struct buchi *b, const struct ltl_node *n, bool negated) {
  uint8_t l, r;
  switch (n->kind) {
  case LTL_FALSE: return negated ? PART_TRUE : PART_FALSE;
  case LTL_TRUE: return negated ? PART_FALSE : PART_TRUE;
  case LTL_PROPOSITION: return make_part(b, negated ? PART_WITHOUT : PART_WITH, (uint8_t)n->left, 0);
  case LTL_NOT: return normal(b, n->left, !negated);
  case LTL_NEXT: return next(b, normal(b, n->left, negated));
  case LTL_ALWAYS: l = normal(b, n->left, negated); return negated ? until(b, PART_TRUE, l) : release(b, PART_FALSE, l);
  case LTL_FINALLY:
    l = normal(b, n->left, negated);
    return negated ? release(b, PART_FALSE, l) : until(b, PART_TRUE, l);
  case LTL_WEAK: return weak_until(b, n, negated);
  case LTL_IFF: return equal(b, n, negated);
  default: break;
  }
  l = normal(b, n->left, n->kind == LTL_IMPLIES ? !negated : negated);
  r = normal(b, n->right, negated);
  switch (n->kind) {
  case LTL_UNTIL: return negated ? release(b, l, r) : until(b, l, r);
  case LTL_RELEASE: return negated ? until(b, l, r) : release(b, l, r);
  case LTL_AND: return negated ? either(b, l, r) : both(b, l, r);
  default: return negated ? both(b, l, r) : either(b, l, r); /* LTL_OR, LTL_IMPLIES */
  }
}

static uint8_t normal(struct buchi *b, uint32_t node, bool negated) {
  if (b->normal[negated][node] == NO_PART) {
    uint8_t part = make_normal(b, &b->ltl->nodes.at[node], negated);
    b->normal[negated][node] = part;
  }
  return b->normal[negated][node];
}

/* Expanding a set. */

/* One way to make a disjunction true: `now` must be true of this letter, `then` of the rest. */
static void choose_branch(struct buchi *b, struct branch x, uint64_t now, uint64_t then, uint64_t put_off) {
  x.todo |= now & ~x.done;
  x.move.next |= then;
  x.move.marks |= put_off;
  vec_push(b->mem, &b->branches, x);
}

/* Takes one part of a branch apart. What comes of it are branches. */
static void take_apart(struct buchi *b, struct branch x, unsigned i) {
  struct part p = b->parts[i];
  uint64_t set = x.todo | x.done, left = one(p.left & 63), right = one(p.right & 63), self = one(i);
  x.todo &= ~self;
  x.done |= self;
  switch ((enum part_kind)p.kind) {
  case PART_FALSE: return;
  case PART_TRUE: choose_branch(b, x, 0, 0, 0); return;
  case PART_WITH:
    x.move.with |= left;
    if (!(x.move.with & x.move.without)) choose_branch(b, x, 0, 0, 0);
    return;
  case PART_WITHOUT:
    x.move.without |= left;
    if (!(x.move.with & x.move.without)) choose_branch(b, x, 0, 0, 0);
    return;
  case PART_AND: choose_branch(b, x, left | right, 0, 0); return;
  case PART_NEXT: choose_branch(b, x, 0, left, 0); return;
  case PART_OR:
    choose_branch(b, x, left, 0, 0);
    if (!(set & left)) choose_branch(b, x, right, 0, 0);
    return;
  case PART_UNTIL:
    choose_branch(b, x, right, 0, 0);
    if (!(set & right)) choose_branch(b, x, left, self, self);
    return;
  case PART_RELEASE:
    choose_branch(b, x, left | right, 0, 0);
    if (!(set & left)) choose_branch(b, x, right, self, 0);
  }
}

/* Can whatever the one does be done by the other? */
static bool covers(const struct buchi_move *a, const struct buchi_move *by) {
  return !((by->with & ~a->with) | (by->without & ~a->without) | (by->next & ~a->next) | (by->marks & ~a->marks));
}

static void add_move(struct buchi *b, const struct buchi_move *new) {
  size_t kept = 0;
  for (size_t i = 0; i < b->moves.count; i++)
    if (covers(new, &b->moves.at[i])) return;
  for (size_t i = 0; i < b->moves.count; i++)
    if (!covers(&b->moves.at[i], new)) b->moves.at[kept++] = b->moves.at[i];
  b->moves.count = kept;
  vec_push(b->mem, &b->moves, *new);
}

static void expand(struct buchi *b, uint32_t state) {
  unsigned polled = 0;
  b->moves.count = b->branches.count = 0;
  choose_branch(b, (struct branch){0}, b->states.at[state].set, 0, 0);
  while (b->branches.count) {
    struct branch x = b->branches.at[--b->branches.count];
    unsigned i = 0;
    if (++polled % 4096 == 0) mem_poll(b->mem);
    while (i < PARTS_MOST && !(x.todo & one(i))) i++;
    if (i < PARTS_MOST)
      take_apart(b, x, i);
    else
      add_move(b, &x.move);
  }
  struct buchi_move *moves = mem_alloc(b->mem, (b->moves.count + 1) * sizeof *moves);
  for (size_t i = 0; i < b->moves.count; i++) {
    moves[i] = b->moves.at[i];
    moves[i].marks = b->untils & ~moves[i].marks;
  }
  b->states.at[state].moves = moves;
  b->states.at[state].count = b->moves.count;
}

/* The automaton. */

uint32_t buchi_state(struct buchi *b, uint64_t set) {
  set &= ~one(PART_TRUE);
  uint32_t i = 0;
  while (i < b->states.count && b->states.at[i].set != set) i++;
  if (i == b->states.count) vec_push(b->mem, &b->states, ((struct buchi_set){.set = set}));
  return i;
}

const struct buchi_move *buchi_moves(struct buchi *b, uint32_t state, size_t *count) {
  if (!b->states.at[state].moves) expand(b, state);
  *count = b->states.at[state].count;
  return b->states.at[state].moves;
}

uint64_t buchi_marks(const struct buchi *b) { return b->untils; }
uint32_t buchi_count(const struct buchi *b) { return (uint32_t)b->states.count; }

bool buchi_open(struct mem *m, const struct ltl *l, struct buchi **out, struct problem *problem) {
  struct buchi *b = *out = mem_zero(m, 1, sizeof *b);
  b->mem = m;
  b->ltl = l;
  for (int i = 0; i < 2; i++) {
    b->normal[i] = mem_alloc(m, l->nodes.count);
    memset(b->normal[i], NO_PART, l->nodes.count);
  }
  make_part(b, PART_FALSE, 0, 0);
  make_part(b, PART_TRUE, 0, 0);
  uint8_t root = normal(b, l->root, true);
  if (b->too_large) {
    problem_set(problem,
                "formula:1:1: the formula is too large: at most %d different parts; check what && joins one by one",
                PARTS_MOST);
    return false;
  }
  buchi_state(b, one(root));
  return true;
}
