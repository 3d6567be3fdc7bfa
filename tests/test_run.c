/* The runtime under `asif test`: points, choices and moments; what begins anew with every run; what ends one. The code
 * is in tests/run/. */
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "images.h"
#include "run/run.h"
#include "run/runtime.h"
#include "test.h"
#include "test/test.h"

#if defined(__SANITIZE_THREAD__)
#define RUNS() test_skip("the thread sanitizer does not know of the fibers")
#else
#define RUNS() ((void)0)
#endif

static const struct run_options usual = {.races = true};
static struct mem memory;

static struct image *code(const char *source) {
  mem_open(&memory, NULL);
  return image_of(&memory, source, "");
}
static const struct run *execute(const struct scene *s, const struct plan *plan) {
  struct problem problem;
  const struct run *r = run_execute(&s->client, plan, &problem);
  CHECKF(r, "%s", problem.text);
  return r;
}
/* One scene under the default policy: the result of its thread 0. */
static long result_of(struct image *image, const char *name) {
  struct scene s;
  scene_open(&s, image, name, &usual);
  const struct run *r = execute(&s, &(struct plan){0});
  CHECKF(r->found == FOUND_NOTHING && r->end == RUN_WHOLE, "%s: %s", name, r->said);
  for (size_t i = 0; i < r->moment_count; i++)
    if (r->moments[i].is_return && r->moments[i].call == 0) return r->moments[i].result;
  CHECK(!"no result");
  return 0;
}

static void check_steps(const struct run *r) {
  CHECK(r->count == 4 && r->moment_count == 4 && r->fibers == 2);
  unsigned before = 0;
  for (size_t i = 0; i < 4; i++) {
    const struct step *s = &r->steps[i];
    bool first = true, last = true; /* of its thread */
    for (size_t k = 0; k < 4; k++) {
      if (r->steps[k].fiber != s->fiber || k == i) continue;
      (k < i ? &first : &last)[0] = false;
    }
    CHECK(s->kind == (first ? POINT_WRITE : POINT_READ) && s->size == 4 && s->address && s->before == before);
    CHECK(!(s->flags & STEP_CALLS) == !first && !(s->flags & STEP_RETURNS) == !last &&
          !(s->flags & STEP_WROTE) == !first);
    CHECK(s->enabled >> s->fiber & 1);
    before = s->fiber;
  }
  for (size_t m = 0; m < 4; m++) { /* calls with first steps, returns with last ones */
    const struct moment *at = &r->moments[m];
    CHECK(r->steps[at->step].flags & (at->is_return ? STEP_RETURNS : STEP_CALLS) &&
          r->steps[at->step].fiber == at->fiber);
    CHECK(at->call == at->fiber && (!m || at[-1].step <= at->step));
  }
}
struct results {
  unsigned seen[2][2];
};
static bool see_steps(void *context, const struct run *r) {
  struct results *o = context;
  long result[2] = {-1, -1};
  check_steps(r);
  for (size_t m = 0; m < 4; m++)
    if (r->moments[m].is_return) result[r->moments[m].call] = r->moments[m].result;
  o->seen[result[0]][result[1]]++;
  return true;
}
TEST(run_steps) {
  RUNS();
  struct scene s;
  struct results o = {0};
  scene_open(&s, code("tests/run/code.c"), "steps", &usual);
  CHECK(scene_all(&s.client, 1000, see_steps, &o) == 6);
  CHECK(o.seen[0][0] == 0 && o.seen[0][1] == 1 && o.seen[1][0] == 1 && o.seen[1][1] == 4);
}

TEST(run_call_that_touches_nothing) {
  RUNS();
  struct scene s;
  scene_open(&s, code("tests/run/code.c"), "nothing", &usual);
  const struct run *r = execute(&s, &(struct plan){0});
  CHECK(r->count == 2 && r->moment_count == 4 && r->steps[0].kind == POINT_CALL);
  CHECK(r->steps[0].flags == (STEP_CALLS | STEP_RETURNS) && r->moments[1].is_return && r->moments[1].result == 7);
  CHECK(r->moments[2].step == 1 && r->moments[3].result == 8);
}

