#!/bin/bash
# ASIF_FINAL: what runs when all threads have ended. What a weak queue has lost is seen then.
. tests/cli/common
replays=no

# A queue behind a lock that is tried: deq may return empty at any time. LOSES: enq puts its value where another's may be.
cat >queue.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
static atomic_int slot[8], tail, head;
int *mark;
static void set_up(void) { mark = malloc(sizeof *mark); }
static void enq(int v) {
#ifdef LOSES
  int t = atomic_load(&tail);
  atomic_store(&slot[t], v);
  atomic_store(&tail, t + 1);
#else
  atomic_store(&slot[atomic_fetch_add(&tail, 1)], v);
#endif
}
static int deq(void) {
  int h = atomic_load(&head);
  if (h == atomic_load(&tail)) return ASIF_EMPTY;
  int v = atomic_load(&slot[h]);
  if (!v) return ASIF_EMPTY;
  return atomic_compare_exchange_strong(&head, &h, h + 1) ? v : ASIF_EMPTY;
}
static void clean_up(void) {
  int *m = mark;
  mark = NULL;
#ifdef ASSERTS
  assert(atomic_load(&tail) < 2);
#endif
#ifndef KEEPS
  free(m);
#endif
#ifdef TWICE
  free(m);
#endif
#ifdef SPINS
  while (atomic_load(&tail)) ;
#endif
}
#ifndef SPEC
#define SPEC weak_queue
#endif
ASIF_OBJECT(SPEC)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(set_up)
#ifdef FINAL
ASIF_FINAL(deq)
#endif
ASIF_FINAL(clean_up)
C
# Without draining the loss is not seen: a weak queue may always say empty.
run 0 "$asif" test queue.c --threads 2 --ops 2 -- -DLOSES; says 'verdict: linearizable'
run 1 "$asif" test queue.c --threads 2 --ops 2 -- -DLOSES -DFINAL
says 'enq(1) | enq('
says 'end'
says 'deq() -> empty'
token=${out#*--replay } token=${token%%[[:space:]]*}
run 1 "$asif" test queue.c --replay "$token" -- -DLOSES -DFINAL; says 'deq() -> empty'
run 0 "$asif" test queue.c --threads 2 --ops 2 -- -DFINAL; says 'verdict: linearizable'
run 0 "$asif" test queue.c --threads 2 --ops 1 --all -- -DFINAL; says 'verdict: linearizable'
run 1 "$asif" test queue.c --client 'enq(1) | enq(1)' --monitor approx:2 -- -DLOSES -DFINAL; says 'deq() -> empty'
run 1 "$asif" test queue.c --client 'enq(1) | enq(1)' --spec self -- -DLOSES -DFINAL; says 'end'
# A history that was written with it is one for check.
cat >history.txt <<'H'
q Enq(1) A
q Enq(2) B
q Ok() A
q Ok() B
q Drain() end
q Ok(2) end
q Drain() end
q Empty() end
H
run 1 "$asif" check history.txt --spec weak-queue
sed -i 's/^q Drain() end$/q Deq() end/' history.txt
run 0 "$asif" check history.txt --spec weak-queue

# The function that runs last: assertions, memory that it frees, and what nobody freed.
run 1 "$asif" test queue.c --client 'enq(1) | enq(2)' -- -DASSERTS; says 'the final function'
run 0 "$asif" test queue.c --client 'enq(1) | deq()' -- -DASSERTS
run 0 "$asif" test queue.c --client 'enq(1) | deq()' --leaks yes
run 1 "$asif" test queue.c --client 'enq(1) | deq()' --leaks yes -- -DKEEPS; says 'leak'
run 1 "$asif" test queue.c --client 'enq(1) | deq()' -- -DTWICE; says 'double free'
run 1 "$asif" test queue.c --client 'enq(1) | deq()' -- -DSPINS; says 'the final function'

# An operation that waits: at the end it waits where nothing is inside, as it does with nothing concurrent. LOSES: because
# of what was lost.
cat >waits.c <<'C'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int item[8], tail, head;
static void enq(int v) {
  pthread_mutex_lock(&lock);
  item[tail++] = v;
  pthread_cond_signal(&more);
  pthread_mutex_unlock(&lock);
}
static int deq(void) {
  pthread_mutex_lock(&lock);
  while (head == tail) pthread_cond_wait(&more, &lock);
  int v = item[head++];
  pthread_mutex_unlock(&lock);
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq)
ASIF_OP(deq)
ASIF_FINAL(deq)
C
run 0 "$asif" test waits.c --client 'enq(1) | enq(2)'; says 'verdict: linearizable'

# Who allocated what the final function forgets: not the final function.
cat >forgets.c <<'C'
#include <asif.h>
#include <stdlib.h>
struct box {
  int *part;
};
static struct box *box;
static void setup(void) {
  box = malloc(sizeof *box);
  box->part = malloc(sizeof *box->part);
}
static int get(void) { return 0; }
static void tear_down(void) { free(box); }
ASIF_OBJECT(counter)
ASIF_OP_AS(read, get)
ASIF_INIT(setup)
ASIF_FINAL(tear_down)
C
run 1 "$asif" test forgets.c --client 'get()'; says 'a block of 4 bytes that the initialisation allocated'

# What cannot be one, and who does not know it.
bad() { printf '%s\n' '#include <asif.h>' 'static int n; static void enq(int v) { n = v; } static int deq(void) { return n; }' 'static int count(void) { return n; }' \
  "ASIF_OBJECT(queue)" "ASIF_OP(enq)" "ASIF_OP(deq)" "$1" >bad.c; }
bad 'ASIF_FINAL(count)'; run 2 "$asif" test bad.c; warns 'bad.c:7: ASIF_FINAL(count): count is not void count(void)'
bad 'ASIF_FINAL(enq)'; run 2 "$asif" test bad.c; warns 'takes no arguments'
bad 'ASIF_FINAL(deq) ASIF_FINAL(deq)'; run 2 "$asif" test bad.c; warns 'a second operation in ASIF_FINAL'
bad 'ASIF_FINAL(deq)'
run 2 "$asif" prove bad.c; warns 'bad.c:7:1: ASIF_FINAL'
bad 'ASIF_FINAL(nobody)'; run 2 "$asif" verify bad.c; warns 'there is no function nobody'
# asif verify says that it leaves it out.
printf '#include <asif.h>\n#include <stdatomic.h>\nstatic atomic_int x;\nstatic int read(void) { return x; }\nstatic void end(void) { __builtin_abort(); }\n' >left.c
printf 'ASIF_OBJECT(register(0))\nASIF_OP(read)\nASIF_FINAL(end)\n' >>left.c
run 0 "$asif" verify left.c; says 'linearizable (2 threads, 1 operation each, without ASIF_FINAL;'; says 'note: what ASIF_FINAL names is not run'
run 1 "$asif" test left.c
run 0 "$asif" test queue.c --stress --repeat 1 --threads 2 --ops 2 -- -DFINAL; warns 'ASIF_FINAL'
exit 0
