/* The papers' models: see models.h. */
#include "models.h"

#include <string.h>

#include "spec/common.h"

static struct model *model_of(struct system *s) { return (struct model *)s; }

static uint8_t *record_of(const struct model *m, void *work, unsigned thread) {
  return (uint8_t *)work + m->shared + thread * m->record;
}

/* Every model's states are bytes, and packed as they are. */

static size_t pack_as(struct system *s, const void *work, const uint8_t *from, unsigned char *out) {
  const struct model *m = model_of(s);
  const unsigned char *w = work;
  memcpy(out, w, m->shared);
  for (unsigned i = 0; i < s->threads; i++)
    memcpy(out + m->shared + i * m->record, w + m->shared + from[i] * m->record, m->record);
  return s->work;
}

/* Which comes first: by group (these are in order to begin with), record, rank. */
static int order(const struct model *m, const unsigned char *work, const struct ranks *ranks, unsigned a, unsigned b) {
  if (m->group[a] != m->group[b]) return m->group[a] < m->group[b] ? -1 : 1;
  int c = memcmp(work + m->shared + a * m->record, work + m->shared + b * m->record, m->record);
  if (c || !ranks) return c;
  const uint8_t *rank = ranks->of(ranks->self, ranks->set);
  return (rank[a] > rank[b]) - (rank[a] < rank[b]);
}

static size_t pack(struct system *s, const void *work, const struct ranks *ranks, unsigned char *out, uint8_t *from) {
  const struct model *m = model_of(s);
  if (!from) {
    memcpy(out, work, s->work);
    return s->work;
  }
  for (unsigned i = 0; i < s->threads; i++) {
    unsigned at = i;
    for (; at && order(m, work, ranks, from[at - 1], i) > 0; at--) from[at] = from[at - 1];
    from[at] = (uint8_t)i;
  }
  return pack_as(s, work, from, out);
}

static void unpack(struct system *s, const unsigned char *packed, size_t size, void *work) {
  (void)s;
  memcpy(work, packed, size);
}

static bool same(struct system *s, const void *work, unsigned a, unsigned b) {
  return !order(model_of(s), work, NULL, a, b);
}

static struct system *copy(struct mem *mem, const struct system *s) {
  struct model *m = mem_alloc(mem, sizeof *m);
  memcpy(m, s, sizeof *m);
  m->system.group = m->group;
  return &m->system;
}

static struct model *model_new(struct mem *mem, unsigned threads, unsigned shared, unsigned record, unsigned size) {
  struct model *m = mem_zero(mem, 1, sizeof *m);
  m->shared = shared;
  m->record = record;
  m->size = size;
  m->system = (struct system){.threads = threads,
                              .group = m->group,
                              .work = shared + threads * record,
                              .packed_most = shared + threads * record,
                              .pack = pack,
                              .unpack = unpack,
                              .pack_as = pack_as,
                              .same = same,
                              .copy = copy};
  return m;
}

static void open_sets(struct mem *mem, struct model *m, enum specset_mode mode) {
  m->spec.values = values_new(mem);
  m->sets = specsets_new(mem, &m->spec, m->system.threads, mode, -1);
}

static uint16_t call(struct model *m, uint16_t method, value arg) {
  return specset_call(m->sets, &(struct op){.method = method, .arg = {arg, V_NONE, V_NONE}});
}

/* What a move does that is seen. */

static void touch(struct move *m, unsigned cell, bool write) {
  m->accesses[m->access_count++] = (struct access){0, cell, write};
}

static void called(struct move *m, unsigned thread, uint16_t number) {
  m->events[m->event_count++] = (struct event){.kind = EVENT_CALL, .thread = (uint8_t)thread, .call = number};
}

static void returned(struct move *m, unsigned thread, value result) {
  m->events[m->event_count++] = (struct event){.kind = EVENT_RETURN, .thread = (uint8_t)thread, .result = result};
}

static void linearized(struct move *m, unsigned thread) {
  m->events[m->event_count++] = (struct event){.kind = EVENT_LIN, .thread = (uint8_t)thread};
}

