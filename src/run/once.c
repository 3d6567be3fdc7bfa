/* What happens once: pthread_once, call_once, and static variables of C++ functions.
 *
 * A routine that is left by an exception has not happened, and the next caller runs it again. That it was left is seen
 * from the stack of the fiber that ran it, which has become shorter than it was at the call. */
#include <pthread.h>
#include <threads.h>

#include "run/sync.h"
#include "run/weak.h"

enum { SIZE = 4, RUNS = 1, DONE = 2 /* the C library's */ };

/* While a routine runs its control says by whom, and where on its stack: two bits RUNS, seven the fiber, the rest the
 * place. */
static uint32_t runs_here(const void *frame) {
  uintptr_t depth = current ? (uintptr_t)(current->stack_top - (const char *)frame) / 16 : 0;
  return RUNS | sync_self() << 2 | (uint32_t)depth << 9;
}
static uint32_t runner(uint32_t control) { return (control & 3) == RUNS ? control >> 2 & 127 : 0; }

static bool was_left(uint32_t control, const void *frame) {
  const struct fiber *f = sync_fiber(runner(control));
  if (!f || f->ended) return f != NULL;
  const char *place = f->stack_top - (uintptr_t)(control >> 9) * 16;
  return (const char *)(f == current ? frame : f->sp) > place;
}

static bool once_free(const struct fiber *f) {
  uint32_t control = *(const uint32_t *)f->waits_for;
  return (control & 3) != RUNS || runner(control) == f->id + 1u || was_left(control, __builtin_frame_address(0));
}
static uint32_t once_runner(const void *control) { return runner(*(const uint32_t *)control); }
const struct wait_kind once_wait = {once_free, "what is to happen once at", once_runner, ""};

static void once(uint32_t *control, void (*routine)(void), const void *frame, uintptr_t pc) {
  if (current) sync_point_when(POINT_LOCK, control, SIZE, once_free, pc);
  sync_record(POINT_LOCK, control, SIZE, *control == DONE, pc);
  if (*control == DONE) {
    if (races_wanted()) races_acquire((uintptr_t)control);
    return;
  }
  if (runner(*control) == sync_self() && !was_left(*control, frame)) {
    if (!current) sync_unsupported("pthread_once", "what is to happen once waits for itself");
    found_at(pc, (uintptr_t)control, current, "waits here");
    run_found(FOUND_DEADLOCK, "%s waits for %s, which it is itself about to do", fiber_name(current),
              sync_name("what is to happen once at", control));
  }
  /* A failed try comes before the next one. What its thread has done since then is taken to come before, too: when
   * exactly the routine was left is not known. */
  uint32_t left = runner(*control);
  if (left && left != sync_self() && races_wanted()) races_learned(current, sync_fiber(left));
  *control = runs_here(frame);
  sync_taken(control);
  routine();
  sync_point(POINT_UNLOCK, control, SIZE, pc);
  *control = DONE;
  sync_opened(control);
  sync_record(POINT_UNLOCK, control, SIZE, false, pc);
}

WRAPPED int WRAP(pthread_once)(pthread_once_t *control, void (*routine)(void)) {
  once((uint32_t *)control, routine, __builtin_frame_address(0), CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED void WRAP(call_once)(once_flag *control, void (*routine)(void)) {
  once((uint32_t *)control, routine, __builtin_frame_address(0), CALLER);
  SPIN_LAND(CALLER, 0);
}

/* Static variables of functions. The first byte of the guard says initialised, and the code looks at it itself, by an
 * atomic load. The second says who is at it. */

static bool guard_free(const struct fiber *f) {
  const volatile uint8_t *guard = f->waits_for;
  return !guard[1] || guard[1] == f->id + 1;
}
static uint32_t guard_holder(const void *guard) { return ((const uint8_t *)guard)[1]; }
const struct wait_kind guard_wait = {guard_free, "the static variable of", guard_holder, ""};

WRAPPED int WRAP(__cxa_guard_acquire)(uint8_t *);
int WRAP(__cxa_guard_acquire)(uint8_t *guard) {
  if (current) sync_point_when(POINT_LOCK, guard, 1, guard_free, CALLER);
  sync_record(POINT_LOCK, guard, 1, guard[0], CALLER);
  if (guard[0]) {
    if (races_wanted()) races_acquire((uintptr_t)guard);
    return 0;
  }
  if (guard[1])
    sync_misuse(CALLER, guard, "%s initialises %s while it is about to", fiber_name(current),
                sync_name("the static variable of", guard));
  guard[1] = (uint8_t)sync_self();
  sync_taken(guard);
  return 1;
}

static void guard_leave(uint8_t *guard, bool initialised, uintptr_t pc) {
  sync_point(POINT_UNLOCK, guard, 1, pc);
  guard[1] = 0;
  if (weak_here())
    weak_write((uintptr_t)guard, 1, (struct accessed_value){initialised, 0}, __ATOMIC_RELEASE, pc);
  else
    guard[0] = initialised;
  sync_opened(guard);
  if (races_wanted() && !weak_here()) races_atomic((uintptr_t)guard, 1, POINT_WRITE, __ATOMIC_RELEASE, pc);
  sync_record(POINT_UNLOCK, guard, 1, false, pc);
}

WRAPPED void WRAP(__cxa_guard_release)(uint8_t *);
void WRAP(__cxa_guard_release)(uint8_t *guard) { guard_leave(guard, true, CALLER); }
WRAPPED void WRAP(__cxa_guard_abort)(uint8_t *);
void WRAP(__cxa_guard_abort)(uint8_t *guard) { guard_leave(guard, false, CALLER); }
