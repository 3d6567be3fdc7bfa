/* Loops that wait for another thread, and runs that never end.
 *
 * A fiber *spins* if it comes back to a read it has made, with the same result and everything it can see as it was: its
 * stack, its registers, and nothing written since by anybody, itself included. Then it will do the same again, and can
 * as well wait until somebody writes. That is exact: a loop that counts its tries has another stack or other registers
 * each time.
 *
 * When a hook returns, the calling convention leaves nothing of the fiber but its stack above the call and a few
 * registers. They are looked at there: the return address of the hook is replaced by spin_landing, once a read was
 * repeated.
 *
 * Which read a loop comes back to is found by Brent's scheme: a candidate is replaced by the present read after 1, 2,
 * 4, 8, ... reads. The state is kept when the candidate is met again, so that code without loops pays nothing; and kept
 * anew after 1, 2, 4, ... meetings, since a loop may alternate.
 *
 * A loop may look at things with a mutex locked. Locking and unlocking are writes, but if nothing else is written in
 * between all is as it was: such a fiber *polls*, which is found in the same way, from one unlocking to the next. It is
 * not found while the mutex is locked, so that it does not wait with it. Nobody waits for a mutex to be locked, and so
 * that wakes nobody. But a thread that tries to lock one sees whether it is: when it comes to that, those who poll go
 * on for another round, in the middle of which it may find them. Not if it polls itself and does the same once more:
 * they had that round when it came there first. That a mutex is unlocked wakes those who spin, and of those who poll
 * the ones that tried to lock it and could not. Not if it is unlocked by somebody who could not lock another one: two
 * that back off, as std::lock does, would find each other's mutexes taken for ever, if they always took their steps by
 * turns. One who has backed off a few times lets the others go first; and if all have, one of them goes on alone.
 *
 * Threads that undo each other's writes for ever write, and so do not spin. In a long run the whole state is looked at,
 * again by Brent's scheme: if it is one that was before, and every fiber that could take a step in between did, the run
 * can go on like this for ever, however fair its schedule is. Whether it is a livelock, from which no schedule leads
 * out, is found by trying others (again.c). */
#include "run/sync.h"

#include <errno.h>
#include <stdarg.h>

#include "base/hash.h"
#include "run/heap_parts.h"
#include "run/weak.h"

/* Reads stacks, which are nobody's objects. */
#define ANY_MEMORY __attribute__((noinline, no_sanitize("address", "thread", "undefined")))

__extension__ typedef unsigned __int128 two_words;
#define KEY_0 0x9e3779b97f4a7c15u
#define KEY_1 0xd6e8feb86659fd93u

/* Both halves of a product: two words at once. A factor that is 0 would lose the other, and many words are 0: so each
 * factor is mixed with a key first, or with what is mixed already. */
