/* Histories and results for testing reports, made by hand or by a simulated queue, without readers and deciders. */
#ifndef ASIF_TESTS_REPORT_FIXTURE_H
#define ASIF_TESTS_REPORT_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static const struct spec_op fixture_ops[] = {
    {.names = "enq enqueue", .args = 1, .args_most = 1, .result = RESULT_NONE, .echo = V_NONE},
    {.names = "deq dequeue", .result = RESULT_VALUE, .pure = PURE_IF_EMPTY, .echo = V_UNKNOWN},
};
static const struct spec fixture_queue = {
    .name = "queue", .aliases = "", .summary = "", .ops = fixture_ops, .op_count = 2};

/* Builds a history from words: "A+5" A calls enq(5), "A+deq" A calls deq(), "A-" returns ok, "A-5", "A-empty" return
 * that. A word is a line. */
static inline struct history *fixture_history(struct mem *m, const char *source, const char *words) {
  struct history *h = history_new(m, source);
  uint32_t object = names_intern(h->objects, "q", 1);
  for (uint32_t line = 1; *words; line++) {
    size_t n = strcspn(words, " "), k = strcspn(words, "+-");
    uint32_t process = names_intern(h->processes, words, k);
    const char *what = words + k + 1;
    const char *wrong;
    value v = n == k + 1 ? V_NONE : *what == 'e' ? V_EMPTY : value_int(h->values, atoi(what));
    if (words[k] == '-')
      wrong = history_return(h, process, object, v);
    else
      wrong = history_call(h, process, object, *what == 'd', &v, *what != 'd', line);
    if (wrong) abort();
    words += n + strspn(words + n, " ");
  }
  history_finish(h);
  return h;
}

static inline uint32_t fixture_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* A queue used by many processes at random, and the order in which its operations took effect. */
static inline struct history *fixture_simulate(struct mem *m, const char *source, uint32_t processes,
                                               uint32_t operations, struct check_result *holds) {
  struct history *h = history_new(m, source);
  uint32_t object = names_intern(h->objects, "q", 1);
  uint32_t done = 0, called = 0, line = 0, head = 0, tail = 0, effects = 0, events = 0;
  uint64_t random = 42;
  struct running {
    uint32_t op;
    int stage; /* 0 idle, 1 called, 2 enqueued, 3 dequeued */
    value v;
  } *p = mem_zero(m, processes, sizeof *p);
  value *queue = mem_alloc(m, (operations + 1) * sizeof *queue);
  *holds = (struct check_result){.verdict = VERDICT_HOLDS, .method = "simulation", .culprit = UINT32_MAX};
  holds->order = mem_alloc(m, (operations + 1) * sizeof *holds->order);
  holds->gap = mem_alloc(m, (operations + 1) * sizeof *holds->gap);
  char name[16];
  for (uint32_t i = 0; i < processes; i++)
    names_intern(h->processes, name, (size_t)snprintf(name, sizeof name, "%u", i));
  while (done < operations) {
    uint32_t i = fixture_random(&random) % processes;
    bool deq = p[i].stage ? p[i].v == V_NONE : fixture_random(&random) % 2;
    if (p[i].stage == 0 && called < operations) {
      p[i] = (struct running){called, 1, deq ? V_NONE : value_int(h->values, called + 1)};
      called++;
      history_call(h, i, object, deq, &p[i].v, !deq, ++line);
      events++;
    } else if (p[i].stage == 1) {
      holds->order[effects] = p[i].op;
      holds->gap[effects++] = events - 1;
      if (!deq)
        queue[tail++] = p[i].v;
      else
        p[i].v = head < tail ? queue[head++] : V_EMPTY;
      p[i].stage = deq ? 3 : 2;
    } else if (p[i].stage >= 2) {
      history_return(h, i, object, p[i].stage == 2 ? V_NONE : p[i].v);
      line++;
      events++;
      done++;
      p[i].stage = 0;
    }
  }
  holds->order_count = effects;
  history_finish(h);
  return h;
}

#endif
