/* The recorder and the monitor of the library, under real threads: nothing is lost, the order is right, no alarm is
 * false, and what is done wrong on purpose is found. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../objects/lib/hazard.h"
#include "../objects/lib/ms_queue.h"
#include "../objects/lib/treiber_stack.h"
#include "approx/monitor.h"
#include "asif.h"
#include "evidence/evidence.h"
#include "formats.h"
#include "lib/deck.h"
#include "spec/c_values.h"

enum { THREADS_MOST = 8 };

#if defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* How many operations: fewer where each costs more. */
static long operations(long all) {
#ifdef SANITIZED
  return all / 50;
#else
  return getenv("ASIF_TEST_HISTORIES") && !getenv("ASIF_LONG") ? all / 10 : all;
#endif
}

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static const char *temporary(const char *name) {
  static char path[2][100];
  static int which;
  which = !which;
  snprintf(path[which], sizeof path[which], "/tmp/asif-test-%d-%s", (int)getpid(), name);
  return path[which];
}

static void closes(asif_recorder *r) {
  char *why = NULL;
  asif_status status = asif_recorder_close(r, &why);
  CHECKF(status == ASIF_DONE && !why, "%d: %s", status, why);
}

static struct history *read_back(const char *path) {
  struct problem p;
  struct history *h = history_read(test_memory(), path, NULL, &p);
  CHECKF(h, "%s", p.text);
  CHECK(!strcmp(h->format, "recording"));
  return h;
}

/* Threads that start together. */

struct team {
  void (*work)(int number);
  pthread_barrier_t start;
};
static struct team team;

static void *member(void *number) {
  pthread_barrier_wait(&team.start);
  team.work((int)(intptr_t)number);
  return NULL;
}

static void together(int threads, void (*work)(int)) {
  pthread_t id[THREADS_MOST];
  team.work = work;
  pthread_barrier_init(&team.start, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) CHECK(!pthread_create(&id[i], NULL, member, (void *)(intptr_t)i));
  for (int i = 0; i < threads; i++) pthread_join(id[i], NULL);
  pthread_barrier_destroy(&team.start);
}

/* --- the recorder --- */

/* Each thread takes numbers from one counter: in real time they only grow. */
static struct {
  asif_recorder *recorder;
  int take;
  long each;
  _Atomic int64_t counter;
} taking;

static void take_numbers(int number) {
  char name[16];
  snprintf(name, sizeof name, "T%d", number);
  asif_tape *t = asif_recorder_thread(taking.recorder, name);
  for (long i = 0; i < taking.each; i++) {
    asif_recorder_call1(t, taking.take, i);
    int64_t got = atomic_fetch_add(&taking.counter, 1);
    asif_recorder_return(t, got);
  }
  asif_tape_end(t);
}

/* Looks at the events as they are read: every one is there, a thread's in its order, and no operation is said to be
 * after another that it was not after. */
struct looking {
  struct follower follower;
  const struct history *history;
  long count[THREADS_MOST];
  int64_t highest; /* result of those that have returned */
  int64_t at_call[THREADS_MOST];
  uint64_t after; /* calls that came after all of one more return */
};

static const char *looks_at_call(struct follower *f, const struct op *o, uint32_t slot, uint64_t line) {
  struct looking *l = (struct looking *)f;
  CHECK(slot < THREADS_MOST && !line);
  CHECKF(o->arg[0] == value_of_small((int32_t)l->count[slot]), "process %u: %u", slot, o->arg[0] >> 1);
  l->at_call[slot] = l->highest;
  return NULL;
}

static const char *looks_at_return(struct follower *f, uint32_t slot, value result, uint64_t line) {
  struct looking *l = (struct looking *)f;
  int64_t number = value_small(result);
  (void)line;
  CHECKF(number > l->at_call[slot], "%lld is after %lld", (long long)l->at_call[slot], (long long)number);
  if (number > l->highest) l->highest = number;
  l->count[slot]++;
  return NULL;
}

static void take_all(int threads, long all, asif_taker taker, size_t bytes, bool fenced) {
  const char *path = temporary("taken");
  asif_recorder_options options = {.taker = taker, .bytes = bytes};
  deck_fences = fenced;
  taking.recorder = asif_recorder_open(path, &options);
  taking.take = asif_recorder_operation(taking.recorder, NULL, "inc");
  taking.each = all / threads;
  atomic_store(&taking.counter, 0);
  together(threads, take_numbers);
  closes(taking.recorder);
  struct problem p = {.text = ""};
  struct mem m;
  mem_open(&m, NULL);
  struct looking l = {.follower = {.call = looks_at_call, .ret = looks_at_return}, .highest = -1};
  struct history *h = history_new(&m, path);
  h->follower = &l.follower;
  CHECKF(history_follow(h, path, NULL, &p), "%s", p.text);
  for (int i = 0; i < threads; i++)
    CHECKF(l.count[i] == taking.each, "thread %d: %ld of %ld", i, l.count[i], taking.each);
  CHECK(l.highest == taking.each * threads - 1);
  mem_close(&m);
  unlink(path);
}

TEST(recorder_threads_lose_nothing) { take_all(8, operations(10000000), ASIF_BACKGROUND, 0, false); }

TEST(recorder_threads_of_all_kinds) {
  for (int threads = 1; threads <= THREADS_MOST; threads *= 2)
    for (int fenced = 0; fenced < 2; fenced++) {
      take_all(threads, operations(200000), ASIF_INLINE, 0, fenced);
      take_all(threads, operations(200000), ASIF_BACKGROUND, 8192, fenced);
      take_all(threads, operations(200000), ASIF_INLINE, 8192, fenced);
    }
}

