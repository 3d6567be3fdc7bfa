#!/bin/bash
# Output that cannot be delivered: a closed pipe ends quietly, a full disk with a message, both with status 2.
. tests/cli/common

"$asif" gen queue -n 200k 2>err | head -1 >out
[ "${PIPESTATUS[0]}" = 2 ] || fail "a closed pipe ended with ${PIPESTATUS[0]}"
[ "$(wc -l <out)" = 1 ] || fail 'head got no line'
[ ! -s err ] || fail "a closed pipe is worth no message: $(cat err)"
"$asif" gen --help 2>err | : ; [ ! -s err ] || fail "$(cat err)"

if [ -e /dev/full ]; then
  run 2 sh -c "'$asif' --help >/dev/full"; warns 'No space left'
  run 2 sh -c "'$asif' gen queue >/dev/full"; warns 'No space left'
  run 2 "$asif" gen queue -o /dev/full; warns 'No space left'
  run 2 sh -c "'$asif' man >/dev/full"; warns 'No space left'
fi
run 2 "$asif" gen queue -o /nowhere/x; warns /nowhere/x
mkdir dir
run 2 "$asif" gen queue -o dir; warns dir
echo old >kept
run 0 "$asif" gen queue -n 3 -o kept; silent
grep -q enq kept || fail 'the file was not replaced'
[ "$(ls)" = "$(printf 'dir\nerr\nkept\nout')" ] || fail "something is left behind: $(ls)"

if has check; then
  printf 'q enq(1) A\nq Ok() A\n' >good
  printf 'q deq() A\nq Ok(1) A\n' >bad
  run 2 sh -c "'$asif' check good >/dev/full"; warns 'No space left'
  run 1 sh -c "'$asif' check bad >/dev/full"; warns 'No space left' # violated, whatever becomes of the output
  run 2 sh -c "'$asif' check good >&-"; warns 'standard output'
fi

# The verdict is printed before any file is tried: one that cannot be written loses neither it nor the status of a violation.
# unwritten STATUS VERDICT OPTIONS COMMAND...: with each of the options.
unwritten() {
  status=$1 verdict=$2 options=$3
  shift 3
  other=2
  [ "$status" = 0 ] || other=$status
  for o in $options; do
    run $other "$@" --"$o" /nowhere/x; says "verdict: $verdict"; warns /nowhere/x
    case $out in *"$o: /nowhere"*) fail "it says that there is a file: $out" ;; esac
    [ ! -e /dev/full ] || { run $other "$@" --"$o" /dev/full; says "verdict: $verdict"; warns 'No space left'; warns /dev/full; }
    run $other "$@" --"$o" dir; says "verdict: $verdict"; warns dir
  done
  [ "$2" != test ] || return # its compiler writes files
  # A file that may not grow, as with a quota: the signal for that must not end the program before it answers.
  (ulimit -f 0; "$@" --"${options%% *}" small 2>&1; echo "status $?") </dev/null | cat >out
  grep -q "verdict: $verdict" out && grep -q "status $other" out && grep -q small out || fail "$* with a limit on files: $(cat out)"
  [ ! -e small ] || fail 'part of a file was left'
}
printf '#include <asif.h>\nstatic int n;\nstatic int inc(void) { int v = n; n = v + 1; return v; }\nASIF_OBJECT(counter)\nASIF_OP_AS(fetch_add, inc)\n' >count.c
sed -i 's/inc(void)/inc(int by)/;s/v + 1/v + by/' count.c
export ASIF_INCLUDE=$root/include
if has check; then
  unwritten 0 linearizable 'evidence junit svg html witness' "$asif" check good
  unwritten 1 'not linearizable' 'evidence junit svg html' "$asif" check bad
  unwritten 1 'not linearizable' 'evidence html' "$asif" check --approx 2 bad
fi
if has verify; then
  unwritten 1 'not linearizable' 'evidence history junit svg html' "$asif" verify --races no count.c
  unwritten 0 linearizable 'evidence html' "$asif" verify "$root/objects/treiber_stack.c"
fi
! has prove || unwritten 0 'linearizable' 'evidence html' "$asif" prove "$root/objects/treiber_stack.c"
! has test || unwritten 1 'violated: data race' 'evidence' "$asif" test count.c -n 2 -o 1
exit 0
