/* The public API used as it should not be: NULL where a call that failed leaves it, and in every other place; tapes
 * ended twice; sizes that have no meaning; very many names. Nothing crashes, and what is wrong is said. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "asif.h"
#include "test.h"

/* Every function of asif.h is in the list, which the test below compares with the header. */
static const char *called[200];
static unsigned calls;

static void calling(const char *function) {
  for (unsigned i = 0; i < calls; i++)
    if (!strcmp(called[i], function)) return;
  called[calls++] = function;
}
#define CALL(function, ...)             (calling(#function), function(__VA_ARGS__))
#define STATUS(expected, function, ...) CHECKF(CALL(function, __VA_ARGS__) == (expected), "%s", #function)

static asif_history *violation(void) {
  asif_history *h = asif_history_new();
  asif_call(h, 0, NULL, "deq", ASIF_NO_ARGS);
  asif_return(h, 0, asif_int(7));
  return h;
}

static void histories(void) {
  asif_value one[] = {asif_int(1)};
  calling("asif_version"), calling("asif_history_new");
  CHECK(*asif_version());
  STATUS(ASIF_NO_MEMORY, asif_call, NULL, 0, NULL, "enq", one, 1);
  STATUS(ASIF_NO_MEMORY, asif_return, NULL, 0, one[0]);
  STATUS(ASIF_NO_MEMORY, asif_fail, NULL, 0);
  STATUS(ASIF_NO_MEMORY, asif_info, NULL, 0);
  STATUS(ASIF_NO_MEMORY, asif_interval, NULL, 0, NULL, "enq", one, 1, one[0], 0, 1);
  STATUS(ASIF_NO_MEMORY, asif_name_process, NULL, 0, "A");
  STATUS(ASIF_NO_MEMORY, asif_read_file, NULL, "x", NULL);
  STATUS(ASIF_NO_MEMORY, asif_read_bytes, NULL, "x", "", 0, NULL);
  CHECK(*CALL(asif_error, NULL));
  CALL(asif_history_free, NULL);
  for (int kind = 0; kind < 6; kind++) {
    asif_history *h = asif_history_new();
    asif_status status = kind == 0   ? asif_call(h, 0, NULL, NULL, one, 1)
                         : kind == 1 ? asif_call(h, 0, NULL, "enq", NULL, 2)
                         : kind == 2 ? asif_interval(h, 0, NULL, NULL, NULL, 3, one[0], 0, 1)
                         : kind == 3 ? asif_name_process(h, 0, NULL)
                         : kind == 4 ? asif_read_file(h, NULL, NULL)
                                     : asif_read_bytes(h, NULL, NULL, 5, NULL);
    CHECKF(status == ASIF_BAD_INPUT && *asif_error(h), "%d", kind);
    asif_answer *a = (asif_answer *)h;
    CHECK(asif_check(h, NULL, NULL, &a) == ASIF_BAD_INPUT && !a);
    asif_history_free(h);
  }
  asif_history *h = asif_history_new();
  asif_value nil = asif_text(NULL);
  CHECK(!nil.text && nil.number == ASIF_NIL);
  CHECK(asif_call(h, 0, NULL, "write", &nil, 1) == ASIF_DONE && asif_return(h, 0, asif_int(ASIF_OK)) == ASIF_DONE);
  asif_history_free(h);
}

static void answers(void) {
  asif_answer *a = NULL;
  size_t count = 9;
  STATUS(ASIF_NO_MEMORY, asif_check, NULL, "queue", NULL, &a);
  CHECK(asif_check(NULL, NULL, NULL, NULL) == ASIF_NO_MEMORY && !a);
  STATUS(ASIF_UNKNOWN, asif_answer_verdict, NULL);
  CHECK(*CALL(asif_answer_reason, NULL) && !*CALL(asif_answer_method, NULL));
  STATUS(0, asif_answer_operations, NULL);
  STATUS(NULL, asif_answer_order, NULL, &count);
  CHECK(!count);
  count = 9;
  STATUS(NULL, asif_answer_core, NULL, &count);
  CHECK(!count && !asif_answer_order(NULL, NULL) && !asif_answer_core(NULL, NULL));
  STATUS(NULL, asif_answer_operation, NULL, 0);
  STATUS(NULL, asif_answer_report, NULL, ASIF_REPORT_TEXT);
  CALL(asif_answer_free, NULL);
  asif_history *h = violation();
  CHECK(asif_check(h, "queue", NULL, NULL) == ASIF_BAD_INPUT && *asif_error(h));
  CHECK(asif_check(h, "queue", NULL, &a) == ASIF_DONE &&
        asif_answer_verdict(a) == ASIF_VIOLATED); /* not broken by it */
  CHECK(asif_answer_core(a, NULL) && !asif_answer_report(a, (asif_report_kind)99));
  asif_answer_free(a);
  asif_history_free(h);
}

