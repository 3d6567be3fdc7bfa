/* One run: points, choices, the default policy, calls and returns. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "asif.h"
#include "base/hash.h"
#include "run/weak.h"

#define STEPS_MOST 20000
#define ROW_MOST   1000 /* steps of one fiber in a row after which the default is another's */
#define NOT_AGAIN \
  "the code does not do the same again. Does it depend on a file, the time, a random number or another process?"
#if defined(__SANITIZE_ADDRESS__) || (defined(ASIF_PORTABLE_FIBERS) || !defined(__x86_64__))
#define STATES_POSSIBLE false /* something else keeps account of the stacks */
#else
#define STATES_POSSIBLE true
#endif

struct fiber *current;
struct run run;
struct run_options options;
struct scheduler scheduler;
const struct recorder *recording;
bool plain_long, plain_watched;

static struct image *image;
static const struct image_op *operations;
static void (*initialise)(void);
static const struct plan *plan;
static size_t steps_most;
static bool
    silence; /* nobody wants to know of accesses, but for what is noted of them: neither the clocks nor a recorder */
static size_t quick_most; /* SIZE_MAX; 0 where every point must be known of */
static struct run_marks marks;
static size_t kept_at; /* the step before which the state is to be kept */
static bool keeping;   /* that is why the context of run_execute is back */
bool in_sequence;

static struct step *sequential_steps; /* for a run that is made aside, and leaves those of the last run alone; taken
                                       * while there is one: it may have others made aside in turn */
static struct moment *sequential_moments;
static size_t sequential_room;
static struct moment *moments; /* room: two for each call */
static size_t moments_room;

static void *outside; /* the context that run_execute is called from */
static int *real_errno;
struct run_words run_words;
enum { DESCRIBED_MOST = 4 };
static uintptr_t described[DESCRIBED_MOST]; /* the addresses that were named last */
static size_t described_count;
static char internal[300]; /* why the run is not what it should be; "": it is */

const char *found_name(enum found found) {
  static const char *const names[] = {
      [FOUND_NOTHING] = "nothing",
      [FOUND_HISTORY] = "not linearizable",
      [FOUND_ORDERS] = "not linearizable in any order",
      [FOUND_UNPUBLISHED] = "not published",
      [FOUND_RACE] = "data race",
      [FOUND_USE_AFTER_FREE] = "use after free",
      [FOUND_DOUBLE_FREE] = "double free",
      [FOUND_BAD_FREE] = "bad free",
      [FOUND_OUT_OF_BOUNDS] = "out of bounds",
      [FOUND_LEAK] = "leak",
      [FOUND_DEADLOCK] = "deadlock",
      [FOUND_LIVELOCK] = "livelock",
      [FOUND_ASSERTION] = "assertion failure",
      [FOUND_CRASH] = "crash",
      [FOUND_MISUSE] = "misuse",
      [FOUND_UNSUPPORTED] = "not supported",
  };
  return names[found];
}

const char *fiber_name_then(const struct fiber *f, bool finishing) {
  static char names[4][16];
  static unsigned next;
  if (!f || f->id == FIBER_MAIN) return finishing ? "the final function" : "the initialisation";
  char *name = names[next++ % 4];
  if (f->id < 26)
    snprintf(name, sizeof names[0], "thread %c", 'A' + f->id);
  else
    snprintf(name, sizeof names[0], "thread T%u", f->id);
  return name;
}

const char *fiber_name(const struct fiber *f) { return fiber_name_then(f, run.finishing); }

static __attribute__((noinline)) uint64_t ready_fibers(uint64_t enabled) {
  for (uint64_t rest = enabled & scheduler.waiting; rest; rest &= rest - 1) {
    const struct fiber *f = &fibers[__builtin_ctzll(rest)];
    if (!f->ready(f)) enabled &= ~((uint64_t)1 << f->id);
  }
  return enabled;
}
static inline uint64_t enabled_fibers(void) {
  uint64_t enabled = scheduler.alive & ~scheduler.spinning;
  return UNLIKELY(scheduler.waiting != 0) ? ready_fibers(enabled) : enabled;
}

/* The end of a run, from inside it. */
_Noreturn static void leave(void) { fiber_jump(outside); }

_Noreturn void run_stop(enum run_end end) {
  run.end = end;
  leave();
}

void final_waits(void) {
  if (run.finishing) run_found(FOUND_DEADLOCK, "the final function waits, and all threads have ended");
}

_Noreturn void run_found(enum found found, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(run_words.said, sizeof run_words.said, format, args);
  va_end(args);
  run.found = found;
  run.said = run_words.said;
  run.enabled = enabled_fibers();
  run_stop(RUN_WHOLE);
}

