/* All clients, each explored, and every run judged, until something is wrong.
 *
 * The code runs in processes forked from this one. Clients are taken in their order by who is free; where there is one client only,
 * its schedules are divided. Of several findings the one in the smallest client is the answer, so those at larger ones stop when
 * there is one. What they have reached is on a board that all share. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/explore.h"

enum { SMALL_CALLS = 8, BOUND_MOST = 64 }; /* calls of a client up to which DPOR is the default */
enum { WORKERS_MOST = 64, SAID_MOST = 600, CHOICES_KEPT = 1 << 16 };

enum outcome_of_worker { WORKER_RUNS, WORKER_THROUGH, WORKER_FOUND, WORKER_LIMIT, WORKER_FAILED };

/* What one process has reached. */
struct worker {
  _Atomic int outcome;
  enum limit limit;
  _Atomic uint64_t schedules, cut, steps, traces, done, refused, waiting;
  _Atomic uint64_t at; /* the client it is at */
  bool incomplete, long_runs;
  unsigned bound;
  double cpu;
  long peak_kb;
  /* The finding, or why it failed. */
  enum found found;
  char said[SAID_MOST];
  uint64_t client;
  size_t count;
  struct choice choices[CHOICES_KEPT];
};

struct board {
  _Atomic uint64_t next;  /* client */
  _Atomic uint64_t found; /* the first client with a finding; UINT64_MAX: none */
  _Atomic uint64_t part;  /* of one that is divided */
  volatile sig_atomic_t interrupted;
  struct worker workers[];
};

struct searching {
  struct mem *mem;
  struct image *image;
  const struct object *object;
  const struct clients *clients;
  const struct search_options *options;
  struct limits *limits;
  struct searched *out;
  struct problem *why;
  struct board *board;
  size_t board_size;
  struct hashes *histories, *states, *traces; /* states, traces: where one client is divided */
  unsigned jobs;
  bool divided;
  pid_t pids[WORKERS_MOST];
  /* In a worker. */
  unsigned number;
  struct worker *me;
  struct judge *judge;
  struct limits own;
  struct problem judging;
  uint64_t client; /* the one it is at */
  bool counted;    /* a run of it was judged */
};

/* A worker. */

static void keep_finding(struct searching *k, const struct run *r) {
  struct worker *w = k->me;
  w->found = r->found ? r->found : FOUND_HISTORY;
  snprintf(w->said, sizeof w->said, "%s", r->said ? r->said : "");
  w->client = k->client;
  w->count = r->count < CHOICES_KEPT ? r->count : CHOICES_KEPT;
  for (size_t i = 0; i < w->count; i++) w->choices[i] = (struct choice){r->steps[i].fiber, r->steps[i].block};
  uint64_t first = k->board->found;
  while (k->client < first && !atomic_compare_exchange_weak(&k->board->found, &first, k->client)) {}
  w->outcome = WORKER_FOUND;
}

static bool overtaken(const struct searching *k) {
  uint64_t found = atomic_load_explicit(&k->board->found, memory_order_relaxed);
  return k->divided ? found != UINT64_MAX : found < k->client;
}

static enum visit visit(void *self, const struct run *r) {
  struct searching *k = self;
  k->counted = true;
  k->me->schedules++;
  k->me->long_runs |= r->end == RUN_LONG;
  switch (judge_run(k->judge, r, &k->judging)) {
  case JUDGED_GOOD: return overtaken(k) ? VISIT_STOP : VISIT_ON;
  case JUDGED_WRONG: keep_finding(k, r); return VISIT_STOP;
  default:
    snprintf(k->me->said, sizeof k->me->said, "%s", k->judging.text);
    k->me->outcome = WORKER_FAILED;
    return VISIT_STOP;
  }
}

static struct explore_options options_for(const struct search_options *options, const struct client *c) {
  struct explore_options o = options->explore;
  if (!options->automatic) return o;
  bool small = client_calls(c) <= SMALL_CALLS;
  o.strategy = small ? EXPLORE_DPOR : EXPLORE_BOUNDED;
  o.bound_by = BOUND_DELAYS;
  o.bound = BOUND_MOST;
  o.cache = true;
  return o;
}

