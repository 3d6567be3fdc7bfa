/* After an execution, can any of its open operations still return? Whatever the threads do from there, and one more
 * thread that calls whatever any of them may call, again and again: all of that is gone through. An operation that
 * waits for another one to be called can return then; one that spins on a lock that nobody will release cannot.
 *
 * One more thread stands for any number of them only if nothing it does changes what others can see. Then leaving out
 * all but one of many leaves an execution that was gone through, so that none of them changes anything either, and
 * leaving out all of them changes nothing for the rest. Otherwise more of them may do what one cannot (be the fourth
 * that three wait for), and where no operation returns it is undecided.
 *
 * Shares the machine with the search, and nothing else: no reduction, and no specification. */
#include <string.h>

#include "base/hash.h"
#include "verify/store.h"
#include "verify/verify.h"

enum { STATES_MOST = 20000 };

struct after {
  struct mem *mem;
  struct system *system;
  struct store store;
  uint16_t open; /* threads inside operations when the execution ends, a bit each */
  void *here, *there;
  unsigned char *packed;
  bool returned;
  bool changes;           /* the move that is made: others can see what it does */
  const char *incomplete; /* more threads could do what was not gone through: what that is; NULL */
};

/* The clients, and one that makes every call. */
static struct client_thread *more_clients(struct mem *mem, const struct subject *s, unsigned threads) {
  struct client_thread *c = mem_zero(mem, threads, sizeof *c);
  unsigned count = 0;
  memcpy(c, s->client, s->threads * sizeof *c);
  if (threads == s->threads) return c;
  for (unsigned t = 0; t < s->threads; t++) count += s->client[t].call_count;
  struct client_call *calls = mem_zero(mem, count + 1, sizeof *calls);
  struct client_thread *more = &c[s->threads];
  for (unsigned t = 0; t < s->threads; t++)
    for (unsigned i = 0; i < s->client[t].call_count; i++) {
      bool there = false;
      for (unsigned k = 0; k < more->call_count; k++) there |= calls[k].number == s->client[t].calls[i].number;
      if (!there) calls[more->call_count++] = s->client[t].calls[i];
    }
  more->calls = calls;
  more->group = (uint8_t)s->groups;
  return c;
}

static bool make_moves(struct after *k, const struct path_move *path, size_t count) {
  k->system->start(k->system, k->here);
  for (size_t i = 0; i < count; i++) {
    struct choices choices = path[i].choices;
    struct move move;
    choices.depth = 0;
    if (k->system->again(k->system, k->here, path[i].thread, &choices, path[i].move.length, k->there, &move) != MOVED)
      return false;
    for (unsigned e = 0; e < move.event_count; e++) {
      uint16_t bit = (uint16_t)(1u << move.events[e].thread);
      if (move.events[e].kind == EVENT_CALL) k->open |= bit;
      if (move.events[e].kind == EVENT_RETURN) k->open &= (uint16_t)~bit;
    }
    memcpy(k->here, k->there, k->system->work);
  }
  return true;
}

/* Threads that would call and wait call. */
static bool make_calls(struct after *k, const uint32_t *calls, unsigned threads) {
  for (unsigned t = 0; t < threads; t++) {
    struct choices choices;
    struct move move;
    bool called = !calls[t];
    choices_begin(&choices);
    for (bool more = !called; more && !called; more = choices_next(&choices))
      called = k->system->move(k->system, k->here, t, &choices, k->there, &move) == MOVED && move.event_count == 1 &&
               move.events[0].kind == EVENT_CALL && move.events[0].call + 1u == calls[t];
    if (!called) return false;
    if (!calls[t]) continue;
    k->open |= (uint16_t)(1u << t);
    memcpy(k->here, k->there, k->system->work);
  }
  return true;
}

static void add_state(struct after *k, const void *work) {
  uint32_t ref, size = (uint32_t)k->system->pack(k->system, work, NULL, k->packed, NULL);
  store_add(&k->store, hash_bytes(k->packed, size), k->packed, size, 0, REF_NONE, NULL, NULL, &ref);
}

/* Told of what the added thread does. Of a store it is not told what was there, and memory that is allocated may be
 * what another thread freed: both count as changes. */