TEST(recorder_says_what_happened) {
  const char *path = temporary("said");
  asif_recorder_options options = {.object_type = "map"};
  asif_recorder *r = asif_recorder_open(path, &options);
  int put = asif_recorder_operation(r, "m", "put"), get = asif_recorder_operation(r, "m", "get"),
      mix = asif_recorder_operation(r, "n", "mix");
  CHECK(put == 0 && get == 1 && mix == 2 && asif_recorder_operation(r, "m", "get") == get);
  asif_tape *a = asif_recorder_thread(r, "A"), *b = asif_recorder_thread(r, NULL), *a2 = asif_recorder_thread(r, "A");
  asif_recorder_call2(a, put, 7, -9000000000000000000);
  asif_recorder_call3(b, mix, 1, INT64_MAX, ASIF_TRUE);
  asif_recorder_return(a, ASIF_OK);
  asif_recorder_call1(a, get, 7);
  asif_recorder_fail(a);
  asif_recorder_call1(a, get, 7);
  asif_recorder_return(a, ASIF_NIL);
  asif_recorder_info(b);
  CHECK(asif_recorder_flush(r) == ASIF_DONE);
  asif_recorder_call1(b, get, -1);
  asif_recorder_return(b, ASIF_ANY);
  asif_recorder_call1(a2, get, INT32_MAX);
  CHECK(asif_recorder_flush(r) == ASIF_DONE);
  asif_recorder_return(a2, ASIF_FALSE);
  asif_recorder_call(a, get); /* pending */
  CHECK(asif_recorder_status(r) == ASIF_DONE && !*asif_recorder_error(r));
  closes(r);
  struct history *h = read_back(path);
  const char *expected =
      "# @object map\nm put(7, -9000000000000000000) A\nn mix(1, 9223372036854775807, true) 1\nm Ok() A\nm get(7) A\n"
      "m Ok(nil) A\nm get(-1) \"1'2\"\nm Ok(?) \"1'2\"\nm get(2147483647) \"A'3\"\nm Ok(false) \"A'3\"\nm get() A\n";
  CHECKF(!strcmp(written(h, "wing-gong"), expected), "%s", written(h, "wing-gong"));
  CHECK(h->failed == 1 && h->retired == 1);
  unlink(path);
}

static void fails(asif_recorder *r, const char *why) {
  char *said = NULL;
  CHECKF(strstr(asif_recorder_error(r), why), "%s", asif_recorder_error(r));
  CHECK(asif_recorder_status(r) == ASIF_BAD_INPUT && asif_recorder_close(r, &said) == ASIF_BAD_INPUT &&
        strstr(said, why));
  free(said);
}

/* A thread goes on where nothing can be written: it must not wait for ever. */
static void record_much(asif_recorder *r) {
  asif_tape *t = asif_recorder_thread(r, NULL);
  int op = asif_recorder_operation(r, NULL, "f");
  for (int i = 0; i < 50000; i++) {
    asif_recorder_call(t, op);
    asif_recorder_return(t, i);
  }
}

TEST(recorder_failures) {
  for (asif_taker taker = ASIF_BACKGROUND; taker <= ASIF_INLINE; taker++) {
    asif_recorder_options options = {.taker = taker};
    asif_recorder *r = asif_recorder_open("/tmp/asif-none/such/folder", &options);
    record_much(r);
    fails(r, "/tmp/asif-none/such/folder: cannot be opened: No such file or directory");
    r = asif_recorder_open("/dev/full", &options);
    record_much(r);
    fails(r, "/dev/full: cannot be written: No space left on device");
  }
  CHECK(asif_recorder_close(NULL, NULL) == ASIF_NO_MEMORY && !asif_recorder_thread(NULL, NULL) &&
        asif_recorder_operation(NULL, NULL, "x") == -1);
  asif_recorder_call3(NULL, 0, 1, 2, 3);
  asif_recorder_return(NULL, 0);
}

TEST(recorder_misuse) {
  const char *path = temporary("misuse");
  asif_recorder *r = asif_recorder_open(path, NULL);
  int op = asif_recorder_operation(r, NULL, "f");
  asif_tape *t = asif_recorder_thread(r, "main");
  asif_recorder_call(t, op);
  asif_recorder_call(t, op);
  fails(r, "thread main calls while its earlier call has not returned");
  r = asif_recorder_open(path, NULL);
  asif_recorder_return(asif_recorder_thread(r, NULL), 1);
  fails(r, "thread 0 returns, but has not called");
  asif_recorder_options options = {.object_type = "a queue"};
  fails(asif_recorder_open(path, &options), "the object's type is a word");
  r = asif_recorder_open(path, NULL);
  CHECK(asif_recorder_operation(r, "", "f") == -1);
  fails(r, "have 1 to 1000 bytes");
  fails(asif_recorder_open(NULL, NULL), "No such file");
  r = asif_recorder_open(path, NULL);
  t = asif_recorder_thread(r, NULL);
  asif_recorder_call1(t, asif_recorder_operation(r, NULL, "f"), ASIF_OK);
  asif_recorder_return(t, ASIF_OK);
  asif_recorder_flush(r);
  fails(r, "ASIF_OK is a result, not an argument");
  r = asif_recorder_open(path, NULL);
  t = asif_recorder_thread(r, NULL);
  asif_recorder_call(t, 5);
  asif_recorder_return(t, ASIF_OK);
  asif_recorder_flush(r);
  fails(r, "operation 5 is called, and there is none");
  for (int more = 1; more <= 8; more *= 2) { /* the numbers of operations are no more than 16 bits */
    r = asif_recorder_open(path, NULL);
    t = asif_recorder_thread(r, NULL);
    asif_recorder_call1(t, asif_recorder_operation(r, NULL, "f") + more * 65536, 1);
    if (more < 4) asif_recorder_return(t, ASIF_OK);
    asif_recorder_flush(r);
    fails(r, more < 4 ? "is called, and there is none" : "an operation that is none");
  }
  unlink(path);
}

