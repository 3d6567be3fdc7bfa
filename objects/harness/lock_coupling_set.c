/* lib/lock_coupling_set.h */
#include "harness.h"
#include "../lib/lock_coupling_set.c"

static struct lock_coupling_set *x;

static void set_up(void) { x = lock_coupling_set_create(); }
static bool add(int v) {
  bool added = false;
  return lock_coupling_set_add(x, v, &added) && added;
}
static bool remove_key(int v) { return lock_coupling_set_remove(x, v); }
static bool contains(int v) { return lock_coupling_set_contains(x, v); }

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP_AS(remove, remove_key, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)
