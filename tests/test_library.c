/* The public API: histories built and read through it, checked, answered, refused. */
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "asif.h"
#include "evidence/evidence.h"
#include "test.h"

static void good(asif_history *h, asif_status status) {
  CHECKF(status == ASIF_DONE, "status %d: %s", status, asif_error(h));
}

static asif_answer *check(asif_history *h, const char *spec, const asif_options *options) {
  asif_answer *a;
  good(h, asif_check(h, spec, options, &a));
  CHECK(a && !*asif_error(h));
  return a;
}

static void op(asif_history *h, int process, const char *operation, int64_t arg, int64_t result) {
  asif_value v = asif_int(arg);
  good(h, asif_call(h, process, NULL, operation, &v, arg != ASIF_OK));
  good(h, asif_return(h, process, asif_int(result)));
}

static void refused(asif_history *h, asif_status status, const char *why) {
  CHECK(status == ASIF_BAD_INPUT);
  CHECKF(strstr(asif_error(h), why), "'%s' lacks '%s'", asif_error(h), why);
}

/* Enq(1), Enq(2), and then a Deq that returns `got`. */
static asif_history *queue(int64_t got) {
  asif_history *h = asif_history_new();
  op(h, 0, "enq", 1, ASIF_OK);
  op(h, 0, "enq", 2, ASIF_OK);
  op(h, 1, "deq", ASIF_OK, got);
  return h;
}

/* The evidence of a verdict stands, re-validated from the file alone. */
static void replays(const char *path) {
  static const struct evidence_of none[] = {{NULL, NULL}};
  struct problem why = {.text = ""};
  struct mem m;
  struct replaying r = {.mem = &m, .why = &why};
  mem_open(&m, NULL);
  text_open(&r.said, &m);
  CHECKF(evidence_replay(&r, path, none), "%s", why.text);
  CHECKF(r.verdict == VERDICT_HOLDS, "%s", text_string(&r.said));
  mem_close(&m);
  unlink(path);
}

static void decides(asif_history *h, const char *spec, asif_verdict verdict) {
  char path[] = "/tmp/asif-library-XXXXXX";
  int fd = mkstemp(path);
  CHECK(fd >= 0 && !close(fd));
  asif_answer *a = check(h, spec, &(asif_options){.evidence = path});
  replays(path);
  CHECKF(asif_answer_verdict(a) == verdict, "%s: %s", spec, asif_answer_reason(a));
  asif_answer_free(a);
}

TEST(library_holds_with_an_order) {
  asif_history *h = queue(1);
  asif_answer *a = check(h, "queue", NULL);
  asif_history_free(h); /* the answer outlives it */
  CHECK(asif_answer_verdict(a) == ASIF_HOLDS && !*asif_answer_reason(a) && strstr(asif_answer_method(a), "queue"));
  size_t count;
  const uint32_t *order = asif_answer_order(a, &count);
  CHECK(count == 3 && order[0] == 0 && order[1] == 1 && order[2] == 2 && asif_answer_operations(a) == 3);
  CHECK(!asif_answer_core(a, &count) && !count);
  char *text = asif_answer_operation(a, 2);
  CHECKF(!strcmp(text, "1: Deq() -> 1"), "%s", text);
  free(text);
  CHECK(!asif_answer_operation(a, 3) && !asif_answer_report(a, (asif_report_kind)77));
  asif_answer_free(a);
}

TEST(library_violated_with_a_core) {
  asif_history *h = queue(2);
  asif_answer *a = check(h, "queue", NULL);
  CHECK(asif_answer_verdict(a) == ASIF_VIOLATED);
  CHECKF(strstr(asif_answer_reason(a), "2 was dequeued before 1"), "%s", asif_answer_reason(a));
  size_t count;
  const uint32_t *core = asif_answer_core(a, &count);
  CHECK(count == 3 && core[0] == 0 && core[2] == 2);
  CHECK(!asif_answer_order(a, &count) && !count);
  asif_answer_free(a);
  asif_history_free(h);
}

