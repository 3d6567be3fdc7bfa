/* The tapes of a recorder or monitor: making them, taking from them, waiting for room. See deck.h for the order of what
 * is taken. */
#include "lib/deck.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_LEAST = 256, RING_DEFAULT = 8192, RING_MOST = 1 << 24 };

/* membarrier(2), by number: not every libc has the header. */
enum { BARRIER_ALL = 1 << 3, BARRIER_REGISTER = 1 << 4 };

static bool barrier_call(int what) {
#ifdef SYS_membarrier
  return !syscall(SYS_membarrier, what, 0, 0);
#else
  return (void)what, false;
#endif
}

bool deck_fences;

bool deck_forked(const struct deck *d) { return d->process != getpid(); }

void deck_fail(struct deck *d, asif_status status, const char *format, ...) {
  va_list args;
  pthread_mutex_lock(&d->registry);
  if (!d->status) {
    va_start(args, format);
    vsnprintf(d->error.text, sizeof d->error.text, format, args);
    va_end(args);
    d->status = status;
    atomic_store(&d->failed, true);
  }
  pthread_mutex_unlock(&d->registry);
  atomic_thread_fence(memory_order_seq_cst); /* before what the caller then does unseen */
}

asif_status deck_status(struct deck *d) {
  if (!atomic_load(&d->failed) || deck_forked(d)) return ASIF_DONE;
  pthread_mutex_lock(&d->registry);
  asif_status status = d->status;
  pthread_mutex_unlock(&d->registry);
  return status;
}

/* Making and ending. */

/* The records of a tape: a power of two, no more than was allowed. */
static uint32_t ring_of(size_t bytes) {
  size_t want = bytes ? bytes / sizeof(struct asif_record_) : RING_DEFAULT;
  uint32_t ring = RING_LEAST;
  while (ring * 2 <= want && ring < RING_MOST) ring *= 2;
  return ring;
}

/* Says which option has no meaning, if one has none. */
static void check_options(struct deck *d, const struct deck_options *o) {
  const size_t least = RING_LEAST * sizeof(struct asif_record_), most = RING_MOST * sizeof(struct asif_record_);
  bool known = o->taker == ASIF_BACKGROUND || o->taker == ASIF_INLINE || (o->polled && o->taker == ASIF_POLLED);
  if (o->bytes && (o->bytes < least || o->bytes > most))
    deck_fail(d, ASIF_BAD_INPUT, "a tape of %zu bytes: it has %zu to %zu, or 0 for the usual", o->bytes, least, most);
  else if (o->milliseconds < 0)
    deck_fail(d, ASIF_BAD_INPUT, "%d milliseconds: a time, or 0 for the usual", o->milliseconds);
  else if (!known)
    deck_fail(d, ASIF_BAD_INPUT, "the taker %d: ASIF_BACKGROUND or ASIF_INLINE%s", (int)o->taker,
              o->polled ? " or ASIF_POLLED" : "");
}

bool deck_open(struct deck *d, const struct deck_options *o) {
  struct timespec t;
  memset(d, 0, sizeof *d);
  pthread_mutex_init(&d->taking, NULL);
  pthread_mutex_init(&d->registry, NULL);
  sem_init(&d->wake, 0, 0);
  d->process = getpid();
  d->fenced = deck_fences || !barrier_call(BARRIER_REGISTER);
  check_options(d, o);
  d->ring = ring_of(d->status ? 0 : o->bytes);
  d->inline_ = o->taker == ASIF_INLINE;
  d->milliseconds = o->milliseconds > 0 ? o->milliseconds : 100;
  d->one_in = o->one_in > 1 ? o->one_in : 0;
  assert(d->ring >= RING_LEAST && d->ring <= RING_MOST && !(d->ring & (d->ring - 1)));
  clock_gettime(CLOCK_REALTIME, &t);
  d->seed = ((uint64_t)t.tv_nsec << 20 ^ (uint64_t)t.tv_sec ^ (uint64_t)d->process << 40) | 1;
  d->owner = malloc(DECK_WINDOW * sizeof *d->owner);
  if (d->owner) memset(d->owner, 0xff, DECK_WINDOW * sizeof *d->owner);
  d->masks = calloc(DECK_LANES_MOST / 64, sizeof *d->masks);
  d->lanes = calloc(DECK_LANES_MOST, sizeof *d->lanes); /* of which the system gives what is used */
  return d->owner && d->masks && d->lanes;
}

