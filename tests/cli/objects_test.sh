#!/bin/bash
# objects/harness/ under asif test: nothing is found in the objects of the library, under every schedule of small clients; and each
# mistake is found, as its file says ("Expected: ..., with CLIENT"). With ASIF_LONG larger clients, and the objects beside it.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/objects/harness" || exit 1
long=${ASIF_LONG:-}
limit=${long:+60}

# good FILE ARGUMENT...: every schedule, and nothing is wrong. Within the longer tests a limit may be reached.
good() {
  file=$1
  shift
  "$asif" test "$file" -j 1 --quiet --time-limit "${limit:-300}" "$@" >"$scratch/$1$$" 2>&1 </dev/null
  got=$?
  [ $got = 0 ] || [ $got = 3 -a -n "$long" ] || fail "asif test $file $* ended with $got: $(cat "$scratch/$1$$")"
}
# bad FILE: what is found is expected.
bad() {
  expected=$(sed -n 's/^ \* Expected: \(.*\)\. \*\/$/\1/p' "$1")
  [ -n "$expected" ] || fail "$1 does not say what is expected"
  client=$(sed -n 's/.*, with \(.*\)/\1/p' <<<"$expected")
  set -- "$1" --quiet --time-limit 300 -j 1
  case $1 in
  */wg_stuttering.c) set -- "$@" --client "$client" --random pct:5 --runs 1000000 ;; # its loops write while they wait
  *) if [ -n "$client" ]; then set -- "$@" --client "$client"; else set -- "$@" -n 2 -o 2; fi ;;
  esac
  json=$("$asif" test "$@" --json 2>&1 </dev/null)
  got=$?
  [ $got = 1 ] || fail "asif test $* ended with $got: $json"
  # Its token gives the same violation again.
  token=$(sed -n 's/.*"replay":"\([^"]*\)".*/\1/p' <<<"$json") violation=$(sed -n 's/.*"violation":"\([^"]*\)".*/\1/p' <<<"$json")
  out=$("$asif" test "$1" --quiet --replay "$token" 2>&1 </dev/null)
  got=$?
  [ $got = 1 ] || fail "asif test $1 --replay $token ended with $got: $out"
  case $out in *"$violation"*) ;; *) fail "$1: found $violation, and again: $out" ;; esac
  kinds=${expected%, with *}
  while :; do
    case $out in *"${kinds%% or *}"*) return ;; esac
    case $kinds in *' or '*) kinds=${kinds#* or } ;; *) fail "$1 should be $expected: $out" ;; esac
  done
}

# Two at a time: most of each is compiling.
halves() {
  what=$1 n=0
  shift
  for half in 0 1; do
    (
      trap - EXIT
      for f; do
        [ $((n++ % 2)) = $half ] && $what "$f"
      done
      exit 0
    ) &
  done
  wait -n || exit 1
  wait -n || exit 1
}
small() {
  case $1 in # as many as a few seconds are enough for
  blink_tree.c | lazy_set.c | optimistic_set.c | multiset.c | bounded_priority_queue.c | lamport_register.c | ms_queue.c) good $1 -n 2 -o 1 ;;
  *) good $1 -n 2 -o 2 ;;
  esac
}
large() {
  good $1 -n 2 -o 2
  case $1 in spsc_ring.c) ;; *) good $1 -n 3 -o 1 && good $1 -n 3 -o 2 --bound 2 ;; esac
}
halves small *.c
# A thread that waits with a counter of 0 and another limit each time does not come back to where it was.
good herlihy_wing_queue.c -n 3 -o 2 --bound 2
halves bad bugs/*.c
[ -z "$long" ] || halves large *.c
exit 0
