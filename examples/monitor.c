/* A service that watches its own queue of jobs. The monitor is always on: it says so when the queue stops being one. */
#include <asif.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs[1000], first, last;

static asif_monitor *monitor;
static int enq, deq;
static __thread asif_tape *tape; /* of this thread */

static void submit(int job) {
  asif_monitor_call1(tape, enq, job);
  pthread_mutex_lock(&lock);
  jobs[last++] = job;
  pthread_mutex_unlock(&lock);
  asif_monitor_return(tape, ASIF_OK);
}

/* Somebody has made it faster: every hundredth job overtakes the one before it. */
static int next_job(void) {
  asif_monitor_call(tape, deq);
  pthread_mutex_lock(&lock);
  int got = ASIF_EMPTY;
  if (first + 1 < last && jobs[first + 1] % 100 == 0) {
    got = jobs[first + 1];
    jobs[first + 1] = jobs[first];
    first++;
  } else if (first < last) {
    got = jobs[first++];
  }
  pthread_mutex_unlock(&lock);
  asif_monitor_return(tape, got);
  return got;
}

static void *serve(void *unused) {
  static int job = 1;
  tape = asif_monitor_thread(monitor);
  for (int i = 0; i < 40; i++) { /* two come in, two are done */
    submit(job++);
    submit(job++);
    next_job();
    next_job();
  }
  asif_tape_end(tape);
  return unused;
}

/* By the library's thread, once. A service would write it to its log. */
static void on_violation(asif_monitor *m, void *unused) {
  (void)unused;
  printf("%s\n", asif_monitor_said(m));
  const asif_answer *answer = asif_monitor_answer(m);
  for (uint32_t i = 0; i < asif_answer_operations(answer); i++) {
    int from = 0, to = 0;
    char *operation = asif_answer_operation(answer, i);
    asif_monitor_interval(m, i, &from, &to);
    printf("  [%d, %d] %s\n", from, to, operation ? operation : "");
    free(operation);
  }
}

int main(void) {
  asif_monitor_options options = {ASIF_BACKGROUND, on_violation, NULL, 0, 0, 0};
  monitor = asif_monitor_new("queue", 2, &options);
  enq = asif_monitor_operation(monitor, "enq");
  deq = asif_monitor_operation(monitor, "deq");
  if (asif_monitor_status(monitor) != ASIF_DONE) fprintf(stderr, "going on without: %s\n", asif_monitor_error(monitor));

  for (int i = 0; i < 3; i++) { /* one at a time, so that this program always says the same */
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, NULL) != 0) return 1;
    pthread_join(thread, NULL);
  }
  int violated = asif_monitor_poll(monitor) == ASIF_VIOLATED; /* before the end: what is left is looked at */
  asif_monitor_free(monitor);
  return violated;
}
