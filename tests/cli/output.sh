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
  for o in json junit svg html evidence witness; do
    case $("$asif" check --help) in *"--$o FILE"*) ;; *) continue ;; esac
    run 2 "$asif" check good --$o /nowhere/x; warns /nowhere/x
    # A violation is one, whatever else went wrong, and the verdict is there.
    file=bad want=1
    [ $o = witness ] && file=good want=2
    run $want "$asif" check $file --$o /dev/full; warns 'No space left'; says 'verdict: '
  done
fi
exit 0
