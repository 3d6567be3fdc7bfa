/* Operations that wait, at the end of a run: may any call of another still let one of them return?
 *
 * The run is made again with one call more, of every kind: by each thread that has made all of its calls, and by one
 * more thread. If what that call does changes nothing, whether it returns or waits too, then all is as before it, for
 * any number of such calls: whatever is called, none of the operations that wait can return. If one changes something
 * it is not known (another call after it might let them return), and so they wait for what may come. */
#include <string.h>

#include "test/test.h"

enum { CALLS_MOST = 256 };

struct asking {
  const struct run *before; /* the run with the operations that wait */
  uint64_t memory;          /* after it */
  unsigned by;              /* the thread that makes the call */
  bool changes;             /* or it is not known */
};

static void look(void *self, const struct run *r) {
  struct asking *k = self;
  if (!r) {
    k->changes = true;
    return;
  }
  for (size_t i = k->before->count; i < r->count; i++) k->changes |= r->steps[i].fiber != k->by;
  if (r->end == RUN_CANNOT) return; /* it may not be called there; or, if others went on, a later call may not */
  bool stuck = r->end == RUN_WHOLE && (r->found == FOUND_DEADLOCK || r->found == FOUND_LIVELOCK);
  k->changes |= !stuck || r->fibers > r->client->threads;
  k->changes |= run_memory(k->before->client->threads) != k->memory;
}

/* Makes the call after all others of the thread, or of a new one. */
static void ask(struct mem *m, struct asking *k, const struct choice *choices, const struct call *call) {
  const struct client *c = k->before->client;
  size_t calls = client_calls(c), at = k->by < c->threads ? c->first[k->by + 1] : calls;
  struct client longer = {.threads = k->by < c->threads ? c->threads : c->threads + 1};
  longer.first = mem_zero(m, longer.threads + 1, sizeof *longer.first);
  longer.calls = mem_zero(m, calls + 1, sizeof *longer.calls);
  for (unsigned t = 0; t <= longer.threads; t++)
    longer.first[t] = (t <= c->threads ? c->first[t] : (uint32_t)calls) + (t > k->by);
  memcpy(longer.calls, c->calls, at * sizeof *call);
  longer.calls[at] = *call;
  memcpy(longer.calls + at + 1, c->calls + at, (calls - at) * sizeof *call);
  run_aside(&longer, &(struct plan){.choices = choices, .count = k->before->count}, look, k);
}

/* The next arguments of the operation; false: there are none. */
static bool next_args(const struct object_op *op, struct call *call) {
  for (unsigned a = 0; a < op->arg_count; a++) {
    if (call->arg[a]++ < op->in[a].high) return true;
    call->arg[a] = op->in[a].low;
  }
  return false;
}

bool no_return(struct mem *m, const struct object *o, const struct run *r) {
  if (r->fibers > r->client->threads) return false;
  struct asking k = {.before = r, .memory = run_memory(r->client->threads)};
  struct choice *choices = mem_zero(m, r->count + 1, sizeof *choices);
  for (size_t i = 0; i < r->count; i++) choices[i] = (struct choice){r->steps[i].fiber, r->steps[i].block};
  struct run before = *r; /* of another run after this the same is told */
  k.before = &before;
  unsigned asked = 0;
  for (k.by = 0; k.by <= before.client->threads; k.by++) {
    if (before.alive >> k.by & 1) continue;
    for (unsigned i = 0; i < o->op_count; i++) {
      struct call call = {.op = i};
      for (unsigned a = 0; a < o->ops[i].arg_count; a++) call.arg[a] = o->ops[i].in[a].low;
      do {
        if (++asked > CALLS_MOST) return false;
        ask(m, &k, choices, &call);
        if (k.changes) return false;
      } while (next_args(&o->ops[i], &call));
    }
  }
  return true;
}