/* Explores a client. False if there is an end to it all. */
static bool explore_client(struct searching *k) {
  const struct client *c = &k->clients->at[k->client];
  struct explore_options o = options_for(k->options, c);
  struct explore_counts counts = {0};
  struct problem why;
  struct share share = {.worker = k->number, .workers = k->jobs, .next = &k->board->part, .states = k->states, .traces = k->traces};
  uint64_t schedules = k->me->schedules;
  struct worker *w = k->me;
  k->counted = false;
  if (!explore(c, &o, k->divided ? &share : NULL, &k->own, visit, k, &counts, &why)) {
    snprintf(w->said, sizeof w->said, "internal error: %.500s", why.text);
    w->outcome = WORKER_FAILED;
  }
  w->schedules = schedules + counts.schedules;
  w->cut += counts.cut;
  w->steps += counts.steps;
  w->traces += counts.traces;
  w->waiting = judge_waiting(k->judge);
  if (w->outcome != WORKER_RUNS || overtaken(k)) return false;
  if (limits_poll(&k->own)) {
    w->limit = (enum limit)k->own.reached;
    w->outcome = WORKER_LIMIT;
    return false;
  }
  w->done++;
  w->refused += !k->counted;
  if (!counts.complete) {
    if (!w->incomplete || counts.bound < w->bound) w->bound = counts.bound;
    w->incomplete = true;
  }
  return true;
}

static void work(struct searching *k) {
  struct mem m;
  struct problem why;
  k->me = &k->board->workers[k->number];
  limits_start(&k->own, k->limits->seconds, k->limits->bytes / k->jobs);
  k->own.started = k->limits->started;
  k->own.interrupted = &k->board->interrupted;
  mem_open(&m, &k->own);
  if (MEM_GUARD(&m)) {
    k->me->limit = (enum limit)k->own.reached;
    k->me->outcome = WORKER_LIMIT;
    return;
  }
  spec_user_forked();
  if (!run_open(k->image, k->object->run_ops, k->object->op_count, k->object->init, &k->options->run, &why)) {
    snprintf(k->me->said, sizeof k->me->said, "%s", why.text);
    k->me->outcome = WORKER_FAILED;
    return;
  }
  k->judge = judge_new(&m, k->object, k->histories);
  for (;;) {
    k->client = k->divided ? 0 : atomic_fetch_add(&k->board->next, 1);
    k->me->at = k->client;
    if (k->client >= k->clients->count || overtaken(k) || !explore_client(k) || k->divided) break;
  }
  if (k->me->outcome == WORKER_RUNS) k->me->outcome = WORKER_THROUGH;
  mem_close(&m);
}

static void work_and_count(struct searching *k) {
  work(k);
  k->me->cpu = clock_cpu_seconds();
  k->me->peak_kb = peak_rss_kb();
}

/* The process that has them work. */

static void sum_up(struct searching *k) {
  struct searched *s = k->out;
  s->schedules = s->cut = s->steps = s->traces = s->done = s->refused = s->waiting = 0;
  s->complete = true;
  s->long_runs = false;
  s->cpu_seconds = 0;
  s->peak_kb = 0;
  for (unsigned i = 0; i < k->jobs; i++) {
    const struct worker *w = &k->board->workers[i];
    s->schedules += w->schedules;
    s->cut += w->cut;
    s->steps += w->steps;
    s->traces += w->traces;
    s->done += w->done;
    s->refused += w->refused;
    s->waiting += w->waiting;
    s->long_runs |= w->long_runs;
    s->cpu_seconds += w->cpu;
    s->peak_kb += w->peak_kb;
    if (!w->incomplete) continue;
    if (s->complete || w->bound < s->bound) s->bound = w->bound;
    s->complete = false;
  }
  if (k->divided) s->done = s->done == k->jobs;
  if (k->divided && s->refused < k->jobs) s->refused = 0;
  if (s->refused > s->clients) s->refused = s->clients;
  s->histories = hashes_count(k->histories);
}

/* Waits until all have closed their end of the pipe, that is, have ended. */
static void wait_for_end(struct searching *k, int pipe_end) {
  struct pollfd fd = {.fd = pipe_end, .events = POLLIN};
  for (;;) {
    int n = poll(&fd, 1, k->options->progress ? 100 : 1000);
    if (k->limits->interrupted && *k->limits->interrupted) k->board->interrupted = 1;
    if (n > 0 || (n < 0 && errno != EINTR)) return;
    if (!k->options->progress) continue;
    sum_up(k);
    k->options->progress(k->options->progress_self, k->out);
  }
}

/* One that died took what it ran with it: the code wrote over the process's own memory, or the like. */
static bool died(struct searching *k, unsigned number, int status) {
  struct text t;
  const char *how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit";
  uint64_t at = k->board->workers[number].at;
  text_open(&t, k->mem);
  if (at < k->clients->count) client_print(k->object, &k->clients->at[at], &t);
  problem_set(k->why, "internal error: the process that ran %.300s ended (%s): the code may have written over memory that is not its own",
              text_string(&t), how);
  return false;
}