void found_at(uintptr_t pc, uintptr_t address, const struct fiber *f, const char *words) {
  if (run_words.count < PLACES_MOST)
    run_words.places[run_words.count++] = (struct found_place){pc, address, f->id, words};
}

size_t run_described(const uintptr_t **at) {
  *at = described;
  return described_count < DESCRIBED_MOST ? described_count : DESCRIBED_MOST;
}

size_t run_found_places(const struct found_place **at) {
  *at = run_words.places;
  return run_words.count;
}

_Noreturn static void wrong_choice(unsigned fiber) {
  snprintf(internal, sizeof internal, "step %zu of the schedule is %s's, which cannot take one there: " NOT_AGAIN,
           run.count, fiber < FIBERS_MOST ? fiber_name(&fibers[fiber]) : "nobody");
  run_stop(RUN_CUT);
}

/* Choices. */

static inline unsigned default_fiber(bool yielded, unsigned before, uint64_t enabled) {
  if (!yielded && enabled >> before & 1) return before;
  uint64_t others = enabled & ~((uint64_t)1 << before);
  if (!others) return before;
  uint64_t later = others & ~(((uint64_t)2 << before) - 1);
  return (unsigned)__builtin_ctzll(later ? later : others);
}

unsigned step_default(const struct step *steps, size_t i, unsigned before, uint64_t enabled) {
  return default_fiber(i && steps[i - 1].flags & STEP_YIELDED, before, enabled);
}

static unsigned ask(uint64_t enabled) {
  struct choice choice = {0, 0};
  run.enabled = enabled;
  scheduler.asks = true;
  int said_stop = plan->choose(plan->context, &run, &choice) == CHOOSE_STOP;
  scheduler.asks = false;
  if (said_stop) run_stop(RUN_CUT);
  if (choice.fiber >= FIBERS_MOST || !(enabled >> choice.fiber & 1)) wrong_choice(choice.fiber);
  return choice.fiber;
}

/* The fiber that the plan has take step i, if that is one that spins. When it is seen to spin depends on what else is
 * on its stack: what was there before, in bytes that the code does not use. So it may have been seen later when the
 * step was taken before. */
static __attribute__((noinline)) uint64_t forced_to_spin(size_t i) {
  unsigned id = i < plan->count ? plan->choices[i].fiber : FIBERS_MOST;
  if (id >= FIBERS_MOST || !((scheduler.spinning & scheduler.alive) >> id & 1)) return 0;
  const struct fiber *f = &fibers[id];
  if (f->ready && !f->ready(f)) return 0;
  scheduler.spinning &= ~((uint64_t)1 << id);
  scheduler.halted &= ~((uint64_t)1 << id);
  return (uint64_t)1 << id;
}

static inline unsigned chosen(size_t i, uint64_t enabled) {
  if (i < plan->count) {
    unsigned forced = plan->choices[i].fiber;
    if (UNLIKELY(forced >= FIBERS_MOST || !(enabled >> forced & 1))) wrong_choice(forced);
    return forced;
  }
  if (UNLIKELY(plan->choose != NULL)) return ask(enabled);
  return default_fiber(i && scheduler.steps[i - 1].flags & STEP_YIELDED, run.current, enabled);
}

/* Where the next moment goes, there is still that of the run before. */
static inline void record_moment(unsigned thread, size_t step, uint32_t call, bool is_return, long result) {
  struct moment *m = &moments[run.moment_count];
  if (run.same_moments == run.moment_count)
    run.same_moments += m->call == call && m->is_return == is_return && m->result == result;
  run.moment_count++;
  *m = (struct moment){
      .step = (uint32_t)step, .call = call, .fiber = (uint8_t)thread, .is_return = is_return, .result = result};
}

/* Checks that are not made before every step: from step marks.checked_at on. False: it would be the last in a row. */
static bool check_length(size_t i, uint64_t enabled) {
  if (i == steps_most) run_stop(RUN_LONG);
  if (i >= SPIN_WATCH && !again_goes_on && !weak_on) spin_watch(enabled);
  bool last = i + 1 >= marks.row + ROW_MOST;
  if (last) marks.row = i + 1;
  size_t next = i >= SPIN_WATCH ? i + 1 : marks.row + ROW_MOST - 1 < SPIN_WATCH ? marks.row + ROW_MOST - 1 : SPIN_WATCH;
  marks.checked_at = next < steps_most ? next : steps_most;
  return !last;
}

void run_loud(void) {
  silence = false;
  scheduler.silent = 0;
}

/* The step up to which nothing is checked and no state is kept. */
static inline size_t undisturbed(void) { return marks.checked_at < kept_at ? marks.checked_at : kept_at; }

