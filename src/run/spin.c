/* Loops that wait for another: until they are recognised, nobody spins. */
#include "run/runtime.h"

void spin_reset(struct fiber *f) { (void)f; }
void spin_read(struct fiber *f, uintptr_t pc, uintptr_t address, uint64_t value) { (void)f, (void)pc, (void)address, (void)value; }
void spin_wrote(struct fiber *f) { (void)f; }
_Noreturn void spin_stuck(void) { run_found(FOUND_DEADLOCK, "nobody can go on"); }