static bool start(struct searching *k) {
  int ends[2];
  if (pipe(ends)) return problem_set(k->why, "no pipe can be made: %s", strerror(errno)), false;
  fflush(stdout);
  fflush(stderr);
  unsigned started = 0;
  for (; started < k->jobs; started++) {
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) break;
    if (!pid) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      signal(SIGINT, SIG_IGN); /* whoever started it says when it is to end */
      signal(SIGTERM, SIG_IGN);
      close(ends[0]);
      k->number = started;
      work_and_count(k);
      _exit(0);
    }
    k->pids[started] = pid;
  }
  close(ends[1]);
  bool good = started == k->jobs;
  if (!good) {
    problem_set(k->why, "no process can be made: %s", strerror(errno));
    k->board->interrupted = 1;
  }
  wait_for_end(k, ends[0]);
  close(ends[0]);
  for (unsigned i = 0; i < started; i++) {
    int status = 0;
    while (waitpid(k->pids[i], &status, 0) < 0 && errno == EINTR) {}
    if (good && (status || k->board->workers[i].outcome == WORKER_RUNS)) good = died(k, i, status);
  }
  return good;
}

static void take_finding(struct searching *k, const struct worker *w) {
  struct finding *f = &k->out->finding;
  k->out->verdict = VERDICT_VIOLATED;
  f->found = w->found;
  f->said = mem_string(k->mem, w->said, strlen(w->said));
  client_copy(k->mem, &k->clients->at[w->client], &f->client);
  f->count = w->count;
  f->choices = mem_alloc(k->mem, (w->count + 1) * sizeof *f->choices);
  memcpy(f->choices, w->choices, w->count * sizeof *f->choices);
}

/* A violation counts most, then what went wrong, then limits. */
static bool conclude(struct searching *k) {
  const struct worker *found = NULL;
  sum_up(k);
  for (unsigned i = 0; i < k->jobs; i++) {
    const struct worker *w = &k->board->workers[i];
    if (w->outcome == WORKER_FAILED) return problem_set(k->why, "%s", w->said), false;
    if (w->outcome == WORKER_FOUND && (!found || w->client < found->client)) found = w;
    if (w->outcome != WORKER_LIMIT) continue;
    k->out->verdict = VERDICT_UNKNOWN;
    if (!k->out->limit || w->limit == LIMIT_INTERRUPT) k->out->limit = w->limit;
  }
  if (found) take_finding(k, found);
  return true;
}

static bool open_board(struct searching *k) {
  k->board_size = sizeof *k->board + k->jobs * sizeof *k->board->workers;
  k->board = mmap(NULL, k->board_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (k->board == MAP_FAILED) k->board = NULL;
  k->histories = judge_set();
  size_t bytes = k->limits->bytes ? k->limits->bytes / 4 : (size_t)1 << 30;
  if (k->divided) {
    k->states = hashes_open(2 * bytes);
    k->traces = hashes_open(bytes);
  }
  bool good = k->board && k->histories && (!k->divided || (k->states && k->traces));
  if (good)
    k->board->found = UINT64_MAX;
  else
    problem_set(k->why, "no memory for what processes share");
  return good;
}

static void close_board(struct searching *k) {
  if (k->board) munmap(k->board, k->board_size);
  hashes_close(k->histories);
  hashes_close(k->states);
  hashes_close(k->traces);
}

bool search_clients(struct mem *m, struct image *image, const struct object *o, const struct clients *clients, const struct search_options *options,
                    struct limits *limits, struct searched *out, struct problem *why) {
  struct searching *k = mem_zero(m, 1, sizeof *k);
  *k = (struct searching){.mem = m, .image = image, .object = o, .clients = clients, .options = options, .limits = limits, .out = out, .why = why,
                          .jobs = options->jobs < WORKERS_MOST ? options->jobs : WORKERS_MOST};
  *out = (struct searched){.verdict = VERDICT_HOLDS, .clients = clients->count, .complete = true};
  if (!clients->count) return true;
  if (clients->count == 1) {
    k->divided = k->jobs > 1;
  } else if (clients->count < k->jobs) {
    k->jobs = (unsigned)clients->count;
  }
  bool good = open_board(k) && start(k) && conclude(k);
  close_board(k);
  return good;
}
