/* The hooks of assembly written by hand: what the assembler has the code call around every instruction that accesses
 * memory (test/announce.c).
 *
 * Before the instruction there is a point, as before an atomic access; after it, what it did is told. In between
 * nothing else runs. An instruction that reads and writes without a lock prefix is two steps: the value of the first is
 * put back into memory right before the instruction runs in the second, so that it computes with what it has read,
 * whatever others have written since.
 *
 * To the code all this is invisible: every register, the flags and what lies below the stack pointer are as they were.
 * What the hooks save lies on the fiber's stack, above the place that a loop which waits is looked at from (spin.c): so
 * all registers count there.
 *
 * A plain load is taken for an acquire, a plain store for a release and a locked instruction for a sequentially
 * consistent update: that is what the machine makes of them. What the machine does not access at once is an access that
 * is not atomic. */
#include <string.h>

#include "run/runtime.h"

#if defined(__x86_64__)

/* As asif_assembly_before and asif_assembly_after have saved it; the lowest address first. */
struct frame {
  uint64_t rbp, r15, r14, r13, r12, rbx, r11, r10, r9, r8, rdx, rcx, back, rax;
  uintptr_t pc; /* of the code: where the call returns to */
  uint64_t rsi, rdi, flags;
};
enum { ZERO_FLAG = 0x40, DIRECTION_FLAG = 0x400, SIZE_MOST = 16, XSAVE_MOST = 16384 };

/* Room that the vector registers need; 0: the processor has only those of SSE. Looked up when the program starts. */
uint64_t assembly_vectors;
__attribute__((constructor)) static void ask_processor(void) {
  uint32_t a = 1, b, c = 0, d;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  if (!(c >> 27 & 1)) return;
  a = 13, c = 0;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  if (b <= XSAVE_MOST) assembly_vectors = (b + 63) & -(uint64_t)64;
}

/* Both functions: the address in rdi, the word in esi; rdi, rsi, rax and the flags are saved by the caller. The words
 * below the frame are cleared, since nobody else does and what is there counts for spin.c. */
#define HOOK(name, function) \
  ".globl " name "\n" \
  ".type " name ", @function\n" name ":\n" \
  "  pushq %rcx\n" \
  "  pushq %rdx\n" \
  "  pushq %r8\n" \
  "  pushq %r9\n" \
  "  pushq %r10\n" \
  "  pushq %r11\n" \
  "  pushq %rbx\n" \
  "  pushq %r12\n" \
  "  pushq %r13\n" \
  "  pushq %r14\n" \
  "  pushq %r15\n" \
  "  pushq %rbp\n" \
  "  movq %rsp, %rbp\n" \
  "  subq $32, %rsp\n" \
  "  andq $-64, %rsp\n" \
  "  cld\n" \
  "  movq %rdi, %r8\n" \
  "  movq %rsp, %rdi\n" \
  "1: movq $0, (%rdi)\n" \
  "  addq $8, %rdi\n" \
  "  cmpq %rbp, %rdi\n" \
  "  jb 1b\n" \
  "  testl $0xc0000, %esi\n" \
  "  jz 3f\n" \
  "  testl $0x80000, %esi\n" \
  "  jz 2f\n" \
  "  movq assembly_vectors(%rip), %rcx\n" \
  "  testq %rcx, %rcx\n" \
  "  jz 2f\n" \
  "  subq %rcx, %rsp\n" \
  "  shrq $3, %rcx\n" \
  "  movq %rsp, %rdi\n" \
  "  xorl %eax, %eax\n" \
  "  rep stosq\n" \
  "  movl $-1, %eax\n" \
  "  movl $-1, %edx\n" \
  "  xsave64 (%rsp)\n" \
  "  movl $2, %r11d\n" \
  "  jmp 4f\n" \
  "2: subq $256, %rsp\n" \
  "  movaps %xmm0, (%rsp)\n" \
  "  movaps %xmm1, 16(%rsp)\n" \
  "  movaps %xmm2, 32(%rsp)\n" \
  "  movaps %xmm3, 48(%rsp)\n" \
  "  movaps %xmm4, 64(%rsp)\n" \
  "  movaps %xmm5, 80(%rsp)\n" \
  "  movaps %xmm6, 96(%rsp)\n" \
  "  movaps %xmm7, 112(%rsp)\n" \
  "  movaps %xmm8, 128(%rsp)\n" \
  "  movaps %xmm9, 144(%rsp)\n" \
  "  movaps %xmm10, 160(%rsp)\n" \
  "  movaps %xmm11, 176(%rsp)\n" \
  "  movaps %xmm12, 192(%rsp)\n" \
  "  movaps %xmm13, 208(%rsp)\n" \
  "  movaps %xmm14, 224(%rsp)\n" \
  "  movaps %xmm15, 240(%rsp)\n" \
  "  movl $1, %r11d\n" \
  "  jmp 4f\n" \
  "3: xorl %r11d, %r11d\n" \
  "4: pushq %r11\n" \
  "  pushq $0\n" \
  "  movq %rbp, %rdi\n" \
  "  movl %esi, %edx\n" \
  "  movq %r8, %rsi\n" \
  "  leaq assembly_returns(%rip), %rax\n" \
  "  pushq %rax\n" \
  "  jmp " function "\n"