/* The default: the one that ran, then the next. A choice that cannot be is told. */
TEST(run_choices) {
  RUNS();
  struct scene s;
  struct problem problem = {.text = ""};
  struct image *image = code("tests/run/code.c");
  scene_open(&s, image, "steps", &usual);
  const struct choice middle[] = {{1, 0}, {0, 0}}, wrong[] = {{0, 0}, {0, 0}, {0, 0}};
  const struct run *r = execute(&s, &(struct plan){.choices = middle, .count = 2});
  CHECK(r->steps[0].fiber == 1 && r->steps[1].fiber == 0 && r->steps[2].fiber == 0 && r->steps[3].fiber == 1);
  for (size_t i = 2; i < 4; i++)
    CHECK(step_default(r->steps, i, r->steps[i].before, r->steps[i].enabled) == r->steps[i].fiber);
  CHECK(step_default(r->steps, 0, 0, 3) == 0 && step_default(r->steps, 1, 1, 5) == 2 &&
        step_default(r->steps, 1, 2, 3) == 0);
  CHECK(!run_execute(&s.client, &(struct plan){.choices = wrong, .count = 3}, &problem));
  CHECK(strstr(problem.text, "step 2 of the schedule is thread A's"));
  CHECK(execute(&s, &(struct plan){0})->count == 4);
}

TEST(run_globals_begin_anew) {
  RUNS();
  struct image *image = code("tests/run/code.c");
  for (int i = 0; i < 5; i++) {
    long got = result_of(image, "globals");
    CHECKF(got == 41 * 10000 + 2 * 1000 + 1 * 100 + 1 * 10 + 1, "run %d: %ld", i, got);
  }
  struct scene s;
  scene_open(&s, image, "globals", &usual);
  for (int i = 0; i < 5; i++) CHECK(execute(&s, &(struct plan){0})->moments[1].result == 412111);
}

static bool see_own(void *context, const struct run *r) {
  (void)context;
  for (size_t i = 0; i < r->moment_count; i++) {
    long me = r->moments[i].fiber + 1;
    if (r->moments[i].is_return)
      CHECKF(r->moments[i].result == 500000 + me * 111, "thread %ld: %ld", me, r->moments[i].result);
  }
  return true;
}
static bool see_ones(void *context, const struct run *r) {
  (void)context;
  for (size_t i = 0; i < r->moment_count; i++) CHECK(!r->moments[i].is_return || r->moments[i].result == 1);
  return true;
}
TEST(run_each_thread_has_its_own) {
  RUNS();
  struct scene s;
  struct image *image = code("tests/run/code.c");
  scene_open(&s, image, "own", &usual);
  CHECK(scene_all(&s.client, 1000, see_own, NULL) == 2);
  scene_open(&s, image, "round", &usual);
  CHECK(scene_all(&s.client, 1000, see_ones, NULL) >= 2); /* clang tells of volatile variables on the stack too */
}

static bool see_zero_sum(void *context, const struct run *r) {
  (void)context;
  CHECK(r->count == 2 && r->steps[0].kind == POINT_BLOCK && r->steps[1].kind == POINT_BLOCK);
  for (size_t i = 0; i < r->moment_count; i++) CHECK(r->moments[i].result == 0);
  return true;
}
static bool see_required(void *context, const struct run *r) {
  unsigned *cannot = context;
  *cannot += r->end == RUN_CANNOT;
  CHECK(r->found == FOUND_NOTHING && (r->end == RUN_WHOLE || r->end == RUN_CANNOT));
  return true;
}
TEST(run_blocks) {
  RUNS();
  struct scene s;
  unsigned cannot = 0;
  struct image *image = code("tests/run/code.c");
  scene_open(&s, image, "block", &usual);
  CHECK(scene_all(&s.client, 1000, see_zero_sum, NULL) == 2);
  scene_open(&s, image, "require", &usual);
  CHECK(scene_all(&s.client, 1000, see_required, &cannot) == 2 && cannot == 1);
}

TEST(run_widths) {
  RUNS();
  CHECK(result_of(code("tests/run/code.c"), "widths") == 6);
}

TEST(run_what_is_a_point) {
  RUNS();
  struct scene s;
  struct image *image = code("tests/run/code.c");
  scene_open(&s, image, "volatile", &usual);
  const struct run *r = execute(&s, &(struct plan){0});
  CHECK(r->count == 2 && r->steps[0].kind == POINT_WRITE && r->steps[1].kind == POINT_READ &&
        r->moments[1].result == 1);
  scene_open(&s, image, "plain", &usual);
  r = execute(&s, &(struct plan){0});
  CHECK(r->count == 1 && r->steps[0].kind == POINT_CALL && r->moments[1].result == 10);
  scene_open(&s, image, "plain", &(struct run_options){.races = false});
  r = execute(&s, &(struct plan){0});
  unsigned writes = 0;
  for (size_t i = 0; i < r->count; i++) {
    CHECK(r->steps[i].kind == POINT_READ || r->steps[i].kind == POINT_WRITE);
    writes += r->steps[i].kind == POINT_WRITE;
  }
  CHECK(writes == 1 && r->moments[1].result == 10);
}