static void tape_free(struct tape *t) {
  free(t->front.records);
  free(t->masks);
  free(t->name);
  free(t);
}

void deck_free(struct deck *d) {
  for (struct tape *t = atomic_load(&d->tapes), *next; t; t = next) {
    next = t->next;
    tape_free(t);
  }
  free(d->lanes);
  free(d->owner);
  free(d->masks);
  sem_destroy(&d->wake);
  if (deck_forked(d)) return; /* the mutexes may be those of threads that are not here */
  pthread_mutex_destroy(&d->taking);
  pthread_mutex_destroy(&d->registry);
}

/* Tapes. */

static bool tape_init(struct tape *t, struct deck *d, const char *name) {
  memset(t, 0, sizeof *t);
  t->deck = d;
  t->number = d->tape_count;
  t->front.now = (uint64_t *)&d->now;
  t->front.mask = d->ring - 1;
  t->front.fenced = d->fenced;
  t->front.one_in = d->one_in;
  t->front.seed = d->seed;
  t->front.limit = d->ring / 4;
  t->front.records = aligned_alloc(DECK_LINE, d->ring * sizeof *t->front.records);
  t->masks = t->number % 64 ? NULL : calloc(DECK_WINDOW, sizeof *t->masks);
  t->name = name ? strdup(name) : NULL;
  if (!t->front.records || (t->number % 64 == 0 && !t->masks) || (name && !t->name)) return false;
  memset(t->front.records, 0, d->ring * sizeof *t->front.records); /* so that the pages are there */
  return true;
}

static struct tape *tape_spare(struct deck *d, const char *name) {
  for (struct tape **at = &d->spare; *at; at = &(*at)->spare) {
    struct tape *t = *at;
    if (name ? !t->name || strcmp(name, t->name) : t->name != NULL) continue;
    *at = t->spare;
    return t;
  }
  return NULL;
}

static struct tape *tape_new(struct deck *d, const char *name) {
  if (d->tape_count >= DECK_LANES_MOST) return NULL;
  struct tape *t = aligned_alloc(DECK_LINE, sizeof *t);
  if (!t) return NULL;
  if (!tape_init(t, d, name)) {
    tape_free(t);
    return NULL;
  }
  d->tape_count++;
  t->next = atomic_load(&d->tapes);
  atomic_store(&d->tapes, t); /* the only writer: it has the registry */
  return t;
}

/* The thread's number, from 1 on; unlike what pthread_self gives, never another's. */
static uint64_t this_thread(void) {
  static _Atomic uint64_t last;
  static _Thread_local uint64_t number;
  if (!number) number = atomic_fetch_add(&last, 1) + 1;
  return number;
}

asif_tape *deck_tape(struct deck *d, const char *name) {
  if (deck_forked(d)) return NULL;
  pthread_mutex_lock(&d->registry);
  struct tape *t = tape_spare(d, name);
  if (t) {
    assert(t->ended && !t->front.open);
    t->ended = false;
  } else {
    t = tape_new(d, name);
  }
  if (t) t->owner = this_thread();
  pthread_mutex_unlock(&d->registry);
  if (!t)
    deck_fail(d, ASIF_NO_MEMORY,
              "out of memory for the tape of a thread, or more than %d threads have one; asif_tape_end gives it back",
              DECK_LANES_MOST);
  return t ? &t->front : NULL;
}

void asif_tape_end(asif_tape *front) {
  struct tape *t = (struct tape *)front;
  if (!t || deck_forked(t->deck)) return;
  pthread_mutex_lock(&t->deck->registry);
  /* The operation of an open one is pending for ever, and no other may take its place. An owner that ends a tape twice
   * has no claim on it any more: it may be another thread's by now. */
  uint64_t self = this_thread();
  if (!t->ended && (t->owner == self || t->former != self) && !front->open) {
    t->ended = true;
    t->former = t->owner == self ? self : 0;
    t->spare = t->deck->spare;
    t->deck->spare = t;
  }
  pthread_mutex_unlock(&t->deck->registry);
}

void asif_tape_wrong_(asif_tape *front) {
  struct tape *t = (struct tape *)front;
  if (!t || deck_forked(t->deck)) return;
  char number[16];
  snprintf(number, sizeof number, "%u", t->number);
  deck_fail(t->deck, ASIF_BAD_INPUT, "thread %.100s %s", t->name ? t->name : number,
            front->open ? "calls while its earlier call has not returned"
                        : "returns, but has not called, or calls an operation that is none");
}