__asm__(".text\n"
        ".p2align 4\n" HOOK("asif_assembly_before", "assembly_before")
            HOOK("asif_assembly_after", "assembly_after") /**/
        ".globl assembly_returns\n"
        ".hidden assembly_returns\n"
        ".type assembly_returns, @function\n"
        "assembly_returns:\n"
        "  movq 8(%rsp), %rcx\n"
        "  addq $16, %rsp\n"
        "  cmpl $1, %ecx\n"
        "  jb 2f\n"
        "  je 1f\n"
        "  movl $-1, %eax\n"
        "  movl $-1, %edx\n"
        "  xrstor64 (%rsp)\n"
        "  jmp 2f\n"
        "1: movaps (%rsp), %xmm0\n"
        "  movaps 16(%rsp), %xmm1\n"
        "  movaps 32(%rsp), %xmm2\n"
        "  movaps 48(%rsp), %xmm3\n"
        "  movaps 64(%rsp), %xmm4\n"
        "  movaps 80(%rsp), %xmm5\n"
        "  movaps 96(%rsp), %xmm6\n"
        "  movaps 112(%rsp), %xmm7\n"
        "  movaps 128(%rsp), %xmm8\n"
        "  movaps 144(%rsp), %xmm9\n"
        "  movaps 160(%rsp), %xmm10\n"
        "  movaps 176(%rsp), %xmm11\n"
        "  movaps 192(%rsp), %xmm12\n"
        "  movaps 208(%rsp), %xmm13\n"
        "  movaps 224(%rsp), %xmm14\n"
        "  movaps 240(%rsp), %xmm15\n"
        "2: movq %rbp, %rsp\n"
        "  popq %rbp\n"
        "  addq $40, %rsp\n"
        "  popq %r11\n"
        "  popq %r10\n"
        "  popq %r9\n"
        "  popq %r8\n"
        "  popq %rdx\n"
        "  popq %rcx\n"
        "  ret\n"
        ".size assembly_returns, .-assembly_returns\n");

_Static_assert(ANNOUNCED_VECTORS == 0x80000 && ANNOUNCED_XMM == 0x40000, "the hooks test these bits");

/* The access that is being made. No fiber stops between the two halves of one. */
static struct {
  uintptr_t at;
  uint64_t old[SIZE_MOST / 8]; /* what was there */
  bool active;                 /* else there is nothing to be told of it */
} now;

static bool at_once(uintptr_t at, uint32_t size) { return size <= 8 && (at & 7) + size <= 8; }

static struct accessed_value value_of(const uint64_t *words, uint32_t size) {
  struct accessed_value v = {0, 0};
  memcpy(&v, words, size < sizeof v ? size : sizeof v);
  return v;
}

/* The fiber has come to its turn: nothing else runs before the instruction and what is told after it. */
static void reached(uintptr_t at, uint32_t size) {
  now.active = true;
  now.at = at;
  memcpy(now.old, (const void *)at, size);
}

/* Reads and writes, but not at once. The read is not looked at by spin.c: the instruction is not over. */
static void read_then_write(uintptr_t at, uint32_t size, uintptr_t pc) {
  uint64_t read[SIZE_MOST / 8] = {0};
  void *nowhere = NULL;
  access_begin(POINT_READ, at, size, pc);
  if (UNLIKELY(pure_on)) pure_no_point(); /* what was read is in no register: the second step is not looked at */
  memcpy(read, (const void *)at, size);
  access_end(POINT_READ, at, size, __ATOMIC_ACQUIRE, pc, &nowhere, value_of(read, size), (struct accessed_value){0, 0},
             READ_ONLY);
  access_begin(POINT_WRITE, at, size, pc);
  reached(at, size);
  memcpy((void *)at, read, size);
}