TEST(library_one_history_many_checks) {
  asif_history *h = asif_history_new();
  op(h, 0, "push", 1, ASIF_OK);
  op(h, 0, "push", 2, ASIF_OK);
  op(h, 1, "pop", ASIF_OK, 2);
  for (int i = 0; i < 3; i++) {
    decides(h, "stack", ASIF_HOLDS);
    decides(h, "queue", ASIF_VIOLATED);
    decides(h, "bounded-queue(4)", ASIF_VIOLATED);
    decides(h, "semiqueue(2)", ASIF_HOLDS);
  }
  asif_answer *a = NULL;
  refused(h, asif_check(h, "register", NULL, &a), "push");
  CHECK(!a);
  decides(h, "stack", ASIF_HOLDS); /* a failed check does no harm */
  refused(h, asif_call(h, 0, NULL, "push", ASIF_ARGS(asif_int(3))), "nothing can be added");
  decides(h, "stack", ASIF_HOLDS);
  asif_history_free(h);
}

TEST(library_pending_fail_info) {
  asif_history *h = asif_history_new();
  good(h, asif_call(h, 0, "r", "write", ASIF_ARGS(asif_int(1)))); /* never returns, but was read */
  good(h, asif_call(h, 1, "r", "write", ASIF_ARGS(asif_int(2))));
  good(h, asif_fail(h, 1));
  good(h, asif_call(h, 2, "r", "write", ASIF_ARGS(asif_int(3))));
  good(h, asif_info(h, 2));
  for (int64_t v = 1; v <= 3; v += 2) {
    good(h, asif_call(h, 1, "r", "read", ASIF_NO_ARGS));
    good(h, asif_return(h, 1, asif_int(v)));
  }
  asif_answer *a = check(h, "register", NULL);
  CHECKF(asif_answer_verdict(a) == ASIF_HOLDS, "%s", asif_answer_reason(a));
  CHECK(asif_answer_operations(a) == 4); /* the failed one is not there */
  asif_answer_free(a);
  asif_history_free(h);

  h = asif_history_new();
  good(h, asif_call(h, 1, "r", "write", ASIF_ARGS(asif_int(2))));
  good(h, asif_fail(h, 1));
  op(h, 1, "read", ASIF_OK, 2);
  decides(h, "register", ASIF_VIOLATED);
  asif_history_free(h);

  h = asif_history_new();
  good(h, asif_call(h, 1, "r", "write", ASIF_ARGS(asif_int(2))));
  good(h, asif_info(h, 1));
  refused(h, asif_call(h, 1, "r", "read", ASIF_NO_ARGS), "unknown outcome");
  asif_history_free(h);
}

TEST(library_values) {
  asif_history *h = asif_history_new();
  const int64_t large = INT64_MIN;
  char word[] = "two words \"and\" a quote";
  good(h, asif_call(h, -7, NULL, "put", ASIF_ARGS(asif_text("key"), asif_text(word))));
  good(h, asif_return(h, -7, asif_int(ASIF_ANY)));
  memset(word, 'x', sizeof word - 1); /* the history has its own copy */
  good(h, asif_call(h, INT_MAX, NULL, "get", ASIF_ARGS(asif_text("key"))));
  good(h, asif_return(h, INT_MAX, asif_text("two words \"and\" a quote")));
  good(h, asif_call(h, 1, NULL, "get", ASIF_ARGS(asif_text("other"))));
  good(h, asif_return(h, 1, asif_int(ASIF_NIL)));
  good(h, asif_call(h, 1, NULL, "put", ASIF_ARGS(asif_text("other"), asif_int(large))));
  good(h, asif_return(h, 1, asif_int(ASIF_OK)));
  good(h, asif_call(h, 1, NULL, "get", ASIF_ARGS(asif_text("other"))));
  good(h, asif_return(h, 1, asif_int(large)));
  asif_answer *a = check(h, "map", NULL);
  CHECKF(asif_answer_verdict(a) == ASIF_HOLDS, "%s", asif_answer_reason(a));
  char *text = asif_answer_operation(a, 1);
  CHECKF(!strcmp(text, "2147483647: Get(key) -> \"two words \\\"and\\\" a quote\""), "%s", text);
  free(text);
  asif_answer_free(a);
  asif_history_free(h);

  h = asif_history_new();
  op(h, 0, "deq", ASIF_OK, ASIF_EMPTY);
  op(h, 0, "enq", 5, ASIF_OK);
  op(h, 0, "deq", ASIF_OK, ASIF_EMPTY);
  decides(h, "queue", ASIF_VIOLATED);
  asif_history_free(h);
}