static void begin(const struct model *m, const void *from, void *to, struct move *move) {
  memcpy(to, from, m->system.work);
  move->event_count = move->access_count = 0;
  move->touches_all = move->locked = false;
  move->fault = FAULT_NONE;
}

/* Specifications whose abstract operations have locals that outlive them: the papers' models do not reset these, and so
 * have more states. The locals are part of the state: word 0 is the object, word 1 + p is what process p has kept. */

static void kept_rename(const struct spec *s, struct state state, const uint8_t *name, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  uint32_t *to = add_words(out, V_NONE, n);
  to[0] = w[0];
  for (uint32_t i = 1; i < n; i++) to[1 + name[i - 1]] = w[i];
}

static void kept_print(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  text_printf(out, "%u", w[0]);
  for (uint32_t i = 1; i < n; i++) text_printf(out, "%s%u", i == 1 ? " kept " : " ", w[i]);
}

static void kept_init(const struct spec *s, struct outcomes *out) {
  const struct model *m = s->user;
  uint32_t n = s->by_process ? 1 + m->system.threads : 1;
  memset(add_words(out, V_NONE, n), 0, n * 4);
}

/* The register. The writer: IDLE; SET bit v; SCAN and CLEAR the bits below; DONE; ENDED. v is kept one higher, for it
 * goes to -1. A reader: IDLE; UP to the first bit that is set; DOWN and LOOK through those below; RETURN. */

enum { R_IDLE, R_SET, R_SCAN, R_CLEAR, R_UP, R_DOWN, R_LOOK, R_TAIL, R_RETURN, R_ENDED };
enum { READ, WRITE };

static void register_start(struct system *s, void *work) {
  memset(work, 0, s->work);
  ((uint8_t *)work)[model_of(s)->size - 1] = 1;
}

static enum moved move_writer(const struct model *m, uint8_t *bits, uint8_t *me, struct choices *choices,
                              struct move *move) {
  switch (me[0]) {
  case R_IDLE:
    me[0] = R_SET;
    me[1] = (uint8_t)(choose(choices, m->size) + 1);
    called(move, 0, m->calls[me[1]]);
    return MOVED;
  case R_SET:
  case R_CLEAR:
    me[1]--;
    bits[me[1]] = me[0] == R_SET;
    touch(move, me[1], true);
    me[0] = R_SCAN;
    return MOVED;
  case R_SCAN: me[0] = me[1] ? R_CLEAR : R_RETURN; return MOVED;
  case R_RETURN:
    me[0] = m->paper == PAPER_2013 ? R_ENDED : R_IDLE;
    returned(move, 0, V_NONE);
    return MOVED;
  default: return STOPPED;
  }
}

/* me[1] is the bit looked at next, one higher, and me[2] the value found. In 2009 the test of the loop is no step of
 * its own, but there is one after the loop. */
static void go_down(const struct model *m, uint8_t *me) {
  me[0] = m->paper == PAPER_2013 ? R_DOWN : me[1] ? R_LOOK : R_TAIL;
}

static enum moved move_reader(const struct model *m, unsigned thread, const uint8_t *bits, uint8_t *me,
                              struct move *move) {
  switch (me[0]) {
  case R_IDLE:
    me[0] = R_UP;
    called(move, thread, m->calls[0]);
    return MOVED;
  case R_UP:
    if (me[1] == m->size) return WAITS;
    touch(move, me[1], false);
    if (bits[me[1]]) {
      me[2] = me[1];
      go_down(m, me);
    } else {
      me[1]++;
    }
    return MOVED;
  case R_DOWN: me[0] = me[1] ? R_LOOK : R_RETURN; return MOVED;
  case R_LOOK:
    me[1]--;
    touch(move, me[1], false);
    if (bits[me[1]]) me[2] = me[1];
    go_down(m, me);
    return MOVED;
  case R_TAIL: me[0] = R_RETURN; return MOVED;
  case R_RETURN:
    returned(move, thread, value_of_small(me[2]));
    me[0] = m->paper == PAPER_2013 ? R_ENDED : R_IDLE;
    me[2] = 0;
    return MOVED;
  default: return STOPPED;
  }
}

