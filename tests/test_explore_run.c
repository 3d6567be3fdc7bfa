/* Exploring real code: one schedule of each happens-before trace, and no trace missed. */
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "test/explore.h"

#if defined(__SANITIZE_THREAD__)
#define RUNS() test_skip("the thread sanitizer does not know of the fibers")
#else
#define RUNS() (void)0
#endif

static struct mem mem;
static struct object object;

static void open_object(const char *file) {
  struct problem why;
  struct image *image;
  struct compiled compiled;
  char *inputs[] = {(char *)file, NULL};
  mem_open(&mem, NULL);
  struct object_options o = {.inputs = inputs, .directory = compile_directory(&mem, &why)};
  CHECKF(o.directory && object_open(&mem, &o, &image, &compiled, &object, &why), "%s", why.text);
  compile_remove(o.directory);
  CHECKF(run_open(image, object.run_ops, object.op_count, object.init,
                  &(struct run_options){.races = true, .type_stable = object.type_stable}, &why),
         "%s", why.text);
}

struct traces {
  struct trace trace;
  struct hashes *set;
  unsigned number;                /* added with this: 1 the reference, 0 what is compared with it */
  uint64_t known, again, unknown; /* met for the first time, or again; not the reference's */
};

static enum visit add_trace(void *self, const struct run *r) {
  struct traces *t = self;
  CHECKF(!r->found, "%s", r->said);
  trace_follow(&t->trace, r->steps, r->count, 0);
  int was = hashes_add(t->set, trace_hash(&t->trace), t->number);
  t->known += was == 1;
  t->again += was == 0;
  t->unknown += was == HASH_NEW;
  return VISIT_ON;
}

static struct explore_counts explored(const struct client *c, struct explore_options o, struct traces *t,
                                      unsigned number) {
  struct explore_counts counts;
  struct problem why;
  t->number = number;
  t->known = t->again = t->unknown = 0;
  CHECKF(explore(c, &o, NULL, NULL, add_trace, t, &counts, &why), "%s", why.text);
  CHECK(counts.complete || o.strategy->unit[0]);
  return counts;
}

static void open_client(const char *text, struct client *c, struct traces *t) {
  struct problem why;
  CHECKF(client_parse(&mem, &object, text, c, &why), "%s", why.text);
  *t = (struct traces){.set = hashes_open_own((size_t)1 << 28)};
  trace_open(&t->trace, &mem, c->threads);
}

/* cache: the reference is not every schedule, but every one from each state, states being the same if their traces are.
 */
static void check_client(const char *text, bool cache) {
  struct client c;
  struct traces t;
  open_client(text, &c, &t);
  explored(&c, (struct explore_options){.strategy = &strategies[EXPLORE_ALL], .cache = cache}, &t, 1);
  uint64_t traces = t.unknown;
  struct explore_counts counts = explored(&c, (struct explore_options){.strategy = &strategies[EXPLORE_DPOR]}, &t, 0);
  CHECKF(!t.unknown && !t.again && t.known == traces && counts.traces == traces,
         "%s: %llu traces of %llu, %llu again, %llu others", text, (unsigned long long)t.known,
         (unsigned long long)traces, (unsigned long long)t.again, (unsigned long long)t.unknown);
  fprintf(stderr, "%s: %llu traces, %llu runs given up\n", text, (unsigned long long)traces,
          (unsigned long long)counts.cut);
  hashes_close(t.set);
}

/* Schedules within a bound of delays that are not run because they are like another. */
static uint64_t check_skipping(const char *text, unsigned bound) {
  struct client c;
  struct traces t;
  open_client(text, &c, &t);
  struct explore_options o = {.strategy = &strategies[EXPLORE_DELAYS], .bound = bound};
  struct explore_counts all = explored(&c, o, &t, 1);
  uint64_t traces = t.unknown;
  o.skip = true;
  struct explore_counts counts = explored(&c, o, &t, 0);
  CHECKF(counts.schedules == all.schedules && t.known == traces && !t.unknown,
         "%s: %llu traces of %llu, %llu others; %llu schedules, not %llu", text, (unsigned long long)t.known,
         (unsigned long long)traces, (unsigned long long)t.unknown, (unsigned long long)counts.schedules,
         (unsigned long long)all.schedules);
  CHECK(counts.complete == all.complete);
  fprintf(stderr, "%s: %llu schedules, %llu traces, %llu skipped\n", text, (unsigned long long)counts.schedules,
          (unsigned long long)traces, (unsigned long long)counts.skipped);
  hashes_close(t.set);
  return counts.skipped;
}