/* A text ends where its length says, and what is told of it goes on behind a zero byte. */
TEST(library_zero_bytes_are_escaped) {
  asif_history *h = asif_history_new();
  const asif_value in = {"a\0b", 3, 0}, out = {"a\0c", 3, 0};
  good(h, asif_call(h, 0, NULL, "enq", &in, 1));
  good(h, asif_return(h, 0, asif_int(ASIF_OK)));
  good(h, asif_call(h, 0, NULL, "deq", NULL, 0));
  good(h, asif_return(h, 0, out));
  asif_answer *a = check(h, "queue", NULL);
  CHECK(asif_answer_verdict(a) == ASIF_VIOLATED);
  CHECKF(strstr(asif_answer_reason(a), "\"a\\u0000c\" "), "%s", asif_answer_reason(a));
  char *text = asif_answer_operation(a, 0), *report = asif_answer_report(a, ASIF_REPORT_TEXT);
  CHECKF(!strcmp(text, "0: Enq(\"a\\u0000b\") -> ok"), "%s", text);
  CHECKF(strstr(report, "a\\u0000c") && strstr(report, asif_answer_reason(a)), "%s", report);
  free(text);
  free(report);
  asif_answer_free(a);
  asif_history_free(h);
}

TEST(library_intervals_of_a_process) {
  static const struct {
    const char *first, *second;
    int64_t from, to;
    asif_status status;
    asif_verdict verdict;
  } cases[] = {{"release", "acquire", 3, 8, ASIF_BAD_INPUT, ASIF_UNKNOWN},
               {"acquire", "release", 4, 8, ASIF_BAD_INPUT, ASIF_UNKNOWN},
               {"acquire", "release", 5, 8, ASIF_DONE, ASIF_HOLDS},
               {"release", "acquire", 5, 8, ASIF_DONE, ASIF_VIOLATED},
               {"acquire", "release", 5, 5, ASIF_DONE, ASIF_HOLDS},
               {"acquire", "release", 5, ASIF_PENDING, ASIF_DONE, ASIF_HOLDS},
               {"release", "acquire", 0, 1, ASIF_DONE, ASIF_HOLDS},
               {"release", "acquire", 1, 1, ASIF_DONE, ASIF_HOLDS},
               {"acquire", "release", 0, ASIF_PENDING, ASIF_BAD_INPUT, ASIF_UNKNOWN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int turned = 0; turned < 2; turned++) {
      asif_history *h = asif_history_new();
      asif_answer *a;
      for (int k = 0; k < 2; k++) {
        bool first = k == turned;
        asif_status added = asif_interval(h, 7, "l", first ? cases[i].first : cases[i].second, ASIF_NO_ARGS,
                                          asif_int(ASIF_OK), first ? 1 : cases[i].from, first ? 5 : cases[i].to);
        CHECK(added == ASIF_DONE);
      }
      CHECKF(asif_check(h, "lock", NULL, &a) == cases[i].status, "%zu: %s", i, asif_error(h));
      CHECKF(asif_answer_verdict(a) == cases[i].verdict, "%zu: %d", i, asif_answer_verdict(a));
      if (cases[i].status) CHECKF(strstr(asif_error(h), "has not returned"), "%s", asif_error(h));
      if (cases[i].status) CHECK(asif_check(h, "lock", NULL, &a) == ASIF_BAD_INPUT && !a);
      asif_answer_free(a);
      asif_history_free(h);
    }
}

TEST(library_intervals) {
  for (int late = 0; late < 2;
       late++) { /* the read that starts at 20 may see the write that ends there; at 21 it may not miss it */
    asif_history *h = asif_history_new();
    good(h, asif_interval(h, 2, "r", "read", ASIF_NO_ARGS, asif_int(ASIF_NIL), 20 + late, 30));
    good(h, asif_interval(h, 1, "r", "write", ASIF_ARGS(asif_int(5)), asif_int(ASIF_OK), -10, 20));
    good(h, asif_interval(h, 1, "r", "write", ASIF_ARGS(asif_int(6)), asif_int(ASIF_OK), 40, ASIF_PENDING));
    decides(h, "register", late ? ASIF_VIOLATED : ASIF_HOLDS);
    asif_history_free(h);
  }
  asif_history *h = asif_history_new();
  refused(h, asif_interval(h, 1, "r", "read", ASIF_NO_ARGS, asif_int(1), 5, 4), "ends before it starts");
  asif_history_free(h);
  h = asif_history_new();
  good(h, asif_interval(h, 1, "r", "read", ASIF_NO_ARGS, asif_int(1), 5, 6));
  refused(h, asif_call(h, 1, "r", "read", ASIF_NO_ARGS), "not of both");
  asif_history_free(h);
}

TEST(library_refuses_and_stays_so) {
  static const struct {
    const char *why;
    int what;
  } cases[] = {{"process 1 returns, but has not called", 0},
               {"process 1 calls while its earlier call has not returned", 1},
               {"at most 3 arguments, not 4", 2},
               {"ASIF_OK is a result", 3},
               {"has no name", 4},
               {"fails, but has not called", 5},
               {"another process is called 'A'", 6},
               {"after its first event", 7},
               {"ASIF_ANY is a result", 8},
               {"process A returns, but has not called", 9},
               {"object has no name", 10},
               {"name is missing", 11}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    asif_history *h = asif_history_new();
    asif_status s = ASIF_DONE;
    op(h, 0, "enq", 1, ASIF_OK);
    switch (cases[i].what) {
    case 0: s = asif_return(h, 1, asif_int(1)); break;
    case 1:
      good(h, asif_call(h, 1, NULL, "deq", ASIF_NO_ARGS));
      s = asif_call(h, 1, NULL, "deq", ASIF_NO_ARGS);
      break;
    case 2: s = asif_call(h, 1, NULL, "enq", ASIF_ARGS(asif_int(1), asif_int(1), asif_int(1), asif_int(1))); break;
    case 3: s = asif_call(h, 1, NULL, "enq", ASIF_ARGS(asif_int(ASIF_OK))); break;
    case 4: s = asif_call(h, 1, NULL, NULL, ASIF_NO_ARGS); break;
    case 5: s = asif_fail(h, 1); break;
    case 6:
      good(h, asif_name_process(h, 1, "A"));
      s = asif_name_process(h, 2, "A");
      break;
    case 7: s = asif_name_process(h, 0, "A"); break;
    case 8: s = asif_call(h, 1, NULL, "enq", ASIF_ARGS(asif_int(ASIF_ANY))); break;
    case 10: s = asif_call(h, 1, "", "enq", ASIF_ARGS(asif_int(1))); break;
    case 11: s = asif_name_process(h, 1, ""); break;
    default: good(h, asif_name_process(h, 1, "A")); s = asif_return(h, 1, asif_int(1));
    }
    refused(h, s, cases[i].why);
    asif_answer *a;
    refused(h, asif_call(h, 5, NULL, "enq", ASIF_ARGS(asif_int(2))),
            cases[i].why); /* nothing goes on as if nothing were */
    refused(h, asif_check(h, "queue", NULL, &a), cases[i].why);
    CHECK(!a);
    asif_history_free(h);
  }
}

TEST(library_unknown_names) {
  asif_history *h = queue(1);
  asif_answer *a;
  refused(h, asif_check(h, "qeue", NULL, &a), "did you mean");
  refused(h, asif_check(h, "missing.c", NULL, &a), "missing.c");
  refused(h, asif_check(h, "queue", &(asif_options){.method = "magic"}, &a), "no method is called 'magic'");
  CHECK(!a);
  asif_history_free(h);
  h = asif_history_new();
  op(h, 0, "enq", 1, ASIF_OK);
  op(h, 0, "frobnicate", 1, ASIF_OK);
  refused(h, asif_check(h, "queue", NULL, &a), "operation 'frobnicate' is not one of queue's");
  refused(h, asif_check(h, NULL, NULL, &a), "");
  asif_history_free(h);
}

TEST(library_no_history) { /* of an asif_history_new that had no memory */
  asif_answer *a;
  CHECK(asif_call(NULL, 0, NULL, "enq", ASIF_NO_ARGS) == ASIF_NO_MEMORY &&
        asif_return(NULL, 0, asif_int(1)) == ASIF_NO_MEMORY);
  CHECK(asif_name_process(NULL, 0, "A") == ASIF_NO_MEMORY && asif_read_file(NULL, "x", NULL) == ASIF_NO_MEMORY);
  CHECK(asif_check(NULL, "queue", NULL, &a) == ASIF_NO_MEMORY && !a && *asif_error(NULL));
  asif_history_free(NULL);
  asif_answer_free(NULL);
  asif_history *empty = asif_history_new();
  decides(empty, "queue", ASIF_HOLDS);
  asif_history_free(empty);
}

TEST(library_out_of_memory) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  test_skip("a sanitizer needs its address space");
#else
  struct rlimit most = {64 << 20, 64 << 20};
  CHECK(!setrlimit(RLIMIT_AS, &most));
  asif_history *h = asif_history_new();
  asif_status s = ASIF_DONE;
  char name[32];
  for (int i = 0; !s && i < 10000000; i++) {
    snprintf(name, sizeof name, "value %d", i);
    s = asif_call(h, i, NULL, "enq", ASIF_ARGS(asif_text(name)));
  }
  CHECK(s == ASIF_NO_MEMORY && !strcmp(asif_error(h), "out of memory"));
  asif_answer *a;
  CHECK(asif_return(h, 0, asif_int(ASIF_OK)) == ASIF_NO_MEMORY && asif_check(h, "queue", NULL, &a) == ASIF_NO_MEMORY &&
        !a);
  asif_history_free(h);
  /* Room for the history, but not for an answer. */
  h = asif_history_new();
  for (int i = 0; i < 400000; i++) op(h, i % 4, "push", i % 7, ASIF_OK);
  s = asif_check(h, "stack", NULL, &a);
  CHECK(s == ASIF_NO_MEMORY || (!s && asif_answer_verdict(a) != ASIF_VIOLATED));
  asif_answer_free(a);
  asif_history_free(h);
  h = queue(1); /* and all of it was given back */
  decides(h, "queue", ASIF_HOLDS);
  asif_history_free(h);
#endif
}

