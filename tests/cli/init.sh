#!/bin/bash
# asif init: a harness for a header. What it writes compiles, and where the header says enough, runs.
. tests/cli/common
replays=no
lib=$root/objects/lib

# Every container of the library.
count=0
for header in "$lib"/*.h; do
  name=$(basename "$header" .h)
  case $name in
  all | hazard | snzi) run 2 "$asif" init "$header"; warns 'none was recognised'; continue ;;
  esac
  run 0 "$asif" init "$header"
  [ -s "asif_$name.c" ] || fail "$name: nothing was written"
  count=$((count + 1))
done
[ "$count" -ge 20 ] || fail "only $count headers"
spec() { grep -qx "ASIF_OBJECT($2)" "asif_$1.c" || fail "$1: $(grep ASIF_OBJECT "asif_$1.c"), not $2"; }
spec ms_queue queue
spec treiber_stack stack
spec mpmc_ring 'bounded_queue(SIZE)'
spec spsc_ring 'bounded_queue(SIZE)'
spec lazy_set set
spec multiset multiset
spec chase_lev_deque work_stealing_deque
spec priority_queue priority_queue
spec lamport_register 'register(0)'
spec two_lock_queue queue
grep -q 'ASIF_SPSC(test_enq, test_deq)' asif_spsc_ring.c || fail 'the ring has no roles'
# What was guessed and may be wrong is said where it stands.
grep -q '^#define SIZE 2 /\* many rings hold one less' asif_mpmc_ring.c || fail 'the size is not said to be a guess'
printf '%s\n' 'struct late;' 'struct late { int n; };' 'void late_enqueue(struct late *, int);' 'int late_dequeue(struct late *);' >late.h
run 0 "$asif" init late.h; grep -q 'No function was recognised that sets it up' asif_late.c || fail "nothing sets it up, which is not said: $(cat asif_late.c)"
run 0 "$asif" test asif_spsc_ring.c "$lib/spsc_ring.c" --threads 2 --ops 2; says 'verdict: linearizable'
run 0 "$asif" test asif_two_lock_queue.c "$lib/two_lock_queue.c" --threads 2 --ops 2; says 'verdict: linearizable'

# Pointers, out-parameters, an int that tells success, an object that is not created but initialised.
cat >ptrs.h <<'C'
#include <stddef.h>
typedef struct ptrs { void *item[4]; size_t head, count, size; } ptrs_t;
int ptrs_init(ptrs_t *p, size_t size);
void ptrs_fini(ptrs_t *p);
static inline size_t ptrs_count(const ptrs_t *p) { return p->count; }
int ptrs_push_ring(ptrs_t *p, void *item) __attribute__((nonnull(1)));
extern int ptrs_pop_ring(ptrs_t *restrict p, void **item);
int (*ptrs_hook(ptrs_t *p))(int);
C
cat >ptrs.c <<'C'
#include "ptrs.h"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ptrs_init(ptrs_t *p, size_t size) { p->size = size; p->head = p->count = 0; return 0; }
void ptrs_fini(ptrs_t *p) { p->count = 0; }
int ptrs_push_ring(ptrs_t *p, void *item) {
  pthread_mutex_lock(&lock);
  int full = p->count == p->size;
  if (!full) p->item[(p->head + p->count++) % p->size] = item;
  pthread_mutex_unlock(&lock);
  return full ? -1 : 0;
}
int ptrs_pop_ring(ptrs_t *p, void **item) {
#ifndef WRONG
  pthread_mutex_lock(&lock);
#endif
  int empty = !p->count;
  if (!empty) *item = p->item[p->head], p->head = (p->head + 1) % p->size, p->count--;
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  return empty ? -1 : 0;
}
C
run 0 "$asif" init ptrs.h; says 'asif_ptrs.c: bounded_queue(2); look at it, then: asif test asif_ptrs.c'
run 0 "$asif" test asif_ptrs.c ptrs.c --threads 2 --ops 2; says 'verdict: linearizable'
run 1 "$asif" test asif_ptrs.c ptrs.c -- -DWRONG
run 2 "$asif" init ptrs.h; warns 'asif_ptrs.c is there already and is not written over; -o FILE names another'
run 0 "$asif" init ptrs.h -o -; says 'ASIF_FINAL(clean_up)'; says 'asif_pointer(v)'
run 0 "$asif" init ptrs.h -o other.c --spec 'weak_bounded_queue(2)'
grep -q 'ASIF_OBJECT(weak_bounded_queue(2))' other.c || fail 'the specification is not the one asked for'

# A transparent union for the handle, a second struct of the object's, nodes of the caller's, and code that a macro brings.
cat >linked.h <<'C'
#include <stddef.h>
struct linked_node { struct linked_node *next; };
struct __linked_head { struct linked_node *first; };
struct linked_head { struct linked_node *first; };
struct linked_tail { struct linked_node **at; };
typedef union { struct __linked_head *_h; struct linked_head *h; } __attribute__((__transparent_union__)) linked_ptr_t;
#ifdef LINKED_INLINE
#include "linked_code.h"
#define linked_node_init _linked_node_init
#define linked_init _linked_init
#define linked_enqueue _linked_enqueue
#define linked_dequeue _linked_dequeue
#else
extern void linked_node_init(struct linked_node *);
extern void linked_init(struct linked_head *, struct linked_tail *);
extern void linked_enqueue(linked_ptr_t, struct linked_tail *, struct linked_node *);
extern void linked_enqueue_lock(struct linked_head *, struct linked_tail *);
extern struct linked_node *linked_dequeue(struct linked_head *, struct linked_tail *);
extern struct linked_node *linked_dequeue_state(struct linked_head *, struct linked_tail *, int *);
#endif
C
cat >linked_code.h <<'C'
#include <pthread.h>
static pthread_mutex_t linked_mutex = PTHREAD_MUTEX_INITIALIZER;
static inline void _linked_node_init(struct linked_node *n) { n->next = NULL; }
static inline void _linked_init(struct linked_head *h, struct linked_tail *t) { h->first = NULL; t->at = &h->first; }
static inline void _linked_enqueue(linked_ptr_t p, struct linked_tail *t, struct linked_node *n) {
  (void)p;
  pthread_mutex_lock(&linked_mutex);
  *t->at = n;
  t->at = &n->next;
  pthread_mutex_unlock(&linked_mutex);
}
static inline struct linked_node *_linked_dequeue(struct linked_head *h, struct linked_tail *t) {
  pthread_mutex_lock(&linked_mutex);
  struct linked_node *n = h->first;
  if (n && !(h->first = n->next)) t->at = &h->first;
  pthread_mutex_unlock(&linked_mutex);
  return n;
}
C
run 0 "$asif" init linked.h; says 'asif_linked.c: queue'
grep -q '^#define LINKED_INLINE' asif_linked.c || fail 'the code of the library is not asked for'
grep -q 'linked_node_init(&n->node);' asif_linked.c || fail 'the node is not initialised'
run 0 "$asif" test asif_linked.c --threads 2 --ops 2; says 'verdict: linearizable'

# Of two insertions the one that names no end; at the front a queue is not put in.
cat >ends.h <<'C'
struct ends_node { struct ends_node *next; };
struct ends { struct ends_node *first, **last; };
static inline void ends_init(struct ends *q) { q->first = 0; q->last = &q->first; }
static inline void ends_insert(struct ends *q, struct ends_node *n) { n->next = 0; *q->last = n; q->last = &n->next; }
static inline void ends_push_front(struct ends *q, struct ends_node *n) { n->next = q->first; q->first = n; if (!n->next) q->last = &n->next; }
static inline struct ends_node *ends_pop(struct ends *q) { struct ends_node *n = q->first; if (n && !(q->first = n->next)) q->last = &q->first; return n; }
C
run 0 "$asif" init ends.h --spec queue
grep -q 'ends_insert(object, &n->node);' asif_ends.c || fail "at the front: $(cat asif_ends.c)"
run 0 "$asif" test asif_ends.c --threads 1 --ops 4; says 'verdict: linearizable'

# Packages, where they are installed.
if [ -e /usr/include/ck_fifo.h ] && [ -e /usr/include/ck_stack.h ]; then
  run 0 "$asif" init /usr/include/ck_fifo.h
  run 0 "$asif" init /usr/include/ck_stack.h
  run 0 "$asif" init /usr/include/ck_ring.h
  run 0 "$asif" test asif_ck_fifo.c --threads 2 --ops 2; says 'verdict: linearizable'
fi
if printf '#include <urcu/wfcqueue.h>\n' | ${CC:-cc} -E - >/dev/null 2>&1; then
  run 0 "$asif" init urcu/wfcqueue.h; says 'asif_wfcqueue.c: queue'
  run 0 "$asif" init urcu/lfstack.h; says 'asif_lfstack.c: stack'
  run 0 "$asif" init urcu/wfstack.h; says 'asif_wfstack.c: stack'
  run 0 "$asif" test asif_wfcqueue.c --threads 2 --ops 2 --volatile acquire-release; says 'verdict: linearizable'
fi

# What is not for it.
run 2 "$asif" init nothing.h; warns 'nothing.h: No such file'
printf '#include "nothing.h"\n' >broken.h
run 2 "$asif" init broken.h; warns 'broken.h cannot be preprocessed'
printf 'class queue {};\n' >queue.hpp
run 2 "$asif" init queue.hpp; warns 'of 1 class none was recognised'
printf 'int add(int, int);\n' >plain.h
run 2 "$asif" init plain.h; warns 'of 1 function none was recognised'
mkdir inc
sed 's/ptrs/qtrs/g' ptrs.h >inc/qtrs_types.h; printf '#include <qtrs_types.h>\nint qtrs_enqueue(qtrs_t *, long); long qtrs_dequeue(qtrs_t *);\n' >q.h
run 2 "$asif" init q.h; warns 'cannot be preprocessed'
run 0 "$asif" init q.h -- -Iinc; says 'asif_q.c: queue'
run 2 "$asif" init
exit 0
