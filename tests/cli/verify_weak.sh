#!/bin/bash
# verify --memory: reductions of real bugs of memory order, and their fixes, with the verdict under each model; what is told of
# an execution; what goes with the option and what does not.
. tests/cli/common

prelude='#include <assert.h>
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define AR memory_order_acq_rel
#define SC memory_order_seq_cst
#define ld(p, o) atomic_load_explicit(p, o)
#define st(p, v, o) atomic_store_explicit(p, v, o)
#define cas(p, e, v, o) atomic_compare_exchange_strong_explicit(p, e, v, o, RLX)
#define fence(o) atomic_thread_fence(o)'
roles='ASIF_OP(a)
ASIF_OP(b)
ASIF_ROLE(first, 1, a)
ASIF_ROLE(second, 1, b)'

# NAME SC TSO C11, the program on standard input. Verdicts: L linearizable, N not linearizable, R data race, A assertion.
weak() {
  local name=$1 verdicts=("${@:2:3}") models=(sc tso c11) i reduce said
  { echo "$prelude"; cat; echo "$roles"; } >"$name.c"
  for i in 0 1 2; do
    case ${verdicts[i]} in
    L) said='linearizable' ;;
    N) said='not linearizable' ;;
    R) said='violated: data race' ;;
    A) said='violated: assertion' ;;
    esac
    for reduce in best none; do
      run $([ "${verdicts[i]}" = L ]; echo $?) "$asif" verify "$name.c" --spec self --memory ${models[i]} --quiet --leaks no --reduce $reduce
      says "verdict: $said ("
    done
  done
}
# A program with @ in it: with the first text in its place it has the first verdicts, with the second the others.
both() { # NAME VERDICTS TEXT VERDICTS TEXT
  local program
  program=$(cat)
  weak "$1_1" $2 <<<"${program//@/$3}"
  weak "$1_2" $4 <<<"${program//@/$5}"
}