static void recorders(void) {
  asif_tape *t = NULL;
  char *error = (char *)"x";
  STATUS(-1, asif_recorder_operation, NULL, "q", "enq");
  STATUS(NULL, asif_recorder_thread, NULL, "A");
  STATUS(ASIF_NO_MEMORY, asif_recorder_flush, NULL);
  STATUS(ASIF_NO_MEMORY, asif_recorder_status, NULL);
  CHECK(*CALL(asif_recorder_error, NULL));
  STATUS(ASIF_NO_MEMORY, asif_recorder_close, NULL, &error);
  CHECK(!error && asif_recorder_close(NULL, NULL) == ASIF_NO_MEMORY);
  asif_recorder_call(t, 0), asif_recorder_call1(t, 0, 1), asif_recorder_call2(t, 0, 1, 2);
  asif_recorder_call3(t, 0, 1, 2, 3);
  asif_recorder_return(t, 1), asif_recorder_fail(t), asif_recorder_info(t);
  CALL(asif_tape_end, NULL);
  CALL(asif_tape_room_, NULL);
  CALL(asif_tape_wrong_, NULL);
  asif_recorder *r = CALL(asif_recorder_open, NULL, NULL);
  CHECK(r && asif_recorder_status(r) == ASIF_BAD_INPUT && *asif_recorder_error(r));
  CHECK(asif_recorder_operation(r, NULL, NULL) == -1);
  t = asif_recorder_thread(r, NULL);
  asif_recorder_call(t, 0), asif_recorder_return(t, 0);
  asif_recorder_flush(r);
  CHECK(asif_recorder_close(r, NULL) == ASIF_BAD_INPUT);
}

static void monitors(void) {
  int from = 7, to = 7;
  asif_tape *t = NULL;
  STATUS(-1, asif_monitor_operation, NULL, "enq");
  STATUS(NULL, asif_monitor_thread, NULL);
  STATUS(ASIF_UNKNOWN, asif_monitor_poll, NULL);
  STATUS(ASIF_UNKNOWN, asif_monitor_verdict, NULL);
  STATUS(0, asif_monitor_events, NULL);
  STATUS(ASIF_NO_MEMORY, asif_monitor_status, NULL);
  CHECK(*CALL(asif_monitor_error, NULL) && !*CALL(asif_monitor_said, NULL));
  STATUS(NULL, asif_monitor_answer, NULL);
  STATUS(ASIF_BAD_INPUT, asif_monitor_interval, NULL, 0, &from, &to);
  STATUS(ASIF_BAD_INPUT, asif_monitor_evidence, NULL, "x");
  CALL(asif_monitor_free, NULL);
  asif_monitor_call(t, 0), asif_monitor_call1(t, 0, 1), asif_monitor_call2(t, 0, 1, 2);
  asif_monitor_call3(t, 0, 1, 2, 3);
  asif_monitor_return(t, 1), asif_monitor_fail(t), asif_monitor_info(t);
  asif_monitor *m = CALL(asif_monitor_new, NULL, 2, NULL);
  CHECK(m && asif_monitor_status(m) == ASIF_BAD_INPUT && *asif_monitor_error(m));
  CHECK(asif_monitor_operation(m, "enq") == -1 && asif_monitor_operation(m, NULL) == -1);
  asif_monitor_free(m);
  m = asif_monitor_new("queue", 2, NULL);
  t = asif_monitor_thread(m);
  asif_monitor_call(t, asif_monitor_operation(m, "deq")), asif_monitor_return(t, 5);
  CHECK(asif_monitor_poll(m) == ASIF_VIOLATED && asif_monitor_interval(m, 0, NULL, NULL) == ASIF_DONE);
  CHECK(asif_monitor_evidence(m, NULL) == ASIF_BAD_INPUT);
  asif_monitor_free(m);
}

