/* Small systems written by hand: see toys.h. */
#include "toys.h"

#include <string.h>

static void start(struct system *s, void *work) { memcpy(work, &((struct toy *)s)->start, sizeof(struct toy_state)); }

static enum moved move(struct system *s, const void *from, unsigned thread, struct choices *c, void *to,
                       struct move *m) {
  memcpy(to, from, sizeof(struct toy_state));
  return ((struct toy *)s)->step(to, thread, c, m);
}

static size_t pack(struct system *s, const void *work, const struct ranks *ranks, unsigned char *out, uint8_t *from) {
  (void)s, (void)ranks, (void)from;
  memcpy(out, work, sizeof(struct toy_state));
  return sizeof(struct toy_state);
}

static void unpack(struct system *s, const unsigned char *packed, size_t size, void *work) {
  (void)s;
  memcpy(work, packed, size);
}

void toy_make(struct toy *t, toy_step *step, unsigned threads, unsigned operations) {
  memset(t, 0, sizeof *t);
  t->system = (struct system){.threads = threads,
                              .work = sizeof(struct toy_state),
                              .packed_most = sizeof(struct toy_state),
                              .start = start,
                              .move = move,
                              .pack = pack,
                              .unpack = unpack};
  t->step = step;
  memset(t->start.left, operations ? (int)operations : 255, sizeof t->start.left);
}

static enum moved call(struct toy_state *s, unsigned t, unsigned number, struct move *m) {
  if (!s->left[t]) return STOPPED;
  if (s->left[t] != 255) s->left[t]--;
  m->events[m->event_count++] = (struct event){.kind = EVENT_CALL, .thread = (uint8_t)t, .call = (uint16_t)number};
  s->pc[t] = 1;
  return MOVED;
}

static enum moved ret(struct toy_state *s, unsigned t, value result, struct move *m) {
  m->events[m->event_count++] = (struct event){.kind = EVENT_RETURN, .thread = (uint8_t)t, .result = result};
  s->pc[t] = s->local[t] = s->other[t] = 0;
  return MOVED;
}

static enum moved go(struct toy_state *s, unsigned t, unsigned pc) {
  s->pc[t] = (uint8_t)pc;
  return MOVED;
}

static enum moved with_lock(struct toy_state *s, unsigned t, struct move *m, enum moved taken) {
  switch (s->pc[t]) {
  case 0: return call(s, t, 0, m);
  case 1:
    if (s->shared[0]) return m->locked = true, taken;
    s->shared[0] = 1;
    return go(s, t, 2);
  default: s->shared[0] = 0; return ret(s, t, V_NONE, m);
  }
}

enum moved toy_spin_lock(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  return with_lock(s, t, m, MOVED);
}

enum moved toy_mutex(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  return with_lock(s, t, m, WAITS);
}

enum moved toy_ticket_lock(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  switch (s->pc[t]) {
  case 0: return call(s, t, 0, m);
  case 1:
    s->local[t] = s->shared[0];
    s->shared[0] = (s->shared[0] + 1) % 4;
    return go(s, t, 2);
  case 2: return s->shared[1] == s->local[t] ? go(s, t, 3) : MOVED;
  default: s->shared[1] = (s->shared[1] + 1) % 4; return ret(s, t, V_NONE, m);
  }
}

enum moved toy_cas_counter(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  switch (s->pc[t]) {
  case 0: return call(s, t, 0, m);
  case 1: s->local[t] = s->shared[0]; return go(s, t, 2);
  default:
    if (s->shared[0] != s->local[t]) return go(s, t, 1);
    s->shared[0] = (s->shared[0] + 1) % 3;
    return ret(s, t, value_of_small(s->shared[0]), m);
  }
}

enum moved toy_reader(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  if (s->pc[t]) return ret(s, t, value_of_small(s->shared[0]), m);
  if (choose(c, 2)) {
    s->shared[0] = !s->shared[0];
    enum moved moved = call(s, t, 1, m); /* a write: called, done and returned in one move */
    return moved == MOVED ? ret(s, t, V_NONE, m) : moved;
  }
  return call(s, t, 2, m);
}

static enum moved with_two_locks(struct toy_state *s, unsigned t, struct move *m, enum moved taken) {
  unsigned pc = s->pc[t], lock = pc == 1 ? t : 1 - t;
  if (!pc) return call(s, t, 0, m);
  if (pc == 3) {
    s->shared[0] = s->shared[1] = 0;
    return ret(s, t, V_NONE, m);
  }
  if (s->shared[lock]) return m->locked = true, taken;
  s->shared[lock] = 1;
  return go(s, t, pc + 1);
}

enum moved toy_two_locks(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  return with_two_locks(s, t, m, WAITS);
}

enum moved toy_two_spin_locks(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  return with_two_locks(s, t, m, MOVED);
}

