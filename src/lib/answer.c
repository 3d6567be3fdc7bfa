/* The public API, second half: checking a history, and the answer.
 *
 *   copy -> find the specification -> bind the copy to it -> decide -> write the evidence
 *
 * An answer owns the bound copy, so that one history can be checked many times, and freed before its answers. Its
 * memory has no limit of its own, since giving up in the middle of an answer would lose it; it counts towards the limit
 * of deciding. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "check/check.h"
#include "evidence/evidence.h"
#include "history/intervals.h"
#include "lib/lib.h"
#include "report/report.h"

/* Specifications in C have one signal guard for the process (spec/user_run.c): their checks take turns. */
static pthread_mutex_t user_turn = PTHREAD_MUTEX_INITIALIZER;

static bool in_c(const char *spec) { return spec && spec_is_file(spec); }

static bool read_options(const asif_options *o, bool user, struct check_options *to, struct problem *why) {
  static const struct {
    const char *name;
    enum method method;
  } methods[] = {
      {"auto", METHOD_AUTO}, {"fast", METHOD_FAST}, {"search", METHOD_SEARCH}, {"wing-gong", METHOD_WING_GONG}};
  *to = (struct check_options){METHOD_AUTO, o->jobs > 1 && !user ? o->jobs < 1024 ? o->jobs : 1024 : 1, !o->no_explain};
  if (o->jobs < 0 || !(o->seconds >= 0)) {
    problem_set(why, o->jobs < 0 ? "jobs is %d: a number of threads, or 0" : "the time limit is negative", o->jobs);
    return false;
  }
  if (!o->method) return true;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (strcmp(methods[i].name, o->method)) continue;
    to->method = methods[i].method;
    return true;
  }
  problem_set(why, "no method is called '%.60s'; there are: auto, fast, search, wing-gong", o->method);
  return false;
}

static bool find_spec(asif_answer *a, const char *name, struct problem *why) {
  if (name) return spec_load(name, &a->spec, &a->mem, why);
  const struct spec *guess = spec_guess(a->history, why);
  if (guess) a->spec = *guess;
  return guess != NULL;
}

/* The copy alone is more than the limit allows. */
static void too_large(asif_answer *a, struct limits *l) {
  struct text t;
  text_open(&t, &a->mem);
  text_printf(&t, "%s after %.1f s, before deciding", limit_told(LIMIT_MEMORY), limits_elapsed(l));
  a->result =
      (struct check_result){.verdict = VERDICT_UNKNOWN, .method = "none", .reason = t.at, .culprit = UINT32_MAX};
}

static asif_status decide(asif_answer *a, const asif_history *h, const char *spec, const asif_options *o,
                          struct problem *why) {
  struct limits limits;
  struct check_options options;
  if (!read_options(o, in_c(spec), &options, why)) return ASIF_BAD_INPUT;
  limits_start(&limits, o->seconds, o->bytes);
  double cpu = clock_cpu_seconds();
  a->history = history_copy(h->history, &a->mem);
  if (!find_spec(a, spec, why) || !spec_bind(&a->spec, a->history, why)) return ASIF_BAD_INPUT;
  atomic_store(&limits.used, a->mem.used);
  if (o->bytes && a->mem.used > o->bytes)
    too_large(a, &limits);
  else if (!check_touching(&a->mem, &a->history, &a->spec, &options, &limits, &a->result, why))
    return why->kind == PROBLEM_INTERNAL ? ASIF_INTERNAL : ASIF_BAD_INPUT;
  if (spec_user_fault(&a->spec)) {
    problem_set(why, "%s", spec_user_fault(&a->spec));
    return ASIF_BAD_INPUT;
  }
  a->seconds = limits_elapsed(&limits);
  a->cpu_seconds = clock_cpu_seconds() - cpu;
  a->peak_rss_kb = peak_rss_kb();
  a->decided = true;
  if (!o->evidence || a->result.verdict == VERDICT_UNKNOWN) return ASIF_DONE;
  if (!evidence_write(o->evidence, a->history, &a->spec, &a->result, why)) return ASIF_BAD_INPUT;
  a->evidence = mem_string(&a->mem, o->evidence, strlen(o->evidence));
  return ASIF_DONE;
}

static asif_status decide_guarded(asif_answer *a, const asif_history *h, const char *spec, const asif_options *o,
                                  struct problem *why) {
  if (!MEM_GUARD(&a->mem)) return decide(a, h, spec, o, why);
  problem_set(why, "out of memory");
  return ASIF_NO_MEMORY;
}

/* Ends the building, once. */
static bool finish(asif_history *h) {
  uint32_t earlier, later;
  if (h->content == CONTENT_FINISHED) return true;
  if (MEM_GUARD(&h->mem)) {
    problem_set(&h->error, "out of memory");
    h->broken = ASIF_NO_MEMORY;
    return false;
  }
  history_finish(h->history);
  h->content = CONTENT_FINISHED;
  if (h->history->in_turn && history_overlap(h->history, &h->mem, &earlier, &later)) {
    const struct op *o = h->history->ops.at;
    problem_set(&h->error, "process %.60s calls %.60s while its earlier call, %.60s, has not returned",
                names_at(h->history->processes, o[later].process), names_at(h->history->methods, o[later].method),
                names_at(h->history->methods, o[earlier].method));
    h->broken = ASIF_BAD_INPUT;
  }
  return !h->broken;
}