static void look(void *self, const struct trace_item *item) {
  struct after *k = self;
  if (!item->inst || item->own || (item->reads && !item->writes)) return;
  k->changes |= !item->reads || item->inst->count > TRACED_MOST || memcmp(item->read, item->written, sizeof item->read);
}

static void expand(struct after *k, unsigned thread, bool added) {
  struct choices choices;
  struct move move;
  machine_trace(k->system, added ? look : NULL, k);
  choices_begin(&choices);
  do {
    k->changes = false;
    enum moved moved = k->system->move(k->system, k->here, thread, &choices, k->there, &move);
    if (moved == FAULTED) k->incomplete = "more calls may lead to a fault"; /* and then anything may happen */
    if (moved == MOVED && k->changes && !k->incomplete) k->incomplete = "more threads may do what it waits for";
    if (moved != MOVED) continue;
    for (unsigned e = 0; e < move.event_count; e++)
      k->returned |= move.events[e].kind == EVENT_RETURN && k->open >> move.events[e].thread & 1;
    add_state(k, k->there);
  } while (!k->returned && choices_next_in(k->mem, &choices));
}

static value no_value(void *self, const struct program_op *op, word result) {
  return (void)self, (void)op, (void)result, V_NONE;
}

static enum verdict go_through(struct mem *mem, const struct subject *s, const struct path_move *path, size_t count,
                               struct stuck_asked *asked) {
  unsigned threads = s->threads + (s->threads + 1 < THREADS_MOST); /* is there room for one more? */
  struct machine_options options = s->machine_options;
  options.ops = OPS_FOREVER;
  options.forget = false;
  options.races = false; /* a path that comes here has none */
  if (asked->parked) options.fuse_events = false;
  struct after k = {.mem = mem};
  if (threads == s->threads) k.incomplete = "there is no room for one more thread, which may do what it waits for";
  asked->undecided = "with one more thread there are too many states";
  k.system = machine_new(mem, s->program, more_clients(mem, s, threads), threads, &options, no_value, NULL);
  k.here = mem_zero(mem, 1, k.system->work);
  k.there = mem_zero(mem, 1, k.system->work);
  k.packed = mem_alloc(mem, k.system->packed_most);
  store_open(&k.store, mem);
  if (!make_moves(&k, path, count)) return VERDICT_HOLDS;
  if (asked->parked && !make_calls(&k, asked->calls, s->threads)) return VERDICT_UNKNOWN;
  if (!k.open) return VERDICT_HOLDS;
  add_state(&k, k.here);
  for (uint32_t ref = 0; ref < k.store.end; ref = store_after(&k.store, ref)) {
    struct record_view v = store_at(&k.store, ref);
    mem_poll(mem);
    if (!asked->states) return VERDICT_UNKNOWN;
    asked->states--;
    for (unsigned t = 0; t < threads; t++) {
      k.system->unpack(k.system, v.at, v.size, k.here);
      expand(&k, t, t >= s->threads);
      if (k.returned) return VERDICT_HOLDS;
      if (k.store.count > STATES_MOST) return VERDICT_UNKNOWN;
    }
  }
  asked->undecided = k.incomplete;
  return k.incomplete ? VERDICT_UNKNOWN : VERDICT_VIOLATED;
}

enum verdict subject_stuck(const struct subject *s, const struct path_move *path, size_t count,
                           struct stuck_asked *asked) {
  struct mem mem;
  volatile enum verdict v = VERDICT_UNKNOWN;
  mem_open(&mem, s->mem->limits);
  if (!MEM_GUARD(&mem)) {
    enum verdict asleep = asked->parked ? subject_asleep(&mem, s, path, count, asked) : VERDICT_HOLDS;
    const char *undecided = asked->undecided;
    asked->asleep = asleep == VERDICT_VIOLATED;
    v = asked->asleep ? asleep : asked->owed ? go_through(&mem, s, path, count, asked) : VERDICT_HOLDS;
    if (asleep == VERDICT_UNKNOWN && v == VERDICT_HOLDS) {
      asked->undecided = undecided;
      v = asleep;
    }
  } else {
    asked->undecided = "a limit was reached";
  }
  mem_close(&mem);
  return v;
}