static const struct {
  const char *name;
  enum found found;
  const char *said;
} crashes[] = {
    {"crash_read", FOUND_CRASH, "thread A reads from address 0: a null pointer"},
    {"crash_write", FOUND_CRASH, "thread A writes to address 0: a null pointer"},
    {"crash_atomic", FOUND_CRASH, "thread A reads from address 0: a null pointer"},
    {"crash_library", FOUND_CRASH, "null pointer"},
    {"crash_stack", FOUND_CRASH, "the stack of thread A is full: "},
    {"crash_divide", FOUND_CRASH, "thread A divides by zero"},
    {"crash_trap", FOUND_CRASH, "a trap"},
    {"crash_abort", FOUND_CRASH, "thread A calls abort"},
    {"crash_exit", FOUND_CRASH, "thread A calls exit(3)"},
    {"crash_assert", FOUND_ASSERTION, "code.c:"},
    {"crash_endless", FOUND_LIVELOCK, "goes round a loop that touches nothing"},
};
TEST(run_crashes) {
  RUNS();
  struct image *image = code("tests/run/code.c");
  for (int again = 0; again < 3; again++) {
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
      if (again && crashes[i].found == FOUND_LIVELOCK) continue; /* takes a while */
#ifdef __SANITIZE_ADDRESS__
      if (!strcmp(crashes[i].name, "crash_atomic")) continue; /* the undefined sanitizer is first */
#endif
      struct scene s;
      scene_open(&s, image, crashes[i].name, &usual);
      const struct run *r = execute(&s, &(struct plan){0});
      CHECKF(r->found == crashes[i].found && strstr(r->said, crashes[i].said), "%s: %s: %s", crashes[i].name,
             found_name(r->found), r->said);
      const struct found_place *at;
      size_t count = run_found_places(&at);
      CHECKF(count && at[0].pc >= image_base(image), "%s: no place", crashes[i].name);
      CHECK(result_of(image, "well") == 41);
    }
  }
  struct scene s;
  scene_open(&s, image, "crash_later", &usual);
  CHECK(execute(&s, &(struct plan){0})->found == FOUND_CRASH);
  CHECK(execute(&s, &(struct plan){.choices = (const struct choice[]){{1, 0}}, .count = 1})->found == FOUND_NOTHING);
}

TEST(run_that_does_not_end) {
  RUNS();
  struct scene s;
  scene_open(&s, code("tests/run/code.c"), "far", &(struct run_options){.races = true, .steps_most = 5000});
  const struct run *r = execute(&s, &(struct plan){0});
  CHECK(r->end == RUN_LONG && r->count == 5000 && r->found == FOUND_NOTHING);
  CHECK(r->steps[4999].kind == POINT_UPDATE && r->moment_count == 1);
}

/* The one that yields lets the other go: by default the loop is left after one round. */
TEST(run_yields) {
  RUNS();
  struct scene s;
  scene_open(&s, code("tests/run/code.c"), "yield", &usual);
  const struct run *r = execute(&s, &(struct plan){0});
  CHECK(r->end == RUN_WHOLE && r->found == FOUND_NOTHING && r->steps[1].kind == POINT_YIELD &&
        r->steps[1].flags & STEP_YIELDED);
  CHECK(r->steps[2].fiber == 1);
  for (size_t i = 0; i < r->moment_count; i++) CHECK(!r->moments[i].is_return || r->moments[i].result == 1);
}

/* The same choices give the same run, addresses included; with races looked for or not the accesses are the same. */
TEST(run_repeats) {
  RUNS();
  struct scene s;
  static struct step kept[4];
  scene_open(&s, code("tests/run/code.c"), "steps", &usual);
  const struct choice choices[] = {{1, 0}, {0, 0}, {1, 0}, {0, 0}};
  for (int i = 0; i < 100; i++) {
    const struct run *r = execute(&s, &(struct plan){.choices = choices, .count = 4});
    CHECK(r->count == 4);
    if (!i) memcpy(kept, r->steps, sizeof kept);
    CHECK(!memcmp(kept, r->steps, sizeof kept));
  }
}

