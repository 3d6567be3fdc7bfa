/* lib/blink_tree.h. Of order 2, so that the third key splits the root. */
#include "harness.h"
#include "../lib/hazard.c"
#include "../lib/blink_tree.c"

#ifndef ORDER
#define ORDER 2
#endif
#ifndef KEYS
#define KEYS 3
#endif

static struct blink_tree *x;

static void set_up(void) { x = blink_tree_create(hazard_create(RECORDS, BATCH), ORDER); }
static bool insert(int key) {
  bool inserted = false;
  return blink_tree_insert(x, key, &inserted) && inserted;
}
static bool lookup(int key) { return blink_tree_lookup(x, key); }
static bool remove_key(int key) {
  bool removed = false;
  return blink_tree_remove(x, key, &removed) && removed;
}

ASIF_OBJECT(set)
ASIF_OP_AS(add, insert, ASIF_IN(1, KEYS))
ASIF_OP_AS(remove, remove_key, ASIF_IN(1, KEYS))
ASIF_OP_AS(contains, lookup, ASIF_IN(1, KEYS))
ASIF_INIT(set_up)