both arc 'L L L' 'REL' 'L L R' 'RLX' <<'C'
struct n { int v; };
static atomic_int rc = 2;
static struct n *p;
static void drop(void) {
  assert(p->v == 1);
  if (atomic_fetch_sub_explicit(&rc, 1, @) == 1) fence(ACQ), p->v = 0, free(p);
}
static void a(void) { drop(); }
static void b(void) { drop(); }
static void start(void) { p = malloc(sizeof *p); p->v = 1; }
ASIF_INIT(start)
C
both chase_lev 'L L L' 'fence(SC);' 'L A A' '' <<'C'
static atomic_int top, bottom, got[2];
static void take(int i) { assert(atomic_fetch_add_explicit(&got[i], 1, RLX) == 0); }
static void a(void) {
  st(&bottom, 2, REL);
  int i = ld(&bottom, RLX) - 1;
  st(&bottom, i, RLX);
  @
  int t = ld(&top, RLX);
  if (t < i) { take(i); return; }
  if (t == i && cas(&top, &t, t + 1, AR)) take(i);
  st(&bottom, i + 1, RLX);
}
static void b(void) {
  for (int i = 0; i < 2; i++) {
    int t = ld(&top, ACQ);
    @
    if (t < ld(&bottom, ACQ) && cas(&top, &t, t + 1, AR)) take(t);
  }
}
C
both once 'L L L' 'ACQ' 'L L R' 'RLX' <<'C'
static int object;
static atomic_int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void get(void) {
  if (!ld(&ready, @)) {
    pthread_mutex_lock(&m);
    if (!ld(&ready, RLX)) object = 7, st(&ready, 1, REL);
    pthread_mutex_unlock(&m);
  }
  assert(object == 7);
}
static void a(void) { get(); }
static void b(void) { get(); }
C
both dekker 'L L L' 'SC' 'L R R' 'AR' <<'C'
static atomic_int f, g;
static int x;
static void a(void) { st(&f, 1, @ == AR ? REL : @); if (!ld(&g, @ == AR ? ACQ : @)) x++; }
static void b(void) { st(&g, 1, @ == AR ? REL : @); if (!ld(&f, @ == AR ? ACQ : @)) x++; }
C
both epoch 'L L L' 'fence(SC);' 'L R R' '' <<'C'
struct n { int v; };
static _Atomic(struct n *) ptr;
static atomic_int pinned;
static void a(void) {
  st(&pinned, 1, RLX);
  @
  struct n *p = ld(&ptr, ACQ);
  if (p) assert(p->v == 7);
  st(&pinned, 0, REL);
}
static void b(void) {
  struct n *p = atomic_exchange_explicit(&ptr, 0, AR);
  @
  if (!ld(&pinned, ACQ)) p->v = 0, free(p);
}
static void start(void) { struct n *q = malloc(sizeof *q); q->v = 7; atomic_init(&ptr, q); }
ASIF_INIT(start)
C
hazard() { # NAME VERDICTS, the reader's fence, the other's
  weak "$1" $2 <<C
struct n { int v; };
static _Atomic(struct n *) ptr, hz;
static void a(void) {
  struct n *p = ld(&ptr, ACQ);
  if (!p) return;
  st(&hz, p, REL);
  $3
  if (ld(&ptr, ACQ) != p) return;
  assert(p->v == 7);
  st(&hz, 0, REL);
}
static void b(void) {
  struct n *p = atomic_exchange_explicit(&ptr, 0, AR);
  $4
  if (ld(&hz, ACQ) != p) p->v = 0, free(p);
}
static void start(void) { struct n *q = malloc(sizeof *q); q->v = 7; atomic_init(&ptr, q); }
ASIF_INIT(start)
C
}
hazard hazard_1 'L L L' 'fence(SC);' 'fence(SC);'
hazard hazard_2 'L L R' 'fence(SC);' ''
hazard hazard_3 'L R R' '' ''
both wakeup 'L L L' 'fence(SC);' 'L A A' '' <<'C'
static atomic_int condition, waiting, lost;
static void lose(void) { assert(atomic_fetch_add_explicit(&lost, 1, RLX) == 0); }
static void a(void) { st(&waiting, 1, REL); @ if (!ld(&condition, ACQ)) lose(); }
static void b(void) { st(&condition, 1, REL); @ if (!ld(&waiting, ACQ)) lose(); }
C
both ms_queue 'L L L' 'REL' 'L L R' 'RLX' <<'C'
struct n { int v; _Atomic(struct n *) next; };
static struct n dummy;
static _Atomic(struct n *) head, tail;
static void a(void) {
  struct n *q = malloc(sizeof *q), *e = 0, *t = ld(&tail, ACQ);
  q->v = 7;
  atomic_init(&q->next, 0);
  if (cas(&t->next, &e, q, @)) cas(&tail, &t, q, @);
}
static void b(void) {
  struct n *h = ld(&head, ACQ), *x = ld(&h->next, ACQ);
  if (x) assert(x->v == 7);
}
static void start(void) { atomic_init(&head, &dummy); atomic_init(&tail, &dummy); }
ASIF_INIT(start)
C
peterson() { # NAME VERDICTS, the fence, what becomes of turn = NUMBER
  weak "$1" $2 <<C
static atomic_int flag[2], turn;
static int in;
#define exchange(v) atomic_exchange_explicit(&turn, v, AR)
#define store(v) st(&turn, v, REL)
static void a(void) {
  st(&flag[0], 1, REL), $4(1);
  $3
  if (!ld(&flag[1], ACQ) || !ld(&turn, ACQ)) in++, in--, st(&flag[0], 0, REL);
}
static void b(void) {
  st(&flag[1], 1, REL), $4(0);
  $3
  if (!ld(&flag[0], ACQ) || ld(&turn, ACQ)) in++, in--, st(&flag[1], 0, REL);
}
C
}
peterson peterson_1 'L L L' 'fence(SC);' exchange
peterson peterson_2 'L L R' 'fence(SC);' store # C11 lets both stores of turn come in the order that nobody made them in
peterson peterson_3 'L R R' '' store
seqlock() { # NAME VERDICTS, the writer's fence, the reader's, the order of its last load
  weak "$1" $2 <<C
static atomic_int seq, x, y;
static void a(void) {
  int s = ld(&seq, RLX);
  st(&seq, s + 1, RLX);
  $3
  st(&x, 1, RLX), st(&y, 1, RLX), st(&seq, s + 2, REL);
}
static void b(void) {
  int s = ld(&seq, ACQ);
  if (s & 1) return;
  int u = ld(&x, RLX), v = ld(&y, RLX);
  $4
  if (ld(&seq, $5) == s) assert(u == v);
}
C
}
seqlock seqlock_1 'L L L' 'fence(REL);' 'fence(ACQ);' RLX
seqlock seqlock_2 'L L A' '' '' ACQ
both ring 'L L L' 'REL' 'L L R' 'RLX' <<'C'
static int buffer[2];
static atomic_int tail;
static void a(void) { buffer[0] = 7; st(&tail, 1, @); }
static void b(void) { if (ld(&tail, ACQ) == 1) assert(buffer[0] == 7); }
C
both ticket 'L L L' 'REL' 'L L R' 'RLX' <<'C'
static atomic_int next, owner;
static int x;
static void turn(void) {
  int t = atomic_fetch_add_explicit(&next, 1, RLX);
  while (ld(&owner, ACQ) != t) ;
  x++;
  st(&owner, ld(&owner, RLX) + 1, @);
}
static void a(void) { turn(); }
static void b(void) { turn(); }
C
both slot 'L L L' 'REL' 'L L A' 'RLX' <<'C'
static _Atomic(int *) slot;
static atomic_int tail;
static int item;
static void a(void) { st(&slot, 0, RLX), st(&tail, 1, @); }
static void b(void) { if (ld(&tail, ACQ) == 1) assert(!ld(&slot, RLX)); }
static void start(void) { atomic_init(&slot, &item); }
ASIF_INIT(start)
C
weak sequence L L R <<'C'
static int data;
static atomic_int y;
static void a(void) { data = 1, st(&y, 1, REL), st(&y, 2, RLX); }
static void b(void) { if (ld(&y, ACQ) == 2) assert(data == 1); }
C