asif_status asif_check(asif_history *h, const char *spec, const asif_options *options, asif_answer **answer) {
  static const asif_options defaults;
  if (answer) *answer = NULL;
  if (!h) return ASIF_NO_MEMORY;
  if (h->broken || !finish(h)) return h->broken;
  h->error.text[0] = 0;
  if (!answer) {
    problem_set(&h->error, "asif_check is given no place for the answer");
    return ASIF_BAD_INPUT;
  }
  asif_answer *a = calloc(1, sizeof *a);
  if (!a) {
    problem_set(&h->error, "out of memory");
    return ASIF_NO_MEMORY;
  }
  mem_open(&a->mem, NULL);
  locale_t ours, before = locale_enter(&ours);
  bool user = in_c(spec);
  if (user) pthread_mutex_lock(&user_turn);
  asif_status status = decide_guarded(a, h, spec, options ? options : &defaults, &h->error);
  spec_user_close(&a->spec); /* reports need its names only, which stay */
  if (user) pthread_mutex_unlock(&user_turn);
  locale_leave(ours, before);
  assert(status || a->decided);
  if (a->decided)
    *answer = a; /* also where its evidence could not be written: a verdict is not thrown away */
  else
    asif_answer_free(a);
  return status;
}

void asif_answer_free(asif_answer *a) {
  if (!a) return;
  mem_close(&a->mem);
  free(a);
}

/* The answer. */

asif_verdict asif_answer_verdict(const asif_answer *a) {
  return !a                                      ? ASIF_UNKNOWN
         : a->result.verdict == VERDICT_HOLDS    ? ASIF_HOLDS
         : a->result.verdict == VERDICT_VIOLATED ? ASIF_VIOLATED
                                                 : ASIF_UNKNOWN;
}

const char *asif_answer_reason(const asif_answer *a) {
  return !a ? "there is no answer" : a->result.reason ? a->result.reason : "";
}

const char *asif_answer_method(const asif_answer *a) { return a && a->result.method ? a->result.method : ""; }

size_t asif_answer_operations(const asif_answer *a) { return a ? a->history->ops.count : 0; }

const uint32_t *asif_answer_order(const asif_answer *a, size_t *count) {
  if (count) *count = a ? a->result.order_count : 0;
  return a ? a->result.order : NULL;
}

const uint32_t *asif_answer_core(const asif_answer *a, size_t *count) {
  if (count) *count = a ? a->result.core_count : 0;
  return a ? a->result.core : NULL;
}

/* Texts. */

struct request {
  const asif_answer *answer;
  asif_report_kind kind;
  uint32_t operation; /* UINT32_MAX: the report */
};

static void put_report(const struct request *q, struct text *t) {
  static void (*const makers[])(const struct report *, struct text *) = {[ASIF_REPORT_TEXT] = report_text,
                                                                         [ASIF_REPORT_JSON] = report_json,
                                                                         [ASIF_REPORT_HTML] = report_html,
                                                                         [ASIF_REPORT_SVG] = report_svg,
                                                                         [ASIF_REPORT_JUNIT] = report_junit};
  const asif_answer *a = q->answer;
  struct report report = {.command = "check",
                          .history = a->history,
                          .spec = &a->spec,
                          .result = &a->result,
                          .seconds = a->seconds,
                          .cpu_seconds = a->cpu_seconds,
                          .peak_rss_kb = a->peak_rss_kb,
                          .evidence = a->evidence,
                          .width = 100};
  makers[q->kind](&report, t);
}

static void put_operation(const struct request *q, struct text *t) {
  const struct history *h = q->answer->history;
  const struct op *o = &h->ops.at[q->operation];
  text_printf(t, "%s: ", names_at(h->processes, o->process));
  if (names_count(h->objects) > 1) text_printf(t, "%s.", names_at(h->objects, o->object));
  op_print(&q->answer->spec, h, o, t);
}

/* In memory of its own, so that an answer may be asked by several threads; NULL if there is too little. */
static char *make(const struct request *q) {
  struct mem m;
  char *volatile copy = NULL;
  locale_t ours, before = locale_enter(&ours);
  mem_open(&m, NULL);
  if (!MEM_GUARD(&m)) {
    struct text t;
    text_open(&t, &m);
    if (q->operation == UINT32_MAX)
      put_report(q, &t);
    else
      put_operation(q, &t);
    copy = malloc(t.count + 1);
    if (copy) memcpy(copy, text_string(&t), t.count + 1);
  }
  mem_close(&m);
  locale_leave(ours, before);
  return copy;
}

char *asif_answer_operation(const asif_answer *a, uint32_t operation) {
  if (!a || operation >= a->history->ops.count) return NULL;
  return make(&(struct request){a, ASIF_REPORT_TEXT, operation});
}

char *asif_answer_report(const asif_answer *a, asif_report_kind kind) {
  if (!a || kind < ASIF_REPORT_TEXT || kind > ASIF_REPORT_JUNIT) return NULL;
  return make(&(struct request){a, kind, UINT32_MAX});
}
