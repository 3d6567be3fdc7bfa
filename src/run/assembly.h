/* The hooks of assembly: what is common to all machines (assembly.c). */
#ifndef ASIF_RUN_ASSEMBLY_H
#define ASIF_RUN_ASSEMBLY_H

#include "run/runtime.h"

#pragma GCC visibility push(hidden)

enum { SIZE_MOST = 16 }; /* bytes that are accessed at once, at most */

/* The access that is being made. No fiber stops between the two halves of one. */
struct announced {
  uintptr_t at;
  uint64_t old[SIZE_MOST / 8]; /* what was there */
  bool active;                 /* else there is nothing to be told of it */
};
extern struct announced now;

/* Before the instruction: now.active afterwards, if it is atomic. slot: SPIN_SLOT of the function that was called. */
void announced_begin(uintptr_t at, uint32_t size, unsigned word, uintptr_t pc, void **slot);
/* After it. order: __ATOMIC_*. wrote: if it stores at all, it did. */
void announced_end(uint32_t size, unsigned word, int order, bool wrote, uintptr_t pc, void **slot);
/* A fence, or a hint that the thread waits. */
void announced_other(enum announced_kind);

#pragma GCC visibility pop
#endif