# What is said. seq_cst alone is sequentially consistent; seq_cst beside weaker orders is decided where it can be, or unknown.
object() { { echo "$prelude"; cat; } >o.c; }
object <<'C'
static atomic_int f, g;
static int x;
static void a(void) { f = 1; if (!g) x++; }
static void b(void) { g = 1; if (!f) x++; }
ASIF_OP(a) ASIF_OP(b) ASIF_ROLE(first, 1, a) ASIF_ROLE(second, 1, b)
C
for model in tso c11; do
  run 0 "$asif" verify o.c --spec self --memory $model; says 'note: all atomic accesses are seq_cst: without a data race'
done
sed -i 's/static int x;/static int x; static atomic_int count;/; s/x++;/x++, atomic_fetch_add_explicit(\&count, 1, RLX);/g' o.c
run 0 "$asif" verify o.c --spec self --memory tso --quiet
run 0 "$asif" verify o.c --spec self --memory c11 --quiet
sed -i 's/if (!g) x++/fence(SC); if (!g) x++/' o.c
run 3 "$asif" verify o.c --spec self --memory c11 --quiet; says 'unknown: o.c:17:25: with seq_cst accesses as acquire and release'
object <<'C'
static atomic_int x, y, z;
static void a(void) { st(&x, 1, RLX); fence(SC); st(&y, 1, RLX); }
static void b(void) { st(&z, ld(&y, RLX), RLX); }
static void c(void) { if (ld(&z, RLX)) { fence(SC); assert(ld(&x, RLX)); } }
ASIF_OP(a) ASIF_OP(b) ASIF_OP(c) ASIF_ROLE(i, 1, a) ASIF_ROLE(j, 1, b) ASIF_ROLE(k, 1, c)
C
run 0 "$asif" verify o.c --spec self --memory tso -n 3 --quiet
run 3 "$asif" verify o.c --spec self --memory c11 -n 3 --quiet; says 'unknown: o.c:16:39: nothing wrong was found, but some executions'
sed -i 's/st(&z, ld(&y, RLX), RLX)/st(\&z, ld(\&y, ACQ), REL)/' o.c
run 0 "$asif" verify o.c --spec self --memory c11 -n 3 --quiet

