/* Stacks, and the switch between them.
 *
 * A switch saves what the calling convention says a function keeps: on x86-64 six registers, and the two control words
 * of floating point. Stacks are made once and used again by every run. Below each is memory that cannot be touched. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/runtime.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)0)
#endif

struct fiber fibers[FIBERS_MOST];
uintptr_t fibers_low, fibers_span;
bool fiber_floats;

/* Where stacks are: always the same place if it is free, so that code which looks at addresses does the same again. */
#define STACKS_AT ((uintptr_t)0x610000000000)
#define DISTANCE  (STACK_SIZE + STACK_GUARD)

/* Where there is no room for all stacks only their upper ends are there, and the rest is mapped when it is touched. */
#define TOP_SIZE ((uintptr_t)64 << 10)
static bool in_parts;
static char *mapped_from[FIBERS_MOST]; /* in parts: of each */

static bool map_part(unsigned fiber, char *from) {
  char *to = mapped_from[fiber];
  if (from >= to) return false;
  void *got = mmap(from, (size_t)(to - from), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != from) return false;
  mapped_from[fiber] = from;
  return true;
}

enum grown fibers_grow(uintptr_t address) {
  if (!in_parts || address - fibers_low >= fibers_span) return GROWN_NOT;
  unsigned i = (unsigned)((address - fibers_low) / DISTANCE);
  char *at = (char *)(address & ~(uintptr_t)4095);
  if (at < fibers[i].stack || at >= mapped_from[i]) return GROWN_NOT;
  uintptr_t more = (uintptr_t)(mapped_from[i] - at) & (TOP_SIZE - 1) ? TOP_SIZE : 0; /* not page by page */
  char *from = at - more > fibers[i].stack ? at - more : fibers[i].stack;
  return map_part(i, from) || map_part(i, at) ? GROWN : GROWN_MEMORY;
}

bool fibers_open(void) {
  if (fibers[0].stack) return true;
  char *all = reserve_at(STACKS_AT, FIBERS_MOST * DISTANCE);
  in_parts = !all;
  if (in_parts) all = (char *)STACKS_AT;
  for (unsigned i = 0; i < FIBERS_MOST; i++) {
    struct fiber *f = &fibers[i];
    char *low = all + i * DISTANCE, *high = low + DISTANCE;
    mapped_from[i] = high;
    if (!in_parts) {
      mprotect(low, STACK_GUARD, PROT_NONE);
    } else if (!map_part(i, high - TOP_SIZE)) {
      fibers[0].stack = NULL;
      return false;
    }
    f->id = (uint8_t)i;
    f->stack = low + STACK_GUARD;
    /* Stacks begin at different places of their pages: else all of them would want the same few lines of the cache. */
    f->stack_top = f->stack + STACK_SIZE - (i % 16) * 256;
  }
  fibers_low = (uintptr_t)all;
  fibers_span = FIBERS_MOST * DISTANCE;
  return true;
}

#if defined(__x86_64__) && !defined(ASIF_PORTABLE_FIBERS)

/* void fiber_switch(void **from, void *to)
 *
 * The control words take longer than all the rest, and hardly any code changes them: only where it calls a function
 * that might. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  subq $8, %rsp\n"
        "  cmpb $0, fiber_floats(%rip)\n"
        "  jne 1f\n"
        "2: movq %rsp, (%rdi)\n"
        "  leaq 8(%rsi), %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        "1: stmxcsr (%rsp)\n"
        "  fnstcw 4(%rsp)\n"
        "  ldmxcsr (%rsi)\n"
        "  fldcw 4(%rsi)\n"
        "  jmp 2b\n"
        ".size fiber_switch, .-fiber_switch\n");

/* What fiber_switch takes from a stack, lowest first. */
struct frame {
  uint32_t mxcsr, control;
  uint64_t kept[6];
  void (*body)(void);
  uintptr_t end; /* where body would return to: nowhere, and so those who walk the stack see its end */
};

void fiber_prepare(struct fiber *f, void (*body)(void)) {
  ASAN_UNPOISON_MEMORY_REGION(f->stack, STACK_SIZE);
  /* At the beginning of a function the stack is a multiple of 16, and 8: the place of `end`. */
  struct frame *frame = (struct frame *)(void *)(f->stack_top - sizeof *frame);
  memset(frame, 0, sizeof *frame);
  frame->mxcsr = 0x1f80;
  frame->control = 0x37f;
  frame->body = body;
  f->sp = frame;
}

#else
#include <ucontext.h>

void fiber_switch(void **from, void *to) {
  ucontext_t here;
  *from = &here;
  swapcontext(&here, to);
}

void fiber_prepare(struct fiber *f, void (*body)(void)) {
  ucontext_t *begin =
      (ucontext_t *)(void *)f->stack; /* at its far end: not needed any more when the stack has grown so far */
  getcontext(begin);
  begin->uc_stack.ss_sp = f->stack;
  begin->uc_stack.ss_size = (size_t)(f->stack_top - f->stack);
  begin->uc_link = NULL;
  makecontext(begin, body, 0);
  f->sp = begin;
}
#endif

_Noreturn void fiber_jump(void *to) {
  static void *nowhere;
  fiber_switch(&nowhere, to);
  __builtin_unreachable();
}
