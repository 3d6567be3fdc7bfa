/* A counter under a lock that lets threads sleep. It is given back, and the sleepers are woken, without the mutex of the
 * condition variable; and who finds it taken goes to sleep without looking again: woken before it sleeps, it sleeps for ever.
 *
 * Expected: deadlock. */
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool taken;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static int count;

static void take(void) {
  while (atomic_exchange(&taken, true)) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&given_back, &mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void give_back(void) {
  atomic_store(&taken, false);
  pthread_cond_signal(&given_back);
}

static int fetch_add(int n) {
  take();
  int before = count;
  count += n;
  give_back();
  return before;
}

ASIF_OBJECT(counter)
ASIF_OP(fetch_add, ASIF_IN(1, 2))
