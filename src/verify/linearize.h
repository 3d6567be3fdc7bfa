/* Configurations and how they come from each other by linearizing open operations: the inside of the spec sets
 * (specset.h).
 *
 * A configuration is a state of the specification, by its number, and a status of each thread. Statuses are numbers
 * too, of which 0 is idle; the others are open calls, and results of operations that have linearized. */
#ifndef ASIF_VERIFY_LINEARIZE_H
#define ASIF_VERIFY_LINEARIZE_H

#include "spec/states.h"
#include "verify/memo.h"
#include "verify/specset.h"

enum { IDLE = 0, STATUSES_MOST = 65535 };

struct config {
  uint32_t state;
  uint16_t status[THREADS_MOST]; /* 0 for threads there are not: configurations are compared as bytes */
};

struct status {
  bool done;    /* linearized, with op.result; else open: the call of op */
  struct op op; /* process is set when it steps */
};

struct configs_found {
  VEC(struct config) list;
  VEC(uint8_t) led_to;   /* a configuration each: one that passes the filter leads to it */
  uint32_t *slots, mask; /* configuration + 1 */
};

/* One outcome of an open call. */
struct lin_outcome {
  uint32_t state;
  uint16_t status;
};

struct linearizer {
  struct mem *mem;
  const struct spec *spec;
  unsigned threads;
  size_t bytes; /* of a configuration that are in use */
  struct states *states;
  VEC(struct status) statuses; /* status s is at s - 1 */
  struct memo status_memo;     /* of results and calls */
  struct memo steps;           /* state, call and thread: a place in `lists` */
  VEC(struct lin_outcome) outcomes;
  VEC(uint64_t) lists; /* first outcome << 32 | how many */
  struct outcomes scratch;
  struct configs_found found;
  bool unknown_result; /* an outcome's result was not a value that can be written down */
};

void linearizer_open(struct linearizer *, struct mem *, const struct spec *, unsigned threads);
/* The numbers of statuses. There are at most STATUSES_MOST: more are more than the memory limit allows. */
uint16_t status_open(struct linearizer *, const struct op *call);
uint16_t status_done(struct linearizer *, value result);
static inline const struct status *status_at(const struct linearizer *l, uint16_t s) { return &l->statuses.at[s - 1]; }
static inline bool is_open(const struct linearizer *l, uint16_t s) { return s != IDLE && !status_at(l, s)->done; }

/* The outcomes of thread's open call in a state: `*count` of them, valid until the next use of the linearizer. */
const struct lin_outcome *linearize_one(struct linearizer *, uint32_t state, uint16_t call, unsigned thread,
                                        uint32_t *count);

/* Everything that linearizing leads to from the given configurations, themselves included, in l->found.
 * If thread < threads only what can still have the thread at status `done` at the end, and led_to tells which of these
 * come from another that has it there. */
void linearize(struct linearizer *, const struct config *from, size_t count, unsigned thread, uint16_t done);
/* Does linearizing lead from one to the other? */
bool linearize_to(struct linearizer *, const struct config *from, const struct config *to);

#endif
