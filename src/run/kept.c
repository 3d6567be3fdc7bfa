/* States of a run, kept on the way, so that a run which begins with the same choices begins there.
 *
 * A search that goes depth first changes only the last choices: most of what a run does, the run before has done too.
 * So at some of the steps that the plan forces everything the code can see is copied: globals, the heap, thread-local
 * storage, the stacks of the fibers. The next run compares its choices with those of the last one, takes the latest
 * state before the first difference, and copies back. It is the same run: the copies are exact, and what cannot be
 * copied forbids it. That is all that keeps something of its own: the threads library but for mutexes, which are
 * memory of the code, time, files; and very many globals.
 *
 * A fiber that has ended and has not run since the state before is as it was there, and is not copied again. The stacks
 * of others could be written by anybody, and not every such write has a hook. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run/runtime.h"

#define INLINE static inline __attribute__((always_inline))
#ifdef __x86_64__
#define WIDE __attribute__((target("avx2")))
static bool has_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define WIDE
static bool has_wide(void) { return false; }
#endif

enum {
  STATES_MOST = 64,
  APART = 4,               /* steps between two, or more where there are many */
  STATE_BYTES = 256 << 10, /* what is larger takes longer to copy than to do again */
};

/* A state is what run_execute needs, and then the bytes: of each fiber that has not ended, or has run since the one
 * before, the struct, what it is about to do, and its stack; all thread-local storage; the globals; the heap. */
struct kept {
  size_t step, moments;
  unsigned current;
  struct fiber *stopped; /* who is at the point */
  struct scheduler scheduler;
  struct run_marks marks;
  uint64_t ran; /* scheduler.ran when the next one was kept */
  size_t endings;
  const char *fiber_at[FIBERS_MOST]; /* where the bytes of each are: here, or in a state before */
  const char *others;                /* what comes after the fibers */
  char *end;                         /* of its bytes */
};

static struct {
  bool possible, wide;                           /* wide: registers of half a line */
  bool storage;                                  /* there is thread-local storage */
  bool locks;                                    /* mutexes may be locked */
  const struct image_range *ranges, *ranges_end; /* globals */
  char *memory;                                  /* of all states */
  struct kept states[STATES_MOST];
  size_t count;
  struct choice *choices; /* those that the last run was forced to */
  size_t choice_count, choice_room;
  struct client client; /* a copy */
  size_t calls_room;
} keeps;

/* Of the struct of a fiber. */
enum { FIBER_KEPT = offsetof(struct fiber, polling), FIBER_KEPT_LOCKS = offsetof(struct fiber, id) };
_Static_assert(FIBER_KEPT % LINE == 0 && FIBER_KEPT_LOCKS % LINE == 0, "whole lines");

static uint64_t resumed;
uint64_t run_resumed(void) { return resumed; }

void kept_forget(void) { keeps.count = 0; }

static void stop_keeping(void) {
  kept_forget();
  keeps.possible = false;
}

