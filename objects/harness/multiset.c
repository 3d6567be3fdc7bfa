/* lib/multiset.h */
#include "harness.h"
#include "../lib/hazard.c"
#include "../lib/multiset.c"

static struct multiset *x;

static void set_up(void) { x = multiset_create(hazard_create(RECORDS, BATCH)); }
static void add(int v) { multiset_add(x, v); }
static bool remove_key(int v) { return multiset_remove(x, v); }
static bool contains(int v) { return multiset_contains(x, v); }
static long count(int v) { return multiset_count(x, v); }

ASIF_OBJECT(multiset)
ASIF_OP(add, ASIF_IN(1, VALUES))
ASIF_OP_AS(remove, remove_key, ASIF_IN(1, VALUES))
ASIF_OP(contains, ASIF_IN(1, VALUES))
ASIF_OP(count, ASIF_IN(1, VALUES))
ASIF_INIT(set_up)