/* The fiber that takes the step before `next` is chosen for those after it too, up to the one given back, unless it has
 * to wait. */
static inline size_t forced_until(unsigned fiber, size_t next) {
  size_t most = undisturbed();
  if (next >= plan->count) return plan->choose && plan->count < most ? plan->count : most;
  size_t forced = plan->count < most ? plan->count : most;
  while (next < forced && plan->choices[next].fiber == fiber) next++;
  return next < plan->count || plan->choose ? next : most;
}
static inline size_t goes_on_until(unsigned fiber, size_t i) {
  if (!quick_most)
    return 0; /* not to be used, and to look for it at every step of a long run takes longer than the run */
  return UNLIKELY(scheduler.waiting | scheduler.spinning) ? 0 : forced_until(fiber, i + 1);
}

/* The step is the first of an operation. Not inlined: what chooses steps needs fewer registers then. */
static __attribute__((noinline)) struct fiber *begin_call(struct fiber *f, size_t i) {
  f->called = false;
  record_moment(f->id, i, f->current_call, false, 0);
  return f;
}

/* Begins step i, of those enabled this fiber's. */
static inline struct fiber *begin_step(size_t i, unsigned id, uint64_t enabled, uint64_t word, size_t quick) {
  struct fiber *f = &fibers[id];
  quick &= quick_most;
  scheduler.quick = quick;
  scheduler.silent = silence ? quick : 0;
  step_put(&scheduler.steps[i], enabled, run.pending[id].address, word | STEP_WHO(0, run.current));
  run.current = id;
  run.count = i + 1;
  scheduler.ran |= (uint64_t)1 << id;
  return word & STEP_WORD(0, STEP_CALLS, 0) ? begin_call(f, i) : f;
}

static inline uint64_t pending_word(unsigned id) {
  uint64_t word;
  memcpy(&word, (const char *)&run.pending[id] + 16, sizeof word);
  return word;
}

static __attribute__((noinline)) struct fiber *next_step_slowly(size_t i) {
  uint64_t enabled = enabled_fibers();
  if (UNLIKELY(scheduler.spinning != 0)) enabled |= forced_to_spin(i);
  if (UNLIKELY(!enabled && scheduler.halted & scheduler.alive)) {
    pure_stuck();
    enabled = enabled_fibers();
  }
  while (UNLIKELY(!enabled) && spin_freed()) enabled = enabled_fibers();
  if (UNLIKELY(!enabled)) spin_stuck();
  bool may_go_on = UNLIKELY(i >= marks.checked_at) ? check_length(i, enabled) : true;
  unsigned id = chosen(i, enabled);
  uint64_t word = pending_word(id);
  if (UNLIKELY(!may_go_on && id == run.current)) word |= STEP_WORD(0, STEP_YIELDED, 0);
  if (id != run.current) marks.row = i;
  return begin_step(i, id, enabled, word, word & STEP_WORD(0, STEP_YIELDED, 0) ? 0 : goes_on_until(id, i));
}

/* The same where nobody is asked, nobody waits and nothing is to be checked. Not inlined: so what chooses needs few
 * registers. */
static __attribute__((noinline)) struct fiber *take_step(size_t i, unsigned id, size_t quick) {
  uint64_t word = pending_word(id);
  if (id != run.current) marks.row = i;
  return begin_step(i, id, scheduler.alive, word, word & STEP_WORD(0, STEP_YIELDED, 0) ? 0 : quick);
}
static __attribute__((noinline)) struct fiber *next_forced(size_t i) {
  unsigned id = plan->choices[i].fiber;
  if (UNLIKELY(id >= FIBERS_MOST || !(scheduler.alive >> id & 1))) return next_step_slowly(i);
  return take_step(i, id, forced_until(id, i + 1));
}

/* Chooses who takes the next step: the step is begun. Not inlined: nothing of it is to be on the stack of a fiber that
 * has stopped. */
static __attribute__((noinline)) struct fiber *next_step(void) {
  size_t i = run.count;
  if (UNLIKELY(plan->choose || i >= marks.checked_at || !scheduler.alive || scheduler.waiting | scheduler.spinning))
    return next_step_slowly(i);
  if (i < plan->count) return next_forced(i);
  return take_step(i, default_fiber(i && scheduler.steps[i - 1].flags & STEP_YIELDED, run.current, scheduler.alive),
                   undisturbed());
}

static inline void go_to(struct fiber *from, struct fiber *to) {
  from->error = *real_errno;
  current = to;
  fiber_switch(&from->sp, to->sp);
  *real_errno = from->error;
}

_Noreturn static void end_run(void);

static struct fiber
    *starter; /* in MODE_FIRST: who waits for the new fiber to reach its first point; NULL: the threads of the client */
