/* Points at mutexes and their like. */
#include "run/sync.h"

#include <stdarg.h>
#include <stdlib.h>

const char *sync_name(const char *what, const void *object) {
  static char names[4][160];
  static unsigned next;
  char *name = names[next++ % 4];
  struct text text;
  struct mem mem;
  mem_open(&mem, NULL);
  text_open(&text, &mem);
  run_describe_address((uintptr_t)object, &text);
  snprintf(name, sizeof names[0], "%s %s", what, text_string(&text));
  mem_close(&mem);
  return name;
}

void sync_check(const void *object, uint32_t size, uintptr_t pc) {
  if (heap_owns((uintptr_t)object)) heap_access((uintptr_t)object, size, true, true, pc);
}

void sync_point(enum point_kind kind, const void *object, uint32_t size, uintptr_t pc) {
  if (!current) return;
  current->pc = pc;
  point(kind, (uintptr_t)object, size);
  sync_check(object, size, pc);
}

void sync_point_when(enum point_kind kind, const void *object, uint32_t size, ready *can, uintptr_t pc) {
  current->pc = pc;
  point_when(kind, (uintptr_t)object, size, can, object);
  sync_check(object, size, pc);
}

/* Running out of time, again and again, while others could go on: a fiber may do that a few times, and then waits until
 * somebody has taken a step. Else a loop around something with a time limit would have schedules without end. */
enum { TIMEOUTS_MOST = 4 };

static bool alone_since(const struct fiber *f, size_t step) {
  for (size_t i = run.count; i-- > step;)
    if (scheduler.steps[i].fiber != f->id) return false;
  return true;
}

static bool others_went(const struct fiber *f) { return !alone_since(f, f->timeout_step) || !sync_others_can(f); }

static bool goes_on(const struct fiber *f) {
  if (!(scheduler.waiting >> f->id & 1)) return true;
  if (f->ready == waiters_ready) return waiters_woken(f);
  return f->ready != others_went && f->ready(f);
}

bool sync_others_can(const struct fiber *f) {
  for (uint64_t rest = scheduler.alive & ~scheduler.spinning & ~((uint64_t)1 << f->id); rest; rest &= rest - 1)
    if (goes_on(&fibers[__builtin_ctzll(rest)])) return true;
  return false;
}

void sync_point_timed(enum point_kind kind, const void *object, uint32_t size, uintptr_t pc) {
  struct fiber *f = current;
  if (!f) return;
  f->pc = pc;
  if (f->timeouts < TIMEOUTS_MOST || !alone_since(f, f->timeout_step))
    point(kind, (uintptr_t)object, size);
  else
    point_when(kind, (uintptr_t)object, size, others_went, object);
}

void sync_timed_out(uint64_t until) {
  time_passed(until);
  sync_others_first();
  struct fiber *f = current;
  if (!f) return;
  f->timeouts = f->timeouts && alone_since(f, f->timeout_step) ? f->timeouts + 1 : 1;
  f->timeout_step = run.count;
}

void sync_changed(void) {
  if (!current) return;
  step_wrote();
  spin_wrote(current);
}

void sync_taken(const void *object) {
  sync_changed();
  if (races_wanted()) races_acquire((uintptr_t)object);
}

void sync_given(const void *object) {
  sync_changed();
  if (races_wanted()) races_release((uintptr_t)object);
}

void sync_opened(const void *object) {
  if (current && run.count) scheduler.steps[run.count - 1].flags |= STEP_OPENS;
  sync_given(object);
}

void sync_locked(const void *mutex) {
  if (!current) return;
  bool was = current->spin.pc;
  if (UNLIKELY(pure_on)) pure_locked(current, mutex);
  spin_locked(current, mutex);
  if (UNLIKELY(pure_on) && was) current->spin.pc = 1; /* see pure.c */
  if (races_wanted()) races_acquire((uintptr_t)mutex);
}

void sync_unlocked(const void *mutex, uintptr_t pc, void **slot) {
  if (!current) return;
  if (run.count) scheduler.steps[run.count - 1].flags |= STEP_OPENS;
  bool was = current->spin.pc, changed = current->polling.dirty || !slot;
  spin_unlocked(current, mutex, pc, slot);
  if (UNLIKELY(pure_on)) {
    pure_unlocked(current, !current->polling.held, changed);
    if (was) current->spin.pc = 1;
  }
  if (races_wanted()) races_release((uintptr_t)mutex);
}

void sync_record(enum point_kind kind, const void *object, uint32_t size, bool failed, uintptr_t pc) {
  if (UNLIKELY(recording != NULL) && current) {
    struct accessed_value none = {0, 0};
    record(kind, true, true, failed, (uintptr_t)object, size, pc, none, none);
  }
}

void sync_others_first(void) {
  if (current) step_yielded();
}

_Noreturn void sync_unsupported_at(const char *function, const char *why, uintptr_t pc) {
  if (current && image_has_code(pc)) found_at(pc, 0, current, "here");
  if (current)
    run_found(FOUND_UNSUPPORTED, "%s calls %s, which cannot be run under a scheduler: %s", fiber_name(current),
              function, why);
  fprintf(stderr, "asif: %s is called while the code is loaded, before any run: %s\n", function, why);
  exit(2);
}

_Noreturn void sync_misuse(uintptr_t pc, const void *object, const char *format, ...) {
  char said[400];
  va_list args;
  va_start(args, format);
  vsnprintf(said, sizeof said, format, args);
  va_end(args);
  if (!current) {
    fprintf(stderr, "asif: while the code is loaded, before any run: %s\n", said);
    exit(2);
  }
  found_at(pc, (uintptr_t)object, current, "here");
  run_found(FOUND_MISUSE, "%s", said);
}