TEST(library_options) {
  asif_history *h = queue(2);
  const char *const methods[] = {"auto", "fast", "search", "wing-gong"};
  for (size_t i = 0; i < 4; i++) {
    asif_answer *a = check(h, "queue", &(asif_options){.method = methods[i], .jobs = (int)i, .no_explain = 1});
    CHECK(asif_answer_verdict(a) == ASIF_VIOLATED);
    asif_answer_free(a);
  }
  asif_answer *a;
  refused(h, asif_check(h, "semiqueue(2)", &(asif_options){.method = "fast"}, &a), "monitor");
  decides(h, NULL, ASIF_VIOLATED); /* guessed */
  asif_history_free(h);
}

/* Equal values, all overlapping: too many orders to try. */
static asif_history *hard(void) {
  asif_history *h = asif_history_new();
  enum { PROCESSES = 26 };
  for (int round = 0; round < 3; round++) {
    for (int p = 0; p < PROCESSES; p++)
      good(h, asif_call(h, p, NULL, p % 2 ? "pop" : "push", p % 2 ? NULL : &(asif_value){NULL, 0, p * 3 + round},
                        !(p % 2)));
    for (int p = 0; p < PROCESSES; p++)
      good(h, asif_return(h, p, p % 2 ? asif_int((PROCESSES - 1 - p) * 3 + round) : asif_int(ASIF_OK)));
  }
  op(h, 0, "pop", ASIF_OK, 777);
  return h;
}