/* What a process leaves that ends without a word, and what its children add: nothing. */
TEST(recorder_threads_fork_and_exit) {
  const char *path = temporary("fork");
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    asif_recorder *r = asif_recorder_open(path, NULL);
    int op = asif_recorder_operation(r, NULL, "f");
    asif_tape *t = asif_recorder_thread(r, NULL);
    for (int i = 0; i < 3000; i++) {
      asif_recorder_call1(t, op, i);
      asif_recorder_return(t, i);
    }
    asif_recorder_call1(t, op, 3000);
    asif_recorder_flush(r);
    if (!fork()) {
      asif_recorder_return(t, 0);
      for (int i = 0; i < 100000; i++) {
        asif_recorder_call1(t, op, -1);
        asif_recorder_return(t, -1);
      }
      _exit(asif_recorder_thread(r, NULL) || asif_recorder_operation(r, NULL, "g") || asif_recorder_close(r, NULL));
    }
    int status;
    wait(&status);
    if (status) _exit(3);
    for (int i = 3001; i < 20000; i++) { /* some of it is written, and some not */
      asif_recorder_return(t, i - 1);
      asif_recorder_call1(t, op, i);
    }
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && !status);
  struct history *h = read_back(path);
  CHECKF(h->ops.count >= 3000 && h->ops.count <= 20000, "%zu", h->ops.count);
  for (size_t i = 0; i < h->ops.count; i++) {
    CHECK(h->ops.at[i].arg[0] == value_of_small((int32_t)i));
    CHECK(op_pending(&h->ops.at[i]) ? i + 1 == h->ops.count : h->ops.at[i].result == h->ops.at[i].arg[0]);
  }
  unlink(path);
}

/* Through a pipe that is read slowly, with signals that interrupt the writing. */
static struct {
  const char *path;
  char *bytes;
  size_t count;
} slow;

static void *read_slowly(void *unused) {
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_SETMASK, &signals, NULL); /* they are for the writer */
  int file = open(slow.path, O_RDONLY);
  ssize_t n;
  while ((n = read(file, slow.bytes + slow.count, 3001)) > 0) slow.count += (size_t)n;
  close(file);
  return unused;
}

static void interrupt(int signal) { (void)signal; }

TEST(recorder_threads_interrupted) {
  slow.path = temporary("pipe");
  slow.bytes = malloc(32 << 20);
  CHECK(slow.bytes && !mkfifo(slow.path, 0600));
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &timer, NULL);
  pthread_t reader;
  CHECK(!pthread_create(&reader, NULL, read_slowly, NULL));
  asif_recorder_options options = {.taker = ASIF_INLINE, .bytes = 8192}; /* in this thread, which has the signals */
  asif_recorder *r = asif_recorder_open(slow.path, &options);
  asif_tape *t = asif_recorder_thread(r, NULL);
  int op = asif_recorder_operation(r, NULL, "f");
  int64_t count = operations(300000);
  for (int64_t i = 0; i < count; i++) {
    asif_recorder_call1(t, op, i << 40);
    asif_recorder_return(t, i);
  }
  closes(r);
  pthread_join(reader, NULL);
  memset(&timer, 0, sizeof timer);
  setitimer(ITIMER_REAL, &timer, NULL);
  struct history *h = parse_bytes(NULL, slow.bytes, slow.count);
  CHECK(h->ops.count == (size_t)count);
  for (int64_t i = 0; i < count; i++)
    CHECK(value_integer(h->values, h->ops.at[i].arg[0]) == i << 40 &&
          value_integer(h->values, h->ops.at[i].result) == i);
  unlink(slow.path);
}

static void *read_little(void *unused) {
  char some[100];
  int file = open(slow.path, O_RDONLY);
  CHECK(read(file, some, sizeof some) > 0);
  close(file);
  return unused;
}

/* Whoever reads goes away: that is a failure, and no signal. */
TEST(recorder_threads_broken_pipe) {
  for (asif_taker taker = ASIF_BACKGROUND; taker <= ASIF_INLINE; taker++) {
    slow.path = temporary("broken");
    CHECK(!mkfifo(slow.path, 0600));
    pthread_t reader;
    CHECK(!pthread_create(&reader, NULL, read_little, NULL));
    asif_recorder_options options = {.taker = taker};
    asif_recorder *r = asif_recorder_open(slow.path, &options);
    pthread_join(reader, NULL);
    record_much(r);
    asif_recorder_flush(r);
    fails(r, "cannot be written: Broken pipe");
    unlink(slow.path);
  }
}

TEST(recorder_many_tapes) {
  enum { TAPES = 150 };
  const char *path = temporary("many");
  asif_recorder_options options = {.taker = ASIF_INLINE, .bytes = 8192};
  asif_recorder *r = asif_recorder_open(path, &options);
  int op = asif_recorder_operation(r, NULL, "f");
  asif_tape *t[TAPES];
  for (int i = 0; i < TAPES; i++) t[i] = asif_recorder_thread(r, NULL);
  for (int round = 0; round < 500; round++) {
    for (int i = 0; i < TAPES; i++) asif_recorder_call1(t[i], op, round);
    for (int i = 0; i < TAPES; i++) asif_recorder_return(t[i], i);
  }
  for (int i = 0; i < TAPES; i++) asif_tape_end(t[i]);
  for (int i = 0; i < TAPES; i++)
    CHECK(asif_recorder_thread(r, NULL) == t[TAPES - 1 - i]); /* those that have ended are used again */
  CHECK(asif_recorder_thread(r, "other"));
  closes(r);
  struct history *h = read_back(path);
  CHECK(h->ops.count == 500 * TAPES && names_count(h->processes) == TAPES);
  for (size_t i = 0; i < h->ops.count; i++)
    CHECK(h->ops.at[i].call / TAPES == i / TAPES * 2 && h->ops.at[i].ret / TAPES == i / TAPES * 2 + 1);
  unlink(path);
}

/* --- the order --- */

/* Tapes are used by one thread in any order, and what is read back has exactly the precedences there were. */
enum { ORDER_TAPES = 5, ORDER_MOST = 1500 };

struct truth {
  int called, returned; /* moments; -1: not yet */
};

