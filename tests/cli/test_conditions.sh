#!/bin/bash
# asif test: a waiter of a condition variable may wake without a signal, once in a run; and what is told of waiting.
. tests/cli/common

cat >o.c <<'C'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int item[16], head, tail;
static void enq(int v) {
  pthread_mutex_lock(&m);
  item[tail++] = v;
  SIGNAL;
  pthread_mutex_unlock(&m);
}
static int deq(void) {
  pthread_mutex_lock(&m);
  ASK (head == tail) pthread_cond_wait(&more, &m);
  int v = item[head++];
  pthread_mutex_unlock(&m);
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq)
ASIF_OP(deq)
C
right=(-DASK=while '-DSIGNAL=pthread_cond_signal(&more)')
wrong=(-DASK=if '-DSIGNAL=pthread_cond_signal(&more)')
one=(--client 'enq(1) | deq()')
for search in --dpor --all; do
  run 0 "$asif" test o.c "${one[@]}" $search -- "${right[@]}"; says 'verdict: linearizable (every schedule'
  run 1 "$asif" test o.c "${one[@]}" $search -- "${wrong[@]}"; says 'woken without a signal at more'
done
run 1 "$asif" test o.c "${one[@]}" --bound 2 -- "${wrong[@]}"; says 'woken without a signal at more'
token=$(sed -n 's/^replay: //p' out)
run 1 "$asif" test o.c $token -- "${wrong[@]}"; says 'woken without a signal at more'
run 0 "$asif" test o.c -n 2 -o 2 -- "${right[@]}"; says 'verdict: linearizable (every schedule'
# A signal that is forgotten is not made up for.
run 1 "$asif" test o.c "${one[@]}" -- -DASK=while -DSIGNAL=; says 'Deadlock: '; says 'wait for more'
# ... by threads that wait for a time either.
cat >timed.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
static int open;
static void *waits(void *unused) {
  pthread_mutex_lock(&m);
  while (!open) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return unused;
}
static void *timed(void *unused) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  pthread_mutex_lock(&m);
  int error = pthread_cond_timedwait(&d, &m, &t);
#ifdef OPEN
  open = 1;
  pthread_cond_signal(&c);
#endif
  pthread_mutex_unlock(&m);
  assert(error || unused);
  return unused;
}
ASIF_TEST(two) {
  pthread_t a, b;
  pthread_create(&a, NULL, waits, NULL);
  pthread_create(&b, NULL, timed, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
C
run 0 "$asif" test timed.c -- -DOPEN; says 'verdict: holds (every schedule'
run 1 "$asif" test timed.c; says 'Deadlock: '; says 'time out at d'

# A reader's lock is told apart from a writer's.
cat >readers.c <<'C'
#include <asif.h>
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static int add(void) {
  pthread_rwlock_rdlock(&l);
  int was = x++;
  pthread_rwlock_unlock(&l);
  return was;
}
ASIF_OBJECT(self)
ASIF_OP(add)
C
run 1 "$asif" test readers.c --spec self -n 2 -o 1; says 'data race'; says 'lock l for reading'
exit 0
