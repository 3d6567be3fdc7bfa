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
  echo "#include <$header>" | cc -E -x c - >/dev/null 2>&1 || { echo "skipped: there is no <$header>"; return; }
  timeout 300 "$asif" test "$file" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  got=$?
  [ $got = $status ] || fail "asif test $file $* ended with $got, not $status: $(cat "$scratch/out" "$scratch/err")"
}

they 1 ck_stack.h ck_stack.c --races no --threads 2 --ops 2 -- -mcx16
grep -q -e 'not linearizable' -e 'double free' "$scratch/out" || fail "another finding: $(cat "$scratch/out")"
they 0 urcu/wfcqueue.h urcu_queue.c --races no --threads 2 --ops 2
they 0 boost/version.hpp boost_queue.cc --races no --threads 2 --ops 2
they 0 boost/version.hpp boost_stack.cc --races no --threads 2 --ops 2
