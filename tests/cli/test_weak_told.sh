#!/bin/bash
# A run under a weak memory model, told: the memory orders, what a stale load missed, what an early store comes before, and why either may be.
. tests/cli/common
export ASIF_INCLUDE=$root/include

cat >passing.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void writes(void) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, FLAG);
}
static void reads(void) {
  if (!atomic_load_explicit(&flag, READ)) return;
  FENCE;
  assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
}
ASIF_OP(writes)
ASIF_OP(reads)
C
passing() { # STATUS MODEL FLAG READ FENCE
  run "$1" "$asif" test passing.c --spec self --client 'writes() | reads()' --memory "$2" -- -DFLAG=memory_order_$3 -DREAD=memory_order_$4 "-DFENCE=${5-}"
}
passing 1 c11 relaxed relaxed
says 'store data (relaxed) = 1'
says 'load data (relaxed) -> 0'
says 'stale: the initial value; missed 1, stored in step 1 (A at passing.c:6)'
says 'allowed: step 3 reads from step 2, which comes after it, but does not synchronise with it: step 2 is relaxed, not release, and step 3 is relaxed, not acquire'
passing 1 c11 release relaxed
says 'does not synchronise with it: step 3 is relaxed, not acquire'
passing 1 c11 relaxed acquire
says 'does not synchronise with it: step 2 is relaxed, not release'
passing 1 c11 relaxed relaxed 'atomic_thread_fence(memory_order_acquire)'
says 'passing.c:11  fence (acquire)'
says 'does not synchronise with it: step 2 is relaxed, not release'
passing 0 c11 release relaxed 'atomic_thread_fence(memory_order_acquire)'
passing 0 c11 release acquire
passing 0 tso relaxed relaxed

cat >buffering.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag[2];
static int alone[2];
static void *left(void *u) {
  atomic_store_explicit(&flag[0], 1, memory_order_release);
  LEFT;
  alone[0] = !atomic_load_explicit(&flag[1], memory_order_acquire);
  return u;
}
static void *right(void *u) {
  atomic_store_explicit(&flag[1], 1, memory_order_release);
  RIGHT;
  alone[1] = !atomic_load_explicit(&flag[0], memory_order_acquire);
  return u;
}
ASIF_TEST(both) {
  pthread_t t;
  pthread_create(&t, NULL, left, NULL);
  right(NULL);
  pthread_join(t, NULL);
  assert(!alone[0] || !alone[1]);
}
C
fence='atomic_thread_fence(memory_order_seq_cst)'
buffering() { # STATUS MODEL LEFT RIGHT
  run "$1" "$asif" test buffering.c --memory "$2" -- "-DLEFT=${3-}" "-DRIGHT=${4-}"
}
for model in c11 tso; do
  buffering 1 $model
  says 'stale: the initial value; missed 1, stored in step 2 (A at buffering.c:14)'
  says 'store buffering: step 3 of A reads what was there before step 4 of B; a seq_cst fence between step 2 and step 3 and one between step 4 and step 5 forbid it'
  buffering 1 $model '' "$fence"
  says 'buffering.c:15  fence (seq_cst)'
  says 'before step 4 of B; a seq_cst fence between step 4 and step 5 forbids it'
  buffering 0 $model "$fence" "$fence"
done

# Where most of the accesses are seq_cst, those that are not are named.
sed 's/memory_order_release/memory_order_seq_cst/; s/memory_order_acquire/memory_order_seq_cst/' buffering.c >strong.c
run 0 "$asif" test strong.c --memory c11 -- -DLEFT= -DRIGHT=
sed '0,/memory_order_seq_cst/s//memory_order_release/' strong.c >weaker.c
run 1 "$asif" test weaker.c --memory c11 -- -DLEFT= -DRIGHT=
says 'forbid it; so does seq_cst for step 4'

cat >early.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *one(void *u) {
  atomic_store_explicit(&x, 1, memory_order_release);
  atomic_store_explicit(&y, 2, memory_order_release);
  return u;
}
static void *two(void *u) {
  atomic_store_explicit(&y, 1, memory_order_release);
  atomic_store_explicit(&x, 2, memory_order_release);
  return u;
}
ASIF_TEST(both) {
  pthread_t s, t;
  pthread_create(&s, NULL, one, NULL);
  pthread_create(&t, NULL, two, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
  assert(x != 1 || y != 1);
}
C
run 1 "$asif" test early.c --memory c11
says 'early: in the modification order before 1, stored in step 3 (B at early.c:7)'
says 'allowed: nothing that C has read orders step 3 before this store'
run 0 "$asif" test early.c --memory tso
run 1 "$asif" test early.c --memory c11 --json
says '"memory":"c11"'
says '{"kind":"note","file":null,"line":0,"text":"early: in the modification order before 1, stored in step 3 (B at early.c:7)"}'

# The evidence for what holds has the model too.
run 0 "$asif" test early.c --memory tso --evidence holds
run 3 "$asif" replay holds
says 'clients under TSO memory, '
says 'asif test early.c --memory tso'

# Under sequential consistency, nothing of this.
run 0 "$asif" test early.c --memory sc
sed -i 's/assert(.*/assert(0);/' early.c
run 1 "$asif" test early.c --memory sc
case $out in *'(release)'*) fail "orders are told without --memory: $out" ;; esac

# The picture: who reads from whom, and what was missed.
cat >graph.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static _Atomic long x, y;
static long left(void) {
  atomic_store_explicit(&x, 1, memory_order_release);
  return atomic_load_explicit(&y, memory_order_acquire);
}
static long right(void) {
  atomic_store_explicit(&y, 1, memory_order_release);
  return atomic_load_explicit(&x, memory_order_acquire);
}
ASIF_OBJECT(self)
ASIF_OP(left)
ASIF_OP(right)
END
replays=no
run 1 "$asif" test graph.c --spec self --memory c11 --client 'left() right() | right() left()' --fix no --svg g.svg --html g.html
grep -q '<path class="fr"' g.svg || fail 'no arrow to what was missed'
grep -q '<path class="fr"' g.html || fail 'no picture in the page'
run 1 "$asif" test graph.c --spec self --memory c11 --client 'left() right() | right() left()' --fix no --svg g.svg
for kind in rf mo fr; do grep -q "id=\"$kind\"" g.svg || fail "no arrowheads of $kind"; done
python3 - g.svg <<'END' 2>/dev/null || ! command -v python3 >/dev/null || fail 'the picture is no XML'
import sys, xml.dom.minidom
xml.dom.minidom.parse(sys.argv[1])
END
# What is sequentially consistent has none.
run 1 "$asif" test "$root/objects/buggy_queue.c" --memory sc --svg sc.svg
! grep -q 'class="g"' sc.svg || fail 'a picture of no graph'
exit 0
