/* Which places of the code are executed. Each has a trap, which is taken away when the code comes there first: from
 * then on the code runs as it would without, so a search of many runs does not become slower. */
#include <stdlib.h>

#include "run/runtime.h"
#include "run/trap.h"

#ifndef NO_TRAPS
static struct {
  const uintptr_t *places; /* sorted */
  size_t count;
  _Atomic uint32_t *met; /* by place; shared with other processes */
  uint32_t number;       /* of what is run */
  trap_code *was;        /* what is in each place */
  bool *set;             /* the trap is there */
} cover;

/* All at once: the pages are made writable once. Where something else has put a trap, that stays. */
bool run_cover(const uintptr_t *places, size_t count, _Atomic uint32_t *met, const bool *known) {
  run_cover_end();
  if (!count) return true;
  cover.was = calloc(count, sizeof *cover.was);
  cover.set = calloc(count, sizeof *cover.set);
  uintptr_t low = places[0] & -PAGE, high = (places[count - 1] + sizeof(trap_code) + PAGE - 1) & -PAGE;
  if (!cover.was || !cover.set || mprotect((void *)low, high - low, PROT_READ | PROT_WRITE)) return false;
  cover.places = places;
  cover.count = count;
  cover.met = met;
  for (size_t i = 0; i < count; i++) {
    trap_code trap = TRAP;
    memcpy(&cover.was[i], (const void *)places[i], sizeof trap);
    cover.set[i] = cover.was[i] != TRAP && !known[i];
    if (cover.set[i])
      memcpy((void *)places[i], &trap, sizeof trap);
    else if (!known[i])
      met[i] = 1; /* whether it is executed is not known */
  }
  mprotect((void *)low, high - low, PROT_READ | PROT_EXEC);
  __builtin___clear_cache((char *)low, (char *)high);
  return true;
}

void run_cover_as(uint32_t number) { cover.number = number; }

void run_cover_end(void) {
  for (size_t i = 0; i < cover.count; i++)
    if (cover.set[i]) write_code(cover.places[i], cover.was[i]);
  free(cover.was);
  free(cover.set);
  memset(&cover, 0, sizeof cover);
}

static int by_address(const void *a, const void *b) {
  uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
  return (x > y) - (x < y);
}

bool coverage_reached(uintptr_t pc, void *context) {
  uintptr_t at = pc - TRAP_AFTER;
  const uintptr_t *place =
      cover.count ? bsearch(&at, cover.places, cover.count, sizeof *cover.places, by_address) : NULL;
  if (!place || !cover.set[place - cover.places]) return false;
  size_t i = (size_t)(place - cover.places);
  cover.set[i] = false;
  uint32_t met = cover.met[i], now = cover.number + 1;
  while ((!met || now < met) && !atomic_compare_exchange_weak(&cover.met[i], &met, now)) {}
  write_code(at, cover.was[i]);
  go_to(context, at);
  return true;
}
#else
bool run_cover(const uintptr_t *places, size_t count, _Atomic uint32_t *met, const bool *known) {
  return (void)places, (void)met, (void)known, !count;
}
void run_cover_as(uint32_t number) { (void)number; }
void run_cover_end(void) {}
bool coverage_reached(uintptr_t pc, void *context) { return (void)pc, (void)context, false; }
#endif