static void tell(void *context, const struct access *a) {
  struct text *t = context;
  static const char *const kinds[] = {"reads", "writes", "updates"};
  CHECK(a->kind <= POINT_UPDATE && a->pc);
  text_printf(t, "%u %s %s %lu %lu;", a->fiber, a->atomic ? "atomically" : "plainly", kinds[a->kind],
              (unsigned long)a->read.low, (unsigned long)a->wrote.low);
}
TEST(run_is_told) {
  RUNS();
  struct scene s;
  struct text t;
  struct image *image = code("tests/run/code.c");
  text_open(&t, &memory);
  const struct recorder recorder = {.access = tell, .context = &t};
  run_record(&recorder);
  scene_open(&s, image, "steps", &usual);
  execute(&s, &(struct plan){0});
  CHECKF(!strcmp(text_string(&t),
                 "0 atomically writes 0 1;0 atomically reads 0 0;1 atomically writes 0 1;1 atomically reads 1 0;"),
         "%s", text_string(&t));
  text_clear(&t);
  scene_open(&s, image, "plain", &usual);
  execute(&s, &(struct plan){0});
  CHECKF(strstr(text_string(&t), "0 plainly writes 0 10;"), "%s", text_string(&t));
  text_clear(&t);
  run_record(NULL);
  execute(&s, &(struct plan){0});
  CHECK(!*text_string(&t));
}

TEST(run_in_sequence) {
  RUNS();
  struct scene s;
  enum found found;
  scene_open(&s, code("tests/run/code.c"), "steps", &usual);
  const struct call calls[] = {{.op = 1}, {.op = 0}, {.op = 1}};
  const uint8_t threads[] = {1, 0, 1};
  long results[3] = {9, 9, 9};
  CHECK(run_sequential(calls, threads, 3, results, &found) && found == FOUND_NOTHING);
  CHECK(results[0] == 0 && results[1] == 1 && results[2] == 1);
  CHECK(run_sequential(calls, NULL, 1, results, &found) && results[0] == 0);
}

static bool see_objects(void *context, const struct run *r) {
  unsigned *sum = context;
  CHECKF(r->found == FOUND_NOTHING && r->end == RUN_WHOLE, "%s", r->said);
  long results = 0;
  for (size_t i = 0; i < r->moment_count; i++)
    if (r->moments[i].is_return) results += r->moments[i].result;
  CHECKF(results == *sum, "%ld", results);
  return true;
}
TEST(run_cxx) {
  RUNS();
  static const struct {
    const char *name;
    unsigned sum;
  } scenes[] = {{"object", 1 + 2}, {"once", 1 + 1}, {"throw", 5 + 6}};
  struct image *image = code("tests/run/code.cc");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    struct scene s;
    unsigned sum = scenes[i].sum;
    scene_open(&s, image, scenes[i].name, &usual);
    size_t runs = scene_all(&s.client, 3000, see_objects, &sum);
    CHECKF(runs >= 6, "%s: %zu schedules", scenes[i].name, runs);
  }
}

TEST(run_cxx_ends) {
  RUNS();
  struct image *image = code("tests/run/code.cc");
  struct scene s;
  for (int again = 0; again < 3; again++) {
    scene_open(&s, image, "uncaught", &usual);
    const struct run *r = execute(&s, &(struct plan){0});
    CHECKF(r->found == FOUND_CRASH && strstr(r->said, "throws std::out_of_range, and nobody catches it"), "%s",
           r->said);
    scene_open(&s, image, "noexcepts", &usual);
    r = execute(&s, &(struct plan){0});
    CHECKF(r->found == FOUND_CRASH && strstr(r->said, "throws int, and nobody catches it"), "%s", r->said);
  }
}

/* Runs that begin at a state kept on the way are the same as those from the beginning: a recorder makes all begin
 * there. */
