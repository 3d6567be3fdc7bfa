/* The hooks of assembly on aarch64: see assembly.c.
 *
 * A plain load or store is relaxed; what acquires and releases says so in its name. A store-exclusive succeeds iff
 * nobody else has written there since the load-exclusive: the steps of the run tell. */
#include "run/assembly.h"

#include <string.h>

#if defined(__aarch64__)

/* As asif_assembly_before and asif_assembly_after have saved it; the lowest address first. */
struct frame {
  uint64_t x2[14], x18[12]; /* x2 to x15, x18 to x29 */
  uintptr_t pc;             /* of the code: where the call returns to */
  uint64_t flags, vectors, none, floats[2];
  uint64_t x0[2], x16[2], x30;
  uint64_t status; /* of a store-exclusive: 1: it fails */
};
_Static_assert(offsetof(struct frame, pc) == 208 && offsetof(struct frame, x0) == 256 &&
                   offsetof(struct frame, status) == 296,
               "the hooks and test/announce_aarch64.c know where these are");

/* Both functions: the address in x16, the word in w17; x0, x1, x16, x17 and x30 are saved by the caller. */
#define HOOK(name, function) \
  ".globl " name "\n" \
  ".type " name ", %function\n" name ":\n" \
  "  sub sp, sp, #256\n" \
  "  stp x2, x3, [sp, #0]\n" \
  "  stp x4, x5, [sp, #16]\n" \
  "  stp x6, x7, [sp, #32]\n" \
  "  stp x8, x9, [sp, #48]\n" \
  "  stp x10, x11, [sp, #64]\n" \
  "  stp x12, x13, [sp, #80]\n" \
  "  stp x14, x15, [sp, #96]\n" \
  "  stp x18, x19, [sp, #112]\n" \
  "  stp x20, x21, [sp, #128]\n" \
  "  stp x22, x23, [sp, #144]\n" \
  "  stp x24, x25, [sp, #160]\n" \
  "  stp x26, x27, [sp, #176]\n" \
  "  stp x28, x29, [sp, #192]\n" \
  "  mrs x2, nzcv\n" \
  "  stp x30, x2, [sp, #208]\n" \
  "  ubfx w3, w17, #19, #1\n" \
  "  stp x3, xzr, [sp, #224]\n" \
  "  stp xzr, xzr, [sp, #240]\n" \
  "  mov x19, sp\n" \
  "  cbz w3, 1f\n" \
  "  mrs x4, fpsr\n" \
  "  mrs x5, fpcr\n" \
  "  stp x4, x5, [sp, #240]\n" \
  "  sub sp, sp, #512\n" \
  "  stp q0, q1, [sp, #0]\n" \
  "  stp q2, q3, [sp, #32]\n" \
  "  stp q4, q5, [sp, #64]\n" \
  "  stp q6, q7, [sp, #96]\n" \
  "  stp q8, q9, [sp, #128]\n" \
  "  stp q10, q11, [sp, #160]\n" \
  "  stp q12, q13, [sp, #192]\n" \
  "  stp q14, q15, [sp, #224]\n" \
  "  stp q16, q17, [sp, #256]\n" \
  "  stp q18, q19, [sp, #288]\n" \
  "  stp q20, q21, [sp, #320]\n" \
  "  stp q22, q23, [sp, #352]\n" \
  "  stp q24, q25, [sp, #384]\n" \
  "  stp q26, q27, [sp, #416]\n" \
  "  stp q28, q29, [sp, #448]\n" \
  "  stp q30, q31, [sp, #480]\n" \
  "1: mov x0, x19\n" \
  "  mov x1, x16\n" \
  "  mov w2, w17\n" \
  "  adr x30, assembly_returns\n" \
  "  b " function "\n"

__asm__(".text\n"
        ".p2align 4\n" HOOK("asif_assembly_before", "assembly_before")
            HOOK("asif_assembly_after", "assembly_after") /**/
        ".globl assembly_returns\n"
        ".hidden assembly_returns\n"
        ".type assembly_returns, %function\n"
        "assembly_returns:\n"
        "  ldr x3, [x19, #224]\n"
        "  cbz x3, 1f\n"
        "  ldp q0, q1, [sp, #0]\n"
        "  ldp q2, q3, [sp, #32]\n"
        "  ldp q4, q5, [sp, #64]\n"
        "  ldp q6, q7, [sp, #96]\n"
        "  ldp q8, q9, [sp, #128]\n"
        "  ldp q10, q11, [sp, #160]\n"
        "  ldp q12, q13, [sp, #192]\n"
        "  ldp q14, q15, [sp, #224]\n"
        "  ldp q16, q17, [sp, #256]\n"
        "  ldp q18, q19, [sp, #288]\n"
        "  ldp q20, q21, [sp, #320]\n"
        "  ldp q22, q23, [sp, #352]\n"
        "  ldp q24, q25, [sp, #384]\n"
        "  ldp q26, q27, [sp, #416]\n"
        "  ldp q28, q29, [sp, #448]\n"
        "  ldp q30, q31, [sp, #480]\n"
        "  ldp x4, x5, [x19, #240]\n"
        "  msr fpsr, x4\n"
        "  msr fpcr, x5\n"
        "1: mov sp, x19\n"
        "  ldp x30, x2, [sp, #208]\n"
        "  msr nzcv, x2\n"
        "  ldp x2, x3, [sp, #0]\n"
        "  ldp x4, x5, [sp, #16]\n"
        "  ldp x6, x7, [sp, #32]\n"
        "  ldp x8, x9, [sp, #48]\n"
        "  ldp x10, x11, [sp, #64]\n"
        "  ldp x12, x13, [sp, #80]\n"
        "  ldp x14, x15, [sp, #96]\n"
        "  ldp x18, x19, [sp, #112]\n"
        "  ldp x20, x21, [sp, #128]\n"
        "  ldp x22, x23, [sp, #144]\n"
        "  ldp x24, x25, [sp, #160]\n"
        "  ldp x26, x27, [sp, #176]\n"
        "  ldp x28, x29, [sp, #192]\n"
        "  add sp, sp, #256\n"
        "  ldp x0, x1, [sp], #16\n"
        "  ret\n"
        ".size assembly_returns, .-assembly_returns\n");

