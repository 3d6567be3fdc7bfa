#!/bin/bash
# Destroying a mutex: its argument is evaluated, it must be initialised and free, and it is of no use from then on. What is left out
# of other calls has no side effects. verify and prove say so; what they say of right objects, test says too.
. tests/cli/common
stack() { # TAKEN [MORE]: a stack under one lock; what pop does with the node it took
  cat >o.c <<C
#include <asif.h>
#include <pthread.h>
#include <stdlib.h>
struct node { pthread_mutex_t m; int val; struct node *next; };
static struct node *top;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  ${2:-pthread_mutex_init(&n->m, NULL)};
  pthread_mutex_lock(&l);
  n->next = top;
  top = n;
  pthread_mutex_unlock(&l);
}
static int pop(void) {
  pthread_mutex_lock(&l);
  struct node *t = top;
  if (!t) {
    pthread_mutex_unlock(&l);
    return ASIF_EMPTY;
  }
  top = t->next;
  int v = t->val;
  pthread_mutex_unlock(&l);
  $1
  return v;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
C
}
wrong() { # SAID TAKEN [MORE]
  stack "${@:2}"
  run 1 "$asif" verify o.c --ops 2; says "$1"
  "$asif" prove o.c --no-confirm >out 2>err
  [ $? = 3 ] || fail "proved: $(cat out)"
}
stack 'pthread_mutex_destroy(&t->m); free(t);'
run 0 "$asif" verify o.c --ops 2
run 0 "$asif" test o.c --threads 2 --ops 2
wrong 'freed' 'free(t); pthread_mutex_destroy(&t->m);'
wrong 'null' 'free(t); t = NULL; pthread_mutex_destroy(&t->m);'
wrong 'not initialised' 'pthread_mutex_destroy(&t->m); free(t);' '(void)n'
wrong 'a mutex is destroyed that is locked' 'pthread_mutex_lock(&t->m); pthread_mutex_destroy(&t->m); free(t);'
wrong 'the mutex was not initialised, or was destroyed' 'pthread_mutex_destroy(&t->m); pthread_mutex_lock(&t->m); free(t);'
wrong 'a mutex is destroyed that is locked' 'pthread_mutex_destroy(&l); free(t);'
stack 'pthread_mutex_destroy((v = 1, &t->m)); free(t);'
run 1 "$asif" verify o.c --ops 2; says 'not linearizable'

# What initialises a lock or gives memory evaluates all its arguments.
cat >o.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
static atomic_int n;
static int fetch_add(void) {
  mtx_t m;
  int v;
  mtx_init(&m, (v = atomic_fetch_add(&n, 1), mtx_plain));
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
run 0 "$asif" verify o.c --ops 2
run 0 "$asif" test o.c --threads 2 --ops 2
sed -i 's/mtx_init.*/free(aligned_alloc((v = atomic_fetch_add(\&n, 1), 16), 16));/' o.c
run 0 "$asif" verify o.c --ops 2
run 0 "$asif" test o.c --threads 2 --ops 2

# thrd_busy is what the C library says: a lock that waits for another number does not lock.
cat >o.c <<'C'
#include <asif.h>
#include <threads.h>
static int n;
static mtx_t m;
static void set_up(void) { mtx_init(&m, mtx_plain); }
static int fetch_add(void) {
  while (mtx_trylock(&m) == BUSY)
    ;
  int v = n++;
  mtx_unlock(&m);
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_INIT(set_up)
C
for busy in thrd_busy 1; do
  run 0 "$asif" verify o.c -- -DBUSY=$busy
  run 0 "$asif" test o.c --threads 2 --ops 1 -- -DBUSY=$busy
done
run 1 "$asif" verify o.c -- -DBUSY=16
run 1 "$asif" test o.c --threads 2 --ops 1 -- -DBUSY=16
exit 0