static void random_order(uint64_t seed) {
  const char *path = temporary("order");
  asif_recorder_options options = {.taker = seed % 2 ? ASIF_INLINE : ASIF_BACKGROUND, .bytes = 8192, .milliseconds = 1};
  asif_recorder *r = asif_recorder_open(path, &options);
  int op = asif_recorder_operation(r, NULL, "f"), moment = 0, count = 0, open[ORDER_TAPES];
  asif_tape *t[ORDER_TAPES];
  static struct truth truth[ORDER_MOST];
  for (int i = 0; i < ORDER_TAPES; i++) {
    t[i] = asif_recorder_thread(r, NULL);
    open[i] = -1;
  }
  while (count < ORDER_MOST) {
    int i = (int)(next_random(&seed) % ORDER_TAPES);
    if (next_random(&seed) % 50 == 0) asif_recorder_flush(r);
    if (open[i] >= 0) {
      truth[open[i]].returned = moment++;
      asif_recorder_return(t[i], open[i]);
      open[i] = -1;
    } else {
      truth[count] = (struct truth){moment++, -1};
      open[i] = count;
      if (count % 3)
        asif_recorder_call1(t[i], op, count);
      else
        asif_recorder_call3(t[i], op, count, count, -count);
      count++;
    }
  }
  closes(r);
  struct history *h = read_back(path);
  CHECK(h->ops.count == ORDER_MOST);
  static const struct op *by_number[ORDER_MOST];
  for (size_t i = 0; i < h->ops.count; i++) by_number[value_small(h->ops.at[i].arg[0])] = &h->ops.at[i];
  for (int a = 0; a < ORDER_MOST; a++)
    for (int b = 0; b < ORDER_MOST; b++) {
      bool before = truth[a].returned >= 0 && truth[a].returned < truth[b].called;
      CHECKF((by_number[a]->ret < by_number[b]->call) == before, "%d and %d", a, b);
    }
  unlink(path);
}

TEST(recorder_order_is_exact) {
  for (uint64_t seed = 1; seed <= 40; seed++) random_order(seed * 0x9e3779b97f4a7c15u);
}

/* --- the monitor --- */

static asif_monitor *monitor(const char *spec, int k, const asif_monitor_options *options) {
  asif_monitor *m = asif_monitor_new(spec, k, options);
  CHECKF(m && asif_monitor_status(m) == ASIF_DONE, "%s", asif_monitor_error(m));
  CHECK(asif_monitor_verdict(m) == ASIF_UNKNOWN && !asif_monitor_answer(m) && !*asif_monitor_said(m));
  return m;
}

/* Objects, right and wrong. */
enum object { LOCKED_QUEUE, LOCKED_STACK, MS_QUEUE, TREIBER_STACK, OBJECTS };
enum bug { RIGHT, DROPS, REPEATS, REORDERS, INVENTS, BUGS };
enum { INSIDE = 1 << 16 };

static struct {
  enum object object;
  enum bug bug;
  long each;
  int64_t shift; /* values are this many bits to the left */
  bool in_turn;  /* two pushes, two pops, and so on; else at random */
  asif_monitor *monitor;
  int in, out;
  pthread_mutex_t lock;
  long inside[INSIDE], first, last;
  _Atomic long pops;
  struct hazard *hazard;
  struct ms_queue *queue;
  struct treiber_stack *stack;
} used;

static bool is_stack(void) { return used.object == LOCKED_STACK || used.object == TREIBER_STACK; }

static void push_right(long v) {
  if (used.object == MS_QUEUE) CHECK(ms_queue_enq(used.queue, v));
  if (used.object == TREIBER_STACK) CHECK(treiber_stack_push(used.stack, v));
  if (used.object > LOCKED_STACK) return;
  pthread_mutex_lock(&used.lock);
  used.inside[used.last++ % INSIDE] = v;
  pthread_mutex_unlock(&used.lock);
}

static int64_t pop_right(void) {
  long v = 0;
  bool got;
  if (used.object == MS_QUEUE) return ms_queue_deq(used.queue, &v) ? v : ASIF_EMPTY;
  if (used.object == TREIBER_STACK) return treiber_stack_pop(used.stack, &v) ? v : ASIF_EMPTY;
  pthread_mutex_lock(&used.lock);
  got = used.first < used.last;
  if (got) v = used.object == LOCKED_QUEUE ? used.inside[used.first++ % INSIDE] : used.inside[--used.last % INSIDE];
  pthread_mutex_unlock(&used.lock);
  return got ? v : ASIF_EMPTY;
}

static void push(long v) {
  if (used.bug == DROPS && v % 100 == 77) return;
  push_right(v);
}

static int64_t pop(void) {
  int64_t v = pop_right();
  bool now = atomic_fetch_add(&used.pops, 1) % 101 == 100;
  if (!now || v == ASIF_EMPTY) return v;
  if (used.bug == REPEATS) push_right((long)v);
  if (used.bug == INVENTS) return v + 1000000000;
  if (used.bug != REORDERS) return v;
  int64_t second = pop_right();
  if (second == ASIF_EMPTY) return v;
  push_right((long)v); /* what should have come out goes in again: behind all others, or on top */
  return second;
}

static void use(int number) {
  asif_tape *t = asif_monitor_thread(used.monitor);
  uint64_t seed = (uint64_t)number * 77 + 12345;
  long from = number * used.each;
  for (long i = from, n = 0; i < from + used.each; n++) {
    if (used.in_turn ? n % 4 < 2 : next_random(&seed) % 2) {
      asif_monitor_call1(t, used.in, (int64_t)((uint64_t)i << used.shift));
      push(i++);
      asif_monitor_return(t, ASIF_OK);
    } else {
      asif_monitor_call(t, used.out);
      int64_t got = pop();
      asif_monitor_return(t, got == ASIF_EMPTY ? got : (int64_t)((uint64_t)got << used.shift));
    }
  }
  asif_tape_end(t);
}

