/* A run judged by the definitions of progress.h, from nothing but the system and the run's moves: separate from the
 * search that found it, and for replaying evidence.
 *
 *   moves made again -> who is inside an operation, can move, waits, in each state -> the condition; or the word and
 * the formula */
#include <string.h>

#include "verify/live.h"
#include "verify/ltl.h"

/* A state of the run: threads, a bit each. */
struct moment {
  uint16_t open, enabled, waits, held; /* as in graph.h */
};

struct run {
  struct mem *mem;
  struct system *system;
  const struct ltl_names *names;
  const struct path_move *path;
  size_t count, stem;
  struct problem *why;
  struct moment *moments; /* count + 1 */
  struct event *events;   /* of all moves; a RETURN has the number of its call */
  size_t *first;          /* of move i: events first[i] to first[i+1] */
  uint16_t calls[THREADS_MOST];
  void *here, *there;
  /* Of the loop, or of the last state if there is none. */
  uint16_t moved, returned, stuck, ever, always, held;
  size_t bad; /* formulas: after so many moves it is false whatever follows; SIZE_MAX */
};

static bool no_violation(struct run *r, const char *reason) {
  problem_set(r->why, "%s", reason);
  return false;
}

/* Making the moves. */

static void look(struct run *r, struct moment *m) {
  for (unsigned t = 0; t < r->system->threads; t++) {
    struct choices c;
    uint16_t bit = (uint16_t)(1u << t), moves = 0, waits = 0, locked = 0;
    choices_begin(&c);
    do {
      struct move move = {0};
      enum moved moved = r->system->move(r->system, r->here, t, &c, r->there, &move);
      if (moved == MOVED) moves = bit;
      if (moved == WAITS) waits = bit;
      if (moved == WAITS && move.locked) locked = bit;
    } while (choices_next(&c));
    if (r->calls[t] != UINT16_MAX) m->open |= bit;
    m->enabled |= moves;
    if (!moves) m->waits |= locked;
    if (!moves && !locked) m->held |= waits & m->open;
  }
}

static bool same_choices(const struct choices *a, const struct choices *b) {
  return a->made == b->made && !memcmp(a->taken, b->taken, a->made * sizeof *a->taken) &&
         !memcmp(a->of, b->of, a->made * sizeof *a->of);
}

/* Choices are looked for among those there are, and not believed. */
static bool make_move(struct run *r, const struct path_move *p, struct move *move) {
  struct choices c;
  choices_begin(&c);
  do {
    memset(move, 0, sizeof *move);
    enum moved moved = r->system->again
                           ? r->system->again(r->system, r->here, p->thread, &c, p->move.length, r->there, move)
                           : r->system->move(r->system, r->here, p->thread, &c, r->there, move);
    if (same_choices(&c, &p->choices)) return moved == MOVED;
  } while (choices_next(&c));
  return false;
}

static void keep_events(struct run *r, size_t i, const struct move *move) {
  r->first[i + 1] = r->first[i];
  for (unsigned k = 0; k < move->event_count; k++) {
    struct event e = move->events[k];
    if (e.kind == EVENT_CALL) {
      r->calls[e.thread] = e.call;
    } else if (e.kind == EVENT_RETURN) {
      e.call = r->calls[e.thread];
      r->calls[e.thread] = UINT16_MAX;
    } else {
      continue;
    }
    r->events[r->first[i + 1]++] = e;
  }
}

/* The state and who is in which call, as bytes. */
static size_t key_of(struct run *r, unsigned char *out) {
  size_t calls = r->system->threads * sizeof *r->calls;
  memcpy(out, r->calls, calls);
  return calls + r->system->pack(r->system, r->here, NULL, out + calls, NULL);
}

/* The loop is made again from what is kept of the state: what is forgotten may be another thing each time. */
static void forget(struct run *r, const unsigned char *key, size_t size) {
  size_t calls = r->system->threads * sizeof *r->calls;
  if (r->system->choices_last) r->system->unpack(r->system, key + calls, size - calls, r->here);
}

static bool make_run(struct run *r) {
  size_t most = sizeof r->calls + r->system->packed_most, size = 0;
  unsigned char *key = mem_alloc(r->mem, most), *last = mem_alloc(r->mem, most);
  r->system->start(r->system, r->here);
  memset(r->calls, 0xff, sizeof r->calls);
  for (size_t i = 0;; i++) {
    struct move move;
    look(r, &r->moments[i]);
    if (i == r->stem) size = key_of(r, key), forget(r, key, size);
    if (i == r->count) break;
    if (!make_move(r, &r->path[i], &move)) {
      problem_set(r->why, "move %zu of the execution cannot be made", i + 1);
      return false;
    }
    keep_events(r, i, &move);
    memcpy(r->here, r->there, r->system->work);
  }
  bool same = key_of(r, last) == size && !memcmp(key, last, size);
  return same || no_violation(r, "after the loop the state is not what it was before");
}

/* Judging. */