static inline uint64_t fold(uint64_t a, uint64_t b) {
  two_words product = (two_words)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* In two rows: each is waited for less. */
ANY_MEMORY static uint64_t hash_words(uint64_t h, const uint64_t *at, const uint64_t *end) {
  uint64_t a = h, b = KEY_1;
  for (; end - at >= 4; at += 4) {
    a = fold(at[0] ^ KEY_0, at[1] ^ a);
    b = fold(at[2] ^ KEY_1, at[3] ^ b);
  }
  for (; at < end; at++) a = fold(*at ^ KEY_0, a ^ KEY_1);
  return fold(a ^ KEY_0, b);
}

/* Here hooks return to: keeps what they return, has spin_landed look at the registers that a call keeps, and goes where
 * they should have gone. */
#if defined(__x86_64__) && !defined(ASIF_PORTABLE_FIBERS)
#define CAN_LAND
enum { KEPT = 6 };
__asm__(".text\n"
        ".p2align 4\n"
        ".globl spin_landing\n"
        ".hidden spin_landing\n"
        ".type spin_landing, @function\n"
        "spin_landing:\n"
        "  subq $8, %rsp\n"
        "  pushq %rax\n"
        "  pushq %rdx\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, %rdi\n"
        "  leaq 72(%rsp), %rsi\n"
        "  subq $8, %rsp\n"
        "  call spin_landed\n"
        "  movq %rax, 72(%rsp)\n"
        "  addq $56, %rsp\n"
        "  popq %rdx\n"
        "  popq %rax\n"
        "  ret\n"
        ".size spin_landing, .-spin_landing\n");
#elif defined(__aarch64__) && !defined(ASIF_PORTABLE_FIBERS)
#define CAN_LAND
enum { KEPT = 19 };
__asm__(".text\n"
        ".p2align 4\n"
        ".globl spin_landing\n"
        ".hidden spin_landing\n"
        ".type spin_landing, %function\n"
        "spin_landing:\n"
        "  sub sp, sp, #176\n"
        "  stp x19, x20, [sp]\n"
        "  stp x21, x22, [sp, #16]\n"
        "  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n"
        "  str x29, [sp, #80]\n"
        "  stp d8, d9, [sp, #88]\n"
        "  stp d10, d11, [sp, #104]\n"
        "  stp d12, d13, [sp, #120]\n"
        "  stp d14, d15, [sp, #136]\n"
        "  stp x0, x1, [sp, #152]\n"
        "  mov x0, sp\n"
        "  add x1, sp, #176\n"
        "  bl spin_landed\n"
        "  mov x30, x0\n"
        "  ldp x0, x1, [sp, #152]\n"
        "  add sp, sp, #176\n"
        "  ret\n"
        ".size spin_landing, .-spin_landing\n");
#else
enum { KEPT = 0 };
#endif

#ifdef CAN_LAND
void spin_landing(void);
static bool land(struct fiber *f, uintptr_t pc, void **slot) {
  uintptr_t at = (uintptr_t)*slot;
  if (at == (uintptr_t)spin_landing) return true;
  if (at != pc && at != (uintptr_t)assembly_returns) return false;
  f->landing.back = *slot;
  *slot = (void *)(uintptr_t)spin_landing;
  return true;
}
#else
static bool land(struct fiber *f, uintptr_t pc, void **slot) {
  (void)f, (void)pc, (void)slot;
  return false;
}
#endif

/* The candidate is met again: the state will be compared, unless somebody has written since it was kept. */
void spin_again(struct fiber *f, uintptr_t pc, void **slot) {
  struct spin *s = &f->spin;
  if (s->next < 2 * s->reads) s->next = 2 * s->reads;
  if (land(f, pc, slot)) f->landing.compares = true;
}

void spin_land(uintptr_t pc, uint64_t result, void **slot) {
  if (!current || !land(current, pc, slot)) return;
  current->landing.lands = true;
  current->landing.result = result;
}

static void never_ends(const struct fiber *f) {
  found_at(f->spin.pc, f->spin.address, f, "reads it here");
  run.forsaken |= (uint64_t)1 << f->id;
  run_found(FOUND_LIVELOCK, "%s reads %s again and again, and nobody else can change it meanwhile", fiber_name(f),
            sync_name("", (const void *)f->spin.address));
}

static void compare(struct fiber *f, uint64_t state) {
  struct spin *s = &f->spin;
  bool same = s->writes == scheduler.writes && s->locks == scheduler.locks;
  if (s->hits && same && s->state == state) {
    if (scheduler.mode == MODE_QUIET) never_ends(f);
    scheduler.polling &= ~((uint64_t)1 << f->id);
    if (weak_here()) weak_spins(ROUND_SPINS);
    fiber_spins(f);
    return;
  }
  if (!same) s->hits = s->next_hit = 0;
  if (s->hits++ >= s->next_hit) {
    s->next_hit = 2 * s->hits;
    s->state = state;
    s->writes = scheduler.writes;
    s->locks = scheduler.locks;
    if (weak_here()) weak_round(ROUND_SPINS);
  }
}

/* Polling. */

static uint64_t locked_by(const struct fiber *f, const void *mutex) {
  return hash_mix((uintptr_t)mutex * FIBERS_MOST + f->id);
}

static void forget_reads(struct fiber *f) {
  f->spin.pc = 0;
  f->spin.reads = f->spin.next = 0;
}

static void forget_unlocks(struct polling *p) {
  p->pc = 0;
  p->unlocks = p->next = 0;
}

void spin_locked(struct fiber *f, const void *mutex) {
  struct polling *p = &f->polling;
  if (!p->held++) {
    if (p->dirty) forget_unlocks(p);
    p->dirty = p->backs_off = false;
  }
  forget_reads(f);
  scheduler.locks += locked_by(f, mutex);
  step_wrote_same();
}

static void unlocked_again(struct fiber *f, const void *mutex, uintptr_t pc, void **slot) {
  struct polling *p = &f->polling;
  p->unlocks++;
  if (p->pc == pc && p->mutex == (uintptr_t)mutex) {
    if (p->next < 2 * p->unlocks) p->next = 2 * p->unlocks;
    p->compares = land(f, pc, slot);
  } else if (p->unlocks >= p->next) {
    p->pc = pc;
    p->mutex = (uintptr_t)mutex;
    p->next = 2 * p->unlocks;
    p->hits = p->next_hit = 0;
  }
}

void spin_tries(struct fiber *f) {
  struct polling *p = &f->polling;
  if (p->repeats && p->writes == scheduler.writes) return;
  p->repeats = false;
  uint64_t polls = scheduler.spinning & scheduler.polling & ~scheduler.halted & ~((uint64_t)1 << f->id);
  if (!polls) return;
  scheduler.spinning &= ~polls;
  choose_again();
}

void spin_tried(struct fiber *f, const volatile int *word) {
  struct polling *p = &f->polling;
  p->backs_off = true;
  for (uint32_t i = 0; i < p->tried_count && i < TRIED_MOST; i++)
    if (p->tried[i] == word) return;
  if (p->tried_count < TRIED_MOST) p->tried[p->tried_count] = word;
  if (p->tried_count <= TRIED_MOST) p->tried_count++;
}

static bool tries_in_vain(const struct polling *p) {
  for (uint32_t i = 0; i < p->tried_count; i++)
    if (i == TRIED_MOST || !*p->tried[i]) return false;
  return true;
}

static void tries_again(struct fiber *f) {
  forget_unlocks(&f->polling);
  f->polling.tried_count = 0;
  scheduler.spinning &= ~((uint64_t)1 << f->id);
  scheduler.polling &= ~((uint64_t)1 << f->id);
}

/* Those who have found it taken find something else now. */
static void wake_tried(const struct fiber *by) {
  for (uint64_t rest = scheduler.alive & ~scheduler.halted & ~((uint64_t)1 << by->id); rest; rest &= rest - 1) {
    struct fiber *f = &fibers[__builtin_ctzll(rest)];
    if (!tries_in_vain(&f->polling)) tries_again(f);
  }
}

bool spin_freed(void) {
  for (uint64_t rest = scheduler.spinning & scheduler.polling & ~scheduler.halted; rest; rest &= rest - 1) {
    struct fiber *f = &fibers[__builtin_ctzll(rest)];
    if (tries_in_vain(&f->polling)) continue;
    tries_again(f);
    return true;
  }
  return false;
}

void spin_unlocked(struct fiber *f, const void *mutex, uintptr_t pc, void **slot) {
  struct polling *p = &f->polling;
  if (p->held) p->held--;
  forget_reads(f);
  scheduler.locks -= locked_by(f, mutex);
  if (p->dirty) {
    step_wrote();
    forget_unlocks(p);
    return;
  }
  step_wrote_same();
  scheduler.spinning &= scheduler.polling | scheduler.halted;
  if (!p->backs_off) wake_tried(f);
  if (!p->held && slot) unlocked_again(f, mutex, pc, slot);
}

static void compare_polling(struct fiber *f, uint64_t state) {
  struct polling *p = &f->polling;
  bool same = p->writes == scheduler.writes && p->locks == scheduler.locks;
  p->repeats = p->hits && p->writes == scheduler.writes && p->state == state;
  if (p->hits && same && p->state == state && scheduler.mode != MODE_QUIET) {
    scheduler.polling |= (uint64_t)1 << f->id;
    if (weak_here()) weak_spins(ROUND_POLLS);
    fiber_spins(f);
    return;
  }
  if (!same) p->hits = p->next_hit = 0;
  if (p->hits++ >= p->next_hit) {
    p->next_hit = 2 * p->hits;
    p->state = state;
    p->writes = scheduler.writes;
    p->locks = scheduler.locks;
    p->tried_count = 0;
    if (weak_here()) weak_round(ROUND_POLLS);
  }
}

/* Loops of plain reads. Where these are no points nothing ends such a loop: so once a step has taken long they are
 * looked at in the same way. What the loop reads nobody can change but in a data race, since nothing that orders others
 * before it is done there. So that the race is seen, or else that nobody is left, the loop gets a point after all: at
 * the first of its reads in the code, so that the steps are the same whenever the loop was noticed. */

static struct {
  uint64_t run; /* its number; the fiber and step there: */
  size_t step;
  unsigned fiber;
  struct spin spin;
  uint32_t size;
  enum { LOOKING, ROUND, STOPPING } phase; /* for a loop; for its first read; for that read, to stop there */
  uintptr_t least;
} plain;

static void forget_plain(const struct fiber *f) {
  plain.run = run.number;
  plain.step = run.count;
  plain.fiber = f->id;
  plain.spin.pc = 0;
  plain.spin.reads = plain.spin.next = 0;
  plain.phase = LOOKING;
}

void spin_plain(struct fiber *f, uintptr_t pc, uintptr_t address, uint32_t size, bool write, void **slot) {
  struct spin *s = &plain.spin;
  if (write || plain.run != run.number || plain.step != run.count || plain.fiber != f->id) forget_plain(f);
  if (write) return;
  s->reads++;
  if (plain.phase == ROUND && pc < plain.least) plain.least = pc;
  bool met = plain.phase == STOPPING ? pc == plain.least : s->pc == pc && s->address == address;
  if (met) {
    if (s->next < 2 * s->reads) s->next = 2 * s->reads;
    f->landing.plain = land(f, pc, slot);
    if (plain.phase != STOPPING) return;
    s->pc = pc;
    s->address = address;
    plain.size = size;
  } else if (s->reads >= s->next && plain.phase == LOOKING) {
    s->pc = pc;
    s->address = address;
    s->next = 2 * s->reads;
    s->hits = s->next_hit = 0;
  }
}

static void compare_plain(struct fiber *f, uint64_t state) {
  struct spin *s = &plain.spin;
  if (plain.phase == STOPPING) {
    const struct step *last = &scheduler.steps[(ptrdiff_t)run.count - 1];
    f->spin.pc = s->pc;
    f->spin.address = s->address;
    f->reads_plain = true;
    if (scheduler.mode == MODE_QUIET) never_ends(f);
    if (weak_here()) { /* what it reads is no slot */
      weak_round(ROUND_PLAIN);
      weak_spins(ROUND_PLAIN);
    }
    if (last->fiber == f->id && last->kind == POINT_READ && last->address == s->address) fiber_spins(f);
    scheduler.polling &= ~((uint64_t)1 << f->id);
    forget_plain(f);
    point_slowly(POINT_READ, s->address, plain.size);
    f->reads_plain = false;
  } else if (s->hits && s->state == state) {
    plain.phase = plain.phase == LOOKING ? ROUND : STOPPING;
    if (plain.phase == ROUND) plain.least = s->pc;
  } else if (s->hits++ >= s->next_hit) {
    s->next_hit = 2 * s->hits;
    s->state = state;
  }
}

void *spin_landed(const uint64_t *kept, const uint64_t *stack);
ANY_MEMORY __attribute__((used)) void *spin_landed(const uint64_t *kept, const uint64_t *stack) {
  struct fiber *f = current;
  struct landing *s = &f->landing;
  uint64_t state = fold((uintptr_t)stack ^ KEY_0, (uint64_t)errno ^ assembly_state(f) ^ KEY_1);
#pragma GCC unroll 8
  for (int i = 0; i < KEPT; i += 2) state = fold(kept[i] ^ KEY_0, kept[i + (i + 1 < KEPT)] ^ state);
  state = hash_words(state, stack, (const uint64_t *)(void *)f->stack_top);
  if (weak_here()) state = fold(state ^ KEY_0, weak_view() ^ KEY_1);
  if (s->lands) {
    s->local = hash_mix(state ^ hash_mix(s->result) ^ (uintptr_t)s->back);
    s->landed = run.count;
  }
  bool compares = s->compares, polls = f->polling.compares, reads = s->plain;
  void *back = s->back;
  s->lands = s->compares = s->plain = f->polling.compares = false; /* first: the run may end here */
  if (compares) compare(f, state);
  if (polls) compare_polling(f, state);
  if (reads) compare_plain(f, state); /* last: others may go on here */
  return back;
}

/* Runs that never end. */

static struct {
  uint64_t fibers, all; /* the state that is compared with: of the fibers, and of the memory too */
  size_t step, next;    /* when it was; when to take another */
  uint64_t could, did;  /* the fibers that could take a step since then, and those that did */
} before;

uint64_t spin_circle;

static uint64_t hash_fibers(void) {
  uint64_t h = waiters_hash() ^ hash_mix(time_hash() + random_hash()) ^ scheduler.alive ^ hash_mix(scheduler.spinning);
  for (uint64_t rest = scheduler.alive; rest; rest &= rest - 1) {
    unsigned i = (unsigned)__builtin_ctzll(rest);
    h = hash_mix(h ^ fibers[i].landing.local) + run.pending[i].address + run.pending[i].kind;
  }
  return h;
}

static uint64_t hash_range(uint64_t h, uintptr_t low, uintptr_t high) {
  return hash_words(h, (const uint64_t *)((low + 7) & -(uintptr_t)8), (const uint64_t *)(high & -(uintptr_t)8));
}

static uint64_t hash_memory(uint64_t threads) { /* of these the thread-local storage */
  const struct image_range *ranges;
  size_t count = image_ranges(&ranges);
  uint64_t h = 1;
  for (size_t i = 0; i < count; i++) h = hash_range(h, ranges[i].low, ranges[i].high);
  for (size_t i = 0; i < AREAS; i++) h = hash_range(h, heap_areas[i].start, heap_areas[i].next);
  for (uint64_t rest = threads; rest; rest &= rest - 1) {
    const struct fiber *f = &fibers[__builtin_ctzll(rest)];
    if (f->tls && f->tls_used) h = hash_range(h, (uintptr_t)f->tls, (uintptr_t)f->tls + tls_size());
  }
  return h;
}

uint64_t run_memory(unsigned threads) {
  uint64_t all = ((uint64_t)1 << threads) - 1;
  return hash_mix(hash_memory(all) ^ hash_mix(waiters_hash() ^ hash_mix(time_hash() + random_hash())));
}

/* What the heap will do next is not in its memory: a state is compared only with one since which nothing was allocated.
 */
static bool only_accesses(void) {
  for (size_t i = before.step; i < run.count; i++) {
    enum point_kind kind = scheduler.steps[i].kind;
    if (kind == POINT_ALLOC || kind == POINT_FREE || kind == POINT_START) return false;
  }
  return true;
}

_Noreturn static void found_circle(void) {
  size_t length = run.count - before.step;
  run.repeats = before.step;
  spin_circle = before.all;
  char who[160] = "";
  size_t at = 0;
  for (uint64_t rest = before.did; rest && at < sizeof who; rest &= rest - 1)
    at += (size_t)snprintf(who + at, sizeof who - at, "%s%s",
                           !at                 ? ""
                           : rest & (rest - 1) ? ", "
                                               : " and ",
                           fiber_name(&fibers[__builtin_ctzll(rest)]));
  for (uint64_t rest = before.did; rest; rest &= rest - 1) {
    const struct fiber *f = &fibers[__builtin_ctzll(rest)];
    found_at(f->pc, run.pending[f->id].address, f, "goes on for ever here");
  }
  run_found(FOUND_LIVELOCK, "%s go%s on for ever: after %zu steps everything is as it was %zu steps before", who,
            before.did & (before.did - 1) ? "" : "es", run.count, length);
}

void spin_watch(uint64_t enabled) {
  struct landing *last = &fibers[run.current].landing;
  if (!scheduler.watched) {
    scheduler.watched = true;
    before.step = before.next = run.count;
    for (unsigned i = 0; i < run.fibers; i++) { /* not known, and the same until it takes a step */
      fibers[i].landing.local = i;
      fibers[i].landing.landed = 0;
    }
  }
  if (last->landed != run.count) last->local = hash_mix(run.count); /* not known */
  before.did |= (uint64_t)1 << run.current;
  uint64_t now = hash_fibers();
  if (before.step != run.count && now == before.fibers && !(before.could & ~before.did) && only_accesses() &&
      hash_mix(now ^ hash_memory(scheduler.alive)) == before.all)
    found_circle();
  if (run.count >= before.next) {
    before.fibers = now;
    before.all = hash_mix(now ^ hash_memory(scheduler.alive));
    before.next = run.count + (run.count - before.step) * 2 + 16;
    before.step = run.count;
    before.could = before.did = 0;
  }
  before.could |= enabled;
}

/* Nobody can take a step. */

static const struct wait_kind *const wait_kinds[] = {&mutex_wait,     &spinlock_wait, &read_wait,  &write_wait,
                                                     &semaphore_wait, &barrier_wait,  &once_wait,  &guard_wait,
                                                     &join_wait,      &signal_wait,   &futex_wait, &endless_wait};

static const struct wait_kind *kind_of(const struct fiber *f) {
  for (size_t i = 0; i < sizeof wait_kinds / sizeof wait_kinds[0]; i++)
    if (f->ready == wait_kinds[i]->ready) return wait_kinds[i];
  return NULL;
}

static bool spins(const struct fiber *f) { return scheduler.spinning >> f->id & 1; }

/* Whom it waits for; NULL: nobody in particular. */
static const struct fiber *waits_on(const struct fiber *f) {
  const struct wait_kind *kind = spins(f) ? NULL : kind_of(f);
  uint32_t holder = kind && kind->holder ? kind->holder(f->waits_for) : 0;
  return holder ? sync_fiber(holder) : NULL;
}

struct sentence {
  char text[480];
  size_t length;
};
static void say(struct sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct sentence *s, const char *format, ...) {
  if (s->length >= sizeof s->text - 1) return;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(s->text + s->length, sizeof s->text - s->length, format, args);
  va_end(args);
  if (n > 0) s->length += (size_t)n;
}

static void tell(struct sentence *s, const struct fiber *f) {
  if (s->length) say(s, "; ");
  if (spins(f) && scheduler.polling >> f->id & 1) {
    found_at(f->polling.pc, f->polling.mutex, f, "unlocks it here");
    say(s, "%s locks and unlocks %s again and again, and nobody is left to change what it looks at", fiber_name(f),
        sync_name("the mutex", (const void *)f->polling.mutex));
    return;
  }
  if (spins(f)) {
    found_at(f->spin.pc, f->spin.address, f, "reads it here");
    say(s, "%s reads%s again and again, and nobody is left to change it", fiber_name(f),
        sync_name("", (const void *)f->spin.address));
    return;
  }
  const struct wait_kind *kind = kind_of(f);
  found_at(f->pc, (uintptr_t)f->waits_for, f, kind == &endless_wait ? "runs on here" : "waits here");
  const struct fiber *holder = waits_on(f);
  if (!kind) {
    say(s, "%s waits", fiber_name(f));
  } else if (kind == &endless_wait) {
    say(s, "%s goes round a loop that touches nothing and never ends", fiber_name(f));
  } else if (kind == &join_wait) {
    say(s, "%s waits for %s to end", fiber_name(f), fiber_name(holder));
  } else {
    say(s, "%s waits for %s", fiber_name(f), sync_name(kind->what, f->waits_for));
    if (holder == f)
      say(s, ", which it holds itself");
    else if (holder)
      say(s, ", held by %s%s", fiber_name(holder), holder->ended ? ", which has ended" : "");
    else
      say(s, "%s", kind->nobody);
  }
}

/* The fibers that wait for each other in a circle; 0: there is none. */
static uint64_t circle(void) {
  for (uint64_t rest = scheduler.alive; rest; rest &= rest - 1) {
    const struct fiber *first = &fibers[__builtin_ctzll(rest)], *f = first;
    uint64_t met = 0;
    for (unsigned i = 0; f && i < FIBERS_MOST; i++) {
      met |= (uint64_t)1 << f->id;
      f = waits_on(f);
      if (f == first) return met;
    }
  }
  return 0;
}

static void tell_circle(struct sentence *s, uint64_t members) {
  const struct fiber *first = &fibers[__builtin_ctzll(members)], *f = first;
  do {
    tell(s, f);
    f = waits_on(f);
  } while (f != first);
  if (members & (members - 1)) say(s, ": a circle");
}

/* Has the operation returned in which it locked this? Where its locking is not found nothing is known. */
static bool left_locked(const struct fiber *holder, const void *lock) {
  size_t locked = run.count, returned = 0; /* counted from 1 */
  if (holder->id >= run.client->threads) return false;
  while (locked) {
    const struct step *s = &scheduler.steps[locked - 1];
    if (s->fiber == holder->id && s->kind == POINT_LOCK && s->address == (uintptr_t)lock) break;
    locked--;
  }
  for (size_t i = 0; i < run.moment_count; i++)
    if (run.moments[i].fiber == holder->id && run.moments[i].is_return) returned = run.moments[i].step + 1u;
  return locked && returned >= locked;
}

static uint64_t forsaken(void) {
  uint64_t all = 0;
  for (uint64_t rest = scheduler.alive & (((uint64_t)1 << run.client->threads) - 1); rest; rest &= rest - 1) {
    const struct fiber *f = &fibers[__builtin_ctzll(rest)], *holder = waits_on(f);
    const struct wait_kind *kind = kind_of(f);
    if (kind == &endless_wait || (spins(f) && f->reads_plain)) all |= (uint64_t)1 << f->id;
    bool locks = kind == &mutex_wait || kind == &spinlock_wait || kind == &read_wait || kind == &write_wait;
    if (!holder || !locks) continue;
    if (holder == f || left_locked(holder, f->waits_for)) all |= (uint64_t)1 << f->id;
  }
  return all;
}

_Noreturn void spin_stuck(void) {
  uint64_t client = ((uint64_t)1 << run.client->threads) - 1;
  if (UNLIKELY(weak_on) && weak_lags()) run_stop(RUN_CUT); /* a stale value is not read for ever */
  if (!(scheduler.alive & client)) run_stop(RUN_WHOLE); /* threads in the background wait for work: that is no fault */
  struct sentence s = {"", 0};
  uint64_t members = circle();
  run.forsaken = forsaken();
  if (members) tell_circle(&s, members);
  for (uint64_t rest = scheduler.alive & ~members; rest; rest &= rest - 1) tell(&s, &fibers[__builtin_ctzll(rest)]);
  bool runs = scheduler.spinning & scheduler.alive;
  for (uint64_t rest = scheduler.alive; rest; rest &= rest - 1)
    runs |= kind_of(&fibers[__builtin_ctzll(rest)]) == &endless_wait;
  run_found(runs ? FOUND_LIVELOCK : FOUND_DEADLOCK, "%s", s.text);
}
