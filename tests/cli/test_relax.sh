#!/bin/bash
# test --relax: which memory orders could be weaker with all clients still right.
. tests/cli/common
export ASIF_INCLUDE=$root/include

row() { # LINE ACCESS NOW ALONE TOGETHER
  printf '%s\n' "$out" | tr -s ' ' | grep -q "^ $1 $2 $3 $4 $5 |" || fail "no row $*: $out"
}

cat >message.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag, seen;
static void writes(void) {
  atomic_store(&data, 1);
  atomic_store(&flag, 1);
}
static void reads(void) {
  if (!atomic_load(&flag)) return;
  assert(atomic_load(&data) == 1);
}
static void counts(void) {
  int n = 0;
  while (!atomic_compare_exchange_strong(&seen, &n, n + 1)) {}
  atomic_thread_fence(memory_order_seq_cst);
}
ASIF_OP(writes)
ASIF_OP(reads)
ASIF_OP(counts)
C
run 0 "$asif" test message.c --spec self --client 'writes() counts() | reads() counts()' --relax
says 'every execution under C11 memory'
row 6 store seq_cst relaxed relaxed
row 7 store seq_cst release release
row 10 load seq_cst acquire acquire
row 11 load seq_cst relaxed relaxed
row 15 compare-and-exchange seq_cst relaxed relaxed
row 15 'compare-and-exchange, failed' seq_cst relaxed relaxed
row 16 fence seq_cst none none
says 'Other clients may need more.'
run 0 "$asif" test message.c --spec self --client 'writes() | reads()' --relax --json
says '{"file":"message.c","line":7,"column":'
says ',"access":"store","failed":false,"now":"seq_cst","alone":"release","together":"release"},{"file":"message.c","line":10,'
says '"relax":{"complete":true,"executions":'

# Each of two ways to order it is enough, and one of them is needed.
cat >either.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void writes(void) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_release);
}
static void reads(void) {
  if (!atomic_load_explicit(&flag, memory_order_acquire)) return;
  assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
}
ASIF_OP(writes)
ASIF_OP(reads)
C
run 0 "$asif" test either.c --spec self --client 'writes() | reads()' --relax
row 7 fence release none none
row 8 store release relaxed release
row 11 load acquire acquire acquire
row 6 store relaxed relaxed relaxed

cat >plain.c <<'C'
#include <asif.h>
int n;
static void set(void) { n = 1; }
ASIF_OP(set)
C
run 0 "$asif" test plain.c --spec self --client 'set()' --relax
says 'These clients make no atomic access'

# The evidence is of the code as it is.
run 0 "$asif" test either.c --spec self --client 'writes() | reads()' --relax --evidence holds
grep -q "^asked asif test either.c --spec self --client 'writes() | reads()' --memory c11\$" holds || fail "the evidence: $(cat holds)"
run 3 "$asif" replay holds
says 'under C11 memory'

# What is wrong as it is has no table; nor is there one without the model.
sed 's/memory_order_acquire/memory_order_relaxed/' either.c >wrong.c
run 1 "$asif" test wrong.c --spec self --client 'writes() | reads()' --relax
says 'fix: wrong.c:11: the load with acquire instead of relaxed'
case $out in *together*) fail "a table of what is wrong: $out" ;; esac
run 2 "$asif" test either.c --spec self --relax --memory sc
warns '--relax needs --memory c11'
for other in '--bound 2' '--random uniform' '--all'; do
  run 2 "$asif" test either.c --spec self --relax $other
  warns 'exclude each other'
done

# Files: the accesses of a header are in a table of their own; those of std::atomic in that of who uses them.
if command -v c++ >/dev/null; then
  cat >flag.hpp <<'C'
#include <atomic>
struct flag {
  std::atomic<bool> up{false};
  void raise() { up.store(true); }
  bool is_up() { return up.load(); }
};
C
  cat >flags.cpp <<'C'
#include <asif.h>
#include <cassert>
#include "flag.hpp"
static flag one;
static std::atomic<int> data;
extern "C" void writes() {
  data.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  one.raise();
}
extern "C" void reads() {
  if (one.is_up()) assert(data.load() == 1);
}
ASIF_OP(writes)
ASIF_OP(reads)
C
  run 0 "$asif" test flags.cpp --spec self --client 'writes() | reads()' --relax
  row 4 store seq_cst relaxed release
  row 5 load seq_cst acquire acquire
  row 8 fence seq_cst none none
  printf '%s\n' "$out" | grep -qx 'flag.hpp' || fail "no table of the header: $out"
  printf '%s\n' "$out" | grep -qx 'flags.cpp' || fail "no table of the file: $out"
fi
exit 0
