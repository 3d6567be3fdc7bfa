/* The threads library under the scheduler, loops that wait, deadlocks and livelocks: what is found over all schedules
 * of a scene, and what the threads return. The scenes are tests/threads/scenes.c and scenes.cc. */
#include <string.h>

#include "images.h"
#include "test.h"

enum {
  NONE = 1u << FOUND_NOTHING,
  DEADLOCK = 1u << FOUND_DEADLOCK,
  LIVELOCK = 1u << FOUND_LIVELOCK,
  MISUSE = 1u << FOUND_MISUSE,
  FREED = 1u << FOUND_USE_AFTER_FREE,
  UNSUPPORTED = 1u << FOUND_UNSUPPORTED,
  RUNS_MOST = 300000
};

struct seen {
  uint32_t found; /* bit: enum found */
  bool is_long;
  char said[300];
  char results[40][24]; /* of the runs without a finding: each different one once, as "1 2" */
  unsigned result_count;
};

static void add_result(struct seen *seen, const struct run *r) {
  char text[24] = "";
  size_t at = 0;
  for (unsigned f = 0; f < r->client->threads; f++) {
    for (size_t i = 0; i < r->moment_count; i++) {
      const struct moment *m = &r->moments[i];
      if (m->is_return && m->fiber == f && at < sizeof text)
        at += (size_t)snprintf(text + at, sizeof text - at, at ? " %ld" : "%ld", m->result);
    }
  }
  for (unsigned i = 0; i < seen->result_count; i++)
    if (!strcmp(seen->results[i], text)) return;
  if (seen->result_count < 40) strcpy(seen->results[seen->result_count++], text);
}

static bool look(void *context, const struct run *r) {
  struct seen *seen = context;
  seen->found |= 1u << r->found;
  if (r->found) snprintf(seen->said, sizeof seen->said, "%s: %s", found_name(r->found), r->said);
  if (r->end == RUN_LONG)
    seen->is_long = true;
  else
    CHECKF(r->end == RUN_WHOLE, "a run ends with %d", r->end);
  if (!r->found) add_result(seen, r);
  return true;
}

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static const char *all_results(struct seen *seen) {
  static char all[1000];
  all[0] = '\0';
  qsort(seen->results, seen->result_count, sizeof seen->results[0], compare);
  for (unsigned i = 0; i < seen->result_count; i++)
    snprintf(all + strlen(all), sizeof all - strlen(all), i ? ", %s" : "%s", seen->results[i]);
  return all;
}

/* Over all schedules: exactly these kinds are found; what is said has these words (or NULL); and these are the results
 * (or NULL: any), in order of their text. The same without looking for races, where plain accesses are points too:
 * there are many more schedules then, and not all are run. many: there may be too many with races too. */
static void expect_of(struct image *image, const char *name, bool many, uint32_t found, const char *words,
                      const char *results) {
  for (int races = 1; races >= 0; races--) {
    struct scene s;
    struct seen seen = {0};
    struct run_options options = {.races = races, .leaks = false};
    scene_open(&s, image, name, &options);
    size_t most = races ? RUNS_MOST : RUNS_MOST / 60, runs = scene_all(&s.client, most, look, &seen);
    bool all = runs < most;
    printf("%s%s: %zu runs; %s; %s\n", name, races ? "" : " without races", runs, seen.said, all_results(&seen));
    fflush(stdout);
    CHECKF(seen.found == found, "%s: found %x, not %x, in %zu runs; %s", name, seen.found, found, runs, seen.said);
    CHECKF(!seen.is_long, "%s: a run is too long", name);
    CHECKF(all || many || !races, "%s: more than %zu runs", name, most);
    CHECKF(!words || strstr(seen.said, words), "%s: said %s, not %s", name, seen.said, words);
    CHECKF(!all || !results || !strcmp(all_results(&seen), results), "%s: results %s, not %s", name, all_results(&seen),
           results);
  }
}

static void expect(struct image *image, const char *name, uint32_t found, const char *words, const char *results) {
  expect_of(image, name, false, found, words, results);
}

static struct image *open_scenes(struct mem *m) {
  mem_open(m, NULL);
  return image_of(m, "tests/threads/scenes.c", "");
}

TEST(sync_mutex) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "mutex", NONE, NULL, "0 0 0");
  expect(image, "two_locks", NONE | DEADLOCK,
         "thread A waits for the mutex b, held by thread B; thread B waits for the mutex a, held by thread A: a circle",
         "0 0");
  expect(image, "relock", DEADLOCK, "thread A waits for the mutex a, which it holds itself", "");
  expect(image, "kept", DEADLOCK, ", which has ended", "");
  expect(image, "recursive", NONE, NULL, "0 0");
  expect(image, "checked", NONE, NULL, "0 0");
  expect(image, "made", NONE, NULL, "0 0");
  expect(image, "try", NONE, NULL, "0 0, 0 1, 1 0");
  expect(image, "timed_lock", NONE, NULL, "0 0, 1 0");
  mem_close(&m);
}

