/* Barriers: pthread_barrier_*. The last to come is the one that pthread_barrier_wait tells so. */
#include <errno.h>

#include "run/sync.h"

enum { SIZE = 4 };

/* In the place of pthread_barrier_t. */
struct barrier {
  uint32_t count, came; /* how many it is for; how many wait */
  uint64_t waiting;     /* the fibers that came, and have not been let go */
  uint32_t destroyed;
};
#define DESTROYED 0xdeadc0deu
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "it must have room");

static bool passed(const struct fiber *f) {
  const struct barrier *b = f->waits_for;
  return !(b->waiting >> f->id & 1) || b->destroyed;
}
const struct wait_kind barrier_wait = {passed, "others at the barrier", NULL, ", and nobody is left to come"};

static void check(const struct barrier *b, const char *does, uintptr_t pc) {
  if (LIKELY(!b->destroyed && b->count)) return;
  sync_misuse(pc, b, "%s %s %s, which %s", fiber_name(current), does, sync_name("the barrier", b),
              b->destroyed == DESTROYED ? "is destroyed" : "was never initialised");
}

WRAPPED int WRAP(pthread_barrier_init)(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                       unsigned count) {
  (void)attributes;
  if (!count) return EINVAL;
  sync_check(barrier, sizeof *barrier, CALLER);
  *(struct barrier *)barrier = (struct barrier){.count = count};
  if (current) spin_wrote(current);
  return 0;
}

WRAPPED int WRAP(pthread_barrier_destroy)(pthread_barrier_t *barrier) {
  struct barrier *b = (struct barrier *)barrier;
  sync_point(POINT_LOCK, b, SIZE, CALLER);
  check(b, "destroys", CALLER);
  if (b->came)
    sync_misuse(CALLER, b, "%s destroys %s, and %u still wait at it", fiber_name(current), sync_name("the barrier", b),
                b->came);
  b->destroyed = DESTROYED;
  sync_taken(b);
  sync_record(TOLD_DESTROY, b, SIZE, false, CALLER);
  return 0;
}

WRAPPED int WRAP(pthread_barrier_wait)(pthread_barrier_t *barrier) {
  struct barrier *b = (struct barrier *)barrier;
  sync_point(POINT_WAIT, b, SIZE, CALLER);
  check(b, "waits at", CALLER);
  sync_given(b); /* what it did comes before what all of them do then */
  sync_record(POINT_WAIT, b, SIZE, false, CALLER);
  if (++b->came == b->count) {
    b->came = 0;
    b->waiting = 0;
    sync_taken(b);
    SPIN_LAND(CALLER, 1);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  final_waits();
  if (!current || scheduler.mode == MODE_QUIET)
    sync_unsupported("pthread_barrier_wait", "no other thread can run meanwhile");
  b->waiting |= (uint64_t)1 << current->id;
  point_when(POINT_WAIT, (uintptr_t)b, SIZE, passed, b);
  sync_record(TOLD_WOKEN, b, SIZE, false, CALLER);
  if (races_wanted()) races_acquire((uintptr_t)b); /* it may be destroyed already: the last to come may do that */
  SPIN_LAND(CALLER, 0);
  return 0;
}