static unsigned started; /* start one after the other */

/* A fiber has reached its first point, or has ended before: who goes on? NULL: all have, and the steps begin. */
static struct fiber *after_first(struct fiber *f) {
  if (!f->ended) scheduler.alive |= (uint64_t)1 << f->id;
  if (starter) return starter;
  if (++started < run.client->threads) return &fibers[started];
  scheduler.mode = MODE_STEPS;
  if (!scheduler.alive) end_run();
  return NULL;
}

/* The state is kept while the fiber is stopped; here it may go on several times. */
static __attribute__((noinline)) void keep_state(struct fiber *f) {
  keeping = true;
  f->error = *real_errno;
  fiber_switch(&f->sp, outside);
  *real_errno = f->error;
}

/* The fiber that runs stops until it is chosen. All switches between steps are this one: the processor then foresees
 * where they return to. */
static __attribute__((noinline)) void stop_at_point(struct fiber *f) {
  struct fiber *next = NULL;
  if (UNLIKELY(scheduler.mode == MODE_FIRST)) next = after_first(f);
  if (LIKELY(!next)) {
    if (UNLIKELY(run.count >= kept_at) && !f->ended) keep_state(f);
    next = next_step();
  }
  if (next != f) go_to(f, next);
}

static inline void announce(struct fiber *f, enum point_kind kind, uintptr_t address, uint32_t size) {
  unsigned flags = (f->called ? STEP_CALLS : 0) | (kind == POINT_YIELD ? STEP_YIELDED : 0);
  step_put(&run.pending[f->id], 0, address, STEP_WHO(f->id, 0) | STEP_WORD(kind, flags, size));
}

static void record_pause(const struct fiber *f, enum point_kind kind, uintptr_t address, uint32_t size) {
  record_late();
  if (recording->pause) recording->pause(recording->context, f->id, run.count, kind, address, size);
}

void point_slowly(enum point_kind kind, uintptr_t address, uint32_t size) {
  struct fiber *f = current;
  if (UNLIKELY(pure_on)) pure_arrives(f, kind, size);
  if (scheduler.mode == MODE_QUIET) {
    if (footprint_open) footprint_point(kind, address, size);
    return;
  }
  if (UNLIKELY(recording != NULL)) record_pause(f, kind, address, size);
  announce(f, kind, address, size);
  stop_at_point(f);
}

void point_when(enum point_kind kind, uintptr_t address, uint32_t size, ready *can, const void *waits_for) {
  struct fiber *f = current;
  if (UNLIKELY(pure_on)) pure_arrives(f, kind, size);
  f->waits_for = waits_for;
  if (scheduler.mode == MODE_QUIET) {
    if (footprint_open) footprint_point(kind, address, size);
    if (can(f)) return;
    final_waits();
    if (f->id == FIBER_MAIN) run_found(FOUND_UNSUPPORTED, "the initialisation waits for another thread");
    run_found(FOUND_UNSUPPORTED, "%s waits for another inside of ASIF_ATOMIC, which could then not be one step",
              fiber_name(f));
  }
  if (UNLIKELY(recording != NULL)) record_pause(f, kind, address, size);
  announce(f, kind, address, size);
  run.pending[f->id].flags |= STEP_WAITS;
  f->ready = can;
  scheduler.waiting |= (uint64_t)1 << f->id;
  stop_at_point(f);
  scheduler.waiting &= ~((uint64_t)1 << f->id);
  f->ready = NULL;
}

unsigned choose_block(unsigned blocks) {
  if (blocks > UINT8_MAX) blocks = UINT8_MAX;
  if (!run.count || scheduler.mode == MODE_FIRST) return blocks - 1;
  size_t i = run.count - 1;
  struct step *s = &scheduler.steps[i];
  if (s->blocks) return 0; /* within an ASIF_ATOMIC only the first is chosen */
  unsigned block = 0;
  if (i < plan->count && (plan->choices[i].block != CHOICE_OPEN || !plan->choose_block)) {
    block = plan->choices[i].block;
    if (block >= blocks) {
      snprintf(internal, sizeof internal, "step %zu of the schedule takes free block %u, and there are %u: " NOT_AGAIN,
               i, block, blocks);
      run_stop(RUN_CUT);
    }
  } else if (plan->choose_block) {
    block = (unsigned)plan->choose_block(plan->context, &run, blocks);
  }
  s->block = (uint8_t)block;
  s->blocks = (uint8_t)blocks;
  return block;
}

/* Threads. */

