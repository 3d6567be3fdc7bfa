#!/bin/bash
# The engines on the same objects: what asif test finds under its schedules asif verify finds among its states, and where one says
# that an object is linearizable so does the other. In the longer tests all objects; else some, with what is small.
. tests/cli/common
has verify || exit 77
has test || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/objects" || exit 1
long=${ASIF_LONG:-}
seconds=${long:+60}

# agree FILE THREADS OPERATIONS: both verdicts, where both know.
agree() {
  set -- "$1" -n "$2" -o "$3" --quiet --time-limit "${seconds:-20}" -j 1
  grep -q '^ASIF_SPEC' "$1" || grep -q '"counter.c"' "$1" && set -- "$@" --spec "$1"
  verified=$("$asif" verify "$@" 2>&1 </dev/null)
  v=$?
  [ $v = 2 ] && case $1 in harness/*) return ;; esac # outside the C that verify reads
  tested=$("$asif" test "$@" --races no --leaks no 2>&1 </dev/null)
  t=$?
  case $v$t in *3* | 22) return ;; esac # a limit; both refuse: roles for so many threads
  [ $v = $t ] && [ $v = 0 -o $v = 1 ] || fail "$*: verify ends with $v: $verified; test with $t: $tested"
  case $t$tested in 0*'no violation found'*) return ;; esac
  compared=$((compared + 1))
}

compared=0
if [ -n "$long" ]; then
  for f in *.c bugs/*.c harness/*.c; do
    agree $f 2 2
    agree $f 3 1
    case $f in bugs/*) agree $f 3 2 ;; esac
  done
  [ $compared -gt 60 ] || fail "only $compared were compared"
else
  for f in counter.c register.c treiber_stack.c treiber_stack_free.c two_lock_queue.c mailbox.c buggy_queue.c bugs/wg_deq.c bugs/b3_pop.c; do
    agree $f 2 2
  done
  for f in lock_coupling_set.c ms_queue.c bugs/b1_head.c bugs/b6.c bugs/b7.c bugs/wg_deq.c harness/two_lock_queue.c; do
    agree $f 3 1
  done
  [ $compared -gt 12 ] || fail "only $compared were compared"
fi

# A thread that waits in a loop is seen to do so now sooner, now later: what is left on its stack decides.
out=$("$asif" test harness/wing_gong_queue.c --client 'enq(1) deq() | enq(1) | deq()' --quiet -j 1 2>&1)
[ $? = 0 ] || fail "a loop that waits: $out"
exit 0
