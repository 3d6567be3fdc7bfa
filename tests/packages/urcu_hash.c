/* The lock-free hash table of liburcu (Debian's liburcu, rculfhash.c compiled too), unmodified, with its inline assembly. The flavor of RCU is
 * one whose grace periods do not end while the operations run: nothing is freed. -DEAGER: a removed node is freed at once. */
#include <asif.h>
#include <stdlib.h>

#include <urcu/call-rcu.h>
#include <urcu/flavor.h>
#include <urcu/rculfhash.h>

struct item {
  struct cds_lfht_node node; /* first: a node is its item */
  int key;
};
static struct cds_lfht *table;

static void nothing(void) {}
static const struct rcu_flavor_struct flavor = {.read_lock = nothing, .read_unlock = nothing, .update_synchronize_rcu = nothing};

static int same(struct cds_lfht_node *node, const void *key) { return ((struct item *)node)->key == *(const int *)key; }

static void start(void) { table = _cds_lfht_new(1, 1, 2, 0, NULL, &flavor, NULL); }
static bool add(int k) {
  struct item *i = malloc(sizeof *i);
  i->key = k;
  cds_lfht_node_init(&i->node);
  if (cds_lfht_add_unique(table, (unsigned long)k, same, &k, &i->node) == &i->node) return true;
  free(i);
  return false;
}
static bool del(int k) {
  struct cds_lfht_iter at;
  cds_lfht_lookup(table, (unsigned long)k, same, &k, &at);
  struct cds_lfht_node *node = cds_lfht_iter_get_node(&at);
  if (!node || cds_lfht_del(table, node)) return false;
#ifdef EAGER
  free(node);
#endif
  return true;
}
static bool contains(int k) {
  struct cds_lfht_iter at;
  cds_lfht_lookup(table, (unsigned long)k, same, &k, &at);
  return cds_lfht_iter_get_node(&at);
}

ASIF_OBJECT(set)
ASIF_INIT(start)
ASIF_OP(add, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
ASIF_OP_AS(remove, del, ASIF_IN(1, 2))