static void tell_nobody(void *context, const struct access *a) { (void)context, (void)a; }
static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15u ^ h >> 29; }
static bool see_everything(void *context, const struct run *r) {
  uint64_t h = *(uint64_t *)context;
  for (size_t i = 0; i < r->count; i++) {
    const struct step *s = &r->steps[i];
    h = mix(mix(mix(h, s->enabled), s->address), s->fiber | s->before << 8 | s->kind << 16 | (uint64_t)s->flags << 24);
    h = mix(mix(h, s->size), s->block | s->blocks << 8);
  }
  for (size_t i = 0; i < r->moment_count; i++)
    h = mix(mix(h, r->moments[i].step),
            (uint64_t)r->moments[i].result << 8 | r->moments[i].fiber << 1 | r->moments[i].is_return);
  *(uint64_t *)context = mix(mix(h, r->found), r->end);
  return true;
}
static void compare_kept(const char *file) {
  const struct recorder recorder = {.access = tell_nobody};
  const char *more = getenv("ASIF_LONG");
  const size_t runs = more && *more ? 1000000 : 30000;
  struct image *image = code(file);
  for (int how = 0; how < 4; how++) {
    struct scene s;
    uint64_t kept = 0, anew = 0, resumed = run_resumed();
    scene_open(&s, image, "kept", &(struct run_options){.races = how & 1, .type_stable = true, .leaks = how >> 1});
    size_t count = scene_all(&s.client, runs, see_everything, &kept);
    resumed = run_resumed() - resumed;
    run_record(&recorder);
    CHECK(scene_all(&s.client, runs, see_everything, &anew) == count);
    run_record(NULL);
    CHECKF(kept == anew, "%s, %zu runs, races %d: not the same", file, count, how & 1);
#ifndef __SANITIZE_ADDRESS__
    CHECKF(resumed > count / 2, "%s: %lu of %zu runs began at a state", file, (unsigned long)resumed, count);
#endif
  }
}
TEST(run_kept_states) {
  RUNS();
  compare_kept("tests/run/kept.c");
}
TEST(run_kept_states_of_locks) {
  RUNS();
  compare_kept("tests/run/kept_locks.c");
}

/* A process that ends for lack of memory says so, even where what the code prints is hidden. */
TEST(run_no_memory_is_told) {
  RUNS();
  char said[300] = "";
  int ends[2], status = 0;
  CHECK(!pipe(ends));
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    dup2(ends[1], STDERR_FILENO);
    output_show(); /* undoes the runner's output_leave */
    output_hide();
    run_no_memory("the globals of the code");
  }
  close(ends[1]);
  CHECK(read(ends[0], said, sizeof said - 1) > 0 && waitpid(child, &status, 0) == child);
  close(ends[0]);
  CHECKF(strstr(said, "there is no memory for the globals of the code"), "%s", said);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == RUN_NO_MEMORY);
}

/* Every name that is wrapped is there. */
TEST(run_wrapped_names) {
  for (const char *const *name = wrapped_names; *name; name++) {
    char wrap[200];
    snprintf(wrap, sizeof wrap, "__wrap_%s", *name);
    if (!strcmp(*name, "pthread_create")) continue; /* in the stub */
    CHECKF(dlsym(RTLD_DEFAULT, wrap), "%s is wrapped, and there is no %s", *name, wrap);
  }
}

/* And every hook that a compiler calls is wrapped. */
static void check_hooks(const char *compiler, const char *source) {
  char command[600], symbol[300];
  unsigned hooks = 0;
  snprintf(command, sizeof command,
           "for o in -O0 '-O1 -mcx16'; do %s -w $o -fPIC -fsanitize=thread -c %s -o /tmp/asif-hooks-%d && nm -u "
           "/tmp/asif-hooks-%d; done; "
           "rm -f /tmp/asif-hooks-%d",
           compiler, source, getpid(), getpid(), getpid());
  FILE *names = popen(command, "r");
  CHECK(names);
  while (fscanf(names, "%*s %299s", symbol) == 1) {
    if (strncmp(symbol, "__tsan_", 7) && strncmp(symbol, "__atomic_", 9) && strncmp(symbol, "__sync_", 7)) continue;
    const char *const *name = wrapped_names;
    while (*name && strcmp(*name, symbol)) name++;
    CHECKF(*name, "%s of %s calls %s", compiler, source, symbol);
    hooks++;
  }
  pclose(names);
  CHECKF(hooks > 150, "%s of %s: %u hooks", compiler, source, hooks);
}
TEST(run_hooks_of_compilers) {
  check_hooks("cc --param=tsan-distinguish-volatile=1", "tests/run/builtins.c");
  check_hooks("c++ --param=tsan-distinguish-volatile=1", "tests/run/builtins.cc");
  if (system("clang --version > /dev/null 2>&1")) test_skip("no clang");
  check_hooks("clang -mllvm -tsan-distinguish-volatile=1", "tests/run/builtins.c");
  check_hooks("clang -mllvm -tsan-compound-read-before-write=1", "tests/run/builtins.c");
  check_hooks("clang++ -mllvm -tsan-distinguish-volatile=1", "tests/run/builtins.cc");
}