/* Inline: it is between every two points of a short operation. */
static inline __attribute__((always_inline)) long call_operation(const struct image_op *op, const long *a) {
  /* int and long arguments are passed alike, and those too many are not looked at. */
  switch (op->signature & 3) {
  case 0: ((void (*)(long, long, long))op->function)(a[0], a[1], a[2]); return 0;
  case 1: return ((bool (*)(long, long, long))op->function)(a[0], a[1], a[2]);
  case 2: return ((int (*)(long, long, long))op->function)(a[0], a[1], a[2]);
  default: return ((long (*)(long, long, long))op->function)(a[0], a[1], a[2]);
  }
}

_Noreturn static void stop_whole(void) {
  if (options.leaks) heap_leaks();
  run_stop(RUN_WHOLE);
}

/* What follows the threads, with nothing concurrent: no steps and no choices, as in the initialisation. Schedules that
 * are alike leave the same memory, so one of them stands for all here too. */
static void body_of_final(void) {
  uint32_t calls = run.client->first[run.client->threads];
  *real_errno = 0;
  for (uint32_t i = 0; options.drains && i <= calls; i++) {
    size_t step = run.count ? run.count - 1 : 0;
    record_moment(run.client->threads, step, calls + i, false, 0);
    static const long none[CALL_ARGS];
    long result = call_operation(&operations[options.drains - 1], none);
    record_moment(run.client->threads, step, calls + i, true, result);
    if (result == ASIF_EMPTY || result == ASIF_NIL || result == ASIF_OK) break;
  }
  if (options.finish) options.finish();
  stop_whole();
}

/* All threads have ended. */
_Noreturn static void end_run(void) {
  if (in_sequence || run.finishing || (!options.drains && !options.finish)) stop_whole();
  if (recording) record_late();
  recording = NULL; /* there are no steps any more that accesses could be told with */
  run.finishing = true;
  scheduler.mode = MODE_QUIET;
  current = &fibers[FIBER_MAIN];
  current->ended = current->called = false;
  spin_reset(current);
  choose_again();
  fiber_prepare(current, body_of_final);
  fiber_jump(current->sp);
}

/* What is left below on the stack may be in the frames of the operation, in bytes that it does not use: local states
 * are compared more often without. Gives where those frames end. */
static __attribute__((noinline)) const char *clear_below(void) {
  char below[2048];
  memset(below, 0, sizeof below);
  __asm__ volatile("" ::"r"(below) : "memory");
  return __builtin_frame_address(0);
}

/* The client is asked for anew at each call: a kept state may be resumed for a copy of its client, when the one it was
 * kept with is no longer there. */
static void make_calls(struct fiber *f) {
  for (uint32_t c = run.client->first[f->id]; c < run.client->first[f->id + 1]; c++) {
    f->called = true;
    f->current_call = c;
    choose_again(); /* the call is to be told with the first step */
    if (UNLIKELY(pure_on)) f->frames_end = clear_below();
    if (weak_here()) weak_event(SLOT_CALL, c);
    long result = call_operation(&operations[run.client->calls[c].op], run.client->calls[c].arg);
    if (f->called) point(POINT_CALL, 0, 0);
    if (weak_here()) weak_event(SLOT_RETURN, c);
    scheduler.steps[run.count - 1].flags |= STEP_RETURNS;
    record_moment(f->id, run.count - 1, c, true, result);
  }
}

/* The end of a thread: with its last step, or if it took none, at its beginning. */
_Noreturn static void end_fiber(struct fiber *f) {
  if (UNLIKELY(recording != NULL)) record_late();
  if (UNLIKELY(f->endings != NULL)) tls_ended(f);
  if (UNLIKELY(threads_keys)) threads_ended(f);
  if (weak_here() && f->start) weak_event(SLOT_SYNC, 0);
  f->ended = true;
  scheduler.alive &= ~((uint64_t)1 << f->id);
  if (!scheduler.alive && scheduler.mode == MODE_STEPS) end_run();
  stop_at_point(f);
  __builtin_unreachable();
}

_Noreturn void fiber_exit(void *result) {
  struct fiber *f = current;
  f->result = result;
  end_fiber(f);
}

static void body(void) {
  struct fiber *f = current;
  *real_errno = 0;
  if (f->start) {
    if (weak_here()) weak_event(SLOT_SYNC, 0);
    f->result = f->start(f->argument);
  } else {
    make_calls(f);
  }
  end_fiber(f);
}

static void reset_fiber(struct fiber *f) {
  f->ended = f->called = false;
  f->goes_on = STEP_WHO(f->id, f->id);
  f->ready = NULL;
  f->endings = NULL;
  f->tls_used = f->reads_plain = false;
  f->start = NULL;
  f->frames_end = f->stack_top;
  spin_reset(f);
  if (UNLIKELY(pure_on)) pure_fiber(f);
}