TEST(explore_skipping_of_objects) {
  RUNS();
  static const struct {
    const char *file, *clients[3];
  } tried[] = {
      {"objects/ms_queue.c",
       {"enq(1) | deq() | enq(2) | deq()", "enq(1) deq() | enq(2) deq() | deq()",
        "deq() enq(1) enq(2) | enq(1) deq() deq()"}},
      {"objects/treiber_stack.c",
       {"push(1) | pop() | push(2) | pop()", "push(1) pop() | push(2) pop() | pop()", "push(1) push(2) | pop() pop()"}},
      {"objects/two_lock_queue.c",
       {"enq(1) | deq() | enq(2) | deq()", "enq(1) deq() | enq(2) deq() | deq()", "enq(1) enq(2) | deq() deq()"}},
      {"objects/elimination_stack.c",
       {"push(1) | pop() | push(2)", "push(1) pop() | pop()", "push(1) push(2) | pop()"}},
  };
  for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
    uint64_t skipped = 0;
    open_object(tried[i].file);
    for (int k = 0; k < 3; k++) skipped += check_skipping(tried[i].clients[k], getenv("ASIF_LONG") ? 6 : 4);
    CHECKF(skipped, "nothing is skipped of %s", tried[i].file);
    mem_close(&mem);
  }
  open_object("objects/ms_queue.c");
  check_skipping("enq(1) | deq() | enq(2) | deq() | enq(1) | deq() | enq(2) | deq()", getenv("ASIF_LONG") ? 5 : 4);
}

TEST(explore_traces_of_ms_queue) {
  RUNS();
  open_object("objects/ms_queue.c");
  check_client("enq(1) | deq()", false);
  check_client("deq() | deq() | deq()", false);
  check_client("deq() deq() | deq() deq()", false);
  check_client("enq(1) deq() | enq(2) deq()", true);
  check_client("enq(1) | enq(2) | deq() | deq()", true);
  if (!getenv("ASIF_LONG")) return;
  check_client("enq(1) | enq(2)", false);
  check_client("enq(1) deq() | deq() deq()", false);
  check_client("enq(1) enq(2) | deq() deq()", false);
  check_client("enq(1) | enq(2) | enq(1) | deq()", true);
}

TEST(explore_traces_with_freed_blocks) {
  RUNS();
  open_object("tests/explore/locked_stack.c");
  check_client("push(1) | pop()", false);
  check_client("push(1) pop() | push(2) pop()", true);
  check_client("push(1) pop() | push(2) | pop()", true);
}

TEST(explore_traces_with_locks) {
  RUNS();
  open_object("objects/two_lock_queue.c");
  check_client("enq(1) | deq()", false);
  check_client("enq(1) | enq(2) | deq()", true);
  check_client("enq(1) deq() | enq(2) deq()", true);
}

static enum visit look_on(void *self, const struct run *r) {
  (void)self;
  CHECKF(!r->found, "%s", r->said);
  return VISIT_ON;
}

/* Only the order of the tickets matters, and of calls and returns. */
TEST(explore_parts_of_words) {
  RUNS();
#if defined(__SANITIZE_ADDRESS__)
  test_skip("registers are not looked at under the sanitizers");
#endif
  struct client c;
  struct explore_counts counts;
  struct problem why;
  open_object("tests/explore/ticket_lock.c");
  CHECKF(client_parse(&mem, &object, "inc() | inc() | inc()", &c, &why), "%s", why.text);
  struct explore_options o = {.strategy = &strategies[EXPLORE_DPOR], .block = true};
  CHECKF(explore(&c, &o, NULL, NULL, look_on, NULL, &counts, &why), "%s", why.text);
  CHECKF(counts.complete && counts.schedules == 30, "%llu schedules", (unsigned long long)counts.schedules);
}

/* Code that can tell its threads apart: then none may stand for another. */
static bool knows(const char *includes, const char *asks) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/asif-knows-%d.%s", (int)getpid(), strstr(includes, "<thread>") ? "cc" : "c");
  FILE *f = fopen(path, "w");
  CHECK(f);
  fprintf(f, "#define _GNU_SOURCE\n#include <asif.h>\n%s\nstatic int op(void) { return %s; }\n", includes, asks);
  fprintf(f, "ASIF_OBJECT(self)\nASIF_OP(op)\n");
  fclose(f);
  open_object(path);
  unlink(path);
  mem_close(&mem);
  return object.knows_thread;
}

TEST(explore_threads_that_are_known) {
  RUNS();
  CHECK(!knows("", "1"));
  CHECK(!knows("#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
               "pthread_mutex_lock(&m) + pthread_mutex_unlock(&m)"));
  CHECK(knows("", "asif_thread()"));
  CHECK(knows("#include <pthread.h>", "pthread_self() == 0"));
  CHECK(knows("#include <threads.h>", "thrd_current() == 0"));
  CHECK(knows("#include <unistd.h>", "gettid() == 1"));
  CHECK(knows("#include <sched.h>", "sched_getcpu() == 1"));
  CHECK(knows("#include <unistd.h>\n#include <sys/syscall.h>", "syscall(SYS_gettid) == 1"));
  CHECK(knows("#include <thread>", "std::this_thread::get_id() == std::thread::id()"));
}