TEST(library_takes_null_everywhere) {
  histories();
  answers();
  recorders();
  monitors();
  FILE *f = fopen("include/asif.h", "r");
  char line[400], name[100];
  unsigned declared = 0;
  CHECK(f != NULL);
  while (fgets(line, sizeof line, f)) {
    const char *at = strncmp(line, "ASIF_API ", 9) ? NULL : strstr(line, "asif_"), *open;
    for (; at && (!(open = at + strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789")) || *open != '(');)
      at = strstr(at + 1, "asif_");
    if (!at) continue;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "("), at);
    bool found = false;
    for (unsigned i = 0; i < calls; i++) found |= !strcmp(called[i], name);
    CHECKF(found, "%s is not called", name);
    declared++;
  }
  fclose(f);
  CHECKF(declared == calls && declared > 40, "%u functions are declared, %u are called", declared, calls);
}

static const char *temporary(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "/tmp/asif-misuse-%d-%s", (int)getpid(), name);
  return path;
}

TEST(library_keeps_a_verdict_whose_evidence_cannot_be_written) {
  asif_history *h = violation();
  asif_answer *a = NULL;
  asif_options options = {.evidence = "/nowhere/evidence"};
  CHECK(asif_check(h, "queue", &options, &a) == ASIF_BAD_INPUT);
  CHECKF(strstr(asif_error(h), "/nowhere/evidence"), "%s", asif_error(h));
  CHECK(a && asif_answer_verdict(a) == ASIF_VIOLATED);
  char *report = asif_answer_report(a, ASIF_REPORT_TEXT);
  CHECK(report && !strstr(report, "/nowhere"));
  free(report);
  asif_answer_free(a);
  asif_history_free(h);
}

/* Tapes. */

struct worker {
  pthread_t thread;
  asif_recorder *recorder;
  asif_tape *tape, *ends;
};

static void *gets_a_tape(void *self) {
  struct worker *w = self;
  if (w->ends) asif_tape_end(w->ends);
  w->tape = w->recorder ? asif_recorder_thread(w->recorder, NULL) : NULL;
  return NULL;
}

static asif_tape *tape_of_thread(asif_recorder *r, asif_tape *ends) {
  struct worker w = {.recorder = r, .ends = ends};
  CHECK(!pthread_create(&w.thread, NULL, gets_a_tape, &w) && !pthread_join(w.thread, NULL));
  return w.tape;
}

enum { HANDED = 20 };
struct handing {
  pthread_t thread;
  asif_recorder *recorder;
  asif_tape *tape;
  sem_t given, done;
};

static void *ends_tapes(void *self) {
  struct handing *h = self;
  for (int i = 0; i < HANDED; i++) {
    sem_wait(&h->given);
    asif_tape_end(h->tape);
    sem_post(&h->done);
  }
  return NULL;
}

TEST(library_tape_ended_twice_is_one_tape) {
  const char *path = temporary("twice");
  asif_recorder *r = asif_recorder_open(path, NULL);
  asif_tape *t = asif_recorder_thread(r, NULL);
  asif_tape_end(t);
  asif_tape_end(t);
  asif_tape *a = asif_recorder_thread(r, NULL), *b = asif_recorder_thread(r, NULL);
  CHECK(a == t && b != a); /* it is used again, once */
  asif_tape_end(a);
  asif_tape *c = tape_of_thread(r, NULL); /* another thread has it now ... */
  CHECK(c == t);
  asif_tape_end(a); /* ... and whoever had it before ends it once more */
  CHECK(tape_of_thread(r, NULL) != c);
  asif_tape *f = tape_of_thread(r, b); /* made by one thread, ended by another: a tape is handed on */
  CHECK(f == b);
  CHECK(asif_recorder_close(r, NULL) == ASIF_DONE);
  unlink(path);
}