static void sum_up(struct run *r) {
  size_t states = r->count > r->stem ? r->count - r->stem : 1;
  r->always = r->held = UINT16_MAX;
  for (size_t i = r->stem; i < r->stem + states; i++) {
    r->ever |= r->moments[i].enabled;
    r->always &= r->moments[i].enabled;
    r->held &= r->moments[i].held;
  }
  for (size_t i = r->stem; i < r->count; i++) r->moved |= (uint16_t)(1u << r->path[i].thread);
  for (size_t i = r->first[r->stem]; i < r->first[r->count]; i++)
    if (r->events[i].kind == EVENT_RETURN) r->returned |= (uint16_t)(1u << r->events[i].thread);
  r->stuck = r->moments[r->stem].open & (uint16_t)~r->returned;
}

static bool is_fair(struct run *r, enum fairness fairness) {
  uint16_t owed = fairness == FAIR_STRONG ? r->ever : fairness == FAIR_WEAK ? r->always : 0;
  return !(owed & (uint16_t)~r->moved) || no_violation(r, "the run is not fair");
}

static bool judge_end(struct run *r, enum progress progress) {
  const struct moment *end = &r->moments[r->count];
  if (!(end->waits & end->open)) return no_violation(r, "no thread waits for a lock inside an operation");
  if (progress == PROGRESS_DEADLOCK_FREE && end->enabled)
    return no_violation(r, "a thread can move after the last move");
  return true;
}

static bool judge_loop(struct run *r, enum progress progress) {
  bool together = progress == PROGRESS_DEADLOCK_FREE || progress == PROGRESS_LOCK_FREE;
  if (together && r->returned) return no_violation(r, "an operation returns in the loop");
  if (progress == PROGRESS_DEADLOCK_FREE) {
    if (!(r->stuck & (uint16_t)~r->held)) return no_violation(r, "no operation is open for ever");
    return is_fair(r, FAIR_WEAK);
  }
  if (progress == PROGRESS_OBSTRUCTION_FREE && r->moved & (r->moved - 1))
    return no_violation(r, "more than one thread moves in the loop");
  return r->moved & r->stuck || no_violation(r, "no thread moves for ever inside one operation");
}

/* Formulas: each part's truth at each letter; after the last letter comes letter `loop` again. */

struct word_letters {
  VEC(uint64_t) letters;
  size_t loop;
};

static void read_word(struct run *r, const struct ltl *f, struct word_letters *w) {
  for (size_t i = 0; i < r->count; i++) {
    if (i == r->stem) w->loop = w->letters.count;
    for (size_t k = r->first[i]; k < r->first[i + 1]; k++)
      vec_push(r->mem, &w->letters, ltl_letter(f, r->names, &r->events[k]));
    if (r->first[i] == r->first[i + 1]) vec_push(r->mem, &w->letters, 0);
  }
  if (r->count > r->stem) return;
  w->loop = w->letters.count;
  vec_push(r->mem, &w->letters, 0);
}

/* The truth of a node, given that of its parts here and its own (or its part's) at the next letter. */
static bool truth(const struct ltl_node *n, uint64_t letter, bool left, bool right, bool left_next, bool next) {
  switch (n->kind) {
  case LTL_FALSE: return false;
  case LTL_TRUE: return true;
  case LTL_PROPOSITION: return letter >> n->left & 1;
  case LTL_NOT: return !left;
  case LTL_NEXT: return left_next;
  case LTL_ALWAYS: return left && next;
  case LTL_FINALLY: return left || next;
  case LTL_UNTIL:
  case LTL_WEAK: return right || (left && next);
  case LTL_RELEASE: return right && (left || next);
  case LTL_AND: return left && right;
  case LTL_OR: return left || right;
  case LTL_IMPLIES: return !left || right;
  default: return left == right;
  }
}

/* Least and greatest solutions: begun with false and true, until nothing changes. */
static bool *evaluate(struct run *r, const struct ltl *f, const struct word_letters *w) {
  size_t n = w->letters.count;
  bool **of = mem_zero(r->mem, f->nodes.count, sizeof *of);
  for (uint32_t i = 0; i < f->nodes.count; i++) {
    const struct ltl_node *node = &f->nodes.at[i];
    bool leaf = node->kind <= LTL_PROPOSITION, two = node->kind >= LTL_UNTIL;
    of[i] = mem_alloc(r->mem, n * sizeof **of);
    memset(of[i], node->kind == LTL_ALWAYS || node->kind == LTL_WEAK || node->kind == LTL_RELEASE, n * sizeof **of);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = n; k-- > 0;) {
        size_t next = k + 1 < n ? k + 1 : w->loop;
        bool is = truth(node, w->letters.at[k], !leaf && of[node->left][k], two && of[node->right][k],
                        !leaf && of[node->left][next], of[i][next]);
        changed |= is != of[i][k];
        of[i][k] = is;
      }
    }
  }
  return of[f->root];
}