/* Lets a new fiber run up to its first point; the one that runs waits for that. */
static void run_to_first_point(struct fiber *f) {
  struct fiber *by = current;
  enum mode mode = scheduler.mode;
  fiber_prepare(f, body);
  starter = by;
  scheduler.mode = MODE_FIRST;
  choose_again();
  go_to(by, f);
  scheduler.mode = mode;
}

struct fiber *fiber_create(void *(*start)(void *), void *argument) {
  if (run.fibers >= FIBER_MAIN) return NULL;
  struct fiber *f = &fibers[run.fibers++], *parent = current;
  reset_fiber(f);
  f->start = start;
  f->argument = argument;
  if (weak_here()) weak_event(SLOT_SYNC, 0);
  if (races_wanted()) races_fiber(parent, f);
  signals_fiber(parent, f);
  if (heap_sights) heap_sight_of(f, (uintptr_t)argument);
  run_to_first_point(f);
  return f;
}

/* Telling. */

static struct access late; /* a write that was told before it happened; size 0: none */

static struct accessed_value value_at(uintptr_t address, uint32_t size) {
  struct accessed_value v = {0, 0};
  memcpy(&v, (const void *)address, size < sizeof v ? size : sizeof v);
  return v;
}

/* Once the code or another thread goes on, what it wrote may be overwritten. */
void record_late(void) {
  if (!late.size) return;
  struct access access = late;
  access.unknown = run.found == FOUND_CRASH; /* there may be no memory there: that may be why */
  if (!access.unknown) access.wrote = value_at(late.address, late.size);
  late.size = 0;
  recording->access(recording->context, &access);
}

static size_t note(enum point_kind kind, uintptr_t address, uint32_t size) {
  return recording->note ? recording->note(recording->context, current->id, kind, address, size) : 0;
}

static struct access access_of(enum point_kind kind, bool atomic, bool is_point, uintptr_t address, uint32_t size,
                               uintptr_t pc) {
  return (struct access){.step = run.count ? (uint32_t)run.count - 1 : 0,
                         .call = current->current_call,
                         .fiber = current->id,
                         .kind = (uint8_t)kind,
                         .early = current->called,
                         .atomic = atomic,
                         .point = is_point,
                         .size = size,
                         .address = address,
                         .pc = pc,
                         .noted = note(kind, address, size),
                         .slot = weak_here() ? weak_slot() : GRAPH_NONE};
}

void record(enum point_kind kind, bool atomic, bool is_point, bool failed, uintptr_t address, uint32_t size,
            uintptr_t pc, struct accessed_value read, struct accessed_value wrote) {
  record_late();
  struct access access = access_of(kind, atomic, is_point, address, size, pc);
  access.failed = failed;
  access.read = read;
  access.wrote = wrote;
  recording->access(recording->context, &access);
}

void record_write(bool atomic, bool is_point, uintptr_t address, uint32_t size, uintptr_t pc) {
  record_late();
  late = access_of(POINT_WRITE, atomic, is_point, address, size, pc);
}

void record_block(enum point_kind kind, bool is_point, bool again, uintptr_t address, size_t size, uintptr_t pc) {
  record_late();
  struct access access = access_of(kind, false, is_point, address, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, pc);
  access.again = again;
  recording->access(recording->context, &access);
}

void run_record(const struct recorder *recorder) {
  late.size = 0;
  recording = recorder;
  plain_long = plain_watched || recording || pure_on;
}

/* Runs. */

bool run_open(struct image *loaded, const struct image_op *ops, unsigned count, void (*init)(void),
              const struct run_options *how, struct problem *problem) {
  (void)count;
  image = loaded;
  operations = ops;
  initialise = init;
  options = *how;
  run.reads_freed = run.weaker = run.beyond = false;
  steps_most = how->steps_most ? how->steps_most : STEPS_MOST;
  if (scheduler.steps) free(scheduler.steps - 1);
  if (sequential_steps) free(sequential_steps - 1); /* there may be more steps now */
  sequential_steps = NULL;
  struct step *steps = calloc(steps_most + 1, sizeof *steps);
  if (!steps) {
    problem_of(problem, PROBLEM_SYSTEM, "there is no memory for %zu steps", steps_most);
    return false;
  }
  scheduler.steps = steps + 1;
  run.steps = scheduler.steps;
  real_errno = &errno;
  scheduler.error_at = (uintptr_t)real_errno;
  if (!fibers_open() || !crash_open()) {
    problem_of(problem, PROBLEM_SYSTEM, "there is no memory for the stacks of threads: is it limited (ulimit -v)?");
    return false;
  }
  image_keep(image);
  unseen_open(image);
  signals_open();
  heap_keep(image_frees(image));
  forgive_open();
  time_open(image_reads_clocks(image));
  fiber_floats = image_floats(image);
  bool simple = image_is_simple(image, false), locks = !simple && image_is_simple(image, true);
  weak_open(options.memory);
  run_orders(options.changes, options.change_count, options.sites);
  hooks_open();
  races_open(simple && !forgiving && !options.stacks && !weak_on, steps_most);
  /* What follows the threads changes memory that a state does not have: the storage of the main thread, its blocks. */
  kept_open(STATES_POSSIBLE && !weak_on && (simple || locks) && heap_can_be_put() && !how->drains && !how->finish,
            locks);
  return true;
}

