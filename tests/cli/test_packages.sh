#!/bin/bash
# Objects of Debian's packages, unmodified: what is wrong with one of them is found, and nothing is with the others.
. tests/cli/common
has test || exit 77
[ -n "${ASIF_LONG:-}" ] || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/tests/packages" || exit 1

# they STATUS HEADER FILE ARGUMENT...
they() {
  status=$1 header=$2 file=$3
  shift 3
  skipped=
  echo "#include <$header>" | cc -E -x c - >/dev/null 2>&1 || { echo "skipped: there is no <$header>"; skipped=yes; return; }
  timeout 300 "$asif" test "$file" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  got=$?
  [ $got = $status ] || fail "asif test $file $* ended with $got, not $status: $(cat "$scratch/out" "$scratch/err")"
}

they 1 ck_stack.h ck_stack.c --races no --threads 2 --ops 2 -- -mcx16
[ "$skipped" ] || grep -q -e 'not linearizable' -e 'double free' "$scratch/out" || fail "another finding: $(cat "$scratch/out")"
they 0 urcu/wfcqueue.h urcu_queue.c --races no --threads 2 --ops 2
they 0 boost/version.hpp boost_queue.cc --races no --threads 2 --ops 2
they 0 boost/version.hpp boost_stack.cc --races no --threads 2 --ops 2
they 0 cds/version.h cds_queue.cc --threads 2 --ops 2 -- -std=c++17
they 0 cds/version.h cds_spinlock.cc --threads 2 --ops 2 -- -std=c++17 -DNDEBUG
[ "$skipped" ] || grep -q 'verdict: linearizable' "$scratch/out" || fail "libcds' spin lock: $(cat "$scratch/out")"
they 1 cds/version.h cds_spinlock.cc --threads 2 --ops 1 -- -std=c++17 -DNDEBUG -DWRONG
they 0 absl/base/config.h absl_set.cc --threads 2 --ops 1 -- -std=c++17 -labsl_raw_hash_set -labsl_hash
they 1 absl/base/config.h absl_set.cc --threads 2 --ops 1 -- -std=c++17 -DWRONG -labsl_raw_hash_set -labsl_hash
they 3 absl/base/config.h absl_mutex.cc --threads 2 --ops 1 -- -std=c++17 -labsl_synchronization
[ "$skipped" ] || grep -q 'Mutex.*compiled without hooks' "$scratch/out" || fail "abseil's mutex: $(cat "$scratch/out")"