TEST(library_limits_are_unknown) {
  asif_history *h = hard();
  static const struct {
    asif_options options;
    const char *why;
  } cases[] = {{{.method = "wing-gong", .seconds = 0.05}, "time limit"},
               {{.method = "search", .bytes = 1 << 20}, "memory limit"},
               {{.method = "search", .bytes = 4 << 20, .jobs = 4}, "memory limit"},
               {{.bytes = 1000}, "memory limit"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    asif_answer *a = check(h, "deque", &cases[i].options);
    CHECKF(asif_answer_verdict(a) == ASIF_UNKNOWN, "%zu: %d %s", i, asif_answer_verdict(a), asif_answer_reason(a));
    CHECKF(strstr(asif_answer_reason(a), cases[i].why), "%s", asif_answer_reason(a));
    char *text = asif_answer_report(a, ASIF_REPORT_TEXT);
    CHECK(strstr(text, "verdict: unknown"));
    free(text);
    asif_answer_free(a);
  }
  asif_history_free(h);
}

TEST(library_reads) {
  static const char bad[] = "q Enq(1) A\nq Ok() A\nq Enq(2) A\nq Ok() A\nq Deq() B\nq Ok(2) B\n";
  asif_history *h = asif_history_new();
  good(h, asif_read_bytes(h, "memory.txt", bad, sizeof bad - 1, NULL));
  decides(h, "queue", ASIF_VIOLATED);
  decides(h, NULL, ASIF_VIOLATED);
  refused(h, asif_read_bytes(h, NULL, bad, sizeof bad - 1, NULL), "nothing can be added");
  asif_history_free(h);

  char path[] = "/tmp/asif-test-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0 && write(file, bad, sizeof bad - 1) == sizeof bad - 1 && !close(file));
  h = asif_history_new();
  good(h, asif_read_file(h, path, "wing-gong"));
  decides(h, "queue", ASIF_VIOLATED);
  asif_history_free(h);
  h = asif_history_new();
  refused(h, asif_read_file(h, path, "morse"), "no format is called 'morse'");
  asif_history_free(h);
  unlink(path);
  h = asif_history_new();
  refused(h, asif_read_file(h, path, NULL), "No such file");
  asif_history_free(h);
  h = asif_history_new();
  refused(h, asif_read_bytes(h, "name.txt", "q Ok() A\n", 9, "wing-gong"), "name.txt:1");
  asif_history_free(h);
  h = asif_history_new();
  op(h, 0, "enq", 1, ASIF_OK);
  refused(h, asif_read_bytes(h, NULL, bad, sizeof bad - 1, NULL), "");
  asif_history_free(h);
}

TEST(library_reports) {
  static const char *const signs[] = {[ASIF_REPORT_TEXT] = "verdict: not linearizable",
                                      [ASIF_REPORT_JSON] = "\"verdict\":\"violated\"",
                                      [ASIF_REPORT_HTML] = "<html",
                                      [ASIF_REPORT_SVG] = "<svg",
                                      [ASIF_REPORT_JUNIT] = "<testsuite"};
  asif_history *h = asif_history_new();
  good(h, asif_name_process(h, 0, "writer"));
  op(h, 0, "enq", 1, ASIF_OK);
  op(h, 1, "deq", ASIF_OK, 2);
  asif_answer *a = check(h, "queue", NULL);
  for (int k = ASIF_REPORT_TEXT; k <= ASIF_REPORT_JUNIT; k++) {
    char *text = asif_answer_report(a, (asif_report_kind)k);
    CHECKF(text && strstr(text, signs[k]), "%s", text);
    free(text);
  }
  char *text = asif_answer_operation(a, 0);
  CHECKF(!strcmp(text, "writer: Enq(1) -> ok"), "%s", text);
  free(text);
  asif_answer_free(a);
  asif_history_free(h);
}

TEST(library_evidence) {
  char path[] = "/tmp/asif-test-XXXXXX", line[100];
  int file = mkstemp(path);
  CHECK(file >= 0 && !close(file));
  for (int bad = 0; bad < 2; bad++) {
    asif_history *h = queue(1 + bad);
    asif_answer_free(check(h, "queue", &(asif_options){.evidence = path}));
    asif_history_free(h);
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(line, sizeof line, f) && !strcmp(line, "asif-evidence 1\n"));
    CHECK(fgets(line, sizeof line, f) && !strcmp(line, bad ? "verdict not linearizable\n" : "verdict linearizable\n"));
    fclose(f);
  }
  unlink(path);
}