static asif_verdict watch(enum object object, enum bug bug, int threads, long all, const asif_monitor_options *options,
                          bool fenced) {
  used.object = object;
  used.bug = bug;
  used.each = all / threads;
  used.first = used.last = 0;
  pthread_mutex_init(&used.lock, NULL);
  used.hazard = hazard_create(0, 0);
  used.queue = ms_queue_create(used.hazard);
  used.stack = treiber_stack_create(used.hazard);
  deck_fences = fenced;
  used.monitor = monitor(is_stack() ? "stack" : "queue", 2, options);
  used.in = asif_monitor_operation(used.monitor, is_stack() ? "push" : "enq");
  used.out = asif_monitor_operation(used.monitor, is_stack() ? "pop" : "deq");
  CHECK(used.in >= 0 && used.out >= 0);
  together(threads, use);
  asif_verdict verdict = asif_monitor_poll(used.monitor);
  CHECKF(asif_monitor_status(used.monitor) == ASIF_DONE, "%s", asif_monitor_error(used.monitor));
  CHECK(verdict == asif_monitor_verdict(used.monitor));
  if (verdict == ASIF_VIOLATED && bug == RIGHT) fprintf(stderr, "%s\n", asif_monitor_said(used.monitor));
  if (verdict != ASIF_VIOLATED && options->one_in < 2)
    CHECK(asif_monitor_events(used.monitor) >= (uint64_t)(used.each * threads) * 2);
  ms_queue_destroy(used.queue);
  treiber_stack_destroy(used.stack);
  hazard_destroy(used.hazard);
  return verdict;
}

/* Random pushes and pops would fill the mutex's ring: it holds INSIDE. */
TEST(monitor_threads_no_false_alarm) {
  for (enum object o = 0; o < OBJECTS; o++)
    for (int threads = 1; threads <= THREADS_MOST; threads *= 2)
      for (int kind = 0; kind < 6; kind++) {
        asif_monitor_options options = {.taker = (asif_taker)(kind % 3), .milliseconds = 1};
        options.bytes = kind % 2 ? 8192 : 0;
        options.one_in = kind == 4 ? 5 : 0;
        used.shift = kind == 3 ? 33 : 0;
        CHECKF(watch(o, RIGHT, threads, operations(40000), &options, kind == 5) == ASIF_UNKNOWN,
               "object %d, %d threads, kind %d", o, threads, kind);
        asif_monitor_free(used.monitor);
      }
}

TEST(monitor_threads_long) {
  asif_monitor_options options = {.taker = ASIF_INLINE};
  used.shift = 0;
  for (enum object o = MS_QUEUE; o < OBJECTS; o++) {
    CHECK(watch(o, RIGHT, 4, operations(2000000), &options, false) == ASIF_UNKNOWN);
    asif_monitor_free(used.monitor);
  }
}

static _Atomic int told;
static void on_violation(asif_monitor *m, void *user) {
  CHECK(user == &told && asif_monitor_verdict(m) == ASIF_VIOLATED && *asif_monitor_said(m) && asif_monitor_answer(m));
  atomic_fetch_add(&told, 1);
}

TEST(monitor_threads_bugs_are_found) {
  for (enum object o = 0; o < OBJECTS; o++)
    for (enum bug bug = DROPS; bug < BUGS; bug++)
      for (int threads = 1; threads <= 4; threads *= 2) {
        asif_monitor_options options = {
            .taker = threads == 2 ? ASIF_BACKGROUND : ASIF_INLINE, .violated = on_violation, .user = &told};
        used.shift = 0;
        used.in_turn = true; /* few are inside: A_2 forgets the order of what was pushed long ago */
        atomic_store(&told, 0);
        bool found = false;
        for (int tries = 0; tries < 10 && !found;
             tries++) { /* whether the bug shows depends on how the threads happen to run */
          if (tries) asif_monitor_free(used.monitor);
          found = watch(o, bug, threads, operations(100000) < 10000 ? 10000 : 30000, &options, false) == ASIF_VIOLATED;
        }
        CHECKF(found, "object %d, bug %d, %d threads", o, bug, threads);
        const asif_answer *a = asif_monitor_answer(used.monitor);
        CHECK(atomic_load(&told) == 1 && asif_answer_verdict(a) == ASIF_VIOLATED && asif_answer_operations(a) > 0);
        asif_monitor_free(used.monitor);
      }
}

/* What is said of a violation. */
TEST(monitor_says_what_it_saw) {
  asif_monitor_options options = {.taker = ASIF_POLLED};
  asif_monitor *m = monitor("queue", 2, &options);
  int enq = asif_monitor_operation(m, "enqueue"), deq = asif_monitor_operation(m, "deq");
  CHECK(asif_monitor_operation(m, "push-front") == -1);
  asif_tape *a = asif_monitor_thread(m), *b = asif_monitor_thread(m);
  int64_t one = INT64_MAX - 1, two = -77777777777;
  asif_monitor_call1(a, enq, one);
  asif_monitor_return(a, ASIF_OK);
  asif_monitor_call1(a, enq, two);
  asif_monitor_return(a, ASIF_OK);
  asif_monitor_call(b, deq);
  CHECK(asif_monitor_poll(m) == ASIF_UNKNOWN && asif_monitor_events(m) >= 4);
  asif_monitor_return(b, two);
  CHECK(asif_monitor_verdict(m) == ASIF_UNKNOWN && asif_monitor_poll(m) == ASIF_VIOLATED);
  CHECKF(strstr(asif_monitor_said(m), "-77777777777") && strstr(asif_monitor_said(m), "9223372036854775806"), "%s",
         asif_monitor_said(m));
  const asif_answer *answer = asif_monitor_answer(m);
  CHECKF(asif_answer_operations(answer) == 3, "%zu", asif_answer_operations(answer));
  for (uint32_t i = 0; i < 3; i++) {
    int from = -1, to = -1;
    CHECK(asif_monitor_interval(m, i, &from, &to) == ASIF_DONE && from == (int)i && to == (int)i);
    char *text = asif_answer_operation(answer, i);
    CHECKF(strstr(text, i == 0   ? "Enq(9223372036854775806)"
                        : i == 1 ? "Enq(-77777777777)"
                                 : "Deq() -> -77777777777"),
           "%s", text);
    free(text);
  }
  int from, to;
  CHECK(asif_monitor_interval(m, 3, &from, &to) == ASIF_BAD_INPUT);
  char *report = asif_answer_report(answer, ASIF_REPORT_TEXT);
  CHECK(report && strstr(report, "not linearizable"));
  free(report);
  const char *path = temporary("evidence");
  CHECK(asif_monitor_evidence(m, path) == ASIF_DONE && asif_monitor_evidence(m, NULL) == ASIF_BAD_INPUT);
  struct problem p;
  struct replaying r = {.mem = test_memory(), .why = &p};
  static const struct evidence_of none[] = {{NULL, NULL}};
  text_open(&r.said, test_memory());
  CHECKF(evidence_replay(&r, path, none), "%s", p.text);
  CHECK(r.verdict == VERDICT_HOLDS);
  unlink(path);
  for (int i = 0; i < 20000; i++) { /* it goes on, unwatched */
    asif_monitor_call1(a, enq, i);
    asif_monitor_return(a, ASIF_OK);
  }
  CHECK(asif_monitor_poll(m) == ASIF_VIOLATED && asif_monitor_status(m) == ASIF_DONE);
  asif_monitor_free(m);
}