static enum moved register_move(struct system *s, const void *from, unsigned thread, struct choices *choices, void *to,
                                struct move *move) {
  const struct model *m = model_of(s);
  begin(m, from, to, move);
  uint8_t *me = record_of(m, to, thread);
  return thread ? move_reader(m, thread, to, me, move) : move_writer(m, to, me, choices, move);
}

static void register_init(const struct spec *s, struct outcomes *out) {
  const struct model *m = s->user;
  size_t at = out->list.count;
  kept_init(s, out);
  ((uint32_t *)(void *)(out->bytes.at + out->list.at[at].offset))[0] = value_of_small((int32_t)m->size - 1);
}

static void register_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  uint32_t *to = add_words(out, op->method == READ ? w[0] : (value)V_NONE, n);
  copy_words(to, w, n);
  if (op->method == WRITE)
    to[0] = op->arg[0];
  else if (s->by_process)
    to[1 + op->process] = w[0];
}

static const struct spec_op register_ops[] = {{"read", 0, 0, RESULT_VALUE, PURE_NEVER, V_UNKNOWN, ARG_ANY},
                                              {"write", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY}};

struct model *model_register(struct mem *mem, unsigned values, unsigned threads, enum paper paper) {
  struct model *m = model_new(mem, threads, values, 3, values);
  m->paper = paper;
  m->system.start = register_start;
  m->system.move = register_move;
  memset(m->group + 1, 1, threads - 1);
  m->spec = (struct spec){.name = "register",
                          .aliases = "",
                          .ops = register_ops,
                          .op_count = 2,
                          .by_process = paper == PAPER_2009,
                          .user = m,
                          .init = register_init,
                          .step = register_step,
                          .print = kept_print,
                          .rename = kept_rename};
  open_sets(mem, m, SPECSET_FREE);
  m->calls[0] = call(m, READ, V_NONE);
  for (unsigned v = 0; v < values; v++) m->calls[1 + v] = call(m, WRITE, value_of_small((int32_t)v));
  return m;
}

/* The counter. me[1] is what was read, and is not reset. */

enum {
  C_IDLE,
  C_PUSH,
  C_PUSH_CAS,
  C_PUSH_SKIP,
  C_PUSH_RETURN,
  C_POP,
  C_POP_IF,
  C_POP_ZERO,
  C_POP_CAS,
  C_POP_SKIP,
  C_POP_RETURN,
  C_ENDED
};
enum { PUSH, POP };

static void counter_start(struct system *s, void *work) { memset(work, 0, s->work); }

static uint8_t up(const struct model *m, uint8_t count) { return count < m->size ? (uint8_t)(count + 1) : count; }

static enum moved counter_call(const struct model *m, unsigned thread, uint8_t *me, struct choices *choices,
                               struct move *move) {
  unsigned what = choose(choices, 2);
  me[0] = what == PUSH ? C_PUSH : C_POP;
  called(move, thread, m->calls[what]);
  return MOVED;
}

static enum moved counter_return(const struct model *m, unsigned thread, uint8_t *me, int32_t result,
                                 struct move *move) {
  me[0] = m->paper == PAPER_2013 ? C_ENDED : C_IDLE;
  returned(move, thread, value_of_small(result));
  return MOVED;
}

/* Reads the count, and goes on. */
static enum moved counter_read(const uint8_t *count, uint8_t *me, uint8_t next, struct move *move) {
  touch(move, 0, false);
  me[1] = *count;
  me[0] = next;
  return MOVED;
}

/* Sets it if it is still what was read; else reads it again and goes back. */
static enum moved counter_cas(uint8_t *count, uint8_t *me, uint8_t to, uint8_t next, uint8_t back, struct move *move) {
  if (*count != me[1]) return counter_read(count, me, back, move);
  touch(move, 0, true);
  *count = me[1] = to;
  me[0] = next;
  return MOVED;
}