bool run_weaker(void) { return run.weaker; }

static bool moments_for(const struct client *client) {
  size_t room = 2 * (size_t)run_calls_most(&options, client);
  if (room <= moments_room) return true;
  free(moments);
  moments = calloc(room, sizeof *moments);
  moments_room = moments ? room : 0;
  run.moments = moments;
  return moments != NULL;
}

/* What is new in every run, wherever it begins. */
static void reset_results(const struct client *client) {
  run.client = client;
  run.end = RUN_WHOLE;
  run.found = FOUND_NOTHING;
  run.forsaken = 0;
  run.said = "";
  run.spun = run.repeats = 0;
  run.finishing = false;
  run_words.count = 0;
  internal[0] = '\0';
  keeping = false;
  run.number = ++scheduler.runs;
}

static void reset(const struct client *client) {
  image_restore();
  heap_reset();
  threads_reset();
  tls_reset();
  host_reset();
  signals_reset();
  annotations_reset();
  forgive_reset();
  if (options.races) races_reset();
  if (weak_on && !in_sequence) weak_reset();
  run.count = run.moment_count = run.same_moments = 0;
  run.fibers = client->threads;
  run.current = 0;
  marks.row = 0;
  marks.checked_at = steps_most < ROW_MOST - 1 ? steps_most : ROW_MOST - 1;
  scheduler.alive = scheduler.waiting = scheduler.spinning = scheduler.writes = scheduler.halted = 0;
  scheduler.watched = false;
}

/* What the fiber FIBER_MAIN does: everything up to the first step. */
static void body_of_main(void) {
  *real_errno = 0;
  if (initialise) initialise();
  for (unsigned t = 0; t < run.client->threads; t++) {
    reset_fiber(&fibers[t]);
    fiber_prepare(&fibers[t], body);
    if (options.races) races_fiber(&fibers[FIBER_MAIN], &fibers[t]);
    signals_fiber(&fibers[FIBER_MAIN], &fibers[t]);
  }
  if (!run.client->threads) end_run();
  scheduler.mode = MODE_FIRST;
  starter = NULL;
  started = 0;
  current = &fibers[0];
  fiber_jump(current->sp);
}

/* Makes the fiber current that the run begins or goes on with. */
static void begin(const struct client *client) {
  if (!recording) {
    current = kept_resume(client, plan, &marks);
  } else {
    kept_forget();
    current = NULL;
  }
  reset_results(client);
  if (UNLIKELY(pure_on)) pure_reset();
  if (current) {
    host_reset();
    return;
  }
  if (UNLIKELY(pure_on)) pure_begin();
  reset(client);
  current = &fibers[FIBER_MAIN];
  reset_fiber(current);
  fiber_prepare(current, body_of_main);
  scheduler.mode = MODE_QUIET;
  choose_again();
}

static bool run_aside_now; /* from run_aside */

const struct call *run_call(const struct client *client, uint32_t call) {
  static struct call drains;
  if (call < client->first[client->threads]) return &client->calls[call];
  drains.op = options.drains - 1;
  return &drains;
}

const struct run *run_execute(const struct client *client, const struct plan *how, struct problem *problem) {
  if (client->threads >= FIBER_MAIN) {
    problem_set(problem, "%u threads: no more than %d can be run", client->threads, FIBER_MAIN - 1);
    return NULL;
  }
  if (!moments_for(client)) run_no_memory("the calls of a client");
  if (UNLIKELY(!output_hidden)) output_hide();
  size_t moments_before = run.moment_count;
  plan = how;
  silence = (!options.races || order_simple) && !recording && !weak_on;
  quick_most = pure_on ? 0 : SIZE_MAX;
  begin(client);
  int error = *real_errno;
  do {
    if (keeping) kept_add(current, &marks);
    keeping = false;
    kept_at = recording ? SIZE_MAX : kept_next(plan);
    fiber_switch(&outside, current->sp);
  } while (keeping);
  *real_errno = error;
  if (recording) record_late();
  current = NULL;
  run.alive = scheduler.alive;
  if (run.same_moments > moments_before) run.same_moments = moments_before;
  if (internal[0]) {
    problem_of(problem, PROBLEM_UNSUPPORTED, "%s", internal);
    return NULL;
  }
  if (UNLIKELY(run.found == FOUND_LEAK) && !again_runs && !again_leaks(client)) {
    run.found = FOUND_NOTHING;
    run.said = "";
    run_words.count = 0;
  }
  if (UNLIKELY(run.repeats) && !again_runs && !again_circle(client)) {
    run.end = RUN_LONG;
    run.found = FOUND_NOTHING;
    run.said = "";
    run_words.count = 0;
  }
  if (UNLIKELY(heap_doubts) && !run_aside_now) {
    bool ended = run.end == RUN_WHOLE && !run.found && !recording;
    if (ended && !run.reads_freed && !again_addresses(client)) run.reads_freed = true;
    heap_doubts = false;
  }
  return &run;
}

