#!/bin/bash
# Leaks count where the code frees memory: not for realloc, nor for a delete that nobody runs.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include

# A stack that frees nothing. With -DDESTRUCTOR there are destructors, which have a delete; with -DDELETES popped nodes are deleted, but not
# all; with -DWRONG a pop takes what another took.
cat >stack.cpp <<'E'
#include <asif.h>
#include <atomic>
struct base {
#ifdef DESTRUCTOR
  virtual ~base() {}
#endif
  int value = 0;
};
struct node : base {
  node *next = nullptr;
  explicit node(int v) { value = v; }
};
static std::atomic<node *> top;
static void push(int v) {
  node *n = new node(v);
  n->next = top;
  while (!top.compare_exchange_strong(n->next, n)) {
  }
}
static int pop() {
  node *t = top;
  while (t && !top.compare_exchange_strong(t, t->next)) {
#ifdef WRONG
    return t ? t->value : ASIF_EMPTY;
#endif
  }
  if (!t) return ASIF_EMPTY;
  int v = t->value;
#ifdef DELETES
  if (v == 2) delete t;
#endif
  return v;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
E
run 0 "$asif" test stack.cpp -n 2 -o 2
run 0 "$asif" test stack.cpp -n 2 -o 2 -- -DDESTRUCTOR
run 1 "$asif" test stack.cpp -n 2 -o 2 --leaks yes -- -DDESTRUCTOR
says 'verdict: violated: leak'
# Whether leaks count is known only after the first that leaks, whatever the number of processes.
for jobs in 1 2 4; do
  run 1 "$asif" test stack.cpp -n 2 -o 2 -j $jobs -- -DDELETES
  says 'verdict: violated: leak'
  says '  push(1) pop()'
  run 1 "$asif" test stack.cpp -n 2 -o 2 -j $jobs -- -DDESTRUCTOR -DWRONG # what leaks is judged all the same
  says 'verdict: not linearizable'
  token=$(sed -n 's/^replay: --replay //p' out)
  run 1 "$asif" test stack.cpp --replay "$token" -- -DDESTRUCTOR -DWRONG
  says 'verdict: not linearizable'
done
run 1 "$asif" test stack.cpp -n 2 -o 2 --keep-going -- -DDELETES -DWRONG
says 'Also found'

# realloc gives back what it takes.
cat >grows.c <<'E'
#include <asif.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *at, count;
static int inc(void) {
  pthread_mutex_lock(&lock);
  at = realloc(at, (size_t)(count + 1) * sizeof *at);
  at[count] = count;
  int v = count++;
  if (count == 2) at = NULL;
#ifdef FREES
  void *volatile other = malloc(1);
  free(other);
#endif
  pthread_mutex_unlock(&lock);
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
E
run 0 "$asif" test grows.c -n 2 -o 1
run 1 "$asif" test grows.c -n 2 -o 1 -- -DFREES
says 'verdict: violated: leak'

# An address may be stored in another form, and is no leak then: shifted, inverted, as the exclusive or of two, as a distance. With -DLOSES the
# node of 2 is really lost.
cat >forms.c <<'E2'
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
static _Atomic uintptr_t top;
static char base;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  uintptr_t t = atomic_load(&top);
#ifdef LOSES
  if (v == 2) n = malloc(sizeof *n), n->value = v;
#endif
  do n->next = t ? OUT(t) : 0; while (!atomic_compare_exchange_strong(&top, &t, IN(n)));
}
static int pop(void) {
  for (;;) {
    uintptr_t t = atomic_load(&top);
    if (!t) return ASIF_EMPTY;
    struct node *n = OUT(t);
    if (!atomic_compare_exchange_strong(&top, &t, n->next ? IN(n->next) : 0)) continue;
    int v = n->value;
    if (!n->next) free(n);
    else n->next = 0, free(n);
    return v;
  }
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
E2
form() { # INSIDE OUTSIDE: how an address p is stored, and what is stored, u, read
  run 0 "$asif" test forms.c --client 'push(1) push(2)' -- "-DIN(p)=$1" "-DOUT(u)=((struct node *)$2)"
  run 1 "$asif" test forms.c --client 'push(1) push(2)' -- -DLOSES "-DIN(p)=$1" "-DOUT(u)=((struct node *)$2)"
  says 'nobody can reach a block of 16 bytes'
}
form '((uintptr_t)(p) >> 3)' '((u) << 3)'
form '((uintptr_t)(p) << 5 | 7)' '((u) >> 5)'
form '(~(uintptr_t)(p))' '~(u)'
form '((uintptr_t)(p) ^ 0x123456789abcd0)' '((u) ^ 0x123456789abcd0)'
form '((uintptr_t)((char *)(p) - &base))' '(&base + (u))'
exit 0
