/* oneTBB's concurrent_hash_map (libtbb-dev), unmodified. */
#include <asif.h>
#include <oneapi/tbb/concurrent_hash_map.h>

typedef tbb::concurrent_hash_map<int, int> table;
static table *map;

static void start() { map = new table; }
static bool insert(int k, int v) { return map->insert({k, v}); }
static bool erase(int k) { return map->erase(k); }
static bool contains(int k) { return map->count(k) > 0; }
ASIF_OBJECT(hash_map)
ASIF_OP(insert, ASIF_IN(1, 2), ASIF_IN(1, 1))
ASIF_OP(erase, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
ASIF_INIT(start)
