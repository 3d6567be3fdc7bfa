/* Traps in the loaded code: in the place of an instruction, which is put back when it is needed. */
#ifndef ASIF_RUN_TRAP_H
#define ASIF_RUN_TRAP_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE ((uintptr_t)4096)

#if defined(__x86_64__)
typedef uint8_t trap_code;
#define TRAP       ((trap_code)0xcc)
#define TRAP_AFTER 1 /* where the processor says it is, when it has come to one */
#elif defined(__aarch64__)
typedef uint32_t trap_code;
#define TRAP       ((trap_code)0xd4200000)
#define TRAP_AFTER 0
#else
#define NO_TRAPS
#endif

#ifndef NO_TRAPS
static inline void write_code(uintptr_t at, trap_code code) {
  uintptr_t low = at & -PAGE, high = (at + sizeof code + PAGE - 1) & -PAGE;
  if (mprotect((void *)low, high - low, PROT_READ | PROT_WRITE)) return;
  memcpy((void *)at, &code, sizeof code);
  mprotect((void *)low, high - low, PROT_READ | PROT_EXEC);
  __builtin___clear_cache((char *)low, (char *)high);
}

/* Where the code goes on when the signal's handler returns. */
static inline void go_to(void *context, uintptr_t pc) {
#if defined(__x86_64__)
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
#else
  ((ucontext_t *)context)->uc_mcontext.pc = pc;
#endif
}
#endif

#endif
