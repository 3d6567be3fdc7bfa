/* Loops that touch nothing: no memory but their own stack, and so no hook. `while (x);` is one once the compiler has
 * read x before the loop, as it may where x is not atomic.
 *
 * Code that has taken no step for long is run an instruction at a time. If it comes back to an instruction with the
 * same registers and the same stack, and no other code was called in between, then it does the same for ever: nobody
 * can change that, since whatever it writes elsewhere has a hook, which is other code. That is exact; only when it is
 * noticed depends on the time. The fiber waits then, for nothing, and the others go on: what it read before the loop
 * may race with what they do. */
#include <string.h>
#include <ucontext.h>

#include "base/hash.h"
#include "run/sync.h"

static bool never(const struct fiber *f) { return (void)f, false; }
const struct wait_kind endless_wait = {.ready = never, .what = "nothing", .nobody = ""};

bool endless_found;

#if defined(__x86_64__) && !defined(ASIF_PORTABLE_FIBERS)

enum { INSTRUCTIONS_MOST = 4000, TRAP_FLAG = 0x100 };

static struct {
  bool on;
  uintptr_t pc; /* of the candidate, as in spin.c; 0: none */
  uint64_t state;
  uint32_t count, next;
} stepping;

/* The fiber goes on here, on its own stack: it has nothing to go back to. */
static void wait_for_nothing(void) {
  struct fiber *f = current;
  if (scheduler.mode == MODE_QUIET) {
    found_at(f->pc, 0, f, "runs on here");
    run.forsaken |= (uint64_t)1 << f->id;
    run_found(FOUND_LIVELOCK, "%s never ends: it goes round a loop that touches nothing", fiber_name(f));
  }
  point_when(POINT_CALL, 0, 0, never, NULL);
  __builtin_trap();
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static uint64_t state_of(const ucontext_t *context) {
  const greg_t *r = context->uc_mcontext.gregs;
  const uint64_t *at = (const uint64_t *)(((uintptr_t)r[REG_RSP] - 128) & -(uintptr_t)8), /* with the red zone */
      *end = (const uint64_t *)(void *)current->stack_top;
  uint64_t h = (uint64_t)r[REG_EFL] & 0xcd5; /* what comparing leaves, and the direction */
  for (int i = REG_R8; i <= REG_RIP; i++) h = hash_mix(h ^ (uint64_t)r[i]);
  for (; at < end; at++) h = hash_mix(h ^ *at);
  /* Whatever other registers the system saves, the wide ones too. */
  const struct _libc_fpstate *floats = context->uc_mcontext.fpregs;
  uint32_t size = sizeof *floats, magic, all;
  if (!floats) return h;
  memcpy(&magic, (const char *)floats + 464,
         sizeof magic); /* as the kernel writes it: FP_XSTATE_MAGIC1, extended_size */
  memcpy(&all, (const char *)floats + 468, sizeof all);
  if (magic == 0x46505853 && all < 16384) size = all;
  for (uint32_t i = 0; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, (const char *)floats + i, sizeof word);
    h = hash_mix(h ^ word);
  }
  return h;
}

void endless_look(void *context) {
  ucontext_t *c = context;
  uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP], sp = (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
  if (stepping.on || !image_has_code(pc) || sp - (uintptr_t)current->stack >= STACK_SIZE) return;
  memset(&stepping, 0, sizeof stepping);
  stepping.on = true;
  c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void stop_stepping(ucontext_t *c) {
  stepping.on = false;
  c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static void divert(ucontext_t *c) {
  greg_t *r = c->uc_mcontext.gregs;
  current->pc = (uintptr_t)r[REG_RIP] + 1;                                     /* as a return address is */
  r[REG_RSP] = (greg_t)((((uintptr_t)r[REG_RSP] - 256) & -(uintptr_t)16) - 8); /* as after a call */
  *(uintptr_t *)r[REG_RSP] = 0;                                                /* who walks the stack sees its end */
  r[REG_RIP] = (greg_t)(uintptr_t)wait_for_nothing;
  r[REG_EFL] &= ~(greg_t)0x400; /* the direction is up where a function begins */
  endless_found = true;
}

bool endless_stepped(void *context) {
  ucontext_t *c = context;
  if (!stepping.on) return false;
  uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
  if (!current || !image_has_code(pc) || ++stepping.count >= INSTRUCTIONS_MOST) {
    stop_stepping(c);
    return true;
  }
  if (pc == stepping.pc && state_of(c) == stepping.state) {
    stop_stepping(c);
    divert(c);
  } else if (stepping.count >= stepping.next) {
    stepping.pc = pc;
    stepping.state = state_of(c);
    stepping.next = 2 * stepping.count;
  }
  return true;
}
#else
void endless_look(void *context) { (void)context; }
bool endless_stepped(void *context) { return (void)context, false; }
#endif