static void no_monitor(const char *spec, int k, const asif_monitor_options *options, const char *why) {
  asif_monitor *m = asif_monitor_new(spec, k, options);
  CHECKF(asif_monitor_status(m) == ASIF_BAD_INPUT && strstr(asif_monitor_error(m), why), "%s", asif_monitor_error(m));
  asif_tape *t = asif_monitor_thread(m);
  for (int i = 0; i < 20000; i++) {
    asif_monitor_call(t, 0);
    asif_monitor_return(t, i);
  }
  CHECK(asif_monitor_poll(m) == ASIF_UNKNOWN && asif_monitor_operation(m, "enq") == -1);
  asif_monitor_free(m);
}

TEST(monitor_refuses) {
  no_monitor("quue", 2, NULL, "quue");
  no_monitor("queue", 9, NULL, "k is 9; monitors have a k of 0 to 8");
  no_monitor(NULL, 2, NULL, "asif specs");
  asif_monitor_options options = {.one_in = 8};
  no_monitor("bounded-queue(4)", 2, &options, "one_in is 8, but all values of a bounded-queue must be followed");
  asif_monitor *m = monitor("queue", 2, NULL);
  asif_tape *t = asif_monitor_thread(m);
  asif_monitor_call1(t, asif_monitor_operation(m, "enq"), ASIF_EMPTY);
  asif_monitor_return(t, ASIF_OK);
  CHECK(asif_monitor_poll(m) == ASIF_UNKNOWN && asif_monitor_status(m) == ASIF_BAD_INPUT);
  CHECKF(strstr(asif_monitor_error(m), "inside, it could not be told"), "%s", asif_monitor_error(m));
  asif_monitor_free(m);
  m = monitor("priority-queue", 2, NULL);
  t = asif_monitor_thread(m);
  asif_monitor_call1(t, asif_monitor_operation(m, "enq"), (int64_t)1 << 40);
  asif_monitor_return(t, ASIF_OK);
  CHECK(asif_monitor_poll(m) == ASIF_UNKNOWN && asif_monitor_status(m) == ASIF_BAD_INPUT);
  CHECKF(strstr(asif_monitor_error(m), "1099511627776: a priority-queue compares its values"), "%s",
         asif_monitor_error(m));
  asif_monitor_free(m);
  m = monitor("queue", 2, NULL);
  t = asif_monitor_thread(m);
  asif_monitor_call1(t, 12345, 1);
  asif_monitor_return(t, ASIF_OK);
  CHECK(asif_monitor_poll(m) == ASIF_UNKNOWN && asif_monitor_status(m) == ASIF_BAD_INPUT);
  CHECKF(strstr(asif_monitor_error(m), "thread 0 calls operation 12345, which asif_monitor_operation has not given"),
         "%s", asif_monitor_error(m));
  asif_monitor_free(m);
  CHECK(asif_monitor_poll(NULL) == ASIF_UNKNOWN && asif_monitor_status(NULL) == ASIF_NO_MEMORY &&
        !asif_monitor_thread(NULL));
}

/* An operation that is on no tape was not seen, and what follows from it must not be called a violation. */
TEST(monitor_more_tapes_than_there_can_be) {
  asif_monitor_options options = {.taker = ASIF_POLLED, .bytes = 8192};
  asif_monitor *m = monitor("queue", 2, &options);
  int enq = asif_monitor_operation(m, "enq"), deq = asif_monitor_operation(m, "deq");
  asif_tape *first = asif_monitor_thread(m);
  for (int i = 1; i < DECK_LANES_MOST; i++) CHECK(asif_monitor_thread(m));
  CHECK(asif_monitor_poll(m) == ASIF_UNKNOWN && asif_monitor_status(m) == ASIF_DONE);
  asif_tape *none = asif_monitor_thread(m);
  CHECK(!none);
  asif_monitor_call1(none, enq, 7);
  asif_monitor_return(none, ASIF_OK);
  asif_monitor_call(first, deq);
  asif_monitor_return(first, 7);
  CHECKF(asif_monitor_poll(m) == ASIF_UNKNOWN, "%s", asif_monitor_said(m));
  CHECK(asif_monitor_status(m) == ASIF_NO_MEMORY && strstr(asif_monitor_error(m), "asif_tape_end"));
  asif_monitor_free(m);
}

