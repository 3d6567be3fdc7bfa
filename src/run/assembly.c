/* The hooks of assembly written by hand: what the assembler has the code call around every instruction that accesses
 * memory (test/announce.h).
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
 * How they are saved and which order an access has is the machine's (assembly_x86.c, assembly_aarch64.c). What the
 * machine does not access at once is an access that is not atomic. */
#include "run/assembly.h"

#include <string.h>

struct announced now;

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

static enum point_kind point_of(enum announced_kind kind) {
  if (kind == ANNOUNCED_LOAD || kind == ANNOUNCED_LINK) return POINT_READ;
  return kind == ANNOUNCED_STORE ? POINT_WRITE : POINT_UPDATE;
}

void announced_begin(uintptr_t at, uint32_t size, unsigned word, uintptr_t pc, void **slot) {
  enum announced_kind kind = word & 0xff;
  bool locked = word & ANNOUNCED_LOCKED;
  if (!locked && (!at_once(at, size) || word & ANNOUNCED_PARTS)) { /* in one piece, as memcpy would */
    if (kind != ANNOUNCED_STORE) plain_access((const void *)at, size, false, pc, slot);
    if (kind != ANNOUNCED_LOAD) plain_access((const void *)at, size, true, pc, slot);
    return;
  }
  if (UNLIKELY(pure_on)) pure_called(slot, at);
  if (!locked && kind != ANNOUNCED_LOAD && kind != ANNOUNCED_STORE) {
    read_then_write(at, size, pc);
  } else {
    access_begin(point_of(kind), at, size, pc);
    reached(at, size);
  }
}

void announced_end(uint32_t size, unsigned word, int order, bool wrote, uintptr_t pc, void **slot) {
  enum announced_kind kind = word & 0xff;
  uint64_t after[SIZE_MOST / 8];
  memcpy(after, (const void *)now.at, size);
  struct accessed_value old = value_of(now.old, size), new = value_of(after, size), none = {0, 0};
  enum effect effect = memcmp(now.old, after, size) ? CHANGED : WROTE_SAME;
  enum point_kind point = point_of(kind);
  if (point == POINT_UPDATE && !(word & ANNOUNCED_LOCKED)) point = POINT_WRITE; /* the second step */
  if (point == POINT_READ || !wrote)
    access_end(point, now.at, size, order, pc, slot, old, none, READ_ONLY);
  else
    access_end(point, now.at, size, order, pc, slot, old, new, effect);
}

void announced_other(enum announced_kind kind) {
  int order = kind == ANNOUNCED_ACQUIRE   ? __ATOMIC_ACQUIRE
              : kind == ANNOUNCED_RELEASE ? __ATOMIC_RELEASE
                                          : __ATOMIC_SEQ_CST;
  if (kind == ANNOUNCED_PAUSE) { /* others first, after the step that the fiber has just taken */
    if (scheduler.mode == MODE_STEPS && run.count) step_yielded();
  } else if (races_wanted()) {
    races_fence(order);
  }
}

#if !defined(__x86_64__) && !defined(__aarch64__)
void assembly_returns(void) {}
#endif
#if !defined(__aarch64__)
uint64_t assembly_state(const struct fiber *f) { return (void)f, 0; }
#endif