TEST(sync_misuse) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "unlocks_other", MISUSE | DEADLOCK, NULL, "");
  expect(image, "unlocks_free", MISUSE, "thread A unlocks the mutex a, which is not locked", "");
  expect(image, "destroys_held", NONE | MISUSE, "the mutex a", "0 0");
  expect(image, "uses_destroyed", MISUSE, "locks the mutex a, which is destroyed", "");
  expect(image, "uses_freed", FREED, NULL, "");
  expect(image, "waits_unlocked", MISUSE, "without having locked the mutex a", "");
  /* A waiter may wake without a signal, and then wait for the mutex, which is not unlocked. */
  expect(image, "destroys_waited", MISUSE | DEADLOCK, NULL, "");
  expect(image, "joins_twice", MISUSE, "was joined already", "");
  expect(image, "cancels", UNSUPPORTED, "pthread_cancel", "");
  mem_close(&m);
}

TEST(sync_condition) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "lost_wakeup", NONE | DEADLOCK,
         "thread A waits for a signal to the condition variable cond, which nobody is left to send", "0 0");
  expect(image, "queue", NONE, NULL, "0 12");
  expect_of(image, "which", true, NONE, NULL, "1 2 0, 2 1 0");
  expect(image, "late", NONE | DEADLOCK, "thread B waits for a signal", "0 0");
  expect(image, "all", NONE, NULL, "0 0 0");
  expect(image, "timed_wait", NONE, NULL, "1 0, 2 0");
  expect(image, "timed_out", NONE, NULL, "1");
  expect(image, "timed_loop", NONE, NULL, "0 0, 1 0");
  mem_close(&m);
}

TEST(sync_spinning) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "spin", NONE, NULL, "7 0");
  expect(image, "spin_volatile", NONE, NULL, "0 1");
  expect(image, "spin_yield", NONE, NULL, "0 0");
  expect(image, "spin_sleep", NONE, NULL, "0 0");
  expect(image, "spin_both", NONE, NULL, "0 0");
  expect(image, "spin_sum", NONE, NULL, "0 0 0");
  expect(image, "spin_toggle", NONE, NULL, "1 0");
  expect(image, "test_and_set", NONE, NULL, "0 0 0");
  expect(image, "ticket", NONE, NULL, "0 0");
  expect(image, "exchange_loop", NONE, NULL, "0 0");
  expect(image, "try_loop", NONE, NULL, "0 0");
  expect(image, "spinlock", NONE, NULL, "0 0");
  expect(image, "backoff", NONE, NULL, "0 0");
  mem_close(&m);
}

/* Loops that end by themselves are not taken for waiting. */
TEST(sync_counting) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "counts", NONE, NULL, "1 0, 2 0");
  expect(image, "counts_global", NONE, NULL, "40");
  expect(image, "counts_alone", NONE, NULL, "40");
  expect(image, "counts_time", NONE, NULL, "1");
  expect(image, "counts_random", NONE, NULL, "1");
  expect(image, "rounds", NONE, NULL, "1");
  expect(image, "rounds_memory", NONE, NULL, "1");
  mem_close(&m);
}

/* Each in turn: the schedule under which all of them go on. */
static int in_turn(void *context, const struct run *r, struct choice *choice) {
  (void)context;
  uint64_t later = r->enabled & ~(((uint64_t)2 << r->current) - 1);
  choice->fiber = (uint8_t)__builtin_ctzll(later ? later : r->enabled);
  return 0;
}

static void expect_end(struct image *image, const char *name, const struct plan *plan, enum found found,
                       const char *words, enum run_end end) {
  struct scene s;
  struct problem problem;
  struct run_options options = {.races = true};
  scene_open(&s, image, name, &options);
  const struct run *r = run_execute(&s.client, plan, &problem);
  CHECKF(r, "%s", problem.text);
  printf("%s: %zu steps; %s\n", name, r->count, r->said);
  CHECKF(r->found == found && r->end == end, "%s: %s, ends with %d", name, found_name(r->found), r->end);
  CHECKF(strstr(r->said, words), "%s: %s", name, r->said);
}

static void expect_one(struct image *image, const char *name, const struct plan *plan, enum found found,
                       const char *words) {
  expect_end(image, name, plan, found, words, RUN_WHOLE);
}

TEST(sync_livelock) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "never_set", LIVELOCK, "thread A reads flag again and again, and nobody is left to change it", "");
  expect(image, "spin_and_lock", LIVELOCK | NONE, "thread A reads flag again and again", "0 0");
  struct plan turns = {.choose = in_turn}, none = {.choose = NULL};
  /* Where one of them goes first it comes through: it is given up, and not a livelock. */
  expect_end(image, "polite", &turns, FOUND_NOTHING, "", RUN_LONG);
  expect_one(image, "polite", &none, FOUND_NOTHING, "");
  expect_one(image, "undoes", &none, FOUND_LIVELOCK, "thread A goes on for ever");
  mem_close(&m);
}