/* Taking. */

/* Lanes for the tapes that are new. */
static void find_lanes(struct deck *d) {
  struct tape *newest = atomic_load(&d->tapes);
  uint32_t known = d->lane_count;
  if (newest) d->lane_count = newest->number + 1;
  for (struct tape *t = newest; t && t->number >= known; t = t->next) {
    d->lanes[t->number] =
        (struct lane){.records = t->front.records, .mask = t->front.mask, .tape = t, .process = UINT32_MAX};
    if (t->masks) d->masks[t->number / 64] = t->masks;
  }
}

uint32_t deck_look(struct deck *d) {
  uint64_t now = atomic_load(&d->now);
  if (!d->fenced && !barrier_call(BARRIER_ALL)) {
    deck_fail(d, ASIF_INTERNAL, "membarrier failed: %s", strerror(errno));
    return 0;
  }
  find_lanes(d);
  for (uint32_t i = 0; i < d->lane_count; i++)
    d->lanes[i].seen = __atomic_load_n(&d->lanes[i].tape->front.state, __ATOMIC_SEQ_CST);
  return (uint32_t)now - d->given;
}

void deck_release(struct deck *d) {
  for (uint32_t i = 0; i < d->lane_count; i++)
    atomic_store_explicit(&d->lanes[i].tape->tail, d->lanes[i].taken, memory_order_release);
}

void deck_discard(struct deck *d) {
  d->given = (uint32_t)atomic_load(&d->now);
  find_lanes(d);
  for (uint32_t i = 0; i < d->lane_count; i++)
    d->lanes[i].taken = (uint32_t)(__atomic_load_n(&d->lanes[i].tape->front.state, __ATOMIC_ACQUIRE) >> 32);
  deck_release(d);
}

void deck_take(struct deck *d, bool wait) {
  if (wait)
    pthread_mutex_lock(&d->taking);
  else if (pthread_mutex_trylock(&d->taking))
    return;
  uint32_t now = (uint32_t)atomic_load(&d->now);
  d->round(d);
  while (wait && (int32_t)(now - d->given) > 0 && !atomic_load(&d->failed)) { /* a hole: its thread has only to go on */
    sched_yield();
    d->round(d);
  }
  pthread_mutex_unlock(&d->taking);
  if (d->after) d->after(d);
}

/* Room. */

static void wait_a_moment(unsigned *waited) {
  struct timespec t = {0, 50000};
  if (++*waited < 16)
    sched_yield();
  else
    nanosleep(&t, NULL);
}

static void wake(struct deck *d) {
  if (atomic_load_explicit(&d->asleep, memory_order_relaxed) && atomic_exchange(&d->asleep, false)) sem_post(&d->wake);
}

/* Before a call that has no room, or at the end of a quarter of the tape. */
void asif_tape_room_(asif_tape *front) {
  if (!front) return;
  struct tape *t = (struct tape *)front;
  struct deck *d = t->deck;
  uint32_t quarter = d->ring / 4;
  unsigned waited = 0;
  int before = errno;
  if (deck_forked(d)) { /* nobody will look at it */
    atomic_store(&t->tail, front->count);
  } else {
    if (d->inline_)
      deck_take(d, false);
    else if (d->has_thread)
      wake(d);
    /* The call has one record or two. */
    while (front->count - atomic_load_explicit(&t->tail, memory_order_acquire) + quarter + 2 > d->ring) {
      if (waited || !d->has_thread) deck_take(d, false);
      wait_a_moment(&waited);
    }
  }
  front->limit = front->count + quarter;
  errno = before;
}

/* In the background. */

static void *background(void *deck) {
  struct deck *d = deck;
  while (!atomic_load(&d->stop)) {
    struct timespec until;
    atomic_store(&d->asleep, true);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(d->milliseconds % 1000) * 1000000;
    until.tv_sec += d->milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (sem_timedwait(&d->wake, &until) && errno == EINTR) {}
    atomic_store(&d->asleep, false);
    deck_take(d, false);
  }
  return NULL;
}

bool deck_start(struct deck *d) {
  sigset_t all, before;
  sigfillset(&all); /* signals are the program's own business */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  d->has_thread = !pthread_create(&d->thread, NULL, background, d);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return d->has_thread;
}

void deck_stop(struct deck *d) {
  if (!d->has_thread) return;
  atomic_store(&d->stop, true);
  sem_post(&d->wake);
  pthread_join(d->thread, NULL);
  d->has_thread = false;
}
