/* What the harness macros call where Asif runs the code (include/asif.h, ASIF_HOSTED). */
#include "run/runtime.h"

#define EXPORTED __attribute__((visibility("default"), used))

EXPORTED void asif_host_lin(const char *operation);
EXPORTED int asif_host_thread(void);
EXPORTED void asif_host_yield(void);
EXPORTED void asif_host_atomic(int enter);
EXPORTED void asif_host_cannot(void);
EXPORTED void asif_host_begins(void);
EXPORTED void asif_host_ends(int status);

/* Marks are for those who prove with them: here every history is judged without. */
void asif_host_lin(const char *operation) { (void)operation; }

int asif_host_thread(void) { return current && current->id != FIBER_MAIN ? current->id : 0; }

void asif_host_yield(void) {
  if (current) point(POINT_YIELD, 0, 0);
}

static unsigned depth; /* of ASIF_ATOMIC blocks in blocks; also in init */

void host_reset(void) {
  depth = 0;
  footprint_open = false;
}

void asif_host_atomic(int enter) {
  if (pure_on && (!enter || depth > 0)) pure_no_point();
  if (!current || current->id == FIBER_MAIN) return;
  if (enter) {
    if (depth == 0) {
      point(POINT_BLOCK, 0, 0);
      scheduler.mode = MODE_QUIET;
      choose_again();
      if (pure_on) pure_block(current, true);
      footprint_begin();
    }
    depth++;
  } else if (--depth == 0) {
    if (footprint_end()) step_wrote();
    if (pure_on)
      pure_block(current, false);
    else
      spin_wrote(current);
    scheduler.mode = MODE_STEPS;
  }
}

void asif_host_cannot(void) {
  if (!current) __builtin_trap();
  run_stop(RUN_CANNOT);
}

bool host_program;

void asif_host_begins(void) { host_program = true; }
void asif_host_ends(int status) {
  if (status) run_found(FOUND_ASSERTION, "main returns %d", status);
}
