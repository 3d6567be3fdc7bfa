/* The hooks of assembly on x86-64: see assembly.c.
 *
 * A plain load is taken for an acquire, a plain store for a release and a locked instruction for a sequentially
 * consistent update: that is what the machine makes of them. */
#include "run/assembly.h"

#if defined(__x86_64__)

/* As asif_assembly_before and asif_assembly_after have saved it; the lowest address first. */
struct frame {
  uint64_t rbp, r15, r14, r13, r12, rbx, r11, r10, r9, r8, rdx, rcx, back, rax;
  uintptr_t pc; /* of the code: where the call returns to */
  uint64_t rsi, rdi, flags;
};
enum { ZERO_FLAG = 0x40, DIRECTION_FLAG = 0x400, XSAVE_MOST = 16384 };

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

static int order_of(enum announced_kind kind, bool locked) {
  if (kind == ANNOUNCED_LOAD) return __ATOMIC_ACQUIRE;
  return locked ? __ATOMIC_SEQ_CST : __ATOMIC_RELEASE;
}

__attribute__((used)) void assembly_before(const struct frame *, uintptr_t at, unsigned word);
void assembly_before(const struct frame *f, uintptr_t at, unsigned word) {
  enum announced_kind kind = word & 0xff;
  uint32_t size = word >> 8 & 0xff;
  now.active = false;
  if (!current) return;
  if (UNLIKELY(pure_on)) pure_no_point(); /* the registers that pure.c has are those of an earlier hook */
  if (kind <= ANNOUNCED_EXCHANGE)
    announced_begin(at, size, word, f->pc, SPIN_SLOT);
  else if (kind <= ANNOUNCED_LODS)
    strings(kind, size, word, f, SPIN_SLOT);
  else
    announced_other(kind);
}

__attribute__((used)) void assembly_after(const struct frame *, uintptr_t at, unsigned word);
void assembly_after(const struct frame *f, uintptr_t at, unsigned word) {
  enum announced_kind kind = word & 0xff;
  bool locked = word & ANNOUNCED_LOCKED, failed = kind == ANNOUNCED_EXCHANGE && locked && !(f->flags & ZERO_FLAG);
  (void)at;
  if (!now.active) return;
  now.active = false;
  announced_end(word >> 8 & 0xff, word, order_of(kind, locked), !failed, f->pc, SPIN_SLOT);
}

#endif