static void begin(uintptr_t at, uint32_t size, unsigned word, uintptr_t pc, void **slot) {
  static const enum point_kind kinds[] = {POINT_READ, POINT_WRITE, POINT_UPDATE, POINT_UPDATE};
  enum announced_kind kind = word & 0xff;
  bool locked = word & ANNOUNCED_LOCKED;
  if (!locked && !at_once(at, size)) { /* in one piece, as memcpy would */
    if (kind != ANNOUNCED_STORE) plain_access((const void *)at, size, false, pc, slot);
    if (kind != ANNOUNCED_LOAD) plain_access((const void *)at, size, true, pc, slot);
    return;
  }
  if (UNLIKELY(pure_on)) pure_called(slot, at);
  if (!locked && kind != ANNOUNCED_LOAD && kind != ANNOUNCED_STORE) {
    read_then_write(at, size, pc);
  } else {
    access_begin(kinds[kind], at, size, pc);
    reached(at, size);
  }
}

static void end(uint32_t size, unsigned word, const struct frame *f, void **slot) {
  enum announced_kind kind = word & 0xff;
  bool locked = word & ANNOUNCED_LOCKED;
  uint64_t after[SIZE_MOST / 8];
  memcpy(after, (const void *)now.at, size);
  struct accessed_value old = value_of(now.old, size), new = value_of(after, size), none = {0, 0};
  enum effect wrote = memcmp(now.old, after, size) ? CHANGED : WROTE_SAME;
  if (kind == ANNOUNCED_LOAD)
    access_end(POINT_READ, now.at, size, __ATOMIC_ACQUIRE, f->pc, slot, old, none, READ_ONLY);
  else if (!locked)
    access_end(POINT_WRITE, now.at, size, __ATOMIC_RELEASE, f->pc, slot, old, new, wrote);
  else if (kind == ANNOUNCED_EXCHANGE && !(f->flags & ZERO_FLAG))
    access_end(POINT_UPDATE, now.at, size, __ATOMIC_SEQ_CST, f->pc, slot, old, none, READ_ONLY);
  else
    access_end(POINT_UPDATE, now.at, size, __ATOMIC_SEQ_CST, f->pc, slot, old, new, wrote);
}

/* `count` elements from `at` on, or up to it where the direction flag is set. */
static void string(uint64_t at, uint64_t count, uint32_t size, bool write, const struct frame *f, void **slot) {
  uint64_t bytes = count * size;
  if (!count) return;
  if (f->flags & DIRECTION_FLAG) at -= bytes - size;
  plain_access((const void *)at, bytes, write, f->pc, slot);
}

static void strings(enum announced_kind kind, uint32_t size, unsigned word, const struct frame *f, void **slot) {
  uint64_t count = word & ANNOUNCED_REPEATED ? f->rcx : 1;
  if (kind != ANNOUNCED_STOS) string(f->rsi, count, size, false, f, slot);
  if (kind != ANNOUNCED_LODS) string(f->rdi, count, size, true, f, slot);
}

/* Others first, after the step that the fiber has just taken. */
static void pauses(void) {
  if (scheduler.mode == MODE_STEPS && run.count) step_yielded();
}

__attribute__((used)) void assembly_before(const struct frame *, uintptr_t at, unsigned word);
void assembly_before(const struct frame *f, uintptr_t at, unsigned word) {
  enum announced_kind kind = word & 0xff;
  uint32_t size = word >> 8 & 0xff;
  now.active = false;
  if (!current) return;
  if (UNLIKELY(pure_on)) pure_no_point(); /* the registers that pure.c has are those of an earlier hook */
  switch (kind) {
  case ANNOUNCED_LOAD:
  case ANNOUNCED_STORE:
  case ANNOUNCED_UPDATE:
  case ANNOUNCED_EXCHANGE: begin(at, size, word, f->pc, SPIN_SLOT); break;
  case ANNOUNCED_MOVS:
  case ANNOUNCED_STOS:
  case ANNOUNCED_LODS: strings(kind, size, word, f, SPIN_SLOT); break;
  case ANNOUNCED_FENCE:
    if (races_wanted()) races_fence(__ATOMIC_SEQ_CST);
    break;
  case ANNOUNCED_ACQUIRE:
    if (races_wanted()) races_fence(__ATOMIC_ACQUIRE);
    break;
  case ANNOUNCED_RELEASE:
    if (races_wanted()) races_fence(__ATOMIC_RELEASE);
    break;
  case ANNOUNCED_PAUSE: pauses(); break;
  }
}

__attribute__((used)) void assembly_after(const struct frame *, uintptr_t at, unsigned word);
void assembly_after(const struct frame *f, uintptr_t at, unsigned word) {
  (void)at;
  if (!now.active) return;
  now.active = false;
  end(word >> 8 & 0xff, word, f, SPIN_SLOT);
}

#else
void assembly_returns(void) {}
#endif