/* What a run left, put aside while another happens: a caller may still be looking at it. */
struct aside {
  struct run run;
  struct step *steps;
  struct moment *moments;
  size_t moments_room;
  struct run_words words;
};

static bool put_aside(struct aside *a) {
  if (!sequential_steps) {
    struct step *steps = calloc(steps_most + 1, sizeof *steps);
    if (!steps) return false;
    sequential_steps = steps + 1; /* as scheduler.steps */
  }
  a->run = run;
  a->steps = scheduler.steps;
  a->moments = moments;
  a->moments_room = moments_room;
  a->words = run_words;
  run.steps = scheduler.steps = sequential_steps;
  run.moments = moments = sequential_moments;
  moments_room = sequential_room;
  sequential_steps = NULL;
  sequential_moments = NULL;
  sequential_room = 0;
  return true;
}

static void put_back(const struct aside *a) {
  if (sequential_steps) free(sequential_steps - 1);
  free(sequential_moments);
  sequential_steps = scheduler.steps;
  sequential_moments = moments;
  sequential_room = moments_room;
  run = a->run;
  scheduler.steps = a->steps;
  moments = a->moments;
  moments_room = a->moments_room;
  run_words = a->words;
}

void run_aside(const struct client *client, const struct plan *how, void (*look)(void *, const struct run *),
               void *self) {
  struct aside aside;
  struct problem problem;
  if (!put_aside(&aside)) {
    look(self, NULL);
    return;
  }
  bool was_pure = pure_on, was_long = plain_long; /* nobody halts in it, and it has states of its own */
  if (was_pure) kept_forget();
  pure_on = false;
  plain_long = plain_watched || recording;
  bool was_aside = run_aside_now;
  run_aside_now = true;
  look(self, run_execute(client, how, &problem));
  run_aside_now = was_aside;
  pure_on = was_pure;
  plain_long = was_long || plain_watched;
  if (was_pure) kept_forget();
  put_back(&aside);
}

/* A variable of a library that the code uses; else a number. */
static bool describe_library(uintptr_t address, struct text *t) {
  Dl_info info;
  bool known = address > 0xffff && dladdr((const void *)address, &info) && info.dli_sname;
  if (!known) {
    text_printf(t, "%#lx", (unsigned long)address);
    return false;
  }
  text_add(t, info.dli_sname);
  if (address > (uintptr_t)info.dli_saddr)
    text_printf(t, " + %lu", (unsigned long)(address - (uintptr_t)info.dli_saddr));
  return true;
}

bool run_stack_at(uintptr_t address, unsigned *fiber) {
  for (unsigned i = 0; i < FIBERS_MOST; i++) {
    if (!fibers[i].stack || address - (uintptr_t)fibers[i].stack >= STACK_SIZE) continue;
    *fiber = i;
    return true;
  }
  return false;
}

bool run_is_code(uintptr_t pc) { return image_has_code(pc); }

bool run_name_address(uintptr_t address, struct text *t) {
  if (heap_describe(address, t)) return true;
  if (address - (uintptr_t)fibers < sizeof fibers) { /* what starts and joins threads touches */
    text_add(t, fiber_name(&fibers[(address - (uintptr_t)fibers) / sizeof *fibers]));
    return true;
  }
  unsigned i;
  if (run_stack_at(address, &i)) {
    text_printf(t, "the stack of %s", fiber_name(&fibers[i]));
    return true;
  }
  if (time_is_clock(address)) {
    text_add(t, "the clock");
    return true;
  }
  return image_describe(address, t) || describe_library(address, t);
}

void run_describe_address(uintptr_t address, struct text *t) {
  described[described_count++ % DESCRIBED_MOST] = address;
  run_name_address(address, t);
  heap_describe_owner(address, t);
}
