#!/bin/bash
# Without --threads, --ops and --client, clients beyond the small ones are tried as well: what they find, that it is the same whatever --jobs, what is
# said of them, what they must not do; and that the compiler's time does not count.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include

# A ring for three of one producer and one consumer; SPARE more fit, which is wrong.
cat >ring.c <<'END'
#include <asif.h>
#include <stdatomic.h>
enum { N = 3 };
#ifndef SPARE
#define SPARE 0
#endif
static _Atomic int head, tail, slots[N + SPARE];
int enq(int v) {
  int t = tail;
  if (t - head == N + SPARE) return ASIF_FULL;
  slots[t % (N + SPARE)] = v;
  tail = t + 1;
  return ASIF_OK;
}
int deq(void) {
  int h = head;
  if (h == tail) return ASIF_EMPTY;
  int v = slots[h % (N + SPARE)];
  head = h + 1;
  return v;
}
ASIF_OBJECT(bounded_queue(3))
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_ROLE(writer, 1, enq)
ASIF_ROLE(reader, 1, deq)
END
run 0 "$asif" test ring.c --threads 2 --ops 2 -- -DSPARE=1; says 'verdict: linearizable (every schedule of'
case $out in *larger*) fail "larger clients where a size is asked for: $out" ;; esac
for j in 1 3; do
  run 1 "$asif" test ring.c -j $j -- -DSPARE=1; says 'enq(1) enq(1) enq(1) enq(1)
'; says '2 operations each, and larger clients;'
  grep '^replay:' <<<"$out" >replay$j
done
cmp -s replay1 replay3 || fail "another finding with more processes: $(cat replay1 replay3)"

# What is right: the same larger clients whatever --jobs, and all reports have them.
larger() { grep -o '"larger":{[^}]*}' <<<"$out"; }
run 0 "$asif" test ring.c --json -j 1; one=$(larger); [ -n "$one" ] || fail "no larger clients: $out"
says '"complete":true'
case $one in *'"threads":2'*) ;; *) fail "more threads than there are roles for: $one" ;; esac
run 0 "$asif" test ring.c --json -j 3; [ "$(larger)" = "$one" ] || fail "with -j 3 $(larger), with -j 1 $one"
count=$(sed 's/.*"clients":\([0-9]*\).*/\1/' <<<"$one")
run 0 "$asif" test ring.c --junit junit.xml --evidence why.txt
says "verdict: linearizable (every schedule of 20 clients, up to 2 threads, 2 operations each; besides, $count larger clients, up to 2 threads, "
grep -q "besides, $count larger clients" junit.xml || fail "JUnit does not say so: $(cat junit.xml)"
run 3 "$asif" replay why.txt; says "$count larger clients, up to 2 threads"
case $out in *'never executed'*) fail "the ring was never full: $out" ;; esac

# A time that is asked for is used.
begun=$(date +%s%N)
run 0 "$asif" test ring.c --json -t 3; [ $((($(date +%s%N) - begun) / 1000000)) -ge 3000 ] || fail 'the time was not used'
for more in 6 12 24 48 96; do # as long as it takes on a machine that others use too
  [ "$(larger | sed 's/.*"clients":\([0-9]*\).*/\1/')" -gt "$count" ] && break
  run 0 "$asif" test ring.c --json -t $more
done
[ "$(larger | sed 's/.*"clients":\([0-9]*\).*/\1/')" -gt "$count" ] || fail "no more larger clients in $more seconds than by default ($count): $(larger)"
run 0 "$asif" test ring.c --json -n 2 -o 2 -t 100; says '"larger":null'

# The compiler's time does not count.
cat >slow-cc <<'END'
#!/bin/sh
case " $* " in *' -c '* | *' -S '*) sleep 1.2 ;; esac
exec cc "$@"
END
chmod +x slow-cc
CC=$PWD/slow-cc run 0 "$asif" test ring.c -n 2 -o 2 -t 1; says 'verdict: linearizable'

# No larger client brings more inside than the harness allows, has a thread with a number that no small one has where the code asks for it, or
# releases what it has not acquired.
cat >few.c <<'END'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static _Atomic int inside, of_thread[3];
void put(int v) {
  assert(asif_thread() < 3 && v == 1);
  of_thread[asif_thread()]++;
  assert(atomic_fetch_add(&inside, 1) < 3);
}
int get(void) {
  int n = inside;
  while (n && !atomic_compare_exchange_weak(&inside, &n, n - 1)) {}
  return n ? 1 : ASIF_EMPTY;
}
ASIF_OBJECT(bag)
ASIF_OP_AS(add, put, ASIF_IN(1, 1))
ASIF_OP_AS(take, get)
ASIF_BOUND(3)
END
run 0 "$asif" test few.c --json; says '"threads":3,"operations":'; says '"larger":{'
cat >lock.c <<'END'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void lock(void) { pthread_mutex_lock(&m); }
void unlock(void) { pthread_mutex_unlock(&m); }
ASIF_OBJECT(lock)
ASIF_OP_AS(acquire, lock)
ASIF_OP_AS(release, unlock)
END
run 0 "$asif" test lock.c --json; says '"larger":{'

# What needs one thing after the other: each makes another branch be executed, and clients that do so are extended. Drawn without regard to that they
# would need many more schedules.
cat >stages.c <<'END'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static _Atomic int stage, row;
static void go(int odd) {
  if (stage % 2 != odd) {
    row = 0;
    return;
  }
  if (++row < 2) return;
  row = 0;
  if (stage == 0) stage = 1;
  else if (stage == 1) stage = 2;
  else if (stage == 2) stage = 3;
  else if (stage == 3) stage = 4;
  else if (stage == 4) stage = 5;
  else assert(0);
}
void a(void) { go(0); }
void b(void) { go(1); }
void c(void) { row = 0; }
ASIF_OBJECT(self)
ASIF_OP(a)
ASIF_OP(b)
ASIF_OP(c)
ASIF_ROLE(only, 1, a, b, c)
END
run 1 "$asif" test stages.c --schedules-limit 8000; says 'assertion'; says '
  a() a() b() b() a() a() b() b() a() a() b() b()
'
echo 'asif test: clients beyond the small ones'

# Runs without a step: a search by steps ends all the same.
cat >nothing.c <<'C'
#include <asif.h>
static int get(void) { return 1; }
static void put(void) {}
ASIF_OBJECT(self)
ASIF_OP(get)
ASIF_OP(put)
C
run 0 "$asif" test nothing.c
says 'verdict: linearizable'
# Runs that are made aside, to see whether operations that wait could end, make others aside in turn.
run 1 "$asif" test "$root/objects/harness/bugs/wg_stuttering.c"; says 'Not linearizable'