static enum moved counter_move(struct system *s, const void *from, unsigned thread, struct choices *choices, void *to,
                               struct move *move) {
  const struct model *m = model_of(s);
  begin(m, from, to, move);
  uint8_t *count = to, *me = record_of(m, to, thread);
  switch (me[0]) {
  case C_IDLE: return counter_call(m, thread, me, choices, move);
  case C_PUSH: return counter_read(count, me, C_PUSH_CAS, move);
  case C_PUSH_CAS: return counter_cas(count, me, up(m, *count), C_PUSH_SKIP, C_PUSH_CAS, move);
  case C_PUSH_SKIP:
  case C_POP_SKIP: me[0]++; return MOVED;
  case C_PUSH_RETURN: return counter_return(m, thread, me, me[1], move);
  case C_POP: return counter_read(count, me, C_POP_IF, move);
  case C_POP_IF: me[0] = me[1] ? C_POP_CAS : C_POP_ZERO; return MOVED;
  case C_POP_ZERO: return counter_return(m, thread, me, 0, move);
  case C_POP_CAS: return counter_cas(count, me, (uint8_t)(*count - 1), C_POP_SKIP, C_POP_IF, move);
  case C_POP_RETURN: return counter_return(m, thread, me, me[1] + 1, move);
  default: return STOPPED;
  }
}

/* A push returns the new count, a pop the old one. What is kept is the new one, unless a pop found none. */
static void counter_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  const struct model *m = s->user;
  uint32_t n, next;
  const uint32_t *w = state_words(state, &n);
  next = op->method == POP ? (w[0] ? w[0] - 1 : 0) : w[0] < m->size ? w[0] + 1 : w[0];
  uint32_t *to = add_words(out, value_of_small((int32_t)(op->method == PUSH ? next : w[0])), n);
  copy_words(to, w, n);
  to[0] = next;
  if (s->by_process && (op->method == PUSH || w[0])) to[1 + op->process] = next;
}

static const struct spec_op counter_ops[] = {{"push", 0, 0, RESULT_INT, PURE_NEVER, V_UNKNOWN, ARG_ANY},
                                             {"pop", 0, 0, RESULT_INT, PURE_NEVER, V_UNKNOWN, ARG_ANY}};

static void open_counter(struct mem *mem, struct model *m, bool keeps, enum specset_mode mode) {
  m->system.start = counter_start;
  m->spec = (struct spec){.name = "counter",
                          .aliases = "",
                          .ops = counter_ops,
                          .op_count = 2,
                          .by_process = keeps,
                          .user = m,
                          .init = kept_init,
                          .step = counter_step,
                          .print = kept_print,
                          .rename = kept_rename};
  open_sets(mem, m, mode);
  m->calls[PUSH] = call(m, PUSH, V_NONE);
  m->calls[POP] = call(m, POP, V_NONE);
}

struct model *model_counter(struct mem *mem, unsigned size, unsigned threads, enum paper paper) {
  struct model *m = model_new(mem, threads, 1, 2, size);
  m->paper = paper;
  m->system.move = counter_move;
  open_counter(mem, m, true, SPECSET_FREE);
  return m;
}

/* The counter with points. An operation is one visible event, at its point. */

enum { P_IDLE, P_PUSH, P_PUSH_AGAIN, P_POP, P_POP_CAS, P_POP_AGAIN, P_ENDED };

static enum moved point(const struct model *m, unsigned thread, unsigned what, uint8_t *count, uint8_t to, uint8_t *me,
                        struct move *move) {
  touch(move, 0, to != *count);
  called(move, thread, m->calls[what]);
  linearized(move, thread);
  returned(move, thread, value_of_small(what == PUSH ? to : *count));
  *count = to;
  me[0] = P_ENDED;
  return MOVED;
}

