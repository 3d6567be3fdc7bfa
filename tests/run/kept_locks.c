/* The same with mutexes: threads that wait for one, that try and find it taken, that look at something with one locked
 * until it changes, two that may wait for each other for ever; mutexes that are globals, and in the heap. */
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

struct box {
  pthread_mutex_t lock;
  long value;
};
static struct box *box;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static mtx_t done_lock;
static pthread_spinlock_t spin;
static int done;
static atomic_long count;

static long locked_add(long by) {
  pthread_mutex_lock(&box->lock);
  long v = box->value += by;
  pthread_mutex_unlock(&box->lock);
  return v;
}
long kept_0(void) {
  pthread_mutex_lock(&first);
  long v = locked_add(1);
  pthread_mutex_lock(&second);
  v = v * 10 + locked_add(2);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  mtx_lock(&done_lock);
  done = 1;
  mtx_unlock(&done_lock);
  return v;
}
long kept_1(void) {
  long tries = 0;
  while (pthread_mutex_trylock(&second)) tries = 1;
  if (!pthread_mutex_trylock(&first)) {
    tries += 10 * locked_add(4);
    pthread_mutex_unlock(&first);
  } else if (pthread_spin_trylock(&spin)) {
    tries = 7;
  } else { /* may wait for ever */
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_spin_unlock(&spin);
  }
  pthread_mutex_unlock(&second);
  return tries;
}
long kept_2(void) {
  for (;;) { /* polls */
    mtx_lock(&done_lock);
    int is = done;
    mtx_unlock(&done_lock);
    if (is) break;
  }
  pthread_spin_lock(&spin);
  long v = atomic_fetch_add(&count, 1);
  pthread_spin_unlock(&spin);
  return v + locked_add(0);
}
void kept_init(void) {
  box = malloc(sizeof *box);
  box->value = 0;
  pthread_mutex_init(&box->lock, NULL);
  mtx_init(&done_lock, mtx_plain);
  pthread_spin_init(&spin, 0);
}