_Static_assert(ANNOUNCED_VECTORS == 1u << 19, "the hooks test this bit");

static uint64_t register_of(const struct frame *f, unsigned n) {
  if (n < 2) return f->x0[n];
  if (n < 16) return f->x2[n - 2];
  if (n < 18) return f->x16[n - 16];
  if (n < 30) return f->x18[n - 18];
  return n == 30 ? f->x30 : 0;
}

/* What a load-exclusive of each fiber has read, until a store-exclusive comes. */
static struct monitor {
  uint64_t run; /* its number; of another one: there is none */
  uintptr_t at; /* 0: there is none */
  uint32_t size;
  size_t step; /* the first after it */
  uint64_t value[SIZE_MOST / 8];
} monitors[FIBERS_MOST];

static bool is_set(const struct monitor *m) { return m->at && m->run == run.number; }

/* Nobody else has written there. What is written without a step is told by the value. */
static bool is_intact(const struct fiber *f, const struct monitor *m) {
  for (size_t i = m->step; i < run.count; i++) {
    const struct step *s = &scheduler.steps[i];
    if (s->fiber != f->id && s->flags & STEP_WROTE && s->address < m->at + m->size && m->at < s->address + s->size)
      return false;
  }
  return !memcmp((const void *)m->at, m->value, m->size);
}

uint64_t assembly_state(const struct fiber *f) {
  const struct monitor *m = &monitors[f->id];
  return is_set(m) ? m->at << 1 | is_intact(f, m) : 0;
}

static void link_to(uintptr_t at, uint32_t size) {
  struct monitor *m = &monitors[current->id];
  *m = (struct monitor){.run = run.number, .at = at, .size = size, .step = run.count};
  memcpy(m->value, (const void *)at, size);
}

/* Of another place or size than the load-exclusive it may do either: then it fails. */
static bool stores(uintptr_t at, uint32_t size) {
  struct monitor *m = &monitors[current->id];
  bool done = is_set(m) && m->at == at && m->size == size && is_intact(current, m);
  m->at = 0;
  return done;
}

static int order_of(unsigned word) {
  bool acquires = word & ANNOUNCED_ACQUIRES, releases = word & ANNOUNCED_RELEASES;
  return acquires && releases ? __ATOMIC_ACQ_REL
         : acquires           ? __ATOMIC_ACQUIRE
         : releases           ? __ATOMIC_RELEASE
                              : __ATOMIC_RELAXED;
}

static bool wrote; /* the instruction that is being made, if it stores at all */

/* Is what it compares with there? */
static bool exchanges(const struct frame *f, uint32_t size, unsigned word) {
  unsigned n = word >> 24;
  uint64_t low = register_of(f, n), high = register_of(f, n + 1);
  if (size <= 8) return !memcmp(now.old, &low, size);
  return !memcmp(now.old, &low, 8) && !memcmp(now.old + 1, &high, 8);
}

__attribute__((used)) void assembly_before(struct frame *, uintptr_t at, unsigned word);
void assembly_before(struct frame *f, uintptr_t at, unsigned word) {
  enum announced_kind kind = word & 0xff;
  uint32_t size = word >> 8 & 0xff;
  now.active = false;
  if (!current) return;
  if (kind == ANNOUNCED_CLEAR) {
    monitors[current->id].at = 0;
  } else if (kind >= ANNOUNCED_FENCE && kind <= ANNOUNCED_PAUSE) {
    announced_other(kind);
  } else {
    announced_begin(at, size, word, f->pc, SPIN_SLOT);
    wrote = kind == ANNOUNCED_EXCHANGE      ? exchanges(f, size, word)
            : kind == ANNOUNCED_CONDITIONAL ? stores(at, size)
                                            : true;
    if (kind == ANNOUNCED_LINK) link_to(at, size);
    f->status = kind == ANNOUNCED_CONDITIONAL && !wrote;
  }
}

__attribute__((used)) void assembly_after(const struct frame *, uintptr_t at, unsigned word);
void assembly_after(const struct frame *f, uintptr_t at, unsigned word) {
  enum announced_kind kind = word & 0xff;
  (void)at;
  if (!now.active) return;
  now.active = false;
  int order = order_of(word);
  if (kind == ANNOUNCED_CONDITIONAL && !wrote) order = __ATOMIC_RELAXED;
  if (kind == ANNOUNCED_EXCHANGE && !wrote) order = order_acquires(order) ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
  announced_end(word >> 8 & 0xff, word, order, wrote, f->pc, SPIN_SLOT);
}

#endif
