/* Histories of coarse clocks: see history/intervals.h for what is tied, for turns and for the loose reading.
 *
 * What is known of a tied history is that the processes took their turns in some order. If some order of them is
 * linearizable so is the history, and it is not if none is. A reading that knows only who was first at some moments
 * answers for all the orders that begin so: if it is not linearizable none of these is, and if it is, by an order of
 * the operations that keeps every turn, then so is the order of the turns found there. That is looked for from the
 * loose reading on, as far as there is time: at a moment where some turn is not kept, each process is tried as the
 * next. */
#include <string.h>

#include "check/check.h"
#include "history/intervals.h"

enum { READINGS_MOST = 500, OPERATIONS_MOST = 4000000 }; /* that are tried, and of which all their operations */

struct turns {
  const struct history *history;
  const struct spec *spec;
  struct check_options options;
  struct limits *limits;
  struct problem *why;
  struct check_result found;
  const uint32_t *turn_of; /* of each operation: history_turns */
  uint32_t *rank;          /* of the turns that are fixed */
  uint32_t *place;         /* of each operation in the order found for a reading */
  uint32_t readings, most;
  bool broken; /* no answer, but a problem */
};

/* The answer to a reading: *read, with its operations' numbers in t->history. */
static enum verdict ask(struct turns *t, struct mem *m, const uint32_t *rank, struct history **read) {
  uint32_t *origin;
  *read = history_by_rank(t->history, m, rank, &origin);
  t->readings++;
  if (!check_history(m, *read, t->spec, &t->options, t->limits, &t->found, t->why)) {
    t->broken = true;
    return VERDICT_UNKNOWN;
  }
  if (t->found.verdict != VERDICT_HOLDS) return t->found.verdict;
  memset(t->place, 0xff, t->history->ops.count * sizeof *t->place);
  for (size_t i = 0; i < t->found.order_count; i++) t->place[origin[t->found.order[i]]] = (uint32_t)i;
  return VERDICT_HOLDS;
}

/* The first turn that is not kept: the operation that begins with it; UINT32_MAX if all are. */
static uint32_t not_kept(const struct turns *t) {
  for (uint32_t i = 0; i < t->history->ops.count; i++)
    if (t->turn_of[i] != UINT32_MAX && t->place[i] < t->place[t->turn_of[i]]) return i;
  return UINT32_MAX;
}

/* The turns of that moment that may be the next one, in the order they have in what was found: each process's first
 * that is not fixed yet. */
static uint32_t *next_turns(const struct turns *t, struct mem *m, uint32_t at, uint32_t *count, uint32_t *fixed) {
  const struct history *h = t->history;
  uint32_t *list = mem_alloc(m, (h->ops.count + 1) * sizeof *list), n = 0;
  *fixed = 0;
  for (uint32_t i = 0; i < h->ops.count; i++) {
    uint32_t from = t->turn_of[i];
    if (from == UINT32_MAX || h->call_time[i] != h->call_time[at]) continue;
    if (t->rank[from] != UINT32_MAX) {
      ++*fixed;
      continue;
    }
    bool first = h->call_time[from] != h->call_time[at] || t->turn_of[from] == UINT32_MAX ||
                 t->rank[t->turn_of[from]] != UINT32_MAX;
    if (!first) continue;
    uint32_t k = n++;
    for (; k && t->place[list[k - 1]] > t->place[from]; k--) list[k] = list[k - 1];
    list[k] = from;
  }
  *count = n;
  return list;
}

static char *copy_string(struct mem *m, const char *s) { return mem_string(m, s, strlen(s)); }

/* The answer in memory that is given back, or, where the history is linearizable, in m. Of an answer that is unknown
 * the words are kept too: it is the last one. */
static enum verdict ask_briefly(struct turns *t, struct mem *m, const uint32_t *rank, struct history **kept) {
  struct mem *own = mem_child(m);
  struct history *read;
  enum verdict v = ask(t, own, rank, &read);
  if (v == VERDICT_UNKNOWN && !t->broken) {
    t->found.method = copy_string(m, t->found.method);
    t->found.reason = copy_string(m, t->found.reason);
  }
  mem_close(own);
  return v == VERDICT_HOLDS && kept ? ask(t, m, rank, kept) : v;
}

/* Is there an order of the turns that begins with the fixed ones? holds: *answered is that history, t->found its
 * answer. */
static enum verdict look(struct turns *t, struct mem *m, struct history **answered) {
  if (t->readings >= t->most) return VERDICT_UNKNOWN;
  enum verdict v = ask_briefly(t, m, t->rank, NULL);
  if (v != VERDICT_HOLDS) return v;
  size_t n = t->history->ops.count;
  uint32_t at = not_kept(t), *place = mem_alloc(m, (n + 1) * sizeof *place), *next = NULL, count = 0, fixed = 0;
  memcpy(place, t->place, n * sizeof *place);
  if (at != UINT32_MAX) next = next_turns(t, m, at, &count, &fixed);
  v = ask_briefly(t, m, place, answered); /* the turns as they were found: most often that will do */
  mem_free(m, place);
  if (v == VERDICT_VIOLATED && !next) v = VERDICT_UNKNOWN;
  for (uint32_t i = 0; i < count && v == VERDICT_VIOLATED; i++) {
    t->rank[next[i]] = fixed;
    v = look(t, m, answered);
    t->rank[next[i]] = UINT32_MAX;
  }
  mem_free(m, next);
  return v;
}

static void say_unknown(struct mem *m, const char *method, struct check_result *r) {
  memset(r, 0, sizeof *r);
  r->verdict = VERDICT_UNKNOWN;
  r->culprit = UINT32_MAX;
  r->method = copy_string(m, method);
  r->reason = "operations of several processes end when the next ones of the same processes begin, at the same moment, "
              "in too many orders to try; a finer clock would tell which they had";
}

bool check_touching(struct mem *mem, struct history **history, const struct spec *spec,
                    const struct check_options *options, struct limits *limits, struct check_result *r,
                    struct problem *why) {
  const struct history *h = *history;
  if (!check_history(mem, h, spec, options, limits, r, why)) return false;
  if (!h->tied || r->verdict != VERDICT_VIOLATED) return true;
  size_t n = h->ops.count;
  struct turns t = {.history = h, .spec = spec, .options = *options, .limits = limits, .why = why};
  struct history *answered = NULL;
  t.options.explain = false;
  t.turn_of = history_turns(h, mem);
  t.place = mem_alloc(mem, (n + 1) * sizeof *t.place);
  t.rank = mem_alloc(mem, (n + 1) * sizeof *t.rank);
  memset(t.rank, 0xff, (n + 1) * sizeof *t.rank);
  t.most = OPERATIONS_MOST / n < READINGS_MOST ? (uint32_t)(OPERATIONS_MOST / n) + 2 : READINGS_MOST;
  enum verdict v = look(&t, mem, &answered);
  if (t.broken) return false;
  if (v == VERDICT_VIOLATED) return true; /* and what is wrong with the order it was read in proves it of that one */
  if (v == VERDICT_HOLDS) *history = answered;
  if (v == VERDICT_HOLDS || t.found.verdict == VERDICT_UNKNOWN)
    *r = t.found;
  else
    say_unknown(mem, r->method, r);
  return true;
}
