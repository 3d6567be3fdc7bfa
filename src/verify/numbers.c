/* Numbers of addresses, as choices.
 *
 * Where an object is in memory is not known, and a program may ask: a hash of its address picks a stripe, the lower of
 * two is locked first. Whatever the answer is, it is the same for as long as the object is there. So an answer is a
 * choice among all that alignment allows, and is remembered with the object:
 *
 * - Bits of the address. What comes of few of them is computed from them, so that (p >> 4) & 7 and (p >> 4) % 4 agree.
 * - One number that comes of all of them, such as (p >> 4) % 3 or the upper bits of a product: it may be any value that
 *   it is seen to have at some address. What else is asked of that object's bits is not known then.
 * - The order of objects whose order was asked. It leaves the bits alone: these are the lower 40 of an address.
 *
 * Two objects are never in one place, and one is below the other as a whole. What is not asked for few values is kept
 * as a term (terms.h) in a word of its own, until it is.
 *
 * Only a search that comes to such a question does this: it begins again (FAULT_NUMBERS), with machine_options.terms.
 */
#include "verify/bytes.h"
#include "verify/terms.h"

enum { BITS_MOST = 6, LOW_BITS = 40 };

uint32_t numbers_align(const struct machine *m, const struct machine_state *s, uint32_t object) {
  uint32_t align = object_align(m, &state_objects(m, s)[object]);
  uint8_t asked = m->terms ? state_known(m, s)[object].align : 0;
  return asked != ALLOC_ALIGN_UNKNOWN && UINT32_C(1) << asked > align ? UINT32_C(1) << asked : align;
}

bool numbers_may_align(const struct machine *m, const struct machine_state *s, uint32_t object, uint8_t align) {
  if (!m->terms || align == ALLOC_ALIGN_UNKNOWN) return true;
  return !(state_known(m, s)[object].bits & ((UINT64_C(1) << align) - 1));
}

void numbers_allocated(const struct machine *m, struct machine_state *s, uint32_t object, uint8_t align) {
  struct known *k = &state_known(m, s)[object];
  if (align > k->align) k->align = align;
}

static enum ended unknown(struct run *run, const struct inst *in) { return step_fault(run, in, FAULT_ADDRESS, NULL); }

static enum ended choose_fact(struct run *run, const struct inst *in, unsigned n, unsigned *which) {
  if (!run->op) return step_fault(run, in, FAULT_RANGE, "the number of an address, before the threads begin");
  run->state->shared = run->state->unpacked = 0;
  step_record(run, ADDRESSES, 0, 1, true);
  return step_choose_one(run, in, n, which);
}

/* Told to whoever listens: what was chosen. */
static void tell(struct run *run, const struct inst *in, enum chosen what, uint32_t object, uint32_t other, int64_t n) {
  if (!run->machine->tracer) return;
  struct trace_item item = {.inst = in, .op = run->op, .chosen = what, .object = object, .cell = other, .own = true};
  item.written[0] = word_of_number(run->machine->program->wides, n);
  run->machine->tracer(run->machine->tracer_self, &item);
}

/* The value of a term that has few. */
static enum ended settle(struct run *run, const struct inst *in, uint32_t object, uint32_t term, word *out) {
  struct machine *m = run->machine;
  struct known *k = &state_known(m, run->state)[object];
  uint64_t support = term_support(m->terms, term), open = support & ~k->mask;
  unsigned which, values = term_values(m->terms, term);
  int64_t n;
  bool few = !(support >> LOW_BITS) && (unsigned)__builtin_popcountll(open) <= BITS_MOST;
  if (k->align == ALLOC_ALIGN_UNKNOWN) return unknown(run, in);
  if (few && (!open || !k->term)) {
    enum ended bad = open ? choose_fact(run, in, 1u << __builtin_popcountll(open), &which) : GO_ON;
    if (bad != GO_ON) return bad;
    for (uint64_t left = open; left; left &= left - 1, which >>= 1)
      if (which & 1) k->bits |= left & (0 - left);
    k->mask |= open;
    n = term_value(m->terms, term, k->bits);
  } else if (k->term == term) {
    open = 0;
    n = term_nth(m->terms, term, k->value);
  } else {
    if (k->term || k->mask || !term_takes_all(m->terms, term)) return unknown(run, in);
    enum ended bad = choose_fact(run, in, values, &which);
    if (bad != GO_ON) return bad;
    k->term = (uint16_t)term;
    k->value = (uint16_t)which;
    n = term_nth(m->terms, term, which);
  }
  *out = word_of_number(m->program->wides, n);
  if (open) tell(run, in, CHOSEN_NUMBER, object, 0, n);
  return GO_ON;
}

