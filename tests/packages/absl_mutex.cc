/* The mutex of abseil (libabsl-dev) is in its library, which has no hooks: the verdict is unknown, with the reason. */
#include <absl/synchronization/mutex.h>
#include <asif.h>

static absl::Mutex mutex;
static int count;
static int fetch_add() {
  absl::MutexLock held(&mutex);
  return count++;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
