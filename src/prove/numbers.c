/* What is known of numbers, beside equality. */
#include <string.h>

#include "prove/prover.h"

/* Is it one that the program speaks of? Where nothing is said of that, all are. */
static bool is_end(const struct prover *p, int64_t n) {
  size_t low = 0, high = p->ends.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->ends.at[middle] == n) return true;
    if (p->ends.at[middle] < n)
      low = middle + 1;
    else
      high = middle;
  }
  return !p->ends.count;
}

/* Whether a number is kept from one step to the next follows from the program alone, so that a proof checked again
 * takes the same steps. */
val number(struct prover *p, int64_t n) {
  if (n == 0) return NIL;
  for (unsigned i = 0; i < p->constants; i++)
    if (p->constant[i] == n) return VAL(K_INT, i);
  if (p->constants == CONSTANTS_MOST) {
    prove_limit(p, FAIL_TOO_LARGE, "the program has more than %d different numbers", CONSTANTS_MOST);
    return NIL;
  }
  p->computed[p->constants] = !is_end(p, n);
  p->computes |= p->computed[p->constants];
  p->constant[p->constants] = n;
  return VAL(K_INT, p->constants++);
}

bool is_number(val v) { return KIND(v) == K_INT || KIND(v) == K_NULL || KIND(v) == K_SYM; }

static int64_t value_of(const struct prover *p, val v) { return constant_value(p, v); }
static bool is_order(const struct fact *f) { return f->relation == LESS || f->relation == AT_MOST; }

/* A chain a <= ... <= b of facts: what it has reached, and whether a link on the way is strict. */
enum { TERMS_MOST = 4 * FACTS_MOST };
struct chain {
  val term[TERMS_MOST];
  bool strict[TERMS_MOST];
  unsigned count;
};

static void chain_add(struct chain *c, val v, bool strict) {
  for (unsigned i = 0; i < c->count; i++)
    if (c->term[i] == v && (c->strict[i] || !strict)) return;
  if (c->count == TERMS_MOST) return; /* what is not found is not known: sound */
  c->term[c->count] = v;
  c->strict[c->count++] = strict;
}

/* From a term along every fact; from a constant to every greater one that is spoken of. */
static void chain_follow(const struct prover *p, const struct view *v, struct chain *c, unsigned i) {
  val from = c->term[i];
  for (unsigned f = 0; f < v->facts; f++) {
    const struct fact *k = &v->fact[f];
    if (!is_order(k)) continue;
    if (k->a == from)
      chain_add(c, k->b, c->strict[i] || k->relation == LESS);
    else if (is_constant(from) && is_constant(k->a) && value_of(p, from) < value_of(p, k->a))
      chain_add(c, k->a, true);
  }
}

/* Does a fact lead on from a, and does one lead to b? Most numbers are new, and none does. */
static bool may_chain(const struct view *v, val a, val b) {
  bool from = is_constant(a), to = is_constant(b);
  for (unsigned f = 0; f < v->facts && !(from && to); f++) {
    if (!is_order(&v->fact[f])) continue;
    from = from || v->fact[f].a == a;
    to = to || v->fact[f].b == b;
  }
  return from && to;
}

static bool chained(const struct prover *p, const struct view *v, val a, val b, bool strict) {
  if (is_constant(a) && is_constant(b))
    return strict ? value_of(p, a) < value_of(p, b) : value_of(p, a) <= value_of(p, b);
  if (a == b) return !strict;
  if (!may_chain(v, a, b)) return false;
  struct chain c;
  c.count = 0;
  chain_add(&c, a, false);
  for (unsigned i = 0; i < c.count; i++) {
    if (c.term[i] == b && (c.strict[i] || !strict)) return true;
    if (is_constant(b) && is_constant(c.term[i]) && value_of(p, c.term[i]) < value_of(p, b)) return true;
    chain_follow(p, v, &c, i);
  }
  return false;
}

bool known_less(const struct prover *p, const struct view *v, val a, val b) {
  return is_number(a) && is_number(b) && chained(p, v, a, b, true);
}
bool known_at_most(const struct prover *p, const struct view *v, val a, val b) {
  return is_number(a) && is_number(b) && chained(p, v, a, b, false);
}

bool known_different(const struct prover *p, const struct view *v, val a, val b) {
  if (is_constant(a) && is_constant(b)) return a != b;
  for (unsigned f = 0; f < v->facts; f++)
    if (v->fact[f].relation == DIFFERENT &&
        ((v->fact[f].a == a && v->fact[f].b == b) || (v->fact[f].a == b && v->fact[f].b == a)))
      return true;
  return known_less(p, v, a, b) || known_less(p, v, b, a);
}

