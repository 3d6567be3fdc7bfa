/* The hash set of abseil (libabsl-dev) under a mutex of the standard library; without it (WRONG) readers race with writers. */
#include <absl/container/flat_hash_set.h>
#include <asif.h>
#include <mutex>

static std::mutex mutex;
static absl::flat_hash_set<int> *set;

#ifdef WRONG
#define LOCK
#else
#define LOCK std::lock_guard<std::mutex> held(mutex)
#endif
static void init() { set = new absl::flat_hash_set<int>; }
static bool add(int k) {
  std::lock_guard<std::mutex> held(mutex);
  return set->insert(k).second;
}
static bool contains(int k) {
  LOCK;
  return set->contains(k);
}
static bool del(int k) {
  std::lock_guard<std::mutex> held(mutex);
  return set->erase(k);
}
ASIF_OBJECT(set)
ASIF_INIT(init)
ASIF_OP(add)
ASIF_OP(contains)
ASIF_OP_AS(remove, del)
