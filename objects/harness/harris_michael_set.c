/* lib/harris_michael_set.h */
#include "harness.h"
#include "../lib/hazard.c"
#include "../lib/harris_michael_set.c"

static struct harris_michael_set *x;

static void set_up(void) { x = harris_michael_set_create(hazard_create(RECORDS, BATCH)); }
static bool add(int v) {
  bool added = false;
  return harris_michael_set_add(x, v, &added) && added;
}
static bool remove_key(int v) { return harris_michael_set_remove(x, v); }
static bool contains(int v) { return harris_michael_set_contains(x, v); }

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP_AS(remove, remove_key, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)