TEST(monitor_tapes_that_ended_are_used_again) {
  asif_monitor_options options = {.taker = ASIF_POLLED, .bytes = 8192};
  asif_monitor *m = monitor("queue", 2, &options);
  int enq = asif_monitor_operation(m, "enq"), deq = asif_monitor_operation(m, "deq");
  for (int i = 0; i < DECK_LANES_MOST + 10; i++) {
    asif_tape *t = asif_monitor_thread(m);
    asif_monitor_call1(t, enq, i);
    asif_monitor_return(t, ASIF_OK);
    asif_monitor_call(t, deq);
    asif_monitor_return(t, i);
    asif_tape_end(t);
  }
  CHECK(asif_monitor_poll(m) == ASIF_UNKNOWN && asif_monitor_status(m) == ASIF_DONE);
  asif_monitor_free(m);
}

/* A call that is refused was not seen either. */
TEST(monitor_refused_calls_end_it) {
  asif_monitor_options options = {.taker = ASIF_POLLED};
  for (int wrong = 0; wrong < 3; wrong++) {
    asif_monitor *m = monitor("queue", 2, &options);
    int enq = asif_monitor_operation(m, "enq"), deq = asif_monitor_operation(m, "deq");
    asif_tape *a = asif_monitor_thread(m), *b = asif_monitor_thread(m);
    if (wrong == 0) asif_monitor_call1(a, enq, 1);
    asif_monitor_call1(a, wrong == 1 ? asif_monitor_operation(m, "enter") : wrong == 2 ? enq + (1 << 18) : enq, 2);
    if (wrong == 0) asif_monitor_return(a, ASIF_OK);
    asif_monitor_call(b, deq);
    asif_monitor_return(b, 2);
    CHECKF(asif_monitor_poll(m) == ASIF_UNKNOWN, "%d: %s", wrong, asif_monitor_said(m));
    CHECK(asif_monitor_status(m) == ASIF_BAD_INPUT);
    asif_monitor_free(m);
  }
}

/* Operations one after the other, each with its arguments and result, to asif_check, to a monitor of the library, and
 * to the monitor itself, bound as `asif check --approx` binds it: all refuse them or none does, the monitors agree, and
 * they say 'violated' only where the checker does. */
struct told_op {
  unsigned op, args;
  int64_t arg[OP_ARGS], result;
};

static const char *name_of(const struct spec *spec, unsigned op) {
  size_t len;
  const char *name = spec_op_name(spec, op, &len);
  return mem_string(test_memory(), name, len);
}

static int checked(const struct spec *spec, const char *name, const struct told_op *ops, unsigned count) {
  asif_history *h = asif_history_new();
  asif_answer *answer = NULL;
  asif_status status = ASIF_DONE;
  for (unsigned i = 0; i < count && !status; i++) {
    asif_value arg[OP_ARGS];
    for (unsigned a = 0; a < ops[i].args; a++) arg[a] = asif_int(ops[i].arg[a]);
    status = asif_call(h, 0, NULL, name_of(spec, ops[i].op), arg, ops[i].args);
    if (!status) status = asif_return(h, 0, asif_int(ops[i].result));
  }
  if (!status) status = asif_check(h, name, NULL, &answer);
  int verdict = status ? -1 : (int)asif_answer_verdict(answer);
  asif_answer_free(answer);
  asif_history_free(h);
  return verdict;
}

static int monitored(const struct spec *spec, const char *name, const struct told_op *ops, unsigned count) {
  asif_monitor_options options = {.taker = ASIF_POLLED, .bytes = 8192};
  asif_monitor *m = monitor(name, 2, &options);
  asif_tape *t = asif_monitor_thread(m);
  for (unsigned i = 0; i < count; i++) {
    const struct told_op *o = &ops[i];
    int op = asif_monitor_operation(m, name_of(spec, o->op));
    if (o->args == 0) asif_monitor_call(t, op);
    if (o->args == 1) asif_monitor_call1(t, op, o->arg[0]);
    if (o->args == 2) asif_monitor_call2(t, op, o->arg[0], o->arg[1]);
    if (o->args == 3) asif_monitor_call3(t, op, o->arg[0], o->arg[1], o->arg[2]);
    asif_monitor_return(t, o->result);
  }
  int verdict = (int)asif_monitor_poll(m);
  if (asif_monitor_status(m)) verdict = -1;
  asif_monitor_free(m);
  return verdict;
}

static value bare(int64_t number) {
  value special;
  return c_special(number, &special) ? special : value_of_small((int32_t)number);
}

static int directly(const char *name, const struct told_op *ops, unsigned count) {
  struct mem *mem = mem_child(test_memory());
  struct problem p;
  struct spec spec;
  CHECK(spec_named(name, &spec, &p));
  struct binder *b = spec_binder(mem, &spec, values_new(mem), false, "test");
  struct monitor *m = monitor_new(mem, &spec, 2, &p);
  bool good = true;
  for (unsigned i = 0; i < count && good && !m->violated; i++) {
    value arg[OP_ARGS] = {V_NONE, V_NONE, V_NONE}, result = bare(ops[i].result);
    struct bound_call call;
    for (unsigned a = 0; a < ops[i].args; a++) {
      good = good && !c_only_result(ops[i].arg[a]);
      arg[a] = bare(ops[i].arg[a]);
    }
    good = good && spec_bind_call(b, (uint16_t)ops[i].op, arg, 0, &call, &p);
    if (good) monitor_call(m, 0, call.method, call.arg);
    good = good && spec_bind_return(b, &call, &result, 0, &p);
    if (good) monitor_return(m, 0, result);
  }
  int verdict = !good ? -1 : m->violated ? ASIF_VIOLATED : ASIF_UNKNOWN;
  mem_close(mem);
  return verdict;
}