TEST(library_numbers_in_any_locale) {
  static const char *const with_commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE",
                                            "fr_FR",       "nl_NL.UTF-8", "da_DK.UTF-8"};
  size_t i = 0;
  while (i < sizeof with_commas / sizeof *with_commas && !setlocale(LC_ALL, with_commas[i])) i++;
  if (i == sizeof with_commas / sizeof *with_commas) test_skip("no locale with decimal commas");
  asif_history *h = queue(1);
  asif_answer *a = check(h, "queue", NULL);
  char *text = asif_answer_report(a, ASIF_REPORT_JSON);
  const char *seconds = strstr(text, "\"seconds\":");
  CHECKF(seconds && strchr(seconds, '.') < strchr(seconds + 10, '"'), "%s", text);
  CHECK(!strcmp(setlocale(LC_ALL, NULL), with_commas[i]));
  free(text);
  asif_answer_free(a);
  asif_history_free(h);
}

TEST(library_version) {
  char version[40];
  snprintf(version, sizeof version, "%d.%d", ASIF_VERSION_MAJOR, ASIF_VERSION_MINOR);
  CHECK(!strncmp(asif_version(), version, strlen(version)));
}

/* Threads, each with its own histories. */

static void *use(void *arg) {
  int me = *(int *)arg;
  for (int round = 0; round < 12; round++) {
    asif_history *h = asif_history_new();
    const char *const objects[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 40; i++) {
      const char *object = objects[i % 4];
      asif_value v = asif_int(me * 1000 + i);
      good(h, asif_call(h, 0, object, "enq", &v, 1));
      good(h, asif_call(h, 1, object, "deq", ASIF_NO_ARGS));
      good(h, asif_return(h, 0, asif_int(ASIF_OK)));
      good(h, asif_return(h, 1, i == 39 && round % 2 ? asif_int(-1) : v));
    }
    asif_verdict want = round % 2 ? ASIF_VIOLATED : ASIF_HOLDS;
    asif_answer *a = check(h, "queue", &(asif_options){.jobs = round % 3, .method = round % 4 ? NULL : "search"});
    CHECK(asif_answer_verdict(a) == want);
    decides(h, "semiqueue(3)", want);
    char *json = asif_answer_report(a, ASIF_REPORT_JSON), *html = asif_answer_report(a, ASIF_REPORT_HTML);
    CHECK(json && html);
    free(json);
    free(html);
    asif_answer_free(a);
    asif_history_free(h);
  }
  return NULL;
}