void kept_open(bool possible, bool locks) {
  keeps.count = 0;
  keeps.locks = locks;
  if (possible && !keeps.memory) {
    keeps.memory = mmap(NULL, (size_t)STATES_MOST * STATE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (keeps.memory == MAP_FAILED) keeps.memory = NULL;
  }
  keeps.possible = possible && keeps.memory;
  keeps.wide = has_wide();
  keeps.storage = tls_size() > 0;
  size_t ranges = image_ranges(&keeps.ranges);
  keeps.ranges_end = keeps.ranges + ranges;
}

/* Copying. Stacks, what is in the blocks of the heap, and the structs of fibers are copied as whole lines: what lies
 * before a stack's end or behind the last block of an area is nobody's. */

typedef long long half_line __attribute__((vector_size(LINE / 2), aligned(1), may_alias));

INLINE void copy_lines(void *to, const void *from, size_t size) {
  for (size_t done = 0; done < size; done += LINE) {
    const half_line *at = (const half_line *)((const char *)from + done);
    half_line *into = (half_line *)((char *)to + done);
    into[0] = at[0];
    into[1] = at[1];
    __asm__ volatile("" ::: "memory"); /* no call of memcpy */
  }
}
INLINE bool put_lines(struct kept_bytes *to, const void *from, size_t size) {
  if (UNLIKELY(size > (size_t)(to->end - to->at))) return false;
  copy_lines(to->at, from, size);
  to->at += size;
  return true;
}

/* Where the used part of a fiber's stack begins, and its size. */
INLINE char *stack_low(const struct fiber *f) { return (char *)f->sp - ((uintptr_t)f->sp & (LINE - 1)); }
INLINE size_t stack_used(const struct fiber *f) { return f->ended ? 0 : (size_t)(f->stack_top - stack_low(f)); }

/* Of sizes that are known when this is compiled. */
INLINE bool put_struct(struct kept_bytes *s, const struct fiber *f) {
  return UNLIKELY(keeps.locks) ? put_lines(s, f, FIBER_KEPT_LOCKS) : put_lines(s, f, FIBER_KEPT);
}
INLINE const char *get_struct(const char *from, struct fiber *f) {
  if (UNLIKELY(keeps.locks)) {
    copy_lines(f, from, FIBER_KEPT_LOCKS);
    return from + FIBER_KEPT_LOCKS;
  }
  copy_lines(f, from, FIBER_KEPT);
  return from + FIBER_KEPT;
}

INLINE bool put_fiber(struct kept_bytes *s, const struct fiber *f) {
  return put_struct(s, f) && kept_put(s, &run.pending[f->id], sizeof run.pending[0]) &&
         put_lines(s, stack_low(f), stack_used(f));
}

INLINE void get_fiber(const char *from, struct fiber *f) {
  from = get_struct(from, f);
  kept_get(&from, &run.pending[f->id], sizeof run.pending[0]);
  copy_lines(stack_low(f), from, stack_used(f));
}

INLINE bool put_memory(struct kept_bytes *s) {
  const struct extent *e;
  size_t count = heap_extents(&e);
  for (const struct extent *end = e + count; e < end; e++)
    if (!put_lines(s, e->at, e->size)) return false;
  return true;
}

INLINE void get_memory(const char *from) {
  const struct extent *e;
  size_t count = heap_extents(&e);
  for (const struct extent *end = e + count; e < end; from += e->size, e++) copy_lines(e->at, from, e->size);
}

/* Of all of them, and of the one that does not run any more: what is its own may be reached. */
static bool put_storage(struct kept_bytes *s) {
  for (unsigned i = 0; i < run.fibers; i++)
    if (fibers[i].tls_used && !kept_put(s, fibers[i].tls, tls_size())) return false;
  return !fibers[FIBER_MAIN].tls_used || kept_put(s, fibers[FIBER_MAIN].tls, tls_size());
}

static void get_storage(const char **from) {
  for (unsigned i = 0; i < run.fibers; i++)
    if (fibers[i].tls_used) kept_get(from, fibers[i].tls, tls_size());
  if (fibers[FIBER_MAIN].tls_used) kept_get(from, fibers[FIBER_MAIN].tls, tls_size());
}

INLINE bool put_others(struct kept_bytes *s) {
  if (UNLIKELY(keeps.storage) && !put_storage(s)) return false;
  for (const struct image_range *r = keeps.ranges; r < keeps.ranges_end; r++)
    if (!kept_put(s, (const void *)r->low, r->high - r->low)) return false;
  if (UNLIKELY(pure_on) && !pure_put(s)) return false;
  return heap_put(s) && (!options.races || races_put(s));
}

INLINE void get_others(const char **from) {
  if (UNLIKELY(keeps.storage)) get_storage(from);
  for (const struct image_range *r = keeps.ranges; r < keeps.ranges_end; r++)
    kept_get(from, (void *)r->low, r->high - r->low);
  if (UNLIKELY(pure_on)) pure_get(from);
  heap_get(from);
  if (options.races) races_get(from);
}

INLINE bool put_everything(struct kept *s, const struct kept *before, uint64_t ran) {
  struct kept_bytes to = {.at = before ? before->end : keeps.memory};
  to.end = to.at + STATE_BYTES;
  ran |= before ? scheduler.alive : ((uint64_t)1 << run.fibers) - 1;
  if (before) memcpy(s->fiber_at, before->fiber_at, run.fibers * sizeof s->fiber_at[0]);
  for (; ran; ran &= ran - 1) {
    unsigned i = (unsigned)__builtin_ctzll(ran);
    s->fiber_at[i] = to.at;
    if (!put_fiber(&to, &fibers[i])) return false;
  }
  if (!heap_put_blocks(&to, !before)) return false;
  s->others = to.at;
  if (!put_others(&to) || !put_memory(&to)) return false;
  s->end = to.at + (-(uintptr_t)to.at & (LINE - 1));
  return true;
}

INLINE void get_everything(const struct kept *s, uint64_t ran) {
  const char *from = s->others;
  for (uint64_t rest = ran | s->scheduler.alive; rest; rest &= rest - 1) {
    unsigned i = (unsigned)__builtin_ctzll(rest);
    get_fiber(s->fiber_at[i], &fibers[i]);
  }
  get_others(&from);
  get_memory(from);
}

/* The same with half a line a register, where the processor has such. */
WIDE static bool put_wide(struct kept *s, const struct kept *before, uint64_t ran) {
  return put_everything(s, before, ran);
}
WIDE static void get_wide(const struct kept *s, uint64_t ran) { get_everything(s, ran); }

static bool put_all(struct kept *s, const struct kept *before, uint64_t ran) {
  return keeps.wide ? put_wide(s, before, ran) : put_everything(s, before, ran);
}

static void get_all(const struct kept *s, uint64_t ran) {
  if (keeps.wide)
    get_wide(s, ran);
  else
    get_everything(s, ran);
}

/* Keeping. */

/* The fiber has stopped, and it is to be chosen who takes the next step. */
void kept_add(struct fiber *stopped, const struct run_marks *marks) {
  struct kept *s = &keeps.states[keeps.count];
  if (run.fibers != run.client->threads || (scheduler.waiting && !keeps.locks) ||
      !put_all(s, keeps.count ? s - 1 : NULL, scheduler.ran)) {
    stop_keeping();
    return;
  }
  s->step = run.count;
  s->moments = run.moment_count;
  s->current = run.current;
  s->stopped = stopped;
  s->scheduler = scheduler;
  s->marks = *marks;
  s->endings = tls_endings();
  if (keeps.count) s[-1].ran = scheduler.ran;
  scheduler.ran = (uint64_t)1 << stopped->id;
  keeps.count++;
}

/* The step before which the next is to be kept, where the plan forces the choices up to the last; SIZE_MAX: none. */
size_t kept_next(const struct plan *plan) {
  if (!keeps.possible || keeps.count == STATES_MOST || plan->count < 2) return SIZE_MAX;
  size_t apart = plan->count / (STATES_MOST / 2) > APART ? plan->count / (STATES_MOST / 2) : APART;
  size_t next = keeps.count ? keeps.states[keeps.count - 1].step + apart : 0;
  return next < plan->count && next < SPIN_WATCH ? next : SIZE_MAX;
}

static bool same_client(const struct client *c) {
  const struct client *k = &keeps.client;
  return c->threads == k->threads && !memcmp(c->first, k->first, (c->threads + 1) * sizeof *c->first) &&
         !memcmp(c->calls, k->calls, c->first[c->threads] * sizeof *c->calls);
}

static void *copied(void *at, const void *from, size_t size) {
  at = realloc(at, size ? size : 1);
  if (at) memcpy(at, from, size);
  return at;
}

static void keep_client(const struct client *c) {
  keeps.client.threads = c->threads;
  keeps.client.first = copied(keeps.client.first, c->first, (c->threads + 1) * sizeof *c->first);
  keeps.client.calls = copied(keeps.client.calls, c->calls, c->first[c->threads] * sizeof *c->calls);
  if (!keeps.client.first || !keeps.client.calls) stop_keeping();
}

static bool room_for_choices(size_t count) {
  keeps.choice_room = 2 * count;
  keeps.choices = realloc(keeps.choices, keeps.choice_room * sizeof *keeps.choices);
  if (!keeps.choices) stop_keeping();
  return keeps.choices != NULL;
}

static inline void keep_choices(const struct plan *plan, size_t same) {
  if (UNLIKELY(plan->count > keeps.choice_room) && !room_for_choices(plan->count)) return;
  for (size_t i = same; i < plan->count; i++) keeps.choices[i] = plan->choices[i];
  keeps.choice_count = plan->count;
}

/* How many choices of the plan are as those of the last. */
static size_t compare_choices(const struct plan *plan) {
  size_t most = plan->count < keeps.choice_count ? plan->count : keeps.choice_count, i = 0;
  while (i < most && plan->choices[i].fiber == keeps.choices[i].fiber &&
         plan->choices[i].block == keeps.choices[i].block)
    i++;
  return i;
}

/* The same, where nothing is known of the client. */
static __attribute__((noinline)) size_t same_as_last(const struct client *client, const struct plan *plan) {
  if (!keeps.count || !same_client(client)) {
    keeps.count = keeps.choice_count = 0;
    keep_client(client);
  }
  return compare_choices(plan);
}

/* Restores the latest state that the plan passes, and gives the fiber that stopped there; NULL: it is to begin anew. */
struct fiber *kept_resume(const struct client *client, const struct plan *plan, struct run_marks *marks) {
  if (!keeps.possible) return NULL;
  bool told = keeps.count && plan->after == scheduler.runs;
  size_t same = told ? plan->same : same_as_last(client, plan);
  keep_choices(plan, same);
  uint64_t ran = scheduler.ran;
  while (keeps.count && keeps.states[keeps.count - 1].step > same)
    if (--keeps.count) ran |= keeps.states[keeps.count - 1].ran;
  if (!keeps.count) return NULL;
  const struct kept *s = &keeps.states[keeps.count - 1];
  struct step *steps = scheduler.steps;
  uint64_t runs = scheduler.runs;
  get_all(s, ran);
  scheduler = s->scheduler;
  scheduler.ran = (uint64_t)1 << s->stopped->id;
  scheduler.steps = steps;
  scheduler.runs = runs;
  run.count = s->step;
  run.moment_count = run.same_moments = s->moments;
  run.current = s->current;
  *marks = s->marks;
  resumed++;
  tls_endings_set(s->endings);
  return s->stopped;
}