static void same_of_all(const struct spec *spec, const char *name, const struct told_op *ops, unsigned count) {
  int exact = checked(spec, name, ops, count), ours = monitored(spec, name, ops, count),
      other = directly(name, ops, count);
  char said[300] = "";
  for (unsigned i = 0; i < count; i++)
    snprintf(said + strlen(said), sizeof said - strlen(said), " %s/%u(%lld) -> %lld", name_of(spec, ops[i].op),
             ops[i].args, (long long)ops[i].arg[0], (long long)ops[i].result);
  CHECKF(ours == other, "%s:%s: the library's monitor says %d, the monitor %d", name, said, ours, other);
  CHECKF((ours == -1) == (exact == -1) || ours == ASIF_VIOLATED, "%s:%s: monitor %d, check %d", name, said, ours,
         exact);
  while (ours == ASIF_VIOLATED && exact == -1 && count > 1) /* a monitor does not look at what is wrong after that */
    exact = checked(spec, name, ops, --count);
  CHECKF(ours != ASIF_VIOLATED || exact == ASIF_VIOLATED, "%s:%s: a false alarm; check says %d", name, said, exact);
}

TEST(monitor_binds_as_check_does) {
  static const int64_t results[] = {ASIF_OK, ASIF_NIL, ASIF_TRUE, ASIF_FALSE, ASIF_EMPTY, ASIF_FULL, ASIF_ANY, 0, 1, 2};
  enum { RESULTS = sizeof results / sizeof *results };
  uint64_t seed = 77;
  for (size_t s = 0; specs[s]; s++) {
    const struct spec *spec = specs[s];
    struct problem p;
    struct spec named;
    char name[80];
    snprintf(name, sizeof name, "%s", spec->name);
    if (!spec_named(name, &named, &p)) snprintf(name, sizeof name, "%s(2)", spec->name);
    CHECKF(spec_named(name, &named, &p), "%s", p.text);
    if (!monitor_exists(&named)) continue;
    for (unsigned op = 0; op < named.op_count; op++)
      for (unsigned args = 0; args <= OP_ARGS; args++)
        for (unsigned r = 0; r < RESULTS; r++)
          same_of_all(&named, name, &(struct told_op){op, args, {1, 2, 3}, results[r]}, 1);
    for (unsigned round = 0; round < 100; round++) {
      struct told_op ops[4];
      unsigned count = 2 + (unsigned)(next_random(&seed) % 3);
      for (unsigned i = 0; i < count; i++) {
        unsigned op = (unsigned)(next_random(&seed) % named.op_count);
        ops[i] = (struct told_op){op, named.ops[op].args, {1, 2, 3}, results[next_random(&seed) % RESULTS]};
        for (unsigned a = 0; a < OP_ARGS; a++)
          if (next_random(&seed) % 8 == 0) ops[i].arg[a] = results[next_random(&seed) % RESULTS];
      }
      same_of_all(&named, name, ops, count);
    }
  }
}

/* The same events, right or wrong, to the library's tapes and to a monitor: the same verdict. */
static bool agree(const char *name, const char *in, const char *out, uint64_t seed, unsigned k) {
  enum { TAPES = 4, EVENTS = 40 };
  asif_monitor_options options = {.taker = ASIF_POLLED};
  asif_monitor *m = monitor(name, (int)k, &options);
  struct mem *mem = mem_child(test_memory());
  struct problem p;
  struct spec spec;
  CHECK(spec_named(name, &spec, &p));
  struct values *values = values_new(mem);
  spec.values = values;
  struct monitor *direct = monitor_new(mem, &spec, k, &p);
  CHECKF(direct, "%s", p.text);
  int push = asif_monitor_operation(m, in), pop = asif_monitor_operation(m, out), inside = 0, values_in[EVENTS];
  uint16_t direct_push = (uint16_t)spec_op_find(&spec, in, strlen(in)),
           direct_pop = (uint16_t)spec_op_find(&spec, out, strlen(out));
  asif_tape *t[TAPES];
  int open[TAPES] = {0}; /* 1 push, 2 pop */
  for (int i = 0; i < TAPES; i++) t[i] = asif_monitor_thread(m);
  for (int e = 0, next = 1; e < EVENTS; e++) {
    uint32_t i = (uint32_t)(next_random(&seed) % TAPES);
    value none[OP_ARGS] = {V_NONE, V_NONE, V_NONE}, arg[OP_ARGS] = {value_of_small(next), V_NONE, V_NONE};
    int what = open[i];
    open[i] = what ? 0 : 1 + (int)(next_random(&seed) % 2);
    if (what == 1) {
      asif_monitor_return(t[i], ASIF_OK);
      monitor_return(direct, i, V_NONE);
    } else if (what == 2) { /* one of those inside, mostly the right one */
      int64_t got = ASIF_EMPTY;
      if (inside) {
        int at = next_random(&seed) % 2 ? (strcmp(name, "stack") ? 0 : inside - 1)
                                        : (int)(next_random(&seed) % (uint64_t)inside);
        got = values_in[at];
        memmove(values_in + at, values_in + at + 1, (size_t)(--inside - at) * sizeof *values_in);
      }
      asif_monitor_return(t[i], got);
      monitor_return(direct, i, got == ASIF_EMPTY ? V_EMPTY : value_of_small((int32_t)got));
    } else if (open[i] == 1) {
      asif_monitor_call1(t[i], push, next);
      monitor_call(direct, i, direct_push, arg);
      values_in[inside++] = next++;
    } else {
      asif_monitor_call(t[i], pop);
      monitor_call(direct, i, direct_pop, none);
    }
    if (next_random(&seed) % 8 == 0) asif_monitor_poll(m);
  }
  bool violated = asif_monitor_poll(m) == ASIF_VIOLATED;
  CHECKF(violated == direct->violated, "%s, k = %u: %d, not %d", name, k, violated, direct->violated);
  CHECKF(asif_monitor_status(m) == ASIF_DONE, "%s", asif_monitor_error(m));
  asif_monitor_free(m);
  mem_close(mem);
  return violated;
}

TEST(monitor_agrees_with_its_monitor) {
  int violated = 0;
  for (uint64_t seed = 1; seed <= 120; seed++)
    for (unsigned k = 0; k <= 3; k++) {
      violated += agree("queue", "enq", "deq", seed * 0x9e3779b97f4a7c15u, k);
      violated += agree("stack", "push", "pop", seed * 0xd1342543de82ef95u, k);
    }
  CHECKF(violated > 80 && violated < 880, "%d", violated);
}
