/* A counter under a lock of two flags: a thread raises its own, and waits until the other's is down. If both are up, both wait.
 *
 * Expected: livelock. */
#include <asif.h>
#include <stdatomic.h>

static atomic_bool flag[2];
static int count;

static int fetch_add(int n) {
  int me = asif_thread() % 2;
  atomic_store(&flag[me], true);
  while (atomic_load(&flag[!me]))
    ;
  int before = count;
  count += n;
  atomic_store(&flag[me], false);
  return before;
}

ASIF_OBJECT(counter)
ASIF_OP(fetch_add, ASIF_IN(1, 2))