/* A prefix: each part is true, false or open at each letter, whatever follows; the letter after the last is not known.
 */
enum kleene { NO, OPEN, YES };

static enum kleene least(enum kleene a, enum kleene b) { return a < b ? a : b; }
static enum kleene most(enum kleene a, enum kleene b) { return a > b ? a : b; }
static enum kleene opposite(enum kleene a) { return (enum kleene)(YES - a); }
static enum kleene equals(enum kleene a, enum kleene b) { return a == OPEN || b == OPEN ? OPEN : a == b ? YES : NO; }

/* As truth, of what is known. */
static enum kleene known(const struct ltl_node *n, enum kleene proposition, enum kleene left, enum kleene right,
                         enum kleene left_next, enum kleene next) {
  switch (n->kind) {
  case LTL_FALSE: return NO;
  case LTL_TRUE: return YES;
  case LTL_PROPOSITION: return proposition;
  case LTL_NOT: return opposite(left);
  case LTL_NEXT: return left_next;
  case LTL_ALWAYS: return least(left, next);
  case LTL_FINALLY: return most(left, next);
  case LTL_UNTIL:
  case LTL_WEAK: return most(right, least(left, next));
  case LTL_RELEASE: return least(right, most(left, next));
  case LTL_AND: return least(left, right);
  case LTL_OR: return most(left, right);
  case LTL_IMPLIES: return most(opposite(left), right);
  default: return equals(left, right);
  }
}

/* Is the formula false of every word that begins with these letters? */
static bool is_bad(struct run *r, const struct ltl *f, const uint64_t *letters, size_t count) {
  size_t n = f->nodes.count;
  enum kleene *now = mem_alloc(r->mem, n * sizeof *now), *then = mem_alloc(r->mem, n * sizeof *then);
  for (size_t k = count + 1; k-- > 0;) {
    for (size_t i = 0; i < n; i++) {
      const struct ltl_node *node = &f->nodes.at[i];
      bool leaf = node->kind <= LTL_PROPOSITION, two = node->kind >= LTL_UNTIL, end = k == count;
      enum kleene proposition = end || node->kind != LTL_PROPOSITION ? OPEN : letters[k] >> node->left & 1 ? YES : NO;
      now[i] = known(node, proposition, leaf ? OPEN : now[node->left], two ? now[node->right] : OPEN,
                     leaf || end ? OPEN : then[node->left], end ? OPEN : then[i]);
    }
    for (size_t i = 0; i < n; i++) then[i] = now[i];
  }
  bool bad = then[f->root] == NO;
  mem_free(r->mem, now);
  mem_free(r->mem, then);
  return bad;
}

/* The fewest moves after which nothing can make the formula true; SIZE_MAX if there is always something. */
static size_t find_bad(struct run *r, const struct ltl *f) {
  VEC(uint64_t) letters = {0};
  for (size_t i = 0; i < r->count; i++) {
    for (size_t k = r->first[i]; k < r->first[i + 1]; k++)
      vec_push(r->mem, &letters, ltl_letter(f, r->names, &r->events[k]));
    if (r->first[i] == r->first[i + 1]) vec_push(r->mem, &letters, 0);
    if (is_bad(r, f, letters.at, letters.count)) return i + 1;
  }
  return SIZE_MAX;
}

static bool judge_formula(struct run *r, const struct live_asked *asked) {
  struct ltl f = {0};
  struct word_letters w = {0};
  if (r->count == r->stem && r->moments[r->count].enabled)
    return no_violation(r, "a thread can move after the last move");
  if (r->held) return no_violation(r, "a thread is before a call that it cannot make");
  if (!is_fair(r, asked->fairness) || !ltl_parse(r->mem, asked->formula, r->system->threads, r->names, &f, r->why))
    return false;
  read_word(r, &f, &w);
  r->bad = find_bad(r, &f);
  return !evaluate(r, &f, &w)[0] || no_violation(r, "the formula is true of the run");
}

bool live_confirm(struct mem *m, struct system *system, const struct live_asked *asked, const struct ltl_names *names,
                  const struct path_move *path, size_t count, size_t loop, size_t *bad, struct problem *why) {
  struct run r = {
      .mem = m, .system = system, .names = names, .path = path, .count = count, .stem = count - loop, .why = why};
  r.bad = SIZE_MAX;
  r.moments = mem_zero(m, count + 1, sizeof *r.moments);
  r.events = mem_zero(m, count * EVENTS_MOST + 1, sizeof *r.events);
  r.first = mem_zero(m, count + 1, sizeof *r.first);
  r.here = mem_zero(m, 1, system->work);
  r.there = mem_zero(m, 1, system->work);
  if (!make_run(&r)) return false;
  sum_up(&r);
  bool is = asked->formula && judge_formula(&r, asked);
  if (bad) *bad = r.bad;
  if (asked->formula) return is;
  return loop ? judge_loop(&r, asked->progress) : judge_end(&r, asked->progress);
}