/* Loops that look with a mutex locked. */
TEST(sync_polling) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "polls", LIVELOCK,
         "thread A locks and unlocks the mutex a again and again, and nobody is left to change what it looks at", "");
  expect(image, "polls_set", NONE, NULL, "0 0");
  expect_of(image, "polls_many", true, NONE, NULL,
            "0 0 0"); /* how soon it is seen that they wait depends on the compiler */
  expect(image, "polls_two", NONE, NULL, "0 0");
  expect(image, "polls_counts", NONE, NULL, "40");
  expect(image, "polls_try", NONE, NULL, "0 0");
  mem_close(&m);
}

TEST(sync_once) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "once", NONE, NULL, "1 1");
  expect(image, "once_c11", NONE, NULL, "1 1");
  expect(image, "once_again", DEADLOCK, "which it is itself about to do", "");
  mem_close(&m);
}

TEST(sync_others) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "barrier", NONE, NULL, "0 3, 1 2, 2 1, 3 0");
  expect(image, "lonely", DEADLOCK, "waits for others at the barrier barrier, and nobody is left to come", "");
  expect(image, "readers", NONE, NULL, "0 0 0, 0 1 0, 1 0 0");
  expect(image, "rw_try", NONE, NULL, "0 0, 0 1, 1 0");
  expect(image, "rw_upgrade", DEADLOCK, "which it holds itself", "");
  expect(image, "rw_misuse", MISUSE, "which it has not locked", "");
  expect(image, "semaphore", NONE, NULL, "2 11");
  expect(image, "sem_lost", NONE | DEADLOCK, "thread A waits for the semaphore back, which nobody is left to post",
         "0 0");
  expect(image, "futex", NONE, NULL, "3 0");
  expect(image, "futex_lost", NONE | DEADLOCK, "thread A waits for a wake-up at word, and nobody is left to wake it",
         "0 1");
  expect(image, "time_passes", NONE, NULL, "2500");
  expect(image, "stamps", NONE, NULL, "0 0, 0 1");
  mem_close(&m);
}

TEST(sync_created) {
  struct mem m;
  struct image *image = open_scenes(&m);
  expect(image, "create", NONE, NULL, "1305");
  expect(image, "create_two", NONE, NULL, "0, 1, 2, 3");
  expect(image, "exits", NONE, NULL, "35");
  expect(image, "background", NONE, NULL, "0");
  expect(image, "join_stuck", DEADLOCK, "thread A waits for thread B to end", "");
  expect(image, "keys", NONE, NULL, "3");
  expect(image, "locals", NONE, NULL, "567");
  expect(image, "c11", NONE, NULL, "66");
  mem_close(&m);
}

/* The same numbers in every run, and others in another thread. */
TEST(sync_random) {
  struct mem m;
  struct image *image = open_scenes(&m);
  struct scene s;
  struct seen seen = {0};
  struct run_options options = {.races = true};
  scene_open(&s, image, "random", &options);
  scene_all(&s.client, RUNS_MOST, look, &seen);
  long one, two;
  CHECK(seen.result_count == 1 && sscanf(seen.results[0], "%ld %ld", &one, &two) == 2 && one != two);
  mem_close(&m);
}

TEST(sync_cxx) {
  struct mem m;
  mem_open(&m, NULL);
  struct image *image = image_of(&m, "tests/threads/scenes.cc", "-std=c++17");
  expect(image, "threads", NONE, NULL, "3");
  expect(image, "condition", NONE, NULL, "4 0");
  expect(image, "wait_for", NONE, NULL, "1 0, 4 0");
  expect(image, "once", NONE, NULL, "1 1");
  expect(image, "once_throws", NONE, NULL, "-1 1, 1 -1");
  expect(image, "shared", NONE, NULL, "0 1, 1 1");
  expect(image, "others", NONE, NULL, "0 0, 1 0");
  expect(image, "exceptions", NONE, NULL, "34 5");
  expect(image, "thread_local_", NONE, NULL, "22");
  expect(image, "statics", NONE, NULL, "1 1");
  expect(image, "asyncs", NONE, NULL, "6");
  expect(image, "promises", NONE, NULL, "7 0");
  expect(image, "pointers", NONE, NULL, "3 3");
  expect(image, "sleeps", NONE, NULL, "30");
  expect(image, "device", NONE, NULL, NULL);
  expect(image, "deadlock", NONE | DEADLOCK, "a circle", "0 0");
  struct plan none = {.choose = NULL};
  expect_one(image, "lock_both", &none, FOUND_NOTHING, "");
  mem_close(&m);
}

TEST(sync_cxx20) {
  struct mem m;
  mem_open(&m, NULL);
  struct image *image = image_of(&m, "tests/threads/scenes.cc", "-std=c++20");
  expect(image, "atomic_wait", NONE, NULL, "2 0");
  expect(image, "semaphore", NONE, NULL, "5 0");
  expect(image, "latch", NONE, NULL, "2 2");
  expect(image, "jthread", NONE, NULL, "9");
  mem_close(&m);
}