static bool known_congruent(const struct prover *p, const struct view *v, val a, val b) {
  if (is_constant(a) && is_constant(b)) return (uint32_t)value_of(p, a) == (uint32_t)value_of(p, b);
  for (unsigned f = 0; f < v->facts; f++)
    if (v->fact[f].relation == CONGRUENT &&
        ((v->fact[f].a == a && v->fact[f].b == b) || (v->fact[f].a == b && v->fact[f].b == a)))
      return true;
  return a == b;
}

static bool known(const struct prover *p, const struct view *v, const struct fact *f) {
  switch ((enum relation)f->relation) {
  case LESS: return known_less(p, v, f->a, f->b);
  case AT_MOST: return known_at_most(p, v, f->a, f->b);
  case CONGRUENT: return known_congruent(p, v, f->a, f->b);
  default: return known_different(p, v, f->a, f->b);
  }
}

static void learn_congruent(struct prover *p, struct view *v, val a, val b) {
  if (is_constant(a) && is_constant(b) && !known_congruent(p, v, a, b)) p->dead = true;
  if (p->dead || known_congruent(p, v, a, b) || v->facts == FACTS_MOST) return;
  v->fact[v->facts++] = (struct fact){a, b, CONGRUENT};
}

/* A fact that finds no room is forgotten, which is sound. */
void learn(struct prover *p, struct view *v, val a, enum relation r, val b) {
  if (!is_number(a) || !is_number(b)) return;
  if (r == CONGRUENT) {
    learn_congruent(p, v, a, b);
    return;
  }
  if (a == b) {
    if (r != AT_MOST) p->dead = true;
    return;
  }
  for (unsigned f = 0; f < v->facts; f++) /* as it is said already */
    if (v->fact[f].a == a && v->fact[f].b == b && (v->fact[f].relation == LESS || v->fact[f].relation == r)) return;
  if (r == AT_MOST && known_different(p, v, a, b)) r = LESS;
  if (r == DIFFERENT && known_at_most(p, v, a, b)) r = LESS;
  if (r == DIFFERENT && known_at_most(p, v, b, a)) {
    val c = a;
    a = b;
    b = c;
    r = LESS;
  }
  struct fact f = {a, b, (uint16_t)r};
  if (r == LESS ? known_at_most(p, v, b, a) : r == AT_MOST ? known_less(p, v, b, a) : false) {
    p->dead = true;
    return;
  }
  if (known(p, v, &f) || v->facts == FACTS_MOST) return;
  v->fact[v->facts++] = f;
}

/* By the constants next to it alone, which is quick. */
bool can_be(const struct prover *p, const struct view *v, val n) {
  int64_t low = INT64_MIN, high = INT64_MAX;
  if (is_constant(n)) low = high = value_of(p, n);
  for (unsigned f = 0; f < v->facts; f++) {
    const struct fact *k = &v->fact[f];
    if (k->a != n && k->b != n) continue;
    bool strict = k->relation == LESS;
    if (k->a == k->b && (strict || k->relation == DIFFERENT)) return false;
    if (!is_order(k)) continue;
    if (k->b == n && is_constant(k->a)) {
      int64_t c = value_of(p, k->a);
      if (strict && c == INT64_MAX) return false;
      if (c + strict > low) low = c + strict;
    }
    if (k->a == n && is_constant(k->b)) {
      int64_t c = value_of(p, k->b);
      if (strict && c == INT64_MIN) return false;
      if (c - strict < high) high = c - strict;
    }
  }
  return low <= high;
}

void learn_again(struct prover *p, struct view *v) {
  struct fact fact[FACTS_MOST];
  unsigned count = v->facts;
  memcpy(fact, v->fact, sizeof fact);
  v->facts = 0;
  for (unsigned f = 0; f < count && !p->dead; f++) learn(p, v, fact[f].a, (enum relation)fact[f].relation, fact[f].b);
}

void tidy_facts(const struct prover *p, struct view *v) {
  for (unsigned i = 0; i < v->facts;) {
    struct fact f = v->fact[i];
    v->fact[i] = v->fact[v->facts - 1];
    v->facts--;
    if (known(p, v, &f)) continue;
    v->fact[v->facts++] = v->fact[i];
    v->fact[i++] = f;
  }
  for (unsigned i = 0; i < v->facts; i++) /* a difference has no direction */
    if (!is_order(&v->fact[i]) && v->fact[i].b < v->fact[i].a) {
      val a = v->fact[i].a;
      v->fact[i].a = v->fact[i].b;
      v->fact[i].b = a;
    }
  for (unsigned i = 1; i < v->facts; i++)
    for (unsigned j = i; j > 0 && memcmp(&v->fact[j - 1], &v->fact[j], sizeof v->fact[j]) > 0; j--) {
      struct fact f = v->fact[j];
      v->fact[j] = v->fact[j - 1];
      v->fact[j - 1] = f;
    }
  memset(v->fact + v->facts, 0, sizeof v->fact[0] * (FACTS_MOST - v->facts));
}
