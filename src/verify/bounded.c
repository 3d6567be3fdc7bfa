/* A system whose clients keep the specification's state within a bound: the product of a system and the sets of its
 * traces (see bounded.h). */
#include "verify/bounded.h"

#include <string.h>

struct bounded {
  struct system system;
  struct system *within;
  struct traces traces;
  size_t at; /* of the set, in a state being worked on */
  bool refused;
};

static uint32_t set_of(const struct bounded *b, const void *work) {
  uint32_t set;
  memcpy(&set, (const char *)work + b->at, sizeof set);
  return set;
}

static void start(struct system *s, void *work) {
  struct bounded *b = (struct bounded *)s;
  uint32_t set = b->traces.initial(b->traces.self);
  b->within->start(b->within, work);
  memcpy((char *)work + b->at, &set, sizeof set);
}

static enum moved not_a_trace(struct move *m) {
  m->fault = FAULT_RANGE;
  m->text = "the object is not linearizable, so what clients may call within the bound is not known";
  return FAULTED;
}

/* What becomes of a move of the system within. */
static enum moved follow(struct bounded *b, const void *from, enum moved moved, void *to, struct move *m) {
  if (moved != MOVED) return moved;
  uint32_t set = set_of(b, from);
  for (unsigned i = 0; i < m->event_count; i++) {
    const struct event *e = &m->events[i];
    if (e->kind == EVENT_CALL && !b->traces.may_call(b->traces.self, set, e->thread, e->call))
      return b->refused = true, WAITS;
    set = b->traces.step(b->traces.self, set, *e);
    if (!set) return not_a_trace(m);
  }
  memcpy((char *)to + b->at, &set, sizeof set);
  return MOVED;
}

static enum moved move(struct system *s, const void *from, unsigned thread, struct choices *c, void *to,
                       struct move *m) {
  struct bounded *b = (struct bounded *)s;
  return follow(b, from, b->within->move(b->within, from, thread, c, to, m), to, m);
}

static enum moved again(struct system *s, const void *from, unsigned thread, struct choices *c, uint32_t length,
                        void *to, struct move *m) {
  struct bounded *b = (struct bounded *)s;
  return follow(b, from, b->within->again(b->within, from, thread, c, length, to, m), to, m);
}

static size_t pack(struct system *s, const void *work, const struct ranks *ranks, unsigned char *out, uint8_t *from) {
  struct bounded *b = (struct bounded *)s;
  uint32_t set = set_of(b, work);
  memcpy(out, &set, sizeof set);
  return sizeof set + b->within->pack(b->within, work, ranks, out + sizeof set, from);
}

static void unpack(struct system *s, const unsigned char *packed, size_t size, void *work) {
  struct bounded *b = (struct bounded *)s;
  b->within->unpack(b->within, packed + sizeof(uint32_t), size - sizeof(uint32_t), work);
  memcpy((char *)work + b->at, packed, sizeof(uint32_t));
}

struct system *bounded_new(struct mem *m, struct system *within, const struct traces *traces) {
  struct bounded *b = mem_zero(m, 1, sizeof *b);
  b->within = within;
  b->traces = *traces;
  b->at = within->work;
  b->system = (struct system){.threads = within->threads,
                              .group = within->group,
                              .work = within->work + sizeof(uint32_t),
                              .packed_most = within->packed_most + sizeof(uint32_t),
                              .choices_last = within->choices_last,
                              .start = start,
                              .move = move,
                              .pack = pack,
                              .unpack = unpack};
  if (within->again) b->system.again = again;
  return &b->system;
}

bool bounded_refused(const struct system *s) { return ((const struct bounded *)s)->refused; }