/* Looks at the count without a word, and goes on. */
static enum moved glance(uint8_t *me, uint8_t next, struct move *move) {
  touch(move, 0, false);
  me[0] = next;
  return MOVED;
}

static enum moved points_move(struct system *s, const void *from, unsigned thread, struct choices *choices, void *to,
                              struct move *move) {
  const struct model *m = model_of(s);
  begin(m, from, to, move);
  uint8_t *count = to, *me = record_of(m, to, thread);
  switch (me[0]) {
  case P_IDLE: return counter_read(count, me, choose(choices, 2) ? P_POP : P_PUSH, move);
  case P_PUSH:
    return me[1] == *count ? point(m, thread, PUSH, count, up(m, *count), me, move) : glance(me, P_PUSH_AGAIN, move);
  case P_PUSH_AGAIN: return counter_read(count, me, P_PUSH, move);
  case P_POP: return *count ? glance(me, P_POP_CAS, move) : point(m, thread, POP, count, 0, me, move);
  case P_POP_CAS:
    if (me[1] != *count) return glance(me, P_POP_AGAIN, move);
    return point(m, thread, POP, count, *count ? (uint8_t)(*count - 1) : 0, me, move);
  case P_POP_AGAIN: return counter_read(count, me, P_POP, move);
  default: return STOPPED;
  }
}

struct model *model_points(struct mem *mem, unsigned size, unsigned threads) {
  struct model *m = model_new(mem, threads, 1, 2, size);
  m->paper = PAPER_2013;
  m->system.move = points_move;
  open_counter(mem, m, false, SPECSET_POINTS);
  return m;
}

/* The queue. Shared: front, rear, then value and number of each place. A record: where, front or rear as read, value
 * and number of the place as read. */

enum {
  Q_IDLE,
  Q_ENQ,
  Q_ENQ_READ,
  Q_ENQ_AGAIN,
  Q_ENQ_FULL,
  Q_ENQ_PUT,
  Q_ENQ_ON,
  Q_ENQ_RETURN,
  Q_DEQ,
  Q_DEQ_READ,
  Q_DEQ_AGAIN,
  Q_DEQ_EMPTY,
  Q_DEQ_TAKE,
  Q_DEQ_ON,
  Q_DEQ_RETURN,
  Q_ENDED
};
enum { FRONT, REAR, PLACES };

static enum moved again(uint8_t *me, uint8_t at) {
  memset(me, 0, 4);
  me[0] = at;
  return MOVED;
}

static enum moved go_on(uint8_t *me, uint8_t at) {
  me[0] = at;
  return MOVED;
}

/* Front or rear goes one further, unless another has seen to that. */
static void further(uint8_t *shared, unsigned which, const uint8_t *me, struct move *move) {
  touch(move, which, shared[which] == me[1]);
  if (shared[which] == me[1]) shared[which]++;
}

/* Changes the place if it is as it was read. */
static bool change(const struct model *m, uint8_t *shared, const uint8_t *me, uint8_t val, struct move *move) {
  unsigned at = PLACES + me[1] % m->size * 2u;
  bool good = shared[at] == me[2] && shared[at + 1] == me[3];
  touch(move, at, good);
  if (!good) return false;
  shared[at] = val;
  shared[at + 1]++;
  return true;
}

static enum moved enq_move(const struct model *m, unsigned thread, uint8_t *shared, uint8_t *me, struct move *move) {
  unsigned at = PLACES + me[1] % m->size * 2u;
  switch (me[0]) {
  case Q_ENQ:
    touch(move, REAR, false);
    me[1] = shared[REAR];
    return go_on(me, Q_ENQ_READ);
  case Q_ENQ_READ:
    touch(move, at, false);
    memcpy(me + 2, shared + at, 2);
    return go_on(me, Q_ENQ_AGAIN);
  case Q_ENQ_AGAIN: touch(move, REAR, false); return shared[REAR] == me[1] ? go_on(me, Q_ENQ_FULL) : again(me, Q_ENQ);
  case Q_ENQ_FULL:
    touch(move, FRONT, false);
    if (me[1] != shared[FRONT] + m->size) return go_on(me, Q_ENQ_PUT);
    again(me, Q_ENQ_RETURN);
    me[2] = 1;
    return MOVED;
  case Q_ENQ_PUT:
    if (!me[2]) {
      if (!change(m, shared, me, (uint8_t)(thread + 1), move)) return again(me, Q_ENQ);
      me[2] = me[3] = 0;
      return go_on(me, Q_ENQ_ON);
    }
    further(shared, REAR, me, move);
    return again(me, Q_ENQ);
  default: /* Q_ENQ_ON */ further(shared, REAR, me, move); return again(me, Q_ENQ_RETURN);
  }
}