/* The term that a word is, and whose address it is of. */
static uint32_t term_of(const struct run *run, word w, uint32_t *object) {
  const struct machine *m = run->machine;
  struct terms *t = m->terms;
  struct scalar whole = {.bits = 64};
  if (!word_is_pointer(w)) return word_is_unset(w) ? TERM_NONE : term_number(t, number_of_word(m->program->wides, w));
  if (is_forgotten(m, w) || (*object != UINT32_MAX && *object != word_object(w))) return TERM_NONE;
  *object = word_object(w);
  if (state_known(m, run->state)[*object].align == ALLOC_ALIGN_UNKNOWN) return TERM_NONE;
  if (word_is_term(w)) return word_term(w);
  uint32_t at = term_address(t, address_byte(m, run->state, w), numbers_align(m, run->state, *object));
  uint32_t tag = term_number(t, word_tag(w));
  switch (word_kind(w)) {
  case WORD_ADDRESS:
    return word_tag(w) ? term_binary(t, OP_ADD, whole, at, term_number(t, (int64_t)((uint64_t)word_tag(w) << 48))) : at;
  case WORD_LOWERED: return term_binary(t, OP_SHR, whole, at, tag);
  case WORD_RAISED: return term_binary(t, OP_OR, whole, term_binary(t, OP_SHL, whole, at, term_number(t, 16)), tag);
  default: return TERM_NONE;
  }
}

static enum ended put(struct run *run, const struct inst *in, uint32_t object, uint32_t term, word *out) {
  if (!term || object == UINT32_MAX) return unknown(run, in);
  if (term_values(run->machine->terms, term)) return settle(run, in, object, term, out);
  *out = word_of_term(object, term);
  return GO_ON;
}

/* The order of objects. */

static bool is_within(const struct run *run, word w) {
  if (!word_is_address(w) || is_forgotten(run->machine, w)) return false;
  const struct object *o = &state_objects(run->machine, run->state)[word_object(w)];
  int64_t byte = address_byte(run->machine, run->state, w);
  return byte >= 0 && byte < object_size(run->machine, o);
}

/* Gives the object a place among those that have one. */
static enum ended place(struct run *run, const struct inst *in, uint32_t object) {
  struct known *known = state_known(run->machine, run->state);
  unsigned ranked = 0, which;
  if (known[object].rank) return GO_ON;
  for (uint32_t i = 0; i < run->state->objects; i++) ranked += known[i].rank != 0;
  enum ended bad = choose_fact(run, in, ranked + 1, &which);
  if (bad != GO_ON) return bad;
  uint16_t below = 0; /* the rank of the one right below it */
  for (unsigned n = 0; n < which; n++) {
    uint16_t next = UINT16_MAX;
    for (uint32_t i = 0; i < run->state->objects; i++)
      if (known[i].rank > below && known[i].rank < next) next = known[i].rank;
    below = next;
  }
  for (uint32_t i = 0; i < run->state->objects; i++)
    if (known[i].rank > below) known[i].rank++;
  known[object].rank = (uint16_t)(below + 1);
  return GO_ON;
}

static enum ended compare_objects(struct run *run, const struct inst *in, uint32_t a, uint32_t b, word *out) {
  struct machine *m = run->machine;
  const struct known *known = state_known(m, run->state);
  bool asked = !known[a].rank || !known[b].rank;
  enum ended bad = place(run, in, a);
  if (bad == GO_ON) bad = place(run, in, b);
  if (bad != GO_ON) return bad;
  bool less = known[a].rank < known[b].rank;
  if (asked) tell(run, in, CHOSEN_ORDER, less ? a : b, less ? b : a, 0);
  if (in->scalar.pointer && m->options.ordered)
    __atomic_store_n(m->options.ordered, (uint32_t)(in - m->program->code), __ATOMIC_RELAXED);
  *out = in->op == OP_LT || in->op == OP_LE ? less : !less;
  return GO_ON;
}

enum ended numbers_compute(struct run *run, const struct inst *in) {
  struct machine *m = run->machine;
  word *r = run->r, a = r[in->a], b = 0;
  uint32_t object = UINT32_MAX, term;
  if (!m->terms) return unknown(run, in);
  if (in->code == I_BINARY) b = in->b == NO_REG ? word_of_number(m->program->wides, in->imm) : r[in->b];
  switch (in->code) {
  case I_BINARY:
    if (in->op >= OP_LT && in->op <= OP_GE && is_within(run, a) && is_within(run, b) &&
        word_object(a) != word_object(b))
      return compare_objects(run, in, word_object(a), word_object(b), &r[in->d]);
    term = term_of(run, a, &object);
    term = term_binary(m->terms, in->op, in->scalar, term, term_of(run, b, &object));
    break;
  case I_UNARY: term = term_unary(m->terms, in->op, in->scalar, term_of(run, a, &object)); break;
  case I_CAST: term = term_cast(m->terms, in->scalar, term_of(run, a, &object)); break;
  default: return unknown(run, in);
  }
  return put(run, in, object, term, &r[in->d]);
}

enum ended numbers_truth(struct run *run, const struct inst *in, word *w) {
  struct scalar whole = {.bits = 64};
  uint32_t object = UINT32_MAX, term = term_of(run, *w, &object);
  return put(run, in, object, term_binary(run->machine->terms, OP_NE, whole, term, term_number(run->machine->terms, 0)),
             w);
}
