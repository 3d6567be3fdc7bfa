#!/bin/bash
# Variables on stacks that threads share: races there are found, and where there are none the verdict is as complete as any.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include

# A lock whose queue is made of nodes on the stacks of those who wait.
cat >queue_lock.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; atomic_int wait; int value; };
static _Atomic(struct node *) tail;
static int n;
static int fetch_add(void) {
  struct node me;
  atomic_init(&me.next, NULL);
  atomic_init(&me.wait, 1);
  me.value = 0;
  struct node *before = atomic_exchange(&tail, &me);
  if (before) {
    before->value = 1;
    atomic_store(&before->next, &me);
    while (atomic_load(&me.wait)) asif_yield();
  }
  int v = n++;
  struct node *self = &me;
  if (!atomic_compare_exchange_strong(&tail, &self, NULL)) {
    while (!atomic_load_explicit(&me.next, ORDER)) asif_yield();
    if (me.value == 2) v = 99;
    atomic_store(&atomic_load(&me.next)->wait, 0);
  }
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
sed 's/ORDER/memory_order_relaxed/' queue_lock.c >relaxed.c
run 0 "$asif" test queue_lock.c -n 2 -o 2 -- -DORDER=memory_order_acquire; says 'verdict: linearizable'; silent
case $out in *stacks*) fail "a note on stacks: $out" ;; esac
me='the stack of thread A' sum=$me
has_libdw && me='me.value of thread A' sum='sum of thread A'
for jobs in 1 2; do
  run 1 "$asif" test relaxed.c -n 2 -o 2 --jobs $jobs
  says "Data race: 4 bytes at $me: thread B writes, thread A reads"; says '(up to 2 threads, 2 operations each'; says '  fetch_add() | fetch_add()'; silent
done
token=${out#*replay: --replay }; token=${token%%[[:space:]]*}
case $token in 1:rs:*) ;; *) fail "the token does not say it: $token" ;; esac
run 1 "$asif" test relaxed.c --replay "$token"; says "Data race: 4 bytes at $me"

# Threads that work on their creator's variables.
cat >children.c <<'END'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *sum) {
  if (LOCKED) pthread_mutex_lock(&m);
  ++*(int *)sum;
  if (LOCKED) pthread_mutex_unlock(&m);
  return NULL;
}
static int parallel(void) {
  int sum = 0;
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, add, &sum);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return sum == 2 ? 0 : 1;
}
ASIF_OBJECT(self)
ASIF_OP(parallel)
END
run 0 "$asif" test children.c --client 'parallel()' -- -DLOCKED=1; says 'verdict: linearizable'; silent
sed s/LOCKED/0/ children.c >unlocked.c; run 1 "$asif" test unlocked.c --client 'parallel()'; says 'data race'; says "$sum"

# A pointer to a variable of an operation that has returned.
cat >gone.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stddef.h>
static _Atomic(int *) p;
static int put(void) {
  int local = 0;
  atomic_store(&p, &local);
  return 0;
}
static int get(void) {
  int *q = atomic_load(&p);
  if (q) *q = 1;
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(put)
ASIF_OP(get)
END
run 1 "$asif" test gone.c --client 'put() | get()'; says 'writes 4 bytes on the stack of thread A, which has '; says 'verdict: violated: use after free'