enum moved toy_owner(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  switch (s->pc[t]) {
  case 0: return call(s, t, 0, m);
  case 1: s->shared[0] = (uint8_t)t; return go(s, t, 2);
  default: return s->shared[0] == t ? ret(s, t, V_NONE, m) : go(s, t, 1);
  }
}

/* shared[0]: top, 0 for none; shared[n]: the node after n, for n = 1 .. 4; shared[4 + n]: n is in use (n up to 3). */
static unsigned unused(const struct toy_state *s) {
  unsigned n = 1;
  while (n < 4 && s->shared[4 + n]) n++;
  return n;
}

static enum moved push_or_pop(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  if (choose(c, 2)) {
    enum moved moved = call(s, t, 2, m);
    return moved == MOVED ? go(s, t, 4) : moved;
  }
  unsigned n = unused(s);
  if (n == 4) return WAITS;
  enum moved moved = call(s, t, 0, m);
  s->local[t] = (uint8_t)n;
  if (moved == MOVED) s->shared[4 + n] = 1;
  return moved;
}

enum moved toy_stack(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  uint8_t *top = &s->shared[0], *mine = &s->local[t], *seen = &s->other[t];
  switch (s->pc[t]) {
  case 0: return push_or_pop(s, t, c, m);
  case 1: *seen = *top; return go(s, t, 2);
  case 2: s->shared[*mine] = *seen; return go(s, t, 3);
  case 3:
    if (*top != *seen) return go(s, t, 1);
    *top = *mine;
    return ret(s, t, V_NONE, m);
  case 4: *mine = *top; return *mine ? go(s, t, 5) : ret(s, t, V_EMPTY, m);
  case 5: *seen = s->shared[*mine]; return go(s, t, 6);
  default:
    if (*top != *mine) return go(s, t, 4);
    *top = *seen;
    s->shared[4 + *mine] = 0;
    s->shared[*mine] = 0;
    return ret(s, t, value_of_small(*mine), m);
  }
}

/* The writer: local is the value. The reader: local is where it is, other what it found. */
static enum moved write_bits(struct toy_state *s, struct choices *c, struct move *m) {
  if (!s->pc[0]) {
    s->local[0] = (uint8_t)choose(c, 3);
    return call(s, 0, s->local[0] ? 1 : 0, m);
  }
  s->shared[s->local[0]] = s->pc[0] == 1;
  if (!s->local[0]) return ret(s, 0, V_NONE, m);
  s->local[0]--;
  return go(s, 0, 2);
}

enum moved toy_register(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  if (!t) return write_bits(s, c, m);
  uint8_t *i = &s->local[t], *found = &s->other[t];
  switch (s->pc[t]) {
  case 0: return call(s, t, 2, m);
  case 1:
    *found = *i;
    if (!s->shared[*i] && *i < 2) {
      ++*i;
      return MOVED;
    }
    return *i ? go(s, t, 2) : ret(s, t, value_of_small(0), m);
  default:
    --*i;
    if (s->shared[*i]) *found = *i;
    return *i ? MOVED : ret(s, t, value_of_small(*found), m);
  }
}

enum moved toy_fault(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  if (!s->pc[t]) return call(s, t, 0, m);
  if (s->pc[t] == 1) return go(s, t, 2);
  m->fault = s->left[t] == 255 ? FAULT_NULL : FAULT_RANGE;
  return FAULTED;
}

enum moved toy_endless(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  (void)c;
  s->count++;
  return s->pc[t] ? MOVED : call(s, t, 0, m);
}

enum moved toy_beside(struct toy_state *s, unsigned t, struct choices *c, struct move *m) {
  if (!t) return toy_endless(s, t, c, m);
  return s->pc[t] ? MOVED : call(s, t, 0, m);
}

/* Names. */

static int name_operation(void *self, const char *name, size_t len) {
  (void)self;
  return len == 5 && !memcmp(name, "first", 5) ? 0 : len == 6 && !memcmp(name, "second", 6) ? 1 : -1;
}

static void name_list(void *self, struct text *out) {
  (void)self;
  text_add(out, "first, second");
}

static bool name_literal(void *self, const char *text, size_t len, value *out) {
  (void)self;
  if (len == 5 && !memcmp(text, "empty", len)) return *out = V_EMPTY, true;
  *out = value_of_small(*text - '0');
  return len == 1 && *text >= '0' && *text <= '9';
}

static int name_call(void *self, uint16_t number, const value **args, unsigned *count) {
  static const value one_and_two[] = {2, 4};
  (void)self;
  *args = one_and_two + (number == 1);
  *count = number < 2;
  return number == 2;
}

static void name_print(void *self, uint16_t number, struct text *out) {
  (void)self;
  text_add(out, number == 2 ? "second()" : number ? "first(2)" : "first(1)");
}

const struct ltl_names toy_names = {NULL, name_operation, name_list, name_literal, name_call, name_print};