TEST(library_threads) {
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  int number[THREADS];
  for (int i = 0; i < THREADS; i++) {
    number[i] = i;
    CHECK(!pthread_create(&threads[i], NULL, use, &number[i]));
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

/* A specification in C: one check at a time, whichever threads ask. */

static const char counter[] = "#include <asif.h>\n"
                              "struct state { int n; };\n"
                              "static int inc(struct state *s) { return ++s->n; }\n"
                              "static void crash(struct state *s) { *(volatile int *)8 = s->n; }\n"
                              "ASIF_SPEC(my_counter, struct state)\n"
                              "ASIF_SPEC_OP(inc)\n"
                              "ASIF_SPEC_OP(crash)\n";

static void write_counter(char *path) {
  int file = mkstemps(path, 2);
  CHECK(file >= 0 && write(file, counter, sizeof counter - 1) == sizeof counter - 1 && !close(file));
}

static void *count(void *path) {
  for (int round = 0; round < 2; round++) {
    asif_history *h = asif_history_new();
    for (int i = 1; i <= 5; i++) {
      const char *object = i % 2 ? "a" : "b";
      good(h, asif_call(h, i, object, "inc", ASIF_NO_ARGS));
      good(h, asif_return(h, i, asif_int((i + 1) / 2 + (round && i == 5))));
    }
    asif_answer *a = check(h, path, &(asif_options){.jobs = 4});
    CHECKF(asif_answer_verdict(a) == (round ? ASIF_VIOLATED : ASIF_HOLDS), "%s", asif_answer_reason(a));
    char *text = asif_answer_report(a, ASIF_REPORT_TEXT);
    CHECK(text && strstr(text, "my_counter"));
    free(text);
    asif_answer_free(a);
    asif_history_free(h);
  }
  return NULL;
}

TEST(library_threads_with_a_spec_in_c) {
  char path[] = "/tmp/asif-test-XXXXXX.c";
  setenv("ASIF_INCLUDE", "include", 0);
  write_counter(path);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) CHECK(!pthread_create(&threads[i], NULL, count, path));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  unlink(path);
}

TEST(library_spec_in_c_that_crashes) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  test_skip("the sanitizer takes the signals");
#else
  char path[] = "/tmp/asif-test-XXXXXX.c";
  setenv("ASIF_INCLUDE", "include", 0);
  write_counter(path);
  asif_history *h = asif_history_new();
  op(h, 0, "inc", ASIF_OK, 1);
  op(h, 0, "crash", ASIF_OK, ASIF_OK);
  asif_answer *a;
  refused(h, asif_check(h, path, NULL, &a), "crash");
  CHECK(!a);
  unlink(path);
  asif_history_free(h);
#endif
}