/* One thread asks for tapes, others use and end them: a thread for each, and one for all. */
TEST(library_tapes_are_ended_by_threads_that_did_not_ask) {
  const char *path = temporary("handed");
  asif_recorder *r = asif_recorder_open(path, NULL);
  asif_tape *t = asif_recorder_thread(r, NULL);
  for (int i = 0; i < 20; i++) {
    tape_of_thread(NULL, t);
    asif_tape *next = asif_recorder_thread(r, NULL);
    CHECKF(next == t, "after %d threads", i);
  }
  struct handing h = {.recorder = r, .tape = t};
  CHECK(!sem_init(&h.given, 0, 0) && !sem_init(&h.done, 0, 0));
  CHECK(!pthread_create(&h.thread, NULL, ends_tapes, &h));
  for (int i = 0; i < HANDED; i++) {
    sem_post(&h.given);
    sem_wait(&h.done);
    CHECKF(asif_recorder_thread(r, NULL) == t, "after %d ends", i);
  }
  CHECK(!pthread_join(h.thread, NULL));
  CHECK(asif_recorder_close(r, NULL) == ASIF_DONE);
  unlink(path);
}

TEST(library_sizes_without_meaning_are_refused) {
  const char *path = temporary("sizes");
  FILE *f = fopen(path, "w");
  CHECK(f && fputs("kept", f) >= 0 && !fclose(f));
  static const asif_recorder_options wrong[] = {{.bytes = 1},
                                                {.bytes = 8191},
                                                {.bytes = ((size_t)512 << 20) + 1},
                                                {.bytes = SIZE_MAX},
                                                {.bytes = -1},
                                                {.milliseconds = -1},
                                                {.taker = ASIF_POLLED},
                                                {.taker = (asif_taker)7},
                                                {.object_type = ""}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    asif_recorder *r = asif_recorder_open(path, &wrong[i]);
    CHECKF(r && asif_recorder_status(r) == ASIF_BAD_INPUT && *asif_recorder_error(r), "%zu", i);
    asif_tape *t = asif_recorder_thread(r, NULL);
    asif_recorder_call(t, asif_recorder_operation(r, NULL, "x")), asif_recorder_return(t, 1);
    char *error = NULL;
    CHECK(asif_recorder_close(r, &error) == ASIF_BAD_INPUT && error && *error);
    free(error);
    struct stat st;
    CHECKF(wrong[i].object_type || (!stat(path, &st) && st.st_size == 4), "%zu: the file is written", i);
  }
  unlink(path);
  static const asif_monitor_options no[] = {
      {.bytes = 100}, {.milliseconds = -5}, {.one_in = -1}, {.taker = (asif_taker)-1}};
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    asif_monitor *m = asif_monitor_new("queue", 2, &no[i]);
    CHECKF(m && asif_monitor_status(m) == ASIF_BAD_INPUT && *asif_monitor_error(m), "monitor %zu", i);
    asif_monitor_poll(m);
    asif_monitor_free(m);
  }
  asif_history *h = violation();
  asif_answer *a;
  asif_options jobs = {.jobs = -1}, seconds = {.seconds = -1};
  CHECK(asif_check(h, "queue", &jobs, &a) == ASIF_BAD_INPUT && strstr(asif_error(h), "jobs"));
  CHECK(asif_check(h, "queue", &seconds, &a) == ASIF_BAD_INPUT && strstr(asif_error(h), "time"));
  asif_history_free(h);
}

/* Seconds of this thread's CPU that naming so many operations takes. */
static double naming(int count) {
  const char *path = temporary("names");
  asif_recorder *r = asif_recorder_open(path, NULL);
  struct timespec before, after;
  char name[40];
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "operation-with-a-long-name-%d", i);
    CHECK(asif_recorder_operation(r, i % 2 ? "a" : "b", name) == i);
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  for (int i = 0; i < count; i += 97) { /* each has its number, and keeps it */
    snprintf(name, sizeof name, "operation-with-a-long-name-%d", i);
    CHECK(asif_recorder_operation(r, i % 2 ? "a" : "b", name) == i);
  }
  CHECK(asif_recorder_close(r, NULL) == ASIF_DONE);
  unlink(path);
  return (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
}

/* Sixteen times as many names: about sixteen times the time, and not 256 times. */
TEST(library_names_of_operations_cost_the_same_each) {
  double few = 1e9, many = 1e9;
  for (int i = 0; i < 3; i++) {
    double a = naming(4000), b = naming(64000);
    if (a < few) few = a;
    if (b < many) many = b;
  }
  CHECKF(many < 80 * few, "%g s for 4000 names, %g s for 64000", few, many);
}
