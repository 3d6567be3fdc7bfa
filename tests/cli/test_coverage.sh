#!/bin/bash
# What no client executed is named where nothing is wrong: functions, lines, branches; in words, JSON and evidence.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
compilers=$(command -v gcc >/dev/null && echo gcc || echo cc)
[ -z "${ASIF_LONG-}" ] || ! command -v clang >/dev/null || compilers="$compilers clang"
never() { says "note: never executed: $1"; }
all_executed() { case $out in *'never executed'*) fail "told though all was executed: $out" ;; esac; }

# A ring that is never full: the branch is a jump and nothing else.
cat >ring.c <<'END'
#include <asif.h>
#include <stdatomic.h>
enum { N = 3 };
static _Atomic int head, tail, slots[N];
int enq(int v) {
  int t = tail;
  if (t - head == N) return ASIF_FULL;
  slots[t % N] = v;
  tail = t + 1;
  return ASIF_OK;
}
int deq(void) {
  int h = head;
  if (h == tail) return ASIF_EMPTY;
  int v = slots[h % N];
  head = h + 1;
  return v;
}
ASIF_OBJECT(bounded_queue(3))
ASIF_OP(enq)
ASIF_OP(deq)
ASIF_ROLE(writer, 1, enq)
ASIF_ROLE(reader, 1, deq)
END
# A function that is only called when there is much to do, an assertion, and one that the operations do not use.
cat >grow.c <<'END'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int n;
static atomic_int moved;
static __attribute__((noinline)) void
grow(int by) {
  for (int i = 0; i < by; i++)
    moved++;
}
static inline void shrink(void) {
  moved = 0;
  moved--;
}
int unused(int *p) { return *p + 1; }
static int fetch_add(void) {
  int v = n++;
  assert(v >= 0);
  if (v < 0) abort();
  if (v == 3)
    grow(v);
  if (v == 4) {
    shrink();
  }
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
for compiler in $compilers; do
  export CC=$compiler
  run 0 "$asif" test ring.c -o 2; never 'a branch of ring.c:7; try --ops 5'; says 'verdict: linearizable'; silent
  run 0 "$asif" test ring.c -o 4; all_executed
  run 0 "$asif" test ring.c --client 'enq(1) | deq()'; never 'a branch of ring.c:7; other clients may reach it'
  run 0 "$asif" test ring.c --client 'enq(1)'; never 'a branch of ring.c:7' # deq is part of no client
  run 0 "$asif" test grow.c -n 2 -o 1; says 'note: never executed: grow (grow.c:'; says 'shrink (grow.c:13-14), '; says 'try --ops 3'; silent
  case $out in *unused* | *:19* | *:20*) fail "what cannot be reached: $out" ;; esac
  run 0 "$asif" test grow.c -n 2 -o 2; never 'shrink (grow.c:13-14)'
  case $out in *'grow ('*) fail "it was executed: $out" ;; esac
  run 0 "$asif" test grow.c -n 1 -o 5; all_executed
done
unset CC
! command -v clang >/dev/null || { CC=clang run 0 "$asif" test ring.c -o 2; never 'a branch of ring.c:7; try --ops 5'; }
run 0 "$asif" test grow.c -n 1 -o 1 --json --evidence found.txt
says '"unreached":[{"file":"grow.c","first":'; says '{"file":"grow.c","first":13,"last":14,"function":"shrink","branch":false}'
run 3 "$asif" replay found.txt; says 'never executed: grow (grow.c:'; says 'shrink (grow.c:13-14)'
run 0 "$asif" test grow.c -n 1 -o 5 --json; says '"unreached":[]'
# A violation is told without; so is a search that reached nothing.
sed 's/int v = n++;/int v = n; n = v + 1;/' grow.c >lost.c
run 1 "$asif" test lost.c -n 2 -o 1; case $out in *'never executed'*) fail "told with a violation: $out" ;; esac
run 1 "$asif" test lost.c -n 2 -o 1 --json; says '"unreached":null'
# Objects of `asif cc`, several processes, inlined copies, C++.
"$asif" cc -I"$root/include" -c grow.c -o grow.o || fail 'grow.c'
run 0 "$asif" test grow.o -n 2 -o 1 --jobs 2; says 'shrink (grow.c:13-14)'
cat >copies.cc <<'END'
#include <asif.h>
#include <atomic>
#include <stdexcept>
template <class T> struct box {
  std::atomic<T> n{0};
  T add(T by) {
    if (by > 5) throw std::runtime_error("too much");
    if (by == 2) return n.fetch_add(2);
    T v = n++;
    return v;
  }
};
static box<int> one;
static int fetch_add() { return one.add(1); }
static int get() { return one.n.load() > 100 ? one.add(2) : one.n.load(); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_OP_AS(read, get)
END
run 0 "$asif" test copies.cc -n 2 -o 1; says 'note: never executed: '; says 'copies.cc:15'; silent
case $out in *:7* | *:9*) fail "exceptions, or a copy whose other copy was executed: $out" ;; esac
