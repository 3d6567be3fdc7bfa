/* CONTAINER, std::map if not given, under a std::shared_mutex; with UNLOCKED, readers do not take it. */
#include <asif.h>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#ifndef CONTAINER
#define CONTAINER std::map
#endif

static CONTAINER<int, int> map;
static std::shared_mutex mutex;

static bool insert(int k, int v) {
  std::unique_lock<std::shared_mutex> held(mutex);
  return map.emplace(k, v).second;
}
static bool erase(int k) {
  std::unique_lock<std::shared_mutex> held(mutex);
  return map.erase(k) > 0;
}
static bool contains(int k) {
#ifndef UNLOCKED
  std::shared_lock<std::shared_mutex> held(mutex);
#endif
  return map.count(k) > 0;
}
ASIF_OBJECT(hash_map)
ASIF_OP(insert, ASIF_IN(1, 2), ASIF_IN(1, 1))
ASIF_OP(erase, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