static enum moved deq_move(const struct model *m, uint8_t *shared, uint8_t *me, struct move *move) {
  unsigned at = PLACES + me[1] % m->size * 2u;
  uint8_t taken = me[2];
  switch (me[0]) {
  case Q_DEQ:
    touch(move, FRONT, false);
    me[1] = shared[FRONT];
    return go_on(me, Q_DEQ_READ);
  case Q_DEQ_READ:
    touch(move, at, false);
    memcpy(me + 2, shared + at, 2);
    return go_on(me, Q_DEQ_AGAIN);
  case Q_DEQ_AGAIN:
    touch(move, FRONT, false);
    return shared[FRONT] == me[1] ? go_on(me, Q_DEQ_EMPTY) : again(me, Q_DEQ);
  case Q_DEQ_EMPTY:
    touch(move, REAR, false);
    return me[1] == shared[REAR] ? again(me, Q_DEQ_RETURN) : go_on(me, Q_DEQ_TAKE);
  case Q_DEQ_TAKE:
    if (taken) {
      if (!change(m, shared, me, 0, move)) return again(me, Q_DEQ);
      me[3] = 0;
      return go_on(me, Q_DEQ_ON);
    }
    touch(move, at, false);
    if (!m->right || !shared[at]) further(shared, FRONT, me, move);
    return again(me, Q_DEQ);
  default: /* Q_DEQ_ON */
    further(shared, FRONT, me, move);
    again(me, Q_DEQ_RETURN);
    me[2] = taken;
    return MOVED;
  }
}

static enum moved queue_move(struct system *s, const void *from, unsigned thread, struct choices *choices, void *to,
                             struct move *move) {
  const struct model *m = model_of(s);
  begin(m, from, to, move);
  uint8_t *me = record_of(m, to, thread);
  switch (me[0]) {
  case Q_IDLE:
    me[0] = choose(choices, 2) ? Q_DEQ : Q_ENQ;
    called(move, thread, me[0] == Q_DEQ ? m->calls[0] : m->calls[1 + thread]);
    return MOVED;
  case Q_ENQ_RETURN: returned(move, thread, me[2] ? V_FULL : V_NONE); return again(me, Q_ENDED);
  case Q_DEQ_RETURN: returned(move, thread, me[2] ? value_of_small(me[2]) : (value)V_EMPTY); return again(me, Q_ENDED);
  case Q_ENDED: return STOPPED;
  default: return me[0] < Q_DEQ ? enq_move(m, thread, to, me, move) : deq_move(m, to, me, move);
  }
}

struct model *model_queue(struct mem *mem, unsigned size, unsigned threads, bool right) {
  struct model *m = model_new(mem, threads, PLACES + 2 * size, 4, size);
  m->paper = PAPER_2013;
  m->right = right;
  m->system.start = counter_start;
  m->system.move = queue_move;
  for (unsigned i = 0; i < threads; i++) m->group[i] = (uint8_t)i; /* each has a value of its own to put in */
  m->spec = spec_bounded_queue;
  m->spec.k = size;
  open_sets(mem, m, SPECSET_FREE);
  m->calls[0] = call(m, 1, V_NONE);
  for (unsigned i = 0; i < threads; i++) m->calls[1 + i] = call(m, 0, value_of_small((int32_t)i + 1));
  return m;
}