# Locks, memory that is given again, and a store before another one that ran earlier.
object <<'C'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node { int value; };
static struct node *there;
static int put(int v) {
  struct node *n = malloc(sizeof *n), *old;
  n->value = v;
  pthread_mutex_lock(&m);
  old = there, there = n;
  pthread_mutex_unlock(&m);
  free(old);
  return ASIF_OK;
}
static int get(void) {
  pthread_mutex_lock(&m);
  int v = there ? there->value : 0;
  pthread_mutex_unlock(&m);
  return v;
}
static atomic_int weaker;
static int nothing(void) { return ld(&weaker, RLX); }
ASIF_OBJECT(register(0))
ASIF_OP(get) ASIF_OP(put, ASIF_IN(1, 2))
C
sed -i 's/return v;/return v + nothing();/; s/^static int get/static int nothing(void);\n&/' o.c
for model in sc tso c11; do run 0 "$asif" verify o.c --memory $model -o 2 --quiet; done
sed -i '0,/  pthread_mutex_unlock(&m);/s///; 0,/  pthread_mutex_lock(&m);/s///' o.c
for model in sc tso c11; do run 1 "$asif" verify o.c --memory $model -o 2 --quiet; says 'data race'; done
object <<'C'
static atomic_int x, y, done;
static void end(void) { atomic_fetch_add_explicit(&done, 1, AR); }
static void a(void) { st(&x, 1, RLX); st(&y, 2, RLX); end(); }
static void b(void) { st(&y, 1, RLX); st(&x, 2, RLX); end(); }
static void c(void) { if (ld(&done, ACQ) == 2) assert(ld(&x, RLX) != 1 || ld(&y, RLX) != 1); }
ASIF_OP(a) ASIF_OP(b) ASIF_OP(c) ASIF_ROLE(i, 1, a) ASIF_ROLE(j, 1, b) ASIF_ROLE(k, 1, c)
C
run 0 "$asif" verify o.c --spec self --memory tso -n 3
run 1 "$asif" verify o.c --spec self --memory c11 -n 3; says ', before 1 other store of it'

run 1 "$asif" verify o.c --spec self --memory c11 -n 3 --json; says '"memory":"c11"'

# Freed memory that may be read: such reads race, so that seq_cst says nothing of them.
object <<'C'
static _Atomic(int *) p;
static void a(void) { int *q = malloc(sizeof *q), *old; *q = 1; old = atomic_exchange(&p, q); free(old); }
static int b(void) { int *q = p; return q ? *q == 1 : 1; }
ASIF_TYPE_STABLE()
ASIF_OP(a) ASIF_OP(b)
C
run 0 "$asif" verify o.c --spec self --leaks no --quiet
run 3 "$asif" verify o.c --spec self --memory c11 --quiet; says 'unknown: ASIF_TYPE_STABLE'

# What it goes with.
run 2 "$asif" verify o.c --memory relaxed
for with in '--reduce por' '--reduce tau' '--steps statement' '--races no' '--against o.c' '--points' '--approx 1' '--progress lock-free' \
  "--ltl true" '--checkpoint f' '--resume f'; do
  run 2 "$asif" verify o.c --spec self --memory tso $with; warns 'exclude each other'
done
object <<'C'
static union { atomic_int whole; atomic_char part[4]; } u;
static void a(void) { st(&u.whole, 1, REL); }
static void b(void) { (void)ld(&u.part[0], ACQ); }
ASIF_OP(a) ASIF_OP(b)
C
run 3 "$asif" verify o.c --spec self --memory c11 --quiet; says 'unknown: o.c:'; says 'an access to a part of a variable'
