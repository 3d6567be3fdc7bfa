/* Calls one after another, in a run made aside: what does the object do with nothing beside it? */
#include <stdlib.h>

#include "run/runtime.h"

/* Whose turn it is in a sequential run. */
struct turns {
  const uint8_t *threads;
  size_t count;
};

/* Runs the thread whose call is next until that has returned; then the next. Threads the code created run where it
 * waits. */
static int choose_in_turn(void *context, const struct run *r, struct choice *choice) {
  const struct turns *turns = context;
  size_t call = 0; /* the first that has not returned */
  for (size_t i = 0; i < r->moment_count; i++) call += r->moments[i].is_return;
  unsigned thread = call < turns->count && turns->threads ? turns->threads[call] : 0;
  uint64_t others = r->enabled & ~(((uint64_t)1 << r->client->threads) - 1);
  if (call == turns->count) others = r->enabled; /* what threads do after their last call */
  if (call < turns->count && r->enabled >> thread & 1) {
    choice->fiber = (uint8_t)thread;
  } else if (others) {
    choice->fiber = (uint8_t)__builtin_ctzll(others);
  } else {
    return CHOOSE_STOP;
  }
  return 0;
}

struct sequential {
  size_t *where; /* of a call among those given */
  long *results;
  enum found found;
  bool well;
};
static void after_sequential(void *self, const struct run *r) {
  struct sequential *s = self;
  if (!r) return;
  s->found = r->found;
  s->well = r->found == FOUND_NOTHING && r->end == RUN_WHOLE;
  for (size_t i = 0; i < r->moment_count; i++)
    if (r->moments[i].is_return) s->results[s->where[r->moments[i].call]] = r->moments[i].result;
}

bool run_sequential(const struct call *calls, const uint8_t *threads, size_t count, long *results, enum found *found) {
  unsigned most = 0;
  for (size_t i = 0; threads && i < count; i++)
    if (threads[i] > most) most = threads[i];
  struct client client = {.threads = most + 1};
  uint32_t *first = client.first = calloc(most + 2, sizeof *first);
  struct call *own = client.calls = calloc(count + 1, sizeof *own);
  struct sequential s = {.where = calloc(count + 1, sizeof *s.where), .results = results};
  if (first && own && s.where) {
    size_t filled = 0;
    for (unsigned t = 0; t <= most; t++) {
      first[t] = (uint32_t)filled;
      for (size_t i = 0; i < count; i++) {
        if ((threads ? threads[i] : 0) != t) continue;
        s.where[filled] = i;
        own[filled++] = calls[i];
      }
    }
    first[most + 1] = (uint32_t)filled;
    struct turns turns = {threads, count};
    in_sequence = true;
    run_aside(&client, &(struct plan){.choose = choose_in_turn, .context = &turns}, after_sequential, &s);
    in_sequence = false;
  }
  free(first);
  free(own);
  free(s.where);
  *found = s.found;
  return s.well;
}
